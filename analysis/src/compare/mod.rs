//! Comparison of runs of A with runs of B: did a figure change, and by how much (docs/design/statistics.md, "Comparing
//! runs")?
//!
//! The unit is the run. A figure `changed` if the ranks of its runs differ by more than chance explains (Mann and
//! Whitney, exact, corrected by Holm for all figures compared) and the interval of the ratio (Hodges and Lehmann) is
//! not inside the margin. It is the `same` if that interval is inside. Otherwise the answer is `cannot_tell`, with the
//! number of runs that would probably be enough. The margin applies to ratios, 1/1.03 to 1.03, so that A against B and
//! B against A get the same answer.
//!
//! | file | question |
//! |---|---|
//! | `reduce`, `database`, `metadata` | a run -> its figures |
//! | `layouts` | two layouts of a database: is moving worthwhile, which volume binds? |
//! | `pair` | which workloads and levels are compared; did both sides do the same work? |
//! | `statistics`: `rank`, `welch` | tests and intervals |

mod database;
pub(crate) mod digest;
mod layouts;
mod metadata;
mod pair;
mod reduce;
mod values;

pub use layouts::compare_layouts;
pub use pair::Incomparable;
pub(crate) use reduce::ALONE;
pub use reduce::reduce;

use messages::sentence;
use model::judged::{Answer, Compared, Comparison, RunFigures, RunSet};
use model::{CompactSort, Sentence, bounds::Metric, distinct, grouped};
use pair::{Pair, Paired};
use statistics::series::{mean, student_t};
use statistics::{rank, welch};

/// Significance level: p must be below it.
const ALPHA: f64 = 0.05;
/// Quantile of the normal distribution for the power of the suggested number of runs: 80 %.
const POWER: f64 = 0.842;
/// Quantile for the same power if the interval must clear both ends of the margin.
const POWER_BOTH: f64 = 1.282;
/// Efficiency of the rank test relative to a test of means under normal noise (asymptotic, 3/pi).
const EFFICIENCY: f64 = 0.955;
/// Maximum number of runs that is suggested.
const MOST_RUNS: u32 = 1000;

/// Parameters of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Figures compared, chosen in advance: those passed to `reduce`, in the same order.
    pub metrics: Vec<Metric>,
    /// Margin: a smaller relative change does not count.
    pub within: f64,
    /// Names of parameters that may differ; `all` allows every parameter.
    pub allow: Vec<String>,
    /// Names of the workloads compared; empty = all.
    pub only: Vec<String>,
}

/// Compares two sides of runs.
///
/// # Errors
/// Returns an error if the runs did not do the same work, or have nothing in common.
pub fn compare(a: &[RunFigures], b: &[RunFigures], question: &Question) -> Result<Comparison, Incomparable> {
    let Paired { pairs, differing, mut remarks } = pair::pair(a, b, question)?;
    let mut figures: Vec<Compared> = Vec::new();
    for pair in &pairs {
        let metrics = pair.a.first().map_or(question.metrics.as_slice(), |s| s.metrics(&question.metrics));
        for (i, metric) in metrics.iter().enumerate() {
            figures.push(measure(pair, i, *metric));
        }
    }
    holm(&mut figures);
    let tests = figures.len();
    figures.iter_mut().for_each(|f| decide(f, question.within, tests));
    remarks.extend(order_of_time(a, b));
    remarks.extend(own_remarks(a, b));
    let exit_code = exit_code(&figures);
    Ok(Comparison { a: side(a), b: side(b), within: question.within, figures, differing, remarks, exit_code })
}

fn side(runs: &[RunFigures]) -> RunSet {
    let tools = distinct(runs.iter().map(|run| run.tool.clone()));
    RunSet { runs: runs.iter().map(|run| run.source.clone()).collect(), tools }
}

/// Computes values, ratio and probabilities of one figure of one pair, without an answer.
fn measure(pair: &Pair, index: usize, metric: Metric) -> Compared {
    let values = |runs: &[&model::judged::SubjectFigures]| -> (Vec<f64>, Option<Sentence>) {
        let values: Vec<&Result<f64, Sentence>> = runs.iter().filter_map(|r| r.values.get(index)).collect();
        let reason = values.iter().find_map(|v| v.as_ref().err().cloned());
        (values.into_iter().filter_map(|v| v.as_ref().ok().copied()).collect(), reason)
    };
    let ((a, why_a), (b, why_b)) = (values(&pair.a), values(&pair.b));
    let lost = pair.a.len() + pair.b.len() - a.len() - b.len();
    let mut reason = why_a.or(why_b).unwrap_or_default();
    if lost > 0 {
        reason = sentence!("compare-runs-left-out", n = lost, all = pair.a.len() + pair.b.len(), why = reason);
    }
    let shift = rank::shift(&a, &b);
    if shift.is_none() && !a.is_empty() && !b.is_empty() {
        reason = sentence!("compare-no-ratio");
    }
    Compared {
        subject: pair.name.clone(),
        metric,
        ratio: shift.map(|s| s.ratio),
        ci: shift.and_then(|s| s.ci),
        scatter: [scatter(&a), scatter(&b)],
        p: rank::mann_whitney(&a, &b),
        p_adjusted: None,
        p_welch: welch::welch(&a, &b),
        answer: Answer::CannotTell,
        better: None,
        more_runs: None,
        why: reason,
        a,
        b,
    }
}

/// Returns the coefficient of variation.
fn scatter(x: &[f64]) -> Option<f64> {
    let m = mean(x);
    (x.len() > 1 && m > 0.0)
        .then(|| (x.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (x.len() as f64 - 1.0)).sqrt() / m)
}

/// Applies Holm's step-down: the smallest p times the number of tests, the next times one less, never decreasing.
fn holm(figures: &mut [Compared]) {
    let mut order: Vec<usize> = (0..figures.len()).filter(|i| figures[*i].p.is_some()).collect();
    order.compact_sort_by(|x, y| figures[*x].p.partial_cmp(&figures[*y].p).expect("a probability is a number"));
    let mut least = 0.0f64;
    let tests = order.len();
    for (i, at) in order.into_iter().enumerate() {
        let p = figures[at].p.unwrap_or(1.0);
        least = least.max((p * (tests - i) as f64).min(1.0));
        figures[at].p_adjusted = Some(least);
    }
}

/// Decides between the three answers.
fn decide(figure: &mut Compared, within: f64, tests: usize) {
    let (Some(ratio), Some(p)) = (figure.ratio, figure.p_adjusted) else {
        if figure.why.is_empty() {
            figure.why = sentence!("compare-no-figure");
        }
        return;
    };
    let margin = (1.0 + within).ln();
    let inside = figure.ci.is_some_and(|(low, high)| low.ln() > -margin && high.ln() < margin);
    if inside {
        figure.answer = Answer::Same;
    } else if p < ALPHA && figure.ci.is_some_and(|(low, high)| low > 1.0 || high < 1.0) {
        figure.answer = Answer::Changed;
        figure.better = Some((ratio > 1.0) == figure.metric.more_is_better());
    } else {
        let (n, m) = (figure.a.len(), figure.b.len());
        let wanted = runs_wanted(figure, margin, tests);
        figure.more_runs = wanted.map(|w| w.saturating_sub(n.min(m) as u32).max(1));
        let few = rank::least_p(n, m) * tests as f64 >= ALPHA;
        let said = match (wanted, few, tests) {
            (_, true, ..=1) if n == m => Some(sentence!("compare-few-runs", n)),
            (_, true, _) if n == m => Some(sentence!("compare-few-runs-for", n, figures = tests)),
            (_, true, ..=1) => Some(sentence!("compare-few-runs-apart", n, m)),
            (_, true, _) => Some(sentence!("compare-few-runs-apart-for", n, m, figures = tests)),
            (None, ..) => Some(sentence!("compare-scatter", most = MOST_RUNS)),
            _ => None,
        };
        let known = Some(std::mem::take(&mut figure.why)).filter(|why| !why.is_empty());
        figure.why = Sentence::join(said.into_iter().chain(known), "; ");
    }
}

/// Returns the number of runs per side after which the answer would probably (four times in five) be certain, if the
/// ratio and the scatter stay the same. The runs then prove either a change or that it is within the margin,
/// depending on which is easier to prove.
fn runs_wanted(figure: &Compared, margin: f64, tests: usize) -> Option<u32> {
    let logs = |x: &[f64]| x.iter().map(|v| v.ln()).collect::<Vec<f64>>();
    let squares = |x: &[f64]| {
        let m = mean(x);
        x.iter().map(|v| (v - m).powi(2)).sum::<f64>()
    };
    let (a, b) = (logs(&figure.a), logs(&figure.b));
    let dof = a.len() + b.len();
    if dof <= 2 {
        // One run per side shows no scatter, so the answer is the minimum number that can prove anything.
        return least_runs(tests);
    }
    let sd = ((squares(&a) + squares(&b)) / (dof as f64 - 2.0)).sqrt();
    let off = figure.ratio?.ln().abs();
    let (far, alone) = if off > margin - off { (off, false) } else { (margin - off, true) };
    let first = least_runs(if alone { 1 } else { tests })?;
    (first..=MOST_RUNS).find(|n| {
        let n = f64::from(*n);
        let error = sd * (2.0 / (n * EFFICIENCY)).sqrt();
        // Holm's first step is the strictest; Bonferroni's quantile approximates it by the same rise in z.
        let t = student_t(2.0 * n - 2.0);
        let needed = if alone { t + POWER_BOTH } else { t * holm_factor(tests) + POWER };
        needed * error <= far
    })
}

/// Returns the factor by which the two-sided 5 % quantile grows for this number of tests: z(.05/m) / z(.05), within 1 %
/// up to a hundred.
fn holm_factor(tests: usize) -> f64 {
    let m = tests as f64;
    let z = |alpha: f64| {
        // Abramowitz and Stegun 26.2.23.
        let t = (-2.0 * (alpha / 2.0).ln()).sqrt();
        t - (2.515_517 + 0.802_853 * t + 0.010_328 * t * t)
            / (1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t.powi(3))
    };
    z(ALPHA / m) / z(ALPHA)
}

/// Returns the minimum number of runs per side that can prove anything for this number of figures.
fn least_runs(tests: usize) -> Option<u32> {
    (1..=MOST_RUNS).find(|n| rank::least_p(*n as usize, *n as usize) * (tests as f64) < ALPHA)
}

/// Warns if one side was measured completely before the other: the difference may come from the ageing of the storage.
fn order_of_time(a: &[RunFigures], b: &[RunFigures]) -> Option<Sentence> {
    let times = |runs: &[RunFigures]| -> Option<Vec<String>> {
        runs.iter().map(|r| (!r.started.is_empty()).then(|| r.started.clone())).collect()
    };
    let (a, b) = (times(a)?, times(b)?);
    if a.len() + b.len() < 4 {
        return None;
    }
    let before = |x: &[String], y: &[String]| x.iter().max() < y.iter().min();
    let (first, last) = if before(&a, &b) {
        ("A", "B")
    } else if before(&b, &a) {
        ("B", "A")
    } else {
        return None;
    };
    Some(sentence!("compare-in-order", first, last))
}

/// Returns the doubts about individual runs, without duplicates.
fn own_remarks(a: &[RunFigures], b: &[RunFigures]) -> Vec<Sentence> {
    let remarks = a.iter().chain(b).flat_map(|run| run.remarks.iter().map(move |r| (r.clone(), run.source.as_str())));
    let total = a.len() + b.len();
    grouped(remarks)
        .into_iter()
        .map(|(remark, runs)| match runs.as_slice() {
            [_] | [_, _] => Sentence::concat([format!("{}: ", runs.join(", ")).into(), remark]),
            many => sentence!("compare-of-runs", n = many.len(), all = total, remark),
        })
        .collect()
}

/// Returns 1 if a figure is worse, else 2 if one is undecided, else 0.
fn exit_code(figures: &[Compared]) -> u8 {
    if figures.iter().any(|f| f.answer == Answer::Changed && f.better == Some(false)) {
        1
    } else if figures.iter().any(|f| f.answer == Answer::CannotTell) {
        2
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
