//! Output files of a watch: tables and results are written at its end, metrics after each sample.

use anyhow::Result;
use cli::Watch;
use jiff::{Timestamp, Zoned};
use model::{Judgement, Nanos, RunRecord};
use report::formats::watch::{write_csv, write_html};
use session::outputs::{Output, Outputs, Replaces};
use session::result_files::ResultFiles;
use std::path::PathBuf;

/// Output files.
pub struct Exports {
    csv: Option<Output>,
    html: Option<Output>,
    /// File for node_exporter, replaced as a whole after each sample.
    prometheus: Option<Output>,
    /// True if an error of the file for node_exporter has been reported.
    begun: bool,
    /// The result, written at the end.
    results: ResultFiles,
}

impl Exports {
    /// Returns a set without files.
    pub fn none() -> Exports {
        Exports { csv: None, html: None, prometheus: None, begun: false, results: ResultFiles::default() }
    }

    /// Claims all files before the watch begins, so that a file that cannot be written is reported in time.
    pub fn open(options: &Watch) -> Result<Exports> {
        let mut outputs = Outputs::new(options.results.force);
        options.roles.iter().for_each(|role| outputs.spare(&role.path));
        let mut claim =
            |path: &Option<PathBuf>| path.as_deref().map(|path| outputs.claim(path, Replaces::Ours)).transpose();
        let mut exports = Exports {
            csv: claim(&options.csv)?,
            html: claim(&options.html)?,
            prometheus: claim(&options.prometheus)?,
            begun: false,
            results: ResultFiles::claim(&options.results.outputs, &mut outputs)?,
        };
        if let Some(output) = &mut exports.prometheus {
            output.fill_or_report(|_| Ok(()))?;
        }
        Ok(exports)
    }

    /// Replaces the file for node_exporter. Returns an error only the first time.
    pub fn metrics(&mut self, text: &[u8]) -> Option<String> {
        let output = self.prometheus.as_mut()?;
        let error = output.put(text).err()?;
        let first = !std::mem::replace(&mut self.begun, true);
        first.then(|| format!("cannot write {}: {error}", output.display()))
    }

    /// Returns `true` if the file for node_exporter is requested.
    pub fn wants_metrics(&self) -> bool {
        self.prometheus.is_some()
    }

    /// Writes the tables and the result files.
    pub fn write(mut self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        let zero: Option<Zoned> = zoned(&record.started);
        let when = |at: Nanos| zero.as_ref().map(|z| z.saturating_add(std::time::Duration::from_nanos(at.as_nanos())));
        if let Some(output) = &mut self.csv {
            let wall =
                |at: Nanos| when(at).map_or_else(String::new, |t| t.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string());
            output.fill_or_report(|out| write_csv(record, &wall, out))?;
        }
        if let Some(output) = &mut self.html {
            let text = |at: Nanos, how: &str| when(at).map_or_else(String::new, |t| t.strftime(how).to_string());
            let wall = |at: Nanos| (text(at, "%m/%d/%Y"), text(at, "%H:%M:%S"));
            let profile = text(Nanos(0), "%H:%M:%S on %b %d %Y");
            output.fill_or_report(|out| write_html(record, &profile, &wall, out))?;
        }
        self.results.write(record, judgement)
    }
}

/// Returns the start of the run with its recorded UTC offset.
fn zoned(started: &str) -> Option<Zoned> {
    let moment: Timestamp = started.parse().ok()?;
    let offset = jiff::fmt::temporal::Pieces::parse(started).ok()?.to_numeric_offset()?;
    Some(moment.to_zoned(jiff::tz::TimeZone::fixed(offset)))
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
}
