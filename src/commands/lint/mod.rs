//! `secchi lint PLAN...`: checks plans for mistakes before they run.
//!
//! Lint reads the plans and the files that the plans name, to find ranges that were never written.

use super::judge::explain;
use anyhow::Result;
use clap::Parser;
use cli::{Arguments, Command, Lint};
use fio::facts::Machine;
use job::CONSENT;
use job::lint::{
    FileFact, Hazard, LintFacts, Linted, NativePlan, Unread, UnreadReason, diskspd_plan, is_drive, is_synchronous,
    lint, lint_native, lint_rules,
};
use messages::{message, sentence};
use model::{
    Bytes, CompactSort, Plan, Sentence, Severity, clip, judged::ForeignFinding, plan::KindName, plan::Thoroughness,
};
use report::DocumentKind;
use script::{Followed, Planned, Program, Unknown, is_option};
use session::console::print;
use session::exit::{self, Code, coded};
use session::reject;
use session::sources::Sources;
use std::fs::File;
use std::path::Path;

pub fn run(options: &Lint) -> Result<Code> {
    if options.rules {
        print(|style, out| report::write_rules(lint_rules(), style, out))?;
        return Ok(exit::OK);
    }
    if let Some(id) = &options.explain {
        return explain(id, lint_rules().collect());
    }
    let plans = plans(options)?;
    let limits = options.bought.resolve(&[])?;
    let machine = Machine::inspect();
    let local = job::Lookup::machine(&machine);
    let facts = LintFacts {
        memory: options.memory.or((local.memory_mb > 0).then_some(Bytes::from_mib(local.memory_mb))),
        cpus: options.cpus.or(u32::try_from(local.cpus).ok()),
        limits: &limits,
        file: &file_fact,
        hazard: &hazard,
    };
    let mut findings = lint(&plans.jobs, &plans.unread, &facts);
    findings.extend(plans.native.iter().flat_map(|n| lint_native(n, &facts)));
    findings.compact_sort_by_key(|f| std::cmp::Reverse(f.finding.severity));
    let refused = plans.unread.iter().filter(|u| matches!(u.reason, UnreadReason::Refused(_))).count();
    let count = plans.jobs.len() + plans.native.len() + refused;
    let (verdict, code) = verdict(count, &findings);
    print(|style, out| match options.json {
        true => {
            let document =
                report::documents::Lint { verdict: &verdict, plans: count, findings: &findings, exit_code: code.0 };
            report::write_document(DocumentKind::Lint, &document, out)
        }
        false => report::write_findings(&verdict, code != exit::OK, &findings, style, out),
    })?;
    Ok(code)
}

/// Returns the facts about a file on this machine.
fn file_fact(path: &Path) -> FileFact {
    use sys::files::FileTypeExt;
    let Ok(meta) = sys::files::metadata(path) else {
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

/// Returns the data that writing to a path would destroy. A file is recognised under any of its names.
fn hazard(path: &Path) -> Option<Hazard> {
    use sys::files::{FileTypeExt, MetadataExt};
    if path.to_str().is_some_and(is_drive) {
        return Some(Hazard::Drive);
    }
    let meta = sys::files::metadata(path).ok()?;
    let uses: Vec<String> = match meta.file_type() {
        kind if kind.is_block_device() => {
            let uses = load::target::device_uses(sys::devices::device_number(meta.rdev()));
            uses.iter().map(ToString::to_string).collect()
        }
        kind if kind.is_file() => sys::devices::file_uses(sys::files::FileId::from(&meta))
            .into_iter()
            .map(|used| format!("it {used}"))
            .collect(),
        // Writing to a directory creates new files, and other kinds of files hold no data.
        _ => return None,
    };
    if !uses.is_empty() {
        return Some(Hazard::InUse(uses));
    }
    if meta.is_file() {
        return (meta.len() > 0 && !load::target::is_ours(path)).then_some(Hazard::Foreign);
    }
    // Without read permission, the content is unknown.
    let holds = File::open(path).ok().and_then(|device| {
        let size = sys::devices::block_size(&device).ok()?;
        load::target::signatures(&device, size).ok()
    });
    Some(Hazard::Device(holds.filter(|s| !s.found.is_empty()).map(|s| s.to_string())))
}

/// Returns the headline and the exit code: 0 if there are no findings or only notes, 1 for plans with mistakes, and 2
/// for plans that would not run or cannot be checked.
fn verdict(plans: usize, findings: &[ForeignFinding]) -> (Sentence, Code) {
    let plans = message!("lint-plans", n = plans);
    let has = |id: &str| findings.iter().any(|f| f.finding.id == id);
    let count = |s: Severity| findings.iter().filter(|f| f.finding.severity == s).count();
    let (invalid, doubts, notes) = (count(Severity::Invalid), count(Severity::Doubt), count(Severity::Note));
    if has("L24-in-use") {
        return (sentence!("lint-danger", plans), Code(2));
    }
    if has("L00-refused") {
        return (sentence!("lint-would-not-run", plans), Code(2));
    }
    if has("L00-unknown") {
        return (sentence!("lint-words-unknown", plans), Code(2));
    }
    if has("L00-not-done") {
        return (sentence!("lint-not-done", plans), Code(2));
    }
    match (invalid + doubts, notes) {
        (0, 0) => (sentence!("lint-nothing-found", plans), exit::OK),
        (0, n) => (sentence!("lint-nothing-wrong", plans, n), exit::OK),
        (n, _) => (sentence!("lint-wrong", plans, n), Code(1)),
    }
}

/// Plans that were named on the command line.
#[derive(Default)]
struct Plans {
    jobs: Vec<Linted>,
    native: Vec<NativePlan>,
    unread: Vec<Unread>,
}

fn plans(options: &Lint) -> Result<Plans> {
    let words: Vec<String> = options.plans.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let mut plans = Plans::default();
    // A single command may be given without quotes: `secchi lint fio --name=...`, `secchi lint -- --name=...`.
    if let Some(followed) = script::follow_words(&words) {
        typed(&mut plans, followed, &words[0])?;
    } else {
        words.iter().try_for_each(|word| read_plan(&mut plans, word, options))?;
    }
    Ok(plans)
}

fn read_plan(plans: &mut Plans, word: &str, options: &Lint) -> Result<()> {
    let path = Path::new(word);
    if path.is_dir() {
        reject!("{} is a directory: name a plan in it", clip(word));
    }
    if path.is_file() {
        return file(plans, word, options);
    }
    if word.contains(char::is_whitespace) || is_option(word) {
        let followed =
            script::follow_line(word).map_err(|b| coded(exit::BAD_INPUT, format!("`{}`: {}", clip(word), b.what)))?;
        return typed(plans, followed, word);
    }
    let record = Sources::new(options.store.store.as_ref()).find(word)?.record()?;
    stored(plans, word, &record.plan)
}

/// Adds the plans of a typed command.
fn typed(plans: &mut Plans, followed: Followed, shown: &str) -> Result<()> {
    if followed.plans.is_empty() && followed.doubts.is_empty() {
        let what = shown.split_whitespace().next().unwrap_or_default();
        reject!("`{}` is not a plan: begin with fio, diskspd or qualify, or name a file", clip(what));
    }
    add(plans, &sentence!("lint-command-line"), followed, false)
}

/// Reads the plan of a stored run. A plan of fio is read again from its arguments, other plans are used as stored.
fn stored(plans: &mut Plans, source: &str, plan: &Plan) -> Result<()> {
    if plan.kind.name() == KindName::JobFile {
        plans.jobs.push(linted(&source.into(), 0, &plan.args, &plan.args.join(" "), &Machine::inspect()));
        return Ok(());
    }
    if !plan.kind.is_qualification() {
        reject!(
            "`{}` is a run of `secchi {}`: only plans of fio and qualify are linted",
            clip(source),
            clip(&plan.command)
        );
    }
    plans.native.push(NativePlan::from_qualification(source, plan));
    Ok(())
}

fn file(plans: &mut Plans, name: &str, options: &Lint) -> Result<()> {
    let path = Path::new(name);
    let is_kept = path.extension().is_some_and(|e| e == "journal");
    let machine = Machine::inspect();
    let bytes = match is_kept {
        true => Vec::new(),
        false => job::Lookup::read(&machine, path, None)
            .map_err(|e| coded(exit::BAD_INPUT, format!("{}: {e}", clip(name))))?,
    };
    if is_kept || bytes.trim_ascii_start().first() == Some(&b'{') {
        let record = Sources::new(options.store.store.as_ref()).find(name)?.record()?;
        return stored(plans, name, &record.plan);
    }
    let text = String::from_utf8_lossy(&bytes);
    let script = script::read(path, &text)
        .map_err(|b| coded(exit::BAD_INPUT, format!("{}:{}: {}", clip(name), b.line, b.what)))?;
    match script {
        Some(followed) => add(plans, &name.into(), followed, script::is_batch(path)),
        None => {
            plans.jobs.push(linted(&name.into(), 0, &[name.to_owned()], name, &machine));
            Ok(())
        }
    }
}

/// Adds the plans of a script. Jobs of a batch file use the Windows engine by default.
fn add(plans: &mut Plans, source: &Sentence, followed: Followed, is_windows: bool) -> Result<()> {
    plans.unread.extend(followed.doubts.into_iter().map(|doubt| Unread {
        source: source.clone(),
        line: doubt.line,
        words: doubt.text,
        reason: UnreadReason::Unknown(doubt.what),
    }));
    let machine = Machine::inspect();
    for planned in followed.plans {
        if planned.program == Program::Fio {
            let lookup = ScriptLookup { machine: &machine, script: &planned };
            let mut plan = linted(source, planned.line, &planned.words, &planned.text, &lookup);
            if is_windows && plan.jobs.is_ok() {
                let usual = std::iter::once("--ioengine=windowsaio".to_owned());
                let words: Vec<String> = usual.chain(planned.words.iter().cloned()).collect();
                plan.jobs = job::parse_plan(&words, CONSENT, &lookup);
            }
            if plan.jobs.is_err() {
                let written = planned.files.values().flat_map(|text| text.lines().map(str::to_owned));
                plan.lines.extend(written);
            }
            plan.unknown = planned.unknown.iter().map(Unknown::describe).collect();
            (plan.output, plan.background) = (planned.output.clone(), planned.background);
            plans.jobs.push(plan);
            continue;
        }
        let unread =
            |reason| Unread { source: source.clone(), line: planned.line, words: planned.text.clone(), reason };
        plans.unread.extend(planned.unknown.iter().map(|u| unread(UnreadReason::Unknown(u.describe()))));
        let (text, words) = (&planned.text, &planned.words);
        if planned.program == Program::Diskspd {
            plans.native.push(diskspd_plan(source, planned.line, text, words));
            continue;
        }
        match native(source, planned.line, text, words) {
            Ok(plan) => plans.native.extend(plan),
            // The unknown arguments may make the command valid.
            Err(_) if !planned.unknown.is_empty() => {}
            Err(error) if planned.line == 0 => return Err(error),
            Err(error) => plans.unread.push(unread(UnreadReason::Refused(error.to_string().into()))),
        }
    }
    Ok(())
}

/// Files and variables that a script sets for a command; they take precedence over those of this machine.
struct ScriptLookup<'a> {
    machine: &'a Machine,
    script: &'a Planned,
}

impl job::Lookup for ScriptLookup<'_> {
    fn read(&self, path: &Path, from: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
        match path.to_str().and_then(|name| self.script.files.get(name)) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.machine.read(path, from),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.script.variable(name).cloned().or_else(|| self.machine.variable(name))
    }

    fn engines(&self) -> &job::Engines {
        self.machine.engines()
    }

    fn machine(&self) -> job::Machine {
        self.machine.machine()
    }
}

fn linted(source: &Sentence, line: u32, words: &[String], text: &str, lookup: &dyn job::Lookup) -> Linted {
    let jobs = job::parse_plan(words, CONSENT, lookup);
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

/// Maximum size of a job file that is searched line by line, in bytes.
const LONGEST: u64 = 1 << 20;

/// Returns the lines of the job files among some words.
fn lines_of(words: &[String]) -> Vec<String> {
    let short = |path: &&String| sys::files::metadata(Path::new(path)).is_ok_and(|m| m.is_file() && m.len() <= LONGEST);
    let texts = words.iter().filter(|w| !is_option(w)).filter(short).filter_map(|path| std::fs::read(path).ok());
    texts.flat_map(|text| String::from_utf8_lossy(&text).lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Reads the arguments of secchi. Returns `None` for verbs that do not load a device.
fn native(source: &Sentence, line: u32, text: &str, words: &[String]) -> Result<Option<NativePlan>> {
    let typed = std::iter::once("secchi").chain(words.iter().map(String::as_str));
    let arguments = match Arguments::try_parse_from(typed) {
        Ok(arguments) => arguments,
        Err(e) if !e.use_stderr() => return Ok(None),
        Err(e) => return Err(coded(exit::BAD_INPUT, cli::one_sentence(&e.to_string()))),
    };
    let mut plan = NativePlan {
        source: source.clone(),
        line,
        words: text.to_owned(),
        cached: None,
        size: None,
        synchronous: None,
        overwrites: Vec::new(),
        seconds: 0.0,
    };
    let (buffered, device, destroy) = match &arguments.command {
        Command::Qualify(o) => {
            super::qualify::check(o)?;
            plan.seconds = match o.effort {
                Thoroughness::Quick => 90.0,
                Thoroughness::Standard => 300.0,
                Thoroughness::Thorough => 1800.0,
            };
            plan.synchronous = o.max_depth.filter(|_| is_synchronous(&o.engine));
            plan.size = o.size;
            (o.buffered, &o.device, &o.destroy)
        }
        Command::Mark(o) => (o.buffered, &o.device, &o.destroy),
        Command::Replay(o) => (o.buffered, &o.device, &o.destroy),
        Command::Ping(o) => {
            let path = ioping::overwritten(&o.words).map_err(|reason| coded(exit::BAD_INPUT, reason))?;
            return Ok(path.map(|path| NativePlan { overwrites: vec![path], ..plan }));
        }
        _ => return Ok(None),
    };
    plan.cached = buffered.then(|| sentence!("lint-buffered"));
    plan.overwrites.extend(device.iter().filter(|_| destroy.is_some()).cloned());
    Ok(Some(plan))
}

#[cfg(test)]
mod tests {
    use super::native;

    #[test]
    fn a_ping_that_overwrites_is_a_plan() {
        let overwritten = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            native(&"x".into(), 1, "", &words).unwrap().map(|plan| plan.overwrites)
        };
        assert_eq!(overwritten("ping -WWW --destroy vda:1 /dev/vda"), Some(vec!["/dev/vda".into()]));
        assert_eq!(overwritten("ping -c 1 /dev/vda"), None);
        assert_eq!(overwritten("ping -W /tmp"), None);
    }
}
