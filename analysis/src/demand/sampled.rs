//! Demand from samples of other tools: rates at their resolution, and a doubt for each property that the samples do not
//! contain.

use super::SHORT;
use super::samples::Samples;
use messages::sentence;
use model::foreign::{ForeignFile, ForeignLatency, ForeignRemark, ForeignSeries, Quantity, Statistic, Way};
use model::judged::{Demand, KindDemand, RoleDemand};
use model::{Bytes, Caveat, CompactSort, Nanos, Sentence, Severity, measured::RequestKind, recording::RecordedLayer};
use std::collections::BTreeMap;

/// Maximum length of a late sample, in multiples of the usual distance between samples: these tools count since their
/// previous sample.
const LATE: f64 = 2.5;
/// Maximum length of a sample for tools that report sums over fixed periods: there, a missing sample is a gap.
const EXACT: f64 = 1.5;
/// Maximum number of remarks of the reader that are reported; further ones repeat them.
const REMARKS: usize = 5;
/// Upper bound of a count; larger sums are not valid.
const MOST: f64 = 1e18;
/// Block size of an IRIS database in bytes, unless it was created with larger blocks.
const IRIS_BLOCK: f64 = 8192.0;

/// Ratio of the busiest second to the busiest sample of a length, in recorded loads (docs/design/limits.md, "What samples
/// hide"): length in seconds, minimum, maximum.
const HIDDEN: [(u64, f64, f64); 3] = [(10, 1.5, 4.8), (60, 1.9, 26.0), (300, 17.0, 53.0)];

/// A tool whose samples show a demand. If a file contains several, only the first is used, because they measure the
/// same load.
struct Tool {
    /// Last component of [`ForeignFile::format`].
    format: &'static str,
    layer: RecordedLayer,
    /// Maximum length of a sample, in multiples of the usual distance between samples.
    reaches: f64,
    /// Series that the tool names without further description.
    named: &'static [Named],
    /// Doubt that applies to all counts of the tool.
    doubt: Option<fn() -> Caveat>,
}

/// Name, role, kind, and the bytes of one request, if known.
type Named = (&'static str, &'static str, RequestKind, Option<f64>);

const MGSTAT: [Named; 4] = [
    ("PhyRds", "data", RequestKind::Read, Some(IRIS_BLOCK)),
    ("PhyWrs", "data", RequestKind::Write, Some(IRIS_BLOCK)),
    ("WIJwri", "wij", RequestKind::Write, None),
    ("Jrnwrts", "journal", RequestKind::Write, None),
];

const fn device_tool(format: &'static str, reaches: f64) -> Tool {
    Tool { format, layer: RecordedLayer::Block, reaches, named: &[], doubt: None }
}

const TOOLS: [Tool; 7] = [
    Tool { layer: RecordedLayer::Syscalls, named: &MGSTAT, doubt: Some(blocks), ..device_tool("mgstat", LATE) },
    Tool { layer: RecordedLayer::Syscalls, doubt: Some(calls), ..device_tool("pg-stat-io", f64::INFINITY) },
    device_tool("iostat", LATE),
    device_tool("iostat-json", LATE),
    device_tool("cloudwatch", EXACT),
    device_tool("azure-monitor", EXACT),
    device_tool("perfmon", LATE),
];

fn blocks() -> Caveat {
    Caveat::new("demand-blocks", Severity::Note, sentence!("demand-blocks"), sentence!("demand-blocks-seen"))
}

fn calls() -> Caveat {
    Caveat::new("demand-calls", Severity::Note, sentence!("demand-calls"), sentence!("demand-calls-seen"))
}

/// Samples of one kind of requests of one role.
#[derive(Debug, Default)]
struct Kind {
    ops: Vec<Samples>,
    bytes: Vec<Samples>,
    latency: Vec<Samples>,
}

#[derive(Debug, Default)]
struct Role {
    kinds: BTreeMap<RequestKind, Kind>,
    /// Operations in flight: first of all requests, then of single kinds. The latter are used only if the former are
    /// missing.
    in_flight: [Vec<Samples>; 2],
}

/// Samples that are a demand, with the file and the tool that have them.
struct Chosen<'a> {
    tool: &'static Tool,
    file: &'a ForeignFile,
    roles: BTreeMap<String, Role>,
    left_out: Vec<String>,
}

/// Returns the samples of the first tool that has any.
fn choose(files: &[ForeignFile]) -> Result<Chosen<'_>, &'static str> {
    let of_tool = |tool: &'static Tool| {
        let file = files.iter().find(|f| f.format.rsplit('/').next() == Some(tool.format))?;
        let (roles, left_out) = roles(file, tool);
        (!roles.is_empty()).then_some(Chosen { tool, file, roles, left_out })
    };
    const TABLE: &[Tool] = &TOOLS;
    TABLE.iter().find_map(of_tool).ok_or_else(|| why_none(files))
}

/// Reads or writes of one role over time.
pub(crate) struct SampledStream {
    /// Role.
    pub role: String,
    /// True for writes.
    pub is_write: bool,
    /// Operations per second.
    pub ops: Samples,
    /// Bytes per second, of some of the operations or all of them.
    pub bytes: Samples,
}

/// Returns the demand, the reads and writes of each role, and the time at which the samples begin.
///
/// # Errors
/// As [`sampled_demand`].
pub(crate) fn sampled_streams(files: &[ForeignFile]) -> Result<(Demand, Vec<SampledStream>, i64), &'static str> {
    let chosen = choose(files)?;
    let demand = chosen.demand(files);
    let mut streams = Vec::new();
    for (name, role) in chosen.roles {
        for (kind, samples) in role.kinds {
            if let RequestKind::Read | RequestKind::Write = kind {
                let is_write = kind == RequestKind::Write;
                let (ops, bytes) = (Samples::sum(&samples.ops), Samples::sum(&samples.bytes));
                streams.push(SampledStream { role: name.clone(), is_write, ops, bytes });
            }
        }
    }
    let origin = streams.iter().filter_map(|s| Some(s.ops.0.first()?.from)).min().unwrap_or(0);
    Ok((demand, streams, origin))
}

/// Returns the demand on storage from files of samples.
///
/// # Errors
/// Returns a phrase if the samples contain no requests.
pub fn sampled_demand(files: &[ForeignFile]) -> Result<Demand, &'static str> {
    Ok(choose(files)?.demand(files))
}

impl Chosen<'_> {
    /// Returns the demand; `files` are all files that the samples were chosen from.
    fn demand(&self, files: &[ForeignFile]) -> Demand {
        let Chosen { tool, file, roles, left_out } = self;
        let mut left_out = left_out.clone();
        left_out.extend(files.iter().filter(|f| !std::ptr::eq(*f, *file)).map(|f| f.tool.clone()));
        let spans = || roles.values().flat_map(|r| r.kinds.values()).flat_map(|k| &k.ops).filter(|s| !s.0.is_empty());
        let origin = spans().map(|s| s.0[0].from).min().unwrap_or(0);
        let end = spans().map(|s| s.0[s.0.len() - 1].until).max().unwrap_or(0);
        let length = Nanos((end - origin).unsigned_abs());
        let sum = Samples::sum(&spans().cloned().collect::<Vec<_>>());
        let resolution = Nanos(spans().filter_map(Samples::resolution).max().unwrap_or(0).unsigned_abs());
        let samples = spans().map(|s| s.0.len()).max().unwrap_or(0) as u64;
        let mut role_demands: Vec<RoleDemand> = roles.iter().map(|(name, role)| role.demand(name, origin)).collect();
        role_demands.compact_sort_by_key(|role| std::cmp::Reverse(role.requests()));
        let unsized_roles: Vec<&str> =
            role_demands.iter().filter(|r| lacks_sizes(r)).map(|r| r.role.as_str()).collect();
        let mut doubts = vec![resolution_doubt(resolution, samples, &file.tool)];
        doubts.extend(exceeded(file));
        doubts.extend((length < SHORT).then(|| super::short_doubt(length)));
        let holes = spans().map(|s| (s.0[s.0.len() - 1].until - s.0[0].from) as f64 / 1e9 - s.known());
        let unknown = holes.fold(length.secs() - sum.known(), f64::max);
        if unknown > resolution.secs() / 2.0 {
            let seen = sentence!("demand-gaps-seen", time = Nanos((unknown * 1e9) as u64), of = length);
            doubts.push(Caveat::new("demand-gaps", Severity::Doubt, sentence!("demand-gaps"), seen));
        }
        doubts.extend(tool.doubt.map(|doubt| doubt()));
        if tool.format == "pg-stat-io" && !roles.contains_key("journal") {
            let seen = sentence!("demand-no-wal-seen");
            doubts.push(Caveat::new("demand-no-wal", Severity::Doubt, sentence!("demand-no-wal"), seen));
        }
        if !unsized_roles.is_empty() {
            let seen = Sentence::from(unsized_roles.join(", "));
            doubts.push(Caveat::new("demand-no-size", Severity::Doubt, sentence!("demand-no-size"), seen));
        }
        let means = role_demands.iter().flat_map(|r| r.kinds.values()).any(|k| k.latency_mean.is_some());
        let latencies = if means { sentence!("demand-mean-latencies") } else { sentence!("demand-no-latencies") };
        doubts.push(Caveat::new("demand-absent", Severity::Note, sentence!("demand-absent"), latencies));
        if !left_out.is_empty() {
            let seen = Sentence::from(left_out.join(", "));
            doubts.push(Caveat::new("demand-left-out", Severity::Note, sentence!("demand-left-out"), seen));
        }
        doubts.extend(remarks(file));
        let total = match role_demands.as_slice() {
            [only] => RoleDemand { role: String::new(), ..only.clone() },
            _ => together(roles).demand("", origin),
        };
        Demand { layer: tool.layer, length, resolution: Some(resolution), all: total, roles: role_demands, doubts }
    }
}

/// Returns the reason why there is no demand, as a phrase.
fn why_none(files: &[ForeignFile]) -> &'static str {
    let mut known = files.iter().filter(|f| TOOLS.iter().any(|t| f.format.rsplit('/').next() == Some(t.format)));
    let tells = |s: &ForeignSeries| {
        MGSTAT.iter().any(|(name, ..)| *name == s.name)
            || matches!(s.of, Some((Way::Read | Way::Write, Quantity::Iops(Statistic::Mean))))
    };
    let Some(first) = known.next() else { return "no need can be derived: it contains no samples of reads and writes" };
    if std::iter::once(first).chain(known).any(|f| f.series.is_empty() || f.series.iter().any(tells)) {
        "a rate needs at least two samples with times (iostat prints times with `-t`)"
    } else if matches!(first.format.rsplit('/').next(), Some("iostat" | "iostat-json")) {
        "its samples do not contain reads and writes per second (iostat prints them with `-x`)"
    } else {
        "its samples do not contain reads and writes per second"
    }
}

/// Returns the series of a file by role, and the names of devices left out because others already count their requests.
fn roles(file: &ForeignFile, tool: &Tool) -> (BTreeMap<String, Role>, Vec<String>) {
    let mut roles: BTreeMap<String, Role> = BTreeMap::new();
    for series in &file.series {
        let samples = || Samples::from_series(series, tool.reaches);
        if let Some((_, role, kind, size)) = tool.named.iter().find(|(name, ..)| *name == series.name) {
            let kind = roles.entry((*role).to_owned()).or_default().kinds.entry(*kind).or_default();
            kind.ops.push(samples());
            kind.bytes.extend(size.map(|size| samples().times(size)));
        } else if let Some((way, quantity)) = series.of {
            let name = series.instance.clone().unwrap_or_else(|| "storage".to_owned());
            take(roles.entry(name).or_default(), way, quantity, samples);
        }
    }
    for role in roles.values_mut() {
        role.kinds.retain(|_, kind| {
            kind.ops.retain(|s| !s.0.is_empty());
            !kind.ops.is_empty()
        });
    }
    let busy = |role: &Role| role.kinds.values().flat_map(|k| &k.ops).any(|s| s.total() > 0.0);
    let moves = |role: &Role| role.kinds.keys().any(|k| matches!(k, RequestKind::Read | RequestKind::Write));
    roles.retain(|_, role| moves(role));
    if roles.values().any(busy) {
        roles.retain(|_, role| busy(role));
    }
    let names: Vec<String> = roles.keys().cloned().collect();
    let left_out: Vec<String> = names.iter().filter(|name| stands_on(name, &names)).cloned().collect();
    roles.retain(|name, _| !left_out.contains(name));
    (roles, left_out)
}

fn take(role: &mut Role, way: Way, of: Quantity, samples: impl Fn() -> Samples) {
    let kind = match way {
        Way::Read => Some(RequestKind::Read),
        Way::Write => Some(RequestKind::Write),
        Way::Trim => Some(RequestKind::Discard),
        Way::Sync => Some(RequestKind::Flush),
        Way::All => None,
    };
    match (kind, of) {
        (Some(kind), Quantity::Iops(Statistic::Mean)) => role.kinds.entry(kind).or_default().ops.push(samples()),
        (Some(kind), Quantity::Bandwidth(Statistic::Mean)) => {
            role.kinds.entry(kind).or_default().bytes.push(samples());
        }
        // For system calls, only syncs wait for the storage; the page cache may have answered the others.
        (Some(kind), Quantity::Latency(of, Statistic::Mean))
            if of == ForeignLatency::Device || kind == RequestKind::Flush =>
        {
            role.kinds.entry(kind).or_default().latency.push(samples());
        }
        (kind, Quantity::InFlight) => role.in_flight[usize::from(kind.is_some())].push(samples()),
        _ => {}
    }
}

/// Returns `true` if requests to a device are also counted for another one in the list: a partition, a mapped device,
/// an array, the sum of all, or an instance next to its volumes.
fn stands_on(name: &str, all: &[String]) -> bool {
    let numbered = |name: &str, stem: &str| {
        let rest = name.strip_prefix(stem).map(|rest| rest.strip_prefix('p').unwrap_or(rest));
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let made =
        |name: &str| name.starts_with("dm-") || numbered(name, "md") || name.starts_with("i-") || name == "_Total";
    let others = || all.iter().filter(|other| *other != name);
    others().any(|disk| numbered(name, disk)) || made(name) && others().any(|other| !made(other))
}

/// Returns all roles as one. The bytes of a kind are known only if every role reports them.
fn together(roles: &BTreeMap<String, Role>) -> Role {
    let mut merged = Role::default();
    for role in roles.values() {
        for (kind, own) in &role.kinds {
            let sum = merged.kinds.entry(*kind).or_default();
            sum.ops.extend(own.ops.iter().cloned());
            sum.bytes.extend(own.bytes.iter().cloned());
        }
        merged.in_flight[0].extend(role.known_in_flight().iter().cloned());
    }
    merged
}

impl Role {
    fn known_in_flight(&self) -> &[Samples] {
        self.in_flight.iter().find(|list| !list.is_empty()).map_or(&[], Vec::as_slice)
    }

    fn demand(&self, name: &str, origin: i64) -> RoleDemand {
        let moving = || [RequestKind::Read, RequestKind::Write].into_iter().filter_map(|k| self.kinds.get(&k));
        let ops: Vec<Samples> = moving().flat_map(|k| k.ops.iter().cloned()).collect();
        let bytes: Vec<Samples> = moving().flat_map(|k| k.bytes.iter().cloned()).collect();
        let in_flight = Samples::sum(self.known_in_flight()).demand(origin);
        RoleDemand {
            role: name.to_owned(),
            kinds: self.kinds.iter().map(|(kind, known)| (*kind, known.demand(*kind, origin))).collect(),
            iops: Samples::sum(&ops).demand(origin),
            bandwidth: (!bytes.is_empty()).then(|| Samples::sum(&bytes).demand(origin)),
            in_flight: in_flight.busiest_sample.map(|(_, most, _)| (in_flight.mean, most)),
            working_set: None,
            flushes: None,
        }
    }
}

impl Kind {
    fn demand(&self, kind: RequestKind, origin: i64) -> KindDemand {
        let ops = Samples::sum(&self.ops);
        let bytes = (!self.bytes.is_empty()).then(|| Samples::sum(&self.bytes));
        // Bytes of only some of the requests do not give the size of all.
        let all_sized = self.bytes.len() == self.ops.len() && kind != RequestKind::Flush;
        let requests = ops.total().round().min(MOST);
        // Keep the ratio of bytes to requests in spite of rounding.
        let moved = |b: &Samples| (b.total() / ops.total().max(f64::MIN_POSITIVE) * requests).round().min(MOST);
        KindDemand {
            requests: requests as u64,
            moved: bytes.as_ref().filter(|_| all_sized).map(|b| Bytes(moved(b) as u64)),
            latency_mean: mean_latency(&ops, &self.latency),
            iops: ops.demand(origin),
            bandwidth: bytes.map(|b| b.demand(origin)),
            ..KindDemand::default()
        }
    }
}

/// Returns the mean of means, weighted by requests.
fn mean_latency(ops: &Samples, latencies: &[Samples]) -> Option<Nanos> {
    let [means] = latencies else { return None };
    if !means.same_times(ops) || ops.total() <= 0.0 {
        return None;
    }
    let pairs = means.0.iter().zip(&ops.0);
    let waited: f64 = pairs.map(|(mean, ops)| mean.rate * ops.rate * (ops.until - ops.from) as f64 / 1e9).sum();
    // Limit to 1e15 ns, about eleven days, which is no plausible latency.
    let mean = (waited / ops.total() * 1e9).round().min(1e15);
    Some(Nanos(mean as u64)).filter(|mean| mean.as_nanos() > 0)
}

fn lacks_sizes(role: &RoleDemand) -> bool {
    let moving = [RequestKind::Read, RequestKind::Write].into_iter().filter_map(|kind| role.kinds.get(&kind));
    moving.filter(|k| k.requests > 0).any(|k| k.mean_size().is_none())
}

fn resolution_doubt(resolution: Nanos, samples: u64, tool: &str) -> Caveat {
    // Most tools sample at best about once per second.
    let severity = if resolution >= Nanos::from_secs(2) { Severity::Doubt } else { Severity::Note };
    let seen = sentence!("demand-sampled-seen", n = samples, tool);
    let seen = match HIDDEN.iter().rev().find(|(length, ..)| resolution.secs() >= *length as f64) {
        Some((length, least, most)) => {
            let time = Nanos::from_secs(*length);
            let hidden = sentence!("demand-sampled-hidden", time, least = least.to_string(), most = most.to_string());
            Sentence::join([seen, hidden], "; ")
        }
        None => seen,
    };
    let doubt = Caveat::new("demand-sampled", severity, sentence!("demand-sampled", time = resolution), seen);
    doubt.remedy(sentence!("demand-sampled-remedy"))
}

/// Returns a doubt if a limit throttled the load, so that the demand was higher than the measured rate.
fn exceeded(file: &ForeignFile) -> Option<Caveat> {
    let is_limit = |s: &&ForeignSeries| matches!(s.of, Some((_, Quantity::Exceeded(..))));
    let shares = file.series.iter().filter(is_limit).filter(|s| !s.points.is_empty());
    let share = |s: &ForeignSeries| s.points.iter().map(|p| p.value).sum::<f64>() / s.points.len() as f64;
    let (share, name) = shares.map(|s| (share(s), &s.name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let percent = format!("{:.1}", share * 100.0);
    let seen = sentence!("demand-exceeded-seen", name, percent);
    (share > 0.0).then(|| Caveat::new("demand-exceeded", Severity::Doubt, sentence!("demand-exceeded"), seen))
}

/// Returns the remarks of the reader as doubts.
fn remarks(file: &ForeignFile) -> impl Iterator<Item = Caveat> {
    let caveat = |remark: &ForeignRemark, severity| {
        let seen = if remark.line > 0 { sentence!("demand-line", n = remark.line) } else { Sentence::default() };
        Caveat::new("demand-remark", severity, remark.text.clone(), seen)
    };
    let faults = file.faults.iter().map(move |remark| caveat(remark, Severity::Doubt));
    faults.chain(file.remarks.iter().map(move |remark| caveat(remark, Severity::Note))).take(REMARKS)
}

#[cfg(test)]
mod tests;
