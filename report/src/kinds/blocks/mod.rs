//! Runs of block workloads and of fio jobs: an overview, then probes, ramps with their charts, sweeps over block sizes,
//! and single levels, each with the limit that binds it.

mod binding;
mod chart;
mod levels;

use super::{charts, columns, common, traced};
use crate::ReportedRun;
use crate::document::{Block, Cell, Column, Document, Margin, Only, Sign, Table, Tile, Tone, Value, View, Word};
use crate::grouping::grouped;
use crate::overview::{Entry, entries, is_doubted, level, mode};
use crate::widgets::ink::listed;
use messages::{Sentence, message, sentence};
use model::judged::{BindingKind, ConstraintSource, FlushLatency, LevelFigures, Outcome, PatternJudgement};
use model::plan::{KindName, StageRole};
use model::{Caveat, CompactSort, Nanos, RunRecord, record::WorkloadFigures};

/// Returns the document of a run.
pub(super) fn document(run: &ReportedRun<'_>, view: View) -> Document {
    let judgement = run.judgement;
    let mut d = common::begin(run);
    d.head.answer_on_screen = true;
    if run.record.plan.kind.name() == KindName::JobFile {
        d.kind = "jobs";
    }
    d.tiles = tiles(run);
    d.figures = judgement.patterns.iter().flat_map(|p| p.levels.iter().map(|l| columns::level(p, l))).collect();
    d.part("workloads", "page-workloads", [Block::Table(overview(run))]).views(View::KEY);
    charts::add(&mut d, run, view);
    let mut parts = Parts { d, caveats: &judgement.caveats, is_screen: matches!(view, View::Full | View::Judged) };
    let having_role = |role: StageRole| judgement.patterns.iter().filter(move |p| p.role == role).collect::<Vec<_>>();
    parts.singles("probes", "show-probes", &having_role(StageRole::Probe));
    having_role(StageRole::Ramp).into_iter().for_each(|pattern| parts.ramp(pattern, view == View::Full));
    families(run).into_iter().for_each(|(ramp, members)| parts.sweep(ramp, &members));
    parts.singles("as_given", "show-as-given", &having_role(StageRole::Fixed));
    if view == View::Judged {
        let probes_only = judgement.patterns.iter().all(|p| p.role == StageRole::Probe);
        for pattern in judgement.patterns.iter().filter(|p| probes_only || p.role != StageRole::Probe) {
            let part = parts.d.part("delivered", pattern.label.clone(), binding::binding(pattern, true));
            part.aside("show-delivered").views(View::JUDGED);
        }
    }
    traced::add(&mut parts.d, run.record, &judgement.layers, view);
    common::end(&mut parts.d, run);
    parts.d
}

/// Returns rate and p99 of the first workload, the highest bandwidth, the share of a purchased limit that was used, and
/// the number of needs that are met.
fn tiles(run: &ReportedRun<'_>) -> Vec<Tile> {
    let judgement = run.judgement;
    let entries = entries(judgement);
    let Some(lead) = entries.first() else { return Vec::new() };
    let sound = || entries.iter().filter(|(_, l)| l.struck.is_none());
    let widest = sound().max_by(|a, b| a.1.bandwidth.per_second().total_cmp(&b.1.bandwidth.per_second()));
    let used = sound()
        .flat_map(|(p, _)| &p.binding.constraints)
        .filter(|c| c.source == ConstraintSource::Limit && c.used.is_finite())
        .max_by(|a, b| a.used.total_cmp(&b.used));
    // A figure with a doubt is marked in every place.
    let named = |(pattern, level): &Entry| {
        let mark = if is_doubted(level, &judgement.caveats) { " ?" } else { "" };
        format!("{}{mark}", pattern.label)
    };
    let mut tiles = Vec::new();
    if lead.1.struck.is_none() {
        let label = &lead.0.label;
        let tile = Tile::new(named(lead), model::Iops(lead.1.iops.value), Word::Term("IOPS"));
        let iops = |w: &WorkloadFigures| w.iops.map(model::Iops::per_second);
        tiles.push(Tile { earlier: run.course(label, iops, lead.1.iops.value), ..tile });
        let slow = |w: &WorkloadFigures| w.p99.map(nanos);
        let tile = |p99: Nanos| Tile {
            earlier: run.course(label, slow, nanos(p99)),
            ..Tile::new(named(lead), p99, Word::Term("p99"))
        };
        tiles.extend(lead.1.p99.value().map(tile));
    }
    let wide = |w: &WorkloadFigures| w.bandwidth.map(model::BytesPerSecond::per_second);
    tiles.extend(widest.map(|w| Tile {
        earlier: run.course(&w.0.label, wide, w.1.bandwidth.per_second()),
        ..Tile::new(named(w), w.1.bandwidth, "page-bandwidth")
    }));
    tiles.extend(used.map(|c| Tile::new(c.name.clone(), Value::Share(c.used), "page-of-bought")));
    let met = judgement.needs.iter().filter(|n| n.outcome == Outcome::Pass).count();
    let needs =
        || Tile::new(sentence!("page-needs"), Value::Name(format!("{met} / {}", judgement.needs.len())), "page-met");
    tiles.extend((!judgement.needs.is_empty()).then(needs));
    tiles
}

fn nanos(time: Nanos) -> f64 {
    time.as_nanos() as f64
}

/// Returns the section of a job file for which a workload was measured; blank for other runs.
fn section(record: &RunRecord, pattern: &PatternJudgement) -> Value {
    if record.plan.kind.name() != KindName::JobFile {
        return Value::Blank;
    }
    let stage = record.plan.stages.iter().find(|s| s.name == pattern.stage);
    let section = stage.and_then(|stage| record.plan.section_of(stage));
    Value::name(section.map_or(&pattern.stage, |section| &section.name))
}

/// Returns a row for each workload with its representative level and what binds it, and a row for its flushes, if any.
fn overview(run: &ReportedRun<'_>) -> Table {
    let [mean, _, p99, ..] = columns::times(0, 0, 0);
    // Each workload has a row, and one for its flushes, with their mean and p99.
    let rows = entries(run.judgement).into_iter().flat_map(|(pattern, level)| {
        [Some(None), level.flush.map(Some)].into_iter().flatten().map(move |flush| (pattern, level, flush))
    });
    let figure = |level: &LevelFigures, value: Value| Cell::from(value).struck(level.struck.is_some());
    let whole = |flush: Option<FlushLatency>, cell: Cell| if flush.is_none() { cell } else { Cell::default() };
    let doubt = |level| {
        let is_doubted = is_doubted(level, &run.judgement.caveats);
        Value::or_blank(is_doubted.then(|| Value::Signs(vec![Some((Sign::MAYBE, Tone::Doubt))])))
    };
    Table::builder("workloads", rows)
        .column(Column::text("job", "page-job").only(Only::Files), |(p, _, flush)| {
            whole(flush, section(run.record, p).into())
        })
        .column(Column::text("workload", "page-workload").most(28), |(p, _, flush)| match flush {
            None => Cell::name(&p.label),
            Some(_) => Cell::from(Value::word("show-its-flushes")).tone(Tone::Dim),
        })
        .column(Column::figure("in_flight", "page-in-flight").short("N").rank(2), |(_, l, flush)| {
            whole(flush, Value::Setting(l.concurrency().into()).into())
        })
        .column(Column::term("iops", "IOPS"), |(_, l, flush)| {
            let is_changed = changed(l).then_some(Sign::CHANGED);
            whole(flush, figure(l, Value::Number(l.iops.value)).sign(is_changed))
        })
        .column(Column::term("bytes_per_s", "MB/s"), |(_, l, flush)| whole(flush, figure(l, l.bandwidth.into())))
        .column(mean, |(_, l, flush)| figure(l, flush.map_or(l.mean.into(), |flush| flush.mean.into())))
        .column(p99, |(_, l, flush)| figure(l, flush.map_or(l.p99, |flush| flush.p99).into()))
        .column(Column::signs(), |(_, l, flush)| whole(flush, doubt(l).into()))
        .column(Column::text("binds", "head-binds").rank(1).most(28).least(12), |(p, _, flush)| {
            whole(flush, binds(p).into())
        })
        .build_with_subs(|(.., flush)| flush.is_some())
}

/// Returns a short description of the binding limit: names unchanged, words in the reader's language.
fn binds(pattern: &PatternJudgement) -> Value {
    Value::Text(messages::sentence(pattern.binding.in_short()))
}

/// Returns `true` if the rate changed level; the figures are then those after the change, and are marked.
fn changed(level: &LevelFigures) -> bool {
    level.steadiness.changed()
}

/// Returns the sweeps over block sizes, each with the ramp that it follows.
fn families<'a>(run: &ReportedRun<'a>) -> Vec<(Option<&'a PatternJudgement>, Vec<&'a PatternJudgement>)> {
    let patterns = &run.judgement.patterns;
    let follows = |p: &PatternJudgement| {
        run.record.plan.stages.iter().find(|s| s.name == p.stage).and_then(|s| s.follows.as_deref())
    };
    let sweeps = patterns.iter().filter(|p| p.role == StageRole::Sweep).map(|p| (follows(p), p));
    let ramp = |name: Option<&str>| patterns.iter().find(|p| name == Some(p.stage.as_str()));
    grouped(sweeps).into_iter().map(|(name, members)| (ramp(name), members)).collect()
}

/// The parts of a document with the figures of its workloads.
struct Parts<'a> {
    d: Document,
    caveats: &'a [Caveat],
    /// True for a screen, which shows less evidence than files do.
    is_screen: bool,
}

impl Parts<'_> {
    /// Adds the single levels of several workloads in one table, then the binding limit of each.
    fn singles(&mut self, id: &'static str, title: &'static str, patterns: &[&PatternJudgement]) {
        if patterns.is_empty() {
            return;
        }
        let entries: Vec<Entry> = patterns.iter().flat_map(|p| p.levels.iter().map(move |l| (*p, l))).collect();
        let mut blocks = vec![Block::Table(levels::table(&mut self.d.notes, &entries, true, self.caveats))];
        blocks.extend(self.bindings(patterns));
        self.d.part(id, title, blocks).aside(aside(None, &entries)).views(View::DETAIL);
    }

    fn bindings(&self, patterns: &[&PatternJudgement]) -> Vec<Block> {
        let is_named = |p: &PatternJudgement| p.binding.kind != BindingKind::Latency || !self.is_screen;
        let shown = patterns.iter().filter(|p| is_named(p) && !p.levels.is_empty());
        let blocks = |p: &&PatternJudgement| {
            let title = [Block::Blank, Block::Subheading(p.label.clone().into())];
            title.into_iter().chain(binding::binding(p, self.is_screen))
        };
        shown.flat_map(blocks).collect()
    }

    /// Adds a ramp: table, charts for the screen, then a description in words.
    fn ramp(&mut self, pattern: &PatternJudgement, with_charts: bool) {
        let entries: Vec<Entry> = pattern.levels.iter().map(|l| (pattern, l)).collect();
        let mut blocks = Vec::new();
        if entries.is_empty() {
            blocks.push(Block::remark(sentence!("show-no-level")));
        } else {
            blocks.push(Block::Table(levels::table(&mut self.d.notes, &entries, false, self.caveats)));
            blocks.extend(if with_charts { chart::pair(pattern) } else { Vec::new() });
            blocks.push(Block::Blank);
            blocks.extend(binding::binding(pattern, self.is_screen));
            blocks.push(Block::Fields(Margin::Part, binding::concurrency(pattern)));
        }
        let aside = aside(Some(sentence!("role-ramp")), &entries);
        self.d.part("ramp", pattern.label.clone(), blocks).aside(aside).views(View::DETAIL);
    }

    /// Adds a sweep over block sizes: equal IOPS indicate an IOPS cap, equal MB/s a bandwidth cap.
    fn sweep(&mut self, ramp: Option<&PatternJudgement>, members: &[&PatternJudgement]) {
        let mut patterns: Vec<&PatternJudgement> = ramp.into_iter().chain(members.iter().copied()).collect();
        patterns.compact_sort_by_key(|p| p.mean_size);
        let entries: Vec<Entry> = members.iter().flat_map(|p| p.levels.iter().map(move |l| (*p, l))).collect();
        let table = levels::table(&mut self.d.notes, &entries, true, self.caveats);
        let mut blocks = vec![Block::Table(sizes(&patterns))];
        blocks.extend(unclear(members));
        blocks.extend([Block::Blank, Block::Table(table)]);
        blocks.extend(if self.is_screen { Vec::new() } else { self.bindings(members) });
        let mode = mode(members[0]);
        let part = self.d.part("sizes", message!("show-block-sizes", mode), blocks);
        part.aside(aside(None, &entries)).views(View::DETAIL);
    }
}

/// Returns what all levels have in common, for the right side of a heading.
fn aside(role: Option<Sentence>, entries: &[Entry]) -> Sentence {
    let (engine, shape) = levels::common(entries);
    let shape = shape.filter(|_| role.is_none());
    let shape = shape.map(|(q, t)| sentence!("show-in-flight", n = q.saturating_mul(t)));
    listed(role.into_iter().chain(engine.map(Sentence::from)).chain(shape))
}

/// Returns rates and bandwidths of block sizes side by side.
fn sizes(patterns: &[&PatternJudgement]) -> Table {
    let levels = || patterns.iter().filter_map(|p| Some((p, level(p)?)));
    let greatest =
        |f: &dyn Fn(&LevelFigures) -> f64| levels().map(|(_, l)| f(l)).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let top_iops = greatest(&|l| l.iops.value);
    let top_bytes = greatest(&|l| l.bandwidth.per_second());
    let bar =
        |share: f64, binds: bool| Cell::from(Value::Bar(share)).tone(if binds { Tone::Limit } else { Tone::Measured });
    let bar_column = || Column::text("", "").least(4).most(24);
    let figure = |l: &LevelFigures, value: Value| {
        let changed = changed(l) && l.struck.is_none();
        let tone = if changed { Tone::Doubt } else { Tone::Plain };
        Cell::from(value).struck(l.struck.is_some()).tone(tone).sign(changed.then_some(Sign::CHANGED))
    };
    Table::builder("sizes", levels())
        .column(Column::figure("size_bytes", "page-block"), |(p, _)| Cell::name(p.mean_size.short()))
        .column(Column::term("iops", "IOPS"), |(_, l)| figure(l, Value::Number(l.iops.value)))
        .column(bar_column(), |(p, l)| bar(l.iops.value / top_iops, axes(p).0))
        .column(Column::term("bytes_per_s", "MB/s"), |(_, l)| figure(l, l.bandwidth.into()))
        .column(bar_column(), |(p, l)| bar(l.bandwidth.per_second() / top_bytes, axes(p).1))
        .column(Column::text("binds", "head-what-binds").most(30), |(p, _)| binds(p))
        .build()
}

/// Returns explanations that do not fit into the table of sizes: which measurement would decide between limits, and why
/// the load generator itself is the limit.
fn unclear(members: &[&PatternJudgement]) -> Vec<Block> {
    use BindingKind::{Generator, Undecidable};
    let unclear = members.iter().filter(|p| matches!(p.binding.kind, Generator | Undecidable));
    let statements = unclear.map(|p| (&p.binding.statement, p.mean_size.short()));
    let text = |(statement, sizes): (&Sentence, Vec<String>)| {
        Block::remark(sentence!("told-of", what = sizes.join(", "), told = statement))
    };
    grouped(statements).into_iter().map(text).collect()
}

/// Returns two flags: true if the binding limit counts operations, and true if it counts bytes.
fn axes(p: &PatternJudgement) -> (bool, bool) {
    match p.binding.kind {
        BindingKind::LimitIops | BindingKind::IopsCap => (true, false),
        BindingKind::LimitBandwidth | BindingKind::BandwidthCap => (false, true),
        BindingKind::Undecidable | BindingKind::Cap => {
            let named = |word: &str| p.binding.names.iter().any(|n| n.contains(word));
            (named("IOPS"), named("bandwidth"))
        }
        BindingKind::Latency
        | BindingKind::Generator
        | BindingKind::Device
        | BindingKind::CapOrDevice
        | BindingKind::VirtualDisk
        | BindingKind::Unknown => (false, false),
    }
}
