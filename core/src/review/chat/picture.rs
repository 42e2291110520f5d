//! D5: the picture of an observation as a part of a message.

use super::content::Content;
use super::message_text::{Left, count};
use crate::json::Value;

/// D13: a longer content is the picture itself, not its place.
const PLACE_CHARS_MAX: usize = 512;

/// How the base64 of a picture begins, and what it is then.
const BEGINNINGS: [(&str, &str); 5] =
    [("iVBORw0KGgo", "png"), ("/9j/", "jpeg"), ("R0lGOD", "gif"), ("UklGR", "webp"), ("Qk0", "bmp")];

/// The part of a picture with this content: its address, or what is in the record itself. A file beside the record is
/// counted, since only its place is carried; None where nobody knows what it is.
pub(super) fn picture(content: &str, left: &mut Left) -> Option<Content> {
    let text = content.trim();
    if text.is_empty() {
        return None;
    }
    if text.chars().nth(PLACE_CHARS_MAX).is_some() && !text.starts_with("data:") {
        let (_, kind) = BEGINNINGS.iter().find(|(begin, _)| text.starts_with(begin))?;
        return Some(Content::picture(&format!("data:image/{kind};base64,{text}")));
    }
    if !text.starts_with("data:") && (!text.contains("://") || text.starts_with("file://")) {
        count(left, "picture in a file, of which only the place is there");
    }
    Some(Content::picture(text))
}

/// The content of a picture that another observation holds.
pub(super) fn of_page<'a>(page: &'a Value<'a>) -> Option<&'a str> {
    page.get("image_observation")?.get("content")?.as_str()
}
