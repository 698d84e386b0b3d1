//! fio's logs (`--write_bw_log`, `--write_iops_log`, `--write_lat_log`): a line a sample, of 3 to 7 columns.
//!
//! Columns: milliseconds, value, direction, block size, offset, priority, time of issue. What the values are of stands nowhere in
//! the file: fio tells it by the name it gives it (`_bw.1.log`), so that name is believed, with a remark.

use crate::source::{pass_over, remark, tell};
use crate::table::{point, series, usual_periods};
use crate::{Format, ImportError, Source};
use messages::sentence;
use model::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format =
    Format { name: "fio-log", about: "fio --write_bw_log, --write_iops_log, --write_lat_log", recognise, read };

/// Columns that a histogram's line has at least.
const WIDE: usize = 100;

fn recognise(source: &Source<'_>) -> bool {
    let mut lines = source.head().lines().filter(|l| !l.trim().is_empty()).take(20).peekable();
    lines.peek().is_some() && lines.all(|l| row(l).is_some())
}

/// Milliseconds, value, direction, number of columns.
fn row(line: &str) -> Option<(f64, f64, usize, usize)> {
    let list: Vec<&str> = line.split(',').map(str::trim).take(WIDE).collect();
    if !(3..=8).contains(&list.len()) {
        return None;
    }
    let number = |i: usize| list[i].parse::<u64>().ok();
    // An offset may be written in hexadecimal.
    let rest = list[3..].iter().all(|f| f.parse::<u64>().is_ok() || f.strip_prefix("0x").is_some());
    let way = number(2).filter(|w| *w < 4 && rest)?;
    Some((number(0)? as f64, number(1)? as f64, way as usize, list.len()))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "fio".to_owned(), ..ForeignFile::default() };
    let (kind, unit, scale, of) = kind(source.name);
    let ways = [Way::Read, Way::Write, Way::Trim, Way::Sync];
    let names = ["read", "write", "trim", "sync"];
    let mut list: Vec<_> =
        ways.into_iter().zip(names).map(|(w, n)| series(&format!("{kind} {n}"), unit, of.map(|of| (w, of)))).collect();
    let (mut last, mut columns) = (0.0, 0);
    for (number, line) in source.lines()? {
        if number % 4096 == 0 {
            source.in_time()?;
        }
        let Some((at, value, way, count)) = row(line) else {
            pass_over(&mut file.remarks, number, line);
            continue;
        };
        columns = columns.max(count);
        if at < last {
            tell(&mut file.remarks, number, || sentence!("import-fio-log-back"));
        }
        last = at;
        point(&mut list[way], at / 1000.0, value * scale, number);
    }
    file.series.extend(list.into_iter().filter(|s| !s.points.is_empty()));
    usual_periods(&mut file);
    file.remarks.push(remark(
        0,
        match (of, columns) {
            (None, _) => sentence!("import-fio-log-untold"),
            (Some(Quantity::Latency(..)), 4) => sentence!("import-fio-log-latencies", kind),
            _ => sentence!("import-fio-log-of", kind),
        },
    ));
    Ok(vec![file])
}

/// What a log's name says: kind, unit, its size in base units, quantity.
fn kind(name: &str) -> (&'static str, &'static str, f64, Option<Quantity>) {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let has = |word: &str| name.contains(&format!("_{word}."));
    let latency = |of| Some(Quantity::Latency(of, Statistic::Mean));
    if has("bw") {
        ("bandwidth", "B/s", 1024.0, Some(Quantity::Bandwidth(Statistic::Mean)))
    } else if has("iops") {
        ("IOPS", "1/s", 1.0, Some(Quantity::Iops(Statistic::Mean)))
    } else if has("slat") {
        ("submission", "s", 1e-9, latency(ForeignLatency::Submission))
    } else if has("clat") {
        ("completion", "s", 1e-9, latency(ForeignLatency::Completion))
    } else if has("lat") {
        ("total", "s", 1e-9, latency(ForeignLatency::Total))
    } else {
        ("value", "", 1.0, None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    const BW: &[u8] = include_bytes!("../tests/data/fio_bw.1.log");
    const CLAT: &[u8] = include_bytes!("../tests/data/fio_clat.1.log");

    #[test]
    fn a_log_has_a_series_for_each_direction() {
        let file = crate::read("dir/fio_bw.1.log", BW).unwrap().remove(0);
        let names: Vec<&str> = file.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["bandwidth read", "bandwidth write"]);
        let first = file.series[0].points[0];
        assert_eq!((first.at, first.value, first.line), (0.5, 61_848.0 * 1024.0, 1));
        assert_eq!(file.series[0].period, Some(0.5));
        assert!(file.remarks[0].text.contains("its name says"));
        let latency = crate::read("fio_clat.1.log", CLAT).unwrap().remove(0);
        assert!((latency.series[0].points[0].value - 327_501e-9).abs() < 1e-12);
    }

    #[test]
    fn without_the_name_its_values_are_of_nothing_known() {
        let file = crate::read("x", BW).unwrap().remove(0);
        assert_eq!((file.format.as_str(), file.series[0].of), ("fio-log", None));
        assert!(file.remarks[0].text.contains("not in the file"));
    }

    #[test]
    fn logs_of_any_number_of_columns_are_read() {
        for line in ["1, 2, 0\n", "1, 2, 0, 4096\n", "1, 2, 0, 4096, 0x1000\n", "1, 2, 1, 4096, 0, 0, 123456789\n"] {
            assert_eq!(crate::read("x", line.as_bytes()).unwrap()[0].format, "fio-log", "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([0-9]{1,22}, ){0,9}[0-9\\n, x-]{0,40}") {
            let _ = crate::read("x_lat.1.log", text.as_bytes());
        }
    }
}
