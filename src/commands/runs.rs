//! `secchi runs`: the runs kept.

use crate::args::Runs;
use crate::exit::{self, Code};
use crate::terminal::{print, remark};
use anyhow::Result;
use report::RunRow;
use std::path::Path;

pub fn run(options: &Runs) -> Result<Code> {
    let Some(store) = super::show::open_existing(&options.store)? else {
        if !options.ids {
            print(|style, out| report::write_runs(&[], style, out))?;
        }
        return Ok(exit::OK);
    };
    let listing = store.list().map_err(|e| exit::coded(exit::CANNOT, e))?;
    if let Some(text) = listing.indexed.remark() {
        remark(&text);
    }
    if options.ids {
        print(|_, out| listing.runs.iter().try_for_each(|r| writeln!(out, "{}", r.id)))?;
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
        print(|style, out| report::write_runs(&rows, style, out))?;
    }
    Ok(exit::OK)
}

/// What the user named: of a test file of ours, its directory.
fn place_of(target: &str) -> String {
    model::named_place(Path::new(target)).display().to_string()
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
