//! Resolves the arguments of `secchi judge`: a stored run, or files of other tools, read within limits.

use anyhow::Result;
use messages::sentence;
use model::{clip, foreign::ForeignFile, map_on_all_cpus};
use serde::Deserialize;
use serde::de::IgnoredAny;
use session::console::remark_of;
use session::exit::{self, coded};
use session::{inputs, reject};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of files from directories; more would be too many for one judgement.
const MOST_FILES: usize = 50_000;
/// Maximum number of entries examined below one directory.
const MOST_ENTRIES: usize = 200_000;
/// Maximum total size of all files, in bytes: the parsed content of all files is in memory at the same time.
const MOST_BYTES: u64 = 512 << 20;
/// Maximum number of results in all files: they are held in memory at the same time, about 12 kB each.
const MOST_RESULTS: usize = 50_000;
/// Number of files in a directory that are read before the limits are checked.
const AT_ONCE: usize = 256;
/// Maximum depth of nested directories.
const DEEPEST: usize = 16;
/// Longest time for reading one file (docs/design/bad-input.md, "Files that are read").
const LONGEST: Duration = Duration::from_secs(10);

/// Input to be judged.
pub enum Gathered {
    /// One run of secchi, by its name.
    Run(String),
    /// Files of other tools.
    Files {
        /// Files that were read.
        files: Vec<ForeignFile>,
        /// Number of named files that could not be read.
        unread: usize,
    },
}

#[derive(Deserialize)]
struct Heads {
    record: Option<IgnoredAny>,
}

/// Reads all named sources.
///
/// # Errors
/// One sentence about the first source that cannot be judged.
pub fn gather(sources: &[String], recursive: bool) -> Result<Gathered> {
    let mut read_so_far = Reading::default();
    let files = &mut read_so_far;
    let mut runs: Vec<&String> = Vec::new();
    for source in sources {
        let path = Path::new(source);
        if source == "-" {
            let bytes = inputs::standard(import::LARGEST).map_err(|reason| cannot("-", &reason))?;
            files.add_file(bytes.len() as u64, read("-", &bytes))?;
        } else if path.is_dir() {
            if !recursive {
                reject!("{} is a directory: name its files, or read all of them with --recursive", clip(source));
            }
            directory(path, files)?;
        } else if !path.exists() {
            if sources.len() > 1 && source.contains(['/', '.']) {
                let error = cannot(source, "no such file");
                remark_of(&sentence!("remark-skipped", why = format!("{error:#}")));
                files.unread.push(error);
            } else {
                runs.push(source);
            }
        } else if match add_foreign(foreign(path, source), files) {
            // If several files were named, skip this one: a glob may match files of other kinds.
            Err(error) if sources.len() > 1 && !files.full => {
                remark_of(&sentence!("remark-skipped", why = first_part(&error)));
                files.unread.push(error);
                continue;
            }
            other => other?,
        } {
            if !source.contains(['/', '.']) {
                remark_of(&sentence!("remark-source-is-file", source = clip(source).to_string()));
            }
        } else {
            runs.push(source);
        }
    }
    let Reading { files, mut unread, .. } = read_so_far;
    if files.is_empty() && runs.is_empty() && !unread.is_empty() {
        return Err(unread.remove(0));
    }
    match (runs.as_slice(), files.is_empty()) {
        ([], false) => Ok(Gathered::Files { files, unread: unread.len() }),
        ([], true) => Err(coded(exit::BAD_INPUT, "no results to judge were found")),
        ([one], true) => Ok(Gathered::Run((*one).clone())),
        ([one, ..], true) => {
            let message = format!(
                "runs of secchi are judged one at a time (`{}` is the first); compare several with secchi compare",
                clip(one)
            );
            Err(coded(exit::BAD_INPUT, message))
        }
        ([one, ..], false) => {
            let message = format!("`{}` is not a file of another tool: judge runs of secchi separately", clip(one));
            Err(coded(exit::BAD_INPUT, message))
        }
    }
}

/// Files read so far, within limits.
#[derive(Default)]
struct Reading {
    files: Vec<ForeignFile>,
    bytes: u64,
    results: usize,
    /// Reasons why named files could not be read.
    unread: Vec<anyhow::Error>,
    /// True if a limit was reached, so that nothing more is read.
    full: bool,
}

impl Reading {
    /// Adds the content of a file with a size of `bytes`.
    fn add_file(&mut self, bytes: u64, files: Result<Vec<ForeignFile>>) -> Result<()> {
        self.bytes += bytes;
        if self.bytes > MOST_BYTES {
            return self.refuse(format!("the files exceed {} in total: judge them in parts", model::Bytes(MOST_BYTES)));
        }
        let files = files?;
        self.results += files.iter().map(|f| f.tests.len()).sum::<usize>();
        if self.results > MOST_RESULTS {
            let n = self.results;
            return self
                .refuse(format!("{n} results or more, but a table has at most {MOST_RESULTS}: judge them in parts"));
        }
        self.files.extend(files);
        Ok(())
    }

    fn refuse(&mut self, reason: String) -> Result<()> {
        self.full = true;
        Err(coded(exit::BAD_INPUT, reason))
    }
}

/// A file of another tool: its size in bytes and its content.
type Foreign = (u64, Result<Vec<ForeignFile>>);

/// Reads a file of another tool; `None` if it is a run of secchi.
fn foreign(path: &Path, shown: &str) -> Result<Option<Foreign>> {
    if path.extension().is_some_and(|e| e == "journal") {
        return Ok(None);
    }
    let bytes = inputs::bytes(path, import::LARGEST).map_err(|reason| cannot(shown, &reason))?;
    let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
    if is_json && serde_json::from_slice::<Heads>(&bytes).is_ok_and(|h| h.record.is_some()) {
        return Ok(None);
    }
    Ok(Some((bytes.len() as u64, read(shown, &bytes))))
}

/// Adds a file of another tool; returns `false` if it is a run of secchi.
fn add_foreign(read: Result<Option<Foreign>>, into: &mut Reading) -> Result<bool> {
    let Some((bytes, files)) = read? else { return Ok(false) };
    into.add_file(bytes, files)?;
    Ok(true)
}

/// Returns an error without the list of formats, which would be the same for each file.
fn first_part(error: &anyhow::Error) -> String {
    format!("{error:#}").split(" (").next().unwrap_or_default().to_owned()
}

fn cannot(shown: &str, reason: &str) -> anyhow::Error {
    coded(exit::BAD_INPUT, format!("cannot read {}: {reason}", clip(shown)))
}

fn read(shown: &str, bytes: &[u8]) -> Result<Vec<ForeignFile>> {
    let begun = Instant::now();
    import::read_until(shown, bytes, &|| begun.elapsed() > LONGEST).map_err(|e| cannot(shown, &e.0))
}

/// Reads the files of a directory, sorted by name. Files in unknown formats are skipped with a remark.
fn directory(root: &Path, into: &mut Reading) -> Result<()> {
    let mut files = Walk::default();
    let shown = root.display().to_string();
    walk(root, 0, &mut files).map_err(|e| cannot(&shown, &e.to_string()))?;
    if let Some(bound) = files.bound {
        return Err(cannot(&shown, &format!("it contains more than {bound}: name a subdirectory")));
    }
    if files.empty > 0 {
        // Files in /proc and /sys report no size and are not results to judge.
        remark_of(&sentence!("remark-skipped-empty", n = files.empty, directory = clip(&shown).to_string()));
    }
    files.paths.sort();
    for paths in files.paths.chunks(AT_ONCE) {
        let read = map_on_all_cpus(paths, |path| foreign(path, &path.display().to_string()));
        for (path, read) in paths.iter().zip(read) {
            match add_foreign(read, into) {
                Ok(true) => {}
                Ok(false) => {
                    let path = clip(&path.display().to_string()).to_string();
                    remark_of(&sentence!("remark-skipped-own", path));
                }
                Err(error) if into.full => return Err(error),
                Err(error) => {
                    tracing::debug!(path = %path.display(), "skipped file: {error:#}");
                    remark_of(&sentence!("remark-skipped", why = first_part(&error)));
                }
            }
        }
    }
    Ok(())
}

/// Files found below a directory.
#[derive(Default)]
struct Walk {
    paths: Vec<PathBuf>,
    entries: usize,
    empty: usize,
    /// Limit that was exceeded, if this ended the walk.
    bound: Option<String>,
}

/// Collects regular files that are not empty. Does not follow links and skips hidden files.
fn walk(dir: &Path, depth: usize, out: &mut Walk) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        out.entries += 1;
        if out.entries > MOST_ENTRIES {
            out.bound = Some(format!("{MOST_ENTRIES} entries"));
        } else if out.paths.len() > MOST_FILES {
            out.bound = Some(format!("{MOST_FILES} files"));
        }
        if out.bound.is_some() {
            return Ok(());
        }
        if entry.file_name().as_encoded_bytes().first() == Some(&b'.') {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEEPEST {
            match walk(&entry.path(), depth + 1, out) {
                // A process ended while its directory was read.
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                other => other?,
            }
        } else if kind.is_file() {
            match entry.metadata() {
                Ok(meta) if meta.len() > 0 => out.paths.push(entry.path()),
                _ => out.empty += 1,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_among_others_is_passed_over() {
        let good = concat!(env!("CARGO_MANIFEST_DIR"), "/import/tests/data/public/dd.txt");
        let gathered = |sources: &[&str]| gather(&sources.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>(), false);
        match gathered(&[good, "missing.txt", "no/such"]) {
            Ok(Gathered::Files { files, unread }) => assert_eq!((files.len(), unread), (1, 2)),
            _ => panic!("the file that is there is not judged"),
        }
        assert!(matches!(gathered(&["missing.txt"]), Ok(Gathered::Run(_))), "alone it may be a run");
        let error = gathered(&["missing.txt", "other.txt"]).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("cannot read missing.txt: no such file"));
        assert!(gathered(&[good, "last"]).is_err(), "a run is judged separately");
    }
}
