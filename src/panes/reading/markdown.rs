//! Markdown as lines: headings, lists, tables, quotes, code, emphasis. Line breaks of the text stay; what Markdown
//! would drop (reference definitions, underscores around words) is shown.

use super::builder::{Builder, without_cr};
use super::line::{CODE_TABS, Lead, ReadingItem, ReadingLine, untabbed};
use super::table::{Table, TableShape};
use crate::text::Role;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use std::sync::Arc;

/// Longest text that is read as Markdown, in bytes.
const MARKDOWN_BYTES_MAX: usize = 256 << 10;
/// Most quotes and lists within each other that are distinguished by what precedes their lines.
const DEPTH_MAX: usize = 8;

/// Puts a text as Markdown; `role` is that of its ordinary words.
pub(super) fn put(out: &mut Builder, text: &str, role: Role) {
    if text.len() > MARKDOWN_BYTES_MAX {
        return out.plain(role, text, CODE_TABS);
    }
    let (text, has_crlf) = without_cr(text);
    out.reading.has_crlf |= has_crlf;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut parser = Parser::new_ext(&text, options).into_offset_iter();
    let mut definitions: Vec<Range<usize>> =
        parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone()).collect();
    definitions.sort_by_key(|span| span.start);
    let outer = out.leads.len();
    let mut writer = Writer::new(out, &text, role);
    for (event, range) in parser.by_ref() {
        writer.event(event, &range);
    }
    writer.flush();
    for span in definitions {
        writer.between();
        writer.spans.push((Role::Dim, text[span].trim_end().replace('\n', " ")));
        writer.flush();
    }
    out.leads.truncate(outer);
}

/// A quote or an item of a list that is open.
enum Container {
    Quote,
    /// The number of the next item, if they are numbered.
    List(Option<u64>),
    /// Whether its sign was put.
    Item {
        sign: String,
        is_put: bool,
    },
}

/// A table that is being read.
#[derive(Default)]
struct Cells {
    rows: Vec<Vec<Vec<(Role, String)>>>,
    row: Vec<Vec<(Role, String)>>,
    is_right: Vec<bool>,
}

struct Writer<'b, 't> {
    out: &'b mut Builder,
    text: &'t str,
    /// The role of ordinary words.
    role: Role,
    containers: Vec<Container>,
    /// Roles of the words around which something is, the innermost last.
    inline: Vec<Role>,
    links: Vec<String>,
    spans: Vec<(Role, String)>,
    /// Language and text of code that is being read.
    code: Option<(String, String)>,
    table: Option<Cells>,
    /// Whether anything was put: nothing is above the first.
    has_any: bool,
    /// Whether a quote has begun, and nothing is in it yet.
    is_quote_empty: bool,
}

impl<'b, 't> Writer<'b, 't> {
    fn new(out: &'b mut Builder, text: &'t str, role: Role) -> Self {
        let (containers, inline, links, spans) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (code, table) = (None, None);
        let (has_any, is_quote_empty) = (false, false);
        Self { out, text, role, containers, inline, links, spans, code, table, has_any, is_quote_empty }
    }

    fn event(&mut self, event: Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.words(&text),
            Event::Code(code) => self.spans.push((Role::CodeString, untabbed(&code, CODE_TABS))),
            Event::Html(html) => self.html(&html),
            Event::InlineHtml(html) => self.words(&html),
            Event::InlineMath(math) | Event::DisplayMath(math) | Event::FootnoteReference(math) => self.words(&math),
            Event::SoftBreak | Event::HardBreak => match self.table {
                Some(_) => self.words(" "),
                None => self.flush(),
            },
            Event::Rule => {
                self.between();
                let leads = self.leads();
                self.out.push(ReadingItem::Rule(leads));
            }
            Event::TaskListMarker(is_done) => self.words(if is_done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Paragraph => self.between(),
            Tag::Heading { level, .. } => {
                self.flush();
                self.between();
                let role = if level <= HeadingLevel::H2 { Role::Title } else { Role::Strong };
                self.inline.push(role);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.between();
                self.containers.push(Container::Quote);
                self.is_quote_empty = true;
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.between();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::HtmlBlock => self.between(),
            Tag::List(first) => {
                self.flush();
                if !self.is_in_item() {
                    self.between();
                }
                self.containers.push(Container::List(first));
            }
            Tag::Item => {
                self.flush();
                let sign = match self.containers.last_mut() {
                    Some(Container::List(Some(number))) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.containers.push(Container::Item { sign, is_put: false });
            }
            Tag::Table(alignments) => {
                self.flush();
                self.between();
                let is_right = alignments.iter().map(|alignment| *alignment == Alignment::Right).collect();
                self.table = Some(Cells { is_right, ..Cells::default() });
            }
            Tag::TableHead => self.inline.push(Role::Strong),
            Tag::Emphasis => self.delimited(range, Role::Emphasis),
            Tag::Strong => self.delimited(range, Role::Strong),
            Tag::Strikethrough => self.inline.push(Role::Old),
            Tag::Link { dest_url, .. } => {
                self.links.push(dest_url.into_string());
                self.inline.push(Role::Reference);
            }
            Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.into_string());
                self.inline.push(Role::Reference);
                self.words("▣ ");
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.inline.pop();
                self.flush();
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) => {
                self.flush();
                self.containers.pop();
            }
            TagEnd::Item => {
                // An item without a text has its sign still.
                if matches!(self.containers.last(), Some(Container::Item { is_put: false, .. })) {
                    self.put_line();
                }
                self.flush();
                self.containers.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead => {
                self.inline.pop();
                self.end_row();
            }
            TagEnd::TableRow => self.end_row(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(table) = &mut self.table {
                    table.row.push(cell);
                }
            }
            TagEnd::Emphasis => self.end_delimited(range, "_"),
            TagEnd::Strong => self.end_delimited(range, "__"),
            TagEnd::Strikethrough => {
                self.inline.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.inline.pop();
                let url = self.links.pop().unwrap_or_default();
                let is_shown_in_text = self.spans.last().is_some_and(|(_, text)| is_address(text, &url));
                if !is_shown_in_text && !url.is_empty() {
                    self.spans.push((Role::Dim, format!(" ({url})")));
                }
            }
            _ => {}
        }
    }

    /// Underscores are mostly part of a name: they stay.
    fn delimited(&mut self, range: &Range<usize>, role: Role) {
        let source = self.text.get(range.clone()).unwrap_or_default();
        self.inline.push(role);
        if source.starts_with('_') {
            self.words(if role == Role::Strong { "__" } else { "_" });
        }
    }

    fn end_delimited(&mut self, range: &Range<usize>, sign: &str) {
        if self.text.get(range.clone()).unwrap_or_default().starts_with('_') {
            self.words(sign);
        }
        self.inline.pop();
    }

    fn words(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            return code.push_str(text);
        }
        let role = self.inline.last().copied().unwrap_or(self.role);
        match self.spans.last_mut() {
            Some((last, words)) if *last == role => words.push_str(text),
            _ => self.spans.push((role, text.to_owned())),
        }
    }

    /// HTML is as it is written.
    fn html(&mut self, html: &str) {
        for line in html.strip_suffix('\n').unwrap_or(html).split('\n') {
            self.words(line);
            self.flush();
        }
    }

    fn is_in_item(&self) -> bool {
        matches!(self.containers.last(), Some(Container::Item { .. }))
    }

    /// A blank line between two things, but not after the sign of an item.
    fn between(&mut self) {
        self.flush();
        let is_item_empty = matches!(self.containers.last(), Some(Container::Item { is_put: false, .. }));
        let is_first = std::mem::take(&mut self.is_quote_empty) || is_item_empty;
        if self.has_any && !is_first {
            let leads = self.leads();
            let leads = self.out.leads.iter().cloned().chain(leads.into_iter().filter(|lead| lead.repeats)).collect();
            self.out.push(ReadingItem::Line(ReadingLine { leads, ..ReadingLine::default() }));
        }
        self.has_any = true;
    }

    /// What precedes the next line; signs of items are put once.
    fn leads(&mut self) -> Vec<Lead> {
        let mut leads = Vec::new();
        for container in self.containers.iter_mut().take(DEPTH_MAX * 2) {
            match container {
                Container::Quote => leads.push(Lead::each(Role::Border, "▏ ")),
                Container::Item { sign, is_put } => {
                    let blanks = " ".repeat(sign.chars().count());
                    let text = if std::mem::replace(is_put, true) { blanks } else { sign.clone() };
                    leads.push(Lead::once(Role::Punct, text));
                }
                Container::List(_) => {}
            }
        }
        leads
    }

    /// Ends the line that is being read.
    fn flush(&mut self) {
        if !self.spans.is_empty() {
            self.put_line();
        }
    }

    fn put_line(&mut self) {
        (self.has_any, self.is_quote_empty) = (true, false);
        let leads = self.leads();
        let tabs = |(role, text): (Role, String)| (role, untabbed(&text, CODE_TABS));
        let spans = std::mem::take(&mut self.spans).into_iter().map(tabs).collect();
        self.out.line(ReadingLine { leads, spans, ..ReadingLine::default() });
    }

    fn end_code(&mut self) {
        let Some((language, text)) = self.code.take() else { return };
        let mut leads = self.leads();
        leads.push(Lead::each(Role::Border, "  "));
        let outer = self.out.leads.len();
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let lines = text.split('\n').map(|line| (None, untabbed(line, CODE_TABS))).collect();
        self.out.leads.extend(leads.into_iter().map(|lead| Lead { repeats: true, ..lead }));
        self.out.code(&language, lines);
        self.out.leads.truncate(outer);
    }

    fn end_row(&mut self) {
        if let Some(table) = &mut self.table {
            let row = std::mem::take(&mut table.row);
            table.rows.push(row);
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let shape = Arc::new(TableShape::of(&table.rows, table.is_right));
        for (number, cells) in table.rows.into_iter().enumerate() {
            let leads = self.leads();
            let leads = self.out.leads.iter().cloned().chain(leads).collect();
            let row = Table { leads, cells, shape: Arc::clone(&shape), is_head: number == 0 };
            self.out.push(ReadingItem::Table(row));
        }
    }
}

/// Whether the words of a link are its address, so that it is read there: whole, or but for what it begins with.
fn is_address(words: &str, url: &str) -> bool {
    let bare = |text: &str| {
        let rest = ["https://", "http://", "mailto:"].iter().find_map(|begin| text.strip_prefix(begin));
        rest.unwrap_or(text).trim_end_matches('/').to_owned()
    };
    bare(words) == bare(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panes::reading::layout;

    fn shown(text: &str, cells: usize) -> Vec<String> {
        let mut out = Builder::default();
        put(&mut out, text, Role::Text);
        let rows = out.reading.items.iter().flat_map(|item| layout::rows(item, cells, None));
        rows.map(|row| row.plain().trim_end().to_owned()).collect()
    }

    #[test]
    fn a_link_shows_its_address_unless_its_words_are_the_address() {
        let trap = shown("[bank.org](https://evil.org/bank.org) [docs](https://x.org/docs)", 90);
        assert_eq!(trap, ["bank.org (https://evil.org/bank.org) docs (https://x.org/docs)"]);
        let plain = shown("[x.org](https://x.org/) <https://x.org/a> [ann@x.org](mailto:ann@x.org)", 90);
        assert_eq!(plain, ["x.org https://x.org/a ann@x.org"]);
    }

    #[test]
    fn blocks_are_laid_out() {
        let text = concat!(
            "# Plan\nSome *words* and `code`,\nand __init__.\n\n- one\n- two\n  - deeper\n\n1. first\n2. [ ] x\n\n",
            "> said\n> so\n\n```py\nif x:\n\ty()\n```\n***\n[a](http://x) <b>"
        );
        let expected = [
            "Plan",
            "",
            "Some words and code,",
            "and __init__.",
            "",
            "• one",
            "• two",
            "  • deeper",
            "",
            "1. first",
            "2. ☐ x",
            "",
            "▏ said",
            "▏ so",
            "",
            "  if x:",
            "      y()",
            "",
            "────────────────────────────────────────",
            "",
            "a (http://x) <b>",
        ];
        assert_eq!(shown(text, 40), expected);
    }

    #[test]
    fn nothing_of_a_text_is_lost() {
        let shown = |text: &str| shown(text, 60).join("\n");
        assert!(shown("see [x]\n\n[x]: http://a.b \"t\"").contains("[x]: http://a.b"));
        assert_eq!(shown("<file>\nx < y & z\n</file>"), "<file>\nx < y & z\n</file>");
        assert_eq!(shown("- \n- b"), "•\n• b");
        assert!(shown("| a | b |\n|---|--:|\n| 1 | 2 |").contains("1 │ 2"));
    }
}
