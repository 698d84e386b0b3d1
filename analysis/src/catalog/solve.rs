//! The smallest volume and instance that meet needs by their sustained rates, without bursts.
//!
//! Only rates can be solved for, because no catalogue promises a latency. If a need bounds the mean, Little's law gives
//! the operations that may be in flight: `Q = X * R`.

use crate::catalog::row::{Figure, Instance, Volume};
use crate::catalog::{Catalog, Resolved};
use model::bounds::{BlockNeed, Bound, LimitAxis, Metric, Need, NeedSubject};
use model::{Bytes, CompactSort, Limit, Nanos, Op, clip};

/// Demand that a need places on limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// Text as typed.
    pub text: String,
    /// Block size.
    pub block: Bytes,
    /// Percentage of writes.
    pub write_percent: u8,
    /// True if the access is sequential.
    pub sequential: bool,
    /// Operations per second.
    pub iops: f64,
    /// Maximum mean latency requested.
    pub mean: Option<Nanos>,
}

/// Reason why a need cannot be solved for. Each variant holds the need as typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSold {
    /// The need has no rate.
    #[error("need `{0}` has no rate: expected iops>= or mbps>=, because catalogues do not promise latencies")]
    NoRate(String),
    /// The need is about a database.
    #[error(
        "need `{0}` is for a database, but volumes and instances are sold by block I/O: use a need such as `8k randwrite`"
    )]
    Database(String),
    /// The need is about files.
    #[error("need `{0}` is for file operations, but volumes and instances are sold by block I/O")]
    Metadata(String),
}

impl Demand {
    /// Converts a need to a demand.
    ///
    /// # Errors
    /// Returns an error if the need requests no rate, or is not about blocks.
    pub fn from_need(need: &Need) -> Result<Demand, NotSold> {
        let text = || clip(&need.text).to_string();
        let BlockNeed { block, mode, .. } = match need.subject {
            NeedSubject::Blocks(blocks) => blocks,
            NeedSubject::Database(_) => return Err(NotSold::Database(text())),
            NeedSubject::Metadata(..) => return Err(NotSold::Metadata(text())),
        };
        let iops = need.clauses.iter().filter_map(|c| match c.bound {
            Bound::Iops(v) => Some(v.per_second()),
            Bound::Bandwidth(v) => Some(v.per_second() / block.as_u64() as f64),
            Bound::Latency(_) => None,
        });
        let iops = iops.fold(0.0, f64::max);
        if iops <= 0.0 {
            return Err(NotSold::NoRate(text()));
        }
        let mean = need.clauses.iter().find(|c| c.metric == Metric::Mean).and_then(|c| match c.bound {
            Bound::Latency(l) => Some(l),
            _ => None,
        });
        let (write_percent, sequential) = (mode.write_percent(), mode.is_sequential());
        Ok(Demand { text: need.text.clone(), block, write_percent, sequential, iops, mean })
    }

    fn share(&self, op: Option<Op>) -> f64 {
        let write = f64::from(self.write_percent) / 100.0;
        match op {
            None => 1.0,
            Some(Op::Read) => 1.0 - write,
            Some(Op::Write) => write,
            Some(_) => 0.0,
        }
    }

    /// Returns the demand on a limit, per second and in the unit of the axis.
    fn takes(&self, limit: &Limit, axis: LimitAxis) -> f64 {
        self.iops * self.share(limit.op) * limit.charged(axis, self.block.as_u64() as f64, self.sequential)
    }
}

/// Several needs, either separately or all at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct Demands {
    /// The needs.
    pub all: Vec<Demand>,
    /// True if they run at the same time, so that their demands add up.
    pub together: bool,
}

/// Headroom under a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Room {
    /// Cap divided by the demand: a value of 1 or more meets the needs.
    pub factor: f64,
    /// Name of the tightest limit.
    pub name: String,
}

impl Demands {
    fn takes(&self, limit: &Limit, axis: LimitAxis) -> f64 {
        let each = self.all.iter().map(|d| d.takes(limit, axis));
        if self.together { each.sum() } else { each.fold(0.0, f64::max) }
    }

    /// Returns the headroom that `limits` leave; `None` if they do not cap the demand.
    #[must_use]
    pub fn room(&self, limits: &[Limit]) -> Option<Room> {
        let axes = [(LimitAxis::Iops, "IOPS"), (LimitAxis::Bandwidth, "bandwidth")];
        let caps = limits.iter().flat_map(|limit| {
            axes.into_iter().filter_map(move |(axis, what)| {
                let takes = self.takes(limit, axis);
                let factor = limit.cap(axis)? / takes;
                (takes > 0.0).then(|| Room { factor, name: format!("{} {what}", limit.name) })
            })
        });
        caps.min_by(|a, b| a.factor.total_cmp(&b.factor))
    }

    /// Returns `true` if both operations and bytes of every demand are capped: if a vendor's document omits one, it is
    /// unknown whether a need is met. A local device, which is rated at its own small unit, needs no limit on bytes.
    fn known(&self, limits: &[Limit], local: bool) -> bool {
        let capped = |d: &Demand, axis: LimitAxis| {
            let on = |op: Op| limits.iter().any(|l| l.cap(axis).is_some() && l.op.is_none_or(|o| o == op));
            [Op::Read, Op::Write].into_iter().filter(|op| d.share(Some(*op)) > 0.0).all(on)
        };
        self.all.iter().all(|d| capped(d, LimitAxis::Iops) && (local || capped(d, LimitAxis::Bandwidth)))
    }

    /// Returns `true` if the limits meet the needs.
    fn met(&self, limits: &[Limit]) -> bool {
        self.room(limits).is_some_and(|r| r.factor >= 1.0 - 1e-9)
    }
}

/// A purchase that meets the needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Provider, as named in the catalogue.
    pub provider: String,
    /// Volume or instance to buy.
    pub bought: Resolved,
    /// Remaining headroom.
    pub room: Room,
}

/// Returns the smallest configuration of each kind of volume of these providers (all, if empty). It minimizes size,
/// then IOPS, then bandwidth. Kinds with fixed sizes yield their smallest.
#[must_use]
pub fn volumes(catalog: &Catalog, demands: &Demands, capacity: Option<Bytes>, providers: &[String]) -> Vec<Answer> {
    let wanted = catalog.volumes.iter().filter(|v| providers.is_empty() || providers.contains(&v.provider));
    let mut answers: Vec<Answer> = Vec::new();
    for volume in wanted {
        for parameters in choices(volume) {
            let meets = |bought: &Resolved| demands.met(&bought.limits);
            let Some(bought) = smallest(catalog, volume, &parameters, capacity, &meets) else { continue };
            if !demands.known(&bought.limits, bought.local) {
                continue;
            }
            let Some(room) = demands.room(&bought.limits) else { continue };
            let answer = Answer { provider: volume.provider.clone(), bought, room };
            // From a ladder, keep only the step with the least headroom.
            let same = |a: &&mut Answer| {
                volume.rung && a.provider == answer.provider && ladder(catalog, a) == Some(&volume.title)
            };
            match answers.iter_mut().find(same) {
                Some(known) if known.room.factor <= answer.room.factor => {}
                Some(known) => *known = answer,
                None => answers.push(answer),
            }
        }
    }
    answers
}

/// Returns the title of the ladder that an answer belongs to.
fn ladder<'a>(catalog: &'a Catalog, answer: &Answer) -> Option<&'a String> {
    let name = answer.bought.row.split(':').next()?;
    catalog.volume(name).ok().filter(|v| v.rung).map(|v| &v.title)
}

/// Returns every combination of the other parameters, as text for a specification.
pub(crate) fn choices(volume: &Volume) -> Vec<String> {
    let mut combinations = vec![String::new()];
    for p in &volume.parameters {
        combinations =
            combinations.iter().flat_map(|a| p.values.iter().map(move |v| format!("{a},{}={v}", p.name))).collect();
    }
    combinations
}

/// Maximum size to try if none is published, in the row's unit.
const LARGEST: f64 = 65_536.0;

/// Returns the smallest size of this kind with the capacity; `None` if there is none.
fn first_size(volume: &Volume, capacity: Option<Bytes>) -> Option<f64> {
    let least = volume.size.0.unwrap_or(1.0);
    let wanted = capacity.map_or(0.0, |c| (c.as_u64() as f64 / volume.size_unit.bytes).ceil());
    (wanted <= volume.size.1.unwrap_or(LARGEST)).then_some(least.max(wanted))
}

fn with(
    catalog: &Catalog,
    volume: &Volume,
    parameters: &str,
    size: f64,
    iops: Option<f64>,
    mbps: Option<f64>,
) -> Option<Resolved> {
    let set = |key: &str, value: Option<f64>| value.map_or_else(String::new, |v| format!(",{key}={v}"));
    let text = format!("{}:size={size}{parameters}{}{}", volume.name(), set("iops", iops), set("mbps", mbps));
    catalog.resolve_volume(&text).ok()
}

/// Returns the smallest volume of a kind with the capacity, with default figures; `None` if there is none.
pub(crate) fn plainest(
    catalog: &Catalog,
    volume: &Volume,
    parameters: &str,
    capacity: Option<Bytes>,
) -> Option<Resolved> {
    let size = first_size(volume, capacity)?;
    with(catalog, volume, parameters, size, None, None)
}

/// Returns the smallest configuration for which `meets` is true, minimizing size, then IOPS, then bandwidth.
pub(crate) fn smallest(
    catalog: &Catalog,
    volume: &Volume,
    parameters: &str,
    capacity: Option<Bytes>,
    meets: &dyn Fn(&Resolved) -> bool,
) -> Option<Resolved> {
    let first = first_size(volume, capacity)?;
    let most = volume.size.1.unwrap_or(LARGEST);
    let with = |size, iops, mbps| with(catalog, volume, parameters, size, iops, mbps);
    // The configuration with all maxima at a size.
    let widest = |size: f64| {
        let iops = range(volume, &volume.iops, size, f64::NAN).map(|r| r.1);
        let mbps = range(volume, &volume.bandwidth, size, iops.unwrap_or(f64::NAN)).map(|r| r.1);
        with(size, iops, mbps)
    };
    let fits = |r: Option<Resolved>| r.filter(meets);
    let size = search(first, most, |size| fits(widest(size)).is_some())?;
    // Then IOPS: the fewest that allow sufficient bandwidth.
    let iops = match range(volume, &volume.iops, size, f64::NAN) {
        None => None,
        Some((low, high)) => Some(search(low, high, |iops| {
            let mbps = range(volume, &volume.bandwidth, size, iops).map(|r| r.1);
            fits(with(size, Some(iops), mbps)).is_some()
        })?),
    };
    let mbps = match range(volume, &volume.bandwidth, size, iops.unwrap_or(f64::NAN)) {
        None => None,
        Some((low, high)) => Some(search(low, high, |mbps| fits(with(size, iops, Some(mbps))).is_some())?),
    };
    fits(with(size, iops, mbps))
}

/// Returns the range of a figure that the customer sets. A figure that depends on a parameter cannot be set as well.
fn range(volume: &Volume, figure: &Option<Figure>, size: f64, iops: f64) -> Option<(f64, f64)> {
    let Some(Figure::Chosen { min, max, default }) = figure else { return None };
    debug_assert!(volume.parameters.is_empty() || !max.names("tier"));
    let value_of = |name: &str| match name {
        "size" => size,
        "iops" => iops,
        _ => f64::NAN,
    };
    let included = default.as_ref().map_or(0.0, |d| d.value(&value_of));
    Some((min.value(&value_of), max.value(&value_of).floor().max(included)))
}

/// Returns the smallest value from which `fits` is true: `low` itself or an integer.
fn search(low: f64, high: f64, fits: impl Fn(f64) -> bool) -> Option<f64> {
    if fits(low) {
        return Some(low);
    }
    if high <= low || !fits(high) {
        return None;
    }
    let (mut no, mut yes) = (low.floor(), high.ceil());
    while yes - no > 1.0 {
        let middle = ((no + yes) / 2.0).floor();
        if fits(middle) { yes = middle } else { no = middle }
    }
    Some(yes.min(high))
}

/// Returns the smallest instance of each family whose baseline meets the needs, the smallest first. Types without
/// published bandwidth and operations are not offered.
#[must_use]
pub fn instances(catalog: &Catalog, demands: &Demands, providers: &[String]) -> Vec<Answer> {
    let mut answers: Vec<(&Instance, Answer)> = Vec::new();
    for instance in catalog
        .instances
        .iter()
        .filter(|i| i.offered)
        .filter(|i| providers.is_empty() || providers.contains(&i.provider))
    {
        let Ok(bought) = catalog.resolve_instance(&instance.name()) else { continue };
        if !demands.met(&bought.limits) {
            continue;
        }
        let Some(room) = demands.room(&bought.limits) else { continue };
        let answer = Answer { provider: instance.provider.clone(), bought, room };
        let family = |i: &Instance| (i.provider.clone(), i.title.clone(), i.family().to_owned());
        match answers.iter_mut().find(|(i, _)| family(i) == family(instance)) {
            Some(known) if weight(known.0) <= weight(instance) => {}
            Some(known) => *known = (instance, answer),
            None => answers.push((instance, answer)),
        }
    }
    answers.compact_sort_by(|a, b| {
        let (x, y) = (weight(a.0), weight(b.0));
        x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1))
    });
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Returns the order of instances: by bandwidth, then operations.
pub(crate) fn weight(instance: &Instance) -> (f64, f64) {
    let base_of = |l: Option<crate::catalog::row::BaseMax>| l.map_or(f64::INFINITY, |l| l.base);
    (base_of(instance.most_bandwidth()), base_of(instance.most_iops()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demands(needs: &[&str]) -> Demands {
        let demands = needs.iter().map(|n| Demand::from_need(&n.parse().unwrap()).unwrap()).collect();
        Demands { all: demands, together: false }
    }

    fn rows(answers: &[Answer]) -> Vec<&str> {
        answers.iter().map(|a| a.bought.row.as_str()).collect()
    }

    #[test]
    fn the_smallest_of_each_kind_meets_the_need_and_nothing_smaller_does() {
        let demands = demands(&["8k randread: iops>=6000, avg<=2ms"]);
        let catalog = Catalog::shipped();
        let answers = volumes(catalog, &demands, None, &["aws".into()]);
        let rows = rows(&answers);
        assert!(rows.contains(&"aws/gp2:size=2000GiB"), "{rows:?}");
        assert!(rows.contains(&"aws/gp3:size=12GiB,iops=6000,mbps=125"), "{rows:?}");
        assert!(rows.contains(&"aws/io1:size=120GiB,iops=6000"), "{rows:?}");
        assert!(rows.contains(&"aws/io2:size=6GiB,iops=6000"), "{rows:?}");
        assert!(!rows.iter().any(|r| r.contains("st1")), "{rows:?}");
        let stores: Vec<&&str> = rows.iter().filter(|r| r.contains("instance-store")).collect();
        assert_eq!(stores, [&"aws/instance-store/i4g.large"], "the one with the least to spare");
        let google = volumes(catalog, &demands, None, &["gcp".into()]);
        assert!(!google.iter().any(|a| a.bought.row.contains("pd-standard")), "its operations are not known");
        assert_eq!(answers[1].room.factor, 1.0);
    }

    #[test]
    fn bandwidth_raises_what_it_hangs_on() {
        // 400 MB/s are 382 MiB/s, which gp3 offers from 1526 IOPS; 3000 IOPS are included in every volume.
        let demands = demands(&["64k read: mbps>=400MB"]);
        let answers = volumes(Catalog::shipped(), &demands, Some(Bytes::from_gib(500)), &["aws".into()]);
        let rows = rows(&answers);
        assert!(rows.contains(&"aws/gp3:size=500GiB,iops=3000,mbps=382"), "{rows:?}");
        assert!(rows.contains(&"aws/io2:size=500GiB,iops=1526"), "{rows:?}");
        assert!(rows.contains(&"aws/st1:size=9766GiB"), "{rows:?}");
    }

    #[test]
    fn instances_are_chosen_by_what_lasts() {
        let answers = instances(Catalog::shipped(), &demands(&["8k randread: iops>=6000"]), &["aws".into()]);
        let rows = rows(&answers);
        assert!(rows.contains(&"aws/m4.xlarge"), "{rows:?}");
        // m5.large bursts to 18,750, but sustains only 3,600.
        assert!(rows.contains(&"aws/m5.xlarge") && !rows.contains(&"aws/m5.large"), "{rows:?}");
        let azure = instances(Catalog::shipped(), &demands(&["8k randread: iops>=6000"]), &["azure".into()]);
        assert!(azure.iter().any(|a| a.bought.row == "azure/D4s_v5"));
        assert!(!azure.iter().any(|a| a.bought.row.contains("@cached")));
    }

    #[test]
    fn needs_at_the_same_time_add_up() {
        let mut both = demands(&["8k randread: iops>=4000", "8k randwrite: iops>=4000"]);
        let apart = volumes(Catalog::shipped(), &both, None, &["aws".into()]);
        assert!(rows(&apart).contains(&"aws/gp3:size=8GiB,iops=4000,mbps=125"), "{:?}", rows(&apart));
        both.together = true;
        let together = volumes(Catalog::shipped(), &both, None, &["aws".into()]);
        assert!(rows(&together).contains(&"aws/gp3:size=16GiB,iops=8000,mbps=125"), "{:?}", rows(&together));
    }

    #[test]
    fn a_need_without_a_rate_cannot_be_solved() {
        let need: Need = "8k randread: p99<=5ms".parse().unwrap();
        assert!(Demand::from_need(&need).unwrap_err().to_string().contains("has no rate"));
    }

    #[test]
    fn ladders_give_their_first_rung_that_fits_and_tiers_each_their_size() {
        let answers =
            volumes(Catalog::shipped(), &demands(&["8k randread: iops>=6000"]), None, &["azure".into(), "ibm".into()]);
        let rows = rows(&answers);
        assert!(rows.contains(&"azure/P40:size=2048GiB") && !rows.iter().any(|r| r.contains("P50:")), "{rows:?}");
        assert!(rows.contains(&"azure/P30-plus:size=1024GiB"), "{rows:?}");
        assert!(rows.contains(&"ibm/endurance:size=600GB,tier=10"), "{rows:?}");
        assert!(rows.contains(&"ibm/endurance:size=3000GB,tier=2"), "{rows:?}");
    }
}
