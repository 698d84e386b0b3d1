//! `secchi watch`: what the storage is doing right now, by device, role and process; kept as a run like any other.

mod child;
mod export;
mod listen;
#[cfg(feature = "dashboard")]
mod screen;
mod sink;
mod subjects;

use crate::args::{TraceArgs, Watch};
use crate::exit::{self, Code, coded};
use crate::session::RunSession;
use crate::session::journal_sink::JournalSink;
use crate::session::launch::{self, Reach};
use crate::session::measure::identity;
use crate::session::recorder::{Recorded, Recorder};
use crate::session::run_store::open_store;
use crate::terminal::{self, Live};
use anyhow::Result;
use child::Child;
use export::Exports;
use listen::Listener;
use model::{
    AlertFigure, Bytes, Judgement, Limit, Nanos, Plan, Preflight, RolePath, RunRecord, RunState, Target, WatchPlan,
    clip, nearest,
};
use monitor::samplers::MoreDisks;
use run::{ChildCommand, Interrupt, RequestTap, WatchControl, conduct_watch};
use sink::{View, WatchSink};
use std::path::Path;
use subjects::Found;
use sys::RunClock;

/// Looks closer than this measure the looking.
const SHORTEST: Nanos = Nanos::from_millis(10);
/// Looks further apart than this are another tool's work.
const LONGEST: Nanos = Nanos::from_secs(3_600);

pub fn run(options: &Watch) -> Result<Code> {
    check(options)?;
    if let Some(code) = launch::refusal(Reach::OneHost("watch"))? {
        return Ok(code);
    }
    watch(options, None)
}

/// Watches, and keeps every request: `secchi record`.
pub fn record(options: &Watch, recorder: Recorder) -> Result<Code> {
    check(options)?;
    watch(options, Some(recorder))
}

/// What can be wrong without looking at the machine.
fn check(options: &Watch) -> Result<()> {
    let bad = |text: String| Err(coded(exit::BAD_INPUT, text));
    if !(SHORTEST..=LONGEST).contains(&options.interval) {
        return bad(format!("--interval {}: it must be 10ms to 1h", options.interval));
    }
    if let Some(length) = options.length.filter(|l| *l < options.interval) {
        return bad(format!("--for {length}: that is shorter than one interval of {}", options.interval));
    }
    if let Some(alert) = options.alerts.iter().find(|a| a.figure == AlertFigure::P99 && !options.trace_blocks) {
        return bad(format!(
            "--alert '{}': p99 of a device is known from a trace of the block layer alone: add --trace-blocks, or name await, the mean",
            clip(&alert.text)
        ));
    }
    let capped = !(options.limits.is_empty() && options.volumes.is_empty() && options.instance.is_none());
    if let Some(alert) = options.alerts.iter().find(|a| a.figure == AlertFigure::Cap && !capped) {
        let text = clip(&alert.text);
        return bad(format!("--alert '{text}': there is no cap: name one with --limit, --volume or --instance"));
    }
    if let Some(address) = options.listen.filter(|a| !a.ip().is_loopback()) {
        return bad(format!("--listen {address}: only this machine may ask (127.0.0.1 or [::1])"));
    }
    Ok(())
}

fn watch(options: &Watch, recorder: Option<Recorder>) -> Result<Code> {
    let clock = RunClock::start();
    let found = Found::find(options)?;
    let limits = limits_of(options, &found)?;
    check_alerts(options, &found, &limits)?;
    let mut child = Child::new(&options.command)?;
    let exports = Exports::open(options)?;
    let listener = options.listen.map(Listener::bind).transpose()?;
    let plan = plan(options, &found, limits);
    let watch = plan.watch.as_deref().expect("a watch's plan has one");
    let interrupt = Interrupt::default();
    child.catch_signals(&interrupt)?;
    let mut live = Live::new(true);
    let store = open_store(options.store.store.as_ref(), &mut live)?;
    let identity = identity(&clock, found.notes.clone());
    let facts = preflight(&found);
    let journal = JournalSink::new(store, live, None);
    // The last thing before it begins: errors until here are lines.
    let quiet = recorder.as_ref().is_some_and(|recorder| recorder.quiet);
    let view = if quiet { View::Nothing } else { View::choose(options, watch)? };
    let roles = roles_of(options);
    let mut recorder = recorder.map(|recorder| recorder.start(&plan, options.layer, &roles, &identity)).transpose()?;
    if view.is_picture() {
        child.keep_output()?;
    } else if options.json {
        child.use_standard_error();
    }
    let mut seen = WatchSink::new(journal, view, exports, listener, &plan, &identity);
    seen.set_alert(options.on_alert.clone(), options.until_alert);
    let companion = (!options.command.is_empty()).then_some(&mut child as &mut dyn ChildCommand);
    if let Some(recorder) = &recorder {
        seen.end_when(recorder.failed.clone());
    }
    let requests = recorder.as_mut().and_then(|recorder| recorder.requests.take());
    let tap = requests.map(|requests| RequestTap { layer: options.layer, roles, requests });
    let around = WatchControl { command: companion, interrupt: &interrupt, tap };
    let subjects = found.subjects.clone();
    let ending = conduct_watch(&clock, &plan, &facts, &identity, &found.doubts, subjects, around, &mut seen);
    let (mut journal, exports) = seen.finish();
    child.print_output()?;
    let mut session = RunSession::ended(&mut journal)?;
    session.close(&mut journal, &session.judgement.verdict.clone());
    let outcome = exports.write(&session.record, &session.judgement);
    let Some(recorder) = recorder else {
        let outcome = outcome.and(print_summary(options, &session.record, &session.judgement));
        session.print_kept();
        return outcome.map(|()| session.kept().code(session.judged()));
    };
    let recorded = recorder.finish();
    session.print_kept();
    if ending.state == RunState::Failed {
        // Nothing was recorded: what lies there is ours, and says nothing.
        if let Ok((path, recorded)) = &recorded
            && recorded.is_empty()
        {
            let _ = std::fs::remove_file(path);
        }
        return Err(coded(exit::CANNOT, ending.reason.to_string()));
    }
    let (path, recorded) = recorded?;
    print_recorded(options, &path, &recorded)?;
    let code = session.kept().code(session.judged());
    Ok(if code == exit::OK && !recorded.is_whole() { exit::INVALID } else { code })
}

/// What was recorded; beside a command's own output it goes to standard error.
fn print_recorded(options: &Watch, path: &Path, recorded: &Recorded) -> Result<()> {
    let write = |_: &report::Style, out: &mut dyn std::io::Write| {
        recorded.sentences(path).iter().try_for_each(|line| writeln!(out, "{}", terminal::translate(line)))
    };
    if options.command.is_empty() {
        return terminal::print(write);
    }
    terminal::print_error(write);
    Ok(())
}

/// The summary; beside a command's own output it goes to standard error.
fn print_summary(options: &Watch, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    if options.json {
        return terminal::print_run(record, judgement, terminal::Shown::Json);
    }
    let write = |style: &report::Style, out: &mut dyn std::io::Write| {
        // Apart from the lines before it.
        out.write_all(b"\n").and_then(|()| report::write_terminal(record, judgement, style, out))
    };
    if options.command.is_empty() {
        return terminal::print(write);
    }
    terminal::print_error(write);
    Ok(())
}

/// Declared limits, and those of what was bought.
fn limits_of(options: &Watch, found: &Found) -> Result<Vec<Limit>> {
    let names: Vec<&str> = found.names();
    let unknown = |limit: &&Limit| limit.on.iter().any(|on| !names.contains(&on.as_str()));
    if let Some(limit) = options.limits.iter().find(unknown) {
        let on = limit.on.iter().find(|on| !names.contains(&on.as_str())).expect("it was found for one");
        let near = nearest(on, names.iter().copied()).map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
        let text = format!("limit `{limit}`: `{}` is no role and no device watched{near}", clip(on));
        return Err(coded(exit::BAD_INPUT, text));
    }
    let mut limits = options.limits.clone();
    if options.volumes.is_empty() && options.instance.is_none() {
        if !options.catalog.catalogs.is_empty() {
            let text = "--catalog adds rows to choose from: name one with --volume or --instance";
            return Err(coded(exit::BAD_INPUT, text));
        }
        return Ok(limits);
    }
    let catalog = crate::inputs::catalogue::catalogue(&options.catalog)?;
    let bought = |volume: Option<&String>, instance: Option<&String>| {
        crate::inputs::catalogue::Bought::from_catalog(&catalog, volume, instance).map(|b| b.limits_of_a_run())
    };
    for volume in &options.volumes {
        let named = volume.split_once('=').filter(|(name, _)| names.contains(name));
        match named {
            Some((name, spec)) => {
                let own = bought(Some(&spec.to_owned()), None)?;
                limits.extend(own.into_iter().map(|l| Limit { on: vec![name.to_owned()], ..l }));
            }
            None => limits.extend(bought(Some(volume), None)?),
        }
    }
    limits.extend(bought(None, options.instance.as_ref())?);
    Ok(limits)
}

/// What an alert is about must be watched.
fn check_alerts(options: &Watch, found: &Found, limits: &[Limit]) -> Result<()> {
    for alert in &options.alerts {
        let names: Vec<&str> = match alert.figure {
            AlertFigure::Cap => limits.iter().map(|l| l.name.as_str()).collect(),
            _ => found.names(),
        };
        let later = found.subjects.more != MoreDisks::None && alert.figure != AlertFigure::Cap;
        if let Some(on) = alert.on.iter().find(|on| !names.contains(&on.as_str())).filter(|_| !later) {
            let near =
                nearest(on, names.iter().copied()).map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
            let what = if alert.figure == AlertFigure::Cap { "no cap" } else { "no role and no device watched" };
            return Err(coded(exit::BAD_INPUT, format!("alert `{alert}`: `{}` is {what}{near}", clip(on))));
        }
    }
    Ok(())
}

fn plan(options: &Watch, found: &Found, limits: Vec<Limit>) -> Plan {
    let text = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    let watch = WatchPlan {
        interval: options.interval,
        length: options.length,
        devices: found.devices.clone(),
        all_devices: found.subjects.more != MoreDisks::None,
        processes: found.processes.clone(),
        groups: found.groups.clone(),
        command: options.command.iter().map(text).collect(),
        alerts: options.alerts.clone(),
    };
    let target = Target::null(watch.summary(), Bytes(0));
    Plan {
        args: std::env::args_os().skip(2).map(|a| text(&a)).collect(),
        limits,
        trace: TraceArgs { trace_blocks: options.trace_blocks, roles: Vec::new() }.rule(|| roles_of(options)),
        watch: Some(Box::new(watch)),
        ..Plan::new("watch", target, Vec::new(), Nanos(0))
    }
}

/// Roles are files here, where their devices are watched as a whole.
fn roles_of(options: &Watch) -> Vec<RolePath> {
    // Looked at from threads of their own, whenever: relative names must not change their meaning.
    let fixed = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    options.roles.iter().map(|r| RolePath { role: r.name.clone(), path: fixed(&r.path) }).collect()
}

/// What is known of the machine: no clock is tried and no engine, for none is used.
fn preflight(found: &Found) -> Preflight {
    let roots = monitor::Roots::host();
    let mut facts = Preflight { host: monitor::facts::host(&roots), ..Preflight::default() };
    facts.storage.devices = found.facts.clone();
    facts
}
