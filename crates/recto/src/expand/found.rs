//! The run of an original that a ref, or a span map, means.

use std::{
    fs::File,
    ops::{ControlFlow, Range},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use recto::{
    archive::{Archive, ArchiveError, Digest, Ref, SqliteArchive, Target, block_on},
    view::{Source, SpanMap, ViewError, expand},
};
use sha2::{Digest as _, Sha256};

use crate::{
    failure::{Failure, Outcome},
    input,
    settings::Settings,
    store,
};

/// Fewest digits of a ref that are taken for its beginning.
const FEWEST_DIGITS: usize = 6;

/// Bytes that are read at once, a multiple of the archive's chunks.
pub(crate) const PIECE_BYTES: u64 = 8 << 20;

/// Where the bytes come from.
enum Origin {
    Stored { archive: Box<SqliteArchive>, name: Ref },
    Given { bytes: Vec<u8> },
    File { file: File, path: PathBuf },
}

/// The run of an original that was asked for.
pub(crate) struct Found {
    origin: Origin,
    /// The original's digest, where it is known without reading all of it.
    digest: Option<Digest>,
    /// Length of the original.
    pub(crate) total_bytes: u64,
    pub(crate) elision: Option<u64>,
    /// Where the run lies in the original.
    pub(crate) range: Range<u64>,
}

impl Found {
    /// Finds what `REF` or `REF#N` names.
    pub(crate) fn by_ref(text: &str, settings: &Settings) -> Outcome<Self> {
        let (name, elision) = split(text)?;
        let path = store::path(settings);
        if !path.exists() {
            return Err(Failure::job(format!("there is no archive at {}", path.display()))
                .hint("name another one with `--store PATH`"));
        }
        let in_store = |error: ArchiveError| explain(error, &path);
        let archive = Box::new(store::open_existing(settings).map_err(in_store)?);
        let scope = store::scope();
        let name = block_on(archive.find_ref(&scope, name)).map_err(in_store)?;
        let (digest, map) = match block_on(archive.resolve(&scope, &name)).map_err(in_store)? {
            Some(Target::Original(digest)) => (digest, None),
            Some(Target::View { original, map, .. }) => (original, Some(map)),
            Some(Target::Gone { why }) => {
                return Err(Failure::job(format!("what {name} named is no longer kept: {why}")));
            }
            _ => return Err(in_store(ArchiveError::NotFound { what: format!("ref {name}") })),
        };
        let stat = block_on(archive.stat(&scope, &digest)).map_err(in_store)?;
        let total_bytes = stat.map(|stat| stat.bytes).ok_or_else(|| {
            Failure::job(format!("the original of {name} is missing from {}", path.display()))
                .hint("`recto store verify` tells what else is")
        })?;
        let range = match (elision, map) {
            (None, _) => 0..total_bytes,
            (Some(asked), None) => {
                return Err(Failure::usage(format!(
                    "{name} names a whole original: it has no elision #{asked}"
                ))
                .hint(format!("take all of it, or a part: recto expand {name} --lines 1:100")));
            }
            (Some(asked), Some(map)) => {
                let map = block_on(archive.get(&scope, &map, 0..u64::MAX)).map_err(in_store)?;
                let map: SpanMap = serde_json::from_slice(&map).map_err(|error| {
                    Failure::job(format!("the span map of {name} is damaged: {error}"))
                        .hint("`recto store verify` tells what else is")
                })?;
                elision_range(&map, asked)?
            }
        };
        let digest = Some(digest);
        Ok(Self { origin: Origin::Stored { archive, name }, digest, total_bytes, elision, range })
    }

    /// Finds what a span map says of its source.
    pub(crate) fn by_map(source: &Path, map: &Path, elision: Option<u64>) -> Outcome<Self> {
        let map = input::read_map(map)?;
        let bytes = input::read(Some(source))?;
        let total_bytes = bytes.len() as u64;
        let digest = {
            let source = Source::new(&bytes);
            expand(&source, &map, None)?;
            Digest(source.sha256())
        };
        let range = elision.map_or(Ok(0..total_bytes), |asked| elision_range(&map, asked))?;
        Ok(Self { origin: Origin::Given { bytes }, digest: Some(digest), total_bytes, elision, range })
    }

    /// Finds all of a file, or of stdin where the path is `-`: a source of which there is no map, as output that the archive did not
    /// take. A plain file may be of any length, as it is read by pieces.
    pub(crate) fn by_file(path: &Path) -> Outcome<Self> {
        let is_plain = path.metadata().is_ok_and(|about| about.is_file());
        let (origin, total_bytes) = if is_plain {
            let file = File::open(path).map_err(|error| Failure::file(path, "open", &error))?;
            let about = file.metadata().map_err(|error| Failure::file(path, "read", &error))?;
            (Origin::File { file, path: path.to_owned() }, about.len())
        } else {
            let bytes = input::read(Some(path))?;
            let total_bytes = bytes.len() as u64;
            (Origin::Given { bytes }, total_bytes)
        };
        Ok(Self { origin, digest: None, total_bytes, elision: None, range: 0..total_bytes })
    }

    /// The original's digest; all of it may be read for that.
    pub(crate) fn digest(&self) -> Outcome<Digest> {
        if let Some(digest) = self.digest {
            return Ok(digest);
        }
        let mut hash = Sha256::new();
        self.stream(0..self.total_bytes, &mut |piece| {
            hash.update(piece);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Digest(hash.finalize().into()))
    }

    /// The ref that was found, if it was asked for by one.
    pub(crate) fn name(&self) -> Option<&Ref> {
        match &self.origin {
            Origin::Stored { name, .. } => Some(name),
            Origin::Given { .. } | Origin::File { .. } => None,
        }
    }

    /// Length of the run.
    pub(crate) fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Reads a part of the run; offsets count from the run's start and may lie beyond its end.
    pub(crate) fn read(&self, part: Range<u64>) -> Outcome<Vec<u8>> {
        let start = self.range.start.saturating_add(part.start).min(self.range.end);
        let end = self.range.start.saturating_add(part.end).min(self.range.end);
        Ok(match &self.origin {
            Origin::Stored { archive, .. } => {
                block_on(archive.get(&store::scope(), &self.digest()?, start..end))?
            }
            Origin::File { file, path } => {
                let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(usize::MAX)];
                file.read_exact_at(&mut bytes, start).map_err(|error| Failure::file(path, "read", &error))?;
                bytes
            }
            Origin::Given { bytes } => {
                let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
                range.and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default().to_vec()
            }
        })
    }

    /// Hands a part of the run to `sink`, piece by piece, until it wants no more.
    ///
    /// If the part is the whole original its SHA-256 is checked, at the latest when all is handed over.
    pub(crate) fn stream(
        &self,
        part: Range<u64>,
        sink: &mut dyn FnMut(&[u8]) -> Outcome<ControlFlow<()>>,
    ) -> Outcome<()> {
        let is_whole = self.range == (0..self.total_bytes) && part == self.range;
        let mut check = self.digest.filter(|_| is_whole).map(|digest| (digest, Sha256::new()));
        let mut at = part.start;
        while at < part.end {
            let end = at.saturating_add(PIECE_BYTES).min(part.end);
            let piece = self.read(at..end)?;
            if let Some((_, hash)) = &mut check {
                hash.update(&piece);
            }
            if sink(&piece)?.is_break() {
                return Ok(());
            }
            at = end;
        }
        if let Some((digest, hash)) = check
            && hash.finalize().as_slice() != digest.as_bytes()
        {
            return Err(Failure::job(format!(
                "what was given back is not original {digest}: the stored bytes are damaged"
            ))
            .hint("`recto store verify` tells what else is"));
        }
        Ok(())
    }
}

/// Splits `REF#N`, and refuses a beginning of a ref that is too short to mean one.
fn split(text: &str) -> Outcome<(&str, Option<u64>)> {
    let (name, elision) = match text.split_once('#') {
        Some((name, number)) => {
            let number = number.parse().map_err(|_| {
                Failure::usage(format!("{number:?} is no number of an elision"))
                    .hint("write it as in the note: r:123456789012345#3")
            })?;
            (name, Some(number))
        }
        None => (text, None),
    };
    let digits = Ref::check_prefix(name).map_err(|error| {
        Failure::from(error).hint("a ref is written as in the note: r:123456789012345, or its first digits")
    })?;
    if digits.len() < FEWEST_DIGITS {
        return Err(Failure::usage(format!(
            "{name:?} is too short for a ref: give its first {FEWEST_DIGITS} digits at least"
        )));
    }
    Ok((name, elision))
}

fn explain(error: ArchiveError, path: &Path) -> Failure {
    let is_missing = matches!(error, ArchiveError::NotFound { .. });
    let failure = Failure::from(error);
    if is_missing {
        failure.hint(format!("searched {}; another store is named with `--store PATH`", path.display()))
    } else {
        failure
    }
}

fn elision_range(map: &SpanMap, asked: u64) -> Outcome<Range<u64>> {
    let have = map.elisions.len() as u64;
    let span = map.elision_span(asked).ok_or(ViewError::NoSuchElision { asked, have })?;
    Ok(span.s..span.e)
}
