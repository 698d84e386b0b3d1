//! Console output of `winsat disk`, `winsat diskformal` and `winsat formal`: the results about disks, one document per
//! run. Windows prints the names of the transfer rates in English and those of the latencies in the language of the
//! system.
//!
//! According to the output of `winsat disk -v`, `Random 16.0` and `Sequential 64.0` are transfers of 16,384 and 65,536
//! bytes. The number after a figure is a score, which has no unit. The latencies are of reads while the same disk
//! writes (`-flush`). WinSAT reports neither rates of operations, nor how many are in flight, nor the size of an MB.

use crate::format::Format;
use crate::text::figure::{Cut, Figure, whole};
use crate::text::source::{self, ImportError, Source, Unknown, add_remark, clip, cut, tool_error};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignValue, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "winsat", shares_a_log: true, recognise, read };

const BANDWIDTH: Quantity = Quantity::Bandwidth(Statistic::Overall);
const POINTS: Quantity = Quantity::Work(ForeignWork::Points, Statistic::Overall);

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().map(plain).any(|line| rate(line).is_some() || assessment(line).is_some())
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    source.each_line(|number, line| reader.line(number, line))?;
    reader.ends();
    source::with_tests(reader.files, "WinSAT")
}

/// Removes the `> ` with which WinSAT begins its lines.
fn plain(line: &str) -> &str {
    line.trim_start_matches(['>', ' ', '\t']).trim_end()
}

/// Kind of access and direction of an assessment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Load {
    is_random: bool,
    way: Way,
}

impl Load {
    /// Returns fio's name for it.
    fn rw(self) -> &'static str {
        match (self.is_random, self.way) {
            (true, Way::Read) => "randread",
            (true, _) => "randwrite",
            (false, Way::Read) => "read",
            (false, _) => "write",
        }
    }

    /// Returns its name in the results.
    fn label(self) -> String {
        let access = if self.is_random { "Random" } else { "Sequential" };
        format!("Disk  {access} {}", if self.way == Way::Read { "Read" } else { "Write" })
    }
}

/// Transfer rate, with the size of a transfer in bytes.
struct Rate {
    load: Load,
    block: u64,
    figure: Figure,
    score: Option<Figure>,
}

/// Parses `Disk  Random 16.0 Read                       2.43 MB/s          4.4`. Random writes have no score.
fn rate(line: &str) -> Option<Rate> {
    let words: Vec<&str> = line.strip_prefix("Disk ")?.split_ascii_whitespace().collect();
    let [access, kib, way, figure, "MB/s", score @ ..] = words.as_slice() else { return None };
    let is_random = match *access {
        "Random" => true,
        "Sequential" => false,
        _ => return None,
    };
    let way = match *way {
        "Read" => Way::Read,
        "Write" => Way::Write,
        _ => return None,
    };
    let block = whole(kib).map(|kib| (kib.value * 1024.0) as u64).filter(|block| *block > 0)?;
    let score = match score {
        [] => None,
        [score] => Some(whole(score)?),
        _ => return None,
    };
    Some(Rate { load: Load { is_random, way }, block, figure: whole(figure)?, score })
}

/// Options of an assessment, which WinSAT prints when it begins.
struct Assessment {
    load: Load,
    /// True for reads during writes. The load then describes the writes.
    is_flush: bool,
    /// Drive or number of the disk.
    target: String,
}

/// Parses `Running: Storage Assessment '-drive c -ran -read'` in any language. Returns `None` for other assessments and
/// for those of a hybrid disk's cache, which most disks lack.
fn assessment(line: &str) -> Option<Assessment> {
    let (_, options) = line.strip_suffix('\'')?.split_once('\'')?;
    let words: Vec<&str> = options.split_ascii_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let value = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
    let (is_flush, is_read, is_write) = (has("-flush"), has("-read"), has("-write"));
    if has("-hybrid") || has("-ran") == has("-seq") || !(is_flush || is_read || is_write) {
        return None;
    }
    let drive = value("-drive").map(|drive| format!("{}:", drive.trim_end_matches(':').to_ascii_uppercase()));
    let target = drive.or_else(|| value("-n").map(|disk| format!("disk {disk}")));
    let way = if is_read { Way::Read } else { Way::Write };
    let load = Load { is_random: has("-ran"), way };
    Some(Assessment { load, is_flush, target: target.map(|target| clip(&target)).unwrap_or_default() })
}

/// Meaning of a latency.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    /// Mean of the reads during sequential writes.
    Sequential,
    Percentile,
    Maximum,
    /// Mean of the reads during random writes.
    Random,
}

/// Latencies in the order in which WinSAT prints them, with their names in English and Chinese.
const MEANINGS: [(Meaning, [&str; 2]); 4] = [
    (Meaning::Sequential, ["Average Read Time with Sequential Writes", "顺序写操作的平均读取时间"]),
    (Meaning::Percentile, ["Latency: 95th Percentile", "延迟: 95%"]),
    (Meaning::Maximum, ["Latency: Maximum", "延迟: 最大"]),
    (Meaning::Random, ["Average Read Time with Random Writes", "随机写操作的平均读取时间"]),
];

/// Latency as printed.
struct Latency {
    name: String,
    figure: Figure,
    score: Option<Figure>,
    line: u32,
    words: String,
}

/// Parses `Latency: 95th Percentile                     30.732 ms          3.4` in any language.
fn latency(number_of_line: u32, line: &str) -> Option<Latency> {
    let (before, after) = line.rsplit_once(" ms")?;
    let score = if after.trim().is_empty() { None } else { Some(whole(after.trim())?) };
    let (name, figure) = before.rsplit_once(' ')?;
    let (figure, name) = (whole(figure)?.times(1e-3), name.trim().to_owned());
    (!name.is_empty()).then(|| Latency { name, figure, score, line: number_of_line, words: clip(line) })
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    assessments: Vec<Assessment>,
    /// Loads whose transfer rates have been read.
    loads: Vec<Load>,
    latencies: Vec<Latency>,
    /// True while lines may be results.
    is_in_results: bool,
    /// Other results.
    others: Vec<(String, String)>,
    unknown: Unknown,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        let text = plain(line);
        if let Some(assessment) = assessment(text) {
            if self.has_results() {
                self.ends();
            }
            self.assessments.push(assessment);
        } else if let Some(rate) = rate(text) {
            if self.loads.contains(&rate.load) {
                self.ends();
            }
            self.add_rate(number, text, &rate);
        } else if text.starts_with("Error:") || text.starts_with("ERROR:") {
            tool_error(&mut self.file, number, text);
        } else if !self.is_in_results {
            // These are lines before the results, or between two runs.
        } else if let Some(result) = text.strip_prefix("Responsiveness: ") {
            let (name, value) = result.split_once("  ").unwrap_or((result, ""));
            self.others.push((format!("Responsiveness: {}", clip(name)), clip(value)));
        } else if let Some(latency) = latency(number, text) {
            self.latencies.push(latency);
        } else if !line.starts_with('>') {
            self.is_in_results = false;
        }
    }

    fn has_results(&self) -> bool {
        !self.loads.is_empty() || !self.latencies.is_empty()
    }

    fn add_rate(&mut self, line: u32, words: &str, rate: &Rate) {
        self.is_in_results = true;
        self.loads.push(rate.load);
        let access = if rate.load.is_random { "random" } else { "sequential" };
        let way = if rate.load.way == Way::Read { "read" } else { "write" };
        let begun = self.assessments.iter().find(|a| !a.is_flush && a.load == rate.load);
        let target = begun.map_or("", |a| a.target.as_str());
        let name = format!("{target} {access} {way}").trim().to_owned();
        let mut test = ForeignTest { name, line, ..ForeignTest::default() };
        test.asked.rw = Some(rate.load.rw().to_owned());
        let block = Bytes(rate.block);
        test.asked.block[usize::from(rate.load.way == Way::Write)] = Some((block, block));
        let mut value = rate.figure.times(1e6).to_value(rate.load.way, BANDWIDTH, Cut::Nearest, line, clip(words));
        value.between.1 *= MIB / 1e6;
        value.doubt = Some("unit guessed: 4.9 % more if an MB is 1,048,576 bytes".to_owned());
        test.values.push(value);
        test.values.extend(rate.score.map(|score| points(score, line, words)));
        self.file.tests.push(test);
    }

    /// Adds the latencies of a run.
    fn add_latencies(&mut self) {
        let latencies = std::mem::take(&mut self.latencies);
        // In other languages, the order and the number 95 identify them.
        let is_ordered = matches!(latencies.as_slice(), [_, percentile, _, _] if percentile.name.contains("95"));
        for (place, latency) in latencies.iter().enumerate() {
            let known = MEANINGS.iter().find(|(_, names)| names.contains(&latency.name.as_str()));
            match known.or_else(|| MEANINGS.get(place).filter(|_| is_ordered)) {
                Some((meaning, _)) => self.add_latency(latency, *meaning, known.is_none()),
                None => self.unknown.line(&mut self.file.remarks, latency.line, &latency.words),
            }
        }
    }

    fn add_latency(&mut self, latency: &Latency, meaning: Meaning, is_guessed: bool) {
        let (during, statistic) = match meaning {
            Meaning::Sequential => ("sequential writes", Statistic::Mean),
            Meaning::Random => ("random writes", Statistic::Mean),
            Meaning::Percentile => ("writes", Statistic::Percentile(95.0)),
            Meaning::Maximum => ("writes", Statistic::Max),
        };
        let target = self.assessments.iter().find(|a| a.is_flush).map_or("", |a| a.target.as_str());
        let name = format!("{target} reads during {during}").trim().to_owned();
        let place = self.file.tests.iter().position(|test| test.name == name).unwrap_or_else(|| {
            self.file.tests.push(ForeignTest { name, line: latency.line, ..ForeignTest::default() });
            self.file.tests.len() - 1
        });
        let test = &mut self.file.tests[place];
        let quantity = Quantity::Latency(ForeignLatency::Total, statistic);
        let mut value =
            latency.figure.to_value(Way::Read, quantity, Cut::Nearest, latency.line, latency.words.as_str());
        value.doubt = match (is_guessed, during) {
            (true, _) => Some("identified by its position".to_owned()),
            (_, "writes") => Some("WinSAT does not report whether the writes were sequential or random".to_owned()),
            _ => None,
        };
        test.values.push(value);
        match latency.score {
            // Two figures of one test cannot have two scores.
            Some(score) if during == "writes" => {
                test.asked.others.push((format!("points, {}", latency.name), score.value.to_string()));
            }
            Some(score) => test.values.push(points(score, latency.line, &latency.words)),
            None => {}
        }
    }

    /// Returns the name of a result that the run was to have.
    fn missing(&self) -> Option<String> {
        let rate = self.assessments.iter().find(|a| !a.is_flush && !self.loads.contains(&a.load));
        let flush = || self.assessments.iter().find(|a| a.is_flush && self.latencies.is_empty());
        let latency = |flush: &Assessment| MEANINGS[if flush.load.is_random { 3 } else { 0 }].1[0].to_owned();
        rate.map(|rate| rate.load.label()).or_else(|| flush().map(latency))
    }

    /// Ends a run of WinSAT.
    fn ends(&mut self) {
        let missing = self.missing();
        self.add_latencies();
        self.unknown.end(&mut self.file.remarks);
        let mut file = std::mem::take(&mut self.file);
        "WinSAT".clone_into(&mut file.tool);
        match missing {
            // WinSAT prints the results after the last assessment.
            Some(missing) if file.tests.is_empty() => cut(&mut file, &missing),
            Some(missing) => add_remark(&mut file.remarks, 0, || sentence!("import-excerpt", missing)),
            None => {}
        }
        for test in &mut file.tests {
            test.asked.others.extend(self.others.iter().cloned());
        }
        if !file.tests.is_empty() || !file.faults.is_empty() {
            self.files.push(file);
        }
        *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
    }
}

const MIB: f64 = 1_048_576.0;

fn points(score: Figure, line: u32, words: &str) -> ForeignValue {
    score.to_value(Way::All, POINTS, Cut::Nearest, line, clip(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENGLISH: &str = include_str!("../../tests/data/public/winsat.txt");
    const CHINESE: &str = include_str!("../../tests/data/public/winsat-zh.txt");
    const GERMAN: &str = include_str!("../../tests/data/public/winsat-de.txt");
    const MEAN: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
    const P95: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Percentile(95.0));
    const LONGEST: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Max);

    fn read_files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn names(file: &ForeignFile) -> Vec<&str> {
        file.tests.iter().map(|test| test.name.as_str()).collect()
    }

    #[test]
    fn transfer_rates_have_their_block_and_latencies_are_of_reads() {
        let file = read_files(ENGLISH).remove(0);
        assert_eq!((file.tool.as_str(), file.remarks.len(), file.faults.len()), ("WinSAT", 0, 0), "{file:?}");
        let expected = [
            "C: sequential read",
            "C: random read",
            "C: sequential write",
            "C: reads during sequential writes",
            "C: reads during writes",
            "C: reads during random writes",
        ];
        assert_eq!(names(&file), expected);
        let random = &file.tests[1];
        assert_eq!(
            (random.asked.rw.as_deref(), random.asked.block[0]),
            (Some("randread"), Some((Bytes(16_384), Bytes(16_384))))
        );
        let value = random.get(Way::Read, BANDWIDTH).unwrap();
        assert_eq!((value.value, value.line), (Some(2.43e6), 25));
        assert!(value.between.0 < 2.43e6 && value.between.1 > 2.43 * MIB && value.doubt.is_some(), "{value:?}");
        // Nothing about it is a number of operations.
        assert_eq!((random.value(Way::All, POINTS), random.asked.depth, random.asked.direct), (Some(4.4), None, None));
        assert!(file.tests.iter().all(|t| t.values.iter().all(|v| !matches!(v.of, Quantity::Iops(_)))));
        let close = |place: usize, quantity, seconds: f64| {
            file.tests[place].value(Way::Read, quantity).is_some_and(|t| (t - seconds).abs() < 1e-12)
        };
        assert!(close(3, MEAN, 6.720e-3) && close(5, MEAN, 15.075e-3));
        assert!(close(4, P95, 30.732e-3) && close(4, LONGEST, 56.218e-3));
        let overall = ("Responsiveness: Overall".to_owned(), "84.37 units          6.9".to_owned());
        assert!(file.tests[0].asked.others.contains(&overall), "{:?}", file.tests[0].asked.others);
    }

    #[test]
    fn results_in_chinese_and_german_are_read() {
        let files = read_files(CHINESE);
        assert_eq!(files.len(), 2);
        let expected = [
            "disk 2 random read",
            "disk 2 sequential read",
            "C: sequential write",
            "C: reads during sequential writes",
            "C: reads during writes",
            "C: reads during random writes",
        ];
        assert_eq!(names(&files[0]), expected);
        let mean = files[0].tests[5].get(Way::Read, MEAN).unwrap();
        assert!((mean.value.unwrap() - 72e-6).abs() < 1e-12 && mean.doubt.is_none(), "{mean:?}");
        let write = &files[1].tests[0];
        assert_eq!((write.name.as_str(), write.asked.rw.as_deref()), ("D: random write", Some("randwrite")));
        assert_eq!((write.value(Way::Write, BANDWIDTH), write.value(Way::All, POINTS)), (Some(561.45e6), None));
        let file = read_files(GERMAN).remove(0);
        assert_eq!(
            (names(&file), file.tests[0].value(Way::Write, BANDWIDTH)),
            (vec!["C: sequential write"], Some(2719.26e6))
        );
        assert!(file.remarks.is_empty(), "{:?}", file.remarks);
    }

    #[test]
    fn latencies_in_an_unknown_language_are_identified_by_their_position() {
        let other = ENGLISH.replace("Average Read Time with", "Temps").replace("Latency:", "Latence :");
        let file = read_files(&other).remove(0);
        let p95 = file.tests[4].get(Way::Read, P95).unwrap();
        assert!(p95.doubt.as_deref().is_some_and(|d| d.contains("position")), "{p95:?}");
        // Three of them have no known order.
        let lines: Vec<&str> = other.lines().filter(|line| !line.contains("Maximum")).collect();
        let file = read_files(&lines.join("\n")).remove(0);
        assert_eq!((file.tests.len(), file.remarks.len()), (3, 3), "{file:?}");
    }

    #[test]
    fn an_excerpt_is_read_and_its_missing_results_are_named() {
        let begin = ENGLISH.find("> Disk  Sequential 64.0 Read").unwrap();
        let file = read_files(&ENGLISH[begin..]).remove(0);
        assert_eq!((file.tests.len(), file.tests[1].name.as_str(), file.remarks.len()), (6, "random read", 0));
        // WinSAT's `> ` is not a quotation, and forums add one.
        let quoted: String = ENGLISH.lines().map(|line| format!("> {line}\n")).collect();
        assert_eq!(read_files(&quoted)[0].tests.len(), 6);
        let spaces: Vec<String> = ENGLISH.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(read_files(&spaces.join("\n"))[0].tests.len(), 6);
        let cut = ENGLISH.find("> Disk  Sequential 64.0 Write").unwrap();
        let file = read_files(&ENGLISH[..cut]).remove(0);
        assert_eq!((file.tests.len(), file.faults.len()), (2, 0));
        assert!(file.remarks[0].text.as_str().contains("Disk  Sequential Write"), "{:?}", file.remarks);
        let error = crate::read::read("x", &ENGLISH.as_bytes()[..begin]).unwrap_err().to_string();
        assert!(error.contains("WinSAT") && error.contains("Disk  Sequential Read"), "{error}");
    }

    #[test]
    fn text_about_winsat_is_not_a_result() {
        let error = crate::read::read("x", b"winsat disk reports Disk Random 16.0 Read and a score.\n").unwrap_err();
        assert!(error.to_string().contains("not supported"), "{error}");
        assert!(rate("Disk  Random 16.0 Read                       - MB/s").is_none());
        assert!(assessment("Running: Feature Enumeration ''").is_none());
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..ENGLISH.len(), gone in 0usize..30, put in "[0-9A-Za-z>=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &ENGLISH[..at], &ENGLISH[(at + gone).min(ENGLISH.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
