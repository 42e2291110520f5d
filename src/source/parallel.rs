//! Pieces of work done on several threads, their answers in the order of the pieces.

use super::{is_expendable, set_expendable};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::thread;

/// Answers that may wait to be taken, of all threads together: the system lets one of two threads wait for as long as
/// some pieces take, and the other works on meanwhile.
const WAITING_MAX: usize = 16;
/// Answers of each thread that may wait, however many threads there are.
const WAITING_MIN: usize = 2;

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
    let threads = threads().min(pieces.len());
    if threads < 2 {
        let mut work = work();
        return pieces.iter().try_for_each(|piece| each(work(piece)));
    }
    let work = || {
        let mut work = work();
        move |piece: &&P| work(piece)
    };
    on_threads(threads, |number| pieces.get(number), work, each)
}

/// The same for pieces of which nobody knows yet how many there are: `piece` gives each by its number, and waits for it
/// if need be; None: there are no more.
///
/// # Errors
/// What `each` says; no more work is begun then.
pub fn in_order_until_end<P, A: Send, W: FnMut(&P) -> A, E>(
    piece: impl Fn(usize) -> Option<P> + Sync,
    work: impl Fn() -> W + Sync,
    each: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    on_threads(threads(), piece, work, each)
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
}

fn on_threads<P, A: Send, W: FnMut(&P) -> A, E>(
    threads: usize,
    piece: impl Fn(usize) -> Option<P> + Sync,
    work: impl Fn() -> W + Sync,
    mut each: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    let is_expendable = is_expendable();
    thread::scope(|scope| {
        // Piece i comes from thread i modulo their number: no thread runs far ahead, and the order needs no sorting.
        let waiting = (WAITING_MAX / threads.max(1)).max(WAITING_MIN);
        let (senders, receivers): (Vec<Sender<_>>, Vec<Receiver<_>>) = (0..threads).map(|_| bounded(waiting)).unzip();
        for (number, sender) in senders.into_iter().enumerate() {
            let (piece, work) = (&piece, &work);
            scope.spawn(move || {
                set_expendable(is_expendable);
                let mut work = work();
                let mut pieces = (number..).step_by(threads).map_while(piece);
                // Nobody listens any more when the output is closed.
                pieces.try_for_each(|piece| sender.send(work(&piece)))
            });
        }
        // Pieces end for all threads with the first that finds none. One that panicked is reported as the scope ends.
        let mut answers = receivers.iter().cycle().map_while(|receiver| receiver.recv().ok());
        answers.try_for_each(&mut each)
    })
}
