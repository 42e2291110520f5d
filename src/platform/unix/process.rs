//! Processes: limits of one that runs foreign code, answers waited for so long and no longer, signals that end one.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::flag::{register, register_usize};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::io::{self, ErrorKind, Read};
use std::process::{Child, ChildStdout, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// Longest time that the processor is used, in seconds: a parent that lives has ended it long before.
const PROCESSOR_SECONDS_MAX: u64 = 100_000;
/// Files that are open: input, output and errors. No other can be opened.
const FILES_MAX: u64 = 3;
/// How far a thread stands back behind all others.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Gives this process the limits of one that runs foreign code: it thinks, for a bounded time in bounded memory. Ends
/// it when nobody can read its answers any more, whatever it is doing.
///
/// # Errors
/// There is no thread that can watch the parent.
pub(crate) fn confine(memory_bytes_max: u64) -> io::Result<()> {
    renounce();
    limit(Resource::As, memory_bytes_max);
    limit(Resource::Cpu, PROCESSOR_SECONDS_MAX);
    limit(Resource::Core, 0);
    limit(Resource::Fsize, 0);
    thread::Builder::new().name("parent".to_owned()).spawn(watch)?;
    limit(Resource::Nofile, FILES_MAX);
    // Where the system has no such filter the limits are alone.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = super::refused::refuse();
    Ok(())
}

/// No program that this process could start would have more rights than it, as those with a set-user bit have. Threads
/// that begin later inherit it.
fn renounce() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_no_new_privs(true);
}

/// Where a system knows no such limit there is none.
fn limit(resource: Resource, most: u64) {
    let most = getrlimit(resource).maximum.map_or(most, |known| known.min(most));
    let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
}

/// Ends the process when the other end of its input is closed: the parent has ended, by a signal too.
fn watch() {
    let input = io::stdin();
    loop {
        let mut watched = [PollFd::new(&input, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) if watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
    #[expect(clippy::disallowed_methods, reason = "a worker has no terminal, and nobody is left who waits for it")]
    std::process::exit(1);
}

/// Ends a child with this process. Here the child itself watches its parent ([`confine`]).
#[derive(Debug)]
pub(crate) struct ChildGuard;

impl ChildGuard {
    /// For a child that was started just now.
    ///
    /// # Errors
    /// None on this system.
    pub(crate) fn new(_child: &Child) -> io::Result<Self> {
        Ok(Self)
    }
}

/// What a child writes, up to a time.
#[derive(Debug)]
pub(crate) struct TimedPipe {
    pipe: ChildStdout,
    until: Instant,
}

impl TimedPipe {
    /// Nothing is waited for until [`TimedPipe::wait_until`] says so.
    ///
    /// # Errors
    /// None on this system.
    pub(crate) fn new(pipe: ChildStdout) -> io::Result<Self> {
        Ok(Self { pipe, until: Instant::now() })
    }

    /// How long the next bytes are waited for.
    pub(crate) fn wait_until(&mut self, until: Instant) {
        self.until = until;
    }
}

impl Read for TimedPipe {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(|_| ErrorKind::InvalidInput)?;
            match poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], Some(&timeout)) {
                Ok(0) => return Err(ErrorKind::TimedOut.into()),
                Ok(_) => return self.pipe.read(block),
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}

/// Whether the reader of standard output is gone.
pub(crate) fn is_stdout_unread() -> bool {
    let stdout = io::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().intersects(PollFlags::ERR)
}

/// Lets everything else go before this thread, where the system knows that of a thread.
pub(crate) fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _stays_as_it_is = rustix::process::nice(NICENESS);
}

/// Files that this process may have open at once; None without a limit.
pub(crate) fn open_files_max() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// A command line as the user typed it, for the shell.
pub(crate) fn shell_command(line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    shell
}

/// Ctrl-C is for another program from now on. Where that cannot be said, it ends this one as any other.
pub(crate) fn ignore_interrupt() {
    let _heard = register(SIGINT, Arc::new(AtomicBool::new(false)));
}

/// Calls `on_end`, on a thread of its own, for each signal that asks for the end.
///
/// # Errors
/// There is no handler or no thread.
pub(crate) fn on_end_signal(on_end: impl Fn() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || signals.forever().for_each(|_| on_end()))?;
    Ok(())
}

/// Signals that end this process, put off until it says so.
pub(crate) struct EndSignals(Arc<AtomicUsize>);

impl EndSignals {
    /// From now on such a signal only takes note.
    ///
    /// # Errors
    /// There is no handler.
    pub(crate) fn put_off() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU] {
            register_usize(number, Arc::clone(&signal), usize::try_from(number).unwrap_or(0))?;
        }
        // A file that becomes larger than a limit allows: the write fails, which is reported.
        register(SIGXFSZ, Arc::default())?;
        Ok(Self(signal))
    }

    /// Whether one came.
    pub(crate) fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Ends the process as the signal would have, if one came.
    ///
    /// # Errors
    /// The system does not let us.
    pub(crate) fn end_if_any(&self) -> io::Result<()> {
        match i32::try_from(self.0.load(Ordering::Relaxed)) {
            Ok(0) | Err(_) => Ok(()),
            Ok(signal) => low_level::emulate_default_handler(signal),
        }
    }
}

/// Ends the process without the end of the runtime, which waits for locks.
pub(crate) fn exit_now(status: i32) -> ! {
    low_level::exit(status)
}

#[cfg(test)]
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use rustix::process::{getppid, test_kill_process};
    use std::net::UdpSocket;
    use std::process::Stdio;
    use std::{env, fs};

    /// Names a file, for a process of its own.
    const PLACE: &str = "OBELUS_CONFINED_PLACE";

    #[test]
    #[ignore = "it is run by the test below, in a process of its own"]
    fn a_confined_process() {
        let Ok(place) = env::var(PLACE) else { return };
        let parent = getppid().unwrap();
        assert!(test_kill_process(parent).is_ok() && UdpSocket::bind("127.0.0.1:0").is_ok());
        confine(4 << 30).unwrap();
        let is_refused = |result: io::Result<()>| result.is_err_and(|e| e.kind() == io::ErrorKind::PermissionDenied);
        assert!(is_refused(fs::remove_file(&place)));
        assert!(is_refused(fs::rename(&place, format!("{place}.new"))));
        assert!(is_refused(fs::read(&place).map(drop)));
        assert!(is_refused(UdpSocket::bind("127.0.0.1:0").map(drop)));
        assert!(is_refused(test_kill_process(parent).map_err(io::Error::from)));
        assert!(Command::new("true").spawn().is_err());
        // It still thinks, in more than one thread.
        let sum = std::thread::spawn(|| (0..1_000_u64).sum::<u64>()).join();
        let thought = format!("thought {}\n", sum.unwrap());
        io::Write::write_all(&mut io::stdout(), thought.as_bytes()).unwrap();
    }

    /// Foreign code reaches no file, program, connection or other process, whatever it finds a way to call.
    #[test]
    fn a_process_of_foreign_code_can_only_think() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("kept");
        fs::write(&place, "kept").unwrap();
        let name = "platform::unix::process::tests::a_confined_process";
        let mut child = Command::new(env::current_exe().unwrap())
            .args([name, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(PLACE, &place)
            // What ends when this test ends.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(input);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("thought 499500"), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_to_string(place).unwrap(), "kept");
    }
}
