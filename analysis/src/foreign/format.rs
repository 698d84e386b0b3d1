//! Formatting of figures and names for statements and evidence.

use messages::sentence;
use model::text::{distinct_names, file_name};
use model::{BytesPerSecond, Iops, Nanos, Sentence, foreign::ForeignFile};
use std::collections::BTreeMap;

/// Display names of files: the file name, or, if two files have the same name, as much of the path as distinguishes
/// them.
#[derive(Debug)]
pub(super) struct Names<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Names<'a> {
    pub fn new(files: &'a [ForeignFile]) -> Names<'a> {
        Names(distinct_names(files.iter().map(|f| f.source.as_str())))
    }

    pub fn name_of<'b>(&self, source: &'b str) -> &'b str
    where
        'a: 'b,
    {
        self.0.get(source).copied().unwrap_or_else(|| file_name(source))
    }
}

/// Returns a text such as `6,132 IOPS`.
pub(super) fn iops(rate: f64) -> String {
    format!("{} IOPS", Iops(rate))
}

/// Returns a text such as `93.75 MB/s`; small rates are in smaller units.
pub(super) fn rate(bytes: f64) -> String {
    match bytes {
        _ if !(0.0..1e5).contains(&bytes) => BytesPerSecond(bytes).to_string(),
        _ if bytes >= 1e3 => format!("{:.2} kB/s", bytes / 1e3),
        _ if bytes >= 1.0 || bytes == 0.0 => format!("{bytes:.0} B/s"),
        _ => format!("{bytes:.2} B/s"),
    }
}

/// Returns a text such as `1.30 ms`.
pub(super) fn time(seconds: f64) -> String {
    Nanos::from_secs_f64(seconds).to_string()
}

/// Returns a text such as `84.6 s`; without decimals from 100 s.
pub(super) fn seconds(s: f64) -> String {
    if s >= 100.0 { format!("{s:.0} s") } else { format!("{s:.1} s") }
}

/// Returns a text such as `0.207 s`; from ten seconds, the same as [`seconds`].
pub(super) fn short_time(s: f64) -> String {
    if s < 10.0 { format!("{s:.3} s") } else { seconds(s) }
}

/// Returns a text such as `-56.6 %` or `+2.4 %`.
pub(super) fn change(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// Returns a text such as `97 %`; with one decimal below 10.
pub(super) fn percent(share: f64) -> String {
    let p = share * 100.0;
    if p.abs() < 10.0 { format!("{p:.1} %") } else { format!("{p:.0} %") }
}

/// Returns a text such as `2.34 GB`, in decimal units like rates.
pub(super) fn bytes(b: f64) -> String {
    match b {
        _ if b >= 1e12 => format!("{:.2} TB", b / 1e12),
        _ if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        _ if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        _ if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        _ => format!("{b:.0} B"),
    }
}

/// Returns a text such as `a, b and c`.
pub(super) fn list<T: Clone + Into<Sentence>>(words: &[T]) -> Sentence {
    let mut words = words.iter().cloned().map(Into::into);
    let last = words.next_back();
    let listed = words.reduce(|all, next| sentence!("saw-list", all, next));
    match (listed, last) {
        (Some(listed), Some(last)) => sentence!("saw-list-last", all = listed, last),
        (_, one) => one.unwrap_or_default(),
    }
}

/// Returns the names of results and files, each once; jobs of one file follow its name: `a.txt: job1, job2; b.txt`.
pub(super) fn titles(names: &[String]) -> Sentence {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (file, job) = name.split_once(": ").unwrap_or((name, ""));
        let at = groups.iter().position(|(f, _)| *f == file).unwrap_or_else(|| {
            groups.push((file, Vec::new()));
            groups.len() - 1
        });
        if !job.is_empty() && !groups[at].1.contains(&job) {
            groups[at].1.push(job);
        }
    }
    let with_jobs = |(file, jobs): (&str, Vec<&str>)| match jobs.as_slice() {
        [] => Sentence::from(file),
        jobs => {
            let mut words: Vec<Sentence> = jobs.iter().take(MOST_JOBS).map(|j| Sentence::from(*j)).collect();
            if jobs.len() > MOST_JOBS {
                words.push(sentence!("saw-list-rest", rest = jobs.len() - MOST_JOBS));
            }
            sentence!("saw-of", subject = file, what = list(&words))
        }
    };
    let with_jobs: Vec<Sentence> = groups.into_iter().map(with_jobs).collect();
    list(&with_jobs)
}

/// Maximum number of jobs of one file that are named in a sentence.
const MOST_JOBS: usize = 4;

/// Joins several statements into one: `no processor time, no context switches`.
pub(super) fn enumerated(parts: impl IntoIterator<Item = Sentence>) -> Sentence {
    parts.into_iter().reduce(|all, next| sentence!("saw-list", all, next)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sources: &[&str]) -> Vec<ForeignFile> {
        sources.iter().map(|s| ForeignFile { source: (*s).to_owned(), ..ForeignFile::default() }).collect()
    }

    #[test]
    fn files_of_one_name_are_told_apart_by_their_directories() {
        let files = files(&["a/gp2/fio.txt", "a/gp3/fio.txt", "b/iostat.txt", "a/gp2/fio.txt", "D:\\x\\log.csv"]);
        let names = Names::new(&files);
        let names_here: Vec<&str> = files.iter().map(|f| names.name_of(&f.source)).collect();
        assert_eq!(names_here, ["gp2/fio.txt", "gp3/fio.txt", "iostat.txt", "gp2/fio.txt", "log.csv"]);
        let deeper = self::files(&["one/x/fio.txt", "two/x/fio.txt", "fio.txt"]);
        let names = Names::new(&deeper);
        let names_here: Vec<&str> = deeper.iter().map(|f| names.name_of(&f.source)).collect();
        assert_eq!(names_here, ["one/x/fio.txt", "two/x/fio.txt", "fio.txt"]);
    }

    #[test]
    fn a_name_stands_once_in_a_list() {
        let name = |n: &[&str]| titles(&n.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).to_string();
        assert_eq!(name(&["a.txt: j", "a.txt: j", "a.txt: k"]), "a.txt: j and k");
        assert_eq!(name(&["a.txt", "b.txt", "a.txt"]), "a.txt and b.txt");
        let many: Vec<String> = (0..9).map(|i| format!("a.txt: j{i}")).collect();
        assert_eq!(titles(&many).as_str(), "a.txt: j0, j1, j2, j3 and 5 more");
    }

    #[test]
    fn no_rate_is_nothing_that_is_not() {
        let rates = [0.0, 0.4, 15.0, 4096.0, 2.5e5, 93.75e6].map(rate);
        assert_eq!(rates, ["0 B/s", "0.40 B/s", "15 B/s", "4.10 kB/s", "0.25 MB/s", "93.75 MB/s"]);
    }
}
