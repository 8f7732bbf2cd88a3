//! The laws of units, for these parsers on any bytes.

use proptest::prelude::*;
use recto_outline::{ContentType, Fuel, OutlineError, Records, TableRecords, cells, outline};
use recto_testkit::strategies;

use super::view::{exact, outline_of};
use crate::laws::each_text_of_the_corpus;

const GRIDS: [ContentType; 4] =
    [ContentType::Csv, ContentType::MarkdownTable, ContentType::Listing, ContentType::Search];

/// Checks the laws, that all units together are the whole source, and that cells lie inside their rows.
fn check(source: &[u8], content_type: ContentType) {
    let outline = outline_of(source, content_type);
    assert!(exact(&outline, |_| true) == source, "{content_type}: the whole is not the source");
    for table in outline.tables.iter().take(8) {
        let records = TableRecords::new(&outline, table);
        for row in (0..records.len()).take(50) {
            let unit = records.unit(row).unwrap();
            let body = outline.unit(unit).body;
            let mut end = body.s;
            cells(&outline, table, unit, &mut |column, span| {
                assert!(
                    span.s <= span.e && end <= span.s && body.contains(span),
                    "{content_type}: {span:?} of {body:?}"
                );
                assert_eq!(records.cell(row, column), Some(span));
                end = span.e;
            });
        }
    }
}

#[test]
fn odd_sources() {
    let long = "x".repeat(2_000_000);
    let sources: [&[u8]; 13] = [
        b"",
        b"\n",
        b"\r",
        b"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        b"\xEF\xBB\xBF",
        b"\"",
        b"\"\n\"\n,\"\n",
        b"|",
        b"--\n--\n",
        b"a|b\n-|-",
        b"\0\0,\xFF\n\xFF|\0",
        long.as_bytes(),
        b"# \n```\n|a|\n|-|\n",
    ];
    for source in sources {
        for content_type in GRIDS {
            check(source, content_type);
        }
    }
}

#[test]
fn every_file_of_the_corpus_keeps_the_laws() {
    each_text_of_the_corpus(|bytes| {
        for content_type in GRIDS {
            check(bytes, content_type);
        }
    });
}

#[test]
fn fuel_is_burnt_before_the_work() {
    for content_type in GRIDS {
        let error = outline(b"a,b\n1,2\n", Some(content_type), &mut Fuel::new(7)).unwrap_err();
        assert_eq!(error, OutlineError::OutOfFuel { visited: 0 }, "{content_type}");
        assert!(outline(b"a,b\n1,2\n", Some(content_type), &mut Fuel::new(8)).is_ok(), "{content_type}");
    }
}

proptest! {
    #[test]
    fn hostile_bytes_keep_the_laws(bytes in strategies::hostile_bytes(600)) {
        for content_type in GRIDS {
            check(&bytes, content_type);
        }
    }

    #[test]
    fn broken_inputs_keep_the_laws(input in strategies::input(4_000)) {
        for content_type in GRIDS {
            check(&input.bytes, content_type);
        }
    }
}
