//! A database run: figures of each wave by kind of operation, a ramp as a row for each number of workers, latencies
//! during write-back, growth, I/O at the devices by role of the files, and counters of the engine.

mod engine;
mod operations;
mod physical;

use super::{common, traced};
use crate::ReportedRun;
use crate::document::figure::Times;
use crate::document::{Block, Document, Field, FigureRow, Margin, Notes, Tile, View, Word};
use crate::kinds::charts;
use crate::kinds::words::kind;
use crate::widgets::ink::{clauses, listed};
use messages::{Message, Sentence, sentence};
use model::judged::{DbJudgement, OpFigures, WaveFigures};
use model::{RunRecord, bounds::DbOperation, measured::DatabaseUse, record::wave_of};

/// Maximum number of key figures.
const MOST_TILES: usize = 4;

/// Returns the document of a database run.
pub(super) fn document(run: &ReportedRun<'_>, used: &DatabaseUse, judged: &DbJudgement, view: View) -> Document {
    let (record, judgement) = (run.record, run.judgement);
    let mut d = common::begin(run);
    d.kind = "database";
    d.head.verdict_in_answer = true;
    d.head.rows_left = "";
    d.notes = Notes::new(&judgement.caveats, Some(&by_wave(record)));
    d.tiles = tiles(judged);
    d.figures = judged.waves.iter().flat_map(figures).collect();
    operations::add(&mut d, used, judged, view);
    charts::add(&mut d, run, view);
    engine::write_back(&mut d, used, judged, record.ended);
    if let (Some(growth), Some(figures)) = (&used.growth, &judged.growth) {
        engine::growth(&mut d, growth, figures);
    }
    physical::add(&mut d, used, judged);
    engine::counters(&mut d, used, judged);
    traced::add(&mut d, record, &judgement.layers, view);
    common::findings(&mut d, judgement);
    d.part("database", "dbview-database", [fields(used, judged)]).views(View::DETAIL).aside(engine_name(used));
    common::environment(&mut d, record, judgement);
    common::plan(&mut d, record);
    d
}

/// Returns the record with each step's thread count set to the number of workers in its wave, because doubts apply to a
/// whole wave.
fn by_wave(record: &RunRecord) -> RunRecord {
    let mut out = record.clone();
    for i in 0..out.steps.len() {
        let wave = wave_of(&record.stage_of(&record.steps[i]).name);
        let stages = record.plan.stages.iter().filter(|s| wave_of(&s.name) == wave);
        out.steps[i].job.threads = u32::try_from(stages.count()).unwrap_or(u32::MAX);
    }
    out
}

/// Returns the rates of the fastest wave, and the 99th percentile of the operation for which sessions wait.
fn tiles(judged: &DbJudgement) -> Vec<Tile> {
    let best = judged.waves.iter().max_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
    let Some(wave) = best else { return Vec::new() };
    let label = |operation: DbOperation| {
        let word = messages::sentence(Message::new(kind(operation)));
        listed([format!("{} × {}", wave.class, wave.processes).into(), word])
    };
    let rate = |(operation, f): (DbOperation, &OpFigures)| Some(Tile::new(label(operation), f.rate?, "page-rate"));
    let mut tiles: Vec<Tile> = wave.kinds().filter_map(rate).collect();
    let waited = wave.waited_kind().and_then(|(operation, f)| Some((operation, f.p99.value()?)));
    tiles.extend(waited.map(|(operation, p99)| Tile::new(label(operation), p99, Word::Term("p99"))));
    tiles.truncate(MOST_TILES);
    tiles
}

/// Returns the rows of CSV for a wave: all workers together, then each host, for which errors are not counted.
fn figures(wave: &WaveFigures) -> Vec<FigureRow> {
    let row = |stage: String, in_flight: u64, errors: Option<u64>, operation: DbOperation, f: &OpFigures| FigureRow {
        workload: wave.class.clone(),
        stage,
        role: operation.name().trim_end_matches('s').to_owned(),
        in_flight,
        operations: f.count,
        rate: f.rate.map(model::Iops::per_second),
        times: f.figures(),
        errors,
        ..FigureRow::default()
    };
    let mut rows: Vec<FigureRow> = wave
        .kinds()
        .map(|(operation, f)| row(wave.name.clone(), wave.processes.into(), Some(wave.errors), operation, f))
        .collect();
    for host in &wave.hosts {
        let n = wave.jobs.iter().filter(|j| j.host == host.host).count() as u64;
        let stage = || format!("{}@{}", wave.name, host.host);
        rows.extend(host.kinds().map(|(operation, f)| row(stage(), n, None, operation, f)));
    }
    rows
}

/// Returns name and version of the engine. Some version strings begin with the engine's name.
fn engine_name(used: &DatabaseUse) -> String {
    let named = used.version.to_lowercase().starts_with(&used.engine.to_lowercase());
    let engine = if named { used.version.clone() } else { format!("{} {}", used.engine, used.version) };
    engine.trim_end().to_owned()
}

/// Returns the description of the database, how the run used it, and the results of its checks.
fn fields(used: &DatabaseUse, judged: &DbJudgement) -> Block {
    let describe = |d: &DatabaseUse| {
        sentence!("dbview-what", name = &d.name, directory = &d.directory, data = d.data, page = d.page)
    };
    let mut what = vec![describe(used)];
    what.extend(used.names.as_ref().map(|names| sentence!("dbview-nodes", names = names.to_string())));
    what.extend((used.indexes > 0).then(|| sentence!("dbview-indexes", n = used.indexes)));
    let mut fields = vec![Field::new("label-what", clauses(what))];
    for own in &used.hosts {
        fields.push(Field::new("", sentence!("ranks-on-host", host = &own.host, what = describe(own))));
    }
    let files = if used.direct { sentence!("dbview-past-cache") } else { sentence!("dbview-through-cache") };
    let mut how: Sentence = match used.cache.as_u64() {
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
    fields.push(Field::new("label-how", how));
    if !used.parameters.is_empty() {
        fields.push(Field::new("label-set", used.parameters_text()));
    }
    if !used.group.is_empty() {
        fields.push(Field::new("label-with", sentence!("dbview-group", group = &used.group)));
    }
    fields.extend(Field::group("label-checked", &used.checks));
    Block::Fields(Margin::Page, fields)
}

#[cfg(test)]
mod tests;
