//! A row's bytes as cells.

use super::btree::Payload;
use super::pager::{Encoding, Pager};
use super::{Fault, varint};
use crate::model::ContainerValue;

/// The columns that are asked for of a table.
pub(super) struct Picked {
    /// Where each is in a row; None: the table does not have it.
    pub(super) places: Vec<Option<usize>>,
    /// The column that stands for the row's number, and is not stored.
    pub(super) alias: Option<usize>,
    pub(super) encoding: Encoding,
}

/// The place of a column in a row: its type, where it begins and how long it is.
#[derive(Clone, Copy)]
struct Field {
    kind: u64,
    at: usize,
    len: usize,
}

impl Picked {
    /// The cells of a row, as asked for. Of a long row no more is read than up to the last of them.
    pub(super) fn cells(&self, number: i64, payload: &Payload, pager: &Pager) -> Result<Vec<ContainerValue>, Fault> {
        let cut = || "a row is cut off".to_owned();
        let header_len = varint(payload.local()).ok_or_else(cut)?.0;
        let header_len = usize::try_from(header_len).ok().filter(|len| *len <= payload.len).ok_or_else(cut)?;
        let fields = fields(&payload.first(header_len, pager)?, header_len).ok_or_else(cut)?;
        let wanted = self.places.iter().flatten().filter_map(|&place| fields.get(place));
        let end = wanted.map(|field| field.at.saturating_add(field.len)).max().unwrap_or(0);
        if end > payload.len {
            return Err(cut());
        }
        let bytes = payload.first(end, pager)?;
        let cell = |place: &Option<usize>| match place {
            Some(place) if self.alias == Some(*place) => ContainerValue::Integer(number),
            Some(place) => fields.get(*place).map_or(ContainerValue::Null, |field| self.cell(*field, &bytes)),
            None => ContainerValue::Null,
        };
        Ok(self.places.iter().map(cell).collect())
    }

    fn cell(&self, field: Field, bytes: &[u8]) -> ContainerValue {
        let body = bytes.get(field.at..field.at + field.len).unwrap_or_default();
        match field.kind {
            1..=6 => ContainerValue::Integer(integer(body)),
            7 => ContainerValue::Real(f64::from_bits(integer(body).cast_unsigned())),
            8 => ContainerValue::Integer(0),
            9 => ContainerValue::Integer(1),
            kind if kind >= 12 && kind % 2 == 0 => ContainerValue::Blob(body.to_vec()),
            kind if kind >= 13 => ContainerValue::Text(text(body, self.encoding)),
            _ => ContainerValue::Null,
        }
    }
}

/// Where the columns of a row are, from its header.
fn fields(header: &[u8], header_len: usize) -> Option<Vec<Field>> {
    let (mut rest, mut at) = (header.get(varint(header)?.1..)?, header_len);
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (kind, taken) = varint(rest)?;
        rest = rest.get(taken..)?;
        let len = usize::try_from(match kind {
            0..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            8..=11 => 0,
            _ => (kind - 12) / 2,
        })
        .ok()?;
        fields.push(Field { kind, at, len });
        at = at.checked_add(len)?;
    }
    Some(fields)
}

/// A whole number of one to eight bytes, the highest first, with its sign.
fn integer(body: &[u8]) -> i64 {
    let negative = body.first().is_some_and(|byte| *byte >= 0x80);
    body.iter().fold(if negative { -1 } else { 0 }, |number: i64, &byte| number << 8 | i64::from(byte))
}

fn text(body: &[u8], encoding: Encoding) -> String {
    let units = |of: fn([u8; 2]) -> u16| {
        let pairs = body.chunks_exact(2).map(move |pair| of([pair[0], pair[1]]));
        char::decode_utf16(pairs).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(body).into_owned(),
        Encoding::Utf16Le => units(u16::from_le_bytes),
        Encoding::Utf16Be => units(u16::from_be_bytes),
    }
}
