//! Pieces of work done on several threads, their answers in the order of the pieces.

use super::{is_expendable, set_expendable};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::thread;

/// Answers of one thread that may wait to be taken.
const WAITING_MAX: usize = 2;

/// Most threads that work.
const THREADS_MAX: usize = 16;

/// Does a piece of work for each of `pieces`, on as many threads as there are processors, and gives the answers in
/// their order. `work` makes what each thread works with.
///
/// # Errors
/// What `each` says; no more work is begun then.
pub fn in_order<P: Sync, A: Send, W: FnMut(&P) -> A, E>(
    pieces: &[P],
    work: impl Fn() -> W + Sync,
    mut each: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX).min(pieces.len());
    if threads < 2 {
        let mut work = work();
        return pieces.iter().try_for_each(|piece| each(work(piece)));
    }
    let is_expendable = is_expendable();
    thread::scope(|scope| {
        // Piece i comes from thread i modulo their number: no thread runs far ahead, and the order needs no sorting.
        let (senders, receivers): (Vec<Sender<_>>, Vec<Receiver<_>>) =
            (0..threads).map(|_| bounded(WAITING_MAX)).unzip();
        for (number, sender) in senders.into_iter().enumerate() {
            let work = &work;
            scope.spawn(move || {
                set_expendable(is_expendable);
                let mut work = work();
                let mut own = pieces.iter().skip(number).step_by(threads);
                // Nobody listens any more when the output is closed.
                own.try_for_each(|piece| sender.send(work(piece)))
            });
        }
        let answers = (0..pieces.len()).zip(receivers.iter().cycle());
        // A thread that ended early has panicked, which the end of the scope reports.
        answers.map_while(|(_, receiver)| receiver.recv().ok()).try_for_each(&mut each)
    })
}
