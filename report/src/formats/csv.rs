//! A run as comma-separated values (RFC 4180, except that lines end with a newline only): one line for each level of
//! each workload, for each kind of operation in each wave of a database run, or for each phase of a metadata run.
//! Values are in base units; a value that was not measured is empty.

use super::run::{Format, ReportedRun, WriteComparison};
use crate::Style;
use crate::screens::comparison::write_comparison_csv;
use crate::widgets::escape::csv_field;
use model::{Judgement, Nanos, Percentile, RunRecord};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "csv",
    aliases: &[],
    help: "CSV, one line per level",
    endings: &["csv"],
    several: true,
    is_screen: false,
    write,
    write_comparison: WriteComparison::Figures(|comparison, _, out| write_comparison_csv(comparison, out)),
};

const HEAD: &str = "run,started,workload,stage,role,in_flight,held,operations,iops,iops_low,iops_high,bytes_per_s,mean_ns,p50_ns,p99_ns,\
                    p999_ns,max_ns,errors,caveats,struck";

/// Writes one table with all runs under a single header.
fn write(runs: &[ReportedRun<'_>], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    runs.iter().try_for_each(|r| write_rows(r.record, r.judgement, out))
}

fn write_rows(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let run = [csv_field(&record.id), csv_field(&record.started)].join(",");
    let time = |n: Option<Nanos>| n.map_or_else(String::new, |n| n.as_nanos().to_string());
    let at = |p: Percentile| time(p.value());
    for pattern in &judgement.patterns {
        for l in &pattern.levels {
            let interval = l.iops.ci.map_or([String::new(), String::new()], |(a, b)| [a.to_string(), b.to_string()]);
            // A level whose rate never became steady has no figures.
            let figure = |v: String| if l.steadiness.unsettled() { String::new() } else { v };
            let fields = [
                csv_field(&pattern.label),
                csv_field(&pattern.stage),
                format!("{:?}", pattern.role).to_lowercase(),
                l.concurrency().to_string(),
                u8::from(l.hold).to_string(),
                l.ops.to_string(),
                figure(l.iops.value.to_string()),
                interval[0].clone(),
                interval[1].clone(),
                figure(l.bandwidth.per_second().to_string()),
                figure(time(l.mean)),
                figure(at(l.p50)),
                figure(at(l.p99)),
                figure(at(l.p999)),
                figure(time(l.max)),
                l.errors.to_string(),
                csv_field(&l.caveats.join(" ")),
                csv_field(l.struck.as_deref().unwrap_or_default()),
            ];
            writeln!(out, "{run},{}", fields.join(","))?;
        }
    }
    for wave in judgement.database().into_iter().flat_map(|d| &d.waves) {
        for (name, f) in wave.kinds() {
            let name = name.name().trim_end_matches('s');
            let times = [time(f.mean), at(f.p50), at(f.p99), at(f.p999), time(f.max)].join(",");
            let (class, stage) = (csv_field(&wave.class), csv_field(&wave.name));
            let (count, n) = (f.count, wave.processes);
            let rate = f.rate.map(|rate| rate.per_second().to_string()).unwrap_or_default();
            writeln!(out, "{run},{class},{stage},{name},{n},0,{count},{rate},,,,{times},{},,", wave.errors)?;
        }
        for host in &wave.hosts {
            // Errors are not counted per host.
            let n = wave.jobs.iter().filter(|j| j.host == host.host).count();
            for (name, f) in host.kinds() {
                let name = name.name().trim_end_matches('s');
                let times = [time(f.mean), at(f.p50), at(f.p99), at(f.p999), time(f.max)].join(",");
                let (class, stage) = (csv_field(&wave.class), csv_field(&format!("{}@{}", wave.name, host.host)));
                let rate = f.rate.map(|rate| rate.per_second().to_string()).unwrap_or_default();
                writeln!(out, "{run},{class},{stage},{name},{n},0,{},{rate},,,,{times},,,", f.count)?;
            }
        }
    }
    for of in judgement.durability().into_iter().flat_map(|d| &d.commits) {
        let times = [time(of.mean), at(of.p50), at(of.p99), at(of.p999), time(of.max)].join(",");
        let (label, method, rate) = (of.rule, of.rule.method, of.rate.per_second());
        let kind = if of.rule.apart { "sync" } else { "commit" };
        writeln!(out, "{run},{label},{method},{kind},1,0,{},{rate},,,,{times},{},,", of.commits, of.errors)?;
    }
    for (figures, of) in judgement.metadata().into_iter().flat_map(|m| m.phases.iter().map(move |of| (m, of))) {
        let times = [time(of.all.mean), at(of.all.p50), at(of.all.p99), at(of.all.p999), time(of.all.max)].join(",");
        let (label, shape, phase, rate) = (of.label(), of.shape.name(), of.phase.name(), of.all.rate.per_second());
        let threads = figures.threads;
        writeln!(
            out,
            "{run},{label},{shape},{phase},{threads},0,{},{rate},,,,{times},{},,",
            of.all.files, of.all.errors
        )?;
        let threads = threads as usize / figures.hosts.len().max(1);
        for (host, name) in of.hosts.iter().zip(&figures.hosts) {
            let times = [time(host.mean), at(host.p50), at(host.p99), at(host.p999), time(host.max)].join(",");
            let (label, rate, files) = (csv_field(&format!("{label}@{name}")), host.rate.per_second(), host.files);
            writeln!(out, "{run},{label},{shape},{phase},{threads},0,{files},{rate},,,,{times},{},,", host.errors)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_line_has_the_fields_of_the_head() {
        let (record, judgement) = fixture::capped();
        let mut out = Vec::new();
        let labels = model::Labels::default();
        let run = ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels };
        write(&[run, run], &Style::default(), &mut out).expect("memory takes it");
        let text = String::from_utf8(out).expect("UTF-8");
        let levels: usize = judgement.patterns.iter().map(|p| p.levels.len()).sum();
        assert_eq!(text.lines().count(), 2 * levels + 1);
        // No text in this run contains a comma.
        assert!(text.lines().all(|l| l.split(',').count() == HEAD.split(',').count()), "{text}");
    }
}
