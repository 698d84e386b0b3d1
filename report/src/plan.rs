//! The screen of `--plan`: what was found on this machine, and what a run would do to it.

use crate::Style;
use crate::figures::duration;
use crate::formats::host_line;
use crate::page::{LABEL, Page};
use crate::stack::{self, Detail};
use crate::table::{Column, Table};
use crate::text::{Hue, Line, Paint};
use model::{
    BytesPerSecond, EngineFacts, ErrorPolicy, Iops, Limit, LimitAxis, LimitSource, Nanos, Pacing, Plan, Preflight,
    Stage, StageRole, TargetKind, TimerFacts, thousands,
};
use std::io::{self, Write};

/// Writes what preflight found and what `plan` would do. `opens` are the files the run would open or create, one line
/// each, in words.
///
/// # Errors
/// Those of `out`.
pub fn write_plan(
    plan: &Plan,
    preflight: &Preflight,
    opens: &[String],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(style, out);
    summary(&mut page, plan)?;
    page.blank()?;
    page.heading("found on this machine", "")?;
    machine(&mut page, preflight)?;
    storage(&mut page, plan, preflight)?;
    limits(&mut page, plan, preflight)?;
    engines(&mut page, &preflight.engines, &preflight.engine_choice)?;
    clock(&mut page, preflight)?;
    page.blank()?;
    page.heading("would be done", &format!("at most {}", duration(plan.expected_time())))?;
    stages(&mut page, plan)?;
    writes(&mut page, plan, preflight)?;
    for (i, line) in opens.iter().enumerate() {
        page.labelled(if i == 0 { "opens" } else { "" }, Paint::DIM, line, Paint::PLAIN)?;
    }
    Ok(())
}

fn summary(page: &mut Page, plan: &Plan) -> io::Result<()> {
    let target = &plan.target;
    let kind = match target.kind {
        TargetKind::File => "file",
        TargetKind::Device => "device",
        TargetKind::Null => "null target",
    };
    let several = plan.targets.len();
    let what = if several > 1 {
        let paths: Vec<String> =
            plan.targets.iter().map(|t| format!("{} {}", t.name, t.target.path.display())).collect();
        format!("{several} targets side by side ({})", paths.join(", "))
    } else {
        format!("{kind} {}", target.path.display())
    };
    let text = format!(
        "{} of {what}, {}{}, {}: {} stages, {} thoroughness; nothing has been written yet",
        plan.command,
        target.size,
        if several > 1 { " each" } else { "" },
        if target.direct { "direct" } else { "through the page cache" },
        own_stages(plan).count(),
        plan.time.name(),
    );
    page.labelled("PLAN", Paint::BOLD, &text, Paint::BOLD)
}

/// Stages as one target has them: of several side by side all do the same.
fn own_stages(plan: &Plan) -> impl Iterator<Item = &Stage> {
    plan.stages.iter().filter(|s| s.place.side == 0)
}

fn machine(page: &mut Page, preflight: &Preflight) -> io::Result<()> {
    let h = &preflight.host;
    page.labelled("host", Paint::DIM, &host_line(h), Paint::PLAIN)?;
    let mut memory = format!("{} available of {}", h.memory_available, h.memory);
    if let Some(limit) = h.memory_limit {
        memory.push_str(&format!("; the control group allows {limit}"));
    }
    page.labelled("memory", Paint::DIM, &memory, Paint::PLAIN)
}

fn storage(page: &mut Page, plan: &Plan, preflight: &Preflight) -> io::Result<()> {
    let under = stack::named(preflight, &plan.targets);
    stack::write(page, &under, Detail::Full)?;
    for (i, (names, s)) in under.iter().enumerate() {
        let (text, paint) = match (&s.direct_refused, &s.direct_align) {
            (Some(why), _) => (format!("not possible here: {why}"), Paint::of(Hue::Doubt)),
            (None, Some((grain, how))) => (format!("in multiples of {grain} (found by {how})"), Paint::PLAIN),
            (None, None) => ("the grain of direct I/O is not known".to_owned(), Paint::of(Hue::Doubt)),
        };
        let label = if i == 0 { "direct" } else { "" };
        page.labelled(label, Paint::DIM, &format!("{}{text}", stack::of(names)), paint)?;
    }
    Ok(())
}

/// Limits declared for the run and limits found on the machine, in one table with where each comes from.
fn limits(page: &mut Page, plan: &Plan, preflight: &Preflight) -> io::Result<()> {
    let mut all: Vec<&Limit> = Vec::new();
    for limit in plan.limits.iter().chain(&preflight.limits) {
        if !all.contains(&limit) {
            all.push(limit);
        }
    }
    if all.is_empty() {
        return page.labelled(
            "limits",
            Paint::DIM,
            "none declared (--limit) and none found in control groups",
            Paint::PLAIN,
        );
    }
    let mut table = Table::new(
        vec![
            Column::left("limit"),
            Column::left("on"),
            Column::right("IOPS"),
            Column::right("MB/s"),
            Column::right("crossover"),
            Column::left("burst").droppable(2),
            Column::left("source").droppable(1),
        ],
        LABEL,
    );
    let name_room = all.iter().map(|l| page.ink.text(&l.name).chars().count()).max().unwrap_or(0).min(26);
    let burst_room = all.iter().map(|l| burst(l).chars().count()).max().unwrap_or(0);
    let room = page.ink.width.saturating_sub(LABEL + 34 + name_room.max(18) + burst_room).max(10);
    for limit in &all {
        let source = match &limit.source {
            LimitSource::Declared(_) => "declared".to_owned(),
            LimitSource::Cgroup { file } => file.clone(),
            LimitSource::Catalog { row, date, .. } => format!("{date}, {row}"),
        };
        table.row(vec![
            Line::new().with(page.ink.clipped(&limit.name, name_room.max(18)), Paint::BOLD),
            Line::plain(on(limit)),
            Line::plain(limit.iops.map_or_else(|| "-".to_owned(), |Iops(v)| thousands(v))),
            Line::plain(limit.bandwidth.map_or_else(|| "-".to_owned(), crate::figures::megabytes)),
            Line::plain(limit.crossover().map_or_else(|| "-".to_owned(), |b| b.to_string())),
            Line::plain(burst(limit)),
            Line::new().with(page.ink.clipped(&source, room), Paint::DIM),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)
}

/// What passes for a time: `18,750 IOPS, 593.8 MB/s`.
fn burst(limit: &Limit) -> String {
    let iops = limit.burst(LimitAxis::Iops).map(|b| format!("{} IOPS", thousands(b.rate)));
    let bytes = limit.burst(LimitAxis::Bandwidth).map(|b| BytesPerSecond(b.rate).to_string());
    [iops, bytes].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Which operations of which target a limit is on: `all`, `read`, `read of A`.
fn on(limit: &Limit) -> String {
    let op = limit.op.map_or("all", model::Op::name);
    if limit.on.is_empty() { op.to_owned() } else { format!("{op} of {}", limit.on.join(" + ")) }
}

fn engines(page: &mut Page, engines: &[EngineFacts], choice: &str) -> io::Result<()> {
    let widest = engines.iter().map(|e| page.ink.text(&e.name).len()).max().unwrap_or(0).min(16);
    for (i, engine) in engines.iter().enumerate() {
        let mut lead = Line::new().with(if i == 0 { "engines" } else { "" }, Paint::DIM);
        lead.pad_to(LABEL);
        let (sign, hue) = match engine.unavailable {
            None => (page.ink.glyphs().yes, Hue::Pass),
            Some(_) => (page.ink.glyphs().no, Hue::Dim),
        };
        lead.push(format!("{sign} "), Paint::of(hue));
        lead.push(page.ink.clipped(&engine.name, 16), Paint::PLAIN);
        let text = engine.unavailable.as_deref().unwrap_or("works here");
        page.hanging(lead, LABEL + 4 + widest, text, Paint::DIM)?;
    }
    if choice.is_empty() { Ok(()) } else { page.labelled("chosen", Paint::DIM, choice, Paint::PLAIN) }
}

fn clock(page: &mut Page, preflight: &Preflight) -> io::Result<()> {
    let t: &TimerFacts = &preflight.timer;
    let text = format!(
        "{}, {} a stamp; a thread that spun for {} was kept off its CPU for at most {} at once (p99.9 {}, {} above 1 ms)",
        t.clock, t.cost, t.spin, t.gap_max, t.gap_p999, t.gaps_over_1ms,
    );
    page.labelled("clock", Paint::DIM, &text, Paint::PLAIN)?;
    let ceiling = match preflight.ceiling {
        Some((one, deep)) => format!(
            "secchi itself, on nothing: {} IOPS a thread with one in flight, {} with 32",
            thousands(one.0),
            thousands(deep.0)
        ),
        None => "secchi's own ceiling was not measured".to_owned(),
    };
    page.labelled("ceiling", Paint::DIM, &ceiling, Paint::PLAIN)
}

fn role(stage: &Stage) -> &'static str {
    match stage.role {
        StageRole::Probe => "probe",
        StageRole::Ramp => "ramp",
        StageRole::Sweep => "sweep",
        StageRole::Fixed => "fixed",
    }
}

/// Operations in flight a stage goes through.
fn levels(stage: &Stage) -> String {
    match (&stage.ramp, &stage.follows) {
        (Some(ramp), _) => {
            let first = ramp.depths.first().copied().unwrap_or(0);
            let last = ramp.depths.last().copied().unwrap_or(0);
            let n = ramp.depths.len();
            let mut text = if n > 1 { format!("{first} to {last}, {n} levels") } else { format!("{first}") };
            if ramp.passes > 1 {
                text.push_str(&format!(", {} passes", ramp.passes));
            }
            text
        }
        (None, Some(_)) => "as the ramp ended".to_owned(),
        (None, None) => stage.job.concurrency().to_string(),
    }
}

fn stages(page: &mut Page, plan: &Plan) -> io::Result<()> {
    let mut table = Table::new(
        vec![
            Column::right("#"),
            Column::left("workload"),
            Column::left("for"),
            Column::left("engine").droppable(2),
            Column::left("in flight"),
            Column::left("pace").droppable(1),
            Column::right("each").droppable(3),
            Column::right("at most"),
        ],
        1,
    );
    for (i, stage) in own_stages(plan).enumerate() {
        let pace = match stage.job.workload.pacing {
            Pacing::Closed => String::new(),
            Pacing::Fixed(rate) => format!("{rate} IOPS, even"),
            Pacing::Poisson(rate) => format!("{rate} IOPS, Poisson"),
            Pacing::Rates(rates) => rates.to_string(),
        };
        table.row(vec![
            Line::new().with((i + 1).to_string(), Paint::DIM),
            Line::new().with(page.ink.clipped(&stage.job.workload.label(), 28), Paint::BOLD),
            Line::plain(role(stage)),
            Line::plain(page.ink.clipped(&stage.job.engine, 12)),
            Line::plain(levels(stage)),
            Line::plain(pace),
            Line::new().with(duration(Nanos(stage.job.stop.ramp.0.saturating_add(stage.job.stop.time.0))), Paint::DIM),
            Line::plain(duration(stage.expected_time())),
        ]);
    }
    let laid = table.lay(page.ink);
    page.lines(laid.lines)?;
    let early = own_stages(plan).any(|s| s.job.stop.steady_after.is_some() || s.ramp.is_some());
    if early {
        let text = "A level ends sooner when its series is steady, a ramp when more in flight gains nothing.";
        page.hanging(Line::plain(" "), 1, text, Paint::DIM)?;
    }
    page.blank()
}

/// What reaches the storage: the fill, and for how long writing stages write.
fn writes(page: &mut Page, plan: &Plan, preflight: &Preflight) -> io::Result<()> {
    let fill = if plan.fill.0 == 0 {
        "nothing to fill: the test file is whole".to_owned()
    } else {
        format!("{} of incompressible data fill the target first", plan.fill)
    };
    let writing: Vec<&Stage> = own_stages(plan).filter(|s| s.job.workload.mix.writes()).collect();
    let time = Nanos(writing.iter().map(|s| s.expected_time().0).fold(0, u64::saturating_add));
    let during = if writing.is_empty() {
        "no stage writes".to_owned()
    } else {
        format!(
            "{} of {} stages write, for at most {}, as much as the storage takes{}",
            writing.len(),
            plan.stages.len(),
            duration(time),
            ceiling(plan, time)
        )
    };
    let bound = plan
        .max_written
        .map_or_else(String::new, |most| format!("; no more than {most} in all (--max-written; --yes: no bound)"));
    page.labelled("writes", Paint::DIM, &format!("{fill}; {during}{bound}"), Paint::PLAIN)?;
    // What is known beforehand: the fill, or the bound of all.
    let known = plan.max_written.unwrap_or(plan.fill);
    if let Some(share) = preflight.storage.share_of_disk(known) {
        let health = preflight.storage.disk().and_then(|d| d.health.as_ref());
        let life =
            health.and_then(|h| h.written).map_or_else(String::new, |w| format!("; {w} were written to it before"));
        page.hanging(Line::plain("          "), 10, &format!("{known} are {share}{life}"), Paint::PLAIN)?;
    }
    let kept = if plan.keep { "the test file is kept" } else { "the test file is removed afterwards" };
    let text = format!(
        "{kept}; {}; the run is given up if an operation takes longer than {}",
        errors(plan),
        duration(plan.hang)
    );
    page.labelled("then", Paint::DIM, &text, Paint::PLAIN)?;
    for (i, need) in plan.needs.iter().enumerate() {
        page.labelled(if i == 0 { "needs" } else { "" }, Paint::DIM, &need.text, Paint::PLAIN)?;
    }
    Ok(())
}

/// What the tightest bandwidth limit known allows in `time`, as an upper bound of what is written.
fn ceiling(plan: &Plan, time: Nanos) -> String {
    let most = |l: &Limit| l.burst(LimitAxis::Bandwidth).map(|b| b.rate).or(l.bandwidth.map(|b| b.0));
    let caps = plan.limits.iter().filter(|l| l.op.is_none()).filter_map(most);
    match caps.min_by(f64::total_cmp) {
        Some(cap) => format!(" (at most {} under the declared limits)", model::Bytes((cap * time.secs()) as u64)),
        None => String::new(),
    }
}

fn errors(plan: &Plan) -> String {
    match plan.stages.first().map(|s| s.job.on_error) {
        Some(ErrorPolicy::Stop) | None => "the first I/O error ends a step".to_owned(),
        Some(ErrorPolicy::Count(n)) => format!("{n} I/O errors end a step"),
        Some(ErrorPolicy::Continue) => "I/O errors are counted and end nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::text::width;

    fn shown(style: &Style) -> String {
        let (record, _) = fixture::capped();
        let opens = vec!["create /data/secchi/test.dat (8 GiB)".to_owned()];
        let mut out = Vec::new();
        write_plan(&record.plan, &record.preflight, &opens, style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_plan_tells_what_is_found_and_what_would_be_done() {
        insta::assert_snapshot!(shown(&Style {
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
                    shown(&Style { color: false, unicode, width: columns, language: messages::Language::English });
                assert!(text.lines().all(|l| width(l) <= columns), "{columns}");
                assert!(unicode || text.is_ascii());
            }
        }
    }
}
