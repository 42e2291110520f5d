//! What a format file says, as it is written: where steps are and what their members mean.

use super::path::{FieldPath, Scope};
use crate::format::describe;
use crate::json::{self, Data, Value};
use crate::model::StepRole;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

/// A format file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    pub(super) name: Spanned<String>,
    pub(super) title: Option<String>,
    pub(super) about: Option<String>,
    #[serde(default)]
    pub(super) records: Records,
    pub(super) signature: Spanned<Test>,
    #[serde(default)]
    pub(super) roles: BTreeMap<String, RoleWord>,
    #[serde(default)]
    pub(super) steps: Vec<Spanned<StepRule>>,
    #[serde(default)]
    pub(super) writes: Vec<Spanned<WriteRule>>,
    #[serde(default)]
    pub(super) usage: Option<UsageRule>,
    #[serde(default)]
    pub(super) session: SessionRule,
    pub(super) tree: Option<TreeRule>,
}

/// What a record is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RecordsAre {
    /// All records make one run.
    #[default]
    Steps,
    /// Each record is a run.
    Trajectories,
}

/// `[records]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Records {
    #[serde(default)]
    pub(super) are: RecordsAre,
    /// Where its steps are; None: the record is one.
    pub(super) steps: Option<FieldPath>,
}

/// What a record or step must be.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// Paths that lead somewhere.
    #[serde(default)]
    pub(super) has: Vec<FieldPath>,
    /// Paths that lead nowhere.
    #[serde(default)]
    pub(super) without: Vec<FieldPath>,
    /// Values at paths.
    #[serde(default)]
    pub(super) when: BTreeMap<FieldPath, Expected>,
}

impl Test {
    /// Whether a value is such.
    pub(super) fn fits(&self, scope: Scope<'_, '_>) -> bool {
        fits(&self.has, &self.without, &self.when, scope)
    }

    /// How many conditions it has.
    pub(super) fn len(&self) -> usize {
        self.has.len() + self.without.len() + self.when.len()
    }
}

/// Whether all conditions hold.
fn fits(has: &[FieldPath], without: &[FieldPath], when: &BTreeMap<FieldPath, Expected>, scope: Scope<'_, '_>) -> bool {
    let is_there = |path: &FieldPath| path.first(scope).is_some();
    has.iter().all(is_there)
        && !without.iter().any(is_there)
        && when.iter().all(|(path, expected)| path.has(scope, &|value| expected.is(value)))
}

/// `[[steps]]`: how a step is read, if it is such.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepRule {
    #[serde(default)]
    has: Vec<FieldPath>,
    #[serde(default)]
    without: Vec<FieldPath>,
    #[serde(default)]
    when: BTreeMap<FieldPath, Expected>,
    /// Whether it gives no step.
    #[serde(default)]
    pub(super) skip: bool,
    /// A chat message, of which content, reasoning, calls and results are read as in any log.
    pub(super) message: Option<FieldPath>,
    /// Who speaks: where the word is, or who it always is.
    pub(super) role: Option<FieldPath>,
    pub(super) speaker: Option<RoleWord>,
    #[serde(rename = "type")]
    pub(super) class: Option<FieldPath>,
    pub(super) time: Option<FieldPath>,
    pub(super) text: Option<FieldPath>,
    pub(super) thought: Option<FieldPath>,
    /// A value that says that it failed.
    pub(super) failed: Option<FieldPath>,
    pub(super) reward: Option<FieldPath>,
    pub(super) calls: Option<CallRule>,
    pub(super) results: Option<ResultRule>,
}

impl StepRule {
    /// Whether a step is read by this rule.
    pub(super) fn fits(&self, scope: Scope<'_, '_>) -> bool {
        fits(&self.has, &self.without, &self.when, scope)
    }
}

/// `[steps.calls]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallRule {
    /// Where calls are; None: the step is one.
    pub(super) at: Option<FieldPath>,
    pub(super) name: FieldPath,
    pub(super) arguments: Option<FieldPath>,
    pub(super) id: Option<FieldPath>,
}

/// `[steps.results]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultRule {
    /// Where results are; None: the step is one.
    pub(super) at: Option<FieldPath>,
    pub(super) text: FieldPath,
    /// The call's id, and the tool's name.
    pub(super) id: Option<FieldPath>,
    pub(super) name: Option<FieldPath>,
    /// A value that says that the call failed, or that it did not.
    pub(super) error: Option<FieldPath>,
    pub(super) ok: Option<FieldPath>,
}

/// How a write acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WriteOp {
    /// The whole value, of which what differs is written.
    #[default]
    Set,
    /// A merge patch (RFC 7386).
    Merge,
    /// One more element of a list.
    Append,
    /// What is there goes.
    Remove,
}

/// `[[writes]]`: a value that is state.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WriteRule {
    #[serde(default)]
    has: Vec<FieldPath>,
    #[serde(default)]
    without: Vec<FieldPath>,
    #[serde(default)]
    when: BTreeMap<FieldPath, Expected>,
    /// Where writes are; None: the step is one.
    pub(super) at: Option<FieldPath>,
    /// What is written; None: the value at `at`.
    pub(super) value: Option<FieldPath>,
    pub(super) kind: String,
    pub(super) instance: Option<String>,
    pub(super) instance_at: Option<FieldPath>,
    pub(super) slot: Option<String>,
    pub(super) slot_at: Option<FieldPath>,
    #[serde(default)]
    pub(super) op: WriteOp,
    /// Whether the value is JSON in a string.
    #[serde(default)]
    pub(super) json: bool,
}

impl WriteRule {
    /// Whether a write is made.
    pub(super) fn fits(&self, scope: Scope<'_, '_>) -> bool {
        fits(&self.has, &self.without, &self.when, scope)
    }

    /// Whether it belongs to the record, whatever its steps are.
    pub(super) fn is_of_record(&self) -> bool {
        self.at.as_ref().or(self.value.as_ref()).is_some_and(FieldPath::is_of_record)
    }
}

/// `[usage]`: tokens and cost of a step.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct UsageRule {
    pub(super) input: Option<FieldPath>,
    pub(super) output: Option<FieldPath>,
    pub(super) cache_read: Option<FieldPath>,
    pub(super) cache_write: Option<FieldPath>,
    pub(super) cost: Option<FieldPath>,
    /// The id of the answer that several records report.
    pub(super) message: Option<FieldPath>,
    /// Whether they are sums of all so far.
    #[serde(default)]
    pub(super) totals: bool,
}

/// `[session]`: what holds around steps.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionRule {
    pub(super) title: Option<FieldPath>,
    pub(super) cwd: Option<FieldPath>,
    pub(super) model: Option<FieldPath>,
    pub(super) mode: Option<FieldPath>,
    pub(super) effort: Option<FieldPath>,
    pub(super) branch: Option<FieldPath>,
}

/// `[tree]`: which record follows which.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TreeRule {
    pub(super) id: FieldPath,
    pub(super) parent: FieldPath,
    /// A value that says that a sub-agent wrote it.
    pub(super) sub_agent: Option<FieldPath>,
}

/// A role by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct RoleWord(pub(super) StepRole);

impl TryFrom<String> for RoleWord {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let known = describe::role_of(&word).map(Self);
        known.ok_or_else(|| format!("{word:?} is not a role; there are: user, agent, environment, system"))
    }
}

/// One of these scalars.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Expected(Vec<Scalar>);

#[derive(Debug, Clone, PartialEq)]
enum Scalar {
    Text(String),
    /// As JSON writes it.
    Number(String),
    Bool(bool),
}

impl Expected {
    fn is(&self, value: &Value<'_>) -> bool {
        self.0.iter().any(|scalar| match (scalar, &value.data) {
            (Scalar::Text(expected), Data::String(text)) => expected == text,
            (Scalar::Number(expected), Data::Number) => json::compare_numbers(expected, value.text).is_eq(),
            (Scalar::Bool(expected), Data::Bool(flag)) => expected == flag,
            _ => false,
        })
    }
}

/// Not derived: what distinguishes the variants by trying forgets where they are.
impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Expected;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, true, false, or a list of these")
            }

            fn visit_str<E>(self, text: &str) -> Result<Expected, E> {
                Ok(Expected(vec![Scalar::Text(text.to_owned())]))
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Expected, E> {
                Ok(Expected(vec![Scalar::Bool(flag)]))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Expected, E> {
                Ok(Expected(vec![Scalar::Number(number.to_string())]))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Expected, E> {
                let text = number.is_finite().then(|| serde_json::to_string(&number).ok()).flatten();
                let text = text.ok_or_else(|| E::custom("JSON has no such number"))?;
                Ok(Expected(vec![Scalar::Number(text)]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Expected, A::Error> {
                let mut all = Vec::new();
                while let Some(Expected(one)) = list.next_element::<Expected>()? {
                    all.extend(one);
                }
                Ok(Expected(all))
            }
        }
        deserializer.deserialize_any(Values)
    }
}
