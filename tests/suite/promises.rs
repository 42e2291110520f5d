//! Promises of `docs/rules/reliability.md` that are figures of a running program: what it draws in an emulator, how much
//! memory it takes, what it does while nothing happens, and how it follows without notifications.
#![cfg(target_os = "linux")]

use super::command::{file, program};
use super::terminal::Terminal;
use obelus::app::Msg;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::{Encoder, Theme};
use ratatui::buffer::Buffer;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Texts whose width is a trap: wide, joined, with variation selectors, of no width, combining, right to left. The
/// emulator shows no U+FFFD, so none is among them.
const TRAPS: [&str; 16] = [
    "漢字かな交じり文",
    "한국어 ᄀ ᅡ ㄱ",
    "👩‍👩‍👧‍👦 family",
    "🇩🇪🇯🇵🇺",
    "⚠️ ❤️ ☺︎",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "עברית العربية",
    "\u{202e}backwards\u{202c}",
    "a\u{200b}b\u{200d}c\u{2060}d\u{feff}",
    "tab\\tand\\ttab",
    "ambiguous ±×÷°§¶†‡•…→",
    "ｆｕｌｌ ｗｉｄｔｈ",
    "\u{e0041}\u{e0042} tags",
    "नमस्ते ไทย",
    "\\u0007\\u001b[31m\\u0090",
    "\u{2028}x\u{fff9}y",
];

/// A run whose texts, and as many plain ones of another run, differ in nothing else.
fn run_of(text: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for i in 0..TRAPS.len() {
        let said = text(i).repeat(4);
        let _ = writeln!(out, r#"{{"type":"state","state":{{"k{i}":"{said}","l":["{said}"]}}}}"#);
    }
    out
}

/// What an emulator of that size shows of a buffer that is drawn into it.
fn emulated(buffer: &Buffer) -> Vec<Vec<String>> {
    let area = buffer.area;
    let bytes = Encoder::new(area.as_size()).encode(Buffer::empty(area).diff(buffer).into_iter());
    let mut parser = vt100::Parser::new(area.height.try_into().unwrap(), area.width.try_into().unwrap(), 0);
    parser.process(&bytes);
    let cell = |row, column| parser.screen().cell(row, column).map_or(String::new(), |cell| cell.contents().to_owned());
    (0..area.height).map(|row| (0..area.width).map(|column| cell(row, column)).collect()).collect()
}

/// R11: what a text is thought to occupy is what an emulator gives it: the borders stand where they stand beside plain
/// text, on every row, at every size.
#[test]
fn borders_stand_where_they_should_beside_any_text() {
    let open = |text: String| {
        let input = Input::memory("run.jsonl", text);
        Stage::open(input, Some("acts"), (140, 40), Theme::built_in("dark").unwrap()).unwrap()
    };
    let (mut plain, mut odd) = (open(run_of(|i| format!("plain {i} "))), open(run_of(|i| TRAPS[i].to_owned())));
    let (mut rows, mut broken) = (0, Vec::new());
    for number in 0..40_u16 {
        let size = (1 + number * 67 % 200, 1 + number * 23 % 60);
        for stage in [&mut plain, &mut odd] {
            stage.send(Msg::Resize(size.0, size.1));
            stage.press("j").unwrap();
        }
        let (plain, odd) = (emulated(&plain.buffer()), emulated(&odd.buffer()));
        for (row, (plain, odd)) in plain.iter().zip(&odd).enumerate() {
            rows += 1;
            let moved = plain.iter().zip(odd).position(|(plain, odd)| plain == "│" && odd != "│");
            broken.extend(moved.map(|column| format!("{size:?} row {row} column {column}: {}", odd.concat())));
        }
    }
    assert!(broken.is_empty(), "{} of {rows} rows are broken\n{}", broken.len(), broken.join("\n"));
}

/// A number of `/proc/PID/FILE`, by the name of its line.
fn number(id: u32, name: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

/// How often the threads of a process woke up by themselves, and the time that they took, in ticks of 10 ms.
fn work(id: u32) -> (usize, usize) {
    let mut sum = (0, 0);
    for task in fs::read_dir(format!("/proc/{id}/task")).unwrap() {
        let task = task.unwrap().path();
        let (Ok(status), Ok(stat)) = (fs::read_to_string(task.join("status")), fs::read_to_string(task.join("stat")))
        else {
            continue;
        };
        let woken = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        sum.0 += woken.trim().parse::<usize>().unwrap();
        sum.1 += fields[11].parse::<usize>().unwrap() + fields[12].parse::<usize>().unwrap();
    }
    sum
}

/// Time in which nothing happens.
const IDLE: Duration = Duration::from_secs(3);
/// Most times that a program wakes up in it: a look a second, and what timers there are.
const WAKES_MAX: usize = 60;
/// Most time that it takes of a core, in ticks of 10 ms: 0.5 % are 1.5 ticks.
const TICKS_MAX: usize = 2;

/// Ended when a test is over.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// R14, R16: a follower takes at most 64 MB and three times the longest line, whatever it has read; while nothing is
/// written it sleeps, and what is written one by one takes no more memory.
#[test]
fn a_follower_keeps_to_its_memory_and_sleeps() {
    const LINES: usize = 100_000;
    const LONGEST: usize = 8 << 20;
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for i in 0..LINES {
        let _ = writeln!(text, "{{\"type\":\"text\",\"text\":\"{i} {}\"}}", "x".repeat(200));
        if i == LINES / 2 {
            let _ = writeln!(text, "{{\"type\":\"text\",\"text\":\"{}\"}}", "é".repeat(LONGEST / 2));
        }
    }
    let path = file(folder.path(), "live.jsonl", &text);
    let command = program().args(["tail", &path, "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut running = Running(command);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut take = |count: usize| (0..count).for_each(|_| drop(lines.next().unwrap().unwrap()));
    take(LINES + 1);
    let most = (64_000_000 + 3 * LONGEST) / 1_024;
    let peak = number(running.0.id(), "VmHWM");
    assert!(peak <= most, "{peak} kB, and not {most}");
    let mut more = OpenOptions::new().append(true).open(&path).unwrap();
    for i in 0..500 {
        writeln!(more, "{{\"type\":\"text\",\"text\":\"more {i}\"}}").unwrap();
        if i % 100 == 99 {
            take(100);
        }
    }
    let grown = number(running.0.id(), "VmHWM");
    assert!(grown <= peak + 1_024, "{grown} kB, and {peak} before");
    assert_idle(running.0.id());
}

fn assert_idle(id: u32) {
    // What was to be done is done.
    std::thread::sleep(Duration::from_secs(2));
    let before = work(id);
    std::thread::sleep(IDLE);
    let (wakes, ticks) = work(id);
    let (wakes, ticks) = (wakes - before.0, ticks - before.1);
    assert!(wakes <= WAKES_MAX && ticks <= TICKS_MAX, "{wakes} times awake, {ticks} ticks");
}

/// R16: the screen of a file that is followed draws nothing while nothing is written, and sleeps.
#[test]
fn a_screen_draws_nothing_while_nothing_happens() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "live.jsonl", &run_of(|i| format!("plain {i} ")));
    let mut terminal = Terminal::run(&["--follow", &path, "--theme", "dark"], &[]);
    terminal.see("k15");
    terminal.listen(Duration::from_secs(3));
    let sent = terminal.sent.len();
    assert_idle(terminal.child.process_id().unwrap());
    terminal.listen(Duration::from_millis(100));
    assert_eq!(terminal.sent.len(), sent, "{:?}", String::from_utf8_lossy(&terminal.sent[sent..]));
}

/// R20: where the system gives no notifications, what is written is seen all the same, and the screen says how.
#[test]
fn without_notifications_a_file_is_followed_by_looking() {
    const INSTANCES_MAX: usize = 4_000;
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "live.jsonl", "{\"type\":\"state\",\"state\":{\"first\":1}}\n");
    let attempt = || {
        // All that this user may have are taken until the program has tried to get one.
        let init = || rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::CLOEXEC);
        let taken: Vec<_> = std::iter::from_fn(|| init().ok()).take(INSTANCES_MAX).collect();
        assert!(taken.len() < INSTANCES_MAX, "this user may have more of them than a process has files");
        let mut terminal = Terminal::run(&["--follow", &path, "--theme", "dark"], &[]);
        terminal.until("how it follows", |screen| screen.contents().contains("● "));
        terminal.listen(Duration::from_millis(300));
        terminal.text().contains("polling").then_some(terminal)
    };
    // It gets one where another program of this user ends just then.
    let mut terminal = (0..20).find_map(|_| attempt()).unwrap();
    let mut more = OpenOptions::new().append(true).open(&path).unwrap();
    writeln!(more, "{{\"type\":\"state\",\"state\":{{\"second\":2}}}}").unwrap();
    terminal.see("second");
    terminal.see("polling");
}
