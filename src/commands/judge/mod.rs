//! `secchi judge FILE|RUN... --need ...`: judges stored runs against needs, and results of other tools against rules,
//! limits and needs.

mod gather;

use analysis::{ForeignRequest, foreign_rules, judge_foreign, unjudged};
use anyhow::Result;
use cli::Judge;
use gather::Gathered;
use messages::sentence;
use model::{Judgement, RunRecord, bounds::Need, judged::RuleText};
use report::Subject;
use session::console::{Shown, print, print_run, remark_of};
use session::exit::{self, Code};
use session::outputs::{Output, Outputs, Replaces};
use session::reject;
use session::result_files::ResultFiles;
use session::sources::Sources;

pub fn run(options: &Judge) -> Result<Code> {
    if options.rules {
        print(|style, out| report::write_rules(foreign_rules(), style, out))?;
        return Ok(exit::OK);
    }
    if let Some(id) = &options.explain {
        return explain(id, foreign_rules().chain(unjudged()).collect());
    }
    match gather::gather(&options.sources, options.recursive)? {
        Gathered::Run(name) => of_run(options, &name),
        Gathered::Files { mut files, unread } => {
            put_zone(options, &mut files);
            let code = of_files(options, &files)?;
            // The readable files are judged, but a pass requires that all files could be read.
            Ok(if unread > 0 && code == exit::OK { exit::BAD_INPUT } else { code })
        }
    }
}

/// Judges a stored run, or a run in a document.
fn of_run(options: &Judge, name: &str) -> Result<Code> {
    let only_files = [
        (options.csv, "--csv"),
        (options.memory.is_some(), "--memory"),
        (options.time_zone.is_some(), "--time-zone"),
        (options.recursive, "--recursive"),
    ];
    if let Some((_, option)) = only_files.iter().find(|(is, _)| *is) {
        reject!("{option} is for files of other tools, and `{}` is a run of secchi", model::clip(name));
    }
    let mut record = Sources::new(options.store.store.as_ref()).find(name)?.record()?;
    let names: Vec<&str> = record.plan.targets.iter().map(|t| t.name.as_str()).collect();
    let limits = options.bought.resolve(&names)?;
    if !limits.is_empty() {
        record.plan.limits = limits;
    }
    let needs = needs(options);
    let needs = if needs.is_empty() { record.plan.needs.clone() } else { needs };
    if needs.is_empty() && record.plan.limits.is_empty() {
        reject!("nothing to judge by: the run has no needs; add some with --need (a line, a file, or a contract)");
    }
    let (mut junit, mut results) = claim(options)?;
    let (record, judgement) = analysis::judge_by(&record, needs);
    if let Some(file) = &mut junit {
        write_junit(file, &record, &judgement)?;
    }
    results.write(&record, &judgement)?;
    if options.json {
        print_run(&record, &judgement, Shown::Json)?;
    } else {
        print(|style, out| report::write_judged(&record, &judgement, style, out))?;
    }
    Ok(Code(i32::from(judgement.exit_code)))
}

/// Sets the time zone given by the user for files that do not record one.
fn put_zone(options: &Judge, files: &mut [model::foreign::ForeignFile]) {
    let Some(zone) = &options.time_zone else { return };
    let mut without = 0;
    for file in files.iter_mut().filter(|f| f.zone.is_none()) {
        let Some(wall) = file.began.and_then(|s| jiff::Timestamp::from_second(s).ok()) else { continue };
        let wall = wall.to_zoned(jiff::tz::TimeZone::UTC).datetime();
        file.zone = zone.to_zoned(wall).ok().map(|zoned| zoned.offset().seconds());
        without += 1;
    }
    if without == 0 {
        remark_of(&sentence!("remark-zone-unused"));
    }
}

/// Judges files of other tools.
fn of_files(options: &Judge, files: &[model::foreign::ForeignFile]) -> Result<Code> {
    let (limits, needs) = (options.bought.resolve(&[])?, needs(options));
    let (mut junit, mut results) = claim(options)?;
    let judgement = judge_foreign(files, &ForeignRequest { limits: &limits, needs: &needs, memory: options.memory });
    let subject = Subject::Foreign(&judgement);
    let write = |name, style: &_, out: &mut dyn std::io::Write| {
        report::format(name).map_or(Ok(()), |format| format.write(subject, style, out))
    };
    if let Some(file) = &mut junit {
        file.fill_or_report(|out| write("junit", &report::Style::default(), out))?;
    }
    results.write_subject(subject)?;
    print(|style, out| match (options.json, options.csv) {
        (true, _) => write("json", style, out),
        (_, true) => write("csv", style, out),
        _ => write("terminal", style, out),
    })?;
    Ok(Code(i32::from(judgement.exit_code)))
}

fn needs(options: &Judge) -> Vec<Need> {
    options.needs.iter().flat_map(|n| n.0.clone()).collect()
}

/// Prints the rules that match an identifier or a part of it, which is its number or its name.
///
/// # Errors
/// If no rule matches.
pub fn explain(id: &str, rules: Vec<&'static RuleText>) -> Result<Code> {
    let wanted = id.to_ascii_lowercase();
    let part = |r: &&&RuleText| {
        let lower = r.id.to_ascii_lowercase();
        lower == wanted || lower.split_once('-').is_some_and(|(number, name)| number == wanted || name == wanted)
    };
    let matches: Vec<&&RuleText> = rules.iter().filter(part).collect();
    if matches.is_empty() {
        let near = model::units::nearest(id, rules.iter().map(|r| r.id));
        let hint = near.map_or_else(|| "--rules lists them".to_owned(), |n| format!("did you mean `{n}`?"));
        reject!("no rule `{}`; {hint}", model::clip(id));
    }
    print(|style, out| {
        for (i, rule) in matches.iter().enumerate() {
            if i > 0 {
                out.write_all(b"\n")?;
            }
            report::write_rule(rule, style, out)?;
        }
        Ok(())
    })?;
    Ok(exit::OK)
}

/// Claims the files of `--junit` and `-o`.
fn claim(options: &Judge) -> Result<(Option<Output>, ResultFiles)> {
    let mut outputs = Outputs::new(options.results.force);
    let junit = options.junit.as_ref().map(|path| outputs.claim(path, Replaces::Ours)).transpose()?;
    Ok((junit, ResultFiles::claim(&options.results.outputs, &mut outputs)?))
}

/// Writes the needs as test cases.
pub fn write_junit(file: &mut Output, record: &RunRecord, judgement: &Judgement) -> Result<()> {
    file.fill_or_report(|out| report::write_junit(record, judgement, out))
}
