//! elbencho's console output and `--resfile`: one test per phase, one document per table
//! (`OPERATION  RESULT TYPE ...`).
//!
//! According to `Statistics.cpp`, `FIRST DONE` covers the time until the first thread ended, and `LAST DONE` covers the
//! whole time. The reader uses `LAST DONE`. Rates are truncated to whole numbers. 1 MiB is 1024 * 1024 bytes. 1 MB,
//! which is printed only if an option requests it, is 1000 * 1000 bytes. Percentiles are upper edges of histogram bins.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{self, Cut, Figure, whole};
use crate::text::source::{self, ImportError, Source, Unknown, add_remark, clip, fault, remark, tool_error};
use messages::sentence;
use model::foreign::{
    ForeignAsked, ForeignFile, ForeignLatency, ForeignTest, ForeignValue, ForeignWork, Quantity, Statistic, Way,
};

pub(crate) const FORMAT: Format = Format { name: "elbencho-text", shares_a_log: true, recognise, read };

const MIB: f64 = 1_048_576.0;

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_header)
}

fn is_header(line: &str) -> bool {
    line.trim_start().starts_with("OPERATION") && line.contains("RESULT TYPE") && line.contains("LAST DONE")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "elbencho")
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    unknown: Unknown,
    /// Date that is printed before a table.
    when: String,
    label: String,
    command: Option<String>,
    /// True after the header of a table has been read.
    is_in: bool,
    phase: Option<Phase>,
}

/// Phase that is being read.
struct Phase {
    operation: String,
    test: ForeignTest,
    /// True after one of the phase's final lines has been read.
    has_total: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(when) = line.strip_prefix("ISO DATE:") {
            self.ends();
            when.trim().clone_into(&mut self.when);
        } else if let Some(label) = line.strip_prefix("LABEL:") {
            self.label = format!("{} ", label.trim());
        } else if let Some(command) = command_of(line) {
            self.command = Some(command.to_owned());
        } else if is_header(line) {
            self.ends();
            self.is_in = true;
            self.file.when = std::mem::take(&mut self.when);
            (self.file.began, self.file.zone) = dates::began(&self.file.when);
        } else if line.starts_with("ERROR") || line.starts_with("Skipping stats print") {
            tool_error(&mut self.file, number, line);
        } else if line.starts_with("WARNING") {
            self.file.remarks.push(remark(number, clip(line)));
        } else if line.starts_with("---") {
            self.phase_ends();
        } else if !self.is_in || line.bytes().all(|b| b"= ".contains(&b)) {
            // These are messages of the program that started elbencho.
        } else if let Some((left, right)) = line.split_once(" :").or_else(|| line.split_once(':')) {
            if !self.row(number, line, left.trim(), right.trim()) {
                self.unknown.line(&mut self.file.remarks, number, line);
            }
        } else {
            self.unknown.line(&mut self.file.remarks, number, line);
        }
    }

    /// Parses `WRITE     Elapsed ms       :      45247      45253` and the rows below it. Returns `false` for unknown
    /// rows.
    fn row(&mut self, number: u32, line: &str, left: &str, right: &str) -> bool {
        let (operation, elapsed) = left.split_once(" Elapsed ").unwrap_or(("", ""));
        if !operation.is_empty() {
            self.phase_ends();
            let operation = operation.trim().to_owned();
            let mut test = ForeignTest { line: number, ..ForeignTest::default() };
            test.name = format!("{}{operation}", self.label);
            if let Some(command) = &self.command {
                test.asked = asked(command, &operation);
            }
            let times: Vec<Figure> = right
                .split_ascii_whitespace()
                .filter_map(|t| if elapsed == "ms" { whole(t).map(|f| f.times(1e-3)) } else { duration(t) })
                .collect();
            for (time, quantity) in times.iter().zip([Quantity::ShortestRuntime, Quantity::Runtime]) {
                test.values.push(time.to_value(Way::All, quantity, Cut::Down, number, line));
            }
            self.phase = Some(Phase { operation, test, has_total: false });
            return times.len() == 2;
        }
        let Some(phase) = &mut self.phase else { return false };
        let way = match phase.operation.as_str() {
            "READ" | "HDREAD" => Way::Read,
            o if o.starts_with("RWMIX") || o.starts_with("WRITE") => Way::Write,
            _ => Way::All,
        };
        // In a mix of reads and writes, row names end with the direction.
        let (name, way) = match left.rsplit_once(' ') {
            Some((name, "write")) => (name, Way::Write),
            Some((name, "read")) => (name, Way::Read),
            Some((name @ ("IOPS" | "MiB/s" | "MB/s"), "total")) => (name, Way::All),
            _ => (left, way),
        };
        let last = right.split_ascii_whitespace().nth(1).and_then(whole);
        let mut record = |quantity, scale: f64| {
            phase
                .test
                .values
                .extend(last.map(|f| f.times(scale).to_value(way, quantity, Cut::Down, number, clip(line))));
            last.is_some()
        };
        match name {
            "IOPS" => record(Quantity::Iops(Statistic::Overall), 1.0),
            "Throughput MiB/s" | "MiB/s" => record(Quantity::Bandwidth(Statistic::Overall), MIB),
            "Throughput MB/s" | "MB/s" => record(Quantity::Bandwidth(Statistic::Overall), 1e6),
            "Total MiB" | "MiB" => {
                phase.has_total = true;
                record(Quantity::Moved, MIB)
            }
            "IOs total" | "IOs" => record(Quantity::Operations, 1.0),
            _ if name.ends_with("/s") => record(Quantity::Work(ForeignWork::Entries, Statistic::Overall), 1.0),
            _ if name.starts_with("IO ") => latencies(phase, number, line, name, right),
            _ => {
                phase.has_total |= name.contains("total") || name.starts_with("Total");
                // The value is the second of two columns, or the whole text for a list.
                let value = right.split_ascii_whitespace().nth(1).filter(|_| last.is_some()).unwrap_or(right);
                phase.test.asked.others.push((left.to_owned(), clip(value)));
                true
            }
        }
    }

    fn phase_ends(&mut self) {
        let Some(phase) = self.phase.take() else { return };
        let Phase { operation, test, has_total } = phase;
        let line = test.line;
        let is_rate = |quantity| matches!(quantity, Quantity::Iops(_) | Quantity::Bandwidth(_) | Quantity::Work(..));
        let moves = operation == "READ" || operation.starts_with("WRITE") || operation.starts_with("RWMIX");
        let has_rate = test.values.iter().any(|v| is_rate(v.of));
        if !has_rate && !moves {
            add_remark(&mut self.file.remarks, line, || sentence!("import-phase-without-io", phase = operation));
            return;
        }
        if !has_total {
            fault(&mut self.file, line, || sentence!("import-end-missing", missing = "Total MiB"));
        }
        self.file.tests.push(test);
    }

    fn ends(&mut self) {
        self.phase_ends();
        self.unknown.end(&mut self.file.remarks);
        if self.is_in || !self.file.faults.is_empty() {
            self.file.tool = "elbencho".to_owned();
            self.files.push(std::mem::take(&mut self.file));
            (self.command, self.label) = (None, String::new());
        }
        self.is_in = false;
    }
}

/// Parses `IO latency : [ min=1.02ms avg=3.1ms max=9ms ]` or `IO rd lat % us : [ 1%<=8 50%<=16 ... ]`.
fn latencies(phase: &mut Phase, number: u32, line: &str, name: &str, list: &str) -> bool {
    let way = if name.starts_with("IO rd ") || phase.operation == "READ" { Way::Read } else { Way::Write };
    let latency = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
    let list = list.trim_matches(|c| "[] ".contains(c));
    if name.ends_with(" lat % us") {
        for (share, edge) in list.split_ascii_whitespace().filter_map(|part| part.split_once("%<=")) {
            let (Some(p), Some(edge)) = (whole(share), whole(edge).map(|f| f.times(1e-6))) else { continue };
            let value = edge.to_value(way, latency(Statistic::Percentile(p.value)), Cut::Exact, number, clip(line));
            let doubt = Some("the upper limit of a histogram bucket: the true value is at most this".to_owned());
            phase.test.values.push(ForeignValue { between: (0.0, edge.value), doubt, ..value });
        }
        return true;
    }
    if name.ends_with(" latency") {
        for (word, time) in list.split_ascii_whitespace().filter_map(|part| part.split_once('=')) {
            let statistic = match word {
                "min" => Statistic::Min,
                "avg" => Statistic::Mean,
                "max" => Statistic::Max,
                _ => continue,
            };
            let value = duration(time).map(|f| f.to_value(way, latency(statistic), Cut::Either, number, clip(line)));
            phase.test.values.extend(value);
        }
        return true;
    }
    phase.test.asked.others.push((name.to_owned(), clip(list)));
    true
}

/// Parses a duration such as `1h2m3s`, `2m5.755s` or `812us` into seconds.
fn duration(text: &str) -> Option<Figure> {
    let mut sum: Option<Figure> = None;
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = figure::number(rest)?;
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let part = part.times(figure::unit_of_time(&after[..end])?);
        sum = Some(Figure { value: sum.map_or(0.0, |s| s.value) + part.value, ulp: part.ulp });
        rest = &after[end..];
    }
    sum
}

/// Returns the command after `COMMAND LINE:` or a prompt.
fn command_of(line: &str) -> Option<&str> {
    line.strip_prefix("COMMAND LINE:").map(str::trim).or_else(|| {
        let at = line.find("elbencho -")?;
        Some(&line[at..])
    })
}

/// Parses the command-line options that apply to a phase.
fn asked(command: &str, operation: &str) -> ForeignAsked {
    let words = words(command);
    let value = |long: &str, short: &str| {
        words.iter().enumerate().find_map(|(i, word)| match word.strip_prefix(long).and_then(|w| w.strip_prefix('=')) {
            Some(value) => Some(value),
            None if word == long || word == short => words.get(i + 1).map(String::as_str),
            None => None,
        })
    };
    let has = |long: &str| words.iter().any(|word| word == long);
    let block = value("--block", "-b").and_then(figure::size);
    let plain = match operation {
        "READ" => Some("read"),
        o if o.starts_with("RWMIX") => Some("rw"),
        o if o.starts_with("WRITE") => Some("write"),
        _ => None,
    };
    let per_host = value("--threads", "-t").and_then(|t| t.parse::<u32>().ok());
    let hosts = value("--hosts", "").map_or(Some(1), count_of_hosts);
    ForeignAsked {
        rw: plain.map(|plain| if has("--rand") { format!("rand{plain}") } else { plain.to_owned() }),
        block: [block.filter(|_| plain.is_some()).map(|b| (b, b)); 2],
        depth: value("--iodepth", "").and_then(|d| d.parse().ok()),
        jobs: per_host.zip(hosts).and_then(|(threads, hosts)| threads.checked_mul(hosts)),
        direct: Some(has("--direct")),
        size: value("--size", "-s").and_then(figure::size),
        others: vec![("command".to_owned(), command.to_owned())],
        ..ForeignAsked::default()
    }
}

/// Splits a command line into words and removes quotes.
fn words(command: &str) -> Vec<String> {
    let (mut list, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in command.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            (c, None) if c.is_whitespace() => list.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    list.push(word);
    list.retain(|word| !word.is_empty());
    list
}

/// Counts the hosts in a list such as `node1,node2` or `10.0.0.[1,3-5]`.
fn count_of_hosts(list: &str) -> Option<u32> {
    let mut hosts = 0u32;
    let (mut here, mut is_named, mut rest) = (1u32, false, list);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '[' => {
                let (inner, after) = rest.split_once(']')?;
                let parts = inner.split(',').map(|part| match part.split_once('-') {
                    Some((from, to)) => to.parse::<u32>().ok()?.checked_sub(from.parse().ok()?)?.checked_add(1),
                    None => Some(1),
                });
                here = here.checked_mul(parts.sum::<Option<u32>>()?)?;
                (is_named, rest) = (true, after);
            }
            ',' | ' ' => {
                hosts = hosts.checked_add(if is_named { here } else { 0 })?;
                (here, is_named) = (1, false);
            }
            _ => is_named = true,
        }
    }
    hosts.checked_add(if is_named { here } else { 0 }).filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use proptest::prelude::*;

    const HOSTS: &str = include_str!("../../tests/data/public/elbencho-hosts.txt");
    const CONSOLE: &str = include_str!("../../tests/data/public/elbencho-console.txt");
    const PHASES: &str = include_str!("../../tests/data/public/elbencho-phases.txt");
    const ENTRIES: Quantity = Quantity::Work(ForeignWork::Entries, Statistic::Overall);

    fn files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap()
    }

    #[test]
    fn phases_of_several_hosts_are_tests_at_their_last_figures() {
        let file = files(HOSTS).remove(0);
        assert_eq!((file.format.as_str(), file.when.as_str()), ("elbencho-text", "2022-03-09T15:40:28-0800"));
        assert_eq!(file.zone, Some(-8 * 3600));
        assert_eq!(file.faults, []);
        let names: Vec<&str> = file.tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["MKDIRS", "WRITE"]);
        assert!(file.remarks[0].text.contains("SYNC did no I/O"), "{:?}", file.remarks);
        assert_eq!(file.tests[0].value(Way::All, ENTRIES), Some(8324.0));
        let test = &file.tests[1];
        assert_eq!((test.asked.rw.as_deref(), test.asked.jobs), (Some("write"), Some(32)));
        assert_eq!(
            (test.asked.block[1], test.asked.direct),
            (Some((Bytes::from_mib(1), Bytes::from_mib(1))), Some(true))
        );
        assert_eq!(test.asked.size, Some(Bytes(1 << 40)));
        for (way, quantity, wanted) in [
            (Way::All, Quantity::Runtime, 45.253),
            (Way::All, Quantity::ShortestRuntime, 45.247),
            (Way::Write, Quantity::Iops(Statistic::Overall), 4831.0),
            (Way::Write, Quantity::Bandwidth(Statistic::Overall), 4831.0 * MIB),
            (Way::Write, Quantity::Moved, 218_627.0 * MIB),
        ] {
            assert_eq!(test.value(way, quantity), Some(wanted), "{quantity:?}");
        }
    }

    #[test]
    fn times_of_the_console_are_read_and_hosts_counted() {
        let file = files(CONSOLE).remove(0);
        let test = &file.tests[0];
        let time = test.value(Way::All, Quantity::Runtime).unwrap();
        assert!((time - 125.755).abs() < 1e-9, "{time}");
        assert_eq!((test.asked.jobs, file.faults.len()), (Some(288), 0));
        assert_eq!(test.value(Way::Write, Quantity::Iops(Statistic::Overall)), Some(33_352.0));
        for (list, n) in
            [("a,b,", Some(2)), ("n[1-4],m", Some(5)), ("n[1,2][1-3]", Some(6)), ("n[x-y]", None), ("", None)]
        {
            assert_eq!(count_of_hosts(list), n, "{list}");
        }
    }

    #[test]
    fn every_table_is_a_document_and_files_are_no_operations() {
        let files = files(PHASES);
        assert_eq!(files.len(), 2);
        let names: Vec<&str> = files[1].tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["MKDIRS", "WRITE", "RMFILES"]);
        let write = &files[1].tests[1];
        assert_eq!(write.value(Way::Write, ENTRIES), Some(57_155.0));
        assert_eq!(write.value(Way::Write, Quantity::Bandwidth(Statistic::Overall)), Some(111.0 * MIB));
        assert_eq!(write.value(Way::Write, Quantity::Iops(Statistic::Overall)), None);
        assert!(write.asked.others.contains(&("Total files".to_owned(), "1048600".to_owned())));
        assert_eq!((write.asked.rw.as_deref(), write.asked.block[0]), (None, None));
    }

    #[test]
    fn latencies_are_those_that_it_states() {
        let more = "            IO latency        : [ min=12us avg=1.5ms max=2.01s ]\n            \
                    IO lat % us       : [ 1%<=16 50%<=1024 99.9%<=4096 ]\n---\n";
        let file = files(&format!("{CONSOLE}{more}")).remove(0);
        let latency = |s| file.tests[0].get(Way::Write, Quantity::Latency(ForeignLatency::Total, s)).unwrap().clone();
        assert_eq!(latency(Statistic::Mean).value, Some(1.5e-3));
        assert_eq!(latency(Statistic::Max).value, Some(2.01));
        let p = latency(Statistic::Percentile(99.9));
        assert_eq!((p.between, p.doubt.is_some()), ((0.0, 4096.0 / 1e6), true));
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = files(&HOSTS[..HOSTS.find("          Total MiB").unwrap()]).remove(0);
        assert_eq!(file.faults.iter().map(|f| f.line).collect::<Vec<_>>(), [file.tests[1].line]);
        let file = files(&HOSTS.replace("WRITE  ", "ERROR: Worker 3 is stuck\nWRITE  ")).remove(0);
        assert!(file.faults[0].text.contains("Worker 3 is stuck"));
        let head = &HOSTS[..HOSTS.find("SYNC  ").unwrap()];
        let error = crate::read::read("x", format!("{head}ERROR: No space left\n").as_bytes()).unwrap_err().to_string();
        assert!(error.contains("No space left"), "{error}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..HOSTS.len(), gone in 0usize..30, put in "[0-9A-Za-z:=\\[\\],. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &HOSTS[..at], &HOSTS[(at + gone).min(HOSTS.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
