//! Reduces a database run to the figures that are compared: the operations of each wave by kind, the waits of its
//! sessions, and the resulting writes of the devices. Each figure has its own name, so that the comparison gives one
//! answer for each.

use super::values::{format_value, latency_value};
use crate::database::kind_latency;
use messages::sentence;
use model::bounds::{DbOperation, Metric};
use model::judged::{DEPTH, OpFigures, SubjectFigures, WaveFigures};
use model::{Judgement, Op, RunRecord, Sentence, Severity, measured::DatabaseUse, plan::KeyOrder, record::DbWave};

/// Name of the judge's ratio that is compared.
const WRITES: &str = "device writes per update";

/// Returns one subject for each kind of operation of each wave, and one for the device writes.
pub(super) fn subjects(
    record: &RunRecord,
    used: &DatabaseUse,
    judgement: &Judgement,
    metrics: &[Metric],
) -> Vec<SubjectFigures> {
    let Some(judged) = judgement.database() else { return Vec::new() };
    let waves = record.db_waves();
    let several = waves.len() > 1;
    let mut subjects = Vec::new();
    for (wave, figures) in waves.iter().zip(&judged.waves) {
        let title = if several { format!("{} by {}", figures.class, figures.processes) } else { figures.class.clone() };
        let parameters = parameters(used, wave, figures);
        let struck = struck(judgement, wave, figures);
        for (kind, of) in figures.kinds() {
            // A commit is compared with its updates, at their rate. Inside a transaction an update only accesses the
            // engine's memory; the session waits for the commit.
            let wanted = |metric: &Metric| match kind {
                DbOperation::Commits | DbOperation::Transactions => !matches!(metric, Metric::Iops | Metric::Bandwidth),
                DbOperation::Updates if figures.batch.is_some() => matches!(metric, Metric::Iops | Metric::Bandwidth),
                _ => true,
            };
            let metrics_here: Vec<Metric> = metrics.iter().copied().filter(wanted).collect();
            if metrics_here.is_empty() {
                continue;
            }
            let value = |metric: &Metric| value(wave, kind, of, struck.as_ref(), *metric);
            subjects.push(SubjectFigures {
                name: format!("{title} {kind}"),
                parameters: parameters.clone(),
                values: metrics_here.iter().map(value).collect(),
                own: metrics_here,
                ..SubjectFigures::default()
            });
        }
    }
    let ratio = judged.ratios.iter().find(|r| r.name == WRITES);
    if let (Some(ratio), Some(wave), Some(figures)) = (ratio, waves.first(), judged.waves.first()) {
        let value = if ratio.doubtful { Err(Sentence::from(&ratio.remark)) } else { Ok(ratio.value) };
        let value = struck(judgement, wave, figures).map_or(value, Err);
        subjects.push(SubjectFigures {
            name: "for each update".to_owned(),
            parameters: parameters(used, wave, figures),
            values: vec![value],
            own: vec![Metric::DeviceWrites],
            ..SubjectFigures::default()
        });
    }
    subjects
}

/// Returns the figures by which layouts of a database are compared: the rate of whole transactions and the latency of
/// commits; for reads, and for updates without transactions, both rate and latency.
pub(super) fn layout_subjects(record: &RunRecord, used: &DatabaseUse, judgement: &Judgement) -> Vec<SubjectFigures> {
    let (p50, p99) = (Metric::Percentile(50.0), Metric::Percentile(99.0));
    let Some(judged) = judgement.database() else { return Vec::new() };
    let mut subjects = Vec::new();
    for (wave, figures) in record.db_waves().iter().zip(&judged.waves) {
        let struck = struck(judgement, wave, figures);
        for (kind, of) in figures.kinds() {
            let metrics = match kind {
                DbOperation::Transactions => vec![Metric::Iops],
                DbOperation::Commits => vec![p50, p99],
                DbOperation::Updates if figures.batch.is_some() => continue,
                _ => vec![Metric::Iops, p99],
            };
            let value_of = |metric: &Metric| value(wave, kind, of, struck.as_ref(), *metric);
            subjects.push(SubjectFigures {
                name: kind.to_string(),
                parameters: parameters(used, wave, figures),
                values: metrics.iter().map(value_of).collect(),
                own: metrics,
                ..SubjectFigures::default()
            });
        }
    }
    subjects
}

/// Returns the reason why the figures of a wave are invalid; `None` if they are valid.
fn struck(judgement: &Judgement, wave: &DbWave, figures: &WaveFigures) -> Option<Sentence> {
    let of_wave = |step: usize| wave.jobs.iter().any(|j| j.step == step);
    let invalid = judgement.caveats.iter().find(|c| c.severity == Severity::Invalid && c.step.is_none_or(of_wave));
    let unsettled = figures.kinds().any(|(_, of)| of.rate.is_none());
    let unsettled = || figures.moved.as_ref().filter(|_| unsettled).map(|why| sentence!("came-to-no-level-as", why));
    invalid.map(|c| c.statement.clone()).or_else(unsettled)
}

/// Returns the value of a metric; the error `struck`, if the figures of the wave are invalid.
fn value(
    wave: &DbWave,
    kind: DbOperation,
    of: &OpFigures,
    struck: Option<&Sentence>,
    metric: Metric,
) -> Result<f64, Sentence> {
    if let Some(why) = struck {
        return Err(why.clone());
    }
    match metric {
        Metric::Iops => of.rate.map(|rate| rate.per_second()).ok_or_else(|| sentence!("came-to-no-level")),
        Metric::Bandwidth => {
            let total = wave.total();
            let bytes = total.op(if kind == DbOperation::Reads { Op::Read } else { Op::Write }).tally.bytes;
            if bytes == 0 {
                Err(sentence!("records-without-size"))
            } else {
                Ok(bytes as f64 / total.length.secs().max(1e-9))
            }
        }
        _ => latency_value(&kind_latency(wave, kind), metric),
    }
}

/// Returns the requested work and the setup of the database. Its location is not a parameter, because locations are
/// what is compared.
fn parameters(used: &DatabaseUse, wave: &DbWave, figures: &WaveFigures) -> Vec<(String, String)> {
    let onoff = |on: bool| if on { "on" } else { "off" }.to_owned();
    let mut list = vec![
        ("engine", used.engine.clone()),
        ("verb", figures.class.clone()),
        (DEPTH, figures.processes.to_string()),
        ("page", used.page.short()),
        ("cache", used.cache.short()),
        ("direct", u8::from(used.direct).to_string()),
    ];
    if figures.read_percent < 100 {
        list.push(("journal", onoff(used.journal)));
        list.push(("commit", used.commit.clone()));
        if !used.parameters.is_empty() {
            list.push(("parameters", used.parameters_text()));
        }
    }
    if let Some(rule) = wave.rule {
        list.push(("batch", rule.batch.to_string()));
        list.push(("transactions", onoff(rule.transaction)));
        list.push(("hang", rule.hang.to_string()));
        list.push(("reads", format!("{} %", rule.read_percent)));
        list.push(("value", format_value(&rule.value)));
        list.push(("subscripts", rule.own.count.to_string()));
        list.extend(rule.names.as_ref().map(|names| ("nodes", names.to_string())));
        list.extend((rule.extra.indexes > 0).then(|| ("indexes", rule.extra.indexes.to_string())));
        list.extend(rule.extra.skew.map(|skew| ("skew", skew.to_string())));
        list.extend(rule.extra.arrivals.as_ref().map(|a| ("rate", format!("{:?}", a.pacing))));
        match rule.order {
            KeyOrder::New => list.push(("order", "new nodes".to_owned())),
            KeyOrder::Insert { scattered } => {
                list.push(("order", if scattered { "random inserts" } else { "sequential inserts" }.to_owned()));
            }
            _ => {}
        }
    }
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
