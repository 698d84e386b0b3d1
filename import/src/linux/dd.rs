//! Results of GNU, BSD, macOS and BusyBox dd: the last line that dd prints, and the lines around it if present. Each
//! run becomes a test.
//!
//! GNU and BSD dd print rates in units of 1000. BusyBox dd, which prints `seconds` instead of `s`, uses units of 1024.
//! Rates are rounded to three digits or fewer, but bytes and seconds are printed next to them. A rate without record
//! counts may be from a run that was still in progress (`status=progress`).

use crate::format::Format;
use crate::text::figure::{self, Cut, Figure, number};
use crate::text::source::{self, ImportError, Source, clip, cut, fault, remark};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "dd", shares_a_log: true, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().flat_map(|line| line.split('\r')).any(|line| copied(plain(line)).is_some())
}

/// Removes comment and quotation characters from the beginning of a line.
fn plain(line: &str) -> &str {
    line.trim_start_matches(['#', '>', ' ', '\t']).trim_end()
}

/// Bytes, seconds and bytes per second from the last line.
type Copied = (Figure, Figure, Option<Figure>);

/// Parses `25165824 bytes transferred in 0.026832 secs (937899773 bytes/sec)` or
/// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.94133 s, 553 MB/s`.
fn copied(line: &str) -> Option<Copied> {
    let (bytes, rest) = number(line)?;
    let rest = rest.strip_prefix(" bytes ").or_else(|| rest.strip_prefix(" byte "))?;
    if let Some(bsd) = rest.strip_prefix("transferred in ") {
        let (seconds, rest) = number(bsd)?;
        let rate = rest.split_once('(').and_then(|(_, rate)| number(rate)).map(|(f, _)| f);
        return rest.trim_start().starts_with("secs").then_some((bytes, seconds, rate));
    }
    let (_, rest) = rest.split_once("copied, ").filter(|(sizes, _)| sizes.is_empty() || sizes.starts_with('('))?;
    let mut parts = rest.split(", ");
    // In some languages, the decimal separator is a comma.
    let time = parts.next()?.replace(',', ".");
    let (seconds, unit) = number(&time)?;
    let is_busybox = unit.trim() == "seconds";
    if !is_busybox && unit.trim() != "s" {
        return None;
    }
    let rate = parts.next().map(|rate| rate.replace(',', "."));
    let rate = rate.and_then(|rate| figure::bytes(&rate, is_busybox).map(|(f, _)| f));
    Some((bytes, seconds, rate))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader =
        Reader { file: ForeignFile { tool: "dd".to_owned(), ..ForeignFile::default() }, ..Reader::default() };
    source.each_line(|number, line| reader.line(number, plain(line)))?;
    reader.progress_ends(true);
    if let Some((line, reason)) = reader.run.error.take() {
        // dd printed an error and no result after it.
        fault(&mut reader.file, line, || sentence!("import-tool-error", text = reason));
    }
    source::with_tests(vec![reader.file], "dd")
}

/// Data from the lines of a run before its last line.
#[derive(Default)]
struct Run {
    command: Option<(u32, String)>,
    error: Option<(u32, String)>,
    /// Numbers of full and partial blocks, for reads and for writes.
    records: [Option<(f64, f64)>; 2],
}

#[derive(Default)]
struct Reader {
    file: ForeignFile,
    run: Run,
    /// Last result line without record counts: its number, text and figures. The last field is true if that line
    /// contained several reports.
    progress: Option<(u32, String, Copied, bool)>,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        if let Some((before, options)) = line.split_once("dd ").filter(|(_, o)| o.contains("of=") || o.contains("if="))
        {
            if before.is_empty() || before.ends_with([' ', '/', '$', '#', '%']) {
                self.progress_ends(false);
                self.run = Run { command: Some((number, options.to_owned())), ..Run::default() };
            }
        } else if let Some(records) = records(line) {
            // Earlier lines were progress reports of this run.
            self.progress = None;
            self.run.records[usize::from(line.ends_with("out"))] = Some(records);
        } else if let Some(copied) = copied(line) {
            if self.run.records[1].is_some() {
                self.test(number, line, copied);
            } else {
                let is_same = self.progress.as_ref().is_some_and(|progress| progress.0 == number);
                if !is_same {
                    self.progress_ends(false);
                }
                self.progress = Some((number, line.to_owned(), copied, is_same));
            }
        } else if let Some(message) = line.strip_prefix("dd: ").or_else(|| line.strip_prefix("dd:")) {
            if message.trim_start().starts_with("warning:") {
                self.file.remarks.push(remark(number, clip(line)));
            } else {
                self.run.error.get_or_insert((number, clip(line)));
            }
        }
    }

    /// Adds a last line without record counts. This line is a result, or a progress report of a run whose end is
    /// missing.
    fn progress_ends(&mut self, is_end: bool) {
        let Some((number, line, copied, was_several)) = self.progress.take() else { return };
        let is_asked = self.run.command.as_ref().is_some_and(|(_, options)| options.contains("status=progress"));
        self.test(number, &line, copied);
        if was_several || is_asked {
            let begins = self.file.tests.last().map_or(0, |test| test.line);
            if is_end && self.file.tests.len() == 1 {
                cut(&mut self.file, "records out");
            } else {
                fault(&mut self.file, begins, || sentence!("import-end-missing", missing = "records out"));
            }
        }
    }

    fn test(&mut self, number: u32, line: &str, (bytes, seconds, rate): Copied) {
        let run = std::mem::take(&mut self.run);
        // A fault applies to the test that begins on its line.
        let begins = run.error.as_ref().map(|(line, _)| *line).or(run.command.as_ref().map(|(line, _)| *line));
        let mut test = ForeignTest { line: begins.unwrap_or(number), name: "dd".to_owned(), ..ForeignTest::default() };
        test.asked.jobs = Some(1);
        test.asked.depth = Some(1);
        let way = run.command.as_ref().map_or(Way::All, |(_, options)| asked(&mut test, options));
        let mut record = |way, quantity, figure: Figure, cut| {
            test.values.push(figure.to_value(way, quantity, cut, number, clip(line)))
        };
        record(way, Quantity::Moved, bytes, Cut::Exact);
        record(way, Quantity::Runtime, seconds, Cut::Nearest);
        if let Some(rate) = rate {
            record(way, Quantity::Bandwidth(Statistic::Overall), rate, Cut::Nearest);
        }
        for (name, records) in ["records in", "records out"].into_iter().zip(run.records) {
            let records = records.map(|(whole, parts)| (name.to_owned(), format!("{whole}+{parts}")));
            test.asked.others.extend(records);
        }
        if let Some((line, reason)) = run.error {
            fault(&mut self.file, line, || sentence!("import-tool-error", text = reason));
        }
        self.file.tests.push(test);
    }
}

/// Parses `24+0 records in`.
fn records(line: &str) -> Option<(f64, f64)> {
    let counts = line.strip_suffix(" records in").or_else(|| line.strip_suffix(" records out"))?;
    let (whole, parts) = counts.split_once('+')?;
    Some((whole.trim().parse::<u64>().ok()? as f64, parts.trim().parse::<u64>().ok()? as f64))
}

/// Stores the options of a run and returns its direction. Often, only one side of a copy is a device.
fn asked(test: &mut ForeignTest, options: &str) -> Way {
    let mut values = std::collections::BTreeMap::new();
    for (name, value) in options.split_ascii_whitespace().filter_map(|word| word.split_once('=')) {
        values.entry(name).or_insert(value);
    }
    let get = |name: &str| values.get(name).copied();
    let block = get("bs").and_then(size);
    test.asked.block = [block.map(|b| (b, b)); 2];
    test.asked.count = get("count").and_then(|count| count.parse().ok());
    let flags = |name: &str| get(name).is_some_and(|flags| flags.split(',').any(|flag| flag == "direct"));
    let is_source = |name: &str| ["/dev/zero", "/dev/urandom", "/dev/random"].contains(&name);
    let way = match (get("if"), get("of")) {
        (Some(from), _) if is_source(from) => Way::Write,
        (_, None | Some("/dev/null")) => Way::Read,
        _ => Way::All,
    };
    match way {
        Way::Write => {
            test.asked.rw = Some("write".to_owned());
            test.asked.direct = Some(flags("oflag"));
        }
        Way::Read => {
            test.asked.rw = Some("read".to_owned());
            test.asked.direct = Some(flags("iflag"));
        }
        _ => {}
    }
    test.asked.others.push(("options".to_owned(), clip(options)));
    way
}

/// Parses a size. Units such as `1G`, `1m` and `4KiB` are powers of 1024, `1MB` is a power of 1000. `512b`, `8w` and
/// `2x512` are not supported.
fn size(text: &str) -> Option<Bytes> {
    let is_decimal = text.ends_with('B') && !text.ends_with("iB");
    let (figure, rest) = figure::bytes(text, !is_decimal)?;
    (rest.is_empty() && !text.ends_with('b')).then_some(Bytes(figure.value as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/dd.txt");
    const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn runs_of_macos_and_gnu_are_tests() {
        let file = read_file(TEXT);
        assert_eq!((file.format.as_str(), file.remarks.len(), file.faults.len()), ("dd", 0, 0), "{file:?}");
        let [mac, gnu] = file.tests.as_slice() else { panic!("{:?}", file.tests) };
        assert_eq!(mac.value(Way::Write, BANDWIDTH), Some(937_899_773.0));
        assert_eq!(mac.value(Way::Write, Quantity::Moved), Some(25_165_824.0));
        assert_eq!(mac.asked.block[1], Some((Bytes::from_mib(1), Bytes::from_mib(1))));
        assert_eq!((mac.asked.count, mac.asked.direct), (Some(24), Some(false)));
        assert_eq!(gnu.value(Way::Write, Quantity::Runtime), Some(1.94133));
        let rate = gnu.get(Way::Write, BANDWIDTH).unwrap();
        assert_eq!((rate.value, rate.between), (Some(553e6), (552.5e6, 553.5e6)));
        assert_eq!((gnu.asked.rw.as_deref(), gnu.asked.direct), (Some("write"), Some(true)));
        assert_eq!(gnu.line, 8);
    }

    #[test]
    fn a_last_line_alone_is_a_result_without_a_direction() {
        for (line, seconds, rate) in [
            ("1073741824 bytes (1.1 GB) copied, 1,94133 s, 553 MB/s", 1.94133, 553e6),
            ("1073741824 bytes (1.0GB) copied, 1.941330 seconds, 527.5MB/s", 1.94133, 527.5 * 1_048_576.0),
            ("1073741824 bytes transferred in 2.000000 secs (536870912 bytes/sec)", 2.0, 536_870_912.0),
        ] {
            let file = read_file(line);
            assert_eq!((file.tests.len(), file.faults.len()), (1, 0), "{line}");
            assert_eq!(file.tests[0].value(Way::All, Quantity::Runtime), Some(seconds), "{line}");
            let printed = file.tests[0].value(Way::All, BANDWIDTH).unwrap();
            assert!((printed - rate).abs() < 1e-6, "{line}: {printed}");
        }
        for (text, bytes) in [("1G", 1 << 30), ("1m", 1 << 20), ("4KiB", 4096), ("1MB", 1_000_000), ("512", 512)] {
            assert_eq!(size(text), Some(Bytes(bytes)), "{text}");
        }
        assert_eq!((size("512b"), size("2x512"), size("")), (None, None, None));
    }

    #[test]
    fn progress_is_no_result_and_its_end_is_missed() {
        let done = "500 bytes (500 B) copied, 1 s, 500 B/s\r900 bytes (900 B) copied, 2 s, 450 B/s\n2+0 records in\n2+0 records out\n\
                    1000 bytes (1.0 kB, 1000 B) copied, 2.5 s, 0.4 kB/s\n";
        let file = read_file(done);
        assert_eq!((file.tests.len(), file.faults.len()), (1, 0), "{file:?}");
        assert_eq!(file.tests[0].value(Way::All, Quantity::Moved), Some(1000.0));
        let file = read_file(&done[..done.find("2+0").unwrap()]);
        assert_eq!(file.tests.len(), 1);
        assert!(file.faults[0].text.contains("records out"), "{:?}", file.faults);
    }

    #[test]
    fn an_error_strikes_its_run() {
        let failed = "dd if=/dev/zero of=/x bs=1M\ndd: error writing '/x': No space left on device\n3+0 records in\n2+0 records out\n\
                      2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.1 s, 21 MB/s\n";
        let file = read_file(&format!("{failed}{TEXT}"));
        assert_eq!(file.tests.len(), 3);
        assert!(file.faults[0].text.contains("No space left"), "{:?}", file.faults);
        assert_eq!((file.faults.len(), file.faults[0].line), (1, file.tests[0].line));
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z+=/,. \\r\\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
