//! Lines of calls, from stdin or a file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal as _},
    path::Path,
};

use crate::{
    failure::{Failure, Outcome},
    output,
};

/// Opens the lines of calls. Stdin cannot hold both them and the tools.
pub(crate) fn open(calls: Option<&Path>, tools: &str) -> Outcome<Box<dyn BufRead>> {
    match calls.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let file = File::open(path).map_err(|error| Failure::file(path, "open", &error))?;
            Ok(Box::new(BufReader::new(file)))
        }
        None if tools == "-" => Err(Failure::usage("stdin cannot hold both the tools and the calls")
            .hint("name a file for one of them: `--calls FILE`")),
        None => {
            let stdin = io::stdin().lock();
            if stdin.is_terminal() {
                output::complain(
                    "reading calls from the terminal, one a line; Ctrl-D on a line of its own ends it",
                );
            }
            Ok(Box::new(stdin))
        }
    }
}

/// One line that was read.
pub(crate) fn line(read: io::Result<String>) -> Outcome<String> {
    read.map_err(|error| {
        Failure::usage(format!("cannot read the calls: {error}"))
            .hint("write them as UTF-8, one JSON object a line")
    })
}
