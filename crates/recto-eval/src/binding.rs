//! Whether two texts stand in one record of an output whose making is not known.

use memchr::memmem;

/// Places of one text that are looked at.
const MOST_PLACES: usize = 64;

/// Bytes between two texts on one line that are looked through for the end of a record.
const MOST_BETWEEN: usize = 1 << 20;

/// Says whether `id` and `value` occur together: within one JSON object and not in two elements of an array in it, or on one line
/// with no end of a record between them.
///
/// ```
/// use recto_eval::is_bound;
/// let text = r#"{"pods":[{"name":"a","state":"ok"},{"name":"b","state":"lost"}]}"#;
/// assert!(is_bound(text, "\"b\"", "lost"));
/// assert!(!is_bound(text, "\"a\"", "lost"));
/// ```
#[must_use]
pub fn is_bound(text: &str, id: &str, value: &str) -> bool {
    let bytes = text.as_bytes();
    let places = |sought: &str| -> Vec<usize> {
        memmem::find_iter(bytes, sought.as_bytes()).take(MOST_PLACES).collect()
    };
    let (ids, values) = (places(id), places(value));
    if ids.is_empty() || values.is_empty() {
        return false;
    }
    let on_one_line = |id_at: usize, value_at: usize| {
        let between = if id_at <= value_at {
            bytes.get((id_at + id.len()).min(value_at)..value_at)
        } else {
            bytes.get((value_at + value.len()).min(id_at)..id_at)
        };
        between.is_some_and(|between| {
            between.len() <= MOST_BETWEEN
                && memchr::memchr2(b'\n', b'\r', between).is_none()
                && !ends_a_record(between)
        })
    };
    if ids.iter().any(|id_at| values.iter().any(|value_at| on_one_line(*id_at, *value_at))) {
        return true;
    }
    let mut sorted: Vec<usize> = ids.iter().chain(&values).copied().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let around = containers(bytes, &sorted);
    let of = |at: usize| sorted.binary_search(&at).ok().and_then(|index| around.get(index));
    ids.iter().any(|id_at| {
        values.iter().any(|value_at| {
            let (Some(one), Some(other)) = (of(*id_at), of(*value_at)) else { return false };
            let common = one.iter().zip(other).take_while(|(one, other)| one == other).last();
            common.is_some_and(|(at, _)| bytes.get(*at) == Some(&b'{'))
        })
    })
}

/// An object that ends and another that begins.
fn ends_a_record(between: &[u8]) -> bool {
    memchr::memchr(b'}', between)
        .and_then(|end| between.get(end..))
        .is_some_and(|rest| memchr::memchr(b'{', rest).is_some())
}

/// Where the containers begin that each of the sorted places lies in, the outermost first. Brackets in strings do not count; a line
/// feed ends a string, as JSON allows none in it.
fn containers(bytes: &[u8], places: &[usize]) -> Vec<Vec<usize>> {
    /// Deeper ones are as good as closed.
    const MOST_OPEN: usize = 1_024;
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(places.len());
    let mut waiting = places.iter().peekable();
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in bytes.iter().enumerate() {
        while waiting.next_if(|place| **place <= at).is_some() {
            found.push(open.clone());
        }
        if waiting.peek().is_none() {
            break;
        }
        if is_escaped {
            is_escaped = false;
            continue;
        }
        match byte {
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b'\n' => in_string = false,
            b'{' | b'[' if !in_string && open.len() < MOST_OPEN => open.push(at),
            b'}' | b']' if !in_string => {
                let opener = if *byte == b'}' { b'{' } else { b'[' };
                if open.last().and_then(|last| bytes.get(*last)) == Some(&opener) {
                    open.pop();
                }
            }
            _ => {}
        }
    }
    found.resize(places.len(), open);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_one_record() {
        assert!(is_bound("a 1\nb 2\n", "b", "2"));
        assert!(!is_bound("a 1\nb 2\n", "a", "2"));
        assert!(!is_bound("2\n", "b", "2"));
    }

    #[test]
    fn an_object_over_lines_is_one_record() {
        let text = "[\n  {\n    \"id\": 7,\n    \"spec\": {\n      \"size\": \"big\"\n    }\n  },\n  {\n    \"id\": 8,\n    \"spec\": {\n      \"size\": \"odd\"\n    }\n  }\n]\n";
        assert!(is_bound(text, "\"id\": 7", "big"));
        assert!(is_bound(text, "\"id\": 8", "odd"));
        assert!(!is_bound(text, "\"id\": 7", "odd"));
        assert!(!is_bound(text, "\"id\": 8", "big"));
    }

    #[test]
    fn records_on_one_line_are_told_apart() {
        let text = r#"{"rows":[{"id":7,"size":"big"},"3 items left out",{"id":8,"size":"odd"}]}"#;
        assert!(is_bound(text, "\"id\":8", "odd"));
        assert!(!is_bound(text, "\"id\":7", "odd"));
    }

    #[test]
    fn brackets_in_strings_and_broken_text_do_no_harm() {
        assert!(is_bound("[{\"id\":7,\n\"text\":\"}{ \\\"]\",\n\"size\":\"big\"}]", "\"id\":7", "big"));
        assert!(!is_bound("}}]]{{[[", "}", "absent"));
        assert!(is_bound("\"open {\n[{\"id\": 1,\n\"v\": 2", "\"id\": 1", "\"v\": 2"));
    }
}
