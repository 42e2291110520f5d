//! What of a step another program can show: the addresses in its text, and the images that are in its record.

use super::reading::Step;
use crate::format::Run;
use crate::json::{self, Value};
use crate::model::{Bytes, Problem, lossy};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use linkify::{LinkFinder, LinkKind};
use std::collections::HashSet;

/// Most of them that are listed.
const OPENABLES_MAX: usize = 200;
/// Characters of base64 that show what an image is.
const HEAD_CHARS: usize = 24;
/// Fewest characters of base64 of an image.
const IMAGE_CHARS_MIN: usize = 64;
/// What else is in the text of a data URL, before the base64.
const DATA_URL_CHARS_MAX: usize = 100;

/// Kinds of images and documents, by the bytes with which they begin; none of them can hold a program.
static IMAGE_KINDS: [ImageKind; 6] = [
    ImageKind { media_type: "image/png", ending: "png", head: b"\x89PNG\r\n\x1a\n" },
    ImageKind { media_type: "image/jpeg", ending: "jpg", head: b"\xff\xd8\xff" },
    ImageKind { media_type: "image/gif", ending: "gif", head: b"GIF8" },
    ImageKind { media_type: "image/webp", ending: "webp", head: b"RIFF" },
    ImageKind { media_type: "image/bmp", ending: "bmp", head: b"BM" },
    ImageKind { media_type: "application/pdf", ending: "pdf", head: b"%PDF-" },
];

/// A kind of images.
#[derive(Debug, PartialEq, Eq)]
pub struct ImageKind {
    /// Its media type.
    pub media_type: &'static str,
    /// How the names of its files end.
    pub ending: &'static str,
    /// The bytes with which all of them begin.
    head: &'static [u8],
}

/// What another program can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Openable {
    /// An address that begins with `http://` or `https://`.
    Link(String),
    /// An image or a document.
    Image(EmbeddedImage),
}

/// An image that is in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedImage {
    /// What it is by its bytes, whatever the record says.
    pub kind: &'static ImageKind,
    base64: String,
}

impl EmbeddedImage {
    /// An image from base64, also in a data URL.
    fn of(text: &str) -> Option<Self> {
        let text = match text.strip_prefix("data:") {
            Some(url) => {
                let (about, text) = url.split_once(',')?;
                (about.len() <= DATA_URL_CHARS_MAX && about.ends_with(";base64")).then_some(text)?
            }
            None => text,
        };
        let head = text.get(..HEAD_CHARS).filter(|_| text.len() >= IMAGE_CHARS_MIN)?;
        let head = BASE64_STANDARD.decode(head).ok()?;
        let kind = IMAGE_KINDS.iter().find(|kind| head.starts_with(kind.head))?;
        let is_webp = kind.ending != "webp" || head.get(8..12) == Some(b"WEBP");
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        (is_webp && text.bytes().all(is_base64)).then(|| Self { kind, base64: text.to_owned() })
    }

    /// Its bytes; None: the base64 is damaged.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        BASE64_STANDARD.decode(&self.base64).ok()
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        let padding = self.base64.bytes().rev().take_while(|byte| *byte == b'=').count();
        (self.base64.len() / 4 * 3).saturating_sub(padding) as u64
    }
}

/// What a step and the results of its calls have, each once, in the order of the records.
///
/// # Errors
/// Nothing was found, and a record cannot be read: it may have some.
pub fn openables(run: &dyn Run, bytes: &dyn Bytes, of: &Step) -> Result<Vec<Openable>, Problem> {
    let (mut found, mut unread) = (Finder::default(), None);
    let steps = std::iter::once(of.step).chain(of.results.iter().copied());
    for place in steps.filter_map(|step| run.place(step)) {
        match bytes.read(place.place.span) {
            Ok(record) => found.record(&lossy(&record)),
            Err(problem) => unread = Some(problem),
        }
    }
    match unread {
        Some(problem) if found.all.is_empty() => Err(problem),
        _ => Ok(found.all),
    }
}

#[derive(Default)]
struct Finder {
    all: Vec<Openable>,
    links: HashSet<String>,
}

impl Finder {
    fn record(&mut self, text: &str) {
        let Ok(root) = json::parse(text) else { return self.text(text) };
        let mut waiting: Vec<&Value<'_>> = vec![&root];
        while let Some(value) = waiting.pop() {
            if let Some(text) = value.as_str() {
                self.text(text);
            }
            // The first comes first.
            waiting.extend(value.as_array().unwrap_or_default().iter().rev());
            let members: Vec<&Value<'_>> =
                value.as_object().into_iter().flat_map(|o| o.entries()).map(|e| e.1).collect();
            waiting.extend(members.into_iter().rev());
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(image) = EmbeddedImage::of(text) {
            return self.add(Openable::Image(image));
        }
        let mut finder = LinkFinder::new();
        finder.kinds(&[LinkKind::Url]);
        for link in finder.links(text) {
            let link = link.as_str();
            let is_web = ["http://", "https://"].iter().any(|scheme| link.starts_with(scheme));
            if is_web && self.links.insert(link.to_owned()) {
                self.add(Openable::Link(link.to_owned()));
            }
        }
    }

    fn add(&mut self, openable: Openable) {
        if self.all.len() < OPENABLES_MAX && !self.all.contains(&openable) {
            self.all.push(openable);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(record: &str) -> Vec<Openable> {
        let mut finder = Finder::default();
        finder.record(record);
        finder.all
    }

    fn links(record: &str) -> Vec<String> {
        let link = |openable| match openable {
            Openable::Link(link) => link,
            Openable::Image(image) => panic!("{image:?}"),
        };
        found(record).into_iter().map(link).collect()
    }

    #[test]
    fn links_end_where_the_address_ends_and_are_listed_once() {
        let record = r#"{"content":"See [x](https://a.example/x_(y)?q=1), https://b.example.\nand <http://c.example/>",
                         "more":{"z":"https://a.example/x_(y)?q=1 file:///etc/passwd javascript:alert(1)"}}"#;
        assert_eq!(links(record), ["https://a.example/x_(y)?q=1", "https://b.example", "http://c.example/"]);
        assert_eq!(links("no json https://d.example"), ["https://d.example"]);
        assert!(links(r#"{"a":[1,null,"file:///x"]}"#).is_empty());
    }

    #[test]
    fn an_image_is_what_its_bytes_are() {
        let png: Vec<u8> = b"\x89PNG\r\n\x1a\n".iter().copied().chain(0..90).collect();
        let text = BASE64_STANDARD.encode(&png);
        let record = format!(r#"[{{"url":"data:image/svg+xml;base64,{text}"}},{{"data":"{text}"}}]"#);
        let all = found(&record);
        let [Openable::Image(image)] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((image.kind.ending, image.size(), image.bytes()), ("png", 98, Some(png)));
        let svg = BASE64_STANDARD.encode("<svg onload='alert(1)'/>".repeat(9));
        assert!(found(&format!(r#"{{"url":"data:image/png;base64,{svg}"}}"#)).is_empty());
        let riff = BASE64_STANDARD.encode(b"RIFF....WAVEfmt".repeat(9));
        assert!(found(&format!(r#""{riff}""#)).is_empty());
        let damaged = format!("{}\u{1b}", BASE64_STANDARD.encode(b"%PDF-1.7".repeat(20)));
        assert!(found(&json::quote(&damaged)).is_empty());
    }

    #[test]
    fn a_deep_record_and_many_links_end() {
        let nested = |depth| format!("{}\"https://a.example\"{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(links(&nested(50)).len(), 1);
        assert!(links(&nested(200_000)).len() <= 1);
        let many: String = (0..5_000).map(|n| format!("https://a.example/{n} ")).collect();
        assert_eq!(links(&json::quote(&many)).len(), OPENABLES_MAX);
    }
}
