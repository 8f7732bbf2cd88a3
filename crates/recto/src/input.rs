//! A source, or a span map, from a file or from stdin.

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    os::fd::AsFd,
    path::Path,
};

use recto::view::SpanMap;
use serde::{Deserialize, de::IgnoredAny};

use crate::{
    failure::{Failure, Outcome},
    output,
};

/// Longest source: offsets are 32 bits wide.
const LIMIT_BYTES: u64 = u32::MAX as u64;

/// Reads all of a file, or of stdin where the path is absent or `-`.
pub(crate) fn read(path: Option<&Path>) -> Outcome<Vec<u8>> {
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => read_file(path),
        None => read_stdin(),
    }
}

fn read_file(path: &Path) -> Outcome<Vec<u8>> {
    let file = File::open(path).map_err(|error| Failure::file(path, "open", &error))?;
    let about = file.metadata().map_err(|error| Failure::file(path, "read", &error))?;
    if about.is_dir() {
        return Err(Failure::usage(format!("{} is a folder", path.display()))
            .hint("name a file, or pipe something in"));
    }
    read_all(file, path, about.len())
}

fn read_stdin() -> Outcome<Vec<u8>> {
    let stdin = io::stdin().lock();
    if stdin.is_terminal() {
        output::complain("reading from the terminal; Ctrl-D on a line of its own ends it");
    }
    // Behind `< FILE` there is a file, whose length is known before it is read.
    let length = stdin.as_fd().try_clone_to_owned().and_then(|stdin| File::from(stdin).metadata());
    let length = length.ok().filter(std::fs::Metadata::is_file).map_or(0, |about| about.len());
    read_all(stdin, Path::new("stdin"), length)
}

fn read_all(from: impl Read, path: &Path, expected_bytes: u64) -> Outcome<Vec<u8>> {
    check_length(expected_bytes, path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(expected_bytes).unwrap_or(0) + 1);
    let bar = output::progress(expected_bytes, "reading");
    bar.wrap_read(from)
        .take(LIMIT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::file(path, "read", &error))?;
    bar.finish_and_clear();
    check_length(bytes.len() as u64, path)?;
    Ok(bytes)
}

fn check_length(bytes: u64, path: &Path) -> Outcome<()> {
    if bytes <= LIMIT_BYTES {
        return Ok(());
    }
    Err(Failure::usage(format!("{} has more than the limit of {LIMIT_BYTES} bytes (4 GiB)", path.display()))
        .hint("split it, for instance with `split --line-bytes=1G`"))
}

/// A span map, or whatever holds one: the results of all methods but one do.
#[derive(Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Either {
    Holder { span_map: SpanMap },
    Map(SpanMap),
    Semantic { provenance_map: IgnoredAny },
}

/// Reads a span map, alone or inside a result; from stdin where the path is `-`.
pub(crate) fn read_map(path: &Path) -> Outcome<SpanMap> {
    let text = read(Some(path))?;
    let wrong = |what: String| {
        Failure::usage(format!("{} is no span map: {what}", path.display()))
            .hint("make one with `recto compress FILE --format map`")
    };
    match serde_json::from_slice(&text) {
        Ok(Either::Map(map) | Either::Holder { span_map: map }) => Ok(map),
        Ok(Either::Semantic { provenance_map: IgnoredAny }) => {
            Err(wrong("a semantic result has none".to_owned()))
        }
        Err(_) => {
            // The untagged error says nothing; the map's own says where and what.
            let error = serde_json::from_slice::<SpanMap>(&text).err();
            Err(wrong(error.map_or_else(|| "unknown form".to_owned(), |error| error.to_string())))
        }
    }
}
