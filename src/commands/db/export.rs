//! `secchi db export DIR`: the history of a database in our own columns, as JSON, or as one of four versions of PerfTools
//! writes it. Those have a table, and a file, for each class.

use super::past::Past;
use crate::args::DbExport;
use crate::exit::{self, Code, coded};
use crate::terminal::{print, remark};
use anyhow::Result;
use jiff::Zoned;
use report::formats::perftools::{Batch, Export};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub fn run(options: &DbExport) -> Result<Code> {
    let format = options.format;
    let all = Past::open(&options.dir, &options.store)?.batches()?;
    let wanted = |b: &&Batch| options.test.as_ref().is_none_or(|t| b.class.eq_ignore_ascii_case(t));
    let batches: Vec<&Batch> = all.iter().filter(wanted).collect();
    if batches.is_empty() {
        let of = options.test.as_ref().map_or_else(String::new, |t| format!(" of {}", model::clip(t)));
        let why = format!("there is nothing to export: no run{of} on this database");
        return Err(coded(exit::BAD_INPUT, why));
    }
    match format.classes() {
        [] => put(format, &batches, options.output.as_deref())?,
        classes => apart(format, classes, &batches, options.output.as_deref())?,
    }
    Ok(exit::OK)
}

/// A table for each class: to files in a directory, or the only one to where it was asked for.
fn apart(format: &dyn Export, classes: &[&str], batches: &[&Batch], output: Option<&Path>) -> Result<()> {
    let of = |class: &str| -> Vec<&Batch> { batches.iter().copied().filter(|b| b.class == class).collect() };
    let left_out = batches.iter().filter(|b| !classes.contains(&b.class.as_str())).count();
    let there: Vec<&str> = classes.iter().copied().filter(|c| !of(c).is_empty()).collect();
    if there.is_empty() {
        let why = format!("{} has tables of {} only, and none of them was run", format.name(), classes.join(", "));
        return Err(coded(exit::BAD_INPUT, why));
    }
    let directory = output.filter(|o| o.is_dir());
    match (there.as_slice(), directory) {
        (_, Some(directory)) => {
            let now = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S").to_string();
            for class in &there {
                let name = format.file_name(class, &now).unwrap_or_else(|| format!("{class}.csv"));
                put(format, &of(class), Some(&directory.join(name)))?;
            }
        }
        ([only], None) => put(format, &of(only), output)?,
        (several, None) => {
            let why = format!(
                "{} has a file for each of {}: name a directory with -o, or one of them with --test",
                format.name(),
                several.join(", ")
            );
            return Err(coded(exit::BAD_INPUT, why));
        }
    }
    if left_out > 0 {
        remark(&format!(
            "{left_out} batches are left out: {} has tables of {} only",
            format.name(),
            classes.join(", ")
        ));
    }
    Ok(())
}

/// Writes to a new file, or to standard output. A file that is there stays as it is.
fn put(format: &dyn Export, batches: &[&Batch], path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return print(|_, out| format.write(batches, out)) };
    let failed = |e: std::io::Error| {
        let advice = if e.kind() == std::io::ErrorKind::AlreadyExists { ": name another, or remove it" } else { "" };
        coded(exit::CANNOT, format!("cannot write {}: {e}{advice}", path.display()))
    };
    let file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
    let mut out = BufWriter::new(file);
    format.write(batches, &mut out).and_then(|()| out.flush()).map_err(failed)?;
    let batches = if batches.len() == 1 { "1 batch".to_owned() } else { format!("{} batches", batches.len()) };
    remark(&format!("{batches} written to {}", PathBuf::from(path).display()));
    Ok(())
}
