//! Refs in what a scripted model has been told.

/// A ref that a note states.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mention {
    /// The ref, `r:` and its digits.
    pub reference: String,
    /// The number behind `#`, where one follows.
    pub elision: Option<u32>,
}

/// Finds the first ref in a text: `r:` and at least 15 digits, and a `#` with a number directly behind.
///
/// ```
/// use recto_testkit::upstream::first_mention;
///
/// let note = "[…19 lines #1 (source whole, 9 kB: recto expand r:271828182845904#1)]";
/// let mention = first_mention(note).unwrap();
/// assert_eq!((mention.reference.as_str(), mention.elision), ("r:271828182845904", Some(1)));
/// assert_eq!(first_mention("nr: 271828182845904, r:12"), None);
/// ```
pub fn first_mention(text: &str) -> Option<Mention> {
    text.match_indices("r:").find_map(|(at, prefix)| {
        let (_, rest) = text.split_at(at + prefix.len());
        let digits = leading_digits(rest);
        if digits.len() < LEAST_DIGITS {
            return None;
        }
        let number = rest.strip_prefix(digits).and_then(|rest| rest.strip_prefix('#')).map(leading_digits);
        Some(Mention {
            reference: format!("r:{digits}"),
            elision: number.and_then(|number| number.parse().ok()),
        })
    })
}

const LEAST_DIGITS: usize = 15;

fn leading_digits(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end).0
}
