use proptest::prelude::*;

use super::*;

fn entries() -> Vec<Entry> {
    let entry =
        |event, matcher| Entry { event, matcher, command: "recto hook claude".to_owned(), timeout: 5 };
    vec![
        entry("PostToolUse", None),
        entry("PreToolUse", Some("Write|Edit")),
        entry("SessionStart", Some("compact")),
    ]
}

fn owns(command: &str) -> bool {
    command.starts_with("recto hook ")
}

/// Files as people have them.
const FILES: [&str; 16] = [
    "{}",
    "{}\n",
    "{\n}\n",
    "{ }",
    "\u{feff}{\n  \"a\": 1\n}",
    "{\"hooks\":{}}",
    "{\"hooks\": { }, \"z\": [1, 2 ,]}",
    "{\n\t\"hooks\": {\n\t\t\"PostToolUse\": []\n\t}\n}",
    "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      // mine\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"fmt\"}]}, // and so on\n    ],\n  },\n}\n",
    "{\r\n  \"model\": \"opus\", /* a comment } ] */\r\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]} // end\r\n}\r\n",
    "// head\n{\n  \"env\": {\"X\": \"{\\\"hooks\\\": 1}\"},\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}]}\n}\n// tail",
    "{\"hooks\": {\"PreToolUse\": [ ], \"PostToolUse\": [{\"hooks\": []}]}}",
    "{\"a\":1}",
    "  {\n\n\n    \"a\": {\"b\": [[[{}]]]}\n\n  }  ",
    "{\"hooks\":{\"SessionStart\":[{\"matcher\":\"compact\",\"hooks\":[{\"type\":\"command\",\"command\":\"other\"}]}]},\"b\":null}",
    "{\n    \"hooks\": {\n    }\n}",
];

#[test]
fn what_is_put_in_comes_out_again_byte_for_byte() {
    for text in FILES {
        let added = add(text, &entries()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let own = commands(&added).unwrap().into_iter().filter(|(_, command)| owns(command)).count();
        assert_eq!(own, 3, "{added}");
        assert_eq!(take_out(&added, owns).unwrap(), text, "{added}");
        // All that was there is there still.
        let before = commands(text).unwrap();
        let after = commands(&added).unwrap();
        assert!(before.iter().all(|command| after.contains(command)), "{added}");
    }
}

#[test]
fn a_file_reads_well_afterwards() {
    insta::assert_snapshot!(add("{}\n", &entries()[..1]).unwrap());
    insta::assert_snapshot!(add(FILES[8], &entries()[..2]).unwrap());
}

#[test]
fn later_changes_of_the_person_stay() {
    let added = add("{\n  \"a\": 1\n}\n", &entries()).unwrap();
    let changed = added.replace("\n}\n", ",\n  \"b\": 2\n}\n");
    assert_eq!(take_out(&changed, owns).unwrap(), "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    // Of those that stand in one element, only what is owned goes.
    let shared =
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"recto hook claude\"},{\"command\":\"bell\"}]}]}}";
    assert_eq!(
        take_out(shared, owns).unwrap(),
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"bell\"}]}]}}"
    );
}

#[test]
fn words_of_the_person_around_it_stay() {
    let own = "{\"hooks\":[{\"command\":\"recto hook claude\"}]}";
    let cases = [
        // A comma in a comment is none.
        ("[OWN /* ours, keep */ ,\n  1]", "[ /* ours, keep */ \n  1]"),
        ("[OWN // a, b\n  , // {\"c\": 1},\n  1]", "[ // a, b\n   // {\"c\": 1},\n  1]"),
        ("[OWN,\n  // of one\n  1]", "[\n  // of one\n  1]"),
        ("[1, // of one\n  OWN\n]", "[1 // of one\n]"),
        ("[1, // of one\n  OWN,\n  2\n]", "[1, // of one\n  2\n]"),
        ("[1 /* a, */ , /* b, */ OWN /* c, */ , 2]", "[1 /* a, */ , /* b, */  /* c, */  2]"),
        ("[1 /* a, */ , OWN /* c, */]", "[1 /* a, */   /* c, */]"),
        ("[\n  // of it\n  OWN\n]", "[\n  // of it\n]"),
        ("[OWN,]", "[]"),
        ("[1,\n  OWN // c\n]", "[1 // c\n]"),
    ];
    for (before, after) in cases {
        let within = |list: &str| format!("{{\"hooks\":{{\"Stop\":{list}}}}}");
        let text = within(&before.replace("OWN", own));
        assert_eq!(take_out(&text, owns).unwrap(), within(after), "{before}");
    }
    // What was made for it stays if a person has written into it.
    let added = add("{}\n", &entries()[..1]).unwrap();
    let noted = added.replacen("[\n", "[ // mine\n", 1);
    assert_eq!(empty(&take_out(&noted, owns).unwrap()).unwrap(), ["hooks.PostToolUse"]);
    assert!(take_out(&noted, owns).unwrap().contains("// mine"));
}

#[test]
fn what_stays_empty_is_told() {
    assert_eq!(empty("{\"hooks\":{\"PostToolUse\":[],\"Stop\":[1]}}").unwrap(), ["hooks.PostToolUse"]);
    assert_eq!(empty("{\"hooks\":{}}").unwrap(), ["hooks"]);
    assert!(empty("{\"a\":[]}").unwrap().is_empty());
}

#[test]
fn brackets_in_strings_and_comments_are_no_nesting() {
    let text = format!("{{\"a\": \"{0}\" /* {0} */}} // {0}", "[{".repeat(200));
    assert_eq!(take_out(&add(&text, &entries()).unwrap(), owns).unwrap(), text);
}

#[test]
fn what_is_no_settings_file_is_refused() {
    let wrong = [
        "",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"PostToolUse\": {}}}",
        "{\"hooks\": {}, \"hooks\": {}}",
        "{\"a\": }",
        "null",
    ];
    for text in wrong {
        let error = add(text, &entries()).unwrap_err();
        assert!(!error.to_string().is_empty(), "{text}");
    }
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MOST_BYTES - 100));
    assert_eq!(add(&long, &entries()[..1]), Err(TOO_LONG), "it could not be taken out again");
    let deep = "[".repeat(100_000);
    assert_eq!(add(&deep, &entries()), Err(SettingsError::Unlikely("it is nested deeper than 128")));
}

/// JSON with comments, blanks and trailing commas at every place.
fn text() -> impl Strategy<Value = String> {
    let blank =
        || prop_oneof![Just(""), Just(" "), Just("\n  "), Just("\r\n\t"), Just(" // c\n"), Just("/* , } */")];
    let leaf = prop_oneof![
        Just("1"),
        Just("null"),
        Just("\"a, } b\""),
        Just("[]"),
        Just("{}"),
        Just("\"recto hook\"")
    ];
    let element = (
        blank(),
        prop_oneof![
            Just("{\"matcher\":\"x\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}"),
            Just("{\"hooks\" : [ ] }"),
            Just("{\"hooks\":[{\"command\":\"other hook claude\"},{\"command\":\"b\"}]}"),
        ],
        blank(),
    )
        .prop_map(|(a, element, b)| format!("{a}{element}{b}"));
    let list = (prop::collection::vec(element, 0..3), blank(), any::<bool>()).prop_map(
        |(elements, blank, comma)| {
            let comma = if comma && !elements.is_empty() { "," } else { "" };
            format!("[{}{comma}{blank}]", elements.join(","))
        },
    );
    let event = (blank(), prop_oneof![Just("PostToolUse"), Just("PreToolUse"), Just("Stop")], blank(), list)
        .prop_map(|(a, name, b, list)| (name, format!("{a}\"{name}\":{b}{list}")));
    let events =
        (prop::collection::vec(event, 0..3), blank(), any::<bool>()).prop_map(|(events, blank, comma)| {
            let mut seen = Vec::new();
            let events: Vec<String> = events
                .into_iter()
                .filter_map(|(name, text)| {
                    (!seen.contains(&name)).then(|| {
                        seen.push(name);
                        text
                    })
                })
                .collect();
            let comma = if comma && !events.is_empty() { "," } else { "" };
            format!("{{{}{comma}{blank}}}", events.join(","))
        });
    let member = (blank(), leaf, blank()).prop_map(|(a, leaf, b)| format!("{a}\"k\":{b}{leaf}"));
    (
        blank(),
        prop::collection::vec(member, 0..2),
        prop::option::of((blank(), events)),
        blank(),
        any::<bool>(),
    )
        .prop_map(|(head, members, hooks, tail, comma)| {
            let hooks = hooks.map(|(blank, events)| format!("{blank}\"hooks\":{events}"));
            let all: Vec<String> = members.into_iter().take(1).chain(hooks).collect();
            let comma = if comma && !all.is_empty() { "," } else { "" };
            format!("{head}{{{}{comma}{tail}}}", all.join(","))
        })
}

/// Comments that a person may write, each with a mark by which it is found again.
const WORDS: [&str; 4] = ["/* w0, */", " // w1, \" [\n", "/* w2 ' { */", " // {\"w3\": 1},\n"];

/// Where a comment may stand: before every token that is not within one of recto's own elements.
fn places(text: &str) -> Vec<usize> {
    let own: Vec<std::ops::Range<usize>> = with_root(text, |root| {
        let hooks = object_of(root, "hooks")?.unwrap();
        let elements = hooks.properties.iter().filter_map(|event| match &event.value {
            Value::Array(list) => Some(&list.elements),
            _ => None,
        });
        let own = elements.flatten().filter(|element| commands_of(element).any(owns));
        Ok(own.map(|element| element.start()..element.end()).collect())
    })
    .unwrap();
    let mut scanner = jsonc_parser::Scanner::new(text, &jsonc_parser::ScannerOptions::default());
    let mut places = Vec::new();
    while let Some(token) = scanner.scan().unwrap() {
        use jsonc_parser::tokens::Token::{CommentBlock, CommentLine};
        let at = scanner.token_start();
        let is_within = own.iter().any(|own| own.start < at && at < own.end);
        if !is_within && !matches!(token, CommentBlock(_) | CommentLine(_)) {
            places.push(at);
        }
    }
    places
}

proptest! {
    #[test]
    fn later_changes_stay(
        text in text(),
        behind in prop::option::of((0..3_usize, 0..4_usize)),
        words in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 0..4),
    ) {
        let mut edited = add(&text, &entries()).unwrap();
        // An element behind one of recto's own.
        if let Some((nth, word)) = behind {
            let end = edited.match_indices("recto hook claude").nth(nth).unwrap().0;
            let end = end + edited[end..].find(']').unwrap();
            let end = end + edited[end..].find('}').unwrap() + 1;
            edited.insert_str(end, &format!("{},{{\"hooks\":[{{\"command\":\"theirs\"}}]}}", WORDS[word]));
        }
        for (place, word) in &words {
            let places = places(&edited);
            edited.insert_str(*place.get(&places), WORDS[*word]);
        }
        let left = take_out(&edited, owns).unwrap();
        prop_assert!(rest::is_same(&edited, &left, owns), "{edited}\n->\n{left}");
        let theirs = |text: &str| -> Vec<(String, String)> {
            commands(text).unwrap().into_iter().filter(|(_, command)| !owns(command)).collect()
        };
        prop_assert_eq!(theirs(&edited), commands(&left).unwrap());
        for word in ["w0", "w1", "w2", "w3", "// c", ", } */"] {
            prop_assert_eq!(edited.matches(word).count(), left.matches(word).count(), "{} in {}\n->\n{}", word, edited, left);
        }
    }

    #[test]
    fn any_settings_come_back_byte_for_byte(text in text()) {
        let added = add(&text, &entries()).unwrap();
        prop_assert_eq!(take_out(&added, owns).unwrap(), text);
    }

    #[test]
    fn any_text_is_refused_or_comes_back(text in "[{}\\[\\],:\"ah /*\n]{0,40}") {
        if let Ok(added) = add(&text, &entries()) {
            prop_assert_eq!(take_out(&added, owns).unwrap(), text);
        }
    }
}
