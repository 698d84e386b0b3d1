//! Groups of values, in the order of their first occurrence.

use model::{Caveat, CompactSort};

/// Returns the values in the order of their first occurrence, each once.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    grouped(values.into_iter().map(|value| (value, ()))).into_iter().map(|(value, _)| value).collect()
}

/// Returns the values of each key, the keys in the order of their first occurrence.
pub(crate) fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// Groups doubts with the same statement about several steps, the most severe first; those of equal severity keep their
/// order.
pub(crate) fn grouped_doubts(caveats: &[Caveat]) -> Vec<Vec<&Caveat>> {
    let keyed = caveats.iter().map(|caveat| ((caveat.severity, &caveat.id, &caveat.statement), caveat));
    let mut groups = grouped(keyed);
    groups.compact_sort_by_key(|((severity, ..), _)| std::cmp::Reverse(*severity));
    groups.into_iter().map(|(_, group)| group).collect()
}
