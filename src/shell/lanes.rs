//! Threads for jobs. Of each lane one job runs at a time and only the newest waits, so nothing that is still wanted is
//! ever dropped, and nothing else piles up. There are as many threads as jobs have run at the same time.

use crate::app::Lane;
use crate::platform::lower_priority;
use crate::source::caught;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Most jobs that run foreign expressions at the same time, as each has a process.
const EXPRESSIONS_MAX: usize = 2;

/// Whether a job that runs is still wanted.
pub(super) type IsWanted<'w> = dyn Fn() -> bool + Sync + 'w;

/// Does the tasks of lanes; and where a failure is reported.
pub(super) trait Work<T>: Send + Sync + 'static {
    /// Does a task.
    fn perform(&self, task: T, is_wanted: &IsWanted<'_>);

    /// Reports a task that failed.
    fn failed(&self, lane: Lane, place: String);
}

/// The lanes. Dropping them cancels the tasks that run.
pub(super) struct Lanes<T: Send + 'static>(Arc<Shared<T>>);

struct Shared<T> {
    queue: Mutex<Queue<T>>,
    wake: Condvar,
    work: Box<dyn Work<T>>,
}

struct Queue<T> {
    waiting: VecDeque<(Lane, T)>,
    /// What runs, and whether it is to stop.
    running: Vec<(Lane, Arc<AtomicBool>)>,
    idle_threads: usize,
    is_closed: bool,
}

impl<T: Send + 'static> Lanes<T> {
    /// No job yet, and a thread that waits for one.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn start(work: impl Work<T>) -> io::Result<Self> {
        let queue = Queue { waiting: VecDeque::new(), running: Vec::new(), idle_threads: 0, is_closed: false };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), wake: Condvar::new(), work: Box::new(work) });
        shared.spawn()?;
        Ok(Self(shared))
    }

    /// Queues a task; it replaces the one that waits in the same lane.
    pub(super) fn submit(&self, lane: Lane, task: T) {
        let mut queue = self.0.lock();
        queue.stop(lane);
        queue.waiting.push_back((lane, task));
        let needs_thread = queue.startable().count() > queue.idle_threads;
        drop(queue);
        if needs_thread {
            // Without one more it waits for one of those that are there.
            let _no_thread = self.0.spawn();
        }
        self.0.wake.notify_one();
    }

    /// Drops the task that waits in a lane, and asks the one that runs to stop.
    pub(super) fn stop(&self, lane: Lane) {
        self.0.lock().stop(lane);
    }
}

impl<T: Send + 'static> Drop for Lanes<T> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        queue.waiting.clear();
        queue.running.iter().for_each(|(_, is_stopped)| is_stopped.store(true, Ordering::Relaxed));
        drop(queue);
        self.0.wake.notify_all();
    }
}

impl<T> Queue<T> {
    fn stop(&mut self, lane: Lane) {
        self.waiting.retain(|(other, _)| *other != lane);
        let running = self.running.iter().filter(|(other, _)| *other == lane);
        running.for_each(|(_, is_stopped)| is_stopped.store(true, Ordering::Relaxed));
    }

    /// The positions of the waiting jobs that can start now.
    fn startable(&self) -> impl Iterator<Item = usize> {
        let expressions = self.running.iter().filter(|(lane, _)| lane.is_expression()).count();
        let may_run = move |lane: Lane| {
            let is_free = self.running.iter().all(|(other, _)| *other != lane);
            is_free && (expressions < EXPRESSIONS_MAX || !lane.is_expression())
        };
        self.waiting.iter().enumerate().filter(move |(_, (lane, _))| may_run(*lane)).map(|(at, _)| at)
    }

    fn next(&mut self) -> Option<(Lane, T, Arc<AtomicBool>)> {
        let at = self.startable().next()?;
        let (lane, task) = self.waiting.remove(at)?;
        let is_stopped = Arc::new(AtomicBool::new(false));
        self.running.push((lane, Arc::clone(&is_stopped)));
        Some((lane, task, is_stopped))
    }
}

impl<T: Send + 'static> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(self: &Arc<Self>) -> io::Result<()> {
        let shared = Arc::clone(self);
        thread::Builder::new().name("jobs".to_owned()).spawn(move || shared.serve()).map(drop)
    }

    fn serve(&self) {
        let mut queue = self.lock();
        while !queue.is_closed {
            let Some((lane, task, is_stopped)) = queue.next() else {
                queue.idle_threads += 1;
                queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
                queue.idle_threads -= 1;
                continue;
            };
            drop(queue);
            let is_wanted = || !is_stopped.load(Ordering::Relaxed);
            let done = if lane.is_background() {
                behind_all(|| caught(|| self.work.perform(task, &is_wanted)))
            } else {
                caught(|| self.work.perform(task, &is_wanted))
            };
            if let Err(place) = done {
                self.work.failed(lane, place);
            }
            queue = self.lock();
            queue.running.retain(|(other, _)| *other != lane);
        }
    }
}

/// Does work at a lowered priority, on a thread of its own, since the priority of a thread cannot be raised again.
fn behind_all<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let lowered = thread::Builder::new().name("background".to_owned()).spawn_scoped(scope, || {
            lower_priority();
            work()
        });
        // What fails in it is caught there.
        lowered.map_err(|e| e.to_string())?.join().unwrap_or_else(|_| Err("the start of its thread".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// What a task does: say its number; wait for a gate and say whether it is still wanted; fail.
    enum Task {
        Say(u32),
        Wait(Receiver<()>),
        Fail,
    }

    struct Notifier(Sender<String>);

    impl Work<Task> for Notifier {
        fn perform(&self, task: Task, is_wanted: &IsWanted<'_>) {
            let answer = match task {
                Task::Say(number) => number.to_string(),
                Task::Wait(gate) => {
                    let _open = gate.recv_timeout(PATIENCE);
                    format!("wanted {}", is_wanted())
                }
                Task::Fail => panic!("made to fail"),
            };
            self.0.send(answer).unwrap();
        }

        fn failed(&self, lane: Lane, _place: String) {
            self.0.send(format!("{lane:?} failed")).unwrap();
        }
    }

    fn lanes() -> (Lanes<Task>, Receiver<String>) {
        let (sender, receiver) = unbounded();
        (Lanes::start(Notifier(sender)).unwrap(), receiver)
    }

    fn next(receiver: &Receiver<String>) -> String {
        receiver.recv_timeout(PATIENCE).unwrap()
    }

    /// Has a lane busy until the gate is dropped or opened.
    fn busy(lanes: &Lanes<Task>, lane: Lane) -> Sender<()> {
        let (open, gate) = bounded(0);
        lanes.submit(lane, Task::Wait(gate));
        while !lanes.0.lock().running.iter().any(|(other, _)| *other == lane) {
            thread::sleep(Duration::from_millis(1));
        }
        open
    }

    #[test]
    fn of_a_hundred_requests_the_one_that_runs_is_ended_and_the_newest_is_done() {
        let (lanes, receiver) = lanes();
        let open = busy(&lanes, Lane::View);
        (0..100).for_each(|number| lanes.submit(Lane::View, Task::Say(number)));
        drop(open);
        assert_eq!([next(&receiver), next(&receiver)], ["wanted false", "99"]);
        drop(lanes);
        assert!(receiver.recv_timeout(PATIENCE).is_err(), "nothing else was done");
    }

    #[test]
    fn no_lane_waits_for_another_or_loses_what_is_still_wanted() {
        let (lanes, receiver) = lanes();
        let fixed = [Lane::Open, Lane::Scan, Lane::Find, Lane::Examine, Lane::AskAll(1), Lane::CheckData];
        let open: Vec<Sender<()>> = fixed.iter().map(|lane| busy(&lanes, *lane)).collect();
        // More lanes than threads were ever started for, each asked many times.
        for number in 0..2_000 {
            lanes.submit(Lane::Ask(u64::from(number % 500)), Task::Say(number));
        }
        lanes.submit(Lane::Read, Task::Say(7_000));
        let mut answers: Vec<u32> = (0..501).map(|_| next(&receiver).parse().unwrap()).collect();
        // The first ones of a lane may be done before they are replaced; the newest of each always is.
        while answers.iter().filter(|number| (1_500..2_000).contains(*number)).count() < 500
            || !answers.contains(&7_000)
        {
            answers.push(next(&receiver).parse().unwrap());
        }
        assert!(lanes.0.lock().running.len() <= fixed.len() + EXPRESSIONS_MAX);
        drop(open);
    }

    #[test]
    fn a_job_that_fails_is_reported_and_its_lane_goes_on() {
        let (lanes, receiver) = lanes();
        for lane in [Lane::View, Lane::Scan] {
            lanes.submit(lane, Task::Fail);
            assert_eq!(next(&receiver), format!("{lane:?} failed"));
            lanes.submit(lane, Task::Say(1));
            assert_eq!(next(&receiver), "1");
        }
    }

    #[test]
    fn a_lane_is_stopped_and_all_are_at_the_end() {
        let (lanes, receiver) = lanes();
        let (first, second) = (busy(&lanes, Lane::Find), busy(&lanes, Lane::View));
        lanes.submit(Lane::Find, Task::Say(1));
        lanes.stop(Lane::Find);
        drop(first);
        assert_eq!(next(&receiver), "wanted false");
        drop(lanes);
        drop(second);
        assert_eq!(next(&receiver), "wanted false");
        assert!(receiver.recv_timeout(PATIENCE).is_err(), "what waited is not done");
    }
}
