//! In documents a length or count that is not given is 0, as it always was: for `#[serde(with = "zero_for_none")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<T: Copy + Default + Serialize, S: Serializer>(
    value: &Option<T>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.unwrap_or_default().serialize(to)
}

pub(super) fn deserialize<'de, T: Default + PartialEq + Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(none_if_zero)
}

/// A length or count that is not given where it is 0.
pub fn none_if_zero<T: Default + PartialEq>(value: T) -> Option<T> {
    Some(value).filter(|v| *v != T::default())
}
