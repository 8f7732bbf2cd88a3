use proptest::prelude::*;
use recto_session::{Block, Boundary, Content, PRUNE_MARKER, PruneConfig, measure_content, prune_content};
use recto_tokens::Tokenizer;
use unicode_segmentation::UnicodeSegmentation;

const IMAGE: &str = r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#;

fn text(text: &str) -> Block<'static> {
    Block::from_text(text)
}

fn image() -> Block<'static> {
    Block::from_json(IMAGE).unwrap()
}

/// Blocks as their texts, `*` for what is none; the marker as `|`.
fn shown(blocks: &[Block<'_>]) -> Vec<String> {
    let texts = blocks
        .iter()
        .map(|block| block.text().map_or("*".to_owned(), |text| text.replace(PRUNE_MARKER, "|")));
    texts.collect()
}

/// Prunes to a head and a tail, over the least threshold there is.
fn ends(blocks: &[Block<'_>], head: u64, tail: u64) -> Vec<String> {
    let config = PruneConfig::chars(head + 39 + tail, head, tail).unwrap();
    shown(&prune_content(blocks, &config).unwrap())
}

#[test]
fn the_marker_is_39_code_points() {
    assert_eq!(PRUNE_MARKER.chars().count(), 39);
    assert_eq!(PRUNE_MARKER, "\n\n[... tool result middle pruned ...]\n\n");
}

#[test]
fn at_the_threshold_nothing_happens_and_over_it_the_defaults_hold() {
    let config = PruneConfig::default();
    assert_eq!(prune_content(&[text(&"é".repeat(8192))], &config), None);
    assert_eq!(prune_content(&[], &config), None);
    assert_eq!(prune_content(&[image()], &config), None);
    let pruned = prune_content(&[text(&"😀".repeat(8193))], &config).unwrap();
    assert_eq!(measure_content(&pruned), 4096 + 39 + 1024);
    let wanted = ["😀".repeat(4096), PRUNE_MARKER.to_owned(), "😀".repeat(1024)].concat();
    assert_eq!(pruned[0].text().unwrap(), wanted);
}

#[test]
fn the_marker_ends_the_block_that_holds_the_head_s_end() {
    let filler = "x".repeat(60);
    let blocks = [text("abcd"), image(), text(&filler), text("wxyz")];
    assert_eq!(ends(&blocks, 2, 2), ["ab|", "*", "yz"]);
    // Cuts at a block's very end and beginning.
    assert_eq!(ends(&blocks, 4, 4), ["abcd|", "*", "wxyz"]);
    assert_eq!(ends(&blocks, 5, 5), ["abcd", "*", "x|x", "wxyz"]);
    assert_eq!(ends(&blocks, 0, 2), ["|", "*", "yz"]);
    assert_eq!(ends(&blocks, 2, 0), ["ab|", "*"]);
    assert_eq!(ends(&blocks, 0, 0), ["|", "*"]);
}

#[test]
fn head_and_tail_in_one_block_leave_one_block() {
    let long = format!("{}{}{}", "h".repeat(9), "m".repeat(80), "t".repeat(9));
    assert_eq!(ends(&[text(&long)], 3, 2), ["hhh|tt"]);
    assert_eq!(ends(&[image(), text(&long), image()], 0, 2), ["*", "|tt", "*"]);
    assert_eq!(ends(&[text("a"), text(&long), text("z")], 2, 2), ["a", "h|t", "z"]);
}

#[test]
fn blocks_between_go_and_images_among_them_stay_in_place() {
    let middle = "m".repeat(50);
    let blocks =
        [image(), text("ab"), text(""), text(&middle), image(), text(&middle), image(), text("yz"), text("")];
    assert_eq!(ends(&blocks, 2, 2), ["*", "ab|", "*", "*", "yz"]);
    assert_eq!(ends(&blocks, 0, 0), ["*", "|", "*", "*"]);
}

#[test]
fn one_code_point_a_block() {
    let blocks: Vec<_> = ('a'..='z').chain('A'..='Z').map(|letter| text(&letter.to_string())).collect();
    assert_eq!(ends(&blocks, 3, 2), ["a", "b", "c|", "Y", "Z"]);
    assert_eq!(ends(&blocks, 0, 1), ["|", "Z"]);
}

#[test]
fn all_other_fields_and_all_escapes_of_a_block_stay() {
    let raw = format!(
        r#"{{ "a":1.0, "text":"\u00e9\/\ud83d\ude00{}\ud800\n" ,"type":"text","z":[1e2]}}"#,
        "x".repeat(60)
    );
    let config = PruneConfig::chars(44, 3, 2).unwrap();
    let pruned = prune_content(&[Block::from_json(&raw).unwrap()], &config).unwrap();
    let marker = r"\n\n[... tool result middle pruned ...]\n\n";
    let wanted =
        format!(r#"{{ "a":1.0, "text":"\u00e9\/\ud83d\ude00{marker}\ud800\n" ,"type":"text","z":[1e2]}}"#);
    assert_eq!(pruned[0].json(), wanted);
    assert_eq!(measure_content(&pruned), 44);
}

#[test]
fn cuts_move_so_that_no_cluster_is_cut() {
    let family = "👨‍👩‍👧‍👦"; // Seven code points.
    let long = format!("a{family}{}e\u{301}b", "x".repeat(80));
    let config = PruneConfig::chars(80, 4, 2).unwrap();
    let prune = |config: &PruneConfig| shown(&prune_content(&[text(&long)], config).unwrap());
    assert_eq!(prune(&config), [format!("a{}|\u{301}b", "👨‍👩")]);
    let whole = config.clone().with_boundary(Boundary::Grapheme);
    assert_eq!(prune(&whole), ["a|b"]);
    // A cluster that is longer than the head leaves none.
    let zalgo = format!("e{}{}", "\u{301}".repeat(30), "x".repeat(60));
    assert_eq!(shown(&prune_content(&[text("a"), text(&zalgo)], &whole).unwrap()), ["a|", "xx"]);
    assert_eq!(shown(&prune_content(&[text(&zalgo)], &whole).unwrap()), ["|xx"]);
    let flags = "🇫🇷".repeat(50);
    assert_eq!(
        shown(
            &prune_content(
                &[text(&flags)],
                &PruneConfig::chars(80, 3, 3).unwrap().with_boundary(Boundary::Grapheme)
            )
            .unwrap()
        ),
        ["🇫🇷|🇫🇷"]
    );
}

#[test]
fn a_plain_string_stays_one() {
    let json = format!(r#""{}""#, "0123456789".repeat(10));
    let content = Content::from_json(&json).unwrap();
    let config = PruneConfig::chars(50, 3, 3).unwrap();
    let pruned = prune_content(content.blocks(), &config).unwrap();
    assert_eq!(shown(&pruned), ["012|789"]);
    assert_eq!(content.json(), json);
}

#[test]
fn budgets_in_tokens_are_held() {
    let words = "one two three four five six seven ".repeat(40);
    let config = PruneConfig::tokens(Tokenizer::O200k, 60, 20, 10).unwrap();
    let blocks = [text(&words), image(), text(&words)];
    let pruned = prune_content(&blocks, &config).unwrap();
    assert_eq!(shown(&pruned).len(), 3);
    let counter = Tokenizer::O200k.counter();
    let first = pruned[0].text().unwrap();
    let (head, rest) = first.split_once(PRUNE_MARKER).unwrap();
    assert_eq!(rest, "");
    // As much as fits, and not one word more.
    assert!((19..=20).contains(&counter.count(head)), "{head}");
    assert!((9..=10).contains(&counter.count(&pruned[2].text().unwrap())));
    assert_eq!(prune_content(&pruned, &config), None);
}

/// One code point or a cluster of several, as JSON may write it.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        " ",
        "z",
        "\\n",
        "\\\"",
        "\\\\",
        "\\u00e9",
        "é",
        "e\u{301}",
        "😀",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "👨‍👩‍👧",
        "🇫🇷",
        "\u{200d}",
        "\\r",
        "\\/",
        "漢",
    ])
}

/// A block's JSON: text mostly, short and long, empty at times; an image now and then.
fn block() -> impl Strategy<Value = String> {
    let text = |pieces| {
        prop::collection::vec(piece(), pieces)
            .prop_map(|pieces| format!(r#"{{"type":"text","text":"{}","n":1.0}}"#, pieces.concat()))
    };
    prop_oneof![3 => text(0..40), 2 => text(0..3), 1 => Just(IMAGE.to_owned())]
}

/// What the laws say, code point by code point: which block each belongs to, and what is written of each block.
fn wanted(blocks: &[Block<'_>], head: usize, tail: usize) -> Vec<Option<String>> {
    let points: Vec<(usize, char)> = blocks
        .iter()
        .enumerate()
        .flat_map(|(number, block)| {
            let text = block.text().unwrap_or_default().into_owned();
            text.chars().map(move |character| (number, character)).collect::<Vec<_>>()
        })
        .collect();
    let holder = points[head.saturating_sub(1)].0;
    let mut kept = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        if !block.is_text() {
            kept.push(None);
            continue;
        }
        let of_block = |points: &[(usize, char)]| -> String {
            points.iter().filter(|(owner, _)| *owner == number).map(|(_, character)| character).collect()
        };
        let marker = if number == holder { PRUNE_MARKER } else { "" };
        let text = [&of_block(&points[..head]), marker, &of_block(&points[points.len() - tail..])].concat();
        if !text.is_empty() {
            kept.push(Some(text));
        }
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_content_is_cut_as_the_laws_say(
        raw in prop::collection::vec(block(), 0..8),
        head in 0..60_usize,
        tail in 0..60_usize,
        slack in 0..30_usize,
    ) {
        let blocks: Vec<_> = raw.iter().map(|raw| Block::from_json(raw).unwrap()).collect();
        let threshold = head + 39 + tail + slack;
        let config = PruneConfig::chars(threshold as u64, head as u64, tail as u64).unwrap();
        let total = measure_content(&blocks);
        let pruned = prune_content(&blocks, &config);
        prop_assert_eq!(pruned.is_some(), total > threshold);
        let Some(pruned) = pruned else { return Ok(()) };
        prop_assert_eq!(measure_content(&pruned), head + 39 + tail);
        let texts: Vec<_> = pruned.iter().map(|block| block.text().map(|text| text.into_owned())).collect();
        prop_assert_eq!(texts, wanted(&blocks, head, tail));
        prop_assert!(pruned.iter().all(|block| Block::from_json(block.json()).unwrap() == *block));
        prop_assert_eq!(prune_content(&pruned, &config), None);
    }

    #[test]
    fn clusters_stay_whole_and_no_more_is_kept(
        raw in prop::collection::vec(block(), 1..5),
        head in 0..60_usize,
        tail in 0..60_usize,
    ) {
        let blocks: Vec<_> = raw.iter().map(|raw| Block::from_json(raw).unwrap()).collect();
        let config = PruneConfig::chars((head + 39 + tail) as u64, head as u64, tail as u64).unwrap();
        let config = config.with_boundary(Boundary::Grapheme);
        let Some(pruned) = prune_content(&blocks, &config) else { return Ok(()) };
        prop_assert!(measure_content(&pruned) <= head + 39 + tail);
        let whole: String = pruned.iter().filter_map(Block::text).collect();
        let (kept_head, kept_tail) = whole.split_once(PRUNE_MARKER).unwrap();
        let (head_chars, tail_chars) = (kept_head.chars().count(), kept_tail.chars().count());
        prop_assert!(head_chars <= head && tail_chars <= tail);
        // Each kept end is a run of whole clusters of its blocks, the longest that fits.
        let clusters: Vec<usize> = blocks.iter().filter_map(Block::text).flat_map(|text| {
            text.graphemes(true).map(|cluster| cluster.chars().count()).collect::<Vec<_>>()
        }).collect();
        let longest = |lengths: &mut dyn Iterator<Item = usize>, most: usize| {
            lengths.scan(0, |sum, length| { *sum += length; Some(*sum) }).take_while(|sum| *sum <= most).last().unwrap_or(0)
        };
        prop_assert_eq!(head_chars, longest(&mut clusters.iter().copied(), head));
        prop_assert_eq!(tail_chars, longest(&mut clusters.iter().rev().copied(), tail));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn budgets_in_tokens_hold_for_any_content(
        raw in prop::collection::vec(block(), 1..5),
        head in 0..20_u64,
        tail in 0..20_u64,
    ) {
        let blocks: Vec<_> = raw.iter().map(|raw| Block::from_json(raw).unwrap()).collect();
        let marker = Tokenizer::O200k.counter().count(PRUNE_MARKER);
        let config = PruneConfig::tokens(Tokenizer::O200k, head + marker + tail, head, tail).unwrap();
        let tokens = |blocks: &[Block<'_>]| -> u64 {
            blocks.iter().filter_map(Block::text).map(|text| Tokenizer::O200k.counter().count(&text)).sum()
        };
        if let Some(pruned) = prune_content(&blocks, &config) {
            prop_assert!(tokens(&pruned) <= config.threshold() && tokens(&pruned) < tokens(&blocks));
            prop_assert!(measure_content(&pruned) < measure_content(&blocks));
            prop_assert_eq!(prune_content(&pruned, &config), None);
        }
    }
}
