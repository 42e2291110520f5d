//! A JSON text on one line, as it streams past: what a container holds becomes a line of JSON Lines.

/// Takes line breaks out of a JSON text, and writes the numbers that only some writers know (`NaN`, `Infinity`,
/// `-Infinity`) as strings. It does not check the text: what is not JSON before is not JSON after, but on one line.
#[derive(Debug, Default)]
pub struct OneLine {
    is_in_string: bool,
    is_escaped: bool,
    /// A minus that may begin `-Infinity`.
    has_minus: bool,
    /// The word that is being read outside strings.
    word: Vec<u8>,
}

/// Numbers that JSON does not know.
const NO_NUMBERS: &[&[u8]] = &[b"NaN", b"Infinity"];

/// The longest word that is looked at.
const WORD_BYTES_MAX: usize = 8;

impl OneLine {
    /// Appends what a piece becomes.
    pub fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let mut rest = piece;
        while let Some((&byte, after)) = rest.split_first() {
            if self.is_in_string && !self.is_escaped {
                // Most text is in strings and passes as it is.
                let end = rest.iter().position(|b| matches!(b, b'"' | b'\\' | b'\n' | b'\r')).unwrap_or(rest.len());
                out.extend_from_slice(&rest[..end]);
                rest = &rest[end..];
                let Some((&byte, after)) = rest.split_first() else { return };
                self.in_string(byte, out);
                rest = after;
                continue;
            }
            if self.is_in_string {
                self.in_string(byte, out);
            } else {
                self.outside(byte, out);
            }
            rest = after;
        }
    }

    /// Appends what was waited with, at the end of the text.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.end_word(out);
    }

    fn in_string(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'\n' => out.extend_from_slice(if self.is_escaped { b"n" } else { b"\\n" }),
            b'\r' => out.extend_from_slice(if self.is_escaped { b"r" } else { b"\\r" }),
            _ => out.push(byte),
        }
        self.is_in_string = self.is_escaped || byte != b'"';
        self.is_escaped = !self.is_escaped && byte == b'\\';
    }

    fn outside(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte.is_ascii_alphabetic() && self.word.len() < WORD_BYTES_MAX {
            self.word.push(byte);
            return;
        }
        self.end_word(out);
        match byte {
            b'\n' | b'\r' => out.push(b' '),
            b'-' => self.has_minus = true,
            _ => {
                self.is_in_string = byte == b'"';
                out.push(byte);
            }
        }
    }

    fn end_word(&mut self, out: &mut Vec<u8>) {
        let is_quoted = NO_NUMBERS.contains(&self.word.as_slice());
        if is_quoted {
            out.push(b'"');
        }
        if self.has_minus {
            out.push(b'-');
        }
        out.append(&mut self.word);
        if is_quoted {
            out.push(b'"');
        }
        self.has_minus = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, piece: usize) -> String {
        let (mut one, mut out) = (OneLine::default(), Vec::new());
        text.as_bytes().chunks(piece).for_each(|piece| one.feed(piece, &mut out));
        one.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_text_in_any_pieces_becomes_one_line() {
        for (text, expect) in [
            ("{\n  \"a\": [1,\r\n 2]}", "{   \"a\": [1,   2]}"),
            (r#"{"a":NaN,"b":[-Infinity,Infinity],"c":-1e5}"#, r#"{"a":"NaN","b":["-Infinity","Infinity"],"c":-1e5}"#),
            (r#"{"NaN":"a \"NaN\" \\","d":true}"#, r#"{"NaN":"a \"NaN\" \\","d":true}"#),
            ("[\"a\nb\\\nc\"]", "[\"a\\nb\\nc\"]"),
            ("[NaN", "[\"NaN\""),
            ("NaN", "\"NaN\""),
            ("[abcdefghijNaN]", "[abcdefghijNaN]"),
            ("-", "-"),
        ] {
            for piece in [1, 2, 3, 100] {
                assert_eq!(line(text, piece), expect);
            }
        }
    }
}
