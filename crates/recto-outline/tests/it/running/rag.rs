//! Retrieved chunks.

use recto_outline::{ContentType, detect};
use recto_testkit::corpus;

use super::view::{assert_outline, exact, outline_of};

const NUMBERED: &str = "\
Found 2 results.

[1] source: docs/install.md (score 0.91)
Download the archive and unpack it. Then run the installer as an ordinary user.

[2] source: docs/faq.md (score 0.77)
The installer needs no network. It can be run twice.
";

const TAGGED: &str = "\
<documents>
<document index=\"1\">
<source>annual_report.pdf</source>
<document_content>
Revenue grew by four percent. Costs fell a little in the same year.
</document_content>
</document>
<document index=\"2\">
<source>notes.txt</source>
<document_content>
Nothing of note.
</document_content>
</document>
</documents>
";

const RULED: &str = "\
--- chunk 1 (score 0.83) ---
Title: Install
URL: https://example.org/install

Unpack the archive anywhere. Then run the installer, and answer its questions.
--- chunk 2 (score 0.61) ---
Short.
";

const LABELLED: &str = "\
Source: install.md
Score: 0.9
Content: Unpack the archive anywhere. Then run the installer, and answer its questions.

Source: faq.md
Score: 0.8
Content: It can be run twice.
";

#[test]
fn chunks_have_their_source_as_frame() {
    assert_outline(
        NUMBERED,
        ContentType::Rag,
        r#"
        Block Paragraph Found 2 results.
        Record Turn [1] source: docs/install…
          Frame Header [1] source: docs/install.md (score 0.91)
          Block Paragraph Download the archive and…
            Text Sentence Download the archive and unpack it.
            Text Sentence Then run the installer as an ordinary user.
        Record Turn [2] source: docs/faq.md …
          Frame Header [2] source: docs/faq.md (score 0.77)
          Block Paragraph The installer needs no n…
            Text Sentence The installer needs no network.
            Text Sentence It can be run twice.
    "#,
    );
    assert_outline(
        RULED,
        ContentType::Rag,
        r#"
        Record Turn --- chunk 1 (score 0.83)…
          Frame Header --- chunk 1 (score 0.83) ---\nTitle: Install\nURL: https://exa…
          Block Paragraph Unpack the archive anywh…
            Text Sentence Unpack the archive anywhere.
            Text Sentence Then run the installer, and answer its questions.
        Record Turn --- chunk 2 (score 0.61)…
          Frame Header --- chunk 2 (score 0.61) ---
          Block Paragraph Short.
    "#,
    );
    assert_outline(
        LABELLED,
        ContentType::Rag,
        r#"
        Record Turn Source: install.md\nScore…
          Frame Header Source: install.md\nScore: 0.9\nContent:
          Block Paragraph Unpack the archive anywh…
            Text Sentence Unpack the archive anywhere.
            Text Sentence Then run the installer, and answer its questions.
        Record Turn Source: faq.md\nScore: 0.…
          Frame Header Source: faq.md\nScore: 0.8\nContent:
          Block Paragraph It can be run twice.
    "#,
    );
    let outline = outline_of(RULED.as_bytes(), ContentType::Rag);
    let some = exact(&outline, |id| outline.text(id).starts_with(b"Then run"));
    assert_eq!(
        String::from_utf8(some).unwrap(),
        "--- chunk 1 (score 0.83) ---\nTitle: Install\nURL: https://example.org/install\n\nThen run the installer, and answer its questions.\n"
    );
}

#[test]
fn tagged_chunks_keep_their_tags() {
    assert_outline(
        TAGGED,
        ContentType::Rag,
        r#"
        Frame Header <documents>
        Record Turn <document index="1">\n<so…
          Frame Header <document index="1">\n<source>annual_report.pdf</source>\n<doc…
          Block Paragraph Revenue grew by four per…
            Text Sentence Revenue grew by four percent.
            Text Sentence Costs fell a little in the same year.
        Record Turn <document index="2">\n<so…
          Frame Header <document index="2">\n<source>notes.txt</source>\n<document_co…
          Block Paragraph Nothing of note.
        Frame Header </documents>
    "#,
    );
    let outline = outline_of(TAGGED.as_bytes(), ContentType::Rag);
    let some = exact(&outline, |id| outline.text(id).starts_with(b"Costs fell"));
    let some = String::from_utf8(some).unwrap();
    assert_eq!(super::well_formed::fault(&some), None, "{some}");
    assert!(some.contains("<source>annual_report.pdf</source>") && !some.contains("Revenue"));
}

#[test]
fn chunks_are_told_from_lists_and_markup() {
    for source in [
        NUMBERED,
        TAGGED,
        RULED,
        LABELLED,
        "### Source 1\nfile: a.md\ntext\n\n### Source 2\nfile: b.md\ntext\n",
    ] {
        assert_eq!(detect(source.as_bytes()), ContentType::Rag, "{source}");
    }
    for source in [
        "[1] Smith, A. On things. 1999.\nPress.\n[2] Jones, B. On others. 2001.\nPress.\n",
        "<?xml version=\"1.0\"?>\n<items><item index=\"1\">\na\n</item>\n</items>\n",
        "--- a/source.c\n+++ b/source.c\n@@ -1 +1 @@\n-a\n+b\n",
        "Result: 3\nPage 1 of 2\n",
    ] {
        assert_ne!(detect(source.as_bytes()), ContentType::Rag, "{source}");
    }
}

#[test]
fn no_file_of_the_corpus_is_retrieved_text() {
    let Some(files) = corpus::outputs() else { return };
    for file in files {
        assert_ne!(detect(&file.read()), ContentType::Rag, "{}", file.relative);
    }
}
