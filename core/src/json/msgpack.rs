//! MessagePack as JSON text, with what Python programs put into its extensions.
//!
//! LangGraph packs objects as extensions 0 to 7, whose payload is MessagePack again: module, class and arguments. They
//! become objects that name the class (`$class`); nothing is imported or made. Bytes become base64 (`$bytes`), numbers
//! that JSON does not have strings.

use super::parse::DEPTH_MAX;
use super::print::quote;
use std::fmt::Write as _;

/// The extensions of a Python object.
const CONSTRUCTOR_SINGLE: u8 = 0;
const CONSTRUCTOR_ARGS: u8 = 1;
const CONSTRUCTOR_KWARGS: u8 = 2;
const METHOD_SINGLE: u8 = 3;
const PYDANTIC_V1: u8 = 4;
const PYDANTIC_V2: u8 = 5;
const DELTA_SNAPSHOT: u8 = 7;

/// The JSON text of a packed value.
///
/// # Errors
/// It is cut off, damaged, nested too deep, or other bytes follow it: a few words.
pub fn msgpack_to_json(packed: &[u8]) -> Result<String, String> {
    let mut reader = Reader { rest: packed, out: String::with_capacity(packed.len() * 2), depth: 0 };
    reader.value()?;
    if !reader.rest.is_empty() {
        return Err(format!("{} bytes follow the value", reader.rest.len()));
    }
    Ok(reader.out)
}

struct Reader<'p> {
    rest: &'p [u8],
    out: String,
    depth: usize,
}

impl<'p> Reader<'p> {
    fn take(&mut self, len: usize) -> Result<&'p [u8], String> {
        let (part, rest) = self.rest.split_at_checked(len).ok_or("it is cut off")?;
        self.rest = rest;
        Ok(part)
    }

    /// The next bytes, as many as the type has.
    fn array_of<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| "it is cut off".to_owned())
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.array_of().map(|[byte]| byte)
    }

    /// An unsigned number of `len` bytes, the highest first.
    fn number(&mut self, len: usize) -> Result<u64, String> {
        Ok(self.take(len)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn len(&mut self, bytes: usize) -> Result<usize, String> {
        usize::try_from(self.number(bytes)?).map_err(|e| e.to_string())
    }

    fn value(&mut self) -> Result<(), String> {
        let tag = self.byte()?;
        match tag {
            0x00..=0x7f => self.put(tag),
            0xe0..=0xff => self.put(tag.cast_signed()),
            0x80..=0x8f => return self.map(usize::from(tag & 0x0f)),
            0x90..=0x9f => return self.array(usize::from(tag & 0x0f)),
            0xa0..=0xbf => return self.string(usize::from(tag & 0x1f)),
            0xc0 => self.out.push_str("null"),
            0xc2 => self.out.push_str("false"),
            0xc3 => self.out.push_str("true"),
            0xcc..=0xcf => {
                let number = self.number(1 << (tag - 0xcc))?;
                self.put(number);
            }
            0xd0 => {
                let number = self.byte()?.cast_signed();
                self.put(number);
            }
            0xd1 => {
                let number = i16::from_be_bytes(self.array_of()?);
                self.put(number);
            }
            0xd2 => {
                let number = i32::from_be_bytes(self.array_of()?);
                self.put(number);
            }
            0xd3 => {
                let number = i64::from_be_bytes(self.array_of()?);
                self.put(number);
            }
            _ => return self.long(tag),
        }
        Ok(())
    }

    /// Values whose tag is followed by a length, and floats.
    fn long(&mut self, tag: u8) -> Result<(), String> {
        let length_len = |first: u8| 1_usize << (tag - first);
        match tag {
            0xca => {
                let float = f32::from_be_bytes(self.array_of()?);
                self.float(f64::from(float), &float.to_string());
            }
            0xcb => {
                let float = f64::from_be_bytes(self.array_of()?);
                let text = serde_json::to_string(&float).unwrap_or_default();
                self.float(float, &text);
            }
            0xc4..=0xc6 => {
                let len = self.len(length_len(0xc4))?;
                let bytes = self.take(len)?;
                put_bytes(&mut self.out, bytes);
            }
            0xc7..=0xc9 => {
                let len = self.len(length_len(0xc7))?;
                return self.extension(len);
            }
            0xd4..=0xd8 => return self.extension(length_len(0xd4)),
            0xd9..=0xdb => {
                let len = self.len(length_len(0xd9))?;
                return self.string(len);
            }
            0xdc | 0xdd => {
                let len = self.len(2 * length_len(0xdc))?;
                return self.array(len);
            }
            0xde | 0xdf => {
                let len = self.len(2 * length_len(0xde))?;
                return self.map(len);
            }
            _ => return Err(format!("no value begins with byte {tag}")),
        }
        Ok(())
    }

    fn put(&mut self, number: impl std::fmt::Display) {
        // A string takes everything.
        let _ = write!(self.out, "{number}");
    }

    fn float(&mut self, float: f64, text: &str) {
        if float.is_finite() {
            self.out.push_str(text);
        } else {
            self.out.push_str(&quote(&float.to_string()));
        }
    }

    fn string(&mut self, len: usize) -> Result<(), String> {
        let bytes = self.take(len)?;
        self.out.push_str(&quote(&String::from_utf8_lossy(bytes)));
        Ok(())
    }

    /// Goes down a level and comes back.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        if self.depth == DEPTH_MAX {
            return Err("it is nested too deep".to_owned());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn array(&mut self, len: usize) -> Result<(), String> {
        self.inside(|reader| {
            reader.out.push('[');
            for i in 0..len {
                if i > 0 {
                    reader.out.push(',');
                }
                reader.value()?;
            }
            reader.out.push(']');
            Ok(())
        })
    }

    fn map(&mut self, len: usize) -> Result<(), String> {
        self.out.push('{');
        self.members(len, true)?;
        self.out.push('}');
        Ok(())
    }

    /// The members of a map, without braces.
    fn members(&mut self, len: usize, is_first: bool) -> Result<(), String> {
        self.inside(|reader| {
            for i in 0..len {
                if i > 0 || !is_first {
                    reader.out.push(',');
                }
                reader.key()?;
                reader.out.push(':');
                reader.value()?;
            }
            Ok(())
        })
    }

    /// A key: what is no string is its JSON text as a string.
    fn key(&mut self) -> Result<(), String> {
        let start = self.out.len();
        self.value()?;
        if !self.out[start..].starts_with('"') {
            let quoted = quote(&self.out[start..]);
            self.out.truncate(start);
            self.out.push_str(&quoted);
        }
        Ok(())
    }

    fn extension(&mut self, len: usize) -> Result<(), String> {
        let code = self.byte()?;
        let payload = self.take(len)?;
        let rest = std::mem::replace(&mut self.rest, payload);
        let start = self.out.len();
        let is_read = self.inside(|reader| match code {
            CONSTRUCTOR_SINGLE..=PYDANTIC_V2 => reader.object(code),
            DELTA_SNAPSHOT => {
                reader.out.push_str("{\"$delta_snapshot\":");
                reader.value()?;
                reader.out.push('}');
                Ok(())
            }
            _ => Err(String::new()),
        });
        if is_read.is_err() {
            // What is not known, or not as it should be, stays as bytes.
            self.out.truncate(start);
            let _ = write!(self.out, "{{\"$extension\":{code},\"value\":");
            put_bytes(&mut self.out, payload);
            self.out.push('}');
        }
        self.rest = rest;
        Ok(())
    }

    /// An object of Python: a list of module, class, arguments and, for some, a method.
    fn object(&mut self, code: u8) -> Result<(), String> {
        let count = match self.byte()? {
            tag @ 0x90..=0x9f => usize::from(tag & 0x0f),
            tag @ (0xdc | 0xdd) => self.len(2 * usize::from(tag - 0xdb))?,
            _ => return Err("it is not a list".to_owned()),
        };
        if count < 3 {
            return Err("it names no object".to_owned());
        }
        let (module, class) = (self.text()?, self.text()?);
        let _ = write!(self.out, "{{\"$class\":{}", quote(&format!("{module}.{class}")));
        match (code, self.rest.first().copied()) {
            (CONSTRUCTOR_KWARGS | PYDANTIC_V1 | PYDANTIC_V2, Some(0x80..=0x8f | 0xde | 0xdf)) => self.fields()?,
            (CONSTRUCTOR_ARGS, _) => {
                self.out.push_str(",\"args\":");
                self.value()?;
            }
            _ => {
                self.out.push_str(",\"value\":");
                self.value()?;
            }
        }
        if count > 3 && code == METHOD_SINGLE {
            self.out.push_str(",\"$method\":");
            self.value()?;
        }
        self.out.push('}');
        Ok(())
    }

    /// The fields of an object, after its class.
    fn fields(&mut self) -> Result<(), String> {
        let len = match self.byte()? {
            0xde => self.len(2)?,
            0xdf => self.len(4)?,
            tag => usize::from(tag & 0x0f),
        };
        self.members(len, false)
    }

    fn text(&mut self) -> Result<String, String> {
        let len = match self.byte()? {
            tag @ 0xa0..=0xbf => usize::from(tag & 0x1f),
            tag @ 0xd9..=0xdb => self.len(1 << (tag - 0xd9))?,
            _ => return Err("it is not text".to_owned()),
        };
        Ok(String::from_utf8_lossy(self.take(len)?).into_owned())
    }
}

/// Bytes as JSON: `{"$bytes": BASE64}`.
#[must_use]
pub fn bytes_text(bytes: &[u8]) -> String {
    let mut out = String::new();
    put_bytes(&mut out, bytes);
    out
}

fn put_bytes(out: &mut String, bytes: &[u8]) {
    out.push_str("{\"$bytes\":\"");
    put_base64(out, bytes);
    out.push_str("\"}");
}

pub(super) fn put_base64(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let at = |i: usize| group.get(i).copied().map_or(0, u32::from);
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i > group.len() { '=' } else { digit.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use proptest::prelude::*;

    fn json(packed: &[u8]) -> Result<String, String> {
        msgpack_to_json(packed)
    }

    /// An extension with a payload of few bytes.
    fn extension(code: u8, payload: &[u8]) -> Vec<u8> {
        [&[0xc7, payload.len() as u8, code], payload].concat()
    }

    #[test]
    fn values_become_json() {
        for (packed, expect) in [
            (&b"\x05"[..], "5"),
            (b"\xff", "-1"),
            (b"\xcd\x01\x00", "256"),
            (b"\xd1\xff\x00", "-256"),
            (b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615"),
            (b"\xcb\x3f\xf0\0\0\0\0\0\0", "1.0"),
            (b"\xcb\x7f\xf8\0\0\0\0\0\0", "\"NaN\""),
            (b"\xca\x3f\xc0\0\0", "1.5"),
            (b"\x93\xc0\xc2\xc3", "[null,false,true]"),
            (b"\x82\xa1a\x90\x07\xd9\x01b", "{\"a\":[],\"7\":\"b\"}"),
            (b"\xc4\x04\x01\x02\x03\xff", "{\"$bytes\":\"AQID/w==\"}"),
            (b"\xdc\x00\x02\x01\x02", "[1,2]"),
            (b"\xde\x00\x01\xa1a\x01", "{\"a\":1}"),
            (b"\xd4\x63\x01", "{\"$extension\":99,\"value\":{\"$bytes\":\"AQ==\"}}"),
        ] {
            assert_eq!(json(packed).as_deref(), Ok(expect));
        }
        for packed in [&b""[..], b"\x92\x01", b"\xa5ab", b"\xc1", b"\x01\x02", b"\xdd\xff\xff\xff\xff"] {
            assert!(json(packed).is_err(), "{packed:?}");
        }
        assert!(json(&[0x91; 100_000]).unwrap_err().contains("deep"));
    }

    #[test]
    fn objects_of_python_name_their_class() {
        let message = extension(5, b"\x94\xa1m\xa1H\x81\xa7content\xa2hi\xa1v");
        assert_eq!(json(&message).unwrap(), "{\"$class\":\"m.H\",\"content\":\"hi\"}");
        let wide = extension(5, b"\xdc\x00\x04\xa1m\xa1H\x81\xa7content\xa2hi\xa1v");
        assert_eq!(json(&wide).unwrap(), "{\"$class\":\"m.H\",\"content\":\"hi\"}");
        let single = extension(0, b"\x93\xa4uuid\xa4UUID\xa2ab");
        assert_eq!(json(&single).unwrap(), "{\"$class\":\"uuid.UUID\",\"value\":\"ab\"}");
        let args = extension(1, b"\x93\xa1m\xa1C\x92\x01\x02");
        assert_eq!(json(&args).unwrap(), "{\"$class\":\"m.C\",\"args\":[1,2]}");
        let inner = extension(7, &extension(3, b"\x94\xa1d\xa1D\xa1x\xa1f"));
        let expect = "{\"$delta_snapshot\":{\"$class\":\"d.D\",\"value\":\"x\",\"$method\":\"f\"}}";
        assert_eq!(json(&inner).unwrap(), expect);
        assert!(json(&extension(5, b"\x94\xa1m")).unwrap().contains("\"$extension\":5"));
    }

    proptest! {
        #[test]
        fn any_bytes_give_json_or_an_error(packed in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(text) = json(&packed) {
                prop_assert!(parse(&text).is_ok(), "{}", text);
            }
        }
    }
}
