//! Text to the clipboard of the terminal, by the sequence OSC 52, which works over ssh too.

use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::queue;

/// Most bytes of text. Terminals and multiplexers cut or drop longer sequences without a word.
const COPY_BYTES_MAX: usize = 64 * 1024;

/// The bytes that ask a terminal to put `text` on the clipboard. The text is base64 inside, so none of it can act.
///
/// # Errors
/// A sentence for the user, when there is nothing to copy or too much.
pub(super) fn sequence(text: &str) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Err("there is nothing to copy here".to_owned());
    }
    if text.len() > COPY_BYTES_MAX {
        let (size, limit) = (text.len().div_ceil(1024), COPY_BYTES_MAX / 1024);
        return Err(format!(
            "{size} KiB are too long to copy: terminals take at most {limit} KiB; export it to a file instead"
        ));
    }
    let mut bytes = Vec::new();
    queue!(bytes, CopyToClipboard::to_clipboard_from(text)).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded() {
        assert_eq!(sequence("foo").unwrap(), b"\x1b]52;c;Zm9v\x1b\\");
        let hostile = sequence("\u{1b}]0;x\u{7}").unwrap();
        assert_eq!(hostile.iter().filter(|byte| byte.is_ascii_control()).count(), 2, "only our own two");
    }

    #[test]
    fn the_limit_is_told() {
        assert!(sequence(&"x".repeat(COPY_BYTES_MAX - 1)).is_ok());
        assert!(sequence(&"x".repeat(COPY_BYTES_MAX)).is_ok());
        let message = sequence(&"x".repeat(COPY_BYTES_MAX + 1)).unwrap_err();
        assert!(message.contains("65 KiB") && message.contains("64 KiB"), "{message}");
        assert!(sequence("").is_err());
    }
}
