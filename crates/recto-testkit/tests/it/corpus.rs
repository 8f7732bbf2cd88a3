use std::collections::BTreeSet;

use memchr::memmem;
use recto_testkit::corpus;

#[test]
fn lists_outputs_sorted_and_by_kind() {
    let Some(files) = corpus::outputs() else { return };
    assert!(files.len() > 200, "{} files", files.len());
    assert!(files.is_sorted_by(|one, other| one.relative < other.relative));
    let kinds: BTreeSet<_> = files.iter().map(|file| file.kind.as_str()).collect();
    assert!(
        kinds.is_superset(&BTreeSet::from(["csv", "json", "jsonl", "log", "prose", "search"])),
        "{kinds:?}"
    );
    assert!(files.iter().all(|file| file.relative.starts_with(&format!("{}/", file.kind))));
}

#[test]
fn lists_tools_and_transcripts() {
    let Some(tools) = corpus::tools() else { return };
    let Some(transcripts) = corpus::transcripts() else { return };
    assert!(tools.iter().any(|file| file.relative == "arguments.jsonl"));
    assert!(transcripts.iter().any(|file| file.kind == "codex"));
}

#[test]
fn answers_of_questions_stand_in_their_files_as_often_as_said() {
    let (Some(files), Some(questions)) = (corpus::outputs(), corpus::questions()) else { return };
    assert!(questions.len() > 200, "{} questions", questions.len());
    for question in &questions {
        let file = files.iter().find(|file| file.relative == question.file);
        let bytes = file.unwrap_or_else(|| panic!("no file {}", question.file)).read();
        let found = memmem::find_iter(&bytes, &question.answer_substring).count() as u64;
        assert_eq!(found, question.occurrences, "{}: {}", question.file, question.question);
    }
}
