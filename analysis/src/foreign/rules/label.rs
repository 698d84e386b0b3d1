//! Names that contradict contents (B03), and repeats of the same test that differ (B27).
//!
//! The name of a file or job often contains its parameters: `write-2`, `randread-4k-qd32`, `read-1-4`. The meaning of a
//! bare number follows from the other files: if it is the number of jobs in most files of a family, it is expected to
//! be so in all. A name agrees with the content if any of its readings does. Users name files freely, so file names
//! only raise doubts and never invalidate a row; a job's name is part of the plan.

use crate::foreign::case::{Case, Test, grouped_results};
use crate::foreign::format;
use crate::foreign::rule::{Rule, RuleMatch, rule};
use messages::sentence;
use model::text::{Named, file_name, file_stem, naming, readings};
use model::{Bytes, Sentence, Severity};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const RULES: &[Rule] =
    &[rule("B03-label", Severity::Invalid, labels), rule("B27-spread", Severity::Note, spread)];

/// Parameter that a bare number in a name represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Jobs,
    Depth,
}

impl Meaning {
    fn value_in(self, test: &Test) -> Option<u32> {
        match self {
            Meaning::Jobs => test.asked().jobs,
            Meaning::Depth => test.asked().depth,
        }
    }
}

/// A name that contains parameters, with the test it belongs to.
struct Label<'a, 'b> {
    name: &'b str,
    /// True if it is the name of the file, not of the job.
    of_file: bool,
    /// All readings of the name, the usual one first.
    said: Vec<Named>,
    test: &'a Test<'b>,
}

impl Label<'_, '_> {
    fn numbers(&self) -> &[u32] {
        self.said.first().map_or(&[], |said| &said.numbers)
    }
}

fn all_labels<'a, 'b>(case: &'a Case<'b>) -> Vec<Label<'a, 'b>> {
    let mut labels = Vec::new();
    for test in case.of_fio() {
        // The name of a file with many jobs describes none of them.
        if test.file.tests.len() == 1 {
            let name = file_stem(file_name(&test.file.source));
            labels.push(Label { name, of_file: true, said: readings(name), test });
        }
        let name = test.test.name.as_str();
        if !(labels.last().is_some_and(|l| l.of_file && l.name == name)) {
            labels.push(Label { name, of_file: false, said: readings(name), test });
        }
    }
    labels
}

/// Maximum number of other results of the same plan that are named.
const MOST_TWINS: usize = 8;

/// Common properties of the names of a family.
#[derive(Clone, Copy)]
struct Family {
    /// Meaning of a bare number.
    meaning: Option<Meaning>,
    /// True if the numbers count repeats.
    repeats: bool,
}

impl Family {
    fn new(kin: &[&Label]) -> Family {
        Family { meaning: meaning(kin), repeats: repeats(kin) }
    }
}

fn labels(case: &Case) -> Vec<RuleMatch> {
    let labels = all_labels(case);
    let mut families: BTreeMap<(bool, String), Vec<&Label>> = BTreeMap::new();
    for label in &labels {
        families.entry((label.of_file, naming(label.name))).or_default().push(label);
    }
    let families: BTreeMap<(bool, String), Family> =
        families.into_iter().map(|(key, kin)| (key, Family::new(&kin))).collect();
    let mut titles: BTreeMap<String, Vec<&Test>> = BTreeMap::new();
    case.of_fio().for_each(|t| titles.entry(naming(&t.title())).or_default().push(t));
    let mut seen: Vec<RuleMatch> = Vec::new();
    let mut rows: BTreeSet<usize> = BTreeSet::new();
    for label in &labels {
        let family = families[&(label.of_file, naming(label.name))];
        let wrong = wrong(label, family);
        if wrong.is_empty() || !rows.insert(label.test.index) {
            continue;
        }
        let (is, says): (Vec<Sentence>, Vec<Sentence>) = wrong.into_iter().unzip();
        let (is, says) = (format::list(&is), format::list(&says));
        let what = match label.of_file {
            true => sentence!("saw-file-name-says", is, says),
            false => sentence!("saw-job-name-says", is, says),
        };
        let mut one = RuleMatch::about_test(label.test, what);
        if label.of_file {
            one = one.weighing(Severity::Doubt);
        }
        let title = label.test.title();
        let twins: Vec<String> = titles[&naming(&title)]
            .iter()
            .filter(|t| t.index != label.test.index && same_plan(t, label.test) && t.title() != title)
            .map(|t| t.title())
            .take(MOST_TWINS)
            .collect();
        if !twins.is_empty() {
            one = one.with(sentence!("saw-ran-the-same", twins = format::titles(&twins)));
        }
        seen.push(one.lines([label.test.head(echo(label.test))]));
    }
    seen
}

/// Formats the parameters that the content contains.
fn echo(test: &Test) -> String {
    let asked = test.asked();
    let mut words = vec![format!("rw={}", test.rw())];
    words.extend(asked.jobs.map(|n| format!("jobs={n}")));
    words.extend(asked.depth.map(|n| format!("iodepth={n}")));
    words.extend(test.one_block().map(|b| format!("bs={}", Bytes(b).short())));
    words.join(" ")
}

/// Returns pairs of the actual parameter (`numjobs 1`) and the value in the name (`2`), if no reading of the name
/// agrees with the content.
fn wrong(label: &Label, family: Family) -> Vec<(Sentence, Sentence)> {
    let mut matches = label.said.iter().map(|said| wrong_as(said, label, family));
    let first = matches.next().unwrap_or_default();
    if matches.any(|wrong| wrong.is_empty()) { Vec::new() } else { first }
}

/// Allowed difference between the share of reads in a name and the actual one.
const SHARE: f64 = 0.02;

/// Returns `true` if one number is the share of either direction of a mix, in percent, or two numbers are the shares of
/// both.
fn is_mix(numbers: &[u32], test: &Test) -> bool {
    let reads = test.other_number("rwmixread").map(|p| p / 100.0).or_else(|| test.reads());
    let is_share = |n: u32, reads: f64| [reads, 1.0 - reads].iter().any(|s| (f64::from(n) / 100.0 - s).abs() <= SHARE);
    let mixed = test.side(model::foreign::Way::Read).is_some() && test.writes() || test.rw().ends_with("rw");
    match (numbers, reads) {
        ([one], Some(reads)) => mixed && is_share(*one, reads),
        ([a, b], _) => mixed && a + b == 100,
        _ => false,
    }
}

/// Returns `true` if a size is the size of the files, or a number of minutes (`5m`), rather than a block size.
fn is_other_size(says: u64, test: &Test) -> bool {
    let minutes = (says >> 20) as f64;
    let asked = test.asked();
    let lasts = [asked.seconds, test.seconds()].into_iter().flatten();
    asked.size == Some(Bytes(says)) || lasts.into_iter().any(|s| (s / 60.0 - minutes).abs() <= 0.1 * minutes)
}

fn wrong_as(said: &Named, label: &Label, family: Family) -> Vec<(Sentence, Sentence)> {
    let asked = label.test.asked();
    let mut wrong = Vec::new();
    let mut hold = |what: &str, is: Option<u32>, says: Option<u32>| {
        if let (Some(is), Some(says)) = (is, says)
            && is != says
        {
            wrong.push((format!("{what} {is}").into(), says.to_string().into()));
        }
    };
    hold("iodepth", asked.depth, said.depth);
    hold("numjobs", asked.jobs, said.jobs);
    match said.numbers.as_slice() {
        numbers if is_mix(numbers, label.test) => {}
        [number] => match family.meaning {
            Some(Meaning::Jobs) => hold("numjobs", asked.jobs, Some(*number)),
            Some(Meaning::Depth) => hold("iodepth", asked.depth, Some(*number)),
            None if family.repeats => {}
            // If the line with the depth is missing, a number may be the depth.
            None if asked.depth.is_none() || asked.jobs.is_none() => {}
            None => {
                let (jobs, depth) = (asked.jobs.unwrap_or(1), asked.depth.unwrap_or(1));
                let fits = [jobs, depth, jobs.saturating_mul(depth)].contains(number);
                if !fits && *number > 0 {
                    wrong.push((format!("numjobs {jobs}, iodepth {depth}").into(), number.to_string().into()));
                }
            }
        },
        [a, b] => {
            if let (Some(jobs), Some(depth)) = (asked.jobs, asked.depth) {
                let fits = (*a, *b) == (jobs, depth) || (*a, *b) == (depth, jobs);
                if !fits && !family.repeats {
                    let says = format::list(&[a, b].map(u32::to_string));
                    wrong.push((format!("numjobs {jobs}, iodepth {depth}").into(), says));
                }
            }
        }
        _ => {}
    }
    if let (Some(is), Some(says)) = (label.test.one_block(), said.block)
        && is != says
        && !is_other_size(says, label.test)
    {
        wrong.push((format!("bs {}", Bytes(is).short()).into(), Bytes(says).short().into()));
    }
    let (reads, writes) = (label.test.side(model::foreign::Way::Read).is_some(), label.test.writes());
    let only = |word: &str| said.rw.is_some_and(|rw| rw.trim_start_matches("rand") == word);
    let random = |rw: &str| rw.starts_with("rand");
    let contradicts = only("read") && writes && !reads
        || only("write") && reads && !writes
        || said.rw.is_some_and(random) && !label.test.rw().is_empty() && !random(label.test.rw());
    if contradicts {
        wrong.push((format!("rw {}", label.test.rw()).into(), said.rw.unwrap_or_default().into()));
    }
    wrong
}

/// Returns the meaning of a number in a family: the parameter that it equals in at least two thirds of at least three
/// files, with at least two different values.
fn meaning(kin: &[&Label]) -> Option<Meaning> {
    let numbered: Vec<(u32, &Test)> = kin
        .iter()
        .filter_map(|l| match l.numbers() {
            [n] => Some((*n, l.test)),
            _ => None,
        })
        .collect();
    let fits = |meaning: Meaning| {
        let good: Vec<u32> =
            numbered.iter().filter(|(n, t)| meaning.value_in(t) == Some(*n)).map(|(n, _)| *n).collect();
        let varied = good.iter().any(|n| *n != good[0]);
        (varied && numbered.len() >= 3 && good.len() * 3 >= numbered.len() * 2).then_some(good.len())
    };
    match (fits(Meaning::Jobs), fits(Meaning::Depth)) {
        (None, None) => None,
        (jobs, depth) if jobs >= depth => Some(Meaning::Jobs),
        _ => Some(Meaning::Depth),
    }
}

/// Returns `true` if the numbers of a family count repeats: 1, 2, 3 with the same parameters throughout.
fn repeats(kin: &[&Label]) -> bool {
    let mut last: Vec<u32> = kin.iter().filter_map(|l| l.numbers().last().copied()).collect();
    last.sort_unstable();
    let same = kin.iter().all(|l| same_plan(l.test, kin[0].test));
    same && last.len() >= 3 && last.windows(2).all(|w| w[1] == w[0] + 1)
}

fn same_plan(a: &Test, b: &Test) -> bool {
    let (x, y) = (a.asked(), b.asked());
    (a.rw(), a.engine(), x.block, x.depth, x.jobs, x.direct) == (b.rw(), b.engine(), y.block, y.depth, y.jobs, y.direct)
}

/// Words after which a number identifies a machine.
const MACHINES: [&str; 10] = ["host", "node", "server", "client", "vm", "machine", "worker", "nodo", "srv", "instance"];

/// Returns a result's title without the numbers of its parameters and repeats, but with its directory and the numbers
/// of machines.
fn machine_naming(test: &Test) -> String {
    let (directory, name) = test.file.source.rsplit_once(['/', '\\']).unwrap_or(("", &test.file.source));
    let lowered = name.to_ascii_lowercase();
    let lower = lowered.as_str();
    let numbered =
        MACHINES.iter().flat_map(|word| lower.match_indices(word).map(move |(at, _)| &lower[at + word.len()..]));
    let numbers: Vec<String> = numbered
        .map(|rest| rest.trim_start_matches(['-', '_']))
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect())
        .collect();
    format!("{directory}/{} {}", naming(&test.title()), numbers.join(","))
}

fn spread(case: &Case) -> Vec<RuleMatch> {
    let mut seen = Vec::new();
    // The key includes naming, directory, machine and version, so that two volumes or machines do not count as repeats
    // of one test.
    let key = |t: &Test| {
        let asked = t.asked();
        let plan = (t.rw().to_owned(), t.engine().to_owned(), asked.block, asked.depth, asked.jobs, asked.direct);
        let disks: Vec<&str> = t.file.disks.iter().map(|d| d.name.as_str()).collect();
        let host = t.other("hostname").or_else(|| t.other("host")).map(str::to_owned);
        (plan, machine_naming(t), host, t.file.tool.clone(), disks.join(" "))
    };
    let is_told = |t: &&Test| !t.rw().is_empty() && t.asked().depth.is_some() && t.rate().is_some();
    for same in grouped_results(case.of_fio().filter(is_told), key) {
        let rates: Vec<f64> = same.iter().filter_map(|t| t.rate()).collect();
        let (low, high) = rates.iter().fold((f64::MAX, 0.0), |(l, h): (f64, f64), r| (l.min(*r), h.max(*r)));
        if rates.len() < 2 || high < 1.03 * low {
            continue;
        }
        let titles: Vec<String> = same.iter().map(|t| t.title()).collect();
        let mut one = RuleMatch::about(
            format::titles(&titles),
            sentence!(
                "saw-spread",
                low = format::iops(low),
                high = format::iops(high),
                apart = format::percent(high / low - 1.0)
            ),
        );
        for t in &same {
            one = one.lines([t.head(echo(t))]).rows([t.index]);
        }
        seen.push(one);
    }
    seen
}
