//! Demand of a recording or of samples as JSON.

use model::judged::{Demand, RateDemand, RoleDemand, SUSTAINED};
use model::{Bytes, LatencyHistogram, Nanos};
use serde_json::json;
use std::io::{self, Write};

/// Writes the demand as one JSON document: rates per second, times in nanoseconds, sizes in bytes, shares from 0 to 1;
/// unknown values are null.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(super) fn write_json(name: &str, demand: &Demand, out: &mut dyn Write) -> io::Result<()> {
    let rate = |rate: &RateDemand| {
        let sustained = SUSTAINED.into_iter().zip(rate.sustained).filter_map(|(length, told)| {
            let (rate, at) = told?;
            Some(json!({"length": length.as_nanos(), "rate": rate, "at": at.as_nanos()}))
        });
        let [p50, p95, p99] = rate.percentiles.map_or([None; 3], |told| told.map(Some));
        let busiest = rate
            .busiest_sample
            .map(|(length, rate, at)| json!({"length": length.as_nanos(), "rate": rate, "at": at.as_nanos()}));
        json!({
            "mean": rate.mean, "p50": p50, "p95": p95, "p99": p99, "busiest_sample": busiest,
            "sustained": sustained.collect::<Vec<_>>(),
        })
    };
    let latency = |histogram: &LatencyHistogram| {
        let at = |p: f64| histogram.percentile(p).value().map(Nanos::as_nanos);
        json!({
            "count": histogram.count(), "mean": histogram.mean().map(Nanos::as_nanos), "min": histogram.min().map(Nanos::as_nanos),
            "max": histogram.max().map(Nanos::as_nanos), "p50": at(50.0), "p95": at(95.0), "p99": at(99.0), "p99.9": at(99.9),
        })
    };
    let role = |role: &RoleDemand| {
        let kinds = role.kinds.iter().map(|(kind, asked)| {
            let sizes = asked.sizes.commonest().into_iter().map(|(size, n)| json!({"bytes": size.as_u64(), "requests": n}));
            let figures = json!({
                "requests": asked.requests, "failed": asked.failed, "bytes": asked.moved.map(Bytes::as_u64),
                "sizes": sizes.collect::<Vec<_>>(), "sequential": asked.sequential_share(), "waited_for": asked.waited_for,
                "latency": latency(&asked.latency), "mean_latency": asked.mean_latency().map(Nanos::as_nanos),
                "iops": rate(&asked.iops), "bandwidth": asked.bandwidth.as_ref().map(rate),
            });
            (kind.name().to_owned(), figures)
        });
        let working_set = role.working_set.as_ref().map(|set| {
            let cached = set.cached.iter().map(|(size, share)| json!({"bytes": size.as_u64(), "held": share}));
            json!({
                "touched": set.touched.as_u64(), "read": set.read.as_u64(), "written": set.written.as_u64(),
                "sampled": set.sampled, "caches": cached.collect::<Vec<_>>(),
            })
        });
        json!({
            "role": role.role,
            "kinds": kinds.collect::<serde_json::Map<_, _>>(),
            "iops": rate(&role.iops),
            "bandwidth": role.bandwidth.as_ref().map(rate),
            "in_flight": role.in_flight.map(|(mean, most)| json!({"mean": mean, "busiest_second": most})),
            "working_set": working_set,
            "flushes": role.flushes.as_ref().map(|f| json!({
                "flushes": f.flushes, "apart": latency(&f.apart), "written_between": f.written_between.as_u64(),
            })),
        })
    };
    let document = json!({
        "recording": name,
        "layer": demand.layer,
        "length": demand.length.as_nanos(),
        "resolution": demand.resolution.map(Nanos::as_nanos),
        "all": role(&demand.all),
        "roles": demand.roles.iter().map(role).collect::<Vec<_>>(),
        "doubts": demand.doubts,
    });
    super::document::write_pretty(&document, out)
}
