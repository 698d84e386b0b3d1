//! `secchi judge RUN --need ...`: a kept run against needs, for acceptance and CI.

use crate::args::Judge;
use crate::exit::{self, Code, coded};
use crate::sources::Sources;
use crate::terminal::{print, print_run};
use anyhow::Result;
use model::{Judgement, RunRecord};
use std::fs::File;
use std::io::Write;
use std::path::Path;

pub fn run(options: &Judge) -> Result<Code> {
    let record = Sources::new(&options.store).find(&options.run)?.record()?;
    let needs: Vec<_> = options.needs.iter().flat_map(|n| n.0.clone()).collect();
    let needs = if needs.is_empty() { record.plan.needs.clone() } else { needs };
    if needs.is_empty() {
        let why = "by what? the run has no needs of its own: name some with --need (a line, a file, or a contract)";
        return Err(coded(exit::BAD_INPUT, why));
    }
    let junit = options.junit.as_deref().map(junit_file).transpose()?;
    let (record, judgement) = analysis::judge_by(&record, needs);
    if let Some(file) = junit {
        write_junit(file, &record, &judgement)?;
    }
    if options.json {
        print_run(&record, &judgement, true)?;
    } else {
        print(|style, out| report::write_judged(&record, &judgement, style, out))?;
    }
    Ok(Code(i32::from(judgement.exit_code)))
}

/// Makes the file before anything is measured: a typing mistake must not cost a run.
pub fn junit_file(path: &Path) -> Result<File> {
    File::create(path).map_err(|e| coded(exit::CANNOT, format!("cannot write {}: {e}", path.display())))
}

/// The needs as test cases.
pub fn write_junit(mut file: File, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    let mut text = Vec::new();
    let written = report::write_junit(record, judgement, &mut text).and_then(|()| file.write_all(&text));
    written.map_err(|e| coded(exit::CANNOT, format!("cannot write the JUnit report: {e}")))
}
