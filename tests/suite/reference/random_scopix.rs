//! Random Scopix documents: the program against the second implementation.

use super::compare::{answers_differ, asked, checked, findings_differ};
use super::random_acts::{members, one, seldom, value};
use super::scopix::Scopix;
use super::{Question, hunt};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

fn slot() -> BoxedStrategy<String> {
    prop_oneof![10 => one(&["a", "b", "results"]), 2 => one(&["d.e", "0", "collection"])].boxed()
}

fn kind() -> BoxedStrategy<String> {
    prop_oneof![8 => one(&["FILE_IDS", "CATEGORIZATION", "TEXT"]), 2 => one(&["ANALYSIS_RESULT", "FOLDER_RESULT", "X"])]
        .boxed()
}

fn agent() -> BoxedStrategy<String> {
    one(&["S", "T", "u_search", "D.e"])
}

fn hint() -> BoxedStrategy<String> {
    one(&["\"images\"", "\"documents\"", "\"links\"", "\"mixed\"", "\"unknown\""])
}

fn quoted(of: BoxedStrategy<String>) -> BoxedStrategy<String> {
    of.prop_map(|s| format!("\"{s}\"")).boxed()
}

fn id() -> BoxedStrategy<String> {
    one(&["\"1\"", "\"2\"", "\"3\""])
}

fn array(of: BoxedStrategy<String>, most: usize) -> BoxedStrategy<String> {
    vec(of, 0..=most).prop_map(|all| format!("[{}]", all.join(","))).boxed()
}

fn files() -> BoxedStrategy<String> {
    let meta = one(&["{}", "{\"w\":1}", "{\"w\":1,\"h\":2}", "{\"v\":1}"]);
    let one_ref = (id(), seldom("metadata", 0.4, meta), seldom("filename", 0.4, one(&["\"f\"", "\"g\""])))
        .prop_map(|(id, meta, name)| format!("{{\"id\":{id}{meta}{name}}}"));
    let odd = one(&["{\"ids\":[1]}", "{\"refs\":[{\"x\":1}]}", "{\"ids\":\"1\"}", "5", "null", "{}"]);
    let ids = array(id(), 3).prop_map(|ids| format!("\"ids\":{ids}"));
    let refs = array(one_ref.boxed(), 3).prop_map(|refs| format!("\"refs\":{refs}"));
    let what = prop_oneof![3 => ids, 2 => refs];
    let capability = one(&["\"SEARCH\"", "\"FILTER\"", "null"]);
    let whole = (what, seldom("content_type", 0.8, hint()), seldom("source_capability", 0.3, capability))
        .prop_map(|(what, kind, capability)| format!("{{{what}{kind}{capability}}}"));
    prop_oneof![8 => whole, 1 => odd].boxed()
}

fn categories() -> BoxedStrategy<String> {
    let category = (
        one(&["\"Poles\"", "\"POLES\"", "\"Wires\"", "\"ä\"", "\"Ä\""]),
        seldom("file_ids", 0.6, array(id(), 3)),
        seldom("document_ids", 0.3, array(id(), 2)),
        seldom("top_tags", 0.3, array(one(&["\"t\"", "\"u\""]), 2)),
        seldom("description", 0.3, one(&["\"d\"", "null", "\"\""])),
        seldom("confidence", 0.4, one(&["0.5", "0.50", "1", "null", "9e-1"])),
        seldom("extra", 0.1, one(&["1", "2"])),
    )
        .prop_map(|(name, files, documents, tags, description, confidence, extra)| {
            format!("{{\"name\":{name}{files}{documents}{tags}{description}{confidence}{extra}}}")
        });
    let whole = (
        array(category.boxed(), 3),
        seldom("total_files", 0.3, one(&["1", "5"])),
        seldom("clustering_method", 0.4, one(&["\"k\"", "\"l\"", "null"])),
        seldom("status", 0.4, one(&["\"success\"", "\"failed\""])),
        seldom("error_reason", 0.3, one(&["\"e\"", "\"f\""])),
        seldom("source_capability", 0.3, one(&["\"SEARCH\"", "\"FILTER\""])),
    );
    whole
        .prop_map(|(categories, total, method, status, reason, capability)| {
            format!("{{\"categories\":{categories}{total}{method}{status}{reason}{capability}}}")
        })
        .boxed()
}

/// A value and the type that fits it, mostly.
fn typed() -> BoxedStrategy<(String, String)> {
    prop_oneof![
        4 => files().prop_map(|v| (v, "\"FILE_IDS\"".to_owned())),
        3 => categories().prop_map(|v| (v, "\"CATEGORIZATION\"".to_owned())),
        2 => (one(&["\"x\"", "\"y\"", "null"])).prop_map(|v| (v, "\"TEXT\"".to_owned())),
        2 => (value(), quoted(kind())),
    ]
    .boxed()
}

fn source() -> BoxedStrategy<String> {
    prop_oneof![9 => quoted(agent()), 1 => one(&["5", "null"])].boxed()
}

fn time() -> BoxedStrategy<String> {
    one(&["\"2026-01-01\"", "\"2026-01-02\"", "\"2026-01-03\"", "5"])
}

/// The members of a slot behind its value.
fn slot_members() -> BoxedStrategy<String> {
    (typed(), seldom("source_node", 0.95, source()), seldom("timestamp", 0.5, time()))
        .prop_map(|((value, kind), source, time)| format!("\"value\":{value},\"data_type\":{kind}{source}{time}"))
        .boxed()
}

fn ports(which: &'static str) -> BoxedStrategy<String> {
    let port = (
        slot(),
        quoted(kind()),
        seldom("required", 0.4, one(&["true", "false"])),
        seldom("mergeable", 0.3, one(&["true", "false"])),
        seldom("content_type_hint", 0.6, hint()),
    )
        .prop_map(|(name, kind, required, mergeable, hint)| {
            format!("{{\"name\":\"{name}\",\"data_type\":{kind}{required}{mergeable}{hint}}}")
        });
    array(port.boxed(), 2).prop_map(move |all| format!(",\"{which}\":{all}")).boxed()
}

fn contract() -> BoxedStrategy<String> {
    (quoted(agent()), ports("inputs"), ports("outputs"))
        .prop_map(|(name, inputs, outputs)| format!("{{\"name\":{name},\"capability\":\"c\"{inputs}{outputs}}}"))
        .boxed()
}

fn stage() -> BoxedStrategy<String> {
    let on = prop_oneof![1 => Just("null".to_owned()), 4 => array(one(&["0", "1", "2", "3"]), 2)].boxed();
    (quoted(agent()), seldom("depends_on", 0.5, on))
        .prop_map(|(agent, on)| format!("{{\"agent\":{agent},\"intent\":\"i\"{on}}}"))
        .boxed()
}

fn outputs() -> BoxedStrategy<String> {
    let member = (slot(), typed()).prop_map(|(name, (value, _))| format!("\"{name}\":{value}"));
    members(vec(member, 0..3)).boxed()
}

fn declared() -> BoxedStrategy<String> {
    let stages = || array(stage(), 3);
    let both = (array(contract(), 3), weighted(0.4, stages()))
        .prop_map(|(c, s)| format!("{{\"contracts\":{c}{}}}", s.map_or(String::new(), |s| format!(",\"steps\":{s}"))));
    let ids = || one(&["[\"1\"]", "[\"1\",\"2\"]", "[]", "null"]);
    let request = (stages(), seldom("image_ids", 0.3, ids()), seldom("document_ids", 0.2, ids()))
        .prop_map(|(s, images, documents)| format!("{{\"steps\":{s}{images}{documents}}}"));
    prop_oneof![3 => contract(), 2 => both, 2 => request].boxed()
}

fn answered() -> BoxedStrategy<String> {
    let result = (one(&["true", "false"]), quoted(agent()), outputs())
        .prop_map(|(ok, agent, outputs)| format!("{{\"success\":{ok},\"agent_name\":{agent},\"outputs\":{outputs}}}"));
    let status = one(&["\"completed\"", "\"failed\"", "\"skipped\""]);
    let node = (quoted(agent()), status, seldom("outputs", 0.7, outputs()))
        .prop_map(|(agent, status, outputs)| format!("{{\"agent\":{agent},\"status\":{status}{outputs}}}"));
    let response = (one(&["true", "false"]), one(&["nodes", "steps"]), array(node.boxed(), 3))
        .prop_map(|(ok, name, nodes)| format!("{{\"success\":{ok},\"{name}\":{nodes}}}"));
    prop_oneof![3 => result, 2 => response].boxed()
}

/// A record, of slots by their number in the pool.
#[derive(Debug, Clone)]
enum Make {
    Text(String),
    /// Which slots of the pool, and what else stands in the record.
    Context(u16, Option<String>),
    BareMap(u16),
    List(u16),
    Write(usize),
}

fn document() -> BoxedStrategy<String> {
    let more =
        (weighted(0.8, array(contract(), 2)), weighted(0.6, array(stage(), 2))).prop_map(|(contracts, steps)| {
            let member =
                |name: &str, value: Option<String>| value.map_or(String::new(), |v| format!(",\"{name}\":{v}"));
            format!("{}{}", member("contracts", contracts), member("steps", steps))
        });
    let make = prop_oneof![
        3 => (any::<u16>(), weighted(0.2, more)).prop_map(|(mask, more)| Make::Context(mask, more)),
        1 => any::<u16>().prop_map(Make::BareMap),
        1 => any::<u16>().prop_map(Make::List),
        3 => (0..100_usize).prop_map(Make::Write),
        2 => files().prop_map(Make::Text),
        3 => declared().prop_map(Make::Text),
        4 => answered().prop_map(Make::Text),
        1 => one(&["{\"x\":1}", "5", "{\"slots\":{\"a\":5,\"b\":{\"data_type\":\"TEXT\"}}}", "{", "[]"]).prop_map(Make::Text),
    ];
    let pool = vec((slot(), slot_members()), 1..6);
    (pool, vec(make, 1..7)).prop_map(|(pool, makes)| text(&pool, &makes)).boxed()
}

/// The slots of the pool that a mask takes, each name once.
fn some(pool: &[(String, String)], mask: u16, put: impl Fn(&str, &str) -> String) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for (i, (name, members)) in pool.iter().enumerate() {
        if mask >> i & 1 == 1 && !names.contains(&name.as_str()) {
            names.push(name);
            out.push(put(name, members));
        }
    }
    out.join(",")
}

fn text(pool: &[(String, String)], makes: &[Make]) -> String {
    let map = |mask: u16| some(pool, mask, |name, members| format!("\"{name}\":{{{members}}}"));
    let line = |make: &Make| match make {
        Make::Text(text) => text.clone(),
        Make::Context(mask, more) => format!("{{\"slots\":{{{}}}{}}}", map(*mask), more.clone().unwrap_or_default()),
        Make::BareMap(mask) => format!("{{{}}}", map(*mask)),
        Make::List(mask) => {
            let kinds = ["FILE_IDS", "TEXT"];
            let row = |name: &str, members: &str| {
                let kind = kinds[members.len() % 2];
                format!("{{\"name\":\"{name}\",\"type\":\"{kind}\",\"source\":\"S\"}}")
            };
            format!("[{}]", some(pool, *mask, row))
        }
        Make::Write(i) => {
            let (name, members) = &pool[i % pool.len()];
            format!("{{\"slot_name\":\"{name}\",{members}}}")
        }
    };
    makes.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn questions(count: usize, text: &str) -> Vec<Question> {
    let early = count.checked_sub(2).map(|n| n as i64 * (text.len() as i64 % 7) / 6);
    let plain = |kind| Question { kind, is_json: true, ..Question::default() };
    let kinds = ["state", "blame", "plan", "merge"];
    let mut all: Vec<Question> = kinds.into_iter().map(plain).collect();
    all.push(Question { kind: "render", ..Question::default() });
    all.extend(kinds.into_iter().map(|kind| Question { step: early, ..plain(kind) }));
    for path in ["a", "b.ids", "results.categories.0", "[\"d.e\"]", "collection", "a[0]"] {
        all.push(Question { path: Some(path.to_owned()), ..plain("history") });
        all.push(Question { path: Some(path.to_owned()), ..plain("resolve") });
    }
    let expect = Some("TEXT".to_owned());
    all.push(Question { path: Some("a.ids".to_owned()), expect, ..plain("resolve") });
    all.push(Question { path: Some("CATEGORIZATION".to_owned()), ..plain("merge") });
    all.push(Question { path: Some("a".to_owned()), ..plain("blame") });
    all
}

fn differs(folder: &std::path::Path, text: &str) -> Option<String> {
    let file = folder.join("scopix.jsonl");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let scopix = Scopix::read(text.as_bytes());
    if let Some(found) = findings_differ(&scopix.findings(), &checked(file, "scopix")) {
        return Some(format!("check\n{found}"));
    }
    questions(scopix.count(), text).iter().find_map(|question| {
        let found = answers_differ(&scopix.answer(question), &asked(question, file, "scopix"));
        found.map(|found| format!("{} {:?} {:?}\n{found}", question.kind, question.path, question.step))
    })
}

fn search(cases: usize) {
    let folder = tempfile::tempdir().unwrap();
    hunt::search(cases, &document(), |text| differs(folder.path(), text));
}

#[test]
fn random_documents_of_scopix_agree() {
    search(150);
}

#[test]
#[ignore = "the long run"]
fn reference_scopix_long() {
    search(hunt::cases());
}
