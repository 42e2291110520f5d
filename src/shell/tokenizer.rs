//! A model's tokenizer, read from its `tokenizer.json`.

use crate::model::Problem;
use crate::review::Tokenizer;
use std::path::Path;
use std::sync::Arc;

/// Reads a tokenizer; of a folder its `tokenizer.json`.
///
/// # Errors
/// There is no such file, or it is not a tokenizer, or this build has none.
#[cfg(feature = "tokenizer")]
pub fn tokenizer(path: &Path) -> Result<Arc<dyn Tokenizer>, Problem> {
    use_file::read(path)
}

/// The same in a build without tokenizers.
#[cfg(not(feature = "tokenizer"))]
pub fn tokenizer(path: &Path) -> Result<Arc<dyn Tokenizer>, Problem> {
    let message = format!("{}: this build has no feature `tokenizer`", path.display());
    Err(Problem::usage(message).hint("without --tokenizer tokens are estimated: a quarter of the bytes"))
}

#[cfg(feature = "tokenizer")]
mod use_file {
    use super::{Arc, Path, Problem, Tokenizer};
    use crate::source::read_small;

    /// Longest file that is read, in bytes: the largest vocabularies of today are below 40 MB.
    const FILE_BYTES_MAX: u64 = 256 << 20;
    /// Longest text that is split at once: what is remembered of each token takes some hundred bytes. Longer texts are
    /// split line by line, so that a token across such a line end counts as two.
    const TEXT_BYTES_MAX: usize = 4 << 20;

    #[derive(Debug)]
    struct FileTokenizer {
        name: String,
        inner: Box<tokenizers::Tokenizer>,
    }

    pub(super) fn read(path: &Path) -> Result<Arc<dyn Tokenizer>, Problem> {
        let file = if path.is_dir() { path.join("tokenizer.json") } else { path.to_owned() };
        let hint = "it is the `tokenizer.json` beside a model's weights";
        let bytes = read_small(&file, FILE_BYTES_MAX)
            .map_err(|error| Problem::usage(format!("{}: {error}", file.display())).hint(hint))?;
        let wrong = |error: tokenizers::Error| {
            Problem::usage(format!("{} is not a tokenizer: {error}", file.display())).hint(hint)
        };
        let mut inner = tokenizers::Tokenizer::from_bytes(bytes).map_err(wrong)?;
        // What a checkpoint was saved with cuts and pads texts, and a trainer switches both off.
        inner.with_truncation(None).map_err(wrong)?.with_padding(None);
        Ok(Arc::new(FileTokenizer { name: path.display().to_string(), inner: Box::new(inner) }))
    }

    impl Tokenizer for FileTokenizer {
        fn name(&self) -> &str {
            &self.name
        }

        fn starts(&self, text: &str) -> Result<Vec<usize>, String> {
            let mut starts = Vec::new();
            for (from, piece) in pieces(text, TEXT_BYTES_MAX) {
                // No token of the beginning or the end is added: a template writes those.
                let encoding = self.inner.encode(piece, false).map_err(|error| error.to_string())?;
                let mut last = from;
                starts.extend(encoding.get_offsets().iter().map(|(start, _)| {
                    last = last.max(from + start);
                    last
                }));
            }
            Ok(starts)
        }
    }

    /// A text in pieces with their places: each ends with a line where it can.
    fn pieces(text: &str, bytes_max: usize) -> Vec<(usize, &str)> {
        let (mut out, mut from) = (Vec::new(), 0);
        while text.len() - from > bytes_max {
            let end = (from..=from + bytes_max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            let line = text[from..end].rfind('\n').map_or(end, |at| from + at + 1);
            out.push((from, &text[from..line]));
            from = line;
        }
        out.push((from, &text[from..]));
        out
    }

    #[cfg(test)]
    mod tests {
        use super::pieces;

        #[test]
        fn pieces_end_with_lines_where_they_can() {
            assert_eq!(pieces("ab\ncdefgh", 4), [(0, "ab\n"), (3, "cdef"), (7, "gh")]);
            assert_eq!(pieces("äöü", 3), [(0, "ä"), (2, "ö"), (4, "ü")]);
            assert_eq!(pieces("", 3), [(0, "")]);
        }
    }
}
