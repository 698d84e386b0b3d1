//! PostgreSQL's pg_test_fsync: one test per line, named after its section.
//!
//! According to `pg_test_fsync.c`, `ops/sec` counts the groups of operations that a line names, such as two writes
//! followed by a sync. `usecs/op` is the time per group. secchi treats only a single write with its sync as a device
//! operation.

use crate::format::Format;
use crate::text::figure::{Cut, Figure, number, size, whole};
use crate::text::source::{self, ImportError, Source, Unknown, clip, remark, tool_error};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "pg-test-fsync", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    let has = |words: &str| source.head().lines().any(|line| line.trim_start().starts_with(words));
    let methods = || source.head().lines().filter(|line| rate(line.trim()).is_some_and(|(name, _)| is_method(name)));
    has("Compare file sync methods using")
        || has("Compare open_sync with different write sizes")
        || methods().count() >= 2
}

fn is_method(name: &str) -> bool {
    ["open_datasync", "fdatasync", "fsync", "fsync_writethrough", "open_sync"].contains(&name)
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "pg_test_fsync")
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    unknown: Unknown,
    seconds: Option<f64>,
    others: Vec<(String, String)>,
    section: String,
    /// Name of a test whose figures are on the next line, because the line was wrapped.
    wrapped: Option<String>,
    has_last: bool,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some(name) = self.wrapped.take().filter(|_| line.contains("ops/sec")) {
            return self.line(number, &format!("{name} {line}"));
        }
        if is_method(line) {
            self.wrapped = Some(line.to_owned());
        } else if let Some((seconds, _)) =
            line.split_once(" seconds per test").or_else(|| line.split_once(" secs per test"))
        {
            self.ends();
            self.seconds = seconds.trim().parse().ok();
        } else if line.contains("is not supported on this platform") || line.contains(" supported on this platform") {
            self.others.push(("direct I/O".to_owned(), clip(line)));
        } else if line.starts_with("pg_test_fsync: ") || ["could not ", "failed"].iter().any(|word| line.contains(word))
        {
            tool_error(&mut self.file, number, line);
        } else if let Some((name, rate)) = rate(line) {
            if let Some(rate) = rate {
                self.test(number, line, name, rate);
                self.has_last |= self.section.starts_with("Non-sync'ed");
            }
        } else if let Some(section) = section(line) {
            self.section = section;
        } else if !line.starts_with('(') && !line.ends_with(')') && !self.section.is_empty() {
            self.unknown.line(&mut self.file.remarks, number, line);
        }
    }

    fn test(&mut self, line: u32, words: &str, name: &str, rate: Figure) {
        let mut test = ForeignTest { line, ..ForeignTest::default() };
        let name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        test.name = if self.section.is_empty() { name } else { format!("{}: {name}", self.section) };
        test.asked.seconds = self.seconds;
        (test.asked.jobs, test.asked.depth) = (Some(1), Some(1));
        test.asked.others.clone_from(&self.others);
        let is_one = self.section.starts_with("one ");
        if is_one {
            test.asked.rw = name_of_method(words);
            let size = self.section.strip_prefix("one ").and_then(size);
            test.asked.block[1] = size.map(|size| (size, size));
        }
        let (way, quantity) = if is_one {
            (Way::Write, Quantity::Iops(Statistic::Overall))
        } else {
            (Way::All, Quantity::Work(ForeignWork::Calls, Statistic::Overall))
        };
        test.values.push(rate.to_value(way, quantity, Cut::Nearest, line, clip(words)));
        let time =
            words.split_once("ops/sec").and_then(|(_, rest)| number(rest)).filter(|(_, u)| u.contains("usecs/op"));
        let latency = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
        test.values.extend(time.map(|(f, _)| f.times(1e-6).to_value(way, latency, Cut::Nearest, line, clip(words))));
        self.file.tests.push(test);
    }

    fn ends(&mut self) {
        if !self.file.tests.is_empty() && !self.has_last {
            // Each line is a separate test, so even an excerpt contains complete tests.
            self.file.remarks.push(remark(0, sentence!("import-excerpt", missing = "Non-sync'ed")));
        }
        self.unknown.end(&mut self.file.remarks);
        let mut file = std::mem::take(&mut self.file);
        file.tool = "pg_test_fsync".to_owned();
        if !file.tests.is_empty() || !file.faults.is_empty() {
            self.files.push(file);
        }
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

/// Parses `open_datasync     15293.184 ops/sec      65 usecs/op`. If the system lacks the method, the figure is `n/a`.
fn rate(line: &str) -> Option<(&str, Option<Figure>)> {
    if let Some(name) = line.strip_suffix('*').unwrap_or(line).strip_suffix("n/a") {
        return Some((name.trim(), None));
    }
    let (before, _) = line.split_once(" ops/sec")?;
    let (name, rate) = before.trim_end().rsplit_once(' ')?;
    Some((name.trim(), Some(whole(rate)?)))
}

/// Returns the name of the method on a line: `fdatasync` for `fdatasync   15042.152 ops/sec   66 usecs/op`.
fn name_of_method(line: &str) -> Option<String> {
    line.split_ascii_whitespace().next().map(str::to_owned)
}

/// Converts the heading of a section to the words that its tests are named after.
fn section(line: &str) -> Option<String> {
    let line = line.strip_suffix(':')?;
    if let Some(writes) = line.strip_prefix("Compare file sync methods using ") {
        return Some(writes.to_owned());
    }
    if line.starts_with("Compare open_sync with different write sizes") {
        return Some("write sizes".to_owned());
    }
    if line.starts_with("Test if fsync on non-write file descriptor") {
        return Some("fsync elsewhere".to_owned());
    }
    line.starts_with("Non-").then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/pg_test_fsync.txt");
    const IOPS: Quantity = Quantity::Iops(Statistic::Overall);
    const CALLS: Quantity = Quantity::Work(ForeignWork::Calls, Statistic::Overall);

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn one_write_and_its_sync_is_an_operation_and_groups_are_calls() {
        let file = read_file(TEXT);
        assert_eq!((file.format.as_str(), file.tests.len()), ("pg-test-fsync", 18));
        assert_eq!((file.remarks.len(), file.faults.len()), (0, 0), "{file:?}");
        let test_named = |name: &str| file.tests.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("{name}"));
        let through = test_named("one 8kB write: fsync_writethrough");
        assert_eq!(through.value(Way::Write, IOPS), Some(87.954));
        let latency = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
        assert_eq!(through.value(Way::Write, latency), Some(0.01137));
        assert_eq!(through.asked.seconds, Some(5.0));
        for (name, rate) in [
            ("two 8kB writes: open_sync", 6943.205),
            ("write sizes: 16 * 1kB open_sync writes", 1015.277),
            ("fsync elsewhere: write, close, fsync", 11_632.603),
            ("Non-sync'ed 8kB writes: write", 14_077.617),
        ] {
            assert_eq!(
                (test_named(name).value(Way::All, CALLS), test_named(name).value(Way::Write, IOPS)),
                (Some(rate), None),
                "{name}"
            );
        }
    }

    #[test]
    fn what_was_cut_or_failed_is_told() {
        let file = read_file(&TEXT[..TEXT.find("Non-sync").unwrap()]);
        assert!(file.faults.is_empty() && file.remarks[0].text.contains("Non-sync'ed"), "{file:?}");
        let failed = TEXT.replace(
            "Compare open_sync",
            "pg_test_fsync: error: write failed: No space left on device\nCompare open_sync",
        );
        assert!(read_file(&failed).faults[0].text.contains("No space left"));
        let absent = TEXT.replace("15293.184 ops/sec      65 usecs/op", "n/a*");
        assert_eq!(read_file(&absent).tests.len(), 17);
        let error =
            crate::read::read("x", b"Compare file sync methods using one 8kB write:\ncould not open output file\n")
                .unwrap_err();
        assert!(error.to_string().contains("could not open"), "{error}");
    }

    #[test]
    fn an_excerpt_and_wrapped_lines_are_read() {
        let wrapped = "2 seconds per test\nO_DIRECT supported on this platform for open_datasync and\nopen_sync.\n\
            Compare file sync methods using one 8kB write:\n(in wal_sync_method preference order, except fdatasync\n\
            is Linuxs default)\n   open_datasync   1828.665 ops/sec\n   fdatasync\n 1839.337 ops/sec   544 usecs/op\n   fsync_writethrough   n/a\n";
        let file = read_file(wrapped);
        let rates: Vec<_> = file.tests.iter().map(|t| (t.name.as_str(), t.value(Way::Write, IOPS))).collect();
        let wanted = [("one 8kB write: open_datasync", Some(1828.665)), ("one 8kB write: fdatasync", Some(1839.337))];
        assert_eq!(rates, wanted);
        assert_eq!((file.remarks.len(), file.faults.len()), (1, 0), "{file:?}");
        let bare = read_file(
            "    open_datasync      50.1 ops/sec   1 usecs/op\n    fdatasync      51.5 ops/sec   1 usecs/op\n",
        );
        assert_eq!((bare.format.as_str(), bare.tests.len()), ("pg-test-fsync", 2));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z/*:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
