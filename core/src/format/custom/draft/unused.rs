//! Members that a draft reads nothing from, as comments: what the guess may have missed.

use super::fields::{Field, Fields};
use super::toml_text::{TomlText, example, quoted};

/// Most members that are listed.
const LISTED_MAX: usize = 24;

/// Lists the members of steps and, where steps are a list of the record, those of the records around that list.
pub(super) fn unused(steps: &Fields, records: Option<(&Fields, &str)>, out: &mut TomlText) {
    let mut rows = rows(steps, "", &|path| out.names(path));
    rows.extend(records.into_iter().flat_map(|(records, list)| {
        let is_list = |path: &str| list.strip_suffix("[]") == Some(path);
        self::rows(records, "$.", &|path| is_list(path) || out.names(&format!("$.{path}")))
    }));
    if rows.is_empty() {
        return;
    }
    out.section("# Members that nothing above reads. The screen shows them in the message, as JSON (`R`).");
    rows.iter().take(LISTED_MAX).for_each(|row| out.comment(row));
    if rows.len() > LISTED_MAX {
        out.comment(&format!("and {} more", rows.len() - LISTED_MAX));
    }
}

/// A row for each member that is not read, of an object of which nothing is read one for all.
fn rows(fields: &Fields, root: &str, is_read: &dyn Fn(&str) -> bool) -> Vec<String> {
    let read: Vec<&str> = fields.all.iter().map(|field| field.path.as_str()).filter(|path| is_read(path)).collect();
    let is_around_read = |path: &str| read.iter().any(|read| is_within(read, path));
    let is_unused = |field: &&Field| {
        let is_in_used = field.parent.is_empty() || is_around_read(field.parent.trim_end_matches("[]"));
        is_in_used && !is_around_read(&field.path) && !read.iter().any(|read| is_within(&field.path, read))
    };
    let row = |field: &Field| format!("{:<24}  {}", quoted(&format!("{root}{}", field.path)), example(field));
    fields.all.iter().filter(is_unused).map(row).collect()
}

/// Whether a path is another one, or of a value in it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
