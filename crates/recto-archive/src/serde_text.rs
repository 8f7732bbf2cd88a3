//! Digests, scopes, refs and names of logs as the strings they print.

use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};

use crate::{Digest, LogId, Ref, Scope};

macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

as_text!(Digest, LogId, Ref, Scope);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_their_text() {
        let name = Ref::for_original(&Digest::of(b"a"));
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(json, format!("{:?}", name.to_string()));
        assert_eq!(serde_json::from_str::<Ref>(&json).unwrap(), name);
        assert!(serde_json::from_str::<Digest>("\"ab\"").is_err());
        assert_eq!(serde_json::from_str::<Scope>("\"local\"").unwrap(), Scope::local());
        assert_eq!(serde_json::to_string(&LogId::new("a/1").unwrap()).unwrap(), "\"a/1\"");
        assert!(serde_json::from_str::<LogId>("\"a b\"").is_err());
    }
}
