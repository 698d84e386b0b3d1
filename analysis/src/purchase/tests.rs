//! Synthetic recordings and the resulting purchases.

use super::*;
use crate::DemandBuilder;
use model::measured::RequestKind;
use model::recording::{RecordedLayer, RecordedTarget, RecordingEnd, RequestFlags};

const TERMS: PurchaseTerms = PurchaseTerms { headroom: 0.0, wait: 0, lasting: None, credits: 1.0 };

/// Role, requests per second in the first and in the second half, size, and true if they are random reads.
struct Stream(&'static str, u64, u64, u64, bool);

fn target(role: &str, gib: u64) -> RecordedTarget {
    RecordedTarget { role: role.into(), name: role.into(), size: Bytes::from_gib(gib), sector: 512 }
}

/// Returns a recording of `seconds` seconds.
fn record(streams: &[Stream], targets: &[RecordedTarget], seconds: u64) -> (PurchaseBuilder, Demand) {
    let (mut builder, mut demand) = (PurchaseBuilder::new(Catalog::shipped()), DemandBuilder::default());
    for second in 0..seconds {
        let mut requests = Vec::new();
        for (target, Stream(_, first, then, bytes, random)) in streams.iter().enumerate() {
            let rate = if second < seconds / 2 { *first } else { *then };
            requests.extend((0..rate).map(|i| RecordedRequest {
                at: Nanos(second * 1_000_000_000 + i * 1_000_000_000 / rate),
                latency: Some(Nanos(1000)),
                target: target as u16,
                kind: if *random { RequestKind::Read } else { RequestKind::Write },
                flags: RequestFlags::default(),
                offset: (second * rate + i) * if *random { 7_919 * 65_536 } else { *bytes } % (8 << 30),
                bytes: *bytes,
            }));
        }
        requests.sort_by_key(|r| r.at);
        requests.iter().for_each(|r| {
            builder.add(r);
            demand.add(r, targets);
        });
    }
    let end = RecordingEnd { length: Nanos::from_secs(seconds), ..RecordingEnd::default() };
    (builder, demand.finish(RecordedLayer::Block, Some(&end), &[]))
}

fn request<'a>(terms: PurchaseTerms, providers: &'a [String], instance: Option<&'a str>) -> PurchaseRequest<'a> {
    PurchaseRequest { terms, providers, instance, volumes: &[], room: None, rooms: &[] }
}

fn rows(purchases: &[Purchase]) -> Vec<String> {
    purchases.iter().map(|p| p.bought.iter().map(|b| b.row.clone()).collect::<Vec<_>>().join(" + ")).collect()
}

fn solved(streams: &[Stream], gib: &[u64], seconds: u64, terms: PurchaseTerms, instance: Option<&str>) -> Purchases {
    let targets: Vec<RecordedTarget> = streams.iter().zip(gib).map(|(s, gib)| target(s.0, *gib)).collect();
    let (builder, demand) = record(streams, &targets, seconds);
    let aws = ["aws".to_owned()];
    builder.solve(Catalog::shipped(), &demand, &targets, &request(terms, &aws, instance)).unwrap()
}

#[test]
fn the_cheapest_of_each_kind_is_found_with_its_price() {
    let purchases = solved(&[Stream("data", 4000, 4000, 8192, true)], &[100], 20, TERMS, None);
    let rows = rows(&purchases.together.carrying);
    assert_eq!(rows[0], "aws/gp3:size=100GiB,iops=4000,mbps=125", "{rows:?}");
    assert_eq!(purchases.together.carrying[0].price, Some(8.0 + 1000.0 * 0.005));
    let at = |row: &str| rows.iter().position(|r| r == row).unwrap_or_else(|| panic!("{row} is not in {rows:?}"));
    // 3 IOPS per GiB for $0.10, $0.125 and $0.065 per IOPS.
    assert!(at("aws/gp2:size=1334GiB") < at("aws/io2:size=100GiB,iops=4000"), "{rows:?}");
    assert!(!rows.iter().any(|r| r.contains("block-express")), "another name of io2: {rows:?}");
    assert_eq!((purchases.room, purchases.roles[0].source), (Bytes::from_gib(100), RoomSource::Recorded));
    // The volume that would have been too small, and the requests it would have held back.
    let gp2 = purchases.together.holding.iter().find(|p| p.bought[0].row == "aws/gp2:size=100GiB").expect("it is told");
    assert_eq!(gp2.served.binds.as_deref(), Some("gp2 volume IOPS"));
    assert_eq!(
        (gp2.served.delayed, gp2.served.left),
        (74_000, 20_000),
        "3,000 a second pass on credits, the oldest first"
    );
    assert!(purchases.instances.iter().any(|p| p.bought[0].row == "aws/m5.xlarge"));
    assert!(purchases.apart.is_none());
}

#[test]
fn credits_carry_a_burst_but_not_for_ever() {
    let streams = [Stream("data", 2000, 2000, 4096, true)];
    let once = PurchaseTerms { lasting: Some(20), ..TERMS };
    let purchases = solved(&streams, &[100], 20, once, None);
    let gp2 =
        |purchases: &Purchases| rows(&purchases.together.carrying).into_iter().find(|r| r.contains("gp2")).unwrap();
    assert_eq!(gp2(&purchases), "aws/gp2:size=100GiB", "credits carry it for 20 s");
    assert!(purchases.together.carrying[0].served.credits.is_empty() && !purchases.doubts.is_empty());
    // 300 come in, 2,000 go out: 5.4 million last for 3,176 s.
    let hour = PurchaseTerms { lasting: Some(3600), ..TERMS };
    assert_eq!(gp2(&solved(&streams, &[100], 20, hour, None)), "aws/gp2:size=167GiB");
    let purchases = solved(&streams, &[100], 20, TERMS, None);
    assert_eq!(gp2(&purchases), "aws/gp2:size=667GiB", "what comes in is what goes out");
    let held =
        purchases.together.holding.iter().find(|p| p.bought[0].row == "aws/gp2:size=100GiB").expect("it is told");
    assert!((held.served.lasts.expect("not for ever").secs() - 3176.0).abs() <= 20.0, "{:?}", held.served.lasts);
    assert_eq!((held.served.delayed, held.carries), (0, false));
}

#[test]
fn what_varies_about_the_baseline_is_carried_by_credits_without_end() {
    // 900 on average: 300 GiB of gp2 refill as much as is used.
    let purchases = solved(&[Stream("data", 1700, 100, 4096, true)], &[50], 40, TERMS, None);
    let rows = rows(&purchases.together.carrying);
    assert!(rows.contains(&"aws/gp2:size=300GiB".to_owned()), "{rows:?}");
    let none = PurchaseTerms { credits: 0.0, ..TERMS };
    let purchases = solved(&[Stream("data", 1700, 100, 4096, true)], &[50], 40, none, None);
    assert!(
        self::rows(&purchases.together.carrying).contains(&"aws/gp2:size=567GiB".to_owned()),
        "it begins with the burst"
    );
}

#[test]
fn who_may_wait_needs_less() {
    let streams = [Stream("data", 6000, 0, 4096, true)];
    let gp3 = |terms| {
        rows(&solved(&streams, &[20], 4, terms, None).together.carrying).into_iter().find(|r| r.contains("gp3"))
    };
    assert_eq!(gp3(TERMS).as_deref(), Some("aws/gp3:size=20GiB,iops=6000,mbps=125"));
    // Two seconds at 6,000 IOPS take four seconds at 3,000: the last request waits for two.
    let wait = PurchaseTerms { wait: 2, ..TERMS };
    assert_eq!(gp3(wait).as_deref(), Some("aws/gp3:size=20GiB,iops=3000,mbps=125"));
    let more = PurchaseTerms { headroom: 0.5, ..TERMS };
    assert_eq!(gp3(more).as_deref(), Some("aws/gp3:size=20GiB,iops=9000,mbps=125"));
}

#[test]
fn roles_lie_on_one_volume_or_on_one_each() {
    let streams = [Stream("data", 5000, 5000, 8192, true), Stream("journal", 400, 400, 4096, false)];
    let purchases = solved(&streams, &[100, 10], 10, TERMS, None);
    assert_eq!((purchases.room, purchases.roles.len()), (Bytes::from_gib(110), 2));
    assert!(rows(&purchases.together.carrying).contains(&"aws/gp3:size=110GiB,iops=5400,mbps=125".to_owned()));
    let apart = purchases.apart.expect("two roles");
    let rows = rows(&apart.carrying);
    assert!(
        rows.contains(&"aws/gp3:size=100GiB,iops=5000,mbps=125 + aws/gp3:size=10GiB,iops=3000,mbps=125".to_owned())
    );
    assert_eq!(apart.carrying[0].bought[1].roles, ["journal"]);
    assert!(apart.carrying.iter().all(|p| p.carries && p.served.requests == 54_000));
}

#[test]
fn an_instance_holds_all_volumes_down() {
    let streams = [Stream("data", 5000, 5000, 8192, true), Stream("journal", 400, 400, 4096, false)];
    let purchases = solved(&streams, &[100, 10], 10, TERMS, Some("m5.large"));
    let instance = purchases.instance.as_ref().expect("it was named");
    assert!(!instance.carries && instance.served.delayed == 0, "3,600 last, bursts carry ten seconds");
    assert!(instance.served.lasts.is_some() && purchases.instances.is_empty());
    assert!(purchases.together.carrying.iter().all(|p| !p.carries), "none is carried by that instance");
    let purchases = solved(&streams, &[100, 10], 10, TERMS, Some("m5.xlarge"));
    assert!(purchases.together.carrying.iter().all(|p| p.carries));
}

#[test]
fn requests_of_no_file_go_with_the_busiest_role_of_their_device() {
    let device = |role: &str, gib| RecordedTarget { name: "vda".into(), ..target(role, gib) };
    let targets = [device("data", 40), device("journal", 40), device(UNMAPPED, 40)];
    let streams = [
        Stream("data", 500, 500, 8192, true),
        Stream("journal", 400, 400, 4096, false),
        Stream("", 100, 100, 4096, true),
    ];
    let (builder, demand) = record(&streams, &targets, 10);
    let purchases = builder.solve(Catalog::shipped(), &demand, &targets, &request(TERMS, &[], None)).unwrap();
    let roles: Vec<_> = purchases.roles.iter().map(|r| (r.role.as_str(), r.requests, r.source)).collect();
    assert_eq!(roles, [("data", 6000, RoomSource::Recorded), ("journal", 4000, RoomSource::Touched)]);
    assert_eq!((purchases.roles[1].room, purchases.room), (Bytes(4000 * 4096), Bytes::from_gib(40)));
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let (builder, demand) = record(&[Stream("data", 10, 10, 4096, true)], &[target("data", 1)], 2);
    let asked = request(TERMS, &[], Some("m5.medum"));
    let error = builder.solve(Catalog::shipped(), &demand, &[], &asked).unwrap_err().to_string();
    assert!(error.contains("did you mean `m5.large`?"), "{error}");
}

#[test]
fn prices_are_of_each_tier() {
    let price = |text: &str| Catalog::shipped().resolve_volume(text).unwrap().price.map(|p| p.amount);
    let near =
        |text: &str, amount: f64| assert!((price(text).unwrap() - amount).abs() < 1e-6, "{text}: {:?}", price(text));
    near("gp3:size=2000,iops=10000,mbps=500", 160.0 + 35.0 + 15.0);
    near("gp2:size=100", 10.0);
    near("io2:size=1000,iops=100000", 125.0 + 2080.0 + 1456.0 + 1152.0);
    near("st1:size=1000", 45.0);
    assert_eq!(price("premium-v2:size=100"), None);
}

#[test]
fn calls_that_the_page_cache_answers_are_a_doubt_of_what_is_bought() {
    let streams = [Stream("data", 100, 100, 4096, true)];
    let targets = [target("data", 10)];
    let (builder, block) = record(&streams, &targets, 20);
    let calls = DemandBuilder::default().finish(RecordedLayer::Syscalls, None, &[]);
    let demand = Demand { doubts: calls.doubts, ..block };
    let terms = PurchaseTerms { lasting: Some(20), ..TERMS };
    let purchases = builder.solve(Catalog::shipped(), &demand, &targets, &request(terms, &[], None)).unwrap();
    let doubt = purchases.doubts.iter().find(|d| d.id == "recording-above-cache").expect("it is told");
    assert_eq!(doubt.severity, model::Severity::Doubt);
}
