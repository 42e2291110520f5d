//! The stack machine of pickles, for data.

use super::{HashMap, Node, Pickle, PickleId};
use crate::json::quote;

/// The most values of a pickle: memo entries and copies of one another cost a byte or two each.
const NODES_MAX: usize = 50_000_000;

/// Reads the operations of a pickle.
pub(super) struct Machine<'p> {
    rest: &'p [u8],
    nodes: Vec<Node>,
    stack: Vec<PickleId>,
    /// Where the open marks are in the stack.
    marks: Vec<usize>,
    memo: HashMap<u64, PickleId>,
}

impl<'p> Machine<'p> {
    pub(super) fn new(bytes: &'p [u8]) -> Self {
        Self { rest: bytes, nodes: Vec::new(), stack: Vec::new(), marks: Vec::new(), memo: HashMap::new() }
    }

    /// Reads up to the end of the program.
    pub(super) fn run(mut self) -> Result<Pickle, String> {
        loop {
            if self.nodes.len() > NODES_MAX {
                return Err(format!("it has more than {NODES_MAX} values"));
            }
            let op = self.byte()?;
            if op == b'.' {
                let root = self.pop()?;
                return Ok(Pickle::new(self.nodes, root));
            }
            if !(self.scalar(op)? || self.container(op)? || self.call(op)?) {
                return Err(format!("it uses an operation that is not read ({:?})", char::from(op)));
            }
        }
    }

    fn take(&mut self, len: usize) -> Result<&'p [u8], String> {
        let (part, rest) = self.rest.split_at_checked(len).ok_or("it is cut off")?;
        self.rest = rest;
        Ok(part)
    }

    /// A number of `len` bytes, the lowest first.
    fn number(&mut self, len: usize) -> Result<u64, String> {
        Ok(self.take(len)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// The next bytes, as many as the type has.
    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| "it is cut off".to_owned())
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.array_of().map(|[byte]| byte)
    }

    fn sized(&mut self, len: usize) -> Result<&'p [u8], String> {
        let len = usize::try_from(self.number(len)?).map_err(|e| e.to_string())?;
        self.take(len)
    }

    fn line(&mut self) -> Result<&'p str, String> {
        let end = memchr::memchr(b'\n', self.rest).ok_or("it is cut off")?;
        let line = self.take(end + 1)?;
        std::str::from_utf8(&line[..end]).map_err(|e| e.to_string())
    }

    fn push(&mut self, node: Node) {
        self.nodes.push(node);
        self.stack.push(PickleId(self.nodes.len() - 1));
    }

    fn pop(&mut self) -> Result<PickleId, String> {
        let is_above = self.marks.last().is_none_or(|mark| self.stack.len() > *mark);
        self.stack.pop().filter(|_| is_above).ok_or_else(|| "its stack is empty".to_owned())
    }

    fn top(&self) -> Result<PickleId, String> {
        self.stack.last().copied().ok_or_else(|| "its stack is empty".to_owned())
    }

    /// What is above the last mark.
    fn above_mark(&mut self) -> Result<Vec<PickleId>, String> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len()).ok_or("it has no mark")?;
        Ok(self.stack.split_off(mark))
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<PickleId>, String> {
        let mut items = (0..count).map(|_| self.pop()).collect::<Result<Vec<_>, _>>()?;
        items.reverse();
        Ok(items)
    }

    /// Operations that push a scalar; false: it is not one.
    fn scalar(&mut self, op: u8) -> Result<bool, String> {
        let scalar = |text: &str| Node::Scalar(text.to_owned());
        let node = match op {
            b'N' => scalar("null"),
            0x88 => scalar("true"),
            0x89 => scalar("false"),
            b'I' => match self.line()? {
                "00" => scalar("false"),
                "01" => scalar("true"),
                text => integer(text)?,
            },
            b'L' => integer(self.line()?.trim_end_matches('L'))?,
            b'F' => float(self.line()?.parse().map_err(|_| "a number is invalid")?),
            b'G' => float(f64::from_be_bytes(self.array_of()?)),
            b'J' => scalar(&i32::from_le_bytes(self.array_of()?).to_string()),
            b'K' => scalar(&self.number(1)?.to_string()),
            b'M' => scalar(&self.number(2)?.to_string()),
            0x8a => long(self.sized(1)?),
            0x8b => long(self.sized(4)?),
            b'V' => Node::Text(self.line()?.to_owned()),
            b'S' => Node::Text(self.line()?.trim_matches(['\'', '"']).to_owned()),
            b'X' => text(self.sized(4)?),
            0x8c => text(self.sized(1)?),
            0x8d => text(self.sized(8)?),
            b'U' => text(self.sized(1)?),
            b'T' => text(self.sized(4)?),
            b'C' => Node::Bytes(self.sized(1)?.to_vec()),
            b'B' => Node::Bytes(self.sized(4)?.to_vec()),
            0x8e | 0x96 => Node::Bytes(self.sized(8)?.to_vec()),
            _ => return Ok(false),
        };
        self.push(node);
        Ok(true)
    }

    /// Operations on containers, marks and the memo.
    fn container(&mut self, op: u8) -> Result<bool, String> {
        match op {
            b'(' => self.marks.push(self.stack.len()),
            b']' | b')' | 0x8f => self.push(Node::List(Vec::new())),
            b'}' => self.push(Node::Dict(Vec::new())),
            b'l' | b't' | 0x91 => {
                let items = self.above_mark()?;
                self.push(Node::List(items));
            }
            0x85..=0x87 => {
                let items = self.pop_many(usize::from(op - 0x84))?;
                self.push(Node::List(items));
            }
            b'd' => {
                let items = self.above_mark()?;
                self.push(Node::Dict(pairs(&items)));
            }
            b'a' => {
                let item = self.pop()?;
                self.extend(&[item])?;
            }
            b'e' | 0x90 => {
                let items = self.above_mark()?;
                self.extend(&items)?;
            }
            b's' => {
                let items = self.pop_many(2)?;
                self.update(&items)?;
            }
            b'u' => {
                let items = self.above_mark()?;
                self.update(&items)?;
            }
            b'0' => drop(self.pop()?),
            b'1' => drop(self.above_mark()?),
            b'2' => self.stack.push(self.top()?),
            _ => return self.memory(op),
        }
        Ok(true)
    }

    fn memory(&mut self, op: u8) -> Result<bool, String> {
        let place = match op {
            b'p' | b'g' => self.line()?.parse().map_err(|_| "a number is invalid")?,
            b'q' | b'h' => self.number(1)?,
            b'r' | b'j' => self.number(4)?,
            0x94 => self.memo.len() as u64,
            // The version of the protocol, and the length of a frame.
            0x80 => return self.number(1).map(|_| true),
            0x95 => return self.number(8).map(|_| true),
            _ => return Ok(false),
        };
        if matches!(op, b'g' | b'h' | b'j') {
            let known = self.memo.get(&place).ok_or("it recalls what was never kept")?;
            self.stack.push(*known);
        } else {
            self.memo.insert(place, self.top()?);
        }
        Ok(true)
    }

    /// Operations that name, call or build.
    fn call(&mut self, op: u8) -> Result<bool, String> {
        match op {
            b'c' => {
                let name = format!("{}.{}", self.line()?, self.line()?);
                self.push(Node::Global(name));
            }
            0x93 => {
                let names = self.pop_many(2)?;
                let name: Vec<&str> = names.iter().filter_map(|id| self.text(*id)).collect();
                let name = name.join(".");
                self.push(Node::Global(name));
            }
            b'R' | 0x81 => {
                let args = self.pop()?;
                let class = self.pop()?;
                self.make(class, args);
            }
            0x92 => {
                let kwargs = self.pop()?;
                let args = self.pop()?;
                let class = self.pop()?;
                self.push(Node::List(vec![args, kwargs]));
                let both = self.pop()?;
                self.make(class, both);
            }
            b'i' => {
                let name = format!("{}.{}", self.line()?, self.line()?);
                let args = self.above_mark()?;
                self.push(Node::Global(name));
                let class = self.pop()?;
                self.object(class, args)?;
            }
            b'o' => {
                let mut args = self.above_mark()?;
                if args.is_empty() {
                    return Err("it makes an object of no class".to_owned());
                }
                let class = args.remove(0);
                self.object(class, args)?;
            }
            b'b' => {
                let state = self.pop()?;
                self.build(state)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn object(&mut self, class: PickleId, args: Vec<PickleId>) -> Result<(), String> {
        self.push(Node::List(args));
        let args = self.pop()?;
        self.make(class, args);
        Ok(())
    }

    fn text(&self, id: PickleId) -> Option<&str> {
        match self.nodes.get(id.0) {
            Some(Node::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// What a call would give: for a few names plain data, for others a node that says what would be called.
    fn make(&mut self, class: PickleId, args: PickleId) {
        let class = match self.nodes.get(class.0) {
            Some(Node::Global(name)) => name.clone(),
            _ => "?".to_owned(),
        };
        let first = match self.nodes.get(args.0) {
            Some(Node::List(items)) => items.first().copied(),
            _ => None,
        };
        let node = match class.as_str() {
            "builtins.dict" | "__builtin__.dict" | "collections.OrderedDict" | "collections.defaultdict" => {
                Node::Dict(Vec::new())
            }
            "builtins.bytes" | "__builtin__.bytes" if first.is_none() => Node::Bytes(Vec::new()),
            "builtins.set" | "__builtin__.set" | "builtins.frozenset" | "__builtin__.frozenset" => {
                match first.and_then(|id| self.nodes.get(id.0)) {
                    Some(Node::List(items)) => Node::List(items.clone()),
                    _ => Node::List(Vec::new()),
                }
            }
            "_codecs.encode" => match first.and_then(|id| self.text(id)).and_then(latin1) {
                Some(bytes) => Node::Bytes(bytes),
                None => Node::Object { class, args, state: None },
            },
            _ => Node::Object { class, args, state: None },
        };
        self.push(node);
    }

    /// Puts elements at the end of the list at the top; an object that is not a list keeps them as its state.
    fn extend(&mut self, new: &[PickleId]) -> Result<(), String> {
        let top = self.top()?;
        match self.nodes.get_mut(top.0) {
            Some(Node::List(items)) => items.extend_from_slice(new),
            Some(Node::Object { .. }) => {
                self.push(Node::List(new.to_vec()));
                let state = self.pop()?;
                self.build(state)?;
            }
            _ => return Err("it appends to what is not a list".to_owned()),
        }
        Ok(())
    }

    fn update(&mut self, items: &[PickleId]) -> Result<(), String> {
        let top = self.top()?;
        match self.nodes.get_mut(top.0) {
            Some(Node::Dict(entries)) => entries.extend(pairs(items)),
            Some(Node::Object { .. }) => {
                self.push(Node::Dict(pairs(items)));
                let state = self.pop()?;
                self.build(state)?;
            }
            _ => return Err("it puts keys into what is no dictionary".to_owned()),
        }
        Ok(())
    }

    /// Gives the object at the top its state.
    fn build(&mut self, new: PickleId) -> Result<(), String> {
        let top = self.top()?;
        if let Some(Node::Object { state, .. }) = self.nodes.get_mut(top.0) {
            *state = Some(new);
        }
        Ok(())
    }
}

fn pairs(items: &[PickleId]) -> Vec<(PickleId, PickleId)> {
    items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

fn text(bytes: &[u8]) -> Node {
    Node::Text(String::from_utf8_lossy(bytes).into_owned())
}

/// The bytes that a text of them stands for.
fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

fn float(number: f64) -> Node {
    let text = if number.is_finite() { serde_json::to_string(&number).ok() } else { None };
    Node::Scalar(text.unwrap_or_else(|| quote(&number.to_string())))
}

fn integer(text: &str) -> Result<Node, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let plain = digits.trim_start_matches('0');
    let sign = if text.starts_with('-') && !plain.is_empty() { "-" } else { "" };
    let number = format!("{sign}{}", if plain.is_empty() { "0" } else { plain });
    is_number.then_some(Node::Scalar(number)).ok_or_else(|| "a number is invalid".to_owned())
}

/// A whole number of any length, the lowest byte first, with its sign; one of more than 16 bytes is hexadecimal text.
fn long(bytes: &[u8]) -> Node {
    let positive: Option<[u8; 16]> = bytes.strip_suffix(&[0]).and_then(|bytes| bytes.try_into().ok());
    if let Some(positive) = positive {
        return Node::Scalar(u128::from_le_bytes(positive).to_string());
    }
    if bytes.len() > 16 {
        let hex: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        return Node::Scalar(quote(&format!("0x{hex}")));
    }
    let is_negative = bytes.last().is_some_and(|byte| *byte >= 0x80);
    let number = bytes.iter().rev().fold(if is_negative { -1 } else { 0 }, |n: i128, &byte| n << 8 | i128::from(byte));
    Node::Scalar(number.to_string())
}
