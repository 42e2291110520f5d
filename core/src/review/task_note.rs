//! The task of a record in what it is converted to: where that names no task, or another one, a member says it.

use super::chat::Member;
use crate::json;
use crate::rules::trajectory::task;

/// The member that names a task.
const TASK: &str = "task_id";

/// Where a format has the id of a record and its other members.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    /// The member of the id.
    pub(super) id: &'static str,
    /// The object that the other members are in; None: the record itself.
    pub(super) notes: Option<&'static str>,
}

/// The member to add to those of a record that is written with this id (JSON), so that it stays an attempt at `wanted`.
pub(super) fn task_member(wanted: &str, places: Places, id: Option<&str>, others: &[Member]) -> Option<Member> {
    let members = others.iter().map(|(name, value)| format!("{}:{value}", json::quote(name)));
    let members = members.collect::<Vec<_>>().join(",");
    let others_text = match places.notes {
        Some(notes) => format!("{}:{{{members}}}", json::quote(notes)),
        None => members,
    };
    let id = id.map(|id| format!("{}:{id}", json::quote(places.id)));
    let texts: Vec<String> = id.into_iter().chain(Some(others_text)).filter(|text| !text.is_empty()).collect();
    let text = format!("{{{}}}", texts.join(","));
    let named = json::parse_lenient(&text).ok().and_then(|record| task(&record, None));
    let is_taken = others.iter().any(|(name, _)| name == TASK);
    (named.as_deref() != Some(wanted) && !is_taken).then(|| (TASK.to_owned(), json::quote(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_noted_where_nothing_else_names_it_and_never_twice() {
        let places = || Places { id: "id", notes: None };
        let note = |others: &[Member]| task_member("a", places(), Some("\"x\""), others).map(|(_, value)| value);
        assert_eq!(note(&[]).as_deref(), Some("\"a\""));
        assert_eq!(note(&[("note".to_owned(), "1".to_owned())]).as_deref(), Some("\"a\""));
        for value in ["\"a\"", "\"b\"", "null"] {
            assert_eq!(note(&[(TASK.to_owned(), value.to_owned())]), None, "{value}");
        }
    }
}
