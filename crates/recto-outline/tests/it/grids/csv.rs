use proptest::prelude::*;
use recto_outline::{ContentType, Fuel, Kind, Outline, Role, UnitId, detect, outline};
use recto_testkit::{corpus, strategies};

use super::view::{assert_listing, exact, outline_of};

/// The records that a CSV reader sees.
fn read(text: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), Vec::new());
    let mut input = text;
    let mut buffer = [0; 64];
    loop {
        let (result, read, written) = reader.read_field(input, &mut buffer);
        input = &input[read..];
        cell.extend_from_slice(&buffer[..written]);
        match result {
            csv_core::ReadFieldResult::InputEmpty | csv_core::ReadFieldResult::OutputFull => {}
            csv_core::ReadFieldResult::Field { record_end } => {
                row.push(std::mem::take(&mut cell));
                if record_end {
                    rows.push(std::mem::take(&mut row));
                }
            }
            csv_core::ReadFieldResult::End => return rows,
        }
    }
}

fn rows(outline: &Outline<'_>) -> Vec<UnitId> {
    outline.children(UnitId::ROOT).filter(|id| outline.unit(*id).role == Role::Record).collect()
}

#[test]
fn quoted_line_ends_stand_inside_rows() {
    let source = b"id,text\n1,\"a\n\nb, \"\"c\"\"\"\n2,d\n";
    assert_listing(
        &outline_of(source, ContentType::Csv),
        r#"
        Frame Header 0+0..7 id,text
        Record Row 7+8..23 1,\"a\n\nb, \"\"c\"\"\"
        Record Row 23+24..27 2,d
        "#,
    );
}

#[test]
fn line_ends_of_every_kind() {
    for (end, step) in [("\n", 1), ("\r\n", 2), ("\r", 1)] {
        let source = ["id;name", "1;a", "", "2;b"].join(end);
        let outline = outline_of(source.as_bytes(), ContentType::Csv);
        let spans: Vec<(u32, u32, u32)> =
            outline.units.iter().skip(1).map(|unit| (unit.lead, unit.body.s, unit.body.e)).collect();
        assert_eq!(spans[0], (0, 0, 7), "{end:?}");
        assert_eq!(spans[1], (7, 7 + step, 10 + step), "{end:?}");
        assert_eq!(outline.units[3].kind, Kind::Blank, "{end:?}");
        assert_eq!(spans.len(), 4, "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    let outline = outline_of(b"\xEF\xBB\xBFid\tname\n1\ta\n", ContentType::Csv);
    assert_listing(
        &outline,
        r"
        Frame Header 3+3..10 id\tname
        Record Row 10+11..14 1\ta
        ",
    );
}

#[test]
fn a_second_row_of_names_is_header_too() {
    let source =
        b"RespondentID,Which films have you seen?,\n,Response,Episode II\n3292879998,Yes,3\n3292879538,No,\n";
    let outline = outline_of(source, ContentType::Csv);
    let roles: Vec<Role> = outline.units.iter().skip(1).map(|unit| unit.role).collect();
    assert_eq!(roles, [Role::Frame, Role::Frame, Role::Record, Role::Record]);
}

#[test]
fn a_first_row_of_values_is_no_header() {
    let header =
        |source: &'static str| outline_of(source.as_bytes(), ContentType::Csv).tables[0].header.is_some();
    assert!(!header("1,2020-01-01,x\n2,2020-01-02,y\n"));
    assert!(!header("east,10,10,4\nwest,11,12,5\n"));
    assert!(header("name,kind\na,b\n"));
    // Years above the columns of a cross table.
    assert!(header("Country,1990,1991\nChad,5,6\n"));
}

#[test]
fn a_stray_quote_costs_one_row_and_not_the_rest() {
    let mut source = b"size,kind\n\"5,disk\n".to_vec();
    for row in 0..5_000 {
        source.extend_from_slice(format!("{row},tape or disk\n").as_bytes());
    }
    let outline = outline_of(&source, ContentType::Csv);
    assert_eq!(rows(&outline).len(), 5_001);
}

#[test]
fn remarks_stand_above_the_header_only() {
    let source = b"# made by hand, 2024\nsong,artist\n#9 Dream,John Lennon\n# 1 Crush,Garbage\n";
    assert_listing(
        &outline_of(source, ContentType::Csv),
        r"
        Line Comment 0+0..20 # made by hand, 2024
        Frame Header 20+21..32 song,artist
        Record Row 32+33..53 #9 Dream,John Lennon
        Record Row 53+54..71 # 1 Crush,Garbage
        ",
    );
}

#[test]
fn long_rows_stay_whole() {
    let long = "x".repeat(3_000);
    let source = format!("id,text\n1,{long}\n2,b\n");
    assert_eq!(outline_of(source.as_bytes(), ContentType::Csv).units.len(), 4);
}

#[test]
fn detection() {
    let csv = |source: &str| detect(source.as_bytes()) == ContentType::Csv;
    assert!(csv("id,name,age\n1,Ann,33\n2,Bob,44\n"));
    assert!(csv("id\tname\tage\n1\tAnn\t33\n2\tBob\t44\n"));
    assert!(csv("id;name;age\n1;Ann;33,5\n2;Bob;44,1\n"));
    assert!(csv("id|name|age\n1|Ann|33\n2|Bob|44\n"));
    assert!(csv("name,age\nAnn,33\nBob,44\nCy,55\n"));
    let quoted = "\"1\",\"Ann, B\",\"33\"\n".repeat(100);
    assert!(csv(&format!("\"id\",\"name\",\"age\"\n{quoted}")));
    assert!(!csv("Dear Ann, dear Bob,\nhere we are, as always,\nfull of hope, full of joy,\n"));
    assert!(!csv(
        "2024-01-01 10:00:00,123 INFO a\n2024-01-01 10:00:00,124 INFO b\n2024-01-01 10:00:00,125 INFO c\n"
    ));
    assert!(!csv("use a::{b, c, d};\nuse e::{f, g, h};\nuse i::{j, k, l};\n"));
    assert!(!csv("(1, 'a', 2),\n(2, 'b', 3),\n(3, 'c', 4),\n"));
    assert!(!csv(" a | b | c \n---+---+---\n 1 | 2 | 3 \n"));
    assert!(!csv("x\n"));
}

#[test]
fn every_csv_of_the_corpus_is_read_alike_in_part() {
    let Some(files) = corpus::outputs() else { return };
    for file in files.iter().filter(|file| file.kind == "csv") {
        let bytes = file.read();
        let outline = outline(&bytes, None, &mut Fuel::unlimited()).unwrap();
        assert_eq!(outline.content_type, ContentType::Csv, "{}", file.relative);
        let delimiter = if file.relative.ends_with("tsv") { b'\t' } else { b',' };
        let all = read(&bytes, delimiter);
        let rows = rows(&outline);
        let headers = outline.units.iter().filter(|unit| unit.role == Role::Frame).count();
        assert_eq!(rows.len() + headers, all.len(), "{}", file.relative);
        let third = read(&exact(&outline, |id| id.0 % 3 == 0), delimiter);
        let kept = rows.iter().enumerate().filter(|(_, id)| id.0 % 3 == 0).map(|(at, _)| &all[headers + at]);
        assert!(third.iter().eq(all[..headers].iter().chain(kept)), "{}", file.relative);
    }
}

proptest! {
    #[test]
    fn any_subset_of_rows_is_read_back((table, text) in strategies::csv_text(), seed in any::<u64>()) {
        let outline = outline_of(text.as_bytes(), ContentType::Csv);
        let delimiter = match outline.tables[0].layout {
            recto_outline::Layout::Delimited { delimiter } => delimiter,
            _ => unreachable!(),
        };
        let all = read(text.as_bytes(), delimiter);
        // Only texts whose delimiter was recognised say anything: one column has none.
        prop_assume!(all.iter().map(Vec::len).eq(table.iter().map(Vec::len)));
        let units: Vec<UnitId> = outline.children(UnitId::ROOT).collect();
        let filled: Vec<UnitId> =
            units.into_iter().filter(|id| !read(outline.text(*id), delimiter).is_empty()).collect();
        prop_assert_eq!(filled.len(), all.len());
        let keeps = |id: UnitId| (seed >> (id.0 % 64)) & 1 == 1;
        let shown = read(&exact(&outline, keeps), delimiter);
        let kept = filled.iter().zip(&all);
        let kept: Vec<_> =
            kept.filter(|(id, _)| keeps(**id) || outline.unit(**id).role == Role::Frame).map(|(_, row)| row.clone()).collect();
        prop_assert_eq!(shown, kept);
    }
}
