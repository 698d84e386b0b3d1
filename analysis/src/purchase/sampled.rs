//! Samples of other tools as demands: the mean rate of a sample in each of its seconds. The order of the operations is
//! unknown, so none are merged.

use super::load::{Countings, Load};
use super::{Group, PurchaseDemand};
use crate::demand::sampled_streams;
use model::foreign::ForeignFile;
use model::judged::{RoleRoom, RoomSource};
use model::{Bytes, CompactSort};
use std::collections::BTreeMap;

/// Number of nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// Maximum length of samples, in seconds: a year.
const LONGEST: i64 = 366 * 86_400;

/// Returns the demand in the samples.
///
/// # Errors
/// Returns a phrase if there are no samples of reads and writes, or if they last too long.
pub(super) fn demand(files: &[ForeignFile], countings: &Countings) -> Result<PurchaseDemand, &'static str> {
    let (demand, streams, origin) = sampled_streams(files)?;
    let mut loads: BTreeMap<String, Load> = BTreeMap::new();
    for stream in &streams {
        let load = loads.entry(stream.role.clone()).or_default();
        for sample in &stream.ops.0 {
            let (from, until) = (sample.from - origin, sample.until - origin);
            if until > LONGEST * SECOND {
                return Err("its samples span more than a year");
            }
            let mean = stream.bytes.rate_within(sample) / sample.rate.max(f64::MIN_POSITIVE);
            for second in from / SECOND..(until + SECOND - 1) / SECOND {
                let within = (until.min((second + 1) * SECOND) - from.max(second * SECOND)).max(0);
                let ops = sample.rate * within as f64 / SECOND as f64;
                if ops > 0.0 {
                    load.add_mean(second.unsigned_abs() as u32, stream.is_write, (ops, mean), countings);
                }
            }
        }
    }
    let mut groups: Vec<Group> = loads
        .into_iter()
        .map(|(role, load)| {
            let requests = load.requests(countings);
            let room = RoleRoom { role, requests, room: Bytes(0), source: RoomSource::Unknown };
            Group { room, devices: BTreeMap::new(), load }
        })
        .collect();
    groups.compact_sort_by_key(|group| std::cmp::Reverse(group.room.requests));
    let last = groups.iter().filter_map(|g| g.load.seconds.last()).max().copied().unwrap_or(0);
    Ok(PurchaseDemand {
        groups,
        period: u64::from(last) + 1,
        length: demand.length,
        resolution: demand.resolution,
        latency: None,
        needs: Vec::new(),
        doubts: demand.doubts,
    })
}
