//! Enums whose variants are keys of a map, next to other keys.

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess};

/// Returns a deserializer of an externally tagged enum, for the next value of a map and its key, which is the name of
/// the variant. Nothing is buffered, because serde's buffer cannot hold the 128-bit sums of a histogram.
pub(crate) fn entry<'a, M>(key: &'a str, map: &'a mut M) -> MapAccessDeserializer<Entry<'a, M>> {
    MapAccessDeserializer::new(Entry { key: Some(key), map })
}

/// Entry of a map whose key was already read.
pub(crate) struct Entry<'a, M> {
    key: Option<&'a str>,
    map: &'a mut M,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for Entry<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, M::Error> {
        self.key.take().map(|key| seed.deserialize(key.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Replaces the alternatives in the schema of such an enum by optional keys.
#[cfg(feature = "schema")]
pub(crate) fn optional(schema: &mut schemars::Schema) {
    use serde_json::{Map, Value};
    let Some(Value::Array(variants)) = schema.remove("oneOf") else { return };
    let mut keys = Map::new();
    for variant in &variants {
        let Some(Value::Object(properties)) = variant.get("properties") else { continue };
        for (key, value) in properties {
            let mut value = value.clone();
            if let (Value::Object(value), Some(text)) = (&mut value, variant.get("description")) {
                value.insert("description".to_owned(), text.clone());
            }
            keys.insert(key.clone(), value);
        }
    }
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(keys));
}
