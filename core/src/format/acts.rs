//! Agent/Data: contexts and logs of messages that merge into state (`ACTS.md`).

pub(super) mod evidence;
mod plan;

use super::answer::{Answer, AnswerField, Attribution, Resolved, ViewEntry};
use super::cause::MessageOrigin;
use super::plan::{Edges, PlanAnswer, PlanView, RefState, ValueReader};
use super::run::{Format, Layout, Plans, Run};
use super::{Match, Near};
use crate::json::{Key, Value, quote};
use crate::model::{Bytes, Finding, Framing, Identity, Problem, Record, Step, StepNo, StepPlace, Turn, TurnPart};
use crate::rules::acts::{
    self, Log, MissingPart, Plan, Resolution, Resolver, canonical, known_paths, parse_expression, parse_reference,
};
use crate::state::{HistoryEvent, IdentityId, IdentityView, ReportedCounts, SchemaChecker, Tree, Violations};
use evidence::Evidence;
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

/// The format.
pub(super) struct Acts;

impl Format for Acts {
    fn name(&self) -> &'static str {
        "acts"
    }

    fn title(&self) -> &'static str {
        "Agent/Data"
    }

    fn about(&self) -> &'static str {
        "Contexts and logs of the Agent/Data protocol: messages whose `data`, `input`, `state` and `error` merge into \
         state by kind and instance, plans of calls, solutions. Known by an envelope with messages in its \
         `context` (an empty one counts where all of the first 20 records are envelopes), or by at least half of their \
         messages having one of the protocol's types together with its own member (`text` its `text`, `plan` its \
         `calls`) or `_call`, `_instance`, `_tick`, and one of them being data, input, state or a plan that holds an \
         object or array. A type alone is common in the logs of other agents and claims nothing."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let evidence = Evidence::of(first);
        let reason = if evidence.has_request() {
            "a record is a request with a `context`".to_owned()
        } else {
            format!("{} of {} messages have a type of Agent/Data and its member", evidence.typed, evidence.messages)
        };
        evidence.suffices().then_some(Match { reason })
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        Evidence::of(first).near()
    }

    fn framing(&self) -> Framing {
        Framing::Text
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    /// A2: an array of messages adds to the context, an envelope is the context.
    fn replacement_affixes(&self, first_byte: u8) -> (&'static str, &'static str) {
        if first_byte == b'[' { ("{\"context\":", "}") } else { ("", "") }
    }

    /// A2: a request carries its context, or the messages of a chat.
    fn grows_by(&self) -> &'static [&'static str] {
        &["context", "messages"]
    }

    fn plan_title(&self) -> Option<&'static str> {
        Some("Plan")
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(ActsRun::default())
    }

    fn samples(&self) -> &'static [&'static str] {
        &[
            "{\"context\":[{\"type\":\"text\",\"text\":\"Book it.\"},{\"type\":\"state\",\"state\":{\"city\":\"Lyon\"}}],\
             \"solution\":{\"calls\":[],\"output\":null}}",
            "{\"type\":\"state\",\"state\":{\"n\":1},\"_tick\":1}\n\
             {\"type\":\"data\",\"kind\":\"state\",\"data\":{\"n\":2},\
             \"_call\":{\"_tool\":\"add\",\"_outputPath\":\"†state.n\"}}\n",
            "[{\"role\":\"user\",\"content\":{\"type\":\"input\",\"input\":{\"x\":1}}},{\"type\":\"plan\",\"plan\":[]}]",
        ]
    }
}

/// One trajectory.
#[derive(Debug, Default)]
struct ActsRun {
    log: Log,
}

impl Run for ActsRun {
    fn push(&mut self, record: &Record, text: &[u8], bytes: &dyn Bytes) {
        self.log.push(record, text, bytes);
    }

    fn look_ahead(&self, bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
        self.log.look_ahead(bytes)
    }

    fn settle(&mut self, ahead: Vec<Arc<Finding>>) {
        self.log.settle(ahead);
    }

    fn step_count(&self) -> usize {
        self.log.step_count()
    }

    fn place(&self, step: StepNo) -> Option<StepPlace> {
        self.log.place(step)
    }

    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step {
        acts::describe(&self.log, step, bytes)
    }

    fn tree(&self) -> &Tree {
        self.log.tree()
    }

    fn findings(&self) -> Vec<Arc<Finding>> {
        self.log.findings()
    }

    fn error_steps(&self) -> Vec<StepNo> {
        self.log.error_steps()
    }

    fn reference(&self, identity: &Identity, path: &[Key]) -> String {
        canonical(&identity.kind, path)
    }

    fn locate(&self, path: &str, step: StepNo) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem> {
        let reference = parse_reference(path).ok_or_else(|| {
            Problem::usage(format!("{path:?} is not a reference")).hint("write it as †kind.key[0][\"any key\"]")
        })?;
        let tree = self.log.tree();
        let ids = self.log.identities_of(&reference.kind);
        let paths = |id| known_paths(tree, step, id, &reference.path).into_iter().map(move |path| (id, path));
        Ok(ids.into_iter().flat_map(paths).collect())
    }

    fn attribution(&self, _identity: IdentityId, author: StepNo, bytes: &dyn Bytes) -> Attribution {
        let (tool, date) = self.log.attribution(author, bytes);
        let field = |name, value: &Option<String>| value.as_ref().map(|text| (name, quote(text)));
        Attribution {
            fields: field("tool", &tool).into_iter().chain(field("date", &date)).collect(),
            who: tool,
            when: date,
        }
    }

    fn origin(&self, _identity: IdentityId, author: StepNo, bytes: &dyn Bytes) -> MessageOrigin {
        let (call, reads) = self.log.origin(author, bytes);
        MessageOrigin { call, reads }
    }

    fn schema_at(&self, identity: IdentityId, step: StepNo) -> Option<StepNo> {
        self.log.schema_at(identity, step)
    }

    fn schema(&self, identity: IdentityId, step: StepNo, bytes: &dyn Bytes) -> Option<(String, StepNo)> {
        self.log.schema(identity, step, bytes)
    }

    fn schema_number(&self, identity: IdentityId, step: StepNo) -> Option<u32> {
        self.log.schema_number(identity, step)
    }

    fn has_schema_of_elements(&self, identity: IdentityId) -> bool {
        self.log.has_schema_of_elements(identity)
    }

    fn turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        let (role, text) = acts::spoken(&self.log, step, bytes)?;
        Some(Turn::of(role, vec![TurnPart::Text(text.into())]))
    }

    fn description_at(&self, identity: IdentityId, step: StepNo) -> Option<StepNo> {
        self.log.description_at(identity, step)
    }

    fn accounts_for(&self, event: &HistoryEvent) -> bool {
        self.log.accounts_for(event)
    }

    fn has_schemas(&self) -> bool {
        self.log.has_schemas()
    }

    fn examine(&self, checker: &mut SchemaChecker, bytes: &dyn Bytes) -> bool {
        self.log.examine(checker, bytes)
    }

    fn schema_findings(&self, violations: &Violations, reported: ReportedCounts) -> Vec<Finding> {
        self.log.schema_findings(violations, reported)
    }

    fn description(&self, identity: IdentityId, step: StepNo, bytes: &dyn Bytes) -> Option<String> {
        self.log.description(identity, step, bytes)
    }

    fn state(&self, step: StepNo, bytes: &dyn Bytes) -> Answer {
        let mut fields = vec![field("tick", self.log.tick(step))];
        let (withdrawn, restored) = self.log.withdrawn(step);
        for (name, steps) in [("withdrawn", withdrawn), ("restored", restored)] {
            if !steps.is_empty() {
                fields.push(field(name, list(steps.iter().map(StepNo::to_string))));
            }
        }
        if let Some((at, value)) = self.log.output(step, bytes) {
            fields.push(field("output", format!("{{\"step\":{at},\"value\":{value}}}")));
        }
        if let Some((at, value)) = self.log.config(step, bytes) {
            fields.push(field("config", format!("{{\"step\":{at},\"value\":{value}}}")));
        }
        let standing = self.log.tree().identities(step);
        fields.push(field("data", list(standing.iter().map(|view| self.identity(view, step, bytes)))));
        fields
    }

    fn view(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ViewEntry> {
        acts::view(&self.log, step, bytes).into_iter().map(view_entry).collect()
    }

    fn merges_messages(&self) -> bool {
        true
    }

    fn raw_view(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Vec<ViewEntry>> {
        Some(acts::raw_view(&self.log, step, bytes).into_iter().map(view_entry).collect())
    }

    fn tick(&self, step: StepNo) -> Option<String> {
        Some(self.log.tick(step))
    }

    fn tick_start(&self, step: StepNo, is_forward: bool) -> Option<StepNo> {
        self.log.tick_start(step, is_forward)
    }

    fn config(&self, step: StepNo, bytes: &dyn Bytes) -> Option<(StepNo, String)> {
        self.log.config(step, bytes)
    }

    fn request(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<(&'static str, String)> {
        self.log.request(step, bytes)
    }

    fn resolve(
        &self,
        reference: &str,
        step: StepNo,
        instance: Option<&str>,
        _expect: Option<&str>,
        bytes: &dyn Bytes,
    ) -> Resolved {
        let outcome = Resolver::new(self.log.tree(), step, instance).expression(&parse_expression(reference));
        let status = match &outcome {
            Resolution::Found(_) => "ok",
            Resolution::Missing(_) => "missing",
            Resolution::Invalid => "invalid",
            Resolution::Unsupported => "unsupported",
        };
        let mut fields = vec![field("ref", quote(reference)), field("status", quote(status))];
        let mut target = None;
        match outcome {
            Resolution::Found(found) => {
                let tree = self.log.tree();
                let identity = tree.identity(found.id);
                let (wrote, changed) = tree.newest(found.node, step).unwrap_or((step, step));
                fields.extend([
                    field("value", tree.text(found.node, step, bytes).unwrap_or_else(null)),
                    field("from", quote(&canonical(&identity.kind, &found.path))),
                    field("instance", or_null(identity.instance.as_deref())),
                    field("wrote", wrote.to_string()),
                    field("changed", changed.to_string()),
                ]);
                target = Some((found.id, found.path));
            }
            Resolution::Missing(MissingPart::Kind) => fields.push(field("reason", quote("kind"))),
            Resolution::Missing(MissingPart::Path) => fields.push(field("reason", quote("path"))),
            _ => {}
        }
        Resolved { is_ok: target.is_some(), status, fields, target }
    }

    fn plan(&self, step: StepNo, bytes: &dyn Bytes) -> Option<PlanAnswer> {
        Some(plan_answer(self.log.plan(step, bytes)))
    }

    fn plan_view(&self, step: StepNo, bytes: &dyn Bytes) -> Option<PlanView> {
        plan::view(&self.log, step, bytes)
    }

    fn references(&self, text: &str, step: StepNo, plan: Plans<'_>) -> Vec<(Range<usize>, RefState)> {
        plan::references(&self.log, text, step, plan)
    }

    fn readers(&self, identity: &Identity, path: &[Key], bytes: &dyn Bytes) -> Vec<ValueReader> {
        plan::readers(&self.log, identity, path, bytes)
    }

    fn withdrawn(&self, step: StepNo) -> (Vec<StepNo>, Vec<StepNo>) {
        let (withdrawn, restored) = self.log.withdrawn(step);
        (withdrawn.to_vec(), restored.to_vec())
    }
}

impl ActsRun {
    /// IDENTITY of `CLI.md`.
    fn identity(&self, view: &IdentityView, step: StepNo, bytes: &dyn Bytes) -> String {
        let tree = self.log.tree();
        let identity = tree.identity(view.id);
        let (first, last) = self.log.touched(view.id, step).unwrap_or((step, step));
        let mut members = vec![
            ("kind", quote(&identity.kind)),
            ("instance", or_null(identity.instance.as_deref())),
            ("first", first.to_string()),
            ("last", last.to_string()),
        ];
        if let Some(value) = view.root.and_then(|root| tree.text(root, step, bytes)) {
            members.push(("value", value));
        }
        if let Some(description) = self.log.description(view.id, step, bytes) {
            members.push(("description", quote(&description)));
        }
        if let Some((schema, at)) = self.log.schema(view.id, step, bytes) {
            members.extend([("schema", schema), ("schema_step", at.to_string())]);
        }
        object(&members)
    }
}

fn view_entry(entry: acts::RenderedEntry) -> ViewEntry {
    let acts::RenderedEntry { role, content, text, step, identity } = entry;
    ViewEntry { role: Some(role), content: Some(content), text, step, identity }
}

/// The plan as `CLI.md` has it; without one its members are null and empty.
fn plan_answer(plan: Option<Plan>) -> PlanAnswer {
    let Some(plan) = plan else {
        let empty = |name| field(name, list([].into_iter()));
        let head = vec![field("source", null()), field("plan_step", null()), empty("nodes")];
        let tail = ["waves", "order", "cycles", "blocked"].map(empty).to_vec();
        return PlanAnswer { head, edges: Box::new(std::iter::empty()), tail };
    };
    let mut head = vec![field("source", quote(plan.source.name())), field("plan_step", plan.step.to_string())];
    head.extend(plan.mode.as_deref().map(|mode| field("mode", quote(mode))));
    head.push(field("nodes", list(plan.nodes.iter().enumerate().map(node))));
    let ids = |ids: &Vec<usize>| list(ids.iter().map(usize::to_string));
    let order = plan.order;
    let tail = vec![
        field("waves", list(order.waves.iter().map(ids))),
        field("order", list(order.waves.iter().flatten().map(usize::to_string))),
        field("cycles", list(order.cycles.iter().map(ids))),
        field("blocked", ids(&order.blocked)),
    ];
    let (count, edges) = (plan.nodes.len(), plan.edges);
    PlanAnswer { head, edges: Box::new((0..count).map(move |from| edges_from(from, &edges))), tail }
}

/// The edges from one call, sorted by reader and reference.
fn edges_from(from: usize, edges: &Edges) -> String {
    let mut out = String::new();
    for end in edges.from(from, usize::MAX) {
        let comma = if out.is_empty() { "" } else { "," };
        let _ = write!(out, "{comma}{{\"from\":{from},\"to\":{},\"ref\":{}}}", end.node, quote(end.label));
    }
    out
}

fn node((id, node): (usize, &acts::Node)) -> String {
    let mut members = vec![
        ("id", id.to_string()),
        ("tool", or_null(node.tool.as_deref())),
        ("instance", or_null(node.instance.as_deref())),
        ("reads", list(node.reads.iter().map(|r| quote(r)))),
        ("writes", list(node.writes.iter().map(|r| quote(r)))),
        ("status", quote(node.status.name())),
    ];
    if !node.instances.is_empty() {
        let each = node.instances.iter().map(|(name, status)| format!("{}:{}", quote(name), quote(status.name())));
        members.push(("instances", format!("{{{}}}", each.collect::<Vec<_>>().join(","))));
    }
    object(&members)
}

/// A member of an answer from JSON text that was made here; what is not valid JSON is null.
fn field(name: &'static str, text: String) -> AnswerField {
    (name, RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
}

fn null() -> String {
    "null".to_owned()
}

fn or_null(text: Option<&str>) -> String {
    text.map_or_else(null, quote)
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(key, value)| format!("{}:{value}", quote(key))).collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn fits(lines: &[&str]) -> bool {
        let values: Vec<_> = lines.iter().map(|line| parse(line).unwrap()).collect();
        Acts.detect(&values).is_some()
    }

    #[test]
    fn knows_a_context_and_typed_messages() {
        assert!(fits(&[r#"{"context":[]}"#]));
        assert!(fits(&[r#"{"type":"state","state":{}}"#, r#"{"role":"user","content":"x"}"#]));
        assert!(fits(&[r#"{"messages":[{"role":"user","content":{"type":"data","data":[]}}]}"#]));
        assert!(fits(&[r#"[{"type":"input","input":{}},[]]"#]));
        assert!(fits(&[r#"{"type":"text","text":"x"}"#, r#"{"type":"data","kind":"k","data":1}"#]));
    }

    #[test]
    fn a_type_alone_claims_nothing() {
        for foreign in [
            r#"{"type":"text","text":"Hi"}"#,
            r#"{"type":"text","timestamp":1,"part":{"type":"text","text":"Hi"}}"#,
            r#"{"type":"error","error":{"message":"disk full"}}"#,
            r#"{"type":"tool","tool":"bash","state":{"status":"completed"}}"#,
            r#"{"type":"data","data":"a line"}"#,
            r#"{"type":"state","state":"running"}"#,
            r#"{"type":"state","from":"idle","to":"busy"}"#,
            r#"{"type":"plan","steps":["look","leap"]}"#,
        ] {
            assert!(!fits(&[foreign, foreign]), "{foreign}");
        }
        let state = r#"{"type":"state","state":{"n":1}}"#;
        let chat = r#"{"role":"user","content":"x"}"#;
        assert!(fits(&[state, chat]) && !fits(&[state, chat, chat]), "at least half of the messages");
    }

    #[test]
    fn a_context_without_a_message_is_evidence_among_envelopes_alone() {
        let empty = r#"{"context":[],"level":200}"#;
        assert!(fits(&[empty, empty]));
        assert!(fits(&[r#"{"context":["words"]}"#]));
        assert!(fits(&[empty, r#"{"type":"state","state":{}}"#]), "half of the messages have a type and its member");
        assert!(fits(&[r#"{"x":1}"#, r#"{"context":[{"type":"state"}]}"#]));
        assert!(!fits(&[r#"{"x":1}"#, r#"{"y":2}"#, r#"{"context":[]}"#]));
        assert!(!fits(&[empty, r#"{"context":{"ms":900},"level":300}"#]), "a log of another program");
        assert!(!fits(&[r#"[{"x":1},{"context":[]}]"#]));
    }

    #[test]
    fn leaves_plain_chat_and_records_to_others() {
        assert!(!fits(&[]));
        assert!(!fits(&[r#"{"messages":[{"role":"user","content":"x"}]}"#]));
        assert!(!fits(&[r#"{"a":1}"#, r#"{"type":"state"}"#, r#"{"type":"message"}"#]));
    }

    #[test]
    fn paths_mean_what_history_knows() {
        let text =
            br#"[{"type":"state","state":{"l":[1],"o":{"0":1}}},{"type":"state","_instance":"a","state":{"l":{}}}]"#;
        let mut run = ActsRun::default();
        let span = crate::model::Span { offset: 0, len: text.len() as u64 };
        let place = crate::model::Place { span, line: 1 };
        let record = Record { number: 0, place, body: crate::model::RecordBody::Text, is_row: false };
        run.push(&record, text, &text.to_vec());
        let located = |path: &str| {
            let found = run.locate(path, 1).unwrap();
            let references = found.iter().map(|(id, keys)| run.reference(run.tree().identity(*id), keys));
            references.collect::<Vec<_>>()
        };
        assert_eq!(located("†state.l.0"), ["†state.l[0]", "†state.l[\"0\"]"]);
        assert_eq!(located("†state.o.0"), ["†state.o[\"0\"]", "†state.o[\"0\"]"]);
        assert!(located("†none").is_empty() && run.locate("state", 1).is_err());
    }
}
