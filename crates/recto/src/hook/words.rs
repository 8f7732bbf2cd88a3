//! What hooks say to the model.

use recto::view::Recall;
use recto_hooks::notes::Found;

use crate::{
    output,
    usage::{View, text},
};

/// Longest reminder of views.
const MOST_REMINDER_BYTES: usize = 4_000;

/// Of each file and tool that is named to the model.
const MOST_PATH_CHARS: usize = 120;
const MOST_TOOL_BYTES: usize = 60;

/// Why a call is refused whose arguments hold a note.
pub(crate) fn denial(tool: &str, path: Option<&str>, found: &Found, recall: Recall) -> String {
    let to = path.map(|path| format!(" to {path}")).unwrap_or_default();
    let name = found.reference.as_deref().unwrap_or("REF");
    let ordinal = found.line.rsplit_once('#').map(|(_, behind)| {
        behind.chars().take_while(|sign| sign.is_ascii_digit() || *sign == '-').collect::<String>()
    });
    let part = ordinal
        .filter(|numbers| numbers.starts_with(|sign: char| sign.is_ascii_digit()))
        .map(|digits| format!("#{digits}"))
        .unwrap_or_default();
    format!(
        "recto refused this {tool}{to}: `{}` holds a note of recto, `{}`, in the place of text that was left out when you read it. \
         The source is whole; only your view of it was short. Get the text with `{}` and write that, or read the file again by \
         line ranges. (For a text that is about recto's notes: `deny_notes = false` below [hook] in recto's configuration.)",
        found.argument,
        found.line,
        way(recall, &format!("{name}{part}")),
    )
}

/// What a session is told after its history was compacted: the latest views, as many as fit.
pub(crate) fn after_compaction(views: &[View], recall: Recall) -> String {
    let head = format!(
        "Large tool results of this session were shown as views. All of each is kept, and can still be had with `{}`. \
         The latest: ",
        way(recall, "REF"),
    );
    let mut listed = Vec::new();
    let mut bytes = head.len() + 1;
    for view in views.iter().rev() {
        let file = text::path_end(&view.file, MOST_PATH_CHARS);
        let one = format!(
            "{} ({}{}{file}, {})",
            text::capped(&view.reference, MOST_TOOL_BYTES),
            text::capped(&view.tool, MOST_TOOL_BYTES),
            if file.is_empty() { "" } else { " " },
            output::size(view.bytes)
        );
        bytes += one.len() + 2;
        if bytes > MOST_REMINDER_BYTES {
            break;
        }
        listed.push(one);
    }
    listed.reverse();
    format!("{head}{}.", listed.join(", "))
}

/// What is said where a file that was shown as a view is said to be unchanged, and is too long to be given whole.
pub(crate) fn unchanged(view: &View, recall: Recall) -> String {
    format!(
        "What you were shown of this file was a view. All of it can be had with `{}`, or by reading line ranges.",
        way(recall, &text::capped(&view.reference, MOST_TOOL_BYTES))
    )
}

/// What stands below the first lines of an answer of recto that the client has put into a file.
pub(crate) fn rest_in_file(shown_lines: usize, lines: usize, path: &str) -> String {
    format!(
        "[recto: lines 1 to {shown_lines} of {lines}, as much as is shown here at once; the others: read {path} from line {}]",
        shown_lines + 1
    )
}

fn way(recall: Recall, name: &str) -> String {
    match recall {
        Recall::Tool => format!("recto_expand {name}"),
        _ => format!("recto expand {name}"),
    }
}
