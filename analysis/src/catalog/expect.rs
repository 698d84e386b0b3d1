//! Performance that limits allow a workload, before anything is measured (docs/design/limits.md, "What limits allow").
//!
//! ```text
//! C_queue = Q / L0                   closed loop, nothing waits
//! C_iops  = cap / ops(bs)            ops(bs): operations that the cap charges for one request
//! C_bytes = cap / bytes(bs)
//! X = min(all C)    R = Q / X    Q* = X_cap * L0    bs* = cap_bytes / cap_iops
//! ```
//! The minimum of several caps is an upper bound: real devices are slower near the point at which two caps meet. Limits
//! that allow the same rate within 3 % are both listed, because no measurement at that point distinguishes them.

use crate::limits::caps::TOLERANCE;
use model::{Bytes, BytesPerSecond, CompactSort, Iops, Limit, Nanos, Op, bounds::LimitAxis};

/// A workload at a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Block size.
    pub block: Bytes,
    /// Operations in flight.
    pub depth: u32,
    /// Latency of a single operation of the same block size and kind; `None` if unknown, in which case the queue is
    /// ignored.
    pub latency: Option<Nanos>,
    /// Percentage of writes.
    pub write_percent: u8,
    /// True if the access is sequential, so that limits may merge neighbouring requests.
    pub sequential: bool,
}

impl Point {
    fn share(&self, op: Option<Op>) -> f64 {
        match op {
            None => 1.0,
            Some(Op::Read) => f64::from(100 - self.write_percent.min(100)) / 100.0,
            Some(Op::Write) => f64::from(self.write_percent.min(100)) / 100.0,
            Some(_) => 0.0,
        }
    }
}

/// Rate that one limit allows at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// Name, such as `gp3 volume IOPS`, `m4.xlarge instance bandwidth` or `queue (Little)`.
    pub name: String,
    /// Operations per second of the whole workload.
    pub iops: Iops,
}

/// A phase of a load at the maximum rate, starting with full buckets.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Operations per second.
    pub iops: Iops,
    /// Bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Binding limits.
    pub binds: Vec<String>,
    /// Duration; `None` if it has no end.
    pub lasts: Option<Nanos>,
}

/// Expected performance at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The point.
    pub point: Point,
    /// Sustained operations per second.
    pub iops: Iops,
    /// Sustained bytes per second.
    pub bandwidth: BytesPerSecond,
    /// Mean latency, Q / X.
    pub latency: Nanos,
    /// Binding limits; several if they allow the same rate within 3 %, so that a measurement at this point cannot
    /// distinguish them.
    pub binds: Vec<String>,
    /// The tightest of the other limits, and the ratio of its rate to `iops`.
    pub next: Option<(Allowed, f64)>,
    /// All limits considered, the tightest first.
    pub allowed: Vec<Allowed>,
    /// Number of operations in flight that just reaches the tightest cap: test at two to four times this number.
    pub depth_to_cap: Option<f64>,
    /// Rate of a sequential workload if every limit merges neighbouring requests as far as it can.
    pub merged: Option<Iops>,
    /// Phases from full buckets to the sustained rate, the last without an end. Empty if there is no burst.
    pub burst: Vec<Stretch>,
    /// Idle time that refills the buckets, if known.
    pub recovers: Option<Nanos>,
}

/// A limit on one axis at a point.
struct Constraint<'a> {
    limit: &'a Limit,
    axis: LimitAxis,
    share: f64,
    /// Cost of one operation that the limit applies to.
    charged: f64,
}

impl Constraint<'_> {
    fn name(&self) -> String {
        self.limit.axis_name(self.axis)
    }

    fn base(&self) -> f64 {
        self.limit.cap(self.axis).unwrap_or(f64::INFINITY)
    }

    fn allows(&self, rate: f64) -> f64 {
        rate / self.charged / self.share
    }
}

fn constraints<'a>(limits: &'a [Limit], point: &Point, merged: bool) -> Vec<Constraint<'a>> {
    let bytes = point.block.as_u64().max(1) as f64;
    let constraints_of = |limit: &'a Limit| {
        [LimitAxis::Iops, LimitAxis::Bandwidth].into_iter().filter_map(move |axis| {
            limit.cap(axis)?;
            let share = point.share(limit.op);
            (share > 0.0).then(|| Constraint { limit, axis, share, charged: limit.charged(axis, bytes, merged) })
        })
    };
    limits.iter().flat_map(constraints_of).collect()
}

const QUEUE: &str = "queue (Little)";

fn queue(point: &Point) -> Option<f64> {
    let l0 = point.latency.filter(|l| !l.is_zero())?;
    Some(f64::from(point.depth.max(1)) / l0.secs())
}

/// Returns the performance that `limits` allow at `point`.
#[must_use]
pub fn expect(limits: &[Limit], point: &Point) -> Expectation {
    let constraints = constraints(limits, point, false);
    let mut allowed: Vec<Allowed> =
        constraints.iter().map(|c| Allowed { name: c.name(), iops: Iops(c.allows(c.base())) }).collect();
    let cap = allowed.iter().map(|a| a.iops.per_second()).fold(f64::INFINITY, f64::min);
    allowed.extend(queue(point).map(|q| Allowed { name: QUEUE.into(), iops: Iops(q) }));
    allowed.compact_sort_by(|a, b| a.iops.per_second().total_cmp(&b.iops.per_second()));
    let rate = allowed.first().map_or(f64::INFINITY, |a| a.iops.per_second());
    let tied = |a: &&Allowed| a.iops.per_second() <= rate * (1.0 + TOLERANCE);
    let next = allowed.iter().find(|a| !tied(a)).cloned();
    let (burst, recovers) = stretches(&constraints, point);
    Expectation {
        point: *point,
        iops: Iops(rate),
        bandwidth: BytesPerSecond(rate * point.block.as_u64() as f64),
        latency: Nanos::from_secs_f64(f64::from(point.depth.max(1)) / rate),
        binds: allowed.iter().filter(tied).map(|a| a.name.clone()).collect(),
        next: next.map(|a| (a.clone(), a.iops.per_second() / rate)),
        depth_to_cap: point.latency.filter(|_| cap.is_finite()).map(|l| cap * l.secs()),
        merged: point.sequential.then(|| merged(limits, point)).filter(|m| m.per_second() > rate * (1.0 + TOLERANCE)),
        allowed,
        burst,
        recovers,
    }
}

fn merged(limits: &[Limit], point: &Point) -> Iops {
    let binding = constraints(limits, point, true);
    let caps = binding.iter().map(|c| c.allows(c.base()));
    Iops(caps.chain(queue(point)).fold(f64::INFINITY, f64::min))
}

/// The rate above a cap, and the credits left in its bucket.
struct Bucket {
    constraint: usize,
    rate: f64,
    capacity: f64,
    left: f64,
    refill: Option<f64>,
    drained: bool,
}

/// Returns the phases from full buckets, and the time to refill. There are no more changes of rate than buckets.
fn stretches(constraints: &[Constraint], point: &Point) -> (Vec<Stretch>, Option<Nanos>) {
    let mut buckets: Vec<Bucket> = constraints
        .iter()
        .enumerate()
        .filter_map(|(constraint, c)| {
            let burst = c.limit.burst(c.axis)?;
            let capacity = burst.capacity(c.base());
            let refill = burst.refill_seconds(c.base());
            Some(Bucket { constraint, rate: burst.rate, capacity, left: capacity, refill, drained: false })
        })
        .collect();
    let mut out = Vec::new();
    for _ in 0..=buckets.len() {
        let mut allowed: Vec<(String, f64)> = constraints
            .iter()
            .enumerate()
            .map(|(i, c)| {
                let burst = buckets.iter().find(|b| b.constraint == i && b.left > 0.0);
                let name = if burst.is_some() { format!("{} burst", c.name()) } else { c.name() };
                (name, c.allows(burst.map_or(c.base(), |b| b.rate)))
            })
            .collect();
        allowed.extend(queue(point).map(|q| (QUEUE.to_owned(), q)));
        let rate = allowed.iter().map(|(_, a)| *a).fold(f64::INFINITY, f64::min);
        // Credits per second that leave each bucket at this rate; negative below the cap, when the bucket fills.
        let out_of = |b: &Bucket| {
            let c = &constraints[b.constraint];
            rate * c.charged * c.share - c.base()
        };
        let empty_after = |b: &Bucket| (b.left > 0.0 && out_of(b) > 1e-9).then(|| b.left / out_of(b));
        let first = buckets.iter().filter_map(empty_after).fold(f64::INFINITY, f64::min);
        out.push(Stretch {
            iops: Iops(rate),
            bandwidth: BytesPerSecond(rate * point.block.as_u64() as f64),
            binds: allowed.iter().filter(|(_, a)| *a <= rate * (1.0 + TOLERANCE)).map(|(n, _)| n.clone()).collect(),
            lasts: first.is_finite().then(|| Nanos::from_secs_f64(first)),
        });
        if !first.is_finite() {
            break;
        }
        let flows: Vec<f64> = buckets.iter().map(out_of).collect();
        for (b, flow) in buckets.iter_mut().zip(flows).filter(|(b, _)| b.left > 0.0) {
            b.left = (b.left - flow * first).min(b.capacity);
            if b.left <= b.capacity * 1e-9 {
                (b.left, b.drained) = (0.0, true);
            }
        }
    }
    if out.len() < 2 {
        return (Vec::new(), None);
    }
    let recovers = buckets.iter().filter(|b| b.drained).map(|b| b.refill);
    let recovers = recovers.collect::<Option<Vec<f64>>>().map(|all| all.into_iter().fold(0.0, f64::max));
    (out, recovers.map(Nanos::from_secs_f64))
}

/// Returns the block size at which the tightest byte cap becomes lower than the tightest operation cap, over all of
/// `limits` and for this share of writes. With smaller blocks, the operation cap binds.
#[must_use]
pub fn crossover(limits: &[Limit], write_percent: u8) -> Option<Bytes> {
    let point = Point { block: Bytes(1), depth: 1, latency: None, write_percent, sequential: false };
    let tightest = |axis: LimitAxis| {
        let rates =
            limits.iter().filter(|l| point.share(l.op) > 0.0).filter_map(|l| Some(l.cap(axis)? / point.share(l.op)));
        rates.fold(f64::INFINITY, f64::min)
    };
    let (iops, bytes) = (tightest(LimitAxis::Iops), tightest(LimitAxis::Bandwidth));
    (iops.is_finite() && bytes.is_finite()).then(|| Bytes((bytes / iops) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use proptest::prelude::*;

    fn bought(volume: &str, instance: &str) -> Vec<Limit> {
        let catalog = Catalog::shipped();
        let mut limits = catalog.resolve_volume(volume).unwrap().limits;
        if !instance.is_empty() {
            limits.extend(catalog.resolve_instance(instance).unwrap().limits);
        }
        limits
    }

    fn read(block: u64, depth: u32, latency_us: u64) -> Point {
        let latency = (latency_us > 0).then_some(Nanos(latency_us * 1000));
        Point { block: Bytes(block), depth, latency, write_percent: 0, sequential: false }
    }

    /// Figures of 8 KiB random reads on an m4.xlarge, with gp3 and io2 of 6000 IOPS: processes, IOPS predicted, mean
    /// latency in ms, IOPS measured on gp3 and on io2.
    #[test]
    fn m4_xlarge_random_reads_come_out_as_the_seed_measured_them() {
        let gp3 = bought("gp3:size=2000GiB,iops=6000,mbps=125", "m4.xlarge");
        for (depth, predicted, r, measured) in [
            (1, 1587.0, 0.63, [1597.0, 1579.0]),
            (4, 6000.0, 0.67, [6011.0, 6093.0]),
            (8, 6000.0, 1.33, [6136.0, 6135.0]),
            (16, 6000.0, 2.67, [6144.0, 6147.0]),
        ] {
            let e = expect(&gp3, &read(8192, depth, 630));
            assert!((e.iops.per_second() - predicted).abs() < 1.0, "{depth}: {:?}", e.iops);
            assert!((e.latency.millis() - r).abs() < 0.01, "{depth}: {}", e.latency);
            assert!(measured.iter().all(|m| (m / e.iops.per_second() - 1.0_f64).abs() < 0.025), "{depth}");
            let names: Vec<&str> = e.binds.iter().map(String::as_str).collect();
            match depth {
                1 => assert_eq!(names, [QUEUE]),
                // Both were provisioned for 6000: no measurement here distinguishes them.
                _ => assert_eq!(names, ["gp3 volume IOPS", "m4.xlarge instance IOPS"]),
            }
            assert!((e.depth_to_cap.unwrap() - 3.78).abs() < 0.01);
        }
        assert_eq!(crossover(&gp3, 0), Some(Bytes(15_625)));
    }

    #[test]
    fn iris_writes_of_512k_are_bound_by_the_instances_bandwidth() {
        let limits = bought("gp3:size=2000GiB,iops=6000", "m4.xlarge");
        let e = expect(&limits, &Point { write_percent: 100, ..read(512 << 10, 32, 0) });
        assert_eq!(e.binds, ["m4.xlarge instance bandwidth"]);
        assert!((e.iops.per_second() / 179.0 - 1.0).abs() < 0.002 && (e.bandwidth.mb() - 93.75).abs() < 0.01);
        // The volume counts 512 KiB as two operations.
        let volume = e.allowed.iter().find(|a| a.name == "gp3 volume IOPS").unwrap();
        assert_eq!(volume.iops, Iops(3000.0));
    }

    #[test]
    fn the_documented_rule_of_ibm_classic_is_reproduced_and_contradicted_by_its_measurement() {
        // docs/design/limits.md, "IBM Classic".
        let limits = bought("endurance:size=4000GB,tier=10", "");
        let at = |kib: u64| expect(&limits, &Point { write_percent: 50, ..read(kib << 10, 64, 0) });
        assert_eq!((at(4).iops, at(16).iops, at(32).iops), (Iops(40_000.0), Iops(40_000.0), Iops(20_000.0)));
        for (kib, measured) in [(4, 41_000.0), (16, 41_000.0)] {
            assert!((measured / at(kib).iops.per_second() - 1.0_f64).abs() < 0.026);
        }
        assert!(40_600.0 > at(32).iops.per_second() * 2.0, "the rule is contradicted by what was measured");
        assert_eq!(at(16).binds, ["endurance volume IOPS", "endurance volume bandwidth"], "they cross at 16 KiB");
    }

    #[test]
    fn a_local_device_is_bound_by_its_rating_and_bends_before_it() {
        // docs/design/limits.md, "i3.xlarge".
        let limits = bought("instance-store/i3.xlarge", "");
        for (depth, bound, measured) in [
            (1, 5_882.0, 5_882.0),
            (4, 23_529.0, 21_739.0),
            (8, 47_059.0, 40_176.0),
            (16, 94_118.0, 67_212.0),
            (32, 103_125.0, 99_608.0),
            (64, 103_125.0, 96_304.0),
        ] {
            let e = expect(&limits, &read(8192, depth, 170));
            assert!((e.iops.per_second() / bound - 1.0_f64).abs() < 1e-4, "{depth}: {:?}", e.iops);
            assert!(measured <= e.iops.per_second() * 1.001, "the minimum is an upper bound");
        }
    }

    #[test]
    fn the_caps_of_the_throttle_cross_between_8k_and_16k() {
        let limits = ["disk iops=6000 mbps=93.75MB".parse::<Limit>().unwrap()];
        for (kib, rate, binds) in [
            (4, 6000.0, "disk IOPS"),
            (8, 6000.0, "disk IOPS"),
            (16, 5722.0, "disk bandwidth"),
            (32, 2861.0, "disk bandwidth"),
            (64, 1431.0, "disk bandwidth"),
            (128, 715.0, "disk bandwidth"),
            (256, 358.0, "disk bandwidth"),
        ] {
            let e = expect(&limits, &read(kib << 10, 32, 0));
            assert!((e.iops.per_second() - rate).abs() < 1.0, "{kib}k: {:?}", e.iops);
            assert_eq!(e.binds, [binds]);
        }
    }

    #[test]
    fn googles_advice_on_depth_is_littles_law_at_two_milliseconds() {
        for (iops, depth) in
            [(500, 1), (1000, 2), (4000, 8), (16_000, 32), (64_000, 128), (100_000, 200), (320_000, 640)]
        {
            let limits = [format!("disk iops={iops}").parse::<Limit>().unwrap()];
            let e = expect(&limits, &read(16_384, 1, 2000));
            assert_eq!(e.depth_to_cap.unwrap().round() as u32, depth);
        }
    }

    #[test]
    fn sequential_neighbours_put_together_may_pass_above_the_cap() {
        let limits = bought("gp3:size=2000GiB,iops=6000", "");
        let e = expect(&limits, &Point { sequential: true, ..read(8192, 32, 0) });
        assert_eq!(e.iops, Iops(6000.0));
        // Then the bandwidth binds: 125 MiB/s.
        assert_eq!(e.merged, Some(Iops(16_000.0)));
        assert_eq!(expect(&limits, &read(8192, 32, 0)).merged, None);
        let st1 = bought("st1:size=1024", "");
        assert_eq!(expect(&st1, &read(16_384, 32, 0)).iops, Iops(40.0), "each costs a MiB of credit");
    }

    #[test]
    fn a_burst_is_followed_to_its_end_and_back() {
        // 100 GiB: 300 IOPS, 3000 for 2000 s; 5 hours to refill.
        let e = expect(&bought("gp2:size=100", ""), &read(8192, 32, 0));
        assert_eq!(e.iops, Iops(300.0));
        let stretches: Vec<_> =
            e.burst.iter().map(|s| (s.iops.per_second().round(), s.lasts.map(|l| l.secs().round()))).collect();
        assert_eq!(stretches, [(3000.0, Some(2000.0)), (300.0, None)]);
        assert_eq!(e.recovers.map(|r| r.secs().round()), Some(18_000.0));
        assert_eq!(e.burst[0].binds, ["gp2 volume IOPS burst"]);
        // The latency keeps the rate below the burst rate, so the bucket lasts longer.
        let slow = expect(&bought("gp2:size=100", ""), &read(8192, 1, 1000));
        assert_eq!(slow.burst[0].lasts.map(|l| l.secs().round()), Some((5.4e6_f64 / 700.0).round()));
        // A volume below the instance's base rate never uses the instance's burst.
        let calm = expect(&bought("gp3:size=100", "m5.large"), &read(8192, 32, 0));
        assert!(calm.burst.is_empty(), "{:?}", calm.burst);
        let both = expect(&bought("gp3:size=2000,iops=16000,mbps=500", "m5.large"), &read(8192, 64, 0));
        assert_eq!(both.iops, Iops(3600.0));
        assert_eq!(both.burst[0].iops, Iops(16_000.0));
        // A bucket that lasts 30 minutes at 18,750 IOPS lasts longer at 16,000.
        assert!((both.burst[0].lasts.unwrap().secs() - 1800.0 * 15_150.0 / 12_400.0).abs() < 1.0);
        assert_eq!(both.recovers, Some(Nanos::from_secs(86_400)));
    }

    #[test]
    fn nothing_known_expects_nothing_and_does_not_panic() {
        let e = expect(&[], &read(8192, 4, 0));
        assert!(e.iops.per_second().is_infinite() && e.binds.is_empty() && e.next.is_none());
        let reads = ["d read iops=100".parse::<Limit>().unwrap()];
        assert!(expect(&reads, &Point { write_percent: 100, ..read(4096, 1, 0) }).binds.is_empty());
        assert_eq!(expect(&reads, &Point { write_percent: 50, ..read(4096, 1, 0) }).iops, Iops(200.0));
    }

    proptest! {
        #[test]
        fn the_rate_is_the_least_of_what_is_allowed_and_bursts_end_at_it(
            size in 1u64..16_384, kib in 1u64..2048, depth in 1u32..256, latency_us in 0u64..20_000,
            write_percent in 0u8..=100, instance in 0usize..625,
        ) {
            let catalog = Catalog::shipped();
            let mut limits = catalog.resolve_volume(&format!("gp2:size={size}")).unwrap().limits;
            limits.extend(catalog.resolve_instance(&catalog.instances[instance].kind).unwrap().limits);
            let point = Point { write_percent, ..read(kib << 10, depth, latency_us) };
            let e = expect(&limits, &point);
            prop_assert!(e.iops.per_second().is_finite() && e.iops.per_second() > 0.0);
            prop_assert!(e.allowed.iter().all(|a| a.iops >= e.iops));
            prop_assert!(!e.binds.is_empty());
            if let Some(last) = e.burst.last() {
                prop_assert!((last.iops.per_second() / e.iops.per_second() - 1.0).abs() < 1e-9, "{:?} {:?}", last, e.iops);
                prop_assert!(e.burst.windows(2).all(|w| w[0].iops.per_second() >= w[1].iops.per_second() * 0.999_999));
            }
            // More operations in flight never reduce the rate.
            let deeper = expect(&limits, &Point { depth: depth * 2, ..point });
            prop_assert!(deeper.iops.per_second() >= e.iops.per_second() * 0.999_999);
        }
    }
}
