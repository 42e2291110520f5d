//! The loop: wait, drain, update, do what is asked for, draw once.

mod opening;

use super::background;
use super::config::{Config, Environment};
use super::configure::configure;
use super::input::InputEvent;
use super::jobs::{Jobs, Source};
use super::listing::Lists;
use super::marks::MarksThread;
use super::open_session::{Opened, Reading};
use super::terminal::Screen;
use super::themes::Themes;
use super::{clock, demo, editor, notification, open_session};
use crate::app::initial_position::Start;
use crate::app::msg::OpenedRun;
use crate::app::{App, Effect, Msg, view};
use crate::ingest::IngestEvent;
use crate::model::Problem;
use crate::panes::replay::Replay;
use crate::panes::two_runs::RunPlace;
use crate::review::{ChatTemplate, Tokenizer};
use crate::state::condition::Expected;
use crate::ui::{self, Background};
use crossbeam_channel::{Receiver, at, bounded, never, select};
use opening::{FileLook, FoundFile, Looking};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What the screen is started with.
pub struct Settings {
    /// What is shown.
    pub opened: Opened,
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
    /// Options on how inputs are read and where marks are, as they were given.
    pub input_options: Vec<String>,
    /// The journal of marks; None: they are not kept.
    pub marks: Option<PathBuf>,
    /// The chat template of the Loss tab; None: that of the configuration.
    pub template: Option<Arc<dyn ChatTemplate>>,
    /// Tokens that a model sees there.
    pub max_tokens: Option<usize>,
    /// What counts tokens; None: that of the configuration.
    pub tokenizer: Option<Arc<dyn Tokenizer>>,
    /// Whether the guided tour is shown.
    pub has_tour: bool,
    /// What the status line says at first.
    pub notice: Option<String>,
    /// Two runs to begin with, side by side.
    pub compare: Option<[RunPlace; 2]>,
}

/// How long new steps stand out.
const FADE: Duration = Duration::from_secs(2);
/// Most answers on marks that wait for the loop.
const MARKED_MAX: usize = 1024;

/// Shows what was opened until the user ends it; what is wrong with a path that was asked for and is nowhere in it, if
/// that ended it.
///
/// # Errors
/// The input cannot be read, there is no such format or theme, or there is no terminal.
pub fn run(mut settings: Settings) -> Result<Option<Problem>, Problem> {
    let mut environment = Environment::read();
    let mut config = Config::load();
    let asked = needs_question(settings.theme.as_deref(), &config, &environment)
        .then(|| thread::Builder::new().name("background".to_owned()).spawn(background::ask).ok())
        .flatten();
    let opened = open_session::begin(&settings.opened, settings.format.as_deref());
    // The terminal answers while the input is opened; no answer may come when the screen is there, or after the end.
    if let Some(background) = asked.and_then(|asked| asked.join().ok()).filter(|b| *b != Background::Any) {
        environment.background = background;
    }
    let (session, reading, lists) = opened?;
    let themes = Themes::choose(settings.theme.as_deref(), &config, &environment)?;
    let (jobs, answers) = Jobs::start().map_err(no_thread)?;
    let (marked_sender, marked) = bounded(MARKED_MAX);
    let marks = MarksThread::start(settings.marks.clone(), marked_sender).map_err(no_thread)?;
    let (screen, keys) = Screen::open(&environment)?;
    let mut app = App::new(session, themes.names());
    configure(&mut app, &mut config, &mut settings);
    let (is_done, looking, fade_at) = (false, Looking::default(), None);
    let mut program = Program {
        app,
        screen,
        themes,
        jobs,
        answers,
        marks,
        marked,
        environment,
        is_done,
        unknown: Unknown::NotLooked,
        reading: None,
        lists,
        looking,
        settings,
        fade_at,
        config,
    };
    program.set_up();
    match &program.settings.opened {
        Opened::Files { is_latest, .. } | Opened::Sessions { is_latest, .. } => program.app.list_files(*is_latest),
        Opened::Replay(replay, speed) => {
            program.app.play(Replay { speed: *speed, is_paused: false, total: replay.total });
        }
        Opened::Awaited(path) => {
            let (path, forced) = (path.clone(), program.settings.format.clone());
            program.look_into(path, forced, FileLook::Awaited).map_err(Problem::unreadable)?;
        }
        Opened::Input(_) => {}
    }
    program.settings.compare.take().into_iter().for_each(|places| program.app.begin_comparison(places));
    let (width, height) = ratatui::crossterm::terminal::size().unwrap_or((80, 24));
    program.send(Msg::Resize(width, height));
    if let Some(reading) = reading {
        program.begin(reading);
    }
    for problem in program.config.problems.clone().iter().chain(&program.themes.problems.clone()) {
        program.send(Msg::Notify(true, problem.to_string()));
    }
    let done = program.turn(&keys);
    let Program { screen, marks, unknown, .. } = program;
    // The terminal is given back first, so that what could not be saved is read.
    drop(screen);
    let unsaved = marks.end();
    done.and_then(|()| unsaved.map_or(Ok(()), Err))?;
    Ok(match unknown {
        Unknown::Missing(problem) => Some(problem),
        Unknown::NotLooked | Unknown::None => None,
    })
}

/// Whether the terminal is asked for its background: one that cannot hold the screen is asked nothing.
fn needs_question(theme: Option<&str>, config: &Config, environment: &Environment) -> bool {
    Themes::need_background(theme, config, environment) && Screen::is_possible(environment)
}

pub(super) fn no_thread(e: std::io::Error) -> Problem {
    Problem::unreadable(format!("no thread for the work: {e}"))
}

/// Whether a path that was asked for is nowhere in what was opened.
enum Unknown {
    /// Not all of it is read.
    NotLooked,
    /// All are somewhere.
    None,
    /// What to say of one.
    Missing(Problem),
}

struct Program {
    app: App,
    screen: Screen,
    themes: Themes,
    jobs: Jobs,
    answers: Receiver<Msg>,
    marks: MarksThread,
    marked: Receiver<Msg>,
    environment: Environment,
    is_done: bool,
    unknown: Unknown,
    /// What fills the session; None while only a list is shown.
    reading: Option<Reading>,
    /// Who looks after the list of files, if there is one.
    lists: Option<Lists>,
    /// The file that is being opened.
    looking: Looking,
    settings: Settings,
    /// When new steps no longer stand out. There is no other timer.
    fade_at: Option<Instant>,
    config: Config,
}

impl Program {
    /// Runs until the end; one frame for all that came since the last.
    fn turn(&mut self, keys: &Receiver<InputEvent>) -> Result<(), Problem> {
        loop {
            self.draw()?;
            // What is listened to changes when another file is opened.
            let (answers, marked, opening) = (self.answers.clone(), self.marked.clone(), self.looking.opening());
            let ingest = self.reading.as_ref().map_or_else(never, |reading| reading.worker.events.clone());
            let listed = self.lists.as_ref().map_or_else(never, |lists| lists.messages.clone());
            let fade = self.fade_at.map_or_else(never, at);
            select! {
                recv(keys) -> event => match event {
                    Ok(event) => self.hear(event),
                    Err(_) => return Ok(()),
                },
                recv(fade) -> _ => {
                    self.fade_at = None;
                    self.send(Msg::HighlightExpired);
                }
                recv(answers) -> msg => match msg {
                    Ok(msg) => self.send(msg),
                    Err(_) => self.answers = never(),
                },
                recv(marked) -> msg => match msg {
                    Ok(msg) => self.send(msg),
                    Err(_) => self.marked = never(),
                },
                recv(listed) -> msg => match msg {
                    Ok(msg) => self.send(msg),
                    Err(_) => self.lists = None,
                },
                recv(opening) -> found => self.hear_of_file(found.ok()),
                recv(ingest) -> msg => match msg {
                    Ok(event) => self.hear_of_input(event),
                    // The reader has ended: nothing more is to be heard from it.
                    Err(_) => self.reading = None,
                },
            }
            self.drain(keys);
            self.open_again();
            if self.is_done {
                return Ok(());
            }
        }
    }

    /// Takes all that waits.
    fn drain(&mut self, keys: &Receiver<InputEvent>) {
        while let Ok(event) = keys.try_recv() {
            self.hear(event);
        }
        let next_message = |run: &Self| run.marked.try_recv().or_else(|_| run.answers.try_recv()).ok();
        while let Some(msg) = next_message(self).or_else(|| self.lists.as_ref()?.next()) {
            self.send(msg);
        }
        while let Some(event) = self.reading.as_ref().and_then(|reading| reading.worker.events.try_recv().ok()) {
            self.hear_of_input(event);
        }
    }

    /// What the command line and the configuration ask for, for the file that is open now.
    fn set_up(&mut self) {
        let (app, settings) = (&mut self.app, &self.settings);
        if app.start.is_none() {
            app.start.clone_from(&settings.start);
        }
        app.session.files.clone_from(&settings.files);
        app.watch(self.config.watch.of(app.session.format.name()));
        app.watch(settings.watches.clone());
        if settings.follow {
            app.follow_from_start();
        }
        app.tour = settings.has_tour.then(Default::default);
        if let Some(notice) = &settings.notice {
            app.notify(notice.clone());
        }
    }

    /// Begins to hear of an input whose session is shown.
    fn begin(&mut self, reading: Reading) {
        let run = reading.worker.live.run.clone();
        self.reading = Some(reading);
        if let Some(run) = run {
            self.send(Msg::Opened(0, OpenedRun(run)));
        }
    }

    fn draw(&mut self) -> Result<(), Problem> {
        let (width, height) = self.draw_once()?;
        // A resize before the keyboard was listened to is reported by nobody.
        if (width, height) != self.app.size {
            self.send(Msg::Resize(width, height));
            self.draw_once()?;
        }
        Ok(())
    }

    /// Draws a frame; the size in cells that the terminal has by now.
    fn draw_once(&mut self) -> Result<(u16, u16), Problem> {
        let mut size = self.app.size;
        let (app, theme) = (&self.app, self.themes.current());
        // Open for the whole frame: each pane would wait for the worker by itself.
        let _open = app.session.open();
        let drawn = self.screen.draw(|frame| {
            size = (frame.area().width, frame.area().height);
            let shown = view::frame(app);
            ui::draw(&shown, theme, frame.buffer_mut());
            if let Some((x, y)) = shown.cursor {
                frame.set_cursor_position((x, y));
            }
        });
        drawn.map_err(|e| Problem::unreadable(format!("the terminal is gone: {e}")))?;
        self.reading.iter().for_each(|reading| reading.worker.report_frame());
        Ok(size)
    }

    fn hear(&mut self, event: InputEvent) {
        match event {
            InputEvent::Key(key) => self.send(Msg::Key(key)),
            InputEvent::Mouse(mouse) => self.send(Msg::Mouse(mouse)),
            InputEvent::Paste(text) => self.send(Msg::Paste(text)),
            InputEvent::Resize { width, height } => self.send(Msg::Resize(width, height)),
            InputEvent::Resumed => {}
        }
    }

    fn hear_of_input(&mut self, event: IngestEvent) {
        if open_session::is_other_content(&event) {
            self.reading.iter_mut().for_each(Reading::restart_detection);
        }
        let has_grown = self.reading.as_ref().is_some_and(Reading::has_grown);
        let ending = open_session::ending(&event);
        let session = &self.app.session;
        self.send(open_session::translate(event, session.path.as_deref(), session.is_live, has_grown));
        if let Some(pending) = ending {
            self.send(Msg::PendingTail(pending, clock::now()));
        }
        self.look_for_paths();
        self.look_again();
    }

    /// Ends if a path that was asked for is nowhere in an input that was read. One that is followed may come to have
    /// it.
    fn look_for_paths(&mut self) {
        let Opened::Input(input) = &self.settings.opened else { return };
        let is_read = self.app.session.is_complete && (input.is_file() || !input.may_grow());
        if self.settings.follow || !is_read || !matches!(self.unknown, Unknown::NotLooked) {
            return;
        }
        self.unknown = match self.app.unknown_path(self.settings.start.as_ref(), &self.settings.watches) {
            Some(problem) => {
                self.is_done = true;
                Unknown::Missing(problem)
            }
            None => Unknown::None,
        };
    }

    fn send(&mut self, msg: Msg) {
        let run = self.app.session.run.clone();
        // Open for the whole message, as for a frame.
        let open = run.as_ref().map(|run| run.read().unwrap_or_else(PoisonError::into_inner));
        let effects = self.app.update(msg);
        drop(open);
        for effect in effects {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        let result = match effect {
            Effect::Quit => {
                self.is_done = true;
                Ok(())
            }
            Effect::Suspend => self.screen.suspend().map(|_| ()).map_err(|e| e.to_string()),
            Effect::Redraw => {
                self.screen.forget();
                Ok(())
            }
            Effect::Copy(text) => self.screen.copy(&text),
            Effect::Edit(path, line) => editor::open(&self.screen, &self.environment, &path, line),
            Effect::EditText(text) => editor::open_text(&self.screen, &self.environment, &text),
            Effect::Fade => {
                self.fade_at = Some(Instant::now() + FADE);
                Ok(())
            }
            Effect::Alert(text) => self.screen.send(&notification::sequence(self.config.watch.notice, &text)),
            Effect::Theme(name) => {
                self.themes.use_by_name(&name);
                Ok(())
            }
            Effect::Play(Replay { speed, is_paused, .. }) => {
                if let Opened::Replay(replay, _) = &self.settings.opened {
                    replay.playback.set(speed, is_paused);
                }
                Ok(())
            }
            Effect::OpenFile(path) => self.look_into(path, self.settings.format.clone(), FileLook::Asked),
            Effect::OpenDemo => {
                let known = open_session::know(demo::input(), None);
                self.open_file(FoundFile { look: FileLook::Asked, path: demo::NAME.into(), known });
                Ok(())
            }
            Effect::OpenAs(path, format) => self.look_into(path, Some(format.to_owned()), FileLook::Asked),
            Effect::Heads(wanted) => {
                self.lists.iter().for_each(|lists| lists.read(wanted.clone()));
                Ok(())
            }
            Effect::Mark(decisions) => {
                self.marks.submit(self.source(), decisions);
                Ok(())
            }
            Effect::Job(job) => {
                self.jobs.submit(self.source(), job);
                Ok(())
            }
            Effect::Stop(lane) => {
                self.jobs.stop(lane);
                Ok(())
            }
        };
        if let Err(text) = result {
            self.app.notice = Some(crate::app::Notice { is_error: true, text });
        }
    }

    fn source(&self) -> Source {
        let session = &self.app.session;
        Source {
            bytes: Arc::clone(&session.bytes),
            records: Arc::clone(&session.records),
            format: session.format,
            path: session.path.clone(),
            run: session.run.clone(),
            files: session.files.clone(),
            data: session.data.clone(),
            tokenizer: self.app.chat.tokenizer.clone(),
        }
    }
}
