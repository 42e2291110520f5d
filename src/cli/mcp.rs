//! `obelus mcp`: the questions of the command line as tools of the Model Context Protocol, over standard input and
//! output. Read-only: no tool writes, and none reads outside of the folders that were named.

mod answer;
mod protocol;
mod roots;
mod tools;

use super::args::{FileName, parsed};
use super::out::Out;
use super::{Command, Stop};
use clap::{ArgMatches, Args};
use protocol::{ProtocolLine, Server, read_line};
use roots::Roots;
use std::io::{self, BufReader, Write};

pub(super) const COMMAND: Command = Command { name: "mcp", describe: Options::augment_args, run };

/// Serve agents over standard input and output, with the Model Context Protocol
///
/// Its tools answer what the commands answer: steps, search, step, state, blame, history, files, check, diff. They only
/// read, and only files in the folders that are named here. docs/agents.md shows how clients start it.
#[derive(Debug, Args)]
struct Options {
    /// Folders whose files may be read [default: the current folder]
    #[arg(value_name = "DIR")]
    roots: Vec<FileName>,
}

fn run(matches: &ArgMatches, _out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let server = Server::new(Roots::of(&options.roots)?);
    let (mut input, mut to) = (BufReader::new(io::stdin().lock()), io::stdout().lock());
    loop {
        let answer = match read_line(&mut input) {
            Ok(ProtocolLine::End) => return Ok(0),
            Ok(line) => server.answer(&line),
            // A client that is gone has ended the session.
            Err(_) => return Ok(0),
        };
        if let Some(answer) = answer {
            writeln!(to, "{answer}").and_then(|()| to.flush())?;
        }
    }
}
