//! The graph that a schema is read into: equal schemas are one node.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, BuildHasherDefault, Hash, Hasher},
};

use serde_json::Value;

/// The place of a node in its graph. A node's parts have smaller places than the node.
pub(super) type Id = u32;

/// The node that admits everything.
pub(super) const ANY: Id = 0;

/// A set of JSON types; the empty one says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const STRING: Self = Self(1);
    pub(super) const INTEGER: Self = Self(1 << 1);
    pub(super) const NUMBER: Self = Self(1 << 2);
    pub(super) const BOOLEAN: Self = Self(1 << 3);
    pub(super) const OBJECT: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const NULL: Self = Self(1 << 6);

    const NAMES: [(Self, &'static str); 7] = [
        (Self::STRING, "string"),
        (Self::INTEGER, "integer"),
        (Self::NUMBER, "number"),
        (Self::BOOLEAN, "boolean"),
        (Self::OBJECT, "object"),
        (Self::ARRAY, "array"),
        (Self::NULL, "null"),
    ];

    /// Reads the keyword `type`. A word that no draft knows makes it say nothing.
    pub(super) fn read(keyword: Option<&Value>) -> Self {
        let named = |word: &Value| {
            let word = word.as_str()?;
            Self::NAMES.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind)
        };
        match keyword {
            Some(word @ Value::String(_)) => named(word).unwrap_or_default(),
            Some(Value::Array(words)) => words
                .iter()
                .try_fold(Self::default(), |types, word| Some(types.or(named(word)?)))
                .unwrap_or_default(),
            _ => Self::default(),
        }
    }

    /// The type of a value: the narrower one of a number's two.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self::NUMBER,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn is_unsaid(self) -> bool {
        self.0 == 0
    }

    pub(super) fn or(self, other: Self) -> Self {
        let both = self.0 | other.0;
        // A number may be an integer.
        if both & Self::NUMBER.0 == 0 { Self(both) } else { Self(both & !Self::INTEGER.0) }
    }

    /// The types of both; none if they share none.
    pub(super) fn and(self, other: Self) -> Self {
        let wide = |types: Self| if types.has(Self::NUMBER) { types.0 | Self::INTEGER.0 } else { types.0 };
        let both = Self(wide(self) & wide(other));
        both.or(both)
    }

    pub(super) fn shares(self, other: Self) -> bool {
        !self.and(other).is_unsaid()
    }

    pub(super) fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }

    /// Whether a value of the type may be of these: where nothing is said, it may.
    pub(super) fn may_be(self, kind: Self) -> bool {
        self.is_unsaid() || self.shares(kind)
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().filter(move |(kind, _)| self.has(*kind)).map(|(_, name)| *name)
    }
}

/// What is kept of a schema. All that is said holds at once.
#[derive(Clone, Debug, Default, Eq)]
pub(super) struct Node<'a> {
    /// The number of the schema that this one refers to, which it is inside of. Nothing else is said then.
    pub(super) slot: Option<u32>,
    pub(super) types: Types,
    pub(super) values: Vec<&'a Value>,
    pub(super) properties: Vec<(&'a str, Id)>,
    pub(super) required: Vec<&'a str>,
    pub(super) items: Option<Id>,
    pub(super) prefix_items: Vec<Id>,
    pub(super) any_of: Vec<Id>,
    pub(super) all_of: Vec<Id>,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Names and values that are alike mostly stand in one place: then that is enough to know.
        let same_name = |one: &&str, other: &&str| std::ptr::eq(*one, *other) || one == other;
        let same_value = |one: &&Value, other: &&Value| std::ptr::eq(*one, *other) || one == other;
        let same_property =
            |one: &(&str, Id), other: &(&str, Id)| one.1 == other.1 && same_name(&one.0, &other.0);
        self.slot == other.slot
            && self.types == other.types
            && self.items == other.items
            && all_same(&self.properties, &other.properties, same_property)
            && all_same(&self.required, &other.required, same_name)
            && all_same(&self.values, &other.values, same_value)
            && all_same(&self.prefix_items, &other.prefix_items, Id::eq)
            && all_same(&self.any_of, &other.any_of, Id::eq)
            && all_same(&self.all_of, &other.all_of, Id::eq)
    }
}

/// One by one: most lists are empty, and comparing those as bytes takes some processors longer than all else here.
fn all_same<T>(one: &[T], other: &[T], mut is_same: impl FnMut(&T, &T) -> bool) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
}

impl Hash for Node<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.slot.hash(state);
        self.types.hash(state);
        self.values.hash(state);
        self.properties.hash(state);
        self.required.hash(state);
        self.items.hash(state);
        self.prefix_items.hash(state);
        self.any_of.hash(state);
        self.all_of.hash(state);
    }
}

impl Node<'_> {
    /// Whether it says only of which schemas one holds.
    pub(super) fn is_only_alternatives(&self) -> bool {
        !self.any_of.is_empty()
            && self.slot.is_none()
            && self.all_of.is_empty()
            && self.types.is_unsaid()
            && self.values.is_empty()
            && self.properties.is_empty()
            && self.required.is_empty()
            && self.items.is_none()
            && self.prefix_items.is_empty()
    }

    /// Whether it says only which types there may be.
    pub(super) fn is_only_types(&self) -> bool {
        self.values.is_empty() && self.is_scalar()
    }

    /// Whether it says only which types and values there may be.
    pub(super) fn is_scalar(&self) -> bool {
        self.is_plain()
            && self.properties.is_empty()
            && self.required.is_empty()
            && self.items.is_none()
            && self.prefix_items.is_empty()
    }

    /// Whether it is one alternative, said in one place.
    pub(super) fn is_plain(&self) -> bool {
        self.slot.is_none() && self.any_of.is_empty() && self.all_of.is_empty()
    }

    pub(super) fn children(&self) -> impl Iterator<Item = Id> {
        let lists = self.prefix_items.iter().chain(&self.any_of).chain(&self.all_of).copied();
        self.properties.iter().map(|(_, id)| *id).chain(self.items).chain(lists)
    }
}

/// How many nodes of one hash are compared with a new one.
const MAX_ALIKE: usize = 64;

/// A hash for places and short names: many times as quick as the one that nobody can guess.
#[derive(Default)]
struct Quick(u64);

impl Quick {
    fn mix(&mut self, word: u64) {
        // The odd number nearest to 2^64 divided by the golden ratio: multiplying by it spreads neighbours.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.mix(word.try_into().map_or(0, u64::from_le_bytes));
        }
        for byte in words.remainder() {
            self.mix(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// The nodes by their places, each once.
pub(super) struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    /// The newest node of each hash, and for each node the one before it of the same hash.
    newest: HashMap<u64, Id, BuildHasherDefault<Quick>>,
    before: Vec<Option<Id>>,
    hasher: BuildHasherDefault<Quick>,
    /// By their hashes: where names and values stand first.
    names: HashMap<u64, &'a str, BuildHasherDefault<Quick>>,
    values: HashMap<u64, &'a Value, BuildHasherDefault<Quick>>,
}

impl<'a> Graph<'a> {
    pub(super) fn new() -> Self {
        let mut graph = Self {
            nodes: Vec::new(),
            newest: HashMap::default(),
            before: Vec::new(),
            hasher: BuildHasherDefault::default(),
            names: HashMap::default(),
            values: HashMap::default(),
        };
        graph.add(Node::default());
        graph
    }

    /// Returns a name where it stands first, which is in reach: texts all over a document are slow to compare.
    pub(super) fn name(&mut self, name: &'a str) -> &'a str {
        let first = *self.names.entry(self.hasher.hash_one(name)).or_insert(name);
        if first == name { first } else { name }
    }

    /// Returns a text where it stands first, and other values as they are.
    pub(super) fn value(&mut self, value: &'a Value) -> &'a Value {
        let Value::String(text) = value else { return value };
        let first = *self.values.entry(self.hasher.hash_one(text)).or_insert(value);
        if first == value { first } else { value }
    }

    /// Returns the place of a node, which is added if there is no equal one.
    pub(super) fn add(&mut self, node: Node<'a>) -> Id {
        let hash = self.hasher.hash_one(&node);
        let mut place = self.newest.get(&hash).copied();
        // Where somebody has found many schemas of one hash, some are written twice: time is worth more than that.
        for _ in 0..MAX_ALIKE {
            let Some(id) = place else { break };
            if *self.get(id) == node {
                return id;
            }
            place = self.before.get(id as usize).copied().flatten();
        }
        let Ok(id) = Id::try_from(self.nodes.len()) else { return ANY };
        self.before.push(self.newest.insert(hash, id));
        self.nodes.push(node);
        id
    }

    pub(super) fn get(&self, id: Id) -> &Node<'a> {
        const NOTHING: &Node<'static> = &Node {
            slot: None,
            types: Types(0),
            values: Vec::new(),
            properties: Vec::new(),
            required: Vec::new(),
            items: None,
            prefix_items: Vec::new(),
            any_of: Vec::new(),
            all_of: Vec::new(),
        };
        self.nodes.get(id as usize).unwrap_or(NOTHING)
    }

    pub(super) fn nodes(&self) -> &[Node<'a>] {
        &self.nodes
    }
}
