//! Letters that are not seen as what they are.

/// Whether a letter is a mark of direction, one without width, a tag or a separator of lines and paragraphs: it changes how a text
/// looks without being seen. Controls are not among them.
///
/// ```
/// assert!(recto_catalog::is_hidden('\u{200b}') && !recto_catalog::is_hidden('a'));
/// ```
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
