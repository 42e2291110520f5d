//! Keys of the table: columns, sorting, filters, the values of a column, the plot.

use crate::app::keys::Context;
use crate::app::layout::panes_of_table;
use crate::app::menu::Menu;
use crate::app::pane::Filtered;
use crate::app::prompt::Prompt;
use crate::app::{App, Layer, Notice};
use crate::panes::table::RecordFaults;
use crate::review::{Column, Filter, FilterFault, FilterField, Scope, Sort};
use crate::text::count_text;

/// Columns of one sideways scroll.
const COLUMNS_ASIDE: isize = 3;

impl App {
    /// Asks for the filter of the list that has the focus, with what it is now.
    pub(in crate::app) fn ask_filter(&mut self) {
        let mut prompt = Prompt::default();
        let filter = match self.filtered() {
            Filtered::Files => self.begin_filter_typed(),
            Filtered::Trajectories => typed_filter(&self.table.filter),
            Filtered::Steps => typed_filter(&self.step_filter.filter),
        };
        prompt.insert(&filter);
        self.layer = Some(Layer::Filter(prompt));
    }

    pub(in crate::app) fn choose_columns(&mut self) {
        self.layer = Some(Layer::Menu(Box::new(Menu::columns(&self.table.columns, self.offered_columns()))));
    }

    /// Says why a column of groups that was chosen is not to be seen.
    pub(in crate::app) fn notify_hidden_group(&mut self, column: Column) {
        let is_chosen = self.table.columns.contains(&column) && self.table.focus != column;
        if is_chosen && column.numbers().is_some_and(|numbers| numbers.is_of_group() && !self.table.has_group(numbers))
        {
            self.notify(format!("{} is shown where a task has several attempts with rewards", column.title()));
        }
    }

    /// What a filter typed now is of: where nothing is listed, the steps.
    pub(in crate::app) fn filtered(&self) -> Filtered {
        self.front().filtered().unwrap_or(Filtered::Steps)
    }

    /// The custom columns, with their expressions.
    fn offered_columns(&self) -> Vec<(Column, String)> {
        self.table
            .custom_columns
            .iter()
            .map(|column| (Column::Custom(column.name), column.expression.to_string()))
            .collect()
    }

    /// Puts the cursor on the next or previous row whose record has something, and says how many records were not
    /// looked at.
    pub(super) fn record_by(&mut self, word: &str, has_it: impl Fn(RecordFaults) -> bool, is_forward: bool) {
        let (here, count) = (self.table.scroll.cursor, self.table.count(&self.session));
        let faults = |row: usize| self.table.faults(self.table.record_at(row)?);
        let (mut unknown, mut found) = (0, None);
        let rows: Box<dyn Iterator<Item = usize>> =
            if is_forward { Box::new(here + 1..count) } else { Box::new((0..here).rev()) };
        for row in rows {
            match faults(row) {
                Some(faults) if has_it(faults) => {
                    found = Some(row);
                    break;
                }
                Some(_) => {}
                None => unknown += 1,
            }
        }
        let way = if is_forward { "later" } else { "earlier" };
        let unread = if unknown > 0 { format!(" · {} not looked at yet", count_text(unknown)) } else { String::new() };
        match found {
            Some(row) => self.table.scroll.jump_to(row),
            None => self.notify(format!("no {way} record with {word}{unread}")),
        }
    }

    /// The column in focus: up, down, the order of the file. In the list of files, its next order.
    pub(in crate::app) fn sort(&mut self) {
        if self.is_in(Context::Files) {
            return self.sort_files();
        }
        let column = self.table.focus;
        self.table.sort = match self.table.sort {
            Some(sort) if sort.column == column && sort.is_reversed => None,
            Some(sort) if sort.column == column => Some(Sort { column, is_reversed: true }),
            _ => Some(Sort { column, is_reversed: false }),
        };
        self.notify(match self.table.sort {
            None => "in the order of the file".to_owned(),
            Some(sort) => {
                let way = if sort.is_reversed { "the greatest first" } else { "the least first" };
                let when = if self.waits_to_sort() { ", once all records were looked at" } else { "" };
                format!("sorted by {}, {way}{when}", column.title())
            }
        });
    }

    /// Enter in the line of the filter; a faulty one stays to be changed.
    pub(in crate::app) fn submit_filter(&mut self) {
        let Some(Layer::Filter(prompt)) = &self.layer else { return };
        let text = prompt.text().to_owned();
        if self.filtered() == Filtered::Files {
            self.layer = None;
            return self.filter_files(&text);
        }
        if self.use_filter(&text) {
            self.layer = None;
        }
    }

    /// The filters of the configuration that fit where the cursor is; None where nothing is filtered.
    pub(in crate::app) fn fitting_filters(&self) -> Option<Vec<(String, String)>> {
        let names = self.table.custom_column_names();
        let scope = match self.front().filtered()? {
            Filtered::Trajectories => Scope::Table(&names),
            Filtered::Steps => Scope::Steps,
            Filtered::Files => return None,
        };
        let fits = |(_, text): &&(String, String)| Filter::parse(text, scope).is_ok();
        Some(self.filters.iter().filter(fits).cloned().collect())
    }

    /// Takes a filter in place of the one that is there; whether it is one.
    pub(in crate::app) fn use_filter(&mut self, text: &str) -> bool {
        let (names, is_on_table) = (self.table.custom_column_names(), self.is_on_table());
        let scope = if is_on_table { Scope::Table(&names) } else { Scope::Steps };
        match (Filter::read(text, scope, &self.filters), is_on_table) {
            (Ok(filter), true) => {
                self.notify_missing_findings(&filter);
                self.table.filter = filter;
            }
            (Ok(filter), false) => self.set_step_filter(filter),
            (Err(fault), _) => {
                self.notify_fault(&fault);
                return false;
            }
        }
        true
    }

    /// Says how findings are made that a filter asks for and that nobody looked for yet.
    fn notify_missing_findings(&mut self, filter: &Filter) {
        if filter.asks_for_family("data") && self.session.data.is_none() {
            self.notify(self.hint("data.* is found where the dataset is checked: press {check-data} for that"));
        } else if filter.asks_for_family("loss") {
            self.notify(
                "loss.* depends on a chat template: obelus query --where finding:loss --loss NAME looks for it",
            );
        }
    }

    fn notify_fault(&mut self, fault: &FilterFault) {
        self.notice = Some(Notice { is_error: true, text: fault.to_string() });
    }

    pub(in crate::app) fn table_pane_by(&mut self, is_forward: bool) {
        let order = panes_of_table(self.beside_table());
        if order.len() < 2 {
            let hint = self.hint("{facets} shows values of a column there, {plot} a plot");
            return self.notify(format!("nothing is beside the table; {hint}"));
        }
        let at = order.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = order[(at + if is_forward { 1 } else { order.len() - 1 }) % order.len()];
    }

    /// Filters to a value, or no longer.
    pub(in crate::app) fn toggle_value(&mut self, chosen: Option<(FilterField, String)>) {
        let Some((field, written)) = chosen else { return self.notify("nothing here to filter by") };
        if let Err(fault) = self.table.filter.toggle(field, &written) {
            self.notify_fault(&fault);
        }
    }

    /// Scrolls the table sideways, by columns.
    pub(in crate::app) fn scroll_table(&mut self, is_right: bool) {
        self.table.column_by(if is_right { COLUMNS_ASIDE } else { -COLUMNS_ASIDE });
    }
}

/// A filter as it is typed on.
fn typed_filter(filter: &Filter) -> String {
    if filter.is_empty() { String::new() } else { format!("{filter} ") }
}
