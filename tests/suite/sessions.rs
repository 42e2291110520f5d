//! `obelus` alone: the sessions of agents, found in their places and by their content.

use obelus::ingest::{is_input_folder, is_log};
use obelus::model::ListChange;
use obelus::shell::headless::Stage;
use obelus::source::{Listing, place_here, session_places};
use obelus::ui::Theme;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A session of Claude Code whose second call fails.
fn claude(folder: &str, asked: &str) -> String {
    let line = |id: usize, class: &str, message: &str| {
        format!(
            "{{\"parentUuid\":null,\"isSidechain\":false,\"cwd\":\"{folder}\",\"sessionId\":\"s\",\"version\":\"2.1.0\",\
             \"type\":\"{class}\",\"message\":{message},\"uuid\":\"u{id}\",\"timestamp\":\"2026-05-01T10:00:0{id}Z\"}}\n"
        )
    };
    let call = r#"{"id":"m1","role":"assistant","model":"opus","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}"#;
    let result =
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no rule","is_error":true}]}"#;
    let end = r#"{"id":"m2","role":"assistant","model":"opus","content":[{"type":"text","text":"The build has no such rule."}]}"#;
    let first = line(1, "user", &format!("{{\"role\":\"user\",\"content\":\"{asked}\"}}"));
    first + &line(2, "assistant", call) + &line(3, "user", result) + &line(4, "assistant", end)
}

struct Home {
    dir: tempfile::TempDir,
    now: SystemTime,
}

impl Home {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), now: SystemTime::now() - Duration::from_secs(1_000_000) }
    }

    /// A file that was written an hour after the one before.
    fn write(&mut self, name: &str, text: &str) {
        self.now += Duration::from_secs(3_600);
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(self.now).unwrap();
    }

    fn listing(&self) -> Listing {
        let (home, here) = (self.dir.path().join("home"), self.dir.path().join("here"));
        fs::create_dir_all(&here).unwrap();
        let mut places = session_places(&|name| (name == "HOME").then(|| home.clone().into_os_string()), &here);
        places.push(place_here(&here));
        Listing::of_places(places, is_input_folder, is_log)
    }

    /// All that is listed, after as many looks as it takes.
    fn found(&self) -> (Vec<String>, ListChange) {
        let mut listing = self.listing();
        let mut all = listing.look(self.now).unwrap();
        if listing.is_partial() {
            all.changed.extend(listing.look(self.now).into_iter().flat_map(|change| change.changed));
        }
        let mut names: Vec<String> = all.changed.iter().map(|file| format!("{} {}", file.agent, file.name)).collect();
        names.sort();
        (names, all)
    }
}

fn screen(stage: &Stage) -> String {
    let buffer = stage.buffer();
    let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
}

#[test]
fn sessions_are_found_by_what_they_hold_wherever_an_agent_keeps_them() {
    let mut home = Home::new();
    let session = claude("/srv/app", "build it");
    home.write("home/.claude/projects/-srv-app/4b1c4f0a-6c56-4d8c-99d2-d14c871ee382.jsonl", &session);
    home.write("home/.claude/projects/-srv-app/sessions-index.json", "{\"version\":1,\"entries\":[]}");
    home.write("home/.claude/projects/-srv-app/notes.md", "# no log");
    home.write("home/.claude/projects/-srv-app/agent-a1.jsonl", &session);
    home.write("home/.openhands/conversations/c1/base_state.json", "{\"id\":\"c1\"}");
    home.write("home/.openhands/conversations/c1/events/event-00000-a.json", r#"{"id":"e0","timestamp":"2026-05-01T10:00:00","source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"hi"}]}}"#);
    home.write(
        "home/.config/mini-swe-agent/last.traj.json",
        r#"{"info":{},"messages":[],"trajectory_format":"mini-swe-agent-1"}"#,
    );
    let claw = concat!(
        r#"{"type":"session","version":3,"id":"c","timestamp":"2026-05-01T10:00:00Z","cwd":"/w"}"#,
        "\n",
        r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"hi"}}"#,
        "\n",
    );
    home.write("home/.openclaw/agents/main/sessions/talk.jsonl", claw);
    home.write("home/.openclaw/agents/main/sessions/sessions.json", "{\"agent:main:main\":{\"sessionId\":\"talk\"}}");
    home.write("home/.openclaw/agents/main/sessions/talk.trajectory.jsonl", "{\"traceSchema\":\"x\"}\n{\"a\":1}\n");
    home.write("here/no-ending", &session);
    home.write("here/package.json", "{\"name\":\"x\",\"version\":\"1.0.0\"}");
    home.write("here/deep/run.jsonl", &session);
    let (names, change) = home.found();
    assert_eq!(
        names,
        [
            "claude srv-app/4b1c4f0a",
            "here ./no-ending",
            "mini-swe-agent last.traj",
            "openclaw main/talk",
            "openhands conversations/c1"
        ]
    );
    assert!(change.places.iter().any(|place| place == "~/.claude/projects"), "{:?}", change.places);
}

#[test]
fn sessions_are_found_in_folders_of_their_own_without_those_of_sub_agents() {
    let mut home = Home::new();
    let id = "4b1c4f0a-6c56-4d8c-99d2-d14c871ee382";
    let talk = r#"{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#;
    let cursor = format!("home/.cursor/projects/srv-app/agent-transcripts/{id}");
    home.write(&format!("{cursor}/{id}.jsonl"), &format!("{talk}\n"));
    home.write(&format!("{cursor}/subagents/other.jsonl"), &format!("{talk}\n"));
    let rollout = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","cwd":"/w"}}"#;
    home.write("home/.trae/cli/sessions/2026/09/01/rollout-a.jsonl", rollout);
    let header = r#"{"type":"session","version":3,"id":"c","timestamp":"t","cwd":"/w"}"#;
    home.write("home/.omp/agent/sessions/--srv-app--/t_1.jsonl", header);
    home.write("home/.omp/agent/sessions/--srv-app--/t_1/Task.jsonl", header);
    assert_eq!(home.found().0, ["cursor srv-app/4b1c4f0a", "omp srv-app/t_1", "trae rollout-a"]);
}

/// R16: the first screen waits for no content: what names report is reported first.
#[test]
fn what_names_give_is_listed_before_contents_are_looked_at() {
    let mut home = Home::new();
    home.write("home/.claude/projects/-a/s.jsonl", &claude("/a", "x"));
    home.write("here/run", &claude("/b", "y"));
    let mut listing = home.listing();
    assert_eq!((listing.look(home.now).unwrap().changed.len(), listing.is_partial()), (1, true));
    let second = listing.look(home.now).unwrap();
    assert_eq!((second.changed.len(), listing.is_partial()), (1, false));
    assert!(!second.changed[0].is_live, "it was there before, found late");
    assert_eq!(listing.look(home.now), None);
}

#[test]
fn files_of_the_current_folder_are_listed_by_name() {
    let mut home = Home::new();
    home.write("home/.claude/projects/-srv-app/a.jsonl", &claude("/srv/app", "Mend the parser of dates"));
    home.write("here/rollouts.jsonl", "{\"messages\":[{\"role\":\"user\",\"content\":\"Book a seat\"}]}\n");
    let mut stage = Stage::list((120, 30), Theme::built_in("dark").unwrap()).unwrap();
    stage.send(obelus::app::Msg::Files(home.found().1));
    let shown = screen(&stage);
    let row = shown.lines().find(|line| line.contains("Book a seat")).unwrap_or_default();
    assert!(row.contains("messages") && row.contains("./rollouts.jsonl") && !shown.contains("live"), "{shown}");
}

#[test]
fn a_file_of_several_runs_says_how_many_and_promises_no_count_that_does_not_come() {
    let mut home = Home::new();
    let record = "{\"messages\":[{\"role\":\"user\",\"content\":\"Book a seat\"}]}\n";
    home.write("home/.claude/projects/-srv-app/a.jsonl", &claude("/srv/app", "Mend the parser of dates"));
    home.write("here/rollouts.jsonl", &record.repeat(3));
    let mut stage = Stage::list((120, 30), Theme::built_in("dark").unwrap()).unwrap();
    stage.send(obelus::app::Msg::Files(home.found().1));
    let shown = screen(&stage);
    let row = shown.lines().find(|line| line.contains("Book a seat")).unwrap_or_default();
    assert!(row.contains(" 3 runs ") && !row.contains('…'), "{shown}");
}

#[test]
fn a_session_of_the_current_folder_has_the_agent_that_others_have_and_is_found_by_it() {
    let mut home = Home::new();
    home.write("home/.codex/sessions/2026/05/01/rollout-a.jsonl", "{}\n");
    home.write("here/mine.jsonl", &claude("/srv/app", "Mend the parser of dates"));
    let mut stage = Stage::list((120, 30), Theme::built_in("dark").unwrap()).unwrap();
    stage.send(obelus::app::Msg::Files(home.found().1));
    let row = |stage: &Stage| {
        let shown = screen(stage);
        shown.lines().find(|line| line.contains("./mine.jsonl")).unwrap_or_default().to_owned()
    };
    assert!(row(&stage).contains("  claude  "), "{}", row(&stage));
    super::stage::press(&mut stage, "/ type:claude");
    assert!(
        row(&stage).contains("Mend the parser") && screen(&stage).contains("1 of 2 sessions"),
        "{}",
        screen(&stage)
    );
}

#[test]
fn a_row_says_what_a_session_is_about_and_typing_narrows_the_list() {
    let mut home = Home::new();
    home.write("home/.claude/projects/-srv-shop/a.jsonl", &claude("/srv/shop", "Add a dark mode to the shop"));
    home.write("home/.claude/projects/-srv-app/b.jsonl", &claude("/srv/app", "Mend the parser of dates"));
    home.write("home/.claude/projects/-srv-app/c.jsonl", &claude("/srv/app", "日本語 🦀 of any width"));
    let mut stage = Stage::list((120, 30), Theme::built_in("dark").unwrap()).unwrap();
    let change = home.found().1;
    stage.send(obelus::app::Msg::Files(ListChange { now: change.now + 7_200_000, ..change }));
    let shown = screen(&stage);
    let row = |shown: &str, words: &str| shown.lines().find(|line| line.contains(words)).unwrap_or_default().to_owned();
    let parser = row(&shown, "Mend the parser");
    for part in ["3h", "claude", "app", "4", "1"] {
        assert!(parser.split_whitespace().any(|word| word == part), "{part}: {parser}");
    }
    assert!(shown.contains("3 sessions") && shown.contains("‹ The build has no such rule."), "{shown}");
    assert!(shown.contains("claude-code · opus · 4 steps · 1 failed"), "{shown}");
    stage.press("&").unwrap();
    for c in "drk shop".chars() {
        let key = if c == ' ' { "Space".to_owned() } else { c.to_string() };
        stage.press(&key).unwrap();
    }
    let shown = screen(&stage);
    assert!(shown.contains("1 of 3 sessions") && !row(&shown, "Add a dark mode").is_empty(), "{shown}");
    assert!(row(&shown, "Mend the parser").is_empty(), "{shown}");
    stage.press("Esc").unwrap();
    assert!(screen(&stage).contains("3 sessions"), "{}", screen(&stage));
}

/// As finders do: `/` and what it is about, Down to the next, Enter opens.
#[test]
fn sessions_are_found_by_typing_and_opened_with_enter() {
    let mut home = Home::new();
    home.write("home/.claude/projects/-srv-shop/a.jsonl", &claude("/srv/shop", "Add a dark mode to the shop"));
    home.write("home/.claude/projects/-srv-app/b.jsonl", &claude("/srv/app", "Mend the dark parser of dates"));
    home.write("home/.claude/projects/-srv-app/c.jsonl", &claude("/srv/app", "Nothing of this"));
    let mut stage = Stage::list((100, 24), Theme::built_in("dark").unwrap()).unwrap();
    let change = home.found().1;
    stage.send(obelus::app::Msg::Files(change));
    let footer = screen(&stage).lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("/ filter") && !footer.contains('&'), "{footer}");
    stage.press("f").unwrap();
    assert!(screen(&stage).contains("/ filters the sessions"), "{}", screen(&stage));
    for key in ["/", "d", "a", "r", "k"] {
        stage.press(key).unwrap();
    }
    assert!(screen(&stage).contains("2 of 3 sessions"), "{}", screen(&stage));
    let first = screen(&stage).lines().find(|line| line.contains('▌')).unwrap_or_default().to_owned();
    stage.press("Down").unwrap();
    let second = screen(&stage).lines().find(|line| line.contains('▌')).unwrap_or_default().to_owned();
    assert_ne!(first, second);
    stage.press("Up").unwrap();
    stage.press("Down").unwrap();
    stage.press("Enter").unwrap();
    let asked = if second.contains("parser") { "Mend the dark parser" } else { "Add a dark mode" };
    assert!(screen(&stage).contains(asked) && screen(&stage).contains("Steps"), "{}", screen(&stage));
    stage.press("q").unwrap();
    assert!(screen(&stage).contains("2 of 3 sessions"), "{}", screen(&stage));
}

#[test]
fn a_list_without_sessions_says_where_it_looked_and_what_to_do() {
    let home = Home::new();
    fs::create_dir_all(home.dir.path().join("home/.codex/sessions")).unwrap();
    let mut stage = Stage::list((80, 24), Theme::built_in("dark").unwrap()).unwrap();
    stage.send(obelus::app::Msg::Files(home.listing().look(home.now).unwrap()));
    let shown = screen(&stage);
    assert!(shown.contains("No sessions yet in") && shown.contains("~/.codex/sessions"), "{shown}");
    assert!(shown.contains("obelus FILE"), "{shown}");
    assert!(!is_log(Path::new("/none")));
}

#[test]
fn the_recorded_run_is_one_key_away() {
    let home = Home::new();
    let mut stage = Stage::list((120, 30), Theme::built_in("dark").unwrap()).unwrap();
    stage.send(obelus::app::Msg::Files(home.listing().look(home.now).unwrap()));
    stage.press("d").unwrap();
    let shown = screen(&stage);
    assert!(shown.contains("demo: a journey for two") && shown.contains("null   set @41 by quoteHotel"), "{shown}");
    stage.press("q").unwrap();
    assert!(screen(&stage).contains("sessions"), "{}", screen(&stage));
}
