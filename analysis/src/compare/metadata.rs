//! Reduces a metadata run to the figures that are compared: each phase of each mdtest shape, all threads of all hosts
//! together.

use super::values::latency_value;
use crate::metadata::latencies;
use messages::sentence;
use model::judged::{DEPTH, MetadataFigures, MetadataPhaseFigures, SubjectFigures};
use model::{Judgement, RunRecord, Sentence, Severity, bounds::Metric};

/// Returns one subject for each phase that began.
pub(super) fn subjects(record: &RunRecord, judgement: &Judgement, metrics: &[Metric]) -> Vec<SubjectFigures> {
    let Some(figures) = judgement.metadata() else { return Vec::new() };
    let invalid = judgement.caveats.iter().find(|c| c.severity == Severity::Invalid).map(|c| c.statement.clone());
    let subject = |of: &MetadataPhaseFigures| {
        let value = |metric: &Metric| match &invalid {
            Some(why) => Err(why.clone()),
            None => value(record, figures, of, *metric),
        };
        SubjectFigures {
            name: of.label(),
            parameters: parameters(figures),
            values: metrics.iter().map(value).collect(),
            ..SubjectFigures::default()
        }
    };
    figures.phases.iter().map(subject).collect()
}

fn value(
    record: &RunRecord,
    figures: &MetadataFigures,
    of: &MetadataPhaseFigures,
    metric: Metric,
) -> Result<f64, Sentence> {
    let totals = crate::metadata::expected(figures);
    match metric {
        _ if of.all.files < totals => Err(sentence!("metadata-need-partial", done = of.all.files, all = totals)),
        Metric::Iops => Ok(of.all.rate.per_second()),
        Metric::Bandwidth | Metric::DeviceWrites => Err(sentence!("records-without-size")),
        _ => latency_value(&latencies(record, of).unwrap_or_default(), metric),
    }
}

/// Returns the requested work. Its location is not a parameter, because locations are what is compared.
fn parameters(figures: &MetadataFigures) -> Vec<(String, String)> {
    let hosts = figures.hosts.len().max(1);
    let mut list = vec![
        (DEPTH, figures.threads.to_string()),
        ("files", figures.files_each.to_string()),
        ("hosts", hosts.to_string()),
    ];
    list.extend(figures.one_directory.map(|one| ("directories", if one { "one" } else { "of each host" }.to_owned())));
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
