//! fio's logs (`--write_bw_log`, `--write_iops_log`, `--write_lat_log`), with one sample per line and 3 to 7 columns.
//!
//! The columns are the time in milliseconds, the value, direction, block size, offset, priority and issue time. The
//! file does not show what its values measure. Only the file name that fio chooses (`_bw.1.log`) shows this, so the
//! reader trusts the name and adds a remark.
//!
//! Latencies are in nanoseconds since fio 2.99; earlier versions used microseconds. The file does not contain the unit
//! either (see [`of_two`]). With `per_job_logs=0`, the clones of a job share one log, and each writes its samples when
//! it ends. If a line has an earlier time than the previous line, it is the first sample of another clone.

use crate::format::Format;
use crate::text::series::{point, series, usual_periods};
use crate::text::source::{ImportError, Source, add_remark, pass_over, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignSeries, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "fio-log", shares_a_log: false, recognise, read };

/// Minimum number of columns in a line of a histogram log.
const WIDE: usize = 100;

fn recognise(source: &Source<'_>) -> bool {
    let mut lines = source.head().lines().filter(|l| !l.trim().is_empty()).take(20).peekable();
    lines.peek().is_some() && lines.all(|l| row(l).is_some())
}

/// One line of a log.
struct Row {
    /// Time in milliseconds since the load began.
    at: f64,
    value: f64,
    way: usize,
    /// Size of the operation in bytes; 0 if the line is a mean.
    block: f64,
    columns: usize,
}

fn row(line: &str) -> Option<Row> {
    let list: Vec<&str> = line.split(',').map(str::trim).take(WIDE).collect();
    if !(3..=8).contains(&list.len()) {
        return None;
    }
    let number = |i: usize| list[i].parse::<u64>().ok();
    // Offsets may be hexadecimal.
    let rest = list[3..].iter().all(|f| f.parse::<u64>().is_ok() || f.strip_prefix("0x").is_some());
    let way = number(2).filter(|w| *w < 4 && rest)?;
    let block = list.get(3).and_then(|b| b.parse().ok()).unwrap_or(0.0);
    Some(Row { at: number(0)? as f64, value: number(1)? as f64, way: way as usize, block, columns: list.len() })
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "fio".to_owned(), ..ForeignFile::default() };
    let (kind, unit, scale, quantity) = kind(source.name);
    let ways = [Way::Read, Way::Write, Way::Trim, Way::Sync];
    let names = ["read", "write", "trim", "sync"];
    let fresh = || -> Vec<ForeignSeries> {
        ways.into_iter()
            .zip(names)
            .map(|(w, n)| series(&format!("{kind} {n}"), unit, quantity.map(|quantity| (w, quantity))))
            .collect()
    };
    // One series per direction for each clone.
    let mut clones = vec![fresh()];
    let (mut last, mut latencies) = (0.0, Latencies::default());
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        let Some(row) = row(line) else {
            pass_over(&mut file.remarks, number, line);
            continue;
        };
        if row.at < last / 2.0 && clones.len() < MOST_CLONES {
            clones.push(fresh());
        } else if row.at < last {
            add_remark(&mut file.remarks, number, || sentence!("import-fio-log-back"));
        }
        last = row.at;
        latencies.count(&row);
        let list = clones.last_mut().expect("there is a first clone");
        point(&mut list[row.way], row.at / 1000.0, row.value * scale, number);
    }
    let is_latency = matches!(quantity, Some(Quantity::Latency(..)));
    let micros = is_latency && of_two(&latencies);
    if clones.len() > 1 {
        file.remarks.push(remark(0, sentence!("import-fio-log-clones", n = clones.len())));
    }
    let several = clones.len() > 1;
    for (clone, list) in (1..).zip(clones) {
        for mut series in list.into_iter().filter(|s| !s.points.is_empty()) {
            if several {
                series.name = format!("{}, clone {clone}", series.name);
                series.instance = Some(format!("clone {clone}"));
            }
            if micros {
                series.points.iter_mut().for_each(|p| p.value *= 1000.0);
            }
            file.series.push(series);
        }
    }
    usual_periods(&mut file);
    file.remarks.push(remark(
        0,
        match quantity {
            None => sentence!("import-fio-log-untold"),
            Some(_) if micros => sentence!("import-fio-log-micros", kind),
            Some(_) if is_latency && latencies.columns <= 4 => sentence!("import-fio-log-latencies", kind),
            Some(_) => sentence!("import-fio-log-of", kind),
        },
    ));
    Ok(vec![file])
}

/// Maximum number of clones. A file with more clones is garbled.
const MOST_CLONES: usize = 1024;

/// Statistics that reveal the unit of latencies.
#[derive(Debug, Default)]
struct Latencies {
    columns: usize,
    count: f64,
    sum: f64,
    least: Option<f64>,
    /// Sum of the durations of all clones, in milliseconds.
    span: f64,
    last: f64,
    /// True if each line is an operation, not a mean: only operations have a block size.
    is_each: bool,
}

impl Latencies {
    fn count(&mut self, row: &Row) {
        self.is_each = (self.is_each || self.count == 0.0) && row.block > 0.0;
        self.columns = self.columns.max(row.columns);
        self.count += 1.0;
        self.sum += row.value;
        self.least = Some(self.least.map_or(row.value, |least| least.min(row.value)));
        // Add the time since the previous line, or since the start of a new clone.
        self.span += if row.at >= self.last { row.at - self.last } else { row.at };
        self.last = row.at;
    }
}

/// Minimum duration of an operation in nanoseconds. Even a system call takes longer.
const LEAST_NANOS: f64 = 150.0;
/// Mean number of operations in flight below which the storage is mostly idle.
const IDLE: f64 = 0.02;

/// Returns `true` if the latencies can only be from fio 2, and are therefore in microseconds.
///
/// Logs from fio 2 have at most four columns. In addition, one of two conditions must hold:
///
/// - A latency would be impossibly short in nanoseconds.
/// - Each line is one operation, and Little's law rules out nanoseconds. In microseconds, the operations keep the
///   storage busy most of the time. In nanoseconds, they would keep it busy for less than a fiftieth of the time.
fn of_two(latencies: &Latencies) -> bool {
    if latencies.columns > 4 || latencies.count < 2.0 {
        return false;
    }
    let impossible = latencies.least.is_some_and(|least| least > 0.0 && least < LEAST_NANOS);
    let nanos = latencies.sum / 1e6 / latencies.span.max(1.0);
    let busy = 1000.0 * nanos;
    impossible || latencies.is_each && latencies.count >= 100.0 && nanos < IDLE && busy > 0.8
}

/// Returns the kind of values, their unit, the size of the unit in base units, and the quantity, based on the name of
/// the log.
fn kind(name: &str) -> (&'static str, &'static str, f64, Option<Quantity>) {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let has = |word: &str| name.contains(&format!("_{word}."));
    let latency = |kind| Some(Quantity::Latency(kind, Statistic::Mean));
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

    const BW: &[u8] = include_bytes!("../../tests/data/fio_bw.1.log");
    const CLAT: &[u8] = include_bytes!("../../tests/data/fio_clat.1.log");

    #[test]
    fn a_log_has_a_series_for_each_direction() {
        let file = crate::read::read("dir/fio_bw.1.log", BW).unwrap().remove(0);
        let names: Vec<&str> = file.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["bandwidth read", "bandwidth write"]);
        let first = file.series[0].points[0];
        assert_eq!((first.at, first.value, first.line), (0.5, 61_848.0 * 1024.0, 1));
        assert_eq!(file.series[0].period, Some(0.5));
        assert!(file.remarks[0].text.contains("according to the file name"));
        let latency = crate::read::read("fio_clat.1.log", CLAT).unwrap().remove(0);
        assert!((latency.series[0].points[0].value - 327_501e-9).abs() < 1e-12);
    }

    #[test]
    fn without_the_name_its_values_are_of_nothing_known() {
        let file = crate::read::read("x", BW).unwrap().remove(0);
        assert_eq!((file.format.as_str(), file.series[0].of), ("fio-log", None));
        assert!(file.remarks[0].text.contains("neither the file nor its name"));
    }

    #[test]
    fn logs_of_any_number_of_columns_are_read() {
        for line in ["1, 2, 0\n", "1, 2, 0, 4096\n", "1, 2, 0, 4096, 0x1000\n", "1, 2, 1, 4096, 0, 0, 123456789\n"] {
            assert_eq!(crate::read::read("x", line.as_bytes()).unwrap()[0].format, "fio-log", "{line}");
        }
    }

    /// Generates a log in fio 2's format. Each line is one operation with its latency in microseconds, and operations
    /// do not overlap.
    fn each(unit: f64) -> String {
        let line = |i: u32| format!("{}, {}, 0, 4096\n", i * 5, (4900.0 * unit) as u64 + u64::from(i % 7));
        (1..200).map(line).collect()
    }

    #[test]
    fn latencies_of_fio_2_are_microseconds_where_it_is_certain() {
        let read = |text: &str| crate::read::read("a_lat.1.log", text.as_bytes()).unwrap().remove(0);
        let micros = read(&each(1.0));
        assert!((micros.series[0].points[0].value - 4901e-6).abs() < 1e-12, "{:?}", micros.series[0].points[0]);
        assert!(micros.remarks.iter().any(|r| r.text.contains("microseconds, as fio 2.x")), "{:?}", micros.remarks);
        let nanos = read(&each(1000.0));
        assert!((nanos.series[0].points[0].value - 4_900_001e-9).abs() < 1e-12);
        assert!(nanos.remarks.iter().any(|r| r.text.contains("read as nanoseconds")));
        // The unit cannot be determined if there are pauses between operations, or if the lines are means.
        let paced = read(&each(1.0).replace(", 0, 4096", ", 0, 0"));
        assert!((paced.series[0].points[0].value - 4901e-9).abs() < 1e-12);
        let short = read("1000, 45, 0, 0\n2000, 52, 0, 0\n");
        assert!((short.series[0].points[0].value - 45e-6).abs() < 1e-12, "no operation takes 45 ns");
    }

    #[test]
    fn clones_in_one_log_are_series_of_their_own() {
        let one = "500, 100, 0, 0\n1000, 110, 0, 0\n1500, 120, 0, 0\n";
        let file = crate::read::read("a_bw.log", format!("{one}{one}").as_bytes()).unwrap().remove(0);
        let names: Vec<&str> = file.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["bandwidth read, clone 1", "bandwidth read, clone 2"]);
        assert_eq!(file.series[1].instance.as_deref(), Some("clone 2"));
        assert_eq!(file.series[1].points.iter().map(|p| p.line).collect::<Vec<_>>(), [4, 5, 6]);
        assert!(file.remarks.iter().any(|r| r.text.contains("2 clones")), "{:?}", file.remarks);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([0-9]{1,22}, ){0,9}[0-9\\n, x-]{0,40}") {
            let _ = crate::read::read("x_lat.1.log", text.as_bytes());
        }
    }
}
