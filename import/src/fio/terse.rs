//! fio's terse output (`--minimal`), versions 2 to 5, with one line per job and fields separated by `;`.
//!
//! The fields are, according to `stat.c` (`show_thread_status_terse_*`): 4 or 5 header fields, 41 per direction (47 in
//! version 5), 5 for the CPU, 7 for depths, 22 for the latency distribution, then 9 per device. Latencies are in
//! microseconds, rates in KiB/s.

use crate::fio::options;
use crate::format::Format;
use crate::text::figure::{self, Cut, Figure, unmeasured};
use crate::text::source::{ImportError, Source, add_remark, fault, pass_over};
use messages::{Message, message, sentence};
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "fio-terse", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_terse)
}

/// Returns `true` for a terse line. The shortest lines are those of version 2 without trims.
fn is_terse(line: &str) -> bool {
    let line = line.trim();
    matches!(line.as_bytes(), [b'2'..=b'5', b';', ..]) && line.matches(';').count() >= 119
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile::default();
    for (number, line) in source.lines()? {
        let line = line.trim();
        source.in_time_at(number)?;
        if !is_terse(line) {
            pass_over(&mut file.remarks, number, line);
        } else if let Err(reason) = job(&mut file, number, line) {
            add_remark(&mut file.remarks, number, || sentence!("import-passed-over", text = reason));
        }
    }
    if file.tests.is_empty() {
        return Err(ImportError("its terse line is incomplete".to_owned()));
    }
    Ok(vec![file])
}

/// Fields of a line in order, numbered from 1.
struct Fields<'a> {
    list: Vec<&'a str>,
    at: usize,
    line: u32,
}

impl<'a> Fields<'a> {
    fn next(&mut self) -> &'a str {
        self.at += 1;
        self.list.get(self.at - 1).copied().unwrap_or_default()
    }

    /// Reads the next field as a figure in a unit.
    fn read_figure(
        &mut self,
        test: &mut ForeignTest,
        way: Way,
        quantity: Quantity,
        unit: f64,
        cut: Cut,
    ) -> Option<Figure> {
        let text = self.next();
        let figure = figure::number(text)?.0.times(unit);
        test.values.push(figure.to_value(way, quantity, cut, self.line, format!("field {}: {text}", self.at)));
        Some(figure)
    }
}

fn job(file: &mut ForeignFile, line: u32, text: &str) -> Result<(), Message> {
    let mut fields = Fields { list: text.split(';').collect(), at: 0, line };
    let count = fields.list.len();
    let version = fields.next().parse::<u32>().unwrap_or(0);
    if version >= 3 {
        file.tool = fields.next().to_owned();
    }
    let head = if version == 2 { 4 } else { 5 };
    let width = if version == 5 { 47 } else { 41 };
    let ways = if version == 3 || version == 2 && count < head + 3 * width + 34 { 2 } else { 3 };
    let whole = head + ways * width + 34;
    if count < whole {
        return Err(message!("import-fio-terse-fields", version, whole, count));
    }
    let mut test = ForeignTest { name: fields.next().to_owned(), line, ..ForeignTest::default() };
    test.asked.others.push(("groupid".to_owned(), fields.next().to_owned()));
    let error = fields.next();
    if let Some(figure) = figure::whole(error).filter(|f| f.value != 0.0) {
        fault(file, line, || sentence!("import-fio-job-error", name = test.name.as_str(), error));
        test.values.push(figure.to_value(
            Way::All,
            Quantity::Errors,
            Cut::Exact,
            line,
            format!("field {}: {error}", fields.at),
        ));
    }
    for way in [Way::Read, Way::Write, Way::Trim].into_iter().take(ways) {
        let from = fields.at;
        direction(&mut test, &mut fields, way, version);
        // The zeros of a direction without I/O have no meaning.
        if fields.list[from] == "0" && fields.list[from + 3] == "0" {
            test.values.retain(|v| v.way != way);
        }
    }
    processor(&mut test, &mut fields);
    for depth in [1, 2, 4, 8, 16, 32, 64] {
        fields.read_figure(&mut test, Way::All, Quantity::DepthShare(depth), 0.01, Cut::Nearest);
    }
    for (unit, list) in [(1e-6, &options::SHARES[..10]), (1e-3, &options::SHARES[..])] {
        for end in list {
            if let Some((low, high)) = options::share(*end, unit) {
                fields.read_figure(&mut test, Way::All, Quantity::LatencyShare(low, high), 0.01, Cut::Nearest);
            }
        }
    }
    // Lines of the same run end with the same device counts. Without devices, runs cannot be distinguished.
    let report = match fields.list[whole..].join(";") {
        devices if devices.contains('%') => devices,
        _ => format!("line {line}"),
    };
    test.asked.others.push(("reported".to_owned(), report));
    tail(file, &mut test, &mut fields, whole);
    file.tests.push(test);
    Ok(())
}

fn direction(test: &mut ForeignTest, fields: &mut Fields<'_>, way: Way, version: u32) {
    let overall = Statistic::Overall;
    fields.read_figure(test, way, Quantity::Moved, 1024.0, Cut::Down);
    fields.read_figure(test, way, Quantity::Bandwidth(overall), 1024.0, Cut::Either);
    fields.read_figure(test, way, Quantity::Iops(overall), 1.0, Cut::Down);
    fields.read_figure(test, way, Quantity::Runtime, 1e-3, Cut::Nearest);
    latency(test, fields, way, ForeignLatency::Submission);
    latency(test, fields, way, ForeignLatency::Completion);
    for _ in 0..20 {
        let field = fields.next();
        let Some((percent, value)) = field.split_once("%=") else { continue };
        let (Some(percent), Some(value)) = (figure::whole(percent), figure::whole(value)) else { continue };
        // Unused percentile fields are 0 %.
        if percent.value > 0.0 && value.value > 0.0 {
            let quantity = Quantity::Latency(ForeignLatency::Completion, Statistic::Percentile(percent.value));
            let words = format!("field {}: {field}", fields.at);
            test.values.push(value.times(1e-6).to_value(way, quantity, Cut::Down, fields.line, words));
        }
    }
    latency(test, fields, way, ForeignLatency::Total);
    samples(test, fields, way, Quantity::Bandwidth, 1024.0, true);
    if version == 5 {
        fields.read_figure(test, way, Quantity::Bandwidth(Statistic::Samples), 1.0, Cut::Exact);
        samples(test, fields, way, Quantity::Iops, 1.0, false);
        fields.read_figure(test, way, Quantity::Iops(Statistic::Samples), 1.0, Cut::Exact);
    }
}

fn latency(test: &mut ForeignTest, fields: &mut Fields<'_>, way: Way, kind: ForeignLatency) {
    let from = test.values.len();
    for (statistic, cut) in [
        (Statistic::Min, Cut::Down),
        (Statistic::Max, Cut::Down),
        (Statistic::Mean, Cut::Nearest),
        (Statistic::Deviation, Cut::Nearest),
    ] {
        fields.read_figure(test, way, Quantity::Latency(kind, statistic), 1e-6, cut);
    }
    // Four zeros mean that fio was configured not to measure this latency.
    if test.values[from..].iter().all(|v| v.value == Some(0.0)) {
        test.values.truncate(from);
    }
}

fn samples(
    test: &mut ForeignTest,
    fields: &mut Fields<'_>,
    way: Way,
    quantity: fn(Statistic) -> Quantity,
    unit: f64,
    share: bool,
) {
    fields.read_figure(test, way, quantity(Statistic::Min), unit, Cut::Either);
    fields.read_figure(test, way, quantity(Statistic::Max), unit, Cut::Either);
    if share {
        fields.next();
    }
    fields.read_figure(test, way, quantity(Statistic::Mean), unit, Cut::Nearest);
    fields.read_figure(test, way, quantity(Statistic::Deviation), unit, Cut::Nearest);
}

fn processor(test: &mut ForeignTest, fields: &mut Fields<'_>) {
    let list = [Quantity::CpuUser, Quantity::CpuSystem, Quantity::ContextSwitches];
    let figures: Vec<(usize, &str, Option<Figure>)> = (0..3)
        .map(|_| {
            let text = fields.next();
            (fields.at, text, figure::number(text).map(|(f, _)| f))
        })
        .collect();
    let idle = figures.iter().all(|(_, _, f)| f.is_some_and(|f| f.value == 0.0));
    for (quantity, (at, text, figure)) in list.into_iter().zip(figures) {
        let words = format!("field {at}: {text}");
        let Some(figure) = figure else { continue };
        let switches = quantity == Quantity::ContextSwitches;
        test.values.push(if idle || switches && figure.value == 0.0 {
            unmeasured(
                Way::All,
                quantity,
                fields.line,
                words,
                "not measured on that system: fio writes 0 (as on Windows)",
            )
        } else {
            figure.times(if switches { 1.0 } else { 0.01 }).to_value(
                Way::All,
                quantity,
                Cut::Nearest,
                fields.line,
                words,
            )
        });
    }
    // Skip major and minor page faults.
    fields.next();
    fields.next();
}

/// Reads the end of a line: the errors after which the run continued, the devices and a description.
fn tail(file: &mut ForeignFile, test: &mut ForeignTest, fields: &mut Fields<'_>, whole: usize) {
    let rest = fields.list.len() - whole;
    let is_number = |text: &str| figure::whole(text).is_some();
    if matches!(rest % 9, 2 | 3) && is_number(fields.list[whole]) && is_number(fields.list[whole + 1]) {
        let text = fields.next().to_owned();
        let words = format!("total of errors in field {}: {text}", fields.at);
        let errors =
            figure::whole(&text).map(|f| f.to_value(Way::All, Quantity::Errors, Cut::Exact, fields.line, words));
        test.values.extend(errors);
        fields.next();
    }
    while fields.list.len() - fields.at >= 9 && !is_number(fields.list[fields.at]) {
        let mut disk = ForeignTest { name: fields.next().to_owned(), line: fields.line, ..ForeignTest::default() };
        for (quantity, unit) in [(Quantity::Operations, 1.0), (Quantity::Merges, 1.0), (Quantity::DeviceTime, 1e-3)] {
            fields.read_figure(&mut disk, Way::Read, quantity, unit, Cut::Exact);
            fields.read_figure(&mut disk, Way::Write, quantity, unit, Cut::Exact);
        }
        fields.read_figure(&mut disk, Way::All, Quantity::DeviceTime, 1e-3, Cut::Exact);
        fields.read_figure(&mut disk, Way::All, Quantity::Utilisation, 0.01, Cut::Nearest);
        // Every job's line lists all devices. The last line is used, because its counts are from the end of the run.
        file.disks.retain(|d| d.name != disk.name);
        file.disks.push(disk);
    }
    if fields.at < fields.list.len() {
        test.asked.others.push(("description".to_owned(), fields.list[fields.at..].join(";")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V2: &str = include_str!("../../tests/data/fio-3.33.terse2");
    const V3: &str = include_str!("../../tests/data/fio-3.33.terse3");
    const V4: &str = include_str!("../../tests/data/fio-3.33.terse4");
    const V5: &str = include_str!("../../tests/data/fio-3.33.terse5");
    const MIX: &str = include_str!("../../tests/data/fio-3.33-mix.terse3");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn every_version_is_read_to_its_end() {
        for (text, has_disk) in [(V2, false), (V3, true), (V4, true), (V5, true)] {
            let file = read_file(text);
            let test = &file.tests[0];
            let get = |quantity| test.value(Way::Read, quantity).unwrap();
            let (iops, bandwidth) =
                (get(Quantity::Iops(Statistic::Overall)), get(Quantity::Bandwidth(Statistic::Overall)));
            assert!((bandwidth / iops / 4096.0 - 1.0).abs() < 1e-3, "{text}");
            assert!((get(Quantity::Moved) / get(Quantity::Runtime) / bandwidth - 1.0).abs() < 1e-3);
            let latency = |kind, statistic| get(Quantity::Latency(kind, statistic));
            assert!(
                latency(ForeignLatency::Total, Statistic::Mean) >= latency(ForeignLatency::Completion, Statistic::Mean)
            );
            assert!(latency(ForeignLatency::Completion, Statistic::Percentile(99.99)) > 1e-3);
            // Every operation is in a bucket, and the depth is 1.
            let shares = |pick: fn(&Quantity) -> bool| {
                test.values.iter().filter(|v| pick(&v.of)).filter_map(|v| v.value).sum::<f64>()
            };
            assert!((shares(|q| matches!(q, Quantity::LatencyShare(..))) - 1.0).abs() < 0.002, "{text}");
            assert!((shares(|q| matches!(q, Quantity::DepthShare(_))) - 1.0).abs() < 0.002, "{text}");
            assert_eq!(test.value(Way::Write, Quantity::Moved), None);
            assert_eq!(
                file.disks.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(),
                if has_disk { vec!["vda"] } else { vec![] }
            );
            assert!(test.asked.others.iter().all(|(k, _)| k != "description"), "{:?}", test.asked.others);
        }
        assert_eq!(read_file(V5).tests[0].value(Way::Read, Quantity::Iops(Statistic::Samples)), Some(1.0));
    }

    #[test]
    fn both_directions_and_what_follows_are_read() {
        let file = read_file(&format!("fio: hello\n{};my words\n", MIX.trim_end()));
        let test = &file.tests[0];
        assert_eq!((file.tool.as_str(), test.name.as_str(), test.line), ("fio-3.33", "mix", 2));
        assert_eq!(test.value(Way::Read, Quantity::Moved), Some(354_072.0 * 1024.0));
        assert!(test.value(Way::Write, Quantity::Iops(Statistic::Overall)).is_some());
        assert!(test.asked.others.contains(&("description".to_owned(), "my words".to_owned())));
        assert_eq!(file.disks.len(), 1);
        assert_eq!(file.remarks[0].text, "skipped: fio: hello");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..V3.len(), gone in 0usize..40, put in "[0-9a-z;%=.\\n-]{0,12}") {
            let text = format!("{}{put}{}", &V3[..at], &V3[(at + gone).min(V3.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
