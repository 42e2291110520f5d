//! What a template wrote so far, and where its `{% generation %}` blocks are in that.
//!
//! A block is looked at when it is rendered, as the `transformers` library does it: it begins where the output of the
//! template has arrived, and is as long as its text. What the text holds plays no part in it. A block that is rendered
//! aside, in a macro or a filter, begins where the output was then; that is where a trainer trains, too.

use minijinja::value::{Kwargs, Object, ObjectRepr, Value, from_args};
use minijinja::{Error, State};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Longest text that a template may make, in bytes.
pub(super) const OUTPUT_BYTES_MAX: usize = 256 << 20;

/// A text and the parts of it that are in `{% generation %}` blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// What a `{% generation %}` block made, in bytes, in order.
    pub generated: Vec<Range<usize>>,
    /// Whether a block is reported where its text is not.
    pub is_misplaced: bool,
}

/// A block: where it begins and how long it is, in characters, and a digest of its text. None: the library does not see
/// one before which nothing was written.
#[derive(Debug)]
struct Block {
    start: Option<usize>,
    chars: usize,
    digest: u64,
}

/// What is known of an output while it is written. A template calls it for each block.
#[derive(Debug, Default)]
pub(super) struct Progress {
    chars: AtomicUsize,
    is_begun: AtomicBool,
    blocks: Mutex<Vec<Block>>,
}

impl Object for Progress {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let (options,): (Kwargs,) = from_args(args)?;
        let caller: Value = options.get("caller")?;
        let value = caller.call(state, &[])?;
        let text = value.as_str().unwrap_or_default();
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let is_seen = self.is_begun.load(Ordering::Relaxed) || blocks.iter().any(|block| block.start.is_some());
        let start = is_seen.then(|| self.chars.load(Ordering::Relaxed));
        blocks.push(Block { start, chars: text.chars().count(), digest: digest(text) });
        drop(blocks);
        Ok(value)
    }
}

impl Progress {
    /// The text with what its blocks made.
    pub(super) fn rendered(&self, text: String) -> Rendered {
        let blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let wide = |block: &&Block| block.chars > 0;
        let spans = || {
            let span = |block: &Block| block.start.map(|start| (start, start.saturating_add(block.chars)));
            blocks.iter().filter(wide).filter_map(span)
        };
        let bytes = bytes_of(&text, spans().flat_map(|(start, end)| [start, end]).collect());
        let place = |at: usize| bytes.get(&at).copied().unwrap_or(text.len());
        let is_placed = |block: &Block| {
            let Some(start) = block.start else { return false };
            let (start, end) = (place(start), place(start.saturating_add(block.chars)));
            text.get(start..end).is_some_and(|text| digest(text) == block.digest)
        };
        let is_misplaced = !blocks.iter().filter(wide).all(is_placed);
        let mut all: Vec<Range<usize>> = spans().map(|(start, end)| place(start)..place(end)).collect();
        all.retain(|span| !span.is_empty());
        all.sort_by_key(|span| span.start);
        let mut generated: Vec<Range<usize>> = Vec::new();
        for span in all {
            match generated.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => generated.push(span),
            }
        }
        drop(blocks);
        Rendered { text, generated, is_misplaced }
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The bytes at which characters begin; those after the end are left out.
fn bytes_of(text: &str, mut chars: Vec<usize>) -> BTreeMap<usize, usize> {
    chars.sort_unstable();
    chars.dedup();
    if text.is_ascii() {
        return chars.into_iter().filter(|at| *at < text.len()).map(|at| (at, at)).collect();
    }
    let mut wanted = chars.into_iter().peekable();
    let mut out = BTreeMap::new();
    for (number, (byte, _)) in text.char_indices().enumerate() {
        if wanted.next_if_eq(&number).is_some() {
            out.insert(number, byte);
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    out
}

/// The output, which takes a limited number of bytes.
pub(super) struct Output {
    bytes: Vec<u8>,
    progress: Arc<Progress>,
}

impl Output {
    pub(super) fn new(progress: &Arc<Progress>) -> Self {
        Self { bytes: Vec::new(), progress: Arc::clone(progress) }
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= OUTPUT_BYTES_MAX
    }

    pub(super) fn into_text(self) -> String {
        String::from_utf8(self.bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(OUTPUT_BYTES_MAX - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        let chars = bytes[..taken].iter().filter(|byte| !(0x80..0xC0).contains(*byte)).count();
        self.progress.chars.fetch_add(chars, Ordering::Relaxed);
        if taken < bytes.len() { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(taken) }
    }

    // Also text of no length counts as written: the library keeps a list of what it was given.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.progress.is_begun.store(true, Ordering::Relaxed);
        self.write(bytes).map(|_| ())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
