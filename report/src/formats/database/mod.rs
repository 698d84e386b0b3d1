//! The screen of a database run: findings first, then figures by kind of operation, device I/O by role of the files,
//! counters of the engine, and session latencies during write-back. A ramp is shown as a table with a row for each
//! number of workers.

mod brief;
mod group;
mod growth;
mod history;
mod hosts;
pub(crate) mod moment;
mod operations;
mod physical;
mod ramp;
mod service;
mod workers;

pub use brief::write_brief;
pub use group::side_by_side;
pub use history::{Answer, write_answer, write_history};

use crate::Style;
use crate::formats::{findings, head, measured_on};
use crate::widgets::ink::clauses;
use crate::widgets::page::Page;
use crate::widgets::text::Paint;
use messages::{message, sentence};
use model::{DatabaseUse, DbJudgement, DbOperation, Judgement, RunRecord, wave_of};
use std::borrow::Cow;
use std::io::{self, Write};

/// Maximum number of workers shown by default.
const SHOWN: usize = 16;

/// Writes the screen of a database run; with `workers`, lists all workers regardless of their number.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(
    record: &RunRecord,
    judgement: &Judgement,
    workers: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let page = &mut page;
    let (Some(used), Some(judged)) = (record.database(), judgement.database()) else { return Ok(()) };
    head(page, &by_wave(record), judgement)?;
    if judged.waves.len() > 1 {
        ramp::write(page, judged)?;
    } else {
        judged.waves.iter().try_for_each(|wave| operations::write(page, used, wave))?;
    }
    judged.waves.iter().try_for_each(|wave| hosts::write(page, wave, judged.waves.len() > 1))?;
    let (n, waves) = (judged.waves.iter().map(|w| w.jobs.len()).sum::<usize>(), judged.waves.len());
    if workers || (waves == 1 && n <= SHOWN) {
        judged.waves.iter().try_for_each(|wave| workers::write(page, wave, waves > 1))?;
    }
    service::write(page, record, used, judged)?;
    growth::write(page, used, judged)?;
    physical::write(page, used, judged)?;
    super::traced::write(page, record, &judgement.layers)?;
    findings(page, judgement)?;
    database(page, used, judged)?;
    measured_on(page, record, judgement)
}

/// Returns the message ID for a kind of database operation.
pub(crate) fn kind(operation: DbOperation) -> &'static str {
    match operation {
        DbOperation::Reads => "dbview-reads",
        DbOperation::Updates => "dbview-updates",
        DbOperation::Commits => "dbview-commits",
        DbOperation::Transactions => "dbview-transactions",
    }
}

/// Returns the record with each step's thread count set to the number of workers in its wave, because doubts apply to a
/// whole wave.
fn by_wave(record: &RunRecord) -> Cow<'_, RunRecord> {
    let mut out = record.clone();
    for i in 0..out.steps.len() {
        let wave = wave_of(&record.stage_of(&record.steps[i]).name);
        let stages = record.plan.stages.iter().filter(|s| wave_of(&s.name) == wave);
        out.steps[i].job.threads = u32::try_from(stages.count()).unwrap_or(u32::MAX);
    }
    Cow::Owned(out)
}

/// Writes the description of the database, how the run used it, and the results of its checks.
fn database(page: &mut Page, used: &DatabaseUse, judged: &DbJudgement) -> io::Result<()> {
    page.blank()?;
    // Some version strings begin with the engine's name.
    let named = used.version.to_lowercase().starts_with(&used.engine.to_lowercase());
    let engine = if named { used.version.clone() } else { format!("{} {}", used.engine, used.version) };
    let ink = page.ink;
    page.heading(ink.word("dbview-database"), engine.trim_end())?;
    let (name, directory) = (&used.name, &used.directory);
    let mut what = vec![sentence!("dbview-what", name, directory, data = used.data, page = used.page)];
    what.extend(used.names.as_ref().map(|names| sentence!("dbview-nodes", names = names.to_string())));
    what.extend((used.indexes > 0).then(|| sentence!("dbview-indexes", n = used.indexes)));
    page.labelled(ink.word("label-what"), Paint::DIM, &ink.translate(clauses(what)), Paint::PLAIN)?;
    for own in &used.hosts {
        let what =
            sentence!("dbview-what", name = &own.name, directory = &own.directory, data = own.data, page = own.page);
        let text = ink.translate(sentence!("ranks-on-host", host = &own.host, what));
        page.labelled("", Paint::DIM, &text, Paint::PLAIN)?;
    }
    let files = if used.direct { sentence!("dbview-past-cache") } else { sentence!("dbview-through-cache") };
    let mut how = match used.cache.as_u64() {
        0 => files,
        _ => sentence!("dbview-cache", cache = used.cache, files),
    };
    if judged.waves.iter().any(|w| w.updates.is_some()) {
        let commit = &used.commit;
        let journal = match used.journal {
            true => sentence!("dbview-journal-on", commit),
            false => sentence!("dbview-journal-off", commit),
        };
        how = clauses([journal, how]);
    }
    page.labelled(ink.word("label-how"), Paint::DIM, &ink.translate(how), Paint::PLAIN)?;
    if !used.parameters.is_empty() {
        page.labelled(ink.word("label-set"), Paint::DIM, &used.parameters_text(), Paint::PLAIN)?;
    }
    if !used.group.is_empty() {
        let text = ink.format(&message!("dbview-group", group = &used.group));
        page.labelled(ink.word("label-with"), Paint::DIM, &text, Paint::PLAIN)?;
    }
    for (i, check) in used.checks.iter().enumerate() {
        let label = if i == 0 { ink.word("label-checked") } else { "" };
        page.labelled(label, Paint::DIM, &ink.translate(check), Paint::PLAIN)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
