//! The output files of a mark: claimed before anything is measured, written at the end.

use anyhow::Result;
use model::{Judgement, RunRecord};
use report::Style;
use report::formats::mark::{MARK_FORMATS, Mark, MarkFormat, mark_format_for};
use session::exit::{self, coded};
use session::outputs::{Output, Outputs, Replaces};
use session::result_files::ResultFiles;
use std::path::{Path, PathBuf};

/// Output files: tables and images of the mark, and pages about the run. The name of each file determines its format.
pub struct Pictures {
    marks: Vec<(Output, &'static MarkFormat)>,
    pages: ResultFiles,
}

impl Pictures {
    /// Claims all files, whose names determine the formats. None may overwrite a path in `loaded`.
    pub fn claim(paths: &[PathBuf], force: bool, loaded: &[&Path]) -> Result<Pictures> {
        let (pages, paths): (Vec<PathBuf>, Vec<PathBuf>) = paths.iter().cloned().partition(|path| is_page(path));
        // All names are checked before any file is opened.
        let formats = paths.iter().map(|path| format_of(path)).collect::<Result<Vec<_>>>()?;
        let mut outputs = Outputs::new(force);
        loaded.iter().for_each(|path| outputs.spare(path));
        let claim = |(path, format): (&PathBuf, _)| Ok((outputs.claim(path, Replaces::Ours)?, format));
        let marks = paths.iter().zip(formats).map(claim).collect::<Result<_>>()?;
        Ok(Pictures { marks, pages: ResultFiles::claim(&pages, &mut outputs)? })
    }

    /// Writes the mark to each file. Returns the first error; the other files are still written.
    pub fn write(mut self, record: &RunRecord, judgement: &Judgement, mark: &Mark) -> Result<()> {
        let style = Style { color: false, unicode: true, width: 100, language: messages::Language::English };
        let mut outcome = self.pages.write(record, judgement);
        for (output, format) in &mut self.marks {
            outcome = outcome.and(output.fill_or_report(|out| format.write(mark, &style, out)));
        }
        outcome
    }
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "html" || e == "htm")
}

fn format_of(path: &Path) -> Result<&'static MarkFormat> {
    mark_format_for(path).ok_or_else(|| {
        let known: Vec<String> = MARK_FORMATS.iter().filter_map(|f| Some(format!(".{}", f.endings.first()?))).collect();
        let picture = path.extension().is_some_and(|e| e == "png" || e == "svg");
        let reason =
            if picture { "this secchi was built without pictures" } else { "the file extension selects the format" };
        coded(exit::BAD_INPUT, format!("-o {}: {reason}; expected one of {}, .html", path.display(), known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_comes_to_nothing_leaves_no_trace_and_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (new, old) = (dir.path().join("new.txt"), dir.path().join("old.csv"));
        std::fs::write(&old, "before").unwrap();
        drop(Pictures::claim(&[new.clone(), old.clone()], true, &[]).unwrap());
        assert!(!new.exists());
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "before");
    }

    #[test]
    fn a_name_without_a_known_ending_is_refused_before_any_file_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let good = dir.path().join("a.txt");
        let failure = Pictures::claim(&[good.clone(), dir.path().join("b.jpg")], false, &[]).err().expect("refused");
        assert_eq!(exit::code_of(&failure), exit::BAD_INPUT);
        assert!(failure.to_string().contains(".txt") && !good.exists(), "{failure}");
    }
}
