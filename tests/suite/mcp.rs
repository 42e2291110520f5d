//! `obelus mcp`: the protocol line by line, the tools against the commands that they stand for, and what is not read.

use crate::command::{obelus, program, sample};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A client of a server that reads one folder.
struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    /// One that is started in its folder.
    fn in_folder(folder: &Path) -> Self {
        let mut command = program();
        command.current_dir(folder);
        Self::begun(command, folder)
    }

    fn of(folder: &Path) -> Self {
        Self::begun(program(), folder)
    }

    fn begun(mut command: Command, folder: &Path) -> Self {
        command.arg("mcp").arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, id: 0 }
    }

    fn samples() -> Self {
        Self::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"))
    }

    fn send(&mut self, line: &[u8]) {
        let to = self.to.as_mut().unwrap();
        to.write_all(line).unwrap();
        to.write_all(b"\n").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"))
    }

    /// Sends a line, and what comes back.
    fn line(&mut self, line: &str) -> Value {
        self.send(line.as_bytes());
        self.receive()
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let answer =
            self.line(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).to_string());
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(self.id)));
        answer
    }

    /// The texts of a tool's answer, and whether it is an error.
    fn call(&mut self, tool: &str, arguments: &Value) -> (Vec<String>, bool) {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let texts = result["content"].as_array().unwrap_or_else(|| panic!("{answer}")).iter();
        let text = |block: &Value| {
            assert_eq!(block["type"], "text");
            block["text"].as_str().unwrap().to_owned()
        };
        (texts.map(text).collect(), result["isError"].as_bool().unwrap())
    }

    fn answer(&mut self, tool: &str, arguments: &Value) -> String {
        let (texts, is_error) = self.call(tool, arguments);
        assert!(!is_error, "{tool} {arguments}: {texts:?}");
        texts[0].clone()
    }

    fn error(&mut self, tool: &str, arguments: &Value) -> String {
        let (texts, is_error) = self.call(tool, arguments);
        assert!(is_error, "{tool} {arguments}: {texts:?}");
        texts[0].clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.to.take());
        let status = self.child.wait().unwrap();
        if !std::thread::panicking() {
            assert!(status.success(), "the server ends with its input: {status}");
        }
    }
}

#[test]
fn a_session_begins_lists_tools_and_ends() {
    let mut client = Client::samples();
    let begun = client.request("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
    assert_eq!(begun["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(begun["result"]["serverInfo"]["name"], "obelus");
    assert!(begun["result"]["capabilities"]["tools"].is_object());
    client.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    // A version that is not spoken is answered with one that is.
    let begun = client.request("initialize", &json!({"protocolVersion": "1999-01-01"}));
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    let tools = client.request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["steps", "search", "step", "state", "blame", "history", "files", "check", "diff"]);
    for tool in tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        assert!(schema["properties"]["offset"].is_object() && !schema["required"].as_array().unwrap().is_empty());
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert!(tool["description"].as_str().unwrap().len() > 20);
    }
}

#[test]
fn what_is_no_request_is_refused_and_the_session_goes_on() {
    let mut client = Client::samples();
    for (line, code) in [
        ("{\"jsonrpc\":", -32_700),
        ("nonsense", -32_700),
        ("[]", -32_600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32_600),
        ("7", -32_600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1}", -32_600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32_600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", -32_601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32_602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}", -32_602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"steps\",\"arguments\":[]}}",
            -32_602,
        ),
    ] {
        let answer = client.line(line);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    client.send(b"\xff\xfe");
    assert_eq!(client.receive()["error"]["code"], -32_700);
    client.send(&vec![b'x'; (4 << 20) + 10]);
    assert!(client.receive()["error"]["message"].as_str().unwrap().contains("longer than"));
    // Notifications, responses and empty lines have no answer.
    for line in ["", "  ", "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}"] {
        client.send(line.as_bytes());
    }
    assert_eq!(client.line("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}")["id"], "a");
}

#[test]
fn tools_answer_as_their_commands() {
    let mut client = Client::samples();
    let (trip, fix) = (sample("trip-run.jsonl"), sample("fix-session.jsonl"));
    for (tool, arguments, command) in [
        ("steps", json!({"file": "trip-run.jsonl", "limit": 2000}), vec!["steps", &trip]),
        (
            "steps",
            json!({"file": "fix-session.jsonl", "where": "tool:Bash"}),
            vec!["steps", &fix, "--where", "tool:Bash"],
        ),
        (
            "search",
            json!({"file": "fix-session.jsonl", "query": "discount"}),
            vec!["steps", &fix, "--where", "discount"],
        ),
        ("state", json!({"file": "trip-run.jsonl", "step": 12}), vec!["state", &trip, "--step", "12"]),
        (
            "state",
            json!({"file": "trip-run.jsonl", "step": -1, "json": true}),
            vec!["state", &trip, "--step", "-1", "--json"],
        ),
        (
            "blame",
            json!({"file": "trip-run.jsonl", "path": "state.budget", "json": true}),
            vec!["blame", &trip, "state.budget", "--json"],
        ),
        (
            "blame",
            json!({"file": "fix-session.jsonl", "lines_of": "totals.py"}),
            vec!["blame", &fix, "--file", "totals.py"],
        ),
        (
            "history",
            json!({"file": "trip-run.jsonl", "path": "state.budget", "instance": "2"}),
            vec!["history", &trip, "state.budget", "--instance", "2"],
        ),
        ("files", json!({"file": "fix-session.jsonl"}), vec!["files", &fix]),
        ("check", json!({"files": ["trip-run.jsonl"], "json": true}), vec!["check", &trip, "--json"]),
        ("check", json!({"files": "trip-run.jsonl", "json": true}), vec!["check", &trip, "--json"]),
        (
            "diff",
            json!({"file": "trip-run.jsonl", "from": 3, "to": 9}),
            vec!["diff", &trip, "--from", "3", "--to", "9"],
        ),
        (
            "diff",
            json!({"file": "trip-run.jsonl", "other": "support-run.jsonl", "limit": 2000}),
            vec!["diff", &trip, &sample("support-run.jsonl")],
        ),
    ] {
        let answer = client.answer(tool, &arguments);
        let (_, printed, _) = obelus(&command);
        assert!(!printed.is_empty());
        assert_eq!(answer.trim_end(), printed.trim_end(), "{tool} {arguments}");
    }
    let step = client.answer("step", &json!({"file": "trip-run.jsonl", "step": 41}));
    assert!(step.contains("changed") && step.contains("budget"), "{step}");
    let page = client.call("steps", &json!({"file": "trip-run.jsonl", "offset": 10, "limit": 5})).0;
    assert_eq!(page[0].lines().count(), 5);
    assert!(page[0].trim_start().starts_with("10 ") && page[1].contains("offset 15"), "{page:?}");
}

#[test]
fn what_is_wrong_with_arguments_is_reported_to_the_model() {
    let mut client = Client::samples();
    for (tool, arguments, words) in [
        ("steps", json!({}), "needs the argument file"),
        ("steps", json!({"file": 7}), "file must be a text"),
        ("steps", json!({"file": "none.jsonl"}), "no such file"),
        ("steps", json!({"file": "../README.md"}), "is not in"),
        ("steps", json!({"file": "-"}), "no such file"),
        ("steps", json!({"file": "trip-run.jsonl", "path": "x"}), "no argument path"),
        ("steps", json!({"file": "trip-run.jsonl", "limit": -1}), "limit must be a whole number"),
        ("steps", json!({"file": "trip-run.jsonl", "where": "nonsense:3"}), "--where"),
        ("step", json!({"file": "trip-run.jsonl", "step": 999}), "there is no step 999"),
        ("state", json!({"file": "trip-run.jsonl", "step": 1.5}), "step must be a whole number"),
        ("history", json!({"file": "trip-run.jsonl", "path": "state.bugdet"}), "budget"),
        ("check", json!({"files": []}), "files must be a path or a list of paths"),
        ("check", json!({"files": ["trip-run.jsonl"], "data": "yes"}), "data must be true or false"),
        ("search", json!({"file": "trip-run.jsonl", "text": "x"}), "it has file, query, record, json, offset, limit"),
        // Taken for what they are, not for options.
        ("history", json!({"file": "trip-run.jsonl", "path": "--help"}), "--help"),
        ("search", json!({"file": "trip-run.jsonl", "query": ""}), "empty filter"),
    ] {
        let message = client.error(tool, &arguments);
        assert!(message.contains(words), "{tool} {arguments}: {message}");
    }
}

#[test]
fn answers_are_bounded_and_hide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let record = |text: &str| {
        let content = json!([{"class_": "text_observation", "content": text, "source": "user"}]);
        format!("{}\n", json!({"id": "a", "content": content}))
    };
    std::fs::write(folder.path().join("big.jsonl"), record(&"word ".repeat(100_000))).unwrap();
    let hostile = "a\u{1b}[31m\u{202e}b\u{e0041}c";
    std::fs::write(folder.path().join("hostile.jsonl"), record(hostile)).unwrap();
    let mut client = Client::of(folder.path());
    let (texts, is_error) = client.call("state", &json!({"file": "big.jsonl", "json": true}));
    assert!(!is_error && texts[0].len() <= 64 << 10, "{}", texts[0].len());
    for (tool, arguments) in
        [("steps", json!({"file": "hostile.jsonl"})), ("step", json!({"file": "hostile.jsonl", "step": 0}))]
    {
        let answer = client.answer(tool, &arguments);
        assert!(answer.contains('\u{241b}') && answer.contains("U+202E"), "{answer:?}");
        assert!(!answer.contains(['\u{1b}', '\u{202e}', '\u{e0041}']), "{answer:?}");
    }
}

/// A link in a folder that may be read leads nowhere else, whether it is named or its folder is.
#[cfg(unix)]
#[test]
fn links_lead_to_no_file_outside() {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let record = "{\"id\":\"a\",\"content\":[]}\n";
    std::fs::write(outside.path().join("secret.jsonl"), record).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.jsonl"), inside.path().join("link.jsonl")).unwrap();
    std::os::unix::fs::symlink(outside.path(), inside.path().join("linked")).unwrap();
    let mut client = Client::of(inside.path());
    assert!(client.error("check", &json!({"files": ["link.jsonl"]})).contains("is not in"));
    assert!(client.error("check", &json!({"files": ["."]})).contains("no file of records"));
    std::fs::write(inside.path().join("own.jsonl"), record).unwrap();
    let findings = client.call("check", &json!({"files": ["."], "json": true})).0.concat();
    assert!(findings.contains("own.jsonl") && !findings.contains("link"), "{findings}");
}

/// Tools read by the same formats, whichever is asked first.
#[test]
fn a_step_is_read_by_custom_formats_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(sample("relay-run.jsonl"), folder.path().join("relay.jsonl")).unwrap();
    std::fs::copy(sample("relay-format.toml"), folder.path().join("relay.toml")).unwrap();
    std::fs::write(folder.path().join("obelus.toml"), "[formats]\nfiles = [\"relay.toml\"]\n").unwrap();
    let steps = |first: &[&str]| {
        let mut client = Client::in_folder(folder.path());
        let arguments = json!({"file": "relay.jsonl", "step": 0});
        first.iter().for_each(|tool| drop(client.answer(tool, &json!({"file": "relay.jsonl"}))));
        client.answer("step", &arguments)
    };
    assert_eq!(steps(&[]), steps(&["steps"]));
    let with = steps(&[]);
    std::fs::remove_file(folder.path().join("obelus.toml")).unwrap();
    assert_ne!(steps(&[]), with, "without it the file is read as records");
}
