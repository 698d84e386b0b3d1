//! A mark as one JSON document on one line, terminated by a newline: `{"mark": {...}}` with best and median of each
//! cell. `--json` writes the whole record.

use super::{Cell, HostShare, Loop, Mark};
use crate::Style;
use crate::formats::{DocumentKind, write_document};
use model::{Nanos, measured::percentiles::NoFigure, plan::MarkDirection};
use serde::Serialize;
use std::io::{self, Write};

/// Results of a disk mark.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::formats) struct Document<'a> {
    /// The disk mark, with every loop.
    mark: &'a Mark,
    /// Figures for each row and direction: those that most readers need, with units in their names.
    results: Vec<Figures<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Figures<'a> {
    test: String,
    direction: &'a str,
    read_percent: u8,
    loops: usize,
    best: Option<LoopFigures>,
    median: Option<LoopFigures>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LoopFigures {
    mb_per_s: f64,
    iops: f64,
    mean_us: Option<f64>,
    p99_us: Option<f64>,
    /// Reason why `p99_us` is `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    p99_us_reason: Option<NoFigure>,
    /// Figures by host, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<HostFigures>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HostFigures {
    host: String,
    mb_per_s: f64,
    iops: f64,
}

impl LoopFigures {
    fn from_loop(one: &Loop) -> Self {
        let host = |share: &HostShare| HostFigures {
            host: share.host.clone(),
            mb_per_s: share.rate.mb(),
            iops: share.iops.per_second(),
        };
        LoopFigures {
            mb_per_s: one.rate.mb(),
            iops: one.iops.per_second(),
            mean_us: one.mean.map(Nanos::micros),
            p99_us: one.p99.value().map(Nanos::micros),
            p99_us_reason: one.p99.reason(),
            hosts: one.hosts.iter().map(host).collect(),
        }
    }
}

fn figures(test: String, cell: &Cell) -> Figures<'_> {
    Figures {
        test,
        direction: cell.direction.name(),
        read_percent: MarkDirection::mix(cell.direction).read_percent(),
        loops: cell.loops.len(),
        best: cell.best().map(LoopFigures::from_loop),
        median: cell.median().map(LoopFigures::from_loop),
    }
}

pub(super) fn write(mark: &Mark, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let cells = mark.directions.iter().flat_map(|d| mark.in_direction(*d));
    let results = cells.map(|(test, cell)| figures(test.to_string(), cell)).collect();
    write_document(DocumentKind::Mark, Document { mark, results }, out)
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{marked, written};

    #[test]
    fn it_has_the_figures_of_every_row_and_direction() {
        let document: serde_json::Value = serde_json::from_str(&written("json", &marked())).unwrap();
        let results = document["results"].as_array().unwrap();
        assert_eq!(results.len(), 12);
        assert_eq!(results[0]["test"], "SEQ1M Q8T1");
        assert_eq!(results[8]["read_percent"], 70);
        let best = results[0]["best"]["mb_per_s"].as_f64().unwrap();
        assert!(best >= results[0]["median"]["mb_per_s"].as_f64().unwrap());
        assert_eq!(document["mark"]["rows"][0]["cells"][0]["loops"].as_array().unwrap().len(), 5);
        assert_eq!(document["mark"]["profile"], "Default");
    }
}
