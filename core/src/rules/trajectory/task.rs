//! Which task a record is an attempt at.

use super::reading::record_id;
use crate::json::{self, Data, Value};
use crate::model::lossy;

/// Words before the number of an attempt at the end of an id.
const ATTEMPT_WORDS: &[&str] = &["attempt", "trial", "run", "sample", "rollout", "try"];
/// Where a record names its task, the first that is there counts.
const TASK_FIELDS: &[&str] = &[
    "task_id",
    "instance_id",
    "details.task_id",
    "details.instance_id",
    "extra.task_id",
    "extra.instance_id",
    "task.key",
];
/// Numbers of examples, and where a row names the set that they are of: numbers of two sets are two tasks.
const EXAMPLES: &[(&str, &str)] = &[
    ("example_id", "task"),
    ("extra_info.index", "data_source"),
    ("_ng_task_index", "agent_ref.name"),
    ("task.data.idx", "task.type"),
];
/// The set of verifiers that is none of several.
const ONLY_SET: &str = "default";
/// Prompts of rollouts that name no task: those of one prompt are attempts at it.
const PROMPTS: [(&str, &str); 2] = [("input", "output"), ("input_prompt", "output_response")];

/// Most fields of a record that are offered, and how deep they are at most.
const FIELDS_MAX: usize = 100;
const FIELD_DEPTH_MAX: usize = 4;

/// The task that a record is an attempt at: what is at `by`, a path as `details.task`; without it `task_id` or
/// `instance_id`, also in `details`, else the id without the number of the attempt, else the prompt of a rollout. None:
/// it names none.
#[must_use]
pub fn task(record: &Value<'_>, by: Option<&str>) -> Option<String> {
    match by {
        // A path as jq writes it means the same.
        Some(field) => name_at(record, field).or_else(|| name_at(record, field.strip_prefix('.')?)),
        None => {
            // Other rows have groups that are not tasks.
            let is_rollout = record.get("reward").is_some() && record.get("completion").is_some();
            let group = || record.get("group").and_then(text_of).filter(|_| is_rollout);
            let example = || {
                EXAMPLES.iter().find_map(|(number, set)| {
                    let number = name_at(record, number)?;
                    let set = name_at(record, set).filter(|set| set != ONLY_SET);
                    Some(set.map_or_else(|| number.clone(), |set| format!("{set}/{number}")))
                })
            };
            let named = named_task(record).or_else(group).or_else(example);
            let trial = || name_at(record, "task").filter(|_| is_trial(record));
            let by_id = || record_id(record).map(|id| without_attempt(id.as_str().unwrap_or(id.text)).to_owned());
            let by_id = || by_id().filter(|name| !name.trim().is_empty());
            named.or_else(trial).or_else(by_id).or_else(|| prompt(record))
        }
    }
}

/// What is at a path; a text without a sign in it names nothing.
fn name_at(record: &Value<'_>, path: &str) -> Option<String> {
    scalar(record, path).filter(|name| !name.trim().is_empty())
}

/// The task that a field of the record is for.
#[must_use]
pub fn named_task(record: &Value<'_>) -> Option<String> {
    TASK_FIELDS.iter().find_map(|field| name_at(record, field))
}

/// Whether a row is of a trial of Harbor, as it exports them: `task` is the task's name there, `result` how it went.
#[must_use]
pub(super) fn is_trial(record: &Value<'_>) -> bool {
    ["trial_name", "task"].iter().all(|name| record.get(name).is_some_and(|value| value.as_str().is_some()))
}

/// What distinguishes a record, and the task that it is an attempt at, as it says them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordName {
    /// Its id, or what stands for one; empty without.
    pub id: String,
    /// Its task; None: it names none.
    pub task: Option<String>,
}

impl RecordName {
    /// Of a record.
    #[must_use]
    pub fn of(record: &Value<'_>) -> Self {
        let id = record_id(record).map(|id| id.as_str().unwrap_or(id.text).to_owned());
        Self { id: id.unwrap_or_default(), task: task(record, None) }
    }

    /// Whether its task is only what its id leaves to guess: it names none.
    #[must_use]
    pub fn has_guessed_task(&self) -> bool {
        self.task.as_deref() == Some(without_attempt(&self.id))
    }

    /// Of the text of a record, also of one with bytes that are not UTF-8; of what is not valid JSON, nothing.
    #[must_use]
    pub fn of_text(text: &[u8]) -> Self {
        json::parse(&lossy(text)).map(|record| Self::of(&record)).unwrap_or_default()
    }
}

/// The prompt of a rollout of verl or SkyRL, by a digest.
fn prompt(record: &Value<'_>) -> Option<String> {
    record.get("score").filter(|score| matches!(score.data, Data::Number | Data::Array(_)))?;
    let (prompt, _) =
        PROMPTS.iter().find(|(prompt, answer)| [prompt, answer].iter().all(|m| record.get(m).is_some()))?;
    Some(format!("prompt {:016x}", task_key(record.get(prompt)?.text)))
}

/// Eight bytes in place of the name of a task: equal names have equal ones, others hardly ever. Never 0.
#[must_use]
pub fn task_key(task: &str) -> u64 {
    // FNV-1a, so that the key does not change with the library.
    let hash = task
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash.max(1)
}

/// A string, number or boolean at a path of member names.
#[must_use]
pub fn scalar(record: &Value<'_>, path: &str) -> Option<String> {
    text_of(path.split('.').try_fold(record, |value, name| value.get(name))?)
}

fn text_of(value: &Value<'_>) -> Option<String> {
    match &value.data {
        Data::String(text) => Some(text.to_string()),
        Data::Number | Data::Bool(_) => Some(json::compact(value)),
        _ => None,
    }
}

/// The fields of a record that may name its task, by their paths, each with what it says: what [`scalar`] finds, in the
/// order of the record, the first hundred.
#[must_use]
pub fn task_fields(record: &Value<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    gather(record, "", &mut out);
    out
}

fn gather(value: &Value<'_>, before: &str, out: &mut Vec<(String, String)>) {
    let Some(object) = value.as_object() else { return };
    // A path cannot name a member with a dot in its name, nor the second of two of the same name.
    let is_reached = |name: &str, member: &Value<'_>| {
        !name.is_empty() && !name.contains('.') && value.get(name).is_some_and(|found| found.text == member.text)
    };
    for (name, member) in object.entries().filter(|(name, member)| is_reached(name, member)) {
        let path = format!("{before}{name}");
        match text_of(member) {
            Some(_) if out.len() >= FIELDS_MAX => return,
            Some(text) => out.push((path, text)),
            None if path.matches('.').count() < FIELD_DEPTH_MAX => gather(member, &format!("{path}."), out),
            None => {}
        }
    }
}

/// An id without the number of its attempt: `t-attempt-2`, `t_run3`, `t#2`, `t@2` are attempts at `t`.
fn without_attempt(id: &str) -> &str {
    let head = id.trim_end_matches(|c: char| c.is_ascii_digit());
    if head.len() == id.len() {
        return id;
    }
    if let Some(task) = head.strip_suffix(['#', '@']).filter(|task| !task.is_empty()) {
        return task;
    }
    let word = head.strip_suffix(['-', '_', '=']).unwrap_or(head);
    let task = ATTEMPT_WORDS.iter().find_map(|name| word.strip_suffix(name)?.strip_suffix(['-', '_', '/', '.', ':']));
    task.filter(|task| !task.is_empty()).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_by_a_field_or_by_the_id_without_its_attempt() {
        let task = |record: &str, by| task(&json::parse(record).unwrap(), by);
        let record = |head: &str| format!(r#"{{{head},"messages":[{{"role":"user","content":"x"}}]}}"#);
        for (head, by, expect) in [
            (r#""id":"t","task_id":7"#, None, Some("7")),
            (r#""id":"t-attempt-2""#, None, Some("t")),
            (r#""id":"t/run3""#, None, Some("t")),
            (r#""id":"t#12""#, None, Some("t")),
            (r#""id":"shop-1""#, None, Some("shop-1")),
            (r#""id":"rerun3""#, None, Some("rerun3")),
            (r#""id":"t","details":{"q":"z"}"#, Some("details.q"), Some("z")),
            (r#""id":"t""#, Some("details.q"), None),
            (r#""x":1"#, None, None),
            (r#""id":0,"example_id":7"#, None, Some("7")),
            (r#""id":0,"task":{"key":"k"},"traces":[]"#, None, Some("k")),
            (r#""id":"a","task":{"type":"Sums","data":{"idx":7}},"nodes":[]"#, None, Some("Sums/7")),
            (r#""id":0,"group":"g","example_id":7,"completion":"a","reward":1"#, None, Some("g")),
            (r#""id":0,"group":"g""#, None, Some("0")),
            (r#""task":"t","trial_name":"t__ab","result":"1.0""#, None, Some("t")),
            (r#""task":"t","trial":1"#, None, None),
            (r#""_ng_task_index":3,"_ng_rollout_index":1,"agent_ref":{"name":"a"}"#, None, Some("a/3")),
            (r#""input":"q","output":"a","score":1"#, None, Some("prompt d45d4417d7f544ba")),
            (r#""input":"q","output":"a""#, None, None),
            (r#""trajectory_id":"t-trial-1","id":1.5"#, None, Some("t")),
        ] {
            assert_eq!(task(&record(head), by).as_deref(), expect, "{head}");
        }
    }

    #[test]
    fn every_field_that_is_offered_is_found_by_its_path() {
        let record = r#"{"id":"t","n":7,"ok":true,"messages":[{"x":1}],"details":{"q":{"z":"deep"},"a.b":1,"w":null},
            "id":"u","":2}"#;
        let record = json::parse(record).unwrap();
        let fields = task_fields(&record);
        for (path, text) in &fields {
            assert_eq!(scalar(&record, path).as_ref(), Some(text), "{path}");
        }
        let paths: Vec<&str> = fields.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["id", "n", "ok", "details.q.z"]);
        let many = format!("{{{}}}", (0..300).map(|i| format!("\"m{i}\":1")).collect::<Vec<_>>().join(","));
        assert_eq!(task_fields(&json::parse(&many).unwrap()).len(), FIELDS_MAX);
    }

    #[test]
    fn a_key_distinguishes_names() {
        let keys: std::collections::HashSet<u64> = (0..10_000).map(|n| task_key(&format!("task-{n}"))).collect();
        assert_eq!(keys.len(), 10_000);
        assert!(task_key("") != 0 && task_key("a") == task_key("a"));
    }
}
