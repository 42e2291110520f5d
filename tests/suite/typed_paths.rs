//! Paths as people type them, in every command and on the screen; paths that nobody knows; steps beyond the end.

use super::command::{CommandResult, file, obelus, sample};
use super::terminal::Terminal;
use obelus::app::Pane;
use obelus::app::initial_position::Start;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::state::condition::Expected;
use obelus::ui::Theme;
use std::fs;

fn ask(words: &[&str]) -> CommandResult {
    let run = sample("trip-run.jsonl");
    let mut words: Vec<&str> = words.to_vec();
    words.insert(1, &run);
    obelus(&words)
}

fn trip() -> Stage {
    let text = fs::read(sample("trip-run.jsonl")).unwrap();
    let input = Input::memory("trip-run.jsonl", text);
    Stage::open(input, None, (130, 40), Theme::built_in("dark").unwrap()).unwrap()
}

#[test]
fn an_instance_is_named_in_three_ways() {
    let expected = ask(&["history", "†state.budget", "--instance", "②", "--json"]);
    assert_eq!(expected.0, 0);
    for words in [
        &["history", "state.budget", "--instance", "②", "--json"][..],
        &["history", "state.budget", "--instance", "2", "--json"],
        &["history", "state#2.budget", "--json"],
        &["history", "†state#②.budget", "--json"],
    ] {
        assert_eq!(ask(words), expected, "{words:?}");
    }
    let all = ask(&["blame", "†state", "--instance", "②", "--json"]);
    assert_eq!(ask(&["blame", "state#2", "--json"]), all);
    let only = ask(&["blame", "--instance", "2"]).1;
    assert!(!only.is_empty() && only.lines().all(|line| line.contains("(②)")), "{only}");
    let resolved = ask(&["resolve", "†state.budget", "--instance", "2", "--json"]);
    assert_eq!(resolved, ask(&["resolve", "†state.budget", "--instance", "②", "--json"]));
    let (status, stdout, _) = ask(&["diff", "--instances", "1", "2", "--kind", "input", "--step", "5"]);
    assert!(status == 1 && stdout.contains("budget"), "{stdout}");
}

#[test]
fn without_an_instance_all_are_searched_and_the_answer_says_which() {
    let (status, stdout, _) = ask(&["when", "state.budget", "--equals", "null"]);
    assert_eq!((status, stdout.as_str()), (0, "@41  to the end  quoteHotel  †state.budget ②  null\n"));
    let (status, stdout, _) = ask(&["when", "state.budget", "--equals", "null", "--json"]);
    let first =
        r#""ref":"†state.budget","instance":null,"first":{"from":41,"to":null,"ref":"†state.budget","instance":"②""#;
    assert!(status == 0 && stdout.contains(first), "{stdout}");
    let (_, stdout, _) = ask(&["history", "state.budget"]);
    assert!(stdout.contains("†state.budget ①  1800") && stdout.contains("†state.budget ②  null"), "{stdout}");
    let (_, stdout, _) = ask(&["history", "state.budget", "--json"]);
    assert!(stdout.ends_with("\"instance\":null,\"events\":[]}\n"), "{stdout}");
    let (status, stdout, _) = ask(&["cause", "state.budget"]);
    assert!(status == 0 && stdout.starts_with("†state.budget ①  1800"), "{stdout}");
    assert!(stdout.contains("\n†state.budget ②  null  @41 by quoteHotel\n"), "{stdout}");
    let (_, stdout, _) = ask(&["cause", "state.budget", "--json"]);
    let also = r#""also":[{"ref":"†state.budget","instance":"②","value":null,"wrote":41,"chain":[]}]"#;
    assert!(stdout.contains(r#""instance":"①","value":1800"#) && stdout.contains(also), "{stdout}");
}

/// The shapes of `CLI.md`: an answer for programs without an instance is of the global identity.
#[test]
fn for_programs_the_history_without_an_instance_is_the_global_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = concat!(
        "{\"type\":\"data\",\"kind\":\"state\",\"_instance\":\"①\",\"data\":{\"a\":1}}\n",
        "{\"type\":\"data\",\"kind\":\"state\",\"data\":{\"a\":2}}\n",
        "{\"type\":\"data\",\"kind\":\"a#1\",\"data\":{\"x.y\":3}}\n",
    );
    let run = file(folder.path(), "r.jsonl", text);
    let (_, stdout, _) = obelus(&["history", &run, "state.a", "--json"]);
    assert!(
        stdout.ends_with("\"events\":[{\"step\":1,\"op\":\"add\",\"ref\":\"†state.a\",\"value\":2}]}\n"),
        "{stdout}"
    );
    let (_, stdout, _) = obelus(&["history", &run, "state.a"]);
    assert_eq!(stdout, "@0  added  †state.a ①  1\n@1  added  †state.a    2\n");
    // A kind that has the sign in its name is still found, and its keys need their quotes as ever.
    assert!(obelus(&["blame", &run, "a#1[\"x.y\"]"]).1.contains('3'));
}

#[test]
fn paths_of_other_formats_are_typed_alike() {
    let folder = tempfile::tempdir().unwrap();
    let slots = r#"{"slots":{"a":{"value":{"ids":["1"]},"data_type":"FILE_IDS","source_node":"s","timestamp":"t0"}}}"#;
    let scopix = file(folder.path(), "c.jsonl", slots);
    let exact = obelus(&["blame", &scopix, "a.ids[0]", "--json"]);
    assert_eq!(obelus(&["blame", &scopix, "†a.ids[0]", "--json"]), exact);
    let (status, _, stderr) = obelus(&["blame", &scopix, "a.idz"]);
    assert!(status == 1 && stderr.contains("did you mean a.ids?"), "{stderr}");

    let session = concat!(
        r#"{"id":"x","content":[{"class_":"api_action","function":"click","kwargs":{"x":1},"description":null},"#,
        r#"{"class_":"text_observation","content":"ok","name":"click","source":"environment"}],"details":{}}"#,
        "\n"
    );
    let adp = file(folder.path(), "s.jsonl", session);
    let exact = obelus(&["history", &adp, "/tool/click/calls", "--json"]);
    assert!(exact.1.contains("\"ref\":\"/tool/click/calls\",\"instance\":\"click\",\"events\":[{"), "{}", exact.1);
    for typed in ["tool#click.calls", "†tool#click.calls", "tool.calls"] {
        assert_eq!(obelus(&["history", &adp, typed, "--json"]), exact, "{typed}");
    }
    let (status, _, stderr) = obelus(&["blame", &adp, "/tool/clik/calls"]);
    assert!(status == 1 && stderr.contains("did you mean /tool/click/calls?"), "{stderr}");
    let (status, _, stderr) = obelus(&["blame", &adp, "tool.cals"]);
    assert!(status == 1 && stderr.contains("did you mean /tool/click/calls?"), "{stderr}");
}

#[test]
fn an_unknown_path_is_status_1_and_names_the_nearest() {
    for words in [
        &["blame", "state.budgt"][..],
        &["history", "state.budgt"],
        &["when", "state.budgt", "--changes"],
        &["cause", "†state.budgt"],
        &["blame", "sate.budget"],
    ] {
        let (status, stdout, stderr) = ask(words);
        assert_eq!((status, stdout.as_str()), (1, ""), "{words:?}");
        assert!(stderr.contains("at any step; did you mean †state.budget?"), "{words:?}: {stderr}");
    }
    // Another that ends alike, where none is near.
    let (status, _, stderr) = ask(&["history", "budget"]);
    assert!(status == 1 && stderr.contains("did you mean †input.budget?"), "{stderr}");
    let (status, stdout, stderr) = ask(&["history", "state.budgt", "--json"]);
    assert!(status == 1 && stdout.ends_with("\"events\":[]}\n") && stderr.contains("did you mean"), "{stdout}");
    // In the notation of the format a program gets its empty answer as any other.
    for words in [&["history", "†state.budgt", "--json"][..], &["blame", "†state.budgt", "--json"]] {
        let (status, stdout, stderr) = ask(words);
        assert!(status == 0 && stdout.ends_with("[]}\n") && stderr.contains("did you mean"), "{stdout}{stderr}");
    }
    let (status, _, stderr) = ask(&["history", "state.budget", "--instance", "9"]);
    assert!(status == 1 && stderr.contains("instance 9 has no") && stderr.contains("it is there in ①, ②"), "{stderr}");
    let (status, _, stderr) = ask(&["blame", "zzzzzzzzzzzz"]);
    assert!(status == 1 && !stderr.contains("did you mean"), "{stderr}");
    // What is known, but not there yet, is no mistake.
    let (status, stdout, stderr) = ask(&["blame", "state.budget", "--step", "0"]);
    assert_eq!((status, stdout.as_str()), (0, ""));
    assert!(stderr.contains("there is no value at †state.budget at step 0"), "{stderr}");
}

#[test]
fn a_step_beyond_the_end_is_an_error_for_people() {
    for words in [
        &["state", "--step", "66"][..],
        &["blame", "--step", "99999999999999999999"],
        &["render", "--step", "66"],
        &["files", "--step", "66"],
    ] {
        let (status, stdout, stderr) = ask(words);
        assert_eq!((status, stdout.as_str()), (2, ""), "{words:?}");
        assert!(stderr.contains("has no step ") && stderr.contains("; the last is 65, counted from 0"), "{stderr}");
    }
    assert_eq!(ask(&["state", "--step", "65"]).0, 0);
    let (status, stdout, _) = ask(&["state", "--step", "66", "--json"]);
    assert!(status == 0 && stdout.contains("\"step\":65,\"steps\":66"));
}

#[test]
fn the_screen_takes_typed_paths() {
    let mut stage = trip();
    stage.begin(Some(Start { path: Some("state#2.budget".into()), ..Start::default() }));
    let focus = |stage: &Stage| stage.app.session.open().unwrap().focus_reference().unwrap();
    assert_eq!(focus(&stage), ("†state.budget".to_owned(), Some("②".to_owned())));
    stage.app.pane = Pane::State;
    for (typed, instance) in [("state#1.budget", "①"), ("†state.budget 2", "②"), ("state#①.budget", "①")] {
        for word in [":", &format!("type:{typed}"), "Enter"] {
            // A blank is a key of its own name.
            match word.split_once(' ') {
                Some((begin, end)) => {
                    stage.press(begin).unwrap();
                    stage.press("Space").unwrap();
                    stage.press(&format!("type:{end}")).unwrap();
                }
                None => stage.press(word).unwrap(),
            }
        }
        assert_eq!(focus(&stage), ("†state.budget".to_owned(), Some(instance.to_owned())), "{typed}");
    }
    for word in [":", "type:state.budgt", "Enter"] {
        stage.press(word).unwrap();
    }
    let notice = stage.app.notice.clone().unwrap();
    assert!(notice.is_error && notice.text.contains("did you mean †state.budget?"), "{notice:?}");
    stage.app.watch([Expected::parse("state#2.budget == null").unwrap(), Expected::parse("state.rates").unwrap()]);
    stage.press("j").unwrap();
    let names: Vec<_> = stage.app.watches.list.iter().map(|watch| watch.target.0.instance.clone()).collect();
    assert_eq!(names, [Some("②".to_owned()), None]);
}

#[test]
fn the_screen_ends_on_a_path_that_is_nowhere() {
    for (words, expected) in [
        (&["--path", "state.budgt"][..], "did you mean †state.budget?"),
        (&["--watch", "state.budgt < 0"], "did you mean †state.budget?"),
        (&["--path", "state..x"], "is not a reference"),
    ] {
        let run = sample("trip-run.jsonl");
        let mut all = vec!["picture", &run];
        all.extend(words);
        let (status, stdout, stderr) = obelus(&all);
        assert_eq!((status, stdout.as_str()), (1, ""), "{words:?}: {stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        let terminal = Terminal::run(&[&[run.as_str()], words].concat(), &[]);
        let (status, said) = terminal.end();
        assert!(status == 1 && said.contains(expected), "{words:?} {status}: {said}");
    }
    let (status, _, stderr) = obelus(&["picture", &sample("trip-run.jsonl"), "--step", "66"]);
    assert!(status == 2 && stderr.contains("there is no step 66; 65 is the last"), "{stderr}");
}

#[test]
fn a_file_typed_as_a_path_of_the_state_leads_to_the_option_that_takes_files() {
    let session = sample("fix-session.jsonl");
    for command in ["blame", "history", "cause"] {
        let (status, _, problem) = obelus(&[command, &session, "totals.py"]);
        let way = "it is a file that the run knows: `obelus blame FILE --file totals.py` prints its lines";
        assert!(status == 1 && problem.contains(way), "{problem}");
    }
    let (_, _, problem) = obelus(&["blame", &session, "totals.pyx"]);
    assert!(!problem.contains("--file"), "{problem}");
}

#[test]
fn the_verbs_of_other_programs_lead_to_what_does_the_same() {
    let (status, _, problem) = obelus(&["open", &sample("trip-run.jsonl")]);
    assert!(status == 2 && problem.contains("`obelus FILE` opens a file"), "{problem}");
    let (status, _, problem) = obelus(&["sessions"]);
    assert!(status == 2 && problem.contains("`obelus` alone lists the sessions"), "{problem}");
}
