//! Needs on operations of a database: `commit: p99<=10ms`. One wave must meet every clause.

use super::waves::{kind_latency, kind_latency_in, last_level};
use crate::levels::figures::Level;
use crate::verdict::commands::database_command;
use crate::verdict::needs::{Range, exact, judged, no_samples, percentile, unmeasured};
use messages::sentence;
use model::bounds::{Clause, DbOperation, Metric, Need};
use model::judged::{ClauseResult, NeedLimit, NeedResult, OpFigures, Outcome, Steadiness, WaveFigures};
use model::{BytesPerSecond, Iops, LatencyHistogram, Op, RunRecord, Sentence, record::DbWave};
use statistics::series::ratio_half;

/// Half-width of an interval if there are too few windows to compute it, as for levels.
const WIDE: f64 = 0.03;

/// A wave with the clauses checked on it.
struct Tried<'a> {
    figures: &'a WaveFigures,
    clauses: Vec<ClauseResult>,
    struck: Option<Sentence>,
}

impl Tried<'_> {
    fn count(&self, outcome: Outcome) -> usize {
        self.clauses.iter().filter(|c| c.outcome == outcome).count()
    }
}

/// Checks one need about an operation on all waves. `errors` is true if any operation of the run failed.
pub(super) fn check(
    (need, operation): (&Need, DbOperation),
    record: &RunRecord,
    (waves, figures, levels): (&[DbWave], &[WaveFigures], &[Level]),
    errors: bool,
) -> NeedResult {
    let too_small = super::doubts::too_small_for_needs(record, waves).filter(|_| operation == DbOperation::Reads);
    let mut tried: Vec<Tried> = Vec::new();
    for (wave, figures) in waves.iter().zip(figures) {
        let Some((_, kind_figures)) = figures.kinds().find(|(kind, _)| *kind == operation) else { continue };
        let level = levels.iter().find(|l| wave.jobs.iter().any(|j| l.steps.contains(&j.step)));
        let one = One { wave, figures, of: kind_figures, level, operation };
        let clauses = need.clauses.iter().map(|c| one.clause(c)).collect();
        tried.push(Tried { figures, clauses, struck: level.and_then(struck).or_else(|| too_small.clone()) });
    }
    let clauses = need.clauses.len();
    let best = tried.into_iter().max_by(|a, b| {
        let key = |t: &Tried| {
            (t.struck.is_none(), t.count(Outcome::Pass) == clauses, t.count(Outcome::Fail) == 0, t.count(Outcome::Pass))
        };
        key(a).cmp(&key(b)).then(a.figures.rate.value.total_cmp(&b.figures.rate.value))
    });
    let Some(best) = best else {
        let command = database_command(need, operation, Some(record));
        return unmeasured(need, sentence!("need-unmeasured-kind", what = operation.name(), command));
    };
    let (mut outcome, mut reason) = if let Some(why) = &best.struck {
        (Outcome::Undecided, why.clone())
    } else if best.count(Outcome::Fail) > 0 {
        (Outcome::Fail, if figures.len() > 1 { sentence!("db-need-closest") } else { Sentence::default() })
    } else if best.count(Outcome::Undecided) > 0 {
        (Outcome::Undecided, sentence!("need-too-close"))
    } else if errors {
        (Outcome::Undecided, sentence!("need-errors"))
    } else {
        (Outcome::Pass, Sentence::default())
    };
    if let Some(lasting) = need.lasting.filter(|l| outcome == Outcome::Pass && *l > best.figures.time) {
        outcome = Outcome::Undecided;
        let command = database_command(need, operation, Some(record));
        reason = sentence!("db-need-too-short", time = best.figures.time, lasting, command);
    }
    NeedResult {
        text: need.text.clone(),
        outcome,
        depth: Some(best.figures.processes),
        clauses: best.clauses,
        why: reason,
    }
}

/// Returns how far a load that increases from wave to wave may be raised while all needs on the database are met;
/// `None` if there is only one wave, or no such need.
pub(super) fn limit(
    record: &RunRecord,
    (waves, figures, levels): (&[DbWave], &[WaveFigures], &[Level]),
    errors: bool,
) -> Option<NeedLimit> {
    let asked: Vec<(&Need, DbOperation)> = record.plan.needs.iter().filter_map(|n| Some((n, n.database()?))).collect();
    let plan = || record.plan.stages.iter().filter(|s| s.place.clone == 0 && s.place.side == 0);
    let rates = plan().filter_map(|s| s.job.tuning.work.session()?.extra.arrivals?.pacing.rate().map(Iops::per_second));
    let rates: Vec<f64> = rates.collect();
    let by_rate = rates.windows(2).any(|w| w[0] < w[1]);
    // Requires a plan of rising levels, regardless of how many were run.
    if asked.is_empty() || figures.is_empty() || plan().count() < 2 {
        return None;
    }
    let outcomes_at = |at: usize| {
        let one = (&waves[at..=at], &figures[at..=at], levels);
        let each: Vec<Outcome> = asked.iter().map(|need| check(*need, record, one, errors).outcome).collect();
        // If the rate was not kept, the latencies belong to a lower rate than requested.
        let kept = figures[at].arrivals.as_ref().is_none_or(|a| super::doubts::is_kept(a, figures[at].processes));
        let worst = [Outcome::Fail, Outcome::Undecided].into_iter().find(|o| each.contains(o));
        if kept { worst.unwrap_or(Outcome::Pass) } else { Outcome::Fail }
    };
    let outcomes: Vec<Outcome> = (0..figures.len()).map(outcomes_at).collect();
    // A level with too few commits to decide does not rule out a higher level that meets the needs.
    let failed = outcomes.iter().position(|o| *o == Outcome::Fail).unwrap_or(outcomes.len());
    let met = outcomes[..failed].iter().rposition(|o| *o == Outcome::Pass);
    Some(NeedLimit { needs: asked.iter().map(|(need, _)| need.text.clone()).collect(), by_rate, outcomes, met })
}

/// Returns the reason why a level cannot decide any clause.
fn struck(level: &Level) -> Option<Sentence> {
    match &level.figures.steadiness {
        Steadiness::NotSettled { why } if level.unsettled() => Some(sentence!("db-need-no-level-why", why)),
        _ => level.figures.struck.as_ref().map(|why| sentence!("db-need-not-valid", why)),
    }
}

/// One kind of operation of one wave.
struct One<'a, 'b> {
    wave: &'a DbWave<'a>,
    figures: &'a WaveFigures,
    of: &'a OpFigures,
    level: Option<&'a Level<'b>>,
    operation: DbOperation,
}

impl One<'_, '_> {
    fn clause(&self, clause: &Clause) -> ClauseResult {
        let latency = match last_level(self.level) {
            Some(last) => kind_latency_in(last, self.operation),
            None => kind_latency(self.wave, self.operation),
        };
        let range = match clause.metric {
            Metric::Iops => {
                let (lo, hi) = self.spread();
                self.of.rate.ok_or_else(|| sentence!("came-to-no-level")).map(|Iops(rate)| {
                    let text = format!("{} [{}, {}]", Iops(rate), Iops(lo * rate), Iops(hi * rate));
                    (lo * rate, hi * rate, text.into())
                })
            }
            Metric::Bandwidth => self.bandwidth(),
            Metric::Mean => self.mean(&latency),
            Metric::Max => exact(latency.max()),
            Metric::Percentile(p) => percentile(&latency, &self.seconds(), p),
            Metric::DeviceWrites => Err(sentence!("not-told")),
        };
        judged(clause, range)
    }

    /// Returns the interval of the wave's rate, as factors of the rate: operations occur at the rate of batches.
    fn spread(&self) -> (f64, f64) {
        let rate = &self.figures.rate;
        match rate.ci.filter(|_| rate.value > 0.0) {
            Some((lo, hi)) => (lo / rate.value, hi / rate.value),
            None => (1.0 - WIDE, 1.0 + WIDE),
        }
    }

    fn bandwidth(&self) -> Range {
        let whole = self.wave.total();
        let total = last_level(self.level).unwrap_or(&whole);
        let op = match self.operation {
            DbOperation::Reads => Op::Read,
            DbOperation::Updates => Op::Write,
            other => return Err(sentence!("db-need-no-bytes", kind = other.name())),
        };
        let rate = total.op(op).tally.bytes as f64 / total.length.secs().max(1e-9);
        if rate == 0.0 {
            return Err(sentence!("db-need-bytes-not-counted"));
        }
        let (lo, hi) = self.spread();
        Ok((lo * rate, hi * rate, BytesPerSecond(rate).to_string().into()))
    }

    /// Returns the interval of the mean and its text. Sessions pause between batches, so the interval follows from the
    /// scatter of the latencies, not of the rate.
    fn mean(&self, latency: &LatencyHistogram) -> Range {
        let mean = latency.mean().ok_or_else(no_samples)?;
        let seconds = self.seconds();
        let sums: Vec<(f64, f64)> = seconds.iter().map(|s| (s.summary().sum as f64, s.count() as f64)).collect();
        let half = ratio_half(&sums).unwrap_or(mean.as_nanos() as f64 * WIDE);
        Ok(((mean.as_nanos() as f64 - half).max(0.0), mean.as_nanos() as f64 + half, mean.to_string().into()))
    }

    /// Returns the latencies of each second.
    fn seconds(&self) -> Vec<LatencyHistogram> {
        self.level.map(|l| l.seconds.iter().map(|i| kind_latency_in(i, self.operation)).collect()).unwrap_or_default()
    }
}
