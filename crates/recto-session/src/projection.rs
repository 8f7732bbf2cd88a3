//! What a model reads of a log: the fold.

mod replace;

use std::collections::{BTreeMap, BTreeSet};

use crate::error::SessionError;
use crate::event::Event;
use crate::json;
use crate::pairing::{CallKey, Half, Place, half_of};
use crate::surface_op::SurfaceOp;

/// One node of a projection: an event where it stands, or one of the blocks that it stands in for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    seq: u64,
    part: u32,
    block: Option<Box<str>>,
    half: Option<(Half, CallKey)>,
}

impl Node {
    /// Returns the event's number.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns which of the event's ranges this node stands for, counted from 0.
    #[must_use]
    pub const fn part(&self) -> u32 {
        self.part
    }

    /// Returns the name of the block that the node is, if its range names one.
    #[must_use]
    pub fn block(&self) -> Option<&str> {
        self.block.as_deref()
    }
}

/// What a block of a commit took out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TakenOut {
    /// Where the block stands.
    place: Place,
    nodes: Vec<(Place, Node)>,
}

/// What a model reads of a session: a pure fold over events, from the first to the last.
///
/// Laws: an event that is refused changes nothing. Folding the same events gives an equal projection and the same [`Projection::to_json`], whether it is
/// folded at once or continued. The order of nodes is that of **positions**: a node that replaces others stands where they stood, so seqs
/// do not have to rise. One event takes the logarithm of the nodes there are, and that again for each node that it replaces or restores.
///
/// ```
/// use recto_session::{Event, Projection};
///
/// let lines = [
///     r#"{"seq":0,"kind":"message/user","data":{"content":"a"}}"#,
///     r#"{"seq":1,"kind":"message/user","data":{"content":"b"}}"#,
///     r#"{"seq":2,"kind":"message/user","data":{"content":"A"},"surfaceOp":{"op":"replace","start":0,"end":0}}"#,
/// ];
/// let mut projection = Projection::default();
/// for line in lines {
///     projection.apply(&Event::from_json(line)?)?;
/// }
/// assert_eq!(projection.nodes().map(|node| node.seq()).collect::<Vec<_>>(), [2, 1]);
/// assert_eq!(projection.replace_generation(), 1);
/// # Ok::<(), recto_session::SessionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Projection {
    nodes: BTreeMap<Place, Node>,
    places: BTreeMap<(u64, u32), Place>,
    calls: BTreeMap<CallKey, BTreeSet<Place>>,
    committed: BTreeMap<u64, Vec<TakenOut>>,
    generation: u64,
}

impl Projection {
    /// Folds one more event.
    ///
    /// # Errors
    /// Its `surfaceOp` names what is not there, or parts a call from its result; nothing is changed then.
    pub fn apply(&mut self, event: &Event) -> Result<(), SessionError> {
        match event.surface_op() {
            None => {}
            Some(SurfaceOp::Replace(ranges)) => return self.replace(event, ranges),
            Some(SurfaceOp::Restore { commit }) => self.restore(event.seq(), *commit)?,
        }
        if event.kind().is_shown() {
            let node = Node { seq: event.seq(), part: 0, block: None, half: half_of(event) };
            self.insert(event.seq(), node);
        }
        Ok(())
    }

    /// Tells what [`Projection::apply`] would say, and changes nothing.
    ///
    /// # Errors
    /// As those of `apply`.
    pub fn check(&self, event: &Event) -> Result<(), SessionError> {
        match event.surface_op() {
            None => Ok(()),
            Some(SurfaceOp::Replace(ranges)) => self.checked_runs(event, ranges).map(drop),
            Some(SurfaceOp::Restore { commit }) => self.check_restore(event.seq(), *commit),
        }
    }

    /// Returns the nodes in the order in which the model reads them.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Node> {
        self.nodes.values()
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Tells whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Tells whether an event is among the nodes.
    #[must_use]
    pub fn contains(&self, seq: u64) -> bool {
        self.places.range((seq, 0)..=(seq, u32::MAX)).next().is_some()
    }

    /// Counts the events that changed nodes before them: replacements, and the commits that were taken back.
    #[must_use]
    pub const fn replace_generation(&self) -> u64 {
        self.generation
    }

    /// Writes the projection down: `{"replaceGeneration":1,"nodes":[{"seq":2},{"seq":9,"part":0,"block":"c0001"}]}`. Equal projections have equal bytes.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = format!(r#"{{"replaceGeneration":{},"nodes":["#, self.generation);
        for (number, node) in self.nodes().enumerate() {
            if number > 0 {
                json.push(',');
            }
            json.push_str(&format!(r#"{{"seq":{}"#, node.seq));
            if node.part > 0 || node.block.is_some() {
                json.push_str(&format!(r#","part":{}"#, node.part));
            }
            if let Some(block) = &node.block {
                json.push_str(&format!(r#","block":{}"#, json::quoted(block)));
            }
            json.push('}');
        }
        json.push_str("]}");
        json
    }

    fn insert(&mut self, place: Place, node: Node) {
        self.places.insert((node.seq, node.part), place);
        if let Some((_, key)) = &node.half {
            self.calls.entry(key.clone()).or_default().insert(place);
        }
        self.nodes.insert(place, node);
    }

    fn remove(&mut self, place: Place) -> Option<Node> {
        let node = self.nodes.remove(&place)?;
        self.places.remove(&(node.seq, node.part));
        if let Some((_, key)) = &node.half
            && let Some(places) = self.calls.get_mut(key)
        {
            places.remove(&place);
            if places.is_empty() {
                self.calls.remove(key);
            }
        }
        Some(node)
    }

    /// The halves of one call id, in order.
    fn halves(&self, key: &CallKey) -> Vec<(Place, Half)> {
        let places = self.calls.get(key).into_iter().flatten();
        places.filter_map(|place| Some((*place, self.nodes.get(place)?.half.as_ref()?.0))).collect()
    }
}
