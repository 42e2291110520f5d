//! What ratatui draws with: the cells of a frame are encoded by our [`Encoder`], all else by the backend of crossterm.

use crate::app::layout::drawn_size;
use crate::ui::Encoder;
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::io::{self, Write};

/// Writes frames to a screen that is empty at first.
pub(super) struct ScreenBackend<W: Write> {
    rest: CrosstermBackend<W>,
    /// None: the screen was cleared, and nothing drawn since.
    encoder: Option<Encoder>,
}

impl<W: Write> ScreenBackend<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { rest: CrosstermBackend::new(writer), encoder: None }
    }
}

impl<W: Write> Backend for ScreenBackend<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let size = if self.encoder.is_none() { self.size()? } else { Size::ZERO };
        let bytes = self.encoder.get_or_insert_with(|| Encoder::new(size)).encode(content);
        self.rest.write_all(&bytes)
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.encoder = Some(Encoder::new(Size::ZERO));
        self.rest.append_lines(count)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.rest.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.rest.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.rest.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.rest.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, part: ClearType) -> io::Result<()> {
        // Of what is cleared in part nothing is known.
        self.encoder = (part != ClearType::All).then(|| Encoder::new(Size::ZERO));
        self.rest.clear_region(part)
    }

    fn size(&self) -> io::Result<Size> {
        let Size { width, height } = self.rest.size()?;
        Ok(drawn_size(width, height).into())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.rest.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.rest)
    }
}
