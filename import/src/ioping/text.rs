//! Printed lines of ioping 0.x to 1.3: requests and final statistics.
//!
//! Requests have no timestamps, so the series `request` uses request numbers where other series have seconds.

use crate::format::Format;
use crate::ioping::raw::{self, doubt, total};
use crate::text::figure::{self, Cut, Figure};
use crate::text::series::{named, point};
use crate::text::source::{ImportError, Source, pass_over};
use model::Bytes;
use model::foreign::{ForeignFile, ForeignTest, ForeignValue, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "ioping-text", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source
        .head()
        .lines()
        .any(|l| l.contains(" ioping statistics ---") || l.contains(": request=") && l.contains(" time="))
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    command: Option<String>,
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    Ok(reader.files)
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        let known = if let Some((head, rest)) = line.split_once(": request=") {
            self.request(number, head, rest)
        } else if let Some(target) = line.strip_prefix("--- ").and_then(|l| l.strip_suffix(" ioping statistics ---")) {
            self.test(number, target);
            true
        } else if let Some((_, values)) = line.split_once("min/avg/max/mdev = ") {
            self.latencies(number, line, values)
        } else if line.contains(" requests completed in ") || line.starts_with("generated ") {
            self.totals(number, line)
        } else if let Some(options) = line.split_once("ioping ").map(|(_, o)| o).filter(|_| !line.contains(':')) {
            self.ends();
            self.command = Some(options.to_owned());
            true
        } else {
            self.period(number, line)
        };
        if !known {
            pass_over(&mut self.file.remarks, number, line);
        }
    }

    /// Reads a line of raw numbers between the requests (`-p`), which contains the mean of a period.
    fn period(&mut self, number: u32, line: &str) -> bool {
        let Some(row) = raw::row(line) else { return false };
        let at = self.file.series("request").and_then(|s| s.points.last()).map_or(0.0, |last| last.at);
        let series = named(&mut self.file.series, "period", "s", Some((Way::All, total(Statistic::Mean))));
        point(series, at, row[5] * 1e-9, number);
        true
    }

    fn ends(&mut self) {
        let mut file = std::mem::take(&mut self.file);
        let command = self.command.take();
        if file.tests.is_empty() {
            self.file = file;
            self.command = command;
            return;
        }
        for test in &mut file.tests {
            let others = &mut test.asked.others;
            others.extend(command.iter().map(|options| ("options".to_owned(), options.clone())));
        }
        file.tool = "ioping".to_owned();
        self.files.push(file);
    }

    /// Returns the current test, or starts a new test if the current one already has its statistics.
    fn test(&mut self, line: u32, target: &str) -> &mut ForeignTest {
        let closed =
            self.file.tests.last().is_some_and(|t| t.values.iter().any(|v| v.of == total(Statistic::Deviation)));
        if closed {
            self.ends();
        }
        if self.file.tests.is_empty() {
            let mut test = ForeignTest { name: target.to_owned(), line, ..ForeignTest::default() };
            test.asked.depth = Some(1);
            test.asked.jobs = Some(1);
            self.file.tests.push(test);
        }
        let last = self.file.tests.len() - 1;
        &mut self.file.tests[last]
    }

    /// Parses `4 KiB <<< . (xfs /dev/dm-0): request=2 time=128.9 us (fast)`, or in old versions
    /// `4096 bytes from . (...)`.
    fn request(&mut self, number: u32, head: &str, rest: &str) -> bool {
        let Some((count, time)) = rest.split_once(" time=") else { return false };
        let (Some(count), Some((time, mark))) = (figure::whole(count), time_of(time)) else { return false };
        let way = if head.contains(">>>") { Way::Write } else { Way::Read };
        // Pasted copies may contain `<<<.` without a space. The size is before the arrows, and the target is after
        // them.
        let parted = ["<<<", ">>>", " from ", " to "].into_iter().find_map(|by| head.split_once(by));
        let (size, target) = parted.unwrap_or(("", head));
        // The numbers of a new run start at 1 again.
        if self.file.series("request").and_then(|s| s.points.last()).is_some_and(|last| count.value <= last.at) {
            self.ends();
        }
        let size = figure::bytes(&size.replace("bytes", "B"), false).map(|(f, _)| Bytes(f.value as u64));
        let test = self.test(number, target.trim());
        test.asked.block[usize::from(way == Way::Write)] = size.map(|s| (s, s));
        let rw = if way == Way::Write { "randwrite" } else { "randread" };
        match &mut test.asked.rw {
            // With -G, reads and writes alternate.
            Some(before) if before != rw => "randrw".clone_into(before),
            Some(_) => {}
            None => test.asked.rw = Some(rw.to_owned()),
        }
        let quantity = Some((way, total(Statistic::Overall)));
        for name in ["request", mark.trim().trim_matches(['(', ')'])].into_iter().filter(|n| !n.is_empty()) {
            let series = named(&mut self.file.series, name, "s", quantity);
            if series.of.is_some_and(|(before, _)| before != way) {
                series.of = Some((Way::All, total(Statistic::Overall)));
            }
            point(series, count.value, time.value, number);
        }
        true
    }

    /// Parses `126.8 us / 138.8 us / 163.7 us / 11.6 us`, or in old versions `0.2/2.8/12.7/5.0 ms`.
    fn latencies(&mut self, number: u32, line: &str, values: &str) -> bool {
        let Some(unit) = values.split_ascii_whitespace().last().and_then(figure::unit_of_time) else { return false };
        let way = self.way();
        let statistics = [Statistic::Min, Statistic::Mean, Statistic::Max, Statistic::Deviation];
        let latencies = values.split('/').zip(statistics).filter_map(|(part, statistic)| {
            let time = time_of(part).map(|(f, _)| f).or_else(|| figure::whole(part).map(|f| f.times(unit)))?;
            Some(time.to_value(way, total(statistic), Cut::Either, number, line))
        });
        let latencies: Vec<ForeignValue> = latencies.collect();
        let known = latencies.len() == 4;
        if let Some(test) = self.file.tests.last_mut() {
            test.values.extend(latencies);
        }
        known
    }

    fn way(&self) -> Way {
        match self.file.tests.last().and_then(|t| t.asked.rw.as_deref()) {
            Some("randwrite") => Way::Write,
            Some("randrw") => Way::All,
            _ => Way::Read,
        }
    }

    /// Parses a line of totals.
    ///
    /// The rates in `9 requests completed in 1.25 ms, 36 KiB read, 7.20 k iops, 28.1 MiB/s` are over the sum of service
    /// times. The line `generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s` counts all requests. Its rates are
    /// over the elapsed time.
    fn totals(&mut self, number: u32, line: &str) -> bool {
        let generated = line.strip_prefix("generated ");
        let text = generated.unwrap_or(line);
        let Some((count, rest)) = figure::counted(text) else { return false };
        let way = if text.contains(" written") { Way::Write } else { self.way() };
        let mut values = Vec::new();
        let time = rest.split_once(" in ").and_then(|(_, t)| time_of(t));
        if generated.is_none() {
            values.push(count.to_value(way, Quantity::Operations, exactness(count, 1.0), number, line));
            for part in text.split(", ").skip(1) {
                let parsed = if part.ends_with("iops") {
                    figure::counted(part).map(|(f, _)| (f, Quantity::Iops(Statistic::Overall)))
                } else if part.ends_with("/s") {
                    figure::bytes(part, false).map(|(f, _)| (f, Quantity::Bandwidth(Statistic::Overall)))
                } else {
                    figure::bytes(part, false).map(|(f, _)| (f, Quantity::Moved))
                };
                let Some((figure, quantity)) = parsed else { continue };
                // A size without decimals is an exact multiple of its unit.
                let cut =
                    if quantity == Quantity::Moved { exactness(figure, 0.5 * 1024f64.powi(5)) } else { Cut::Either };
                let cut = if part.contains('.') { Cut::Either } else { cut };
                let value = figure.to_value(way, quantity, cut, number, part);
                values.push(ForeignValue { doubt: doubt(quantity), ..value });
            }
            values.extend(time.map(|(f, _)| f.to_value(way, Quantity::DeviceTime, Cut::Either, number, line)));
        } else {
            values.extend(time.map(|(f, _)| f.to_value(way, Quantity::Runtime, Cut::Either, number, line)));
        }
        let Some(test) = self.file.tests.last_mut() else { return false };
        test.values.extend(values);
        true
    }
}

/// Returns [`Cut::Exact`] if the weight of the last digit is at most `most`, because the number was then not rounded.
fn exactness(figure: Figure, most: f64) -> Cut {
    if figure.ulp <= most { Cut::Exact } else { Cut::Either }
}

/// Parses a time such as `128.9 us` into seconds. Returns the time and the rest of the text.
fn time_of(text: &str) -> Option<(Figure, &str)> {
    let (figure, rest) = figure::number(text)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    Some((figure.times(figure::unit_of_time(&rest[..end])?), &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "$ ioping -c 3 .\n4 KiB <<< . (ext4 /dev/vda 20 GiB): request=1 time=106.1 us (warmup)\n\
        4 KiB <<< . (ext4 /dev/vda 20 GiB): request=2 time=1.29 ms\n\
        4 KiB <<< . (ext4 /dev/vda 20 GiB): request=3 time=163.7 us (fast)\n\n\
        --- . (ext4 /dev/vda 20 GiB) ioping statistics ---\n\
        2 requests completed in 1.25 ms, 8 KiB read, 7.20 k iops, 28.1 MiB/s\n\
        generated 3 requests in 9.00 s, 12 KiB, 1 iops, 4.44 KiB/s\n\
        min/avg/max/mdev = 126.8 us / 138.8 us / 1.29 ms / 11.6 us\n";
    const OLD: &str = "4096 bytes from . (ext4 /dev/sda3): request=1 time=0.2 ms\n\
        4096 bytes from . (ext4 /dev/sda3): request=2 time=12.7 ms\n^C\n\
        --- . (ext4 /dev/sda3) ioping statistics ---\n5 requests completed in 4794.0 ms, 364 iops, 1.4 MiB/s\n\
        min/avg/max/mdev = 0.2/2.8/12.7/5.0 ms\n";

    #[test]
    fn requests_and_statistics_of_old_and_new_versions_are_read() {
        for (text, mean, block, at) in [(TEXT, 138.8e-6, 4096, 9), (OLD, 2.8e-3, 4096, 6)] {
            let file = crate::read::read("x", text.as_bytes()).unwrap().remove(0);
            let test = &file.tests[0];
            let value = test.get(Way::Read, total(Statistic::Mean)).unwrap();
            assert!((value.value.unwrap() - mean).abs() < 1e-12 && value.line == at, "{value:?}");
            assert_eq!(test.asked.block[0], Some((Bytes(block), Bytes(block))));
        }
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        assert_eq!(file.series("request").unwrap().points.len(), 3);
        assert_eq!(file.series("fast").unwrap().points.iter().map(|p| p.at).collect::<Vec<_>>(), [3.0]);
        assert_eq!(file.tests[0].value(Way::Read, Quantity::Runtime), Some(9.0));
        assert_eq!(file.tests[0].asked.others[0].1, "-c 3 .");
    }

    #[test]
    fn two_runs_are_two_documents() {
        let files = crate::read::read("x", format!("{TEXT}{TEXT}").as_bytes()).unwrap();
        assert_eq!(files.len(), 2);
        assert!(files.iter().all(|f| f.series("request").unwrap().points.len() == 3));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), put in "[0-9a-z=<>(),/: \\n.-]{0,12}") {
            let mut text = TEXT.to_owned();
            text.insert_str(at, &put);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
