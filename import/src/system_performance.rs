//! HTML of InterSystems ^SystemPerformance (^pButtons), and of others that write its marks: a document for each section.
//!
//! Sections: mgstat and vmstat between comments, iostat from its `div` to the next, perfmon to its comment (`field.md` 4.5).

use crate::figure;
use crate::source::{Nothing, remark};
use crate::table::{Clock, date_order, date_time, point, series, usual_periods};
use crate::{Format, ImportError, Source, iostat, mgstat, typeperf};
use messages::sentence;
use model::{ForeignFile, ForeignSeries};

pub(crate) const FORMAT: Format = Format {
    name: "system-performance",
    about: "HTML of ^SystemPerformance and ^pButtons: mgstat, vmstat, iostat, perfmon in it",
    recognise,
    read,
};

/// Sections, what begins and what ends them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Mgstat,
    Vmstat,
    Iostat,
    Perfmon,
}

const SECTIONS: [Section; 4] = [Section::Mgstat, Section::Vmstat, Section::Iostat, Section::Perfmon];

impl Section {
    fn name(self) -> &'static str {
        match self {
            Section::Mgstat => "mgstat",
            Section::Vmstat => "vmstat",
            Section::Iostat => "iostat",
            Section::Perfmon => "perfmon",
        }
    }

    fn begins(self, line: &str) -> bool {
        match self {
            Section::Mgstat => line.contains("<!-- beg_mgstat -->"),
            Section::Vmstat => line.contains("<!-- beg_vmstat -->"),
            Section::Iostat => line.contains("<div id=iostat") || line.contains("<div id=\"iostat"),
            Section::Perfmon => line.contains("<div id=perfmon") || line.contains("<div id=\"perfmon"),
        }
    }

    fn ends(self, line: &str) -> bool {
        match self {
            Section::Mgstat => line.contains("<!-- end_mgstat -->"),
            Section::Vmstat => line.contains("<!-- end_vmstat -->"),
            Section::Iostat => line.contains("<div") || line.contains("</pre>"),
            Section::Perfmon => line.contains("<!-- end_win_perfmon -->"),
        }
    }
}

fn recognise(source: &Source<'_>) -> bool {
    let text = source.text();
    SECTIONS.iter().any(|s| s.begins(text))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut open: Option<Section> = None;
    let mut parts: Vec<(Section, Vec<(u32, &str)>)> = Vec::new();
    let mut profile = String::new();
    for (number, line) in source.lines()? {
        if number % 4096 == 0 {
            source.in_time()?;
        }
        if profile.is_empty() && line.contains("Profile run") {
            profile = text_of(line).trim().to_owned();
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
        let mut file =
            ForeignFile { format: format!("system-performance/{}", section.name()), ..ForeignFile::default() };
        file.tool = section.name().to_owned();
        match section_read(section, &lines, &mut file, source) {
            Ok(()) => {
                if file.when.is_empty() {
                    file.when.clone_from(&profile);
                }
                files.push(file);
            }
            // One section that was not collected does not spoil the others.
            Err(Nothing(why)) => {
                let line = lines.first().map_or(0, |(n, _)| *n);
                let text = sentence!("import-section-unread", section = section.name(), why);
                file.remarks.push(remark(line, text));
                files.push(file);
            }
        }
    }
    if files.iter().all(|f| f.series.is_empty() && f.disks.is_empty()) {
        return Err(ImportError("it has marks of ^SystemPerformance and no samples".to_owned()));
    }
    Ok(files)
}

fn section_read(
    section: Section,
    lines: &[(u32, &str)],
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    let in_time = || source.in_time();
    // The name of the section stands before its lines.
    let lines = lines.iter().copied().filter(|(_, l)| l.trim() != section.name());
    match section {
        Section::Mgstat => {
            let (order, _) = date_order(lines.clone().filter_map(|(_, l)| l.split(',').next()));
            mgstat::rows(lines, order, file, in_time)
        }
        Section::Vmstat => vmstat(lines, file, in_time),
        Section::Iostat => iostat::rows(lines, file, in_time),
        Section::Perfmon => typeperf::rows(lines, file, in_time),
    }
}

/// A line without its tags and comments.
fn text_of(line: &str) -> &str {
    let mut text = line.trim_end();
    // Tags stand before and behind what counts, never inside.
    while let Some(rest) = text.trim_start().strip_prefix('<') {
        let Some(end) = rest.find('>') else { break };
        text = &rest[end + 1..];
        // `<div id=mgstat></div>mgstat<br><pre>`: the heading goes with its tags.
        if let Some(next) = text.find('<')
            && text[..next].bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ')
        {
            text = &text[next..];
        }
    }
    match text.rfind("</pre>").or_else(|| text.rfind("<br>")) {
        Some(end) if text[end..].ends_with('>') => &text[..end],
        _ => text,
    }
}

/// `04/30/26 00:00:05  0  0  0 100000 ...` below a header with `us sy id wa`.
fn vmstat<'a>(
    lines: impl Iterator<Item = (u32, &'a str)> + Clone,
    file: &mut ForeignFile,
    in_time: impl Fn() -> Result<(), ImportError>,
) -> Result<(), Nothing> {
    let (order, _) = date_order(lines.clone().filter_map(|(_, l)| l.split_ascii_whitespace().next()));
    let mut clock = Clock::default();
    let mut names: Vec<&str> = Vec::new();
    let mut list: Vec<ForeignSeries> = Vec::new();
    for (number, line) in lines {
        if number % 4096 == 0 {
            in_time()?;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.contains(&"us") && words.contains(&"id") {
            let from = words.iter().position(|w| *w == "r").unwrap_or(0);
            names = words[from..].to_vec();
            continue;
        }
        let time = words.get(..2).and_then(|w| date_time(w[0], w[1], order));
        let Some(time) = time.filter(|_| words.len() == names.len() + 2) else { continue };
        let at = clock.at(time, number, &mut file.remarks);
        if list.is_empty() {
            list = names.iter().map(|n| series(n, vmstat_unit(n), None)).collect();
        }
        for (series, word) in list.iter_mut().zip(&words[2..]) {
            if let Some(value) = figure::whole(word) {
                point(series, at, value.value, number);
            }
        }
    }
    if list.is_empty() {
        return Err(Nothing(sentence!("import-vmstat-empty")));
    }
    file.began = clock.began();
    file.series.extend(list);
    usual_periods(file);
    Ok(())
}

fn vmstat_unit(name: &str) -> &'static str {
    match name {
        "us" | "sy" | "id" | "wa" | "st" | "gu" => "%",
        "bi" | "bo" | "si" | "so" => "KiB/s",
        "swpd" | "free" | "buff" | "cache" => "KiB",
        "in" | "cs" => "1/s",
        _ => "1",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    const HTML: &str = "<html><head><title>t</title></head>\n<a id=\"Topofpage\"></a>\n\
        Profile run \"test\" started by user \"u\" at 00:00:00 on Jan 13 2026.\n\
        <div id=mgstat></div>mgstat<br><pre>\n<!-- beg_mgstat -->\n\
        Date,     Time,      Glorefs, PhyRds, PhyWrs\n01/13/26, 00:00:05, 100, 5, 2\n01/13/26, 00:00:10, 200, 6, 64\n<!-- end_mgstat -->\n\
        <div id=vmstat></div>vmstat<br><pre>\n<!-- beg_vmstat -->\n\
        04/30/26 00:00:00  r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
        04/30/26 00:00:05  0  0      0 100000      0      0    0    0     0     0    0    0  1  0 99  0  0\n<!-- end_vmstat -->\n\
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
        let files = crate::read("x", HTML.as_bytes()).unwrap();
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
        assert_eq!(files[1].series("us").unwrap().points[0].value, 1.0);
        assert_eq!(files[2].series("sda aqu-sz").unwrap().points[0].value, 0.5);
        let reads = &files[3].series[0];
        assert_eq!((reads.instance.as_deref(), reads.period), (Some("1 F:"), Some(30.0)));
        assert!(files.iter().all(|f| !f.remarks.iter().any(|r| r.text.contains("passed over"))), "{files:?}");
        assert!(files[1].when.starts_with("Profile run"));
    }

    #[test]
    fn a_section_without_samples_is_told_and_the_others_stand() {
        let text = HTML.replace("04/30/26 00:00:05  0", "nothing 0");
        let files = crate::read("x", text.as_bytes()).unwrap();
        assert!(files[1].remarks[0].text.contains("vmstat is not read"));
        assert_eq!(files[0].series.len(), 3);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..HTML.len(), gone in 0usize..30, put in "[0-9A-Za-z<>!=/., \\n-]{0,12}") {
            let text = format!("{}{put}{}", &HTML[..at], &HTML[(at + gone).min(HTML.len())..]);
            let _ = crate::read("x", text.as_bytes());
        }
    }
}
