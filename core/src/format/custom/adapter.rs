//! Reads records as a format file defines: steps, writes, tokens and the context of steps.

use super::definition::{CallRule, Definition, ResultRule, StepRule, UsageRule, WriteOp, WriteRule};
use super::path::{FieldPath, Scope};
use crate::format::log::{
    Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, Node, form, merge_patch, role_of, show, text_of,
};
use crate::json::{self, Data, Value};
use crate::model::{StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::state::Op;
use std::borrow::Cow;
use std::sync::Arc;

/// Texts of a step: the value that it is, then each text.
const TEXTS: Form = FIRST_ADAPTER_FORM;
/// A call: the value that it is, then those of these parts that it has, in this order.
const CALL: Form = 32;
const CALL_NAME: Form = 1;
const CALL_ARGUMENTS: Form = 2;
const CALL_ID: Form = 4;
/// A result, likewise.
const RESULT: Form = 64;
const RESULT_TEXT: Form = 1;
const RESULT_ID: Form = 2;
const RESULT_NAME: Form = 4;
const RESULT_ERROR: Form = 8;
const RESULT_OK: Form = 16;

/// The instance of a write that names none.
const INSTANCE: &str = "main";
/// The slot of a value that is not an object and names none.
const SLOT: &str = "value";

/// Reads records by a definition.
pub(super) struct Records(pub(super) Arc<Definition>);

impl Adapter for Records {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let definition = Arc::clone(&self.0);
        let scope = Scope { record, item: record };
        let Some(steps) = &definition.records.steps else {
            let is_turn = read_step(&definition, scope, true, log);
            return report_place(&definition, scope, is_turn, log);
        };
        let steps = steps.all(scope);
        report_session(&definition, scope, &FieldPath::is_of_record, true, log);
        definition.writes.iter().map(toml::Spanned::get_ref).filter(|rule| rule.is_of_record()).for_each(|rule| {
            write(rule, scope, log);
        });
        if steps.is_empty() {
            log.step(&Draft::of(Kind::State, form::STATE, &[record]));
        }
        let mut is_turn = false;
        for step in steps {
            is_turn |= read_step(&definition, scope.at(step), false, log);
        }
        report_place(&definition, scope, is_turn, log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match form {
            TEXTS => {
                let texts = values.iter().skip(1).map(|text| TurnPart::Text(text_of(text)));
                Turn::of(StepRole::Unknown, texts.collect())
            }
            CALL..RESULT => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(form - CALL, values))]),
            RESULT.. => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(form - RESULT, values))]),
            _ => show(form, values),
        }
    }
}

/// Reports where a record is in the tree.
fn report_place(definition: &Definition, scope: Scope<'_, '_>, is_turn: bool, log: &mut Log<'_>) {
    let Some(tree) = &definition.tree else { return };
    let is_side = tree.sub_agent.as_ref().and_then(|path| path.first(scope)).is_some_and(is_failure);
    let (id, parent) = (word(&tree.id, scope), word(&tree.parent, scope));
    log.thread(&Node { id, parent, is_side, is_turn, ..Node::default() });
}

/// Reads a step; whether the user or the agent speaks in it. `is_record`: it is its record.
fn read_step(definition: &Definition, scope: Scope<'_, '_>, is_record: bool, log: &mut Log<'_>) -> bool {
    let rule = definition.steps.iter().map(toml::Spanned::get_ref).find(|rule| rule.fits(scope));
    let is_in_scope = |path: &FieldPath| is_record || !path.is_of_record();
    report_session(definition, scope, &is_in_scope, !rule.is_some_and(|rule| rule.skip), log);
    let usage = definition.usage.as_ref().map(|rule| (rule, usage(rule, scope)));
    let output = usage.as_ref().and_then(|(_, usage)| usage.output);
    let mut is_turn = false;
    match rule {
        Some(rule) if rule.skip => {}
        Some(rule) => is_turn = Reading { definition, rule, scope, output }.add_steps(log),
        None => drop(log.step(&Draft::of(Kind::State, form::STATE, &[scope.item]))),
    }
    if let Some((rule, usage)) = usage.filter(|(_, usage)| *usage != Usage::default()) {
        if rule.totals {
            log.usage_totals(&usage, true);
        } else {
            log.usage(rule.message.as_ref().and_then(|path| word(path, scope)), &usage);
        }
    }
    let writes = definition.writes.iter().map(toml::Spanned::get_ref);
    writes.filter(|rule| is_record || !rule.is_of_record()).for_each(|rule| write(rule, scope, log));
    is_turn
}

/// A step on its way to the log.
struct Reading<'d, 'v, 'a> {
    definition: &'d Definition,
    rule: &'d StepRule,
    scope: Scope<'v, 'a>,
    /// Tokens that the model wrote for it.
    output: Option<u64>,
}

impl<'v, 'a> Reading<'_, 'v, 'a> {
    /// Adds the steps; whether the user or the agent speaks.
    fn add_steps(&self, log: &mut Log<'_>) -> bool {
        let first = log.next_step();
        let is_turn = match self.rule.message.as_ref().and_then(|path| path.first(self.scope)) {
            Some(message) => self.message(message, log),
            None => {
                self.thoughts(log);
                self.texts(log);
                self.calls(log);
                let is_turn = log.next_step() > first && self.role() != StepRole::Environment;
                self.results(log);
                is_turn
            }
        };
        if log.next_step() == first {
            self.step(Kind::State, form::STATE, &[self.scope.item], self.role(), log);
        }
        if let Some(tokens) = self.output {
            log.tokens(first, tokens);
        }
        let reward = self.rule.reward.as_ref().and_then(|path| path.first(self.scope)).and_then(Value::as_number);
        if let Some(reward) = reward {
            log.reward(first, reward);
        }
        is_turn
    }

    /// The speaker; an unknown one takes the role that the step names.
    fn role(&self) -> StepRole {
        let word = || self.rule.role.as_ref().and_then(|path| word(path, self.scope));
        let fixed = self.rule.speaker.map(|speaker| speaker.0);
        fixed.or_else(|| word().map(|word| self.role_of(word))).unwrap_or_default()
    }

    fn role_of(&self, word: &str) -> StepRole {
        self.definition.roles.get(word).map_or_else(|| role_of(word), |role| role.0)
    }

    fn class(&self) -> Option<&'v str> {
        self.rule.class.as_ref().and_then(|path| word(path, self.scope))
    }

    fn time(&self) -> Option<&'v Value<'a>> {
        self.rule.time.as_ref().and_then(|path| path.first(self.scope))
    }

    fn is_failed(&self) -> bool {
        self.rule.failed.as_ref().and_then(|path| path.first(self.scope)).is_some_and(is_failure)
    }

    fn step(&self, kind: Kind, form: Form, values: &[&Value<'a>], role: StepRole, log: &mut Log<'_>) -> StepNo {
        log.step(&Draft {
            role,
            class: self.class(),
            time: self.time(),
            is_failed: self.is_failed(),
            ..Draft::of(kind, form, values)
        })
    }

    fn message(&self, message: &'v Value<'a>, log: &mut Log<'_>) -> bool {
        let recorded_role = || message.get("role").and_then(Value::as_str).map(|word| self.role_of(word));
        let role =
            Some(self.role()).filter(|role| *role != StepRole::Unknown).or_else(recorded_role).unwrap_or_default();
        let (class, time, is_failed) = (self.class(), self.time(), self.is_failed());
        let added = Blocks { role, class, time, is_failed, ..Blocks::of(message) }.add_steps(log);
        added.iter().any(|(kind, _)| *kind != Kind::Result) && role != StepRole::Environment
    }

    fn thoughts(&self, log: &mut Log<'_>) {
        let thoughts = self.rule.thought.as_ref().map(|path| path.all(self.scope)).unwrap_or_default();
        for thought in thoughts.into_iter().filter(|thought| says_something(thought)) {
            self.step(Kind::Thought, form::THOUGHT, &[thought], StepRole::Agent, log);
        }
    }

    /// Several texts are one message. An empty text counts only if there is no other.
    fn texts(&self, log: &mut Log<'_>) {
        let Some(path) = &self.rule.text else { return };
        let texts = path.all(self.scope);
        let has_parts = self.rule.calls.as_ref().is_some_and(|rule| !call_items(rule, self.scope).is_empty())
            || self.rule.results.as_ref().is_some_and(|rule| !result_items(rule, self.scope).is_empty());
        let has_words = texts.iter().any(|text| says_something(text)) || (!texts.is_empty() && !has_parts);
        if has_words {
            let values: Vec<&Value<'_>> = std::iter::once(self.scope.item).chain(texts).collect();
            self.step(Kind::Message, TEXTS, &values, self.role(), log);
        }
    }

    fn calls(&self, log: &mut Log<'_>) {
        let Some(rule) = &self.rule.calls else { return };
        for item in call_items(rule, self.scope) {
            let scope = self.scope.at(item);
            let parts = [
                (CALL_NAME, rule.name.first(scope)),
                (CALL_ARGUMENTS, rule.arguments.as_ref().and_then(|path| path.first(scope))),
                (CALL_ID, rule.id.as_ref().and_then(|path| path.first(scope))),
            ];
            self.parts(Kind::Call, CALL, item, &parts, StepRole::Agent, log);
        }
    }

    fn results(&self, log: &mut Log<'_>) {
        let Some(rule) = &self.rule.results else { return };
        for item in result_items(rule, self.scope) {
            let scope = self.scope.at(item);
            let find = |path: &Option<FieldPath>| path.as_ref().and_then(|path| path.first(scope));
            let parts = [
                (RESULT_TEXT, rule.text.first(scope)),
                (RESULT_ID, find(&rule.id)),
                (RESULT_NAME, find(&rule.name)),
                (RESULT_ERROR, find(&rule.error)),
                (RESULT_OK, find(&rule.ok)),
            ];
            self.parts(Kind::Result, RESULT, item, &parts, StepRole::Environment, log);
        }
    }

    /// Adds a step of the parts that are there.
    fn parts(
        &self,
        kind: Kind,
        base: Form,
        item: &'v Value<'a>,
        parts: &[(Form, Option<&'v Value<'a>>)],
        role: StepRole,
        log: &mut Log<'_>,
    ) {
        let there = || parts.iter().filter_map(|(bit, part)| Some((*bit, (*part)?)));
        let form = there().fold(base, |form, (bit, _)| form | bit);
        let values: Vec<&Value<'_>> = std::iter::once(item).chain(there().map(|(_, part)| part)).collect();
        self.step(kind, form, &values, role, log);
    }
}

/// The calls of a step. A step is one if it names a tool.
fn call_items<'v, 'a>(rule: &CallRule, scope: Scope<'v, 'a>) -> Vec<&'v Value<'a>> {
    match &rule.at {
        Some(at) => at.all(scope),
        None => rule.name.first(scope).map(|_| scope.item).into_iter().collect(),
    }
}

/// The results of a step. A step is one if it has an output or an error.
fn result_items<'v, 'a>(rule: &ResultRule, scope: Scope<'v, 'a>) -> Vec<&'v Value<'a>> {
    let has = |path: &FieldPath| path.first(scope).is_some();
    match &rule.at {
        Some(at) => at.all(scope),
        None if has(&rule.text) || rule.error.as_ref().is_some_and(has) => vec![scope.item],
        None => Vec::new(),
    }
}

/// The parts of a call or a result in their order, those that are there.
fn part_values<'s, 'v>(bits: Form, values: &'s [&'v Value<'v>]) -> impl Fn(Form) -> Option<&'v Value<'v>> + 's {
    move |bit| {
        let before = (bits & (bit - 1)).count_ones() as usize;
        (bits & bit != 0).then(|| values.get(before + 1).copied()).flatten()
    }
}

fn call<'v>(bits: Form, values: &[&'v Value<'v>]) -> ToolCall<'v> {
    let part = part_values(bits, values);
    ToolCall {
        id: part(CALL_ID).and_then(scalar).map(Cow::Borrowed),
        name: part(CALL_NAME).and_then(scalar).unwrap_or("?").into(),
        arguments: part(CALL_ARGUMENTS).map_or(Cow::Borrowed("{}"), |found| Cow::Borrowed(found.text)),
    }
}

fn result<'v>(bits: Form, values: &[&'v Value<'v>]) -> ToolResult<'v> {
    let part = part_values(bits, values);
    let error = part(RESULT_ERROR);
    let text = part(RESULT_TEXT).or(error.filter(|error| error.as_str().is_some()));
    ToolResult {
        id: part(RESULT_ID).and_then(scalar).map(Cow::Borrowed),
        name: part(RESULT_NAME).and_then(scalar).map(Cow::Borrowed),
        text: text.map(text_of).unwrap_or_default(),
        is_error: error.map(is_failure).or(part(RESULT_OK).map(is_denial)),
        ..ToolResult::default()
    }
}

/// Words that mean success.
const SUCCESSES: [&str; 8] = ["ok", "success", "succeeded", "completed", "done", "passed", "none", "0"];

/// Whether a value says that something failed: true, a number but 0, a word or a message of an error, anything in it.
fn is_failure(value: &Value<'_>) -> bool {
    match &value.data {
        Data::Null => false,
        Data::Bool(flag) => *flag,
        Data::Number => value.text.bytes().any(|digit| matches!(digit, b'1'..=b'9')),
        Data::String(text) => {
            let word = text.trim().to_lowercase();
            !word.is_empty() && !SUCCESSES.contains(&word.as_str())
        }
        Data::Array(items) => !items.is_empty(),
        Data::Object(object) => !object.is_empty(),
        Data::Deep => true,
    }
}

/// Whether what says success denies it: false, 0, or a word of an error.
fn is_denial(value: &Value<'_>) -> bool {
    match &value.data {
        Data::Bool(flag) => !flag,
        Data::String(_) => is_failure(value),
        Data::Number => value.text.bytes().all(|digit| !matches!(digit, b'1'..=b'9')),
        _ => false,
    }
}

fn says_something(value: &Value<'_>) -> bool {
    match &value.data {
        Data::String(text) => !text.is_empty(),
        Data::Array(items) => !items.is_empty(),
        Data::Object(object) => !object.is_empty(),
        Data::Null => false,
        Data::Bool(_) | Data::Number | Data::Deep => true,
    }
}

/// A text or the source of a number.
fn scalar<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    value.as_str().or(value.as_number())
}

fn word<'v>(path: &FieldPath, scope: Scope<'v, '_>) -> Option<&'v str> {
    path.first(scope).and_then(scalar)
}

fn usage(rule: &UsageRule, scope: Scope<'_, '_>) -> Usage {
    let text = |path: &Option<FieldPath>| path.as_ref().and_then(|path| word(path, scope));
    let count = |path: &Option<FieldPath>| text(path).and_then(|text| text.parse().ok());
    let cost = text(&rule.cost).and_then(|text| text.parse().ok());
    Usage {
        input: count(&rule.input),
        output: count(&rule.output),
        cache_read: count(&rule.cache_read),
        cache_write: count(&rule.cache_write),
        cost: cost.filter(|cost: &f64| cost.is_finite()),
    }
}

/// Reports what holds around a step, or, of a record without steps, around those that follow.
fn report_session(
    definition: &Definition,
    scope: Scope<'_, '_>,
    is_in_scope: &dyn Fn(&FieldPath) -> bool,
    has_steps: bool,
    log: &mut Log<'_>,
) {
    let session = &definition.session;
    let text = |path: &Option<FieldPath>| {
        let path = path.as_ref().filter(|path| is_in_scope(path))?;
        word(path, scope).map(|text| Cow::Owned(text.to_owned()))
    };
    if let Some(title) = text(&session.title) {
        log.title(&title);
    }
    let around = Surroundings {
        cwd: text(&session.cwd),
        model: text(&session.model),
        mode: text(&session.mode),
        effort: text(&session.effort),
        branch: text(&session.branch),
        is_compaction: false,
    };
    if around != Surroundings::default() {
        if has_steps { log.surroundings(&around) } else { log.surroundings_ahead(&around) }
    }
}

/// Makes the writes of a rule.
fn write(rule: &WriteRule, scope: Scope<'_, '_>, log: &mut Log<'_>) {
    if !rule.fits(scope) {
        return;
    }
    let items = rule.at.as_ref().map_or_else(|| vec![scope.item], |at| at.all(scope));
    for item in items {
        let scope = scope.at(item);
        let Some(value) = rule.value.as_ref().map_or(Some(item), |path| path.find(scope)) else { continue };
        let inner = value.as_str().filter(|_| rule.json).and_then(|text| json::parse_lenient(text).ok());
        let named = |path: &Option<FieldPath>| path.as_ref().and_then(|path| word(path, scope));
        let instance = named(&rule.instance_at).or(rule.instance.as_deref()).unwrap_or(INSTANCE);
        let is_object = inner.as_ref().map_or(value.as_object().is_some(), |inner| inner.as_object().is_some());
        let is_whole = is_object || rule.op == WriteOp::Remove;
        let slot = named(&rule.slot_at).or(rule.slot.as_deref());
        let slot = slot.or_else(|| (!is_whole).then(|| rule.value.as_ref().and_then(FieldPath::last_name)).flatten());
        let path: Vec<&str> = slot.or((!is_whole).then_some(SLOT)).into_iter().collect();
        if let Some(inner) = &inner {
            let op = if rule.op == WriteOp::Append { Op::Push } else { Op::Update };
            log.derive(&rule.kind, instance, &path, op, inner.text);
            continue;
        }
        match rule.op {
            WriteOp::Set => log.write(&rule.kind, instance, &path, Op::Update, value),
            WriteOp::Merge => merge_patch(log, &rule.kind, instance, &path, value),
            WriteOp::Append => log.write(&rule.kind, instance, &path, Op::Push, value),
            WriteOp::Remove => log.remove(&rule.kind, instance, &path),
        }
    }
}
