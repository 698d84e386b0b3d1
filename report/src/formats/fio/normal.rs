//! fio's normal output: the lines before the load, a block per job or group, the totals of each group, and the disks.

use super::account::{Account, Accounts, Group, GroupWay, Steady, WAYS, Way, section_of};
use super::buckets::{CLASSES, shares};
use super::moment::Moment;
use super::number::{Unit, deviation, latency_unit, mean, short};
use super::version;
use crate::harmless;
use model::measured::{DiskUse, PriorityLatency};
use model::plan::{OtherWork, ReportSettings, SteadyOf, Unified};
use model::{LatencyHistogram, Op, RunRecord, Stage};
use std::io::{self, Write};

/// Formatting rules for quantities, which are printed twice: in the section's base (1000 or 1024) and in the other
/// base.
struct Spelling {
    digits: usize,
    binary: bool,
    rate: Unit,
}

impl Spelling {
    fn new(report: &ReportSettings) -> Spelling {
        Spelling {
            digits: report.significant_figures.clamp(1, 7) as usize,
            binary: report.kb_base.is_power_of_two(),
            rate: if report.bits { Unit::BitsPerSecond } else { Unit::BytesPerSecond },
        }
    }

    fn bytes(&self, bytes: u64) -> [String; 2] {
        [self.binary, !self.binary].map(|binary| short(bytes, self.digits, binary, Unit::Byte))
    }

    fn rate(&self, rate: u64) -> [String; 2] {
        [self.binary, !self.binary].map(|binary| short(rate, self.digits, binary, self.rate))
    }

    fn count(&self, count: u64) -> String {
        short(count, self.digits, false, Unit::None)
    }
}

/// Writes the text that fio prints before the load begins.
pub(super) fn head(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    let stages = &record.plan.stages;
    let mut at = 0;
    while at < stages.len() {
        let stage = &stages[at];
        let place = stage.place.section;
        let clones = stages[at..].iter().take_while(|s| place.is_some() && s.place.section == place).count().max(1);
        if stage.job.tuning.work.does_io() {
            job_line(record, at, out)?;
        }
        if clones > 1 || stage.job.threads > 1 {
            writeln!(out, "...")?;
        }
        at += clones;
    }
    writeln!(out, "{}", version(record))?;
    let threads: u32 = stages.iter().map(|s| s.job.threads.max(1)).sum();
    writeln!(out, "Starting {threads} thread{}", if threads == 1 { "" } else { "s" })?;
    laying_out(record, out)?;
    stages.iter().try_for_each(|stage| beside(record, stage, out))
}

/// Writes a job's work other than I/O, in fio's words; all of it is printed before the load.
fn beside(record: &RunRecord, stage: &Stage, out: &mut dyn Write) -> io::Result<()> {
    let name = harmless(&section_of(record, stage).name);
    match stage.job.tuning.work.other() {
        Some(OtherWork::Burn(burn)) => {
            let (mode, chunk) = (if burn.sorts { "qsort" } else { "noop" }, burn.chunk.as_nanos() / 1000);
            writeln!(out, "{name} ({mode}): ioengine=cpuio, cpuload={}, cpucycle={chunk}", burn.load)?;
        }
        Some(OtherWork::Program(program)) => {
            let what = harmless(&program.program);
            // printf's text for a null pointer in C.
            let none = "(null)";
            let arguments = program.arguments.as_deref().map_or(none.to_owned(), harmless);
            let expanded = program.expanded.as_deref().map_or(none.to_owned(), harmless);
            writeln!(out, "{name} : program={what}, arguments={arguments}")?;
            match program.files().map(|files| files.map(|file| harmless(&file))) {
                Some([stdout, stderr]) => {
                    writeln!(out, "{name} : Saving output of {what} {expanded} : stdout={stdout} stderr={stderr}")?
                }
                None => writeln!(out, "{name} : Running {what} {expanded}")?,
            }
        }
        None => {}
    }
    let commands = &stage.job.tuning.commands;
    let asked =
        [(&commands.before, "prerun", commands.file_before()), (&commands.after, "postrun", commands.file_after())];
    asked
        .into_iter()
        .filter(|(command, ..)| command.is_some())
        .try_for_each(|(_, when, file)| writeln!(out, "{name} : Saving output of {when} in {}", harmless(&file)))
}

fn job_line(record: &RunRecord, stage: usize, out: &mut dyn Write) -> io::Result<()> {
    let stage = &record.plan.stages[stage];
    let section = section_of(record, stage);
    let (job, workload) = (&stage.job, &stage.job.workload);
    let spelling = Spelling::new(&section.report);
    let sizes = |op: Op| {
        let sizes = workload.sizes_of(op);
        let [min, max] = [sizes.min(), sizes.max()].map(|size| spelling.bytes(size.as_u64())[0].clone());
        format!("{min}-{max}")
    };
    let [read, write, trim] = WAYS.map(sizes);
    let last = if workload.detail.block_by_order { "bs_is_seq_rand".to_owned() } else { format!("(T) {trim}") };
    let (name, group, rw) = (harmless(&section.name), section.group, workload.rw());
    let (engine, depth) = (harmless(&job.engine), job.queue_depth);
    write!(out, "{name}: (g={group}): rw={rw}, bs=(R) {read}, (W) {write}, {last}, ")?;
    writeln!(out, "ioengine={engine}, iodepth={depth}")
}

/// Writes the files that had to be created or extended, once per job, in the order of their creation.
fn laying_out(record: &RunRecord, out: &mut dyn Write) -> io::Result<()> {
    for (index, stage) in record.plan.stages.iter().enumerate() {
        let made = record.plan.layout.iter().filter(|l| !l.exists && l.write && l.stages.first() == Some(&index));
        let (files, bytes) = made.fold((0, 0u64), |(n, sum), l| (n + 1, sum.saturating_add(l.size.as_u64())));
        if files > 0 {
            let (plural, total) = if files > 1 { ("s", "total ") } else { ("", "") };
            let (name, size) = (harmless(&section_of(record, stage).name), bytes >> 20);
            writeln!(out, "{name}: Laying out IO file{plural} ({files} file{plural} / {total}{size}MiB)")?;
        }
    }
    Ok(())
}

/// Writes the text that fio prints after the load, or as a status during the run.
pub(super) fn body(record: &RunRecord, accounts: &Accounts, pid: u32, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    let now = Moment::parse(&record.started).map(|m| m.plus(record.ended.as_nanos()).ctime()).unwrap_or_default();
    for account in accounts.accounts.iter().filter(|a| a.ops() > 0) {
        block(account, accounts.group_of(account), pid, &now, out)?;
    }
    if let Some((merged, totals)) = &accounts.all {
        block(merged, totals, pid, &now, out)?;
    }
    for group in &accounts.groups {
        totals(group, out)?;
    }
    disks(super::disks_of(record), out)
}

fn block(account: &Account, group: &Group, pid: u32, now: &str, out: &mut dyn Write) -> io::Result<()> {
    let error = match account.error {
        0 => format!("{:2}", 0),
        errno => format!("{errno:2} ({})", strerror(errno)),
    };
    let host = account.host.as_ref().map(|host| format!("<{}> ", harmless(host))).unwrap_or_default();
    let (name, group_id, jobs) = (harmless(&account.name), account.group, account.members);
    writeln!(out, "{host}{name}: (groupid={group_id}, jobs={jobs}): err={error}: pid={pid}: {now}")?;
    if !account.description.is_empty() {
        writeln!(out, "  Description  : [{}]", harmless(&account.description))?;
    }
    let alone = if account.report.unified == Unified::Mixed { Some("mixed") } else { None };
    for ((way, op), totals) in account.ways.iter().zip(WAYS).zip(&group.ways) {
        // A direction without a time did no I/O.
        if way.ops > 0 && way.millis > 0 {
            direction(account, way, alone.unwrap_or(op.name()), totals.rate, out)?;
        }
    }
    if account.report.unified == Unified::Both {
        let rate = group.ways.iter().map(|w| w.rate).sum();
        direction(account, &account.mixed(), "mixed", rate, out)?;
    }
    spread(account, out)?;
    flushes(account, out)?;
    machine(account, out)
}

fn direction(account: &Account, way: &Way, name: &str, total: u64, out: &mut dyn Write) -> io::Result<()> {
    let report = &account.report;
    let spelling = Spelling::new(report);
    let [rate, other] = spelling.rate(way.rate());
    let (iops, [bytes, _], time) = (spelling.count(way.iops() as u64), spelling.bytes(way.bytes), way.millis);
    let resets = if name == "write" { format!("; {} zone resets", account.zone_resets) } else { String::new() };
    writeln!(out, "  {name}: IOPS={iops}, BW={rate} ({other})({bytes}/{time}msec){resets}")?;
    for (name, histogram) in [("slat", &way.slat), ("clat", &way.clat), (" lat", &way.lat)] {
        latency(name, histogram, out)?;
    }
    let kind = if report.lat_percentiles { "lat" } else { "clat" };
    let name_of = |p: &PriorityLatency| format!("{kind} prio {}/{}", p.priority >> 13, p.priority & 7);
    for priority in way.priorities() {
        latency(&name_of(priority), &priority.latency, out)?;
    }
    let asked = [
        (report.slat_percentiles, "slat", &way.slat),
        (report.clat_percentiles, "clat", &way.clat),
        (report.lat_percentiles, "lat", &way.lat),
    ];
    for (_, name, histogram) in asked.into_iter().filter(|(asked, ..)| *asked) {
        percentiles(name, histogram, report, out)?;
    }
    if report.clat_percentiles || report.lat_percentiles {
        let total: u64 = way.priorities().iter().map(|p| p.latency.count()).sum();
        for priority in way.priorities() {
            let share = 100.0 * priority.latency.count() as f64 / total as f64;
            let name = format!("{} ({share:.2}% of IOs)", name_of(priority));
            percentiles(&name, &priority.latency, report, out)?;
        }
    }
    samples(report, way, total, out)
}

fn latency(name: &str, histogram: &LatencyHistogram, out: &mut dyn Write) -> io::Result<()> {
    let (Some(min), Some(max)) = (histogram.min(), histogram.max()) else { return Ok(()) };
    let (mean, deviation) = (mean(histogram), deviation(histogram));
    let (divisor, unit) = latency_unit(min.as_nanos(), max.as_nanos(), deviation);
    let [min, max] = [min, max].map(|time| short(time.as_nanos() / divisor, 6, false, Unit::None));
    let (mean, deviation) = (mean / divisor as f64, deviation / divisor as f64);
    writeln!(out, "    {name} ({unit}): min={min}, max={max}, avg={mean:5.2}, stdev={deviation:5.2}")
}

fn percentiles(
    name: &str,
    histogram: &LatencyHistogram,
    report: &ReportSettings,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values: Vec<(f64, u64)> =
        report.percentiles.iter().filter_map(|p| Some((*p, histogram.quantile(p / 100.0)?.as_nanos()))).collect();
    let (Some(min), Some(max)) = (values.iter().map(|v| v.1).min(), values.iter().map(|v| v.1).max()) else {
        return Ok(());
    };
    // Unlike the line of latencies, the table does not consider the deviation.
    let (divisor, unit) = latency_unit(min, max, f64::INFINITY);
    let precision = report.percentile_precision.min(9) as usize;
    let width = ((max / divisor).max(1).ilog10() as usize + 1).max(5);
    let per_line = ((80 - 7) / (precision + 10 + width)).max(1);
    writeln!(out, "    {name} percentiles ({unit}):")?;
    let cell = |(p, ns): &(f64, u64)| {
        let (column, time) = (precision + 3, ns.div_ceil(divisor));
        format!(" {p:>column$.precision$}th=[{time:>width$}]")
    };
    let line = |chunk: &[(f64, u64)]| format!("     |{}", chunk.iter().map(cell).collect::<Vec<_>>().join(","));
    writeln!(out, "{}", values.chunks(per_line).map(line).collect::<Vec<_>>().join(",\n"))
}

fn samples(report: &ReportSettings, way: &Way, total: u64, out: &mut dyn Write) -> io::Result<()> {
    let (bw, iops) = (&way.bandwidth, &way.iops);
    if bw.count > 0 {
        let base = f64::from(report.kb_base);
        let mut factor = if report.bits { 8.0 } else { 1.0 };
        let mut large = false;
        if bw.mean * factor > base * base {
            factor /= base;
            large = true;
        }
        let unit = match (report.bits, report.kb_base.is_power_of_two(), large) {
            (true, _, true) => "Mibit",
            (false, _, true) => "MiB",
            (true, true, _) => "Kibit",
            (true, false, _) => "kbit",
            (false, true, _) => "KiB",
            (false, false, _) => "kB",
        };
        let (min, max, share) = ((bw.min * factor) as u64, (bw.max * factor) as u64, share_of(bw.mean, total));
        let (mean, deviation, n) = (bw.mean * factor, bw.deviation() * factor, bw.count);
        write!(out, "   bw ({unit:>5}/s): min={min:5}, max={max:5}, per={share:3.2}%, ")?;
        writeln!(out, "avg={mean:5.2}, stdev={deviation:5.2}, samples={n}")?;
    }
    if iops.count > 0 {
        let (min, max, n) = (iops.min as u64, iops.max as u64, iops.count);
        let (mean, deviation) = (iops.mean, iops.deviation());
        write!(out, "   iops        : min={min:5}, max={max:5}, ")?;
        writeln!(out, "avg={mean:5.2}, stdev={deviation:5.2}, samples={n}")?;
    }
    Ok(())
}

/// Returns a mean of samples (KiB/s) in percent of the group's bandwidth (bytes per second), at most 100.
pub(super) fn share_of(mean: f64, total: u64) -> f64 {
    if total > 1024 { (mean * 100.0 / (total as f64 / 1024.0)).min(100.0) } else { 100.0 }
}

fn spread(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let total = account.ops();
    spread_lines("nsec", &shares(&account.spread.nanos, total, 0.01), out)?;
    spread_lines("usec", &shares(&account.spread.micros, total, 0.01), out)?;
    spread_lines("msec", &shares(&account.spread.millis, total, 0.01), out)
}

fn spread_lines(unit: &str, shares: &[f64], out: &mut dyn Write) -> io::Result<()> {
    let shares = shares.iter().zip(CLASSES).filter(|(share, _)| **share > 0.0);
    let cells: Vec<String> = shares.map(|(share, class)| format!("{class}={share:3.2}%")).collect();
    cells.chunks(5).try_for_each(|line| writeln!(out, "  lat ({unit})   : {}", line.join(", ")))
}

fn flushes(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    if account.flush.count() == 0 {
        return Ok(());
    }
    writeln!(out, "  fsync/fdatasync/sync_file_range:")?;
    latency("sync", &account.flush, out)?;
    percentiles("sync", &account.flush, &account.report, out)
}

fn machine(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let ((user, system), usage, queue) = (account.cpu(), &account.usage, &account.queue);
    let (switches, major, minor) = (usage.switches, usage.major_faults, usage.minor_faults);
    write!(out, "  cpu          : usr={user:3.2}%, sys={system:3.2}%, ")?;
    writeln!(out, "ctx={switches}, majf={major}, minf={minor}")?;
    let batches = ["0", "4", "8", "16", "32", "64", ">=64"];
    for (name, classes, counts) in [
        ("IO depths    ", ["1", "2", "4", "8", "16", "32", ">=64"], &queue.depth),
        ("   submit    ", batches, &queue.submit),
        ("   complete  ", batches, &queue.complete),
    ] {
        let shares = shares(counts, counts.iter().sum(), 0.1);
        let cells = classes.iter().zip(shares).map(|(class, share)| format!("{class}={share:3.1}%"));
        writeln!(out, "  {name}: {}", cells.collect::<Vec<_>>().join(", "))?;
    }
    let joined = |count: fn(&Way) -> u64| account.ways.each_ref().map(|way| count(way).to_string()).join(",");
    let (total, short, flushes) = (joined(|way| way.ops), joined(|way| way.short), account.flush.count());
    writeln!(out, "     issued rwts: total={total},{flushes} short={short},0 dropped=0,0,0,0")?;
    if let Some((count, first)) = account.errors {
        writeln!(out, "     errors    : total={count}, first_error={first}/<{}>", strerror(first))?;
    }
    let (target, window, percentile, depth) = account.target;
    writeln!(out, "     latency   : target={target}, window={window}, percentile={percentile:.2}%, depth={depth}")?;
    match &account.steady {
        Some(steady) => steady_line(account, steady, out),
        None => Ok(()),
    }
}

/// Returns fio's name for the quantity that steadystate checks.
pub(super) const fn steady_name(of: SteadyOf) -> &'static str {
    match of {
        SteadyOf::Iops => "iops",
        SteadyOf::Bandwidth => "bw",
        SteadyOf::Latency => "lat",
    }
}

/// Returns the mean over the seconds of the last window; 0 if there are none.
pub(super) fn mean_of(series: &[f64]) -> f64 {
    if series.is_empty() { 0.0 } else { series.iter().sum::<f64>() / series.len() as f64 }
}

fn steady_line(account: &Account, steady: &Steady, out: &mut dyn Write) -> io::Result<()> {
    let spelling = Spelling::new(&account.report);
    let (rule, result) = (&steady.rule, &steady.result);
    let [rate, other] = spelling.rate(mean_of(&result.bandwidth) as u64);
    let attained = if result.attained { "yes" } else { "no" };
    let iops = spelling.count(mean_of(&result.iops) as u64);
    let (name, kind) = (steady_name(rule.of), if rule.slope { " slope" } else { " mean dev" });
    let (criterion, percent) = (result.criterion, if rule.percent { "%" } else { "" });
    write!(out, "  steadystate  : attained={attained}, bw={rate} ({other}), iops={iops}, ")?;
    writeln!(out, "{name}{kind}={criterion:.3}{percent}")
}

fn totals(group: &Group, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nRun status group {} (all jobs):", group.number)?;
    let spelling = Spelling::new(&group.report);
    let names = match group.report.unified {
        Unified::Mixed => ["  MIXED"; 3],
        Unified::None | Unified::Both => ["   READ", "  WRITE", "   TRIM"],
    };
    let mut mixed = GroupWay::default();
    for (way, name) in group.ways.iter().zip(names).filter(|(w, _)| w.max_millis > 0) {
        total_line(name, way, &spelling, out)?;
        mixed.add(way);
    }
    match group.report.unified {
        Unified::Both => total_line("  MIXED", &mixed, &spelling, out),
        Unified::None | Unified::Mixed => Ok(()),
    }
}

fn total_line(name: &str, way: &GroupWay, spelling: &Spelling, out: &mut dyn Write) -> io::Result<()> {
    let [[rate, rate_other], [min, min_other], [max, max_other]] =
        [way.rate, way.min_rate, way.max_rate].map(|rate| spelling.rate(rate));
    let ([io, io_other], shortest, longest) = (spelling.bytes(way.bytes), way.min_millis, way.max_millis);
    write!(out, "{name}: bw={rate} ({rate_other}), {min}-{max} ({min_other}-{max_other}), ")?;
    writeln!(out, "io={io} ({io_other}), run={shortest}-{longest}msec")
}

fn disks(disks: &[DiskUse], out: &mut dyn Write) -> io::Result<()> {
    if disks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nDisk stats (read/write):")?;
    for disk in disks {
        let indent = if disk.slaves.is_empty() { "  " } else { "    " };
        write!(out, "{indent}{}: {}", harmless(&disk.name), disk_figures(disk, ""))?;
        if !disk.slaves.is_empty() {
            write!(out, ", {}", disk_figures(&super::together(disk), "aggr"))?;
        }
        writeln!(out)?;
        for slave in &disk.slaves {
            writeln!(out, "  {}: {}", harmless(&slave.name), disk_figures(slave, ""))?;
        }
    }
    Ok(())
}

/// Formats disk counters. fio's names for the combined slaves have no separator: `aggrios`.
fn disk_figures(disk: &DiskUse, prefix: &str) -> String {
    let pairs = [("ios", disk.ops), ("merge", disk.merges), ("ticks", disk.ticks.map(super::millis))];
    let pairs = pairs.map(|(name, [read, write])| format!("{prefix}{name}={read}/{write}")).join(", ");
    let (queue, busy) = (super::millis(disk.in_queue), disk.util_percent());
    format!("{pairs}, {prefix}in_queue={queue}, {prefix}util={busy:3.2}%")
}

/// Returns the text of an errno, the same on every system; `Success` for 0.
pub(super) fn strerror(errno: i32) -> String {
    if errno == 0 {
        return "Success".to_owned();
    }
    if let Some((_, text)) = model::measured::errno_text(errno) {
        return text.to_owned();
    }
    model::text::without_error_numbers(&io::Error::from_raw_os_error(errno).to_string())
}
