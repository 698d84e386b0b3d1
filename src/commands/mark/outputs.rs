//! The files a mark is written to. They are opened before anything is measured, and emptied only when there is
//! something to write: what stood there before stays if the run comes to nothing.

use crate::exit::{self, coded};
use anyhow::Result;
use report::Style;
use report::formats::mark::{MARK_FORMATS, Mark, MarkFormat, mark_format_for};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files to be written.
pub struct Outputs(Vec<Output>);

struct Output {
    path: PathBuf,
    file: File,
    format: &'static MarkFormat,
    /// It was not there before, and nothing is written yet.
    fresh: bool,
}

impl Outputs {
    /// Opens all of them; their names say the formats.
    pub fn open(paths: &[PathBuf]) -> Result<Outputs> {
        // All names are looked at before any file is made.
        let formats = paths.iter().map(|path| format_of(path)).collect::<Result<Vec<_>>>()?;
        let mut outputs = Outputs(Vec::new());
        for (path, format) in paths.iter().zip(formats) {
            let cannot = |e: std::io::Error| coded(exit::CANNOT, format!("cannot write {}: {e}", path.display()));
            let fresh = path.symlink_metadata().is_err();
            if !fresh && path.metadata().is_ok_and(|m| !m.is_file()) {
                return Err(coded(exit::BAD_INPUT, format!("-o {}: it is no regular file", path.display())));
            }
            let file = File::options().write(true).create(true).truncate(false).open(path).map_err(cannot)?;
            outputs.0.push(Output { path: path.clone(), file, format, fresh });
        }
        Ok(outputs)
    }

    /// Writes the mark to each.
    pub fn write(mut self, mark: &Mark) -> Result<()> {
        let style = Style { color: false, unicode: true, width: 100 };
        for output in &mut self.0 {
            output.fresh = false;
            let write = || {
                output.file.set_len(0)?;
                let mut out = BufWriter::new(&output.file);
                output.format.write(mark, &style, &mut out)?;
                out.flush()
            };
            write().map_err(|e| coded(exit::CANNOT, format!("cannot write {}: {e}", output.path.display())))?;
        }
        Ok(())
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        for output in self.0.iter().filter(|o| o.fresh) {
            // An empty file of ours is no result; that it stays is no harm.
            let _ = std::fs::remove_file(&output.path);
        }
    }
}

fn format_of(path: &Path) -> Result<&'static MarkFormat> {
    mark_format_for(path).ok_or_else(|| {
        let known: Vec<String> = MARK_FORMATS.iter().filter_map(|f| Some(format!(".{}", f.endings.first()?))).collect();
        let picture = path.extension().is_some_and(|e| e == "png" || e == "svg");
        let why = if picture { "this secchi was built without pictures" } else { "the ending says the format" };
        coded(exit::BAD_INPUT, format!("-o {}: {why}; there are {}", path.display(), known.join(", ")))
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
        drop(Outputs::open(&[new.clone(), old.clone()]).unwrap());
        assert!(!new.exists());
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "before");
    }

    #[test]
    fn a_name_without_a_known_ending_is_refused_before_any_file_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let good = dir.path().join("a.txt");
        let failure = Outputs::open(&[good.clone(), dir.path().join("b.jpg")]).err().expect("refused");
        assert_eq!(exit::code_of(&failure), exit::BAD_INPUT);
        assert!(failure.to_string().contains(".txt") && !good.exists(), "{failure}");
    }
}
