//! The program in an emulated terminal: what it sends is a screen, and the terminal is as before at the end.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use vt100::{MouseProtocolMode, Parser, Screen};

/// How long a test waits for what must come. It is long because the machine may be busy; nobody waits it out.
const DEADLINE: Duration = Duration::from_secs(60);

/// The program in an emulated terminal.
pub(crate) struct Terminal {
    master: Box<dyn MasterPty>,
    keyboard: Box<dyn Write + Send>,
    pub(crate) child: Box<dyn Child + Send + Sync>,
    bytes: Receiver<Vec<u8>>,
    pub(crate) parser: Parser,
    /// All that the program sent.
    pub(crate) sent: Vec<u8>,
    /// The settings of the terminal before the program.
    before: String,
    /// An empty folder, so that no configuration of the person who tests counts.
    _home: tempfile::TempDir,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// Modes, special keys and the rest of the terminal's settings, as text to compare.
fn settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

impl Terminal {
    /// Starts the program on a file, 140 columns wide.
    pub(crate) fn open(path: &Path) -> Self {
        Self::run(&[path.to_str().unwrap(), "--theme", "dark"], &[])
    }

    pub(crate) fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_obelus"));
        command.args(arguments);
        Self::spawn(command, environment)
    }

    pub(crate) fn spawn(mut command: CommandBuilder, environment: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        command.env("TERM", "xterm-256color");
        command.env("XDG_CONFIG_HOME", home.path());
        command.env("XDG_DATA_HOME", home.path());
        // Sessions of agents on this machine are not what is tested.
        command.env("HOME", home.path());
        for name in ["NO_COLOR", "OBELUS_PANIC", "RUST_BACKTRACE", "COLORTERM"] {
            command.env_remove(name);
        }
        for (name, value) in environment {
            command.env(name, value);
        }
        let pair = native_pty_system().openpty(size(140, 40)).unwrap();
        let before = settings(pair.master.as_ref());
        let child = pair.slave.spawn_command(command).unwrap();
        let mut output = pair.master.try_clone_reader().unwrap();
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        let parser = Parser::new(cells(40), cells(140), 0);
        Self { master: pair.master, keyboard, child, bytes, parser, sent: Vec::new(), before, _home: home }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.sent.extend_from_slice(bytes);
        self.parser.process(bytes);
    }

    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Waits until the screen is as wanted.
    pub(crate) fn until(&mut self, wanted: &str, is_so: impl Fn(&Screen) -> bool) {
        let begin = Instant::now();
        while !is_so(self.parser.screen()) {
            match self.bytes.recv_timeout(Duration::from_millis(20)) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("it ended before {wanted}:\n{}", self.text()),
            }
            assert!(begin.elapsed() < DEADLINE, "never: {wanted}\n{}", self.text());
        }
    }

    /// Takes what comes for so long.
    pub(crate) fn listen(&mut self, time: Duration) {
        let begin = Instant::now();
        while let Some(left) = time.checked_sub(begin.elapsed()) {
            if let Ok(bytes) = self.bytes.recv_timeout(left) {
                self.take(&bytes);
            }
        }
    }

    /// Waits for a text on the screen.
    pub(crate) fn see(&mut self, text: &str) {
        self.until(&format!("`{text}` is shown"), |screen| screen.contents().contains(text));
    }

    pub(crate) fn miss(&mut self, text: &str) {
        self.until(&format!("`{text}` is gone"), |screen| !screen.contents().contains(text));
    }

    /// Presses keys by name, a blank between two.
    pub(crate) fn press(&mut self, keys: &str) {
        keys.split(' ').for_each(|key| self.keyboard.write_all(&bytes_of(key)).unwrap());
    }

    /// What a terminal answers to a question.
    pub(crate) fn answer(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.master.resize(size(columns, rows)).unwrap();
        self.parser.screen_mut().set_size(cells(rows), cells(columns));
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    /// The settings of the terminal now.
    pub(crate) fn settings(&self) -> String {
        settings(self.master.as_ref())
    }

    /// Sets them as a shell does for itself.
    pub(crate) fn set_cooked(&self) {
        let name = self.master.tty_name().unwrap();
        let done = std::process::Command::new("stty").arg("-F").arg(name).arg("sane").status().unwrap();
        assert!(done.success());
    }

    /// Waits until the program has sent this text behind the first `from` bytes.
    pub(crate) fn until_sent(&mut self, text: &str, from: usize) {
        let begin = Instant::now();
        while memchr::memmem::find(&self.sent[from..], text.as_bytes()).is_none() {
            if let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(20)) {
                self.take(&bytes);
            }
            assert!(begin.elapsed() < DEADLINE, "never sent: {text:?}");
        }
    }

    /// All that a program sends which ends by itself.
    pub(crate) fn printed(mut self) -> String {
        let begin = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(20)) {
                self.take(&bytes);
            }
            assert!(begin.elapsed() < DEADLINE, "it does not end:\n{}", self.text());
        }
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(200)) {
            self.take(&bytes);
        }
        String::from_utf8(std::mem::take(&mut self.sent)).unwrap()
    }

    /// Waits for the end, checks that the terminal is as before, and returns the exit status.
    pub(crate) fn end(mut self) -> (u32, String) {
        let begin = Instant::now();
        let status = loop {
            while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(20)) {
                self.take(&bytes);
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < DEADLINE, "it does not end:\n{}", self.text());
        };
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(20)) {
            self.take(&bytes);
        }
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left behind");
        assert!(!screen.hide_cursor(), "the cursor is left hidden");
        assert!(!screen.bracketed_paste(), "bracketed paste is left on");
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        assert_eq!((screen.fgcolor(), screen.bgcolor()), (vt100::Color::Default, vt100::Color::Default));
        assert_eq!(settings(self.master.as_ref()), self.before, "raw mode is left on");
        (status.exit_code(), self.text())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves no program behind.
        let _ = self.child.kill();
    }
}

/// What a keyboard sends for a key, by its name in the table of keys.
fn bytes_of(key: &str) -> Vec<u8> {
    let known: &str = match key {
        "Enter" => "\r",
        "Tab" => "\t",
        "BackTab" => "\x1b[Z",
        "Esc" => "\x1b",
        "Up" => "\x1b[A",
        "Down" => "\x1b[B",
        "Right" => "\x1b[C",
        "Left" => "\x1b[D",
        "Home" => "\x1b[H",
        "End" => "\x1b[F",
        "PageUp" => "\x1b[5~",
        "PageDown" => "\x1b[6~",
        "Backspace" => "\x7f",
        "Space" => " ",
        "F1" => "\x1bOP",
        _ => match key.strip_prefix("C-") {
            Some(letter) => return vec![letter.as_bytes()[0] & 31],
            None => key,
        },
    };
    known.as_bytes().to_vec()
}
