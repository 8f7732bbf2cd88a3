//! Objects whose keys are data: their members are records, as an array's elements are.

use std::collections::HashSet;

use recto_outline::{Hashed, hash};

use super::census::{Census, NONE, Node};

/// Fewer members than this are fields, whatever they look like.
const LEAST_KEYS: u32 = 3;

/// Records with more different keys than this among them are not alike.
const MOST_FIELDS: usize = 128;

/// The paths of the maps that hold no others.
pub(super) fn innermost(source: &[u8], census: &Census) -> Vec<u64> {
    let mut found = Vec::new();
    let mut holds_map = vec![false; census.nodes.len()];
    for (index, node) in census.nodes.iter().enumerate().rev() {
        let holds = holds_map.get(index).copied().unwrap_or_default();
        let is_map = !holds && is_map(source, census, index, node);
        if is_map {
            found.push(node.path);
        }
        if (holds || is_map)
            && let Some(mark) = holds_map.get_mut(node.parent as usize)
        {
            *mark = true;
        }
    }
    found
}

/// The paths of the maps that are in no other.
pub(super) fn outermost(source: &[u8], census: &Census) -> Vec<u64> {
    let mut found = Vec::new();
    let mut is_inside = vec![false; census.nodes.len()];
    for (index, node) in census.nodes.iter().enumerate() {
        let outer = usize::try_from(node.parent).ok().and_then(|parent| is_inside.get(parent)).copied();
        let is_outermost = !outer.unwrap_or_default();
        let is_map = is_outermost && is_map(source, census, index, node);
        if is_map {
            found.push(node.path);
        }
        if let Some(mark) = is_inside.get_mut(index) {
            *mark = is_map || !is_outermost;
        }
    }
    found
}

fn is_map(source: &[u8], census: &Census, index: usize, node: &Node) -> bool {
    let here = u32::try_from(index).unwrap_or(NONE);
    let is_element = census.node(node.parent).is_some_and(|parent| parent.element == here);
    if is_element || node.is_map || node.keys < LEAST_KEYS || node.element != NONE {
        return false;
    }
    let mut fields: HashSet<u64, Hashed> = HashSet::default();
    let (mut records, mut filled) = (0, 0);
    for place in census.members(here) {
        let Some(member) = census.node(place) else { continue };
        if member.objects.count == 0 || member.cells.count > 0 || member.lists.count > 0 || member.is_cut {
            return false;
        }
        records += member.objects.count;
        filled += u64::from(member.keys);
        let keys = census.members(place).filter_map(|key| census.node(key));
        fields.extend(keys.map(|key| hash(key.key.of(source))));
    }
    // The same keys in each of several objects are names of fields.
    let is_record = node.objects.count > 2 && records * 2 > u64::from(node.keys) * node.objects.count;
    let is_alike = filled * 2 >= u64::from(node.keys) * fields.len() as u64;
    !is_record && is_alike && fields.len() <= MOST_FIELDS
}
