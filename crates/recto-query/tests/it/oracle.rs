//! Generated records and questions, answered a second time the slow and plain way over parsed JSON.

use std::fmt::Write as _;

use proptest::prelude::*;
use recto_outline::ContentType;
use recto_query::{Caps, Query, query};
use serde_json::{Map, Value, json};

const COLUMNS: [&str; 3] = ["a", "b", "c"];

/// A value of a record; `None` is missing.
fn value() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        1 => Just(None),
        1 => Just(Some(Value::Null)),
        1 => any::<bool>().prop_map(|truth| Some(json!(truth))),
        3 => (-3_i64..12).prop_map(|number| Some(json!(number))),
        1 => prop_oneof![Just(i64::MAX), Just(i64::MAX - 1), Just((1 << 53) + 1), Just(1 << 53)]
            .prop_map(|number| Some(json!(number))),
        2 => (-40_i32..80).prop_map(|eighths| Some(json!(f64::from(eighths) / 8.0))),
        4 => text().prop_map(|text| Some(json!(text))),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[abA ]{0,3}",
        Just("a, \"b\"\nc".to_owned()),
        Just("é\u{1F600}\\t\t".to_owned()),
        (-3_i64..12).prop_map(|number| number.to_string()),
        Just("007".to_owned()),
        Just("null".to_owned()),
        Just("True".to_owned()),
    ]
}

fn records() -> impl Strategy<Value = Vec<Map<String, Value>>> {
    let record = proptest::collection::vec(value(), COLUMNS.len());
    proptest::collection::vec(record, 2..40).prop_map(|records| {
        let mut all = Vec::new();
        for (number, values) in records.into_iter().enumerate() {
            let mut record = Map::new();
            record.insert("n".to_owned(), json!(number));
            for (name, value) in COLUMNS.iter().zip(values) {
                // The first record has every column, so that none is unknown.
                let value = if number == 0 { Some(value.unwrap_or(Value::Null)) } else { value };
                if let Some(value) = value {
                    record.insert((*name).to_owned(), value);
                }
            }
            all.push(record);
        }
        all
    })
}

#[derive(Clone, Debug)]
enum Condition {
    Compare(&'static str, &'static str, Value),
    In(&'static str, Vec<Value>),
    Text(&'static str, &'static str, String),
    Columns(&'static str, &'static str, &'static str),
    IsNull(&'static str, bool),
    Bare(&'static str),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

fn condition() -> impl Strategy<Value = Condition> {
    let column = || proptest::sample::select(COLUMNS.to_vec());
    let order = || proptest::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let literal = || value().prop_map(|value| value.unwrap_or(Value::Null));
    let leaf = prop_oneof![
        (column(), order(), literal()).prop_map(|(column, order, literal)| {
            let has_order = !matches!(literal, Value::Null | Value::Bool(_));
            Condition::Compare(column, if has_order { order } else { "==" }, literal)
        }),
        (column(), proptest::collection::vec(literal(), 1..4))
            .prop_map(|(column, literals)| Condition::In(column, literals)),
        (column(), proptest::sample::select(vec!["contains", "starts with", "ends with"]), text())
            .prop_map(|(column, word, text)| Condition::Text(column, word, text)),
        (column(), order(), column()).prop_map(|(left, order, right)| Condition::Columns(left, order, right)),
        (column(), any::<bool>()).prop_map(|(column, is_null)| Condition::IsNull(column, is_null)),
        column().prop_map(Condition::Bare),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Condition::Not(Box::new(inner))),
            (inner.clone(), inner.clone())
                .prop_map(|(left, right)| Condition::And(Box::new(left), Box::new(right))),
            (inner.clone(), inner).prop_map(|(left, right)| Condition::Or(Box::new(left), Box::new(right))),
        ]
    })
}

impl Condition {
    fn written(&self) -> String {
        let literal = |value: &Value| match value {
            Value::String(text) => quoted(text),
            other => other.to_string(),
        };
        match self {
            Self::Compare(column, order, value) => format!("{column} {order} {}", literal(value)),
            Self::In(column, values) => {
                let values: Vec<String> = values.iter().map(literal).collect();
                format!("{column} in ({})", values.join(", "))
            }
            Self::Text(column, word, text) => format!("{column} {word} {}", quoted(text)),
            Self::Columns(left, order, right) => format!("{left} {order} {right}"),
            Self::IsNull(column, true) => format!("{column} is null"),
            Self::IsNull(column, false) => format!("{column} exists"),
            Self::Bare(column) => (*column).to_owned(),
            Self::Not(inner) => format!("not ({})", inner.written()),
            Self::And(left, right) => format!("({}) and ({})", left.written(), right.written()),
            // `and` binds tighter: only an `or` on either side needs parentheses, and has them anyway.
            Self::Or(left, right) => format!("{} or {}", left.written(), right.written()),
        }
    }

    /// The plain reading of the law of values.
    fn holds(&self, record: &Map<String, Value>) -> bool {
        let text_at = |column: &str| record.get(column).and_then(text_of);
        match self {
            Self::Compare(column, order, literal) => {
                let cell = text_at(column);
                let is_equal = equals(cell.as_deref(), literal);
                match *order {
                    "==" => is_equal,
                    "!=" => !is_equal,
                    order => {
                        let (Some(cell), Some(right)) = (cell, text_of(literal)) else { return false };
                        match (thousandths(&cell), thousandths(&right), literal.is_number()) {
                            (Some(left), Some(right), _) => ordered(order, left.cmp(&right)),
                            (_, _, true) => false,
                            _ => ordered(order, cell.as_bytes().cmp(right.as_bytes())),
                        }
                    }
                }
            }
            Self::In(column, literals) => {
                literals.iter().any(|literal| equals(text_at(column).as_deref(), literal))
            }
            Self::Text(column, word, text) => text_at(column).is_some_and(|cell| match *word {
                "contains" => cell.contains(text.as_str()),
                "starts with" => cell.starts_with(text.as_str()),
                _ => cell.ends_with(text.as_str()),
            }),
            Self::Columns(left, order, right) => {
                let compared = match (text_at(left), text_at(right)) {
                    (Some(left), Some(right)) => Some(match (thousandths(&left), thousandths(&right)) {
                        (Some(left), Some(right)) => left.cmp(&right),
                        _ => left.as_bytes().cmp(right.as_bytes()),
                    }),
                    (None, None) if *order == "==" => return true,
                    (None, None) => return false,
                    _ => None,
                };
                match (*order, compared) {
                    ("!=", None) => true,
                    (_, None) => false,
                    (order, Some(compared)) => ordered(order, compared),
                }
            }
            Self::IsNull(column, is_null) => text_at(column).is_none() == *is_null,
            Self::Bare(column) => text_at(column).is_some_and(|cell| cell.eq_ignore_ascii_case("true")),
            Self::Not(inner) => !inner.holds(record),
            Self::And(left, right) => left.holds(record) && right.holds(record),
            Self::Or(left, right) => left.holds(record) || right.holds(record),
        }
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{text}\"")
}

fn ordered(order: &str, compared: std::cmp::Ordering) -> bool {
    match order {
        "==" => compared.is_eq(),
        "!=" => compared.is_ne(),
        "<" => compared.is_lt(),
        "<=" => compared.is_le(),
        ">" => compared.is_gt(),
        _ => compared.is_ge(),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn equals(cell: Option<&str>, literal: &Value) -> bool {
    match (cell, literal) {
        (None, literal) => literal.is_null(),
        (Some(_), Value::Null) => false,
        (Some(cell), Value::String(text)) => cell == text,
        (Some(cell), Value::Bool(truth)) => cell.eq_ignore_ascii_case(&truth.to_string()),
        (Some(cell), literal) => {
            let literal = thousandths(&literal.to_string());
            thousandths(cell).is_some_and(|cell| Some(cell) == literal)
        }
    }
}

/// A number of at most three digits behind the point, in thousandths: every number that these tests make.
fn thousandths(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole)
        || !is_number(fraction)
        || fraction.len() > 3
        || (whole.len() > 1 && whole.starts_with('0'))
    {
        return None;
    }
    let value = whole.parse::<i128>().ok()? * 1_000 + format!("{fraction:0<3}").parse::<i128>().ok()?;
    Some(if text.starts_with('-') { -value } else { value })
}

/// The key that the order of sorting has: numbers, texts, what is missing.
fn sort_key(record: &Map<String, Value>, column: &str) -> (u8, i128, Vec<u8>) {
    match record.get(column).and_then(text_of) {
        None => (2, 0, Vec::new()),
        Some(text) => match thousandths(&text) {
            Some(number) => (0, number, Vec::new()),
            None => (1, 0, text.into_bytes()),
        },
    }
}

/// The same records in every format that holds them.
fn sources(records: &[Map<String, Value>]) -> Vec<(&'static str, ContentType, Vec<u8>)> {
    let lines: Vec<String> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    let pretty = serde_json::to_string_pretty(&json!({ "meta": {"page": 1}, "items": records })).unwrap();
    let array = format!("[{}]", lines.join(", "));
    let wrapped = json!({ "content": [{"type": "text", "text": array}] }).to_string();
    let mut csv = "n,a,b,c\n".to_owned();
    for record in records {
        let cells: Vec<String> = ["n", "a", "b", "c"]
            .map(|name| match record.get(name) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => format!("\"{}\"", text.replace('"', "\"\"")),
                Some(other) => other.to_string(),
            })
            .to_vec();
        let _ = writeln!(csv, "{}", cells.join(","));
    }
    vec![
        ("JSON", ContentType::Json, array.clone().into_bytes()),
        ("JSON in an envelope", ContentType::Json, pretty.into_bytes()),
        ("JSON in a JSON string", ContentType::Json, wrapped.into_bytes()),
        ("JSON in text", ContentType::Prose, format!("Here you are:\n{array}\nAnything else?").into_bytes()),
        ("JSON lines", ContentType::Jsonl, format!("{}\n", lines.join("\n")).into_bytes()),
        ("CSV", ContentType::Csv, csv.into_bytes()),
    ]
}

/// The rows of an answer: its lines behind the notes and the header.
fn rows(source: &[u8], content_type: ContentType, asked: &Query) -> Vec<String> {
    let answer = query(source, Some(content_type), asked, &Caps::default()).unwrap();
    let mut lines: Vec<String> =
        answer.text.lines().skip(1).filter(|line| !line.starts_with('[')).map(str::to_owned).collect();
    if !lines.is_empty() {
        lines.remove(0);
    }
    assert_eq!(lines.len() as u64, answer.rows);
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn filters_and_orders_agree_with_the_oracle(
        records in records(),
        condition in condition(),
        sort in proptest::collection::vec((proptest::sample::select(COLUMNS.to_vec()), any::<bool>()), 0..3),
        offset in 0_usize..5,
        limit in 1_usize..50,
    ) {
        let mut expected: Vec<&Map<String, Value>> =
            records.iter().filter(|record| condition.holds(record)).collect();
        expected.sort_by(|left, right| {
            let orders = sort.iter().map(|(column, is_falling)| {
                let (left, right) = (sort_key(left, column), sort_key(right, column));
                let within = left.1.cmp(&right.1).then_with(|| left.2.cmp(&right.2));
                left.0.cmp(&right.0).then(if *is_falling { within.reverse() } else { within })
            });
            orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let expected: Vec<String> =
            expected.iter().skip(offset).take(limit).map(|record| record["n"].to_string()).collect();
        let asked = Query {
            filter: Some(condition.written()),
            columns: vec!["n".to_owned()],
            sort: sort.iter().map(|(column, is_falling)| format!("{}{column}", if *is_falling { "-" } else { "" })).collect(),
            offset: Some(offset as u64),
            limit: Some(limit as u64),
            ..Query::default()
        };
        for (name, content_type, source) in sources(&records) {
            prop_assert_eq!(&rows(&source, content_type, &asked), &expected, "{}: {:?}", name, &asked);
        }
    }

    #[test]
    fn groups_agree_with_the_oracle(records in records(), column in proptest::sample::select(COLUMNS.to_vec())) {
        let mut groups: Vec<(Option<String>, u64, i128, i128)> = Vec::new();
        for record in &records {
            let key = record.get(column).and_then(text_of);
            let number = record.get("b").and_then(text_of).and_then(|text| thousandths(&text));
            let (sum, count) = number.map_or((0, 0), |number| (number, 1));
            match groups.iter_mut().find(|(known, ..)| *known == key) {
                Some(group) => {
                    group.1 += 1;
                    group.2 += sum;
                    group.3 += count;
                }
                None => groups.push((key, 1, sum, count)),
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.1));
        let expected: Vec<String> = groups
            .iter()
            .map(|(_, count, sum, numbers)| match numbers {
                0 => format!("{count}\t"),
                _ => {
                    let sign = if *sum < 0 { "-" } else { "" };
                    let text = format!("{sign}{}.{:03}", sum.abs() / 1_000, sum.abs() % 1_000);
                    format!("{count}\t{}", text.trim_end_matches('0').trim_end_matches('.'))
                }
            })
            .collect();
        let asked = Query {
            group: vec![column.to_owned()],
            columns: vec!["sum(b)".to_owned()],
            ..Query::default()
        };
        for (name, content_type, source) in sources(&records) {
            let rows: Vec<String> = rows(&source, content_type, &asked)
                .iter()
                .map(|row| row.split_once('\t').map(|(_, rest)| rest.to_owned()).unwrap_or_default())
                .collect();
            prop_assert_eq!(&rows, &expected, "{}", name);
        }
    }

    #[test]
    fn cells_are_the_values_of_the_source(records in records()) {
        let asked = Query { format: recto_query::Format::Json, ..Query::default() };
        let array = serde_json::to_string(&records).unwrap();
        let answer = query(array.as_bytes(), None, &asked, &Caps::default()).unwrap();
        let shown: Vec<Map<String, Value>> = answer
            .text
            .lines()
            .filter(|line| line.starts_with('{'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        prop_assert_eq!(shown, records);
    }
}
