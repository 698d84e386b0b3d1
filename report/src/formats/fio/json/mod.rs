//! fio's JSON document, without and with histograms (`json+`). Fields, their order and their types match fio 3.33.

mod value;

use super::account::{Account, Accounts, Group, WAYS, Way};
use super::buckets::{CLASSES, counts, shares, value_of};
use super::moment::Moment;
use super::normal::{mean_of, share_of, steady_name};
use super::number::{deviation, mean};
use super::{disks_of, millis, together, version};
use crate::grouping::grouped;
use model::measured::{DiskUse, PriorityLatency};
use model::{LatencyHistogram, RunRecord, plan::Unified};
use value::Value;

/// Returns the whole document. `bins` adds the histograms.
pub(super) fn document(record: &RunRecord, accounts: &Accounts, bins: bool) -> Value {
    let moment = Moment::parse(&record.started).map(|m| m.plus(record.ended.as_nanos()));
    let mut fields = vec![
        ("fio version".to_owned(), Value::text(&version(record))),
        ("timestamp".to_owned(), Value::Whole(moment.map_or(0, Moment::seconds))),
        ("timestamp_ms".to_owned(), Value::Whole(moment.map_or(0, |m| m.millis))),
        ("time".to_owned(), Value::Text(moment.map(Moment::ctime).unwrap_or_default())),
    ];
    // The global options that apply to the last section; they are complete, because `[global]` sections only add
    // options.
    let globals = record.plan.sections().last().map(|s| &s.globals).filter(|g| !g.is_empty());
    let elapsed = record.ended.as_nanos().div_ceil(1_000_000_000);
    let mut jobs: Vec<Value> = accounts.accounts.iter().map(|a| job(a, accounts.group_of(a), elapsed, bins)).collect();
    // For a run on many hosts the document is the one that fio's client writes.
    if let Some((merged, totals)) = &accounts.all {
        jobs.push(job(merged, totals, elapsed, bins));
        let hosts = record.preflight.ranks.iter().map(|rank| {
            let mut fields = globals.map(|g| option_fields(g)).unwrap_or_default();
            fields.extend(host(&rank.name).map(|(name, value)| (name.to_owned(), value)));
            Value::Object(fields)
        });
        fields.push(("global options".to_owned(), Value::List(hosts.collect())));
        fields.push(("client_stats".to_owned(), Value::List(jobs)));
    } else {
        fields.extend(globals.map(|globals| ("global options".to_owned(), options(globals))));
        fields.push(("jobs".to_owned(), Value::List(jobs)));
    }
    let disks: Vec<Value> =
        disks_of(record).iter().flat_map(|d| std::iter::once(d).chain(&d.slaves)).map(disk).collect();
    if !disks.is_empty() {
        fields.push(("disk_util".to_owned(), Value::List(disks)));
    }
    Value::Object(fields)
}

/// Converts options to an object; if an option was given twice, its last value applies.
fn options(options: &[(String, String)]) -> Value {
    Value::Object(option_fields(options))
}

fn option_fields(options: &[(String, String)]) -> Vec<(String, Value)> {
    let last = |(name, values): (&String, Vec<&String>)| Some((name.clone(), Value::text(values.last()?)));
    grouped(options.iter().map(|(name, value)| (name, value))).into_iter().filter_map(last).collect()
}

/// Returns the fields by which fio's client identifies a host. The port is 0, because no server listens.
fn host(name: &str) -> [(&'static str, Value); 2] {
    [("hostname", Value::text(name)), ("port", Value::Whole(0))]
}

fn job(account: &Account, group: &Group, elapsed: u64, bins: bool) -> Value {
    let mut fields: Vec<(&str, Value)> = vec![
        ("jobname", Value::text(&account.name)),
        ("groupid", Value::whole(account.group.into())),
        ("error", Value::Whole(account.error.into())),
        ("eta", Value::Whole(0)),
        ("elapsed", Value::whole(elapsed)),
        ("job options", options(&account.options)),
    ];
    if account.report.unified == Unified::Mixed {
        fields.push(("mixed", direction(account, &account.ways[0], group.ways[0].rate, bins)));
    } else {
        for ((way, op), total) in account.ways.iter().zip(WAYS).zip(&group.ways) {
            fields.push((op.name(), direction(account, way, total.rate, bins)));
        }
        fields.push(("sync", flushes(account, bins)));
    }
    if account.report.unified == Unified::Both {
        let total = group.ways.iter().map(|w| w.rate).sum();
        fields.push(("mixed", direction(account, &account.mixed(), total, bins)));
    }
    machine(account, &mut fields);
    target(account, &mut fields);
    if !account.description.is_empty() {
        fields.push(("desc", Value::text(&account.description)));
    }
    if let Some(steady) = steady(account) {
        fields.push(("steadystate", steady));
    }
    fields.extend(account.host.as_deref().map(host).into_iter().flatten());
    Value::object(fields)
}

fn direction(account: &Account, way: &Way, total: u64, bins: bool) -> Value {
    let report = &account.report;
    let mut fields: Vec<(&str, Value)> = vec![
        ("io_bytes", Value::whole(way.bytes)),
        ("io_kbytes", Value::whole(way.bytes >> 10)),
        ("bw_bytes", Value::whole(way.rate())),
        ("bw", Value::whole(way.rate() / 1024)),
        ("iops", Value::Real(way.iops())),
        ("runtime", Value::whole(way.millis)),
        ("total_ios", Value::whole(way.ops)),
        ("short_ios", Value::whole(way.short)),
        ("drop_ios", Value::Whole(0)),
    ];
    for (name, histogram, asked) in [
        ("slat_ns", &way.slat, report.slat_percentiles),
        ("clat_ns", &way.clat, report.clat_percentiles),
        ("lat_ns", &way.lat, report.lat_percentiles),
    ] {
        fields.push((name, latency(histogram, asked, &report.percentiles, bins)));
    }
    let priorities = way.priorities();
    if !priorities.is_empty() {
        let name = if report.lat_percentiles { "lat_ns" } else { "clat_ns" };
        let asked = report.clat_percentiles || report.lat_percentiles;
        let priority_value = |p: &PriorityLatency| {
            Value::object([
                ("prioclass", Value::whole(u64::from(p.priority >> 13))),
                ("prio", Value::whole(u64::from(p.priority & 7))),
                (name, latency(&p.latency, asked, &report.percentiles, bins)),
            ])
        };
        fields.push(("prios", Value::List(priorities.iter().map(priority_value).collect())));
    }
    let (bw, iops) = (&way.bandwidth, &way.iops);
    let share = if bw.count > 0 { share_of(bw.mean, total) } else { 0.0 };
    fields.extend([
        ("bw_min", Value::whole(bw.min as u64)),
        ("bw_max", Value::whole(bw.max as u64)),
        ("bw_agg", Value::Real(share)),
        ("bw_mean", Value::Real(bw.mean)),
        ("bw_dev", Value::Real(bw.deviation())),
        ("bw_samples", Value::whole(bw.count)),
        ("iops_min", Value::whole(iops.min as u64)),
        ("iops_max", Value::whole(iops.max as u64)),
        ("iops_mean", Value::Real(iops.mean)),
        ("iops_stddev", Value::Real(iops.deviation())),
        ("iops_samples", Value::whole(iops.count)),
    ]);
    Value::object(fields)
}

fn flushes(account: &Account, bins: bool) -> Value {
    let asked = account.report.lat_percentiles || account.report.clat_percentiles;
    Value::object([
        ("total_ios", Value::whole(account.flush.count())),
        ("lat_ns", latency(&account.flush, asked, &account.report.percentiles, bins)),
    ])
}

fn latency(histogram: &LatencyHistogram, asked: bool, wanted: &[f64], bins: bool) -> Value {
    let mut fields: Vec<(&str, Value)> = vec![
        ("min", Value::whole(histogram.min().map_or(0, |n| n.as_nanos()))),
        ("max", Value::whole(histogram.max().map_or(0, |n| n.as_nanos()))),
        ("mean", Value::Real(mean(histogram))),
        ("stddev", Value::Real(deviation(histogram))),
        ("N", Value::whole(histogram.count())),
    ];
    if asked && histogram.count() > 0 {
        let percentile = |p: &f64| Some((format!("{p:.6}"), Value::whole(histogram.quantile(p / 100.0)?.as_nanos())));
        fields.push(("percentile", Value::object(wanted.iter().filter_map(percentile))));
        if bins {
            let counts = counts(histogram).into_iter().enumerate().filter(|(_, n)| *n > 0);
            let bins = counts.map(|(bucket, n)| (value_of(bucket).to_string(), Value::whole(n)));
            fields.push(("bins", Value::object(bins)));
        }
    }
    Value::object(fields)
}

fn machine(account: &Account, fields: &mut Vec<(&str, Value)>) {
    let (user, system) = account.cpu();
    fields.extend([
        ("job_runtime", Value::whole(account.run_millis)),
        ("usr_cpu", Value::Real(user)),
        ("sys_cpu", Value::Real(system)),
        ("ctx", Value::whole(account.usage.switches)),
        ("majf", Value::whole(account.usage.major_faults)),
        ("minf", Value::whole(account.usage.minor_faults)),
    ]);
    let batches = ["0", "4", "8", "16", "32", "64", ">=64"];
    for (name, names, counts) in [
        ("iodepth_level", ["1", "2", "4", "8", "16", "32", ">=64"], &account.queue.depth),
        ("iodepth_submit", batches, &account.queue.submit),
        ("iodepth_complete", batches, &account.queue.complete),
    ] {
        let shares = shares(counts, counts.iter().sum(), 0.1);
        fields.push((name, Value::object(names.into_iter().zip(shares.map(Value::Real)))));
    }
    let (spread, total) = (&account.spread, account.ops());
    let classes = |shares: &[f64]| Value::object(CLASSES.into_iter().zip(shares.iter().map(|s| Value::Real(*s))));
    fields.push(("latency_ns", classes(&shares(&spread.nanos, total, 0.01))));
    fields.push(("latency_us", classes(&shares(&spread.micros, total, 0.01))));
    fields.push(("latency_ms", classes(&shares(&spread.millis, total, 0.01))));
}

fn target(account: &Account, fields: &mut Vec<(&str, Value)>) {
    if let Some((count, first)) = account.errors {
        fields.extend([("total_err", Value::whole(count)), ("first_error", Value::Whole(first.into()))]);
    }
    let (target, window, percentile, depth) = account.target;
    fields.extend([
        ("latency_depth", Value::whole(depth.into())),
        ("latency_target", Value::whole(target)),
        ("latency_percentile", Value::Real(percentile)),
        ("latency_window", Value::whole(window)),
    ]);
}

fn steady(account: &Account) -> Option<Value> {
    let steady = account.steady.as_ref()?;
    let (rule, result) = (&steady.rule, &steady.result);
    let percent = if rule.percent { "%" } else { "" };
    let slope = if rule.slope { "_slope" } else { "" };
    let whole = |series: &[f64]| Value::List(series.iter().map(|x| Value::whole(*x as u64)).collect());
    Some(Value::object([
        ("ss", Value::Text(format!("{}{slope}:{:.6}{percent}", steady_name(rule.of), rule.limit))),
        ("duration", Value::whole(rule.duration.whole_secs())),
        ("attained", Value::Whole(result.attained.into())),
        ("criterion", Value::Text(format!("{:.6}{percent}", result.criterion))),
        ("max_deviation", Value::Real(result.max_deviation)),
        ("slope", Value::Real(result.slope)),
        (
            "data",
            Value::object([
                ("bw_mean", Value::whole(mean_of(&result.bandwidth) as u64)),
                ("iops_mean", Value::whole(mean_of(&result.iops) as u64)),
                ("iops", whole(&result.iops)),
                ("bw", whole(&result.bandwidth)),
            ]),
        ),
    ]))
}

fn disk(disk: &DiskUse) -> Value {
    let mut fields = vec![("name".to_owned(), Value::text(&disk.name))];
    // fio's name for merged writes of the slaves lacks the `s`.
    fields.extend(counters(disk, "", "write_merges"));
    if !disk.slaves.is_empty() {
        fields.extend(counters(&together(disk), "aggr_", "write_merge"));
    }
    Value::Object(fields)
}

fn counters(disk: &DiskUse, prefix: &str, write_merges: &str) -> [(String, Value); 8] {
    [
        ("read_ios", Value::whole(disk.ops[0])),
        ("write_ios", Value::whole(disk.ops[1])),
        ("read_merges", Value::whole(disk.merges[0])),
        (write_merges, Value::whole(disk.merges[1])),
        ("read_ticks", Value::whole(millis(disk.ticks[0]))),
        ("write_ticks", Value::whole(millis(disk.ticks[1]))),
        ("in_queue", Value::whole(millis(disk.in_queue))),
        ("util", Value::Real(disk.util_percent())),
    ]
    .map(|(name, value)| (format!("{prefix}{name}"), value))
}
