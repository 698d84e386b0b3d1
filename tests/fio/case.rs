//! A case: a job file or a command line, whose comments specify the expected agreement.
//!
//! | comment | meaning |
//! |---|---|
//! | `expect: counts, rate 20%, ...` | checks ([`Check`]) |
//! | `args: --eta=never` | options before the job file |
//! | `scaled: --size=16m` | options after the command line: the line stays as published, only smaller |
//! | `make: dir/`, `make: data 8m` | a directory, or a file of this size, created beforehand |
//! | `throttle: 2000` | cap on reads of the disk per second, for both programs |
//! | `ours: --allow-cap` | options for secchi only; a reason follows after `--` and a blank |
//! | `for fio: – => --` | replacement in the text for the installed fio, which cannot read the original |
//! | `aside: files: why` | a check that differs on purpose |
//! | `alone: why` | no other case runs at the same time: the counts depend on the available processors |

use std::path::{Path, PathBuf};

/// Property that must agree between fio and secchi.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// Operations and bytes of every job in every direction: exact, or within a tolerance.
    Counts(Option<f64>),
    /// Share of reads, compared with the other program's and with the expected percentage.
    Split(Option<f64>),
    /// Operations and bytes per second, within a tolerance or within the spread of the repeats.
    Rate(f64),
    /// Rate of a paced job: both within 2 % of this number of operations or bytes per second in total.
    RateAsked { asked: f64, bytes: bool },
    /// Runtime of the jobs, within 5 % or a number of milliseconds: 300 by default.
    Runtime(f64),
    /// Mean and percentiles of completion latency, within a tolerance or within the spread of the repeats; only the
    /// mean if a throttle makes the distribution bimodal.
    Latency { within: f64, mean_only: bool },
    /// Names and sizes of the remaining files.
    Files,
    /// Names, columns and rows of the logs.
    Logs,
    /// Success or failure, and the error of every job.
    Exit,
    /// Histogram of operations in flight, within ten percentage points.
    Depth,
    /// Number of flushes.
    Syncs,
    /// Keys of the percentiles.
    Percentiles,
    /// Steady state: reached or not, and the criterion.
    Steady,
    /// secchi refuses the job before anything is opened, with this word in its one-line message, whatever fio does.
    Refused(String),
}

impl Case {
    /// Returns `true` if no other case may run at the same time.
    pub fn is_alone(&self) -> bool {
        self.alone || self.checks.iter().any(Check::noisy)
    }
}

impl Check {
    /// Returns `true` if the figures of one run are not enough.
    pub fn noisy(&self) -> bool {
        matches!(self, Check::Rate(_) | Check::Latency { .. })
    }
}

/// A case to compare.
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

/// A file or directory created beforehand.
#[derive(Debug, Clone)]
pub enum Made {
    Directory(String),
    File(String, u64),
}

/// Returns all cases whose names contain `word`, sorted by name.
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

/// Reads the cases of a file: one of a job file, one for each command line of a `.cmd` file.
fn read(path: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let is_command = match path.extension().and_then(|e| e.to_str()) {
        Some("fio") => false,
        Some("cmd") => true,
        // Included files and the like.
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

/// Parses a number, with `k` and `m` for powers of 1024.
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
    /// Returns the options of the load for fio: a job file that has to change is copied to `copy`.
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

    /// Returns the options of the load without changes.
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
