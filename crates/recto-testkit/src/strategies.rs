//! Strategies for property tests: made inputs, broken inputs, and small texts that shrink to smaller ones.
//!
//! ```
//! use proptest::prelude::*;
//! use recto_testkit::strategies;
//!
//! proptest!(ProptestConfig::with_cases(8), |(input in strategies::input(2_000))| {
//!     let lines = input.bytes.split(|&byte| byte == b'\n').count();
//!     prop_assert!(lines >= 1);
//! });
//! ```

use std::fmt;

use proptest::{collection, prelude::*, sample, strategy::Union};

use crate::{
    generate::Kind,
    mutate::{Change, Mutation},
};

/// A made input and how it was made. Its debug form is short: how to make it again, then the first of its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Input {
    /// The kind it was generated as.
    pub kind: Kind,
    /// The seed it was generated from.
    pub seed: u64,
    /// The mutations applied to it, in order.
    pub mutations: Vec<Mutation>,
    /// The bytes after the mutations.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN_BYTES: usize = 400;
        let shown = self.bytes.get(..SHOWN_BYTES).unwrap_or(&self.bytes);
        formatter
            .debug_struct("Input")
            .field("kind", &self.kind)
            .field("seed", &self.seed)
            .field("mutations", &self.mutations)
            .field("len", &self.bytes.len())
            .field("head", &format_args!("b\"{}\"", shown.escape_ascii()))
            .finish()
    }
}

/// Generated inputs of every kind, up to about `max_bytes`, unbroken; they shrink to shorter ones.
pub fn well_formed(max_bytes: usize) -> impl Strategy<Value = Input> + Clone {
    made(max_bytes, 0)
}

/// Generated inputs of every kind, up to about `max_bytes`, with up to three mutations; they shrink to shorter and
/// less broken ones.
pub fn input(max_bytes: usize) -> impl Strategy<Value = Input> + Clone {
    made(max_bytes, 3)
}

/// Any mutation.
pub fn mutation() -> impl Strategy<Value = Mutation> + Clone {
    let change = (sample::select(&Change::EACH[..]), any::<u8>()).prop_map(|(change, detail)| match change {
        Change::FlipBit(_) => Change::FlipBit(detail % 8),
        Change::InvalidUtf8(_) => Change::InvalidUtf8(detail),
        Change::Punctuation(_) => Change::Punctuation(detail),
        change => change,
    });
    (0..=1_000_u16, change).prop_map(|(at_per_mille, change)| Mutation { at_per_mille, change })
}

/// Bytes rich in what parsers trip over, up to `max_bytes`: punctuation, line ends, invalid UTF-8, NUL, and any bytes.
pub fn hostile_bytes(max_bytes: usize) -> impl Strategy<Value = Vec<u8>> + Clone {
    let piece = Union::new_weighted(vec![
        (
            6,
            sample::select(&b"\"{}[],:\\\n\r\t |#-+@0123456789eE.tfn"[..])
                .prop_map(|byte| vec![byte])
                .boxed(),
        ),
        (2, sample::select(&crate::mutate::INVALID_UTF8[..]).prop_map(<[u8]>::to_vec).boxed()),
        (
            2,
            sample::select(
                &["\u{feff}", "é", "完", "🚀", "\\u0000", "\\ud800", "null", "```", "@@ -1 +1 @@"][..],
            )
            .prop_map(|text| text.as_bytes().to_vec())
            .boxed(),
        ),
        (1, any::<u8>().prop_map(|byte| vec![byte]).boxed()),
    ]);
    collection::vec(piece, 0..=max_bytes).prop_map(move |pieces| {
        let mut bytes = pieces.concat();
        bytes.truncate(max_bytes);
        bytes
    })
}

/// Valid JSON texts of a few dozen values, with whatever the grammar allows: white space, escapes, duplicate names,
/// integers past 2^53, exponents, empty containers, text of several scripts.
pub fn json_text() -> impl Strategy<Value = String> + Clone {
    let scalar = Union::new_weighted(vec![
        (1, Just("null".to_owned()).boxed()),
        (1, any::<bool>().prop_map(|value| value.to_string()).boxed()),
        (3, any::<i64>().prop_map(|value| value.to_string()).boxed()),
        (
            1,
            sample::select(&["-0", "1e400", "0.1E-7", "12345678901234567890123", "3.0"][..])
                .prop_map(str::to_owned)
                .boxed(),
        ),
        (3, json_string().boxed()),
    ]);
    let value = scalar.prop_recursive(5, 48, 6, |inner| {
        let member = (json_string(), space(), inner.clone())
            .prop_map(|(name, space, value)| format!("{name}:{space}{value}"));
        prop_oneof![
            (collection::vec(inner, 0..6), space())
                .prop_map(|(items, space)| format!("[{}]", items.join(&format!(",{space}")))),
            (collection::vec(member, 0..6), space())
                .prop_map(|(members, space)| format!("{{{space}{}}}", members.join(&format!(",{space}")))),
        ]
    });
    (space(), value, space()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

/// Rows of cells and the CSV text they were written as: every row as wide, cells quoted where they must be.
pub fn csv_text() -> impl Strategy<Value = (Vec<Vec<String>>, String)> + Clone {
    let cell = Union::new_weighted(vec![
        (4, "[a-z0-9]{0,6}".boxed()),
        (
            1,
            sample::select(&["a,b", "say \"x\"", "two\nlines", "two\r\nlines", " padded ", "é完"][..])
                .prop_map(str::to_owned)
                .boxed(),
        ),
    ]);
    let line_end = sample::select(&["\n", "\r\n"][..]);
    let rows =
        (2..5_usize).prop_flat_map(move |width| collection::vec(collection::vec(cell.clone(), width), 1..20));
    (rows, line_end).prop_map(|(rows, line_end)| {
        let text = rows
            .iter()
            .map(|row| row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + line_end)
            .collect();
        (rows, text)
    })
}

fn made(max_bytes: usize, max_mutations: usize) -> impl Strategy<Value = Input> + Clone {
    let mutations = collection::vec(mutation(), 0..=max_mutations);
    (sample::select(&Kind::ALL[..]), any::<u64>().no_shrink(), 0..=max_bytes, mutations).prop_map(
        |(kind, seed, min_bytes, mutations)| {
            let mut bytes = kind.generate(seed, min_bytes).bytes;
            mutations.iter().for_each(|mutation| mutation.apply(&mut bytes));
            Input { kind, seed, mutations, bytes }
        },
    )
}

fn json_string() -> impl Strategy<Value = String> + Clone {
    let piece = Union::new_weighted(vec![
        (6, "[a-z]{1,3}".boxed()),
        (
            2,
            sample::select(
                &["\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude80", "\\u0000", " ", "é", "完", "🚀"]
                    [..],
            )
            .prop_map(str::to_owned)
            .boxed(),
        ),
    ]);
    collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn space() -> impl Strategy<Value = String> + Clone {
    sample::select(&["", "", "", " ", "\n", "\r\n\t", "  "][..]).prop_map(str::to_owned)
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
