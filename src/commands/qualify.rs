//! `secchi qualify`: checks the machine, fills the test file, ramps the depth, finds the binding limit, judges, stores
//! and reports.

use super::metadata;
use crate::commands::judge::write_junit;
use anyhow::Result;
use cli::Qualify;
use load::target::{self, Inspection, TargetRequest};
use messages::sentence;
use model::plan::{KindName, NamedTarget, RolePath, Thoroughness, named_place};
use model::record::{Preflight, StandingEngine, StorageFacts};
use model::{Bytes, Limit, Plan, Target, bounds::NeedSubject};
use report::formats::nagios;
use run::write_bound::{default_bound, device_bound};
use run::{OpenTarget, RunInputs, Targets, known_doubts, preflight, qualify};
use session::console::{self, Live, Shown, remark};
use session::exit::{self, Code, coded};
use session::hosts;
use session::inputs::catalogue::{bought_by, catalogue};
use session::launch::Reach;
use session::measure::{align_of, check_hang, check_system, provenance};
use session::outputs::{Outputs, Replaces};
use session::result_files::ResultFiles;
use session::supervisor::Lifeline;
use session::targets::HostedPath;
use session::test_files::target_of;
use session::{JudgedRun, Session};
use session::{environment, reject};
use std::path::{Path, PathBuf};
use store::{RunStatus, RunSummary, Store};
use sys::files::FileTypeExt;

/// Value of `--engine` that selects the engine again, regardless of earlier runs.
const ANEW: &str = "auto!";
/// Maximum number of earlier runs that are searched for a selected engine.
const LOOKED_AT: usize = 5;

pub fn run(options: &Qualify) -> Result<Code> {
    check_system("qualify")?;
    if options.metadata {
        return metadata::run(options);
    }
    if options.quiet { console::as_check(qualified(options)) } else { qualified(options) }
}

fn qualified(options: &Qualify) -> Result<Code> {
    check(options)?;
    match options.plan {
        true => Session::run(Lifeline::default(), |session| measure(options, session)),
        false => Session::supervised(Reach::ManyHosts, options.hang, |session| measure(options, session)),
    }
}

/// Checks the options that can be checked without access to files.
pub(super) fn check(options: &Qualify) -> Result<()> {
    qualify::check(&options.patterns, options.max_depth).map_err(|e| coded(exit::BAD_INPUT, e))?;
    // The parser does not apply `requires` if `--dir` already excludes `--device`.
    if options.destroy.is_some() && options.device.is_none() {
        reject!("--destroy allows overwriting a device: name it with --device");
    }
    if !["auto", ANEW].contains(&options.engine.as_str()) {
        let entry = load::engines::find(&options.engine).map_err(|e| coded(exit::BAD_INPUT, e))?;
        if entry.spec.name == "null" {
            reject!("engine `null` does no I/O, so there is nothing to measure");
        }
    }
    check_hang(options.hang)?;
    for need in options.needs.iter().flat_map(|n| &n.0) {
        let measured = match need.subject {
            NeedSubject::Blocks(_) => continue,
            NeedSubject::Database(_) => "a database: measure it with `secchi db ranwrite`",
            NeedSubject::Metadata(..) => "file operations: measure it with --metadata",
        };
        reject!("need `{}` is for {measured}", model::clip(&need.text));
    }
    if options.targets.len() == 1 && !hosts::are_expected() {
        reject!("--target is given once: give at least two, or only the path");
    }
    for (i, target) in options.targets.iter().enumerate() {
        let name = target.full_name();
        if options.targets[..i].iter().any(|t| t.full_name() == name) {
            reject!("two targets are named `{name}`");
        }
        if target.host.is_some() && !hosts::are_expected() {
            reject!("target `{name}` names a host: start secchi on all hosts with mpirun");
        }
    }
    let alone = options.targets.is_empty() && !hosts::are_expected();
    if let Some(limit) = options.limits.iter().find(|l| !l.on.is_empty() && alone) {
        reject!("limit `{limit}`: on= requires a run with several --target");
    }
    // Check the names of the purchase before anything is opened.
    limits_of(options)?;
    if options.adopt && options.patterns.iter().any(|p| p == "randwrite" || p == "randrw" || p == "write") {
        reject!("--adopt only reads, but --patterns includes a pattern that writes");
    }
    Ok(())
}

/// Returns the declared limits and the limits of the purchase.
fn limits_of(options: &Qualify) -> Result<Vec<Limit>> {
    let mut limits = options.limits.clone();
    if options.volumes.is_empty() && options.instance.is_none() {
        if !options.catalog.catalogs.is_empty() {
            reject!("--catalog only adds entries: select one with --volume or --instance");
        }
        return Ok(limits);
    }
    let catalog = catalogue(&options.catalog.catalogs)?;
    let names: Vec<String> = options.targets.iter().map(HostedPath::full_name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    limits.extend(bought_by(&catalog, &names, &options.volumes, options.instance.as_ref())?);
    Ok(limits)
}

fn measure(options: &Qualify, session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    session.share_file(options.shared_file)?;
    let places = places(options, session)?;
    let mut outputs = Outputs::new(options.results.force);
    places.iter().for_each(|(_, path)| outputs.spare(path));
    let writes = !options.plan && session.reports();
    let junit = options.junit.as_deref().filter(|_| writes);
    let mut junit = junit.map(|path| outputs.claim(path, Replaces::Ours)).transpose()?;
    let files = session.outputs(&options.results.outputs);
    let mut files = ResultFiles::claim(if writes { files } else { &[] }, &mut outputs)?;
    session.live = if options.quiet { Live::silent() } else { Live::new(options.plan) };
    session.live.status("inspecting the machine");
    let inspections = inspect(options, &places, session)?;
    let named: Vec<(&str, &Path)> = places.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
    let facts = preflight::preflight(session.clock, &named, options.effort);
    let mut facts = facts.map_err(|e| coded(exit::CANNOT, e))?;
    session.lifeline.report_alive();
    let engine = if options.engine == ANEW { "auto" } else { &options.engine };
    check_engine(engine, &facts)?;
    let mut plan = plan_of(options, &places, &inspections, &facts, session)?;
    plan.trace = options.trace.rule(|| roles_of(&plan));
    session.agree(&plan, &facts)?;
    if options.plan {
        return print_plan(options, session, &plan, &facts, &inspections);
    }
    session.open_store(options.store.store.as_ref())?;
    if options.engine == "auto" && session.reports() {
        facts.standing_engine = session.store.as_ref().and_then(|store| standing_engine(store, &plan, &facts));
    }
    let mut notes: Vec<String> = inspections.iter().flat_map(|i| i.notes.clone()).collect();
    let inspected = notes.len();
    notes.extend(inspections.iter().flat_map(|inspection| session.sharing_note(inspection)));
    notes.extend(places.iter().find_map(|(_, path)| session.journal_note(path)));
    let mut targets = session.open(inspections)?;
    // Announced only now, so that a target that cannot be opened produces only one line.
    if !options.quiet {
        announce_bound(&plan, &session.live);
    }
    notes[..inspected].iter().for_each(|note| session.live.line(note));
    if options.keep {
        targets.iter_mut().for_each(|t| t.set_keep(true));
    }
    let mut open: Vec<&mut dyn OpenTarget> = targets.iter_mut().map(|t| t as &mut dyn OpenTarget).collect();
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ended = session.conduct(&inputs, Targets::TestAreas(&mut open), &mut ());
    let remains = session.remove(targets, &ended.ending);
    ended.report(|mut run| {
        run.close(&run.judgement.headline());
        let outcome = junit.as_mut().map_or(Ok(()), |file| write_junit(file, &run.record, &run.judgement));
        let outcome = outcome.and(files.write(&run.record, &run.judgement));
        // A failed output is reported and does not prevent the others.
        let outcome = outcome.and(print_result(options, &run, remains));
        let code = match options.quiet && outcome.is_ok() {
            true => Code(nagios::state(&run.record, &run.judgement).code()),
            false => run.code(&outcome, run.judged()),
        };
        run.exit(outcome, code)
    })
}

/// Returns the names and paths of the targets of this process; the name of a single target is empty.
fn places(options: &Qualify, session: &mut Session) -> Result<Vec<(String, PathBuf)>> {
    let mut named: Vec<(String, PathBuf)> = match options.targets.as_slice() {
        [] => {
            let path = [&options.path, &options.dir, &options.device].into_iter().find_map(Clone::clone);
            vec![(String::new(), path.expect("the parser requires one of the four"))]
        }
        targets => session.targets_here(targets)?.into_iter().map(|t| (t.name.clone(), t.path.clone())).collect(),
    };
    for (_, path) in &mut named {
        *path = if options.plan { session.planned_place(path) } else { session.place(path)? };
    }
    Ok(named)
}

fn inspect(options: &Qualify, places: &[(String, PathBuf)], session: &mut Session) -> Result<Vec<Inspection>> {
    let mut inspections = Vec::with_capacity(places.len());
    for (_, path) in places {
        if !options.targets.is_empty() && sys::files::metadata(path).is_ok_and(|m| m.file_type().is_block_device()) {
            reject!("{} is a block device: with several targets, each must be a directory or a file", path.display());
        }
        check_kind(path, options.device.is_some(), options.dir.is_some())?;
        let storage = monitor::facts::storage(&monitor::Roots::host(), path).ok();
        let request = target_request(options, path, storage.as_ref(), session.file_parts());
        inspections.push(session.inspect(request)?);
    }
    check_apart(places, &inspections)?;
    Ok(inspections)
}

/// Prints the common plan and the files that it would open.
fn print_plan(
    options: &Qualify,
    session: &Session,
    own: &Plan,
    facts: &Preflight,
    inspections: &[Inspection],
) -> Result<Code> {
    session.live.clear();
    let plan = session.common_plan(own);
    if !options.quiet {
        announce_bound(plan, &session.live);
    }
    let opens: Vec<String> = inspections.iter().flat_map(opens).collect();
    console::print(|style, out| report::write_plan(plan, facts, &known_doubts(plan, facts), &opens, style, out))?;
    Ok(exit::OK)
}

/// Rejects two names for one file, because the file would be loaded and filled twice.
fn check_apart(places: &[(String, PathBuf)], inspections: &[Inspection]) -> Result<()> {
    for (i, inspection) in inspections.iter().enumerate() {
        if let Some(first) = inspections[..i].iter().position(|other| other.path == inspection.path) {
            let (a, b, path) = (&places[first].0, &places[i].0, inspection.path.display());
            reject!("targets `{a}` and `{b}` are the same: {path}");
        }
    }
    Ok(())
}

/// Returns the engine that the newest complete run chose for this target on this machine. Runs with a requested engine
/// are skipped.
fn standing_engine(store: &Store, plan: &Plan, facts: &Preflight) -> Option<StandingEngine> {
    let here = |run: &RunSummary| {
        run.kind == Some(KindName::Blocks)
            && run.state == RunStatus::Complete
            && run.host == facts.host.hostname
            && named_place(Path::new(&run.target)) == named_place(&plan.target.path)
    };
    if plan.side_by_side() {
        return None;
    }
    // A store that cannot be listed is reported elsewhere.
    let runs = store.list().ok()?.runs;
    runs.iter().filter(|run| here(run)).take(LOOKED_AT).find_map(|run| {
        let record = store.read(&run.id).ok()?;
        let name = record.steps.first()?.job.engine.clone();
        (!record.preflight.engine_requested).then(|| StandingEngine { name, run: run.id.clone() })
    })
}

/// Checks that an engine requested by name works here; only `auto` falls back to another.
pub(super) fn check_engine(engine: &str, facts: &Preflight) -> Result<()> {
    let asked = facts.engines.iter().find(|e| e.name == engine);
    match asked.and_then(|e| e.unavailable.as_ref()) {
        None => Ok(()),
        Some(reason) => Err(coded(exit::CANNOT, format!("cannot use the requested engine, {engine}: {reason}"))),
    }
}

/// Checks that the path is of the kind that its option requires.
pub(super) fn check_kind(path: &Path, as_device: bool, as_dir: bool) -> Result<()> {
    let Ok(meta) = sys::files::metadata(path) else { return Ok(()) };
    let shown = path.display();
    let is_device = meta.file_type().is_block_device();
    let wrong = match (is_device, as_device, as_dir) {
        (true, false, _) => {
            format!("{shown} is a block device: name it with --device to read it, and add --destroy to overwrite it")
        }
        (false, true, _) => format!("--device {shown}: it is not a block device"),
        (_, _, true) if !meta.is_dir() => format!("--dir {shown}: it is not a directory"),
        _ => return Ok(()),
    };
    Err(coded(exit::BAD_INPUT, wrong))
}

/// Returns the request for a target. If several ranks share a file, the request covers the whole file, which has
/// `parts` parts of the requested size.
fn target_request(options: &Qualify, path: &Path, storage: Option<&StorageFacts>, parts: u64) -> TargetRequest {
    let direct = !options.buffered && storage.is_none_or(|s| s.direct_refused.is_none());
    let asked = options.size.map(|size| size.times(parts));
    let size = if path.is_dir() { Some(asked.unwrap_or_else(|| default_size(options, storage, parts))) } else { asked };
    TargetRequest {
        size,
        will_write: !options.adopt && (options.device.is_none() || options.destroy.is_some()),
        direct,
        align: if direct { align_of(storage) } else { Bytes(1) },
        consent: options.destroy.clone(),
        adopt: options.adopt,
        share: options.share,
        yes: options.yes,
        keep: options.keep,
        ..TargetRequest::new(path, provenance())
    }
}

/// Returns a size that is large enough for positions to differ and small enough that the fill takes only a part of the
/// run's time. It is at most a tenth of the file system, half of the free space above the reserve, and half of what the
/// run may write.
fn default_size(options: &Qualify, storage: Option<&StorageFacts>, parts: u64) -> Bytes {
    let wanted: u64 = match options.effort {
        Thoroughness::Quick => 2 << 30,
        Thoroughness::Standard => 8 << 30,
        Thoroughness::Thorough => 32 << 30,
    };
    let wanted = wanted.saturating_mul(parts);
    let Some(s) = storage.filter(|s| !s.fs_size.is_zero()) else { return Bytes(wanted) };
    let spare = s.fs_free.as_u64().saturating_sub(target::floor(s.fs_size).as_u64()) / 2;
    let bound = options.max_written.or((!options.yes).then(|| device_bound(s)));
    let several = options.targets.len().max(1) as u64;
    let half = bound.map_or(u64::MAX, |bound| bound.as_u64() / several / 2);
    let size = wanted.min(s.fs_size.as_u64() / 10).min(spare).min(half) >> 20 << 20;
    // If there is too little space, the inspection of the target reports it.
    Bytes(size.max(64 << 20))
}

fn plan_of(
    options: &Qualify,
    places: &[(String, PathBuf)],
    inspections: &[Inspection],
    facts: &Preflight,
    session: &Session,
) -> Result<Plan> {
    let asked = qualify::Request {
        args: environment::arguments(),
        time: options.effort,
        patterns: options.patterns.clone(),
        block_sizes: options.bs.clone(),
        max_depth: options.max_depth,
        engine: if options.engine == ANEW { "auto".to_owned() } else { options.engine.clone() },
        limits: limits_of(options)?,
        needs: options.needs.iter().flat_map(|n| n.0.clone()).collect(),
        hang: options.hang,
        keep: options.keep,
        max_written: options
            .max_written
            .or_else(|| (!options.yes).then(|| bound_of(inspections, facts).times(session.writers()))),
        may_write: inspections.iter().all(|i| i.request.will_write),
        cpus: facts.host.cpus,
        seed: options.seed,
        of_ranks: session.member().is_some(),
    };
    match inspections {
        [alone] if options.targets.is_empty() => {
            let mut plan = qualify::plan(&asked, &session.own_part(target_of(alone)), alone.to_fill)
                .map_err(|e| coded(exit::BAD_INPUT, e))?;
            session.divide(&mut plan)?;
            Ok(plan)
        }
        several => {
            let named = |((name, _), inspection): (&(String, PathBuf), &Inspection)| NamedTarget {
                name: name.clone(),
                target: target_of(inspection),
                fill: inspection.to_fill,
            };
            qualify::plan_side_by_side(&asked, places.iter().zip(several).map(named).collect())
                .map_err(|e| coded(exit::BAD_INPUT, e))
        }
    }
}

/// Returns the default limit for the bytes that a run on these targets may write.
fn bound_of(inspections: &[Inspection], facts: &Preflight) -> Bytes {
    let files = inspections.iter().map(|i| i.size).sum();
    default_bound(files, std::iter::once(&facts.storage).chain(&facts.under_each))
}

/// Announces the limit on writes before anything else, if the run writes.
pub(super) fn announce_bound(plan: &Plan, live: &Live) {
    let writes = !plan.fill.is_zero() || plan.stages.iter().any(|s| s.job.workload.mix.writes());
    if let Some(most) = plan.max_written.filter(|_| writes) {
        live.line(&console::translate(&sentence!("announce-max-written", most)));
    }
}

/// Returns the test files with the names of their targets.
fn roles_of(plan: &Plan) -> Vec<RolePath> {
    let role_path = |name: &str, target: &Target| RolePath { role: name.to_owned(), path: target.path.clone() };
    match plan.targets.as_slice() {
        [] => vec![role_path("target", &plan.target)],
        several => several.iter().map(|t| role_path(&t.name, &t.target)).collect(),
    }
}

/// Returns lines about the files that would be opened, for `--plan`.
fn opens(inspection: &Inspection) -> Vec<String> {
    let mut lines: Vec<String> =
        inspection.opens.iter().map(|o| format!("{}  {}: {}", o.path.display(), o.flags, o.purpose)).collect();
    if let Some(device) = &inspection.device {
        lines.push(format!("{}: --destroy {} allows overwriting it", device.describe(), device.consent_word()));
    }
    lines.extend(inspection.large.iter().map(|reason| format!("needs --yes: {reason}")));
    lines.extend(inspection.notes.iter().cloned());
    lines
}

fn print_result(options: &Qualify, run: &JudgedRun, remains: Vec<String>) -> Result<()> {
    let JudgedRun { record, judgement, .. } = run;
    let printed = match options.quiet {
        true => console::print(|_, out| nagios::write_run(record, judgement, out)),
        false => console::print_run(record, judgement, Shown::choose(options.full, options.json)),
    };
    run.print_kept();
    remains.iter().for_each(|text| remark(text));
    printed
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use cli::{Arguments, Command};

    #[test]
    fn consent_to_destroy_needs_a_device() {
        let parsed = Arguments::try_parse_from(["secchi", "qualify", "--dir", "/tmp", "--destroy", "S"]);
        match parsed {
            Ok(Arguments { command: Command::Qualify(options), .. }) => {
                assert_eq!(exit::code_of(&check(&options).unwrap_err()), exit::BAD_INPUT);
            }
            Ok(other) => panic!("{other:?}"),
            // The parser rejects it already.
            Err(_) => {}
        }
    }
}
