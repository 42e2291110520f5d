//! Simulations of tau2-bench in which both sides speak at once: what each says in a tick is a piece of a turn
//! (`FORMATS.md` 8).

use crate::json::{self, Value, quote};

/// The sides of a simulation: where a tick has what one says, calls and gets back.
const SIDES: [Side; 2] = [
    Side { role: "assistant", chunk: "agent_chunk", calls: "agent_tool_calls", results: "agent_tool_results" },
    Side { role: "user", chunk: "user_chunk", calls: "user_tool_calls", results: "user_tool_results" },
];

struct Side {
    role: &'static str,
    chunk: &'static str,
    calls: &'static str,
    results: &'static str,
}

/// A simulation with messages in place of its ticks, on one line; None: it has no ticks, or its messages beside them.
pub(super) fn with_messages(simulation: &Value<'_>) -> Option<String> {
    let has_messages = simulation.get("messages").is_some_and(|messages| messages.as_array().is_some());
    let ticks = simulation.get("ticks")?.as_array().filter(|_| !has_messages)?;
    let others = simulation.as_object()?.entries().filter(|(name, _)| !matches!(*name, "messages" | "ticks"));
    let members = others.map(|(name, value)| format!("{}:{}", quote(name), json::compact(value)));
    let messages = format!("\"messages\":[{}]", messages(ticks).join(","));
    Some(format!("{{{}}}", members.chain([messages]).collect::<Vec<_>>().join(",")))
}

/// What a side is saying.
#[derive(Default)]
struct Turn<'v> {
    /// Where it is among the messages.
    place: usize,
    words: String,
    time: Option<&'v str>,
    /// The utterances of its last piece.
    utterances: Vec<&'v str>,
    /// Whether the other side spoke since, while this one was silent.
    was_answered: bool,
}

/// The messages of all ticks: a turn is where it began. It goes on until its side is silent while the other one
/// speaks, or calls a tool.
fn messages(ticks: &[Value<'_>]) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    let mut open: [Option<Turn<'_>>; 2] = [None, None];
    for tick in ticks {
        let spoken = [0, 1].map(|side: usize| words(tick, &SIDES[side]));
        for (side, of) in SIDES.iter().enumerate() {
            let has_calls = !list(tick, of.calls).is_empty();
            let other = spoken[1 - side].is_some();
            if let Some(turn) = open[side].as_mut() {
                turn.was_answered |= other && spoken[side].is_none();
            }
            if open[side].as_ref().is_some_and(|turn| turn.was_answered) || has_calls {
                close(&mut open[side], of, &mut messages);
            }
            // What came back of a call is spoken before what the agent says of it.
            let results = list(tick, of.results).iter().map(json::compact);
            if !has_calls {
                if results.len() > 0 {
                    close(&mut open[side], of, &mut messages);
                }
                messages.extend(results.clone());
            }
            if let Some((text, chunk)) = spoken[side] {
                let turn = open[side].get_or_insert_with(|| begin(tick, chunk, &mut messages));
                turn.add(text, chunk);
            }
            if has_calls {
                close(&mut open[side], of, &mut messages);
                let calls: Vec<String> = list(tick, of.calls).iter().map(json::compact).collect();
                let time = time(tick).map(|time| format!(",\"timestamp\":{}", quote(time))).unwrap_or_default();
                let calls = calls.join(",");
                messages.push(format!("{{\"role\":\"{}\",\"content\":null,\"tool_calls\":[{calls}]{time}}}", of.role));
                messages.extend(results);
            }
        }
    }
    SIDES.iter().zip(&mut open).for_each(|(of, turn)| close(turn, of, &mut messages));
    messages
}

fn list<'v, 'a>(tick: &'v Value<'a>, name: &str) -> &'v [Value<'a>] {
    tick.get(name).and_then(Value::as_array).unwrap_or_default()
}

fn time<'v>(tick: &'v Value<'_>) -> Option<&'v str> {
    tick.get("timestamp")?.as_str()
}

/// What a side says in a tick, and the piece that holds it: the text, else the script of what is heard.
fn words<'v, 'a>(tick: &'v Value<'a>, side: &Side) -> Option<(&'v str, &'v Value<'a>)> {
    let chunk = tick.get(side.chunk)?;
    let is_audio = chunk.get("is_audio").and_then(Value::as_bool) == Some(true);
    let text = |name: &str| chunk.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let script = text("audio_script_gold");
    let found = if is_audio { script } else { text("content").or(script) };
    Some((found?, chunk))
}

fn begin<'v>(tick: &'v Value<'_>, chunk: &'v Value<'_>, messages: &mut Vec<String>) -> Turn<'v> {
    messages.push(String::new());
    Turn { place: messages.len() - 1, time: time(chunk).or_else(|| time(tick)), ..Turn::default() }
}

impl<'v> Turn<'v> {
    fn add(&mut self, text: &str, chunk: &'v Value<'_>) {
        let utterances: Vec<&str> = list(chunk, "utterance_ids").iter().filter_map(Value::as_str).collect();
        let is_other = |known: &[&str]| !known.iter().any(|id| utterances.contains(id));
        let are_named = !utterances.is_empty() && !self.utterances.is_empty();
        if !self.words.is_empty() && are_named && is_other(&self.utterances) {
            self.words.push(' ');
        }
        self.words.push_str(text);
        self.utterances = utterances;
        self.was_answered = false;
    }
}

/// A turn is over: its message is where it began.
fn close(turn: &mut Option<Turn<'_>>, side: &Side, messages: &mut [String]) {
    let Some(turn) = turn.take() else { return };
    let time = turn.time.map(|time| format!(",\"timestamp\":{}", quote(time))).unwrap_or_default();
    if let Some(message) = messages.get_mut(turn.place) {
        *message = format!("{{\"role\":\"{}\",\"content\":{}{time}}}", side.role, quote(&turn.words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ticks: &[String]) -> Vec<String> {
        let text = format!(r#"{{"id":"s","messages":null,"ticks":[{}],"task_id":1}}"#, ticks.join(","));
        let line = with_messages(&json::parse(&text).unwrap()).unwrap();
        let row = json::parse(&line).unwrap();
        assert!(row.get("ticks").is_none() && row.get("task_id").is_some());
        let message = |message: &Value<'_>| {
            let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let calls = message.get("tool_calls").map(|calls| calls.text.to_owned()).unwrap_or_default();
            format!("{}: {}{calls}", text("role"), text("content"))
        };
        row.get("messages").and_then(Value::as_array).unwrap().iter().map(message).collect()
    }

    fn chunk(side: &str, words: &str) -> String {
        format!(r#""{side}_chunk":{{"content":"{words}","utterance_ids":["{side}"]}}"#)
    }

    #[test]
    fn pieces_of_a_turn_are_one_message() {
        let tick = |inner: &[String]| format!(r#"{{"timestamp":"t",{}}}"#, inner.join(","));
        let silent = || tick(&[r#""agent_chunk":{"content":""}"#.to_owned()]);
        let found = of(&[
            tick(&[chunk("user", "Hel")]),
            tick(&[chunk("user", "lo.")]),
            tick(&[chunk("agent", "How ")]),
            silent(),
            tick(&[chunk("agent", "are "), chunk("user", "Mhm.")]),
            tick(&[chunk("agent", "you?")]),
        ]);
        assert_eq!(found, ["user: Hello.", "assistant: How are you?", "user: Mhm."]);
    }

    #[test]
    fn a_call_ends_a_turn_and_its_result_follows() {
        let calls = r#""agent_tool_calls":[{"id":"c","name":"f","arguments":{}}]"#.to_owned();
        let results = r#""agent_tool_results":[{"id":"c","role":"tool","content":"ok"}]"#.to_owned();
        let tick = |inner: &[String]| format!("{{{}}}", inner.join(","));
        let found = of(&[
            tick(&[chunk("agent", "I look.")]),
            tick(&[chunk("agent", " Wait."), calls]),
            tick(&[results, chunk("agent", "Done.")]),
        ]);
        let expected =
            ["assistant: I look.", "assistant:  Wait.", r#"assistant: [{"id":"c","name":"f","arguments":{}}]"#];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3..], ["tool: ok", "assistant: Done."]);
    }

    #[test]
    fn a_simulation_with_messages_stays_as_it_is() {
        let of = |text: &str| with_messages(&json::parse(text).unwrap());
        assert_eq!(of(r#"{"messages":[],"ticks":[]}"#), None);
        assert_eq!(of(r#"{"messages":null,"ticks":null}"#), None);
        assert_eq!(of(r#"{"ticks":[]}"#).as_deref(), Some(r#"{"messages":[]}"#));
    }
}
