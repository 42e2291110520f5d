//! Runs of LangSmith: exported, or as they are sent, in a part when they begin and a patch when they end
//! (`FORMATS.md` 4).

use super::Framing;
use super::call_time::span_ms;
use super::log::{
    Adapter, Arrange, Draft, Earlier, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Piece, PlacedPieces, Row, count,
    first, first_text, items, lang_chain_turn, model_usage, text, text_of,
};
use crate::json::{self, Value};
use crate::model::{ModelRequest, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Runs of traces.
pub(super) static LANGSMITH: Row = Row {
    name: "langsmith",
    title: "LangSmith runs",
    about: "Runs of LangSmith: objects of `run_type`, `trace_id` and `dotted_order` (without it, as its command line \
            exports them, with `run_id` and `start_time`), what a query gives (`runs`), or what is sent to it \
            (`post` and `patch`; a patch belongs to the run of its id). A run is a step; the \
            runs of a trace stand together, in the order of `dotted_order`.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Runs::default())),
    has_trajectories: true,
    samples: &[BODY],
    ..Row::BASE
};

/// A run that began and ended.
const BODY: &str = concat!(
    r#"{"post":[{"id":"r1","trace_id":"r1","dotted_order":"20260501T100000000001Zr1","name":"Chat","#,
    r#""run_type":"llm","start_time":1728803137170,"inputs":{"messages":[{"role":"user","#,
    r#""content":"hi"}]}}],"#,
    "\n",
    r#""patch":[{"id":"r1","trace_id":"r1","dotted_order":"20260501T100000000001Zr1","#,
    r#""end_time":1728803138285,"outputs":{"choices":[{"message":{"role":"assistant","content":"Hello"}}],"#,
    r#""usage_metadata":{"input_tokens":3,"output_tokens":1}}}]}"#,
);

/// A run in its parts, and one that is a call.
const RUN: Form = FIRST_ADAPTER_FORM;
const CALL: Form = FIRST_ADAPTER_FORM + 1;

/// Members that hold runs: of what is sent, and of what a query gives.
const LISTS: [&str; 3] = ["post", "patch", "runs"];

/// Most levels of runs in runs.
const DEPTH_MAX: usize = 64;

/// Length of an id at the end of a dotted order.
const ID_CHARS: usize = 36;

/// The id of a run: its own, which the command line calls `run_id`, or the end of its place.
fn id<'v>(run: &'v Value<'_>) -> Option<&'v str> {
    let of_order = || {
        let order = text(run, "dotted_order")?;
        order.get(order.len().checked_sub(ID_CHARS)?..)
    };
    first_text(run, &["id", "run_id"]).or_else(of_order)
}

/// The trace of a run: what it says, else the first run of its place, else itself.
fn trace<'v>(run: &'v Value<'_>) -> &'v str {
    let of_order = || {
        let first = text(run, "dotted_order")?.split('.').next().filter(|first| !first.is_empty())?;
        first.get(first.len().saturating_sub(ID_CHARS)..).or(Some(first))
    };
    text(run, "trace_id").or_else(of_order).or_else(|| id(run)).unwrap_or_default()
}

/// The runs so far, to be put in order.
#[derive(Default)]
struct Order {
    runs: Vec<(usize, Box<str>, usize, bool, Piece)>,
    traces: HashMap<Box<str>, usize>,
    /// Trace and place of a run, which patches may leave out.
    known: HashMap<Box<str>, (usize, Box<str>, usize)>,
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let lists = LISTS.map(|name| items(value, name));
        if lists.iter().all(|list| list.is_empty()) {
            self.put_tree(record, value, 0);
        }
        lists.into_iter().flatten().for_each(|run| self.put_tree(record, run, 0));
        PlacedPieces::Rearranged
    }

    fn order(&mut self) -> Vec<Piece> {
        self.runs.sort_by(|a, b| (a.0, &a.1, a.2, a.3).cmp(&(b.0, &b.1, b.2, b.3)));
        self.runs.iter().map(|(.., piece)| *piece).collect()
    }
}

impl Order {
    /// A run and the runs in it.
    fn put_tree(&mut self, record: usize, run: &Value<'_>, depth: usize) {
        self.put(record, run);
        if depth < DEPTH_MAX {
            items(run, "child_runs").iter().for_each(|child| self.put_tree(record, child, depth + 1));
        }
    }

    fn put(&mut self, record: usize, run: &Value<'_>) {
        let next = self.traces.len();
        let known = id(run).and_then(|id| self.known.get(id).cloned());
        let (trace, place, number) = known.unwrap_or_else(|| {
            let trace = trace(run);
            let trace = *self.traces.entry(trace.into()).or_insert(next);
            let of_time = || first(run, &["start_time"]).map(|time| time.text).unwrap_or_default();
            let place = text(run, "dotted_order").unwrap_or_else(of_time);
            (trace, place.into(), self.runs.len())
        });
        if let Some(id) = id(run) {
            self.known.entry(id.into()).or_insert_with(|| (trace, place.clone(), number));
        }
        // What began a run comes before what was sent of it later, also where that came first.
        let is_later = run.get("run_type").is_none();
        self.runs.push((trace, place, number, is_later, Piece::of(record, run)));
    }
}

/// Reads the runs in order.
#[derive(Default)]
struct Runs {
    traces: HashSet<Box<str>>,
    /// How deep the runs so far are nested.
    depths: HashMap<Box<str>, usize>,
    /// The run whose parts come, not closed yet.
    open: Option<OpenRun>,
}

struct OpenRun {
    id: Option<Box<str>>,
    step: StepNo,
    form: Form,
    parts: Vec<Earlier>,
}

impl Adapter for Runs {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(Order::default()))
    }

    fn read(&mut self, run: &Value<'_>, log: &mut Log<'_>) {
        let run_id = id(run);
        match &mut self.open {
            Some(open) if run_id.is_some() && open.id.as_deref() == run_id => {
                log.extend(open.step, run);
                open.parts.push(log.keep(run));
            }
            _ => self.begin(run, run_id, log),
        }
    }

    fn finish(&mut self, log: &mut Log<'_>) {
        self.close(log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        Turn::of(StepRole::Agent, if form == CALL { call(values) } else { outcome_parts(values) })
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let trajectory = values.first().map(|part| trace(part).to_owned()).unwrap_or_default();
        if form == CALL {
            return Some(ModelRequest { trajectory, messages: Vec::new() });
        }
        let is_of_model = values.iter().any(|part| text(part, "run_type") == Some("llm"));
        let messages = is_of_model.then(|| asked(values).chain(answered(values)).collect::<Vec<_>>())?;
        (!messages.is_empty()).then_some(ModelRequest { trajectory, messages })
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

/// What a model was asked with: a list of messages, or lists of which each is a request.
fn asked<'v>(parts: &'v [&Value<'_>]) -> impl Iterator<Item = Turn<'static>> + 'v {
    let mut lists = parts.iter().rev().filter_map(|part| Some(items(part.get("inputs")?, "messages")));
    let messages = lists.find(|messages| !messages.is_empty()).unwrap_or_default();
    let inner = messages.first().and_then(Value::as_array);
    inner.unwrap_or(messages).iter().filter_map(lang_chain_turn)
}

/// What it answered.
fn answered(parts: &[&Value<'_>]) -> Option<Turn<'static>> {
    let outputs = parts.iter().rev().find_map(|part| first(part, &["outputs"]))?;
    let choice = || items(outputs, "choices").first()?.get("message");
    let message =
        choice().or_else(|| generation(outputs)?.get("message")).or_else(|| items(outputs, "messages").last());
    lang_chain_turn(message.unwrap_or(outputs))
}

impl Runs {
    fn begin(&mut self, run: &Value<'_>, id: Option<&str>, log: &mut Log<'_>) {
        self.close(log);
        let trace = trace(run);
        if self.traces.insert(trace.into()) {
            log.trajectory(self.traces.len() - 1);
            if self.traces.len() == 1 {
                log.title(trace);
            } else {
                log.begin_trajectory(trace);
            }
        }
        let depth = self.depth(run);
        self.depths.extend(id.map(|id| (id.into(), depth)));
        log.enter_depth(depth);
        let (kind, form) = match text(run, "run_type") {
            Some("tool") => (Kind::Call, CALL),
            Some("llm") => (Kind::Answer, RUN),
            _ => (Kind::Span, RUN),
        };
        let (values, time) = ([run], run.get("start_time"));
        let class = text(run, "name").or_else(|| text(run, "run_type")).or(Some("run"));
        let step = log.open(&Draft { role: StepRole::Agent, class, time, ..Draft::of(kind, form, &values) });
        self.open = Some(OpenRun { id: id.map(Into::into), step, form, parts: vec![log.keep(run)] });
    }

    /// How many runs a run is in: its place has one name for each and its own, else its parent is known.
    fn depth(&self, run: &Value<'_>) -> usize {
        let of_place = text(run, "dotted_order").map(|place| place.matches('.').count());
        let of_parent = || Some(self.depths.get(text(run, "parent_run_id")?)? + 1);
        of_place.or_else(of_parent).unwrap_or_default()
    }

    /// All parts of a run are there.
    fn close(&mut self, log: &mut Log<'_>) {
        let Some(open) = self.open.take() else { return };
        let closed = log.close_with(open.step, open.form, &open.parts, |parts| {
            let has_failed = open.form == RUN && last(parts, &["error"]).is_some();
            let tools = last(parts, &["extra"]).and_then(|extra| extra.get("invocation_params")?.get("tools"));
            (usage(parts), model(parts).map(str::to_owned), has_failed, tools.map(|tools| tools.text.to_owned()))
        });
        let (usage, model, has_failed, tools) = closed;
        tools.into_iter().for_each(|tools| log.declare_tools_in(&tools));
        if has_failed {
            log.fail(open.step);
        }
        log.surroundings_ahead(&Surroundings { model: model.map(Cow::Owned), ..Surroundings::default() });
        if let Some(usage) = usage {
            if let Some(output) = usage.output {
                log.tokens(open.step, output);
            }
            log.usage(None, &usage);
        }
    }
}

/// The last of the parts that has one of these members.
fn last<'v>(parts: &[&'v Value<'v>], keys: &[&str]) -> Option<&'v Value<'v>> {
    parts.iter().rev().find_map(|part| first(part, keys))
}

/// Tokens of a model's run.
fn usage(parts: &[&Value<'_>]) -> Option<Usage> {
    if !parts.iter().any(|part| text(part, "run_type") == Some("llm")) {
        return None;
    }
    let outputs = parts.iter().rev().find_map(|part| first(part, &["outputs"]));
    let of_model = outputs.and_then(|outputs| generation(outputs)?.get("message"));
    let of_model = of_model.map(|message| message.get("kwargs").unwrap_or(message));
    let places = [outputs, of_model, outputs.and_then(|outputs| outputs.get("llm_output"))];
    let found = places.into_iter().flatten().find_map(|at| first(at, &["usage_metadata", "usage", "token_usage"]));
    // A run may say its tokens itself.
    let has_counts = |usage: &&Value<'_>| count(usage, "prompt_tokens").is_some();
    let found = found.or_else(|| parts.iter().rev().copied().find(has_counts));
    let usage = found.or_else(|| last(parts, &["token_usage"]).filter(has_counts))?;
    let cost = |part: &Value<'_>| {
        let cost = first(part, &["total_cost"]).or_else(|| first(part.get("costs")?, &["total_cost"]))?;
        cost.as_number().or_else(|| cost.as_str())?.parse().ok()
    };
    let cost = parts.iter().rev().find_map(|part| cost(part));
    let usage = model_usage(usage);
    Some(Usage { cost: usage.cost.or(cost), ..usage })
}

fn call<'v>(parts: &[&'v Value<'v>]) -> Vec<TurnPart<'v>> {
    let name = last(parts, &["name"]).and_then(Value::as_str).unwrap_or("?");
    let inputs = last(parts, &["inputs"]);
    let plain = inputs.and_then(|inputs| text(inputs, "input"));
    let arguments = match plain.filter(|inner| json::parse(inner).is_ok_and(|value| value.as_object().is_some())) {
        Some(inner) => Cow::Owned(inner.to_owned()),
        None => inputs.map_or(Cow::Borrowed("{}"), |inputs| Cow::Borrowed(inputs.text)),
    };
    let call = ToolCall { id: None, name: name.into(), arguments };
    let (outputs, error) = (last(parts, &["outputs"]), last(parts, &["error"]));
    // The output may be a message, which says itself whether it is a failure.
    let message = outputs.and_then(|outputs| outputs.get("output"));
    let message = message.map(|message| message.get("kwargs").unwrap_or(message));
    let message = message.filter(|message| message.get("content").is_some());
    let has_failed = error.is_some() || message.and_then(|message| text(message, "status")) == Some("error");
    let result = error.or(message).or(outputs).map(|outcome| ToolResult {
        name: Some(name.into()),
        text: text_of(first(outcome, &["output", "content"]).unwrap_or(outcome)),
        is_error: Some(has_failed),
        span_ms: span_ms(last(parts, &["start_time"]), last(parts, &["end_time"])),
        ..ToolResult::default()
    });
    std::iter::once(TurnPart::Call(call)).chain(result.map(TurnPart::Result)).collect()
}

/// The first answer of a chat model of LangChain.
fn generation<'v, 'a>(outputs: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let generations = outputs.get("generations")?.as_array()?.first()?;
    generations.as_array().map_or(Some(generations), <[_]>::first)
}

/// What a run led to, its error, or what it began with.
fn outcome_parts<'v>(parts: &[&'v Value<'v>]) -> Vec<TurnPart<'v>> {
    let outputs = last(parts, &["outputs"]);
    let message = outputs.and_then(|outputs| {
        let choice = || items(outputs, "choices").first()?.get("message");
        let of_generation = || generation(outputs)?.get("message");
        let last = || items(outputs, "messages").last();
        choice().or_else(of_generation).or_else(last)
    });
    let message = message.map(|message| message.get("kwargs").unwrap_or(message)).and_then(words);
    let plain = outputs.and_then(|outputs| {
        let of_generation = || generation(outputs)?.get("text");
        let found = of_generation().or_else(|| first(outputs, &["output", "content", "text", "answer"]));
        found.map(text_of).filter(|text| !text.is_empty())
    });
    let error = last(parts, &["error"]).map(text_of);
    let whole = || outputs.or_else(|| last(parts, &["inputs", "name"])).map(text_of);
    error.or(message).or(plain).or_else(whole).map(TurnPart::Text).into_iter().collect()
}

/// The words of a message and the calls that it asks for, which are runs of their own.
fn words<'v>(message: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let content = message.get("content").map(text_of).filter(|text| !text.is_empty());
    let asked = items(message, "tool_calls");
    if asked.is_empty() {
        return content;
    }
    let calls = asked.iter().map(|asked| {
        let call = super::log::call(asked);
        format!("{}({})", call.name, call.arguments)
    });
    Some(Cow::Owned(content.map(Cow::into_owned).into_iter().chain(calls).collect::<Vec<_>>().join("\n")))
}

/// The model of a run.
fn model<'v>(parts: &[&'v Value<'v>]) -> Option<&'v str> {
    const NAME: &str = "ls_model_name";
    let exported = last(parts, &["custom_metadata"]).and_then(|metadata| text(metadata, NAME));
    if exported.is_some() {
        return exported;
    }
    let extra = last(parts, &["extra"])?;
    let of = |place: &str, keys: &[&str]| first_text(extra.get(place)?, keys);
    of("metadata", &[NAME]).or_else(|| of("invocation_params", &["model", "model_name"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Run;
    use crate::format::log::testing::{run_of_record, state, steps};
    use crate::model::StepKind;

    #[test]
    fn a_patch_belongs_to_the_run_of_its_id() {
        let parsed = run_of_record(&LANGSMITH, BODY);
        assert_eq!(steps(&parsed), ["span agent: Hello"]);
        assert_eq!(parsed.0.step(0, &parsed.1).tokens, Some(1));
    }

    #[test]
    fn what_a_chat_model_of_langchain_says_and_spends() {
        let text = r#"{"id":"a","trace_id":"a","run_type":"llm","name":"ChatOpenAI",
            "extra":{"metadata":{"ls_model_name":"m"}},"outputs":{"generations":[[{"text":"","message":{"kwargs":{
            "content":"So.","tool_calls":[{"name":"ls","args":{"p":"x"},"id":"c"}],
            "usage_metadata":{"input_tokens":5,"output_tokens":6}}}}]]}}"#;
        let parsed = run_of_record(&LANGSMITH, text);
        assert_eq!(steps(&parsed), ["span agent: So.\nls({\"p\":\"x\"})"]);
        let step = parsed.0.step(0, &parsed.1);
        assert_eq!((step.tokens, step.label.as_str(), step.sign), (Some(6), "agent", StepKind::Message));
        let failed = r#"{"id":"a","trace_id":"a","run_type":"chain","name":"x","error":"no quota","prompt_tokens":1}"#;
        let parsed = run_of_record(&LANGSMITH, failed);
        assert_eq!((steps(&parsed), parsed.0.error_steps()), (vec!["span agent: no quota".to_owned()], vec![0]));
    }

    #[test]
    fn the_class_of_a_message_says_who_speaks() {
        let message = |class: &str, text: &str| {
            let id = format!(r#"["langchain_core","messages","{class}"]"#);
            format!(r#"{{"lc":1,"type":"constructor","id":{id},"kwargs":{{"content":"{text}"}}}}"#)
        };
        let text = format!(
            r#"{{"id":"a","trace_id":"t","run_type":"llm","name":"m","inputs":{{"messages":[[{},{}]]}},
            "outputs":{{"generations":[[{{"message":{}}}]]}}}}"#,
            message("SystemMessage", "S"),
            message("HumanMessage", "hi"),
            message("AIMessageChunk", "yo")
        );
        let (run, bytes) = run_of_record(&LANGSMITH, &text);
        let request = run.model_request(0, &bytes).unwrap();
        assert_eq!(request.trajectory, "t", "a request belongs to its trace");
        let asked = request.messages;
        assert_eq!(asked.iter().map(|turn| turn.role.name()).collect::<Vec<_>>(), ["system", "user", "agent"]);
    }

    #[test]
    fn a_patch_that_comes_first_waits_for_what_began_its_run() {
        let (a, b) = ("00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b");
        let order = format!("20260501T100000000000Z{a}.20260501T100001000000Z{b}");
        let text = format!(
            r#"{{"patch":[{{"dotted_order":"{order}","outputs":{{"output":"late"}}}}],"post":[
            {{"id":"{a}","trace_id":"{a}","dotted_order":"20260501T100000000000Z{a}","run_type":"chain","name":"root"}},
            {{"id":"{b}","trace_id":"{a}","dotted_order":"{order}","run_type":"tool","name":"t",
              "inputs":{{"x":1}}}}]}}"#
        );
        let parsed = run_of_record(&LANGSMITH, &text);
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed)[1].as_str()), (1, "tool-call agent: t x=1 · late"));
    }

    #[test]
    fn runs_in_runs_and_costs_in_texts_count() {
        let text = r#"{"id":"a","trace_id":"a","dotted_order":"1a","run_type":"chain","name":"root","child_runs":[
            {"id":"b","trace_id":"a","dotted_order":"1a.2b","run_type":"llm","name":"m","outputs":{"output":"x"},
             "prompt_tokens":5,"total_cost":"0.25","child_runs":[
                {"id":"c","trace_id":"a","dotted_order":"1a.2b.3c","run_type":"chain","name":"deep"}]}]}"#;
        let parsed = run_of_record(&LANGSMITH, text);
        let depths = |run: &dyn Run, bytes: &Vec<u8>| [0, 1, 2].map(|number| run.step(number, bytes).depth);
        assert_eq!((parsed.0.step_count(), depths(&*parsed.0, &parsed.1)), (3, [0, 1, 2]));
        let by_parents = [("1a", ""), ("1a.2b", r#""parent_run_id":"a","#), ("1a.2b.3c", r#""parent_run_id":"b","#)];
        let by_parents = by_parents.iter().fold(text.to_owned(), |text, (place, parent)| {
            text.replace(&format!(r#""dotted_order":"{place}","#), parent)
        });
        let nested = run_of_record(&LANGSMITH, &by_parents);
        assert_eq!(depths(&*nested.0, &nested.1), [0, 1, 2]);
        assert!(state(&parsed, "usage", 2).contains(r#""cost":0.25"#), "{}", state(&parsed, "usage", 2));
    }

    #[test]
    fn runs_of_the_command_line_have_ids_times_and_tokens_under_other_names() {
        let run = |id: &str, parent: &str, second: u8, rest: &str| {
            let time = format!(r#""start_time":"2026-05-01T10:00:0{second}+00:00""#);
            format!(r#"{{"run_id":"{id}","trace_id":"a","parent_run_id":{parent},{time},{rest}}}"#)
        };
        let model = r#""run_type":"llm","name":"m","custom_metadata":{"ls_model_name":"gpt"},"outputs":{"output":"x"},
            "token_usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7},"costs":{"total_cost":0.5}"#;
        let tool = r#""run_type":"tool","name":"ls","inputs":{"path":"x"},"error":"no such folder""#;
        // The newest comes first.
        let runs = [run("c", "\"a\"", 2, tool), run("b", "\"a\"", 1, model)];
        let text = format!("[{},{}]", runs.join(","), run("a", "null", 0, r#""run_type":"chain","name":"agent""#));
        let parsed = run_of_record(&LANGSMITH, &format!(r#"{{"trace_id":"a","runs":{text}}}"#));
        assert_eq!(steps(&parsed), ["span agent: agent", "span agent: x", "tool-call agent: ls x · no such folder"]);
        assert_eq!([0, 1, 2].map(|step| parsed.0.step(step, &parsed.1).depth), [0, 1, 1]);
        let usage = state(&parsed, "usage", 2);
        assert!(usage.contains(r#""input":5,"output":2"#) && usage.contains(r#""cost":0.5"#), "{usage}");
    }

    #[test]
    fn runs_stand_in_their_dotted_order_and_patches_without_id_are_found_by_it() {
        let (a, b) = ("00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b");
        let run = |id: &str, rest: &str| format!(r#"{{"id":"{id}","trace_id":"{a}",{rest}}}"#);
        let tool =
            run(b, &format!(r#""dotted_order":"1{a}.2{b}","name":"ls","run_type":"tool","inputs":{{"path":"x"}}"#));
        let chain = run(a, &format!(r#""dotted_order":"1{a}","name":"agent","run_type":"chain""#));
        let patch = format!(r#"{{"trace_id":"{a}","dotted_order":"1{a}.2{b}","error":"no such folder"}}"#);
        let text = format!(r#"{{"post":[{tool},{chain}],"patch":[{patch}]}}"#);
        let parsed = run_of_record(&LANGSMITH, &text);
        assert_eq!(steps(&parsed), ["span agent: agent", "tool-call agent: ls x · no such folder"]);
        assert_eq!((parsed.0.trajectory_count(), parsed.0.error_steps()), (1, vec![1]));
    }
}
