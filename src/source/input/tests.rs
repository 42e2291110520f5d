//! What an input is opened as, and what its reader says when it fails.

use super::*;

#[test]
fn says_what_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| Input::open(path).unwrap_err().to_string();
    assert!(open(&folder.path().join("none")).contains("no such file"));
    assert!(open(folder.path()).contains("is a folder"));
    let file = folder.path().join("a.jsonl");
    std::fs::write(&file, "{}\n").unwrap();
    assert!(open(&file.join("b")).contains("a part of the path is a file"), "{}", open(&file.join("b")));
    let packed = folder.path().join("packed.jsonl");
    std::fs::write(&packed, b"BZh91AY").unwrap();
    assert!(open(&packed).contains("bzip2"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_names_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("latest.jsonl");
    std::os::unix::fs::symlink("run-17.jsonl", &link).unwrap();
    let message = Input::open(&link).unwrap_err().to_string();
    assert!(
        message.ends_with("a symbolic link to run-17.jsonl, where nothing is; make it lead to a file"),
        "{message}"
    );
}

#[test]
fn a_folder_that_may_not_be_read_is_reported_as_a_file_is() {
    let message = cannot_open("runs/x", &ErrorKind::PermissionDenied.into()).to_string();
    assert_eq!(message, "runs/x: no permission to read it; ask its owner, or look at `ls -l`");
}

#[test]
fn reads_spans_and_says_when_they_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, b"0123456789").unwrap();
    let input = Input::open(&path).unwrap();
    assert_eq!(input.read(Span { offset: 3, len: 4 }).unwrap(), b"3456");
    assert!(input.read(Span { offset: 3, len: 8 }).is_err());
    assert!(input.read(Span { offset: u64::MAX, len: 2 }).is_err());
    std::fs::write(&path, b"01234").unwrap();
    assert!(input.read(Span { offset: 3, len: 4 }).is_err(), "it shrank while it was open");
    assert_eq!((input.len(), input.refresh().unwrap(), input.len()), (10, 5, 5));
}

#[test]
fn a_stream_is_spooled_and_waited_for() {
    let stream = io::Cursor::new(vec![b'x'; 200_000]);
    let input = Input::spooled("stream".to_owned(), None, Packing::Unknown, move || Ok(stream)).unwrap();
    input.wait().unwrap();
    assert_eq!((input.len(), input.may_grow()), (200_000, false));
    let failing = || Err::<io::Empty, _>(Problem::unreadable("no"));
    assert!(Input::spooled("stream".to_owned(), None, Packing::Unknown, failing).unwrap().wait().is_err());
}

/// A decoder that cannot be what it reads.
struct Frail(&'static [u8]);

impl Read for Frail {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        assert!(!self.0.is_empty(), "damaged");
        self.0.read(block)
    }
}

#[test]
fn a_reader_that_fails_is_reported_and_what_it_read_stays() {
    let input = Input::played("frail".to_owned(), Frail(b"{\"a\":1}\n")).unwrap();
    let problem = input.wait().unwrap_err();
    assert!(problem.message.contains("frail is damaged behind 8 bytes"), "{problem}");
    assert_eq!(input.len(), 8);
}
