//! A case: a job file or a command line, and in its comments what must agree.
//!
//! | comment | meaning |
//! |---|---|
//! | `expect: counts, rate 20%, ...` | what is compared ([`Check`]) |
//! | `args: --eta=never` | words of the command line before the job file |
//! | `scaled: --size=16m` | words after a command line: it stands as it was pasted, only smaller |
//! | `make: dir/`, `make: data 8m` | a directory, or a file of so many bytes, that is there before |
//! | `throttle: 2000` | reads of the disk are capped at so many a second for both programs |
//! | `ours: --allow-cap` | words that only we are given, with the reason after `--` and a blank |
//! | `for fio: – => --` | what the installed fio must read instead, because it cannot read what stands |
//! | `aside: files: why` | a figure that differs on purpose |
//! | `alone: why` | no other case beside it: what it counts is a matter of who has the processors |

use std::path::{Path, PathBuf};

/// What must agree between fio and us.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// Operations and bytes of every job, in every direction: exact, or within so much.
    Counts(Option<f64>),
    /// The share of reads, against each other and against what was asked in percent.
    Split(Option<f64>),
    /// Operations and bytes per second, within so much or within the spread of the repeats.
    Rate(f64),
    /// A paced job: both within 2 % of so many operations or bytes per second in all.
    RateAsked { asked: f64, bytes: bool },
    /// How long jobs ran, within 5 % or so many milliseconds: 300, or what is given.
    Runtime(f64),
    /// Mean and percentiles of completion latency, within so much or within the spread of the repeats; or the mean alone,
    /// where a throttle makes two heaps of fast and slow.
    Latency { within: f64, mean_only: bool },
    /// Names and sizes of the files left behind.
    Files,
    /// Names, columns and rows of the logs.
    Logs,
    /// Success or failure, and the error of every job.
    Exit,
    /// Operations in flight: the histogram, within ten points.
    Depth,
    /// How many flushes were made.
    Syncs,
    /// Percentiles: the same keys.
    Percentiles,
    /// Whether the steady state was reached, and by which criterion.
    Steady,
    /// Ours refuses before anything is opened, with this in its one line, whatever fio does.
    Refused(String),
}

impl Case {
    /// No other may run at the same time.
    pub fn is_alone(&self) -> bool {
        self.alone || self.checks.iter().any(Check::noisy)
    }
}

impl Check {
    /// Figures of one run are not enough.
    pub fn noisy(&self) -> bool {
        matches!(self, Check::Rate(_) | Check::Latency { .. })
    }
}

/// One line of a table to be.
#[derive(Debug, Clone, Default)]
pub struct Case {
    pub name: String,
    pub checks: Vec<Check>,
    pub args: Vec<String>,
    pub ours: Vec<String>,
    pub make: Vec<Made>,
    pub throttle: Option<u64>,
    pub aside: Vec<String>,
    pub alone: bool,
    instead: Vec<(String, String)>,
    load: Load,
}

#[derive(Debug, Clone, Default)]
enum Load {
    #[default]
    Nothing,
    File(PathBuf),
    Words(Vec<String>),
}

/// Something that is there before.
#[derive(Debug, Clone)]
pub enum Made {
    Directory(String),
    File(String, u64),
}

/// Every case there is, by name; `word` chooses.
pub fn all(word: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for dir in ["cases", "commands"] {
        let dir = super::support::here(dir);
        let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
        for path in entries.map(|e| e.expect("an entry of our own directory").path()) {
            cases.extend(read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
        }
    }
    cases.retain(|c| c.name.contains(word));
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// A job file is one case; a file of command lines is one for each of them.
fn read(path: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let is_command = match path.extension().and_then(|e| e.to_str()) {
        Some("fio") => false,
        Some("cmd") => true,
        // Includes and the like.
        _ => return Ok(Vec::new()),
    };
    let mut case = Case { name: stem, load: Load::File(path.to_owned()), ..Case::default() };
    let mut scaled = Vec::new();
    for comment in text.lines().filter_map(|l| l.trim().strip_prefix(';').map(str::trim)) {
        let Some((key, value)) = comment.split_once(": ") else { continue };
        let value = value.trim();
        match key {
            "expect" => case.checks.extend(value.split(", ").map(check).collect::<Result<Vec<_>, _>>()?),
            "args" => case.args.extend(words(value)),
            "scaled" => scaled.extend(words(value)),
            "ours" => case.ours.extend(words(value.split_once(" -- ").map_or(value, |(words, _)| words))),
            "make" => case.make.push(made(value)?),
            "throttle" => case.throttle = Some(value.parse().map_err(|e| format!("throttle: {e}"))?),
            "alone" => case.alone = true,
            "aside" => case.aside.push(value.split_once(": ").ok_or("aside: no reason given")?.0.to_owned()),
            "for fio" => {
                let (from, to) = value.split_once(" => ").ok_or("for fio: no `=>`")?;
                case.instead.push((from.to_owned(), to.to_owned()));
            }
            _ => {}
        }
    }
    if case.checks.is_empty() {
        return Err("expects nothing".to_owned());
    }
    if !is_command {
        return Ok(vec![case]);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(';')).collect();
    let several = lines.len() > 1;
    let cases = lines.iter().enumerate().map(|(i, line)| {
        let mut words = words(line.strip_prefix("fio.exe ").or(line.strip_prefix("fio ")).unwrap_or(line));
        words.extend(scaled.clone());
        let name = if several { format!("{}-{:02}", case.name, i + 1) } else { case.name.clone() };
        Case { name, load: Load::Words(words), ..case.clone() }
    });
    Ok(cases.collect())
}

fn words(line: &str) -> Vec<String> {
    line.split_ascii_whitespace().map(str::to_owned).collect()
}

fn made(text: &str) -> Result<Made, String> {
    match text.split_once(' ') {
        Some((name, size)) => Ok(Made::File(name.to_owned(), number(size)? as u64)),
        None => Ok(Made::Directory(text.to_owned())),
    }
}

/// A number, with `k` and `m` for powers of 1024.
fn number(text: &str) -> Result<f64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 1024.0),
        Some(b'm') => (&text[..text.len() - 1], 1_048_576.0),
        _ => (text, 1.0),
    };
    digits.parse::<f64>().map(|n| n * factor).map_err(|_| format!("`{text}` is no number"))
}

fn check(text: &str) -> Result<Check, String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let given: Vec<&str> = words.collect();
    let share = || -> Result<Option<f64>, String> {
        given.first().map(|w| Ok(number(w.trim_end_matches('%'))? / 100.0)).transpose()
    };
    Ok(match name {
        "counts" => Check::Counts(share()?),
        "split" => Check::Split(share()?),
        "rate" => Check::Rate(share()?.unwrap_or(0.25)),
        "rate-asked" => Check::RateAsked {
            asked: number(given.first().ok_or("rate-asked: of what?")?)?,
            bytes: match given.get(1) {
                Some(&"iops") => false,
                Some(&"bytes") => true,
                _ => return Err("rate-asked: `iops` or `bytes`".to_owned()),
            },
        },
        "runtime" => Check::Runtime(given.first().map_or(Ok(300.0), |w| number(w))?),
        "latency" => Check::Latency { within: share()?.unwrap_or(0.35), mean_only: given.get(1) == Some(&"mean") },
        "refused" => Check::Refused((*given.first().ok_or("refused: with which word?")?).to_owned()),
        "files" => Check::Files,
        "logs" => Check::Logs,
        "exit" => Check::Exit,
        "depth" => Check::Depth,
        "syncs" => Check::Syncs,
        "percentiles" => Check::Percentiles,
        "steady" => Check::Steady,
        _ => return Err(format!("`{name}` is nothing that can be expected")),
    })
}

impl Case {
    /// The words of the load as fio must be given them: a job file is copied to `copy` where it has to change.
    pub fn for_fio(&self, copy: &Path) -> Result<Vec<String>, String> {
        let change = |text: &str| self.instead.iter().fold(text.to_owned(), |t, (from, to)| t.replace(from, to));
        match &self.load {
            Load::File(path) if !self.instead.is_empty() => {
                let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
                std::fs::write(copy, change(&text)).map_err(|e| e.to_string())?;
                Ok(vec![copy.display().to_string()])
            }
            Load::File(path) => Ok(vec![path.display().to_string()]),
            Load::Words(words) => Ok(words.iter().map(|w| change(w)).collect()),
            Load::Nothing => Err("no load".to_owned()),
        }
    }

    /// The words of the load as they stand.
    pub fn as_it_stands(&self) -> Vec<String> {
        match &self.load {
            Load::File(path) => vec![path.display().to_string()],
            Load::Words(words) => words.clone(),
            Load::Nothing => Vec::new(),
        }
    }

    pub fn expects(&self, what: &str) -> bool {
        !self.aside.iter().any(|a| a == what)
    }
}
