//! A watch as a page with the markers of InterSystems' SystemPerformance, so that its readers (yaspe) can chart it:
//! `Profile run`, `beg_vmstat`, `div id=iostat` with the columns of `iostat -x` (sysstat 12).
//!
//! Values that were not sampled are omitted rather than invented, so there is no mgstat and there are no memory
//! columns. All numbers come from the run.

use super::processes::names;
use crate::widgets::escape::escape_xml;
use model::{Nanos, RunRecord};
use std::io::{self, Write};

/// Function that formats a time: the date as `MM/DD/YYYY`, the time as `HH:MM:SS`.
pub type Wall<'a> = &'a dyn Fn(Nanos) -> (String, String);

/// Writes the page. `profile` is the start of the run in readable form: `22:10:00 on Nov 21 2026`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_html(record: &RunRecord, profile: &str, wall: Wall<'_>, out: &mut dyn Write) -> io::Result<()> {
    let host = &record.preflight.host;
    let seconds = record.plan.watch().map_or(0.0, |w| w.interval.secs());
    let watched = record.plan.shown_target();
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">")?;
    writeln!(out, "<title>secchi watch: {}</title>\n</head>\n<body>", escaped(&watched))?;
    writeln!(out, "<h1>secchi watch of {}</h1>\n<pre>", escaped(&watched))?;
    writeln!(out, "secchi on machine {}", escaped(&host.hostname))?;
    // Programs that read the page detect the operating system from this line.
    writeln!(out, "Product Version String: secchi {} for {}", escaped(&record.tool), escaped(&host.kernel))?;
    writeln!(out, "Profile run \"secchi watch\" started at {}.", escaped(profile))?;
    writeln!(out, "Run over {} intervals of {seconds} seconds.", record.stretches().len())?;
    writeln!(out, "numberofcpus={}:", host.cpus)?;
    writeln!(out, "run {}\n</pre>", escaped(&record.id))?;
    vmstat(record, wall, out)?;
    iostat(record, wall, out)?;
    writeln!(out, "</body>\n</html>")
}

/// Returns the value of a series at a given time.
fn at(record: &RunRecord, name: &str, when: Nanos) -> Option<f64> {
    let points = &record.series(name)?.points;
    points.binary_search_by_key(&when, |p| p.0).ok().map(|i| points[i].1)
}

/// Returns user (including nice), system, waiting, stolen and idle time, in percent.
fn cpu_shares(record: &RunRecord, when: Nanos) -> Option<[f64; 5]> {
    let value = |name: &str| at(record, name, when);
    let (user, system) = value("cpu.user").zip(value("cpu.system"))?;
    let (wait, stolen) = (value("cpu.iowait").unwrap_or(0.0), value("cpu.steal").unwrap_or(0.0));
    Some([user, system, wait, stolen, (100.0 - user - system - wait - stolen).max(0.0)])
}

fn vmstat(record: &RunRecord, wall: Wall<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<div id=vmstat>\n<pre>\n<!-- beg_vmstat -->\nDate Time r b us sy id wa st")?;
    for (when, _) in record.stretches() {
        let Some([user, system, wait, stolen, idle]) = cpu_shares(record, when) else { continue };
        let [running, blocked] = ["cpu.running", "cpu.blocked"].map(|name| at(record, name, when).unwrap_or(0.0));
        let (date, time) = wall(when);
        write!(out, "{date} {time} {running:.0} {blocked:.0} ")?;
        writeln!(out, "{user:.0} {system:.0} {idle:.0} {wait:.0} {stolen:.0}")?;
    }
    writeln!(out, "<!-- end_vmstat -->\n</pre>\n</div>")
}

const IOSTAT: &str = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm \
                      w_await wareq-sz     d/s     dkB/s d_await     f/s f_await  aqu-sz  %util";

fn iostat(record: &RunRecord, wall: Wall<'_>, out: &mut dyn Write) -> io::Result<()> {
    let devices = names(record.series.iter().map(|s| &s.name), "device");
    writeln!(out, "<div id=iostat>\n<pre>")?;
    for (when, _) in record.stretches() {
        let (date, time) = wall(when);
        writeln!(out, "{date} {time}")?;
        if let Some(shares) = cpu_shares(record, when) {
            let [user, system, wait, stolen, idle] = shares.map(|v| format!("{v:7.2}"));
            writeln!(out, "avg-cpu:   %user %system %iowait  %steal   %idle")?;
            writeln!(out, "          {user} {system} {wait} {stolen} {idle}\n")?;
        }
        writeln!(out, "{IOSTAT}")?;
        for name in &devices {
            let value = |what: &str| at(record, &format!("device.{name}.{what}"), when).unwrap_or(0.0);
            // A missing device has no line, as in iostat.
            if at(record, &format!("device.{name}.read_ops"), when).is_none() {
                continue;
            }
            write!(out, "{:<12}", escaped(name).replace(char::is_whitespace, "_"))?;
            for op in ["read", "write"] {
                let (ops, merged) = (value(&format!("{op}_ops")), value(&format!("{op}_merged")));
                let share = if merged > 0.0 { 100.0 * merged / (merged + ops) } else { 0.0 };
                let (kib, wait) = (value(op) / 1024.0, value(&format!("{op}_await")));
                let size = value(&format!("{op}_size")) / 1024.0;
                write!(out, " {ops:8.2} {kib:9.2} {merged:8.2} {share:6.2} {wait:7.2} {size:8.2}")?;
            }
            let [discards, wait] = ["discard_ops", "discard_await"].map(value);
            write!(out, " {discards:7.2} {:9.2} {wait:7.2}", value("discard") / 1024.0)?;
            let [flushes, wait, queue, busy] = ["flush_ops", "flush_await", "queue", "busy"].map(value);
            writeln!(out, " {flushes:7.2} {wait:7.2} {queue:7.2} {busy:6.2}")?;
        }
        writeln!(out)?;
    }
    // Programs that read the page treat everything up to the next `<div` as rows of devices.
    writeln!(out, "</pre><div></div>\n</div>")
}

/// Escapes untrusted text for one line of HTML.
fn escaped(text: &str) -> String {
    escape_xml(&crate::harmless(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::watch::testkit::watched;

    fn page(record: &RunRecord) -> String {
        let mut out = Vec::new();
        let wall = |at: Nanos| ("11/21/2026".to_owned(), format!("22:10:{:02.0}", at.secs()));
        write_html(record, "22:10:00 on Nov 21 2026", &wall, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_page_has_the_markers_that_readers_of_systemperformance_look_for() {
        let page = page(&watched().0);
        let run = page.lines().find(|l| l.contains("Profile run ")).unwrap();
        assert_eq!(run.split("on ").nth(1), Some("Nov 21 2026."), "what follows the first `on ` is the day");
        for marker in ["<!-- beg_vmstat -->", "<!-- end_vmstat -->", "id=iostat", " us sy id wa", "Version String: "] {
            assert!(page.contains(marker), "{marker}");
        }
        let (_, columns) = page.lines().find(|l| l.contains("us sy id wa")).and_then(|l| l.split_once(" r ")).unwrap();
        let row = page.lines().find(|l| l.starts_with("11/21/2026 22:10:03 ")).unwrap();
        assert_eq!(row.split_whitespace().count(), 3 + columns.split_whitespace().count());
        assert!(page.lines().skip_while(|l| !l.contains("id=iostat")).any(|l| l.starts_with("</pre><div")));
        let at = page.lines().position(|l| l == "11/21/2026 22:10:02").unwrap();
        let mut after = page.lines().skip(at + 1);
        assert!(after.next().is_some_and(|l| l.starts_with("avg-cpu:")));
        let rows: Vec<&str> = after.skip_while(|l| !l.starts_with("Device ")).take(3).collect();
        let columns = rows[0].split_whitespace().count();
        assert!(rows[0].starts_with("Device ") && rows.iter().all(|r| r.split_whitespace().count() == columns));
        assert!(rows[1].starts_with("vdb"), "{rows:?}");
    }

    #[test]
    fn a_name_made_by_somebody_else_brings_no_element() {
        let mut record = watched().0;
        record.preflight.host.hostname = "<script>alert(1)</script>".into();
        for series in &mut record.series {
            series.name = series.name.replace("vdb", "v\"b><img src=x onerror=alert(1)>");
        }
        let page = page(&record);
        assert!(!page.contains("<script") && !page.contains("<img") && page.contains("&lt;script"));
    }
}
