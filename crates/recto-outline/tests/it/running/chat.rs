//! Transcripts.

use recto_outline::{ContentType, Kind, detect};
use recto_testkit::corpus;

use super::view::{assert_outline, exact, outline_of};

const ASSISTANT: &str = "\
A transcript of 2 May.

User: How do I undo the last commit? I want to keep the changes.
Assistant: Use `git reset --soft HEAD~1`. It moves the branch back and leaves the index alone.

```sh
git reset --soft HEAD~1
git status
```
User: Thanks!
";

const CHANNEL: &str = "\
[12:03] <ada> hi all
[12:03] <grace_> hello ada, how is the engine coming along these days? any news of the cards?
[12:04] * grace_ waves
[12:05] <ada> fine
[12:06] <grace_> good
";

const AIDER: &str = "\
# aider chat started at 2024-05-01 10:00:00

> Added index.html to the chat  

#### make the border round  

Here is the change:

```css
a {}
```

> Applied edit to index.html  

#### and blue  
#### as the sky is  

Done.
";

const PHONE: &str = "\
[3/1/24, 10:12:05] Ada L: Are you there?
[3/1/24, 10:12:44] Grace: Yes.
A second line of hers.
[3/1/24, 10:13:00] Ada L: Good.
";

#[test]
fn turns_have_their_speaker_as_frame() {
    assert_outline(
        ASSISTANT,
        ContentType::Chat,
        r#"
        Block Paragraph A transcript of 2 May.
        Record Turn User: How do I undo the …
          Block Paragraph How do I undo the last c…
            Text Sentence How do I undo the last commit?
            Text Sentence I want to keep the changes.
        Record Turn Assistant: Use `git rese…
          Block Paragraph Use `git reset --soft HE…
            Text Sentence Use `git reset --soft HEAD~1`.
            Text Sentence It moves the branch back and leaves the index alone.
          Block Embedded ```sh\ngit reset --soft H…
            Line Plain git reset --soft HEAD~1
            Line Plain git status
        Record Turn User: Thanks!
    "#,
    );
    let outline = outline_of(ASSISTANT.as_bytes(), ContentType::Chat);
    let some = exact(&outline, |id| outline.text(id).starts_with(b"It moves"));
    assert_eq!(
        String::from_utf8(some).unwrap(),
        "Assistant: It moves the branch back and leaves the index alone.\n"
    );
}

#[test]
fn channels_and_phones_have_a_turn_a_line() {
    assert_outline(
        CHANNEL,
        ContentType::Chat,
        r#"
        Record Turn [12:03] <ada> hi all
        Record Turn [12:03] <grace_> hello a…
          Block Paragraph hello ada, how is the engine coming along these days? any ne…
        Record Turn [12:04] * grace_ waves
        Record Turn [12:05] <ada> fine
        Record Turn [12:06] <grace_> good
    "#,
    );
    assert_outline(
        PHONE,
        ContentType::Chat,
        r#"
        Record Turn [3/1/24, 10:12:05] Ada L…
          Block Paragraph Are you there?
        Record Turn [3/1/24, 10:12:44] Grace…
          Block Paragraph Yes.\nA second line of he…
            Text Sentence Yes.
            Text Sentence A second line of hers.
        Record Turn [3/1/24, 10:13:00] Ada L…
          Block Paragraph Good.
    "#,
    );
}

#[test]
fn headings_may_name_speakers() {
    let source = "### User\n\nWhat is a monad, in a few words that I can follow?\n\n### Assistant\n\nA monoid in the category of endofunctors. That is all.\n";
    assert_outline(
        source,
        ContentType::Chat,
        r#"
        Record Turn ### User\n\nWhat is a mona…
          Block Paragraph What is a monad, in a few words that I can follow?
        Record Turn ### Assistant\n\nA monoid …
          Block Paragraph A monoid in the category…
            Text Sentence A monoid in the category of endofunctors.
            Text Sentence That is all.
    "#,
    );
}

#[test]
fn transcripts_are_told_from_what_only_has_colons() {
    let slack =
        "Ada Lovelace  10:32 AM\nhi there\n\nGrace [10:33 AM]\nhello\n\nAda Lovelace  10:35 AM\nbye now\n";
    let names = "Ada: shall we begin now?\nGrace: yes, let us begin.\nAda: the first point is the engine.\nGrace: it runs well so far.\n";
    let tokens = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nhello<|im_end|>\n";
    for source in [
        ASSISTANT,
        CHANNEL,
        PHONE,
        slack,
        names,
        tokens,
        "**Human**: hi\n\n**AI:** hello\n",
        "Q: Why?\nA: Because.\n",
        AIDER,
    ] {
        assert_eq!(detect(source.as_bytes()), ContentType::Chat, "{source}");
    }
    for source in [
        "Name: x\nVersion: 1\nSummary: a thing of beauty\nName: y\nVersion: 2\nSummary: another thing entirely\n",
        "INFO: the server started up\nWARN: the disk is nearly full\nINFO: the server is ready\nWARN: the disk is full\n",
        "[2024-03-01 12:03:11] ERROR: it failed\n[2024-03-01 12:03:12] INFO: it went on\n[2024-03-01 12:03:13] INFO: x\n",
        "User: root\nHost: localhost\nPort: 22\n",
        "# Guide\n\n## User guide\n\n## Agent guide\n\nText.\n",
        "# Notes\n\n> A quotation.\n\n#### A heading\n\nText.\n\n#### Another\n\nMore text.\n",
    ] {
        assert_ne!(detect(source.as_bytes()), ContentType::Chat, "{source}");
    }
}

#[test]
fn what_aider_was_asked_heads_its_answer() {
    let outline = outline_of(AIDER.as_bytes(), ContentType::Chat);
    let turns: Vec<_> = outline
        .units
        .iter()
        .filter(|unit| unit.kind == Kind::Turn)
        .map(|unit| {
            String::from_utf8_lossy(unit.body.of(AIDER.as_bytes())).lines().next().unwrap().to_owned()
        })
        .collect();
    assert_eq!(turns, ["#### make the border round  ", "#### and blue  "]);
}

#[test]
fn one_file_of_the_corpus_is_a_transcript_as_text() {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        let is_transcript = file.relative.ends_with("aider-chat-css.md");
        assert_eq!(detect(&file.read()) == ContentType::Chat, is_transcript, "{}", file.relative);
    }
}
