//! The loop: wait, drain, update, do what is asked for, draw once.

use super::config::{Config, Environment, NoticeBy, ask_background};
use super::input::InputEvent;
use super::jobs::{Jobs, Source};
use super::marks::MarksThread;
use super::terminal::Screen;
use super::themes::Themes;
use super::{alert, clock, editor, opening};
use crate::app::msg::OpenedRun;
use crate::app::start::Start;
use crate::app::{App, Effect, Msg, view};
use crate::ingest::IngestEvent;
use crate::model::Problem;
use crate::source::Input;
use crate::state::watch::Expected;
use crate::ui;
use crossbeam_channel::{Receiver, select};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the screen is started with.
pub struct Settings {
    /// The input.
    pub input: Arc<Input>,
    /// Name of a format; None: by content.
    pub format: Option<String>,
    /// Where to begin; None: at the first step.
    pub start: Option<Start>,
    /// The folder of files that values name by id.
    pub files: Option<PathBuf>,
    /// Values to watch, beside those of the configuration.
    pub watches: Vec<Expected>,
    /// Whether to stay at the newest step from the start.
    pub follow: bool,
    /// Name of a theme; None: that of the configuration.
    pub theme: Option<String>,
    /// The journal of marks; None: they are not kept.
    pub marks: Option<PathBuf>,
}

/// How long new steps stand out.
const FADE: Duration = Duration::from_secs(2);
/// Most messages that wait for the loop.
const QUEUE_MAX: usize = 1024;

/// Shows an input until the user ends it.
///
/// # Errors
/// The input cannot be read, there is no such format or theme, or there is no terminal.
pub fn run(settings: Settings) -> Result<u8, Problem> {
    let environment = Environment::read();
    let config = Config::load();
    let themes = Themes::choose(settings.theme.as_deref(), &config, &environment, ask_background)?;
    let (session, worker) = opening::open(&settings.input, settings.format.as_deref())?;
    let (answers, jobs_out) = crossbeam_channel::bounded(QUEUE_MAX);
    let jobs = Jobs::start(&answers).map_err(|e| Problem::unreadable(format!("no thread for the work: {e}")))?;
    let marks = MarksThread::start(settings.marks, answers)
        .map_err(|e| Problem::unreadable(format!("no thread for the marks: {e}")))?;
    let (screen, keys) = Screen::open(&environment)?;
    let mut app = App::new(session, themes.names());
    app.start = settings.start;
    app.watch(config.watch.of(app.session.format.name()));
    app.filters = config.filters.clone();
    app.watch(settings.watches);
    if settings.follow {
        app.follow_from_start();
    }
    app.session.files = settings.files;
    let opened_len_bytes = settings.input.len();
    let input = settings.input;
    let (fade_at, notice) = (None, config.watch.notice);
    let mut program = Program {
        app,
        screen,
        themes,
        jobs,
        marks,
        environment,
        is_done: false,
        input,
        opened_len_bytes,
        fade_at,
        notice,
    };
    let (width, height) = ratatui::crossterm::terminal::size().unwrap_or((80, 24));
    program.tell(Msg::Resize(width, height));
    if let Some(run) = &worker.live.run {
        program.tell(Msg::Opened(0, OpenedRun(Arc::clone(run))));
    }
    for problem in config.problems.iter().chain(&program.themes.problems.clone()) {
        program.tell(Msg::Told(true, problem.to_string()));
    }
    let done = program.turn(&keys, &jobs_out, &worker.events);
    let Program { screen, marks, .. } = program;
    // The terminal is given back first, so that what could not be saved is read.
    drop(screen);
    let unsaved = marks.end();
    done.and_then(|()| unsaved.map_or(Ok(0), Err))
}

struct Program {
    app: App,
    screen: Screen,
    themes: Themes,
    jobs: Jobs,
    marks: MarksThread,
    environment: Environment,
    is_done: bool,
    input: Arc<Input>,
    opened_len_bytes: u64,
    /// When new steps no longer stand out. There is no other timer.
    fade_at: Option<Instant>,
    notice: NoticeBy,
}

impl Program {
    /// Runs until the end; one frame for all that came since the last.
    fn turn(
        &mut self,
        keys: &Receiver<InputEvent>,
        answers: &Receiver<Msg>,
        ingest: &Receiver<IngestEvent>,
    ) -> Result<(), Problem> {
        let (never, mut ingest) = (crossbeam_channel::never(), ingest);
        loop {
            self.draw()?;
            let fade = self.fade_at.map_or_else(crossbeam_channel::never, crossbeam_channel::at);
            select! {
                recv(keys) -> event => match event {
                    Ok(event) => self.hear(event),
                    Err(_) => return Ok(()),
                },
                recv(fade) -> _ => {
                    self.fade_at = None;
                    self.tell(Msg::Faded);
                }
                recv(answers) -> msg => if let Ok(msg) = msg { self.tell(msg) },
                recv(ingest) -> msg => match msg {
                    Ok(event) => self.hear_of_input(event),
                    // The reader has ended: nothing more is to be heard from it.
                    Err(_) => ingest = &never,
                },
            }
            while let Ok(event) = keys.try_recv() {
                self.hear(event);
            }
            while let Ok(msg) = answers.try_recv() {
                self.tell(msg);
            }
            while let Ok(event) = ingest.try_recv() {
                self.hear_of_input(event);
            }
            if self.is_done {
                return Ok(());
            }
        }
    }

    fn draw(&mut self) -> Result<(), Problem> {
        let (width, height) = self.draw_once()?;
        // A resize before the keyboard was listened to is told by nobody.
        if (width, height) != self.app.size {
            self.tell(Msg::Resize(width, height));
            self.draw_once()?;
        }
        Ok(())
    }

    /// Draws a frame; the size in cells that the terminal has by now.
    fn draw_once(&mut self) -> Result<(u16, u16), Problem> {
        let mut size = self.app.size;
        let (app, theme) = (&self.app, self.themes.current());
        let drawn = self.screen.draw(|frame| {
            size = (frame.area().width, frame.area().height);
            let shown = view::frame(app);
            ui::draw(&shown, theme, frame.buffer_mut());
            if let Some((x, y)) = shown.cursor {
                frame.set_cursor_position((x, y));
            }
        });
        drawn.map_err(|e| Problem::unreadable(format!("the terminal is gone: {e}")))?;
        Ok(size)
    }

    fn hear(&mut self, event: InputEvent) {
        match event {
            InputEvent::Key(key) => self.tell(Msg::Key(key)),
            InputEvent::Mouse(mouse) => self.tell(Msg::Mouse(mouse)),
            InputEvent::Paste(text) => self.tell(Msg::Paste(text)),
            InputEvent::Resize { width, height } => self.tell(Msg::Resize(width, height)),
            InputEvent::Resumed => {}
        }
    }

    fn hear_of_input(&mut self, event: IngestEvent) {
        let has_grown = self.input.len() > self.opened_len_bytes;
        let ending = opening::ending(&event);
        let session = &self.app.session;
        self.tell(opening::translate(event, session.path.as_deref(), session.is_live, has_grown));
        if let Some(pending) = ending {
            self.tell(Msg::Ends(pending, clock::now()));
        }
    }

    fn tell(&mut self, msg: Msg) {
        let searched = self.app.search.awaited;
        for effect in self.app.update(msg) {
            self.perform(effect);
        }
        if searched.is_some() && self.app.search.awaited.is_none() {
            self.jobs.stop_search();
        }
    }

    fn perform(&mut self, effect: Effect) {
        let told = match effect {
            Effect::Quit => {
                self.is_done = true;
                Ok(())
            }
            Effect::Suspend => self.screen.suspend().map(|_| ()).map_err(|e| e.to_string()),
            Effect::Copy(text) => self.screen.copy(&text),
            Effect::Edit(line) => match &self.app.session.path {
                Some(path) => editor::open(&self.screen, &self.environment, path, line),
                None => Ok(()),
            },
            Effect::Fade => {
                self.fade_at = Some(Instant::now() + FADE);
                Ok(())
            }
            Effect::Alert(text) => self.screen.send(&alert::sequence(self.notice, &text)),
            Effect::Theme(name) => {
                self.themes.use_by_name(&name);
                Ok(())
            }
            Effect::Mark(decisions) => {
                self.marks.submit(self.source(), decisions);
                Ok(())
            }
            job => {
                self.jobs.submit(self.source(), job);
                Ok(())
            }
        };
        if let Err(text) = told {
            self.app.notice = Some(crate::app::Notice { is_error: true, text });
        }
    }

    fn source(&self) -> Source {
        let session = &self.app.session;
        Source {
            bytes: Arc::clone(&session.bytes),
            records: Arc::clone(&session.records),
            format: session.format,
            run: session.run.clone(),
            files: session.files.clone(),
        }
    }
}
