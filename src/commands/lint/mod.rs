//! `secchi lint PLAN...`: what a plan would get wrong, before it runs. Nothing is opened but the plan itself, and for reading the
//! files that it names, whose unwritten ranges the file system tells.

mod script;
mod variables;
mod words;

use super::fio::facts::Machine;
use super::judge::{explain, limits};
use crate::args::{Arguments, Command, Lint, Qualify};
use crate::exit::{self, Code, coded};
use crate::inputs::sources::Sources;
use crate::terminal::print;
use anyhow::Result;
use clap::Parser;
use job::CONSENT;
use job::lint::{FileFact, Hazard, LintFacts, Linted, NativePlan, lint, lint_native, lint_rules};
use messages::{message, sentence};
use model::CompactSort;
use model::{Bytes, ForeignFinding, Plan, Sentence, Severity, clip};
use report::formats::foreign;
use serde::Serialize;
use std::fs::File;
use std::path::Path;

pub fn run(options: &Lint) -> Result<Code> {
    if options.rules {
        print(|style, out| foreign::write_rules(lint_rules(), style, out))?;
        return Ok(exit::OK);
    }
    if let Some(id) = &options.explain {
        return explain(id, lint_rules().collect());
    }
    let plans = plans(options)?;
    let limits = limits(&options.bought)?;
    let machine = Machine::inspect();
    let own = job::Lookup::machine(&machine);
    let facts = LintFacts {
        memory: options.memory.or((own.memory_mb > 0).then_some(Bytes::from_mib(own.memory_mb))),
        cpus: options.cpus.or(u32::try_from(own.cpus).ok()),
        limits: &limits,
        file: &file_fact,
        hazard: &hazard,
    };
    let mut findings = lint(&plans.jobs, &facts);
    findings.extend(plans.native.iter().flat_map(|n| lint_native(n, &facts)));
    findings.compact_sort_by_key(|f| std::cmp::Reverse(f.finding.severity));
    let count = plans.jobs.len() + plans.native.len();
    let (verdict, code) = verdict(count, &findings);
    print(|style, out| match options.json {
        true => report::write_document(
            &Document { verdict: &verdict, plans: count, findings: &findings, exit_code: code.0 },
            out,
        ),
        false => foreign::write_findings(&verdict, code != exit::OK, &findings, style, out),
    })?;
    Ok(code)
}

/// What is known of a file here.
fn file_fact(path: &Path) -> FileFact {
    use sys::FileTypeExt;
    let Ok(meta) = sys::metadata(path) else {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        return if parent.is_dir() { FileFact::Absent } else { FileFact::Elsewhere };
    };
    if meta.file_type().is_block_device() || load::target::is_endless(&meta) {
        return FileFact::Device;
    }
    if !meta.is_file() {
        return FileFact::There { size: None, written: None };
    }
    let unwritten = File::open(path).and_then(|file| load::target::unwritten_ranges(&file, meta.len()));
    let written = unwritten
        .ok()
        .map(|ranges| Bytes(meta.len().saturating_sub(ranges.iter().map(|r| r.end.saturating_sub(r.start)).sum())));
    FileFact::There { size: Some(Bytes(meta.len())), written }
}

/// What writing to a path would destroy here, by whatever name it is called.
fn hazard(path: &Path) -> Option<Hazard> {
    use sys::{FileTypeExt, MetadataExt};
    let meta = sys::metadata(path).ok()?;
    let uses: Vec<String> = match meta.file_type() {
        kind if kind.is_block_device() => {
            let uses = load::target::device_uses(sys::device_number(meta.rdev()));
            uses.iter().map(ToString::to_string).collect()
        }
        kind if kind.is_file() => {
            sys::file_uses(sys::FileId::from(&meta)).into_iter().map(|used| format!("it {used}")).collect()
        }
        // Directories get files of their own; other things are nobody's data.
        _ => return None,
    };
    if !uses.is_empty() {
        return Some(Hazard::InUse(uses));
    }
    if meta.is_file() {
        return (meta.len() > 0 && !load::target::is_ours(path)).then_some(Hazard::Foreign);
    }
    // Without the right to read it nothing is known of it.
    let holds = File::open(path).ok().and_then(|device| {
        let size = sys::block_size(&device).ok()?;
        load::target::signatures(&device, size).ok()
    });
    Some(Hazard::Device(holds.filter(|s| !s.found.is_empty()).map(|s| s.to_string())))
}

#[derive(Serialize)]
struct Document<'a> {
    verdict: &'a Sentence,
    plans: usize,
    findings: &'a [ForeignFinding],
    exit_code: i32,
}

/// The first sentence and the exit code: 0 nothing or notes, 1 it would get something wrong, 2 it would not run, or cannot be checked.
fn verdict(plans: usize, findings: &[ForeignFinding]) -> (Sentence, Code) {
    let plans = message!("lint-plans", n = plans);
    let found = |id: &str| findings.iter().any(|f| f.finding.id == id);
    let of = |s: Severity| findings.iter().filter(|f| f.finding.severity == s).count();
    let (invalid, doubts, notes) = (of(Severity::Invalid), of(Severity::Doubt), of(Severity::Note));
    if found("L24-in-use") {
        return (sentence!("lint-danger", plans), Code(2));
    }
    if found("L00-refused") {
        return (sentence!("lint-would-not-run", plans), Code(2));
    }
    if found("L00-unknown") {
        return (sentence!("lint-words-unknown", plans), Code(2));
    }
    if found("L00-not-done") {
        return (sentence!("lint-not-done", plans), Code(2));
    }
    match (invalid + doubts, notes) {
        (0, 0) => (sentence!("lint-nothing-found", plans), exit::OK),
        (0, n) => (sentence!("lint-nothing-wrong", plans, n), exit::OK),
        (n, _) => (sentence!("lint-wrong", plans, n), Code(1)),
    }
}

/// Everything that was named, read.
#[derive(Default)]
struct Plans {
    jobs: Vec<Linted>,
    native: Vec<NativePlan>,
}

fn plans(options: &Lint) -> Result<Plans> {
    let words: Vec<String> = options.plans.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let mut plans = Plans::default();
    let first = words.first().map_or("", String::as_str);
    // The words of one command stand unquoted: `secchi lint fio --name=...`, `secchi lint -- --name=...`.
    let bare = words.len() > 1 && (script::is_fio(first) || ["secchi", "qualify"].contains(&first)) || is_option(first);
    if bare {
        command(&mut plans, &sentence!("lint-command-line"), words)?;
        return Ok(plans);
    }
    for word in &words {
        read_plan(&mut plans, word, options)?;
    }
    Ok(plans)
}

/// An option of fio's, with whatever dashes.
fn is_option(word: &str) -> bool {
    word.starts_with(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}'])
}

fn read_plan(plans: &mut Plans, word: &str, options: &Lint) -> Result<()> {
    let path = Path::new(word);
    if path.is_dir() {
        return Err(coded(exit::BAD_INPUT, format!("{} is a directory: name a plan in it", clip(word))));
    }
    if path.is_file() {
        return file(plans, word, options);
    }
    if word.contains(char::is_whitespace) || is_option(word) {
        let words = words::split(word)
            .ok_or_else(|| coded(exit::BAD_INPUT, format!("`{}`: a quote is not closed", clip(word))))?;
        return command(plans, &sentence!("lint-command-line"), words);
    }
    let record = Sources::new(&options.store).find(word)?.record()?;
    stored(plans, word, &record.plan)
}

/// A run's plan: fio's by its words, others as they are.
fn stored(plans: &mut Plans, source: &str, plan: &Plan) -> Result<()> {
    if plan.command == "fio" {
        plans.jobs.push(linted(&source.into(), 0, &plan.args, &plan.args.join(" ")));
        return Ok(());
    }
    if plan.command != "qualify" {
        let why = format!(
            "`{}` is a run of `secchi {}`: only plans of fio and qualify are linted",
            clip(source),
            clip(&plan.command)
        );
        return Err(coded(exit::BAD_INPUT, why));
    }
    let depths = |s: &model::Stage| s.ramp.as_ref().map_or_else(|| vec![s.job.queue_depth], |r| r.depths.clone());
    let deepest = plan.stages.iter().flat_map(depths).max();
    let waits = plan.stages.iter().any(|s| ["psync", "sync", "mmap"].contains(&s.job.engine.as_str()));
    plans.native.push(NativePlan {
        source: source.into(),
        words: format!("{} {}", plan.command, plan.args.join(" ")),
        direct: plan.target.direct,
        size: Some(plan.target.size),
        synchronous: deepest.filter(|_| waits),
        overwrites: plan
            .stages
            .iter()
            .find(|s| s.job.target.kind == model::TargetKind::Device && s.job.workload.mix.write_percent > 0)
            .map(|s| s.job.target.path.clone()),
        seconds: plan.expected_time().secs(),
    });
    Ok(())
}

fn file(plans: &mut Plans, name: &str, options: &Lint) -> Result<()> {
    let path = Path::new(name);
    if path.extension().is_some_and(|e| e == "journal") {
        let record = Sources::new(&options.store).find(name)?.record()?;
        return stored(plans, name, &record.plan);
    }
    let machine = Machine::inspect();
    let bytes =
        job::Lookup::read(&machine, path, None).map_err(|e| coded(exit::BAD_INPUT, format!("{}: {e}", clip(name))))?;
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        let record = Sources::new(&options.store).find(name)?.record()?;
        return stored(plans, name, &record.plan);
    }
    let text = String::from_utf8_lossy(&bytes);
    let commands = script::commands(&text);
    if commands.is_empty() {
        plans.jobs.push(linted(&name.into(), 0, &[name.to_owned()], name));
        return Ok(());
    }
    // A job that names no engine has that of the system its script is for. What is refused is told by its place among the script's own
    // words, so that these are read first.
    let is_windows = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bat") || e.eq_ignore_ascii_case("cmd"));
    for found in commands {
        let mut plan = linted(&name.into(), found.line, &found.words, &found.text);
        if is_windows && plan.jobs.is_ok() {
            let usual = std::iter::once("--ioengine=windowsaio".to_owned());
            let words: Vec<String> = usual.chain(found.words.iter().cloned()).collect();
            plan.jobs = job::parse_plan(&words, CONSENT, &Machine::inspect());
        }
        (plan.output, plan.background) = (found.output, found.background);
        plan.unknown = found.unknown.iter().map(script::Unknown::describe).collect();
        plans.jobs.push(plan);
    }
    Ok(())
}

/// One command as words.
fn command(plans: &mut Plans, source: &Sentence, words: Vec<String>) -> Result<()> {
    let mut rest = words.as_slice();
    if rest.first().is_some_and(|w| w == "secchi") {
        rest = &rest[1..];
    }
    match rest.first().map(String::as_str) {
        Some("qualify") => plans.native.push(qualify(source, rest)?),
        Some(first) if script::is_fio(first) => {
            let found = script::arguments(&rest[1..]);
            let mut plan = linted(source, 0, &found.words, &words.join(" "));
            (plan.output, plan.background) = (found.output, found.background);
            plans.jobs.push(plan);
        }
        Some(first) if is_option(first) => plans.jobs.push(linted(source, 0, rest, &words.join(" "))),
        Some(other) => {
            let why = format!("`{}` is no plan: begin with fio or qualify, or name a file", clip(other));
            return Err(coded(exit::BAD_INPUT, why));
        }
        None => return Err(coded(exit::BAD_INPUT, "an empty plan")),
    }
    Ok(())
}

fn linted(source: &Sentence, line: u32, words: &[String], text: &str) -> Linted {
    let machine = Machine::inspect();
    let jobs = job::parse_plan(words, CONSENT, &machine);
    Linted {
        source: source.clone(),
        line,
        words: text.to_owned(),
        arguments: words.to_vec(),
        output: None,
        lines: if jobs.is_err() { lines_of(words) } else { Vec::new() },
        background: false,
        unknown: Vec::new(),
        jobs,
    }
}

/// Longest job file whose lines are looked through, bytes.
const LONGEST: u64 = 1 << 20;

/// Lines of the job files among words.
fn lines_of(words: &[String]) -> Vec<String> {
    let short = |path: &&String| sys::metadata(Path::new(path)).is_ok_and(|m| m.is_file() && m.len() <= LONGEST);
    let texts = words.iter().filter(|w| !is_option(w)).filter(short).filter_map(|path| std::fs::read(path).ok());
    texts.flat_map(|text| String::from_utf8_lossy(&text).lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// `qualify ...` as typed.
fn qualify(source: &Sentence, words: &[String]) -> Result<NativePlan> {
    let typed = std::iter::once("secchi".to_owned()).chain(words.iter().cloned());
    let arguments = Arguments::try_parse_from(typed)
        .map_err(|e| coded(exit::BAD_INPUT, crate::args::one_sentence(&e.to_string())))?;
    let Command::Qualify(options) = arguments.command else {
        return Err(coded(exit::BAD_INPUT, "it is no plan of qualify"));
    };
    super::qualify::check(&options)?;
    Ok(native(source, words, &options))
}

fn native(source: &Sentence, words: &[String], options: &Qualify) -> NativePlan {
    let waits = ["psync", "sync", "mmap"].contains(&options.engine.as_str());
    let seconds = match options.effort {
        crate::args::Effort::Quick => 90.0,
        crate::args::Effort::Standard => 300.0,
        crate::args::Effort::Thorough => 1800.0,
    };
    NativePlan {
        source: source.clone(),
        words: words.join(" "),
        direct: !options.buffered,
        size: options.size,
        synchronous: options.max_depth.filter(|_| waits),
        overwrites: options.device.clone().filter(|_| options.destroy.is_some()),
        seconds,
    }
}
