//! Results as documents: one run, several runs, or a comparison. The name of the file determines the format.

use crate::console::{print, remark_of};
use crate::exit::{self, coded};
use crate::language::chosen;
use crate::outputs::{Output, Outputs, Replaces};
use anyhow::Result;
use messages::sentence;
use model::record::{Labels, WorkloadFigures};
use model::{Judgement, RunRecord};
use report::formats::tables::{ParquetTables, RUN_TABLES, RunTable};
use report::{FORMATS, Format, ReportedRun, Subject};
use std::io;
use std::path::{Path, PathBuf};

/// A stored run with its judgement.
pub struct KeptRun {
    /// Name on the page; empty if none was given.
    pub label: String,
    /// The measurements.
    pub record: RunRecord,
    /// The judgement of the record by the current rules.
    pub judgement: Judgement,
    /// Tags and note.
    pub labels: Labels,
    /// Figures of earlier runs of the same plan, oldest first.
    pub earlier: Vec<Vec<WorkloadFigures>>,
}

impl KeptRun {
    /// Creates a run judged by the current rules.
    pub fn judged(label: String, record: RunRecord, labels: Labels) -> Self {
        KeptRun { label, judgement: analysis::judge(&record), record, labels, earlier: Vec::new() }
    }
}

/// Returns the runs in the form that the formats require.
pub fn borrowed(runs: &[KeptRun]) -> Vec<ReportedRun<'_>> {
    runs.iter()
        .map(|run| ReportedRun {
            label: &run.label,
            record: &run.record,
            judgement: &run.judgement,
            labels: &run.labels,
            earlier: &run.earlier,
        })
        .collect()
}

/// Files that receive the result of a measuring command. The name of each file determines its format.
#[derive(Default)]
pub struct ResultFiles(Vec<(&'static Format, Output)>);

impl ResultFiles {
    /// Claims the files of a command that writes no other files. `spared` is the measured path.
    ///
    /// # Errors
    /// Same as for [`ResultFiles::claim`].
    pub fn claim_alone(files: &[PathBuf], force: bool, spared: &Path) -> Result<Self> {
        let mut outputs = Outputs::new(force);
        outputs.spare(spared);
        ResultFiles::claim(files, &mut outputs)
    }

    /// Claims the files before anything is measured.
    ///
    /// # Errors
    /// One sentence, if a name has no known format or a file may not be replaced.
    pub fn claim(files: &[PathBuf], outputs: &mut Outputs) -> Result<Self> {
        let claim = |file: &PathBuf| Ok((format_for(file, "")?, outputs.claim(file, Replaces::Ours)?));
        Ok(ResultFiles(files.iter().map(claim).collect::<Result<_>>()?))
    }

    /// Returns `true` if there are no files.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes a run to the files.
    ///
    /// # Errors
    /// As [`ResultFiles::write_subject`].
    pub fn write(&mut self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        let run = ReportedRun { label: "", record, judgement, labels: &Labels::default(), earlier: &[] };
        self.write_subject(Subject::Runs(&[run]))
    }

    /// Writes a report to the files. If one fails, the others are still written.
    ///
    /// # Errors
    /// One sentence about the first file that could not be written.
    pub fn write_subject(&mut self, subject: Subject<'_>) -> Result<()> {
        let mut outcome = Ok(());
        for (format, output) in &mut self.0 {
            outcome = outcome.and(output.fill_or_report(|out| format.write_file(subject, chosen(), out)));
        }
        outcome
    }
}

/// Writes runs as Parquet files into a directory, which is created if it does not exist.
///
/// # Errors
/// One sentence, if a file exists and `force` is not set, a run cannot be read, or a file cannot be written.
pub fn write_tables(directory: &Path, force: bool, runs: impl Iterator<Item = Result<KeptRun>>) -> Result<()> {
    let cannot = |e: io::Error| coded(exit::CANNOT, format!("cannot write tables to {}: {e}", directory.display()));
    let mut tables = ParquetTables::new().map_err(cannot)?;
    let is_new = !directory.exists();
    if is_new {
        std::fs::create_dir(directory).map_err(cannot)?;
    }
    let mut outputs = Outputs::new(force);
    let path = |table: &RunTable| directory.join(table.name).with_extension("parquet");
    let claimed = RUN_TABLES.iter().map(|table| outputs.claim(&path(table), Replaces::Nothing));
    let added = claimed.collect::<Result<Vec<Output>>>().and_then(|claimed| {
        for run in runs {
            borrowed(&[run?]).iter().try_for_each(|run| tables.add(run)).map_err(cannot)?;
        }
        Ok(claimed)
    });
    if added.is_err() && is_new {
        // It is empty: nothing was written.
        let _ = std::fs::remove_dir(directory);
    }
    for ((_, bytes), mut output) in tables.finish().map_err(cannot)?.into_iter().zip(added?) {
        output.fill_or_report(|out| out.write_all(&bytes))?;
        let (file, size) = (output.display().to_string(), model::Bytes(bytes.len() as u64));
        remark_of(&sentence!("remark-report-written", file, size));
    }
    Ok(())
}

/// Prints a report as text or JSON.
pub fn print_subject(subject: Subject<'_>, json: bool) -> Result<()> {
    let format = report::format(if json { "json" } else { "terminal" }).expect("both formats are registered");
    print(|style, out| format.write(subject, style, out))
}

/// Returns the format given by a file's name. `otherwise` is added to the error message, to name other ways to choose a
/// format.
///
/// # Errors
/// A sentence that lists the known file name extensions.
pub fn format_for(file: &Path, otherwise: &str) -> Result<&'static Format> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    report::format_for_ending(&ending).ok_or_else(|| {
        let known = endings();
        let message = format!("output {}: unknown file extension: expected {known}{otherwise}", file.display());
        coded(exit::BAD_INPUT, message)
    })
}

/// Returns the extensions of the formats, such as `.html, .md or .txt`. Formats for screens come last.
fn endings() -> String {
    let (screens, documents): (Vec<&Format>, Vec<&Format>) = FORMATS.iter().partition(|f| f.is_screen());
    let endings = documents.iter().chain(&screens).filter_map(|f| f.endings.first());
    let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
    match endings.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_those_of_the_table() {
        assert_eq!(endings(), ".html, .md, .csv, .xml, .json or .txt");
    }
}
