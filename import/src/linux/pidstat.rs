//! Output of `pidstat -d` from sysstat 10 to 12, with or without `-h`, `-H` and `--human`. There is one row of reads
//! and writes per process and interval.
//!
//! A kilobyte is 1024 bytes. `-1.00` means that pidstat was not allowed to read the counters of a process, so the value
//! is treated as missing. No column is treated as a device figure. `kB_wr/s` is the data that a process wrote,
//! including data that is still in the page cache. `kB_ccwr/s` is the part of this data that never reached storage.
//! `iodelay` is in kernel clock ticks.

use crate::format::Format;
use crate::linux::sysstat::{banner, in_base, printed};
use crate::text::dates::time_of_day;
use crate::text::figure;
use crate::text::series::{Clock, Instances, named_test, point, usual_periods};
use crate::text::source::{ImportError, Nothing, Source, pass_over, remark};
use messages::sentence;
use model::foreign::ForeignFile;

pub(crate) const FORMAT: Format = Format { name: "pidstat", shares_a_log: true, recognise, read };

/// Columns about I/O: name, factor that converts plain values to the unit of the series, and this unit.
const COLUMNS: [(&str, f64, &str); 4] =
    [("kB_rd/s", 1024.0, "B/s"), ("kB_wr/s", 1024.0, "B/s"), ("kB_ccwr/s", 1024.0, "B/s"), ("iodelay", 1.0, "ticks")];

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(|line| is_header(&line.split_ascii_whitespace().collect::<Vec<_>>()))
}

fn is_header(words: &[&str]) -> bool {
    words.contains(&"kB_rd/s")
        && words.last() == Some(&"Command")
        && ["PID", "TGID", "TID"].iter().any(|w| words.contains(w))
}

/// End of a row's interval: seconds since midnight, or since 1970 (`-h`, `-H`).
#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    OfDay(f64),
    Since1970(f64),
    Mean,
}

/// Parses the time at the start of a line. Returns the time and the number of words that form it.
fn when(words: &[&str]) -> Option<(When, usize)> {
    let first = *words.first()?;
    if first.ends_with(':') {
        return Some((When::Mean, 1));
    }
    let half = words.get(1).filter(|w| ["AM", "PM"].contains(*w));
    if let Some(half) = half {
        return Some((When::OfDay(time_of_day(&format!("{first} {half}"))?), 2));
    }
    if first.matches(':').count() == 2 {
        return Some((When::OfDay(time_of_day(first)?), 1));
    }
    let seconds = figure::whole(first).filter(|f| f.value > 1e8 && f.ulp >= 1.0)?;
    Some((When::Since1970(seconds.value), 1))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "pidstat".to_owned(), ..ForeignFile::default() };
    rows(source, &mut file)?;
    Ok(vec![file])
}

fn rows(source: &Source<'_>, file: &mut ForeignFile) -> Result<(), Nothing> {
    let mut clock = Clock::default();
    let mut processes = Instances::default();
    let (mut day, mut has_date, mut unread) = (0.0, false, 0u32);
    // Columns of the header without the time, and the time in the header, which is the start of the interval.
    let mut header: Option<(Vec<&str>, Option<When>)> = None;
    let mut seen = false;
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        let line = line.trim();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if is_header(&words) {
            let began = when(&words);
            // If the header has no time (`# Time UID ...`, `#Time ...`), `UID` is the first column.
            let from = began.map_or_else(|| words.iter().position(|w| *w == "UID").unwrap_or(0), |(_, taken)| taken);
            header = Some((words[from..].to_vec(), began.map(|(at, _)| at)));
            continue;
        }
        if let Some(seconds) = banner(line, number, file) {
            (day, has_date) = (seconds, true);
            continue;
        }
        let (Some((at, taken)), Some((columns, began))) = (when(&words), &header) else {
            pass_over(&mut file.remarks, number, line);
            continue;
        };
        let cells = &words[taken..];
        // The command is the last column and may contain several words (-l). Other columns contain one word.
        let Some((process, values)) = process(cells, columns) else {
            pass_over(&mut file.remarks, number, line);
            continue;
        };
        seen = true;
        // If the header and the rows have the same time, pidstat ran without an interval, and values cover the time
        // since boot.
        let is_whole = at == When::Mean || *began == Some(at);
        let moment = match at {
            _ if is_whole => 0.0,
            When::OfDay(seconds) => clock.at(day + seconds, number, &mut file.remarks),
            When::Since1970(seconds) => {
                has_date = true;
                clock.at(seconds, number, &mut file.remarks)
            }
            When::Mean => 0.0,
        };
        for (column, text) in values {
            let Some((_, scale, unit)) = COLUMNS.iter().find(|c| c.0 == column) else { continue };
            let Some(value) = printed(text) else { continue };
            if value.0.value < 0.0 {
                unread += 1;
                continue;
            }
            if is_whole {
                let test = named_test(&mut file.disks, &process, number);
                test.asked.others.push((column.to_owned(), text.to_owned()));
                continue;
            }
            let series = processes.series(&mut file.series, (&process, column), unit, None);
            point(series, moment, in_base(value, *scale, unit).value, number);
        }
    }
    if !seen {
        return Err(Nothing(sentence!("import-pidstat-empty")));
    }
    file.began = clock.began().filter(|_| has_date);
    if unread > 0 {
        file.remarks.push(remark(0, sentence!("import-pidstat-unread", n = unread)));
    }
    if let Some(first) = file.disks.first() {
        file.remarks.push(remark(first.line, sentence!("import-pidstat-whole")));
    }
    usual_periods(file);
    Ok(())
}

/// Returns the name and number of the process in a row, and the other values with their columns.
fn process<'a>(cells: &[&'a str], columns: &[&'a str]) -> Option<(String, Vec<(&'a str, &'a str)>)> {
    let fixed = columns.len() - 1;
    if cells.len() <= fixed
        || cells[..fixed].iter().zip(columns).any(|(v, c)| is_figure_column(c) && printed(v).is_none())
    {
        return None;
    }
    let command = cells[fixed..].join(" ");
    // A thread (-t) is identified by its thread ID, a process by the ID of its thread group.
    let number = ["TID", "PID", "TGID"].iter().find_map(|name| {
        let at = columns.iter().position(|c| c == name)?;
        Some(cells[at]).filter(|v| *v != "-")
    })?;
    let values = columns.iter().copied().zip(cells[..fixed].iter().copied()).collect();
    Some((format!("{} ({number})", command.trim_start_matches(['|', '_'])), values))
}

fn is_figure_column(column: &str) -> bool {
    COLUMNS.iter().any(|c| c.0 == column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAIN: &str = include_str!("../../tests/data/public/pidstat-d.txt");
    const WIDE: &str = include_str!("../../tests/data/public/pidstat-h.txt");

    fn read_file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn a_process_has_a_series_for_each_column() {
        let file = read_file(PLAIN);
        assert_eq!((file.format.as_str(), file.began, file.series.len()), ("pidstat", None, 12));
        let read = file.series("mysqld (27458) kB_rd/s").unwrap();
        assert_eq!((read.points[0].value, read.points[0].line), (32_640.0 * 1024.0, 2));
        assert_eq!((read.unit.as_str(), read.instance.as_deref(), read.of), ("B/s", Some("mysqld (27458)"), None));
        let delay = file.series("python (27617) iodelay").unwrap();
        assert_eq!((delay.points[0].value, delay.unit.as_str()), (3.0, "ticks"));
    }

    #[test]
    fn what_may_not_be_read_is_absent_and_commands_have_many_words() {
        let file = read_file(WIDE);
        assert!(file.series("ksoftirqd/0 (6) kB_rd/s").is_none());
        let writes = file.series("pidstat -dlrsuwh 2 5 (2297) kB_wr/s").unwrap();
        let points: Vec<(f64, f64)> = writes.points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!(points, [(0.0, 0.0), (2.0, 0.0)]);
        assert_eq!((file.began, writes.period), (Some(1_646_859_221), Some(2.0)));
        assert!(file.remarks.iter().any(|r| r.text.starts_with("9 values")), "{:?}", file.remarks);
    }

    #[test]
    fn a_report_whose_head_and_rows_are_of_one_time_is_of_no_interval() {
        let text = "10:30:14 PM   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n\
                    10:30:14 PM     0         1     29.68     52.61      0.88       0  systemd\n";
        let file = read_file(text);
        assert_eq!((file.series.len(), file.disks.len()), (0, 1));
        assert!(file.disks[0].asked.others.contains(&("kB_wr/s".to_owned(), "52.61".to_owned())));
        assert!(file.remarks.iter().any(|r| r.text.contains("since the machine started")), "{:?}", file.remarks);
    }

    #[test]
    fn units_of_human_are_bytes() {
        let text = "# Time        UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n\
                    16:55:50        0        86     55.4k      0.0B      0.0B       0  kworker/1:1-xfs-conv/sdb4\n";
        let file = read_file(text);
        let read = file.series("kworker/1:1-xfs-conv/sdb4 (86) kB_rd/s").unwrap();
        assert_eq!(read.points[0].value, 55.4 * 1024.0);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..WIDE.len(), gone in 0usize..30, put in "[0-9A-Za-z/:., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &WIDE[..at], &WIDE[(at + gone).min(WIDE.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
