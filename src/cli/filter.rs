//! `--where`: filters on the command line, as the key `&` takes them on the screen; which records of a file they let
//! through is found by the pass over all that the table of the screen makes too.

use super::check::baseline::Contents;
use super::clean::CleanCheck;
use super::columns::{Column, Columns};
use super::complain;
use super::extra_findings::{ByRecord, ExtraFindings};
use super::finding_policy::{FindingPolicy, FindingPolicyOption, THINK_RULES};
use super::loss_option::LossOption;
use super::task_groups::task_groups;
use super::whole_texts::{RunTexts, WholeTexts};
use crate::format::{BoxedLook, Survey, Surveyed};
use crate::ingest::{self, Loaded};
use crate::json;
use crate::model::{LocatedFinding, Problem, Record, RecordBody, lossy};
use crate::review::{
    ChunkBuilder, ContentKey, CustomColumn, Filter, FilterField, LossCheck, MarkTarget, Marks, Numbers, RecordFacts,
    Scope, TaskGroups, Tokenizer, purpose_of, tokens_of_record,
};
use crate::shell::config::Config;
use crate::source::RecordReport;
use clap::Args;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A record looked at.
struct ScannedRecord {
    looked: BoxedLook,
    /// Its size in bytes.
    len: u64,
    /// Where marks are asked for.
    key: Option<ContentKey>,
    /// Its tokens, where they are counted.
    tokens: Option<u64>,
}

/// Tokens of the texts of a record, counted.
pub(super) fn tokens(text: &[u8], loaded: &Loaded, tokenizer: &dyn Tokenizer) -> Option<u64> {
    let text = lossy(text);
    let value = json::parse(&text).ok()?;
    tokens_of_record(&value, loaded.detected.format.way(), tokenizer)
}

impl RecordReport for ScannedRecord {
    fn is_whole(&self) -> bool {
        self.looked.is_whole()
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.looked.shift(records, lines);
    }
}

/// What is wanted of what a file holds.
#[derive(Debug, Clone, Args)]
pub(super) struct WhereOption {
    /// Only records that match this filter, such as `steps>20 tool:bash !finding:adp.*`; repeatable; `@NAME` is a
    /// filter of the configuration, whose columns are terms too: `turns>3`; a record for which one fails has no value
    /// there, is reported, and gives status 1
    #[arg(long = "where", value_name = "FILTER")]
    filters: Vec<String>,
    /// Column for --where beside those of the configuration, by a jq expression, such as advantage=.advantage or
    /// format=.rewards.format; then `advantage>0` is a term; repeatable
    #[arg(long = "column", value_name = "NAME=JQ", requires = "filters", value_parser = CustomColumn::with_expression)]
    columns: Vec<Column>,
    /// Chat template in which conversations train, for filters that ask for findings of the family loss, and for
    /// --only-clean; as `obelus loss` takes it
    #[arg(long, value_name = "NAME|FILE")]
    loss: Option<String>,
    #[command(flatten)]
    training: LossOption,
    #[command(flatten)]
    policy: FindingPolicyOption,
}

impl WhereOption {
    /// The filter; None where none was given. The configuration is only looked into for a filter by name, and for a
    /// term that asks for none of the fields of the scope.
    ///
    /// # Errors
    /// It is not one: which one, where in it, what is wrong.
    pub(super) fn filter(&self, scope: Scope) -> Result<Option<Where>, Problem> {
        self.filter_beside(scope, false)
    }

    /// The same for a command that may use --loss without a filter.
    ///
    /// # Errors
    /// As [`WhereOption::filter`].
    pub(super) fn filter_beside(&self, scope: Scope, uses_loss: bool) -> Result<Option<Where>, Problem> {
        let mut config = None;
        let mut all: Option<Filter> = None;
        for text in &self.filters {
            // What a script meant to say, and did not.
            if text.trim().is_empty() {
                let problem = Problem::usage("--where was given an empty filter, which lets everything through");
                return Err(problem.hint("leave it out to mean all"));
            }
            let fault = |fault| Problem::usage(format!("--where '{text}': {fault}"));
            let given: Vec<CustomColumn> = self.columns.iter().map(|(name, _)| *name).collect();
            let scope = if given.is_empty() { scope } else { scope.with(&given) };
            // A column of the configuration may have the name of what logs say of their runs.
            let is_clear = |read: &Filter| !read.fields().iter().flatten().any(|field| field.is_of_run());
            let is_known = |read: &Filter| !Filter::is_name(text) && is_clear(read);
            let read = match Filter::parse(text, scope).ok().filter(is_known) {
                Some(read) => read,
                None => {
                    let config = config.get_or_insert_with(configured);
                    let known = columns(config).into_iter().map(|(name, _)| name);
                    let names: Vec<CustomColumn> = given.iter().copied().chain(known).collect();
                    Filter::read(text, scope.with(&names), &config.filters).map_err(fault)?
                }
            };
            all = Some(all.unwrap_or_default().and(read).map_err(fault)?);
        }
        let Some(all) = all else {
            let is_unused = self.loss.is_some() && !uses_loss;
            let unused = || Problem::usage("--loss is for a filter that asks for its findings, and there is none");
            return if is_unused { Err(unused().hint("add --where, as '!finding:loss'")) } else { Ok(None) };
        };
        let extra = ExtraFindings::of(&all, self.loss()?)?;
        let policy = if all.has_findings() { self.policy()? } else { FindingPolicy::default() };
        let wants_tokens = all.fields().contains(&Some(FilterField::Number(Numbers::Tokens)));
        let tokenizer = if wants_tokens { self.training.tokenizer()? } else { None };
        // Of two columns of a name the first counts: that of the command line.
        let columns = self.columns.iter().cloned().chain(config.as_ref().map(columns).unwrap_or_default()).collect();
        Ok(Some(Where { tokenizer, ..Where::new(all, columns, (extra, policy)) }))
    }

    /// The column of that name: of --column, else of the configuration, which is only looked into for a name.
    pub(super) fn column(&self, name: &str) -> Option<Column> {
        let wanted = CustomColumn::new(name).ok()?;
        let mut all = self.columns.iter().cloned().chain(columns(&configured()));
        all.find(|(known, _)| *known == wanted)
    }

    /// What counts tokens; None: they are estimated.
    ///
    /// # Errors
    /// As [`LossOption::tokenizer`].
    pub(super) fn tokenizer(&self) -> Result<Option<Arc<dyn Tokenizer>>, Problem> {
        self.training.tokenizer()
    }

    /// Which findings count.
    ///
    /// # Errors
    /// As [`FindingPolicyOption::read`].
    pub(super) fn policy(&self) -> Result<FindingPolicy, Problem> {
        let mut policy = self.policy.read()?;
        if let Some(asked) = &self.loss
            && self.training.template(asked)?.knows_think_tags()
        {
            policy.allow(&THINK_RULES)?;
        }
        Ok(policy)
    }

    /// How conversations train; None where nothing was said.
    ///
    /// # Errors
    /// The template or the tokenizer cannot be read.
    pub(super) fn loss(&self) -> Result<Option<LossCheck>, Problem> {
        self.loss.as_deref().map(|asked| self.training.check(asked)).transpose()
    }
}

/// The configuration; what is wrong with it is reported.
fn configured() -> Config {
    let config = Config::load();
    config.problems.iter().for_each(|problem| complain(&problem.to_string()));
    config
}

/// Its columns.
fn columns(config: &Config) -> Vec<Column> {
    let column = |(name, expression): &(String, String)| Some((CustomColumn::new(name).ok()?, expression.clone()));
    config.columns.iter().filter_map(column).collect()
}

/// A filter with the columns of the configuration that it may ask for.
#[derive(Default)]
pub(super) struct Where {
    filter: Filter,
    /// Its terms that ask for none of the columns, and those that do.
    known: Filter,
    custom_filter: Filter,
    columns: Vec<Column>,
    extra: RefCell<ExtraFindings>,
    policy: RefCell<FindingPolicy>,
    /// The attempts at each task of all inputs, where these are several.
    groups: RefCell<Option<Rc<TaskGroups>>>,
    tokenizer: Option<Arc<dyn Tokenizer>>,
    /// Where only records without findings are wanted: what finds these.
    clean: Option<RefCell<CleanCheck>>,
}

/// What a filter says of the records of an input.
pub(super) struct Passing {
    /// For each record whether it is let through.
    pub(super) records: Vec<bool>,
    /// How often a column of the configuration failed for one; then it has no value there, and the first is reported.
    pub(super) failed: u64,
}

/// Whether a record is let through, by its number; all are where nothing was asked.
pub(super) fn passes(passing: Option<&[bool]>, record: usize) -> bool {
    passing.is_none_or(|passing| passing.get(record) == Some(&true))
}

impl Passing {
    /// The status of a command that answers for these: 1 where a column failed.
    pub(super) fn status(&self) -> u8 {
        u8::from(self.failed > 0)
    }

    /// Whether a record is let through.
    pub(super) fn has(&self, record: usize) -> bool {
        self.records.get(record) == Some(&true)
    }
}

impl Where {
    fn new(filter: Filter, columns: Vec<Column>, (extra, policy): (ExtraFindings, FindingPolicy)) -> Self {
        let (known, custom) = filter.apart();
        let (extra, policy) = (RefCell::new(extra), RefCell::new(policy));
        let groups = RefCell::default();
        Self { filter, known, custom_filter: custom, columns, extra, policy, groups, tokenizer: None, clean: None }
    }

    /// The same for records without findings alone.
    pub(super) fn with_clean(self, clean: CleanCheck) -> Self {
        Self { clean: Some(RefCell::new(clean)), ..self }
    }

    /// Counts the attempts at each task over all inputs, if it asks for them; without this over each by itself.
    ///
    /// # Errors
    /// An input can no longer be read.
    pub(super) fn count_groups(&self, count: impl FnOnce() -> Result<TaskGroups, Problem>) -> Result<(), Problem> {
        if self.known.has_groups() {
            *self.groups.borrow_mut() = Some(Rc::new(count()?));
        }
        Ok(())
    }

    fn groups(&self, loaded: &Loaded) -> Result<Option<Rc<TaskGroups>>, Problem> {
        match self.groups.borrow().clone() {
            None if self.known.has_groups() => Ok(Some(Rc::new(task_groups(loaded)?))),
            groups => Ok(groups),
        }
    }

    /// Of these findings of an input those that count.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(super) fn counting(&self, loaded: &Loaded, found: Vec<LocatedFinding>) -> Result<Vec<LocatedFinding>, Problem> {
        self.policy.borrow_mut().counting(found, &mut Contents::new(loaded))
    }

    /// The findings that it asks for and that only a pass over the whole input makes, by record.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(super) fn extra_findings(&self, loaded: &Loaded) -> Result<ByRecord, Problem> {
        self.extra.borrow_mut().of_file(loaded)
    }

    /// The whole filter, as it is reported.
    pub(super) fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Whether it asks for what was decided.
    pub(super) fn has_marks(&self) -> bool {
        self.filter.has_marks()
    }

    /// Its terms that ask for no column of the configuration.
    pub(super) fn known(&self) -> &Filter {
        &self.known
    }

    /// Which records of an input are let through. Expressions are asked of those alone that pass all else.
    ///
    /// # Errors
    /// The input can no longer be read, its records are not trajectories, or an expression fails for good.
    pub(super) fn passing(&self, loaded: &Loaded, marks: &Marks) -> Result<Passing, Problem> {
        let is_all = self.known.is_empty() && (!self.custom_filter.is_empty() || self.clean.is_some());
        let mut passing = if is_all {
            vec![true; loaded.records()?.len()]
        } else {
            let extra = self.extra_findings(loaded)?;
            let counted = (&self.known, self.tokenizer.as_deref(), self.groups(loaded)?);
            passing(loaded, counted, &extra, marks, &mut self.policy.borrow_mut())?
        };
        if let Some(clean) = &self.clean {
            let found = findings_of(clean, loaded)?;
            passing.iter_mut().zip(found).for_each(|(passes, has_findings)| *passes = *passes && !has_findings);
        }
        self.passing_custom_columns(loaded, passing)
    }

    /// The same of the rows of a table: where the input is a run they are its trajectories.
    ///
    /// # Errors
    /// As [`Where::passing`].
    pub(super) fn passing_rows(&self, loaded: &Loaded, marks: &Marks) -> Result<Passing, Problem> {
        if !ingest::is_run(loaded) {
            return self.passing(loaded, marks);
        }
        let surveyed = ingest::survey_runs(loaded, self.known.has_findings())?;
        let (groups, mut contents) = (self.groups(loaded)?, Contents::new(loaded));
        let (len, place) = (ingest::record_bytes(loaded)?, (loaded.input.name(), loaded.detected.format.name()));
        let is_clean = match &self.clean {
            Some(clean) => !findings_of(clean, loaded)?.contains(&true),
            None => true,
        };
        let mut records = Vec::with_capacity(surveyed.len());
        for (number, Surveyed { findings, facts, .. }) in surveyed.iter().enumerate() {
            let counting = self.policy.borrow_mut().counting(findings.iter().cloned(), &mut contents)?;
            let facts = facts.clone().unwrap_or_default().without_findings().with_findings(&counting);
            let mut maker = ChunkBuilder::of_file(number, place);
            maker.push(&facts, len);
            let (texts, groups) = (RunTexts(facts), groups.as_deref());
            let passes = |entry: RecordFacts<'_>| self.known.holds(&entry.with_groups(groups).with_reader(&texts));
            records.push(is_clean && maker.finish().iter().all(passes));
        }
        if !self.has_custom_columns() || !records.contains(&true) {
            return Ok(Passing { records, failed: 0 });
        }
        let columns = Columns::of_run(loaded, &self.custom_filter, &self.columns, records.len())?;
        for (number, passes) in records.iter_mut().enumerate() {
            *passes = *passes && columns.pass(&self.custom_filter, number);
        }
        Ok(Passing { records, failed: columns.failed })
    }

    /// Which records of an input belong to what is let through: of one that is a run all or none.
    ///
    /// # Errors
    /// As [`Where::passing`]; or some of the runs of a file pass, whose records nothing distinguishes.
    pub(super) fn passing_records(&self, loaded: &Loaded, marks: &Marks) -> Result<Passing, Problem> {
        let rows = self.passing_rows(loaded, marks)?;
        if !ingest::is_run(loaded) {
            return Ok(rows);
        }
        let has_some = rows.records.contains(&true);
        if has_some && rows.records.contains(&false) {
            let message =
                format!("{} has several runs, of which not all match: its records are of all", loaded.input.name());
            return Err(Problem::usage(message).hint("`obelus table FILE --where FILTER` lists those that match"));
        }
        Ok(Passing { records: vec![has_some; loaded.records()?.len()], ..rows })
    }

    /// Whether it asks for columns of the configuration, which are those of whole records.
    pub(super) fn has_custom_columns(&self) -> bool {
        !self.custom_filter.is_empty()
    }

    /// Of these records those that pass by what the columns of the configuration say.
    ///
    /// # Errors
    /// The input can no longer be read, or an expression fails for good.
    pub(super) fn passing_custom_columns(&self, loaded: &Loaded, mut passing: Vec<bool>) -> Result<Passing, Problem> {
        if !self.has_custom_columns() {
            return Ok(Passing { records: passing, failed: 0 });
        }
        let columns = Columns::of(loaded, &self.custom_filter, &self.columns, &passing)?;
        for (record, passes) in passing.iter_mut().enumerate() {
            *passes = *passes && columns.pass(&self.custom_filter, record);
        }
        Ok(Passing { records: passing, failed: columns.failed })
    }
}

/// The records of an input that `--only-clean` leaves out.
fn findings_of(clean: &RefCell<CleanCheck>, loaded: &Loaded) -> Result<Vec<bool>, Problem> {
    clean.borrow_mut().findings(loaded).map_err(Problem::from)
}

/// For each record of an input whether a filter of records lets it through.
///
/// # Errors
/// The input can no longer be read, or its records are not trajectories.
fn passing(
    loaded: &Loaded,
    (filter, tokenizer, groups): (&Filter, Option<&dyn Tokenizer>, Option<Rc<TaskGroups>>),
    extra: &ByRecord,
    marks: &Marks,
    policy: &mut FindingPolicy,
) -> Result<Vec<bool>, Problem> {
    let purpose = purpose_of(&filter.fields());
    let Some(mut survey) = loaded.detected.format.survey(purpose) else {
        let message = format!("{} has no records that are trajectories, which a filter needs", loaded.input.name());
        let hint = "`obelus table FILE --where FILTER` filters runs, `obelus steps FILE --where FILTER` the steps of a \
                    run, `obelus query FILE EXPR` any record";
        return Err(Problem::usage(message).hint(hint));
    };
    let look = survey.look();
    let wants_keys = filter.has_marks();
    let see = |record: &Record, text: &[u8]| {
        // Of a broken record only the beginning was read: its key is not known.
        let key = (wants_keys && record.body == RecordBody::Text).then(|| ContentKey::of(text));
        let tokens = tokenizer.and_then(|tokenizer| tokens(text, loaded, tokenizer));
        ScannedRecord { looked: look(record, text), len: record.place.span.len, key, tokens }
    };
    let mut out = Vec::new();
    let contents = Contents::new(loaded);
    let reader = WholeTexts::new(loaded);
    let mut judge = Judge { survey: survey.as_mut(), loaded, filter, marks, groups, policy, contents, reader };
    ingest::look_at_all(loaded, see, |scanned: ScannedRecord| -> Result<(), Problem> {
        let extra = extra.get(&out.len()).map(Vec::as_slice).unwrap_or_default();
        out.push(judge.passes(out.len(), scanned, extra)?);
        Ok(())
    })?;
    Ok(out)
}

/// What judges the records of an input in their order.
struct Judge<'j> {
    survey: &'j mut dyn Survey,
    loaded: &'j Loaded,
    filter: &'j Filter,
    marks: &'j Marks,
    /// The attempts at each task, where they are asked for.
    groups: Option<Rc<TaskGroups>>,
    policy: &'j mut FindingPolicy,
    contents: Contents<'j>,
    /// The texts that facts have the beginnings of.
    reader: WholeTexts<'j>,
}

impl Judge<'_> {
    /// Whether the record of that number, which comes next, is let through; `extra` are findings of it beside those of
    /// its format.
    fn passes(&mut self, number: usize, scanned: ScannedRecord, extra: &[LocatedFinding]) -> Result<bool, Problem> {
        let Surveyed { findings: found, facts, .. } = ingest::take(self.loaded, self.survey, scanned.looked)?;
        let mut facts = facts.unwrap_or_default().with_tokens(scanned.tokens);
        if self.filter.has_findings() {
            let finding_counts = self.policy.counting(found, &mut self.contents)?;
            let extra = self.policy.counting(extra.iter().cloned(), &mut self.contents)?;
            facts = facts.without_findings().with_findings(&finding_counts).with_rules(&extra);
        }
        let place = (self.loaded.input.name(), self.loaded.detected.format.name());
        let mut maker = ChunkBuilder::of_file(number, place);
        maker.push(&facts, scanned.len);
        let target = scanned.key.map(MarkTarget::record);
        let mark = target.and_then(|target| self.marks.get(&target));
        Ok(maker.finish().iter().all(|entry| {
            self.filter.holds(&entry.with_mark(mark).with_groups(self.groups.as_deref()).with_reader(&self.reader))
        }))
    }
}
