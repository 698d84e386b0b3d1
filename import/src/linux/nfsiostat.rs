//! Output of `nfsiostat` from nfs-utils 1.2 to 2: calls per second for each mount, and rates, sizes and times of reads
//! and writes.
//!
//! 1 `kB` is 1024 bytes. Byte counts are for whole RPC messages with headers, sent and received. A read of 4096 bytes
//! therefore counts as 4.25 kB. `avg exe` is the time of a call as the client sees it. `avg RTT` is the time spent in
//! the network and the server. The first report on a mount covers the time since it was mounted and is stored
//! separately (`ForeignFile::disks`). Reports have no timestamps.

use crate::format::Format;
use crate::text::figure::{self, Cut, Figure};
use crate::text::series::{Instances, named_test, point};
use crate::text::source::{ImportError, Nothing, Source, pass_over, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};
use std::collections::HashMap;

pub(crate) const FORMAT: Format = Format { name: "nfsiostat", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    let head = source.head();
    head.contains(" mounted on ") && head.contains("rpc bklog")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "nfsiostat".to_owned(), ..ForeignFile::default() };
    rows(source.lines()?, &mut file, source)?;
    Ok(vec![file])
}

/// Table that is being read: kind of call (empty for all calls together), columns, and the values so far.
#[derive(Default)]
struct Table {
    call: String,
    columns: Vec<String>,
    values: Vec<(String, u32)>,
}

#[derive(Default)]
struct Reader {
    /// Current mount point, and the number of its current report.
    mount: Option<(String, u32)>,
    reports: HashMap<String, u32>,
    table: Table,
    mounts: Instances,
}

/// Adds reports to a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    let mut reader = Reader::default();
    for (number, line) in lines {
        source.in_time_at(number)?;
        reader.line(number, line, file);
    }
    if file.disks.is_empty() {
        return Err(Nothing(sentence!("import-nfsiostat-empty")));
    }
    file.remarks.push(remark(0, sentence!("import-nfsiostat-first")));
    file.remarks.push(remark(0, sentence!("import-nfsiostat-headers")));
    if !file.series.is_empty() {
        file.remarks.push(remark(0, sentence!("import-nfsiostat-untimed")));
    }
    Ok(())
}

impl Reader {
    fn line(&mut self, number: u32, line: &str, file: &mut ForeignFile) {
        let trimmed = line.trim();
        if let Some((_, place)) = trimmed.strip_suffix(':').and_then(|l| l.split_once(" mounted on ")) {
            let count = self.reports.entry(place.to_owned()).or_default();
            *count += 1;
            self.mount = Some((place.to_owned(), *count));
            self.table = Table::default();
            named_test(&mut file.disks, place, number);
            return;
        }
        if self.mount.is_none() {
            return pass_over(&mut file.remarks, number, line);
        }
        // This is `read:  ops/s  kB/s ...`. In older versions, the columns are on the next line.
        let (call, rest) = match trimmed.split_once(':') {
            Some((call, rest)) if !call.is_empty() && call.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') => {
                (Some(call), rest.trim())
            }
            _ => (None, trimmed),
        };
        if let Some(call) = call {
            self.table = Table { call: call.to_owned(), ..Table::default() };
        }
        if rest.starts_with("op/s") || rest.starts_with("ops/s") {
            if call.is_none() && rest.contains("rpc bklog") {
                self.table = Table::default();
            }
            self.table.columns = columns(rest);
            return;
        }
        // A count is followed by a redundant share: `0 (0.0%)`.
        let values = rest.split_ascii_whitespace().filter(|w| !w.starts_with('('));
        self.table.values.extend(values.map(|w| (w.to_owned(), number)));
        if !self.table.columns.is_empty() && self.table.values.len() >= self.table.columns.len() {
            let table = std::mem::take(&mut self.table);
            self.add_row(&table, file);
        }
    }

    /// Adds a complete row of values.
    fn add_row(&mut self, table: &Table, file: &mut ForeignFile) {
        let Some((mount, report)) = self.mount.clone() else { return };
        let figures: Option<Vec<(Figure, u32)>> =
            table.values.iter().map(|(text, line)| Some((figure::whole(text)?, *line))).collect();
        let Some(figures) = figures.filter(|f| f.len() == table.columns.len()) else {
            let (text, line) = table.values.first().cloned().unwrap_or_default();
            return pass_over(&mut file.remarks, line, &text);
        };
        let is_idle = figures.first().is_some_and(|(f, _)| f.value == 0.0);
        for ((column, (value, line)), (text, _)) in table.columns.iter().zip(figures).zip(&table.values) {
            let (quantity, scale, unit) = meaning(&table.call, column);
            // Without calls, there is neither a size nor a time.
            if is_idle && matches!(unit, "B" | "s") {
                continue;
            }
            let value = value.times(scale);
            let name = format!("{} {column}", table.call).trim_start().to_owned();
            if report > 1 {
                let series = self.mounts.series(&mut file.series, (&mount, &name), unit, quantity);
                point(series, f64::from(report), value.value, line);
            } else if let Some(test) = file.disks.iter_mut().find(|d| d.name == mount) {
                match quantity {
                    Some((way, quantity)) => {
                        test.values.push(value.to_value(way, quantity, Cut::Nearest, line, format!("{name} {text}")));
                    }
                    None => test.asked.others.push((name, text.clone())),
                }
            }
        }
    }
}

/// Splits a heading into columns. They are separated by two spaces or a tab, because some contain several words.
fn columns(head: &str) -> Vec<String> {
    let head = head.replace('\t', "  ");
    head.split("  ").map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect()
}

/// Returns the quantity of a column for a kind of call, the size of its unit in base units, and the base unit.
fn meaning(call: &str, column: &str) -> (Option<(Way, Quantity)>, f64, &'static str) {
    let way = match call {
        "read" => Some(Way::Read),
        "write" => Some(Way::Write),
        "" => Some(Way::All),
        _ => None,
    };
    let with_way = |quantity| way.map(|way| (way, quantity));
    let time = |kind| Quantity::Latency(kind, Statistic::Mean);
    match column {
        "ops/s" | "op/s" => (with_way(Quantity::Iops(Statistic::Mean)), 1.0, "1/s"),
        "kB/s" => (with_way(Quantity::Bandwidth(Statistic::Mean)), 1024.0, "B/s"),
        "MB/s" => (with_way(Quantity::Bandwidth(Statistic::Mean)), 1_048_576.0, "B/s"),
        "kB/op" => (None, 1024.0, "B"),
        "avg exe (ms)" => (with_way(time(ForeignLatency::Total)), 1e-3, "s"),
        "avg RTT (ms)" => (with_way(time(ForeignLatency::Device)), 1e-3, "s"),
        "avg queue (ms)" => (None, 1e-3, "s"),
        _ => (None, 1.0, "1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QNAP: &str = include_str!("../../tests/data/public/nfsiostat.txt");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn the_first_report_of_a_mount_stands_apart_with_its_figures_as_printed() {
        let file = read_file(QNAP);
        assert_eq!((file.format.as_str(), file.series.len(), file.disks.len()), ("nfsiostat", 0, 1));
        let mount = &file.disks[0];
        assert!(mount.name.starts_with("/var/lib/kubelet/pods/05fd7b68"), "{}", mount.name);
        let value = |way, quantity| mount.get(way, quantity).map(|v| (v.value.unwrap(), v.words.clone(), v.line));
        let written = value(Way::Write, Quantity::Bandwidth(Statistic::Mean)).unwrap();
        assert_eq!(written, (1525.333 * 1024.0, "write kB/s 1525.333".to_owned(), 9));
        let exe = value(Way::Write, Quantity::Latency(ForeignLatency::Total, Statistic::Mean)).unwrap();
        assert!((exe.0 - 0.920_993).abs() < 1e-12 && exe.1 == "write avg exe (ms) 920.993", "{exe:?}");
        assert_eq!(value(Way::All, Quantity::Iops(Statistic::Mean)).unwrap().0, 99.318);
        assert!(mount.asked.others.contains(&("write avg queue (ms)".to_owned(), "891.194".to_owned())));
        assert!(mount.asked.others.contains(&("read retrans".to_owned(), "0".to_owned())));
        let remarks: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
        assert!(
            remarks.iter().any(|t| t.contains("since it was mounted")) && remarks.iter().any(|t| t.contains("headers"))
        );
        assert!(!remarks.iter().any(|t| t.contains("skipped")), "{remarks:?}");
    }

    #[test]
    fn later_reports_are_intervals_and_idle_ones_have_no_times() {
        let idle = QNAP.replace("1.596        1525.333         955.750", "0.000           0.000           0.000");
        let file = read_file(&format!("{QNAP}\n{idle}"));
        let mount = file.disks[0].name.clone();
        let reads = file.series(&format!("{mount} read kB/s")).unwrap();
        assert_eq!((reads.points.len(), reads.points[0].at, reads.points[0].value), (1, 2.0, 409.815 * 1024.0));
        assert_eq!(file.series(&format!("{mount} write ops/s")).unwrap().points[0].value, 0.0);
        assert!(file.series(&format!("{mount} write avg exe (ms)")).is_none());
    }

    /// The output was made for this test in the format of nfs-utils 1.2 under Python 2, with each value on a separate
    /// line.
    #[test]
    fn values_on_lines_of_their_own_are_read() {
        let text = "server:/export mounted on /data:\n\n   op/s\t\trpc bklog\n   6.72\n\t   0.00\nread:\n\
                    \x20 ops/s\t\t   kB/s\t\t  kB/op\t\tretrans\t\tavg RTT (ms)\tavg exe (ms)\n\
                    \x20                 0.025\n\t 14.823\n\t587.597\n       0 (0.0%)\n\t 13.444\n\t478.395\n";
        let file = read_file(text);
        let read = file.disks[0].get(Way::Read, Quantity::Latency(ForeignLatency::Total, Statistic::Mean)).unwrap();
        assert!((read.value.unwrap() - 0.478_395).abs() < 1e-12 && read.line == 13, "{read:?}");
        assert_eq!(file.disks[0].value(Way::All, Quantity::Iops(Statistic::Mean)), Some(6.72));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..QNAP.len(), gone in 0usize..30, put in "[0-9A-Za-z/:., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &QNAP[..at], &QNAP[(at + gone).min(QNAP.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
