//! What pruning leaves of real sessions: whole in every respect but the results that it names.

use std::{collections::BTreeMap, path::Path};

use recto::{
    archive::{Archive as _, Digest, MemoryArchive, Scope, block_on},
    pruning::{Pruner, Pruning},
    session::{
        PruneConfig, Strategy,
        history::{Asked, Cut, History, ItemKind, Observer, ProblemKind, Said},
        policy::{Decay, Policies, PolicyName, changes, standing},
    },
    tokens::Tokenizer,
    transcript::{Reading, Transcript},
    view::{Budget, Mode, Policy, Recall, Source},
    wire::unquote,
};
use recto_testkit::corpus;

/// Counts bytes for tokens, and keeps what an agent's instructions are.
struct Lengths;

impl Observer for Lengths {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        said.text.len() as u64 / 4
    }

    fn cut(&mut self, asked: &Asked<'_>, _head: &str) -> Cut {
        if asked.tool.eq_ignore_ascii_case("skill") { Cut::Never } else { Cut::Anytime }
    }
}

fn read(transcript: &Transcript) -> Reading {
    transcript.read(None, &mut Lengths, &mut |_| {}).unwrap()
}

/// Settings that change much, and those that are usual.
fn settings() -> Vec<(Policies, PruneConfig)> {
    let decay =
        |older_than_steps, above_tokens, to_tokens| Decay { older_than_steps, above_tokens, to_tokens };
    let usual = PruneConfig::default().with_strategy(Strategy::View);
    let mut default = Policies::NONE;
    default.prune = Some(usual.clone());
    (default.fresh_steps, default.settle_steps) = (30, 4);
    (default.decay, default.edited) = (Some(decay(30, 400, 300)), decay(30, 400, 300));
    (default.supersession, default.overlap) = (true, true);
    let mut severe = default.clone();
    let small = PruneConfig::chars(500, 250, 100).unwrap();
    severe.prune = Some(small.clone());
    severe.fresh_steps = 0;
    (severe.decay, severe.arguments) = (Some(decay(2, 100, 60)), Some(decay(2, 100, 60)));
    let mut pruner = Policies::NONE;
    pruner.prune = Some(PruneConfig::default());
    vec![(default, usual), (severe, small), (pruner, PruneConfig::default())]
}

fn prune(
    transcript: &Transcript,
    reading: &Reading,
    (policies, config): &(Policies, PruneConfig),
    archive: &MemoryArchive,
) -> Pruning {
    let changes = changes(&reading.history, policies);
    let standing = standing(&changes, reading.history.last_step() + 1);
    let pruner = Pruner {
        archive,
        known: None,
        scope: &Scope::local(),
        recall: Recall::Shell,
        config: config.clone(),
        tokenizer: Tokenizer::O200k,
    };
    pruner.prune(transcript, &reading.history, &standing, &mut |_| {}).unwrap()
}

fn problems(history: &History) -> BTreeMap<ProblemKind, usize> {
    let mut kinds = BTreeMap::new();
    for problem in &history.problems {
        *kinds.entry(problem.kind).or_default() += 1;
    }
    kinds
}

/// The bytes of every item of a kind, in their order.
fn raws(transcript: &Transcript, history: &History, is_asked: impl Fn(ItemKind) -> bool) -> Vec<Vec<u8>> {
    let mut places = transcript.places();
    let items = history.items.iter().filter(|item| is_asked(item.kind));
    items
        .map(|item| {
            let node = &history.nodes[item.node as usize];
            item.raw.of(places.bytes(node.place).unwrap()).to_vec()
        })
        .collect()
}

/// The texts of results, by results.
fn results(transcript: &Transcript, history: &History) -> Vec<Vec<String>> {
    let mut places = transcript.places();
    (0..history.results.len())
        .map(|result| {
            let result = u32::try_from(result).unwrap();
            let place = history.node_of_result(result).unwrap().place;
            let texts = history.parts_of(result).filter(|(_, item)| item.kind == ItemKind::Text);
            let spans: Vec<_> = texts.map(|(_, item)| item.raw).collect();
            let bytes = places.bytes(place).unwrap();
            spans.iter().map(|span| unquote(span.of(bytes)).unwrap_or_default().into_owned()).collect()
        })
        .collect()
}

fn check(path: &Path, folder: &Path) {
    let Ok(transcript) = Transcript::open(path, None) else { return };
    if transcript.paths().count() > 1 {
        return;
    }
    let before = read(&transcript);
    let source = std::fs::read(path).unwrap();
    for (number, settings) in settings().iter().enumerate() {
        let archive = MemoryArchive::new();
        let pruning = prune(&transcript, &before, settings, &archive);
        let target = folder.join(format!("{number}.jsonl"));
        let mut written = Vec::new();
        pruning.rewrite.write(&transcript, 0, &mut written).unwrap();
        std::fs::write(&target, &written).unwrap();
        let name = format!("{}, settings {number}", path.display());
        assert_eq!(pruning.rewrite.is_identity(), written == source, "{name}");

        let smaller = Transcript::open(&target, Some(transcript.format())).unwrap();
        let after = read(&smaller);
        assert_eq!(problems(&before.history), problems(&after.history), "{name}");
        // Every reasoning block, every text of a message, every image.
        let outside = |kind| matches!(kind, ItemKind::Thinking | ItemKind::Image(_) | ItemKind::Opaque);
        assert_eq!(
            raws(&transcript, &before.history, outside),
            raws(&smaller, &after.history, outside),
            "{name}"
        );

        let (old, new) = (results(&transcript, &before.history), results(&smaller, &after.history));
        assert_eq!(old.len(), new.len(), "{name}");
        let of_results = pruning.made.iter().filter(|made| made.change.policy != PolicyName::Arguments);
        let made: BTreeMap<u32, _> = of_results.map(|made| (made.change.of, made)).collect();
        for (result, (old, new)) in old.iter().zip(&new).enumerate() {
            let Some(made) = made.get(&u32::try_from(result).unwrap()) else {
                assert_eq!(old, new, "{name}: result {result} was not to be changed");
                continue;
            };
            assert!(made.left_tokens < made.tokens, "{name}: result {result}");
            assert_ne!(before.history.results[result].cut, Cut::Never, "{name}: result {result}");
            assert!(new.iter().all(|text| !text.is_empty()), "{name}: result {result} has an empty text");
            let originals: Vec<Vec<u8>> = made
                .originals
                .iter()
                .map(|digest| block_on(archive.get(&Scope::local(), digest, 0..u64::MAX)).unwrap())
                .collect();
            let changed: Vec<&String> = old.iter().filter(|text| !new.contains(text)).collect();
            for text in changed {
                assert!(originals.contains(&text.clone().into_bytes()), "{name}: result {result} is lost");
            }
            if settings.1.strategy() == Strategy::View && made.change.policy != PolicyName::Prune {
                let says =
                    made.refs.iter().all(|name| new.iter().any(|text| text.contains(&name.to_string())));
                assert!(says, "{name}: result {result} does not say how to have the rest: {new:?}");
            }
        }
        lines_that_were_not_named_stand(&source, &written, &pruning, &name);

        let again = prune(&smaller, &after, settings, &archive);
        let again: Vec<_> = again.made.iter().map(|made| (made.place.line, made.change.clone())).collect();
        assert!(again.is_empty(), "{name}: not all at once: {again:?}");
    }
}

fn lines_that_were_not_named_stand(source: &[u8], written: &[u8], pruning: &Pruning, name: &str) {
    let lines =
        |bytes: &[u8]| -> Vec<Vec<u8>> { bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() };
    let (old, new) = (lines(source), lines(written));
    let is_document = pruning.made.iter().any(|made| u64::from(made.place.bytes) == source.len() as u64);
    if is_document && old.len() != new.len() {
        return;
    }
    assert_eq!(old.len(), new.len(), "{name}");
    let named: Vec<u32> = pruning.made.iter().map(|made| made.place.line).collect();
    for (number, (old, new)) in (1..).zip(old.iter().zip(&new)) {
        assert!(is_document || old == new || named.contains(&number), "{name}: line {number} was changed");
        let parses = |line: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        assert_eq!(parses(old), parses(new), "{name}: line {number}");
    }
}

#[test]
fn pruning_keeps_real_sessions_whole() {
    let Some(files) = corpus::transcripts() else { return };
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        check(&file.path, folder.path());
    }
}

/// A session of Claude Code whose calls have these results.
fn session(results: &[&str]) -> Vec<u8> {
    let mut lines = vec![serde_json::json!({"type": "user", "message": {"role": "user", "content": "go"}})];
    for (number, text) in results.iter().enumerate() {
        let id = format!("toolu_{number}");
        let input = serde_json::json!({"command": format!("step {number}")});
        let call = serde_json::json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
        lines.push(
            serde_json::json!({"type": "assistant", "message": {"role": "assistant", "content": [call]}}),
        );
        let result = serde_json::json!({"type": "tool_result", "tool_use_id": id, "content": text});
        lines.push(serde_json::json!({"type": "user", "message": {"role": "user", "content": [result]}}));
    }
    let mut bytes = Vec::new();
    for (number, line) in lines.iter_mut().enumerate() {
        line["uuid"] = format!("u{number}").into();
        line["sessionId"] = "s".into();
        line["parentUuid"] = number.checked_sub(1).map(|before| format!("u{before}")).into();
        bytes.extend_from_slice(format!("{line}\n").as_bytes());
    }
    bytes
}

fn opened(folder: &Path, bytes: &[u8]) -> (Transcript, Reading) {
    let path = folder.join("session.jsonl");
    std::fs::write(&path, bytes).unwrap();
    let transcript = Transcript::open(&path, None).unwrap();
    let reading = read(&transcript);
    (transcript, reading)
}

fn decay_alone(to_tokens: u32) -> (Policies, PruneConfig) {
    let mut policies = Policies::NONE;
    policies.decay = Some(Decay { older_than_steps: 0, above_tokens: to_tokens + 1, to_tokens });
    (policies, PruneConfig::default().with_strategy(Strategy::View))
}

#[test]
fn a_view_is_made_smaller_from_its_original_and_a_forged_one_not_at_all() {
    let (folder, archive) = (tempfile::tempdir().unwrap(), MemoryArchive::new());
    let text: String = (0..3_000).map(|line| format!("line {line} value {}\n", line * 31)).collect();
    let policy = Policy {
        mode: Mode::Marked,
        recall: Recall::Shell,
        budget: Budget::bytes(6_000),
        ..Policy::default()
    };
    let source = Source::new(text.as_bytes());
    let issued = recto::compress(&source, &policy, &Scope::local(), || Ok(Some(&archive))).unwrap();
    let view = issued.view.render(&source).unwrap();
    let forged = format!("[recto: 12 lines, recto expand {}]\n{text}", issued.name.unwrap());

    let (transcript, reading) = opened(folder.path(), &session(&[&view, &forged, "done"]));
    let pruning = prune(&transcript, &reading, &decay_alone(100), &archive);
    let [made] = pruning.made.as_slice() else { panic!("{:?}", pruning.made) };
    assert_eq!((made.change.of, made.originals.as_slice()), (0, &[Digest::of(text.as_bytes())][..]));
    assert_eq!(pruning.left.len(), 1);
    let mut written = Vec::new();
    pruning.rewrite.write(&transcript, 0, &mut written).unwrap();
    let (transcript, reading) = opened(folder.path(), &written);
    assert!(prune(&transcript, &reading, &decay_alone(100), &archive).made.is_empty());
}

#[test]
fn what_was_pruned_is_not_taken_for_an_original() {
    let text: String = (0..120).map(|line| format!("l {line} v {}\n", line * 31)).collect();
    for (to_tokens, prune_config) in [(25, [200, 50, 20]), (300, [900, 450, 300])] {
        let (folder, archive) = (tempfile::tempdir().unwrap(), MemoryArchive::new());
        let (mut policies, _) = decay_alone(to_tokens);
        let config = PruneConfig::chars(prune_config[0], prune_config[1], prune_config[2]).unwrap();
        policies.prune = Some(config.clone());
        let settings = (policies, config);
        let (transcript, reading) = opened(folder.path(), &session(&[&text, &text, "done"]));
        let pruning = prune(&transcript, &reading, &settings, &archive);
        assert!(!pruning.made.is_empty());
        let mut written = Vec::new();
        pruning.rewrite.write(&transcript, 0, &mut written).unwrap();
        let (transcript, reading) = opened(folder.path(), &written);
        let again = prune(&transcript, &reading, &settings, &archive);
        for made in &again.made {
            assert_eq!(made.originals, [Digest::of(text.as_bytes())], "{made:?}");
        }
        assert!(again.made.iter().all(|made| made.left_tokens < made.tokens));
    }
}
