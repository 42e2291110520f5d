//! Search in the bytes of the input: the next hit at once, then how many rows have one.
//!
//! Both go over windows of the input on all processors. A new search cancels them.

use super::jobs::Source;
use crate::app::msg::Hits;
use crate::app::{Msg, SearchPosition};
use crate::format::Layout;
use crate::model::cast::to_step;
use crate::model::{Span, StepNo};
use crate::platform::lower_priority;
use crate::source::{in_order, is_expendable, set_expendable};
use crate::text::Pattern;
use crossbeam_channel::bounded;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a window, which is searched between two checks for cancellation.
const WINDOW_BYTES: u64 = 1 << 20;
/// Longest match that may be across two windows.
const OVERLAP_BYTES: u64 = 64 << 10;
/// Rows that a search in listed steps looks at together.
const ROWS: usize = 64;
/// Most rows whose order is looked at.
const ORDER_MAX: usize = 100_000;
/// Time between two counts that are reported.
const PROGRESS: Duration = Duration::from_millis(100);

/// What is searched for.
pub(super) struct SearchRequest<'w> {
    /// Number to answer with.
    pub number: u64,
    /// What.
    pub pattern: &'w Pattern,
    /// The position to search from, exclusive.
    pub from: SearchPosition,
    /// The steps to search, in order, where not all are listed.
    pub within: Option<&'w [StepNo]>,
    /// Whether to search towards the end.
    pub is_forward: bool,
}

/// Finds the next row with a hit, round the end and back to the row it begins in; then counts all of them.
pub(super) fn find(
    source: &Source,
    wanted: &SearchRequest<'_>,
    is_wanted: &(dyn Fn() -> bool + Sync),
    send: &mut dyn FnMut(Msg),
) {
    let places = Places::of(source, wanted.from);
    let search = places.map(|places| Search { places, pattern: wanted.pattern, is_wanted });
    // Steps that do not follow one another in the input are looked at one by one.
    let scattered = search.as_ref().filter(|search| wanted.within.is_none() && search.places.are_scattered());
    let all: Option<Vec<StepNo>> = scattered.map(|search| (0..to_step(search.places.count())).collect());
    let within = wanted.within.or(all.as_deref());
    let at = search.as_ref().and_then(|search| match within {
        Some(steps) => search.next_of(steps, wanted.is_forward),
        None => search.next(wanted.is_forward),
    });
    let place = at.zip(search.as_ref()).and_then(|(row, search)| search.places.position_of(row));
    send(Msg::SearchResult(wanted.number, place));
    let Some(search) = search.filter(|_| at.is_some()) else { return };
    let is_expendable = is_expendable();
    thread::scope(|scope| {
        let (sender, receiver) = bounded(1);
        // This thread, and those it starts, have a lower priority than all others.
        scope.spawn(move || {
            set_expendable(is_expendable);
            lower_priority();
            search.count(within, &mut |hits| drop(sender.send(hits)));
        });
        receiver.iter().for_each(|hits| send(Msg::Hits(wanted.number, hits)));
    });
}

/// A window: the matches that begin in `own` first bytes of the span are its own, others those of the next window.
struct Window {
    span: Span,
    new_bytes: u64,
}

/// The windows of the bytes from `low` to `high`.
fn windows(low: u64, high: u64) -> impl DoubleEndedIterator<Item = Window> {
    let count = high.saturating_sub(low).div_ceil(WINDOW_BYTES);
    (0..count).map(move |number| {
        let start = low + number * WINDOW_BYTES;
        let len = (high - start).min(WINDOW_BYTES + OVERLAP_BYTES);
        Window { span: Span { offset: start, len }, new_bytes: WINDOW_BYTES.min(len) }
    })
}

struct Search<'s> {
    places: Places<'s>,
    pattern: &'s Pattern,
    is_wanted: &'s (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    /// The next row with a hit.
    fn next(&self, is_forward: bool) -> Option<usize> {
        let (here, all) = (self.places.span(self.places.from)?, self.places.range()?);
        let (before, after) = (windows(all.offset, here.offset), windows(here.end(), all.end()));
        let windows_here = windows(here.offset, here.end());
        let order: Vec<Window> = if is_forward {
            after.chain(before).chain(windows_here).collect()
        } else {
            before.rev().chain(after.rev()).chain(windows_here.rev()).collect()
        };
        let at = self.first(&order, |window| self.hit(window, is_forward))?;
        self.places.at(at)
    }

    /// The next of these rows with a hit.
    fn next_of(&self, steps: &[StepNo], is_forward: bool) -> Option<usize> {
        let rows: Vec<usize> = steps.iter().filter_map(|step| usize::try_from(*step).ok()).collect();
        let (before, behind) = rows.split_at(rows.partition_point(|row| *row < self.places.from));
        let (here, after) = behind.split_at(usize::from(behind.first() == Some(&self.places.from)));
        let order: Vec<usize> = if is_forward {
            after.iter().chain(before).chain(here).copied().collect()
        } else {
            before.iter().rev().chain(after.iter().rev()).chain(here).copied().collect()
        };
        let pieces: Vec<&[usize]> = order.chunks(ROWS).collect();
        self.first(&pieces, |rows| rows.iter().copied().find(|row| self.has(*row)))
    }

    /// The first answer that is one, in the order of the pieces.
    fn first<P: Sync, A: Send>(&self, pieces: &[P], look: impl Fn(&P) -> Option<A> + Sync) -> Option<A> {
        let mut found = None;
        let work = || |piece: &P| if (self.is_wanted)() { Ok(look(piece)) } else { Err(()) };
        let _ended = in_order(pieces, work, |answer| {
            found = answer?;
            if found.is_some() { Err(()) } else { Ok(()) }
        });
        found
    }

    /// Where the first, or the last, match of a window begins.
    fn hit(&self, window: &Window, is_forward: bool) -> Option<u64> {
        let text = self.places.source.bytes.read(window.span).ok()?;
        let new_bytes = usize::try_from(window.new_bytes).unwrap_or(usize::MAX);
        let hit = if is_forward {
            self.pattern.find_raw(&text, 0).filter(|hit| *hit < new_bytes)
        } else {
            self.pattern.find_raw_last(&text, new_bytes)
        };
        hit.map(|hit| window.span.offset + hit as u64)
    }

    fn has(&self, row: usize) -> bool {
        let has = |span: &Span| windows(span.offset, span.end()).any(|window| self.hit(&window, true).is_some());
        self.places.spans(row).iter().any(has)
    }

    /// Counts the rows with a hit.
    fn count(&self, within: Option<&[StepNo]>, report: &mut dyn FnMut(Hits)) {
        let known = self.places.count();
        let mut rows: Vec<u32> = Vec::new();
        let mut last_report = Instant::now();
        let mut take = |found: Option<Vec<u32>>| {
            let found = found.ok_or(())?;
            let known_already = usize::from(rows.last().is_some_and(|last| found.first() == Some(last)));
            rows.extend(&found[known_already..]);
            if last_report.elapsed() > PROGRESS {
                last_report = Instant::now();
                report(Hits { count: rows.len(), rows: None });
            }
            Ok::<(), ()>(())
        };
        let look = |rows: &[StepNo]| {
            let numbers = rows.iter().filter_map(|step| u32::try_from(*step).ok());
            numbers.filter(|row| self.has(*row as usize)).collect::<Vec<_>>()
        };
        let ended = match within {
            Some(steps) => {
                let pieces: Vec<&[StepNo]> = steps.chunks(ROWS).collect();
                in_order(&pieces, || self.while_wanted(|piece: &&[StepNo]| look(piece)), &mut take)
            }
            None => {
                let all = self.places.range().unwrap_or_default();
                let pieces: Vec<Window> = windows(all.offset, all.end()).collect();
                in_order(&pieces, || self.while_wanted(|window: &Window| self.rows(window)), &mut take)
            }
        };
        if ended.is_ok() {
            report(Hits { count: rows.len(), rows: Some((known, Arc::from(rows))) });
        }
    }

    /// A look at a piece; None where it is no longer wanted.
    fn while_wanted<P, A>(&self, look: impl Fn(&P) -> A) -> impl Fn(&P) -> Option<A> {
        move |piece| (self.is_wanted)().then(|| look(piece))
    }

    /// The rows in which matches of a window begin.
    fn rows(&self, window: &Window) -> Vec<u32> {
        let Ok(text) = self.places.source.bytes.read(window.span) else { return Vec::new() };
        let (start, mut from, mut rows) = (window.span.offset, 0, Vec::new());
        while from < text.len()
            && let Some(hit) = self.pattern.find_raw(&text, from).filter(|hit| (*hit as u64) < window.new_bytes)
            && let Some(row) = self.places.at(start + hit as u64)
        {
            rows.extend(u32::try_from(row));
            let next = self.places.span(row + 1).map_or(u64::MAX, |span| span.offset);
            from = usize::try_from(next.saturating_sub(start)).unwrap_or(usize::MAX).max(hit + 1);
        }
        rows
    }
}

/// The rows that a search goes over: steps of a run, or records.
struct Places<'s> {
    source: &'s Source,
    from: usize,
    is_steps: bool,
}

impl<'s> Places<'s> {
    fn of(source: &'s Source, from: SearchPosition) -> Option<Self> {
        let (from, is_steps) = match from {
            SearchPosition::Step(step) => (usize::try_from(step).ok()?, true),
            SearchPosition::Record(record) => (record, false),
            SearchPosition::Entry(..) => return None,
        };
        Some(Self { source, from, is_steps })
    }

    fn count(&self) -> usize {
        match &self.source.run {
            Some(run) if self.is_steps => run.read().unwrap_or_else(PoisonError::into_inner).step_count(),
            _ => self.source.records.count(),
        }
    }

    fn span(&self, row: usize) -> Option<Span> {
        if !self.is_steps {
            return self.source.records.get(row).map(|r| r.place.span);
        }
        let run = self.source.run.as_ref()?.read().unwrap_or_else(PoisonError::into_inner);
        run.place(StepNo::try_from(row).ok()?).map(|p| p.place.span)
    }

    /// All values of a row.
    fn spans(&self, row: usize) -> Vec<Span> {
        match &self.source.run {
            Some(run) if self.is_steps => {
                run.read().unwrap_or_else(PoisonError::into_inner).spans(StepNo::try_from(row).unwrap_or(StepNo::MAX))
            }
            _ => self.span(row).into_iter().collect(),
        }
    }

    /// Whether there is more between the rows than what belongs to them: they are parts of one document, or in another
    /// order than the input.
    fn are_scattered(&self) -> bool {
        let is_one = self.source.format.layout() == Layout::Set || self.source.records.count() <= 1;
        self.is_steps && (is_one || !self.are_sorted())
    }

    /// Whether rows come in the order of the input; of very many some are looked at.
    fn are_sorted(&self) -> bool {
        let count = self.count();
        let start = |row: usize| self.span(row).map_or(0, |span| span.offset);
        (1..count).step_by((count / ORDER_MAX).max(1)).all(|row| start(row - 1) <= start(row))
    }

    fn range(&self) -> Option<Span> {
        let first = self.span(0)?.offset;
        let end = self.source.records.get(self.source.records.count().checked_sub(1)?)?.place.span.end();
        Some(Span { offset: first, len: end.saturating_sub(first) })
    }

    /// The row that holds a byte: the last that begins at or before it.
    fn at(&self, byte: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.span(middle).is_some_and(|s| s.offset <= byte) { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1)
    }

    fn position_of(&self, row: usize) -> Option<SearchPosition> {
        Some(if self.is_steps {
            SearchPosition::Step(StepNo::try_from(row).ok()?)
        } else {
            SearchPosition::Record(row)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;
    use crate::shell::headless::CompleteRecords;
    use crate::source::{Input, index_all};

    /// Records of 4 KiB, some of which have a hit: at both ends of windows, and across them.
    fn input(hits: &[usize]) -> Source {
        let line = |number: usize| {
            let text = if hits.contains(&number) { "needle".repeat(600) } else { "straw-".repeat(600) };
            format!("{{\"n\":{number:03},\"text\":\"{text}{}\"}}\n", "-".repeat(474))
        };
        let input = Input::memory("x", (0..800).map(line).collect::<String>());
        let format = format::by_name("generic").unwrap();
        let records = Arc::new(CompleteRecords(index_all(&input, format.framing()).unwrap()));
        Source::of_records(input, records, format)
    }

    fn answers(source: &Source, typed: &str, from: usize, is_forward: bool, is_wanted: bool) -> Vec<Msg> {
        let pattern = Pattern::new(typed).unwrap();
        let wanted = SearchRequest {
            number: 1,
            pattern: &pattern,
            from: SearchPosition::Record(from),
            within: None,
            is_forward,
        };
        let mut answers = Vec::new();
        find(source, &wanted, &|| is_wanted, &mut |msg| answers.push(msg));
        answers
    }

    #[test]
    fn the_next_hit_is_found_both_ways_and_all_are_counted() {
        let hits = [3, 255, 256, 257, 511, 512, 799];
        let source = input(&hits);
        assert!(source.bytes.read(Span { offset: 3 << 20, len: 1 }).is_ok(), "there are four windows");
        for from in [0, 255, 256, 300, 512, 799] {
            for is_forward in [true, false] {
                let answers = answers(&source, "needle", from, is_forward, true);
                let next = if is_forward {
                    hits.iter().find(|hit| **hit > from).or(hits.first())
                } else {
                    hits.iter().rev().find(|hit| **hit < from).or(hits.last())
                };
                let Some(Msg::SearchResult(1, found)) = answers.first() else { panic!("{answers:?}") };
                assert_eq!(*found, next.copied().map(SearchPosition::Record), "from {from}, forward {is_forward}");
                let Some(Msg::Hits(1, Hits { count: 7, rows: Some((800, rows)) })) = answers.last() else {
                    panic!("{answers:?}")
                };
                assert!(rows.iter().map(|row| *row as usize).eq(hits));
            }
        }
    }

    #[test]
    fn a_search_that_finds_nothing_or_is_given_up_counts_nothing() {
        let source = input(&[5]);
        assert!(matches!(answers(&source, "nowhere", 0, true, true)[..], [Msg::SearchResult(1, None)]));
        assert!(matches!(answers(&source, "needle", 0, true, false)[..], [Msg::SearchResult(1, None)]));
    }
}
