//! Help and palette: the table of keys as a list that is filtered by typing.

mod fitting;
mod no_match;
mod paint;
mod sections;

use super::command_match::{Fit, named};
use super::keys::{Action, Context, KeyRow, Keymap};
use super::prompt::Prompt;
use super::signs::{self, Sign};
use crate::format::plan::ValueReader;
use crate::model::When;
use crate::panes::openables::Openable;
use crate::panes::{Hit, Piece, Row, Scroll, Window};
use crate::review::{Column, TaskField};
use crate::text::{Role, SafeText, pad, wrap};
use fitting::{columns, fields, filters, openables, readers};
pub use no_match::SHELL_COMMANDS;
use no_match::no_match;
use paint::{
    HELP_CELLS, column_row, filter_row, gesture_row, go_to_row, help_row, key_help, openable_row, reader_row, row,
};
use sections::sections;

/// Which list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MenuKind {
    #[default]
    /// The keys of this pane, the signs, then all other keys of this place by section.
    Help,
    /// All commands, best match first; a number goes to a step.
    Palette,
    /// The calls that read a value.
    Readers,
    /// The links and images of a step.
    Openables,
    /// The columns of the table.
    Columns,
    /// The chat templates.
    Templates,
    /// The fields that may name a task.
    Fields,
}

/// A row of the list.
#[derive(Debug, Clone, Copy)]
pub enum MenuItem {
    /// A heading.
    Section(&'static str),
    /// A key.
    Key(&'static KeyRow),
    /// What the mouse does, by the number of the gesture.
    Mouse(usize),
    /// What a sign means.
    Sign(&'static Sign),
    /// Go to a step.
    GoTo(crate::model::StepNo),
    /// Go to the step of a time.
    GoToTime(When),
    /// Go to the value of the path that was typed.
    GoToPath,
    /// A call that reads a value, by its number.
    Reader(usize),
    /// A link or an image, by its number.
    Openable(usize),
    /// A filter of the configuration, by its number.
    Filter(usize),
    /// A column of the table.
    Column(Column),
    /// A column that is not there yet.
    NewColumn,
    /// A chat template, by its number.
    Template(usize),
    /// A field that may name a task, by its number; after the last, what was typed.
    Field(usize),
}

/// The list over the panes.
#[derive(Debug, Default)]
pub struct Menu {
    /// Which.
    pub kind: MenuKind,
    /// What was typed.
    pub prompt: Prompt,
    /// Scroll and cursor, in items.
    pub scroll: Scroll,
    /// Whether the cursor was moved since something was typed: what it is on was chosen, however loosely it fits.
    is_moved: bool,
    items: Vec<MenuItem>,
    keymap: Keymap,
    /// What the mouse does, with the keys in force.
    gestures: Vec<(&'static str, String)>,
    /// The signs that were on the screen.
    shown_signs: Vec<&'static Sign>,
    /// The value whose readers are listed.
    of: String,
    readers: Vec<ValueReader>,
    openables: Vec<Openable>,
    /// The columns that are shown.
    columns: Vec<Column>,
    /// Custom columns, with their expressions.
    custom_columns: Vec<(Column, String)>,
    /// Name and text of the filters that are offered.
    filters: Vec<(String, String)>,
    /// Names of the chat templates, and which of them is used.
    templates: (Vec<String>, usize),
    /// Path and value of the fields that may name a task, and which does; the first stands for none of them.
    fields: Box<(Vec<(String, String)>, TaskField)>,
}

impl Menu {
    /// The list for a place.
    #[must_use]
    pub fn new(kind: MenuKind, keymap: Keymap, contexts: &[Context]) -> Self {
        let mut menu = Self { keymap, ..Self::empty(kind) };
        menu.refresh(contexts);
        menu
    }

    /// The help of a place, with the signs that are on the screen.
    #[must_use]
    pub fn help(keymap: Keymap, contexts: &[Context], shown_signs: Vec<&'static Sign>) -> Self {
        let gestures = keymap.gestures(contexts);
        let mut menu = Self { keymap, gestures, shown_signs, ..Self::empty(MenuKind::Help) };
        menu.refresh(contexts);
        menu
    }

    fn empty(kind: MenuKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// The list of the chat templates; the one that is used is ticked, and under the cursor.
    #[must_use]
    pub fn templates(names: Vec<String>, front: usize) -> Self {
        let mut menu = Self { templates: (names, front), ..Self::empty(MenuKind::Templates) };
        menu.refresh(&[]);
        menu.scroll.cursor = front;
        menu
    }

    /// The list of the fields that may name a task; the one that does is ticked.
    #[must_use]
    pub fn fields(mut fields: Vec<(String, String)>, by: TaskField) -> Self {
        fields
            .insert(0, (String::new(), "task_id or instance_id, else the id without the number of the attempt".into()));
        let mut menu = Self { fields: Box::new((fields, by)), ..Self::empty(MenuKind::Fields) };
        menu.refresh(&[]);
        menu
    }

    /// A field of that list; None is how tasks are named without one.
    #[must_use]
    pub fn field(&self, number: usize) -> TaskField {
        match self.fields.0.get(number) {
            Some((path, _)) if path.is_empty() => None,
            Some((path, _)) => Some(path.as_str().into()),
            None => Some(self.prompt.text().trim().into()),
        }
    }

    /// The commands of a place, and filters by name.
    #[must_use]
    pub fn palette(keymap: Keymap, contexts: &[Context], filters: Vec<(String, String)>) -> Self {
        let mut menu = Self { keymap, filters, ..Self::empty(MenuKind::Palette) };
        menu.refresh(contexts);
        menu
    }

    /// The text of a filter that is offered.
    #[must_use]
    pub fn filter(&self, number: usize) -> Option<&str> {
        self.filters.get(number).map(|(_, text)| text.as_str())
    }

    /// The list of the columns; those that are shown are ticked.
    #[must_use]
    pub fn columns(shown: &[Column], custom: Vec<(Column, String)>) -> Self {
        let mut menu = Self { columns: shown.to_vec(), custom_columns: custom, ..Self::empty(MenuKind::Columns) };
        menu.refresh(&[]);
        menu
    }

    /// The column under the cursor.
    #[must_use]
    pub fn column(&self) -> Option<Column> {
        match self.chosen() {
            Some(MenuItem::Column(column)) => Some(column),
            _ => None,
        }
    }

    /// Takes the columns that are shown now.
    pub fn set_columns(&mut self, shown: &[Column]) {
        self.columns = shown.to_vec();
    }

    /// The list of the links and images of a step.
    #[must_use]
    pub fn openables(openables: Vec<Openable>) -> Self {
        let mut menu = Self { openables, ..Self::empty(MenuKind::Openables) };
        menu.refresh(&[]);
        menu
    }

    /// A link or an image of that list.
    #[must_use]
    pub fn openable(&self, number: usize) -> Option<&Openable> {
        self.openables.get(number)
    }

    /// The list of the calls that read a value.
    #[must_use]
    pub fn readers(of: &str, readers: Vec<ValueReader>) -> Self {
        let mut menu = Self { of: of.to_owned(), readers, ..Self::empty(MenuKind::Readers) };
        menu.refresh(&[]);
        menu
    }

    /// A call of that list.
    #[must_use]
    pub fn reader(&self, number: usize) -> Option<&ValueReader> {
        self.readers.get(number)
    }

    /// The title of that list.
    #[must_use]
    pub fn heading(&self) -> String {
        let enter = self.keymap.key_of(Action::MenuRun);
        format!(" Who reads {} · {} · {enter} goes there ", self.of, self.readers.len())
    }

    /// Filters again after typing.
    pub fn refresh(&mut self, contexts: &[Context]) {
        let rows: Vec<&'static KeyRow> = self.keymap.rows(contexts).collect();
        let query = self.prompt.text().trim();
        self.items = match self.kind {
            MenuKind::Readers => readers(&self.readers, query),
            MenuKind::Openables => openables(&self.openables, query),
            MenuKind::Columns => columns(&self.custom_columns, query),
            MenuKind::Templates => {
                let fits = |i: &usize| self.templates.0[*i].to_lowercase().contains(&query.to_lowercase());
                (0..self.templates.0.len()).filter(fits).map(MenuItem::Template).collect()
            }
            MenuKind::Fields => fields(&self.fields.0, query),
            MenuKind::Help if query.is_empty() => sections(&rows, (contexts, &self.shown_signs), self.gestures.len()),
            MenuKind::Help => {
                let keys = named(&rows, query).into_iter().map(|(_, row)| MenuItem::Key(row));
                let query = query.to_lowercase();
                let is_fit =
                    |(gesture, about): &(&str, String)| format!("{gesture} {about}").to_lowercase().contains(&query);
                let fitting = (0..self.gestures.len()).filter(|number| is_fit(&self.gestures[*number]));
                let means = |sign: &&Sign| sign.text.contains(&query) || sign.about.to_lowercase().contains(&query);
                let signs = signs::of(contexts).filter(means).map(MenuItem::Sign);
                keys.chain(signs).chain(fitting.map(MenuItem::Mouse)).collect()
            }
            MenuKind::Palette => named(&rows, query).into_iter().map(|(_, row)| MenuItem::Key(row)).collect(),
        };
        if self.kind == MenuKind::Palette {
            // A filter that has the typed word as it is comes before what only looks like it.
            let at = if query.is_empty() { self.items.len() } else { 0 };
            self.items.splice(at..at, filters(&self.filters, query));
        }
        if let (MenuKind::Palette, Ok(step)) = (self.kind, query.parse()) {
            self.items.insert(0, MenuItem::GoTo(step));
        }
        if let (MenuKind::Palette, Some(when)) = (self.kind, When::read(query)) {
            self.items.insert(0, MenuItem::GoToTime(when));
        } else if self.kind == MenuKind::Palette && is_like_a_path(query) {
            self.items.insert(0, MenuItem::GoToPath);
        }
        self.scroll = Scroll::default();
        self.move_by(0);
        self.is_moved = false;
    }

    /// What was typed, if Enter would run a command that it does not name: one that only sounds like it, or none.
    #[must_use]
    pub fn unnamed(&self, contexts: &[Context]) -> Option<&str> {
        let query = self.prompt.text().trim();
        let is_found = match self.chosen() {
            _ if self.is_moved || query.is_empty() => true,
            Some(MenuItem::Key(row)) => {
                let rows: Vec<&'static KeyRow> = self.keymap.rows(contexts).collect();
                let found = named(&rows, query).into_iter().find(|(_, found)| std::ptr::eq(*found, row));
                found.is_some_and(|(fit, _)| fit < Fit::Letters)
            }
            chosen => chosen.is_some(),
        };
        (!is_found && matches!(self.kind, MenuKind::Palette | MenuKind::Help)).then_some(query)
    }

    /// Moves the cursor, over headings.
    pub fn move_by(&mut self, delta: isize) {
        self.is_moved = true;
        self.scroll.move_by(delta, self.items.len());
        let step = if delta < 0 && self.scroll.cursor > 0 { -1 } else { 1 };
        while let Some(MenuItem::Section(_)) = self.items.get(self.scroll.cursor) {
            let before = self.scroll.cursor;
            self.scroll.move_by(step, self.items.len());
            if before == self.scroll.cursor {
                break;
            }
        }
    }

    /// Puts the cursor on a row, or on the last one.
    pub fn choose(&mut self, row: usize) {
        self.is_moved = true;
        self.scroll.cursor = row.min(self.items.len().saturating_sub(1));
    }

    /// The item under the cursor.
    #[must_use]
    pub fn chosen(&self) -> Option<MenuItem> {
        self.items.get(self.scroll.cursor).copied()
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What the row under the cursor says, if it has no room for all of it; as lines.
    fn help_rows(&self, width: usize) -> Vec<Row> {
        let Some(item) = self.chosen() else { return Vec::new() };
        let row = self.row(item, width);
        let text = match item {
            // In a narrow list other names of the key have no room beside it.
            MenuItem::Key(key) if width < HELP_CELLS && key.keys.len() > 1 => key_help(key),
            MenuItem::Key(key) if row.overhang(width) > 0 || width < HELP_CELLS => key.help.to_owned(),
            MenuItem::Mouse(number) if row.overhang(width) > 0 || width < HELP_CELLS => {
                self.gesture(number).1.to_owned()
            }
            MenuItem::Sign(sign) if row.overhang(width) > 0 || width < HELP_CELLS => sign.about.to_owned(),
            MenuItem::Key(_) | MenuItem::Mouse(_) | MenuItem::Sign(_) => return Vec::new(),
            _ if row.overhang(width) == 0 => return Vec::new(),
            _ => row.left.last().map_or(String::new(), |piece| piece.text.as_str().to_owned()),
        };
        let lines = wrap(&text, width.saturating_sub(4).max(8));
        lines.into_iter().map(|range| help_row(text[range].trim_end())).collect()
    }

    /// Lines that are kept free below the list for what its rows have no room for: the same for all rows, up to half of
    /// the height; more for a row that needs more.
    #[must_use]
    pub fn reserved(&self, width: usize, height: usize) -> usize {
        let lines = |item: &MenuItem| {
            let cells = self.row(*item, width).overhang(width);
            let help = match item {
                MenuItem::Key(row) => row.keys.iter().map(|key| key.len() + 1).sum::<usize>() + row.help.len(),
                MenuItem::Mouse(number) => self.gesture(*number).1.len(),
                MenuItem::Sign(sign) => sign.about.len(),
                _ => cells + width,
            };
            let is_shown = cells > 0
                || (width < HELP_CELLS && matches!(item, MenuItem::Key(_) | MenuItem::Mouse(_) | MenuItem::Sign(_)));
            if is_shown { help.div_ceil(width.saturating_sub(8).max(8)) } else { 0 }
        };
        let all = self.items.iter().map(lines).max().unwrap_or(0).min(height / 2);
        all.max(self.help_rows(width).len().min(height.saturating_sub(2)))
    }

    /// Scrolls so that the cursor (and a heading above the first row) is visible.
    pub fn settle(&mut self, width: usize, height: usize) {
        let height = height - self.reserved(width, height);
        self.scroll.show_cursor(height, self.items.len());
        if self.scroll.cursor <= 2.min(height.saturating_sub(1)) {
            self.scroll.top = 0;
        }
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, width: usize, height: usize) -> Window {
        if self.items.is_empty() {
            return no_match(self.kind, self.prompt.text().trim(), self.keymap, width);
        }
        let reserved = self.reserved(width, height);
        let height = height - reserved;
        let end = self.items.len().min(self.scroll.top + height);
        let mut rows: Vec<Row> = (self.scroll.top..end)
            .map(|i| self.row(self.items[i], width).hit(Hit::Row(i)).cursor(i == self.scroll.cursor))
            .collect();
        rows.resize(if reserved > 0 { height } else { rows.len() }, Row::default());
        rows.extend(self.help_rows(width).into_iter().take(reserved));
        Window { rows, top: self.scroll.top, total: self.items.len() }
    }

    fn row(&self, item: MenuItem, width: usize) -> Row {
        match item {
            MenuItem::Filter(number) => self.filters.get(number).map(filter_row).unwrap_or_default(),
            MenuItem::Column(column) => {
                let custom = self.custom_columns.iter().find(|(name, _)| *name == column);
                let about = custom.map_or(column.about(), |(_, expression)| expression);
                column_row(column, about, self.columns.contains(&column))
            }
            MenuItem::NewColumn => Row::new(vec![
                Piece::of(Role::KeyName, " + your own…     "),
                Piece::of(Role::Dim, "what a jq expression says of each record, as model = .details.model"),
            ]),
            MenuItem::Template(number) => Row::new(vec![
                Piece::of(Role::Accent, if number == self.templates.1 { " ✓ " } else { "   " }),
                Piece::of(Role::Text, self.templates.0.get(number).map_or("", String::as_str)),
            ]),
            MenuItem::Field(number) => self.field_row(number),
            MenuItem::Reader(number) => self.readers.get(number).map(reader_row).unwrap_or_default(),
            MenuItem::Openable(number) => self.openables.get(number).map(openable_row).unwrap_or_default(),
            MenuItem::GoToPath => go_to_row(self.prompt.text(), " Go to that value of the state."),
            MenuItem::GoToTime(_) => go_to_row(self.prompt.text(), "Go to the step of that time."),
            MenuItem::Mouse(number) => gesture_row(self.gesture(number), width),
            item => row(item, width),
        }
    }

    /// A gesture and what it does.
    #[must_use]
    pub fn gesture(&self, number: usize) -> (&str, &str) {
        self.gestures.get(number).map_or(("", ""), |(gesture, about)| (gesture, about))
    }

    fn field_row(&self, number: usize) -> Row {
        let (all, by) = &*self.fields;
        let (path, about) = match all.get(number) {
            Some((path, value)) => (path.as_str(), value.as_str()),
            None => (self.prompt.text().trim(), "as typed: this field of each record"),
        };
        let is_used = by.as_deref().unwrap_or_default() == path;
        Row::new(vec![
            Piece::of(Role::Accent, if is_used { " ✓ " } else { "   " }),
            Piece::safe(Role::Text, pad(&SafeText::of(if path.is_empty() { "task id" } else { path }), 24)),
            Piece::of(Role::Dim, &format!(" {about}")),
        ])
    }
}

/// Whether a text that names no step and no time is written as a path of the state is.
fn is_like_a_path(text: &str) -> bool {
    let begins = |c: char| c.is_alphanumeric() || "_[".contains(c);
    text.starts_with(['†', '/']) || (text.starts_with(begins) && text.contains(['.', '#', '[']))
}

/// Whether an item runs this action.
#[must_use]
pub fn action_of(item: MenuItem) -> Option<Action> {
    match item {
        MenuItem::Key(row) => Some(row.action),
        MenuItem::Section(_)
        | MenuItem::Mouse(_)
        | MenuItem::Sign(_)
        | MenuItem::GoTo(_)
        | MenuItem::GoToTime(_)
        | MenuItem::GoToPath => None,
        MenuItem::Reader(_) | MenuItem::Openable(_) => None,
        MenuItem::Filter(_)
        | MenuItem::Column(_)
        | MenuItem::NewColumn
        | MenuItem::Template(_)
        | MenuItem::Field(_) => None,
    }
}

#[cfg(test)]
mod tests;
