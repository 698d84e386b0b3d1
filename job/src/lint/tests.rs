use super::*;
use crate::read::{Lookup, Machine};
use crate::{CONSENT, Engines, LookupError, parse_plan};

struct Nothing;

impl Lookup for Nothing {
    fn read(&self, _: &Path, _: Option<&str>) -> Result<Vec<u8>, LookupError> {
        Err("no such file".into())
    }
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn engines(&self) -> &Engines {
        crate::engines::for_tests()
    }
    fn machine(&self) -> Machine {
        Machine { cpus: 2, page_size: 4096, memory_mb: 4096 }
    }
}

fn plan(line: u32, words: &str, output: Option<&str>) -> Linted {
    let typed: Vec<&str> = std::iter::once("--allow-cap").chain(words.split(' ')).collect();
    Linted {
        source: "run.bat".into(),
        line,
        words: words.into(),
        arguments: typed[1..].iter().map(|w| (*w).to_owned()).collect(),
        output: output.map(Into::into),
        lines: Vec::new(),
        background: false,
        unknown: Vec::new(),
        jobs: parse_plan(&typed, CONSENT, &Nothing),
    }
}

/// Returns the facts for a path. `there` is fully written, `half` is half written, and `reserved` is not written.
/// Nothing is known about paths below `/other`.
fn known(path: &Path) -> FileFact {
    let size = Bytes::from_gib(64);
    let file_with = |written: u64| FileFact::There { size: Some(size), written: Some(Bytes(written)) };
    match path.to_str() {
        Some("there") => file_with(64 << 30),
        Some("half") => file_with(32 << 30),
        Some("reserved") => file_with(0),
        Some("/dev/nvme9n1" | "/dev/vda" | "/dev/sdb" | "/dev/sdc") => FileFact::Device,
        _ if path.starts_with("/other") => FileFact::Elsewhere,
        _ => FileFact::Absent,
    }
}

/// Returns the hazard of a write to a path.
fn dangers(path: &Path) -> Option<Hazard> {
    match path.to_str()? {
        "/dev/vda" | "/dev/disk/by-id/virtio-root" => Some(Hazard::InUse(vec!["vda1 is mounted on /".into()])),
        "/dev/sdb" => Some(Hazard::Device(Some("ext2/3/4".into()))),
        "/dev/sdc" => Some(Hazard::Device(None)),
        "thesis" => Some(Hazard::Foreign),
        _ => None,
    }
}

fn ids(plans: &[Linted], limits: &[Limit]) -> Vec<String> {
    let facts = LintFacts { memory: Some(Bytes::from_gib(4)), cpus: Some(2), limits, file: &known, hazard: &dangers };
    lint(plans, &[], &facts).into_iter().map(|f| f.finding.id).collect()
}

fn rules_found(words: &str) -> Vec<String> {
    ids(&[plan(0, words, None)], &[])
}

const CLEAN: &str = "--name=r --filename=there --size=64g --rw=randread --bs=8k --ioengine=libaio --iodepth=8 --direct=1 \
    --time_based --runtime=300 --ramp_time=30";

#[test]
fn a_good_plan_is_left_alone() {
    assert_eq!(rules_found(CLEAN), [""; 0]);
}

#[test]
fn every_rule_fires_on_its_case_and_not_on_the_clean_one() {
    let cases = [
        ("L24-in-use", "--rw=randwrite --filename=/dev/vda"),
        ("L25-overwrites", "--rw=randwrite --filename=/dev/sdb"),
        ("L00-refused", "--sizee=1g"),
        ("L00-remark", "--thinktime_blocks=5"),
        ("L01-page-cache", "--direct=0"),
        ("L02-memory", "--direct=0 --size=4g"),
        ("L04-depth", "--ioengine=psync --iodepth=32"),
        ("L06-gtod-reduce", "--gtod_reduce=1"),
        ("L07-label", "--name=randread-16k"),
        ("L09-first-touch", "--rw=randwrite --filename=fresh"),
        ("L00-refused", "--rw=randrw --rwmixread=70 --rwmixwrite=50"),
        ("L00-not-done", "--ioengine=rdma"),
        ("L05-dashes", "\u{2013}\u{2013}iodepth=16"),
        ("L11-same-places", "--randrepeat=1"),
        ("L12-ramp", "--ramp_time=0"),
        ("L13-sync-too", "--rw=randwrite --sync=1"),
        ("L14-few-samples", "--time_based=0 --size=100m"),
        ("L15-shared-file", "--numjobs=2 --rw=read"),
        ("L22-never-written", "--filename=half"),
        ("L23-clones-apart", "--numjobs=2"),
        ("L16-compressible", "--rw=randwrite --zero_buffers"),
        ("L17-processors", "--numjobs=64"),
        ("L18-no-runtime", "--time_based=0 --runtime=0"),
        ("L26-fill", "--rw=write --time_based=0 --runtime=0 --loops=2"),
    ];
    for (id, more) in cases {
        let rules = rules_found(&format!("{CLEAN} {more}"));
        assert!(rules.iter().any(|f| f == id), "{id} is not among {rules:?}");
    }
    // Rules that compare commands and rules that need limits have separate cases below.
    let elsewhere = [
        "L00-unknown",
        "L03-burst",
        "L27-wraps",
        "L28-duration",
        "L08-output-label",
        "L19-background",
        "L20-duplicate",
        "L21-output-twice",
    ];
    for rule in lint_rules() {
        assert!(cases.iter().any(|c| c.0 == rule.id) || elsewhere.contains(&rule.id), "{} has no case", rule.id);
        let [explanation, remedy] = [rule.explanation(), rule.remedy()].map(messages::sentence);
        assert!(explanation.ends_with('.') && !remedy.ends_with('.'), "{}", rule.id);
    }
}

#[test]
fn a_first_touch_is_doubted_only_where_there_is_one() {
    let doubted = |more: &str| rules_found(&format!("{CLEAN} {more}")).contains(&"L09-first-touch".to_owned());
    let fresh = "--rw=randwrite --filename=fresh";
    assert!(doubted(fresh), "a file that the run itself makes");
    assert!(doubted("--rw=write --filename=half"), "a file of which half was never written");
    assert!(doubted("--rw=write --filename=there --size=65g"), "a file that the run extends");
    assert!(!doubted("--rw=randwrite"), "a file that was written");
    assert!(!doubted("--rw=randrw --filename=fresh"), "a mix writes its files before it begins");
    assert!(!doubted(&format!("{fresh} --overwrite=1")), "asked to be written before");
    assert!(!doubted(&format!("{fresh} --verify=crc32c")), "it is to be right, and not fast");
    assert!(!doubted("--rw=randwrite --filename=/dev/nvme9n1"), "a device has no file to extend");
    assert!(!doubted("--rw=randwrite --filename=/other/fresh"), "for a machine of which nothing is known");
    assert!(!doubted(&format!("{fresh} --ioengine=null")), "no storage");
    let rules = rules_found("--name=w --directory=d --size=64g --rw=randwrite --direct=1");
    assert!(rules.contains(&"L09-first-touch".to_owned()), "files of its own: {rules:?}");
    let filled = "--filename=fresh --size=64g --direct=1 --ioengine=libaio --name=fill --rw=write --bs=1m --name=measure --stonewall \
        --rw=randwrite --bs=8k";
    assert!(!rules_found(filled).contains(&"L09-first-touch".to_owned()), "the first job is the fill of the second");
}

#[test]
fn what_is_known_of_a_command_is_checked_beside_what_is_not() {
    let ids_of = |words: &str| {
        let mut plan = plan(3, words, None);
        plan.unknown = vec!["`--bs=$b`: $b is not set in the script".into()];
        ids(&[plan], &[])
    };
    let danger = ids_of(&format!("{CLEAN} --rw=randwrite --filename=/dev/vda"));
    assert!(danger.contains(&"L24-in-use".to_owned()) && danger.contains(&"L00-unknown".to_owned()), "{danger:?}");
    assert_eq!(ids_of("--name=a --rw=write"), ["L00-unknown"], "`direct` may be in what is left out");
    assert_eq!(
        ids_of("--name=a --rw=randrw --rwmixread=70 --rwmixwrite=50"),
        ["L00-unknown"],
        "and so may be what mends it"
    );
}

/// Each case was a false alarm for one of fio's own examples.
#[test]
fn what_is_meant_as_it_stands_is_left_alone() {
    let ids = |more: &str| rules_found(&format!("{CLEAN} {more}"));
    let silent = [
        ("L11-same-places", "--norandommap --random_distribution=zipf:1.1"),
        ("L11-same-places", "--norandommap --ioengine=null"),
        ("L12-ramp", "--runtime=900 --ramp_time=0"),
        ("L15-shared-file", "--numjobs=4"),
        ("L15-shared-file", "--numjobs=4 --rw=randwrite --filename=/dev/nvme9n1"),
        ("L18-no-runtime", "--time_based=0 --runtime=0 --rw=randwrite --verify=crc32c"),
        ("L14-few-samples", "--time_based=0 --size=100m --rw=write --verify=md5"),
        ("L06-gtod-reduce", "--gtod_reduce=1 --ioengine=null"),
        ("L00-refused", "--ioengine=rdma"),
    ];
    for (id, more) in silent {
        let rules = ids(more);
        assert!(!rules.iter().any(|f| f == id), "{more}: {rules:?}");
    }
    let fill = "--filename=there --direct=1 --ioengine=libaio --name=fill --rw=write --bs=1m --size=1g --name=measure --stonewall \
        --rw=randread --bs=8k --size=64g --time_based --runtime=300 --ramp_time=30";
    assert_eq!(rules_found(fill), [""; 0]);
}

#[test]
fn preconditioning_is_said_to_be_that_and_not_judged_as_a_measurement() {
    let base = "--filename=/dev/nvme9n1 --direct=1 --ioengine=libaio --iodepth=32 --bs=128k";
    for more in [
        "--name=a --rw=write --size=100%",
        "--name=a --rw=write --size=64g --loops=2",
        "--name=precondition --rw=randwrite --bs=4k --size=64g",
    ] {
        assert_eq!(rules_found(&format!("{base} {more}")), ["L26-fill"], "{more}");
    }
    let facts = LintFacts { memory: None, cpus: None, limits: &[], file: &known, hazard: &dangers };
    let finding = lint(&[plan(0, &format!("{base} --name=a --rw=write --size=64g --loops=2"), None)], &[], &facts)
        .remove(0)
        .finding;
    assert!(finding.statement.contains("writes all of /dev/nvme9n1 2 times"), "{}", finding.statement);
    let measured = rules_found(&format!(
        "{base} --name=a --rw=write --size=64g --loops=2 --time_based --runtime=300 --ramp_time=30"
    ));
    assert!(!measured.contains(&"L26-fill".to_owned()), "{measured:?}");
    let danger =
        rules_found("--filename=/dev/vda --direct=1 --ioengine=libaio --name=precondition --rw=write --size=100%");
    assert_eq!(danger[0], "L24-in-use");
}

#[test]
fn what_a_plan_that_cannot_be_read_would_destroy_is_told_all_the_same() {
    let first = |words: &str| rules_found(words)[0].clone();
    for words in [
        "--name=a --filename=/dev/vda --rw=write --an_option_of_fio_4=1",
        "--name=a --filename=there:/dev/vda --rw=randrw --ioengine=libaio --an_option_of_fio_4=1",
        "--name=a --filename /dev/vda --rw randwrite --an_option_of_fio_4=1",
        "--name=a --filename=/dev/vda --readwrite=write --ioengine=sg",
    ] {
        assert_eq!(first(words), "L24-in-use", "{words}");
    }
    assert_eq!(
        first("--name=a --filename=/dev/vda --rw=read --an_option_of_fio_4=1"),
        "L00-refused",
        "reading harms nothing"
    );
    let mut file = plan(0, "--an_option_of_fio_4=1", None);
    file.lines = ["[a]", "; filename=/dev/sdb", "filename = /dev/vda", "rw=write"].map(str::to_owned).to_vec();
    assert_eq!(ids(&[file], &[])[0], "L24-in-use");
}

#[test]
fn engines_of_spdk_and_other_plugins_are_known_by_name() {
    let id_and_statement = |engine: &str| {
        let facts = LintFacts { memory: None, cpus: None, limits: &[], file: &known, hazard: &dangers };
        let findings =
            lint(&[plan(0, &format!("--name=a --rw=randread --filename=x --ioengine={engine}"), None)], &[], &facts);
        (findings[0].finding.id.clone(), findings[0].finding.statement.to_string())
    };
    for engine in
        ["spdk_nvme", "spdk_bdev", "/root/spdk/build/fio/spdk_nvme", "external:/root/spdk/build/fio/spdk_bdev"]
    {
        let (id, statement) = id_and_statement(engine);
        assert!(id == "L00-not-done" && statement.contains("SPDK"), "{engine}: {id}: {statement}");
    }
    let (id, statement) = id_and_statement("./mine.so");
    assert!(id == "L00-not-done" && statement.contains("`mine` is an external engine"), "{id}: {statement}");
}

#[test]
fn names_with_dates_percentages_or_numbers_of_other_words_are_no_labels() {
    let labelled = |name: &str, more: &str| {
        let words = CLEAN.replacen("--name=r ", &format!("--name={name} "), 1);
        rules_found(format!("{words} {more}").trim_end()).contains(&"L07-label".to_owned())
    };
    for name in ["randread-2023-08-12", "randread-95%", "randread-8-iodepth", "randread-300s", "randread-64m-files"] {
        assert!(!labelled(name, ""), "{name}");
    }
    for name in ["randrw-70", "randrw-70-30"] {
        assert!(!labelled(name, "--rw=randrw --rwmixread=70"), "{name}");
    }
    for name in ["randread-16k", "randread-qd32", "randread-60"] {
        assert!(labelled(name, ""), "{name}");
    }
}

#[test]
fn reads_of_what_was_never_written_are_doubted() {
    let doubted = |more: &str| rules_found(&format!("{CLEAN} {more}")).contains(&"L22-never-written".to_owned());
    assert!(doubted("--filename=reserved") && doubted("--filename=half --rw=randrw"));
    assert!(!doubted("--filename=there") && !doubted("--filename=half --size=30g") && !doubted("--filename=fresh"));
}

#[test]
fn a_run_shorter_than_its_burst_measures_the_burst() {
    let mut limit: Limit = "volume iops=300".parse().unwrap();
    limit.burst_iops =
        Some(model::bounds::Burst { rate: 3000.0, lasts: model::bounds::BurstLasts::Bucket { capacity: 5_400_000.0 } });
    assert_eq!(ids(&[plan(0, CLEAN, None)], &[limit.clone()]), ["L03-burst"]);
    let long = CLEAN.replace("--runtime=300", "--runtime=3000");
    assert_eq!(ids(&[plan(0, &long, None)], &[limit]), [""; 0]);
}

#[test]
fn the_batch_of_the_first_seed_is_caught_at_its_seventh_line() {
    let line = |jobs: u32| {
        format!(
            "--name=write --filename=there --size=64g --iodepth=1 --rw=write --bs=8k --direct=1 --numjobs={jobs} --time_based --runtime=60 --ramp_time=5"
        )
    };
    let plans = [
        plan(6, &line(1), Some("write-1.txt")),
        plan(7, &line(1), Some("write-2.txt")),
        plan(8, &line(4), Some("write-4.txt")),
        plan(9, &line(8), Some("write-4.txt")),
    ];
    let findings =
        lint(&plans, &[], &LintFacts { memory: None, cpus: None, limits: &[], file: &known, hazard: &|_| None });
    let finding_of = |id: &str| findings.iter().find(|f| f.finding.id == id).unwrap_or_else(|| panic!("no {id}"));
    let label = finding_of("L08-output-label");
    assert!(
        label.finding.evidence.iter().any(|e| e == "write-2.txt says 2, but numjobs is 1 and iodepth is 1"),
        "{label:?}"
    );
    assert_eq!(label.lines[0].line, 7);
    assert!(
        finding_of("L20-duplicate")
            .finding
            .statement
            .contains("line 7 (write-2.txt) does the same as line 6 (write-1.txt)")
    );
    assert!(finding_of("L21-output-twice").finding.statement.contains("line 8 and again on line 9"));
}

#[test]
fn commands_left_running_beside_each_other_are_named() {
    let mut first = plan(1, CLEAN, None);
    first.background = true;
    assert!(ids(&[first, plan(2, &CLEAN.replace("8k", "16k"), None)], &[]).contains(&"L19-background".to_owned()));
}

#[test]
fn a_plan_of_secchi_is_held_against_the_same_rules() {
    let native = NativePlan {
        source: "command line".into(),
        line: 0,
        words: "qualify /data --buffered".into(),
        cached: Some("--buffered".into()),
        size: Some(Bytes::from_gib(1)),
        synchronous: Some(32),
        overwrites: Vec::new(),
        seconds: 60.0,
    };
    let facts = LintFacts {
        memory: Some(Bytes::from_gib(4)),
        cpus: None,
        limits: &[],
        file: &|_| FileFact::Absent,
        hazard: &dangers,
    };
    let ids = |plan: &NativePlan| lint_native(plan, &facts).into_iter().map(|f| f.finding.id).collect::<Vec<_>>();
    assert_eq!(ids(&native), ["L01-page-cache", "L02-memory", "L04-depth"]);
    let disk = NativePlan { overwrites: vec!["/dev/vda".into()], ..native };
    assert_eq!(ids(&disk)[0], "L24-in-use");
}

/// Regression: a plan overwrote the mounted system disk, and the check reported "nothing found".
#[test]
fn what_would_be_destroyed_comes_first_and_loudest() {
    let first_finding = |words: &str| {
        let facts = LintFacts { memory: None, cpus: None, limits: &[], file: &known, hazard: &dangers };
        let findings = lint(&[plan(0, words, None)], &[], &facts);
        findings.first().map(|f| (f.finding.id.clone(), f.finding.severity, f.finding.statement.clone()))
    };
    for more in [
        "--filename=/dev/vda --rw=write",
        "--filename=/dev/vda --rw=randtrim",
        "--filename=there:/dev/vda --rw=randrw",
        "--filename=/dev/disk/by-id/virtio-root --rw=randwrite --direct=0",
        // fio's consent option does not suppress the finding, in any spelling.
        "--filename=/dev/vda --rw=write --allow_mounted_write=1",
        "--filename=/dev/vda --rw=write --allow_mounted_write 1",
        "--filename=/dev/vda --rw=write -allow_mounted_write=1",
        "--filename=/dev/vda --rw=write --allow_mounted=1",
    ] {
        let (id, severity, statement) = first_finding(&format!("{CLEAN} {more}")).expect(more);
        assert_eq!((id.as_str(), severity), ("L24-in-use", Severity::Invalid), "{more}");
        assert!(statement.contains("vda1 is mounted on /"), "{statement}");
    }
    let output = format!("--output=/dev/vda {CLEAN}");
    assert_eq!(first_finding(&output).map(|f| f.0).as_deref(), Some("L24-in-use"));
    // More severe findings may come first.
    let severity_of = |more: &str| {
        let facts = LintFacts { memory: None, cpus: None, limits: &[], file: &known, hazard: &dangers };
        let findings = lint(&[plan(0, &format!("{CLEAN} {more}"), None)], &[], &facts);
        findings.iter().find(|f| f.finding.id == "L25-overwrites").map(|f| f.finding.severity)
    };
    assert_eq!(severity_of("--filename=/dev/sdb --rw=randwrite"), Some(Severity::Doubt));
    assert_eq!(severity_of("--filename=/dev/sdc --rw=randwrite"), Some(Severity::Note));
    assert_eq!(severity_of("--filename=thesis --rw=randwrite"), Some(Severity::Note));
    let read =
        severity_of("--filename=/dev/vda")
            .map(|_| ())
            .or(first_finding(&format!("{CLEAN} --filename=/dev/vda")).filter(|f| f.0 == "L24-in-use").map(|_| ()));
    assert_eq!(read, None, "reading harms nothing");
    assert_eq!(
        first_finding(&format!("{CLEAN} --filename=/dev/vda --rw=write --ioengine=null"))
            .filter(|f| f.0.starts_with("L24")),
        None
    );
}

#[test]
fn a_job_named_as_a_device_is_told_to_overwrite_it() {
    let ids_of = |words: &str| ids(&[plan(0, words, None)], &[]);
    assert_eq!(ids_of("--name=/dev/vda --rw=write")[0], "L24-in-use");
    assert!(!ids_of("--name=/dev/vda --filename=there --rw=write").contains(&"L24-in-use".to_owned()));
    assert!(!ids_of("--name=vda --rw=write").contains(&"L24-in-use".to_owned()));
}

#[test]
fn passes_and_duration_are_estimated_against_a_limit() {
    let limits = ["volume iops=40000".parse::<Limit>().unwrap()];
    let statements_of = |words: &str| {
        let facts = LintFacts { memory: None, cpus: None, limits: &limits, file: &known, hazard: &dangers };
        let findings = lint(&[plan(0, words, None)], &[], &facts);
        let judged = findings.iter().filter(|f| ["L27-wraps", "L28-duration"].contains(&f.finding.id.as_str()));
        judged.map(|f| f.finding.statement.to_string()).collect::<Vec<_>>()
    };
    let base = "--name=a --rw=randread --bs=8k --direct=1 --filename=there";
    // 40,000/s x 8 KiB x 240 s is 78.6 GB, 14.6 times 5 GiB.
    let timed = statements_of(&format!("{base} --size=5g --time_based --runtime=240"));
    assert!(timed.len() == 1 && timed[0].contains("15 times in 240 s"), "{timed:?}");
    assert_eq!(statements_of(&format!("{base} --size=64g --time_based --runtime=240")), [""; 0]);
    // 2 PiB at 40,000 x 1 KiB/s take 636 days.
    let long = statements_of(&format!("{base} --bs=1k --size=2p"));
    assert!(long.len() == 1 && long[0].contains("636 days"), "{long:?}");
    assert_eq!(statements_of(&format!("{base} --size=64g")), [""; 0]);
}

#[test]
fn a_job_that_is_named_after_a_device_works_on_it() {
    for words in ["--name=/dev/vda --rw=write --size=1g", "--name=/dev/vda --rw=write --unheard_of=1"] {
        assert!(rules_found(words).contains(&"L24-in-use".to_owned()), "{words}");
    }
}
