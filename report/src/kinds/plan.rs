//! The plan of a run: facts about this machine, and what the run would do on it.

use super::common::{self, field};
use super::words::{cache, host_line, role};
use crate::document::{Block, Cell, Column, Document, Field, Margin, Notes, Sign, Table, Tone, Value, View};
use crate::grouping::distinct;
use crate::render::stack::{self, Detail};
use crate::widgets::figures::{count, duration};
use crate::widgets::ink::{clauses, listed, op_word};
use crate::{Style, render};
use messages::{Message, Sentence, message, sentence};
use model::bounds::{LimitAxis, LimitSource};
use model::plan::{ErrorPolicy, Pacing, TargetKind};
use model::record::{EngineFacts, Preflight};
use model::{BytesPerSecond, Caveat, Limit, Nanos, Plan, RunKind, Stage, metadata::MetadataShape, units::thousands};
use std::io::{self, Write};

/// Number of blanks before the tables of the machine, as wide as the labels.
const INDENT: u8 = 9;

/// Writes the results of preflight and the actions of `plan`. `doubts` are known before any measurement; `opens` lists
/// the files that the run would open or create, one line each, in words.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_plan(
    plan: &Plan,
    preflight: &Preflight,
    doubts: &[Caveat],
    opens: &[String],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    render::terminal::write(&document(plan, preflight, doubts, opens), View::Full, style, out)
}

fn document(plan: &Plan, preflight: &Preflight, doubts: &[Caveat], opens: &[String]) -> Document {
    // Metadata operations use no engine and have no known limits.
    let is_metadata = matches!(plan.kind, RunKind::Metadata);
    let mut d = Document::new("plan", &plan.command);
    d.notes = Notes::new(doubts, None);
    let summary = if is_metadata { summary_of_names(plan) } else { summary(plan) };
    d.part("plan", "", [Block::Fields(Margin::Page, vec![field("label-plan", summary).strong()])]);
    let mut blocks = machine(plan, preflight);
    if !is_metadata {
        blocks.push(limits(plan, preflight));
        blocks.push(Block::Table(engines(&preflight.engines)));
        blocks.push(Block::Fields(Margin::Page, clock(preflight)));
    }
    blocks.extend((!doubts.is_empty()).then_some(Block::Doubts));
    d.part("found", "plan-found", blocks);
    let needs = Field::group("label-plan-needs", plan.needs.iter().map(|need| need.text.as_str()));
    let last = needs.into_iter().chain(Field::group("label-opens", opens.iter().map(String::as_str)));
    let writes = if is_metadata { Vec::new() } else { writes(plan, preflight) };
    let last = Block::Fields(Margin::Page, writes.into_iter().chain(last).collect());
    if is_metadata {
        d.part("phases", "plan-done", [Block::Table(phases(plan)), Block::Blank, last]);
    } else {
        let is_early = |s: &Stage| s.job.stop.steady_after.is_some() || s.ramp.is_some();
        let early = own_stages(plan).any(is_early).then(|| Block::remark(sentence!("plan-early")));
        let blocks = [Block::Table(stages(plan))].into_iter().chain(early).chain([Block::Blank, last]);
        d.part("stages", "plan-done", blocks).aside(message!("plan-at-most", time = duration(plan.expected_time())));
    }
    d
}

fn summary(plan: &Plan) -> Message {
    let target = &plan.target;
    let kind = match target.kind {
        TargetKind::File => message!("kind-file"),
        TargetKind::Device => message!("kind-device"),
        TargetKind::Null => message!("plan-null-target"),
        TargetKind::Served => message!("kind-served"),
    };
    let several = plan.targets.len();
    let (command, size, cache) = (&plan.command, target.size, cache(target.direct));
    let (n, time) = (own_stages(plan).count(), plan.time.name());
    if several > 1 {
        let paths = listed(plan.targets.iter().map(|t| format!("{} {}", t.name, t.target.path.display())));
        message!("plan-of-several", command, several, paths, size, cache, n, time)
    } else {
        message!("plan-of-one", command, kind, path = target.path.display().to_string(), size, cache, n, time)
    }
}

/// Returns the summary of a metadata plan: files of each shape, threads, and total bytes written.
fn summary_of_names(plan: &Plan) -> Message {
    let (files, path) = (files_each(plan), plan.target.path.display().to_string());
    let (n, bytes) = (plan.waves().next().unwrap_or_default().len(), MetadataShape::Hard.file_size().times(files));
    message!("plan-of-names", command = &plan.command, path, files = count(files), n, bytes)
}

/// Returns the number of files of each shape in a metadata plan.
fn files_each(plan: &Plan) -> u64 {
    let wave = plan.waves().next().unwrap_or_default();
    wave.iter().filter_map(|s| s.job.tuning.work.metadata()).map(|rule| rule.files).sum()
}

/// Returns the phases of a metadata plan.
fn phases(plan: &Plan) -> Table {
    let files = files_each(plan);
    let rules = plan.waves().filter_map(|wave| wave.first()?.job.tuning.work.metadata());
    Table::builder("phases", rules.enumerate())
        .column(Column::term("number", "#"), |(i, _)| number(i))
        .column(Column::text("phase", "metadata-head-phase"), |(_, rule)| Cell::name(rule))
        .column(Column::figure("files", "metadata-head-files"), |_| Value::Count(files))
        .build()
}

fn number(index: usize) -> Cell {
    Cell::from(Value::Setting(index as u64 + 1)).tone(Tone::Dim)
}

/// Returns the stages of one target; with several targets, all have the same stages.
fn own_stages(plan: &Plan) -> impl Iterator<Item = &Stage> {
    plan.stages.iter().filter(|s| s.place.side == 0)
}

/// Returns the host, the storage, and whether it accepts direct I/O.
fn machine(plan: &Plan, preflight: &Preflight) -> Vec<Block> {
    let host = &preflight.host;
    let mut memory = vec![sentence!("plan-memory", available = host.memory_available, memory = host.memory)];
    memory.extend(host.memory_limit.map(|limit| sentence!("plan-memory-allowed", limit)));
    let mut fields = vec![Field::new("label-host", host_line(host)), Field::new("label-memory", clauses(memory))];
    let mut blocks = common::storage(&mut fields, preflight, &plan.targets, Detail::Full);
    let direct = stack::named(preflight, &plan.targets).into_iter().map(|(names, storage)| {
        let (text, tone) = match (&storage.direct_refused, &storage.direct_align) {
            (Some(why), _) => (sentence!("plan-no-direct", why), Tone::Doubt),
            (None, Some((grain, how))) => {
                (sentence!("plan-direct-grain", grain = grain.to_string(), how = how.to_string()), Tone::Plain)
            }
            (None, None) => (sentence!("plan-direct-unknown"), Tone::Doubt),
        };
        (stack::with_names(&names, text), tone)
    });
    let (texts, tones): (Vec<Sentence>, Vec<Tone>) = direct.unzip();
    let fields = Field::group("label-direct", texts).into_iter().zip(tones).map(|(field, tone)| field.tone(tone));
    blocks.push(Block::Fields(Margin::Page, fields.collect()));
    blocks
}

/// Returns the limits declared for the run and those found on the machine, with their sources.
fn limits(plan: &Plan, preflight: &Preflight) -> Block {
    let limits = distinct(plan.limits.iter().chain(&preflight.limits));
    if limits.is_empty() {
        return Block::Fields(Margin::Page, vec![field("label-limits", message!("plan-no-limits"))]);
    }
    let source = |limit: &Limit| match &limit.source {
        LimitSource::Declared(_) => Value::word("plan-declared"),
        LimitSource::Cgroup { file } => Value::name(file),
        LimitSource::Catalog { row, date, .. } => Value::Name(format!("{date}, {row}")),
    };
    let table = Table::builder("limits", limits)
        .column(Column::text("limit", "head-limit").most(26), |limit| Cell::name(&limit.name))
        .column(Column::text("on", "plan-head-on"), on)
        .column(Column::term("iops", "IOPS"), |limit| limit.iops)
        .column(Column::term("bytes_per_s", "MB/s"), |limit| limit.bandwidth)
        .column(Column::figure("crossover_bytes", "plan-head-crossover"), Limit::crossover)
        .column(Column::text("burst", "plan-head-burst").rank(2), |limit| Value::Name(burst(limit)))
        .column(Column::text("source", "page-source").rank(1).most(40).least(10), |limit| {
            Cell::from(source(limit)).tone(Tone::Dim)
        });
    Block::Table(Table { indent: INDENT, ..table.build() })
}

/// Formats the burst rate of a limit: `18,750 IOPS, 593.8 MB/s`.
fn burst(limit: &Limit) -> String {
    let iops = limit.burst(LimitAxis::Iops).map(|b| format!("{} IOPS", thousands(b.rate)));
    let bytes = limit.burst(LimitAxis::Bandwidth).map(|b| BytesPerSecond(b.rate).to_string());
    [iops, bytes].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Describes the operations and targets to which a limit applies: `all`, `read`, `read of A`.
fn on(limit: &Limit) -> Sentence {
    let op = limit.op.map_or_else(|| sentence!("plan-on-all"), op_word);
    if limit.on.is_empty() { op } else { sentence!("plan-on-of", op, targets = limit.on.join(" + ")) }
}

fn engines(engines: &[EngineFacts]) -> Table {
    let table = Table::builder("engines", engines)
        .column(Column::text("engine", "head-engine").most(18), |engine| {
            let (sign, tone) = match engine.unavailable {
                None => (Sign::YES, Tone::Pass),
                Some(_) => (Sign::NO, Tone::Dim),
            };
            Cell::from(Value::name(&engine.name)).sign(sign).tone(tone)
        })
        .column(Column::text("state", "page-state").bare().wraps(), |engine| {
            let works = || sentence!("plan-works");
            Cell::from(engine.unavailable.as_ref().map_or_else(works, Sentence::from)).tone(Tone::Dim)
        });
    Table { indent: INDENT, ..table.build() }
}

/// Returns the chosen engine, the precision of the clock, and the maximum rate of the tool itself.
fn clock(preflight: &Preflight) -> Vec<Field> {
    let t = &preflight.timer;
    let (clock, cost, spin) = (&t.clock, t.cost, t.spin);
    let text = message!("plan-clock", clock, cost, spin, most = t.gap_max, p999 = t.gap_p999, long = t.gaps_over_1ms);
    let ceiling = match preflight.ceiling {
        Some((one, deep)) => {
            message!("plan-ceiling", one = thousands(one.per_second()), deep = thousands(deep.per_second()))
        }
        None => message!("plan-no-ceiling"),
    };
    let choice = Field::new("label-chosen", &preflight.engine_choice);
    let choice = (!choice.text.text.is_empty()).then_some(choice);
    choice.into_iter().chain([field("label-clock", text), field("label-ceiling", ceiling)]).collect()
}

/// Describes the concurrency levels of a stage.
fn levels(stage: &Stage) -> Sentence {
    match (&stage.ramp, &stage.follows) {
        (Some(ramp), _) => {
            let first = ramp.depths.first().copied().unwrap_or(0);
            let last = ramp.depths.last().copied().unwrap_or(0);
            let n = ramp.depths.len();
            let levels =
                if n > 1 { sentence!("plan-levels", first, last, n) } else { Sentence::from(first.to_string()) };
            if ramp.passes > 1 { sentence!("plan-passes", levels, n = ramp.passes) } else { levels }
        }
        (None, Some(_)) => sentence!("plan-as-ramp"),
        (None, None) => stage.job.concurrency().to_string().into(),
    }
}

fn stages(plan: &Plan) -> Table {
    let pace = |stage: &Stage| match stage.job.workload.pacing {
        Pacing::Closed => Sentence::default(),
        Pacing::Fixed(rate) => sentence!("plan-pace-even", rate = rate.to_string()),
        Pacing::Poisson(rate) => sentence!("plan-pace-poisson", rate = rate.to_string()),
        Pacing::Rates(rates) => rates.to_string().into(),
    };
    let each = |stage: &Stage| stage.job.stop.ramp.saturating_add(stage.job.stop.time);
    Table::builder("stages", own_stages(plan).enumerate())
        .column(Column::term("number", "#"), |(i, _)| number(i))
        .column(Column::text("workload", "page-workload").most(28), |(_, s)| Cell::name(s.job.workload.label()))
        .column(Column::text("role", "plan-head-for"), |(_, s)| Value::word(role(s.role)))
        .column(Column::text("engine", "head-engine").rank(2).most(12), |(_, s)| Value::name(&s.job.engine))
        .column(Column::text("in_flight", "plan-head-depth"), |(_, s)| levels(s))
        .column(Column::text("pace", "plan-head-pace").rank(1), |(_, s)| pace(s))
        .column(Column::figure("each_ns", "plan-head-each").rank(3), |(_, s)| {
            Cell::from(Value::Length(each(s))).tone(Tone::Dim)
        })
        .column(Column::figure("most_ns", "plan-head-most"), |(_, s)| Value::Length(s.expected_time()))
        .build()
}

/// Returns how much the run writes to the storage, and what happens to the file and after errors.
fn writes(plan: &Plan, preflight: &Preflight) -> Vec<Field> {
    let fill = match plan.fill.as_u64() {
        0 => sentence!("plan-no-fill"),
        _ => sentence!("plan-fill", bytes = plan.fill),
    };
    let writing: Vec<&Stage> = own_stages(plan).filter(|s| s.job.workload.mix.writes()).collect();
    let time = Nanos(writing.iter().map(|s| s.expected_time().as_nanos()).fold(0, u64::saturating_add));
    let (n, stages) = (writing.len(), plan.stages.len());
    let during = match ceiling(plan, time) {
        _ if n == 0 => sentence!("plan-no-writes"),
        Some(most) => sentence!("plan-writes-at-most", n, all = stages, time = duration(time), most),
        None => sentence!("plan-writes", n, all = stages, time = duration(time)),
    };
    let bound = plan.max_written.map(|most| sentence!("plan-bound", most));
    let mut fields = vec![Field::new("label-writes", clauses([fill, during].into_iter().chain(bound)))];
    // The amount that is known in advance: the bound on all writes if there is one, otherwise the fill.
    let known = plan.max_written.unwrap_or(plan.fill);
    if let Some(share) = preflight.storage.share_of_disk(known) {
        let health = preflight.storage.disk().and_then(|d| d.health.as_ref());
        let life = health.and_then(|h| h.written).map(|bytes| sentence!("plan-written-before", bytes));
        let shares = [sentence!("plan-share", bytes = known, share)].into_iter().chain(life);
        fields.push(Field::new("", clauses(shares)));
    }
    let kept = if plan.keep { sentence!("plan-kept") } else { sentence!("plan-removed") };
    let then = clauses([kept, errors(plan), sentence!("plan-hang", time = duration(plan.hang))]);
    fields.push(Field::new("label-then", then));
    fields
}

/// Returns the number of bytes that the tightest known bandwidth limit allows in `time`: an upper bound on the bytes
/// written.
fn ceiling(plan: &Plan, time: Nanos) -> Option<model::Bytes> {
    let most = |l: &Limit| l.burst(LimitAxis::Bandwidth).map(|b| b.rate).or(l.bandwidth.map(|b| b.per_second()));
    let caps = plan.limits.iter().filter(|l| l.op.is_none()).filter_map(most);
    caps.min_by(f64::total_cmp).map(|cap| model::Bytes((cap * time.secs()) as u64))
}

fn errors(plan: &Plan) -> Sentence {
    match plan.stages.first().map(|s| s.job.on_error) {
        Some(ErrorPolicy::Stop) | None => sentence!("plan-error-first"),
        Some(ErrorPolicy::Count(n)) => sentence!("plan-error-count", n),
        Some(ErrorPolicy::Continue) => sentence!("plan-error-go-on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::widgets::text::width;
    use model::Severity;

    fn screen(style: &Style) -> String {
        let (record, _) = fixture::capped();
        let opens = vec!["create /data/secchi/test.dat (8 GiB)".to_owned()];
        let doubt = Caveat::new("copy-on-write", Severity::Doubt, "what is overwritten moves", "btrfs")
            .remedy("turn copy on write off");
        let doubts = [doubt, Caveat::new("in-container", Severity::Note, "this is a container", "/.dockerenv")];
        let mut out = Vec::new();
        write_plan(&record.plan, &record.preflight, &doubts, &opens, style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_plan_tells_what_is_found_and_what_would_be_done() {
        insta::assert_snapshot!(screen(&Style {
            color: false,
            unicode: true,
            width: 100,
            language: messages::Language::English
        }));
    }

    #[test]
    fn the_plan_fits_any_screen_and_any_alphabet() {
        for columns in 40..160 {
            for unicode in [false, true] {
                let text =
                    screen(&Style { color: false, unicode, width: columns, language: messages::Language::English });
                assert!(text.lines().all(|l| width(l) <= columns), "{columns}");
                assert!(unicode || text.is_ascii());
            }
        }
    }
}
