//! The Loss tab: a conversation as a model would see it, with what trains it set off.

use super::reader::TextLine;
use crate::json;
use crate::review::{Conversation, Loss, Segment, Template, Train, loss, tokens};
use crate::text::Role;

/// The template of the tab.
const TEMPLATE: &str = "chatml";
/// Most lines that are laid out.
const LINES_MAX: usize = 50_000;

/// The lines of a record, or why there are none.
#[must_use]
pub fn lines(record: &str) -> Vec<TextLine> {
    match answer(record) {
        Ok(answer) => laid_out(&answer),
        Err(why) => vec![TextLine::new(Role::Title, "Nothing here."), TextLine::new(Role::Dim, why)],
    }
}

fn answer(record: &str) -> Result<Loss, String> {
    let value =
        json::parse(record).map_err(|e| format!("The record is no JSON: {} at byte {} of it.", e.message, e.byte))?;
    let conversation = Conversation::of(&value)
        .ok_or("The record is no conversation: it needs messages, or actions and observations, at least one.")?;
    let template = Template::named(TEMPLATE).ok_or("There is no template.")?;
    loss(&conversation, &template, &Train::Agent, None).map_err(|fault| format!("Template {TEMPLATE}: {fault}."))
}

fn laid_out(answer: &Loss) -> Vec<TextLine> {
    let sum = |pick: fn(&Segment) -> bool| -> usize {
        answer.segments.iter().filter(|segment| pick(segment)).map(|segment| segment.span.len()).sum()
    };
    let (all, trained) = (tokens(answer.text.len()), tokens(sum(|segment| segment.is_trained)));
    let head = format!("template {TEMPLATE} · ~{trained} of ~{all} tokens train: + and shaded");
    let mut out = vec![TextLine::new(Role::Title, head)];
    let hint = "`obelus loss` takes another template, a limit, and other messages to train";
    out.push(TextLine::new(Role::Dim, hint));
    for (role, total) in &answer.totals {
        let text = format!(
            "  {role}: {} messages, ~{} seen, ~{} trained",
            total.messages,
            tokens(total.seen),
            tokens(total.trained)
        );
        out.push(TextLine::new(Role::Dim, text));
    }
    for finding in &answer.findings {
        let at = finding.message.map_or(String::new(), |message| format!("message {message}: "));
        out.push(TextLine::new(Role::Warning, format!("{}  {at}{}", finding.rule, finding.text)));
    }
    out.push(TextLine::new(Role::Text, ""));
    let lines = answer.lines();
    out.extend(lines.iter().take(LINES_MAX).map(|line| shaded(line)));
    if lines.len() > LINES_MAX {
        let text = format!("… {} more lines; `obelus loss` prints them all", lines.len() - LINES_MAX);
        out.push(TextLine::new(Role::Dim, text));
    }
    out
}

/// A line: `+` before it where some of it trains, and that part set off.
fn shaded(line: &[(&Segment, &str)]) -> TextLine {
    let is_trained = line.iter().any(|(segment, text)| segment.is_trained && !text.is_empty());
    let mut out = TextLine::new(Role::Dim, if is_trained { "+ " } else { "  " });
    for (segment, text) in line {
        let start = out.text.len();
        out.text.push_str(text);
        if segment.is_trained {
            out.marks.push((start..out.text.len(), Role::Added));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_trains_is_set_off_by_a_sign_and_a_role() {
        let all = lines(r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Yo\nho"}]}"#);
        let text: Vec<&str> = all.iter().map(|line| line.text.as_str()).collect();
        let at = text.iter().position(|text| *text == "  <|im_start|>user").unwrap();
        assert_eq!(
            text[at..],
            ["  <|im_start|>user", "  Hi<|im_end|>", "  <|im_start|>assistant", "+ Yo", "+ ho<|im_end|>"]
        );
        assert_eq!(all[at + 3].marks, vec![(2..4, Role::Added)]);
        assert!(text[0].contains("~4 of ~17"), "{}", text[0]);
    }

    #[test]
    fn what_is_no_conversation_says_so() {
        assert!(lines("{").last().unwrap().text.contains("no JSON"));
        assert!(lines("{\"a\":1}").last().unwrap().text.contains("no conversation"));
    }
}
