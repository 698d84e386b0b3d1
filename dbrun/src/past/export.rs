//! `secchi db export DIR`: writes the history of a database in secchi's own columns, as JSON, or in the format of
//! one of four PerfTools versions, which have one table and one file per test class.

use super::Past;
use anyhow::Result;
use cli::DbExport;
use jiff::Zoned;
use messages::sentence;
use report::formats::perftools::{Batch, Export, file_name};
use session::console::{print, remark_of};
use session::exit::{self, Code};
use session::outputs::{Output, Outputs, Replaces};
use session::reject;
use std::path::Path;

pub fn run(options: &DbExport) -> Result<Code> {
    let format = options.format;
    let stored = Past::open(&options.dir, &options.store)?.batches()?;
    let wanted = |b: &&Batch| options.test.as_ref().is_none_or(|t| b.class.eq_ignore_ascii_case(t));
    let batches: Vec<&Batch> = stored.iter().filter(wanted).collect();
    if batches.is_empty() {
        let suffix = options.test.as_ref().map_or_else(String::new, |t| format!(" of {}", model::clip(t)));
        reject!("nothing to export: this database has no run{suffix}");
    }
    match format.classes {
        [] => {
            let mut outputs = Outputs::new(options.force);
            let mut file = options.output.as_deref().map(|o| outputs.claim(o, Replaces::Nothing)).transpose()?;
            put(format, &batches, file.as_mut())?;
        }
        classes => apart(options, classes, &batches)?,
    }
    Ok(exit::OK)
}

/// Writes a table for each class: each table to a file in a directory, or a single table to the requested output.
fn apart(options: &DbExport, classes: &[&str], batches: &[&Batch]) -> Result<()> {
    let (format, output) = (options.format, options.output.as_deref());
    let mut outputs = Outputs::new(options.force);
    let mut claim = |path: &Path| outputs.claim(path, Replaces::Nothing);
    let batches_of = |class: &str| -> Vec<&Batch> { batches.iter().copied().filter(|b| b.class == class).collect() };
    let left_out = batches.iter().filter(|b| !classes.contains(&b.class.as_str())).count();
    let present: Vec<&str> = classes.iter().copied().filter(|c| !batches_of(c).is_empty()).collect();
    if present.is_empty() {
        reject!("{} has tables only for {}, and none of these tests was run", format.name, classes.join(", "));
    }
    let directory = output.filter(|o| o.is_dir());
    match (present.as_slice(), directory) {
        (_, Some(directory)) => {
            let now = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S").to_string();
            let mut files =
                present.iter().map(|c| claim(&directory.join(file_name(c, &now)))).collect::<Result<Vec<_>>>()?;
            for (class, file) in present.iter().zip(&mut files) {
                put(format, &batches_of(class), Some(file))?;
            }
        }
        ([only], None) => put(format, &batches_of(only), output.map(claim).transpose()?.as_mut())?,
        (several, None) => {
            reject!(
                "{} writes one file for each of {}: name a directory with -o, or one test with --test",
                format.name,
                several.join(", ")
            );
        }
    }
    if left_out > 0 {
        let (format, classes) = (format.name.to_string(), classes.join(", "));
        remark_of(&sentence!("remark-past-left-out", n = left_out, format, classes));
    }
    Ok(())
}

/// Writes to a new file, or to standard output if no file was requested.
fn put(format: &Export, batches: &[&Batch], file: Option<&mut Output>) -> Result<()> {
    let Some(file) = file else { return print(|_, out| (format.write)(batches, out)) };
    file.fill_or_report(|out| (format.write)(batches, out))?;
    remark_of(&sentence!("remark-past-written", n = batches.len(), file = file.display().to_string()));
    Ok(())
}
