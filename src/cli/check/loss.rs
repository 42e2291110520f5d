//! `obelus check --loss`: how the conversations of a file would train, in one template or in several beside one
//! another.

use crate::cli::Stop;
use crate::cli::out::{Out, plain, raw};
use crate::ingest::{self, Loaded};
use crate::model::{LocatedFinding, Problem, Record, Remark};
use crate::review::{LossCheck, LossCounts};
use serde::Serialize;
use std::io;
use std::sync::Arc;

/// A template, and what conversations come to in it so far.
pub(super) struct Counted {
    pub(super) check: LossCheck,
    pub(super) counts: LossCounts,
}

/// What all conversations come to in a template.
#[derive(Serialize)]
struct TemplateMember<'a> {
    template: &'a str,
    conversations: usize,
    rejected: usize,
    seen: usize,
    trained: usize,
    tokens_counted: bool,
    cut: usize,
    unstable: usize,
    double_encoded: usize,
    special_token: usize,
}

/// Gives the findings of a file, record by record, in its order; what its conversations come to. A file that is one run
/// has none.
pub(in crate::cli) fn file(
    check: &LossCheck,
    loaded: &Loaded,
    mut each: impl FnMut(LocatedFinding) -> Result<(), Stop>,
) -> Result<LossCounts, Stop> {
    let mut counts = LossCounts::default();
    if !loaded.detected.format.has_conversations() {
        return Ok(counts);
    }
    let way = loaded.detected.format.way();
    let look = |record: &Record, text: &[u8]| check.look_and_count(record, text, way);
    ingest::look_at_known(loaded, look, |(found, counted): (Vec<LocatedFinding>, LossCounts)| {
        counts.add(counted);
        found.into_iter().try_for_each(&mut each)
    })?;
    Ok(counts)
}

impl Counted {
    /// A finding with the template that it is found in.
    pub(super) fn named(&self, mut found: LocatedFinding) -> LocatedFinding {
        let remark = &found.finding.remark;
        let message = format!("{}: {}", self.check.template.name(), remark.message).into();
        found.finding.remark = Arc::new(Remark { message, ..Remark::clone(remark) });
        found
    }

    fn member(&self) -> TemplateMember<'_> {
        let counts = &self.counts;
        TemplateMember {
            template: self.check.template.name(),
            conversations: counts.conversations,
            rejected: counts.rejected,
            seen: counts.seen,
            trained: counts.trained,
            tokens_counted: counts.is_counted,
            cut: counts.cut,
            unstable: counts.unstable,
            double_encoded: counts.double_encoded,
            special_token: counts.special_token,
        }
    }
}

/// All templates beside one another, for people.
pub(super) fn write_table(all: &[Counted], out: &mut Out) -> io::Result<()> {
    let head = ["template", "records", "rejected", "seen", "trained", "cut", "unstable", "double-encoded", "special"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(Counted::member).map(|member| {
        let counts = [member.cut, member.unstable, member.double_encoded, member.special_token].map(|n| n.to_string());
        let about = if member.tokens_counted { "" } else { "≈" };
        let row = [
            member.template.to_owned(),
            member.conversations.to_string(),
            member.rejected.to_string(),
            format!("{about}{}", member.seen),
            format!("{about}{}", member.trained),
        ];
        [&row[..], &counts[..]].concat()
    }));
    out.table(&rows)
}

/// The same for programs: one line after the findings.
pub(super) fn json(all: &[Counted]) -> Result<String, Problem> {
    Ok(plain(&vec![("templates", raw(&all.iter().map(Counted::member).collect::<Vec<_>>())?)]))
}
