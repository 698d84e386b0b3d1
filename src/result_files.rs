//! Results as documents: one run, several runs, or a comparison. The name of the file determines the format.

use crate::args::ResultArgs;
use crate::exit::{self, coded};
use crate::language::chosen;
use crate::outputs::{Output, Outputs, Replaces};
use anyhow::Result;
use model::{Comparison, Judgement, Labels, RunRecord};
use report::{FORMATS, Format, ReportedRun};
use std::path::{Path, PathBuf};

/// A stored run with its judgement, and its name on the page, which is empty if none was given.
pub struct KeptRun {
    pub label: String,
    pub record: RunRecord,
    pub judgement: Judgement,
    /// Tags and note.
    pub labels: Labels,
}

impl KeptRun {
    /// Creates a run judged by the current rules.
    pub fn judged(label: String, record: RunRecord, labels: Labels) -> Self {
        KeptRun { label, judgement: analysis::judge(&record), record, labels }
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

    /// Claims the files for a comparison, which not every format supports.
    ///
    /// # Errors
    /// Same as for [`ResultFiles::claim`].
    pub fn claim_comparison(args: &ResultArgs, outputs: &mut Outputs) -> Result<Self> {
        let files = ResultFiles::claim(&args.outputs, outputs)?;
        match files.0.iter().find(|(format, _)| !format.takes_comparison()) {
            Some((_, file)) => {
                let known = endings(Format::takes_comparison);
                let message = format!("output {}: a comparison can only be written as {known}", file.display());
                Err(coded(exit::BAD_INPUT, message))
            }
            None => Ok(files),
        }
    }

    /// Writes a comparison to the files. If a format shows the runs of secchi, `runs` is called to read them.
    ///
    /// # Errors
    /// One sentence about the first file that could not be written.
    pub fn write_comparison(&mut self, comparison: &Comparison, runs: impl FnOnce() -> Vec<KeptRun>) -> Result<()> {
        let runs = if self.0.iter().any(|(format, _)| format.compares_runs()) { runs() } else { Vec::new() };
        let runs = borrowed(&runs);
        let mut outcome = Ok(());
        for (format, output) in &mut self.0 {
            let write = |out: &mut dyn std::io::Write| format.write_comparison_file(comparison, &runs, chosen(), out);
            outcome = outcome.and(output.fill_or_report(write));
        }
        outcome
    }

    /// Writes a run to the files. If one fails, the others are still written.
    ///
    /// # Errors
    /// One sentence about the first file that could not be written.
    pub fn write(&mut self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        let runs = [ReportedRun { label: "", record, judgement, labels: &Labels::default() }];
        let mut outcome = Ok(());
        for (format, output) in &mut self.0 {
            outcome = outcome.and(output.fill_or_report(|out| format.write_file(&runs, chosen(), out)));
        }
        outcome
    }
}

/// Returns the format given by a file's name. `otherwise` is added to the error message, to name other ways to choose a
/// format.
///
/// # Errors
/// A sentence that lists the known file name extensions.
pub fn format_for(file: &Path, otherwise: &str) -> Result<&'static Format> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    report::format_for_ending(&ending).ok_or_else(|| {
        let known = endings(|_| true);
        let message = format!("output {}: unknown file extension: expected {known}{otherwise}", file.display());
        coded(exit::BAD_INPUT, message)
    })
}

/// Returns the extensions of the matching formats, such as `.html, .md or .txt`. Formats for screens come last.
fn endings(such: impl Fn(&Format) -> bool) -> String {
    let (screens, documents): (Vec<&Format>, Vec<&Format>) =
        FORMATS.iter().filter(|f| such(f)).partition(|f| f.is_screen);
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
        assert_eq!(endings(|_| true), ".html, .md, .csv, .xml, .json or .txt");
        assert_eq!(endings(Format::takes_comparison), ".html, .md, .csv, .json or .txt");
    }
}
