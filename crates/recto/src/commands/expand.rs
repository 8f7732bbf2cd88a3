use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use recto_recall::{Elisions, Found};

use crate::{
    failure::{Failure, Outcome},
    input,
    recall::{
        self,
        give::{self, Taking},
    },
    settings::Settings,
    store,
};

/// Give back what a view left out, byte for byte
///
/// REF is what a note states. With #N it is what note N left out (#N-M, as the note of an object has it: all from the first to the last
/// of its omissions), without it the whole original. A ref may be shortened to its first digits (six at least). What comes out are
/// the very bytes, also of binary originals and invalid UTF-8; a store that cannot be written can still be read.
///
/// Everything is printed unless pages are asked for; a page that is not the last says on stderr how to get the next one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto expand r:123456789012345              the whole original
  recto expand r:123456789012345#3            what note #3 left out
  recto expand r:123456789012345#3-9          what note #3-9 of an object left out
  recto expand r:123456789012345 --lines 40:80
  recto expand r:123456789012345 --grep 'timed? ?out' --context 2
  recto expand r:123456789012345#3 --page-bytes 20000
  recto expand --source build.log --map build.map --elision 3
  recto expand --source /tmp/recto-run-x1y2z3.out --grep 'error'    output that no store took")]
pub(crate) struct Arguments {
    /// The ref, with #N for one elision
    #[arg(value_name = "REF[#N]", required_unless_present = "source", conflicts_with = "source")]
    reference: Option<String>,

    /// A file instead of a ref: the source of a span map, or one of which there is none; stdin if `-`
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,

    /// The span map of the source, or a whole result of `compress --format json`
    #[arg(long, value_name = "MAP", requires = "source")]
    map: Option<PathBuf>,

    /// The number of the elision, or N-M for all from one to another; all of the source if absent
    #[arg(long, value_name = "N", requires = "map")]
    elision: Option<Elisions>,

    #[command(flatten)]
    taking: Taking,

    /// Print as JSON: the ref, the original, the range, and the text (base64 if it is not UTF-8)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    // What is wrong with the question is said before anything is read.
    let part = arguments.taking.part()?;
    match (&arguments.reference, &arguments.source) {
        (Some(reference), _) => {
            let asked = reference.parse()?;
            let (archive, scope) = (recall::archive(settings)?, store::scope());
            let found = recall::by_ref(&*archive, &scope, &asked, settings)?;
            let bytes = arguments.taking.give(part, &found, arguments.json)?;
            give::write_down("recto expand", found.name(), bytes, settings);
        }
        (None, Some(source)) => {
            arguments.taking.give(part, &by_source(source, arguments)?, arguments.json)?;
        }
        (None, None) => return Err(Failure::usage("name a REF, or --source")),
    }
    Ok(ExitCode::SUCCESS)
}

fn by_source(source: &Path, arguments: &Arguments) -> Outcome<Found<'static>> {
    if let Some(map) = &arguments.map {
        let map = input::read_map(map)?;
        return Ok(Found::by_map(input::read(Some(source))?, &map, arguments.elision)?);
    }
    if source.metadata().is_ok_and(|about| about.is_file()) {
        return Ok(Found::by_file(source)?);
    }
    Ok(Found::by_bytes(input::read(Some(source))?))
}
