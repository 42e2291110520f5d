//! Golden frames: each script in `tests/scripts` plays a session on the stage and names frames, which must be equal to
//! the files of that name in `tests/frames`. `OBELUS_BLESS=1` writes those files anew; a changed frame is reviewed like
//! code.
//!
//! A script has one command a line; blank lines and those that begin with `#` mean nothing.
//!
//! ```text
//! open samples/trip-run.jsonl    a file of the project
//! list samples                   the files of a folder of the project, written at times of ours
//! given {"type":"text"}          a line of an input that is not a file; `given` alone: an empty one
//! format generic                 reads what follows as that format
//! size 80x24                     width and height in cells
//! theme dark                     a built-in theme
//! begin 41 †state.budget ②       goes to a step, and to a value (with its instance)
//! watch †state.budget < 0        watches a value
//! do step-next 3                 an action by its name, three times
//! key Tab ]w C-d                 keys by their names
//! type refund                    characters, up to the end of the line
//! click 4,10                     a click on a cell: column, row
//! frame trip-wide                compares the frame of now with that file
//! ```

use super::golden;
use super::tree_files::root;
use obelus::app::Msg;
use obelus::app::initial_position::Start;
use obelus::app::key::{KeyPress, Mouse, MouseKind};
use obelus::app::keys::KEYS;
use obelus::shell::headless::Stage;
use obelus::source::{Input, Listing};
use obelus::state::condition::Expected;
use obelus::ui::{Background, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::SystemTime;
use unicode_width::UnicodeWidthStr;

/// Most frames of all scripts: more are not reviewed.
const FRAMES_MAX: usize = 66;

/// A script being played.
struct Player {
    script: String,
    input: Option<(String, String)>,
    format: Option<String>,
    size: (u16, u16),
    theme: Theme,
    stage: Option<Stage>,
    frames: Vec<(String, String)>,
}

impl Player {
    fn new(script: &str) -> Self {
        let theme = theme("dark").unwrap();
        let script = script.to_owned();
        Self { script, input: None, format: None, size: (120, 30), theme, stage: None, frames: Vec::new() }
    }

    fn play(&mut self, line: &str) -> Result<(), String> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "open" => self.open(rest),
            "list" => self.list(rest),
            "given" => {
                let before = self.input.take().map_or(String::new(), |(_, text)| text);
                let text = if rest.is_empty() { before } else { format!("{before}{rest}\n") };
                self.input = Some(("given".to_owned(), text));
                self.stage = None;
                Ok(())
            }
            "format" => {
                self.format = Some(rest.to_owned());
                Ok(())
            }
            "size" => self.resize(rest),
            "theme" => {
                self.theme = theme(rest)?;
                match &mut self.stage {
                    Some(_) => Err("theme stands before the first frame".to_owned()),
                    None => Ok(()),
                }
            }
            "watch" => self.watch(rest),
            "begin" => self.begin(rest),
            "do" => self.perform(rest),
            "key" => rest.split_whitespace().try_for_each(|word| self.press(word)),
            "type" => rest.chars().try_for_each(|c| self.send(Msg::Key(KeyPress::char(c)))),
            "click" => self.click(rest),
            "frame" => self.frame(rest),
            other => Err(format!("there is no command {other}")),
        }
    }

    fn open(&mut self, path: &str) -> Result<(), String> {
        let text = fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))?;
        let name = path.rsplit('/').next().unwrap_or(path);
        self.input = Some((name.to_owned(), text));
        self.stage = None;
        Ok(())
    }

    /// A list of the files of a folder; in the order of their names each was written some time before the one before.
    fn list(&mut self, path: &str) -> Result<(), String> {
        let mut stage = Stage::list(self.size, self.theme.clone()).map_err(|p| p.to_string())?;
        let mut change =
            Listing::new(&[root().join(path)], |_| false, |_| true).look(SystemTime::now()).ok_or("no look")?;
        change.changed.sort_by(|a, b| a.name.cmp(&b.name));
        (change.now, change.title) = (1_800_000_000_000, path.to_owned());
        for (i, file) in (0_i64..).zip(&mut change.changed) {
            file.written = Some(change.now - i * i * 1_234_567);
            file.is_live = i < 2;
        }
        stage.send(Msg::Files(change));
        self.stage = Some(stage);
        Ok(())
    }

    fn stage(&mut self) -> Result<&mut Stage, String> {
        if self.stage.is_none() {
            let (name, text) = self.input.take().ok_or("open comes first")?;
            let input = Input::memory(&name, text);
            let stage = Stage::open(input, self.format.as_deref(), self.size, self.theme.clone());
            self.stage = Some(stage.map_err(|p| p.to_string())?);
        }
        self.stage.as_mut().ok_or_else(|| "no stage".to_owned())
    }

    fn send(&mut self, msg: Msg) -> Result<(), String> {
        self.stage()?.send(msg);
        Ok(())
    }

    fn press(&mut self, word: &str) -> Result<(), String> {
        self.stage()?.press(word).map_err(|p| p.to_string())
    }

    fn resize(&mut self, text: &str) -> Result<(), String> {
        self.size = pair(text, 'x')?;
        let (width, height) = self.size;
        if self.stage.is_some() { self.send(Msg::Resize(width, height)) } else { Ok(()) }
    }

    fn begin(&mut self, text: &str) -> Result<(), String> {
        let mut words = text.split(' ');
        let step = words.next().and_then(|word| word.parse().ok());
        let path = words.next().map(str::to_owned);
        let start = Start { step, path, instance: words.next().map(str::to_owned), ..Start::default() };
        self.stage()?.begin(Some(start));
        Ok(())
    }

    fn watch(&mut self, text: &str) -> Result<(), String> {
        let expected = Expected::parse(text)?;
        let stage = self.stage()?;
        stage.app.watch([expected]);
        stage.begin(None);
        Ok(())
    }

    fn perform(&mut self, text: &str) -> Result<(), String> {
        let (name, times) = text.split_once(' ').unwrap_or((text, "1"));
        let times: usize = times.parse().map_err(|_| format!("{times} is not a number"))?;
        let stage = self.stage()?;
        let contexts = stage.app.contexts();
        let row = KEYS.iter().find(|row| row.action.name() == name && contexts.contains(&row.context));
        let key = row.ok_or_else(|| format!("no action {name} here"))?.keys[0];
        (0..times).try_for_each(|_| self.press(key))
    }

    fn click(&mut self, text: &str) -> Result<(), String> {
        let (column, row) = pair(text, ',')?;
        self.send(Msg::Mouse(Mouse { kind: MouseKind::Click, column, row }))
    }

    fn frame(&mut self, name: &str) -> Result<(), String> {
        let about = format!("{name} · {}x{} · {}", self.size.0, self.size.1, self.theme.name());
        let buffer = self.stage()?.buffer();
        self.frames.push((name.to_owned(), format!("{about}\n{}", picture(&buffer))));
        Ok(())
    }

    fn run(mut self, text: &str) -> Vec<(String, String)> {
        for (i, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Err(message) = self.play(line) {
                panic!("{}:{}: {message}", self.script, i + 1);
            }
        }
        self.frames
    }
}

fn theme(name: &str) -> Result<Theme, String> {
    let theme = Theme::built_in(name).ok_or_else(|| format!("there is no theme {name}"))?;
    Ok(if theme.background() == Background::Any { theme.on(Background::Dark) } else { theme })
}

fn pair(text: &str, between: char) -> Result<(u16, u16), String> {
    let found = text.split_once(between).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    found.ok_or_else(|| format!("{text} is not two numbers with {between} between"))
}

/// The text of the frame, then a letter for the style of each cell, then what the letters mean.
fn picture(buffer: &Buffer) -> String {
    let rows: Vec<&[Cell]> = buffer.content.chunks(usize::from(buffer.area.width).max(1)).collect();
    let mut out = String::from("\n");
    for row in &rows {
        let mut line = String::new();
        let mut covered = 0;
        for cell in *row {
            if covered == 0 {
                line.push_str(cell.symbol());
                covered = cell.symbol().width();
            }
            covered = covered.saturating_sub(1);
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let mut legend: Vec<String> = Vec::new();
    let mut grid = String::new();
    for row in &rows {
        let line: String = row.iter().map(|cell| letter(&mut legend, style(cell))).collect();
        let _ = writeln!(grid, "{}", line.trim_end_matches('.'));
    }
    let _ = write!(out, "\nstyles\n{grid}\n");
    for (i, style) in legend.iter().enumerate() {
        let _ = writeln!(out, "{} {style}", sign(i));
    }
    out
}

fn letter(legend: &mut Vec<String>, style: String) -> char {
    let at = legend.iter().position(|s| *s == style).unwrap_or_else(|| {
        legend.push(style);
        legend.len() - 1
    });
    sign(at)
}

/// The letter of a style: the first is that of the top left cell, `.`; it is left out at ends of lines.
fn sign(at: usize) -> char {
    ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".chars().nth(at).unwrap()
}

fn style(cell: &Cell) -> String {
    let colour = |c: Color| c.to_string().to_lowercase();
    let mut out = format!("{} on {}", colour(cell.fg), colour(cell.bg));
    let names = [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::ITALIC, "italic"),
        (Modifier::UNDERLINED, "underline"),
        (Modifier::REVERSED, "reverse"),
        (Modifier::CROSSED_OUT, "crossed out"),
    ];
    for (modifier, name) in names {
        if cell.modifier.contains(modifier) {
            out += " ";
            out += name;
        }
    }
    out
}

fn scripts() -> Vec<(String, String)> {
    let mut out = Vec::new();
    for entry in fs::read_dir(root().join("tests/scripts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        out.push((name, fs::read_to_string(&path).unwrap()));
    }
    out.sort();
    out
}

#[test]
fn frames_are_as_they_were() {
    let folder = root().join("tests/frames");
    let mut names = BTreeSet::new();
    let mut faults = Vec::new();
    for (script, text) in scripts() {
        for (name, frame) in Player::new(&script).run(&text) {
            assert!(names.insert(format!("{name}.snap")), "{script}: a second frame {name}");
            faults.extend(golden::equal(&folder.join(format!("{name}.snap")), &frame));
        }
    }
    faults.extend(stale(&folder, &names));
    assert!(names.len() <= FRAMES_MAX, "{} frames are more than anybody looks at", names.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Files that no script makes.
fn stale(folder: &Path, names: &BTreeSet<String>) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let stale: Vec<String> = files.filter(|f| !names.contains(f)).collect();
    if golden::is_on() {
        stale.iter().for_each(|f| fs::remove_file(folder.join(f)).unwrap());
        return Vec::new();
    }
    stale.iter().map(|f| format!("tests/frames/{f} is made by no script; take it out")).collect()
}

#[test]
fn every_action_has_a_name_of_its_own() {
    let names: BTreeSet<String> = KEYS.iter().map(|row| row.action.name()).collect();
    let actions: BTreeSet<String> = KEYS.iter().map(|row| format!("{:?}", row.action)).collect();
    assert_eq!(names.len(), actions.len());
    assert!(names.contains("step-next") && names.contains("tab-history"), "{names:?}");
}

#[test]
fn a_picture_shows_text_and_styles() {
    let mut stage = Stage::open(Input::memory("x", ""), None, (20, 4), theme("dark").unwrap()).unwrap();
    let wide = picture(&stage.buffer());
    stage.send(Msg::Resize(10, 4));
    let narrow = picture(&stage.buffer());
    assert!(wide.starts_with("\n x › Steps") && wide.contains("\nstyles\n") && wide.contains("\n. #"), "{wide}");
    assert_ne!(wide, narrow);
}
