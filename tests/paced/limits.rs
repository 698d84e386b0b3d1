//! `secchi limits`: recordings, mistakes, and published rows compared with a throttled disk.

use crate::support::commands::{document, limits};
use crate::support::{Blkio, Run, Sandbox, Secchi, beside, names_in, paced, skip, undisturbed};
use model::recording::{RecordedRequest, RecordedTarget, RecordingEnd, RecordingHeader, RequestFlags};
use model::{Bytes, Nanos, bounds::LimitSource, judged::Steadiness, measured::RequestKind, record::Step};
use recording::RecordingWriter;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[test]
fn the_smallest_that_meets_a_need_is_found() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut solve = limits(&sandbox, "solve --provider aws --json");
    let solved = document(&solve.arg("--need").arg("8k randread: iops>=6000, avg<=2ms").run());
    let rows = |list: &Value| -> Vec<String> {
        let entries = list.as_array().expect("a list");
        entries.iter().map(|a| a["bought"][0]["row"].as_str().expect("a row").to_owned()).collect()
    };
    let (volumes, instances) = (rows(&solved["together"]["carrying"]), rows(&solved["instances"]));
    assert_eq!(volumes[0], "aws/gp3:size=12GiB,iops=6000,mbps=125", "{volumes:?}");
    assert_eq!(solved["together"]["carrying"][0]["price"].as_f64().map(|p| p.round()), Some(16.0));
    assert_eq!(solved["needs"][0]["in_flight"], 12.0);
    assert!(instances.contains(&"aws/m7i.xlarge".to_owned()), "{instances:?}");
    assert!(!instances.contains(&"aws/m5.xlarge".to_owned()), "m5 is a previous generation");
    let mut none = limits(&sandbox, "solve --provider aws");
    let ended = none.arg("--need").arg("4k randread: iops>=90m").run();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stdout.contains("nothing in the catalogue sustains the load"), "{}", ended.stdout);
}

#[test]
fn every_option_acts_on_needs_or_is_refused_by_name() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let solve = |words: &str| {
        let mut secchi = limits(&sandbox, "solve --provider aws --capacity 10TiB");
        secchi.words(words).arg("--need").arg("8k randrw 70/30: iops>=100000").run()
    };
    solve("--instance nonsense").refuses(64, "instance `nonsense` is not in the catalogue");
    solve("--volume gp33:size=1").refuses(64, "did you mean `gp3`?");
    solve("--current gp33:size=1").refuses(64, "did you mean `gp3`?");
    solve("--capacity data=1GiB").refuses(64, "needs have no roles");
    let row = |words: &str| {
        let solved = document(&solve(&format!("--json {words}")));
        solved["together"]["carrying"][0]["bought"][0]["row"].as_str().map(str::to_owned)
    };
    assert_eq!(row("").as_deref(), Some("2*aws/gp3:size=5120GiB,iops=50000,mbps=391"));
    assert_eq!(row("--headroom 20%").as_deref(), Some("2*aws/gp3:size=5120GiB,iops=60000,mbps=469"));
    // The instance has 40,000 IOPS.
    let held = solve("--json --keep-instance m6i.8xlarge");
    let answer: Value = serde_json::from_str(&held.stdout).expect("a document");
    assert_eq!((held.code, &answer["instance"]["carries"]), (1, &Value::from(false)));
    let screen = solve("");
    assert!(
        screen.stdout.contains("buy 2*aws/gp3:size=5120GiB,iops=50000,mbps=391 for 1,310.48 USD"),
        "{}",
        screen.stdout
    );
    // A local disk is offered only if it has the capacity.
    let mut large = limits(&sandbox, "solve --provider aws --capacity 60TiB --json --need");
    let large = document(&large.arg("8k randread: iops>=6000").run());
    let rows = large["together"]["carrying"].as_array().expect("a list");
    let local = rows.iter().filter_map(|p| p["bought"][0]["row"].as_str()).find(|r| r.contains("instance-store"));
    assert_eq!(local, Some("aws/instance-store/i7ie.48xlarge:size=120000GB"));
}

#[test]
fn volumes_of_an_account_are_options_and_prices_can_be_replaced() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (volumes, prices) = (sandbox.path("volumes.json"), sandbox.path("prices.toml"));
    let json = r#"{"Volumes": [{"VolumeId": "vol-1", "VolumeType": "gp3", "Size": 500, "Iops": 6000, "Throughput": 250,
        "Attachments": [{"InstanceId": "i-1"}]}, {"VolumeId": "vol-2", "VolumeType": "new9", "Size": 1}]}"#;
    std::fs::write(&volumes, json).expect("written");
    let listed = document(&limits(&sandbox, "account --json").arg(&volumes).run());
    assert_eq!(listed["volumes"][0]["volume"], "aws/gp3:size=500GiB,iops=6000,mbps=250");
    assert_eq!(listed["volumes"][0]["price"].as_f64().map(f64::round), Some(60.0));
    assert!(listed["volumes"][1]["error"].as_str().is_some_and(|e| e.contains("not in the catalogue")), "{listed}");
    let screen = limits(&sandbox, "account").arg(&volumes).run();
    assert!(screen.stdout.contains("i-1") && screen.stdout.contains("60.00"), "{}", screen.stdout);
    std::fs::write(&volumes, "{}").expect("written");
    limits(&sandbox, "account").arg(&volumes).run().refuses(64, "no list of volumes");
    let row = "provider = \"aws\"\nsource_date = \"2026-11-01\"\n\n[[volume_price]]\nkind = \"gp3\"\n\
               price = { region = \"eu\", currency = \"EUR\", size = 0.01 }\n";
    std::fs::write(&prices, row).expect("written");
    let mut solve = limits(&sandbox, "solve --provider aws --capacity 100GiB --json --prices");
    let solved = document(&solve.arg(&prices).arg("--need").arg("8k randread: iops>=3000").run());
    assert_eq!(solved["together"]["carrying"][0]["price"].as_f64(), Some(1.0));
    // Of two regions with prices, only one is considered.
    let mut solve = limits(&sandbox, "solve --region EU --capacity 100GiB --json --prices");
    let solved = document(&solve.arg(&prices).arg("--need").arg("8k randread: iops>=3000").run());
    let carrying = solved["together"]["carrying"].as_array().expect("a list");
    assert!(
        carrying.len() > 2
            && carrying.iter().all(|p| p["bought"][0]["row"].as_str().is_some_and(|r| r.contains("aws/")))
    );
    assert_eq!(carrying.iter().filter_map(|p| p["price"].as_f64()).collect::<Vec<_>>(), [1.0]);
    let contracts = document(&limits(&sandbox, "contracts --json").run());
    assert!(contracts["contracts"].as_array().is_some_and(|c| c.iter().any(|c| c["name"] == "etcd")), "{contracts}");
}

/// Samples of iostat at one per minute: the mean of a minute in each of its seconds.
#[test]
fn samples_are_bought_for_and_the_current_volume_is_judged() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (file, html) = (sandbox.path("iostat.txt"), sandbox.path("buy.html"));
    let mut text = "Linux 6.1.0 (db1) \t11/28/2026 \t_x86_64_\t(8 CPU)\n\n".to_owned();
    for minute in 0..30 {
        let (iops, kb) = if (10..15).contains(&minute) { (4500.0, 72_000.0) } else { (300.0, 4800.0) };
        text += &format!(
            "11/28/2026 10:{minute:02}:00 AM\nDevice r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await \
             wareq-sz aqu-sz %util\nsda {iops:.2} {kb:.2} 0.00 0.00 0.50 16.00 100.00 800.00 0.00 0.00 0.40 8.00 0.10 9.00\n\n"
        );
    }
    std::fs::write(&file, text).expect("written");
    let mut solve = limits(&sandbox, "solve --provider aws --capacity 500GiB --current gp2:size=500GiB --json");
    let solved = document(&solve.arg(&file).arg("-o").arg(&html).run());
    let best = &solved["together"]["carrying"][0];
    assert_eq!(best["bought"][0]["row"], "aws/gp3:size=500GiB,iops=5980,mbps=125", "{best}");
    assert_eq!(solved["current"]["carries"], false, "3,000 IOPS burst, 1,500 last");
    assert!(solved["current"]["delayed"].as_u64().is_some_and(|n| n > 100_000), "{}", solved["current"]);
    assert_eq!(solved["resolution"].as_u64(), Some(60_000_000_000));
    let doubts = solved["doubts"].as_array().expect("a list");
    assert!(doubts.iter().any(|d| d["id"] == "demand-sampled"), "the resolution is a doubt");
    assert!(std::fs::read_to_string(html).expect("written").contains("aws/gp3:size=500GiB"));
}

/// Writes a recording of one minute of a database on two devices: in the first ten seconds 4,000 reads of 8 KiB per
/// second, then 200; on the journal 300 sequential writes per second throughout.
fn recorded(path: &Path) {
    let target = |role: &str, gib| RecordedTarget {
        role: role.to_owned(),
        name: format!("disk of {role}"),
        size: Bytes::from_gib(gib),
        sector: 512,
    };
    let request = |second: u64, i: u64, rate: u64, target: u16| RecordedRequest {
        at: Nanos(second * 1_000_000_000 + i * 1_000_000_000 / rate),
        latency: Some(Nanos(200_000)),
        target,
        kind: if target == 0 { RequestKind::Read } else { RequestKind::Write },
        flags: RequestFlags::default(),
        offset: if target == 0 { i * 7_919 % 100_000 * 8192 } else { (second * rate + i) * 4096 },
        bytes: if target == 0 { 8192 } else { 4096 },
    };
    let mut writer = RecordingWriter::begin(Vec::new(), &RecordingHeader::default()).expect("written");
    writer.write_targets(&[target("data", 100), target("journal", 10)]).expect("written");
    for second in 0..60 {
        let rate = if second < 10 { 4000 } else { 200 };
        let mut requests: Vec<_> = (0..rate).map(|i| request(second, i, rate, 0)).collect();
        requests.extend((0..300).map(|i| request(second, i, 300, 1)));
        writer.write_requests(&mut requests, Nanos::from_secs(second + 1)).expect("written");
    }
    let end = RecordingEnd { length: Nanos::from_secs(60), ..RecordingEnd::default() };
    std::fs::write(path, writer.end(&end).expect("written")).expect("written");
}

#[test]
fn a_recording_is_carried_second_by_second_or_held_back() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("db.sqio");
    recorded(&file);
    let solve = |words: &str| {
        let mut secchi = limits(&sandbox, "solve --provider aws --headroom 0%");
        secchi.words(words).arg("--recording").arg(&file).run()
    };
    let solved = document(&solve("--json"));
    let find = |answer: &Value, layout: &str, list: &str, row: &str| {
        let entries = answer[layout][list].as_array().expect("a list").clone();
        entries.into_iter().find(|p| p["bought"][0]["row"].as_str().is_some_and(|r| r.starts_with(row)))
    };
    let seconds = |value: &Value| value.as_u64().map(|ns| ns / 1_000_000_000);
    let gp3 = find(&solved, "together", "carrying", "aws/gp3").expect("it is sold");
    assert_eq!(gp3["bought"][0]["row"], "aws/gp3:size=110GiB,iops=4300,mbps=125");
    assert!((gp3["price"].as_f64().unwrap() - (110.0 * 0.08 + 1300.0 * 0.005)).abs() < 1e-6, "{gp3}");
    // gp2 of 110 GiB has 330 IOPS and bursts of 3,000: in each of ten seconds 1,300 requests are delayed, 13,000 at the
    // end, which are served at 2,500 per second more than continue to arrive.
    let gp2 = find(&solved, "together", "holding", "aws/gp2:size=110GiB").expect("it is told");
    assert_eq!((seconds(&gp2["waiting"]), seconds(&gp2["longest_wait"])), (Some(15), Some(5)));
    assert_eq!((seconds(&gp2["first_wait"]), gp2["left"].as_u64()), (Some(0), Some(0)));
    assert_eq!(gp2["binds"], "gp2 volume IOPS");
    // One volume for each role: the journal needs only the included performance.
    let apart = find(&solved, "apart", "carrying", "aws/gp3:size=100GiB,iops=4000").expect("it is sold");
    assert_eq!(apart["bought"][1]["row"], "aws/gp3:size=10GiB,iops=3000,mbps=125");
    assert_eq!(apart["bought"][1]["roles"][0], "journal");
    // If five seconds of delay are acceptable, gp2's burst is enough, and its credits recover from 378 GiB on: (10 *
    // 4,000 + 50 * 200 + 60 * 300) / 60 = 1,134 a second.
    let waiting = document(&solve("--json --wait 5s"));
    let gp2 = find(&waiting, "together", "carrying", "aws/gp2").expect("it is sold");
    assert_eq!(gp2["bought"][0]["row"], "aws/gp2:size=378GiB");
    let once = document(&solve("--json --wait 5s --for 60s"));
    let gp2 = find(&once, "together", "carrying", "aws/gp2").expect("it is sold");
    assert_eq!(gp2["bought"][0]["row"], "aws/gp2:size=110GiB");
    assert!(gp2["credits"][0]["lowest"].as_f64().is_some_and(|l| l > 0.98 && l < 1.0), "{gp2}");
    // An instance caps all its volumes, and its burst credits must recover too.
    let tried = document(&solve("--json --instance m5.large --volume gp3:size=110,iops=4300"));
    assert_eq!(
        (tried["instance"]["carries"].as_bool(), tried["instances"].as_array().map(Vec::len)),
        (Some(true), Some(0))
    );
    let held = solve("--instance t3.nano");
    assert_eq!((held.code, held.stderr.as_str()), (1, ""));
    assert!(held.stdout.contains("t3.nano instance"), "{}", held.stdout);
    let more = document(&solve("--json --capacity 200GiB --capacity journal=20GiB"));
    assert_eq!((more["room"].as_u64(), &more["roles"][1]["room_by"]), (Some(200 << 30), &Value::from("said")));
    for columns in [60, 80, 120] {
        let mut secchi = limits(&sandbox, "solve --all");
        let screen = secchi.arg("--recording").arg(&file).columns(columns).run();
        assert_eq!((screen.code, screen.stderr.as_str()), (0, ""));
        assert!(screen.stdout.lines().all(|l| l.chars().count() <= usize::from(columns)), "{}", screen.stdout);
        assert!(screen.stdout.contains("us-east-1") && screen.stdout.contains("journal"), "{}", screen.stdout);
    }
}

#[test]
fn what_is_no_recording_or_a_broken_one_is_said() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let (file, other) = (sandbox.path("db.sqio"), sandbox.path("other"));
    recorded(&file);
    let solve = |path: &Path, words: &str| {
        let mut secchi = limits(&sandbox, "solve");
        secchi.words(words).arg("--recording").arg(path).run()
    };
    solve(&file, "--instance m7i.xlrge").refuses(64, "did you mean `m7i.xlarge`?");
    solve(&file, "--volume gp33:size=10").refuses(64, "did you mean `gp3`?");
    solve(&file, "--capacity jurnal=10GiB").refuses(64, "did you mean `journal`?");
    solve(&file, "--capacity 1GiB --capacity 2GiB").refuses(64, "given more than once");
    solve(&file, "--for 0s").refuses(64, "1 s to 31 days");
    solve(&sandbox.path("none.sqio"), "").refuses(64, "cannot read");
    std::fs::write(&other, "hello").expect("written");
    solve(&other, "").refuses(64, "has no samples of a known tool");
    let empty = RecordingWriter::begin(Vec::new(), &RecordingHeader::default()).expect("written");
    std::fs::write(&other, empty.end(&RecordingEnd::default()).expect("written")).expect("written");
    solve(&other, "").refuses(64, "has no reads or writes");
    let bytes = std::fs::read(&file).expect("there");
    std::fs::write(&other, &bytes[..bytes.len() - 5]).expect("written");
    let ended = solve(&other, "--json");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("is truncated at byte") && ended.stdout.contains("carrying"), "{}", ended.stderr);
    for words in ["solve", "solve --need x --recording x", "solve --credits 200% --recording x"] {
        assert_eq!(limits(&sandbox, words).run().code, 64, "{words}");
    }
    let mut role = limits(&sandbox, "solve --capacity data=1GiB --need");
    role.arg("8k randread: iops>=100").run().refuses(64, "needs have no roles");
}

#[test]
fn mistakes_are_one_line_with_the_nearest_name() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for (words, needle) in [
        ("show m5.larg", "did you mean `m5.large`?"),
        ("show gp33", "did you mean `gp3`?"),
        ("show E2bds_v5", "which of E2bds_v5@nvme-v1, E2bds_v5@nvme-v2, E2bds_v5@scsi-v1, E2bds_v5@scsi-v2?"),
        ("show gp3:size=0", "at least 1 GiB"),
        ("list --provider awz", "did you mean `aws`?"),
        ("list no-such-thing", "no entry of the catalogue has"),
        ("explain --bs 8k", "name a --volume, an --instance or a --limit"),
        ("show m5.medum", "did you mean `m5.large`?"),
        ("show m8g.large:weighting=ebs1", "the vendor offers default, ebs-1, vpc-1; did you mean `ebs-1`?"),
        ("show n2-standard-16", "which of n2-*-16@pd-balanced, n2-*-16@pd-ssd, n2-*-16@pd-standard?"),
        ("explain --volume gp3:size=100,iops=2999", "the vendor offers 3,000 to 50,000"),
        ("explain --volume gp3:size=10 --pattern randraed", "did you mean `randread`?"),
        ("explain --volume gp3:size=10 --depth 0", "1 to 65536"),
        ("explain --volume instance-store/i3.large --instance i3.large", "leave --instance out"),
        ("explain --instance m4.xlarge --catalog /no/such.toml", "cannot read /no/such.toml"),
        ("import ec2 /no/such.json", "cannot read /no/such.json"),
    ] {
        limits(&sandbox, words).run().refuses(64, needle);
    }
    let mut latency = limits(&sandbox, "solve");
    latency.arg("--need").arg("8k randread: p99<=5ms").run().refuses(64, "has no rate");
    for words in ["--volume gp33:size=1", "--instance m5.larg", "--catalog /no/such.toml"] {
        let ended = sandbox.qualify(sandbox.data(), words).run();
        assert_eq!((ended.code, ended.stderr.lines().count()), (64, 1), "{words}: {}", ended.stderr);
    }
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
    assert!(!sandbox.store().exists());
}

/// Uses rows from its own file, because those shipped with secchi become outdated.
#[test]
fn an_old_row_warns_of_what_is_above_its_maximum_and_a_young_one_refuses_it() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let file = sandbox.path("san.toml");
    let row = |date: &str| {
        let body = "kind = \"san\"\nsize = { min = 1, max = 100 }\niops = { min = 1, max = 5000 }\nbandwidth = 100\n";
        let text =
            format!("provider = \"lab\"\nsource = \"s\"\nsource_date = \"{date}\"\nmark = \"C\"\n\n[[volume]]\n{body}");
        std::fs::write(&file, text).expect("a file");
    };
    let explain = |words: &str| {
        let mut secchi = limits(&sandbox, "explain --volume san:size=200,iops=8000 --bs 4k");
        secchi.words(words).arg("--catalog").arg(&file).run()
    };
    row("2023-05-11");
    let explained = document(&explain("--json"));
    assert_eq!(explained["points"][0]["iops"].as_f64(), Some(8000.0), "it is computed with what was said");
    assert_eq!(explained["rows"][0]["doubts"].as_array().map(Vec::len), Some(2), "{explained}");
    let screen = explain("");
    assert_eq!(screen.code, 0, "{}", screen.stderr);
    let published = "lab/san 8,000 IOPS exceeds the maximum of 5,000 IOPS published on 2023-05-11";
    for needle in [published, "size 200 GiB exceeds", "may have risen"] {
        let words = screen.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(needle), "`{needle}` is not in: {}", screen.stdout);
    }
    let plan = format!("--plan --size 64m --volume san:size=200,iops=8000 --catalog {}", file.display());
    let ended = sandbox.qualify(sandbox.data(), &plan).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("exceeds the maximum of 5,000 IOPS published on 2023-05-11"), "{}", ended.stderr);
    row("9999-01-01");
    explain("").refuses(64, "size 200 GiB: at most 100 GiB according to the publication of 9999-01-01");
}

/// Measures docs/design/limits.md, "Two caps of a throttle", again: the caps of an m4.xlarge, as a row of a user's
/// catalogue, on a disk with exactly these caps.
#[test]
fn a_row_bought_is_what_binds_at_seven_of_seven_sizes() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    let catalog = sandbox.path("lab.toml");
    let row = "provider = \"lab\"\nsource = \"this test\"\nbandwidth_unit = \"MB/s\"\n\n\
               [[volume]]\nkind = \"disk\"\niops = 6000\nbandwidth = 93.75\n";
    std::fs::write(&catalog, row).expect("a file");
    let sizes = "4k,8k,16k,32k,64k,128k,256k";
    let mut explain = limits(&sandbox, &format!("explain --volume disk --bs {sizes} --json --catalog"));
    let expected = document(&explain.arg(&catalog).run());
    disk.group.cap_reads(6000, 93_750_000);
    // A neighbour may disturb one size, but hardly the same one three times.
    let mut right = Vec::new();
    undisturbed(|| {
        let words =
            format!("--patterns randread --size 256m --keep --json --max-depth 8 --bs {sizes} --volume disk --catalog");
        let ended = sandbox.qualify(sandbox.data(), &words).arg(&catalog).inside(disk.group.path()).run();
        assert!(ended.code == 0 || ended.code == 2, "{}", ended.stderr);
        find_errors(&expected, &ended.json(), &mut right)
    });
}

/// Returns the differences between a run and the expected figures, at sizes that were not right before.
fn find_errors(expected: &Value, run: &Run, right: &mut Vec<u64>) -> Vec<String> {
    assert!(run.record.plan.limits.iter().any(|l| matches!(l.source, LimitSource::Catalog { .. })));
    let mut wrongs = Vec::new();
    for point in expected["points"].as_array().expect("a list") {
        let (bs, iops) = (point["bs"].as_u64().expect("bytes"), point["iops"].as_f64().expect("a rate"));
        let binds = point["binds"][0].as_str().expect("a name");
        let measured = run.judgement.patterns.iter().filter(|p| p.role != model::plan::StageRole::Probe);
        let Some(p) = measured.into_iter().find(|p| p.mean_size.as_u64() == bs) else {
            wrongs.push(format!("{bs}: not measured"));
            continue;
        };
        let off = p.levels.last().expect("a level").iops.value / iops - 1.0;
        eprintln!("{}: {:+.2} % from {iops:.0}, {:?}", p.label, off * 100.0, p.binding.names);
        let named = p.binding.names.iter().any(|n| n == binds);
        if off.abs() <= 0.01 && named {
            right.push(bs);
        } else if !right.contains(&bs) {
            wrongs.push(format!("{}: {:+.2} % from {iops:.0}, {:?}, not {binds}", p.label, off * 100.0, p.binding));
        }
    }
    wrongs
}

/// Observations of the burst controller, from the kernel's counts.
struct Watched {
    /// Reads served, with the time of each count.
    counts: Vec<(Instant, u64)>,
    /// Index of the count at which the rate was lowered.
    switched: Option<usize>,
}

impl Watched {
    /// Returns the reads per second between two counts.
    fn rate(&self, from: usize, to: usize) -> f64 {
        let ((t0, n0), (t1, n1)) = (self.counts[from], self.counts[to]);
        (n1 as f64 - n0 as f64) / t1.saturating_duration_since(t0).as_secs_f64()
    }

    /// Returns the index of the first count taken at least `time` after another.
    fn after(&self, index: usize, time: Duration) -> usize {
        let from = self.counts[index].0;
        self.counts.iter().position(|(t, _)| *t >= from + time).unwrap_or(self.counts.len() - 1)
    }
}

const BUCKET: f64 = 12_000.0;

const BASE: f64 = 300.0;

const BURST: f64 = 3000.0;

/// Simulates a bucket of 12,000 reads, filled at 300 a second and drained at 3000 (docs/design/limits.md, "A bucket
/// kept by a controller"), with a group's throttle, until `stop` is set.
fn keep_bucket(group: &Blkio, stop: &AtomicBool) -> Watched {
    group.cap_reads(BURST as u64, 0);
    let (mut left, mut last) = (BUCKET, Instant::now());
    let mut watched = Watched { counts: vec![(last, group.reads())], switched: None };
    while !stop.load(Relaxed) {
        // The period of the controller; it does not wait for anything.
        std::thread::sleep(Duration::from_millis(20));
        let (now, served) = (Instant::now(), group.reads());
        let before = watched.counts.last().map_or(0, |(_, n)| *n);
        left = (left - (served - before) as f64 + BASE * (now - last).as_secs_f64()).min(BUCKET);
        last = now;
        if left <= 0.0 && watched.switched.is_none() {
            group.cap_reads(BASE as u64, 0);
            watched.switched = Some(watched.counts.len());
        }
        watched.counts.push((now, served));
    }
    watched
}

/// Returns the time on the run's clock at which `ops` operations were complete, from the windows of the step.
fn when_done(step: &Step, ops: f64) -> Option<f64> {
    let mut done = 0.0;
    for window in step.intervals.iter().flat_map(|i| &i.windows) {
        let here = window.total_ops() as f64;
        if done + here >= ops {
            return Some(window.start.secs() + window.length.secs() * (ops - done) / here);
        }
        done += here;
    }
    None
}

fn burst_run(sandbox: &Sandbox, group: &Blkio, seconds: u32) -> (Watched, Run) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let controller = scope.spawn(|| keep_bucket(group, &stop));
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.words("fio --store").arg(sandbox.store()).arg(format!("--directory={}", sandbox.data().display()));
        secchi.words(
            "--name=burst --rw=randread --bs=4k --size=128m --ioengine=libaio --iodepth=16 --direct=1 --time_based",
        );
        secchi.words("--allow-overwrite --output-format=json").arg(format!("--runtime={seconds}"));
        let ended = secchi.inside(group.path()).run();
        stop.store(true, Relaxed);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let watched = controller.join().expect("the controller does not panic");
        (watched, sandbox.newest().expect("the run is kept"))
    })
}

#[test]
fn a_burst_that_ends_is_found_in_time_and_with_both_levels() {
    let _paced = paced();
    let (sandbox, disk) = match Sandbox::with_own_disk() {
        Ok(made) => made,
        Err(why) => skip!("{why}"),
    };
    // The file is laid out before the measurement.
    let (_, _) = burst_run(&sandbox, &disk.group, 1);
    undisturbed(|| {
        let (watched, run) = burst_run(&sandbox, &disk.group, 16);
        let Some(switched) = watched.switched else { return vec!["the bucket was never empty".to_owned()] };
        let first = watched.counts.iter().position(|(_, n)| *n > watched.counts[0].1).unwrap_or(0);
        let last =
            watched.counts.iter().rposition(|(_, n)| *n < watched.counts[watched.counts.len() - 1].1).unwrap_or(0);
        let before = watched.rate(watched.after(first, Duration::from_millis(500)), switched);
        let after = watched.rate(watched.after(switched, Duration::from_secs(1)), last);
        let Some(level) = run.judgement.patterns.first().and_then(|p| p.levels.first()) else {
            return vec!["nothing was judged".to_owned()];
        };
        let Steadiness::TwoRegimes { at, before: x1, after: x2 } = level.steadiness else {
            return vec![format!("not two regimes: {:?}", level.steadiness)];
        };
        let served = (watched.counts[switched].1 - watched.counts[0].1) as f64;
        let changed = when_done(&run.record.steps[0], served);
        let wrong = [x1.per_second() / before - 1.0, x2.per_second() / after - 1.0];
        let late = changed.map_or(f64::NAN, |c| at.secs() - c);
        eprintln!(
            "{before:.0} then {after:.0} by the kernel; {:.0} ({:+.2} %) then {:.0} ({:+.2} %), change {late:+.2} s off",
            x1.per_second(),
            wrong[0] * 100.0,
            x2.per_second(),
            wrong[1] * 100.0
        );
        let mut wrongs = Vec::new();
        if late.is_nan() || late.abs() > 0.5 {
            wrongs.push(format!("the change is {late:+.2} s off"));
        }
        if wrong.iter().any(|w| w.abs() > 0.02) {
            wrongs.push(format!(
                "levels {:.0} and {:.0}, by the kernel {before:.0} and {after:.0}",
                x1.per_second(),
                x2.per_second()
            ));
        }
        wrongs
    });
}
