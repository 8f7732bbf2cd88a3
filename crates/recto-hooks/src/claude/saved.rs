//! What the client says in the place of a server's result that has more tokens than it takes.

/// The file into which the client has put a result, if `text` is what it says then and the file lies in `folder`, which ends with a
/// slash.
///
/// A server may answer with the same words, so no file is believed that the client would not have written: its folder is the
/// session's own. A list of blocks is written as JSON, which is another text than the one that the model would have read.
pub(super) fn path<'t>(text: &'t str, folder: &str) -> Option<&'t str> {
    let (about, rest) = text
        .strip_prefix("Error: result (")?
        .split_once(") exceeds maximum allowed tokens. Output has been saved to ")?;
    let (path, rest) = rest.split_once(".\nFormat: ")?;
    let format = rest.lines().next()?;
    let name = path.strip_prefix(folder)?;
    let is_named = name.starts_with("mcp-") && !name.contains(['/', '\\', '\n']);
    (about.len() <= 100 && is_named && !format.starts_with("JSON array")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::path;

    fn said(file: &str, format: &str) -> String {
        format!(
            "Error: result (117,305 characters across 74 lines) exceeds maximum allowed tokens. Output has been saved to {file}.\n\
             Format: {format}\nUse offset and limit parameters to read specific portions of the file.\n"
        )
    }

    #[test]
    fn only_what_the_client_has_written_is_believed() {
        let folder = "/home/p/.claude/projects/-w/s1/tool-results/";
        let file = format!("{folder}mcp-lab-read_log-1796054449861.txt");
        for format in ["Plain text", "JSON with schema: {a: number}", "JSON"] {
            assert_eq!(path(&said(&file, format), folder), Some(&*file));
        }
        for (file, format) in [
            (&*file, "JSON array with schema: [{type: string}]"),
            ("/etc/shadow", "Plain text"),
            (&format!("{folder}../../s2/tool-results/mcp-a.txt"), "Plain text"),
            (&format!("{folder}mcp-a/../../b.txt"), "Plain text"),
            (&format!("{folder}b1.txt"), "Plain text"),
            ("", "Plain text"),
        ] {
            assert_eq!(path(&said(file, format), folder), None, "{file}");
        }
        assert_eq!(path(&format!("I read: {}", said(&file, "Plain text")), folder), None);
        assert_eq!(path("Error: result (9 characters) exceeds maximum allowed tokens.", folder), None);
    }
}
