//! Links and images, given to the program that the system opens them with.

use crate::panes::openables::{EmbeddedImage, Openable};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// How long a program may take to say that it cannot.
const PATIENCE: Duration = Duration::from_secs(1);

/// The files of images that were opened; they go away with it.
#[derive(Debug, Default)]
pub(super) struct OpenedImages {
    folder: Option<TempDir>,
    count: usize,
}

impl OpenedImages {
    /// Opens a link or an image.
    ///
    /// # Errors
    /// A sentence for the user: there is no program for it, the image is damaged or cannot be written.
    pub(super) fn open(&mut self, openable: &Openable) -> Result<String, String> {
        match openable {
            Openable::Link(address) => match open::that_detached_with_timeout(address, PATIENCE) {
                Ok(()) => Ok(format!("opened {address}")),
                Err(_) => Err(format!("the system has no program that opens links, as {address}")),
            },
            Openable::Image(image) => {
                let path = self.write(image)?;
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

    fn write(&mut self, image: &EmbeddedImage) -> Result<PathBuf, String> {
        let bytes = image.bytes().ok_or("the image is damaged: its base64 does not end well")?;
        let write = |folder: &TempDir, count: usize| -> io::Result<PathBuf> {
            let path = folder.path().join(format!("{count}.{}", image.kind.ending));
            std::fs::File::create_new(&path)?.write_all(&bytes)?;
            Ok(path)
        };
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("obelus-").tempdir().map_err(|error| error.to_string())?,
        };
        self.count += 1;
        let written = write(&folder, self.count).map_err(|error| format!("the image cannot be written: {error}"));
        self.folder = Some(folder);
        written
    }
}
