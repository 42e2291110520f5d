//! Folders in which agents keep their sessions, as far as they exist on this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders in the folder of a session that hold its parts: no sessions of their own.
const PARTS: &[&str] = &["subagents", "tool-results", "memory"];

/// A folder of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPlace {
    /// The agent, as it is named on the command line; `here` for the folder in which obelus was started.
    pub agent: &'static str,
    /// Where.
    pub folder: PathBuf,
    /// How many folders deep files are looked for.
    pub(super) depth_max: usize,
    /// Names of folders that are passed over.
    pub(super) skipped: &'static [&'static str],
    /// Ends of names that only sessions have there; other files there are recognised by their content.
    pub(super) ends: &'static [&'static str],
    /// The name of the folders that have the sessions, in a place with much else; empty: all have.
    pub(super) inside: &'static str,
    /// The user's home, to leave out of names.
    pub(super) home: Option<PathBuf>,
}

/// A row of the table of places: what is known of where an agent keeps its sessions.
struct AgentPlace {
    /// The agent, as it is named on the command line.
    agent: &'static str,
    /// The variable that moves the folder; empty: there is none.
    variable: &'static str,
    /// The folder below what the variable says.
    below: &'static str,
    /// Where the variable is not set: the folder below the home, or after `./` below the one in which obelus was
    /// started.
    standard: &'static str,
    /// How many folders deep its sessions lie.
    depth_max: usize,
    /// Ends of names that only sessions have there; other files there are recognised by their content.
    ends: &'static [&'static str],
}

/// Where agents keep their sessions.
const KNOWN: [AgentPlace; 39] = [
    known("claude", "CLAUDE_CONFIG_DIR", "projects", ".claude/projects", 2, &[".jsonl"]),
    known("claude", "XDG_CONFIG_HOME", "claude/projects", ".config/claude/projects", 2, &[".jsonl"]),
    known("codex", "CODEX_HOME", "sessions", ".codex/sessions", 4, &[".jsonl", ".jsonl.zst"]),
    known("codex", "CODEX_HOME", "archived_sessions", ".codex/archived_sessions", 4, &[".jsonl", ".jsonl.zst"]),
    known("trae", "", "", ".trae/cli/sessions", 4, &[".jsonl", ".jsonl.zst"]),
    known("trae", "", "", ".trae/cli/archived_sessions", 4, &[".jsonl", ".jsonl.zst"]),
    known("opencode", "XDG_DATA_HOME", "opencode", ".local/share/opencode", 1, &["opencode.db"]),
    // A fork of opencode.
    known("kilo", "XDG_DATA_HOME", "kilo", ".local/share/kilo", 1, &["kilo.db"]),
    known("pi", "PI_CODING_AGENT_DIR", "sessions", ".pi/agent/sessions", 2, &[".jsonl"]),
    known("omp", "", "", ".omp/agent/sessions", 1, &[".jsonl"]),
    // Beside its sessions OpenClaw writes traces of its service, with the same end.
    known("openclaw", "OPENCLAW_STATE_DIR", "agents", ".openclaw/agents", 2, &[]),
    known("openhands", "OPENHANDS_PERSISTENCE_DIR", "", ".openhands", 3, &[]),
    known("mini-swe-agent", "MSWEA_GLOBAL_CONFIG_DIR", "", ".config/mini-swe-agent", 2, &[".traj.json"]),
    known("inspect", "INSPECT_LOG_DIR", "", "./logs", 2, &[".eval"]),
    known("gemini", "GEMINI_CLI_HOME", ".gemini/tmp", ".gemini/tmp", 2, &[]),
    known("qwen", "", "", ".qwen/projects", 2, &[]),
    known("copilot", "COPILOT_HOME", "session-state", ".copilot/session-state", 1, &[]),
    // In each workspace of the editor, beside much else, and of windows without one.
    known(COPILOT_CHAT, "", "", ".config/Code/User/workspaceStorage", 2, &[]),
    known(COPILOT_CHAT, "", "", ".config/Code/User/globalStorage/emptyWindowChatSessions", 0, &[]),
    known(COPILOT_CHAT, "", "", "Library/Application Support/Code/User/workspaceStorage", 2, &[]),
    known("cline", "CLINE_DATA_DIR", "sessions", ".cline/data/sessions", 1, &[".messages.json"]),
    known("cline", "", "", ".cline/data/tasks", 1, &[CONVERSATION]),
    known("cline", "", "", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks", 1, &[CONVERSATION]),
    known("roo", "", "", ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks", 1, &[CONVERSATION]),
    known("crush", "", "", "./.crush", 0, &["crush.db"]),
    // A session was a file of its project at first, then a file in a folder with those of its sub-agents.
    known("cursor", "", "", ".cursor/projects", 3, &[]),
    known("cursor", "", "", ".config/Cursor/User/globalStorage", 0, &["state.vscdb"]),
    known("cursor", "", "", "Library/Application Support/Cursor/User/globalStorage", 0, &["state.vscdb"]),
    known("kimi", "KIMI_CODE_HOME", "sessions", ".kimi-code/sessions", 4, &["wire.jsonl"]),
    known("kimi", "KIMI_SHARE_DIR", "sessions", ".kimi/sessions", 2, &["wire.jsonl"]),
    known("droid", "", "", ".factory/sessions", 1, &[".jsonl"]),
    known("amp", "", "", ".local/share/amp/threads", 0, &[".json"]),
    known("goose", "", "", ".local/share/goose/sessions", 0, &[".jsonl", "sessions.db"]),
    known("zed", "", "", ".local/share/zed/threads", 0, &["threads.db"]),
    known("zed", "", "", "Library/Application Support/Zed/threads", 0, &["threads.db"]),
    known("continue", "CONTINUE_GLOBAL_DIR", "sessions", ".continue/sessions", 0, &[]),
    known("kiro", "", "", ".local/share/kiro-cli", 0, &["data.sqlite3"]),
    known("kiro", "KIRO_HOME", "sessions", ".kiro/sessions", 2, &[".jsonl"]),
    known("amazon-q", "", "", ".local/share/amazon-q", 0, &["data.sqlite3"]),
];

/// The chat of an editor, of which only the folder is one of sessions.
const COPILOT_CHAT: &str = "copilot-chat";

/// The conversation of a task, beside what the screen showed of it.
const CONVERSATION: &str = "api_conversation_history.json";

const fn known(
    agent: &'static str,
    variable: &'static str,
    below: &'static str,
    standard: &'static str,
    depth_max: usize,
    ends: &'static [&'static str],
) -> AgentPlace {
    AgentPlace { agent, variable, below, standard, depth_max, ends }
}

/// What the folder in which obelus was started is called, among the agents.
const HERE: &str = "here";

/// What a folder begins with that is not below the home but below the folder in which obelus was started.
const BELOW_HERE: &str = "./";

/// The agents whose sessions are known to lie somewhere.
#[must_use]
pub fn agents() -> Vec<&'static str> {
    let mut names: Vec<&str> = KNOWN.iter().map(|known| known.agent).collect();
    names.dedup();
    names
}

/// The folders of sessions that exist. `variable` is the environment, `here` the folder in which obelus was started.
#[must_use]
pub fn session_places(variable: &dyn Fn(&str) -> Option<OsString>, here: &Path) -> Vec<SessionPlace> {
    let home = variable("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let mut places: Vec<SessionPlace> = Vec::new();
    for known in &KNOWN {
        let moved = Some(known.variable).filter(|name| !name.is_empty()).and_then(variable);
        let folder = match (moved.filter(|moved| !moved.is_empty()), known.standard.strip_prefix(BELOW_HERE), &home) {
            (Some(moved), ..) => Path::new(&moved).join(known.below),
            (None, Some(below), _) => here.join(below),
            (None, None, Some(home)) => home.join(known.standard),
            (None, None, None) => continue,
        };
        let is_new = places.iter().all(|known| known.folder != folder);
        if is_new && folder.is_dir() {
            let AgentPlace { agent, depth_max, ends, .. } = *known;
            let inside = if agent == COPILOT_CHAT && depth_max > 0 { "chatSessions" } else { "" };
            let home = home.clone();
            places.push(SessionPlace { agent, folder, depth_max, skipped: PARTS, ends, inside, home });
        }
    }
    places
}

/// The folder in which obelus was started, without what lies deeper.
#[must_use]
pub fn place_here(here: &Path) -> SessionPlace {
    SessionPlace { agent: HERE, folder: here.to_owned(), depth_max: 0, skipped: &[], ends: &[], inside: "", home: None }
}

impl SessionPlace {
    /// Where it is, for people: below the home with `~`.
    #[must_use]
    pub fn shown(&self) -> String {
        match self.home.as_ref().and_then(|home| self.folder.strip_prefix(home).ok()) {
            Some(below) => Path::new("~").join(below).display().to_string(),
            None => self.folder.display().to_string(),
        }
    }

    /// Whether a file of the place lies where sessions do, by its path below it.
    pub(super) fn has_sessions_at(&self, below: &Path) -> bool {
        let folder = below.parent().and_then(Path::file_name);
        self.inside.is_empty() || folder.is_some_and(|name| name == self.inside)
    }

    /// What a file of the place is called: the project and the session, both short.
    pub(super) fn name_of(&self, path: &Path) -> String {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let session = if is_uuid(&stem) { &stem[..8] } else { stem.as_ref() };
        let project = self.project_of(path);
        if project.is_empty() { session.to_owned() } else { format!("{project}/{session}") }
    }

    /// The project of a file of the place, as the folder in which it lies says it.
    pub(super) fn project_of(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.folder).unwrap_or(path);
        let folder = below.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
        match self.agent {
            "claude" => self.project(&folder),
            "pi" | "omp" => self.project(first_folder(&folder).trim_matches('-')),
            "cursor" if !folder.is_empty() => self.project(first_folder(&folder)),
            "codex" | "trae" => String::new(),
            // A folder of the agent's name, and in it one of its sessions.
            "openclaw" => first_folder(&folder).to_owned(),
            HERE => ".".to_owned(),
            // A session of the editor is a folder of its workspace's.
            "kiro" if folder.contains('/') => folder.rsplit('/').next().unwrap_or_default().to_owned(),
            COPILOT_CHAT => first_folder(&folder).to_owned(),
            _ => folder,
        }
    }

    /// The project that a folder's name spells: a path with `-` for what is not a letter and no digit.
    fn project(&self, folder: &str) -> String {
        let home = self.home.as_ref().map(|home| spelled(&home.to_string_lossy())).unwrap_or_default();
        let folder = folder.trim_start_matches('-');
        let below = folder.strip_prefix(home.trim_start_matches('-')).unwrap_or(folder).trim_start_matches('-');
        if below.is_empty() { "~".to_owned() } else { below.to_owned() }
    }
}

/// The first folder of a path below a place.
fn first_folder(path: &str) -> &str {
    path.split(['/', '\\']).next().unwrap_or_default()
}

/// A path as Claude Code names the folder of its project.
fn spelled(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn is_uuid(stem: &str) -> bool {
    stem.len() == 36
        && stem.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk_place;
    use super::*;

    #[test]
    fn places_that_exist_are_known_and_variables_move_them() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for folder in ["home/.claude/projects", "home/.pi/agent/sessions", "moved/projects", "here/logs"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let names = |moved: bool| {
            let variable = |name: &str| match name {
                "HOME" => Some(root.join("home").into_os_string()),
                "CLAUDE_CONFIG_DIR" if moved => Some(root.join("moved").into_os_string()),
                _ => None,
            };
            let places = session_places(&variable, &root.join("here"));
            let below = |place: &SessionPlace| place.folder.strip_prefix(root).unwrap().display().to_string();
            places.iter().map(below).collect::<Vec<_>>()
        };
        assert_eq!(names(false), ["home/.claude/projects", "home/.pi/agent/sessions", "here/logs"]);
        assert_eq!(names(true), ["moved/projects", "home/.pi/agent/sessions", "here/logs"]);
    }

    #[test]
    fn sessions_of_a_project_are_found_from_the_project() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for folder in ["home/.cline/data/sessions", "home/.local/share/kilo", "here/.crush"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let variable = |name: &str| (name == "HOME").then(|| root.join("home").into_os_string());
        let places = session_places(&variable, &root.join("here"));
        let names: Vec<_> = places.iter().map(|place| (place.agent, place.ends)).collect();
        let expected: [(&str, &[&str]); 3] =
            [("kilo", &["kilo.db"]), ("cline", &[".messages.json"]), ("crush", &["crush.db"])];
        assert_eq!(names, expected);
    }

    #[test]
    fn empty_files_of_a_place_are_no_sessions_and_its_folder_may_be_missing() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("projects");
        let place = SessionPlace {
            agent: "claude",
            folder: folder.clone(),
            depth_max: 2,
            skipped: PARTS,
            ends: &[".jsonl"],
            inside: "",
            home: None,
        };
        let found = || {
            let (mut troubles, mut found) = (Vec::new(), Vec::new());
            walk_place(&place, |_| false, &mut troubles, &mut |below, _, is_named| {
                found.push((below.display().to_string(), is_named));
            });
            found.sort();
            assert!(troubles.is_empty());
            found
        };
        assert_eq!(found(), []);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in
            [("a.jsonl", "{}"), ("b.jsonl", ""), ("c.txt", "x"), ("agent-d.jsonl", "{}"), ("agent_e.jsonl", "{}")]
        {
            std::fs::write(folder.join(name), text).unwrap();
        }
        assert_eq!(found(), [("a.jsonl".to_owned(), true), ("c.txt".to_owned(), false)]);
    }

    #[test]
    fn of_an_editor_only_the_folders_of_chats_have_sessions() {
        let root = tempfile::tempdir().unwrap();
        let workspace = root.path().join(".config/Code/User/workspaceStorage/1f");
        std::fs::create_dir_all(workspace.join("chatSessions")).unwrap();
        for name in ["workspace.json", "chatSessions/a.json", "chatSessions/b.jsonl"] {
            std::fs::write(workspace.join(name), "{}").unwrap();
        }
        let variable = |name: &str| (name == "HOME").then(|| root.path().as_os_str().to_owned());
        let places = session_places(&variable, root.path());
        let [place] = &places[..] else { panic!("{places:?}") };
        let mut found = Vec::new();
        walk_place(place, |_| false, &mut Vec::new(), &mut |below, _, _| found.push(below.to_owned()));
        found.sort();
        assert_eq!(found, ["a.json", "b.jsonl"].map(|name| Path::new("1f/chatSessions").join(name)));
        assert_eq!(place.name_of(&place.folder.join(&found[0])), "1f/a");
    }

    #[test]
    fn names_of_sessions_are_project_and_session() {
        let place = SessionPlace {
            agent: "claude",
            folder: "/h/ann/.claude/projects".into(),
            depth_max: 2,
            skipped: PARTS,
            ends: &[],
            inside: "",
            home: Some("/h/ann".into()),
        };
        let name = |below: &str| place.name_of(&place.folder.join(below));
        assert_eq!(name("-h-ann-src-app/3f2d0304-6c56-4d8c-99d2-d14c871ee382.jsonl"), "src-app/3f2d0304");
        assert_eq!(name("-h-ann/x.jsonl"), "~/x");
        assert_eq!(name("-srv-app/x.jsonl"), "srv-app/x");
        let place = SessionPlace { agent: "openclaw", folder: "/h/ann/.openclaw/agents".into(), ..place };
        assert_eq!(place.name_of(&place.folder.join("main/sessions/x.jsonl")), "main/x");
        let place = SessionPlace { agent: "cursor", folder: "/h/ann/.cursor/projects".into(), ..place };
        let id = "3f2d0304-6c56-4d8c-99d2-d14c871ee382";
        let of_folder = format!("h-ann-src-app/agent-transcripts/{id}/{id}.jsonl");
        assert_eq!(place.name_of(&place.folder.join(of_folder)), "src-app/3f2d0304");
        assert_eq!(place.name_of(&place.folder.join("srv-app/agent-transcripts/x.jsonl")), "srv-app/x");
        let editor = SessionPlace { folder: "/h/ann/.config/Cursor/User/globalStorage".into(), ..place.clone() };
        assert_eq!(editor.name_of(&editor.folder.join("state.vscdb")), "state", "of no project alone");
        let kiro = SessionPlace { agent: "kiro", folder: "/h/ann/.kiro/sessions".into(), ..place.clone() };
        assert_eq!(kiro.name_of(&kiro.folder.join("9f3c/sess_1/messages.jsonl")), "sess_1/messages");
        assert_eq!(kiro.name_of(&kiro.folder.join("cli/x.jsonl")), "cli/x");
        let place = SessionPlace { agent: "trae", folder: "/h/ann/.trae/cli/sessions".into(), ..place };
        assert_eq!(place.name_of(&place.folder.join("2026/09/01/rollout-x.jsonl")), "rollout-x");
    }
}
