//! Tools come and go while a conversation lasts: what was sent stays, and no code ever stands for another tool.

use std::collections::BTreeMap;

use proptest::prelude::*;
use recto_catalog::{CodeStyle, Detail, Ledger, Level, MapStyle, Options, Outcome, Tool, compile};
use serde_json::{Value, json};

/// A tool of few names on few servers, in one of two wordings.
fn tools() -> impl Strategy<Value = Vec<Tool>> {
    let name = prop_oneof![
        Just("list"),
        Just("get"),
        Just("get_one"),
        Just("get.one"),
        Just("t"),
        Just("T"),
        Just("mcp__t"),
        Just("mcp__a"),
        Just("a"),
        Just("q"),
        Just("describe_op"),
        Just("a_get"),
        Just("名前"),
        Just("a-very-long-name-that-no-provider-takes-as-it-is-because-it-has-more-than-64-characters"),
    ];
    let tool = (name, prop_oneof![Just(""), Just("a"), Just("b")], any::<bool>()).prop_map(
        |(name, server, other)| {
            let schema = if other {
                json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]})
            } else {
                json!({"type": "object"})
            };
            let tool = Tool::new(name, "Does it.", schema).unwrap();
            if server.is_empty() { tool } else { tool.on_server(server) }
        },
    );
    proptest::collection::vec(tool, 0..12)
}

/// Names that are, or look like, those of a catalogue's own tools.
fn pins() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        Just("t"),
        Just("T"),
        Just("q"),
        Just("mcp__t"),
        Just("get"),
        Just("a"),
        Just("mcp__a"),
        Just("describe_op")
    ];
    proptest::collection::vec(name.prop_map(str::to_owned), 0..3)
}

fn options() -> impl Strategy<Value = Options> {
    let level =
        prop_oneof![Just(Level::Passthrough), Just(Level::Native), Just(Level::Namespaces), Just(Level::Map)];
    let style =
        prop_oneof![Just(MapStyle::NamesRequired), Just(MapStyle::Explicit), Just(MapStyle::Signature)];
    let codes = prop_oneof![Just(CodeStyle::Name), Just(CodeStyle::Short)];
    (level, style, codes, pins()).prop_map(|(level, style, codes, pins)| Options {
        pins,
        level: Some(level),
        map_style: Some(style),
        code_style: Some(codes),
        ..Options::default()
    })
}

type Owner = (String, Option<String>);

/// What each code, short code and operation stands for.
fn meanings(ledger: &Ledger) -> BTreeMap<String, Owner> {
    let mut meanings = BTreeMap::new();
    for entry in &ledger.entries {
        let owner = (entry.name.clone(), entry.server.clone());
        assert!(meanings.insert(entry.code.clone(), owner.clone()).is_none(), "two tools of one code");
        if let Some(short) = &entry.short {
            assert!(meanings.insert(short.clone(), owner).is_none(), "a short code that is a code");
        }
    }
    for tool in &ledger.tools {
        for (operation, code) in &tool.operations {
            let owner = meanings.get(code).unwrap().clone();
            meanings.insert(format!("{} {operation}", tool.name), owner);
        }
    }
    meanings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_was_sent_stays_and_codes_keep_their_tools(
        options in options(), histories in proptest::collection::vec(tools(), 1..6)
    ) {
        let mut ledger: Option<Ledger> = None;
        let mut before: BTreeMap<String, Owner> = BTreeMap::new();
        let mut definitions: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for tools in histories {
            let base = ledger.clone();
            let catalog = compile(&tools, &Options { base: base.clone(), ..options.clone() }).unwrap();
            let now = catalog.ledger();
            let meanings = meanings(&now);
            for (code, owner) in &before {
                prop_assert_eq!(meanings.get(code), Some(owner), "{} stands for another tool", code);
                // Whatever the model still remembers is that tool, or an error.
                let (name, operation) = code.split_once(' ').unwrap_or((code.as_str(), code.as_str()));
                for (name, arguments) in [
                    (name, json!({"id": "x"})),
                    (name, json!({"op": operation, "args": {"id": "x"}})),
                    ("t", json!({"f": code, "a": {"id": "x"}})),
                ] {
                    // Below level 3 `t` is a tool like any other.
                    if name != code && name == "t" && options.level != Some(Level::Map) {
                        continue;
                    }
                    if let Outcome::Call { name: real, server, .. } = catalog.resolve(name, arguments) {
                        let called_another = (real, server) != *owner;
                        // A code that is also the name of one of the catalogue's own tools means that one.
                        let own = ["t", "q"].contains(&code.as_str()) || now.tools.iter().any(|tool| &tool.name == code && !tool.operations.is_empty());
                        prop_assert!(!called_another || own, "{} called another tool", code);
                    }
                }
            }
            if let Some(base) = base {
                prop_assert!(now.preamble.starts_with(&base.preamble));
                prop_assert!(now.tools.len() >= base.tools.len());
                for (old, new) in base.tools.iter().zip(&now.tools) {
                    prop_assert_eq!(&old.name, &new.name);
                    // Only a definition that changed itself may change what stands for it.
                    let same = catalog.directory().get(&old.name).is_none_or(|entry| {
                        definitions.get(&old.name).is_none_or(|digest| digest == &entry.tool().digest().to_vec())
                    });
                    if same {
                        prop_assert_eq!(old, new);
                    }
                }
                for entry in &base.entries {
                    prop_assert!(now.entries.iter().any(|new| new.code == entry.code));
                }
            }
            for entry in catalog.directory().entries() {
                definitions.insert(entry.code().to_owned(), entry.tool().digest().to_vec());
            }
            // No provider takes two tools of one name.
            let names: std::collections::BTreeSet<&str> = now.tools.iter().map(|tool| tool.name.as_str()).collect();
            prop_assert_eq!(names.len(), now.tools.len());
            // Through JSON, as carriers keep it.
            let text = serde_json::to_string(&now).unwrap();
            let read: Ledger = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&read, &now);
            before = meanings;
            ledger = Some(read);
        }
    }

    #[test]
    fn order_of_the_tools_changes_nothing(options in options(), tools in tools(), seed in any::<u64>()) {
        let one = compile(&tools, &options).unwrap().ledger();
        let mut shuffled = tools;
        let mut state = seed | 1;
        for place in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(place, usize::try_from(state >> 33).unwrap() % (place + 1));
        }
        prop_assert_eq!(compile(&shuffled, &options).unwrap().ledger(), one);
    }

    #[test]
    fn the_same_tools_again_send_the_same_bytes(options in options(), tools in tools()) {
        let first = compile(&tools, &options).unwrap();
        let again = compile(&tools, &Options { base: Some(first.ledger()), ..options }).unwrap();
        prop_assert_eq!(again.ledger(), first.ledger());
        let changes = again.notes().iter().filter(|note| !note.message.starts_with("pinned")).count();
        prop_assert_eq!(changes, 0, "{:?}", again.notes());
    }
}

/// One change after another, at level 3.
#[test]
fn a_map_grows_at_its_end() {
    let of = |names: &[&str]| -> Vec<Tool> { names.iter().map(|name| super::tool(name, &["id"])).collect() };
    let options = Options::at(Level::Map);
    let first = compile(&of(&["b", "d"]), &options).unwrap();
    let second =
        compile(&of(&["a", "d"]), &Options { base: Some(first.ledger()), ..options.clone() }).unwrap();
    let changed = vec![super::tool("a", &["id", "to"]), super::tool("b", &["id"]), super::tool("d", &["id"])];
    let third = compile(&changed, &Options { base: Some(second.ledger()), ..options }).unwrap();
    insta::assert_snapshot!(third.system_preamble(), @r"
# Tools, one a line: name(required arguments). Call one with t; q tells all arguments, or finds tools.
b(id)
d(id)
# No longer there: b
# Added:
a(id)
# These lines replace those above:
b(id)
a(id,to)
");
    let notes: Vec<Value> = third.notes().iter().map(|note| serde_json::to_value(note).unwrap()).collect();
    insta::assert_snapshot!(serde_json::to_string(&notes).unwrap(), @r#"[{"code":"b","message":"there again"},{"code":"a","message":"changed: its new line counts"}]"#);
    assert!(third.ledger().entries.iter().all(|entry| entry.detail == Detail::Required && !entry.removed));
}

/// Where one server has two tools of a name, each code stays with its definition.
#[test]
fn a_code_stays_with_the_definition_that_it_was_given_to() {
    let of = |key: &str| {
        let schema = json!({"type": "object", "properties": {key: {"type": "string"}}, "required": [key]});
        Tool::new("x", key, schema).unwrap().on_server("s")
    };
    let first = compile(&[of("p"), of("z")], &Options::at(Level::Map)).unwrap();
    let code_of = |key: &str| {
        let entries = first.directory().entries();
        entries.iter().find(|entry| entry.tool().description() == key).unwrap().code().to_owned()
    };
    for (stays, goes) in [("p", "z"), ("z", "p")] {
        let second =
            compile(&[of(stays)], &Options { base: Some(first.ledger()), ..Options::default() }).unwrap();
        assert_eq!(second.directory().get(&code_of(stays)).unwrap().tool().description(), stays);
        assert!(second.directory().get(&code_of(goes)).is_none());
    }
}

/// A short code means its tool in every shape of a call, whatever else looks like it.
#[test]
fn short_codes_are_codes_in_every_shape() {
    let options = Options { code_style: Some(CodeStyle::Short), ..Options::at(Level::Map) };
    let alone =
        compile(&[super::tool("read_file", &[]), super::tool("delete_everything", &[])], &options).unwrap();
    let short = alone.code_for("read_file").unwrap().to_owned();
    let evil = format!("{}_{}", &short[..1], &short[1..]);
    let catalog = compile(
        &[super::tool("read_file", &[]), super::tool("delete_everything", &[]), super::tool(&evil, &[])],
        &options,
    )
    .unwrap();
    for (name, arguments) in [
        ("t", json!({"f": short})),
        ("t", json!(format!("{{\"f\":\"{short}\"}}"))),
        ("functions.t", json!({"f": short})),
        ("t", json!({"name": short})),
        ("t", json!([{"f": short}])),
        (short.as_str(), json!({})),
    ] {
        let outcome = catalog.resolve(name, arguments.clone());
        assert!(
            matches!(&outcome, Outcome::Call { name, .. } if name == "read_file"),
            "{name} {arguments}: {outcome:?}"
        );
    }
}
