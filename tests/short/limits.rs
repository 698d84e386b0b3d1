//! `secchi limits` and catalogue files of the user.

use crate::support::commands::{document, limits};
use crate::support::{Sandbox, beside, names_in};
use std::path::Path;

#[test]
fn what_was_bought_is_explained_point_by_point() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let words = "explain --volume gp3:size=2000GiB,iops=6000,mbps=125 --instance m4.xlarge --bs 4k,8k,16k,128k \
                 --depth 1,4,8,16 --latency 0.63ms";
    let explained = document(&limits(&sandbox, &format!("{words} --json")).run());
    let points = explained["points"].as_array().expect("a list");
    assert_eq!((points.len(), explained["crossover"].as_u64()), (16, Some(15_625)));
    let at = |bs: u64, depth: u64| {
        points.iter().find(|p| p["bs"] == bs && p["depth"] == depth).unwrap_or_else(|| panic!("{bs} {depth}"))
    };
    assert_eq!(at(8192, 1)["binds"][0], "queue (Little)");
    assert_eq!(at(8192, 8)["undecidable"], true);
    assert_eq!(at(16_384, 8)["binds"][0], "m4.xlarge instance bandwidth");
    assert!((at(16_384, 8)["iops"].as_f64().unwrap() - 5722.0).abs() < 1.0);
    let screen = limits(&sandbox, words).run();
    for needle in ["aws/m4.xlarge", "15.3 KiB", "3.78 operations in flight", "published 2023-05-11", "tie"] {
        assert!(screen.stdout.contains(needle), "`{needle}` is not in: {}", screen.stdout);
    }
    let burst = limits(&sandbox, "explain --volume gp2:size=100 --bs 8k").run();
    assert!(burst.stdout.contains("3,000 IOPS for 33 min 20 s with full credits, then 300"), "{}", burst.stdout);
    assert!(!sandbox.path("home").exists(), "looking makes nothing");
}

#[test]
fn a_users_own_rows_are_read_from_the_settings_and_their_mistakes_have_a_line() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = sandbox.path("home").join(".config/secchi/limits");
    std::fs::create_dir_all(&dir).expect("a directory for settings");
    let file = dir.join("lab.toml");
    let row =
        |iops: &str| format!("provider = \"lab\"\n\n[[volume]]\nkind = \"san\"\niops = {iops}\nbandwidth = 100\n");
    std::fs::write(&file, row("5000")).expect("a file");
    let shown = document(&limits(&sandbox, "show san --json").run());
    assert_eq!((shown["limits"][0]["iops"].as_f64(), shown["row"].as_str()), (Some(5000.0), Some("lab/san")));
    std::fs::write(&file, row("\"3*sise\"")).expect("a file");
    limits(&sandbox, "list").run().refuses(64, "lab.toml:5: iops: `sise` is not known");
}

#[test]
fn instance_types_are_imported_and_a_file_of_the_users_own_is_not_replaced() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let answer = sandbox.path("answer.json");
    let json = r#"{"InstanceTypes": [{"InstanceType": "m9x.large", "EbsInfo": {"EbsOptimizedInfo": {
        "BaselineBandwidthInMbps": 650, "BaselineThroughputInMBps": 81.25, "BaselineIops": 3600.0,
        "MaximumBandwidthInMbps": 10000, "MaximumThroughputInMBps": 1250.0, "MaximumIops": 40000.0}}},
        {"InstanceType": "old.small", "EbsInfo": {}}]}"#;
    std::fs::write(&answer, json).expect("a file");
    let import = || limits(&sandbox, "import ec2").arg(&answer).run();
    let ended = import();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("1 type written to") && ended.stderr.contains("old.small"), "{}", ended.stderr);
    let shown = document(&limits(&sandbox, "show m9x.large --json").run());
    assert_eq!(shown["limits"][0]["burst_iops"]["rate"].as_f64(), Some(40_000.0));
    assert_eq!(import().code, 0, "an import replaces its own file");
    let file = sandbox.path("home").join(".config/secchi/limits/ec2.toml");
    std::fs::write(&file, "# mine\nprovider = \"aws\"\n").expect("a file");
    import().refuses(3, "is not an earlier output of this kind");
    assert!(std::fs::read_to_string(&file).expect("it stands").starts_with("# mine"));
    assert_eq!(names_in(file.parent().expect("a directory")), ["ec2.toml"]);
}

#[test]
fn a_plan_shows_the_rows_with_their_date() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let ended = sandbox.qualify(sandbox.data(), "--plan --size 64m --volume gp2:size=100 --instance m5.large").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for needle in ["gp2 volume", "m5.large instance", "2023-05-11, aws"] {
        assert!(ended.stdout.contains(needle), "`{needle}` is not in: {}", ended.stdout);
    }
}

#[test]
fn a_region_without_prices_is_refused_with_those_that_have_some() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let need = "8k randread: iops>=1000";
    limits(&sandbox, "solve --region mars --need").arg(need).run().refuses(64, "us-east-1 (aws)");
    limits(&sandbox, "solve --region us-east-1 --provider azure --need").arg(need).run().refuses(64, "us-east-1 (aws)");
    let other = "solve --region eastus --instance m6i.large --need";
    limits(&sandbox, other).arg(need).run().refuses(64, "it is of aws, which is not among azure");
    let bought = limits(&sandbox, "solve --region eastus --need").arg(need).run();
    assert!(bought.code == 0 && bought.stdout.contains("buy azure/"), "{}{}", bought.stdout, bought.stderr);
}

/// Only TOML files are read from a directory of settings.
#[test]
fn settings_that_are_no_catalogue_are_left_alone() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let dir = sandbox.path("home").join(".config/secchi/limits");
    std::fs::create_dir_all(&dir).expect("a directory for settings");
    std::fs::write(dir.join("notes.txt"), "not TOML").expect("a file");
    let listed = limits(&sandbox, "list --provider oci").run();
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert!(Path::new(&dir).join("notes.txt").exists());
}
