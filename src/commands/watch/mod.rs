//! `secchi watch`: shows current storage activity by device, role and process, and stores it like any other run.

mod child;
mod display;
mod export;
mod listen;
#[cfg(feature = "dashboard")]
mod screen;
mod subjects;

use anyhow::Result;
use child::Child;
use cli::{TraceArgs, Watch};
use display::{View, WatchDisplay};
use export::Exports;
use listen::Listener;
use model::plan::{RolePath, WatchPlan};
use model::{
    Bytes, Judgement, Limit, Nanos, Plan, RunKind, RunRecord, RunState, Target, bounds::AlertFigure, clip,
    record::Preflight, units::suggestion,
};
use monitor::samplers::MoreDisks;
use report::Style;
use run::{ChildCommand, RequestTap, RunInputs, WatchControl};
use session::console::{self, Live};
use session::exit::{self, Code, coded};
use session::launch::Reach;
use session::measure::check_system;
use session::recorder::{Recorded, Recorder};
use session::supervisor::Lifeline;
use session::{Session, hosts};
use session::{environment, reject};
use std::io::Write;
use std::path::Path;
use subjects::Found;

/// Minimum interval. With shorter intervals, the cost of sampling would dominate the figures.
const SHORTEST: Nanos = Nanos::from_millis(10);
/// Maximum interval. Other tools are better suited to longer intervals.
const LONGEST: Nanos = Nanos::from_secs(3_600);
/// Maximum number of processes that are named in one sample.
const TOP_LARGEST: usize = 50;
/// Silence after which a rank counts as hung.
const HANG: Nanos = Nanos::from_secs(60);

pub fn run(options: &Watch) -> Result<Code> {
    check_system("watch")?;
    check(options)?;
    if !hosts::are_expected() {
        return Session::unsupervised(Reach::ManyHosts, |session| watch(options, None, session));
    }
    // Each of several processes has a supervisor. If one is killed, it must not end the others before their data is
    // stored.
    Session::supervised(Reach::ManyHosts, HANG, |session| watch(options, None, session))
}

/// Watches and records every request: `secchi record`.
pub fn record(options: &Watch, recorder: Recorder) -> Result<Code> {
    check(options)?;
    Session::run(Lifeline::default(), |session| watch(options, Some(recorder), session))
}

/// Checks the options that can be checked without access to the machine.
fn check(options: &Watch) -> Result<()> {
    if !(SHORTEST..=LONGEST).contains(&options.interval) {
        reject!("--interval {}: must be 10ms to 1h", options.interval);
    }
    if options.top > TOP_LARGEST {
        reject!("--top {}: must be at most {TOP_LARGEST}", options.top);
    }
    if let Some(length) = options.length.filter(|l| *l < options.interval) {
        reject!("--for {length}: shorter than one interval of {}", options.interval);
    }
    if let Some(alert) = options.alerts.iter().find(|a| a.figure == AlertFigure::P99 && !options.trace_blocks) {
        reject!(
            "--alert '{}': the p99 of a device requires a trace of the block layer: add --trace-blocks, or use await, \
             the mean",
            clip(&alert.text)
        );
    }
    let capped = !(options.limits.is_empty() && options.volumes.is_empty() && options.instance.is_none());
    if let Some(alert) = options.alerts.iter().find(|a| a.figure == AlertFigure::Cap && !capped) {
        let text = clip(&alert.text);
        reject!("--alert '{text}': no cap is given: name one with --limit, --volume or --instance");
    }
    let alone = [(!options.command.is_empty(), "a command"), (options.trace_blocks, "--trace-blocks")];
    if let Some((_, what)) = alone.iter().find(|(asked, _)| *asked && hosts::are_expected()) {
        reject!("{what} works on one host only: leave it out, or watch each host separately");
    }
    if options.otlp.is_some() {
        reject!(
            "--otlp: secchi does not export OpenTelemetry; use --listen, which the Prometheus receiver of an \
                 OpenTelemetry collector can read"
        );
    }
    if let Some(address) = options.listen.filter(|a| !a.ip().is_loopback()) {
        reject!("--listen {address}: must be a loopback address (127.0.0.1 or [::1])");
    }
    Ok(())
}

fn watch(options: &Watch, recorder: Option<Recorder>, session: &mut Session) -> Result<Code> {
    let watched = Found::find(options)?;
    let limits = limits_of(options, &watched)?;
    check_alerts(options, &watched, &limits)?;
    let mut child = Child::new(&options.command)?;
    let exports = if session.reports() { Exports::open(options)? } else { Exports::none() };
    let listener = options.listen.filter(|_| session.reports()).map(Listener::bind).transpose()?;
    let plan = plan(options, &watched, limits);
    child.catch_signals(&session.interrupt)?;
    let facts = preflight(&watched);
    session.agree(&plan, &facts)?;
    session.live = Live::new(true);
    session.open_store(options.store.store.as_ref())?;
    let identity = session.identity(watched.notes.clone());
    // The display and the record cover all hosts.
    let joint = session.common_plan(&plan);
    let watch = joint.watch().expect("the plan of a watch has watch settings");
    // Open the display last: errors up to this point are printed as lines.
    let quiet = recorder.as_ref().is_some_and(|recorder| recorder.quiet) || !session.reports();
    let view = if quiet { View::Nothing } else { View::choose(options, watch)? };
    let roles = roles_of(options);
    let mut recorder = recorder.map(|recorder| recorder.start(&plan, options.layer, &roles, &identity)).transpose()?;
    if view.is_picture() {
        child.keep_output()?;
    } else if options.json {
        child.use_standard_error();
    }
    let mut display = WatchDisplay::new(view, exports, listener, joint, &identity);
    display.hooks.command.clone_from(&options.on_alert);
    display.until_alert = options.until_alert;
    display.enough = recorder.as_ref().map(|recorder| recorder.failed.clone());
    let companion = (!options.command.is_empty()).then_some(&mut child as &mut dyn ChildCommand);
    let requests = recorder.as_mut().and_then(|recorder| recorder.requests.take());
    let tap = requests.map(|requests| RequestTap { layer: options.layer, roles, requests });
    let interrupt = session.interrupt.clone();
    let control = WatchControl { command: companion, interrupt: &interrupt, tap };
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &watched.doubts };
    let ended = session.watch(&inputs, watched.subjects.clone(), control, &mut display);
    let exports = display.finish();
    child.print_output()?;
    ended.report(|mut run| {
        run.close(&run.judgement.verdict.clone());
        let outcome = exports.write(&run.record, &run.judgement);
        let Some(recorder) = recorder else {
            let outcome = outcome.and(print_summary(options, &run.record, &run.judgement));
            run.print_kept();
            let code = run.kept.code(run.judged());
            return run.exit(outcome, code);
        };
        let recorded = recorder.finish();
        run.print_kept();
        if run.ending.state == RunState::Failed {
            // Nothing was recorded, so the file that secchi created is removed.
            if let Ok((path, recorded)) = &recorded
                && recorded.is_empty()
            {
                let _ = std::fs::remove_file(path);
            }
            return Err(coded(exit::CANNOT, run.ending.reason.to_string()));
        }
        let (path, recorded) = recorded?;
        print_recorded(options, &path, &recorded)?;
        let code = run.kept.code(run.judged());
        Ok(if code == exit::OK && !recorded.is_whole() { exit::INVALID } else { code })
    })
}

/// Prints the figures of the recording.
fn print_recorded(options: &Watch, path: &Path, recorded: &Recorded) -> Result<()> {
    print_apart(options, |_, out| {
        recorded.sentences(path).iter().try_for_each(|line| writeln!(out, "{}", console::translate(line)))
    })
}

/// Prints to standard output, or to standard error if a command was run, apart from the command's output.
fn print_apart(options: &Watch, write: impl FnOnce(&Style, &mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    if options.command.is_empty() {
        return console::print(write);
    }
    console::print_error(write);
    Ok(())
}

/// Prints the summary.
fn print_summary(options: &Watch, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    if options.json {
        return console::print_run(record, judgement, console::Shown::Json);
    }
    print_apart(options, |style, out| {
        // An empty line separates the summary from the lines before.
        out.write_all(b"\n").and_then(|()| report::write_terminal(record, judgement, style, out))
    })
}

/// Returns the declared limits and the limits of the purchase.
fn limits_of(options: &Watch, watched: &Found) -> Result<Vec<Limit>> {
    let names: Vec<&str> = watched.names();
    // The devices and names on other hosts are not known yet.
    let later = hosts::are_expected();
    let unknown = |limit: &&Limit| !later && limit.on.iter().any(|on| !names.contains(&on.as_str()));
    if let Some(limit) = options.limits.iter().find(unknown) {
        let on = limit.on.iter().find(|on| !names.contains(&on.as_str())).expect("the limit has an unknown name");
        let near = suggestion(on, names.iter().copied());
        reject!("limit `{limit}`: `{}` is neither a role nor a watched device{near}", clip(on));
    }
    let mut limits = options.limits.clone();
    if options.volumes.is_empty() && options.instance.is_none() {
        if !options.catalog.catalogs.is_empty() {
            reject!("--catalog only adds entries: select one with --volume or --instance");
        }
        return Ok(limits);
    }
    let catalog = session::inputs::catalogue::catalogue(&options.catalog.catalogs)?;
    let bought = |volume: Option<&String>, instance: Option<&String>| {
        session::inputs::catalogue::Bought::from_catalog(&catalog, volume, instance).map(|b| b.limits_of_a_run())
    };
    for volume in &options.volumes {
        let named = volume.split_once('=').filter(|(name, _)| names.contains(name));
        match named {
            Some((name, spec)) => {
                let caps = bought(Some(&spec.to_owned()), None)?;
                limits.extend(caps.into_iter().map(|l| Limit { on: vec![name.to_owned()], ..l }));
            }
            None => limits.extend(bought(Some(volume), None)?),
        }
    }
    limits.extend(bought(None, options.instance.as_ref())?);
    Ok(limits)
}

/// Checks that the watch covers the subjects of all alerts.
fn check_alerts(options: &Watch, watched: &Found, limits: &[Limit]) -> Result<()> {
    for alert in &options.alerts {
        let names: Vec<&str> = match alert.figure {
            AlertFigure::Cap => limits.iter().map(|l| l.name.as_str()).collect(),
            _ => watched.names(),
        };
        let later =
            (watched.subjects.more != MoreDisks::None || hosts::are_expected()) && alert.figure != AlertFigure::Cap;
        if let Some(on) = alert.on.iter().find(|on| !names.contains(&on.as_str())).filter(|_| !later) {
            let near = suggestion(on, names.iter().copied());
            let what = if alert.figure == AlertFigure::Cap { "no cap" } else { "neither a role nor a watched device" };
            reject!("alert `{alert}`: `{}` is {what}{near}", clip(on));
        }
    }
    Ok(())
}

fn plan(options: &Watch, watched: &Found, limits: Vec<Limit>) -> Plan {
    let text = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    let watch = WatchPlan {
        interval: options.interval,
        length: options.length,
        devices: watched.devices.clone(),
        all_devices: watched.subjects.more != MoreDisks::None,
        processes: watched.processes.clone(),
        top: options.top,
        groups: watched.groups.clone(),
        command: options.command.iter().map(text).collect(),
        alerts: options.alerts.clone(),
        hosts: Vec::new(),
    };
    let target = Target::null(watch.summary(), Bytes(0));
    Plan {
        args: environment::arguments(),
        limits,
        trace: TraceArgs { trace_blocks: options.trace_blocks, roles: Vec::new() }.rule(|| roles_of(options)),
        ..Plan::new(RunKind::Watch { watch: Box::new(watch) }, target, Vec::new(), Nanos(0))
    }
}

/// Returns the roles with their paths, although the devices of the roles are watched as a whole.
fn roles_of(options: &Watch) -> Vec<RolePath> {
    // Other threads open these paths later, when the working directory may have changed.
    let fixed = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    options.roles.iter().map(|r| RolePath { role: r.name.clone(), path: fixed(&r.path) }).collect()
}

/// Returns the facts about the machine. Clocks and engines are not tested, because a watch does not use them.
fn preflight(watched: &Found) -> Preflight {
    let roots = monitor::Roots::host();
    let mut facts = Preflight { host: monitor::facts::host(&roots), ..Preflight::default() };
    facts.storage.devices = watched.facts.clone();
    facts
}
