//! What holds for any session, whatever is in it. The fuzz target checks the same.
use std::collections::BTreeMap;

use recto_session::{
    Atoms, Boundary, Event, EventKind, Log, Projection, PruneConfig, SessionError, measure_content,
    prune_session,
};

/// Appends a line; whatever it is, it is taken whole or not at all.
pub(crate) fn append(log: &mut Log, line: &str) -> Result<(), SessionError> {
    log.append_event(Event::from_json(line)?).map(drop)
}

/// Appends each line that the log takes, under the number that comes next if the line's is another, and holds the log to the laws.
pub(crate) fn check_lines(text: &str) {
    let mut log = Log::new();
    for line in text.lines().take(200) {
        let Ok(event) = Event::from_json(line) else { continue };
        assert_eq!(Event::from_json(event.json()).unwrap(), event, "an event reads back as it was");
        let before = (log.events().len(), log.projection().to_json(), alone(&log, log.projection()));
        let goes_on = log.parent_of_next(&event) == log.leaf();
        match append(&mut log, event.json()) {
            Err(_) => {
                assert_eq!(log.events().len(), before.0, "a refused event changes nothing");
                assert_eq!(log.projection().to_json(), before.1, "a refused event changes nothing");
            }
            Ok(()) if goes_on && replaces(&event) => {
                let after = alone(&log, log.projection());
                for (half, count) in after {
                    let most = before.2.get(&half).copied().unwrap_or(0);
                    assert!(count <= most, "{half:?} was left alone by {line}");
                }
            }
            Ok(()) => {}
        }
    }
    check(&log);
}

fn replaces(event: &Event) -> bool {
    matches!(event.surface_op(), Some(recto_session::SurfaceOp::Replace(_)))
}

/// Which event the next one would follow.
trait Next {
    fn parent_of_next(&self, event: &Event) -> Option<u64>;
}

impl Next for Log {
    fn parent_of_next(&self, event: &Event) -> Option<u64> {
        match event.parent() {
            recto_session::Parent::Previous => self.leaf(),
            recto_session::Parent::Seq(seq) => Some(seq),
            _ => None,
        }
    }
}

/// Holds a log to the laws.
pub(crate) fn check(log: &Log) {
    let text = log.to_jsonl();
    let again = Log::from_jsonl(&text).unwrap();
    assert_eq!(&again, log);
    assert_eq!(again.to_jsonl(), text, "a log is written as it was read");
    assert_eq!(again.projection(), log.projection());
    for event in log.events() {
        let folded = fold(log, event.seq());
        let again = fold(log, event.seq());
        assert_eq!(folded.to_json(), again.to_json(), "a prefix folds to the same bytes");
        let known = log.projection_of(event.seq()).unwrap();
        assert_eq!(&folded, known.as_ref(), "folded at once and continued");
    }
    if let Some(leaf) = log.leaf() {
        assert_eq!(&fold(log, leaf), log.projection());
    }
    check_atoms(log);
    for (threshold, head, tail) in [(39, 0, 0), (45, 3, 2), (60, 0, 20), (60, 21, 0)] {
        for boundary in [Boundary::CodePoint, Boundary::Grapheme] {
            let config = PruneConfig::chars(threshold, head, tail).unwrap().with_boundary(boundary);
            check_prune(log, &config);
        }
    }
}

/// Folds from the root, one event after the other.
fn fold(log: &Log, leaf: u64) -> Projection {
    let mut projection = Projection::default();
    for seq in log.path(leaf) {
        projection.apply(log.get(seq).unwrap()).unwrap();
    }
    projection
}

/// Calls without a result and results without a call, counted by kind and id.
pub(crate) fn alone(log: &Log, projection: &Projection) -> BTreeMap<(bool, String), usize> {
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    let mut alone = BTreeMap::new();
    for event in projection.nodes().map(|node| log.get(node.seq()).unwrap()) {
        let Some(id) = event.call_id() else { continue };
        // Ids are compared as values: an escape in one makes no other id.
        let id =
            serde_json::from_str::<String>(id).map_or_else(|_| id.to_owned(), |text| format!("{text:?}"));
        match event.kind() {
            EventKind::ToolCall => *open.entry(id).or_default() += 1,
            EventKind::ToolResult => match open.get_mut(&id).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => *alone.entry((false, id)).or_default() += 1,
            },
            _ => {}
        }
    }
    alone.extend(open.into_iter().filter(|(_, count)| *count > 0).map(|(id, count)| ((true, id), count)));
    alone
}

pub(crate) fn check_atoms(log: &Log) {
    let atoms = Atoms::of(log, log.projection());
    assert_eq!(atoms, Atoms::of(log, log.projection()));
    let mut positions: Vec<_> = atoms.all().iter().flat_map(|atom| atom.positions.clone()).collect();
    positions.sort_unstable();
    assert_eq!(positions, (0..log.projection().len()).collect::<Vec<_>>(), "each node is in one atom");
    for atom in atoms.all() {
        assert_eq!(atoms.get(&atom.name), Some(atom));
        assert!(atom.protection.is_some() || atom.positions.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    }
    let sum = Atoms::metrics(atoms.all());
    assert!(sum.images.iter().enumerate().all(|(index, image)| image.index == index));
    // What is not protected can be replaced: nothing that the atoms say is refused.
    for atom in atoms.all().iter().filter(|atom| atom.protection.is_none()) {
        let (first, last) = (atom.seqs[0], atom.seqs[atom.seqs.len() - 1]);
        let is_plain = |seq| log.projection().nodes().filter(|node| node.seq() == seq).count() == 1;
        if is_plain(first) && is_plain(last) {
            let Some(seq) = log.leaf().unwrap().checked_add(1) else { continue };
            let op = format!(r#"{{"op":"replace","start":{first},"end":{last}}}"#);
            let line = format!(r#"{{"seq":{seq},"kind":"compaction/commit","surfaceOp":{op}}}"#);
            log.projection().check(&Event::from_json(&line).unwrap()).unwrap();
        }
    }
}

pub(crate) fn check_prune(log: &Log, config: &PruneConfig) {
    let mut pruned = log.clone();
    let nodes = log.projection().len();
    let before = alone(log, log.projection());
    let events = log.events().len();
    let outcome = prune_session(&mut pruned, config);
    assert_eq!(pruned.projection().len(), nodes, "each node is replaced by one");
    assert_eq!(alone(&pruned, pruned.projection()), before, "pairs stay pairs");
    assert_eq!(pruned.events()[..events], *log.events(), "a log only grows");
    let (appended, odd) = pruned.events()[events..].as_chunks::<2>();
    assert!(odd.is_empty(), "two events a rewrite");
    for [note, result] in appended {
        let [source] = result.source_event_seqs() else { panic!("one source: {}", result.json()) };
        let source = log.get(*source).unwrap();
        assert_eq!((note.kind(), result.kind()), (&EventKind::Prune, &EventKind::ToolResult));
        assert_eq!((result.turn(), result.step()), (source.turn(), source.step()));
        let content = result.content().unwrap();
        let measured = measure_content(content.blocks()) as u64;
        assert!(measured <= config.threshold());
        assert!(measured < measure_content(source.content().unwrap().blocks()) as u64);
        let rest = |event: &Event| event.data().replacen(event.field("content").unwrap(), "", 1);
        if !source.field("content").unwrap().is_empty() && source.data().matches("\"content\"").count() == 1 {
            assert_eq!(rest(result), rest(source), "all but the content stays");
        }
    }
    if let Ok(outcome) = outcome {
        assert_eq!(outcome.rewritten.len(), appended.len());
        let length = pruned.events().len();
        prune_session(&mut pruned, config).unwrap();
        assert_eq!(pruned.events().len(), length, "a second scan appends nothing");
    }
}
