//! Which call a result answers, and whether a replacement parts them.

use std::collections::BTreeSet;

use crate::event::Event;
use crate::json;
use crate::kind::EventKind;

/// Where a node stands in a projection; a replacement takes the place of the first node that it replaces.
pub(crate) type Place = u64;

/// Which half of a call and its result a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Half {
    Call,
    Result,
}

/// What joins a call to its result: `data.callId` as JSON without escapes, so that 1 and "1" differ.
pub(crate) type CallKey = std::sync::Arc<str>;

/// Which half an event is, and of which call; `None` for what is no call and no result, or has no id.
pub(crate) fn half_of(event: &Event) -> Option<(Half, CallKey)> {
    let half = match event.kind() {
        EventKind::ToolCall => Half::Call,
        EventKind::ToolResult => Half::Result,
        _ => return None,
    };
    let id = event.call_id()?;
    let key = match json::inside(id) {
        Some(inside) if inside.contains('\\') => match json::decode(inside) {
            // Lone surrogates all decode alike, but are not the same id.
            text if text.contains(char::REPLACEMENT_CHARACTER) => id.into(),
            text => json::quoted(&text).into(),
        },
        _ => id.into(),
    };
    Some((half, key))
}

/// The calls and results of one id, in the order in which they stand, paired: a result answers the newest call before it that is still open.
pub(crate) struct Pairs {
    /// Places of calls with those of their results.
    pub(crate) pairs: Vec<(Place, Place)>,
    /// Calls without a result and results without a call.
    pub(crate) alone: BTreeSet<Place>,
}

impl Pairs {
    pub(crate) fn of(halves: impl IntoIterator<Item = (Place, Half)>) -> Self {
        let (mut open, mut pairs, mut alone) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (place, half) in halves {
            match half {
                Half::Call => open.push(place),
                Half::Result => match open.pop() {
                    Some(call) => pairs.push((call, place)),
                    None => {
                        alone.insert(place);
                    }
                },
            }
        }
        alone.extend(open);
        Self { pairs, alone }
    }
}

/// Finds what a replacement would leave alone: a place that stays, or the place of a node that stands in.
///
/// - `before`: the halves of one id in the order of their places;
/// - `is_removed`: whether a place's node is replaced;
/// - `inserted`: the places in which the replacing event stands, if it is a half of this id itself.
pub(crate) fn parted(
    before: &[(Place, Half)],
    is_removed: impl Fn(Place) -> bool,
    inserted: Option<(&[Place], Half)>,
) -> Option<(Place, Half)> {
    let stands_in = |half| inserted.is_some_and(|(_, inserted_half)| inserted_half == half);
    let paired = Pairs::of(before.iter().copied());
    for (call, result) in paired.pairs {
        match (is_removed(call), is_removed(result)) {
            (true, false) if !stands_in(Half::Call) => return Some((result, Half::Result)),
            (false, true) if !stands_in(Half::Result) => return Some((call, Half::Call)),
            _ => {}
        }
    }
    let kept = before.iter().copied().filter(|(place, _)| !is_removed(*place));
    let mut after: Vec<_> = kept.collect();
    let mut replaces_alone = false;
    let mut standing: &[Place] = &[];
    if let Some((places, half)) = inserted {
        standing = places;
        after.extend(places.iter().map(|place| (*place, half)));
        after.sort_unstable();
        let lone = |(place, lone_half): &(Place, Half)| {
            *lone_half == half && is_removed(*place) && paired.alone.contains(place)
        };
        replaces_alone = before.iter().any(lone);
    }
    let half_at = |place| after.iter().find(|(at, _)| *at == place).map(|(_, half)| (place, *half));
    Pairs::of(after.iter().copied()).alone.into_iter().find_map(|place| {
        let was_alone = if standing.contains(&place) {
            replaces_alone && standing.len() == 1
        } else {
            paired.alone.contains(&place)
        };
        if was_alone { None } else { half_at(place) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Half::{Call, Result};

    #[test]
    fn a_pair_goes_whole_or_not_at_all() {
        let before = [(1, Call), (3, Result)];
        assert_eq!(parted(&before, |place| place == 1, None), Some((3, Result)));
        assert_eq!(parted(&before, |place| place == 3, None), Some((1, Call)));
        assert_eq!(parted(&before, |_| true, None), None);
        assert_eq!(parted(&before, |_| false, None), None);
    }

    #[test]
    fn one_half_of_the_same_id_stands_in_for_its_like_alone() {
        let before = [(1, Call), (3, Result)];
        assert_eq!(parted(&before, |place| place == 3, Some((&[3], Result))), None);
        assert_eq!(parted(&before, |place| place == 1, Some((&[1], Call))), None);
        assert_eq!(parted(&before, |_| true, Some((&[1], Result))), Some((1, Result)));
        // A second result has no call; a result before its call has none either.
        assert_eq!(parted(&before, |_| false, Some((&[5], Result))), Some((5, Result)));
        assert_eq!(parted(&before, |place| place == 3, Some((&[0], Result))), Some((0, Result)));
    }

    #[test]
    fn what_was_alone_may_stay_alone_or_go() {
        let orphan = [(3, Result)];
        assert_eq!(parted(&orphan, |_| true, Some((&[3], Result))), None);
        assert_eq!(parted(&orphan, |_| true, None), None);
        assert_eq!(parted(&[], |_| false, Some((&[3], Result))), Some((3, Result)));
        // Used again, an id pairs each result with the call before it.
        let again = [(1, Call), (2, Call), (3, Result)];
        assert_eq!(parted(&again, |place| place == 1, None), None);
        assert_eq!(parted(&again, |place| place == 2, None), Some((3, Result)));
    }
}
