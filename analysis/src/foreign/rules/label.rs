//! Names against contents (B03), and the same test run twice (B27).
//!
//! A file's or job's name says parameters in the words people use: `write-2`, `randread-4k-qd32`, `read-1-4`. What a bare number
//! means is asked of the other files: where it is the number of jobs in most of a family, it is meant to be in all.

use crate::foreign::case::{Case, Test, base};
use crate::foreign::rule::{Rule, Seen};
use crate::foreign::say;
use model::{Bytes, RuleText, Severity, SourceLine};
use std::collections::BTreeMap;

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: RuleText {
            id: "B03-label",
            severity: Severity::Invalid,
            title: "the name says other parameters than the content",
            explanation: "Tables are made of file names, and a copied command line keeps its old option: a file called write-2 \
                that holds one job makes a row that claims two. Block sizes, depths, jobs and directions in the names of files \
                and jobs are held against what the file says was run. A number without a word is taken for what it is in the \
                other files of the same naming; alone it must at least be one of jobs, depth and their product. Numbers that \
                only count repeats (1, 2, 3 with equal parameters) are left alone.",
            remedy: "believe the content; rename the file, or run what the name says",
        },
        look: labels,
    },
    Rule {
        text: RuleText {
            id: "B27-spread",
            severity: Severity::Note,
            title: "the same test came out differently: smaller differences are no effect",
            explanation: "Results with equal parameters tell how far chance, time of day and neighbours move a figure. What \
                differs by less between other rows is not shown to be different.",
            remedy: "repeat in turn (secchi ab), and compare with intervals (secchi compare)",
        },
        look: spread,
    },
];

/// What a name says.
#[derive(Debug, Default, PartialEq)]
struct Said {
    /// Numbers behind a word of what is done: `write-2`, `read-1-4`.
    numbers: Vec<u32>,
    depth: Option<u32>,
    jobs: Option<u32>,
    block: Option<u64>,
    rw: Option<&'static str>,
}

/// Words for what is done, and fio's word. `read` is said of random reads, too: only directions are held against the content.
const DOES: &[(&str, &str)] = &[
    ("randread", "randread"),
    ("rndread", "randread"),
    ("randwrite", "randwrite"),
    ("rndwrite", "randwrite"),
    ("randrw", "randrw"),
    ("read", "read"),
    ("write", "write"),
    ("rw", "rw"),
];
const DEPTH: &[&str] = &["iodepth", "depth", "qd", "q"];
const JOBS: &[&str] = &["numjobs", "jobs", "threads", "procs", "processes", "j", "t"];
const BLOCK: &[&str] = &["bs", "block", "blocksize"];

fn said(name: &str) -> Said {
    let mut said = Said::default();
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let mut counting = false;
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        at += 1;
        if let Some((_, rw)) = DOES.iter().find(|(w, _)| *w == word) {
            said.rw = Some(rw);
            counting = true;
            continue;
        }
        let cut = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (letters, mut digits) = word.split_at(cut);
        let known = |list: &[&str]| list.contains(&letters);
        if digits.is_empty() && (known(DEPTH) || known(JOBS) || known(BLOCK)) && letters.len() > 1 {
            // `iodepth-32`
            digits = words.get(at).copied().filter(|w| w.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("");
            at += usize::from(!digits.is_empty());
        }
        if let Some(block) = block_size(digits).filter(|_| letters.is_empty() || known(BLOCK)) {
            said.block = Some(block);
        } else if let Ok(number) = digits.parse::<u32>() {
            match letters {
                "" if counting && number <= 4096 && said.numbers.len() < 2 => said.numbers.push(number),
                _ if known(DEPTH) => said.depth = Some(number),
                _ if known(JOBS) => said.jobs = Some(number),
                _ => counting = false,
            }
        } else {
            counting = false;
        }
    }
    said
}

/// `8k`, `1m`, `128kib`: a size needs its unit to be one.
fn block_size(digits: &str) -> Option<u64> {
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = digits.split_at(end);
    let factor = match unit {
        "k" | "kb" | "kib" => 1024,
        "m" | "mb" | "mib" => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|b| *b <= 64 << 20)
}

/// What a bare number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Jobs,
    Depth,
}

impl Meaning {
    fn of(self, test: &Test) -> Option<u32> {
        match self {
            Meaning::Jobs => test.asked().jobs,
            Meaning::Depth => test.asked().depth,
        }
    }
}

/// Its name with the numbers left out that stand behind what is done: files of one naming, of one volume (`gp2-read-`).
fn family(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let does = DOES.iter().filter_map(|(word, _)| lower.find(word)).min().unwrap_or(0);
    let digits = |(i, c): &(usize, char)| *i < does || !c.is_ascii_digit();
    name.char_indices().filter(digits).map(|(_, c)| c).collect()
}

/// A name that says something, and the test it is of.
struct Label<'a, 'b> {
    name: &'b str,
    /// The file's, not the job's.
    of_file: bool,
    said: Said,
    test: &'a Test<'b>,
}

fn all_labels<'a, 'b>(case: &'a Case<'b>) -> Vec<Label<'a, 'b>> {
    let mut labels = Vec::new();
    for test in case.of_fio() {
        // The name of a file with many jobs is of none of them.
        if test.file.tests.len() == 1 {
            let name = stem(base(&test.file.source));
            labels.push(Label { name, of_file: true, said: said(name), test });
        }
        let name = test.test.name.as_str();
        if !(labels.last().is_some_and(|l| l.of_file && l.name == name)) {
            labels.push(Label { name, of_file: false, said: said(name), test });
        }
    }
    labels
}

fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && end.len() <= 5 && !end.contains(|c: char| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

fn labels(case: &Case) -> Vec<Seen> {
    let labels = all_labels(case);
    let mut families: BTreeMap<(bool, String), Vec<&Label>> = BTreeMap::new();
    for label in &labels {
        families.entry((label.of_file, family(label.name))).or_default().push(label);
    }
    let mut seen: Vec<Seen> = Vec::new();
    for label in &labels {
        let kin = &families[&(label.of_file, family(label.name))];
        let wrong = wrong(label, kin);
        if wrong.is_empty() || seen.iter().any(|s| s.rows.contains(&label.test.index)) {
            continue;
        }
        let what = if label.of_file { "file name" } else { "job name" };
        let (is, says): (Vec<String>, Vec<String>) = wrong.into_iter().unzip();
        let mut one = Seen::of(label.test, format!("{}, {what} says {}", say::list(&is), say::list(&says)));
        let twins: Vec<String> = case
            .of_fio()
            .filter(|t| t.index != label.test.index && same_plan(t, label.test) && t.title() != label.test.title())
            .filter(|t| family(&t.title()) == family(&label.test.title()))
            .map(Test::title)
            .collect();
        if !twins.is_empty() {
            one = one.with(format!("it ran the same as {}", say::list(&twins)));
        }
        let head =
            SourceLine { source: label.test.file.source.clone(), line: label.test.test.line, words: echo(label.test) };
        seen.push(one.lines([head]));
    }
    seen
}

/// Parameters as the content has them.
fn echo(test: &Test) -> String {
    let asked = test.asked();
    let mut words = vec![format!("rw={}", test.rw())];
    words.extend(asked.jobs.map(|n| format!("jobs={n}")));
    words.extend(asked.depth.map(|n| format!("iodepth={n}")));
    words.extend(test.one_block().map(|b| format!("bs={}", Bytes(b).short())));
    words.join(" ")
}

/// What is (`numjobs 1`) and what the name says instead (`2`).
fn wrong(label: &Label, kin: &[&Label]) -> Vec<(String, String)> {
    let (said, asked) = (&label.said, label.test.asked());
    let mut wrong = Vec::new();
    let mut hold = |what: &str, is: Option<u32>, says: Option<u32>| {
        if let (Some(is), Some(says)) = (is, says)
            && is != says
        {
            wrong.push((format!("{what} {is}"), says.to_string()));
        }
    };
    hold("iodepth", asked.depth, said.depth);
    hold("numjobs", asked.jobs, said.jobs);
    match said.numbers.as_slice() {
        [number] => match meaning(kin) {
            Some(Meaning::Jobs) => hold("numjobs", asked.jobs, Some(*number)),
            Some(Meaning::Depth) => hold("iodepth", asked.depth, Some(*number)),
            None if repeats(kin) => {}
            None => {
                let (jobs, depth) = (asked.jobs.unwrap_or(1), asked.depth.unwrap_or(1));
                let fits = [jobs, depth, jobs.saturating_mul(depth)].contains(number);
                if !fits && *number > 0 {
                    wrong.push((format!("numjobs {jobs}, iodepth {depth}"), number.to_string()));
                }
            }
        },
        [a, b] => {
            if let (Some(jobs), Some(depth)) = (asked.jobs, asked.depth) {
                let fits = (*a, *b) == (jobs, depth) || (*a, *b) == (depth, jobs);
                if !fits && !repeats(kin) {
                    wrong.push((format!("numjobs {jobs}, iodepth {depth}"), format!("{a} and {b}")));
                }
            }
        }
        _ => {}
    }
    if let (Some(is), Some(says)) = (label.test.one_block(), said.block)
        && is != says
    {
        wrong.push((format!("bs {}", Bytes(is).short()), Bytes(says).short()));
    }
    let (reads, writes) = (label.test.side(model::Way::Read).is_some(), label.test.writes());
    let only = |word: &str| said.rw.is_some_and(|rw| rw.trim_start_matches("rand") == word);
    let random = |rw: &str| rw.starts_with("rand");
    let contradicts = only("read") && writes && !reads
        || only("write") && reads && !writes
        || said.rw.is_some_and(random) && !label.test.rw().is_empty() && !random(label.test.rw());
    if contradicts {
        wrong.push((format!("rw {}", label.test.rw()), said.rw.unwrap_or_default().to_owned()));
    }
    wrong
}

/// What a number means in a family: what it is equal to in most of at least three files, and at two values or more.
fn meaning(kin: &[&Label]) -> Option<Meaning> {
    let numbered: Vec<(u32, &Test)> = kin
        .iter()
        .filter_map(|l| match l.said.numbers.as_slice() {
            [n] => Some((*n, l.test)),
            _ => None,
        })
        .collect();
    let fits = |meaning: Meaning| {
        let good: Vec<u32> = numbered.iter().filter(|(n, t)| meaning.of(t) == Some(*n)).map(|(n, _)| *n).collect();
        let varied = good.iter().any(|n| *n != good[0]);
        (varied && numbered.len() >= 3 && good.len() * 3 >= numbered.len() * 2).then_some(good.len())
    };
    match (fits(Meaning::Jobs), fits(Meaning::Depth)) {
        (None, None) => None,
        (jobs, depth) if jobs >= depth => Some(Meaning::Jobs),
        _ => Some(Meaning::Depth),
    }
}

/// Whether the numbers of a family count repeats: 1, 2, 3 with the same parameters throughout.
fn repeats(kin: &[&Label]) -> bool {
    let mut last: Vec<u32> = kin.iter().filter_map(|l| l.said.numbers.last().copied()).collect();
    last.sort_unstable();
    let same = kin.iter().all(|l| same_plan(l.test, kin[0].test));
    same && last.len() >= 3 && last.windows(2).all(|w| w[1] == w[0] + 1)
}

fn same_plan(a: &Test, b: &Test) -> bool {
    let (x, y) = (a.asked(), b.asked());
    (a.rw(), a.engine(), x.block, x.depth, x.jobs, x.direct) == (b.rw(), b.engine(), y.block, y.depth, y.jobs, y.direct)
}

fn spread(case: &Case) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    for test in case.of_fio() {
        if done.contains(&test.index) || test.rw().is_empty() || test.asked().depth.is_none() {
            continue;
        }
        // Of one naming, so that two volumes are not taken for repeats of one.
        let same: Vec<&Test> = case
            .of_fio()
            .filter(|t| same_plan(t, test) && family(&t.title()) == family(&test.title()) && t.rate().is_some())
            .collect();
        done.extend(same.iter().map(|t| t.index));
        let rates: Vec<f64> = same.iter().filter_map(|t| t.rate()).collect();
        let (low, high) = rates.iter().fold((f64::MAX, 0.0), |(l, h): (f64, f64), r| (l.min(*r), h.max(*r)));
        if rates.len() < 2 || high < 1.03 * low {
            continue;
        }
        let titles: Vec<String> = same.iter().map(|t| t.title()).collect();
        let mut one = Seen::about(
            say::list(&titles),
            format!(
                "{} to {}: {} apart with equal parameters",
                say::iops(low),
                say::iops(high),
                say::percent(high / low - 1.0)
            ),
        );
        for t in &same {
            one = one.lines([t.head(echo(t))]).rows([t.index]);
        }
        seen.push(one);
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_parameters_in_the_words_people_use() {
        let numbers = |name| said(name).numbers;
        assert_eq!(numbers("gp2-write-2"), [2]);
        assert_eq!(numbers("read-1-4"), [1, 4]);
        assert_eq!(numbers("fio-2.2.8-randread"), [0u32; 0]);
        assert_eq!(said("ibm-randrw-16K").block, Some(16384));
        assert_eq!(said("randread-4k-qd32-j8").depth, Some(32));
        assert_eq!(said("randread-4k-qd32-j8").jobs, Some(8));
        assert_eq!(said("randread-iodepth-16-numjobs-2").depth, Some(16));
        assert_eq!(said("randread-iodepth-16-numjobs-2").jobs, Some(2));
        assert_eq!(said("results 2024").numbers, [0u32; 0]);
        assert_eq!(said("gp2-rndwrite-8").rw, Some("randwrite"));
        assert_eq!(stem("fio-2.2.8-randrw.txt"), "fio-2.2.8-randrw");
        assert_eq!(stem("fio-2.2.8"), "fio-2.2.8");
    }
}
