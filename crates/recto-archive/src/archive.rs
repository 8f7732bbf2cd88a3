use std::future::Future;
use std::ops::Range;
use std::pin::Pin;

use crate::{
    ArchiveError, Digest, GcReport, Lease, LogId, LogStat, Ref, Retention, Scope, Target, VerifyProgress,
    VerifyReport,
};

mod shapes;

pub use shapes::{Description, Health, Kind, Mode, Run, RunId, RunState, Stat};

/// An answer of the archive that may take time.
///
/// The archives of this crate do all their work when the future is first polled, on the thread that polls it: an async
/// program that must not block hands them to its blocking threads, any other calls [`block_on`](crate::block_on).
pub type Fut<'a, T> = Pin<Box<dyn Future<Output = Result<T, ArchiveError>> + Send + 'a>>;

/// Source bytes in one stored chunk, at most. Ranges that begin and end at its multiples are the cheapest to read.
pub const CHUNK_BYTES: usize = 1 << 20;

/// Keeps originals byte for byte, the refs that name them, and logs of events with the leases that guard them.
///
/// Every call that reads or writes something of a principal takes its [`Scope`]. What another scope put or was issued
/// is exactly as if it did not exist: the same answer, the same error, whatever bytes the two have in common (which are
/// stored once). The calls without a scope ([`gc`](Self::gc), [`verify`](Self::verify), [`describe`](Self::describe),
/// [`health`](Self::health)) are for whoever runs the store.
///
/// All calls may be made by many threads and, where the store is a file, many processes at once.
///
/// ```
/// use recto_archive::{Archive, Digest, MemoryArchive, Ref, Scope, Target, block_on};
///
/// let (archive, scope) = (MemoryArchive::new(), Scope::local());
/// let original = block_on(archive.put(&scope, b"all that was printed"))?;
/// let map = block_on(archive.put_map(&scope, b"{}"))?;
/// let target = Target::View { original, policy: Digest::of(b"budget 400"), map };
/// let name = block_on(archive.issue(&scope, &target))?;
/// assert_eq!(name, Ref::for_view(&original, &Digest::of(b"budget 400")));
/// assert_eq!(block_on(archive.resolve(&scope, &name))?, Some(target));
/// assert_eq!(block_on(archive.resolve(&Scope::new("somebody else")?, &name))?, None);
/// # Ok::<(), recto_archive::ArchiveError>(())
/// ```
pub trait Archive: Send + Sync {
    /// Stores bytes of a kind under their digest; storing them again changes nothing, or brings them back if retention
    /// had removed them.
    ///
    /// # Errors
    /// [`ArchiveError::Busy`], [`ArchiveError::ReadOnly`], [`ArchiveError::Full`]: then nothing was stored.
    fn put_as<'a>(&'a self, scope: &'a Scope, kind: Kind, bytes: &'a [u8]) -> Fut<'a, Digest>;

    /// Stores an original: [`put_as`](Self::put_as) with [`Kind::Original`].
    fn put<'a>(&'a self, scope: &'a Scope, bytes: &'a [u8]) -> Fut<'a, Digest> {
        self.put_as(scope, Kind::Original, bytes)
    }

    /// Stores a view's span map: [`put_as`](Self::put_as) with [`Kind::Map`].
    fn put_map<'a>(&'a self, scope: &'a Scope, bytes: &'a [u8]) -> Fut<'a, Digest> {
        self.put_as(scope, Kind::Map, bytes)
    }

    /// Begins an original whose bytes arrive in pieces; `label` says what it is (a command line).
    ///
    /// What the writer has flushed survives the end of its process and is made an original by [`adopt`](Self::adopt).
    fn begin<'a>(&'a self, scope: &'a Scope, label: &'a str) -> Fut<'a, Box<dyn Writer>>;

    /// Gives the bytes of an original or map that lie in `range`, which may reach beyond its end (`0..u64::MAX` is all
    /// of it). Only the chunks that hold some of them are read. A whole read is checked by SHA-256.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`], [`ArchiveError::Gone`], [`ArchiveError::Corrupt`].
    fn get<'a>(&'a self, scope: &'a Scope, digest: &'a Digest, range: Range<u64>) -> Fut<'a, Vec<u8>>;

    /// Describes an original or map without reading it; `None` if this scope has none such, or it is gone.
    fn stat<'a>(&'a self, scope: &'a Scope, digest: &'a Digest) -> Fut<'a, Option<Stat>>;

    /// Binds a name to a target, for ever, and gives the name.
    ///
    /// Asking again gives the same name. It is the first of [`Ref::candidates`] that is not bound to another target in
    /// this scope; a target's identity is its original and policy. A view that was rendered with a shorter name is
    /// rendered again with the one given here, its map stored, and asked again: the map of that second asking is then
    /// bound for ever. A map that is asked for later, under a name that stands, changes nothing.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`] when the scope has not put the original and the map, [`ArchiveError::NoName`].
    fn issue<'a>(&'a self, scope: &'a Scope, target: &'a Target) -> Fut<'a, Ref>;

    /// Gives what a name was bound to, [`Target::Gone`] if retention removed the original, `None` if this scope was
    /// never issued it.
    fn resolve<'a>(&'a self, scope: &'a Scope, name: &'a Ref) -> Fut<'a, Option<Target>>;

    /// Lists at most `limit` names that begin with these digits (with or without `r:`), in the order of their digits.
    ///
    /// # Errors
    /// [`ArchiveError::InvalidRef`] when the prefix has other characters than digits.
    fn find_refs<'a>(&'a self, scope: &'a Scope, digits_prefix: &'a str, limit: u32) -> Fut<'a, Vec<Ref>>;

    /// Gives the one name that a person or model means by a ref or the beginning of one; an exact name comes first.
    ///
    /// # Errors
    /// [`ArchiveError::InvalidRef`], [`ArchiveError::NotFound`], [`ArchiveError::AmbiguousRef`].
    fn find_ref<'a>(&'a self, scope: &'a Scope, text: &'a str) -> Fut<'a, Ref> {
        Box::pin(async move {
            let digits = Ref::check_prefix(text)?;
            let mut found = self.find_refs(scope, digits, 5).await?;
            if found.len() > 1 {
                // The exact name sorts before all that it begins.
                found.retain(|name| name.digits() == digits);
                if found.is_empty() {
                    let candidates = self.find_refs(scope, digits, 5).await?;
                    return Err(ArchiveError::AmbiguousRef { prefix: text.to_owned(), candidates });
                }
            }
            found.into_iter().next().ok_or_else(|| ArchiveError::NotFound { what: format!("ref r:{digits}") })
        })
    }

    /// Lists the runs of this scope that were begun and not finished, oldest first.
    fn runs<'a>(&'a self, scope: &'a Scope) -> Fut<'a, Vec<Run>>;

    /// Gives the bytes of an unfinished run that are safe so far and lie in `range`.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`] when there is no such run, or it is finished.
    fn read_run<'a>(&'a self, scope: &'a Scope, run: &'a RunId, range: Range<u64>) -> Fut<'a, Vec<u8>>;

    /// Makes an original of what an abandoned run left and gives its digest; asking again gives the same.
    ///
    /// # Errors
    /// [`ArchiveError::RunLive`] while its writer lives, [`ArchiveError::NotFound`], [`ArchiveError::Gone`].
    fn adopt<'a>(&'a self, scope: &'a Scope, run: &'a RunId) -> Fut<'a, Digest>;

    /// Appends events to a log, all of them or none, if they are to begin where it ends; gives the number at which the next
    /// append begins. A log begins with its first append.
    ///
    /// The events of a log have the sequence numbers 0, 1, 2 and so on, without a gap; none is ever changed, and no number is
    /// given twice. When this has answered, the events survive the end of the process, however it ends. An append that was
    /// killed may have been made or not: its caller reads the log to see which.
    ///
    /// `expected` is the number that the first event gets. Of those who append at once one is first, and the others are
    /// told where the log ends now ([`ArchiveError::Conflict`]).
    ///
    /// `fence` says on what right the caller appends. With the fence of the newest [`lease`](Self::lease) of the log's name
    /// that was granted, it may, also when that lease has run out or was released, as nobody can have been granted
    /// another. Any other fence is refused. `None` says that the caller holds no lease: it may append while no lease
    /// lives. This is looked at before `expected` is.
    ///
    /// `keeps` are the originals and maps that the events name: retention leaves them to this scope as long as the log lives,
    /// besides those of earlier appends. An original that nobody keeps by a log is removed by the rules, whatever events
    /// say of it.
    ///
    /// # Errors
    /// [`ArchiveError::Conflict`], [`ArchiveError::StaleFence`], [`ArchiveError::LeaseHeld`] (no fence, and a lease lives),
    /// [`ArchiveError::Gone`] (the log was removed, or an original to keep), [`ArchiveError::NotFound`] (this scope has not put
    /// an original to keep), [`ArchiveError::OutOfBounds`] (no events, or more than [`MAX_EVENT_BYTES`](crate::MAX_EVENT_BYTES),
    /// [`MAX_BATCH_BYTES`](crate::MAX_BATCH_BYTES), [`MAX_BATCH_EVENTS`](crate::MAX_BATCH_EVENTS)).
    ///
    /// ```
    /// use recto_archive::{Archive, ArchiveError, LogId, MemoryArchive, Scope, block_on};
    ///
    /// let (archive, scope, log) = (MemoryArchive::new(), Scope::local(), LogId::new("session/1")?);
    /// let end = block_on(archive.append(&scope, &log, 0, None, &[b"hello", b"world"], &[]))?;
    /// assert_eq!(end, 2);
    /// let late = block_on(archive.append(&scope, &log, 0, None, &[b"late"], &[]));
    /// assert!(matches!(late, Err(ArchiveError::Conflict { found: 2, .. })));
    /// assert_eq!(block_on(archive.read(&scope, &log, 1, 10))?, [(1, b"world".to_vec())]);
    /// # Ok::<(), recto_archive::ArchiveError>(())
    /// ```
    fn append<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        expected: u64,
        fence: Option<u64>,
        events: &'a [&'a [u8]],
        keeps: &'a [Digest],
    ) -> Fut<'a, u64>;

    /// Gives events with their numbers, from number `from` on: at most `limit`, and of
    /// [`MAX_BATCH_BYTES`](crate::MAX_BATCH_BYTES) at most. Only an empty answer (to a limit above 0) says that the log ends
    /// there; a log that was never begun has no events.
    ///
    /// # Errors
    /// [`ArchiveError::Gone`] when the log was removed, [`ArchiveError::Corrupt`] when an event is not what was appended.
    fn read<'a>(
        &'a self,
        scope: &'a Scope,
        log: &'a LogId,
        from: u64,
        limit: u32,
    ) -> Fut<'a, Vec<(u64, Vec<u8>)>>;

    /// Lists at most `limit` logs of this scope in the order of their names, from the one that follows `after`.
    fn logs<'a>(&'a self, scope: &'a Scope, after: Option<&'a LogId>, limit: u32) -> Fut<'a, Vec<LogStat>>;

    /// Removes a log with its events and lets go of the originals that it kept; removing it again changes nothing. Whoever
    /// reads it or appends to it from then on is told that it is gone: its name and its numbers are not used again.
    ///
    /// # Errors
    /// [`ArchiveError::NotFound`] when this scope never had such a log.
    fn remove_log<'a>(&'a self, scope: &'a Scope, log: &'a LogId) -> Fut<'a, ()>;

    /// Grants a lease of a name for some seconds (at most [`MAX_LEASE_SECONDS`](crate::MAX_LEASE_SECONDS)), unless one lives.
    ///
    /// Leases go by the archive's own clock. Each one granted has a higher fence than all before it of that name in that
    /// scope; by passing it to [`append`](Self::append) a holder cannot harm the log after its lease has run out and somebody
    /// else was granted the next. A clock that is turned back makes leases live longer, and never gives one to two. A lease may
    /// also guard something that is not a log: then whoever guards it has to check the fences.
    ///
    /// # Errors
    /// [`ArchiveError::LeaseHeld`], [`ArchiveError::OutOfBounds`].
    ///
    /// ```
    /// use recto_archive::{Archive, ArchiveError, LogId, MemoryArchive, Scope, block_on};
    ///
    /// let (archive, scope, log) = (MemoryArchive::new(), Scope::local(), LogId::new("session/1")?);
    /// let lease = block_on(archive.lease(&scope, &log, 30))?;
    /// assert!(matches!(block_on(archive.lease(&scope, &log, 30)), Err(ArchiveError::LeaseHeld { .. })));
    /// block_on(archive.append(&scope, &log, 0, Some(lease.fence), &[b"mine"], &[]))?;
    /// block_on(archive.release(&scope, &log, lease.fence))?;
    /// # Ok::<(), recto_archive::ArchiveError>(())
    /// ```
    fn lease<'a>(&'a self, scope: &'a Scope, name: &'a LogId, seconds: u32) -> Fut<'a, Lease>;

    /// Lets a lease run for some seconds from now, with the fence it has. One that has run out can still be renewed as long
    /// as nobody else was granted the next.
    ///
    /// # Errors
    /// [`ArchiveError::LeaseLost`], [`ArchiveError::OutOfBounds`].
    fn renew<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64, seconds: u32) -> Fut<'a, Lease>;

    /// Ends a lease, so that somebody else can be granted the next at once; releasing it again changes nothing.
    ///
    /// # Errors
    /// [`ArchiveError::LeaseLost`] when somebody else was granted the next already.
    fn release<'a>(&'a self, scope: &'a Scope, name: &'a LogId, fence: u64) -> Fut<'a, ()>;

    /// Removes originals by rules, or only says which ones (`dry_run`). See [`Retention`].
    fn gc<'a>(&'a self, rules: &'a Retention, dry_run: bool) -> Fut<'a, GcReport>;

    /// Reads everything that is stored, checks every SHA-256 and every log, and names what is damaged.
    fn verify<'a>(&'a self, progress: &'a (dyn Fn(VerifyProgress) + Send + Sync)) -> Fut<'a, VerifyReport>;

    /// Lists at most `limit` originals and maps of this scope in the order of their digests, from the one that follows
    /// `after`.
    fn originals<'a>(&'a self, scope: &'a Scope, after: Option<&'a Digest>, limit: u32)
    -> Fut<'a, Vec<Stat>>;

    /// Lists at most `limit` names of this scope with what they are bound to, in the order of their digits, from the
    /// one that follows `after`.
    fn refs<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Ref>,
        limit: u32,
    ) -> Fut<'a, Vec<(Ref, Target)>>;

    /// Says where the store is, how large, and by what it is kept.
    fn describe(&self) -> Fut<'_, Description>;

    /// Says what whoever runs the store should know about it.
    fn health(&self) -> Fut<'_, Health>;
}

/// Writes an original whose bytes arrive in pieces.
///
/// Flushed bytes survive the end of the process, however it ends. 64 KiB are flushed without being asked; a caller
/// flushes what may be shown soon (the first bytes, then about ten times a second). Dropping the writer flushes and
/// leaves the run abandoned. Memory: the bytes that are not flushed, and at most [`CHUNK_BYTES`].
pub trait Writer: Send {
    /// Names the run, for [`Archive::adopt`].
    fn run_id(&self) -> &RunId;

    /// Takes the next bytes.
    ///
    /// # Errors
    /// As [`flush`](Self::flush). The bytes are taken nevertheless: see [`unflushed`](Self::unflushed).
    fn write(&mut self, chunk: &[u8]) -> Result<(), ArchiveError>;

    /// Makes all that was written safe.
    ///
    /// # Errors
    /// [`ArchiveError::Full`], [`ArchiveError::Busy`] and the like; it may be tried again.
    /// [`ArchiveError::RunLost`] if the run was adopted or removed meanwhile.
    fn flush(&mut self) -> Result<(), ArchiveError>;

    /// Counts the bytes that are safe.
    fn flushed_bytes(&self) -> u64;

    /// Gives the bytes that were written and are not safe yet. With [`Archive::read_run`] of the flushed ones that is
    /// all that was written, for a caller that must print it after an error.
    fn unflushed(&self) -> &[u8];

    /// Makes the run an original, at once and wholly, and gives its digest.
    ///
    /// # Errors
    /// As [`flush`](Self::flush); the run is then abandoned, with all that was flushed.
    fn finish(self: Box<Self>) -> Result<Digest, ArchiveError>;
}
