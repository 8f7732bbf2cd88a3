use recto_outline::{ContentType, Layout, Outline, Records, TableRecords, UnitId, cells, header_names};

use super::view::outline_of;

/// The names and the rows of the first table.
fn grid(source: &str, content_type: ContentType) -> (Vec<String>, Vec<Vec<String>>) {
    let outline = outline_of(source.as_bytes(), content_type);
    let table = &outline.tables[0];
    let records = TableRecords::new(&outline, table);
    let rows = (0..records.len()).map(|row| texts(&outline, records.unit(row).unwrap())).collect();
    (header_names(&outline, table).into_iter().map(String::from).collect(), rows)
}

fn texts(outline: &Outline<'_>, row: UnitId) -> Vec<String> {
    let mut texts = Vec::new();
    cells(outline, &outline.tables[0], row, &mut |column, span| {
        assert_eq!(column, texts.len());
        texts.push(String::from_utf8(span.of(outline.source).to_vec()).unwrap());
    });
    texts
}

#[test]
fn delimited_cells_keep_their_quotes() {
    let (names, rows) =
        grid("id, \"full \"\"name\"\"\",x\n1, \"a, b\" ,\n2,\"c\nd\",e,f\n", ContentType::Csv);
    assert_eq!(names, ["id", "full \"name\"", "x"]);
    assert_eq!(rows, [vec!["1", "\"a, b\"", ""], vec!["2", "\"c\nd\"", "e", "f"]]);
}

#[test]
fn two_header_rows_make_one_name_each() {
    let (names, _) = grid("ID,Films,,Age\n,Response,Episode II,\n12,a,b,3\n13,c,d,4\n", ContentType::Csv);
    assert_eq!(names, ["ID", "Films", "Episode II", "Age"]);
}

#[test]
fn pipes_of_markdown_psql_and_boxes() {
    let (names, rows) = grid("| a | b |\n|---|---|\n| 1 \\| 2 | |\n| 3 |\n", ContentType::MarkdownTable);
    assert_eq!(names, ["a", "b"]);
    assert_eq!(rows, [vec!["1 \\| 2", ""], vec!["3"]]);
    let (names, rows) = grid(" id | name \n----+------\n  1 | \n  2 | b\n(2 rows)\n", ContentType::Listing);
    assert_eq!(names, ["id", "name"]);
    assert_eq!(rows, [["1", ""], ["2", "b"]]);
    let (names, rows) = grid(
        "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ ä    │\n└────┴──────┘\n",
        ContentType::Listing,
    );
    assert_eq!(names, ["id", "name"]);
    assert_eq!(rows, [["1", "ä"]]);
}

#[test]
fn a_pipe_that_is_no_border_follows_an_empty_first_cell() {
    let source = "a | b\n--|--\n| 1\n2 | 3\n";
    let (names, rows) = grid(source, ContentType::MarkdownTable);
    assert_eq!(names, ["a", "b"]);
    assert_eq!(rows, [["", "1"], ["2", "3"]]);
    let outline = outline_of(source.as_bytes(), ContentType::MarkdownTable);
    let records = TableRecords::new(&outline, &outline.tables[0]);
    let row = [0, 1, 2].map(|column| records.cell(0, column).map(|cell| cell.of(outline.source)));
    assert_eq!(row, [Some(&b""[..]), Some(b"1"), None]);
}

#[test]
fn fixed_columns_follow_right_aligned_and_too_wide_values() {
    let source = "  PID USER      RSS COMMAND\n    1 root     9236 /sbin/init auto\n22741 postgres  512 -\n   12 systemd-resolve 7 x\n";
    let (names, rows) = grid(source, ContentType::Listing);
    assert_eq!(names, ["PID", "USER", "RSS", "COMMAND"]);
    assert_eq!(rows[0], ["1", "root", "9236", "/sbin/init auto"]);
    assert_eq!(rows[1], ["22741", "postgres", "512", "-"]);
    // A value that reaches into the next column takes the room of that one's.
    assert_eq!(rows[2][..2], ["12", "systemd-resolve"]);
}

#[test]
fn fixed_columns_count_characters() {
    let (names, rows) =
        grid("NAME     STATE    AGE\nzürich   Running  3d\nåland-ö  Failed   4d\n", ContentType::Listing);
    assert_eq!(names, ["NAME", "STATE", "AGE"]);
    assert_eq!(rows, [["zürich", "Running", "3d"], ["åland-ö", "Failed", "4d"]]);
}

#[test]
fn names_of_several_words_are_one_column() {
    let source = "CONTAINER ID   IMAGE         STATUS\n4c01db0b339c   ubuntu:22.04  Up 16 seconds\nd7886598dbe2   redis         Exited (1)\n";
    let (names, rows) = grid(source, ContentType::Listing);
    assert_eq!(names, ["CONTAINER ID", "IMAGE", "STATUS"]);
    assert_eq!(rows[1], ["d7886598dbe2", "redis", "Exited (1)"]);
}

#[test]
fn an_unnamed_column_of_row_labels_has_an_empty_name() {
    let source = "       total    used    free\nMem:   24683   83660   21417\nSwap:      0       0       0\n";
    let (names, rows) = grid(source, ContentType::Listing);
    assert_eq!(names, ["", "total", "used", "free"]);
    assert_eq!(rows, [["Mem:", "24683", "83660", "21417"], ["Swap:", "0", "0", "0"]]);
}

#[test]
fn blanks_give_the_last_column_the_rest() {
    let source = " pkts bytes target     prot  source\n 4175 1130K INPUT_ZONES_SOURCE  all  0.0.0.0/0  ctstate NEW\n    0     0 DROP       all   10.0.0.0/8\n";
    let (names, rows) = grid(source, ContentType::Listing);
    assert_eq!(names, ["pkts", "bytes", "target", "prot", "source"]);
    assert_eq!(rows[0], ["4175", "1130K", "INPUT_ZONES_SOURCE", "all", "0.0.0.0/0  ctstate NEW"]);
}

#[test]
fn records_are_read_by_row_and_column() {
    let source = b"id,name\n1,a\n2\n";
    let outline = outline_of(source, ContentType::Csv);
    let records = TableRecords::new(&outline, &outline.tables[0]);
    assert_eq!(records.len(), 2);
    assert!(!records.is_empty());
    assert_eq!(records.columns(), ["id", "name"]);
    assert_eq!(records.cell(0, 1).unwrap().of(source), b"a");
    assert_eq!(records.cell(1, 1), None);
    assert_eq!(records.cell(2, 0), None);
    assert_eq!(outline.tables[0].layout, Layout::Delimited { delimiter: b',' });
}
