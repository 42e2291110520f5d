//! A line whose end did not come yet: whether it is a record all the same.

use super::worker::{PIECE, Stop, Work};
use crate::json::{Scan, Scanner};
use crate::model::Span;

impl Work {
    /// Whether the unfinished line is an object or array as it is. Numbers and words are never taken early.
    pub(super) fn is_pending_whole(&self) -> Result<bool, Stop> {
        let Some(Span { offset: mut at, .. }) = self.framer.pending().map(|p| p.span) else { return Ok(false) };
        let mut piece = vec![0; PIECE];
        let mut scanner = Some(Scanner::default());
        loop {
            let got = self.live.input.read_at(at, &mut piece)?;
            let text = &piece[..got];
            let rest = match &mut scanner {
                _ if text.is_empty() => return Ok(scanner.is_none()),
                Some(_) if at == self.pending_start() && !matches!(text[0], b'{' | b'[') => return Ok(false),
                Some(open) => match open.feed(text) {
                    Scan::More => &[],
                    Scan::Fault(..) => return Ok(false),
                    Scan::End(end) => {
                        scanner = None;
                        &text[end..]
                    }
                },
                None => text,
            };
            if !rest.trim_ascii().is_empty() {
                return Ok(false);
            }
            at += got as u64;
        }
    }

    fn pending_start(&self) -> u64 {
        self.framer.pending().map_or(0, |p| p.span.offset)
    }
}
