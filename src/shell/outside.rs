//! Links and images, given to the program that the system opens them with.

use crate::panes::openables::{EmbeddedImage, Openable};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// How long a program may take to say that it cannot.
const PATIENCE: Duration = Duration::from_secs(1);

/// Opens a link or an image; files of images are written into the folder of `images`.
///
/// # Errors
/// A sentence for the user: there is no program for it, the image is damaged or cannot be written.
pub(super) fn open(openable: &Openable, images: &Mutex<OpenedImages>) -> Result<String, String> {
    match openable {
        Openable::Link(address) => match open::that_detached_with_timeout(address, PATIENCE) {
            Ok(()) => Ok(format!("opened {address}")),
            Err(_) => Err(format!("the system has no program that opens links, as {address}")),
        },
        Openable::Image(image) => {
            let path = images.lock().unwrap_or_else(PoisonError::into_inner).write(image)?;
            let path_text = path.display();
            match open::that_detached_with_timeout(&path, PATIENCE) {
                Ok(()) => Ok(format!("opened {path_text}, which goes away with obelus")),
                Err(_) => Err(format!(
                    "the system has no program that opens images; until obelus ends this one is {path_text}"
                )),
            }
        }
    }
}

/// The files of images that were opened.
#[derive(Debug, Default)]
pub(super) struct OpenedImages {
    folder: Option<TempDir>,
    count: usize,
    is_closed: bool,
}

impl OpenedImages {
    /// Removes the files; none is written any more.
    pub(super) fn close(&mut self) {
        (self.folder, self.is_closed) = (None, true);
    }

    fn write(&mut self, image: &EmbeddedImage) -> Result<PathBuf, String> {
        if self.is_closed {
            return Err("obelus is ending".to_owned());
        }
        let bytes = image.bytes().ok_or("the image is damaged: its base64 does not end well")?;
        self.write_bytes(&bytes, image.kind.ending).map_err(|error| format!("the image cannot be written: {error}"))
    }

    fn write_bytes(&mut self, bytes: &[u8], ending: &str) -> io::Result<PathBuf> {
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("obelus-").tempdir()?,
        };
        self.count += 1;
        let path = self.folder.insert(folder).path().join(format!("{}.{ending}", self.count));
        std::fs::File::create_new(&path)?.write_all(bytes)?;
        Ok(path)
    }
}
