use super::super::{DemandBuilder, demand_contract};
use super::*;
use model::bounds::{LimitAxis, LimitScope};
use model::recording::{RecordedRequest, RecordedTarget, RecordingEnd, RequestFlags};
use model::{foreign::ForeignPoint, judged::RateDemand};
use proptest::prelude::*;

const OPS: Quantity = Quantity::Iops(Statistic::Mean);
const BYTES: Quantity = Quantity::Bandwidth(Statistic::Mean);
const WAIT: Quantity = Quantity::Latency(ForeignLatency::Device, Statistic::Mean);

/// Returns samples `period` seconds apart, the first at the end of its period.
fn series(
    name: &str,
    instance: Option<&str>,
    of: Option<(Way, Quantity)>,
    period: f64,
    values: &[f64],
) -> ForeignSeries {
    let point = |(i, value): (usize, &f64)| ForeignPoint { at: (i + 1) as f64 * period, value: *value, line: 1 };
    ForeignSeries {
        name: name.to_owned(),
        instance: instance.map(str::to_owned),
        of,
        unit: String::new(),
        period: Some(period),
        points: values.iter().enumerate().map(point).collect(),
    }
}

fn device(name: &str, way: Way, of: Quantity, period: f64, values: &[f64]) -> ForeignSeries {
    series(&format!("{name} {way:?}"), Some(name), Some((way, of)), period, values)
}

fn file(format: &str, series: Vec<ForeignSeries>) -> ForeignFile {
    ForeignFile { format: format.to_owned(), tool: format.to_owned(), series, ..ForeignFile::default() }
}

fn rules(demand: &Demand) -> Vec<&str> {
    demand.doubts.iter().map(|d| d.id.as_str()).collect()
}

fn demand(files: &[ForeignFile]) -> Demand {
    sampled_demand(files).unwrap_or_else(|why| panic!("{why}: {files:?}"))
}

#[test]
fn mgstat_is_data_in_blocks_and_a_journal_of_unknown_size() {
    let mgstat = file(
        "mgstat",
        vec![
            series("PhyRds", None, None, 1.0, &[1600.0; 90]),
            series("PhyWrs", None, None, 1.0, &[8192.0; 90]),
            series("Jrnwrts", None, None, 1.0, &[30.0; 90]),
            series("Glorefs", None, None, 1.0, &[99.0; 90]),
        ],
    );
    let seen = demand(&[mgstat]);
    assert_eq!((seen.resolution, seen.length), (Some(Nanos::from_secs(1)), Nanos::from_secs(90)));
    let data = &seen.roles[0];
    assert_eq!((data.role.as_str(), data.requests()), ("data", 90 * 9792));
    assert_eq!(data.bandwidth.as_ref().map(RateDemand::most), Some(9792.0 * 8192.0));
    assert_eq!(data.kinds[&RequestKind::Write].mean_size(), Some(Bytes(8192)));
    let journal = &seen.roles[1];
    assert_eq!((journal.role.as_str(), &journal.bandwidth), ("journal", &None));
    assert_eq!((&journal.working_set, journal.in_flight), (&None, None));
    assert_eq!(seen.all.iops.mean, 9822.0);
    assert_eq!(seen.all.kinds[&RequestKind::Write].moved, None, "the journal's part is not known");
    assert_eq!(rules(&seen), ["demand-sampled", "demand-blocks", "demand-no-size", "demand-absent"]);
    let text = demand_contract(&seen, "x.mgst", 0.0).expect("a need of data");
    let contract = crate::contract(&text, "x.mgst").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!((contract.needs.len(), contract.needs[0].blocks().map(|of| of.block)), (1, Some(Bytes(8192))));
    assert!(text.contains("One sample each 1.00 s") && text.contains("of unknown size"), "{text}");
    assert!(text.contains("iops>=9792") && !text.contains("p99<="), "{text}");
}

#[test]
fn devices_have_means_of_latency_and_what_stands_on_them_is_left_out() {
    let mut series = Vec::new();
    for name in ["sda", "sda1", "dm-0"] {
        series.push(device(name, Way::Read, OPS, 30.0, &[100.0, 300.0]));
        series.push(device(name, Way::Read, BYTES, 30.0, &[1_638_400.0, 4_915_200.0]));
        series.push(device(name, Way::Read, WAIT, 30.0, &[0.001, 0.003]));
        series.push(device(name, Way::Write, OPS, 30.0, &[0.0, 0.0]));
        series.push(device(name, Way::All, Quantity::InFlight, 30.0, &[0.1, 0.9]));
    }
    series.push(device("loop0", Way::Read, OPS, 30.0, &[0.0, 0.0]));
    let seen = demand(&[file("iostat", series)]);
    assert_eq!(seen.roles.len(), 1, "an idle one is no role");
    let sda = &seen.roles[0];
    let read = &sda.kinds[&RequestKind::Read];
    assert_eq!((read.requests, read.mean_size()), (12_000, Some(Bytes(16_384))));
    assert_eq!(read.mean_latency(), Some(Nanos(2_500_000)), "each mean by its requests");
    assert_eq!(sda.in_flight, Some((0.5, 0.9)));
    assert_eq!(sda.iops.sustained[..2], [None, None]);
    assert_eq!(rules(&seen), ["demand-sampled", "demand-absent", "demand-left-out"]);
    assert_eq!(&*seen.doubts[2].evidence, "dm-0, sda1");
    let text = demand_contract(&seen, "x", 0.3).expect("a need");
    crate::contract(&text, "x").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(text.contains("avg<=2.5ms") && text.contains("iops>=390") && text.contains("busiest 30.0 s"), "{text}");
}

#[test]
fn a_limit_that_was_exceeded_and_a_gap_are_doubts() {
    let mut ops = device("vol-1", Way::Read, OPS, 60.0, &[3000.0; 20]);
    ops.points.drain(5..10);
    let checked = Quantity::Exceeded(LimitScope::Volume, LimitAxis::Iops);
    let limit = device("vol-1", Way::All, checked, 60.0, &[1.0, 0.0, 0.0, 0.0]);
    let instance = device("i-1", Way::Read, OPS, 60.0, &[3100.0; 20]);
    let seen = demand(&[file("cloudwatch", vec![ops, limit, instance])]);
    assert_eq!(seen.roles.len(), 1);
    assert_eq!(seen.all.iops.mean, 3000.0, "a gap is no zero");
    let exceeded = seen.doubts.iter().find(|d| d.id == "demand-exceeded").expect("told");
    assert!(exceeded.evidence.contains("25.0 %"), "{}", exceeded.evidence);
    assert!(rules(&seen).contains(&"demand-gaps"));
}

#[test]
fn of_a_report_with_several_tools_one_is_taken() {
    let mgstat = file("system-performance/mgstat", vec![series("PhyRds", None, None, 1.0, &[5.0; 9])]);
    let iostat = file("system-performance/iostat", vec![device("sda", Way::Read, OPS, 1.0, &[7.0; 9])]);
    let both = demand(&[iostat.clone(), mgstat]);
    assert_eq!((both.roles[0].role.as_str(), both.all.requests()), ("data", 45));
    assert!(rules(&both).contains(&"demand-left-out"));
    let idle = file("system-performance/mgstat", Vec::new());
    assert_eq!(demand(&[idle, iostat]).roles[0].role, "sda");
}

#[test]
fn what_tells_no_rates_says_why() {
    let reason_of = |files: &[ForeignFile]| sampled_demand(files).expect_err("no need");
    assert!(reason_of(&[file("hdparm", Vec::new())]).contains("no samples"));
    let alone = ForeignSeries { period: None, ..device("sda", Way::Read, OPS, 1.0, &[7.0]) };
    assert!(reason_of(&[file("iostat", vec![alone])]).contains("at least two samples with times"));
    let device_total = device("sda", Way::All, OPS, 1.0, &[7.0, 8.0]);
    assert!(reason_of(&[file("iostat", vec![device_total])]).contains("do not contain reads and writes"));
}

proptest! {
    /// Arbitrary samples are either accepted or rejected, without a panic.
    #[test]
    fn no_samples_make_it_panic(
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..20),
        near in prop::collection::vec((0.0..100.0f64, -1.0..1e300f64), 0..20),
        period in prop::option::of(0.0..1e12f64),
    ) {
        let series_of = |name: &str, points: &[(f64, f64)], quantity| {
            let mut points: Vec<_> = points.iter().map(|(at, value)| ForeignPoint { at: *at, value: *value, line: 1 }).collect();
            points.sort_by(|a, b| a.at.total_cmp(&b.at));
            ForeignSeries { period, points, ..device(name, Way::Read, quantity, 1.0, &[]) }
        };
        for format in ["mgstat", "iostat", "cloudwatch", "pg-stat-io"] {
            let phy = ForeignSeries { name: "PhyRds".into(), ..series_of("x", &near, OPS) };
            let series = vec![series_of("a", &points, OPS), series_of("a", &near, OPS), series_of("b", &near, OPS), series_of("b", &points, BYTES), series_of("b", &near, WAIT), phy];
            if let Ok(demand) = sampled_demand(&[file(format, series)]) {
                let _ = demand_contract(&demand, "x", 0.3);
            }
        }
    }

    /// Sampling a recording every second gives the demand of the recording.
    #[test]
    fn counters_of_each_second_ask_what_the_recording_asks(
        requests in prop::collection::vec((0u64..75_000, 0u64..2, 1u64..64), 1..400),
    ) {
        let length = 75;
        let (mut builder, mut reads, mut bytes) = (DemandBuilder::default(), vec![0.0; length], vec![0.0; length]);
        let (mut writes, mut written) = (vec![0.0; length], vec![0.0; length]);
        let mut requests = requests;
        requests.sort_unstable();
        for (ms, write, blocks) in &requests {
            let kind = if *write == 1 { RequestKind::Write } else { RequestKind::Read };
            let second = (*ms / 1000) as usize;
            let (ops, moved) = if *write == 1 { (&mut writes, &mut written) } else { (&mut reads, &mut bytes) };
            ops[second] += 1.0;
            moved[second] += (blocks * 512) as f64;
            let flags = RequestFlags::default();
            let request = RecordedRequest {
                at: Nanos::from_millis(*ms), latency: None, target: 0, kind, flags, offset: blocks * 4096, bytes: blocks * 512,
            };
            builder.add(&request, &[RecordedTarget { role: "sda".into(), ..RecordedTarget::default() }]);
        }
        let end = RecordingEnd { length: Nanos::from_secs(75), ..RecordingEnd::default() };
        let recorded = builder.finish(RecordedLayer::Block, Some(&end), &[]);
        let sampled = demand(&[file("iostat", vec![
            device("sda", Way::Read, OPS, 1.0, &reads),
            device("sda", Way::Read, BYTES, 1.0, &bytes),
            device("sda", Way::Write, OPS, 1.0, &writes),
            device("sda", Way::Write, BYTES, 1.0, &written),
        ])]);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        let same = |a: &RateDemand, b: &RateDemand| {
            let sustained = a.sustained.iter().zip(&b.sustained);
            near(a.mean, b.mean)
                && near(a.most(), b.most())
                && a.percentiles == b.percentiles
                && sustained.clone().all(|(a, b)| near(a.map_or(-1.0, |s| s.0), b.map_or(-1.0, |s| s.0)))
        };
        prop_assert!(same(&recorded.all.iops, &sampled.all.iops), "{:?}\n{:?}", recorded.all.iops, sampled.all.iops);
        let bandwidth = |d: &Demand| d.all.bandwidth.clone().expect("known");
        prop_assert!(same(&bandwidth(&recorded), &bandwidth(&sampled)));
        prop_assert_eq!(recorded.all.requests(), sampled.all.requests());
        for (kind, asked) in &recorded.all.kinds {
            prop_assert_eq!(asked.mean_size(), sampled.all.kinds[kind].mean_size());
        }
    }
}
