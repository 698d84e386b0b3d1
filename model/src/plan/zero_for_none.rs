//! Serialization for `#[serde(with = "zero_for_none")]`: an absent length or count is stored as 0.

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

/// Returns `None` if the value is 0.
pub fn none_if_zero<T: Default + PartialEq>(value: T) -> Option<T> {
    Some(value).filter(|v| *v != T::default())
}
