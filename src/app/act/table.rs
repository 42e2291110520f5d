//! Keys of the table: columns, sorting, filters, the values of a column, the plot.

use crate::app::menu::Menu;
use crate::app::prompt::Prompt;
use crate::app::{App, Layer, Notice, Pane};
use crate::review::{Column, Field, Filter, FilterFault, Scope, Sort};

/// Columns of one sideways scroll.
const COLUMNS_ASIDE: isize = 3;

impl App {
    /// Asks for the filter of the list that has the focus, with what it is now.
    pub(super) fn ask_filter(&mut self) {
        let mut prompt = Prompt::default();
        if self.pane == Pane::Files {
            prompt.insert(self.files_filter().unwrap_or_default());
        } else {
            let filter = if self.is_on_table() { &self.table.filter } else { &self.step_filter.filter };
            if !filter.is_empty() {
                prompt.insert(&format!("{filter} "));
            }
        }
        self.layer = Some(Layer::Filter(prompt));
    }

    pub(super) fn choose_columns(&mut self) {
        self.layer = Some(Layer::Menu(Menu::columns(&self.table.columns, self.offered_columns())));
    }

    /// The custom columns, with their expressions.
    fn offered_columns(&self) -> Vec<(Column, String)> {
        self.table.own.iter().map(|own| (Column::Own(own.name), own.expression.to_string())).collect()
    }

    /// The column in focus: up, down, the order of the file. In the list of files, its next order.
    pub(super) fn sort(&mut self) {
        if self.pane == Pane::Files {
            return self.sort_files();
        }
        let column = self.table.focus;
        self.table.sort = match self.table.sort {
            Some(sort) if sort.column == column && sort.is_reversed => None,
            Some(sort) if sort.column == column => Some(Sort { column, is_reversed: true }),
            _ => Some(Sort { column, is_reversed: false }),
        };
        self.tell(match self.table.sort {
            None => "in the order of the file".to_owned(),
            Some(sort) => {
                let way = if sort.is_reversed { "the greatest first" } else { "the least first" };
                let when = if self.waits_to_sort() { ", once all records were looked at" } else { "" };
                format!("sorted by {}, {way}{when}", column.title())
            }
        });
    }

    /// Enter in the line of the filter; a faulty one stays to be changed.
    pub(super) fn submit_filter(&mut self) {
        let Some(Layer::Filter(prompt)) = &self.layer else { return };
        let text = prompt.text().to_owned();
        if self.pane == Pane::Files {
            self.layer = None;
            return self.filter_files(&text);
        }
        if self.use_filter(&text) {
            self.layer = None;
        }
    }

    /// The filters of the configuration that fit where the cursor is; None where nothing is filtered.
    pub(super) fn fitting_filters(&self) -> Option<Vec<(String, String)>> {
        let names = self.table.own_names();
        let scope = match self.pane {
            Pane::Table | Pane::Facets | Pane::Plot => Scope::Table(&names),
            Pane::Steps => Scope::Steps,
            Pane::State | Pane::Inspector | Pane::Watches | Pane::Files | Pane::Attempts => return None,
        };
        let fits = |(_, text): &&(String, String)| Filter::parse(text, scope).is_ok();
        Some(self.filters.iter().filter(fits).cloned().collect())
    }

    /// Takes a filter in place of the one that is there; whether it is one.
    pub(super) fn use_filter(&mut self, text: &str) -> bool {
        let (names, is_on_table) = (self.table.own_names(), self.is_on_table());
        let scope = if is_on_table { Scope::Table(&names) } else { Scope::Steps };
        match (Filter::read(text, scope, &self.filters), is_on_table) {
            (Ok(filter), true) => self.table.filter = filter,
            (Ok(filter), false) => self.set_step_filter(filter),
            (Err(fault), _) => {
                self.tell_fault(&fault);
                return false;
            }
        }
        true
    }

    fn tell_fault(&mut self, fault: &FilterFault) {
        self.notice = Some(Notice { is_error: true, text: fault.to_string() });
    }

    pub(super) fn toggle_facets(&mut self) {
        let is_beside = self.layout().panes.len() > 1;
        if self.table.facets.is_open && (self.pane == Pane::Facets || is_beside) {
            self.close_beside(Pane::Facets);
        } else {
            self.table.facets.is_open = true;
            self.pane = Pane::Facets;
        }
    }

    pub(super) fn toggle_plot(&mut self) {
        let is_plotted = self.is_plotting() && !self.table.plot.is_unasked(self.table.focus);
        if is_plotted && self.layout().panes.iter().any(|(pane, _)| *pane == Pane::Plot) {
            self.close_beside(Pane::Plot);
        } else {
            self.table.plot.is_open = Some(true);
            self.pane = Pane::Plot;
        }
    }

    /// Closes what stands beside the table.
    pub(super) fn close_beside(&mut self, pane: Pane) {
        match pane {
            Pane::Facets => self.table.facets.is_open = false,
            _ => self.table.plot.is_open = Some(false),
        }
        if self.pane == pane {
            self.pane = Pane::Table;
        }
    }

    pub(super) fn table_pane_by(&mut self, is_forward: bool) {
        let mut order = vec![Pane::Table];
        order.extend(self.table.facets.is_open.then_some(Pane::Facets));
        order.extend(self.is_plotting().then_some(Pane::Plot));
        let at = order.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = order[(at + if is_forward { 1 } else { order.len() - 1 }) % order.len()];
    }

    pub(super) fn chosen_bin(&self) -> Option<(Field, String)> {
        self.table.plot.chosen(self.table.facets.tally.as_ref().map(|(_, tally)| tally))
    }

    pub(super) fn move_bin(&mut self, delta: isize) {
        let table = &mut self.table;
        table.plot.move_by(delta, table.facets.tally.as_ref().map(|(_, tally)| tally));
    }

    /// Filters to a value, or no longer.
    pub(super) fn toggle_value(&mut self, chosen: Option<(Field, String)>) {
        let Some((field, written)) = chosen else { return self.tell("nothing here to filter by") };
        if let Err(fault) = self.table.filter.toggle(field, &written) {
            self.tell_fault(&fault);
        }
    }

    pub(in crate::app) fn scroll_columns(&mut self, is_right: bool) {
        self.table.column_by(if is_right { COLUMNS_ASIDE } else { -COLUMNS_ASIDE });
    }
}
