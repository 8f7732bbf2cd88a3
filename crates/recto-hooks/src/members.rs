//! The members of a JSON object as they stand: names read, values raw, in their order.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;

/// A value: the very bytes of the source, or others in their place.
#[derive(Debug)]
pub(crate) enum Value<'a> {
    Raw(&'a RawValue),
    New(Box<RawValue>),
}

/// An object's members in their order, doubled names too.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Members<'a> {
    pub(crate) fn parse(raw: &'a RawValue) -> Result<Self, serde_json::Error> {
        serde_json::from_str(raw.get())
    }

    /// The source's value of a name; of several the last, as JSON readers do.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find_map(|(own, value)| match value {
            Value::Raw(raw) if own == name => Some(*raw),
            _ => None,
        })
    }

    /// The string that a name has, if it is one.
    pub(crate) fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).and_then(string)
    }

    /// The files that a call's arguments name.
    pub(crate) fn paths(&self) -> Vec<Cow<'a, str>> {
        const NAMES: [&str; 8] = [
            "file_path",
            "filePath",
            "notebook_path",
            "absolute_path",
            "relative_path",
            "path",
            "file",
            "uri",
        ];
        let one = NAMES.iter().filter_map(|name| self.string(name));
        let several = ["paths", "files"]
            .iter()
            .filter_map(|name| serde_json::from_str::<Vec<Cow<'a, str>>>(self.raw(name)?.get()).ok())
            .flatten();
        one.chain(several).collect()
    }

    /// Whether a name has this very JSON as its value.
    pub(crate) fn is(&self, name: &str, json: &str) -> bool {
        self.raw(name).is_some_and(|raw| raw.get() == json)
    }

    /// Puts another value in the place of a name's, where it has one.
    pub(crate) fn set(&mut self, name: &str, value: Box<RawValue>) {
        if let Some((_, own)) = self.0.iter_mut().rev().find(|(own, _)| own == name) {
            *own = Value::New(value);
        }
    }

    /// Takes a name out.
    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name);
    }
}

/// A JSON string's text; `None` for other values.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    /// Borrows where nothing is escaped, which a plain `Cow` does not.
    #[derive(Deserialize)]
    struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Borrowed<'_>>(raw.get()).ok().map(|borrowed| borrowed.0)
}

/// Whether a value is a string, be it one that is no text: half a character (a lone surrogate) has none.
pub(crate) fn is_string(raw: &RawValue) -> bool {
    raw.get().starts_with('"')
}

/// JSON of a value that cannot fail to have one.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::value::to_raw_value(value)
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                    members.push((name, Value::Raw(value)));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            match value {
                Value::Raw(raw) => map.serialize_entry(name, raw)?,
                Value::New(raw) => map.serialize_entry(name, raw)?,
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_replaced_stays_byte_for_byte() {
        let text = r#"{"a":1.0e+02,"b":"x","c":{"d" : [1,  2]},"b":"y","n":123456789012345678901234567890}"#;
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        let mut members = Members::parse(raw).unwrap();
        assert_eq!(serde_json::to_string(&members).unwrap(), text);
        assert_eq!(members.string("b").unwrap(), "y");
        members.set("b", json("z").unwrap());
        members.remove("c");
        assert_eq!(
            serde_json::to_string(&members).unwrap(),
            r#"{"a":1.0e+02,"b":"x","b":"z","n":123456789012345678901234567890}"#
        );
    }
}
