//! Groups of values, in the order of their first occurrence.

use model::{Caveat, CompactSort};
pub(crate) use model::{distinct, grouped};

/// Groups doubts with the same statement about several steps, the most severe first; those of equal severity keep their
/// order.
pub(crate) fn grouped_doubts(caveats: &[Caveat]) -> Vec<Vec<&Caveat>> {
    let keyed = caveats.iter().map(|caveat| ((caveat.severity, &caveat.id, &caveat.statement), caveat));
    let mut groups = grouped(keyed);
    groups.compact_sort_by_key(|((severity, ..), _)| std::cmp::Reverse(*severity));
    groups.into_iter().map(|(_, group)| group).collect()
}
