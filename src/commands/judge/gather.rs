//! What the words of `secchi judge` stand for: a kept run, or files of other tools, read within bounds.

use crate::exit::{self, coded};
use crate::terminal::remark;
use anyhow::Result;
use model::{ForeignFile, clip};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Most files of directories: more are not one question.
const MOST_FILES: usize = 10_000;
/// Most results of all files: rules hold each against the others.
const MOST_RESULTS: usize = 5_000;
/// Directories within directories.
const DEEPEST: usize = 16;
/// Longest that one file is read (`measurement.md` 3.7).
const LONGEST: Duration = Duration::from_secs(10);

/// What is to be judged.
pub enum Gathered {
    /// One run of secchi, by its name.
    Run(String),
    /// Files of other tools.
    Files(Vec<ForeignFile>),
}

#[derive(Deserialize)]
struct Heads {
    record: Option<IgnoredAny>,
}

/// Reads everything that is named.
///
/// # Errors
/// One sentence about the first that cannot be judged.
pub fn gather(sources: &[String], recursive: bool) -> Result<Gathered> {
    let mut files = Vec::new();
    let mut runs: Vec<&String> = Vec::new();
    for source in sources {
        let path = Path::new(source);
        if source == "-" {
            files.extend(read("-", &standard_input()?)?);
        } else if path.is_dir() {
            if !recursive {
                let why =
                    format!("{} is a directory: name its files, or give --recursive to take all of them", clip(source));
                return Err(coded(exit::BAD_INPUT, why));
            }
            files.extend(directory(path)?);
        } else if !path.exists() {
            runs.push(source);
        } else if let Some(read) = foreign(path, source)? {
            if !source.contains(['/', '.']) {
                remark(&format!("`{}` is taken for the file of that name, not for a run", clip(source)));
            }
            files.extend(read);
        } else {
            runs.push(source);
        }
    }
    let results: usize = files.iter().map(|f| f.tests.len()).sum();
    if results > MOST_RESULTS {
        let why = format!("{results} results in all, and at most {MOST_RESULTS} make one table: judge them in parts");
        return Err(coded(exit::BAD_INPUT, why));
    }
    match (runs.as_slice(), files.is_empty()) {
        ([], false) => Ok(Gathered::Files(files)),
        ([], true) => Err(coded(exit::BAD_INPUT, "nothing there that can be judged")),
        ([one], true) => Ok(Gathered::Run((*one).clone())),
        ([one, ..], true) => {
            let why = format!(
                "runs of secchi are judged one at a time (`{}` is the first); secchi compare lays them side by side",
                clip(one)
            );
            Err(coded(exit::BAD_INPUT, why))
        }
        ([one, ..], false) => {
            let why = format!("`{}` is no file of another tool: judge runs of secchi by themselves", clip(one));
            Err(coded(exit::BAD_INPUT, why))
        }
    }
}

/// A file of another tool; `None` where it is one of ours.
fn foreign(path: &Path, shown: &str) -> Result<Option<Vec<ForeignFile>>> {
    if path.extension().is_some_and(|e| e == "journal") {
        return Ok(None);
    }
    let bytes = bytes(path).map_err(|why| cannot(shown, &why))?;
    let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
    if is_json && serde_json::from_slice::<Heads>(&bytes).is_ok_and(|h| h.record.is_some()) {
        return Ok(None);
    }
    read(shown, &bytes).map(Some)
}

fn cannot(shown: &str, why: &str) -> anyhow::Error {
    coded(exit::BAD_INPUT, format!("cannot read {}: {why}", clip(shown)))
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let meta = path.metadata().map_err(|e| e.to_string())?;
    if !meta.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if meta.len() > import::LARGEST {
        return Err(format!("it is larger than {}", model::Bytes(import::LARGEST)));
    }
    std::fs::read(path).map_err(|e| e.to_string())
}

fn standard_input() -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock().take(import::LARGEST + 1).read_to_end(&mut bytes);
    input.map_err(|e| cannot("-", &e.to_string()))?;
    Ok(bytes)
}

fn read(shown: &str, bytes: &[u8]) -> Result<Vec<ForeignFile>> {
    let begun = Instant::now();
    import::read_until(shown, bytes, &|| begun.elapsed() > LONGEST).map_err(|e| cannot(shown, &e.0))
}

/// Files of a directory, in the order of their names; what is of no format is passed over, and said.
fn directory(root: &Path) -> Result<Vec<ForeignFile>> {
    let mut paths = Vec::new();
    walk(root, 0, &mut paths).map_err(|e| cannot(&root.display().to_string(), &e.to_string()))?;
    if paths.len() > MOST_FILES {
        let why = format!("it holds more than {MOST_FILES} files: name a part of it");
        return Err(cannot(&root.display().to_string(), &why));
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let shown = path.display().to_string();
        match foreign(&path, &shown) {
            Ok(Some(read)) => files.extend(read),
            Ok(None) => remark(&format!("passed over: {} is a run of secchi", clip(&shown))),
            // The formats that are read need no telling for each file.
            Err(why) => remark(&format!("passed over: {}", format!("{why:#}").split(" (").next().unwrap_or_default())),
        }
    }
    Ok(files)
}

/// Regular files, links not followed, hidden ones left out.
fn walk(dir: &Path, depth: usize, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let hidden = entry.file_name().as_encoded_bytes().first() == Some(&b'.');
        if hidden || out.len() > MOST_FILES {
            continue;
        }
        if kind.is_dir() && depth < DEEPEST {
            walk(&entry.path(), depth + 1, out)?;
        } else if kind.is_file() {
            out.push(entry.path());
        }
    }
    Ok(())
}
