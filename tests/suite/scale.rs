//! What goes beyond one machine: summaries and sketches of parts that merge, batches in memory that say what files say,
//! names of what is elsewhere.

use super::command::{file, obelus, obelus_in, sample};
use obelus::batch::Batch;
use obelus::review::flat::{Cell, FINDINGS, FlatSchema, RECORDS, SKETCHES};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

/// Trajectories of many lengths, with rewards whose sum depends on the order where it is rounded.
fn trajectory(i: usize) -> String {
    let step = |n: usize| {
        let reward = [0.1, 1e16, -1e16, 0.3][(i + n) % 4];
        format!(r#"{{"class_":"api_action","function":"f{}","kwargs":{{"n":{n},"of":{i}}},"reward":{reward}}}"#, i % 7)
    };
    let steps: Vec<String> = (0..=i * i % 311).map(step).collect();
    format!("{{\"id\":\"t{i}\",\"content\":[{}]}}\n", steps.join(","))
}

fn summary(folder: &Path, names: &[&str]) -> String {
    let (status, line, stderr) = obelus_in(folder, &[&["stats", "--summary", "--json"], names].concat());
    assert_eq!((status, line.lines().count()), (0, 1), "{stderr}");
    line
}

fn merged(folder: &Path, lines: &[&str]) -> String {
    let name = file(folder, "parts", &lines.concat());
    let (status, line, stderr) = obelus_in(folder, &["stats", "--merge", "--json", &name]);
    assert_eq!((status, line.lines().count()), (0, 1), "{stderr}");
    line
}

#[test]
fn summaries_merge_in_any_order_and_grouping() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let all: Vec<String> = (0..600).map(trajectory).collect();
    file(folder, "all.jsonl", &all.concat());
    let parts: Vec<String> = (all.chunks(170).zip(["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]))
        .map(|(part, name)| {
            file(folder, name, &part.concat());
            summary(folder, &[name])
        })
        .collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| parts[i].as_str());
    let whole = summary(folder, &["all.jsonl"]).replace("all.jsonl", "-");
    assert_eq!(merged(folder, &[a, b, c, d]), whole);
    assert_eq!(merged(folder, &[d, b, a, c]), whole);
    assert_eq!(merged(folder, &[&merged(folder, &[d, a]), &merged(folder, &[c, b])]), whole);
    // Of constant size, and equal to the exact statistics in all but what is estimated.
    assert!(whole.len() < 60_000, "{}", whole.len());
    let (_, exact, _) = obelus_in(folder, &["stats", "--json", "--only", "dataset", "all.jsonl"]);
    let (sampled, exact): (Value, Value) =
        (serde_json::from_str(&whole).unwrap(), serde_json::from_str(&exact).unwrap());
    for (name, value) in exact.as_object().unwrap().iter().filter(|(name, _)| !matches!(&***name, "file" | "type")) {
        match name.as_str() {
            "steps" | "chars" => {
                for member in ["min", "max", "sum", "hist"] {
                    assert_eq!(sampled[name][member], value[member], "{name}.{member}");
                }
                for member in ["p50", "p90"] {
                    let [estimate, exact] = [&sampled[name][member], &value[member]].map(|n| n.as_f64().unwrap());
                    assert!(estimate <= exact && estimate >= exact * 0.99, "{name}.{member}: {estimate} for {exact}");
                }
            }
            _ => assert_eq!(&sampled[name], value, "{name}"),
        }
    }
    for name in ["ids", "bodies"] {
        let distinct = sampled["distinct"][name].as_f64().unwrap();
        assert!((distinct - 600.0).abs() < 15.0, "{name}: {distinct}");
    }
    let (_, people, _) = obelus_in(folder, &["stats", "--summary", "all.jsonl"]);
    assert!(people.contains("distinct") && !people.contains("sketch"), "{people}");
}

#[test]
fn summaries_of_runs_merge_and_others_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let runs = summary(folder, &[&sample("trip-run.jsonl")]);
    let twice: Value = serde_json::from_str(&merged(folder, &[&runs, &runs])).unwrap();
    let once: Value = serde_json::from_str(&runs).unwrap();
    assert_eq!(twice["steps"].as_u64().unwrap(), 2 * once["steps"].as_u64().unwrap());
    assert_eq!((&twice["trajectories"], &twice["type"]), (&json!(2), &json!("summary")));
    let records = summary(folder, &[&sample("desk-rollouts.jsonl")]);
    let (_, dataset, _) = obelus(&["stats", "--json", "--only", "dataset", &sample("desk-rollouts.jsonl")]);
    for (lines, why) in [
        ([&*runs, &*records], "another format"),
        ([&*dataset, &*records], "not those of its trajectories"),
        ([&*records, "{\"obelus\":1,\"type\":\"summary\",\"records\":1}"], "not a line of a summary"),
    ] {
        let name = file(folder, "bad", &lines.concat());
        let (status, _, stderr) = obelus_in(folder, &["stats", "--merge", "--json", &name]);
        assert!(status == 2 && stderr.contains(why), "{why}: {stderr}");
    }
}

/// A join on bodies, and on bands, over the rows of files finds what one check of all of them finds.
#[test]
fn sketches_join_to_what_one_check_finds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let words = |seed: usize, changed: usize| {
        let word = |i: usize| if i < changed { format!("other{i}") } else { format!("w{}", seed * 1000 + i * 7 % 400) };
        (0..300).map(word).collect::<Vec<_>>().join(" ")
    };
    let record = |id: &str, text: String| {
        let messages = json!([{"role": "user", "content": text}, {"role": "assistant", "content": "Done."}]);
        json!({"id": id, "messages": messages}).to_string() + "\n"
    };
    file(folder, "a.jsonl", &(0..9).map(|i| record(&format!("a{i}"), words(i, 0))).collect::<String>());
    let second = [record("b0", words(20, 0)), record("b1", words(3, 0)), record("b2", words(5, 6))];
    file(folder, "b.jsonl", &second.concat());
    let rows: Vec<Value> = ["a.jsonl", "b.jsonl"]
        .iter()
        .flat_map(|name| {
            let (status, rows, stderr) = obelus_in(folder, &["table", "--sketches", "--json", name]);
            assert_eq!(status, 0, "{stderr}");
            rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect::<Vec<Value>>()
        })
        .collect();
    let mut by_band: HashMap<&str, Vec<&Value>> = HashMap::new();
    for row in &rows {
        let bands = row["bands"].as_array().unwrap();
        assert_eq!((bands.len(), row["bins"].as_str().unwrap().len()), (16, 512));
        bands.iter().for_each(|band| by_band.entry(band.as_str().unwrap()).or_default().push(row));
    }
    let bins = |row: &Value| row["bins"].as_str().unwrap().as_bytes().chunks(8).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let mut found = BTreeSet::new();
    for group in by_band.values() {
        for (first, second) in group.iter().flat_map(|a| group.iter().map(move |b| (*a, *b))) {
            let place = |row: &Value| (row["file"].to_string(), row["record"].as_u64());
            let equal = bins(first).iter().zip(bins(second)).filter(|(a, b)| **a == *b).count();
            if place(first) < place(second) && equal as f64 / 64.0 >= 0.85 {
                let rule = if first["body"] == second["body"] { "data.duplicate" } else { "data.near-duplicate" };
                found.insert((second["record"].as_u64().unwrap(), rule.to_owned(), first["record"].as_u64().unwrap()));
            }
        }
    }
    let (_, stdout, _) = obelus_in(folder, &["check", "--data", "--json", "a.jsonl", "b.jsonl"]);
    let findings: BTreeSet<_> = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["rule"].as_str().unwrap().ends_with("duplicate"))
        .map(|line| {
            let first = line["message"].as_str().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
            (line["record"].as_u64().unwrap(), line["rule"].as_str().unwrap().to_owned(), first)
        })
        .collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found, findings);
    let (status, _, stderr) = obelus(&["table", "--sketches", &sample("trip-run.jsonl")]);
    assert!(status == 2 && stderr.contains("is one run"), "{stderr}");
}

fn lines(schema: &FlatSchema, rows: &[Vec<Cell>]) -> String {
    rows.iter().map(|row| schema.json(row).unwrap() + "\n").collect()
}

/// A batch of the lines of a file says what the commands say of the file.
#[test]
fn batches_say_what_the_commands_say() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let broken = format!("{}{{broken\n7\n\n{}", trajectory(3), trajectory(4));
    let chats = [
        json!({"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]}),
        json!({"messages":[{"role":"user","content":"x"},{"role":"user","content":"x"}],"reward":0.5}),
    ];
    let chats: String = chats.iter().map(|chat| format!("{chat}\n")).collect();
    let mut texts = vec![broken, chats, String::new(), "{\"a\":1}\n{\"a\":[\n".to_owned()];
    let samples = fs::read_dir(sample("")).unwrap().map(|entry| entry.unwrap().path());
    let samples = samples.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    texts.extend(samples.map(|path| fs::read_to_string(path).unwrap()));
    assert!(texts.len() > 8);
    let mut count = 0;
    for text in texts {
        file(folder, "rows.jsonl", &text);
        let batch = Batch::new("rows.jsonl", text.lines(), None, false).unwrap();
        let of = |arguments: &[&str]| obelus_in(folder, &[arguments, &["rows.jsonl"]].concat()).1;
        of(&["check", "--out", "found.jsonl", "--force"]);
        let found = fs::read_to_string(folder.join("found.jsonl")).unwrap();
        assert_eq!(lines(&FINDINGS, &batch.finding_rows().unwrap()), found, "{text}");
        count += found.lines().count();
        assert_eq!(lines(&RECORDS, &batch.record_rows().unwrap()), of(&["table", "--json"]), "{text}");
        let sketches = of(&["table", "--json", "--sketches"]);
        assert!(sketches.is_empty() || lines(&SKETCHES, &batch.sketch_rows()) == sketches, "{text}");
        let stats = batch.summary().unwrap();
        let stats = format!("{{\"obelus\":1,\"file\":\"rows.jsonl\",{}\n", stats.get().strip_prefix('{').unwrap());
        assert_eq!(stats, of(&["stats", "--summary", "--json"]), "{text}");
    }
    assert!(count > 5, "{count}");
    assert!(Batch::new("x", ["{}"], Some("actz"), false).is_err());
    let texts = ["\n", "\r\n"].map(|end| format!(r#"{{"id":1,{end}"messages":[{{"role":"user","content":"x"}}]}}"#));
    let rows = Batch::new("x", texts, None, false).unwrap().record_rows().unwrap();
    assert_eq!(rows.len(), 2, "a row is a record, however it is laid out");
}

#[test]
fn what_is_elsewhere_is_refused_with_a_way() {
    let folder = tempfile::tempdir().unwrap();
    for (name, way) in [
        ("s3://bucket/a.jsonl", "aws s3 cp"),
        ("s3://bucket/part-*.jsonl", "docs/scale.md"),
        ("hf://datasets/o/n/train.parquet", "hf download o/n"),
        ("gs://bucket/a.jsonl", "gcloud storage"),
        ("https://example.org/a.jsonl", "curl -L"),
    ] {
        for command in [&["check"][..], &["stats"], &["query", ".id"], &["tail", "--once"], &["table"], &["steps"]] {
            let arguments = match command {
                ["query", expression] => vec!["query", name, expression],
                _ => [command, &[name]].concat(),
            };
            let (status, stdout, stderr) = obelus_in(folder.path(), &arguments);
            assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
            assert!(stderr.contains("obelus reads files") && stderr.contains(way), "{arguments:?}: {stderr}");
        }
    }
}
