//! What a process of foreign code may do: think, for a bounded time in bounded memory, as long as its parent lives.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// Longest time that the processor is used, in seconds: a parent that lives has ended it long before.
const PROCESSOR_SECONDS_MAX: u64 = 100_000;

/// Files that are open: input, output and errors. No other can be opened.
const FILES_MAX: u64 = 3;

/// Gives this process its limits, and ends it when nobody can read its answers any more, whatever it is doing.
///
/// # Errors
/// There is no thread that can watch the parent.
pub(crate) fn confine(memory_bytes_max: u64) -> io::Result<()> {
    renounce();
    limit(Resource::As, memory_bytes_max);
    limit(Resource::Cpu, PROCESSOR_SECONDS_MAX);
    limit(Resource::Core, 0);
    limit(Resource::Fsize, 0);
    std::thread::Builder::new().name("parent".to_owned()).spawn(watch)?;
    limit(Resource::Nofile, FILES_MAX);
    // Where the system has no such filter the limits stand alone.
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
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
    #[expect(clippy::disallowed_methods, reason = "a worker has no terminal, and nobody is left who waits for it")]
    std::process::exit(1);
}

#[cfg(test)]
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use rustix::process::{getppid, test_kill_process};
    use std::net::UdpSocket;
    use std::process::{Command, Stdio};
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
        let name = "shell::worker::confine::tests::a_confined_process";
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
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("thought 499500"), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_to_string(place).unwrap(), "kept");
    }
}
