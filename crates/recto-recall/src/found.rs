use std::{
    fs::File,
    ops::{ControlFlow, Range},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use recto_archive::{Archive, ArchiveError, Digest, Ref, Scope, Target, block_on};
use recto_view::{Source, SpanMap, ViewError, expand};
use sha2::{Digest as _, Sha256};

use crate::{Asked, Elisions, RecallError};

/// Bytes that are read at once, a multiple of the archive's chunks.
pub(crate) const PIECE_BYTES: u64 = 8 << 20;

/// Where the bytes come from.
enum Origin<'a> {
    Stored { archive: &'a dyn Archive, scope: &'a Scope, name: Ref, digest: Digest },
    Given { bytes: Vec<u8> },
    File { file: File, path: PathBuf },
}

/// The run of an original that was asked for: an elision, all from one to another, or all of it.
pub struct Found<'a> {
    origin: Origin<'a>,
    /// The original's digest, where it is known without reading all of it.
    digest: Option<Digest>,
    total_bytes: u64,
    elision: Option<Elisions>,
    range: Range<u64>,
}

impl<'a> Found<'a> {
    /// Finds what a ref, or an elision of its view, names in an archive.
    ///
    /// # Errors
    /// [`RecallError::Archive`] with `NotFound` for a ref that this scope was never issued, [`RecallError::Gone`],
    /// [`RecallError::NoElisions`], [`RecallError::View`] for an elision that the view does not have.
    pub fn by_ref(archive: &'a dyn Archive, scope: &'a Scope, asked: &Asked) -> Result<Self, RecallError> {
        let name = block_on(archive.find_ref(scope, asked.name()))?;
        let (digest, map) = match block_on(archive.resolve(scope, &name))? {
            Some(Target::Original(digest)) => (digest, None),
            Some(Target::View { original, map, .. }) => (original, Some(map)),
            Some(Target::Gone { why }) => return Err(RecallError::Gone { name, why }),
            _ => return Err(ArchiveError::NotFound { what: format!("ref {name}") }.into()),
        };
        let Some(stat) = block_on(archive.stat(scope, &digest))? else {
            return Err(RecallError::Missing { name });
        };
        let range = match (asked.elision, map) {
            (None, _) => 0..stat.bytes,
            (Some(asked), None) => return Err(RecallError::NoElisions { name, asked }),
            (Some(asked), Some(map)) => {
                let map = block_on(archive.get(scope, &map, 0..u64::MAX))?;
                match serde_json::from_slice(&map) {
                    Ok(map) => elision_range(&map, asked)?,
                    Err(source) => return Err(RecallError::MapDamaged { name, source }),
                }
            }
        };
        Ok(Self {
            origin: Origin::Stored { archive, scope, name, digest },
            digest: Some(digest),
            total_bytes: stat.bytes,
            elision: asked.elision,
            range,
        })
    }

    /// Finds what a span map says of its source.
    ///
    /// # Errors
    /// [`RecallError::View`] when the bytes are not the map's source, or it has no such elision.
    pub fn by_map(bytes: Vec<u8>, map: &SpanMap, elision: Option<Elisions>) -> Result<Self, RecallError> {
        let total_bytes = bytes.len() as u64;
        let digest = {
            let source = Source::new(&bytes);
            expand(&source, map, None)?;
            Digest(source.sha256())
        };
        let range = elision.map_or(Ok(0..total_bytes), |asked| elision_range(map, asked))?;
        Ok(Self { origin: Origin::Given { bytes }, digest: Some(digest), total_bytes, elision, range })
    }

    /// Takes bytes of which there is no map.
    #[must_use]
    pub fn by_bytes(bytes: Vec<u8>) -> Self {
        let total_bytes = bytes.len() as u64;
        Self {
            origin: Origin::Given { bytes },
            digest: None,
            total_bytes,
            elision: None,
            range: 0..total_bytes,
        }
    }

    /// Takes a plain file of which there is no map. It may be of any length, as it is read by pieces.
    ///
    /// # Errors
    /// [`RecallError::File`].
    pub fn by_file(path: &Path) -> Result<Self, RecallError> {
        let failed = |action| move |source| RecallError::File { action, path: path.to_owned(), source };
        let file = File::open(path).map_err(failed("open"))?;
        let total_bytes = file.metadata().map_err(failed("read"))?.len();
        let origin = Origin::File { file, path: path.to_owned() };
        Ok(Self { origin, digest: None, total_bytes, elision: None, range: 0..total_bytes })
    }

    /// Gives the original's digest; all of it may be read for that.
    ///
    /// # Errors
    /// When the original has to be read and cannot be.
    pub fn digest(&self) -> Result<Digest, RecallError> {
        if let Some(digest) = self.digest {
            return Ok(digest);
        }
        let mut hash = Sha256::new();
        self.stream(0..self.total_bytes, &mut |piece| {
            hash.update(piece);
            ControlFlow::Continue(())
        })?;
        Ok(Digest(hash.finalize().into()))
    }

    /// Gives the ref that was found, in full, if it was asked for by one.
    #[must_use]
    pub const fn name(&self) -> Option<&Ref> {
        match &self.origin {
            Origin::Stored { name, .. } => Some(name),
            Origin::Given { .. } | Origin::File { .. } => None,
        }
    }

    /// Gives the numbers of the elisions, if the run goes from one to another.
    #[must_use]
    pub const fn elision(&self) -> Option<Elisions> {
        self.elision
    }

    /// Counts the bytes of the original.
    #[must_use]
    pub const fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Says where the run lies in the original.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Counts the bytes of the run.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Reads a part of the run; offsets count from the run's start and may lie beyond its end.
    ///
    /// # Errors
    /// When the original cannot be read.
    pub fn read(&self, part: Range<u64>) -> Result<Vec<u8>, RecallError> {
        let start = self.range.start.saturating_add(part.start).min(self.range.end);
        let end = self.range.start.saturating_add(part.end).min(self.range.end);
        Ok(match &self.origin {
            Origin::Stored { archive, scope, digest, .. } => {
                block_on(archive.get(scope, digest, start..end))?
            }
            Origin::File { file, path } => {
                let mut bytes = vec![0; usize::try_from(end - start).unwrap_or(usize::MAX)];
                file.read_exact_at(&mut bytes, start).map_err(|source| RecallError::File {
                    action: "read",
                    path: path.clone(),
                    source,
                })?;
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
    ///
    /// # Errors
    /// [`RecallError::Damaged`], or when the original cannot be read.
    pub fn stream(
        &self,
        part: Range<u64>,
        sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), RecallError> {
        let is_whole = self.range == (0..self.total_bytes) && part == self.range;
        let mut check = self.digest.filter(|_| is_whole).map(|digest| (digest, Sha256::new()));
        let mut at = part.start;
        while at < part.end {
            let end = at.saturating_add(PIECE_BYTES).min(part.end);
            let piece = self.read(at..end)?;
            if let Some((_, hash)) = &mut check {
                hash.update(&piece);
            }
            if sink(&piece).is_break() {
                return Ok(());
            }
            at = end;
        }
        if let Some((digest, hash)) = check
            && hash.finalize().as_slice() != digest.as_bytes()
        {
            return Err(RecallError::Damaged { digest });
        }
        Ok(())
    }
}

fn elision_range(map: &SpanMap, asked: Elisions) -> Result<Range<u64>, RecallError> {
    let have = map.elisions.len() as u64;
    let span = |asked| map.elision_span(asked).ok_or(ViewError::NoSuchElision { asked, have });
    Ok(span(asked.first)?.s..span(asked.last)?.e)
}
