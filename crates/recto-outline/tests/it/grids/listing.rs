use recto_outline::{ContentType, Kind, Layout, Role, UnitId, detect};
use recto_testkit::corpus;

use super::view::{assert_listing, exact, outline_of};

#[test]
fn a_table_with_a_header() {
    let source = b"NAME    READY   STATUS             AGE\napi-1   1/1     Running            3d\napi-2   0/1     CrashLoopBackOff   3d\n";
    assert_eq!(detect(source), ContentType::Listing);
    let outline = outline_of(source, ContentType::Listing);
    assert_listing(
        &outline,
        r"
        Frame Section 0+0..114 NAME    READY   STATUS             AGE\napi-1   1/1     Runni
          Frame Header 0+0..38 NAME    READY   STATUS             AGE
          Record Row 38+39..76 api-1   1/1     Running            3d
          Record Row 76+77..114 api-2   0/1     CrashLoopBackOff   3d
        ",
    );
    assert!(matches!(&outline.tables[0].layout, Layout::Fixed { starts } if starts.len() == 4));
    assert_eq!(exact(&outline, |_| false), b"NAME    READY   STATUS             AGE\n");
}

#[test]
fn a_header_that_comes_again_opens_a_block() {
    let source = b"Chain INPUT (policy ACCEPT)\n pkts bytes target     source\n    0     0 ACCEPT_FROM_LAN  10.0.0.0/8\n    0     0 DROP       0.0.0.0/0\n\nChain DOCKER (1 references)\n pkts bytes target     source\n";
    assert_listing(
        &outline_of(source, ContentType::Listing),
        r"
        Frame Section 0+0..130 Chain INPUT (policy ACCEPT)\n pkts bytes target     source\n  
          Frame Heading 0+0..27 Chain INPUT (policy ACCEPT)
          Frame Header 27+28..57  pkts bytes target     source
          Record Row 57+58..97     0     0 ACCEPT_FROM_LAN  10.0.0.0/8
          Record Row 97+98..130     0     0 DROP       0.0.0.0/0
        Block Section 130+132..189 Chain DOCKER (1 references)\n pkts bytes target     source
          Frame Heading 132+132..159 Chain DOCKER (1 references)
          Frame Header 159+160..189  pkts bytes target     source
        ",
    );
}

#[test]
fn tables_without_a_blank_line_between() {
    let source = b"Active Internet connections (only servers)\nProto Recv-Q Local Address      State\ntcp        0 127.0.0.1:5432     LISTEN\ntcp6       0 :::80              LISTEN\nActive UNIX domain sockets (only servers)\nProto RefCnt Type       Path\nunix  2      STREAM     /run/a\nunix  3      DGRAM      /run/b\n";
    let outline = outline_of(source, ContentType::Listing);
    let blocks: Vec<(Role, &[u8])> = outline
        .children(UnitId::ROOT)
        .map(|id| (outline.unit(id).role, outline.text(id).split(|byte| *byte == b'\n').next().unwrap()))
        .collect();
    assert_eq!(
        blocks,
        [
            (Role::Frame, &b"Active Internet connections (only servers)"[..]),
            (Role::Block, b"Active UNIX domain sockets (only servers)")
        ]
    );
    assert_eq!(outline.tables.len(), 2);
}

#[test]
fn psql_and_mysql() {
    let source = b" id | name \n----+------\n  1 | a\n  2 | b\n(2 rows)\n\n";
    assert_eq!(detect(source), ContentType::Listing);
    assert_listing(
        &outline_of(source, ContentType::Listing),
        r"
        Frame Section 0+0..48  id | name \n----+------\n  1 | a\n  2 | b\n(2 rows)
          Frame Header 0+0..11  id | name 
          Frame Header 11+12..23 ----+------
          Record Row 23+24..31   1 | a
          Record Row 31+32..39   2 | b
          Line Summary 39+40..48 (2 rows)
        ",
    );
    let source = b"+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n+----+------+\n1 row in set\n";
    let outline = outline_of(source, ContentType::Listing);
    assert_eq!(exact(&outline, |_| false), b"+----+------+\n| id | name |\n+----+------+\n+----+------+\n");
}

#[test]
fn expanded_records_are_records_of_fields() {
    let long = "x".repeat(40);
    let source =
        format!("-[ RECORD 1 ]---\nid   | 1\nname | {long}\n-[ RECORD 2 ]---\nid   | 2\nname | {long}\n\n");
    assert_eq!(detect(source.as_bytes()), ContentType::Listing);
    let outline = outline_of(source.as_bytes(), ContentType::Listing);
    let roles: Vec<Role> = outline.units.iter().skip(1).map(|unit| unit.role).collect();
    let record = [Role::Record, Role::Frame, Role::Field, Role::Field];
    assert_eq!(roles, [record, record].concat());
}

#[test]
fn a_tree_is_nested() {
    let source = ".\n├── a\n│   ├── b.rs\n│   └── c.rs\n└── d.rs\n\n2 directories, 3 files\n";
    assert_eq!(detect(source.as_bytes()), ContentType::Listing);
    let outline = outline_of(source.as_bytes(), ContentType::Listing);
    assert_listing(
        &outline,
        r"
        Frame Section 0+0..70 .\n├── a\n│   ├── b.rs\n│   └── c.rs\n└── d.rs
          Frame Heading 0+0..1 .
          Block Section 1+2..55 ├── a\n│   ├── b.rs\n│   └── c.rs
            Frame Heading 2+2..13 ├── a
            Record Row 13+14..34 │   ├── b.rs
            Record Row 34+35..55 │   └── c.rs
          Record Row 55+56..70 └── d.rs
        Line Summary 70+72..94 2 directories, 3 files
        ",
    );
    let c = outline.units.iter().position(|unit| unit.body.of(source.as_bytes()).ends_with(b"c.rs")).unwrap();
    let c = outline.units.iter().skip(c).position(|unit| unit.role == Role::Record).unwrap() + c;
    let shown = exact(&outline, |id| id.index() == c + 1);
    assert_eq!(String::from_utf8(shown).unwrap(), ".\n├── a\n│   └── c.rs\n");
}

#[test]
fn folders_of_ls() {
    let source = b"/tmp:\ntotal 8\ndrwxr-xr-x 2 root root 4096 Nov 30 05:24 a\n-rw-r--r-- 1 root root   12 Nov 30 05:24 b.txt\n\n/tmp/a:\ntotal 0\n";
    assert_eq!(detect(source), ContentType::Listing);
    assert_listing(
        &outline_of(source, ContentType::Listing),
        r"
        Block Section 0+0..103 /tmp:\ntotal 8\ndrwxr-xr-x 2 root root 4096 Nov 30 05:24 a\n-rw
          Frame Heading 0+0..5 /tmp:
          Line Summary 5+6..13 total 8
          Record Row 13+14..56 drwxr-xr-x 2 root root 4096 Nov 30 05:24 a
          Record Row 56+57..103 -rw-r--r-- 1 root root   12 Nov 30 05:24 b.txt
        Block Section 103+105..120 /tmp/a:\ntotal 0
          Frame Heading 105+105..112 /tmp/a:
          Line Summary 112+113..120 total 0
        ",
    );
}

#[test]
fn paths_and_counts_are_flat() {
    let paths = b"src/a.rs\nsrc/b.rs\nsrc/c/d.rs\nCargo.toml\nMakefile\n";
    assert_eq!(detect(paths), ContentType::Listing);
    assert_eq!(outline_of(paths, ContentType::Listing).units.len(), 6);
    let counts = b"  242 ./a.java\n  119 ./b.java\n   98 ./c.java\n  459 total\n";
    assert_eq!(detect(counts), ContentType::Listing);
    assert_listing(
        &outline_of(counts, ContentType::Listing),
        r"
        Record Row 0+0..14   242 ./a.java
        Record Row 14+15..29   119 ./b.java
        Record Row 29+30..44    98 ./c.java
        Line Summary 44+45..56   459 total
        ",
    );
}

#[test]
fn metrics_stand_below_their_meaning() {
    let source = b"# HELP up Is it up.\n# TYPE up gauge\nup{job=\"a b\"} 1\nup{job=\"c\"} 0\n# HELP go_threads Threads.\n# TYPE go_threads gauge\ngo_threads 14\n";
    assert_eq!(detect(source), ContentType::Listing);
    let outline = outline_of(source, ContentType::Listing);
    assert_eq!(outline.children(UnitId::ROOT).count(), 2);
    let zero = outline
        .units
        .iter()
        .position(|unit| unit.body.of(source).ends_with(b"0") && unit.role == Role::Record);
    assert_eq!(
        exact(&outline, |id| Some(id.index()) == zero),
        b"# HELP up Is it up.\n# TYPE up gauge\nup{job=\"c\"} 0\n"
    );
}

#[test]
fn a_screen_of_blanks_behind_a_row_is_silent() {
    let source =
        format!("NAME  STATE  AGE{}\na     ok     3d{}\nb     bad    4d\n", " ".repeat(60), " ".repeat(60));
    let outline = outline_of(source.as_bytes(), ContentType::Listing);
    assert_eq!(outline.silent.iter().map(|span| span.len()).collect::<Vec<_>>(), [60, 60]);
}

#[test]
fn files_and_file_systems_a_line_each_are_listings() {
    for source in [
        " M src/a.rs\n?? new/\nR  old.rs -> src/b.rs\nAM \"with blank.txt\"\n",
        "## main...origin/main\nUU both.rs\n",
        "M\tsrc/a.rs\nR087\told.rs\tnew.rs\nA\tb.rs\n",
        " src/a.rs       | 12 ++++++------\n img/b.png      | Bin 0 -> 120 bytes\n 2 files changed, 6 insertions(+), 6 deletions(-)\n",
        " a => b.rs | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)\n",
        "proc on /proc type proc (rw,relatime)\n/dev/vda on / type ext4 (rw)\n",
        "/dev/disk1s1 on / (apfs, local, journaled)\ndevfs on /dev (devfs, local)\n",
    ] {
        assert_eq!(detect(source.as_bytes()), ContentType::Listing, "{source}");
        let outline = outline_of(source.as_bytes(), ContentType::Listing);
        let count = |kind| outline.units.iter().filter(|unit| unit.kind == kind).count();
        let summaries = usize::from(source.contains(" changed"));
        assert_eq!(
            (count(Kind::Row), count(Kind::Summary)),
            (source.lines().count() - summaries, summaries),
            "{source}"
        );
    }
}

#[test]
fn detection_is_wary() {
    for source in [
        "The quick brown fox jumps.\nOver the lazy dog it goes.\nAnd back again at once, too.\n",
        "     1\tfn main() {\n     2\t    run();\n     3\t}\n     4\t\n     5\t// end\n",
        "2024-01-01 10:00:00 INFO a b\n2024-01-01 10:00:01 INFO c d\n2024-01-01 10:00:02 WARN e f\n",
        "one\ntwo\nthree\nfour\nfive\n",
        "let a = 1;\nlet b = 22;\nlet c = 333;\nlet d = 4444;\n",
        "Title\n=====\n\nSome text\n",
        "A  few words here.\nM  more of them.\n",
        " a | 12\n b | twelve\n",
        "He sat on /dev/null (a joke)\nand went on.\n",
    ] {
        assert_ne!(detect(source.as_bytes()), ContentType::Listing, "{source}");
    }
}

#[test]
fn the_listings_of_the_corpus_are_detected() {
    let Some(files) = corpus::outputs() else { return };
    for file in files.iter().filter(|file| matches!(file.kind.as_str(), "texttable" | "search")) {
        assert_eq!(detect(&file.read()), ContentType::Listing, "{}", file.relative);
    }
    for file in files
        .iter()
        .filter(|file| matches!(file.kind.as_str(), "log" | "prose" | "json" | "jsonl" | "markup"))
    {
        let found = detect(&file.read());
        let grids = [ContentType::Csv, ContentType::MarkdownTable, ContentType::Listing, ContentType::Search];
        assert!(!grids.contains(&found), "{} is taken for {found}", file.relative);
    }
}
