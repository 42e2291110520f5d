//! `FORMATS.md` 1 and 15: the whole text of a file that a result gives as the base of its edit.

use super::Work;
use super::details::{Base, base_of};
use super::file::Last;
use super::file_excerpt::FileExcerpt;
use super::files::Answer;
use super::text::{How, lines};
use super::view::Viewer;
use crate::json::Value;
use std::borrow::Cow;

impl Work {
    /// What the log says that a file held before an edit. Of Claude Code, Gemini CLI and Qwen Code it is the truth:
    /// where it is unlike what the run knew, the file was changed from outside. Its lines count as quoted, since the
    /// agent did not see them.
    pub(super) fn take_base(&mut self, answer: &Answer<'_>, index: usize, details: &Value<'_>) {
        match base_of(details, self.dialect) {
            Some(Base::Truth(text)) => self.set_base(answer, index, text),
            Some(Base::End(text)) => {
                let file = &mut self.files.list[index];
                if file.is_whole {
                    file.end_with(text);
                }
            }
            None => {}
        }
    }

    fn set_base(&mut self, answer: &Answer<'_>, index: usize, text: &str) {
        let lines: Vec<_> = (1..).zip(lines(text)).map(|(number, line)| (number, Cow::Borrowed(line))).collect();
        let shown = FileExcerpt { lines, is_whole: true, ..FileExcerpt::default() };
        let file = &mut self.files.list[index];
        let (seen, last) = (file.seen, file.last);
        let (texts, fuel, step) = (&mut self.texts, &mut self.fuel, answer.step);
        let how = How::Context;
        let found = Viewer { texts, fuel, step, call: answer.open.step, how, is_reply: false }.show(file, &shown);
        for ((_, text), known) in shown.lines.iter().zip(&mut file.lines) {
            // A view may have shown a line with other white space than it has.
            let origin = self.texts.origin(known.id).filter(|_| self.texts.text(known.id) != text);
            if let Some(origin) = origin {
                let new = self.texts.add(std::iter::once((text.as_ref(), origin)));
                known.id = new.first().copied().unwrap_or(known.id);
            }
        }
        file.seen = seen;
        file.end_with(text);
        self.contradicted(answer.step, index, &found);
        let file = &mut self.files.list[index];
        if let Some(Last { since: Some(since), by: Some(by), .. }) = file.last.filter(|_| found.since.is_some()) {
            self.notes.base_differs(step, &file.path, since, by);
        }
        (file.last, file.doubt) = (last, None);
    }
}
