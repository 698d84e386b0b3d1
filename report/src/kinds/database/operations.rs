//! Figures of the waves: a row for each kind of operation, for each host and for each worker, and a row for each wave of
//! a ramp with charts of rate and latency.

use crate::Style;
use crate::document::chart::{Axis, Chart, Lines, Plot, Scale, Series};
use crate::document::{Block, Cell, Column, Document, Row, Sign, Table, Text, Tone, Unit, Value, View, Word};
use crate::kinds::columns;
use crate::kinds::words::kind;
use crate::widgets::figures::{duration, half_width, percent};
use crate::widgets::ink::{Ink, clauses, listed};
use messages::{Sentence, message, sentence};
use model::judged::{DbJudgement, JobFigures, OpFigures, Outcome, WaveFigures};
use model::measured::{DatabaseUse, Percentile};
use model::{bounds::DbOperation, units::thousands};

/// Class (kind of run) whose updates create new nodes.
const INSERT: &str = "Insert";
/// Maximum number of workers listed.
const MOST_WORKERS: usize = 16;
/// Views of the operations of each wave of a ramp.
const FILES: &[View] = &[View::PageEnd, View::Markdown];

/// Adds the figures of the waves to a document; with charts only for the full screen.
pub(super) fn add(d: &mut Document, used: &DatabaseUse, judged: &DbJudgement, view: View) {
    match judged.waves.as_slice() {
        [] => {}
        [wave] => {
            let mut table = table("operations", &[]);
            rows(&mut table, wave);
            d.part("answer", "", [plain(&table)]).views(&[View::Answer]);
            remarks(used, wave).into_iter().for_each(|text| table.remark(text));
            let aside = listed([sentence!("dbview-workers", n = wave.processes), duration(wave.time).into()]);
            d.part("operations", wave.class.clone(), [Block::Table(table)]).aside(aside);
        }
        waves => {
            let table = ramp(judged);
            d.part("answer", "", [plain(&table)]).views(&[View::Answer]);
            let mut blocks = vec![Block::Table(table)];
            if let Some(ramp) = judged.ramp.as_ref().filter(|ramp| !ramp.accept.is_empty()) {
                let text = match ramp.accepted {
                    Some(n) => sentence!("dbview-accepted-up-to", n),
                    None => sentence!("dbview-none-accepted"),
                };
                blocks.push(Block::Text(Text::new(text).strong()));
            }
            if judged.ramp.is_some() && view == View::Full {
                blocks.extend(charts(judged).map(Block::Chart));
            }
            d.part("ramp", judged.title.clone(), blocks).aside(message!("dbview-waves", n = waves.len()));
            let mut each = self::table("operations", &[]);
            for wave in waves {
                each.rows.push(Row::Group(with_workers(wave)));
                rows(&mut each, wave);
            }
            d.part("operations", "page-figures", [Block::Table(each)]).views(FILES);
        }
    }
    let by_host = hosts(judged);
    if !by_host.rows.is_empty() {
        d.part("hosts", "dbview-hosts", [Block::Table(by_host)]).views(View::DETAIL);
    }
    if let [wave] = judged.waves.as_slice()
        && wave.jobs.len() <= MOST_WORKERS
    {
        d.part("workers", "", [Block::Table(workers(wave))]).views(View::DETAIL);
    }
}

/// Returns a table without its legend, for the answer on one screen.
fn plain(table: &Table) -> Block {
    Block::Table(Table { legend: Vec::new(), ..table.clone() })
}

/// Returns a table for the figures of operations, after columns of names.
pub(super) fn table(id: &'static str, names: &[Column]) -> Table {
    let first = [
        Column::text("operation", "page-operation").bare(),
        Column::figure("operations", "head-count").rank(3),
        Column::figure("rate", "page-rate"),
    ];
    Table::new(id, names.iter().cloned().chain(first).chain(columns::times(2, 1, 0)))
}

/// Returns the cells of [`table`].
pub(super) fn cells(operation: &'static str, f: &OpFigures) -> impl Iterator<Item = Cell> {
    let first =
        [Cell::from(Value::word(operation)).strong(), Value::Count(f.count).into(), Cell::from(f.rate).strong()];
    first.into_iter().chain(columns::time_cells(f))
}

/// Adds a row for each kind of operation of a wave.
fn rows(table: &mut Table, wave: &WaveFigures) {
    let raw = wave.hang.is_none() && wave.batch.is_none() && wave.updates.is_none();
    for (operation, f) in wave.kinds() {
        let word = match operation {
            DbOperation::Reads if raw || wave.engine_blocks => "dbview-blocks",
            DbOperation::Updates if wave.class == INSERT => "dbview-inserts",
            _ => kind(operation),
        };
        table.row(cells(word, f));
    }
}

/// Returns the class of a wave with its number of workers.
fn with_workers(wave: &WaveFigures) -> Sentence {
    sentence!("dbview-class-workers", class = &wave.class, n = wave.processes)
}

/// Returns a row for each host and kind of operation; of several waves, each under its name.
fn hosts(judged: &DbJudgement) -> Table {
    let mut table = table("hosts", &[Column::text("host", "metadata-head-host").bare()]);
    for wave in judged.waves.iter().filter(|wave| !wave.hosts.is_empty()) {
        if judged.waves.len() > 1 {
            table.rows.push(Row::Group(with_workers(wave)));
        }
        for host in &wave.hosts {
            for (operation, f) in host.kinds() {
                table.row([Cell::name(&host.host)].into_iter().chain(cells(kind(operation), f)));
            }
        }
    }
    table
}

/// Returns a row for each worker, with the columns of PerfTools' tables.
fn workers(wave: &WaveFigures) -> Table {
    let name = |job: &JobFigures| match job.host.as_str() {
        "" => job.job.to_string(),
        host => format!("{} {host}", job.job),
    };
    let (reads, writes) = (wave.reads.is_some(), wave.updates.is_some());
    let only = |does: bool, value: Value| if does { value } else { Value::Blank };
    Table::builder("workers", &wave.jobs)
        .column(Column::text("job", Word::Term("Job")), |job| Cell::name(name(job)))
        .column(Column::term("reads", "Reads"), |job| only(reads, Value::Setting(job.reads)))
        .column(Column::term("writes", "Writes"), |job| only(writes, Value::Setting(job.writes)))
        .column(Column::term("reads_per_s", "ReadsPerSec"), |job| only(reads, Value::Number(job.reads_per_sec)))
        .column(Column::term("writes_per_s", "WritesPerSec"), |job| only(writes, Value::Number(job.writes_per_sec)))
        .column(Column::term("proc_time_s", "ProcTime"), |job| {
            Cell::from(Value::Fixed(job.proc_time.secs(), 3)).suffix(" s")
        })
        .build()
}

/// Returns what a reader must know about the figures of a wave: the blocks, the pauses, the interval of the rate.
fn remarks(used: &DatabaseUse, wave: &WaveFigures) -> Vec<Sentence> {
    let mut remarks = Vec::new();
    if wave.reads.is_some() && wave.hang.is_none() {
        // Block size as given (`--block`), or a page.
        let block = wave.block.unwrap_or(used.page);
        remarks.push(sentence!("dbview-blocks-read", block));
    }
    if wave.engine_blocks {
        let page = used.page;
        remarks.push(match used.direct {
            true => sentence!("dbview-engine-blocks", page),
            false => sentence!("dbview-engine-blocks-cached", page),
        });
    }
    if let Some(batch) = wave.batch {
        let percent = wave.read_percent;
        let reads = (percent > 0).then(|| sentence!("dbview-batch-reads", percent));
        remarks.push(clauses([sentence!("dbview-batch", batch)].into_iter().chain(reads)));
    }
    remarks.extend(wave.arrivals.as_ref().map(arrivals));
    if let Some((asked, made)) = wave.hang.filter(|(asked, _)| !asked.is_zero()) {
        let share = percent(wave.idle);
        remarks.push(sentence!("dbview-pause", asked, made, share));
    }
    if let Some(moved) = &wave.moved {
        remarks.push(match wave.kinds().any(|(_, f)| f.rate.is_some()) {
            true => sentence!("dbview-moved", moved),
            false => sentence!("dbview-moved-no-rate", moved),
        });
    }
    // The screen replaces the sign of the interval if it has only ASCII.
    match half_width(&wave.rate, Ink::new(&Style::default())) {
        Some(half) => {
            let rate = sentence!("dbview-rate", rate = thousands(wave.rate.value));
            remarks.push(sentence!("sustained-interval", rate, half, n = wave.rate.n));
        }
        None if !wave.rate.ci_missing.is_empty() => {
            remarks.push(sentence!("level-no-interval", why = &wave.rate.ci_missing));
        }
        None => {}
    }
    if wave.kinds().any(|(_, f)| f.p999 == Percentile::TooFew) {
        remarks.push(sentence!("dbview-few"));
    }
    remarks
}

/// Returns the requested and the reached rate of batches that came due.
fn arrivals(arrivals: &model::judged::ArrivalFigures) -> Sentence {
    let rate = |rate: Option<model::Iops>| thousands(rate.map_or(0.0, model::Iops::per_second));
    let (asked, begun) = (rate(arrivals.asked.rate()), rate(arrivals.begun.rate));
    let law = match arrivals.asked {
        model::plan::Pacing::Poisson(_) => sentence!("dbview-law-poisson"),
        _ => sentence!("dbview-law-fixed"),
    };
    let at = |p: Percentile| p.value().map_or_else(|| "-".to_owned(), |n| n.to_string());
    let (p50, p99) = (at(arrivals.begun.p50), at(arrivals.begun.p99));
    let longest = arrivals.begun.max.unwrap_or_default();
    sentence!("dbview-arrivals", asked, law, begun, p50, p99, longest)
}

/// Returns a row for each wave, with the latencies of the operation for which sessions wait.
fn ramp(judged: &DbJudgement) -> Table {
    let by_rate = judged.waves.iter().any(|w| w.arrivals.is_some());
    let rate = |wave: &WaveFigures, f: &Option<OpFigures>| {
        let is_best = judged.ramp.as_ref().is_some_and(|r| r.best == wave.processes);
        let cell = Cell::or_blank(f.as_ref().map(|f| Value::from(f.rate)));
        if is_best { cell.strong() } else { cell }
    };
    let workers = |wave: &WaveFigures| Cell::from(Value::Setting(wave.processes.into())).strong();
    let mut table = Table::builder("waves", judged.waves.iter().enumerate())
        .column(Column::text("", ""), |(at, wave)| signs(judged, at, wave))
        .column(Column::figure("workers", "dbview-head-processes"), |(_, wave)| workers(wave));
    if by_rate {
        table = table.column(Column::figure("asked", "dbview-head-asked"), |(_, wave)| {
            Cell::or_blank(wave.arrivals.as_ref().and_then(|a| a.asked.rate()))
        });
    }
    let mut table = table
        .column(Column::figure("reads", "dbview-head-reads"), |(_, wave)| rate(wave, &wave.reads))
        .column(Column::figure("updates", "dbview-head-updates"), |(_, wave)| rate(wave, &wave.updates))
        .column(Column::figure("gain", "dbview-head-gain").rank(2), |(_, w)| Cell::or_blank(w.gain.map(Value::Change)))
        .columns(columns::times(3, 1, 0), |(_, wave)| match wave.waited() {
            Some(waited) => columns::time_cells(waited),
            None => std::array::from_fn(|_| Value::Unknown.into()),
        })
        .build();
    legend(&mut table, judged);
    table
}

fn signs(judged: &DbJudgement, at: usize, wave: &WaveFigures) -> Value {
    let met = judged.need_limit.as_ref().and_then(|limit| limit.outcomes.get(at).copied());
    let mut signs: Vec<Option<(Sign, Tone)>> = Vec::new();
    signs.extend(wave.accepted.or(met).map(|outcome: Outcome| Some((outcome.into(), outcome.into()))));
    if let Some(ramp) = &judged.ramp {
        signs.push((ramp.gain_until == wave.processes).then_some((Sign::KNEE, Tone::Measured)));
        signs.push((ramp.best == wave.processes).then_some((Sign::BEST, Tone::Pass)));
    }
    Value::Signs(signs)
}

fn legend(table: &mut Table, judged: &DbJudgement) {
    let mut explain = |sign: Sign, tone, text: Sentence| table.legend.push(Text::new(text).tone(tone).sign(sign));
    if let Some(ramp) = &judged.ramp {
        explain(Sign::KNEE, Tone::Measured, sentence!("dbview-last-gain"));
        explain(Sign::BEST, Tone::Pass, sentence!("dbview-best"));
        if !ramp.accept.is_empty() {
            let wanted = listed(ramp.accept.iter().map(ToString::to_string));
            explain(Sign::YES, Tone::Pass, sentence!("dbview-accepted", wanted));
        }
    }
    if let Some(limit) = judged.need_limit.as_ref().filter(|_| judged.waves.iter().all(|w| w.accepted.is_none())) {
        explain(Sign::YES, Tone::Pass, sentence!("dbview-met", needs = limit.needs.join(", ")));
    }
    if let Some(wave) = judged.waves.first() {
        table.remark(match (&wave.reads, &wave.transactions) {
            (Some(_), _) => sentence!("dbview-of-reads"),
            (None, Some(_)) => sentence!("dbview-of-transactions"),
            (None, None) => sentence!("dbview-of-updates"),
        });
    }
}

/// Returns the charts of the screen: rate and latency by the number of workers.
fn charts(judged: &DbJudgement) -> [Chart; 2] {
    let series = |name: Sentence, value: &dyn Fn(&WaveFigures) -> Option<f64>| {
        let points = judged.waves.iter().filter_map(|w| Some([f64::from(w.processes), value(w)?])).collect();
        Series { name, points, ..Series::default() }
    };
    let chart = |id, y: Axis, series: Vec<Series>| {
        let x = Axis::new("dbview-head-processes", Unit::Count, Scale::Log2);
        Chart::on_screen(id, Plot::Lines(Lines::new(x, [vec![y]], series)))
    };
    let mean = |w: &WaveFigures| Some(w.waited()?.mean?.as_nanos() as f64);
    let p99 = |w: &WaveFigures| Some(w.waited()?.p99.value()?.as_nanos() as f64);
    let latencies = vec![series(sentence!("page-mean"), &mean), series(sentence!("show-chart-p99"), &p99)];
    let rates = vec![series(sentence!("dbview-chart-rate"), &|w| Some(w.rate.value))];
    [
        chart("rate", Axis::new("page-rate", Unit::PerSecond, Scale::Zero), rates),
        chart("latency", Axis::new("page-latency", Unit::Nanos, Scale::Log10), latencies),
    ]
}
