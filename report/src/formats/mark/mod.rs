//! Formats of a disk mark.

pub(super) mod json;
#[cfg(feature = "picture")]
mod picture;
#[cfg(test)]
pub(crate) mod testkit;
mod text;

pub use crate::marks::{Cell, Doubt, HostShare, Loop, Mark, Row, Running, doubts};

use crate::document::View;
use crate::kinds::mark::{alone, csv};
use crate::{Style, render};
use std::io::{self, Write};

/// Returns the table of a running mark. All lines fit `style.width`; the last one has no line end.
#[must_use]
pub fn live(mark: &Mark, running: Option<Running>, style: &Style) -> String {
    let mut out = Vec::new();
    // Writing to a vector cannot fail.
    let _ = render::terminal::write(&alone(mark, running, View::Full), View::Full, style, &mut out);
    let mut text = String::from_utf8(out).unwrap_or_default();
    text.truncate(text.trim_end().len());
    text
}

fn write_table(mark: &Mark, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    render::terminal::write(&alone(mark, None, View::Full), View::Full, style, out)
}

fn write_markdown(mark: &Mark, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    render::markdown::write(&alone(mark, None, View::Markdown), style, out)
}

/// One format in which a mark can be written.
#[derive(Debug, Clone, Copy)]
pub struct MarkFormat {
    /// Word by which an option selects the format.
    pub name: &'static str,
    /// File name extensions that select the format.
    pub endings: &'static [&'static str],
    /// True if a terminal can show the format.
    pub is_text: bool,
    write: fn(&Mark, &Style, &mut dyn Write) -> io::Result<()>,
}

impl MarkFormat {
    /// Writes the complete mark.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn write(&self, mark: &Mark, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(mark, style, out)
    }
}

/// All formats, the default first.
pub const MARK_FORMATS: &[MarkFormat] = &[
    MarkFormat { name: "table", endings: &[], is_text: true, write: write_table },
    MarkFormat { name: "text", endings: &["txt", "text", "log"], is_text: true, write: text::write },
    MarkFormat { name: "markdown", endings: &["md", "markdown"], is_text: true, write: write_markdown },
    MarkFormat { name: "csv", endings: &["csv"], is_text: true, write: |m, _, out| render::csv::table(&csv(m), out) },
    MarkFormat { name: "json", endings: &["json"], is_text: true, write: json::write },
    #[cfg(feature = "picture")]
    MarkFormat { name: "svg", endings: &["svg"], is_text: true, write: picture::write_svg },
    #[cfg(feature = "picture")]
    MarkFormat { name: "png", endings: &["png"], is_text: false, write: picture::write_png },
];

/// Returns the format with this name.
#[must_use]
pub fn mark_format(name: &str) -> Option<&'static MarkFormat> {
    MARK_FORMATS.iter().find(|f| f.name == name)
}

/// Returns the format selected by the extension of a file name.
#[must_use]
pub fn mark_format_for(path: &std::path::Path) -> Option<&'static MarkFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    MARK_FORMATS.iter().find(|f| f.endings.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::testkit::{marked, record, record_of_hosts, written};
    use super::*;
    use crate::marks::log_share;
    use model::plan::*;
    use model::*;

    #[test]
    fn best_and_median_are_loops_and_not_means() {
        let mark = marked();
        let read = &mark.rows[0].cells[0];
        let rates: Vec<u64> = read.loops.iter().map(|l| (l.rate.mb().round()) as u64).collect();
        assert_eq!(rates.len(), 5);
        let mut sorted = rates.clone();
        sorted.sort_unstable();
        assert_eq!(read.best().unwrap().rate.mb().round() as u64, sorted[4]);
        assert_eq!(read.median().unwrap().rate.mb().round() as u64, sorted[2]);
    }

    #[test]
    fn megabytes_are_decimal_and_a_mix_is_the_sum_of_both_directions() {
        let record = record();
        let mark = Mark::from_record(&record, &[]);
        let mix = mark.rows[2].cells[2].best().unwrap();
        let total = record.steps[mix.step].total();
        let bytes = total.op(model::Op::Read).tally.bytes + total.op(model::Op::Write).tally.bytes;
        assert!(total.op(model::Op::Write).tally.bytes > 0);
        assert!((mix.rate.mb() - bytes as f64 / 1e6 / total.length.secs()).abs() < 1e-9);
        // KDiskMark divides KiB/s by 1000, which is 2.4 % too low.
        assert!((mix.iops.per_second() * 4096.0 / 1e6 - mix.rate.mb()).abs() < 1e-6);
    }

    #[test]
    fn a_bar_tells_factors_of_ten_apart() {
        assert_eq!(log_share(0.0, 5000.0), 0.0);
        assert!((log_share(10.0, 5000.0) - 0.25).abs() < 1e-9);
        assert!((log_share(1000.0, 999.0) - 1.0).abs() < 1e-9);
        assert_eq!(log_share(f64::NAN, 5.0), 0.0);
    }

    #[test]
    fn of_two_loops_the_median_is_the_lower() {
        let cell = |rates: &[f64]| Cell {
            direction: MarkDirection::Read,
            planned: rates.len(),
            loops: rates
                .iter()
                .map(|r| Loop { rate: BytesPerSecond(*r), ..marked().rows[0].cells[0].loops[0].clone() })
                .collect(),
        };
        assert_eq!(cell(&[2e6, 1e6]).median().unwrap().rate.per_second(), 1e6);
        assert_eq!(cell(&[4e6, 1e6, 3e6, 2e6]).median().unwrap().rate.per_second(), 2e6);
        assert_eq!(cell(&[4e6]).median().unwrap().rate.per_second(), 4e6);
        assert!(cell(&[]).median().is_none() && cell(&[]).best().is_none());
    }

    #[test]
    fn a_loop_that_changed_level_is_struck_and_counts_only_where_there_is_no_other() {
        let record = record();
        let fastest = Mark::from_record(&record, &[]).rows[0].cells[0].best().expect("loops").step;
        let moved = Caveat::new("two-regimes", Severity::Doubt, "s", "e").at_step(fastest);
        let mark = Mark::from_record(&record, &[moved]);
        let cell = &mark.rows[0].cells[0];
        assert!(cell.loops.iter().any(|l| l.step == fastest && l.struck && l.changed));
        assert!(cell.best().is_some_and(|l| l.step != fastest && !l.struck));
    }

    #[test]
    fn a_mark_of_several_hosts_is_their_sum_with_what_each_had() {
        let (alone, record) = (marked(), record_of_hosts(&["a", "b", "c"]));
        // Doubts from the analysis refer to the steps of all hosts combined.
        let moved = Caveat::new("two-regimes", Severity::Doubt, "s", "e").at_step(5);
        let mark = Mark::from_record(&record, &[moved]);
        assert_eq!((mark.loops, mark.rows.len(), mark.size), (alone.loops, alone.rows.len(), Bytes::from_gib(3)));
        assert_eq!(mark.hosts, ["a", "b", "c"]);
        assert_eq!(mark.doubts[0].places, ["SEQ1M Q1T1 read"]);
        for (row, own) in mark.rows.iter().zip(&alone.rows) {
            for (one, own) in row.cells.iter().flat_map(|c| &c.loops).zip(own.cells.iter().flat_map(|c| &c.loops)) {
                assert!((one.rate.per_second() / own.rate.per_second() - 3.0).abs() < 1e-9, "{}", row.test);
                assert_eq!((one.ops, one.time, one.mean, one.step), (3 * own.ops, own.time, own.mean, own.step));
                let shares: Vec<(&str, f64)> =
                    one.hosts.iter().map(|h| (h.host.as_str(), h.rate.per_second())).collect();
                let each = own.rate.per_second();
                assert_eq!(shares, [("a", each), ("b", each), ("c", each)]);
            }
        }
        let table = written("table", &mark);
        assert!(table.contains("sum of 3 hosts: a, b, c"), "{table}");
        assert!(table.contains("a 556.4 MB/s, b 556.4 MB/s, c 556.4 MB/s"), "{table}");
        let many = Mark::from_record(&record_of_hosts(&["a", "b", "c", "d", "e", "f"]), &[]);
        let table = written("table", &many);
        assert!(table.contains("sum of 6 hosts: a, b, c, d and 2 more"), "{table}");
        assert!(table.contains("from a 556.4 MB/s to f 556.4 MB/s"), "{table}");
        let csv = written("csv", &mark);
        assert!(csv.lines().next().is_some_and(|head| head.ends_with(",hosts_best_mb_per_s")), "{csv}");
        assert!(csv.lines().nth(1).is_some_and(|line| line.ends_with(",a=556.374 b=556.374 c=556.374")), "{csv}");
        let json: serde_json::Value = serde_json::from_str(&written("json", &mark)).unwrap();
        assert_eq!(json["results"][0]["best"]["hosts"].as_array().map(Vec::len), Some(3));
        assert!(written("markdown", &mark).contains("- SEQ1M Q8T1 read: a 556.4 MB/s"));
        assert!(written("text", &mark).contains("  Hosts: sum of 3 hosts: a, b, c"));
        // A single host is not mentioned.
        assert!(!written("json", &alone).contains("hosts") && !written("csv", &alone).contains("hosts"));
    }

    #[test]
    fn a_loop_that_was_cut_short_counts_only_where_there_is_no_other() {
        let mut record = record();
        record.state = RunState::Interrupted;
        record.steps.truncate(7);
        record.steps[6].end = None;
        let mark = Mark::from_record(&record, &[]);
        let second = &mark.rows[1].cells[0];
        assert_eq!((second.loops.len(), second.planned), (2, 5));
        assert!(second.loops[1].partial);
        assert_eq!(second.best().unwrap().step, 5);
        record.steps.remove(5);
        let alone = Mark::from_record(&record, &[]);
        assert_eq!(alone.rows[1].cells[0].best().unwrap().step, 5, "better than nothing");
        assert!(alone.verdict().starts_with("killed before it finished"), "{}", alone.verdict());
    }

    #[test]
    fn own_rows_are_headed_as_own_also_where_they_are_a_profiles() {
        assert_eq!(marked().profile, "Default");
        let mut record = record();
        record.plan.kind = RunKind::Mark { profile: Some("nvme".into()) };
        assert_eq!(Mark::from_record(&record, &[]).profile, "Default (NVMe SSD)");
        record.plan.kind = RunKind::Mark { profile: None };
        assert_eq!(Mark::from_record(&record, &[]).profile, "Custom");
    }

    #[test]
    fn the_ending_of_a_file_name_chooses_its_format() {
        let format_of = |name: &str| mark_format_for(name.as_ref()).map(|f| f.name);
        assert_eq!(format_of("a/mark.CSV"), Some("csv"));
        assert_eq!(format_of("mark.md"), Some("markdown"));
        assert_eq!(format_of("mark.txt"), Some("text"));
        assert_eq!((format_of("mark"), format_of("mark.jpg"), format_of("")), (None, None, None));
        for (i, f) in MARK_FORMATS.iter().enumerate() {
            assert_eq!(mark_format(f.name).map(|found| found.name), Some(f.name));
            for other in &MARK_FORMATS[..i] {
                assert!(f.endings.iter().all(|e| !other.endings.contains(e)));
            }
        }
    }

    #[test]
    fn every_format_writes_every_mark_without_harm() {
        let mut record = record();
        record.preflight.storage.devices[0].model = Some("evil\x1b[2J\u{202e}<script>&\"|".into());
        record.plan.target.path = "/mnt/a|b,\"c\"\n<d>&\u{1b}".into();
        record.steps[3].intervals.clear();
        record.steps[4].end = None;
        let mut empty = record.clone();
        empty.steps.clear();
        for record in [&record, &empty] {
            let mark = Mark::from_record(record, &[]);
            for format in MARK_FORMATS {
                for (width, unicode) in [(40, false), (100, true)] {
                    let mut out = Vec::new();
                    format
                        .write(
                            &mark,
                            &Style { color: false, unicode, width, language: messages::Language::English },
                            &mut out,
                        )
                        .unwrap();
                    assert!(!out.is_empty());
                    if format.is_text {
                        let text = String::from_utf8(out).expect("text");
                        let harmful = |c: char| c != '\n' && crate::widgets::sanitise::is_harmful(c);
                        assert!(!text.contains(harmful), "{}: {text:?}", format.name);
                    }
                }
            }
        }
    }
}
