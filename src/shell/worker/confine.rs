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
