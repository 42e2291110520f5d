//! Search in the focused pane.

use super::msg::Hits;
use super::pane::{RevealTarget, Searched};
use super::search_typed::Begun;
use super::{App, Effect, Effects, Job, Layer, Notice, SearchPosition};
use crate::model::StepNo;
use crate::panes::Nth;
use crate::review::Filter;
use crate::text::{Pattern, count_of, count_text};
use std::sync::Arc;

/// The last search, and the one that a job runs.
#[derive(Debug, Default)]
pub struct Search {
    /// What is searched for.
    pub pattern: Option<Pattern>,
    /// Number of the job whose answers are awaited: where, then how many.
    pub awaited: Option<u64>,
    number: u64,
    is_forward: bool,
    /// What the job searches, and the rows in which it found something, when all are known.
    ground: Option<Ground>,
    hits: Option<Arc<[u32]>>,
    /// The row that was found last, and whether the footer speaks of it.
    at: Option<SearchPosition>,
    pub(super) is_reported: bool,
    /// Where the prompt was opened, while a search is typed.
    pub(super) begun: Option<Begun>,
}

/// What was searched: only of that the rows with hits are known.
#[derive(Debug, PartialEq)]
struct Ground {
    typed: String,
    is_steps: bool,
    /// Generation of the run, and content of the input.
    content: (u64, u64),
    rows: usize,
    /// The filter of the steps, and how many it lists.
    listed: Option<(Filter, usize)>,
}

impl App {
    /// Takes the pattern that was typed and goes to the first hit from here.
    pub(super) fn submit_search(&mut self, effects: &mut Effects) {
        let Some(Layer::Search(prompt)) = self.layer.take() else { return };
        let typed = prompt.text().to_owned();
        if self.search.awaited.is_some() && self.search.pattern.as_ref().is_some_and(|p| p.typed() == typed) {
            // The job that began with the last letter goes on.
            self.search.begun = None;
            self.search.is_reported = true;
            self.notify(format!("searching for {typed} · {}", self.hint("{cancel} stops")));
            return;
        }
        self.return_to_begin();
        self.search.begun = None;
        if typed.is_empty() {
            self.search.pattern = None;
            return;
        }
        match Pattern::new(&typed) {
            Some(pattern) => self.search.pattern = Some(pattern),
            None => {
                self.notice = Some(Notice { is_error: true, text: "the pattern is too large".to_owned() });
                return;
            }
        }
        self.search_on(true, effects);
    }

    /// Goes to the next or previous hit in the focused pane.
    pub(super) fn search_on(&mut self, is_forward: bool, effects: &mut Effects) {
        let Some(pattern) = self.search.pattern.clone() else {
            self.notify(self.hint("nothing was searched for yet; {search} searches in this pane"));
            return;
        };
        let found = match self.front().search(self, &pattern, is_forward) {
            Searched::Here(found) => found,
            Searched::InPart(place) => return self.notify(format!("{} · in {place}", pattern.typed())),
            Searched::Outside(from) => return self.find_outside(pattern, from, is_forward, effects),
            Searched::Nothing => return,
        };
        // Rows that do not scroll have no cursor: that something is there can only be said.
        let is_above = self.head_rows().iter().any(|row| pattern.is_match(&row.plain()));
        let (typed, pane) = (pattern.typed(), super::view::name(self, self.pane));
        self.notify(match found {
            Some(Nth { at, of }) if is_above => format!("{typed} · {} of {of} in {pane}, and above them", at + 1),
            Some(Nth { at, of }) => format!("{typed} · {} of {of} in {pane}", at + 1),
            None if is_above => format!("{typed} is at the top of {pane}, and nowhere below"),
            None => format!("no {typed} in {pane}"),
        });
    }

    fn find_outside(&mut self, pattern: Pattern, from: SearchPosition, is_forward: bool, effects: &mut Effects) {
        if self.go_to_known(from, is_forward) {
            return;
        }
        self.search.number += 1;
        self.search.awaited = Some(self.search.number);
        self.search.hits = None;
        self.search.ground = self.search_ground(from);
        self.search.is_forward = is_forward;
        self.notify(format!("searching for {} · {}", pattern.typed(), self.hint("{cancel} stops")));
        let within = self.searched_steps(from);
        effects.push(Effect::Job(Job::Find {
            number: self.search.number,
            pattern: Box::new(pattern),
            from,
            within,
            is_forward,
        }));
    }

    /// The steps that are listed, where not all are.
    fn searched_steps(&self, from: SearchPosition) -> Option<Arc<[StepNo]>> {
        let is_sifted = matches!(from, SearchPosition::Step(_)) && !self.step_filter.filter.is_empty();
        is_sifted.then(|| Arc::from(self.step_filter.shown()))
    }

    fn search_ground(&self, from: SearchPosition) -> Option<Ground> {
        let typed = self.search.pattern.as_ref()?.typed().to_owned();
        let (is_steps, rows) = match from {
            SearchPosition::Step(_) => (true, self.session.open()?.count()),
            SearchPosition::Record(_) => (false, self.session.records.count()),
            SearchPosition::Entry(..) => return None,
        };
        let listed = (is_steps && !self.step_filter.filter.is_empty())
            .then(|| (self.step_filter.filter.clone(), self.step_filter.shown().len()));
        let content = (self.session.generation, self.scanned_content());
        Some(Ground { typed, is_steps, content, rows, listed })
    }

    /// Goes to the next of the rows that were counted, if they are those that are asked for now.
    fn go_to_known(&mut self, from: SearchPosition, is_forward: bool) -> bool {
        let ground = self.search_ground(from);
        let Some(hits) = self.search.hits.clone().filter(|hits| ground == self.search.ground && !hits.is_empty())
        else {
            return false;
        };
        let from = row_of(from);
        let at = if is_forward {
            hits.partition_point(|row| *row <= from) % hits.len()
        } else {
            (hits.partition_point(|row| *row < from) + hits.len() - 1) % hits.len()
        };
        self.go_to_row(if ground.is_some_and(|ground| ground.is_steps) {
            SearchPosition::Step(StepNo::try_from(hits[at]).unwrap_or(StepNo::MAX))
        } else {
            SearchPosition::Record(hits[at] as usize)
        });
        true
    }

    /// Takes the answer of a search job.
    pub(super) fn take_search_result(&mut self, number: u64, at: Option<SearchPosition>) {
        if self.search.awaited != Some(number) {
            return;
        }
        let typed = self.search.pattern.as_ref().map_or("", |p| p.typed()).to_owned();
        match at {
            Some(at) => self.go_to_row(at),
            None => {
                self.search.awaited = None;
                self.notify(match &self.search.ground {
                    // Of a context the part that is laid out was searched before.
                    None => format!("nothing else matches {typed}"),
                    Some(Ground { listed: Some(_), .. }) => {
                        format!("no step that is listed matches {typed}; {}", self.hint("{filter} changes the filter"))
                    }
                    Some(Ground { is_steps: true, .. }) => format!("no step matches {typed}"),
                    Some(_) => format!("no record matches {typed}"),
                });
            }
        }
    }

    fn go_to_row(&mut self, at: SearchPosition) {
        self.notice = None;
        self.search.at = Some(at);
        match at {
            SearchPosition::Step(step) => {
                self.jump_to(step);
                if let Some(pattern) = self.search.pattern.clone() {
                    self.want(RevealTarget::Hit(pattern));
                }
            }
            SearchPosition::Entry(of, entry) => {
                self.search.awaited = None;
                if let Some(place) = self.go_to_view_entry(of, entry, self.search.is_forward) {
                    let typed = self.search.pattern.as_ref().map_or("", |pattern| pattern.typed());
                    self.notify(format!("{typed} · in {place}"));
                }
                return;
            }
            SearchPosition::Record(record) if self.table.show(record) => {}
            SearchPosition::Record(record) => {
                let clears = self.hint("{cancel} clears it");
                self.notify(format!("the next one is in record {record}, which the filter hides; {clears}"));
                return;
            }
        }
        self.search.is_reported = true;
        self.notify_hits(None);
    }

    /// Takes how many rows have hits.
    pub(super) fn counted(&mut self, number: u64, hits: Hits) {
        if self.search.awaited != Some(number) {
            return;
        }
        if let Some((known, rows)) = hits.rows {
            self.search.awaited = None;
            // Of what came or went meanwhile nothing is known.
            let is_known = self.search.ground.as_ref().is_some_and(|ground| ground.rows == known);
            self.search.hits = is_known.then_some(rows);
        }
        self.notify_hits(Some(hits.count));
    }

    /// Reports which hit this is, of how many, until the next key.
    fn notify_hits(&mut self, counted: Option<usize>) {
        let (Some(pattern), Some(at)) = (&self.search.pattern, self.search.at) else { return };
        if !self.search.is_reported {
            return;
        }
        let row = if matches!(at, SearchPosition::Step(_)) { "step" } else { "record" };
        let typed = pattern.typed();
        let text = match (&self.search.hits, counted) {
            (Some(hits), _) => {
                let before = hits.partition_point(|row| *row <= row_of(at));
                format!("{typed} · {} of {}", count_text(before), count_of(hits.len(), row))
            }
            (None, Some(count)) => {
                format!("{typed} · in {}+ {row}s · {}", count.max(1), self.hint("{cancel} stops counting"))
            }
            (None, None) => return,
        };
        self.notify(text);
    }
}

fn row_of(at: SearchPosition) -> u32 {
    let row = match at {
        SearchPosition::Step(step) => u32::try_from(step).ok(),
        SearchPosition::Record(row) | SearchPosition::Entry(_, row) => u32::try_from(row).ok(),
    };
    row.unwrap_or(u32::MAX)
}
