//! False alarms, each of which a rule once raised: names, tails of few operations, clients, memory, single reports.

use super::every_rule::{Fio, disk_mark, syncs, sysbench};
use super::*;
use model::Severity;

fn row(files: &[ForeignFile]) -> ForeignRow {
    judged(files, &[]).rows.remove(0)
}

#[test]
fn dates_percentages_and_agreeing_numbers_in_names_are_no_parameters() {
    for name in [
        "fio-2023-08-12.json",
        "95%.txt",
        "randread-2023-08-12.txt",
        "randread-4-iodepth.txt",
        "randread-120s.txt",
        "randread-2m.txt",
    ] {
        let j = judged(&[Fio { name, ..Fio::default() }.file()], &[]);
        assert_eq!(ids(&j), [""; 0], "{name}: {:?}", j.findings);
    }
}

#[test]
fn the_name_of_a_file_strikes_no_row_and_that_of_a_job_does() {
    let j = judged(&[Fio { name: "randread-16k-qd32.txt", ..Fio::default() }.file()], &[]);
    let label = finding(&j, "B03-label");
    assert_eq!((label.finding.severity, j.rows[0].struck.as_deref(), j.exit_code), (Severity::Doubt, None, 0));
    let text = Fio::default().text().replace("job: (g", "randread-16k: (g");
    let j = judged(&[read("a.txt", &text)], &[]);
    assert_eq!((j.rows[0].struck.as_deref(), j.exit_code), (Some("B03-label"), 2));
}

#[test]
fn percentiles_say_nothing_where_no_operations_lie_beyond_them() {
    let shaped = Fio { tail: [1800, 9400, 11_200, 11_700], clat: (150.0, 12_000.0, 790.0), ..Fio::default() };
    assert!(ids(&judged(&[shaped.file()], &[])).contains(&"B31-throttle"));
    let few = Fio { ops: 1000, ms: 200, ..shaped };
    assert!(!ids(&judged(&[few.file()], &[])).contains(&"B31-throttle"));
}

#[test]
fn no_need_is_decided_by_a_percentile_of_too_few_operations() {
    let needs: Vec<Need> = vec!["8k randread: p99.99<=20ms".parse().unwrap()];
    let judge = |fio: Fio| {
        let j = judge_foreign(&[fio.file()], &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
        (j.needs[0].outcome, j.needs[0].clauses[0].measured.to_string())
    };
    assert_eq!(judge(Fio::default()).0, Outcome::Pass);
    let (outcome, measured) = judge(Fio { ops: 1000, ms: 200, ..Fio::default() });
    assert!(outcome == Outcome::Undecided && measured.contains("too few operations"), "{measured}");
}

#[test]
fn a_percentile_that_shows_the_stall_is_not_said_to_hide_it() {
    let stalled = |p9999: u64| Fio {
        clat: (150.0, 1_660_000.0, 790.0),
        lat: (160.0, 1_660_010.0, 798.0),
        tail: [1200, 1800, 3000, p9999],
        ..Fio::default()
    };
    let text_of = |fio: Fio| finding_text(&judged(&[fio.file()], &[]), "B35-stall");
    assert!(text_of(stalled(7000)).contains("p99.99 is 7.00 ms and does not show the stall"));
    assert!(!text_of(stalled(1_660_000)).contains("does not show the stall"));
    let few = text_of(Fio { ops: 1000, ms: 200, ..stalled(7000) });
    assert!(!few.contains("does not show the stall"), "{few}");
}

#[test]
fn a_second_is_no_stall_where_operations_take_a_good_part_of_one() {
    let slow = Fio {
        depth: 64,
        ops: 24_000,
        sampled: 200.0,
        lowest: 180.0,
        clat: (9000.0, 1_400_000.0, 319_992.0),
        lat: (9010.0, 1_400_010.0, 320_000.0),
        tail: [700_000, 900_000, 1_100_000, 1_300_000],
        ..Fio::default()
    };
    assert!(!ids(&judged(&[slow.file()], &[])).contains(&"B35-stall"), "4 times the mean");
}

#[test]
fn one_in_flight_through_the_page_cache_is_doubted_and_not_struck() {
    let cached = |depth: u64, command: &'static str| Fio {
        rw: "write",
        depth,
        command,
        slat: (400.0, 900.0, 700.0),
        clat: (1.0, 90.0, 15.0),
        lat: (420.0, 990.0, 715.0),
        tail: [30, 40, 60, 80],
        ops: 160_000,
        sampled: 1335.0,
        lowest: 1300.0,
        ..Fio::default()
    };
    let struck = |fio: Fio| row(&[fio.file()]).struck;
    assert_eq!(struck(cached(1, "--direct=0")), None);
    assert_eq!(struck(cached(1, "")), None, "what is not told is not held against it");
    assert_eq!(struck(cached(1, "--direct=1")).as_deref(), Some("B04-extension"));
    assert_eq!(struck(cached(16, "--direct=0")).as_deref(), Some("B04-extension"));
    let windows = Fio { engine: "windowsaio", ..cached(1, "") };
    assert_eq!(struck(windows).as_deref(), Some("B04-extension"));
}

#[test]
fn absurd_times_and_rates_strike_their_rows() {
    let long = judged(&[Fio { ms: 756_553_000, ..Fio::default() }.file()], &[]);
    assert_eq!(long.rows[0].struck.as_deref(), Some("B34-absurd"));
    assert!(
        finding_text(&long, "B34-absurd").contains("it ran for 756553 s (8.8 days)"),
        "{}",
        finding_text(&long, "B34-absurd")
    );
    let asked = judged(&[Fio { ms: 7_200_000, command: "--runtime=60 --time_based", ..Fio::default() }.file()], &[]);
    assert!(
        finding_text(&asked, "B34-absurd").contains("7200 s, but 60.0 s was requested"),
        "{}",
        finding_text(&asked, "B34-absurd")
    );
    let soak = judged(&[Fio { ms: 259_200_000, command: "--runtime=72h --time_based", ..Fio::default() }.file()], &[]);
    assert!(!ids(&soak).contains(&"B34-absurd"), "three days were asked for");
}

#[test]
fn memory_that_processors_reach_themselves_has_no_block_layer() {
    let disk = |name: &str| Fio::disk("0.00").replace("vda", name).replace("ios=600000/0", "ios=0/0");
    let judged_with = |name: &str| judged(&[Fio { more: disk(name), ..Fio::default() }.file()], &[]);
    assert!(ids(&judged_with("vda")).contains(&"B46-not-from-device"));
    for name in ["pmem0", "dax0.0"] {
        assert!(!ids(&judged_with(name)).contains(&"B46-not-from-device"), "{name}");
    }
    let engine = Fio { engine: "libpmem", depth: 1, more: disk("vda"), ..Fio::default() };
    assert!(!ids(&judged(&[engine.file()], &[])).contains(&"B46-not-from-device"));
}

#[test]
fn a_job_that_failed_leads_and_ends_with_2() {
    let text = Fio::default().text().replace("err= 0:", "err= 5 (error=Input/output error):");
    let j = judged(&[read("a.txt", &text)], &["volume iops=5000"]);
    assert!(j.verdict.starts_with("a.txt: job job ended with error 5 (error=Input/output error)"), "{}", j.verdict);
    assert_eq!((j.exit_code, j.outcome, j.rows[0].struck.as_deref()), (2, Outcome::Undecided, Some("E01-not-whole")));
    // The error is reported only by a message.
    let line = "fio: io_u error on file /dev/vdb: Input/output error: read offset=0, buflen=8192";
    let j = judged(&[read("a.txt", &format!("{line}\n{}", Fio::default().text()))], &[]);
    assert!(j.verdict.starts_with(&format!("a.txt: fio reports an error: {line}")), "{}", j.verdict);
    assert_eq!((j.exit_code, finding(&j, "E01-not-whole").lines[0].line), (2, 1));
    // The error is reported in JSON.
    let json = r#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":28,"write":{"total_ios":10,"io_bytes":40960,"io_kbytes":40,"iops":5.0,"runtime":2000}}]}"#;
    let j = judged(&[read("a.json", json)], &[]);
    assert!(j.verdict.starts_with("a.json: job a ended with error 28") && j.exit_code == 2, "{}", j.verdict);
    // A need is met by another job that succeeded, but the exit code still reports the failure.
    let two = Fio {
        more: text
            .lines()
            .skip_while(|l| !l.contains("groupid"))
            .fold(String::new(), |all, l| all + "\n" + &l.replace("job:", "other:"))
            + "\n",
        ..Fio::default()
    };
    let needs: Vec<Need> = vec!["8k randread: iops>=1".parse().unwrap()];
    let j = judge_foreign(&[two.file()], &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
    assert_eq!((j.needs[0].outcome, j.exit_code), (Outcome::Pass, 2), "{}", j.verdict);
}

#[test]
fn operations_that_failed_in_a_job_that_went_on_are_doubted() {
    let more = "     errors    : total=12, first_error=5/<Input/output error>\n".to_owned();
    let line = "fio: io_u error on file /dev/vdb: Input/output error: read offset=0, buflen=8192\n";
    let text = Fio { more, ..Fio::default() }.text();
    let j = judged(&[read("a.txt", &format!("{line}{text}"))], &[]);
    assert!(finding_text(&j, "E02-errors").contains("12 operations failed"), "{}", finding_text(&j, "E02-errors"));
    assert!(!ids(&j).contains(&"E01-not-whole") && j.rows[0].struck.is_none(), "{:?}", ids(&j));
}

#[test]
fn nothing_speaks_against_is_never_said_of_a_file_without_figures() {
    let boot = "Linux 5.10 (h)  01/02/24  _x86_64_  (8 CPU)\n\ntps kB_read/s kB_wrtn/s Device\n8.59 222.1k 57.1k sda\n";
    let trace = "==================== All Devices ====================\n\nD2C 0.003104665 0.015828304 0.028136240 41\n";
    let idle = r#"{"fio version":"fio-3.33","jobs":[{"jobname":"a","error":0,"read":{"total_ios":0,"iops":0.0}}]}"#;
    for (name, text) in [("iostat.txt", boot), ("btt.txt", trace), ("idle.json", idle)] {
        let j = judged(&[read(name, text)], &[]);
        assert!(!j.verdict.contains("no problems"), "{name}: {}", j.verdict);
        assert_eq!((j.exit_code, j.outcome), (2, Outcome::Undecided), "{name}");
    }
    let j = judged(&[read("iostat.txt", boot)], &[]);
    assert!(j.verdict.contains("since the machine started"), "{}", j.verdict);
    let figures = finding_text(&j, "B28-no-interval");
    assert!(figures.contains("sda: tps 8.59, kB_read/s 222.1k, kB_wrtn/s 57.1k"), "{figures}");
    assert_eq!(finding(&j, "B28-no-interval").lines[0].line, 4);
    let pool = read("zpool.txt", include_str!("../../../../import/tests/data/public/zpool-iostat.txt"));
    let verdict = judged(&[pool], &[]).verdict;
    assert!(verdict.contains("since the pool was imported"), "{verdict}");
    let orders = read("hammerdb.txt", "TEST RESULT : System achieved 42332 NOPM from 97427 PostgreSQL TPM\n");
    let j = judged(&[orders], &[]);
    assert!(j.verdict.starts_with("only transactions per minute of a database"), "{}", j.verdict);
    assert_eq!((j.exit_code, j.outcome), (2, Outcome::Undecided));
}

/// fio 2.6 with `unified_rw_reporting` and one client: the file has only the sum, with both directions as one.
#[test]
fn a_mix_that_is_told_as_one_has_the_mean_that_the_file_tells() {
    let row = row(&[read("a.json", include_str!("../../../../import/tests/data/public/fio-2.6-client.json"))]);
    assert_eq!(row.name, "All clients");
    assert!((row.mean.unwrap() - 1782.92e-6).abs() < 1e-12, "{:?}", row.mean);
    assert!((row.iops.unwrap() - 2252.49).abs() < 0.01, "{:?}", row.iops);
    // In text, the counts of both directions are next to the combined figures.
    let text = Fio { rw: "randrw", ..Fio::default() }.text().replace("  read: IOPS", "  mixed: IOPS");
    let text = text.replace("total=600000,0,0,0", "total=420000,180000,0,0");
    let row = self::row(&[read("mix.txt", &text)]);
    assert!((row.mean.unwrap() - 798e-6).abs() < 1e-9, "{:?}", row.mean);
    assert!((row.iops.unwrap() - 5000.0).abs() < 1.0 && (row.reads.unwrap() - 0.7).abs() < 1e-9, "{row:?}");
}

#[test]
fn a_size_that_rounding_leaves_open_is_the_one_that_was_asked() {
    let row = row(&[read("all.txt", include_str!("../../../../import/tests/data/public/fio-all-clients.txt"))]);
    assert_eq!((row.block, row.jobs), (Some(Bytes(4096)), Some(6)), "{row:?}");
}

#[test]
fn a_sum_of_servers_without_a_depth_is_not_overfull() {
    let file = read("all.txt", include_str!("../../../../import/tests/data/public/fio-all-clients.txt"));
    let judgement = judged(&[file], &[]);
    assert!(!ids(&judgement).contains(&"B34-impossible"), "{:?}", judgement.findings);
}

#[test]
fn files_of_one_name_are_told_apart_and_no_name_is_told_five_times() {
    let at = |source: &str, depth| ForeignFile {
        source: source.into(),
        ..Fio { name: "randread-16k.txt", depth, ..Fio::default() }.file()
    };
    let j = judged(&[at("gp2/randread-16k.txt", 4), at("gp3/randread-16k.txt", 4)], &[]);
    let text = finding_text(&j, "B03-label");
    assert!(text.contains("gp2/randread-16k.txt") && text.contains("gp3/randread-16k.txt"), "{text}");
    let block = |i: usize| {
        let text = Fio { cpu: "usr=31.00%, sys=68.00%, ctx=60032, majf=0, minf=12", ..Fio::default() }.text();
        text.lines()
            .skip_while(|l| !l.contains("groupid"))
            .fold(String::new(), |all, l| all + &l.replace("job:", &format!("j{i}:")) + "\n")
    };
    let text: String = (1..=6).map(block).collect();
    let j = judged(&[read("a.txt", &text)], &[]);
    let client = finding(&j, "B23-client-bound");
    let lines = Sentence::join(client.finding.evidence.clone(), "\n").to_string();
    for line in lines.lines().chain([j.verdict.as_str()]) {
        assert!(line.matches("a.txt").count() <= 2, "{line}");
    }
}

#[test]
fn direct_reads_one_at_a_time_are_no_less_for_being_done_while_handed_over() {
    let slow = Fio {
        depth: 1,
        command: "--direct=1",
        slat: (500.0, 9000.0, 980.0),
        clat: (1.0, 200.0, 8.0),
        lat: (510.0, 9010.0, 988.0),
        tail: [10, 20, 60, 150],
        sampled: 1010.0,
        lowest: 900.0,
        ops: 121_200,
        ..Fio::default()
    };
    let j = judged(&[slow.file()], &[]);
    assert_eq!((j.rows[0].struck.as_deref(), j.exit_code), (None, 0), "{:?}", j.findings);
    let deeper = Fio { depth: 8, ..slow };
    assert_eq!(judged(&[deeper.file()], &[]).rows[0].struck.as_deref(), Some("B04-extension"));
}

#[test]
fn depths_that_fio_counted_wrong_are_a_note() {
    let more = "  IO depths    : 1=0.1%, 32=0.1%, >=64=105.0%\n".to_owned();
    let j = judged(&[Fio { more, ..Fio::default() }.file()], &[]);
    assert_eq!(finding(&j, "B34-impossible").finding.severity, Severity::Note);
}

#[test]
fn queues_caches_and_syncs_of_sound_devices_raise_no_alarm() {
    let quiet = |what: &str, file: ForeignFile, rule: &str| {
        let j = judged(&[file], &[]);
        assert!(!ids(&j).contains(&rule), "{what}: {:?}", j.findings);
    };
    quiet(
        "a disk that sorts",
        disk_mark(&[("R", 1, 90.0, 11_000.0), ("R", 32, 180.0, 177_000.0)]),
        "B60-depth-adds-nothing",
    );
    quiet(
        "writes into a cache",
        disk_mark(&[("W", 1, 200.0, 5000.0), ("W", 32, 205.0, 156_000.0)]),
        "B60-depth-adds-nothing",
    );
    quiet("a fast SSD", disk_mark(&[("R", 32, 500_000.0, 64.0), ("W", 32, 30_000.0, 1066.0)]), "B61-memory");
    quiet(
        "reads of one depth, writes of another",
        disk_mark(&[("R", 32, 500_000.0, 64.0), ("W", 1, 200.0, 5000.0)]),
        "B61-memory",
    );
    quiet(
        "no fsyncs",
        read("s.txt", include_str!("../../../../import/tests/data/public/sysbench-0.4.txt")),
        "B62-mixed-mean",
    );
    quiet("in flight all the time", disk_mark(&[("R", 32, 5283.2, 6020.22)]), "B63-mostly-idle");
    let fsync = "     issued rwts: total=0,600000,0,600000 short=0,0,0,0 dropped=0,0,0,0\n".to_owned();
    let synced = Fio { rw: "randwrite", ops: 6000, sampled: 50.0, lowest: 45.0, more: fsync, ..Fio::default() };
    quiet("writes that wait for their syncs", synced.file(), "B63-mostly-idle");
    quiet(
        "a journal's commit",
        syncs(&[("open_datasync", 1828.7), ("fdatasync", 1839.3), ("fsync", 538.3)]),
        "E04-not-durable",
    );
    quiet("a sample that came late", read("i.txt", "Device r/s w/s %util\nsda 13.00 4.00 100.40\n"), "B65-over-busy");
}

#[test]
fn a_cap_that_was_bought_explains_a_depth_that_adds_nothing() {
    let file = || disk_mark(&[("R", 4, 5000.0, 800.0), ("R", 32, 5010.0, 6387.0)]);
    assert!(ids(&judged(&[file()], &[])).contains(&"B60-depth-adds-nothing"));
    assert!(!ids(&judged(&[file()], &["volume iops=5000"])).contains(&"B60-depth-adds-nothing"));
}

#[test]
fn a_rate_is_bound_by_latency_only_with_an_operation_in_flight() {
    let binds = |rate, mean| row(&[disk_mark(&[("W", 1, rate, mean)])]).binds.to_string();
    assert_eq!((binds(6281.0, 158.92).as_str(), binds(10.2, 238.27).as_str()), ("latency", ""));
}

#[test]
fn reads_from_memory_meet_no_need() {
    let needs: Vec<Need> = vec!["4k randread: iops>=100000".parse().unwrap()];
    let file = disk_mark(&[("R", 1, 500_000.0, 2.0), ("W", 1, 200.0, 5000.0)]);
    let j = judge_foreign(&[file], &ForeignRequest { needs: &needs, ..ForeignRequest::default() });
    assert_eq!((j.needs[0].outcome, j.rows[0].struck.as_deref()), (Outcome::Undecided, Some("B61-memory")));
}

#[test]
fn threads_that_no_line_names_follow_from_their_events_and_a_mixed_mean_is_no_latency() {
    let j = judged(&[sysbench()], &[]);
    let row = &j.rows[0];
    assert_eq!((row.jobs, row.mean), (Some(20), None));
    assert!((row.in_flight.unwrap() - 20.0).abs() < 0.1, "{:?}", row.in_flight);
    assert!(!ids(&j).contains(&"B34-impossible"), "{:?}", j.findings);
    assert!(finding_text(&j, "B62-mixed-mean").contains("353,795 fsyncs"), "{}", finding_text(&j, "B62-mixed-mean"));
}

#[test]
fn a_line_that_is_missing_is_not_read_as_one_job_and_depth_1() {
    let text = Fio { name: "randread-16.txt", ..Fio::default() }.text();
    let excerpt: String = text.lines().filter(|l| !l.contains(": (g=0)")).fold(String::new(), |t, l| t + l + "\n");
    let j = judged(&[read("randread-16.txt", &excerpt)], &[]);
    assert!(!ids(&j).contains(&"B03-label") && !ids(&j).contains(&"B34-impossible"), "{:?}", j.findings);
    assert_eq!(j.rows[0].depth, None);
}

#[test]
fn depths_that_count_syncs_are_not_impossible() {
    let more =
        "  IO depths    : 1=0.1%, 4=199.5%\n     issued rwts: total=0,600000,0,598000 short=0,0,0,0 dropped=0,0,0,0\n"
            .to_owned();
    let j = judged(&[Fio { rw: "randwrite", more, ..Fio::default() }.file()], &[]);
    assert!(!ids(&j).contains(&"B34-impossible"), "{:?}", j.findings);
}

#[test]
fn one_row_is_not_stopped_and_ended_apart_at_once() {
    let stopped = judged(&[Fio { samples: 700, ..Fio::stalled() }.file()], &[]);
    let both = ["B01-first-touch", "B05-ended-apart"].map(|id| ids(&stopped).contains(&id));
    assert_eq!(both, [true, false], "{:?}", ids(&stopped));
}

#[test]
fn windows_without_an_operation_are_no_jobs_that_ended_early() {
    let slow = Fio {
        jobs: 48,
        depth: 64,
        samples: 4500,
        sampled: 3186.0,
        ops: 302_160,
        clat: (4000.0, 6_020_000.0, 1_212_680.0),
        lat: (4000.0, 6_020_000.0, 1_219_470.0),
        ..Fio::default()
    };
    assert!(!ids(&judged(&[slow.file()], &[])).contains(&"B05-ended-apart"));
    assert!(!ids(&judged(&[slow.file()], &[])).contains(&"B06-unweighted"));
}

#[test]
fn one_test_on_two_machines_is_no_spread() {
    let run = |source: &str, ops| ForeignFile {
        source: source.into(),
        ..Fio { name: "a.txt", ops, ..Fio::default() }.file()
    };
    let spread = |a: &str, b: &str| ids(&judged(&[run(a, 600_000), run(b, 300_000)], &[])).contains(&"B27-spread");
    assert!(spread("run-1.txt", "run-2.txt"));
    assert!(!spread("gp2/read.txt", "gp3/read.txt"));
    assert!(!spread("host1-read.txt", "host2-read.txt"));
}

#[test]
fn what_a_tool_leaves_out_is_no_headline() {
    let unmeasured = Fio { cpu: "usr=0.00%, sys=0.00%, ctx=0, majf=0, minf=0", ..Fio::default() };
    let files: Vec<ForeignFile> =
        (0..3).map(|i| ForeignFile { source: format!("{i}.txt"), ..unmeasured.file() }).collect();
    let j = judged(&files, &[]);
    assert!(ids(&j).contains(&"B14-not-measured"));
    assert_eq!(j.verdict.as_str(), "3 results, no problems found");
}
