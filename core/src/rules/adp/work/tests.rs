//! W7 to W9 through trajectories: what views, edits and commands make known of a file, condition by condition.

use super::super::write_state;
use crate::json::{parse, quote};
use crate::model::StepNo;
use crate::rules::trajectory::Reading;
use crate::state::Tree;

const PATH: &str = "/w/a";

/// A call and its result.
struct Exchange {
    tool: &'static str,
    arguments: String,
    result: String,
}

/// Lines as `cat -n` prints them.
fn numbered(lines: &[&str], from: usize) -> String {
    lines.iter().zip(from..).map(|(line, number)| format!("{number:6}\t{line}\n")).collect()
}

/// A view of lines from `from` on: the whole file, or with `to` the lines up to it.
fn view(lines: &[&str], from: usize, to: Option<usize>) -> Exchange {
    let range = to.map_or_else(String::new, |to| format!(r#","view_range":[{from},{to}]"#));
    Exchange {
        tool: "str_replace_editor",
        arguments: format!(r#"{{"command":"view","path":"{PATH}"{range}}}"#),
        result: format!("Here's the result of running `cat -n` on {PATH}:\n{}", numbered(lines, from)),
    }
}

/// An edit, and the lines that its reply shows.
fn edit(members: &str, shown: &[&str], from: usize) -> Exchange {
    let head = format!("The file {PATH} has been edited.");
    let snippet = format!(
        " Here's the result of running `cat -n` on a snippet of {PATH}:\n{}Review the changes and make sure they are as \
         expected. Edit the file again if necessary.",
        numbered(shown, from)
    );
    Exchange {
        tool: "str_replace_editor",
        arguments: format!(r#"{{"path":"{PATH}",{members}}}"#),
        result: if shown.is_empty() { head } else { head + &snippet },
    }
}

fn replace(old: &str, new: &str, shown: &[&str], from: usize) -> Exchange {
    edit(&format!(r#""command":"str_replace","old_str":{},"new_str":{}"#, quote(old), quote(new)), shown, from)
}

fn insert(line: usize, shown: &[&str], from: usize) -> Exchange {
    edit(&format!(r#""command":"insert","insert_line":{line},"new_str":"x""#), shown, from)
}

fn shell(command: &str, result: &str) -> Exchange {
    Exchange { tool: "bash", arguments: format!(r#"{{"command":{}}}"#, quote(command)), result: result.to_owned() }
}

/// What is known of the file at the end: whether that is all of it, the step of its doubt, each line with its number
/// and the step that it is from; and the findings on files with their steps. The first call is step 1, its result 2.
fn known(exchanges: &[Exchange]) -> (String, String) {
    let items = exchanges.iter().map(|Exchange { tool, arguments, result }| {
        format!(
            r#",{{"class_":"api_action","function":"{tool}","kwargs":{arguments}}},
            {{"class_":"text_observation","content":{},"source":"environment"}}"#,
            quote(result)
        )
    });
    let user = r#"{"class_":"text_observation","content":"go","source":"user"}"#;
    let text = format!(r#"{{"id":"t","content":[{user}{}],"details":{{}}}}"#, items.collect::<String>());
    let value = parse(&text).unwrap();
    let work = write_state(&Reading::of(&value), 0, &mut Tree::new());
    let step = StepNo::try_from(2 * exchanges.len()).unwrap();
    let file = work.file(PATH, step).unwrap();
    let line = |line: &crate::rules::work::BlameLine<'_>| {
        let number = line.number.map_or("?".to_owned(), |number| number.to_string());
        format!(" {number}={}@{}", line.text, line.origin.step)
    };
    let doubt = file.doubt.map_or_else(String::new, |step| format!(" doubt@{step}"));
    let lines: String = file.blame.iter().map(line).collect();
    let found = work.findings(0);
    let found: Vec<String> =
        found.iter().map(|finding| format!("{}@{}", finding.rule, finding.step.unwrap_or(-1))).collect();
    (format!("{}{doubt}{lines}", file.known.json()), found.join(" "))
}

fn all() -> Exchange {
    view(&["one", "two", "three"], 1, None)
}

#[test]
fn w7_blank_lines_behind_the_end_belong_to_a_file_and_other_lines_contradict_it() {
    let (file, found) = known(&[all(), view(&["three", "", ""], 3, Some(5))]);
    assert_eq!((file.as_str(), found.as_str()), ("\"all\" 1=one@2 2=two@2 3=three@2 4=@4", ""));
    let (file, found) = known(&[all(), view(&["three", "four"], 3, Some(4))]);
    let expected = ("[[1,4]] doubt@4 1=one@2 2=two@2 3=three@2 4=four@4", "work.changed-outside@4");
    assert_eq!((file.as_str(), found.as_str()), expected);
    let (_, found) = known(&[shell("cat /w/a", "one\n\n\n"), shell("cat /w/a", "one\n")]);
    assert_eq!(found, "", "blank lines that are gone from the end contradict nothing");
}

#[test]
fn w7_the_end_of_a_print_up_to_the_end_is_the_end_of_the_file() {
    let (file, _) = known(&[view(&["one", "two"], 1, Some(2)), shell("tail -n +2 /w/a", "two\nthree\n")]);
    assert_eq!(file, "\"all\" 1=one@2 2=two@2 3=three@4");
}

#[test]
fn w7_lines_that_moved_keep_their_origins_but_do_not_cross_one_another() {
    let before = view(&["x1", "x2", "}", "x3", "x4"], 1, Some(5));
    let (file, _) = known(&[before, view(&["q", "r", "}", "x1", "x2"], 1, Some(5))]);
    assert!(file.ends_with(" 1=q@4 2=r@4 3=}@4 4=x1@2 5=x2@2 6=}@2 7=x3@2 8=x4@2"), "{file}");
    let before = view(&["a", "x", "b", "x", "c", "d"], 1, Some(6));
    let (file, _) = known(&[before, view(&["x", "a", "q", "x", "c", "d"], 1, Some(6))]);
    assert!(file.ends_with(" 1=x@4 2=a@4 3=q@4 4=x@2 5=c@2 6=d@2"), "a repeated line shows no shift: {file}");
}

#[test]
fn w7_lines_without_a_place_get_one_only_where_they_are_shown_in_a_row() {
    let unplaced = || replace("foo", "bar\nbaz", &[], 1);
    let (file, _) = known(&[unplaced(), view(&["top", "bar", "baz"], 1, Some(3))]);
    assert!(file.ends_with(" 1=top@4 2=bar@2 3=baz@2"), "{file}");
    let gap = Exchange {
        result: "Here's the result of running `cat -n` on /w/a:\n     1\tbar\n     5\tbaz\n".to_owned(),
        ..view(&[], 1, Some(9))
    };
    let (file, _) = known(&[unplaced(), gap]);
    assert!(file.ends_with(" 1=bar@4 5=baz@4 ?=bar@2 ?=baz@2"), "{file}");
    let (file, _) = known(&[unplaced(), view(&["one", "two"], 1, None)]);
    assert_eq!(file, "\"all\" 1=one@4 2=two@4", "nothing of a file that is shown whole lacks a place");
    let part = || view(&["one", "two"], 1, Some(2));
    let (file, _) = known(&[part(), replace("zzz", "one\ntwo", &[], 1), part()]);
    assert!(file.ends_with(" 1=one@2 2=two@2"), "lines that were known keep their origin: {file}");
}

#[test]
fn w7_a_file_that_is_shown_is_not_deleted() {
    let (file, _) = known(&[all(), shell("rm /w/a", ""), view(&["one"], 1, Some(1))]);
    assert_eq!(file, "[[1,1]] 1=one@6");
}

#[test]
fn w7_a_doubt_goes_only_where_all_that_is_known_is_shown() {
    let changed = || shell("python fix.py /w/a", "ok");
    let part = || view(&["one", "two"], 1, Some(2));
    assert!(known(&[all(), changed(), part()]).0.contains("doubt@4"));
    assert!(known(&[replace("foo", "bar\nbaz", &[], 1), changed(), part()]).0.contains("doubt@4"));
    assert!(!known(&[part(), changed(), part()]).0.contains("doubt"));
}

#[test]
fn w7_a_command_before_the_lines_were_seen_is_no_cause_of_their_change() {
    let other = || view(&["one", "TWO", "three"], 1, None);
    let make = || shell("make", "ok");
    assert_eq!(known(&[make(), all(), other()]).1, "work.changed-outside@6");
    assert_eq!(known(&[all(), make(), other()]).1, "");
}

#[test]
fn w8_a_reply_is_compared_only_where_the_place_of_the_edit_is_known_and_in_no_doubt() {
    let differs = |exchanges: &[Exchange]| known(exchanges).1;
    let edited = || replace("two", "2", &["one", "Q", "three"], 1);
    assert_eq!(differs(&[all(), edited()]), "work.reply-differs@4");
    assert_eq!(differs(&[all(), shell("python fix.py /w/a", "ok"), edited()]), "");
    // The line behind an insertion is enough.
    assert_eq!(differs(&[view(&["c", "d"], 3, Some(4)), insert(2, &["Q", "c", "d"], 3)]), "work.reply-differs@4");
    assert_eq!(differs(&[view(&["a", "b"], 1, Some(2)), insert(7, &["f", "g", "Q"], 6)]), "");
}

#[test]
fn w11_an_edit_is_stale_only_where_the_whole_file_was_known() {
    let edited = || replace("nowhere", "t", &[], 1);
    assert_eq!(known(&[all(), edited()]).1, "work.stale-edit@4");
    assert_eq!(known(&[view(&["one", "two"], 1, Some(2)), edited()]).1, "");
}

#[test]
fn w8_each_undo_takes_back_one_more_edit() {
    let undo = || edit(r#""command":"undo_edit""#, &[], 1);
    let edits = || [all(), replace("one", "1", &[], 1), replace("two", "2", &[], 1)];
    let once: Vec<Exchange> = edits().into_iter().chain([undo()]).collect();
    assert_eq!(known(&once).0, "\"all\" 1=1@4 2=two@2 3=three@2");
    let twice: Vec<Exchange> = edits().into_iter().chain([undo(), undo()]).collect();
    assert_eq!(known(&twice).0, "\"all\" 1=one@2 2=two@2 3=three@2");
}

fn patch(command: &str, result: &str) -> Exchange {
    let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";
    if command.is_empty() {
        let arguments = format!(r#"{{"input":{}}}"#, quote(&text.replace("File: a", "File: /w/a")));
        return Exchange { tool: "apply_patch", arguments, result: result.to_owned() };
    }
    shell(&format!("{command} <<'EOF'\n{text}\nEOF"), result)
}

#[test]
fn w11_an_edit_of_a_file_that_something_named_before_is_not_blind() {
    let named = || shell("ls /w", "a\nb.py\n");
    let edited = || replace("x", "y", &[], 1);
    assert_eq!((known(&[edited()]).1.as_str(), known(&[named(), edited()]).1.as_str()), ("work.never-read@2", ""));
    let patched = || patch("", "Success");
    assert_eq!((known(&[patched()]).1.as_str(), known(&[named(), patched()]).1.as_str()), ("work.never-read@2", ""));
}

#[test]
fn w8_what_a_command_prints_behind_a_patch_is_not_its_reply() {
    let shown = format!("Here's the result of running `cat -n` on {PATH}:\n{}", numbered(&["q", "y"], 1));
    assert_eq!(known(&[patch("cd /w && apply_patch", &shown)]).0, "[] ?=y@2");
}
