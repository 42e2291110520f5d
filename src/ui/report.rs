//! A report as one HTML page: no script, no font, no picture, nothing from elsewhere. Dark and light by what the reader
//! prefers. A long run is cut in the middle, and the page says what it leaves out.

use super::code;
use super::html;
use super::theme::Theme;
use crate::panes::message::{CodeLine, CodeRequest};
use crate::panes::report::{Card, Colouring, Report, ReportEntry};
use crate::text::{count_of, size_text};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Most bytes of steps on a page, half for the first ones and half for the last ones.
pub const STEPS_BYTES_MAX: usize = 5 << 20;
/// Most bytes of states on a page, likewise.
pub const STATES_BYTES_MAX: usize = 3 << 20;
/// Most bytes of files on a page.
pub const FILES_BYTES_MAX: usize = 2 << 20;
/// Most findings on a page.
pub const FINDINGS_MAX: usize = 500;

/// Most lines of a code block that are coloured.
const CODE_LINES_MAX: usize = 2_000;

const STYLE: &str = include_str!("report.css");

/// What the page says of its making.
#[derive(Debug, Clone, Copy)]
pub struct ReportInfo<'m> {
    /// Version of the program.
    pub version: &'m str,
    /// How many secrets were replaced; None: none were looked for.
    pub redacted: Option<usize>,
}

/// Colours code by its syntax.
#[derive(Debug)]
pub struct Syntaxes;

impl Colouring for Syntaxes {
    fn code(&self, request: &CodeRequest) -> Vec<CodeLine> {
        let language = code::guess(&request.key, &request.text, request.language.as_deref());
        language.map(|language| code::highlight(language, &request.text, CODE_LINES_MAX)).unwrap_or_default()
    }

    fn lines(&self, language: &str, text: &str, count: usize) -> Vec<CodeLine> {
        code::highlight(language, text, count)
    }
}

/// The page.
#[must_use]
pub fn page(report: &mut Report<'_>, making: ReportInfo<'_>) -> String {
    let steps = steps(report);
    let shown = |step: i32| steps.anchors.contains(&step);
    let mut main = String::new();
    put_findings(report, &shown, &mut main);
    put_state(report, &shown, &mut main);
    put_files(report, &shown, &mut main);
    put_heading("steps", "Steps", &count_of(steps.all, "step"), &mut main);
    main.push_str(&steps.html);
    let mut out = head(report);
    out.push_str("<div class=page>\n<nav>\n");
    put_nav(report, &steps, &main, &mut out);
    out.push_str("</nav>\n<main>\n");
    out.push_str(&main);
    let _ = write!(out, "</main>\n</div>\n<footer>{}</footer>\n</body>\n</html>\n", ending(making));
    out
}

fn head(report: &Report<'_>) -> String {
    let name = html::text(&report.session().name);
    let of = |name: &str, css: fn(&Theme) -> String| Theme::built_in(name).as_ref().map(css).unwrap_or_default();
    let edge = "--edge:color-mix(in srgb,var(--line) 38%,var(--ground));";
    let mut out = format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri \
         'none'; form-action 'none'\">\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=referrer content=no-referrer>\n<title>{name} · obelus</title>\n<style>\n\
         :root{{{}{edge}}}\n{}@media (prefers-color-scheme:dark){{\n:root{{{}}}\n{}}}\n\
         {STYLE}</style>\n</head>\n<body>\n",
        of("light", html::palette),
        of("light", html::role_styles),
        of("dark", html::palette),
        of("dark", html::role_styles),
    );
    let _ = write!(out, "<header>\n<h1>{name}</h1>\n<p>");
    html::pieces(&report.facts(), &|_| false, &mut out);
    out.push_str("</p>\n");
    put_command(&report.command_at(report.last()), &mut out);
    out.push_str("</header>\n");
    out
}

fn put_command(command: &str, out: &mut String) {
    let _ = writeln!(out, "<span class=cmd><code>{}</code></span>", html::text(command));
}

fn put_heading(id: &str, title: &str, remark: &str, out: &mut String) {
    let _ = writeln!(out, "<h2 id={id}>{title} <small>{}</small></h2>", html::text(remark));
}

fn put_note(words: &str, command: &str, out: &mut String) {
    let _ = writeln!(out, "<div class=note>{}", html::text(words));
    put_command(command, out);
    out.push_str("</div>\n");
}

/// The steps of a page.
struct Steps {
    html: String,
    /// How many steps the run has.
    all: usize,
    /// Those that have a card.
    cards: Vec<i32>,
    /// Those that have a place on the page: cards, and the results in them.
    anchors: BTreeSet<i32>,
}

/// Bytes that are left for the steps of one end of the run.
struct Room {
    steps: usize,
    states: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { steps: STEPS_BYTES_MAX / 2, states: STATES_BYTES_MAX / 2 }
    }
}

fn steps(report: &mut Report<'_>) -> Steps {
    let all = report.steps();
    // Which steps there is room for, is known once they are made: then, if some are left out, they are made again.
    let every: BTreeSet<i32> = (0..=report.last()).collect();
    let (first, from_end) = ends(report, &all, &every);
    let is_whole = first.len() + from_end.len() == all.len();
    let anchors: BTreeSet<i32> = if is_whole {
        every
    } else {
        first.iter().chain(&from_end).flat_map(|card| card.steps.iter().copied()).collect()
    };
    let (first, from_end) = if is_whole { (first, from_end) } else { ends(report, &all, &anchors) };
    let mut html: String = first.iter().map(|card| card.html.as_str()).collect();
    if let Some((from, to)) = left_out(&all, first.len(), from_end.len()) {
        let size = size_text(STEPS_BYTES_MAX as u64);
        let words = format!("Steps @{from} to @{to} are left out: a page has at most {size} of steps.");
        put_note(&words, &report.command_at(from), &mut html);
    }
    from_end.iter().rev().for_each(|card| html.push_str(&card.html));
    let cards = first.iter().chain(from_end.iter().rev()).filter_map(|card| card.steps.first().copied()).collect();
    Steps { html, all: usize::try_from(report.last() + 1).unwrap_or(0), cards, anchors }
}

/// The first and the last step of those that are neither among the first `first` nor among the last `from_end`.
fn left_out(all: &[i32], first: usize, from_end: usize) -> Option<(i32, i32)> {
    let between = all.get(first..all.len() - from_end)?;
    Some((*between.first()?, *between.last()?))
}

/// A card as HTML.
struct CardHtml {
    steps: Vec<i32>,
    html: String,
}

/// Cards from the first step on, and from the last one back, as far as there is room.
fn ends(report: &mut Report<'_>, all: &[i32], anchors: &BTreeSet<i32>) -> (Vec<CardHtml>, Vec<CardHtml>) {
    let (mut room, mut first) = (Room::default(), Vec::new());
    for step in all {
        match card(report, *step, anchors, &mut room) {
            Some(card) => first.push(card),
            None => break,
        }
    }
    let (mut room, mut from_end) = (Room::default(), Vec::new());
    for step in all[first.len()..].iter().rev() {
        match card(report, *step, anchors, &mut room) {
            Some(card) => from_end.push(card),
            None => break,
        }
    }
    (first, from_end)
}

fn card(report: &mut Report<'_>, step: i32, anchors: &BTreeSet<i32>, room: &mut Room) -> Option<CardHtml> {
    let shown = |step: i32| anchors.contains(&step);
    let card = report.card(step);
    let mut html = String::new();
    let _ = writeln!(html, "<section class=\"card {}\" id=s{step}>", html::class(card.role));
    put_card(&card, &shown, &mut html);
    if let Some(changed) = card.changed.filter(|_| room.states > 0) {
        let mut rows = String::new();
        html::rows(&report.state(changed), &shown, &mut rows);
        if rows.len() <= room.states {
            room.states -= rows.len();
            let _ = writeln!(
                html,
                "<details><summary>state after @{changed}</summary><div class=rows>\n{rows}</div></details>"
            );
        } else {
            // The first that does not fit is the last that is made.
            room.states = 0;
        }
    }
    put_command(&card.command, &mut html);
    html.push_str("</section>\n");
    room.steps = room.steps.checked_sub(html.len())?;
    Some(CardHtml { steps: card.steps, html })
}

fn put_card(card: &Card, shown: &dyn Fn(i32) -> bool, out: &mut String) {
    out.push_str("<h3>");
    // The results that are shown below their call.
    for step in card.steps.iter().skip(1) {
        let _ = write!(out, "<a id=s{step}></a>");
    }
    html::row(&card.heading, shown, out);
    out.push_str("</h3>\n");
    for (class, rows) in [("body", &card.message), ("changes", &card.changes), ("found", &card.findings)] {
        if !rows.is_empty() {
            let _ = writeln!(out, "<div class={class}>");
            html::rows(rows, shown, out);
            out.push_str("</div>\n");
        }
    }
}

fn put_findings(report: &Report<'_>, shown: &dyn Fn(i32) -> bool, out: &mut String) {
    let first: Vec<ReportEntry> = (0..FINDINGS_MAX).map_while(|number| report.findings(number)).collect();
    if first.is_empty() {
        return;
    }
    let more = report.finding_count() - first.len();
    put_heading("findings", "Findings", &count_of(first.len() + more, "finding"), out);
    first.iter().for_each(|entry| put_entry(entry, shown, out));
    if more > 0 {
        let words = format!("{} left out.", count_of(more, "finding"));
        put_note(&words, &report.command_at(report.last()), out);
    }
}

fn put_entry(entry: &ReportEntry, shown: &dyn Fn(i32) -> bool, out: &mut String) {
    out.push_str("<details class=more><summary>");
    html::row(&entry.row, shown, out);
    out.push_str("</summary><div class=rows>\n");
    html::rows(&entry.rows, shown, out);
    put_command(&entry.command, out);
    out.push_str("</div></details>\n");
}

fn put_state(report: &mut Report<'_>, shown: &dyn Fn(i32) -> bool, out: &mut String) {
    let last = report.last();
    let rows = report.state(last);
    if rows.is_empty() {
        return;
    }
    let remark = format!("after @{last}; @N is the step that wrote the value");
    put_heading("state", "State", &remark, out);
    out.push_str("<div class=box>\n");
    html::rows(&rows, shown, out);
    out.push_str("</div>\n");
}

fn put_files(report: &mut Report<'_>, shown: &dyn Fn(i32) -> bool, out: &mut String) {
    let count = report.file_count();
    if count == 0 {
        return;
    }
    let remark =
        format!("{} as the agent knew them; @N is the step that wrote or showed the line", count_of(count, "file"));
    put_heading("files", "Files", &remark, out);
    let mut room = FILES_BYTES_MAX;
    for place in 0..count {
        let Some(entry) = report.file(place) else { continue };
        let mut html = String::new();
        put_entry(&entry, shown, &mut html);
        let Some(left) = room.checked_sub(html.len()) else {
            let words = format!("{} left out.", count_of(count - place, "file"));
            put_note(&words, &entry.command, out);
            return;
        };
        room = left;
        out.push_str(&html);
    }
}

/// The list of steps beside the page, and the headings above it.
fn put_nav(report: &Report<'_>, steps: &Steps, main: &str, out: &mut String) {
    out.push_str("<b>");
    for (id, title) in [("findings", "Findings"), ("state", "State"), ("files", "Files"), ("steps", "Steps")] {
        if main.contains(&format!("<h2 id={id}>")) {
            let _ = write!(out, "<a href=\"#{id}\">{title}</a>");
        }
    }
    out.push_str("</b>\n");
    let mut last = None;
    for step in &steps.cards {
        let _ = write!(out, "<a class=jump href=\"#s{step}\">");
        html::row(&report.outline_row(*step), &|_| false, out);
        out.push_str("</a>\n");
        last = Some(*step);
    }
    if last.is_none() {
        out.push_str("<p class=dim>No steps.</p>\n");
    }
}

fn ending(making: ReportInfo<'_>) -> String {
    let secrets = match making.redacted {
        None => "Secrets were not looked for (--redact replaces them).".to_owned(),
        Some(0) => "Secrets were looked for; none was found.".to_owned(),
        Some(count) => format!("{} replaced by [REDACTED:KIND].", count_of(count, "secret")),
    };
    format!(
        "Made by obelus {}. {secrets} Each command on the page opens its place in the terminal.",
        html::text(making.version)
    )
}
