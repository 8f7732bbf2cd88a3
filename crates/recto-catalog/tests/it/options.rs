//! Options that do not go together.

use recto_catalog::{Level, MapStyle, Options, compile};

fn refused(options: &Options) -> String {
    compile(&[super::tool("a", &["x"])], options).unwrap_err().to_string()
}

#[test]
fn what_does_not_go_together_is_said() {
    let both = Options { level: Some(Level::Map), ..Options::within(1_000) };
    insta::assert_snapshot!(refused(&both), @"a level and a budget do not go together: a budget chooses for each tool");
    let ledger = compile(&[super::tool("a", &["x"])], &Options::at(Level::Map)).unwrap().ledger();
    let on = |options: Options| Options { base: Some(ledger.clone()), ..options };
    insta::assert_snapshot!(refused(&on(Options::at(Level::Native))), @"level 1 was asked for, but the ledger was made with 3: compile afresh, once the cache is cold");
    insta::assert_snapshot!(refused(&on(Options::within(100))), @"a budget 100 was asked for, but the ledger was made with level 3: compile afresh, once the cache is cold");
    insta::assert_snapshot!(refused(&on(Options { map_style: Some(MapStyle::Signature), ..Options::default() })), @"map style signature was asked for, but the ledger was made with name+required: compile afresh, once the cache is cold");
    let mut later = ledger.clone();
    later.version = 9;
    insta::assert_snapshot!(refused(&Options { base: Some(later), ..Options::default() }), @"the ledger is of version 9; this recto writes and reads version 1");
    // Sent anew, anything goes, and codes stay.
    let afresh =
        compile(&[super::tool("a", &["x"])], &on(Options { afresh: true, ..Options::at(Level::Native) }))
            .unwrap();
    assert_eq!((afresh.level(), afresh.ledger().entries.len()), (Level::Native, 1));
}
