//! Custom columns: a name, and what an expression says of each record.

use super::field::FilterField;
use crate::model::cast;
use crate::text::single_line;
use std::collections::HashSet;
use std::sync::Arc;

/// Most letters of a name.
const NAME_BYTES_MAX: usize = 15;
/// Most bytes of a text that are kept of a record.
const TEXT_BYTES_MAX: usize = 64;

/// The name of a column: ASCII letters, so that filters can ask for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CustomColumn {
    letters: [u8; NAME_BYTES_MAX],
    len: u8,
}

impl CustomColumn {
    /// Reads a name.
    ///
    /// # Errors
    /// A sentence: it is invalid, or a filter already means something by it.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(format!("`{text}` is not a name of a column: that is 1 to {NAME_BYTES_MAX} letters a to z"));
        }
        // One of these names takes the place of what logs say.
        if FilterField::named(text).is_some_and(|field| !field.is_of_run()) {
            return Err(format!("{text} is a column or a term of filters already; take another name"));
        }
        let mut letters = [0; NAME_BYTES_MAX];
        letters[..text.len()].copy_from_slice(text.as_bytes());
        Ok(Self { letters, len: cast::to_u8(text.len()) })
    }

    /// A column as it is typed: `name = EXPR`, or an expression that names itself by its last word.
    ///
    /// # Errors
    /// A sentence: the name is invalid, or there is no expression.
    pub fn with_expression(typed: &str) -> Result<(Self, String), String> {
        let named = typed.split_once('=').filter(|(name, rest)| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            !rest.starts_with('=') && !name.trim().is_empty() && name.trim().chars().all(is_word)
        });
        let (name, expression) = match named {
            Some((name, expression)) => (name.trim().to_owned(), expression.trim()),
            None => {
                let words = typed.rsplit(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
                let word: String = words.map(str::to_lowercase).next().unwrap_or_default();
                (word.chars().take(NAME_BYTES_MAX).collect(), typed.trim())
            }
        };
        if expression.is_empty() {
            return Err("an expression follows =, as in model = .details.model".to_owned());
        }
        let name = Self::new(&name).map_err(|why| match named {
            Some(_) => why,
            None => format!("{why}, as in name = {expression}"),
        })?;
        Ok((name, expression.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.letters[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl std::fmt::Debug for CustomColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an expression says of a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum CellValue {
    /// Nothing, or null.
    #[default]
    Nothing,
    /// It fails for the record.
    Failed,
    /// A number.
    Number(f64),
    /// A text; of anything else its JSON. The beginning.
    Text(Arc<str>),
}

impl CellValue {
    /// The first result, a line of JSON; None: there is none.
    #[must_use]
    pub fn of(result: Option<&str>, has_failed: bool) -> Self {
        match result.map(serde_json::from_str) {
            None if has_failed => Self::Failed,
            None | Some(Ok(serde_json::Value::Null)) => Self::Nothing,
            Some(Err(_)) => Self::Failed,
            Some(Ok(serde_json::Value::String(text))) => Self::Text(head(&text)),
            Some(Ok(serde_json::Value::Number(number))) => number.as_f64().map_or(Self::Failed, Self::Number),
            Some(Ok(other)) => Self::Text(head(&other.to_string())),
        }
    }

    /// As it is shown, sought and counted; None where there is no value.
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        match self {
            Self::Nothing | Self::Failed => None,
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.to_string()),
        }
    }

    /// Its place among others: numbers before texts. None where there is no value.
    pub(super) fn key(&self) -> Option<(bool, f64, &str)> {
        match self {
            Self::Nothing | Self::Failed => None,
            Self::Number(number) => Some((false, *number, "")),
            Self::Text(text) => Some((true, 0.0, text)),
        }
    }
}

/// The beginning of a text, on one line.
fn head(text: &str) -> Arc<str> {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    single_line(&text[..end]).into()
}

/// What an expression says of the records from a number on.
#[derive(Debug)]
pub struct CustomColumnChunk {
    from: usize,
    values: Vec<CellValue>,
}

impl CustomColumnChunk {
    /// Equal texts are held once.
    #[must_use]
    pub fn new(from: usize, mut values: Vec<CellValue>) -> Self {
        let mut seen: HashSet<Arc<str>> = HashSet::new();
        for value in &mut values {
            if let CellValue::Text(text) = value {
                match seen.get(text) {
                    Some(known) => *text = Arc::clone(known),
                    None => drop(seen.insert(Arc::clone(text))),
                }
            }
        }
        Self { from, values }
    }
}

/// What an expression says of the first records, as far as they were asked.
#[derive(Debug, Clone, Default)]
pub struct CustomColumnTable {
    chunks: Arc<Vec<Arc<CustomColumnChunk>>>,
    count: usize,
}

impl CustomColumnTable {
    /// Takes what it says of the records that come next; of others it is left out.
    pub fn push(&mut self, chunk: Arc<CustomColumnChunk>) {
        if chunk.from == self.count && !chunk.values.is_empty() {
            self.count += chunk.values.len();
            Arc::make_mut(&mut self.chunks).push(chunk);
        }
    }

    /// Number of records that were asked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What it says of a record; None: it was not asked yet.
    #[must_use]
    pub fn get(&self, record: usize) -> Option<&CellValue> {
        let after = self.chunks.partition_point(|chunk| chunk.from <= record);
        let chunk = self.chunks.get(after.checked_sub(1)?)?;
        chunk.values.get(record - chunk.from)
    }
}

/// The custom columns with what is known of them.
pub type CustomColumnTables = Vec<(CustomColumn, CustomColumnTable)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_or_name_themselves() {
        let read = |typed: &str| CustomColumn::with_expression(typed).map(|(name, e)| format!("{} {e}", name.as_str()));
        for (typed, expected) in [
            (".details.model", "model .details.model"),
            (".content|length", "length .content|length"),
            (
                "turns = [.content[]|select(.source==\"user\")]|length",
                "turns [.content[]|select(.source==\"user\")]|length",
            ),
            ("model=.m", "model .m"),
            (".a == .Bee", "bee .a == .Bee"),
        ] {
            assert_eq!(read(typed).unwrap(), expected);
        }
        for (typed, message) in [
            ("", "an expression follows ="),
            ("x = ", "an expression follows ="),
            ("steps = 1", "already"),
            (".details.steps", "already; take another name, as in name = .details.steps"),
            ("a_b = 1", "`a_b` is not a name of a column"),
            (".[0]", "as in name = .[0]"),
        ] {
            let why = read(typed).unwrap_err();
            assert!(why.contains(message), "{typed}: {why}");
        }
    }

    #[test]
    fn the_first_result_is_the_value() {
        let cell = |result: &str| CellValue::of(Some(result), false);
        assert_eq!(
            (cell("null"), cell("1.50"), CellValue::of(None, true)),
            (CellValue::Nothing, CellValue::Number(1.5), CellValue::Failed)
        );
        assert_eq!(cell("\"a\\n b\"").shown().unwrap(), "a b");
        assert_eq!(cell("{\"a\":[true]}").shown().unwrap(), "{\"a\":[true]}");
        assert_eq!(cell(&format!("\"{}\"", "ä".repeat(99))).shown().unwrap(), "ä".repeat(32));
        assert_eq!(CellValue::of(None, false), CellValue::Nothing);
    }

    #[test]
    fn only_records_that_come_next_are_taken_and_equal_texts_are_one() {
        let text = || CellValue::Text("gpt".into());
        let mut table = CustomColumnTable::default();
        for from in [1, 0, 0, 2] {
            table.push(Arc::new(CustomColumnChunk::new(from, vec![text(), text()])));
        }
        assert_eq!((table.len(), table.get(3), table.get(4)), (4, Some(&text()), None));
        let (Some(CellValue::Text(a)), Some(CellValue::Text(b))) = (table.get(0), table.get(1)) else { panic!() };
        assert!(Arc::ptr_eq(a, b));
    }
}
