//! `nfsiostat` of nfs-utils 1.2 to 2: for each mount its calls a second, and of reads and writes rates, sizes and times.
//!
//! `kB` are 1024 bytes of whole RPC messages, sent and received, headers with them, so a read of 4096 bytes is 4.25 kB. `avg exe` is the
//! time from the program's call to its end as the client sees it, `avg RTT` that of the network and the server. The first report of a
//! mount is of the time since it was mounted and stands apart, among the disks; reports tell no times.

use crate::format::Format;
use crate::text::figure::{self, Cut, Figure};
use crate::text::series::{point, series};
use crate::text::source::{ImportError, Nothing, Source, pass_over, remark};
use messages::sentence;
use model::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use std::collections::HashMap;

pub(crate) const FORMAT: Format =
    Format { name: "nfsiostat", about: "nfsiostat of nfs-utils, as printed", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    let head = source.head();
    head.contains(" mounted on ") && head.contains("rpc bklog")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "nfsiostat".to_owned(), ..ForeignFile::default() };
    rows(source.lines()?, &mut file, || source.in_time())?;
    Ok(vec![file])
}

/// A table of one kind of call under way: its name (empty for all calls together), columns, and the values so far.
#[derive(Default)]
struct Table {
    call: String,
    columns: Vec<String>,
    values: Vec<(String, u32)>,
}

#[derive(Default)]
struct Reader {
    /// Where it is mounted, and the number of its report.
    mount: Option<(String, u32)>,
    reports: HashMap<String, u32>,
    table: Table,
    places: HashMap<String, usize>,
}

/// Reads reports into a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    file: &mut ForeignFile,
    in_time: impl Fn() -> Result<(), ImportError>,
) -> Result<(), Nothing> {
    let mut reader = Reader::default();
    for (number, line) in lines {
        if number % 4096 == 0 {
            in_time()?;
        }
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
            if !file.disks.iter().any(|d| d.name == place) {
                file.disks.push(ForeignTest { name: place.to_owned(), line: number, ..ForeignTest::default() });
            }
            return;
        }
        if self.mount.is_none() {
            return pass_over(&mut file.remarks, number, line);
        }
        // `read:  ops/s  kB/s ...`; in older versions the columns stand on the next line.
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
        // The share behind a count, `0 (0.0%)`, is told by the count.
        let values = rest.split_ascii_whitespace().filter(|w| !w.starts_with('('));
        self.table.values.extend(values.map(|w| (w.to_owned(), number)));
        if !self.table.columns.is_empty() && self.table.values.len() >= self.table.columns.len() {
            let table = std::mem::take(&mut self.table);
            self.add_row(&table, file);
        }
    }

    /// A whole row of values.
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
            let (of, scale, unit) = meaning(&table.call, column);
            // Without a call there is neither a size nor a time.
            if is_idle && matches!(unit, "B" | "s") {
                continue;
            }
            let value = value.times(scale);
            let name = format!("{} {column}", table.call).trim_start().to_owned();
            if report > 1 {
                let whole = format!("{mount} {name}");
                let place = *self.places.entry(whole).or_insert_with_key(|whole| {
                    file.series.push(series(whole, unit, of));
                    let last = file.series.len() - 1;
                    file.series[last].instance = Some(mount.clone());
                    last
                });
                point(&mut file.series[place], f64::from(report), value.value, line);
            } else if let Some(test) = file.disks.iter_mut().find(|d| d.name == mount) {
                match of {
                    Some((way, of)) => {
                        test.values.push(value.to_value(way, of, Cut::Nearest, line, format!("{name} {text}")));
                    }
                    None => test.asked.others.push((name, text.clone())),
                }
            }
        }
    }
}

/// Columns of a head, which are parted by two blanks or a tab: some are of several words.
fn columns(head: &str) -> Vec<String> {
    let head = head.replace('\t', "  ");
    head.split("  ").map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect()
}

/// What a column of a kind of call is of, its size in base units, and that unit.
fn meaning(call: &str, column: &str) -> (Option<(Way, Quantity)>, f64, &'static str) {
    let way = match call {
        "read" => Some(Way::Read),
        "write" => Some(Way::Write),
        "" => Some(Way::All),
        _ => None,
    };
    let of = |quantity| way.map(|way| (way, quantity));
    let time = |kind| Quantity::Latency(kind, Statistic::Mean);
    match column {
        "ops/s" | "op/s" => (of(Quantity::Iops(Statistic::Mean)), 1.0, "1/s"),
        "kB/s" => (of(Quantity::Bandwidth(Statistic::Mean)), 1024.0, "B/s"),
        "MB/s" => (of(Quantity::Bandwidth(Statistic::Mean)), 1_048_576.0, "B/s"),
        "kB/op" => (None, 1024.0, "B"),
        "avg exe (ms)" => (of(time(ForeignLatency::Total)), 1e-3, "s"),
        "avg RTT (ms)" => (of(time(ForeignLatency::Device)), 1e-3, "s"),
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
        let value = |way, of| mount.get(way, of).map(|v| (v.value.unwrap(), v.words.clone(), v.line));
        let written = value(Way::Write, Quantity::Bandwidth(Statistic::Mean)).unwrap();
        assert_eq!(written, (1525.333 * 1024.0, "write kB/s 1525.333".to_owned(), 9));
        let exe = value(Way::Write, Quantity::Latency(ForeignLatency::Total, Statistic::Mean)).unwrap();
        assert!((exe.0 - 0.920_993).abs() < 1e-12 && exe.1 == "write avg exe (ms) 920.993", "{exe:?}");
        assert_eq!(value(Way::All, Quantity::Iops(Statistic::Mean)).unwrap().0, 99.318);
        assert!(mount.asked.others.contains(&("write avg queue (ms)".to_owned(), "891.194".to_owned())));
        assert!(mount.asked.others.contains(&("read retrans".to_owned(), "0".to_owned())));
        let told: Vec<&str> = file.remarks.iter().map(|r| r.text.as_str()).collect();
        assert!(told.iter().any(|t| t.contains("since it was mounted")) && told.iter().any(|t| t.contains("headers")));
        assert!(!told.iter().any(|t| t.contains("passed over")), "{told:?}");
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

    /// Written for this: nfs-utils 1.2 under Python 2, each value on a line of its own.
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
