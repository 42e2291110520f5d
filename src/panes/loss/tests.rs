//! What the Loss tab shows of small conversations.

use super::*;
use crate::panes::Scroll;
use crate::review::Template;
use crate::rules::trajectory::Way;
use std::sync::Arc;

const CELLS: usize = 60;

fn options(name: &str, max_tokens: Option<usize>) -> LossOptions {
    LossOptions { template: Arc::new(Template::named(name).unwrap()), max_tokens }
}

fn text(record: &str, name: &str) -> LossText {
    LossText::of(record, 0, &options(name, None), Way::Formats).unwrap()
}

fn shown(text: &LossText) -> Vec<String> {
    (0..text.len()).map(|line| text.line(line).text).collect()
}

const TALK: &str = r#"{"system":"Be kind.","conversations":[{"from":"human","value":"Hi"},{"from":"gpt","value":"Yo\nho"},{"from":"human","value":"Bye"},{"from":"gpt","value":"So long"}]}"#;

/// A conversation of `messages` messages, each of two lines.
fn long(messages: usize) -> String {
    let message = |i: usize| {
        format!(r#"{{"from":"{}","value":"line {i}\nword{i}"}}"#, if i.is_multiple_of(2) { "human" } else { "gpt" })
    };
    format!(r#"{{"conversations":[{}]}}"#, (0..messages).map(message).collect::<Vec<_>>().join(","))
}

fn pane(text: LossText) -> LossPane {
    let mut pane = LossPane::default();
    pane.set(Ok(text));
    pane
}

/// The text of the line under the cursor.
fn here(pane: &LossPane) -> &str {
    pane.reader.line(CELLS).map_or("", |line| &line.text)
}

#[test]
fn what_trains_is_set_off_by_a_sign_and_a_role_and_each_segment_has_its_line() {
    let all = text(TALK, "chatml");
    let lines = shown(&all);
    let at = lines.iter().position(|line| line == "  <|im_start|>assistant").unwrap();
    assert_eq!(lines[at..at + 4], ["  <|im_start|>assistant", "+ Yo", "+ ho<|im_end|>", "  <|im_start|>user"]);
    assert_eq!(all.line(at + 1).marks, vec![(2..4, Role::Added)]);
    let all = text(TALK, "mistral");
    assert!(shown(&all).contains(&"+> Yo".to_owned()), "{:?}", shown(&all));
    let cut = LossText::of(TALK, 0, &options("chatml", Some(30)), Way::Formats).unwrap();
    assert!(shown(&cut).iter().any(|line| line.starts_with("x ")), "{:?}", shown(&cut));
    assert_eq!(shown(&cut)[0], "! loss.cut @3  ≈5 of ≈9 tokens that train lie behind the limit");
}

#[test]
fn no_byte_of_the_text_is_lost_in_its_lines() {
    let wide = format!(
        r#"{{"messages":[{{"role":"user","content":"{}"}},{{"role":"assistant","content":"\n\na\n"}}]}}"#,
        "ä".repeat(9000)
    );
    for record in [TALK.to_owned(), long(9), wide] {
        for name in ["chatml", "llama-3", "mistral", "qwen", "zephyr"] {
            let all = text(&record, name);
            let findings = all.loss.findings.len();
            let mut again = String::new();
            for line in findings..all.len() {
                let text = all.line(line).text;
                assert!(text.len() <= (2 << 10) + 2);
                again += if text[1..].starts_with('>') || line == findings { "" } else { "\n" };
                again += all.line_text(line);
            }
            assert_eq!(again.trim_end_matches('\n'), all.loss.text.trim_end_matches('\n'), "{name}");
        }
    }
}

#[test]
fn a_line_knows_its_step_and_a_step_its_line() {
    let all = text(TALK, "chatml");
    let step_of = |text: &str| {
        let line = shown(&all).iter().position(|line| line.contains(text)).unwrap();
        all.line(line).step
    };
    assert_eq!(["Be kind", "Hi", "ho<", "Bye", "So long"].map(step_of), [None, Some(0), Some(1), Some(2), Some(3)]);
    let lines: Vec<String> = (0..4).map(|step| all.line(all.line_of(step).unwrap() + 1).text).collect();
    assert_eq!(lines, ["  Hi<|im_end|>", "+ Yo", "  Bye<|im_end|>", "+ So long<|im_end|>"]);
    let record = r#"{"id":"a","content":[{"class_":"text_observation","content":"go","source":"user"},{"class_":"code_action","language":"bash","content":"ls","description":"look"},{"class_":"text_observation","content":"a.txt","source":"environment"}],"details":{}}"#;
    let all = text(record, "chatml");
    let steps: Vec<_> = (0..all.len()).filter_map(|line| all.line(line).step).collect();
    assert!(steps.is_sorted() && [0, 1, 2].iter().all(|step| steps.contains(step)), "{steps:?}");
    assert!(LossText::of("{", 0, &options("qwen", None), Way::Formats).unwrap_err().contains("not valid JSON"));
    assert!(
        LossText::of("{\"a\":1}", 0, &options("qwen", None), Way::Formats).unwrap_err().contains("not a conversation")
    );
}

#[test]
fn of_a_long_conversation_a_window_is_laid_out_and_moves_with_the_cursor() {
    let all = text(&long(4000), "chatml");
    let count = all.len();
    let mut pane = pane(all);
    assert!(count > 12_000 && pane.reader.lines().len() <= LINES_MAX + 1);
    let mut seen = Vec::new();
    for _ in 0..count + 10 {
        seen.push(here(&pane).to_owned());
        pane.move_by(1, CELLS);
        pane.slide(CELLS);
        assert!(pane.reader.lines().len() <= 2 * LINES_MAX + 2 && !here(&pane).starts_with('…'), "{}", here(&pane));
    }
    seen.dedup();
    let expected: Vec<String> = shown(pane.text().unwrap());
    assert_eq!(seen, expected, "every line once, in order");
    pane.move_by(-(isize::MAX / 2), CELLS);
    assert_eq!((here(&pane), pane.line(CELLS)), (expected[0].as_str(), Some(0)));
    pane.move_by(isize::MAX / 2, CELLS);
    assert_eq!(pane.line(CELLS), Some(count - 1));
    for _ in 0..count + 10 {
        pane.move_by(-1, CELLS);
        pane.slide(CELLS);
    }
    assert_eq!(pane.line(CELLS), Some(0));
}

#[test]
fn a_search_finds_what_is_not_laid_out() {
    let mut pane = pane(text(&long(4000), "chatml"));
    for word in ["word3999", "word7", "word2000"] {
        assert!(pane.search(&Pattern::new(&format!("{word}\\b")).unwrap(), CELLS, true).is_some());
        assert!(here(&pane).contains(word), "{}", here(&pane));
    }
    assert!(pane.search(&Pattern::new("nothing").unwrap(), CELLS, true).is_none());
}

#[test]
fn the_cursor_follows_the_step_and_stays_where_it_is_within_it() {
    let mut pane = pane(text(&long(4000), "chatml"));
    pane.follow(0, CELLS);
    assert_eq!(pane.line(CELLS), Some(0));
    pane.follow(3001, CELLS);
    assert!(here(&pane).contains("line 3001"), "{}", here(&pane));
    pane.move_by(1, CELLS);
    pane.follow(3001, CELLS);
    assert!(here(&pane).contains("word3001"), "{}", here(&pane));
    // Enter on a line puts its step in focus: the cursor is there already.
    pane.move_by(2, CELLS);
    pane.follow(3002, CELLS);
    assert!(here(&pane).contains("line 3002"), "{}", here(&pane));
}

#[test]
fn the_head_shows_what_trains_by_role_and_what_is_wrong() {
    let text_of = |record: &str, options: &LossOptions| {
        let pane = pane(LossText::of(record, 0, options, Way::Formats).unwrap());
        let rows = pane.head(Extent { width: CELLS, height: 20 });
        rows.iter().map(Row::plain).collect::<Vec<_>>().join("\n")
    };
    let fine = text_of(TALK, &options("chatml", None));
    assert!(fine.contains(" ✓ chatml · ≈9 of ≈") && fine.contains("34 of "), "{fine}");
    assert!(fine.contains("assistant ≈9 of ≈20") && fine.contains("user ≈0 of ≈"), "{fine}");
    let cut = text_of(TALK, &options("chatml", Some(30)));
    let cut = cut.replace('\n', "");
    assert!(cut.contains("tokens behind the limit") && cut.contains("! loss.cut"), "{cut}");
    let user = r#"{"messages":[{"role":"user","content":"Hi","train":true},{"role":"assistant","content":"Yo","train":false}]}"#;
    assert!(text_of(user, &options("chatml", None)).contains("! loss.not-agent"));
    let none = r#"{"messages":[{"role":"user","content":"Hi"}]}"#;
    assert!(text_of(none, &options("chatml", None)).contains("! loss.nothing-trains"));
    let small = pane(text(none, "chatml")).head(Extent { width: 30, height: 5 });
    assert_eq!(small.len(), 1);
    assert!(small[0].plain().contains('!'));
}

#[test]
fn a_new_text_begins_at_the_top() {
    let mut pane = pane(text(TALK, "chatml"));
    pane.move_by(9, CELLS);
    pane.set(Ok(text(TALK, "qwen")));
    assert_eq!(pane.reader.scroll, Scroll::default());
    pane.set(Err("why".to_owned()));
    let names = KeyNames::default();
    assert!(
        pane.window(&names, Extent { width: 40, height: 9 }, true).rows.iter().any(|row| row.plain().contains("why"))
    );
    pane.slide(CELLS);
    pane.move_by(isize::MAX / 2, CELLS);
}
