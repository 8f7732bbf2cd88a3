use recto_outline::{ContentType, detect};

use super::view::{assert_listing, outline_of};

#[test]
fn hits_with_context_are_grouped_by_file() {
    let source = b"src/a-1.rs-11-fn a() {\nsrc/a-1.rs:12:    parse(x)\nsrc/a-1.rs-13-}\n--\nsrc/a-1.rs:40:5:parse(y)\n--\nsrc/b.rs:1:use parse;\ngrep: c.bin: Permission denied\n";
    assert_listing(
        &outline_of(source, ContentType::Search),
        r"
        Block File 0+0..93 src/a-1.rs-11-fn a() {\nsrc/a-1.rs:12:    parse(x)\nsrc/a-1.rs
          Line Context 0+0..22 src/a-1.rs-11-fn a() {
          Line Hit 22+23..49 src/a-1.rs:12:    parse(x)
          Line Context 49+50..65 src/a-1.rs-13-}
          Line Blank 65+66..68 --
          Line Hit 68+69..93 src/a-1.rs:40:5:parse(y)
        Line Blank 93+94..96 --
        Block File 96+97..118 src/b.rs:1:use parse;
          Line Hit 97+97..118 src/b.rs:1:use parse;
        Line Failure 118+119..149 grep: c.bin: Permission denied
        ",
    );
}

#[test]
fn a_path_above_its_hits_is_their_frame() {
    let source = b"src/a.rs\n11-fn a() {\n12:    parse(x)\n--\n40:parse(y)\n\nsrc/b.rs\n1:use parse;\n";
    assert_listing(
        &outline_of(source, ContentType::Search),
        r"
        Block File 0+0..51 src/a.rs\n11-fn a() {\n12:    parse(x)\n--\n40:parse(y)
          Frame Heading 0+0..8 src/a.rs
          Line Context 8+9..20 11-fn a() {
          Line Hit 20+21..36 12:    parse(x)
          Line Blank 36+37..39 --
          Line Hit 39+40..51 40:parse(y)
        Block File 51+53..74 src/b.rs\n1:use parse;
          Frame Heading 53+53..61 src/b.rs
          Line Hit 61+62..74 1:use parse;
        ",
    );
}

#[test]
fn hits_without_numbers() {
    let source = b"./src/a.rs:fn parse(\n./src/a.rs:    parse(x)\n./src/b.rs:use parse;\n";
    assert_eq!(detect(source), ContentType::Search);
    assert_listing(
        &outline_of(source, ContentType::Search),
        r"
        Block File 0+0..44 ./src/a.rs:fn parse(\n./src/a.rs:    parse(x)
          Line Hit 0+0..20 ./src/a.rs:fn parse(
          Line Hit 20+21..44 ./src/a.rs:    parse(x)
        Block File 44+45..66 ./src/b.rs:use parse;
          Line Hit 45+45..66 ./src/b.rs:use parse;
        ",
    );
}

#[test]
fn counts_are_flat() {
    let source = b"src/a.rs:12\nsrc/b.rs:0\nsrc/c.rs:3\n";
    assert_eq!(detect(source), ContentType::Search);
    assert_listing(
        &outline_of(source, ContentType::Search),
        r"
        Record Hit 0+0..11 src/a.rs:12
        Record Hit 11+12..22 src/b.rs:0
        Record Hit 22+23..33 src/c.rs:3
        ",
    );
}

#[test]
fn a_long_hit_keeps_its_place() {
    let source = format!("dist/app.js:1:{}\ndist/app.js:2:x\n", "var a = 1; ".repeat(100));
    let outline = outline_of(source.as_bytes(), ContentType::Search);
    let hit = outline.children(recto_outline::UnitId(1)).next().unwrap();
    let piece = outline.children(hit).next().unwrap();
    assert_eq!(outline.unit(piece).body.s - outline.unit(hit).body.s, "dist/app.js:1:".len() as u32);
}

#[test]
fn errors_of_a_linter_are_failures() {
    let source = b"src/a.py:1:5: error: bad type\nsrc/a.py:2:5: warning: odd\n";
    let outline = outline_of(source, ContentType::Search);
    let kinds: Vec<String> = outline.units.iter().skip(2).map(|unit| format!("{:?}", unit.kind)).collect();
    assert_eq!(kinds, ["Failure", "Hit"]);
}

#[test]
fn windows_paths_have_a_drive() {
    let source = b"C:\\src\\a.rs:12:parse\nC:\\src\\a.rs:13:parse\nC:\\src\\b.rs:1:parse\n";
    assert_eq!(detect(source), ContentType::Search);
    assert_eq!(outline_of(source, ContentType::Search).units.len(), 6);
}

#[test]
fn detection_is_wary() {
    for source in [
        "2024-01-01T12:30:45.123 INFO started\n2024-01-01T12:30:46.123 INFO ready\n",
        "12:30:45 INFO started\n12:30:46 INFO ready\n",
        "10.0.0.1:8080: refused\n10.0.0.2:8080: refused\n",
        "spring.datasource.url: jdbc\nspring.datasource.user: me\nspring.jpa.show: true\n",
        "src/a.rs: OK\nsrc/b.rs: OK\nsrc/c.rs: FAILED\n",
        "https://a.example:8080:x\nhttps://b.example:8080:y\n",
        "tests/a.py::test_one PASSED\ntests/a.py::test_two PASSED\ntests/a.py::test_three PASSED\n",
    ] {
        assert_ne!(detect(source.as_bytes()), ContentType::Search, "{source}");
    }
}
