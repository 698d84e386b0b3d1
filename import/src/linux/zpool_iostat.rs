//! Output of OpenZFS's `zpool iostat`, with or without `-v` and `-l`: rates of pools, their vdevs and disks.
//!
//! The first report covers the time since the pool was imported and is stored separately (`ForeignFile::disks`). With
//! `-y`, this report is omitted, but the output does not show whether the option was used. All numbers, even
//! operations, use suffixes for powers of 1024 (`zfs_nicenum`). The times printed with `-l` are means
//! (zpool-iostat(8)).

use crate::format::Format;
use crate::text::figure::{Cut, Figure, bytes, number, unit_of_time};
use crate::text::series::{Instances, point};
use crate::text::source::{ImportError, Source, Unknown, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};
use std::collections::HashMap;

pub(crate) const FORMAT: Format = Format { name: "zpool-iostat", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_header)
}

/// Returns `true` for the header `pool   alloc   free   read  write   read  write`.
fn is_header(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    ["pool", "alloc", "free", "read", "write"].iter().all(|word| words.next() == Some(word))
}

/// Returns the quantity that a group of columns measures, based on the title above the header. Returns `None` for
/// groups that are skipped.
fn quantity_of(group: &str) -> Option<Quantity> {
    Some(match group {
        "operations" => Quantity::Iops(Statistic::Mean),
        "bandwidth" => Quantity::Bandwidth(Statistic::Mean),
        "total_wait" => Quantity::Latency(ForeignLatency::Total, Statistic::Mean),
        "disk_wait" => Quantity::Latency(ForeignLatency::Device, Statistic::Mean),
        _ => return None,
    })
}

#[derive(Default)]
struct Reader {
    file: ForeignFile,
    /// Titles of the column groups, in order. Each group has two columns.
    groups: Vec<String>,
    /// Number of reports so far.
    reports: u32,
    /// Path to the current device in the tree: names with their depth.
    path: Vec<(usize, String)>,
    /// Number of times that each name occurs in the current report. Vdevs of the same kind may share a name.
    names: HashMap<String, u32>,
    devices: Instances,
    unknown: Unknown,
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    "zpool iostat".clone_into(&mut reader.file.tool);
    // The indentation shows the tree, so lines are not trimmed.
    for (line, text) in source.lines()? {
        source.in_time_at(line)?;
        reader.line(line, text.trim_end());
    }
    let mut file = reader.file;
    reader.unknown.end(&mut file.remarks);
    if file.disks.is_empty() {
        return Err(ImportError("it contains no row of zpool iostat".to_owned()));
    }
    file.remarks.push(remark(0, sentence!("import-zpool-first")));
    Ok(vec![file])
}

impl Reader {
    fn line(&mut self, line: u32, text: &str) {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if is_header(text) {
            self.reports += 1;
            self.names.clear();
            self.path.clear();
        } else if words.first() == Some(&"capacity") {
            self.groups = words.iter().map(|word| (*word).to_owned()).collect();
        } else if words.iter().all(|word| word.starts_with("--")) {
            // This is the separator between pools and at the end of a report.
        } else if self.reports > 0 && words.len() > 6 && words[1..].iter().all(|word| is_cell(word)) {
            let depth = text.len() - text.trim_start().len();
            self.row(line, depth, &words);
        } else if self.reports > 0 {
            self.unknown.line(&mut self.file.remarks, line, text);
        }
    }

    fn row(&mut self, line: u32, depth: usize, words: &[&str]) {
        self.path.retain(|(above, _)| *above < depth);
        let parents: Vec<&str> = self.path.iter().map(|(_, name)| name.as_str()).collect();
        let mut name = [&parents[..], &words[..1]].concat().join("/");
        let met = self.names.entry(name.clone()).or_default();
        *met += 1;
        if *met > 1 {
            name = format!("{name} {met}");
        }
        let leaf = name.rsplit('/').next().unwrap_or(&name).to_owned();
        self.path.push((depth, leaf));
        // Headings such as `logs` have no figures.
        if words[1..].iter().all(|word| *word == "-") {
            return;
        }
        let cells = self.groups.iter().zip(words[1..].chunks(2));
        let figures: Vec<(Way, Quantity, Figure, String)> = cells
            .filter_map(|(group, cells)| Some((quantity_of(group)?, group, cells)))
            .flat_map(|(quantity, group, cells)| {
                let named = cells.iter().zip([(Way::Read, "read"), (Way::Write, "write")]);
                named.filter_map(move |(cell, (way, word))| {
                    let figure = parse_cell(cell, quantity)?;
                    Some((way, quantity, figure, format!("{group} {word} {cell}")))
                })
            })
            .collect();
        if self.reports == 1 {
            let mut disk = ForeignTest { name, line, ..ForeignTest::default() };
            let values = figures
                .into_iter()
                .map(|(way, quantity, figure, words)| figure.to_value(way, quantity, Cut::Nearest, line, words));
            disk.values.extend(values);
            self.file.disks.push(disk);
            return;
        }
        for (way, quantity, figure, words) in figures {
            let column = words.rsplit_once(' ').map_or(words.as_str(), |(column, _)| column);
            let unit = match quantity {
                Quantity::Iops(_) => "1/s",
                Quantity::Bandwidth(_) => "B/s",
                _ => "s",
            };
            let series = self.devices.series(&mut self.file.series, (&name, column), unit, Some((way, quantity)));
            // Reports have no timestamps, so they are numbered.
            point(series, f64::from(self.reports - 1), figure.value, line);
        }
    }
}

fn is_cell(word: &str) -> bool {
    word == "-" || number(word).is_some()
}

/// Parses a number such as `42`, `1.23K` or `3.00M`, or a time such as `500us` or `1ms`. Returns `None` for `-`, which
/// denotes a missing figure.
fn parse_cell(cell: &str, quantity: Quantity) -> Option<Figure> {
    match quantity {
        Quantity::Latency(..) => {
            let (figure, unit) = number(cell)?;
            Some(figure.times(unit_of_time(unit)?))
        }
        _ => bytes(cell, true).filter(|(_, rest)| rest.is_empty()).map(|(figure, _)| figure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/zpool-iostat.txt");
    const RATE: Quantity = Quantity::Iops(Statistic::Mean);

    #[test]
    fn the_first_report_is_apart_and_vdevs_of_one_name_stay_distinct() {
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        let names: Vec<&str> = file.disks.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "srv",
                "srv/mirror",
                "srv/mirror/ata-WDC_WD4002FYYZ-1",
                "srv/mirror/ata-WDC_WD4002FYYZ-2",
                "srv/mirror 2",
                "srv/mirror 2/ata-ST4000NM0035-1",
                "srv/mirror 2/ata-ST4000NM0035-2",
                "logs/mirror"
            ]
        );
        assert_eq!(file.disks[0].value(Way::Write, RATE), Some(80.0));
        assert_eq!(file.disks[1].value(Way::Read, Quantity::Bandwidth(Statistic::Mean)), Some(538.0 * 1024.0));
        assert!(file.series.is_empty());
    }

    #[test]
    fn later_reports_are_samples_with_the_waits_of_l() {
        let text = "              capacity     operations     bandwidth    total_wait     disk_wait\n\
                    pool        alloc   free   read  write   read  write   read  write   read  write\n\
                    ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n\
                    tank        5.09G  3.62T      0      8     16  3.61M    1ms    2ms  500us      -\n\
                    ----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n\
                                capacity     operations     bandwidth    total_wait     disk_wait\n\
                    pool        alloc   free   read  write   read  write   read  write   read  write\n\
                    tank        5.09G  3.62T      0  1.50K     16  3.61M    1ms    2ms  500us      -\n";
        let file = crate::read::read("x", text.as_bytes()).unwrap().remove(0);
        let device = Quantity::Latency(ForeignLatency::Device, Statistic::Mean);
        assert!(file.disks[0].value(Way::Read, device).is_some_and(|t| (t - 500e-6).abs() < 1e-12));
        let writes = file.series("tank operations write").expect("a series");
        assert_eq!((writes.points.len(), writes.points[0].value), (1, 1536.0));
        assert!(file.series("tank disk_wait write").is_none());
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
