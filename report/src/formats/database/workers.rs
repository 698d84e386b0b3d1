//! The workers, each with the columns of PerfTools' tables.

use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::message;
use model::{JobFigures, WaveFigures, thousands};
use std::io;

/// Returns the number of a worker, followed by its host if there are several.
fn name(job: &JobFigures) -> String {
    if job.host.is_empty() { job.job.to_string() } else { format!("{} {}", job.job, job.host) }
}

/// Writes a row for each worker; with `named`, also the name of the wave.
pub(super) fn write(page: &mut Page, wave: &WaveFigures, named: bool) -> io::Result<()> {
    let (reads, writes) = (wave.reads.is_some(), wave.updates.is_some());
    let mut table = Table::new(
        vec![
            Column::left("Job"),
            Column::right("Reads"),
            Column::right("Writes"),
            Column::right("ReadsPerSec"),
            Column::right("WritesPerSec"),
            Column::right("ProcTime"),
        ],
        1,
    );
    for job in &wave.jobs {
        let only = |does: bool, text: String| if does { Line::plain(text) } else { Line::new() };
        table.row(vec![
            Line::new().with(name(job), Paint::BOLD),
            only(reads, job.reads.to_string()),
            only(writes, job.writes.to_string()),
            only(reads, thousands(job.reads_per_sec)),
            only(writes, thousands(job.writes_per_sec)),
            Line::plain(format!("{:.3} s", job.proc_time.secs())),
        ]);
    }
    page.blank()?;
    if named {
        let class = message!("dbview-class-workers", class = &wave.class, n = wave.processes);
        let text = format!(" {}", page.ink.format(&class));
        page.line(Line::new().with(text, Paint::BOLD))?;
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}
