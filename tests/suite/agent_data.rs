//! Agent/Data where a person looks: ticks, requests, unmerged messages, what a rebuilt context has lost.

use super::command::{file, obelus};
use super::stage::{notice, on, press, screen, shows, step};

/// Two requests: the second withdraws the input and one state message, and sends the other state message again.
const REQUESTS: &str = concat!(
    r#"{"config":{"model":"m1"},"schema":{"type":"object"},"context":[{"type":"text","text":"go"},"#,
    r#"{"type":"input","_instance":"②","input":{"x":1}},{"type":"state","state":{"a":1,"b":{"c":2,"d":3},"e":4}}]}"#,
    "\n",
    r#"{"config":{"model":"m2"},"context":[{"type":"text","text":"go"},{"type":"state","state":{"a":5}}]}"#,
    "\n",
);

/// Ticks 0, 0, 4, 4, 5.
const TICKS: &str = concat!(
    r#"{"type":"text","text":"go"}"#,
    "\n",
    r#"{"type":"state","state":{"a":1}}"#,
    "\n",
    r#"{"type":"state","state":{"a":2},"_tick":4}"#,
    "\n",
    r#"{"type":"state","state":{"a":3}}"#,
    "\n",
    r#"{"type":"state","state":{"a":4},"_tick":5}"#,
    "\n",
);

fn answer(arguments: &[&str], text: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "run.jsonl", text);
    let (command, options) = arguments.split_first().unwrap();
    obelus(&[&[*command, path.as_str()], options].concat())
}

/// A5: the member `tick` of each step; in text a column, where a run has several ticks.
#[test]
fn steps_have_their_ticks() {
    let (_, json, _) = answer(&["steps", "--json"], TICKS);
    let ticks: Vec<&str> =
        json.lines().map(|line| line.split("\"tick\":").nth(1).unwrap().split(',').next().unwrap()).collect();
    assert_eq!(ticks, ["0", "0", "4", "4", "5"]);
    let (_, text, _) = answer(&["steps"], TICKS);
    assert!(text.lines().nth(2).unwrap().starts_with("     2  t4   state"), "{text}");
    let (_, text, _) = answer(&["steps"], "{\"type\":\"state\",\"state\":{\"a\":1}}\n");
    assert!(text.starts_with("     0  state"), "{text}");
    let big = "{\"type\":\"state\",\"state\":{},\"_tick\":18446744073709551616}\n";
    assert!(answer(&["steps", "--json"], big).1.contains("\"tick\":18446744073709551616,"));
}

/// A5: a row of Steps says its tick where the row above is of another, and `]k` `[k` go through the ticks.
#[test]
fn keys_go_from_tick_to_tick() {
    let mut stage = on(TICKS, (120, 30));
    let rows: Vec<String> = screen(&stage).lines().map(str::to_owned).collect();
    for (row, tick) in [(2, Some(" t0│")), (3, None), (4, Some(" t4│")), (5, None), (6, Some(" t5│"))] {
        let steps: String = rows[row].chars().take(36).collect();
        assert_eq!(steps.trim_end_matches('│').ends_with(char::is_numeric), tick.is_some(), "{rows:#?}");
        assert!(tick.is_none_or(|tick| steps.ends_with(tick)), "{rows:#?}");
    }
    let mut go = |keys: &str| {
        press(&mut stage, keys);
        (step(&stage), notice(&stage).to_owned())
    };
    assert_eq!(go("0 ] k"), (2, "tick 4".to_owned()));
    assert_eq!(go("] k"), (4, "tick 5".to_owned()));
    assert_eq!(go("] k"), (4, "no later tick".to_owned()));
    assert_eq!(go(", [ k"), (2, "tick 4".to_owned()));
    assert_eq!(go("[ k"), (0, "tick 0".to_owned()));
    assert_eq!(go("[ k"), (0, "no earlier tick".to_owned()));
    let mut stage = on("{\"slots\":{\"a\":{\"value\":1,\"data_type\":\"TEXT\",\"source_node\":\"n\"}}}\n", (80, 24));
    press(&mut stage, "] k");
    assert_eq!(notice(&stage), "the steps of this format have no ticks");
}

/// A2: the configuration of a request is not a state, but is told of.
#[test]
fn the_config_of_a_request_is_shown() {
    let (_, json, _) = answer(&["state", "--json"], REQUESTS);
    assert!(json.contains(r#""config":{"step":3,"value":{"model":"m2"}}"#), "{json}");
    let (_, json, _) = answer(&["state", "--json", "--step", "2"], REQUESTS);
    assert!(json.contains(r#""config":{"step":0,"value":{"model":"m1"}}"#), "{json}");
    let (_, text, _) = answer(&["state", "--step", "2"], REQUESTS);
    assert!(text.starts_with("config of the request @0\n{\n  \"model\": \"m1\"\n}\n\n¶input (②)\n"), "{text}");
    // A later request without one has none.
    let later = format!(
        "{REQUESTS}{}\n",
        r#"{"context":[{"type":"text","text":"go"},{"type":"state","state":{"a":5}},{"type":"text","text":"on"}]}"#
    );
    assert!(!answer(&["state", "--json"], &later).1.contains("config"));
    let mut stage = on(REQUESTS, (160, 45));
    press(&mut stage, "0 1");
    shows(&stage, &["request config {\"model\":\"m1\"}", "request schema {\"type\":\"object\"}"]);
    press(&mut stage, ".");
    assert!(!screen(&stage).contains("request config"));
}

/// A4: the messages of the context as they are, beside the view that merges them (A21).
#[test]
fn messages_are_shown_unmerged() {
    let text = r#"[{"type":"state","state":{"a":1},"_date":"d"},{"role":"user","content":{"type":"state","state":{"a":2}}},
        {"type":"plan","plan":[]},{"type":"plan","plan":[]}]"#;
    let (status, json, _) = answer(&["render", "--raw-messages", "--json"], text);
    assert_eq!(status, 0);
    let wanted = concat!(
        r#""messages":[{"step":0,"role":"user","content":{"type":"state","state":{"a":1},"_date":"d"}},"#,
        r#"{"step":1,"role":"user","content":{"role":"user","content":{"type":"state","state":{"a":2}}}},"#,
        r#"{"step":2,"role":"user","content":{"type":"plan","plan":[]}},{"step":3,"#,
    );
    assert!(json.contains(wanted), "{json}");
    let (_, plain, _) = answer(&["render", "--raw-messages", "--step", "0"], text);
    let printed =
        "## Step 0: state\n{\n  \"type\": \"state\",\n  \"state\": {\n    \"a\": 1\n  },\n  \"_date\": \"d\"\n}\n";
    assert_eq!(plain, printed);
    let (_, merged, _) = answer(&["render"], text);
    assert!(merged.starts_with("## Data: ¶state\n{\n  \"a\": 2\n}\n"), "{merged}");
    let slots = "{\"slots\":{\"a\":{\"value\":1,\"data_type\":\"TEXT\",\"source_node\":\"n\"}}}\n";
    let (status, stdout, stderr) = answer(&["render", "--raw-messages"], slots);
    assert_eq!((status, stdout.as_str()), (2, ""));
    assert!(stderr.contains("the format scopix merges no messages"), "{stderr}");
}

/// The same on the screen: `R` in the LLM tab.
#[test]
fn the_llm_tab_shows_messages_unmerged() {
    let text = r#"[{"type":"state","state":{"a":1}},{"type":"state","state":{"a":2}}]"#;
    let mut stage = on(text, (160, 45));
    press(&mut stage, "$ 2");
    shows(&stage, &["## Data: ¶state", "R unmerged"]);
    press(&mut stage, "R");
    shows(&stage, &["LLM unmerged", "## Step 0: state", "## Step 1: state"]);
    press(&mut stage, ",");
    assert!(!screen(&stage).contains("## Step 1"), "it follows the step");
    press(&mut stage, "R");
    shows(&stage, &["## Data: ¶state"]);
    // In the other panes the key keeps its meaning.
    press(&mut stage, "Tab R");
    shows(&stage, &["Raw"]);
}

/// A4: `context-rebuilt` names the data that only the withdrawn messages supplied.
#[test]
fn a_rebuilt_context_says_what_it_lost() {
    let message = |text: &str| {
        let (_, json, _) = answer(&["check", "--json"], text);
        let line = json.lines().find(|line| line.contains("acts.context-rebuilt")).unwrap().to_owned();
        line.split("\"message\":").nth(1).unwrap().trim_matches(['"', '}']).to_owned()
    };
    assert_eq!(
        message(REQUESTS),
        "the context no longer holds 2 of its steps; lost: †input ②, †state.b, †state.e",
        "†state.a has another value"
    );
    let again = concat!(
        r#"{"context":[{"type":"text","text":"go"},{"type":"state","state":{"a":1}}]}"#,
        "\n",
        r#"{"context":[{"type":"text","text":"go"},{"type":"text","text":"on"},{"type":"state","state":{"a":2}}]}"#,
    );
    assert_eq!(message(again), "the context no longer holds step 1; no data is lost", "a later message supplies it");
    let reset = concat!(
        r#"{"context":[{"type":"state","state":{"a":1,"b":1}},{"type":"data","kind":"k","data":{"a":1,"b":2,"c":3}}]}"#,
        "\n",
        r#"{"context":[{"type":"data","kind":"k","data":{"z":1}},{"type":"data","data":1}]}"#,
    );
    let wanted = "the context no longer holds 2 of its steps; lost: †state, †k.a, †k.b and 1 more value";
    assert_eq!(message(reset), wanted);
}

/// An identity with a description and a schema that has more properties than the data.
const DESCRIBED: &str = concat!(
    r#"{"type":"state","description":"Where the order stands.","state":{"status":"new","to":{"city":"Lyon"}},"schema":{"properties":{"#,
    r#""status":{"type":"string","description":"One of new, paid, sent."},"#,
    r#""to":{"description":"Where it goes.","properties":{"city":{},"zip":{"type":"string"}},"required":["zip"]},"#,
    r#""note":{"type":["string","null"],"description":"What the customer wrote."}}}}"#,
    "\n",
    r#"{"type":"state","state":{"note":"hurry"}}"#,
    "\n",
);

#[test]
fn p_without_schemas_and_descriptions_says_that_there_are_none() {
    let mut stage = on(r#"{"type":"state","state":{"n":1}}"#, (100, 20));
    press(&mut stage, "Tab p");
    assert_eq!(notice(&stage), "no value has a schema or a description at this step");
}

/// A20: descriptions stand beside identities and values, and what the schema has and the data lacks stands below.
#[test]
fn the_state_has_descriptions_and_what_is_missing() {
    let mut stage = on(DESCRIBED, (160, 45));
    press(&mut stage, "0");
    shows(
        &stage,
        &["¶state     Where the order stands.", "\"new\"   One of new, paid, sent.", "to  ✗   Where it goes."],
    );
    shows(&stage, &["zip   — string required", "note    — string or null  What the customer wrote."]);
    press(&mut stage, ".");
    shows(&stage, &["note    \"hurry\"   What the customer wrote."]);
    assert!(!screen(&stage).contains("— string or null"), "it has a value now");
    press(&mut stage, "Tab p");
    assert!(!screen(&stage).contains("Where the order stands.") && !screen(&stage).contains("— string"));
    press(&mut stage, "p");
    shows(&stage, &["Where the order stands.", "— string required"]);
    for size in [(80, 24), (40, 12)] {
        let mut stage = on(DESCRIBED, size);
        press(&mut stage, "0 Tab");
        shows(&stage, &["— string or"]);
    }
}

/// What is missing is no data: no search stops at it, nothing of it is copied, Enter leads to the schema.
#[test]
fn what_is_missing_is_no_data() {
    let mut stage = on(DESCRIBED, (160, 45));
    press(&mut stage, "0 Tab g j j j j");
    assert_eq!(stage.app.session.open().unwrap().focus_reference(), Some(("†state.to.zip".to_owned(), None)));
    press(&mut stage, "y");
    assert_eq!(notice(&stage), "nothing here to copy");
    press(&mut stage, "/ type:zip Enter");
    assert!(notice(&stage).contains("no"), "{}", notice(&stage));
    press(&mut stage, "Esc Enter");
    assert_eq!(stage.app.pane, obelus::app::Pane::Inspector);
    assert!(notice(&stage).contains("the data has no value here"), "{}", notice(&stage));
    // The cursor is on that property: its place in the schema is what `Y` copies.
    press(&mut stage, "Y");
    let place = "/properties/to/properties/zip".len();
    assert!(notice(&stage).ends_with(&format!("{place} characters")), "{}", notice(&stage));
    press(&mut stage, "Backspace");
    assert_eq!(stage.app.pane, obelus::app::Pane::State);
    let blame = answer(&["blame", "--json"], DESCRIBED).1;
    assert!(!blame.contains("zip"), "{blame}");
}

/// The cursor stays at a path that a step gives a value to, and at one that has none yet.
#[test]
fn the_cursor_stays_at_what_was_missing() {
    let mut stage = on(DESCRIBED, (160, 45));
    press(&mut stage, "0 Tab g j j j j j");
    let row = |stage: &obelus::shell::headless::Stage| {
        let open = stage.app.session.open().unwrap();
        stage
            .app
            .state
            .window(&open, obelus::panes::Extent { width: 60, height: 40 }, true)
            .rows
            .into_iter()
            .find(|row| row.is_cursor)
            .unwrap()
            .plain()
    };
    assert!(row(&stage).contains("note    — string or null"), "{}", row(&stage));
    press(&mut stage, ".");
    assert!(row(&stage).contains("note    \"hurry\""), "{}", row(&stage));
    press(&mut stage, ", X . E ,");
    assert!(row(&stage).contains("note    — string or null"), "{}", row(&stage));
}

/// The same in the text of `state`.
#[test]
fn the_text_of_the_state_says_what_is_missing() {
    let (_, text, _) = answer(&["state", "--step", "0"], DESCRIBED);
    let wanted = "— †state.to.zip  string required\n— †state.note  string or null  What the customer wrote.\n";
    assert!(text.starts_with("¶state  Where the order stands.\n{") && text.ends_with(wanted), "{text}");
}

/// A schema of 10,000 properties takes a few rows, and is read once, however many steps send it again.
#[test]
fn a_schema_of_many_properties_takes_a_few_rows() {
    let properties: Vec<String> = (0..10_000).map(|i| format!("\"p{i}\":{{\"description\":\"d{i}\"}}")).collect();
    let message = |n: usize| {
        let properties = properties.join(",");
        format!("{{\"type\":\"state\",\"state\":{{\"p{n}\":1}},\"schema\":{{\"properties\":{{{properties}}}}}}}\n")
    };
    let mut stage = on(&[message(0), message(5), message(9)].concat(), (160, 45));
    press(&mut stage, "$ Tab");
    shows(&stage, &["p0   1   d0", "p5   1   d5", "p1   —  d1", "… 9,989 more in the schema"]);
    let open = stage.app.session.open().unwrap();
    assert_eq!(stage.app.state.outline(&open).lines().len(), 13);
    drop(open);
    press(&mut stage, ", ,");
    assert_eq!(stage.app.state.schemas_read(), 1, "equal schemas are one");
}

/// A11: a schema of errors describes each of them: an error identity lacks nothing.
#[test]
fn errors_lack_nothing() {
    let text = r#"{"type":"error","data":{"a":1},"schema":{"properties":{"a":{},"zip":{}}}}"#;
    let mut stage = on(text, (160, 45));
    press(&mut stage, "0 3 Tab");
    assert!(!screen(&stage).contains("zip  "), "{}", screen(&stage));
    assert!(!answer(&["state"], text).1.contains("zip"));
}

/// A2, A37: the output of a solution is checked against the schema of its request, one finding a path; a schema that is
/// none is not judged, and no request lends its schema to another.
#[test]
fn the_output_of_a_solution_keeps_to_the_schema_of_its_request() {
    let request = |schema: &str, output: &str| {
        let context = r#""context":[{"type":"state","state":{"n":1}}]"#;
        format!("{{{schema}{context},\"solution\":{{\"calls\":[],\"output\":{output}}}}}\n")
    };
    let found = |text: &str| {
        let (_, json, _) = answer(&["check", "--json"], text);
        let lines = json.lines().filter(|line| line.contains("output-schema") || line.contains("bad-schema"));
        let part = |line: &str| line[line.find("\"step\"").unwrap()..line.find(",\"message\"").unwrap()].to_owned();
        lines.map(part).collect::<Vec<_>>()
    };
    let schema = r#""schema":{"properties":{"a b":{"items":{"type":"number"}}},"required":["r"]},"#;
    let one = |step: usize, path: &str| {
        format!("\"step\":{step},\"path\":{path:?},\"rule\":\"acts.output-schema\",\"severity\":\"warning\"")
    };
    let wrong = request(schema, r#"{"a b":[1,"x"]}"#);
    let wanted = [one(1, "solution.output"), one(1, r#"solution.output["a b"][1]"#)];
    assert_eq!(found(&wrong), wanted);
    assert_eq!(found(&request(schema, r#"{"r":1}"#)), [""; 0]);
    assert_eq!(found(&request(schema, "null")), [""; 0], "it goes on: there is no output yet");
    assert_eq!(found(&request("", "5")), [""; 0]);
    for schema in [r#""schema":{"type":"objekt"},"#, r#""schema":false,"#, r#""schema":5,"#] {
        assert_eq!(found(&request(schema, "5")), [""; 0], "{schema}");
    }
    let later = [wrong.clone(), request("", "5"), request(schema, "5")].concat();
    assert_eq!(found(&later), wanted, "a number breaks neither: both speak of objects");
}
