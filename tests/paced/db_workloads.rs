//! Workloads of `secchi db` that PerfTools does not have: engine parameters, arrival rates and skew, counted a second
//! way.

use crate::db::{Base, ops};
use crate::support::{PATIENCE, Run, alone, beside, eventually, skip};
use model::{Op, plan::Pacing};
use testkit::postgres::{Database, PASSWORD};

fn counter(run: &Run, name: &str) -> f64 {
    let database = run.record.database().expect("a database");
    let entry = database.counters.iter().find(|(n, _)| n == name);
    entry.unwrap_or_else(|| panic!("no {name} in {:?}", database.counters)).1
}

/// Returns the syncs of the journal: PostgreSQL 18 counts them with all other I/O.
fn journal_syncs(run: &Run) -> f64 {
    let counters = &run.record.database().expect("a database").counters;
    let find = |name: &str| counters.iter().find(|(n, _)| n == name).map(|(_, n)| *n);
    find("pg_stat_wal.wal_sync")
        .or_else(|| find("pg_stat_io.fsyncs.wal"))
        .unwrap_or_else(|| panic!("none in {counters:?}"))
}

fn mgstat(run: &Run, name: &str) -> f64 {
    let database = run.record.database().expect("a database");
    database.mgstat.iter().find(|(n, _)| n == name).expect("counted").1
}

fn doubts(run: &Run) -> Vec<&str> {
    run.judgement.caveats.iter().map(|c| c.id.as_str()).collect()
}

#[test]
fn parameters_of_postgres_move_what_the_server_itself_counts() {
    let _beside = beside();
    let base = match Base::set_up("postgres", "--set commit_delay=0 --set wal_sync_method=fdatasync") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 1 -s 20000");
    let with = |words: &str| base.measured("ranwrite", &format!("-n 2000 --txn 20 --pause 0 {words}"));
    let parameter = |run: &Run, name: &str| -> String {
        let parameters = &run.record.database().expect("a database").parameters;
        parameters.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name} in {parameters:?}")).1.clone()
    };
    let usual = with("");
    assert_eq!((parameter(&usual, "full_page_writes"), parameter(&usual, "commit_delay")), ("on".into(), "0".into()));
    // The first change of each page since the checkpoint before the run writes an image of the page.
    assert!(counter(&usual, "pg_stat_wal.wal_fpi") > 100.0);
    assert!(journal_syncs(&usual) >= ops(&usual, Op::Flush) as f64);

    let without = with("--set full_page_writes=off");
    assert_eq!(parameter(&without, "full_page_writes"), "off");
    assert_eq!(counter(&without, "pg_stat_wal.wal_fpi"), 0.0);
    let bytes = |run: &Run| counter(run, "pg_stat_wal.wal_bytes");
    assert!(bytes(&without) < bytes(&usual) / 2.0, "{} and {}", bytes(&without), bytes(&usual));

    // Writes with O_DSYNC leave the server nothing to sync; the run's parameters override those of setup.
    let direct = with("--set wal_sync_method=open_datasync");
    assert_eq!(parameter(&direct, "wal_sync_method"), "open_datasync");
    assert_eq!(journal_syncs(&direct), 0.0);

    let lazy = with("--set synchronous_commit=off");
    assert!(doubts(&lazy).contains(&"commit-lazy"), "{:?}", doubts(&lazy));
    assert!(journal_syncs(&lazy) < ops(&lazy, Op::Flush) as f64);

    for (words, word) in [
        ("--set full_page_writes=perhaps", "full_page_writes"),
        ("--set wal_sync_method=hope", "wal_sync_method"),
        ("--set full_page_write=off", "did you mean `full_page_writes`"),
        ("--set fsync=off", "the disk is not measured"),
        ("--set shared_buffers=1GB", "--cache"),
        ("--set synchronous_commit=on --commit lazy", "--commit lazy"),
    ] {
        let refused = base.db("ranwrite", &format!("-n 1 {words}"));
        assert!(refused.code == 3 && refused.stderr.contains(word), "{words}: {} {}", refused.code, refused.stderr);
    }
    assert_eq!(base.db("ranwrite", "-n 1 --set full_page_writes").code, 64);
    base.run_ok("purge", "");
}

#[test]
fn parameters_that_an_engine_does_not_have_are_refused_and_leave_nothing() {
    let _beside = beside();
    let base = Base::within("data");
    let refused = base.db("setup", "--engine sqlite --set full_page_writes=off");
    assert!(refused.code == 3 && refused.stderr.contains("--set full_page_writes"), "{}", refused.stderr);
    assert!(!base.at.exists());
    base.make("sqlite", "").expect("built in");
    assert_eq!(base.db("create-globals", "-g 1 -s 10 --set full_page_writes=off").code, 3);
    let elsewhere = base.db("setup", "--engine postgres --url postgres://u@localhost/d --set full_page_writes=off");
    assert!(elsewhere.code == 64 && elsewhere.stderr.contains("external server"), "{}", elsewhere.stderr);
}

/// Tests transactions that arrive at a fixed rate, independent of the duration of earlier ones.
fn arrivals(engine: &str) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 2000");
    let run = base.measured("ranwrite", "-p 2 -t 3 --txn 5 --rate 40 --rate-process fixed");
    let commits = ops(&run, Op::Flush);
    let lag: u64 = run.record.steps.iter().map(|s| s.total().transacted.expect("transactions").lag.count()).sum();
    assert_eq!((ops(&run, Op::Write), lag), (commits * 5, commits));
    let figures = &run.judgement.database().expect("judged").waves[0];
    let arrivals = figures.arrivals.as_ref().expect("told");
    assert!(matches!(arrivals.asked, Pacing::Fixed(_)) && arrivals.begun.count == commits);
    // 120 arrived; a machine that cannot keep up reports it.
    assert!(commits <= 124, "{commits}");
    assert!(commits >= 116 || doubts(&run).contains(&"rate-not-kept"), "{commits}: {:?}", doubts(&run));
    // The time from arrival to completion is at least as long as the commit within it.
    let total = run.record.db_waves()[0].transacted().all();
    assert!(total.max() >= run.record.db_waves()[0].total().op(Op::Flush).latency.max());

    let reads = base.measured("ranread", "-p 2 -t 2 --through engine --txn 1 --rate 50");
    let total = reads.record.db_waves()[0].total();
    assert_eq!(total.op(Op::Read).response.count(), total.op(Op::Read).tally.ops);
    // 100 on average: five standard deviations.
    assert!((50..=150).contains(&ops(&reads, Op::Read)) || doubts(&reads).contains(&"rate-not-kept"));

    let too_much = base.measured("ranwrite", "-p 1 -t 2 --txn 50 --rate 1000000");
    assert!(doubts(&too_much).contains(&"rate-not-kept"), "{:?}", doubts(&too_much));
    let late = too_much.judgement.database().expect("judged").waves[0].arrivals.clone().expect("told");
    assert!(late.begun.max.expect("late").secs() > 0.5, "{late:?}");
    base.run_ok("purge", "");
}

#[test]
fn a_rate_of_arrivals_on_sqlite() {
    let _beside = beside();
    arrivals("sqlite");
}

#[test]
fn a_rate_of_arrivals_on_gtm() {
    let _beside = beside();
    arrivals("gtm");
}

#[test]
fn a_rate_of_arrivals_on_postgres() {
    let _beside = beside();
    arrivals("postgres");
}

/// Blocks read past the engine: the number of arrivals and the distribution of offsets follow the options.
#[test]
fn blocks_are_read_at_a_rate_and_some_more_often() {
    let _alone = alone();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 20000 --value 300");
    let run = base.measured("ranread", "-p 2 -t 2 --rate 200 --rate-process fixed --skew hotspot:80:20");
    let read = ops(&run, Op::Read);
    // 400 arrived; a caveat about the rate reports those not started in time.
    assert!(read <= 404 && (read >= 380 || !doubts(&run).is_empty()), "{read}: {:?}", doubts(&run));
    let job = &run.record.plan.stages[0].job;
    assert_eq!(job.workload.pacing, Pacing::Fixed(model::Iops(100.0)));
    let shares: Vec<u8> = job.workload.detail.zones.iter().map(|z| z.ops_percent).collect();
    assert_eq!(shares, [80, 20]);
    let total = run.record.db_waves()[0].total();
    assert_eq!(total.op(Op::Read).response.count(), read, "latencies from when they were due");
    let zipf = base.measured("ranread", "-p 2 -n 500 --skew zipf:1.2");
    assert_eq!(ops(&zipf, Op::Read), 1000);
    let refused = base.db("ramp", "--verb ranread --from 1 --rate 100 --to-rate 200");
    assert!(refused.code == 64 && refused.stderr.contains("--through engine"), "{}", refused.stderr);
}

/// Frequently read records stay in the engine's memory: it reads less from the device for as many records.
fn skewed(engine: &str) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 40000 --value 300");
    let read = |law: &str| {
        let run = base.measured("ranread", &format!("-p 2 -n 10000 --through engine --cache 2m --seed 1 {law}"));
        assert_eq!(ops(&run, Op::Read), 20000);
        mgstat(&run, "PhyRds")
    };
    let (even, hot, zipf) = (read(""), read("--skew hotspot:95:1"), read("--skew zipf:1.3"));
    assert!(hot < even / 2.0 && zipf < even / 2.0, "{even} even, {hot} of a hot spot, {zipf} of zipf");
    let written = base.measured("ranwrite", "-p 2 -n 1000 --pause 0 --skew zipf:0.99");
    assert_eq!(ops(&written, Op::Write), 2000);
    base.measured("ranio", "-p 2 -n 1000 --pause 0 --skew hotspot:80:20");
    base.counts_are(2, 40000);
    let refused = base.db("seqwrite", "-n 1 --skew zipf:1");
    assert!(refused.code == 64 && refused.stderr.contains("--skew zipf:1"), "{}", refused.stderr);
    let refused = base.db("ranread", "-n 1 --skew hotspot:0.5:20");
    assert!(refused.code == 64 && refused.stderr.contains("whole percent"), "{}", refused.stderr);
    assert!(base.db("ranwrite", "-n 1 --skew hotspot:0:20").stderr.contains("above 0"));
    base.run_ok("purge", "");
}

#[test]
fn skewed_records_on_sqlite() {
    let _beside = beside();
    skewed("sqlite");
}

#[test]
fn skewed_records_on_gtm() {
    let _beside = beside();
    skewed("gtm");
}

#[test]
fn skewed_records_on_postgres() {
    let _beside = beside();
    skewed("postgres");
}

#[test]
fn the_history_of_tpcb_has_a_row_for_each_transaction_that_is_told() {
    let _beside = beside();
    let base = match Base::set_up("postgres", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let assert_rows = |run: &Run, rows: u64| {
        let checks = &run.record.database().expect("a database").checks;
        assert!(checks.iter().any(|c| c.contains(&format!(" {rows} rows of history"))), "{checks:?}");
    };
    let run = base.measured("tpcb", "--scale 2 -p 2 -n 300 --seed 5");
    assert_eq!((ops(&run, Op::Write), ops(&run, Op::Flush)), (2400, 600));
    assert_rows(&run, 600);
    // The server's own count: each transaction updates three rows and inserts one.
    let stat = |name: &str| counter(&run, &format!("pg_stat_database.{name}"));
    assert!(stat("tup_updated") >= 1800.0 && stat("tup_inserted") >= 600.0 && stat("xact_commit") >= 600.0);
    assert!(run.record.database().expect("a database").data.as_u64() > 20 << 20);

    // The tables remain, and the history starts empty.
    let again = base.measured("tpcb", "--scale 2 -p 3 -n 50 --commit lazy --set full_page_writes=off");
    assert_rows(&again, 150);
    assert_eq!(counter(&again, "pg_stat_wal.wal_fpi"), 0.0);
    let due = base.measured("tpcb", "--scale 2 -p 2 -t 2 --rate 50");
    let waves = due.record.db_waves();
    assert_eq!(waves[0].transacted().lag.count(), ops(&due, Op::Flush));
    // One transaction per process may have been in flight when the time ended.
    let checks = &due.record.database().expect("a database").checks;
    let rows: u64 = checks[0].split(' ').nth(1).and_then(|n| n.parse().ok()).expect("rows");
    assert!((ops(&due, Op::Flush)..=ops(&due, Op::Flush) + 4).contains(&rows), "{checks:?}");
    base.run_ok("check", "");
    assert!(base.run_ok("history", "").contains("TpcB"));

    let refused = base.db("tpcb", "-n 1 --journal-mode off");
    assert!(refused.code == 3 && refused.stderr.contains("--journal-mode off"), "{}", refused.stderr);
    base.run_ok("purge", "");
    let other = Base::set_up("sqlite", "").expect("built in");
    let refused = other.db("tpcb", "-n 1");
    assert!(refused.code == 3 && refused.stderr.contains("--engine postgres"), "{}", refused.stderr);
}

/// Runs pgbench with equal settings on the same server: the server's counts must confirm both results. The rates are
/// printed but not compared, because they mean nothing on a machine that others use.
#[test]
fn tpcb_beside_pgbench_does_the_same_by_every_count() {
    let _beside = beside();
    let Some(bench) =
        testkit::postgres::find_programs().into_iter().map(|bin| bin.join("pgbench")).find(|p| p.is_file())
    else {
        skip!("pgbench is not installed");
    };
    let Some(database) = Database::on_each_server().into_iter().next() else { return };
    let (clients, each) = (2u64, 400u64);
    let pgbench = |words: &[&str]| -> String {
        let ended = std::process::Command::new(&bench)
            .args(words)
            .args(["-U", "ann", "-h"])
            .arg(&database.server.dir)
            .args(["-p", &database.server.port.to_string(), &database.name])
            .env("PGPASSWORD", PASSWORD)
            .output()
            .expect("it starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).into_owned()
    };
    // Backends report their counts at the latest when they end.
    let counted = |column: &str, table: &str, expected: u64| {
        let is_reached = eventually(PATIENCE, || database.counted_of(column, table) >= expected);
        let now = database.counted_of(column, table);
        assert!(is_reached && now == expected, "{column} of {table}: {now}, not {expected}");
    };
    let commits = || database.commits();

    pgbench(&["-i", "-q", "-s", "1"]);
    // The first change of each page after a checkpoint costs more: both runs begin right after a checkpoint.
    database.sql("CHECKPOINT");
    let before = commits();
    let output = pgbench(&["-M", "prepared", "-c", "2", "-j", "2", "-t", "400"]);
    assert!(output.contains("number of transactions actually processed: 800/800"), "{output}");
    assert_eq!(database.rows_of("pgbench_history"), clients * each);
    counted("n_tup_ins", "pgbench_history", clients * each);
    assert!(eventually(PATIENCE, || commits() - before >= clients * each));
    let pgbench_rate: f64 = output
        .lines()
        .find_map(|l| l.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("no tps in {output}"));

    let base = Base::within("data");
    base.make("postgres", &format!("--url {}", database.url_of_owner())).expect("a server that is there");
    // Creates the tables and performs one transaction.
    base.measured("tpcb", "--scale 1 -n 1");
    database.sql("CHECKPOINT");
    let before = commits();
    let run = base.measured("tpcb", &format!("--scale 1 -p {clients} -n {each}"));
    assert_eq!((ops(&run, Op::Write), ops(&run, Op::Flush)), (clients * each * 4, clients * each));
    assert_eq!(database.rows_of("tpcb_history"), clients * each);
    counted("n_tup_ins", "tpcb_history", clients * each + 1);
    counted("n_tup_upd", "tpcb_accounts", clients * each + 1);
    assert!(eventually(PATIENCE, || commits() - before >= clients * each));
    // Each tool changes as many rows of each table as the other.
    counted("n_tup_upd", "pgbench_accounts", clients * each);
    counted("n_tup_upd", "pgbench_branches", clients * each);
    counted("n_tup_upd", "tpcb_branches", clients * each + 1);

    // Inserts on a remote server need a bound by count: its disks are not visible from here.
    base.run_ok("create-globals", "-g 1 -s 500 --indexes 1");
    for unbounded in ["-t 1", "--grow-to 1g"] {
        let refused = base.db("insert", unbounded);
        assert!(refused.code == 64 && refused.stderr.contains("-n"), "{}", refused.stderr);
    }
    base.measured("insert", "-n 1000 --order random");
    assert_eq!(database.rows_of("ran_write_global_1"), 1500);
    assert_eq!(base.run_ok("get-sizes", "").trim(), "1,1500");

    let wave = &run.judgement.database().expect("judged").waves[0];
    let ours = wave.transactions.as_ref().and_then(|t| t.rate).map_or(0.0, |r| r.per_second());
    eprintln!(
        "pgbench {pgbench_rate:.0}, secchi {ours:.0} transactions/s: {:.2} of it; {} doubts",
        ours / pgbench_rate.max(1e-9),
        doubts(&run).len()
    );
    // A run on another host still uses the schema.
    database.with_other_run(|| base.db("purge", "").refuses(3, "other connections"));
    assert_eq!(database.rows_of("tpcb_history"), clients * each, "nothing was removed");
    base.run_ok("purge", "");
}
