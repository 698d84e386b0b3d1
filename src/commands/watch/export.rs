//! Files of a watch: tables at its end, OpenMetrics after each look.

use crate::args::Watch;
use crate::exit::{self, coded};
use anyhow::Result;
use jiff::{Timestamp, Zoned};
use model::{Nanos, RunRecord};
use report::formats::watch::{write_csv, write_html};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is emptied only when there is something to write.
struct Output {
    path: PathBuf,
    file: File,
    /// It was not there before, and nothing is written yet.
    fresh: bool,
}

/// What is written.
pub struct Exports {
    csv: Option<Output>,
    html: Option<Output>,
    /// For node_exporter: replaced as a whole.
    openmetrics: Option<PathBuf>,
    /// What went wrong with it was said.
    told: bool,
}

impl Exports {
    /// Opens all of them: what cannot be written is said before anything begins.
    pub fn open(options: &Watch) -> Result<Exports> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Output::open).transpose();
        let exports = Exports {
            csv: open(&options.csv)?,
            html: open(&options.html)?,
            openmetrics: options.openmetrics.clone(),
            told: false,
        };
        if let Some(path) = &exports.openmetrics {
            if path.metadata().is_ok_and(|m| !m.is_file()) {
                return Err(coded(exit::BAD_INPUT, format!("{}: it is no regular file", path.display())));
            }
            replace(path, b"# EOF\n").map_err(|e| cannot(path, &e))?;
        }
        Ok(exports)
    }

    /// Replaces the OpenMetrics file. What goes wrong is returned once.
    pub fn metrics(&mut self, text: &[u8]) -> Option<String> {
        let path = self.openmetrics.as_ref()?;
        let error = replace(path, text).err()?;
        let first = !std::mem::replace(&mut self.told, true);
        first.then(|| format!("cannot write {}: {error}", path.display()))
    }

    /// Whether OpenMetrics text is wanted.
    pub fn wants_metrics(&self) -> bool {
        self.openmetrics.is_some()
    }

    /// Writes the tables.
    pub fn write(mut self, record: &RunRecord) -> Result<()> {
        let zero: Option<Zoned> = zoned(&record.started);
        let when = |at: Nanos| zero.as_ref().map(|z| z.saturating_add(std::time::Duration::from_nanos(at.0)));
        if let Some(output) = &mut self.csv {
            let wall =
                |at: Nanos| when(at).map_or_else(String::new, |t| t.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string());
            output.fill(|out| write_csv(record, &wall, out))?;
        }
        if let Some(output) = &mut self.html {
            let text = |at: Nanos, how: &str| when(at).map_or_else(String::new, |t| t.strftime(how).to_string());
            let wall = |at: Nanos| (text(at, "%m/%d/%Y"), text(at, "%H:%M:%S"));
            let profile = text(Nanos(0), "%H:%M:%S on %b %d %Y");
            output.fill(|out| write_html(record, &profile, &wall, out))?;
        }
        Ok(())
    }
}

/// The run's zero, in its own offset.
fn zoned(started: &str) -> Option<Zoned> {
    let moment: Timestamp = started.parse().ok()?;
    let offset = jiff::fmt::temporal::DateTimeParser::new().parse_timestamp(started).ok().map(|_| ());
    offset?;
    let pieces = jiff::fmt::temporal::Pieces::parse(started).ok()?;
    let offset = pieces.to_numeric_offset()?;
    Some(moment.to_zoned(jiff::tz::TimeZone::fixed(offset)))
}

impl Output {
    fn open(path: &Path) -> Result<Output> {
        let fresh = path.symlink_metadata().is_err();
        if !fresh && path.metadata().is_ok_and(|m| !m.is_file()) {
            return Err(coded(exit::BAD_INPUT, format!("{}: it is no regular file", path.display())));
        }
        let file = File::options().write(true).create(true).truncate(false).open(path).map_err(|e| cannot(path, &e))?;
        Ok(Output { path: path.to_owned(), file, fresh })
    }

    fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        self.fresh = false;
        let fill = || {
            self.file.set_len(0)?;
            let mut out = BufWriter::new(&self.file);
            write(&mut out)?;
            out.flush()
        };
        fill().map_err(|e| cannot(&self.path, &e))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.fresh {
            // Made by us, and empty.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> anyhow::Error {
    coded(exit::CANNOT, format!("cannot write {}: {error}", path.display()))
}

/// A reader sees the old text or the new one, never a part: written beside it, then renamed.
fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().ok_or(std::io::ErrorKind::InvalidInput)?.to_string_lossy();
    // node_exporter reads `*.prom` only, and no name that begins with a point.
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zero_of_a_run_keeps_its_offset() {
        let zero = zoned("2026-11-21T22:10:00+05:30").expect("a moment");
        assert_eq!(zero.strftime("%H:%M %:z").to_string(), "22:10 +05:30");
        assert!(zoned("yesterday").is_none());
    }

    #[test]
    fn a_metrics_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("secchi.prom");
        replace(&path, b"a").expect("written");
        replace(&path, b"b").expect("written");
        assert_eq!(std::fs::read(&path).expect("there"), b"b");
        assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 1);
        assert!(replace(&dir.path().join("no/such/dir.prom"), b"c").is_err());
    }
}
