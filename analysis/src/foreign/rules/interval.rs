//! Files that cover no interval (B28).

use crate::foreign::case::Case;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignTest, Quantity, Way};
use model::judged::SourceLine;
use model::{CompactSort, Sentence, Severity};

pub(super) const RULES: &[Rule] =
    &[rule("B28-no-interval", Severity::Note, |case| case.files.iter().filter_map(|f| no_interval(case, f)).collect())];

/// Maximum number of devices reported for one such file.
const MOST: usize = 6;

/// Finds files with figures of devices but none of a load or an interval: a single report of a tool that begins with
/// the time since the machine started, or a trace as a whole.
fn no_interval(case: &Case, file: &ForeignFile) -> Option<RuleMatch> {
    let has_devices = file.tests.is_empty() && !file.disks.is_empty();
    if !has_devices || file.series.iter().any(|s| !s.points.is_empty()) {
        return None;
    }
    let n = file.disks.len();
    let what = match file.format.as_str() {
        "btt" => sentence!("saw-whole-trace", n),
        "zpool-iostat" => sentence!("saw-since-import", n),
        _ => sentence!("saw-no-interval", n),
    };
    let mut one = RuleMatch::about(case.called(file), what);
    for disk in busiest(file) {
        let lines: Vec<Sentence> = disk.values.iter().map(|v| Sentence::from(v.words.as_str())).collect();
        let words = Sentence::join(lines, ", ");
        if !words.is_empty() {
            one = one.with(sentence!("saw-of", subject = &disk.name, what = words));
        }
        let first = disk.values.first().map_or(disk.line, |v| v.line);
        one = one.lines([SourceLine::new(&file.source, first, disk.name.as_str())]);
    }
    Some(one)
}

/// Returns the busiest devices, in the order of the file.
fn busiest(file: &ForeignFile) -> Vec<&ForeignTest> {
    let moved = |disk: &ForeignTest| -> f64 {
        let bandwidths =
            |way: Way| disk.values.iter().filter(move |v| v.way == way && matches!(v.of, Quantity::Bandwidth(_)));
        [Way::Read, Way::Write, Way::All].into_iter().flat_map(bandwidths).filter_map(|v| v.value).sum()
    };
    let mut order: Vec<usize> = (0..file.disks.len()).collect();
    order.compact_sort_by(|a, b| moved(&file.disks[*b]).total_cmp(&moved(&file.disks[*a])));
    order.truncate(MOST);
    order.sort_unstable();
    order.into_iter().map(|i| &file.disks[i]).collect()
}
