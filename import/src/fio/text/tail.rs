//! Lines that follow the jobs: group totals and device statistics.

use super::job::{runtime, way};
use super::{Reader, pairs};
use crate::text::figure::{self, Cut, Figure};
use model::foreign::{ForeignTest, ForeignValue, Quantity, Statistic, Way};

impl Reader {
    /// Reads a line of group totals in the new or the old form:
    /// `READ: bw=24.9MiB/s (26.1MB/s), 24.9MiB/s-24.9MiB/s (...), io=2048MiB (2147MB), run=82215-82215msec`
    /// or `READ: io=4096.0MB, aggrb=223053KB/s, minb=..., maxb=..., mint=18804msec, maxt=18804msec`.
    pub(super) fn group_line(&mut self, number: u32, line: &str) -> bool {
        let Some((head, rest)) = line.split_once(':') else { return false };
        if !matches!(head.trim(), "READ" | "WRITE" | "TRIM" | "MIXED") {
            return false;
        }
        let way = way(head.trim());
        let bandwidth = Quantity::Bandwidth;
        let mut values: Vec<ForeignValue> = Vec::new();
        for (key, text, words) in pairs(rest) {
            match key {
                "bw" => {
                    let (rate, range) = text.split_once(',').unwrap_or((text, ""));
                    values.extend(self.twice(way, bandwidth(Statistic::Overall), number, rate, words));
                    let (range, _) = range.split_once('(').unwrap_or((range, ""));
                    for (part, statistic) in range.split('-').zip([Statistic::Min, Statistic::Max]) {
                        values.extend(self.twice(way, bandwidth(statistic), number, part, words));
                    }
                }
                "aggrb" => values.extend(self.twice(way, bandwidth(Statistic::Overall), number, text, words)),
                "minb" => values.extend(self.twice(way, bandwidth(Statistic::Min), number, text, words)),
                "maxb" => values.extend(self.twice(way, bandwidth(Statistic::Max), number, text, words)),
                "io" => values.extend(self.twice(way, Quantity::Moved, number, text, words)),
                "maxt" => values.extend(runtime(way, number, text, words)),
                "mint" => values.extend(runtime(way, number, text, words).map(shortest)),
                "run" => {
                    let (low, high) = text.split_once('-').unwrap_or((text, text));
                    values.extend(runtime(way, number, high, words));
                    let unit = high.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                    values.extend(runtime(way, number, &format!("{low}{unit}"), words).map(shortest));
                }
                _ => {}
            }
        }
        let longest = values.iter().find(|v| v.of == Quantity::Runtime).and_then(|v| v.value);
        values.retain(|v| v.of != Quantity::ShortestRuntime || v.value != longest);
        let Some(group) = self.file.groups.last_mut() else { return false };
        group.values.extend(values);
        true
    }

    /// Reads a line with a device's statistics (see [`device_statistics`]).
    pub(super) fn disk_line(&mut self, number: u32, line: &str) -> bool {
        let disk = device_statistics(number, line);
        let is_one = disk.is_some();
        self.file.disks.extend(disk);
        is_one
    }
}

/// Parses `sda: ios=786347/262229, merge=0/0, ticks=1163953/287616, in_queue=1451392, util=99.59%`. Since 3.36, the
/// line also contains `sectors=...`. The line of a composite device also contains sums over the parts of the device
/// (`aggr...`).
pub(crate) fn device_statistics(number: u32, line: &str) -> Option<ForeignTest> {
    let (name, rest) = line.split_once(": ")?;
    if !rest.contains("ios=") {
        return None;
    }
    let mut test = ForeignTest { name: name.trim().to_owned(), line: number, ..ForeignTest::default() };
    for (key, text, words) in pairs(rest) {
        let ways = [Way::Read, Way::Write];
        let both = |quantity: Quantity, scale: f64| {
            let figures = text.split('/').filter_map(|part| figure::number(part).map(|(f, _)| f.times(scale)));
            figures.zip(ways).map(|(f, way)| f.to_value(way, quantity, Cut::Exact, number, words)).collect::<Vec<_>>()
        };
        let sum = |quantity: Quantity, scale: f64| {
            figure::number(text)
                .map(|(f, _): (Figure, _)| f.times(scale).to_value(Way::All, quantity, Cut::Nearest, number, words))
        };
        match key {
            "ios" => test.values.extend(both(Quantity::Operations, 1.0)),
            "sectors" => test.values.extend(both(Quantity::Moved, 512.0)),
            "merge" => test.values.extend(both(Quantity::Merges, 1.0)),
            "ticks" => test.values.extend(both(Quantity::DeviceTime, 1e-3)),
            "in_queue" => test.values.extend(sum(Quantity::DeviceTime, 1e-3)),
            "util" => test.values.extend(sum(Quantity::Utilisation, 0.01)),
            _ => test.asked.others.push((key.to_owned(), text.to_owned())),
        }
    }
    Some(test)
}

fn shortest(value: ForeignValue) -> ForeignValue {
    ForeignValue { of: Quantity::ShortestRuntime, ..value }
}
