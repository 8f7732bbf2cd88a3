use serde::Deserialize;

/// A question whose answer is a byte-exact substring of one corpus file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// The file it asks about: [`CorpusFile::relative`](super::CorpusFile::relative) of one of the outputs.
    pub file: String,
    /// The question in plain words.
    pub question: String,
    /// The bytes a view must keep so that the question can be answered from it.
    pub answer_substring: String,
    /// What the question is about: `lookup`, `outlier`, `error`, ...
    pub kind: String,
    /// Whether the answer can only be expected in a view made with the query.
    pub needs_query: bool,
    /// The words to give as the query.
    pub query_terms: Vec<String>,
    /// How often the answer stands in the file.
    pub occurrences: u64,
    /// The name of the record the answer belongs to, where the answer alone would not tell which one was kept.
    #[serde(default)]
    pub bind: Option<String>,
}

impl Question {
    /// Parses one question a line; an error comes with the number of its line, counted from 1.
    pub(super) fn parse_lines(text: &str) -> Result<Vec<Self>, (usize, serde_json::Error)> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(index, line)| serde_json::from_str(line).map_err(|error| (index + 1, error))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Question;

    const LINE: &str = r#"{"file":"csv/a.csv","question":"?","answer_substring":"x","kind":"lookup","needs_query":true,"query_terms":["x"],"occurrences":1,"later":0}"#;

    #[test]
    fn reads_lines_and_ignores_fields_added_later() {
        let questions = Question::parse_lines(&format!("{LINE}\n\n{LINE}\n")).unwrap();
        assert_eq!(questions.len(), 2);
        assert_eq!(questions[0].query_terms, ["x"]);
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        let (line, _) = Question::parse_lines(&format!("{LINE}\n{{}}\n")).unwrap_err();
        assert_eq!(line, 2);
    }
}
