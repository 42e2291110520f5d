//! The folder of LangGraph's development server (`.langgraph_api`) as one input: the checkpoints of each thread with
//! the writes after them and the values of their channels, which are in files of their own.

use super::store::{Joined, StorePart, checkpoints, part_of};
use crate::format::assembler::Assembler;
use crate::json::Pickle;
use crate::model::{Archive, Contents, Problem, Sink};

/// How such folders are read.
pub(in crate::format) struct Folder;

/// What the names of the files begin and end with.
const BEGIN: &str = ".langgraph_checkpoint.";
const END: &str = ".pckl";

/// Most bytes of one of the files.
const PICKLE_BYTES_MAX: usize = 1 << 30;

fn is_store(name: &str) -> bool {
    name.starts_with(BEGIN) && name.ends_with(END)
}

/// A file that is a part of a store.
fn read(files: &mut dyn Archive, number: usize) -> Result<Option<(StorePart, Pickle)>, Problem> {
    let bytes = files.read_whole(number, PICKLE_BYTES_MAX)?;
    let pickle = Pickle::read(&bytes).map_err(|why| Problem::unreadable(format!("a pickle cannot be read: {why}")))?;
    Ok(part_of(&pickle).map(|part| (part, pickle)))
}

impl Assembler for Folder {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        matches!(contents, Contents::Folder(files) if files.names().iter().any(|name| is_store(name)))
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Folder(files) = contents else { return Ok(()) };
        let numbers: Vec<usize> = (0..).zip(files.names()).filter(|(_, name)| is_store(name)).map(|(n, _)| n).collect();
        let (mut threads, mut writes, mut values, mut trouble) = (None, None, None, Ok(()));
        for number in numbers {
            match read(files, number) {
                Ok(Some((StorePart::Checkpoints, pickle))) => threads = Some(pickle),
                Ok(Some((StorePart::Writes, pickle))) => writes = Some(pickle),
                Ok(Some((StorePart::Values, pickle))) => values = Some(pickle),
                Ok(_) => {}
                // What can be read comes all the same.
                Err(why) => trouble = trouble.and(Err(why)),
            }
        }
        if let Some(threads) = threads {
            checkpoints(&threads, &Joined::of(writes.as_ref(), values.as_ref()), out)?;
        }
        trouble
    }
}
