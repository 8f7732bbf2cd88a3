use super::write::number;
use crate::Prng;

/// Three stack traces, one a language, as they come back again and again.
const REPEATED: [&str; 3] = [
    "java.lang.IllegalStateException: pool closed\n\
     \tat org.example.pool.Pool.take(Pool.java:118)\n\
     \tat org.example.store.Reader.open(Reader.java:64)\n\
     \tat org.example.http.Handler.handle(Handler.java:211)\n\
     Caused by: java.io.IOException: stream ended\n\
     \tat org.example.store.Block.read(Block.java:40)\n\
     \t... 3 more\n",
    "Traceback (most recent call last):\n\
     \x20 File \"/srv/app/worker/run.py\", line 88, in run\n\
     \x20   job.start(queue)\n\
     \x20 File \"/srv/app/worker/job.py\", line 31, in start\n\
     \x20   raise TimeoutError(\"queue is full\")\n\
     TimeoutError: queue is full\n",
    "thread 'worker-3' panicked at src/index.rs:57:14:\n\
     index out of bounds: the len is 4 but the index is 9\n\
     stack backtrace:\n\
     \x20  0: rust_begin_unwind\n\
     \x20  1: store::index::Index::find\n\
     \x20            at ./src/index.rs:57:14\n\
     \x20  2: store::main\n",
];

/// Writes one of the traces that repeat, with a last line that varies.
pub(super) fn repeated(out: &mut Vec<u8>, prng: &mut Prng) {
    out.extend_from_slice(prng.pick(&REPEATED).as_bytes());
    out.extend_from_slice(b"    (attempt ");
    number(out, prng.within(1..9));
    out.push(b')');
}

/// Writes the trace that is planted once.
pub(super) fn planted(out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"Traceback (most recent call last):\n  File \"/srv/app/ledger/settle.py\", line 402, in settle\n    \
          total = carry(entries)\n  File \"/srv/app/ledger/carry.py\", line 17, in carry\n    \
          return entries[0].amount\nIndexError: no entries for account 7731",
    );
}
