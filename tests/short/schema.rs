//! The documents of `--json` are valid by the schemas in the book.

use crate::support::commands::{fixture, limits, needs, written};
use crate::support::{Sandbox, Secchi, beside};
use serde_json::Value;
use std::path::Path;
use testkit::schema_violations;

#[test]
fn the_documents_of_commands_are_valid_by_their_schemas() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let run = |words: &str| sandbox.secchi(words).arg(&data).run();
    for words in ["ping -c 3 -i 0", "ping -c 3 -i 0 -W", "qualify --metadata --metadata-files 200"] {
        run(words);
    }
    let job = data.join("file").display().to_string();
    let mixed = "--rw=randrw --bssplit=4k/50:8k/50 --thinktime=10";
    for words in [mixed, mixed, "--rw=write --verify=crc32c --fsync=8 --numjobs=2"] {
        sandbox.secchi("fio --name=a --size=1m --overwrite=1").words(words).arg(format!("--filename={job}")).run();
    }
    sandbox.secchi("watch --for 200ms --interval 100ms").run();
    let log = data.join("requests.log");
    std::fs::write(&log, format!("fio version 2 iolog\n{job} add\n{job} open\n{job} read 0 4096\n{job} close\n"))
        .expect("the log is written");
    sandbox.secchi("replay").arg(&log).arg(&data).run();
    let base = data.join("db");
    sandbox.secchi("db setup").arg(&base).run();
    sandbox.secchi("db create-globals -g 1 -s 100 --node-depth 2").arg(&base).run();
    sandbox.secchi("db ranio -p 1 -n 10 --through engine").arg(&base).run();
    let ids = sandbox.secchi("runs --ids").run().stdout;
    let ids: Vec<&str> = ids.lines().collect();
    assert_eq!(ids.len(), 10, "each command keeps its run");
    let shown: Vec<String> = ids.iter().map(|id| sandbox.secchi(&format!("show --json {id}")).run().stdout).collect();
    let fio = format!("fio --name=a --size=1m --output-format=json --filename={job}");
    for compatible in [run("ping -c 1 -J").stdout, sandbox.secchi(&fio).run().stdout] {
        assert!(compatible.contains('{') && !compatible.contains("$schema"), "{compatible}");
    }
    let foreign = |name: &str| sandbox.secchi("judge --json").arg(fixture(name)).run().stdout;
    let plan = written(&sandbox, "plan.fio", "[a]\nrw=randwrite\nsize=1m\nfilename=/tmp/nothing\n");
    let needed = |file: &Path| needs(&sandbox, file, "--json").stdout;
    let listed: Value = serde_json::from_str(&sandbox.secchi("runs --json").run().stdout).expect("JSON");
    let workloads = listed["runs"].as_array().expect("runs").iter().flat_map(|r| r["workloads"].as_array()).flatten();
    for (workload, figure) in workloads.flat_map(|w| ["iops", "bandwidth", "mean", "p99"].map(|figure| (w, figure))) {
        let reason = workload[format!("{figure}_reason")].as_str().unwrap_or_default();
        assert_eq!(workload[figure].is_null(), !reason.is_empty(), "{figure} of {workload}");
    }
    let both = sandbox.secchi(&format!("report --format json {} {}", ids[5], ids[6])).run().stdout;
    for (kind, documents) in [
        ("runs", both),
        ("run-list", sandbox.secchi("runs --json").run().stdout),
        ("history", sandbox.secchi("db history --json").arg(&base).run().stdout),
        ("lint", sandbox.secchi("lint --json").arg(&plan).run().stdout),
        ("demand", needed(&fixture("iostat.txt")) + &needed(&log)),
        ("run", shown.concat()),
        ("foreign", foreign("fio-3.33-mix.json") + &foreign("fio-3.33-mix.txt")),
        ("comparison", sandbox.secchi(&format!("compare --json {} {}", ids[5], ids[6])).run().stdout),
        ("trend", sandbox.secchi(&format!("runs trend --json {}", ids[5])).run().stdout),
        ("error", sandbox.secchi("qualify --json").arg(data.join("none")).run().stdout),
    ] {
        assert!(!documents.is_empty(), "{kind}");
        let Some(violations) = schema_violations(kind, &documents) else { return };
        assert_eq!(violations, "", "{kind}");
    }
}

#[test]
fn the_documents_of_limits_and_of_the_build_are_valid_by_their_schemas() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let limits_with = |words: &str, last: &str| limits(&sandbox, words).arg(last).run().stdout;
    let limits = |words: &str| limits_with(words, "--json");
    let volumes = r#"{"Volumes": [{"VolumeId": "vol-1", "VolumeType": "gp3", "Size": 500, "Iops": 6000, "Throughput": 250,
        "Attachments": [{"InstanceId": "i-1"}]}, {"VolumeId": "vol-2", "VolumeType": "new9", "Size": 1}]}"#;
    let volumes = written(&sandbox, "volumes.json", volumes);
    let explain =
        "explain --json --volume gp2:size=100 --instance m5.large --latency 1ms --bs 4k,64k --depth 1,8 --limit";
    let solve = "solve --json --provider aws --capacity 100GiB --need";
    for (kind, documents) in [
        ("limits-list", limits("list")),
        ("limits-row", limits("show m5.large") + &limits("show gp2:size=100")),
        ("limits-volume", limits("show gp3")),
        ("limits-explain", limits_with(explain, "array iops=9000")),
        ("limits-account", limits(&format!("account {}", volumes.display()))),
        ("limits-contracts", limits("contracts")),
        ("purchases", limits_with(solve, "8k randread: iops>=3000")),
        ("version", Secchi::new(&sandbox.path("home")).words("--version --verbose --json").run().stdout),
    ] {
        assert!(!documents.is_empty(), "{kind}");
        let Some(violations) = schema_violations(kind, &documents) else { return };
        assert_eq!(violations, "", "{kind}");
    }
}
