//! Needs as steady demands. Only rates can be bought: no catalogue promises a latency. If a need bounds the mean,
//! Little's law gives the operations that may be in flight: `Q = X * R`.

use super::load::{Charged, Countings, Load, charge_mean};
use super::{Group, PurchaseDemand};
use model::bounds::{BlockNeed, Bound, Metric, Need, NeedSubject};
use model::judged::{NeedRate, RoleRoom, RoomSource};
use model::{Bytes, BytesPerSecond, Iops, Nanos, clip};
use std::collections::BTreeMap;

/// Reason why nothing can be bought for a need. Each variant holds the need as typed.
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

/// A need in figures, and the latency it names.
struct Steady {
    rate: NeedRate,
    sequential: bool,
    latency: Option<Nanos>,
}

impl Steady {
    fn from_need(need: &Need) -> Result<Self, NotSold> {
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
        let latencies = || {
            need.clauses.iter().filter_map(|c| match c.bound {
                Bound::Latency(l) => Some((c.metric == Metric::Mean, l)),
                _ => None,
            })
        };
        let mean = latencies().find(|(is_mean, _)| *is_mean).map(|(_, l)| l);
        let rate = NeedRate {
            need: need.text.clone(),
            bs: block,
            iops: Iops(iops),
            bandwidth: BytesPerSecond(iops * block.as_u64() as f64),
            write_percent: mode.write_percent(),
            in_flight: mean.map(|m| iops * m.secs()),
        };
        let latency = latencies().map(|(_, latency)| latency).min();
        Ok(Steady { rate, sequential: mode.is_sequential(), latency })
    }

    /// Returns the demand as a second that repeats without end.
    fn load(&self, countings: &Countings) -> Load {
        let (iops, block) = (self.rate.iops.per_second(), self.rate.bs.as_u64() as f64);
        let writes = f64::from(self.rate.write_percent) / 100.0;
        let charged = [1.0 - writes, writes].into_iter().flat_map(|share| {
            countings.0.iter().map(move |charging| charge_mean(*charging, iops * share, block, self.sequential))
        });
        Load { seconds: vec![0], charged: charged.collect::<Vec<Charged>>() }
    }
}

/// Returns a demand for each need, or one for the sum of all.
pub(super) fn demands(needs: &[Need], together: bool, countings: &Countings) -> Result<Vec<PurchaseDemand>, NotSold> {
    let needs = needs.iter().map(Steady::from_need).collect::<Result<Vec<_>, _>>()?;
    let demand = |needs: &[Steady]| {
        let loads: Vec<Load> = needs.iter().map(|n| n.load(countings)).collect();
        let load = Load::sum(loads.iter(), countings.stride());
        let room = RoleRoom {
            role: String::new(),
            requests: load.requests(countings),
            room: Bytes(0),
            source: RoomSource::Unknown,
        };
        PurchaseDemand {
            groups: vec![Group { room, devices: BTreeMap::new(), load }],
            period: 1,
            length: Nanos::from_secs(1),
            resolution: None,
            latency: needs.iter().filter_map(|n| n.latency).min(),
            needs: needs.iter().map(|n| n.rate.clone()).collect(),
            doubts: Vec::new(),
        }
    };
    Ok(if together { vec![demand(&needs)] } else { needs.chunks(1).map(demand).collect() })
}
