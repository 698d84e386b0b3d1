//! `secchi compare A… -- B…`: reports whether the storage changed, and by how much.

use anyhow::Result;
use cli::Compare;
use model::judged::{Comparison, RunFigures};
use report::Subject;
use session::exit::{self, Code, coded};
use session::outputs::Outputs;
use session::reject;
use session::result_files::{KeptRun, ResultFiles, borrowed, print_subject};
use session::sources::{Found, Source, Sources};

pub fn run(options: &Compare) -> Result<Code> {
    let (a, b) = sides(options)?;
    let mut sources = Sources::new(options.store.store.as_ref());
    let mut seen: Vec<String> = Vec::new();
    let mut side =
        |names: &[String]| names.iter().map(|n| once(sources.find(n)?, &mut seen)).collect::<Result<Vec<_>>>();
    let (a, b) = (side(a)?, side(b)?);
    let kept = [reported("A", &a), reported("B", &b)];
    let damaged = a.iter().chain(&b).any(Found::is_damaged);
    let figures =
        |sources: &[Found]| sources.iter().map(|f| f.figures(&options.how.metrics)).collect::<Result<Vec<_>>>();
    let (a, b) = (figures(&a)?, figures(&b)?);
    check_allowed(&options.allow, &a, &b)?;
    let mut files = ResultFiles::claim(&options.results.outputs, &mut Outputs::new(options.results.force))?;
    let comparison =
        analysis::compare(&a, &b, &options.how.question(&options.allow)).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let code = print_comparison(&comparison, options.how.json)?;
    let [a, b] = [borrowed(&kept[0]), borrowed(&kept[1])];
    files.write_subject(Subject::Comparison(&comparison, [&a, &b]))?;
    // If one of the runs is damaged, the comparison is not the requested one.
    Ok(if damaged { exit::INVALID } else { code })
}

/// Returns the runs of secchi in the form that a page needs, labelled by side.
fn reported(side: &str, sources: &[Found]) -> Vec<KeptRun> {
    let run = |(i, one): (usize, &Found)| {
        let Source::Ours(record) = &one.source else { return None };
        let label = if sources.len() == 1 { side.to_owned() } else { format!("{side}{}", i + 1) };
        Some(KeptRun::judged(label, (**record).clone(), one.labels.clone()))
    };
    sources.iter().enumerate().filter_map(run).collect()
}

/// Prints a comparison and returns its exit code.
pub fn print_comparison(comparison: &Comparison, json: bool) -> Result<Code> {
    print_subject(Subject::Comparison(comparison, [&[], &[]]), json)?;
    Ok(Code(i32::from(comparison.exit_code)))
}

/// Returns the two sides as typed. Without `--`, two names are one run per side.
fn sides(options: &Compare) -> Result<(&[String], &[String])> {
    match (options.a.as_slice(), options.b.as_slice()) {
        ([a, b], []) => Ok((std::slice::from_ref(a), std::slice::from_ref(b))),
        (_, []) => Err(coded(
            exit::BAD_INPUT,
            "no runs are given for side B: name them after `--`, as in secchi compare A1 A2 -- B1 B2",
        )),
        both => Ok(both),
    }
}

/// Rejects a run that is named twice: it would count as two runs with identical results.
fn once(found: Found, seen: &mut Vec<String>) -> Result<Found> {
    if seen.contains(&found.key) {
        reject!("{} is given twice: each run counts as one observation", model::clip(&found.shown));
    }
    seen.push(found.key.clone());
    Ok(found)
}

/// Checks that every name in `--allow` is a parameter of a run.
fn check_allowed(allow: &[String], a: &[RunFigures], b: &[RunFigures]) -> Result<()> {
    let mut known: Vec<&str> = vec!["all"];
    for (name, _) in a.iter().chain(b).flat_map(|r| &r.subjects).flat_map(|s| &s.parameters) {
        if !known.contains(&name.as_str()) {
            known.push(name);
        }
    }
    let Some(unknown) = allow.iter().find(|n| !known.contains(&n.as_str())) else { return Ok(()) };
    let hint = model::units::suggestion(unknown, known.iter().copied());
    let message =
        format!("--allow {}: unknown parameter; expected one of {}{hint}", model::clip(unknown), known.join(", "));
    Err(coded(exit::BAD_INPUT, message))
}
