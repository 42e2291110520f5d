//! `stats --by` and `--histogram`: records by what a column, a path or an expression says, and how numbers spread.

use super::command::{file, obelus};
use serde_json::Value;

/// Records with a model, a reward and a number of steps.
fn records() -> String {
    let record = |i: usize, model: &str, reward: f64, steps: usize| {
        let content: Vec<Value> = (0..steps)
            .map(|_| serde_json::json!({"class_": "text_observation", "content": "x", "source": "user"}))
            .collect();
        let record = serde_json::json!({
            "id": format!("r{i}"), "content": content, "details": {"model": model, "reward": reward.to_string()}, "reward": reward,
        });
        format!("{record}\n")
    };
    let lines = [(1, "a", 1.0, 2), (2, "a", 0.0, 4), (3, "b", 1.0, 6), (4, "a", 1.0, 6)];
    let mut all: String = lines.into_iter().map(|(i, model, reward, steps)| record(i, model, reward, steps)).collect();
    all.push_str("{\"id\":\"r5\",\"content\":[]}\n");
    all
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The values with their records and their mean number of steps.
fn grouped_values(out: &str) -> Vec<(Option<String>, u64, Option<f64>)> {
    let groups = lines(out).into_iter().filter(|line| line["type"] == "group");
    let describe = |line: Value| {
        let group = &line["group"];
        let value = group["value"].as_str().map(str::to_owned);
        (value, group["records"].as_u64().unwrap(), group["numbers"]["steps"]["mean"].as_f64())
    };
    groups.map(describe).collect()
}

#[test]
fn a_path_an_expression_and_a_column_make_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &records());
    let expected =
        vec![(Some("a".to_owned()), 3, Some(4.0)), (Some("b".to_owned()), 1, Some(6.0)), (None, 1, Some(0.0))];
    for by in ["details.model", ".details.model"] {
        let (status, out, errors) = obelus(&["stats", "--by", by, "--json", &path]);
        assert_eq!((status, grouped_values(&out)), (0, expected.clone()), "{by}: {errors}");
        let all = lines(&out).pop().unwrap();
        assert_eq!((&all["groups"], &all["records"], &all["without"]), (&2.into(), &5.into(), &1.into()), "{by}");
    }
    let (_, out, errors) = obelus(&["stats", "--by", "steps", "--of", "tokens,chars", "--json", &path]);
    let values: Vec<_> =
        grouped_values(&out).into_iter().map(|(value, records, _)| (value.unwrap(), records)).collect();
    assert_eq!(values, [("6", 2), ("0", 1), ("2", 1), ("4", 1)].map(|(v, n)| (v.to_owned(), n)), "{errors}");
    assert!(lines(&out)[0]["group"]["numbers"]["chars"]["p90"].as_f64() == Some(6.0), "{out}");
}

#[test]
fn only_records_that_pass_a_filter_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &records());
    for by in ["details.model", ".details.model"] {
        let (_, out, errors) = obelus(&["stats", "--by", by, "--where", "steps>3", "--json", &path]);
        let expected = [(Some("a".to_owned()), 2, Some(5.0)), (Some("b".to_owned()), 1, Some(6.0))];
        assert_eq!(grouped_values(&out), expected, "{by}: {errors}");
    }
    let (_, out, _) = obelus(&["stats", "--outcomes", "--where", "steps>3", "--json", &path]);
    assert_eq!(lines(&out)[0]["records"], 3);
    let (_, out, _) = obelus(&["stats", "--tasks", "--where", "steps>3", "--json", &path]);
    assert_eq!(lines(&out).pop().unwrap()["tasks"], 3);
    let (status, _, errors) = obelus(&["stats", "--where", "steps>3", &path]);
    assert!(status == 2 && errors.contains("--where goes with --by"), "{errors}");
}

#[test]
fn a_name_that_no_record_has_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &records());
    let (status, out, errors) = obelus(&["stats", "--by", "stps", &path]);
    assert!(status == 1 && errors.contains("is the column steps meant?"), "{errors}");
    assert!(out.contains("(none)"), "{out}");
    let (status, _, errors) = obelus(&["stats", "--by", "finish", "--of", "speed", &path]);
    assert!(status == 1 && errors.contains("no record has a number speed; numbers are record, steps"), "{errors}");
}

#[test]
fn an_expression_that_fails_for_a_record_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &records());
    let (status, out, errors) = obelus(&["stats", "--by", ".details.model|ascii_downcase", "--json", &path]);
    assert!(status == 1 && errors.contains("value = .details.model|ascii_downcase"), "{errors}");
    assert_eq!(grouped_values(&out)[0].1, 3);
}

#[test]
fn a_histogram_counts_every_record_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &records());
    let (status, out, errors) = obelus(&["stats", "--histogram", "steps", "--json", &path]);
    let line = &lines(&out)[0];
    let bins = line["bins"].as_array().unwrap();
    let records: u64 = bins.iter().map(|bin| bin["records"].as_u64().unwrap()).sum();
    assert_eq!((status, records, &line["percentiles"]["max"]), (0, 5, &6.0.into()), "{out} {errors}");
    let (_, out, _) = obelus(&["stats", "--histogram", "steps", "--where", "steps>3", &path]);
    assert!(out.contains("steps of 3 records") && out.contains('▇'), "{out}");
}

#[test]
fn numbers_are_columns_paths_and_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", &records());
    let of = ".details.reward|tonumber,details.reward,[.content[],1]|length";
    let (status, out, errors) = obelus(&["stats", "--by", "details.model", "--of", of, "--json", &path]);
    let numbers = lines(&out)[0]["group"]["numbers"].clone();
    let means: Vec<f64> = [".details.reward|tonumber", "details.reward", "[.content[],1]|length"]
        .iter()
        .map(|name| numbers[*name]["mean"].as_f64().unwrap())
        .collect();
    // The fifth record has no reward: the first expression fails for it.
    assert_eq!((status, means), (1, vec![2.0 / 3.0, 2.0 / 3.0, 5.0]), "{errors}");
    for number in ["details.reward", "[.content[]]|length", "steps"] {
        let (status, out, errors) = obelus(&["stats", "--histogram", number, "--json", &path]);
        let line = lines(&out).remove(0);
        assert_eq!((status, line["number"].as_str()), (0, Some(number)), "{errors}");
    }
    let (status, _, errors) = obelus(&["stats", "--histogram", "setps", &path]);
    assert!(status == 1 && errors.contains("no record has a number setps; is the column steps meant?"), "{errors}");
    let (status, _, errors) = obelus(&["stats", "--histogram", "finish", &path]);
    assert!(status == 2 && errors.contains("finish is no number of records"), "{errors}");
}

#[test]
fn files_are_counted_together() {
    let folder = tempfile::tempdir().unwrap();
    let row = |task: &str, reward: u8| {
        let messages = r#"[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]"#;
        format!("{{\"task_id\":\"{task}\",\"reward\":{reward},\"messages\":{messages}}}\n")
    };
    let one = file(folder.path(), "1.jsonl", &[row("a", 1), row("b", 0)].concat());
    let two = file(folder.path(), "2.jsonl", &[row("a", 0), row("c", 1)].concat());
    let (_, out, errors) = obelus(&["stats", "--tasks", "--json", &one, &two]);
    assert_eq!(lines(&out).len(), 6);
    assert!(errors.contains("1 task with attempts in several files: --together"), "{errors}");
    let (status, out, errors) = obelus(&["stats", "--tasks", "--together", "--json", &one, &two]);
    let all = lines(&out);
    assert_eq!((status, errors.as_str(), all.len()), (0, "", 4));
    assert_eq!((&all[0]["group"]["task"], &all[0]["group"]["mean"]), (&"a".into(), &0.5.into()));
    assert_eq!((&all[3]["files"], &all[3]["attempts"]), (&2.into(), &4.into()));
    let by = ["stats", "--by", "task", "--of", "reward,group.n", "--together", "--json", &one, &two];
    let all = lines(&obelus(&by).1);
    let group = &all[0]["group"];
    assert_eq!((&group["value"], &group["records"]), (&"a".into(), &2.into()));
    assert_eq!(group["numbers"]["group.n"]["mean"], 2.0);
    let (_, out, _) = obelus(&["stats", "--histogram", "reward", "--together", "--json", &one, &two]);
    assert_eq!(lines(&out)[0]["records"], 4);
    let (status, _, errors) = obelus(&["stats", "--together", &one, &two]);
    assert!(status == 2 && errors.contains("--together goes with --tasks"), "{errors}");
    let count = |filter: &str| {
        let ids = obelus(&["query", &one, &two, "--where", filter, ".task_id"]).1;
        ids.lines().map(|id| id.trim_matches('"').to_owned()).collect::<Vec<_>>().concat()
    };
    assert_eq!([count("task=a"), count("task:^[bc]$"), count("!task=a")], ["aa", "bc", "bc"]);
}
