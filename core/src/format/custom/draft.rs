//! A format file for records of an unknown shape: what it says is guessed from the data, with the reasons beside it.

mod fields;
mod guess;
mod toml_text;
mod unused;

use super::path::{FieldPath, Scope};
use crate::format::FORMATS;
use crate::json::Value;
use crate::model::Problem;
use fields::{Field, Fields};
use guess::{CallGuess, Guess, ResultGuess, WriteGuess};
use std::collections::{BTreeMap, HashSet};
use toml_text::{TomlText, example, quoted, words};

/// Most steps that are looked at.
const STEPS_MAX: usize = 2000;
/// Records that are asked where their steps are, and by which they are recognised.
const RECORDS: usize = 20;
/// Members by which records are recognised.
const SIGNATURE_MEMBERS: usize = 5;
/// Most members that are state.
const STATES_MAX: usize = 4;

/// Members whose one text names the format.
const SCHEMAS: &[&str] = &["schema", "format", "generator", "producer", "schemaversion"];

/// Writes the text of a format file for records, with comments. It loads and reads them as it is.
///
/// # Errors
/// No record is an object.
pub fn draft(file: &str, records: &[Value<'_>]) -> Result<String, Problem> {
    let objects: Vec<&Value<'_>> = records.iter().filter(|record| record.as_object().is_some()).collect();
    if objects.is_empty() {
        let problem = Problem::unreadable(format!("{file}: no record is an object, so that there are no members"));
        return Err(problem.hint("`obelus FILE --format generic` shows what there is"));
    }
    let shape = RecordsShape::of(&objects);
    let steps = shape.steps(&objects);
    let draft = Draft { file, objects: &objects, shape: &shape, of_records: Fields::of(objects.iter().copied()) };
    Ok(draft.text(&steps))
}

/// Where steps are.
#[derive(Debug, Default)]
struct RecordsShape {
    /// The list in a record; None: the record is a step.
    list: Option<String>,
    are_trajectories: bool,
}

impl RecordsShape {
    /// Of one record the longest list of objects, of several one in which somebody speaks.
    fn of(records: &[&Value<'_>]) -> Self {
        let first: Vec<&Value<'_>> = records.iter().copied().take(RECORDS).collect();
        let fields = Fields::of(first.iter().copied());
        let is_alone = records.len() == 1;
        let lists = fields.all.iter().filter(|field| field.lists > 0 && !field.is_listed && field.depth <= 3);
        let items_of = |field: &Field| -> usize {
            let path = FieldPath::parse(&format!("{}[]", field.path));
            let count = |path: FieldPath| {
                let scope = |record| Scope { record, item: record };
                let items = first.iter().flat_map(|record| path.all(scope(*record)));
                items.filter(|item| item.as_object().is_some()).count()
            };
            path.map_or(0, count)
        };
        let speaks = |field: &Field| {
            let place = format!("{}[]", field.path);
            fields.member(&place, guess::ROLES, |role| role.texts > 0).is_some()
        };
        let found = if is_alone {
            let scored = lists.map(|field| (speaks(field), items_of(field), field));
            scored.filter(|(_, items, _)| *items > 0).max_by_key(|(speaks, items, _)| (*speaks, *items))
        } else {
            let common = lists.filter(|field| field.lists * 10 >= first.len() * 6 && speaks(field));
            let scored = common.map(|field| (true, items_of(field), field));
            scored.filter(|(_, items, _)| *items >= first.len() * 2).max_by_key(|(_, items, _)| *items)
        };
        let list = found.map(|(.., field)| format!("{}[]", field.path));
        Self { are_trajectories: list.is_some() && !is_alone, list }
    }

    fn steps<'v, 'a>(&self, records: &[&'v Value<'a>]) -> Vec<&'v Value<'a>> {
        let Some(path) = self.list.as_deref().and_then(|list| FieldPath::parse(list).ok()) else {
            return records.iter().copied().take(STEPS_MAX).collect();
        };
        let all = records.iter().flat_map(|record| path.all(Scope { record, item: record }));
        all.filter(|step| step.as_object().is_some()).take(STEPS_MAX).collect()
    }
}

/// A draft on its way to text.
struct Draft<'d, 'a> {
    file: &'d str,
    objects: &'d [&'d Value<'a>],
    shape: &'d RecordsShape,
    of_records: Fields,
}

impl Draft<'_, '_> {
    fn text(&self, steps: &[&Value<'_>]) -> String {
        let fields = Fields::of(steps.iter().copied());
        let mut out = TomlText::default();
        out.comment(&format!("A draft of a format for {}, guessed from {} steps.", quoted(self.file), steps.len()));
        out.comment("It loads as it is. Check what is guessed; docs/custom-formats.md lists all settings.");
        out.comment("Put it into the folder `formats` of your configuration, or name it with --format-file.");
        out.line("name", &quoted(&name_of(self.file)), None);
        out.line("title", &quoted("My agent"), Some("for people"));
        self.records(&mut out);
        self.signature(&fields, &mut out);
        roles(&fields, &mut out);
        let has_writes = rules(steps, &fields, &mut out);
        writes(&fields, "", &mut out);
        if self.shape.list.is_some() {
            writes(&self.of_records, "$.", &mut out);
        }
        if !has_writes && guess::states(&fields).is_empty() && guess::states(&self.of_records).is_empty() {
            example_of_writes(&mut out);
        }
        usage(&fields, &mut out);
        self.session(&fields, &mut out);
        unused::unused(&fields, self.shape.list.as_deref().map(|list| (&self.of_records, list)), &mut out);
        out.text
    }

    fn records(&self, out: &mut TomlText) {
        out.section("[records]");
        match (&self.shape.list, self.shape.are_trajectories) {
            (None, _) => out.line("are", "\"steps\"", Some("all records make one run, each is a step")),
            (Some(_), true) => out.line("are", "\"trajectories\"", Some("each record is a run of its own")),
            (Some(_), false) => out.line("are", "\"steps\"", Some("all records make one run")),
        }
        if let Some(list) = &self.shape.list {
            out.line("steps", &quoted(list), Some("where the steps of a record are"));
        }
    }

    /// The members that the records share; as many hold as make at least half of the first records fit.
    fn signature(&self, steps: &Fields, out: &mut TomlText) {
        let first: Vec<&Value<'_>> = self.objects.iter().copied().take(RECORDS).collect();
        let fields = Fields::of(first.iter().copied());
        let is_shared = |field: &&Field| !field.is_listed && field.depth <= 2 && field.count * 10 >= first.len() * 9;
        let mut shared: Vec<&Field> = fields.all.iter().filter(is_shared).collect();
        shared.sort_by_key(|field| field.depth);
        let mut members: Vec<String> = shared.iter().take(SIGNATURE_MEMBERS).map(|field| field.path.clone()).collect();
        if let Some(list) = &self.shape.list {
            let of_steps = steps.all.iter().filter(|field| field.depth == 1 && field.count * 10 >= steps.count * 9);
            members.extend(of_steps.take(2).map(|field| format!("{list}.{}", field.path)));
        }
        if members.is_empty() {
            let most = fields.all.iter().filter(|field| !field.is_listed && field.count * 2 >= first.len());
            let any = || fields.all.iter().max_by_key(|field| field.count);
            members.extend(most.max_by_key(|field| field.count).or_else(any).map(|field| field.path.clone()));
        }
        let schema = shared.iter().find(|field| SCHEMAS.contains(&field.name.as_str()) && field.is_word(1));
        out.section("[signature]");
        out.comment("A file is of this format if at least half of its first 20 records have all of these.");
        let list: Vec<String> = members.iter().map(|path| quoted(path)).collect();
        out.line("has", &format!("[{}]", list.join(", ")), None);
        if let Some(schema) = schema {
            let word = schema.words.keys().next().map_or_else(String::new, |word| quoted(word));
            out.line("when", &format!("{{ {} = {word} }}", quoted(&schema.path)), None);
        }
    }

    fn session(&self, steps: &Fields, out: &mut TomlText) {
        let names: [(&str, &[&str]); 4] = [
            ("title", &["title", "sessiontitle", "sessionid", "conversationid", "threadid", "runid", "sessionname"]),
            ("model", &["model", "modelname", "modelid"]),
            ("cwd", &["cwd", "workingdirectory", "workdir", "workingdir"]),
            ("branch", &["branch", "gitbranch"]),
        ];
        let mut found = Vec::new();
        for (key, names) in names {
            let is_text = |field: &Field| field.texts > 0;
            let of_record = || self.of_records.named(names, is_text).map(|field| format!("$.{}", field.path));
            let of_step = || steps.named(names, is_text).map(|field| field.path.clone());
            let path = match self.shape.list {
                Some(_) => of_record().or_else(of_step),
                None => of_step(),
            };
            found.extend(path.map(|path| (key, path)));
        }
        if !found.is_empty() {
            out.section("[session]");
            out.comment("What holds around steps; a path that begins with `$` begins at the record.");
            found.iter().for_each(|(key, path)| out.line(key, &quoted(path), None));
        }
    }
}

/// A name for the format: that of the file, as far as a name may have it.
fn name_of(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = base.split('.').find(|part| !part.is_empty()).unwrap_or_default().to_lowercase();
    let safe: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(32).collect();
    let name = safe.trim_matches('-');
    let is_taken = name.is_empty() || name == "auto" || FORMATS.iter().any(|format| format.name() == name);
    if is_taken { format!("my-{name}").trim_end_matches('-').to_owned() } else { name.to_owned() }
}

/// Words for roles that mean none by themselves.
fn roles(fields: &Fields, out: &mut TomlText) {
    let Some(role) = guess::role(fields) else { return };
    let unknown: Vec<&String> =
        role.words.keys().filter(|word| crate::format::describe::role_of(word).is_none()).collect();
    if unknown.is_empty() {
        return;
    }
    out.section("[roles]");
    let path = quoted(&role.path);
    out.comment(&format!("Values of {path} that are not known roles: user, agent, environment or system?"));
    for word in unknown {
        out.commented(&quoted(word), "\"agent\"");
    }
}

/// One rule for all steps, or one for each way in which types of steps are read.
/// Whether some of them are said to be state.
fn rules(steps: &[&Value<'_>], fields: &Fields, out: &mut TomlText) -> bool {
    let Some(class) = guess::kind(fields) else {
        rule(&guess::of(fields, None, false), fields, None, &[], out);
        return false;
    };
    let path = FieldPath::parse(&class.path).ok();
    let word = |step: &Value<'_>| {
        let found = path.as_ref().and_then(|path| path.first(Scope { record: step, item: step }));
        found.and_then(Value::as_str).map(str::to_owned)
    };
    let mut groups: BTreeMap<String, Vec<&Value<'_>>> = BTreeMap::new();
    for step in steps {
        groups.entry(word(step).unwrap_or_default()).or_default().push(step);
    }
    let groups = groups.into_iter().filter(|(word, _)| !word.is_empty());
    let groups: Vec<(String, Fields)> = groups.map(|(word, steps)| (word, Fields::of(steps))).collect();
    let mut ids: HashSet<String> = HashSet::new();
    for (word, fields) in &groups {
        ids.extend(guess::call_ids(fields, &guess::of(fields, Some(word), false)).cloned());
    }
    let mut known: Vec<(Guess, Vec<&String>)> = Vec::new();
    for (word, fields) in &groups {
        let guess = guess::of(fields, Some(word), guess::answers(fields, &ids));
        match known.iter_mut().find(|(other, ..)| *other == guess) {
            Some((_, words)) => words.push(word),
            None => known.push((guess, vec![word])),
        }
    }
    for (guess, words) in &known {
        let of_rule = steps.iter().copied().filter(|step| word(step).is_some_and(|word| words.contains(&&word)));
        rule(guess, &Fields::of(of_rule), Some(class), words, out);
    }
    let time = fields.named(guess::TIMES, Field::is_scalar).map(|field| field.path.clone());
    rule(&Guess { time, ..Guess::default() }, fields, Some(class), &[], out);
    let writes: Vec<(&String, WriteGuess)> =
        groups.iter().filter_map(|(word, fields)| Some((word, guess::write(fields, word)?))).collect();
    writes.iter().take(STATES_MAX).for_each(|(word, write)| keyed_write(write, class, word, out));
    !writes.is_empty()
}

/// A value under a key.
fn keyed_write(write: &WriteGuess, class: &Field, word: &str, out: &mut TomlText) {
    out.section("[[writes]]");
    out.line("when", &format!("{{ {} = {} }}", quoted(&class.path), quoted(word)), None);
    out.line("value", &quoted(&write.value), None);
    out.line("kind", &quoted(&write.kind), Some("the name of the state; a step that has the value writes it"));
    write.instance_at.iter().for_each(|path| out.line("instance-at", &quoted(path), None));
    out.line("slot-at", &quoted(&write.slot_at), None);
}

fn rule(guess: &Guess, fields: &Fields, class: Option<&Field>, of: &[&String], out: &mut TomlText) {
    out.section("[[steps]]");
    match class {
        Some(_) if of.is_empty() => out.comment("All other steps."),
        Some(class) => {
            let texts: Vec<String> = of.iter().map(|word| quoted(word)).collect();
            let value = if let [one] = texts.as_slice() { one.clone() } else { format!("[{}]", texts.join(", ")) };
            out.line("when", &format!("{{ {} = {value} }}", quoted(&class.path)), None);
        }
        None => {}
    }
    let mut line = |key: &str, path: Option<&String>, words: &dyn Fn(&Field) -> String| {
        if let Some(path) = path {
            let reason = fields.get(path).map(words);
            out.line(key, &quoted(path), reason.as_deref());
        }
    };
    let has_words = guess.message.is_some() || guess.text.is_some();
    line("type", class.map(|class| &class.path).filter(|_| !has_words), &|_| String::new());
    line("message", guess.message.as_ref(), &|_| "a chat message, read whole".to_owned());
    line("role", guess.role.as_ref().filter(|_| has_words), &words);
    line("text", guess.text.as_ref(), &example);
    line("thought", guess.thought.as_ref(), &example);
    line("time", guess.time.as_ref(), &example);
    if let Some(calls) = &guess.calls {
        put_calls(calls, out);
    }
    if let Some(results) = &guess.results {
        put_results(results, out);
    }
}

fn put_calls(calls: &CallGuess, out: &mut TomlText) {
    out.section("[steps.calls]");
    if let Some(at) = &calls.at {
        out.line("at", &quoted(at), Some("what follows is relative to it"));
    }
    out.line("name", &quoted(&calls.name), None);
    for (key, path) in [("arguments", &calls.arguments), ("id", &calls.id)] {
        path.iter().for_each(|path| out.line(key, &quoted(path), None));
    }
}

fn put_results(results: &ResultGuess, out: &mut TomlText) {
    out.section("[steps.results]");
    if let Some(at) = &results.at {
        out.line("at", &quoted(at), Some("what follows is relative to it"));
    }
    out.line("text", &quoted(&results.text), None);
    let rest = [("id", &results.id), ("name", &results.name), ("error", &results.error), ("ok", &results.ok)];
    for (key, path) in rest {
        path.iter().for_each(|path| out.line(key, &quoted(path), None));
    }
}

/// Members that are state.
fn writes(fields: &Fields, root: &str, out: &mut TomlText) {
    for field in guess::states(fields).into_iter().take(STATES_MAX) {
        out.section("[[writes]]");
        out.line("value", &quoted(&format!("{root}{}", field.path)), Some(&words(field)));
        out.line("kind", &quoted(&field.name), Some("the name of the state; a step that has it writes it"));
    }
}

fn example_of_writes(out: &mut TomlText) {
    out.section("# [[writes]]");
    out.comment("Which members are state: each one a value that a step writes, with its provenance.");
    out.commented("value", "\"data.memory\"");
    out.commented("kind", "\"memory\"");
    out.commented("instance-at", "\"data.agent\"");
    out.commented("slot-at", "\"data.key\"");
}

fn usage(fields: &Fields, out: &mut TomlText) {
    let names: [(&str, &[&str]); 5] = [
        ("input", &["inputtokens", "prompttokens", "tokensin", "intokens"]),
        ("output", &["outputtokens", "completiontokens", "tokensout", "outtokens"]),
        ("cache-read", &["cachereadinputtokens", "cachereadtokens", "cachedtokens", "cacheread"]),
        ("cache-write", &["cachecreationinputtokens", "cachewritetokens", "cachewrite"]),
        ("cost", &["cost", "costusd", "totalcostusd", "totalcost"]),
    ];
    let found = names.iter().filter_map(|(key, names)| Some((*key, fields.named(names, |field| field.numbers > 0)?)));
    let found: Vec<_> = found.collect();
    if !found.is_empty() {
        out.section("[usage]");
        found.iter().for_each(|(key, field)| out.line(key, &quoted(&field.path), None));
    }
}
