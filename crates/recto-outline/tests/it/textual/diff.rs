//! Diffs: git's, plain ones and merges.

use std::process::Command;

use proptest::prelude::*;
use recto_outline::{ContentType, Kind, Role, UnitId, detect};
use recto_testkit::Prng;

use crate::running::view::{assert_outline, exact, outline_of};

const COMMIT: &str = "\
commit 096fffdb79807d34b99985b38df0a3df7f6a86c7
Author: A <a@example.com>
Date:   Mon Jan 5 10:00:00 2026 +0000

    Say less

 2 files changed, 3 insertions(+), 2 deletions(-)

diff --git a/src/a.rs b/src/a.rs
index 1111111..2222222 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,4 +1,4 @@ fn a() {
 one
--- two
+++ two
 three
-four
\\ No newline at end of file
+four
@@ -9 +9,2 @@
-nine
+nine
+ten
diff --git a/Cargo.lock b/Cargo.lock
index 3333333..4444444 100644
--- a/Cargo.lock
+++ b/Cargo.lock
@@ -1,2 +1,2 @@
 [[package]]
-version = \"1\"
+version = \"2\"
diff --git a/old name.rs b/new name.rs
similarity index 100%
rename from old name.rs
rename to new name.rs
diff --git a/x.png b/x.png
new file mode 100644
index 0000000..5555555
Binary files /dev/null and b/x.png differ
";

#[test]
fn commits_files_and_hunks_nest() {
    assert_outline(
        COMMIT,
        ContentType::Diff,
        "
        Frame Section commit 096fffdb79807d34b…
          Frame Heading commit 096fffdb79807d34b99985b38df0a3df7f6a86c7
          Line Plain Author: A <a@example.com>
          Line Plain Date:   Mon Jan 5 10:00:00 2026 +0000
          Line Blank\x20
          Line Heading     Say less
          Line Blank\x20
          Line Summary  2 files changed, 3 insertions(+), 2 deletions(-)
          Line Blank\x20
          Frame File diff --git a/src/a.rs b/…
            Frame Heading diff --git a/src/a.rs b/src/a.rs\\nindex 1111111..2222222 1006…
            Frame Hunk @@ -1,4 +1,4 @@ fn a() {…
              Frame Heading @@ -1,4 +1,4 @@ fn a() {
              Line Context  one
              Line Removed --- two
              Line Added +++ two
              Line Context  three
              Line Removed -four\\n\\ No newline at end of file
              Line Added +four
            Frame Hunk @@ -9 +9,2 @@\\n-nine\\n+nin…
              Frame Heading @@ -9 +9,2 @@
              Line Removed -nine
              Line Added +nine
              Line Added +ten
          Frame File diff --git a/Cargo.lock …
            Frame Heading diff --git a/Cargo.lock b/Cargo.lock\\nindex 3333333..4444444 …
            Frame Hunk @@ -1,2 +1,2 @@\\n [[packa…
              Frame Heading @@ -1,2 +1,2 @@
              Line Boilerplate  [[package]]
              Line Boilerplate -version = \"1\"
              Line Boilerplate +version = \"2\"
          Frame File diff --git a/old name.rs…
            Frame Heading diff --git a/old name.rs b/new name.rs\\nsimilarity index 100%…
          Frame File diff --git a/x.png b/x.p…
            Frame Heading diff --git a/x.png b/x.png\\nnew file mode 100644\\nindex 000000…
        ",
    );
}

#[test]
fn merges_and_plain_diffs_have_files_too() {
    assert_outline(
        "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,2 -1,2 +1,2 @@@\n  x\n- y\n -z\n++w\n",
        ContentType::Diff,
        "
        Frame File diff --cc a\\nindex 1,2..3…
          Frame Heading diff --cc a\\nindex 1,2..3\\n--- a/a\\n+++ b/a
          Frame Hunk @@@ -1,2 -1,2 +1,2 @@@\\n …
            Frame Heading @@@ -1,2 -1,2 +1,2 @@@
            Line Context   x
            Line Removed - y
            Line Removed  -z
            Line Added ++w
        ",
    );
    assert_outline(
        "Only in b: c\n--- a/d\t2026-01-02\n+++ b/d\t2026-01-03\n@@ -1 +1 @@\n-e\n+f\n",
        ContentType::Diff,
        "
        Line Plain Only in b: c
        Frame File --- a/d\t2026-01-02\\n+++ b…
          Frame Heading --- a/d\t2026-01-02\\n+++ b/d\t2026-01-03
          Frame Hunk @@ -1 +1 @@\\n-e\\n+f
            Frame Heading @@ -1 +1 @@
            Line Removed -e
            Line Added +f
        ",
    );
    assert_outline(
        "5,6c5\n< a\n< b\n---\n> c\n",
        ContentType::Diff,
        "
        Frame Hunk 5,6c5\\n< a\\n< b\\n---\\n> c
          Frame Heading 5,6c5
          Line Removed < a
          Line Removed < b
          Frame Context ---
          Line Added > c
        ",
    );
}

#[test]
fn pieces_of_a_long_line_stand_behind_its_sign() {
    let source = format!("--- a\n+++ b\n@@ -1 +1 @@\n-short\n+{}\n", "word ".repeat(200));
    let outline = outline_of(source.as_bytes(), ContentType::Diff);
    let last = UnitId(outline.units.len() as u32 - 1);
    assert_eq!(outline.unit(last).kind, Kind::Piece);
    let view = String::from_utf8(exact(&outline, |unit| unit == last)).unwrap();
    assert!(view.starts_with("--- a\n+++ b\n@@ -1 +1 @@\n+word "), "{view}");
}

#[test]
fn coloured_diffs_are_diffs() {
    let source = "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n";
    assert_eq!(detect(source.as_bytes()), ContentType::Diff);
    let outline = outline_of(source.as_bytes(), ContentType::Diff);
    let kinds: Vec<Kind> =
        outline.units.iter().filter(|unit| unit.role == Role::Line).map(|unit| unit.kind).collect();
    assert_eq!(kinds, [Kind::Removed, Kind::Added]);
    assert_eq!(outline.silent.len(), 14);
}

#[test]
fn diffs_are_told_from_text_about_them() {
    assert_eq!(detect(COMMIT.as_bytes()), ContentType::Diff);
    assert_eq!(detect(b"1c1\n< a\n---\n> b\n"), ContentType::Diff);
    for text in [
        "# How to read a diff\n\nGit prints this:\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n\nThe first lines name the file.\nThen a hunk follows.\n\nEach line of it has a sign.\nA minus is for what was there before.\nA plus is for what is there now.\nOther lines are the same on both sides.\nThere may be many hunks.\nThere may be many files, too.\nThat is all there is to say.\nMore is in the manual.\nRead it.\n",
        "- one\n- two\n+ three\n",
        "commit often, and say why\nFrom now on this is a rule\n",
    ] {
        assert_ne!(detect(text.as_bytes()), ContentType::Diff, "{text}");
    }
}

/// The diffs of this repository's history, if it has one here.
fn history() -> Option<Vec<u8>> {
    git_log(&["-p", "--stat"]).filter(|log| log.len() > 1_000)
}

fn git_log(options: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git")
        .args(["log", "-25", "--no-color"])
        .args(options)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

/// The file and hunk heads in a diff, and whether each kept line stands in the hunk that it came from.
fn skeleton(source: &[u8]) -> Vec<String> {
    let outline = outline_of(source, ContentType::Diff);
    let mut heads = Vec::new();
    for (index, unit) in outline.units.iter().enumerate() {
        if unit.role == Role::Frame && unit.kind == Kind::Heading {
            heads.push(String::from_utf8_lossy(outline.text(UnitId(index as u32))).into_owned());
        }
    }
    heads
}

#[test]
fn any_subset_of_a_diff_is_a_diff_with_the_same_heads() {
    let mut sources = vec![COMMIT.as_bytes().to_vec()];
    sources.extend(history());
    for source in sources {
        let outline = outline_of(&source, ContentType::Diff);
        let expected = skeleton(&source);
        for seed in 0..4 {
            let mut chance = Prng::new(seed);
            let view = exact(&outline, |_| chance.below(1 << seed) == 0);
            assert_eq!(skeleton(&view), expected, "{}", String::from_utf8_lossy(&view));
        }
        let least = exact(&outline, |_| false);
        assert_eq!(skeleton(&least), expected);
    }
}

#[test]
fn every_line_of_the_history_has_the_kind_of_its_sign() {
    let Some(source) = history() else { return };
    assert_eq!(detect(&source), ContentType::Diff);
    let outline = outline_of(&source, ContentType::Diff);
    let mut changed = 0;
    for (index, unit) in outline.units.iter().enumerate() {
        if outline.unit(unit.parent).kind != Kind::Hunk || unit.role == Role::Frame {
            continue;
        }
        let sign = outline.text(UnitId(index as u32)).first().copied().unwrap_or(b' ');
        let expected = match sign {
            b'+' => Kind::Added,
            b'-' => Kind::Removed,
            _ => Kind::Context,
        };
        assert!(unit.kind == expected || unit.kind == Kind::Boilerplate, "{sign} {unit:?}");
        changed += usize::from(unit.kind == Kind::Added);
    }
    // The added lines of a diff are what `git` counts; by itself, as the diffs may show such counts as well.
    let counts = git_log(&["--shortstat", "--format="]).unwrap_or_default();
    let text = String::from_utf8_lossy(&counts);
    let counted: usize = text
        .lines()
        .filter_map(|line| {
            line.split(", ").find(|part| part.contains("insertion"))?.split(' ').next()?.parse::<usize>().ok()
        })
        .sum();
    let generated: usize = outline
        .units
        .iter()
        .enumerate()
        .filter(|(index, unit)| {
            unit.kind == Kind::Boilerplate
                && outline.unit(unit.parent).kind == Kind::Hunk
                && outline.text(UnitId(*index as u32)).starts_with(b"+")
        })
        .count();
    assert_eq!(changed + generated, counted);
}

proptest! {
    #[test]
    fn lines_taken_out_of_a_diff_leave_its_heads(seed in any::<u64>()) {
        let outline = outline_of(COMMIT.as_bytes(), ContentType::Diff);
        let mut chance = Prng::new(seed);
        let view = exact(&outline, |_| chance.below(3) == 0);
        prop_assert_eq!(skeleton(&view), skeleton(COMMIT.as_bytes()));
    }
}
