//! Parameters in the names of files and jobs, as users write them: `write-2`, `randread-4k-qd32`, `read-1-4`.

use std::collections::BTreeMap;

/// Parameters found in a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// Numbers that follow a word for an operation, as in `write-2` and `read-1-4`: number of jobs, queue depth, or
    /// both.
    pub numbers: Vec<u32>,
    /// Queue depth: `qd32`, `iodepth-32`.
    pub depth: Option<u32>,
    /// Number of jobs: `j8`, `numjobs-8`.
    pub jobs: Option<u32>,
    /// Block size in bytes: `16K`, `bs8k`.
    pub block: Option<u64>,
    /// Operation, as a value of fio's `rw=`.
    pub rw: Option<&'static str>,
}

/// Words for an operation, each with fio's word for it. `read` may also mean random reads.
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

/// Words before which a number is not a parameter: `10k-iops`, `60s`, `70-percent`.
const OTHER: &[&str] = &[
    "iops", "ops", "files", "users", "clients", "s", "sec", "secs", "seconds", "min", "mins", "minutes", "h", "hours",
    "gb", "gib", "tb", "tib", "percent", "pct", "loops", "times", "runs", "volumes", "disks", "ssds", "nodes", "vms",
    "hosts",
];
const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Largest number without a unit that is a parameter; larger numbers are dates and counters.
const MOST: u32 = 4096;

/// A word of a name, and the character that follows it.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    behind: Option<char>,
}

/// Splits a name into words at every character that is neither a letter nor a digit.
fn words(name: &str) -> Vec<Word<'_>> {
    let mut list = Vec::new();
    let mut rest = name;
    while let Some(begin) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let from = &rest[begin..];
        let end = from.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(from.len());
        list.push(Word { text: &from[..end], behind: from[end..].chars().next() });
        rest = &from[end..];
    }
    list
}

fn number(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && number(text).is_some_and(|n| (1990..=2099).contains(&n))
}

fn is_month(text: &str) -> bool {
    number(text).is_some_and(|n| text.len() <= 2 && (1..=12).contains(&n)) || MONTHS.iter().any(|m| text.starts_with(m))
}

/// Returns `true` for a day, optionally with the hour that ISO 8601 appends: `12`, `12t15`.
fn is_day(text: &str) -> bool {
    let day = text.split('t').next().unwrap_or(text);
    day.len() <= 2 && number(day).is_some_and(|n| (1..=31).contains(&n))
}

/// Returns `true` for a date of eight digits: `20230812`.
fn is_whole_date(text: &str) -> bool {
    text.len() == 8 && text.is_ascii() && is_year(&text[..4]) && is_month(&text[4..6]) && is_day(&text[6..])
}

fn is_two_digits(text: &str, most: u32) -> bool {
    text.len() == 2 && number(text).is_some_and(|n| n <= most)
}

/// Marks the words that are never parameters: dates, times, percentages, versions, and numbers that belong to an
/// `OTHER` word.
fn apart(words: &[Word]) -> Vec<bool> {
    let text = |i: usize| words.get(i).map_or("", |w: &Word| w.text);
    let mut apart = vec![false; words.len()];
    let mut at = 0;
    while at < words.len() {
        let [a, b, c] = [text(at), text(at + 1), text(at + 2)];
        let is_date = is_year(a) && is_month(b) && is_day(c)
            || is_year(c) && (is_day(a) && is_month(b) || is_month(a) && is_day(b));
        let mut taken = match () {
            () if is_date => 3,
            () if is_whole_date(a) => 1,
            () if is_year(a) && is_month(b) => 2,
            () if is_year(a) => 1,
            () if is_two_digits(a, 23) && is_two_digits(b, 59) && is_two_digits(c, 59) => 3,
            () => 0,
        };
        if taken > 0 {
            // A time of day after a date: two or three numbers, or one of four or six digits.
            let rest = (at + taken..words.len()).take(3).take_while(|i| is_two_digits(text(*i), 59)).count();
            let whole = [4, 6].contains(&text(at + taken).len()) && number(text(at + taken)).is_some();
            taken += if whole {
                1
            } else if rest >= 2 {
                rest
            } else {
                0
            };
        } else if a.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
            let is_decimal = words[at].behind == Some('.') && digits(b);
            if is_decimal {
                taken =
                    (at..words.len()).take_while(|i| words[*i].behind == Some('.') && digits(text(i + 1))).count() + 1;
            } else if words[at].behind == Some('%') || OTHER.contains(&b) {
                taken = 1;
            }
        }
        apart[at..at + taken].fill(true);
        at += taken.max(1);
    }
    apart
}

/// Parses a name in which numbers follow their words: `iodepth-32`, `qd32`.
#[must_use]
pub fn named(name: &str) -> Named {
    read(&name.to_ascii_lowercase(), false)
}

/// Returns all possible interpretations of a name: with numbers after their words (`jobs-4`), and with numbers before
/// them (`4-jobs`).
#[must_use]
pub fn readings(name: &str) -> Vec<Named> {
    let lower = name.to_ascii_lowercase();
    let (behind, before) = (read(&lower, false), read(&lower, true));
    if behind == before { vec![behind] } else { vec![behind, before] }
}

/// Returns `true` for a parameter word whose number may be separate; after a single letter, the number must follow
/// directly.
fn is_parameter(word: &str) -> bool {
    word.len() > 1 && [DEPTH, JOBS, BLOCK].iter().any(|list| list.contains(&word))
}

fn read(lower: &str, before: bool) -> Named {
    let mut named = Named::default();
    let words = words(lower);
    let apart = apart(&words);
    let text = |i: usize| words.get(i).filter(|_| !apart[i]).map_or("", |w: &Word| w.text);
    let (mut counting, mut does) = (false, false);
    let mut at = 0;
    while at < words.len() {
        let word = text(at);
        at += 1;
        if let Some((_, rw)) = DOES.iter().find(|(w, _)| *w == word) {
            named.rw = Some(rw);
            (counting, does) = (true, true);
            continue;
        }
        let cut = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (mut letters, mut digits) = word.split_at(cut);
        let is_number = letters.is_empty() && number(digits).is_some();
        if before && is_number && is_parameter(text(at)) {
            // `32-iodepth`
            letters = text(at);
            at += 1;
        } else if !before && digits.is_empty() && is_parameter(letters) {
            // `iodepth-32`
            digits = Some(text(at)).filter(|w| w.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("");
            at += usize::from(!digits.is_empty());
        } else if letters.is_empty()
            && let Some(end) = digits.find(|c: char| !c.is_ascii_digit())
            && is_parameter(&digits[end..])
        {
            // `32qd`
            (digits, letters) = digits.split_at(end);
        }
        // Single letters may also be part of machine types and quarters: `t3.medium`, `q3`.
        let known = |list: &[&str]| list.contains(&letters) && (letters.len() > 1 || does);
        if let Some(block) = block_size(digits).filter(|_| letters.is_empty() || known(BLOCK)) {
            named.block = Some(block);
        } else if let Ok(number) = digits.parse::<u32>() {
            match letters {
                "" if counting && number <= MOST && named.numbers.len() < 2 => named.numbers.push(number),
                _ if known(DEPTH) => named.depth = Some(number),
                _ if known(JOBS) => named.jobs = Some(number),
                _ => counting = false,
            }
        } else {
            counting = false;
        }
    }
    named
}

/// Parses a block size with its unit, up to 64 MiB: `8k`, `1m`, `128kib`.
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

/// Returns the name without the digits that follow the start of the operation word. It is the same for all files of a
/// series (`gp2-read-`).
#[must_use]
pub fn naming(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let does = DOES.iter().filter_map(|(word, _)| lower.find(word)).min().unwrap_or(0);
    let kept = |(i, c): &(usize, char)| *i < does || !c.is_ascii_digit();
    name.char_indices().filter(kept).map(|(_, c)| c).collect()
}

/// Returns the last part of a path, with `/` or `\` as the separator.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|b| !b.is_empty()).unwrap_or(path)
}

/// Returns for each path the shortest suffix, in whole components, that is unique in the list: `gp2/read-1.txt` and
/// `gp3/read-1.txt`, but only `iostat.txt`.
#[must_use]
pub fn distinct_names<'a>(paths: impl IntoIterator<Item = &'a str>) -> BTreeMap<&'a str, &'a str> {
    let mut names: BTreeMap<&str, &str> = paths.into_iter().map(|path| (path, file_name(path))).collect();
    let mut parts = 1;
    loop {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        names.values().for_each(|name| *uses.entry(name).or_default() += 1);
        let mut is_longer = false;
        parts += 1;
        for (path, name) in names.iter_mut().filter(|(path, name)| uses[*name] > 1 && path != name) {
            let end = path.rmatch_indices(['/', '\\']).nth(parts - 1).map_or(*path, |(at, _)| &path[at + 1..]);
            (*name, is_longer) = (end, true);
        }
        if !is_longer {
            return names;
        }
    }
}

/// Returns a file's name without its extension: `fio-2.2.8-randrw` for `fio-2.2.8-randrw.txt`.
#[must_use]
pub fn file_stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && end.len() <= 5 && !end.contains(|c: char| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_are_distinct() {
        let paths = ["a/gp2/fio.txt", "a/gp3/fio.txt", "b/iostat.txt", "D:\\x\\log.csv"];
        let names: Vec<&str> = distinct_names(paths).into_values().collect();
        assert_eq!(names, ["log.csv", "gp2/fio.txt", "gp3/fio.txt", "iostat.txt"]);
        let deeper = distinct_names(["one/x/fio.txt", "two/x/fio.txt", "fio.txt", "//fio.txt"]);
        assert_eq!((deeper["fio.txt"], deeper["one/x/fio.txt"]), ("fio.txt", "one/x/fio.txt"));
        assert_eq!(distinct_names(["-", "x/", "/"]).len(), 3);
    }

    #[test]
    fn a_name_says_parameters_in_the_words_people_use() {
        let numbers = |name| named(name).numbers;
        assert_eq!(numbers("gp2-write-2"), [2]);
        assert_eq!(numbers("read-1-4"), [1, 4]);
        assert_eq!(numbers("fio-2.2.8-randread"), [0u32; 0]);
        assert_eq!(numbers("results 2024"), [0u32; 0]);
        assert_eq!(named("ibm-randrw-16K").block, Some(16384));
        let long = named("randread-4k-qd32-j8");
        assert_eq!((long.depth, long.jobs, long.block), (Some(32), Some(8), Some(4096)));
        let plot = named("randread-iodepth-16-numjobs-2");
        assert_eq!((plot.depth, plot.jobs), (Some(16), Some(2)));
        assert_eq!(named("gp2-rndwrite-8").rw, Some("randwrite"));
    }

    #[test]
    fn dates_percentages_versions_and_numbers_of_other_words_are_no_parameters() {
        for name in [
            "fio-2023-08-12",
            "randread-2023-08-12",
            "randread_20230812_153000",
            "read-2023-08-12T15-30-00",
            "write-12-08-2023",
            "write-12-aug-2023",
            "write-2024",
            "read-15-30-00",
            "write-95%",
            "read-99.9%",
            "write-70-percent",
            "read-fio-3.33",
            "read-2.2.8",
            "read-60s",
            "read-60-seconds",
            "write-8-files",
            "randread-10k-iops",
            "t3.medium-randread",
            "q3-write",
        ] {
            let named = named(name);
            let parameters = (named.numbers, named.depth, named.jobs, named.block);
            assert_eq!(parameters, (Vec::new(), None, None, None), "{name}");
        }
        assert_eq!(named("write-2-2023-08-12").numbers, [2]);
        assert_eq!(named("2023-08-12-write-2").numbers, [2]);
        assert_eq!(named("randread-95%-4k-qd32").depth, Some(32));
    }

    #[test]
    fn numbers_may_stand_before_their_words() {
        let both = |name| readings(name).into_iter().map(|n| (n.jobs, n.depth, n.numbers)).collect::<Vec<_>>();
        assert_eq!(both("read-4-jobs-32-iodepth")[1], (Some(4), Some(32), vec![]));
        assert_eq!(both("read-1-qd-32")[0], (None, Some(32), vec![1]));
        assert_eq!(both("randread-8jobs-32qd"), [(Some(8), Some(32), vec![])]);
        assert_eq!(readings("gp2-write-2").len(), 1);
    }

    #[test]
    fn endings_and_numbers_are_told_from_names() {
        assert_eq!(file_stem("fio-2.2.8-randrw.txt"), "fio-2.2.8-randrw");
        assert_eq!(file_stem("fio-2.2.8"), "fio-2.2.8");
        assert_eq!(file_name("D:\\fio\\read-1.txt"), "read-1.txt");
        assert_eq!((naming("gp2-read-1"), naming("run-2")), ("gp2-read-".into(), "run-".into()));
    }
}
