//! A request in the order in which a prompt cache reads it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Request;

/// Counts the bytes of `earlier`, in [cache order](Request::cache_order), that `later` begins with: all of them if the
/// conversation only grew.
pub fn unchanged_prefix(earlier: &Request, later: &Request) -> usize {
    let (earlier, later) = (earlier.cache_order(), later.cache_order());
    earlier.iter().zip(&later).take_while(|(one, other)| one == other).count()
}

/// The bytes in cache order: the values of the keys, lists an element a line.
///
/// Keys keep the order of the body. A content of one string is written as the text block it stands for: clients
/// change between both when they move a cache mark, and the model reads the same.
pub(super) fn of(body: &[u8], keys: &[&str]) -> Vec<u8> {
    let Ok(Ordered::Object(members)) = serde_json::from_slice(body) else { return Vec::new() };
    let mut bytes = Vec::new();
    for key in keys {
        let Some((_, value)) = members.iter().find(|(name, _)| name == key) else { continue };
        match value {
            Ordered::List(elements) => {
                for element in elements {
                    element.write(&mut bytes);
                    bytes.push(b'\n');
                }
            }
            Ordered::Text(_) => {
                value.write_as_block(&mut bytes);
                bytes.push(b'\n');
            }
            _ => {
                value.write(&mut bytes);
                bytes.push(b'\n');
            }
        }
    }
    bytes
}

/// JSON that keeps the order of keys, and keys that are there twice. Depth is limited by the parser.
enum Ordered {
    Object(Vec<(String, Ordered)>),
    List(Vec<Ordered>),
    Text(String),
    Plain(serde_json::Value),
}

impl Ordered {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Object(members) => {
                let holds_content = members.iter().any(|(key, _)| key == "role" || key == "tool_use_id");
                let mut separator = b'{';
                for (key, value) in members.iter().filter(|(key, _)| key != "cache_control") {
                    bytes.push(separator);
                    separator = b',';
                    write_text(key, bytes);
                    bytes.push(b':');
                    match value {
                        Self::Text(_) if holds_content && key == "content" => {
                            bytes.push(b'[');
                            value.write_as_block(bytes);
                            bytes.push(b']');
                        }
                        _ => value.write(bytes),
                    }
                }
                if separator == b'{' {
                    bytes.push(b'{');
                }
                bytes.push(b'}');
            }
            Self::List(elements) => {
                bytes.push(b'[');
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        bytes.push(b',');
                    }
                    element.write(bytes);
                }
                bytes.push(b']');
            }
            Self::Text(text) => write_text(text, bytes),
            Self::Plain(value) => bytes.extend_from_slice(value.to_string().as_bytes()),
        }
    }

    fn write_as_block(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(br#"{"type":"text","text":"#);
        self.write(bytes);
        bytes.push(b'}');
    }
}

fn write_text(text: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrderedVisitor)
    }
}

struct OrderedVisitor;

impl<'de> Visitor<'de> for OrderedVisitor {
    type Value = Ordered;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Plain(serde_json::Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Ordered, E> {
        Ok(Ordered::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Ordered, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = access.next_element()? {
            elements.push(element);
        }
        Ok(Ordered::List(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Ordered, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Ordered::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    const KEYS: [&str; 3] = ["tools", "system", "messages"];

    #[test]
    fn growth_keeps_the_prefix() {
        let before = of(br#"{"messages":[{"role":"user","content":"a"}],"tools":[{"name":"t"}]}"#, &KEYS);
        let after = of(br#"{"tools":[{"name":"t"}],"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}"#, &KEYS);
        assert_eq!(
            String::from_utf8_lossy(&before),
            "{\"name\":\"t\"}\n{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}\n"
        );
        assert!(after.starts_with(&before));
    }

    #[test]
    fn marks_are_no_content() {
        let plain = of(br#"{"system":"s","messages":[{"role":"user","content":"a"}]}"#, &KEYS);
        let marked = of(
            br#"{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],
                "messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}"#,
            &KEYS,
        );
        assert_eq!(plain, marked);
    }

    #[test]
    fn order_of_keys_and_other_values_are_content() {
        let one = of(br#"{"tools":[{"name":"t","x":1}]}"#, &KEYS);
        assert_ne!(one, of(br#"{"tools":[{"x":1,"name":"t"}]}"#, &KEYS));
        assert_ne!(one, of(br#"{"tools":[{"name":"t","x":1.0}]}"#, &KEYS));
        assert_eq!(one, of(br#"{ "tools": [ { "name": "t", "x": 1 } ], "model": "m" }"#, &KEYS));
        assert_eq!(of(b"no JSON", &KEYS), b"");
        assert_eq!(of(br#"{"tools":[{}]}"#, &KEYS), b"{}\n");
    }
}
