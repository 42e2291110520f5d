//! Several files: the list, a file of it and back, files that come and grow while one is read.

use obelus::app::keys::KEYS;
use obelus::app::{Effect, Msg, Pane};
use obelus::model::{ListChange, ListedFile};
use obelus::panes::file_list::FileHead;
use obelus::shell::headless::Stage;
use obelus::source::Listing;
use obelus::ui::Theme;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const LINE: &str = "{\"type\":\"text\",\"role\":\"user\",\"text\":\"book a boat\"}\n";

/// A folder of files, each written a minute after the one before, and the program on a list of them.
struct Folder {
    dir: tempfile::TempDir,
    listing: Listing,
    stage: Stage,
    now: SystemTime,
}

impl Folder {
    fn of(names: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let listing = Listing::new(&[dir.path().to_owned()], |_| false, |_| true);
        let stage = Stage::list((100, 14), Theme::built_in("dark").unwrap()).unwrap();
        let mut folder = Self { dir, listing, stage, now: SystemTime::now() - Duration::from_secs(86_400) };
        names.iter().for_each(|name| folder.write(name, LINE));
        folder.look();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&mut self, name: &str, text: &str) {
        self.now += Duration::from_secs(60);
        let path = self.path(name);
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(&path, before + text).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(self.now).unwrap();
    }

    fn look(&mut self) -> Vec<Effect> {
        self.listing.look(self.now).map_or_else(Vec::new, |change| self.stage.send(Msg::Files(change)))
    }

    fn press(&mut self, words: &str) {
        words.split_whitespace().for_each(|word| self.stage.press(word).unwrap());
    }

    fn names(&self) -> Vec<String> {
        self.stage.app.files.as_ref().unwrap().pane.rows().iter().map(|file| file.name.clone()).collect()
    }

    fn cursor(&self) -> String {
        self.stage.app.files.as_ref().unwrap().pane.at_cursor().unwrap().name.clone()
    }

    fn screen(&self) -> String {
        let buffer = self.stage.buffer();
        let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn a_file_opens_and_is_left_to_the_same_row() {
    let mut folder = Folder::of(&[]);
    let request = format!("{{\"context\":[{}]}}\n", LINE.trim());
    ["a.jsonl", "b.jsonl", "c.jsonl"].iter().for_each(|name| folder.write(name, &request));
    folder.look();
    assert_eq!(folder.names(), ["c.jsonl", "b.jsonl", "a.jsonl"]);
    assert!(folder.screen().contains("book a boat") && folder.screen().contains("1 step"), "{}", folder.screen());
    folder.press("j Enter");
    assert_eq!(folder.stage.app.pane, Pane::Steps);
    assert!(folder.stage.app.session.name.ends_with("b.jsonl"));
    folder.press("Tab q");
    assert_eq!((folder.stage.app.pane, folder.cursor().as_str()), (Pane::Files, "b.jsonl"));
    folder.press("Enter");
    assert_eq!(folder.stage.app.pane, Pane::State, "it is open still, and where it was left");
    folder.press("Esc Esc");
    assert_eq!(folder.stage.app.pane, Pane::Files);
    folder.press("k Enter");
    assert!(folder.stage.app.session.path.as_deref().is_some_and(|path| path.ends_with("c.jsonl")));
    folder.press("q");
    let quit = folder.stage.send(Msg::Key("q".parse().unwrap()));
    assert!(matches!(quit.as_slice(), [Effect::Quit]), "{quit:?}");
}

#[test]
fn what_comes_and_grows_leaves_the_cursor_on_its_file() {
    let names: Vec<String> = (0..30).map(|n| format!("{n:02}.jsonl")).collect();
    let mut folder = Folder::of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    folder.press("j j j j j j j j j j j j j j j");
    let row = |folder: &Folder| folder.screen().lines().position(|line| line.contains('▌')).unwrap();
    let (at, line) = (folder.cursor(), row(&folder));
    folder.write("02.jsonl", LINE);
    folder.write("new.jsonl", LINE);
    folder.look();
    assert_eq!(folder.names()[..2], ["new.jsonl", "02.jsonl"]);
    assert_eq!((folder.cursor(), row(&folder)), (at, line), "{}", folder.screen());
    assert!(folder.screen().contains("↑ 2 live"), "{}", folder.screen());
    folder.press("g");
    assert!(folder.screen().contains("● live") && folder.screen().contains("2 steps"), "{}", folder.screen());
}

#[test]
fn the_newest_file_opens_and_a_newer_one_is_reported() {
    let mut folder = Folder::of(&[]);
    assert!(folder.screen().contains("No files yet."), "{}", folder.screen());
    folder.stage.app.list_files(true);
    folder.look();
    folder.write("first.jsonl", LINE);
    folder.look();
    assert_eq!(folder.stage.app.session.name.rsplit('/').next(), Some("first.jsonl"));
    folder.write("first.jsonl", LINE);
    folder.look();
    assert_eq!(folder.stage.app.notice, None);
    folder.write("second.jsonl", LINE);
    folder.look();
    let notice = folder.stage.app.notice.clone().unwrap().text;
    assert!(notice.contains("second.jsonl") && notice.contains("]n"), "{notice}");
    folder.press("]n");
    assert!(folder.stage.app.session.path.as_deref().is_some_and(|path| path.ends_with("second.jsonl")));
    folder.press("q");
    assert_eq!((folder.stage.app.pane, folder.cursor().as_str()), (Pane::Files, "second.jsonl"));
}

#[test]
fn every_file_says_what_is_found_in_it() {
    let record = |id: &str| format!("{{\"id\":\"{id}\",\"conversations\":[{{\"from\":\"human\",\"value\":\"hi\"}}]}}");
    let mut folder = Folder::of(&[]);
    folder.write("many.json", &format!("[{},{}]", record("a"), record("b")));
    folder.write("clean.jsonl", LINE);
    folder.look();
    let row = |screen: &str, name: &str| screen.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    let screen = folder.screen();
    assert!(row(&screen, "many.json").contains("2 runs  !3 "), "{screen}");
    assert!(row(&screen, "clean.jsonl").contains("1 step  0 "), "{screen}");
    folder.stage.send(Msg::Resize(80, 14));
    assert!(row(&folder.screen(), "many.json").contains("!3"), "{}", folder.screen());
    let unread = FileHead { len: 7, ..FileHead::default() };
    let path = folder.path("many.json");
    folder.stage.app.files.as_mut().unwrap().pane.set_head(path, unread);
    assert!(row(&folder.screen(), "many.json").contains('…'), "unknown does not look clean: {}", folder.screen());
}

#[test]
fn the_list_is_sorted_and_filtered_and_its_names_say_the_folder() {
    let mut folder = Folder::of(&[]);
    for name in ["b", "a10", "a9"] {
        fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/std.jsonl"), LINE);
    }
    folder.write("b/sft.jsonl", &LINE.repeat(2));
    folder.look();
    folder.press("j");
    assert_eq!((folder.cursor().as_str(), folder.names()[0].as_str()), ("a9/std.jsonl", "b/sft.jsonl"));
    folder.press("s");
    assert_eq!(folder.names(), ["a9/std.jsonl", "a10/std.jsonl", "b/sft.jsonl", "b/std.jsonl"]);
    assert_eq!(folder.cursor(), "a9/std.jsonl", "the cursor stays on its file");
    folder.press("s");
    assert_eq!(folder.names()[0], "b/sft.jsonl");
    folder.press("s & type:^a Enter");
    assert_eq!(folder.names(), ["a9/std.jsonl", "a10/std.jsonl"]);
    assert!(folder.screen().contains("2 of 4 files"), "{}", folder.screen());
    folder.write("new.jsonl", LINE);
    folder.look();
    assert_eq!(folder.names().len(), 2, "what comes is filtered too");
    folder.press("Enter");
    assert!(folder.screen().lines().next().unwrap().contains("a9/std.jsonl"), "{}", folder.screen());
    folder.press("q & C-u type:nothing Enter");
    assert!(folder.screen().contains("No name matches the filter"), "{}", folder.screen());
    folder.press("Esc");
    assert_eq!((folder.names().len(), folder.stage.app.pane), (5, Pane::Files));
}

#[test]
fn what_cannot_be_opened_says_so_and_the_list_stays() {
    let mut folder = Folder::of(&["good.jsonl"]);
    fs::write(folder.path("packed.json"), b"BZh91AY").unwrap();
    folder.look();
    assert!(folder.screen().contains("is bzip2 data"), "{}", folder.screen());
    folder.press("/ type:packed Enter Enter");
    assert_eq!(folder.stage.app.pane, Pane::Files);
    assert!(folder.stage.app.notice.as_ref().is_some_and(|notice| notice.is_error));
    fs::remove_file(folder.path("packed.json")).unwrap();
    folder.look();
    assert_eq!(folder.names(), ["good.jsonl"]);
    folder.press("Enter");
    assert_eq!(folder.stage.app.pane, Pane::Steps);
}

#[test]
fn of_ten_thousand_files_only_those_on_screen_are_read() {
    let mut stage = Stage::list((80, 24), Theme::built_in("dark").unwrap()).unwrap();
    let file = |n: i64| ListedFile {
        path: PathBuf::from(format!("/none/{n:05}.jsonl")),
        name: format!("{n:05}.jsonl"),
        len: 1,
        written: Some(-n),
        ..ListedFile::default()
    };
    stage.send(Msg::Files(ListChange { changed: (0..10_000).map(file).collect(), ..ListChange::default() }));
    stage.press("G").unwrap();
    let pane = &stage.app.files.as_ref().unwrap().pane;
    let read = pane.rows().iter().filter(|file| pane.head(&file.path).is_some()).count();
    assert!((24..60).contains(&read), "{read} were read");
    assert_eq!(pane.at_cursor().map(|file| file.path.as_path()), Some(Path::new("/none/09999.jsonl")));
}

#[test]
fn every_key_at_every_size_leaves_the_list_or_a_file_on_the_screen() {
    for size in [(1, 1), (13, 3), (40, 12), (100, 14), (200, 60)] {
        let mut folder = Folder::of(&["a.jsonl", "b.jsonl", "c.jsonl"]);
        folder.stage.send(Msg::Resize(size.0, size.1));
        for key in KEYS.iter().flat_map(|row| row.keys) {
            folder.press(&format!("{key} Esc Esc Esc q"));
            folder.look();
            let area = folder.stage.buffer().area;
            assert_eq!((area.width, area.height), size, "{key}");
            assert_eq!(folder.names().len(), 3, "{key}");
        }
    }
}
