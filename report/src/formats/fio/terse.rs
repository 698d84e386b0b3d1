//! fio's terse lines: one per job or group, fields separated by `;`, versions 2 to 5. Latencies are in microseconds.

use super::account::{Account, Accounts, Group, Way};
use super::buckets::shares;
use super::number::{deviation, mean};
use super::{millis, together, version};
use crate::harmless;
use model::measured::{DiskUse, Samples};
use model::plan::{ReportSettings, Unified};
use model::{LatencyHistogram, RunRecord};
use std::io::{self, Write};

/// Number of percentiles in a line.
const PERCENTILES: usize = 20;

pub(super) fn write(record: &RunRecord, accounts: &Accounts, number: u8, out: &mut dyn Write) -> io::Result<()> {
    for account in &accounts.accounts {
        let line = Line { number, fields: Vec::new() };
        writeln!(out, "{}", line.format_account(record, account, accounts.group_of(account)))?;
    }
    Ok(())
}

struct Line {
    number: u8,
    fields: Vec<String>,
}

impl Line {
    fn add(&mut self, value: impl std::fmt::Display) {
        self.fields.push(value.to_string());
    }

    fn format_account(mut self, record: &RunRecord, account: &Account, group: &Group) -> String {
        self.add(self.number);
        if self.number > 2 {
            self.add(version(record));
        }
        self.add(field(&account.name));
        self.add(account.group);
        self.add(account.error);
        let report = &account.report;
        let shown = match (report.unified, self.number) {
            (Unified::Mixed, _) => 1,
            (_, 3) => 2,
            _ => 3,
        };
        for (way, total) in account.ways.iter().zip(&group.ways).take(shown) {
            self.direction(report, way, total.rate);
        }
        if report.unified == Unified::Both {
            self.direction(report, &account.mixed(), group.ways.iter().map(|w| w.rate).sum());
        }
        self.machine(account);
        if self.number >= 3 {
            super::disks_of(record).iter().for_each(|disk| self.disk(disk));
        }
        if let Some((count, first)) = account.errors {
            self.add(count);
            self.add(first);
        }
        let mut line = self.fields.join(";");
        if !account.description.is_empty() {
            // Version 2 puts it on a separate line.
            line.push_str(if self.number == 2 { "\n;" } else { ";" });
            line.push_str(&field(&account.description));
        }
        line
    }

    fn direction(&mut self, report: &ReportSettings, way: &Way, total: u64) {
        self.add(way.bytes >> 10);
        self.add(way.rate() / 1024);
        self.add(way.iops() as u64);
        self.add(way.millis);
        self.latency(&way.slat);
        self.latency(&way.clat);
        let shown = if report.lat_percentiles { Some(&way.lat) } else { report.clat_percentiles.then_some(&way.clat) };
        for i in 0..PERCENTILES {
            match (shown, report.percentiles.get(i)) {
                (Some(histogram), Some(p)) => {
                    let ns = histogram.quantile(p / 100.0).map_or(0, |n| n.as_nanos());
                    self.add(format_args!("{p:.6}%={}", ns / 1000));
                }
                _ => self.add("0%=0"),
            }
        }
        self.latency(&way.lat);
        self.bandwidth(&way.bandwidth, total);
        if self.number == 5 {
            self.add(way.bandwidth.count);
            let iops = &way.iops;
            self.add(iops.min as u64);
            self.add(iops.max as u64);
            self.add(format_args!("{:.6}", iops.mean));
            self.add(format_args!("{:.6}", iops.deviation()));
            self.add(iops.count);
        }
    }

    fn latency(&mut self, histogram: &LatencyHistogram) {
        self.add(histogram.min().map_or(0, |n| n.as_nanos() / 1000));
        self.add(histogram.max().map_or(0, |n| n.as_nanos() / 1000));
        self.add(format_args!("{:.6}", mean(histogram) / 1000.0));
        self.add(format_args!("{:.6}", deviation(histogram) / 1000.0));
    }

    fn bandwidth(&mut self, bw: &Samples, total: u64) {
        let share = match (bw.count, total / 1024) {
            (0, _) => 0.0,
            (_, 0) => 100.0,
            (_, kib) => (bw.mean * 100.0 / kib as f64).min(100.0),
        };
        self.add(bw.min as u64);
        self.add(bw.max as u64);
        self.add(format_args!("{share:.6}%"));
        self.add(format_args!("{:.6}", bw.mean));
        self.add(format_args!("{:.6}", bw.deviation()));
    }

    fn machine(&mut self, account: &Account) {
        let (user, system) = account.cpu();
        self.add(format_args!("{user:.6}%"));
        self.add(format_args!("{system:.6}%"));
        self.add(account.usage.switches);
        self.add(account.usage.major_faults);
        self.add(account.usage.minor_faults);
        for share in shares(&account.queue.depth, account.queue.depth.iter().sum(), 0.1) {
            self.add(format_args!("{share:3.1}%"));
        }
        // The layout has no classes of nanoseconds: their counts are added to the lowest class of microseconds.
        let (spread, total) = (&account.spread, account.ops());
        let mut micros = shares(&spread.micros, total, 0.01);
        if total > 0 {
            micros[0] += 100.0 * spread.nanos.iter().sum::<u64>() as f64 / total as f64;
        }
        for share in micros.into_iter().chain(shares(&spread.millis, total, 0.01)) {
            self.add(format_args!("{share:3.2}%"));
        }
    }

    fn disk(&mut self, disk: &DiskUse) {
        self.disk_fields(&field(&disk.name), disk);
        if !disk.slaves.is_empty() {
            self.disk_fields("slaves", &together(disk));
        }
        for slave in &disk.slaves {
            self.disk_fields(&field(&slave.name), slave);
        }
    }

    fn disk_fields(&mut self, name: &str, disk: &DiskUse) {
        self.add(name);
        let [ticks, write_ticks] = disk.ticks.map(millis);
        let [read, write] = disk.ops;
        for n in [read, write, disk.merges[0], disk.merges[1], ticks, write_ticks, millis(disk.in_queue)] {
            self.add(n);
        }
        self.add(format_args!("{:3.2}%", disk.util_percent()));
    }
}

/// Returns untrusted text as a field: a `;` in it would shift all fields after it.
fn field(text: &str) -> String {
    harmless(text).replace(';', ",")
}
