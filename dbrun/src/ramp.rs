//! `secchi db ramp`: raises the number of processes or the rate level by level until a rule ends the ramp, and reports
//! the highest accepted level.

use super::open::OpenDatabase;
use super::plan::{Level, Verb};
use super::run::{Measure, check};
use anyhow::Result;
use cli::{DbRamp, DbRunArgs, End, Ends, RampVerb, Through};
use db::DataFile;
use messages::sentence;
use model::{RunRecord, bounds::Clause, judged::Outcome, plan::GlobalSize, record::DbWave, units::UnitError};
use session::Session;
use session::console::remark_of;
use session::exit::{self, Code, coded};
use session::launch::Reach;
use std::ops::ControlFlow;

pub fn run(options: &DbRamp) -> Result<Code> {
    check(&options.run)?;
    let bad = |reason: String| coded(exit::BAD_INPUT, reason);
    if options.to < options.from {
        return Err(bad(format!("--to {}: must be at least --from {}", options.to, options.from)));
    }
    if let (Some(to), Some(from)) = (options.to_rate, options.run.rate)
        && to.per_second() < from.per_second()
    {
        return Err(bad(format!("--to-rate {to}: must be at least --rate {from}")));
    }
    if options.to_rate.is_some() && matches!(options.verb, RampVerb::Ranread) && options.run.through == Through::Blocks
    {
        return Err(bad("--to-rate raises the rate of engine operations, but ranread reads blocks directly from the \
                        files: add --through engine"
            .into()));
    }
    let needs = options.run.common.needs.iter().flat_map(|n| &n.0).any(|n| n.database().is_some());
    let stop = options.stop.clone().unwrap_or_else(|| {
        let usual = Ends(vec![End::Gain(LEAST_GAIN)]);
        if needs { usual } else { Ends(vec![End::Beyond(usual_latency()), End::Gain(LEAST_GAIN)]) }
    });
    let accept: Vec<Clause> = match &options.accept {
        None => Vec::new(),
        Some(text) => text
            .split(',')
            .map(|c| c.trim().parse())
            .collect::<Result<_, UnitError>>()
            .map_err(|e| bad(format!("--accept: {}", e.0)))?,
    };
    let verb = match options.verb {
        RampVerb::Ranread => Verb::RanRead,
        RampVerb::Ranwrite => Verb::RanWrite,
        RampVerb::Ranio => Verb::RanIo,
    };
    Session::supervised(Reach::ManyHosts, options.run.common.hang, |session| {
        let args = &options.run;
        let levels = |place: &OpenDatabase, globals: &[GlobalSize], files: &[DataFile], seed| {
            let mut stages = Vec::new();
            if let Some((mut rate, to)) = args.rate.zip(options.to_rate) {
                while rate.per_second() <= to.per_second() * (1.0 + 1e-9) {
                    let args = DbRunArgs { rate: Some(rate), ..args.clone() };
                    let level = Level { verb, processes: options.from, args: &args, globals, files, seed };
                    stages.extend(level.stages(place)?.into_iter().map(|stage| at_rate(stage, rate)));
                    rate = options.step.after_rate(rate);
                }
                return Ok(stages);
            }
            let mut processes = options.from;
            while processes <= options.to {
                // A ramp of writes ends when there are too few globals for the next level. If the first level already
                // needs more, it is rejected.
                if verb.writes() && processes as usize > globals.len() && processes != options.from {
                    remark_of(&sentence!("remark-ramp-globals", n = globals.len()));
                    break;
                }
                stages.extend(Level { verb, processes, args, globals, files, seed }.stages(place)?);
                processes = options.step.after(processes);
            }
            Ok(stages)
        };
        // Before the first level there is nothing to judge.
        let mut gate = |record: &RunRecord, _: usize| -> ControlFlow<String> {
            if let Some(reason) = analysis::missed_need(record, &analysis::judge(record)) {
                return ControlFlow::Break(reason);
            }
            let waves = record.db_waves();
            waves
                .split_last()
                .and_then(|(wave, before)| ended(&stop, wave, before.last()))
                .map_or(ControlFlow::Continue(()), ControlFlow::Break)
        };
        Measure {
            directory: &options.dir.dir,
            verb,
            args,
            levels: &levels,
            ramp: Some(super::run::Ramp { gate: &mut gate, accept: !accept.is_empty() }),
        }
        .run(session)
    })
}

/// Returns the stage with the rate added to its name.
fn at_rate(mut stage: model::Stage, rate: model::Iops) -> model::Stage {
    let (wave, worker) = stage.name.rsplit_once(".w").unwrap_or((&stage.name, "0"));
    stage.name = format!("{wave}.r{}.w{worker}", rate.per_second());
    stage.job.name.clone_from(&stage.name);
    stage
}

/// Returns the default rule that ends a ramp: a mean latency above 10 ms. The second default rule is [`LEAST_GAIN`].
fn usual_latency() -> Clause {
    Clause { metric: model::bounds::Metric::Mean, bound: model::bounds::Bound::Latency(model::Nanos::from_millis(10)) }
}
const LEAST_GAIN: f64 = 0.1;

/// Returns the reason to end the ramp after this level, or `None` to continue.
fn ended(rules: &Ends, wave: &DbWave<'_>, before: Option<&DbWave<'_>>) -> Option<String> {
    let at = wave.processes;
    let rate = |wave: &DbWave<'_>| wave.reads_per_sec().per_second() + wave.writes_per_sec().per_second();
    rules.0.iter().find_map(|rule| match rule {
        End::Beyond(clause) => (analysis::wave_keeps(wave, std::slice::from_ref(clause)) == Outcome::Fail)
            .then(|| format!("the ramp ends at {at} processes: {clause} is not met")),
        End::Gain(least) => {
            let gain = rate(wave) / rate(before?).max(1e-9) - 1.0;
            (gain < *least).then(|| {
                let (gain, least) = (gain * 100.0, least * 100.0);
                format!("the ramp ends at {at} processes: {gain:+.1} % over the previous level, less than {least} %")
            })
        }
    })
}
