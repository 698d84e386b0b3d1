//! diskspd's XML output (`-Rxml`): the requested profile, and results. Each time span becomes a document.
//!
//! Counts are listed by thread and target, and are added up. Latencies and percentiles (with `-L`) cover all threads
//! and targets. Rates per interval need `-D`. Overall rates are counts divided by `TestTimeSeconds`. Warnings before
//! the document are kept, because they may report that the valid data length was not set.

use crate::format::Format;
use crate::text::dates;
use crate::text::figure::{Cut, Figure, whole};
use crate::text::series::{named, point};
use crate::text::source::{ImportError, Source, clip, pass_over, remark};
use messages::sentence;
use model::Bytes;
use model::foreign::{
    ForeignAsked, ForeignFile, ForeignLatency, ForeignRemark, ForeignSeries, ForeignTest, ForeignValue, Quantity,
    Statistic, Way,
};
use quick_xml::events::{BytesStart, Event};

pub(crate) const FORMAT: Format = Format { name: "diskspd", shares_a_log: false, recognise, read };

/// Maximum nesting depth (docs/design/bad-input.md, "Files that are read"). diskspd uses 7 levels.
const DEEPEST: usize = 64;

fn recognise(source: &Source<'_>) -> bool {
    let text = source.text();
    text.contains("<Results>") && text.contains("<TimeSpan>") && text.contains("<Profile>")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let text = source.text();
    let begin = text.find("<Results>").ok_or_else(|| ImportError("it contains no results of diskspd".to_owned()))?;
    let mut reader = Reader::default();
    for (line, words) in
        (1..).zip(text[..begin].lines()).filter(|(_, l)| !l.trim().is_empty() && !l.trim_start().starts_with("<?"))
    {
        pass_over(&mut reader.remarks, line, words);
    }
    let mut events = quick_xml::Reader::from_str(&text[begin..]);
    let mut counted = 0;
    let mut line = 1 + text[..begin].bytes().filter(|b| *b == b'\n').count() as u32;
    for number in 1usize.. {
        if number.is_multiple_of(4096) {
            source.in_time()?;
        }
        let event = events.read_event();
        // The line on which the event ended is the line of its text.
        let at = usize::try_from(events.buffer_position()).unwrap_or(usize::MAX).min(text.len() - begin);
        line += text.as_bytes()[begin + counted..begin + at].iter().filter(|b| **b == b'\n').count() as u32;
        counted = at;
        match event {
            Ok(Event::Start(start)) => {
                if reader.path.len() >= DEEPEST {
                    return Err(ImportError(format!("line {line}: its XML is nested deeper than {DEEPEST}")));
                }
                reader.begins(&start);
            }
            Ok(Event::Empty(empty)) => reader.empty(&empty, line),
            Ok(Event::Text(words)) => reader.text.push_str(&words),
            // Paths may contain `&amp;`.
            Ok(Event::GeneralRef(entity)) => {
                reader.text.push_str(quick_xml::escape::resolve_xml_entity(&entity).unwrap_or("?"));
            }
            Ok(Event::End(_)) => reader.ends(line),
            Ok(Event::Eof) => {
                if !reader.path.is_empty() {
                    reader.remarks.push(remark(line, sentence!("import-xml-cut")));
                }
                break;
            }
            Ok(_) => {}
            Err(error) => {
                let text = sentence!("import-xml-not-whole", why = clip(&error.to_string()));
                reader.remarks.push(remark(line, text));
                break;
            }
        }
    }
    reader.files()
}

/// Counts for a target, summed over all threads.
#[derive(Default)]
struct Counts {
    /// Numbers of reads and writes.
    operations: [f64; 2],
    /// Bytes read and written.
    bytes: [f64; 2],
    /// Last line that contained a count.
    line: u32,
}

#[derive(Default)]
struct Reader {
    path: Vec<String>,
    text: String,
    /// Requested options for the first target, for each time span of the profile.
    asked: Vec<ForeignAsked>,
    targets: usize,
    tool: String,
    when: String,
    remarks: Vec<ForeignRemark>,
    spans: Vec<(ForeignTest, Counts, Vec<ForeignSeries>)>,
    percentile: Option<f64>,
    processors: f64,
}

impl Reader {
    fn begins(&mut self, start: &BytesStart<'_>) {
        let name = start.name().as_ref().to_owned();
        match (self.path.last().map(String::as_str), name.as_str()) {
            (Some("TimeSpans"), "TimeSpan") => {
                self.asked.push(ForeignAsked::default());
                self.targets = 0;
            }
            (Some("Targets"), "Target") => self.targets += 1,
            (Some("Results"), "TimeSpan") => self.spans.push(Default::default()),
            _ => {}
        }
        self.path.push(name);
        self.text.clear();
    }

    fn is_in(&self, path: &[&str]) -> bool {
        self.path.len() == path.len() && self.path.iter().zip(path).all(|(a, b)| a == b)
    }

    /// Parses `<Bucket SampleMillisecond="1000" Read="1" Write="0" Total="1" .../>`.
    fn empty(&mut self, element: &BytesStart<'_>, line: u32) {
        if element.name().as_ref() != "Bucket" || !self.is_in(&["Results", "TimeSpan", "Iops"]) {
            return;
        }
        let attribute = |name: &str| {
            let matching =
                element.attributes().with_checks(false).filter_map(Result::ok).find(|a| a.key.as_ref() == name)?;
            whole(&matching.value).map(|f| f.value)
        };
        let Some((_, _, list)) = self.spans.last_mut() else { return };
        let Some(at) = attribute("SampleMillisecond") else { return };
        for (name, way) in [("Read", Way::Read), ("Write", Way::Write)] {
            let Some(value) = attribute(name) else { continue };
            let quantity = Some((way, Quantity::Iops(Statistic::Mean)));
            point(named(list, name, "1/s", quantity), at / 1000.0, value, line);
        }
    }

    fn ends(&mut self, line: u32) {
        let text = std::mem::take(&mut self.text).trim().to_owned();
        let name = self.path.last().cloned().unwrap_or_default();
        let parents: Vec<&str> = self.path.iter().rev().skip(1).rev().map(String::as_str).collect();
        match parents.as_slice() {
            ["Results", "System", "Tool"] if name == "Version" => self.tool = format!("diskspd {text}"),
            ["Results", "System"] if name == "RunTime" => self.when = text,
            ["Results", "Profile", "TimeSpans", "TimeSpan"] if name == "Duration" => {
                if let Some(asked) = self.asked.last_mut() {
                    asked.seconds = text.parse().ok();
                }
            }
            ["Results", "Profile", "TimeSpans", "TimeSpan", "Targets", "Target"] if !text.is_empty() => {
                self.option(&name, &text)
            }
            ["Results", "TimeSpan", rest @ ..] => {
                let rest: Vec<String> = rest.iter().map(|s| (*s).to_owned()).collect();
                self.result(&rest, &name, &text, line);
            }
            _ => {}
        }
        self.path.pop();
    }

    fn option(&mut self, name: &str, text: &str) {
        if self.targets != 1 {
            return;
        }
        let Some(asked) = self.asked.last_mut() else { return };
        match name {
            "BlockSize" => {
                let size = text.parse().ok().map(Bytes);
                asked.block = [size.map(|s| (s, s)); 2];
            }
            "FileSize" => asked.size = text.parse().ok().map(Bytes),
            "RequestCount" => asked.depth = text.parse().ok(),
            "ThreadsPerFile" => asked.jobs = text.parse().ok(),
            "DisableOSCache" | "DisableAllCache" => asked.direct = Some(text == "true"),
            _ => asked.others.push((name.to_owned(), text.to_owned())),
        }
    }

    fn result(&mut self, parents: &[String], name: &str, text: &str, line: u32) {
        let Some((test, counts, _)) = self.spans.last_mut() else { return };
        if test.line == 0 {
            test.line = line;
        }
        let parents: Vec<&str> = parents.iter().map(String::as_str).collect();
        let figure = whole(text);
        let words = format!("{name} {text}");
        let mut record = |way, quantity, scale: f64| {
            test.values
                .extend(figure.map(|f| f.times(scale).to_value(way, quantity, Cut::Nearest, line, words.clone())));
        };
        let total = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
        match (parents.as_slice(), name) {
            ([], "TestTimeSeconds") => record(Way::All, Quantity::Runtime, 1.0),
            ([], "ThreadCount") => test.asked.jobs = text.parse().ok(),
            ([], "ProcCount") => self.processors = figure.map_or(1.0, |f| f.value),
            ([], "Error") => self.remarks.push(remark(line, clip(text))),
            // The percentages are for all CPUs together. They are converted to multiples of one CPU, as in fio.
            (["CpuUtilization", "Average"], "UserPercent") => {
                record(Way::All, Quantity::CpuUser, 0.01 * self.processors.max(1.0))
            }
            (["CpuUtilization", "Average"], "KernelPercent") => {
                record(Way::All, Quantity::CpuSystem, 0.01 * self.processors.max(1.0))
            }
            (["Latency"], "AverageReadMilliseconds") => record(Way::Read, total(Statistic::Mean), 1e-3),
            (["Latency"], "AverageWriteMilliseconds") => record(Way::Write, total(Statistic::Mean), 1e-3),
            (["Latency"], "AverageTotalMilliseconds") => record(Way::All, total(Statistic::Mean), 1e-3),
            (["Latency"], "ReadLatencyStdev") => record(Way::Read, total(Statistic::Deviation), 1e-3),
            (["Latency"], "WriteLatencyStdev") => record(Way::Write, total(Statistic::Deviation), 1e-3),
            (["Latency", "Bucket"], "Percentile") => self.percentile = figure.map(|f| f.value),
            (["Latency", "Bucket"], _) => {
                let way = match name {
                    "ReadMilliseconds" => Way::Read,
                    "WriteMilliseconds" => Way::Write,
                    "TotalMilliseconds" => Way::All,
                    _ => return,
                };
                let statistic = match self.percentile {
                    Some(p) if p <= 0.0 => Statistic::Min,
                    Some(p) if p >= 100.0 => Statistic::Max,
                    Some(p) => Statistic::Percentile(p),
                    None => return,
                };
                record(way, total(statistic), 1e-3);
            }
            (["Iops"], "ReadIopsStdDev") => record(Way::Read, Quantity::Iops(Statistic::Deviation), 1.0),
            (["Iops"], "WriteIopsStdDev") => record(Way::Write, Quantity::Iops(Statistic::Deviation), 1.0),
            (["Thread", "Target"], _) => {
                let Some(figure) = figure else {
                    if name == "Path" && test.name.is_empty() {
                        text.clone_into(&mut test.name);
                    }
                    return;
                };
                counts.line = line;
                match name {
                    "ReadCount" => counts.operations[0] += figure.value,
                    "WriteCount" => counts.operations[1] += figure.value,
                    "ReadBytes" => counts.bytes[0] += figure.value,
                    "WriteBytes" => counts.bytes[1] += figure.value,
                    "FileSize" if test.asked.size.is_none() => test.asked.size = Some(Bytes(figure.value as u64)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn files(mut self) -> Result<Vec<ForeignFile>, ImportError> {
        let mut files = Vec::new();
        let (began, zone) = dates::began(&self.when.replace('/', "-"));
        for (i, (mut test, counts, list)) in self.spans.into_iter().enumerate() {
            if let Some(asked) = self.asked.get(i) {
                let (jobs, size) = (test.asked.jobs, test.asked.size);
                test.asked = asked.clone();
                test.asked.jobs = jobs.or(test.asked.jobs);
                test.asked.size = test.asked.size.or(size);
            }
            rates(&mut test, &counts);
            name_pattern(&mut test);
            if test.values.is_empty() {
                continue;
            }
            files.push(ForeignFile {
                tool: self.tool.clone(),
                when: self.when.clone(),
                began,
                zone,
                tests: vec![test],
                series: list,
                ..ForeignFile::default()
            });
        }
        match files.first_mut() {
            Some(first) => first.remarks.append(&mut self.remarks),
            None => {
                let reason = self.remarks.pop().map_or(String::new(), |r| format!(": {}", r.text));
                return Err(ImportError(format!("it contains no results of diskspd{reason}")));
            }
        }
        Ok(files)
    }
}

/// Adds the numbers of operations and bytes, and the rates over the duration of the test.
fn rates(test: &mut ForeignTest, counts: &Counts) {
    let time = test.values.iter().find(|v| v.of == Quantity::Runtime).cloned();
    for (i, (way, word)) in [(Way::Read, "Read"), (Way::Write, "Write")].into_iter().enumerate() {
        let (operations, bytes) = (counts.operations[i], counts.bytes[i]);
        if operations == 0.0 {
            continue;
        }
        let new_value = |quantity, value: f64, what: &str| {
            let words = format!("sum of {word}{what}");
            Figure { value, ulp: 1.0 }.to_value(way, quantity, Cut::Exact, counts.line, words)
        };
        test.values.push(new_value(Quantity::Operations, operations, "Count"));
        test.values.push(new_value(Quantity::Moved, bytes, "Bytes"));
        let Some(time) = &time else { continue };
        let Some(seconds) = time.value.filter(|s| *s > 0.0) else { continue };
        for (quantity, sum) in
            [(Quantity::Iops(Statistic::Overall), operations), (Quantity::Bandwidth(Statistic::Overall), bytes)]
        {
            let between = (sum / time.between.1, sum / time.between.0.max(1e-9));
            let words = format!("{sum} / {}", time.words);
            test.values.push(ForeignValue {
                way,
                of: quantity,
                value: Some(sum / seconds),
                between,
                line: time.line,
                words,
                doubt: None,
            });
        }
    }
}

/// Sets `rw` to fio's name for the requested access pattern.
fn name_pattern(test: &mut ForeignTest) {
    let others = &test.asked.others;
    let other = |name: &str| others.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str());
    let random = other("Random").is_some() || other("RandomRatio").is_some_and(|r| r != "0");
    let rw = match (random, other("WriteRatio").and_then(|r| r.parse::<u32>().ok())) {
        (_, None) => return,
        (true, Some(0)) => "randread",
        (true, Some(100)) => "randwrite",
        (true, Some(_)) => "randrw",
        (false, Some(0)) => "read",
        (false, Some(100)) => "write",
        (false, Some(_)) => "rw",
    };
    test.asked.rw = Some(rw.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const XML: &str = "WARNING: Could not set valid data length\n<Results>\n  <System>\n    <ComputerName>H</ComputerName>\n    <Tool>\n      <Version>2.0.21a</Version>\n    </Tool>\n\
        <RunTime>2021/03/01 10:20:30 UTC</RunTime>\n  </System>\n  <Profile>\n    <TimeSpans>\n      <TimeSpan>\n        <Duration>60</Duration>\n\
        <Targets>\n          <Target>\n            <Path>C:\\t &amp; u.dat</Path>\n            <BlockSize>8192</BlockSize>\n            <DisableOSCache>true</DisableOSCache>\n\
        <Random>8192</Random>\n            <RequestCount>32</RequestCount>\n            <WriteRatio>30</WriteRatio>\n            <ThreadsPerFile>2</ThreadsPerFile>\n\
        </Target>\n        </Targets>\n      </TimeSpan>\n    </TimeSpans>\n  </Profile>\n  <TimeSpan>\n    <TestTimeSeconds>60.01</TestTimeSeconds>\n    <ThreadCount>2</ThreadCount>\n\
        <ProcCount>4</ProcCount>\n    <CpuUtilization>\n      <Average>\n        <UserPercent>10.00</UserPercent>\n        <KernelPercent>8.33</KernelPercent>\n      </Average>\n    </CpuUtilization>\n\
        <Latency>\n      <AverageReadMilliseconds>1.282</AverageReadMilliseconds>\n      <Bucket>\n        <Percentile>0</Percentile>\n        <ReadMilliseconds>0.031</ReadMilliseconds>\n      </Bucket>\n\
        <Bucket>\n        <Percentile>99.9</Percentile>\n        <ReadMilliseconds>11.207</ReadMilliseconds>\n      </Bucket>\n    </Latency>\n\
        <Iops>\n      <Bucket SampleMillisecond=\"1000\" Read=\"700\" Write=\"300\" Total=\"1000\"/>\n      <Bucket SampleMillisecond=\"2000\" Read=\"701\" Write=\"301\" Total=\"1002\"/>\n    </Iops>\n\
        <Thread>\n      <Id>0</Id>\n      <Target>\n        <Path>C:\\t.dat</Path>\n        <FileSize>1073741824</FileSize>\n        <ReadBytes>172032000</ReadBytes>\n        <ReadCount>21000</ReadCount>\n\
        <WriteBytes>73728000</WriteBytes>\n        <WriteCount>9000</WriteCount>\n      </Target>\n    </Thread>\n    <Thread>\n      <Id>1</Id>\n      <Target>\n        <ReadBytes>172032000</ReadBytes>\n\
        <ReadCount>21000</ReadCount>\n        <WriteBytes>73728000</WriteBytes>\n        <WriteCount>9000</WriteCount>\n      </Target>\n    </Thread>\n  </TimeSpan>\n</Results>\n";

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn what_is_wrong_with_its_xml_is_told_on_one_line() {
        let error = crate::read::read("x", b"<Results><Profile>\n<TimeSpan><Requ\n<Latency></Requ></TimeSpan>\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("incomplete") && !error.contains('\n'), "{error:?}");
    }

    #[test]
    fn a_time_span_is_a_test_with_what_was_asked() {
        let file = read_file(XML);
        assert_eq!((file.tool.as_str(), file.began), ("diskspd 2.0.21a", dates::iso("2021-03-01 10:20:30")));
        let test = &file.tests[0];
        let asked = &test.asked;
        assert_eq!(
            (asked.rw.as_deref(), asked.depth, asked.jobs, asked.direct),
            (Some("randrw"), Some(32), Some(2), Some(true))
        );
        assert_eq!((asked.block[0], asked.size), (Some((Bytes(8192), Bytes(8192))), Some(Bytes::from_gib(1))));
        let iops = test.get(Way::Read, Quantity::Iops(Statistic::Overall)).unwrap();
        assert!((iops.value.unwrap() - 42_000.0 / 60.01).abs() < 1e-9 && iops.between.0 < iops.between.1, "{iops:?}");
        let total = |statistic| test.get(Way::Read, Quantity::Latency(ForeignLatency::Total, statistic)).unwrap();
        assert_eq!(total(Statistic::Min).value, Some(31e-6));
        let p = total(Statistic::Percentile(99.9));
        assert_eq!(p.value, Some(0.011207));
        assert!(XML.lines().nth(p.line as usize - 1).unwrap().contains("11.207"), "line {}", p.line);
        assert_eq!(test.value(Way::All, Quantity::CpuUser), Some(0.4));
        assert_eq!(file.series[1].points.iter().map(|p| p.value).collect::<Vec<_>>(), [300.0, 301.0]);
        assert!(file.remarks[0].text.contains("valid data"));
    }

    #[test]
    fn what_was_cut_is_told() {
        let file = read_file(&XML[..XML.find("<Thread>").unwrap()]);
        assert!(file.remarks.iter().any(|r| r.text.contains("incomplete")), "{:?}", file.remarks);
        assert_eq!(file.tests[0].value(Way::Read, Quantity::Operations), None);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..XML.len(), gone in 0usize..30, put in "[0-9A-Za-z<>/&;=\". \\n-]{0,12}") {
            let text = format!("{}{put}{}", &XML[..at], &XML[(at + gone).min(XML.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
