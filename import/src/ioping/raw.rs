//! ioping's raw statistics (`-B`, `-p`, `-P`), with ten numbers per line.
//!
//! The numbers are: count, sum of times (ns), IOPS, bytes/s, minimum, mean, maximum, standard deviation (ns), requests
//! including skipped ones, elapsed time (ns). Versions before 0.9 have only the first eight.

use crate::format::Format;
use crate::text::figure::{self, Cut};
use crate::text::series::{point, series};
use crate::text::source::{ImportError, Source};
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "ioping-raw", shares_a_log: false, recognise, read };

/// Returns the quantity for a statistic of the total request latency.
pub(crate) fn total(statistic: Statistic) -> Quantity {
    Quantity::Latency(ForeignLatency::Total, statistic)
}

/// Returns the doubt that applies to ioping's rates.
pub(crate) fn doubt(quantity: Quantity) -> Option<String> {
    let rate = matches!(quantity, Quantity::Iops(_) | Quantity::Bandwidth(_));
    rate.then(|| "1 / mean latency, computed from the sum of the request times; not an achieved rate".to_owned())
}

fn recognise(source: &Source<'_>) -> bool {
    let mut lines = source.head().lines().filter(|l| !l.trim().is_empty()).take(20).peekable();
    lines.peek().is_some() && lines.all(|l| row(l).is_some())
}

/// Parses the numbers on a line if they are consistent with ioping's format.
pub(crate) fn row(line: &str) -> Option<Vec<f64>> {
    let list: Option<Vec<f64>> =
        line.split_ascii_whitespace().map(|w| w.parse::<u64>().ok().map(|n| n as f64)).collect();
    let list = list.filter(|l| matches!(l.len(), 8 | 10))?;
    // Any ten numbers could look the same, so check that the mean is the sum divided by the count, and that it is
    // between minimum and maximum.
    let mean = list[1] / list[0].max(1.0);
    let holds = list[4] <= list[5] && list[5] <= list[6] && (mean - list[5]).abs() <= 1.0 + mean * 0.001;
    (holds && list[0] >= 1.0).then_some(list)
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "ioping".to_owned(), ..ForeignFile::default() };
    let mut means = series("mean", "s", Some((Way::All, total(Statistic::Mean))));
    let mut at = 0.0;
    for (number, line) in source.lines()? {
        let Some(list) = row(line) else {
            return Err(ImportError(format!("line {number}: not a line of ioping's raw statistics")));
        };
        let mut test = ForeignTest { name: format!("line {number}"), line: number, ..ForeignTest::default() };
        test.asked.depth = Some(1);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        for (i, (quantity, unit)) in [
            (Quantity::Operations, 1.0),
            (Quantity::DeviceTime, 1e-9),
            (Quantity::Iops(Statistic::Overall), 1.0),
            (Quantity::Bandwidth(Statistic::Overall), 1.0),
            (total(Statistic::Min), 1e-9),
            (total(Statistic::Mean), 1e-9),
            (total(Statistic::Max), 1e-9),
            (total(Statistic::Deviation), 1e-9),
        ]
        .into_iter()
        .chain((list.len() == 10).then_some((Quantity::Runtime, 1e-9)))
        .enumerate()
        {
            let field = if i == 8 { 9 } else { i };
            let Some(figure) = figure::whole(words[field]) else { continue };
            let words = format!("field {}: {}", field + 1, words[field]);
            let cut = if quantity == Quantity::Operations { Cut::Exact } else { Cut::Either };
            let mut value = figure.times(unit).to_value(Way::All, quantity, cut, number, words);
            value.doubt = doubt(quantity);
            test.values.push(value);
        }
        if let Some(passed) = list.get(9) {
            at += passed * 1e-9;
            point(&mut means, at, list[5] * 1e-9, number);
        }
        file.tests.push(test);
    }
    if means.points.len() > 1 {
        file.series.push(means);
    }
    Ok(vec![file])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = include_str!("../../tests/data/ioping-B.txt");

    #[test]
    fn ten_numbers_are_statistics() {
        let file = crate::read::read("x", LINE.as_bytes()).unwrap().remove(0);
        assert_eq!(file.format, "ioping-raw");
        let test = &file.tests[0];
        assert_eq!(test.value(Way::All, total(Statistic::Mean)), Some(534_515e-9));
        assert_eq!(test.value(Way::All, Quantity::Runtime), Some(40_412_225e-9));
        assert!(test.get(Way::All, Quantity::Iops(Statistic::Overall)).unwrap().doubt.is_some());
        assert_eq!(crate::read::read("x", LINE.repeat(3).as_bytes()).unwrap()[0].series[0].points.len(), 3);
    }

    #[test]
    fn ten_other_numbers_are_not() {
        assert!(crate::read::read("x", b"1 2 3 4 5 6 7 8 9 10\n").is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([0-9]{1,22} ){0,11}[0-9\\n -]{0,40}") {
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
