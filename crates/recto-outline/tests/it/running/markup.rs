//! HTML and XML.

use proptest::prelude::*;
use recto_outline::{ContentType, Kind, Role, UnitId, detect};
use recto_testkit::{Prng, corpus};

use super::{
    view::{assert_outline, exact, outline_of},
    well_formed::fault,
};

/// As JUnit reports are, with names made up.
const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- made by a runner -->
<testsuites tests="3" failures="1">
  <testsuite name="parser" tests="3">
    <properties>
      <property name="a" value="&lt;1&gt;"/>
    </properties>
    <testcase name="reads > writes" time="0.1"/>
    <testcase name="fails" time="0.2">
      <failure message="expected 1 &amp; got 2"><![CDATA[
        at check (parser.rs:12)
        at run (main.rs:3)
      ]]></failure>
    </testcase>
    <testcase name="last" time="0.1"></testcase>
  </testsuite>
</testsuites>
"#;

const MIXED: &str = r#"<doc><p>Some text with <b>bold</b> words in it. A second sentence, with an <i>aside</i> that goes on for
a while, as text in books does.<big a="1">Large. <x/>Larger.</big> And then &#8230; it ends at some point, after some words.</p>
<p/><?go on?><!-- note --></doc>"#;

const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en"><head><title>A page</title>
<style>p { color: red }</style></head>
<body class="x"><div id="main">
<nav><a href="/">Home</a></nav>
<h1>Engines</h1>
<div class="wrap"><p>The first engine was never built. The second was, though it took <b>far longer</b> than planned.
<p>A short one.
<ul><li>one<li>two <a href="/x">with a link</a></ul></div>
<h2>Numbers</h2>
<table><tr><th>Year</th><th>Cards</th></tr>
<tr><td>1842<td>300
<tr><td>1843<td>a cell with a great many words in it</table>
<script>if (a < b) { document.write("<p>") }</script>
<pre>line one of the code
line two of the code, which is longer than the first</pre>
</div></body></html>
"#;

#[test]
fn elements_of_xml_are_units_and_failures_are_seen() {
    assert_outline(
        REPORT,
        ContentType::Markup,
        r#"
        Line Boilerplate <?xml version="1.0" encoding="UTF-8"?>
        Line Boilerplate <!-- made by a runner -->
        Frame Element <testsuites tests="3" fa…
          Block Element <testsuite name="parser"…
            Block Element <properties>\n      <prop…
              Field Element <property name="a" value="&lt;1&gt;"/>
            Record Element <testcase name="reads > writes" time="0.1"/>
            Record Failure <testcase name="fails" t…
              Block Failure <failure message="expect…
                Block Element <![CDATA[\n        at che…
                  Line Trace         at check (parser.rs:12)
                  Line Trace         at run (main.rs:3)
            Record Element <testcase name="last" time="0.1"></testcase>
    "#,
    );
}

#[test]
fn running_text_with_elements_in_it_is_cut_between_them() {
    assert_outline(
        MIXED,
        ContentType::Markup,
        r#"
        Frame Element <doc><p>Some text with <…
          Record Element <p>Some text with <b>bol…
            Text Sentence Some text with <b>bold</b> words in it.
            Text Sentence A second sentence, with an <i>aside</i> that goes on for\na w…
            Field Element <big a="1">Large. <x/>Larger.</big>
            Text Sentence And then &#8230; it ends at some point, after some words.
          Record Element <p/>
          Line Boilerplate <?go on?>
          Line Boilerplate <!-- note -->
    "#,
    );
}

#[test]
fn pages_are_text_under_headings() {
    assert_outline(
        PAGE,
        ContentType::Markup,
        r#"
        Frame Header <!DOCTYPE html>
        Line Boilerplate <html lang="en"><head>
        Frame Heading <title>A page</title>
        Line Boilerplate <style>p { color: red }</style></head>\n<body class="x"><div …
        Block Boilerplate <nav><a href="/">Home</a…
          Text Sentence <a href="/">Home</a>
        Block Section <h1>Engines</h1>\n<div cl…
          Frame Heading <h1>Engines</h1>
          Line Boilerplate <div class="wrap">
          Block Paragraph <p>The first engine was …
            Text Sentence The first engine was never built.
            Text Sentence The second was, though it took <b>far longer</b> than planne…
          Block Paragraph <p>A short one.\n
          Block Element <ul><li>one<li>two <a hr…
            Record Paragraph <li>one
            Record Paragraph <li>two <a href="/x">wit…
              Text Sentence two <a href="/x">with a link</a>
          Line Boilerplate </div>
          Block Section <h2>Numbers</h2>\n<table>…
            Frame Heading <h2>Numbers</h2>
            Block Element <table><tr><th>Year</th>…
              Frame Header <tr><th>Year</th><th>Cards</th></tr>
              Record Row <tr><td>1842<td>300\n
              Record Row <tr><td>1843<td>a cell w…
                Field Element <td>1843
                Field Element <td>a cell with a great …
                  Text Sentence a cell with a great many words in it
            Line Boilerplate <script>if (a < b) { document.write("<p>") }</script>
            Block Embedded <pre>line one of the cod…
              Line Plain line one of the code
              Line Plain line two of the code, which is longer than the first
            Line Boilerplate </div></body></html>
    "#,
    );
}

#[test]
fn a_record_with_a_failed_result_is_the_failure_not_what_holds_it() {
    let source = r#"<run result="Failed"><case result="Passed" n="1"/><case n="2" result="Failed">some words on it</case></run>"#;
    let outline = outline_of(source.as_bytes(), ContentType::Markup);
    let failed: Vec<_> = outline.units.iter().filter(|unit| unit.kind == Kind::Failure).collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].body.of(source.as_bytes()).starts_with(b"<case n=\"2\""));
}

#[test]
fn long_start_tags_stay_whole() {
    let source = format!("<r><img src='data:image/png;base64,{}'/><b>text</b></r>", "QUJD".repeat(500));
    let outline = outline_of(source.as_bytes(), ContentType::Markup);
    let whole = outline
        .units
        .iter()
        .skip(1)
        .find(|unit| unit.body.of(source.as_bytes()).starts_with(b"<img"))
        .unwrap();
    assert_eq!(whole.end as usize, outline.units.iter().position(|unit| unit == whole).unwrap() + 1);
    assert_eq!(fault(&String::from_utf8(exact(&outline, |_| false)).unwrap()), None);
}

/// Keeps random units of `source` and checks that they are well-formed.
fn check_subsets(source: &str, seed: u64, rounds: usize) {
    assert_eq!(fault(source), None, "the source itself");
    let outline = outline_of(source.as_bytes(), ContentType::Markup);
    let mut chance = Prng::new(seed);
    for round in 0..rounds {
        let one_in = [1_000_000, 100, 8, 2][round % 4];
        let kept = exact(&outline, |_| chance.below(one_in) == 0);
        let kept = String::from_utf8(kept).unwrap();
        if let Some(fault) = fault(&kept) {
            panic!("{fault}\n{kept:.2000}");
        }
    }
}

#[test]
fn any_units_of_the_corpus_xml_are_well_formed() {
    let Some(files) = corpus::outputs() else { return };
    let mut checked = 0;
    for file in files.iter().filter(|file| file.relative.ends_with(".xml")) {
        let bytes = file.read();
        let source = String::from_utf8(bytes).unwrap();
        check_subsets(&source, 7, 8);
        checked += 1;
    }
    assert!(checked >= 7);
}

#[test]
fn the_markup_of_the_corpus_is_seen() {
    let Some(files) = corpus::outputs() else { return };
    for file in files.iter().filter(|file| file.kind == "markup") {
        let bytes = file.read();
        assert_eq!(detect(&bytes), ContentType::Markup, "{}", file.relative);
        let outline = outline_of(&bytes, ContentType::Markup);
        // What is never dropped is little: a page's skeleton is not its text.
        let skeleton = exact(&outline, |_| false);
        assert!(
            skeleton.len() * 20 < bytes.len(),
            "{}: {} of {}",
            file.relative,
            skeleton.len(),
            bytes.len()
        );
        let frames = (1..outline.units.len()).filter(|index| {
            let unit = outline.unit(UnitId(*index as u32));
            unit.role == Role::Frame && unit.parent == UnitId::ROOT
        });
        assert!((1..=3).contains(&frames.count()), "{}", file.relative);
    }
}

#[test]
fn markup_is_told_from_text_with_tags() {
    for source in
        [REPORT, MIXED, PAGE, "<a><b/></a>", "HTTP/1.1 200 OK\nServer: x\n\n<html><body>x</body></html>"]
    {
        assert_eq!(detect(source.as_bytes()), ContentType::Markup, "{source}");
    }
    for source in [
        "<div align=\"center\"><img src=\"x\"></div>\n\n# A project\n\nWords about it.\n",
        "<nick> hello\n<other> hi\n<nick> bye\n",
        "<T> is a type\n",
        "a < b and c > d\n",
        "<?php echo 1; ?>\n",
    ] {
        assert_ne!(detect(source.as_bytes()), ContentType::Markup, "{source}");
    }
}

/// XML of random shape: names, attributes, text, entities, data, comments.
fn element() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "word ",
        "A sentence. ",
        "&lt;&amp;&#8230;",
        "\n",
        "]] ",
        "a>b",
        "long text without any blanks at all, ".repeat(8).leak(),
        "&quot;".repeat(120).leak(),
        "at x (y:1)\n",
    ])
    .prop_map(str::to_owned);
    let other = prop::sample::select(vec![
        "<![CDATA[a < b]]>",
        "<!-- c -->",
        "<?p q?>",
        "<e/>",
        "<e a='>'/>",
        "<e a=\"&lt;'\">x</e>",
    ])
    .prop_map(str::to_owned);
    let leaf = prop_oneof![3 => text, 1 => other];
    let tree = leaf.prop_recursive(5, 120, 8, |inner| {
        (prop::sample::select(vec!["a", "b", "testcase", "failure"]), prop::collection::vec(inner, 0..8))
            .prop_map(|(name, children)| format!("<{name} n=\"1\">{}</{name}>", children.concat()))
    });
    prop::collection::vec(tree, 0..12).prop_map(|children| format!("<root>{}</root>", children.concat()))
}

proptest! {
    #[test]
    fn any_units_of_well_formed_xml_are_well_formed(source in element(), seed in 0_u64..1_000) {
        prop_assume!(fault(&source).is_none());
        check_subsets(&source, seed, 8);
    }
}
