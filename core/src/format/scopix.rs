//! Scopix execution contexts: the rules of `rules::scopix` as a format.

mod graph;
mod plan;
mod summary;

use super::plan::{PlanAnswer, PlanView};
use super::{Answer, Attribution, Format, Framing, Instances, Layout, Match, Near, Resolved, Run, ViewEntry, describe};
use crate::json::{self, Key, Value};
use crate::model::{Bytes, Finding, Identity, Problem, Record, Step, StepKind, StepNo, StepPlace, StepRole};
use crate::rules::scopix::{
    self, ActiveContracts, ConversationField, DataTypes, Log, Merged, Meta, PipelineConversation, ScopixShape,
    SlotState,
};
use crate::state::{HistoryEvent, IdentityId, Tree};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The format of Scopix, with the data types that the user registers.
pub(super) struct Scopix(pub(super) Option<Arc<DataTypes>>);

impl Format for Scopix {
    fn name(&self) -> &'static str {
        "scopix"
    }

    fn title(&self) -> &'static str {
        "Scopix"
    }

    fn about(&self) -> &'static str {
        "Execution contexts of Scopix: checkpoints of typed slots, single writes, agent results, contracts, pipelines \
         and their responses; one JSON text or JSON Lines. Known by the shape of the first record. The slots are the \
         state; the conversation that they and the request of a pipeline fill stands beside it. Further data types are \
         registered with `--data-type NAME=SCHEMA` or in the table [data-types] of obelus.toml."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let record = first.first()?;
        let shape = ScopixShape::of_first(record).or_else(|| ScopixShape::of_first(record.as_array()?.first()?))?;
        Some(Match { reason: format!("the first record has the shape of a Scopix {}", shape.name()) })
    }

    fn near(&self, first: &[Value<'_>]) -> Option<Near> {
        let n = first.iter().filter(|record| ScopixShape::of(record).is_some()).count();
        (n > 0).then(|| Near::of(n, first.len(), "records have members of a Scopix record"))
    }

    fn framing(&self) -> Framing {
        Framing::Text
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn merges(&self) -> bool {
        true
    }

    fn plan_title(&self) -> Option<&'static str> {
        Some("Contracts")
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(Context { log: Log::of_types(self.0.clone().unwrap_or_default()) })
    }

    fn samples(&self) -> &'static [&'static str] {
        &[
            concat!(
                r#"{"slots":{"a":{"value":{"ids":["1"],"content_type":"images"},"#,
                r#""data_type":"FILE_IDS","source_node":"s"}}}"#
            ),
            r#"[{"name":"a","type":"TEXT","source":"s"}]"#,
            concat!(
                r#"{"slot_name":"a","value":1,"data_type":"TEXT","source_node":"n"}"#,
                "\n",
                r#"{"agent_name":"n","success":true,"outputs":{"b":2}}"#
            ),
            r#"{"name":"A","capability":"search","inputs":[],"outputs":[{"name":"o","data_type":"TEXT"}]}"#,
        ]
    }
}

/// One execution.
struct Context {
    log: Log,
}

/// A slot with all that is said of it at a step.
struct Slot<'r> {
    name: &'r str,
    state: &'r SlotState,
    hint: Option<String>,
    route: Option<&'static str>,
    value: Option<String>,
    id: IdentityId,
}

impl Slot<'_> {
    fn data_type(&self) -> Option<&str> {
        self.state.meta.data_type.as_deref()
    }

    fn source(&self) -> Option<&str> {
        self.state.meta.source.as_deref()
    }

    fn timestamp(&self) -> Option<&str> {
        self.state.meta.timestamp.as_deref()
    }
}

/// A slot of `state --json`.
#[derive(Serialize)]
struct SlotMember<'r> {
    name: &'r str,
    data_type: Option<&'r str>,
    source_node: Option<&'r str>,
    timestamp: Option<&'r str>,
    step: StepNo,
    changed: StepNo,
    route: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
}

fn raw<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}

fn exact(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_default()
}

impl Context {
    /// S10: the slots at a step, in order of first appearance.
    fn slots(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<Slot<'_>> {
        let holding = self.log.declared().at(step);
        let tree = self.log.tree();
        let views = tree.identities(step).into_iter();
        views
            .filter_map(|view| {
                let value = view.root.and_then(|root| tree.text(root, step, bytes));
                self.slot(view.id, step, &holding, value)
            })
            .collect()
    }

    fn slot(
        &self,
        id: IdentityId,
        step: StepNo,
        holding: &ActiveContracts<'_>,
        value: Option<String>,
    ) -> Option<Slot<'_>> {
        let (name, state) = (self.log.tree().identity(id).kind.as_str(), self.log.slot(id, step)?);
        let hint = scopix::hint(holding, name, state);
        let route = state.meta.data_type.as_deref().and_then(|t| scopix::route(t, hint.as_deref()));
        Some(Slot { name, state, hint, route, value, id })
    }

    /// S22: the conversation that the slots and the request of the last pipeline make.
    fn conversation_of(&self, slots: &[Slot<'_>], step: StepNo) -> PipelineConversation {
        let mut order: Vec<&Slot<'_>> = slots.iter().collect();
        order.sort_by_key(|slot| slot.state.step);
        let holding = self.log.declared().at(step);
        let mut request = holding.pipeline;
        let mut conversation = PipelineConversation::default();
        for slot in order {
            if let Some((at, pipeline)) = request.take_if(|(at, _)| *at <= slot.state.step) {
                conversation.take_request(at, pipeline);
            }
            if let (Some(field), Some(text)) = (slot.route, &slot.value)
                && let Ok(value) = json::parse(text)
            {
                conversation.take_slot(slot.name, field, slot.hint.as_deref(), &value, slot.state.step);
            }
        }
        if let Some((at, pipeline)) = request {
            conversation.take_request(at, pipeline);
        }
        conversation
    }
}

impl Run for Context {
    fn push(&mut self, record: &Record, text: &[u8], _bytes: &dyn Bytes) {
        self.log.push(record, text);
    }

    fn step_count(&self) -> usize {
        self.log.steps().len()
    }

    fn place(&self, step: StepNo) -> Option<StepPlace> {
        self.log.steps().get(usize::try_from(step).ok()?).map(|at| at.place)
    }

    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step {
        let at = usize::try_from(step).ok().and_then(|i| self.log.steps().get(i));
        let Some(at) = at else { return Step { number: step, ..Step::default() } };
        if at.shape == ScopixShape::Broken {
            return Step { number: step, ..describe::broken(self.log.fault(step).unwrap_or_default()) };
        }
        let text = describe::read(at.place.place.span, bytes).unwrap_or_default();
        let value = json::parse_lenient(&text).ok();
        let text_of = |key: &str| value.as_ref().and_then(|v| v.get(key)).and_then(Value::as_str).map(str::to_owned);
        let (sign, role) = sign_and_role(at.shape);
        let summary = self.summary(step, at.shape, value.as_ref());
        Step {
            number: step,
            sign,
            kind: at.shape.name().to_owned(),
            class: Some(at.shape.name().to_owned()),
            role,
            role_text: text_of("agent_name").or_else(|| text_of("source_node")),
            chars: summary.chars().count(),
            time: text_of("timestamp").or_else(|| self.newest_time(step)),
            label: at.shape.name().to_owned(),
            summary: describe::shortened(&summary),
            ..Step::default()
        }
    }

    fn tree(&self) -> &Tree {
        self.log.tree()
    }

    fn findings(&self) -> Vec<Arc<Finding>> {
        self.log.findings().into_iter().map(Arc::new).collect()
    }

    fn instances(&self) -> Instances {
        Instances::Absent
    }

    fn reference(&self, identity: &Identity, path: &[Key]) -> String {
        scopix::path_text(&[&[Key::name(&identity.kind)], path].concat())
    }

    fn locate(&self, path: &str, step: StepNo) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem> {
        let Some((slot, segments)) = scopix::parse_path(path) else {
            return Err(Problem::usage(format!("`{path}` is not a path")).hint("a path is slot.key[0][\"any key\"]"));
        };
        let tree = self.log.tree();
        let found = tree.find(&Identity::global(slot));
        Ok(found.map(|id| (id, scopix::locate(tree, id, &segments, step))).into_iter().collect())
    }

    fn attribution(&self, identity: IdentityId, author: StepNo, _bytes: &dyn Bytes) -> Attribution {
        self.log.attribution(identity, author).map(attribution).unwrap_or_default()
    }

    fn attribution_of(&self, event: &HistoryEvent) -> Option<Attribution> {
        self.log.attribution_of(event).map(attribution)
    }

    fn description(&self, identity: IdentityId, step: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        let meta = &self.log.slot(identity, step)?.meta;
        Some(heading_tail(meta.data_type.as_deref(), meta.source.as_deref(), meta.timestamp.as_deref()))
    }

    fn state(&self, step: StepNo, bytes: &dyn Bytes) -> Answer {
        let slots = self.slots(step, bytes);
        let conversation = self.conversation_of(&slots, step);
        let members: Vec<SlotMember<'_>> = slots.iter().map(slot_member).collect();
        vec![("slots", raw(&members)), ("conversation", exact(&conversation.json()))]
    }

    fn view(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ViewEntry> {
        let slots = self.slots(step, bytes);
        slots
            .iter()
            .map(|slot| {
                let mut text =
                    format!("{}: {}", slot.name, heading_tail(slot.data_type(), slot.source(), slot.timestamp()));
                if let Some(value) = slot.value.as_deref().and_then(|text| json::parse(text).ok()) {
                    text.push('\n');
                    text.push_str(&json::pretty(&value));
                }
                let content = Some(raw(&slot_member(slot)).get().to_owned());
                ViewEntry { role: None, content, text, step: slot.state.step, identity: Some(slot.id) }
            })
            .collect()
    }

    fn resolve(
        &self,
        reference: &str,
        step: StepNo,
        _instance: Option<&str>,
        expect: Option<&str>,
        bytes: &dyn Bytes,
    ) -> Resolved {
        let answer = |status: &'static str, more: Answer| {
            let mut fields: Answer = vec![("ref", raw(reference)), ("status", raw(status))];
            fields.extend(more);
            Resolved { is_ok: status == "ok", status, fields, target: None }
        };
        let Some((name, segments)) = scopix::parse_path(reference) else { return answer("invalid", Vec::new()) };
        let tree = self.log.tree();
        let found = tree.find(&Identity::global(name)).and_then(|id| Some((id, self.log.slot(id, step)?)));
        let Some((id, slot)) = found else { return answer("missing", vec![("reason", raw("slot"))]) };
        let data_type = ("data_type", raw(&slot.meta.data_type.as_deref()));
        if expect.is_some_and(|wanted| slot.meta.data_type.as_deref() != Some(wanted)) {
            return answer("type-mismatch", vec![data_type]);
        }
        let below = scopix::below(tree, id, &segments, step);
        let text = below.as_ref().and_then(|path| tree.text(tree.node(id, path)?, step, bytes));
        let (Some(path), Some(text)) = (below, text) else {
            return answer("missing", vec![("reason", raw("path"))]);
        };
        let fields = vec![
            ("value", exact(&text)),
            data_type,
            ("source_node", raw(&slot.meta.source.as_deref())),
            ("timestamp", raw(&slot.meta.timestamp.as_deref())),
            ("wrote", raw(&slot.step)),
        ];
        Resolved { target: Some((id, path)), ..answer("ok", fields) }
    }

    fn plan(&self, step: StepNo, _bytes: &dyn Bytes) -> Option<PlanAnswer> {
        Some(graph::members(&self.log.declared().at(step)))
    }

    fn plan_view(&self, step: StepNo, _bytes: &dyn Bytes) -> Option<PlanView> {
        plan::view(&self.log, step)
    }

    fn note(&self, identity: IdentityId, step: StepNo) -> Option<(String, Option<String>)> {
        let meta = &self.log.slot(identity, step)?.meta;
        let text = heading_tail(meta.data_type.as_deref(), meta.source.as_deref(), None);
        Some((text, meta.timestamp.as_deref().map(str::to_owned)))
    }

    fn file_id(&self, identity: IdentityId, path: &[Key], step: StepNo, bytes: &dyn Bytes) -> Option<String> {
        let slot = self.log.slot(identity, step)?;
        if !scopix::is_file_path(slot.meta.data_type.as_deref()?, path) {
            return None;
        }
        let tree = self.log.tree();
        let text = tree.text(tree.node(identity, path)?, step, bytes)?;
        json::parse(&text).ok()?.as_str().map(str::to_owned)
    }

    fn error_steps(&self) -> Vec<StepNo> {
        self.log.failed().to_vec()
    }

    fn route(&self, identity: IdentityId, step: StepNo) -> Option<&'static str> {
        self.slot(identity, step, &self.log.declared().at(step), None)?.route
    }

    fn conversation(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ConversationField> {
        let holding = self.log.declared().at(step);
        let tree = self.log.tree();
        let routed = tree.identities(step).into_iter().filter_map(|view| {
            let mut slot = self.slot(view.id, step, &holding, None).filter(|slot| slot.route.is_some())?;
            slot.value = view.root.and_then(|root| tree.text(root, step, bytes));
            Some(slot)
        });
        self.conversation_of(&routed.collect::<Vec<_>>(), step).fields().cloned().collect()
    }

    fn merge(
        &self,
        is_chosen: &dyn Fn(&str) -> bool,
        data_type: Option<&str>,
        step: StepNo,
        bytes: &dyn Bytes,
    ) -> Option<Vec<Merged>> {
        let slots = self.slots(step, bytes);
        let typed: Vec<(String, String, Value<'_>)> = slots
            .iter()
            .filter(|slot| is_chosen(slot.name))
            .filter_map(|slot| {
                let value = json::parse(slot.value.as_deref()?).ok()?;
                Some((slot.name.to_owned(), slot.data_type()?.to_owned(), value))
            })
            .collect();
        Some(scopix::merged(&typed, data_type))
    }
}

impl Context {
    fn newest_time(&self, step: StepNo) -> Option<String> {
        let times = self.log.written(step).filter_map(|id| self.log.slot(id, step)?.meta.timestamp.clone());
        times.max().map(String::from)
    }
}

fn sign_and_role(shape: ScopixShape) -> (StepKind, StepRole) {
    match shape {
        ScopixShape::Context | ScopixShape::BareMap | ScopixShape::SlotList | ScopixShape::FileCollection => {
            (StepKind::Data, StepRole::Environment)
        }
        ScopixShape::Write => (StepKind::Data, StepRole::Agent),
        ScopixShape::AgentResult | ScopixShape::Response => (StepKind::Result, StepRole::Agent),
        ScopixShape::Pipeline => (StepKind::Plan, StepRole::System),
        ScopixShape::Contract => (StepKind::Meta, StepRole::System),
        ScopixShape::Unknown => (StepKind::Other, StepRole::Unknown),
        ScopixShape::Broken => (StepKind::Broken, StepRole::Unknown),
    }
}

/// `TYPE from SOURCE at TIMESTAMP`; `?` for what is null, no ` at` without timestamp.
fn heading_tail(data_type: Option<&str>, source: Option<&str>, timestamp: Option<&str>) -> String {
    let at = timestamp.map_or_else(String::new, |time| format!(" at {time}"));
    format!("{} from {}{at}", data_type.unwrap_or("?"), source.unwrap_or("?"))
}

fn slot_member<'s>(slot: &'s Slot<'_>) -> SlotMember<'s> {
    SlotMember {
        name: slot.name,
        data_type: slot.data_type(),
        source_node: slot.source(),
        timestamp: slot.timestamp(),
        step: slot.state.step,
        changed: slot.state.changed,
        route: slot.route,
        value: slot.value.as_deref().map(exact),
    }
}

/// S12: source and time of a write.
fn attribution(meta: &Meta) -> Attribution {
    let quoted = |text: Option<&str>| text.map_or_else(|| "null".to_owned(), json::quote);
    let fields =
        vec![("source_node", quoted(meta.source.as_deref())), ("timestamp", quoted(meta.timestamp.as_deref()))];
    let text = |text: Option<&str>| text.map(str::to_owned);
    Attribution { fields, who: text(meta.source.as_deref()), when: text(meta.timestamp.as_deref()) }
}
