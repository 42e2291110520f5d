//! One function an action; each is a row of [`KEYS`](super::keys::KEYS).

mod attempts;
mod copy_edit;
mod finding;
mod go_to_path;
mod jump;
mod merge;
mod motion;
mod mouse;
mod provenance;
mod references;
mod replay;
mod review;
pub(in crate::app) mod seek;
mod table;
mod watch;

use super::keys::{Action as A, Context};
use super::marks::LineKind;
use super::menu::{Menu, MenuItem, MenuKind, action_of};
use super::signs;
use super::view::{frame, menu_area};
use super::{App, Effect, Effects, Job, Lane, Layer, Pane};
use crate::panes::replay::Replay;
use crate::review::Verdict;
use seek::SeekTarget;

/// Whether an action is about the value in focus, wherever the cursor is.
fn needs_value(action: A) -> bool {
    matches!(action, A::CopyValue | A::CopyPath | A::Watch | A::FirstSo | A::Origin | A::Readers)
}

impl App {
    /// Does what a key, a click or the palette asks for.
    pub fn perform(&mut self, action: A, effects: &mut Effects) {
        if self.tour.is_some() && action == A::Cancel && self.layer.is_none() {
            self.tour = None;
            self.notify(self.hint("the tour ended; {help} shows every key"));
            return;
        }
        let before = self.session.focus.step;
        self.act(action, effects);
        let has_moved = self.session.focus.step != before;
        self.tour = self.tour.and_then(|tour| tour.after(action, has_moved));
    }

    /// The one place that knows all actions: no arm is a wildcard, so an action that nothing performs does not compile.
    fn act(&mut self, action: A, effects: &mut Effects) {
        if needs_value(action) {
            self.focus_value_here();
        }
        match action {
            A::StepNext => self.step_by(1),
            A::StepPrevious => self.step_by(-1),
            A::StepFirst => self.jump_to(0),
            A::StepLast => self.jump_to(crate::model::StepNo::MAX),
            A::WriteNext => self.write_of_focus(true),
            A::WritePrevious => self.write_of_focus(false),
            A::AnyWriteNext => self.any_write(true),
            A::AnyWritePrevious => self.any_write(false),
            A::ErrorNext => self.error_by(true, effects),
            A::ErrorPrevious => self.error_by(false, effects),
            A::FindingNext => self.finding_by(true),
            A::FindingPrevious => self.finding_by(false),
            A::ViolationNext => self.violation_by(true),
            A::ViolationPrevious => self.violation_by(false),
            A::CallNext => self.seek(SeekTarget::Call, true, effects),
            A::CallPrevious => self.seek(SeekTarget::Call, false, effects),
            A::UserNext => self.seek(SeekTarget::User, true, effects),
            A::UserPrevious => self.seek(SeekTarget::User, false, effects),
            A::TickNext => self.tick_by(true),
            A::TickPrevious => self.tick_by(false),
            A::ReplayPause => self.play_so(effects, |r| Replay { is_paused: !r.is_paused, ..r }),
            A::ReplayFaster => self.play_so(effects, |r| r.at_speed(true)),
            A::ReplaySlower => self.play_so(effects, |r| r.at_speed(false)),
            A::Part => self.open_part(effects),
            A::NewestFile => self.open_newest(effects),
            A::TrajectoryNext => self.trajectory_by(1, effects),
            A::TrajectoryPrevious => self.trajectory_by(-1, effects),
            A::Up => self.move_by(-1),
            A::Down => self.move_by(1),
            A::PageUp => self.move_page(-1, 1),
            A::PageDown => self.move_page(1, 1),
            A::HalfUp => self.move_page(-1, 2),
            A::HalfDown => self.move_page(1, 2),
            A::Top => self.move_by(-(isize::MAX / 2)),
            A::Bottom => self.move_by(isize::MAX / 2),
            A::Left => self.fold(Some(false)),
            A::Right => self.fold(Some(true)),
            A::Toggle => self.fold(None),
            A::UnfoldAll => self.fold_all(true),
            A::FoldAll => self.fold_all(false),
            A::ScrollLeft => self.scroll_aside(false),
            A::ScrollRight => self.scroll_aside(true),
            A::Follow => self.follow(effects),
            A::Back => self.back(effects),
            A::Live => self.toggle_live(effects),
            A::FirstSo => self.first_so(),
            A::Origin => self.go_to_origin(),
            A::ChangeNext => self.change_of_step(true),
            A::ChangePrevious => self.change_of_step(false),
            A::Attempts => self.show_attempts(),
            A::AlignByAction => self.align_by_action(),
            A::TaskField => self.choose_task_field(),
            A::Tasks => self.show_tasks(),
            A::Search if self.lists_sessions() => self.ask_filter(),
            A::Search => self.begin_search(),
            A::SearchNext => self.search_on(true, effects),
            A::SearchPrevious => self.search_on(false, effects),
            A::PaneNext => self.pane_by(true),
            A::PanePrevious => self.pane_by(false),
            A::Tab(tab) => self.show_tab(tab),
            A::Zoom => self.is_zoomed = !self.is_zoomed && !self.front().fills_screen(),
            A::PaneMore => self.resize_pane(true),
            A::PaneLess => self.resize_pane(false),
            A::Blame => self.toggle_blame(),
            A::Descriptions => self.toggle_descriptions(),
            A::Columns => self.toggle_columns(),
            A::ChatTemplate => self.ask_template(),
            A::MergeSlot => self.toggle_merged_slot(),
            A::Readers => self.ask_readers(effects),
            A::Openables => self.ask_openables(effects),
            A::Raw => self.next_look(),
            A::Conversation => self.toggle_conversation(),
            A::RawMessages => self.toggle_raw_messages(),
            A::DiffBase => self.mark_base(),
            A::CompareRuns => self.compare_run(effects),
            A::Demo => self.open_demo(effects),
            A::DifferenceNext => self.difference_by(true),
            A::DifferencePrevious => self.difference_by(false),
            A::AlikeValues => self.toggle_alike_values(),
            A::CompareInstances => self.compare_instances(),
            A::DifferingOnly => self.toggle_differing(),
            A::FileWriteNext => self.write_of_file(true),
            A::FileWritePrevious => self.write_of_file(false),
            A::FileDifference => self.toggle_file_difference(),
            A::CheckData => self.check_data(effects),
            A::Good => self.decide_records(Verdict::Good, effects),
            A::Bad => self.decide_records(Verdict::Bad, effects),
            A::Unsure => self.decide_records(Verdict::Unsure, effects),
            A::PartGood => self.in_one_run(|app| app.decide_parts(Verdict::Good, effects)),
            A::PartBad => self.in_one_run(|app| app.decide_parts(Verdict::Bad, effects)),
            A::PartUnsure => self.in_one_run(|app| app.decide_parts(Verdict::Unsure, effects)),
            A::Undo => self.in_open_file(|app| app.undo(effects)),
            A::Flag => self.in_one_run(|app| app.flag(effects)),
            A::Label => self.in_one_run(|app| app.ask_line(LineKind::Tag)),
            A::Note => self.in_one_run(|app| app.ask_line(LineKind::Note)),
            A::Select => self.in_open_file(|app| app.toggle_selection()),
            A::SelectAll => self.in_open_file(|app| app.select_all()),
            A::UndecidedNext => self.in_one_run(|app| app.undecided_by(true, effects)),
            A::UndecidedPrevious => self.in_one_run(|app| app.undecided_by(false, effects)),
            A::MarkNext => self.in_one_run(|app| app.mark_by(true)),
            A::MarkPrevious => self.in_one_run(|app| app.mark_by(false)),
            A::ColumnNext => self.table.column_by(1),
            A::ColumnPrevious => self.table.column_by(-1),
            A::Sort => self.sort(),
            A::Filter => self.ask_filter(),
            A::Facets => self.toggle_facets(),
            A::Plot => self.toggle_plot(),
            A::ChooseColumns => self.choose_columns(),
            A::TablePaneNext => self.table_pane_by(true),
            A::TablePanePrevious => self.table_pane_by(false),
            A::FacetToggle => self.toggle_value(self.table.facets.chosen()),
            A::BinToggle => self.toggle_value(self.chosen_bin()),
            A::BinNext => self.move_bin(1),
            A::BinPrevious => self.move_bin(-1),
            A::Export => self.ask_export(),
            A::CopyValue => self.copy_value(effects),
            A::CopyPath => self.copy_path(effects),
            A::CopyCommand => self.copy_command(effects),
            A::Edit => self.edit(effects),
            A::OtherView => self.show_other_view(effects),
            A::Theme => self.next_theme(effects),
            A::Times => self.next_times(),
            A::Watch => self.toggle_watch(),
            A::WatchRemove => self.remove_watch(),
            A::WatchEdit => self.edit_watch(),
            A::HitNext => self.hit_by(true),
            A::HitPrevious => self.hit_by(false),
            A::Palette => self.open_menu(MenuKind::Palette),
            A::Help => self.open_menu(MenuKind::Help),
            A::Close => self.close(effects),
            A::Cancel => self.cancel(effects),
            A::Quit => effects.push(Effect::Quit),
            A::Suspend => effects.push(Effect::Suspend),
            A::Redraw => effects.push(Effect::Redraw),
            A::MenuUp => self.menu_up(effects),
            A::MenuDown => self.menu_by(1),
            A::MenuPageUp => self.menu_by(-self.menu_page()),
            A::MenuPageDown => self.menu_by(self.menu_page()),
            A::MenuTop => self.menu_by(-(isize::MAX / 2)),
            A::MenuBottom => self.menu_by(isize::MAX / 2),
            A::MenuRun => self.run_menu(effects),
            A::MenuClose => self.layer = None,
            A::PromptCancel => self.cancel_prompt(),
            A::TypedBefore if self.types_session() => self.move_by(-1),
            A::TypedAfter if self.types_session() => self.move_by(1),
            A::TypedBefore => self.bring_back(true, effects),
            A::TypedAfter => self.bring_back(false, effects),
            A::PromptSubmit => self.submit_prompt(effects),
            A::Redact => self.toggle_redacted(),
        }
    }

    fn submit_prompt(&mut self, effects: &mut Effects) {
        self.keep_typed();
        match self.layer {
            Some(Layer::Condition(_)) => self.submit_condition(),
            Some(Layer::Filter(_)) if self.types_session() => self.open_sought(effects),
            Some(Layer::Filter(_)) => self.submit_filter(),
            Some(Layer::Column(_)) => self.submit_column(),
            Some(Layer::Export(_)) => self.submit_export(effects),
            _ => self.submit(effects),
        }
    }

    fn cancel_prompt(&mut self) {
        match self.layer.take() {
            Some(Layer::Search(_)) => self.cancel_search(),
            Some(Layer::Filter(_)) => self.cancel_filter_typed(),
            _ => {}
        }
    }

    fn open_menu(&mut self, kind: MenuKind) {
        let place = self.place();
        let menu = match (kind, self.fitting_filters()) {
            (MenuKind::Palette, Some(filters)) => Menu::palette(self.keymap, &place, filters),
            (MenuKind::Help, _) => Menu::help(self.keymap, &place, signs::among(&frame(self).pieces())),
            _ => Menu::new(kind, self.keymap, &place),
        };
        self.layer = Some(Layer::Menu(Box::new(menu)));
    }

    /// Whether the cursor of the palette is on the first command, above which `Up` brings back texts typed before.
    fn is_at_first_command(&self) -> bool {
        matches!(&self.layer, Some(Layer::Menu(menu)) if menu.kind == MenuKind::Palette && menu.scroll.cursor == 0)
    }

    fn menu_up(&mut self, effects: &mut Effects) {
        if self.is_at_first_command() {
            return self.bring_back(true, effects);
        }
        self.menu_by(-1);
    }

    fn menu_by(&mut self, delta: isize) {
        if let Some(Layer::Menu(menu)) = &mut self.layer {
            menu.move_by(delta);
        }
    }

    /// Rows of the list that are on screen, but one.
    fn menu_page(&self) -> isize {
        let Some(Layer::Menu(menu)) = &self.layer else { return 1 };
        let inside = menu_area(self.size).inside();
        let (width, height) = (usize::from(inside.width), usize::from(inside.height.saturating_sub(1)));
        let rows = height.saturating_sub(menu.reserved(width, height) + 1).max(1);
        isize::try_from(rows).unwrap_or(isize::MAX)
    }

    fn run_menu(&mut self, effects: &mut Effects) {
        if let Some(Layer::Menu(menu)) = &mut self.layer
            && let Some(column) = menu.column()
        {
            self.table.toggle_column(column);
            menu.set_columns(&self.table.columns);
            return self.notify_hidden_group(column);
        }
        match &self.layer {
            Some(Layer::Menu(menu)) if matches!(menu.chosen(), Some(MenuItem::NewColumn)) => {
                let typed = menu.prompt.text().trim().to_owned();
                return self.type_column(&typed);
            }
            // Rows about the mouse are information and run nothing.
            Some(Layer::Menu(menu)) if matches!(menu.chosen(), Some(MenuItem::Mouse(_) | MenuItem::Sign(_))) => return,
            _ => {}
        }
        let place = self.place();
        if let Some(Layer::Menu(menu)) = &self.layer
            && let Some(typed) = menu.unnamed(&place)
        {
            let down = self.keymap.key_of(A::MenuDown);
            let or = if menu.is_empty() { String::new() } else { format!("; {down} chooses one of these") };
            return self.notify(format!("no command {typed}{or}"));
        }
        self.keep_typed();
        let Some(Layer::Menu(menu)) = self.layer.take() else { return };
        match menu.chosen() {
            Some(MenuItem::GoTo(step)) => {
                self.jump_to(step);
                let last = self.session.open().map_or(step, |open| open.last());
                if step > last {
                    self.notify(format!("there is no step {step}; {last} is the last"));
                }
            }
            Some(MenuItem::GoToTime(when)) => self.go_to_time(when, effects),
            Some(MenuItem::GoToPath) => self.go_to_path(menu.prompt.text()),
            Some(MenuItem::Filter(number)) => {
                if let Some(text) = menu.filter(number) {
                    self.use_filter(text);
                }
            }
            Some(MenuItem::Template(number)) => self.use_template(number),
            Some(MenuItem::Field(number)) => self.attempts.set_field(menu.field(number)),
            Some(MenuItem::Openable(number)) => {
                let openable = menu.openable(number).cloned();
                effects.extend(openable.map(|openable| Effect::Job(Job::OpenOutside(openable))));
            }
            Some(MenuItem::Reader(number)) => {
                if let Some(step) = menu.reader(number).map(|reader| reader.step) {
                    self.jump_to(step);
                }
            }
            Some(item) => {
                if let Some(action) = action_of(item) {
                    self.perform(action, effects);
                }
            }
            None => {}
        }
    }

    /// Closes one level: zoom, trajectory of a dataset, program.
    fn close(&mut self, effects: &mut Effects) {
        if self.is_zoomed {
            self.is_zoomed = false;
        } else if !self.front().close(self)
            && !self.return_to_opener()
            && !self.leave_part(effects)
            && !self.show_files()
        {
            effects.push(Effect::Quit);
        }
    }

    /// Goes from a trajectory to the pane from which it was opened; whether there is one.
    fn return_to_opener(&mut self) -> bool {
        self.pane = if self.has_two_runs_below() {
            Pane::AlignedSteps
        } else if self.has_attempts_below() {
            Pane::Attempts
        } else if self.is_in(Context::Trajectory) && self.session.is_dataset() {
            Pane::Table
        } else {
            return false;
        };
        true
    }

    /// Where `q` leads from what is open, in a word; None: out of the program, or to the panes around it.
    pub(in crate::app) fn opener(&self) -> Option<&'static str> {
        if self.layer.is_none() && self.is_in(Context::Attempts) {
            return Some("back");
        }
        let is_inside = self.layer.is_some() || self.is_zoomed || !self.is_in(Context::Trajectory);
        if is_inside || self.front().fills_screen() {
            None
        } else if self.has_two_runs_below() {
            Some("two runs")
        } else if self.has_attempts_below() {
            Some("attempts")
        } else if self.session.is_dataset() {
            Some("table")
        } else {
            self.files.is_some().then_some("list")
        }
    }

    fn cancel(&mut self, effects: &mut Effects) {
        self.prefix = None;
        if self.stop_seeking(effects) {
            return self.notify("stopped looking; the step is the one before");
        }
        if self.search.awaited.take().is_some() {
            effects.push(Effect::Stop(Lane::Find));
        }
        // The highlights of a search are cleared first; the place stays.
        if self.search.pattern.take().is_some() {
            return;
        }
        if self.front().end_selection(self) || self.close_named_file() {
            return;
        }
        if self.is_zoomed {
            self.is_zoomed = false;
        } else if !self.front().cancel(self) && !self.return_to_opener() {
            self.show_files();
        }
    }

    fn next_theme(&mut self, effects: &mut Effects) {
        if self.themes.is_empty() {
            return;
        }
        self.themes.rotate_left(1);
        let name = self.themes[0].clone();
        self.notify(format!("theme {name}"));
        effects.push(Effect::Theme(name));
    }
}
