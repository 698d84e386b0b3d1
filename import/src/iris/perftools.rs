//! Results of InterSystems PerfTools (RanRead, RanWrite, RanIO) of any version: exports, listings of the SQL summary,
//! and printed results.
//!
//! Tables contain their column names, so one reader handles all versions. Each table in a file is a separate document.
//! Times are kept as printed. They include a wait at the start of the tool. The rules correct this
//! (docs/design/foreign-results.md, "PerfTools", B19).

use crate::format::Format;
use crate::text::dates;
use crate::text::delimited::fields;
use crate::text::figure::{self, Cut};
use crate::text::source::{ImportError, Source, add_remark, clip};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "perftools", shares_a_log: false, recognise, read };

/// Default block size of databases, which RanRead reads.
const BLOCK: Bytes = Bytes(8192);

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| is_header(line) || printed(line).is_some())
}

fn is_header(line: &str) -> bool {
    let has = |word: &str| line.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| w.eq_ignore_ascii_case(word));
    has("RunDate") && has("RunTime") && has("Processes")
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let (mut files, mut file) = (Vec::new(), ForeignFile::default());
    let mut columns: Option<(char, Vec<String>)> = None;
    // Parameters of the last typed call, which apply to the output after the call.
    let mut typed: Option<Call> = None;
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        if is_header(line) {
            if !file.tests.is_empty() {
                files.push(std::mem::take(&mut file));
            }
            let delimiter = [',', '\t', '|'].into_iter().find(|d| line.contains(*d)).unwrap_or(' ');
            columns = Some((delimiter, parted(line, delimiter)));
        } else if let Some(result) = printed(line) {
            let before = file.tests.len();
            add_printed(&mut file, number, line.trim(), result);
            if let (Some(call), [.., test]) = (&typed, &mut file.tests[before..]) {
                call.settle(test);
            }
        } else if let Some(call) = Call::parse(line) {
            typed = Some(call);
        } else if let Some((delimiter, names)) = &columns {
            let mut row = parted(line, *delimiter);
            // Some pasted listings mix tabs and spaces.
            if row.len() != names.len() {
                row = parted(line, ' ');
            }
            if row.len() == names.len() {
                let (test, when) = test_of(number, line, names, &row);
                if file.when.is_empty() {
                    (file.when, file.began) = when;
                }
                file.tests.push(test);
            } else if line.chars().any(|c| c.is_ascii_alphanumeric()) {
                let (has, expected) = (row.len(), names.len());
                let text = || sentence!("import-columns-differ", has, of = expected, text = clip(line));
                add_remark(&mut file.remarks, number, text);
            }
        }
    }
    files.push(file);
    files.retain(|f| !f.tests.is_empty());
    for file in &mut files {
        let kind = if file.tests.iter().all(|t| t.asked.rw.as_deref() == Some("randread")) { "RanRead" } else { "" };
        file.tool = format!("PerfTools {kind}").trim_end().to_owned();
    }
    if files.is_empty() {
        return Err(ImportError("it has a header of PerfTools but no rows".to_owned()));
    }
    Ok(files)
}

/// Splits a row into fields. In exports, each line ends with the delimiter. On terminals, tables have frames.
fn parted(line: &str, delimiter: char) -> Vec<String> {
    if delimiter == ' ' {
        return line.split_ascii_whitespace().map(str::to_owned).collect();
    }
    let mut list = fields(line.trim_matches(['|', '\r']), delimiter);
    if list.last().is_some_and(String::is_empty) && delimiter == ',' {
        list.pop();
    }
    list
}

/// Converts a row to a test. Also returns the time at which the test ran, as printed and in seconds since 1970.
fn test_of(number: u32, line: &str, names: &[String], row: &[String]) -> (ForeignTest, (String, Option<i64>)) {
    let field = |name: &str| {
        let at = names.iter().position(|n| n.eq_ignore_ascii_case(name))?;
        Some(row[at].as_str()).filter(|v| !v.is_empty())
    };
    let count = |name: &str| field(name).and_then(figure::whole).map(|f| f.value);
    let mut test = ForeignTest { line: number, ..ForeignTest::default() };
    let processes = count("Processes");
    let database = field("Database").unwrap_or("?");
    test.name = format!("{database}, {}", counted(processes));
    test.asked.jobs = processes.map(|p| p as u32);
    test.asked.count = count("Iterations").map(|n| n as u64);
    // Each process has one operation at a time.
    test.asked.depth = Some(1);
    let (reads, writes) = (count("Reads"), count("Writes"));
    test.asked.rw = Some(
        match (
            names.iter().any(|n| n.eq_ignore_ascii_case("ReadPct")),
            reads.unwrap_or(0.0) > 0.0,
            writes.unwrap_or(0.0) > 0.0,
        ) {
            (true, ..) | (_, true, true) => "randrw",
            (_, false, true) => "randwrite",
            _ => "randread",
        }
        .to_owned(),
    );
    if test.asked.rw.as_deref() == Some("randread") {
        test.asked.block[0] = Some((BLOCK, BLOCK));
    }
    let way = if test.asked.rw.as_deref() == Some("randwrite") { Way::Write } else { Way::Read };
    for (name, text) in names.iter().zip(row) {
        let matched = meaning(name, way).zip(figure::whole(text));
        match matched {
            Some(((way, quantity, scale, cut), figure)) => {
                test.values.push(figure.times(scale).to_value(way, quantity, cut, number, format!("{name} {text}")));
            }
            None => test.asked.others.push((name.clone(), text.clone())),
        }
    }
    let words = format!("{} {}", field("RunDate").unwrap_or_default(), field("RunTime").unwrap_or_default());
    let when = second(field("RunDate"), field("RunTime"));
    if processes.is_none() {
        let doubt = format!("not a number of processes: {}", clip(line));
        test.values.iter_mut().for_each(|v| v.doubt = Some(doubt.clone()));
    }
    (test, (words.trim().to_owned(), when))
}

/// Returns the direction, quantity, unit and rounding of a column of figures.
fn meaning(name: &str, way: Way) -> Option<(Way, Quantity, f64, Cut)> {
    let iops = Quantity::Iops(Statistic::Overall);
    Some(match name.to_ascii_lowercase().as_str() {
        "responsetime" => (way, Quantity::Latency(ForeignLatency::Total, Statistic::Mean), 1e-3, Cut::Nearest),
        "iops" => (way, iops, 1.0, Cut::Nearest),
        "reads" => (Way::Read, Quantity::Operations, 1.0, Cut::Exact),
        "writes" => (Way::Write, Quantity::Operations, 1.0, Cut::Exact),
        "readsps" => (Way::Read, iops, 1.0, Cut::Nearest),
        "writesps" => (Way::Write, iops, 1.0, Cut::Nearest),
        _ => return None,
    })
}

/// Returns the time at which a run began, in seconds since 1970. The input is the day and second of $HOROLOG, or a date
/// and time.
fn second(date: Option<&str>, time: Option<&str>) -> Option<i64> {
    let (date, time) = (date?, time?);
    let day = match date.parse::<i64>() {
        Ok(horolog) => horolog.checked_sub(dates::HOROLOG_DAYS).filter(|d| d.abs() < 4_000_000)?,
        Err(_) => {
            let (numbers, order) = dates::date_parts(date)?;
            dates::ordered(numbers, order.unwrap_or(dates::DateOrder::MonthDayYear))?
        }
    };
    let second = match time.parse::<f64>() {
        Ok(second) => second as i64,
        Err(_) => dates::time_of_day(time)? as i64,
    };
    Some(day * 86_400 + second.clamp(0, 86_400))
}

/// Typed call, such as `do ##class(PerfTools.RanWrite).Run("/ISC/tests/TMP",1,60,50,2)`.
struct Call {
    tool: &'static str,
    arguments: Vec<f64>,
}

impl Call {
    fn parse(line: &str) -> Option<Call> {
        let (before, rest) = line.split_once(").Run(")?;
        let tool = ["RanRead", "RanWrite", "RanIO"].into_iter().find(|t| before.ends_with(&format!(".{t}")))?;
        let (inside, _) = rest.split_once(')')?;
        // The first parameter is the directory, in quotes.
        let behind = inside.strip_prefix('"')?.split_once('"')?.1;
        let arguments = behind.split(',').skip(1).map_while(|a| figure::whole(a).map(|f| f.value)).collect();
        Some(Call { tool, arguments })
    }

    /// Adds the transaction length and the pauses from the call to the printed test.
    fn settle(&self, test: &mut ForeignTest) {
        let [_, _, third, rest @ ..] = self.arguments.as_slice() else { return };
        if self.tool == "RanRead" || !test.name.starts_with(self.tool) {
            return;
        }
        let mut put = |name: &str, value: f64| test.asked.others.push((name.to_owned(), value.to_string()));
        // In V1, this parameter is a pause in seconds. In later versions, it is the number of sets per transaction.
        // Only later versions print totals.
        let later = !test.values.iter().any(|v| matches!(v.of, Quantity::Latency(..)));
        if *third < 1.0 && !later {
            put("Hang", *third);
        } else {
            put("TransactionLength", *third);
            put("HangMs", rest.first().copied().unwrap_or(2.0));
        }
    }
}

/// Line that PerfTools prints.
enum Printed {
    /// `RanRead job 11,742's 10 processes (62.856814 seconds) average response time = 1.02ms`
    Response { tool: String, job: String, processes: u32, seconds: Option<f64> },
    /// `4 processes (30000 iterations) average response time = .666ms`, of RanRead in V0
    Iterations { processes: u32, iterations: u64 },
    /// `Calculated IOPS for RanRead job 11742 = 9804`, or `Calculated IOPS = 6006` in V0, without a job
    Iops { job: String },
    /// `RanIO job 1's 10 processes total reads/s = 1234.5`
    Total { tool: String, job: String, processes: u32, way: Way },
    /// `   and total writes/s = 1234.5`
    And,
}

fn printed(line: &str) -> Option<Printed> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("Calculated IOPS for ") {
        return Some(Printed::Iops { job: job(rest)? });
    }
    if line.starts_with("Calculated IOPS = ") {
        return Some(Printed::Iops { job: String::new() });
    }
    if let Some(result) = of_iterations(line) {
        return Some(result);
    }
    if line.starts_with("and total writes/s") {
        return Some(Printed::And);
    }
    let (tool, rest) =
        line.split_once(" job ").filter(|(tool, _)| matches!(*tool, "RanRead" | "RanWrite" | "RanIO"))?;
    let (_, behind) = rest.split_once("'s ")?;
    let processes = behind.split_once(" process").and_then(|(n, _)| n.trim().parse().ok())?;
    let (tool, job) = (tool.to_owned(), job(line)?);
    if behind.contains("average response time") {
        let seconds =
            behind.split_once('(').and_then(|(_, t)| t.split_once(" seconds")).and_then(|(t, _)| figure::whole(t));
        Some(Printed::Response { tool, job, processes, seconds: seconds.map(|f| f.value) })
    } else if behind.contains("total reads/s") {
        Some(Printed::Total { tool, job, processes, way: Way::Read })
    } else if behind.contains("total writes/s") {
        Some(Printed::Total { tool, job, processes, way: Way::Write })
    } else {
        None
    }
}

/// Reads the result of RanRead in V0, which has a number of iterations instead of a job and a time.
fn of_iterations(line: &str) -> Option<Printed> {
    let (before, _) = line.split_once(" iterations) average response time = ")?;
    let (processes, iterations) = before.split_once(" (")?;
    let processes = processes.strip_suffix(" processes").or_else(|| processes.strip_suffix(" process"))?;
    Some(Printed::Iterations { processes: processes.parse().ok()?, iterations: iterations.parse().ok()? })
}

/// Returns the number after `job`.
fn job(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("job ")?;
    Some(rest.chars().take_while(char::is_ascii_digit).collect())
}

fn add_printed(file: &mut ForeignFile, number: u32, line: &str, result: Printed) {
    let Some((figure, _)) = line.rsplit_once('=').and_then(|(_, value)| figure::number(value)) else { return };
    let iops = Quantity::Iops(Statistic::Overall);
    let cut = if matches!(result, Printed::Iops { .. }) || figure.ulp < 1.0 { Cut::Nearest } else { Cut::Exact };
    match result {
        Printed::Response { tool, job, processes, seconds } => {
            let mut test = begun(&tool, &job, processes, number);
            let way = if tool == "RanWrite" { Way::Write } else { Way::Read };
            let quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
            test.values.push(figure.times(1e-3).to_value(way, quantity, Cut::Nearest, number, line));
            if let Some(seconds) = seconds {
                // This is the driver's wall-clock time, which includes its startup and the last second of its wait.
                let words = line.to_owned();
                let doubt =
                    Some("measured by the driver: includes starting the processes and its own waits".to_owned());
                let between = (seconds, seconds);
                test.values.push(ForeignValue {
                    way,
                    of: Quantity::Runtime,
                    value: Some(seconds),
                    between,
                    line: number,
                    words,
                    doubt,
                });
            }
            file.tests.push(test);
        }
        Printed::Iterations { processes, iterations } => {
            let mut test = begun("RanRead", "", processes, number);
            test.asked.count = Some(iterations);
            let quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
            test.values.push(figure.times(1e-3).to_value(Way::Read, quantity, Cut::Nearest, number, line));
            file.tests.push(test);
        }
        Printed::Iops { job } => {
            let job_of = |t: &ForeignTest| t.asked.others.iter().find(|(k, _)| k == "job").map(|(_, v)| v.clone());
            let is_of_job = |t: &&mut ForeignTest| job_of(t).unwrap_or_default() == job;
            if let Some(test) = file.tests.iter_mut().rev().find(is_of_job) {
                let way = test.values.first().map_or(Way::Read, |v| v.way);
                test.values.push(figure.to_value(way, iops, cut, number, line));
            }
        }
        Printed::Total { tool, job, processes, way } => {
            let mut test = begun(&tool, &job, processes, number);
            test.values.push(figure.to_value(way, iops, cut, number, line));
            file.tests.push(test);
        }
        Printed::And => {
            if let Some(test) = file.tests.last_mut() {
                test.values.push(figure.to_value(Way::Write, iops, cut, number, line));
            }
        }
    }
}

/// Formats a number of processes, such as `1 process`, `8 processes` or `? processes`.
fn counted(processes: Option<f64>) -> String {
    match processes {
        Some(1.0) => "1 process".to_owned(),
        Some(n) => format!("{n} processes"),
        None => "? processes".to_owned(),
    }
}

fn begun(tool: &str, job: &str, processes: u32, line: u32) -> ForeignTest {
    let mut test = ForeignTest {
        name: format!("{tool}, {}", counted(Some(f64::from(processes)))),
        line,
        ..ForeignTest::default()
    };
    test.asked.jobs = Some(processes);
    test.asked.depth = Some(1);
    let rw = match tool {
        "RanRead" => "randread",
        "RanWrite" => "randwrite",
        _ => "randrw",
    };
    test.asked.rw = Some(rw.to_owned());
    if tool == "RanRead" {
        test.asked.block[0] = Some((BLOCK, BLOCK));
    }
    if !job.is_empty() {
        test.asked.others.push(("job".to_owned(), job.to_owned()));
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RESPONSE: Quantity = Quantity::Latency(ForeignLatency::Total, Statistic::Mean);
    const IOPS: Quantity = Quantity::Iops(Statistic::Overall);
    const V1: &str = "RunDate,RunTime,Database,Iterations,Processes,ResponseTime,IOPS,\r\n\
        2022-10-18,14:05:09,/ISC/tests/RAN/,30000,10,.67,14925,\r\n";
    const V3: &str = "RunDate,RunTime,Database,Namespace,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW,CVReads,CVWrites,Processes,ReadPct,\r\n\
        2026-03-03,14:05:09,/ISC/tests/IO/,ZRANIO,100000,50000,1666,833,12.5,7.25,.001,.002,10,67,\r\n";
    const PRINTED: &str = "RanRead process 11742 creating 10 worker processes in the background.\n\
        RanRead job 11742's 10 processes (62.856814 seconds) average response time = .666ms\n\
        Calculated IOPS for RanRead job 11742 = 15015\n\
        RanIO job 7's 4 processes total reads/s = 1234.5\n   and total writes/s = 617\n";

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn exports_of_all_versions_are_read_by_their_columns() {
        let test = &read_file(V1).tests[0];
        assert_eq!(
            (test.asked.jobs, test.asked.count, test.asked.rw.as_deref()),
            (Some(10), Some(30_000), Some("randread"))
        );
        let response = test.get(Way::Read, RESPONSE).unwrap();
        assert!((response.between.0 - 0.000_665).abs() < 1e-12 && response.line == 2, "{response:?}");
        assert_eq!(read_file(V1).began, dates::iso("2022-10-18 14:05:09"));
        let both = &read_file(V3).tests[0];
        assert_eq!(both.value(Way::Read, Quantity::Operations), Some(100_000.0));
        assert_eq!((both.value(Way::Read, IOPS), both.value(Way::Write, IOPS)), (Some(1666.0), Some(833.0)));
        assert!(both.asked.others.contains(&("ReadPct".to_owned(), "67".to_owned())));
    }

    #[test]
    fn printed_results_are_read() {
        let tests = read_file(PRINTED).tests;
        assert_eq!(tests.len(), 2);
        assert_eq!(tests[0].value(Way::Read, RESPONSE), Some(0.666e-3));
        assert_eq!(
            (tests[0].value(Way::Read, IOPS), tests[0].value(Way::Read, Quantity::Runtime)),
            (Some(15_015.0), Some(62.856814))
        );
        assert_eq!((tests[1].value(Way::Read, IOPS), tests[1].value(Way::Write, IOPS)), (Some(1234.5), Some(617.0)));
    }

    #[test]
    fn the_printed_results_of_the_first_version_are_read() {
        let text = "USER>do ##class(PerfTools.RanRead).Run(\"I:\\ZRANREAD\",4,30000)\n\n\
            InterSystems Random Read IO Performance Tool\n--------------------------------------------\n\
            Creating 4 processes in the background.\nStarting 4 processes now!\n\
            To terminate run:  do ##class(PerfTools.RanRead).Stop()\nWaiting to finish......................\n\
            Random read background jobs finished.\n\
            4 processes (30000 iterations) average response time = .666ms\nCalculated IOPS = 6006\n";
        let tests = read_file(text).tests;
        assert_eq!(tests.len(), 1);
        let (test, asked) = (&tests[0], &tests[0].asked);
        assert_eq!((asked.jobs, asked.count, asked.rw.as_deref()), (Some(4), Some(30_000), Some("randread")));
        assert_eq!((test.value(Way::Read, RESPONSE), test.value(Way::Read, IOPS)), (Some(0.666e-3), Some(6006.0)));
        let one = read_file("1 process (100 iterations) average response time = 1.2ms\n").tests.remove(0);
        assert_eq!((one.asked.jobs, one.asked.count), (Some(1), Some(100)));
    }

    #[test]
    fn a_typed_call_tells_of_transactions_and_pauses() {
        let response = "RanWrite job 7's 10 processes (60.1 seconds) average response time = .0545ms\n";
        let total = "RanWrite job 7's 1 processes total writes/s = .001\n";
        let others = |call: &str, printed: &str| {
            let text = format!("%SYS>do ##class(PerfTools.RanWrite).Run({call})\n{printed}");
            let mut others = read_file(&text).tests.remove(0).asked.others;
            others.retain(|(k, _)| k != "job");
            others
        };
        let pair = |k: &str, v: &str| (k.to_owned(), v.to_owned());
        let new = [pair("TransactionLength", "50"), pair("HangMs", "2")];
        assert_eq!(others("\"/x/\",10,60,50,2", response), new);
        assert_eq!(others("\"/x/\",1,60,.001", response), [pair("Hang", "0.001")]);
        assert_eq!(others("\"/x/\",1,60,.001", total), [pair("TransactionLength", "0.001"), pair("HangMs", "2")]);
        assert_eq!(others("\"/x/\",1,60", response), []);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(which in 0usize..3, at in 0usize..400, put in "[0-9a-zA-Z,|=\\t \\n.-]{0,12}") {
            let mut text = [V1, V3, PRINTED][which].to_owned();
            if at < text.len() { text.insert_str(at, &put); }
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
