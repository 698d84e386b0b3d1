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
