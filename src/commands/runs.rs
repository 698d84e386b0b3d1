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
                target: place_of(&r.target),
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

/// What the user named: of a test file of ours, its directory.
fn place_of(target: &str) -> String {
    match target.rsplit_once('/') {
        Some((dir, name)) if name.starts_with("secchi-") && name.ends_with(".dat") => {
            if dir.is_empty() {
                "/".to_owned()
            } else {
                dir.to_owned()
            }
        }
        _ => target.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_file_of_ours_is_shown_by_its_directory() {
        assert_eq!(place_of("/mnt/data/secchi-58bd13c7-bdd5-412b-85b9-8442fe6d68d0.dat"), "/mnt/data");
        assert_eq!(place_of("/secchi-58bd13c7-bdd5-412b-85b9-8442fe6d68d0.dat"), "/");
        assert_eq!(place_of("/dev/nvme0n1"), "/dev/nvme0n1");
    }
}
