use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use recto::view::{CompressionResult, Source, SpanMap, verify};
use serde::Deserialize;

use crate::{
    failure::{Failure, Outcome},
    input, output,
};

/// Check that a span map belongs to a source and accounts for each of its bytes once
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto compress build.log --format map > build.map
  recto verify --source build.log --map build.map")]
pub(crate) struct Arguments {
    /// The source
    #[arg(long, value_name = "FILE")]
    source: PathBuf,

    /// The span map, or a whole result of `compress --format json`
    #[arg(long, value_name = "MAP")]
    map: PathBuf,

    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let map = read_map(&arguments.map)?;
    let bytes = input::read_file(&arguments.source)?;
    let outcome = verify(&Source::new(&bytes), &map);
    if arguments.json {
        let error = outcome.as_ref().err().map(ToString::to_string);
        output::json(
            &serde_json::json!({"ok": outcome.is_ok(), "error": error, "spans": map.spans.len(), "elisions": map.elisions.len(), "srcBytes": map.src_bytes}),
        )?;
        return Ok(ExitCode::from(u8::from(outcome.is_err())));
    }
    outcome?;
    let dropped: u64 = map.elisions.iter().map(|elision| elision.bytes).sum();
    output::line(&format!(
        "ok: {} {}, {} kept in {} spans, {} left out in {} places",
        output::size(map.src_bytes),
        map.content_type,
        output::size(map.src_bytes - dropped),
        map.spans.len(),
        output::size(dropped),
        map.elisions.len()
    ))?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Either {
    Result(CompressionResult),
    Map(SpanMap),
}

/// Reads a span map, alone or inside a result.
pub(crate) fn read_map(path: &Path) -> Outcome<SpanMap> {
    let text = input::read_file(path)?;
    let wrong = |what: String| {
        Failure::usage(format!("{} is no span map: {what}", path.display()))
            .hint("make one with `recto compress FILE --format map`")
    };
    match serde_json::from_slice(&text) {
        Ok(Either::Map(map)) => Ok(map),
        Ok(Either::Result(result)) => {
            result.span_map().cloned().ok_or_else(|| wrong("a semantic result has none".to_owned()))
        }
        Err(_) => {
            // The untagged error says nothing; the map's own says where and what.
            let error = serde_json::from_slice::<SpanMap>(&text).err();
            Err(wrong(error.map_or_else(|| "unknown form".to_owned(), |error| error.to_string())))
        }
    }
}
