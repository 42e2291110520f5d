//! Conversations that are held as JSON in a string, as tables without nested columns hold them: they are taken out of
//! their strings before anything is read.

use super::{FALLBACK, Loaded, load};
use crate::json::{self, Value};
use crate::model::{Problem, RecordBody, Sink};
use crate::source::{Input, RecordReader};
use memchr::memmem;
use std::path::Path;
use std::sync::Arc;

/// Members that hold messages.
const MEMBERS: [&str; 7] = ["messages", "conversations", "conversation", "trajectory", "traj", "chosen", "rejected"];

/// Formats whose rows may have their messages so, beside rows that have not.
const MIXED: [&str; 2] = ["messages", "sharegpt"];

/// Records that are looked at.
const LOOKED_RECORDS: usize = 20;

/// What a file may begin with before its first record.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Bytes in which these are looked for.
const LOOKED_RECORDS_BYTES: usize = 1 << 20;
/// Lines within which a record over several lines ends, where it is not in an array.
const RECORD_LINES_MAX: usize = 64;

/// How such a list begins in JSON: `"[{\"`, with or without spaces.
const BEGINNINGS: [&[u8]; 3] = [br#""[{\""#, br#""[ {\""#, br#""[\n"#];

/// An input with its conversations out of their strings, written in the background; the same where no format takes it
/// as it is and none is held so.
///
/// # Errors
/// It cannot be read, or no temporary file can be made.
pub(super) fn unpacked(input: Arc<Input>) -> Result<Arc<Input>, Problem> {
    // A pipe of a name may bring nothing for long.
    if input.path().is_some_and(|path| !path.is_file()) {
        return Ok(input);
    }
    input.wait_for_head();
    if !holds_strings(&input)? {
        return Ok(input);
    }
    let (name, path) = (input.name().to_owned(), input.path().map(ToOwned::to_owned));
    Input::derived(&name, path.as_deref(), move |out| {
        let loaded = load::as_it_stands(input, None)?;
        write(&loaded, out)?;
        loaded.trouble().map_or(Ok(()), Err)
    })
}

/// Whether the records of a file are read otherwise than they are written, because their conversations are in strings.
#[must_use]
pub fn has_strings_of_conversations(path: &Path) -> bool {
    // What a packed file holds would be unpacked once more to see it.
    let is_text = path.extension().is_some_and(|end| ["json", "jsonl", "ndjson"].iter().any(|known| end == *known));
    is_text && path.is_file() && Input::open(path).is_ok_and(|input| holds_strings(&input).unwrap_or(false))
}

fn holds_strings(input: &Input) -> Result<bool, Problem> {
    // Before any record is parsed.
    let mut head = vec![0; LOOKED_RECORDS_BYTES];
    let got = input.read_at(0, &mut head)?;
    head.truncate(got);
    Ok(BEGINNINGS.iter().any(|begin| memmem::find(&head, begin).is_some()) && has_embedded_conversations(input)?)
}

/// Whether most of the first records hold a conversation so, and no format reads them; or some, beside conversations.
fn has_embedded_conversations(input: &Input) -> Result<bool, Problem> {
    let detected = super::detect::as_it_stands(input, None)?;
    let is_known = !detected.is_fallback && detected.format.name() != FALLBACK;
    // Rows of one dataset may come from tables of both kinds.
    let is_mixed = is_known && MIXED.contains(&detected.format.name());
    if is_known && !is_mixed {
        return Ok(false);
    }
    let mut head = vec![0; LOOKED_RECORDS_BYTES];
    let got = input.read_at(0, &mut head)?;
    head.truncate(got);
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&head);
    let text = String::from_utf8_lossy(head);
    let lines = || text.lines().take(LOOKED_RECORDS).filter_map(|line| json::parse(line).ok());
    let has_strings = |row: &Value<'_>| !strings(row).is_empty();
    let first_has_strings =
        |document: &Value<'_>| has_strings(document.as_array().and_then(<[_]>::first).unwrap_or(document));
    let first_line = text.lines().next().and_then(|line| json::parse(line).ok());
    if first_line.is_some_and(|row| row.as_object().is_some()) {
        let count = lines().filter(has_strings).count();
        return Ok(if is_mixed { count > 0 } else { count * 2 >= lines().count() });
    }
    // Records over several lines, or in an array whose end may be missing.
    let ends = text.match_indices('\n').take(RECORD_LINES_MAX).filter_map(|(end, _)| text.get(..end));
    if let Some(first) = ends.map(json::parse).find_map(Result::ok) {
        return Ok(first_has_strings(&first));
    }
    let closed = json::closed(head).and_then(|text| String::from_utf8(text).ok());
    let document = closed.as_deref().or(Some(&*text)).and_then(|text| json::parse(text).ok());
    Ok(document.is_some_and(|document| first_has_strings(&document)))
}

/// The members of a row that hold messages in a string, each with what the string says.
fn strings<'v>(row: &'v Value<'_>) -> Vec<(&'v Value<'v>, &'v str)> {
    let string = |name: &&str| row.get(name).and_then(|value| Some((value, value.as_str()?)));
    let is_list = |text: &str| {
        let parsed = json::parse(text).ok();
        let is_message = |value: &Value<'_>| ["role", "from"].iter().any(|key| value.get(key).is_some());
        parsed.is_some_and(|list| list.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_message)))
    };
    MEMBERS.iter().filter_map(string).filter(|(_, text)| is_list(text)).collect()
}

/// Writes a line for each record.
fn write(loaded: &Loaded, out: &mut Sink<'_>) -> Result<(), Problem> {
    let mut reader = RecordReader::new(&loaded.input);
    for record in loaded.records()?.iter() {
        let text = reader.text(&record)?;
        let mut line = match std::str::from_utf8(text) {
            Ok(text) if record.body == RecordBody::Text => row(text).into_bytes(),
            _ => text.to_vec(),
        };
        one_line(&mut line);
        out(&line)?;
    }
    Ok(())
}

/// A record of any text as one line, which ends.
pub fn one_line(text: &mut Vec<u8>) {
    text.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    text.push(b'\n');
}

/// A row with its conversations out of their strings.
fn row(text: &str) -> String {
    let Ok(parsed) = json::parse(text) else { return text.to_owned() };
    let mut has_strings: Vec<(usize, usize, String)> = strings(&parsed)
        .into_iter()
        .filter_map(|(value, data)| Some((value.start, value.text.len(), json::compact(&json::parse(data).ok()?))))
        .collect();
    has_strings.sort_unstable();
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for (start, len, json) in has_strings {
        out.push_str(text.get(from..start).unwrap_or_default());
        out.push_str(&json);
        from = start + len;
    }
    out + text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_of_their_string_and_all_else_stays_as_written() {
        let text = r#"{"id":1.50,"messages":"[{\"role\":\"user\",\"content\":\"a\\nb\"}]","note":"[1]"}"#;
        assert_eq!(row(text), r#"{"id":1.50,"messages":[{"role":"user","content":"a\nb"}],"note":"[1]"}"#);
        for other in [r#"{"messages":"[1]"}"#, r#"{"messages":"hello"}"#, r#"{"messages":[]}"#, "[", "7"] {
            assert_eq!(row(other), other);
        }
    }

    #[test]
    fn a_file_of_such_rows_is_unpacked_and_no_other() {
        let rows = |messages: &str| {
            let text = format!("{{\"id\":\"a\",\n\"messages\":{}}}\n{{\"note\":\n1}}\n", json::quote(messages));
            let input = unpacked(Input::memory("rows", text)).unwrap();
            input.wait().unwrap();
            let mut all = vec![0; input.len() as usize];
            input.read_at(0, &mut all).unwrap();
            String::from_utf8(all).unwrap()
        };
        assert_eq!(
            rows(r#"[{"role":"user","content":"x"}]"#),
            "{\"id\":\"a\", \"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n{\"note\": 1}\n"
        );
        assert!(rows("[{\"a\":1}]").starts_with("{\"id\":\"a\",\n"), "no messages");
    }

    #[test]
    fn a_long_member_before_a_conversation_hides_it_not() {
        let messages = json::quote(r#"[{"role":"user","content":"x"}]"#);
        let text = format!("{{\"system\":\"{}\",\"messages\":{messages}}}\n", "s ".repeat(50_000));
        assert!(holds_strings(&Input::memory("rows", text)).unwrap());
    }

    #[test]
    fn a_byte_order_mark_hides_no_conversation() {
        let row = format!("{{\"messages\":{}}}", json::quote(r#"[{"role":"user","content":"x"}]"#));
        for text in [format!("{row}\n{row}\n"), format!("\n{row}\n"), format!("[{row},{row}]")] {
            for text in [format!("\u{feff}{text}"), text] {
                let input = Input::memory("rows", text.clone());
                assert!(has_embedded_conversations(&input).unwrap(), "{text}");
            }
        }
    }
}
