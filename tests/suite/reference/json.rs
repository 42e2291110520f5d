//! A small JSON reader that keeps the text of numbers, the order of keys, and which keys stood twice (A1, A6).

use std::iter::Peekable;
use std::str::Chars;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum J {
    Null,
    Bool(bool),
    /// Its source text.
    Num(String),
    Str(String),
    Arr(Vec<J>),
    Obj(Object),
}

/// Members in the order of first appearance, the last value of each, and the keys that stood more than once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object {
    pub(crate) members: Vec<(String, J)>,
    pub(crate) twice: Vec<String>,
}

impl Object {
    pub(crate) fn get(&self, key: &str) -> Option<&J> {
        self.members.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Puts a value at the place of its key, or at the end.
    pub(crate) fn put(&mut self, key: &str, value: J) {
        match self.members.iter_mut().find(|(k, _)| k == key) {
            Some(member) => member.1 = value,
            None => self.members.push((key.to_owned(), value)),
        }
    }
}

impl J {
    pub(crate) fn get(&self, key: &str) -> Option<&J> {
        self.obj().and_then(|o| o.get(key))
    }

    /// The member, where it is there and not null.
    pub(crate) fn some(&self, key: &str) -> Option<&J> {
        self.get(key).filter(|v| **v != J::Null)
    }

    pub(crate) fn obj(&self) -> Option<&Object> {
        if let J::Obj(o) = self { Some(o) } else { None }
    }

    pub(crate) fn arr(&self) -> Option<&Vec<J>> {
        if let J::Arr(a) = self { Some(a) } else { None }
    }

    pub(crate) fn str(&self) -> Option<&str> {
        if let J::Str(s) = self { Some(s) } else { None }
    }

    pub(crate) fn string(text: &str) -> J {
        J::Str(text.to_owned())
    }

    pub(crate) fn num(n: impl ToString) -> J {
        J::Num(n.to_string())
    }

    /// An object of these members.
    pub(crate) fn object(members: Vec<(&str, J)>) -> J {
        let members = members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        J::Obj(Object { members, twice: Vec::new() })
    }

    /// Equal as JSON: members in any order, numbers by source text (A4).
    pub(crate) fn same(&self, other: &J) -> bool {
        match (self, other) {
            (J::Arr(a), J::Arr(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (J::Obj(a), J::Obj(b)) => {
                a.members.len() == b.members.len() && a.members.iter().all(|(k, v)| b.get(k).is_some_and(|w| v.same(w)))
            }
            _ => self == other,
        }
    }

    /// Without the notes on keys that stood twice.
    pub(crate) fn plain(&self) -> J {
        match self {
            J::Arr(a) => J::Arr(a.iter().map(J::plain).collect()),
            J::Obj(o) => {
                let members = o.members.iter().map(|(k, v)| (k.clone(), v.plain())).collect();
                J::Obj(Object { members, twice: Vec::new() })
            }
            other => other.clone(),
        }
    }

    pub(crate) fn compact(&self) -> String {
        match self {
            J::Null => "null".to_owned(),
            J::Bool(b) => b.to_string(),
            J::Num(n) => n.clone(),
            J::Str(s) => quote(s),
            J::Arr(a) => format!("[{}]", a.iter().map(J::compact).collect::<Vec<_>>().join(",")),
            J::Obj(o) => {
                let members: Vec<String> =
                    o.members.iter().map(|(k, v)| format!("{}:{}", quote(k), v.compact())).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

/// A string as JSON: only what must be escaped is (A24).
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Reads one JSON text; None: it is none.
pub(crate) fn parse(text: &str) -> Option<J> {
    let mut reader = Reader { rest: text.chars().peekable() };
    let value = reader.value()?;
    reader.space();
    reader.rest.next().is_none().then_some(value)
}

/// The records of a file (A1): None for one that is not JSON.
pub(crate) fn records(bytes: &[u8]) -> Vec<Option<J>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if bytes.iter().all(|b| b" \t\r\n".contains(b)) {
        return Vec::new();
    }
    let read = |part: &[u8]| std::str::from_utf8(part).ok().and_then(parse);
    if let Some(whole) = read(bytes) {
        return vec![Some(whole)];
    }
    let is_blank = |line: &&[u8]| !line.iter().all(|b| b" \t\r".contains(b));
    let lines: Vec<Option<J>> = bytes.split(|b| *b == b'\n').filter(is_blank).map(read).collect();
    if lines.iter().flatten().any(|v| matches!(v, J::Obj(_) | J::Arr(_))) { lines } else { vec![None] }
}

/// A run of values with white space between them, None for one that cannot be read: then it goes on at the next line
/// that begins with `{` or `[` (D1).
pub(crate) fn values(text: &str) -> Vec<Option<J>> {
    let mut reader = Reader { rest: text.chars().peekable() };
    let mut out = Vec::new();
    loop {
        reader.space();
        if reader.rest.peek().is_none() {
            return out;
        }
        let start = reader.rest.clone();
        let value = reader.value();
        if value.is_none() {
            reader.rest = start;
            while let Some(c) = reader.rest.next() {
                if c == '\n' && matches!(reader.rest.peek(), Some('{' | '[')) {
                    break;
                }
            }
        }
        out.push(value);
    }
}

/// The elements of an array before a fault, and the fault; None: it is not an array, or has none (D1).
pub(crate) fn cut_array(text: &str) -> Option<Vec<Option<J>>> {
    let mut reader = Reader { rest: text.chars().peekable() };
    reader.take('[')?;
    let mut all = Vec::new();
    while let Some(value) = reader.value() {
        all.push(Some(value));
        if reader.take(']').is_some() {
            return None;
        }
        if reader.take(',').is_none() {
            break;
        }
    }
    all.push(None);
    Some(all)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.rest.next_if(|c| " \t\r\n".contains(*c)).is_some() {}
    }

    fn take(&mut self, c: char) -> Option<()> {
        self.space();
        self.rest.next_if_eq(&c).map(|_| ())
    }

    fn word(&mut self, word: &str, value: J) -> Option<J> {
        word.chars().all(|c| self.rest.next_if_eq(&c).is_some()).then_some(value)
    }

    fn value(&mut self) -> Option<J> {
        self.space();
        match self.rest.peek()? {
            'n' => self.word("null", J::Null),
            't' => self.word("true", J::Bool(true)),
            'f' => self.word("false", J::Bool(false)),
            '"' => self.string().map(J::Str),
            '[' => self.array(),
            '{' => self.object(),
            _ => self.number(),
        }
    }

    fn array(&mut self) -> Option<J> {
        self.take('[')?;
        let mut all = Vec::new();
        if self.take(']').is_some() {
            return Some(J::Arr(all));
        }
        loop {
            all.push(self.value()?);
            if self.take(']').is_some() {
                return Some(J::Arr(all));
            }
            self.take(',')?;
        }
    }

    fn object(&mut self) -> Option<J> {
        self.take('{')?;
        let mut object = Object::default();
        if self.take('}').is_some() {
            return Some(J::Obj(object));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.take(':')?;
            let value = self.value()?;
            if object.get(&key).is_some() && !object.twice.contains(&key) {
                object.twice.push(key.clone());
            }
            object.put(&key, value);
            if self.take('}').is_some() {
                return Some(J::Obj(object));
            }
            self.take(',')?;
        }
    }

    fn digits(&mut self, out: &mut String) -> usize {
        let from = out.len();
        while let Some(c) = self.rest.next_if(char::is_ascii_digit) {
            out.push(c);
        }
        out.len() - from
    }

    fn number(&mut self) -> Option<J> {
        let mut out = String::new();
        out.extend(self.rest.next_if_eq(&'-'));
        let from = out.len();
        let count = self.digits(&mut out);
        if count == 0 || (count > 1 && out[from..].starts_with('0')) {
            return None;
        }
        if let Some(c) = self.rest.next_if_eq(&'.') {
            out.push(c);
            (self.digits(&mut out) > 0).then_some(())?;
        }
        if let Some(c) = self.rest.next_if(|c| "eE".contains(*c)) {
            out.push(c);
            out.extend(self.rest.next_if(|c| "+-".contains(*c)));
            (self.digits(&mut out) > 0).then_some(())?;
        }
        Some(J::Num(out))
    }

    fn hex(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            code = code * 16 + self.rest.next()?.to_digit(16)?;
        }
        Some(code)
    }

    fn string(&mut self) -> Option<String> {
        self.rest.next_if_eq(&'"')?;
        let mut out = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(out),
                '\\' => out.push(self.escape()?),
                c if c < ' ' => return None,
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let first = self.hex()?;
                if (0xd800..0xdc00).contains(&first) {
                    self.word("\\u", J::Null)?;
                    let second = self.hex()?;
                    (0xdc00..0xe000).contains(&second).then_some(())?;
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?
                } else {
                    char::from_u32(first)?
                }
            }
            c if "\"\\/".contains(c) => c,
            _ => return None,
        })
    }
}
