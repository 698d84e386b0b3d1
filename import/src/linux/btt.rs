//! Output of blktrace's `btt`: the time that requests spent in each stage, over a whole trace, and the number of
//! requests and sectors per device.
//!
//! Times are in seconds. `Q2C` is the total time of a request, from the block layer to its completion. `D2C` is the
//! part in the driver and the device. Both count requests before merging. In the merge table, `#Q` counts queued
//! requests, `#D` counts issued requests, and `Total` counts sectors of 512 bytes. All figures summarise the whole
//! trace, so they are stored in `ForeignFile::disks`.

use crate::format::Format;
use crate::text::figure::{self, Cut};
use crate::text::series::named_test;
use crate::text::source::{ImportError, Nothing, Source, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "btt", shares_a_log: false, recognise, read };

/// Size of the blocks that btt counts, in bytes.
const SECTOR: f64 = 512.0;
/// Name under which btt's figures for all devices together are stored.
const ALL: &str = "all devices";

fn recognise(source: &Source<'_>) -> bool {
    let mut title = false;
    source.text().lines().any(|line| {
        let line = line.trim();
        title |= section(line) == Some("All Devices");
        title && stretch(line).is_some()
    })
}

/// Parses the title of a section: `==================== All Devices ====================`.
fn section(line: &str) -> Option<&str> {
    let name = line.strip_prefix("=====")?.trim_matches('=').trim();
    Some(name).filter(|n| !n.is_empty())
}

/// Parses the times of a stage: `D2C  0.003104665  0.015828304  0.028136240  41`. The fields are name, minimum, mean
/// and maximum in seconds, and count.
fn stretch(line: &str) -> Option<(&str, [&str; 4])> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [name, values @ ..] = words.as_slice() else { return None };
    let values: [&str; 4] = values.try_into().ok()?;
    let is_stretch = name.len() == 3 && name.as_bytes()[1] == b'2' && name.is_ascii();
    (is_stretch && values.iter().all(|v| figure::whole(v).is_some())).then_some((*name, values))
}

/// Parses a device and its values: `(  8,  0) | 41 11 3.7 | 8 29 144 328`. `Overall` means all devices.
fn device(line: &str) -> Option<(String, Vec<&str>)> {
    let (name, rest) = line.split_once('|')?;
    let name: String = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect();
    let is_device = name == "Overall"
        || name
            .split_once(',')
            .is_some_and(|(a, b)| [a, b].iter().all(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit())));
    let name = if name == "Overall" { ALL.to_owned() } else { name };
    is_device.then(|| (name, rest.split(['|', ' ', '\t']).filter(|w| !w.is_empty()).collect()))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "btt".to_owned(), ..ForeignFile::default() };
    let mut part = String::new();
    let mut columns: Vec<&str> = Vec::new();
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        let line = line.trim();
        if let Some(name) = section(line) {
            name.clone_into(&mut part);
            columns.clear();
        } else if part == "All Devices" {
            if let Some((name, values)) = stretch(line) {
                stretched(&mut file, name, values, number);
            }
        } else if let Some(rest) = line.strip_prefix("DEV").filter(|rest| rest.trim_start().starts_with('|')) {
            columns = rest.split(['|', ' ', '\t']).filter(|w| !w.is_empty()).collect();
        } else if let Some((name, values)) = device(line).filter(|(_, values)| values.len() == columns.len())
            && matches!(part.as_str(), "Device Overhead" | "Device Merge Information")
        {
            for (column, text) in columns.iter().zip(values) {
                counted(&mut file, &name, (column, text), number);
            }
        }
    }
    if file.disks.is_empty() {
        return Err(Nothing(sentence!("import-btt-empty")).into());
    }
    file.remarks.push(remark(0, sentence!("import-btt-whole")));
    Ok(vec![file])
}

/// Adds the times that requests spent in one stage.
fn stretched(file: &mut ForeignFile, name: &str, values: [&str; 4], line: u32) {
    let test = named_test(&mut file.disks, ALL, line);
    let kind = match name {
        "D2C" => ForeignLatency::Device,
        "Q2C" => ForeignLatency::Total,
        _ => {
            test.asked.others.push((format!("{name} MIN AVG MAX N"), values.join(" ")));
            return;
        }
    };
    let statistics = [
        ("MIN", Statistic::Min, Cut::Nearest),
        ("AVG", Statistic::Mean, Cut::Nearest),
        ("MAX", Statistic::Max, Cut::Nearest),
        ("N", Statistic::Samples, Cut::Exact),
    ];
    for ((column, statistic, cut), text) in statistics.into_iter().zip(values) {
        let quantity = Quantity::Latency(kind, statistic);
        let value =
            figure::whole(text).map(|f| f.to_value(Way::All, quantity, cut, line, format!("{name} {column} {text}")));
        test.values.extend(value);
    }
}

/// Adds a figure from the row of a device.
fn counted(file: &mut ForeignFile, name: &str, (column, text): (&str, &str), line: u32) {
    let test = named_test(&mut file.disks, name, line);
    let quantity = match column {
        "#D" => Some((Quantity::Operations, 1.0)),
        "Total" => Some((Quantity::Moved, SECTOR)),
        _ => None,
    };
    match quantity.zip(figure::whole(text)) {
        Some(((quantity, scale), figure)) => {
            let words = format!("{column} {text}");
            test.values.push(figure.times(scale).to_value(Way::All, quantity, Cut::Exact, line, words));
        }
        None => test.asked.others.push((column.to_owned(), text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRACE: &str = include_str!("../../tests/data/public/btt.txt");

    #[test]
    fn stretches_and_requests_of_a_trace_are_read_as_printed() {
        let file = crate::read::read("x", TRACE.as_bytes()).unwrap().remove(0);
        assert_eq!((file.format.as_str(), file.disks.len(), file.series.len()), ("btt", 2, 0));
        let (total, sda) = (&file.disks[0], &file.disks[1]);
        let latency = |kind, statistic| total.get(Way::All, Quantity::Latency(kind, statistic)).unwrap();
        let mean = latency(ForeignLatency::Device, Statistic::Mean);
        assert_eq!((mean.value, mean.words.as_str(), mean.line), (Some(0.015_828_304), "D2C AVG 0.015828304", 12));
        assert_eq!(latency(ForeignLatency::Total, Statistic::Max).value, Some(0.028_138_401));
        assert_eq!(latency(ForeignLatency::Device, Statistic::Samples).value, Some(41.0));
        let queue = ("I2D MIN AVG MAX N".to_owned(), "0.000000396 0.000001240 0.000003602 11".to_owned());
        assert!(total.asked.others.contains(&queue), "{:?}", total.asked.others);
        assert_eq!(sda.name, "8,0");
        assert_eq!(sda.value(Way::All, Quantity::Operations), Some(11.0));
        assert_eq!(sda.value(Way::All, Quantity::Moved), Some(328.0 * 512.0));
        for other in [("D2C", "99.9554%"), ("#Q", "41"), ("Ratio", "3.7"), ("BLKmax", "144")] {
            assert!(sda.asked.others.iter().any(|(n, v)| (n.as_str(), v.as_str()) == other), "{other:?}");
        }
        assert!(file.remarks.iter().any(|r| r.text.contains("whole")), "{:?}", file.remarks);
    }

    #[test]
    fn a_title_without_its_table_is_none_of_it() {
        assert!(crate::read::read("x", b"==================== All Devices ====================\n\nnothing\n").is_err());
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TRACE.len(), gone in 0usize..30, put in "[0-9A-Za-z|(),%=., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TRACE[..at], &TRACE[(at + gone).min(TRACE.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
