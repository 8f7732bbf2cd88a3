//! What holds of every call, whatever a model writes and whatever servers define.

use recto_catalog::{Directory, Outcome, Question, Repair, Surface, resolve};
use serde_json::Value;

/// Resolves a call and checks what must hold of its outcome.
///
/// A tool that is called was named, its arguments are valid against its own schema, and calling it with them again changes nothing.
/// An error is one short line.
pub(crate) fn check(directory: &Directory, surface: &Surface, name: &str, arguments: &Value) -> Outcome {
    let answer = |question: Question| format!("{question:?}");
    let outcome = resolve(directory, surface, name, arguments.clone(), &answer);
    match &outcome {
        Outcome::Call { name: called, server, code, arguments: resolved, .. } => {
            let entry = directory.get(code).unwrap_or_else(|| panic!("no tool has the code {code:?}"));
            assert_eq!((entry.tool().name(), entry.tool().server()), (called.as_str(), server.as_deref()));
            if entry.tool().validator().unchecked().is_none() {
                assert_eq!(entry.tool().check(resolved), Ok(()), "{code}: {resolved}");
            }
            let texts: Vec<String> =
                texts(arguments).iter().chain([&name.to_owned()]).map(|text| letters(text)).collect();
            let is_named = [called, code]
                .map(|name| letters(name))
                .iter()
                .any(|name| texts.iter().any(|text| text.contains(name)));
            assert!(is_named, "{name:?} {arguments} names neither {called:?} nor {code:?}");
            let again = resolve(directory, &Surface::Direct, code, resolved.clone(), &answer);
            let Outcome::Call { code: same, arguments, repairs, .. } = again else { panic!("{again:?}") };
            assert_eq!((&same, &arguments), (code, resolved));
            let is_note =
                |repair: &Repair| matches!(repair, Repair::Unchecked { .. } | Repair::PartlyUnchecked { .. });
            assert!(repairs.iter().all(is_note), "{repairs:?}");
        }
        Outcome::Error { message, .. } => {
            assert!(message.chars().count() <= 800, "{message}");
            assert!(!message.chars().any(|c| c.is_control() || c == '\u{2028}'), "{message:?}");
        }
        _ => {}
    }
    outcome
}

/// The texts in a value, and those in what is JSON as text.
fn texts(value: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = vec![(value.clone(), 0)];
    while let Some((value, layers)) = open.pop() {
        match value {
            Value::String(text) => {
                let inside = text.trim().trim_matches('`').trim_start_matches("json");
                if let Ok(inner) = serde_json::from_str(inside)
                    && layers < 8
                {
                    open.push((inner, layers + 1));
                }
                texts.push(text);
            }
            Value::Array(items) => open.extend(items.into_iter().map(|item| (item, layers))),
            Value::Object(members) => open.extend(members.into_iter().map(|(_, member)| (member, layers))),
            _ => {}
        }
    }
    texts
}

/// Letters and digits alone, in small letters.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
