//! fio's histogram logs (`--write_hist_log`). A line has a time in milliseconds, a direction, a block size, and one
//! count per bucket.
//!
//! Each line contains the samples since the previous line. The sum of all lines is the histogram of the run. Since fio
//! 3.0, there are 1856 buckets in nanoseconds. Earlier versions had 1216 buckets in microseconds. Each step of
//! `--log_hist_coarseness` halves the number of buckets.

use crate::fio::options;
use crate::format::Format;
use crate::text::figure::{Cut, Figure};
use crate::text::series::{point, series, usual_periods};
use crate::text::source::{ImportError, Source, add_remark};
use messages::{message, sentence};
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use model::{LatencyHistogram, Nanos};

pub(crate) const FORMAT: Format = Format { name: "fio-hist-log", shares_a_log: false, recognise, read };

/// Number of buckets and unit of the bucket values in nanoseconds, first since fio 3.0, then for earlier versions.
const LAYOUTS: [(usize, u64); 2] = [(1856, 1), (1216, 1000)];

fn recognise(source: &Source<'_>) -> bool {
    source
        .head()
        .lines()
        .find(|l| !l.trim().is_empty())
        .is_some_and(|l| layout(l).is_some() && row(l, &mut |_, _| {}).is_some())
}

/// Returns the number of fio buckets per column of the log, and the unit of the bucket values in nanoseconds.
fn layout(line: &str) -> Option<(usize, u64)> {
    let columns = line.trim_end().trim_end_matches(',').matches(',').count() + 1;
    let counts = columns.checked_sub(3).filter(|n| *n >= 29)?;
    LAYOUTS.into_iter().find_map(|(total, unit)| {
        let coarse = total.div_ceil(counts);
        (coarse.is_power_of_two() && coarse <= 64 && total.div_ceil(coarse) == counts).then_some((coarse, unit))
    })
}

/// Parses the time in milliseconds, the direction and the block size of a line. Calls `count` with the column and value
/// of each nonzero count.
fn row(line: &str, count: &mut dyn FnMut(usize, u64)) -> Option<(u64, usize, u64)> {
    let mut fields = line.trim_end().trim_end_matches(',').split(',').map(|f| f.trim().parse::<u64>().ok());
    let (at, way, size) = (fields.next()??, fields.next()??, fields.next()??);
    for (i, n) in fields.enumerate() {
        match n? {
            0 => {}
            n => count(i, n),
        }
    }
    (way < 3).then_some((at, way as usize, size))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "fio".to_owned(), ..ForeignFile::default() };
    let ways = [(Way::Read, "read"), (Way::Write, "write"), (Way::Trim, "trim")];
    let mut histograms = [LatencyHistogram::default(), LatencyHistogram::default(), LatencyHistogram::default()];
    let p99 = Quantity::Latency(ForeignLatency::Completion, Statistic::Percentile(99.0));
    let mut list = ways.map(|(way, name)| series(&format!("p99 {name}"), "s", Some((way, p99))));
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        let mut samples = LatencyHistogram::default();
        let mut beyond = false;
        let parsed = layout(line).and_then(|(coarse, unit)| {
            row(line, &mut |bucket, n| {
                // The value is the middle of the buckets that one column of the log covers.
                let (first, last) = (options::bucket(bucket * coarse), options::bucket(bucket * coarse + coarse - 1));
                let at = Nanos((first / 2 + last / 2 + (first & last & 1)).saturating_mul(unit));
                beyond |= n > options::MOST_OF_BIN;
                options::record(&mut samples, at, n.min(options::MOST_OF_BIN));
            })
        });
        let Some((at, way, _)) = parsed.filter(|_| !beyond) else {
            let text = || sentence!("import-passed-over", text = message!("import-fio-no-histogram"));
            add_remark(&mut file.remarks, number, text);
            continue;
        };
        // With fewer than 1000 samples, a p99 is determined by chance.
        if let Some(value) = samples.percentile(99.0).value() {
            point(&mut list[way], at as f64 / 1000.0, value.secs(), number);
        }
        histograms[way].merge(&samples);
    }
    let mut test = ForeignTest { name: "histogram".to_owned(), line: 1, ..ForeignTest::default() };
    for ((way, _), histogram) in ways.into_iter().zip(histograms) {
        if histogram.count() > 0 {
            let count = Figure { value: histogram.count() as f64, ulp: 1.0 };
            test.values.push(count.to_value(way, Quantity::Operations, Cut::Exact, 1, "sum of all counts"));
            test.histograms.push((way, ForeignLatency::Completion, histogram));
        }
    }
    file.tests.push(test);
    file.series.extend(list.into_iter().filter(|s| !s.points.is_empty()));
    usual_periods(&mut file);
    Ok(vec![file])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOG: &str = include_str!("../../tests/data/fio_clat_hist.1.log");

    #[test]
    fn all_lines_together_are_the_histogram_of_the_run() {
        let file = crate::read::read("x", LOG.as_bytes()).unwrap().remove(0);
        assert_eq!(file.format, "fio-hist-log");
        let counts: u64 =
            LOG.lines().flat_map(|l| l.split(',').skip(3).map(|f| f.trim().parse::<u64>().unwrap())).sum();
        let test = &file.tests[0];
        assert_eq!(test.histograms.iter().map(|(_, _, h)| h.count()).sum::<u64>(), counts);
        // The report of the same run had medians of 281 and 351 us.
        let median = |i: usize| test.histograms[i].2.quantile(0.5).unwrap().micros();
        assert!(
            (240.0..320.0).contains(&median(0)) && (300.0..400.0).contains(&median(1)),
            "{} {}",
            median(0),
            median(1)
        );
        assert_eq!(file.series.len(), 2);
    }

    #[test]
    fn the_number_of_columns_tells_version_and_coarseness() {
        let line = |columns: usize| format!("1, 0, 4096{}", ", 0".repeat(columns));
        for (columns, wanted) in
            [(1856, Some((1, 1))), (928, Some((2, 1))), (1216, Some((1, 1000))), (1000, None), (3, None)]
        {
            assert_eq!(layout(&line(columns)), wanted, "{columns}");
        }
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..LOG.len(), put in "[0-9, \\n]{0,24}") {
            let text = format!("{}{put}{}", &LOG[..at], &LOG[at..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
