//! Tests with synthetic database runs whose correct judgement is known.

use crate::database_fixture::{self, Worker, mixed, ramp, reader, reads, run, second, updates, writer};
use crate::judge::judge;
use model::bounds::*;
use model::judged::*;
use model::measured::*;
use model::plan::*;
use model::record::*;
use model::*;

fn database(judgement: &Judgement) -> &DbJudgement {
    judgement.database().expect("a database run has its own judgement")
}

fn ids(judgement: &Judgement) -> Vec<&str> {
    judgement.caveats.iter().map(|c| c.id.as_str()).collect()
}

#[test]
fn block_reads_are_told_by_rate_workers_and_latency() {
    let judgement = judge(&reads());
    assert!(judgement.verdict.starts_with("RanRead: 6,014 reads/s at 4 workers, mean 665"), "{}", judgement.verdict);
    assert!(judgement.caveats.is_empty(), "{:?}", judgement.caveats);
    assert_eq!((judgement.outcome, judgement.exit_code), (Outcome::Pass, 0));
    assert!(judgement.patterns.is_empty(), "workers are no patterns");
    let wave = &database(&judgement).waves[0];
    assert_eq!((wave.processes, wave.jobs.len(), wave.read_percent), (4, 4, 100));
    assert_eq!((wave.jobs[3].job, wave.jobs[3].reads), (4, 15_050));
    assert!(wave.rate.ci.is_some_and(|(low, high)| low < 6_014.0 && high > 6_014.0), "{:?}", wave.rate);
    let ratio = &database(&judgement).ratios[0];
    assert!(ratio.name == "device reads per block read" && (ratio.value - 1.0).abs() < 0.01, "{ratio:?}");
}

/// Returns a run whose batches are due at a rate, with the number of batches that each worker began.
fn at_a_rate(pacing: Pacing, begun: u64) -> RunRecord {
    let mut record = updates();
    let workers = record.steps.len() as u32;
    for (worker, stage) in record.plan.stages.iter_mut().enumerate() {
        if let Some(rule) = stage.job.tuning.work.session_mut() {
            rule.extra.arrivals = Some(BatchArrivals { pacing, worker: worker as u32, workers });
        }
    }
    for step in &mut record.steps {
        for (i, interval) in step.intervals.iter_mut().enumerate() {
            let transacted = interval.transacted.get_or_insert_default();
            let each = (0..begun).filter(|n| *n as usize % 12 == i);
            each.for_each(|n| transacted.lag.record(Nanos(1_000_000 + n)));
        }
    }
    record
}

#[test]
fn a_rate_that_was_not_kept_is_doubted_beyond_what_chance_explains() {
    // 400 batches per second over four workers for twelve seconds: 1,200 batches are due for each worker.
    let due = {
        let judgement = judge(&at_a_rate(Pacing::Fixed(Iops(400.0)), 1));
        database(&judgement).waves[0].arrivals.as_ref().expect("told").due
    };
    assert!((due - 4800.0).abs() < 1.0, "{due}");
    let doubted = |pacing: Pacing, begun: u64| {
        let judgement = judge(&at_a_rate(pacing, begun));
        let doubt = judgement.caveats.iter().find(|c| c.id == "rate-not-kept").cloned();
        let arrivals = database(&judgement).waves[0].arrivals.clone().expect("told");
        assert_eq!(arrivals.begun.count, begun * 4);
        doubt
    };
    let (fixed, poisson) = (Pacing::Fixed(Iops(400.0)), Pacing::Poisson(Iops(400.0)));
    for kept in [1200, 1210, 1198] {
        assert_eq!(doubted(fixed, kept), None, "{kept} of each");
        assert_eq!(doubted(poisson, kept), None, "{kept} of each");
    }
    // Of 4,800 batches, 277 (four standard deviations) may be missing by chance.
    assert_eq!(doubted(poisson, 1145), None);
    for pacing in [fixed, poisson] {
        let doubt = doubted(pacing, 1080).expect("a tenth is missing");
        let seen = doubt.evidence.to_string();
        assert!(doubt.severity == Severity::Doubt && seen.contains("of the 400 batches due"), "{seen}");
        assert!(
            doubt.statement.to_string().contains("not reached") && !doubt.remedy.to_string().is_empty(),
            "{doubt:?}"
        );
    }
}

#[test]
fn transactions_that_started_again_are_noted_of_the_engine_that_counts_them() {
    let mut record = updates();
    let used = record.database_mut().expect("a database");
    used.engine = "gtm".into();
    used.counters = [("SET", 25_379.0), ("CTN", 400.0), ("TR0", 102.0), ("TR1", 6.0), ("TR2", 2.0)]
        .map(|(name, n)| (name.to_owned(), n))
        .to_vec();
    let caveat_of =
        |record: &RunRecord| judge(record).caveats.into_iter().find(|c| c.id == "transactions-started-again");
    let note = caveat_of(&record).expect("told");
    assert_eq!(note.severity, Severity::Note);
    assert_eq!(
        note.evidence.to_string(),
        "110 restarts in 400 commits; the engine's SET and KIL counters total 25,379"
    );
    record.database_mut().expect("a database").counters.truncate(2);
    assert_eq!(caveat_of(&record), None);
}

#[test]
fn durable_commits_without_journal_writes_or_flushes_make_a_run_invalid() {
    let judged = |commit: &str, writes: Option<u64>, flushes: Option<u64>, parameters: &[(&str, &str)]| {
        let mut record = updates();
        let used = record.database_mut().expect("a database");
        used.commit = commit.into();
        used.parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let journal = RoleUse {
            role: FileRole::Journal,
            source: "GVSTAT".into(),
            reads: None,
            read_bytes: None,
            writes,
            write_bytes: None,
            flushes,
        };
        used.roles = vec![journal];
        used.mgstat = writes.map(|n| ("Jrnwrts".to_owned(), n as f64)).into_iter().collect();
        let judgement = judge(&record);
        let invalid = judgement.caveats.iter().any(|c| c.id == "commits-not-durable");
        assert_eq!(invalid, judgement.exit_code == 2, "{:?}", judgement.caveats);
        invalid
    };
    let acid = "TRANSACTIONID=ACID: the commit waits for the journal";
    assert!(judged(acid, Some(0), Some(0), &[]), "GT.M on a full disk");
    assert!(judged(acid, Some(500), Some(0), &[]), "written and never flushed");
    assert!(!judged(acid, Some(500), Some(400), &[]));
    assert!(!judged(acid, None, None, &[]), "not counted is not zero");
    assert!(!judged("TRANSACTIONID=BATCH: the journal is written later", Some(0), Some(0), &[]));
    let synchronous = [("wal_sync_method", "open_datasync")];
    assert!(!judged("synchronous_commit=on, fsync=on", Some(500), Some(0), &synchronous));
}

#[test]
fn tpc_b_is_reported_in_transactions_a_second() {
    let mut record = updates();
    record.database_mut().expect("a database").verb = "tpcb".into();
    let judgement = judge(&record);
    // 12,000 updates/s in transactions of 50.
    assert!(judgement.verdict.contains("240 tps at 4 workers, mean "), "{}", judgement.verdict);
    assert!(!judgement.verdict.contains("updates/s"), "{}", judgement.verdict);
}

#[test]
fn values_that_the_model_cut_are_a_doubt() {
    let mut record = updates();
    let used = record.database_mut().expect("a database");
    used.engine = "model".into();
    used.counters = [("sets", 25_000.0), ("values_cut", 1_250.0)].map(|(name, n)| (name.to_owned(), n)).to_vec();
    let caveat_of = |record: &RunRecord| judge(record).caveats.into_iter().find(|c| c.id == "values-cut");
    let doubt = caveat_of(&record).expect("told");
    assert_eq!(doubt.severity, Severity::Doubt);
    assert_eq!(doubt.evidence.to_string(), "1,250 of 25,000 updates; the journal contains the full values");
    record.database_mut().expect("a database").counters[1].1 = 0.0;
    assert_eq!(caveat_of(&record), None);
}

#[test]
fn inserts_are_told_with_the_growth_and_what_was_written_for_it() {
    let mut record = updates();
    for stage in &mut record.plan.stages {
        stage.name = stage.name.replace("ranwrite", "insert");
        if let Some(rule) = stage.job.tuning.work.session_mut() {
            rule.order = KeyOrder::Insert { scattered: true };
        }
    }
    let data = FilesGrowth {
        role: FileRole::Data,
        length_before: Bytes::from_mib(10),
        length_after: Bytes::from_mib(40),
        allocated_before: Bytes::from_mib(10),
        allocated_after: Bytes::from_mib(40),
    };
    let acknowledged: u64 = record.db_waves()[0].jobs.iter().map(DbJob::writes).sum();
    let used = record.database_mut().expect("a database");
    used.verb = "insert".into();
    let growth =
        Growth { nodes_before: 100, nodes_after: 100 + acknowledged + 50, files: vec![data], ..Growth::default() };
    used.growth = Some(growth);
    let judgement = judge(&record);
    let figures = database(&judgement).growth.expect("told");
    assert_eq!(
        (figures.nodes, figures.told, figures.data),
        (acknowledged + 50, acknowledged, Some(Bytes::from_mib(30)))
    );
    assert!(judgement.verdict.starts_with("Insert: 12,000 inserts/s at 4 workers"), "{}", judgement.verdict);
    assert!(judgement.verdict.contains("data files grew by 30 MiB"), "{}", judgement.verdict);
    assert!(!ids(&judgement).contains(&"inserts-lost"));
    // One fewer than was acknowledged: the figures are invalid.
    record.database_mut().and_then(|d| d.growth.as_mut()).expect("told").nodes_after = 100 + acknowledged - 1;
    let judgement = judge(&record);
    assert!(ids(&judgement).contains(&"inserts-lost") && judgement.exit_code == 2, "{:?}", ids(&judgement));
}

#[test]
fn block_reads_that_a_cache_answered_are_not_valid() {
    let mut record = reads();
    record.together[0].1.process_read = Some(record.together[0].1.asked_read / 3);
    let judgement = judge(&record);
    assert_eq!(ids(&judgement), ["direct-not-honoured"]);
    assert!(judgement.verdict.starts_with("not valid: direct I/O was requested"), "{}", judgement.verdict);
    assert_eq!(judgement.exit_code, 2);
}

#[test]
fn updates_are_told_with_what_reached_the_devices() {
    let judgement = judge(&updates());
    let expected = "RanWrite: 12,000 updates/s at 4 workers in transactions of 50 (commit mean";
    assert!(judgement.verdict.starts_with(expected), "{}", judgement.verdict);
    assert!(
        judgement.verdict.contains("; the devices completed 3,119 writes/s, 72.68 MB/s: 0.26 writes per update"),
        "{}",
        judgement.verdict
    );
    let figures = database(&judgement);
    let wave = &figures.waves[0];
    assert_eq!(wave.commits.as_ref().map(|c| c.count), Some(2_880));
    assert_eq!(wave.transactions.as_ref().map(|t| t.count), Some(2_880));
    let (outside, inside) = (wave.outside.as_ref().expect("some"), wave.inside.as_ref().expect("some"));
    assert_eq!((outside.count, inside.count), (2_160, 720));
    assert!(inside.mean > outside.mean);
    let ratio = |name: &str| figures.ratios.iter().find(|r| r.name == name).map(|r| r.value);
    assert!((ratio("device writes per update").expect("counted") - 0.26).abs() < 0.01);
    assert!((ratio("flushes per commit").expect("counted") - 1.04).abs() < 0.01);
    assert_eq!(figures.backlog.as_ref().map(|b| b.trend), Some(BacklogTrend::Level));
    let physical = figures.engine.iter().find(|e| e.name == "PhyWrs").and_then(|e| e.total).expect("a rate");
    assert!((physical - 31_416.0).abs() < 1.0, "{physical}");
    let queue = figures.engine.iter().find(|e| e.name == "WDQsz").expect("sampled");
    assert_eq!((queue.total, queue.max), (None, 7_800.0), "a queue is no rate");
}

#[test]
fn a_list_of_runs_has_only_rates_as_iops() {
    let record = updates();
    let judgement = judge(&record);
    let commits = database(&judgement).waves[0].commits.as_ref().expect("counted");
    let listed = crate::workload_figures(&record);
    let names: Vec<&str> = listed.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(
        names,
        ["RanWrite updates", "RanWrite commits", "RanWrite transactions"],
        "a ratio is none of the figures"
    );
    let (updated, committed) = (&listed[0], &listed[1]);
    assert_eq!(updated.iops.map(|rate| rate.per_second().round()), Some(12_000.0));
    assert_eq!((updated.p99, committed.iops, committed.bandwidth), (None, None, None));
    assert_eq!(committed.mean, commits.mean);
    let elsewhere = Some("this figure is listed for another operation of the run");
    for reason in [&updated.p99_reason, &committed.iops_reason, &committed.bandwidth_reason] {
        assert_eq!(reason.as_deref(), elsewhere);
    }
    assert_eq!((&updated.iops_reason, &committed.mean_reason), (&None, &None));
}

#[test]
fn the_achieved_pause_is_the_time_in_no_call() {
    // 60 transactions per second of 50 * 120 us + 1.3 ms: 438 ms of work; the rest are 60 pauses.
    let judgement = judge(&updates());
    let wave = &database(&judgement).waves[0];
    let (asked, made) = wave.hang.expect("batches pause");
    assert_eq!(asked, Nanos::from_millis(2));
    assert!((9_300_000..9_450_000).contains(&made.as_nanos()), "{made}");
    assert!((0.55..0.57).contains(&wave.idle), "{}", wave.idle);
    assert_eq!(ids(&judgement), ["mostly-pause", "pause-not-kept"]);
}

#[test]
fn a_ramp_is_accepted_up_to_the_last_that_kept_what_was_demanded() {
    let judgement = judge(&ramp());
    let figures = database(&judgement);
    let ramp = figures.ramp.as_ref().expect("four waves");
    assert_eq!((ramp.accepted, ramp.gain_until, ramp.best), (Some(8), 4, 16));
    assert_eq!(figures.waves.iter().map(|w| w.processes).collect::<Vec<_>>(), [1, 4, 8, 16]);
    let gains: Vec<f64> = figures.waves.iter().filter_map(|w| w.gain).collect();
    assert!(gains[0] > 2.7 && gains[1] < 0.1, "{gains:?}");
    assert!(
        judgement.verdict.starts_with("RanRead: accepted up to 8 workers (avg <= 2.00 ms, max <= 20.0 ms): 6,1"),
        "{}",
        judgement.verdict
    );
    assert!(judgement.verdict.contains("; the maximum is"), "{}", judgement.verdict);
    let mut strict = database_fixture::ramp();
    strict.plan.args = ["--accept=avg<=0.1ms"].map(String::from).to_vec();
    assert!(judge(&strict).verdict.contains("not accepted even at 1 worker"), "{}", judge(&strict).verdict);
    strict.plan.args.clear();
    assert!(judge(&strict).verdict.contains("the rate rises up to 4 workers"), "{}", judge(&strict).verdict);
}

#[test]
fn what_sessions_do_is_never_laid_against_bytes_of_the_device() {
    let mut record = updates();
    // Logical bytes are unrelated to the bytes that the process wrote.
    let steps = (0..4).collect();
    let counts = Accounting {
        asked_write: 1 << 40,
        process_write: Some(1),
        asked_write_ops: 9,
        cgroup_write_ops: Some(1),
        ..Accounting::default()
    };
    record.together = vec![(steps, counts)];
    let judgement = judge(&record);
    assert!(
        ids(&judgement).iter().all(|id| ["mostly-pause", "pause-not-kept"].contains(id)),
        "{:?}",
        judgement.caveats
    );
}

#[test]
fn records_that_were_not_there_make_it_invalid() {
    let mut record = updates();
    record.steps[1].intervals[0].per_op[Op::Write.index()].tally.errors.insert(2, 7);
    let judgement = judge(&record);
    assert_eq!((ids(&judgement)[0], judgement.exit_code), ("records-missing", 2));
}

#[test]
fn reads_through_the_engine_are_held_against_the_device() {
    let mut record = mixed();
    record.disks = vec![DiskUse { name: "vda".into(), ops: [900, 10_000], ..DiskUse::default() }];
    let judgement = judge(&record);
    assert!(ids(&judgement).contains(&"cached-reads"), "{:?}", judgement.caveats);
    assert!(
        judgement
            .verdict
            .starts_with("RanIO: 3,781 reads/s (mean 210 us, p99 840 us) and 1,600 updates/s in transactions of 50"),
        "{}",
        judgement.verdict
    );
    assert_eq!(database(&judgement).waves[0].read_percent, 70);
}

#[test]
fn commits_that_wait_for_a_disk_take_as_long_as_one() {
    let mut record = updates();
    let is_doubted = |record: &RunRecord| ids(&judge(record)).contains(&"sync-too-soon");
    record.preflight.host.virtualization = None;
    record.preflight.storage.devices = vec![model::record::DeviceFacts {
        name: "sda".into(),
        kind: "scsi".into(),
        rotational: true,
        size: Bytes::from_gib(100),
        write_cache: "write back".into(),
        ..model::record::DeviceFacts::default()
    }];
    assert!(is_doubted(&record), "1.3 ms each, and a disk has not turned");
    record.database_mut().expect("a database").commit = "journal_mode=WAL, synchronous=NORMAL".into();
    assert!(!is_doubted(&record), "they do not wait");
}

#[test]
fn modes_and_sizes_that_flatter_are_named() {
    let mut record = updates();
    let used = record.database_mut().expect("a database");
    used.commit = "journal_mode=OFF, synchronous=OFF".into();
    used.journal = false;
    used.data = Bytes::from_mib(300);
    for stage in &mut record.plan.stages {
        let rule = stage.job.tuning.work.session_mut().expect("sessions");
        rule.value = ValueRule::Length { from: 4, to: 4 };
    }
    let judgement = judge(&record);
    for id in ["data-fits-cache", "commit-lazy", "journal-off", "values-alike"] {
        assert!(ids(&judgement).contains(&id), "{id}: {:?}", judgement.caveats);
    }
    let fits = judgement.caveats.iter().find(|c| c.id == "data-fits-cache").expect("found");
    assert!(fits.evidence.contains("300 MiB of data, 16 GiB of memory"), "{}", fits.evidence);
}

#[test]
fn a_growing_backlog_is_not_sustainable() {
    let mut record = updates();
    let used = record.database_mut().expect("a database");
    used.backlog.iter_mut().enumerate().for_each(|(i, p)| p.1 += i as f64 * 900.0);
    let judgement = judge(&record);
    assert!(ids(&judgement).contains(&"backlog-grows"));
    assert!(judgement.verdict.contains("not sustainable"), "{}", judgement.verdict);
}

#[test]
fn needs_are_checked_on_waves_of_block_reads() {
    let mut record = ramp();
    record.plan.needs = vec!["8k randread: iops>=6000, avg<=2ms".parse().expect("a need")];
    let judgement = judge(&record);
    assert_eq!(judgement.needs[0].outcome, Outcome::Pass, "{:?}", judgement.needs);
    record.plan.needs = vec!["8k randread: iops>=9000".parse().expect("a need")];
    assert_eq!((judge(&record).outcome, judge(&record).exit_code), (Outcome::Fail, 1));
    let mut sessions = updates();
    sessions.plan.needs = vec!["8k randwrite: iops>=10".parse().expect("a need")];
    assert_eq!(judge(&sessions).needs[0].outcome, Outcome::Undecided, "updates are no blocks");
}

#[test]
fn a_run_that_was_stopped_says_so_first() {
    let mut record = run("ranread", &[(2, reader(100, 9_000_000))], 2);
    record.state = RunState::Stopped;
    assert!(
        judge(&record).verdict.starts_with("stopped before it finished; so far: RanRead: 20"),
        "{}",
        judge(&record).verdict
    );
    let advice = |state, caveats| {
        let mut record = record.clone();
        (record.state, record.caveats) = (state, caveats);
        judge(&record).answer.line(AnswerSubject::Do).map(|l| l.text.to_string()).unwrap_or_default()
    };
    assert_eq!(advice(RunState::Stopped, Vec::new()), "repeat the run and let it finish");
    assert_eq!(advice(RunState::Failed, Vec::new()), "check the engine's log and the kernel log");
    let full = crate::file_system_full(Severity::Invalid, "no space");
    assert_eq!(advice(RunState::Failed, vec![full]), "free some space or use a larger volume, then run again");
    let mut nothing = run("ranwrite", &[(1, writer(1, 1, 1))], 1);
    nothing.steps.clear();
    assert_eq!(judge(&nothing).verdict, "nothing was measured");
}

/// Judges a run with these needs and limits.
fn asked(mut record: RunRecord, needs: &[&str], limits: &[&str]) -> Judgement {
    record.plan.needs = needs.iter().map(|n| n.parse().expect("a need")).collect();
    record.plan.limits = limits.iter().map(|l| l.parse().expect("a limit")).collect();
    judge(&record)
}

#[test]
fn needs_on_commits_and_updates_are_checked_by_the_names_of_the_screens() {
    // 60 transactions per second of 50 updates by each of four workers; a commit takes 1.3 ms, one in fifty takes four
    // times as long.
    let judgement = asked(
        updates(),
        &[
            "commit: p99<=10ms",
            "updates: iops>=11000",
            "update: iops>=20000",
            "commit: avg<=0.5ms",
            "read: iops>=1",
            "8k randread: iops>=1",
        ],
        &[],
    );
    let outcomes: Vec<Outcome> = judgement.needs.iter().map(|n| n.outcome).collect();
    use Outcome::{Fail, Pass, Undecided};
    assert_eq!(outcomes, [Pass, Pass, Fail, Fail, Undecided, Undecided], "{:#?}", judgement.needs);
    assert_eq!(judgement.exit_code, 1);
    assert!(
        judgement.needs[4].why.contains("secchi db ranread /data/ran --need 'reads: iops >= 1'")
            || judgement.needs[4].why.contains("secchi db ranread"),
        "{}",
        judgement.needs[4].why
    );
    let long = asked(updates(), &["commit for 1h: p99<=10ms"], &[]);
    assert_eq!(long.needs[0].outcome, Undecided, "{:?}", long.needs);
    assert_eq!(asked(updates(), &["transactions: max<=10s"], &[]).exit_code, 0);
}

#[test]
fn what_the_devices_did_is_laid_against_the_limits_given() {
    let judgement = asked(updates(), &[], &["volume iops=1000000"]);
    let [finding] = judgement.findings.as_slice() else { panic!("{:#?}", judgement.findings) };
    assert!(finding.statement.starts_with("limit `volume IOPS` does not bind: the devices reached"), "{finding:?}");
    let rate = database(&judgement).device.writes.expect("counted") + database(&judgement).device.reads.unwrap_or(0);
    let seconds = database(&judgement).waves[0].time.secs();
    let cap = (rate as f64 / seconds * 1.02) as u64;
    let judgement = asked(updates(), &[], &[&format!("volume iops={cap}")]);
    assert!(judgement.findings[0].statement.contains("binds: the devices reached 98 %"), "{:?}", judgement.findings);
    let judgement = asked(updates(), &[], &[&format!("volume iops={}", cap / 4)]);
    assert!(judgement.findings[0].statement.contains("other processes used them"), "{:?}", judgement.findings);
}

#[test]
fn a_device_that_did_far_more_than_was_bought_proves_nothing_of_it() {
    // 4,096 writes/s on one device.
    let judged = |limits: &[&str], devices: usize| {
        let mut record = counted_below(Some(12 * 4096 * 8192), None, 12 * 4096 * 8192, None);
        let below = record.database_mut().and_then(|d| d.below.as_mut()).expect("counted");
        below.devices.extend(
            (1..devices)
                .map(|i| DeviceBelow { name: format!("vd{i}"), ..below.devices[0].clone() })
                .collect::<Vec<_>>(),
        );
        asked(record, &["updates: iops>=1"], limits)
    };
    let far = judged(&["vol iops=100"], 1);
    assert_eq!((far.outcome, far.exit_code), (model::judged::Outcome::Undecided, 2), "{:?}", far.caveats);
    assert!(
        far.verdict.starts_with("the device reached 4096 % of limit `vol IOPS`: the limit is wrong"),
        "{}",
        far.verdict
    );
    assert_eq!(far.needs[0].outcome, model::judged::Outcome::Pass, "the need itself was met");
    assert_eq!(judged(&["vol iops=3500"], 1).exit_code, 0, "a burst");
    assert_eq!(judged(&["vol iops=5000"], 1).exit_code, 0);
    assert_eq!(judged(&["vol iops=100"], 2).exit_code, 0, "of which of them is not known");
}

#[test]
fn runs_of_a_database_are_compared_by_what_they_did_and_waited_for() {
    let metrics = [Metric::Iops, Metric::Percentile(99.0)];
    let question = crate::Question { metrics: metrics.to_vec(), within: 0.03, allow: Vec::new(), only: Vec::new() };
    let run = |n: usize, journal: bool| {
        let mut record = updates();
        record.database_mut().expect("a database").journal = journal;
        crate::reduce(&record, &format!("{n}"), &metrics)
    };
    let names: Vec<String> = run(0, true).subjects.iter().map(|s| s.name.clone()).collect();
    assert_eq!(names, ["RanWrite updates", "RanWrite commits", "RanWrite transactions", "for each update"]);
    let side = |from: usize, journal: bool| (from..from + 8).map(|n| run(n, journal)).collect::<Vec<_>>();
    let same = crate::compare(&side(0, true), &side(8, true), &question).expect("they did the same");
    let figures: Vec<String> = same.figures.iter().map(|f| format!("{} {}", f.subject, f.metric)).collect();
    let expected =
        ["RanWrite updates iops", "RanWrite commits p99", "RanWrite transactions p99", "for each update device writes"];
    assert_eq!(figures, expected);
    let refused = crate::compare(&side(0, true), &side(8, false), &question).expect_err("one has no journal");
    assert!(refused.to_string().contains("journal is on in A and off in B"), "{refused}");
    let allowed = crate::Question { allow: vec!["journal".to_owned()], ..question };
    let other = crate::compare(&side(0, true), &side(8, false), &allowed).expect("it is what is compared");
    assert_eq!(other.differing[0].name, "journal");
}

/// Returns updates for twelve seconds, with the bytes counted below the database: for its control group, its processes
/// and the device.
fn counted_below(group: Option<u64>, processes: Option<u64>, device: u64, before: Option<f64>) -> RunRecord {
    let mut record = updates();
    let counts = |bytes: u64| IoCounts {
        reads: Some(0),
        read_bytes: 0,
        writes: Some(bytes / 8192),
        write_bytes: bytes,
        flushes: None,
    };
    let device = IoCounts { flushes: Some(1_440), ..counts(device) };
    let account = |bytes| IoCounts { write_bytes: bytes, ..IoCounts::default() };
    let used = record.database_mut().expect("a database");
    used.roles.clear();
    used.below = Some(Below {
        length: Nanos::from_secs(12),
        devices: vec![DeviceBelow { name: "vda".into(), group: group.map(counts), device, commits: Some(0) }],
        processes: processes.map(account),
        cpu: None,
        missing: vec!["the server is elsewhere".into()],
        before,
    });
    record
}

fn value(judgement: &Judgement, name: &str) -> Option<f64> {
    database(judgement).ratios.iter().find(|r| r.name == name).map(|r| r.value)
}

#[test]
fn what_the_group_was_charged_is_told_and_a_neighbour_is_a_doubt() {
    const OURS: u64 = 144_000 * 8192;
    let alone = judge(&counted_below(Some(OURS), Some(OURS), OURS, None));
    let device = &database(&alone).device;
    assert_eq!((device.by, device.writes, device.others), (CountedBy::Group, Some(144_000), Some(0.0)));
    assert_eq!(value(&alone, "device writes per update"), Some(1.0), "144,000 updates");
    assert!(alone.verdict.contains("the engine's processes issued 12,000 writes/s"), "{}", alone.verdict);
    // The devices are counted until all sessions wait, which is some milliseconds longer, without further operations.
    let mut longer = counted_below(Some(OURS), Some(OURS), OURS, None);
    longer.database_mut().and_then(|d| d.below.as_mut()).expect("counted").length = Nanos::from_millis(12_030);
    assert_eq!(value(&judge(&longer), "device writes per update"), Some(1.0));
    assert!(alone.verdict.contains("120 device flushes/s"), "writes and flushes apart: {}", alone.verdict);
    assert!(!ids(&alone).contains(&"foreign-load"));
    // A neighbour that writes as much as the engine changes no figure of the engine.
    let beside = judge(&counted_below(Some(OURS), Some(OURS), 2 * OURS, None));
    assert_eq!(value(&beside, "device writes per update"), Some(1.0));
    assert!(ids(&beside).contains(&"foreign-load"), "{:?}", beside.caveats);
}

#[test]
fn where_only_the_device_is_counted_others_are_estimated_and_what_is_theirs_makes_no_ratio() {
    const ALL: u64 = 144_000 * 8192;
    let rate = ALL as f64 / 12.0;
    let quiet = judge(&counted_below(None, None, ALL, Some(rate * 0.05)));
    assert_eq!(database(&quiet).device.by, CountedBy::Device);
    assert!(value(&quiet, "device writes per update").is_some() && !ids(&quiet).contains(&"device-counts-of-others"));
    let busy = judge(&counted_below(None, None, ALL, Some(rate * 0.5)));
    assert_eq!(value(&busy, "device bytes per byte updated"), None);
    let doubts: Vec<&str> = ids(&busy);
    assert!(doubts.contains(&"device-counts-of-others") && doubts.contains(&"foreign-load"), "{doubts:?}");
    assert!(!busy.verdict.contains("writes per update"), "{}", busy.verdict);
    // Without an earlier sample, a rate above that of any engine is still detected.
    let absurd = judge(&counted_below(None, None, 400 * ALL, None));
    assert!(ids(&absurd).contains(&"device-counts-of-others"));
    assert_eq!(value(&absurd, "device bytes per byte updated"), None);
}

#[test]
fn the_groups_count_decides_and_what_the_processes_sent_beyond_it_is_a_range() {
    const SENT: u64 = 144_000 * 8192;
    // PostgreSQL next to a neighbour: 536 MB sent, 202 MB charged and correct; 524 MB were the neighbour's.
    let beside = judge(&counted_below(Some(202_000_000), Some(536_000_000), 726_000_000, None));
    let device = &database(&beside).device;
    assert_eq!((device.by, device.write_bytes), (CountedBy::Group, Some(202_000_000)));
    assert_eq!(device.write_bytes_most, Some(536_000_000));
    let foreign = beside.caveats.iter().find(|c| c.id == "foreign-load").expect("a neighbour");
    assert_eq!(foreign.severity, Severity::Doubt);
    assert!(foreign.evidence.contains("15.83 MB/s to 43.67 MB/s"), "{}", foreign.evidence);
    assert!(beside.verdict.contains("(the processes issued up to 44.67 MB/s)"), "{}", beside.verdict);
    // Equal runs have the same source, regardless of how much the processes sent.
    for sent in [SENT / 2, SENT, 3 * SENT] {
        let run = judge(&counted_below(Some(SENT), Some(sent), 4 * SENT, None));
        let device = &database(&run).device;
        assert_eq!((device.by, device.write_bytes, device.writes), (CountedBy::Group, Some(SENT), Some(144_000)));
    }
    // A group of version 1 is not charged for the kernel's write-back, which is not attributed to others.
    let left = judge(&counted_below(Some(8192), Some(SENT), SENT, None));
    let device = &database(&left).device;
    assert_eq!((device.write_bytes, device.write_bytes_most), (Some(8192), Some(SENT)));
    assert_eq!((device.others_least, device.others.map(|share| share > 0.99)), (Some(0.0), Some(true)));
    let foreign = left.caveats.iter().find(|c| c.id == "foreign-load").expect("a note");
    assert_eq!(foreign.severity, Severity::Note);
}

#[test]
fn a_limit_is_held_against_what_everybody_did() {
    const OURS: u64 = 144_000 * 8192;
    // The engine and a neighbour each do 12,000 writes per second: together they reach the limit.
    let record = counted_below(Some(OURS), Some(OURS), 2 * OURS, None);
    let judgement = asked(record, &[], &["volume iops=24000"]);
    assert!(judgement.findings[0].statement.contains("binds: the devices reached 100 %"), "{:?}", judgement.findings);
}

#[test]
fn a_cap_of_a_control_group_that_was_found_is_named_and_leads_the_answer() {
    const OURS: u64 = 144_000 * 8192;
    let mut record = counted_below(Some(OURS), Some(OURS), 3 * OURS, None);
    let mut cap: Limit = "cgroup iops=12000".parse().expect("a limit");
    cap.op = Some(Op::Write);
    cap.source = LimitSource::Cgroup { file: "/sys/fs/cgroup/blkio/x".into() };
    record.preflight.limits = vec![cap];
    let advice = |needs: &[&str], limits: &[&str]| {
        let judgement = asked(record.clone(), needs, limits);
        judgement.answer.line(AnswerSubject::Do).map(|l| l.id.clone())
    };
    assert_eq!(advice(&[], &[]).as_deref(), Some("raise"));
    assert_eq!(advice(&["update: iops>=1"], &[]), None, "enough for what is needed");
    assert_eq!(advice(&[], &["volume iops=36000"]), None, "enough for what was bought");
    let judgement = asked(record, &["update: iops>=50000"], &[]);
    let line = |subject| judgement.answer.line(subject).map(|l| l.text.to_string()).unwrap_or_default();
    // The group's share, without the neighbour's.
    assert_eq!(line(AnswerSubject::Binds), "cgroup write IOPS: the devices reached 12,000 IOPS of 12,000 IOPS (100 %)");
    assert_eq!(line(AnswerSubject::Do), "raise cgroup write IOPS, which is used up, and run again");
    assert!(judgement.findings[0].statement.contains("limit `cgroup write IOPS` binds"), "{:?}", judgement.findings);
}

/// Returns a run of one wave; `worker` returns the work of each second.
fn course(verb: &str, workers: u32, seconds: u64, worker: impl Fn(u64) -> Worker) -> RunRecord {
    let mut record = run(verb, &[(workers, worker(0))], seconds);
    for (i, step) in record.steps.iter_mut().enumerate() {
        let start = step.start.as_nanos();
        step.intervals = (0..seconds).map(|s| second(&worker(s), s + i as u64, start + s * 1_000_000_000)).collect();
        let done = step.intervals.iter().map(Interval::ops).sum();
        let end = step.end.as_mut().expect("it ended");
        (end.submitted, end.completed) = (done, done);
    }
    record
}

#[test]
fn rates_by_kind_are_those_of_the_last_level_and_needs_go_by_them() {
    // 2 x 3,000 updates/s, then 2 x 600.
    let changed = || {
        course("ranwrite", 2, 40, |s| {
            writer(if s < 15 { 60 } else { 12 }, 40_000, if s < 15 { 500_000 } else { 900_000 })
        })
    };
    let judgement = judge(&changed());
    let wave = &database(&judgement).waves[0];
    let rate = |f: &Option<OpFigures>| f.as_ref().and_then(|f| f.rate).expect("a rate").per_second();
    assert!((rate(&wave.updates) - 1_200.0).abs() < 15.0, "{:?}", wave.updates);
    assert!((rate(&wave.commits) - 24.0).abs() < 0.5 && (rate(&wave.transactions) - 24.0).abs() < 0.5, "{wave:?}");
    let mean = wave.commits.as_ref().and_then(|c| c.mean).expect("latencies").as_nanos();
    // Before the change, the mean was about 480 us.
    assert!((850_000..950_000).contains(&mean), "{mean}");
    assert!(wave.moved.as_ref().is_some_and(|m| m.contains("until 15.0 s, then 1,2")), "{:?}", wave.moved);
    assert!(ids(&judgement).contains(&"two-regimes"), "{:?}", judgement.caveats);
    let verdict = &judgement.verdict;
    assert!(
        verdict.contains("1,2") && verdict.contains("figures of the last level (") && !verdict.contains("2,999"),
        "{verdict}"
    );
    let needs = |record, need: &str| asked(record, &[need], &[]).needs.remove(0);
    assert_eq!(needs(changed(), "update: iops>=2000").outcome, Outcome::Fail);
    assert_eq!(needs(changed(), "update: iops>=1000").outcome, Outcome::Pass);
    assert_eq!(needs(changed(), "commit: mean<=700us").outcome, Outcome::Fail);
    // The mean over both would be 735 us.
    assert_eq!(needs(changed(), "commit: mean<=1ms").outcome, Outcome::Pass);
}

#[test]
fn a_rate_that_drifts_has_no_figure_and_meets_no_need() {
    let drifts = || course("ranwrite", 2, 40, |s| writer(100 - 2 * s, 40_000, 500_000));
    let judgement = judge(&drifts());
    let wave = &database(&judgement).waves[0];
    assert!(wave.kinds().all(|(_, of)| of.rate.is_none() && of.mean.is_some()), "{wave:?}");
    assert!(
        judgement.verdict.starts_with("RanWrite: updates at no steady rate at 2 workers (the rate fell steadily"),
        "{}",
        judgement.verdict
    );
    let need = asked(drifts(), &["update: iops>=1"], &[]).needs.remove(0);
    assert!(
        need.outcome == Outcome::Undecided && need.why.starts_with("the rate did not settle: the rate fell"),
        "{need:?}"
    );
}

#[test]
fn what_others_take_of_the_cpu_is_told_and_what_the_engine_takes_is_not() {
    let judged = |engine: Option<f64>| {
        let mut record = updates();
        let length = record.steps[0].total().length;
        let used = record.database_mut().expect("a database");
        let cpu = engine.map(|share| Nanos::from_secs_f64(4.0 * share * length.secs()));
        used.below = Some(Below { length, cpu, ..Below::default() });
        for step in &mut record.steps {
            for interval in &mut step.intervals {
                interval.cpu_wait = Some(CpuWait { time: interval.length / 2, times: 1000 });
            }
            let end = step.end.as_mut().expect("it ended");
            (end.host_idle, end.host_others) = (Some(0.0), Some(0.9));
        }
        judge(&record)
    };
    let busy = judged(Some(0.0));
    let caveat = busy.caveats.iter().find(|c| c.id == "host-busy").expect("told");
    assert_eq!((caveat.severity, busy.exit_code), (Severity::Invalid, 2));
    // The CPUs were used by the engine itself, or it is unknown by which process.
    for own in [Some(0.9), None] {
        assert!(!ids(&judged(own)).contains(&"host-busy"), "{own:?}");
    }
}

#[test]
fn needs_on_reads_of_data_that_fits_into_caches_are_undecided_unless_cached_figures_are_wanted() {
    let judged = |data: Bytes, args: &[&str], need: &str| {
        let mut record = reads();
        let used = record.database_mut().expect("a database");
        (used.data, used.direct) = (data, true);
        record.plan.args = args.iter().map(|a| (*a).to_owned()).collect();
        asked(record, &[need], &[])
    };
    for need in ["read: avg<=2ms", "8k randread: iops>=6000"] {
        for (data, args, outcome) in [
            (Bytes(24 << 10), &[][..], Outcome::Undecided),
            (Bytes::from_mib(64), &[], Outcome::Undecided),
            (Bytes::from_gib(31), &[], Outcome::Undecided),
            (Bytes::from_gib(32), &[], Outcome::Pass),
            (Bytes::from_mib(64), &["--cached"], Outcome::Pass),
            (Bytes::from_gib(48), &["--controller-cache", "16g"], Outcome::Undecided),
            (Bytes::from_gib(48), &["--controller-cache=16g"], Outcome::Undecided),
            (Bytes::from_gib(48), &["--controller-cache", "12g"], Outcome::Pass),
        ] {
            let judgement = judged(data, args, need);
            let result = &judgement.needs[0];
            assert_eq!(result.outcome, outcome, "{need}, {data}, {args:?}: {result:?}");
            assert_eq!(
                ids(&judgement).contains(&"data-fits-cache"),
                data < Bytes::from_gib(32) || outcome == Outcome::Undecided
            );
        }
    }
    let tiny = judged(Bytes(24 << 10), &[], "read: avg<=2ms");
    let reason = tiny.needs[0].why.to_string();
    assert!(reason.contains("24 KiB of data") && reason.contains("db insert /data/ran --grow-to 32768m"), "{reason}");
}
