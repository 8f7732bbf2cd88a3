use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use recto::view::{Source, verify};
use serde_json::json;

use crate::{failure::Outcome, input, output};

/// Check that a span map belongs to a source and accounts for each of its bytes once
///
/// Prints `ok: ...` and what the map keeps. If the source is another one (its SHA-256 is compared first), or the map breaks its
/// law, the exit code is 1 and stderr says where.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto compress build.log --format map > build.map
  recto verify --source build.log --map build.map
  recto compress build.log --format json | recto verify --source build.log --map -")]
pub(crate) struct Arguments {
    /// The source
    #[arg(long, value_name = "FILE")]
    source: PathBuf,

    /// The span map, or a whole result of `compress --format json`; stdin if `-`
    #[arg(long, value_name = "MAP")]
    map: PathBuf,

    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let map = input::read_map(&arguments.map)?;
    let bytes = input::read(Some(&arguments.source))?;
    let verified = verify(&Source::new(&bytes), &map);
    if arguments.json {
        output::json(&json!({
            "ok": verified.is_ok(),
            "error": verified.as_ref().err().map(ToString::to_string),
            "srcBytes": map.src_bytes,
            "spans": map.spans.len(),
            "elisions": map.elisions.len(),
        }))?;
        return Ok(ExitCode::from(u8::from(verified.is_err())));
    }
    verified?;
    let dropped: u64 = map.elisions.iter().map(|elision| elision.bytes).sum();
    output::line(&format!(
        "ok: {} of {}, {} kept in {}, {} left out in {}",
        output::size(map.src_bytes),
        map.content_type,
        output::size(map.src_bytes.saturating_sub(dropped)),
        output::count(map.spans.len() as u64, "span"),
        output::size(dropped),
        output::count(map.elisions.len() as u64, "place"),
    ))?;
    Ok(ExitCode::SUCCESS)
}
