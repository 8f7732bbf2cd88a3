use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use recto_testkit::strategies;

proptest! {
    #[test]
    fn json_texts_parse(text in strategies::json_text()) {
        // Numbers past the range of a double are JSON all the same.
        let error = serde_json::from_str::<serde_json::Value>(&text).err();
        prop_assert!(error.is_none_or(|error| error.to_string().contains("number out of range")), "{}", text);
    }

    #[test]
    fn csv_texts_hold_their_cells((rows, text) in strategies::csv_text()) {
        let cells: usize = rows.iter().map(Vec::len).sum();
        prop_assert_eq!(read_cells(text.as_bytes()).len(), cells, "{}", text);
        prop_assert_eq!(read_cells(text.as_bytes()), rows.concat());
    }

    #[test]
    fn well_formed_inputs_are_what_their_seed_makes(input in strategies::well_formed(3_000)) {
        prop_assert!(input.mutations.is_empty());
        prop_assert!(std::str::from_utf8(&input.bytes).is_ok());
    }

    #[test]
    fn hostile_bytes_keep_to_their_limit(bytes in strategies::hostile_bytes(64)) {
        prop_assert!(bytes.len() <= 64);
    }
}

fn read_cells(bytes: &[u8]) -> Vec<String> {
    let mut reader = csv_core::Reader::new();
    let (mut cell, mut cells, mut at) = (vec![0; bytes.len() + 1], Vec::new(), 0);
    let mut filled = 0;
    loop {
        let (result, read, written) = reader.read_field(&bytes[at..], &mut cell[filled..]);
        at += read;
        filled += written;
        match result {
            csv_core::ReadFieldResult::Field { .. } => {
                cells.push(String::from_utf8(cell[..filled].to_vec()).unwrap());
                filled = 0;
            }
            csv_core::ReadFieldResult::End => return cells,
            csv_core::ReadFieldResult::InputEmpty => {}
            csv_core::ReadFieldResult::OutputFull => unreachable!("a cell is no longer than the text"),
        }
    }
}

#[test]
fn a_failing_input_shrinks_to_a_short_one_and_prints_briefly() {
    let mut runner = TestRunner::deterministic();
    let mut tree = strategies::input(4_000).new_tree(&mut runner).unwrap();
    while tree.simplify() {}
    let least = tree.current();
    assert!(least.mutations.is_empty());
    assert!(least.bytes.len() < 4_000, "{}", least.bytes.len());
    assert!(format!("{least:?}").len() < 4_000);
}
