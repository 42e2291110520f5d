//! What of a list fits a query, where it is not a list of keys.

use super::MenuItem;
use crate::format::plan::ValueReader;
use crate::panes::openables::Openable;
use crate::review::Column;

/// The fields that a query fits, and the query itself, where it is none of them.
pub(super) fn fields(all: &[(String, String)], query: &str) -> Vec<MenuItem> {
    let wanted = query.to_lowercase();
    let fits = |i: &usize| format!("{} {}", all[*i].0, all[*i].1).to_lowercase().contains(&wanted);
    let is_new = !query.is_empty() && all.iter().all(|(path, _)| path != query);
    let mut fitting: Vec<usize> = (0..all.len()).filter(fits).collect();
    // What is typed in full goes before what only has it in it.
    fitting.sort_by_key(|i| all[*i].0 != query);
    fitting.extend(is_new.then_some(all.len()));
    fitting.into_iter().map(MenuItem::Field).collect()
}

/// The columns whose name or sentence has a query.
pub(super) fn columns(custom_columns: &[(Column, String)], query: &str) -> Vec<MenuItem> {
    let query = query.to_lowercase();
    let fits = |column: &Column| column.title().contains(&query) || column.about().contains(&query);
    let matching =
        custom_columns.iter().filter(|(column, text)| fits(column) || text.contains(&query)).map(|(column, _)| *column);
    let all = Column::ALL.into_iter().filter(fits).chain(matching);
    all.map(MenuItem::Column).chain([MenuItem::NewColumn]).collect()
}

/// The filters whose name or text has a query.
pub(super) fn filters(filters: &[(String, String)], query: &str) -> Vec<MenuItem> {
    let query = query.to_lowercase();
    let fits = |(name, text): &(String, String)| format!("{name} {text}").to_lowercase().contains(&query);
    (0..filters.len()).filter(|i| fits(&filters[*i])).map(MenuItem::Filter).collect()
}

/// The links and images that a query fits, in their order.
pub(super) fn openables(all: &[Openable], query: &str) -> Vec<MenuItem> {
    let query = query.to_lowercase();
    let fits = |openable: &Openable| match openable {
        Openable::Link(address) => address.to_lowercase().contains(&query),
        Openable::Image(image) => image.kind.media_type.contains(&query),
    };
    (0..all.len()).filter(|i| fits(&all[*i])).map(MenuItem::Openable).collect()
}

/// The readers that a query fits, in their order.
pub(super) fn readers(readers: &[ValueReader], query: &str) -> Vec<MenuItem> {
    let query = query.to_lowercase();
    let fits = |reader: &ValueReader| {
        query.is_empty()
            || format!("{} {} {}", reader.step, reader.who, reader.reference).to_lowercase().contains(&query)
    };
    (0..readers.len()).filter(|i| fits(&readers[*i])).map(MenuItem::Reader).collect()
}
