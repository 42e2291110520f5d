//! Which tables a database has, and the names of their columns, from the statements that made them.

use super::Fault;
use super::btree::Walk;
use super::pager::Pager;
use super::row::Picked;
use crate::model::{ContainerValue, Table};

/// Tables that are read; a database of an agent has some dozen.
const TABLES_MAX: usize = 10_000;

/// Where a table begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) page: u32,
    /// The column that stands for a row's number.
    pub(super) alias: Option<usize>,
}

/// The tables whose rows have numbers; others (`WITHOUT ROWID`, virtual ones) are passed over.
pub(super) fn read(pager: &Pager) -> Result<(Vec<Table>, Vec<Root>), Fault> {
    // The table of tables: type, name, tbl_name, rootpage, sql.
    let picked = Picked { places: [0, 1, 3, 4].map(Some).to_vec(), alias: None, encoding: pager.encoding };
    let mut walk = Walk::new(pager, 1);
    let (mut tables, mut roots) = (Vec::new(), Vec::new());
    while let Some((number, payload)) = walk.next()? {
        let cells = picked.cells(number, &payload, pager)?;
        let [
            ContainerValue::Text(kind),
            ContainerValue::Text(name),
            ContainerValue::Integer(page),
            ContainerValue::Text(sql),
        ] = cells.as_slice()
        else {
            continue;
        };
        let Some(page) = u32::try_from(*page).ok().filter(|page| *page > 0 && kind == "table") else { continue };
        let Some((columns, alias)) = columns(sql) else { continue };
        if tables.len() == TABLES_MAX {
            return Err(format!("it has more than {TABLES_MAX} tables"));
        }
        tables.push(Table { name: name.clone(), columns });
        roots.push(Root { page, alias });
    }
    Ok((tables, roots))
}

/// The columns of a `CREATE TABLE`, in lower case, and which of them stands for the row's number; None for a table
/// whose rows have none.
fn columns(sql: &str) -> Option<(Vec<String>, Option<usize>)> {
    let words = words(sql);
    let open = words.iter().position(|word| *word == Word::Mark('('))?;
    let (mut depth, mut definitions, mut close) = (0, vec![Vec::new()], words.len());
    for (i, word) in words.iter().enumerate().skip(open + 1) {
        match word {
            Word::Mark(')') if depth == 0 => {
                close = i;
                break;
            }
            Word::Mark('(') => depth += 1,
            Word::Mark(')') => depth -= 1,
            Word::Mark(',') if depth == 0 => {
                definitions.push(Vec::new());
                continue;
            }
            _ => {}
        }
        definitions.last_mut()?.push(word);
    }
    let is_without = words.get(close..)?.windows(2).any(|pair| pair[0].is("without") && pair[1].is("rowid"));
    if is_without {
        return None;
    }
    let is_column = |definition: &&Vec<&Word>| {
        let constraints = ["constraint", "primary", "unique", "check", "foreign"];
        definition.first().is_some_and(|first| !constraints.iter().any(|word| first.is(word)))
    };
    let of_columns: Vec<_> = definitions.iter().filter(is_column).collect();
    let is_number = |definition: &&Vec<&Word>| {
        definition.get(1).is_some_and(|kind| kind.is("integer"))
            && definition.windows(2).any(|pair| pair[0].is("primary") && pair[1].is("key"))
    };
    let alias = of_columns.iter().position(is_number);
    let name = |definition: &&Vec<&Word>| definition.first().map_or_else(String::new, |word| word.text());
    Some((of_columns.iter().map(name).collect(), alias))
}

/// A word of a statement, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Bare(String),
    Quoted(String),
    Mark(char),
}

impl Word {
    /// Whether it is this keyword.
    fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Bare(word) if word == keyword)
    }

    fn text(&self) -> String {
        match self {
            Self::Bare(text) | Self::Quoted(text) => text.clone(),
            Self::Mark(mark) => mark.to_string(),
        }
    }
}

/// The words of a statement, without comments.
fn words(sql: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' | '`' | '\'' => quoted(rest, first, &mut words),
            '[' => quoted(rest, ']', &mut words),
            '-' if rest.starts_with("--") => behind(rest, "\n"),
            '/' if rest.starts_with("/*") => behind(rest, "*/"),
            c if is_of_word(c) => {
                let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
                words.push(Word::Bare(rest[..end].to_ascii_lowercase()));
                &rest[end..]
            }
            c => {
                words.push(Word::Mark(c));
                &rest[c.len_utf8()..]
            }
        }
        .trim_start();
    }
    words
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn behind<'t>(text: &'t str, end: &str) -> &'t str {
    text.find(end).map_or("", |at| &text[at + end.len()..])
}

/// Takes a quoted name, in which the closing quote is twice for itself.
fn quoted<'t>(text: &'t str, close: char, words: &mut Vec<Word>) -> &'t str {
    let mut name = String::new();
    let mut rest = &text[1..];
    while let Some(at) = rest.find(close) {
        name.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if !rest.starts_with(close) || close == ']' {
            break;
        }
        name.push(close);
        rest = &rest[1..];
    }
    words.push(Word::Quoted(name.to_ascii_lowercase()));
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_from_the_statement() {
        let read = |sql: &str| columns(sql).map(|(columns, alias)| (columns.join(" "), alias));
        let some = |columns: &str, alias| Some((columns.to_owned(), alias));
        assert_eq!(read("CREATE TABLE a (b, C text not null, primary key (b, c))"), some("b c", None));
        assert_eq!(read("CREATE TABLE \"a b\"(id INTEGER PRIMARY KEY, x)"), some("id x", Some(0)));
        assert_eq!(read("create table a([x y] decimal(10,2) default (1,2), \"q\"\"(r\" int)"), some("x y q\"(r", None));
        assert_eq!(read("create table a(x -- y,\n, /* z, */ w)"), some("x w", None));
        assert_eq!(read("create table a(x primary key) without rowid"), None);
        assert_eq!(read("create table a"), None);
        assert_eq!(read("create table a(\"unclosed"), some("", None));
    }
}
