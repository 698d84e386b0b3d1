//! A mark in the layout of CrystalDiskMark 8's text, for forums that expect it.
//!
//! The lines of figures use CrystalDiskMark's own format (`GetResultString` of its `DiskMarkDlg.cpp`):
//! `  SEQ %4dMiB (Q=%3d, T=%2d): %9.3f MB/s [%9.1f IOPS] <%9.2f us>`. As in CrystalDiskMark, figures are those of the
//! best loop, and the latency is its mean. The header names secchi; the lines below the figures list doubts, which
//! CrystalDiskMark does not have.

use super::{Cell, Mark};
use crate::{Style, harmless};
use model::plan::{MarkDirection, MarkTest};
use model::{Bytes, Nanos, RunState, Severity};
use std::io::{self, Write};

/// Width of the horizontal rules, in columns.
const WIDTH: usize = 78;

pub(super) fn write(mark: &Mark, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rule = "-".repeat(WIDTH);
    let best = if mark.loops == 1 { "of one loop".to_owned() } else { format!("best of {} loops", mark.loops) };
    let layout = format!("layout of CrystalDiskMark 8; figures: {best}");
    writeln!(out, "{rule}\nsecchi {} mark\n{layout:>WIDTH$}\n{rule}", harmless(&mark.tool))?;
    writeln!(out, "* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]")?;
    writeln!(out, "* KB = 1000 bytes, KiB = 1024 bytes\n")?;
    for direction in &mark.directions {
        writeln!(out, "{}", heading(*direction))?;
        for (test, cell) in mark.in_direction(*direction) {
            writeln!(out, "{}", line(test, cell))?;
        }
        writeln!(out)?;
    }
    foot(mark, out)
}

fn heading(direction: MarkDirection) -> String {
    match direction {
        MarkDirection::Read => "[Read]".to_owned(),
        MarkDirection::Write => "[Write]".to_owned(),
        MarkDirection::Mix(reads) => format!("[Mix] Read {reads}%/Write {}%", 100 - reads),
    }
}

/// Formats a line of figures; a test that did not run has zeros, as in CrystalDiskMark.
fn line(test: MarkTest, cell: &Cell) -> String {
    let best = cell.best();
    let mb = best.map_or(0.0, |b| b.rate.mb());
    let iops = best.map_or(0.0, |b| b.iops.per_second());
    let latency = best.and_then(|b| b.mean).map_or(0.0, Nanos::micros);
    let (kind, size, queues, threads) = (test.kind(), size(test.block), test.queues, test.threads);
    let load = format!("{kind} {size:>7} (Q={queues:>3}, T={threads:>2})");
    format!("  {load}: {mb:>9.3} MB/s [{iops:>9.1} IOPS] <{latency:>9.2} us>")
}

/// Formats a block size as `1MiB`, `4KiB` or `512B`.
fn size(block: Bytes) -> String {
    match block.as_u64() {
        b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{}MiB", b >> 20),
        b if b.is_multiple_of(1 << 10) => format!("{}KiB", b >> 10),
        b => format!("{b}B"),
    }
}

fn foot(mark: &Mark, out: &mut dyn Write) -> io::Result<()> {
    let used = mark.used.map_or_else(String::new, |(used, all)| {
        let gib = |b: Bytes| (b.as_u64() as f64 / f64::from(1 << 30)).round();
        format!(": {:.0}% ({}/{}GiB)", used.as_u64() as f64 * 100.0 / all.as_u64() as f64, gib(used), gib(all))
    });
    writeln!(out, "Profile: {}", mark.profile)?;
    writeln!(out, "   Test: {} (x{}) [{}{used}]", mark.size, mark.loops, harmless(&mark.place))?;
    let cache = if mark.direct { "direct" } else { "through the page cache" };
    let zero = if mark.zero { " <0Fill>" } else { "" };
    writeln!(out, "   Mode: {cache}, {}{zero}", harmless(&mark.engine))?;
    let (time, interval) = (crate::marks::seconds(mark.time), crate::marks::seconds(mark.interval));
    writeln!(out, "   Time: Measure {time} sec / Interval {interval} sec")?;
    let (date, time) = mark.moment();
    writeln!(out, "   Date: {} {}", harmless(&date.replace('-', "/")), harmless(time))?;
    writeln!(out, "     OS: {}", harmless(&mark.kernel))?;
    let device = mark.device.as_ref().map_or_else(String::new, |d| format!(", {d}"));
    writeln!(out, "Comment: {}", harmless(&format!("{}{device}", mark.storage)))?;
    if let Some(sum) = mark.sum_of() {
        writeln!(out, "  Hosts: {}", harmless(&sum))?;
    }
    for (what, told) in mark.by_host() {
        writeln!(out, "         {}", harmless(&format!("{what}: {told}")))?;
    }
    if mark.state != RunState::Complete {
        writeln!(out, "  Trust: incomplete: {}", harmless(&mark.verdict()))?;
    }
    for doubt in mark.doubts.iter().filter(|d| d.severity > Severity::Note) {
        let word = if doubt.severity == Severity::Invalid { "not valid" } else { "doubt" };
        writeln!(out, "  Trust: {word}: {}", harmless(&doubt.line()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testkit::{doubted, marked, written};
    use super::*;
    use crate::formats::mark::Loop;
    use model::{BytesPerSecond, Iops, Nanos};

    #[test]
    fn the_text_people_paste() {
        insta::assert_snapshot!(written("text", &marked()));
        insta::assert_snapshot!(written("text", &doubted()));
    }

    #[test]
    fn a_line_of_figures_is_crystaldiskmarks_byte_for_byte() {
        // From a published text of CrystalDiskMark 8.0.4.
        let cases = [
            (
                "SEQ1M-Q8T1",
                384.064,
                366.3,
                21765.43,
                "  SEQ    1MiB (Q=  8, T= 1):   384.064 MB/s [    366.3 IOPS] < 21765.43 us>",
            ),
            (
                "SEQ128K-Q32T1",
                7429.732,
                56684.4,
                546.67,
                "  SEQ  128KiB (Q= 32, T= 1):  7429.732 MB/s [  56684.4 IOPS] <   546.67 us>",
            ),
            (
                "RND4K-Q32T16",
                4094.649,
                999_670.2,
                494.56,
                "  RND    4KiB (Q= 32, T=16):  4094.649 MB/s [ 999670.2 IOPS] <   494.56 us>",
            ),
        ];
        for (test, mb, iops, us, wanted) in cases {
            let one = Loop {
                rate: BytesPerSecond(mb * 1e6),
                iops: Iops(iops),
                mean: Some(Nanos((us * 1e3) as u64)),
                ..marked().rows[0].cells[0].loops[0].clone()
            };
            let cell = Cell { direction: MarkDirection::Read, planned: 1, loops: vec![one] };
            assert_eq!(line(test.parse().unwrap(), &cell), wanted);
        }
    }
}
