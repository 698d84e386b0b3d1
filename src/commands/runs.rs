//! `secchi runs`: the runs kept.

use crate::args::Runs;
use crate::exit::{self, Code};
use crate::terminal::stdout_style;
use anyhow::{Context, Result};
use report::RunRow;
use std::io::Write;

pub fn run(options: &Runs) -> Result<Code> {
    let Some(store) = super::show::open_existing(&options.store)? else {
        if !options.ids {
            report::write_runs(&[], &stdout_style(), &mut std::io::stdout().lock())
                .context("cannot write to standard output")?;
        }
        return Ok(exit::OK);
    };
    let listing = store.list().map_err(|e| exit::coded(exit::CANNOT, e))?;
    if let Some(remark) = listing.indexed.remark() {
        eprintln!("secchi: {remark}");
    }
    let mut out = std::io::stdout().lock();
    let written = if options.ids {
        listing.runs.iter().try_for_each(|r| writeln!(out, "{}", r.id))
    } else {
        let rows: Vec<RunRow> = listing
            .runs
            .into_iter()
            .map(|r| RunRow {
                id: r.id,
                started: r.started,
                command: r.command,
                target: r.target,
                state: r.state.name(),
                duration: r.duration,
                verdict: r.verdict,
            })
            .collect();
        report::write_runs(&rows, &stdout_style(), &mut out)
    };
    match written {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(exit::OK),
        other => other.context("cannot write to standard output").map(|()| exit::OK),
    }
}
