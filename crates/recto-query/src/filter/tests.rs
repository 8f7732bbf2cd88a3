use super::*;

/// Whether a filter lets a record through.
fn passes(filter: &str, record: &[(&str, Option<&str>)]) -> bool {
    let filter = Filter::parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
    let values: Vec<Option<&[u8]>> = filter
        .columns
        .iter()
        .map(|mention| {
            let known = record.iter().find(|(name, _)| *name == mention.path.name);
            known.and_then(|(_, value)| value.map(str::as_bytes))
        })
        .collect();
    filter.passes(&values)
}

const RECORD: &[(&str, Option<&str>)] = &[
    ("status", Some("Running")),
    ("restarts", Some("7")),
    ("id", Some("9007199254740993")),
    ("price", Some("12.50")),
    ("ready", Some("True")),
    ("archived", Some("false")),
    ("deleted", None),
    ("metadata.name", Some("api-7")),
    ("odd key", Some("x")),
    ("labels", Some(r#"["bug","ui"]"#)),
    ("zip", Some("007")),
    ("updated", Some("2024-03-01T10:00:00Z")),
    ("created", Some("2024-02-01T10:00:00Z")),
    ("limit", Some("7.0")),
];

#[test]
fn conditions_mean_what_they_say() {
    for filter in [
        "",
        "status == \"Running\"",
        "status = 'Running'",
        "status != \"Failed\" and restarts > 5",
        "restarts >= 7 && restarts <= 7.0 || nothing",
        "restarts == 7.00 and restarts != 8",
        "id == 9007199254740993 and id != 9007199254740992",
        "id > 9007199254740992 and id < 9007199254740994",
        "price == 12.5 and price > 12.49999999999999999999",
        "status contains \"unn\" and status starts with \"Run\" and status ends with 'ning'",
        "status startswith \"Run\" and status ends_with \"ing\" and not status contains \"run\"",
        "status ~ \"^R.n+\" and status =~ \"(?i)running\" and status !~ \"^u\" and status matches \"g$\"",
        "zip ~ \"^\\d+$\" and zip == \"007\" and not zip == 7",
        "status in (\"Pending\", \"Running\") and status not in (\"Failed\")",
        "restarts in (5, 6, 7.0) and status in [\"Running\"]",
        "ready and not archived and !archived",
        "ready == true and archived == false and ready is true and archived is not true",
        "deleted is null and status is not null and deleted == null and status != null",
        "status exists and not deleted exists and exists status and not exists(deleted) and deleted not exists",
        "metadata.name contains \"api\" and `metadata.name` starts with \"api\"",
        "`odd key` == \"x\" and \"odd key\" == \"x\" and \"odd key\" in (\"x\")",
        "labels contains \"bug\" and \"ui\" in labels and \"css\" not in labels",
        "updated > created and updated > \"2024-02-15\" and not created > updated",
        "restarts == limit and status != restarts",
        "not (status == \"Failed\" or restarts < 5) and ((ready))",
        "status == \"Failed\" and restarts > 5 or ready",
        "ready or status == \"Failed\" and restarts < 5",
        "deleted != \"x\"",
        "5 < restarts",
        "NOT archived AND ready OR deleted",
        "restarts > \"5\" and not restarts > \"60\"",
        "not not ready",
        "status contains status",
    ] {
        assert!(passes(filter, RECORD), "{filter}");
    }
    for filter in [
        "deleted == \"x\"",
        "deleted < 5",
        "deleted contains \"\"",
        "status > 5",
        "status < 5",
        "deleted ~ \"\"",
        "deleted in (1)",
        "missing",
        "(ready or ready) and archived",
        "ready and (archived or deleted)",
        "status == deleted",
    ] {
        assert!(!passes(filter, RECORD), "{filter}");
    }
}

#[test]
fn errors_teach() {
    let mut shown = String::new();
    for filter in [
        "status is Running",
        "status Running",
        "status == ",
        "created > 2024-01-01",
        "name like \"%api%\"",
        "price between 1 and 2",
        "contains(name, \"api\")",
        "name.contains(\"api\")",
        "a == 1 b == 2",
        "(a == 1",
        "a == 1)",
        "a == \"x",
        "a ~ \"(\"",
        "a ~ \"(\\\\w{50}){50}\"",
        "level in (error, warn)",
        "level in (\"error\"",
        "level in",
        "a > null",
        "items[*].id == 5",
        "a starts \"x\"",
        "and a == 1",
        "a == 1 and",
        "é == 5 und x",
    ] {
        let error = Filter::parse(filter).expect_err(filter);
        shown.push_str(&format!("{error}\n\n"));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn limits_hold() {
    let nested = format!("{}a{}", "(".repeat(65), ")".repeat(65));
    let many = vec!["a == 1"; 200].join(" or ");
    let long = format!("a == \"{}\"", "x".repeat(10_000));
    let patterns = vec!["a ~ \"x\""; 17].join(" or ");
    for filter in [nested, many, long, patterns] {
        assert!(Filter::parse(&filter).is_err());
    }
    let negated = format!("{}a", "not ".repeat(1_000));
    assert!(Filter::parse(&negated).is_ok());
    let nested = format!("{}ready{}", "(".repeat(64), ")".repeat(64));
    assert!(passes(&nested, RECORD));
}
