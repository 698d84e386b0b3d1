//! HTML report of InterSystems ^SystemPerformance (^pButtons), and of tools that use the same markup. Each section
//! becomes a document.
//!
//! The boundaries of sections differ (docs/design/foreign-results.md, "SystemPerformance"). mgstat and vmstat are
//! between comments. iostat, sar -d and nfsiostat begin at their `div` and end with their `pre`. perfmon ends at its
//! comment. Other sections (configuration, licence, processes) are not measurements and are ignored.
//!
//! If a tool prints no times, the start of the collection and the sample interval are taken from the profile.

use crate::format::Format;
use crate::iris::mgstat;
use crate::linux::{iostat, nfsiostat, sar, vmstat};
use crate::text::dates::date_order;
use crate::text::source::{ImportError, Nothing, Source, remark};
use crate::text::{dates, figure};
use crate::windows::typeperf;
use messages::sentence;
use model::foreign::ForeignFile;

pub(crate) const FORMAT: Format = Format { name: "system-performance", shares_a_log: false, recognise, read };

/// Tool that printed a section.
#[derive(Debug, Clone, Copy)]
enum Tool {
    Mgstat,
    Vmstat,
    Iostat,
    SarD,
    Nfsiostat,
    Perfmon,
}

/// Section of the page that is read.
#[derive(Debug, Clone, Copy)]
struct Section {
    tool: Tool,
    name: &'static str,
    /// Comment at the beginning, or the identifier of the `div`.
    begins: &'static str,
    /// Texts at the end.
    ends: &'static [&'static str],
}

const SECTIONS: [Section; 6] = [
    Section { tool: Tool::Mgstat, name: "mgstat", begins: "<!-- beg_mgstat -->", ends: &["<!-- end_mgstat -->"] },
    Section { tool: Tool::Vmstat, name: "vmstat", begins: "<!-- beg_vmstat -->", ends: &["<!-- end_vmstat -->"] },
    Section { tool: Tool::Iostat, name: "iostat", begins: "iostat", ends: &["<div", "</pre>"] },
    Section { tool: Tool::SarD, name: "sar", begins: "sar-d", ends: &["<div", "</pre>"] },
    Section { tool: Tool::Nfsiostat, name: "nfsiostat", begins: "nfsiostat", ends: &["<div", "</pre>"] },
    Section { tool: Tool::Perfmon, name: "perfmon", begins: "perfmon", ends: &["<!-- end_win_perfmon -->"] },
];

impl Section {
    fn begins(self, line: &str) -> bool {
        // `id=sar-d` must not match `id=sar-d2`.
        let is_id = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let id = line.split_once("<div id=").and_then(|(_, div)| div.trim_start_matches('"').strip_prefix(self.begins));
        id.is_some_and(is_id) || self.begins.starts_with('<') && line.contains(self.begins)
    }

    fn ends(self, line: &str) -> bool {
        self.ends.iter().any(|end| line.contains(end))
    }
}

fn recognise(source: &Source<'_>) -> bool {
    let text = source.text();
    text.contains('<') && text.lines().any(|line| line.contains('<') && SECTIONS.iter().any(|s| s.begins(line)))
}

/// Start and sample interval of the collection, taken from the profile.
#[derive(Debug, Default)]
struct Profile {
    /// First line of the profile, as printed.
    words: String,
    /// Start in seconds since 1970.
    began: Option<i64>,
    /// Seconds between samples.
    interval: Option<f64>,
}

impl Profile {
    /// Parses `Profile run "24hours" started by user "u" at 00:01:00 on Jun 01 2021.` and
    /// `Run over 2880 intervals of 30 seconds.`
    fn line(&mut self, text: &str) {
        let text = text.trim();
        if self.words.is_empty() && text.contains("Profile run") {
            text.clone_into(&mut self.words);
            let when = text.rsplit_once(" at ").and_then(|(_, when)| when.trim_end_matches('.').split_once(" on "));
            self.began = when.and_then(|(time, date)| {
                let mut date = date.split_ascii_whitespace();
                let (month, day, year) = (date.next()?, date.next()?, date.next()?);
                dates::ctime(&format!("day {month} {day} {time} {year}"))
            });
        } else if self.interval.is_none()
            && let Some((_, rest)) = text.split_once(" intervals of ")
        {
            self.interval = figure::number(rest).map(|(f, _)| f.value).filter(|s| *s > 0.0 && *s < 86_400.0);
        }
    }

    fn collected(&self) -> Option<iostat::Collected> {
        Some((self.began?, self.interval?))
    }
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut open: Option<Section> = None;
    let mut parts: Vec<(Section, Vec<(u32, &str)>)> = Vec::new();
    let mut profile = Profile::default();
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        if parts.is_empty() {
            profile.line(text_of(line));
        }
        if let Some(section) = SECTIONS.into_iter().find(|s| s.begins(line)) {
            open = Some(section);
            parts.push((section, Vec::new()));
        } else if open.is_some_and(|s| s.ends(line)) {
            open = None;
            continue;
        }
        if let (Some(_), Some((_, lines))) = (open, parts.last_mut()) {
            let text = text_of(line);
            if !text.trim().is_empty() {
                lines.push((number, text));
            }
        }
    }
    let mut files = Vec::new();
    for (section, lines) in parts {
        let mut file = ForeignFile { format: format!("system-performance/{}", section.name), ..ForeignFile::default() };
        file.tool = section.name.to_owned();
        match section_read(section, &lines, &profile, &mut file, source) {
            Ok(()) => {
                if file.when.is_empty() {
                    file.when.clone_from(&profile.words);
                }
                files.push(file);
            }
            // A section without data does not affect other sections.
            Err(Nothing(reason)) => {
                let line = lines.first().map_or(0, |(n, _)| *n);
                let text = sentence!("import-section-unread", section = section.name, why = reason);
                file.remarks.push(remark(line, text));
                files.push(file);
            }
        }
    }
    if files.iter().all(|f| f.series.is_empty() && f.disks.is_empty()) {
        return Err(ImportError("it has section marks of ^SystemPerformance but no samples".to_owned()));
    }
    Ok(files)
}

fn section_read(
    section: Section,
    lines: &[(u32, &str)],
    profile: &Profile,
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    // The lines of the section follow its name, which is removed.
    let lines: Vec<(u32, &str)> = lines.iter().copied().filter(|(_, l)| l.trim() != section.name).collect();
    let entries = lines.iter().copied();
    match section.tool {
        Tool::Mgstat => {
            let (order, _) = date_order(entries.clone().filter_map(|(_, l)| l.split(',').next()));
            mgstat::rows(entries, order, file, source)
        }
        Tool::Vmstat => vmstat::rows(&lines, file, source),
        Tool::Iostat => iostat::rows(entries, profile.collected(), file, source),
        Tool::SarD => sar::rows(entries, file, source),
        Tool::Nfsiostat => nfsiostat::rows(entries, file, source),
        Tool::Perfmon => typeperf::rows(entries, file, source),
    }
}

/// Removes tags and comments from a line.
fn text_of(line: &str) -> &str {
    let mut text = line.trim_end();
    // Tags occur before and after the text, never inside it.
    while let Some(rest) = text.trim_start().strip_prefix('<') {
        let Some(end) = rest.find('>') else { break };
        text = &rest[end + 1..];
        // A heading is removed together with its tags: `<div id=mgstat></div>mgstat<br><pre>`, `sar -d</font>`.
        if let Some(next) = text.find('<')
            && text[..next].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-' | b'_' | b'.'))
        {
            text = &text[next..];
        }
    }
    match text.rfind("</pre>").or_else(|| text.rfind("<br>")) {
        Some(end) if text[end..].ends_with('>') => &text[..end],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use model::foreign::{Quantity, Statistic, Way};
    use proptest::prelude::*;

    const HTML: &str = "<html><head><title>t</title></head>\n<a id=\"Topofpage\"></a>\n\
        Profile run \"test\" started by user \"u\" at 00:00:00 on Jan 13 2026.\n\
        <div id=mgstat></div>mgstat<br><pre>\n<!-- beg_mgstat -->\n\
        Date,     Time,      Glorefs, PhyRds, PhyWrs\n01/13/26, 00:00:05, 100, 5, 2\n01/13/26, 00:00:10, 200, 6, 64\n<!-- end_mgstat -->\n\
        <div id=vmstat></div>vmstat<br><pre>\n<!-- beg_vmstat -->\n\
        04/30/26 00:00:00  r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
        04/30/26 00:00:05  9  0      0 100000      0      0    0    0     0     0    0    0  9  0 91  0  0\n\
        04/30/26 00:00:10  0  0      0 100000      0      0    0    0     0     0    0    0  1  0 99  0  0\n<!-- end_vmstat -->\n\
        <div id=iostat></div>iostat<br><pre>\nLinux 4.18.0 (host) \t01/13/2026 \t_x86_64_\t(4 CPU)\n\n01/13/2026 00:00:05\n\
        avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          20.85    0.31    1.58    2.27    0.00   74.99\n\
        Device            r/s     w/s     rkB/s     wkB/s  r_await w_await aqu-sz  %util\n\
        sda              0.56   19.78     12.97   1035.70     0.30    0.10   0.00    0.20\n\n01/13/2026 00:00:10\n\
        Device            r/s     w/s     rkB/s     wkB/s  r_await w_await aqu-sz  %util\n\
        sda              1.00   2.00     3.00   4.00     0.30    0.10   0.50    10.00\n\
        <div id=loadaverage></div>loadaverage<br><pre>\nTAIL\n\
        <div id=perfmon></div>perfmon<br><pre>\n\
        \"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\PhysicalDisk(1 F:)\\Disk Reads/sec\"\n\
        \"05/29/2026 06:30:15.123\",\"7\"\n\"05/29/2026 06:30:45.123\",\"8\"\n<!-- end_win_perfmon -->\n</html>\n";

    #[test]
    fn every_section_is_a_document_with_its_lines() {
        let files = crate::read::read("x", HTML.as_bytes()).unwrap();
        let formats: Vec<&str> = files.iter().map(|f| f.format.as_str()).collect();
        assert_eq!(
            formats,
            [
                "system-performance/mgstat",
                "system-performance/vmstat",
                "system-performance/iostat",
                "system-performance/perfmon"
            ]
        );
        let writes = files[0].series("PhyWrs").unwrap();
        assert_eq!((writes.points.len(), writes.points[1].value, writes.points[1].line), (2, 64.0, 8));
        assert_eq!(files[1].series("us").unwrap().points[0].value, 1.0, "the first row is of the time since boot");
        assert_eq!(files[2].series("sda aqu-sz").unwrap().points[0].value, 0.5);
        let reads = &files[3].series[0];
        assert_eq!((reads.instance.as_deref(), reads.period), (Some("1 F:"), Some(30.0)));
        assert!(files.iter().all(|f| !f.remarks.iter().any(|r| r.text.contains("skipped"))), "{files:?}");
        assert!(files[1].when.starts_with("Profile run"));
    }

    #[test]
    fn a_section_without_samples_is_told_and_the_others_stand() {
        let text = HTML.replace("04/30/26 00:00:05  9", "nothing 9").replace("04/30/26 00:00:10  0", "nothing 0");
        let files = crate::read::read("x", text.as_bytes()).unwrap();
        assert!(files[1].remarks.iter().any(|r| r.text.contains("vmstat cannot be read")), "{:?}", files[1].remarks);
        assert_eq!(files[0].series.len(), 3);
    }

    /// End of a ^pButtons page from Red Hat 6.3.
    const PUBLISHED: &str = include_str!("../../tests/data/public/pbuttons-2013.html");

    #[test]
    fn sections_within_their_headings_are_read_as_the_tools_own_outputs() {
        let files = crate::read::read("x", PUBLISHED.as_bytes()).unwrap();
        let formats: Vec<&str> = files.iter().map(|f| f.format.as_str()).collect();
        assert_eq!(formats, ["system-performance/iostat", "system-performance/sar"]);
        let volume = files[0].disks.iter().find(|d| d.name == "VxVM8000").unwrap();
        let read = volume.get(Way::Read, Quantity::Bandwidth(Statistic::Mean)).unwrap();
        assert_eq!((read.value, read.words.as_str(), read.line), (Some(22.4 * 512.0), "rsec/s 22.40", 11));
        let busy = files[1].series("dev8-0 %util").unwrap();
        assert_eq!((busy.points.len(), busy.points[0].line), (1, 17));
        assert_eq!(files[1].began, crate::text::dates::iso("2013-05-08 00:01:10"));
        let mean = files[1].disks.iter().find(|d| d.name == "dev199-9000").unwrap();
        assert_eq!(mean.value(Way::Read, Quantity::Bandwidth(Statistic::Mean)), Some(9083.44 * 512.0));
        assert!(files.iter().flat_map(|f| &f.remarks).all(|r| !r.text.contains("skipped")), "{files:?}");
    }

    #[test]
    fn reports_without_times_are_laid_on_the_profiles_interval() {
        let profile =
            "Profile run \"24hours\" started at 00:05:00 on Jun 01 2021.\nRun over 2880 intervals of 30 seconds.\n";
        let head = "avg-cpu:  %user %idle\n 1.00 99.00\nDevice: r/s w/s rkB/s wkB/s await %util\n";
        let report = |n: u32| format!("{head}sda {n}.00 0.00 4.00 0.00 1.00 1.00\n");
        let text =
            format!("{profile}<div id=iostat></div>iostat<br><pre>\n{}{}{}</pre>\n", report(1), report(2), report(3));
        let file = crate::read::read("x", text.as_bytes()).unwrap().remove(0);
        assert_eq!(file.began, crate::text::dates::iso("2021-06-01 00:05:00"));
        let reads = file.series("sda r/s").unwrap();
        let points: Vec<(f64, f64)> = reads.points.iter().map(|p| (p.at, p.value)).collect();
        assert_eq!((points, reads.period), (vec![(30.0, 2.0), (60.0, 3.0)], Some(30.0)));
        assert!(file.remarks.iter().any(|r| r.text.contains("30 s")), "{:?}", file.remarks);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..HTML.len(), gone in 0usize..30, put in "[0-9A-Za-z<>!=/., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &HTML[..at], &HTML[(at + gone).min(HTML.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
