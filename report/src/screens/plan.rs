//! The screen of `--plan`: facts about this machine, and what a run would do on it.

use crate::Style;
use crate::document::Notes;
use crate::kinds::words::{cache, host_line, role};
use crate::render::stack::{self, Detail};
use crate::render::terminal;
use crate::widgets::figures::{count, duration};
use crate::widgets::ink::{clauses, listed, op_word};
use crate::widgets::page::{LABEL, Page};
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Hue, Line, Paint, width};
use messages::{Sentence, message, sentence};
use model::{
    BytesPerSecond, Caveat, EngineFacts, ErrorPolicy, Iops, Limit, LimitAxis, LimitSource, MetadataShape, Nanos,
    Pacing, Plan, Preflight, RunKind, Stage, TargetKind, TimerFacts, thousands,
};
use std::io::{self, Write};

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
    let mut page = Page::new(style, out);
    summary(&mut page, plan)?;
    page.blank()?;
    page.heading(page.ink.word("plan-found"), "")?;
    machine(&mut page, preflight)?;
    storage(&mut page, plan, preflight)?;
    // Metadata operations use no engine and have no known limits.
    if !matches!(plan.kind, RunKind::Metadata) {
        limits(&mut page, plan, preflight)?;
        engines(&mut page, &preflight.engines, &preflight.engine_choice)?;
        clock(&mut page, preflight)?;
    }
    if !doubts.is_empty() {
        let notes = Notes::new(doubts, None);
        terminal::counts(&mut page, &notes)?;
        for note in notes.doubts() {
            let evidence = clauses(note.evidence.iter().map(|e| page.ink.translate(&e.text)));
            let evidence = page.ink.translate(evidence);
            terminal::doubt(&mut page, note, &evidence)?;
        }
    }
    page.blank()?;
    if matches!(plan.kind, RunKind::Metadata) {
        page.heading(page.ink.word("plan-done"), "")?;
        phases(&mut page, plan)?;
    } else {
        let most = page.ink.format(&message!("plan-at-most", time = duration(plan.expected_time())));
        page.heading(page.ink.word("plan-done"), &most)?;
        stages(&mut page, plan)?;
        writes(&mut page, plan, preflight)?;
    }
    for (i, line) in opens.iter().enumerate() {
        let label = if i == 0 { page.ink.word("label-opens") } else { "" };
        page.labelled(label, Paint::DIM, line, Paint::PLAIN)?;
    }
    Ok(())
}

fn summary(page: &mut Page, plan: &Plan) -> io::Result<()> {
    if matches!(plan.kind, RunKind::Metadata) {
        let (files, n, bytes) = names(plan);
        let path = plan.target.path.display().to_string();
        let text = message!("plan-of-names", command = &plan.command, path, files = count(files), n, bytes);
        return page.labelled(page.ink.word("label-plan"), Paint::BOLD, &page.ink.format(&text), Paint::BOLD);
    }
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
    let text = if several > 1 {
        let paths = listed(plan.targets.iter().map(|t| format!("{} {}", t.name, t.target.path.display())));
        message!("plan-of-several", command, several, paths, size, cache, n, time)
    } else {
        message!("plan-of-one", command, kind, path = target.path.display().to_string(), size, cache, n, time)
    };
    page.labelled(page.ink.word("label-plan"), Paint::BOLD, &page.ink.format(&text), Paint::BOLD)
}

/// Returns the size of a metadata plan: files of each shape, threads, and total bytes written.
fn names(plan: &Plan) -> (u64, usize, model::Bytes) {
    let wave = plan.waves().next().unwrap_or_default();
    let files = wave.iter().filter_map(|s| s.job.tuning.work.metadata()).map(|rule| rule.files).sum::<u64>();
    (files, wave.len(), MetadataShape::Hard.file_size().times(files))
}

/// Writes the phases of a metadata plan.
fn phases(page: &mut Page, plan: &Plan) -> io::Result<()> {
    let ink = page.ink;
    let [phase, files] = ["metadata-head-phase", "metadata-head-files"].map(|id| ink.word(id));
    let mut table = Table::new(vec![Column::right("#"), Column::left(phase), Column::right(files)], 1);
    let rules = plan.waves().filter_map(|wave| wave.first()?.job.tuning.work.metadata());
    let (each, ..) = names(plan);
    for (i, rule) in rules.enumerate() {
        let number = Line::new().with((i + 1).to_string(), Paint::DIM);
        table.row(vec![number, Line::new().with(rule.to_string(), Paint::BOLD), Line::plain(count(each))]);
    }
    table.write(page)?;
    page.blank()?;
    for (i, need) in plan.needs.iter().enumerate() {
        let label = if i == 0 { ink.word("label-plan-needs") } else { "" };
        page.labelled(label, Paint::DIM, &need.text, Paint::PLAIN)?;
    }
    Ok(())
}

/// Returns the stages of one target; with several targets, all have the same stages.
fn own_stages(plan: &Plan) -> impl Iterator<Item = &Stage> {
    plan.stages.iter().filter(|s| s.place.side == 0)
}

fn machine(page: &mut Page, preflight: &Preflight) -> io::Result<()> {
    let h = &preflight.host;
    let ink = page.ink;
    page.labelled(ink.word("label-host"), Paint::DIM, &ink.translate(host_line(h)), Paint::PLAIN)?;
    let mut memory = vec![sentence!("plan-memory", available = h.memory_available, memory = h.memory)];
    memory.extend(h.memory_limit.map(|limit| sentence!("plan-memory-allowed", limit)));
    page.labelled(ink.word("label-memory"), Paint::DIM, &ink.translate(clauses(memory)), Paint::PLAIN)
}

fn storage(page: &mut Page, plan: &Plan, preflight: &Preflight) -> io::Result<()> {
    let under = stack::named(preflight, &plan.targets);
    stack::write(page, &under, Detail::Full)?;
    for (i, (names, s)) in under.iter().enumerate() {
        let (text, paint) = match (&s.direct_refused, &s.direct_align) {
            (Some(why), _) => (sentence!("plan-no-direct", why), Paint::new(Hue::Doubt)),
            (None, Some((grain, how))) => {
                (sentence!("plan-direct-grain", grain = grain.to_string(), how = how.to_string()), Paint::PLAIN)
            }
            (None, None) => (sentence!("plan-direct-unknown"), Paint::new(Hue::Doubt)),
        };
        let label = if i == 0 { page.ink.word("label-direct") } else { "" };
        page.labelled(label, Paint::DIM, &page.ink.translate(stack::with_names(names, text)), paint)?;
    }
    Ok(())
}

/// Writes the limits declared for the run and those found on the machine, in one table with their sources.
fn limits(page: &mut Page, plan: &Plan, preflight: &Preflight) -> io::Result<()> {
    let mut limits: Vec<&Limit> = Vec::new();
    for limit in plan.limits.iter().chain(&preflight.limits) {
        if !limits.contains(&limit) {
            limits.push(limit);
        }
    }
    if limits.is_empty() {
        let ink = page.ink;
        return page.labelled(ink.word("label-limits"), Paint::DIM, ink.word("plan-no-limits"), Paint::PLAIN);
    }
    let mut table = Table::new(
        vec![
            Column::left(page.ink.word("head-limit")),
            Column::left(page.ink.word("plan-head-on")),
            Column::right("IOPS"),
            Column::right("MB/s"),
            Column::right(page.ink.word("plan-head-crossover")),
            Column::left(page.ink.word("plan-head-burst")).droppable(2),
            Column::left(page.ink.word("page-source")).droppable(1),
        ],
        LABEL,
    );
    let name_room = limits.iter().map(|l| width(&page.ink.text(&l.name))).max().unwrap_or(0).min(26);
    let burst_room = limits.iter().map(|l| burst(l).chars().count()).max().unwrap_or(0);
    let room = page.ink.width.saturating_sub(LABEL + 34 + name_room.max(18) + burst_room).max(10);
    for limit in &limits {
        let source = match &limit.source {
            LimitSource::Declared(_) => page.ink.word("plan-declared").to_owned(),
            LimitSource::Cgroup { file } => file.clone(),
            LimitSource::Catalog { row, date, .. } => format!("{date}, {row}"),
        };
        table.row(vec![
            Line::new().with(page.ink.clipped(&limit.name, name_room.max(18)), Paint::BOLD),
            Line::plain(page.ink.translate(on(limit))),
            Line::plain(limit.iops.map_or_else(|| "-".to_owned(), |Iops(v)| thousands(v))),
            Line::plain(limit.bandwidth.map_or_else(|| "-".to_owned(), crate::widgets::figures::megabytes)),
            Line::plain(limit.crossover().map_or_else(|| "-".to_owned(), |b| b.to_string())),
            Line::plain(burst(limit)),
            Line::new().with(page.ink.clipped(&source, room), Paint::DIM),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}

/// Formats the burst rate of a limit: `18,750 IOPS, 593.8 MB/s`.
fn burst(limit: &Limit) -> String {
    let iops = limit.burst(LimitAxis::Iops).map(|b| format!("{} IOPS", thousands(b.rate)));
    let bytes = limit.burst(LimitAxis::Bandwidth).map(|b| BytesPerSecond(b.rate).to_string());
    [iops, bytes].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Describes the operations and targets to which a limit applies: `all`, `read`, `read of A`.
fn on(limit: &Limit) -> Sentence {
    let op = match limit.op {
        None => sentence!("plan-on-all"),
        Some(op) => op_word(op),
    };
    if limit.on.is_empty() { op } else { sentence!("plan-on-of", op, targets = limit.on.join(" + ")) }
}

fn engines(page: &mut Page, engines: &[EngineFacts], choice: impl Into<Sentence>) -> io::Result<()> {
    let widest = engines.iter().map(|e| width(&page.ink.text(&e.name))).max().unwrap_or(0).min(16);
    for (i, engine) in engines.iter().enumerate() {
        let mut lead = Line::new().with(if i == 0 { page.ink.word("label-engines") } else { "" }, Paint::DIM);
        lead.pad_to(LABEL);
        let (sign, hue) = match engine.unavailable {
            None => (page.ink.glyphs().yes, Hue::Pass),
            Some(_) => (page.ink.glyphs().no, Hue::Dim),
        };
        lead.push(format!("{sign} "), Paint::new(hue));
        lead.push(page.ink.clipped(&engine.name, 16), Paint::PLAIN);
        let text = match &engine.unavailable {
            Some(why) => page.ink.translate(why),
            None => page.ink.word("plan-works").to_owned(),
        };
        page.hanging(lead, LABEL + 4 + widest, &text, Paint::DIM)?;
    }
    let choice = page.ink.translate(choice);
    if choice.is_empty() {
        Ok(())
    } else {
        page.labelled(page.ink.word("label-chosen"), Paint::DIM, &choice, Paint::PLAIN)
    }
}

fn clock(page: &mut Page, preflight: &Preflight) -> io::Result<()> {
    let t: &TimerFacts = &preflight.timer;
    let (clock, cost, spin) = (&t.clock, t.cost, t.spin);
    let text = message!("plan-clock", clock, cost, spin, most = t.gap_max, p999 = t.gap_p999, long = t.gaps_over_1ms);
    let ink = page.ink;
    page.labelled(ink.word("label-clock"), Paint::DIM, &ink.format(&text), Paint::PLAIN)?;
    let ceiling = match preflight.ceiling {
        Some((one, deep)) => {
            message!("plan-ceiling", one = thousands(one.per_second()), deep = thousands(deep.per_second()))
        }
        None => message!("plan-no-ceiling"),
    };
    page.labelled(ink.word("label-ceiling"), Paint::DIM, &ink.format(&ceiling), Paint::PLAIN)
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

fn stages(page: &mut Page, plan: &Plan) -> io::Result<()> {
    let ink = page.ink;
    let mut table = Table::new(
        vec![
            Column::right("#"),
            Column::left(ink.word("page-workload")),
            Column::left(ink.word("plan-head-for")),
            Column::left(ink.word("head-engine")).droppable(2),
            Column::left(ink.word("plan-head-depth")),
            Column::left(ink.word("plan-head-pace")).droppable(1),
            Column::right(ink.word("plan-head-each")).droppable(3),
            Column::right(ink.word("plan-head-most")),
        ],
        1,
    );
    for (i, stage) in own_stages(plan).enumerate() {
        let pace = match stage.job.workload.pacing {
            Pacing::Closed => String::new(),
            Pacing::Fixed(rate) => ink.format(&message!("plan-pace-even", rate = rate.to_string())),
            Pacing::Poisson(rate) => ink.format(&message!("plan-pace-poisson", rate = rate.to_string())),
            Pacing::Rates(rates) => rates.to_string(),
        };
        table.row(vec![
            Line::new().with((i + 1).to_string(), Paint::DIM),
            Line::new().with(page.ink.clipped(&stage.job.workload.label(), 28), Paint::BOLD),
            Line::plain(ink.word(role(stage.role))),
            Line::plain(page.ink.clipped(&stage.job.engine, 12)),
            Line::plain(ink.translate(levels(stage))),
            Line::plain(pace),
            Line::new().with(duration(stage.job.stop.ramp.saturating_add(stage.job.stop.time)), Paint::DIM),
            Line::plain(duration(stage.expected_time())),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    let early = own_stages(plan).any(|s| s.job.stop.steady_after.is_some() || s.ramp.is_some());
    if early {
        page.hanging(Line::plain(" "), 1, ink.word("plan-early"), Paint::DIM)?;
    }
    page.blank()
}

/// Writes how much the run writes to the storage: the size of the fill, and the duration of the stages that write.
fn writes(page: &mut Page, plan: &Plan, preflight: &Preflight) -> io::Result<()> {
    let ink = page.ink;
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
    let text = ink.translate(clauses([fill, during].into_iter().chain(bound)));
    page.labelled(ink.word("label-writes"), Paint::DIM, &text, Paint::PLAIN)?;
    // The amount that is known in advance: the bound on all writes if there is one, otherwise the fill.
    let known = plan.max_written.unwrap_or(plan.fill);
    if let Some(share) = preflight.storage.share_of_disk(known) {
        let health = preflight.storage.disk().and_then(|d| d.health.as_ref());
        let life = health.and_then(|h| h.written).map(|bytes| sentence!("plan-written-before", bytes));
        let shares = clauses([sentence!("plan-share", bytes = known, share)].into_iter().chain(life));
        page.hanging(Line::plain("          "), 10, &ink.translate(shares), Paint::PLAIN)?;
    }
    let kept = if plan.keep { sentence!("plan-kept") } else { sentence!("plan-removed") };
    let text = clauses([kept, errors(plan), sentence!("plan-hang", time = duration(plan.hang))]);
    page.labelled(ink.word("label-then"), Paint::DIM, &ink.translate(text), Paint::PLAIN)?;
    for (i, need) in plan.needs.iter().enumerate() {
        let label = if i == 0 { ink.word("label-plan-needs") } else { "" };
        page.labelled(label, Paint::DIM, &need.text, Paint::PLAIN)?;
    }
    Ok(())
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
