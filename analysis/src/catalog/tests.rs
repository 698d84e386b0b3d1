//! Tests of every shipped row, and of every example that the vendors print.

use super::row::{Figure, Mark, Volume};
use super::{Catalog, FILES};
use model::bounds::{LimitAxis, LimitSource};
use model::{BytesPerSecond, Iops, Limit};
use proptest::prelude::*;

const MIB: f64 = 1_048_576.0;

fn volume(text: &str) -> Limit {
    let resolved = Catalog::shipped().resolve_volume(text).unwrap_or_else(|e| panic!("{e}"));
    resolved.limits[0].clone()
}

fn instance(text: &str) -> Limit {
    let resolved = Catalog::shipped().resolve_instance(text).unwrap_or_else(|e| panic!("{e}"));
    resolved.limits[0].clone()
}

fn iops(text: &str) -> f64 {
    volume(text).iops.expect("it caps operations").per_second()
}

fn mib(text: &str) -> f64 {
    volume(text).bandwidth.expect("it caps bandwidth").per_second() / MIB
}

fn mb(text: &str) -> f64 {
    volume(text).bandwidth.expect("it caps bandwidth").per_second() / 1e6
}

fn refused(text: &str) -> String {
    Catalog::shipped().resolve_volume(text).expect_err("it is refused").to_string()
}

// --- shipped rows ----------------------------------------------------------------------------------------------

#[test]
fn every_row_shipped_says_where_it_is_from_and_is_there_once() {
    let catalog = Catalog::shipped();
    let instances_of = |file: &str| catalog.instances.iter().filter(|i| i.origin.file == file).collect::<Vec<_>>();
    let bursting = |file: &str| instances_of(file).iter().filter(|i| i.burst.is_some()).count();
    assert_eq!((instances_of("aws/ec2.toml").len(), bursting("aws/ec2.toml")), (564, 206));
    assert_eq!((instances_of("aws/ec2-since-2023.toml").len(), bursting("aws/ec2-since-2023.toml")), (841, 340));
    assert_eq!(instances_of("aws/ec2-since-2023.toml").iter().filter(|i| !i.weightings.is_empty()).count(), 307);
    // Types whose limits have risen since 2023 are in the newer file only.
    assert_eq!(catalog.instances.iter().filter(|i| i.kind == "m6in.large").count(), 1);
    let origins = catalog.volumes.iter().map(|v| (v.name(), &v.origin));
    let origins: Vec<_> = origins.chain(catalog.instances.iter().map(|i| (i.name(), &i.origin))).collect();
    for (i, (name, origin)) in origins.iter().enumerate() {
        assert!(!origin.source.is_empty(), "{name} names no source");
        assert_ne!(origin.mark, Mark::Own, "{name}");
        assert!(!origins[..i].iter().any(|(n, o)| n == name && o.file == origin.file), "{name} is there twice");
    }
    assert_eq!(catalog.providers(), ["aws", "azure", "gcp", "ibm", "oci"]);
    assert_eq!(FILES.len(), 15);
}

#[test]
fn what_no_document_confirms_is_not_shipped() {
    for name in ["lower-cost", "hyperdisk", "gp4"] {
        assert!(Catalog::shipped().volume(name).is_err(), "{name}");
    }
    // The line of this type is misprinted in the only document that lists it.
    assert!(Catalog::shipped().instance("E192ids_v6@nvme-v1").is_err());
}

/// Returns a valid specification of a kind at a size.
fn ask(v: &Volume, size: f64) -> String {
    let parameters = v.parameters.iter().map(|p| format!(",{}={}", p.name, p.values[0])).collect::<String>();
    let chosen = |key: &str, figure: &Option<Figure>, value: f64| match figure {
        Some(Figure::Chosen { default: None, min, .. }) => {
            let least = min.value(&|name| if name == "size" { size } else { f64::NAN });
            format!(",{key}={}", value.max(least))
        }
        _ => String::new(),
    };
    format!(
        "{}:size={size}{parameters}{}{}",
        v.name(),
        chosen("iops", &v.iops, 1000.0),
        chosen("mbps", &v.bandwidth, 10.0)
    )
}

proptest! {
    #[test]
    fn a_larger_volume_is_never_slower(index in any::<prop::sample::Index>(), a in 0.0f64..1.0, b in 0.0f64..1.0) {
        let catalog = Catalog::shipped();
        let v = index.get(&catalog.volumes);
        let (least, most) = (v.size.0.unwrap_or(1.0), v.size.1.unwrap_or(65_536.0));
        let place = |x: f64| (least * (most / least).powf(x)).round().clamp(least, most);
        let (small, large) = (place(a.min(b)), place(a.max(b)));
        let limits_of = |size: f64| catalog.resolve_volume(&ask(v, size)).map(|r| r.limits);
        // Some are not sold at the smallest sizes with the IOPS requested here.
        if let (Ok(small), Ok(large)) = (limits_of(small), limits_of(large)) {
            for (s, l) in small.iter().zip(&large) {
                for axis in [LimitAxis::Iops, LimitAxis::Bandwidth] {
                    let (s, l) = (s.cap(axis), l.cap(axis));
                    prop_assert!(s <= l, "{}: {s:?} {l:?}", v.name());
                    prop_assert!(s.is_none_or(|s| s > 0.0 && s.is_finite()), "{}", v.name());
                }
            }
        }
        let top = limits_of(most);
        prop_assert!(top.is_ok(), "{top:?}");
    }

    #[test]
    fn what_is_printed_of_a_volume_is_the_same_volume(index in any::<prop::sample::Index>(), x in 0.0f64..1.0) {
        let catalog = Catalog::shipped();
        let v = index.get(&catalog.volumes);
        let (least, most) = (v.size.0.unwrap_or(1.0), v.size.1.unwrap_or(65_536.0));
        if let Ok(once) = catalog.resolve_volume(&ask(v, (least + x * (most - least)).round())) {
            let twice = catalog.resolve_volume(&once.row).unwrap();
            prop_assert_eq!(once, twice);
        }
    }
}

/// The two properties above check only volumes that are sold at both sizes: most are.
#[test]
fn most_volumes_are_sold_at_most_sizes() {
    let catalog = Catalog::shipped();
    let (mut sold, mut sizes) = (0, 0);
    for v in &catalog.volumes {
        let (least, most) = (v.size.0.unwrap_or(1.0), v.size.1.unwrap_or(65_536.0));
        for step in 0..=8 {
            let size = (least * (most / least).powf(f64::from(step) / 8.0)).round().clamp(least, most);
            sold += usize::from(catalog.resolve_volume(&ask(v, size)).is_ok());
            sizes += 1;
        }
    }
    assert!(sizes >= 9 * 20 && sold * 10 >= sizes * 8, "{sold} of {sizes}");
}

#[test]
fn every_instance_is_found_by_its_name_and_its_printed_row() {
    let catalog = Catalog::shipped();
    for i in &catalog.instances {
        let once = catalog.resolve_instance(&i.kind).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(once, catalog.resolve_instance(&once.row).unwrap());
        let limit = &once.limits[0];
        assert!(limit.iops.is_some() || limit.bandwidth.is_some(), "{}", i.kind);
    }
}

// --- examples that the vendors print ----------------------------------------------------------------------------

#[test]
fn gp2_follows_its_size_as_published() {
    assert_eq!(iops("gp2:size=1"), 100.0);
    assert_eq!(iops("gp2:size=33"), 100.0);
    assert_eq!(iops("gp2:size=34"), 102.0);
    assert_eq!(iops("gp2:size=5334"), 16_000.0);
    assert_eq!((mib("gp2:size=170"), mib("gp2:size=171"), mib("gp2:size=334")), (128.0, 250.0, 250.0));
}

#[test]
fn gp2_bursts_and_refills_for_the_seconds_published() {
    for (size, burst_seconds, refill_seconds) in
        [(1, 1862.0, 54_000.0), (100, 2000.0, 18_000.0), (334, 2703.0, 5389.0), (750, 7200.0, 2400.0)]
    {
        let limit = volume(&format!("gp2:size={size}"));
        let base = limit.iops.unwrap().per_second();
        let burst = limit.burst_iops.expect("it bursts");
        assert!((burst.seconds_at(3000.0, base) - burst_seconds).abs() < 1.0, "{size}");
        assert!((burst.refill_seconds(base).unwrap() - refill_seconds).abs() < 1.0, "{size}");
    }
    assert_eq!(volume("gp2:size=1000").burst_iops, None, "its base is the burst");
}

#[test]
fn a_bursting_gp2_with_256k_is_held_by_bandwidth_at_1000_operations() {
    let limit = volume("gp2:size=500");
    let bandwidth = limit.allows(262_144.0, 1.0).into_iter().find(|(axis, _)| *axis == LimitAxis::Bandwidth);
    assert_eq!(bandwidth, Some((LimitAxis::Bandwidth, Iops(1000.0))));
}

#[test]
fn gp3_io1_and_io2_are_set_within_what_is_published() {
    assert_eq!((iops("gp3:size=2000GiB"), mib("gp3:size=2000GiB")), (3000.0, 125.0));
    assert_eq!((iops("gp3:size=160,iops=80000"), mib("gp3:size=16,iops=8000,mbps=2000")), (80_000.0, 2000.0));
    assert_eq!(iops("gp3:size=64TiB"), 3000.0);
    assert!(refused("gp3:size=70000").contains("at most 65536 GiB"));
    assert!(refused("gp3:size=1000,iops=80001").contains("the vendor offers 3,000 to 80,000"));
    assert!(refused("gp3:size=31,iops=16000").contains("the vendor offers 3,000 to 15,500 at 31 GiB"));
    assert!(refused("gp3:size=100,iops=3000,mbps=1000").contains("the vendor offers 125 to 750 at 3,000 IOPS"));
    assert_eq!(mib("io1:size=1000,iops=48000"), 750.0);
    assert_eq!(mib("io1:size=1000,iops=2000"), 500.0);
    assert_eq!(mib("io1:size=1000,iops=1000"), 250.0);
    assert_eq!((mib("io2:size=1000,iops=10000"), mib("io2:size=1000,iops=64000")), (2560.0, 4000.0));
    assert_eq!(iops("io2:size=256,iops=256000"), 256_000.0);
    assert_eq!(iops("io2-block-express:size=256,iops=256000"), 256_000.0);
    assert!(refused("io1:size=100").contains("iops= must be set: the vendor offers 100 to 5,000"));
}

#[test]
fn hdd_volumes_scan_in_the_hours_published() {
    // Minimum hours to read the whole volume once, starting with a full bucket.
    let best = |text: &str, tib: f64| {
        let limit = volume(text);
        let base = limit.bandwidth.unwrap().per_second();
        let burst = limit.burst_bandwidth.map_or(base, |b| b.rate);
        let bytes = tib * 1024.0 * 1024.0 * MIB;
        bytes / burst / 3600.0
    };
    assert!((best("st1:size=5120", 5.0) - 2.91).abs() < 0.01);
    assert!((best("sc1:size=5120", 5.0) - 5.83).abs() < 0.01);
    let small = volume("st1:size=128");
    assert_eq!((small.bandwidth.unwrap().per_second() / MIB, small.burst_bandwidth.unwrap().rate / MIB), (5.0, 31.25));
    let cold = volume("sc1:size=3072");
    assert_eq!((cold.bandwidth.unwrap().per_second() / MIB, cold.burst_bandwidth.unwrap().rate / MIB), (36.0, 240.0));
    assert_eq!(mib("st1:size=12800"), 500.0);
}

#[test]
fn m4_xlarge_is_decimal_and_m5_large_bursts() {
    let m4 = instance("m4.xlarge");
    assert_eq!((m4.iops, m4.bandwidth), (Some(Iops(6000.0)), Some(BytesPerSecond(93_750_000.0))));
    assert_eq!(m4.crossover(), Some(model::Bytes(15_625)));
    let m5 = instance("m5.large");
    assert_eq!(m5.iops, Some(Iops(3600.0)));
    let burst = m5.burst_iops.expect("it bursts");
    assert_eq!((burst.rate, burst.seconds_at(18_750.0, 3600.0)), (18_750.0, 1800.0));
    assert_eq!(burst.refill_seconds(3600.0), Some(86_400.0));
    assert_eq!(instance("m5.4xlarge").burst_iops, None);
    let LimitSource::Catalog { date, row, .. } = m5.source else { panic!("it is of the catalogue") };
    assert_eq!((date.as_str(), row.as_str()), ("2023-05-11", "aws/m5.large"));
}

#[test]
fn instance_stores_have_reads_and_writes_apart() {
    let store = Catalog::shipped().resolve_volume("instance-store/i3.xlarge").unwrap();
    assert!(store.local);
    let rates: Vec<_> = store.limits.iter().map(|l| (l.op, l.iops.unwrap().per_second())).collect();
    assert_eq!(rates, [(Some(model::Op::Read), 206_250.0), (Some(model::Op::Write), 70_000.0)]);
    let at_8k = store.limits[0].allows(8192.0, 1.0);
    assert_eq!(at_8k, [(LimitAxis::Iops, Iops(103_125.0))]);
    assert_eq!(
        Catalog::shipped().resolve_volume("instance-store/i4g.16xlarge").unwrap().limits[0].iops,
        Some(Iops(1e6))
    );
}

#[test]
fn ibm_classic_is_counted_in_16_kb() {
    assert_eq!(iops("endurance:size=4000GB,tier=10"), 40_000.0);
    assert_eq!(iops("endurance:size=8000,tier=10"), 48_000.0);
    assert_eq!(mib("performance:size=1000,iops=6000"), 93.75);
    let endurance = Catalog::shipped().resolve_volume("endurance:size=4000GB,tier=10").unwrap();
    let confirmed = &endurance.confirmed()[0];
    assert_eq!((confirmed.iops, confirmed.bandwidth), (Some(Iops(40_000.0)), None), "a measurement saw twice as much");
    assert!(endurance.unconfirmed_remark().unwrap().to_string().contains("endurance volume bandwidth"));
    assert!(refused("performance:size=39,iops=2000").contains("the vendor offers 100 to 1,000 at 39 GB"));
    assert!(refused("endurance:size=4000").contains("set tier= to one of 0.25, 2, 4, 10"));
    assert!(refused("endurance:size=4000,tier=3").contains("the vendor offers 0.25, 2, 4, 10"));
}

#[test]
fn ibm_vpc_volumes_and_the_share_of_an_instance() {
    assert_eq!((iops("general-purpose:size=100"), mb("general-purpose:size=100")), (3000.0, 49.152));
    // Mbps as printed: volumes of 9,000 IOPS, and a custom volume of 1,500.
    let mbps = |text: &str| (mb(text) * 8.0).floor();
    assert_eq!((mbps("5iops-tier:size=1800"), mbps("custom:size=300,iops=1500")), (1179.0, 3145.0));
    assert_eq!(mb("general-purpose:size=16000"), 670.0);
    assert_eq!(mb("5iops-tier:size=9600"), 768.0);
    assert_eq!(mb("10iops-tier:size=4800"), 1024.0);
    assert_eq!(iops("custom:size=3000,iops=40000"), 40_000.0);
    assert_eq!((iops("sdp:size=150,iops=60000"), mb("sdp:size=150,mbps=1024")), (60_000.0, 1024.0));
    // 8 Gbps, a quarter of it for volumes, minus 393 Mbps for the boot volume.
    assert_eq!(instance("bx2-4x16").bandwidth, Some(BytesPerSecond((2000.0 - 393.0) * 1e6 / 8.0)));
    assert_eq!(instance("bx2-4x16:share=0.5").bandwidth, Some(BytesPerSecond((4000.0 - 393.0) * 1e6 / 8.0)));
}

#[test]
fn azure_tiers_ranges_and_machines() {
    let p10 = volume("P10");
    assert_eq!((p10.iops, p10.bandwidth), (Some(Iops(500.0)), Some(BytesPerSecond(1e8))));
    assert_eq!(p10.burst_iops.unwrap().seconds_at(3500.0, 500.0), 1800.0);
    assert_eq!(p10.burst_bandwidth.unwrap().rate, 170e6);
    assert_eq!(iops("premium-v2:size=6"), 3000.0);
    assert_eq!(
        (iops("premium-v2:size=160,iops=80000"), mb("premium-v2:size=100,iops=8000,mbps=2000")),
        (80_000.0, 2000.0)
    );
    assert_eq!(mb("premium-v2:size=100,iops=3000,mbps=750"), 750.0);
    assert_eq!(iops("ultra:size=64,iops=64000,mbps=10000"), 64_000.0);
    assert!(refused("ultra:size=4,iops=4001,mbps=100").contains("the vendor offers 100 to 4,000"));
    assert_eq!(instance("E104is_v5").iops, Some(Iops(120_000.0)));
    assert_eq!(instance("D8s_v6@nvme-v2").iops, Some(Iops(16_667.0)));
    assert_eq!(instance("E96as_v6").bandwidth, Some(BytesPerSecond(4_320e6)));
    assert_eq!(instance("D2s_v5").burst_iops.unwrap().rate, 10_000.0);
    let which = Catalog::shipped().resolve_instance("E2bds_v5").unwrap_err().to_string();
    assert!(
        which.contains("which of E2bds_v5@nvme-v1, E2bds_v5@nvme-v2, E2bds_v5@scsi-v1, E2bds_v5@scsi-v2?"),
        "{which}"
    );
}

#[test]
fn google_and_oracle_as_far_as_confirmed() {
    let pd = Catalog::shipped().resolve_volume("pd-standard:size=1000").unwrap();
    let bandwidths: Vec<_> = pd.limits.iter().map(|l| (l.bandwidth.unwrap().per_second() / MIB).round()).collect();
    assert_eq!(bandwidths, [120.0, 120.0]);
    let rates_of = |text: &str| {
        let limits = Catalog::shipped().resolve_volume(text).unwrap().limits;
        (limits[0].iops.unwrap().per_second(), (limits[1].bandwidth.unwrap().per_second() / MIB).round())
    };
    assert_eq!((rates_of("pd-balanced:size=1000"), rates_of("pd-ssd:size=1000")), ((9000.0, 420.0), (36_000.0, 720.0)));
    assert_eq!(rates_of("pd-ssd:size=65536"), (100_000.0, 2200.0));
    assert_eq!(
        (iops("hyperdisk-extreme:size=300,iops=350000"), mib("hyperdisk-extreme:size=64,iops=4000")),
        (350_000.0, 1000.0)
    );
    assert!(refused("hyperdisk-extreme:size=64,iops=100").contains("the vendor offers 128 to 76,800 at 64 GiB"));
    assert_eq!((iops("block:size=50,vpu=10"), mb("block:size=50,vpu=10")), (3000.0, 24.0));
    assert_eq!((iops("block:size=400,vpu=10"), mb("block:size=400,vpu=10")), (24_000.0, 192.0));
    assert_eq!((iops("block:size=500,vpu=10"), mb("block:size=500,vpu=10")), (25_000.0, 240.0));
    assert_eq!((iops("block:size=1024,vpu=10"), mb("block:size=1024,vpu=10")), (25_000.0, 480.0));
    // VPU, IOPS per GB, maximum IOPS, KB/s per GB and maximum MB/s, as printed.
    for (vpu, iops_each, most_iops, kb_each, most_mb) in [
        (0, 2.0, 3000.0, 240.0, 480.0),
        (20, 75.0, 50_000.0, 600.0, 680.0),
        (30, 90.0, 75_000.0, 720.0, 880.0),
        (70, 150.0, 175_000.0, 1200.0, 1680.0),
        (120, 225.0, 300_000.0, 1800.0, 2680.0),
    ] {
        let (small, large) = (format!("block:size=100,vpu={vpu}"), format!("block:size=32768,vpu={vpu}"));
        assert_eq!((iops(&small), mb(&small)), (100.0 * iops_each, 100.0 * kb_each / 1000.0), "{vpu}");
        assert_eq!((iops(&large), mb(&large)), (most_iops, most_mb), "{vpu}");
    }
    let (e5, e4) = (instance("VM.Standard.E5.Flex.4"), instance("VM.Standard.E4.Flex.64"));
    assert_eq!((e5.iops, e5.bandwidth), (Some(Iops(80_000.0)), Some(BytesPerSecond(480e6))));
    assert_eq!((e4.iops, e4.bandwidth), (Some(Iops(600_000.0)), Some(BytesPerSecond(4_800e6))));
    let store = Catalog::shipped().resolve_volume("local-nvme/VM.DenseIO.E4.Flex.16").unwrap();
    assert_eq!((store.local, store.limits[0].iops), (true, Some(Iops(460_000.0))));
    assert_eq!(iops("boot:size=50,vpu=120"), 11_250.0);
    assert_eq!(iops("boot:size=223,vpu=120"), 50_000.0);
}

#[test]
fn a_google_machine_is_found_by_its_own_name_and_caps_reads_and_writes_apart() {
    let n2 = Catalog::shipped().resolve_instance("n2-highmem-16@pd-ssd").unwrap();
    assert_eq!(n2.row, "gcp/n2-*-16@pd-ssd");
    let c2 = Catalog::shipped().resolve_instance("gcp/c2-standard-60@pd-ssd").unwrap();
    let rates: Vec<_> = c2.limits.iter().map(|l| (l.op, l.iops.unwrap().per_second())).collect();
    assert_eq!(rates, [(Some(model::Op::Read), 30_000.0), (Some(model::Op::Write), 15_000.0)]);
    let wrong = |text: &str| Catalog::shipped().resolve_instance(text).unwrap_err().to_string();
    let which = wrong("n2-standard-16");
    assert!(which.contains("which of n2-*-16@pd-balanced, n2-*-16@pd-ssd, n2-*-16@pd-standard?"), "{which}");
    assert!(wrong("n2--16@pd-ssd").contains("is not in the catalogue"), "a star is no empty word");
}

#[test]
fn instances_of_today_and_those_that_have_risen() {
    for (name, base, most) in [
        ("m7i.large", 3600.0, 40_000.0),
        ("c7i.4xlarge", 20_000.0, 40_000.0),
        ("r7i.48xlarge", 240_000.0, 240_000.0),
        ("m8g.medium", 2500.0, 40_000.0),
        ("i7ie.large", 2500.0, 40_000.0),
        ("r8gb.medium", 7500.0, 120_000.0),
        ("r8gb.24xlarge", 720_000.0, 720_000.0),
        ("m6in.large", 6250.0, 100_000.0),
    ] {
        let limit = instance(name);
        assert_eq!(limit.iops, Some(Iops(base)), "{name}");
        assert_eq!(limit.burst_iops.map_or(base, |b| b.rate), most, "{name}");
    }
}

#[test]
fn a_weighting_moves_bandwidth_and_no_operations() {
    let mbps = |text: &str| {
        let limit = instance(text);
        let base = limit.bandwidth.unwrap().per_second();
        let most = limit.burst_bandwidth.map_or(base, |b| b.rate);
        ((base * 8.0 / 1e3).round() / 1e3, (most * 8.0 / 1e3).round() / 1e3)
    };
    assert_eq!(mbps("m8g.large"), (630.0, 10_000.0));
    assert_eq!(mbps("m8g.large:weighting=default"), mbps("m8g.large"));
    assert_eq!(mbps("m8g.large:weighting=ebs-1"), (787.5, 10_000.0));
    // The network has 937 Mbps. A quarter of that is taken from the volumes, from their maximum as well.
    assert_eq!(mbps("m8g.large:weighting=vpc-1"), (395.75, 9_765.75));
    assert_eq!(mbps("m8g.48xlarge:weighting=ebs-1"), (50_000.0, 50_000.0));
    assert_eq!(mbps("m8g.48xlarge:weighting=vpc-1"), (27_500.0, 27_500.0));
    // The maximum of small Flex types stays the same; the maximum of large ones moves.
    assert_eq!(mbps("m8i-flex.large:weighting=vpc-1").1, mbps("m8i-flex.large").1);
    assert!(mbps("m8i-flex.16xlarge:weighting=ebs-1").1 > mbps("m8i-flex.16xlarge").1);
    assert_eq!(instance("m8g.large:weighting=ebs-1").iops, instance("m8g.large").iops);
    let refused = |text: &str| Catalog::shipped().resolve_instance(text).expect_err("it is refused").to_string();
    let wrong = refused("m8g.large:weighting=ebs1");
    assert!(wrong.contains("the vendor offers default, ebs-1, vpc-1; did you mean `ebs-1`?"), "{wrong}");
    assert!(refused("m7i.large:weighting=ebs-1").contains("it has no settings"));
    for i in Catalog::shipped().instances.iter().filter(|i| !i.weightings.is_empty()) {
        let base = i.bandwidth.expect("it has some").base;
        for w in &i.weightings {
            let moved = instance(&format!("{}:weighting={}", i.kind, w.name)).bandwidth.unwrap().per_second();
            assert!(moved > 0.0 && (moved > base) == (w.name == "ebs-1"), "{} {}", i.kind, w.name);
        }
    }
}

#[test]
fn a_row_older_than_a_year_does_not_refuse_what_is_above_its_maximum() {
    let later = Catalog::shipped().clone().on("2027-12-01");
    let bought = later.resolve_volume("gp3:size=70000GiB,iops=99999,mbps=2500").unwrap();
    assert_eq!(bought.limits[0].iops, Some(Iops(99_999.0)));
    assert_eq!(bought.limits[0].bandwidth, Some(BytesPerSecond(2500.0 * MIB)));
    let doubts: Vec<String> = bought.doubts.iter().map(ToString::to_string).collect();
    assert_eq!(
        doubts,
        [
            "aws/gp3 size 70000 GiB exceeds the maximum of 65536 GiB published on 2026-11-20, which may have \
             risen since: the value is accepted",
            "aws/gp3 99,999 IOPS exceeds the maximum of 80,000 IOPS published on 2026-11-20, which may have \
             risen since: the value is accepted",
            "aws/gp3 2,500 MiB/s exceeds the maximum of 2,000 MiB/s published on 2026-11-20, which may have \
             risen since: the value is accepted",
        ]
    );
    assert_eq!(later.resolve_volume(&bought.row).unwrap(), bought);
    assert!(later.resolve_volume("gp3:size=100,iops=4000").unwrap().doubts.is_empty());
    // Only values above the maximum are accepted, not those below the minimum or invalid ones.
    for wrong in ["gp3:size=100,iops=100", "gp3:size=0", "io1:size=100,iops=99", "P10:size=256"] {
        assert!(later.resolve_volume(wrong).is_err(), "{wrong}");
    }
    let now = Catalog::shipped().clone().on("2026-11-26");
    assert!(
        now.resolve_volume("gp3:size=100,iops=99999").unwrap_err().to_string().contains("publication of 2026-11-20")
    );
    assert_eq!(later.resolve_volume("gp2:size=20000").unwrap().doubts.len(), 1, "it is of January 2026");
    let undated = now.resolve_volume("hyperdisk-extreme:size=64,iops=99999").unwrap();
    assert!(undated.doubts[0].to_string().contains("which is undated"), "{}", undated.doubts[0]);
    // The user's own row without a date does not count as an old publication.
    let mut extended = Catalog::default().on("2026-11-26");
    let row = "provider = \"x\"\n[[volume]]\nkind = \"k\"\niops = { min = 1, max = 9 }\n";
    extended.extend("own.toml", row).unwrap();
    let wrong = extended.resolve_volume("k:size=1,iops=10").unwrap_err().to_string();
    assert!(wrong.contains(" according to the publication (--catalog FILE adds newer)"), "{wrong}");
}

// --- mistakes ---------------------------------------------------------------------------------------------------

#[test]
fn mistakes_in_what_was_bought_are_named() {
    assert!(refused("gp33:size=1").contains("did you mean `gp3`?"), "{}", refused("gp33:size=1"));
    assert!(refused("gp3").contains("its limits depend on its size: set size=N (in GiB)"));
    assert!(refused("gp3:size=10,iosp=3000").contains("did you mean `iops`?"));
    assert!(refused("gp2:size=10,iops=3000").contains("its IOPS cannot be set: it is clamp(3*size, 100, 16000)"));
    assert!(refused("gp3:size=10,size=11").contains("given twice"));
    assert!(refused("gp3:10").contains("KEY=VALUE"));
    assert!(refused("gp3:size=0").contains("at least 1 GiB"));
    assert!(refused("gp3:size=10q").contains("unknown unit"));
    assert!(refused("P10:size=256").contains("it is available with 128 GiB only"));
    let refused = |text: &str| Catalog::shipped().resolve_instance(text).expect_err("it is refused").to_string();
    assert!(refused("m4.xlarg").contains("did you mean `m4.xlarge`?"));
    assert!(refused("m5.medum").contains("did you mean `m5.large`?"), "{}", refused("m5.medum"));
    assert!(refused("m4.xlarge:share=1").contains("it has no settings"));
}

#[test]
fn a_users_file_adds_and_replaces_and_its_mistakes_have_a_line() {
    let mut catalog = Catalog::shipped().clone();
    let volumes = catalog.volumes.len();
    let our_row = "provider = \"aws\"\nsource = \"our contract\"\nsource_date = \"2026-11-01\"\n\n[[volume]]\nkind = \"gp3\"\n\
               size = { min = 1, max = 65536 }\niops = { default = 3000, min = 3000, max = 80000 }\nbandwidth = 2000\n";
    catalog.extend("own.toml", our_row).unwrap();
    assert_eq!(catalog.volumes.len(), volumes);
    let gp3 = catalog.resolve_volume("gp3:size=1000,iops=80000").unwrap();
    assert_eq!((gp3.limits[0].iops, gp3.origin.mark), (Some(Iops(80_000.0)), Mark::Own));
    assert_eq!(gp3.origin.line, 5);
    let priced = |kind: &str| {
        let price = "{ region = \"r\", currency = \"EUR\", size = 0.07, iops = [[3000, 0.004]] }";
        let head = "provider = \"aws\"\nsource_date = \"2026-11-01\"\n\n[[volume_price]]\n";
        format!("{head}kind = \"{kind}\"\nprice = {price}\n")
    };
    let mut prices = Catalog::shipped().clone();
    prices.extend("prices.toml", &priced("gp3")).unwrap();
    let price = prices.resolve_volume("gp3:size=100,iops=4000").unwrap().price.unwrap();
    assert_eq!((price.amount.round(), price.currency.as_str(), price.date.as_str()), (11.0, "EUR", "2026-11-01"));
    let unknown = prices.extend("prices.toml", &priced("gp33")).unwrap_err().to_string();
    assert_eq!(unknown, "prices.toml:6: there is no volume `gp33` of aws to price");
    let wrong = |text: &str| Catalog::default().extend("own.toml", text).unwrap_err().to_string();
    let with = |row: &str| wrong(&format!("provider = \"x\"\n\n[[volume]]\nkind = \"k\"\n{row}\n"));
    assert!(
        with("iops = \"3*sise\"").starts_with("own.toml:5: iops: `sise` is not known"),
        "{}",
        with("iops = \"3*sise\"")
    );
    assert!(with("iosp = 3").starts_with("own.toml:5: unknown field `iosp`"), "{}", with("iosp = 3"));
    assert!(with("").starts_with("own.toml:3: volume `k` has no caps"));
    assert!(with("iops = 3\nio_unit = \"4q\"").starts_with("own.toml:6: io_unit: unknown unit"));
    assert!(with("iops = 3\npromised = 90").starts_with("own.toml:6: promised 90"));
    assert!(with("iops = 3\nmark = \"U\"").starts_with("own.toml:6: mark `U`"));
    assert!(with("iops = 3\nsource_date = \"soon\"").starts_with("own.toml:6: source_date `soon`"));
    let price = |keys: &str| with(&format!("iops = 3\nprice = {{ region = \"r\", currency = \"EUR\", {keys} }}"));
    assert!(price("size = -1").starts_with("own.toml:6: price:"), "{}", price("size = -1"));
    assert!(
        price("size = 1, iops = [[5, 1], [5, 2]]").contains("tiers must be [above, for each], in increasing order")
    );
    assert!(price("iops = [[5, 1]]").contains("price: `size` is missing"));
    let two = "provider = \"x\"\n[[volume]]\nkind = \"k\"\niops = 1\n[[volume]]\nkind = \"K\"\niops = 2\n";
    assert_eq!(wrong(two), "own.toml:5: `K` appears twice: first on line 2");
    assert!(with("iops = 3\nparameters = { iops = { values = [1] } }").contains("the name is reserved"));
    let mut odd = Catalog::default();
    odd.extend("own.toml", "provider = \"x\"\n[[volume]]\nkind = \"k\"\niops = \"size/0\"\n").unwrap();
    assert!(
        odd.resolve_volume("k:size=1")
            .unwrap_err()
            .to_string()
            .ends_with("the formula of a cap yields inf: see own.toml:2")
    );
    assert!(wrong("provider = 3").starts_with("own.toml:1: "));
    assert!(wrong("provider = \"x\"\n[[volume]\n").starts_with("own.toml:2: "));
    let table = "provider = \"x\"\n[[instance_table]]\ncolumns = \"type, Mbps, MBps\"\nrows = \"\"\"\na.b, 8, 1\n\n# two\na.c, 80, 1\n\"\"\"\n";
    assert!(wrong(table).starts_with("own.toml:8: a.c: 80 Mbps are 10 MB/s"), "{}", wrong(table));
    let weighted = |how: &str, cell: &str| {
        wrong(&format!(
            "provider = \"x\"\n[[instance_table]]\nweightings = {{ w = {how} }}\ncolumns = \"type, Mbps, network_Mbps\"\nrows = \"\"\"\na.b, 8, {cell}\n\"\"\"\n"
        ))
    };
    assert!(weighted("{ to_network = 0.5 }", "-").starts_with("own.toml:6: weighting `w` refers to network bandwidth"));
    assert!(
        weighted("{ to_volumes = 2.0 }", "8").starts_with("own.toml:3: weighting `w`: 2: must be above 0 and below 1")
    );
    assert!(weighted("{ maximum = true }", "8").contains("expected either to_volumes or to_network"));
    let unexplained = table.replace("80, 1", "8/16, 1/2");
    assert!(wrong(&unexplained).starts_with("own.toml:8: a maximum above the base"), "{}", wrong(&unexplained));
}
