//! A small check that XML is well-formed: its own reading, not that of the parser under test.

/// Says what is wrong with `text` as an XML document, if anything is.
pub(super) fn fault(text: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut roots = 0;
    let mut rest = text.trim_start_matches('\u{feff}');
    let begins = rest;
    while let Some(at) = rest.find('<') {
        if let Some(fault) = text_fault(&rest[..at], open.is_empty()) {
            return Some(fault);
        }
        rest = &rest[at..];
        let (token, after) = match token(rest) {
            Some(end) => rest.split_at(end),
            None => return Some(format!("nothing ends {:.60}", rest)),
        };
        if let Some(name) = token.strip_prefix("</") {
            let name = name.trim_end_matches('>').trim_end();
            match open.pop() {
                Some(opened) if opened == name => {}
                opened => return Some(format!("</{name}> ends {opened:?}")),
            }
        } else if token.starts_with("<?xml ") {
            if begins.len() != rest.len() {
                return Some("a declaration inside".to_owned());
            }
        } else if token.starts_with("<![CDATA[") {
            if open.is_empty() {
                return Some("data outside the root".to_owned());
            }
        } else if !token.starts_with("<!") && !token.starts_with("<?") {
            let name = token[1..]
                .split(|letter: char| letter.is_whitespace() || letter == '/' || letter == '>')
                .next();
            let name = name.unwrap_or_default();
            if name.is_empty() {
                return Some(format!("no name: {token:.60}"));
            }
            roots += usize::from(open.is_empty());
            if !token.ends_with("/>") {
                open.push(name);
            }
        }
        rest = after;
    }
    if let Some(fault) = text_fault(rest, open.is_empty()) {
        return Some(fault);
    }
    match (open.last(), roots) {
        (Some(name), _) => Some(format!("<{name}> is not ended")),
        (None, 1) => None,
        (None, _) => Some(format!("{roots} roots")),
    }
}

/// The length of the tag, comment, data or the like that `text` begins with.
fn token(text: &str) -> Option<usize> {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if let Some(inside) = text.strip_prefix(start) {
            return inside.find(end).map(|at| start.len() + at + end.len());
        }
    }
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (None, '>') => return Some(at + 1),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

fn text_fault(text: &str, is_outside: bool) -> Option<String> {
    if is_outside && !text.trim().is_empty() {
        return Some(format!("text outside the root: {text:.60}"));
    }
    if text.contains("]]>") {
        return Some("]]> in text".to_owned());
    }
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        rest = &rest[at + 1..];
        let Some(end) = rest.find(';') else { return Some(format!("a torn entity: &{rest:.40}")) };
        let name = &rest[..end];
        if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '#') {
            return Some(format!("a torn entity: &{name:.40}"));
        }
    }
    None
}

#[test]
fn faults_are_found() {
    for sound in ["<a/>", "<?xml version=\"1.0\"?>\n<a b='>'>&amp;<c><![CDATA[<]]></c><!-- < --></a>\n"] {
        assert_eq!(fault(sound), None, "{sound}");
    }
    for broken in [
        "",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "x<a/>",
        "<a>&am</a>&x;",
        "<a>&a b;</a>",
        "<a>]]></a>",
        "<a><![CDATA[</a>",
        "<a b='></a>",
    ] {
        assert!(fault(broken).is_some(), "{broken}");
    }
}
