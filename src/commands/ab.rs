//! `secchi ab --a PLAN --b PLAN`: runs two plans alternately, A B B A, and compares them.
//!
//! Each run is a child process of this program with its own supervisor, and is stored like any other run. The plans
//! alternate so that storage drift affects both equally; the seed decides which plan runs first.

use super::compare::print_comparison;
use anyhow::{Context, Result};
use clap::Parser;
use cli::{Ab, Arguments, Command as Typed};
use messages::sentence;
use model::judged::{Answer, Comparison, RunFigures};
use report::Subject;
use session::console::{Live, remark, remark_of};
use session::exit::{self, Code, coded};
use session::launch::{self, Reach};
use session::measure::check_system;
use session::outputs::Outputs;
use session::reject;
use session::result_files::{KeptRun, ResultFiles, borrowed};
use session::rounds::{Forwarder, LEAST_ROUNDS, NAMES, run_once, turns};
use session::run_store::open_store;
use std::path::Path;
use store::Store;

const MOST_ROUNDS: u32 = 1000;

pub fn run(options: &Ab) -> Result<Code> {
    check_system("ab")?;
    if !(LEAST_ROUNDS..=MOST_ROUNDS).contains(&options.rounds) {
        reject!(
            "--rounds {}: must be {LEAST_ROUNDS} to {MOST_ROUNDS}; fewer rounds cannot show a difference",
            options.rounds
        );
    }
    if let Some(code) = launch::refusal(Reach::OneHost("ab"))? {
        return Ok(code);
    }
    let plans = [words("--a", &options.a)?, words("--b", &options.b)?];
    let mut files = ResultFiles::claim(&options.results.outputs, &mut Outputs::new(options.results.force))?;
    let mut live = Live::new(false);
    let store = open_store(options.store.store.as_ref(), &mut live)?.context("no store")?;
    let signals = Forwarder::start()?;
    let mut sides: [Vec<RunFigures>; 2] = [Vec::new(), Vec::new()];
    let seed = options.seed.unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0);
    let turns = turns(options.rounds, seed);
    for (done, side) in turns.iter().enumerate() {
        let at = format!("run {} of {}, {}", done + 1, turns.len(), NAMES[*side]);
        live.status(&at);
        let record = run_once(&plans[*side], &store, &signals);
        if signals.asked() != 0 {
            break;
        }
        let record = record.map_err(|e| coded(exit::code_of(&e), format!("{at}: {e:#}")))?;
        let figures = analysis::reduce(&record, &record.id, &options.how.metrics);
        live.line(&format!("{at}: {}", format_figures(&figures, &options.how.metrics)));
        sides[*side].push(figures);
    }
    live.clear();
    // Separate processes stored the runs in a directory. All runs are sent to a team's store together.
    if store.team_name().is_some()
        && let Err(error) = session::run_store::push_all(&store)
    {
        remark(&format!("{error:#}"));
    }
    let [a, b] = &sides;
    if a.is_empty() || b.is_empty() {
        return Ok(Code(128 + signals.asked()));
    }
    // Both plans were given explicitly, so every difference between them is intended.
    let question = options.how.question(&["all".to_owned()]);
    let comparison = analysis::compare(a, b, &question).map_err(|e| coded(exit::BAD_INPUT, e))?;
    let code = print_comparison(&comparison, options.how.json)?;
    if !files.is_empty() {
        let kept = [0, 1].map(|side| kept(&store, NAMES[side], &sides[side]));
        let [a, b] = [borrowed(&kept[0]), borrowed(&kept[1])];
        files.write_subject(Subject::Comparison(&comparison, [&a, &b]))?;
    }
    if let Some(rounds) = more(&comparison).map(|n| options.rounds + n).filter(|n| *n <= MOST_ROUNDS) {
        remark_of(&sentence!("remark-ab-more-rounds", n = rounds));
    }
    match signals.asked() {
        0 => Ok(code),
        signal => {
            remark_of(&sentence!("remark-runs-stopped-after", done = a.len() + b.len(), all = turns.len()));
            Ok(Code(128 + signal))
        }
    }
}

/// Returns the stored runs of a side, named by side and round.
fn kept(store: &Store, name: &str, side: &[RunFigures]) -> Vec<KeptRun> {
    let run = |(i, figures): (usize, &RunFigures)| {
        let record = store.read(&figures.source).ok()?;
        Some(KeptRun::judged(format!("{name}{}", i + 1), record, model::record::Labels::default()))
    };
    side.iter().enumerate().filter_map(run).collect()
}

/// Returns the number of additional runs needed for all undecided figures, which is the maximum over the figures.
fn more(comparison: &Comparison) -> Option<u32> {
    let open = comparison.figures.iter().filter(|f| f.answer == Answer::CannotTell);
    open.filter_map(|f| f.more_runs).max()
}

/// Splits a plan into words. A plan is a command line of secchi, with or without `secchi` in front.
fn words(option: &str, plan: &str) -> Result<Vec<String>> {
    let bad = |reason: String| coded(exit::BAD_INPUT, format!("{option} '{}': {reason}", model::clip(plan)));
    let mut words = shlex::split(plan).ok_or_else(|| bad("a quote is not closed".to_owned()))?;
    if words.first().is_some_and(|w| w == "secchi") {
        words.remove(0);
    }
    let parse = || {
        let typed = std::iter::once("secchi").chain(words.iter().map(String::as_str));
        Arguments::try_parse_from(typed).map_err(|e| bad(cli::one_sentence(&e.to_string())))
    };
    match words.first().map(String::as_str) {
        Some("fio") => {
            let facts = fio::facts::Machine::inspect();
            job::parse_arguments(&words[1..], job::CONSENT, &facts).map_err(|e| bad(e.to_string()))?;
        }
        Some("ping") => ioping::ends(&words[1..]).map_err(bad)?,
        Some("qualify" | "mark" | "db") => match parse()?.command {
            Typed::Qualify(q) => {
                if q.plan {
                    return Err(bad("--plan measures nothing".to_owned()));
                }
                if !q.keep && q.device.is_none() && q.path.as_deref().is_none_or(Path::is_dir) {
                    remark_of(&sentence!("remark-ab-without-keep", option));
                }
            }
            Typed::Mark(mark) => {
                if let Some(file) = mark.outputs.first() {
                    let reason = "every run would overwrite it: leave -o out, and write it from a kept run with \
                                  `secchi show`";
                    return Err(bad(format!("-o {}: {reason}", file.display())));
                }
                if !mark.keep && mark.device.is_none() {
                    remark_of(&sentence!("remark-ab-without-keep", option));
                }
            }
            Typed::Db(verb) if verb.measures() => {}
            _ => {
                let reason = "only commands of `db` that run a workload can be compared: ranread, ranwrite, ranio, \
                              seqread, seqwrite, insert, tpcb, ramp";
                return Err(bad(reason.to_owned()));
            }
        },
        Some(other) => {
            let plans = ["fio", "qualify", "ping", "mark", "db"];
            let hint = model::units::suggestion(other, plans);
            let reason = "only measurements can be compared: begin with `fio`, `qualify`, `ping`, `mark` or `db`";
            return Err(bad(format!("`{}` is not a plan: {reason}{hint}", model::clip(other))));
        }
        None => return Err(bad("it is empty: expected a command line such as 'fio --name=r ...'".to_owned())),
    }
    if words.iter().any(|w| w == "--store" || w.starts_with("--store=")) {
        return Err(bad("the runs use the store of `ab`: give --store to `ab` instead".to_owned()));
    }
    Ok(words)
}

/// Formats a run in a few words: `iops 5,998, p99 4.20 ms`.
fn format_figures(figures: &RunFigures, metrics: &[model::bounds::Metric]) -> String {
    let subject = figures.subjects.iter().rev().find(|s| s.held).or(figures.subjects.first());
    let Some(subject) = subject else { return "nothing was measured".to_owned() };
    let value = |(m, v): (&model::bounds::Metric, &Result<f64, model::Sentence>)| match v {
        Ok(v) => format!("{m} {}", m.format(*v)),
        Err(reason) => format!("{m}: {reason}"),
    };
    let values: Vec<String> = metrics.iter().zip(&subject.values).map(value).collect();
    format!("{}: {}", subject.name, values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_is_none_is_named_before_anything_runs() {
        let refusal = |plan: &str| words("--a", plan).unwrap_err().to_string();
        assert!(refusal("show 3f2a").contains("begin with `fio`, `qualify`, `ping`, `mark` or `db`"));
        assert!(refusal("db history .").contains("only commands of `db`"));
        assert!(words("--a", "db ranwrite . -t 1").is_ok());
        assert!(refusal("pong /tmp").contains("did you mean `ping`?"), "{}", refusal("pong /tmp"));
        assert!(refusal("ping /tmp").contains("without end"));
        assert!(refusal("ping -c 10 --live /tmp").contains("--live"));
        assert!(refusal("ping -c ten /tmp").contains("-count: "), "{}", refusal("ping -c ten /tmp"));
        assert!(refusal("ping -h").contains("measures nothing"));
        assert!(refusal("mark /tmp --profile nvm").contains("nvme"), "{}", refusal("mark /tmp --profile nvm"));
        assert!(refusal("mark /tmp -o a.png").contains("leave -o out"));
        assert_eq!(words("--a", "ping -c 10 /tmp").unwrap()[0], "ping");
        assert!(refusal("fio --name=r --rw=raed").contains("rw"), "{}", refusal("fio --name=r --rw=raed"));
        assert!(refusal("fio --name='r").contains("quote"));
        assert!(refusal("").contains("empty"));
        assert!(refusal("qualify /tmp --store /x").contains("the runs use the store of `ab`"));
        assert!(refusal("qualify /tmp --plan").contains("measures nothing"));
        assert!(refusal("qualify --bs 4q /tmp").contains("unknown unit"));
        assert_eq!(words("--a", "secchi fio --name=r --rw=randread --size=1m").unwrap()[0], "fio");
    }
}
