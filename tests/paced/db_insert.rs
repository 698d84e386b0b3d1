//! `secchi db insert`: new nodes on every engine, counted a second way; killed, bounded and refused runs.

use crate::db::{Base, ops, wait_for_load};
use crate::support::{PATIENCE, Run, beside, eventually, processes_about, skip};
use model::{Op, measured::FileRole};
use rustix::process::Signal;

/// Counts the nodes of each global by visiting them, and compares with the recorded sizes.
fn nodes(base: &Base) -> Vec<u64> {
    let counted = base.run_ok("count-subscripts", "");
    let of_line = |line: &str| line.rsplit(' ').next().and_then(|n| n.parse().ok());
    let counts: Vec<u64> = counted.lines().filter(|l| l.starts_with('^')).filter_map(of_line).collect();
    let sizes = base.run_ok("get-sizes", "");
    let recorded: Vec<u64> = sizes.trim().split(',').skip(1).filter_map(|n| n.parse().ok()).collect();
    assert_eq!(counts, recorded, "{counted}{sizes}");
    counts
}

/// Asserts that the reported growth equals the growth of the database, and returns the new sizes.
fn grown(base: &Base, run: &Run, before: &[u64], exactly: Option<u64>) -> Vec<u64> {
    let growth = run.record.database().and_then(|d| d.growth.clone()).expect("told");
    let now = nodes(base);
    let more = now.iter().sum::<u64>() - before.iter().sum::<u64>();
    assert_eq!((growth.nodes(), growth.nodes_before), (more, before[..run.record.steps.len()].iter().sum()));
    let figures = run.judgement.database().and_then(|d| d.growth).expect("judged");
    assert_eq!((figures.nodes, figures.told), (more, ops(run, Op::Write)));
    // If a run ended by time, one batch per process may have been in flight.
    let edge = if exactly.is_some() { 0 } else { 50 * run.record.steps.len() as u64 };
    assert!((figures.told..=figures.told + edge).contains(&more), "{} told, {more} there", figures.told);
    assert!(exactly.is_none_or(|n| n == more), "{more}");
    let data = growth.files.iter().find(|f| f.role == FileRole::Data).expect("its data files");
    assert!(data.length_after >= data.length_before && data.length_after.as_u64() > 0, "{data:?}");
    now
}

fn walk(engine: &str) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    assert!(base.db("insert", "-n 1").stderr.contains("create-globals"));
    base.run_ok("create-globals", "-g 3 -s 1000 --value 200");
    let before = nodes(&base);
    let ordered = base.measured("insert", "-p 2 -n 3000 --txn 50 --value 200");
    let now = grown(&base, &ordered, &before, Some(6000));
    assert_eq!(now, [4000, 4000, 1000]);
    assert_eq!(ops(&ordered, Op::Flush), 120);
    let data = |run: &Run| {
        let growth = run.record.database().and_then(|d| d.growth.clone()).expect("told");
        growth.files.iter().find(|f| f.role == FileRole::Data).expect("data").length_after
    };
    // Values of 1.2 MB in total.
    let growth = ordered.record.database().and_then(|d| d.growth.clone()).expect("told");
    if engine != "gtm" {
        let file = growth.files.iter().find(|f| f.role == FileRole::Data).expect("data");
        let more = file.length_after.as_u64() - file.length_before.as_u64();
        assert!((1_200_000..6_000_000).contains(&more), "{more}");
    }
    let spread = base.measured("insert", "-p 3 -n 2000 --order random --txn 0 --value 200");
    let now = grown(&base, &spread, &now, Some(6000));
    assert_eq!(now, [6000, 6000, 3000]);
    assert_eq!(ops(&spread, Op::Flush), 0, "each by itself");
    assert!(data(&spread) >= data(&ordered));

    // Reads and updates also select the new nodes: every selected node exists, and none is created.
    let read = base.measured("ranread", "-p 3 -n 4000 --through engine");
    assert_eq!(ops(&read, Op::Read), 12_000);
    let rule = read.record.plan.stages[0].job.tuning.work.session().expect("a session");
    assert_eq!(
        rule.read.iter().map(|g| (g.count, g.scattered)).collect::<Vec<_>>(),
        [(4000, 2000), (4000, 2000), (1000, 2000)]
    );
    base.measured("ranwrite", "-p 3 -n 1000 --pause 0 --value 200");
    let ordered = base.measured("seqread", "-p 3");
    assert_eq!(ops(&ordered, Op::Read), 9000, "those in order, once");
    assert!(format!("{:?}", ordered.record).contains("6,000 nodes inserted with --order random are left out"));
    assert_eq!(nodes(&base), now);

    let timed = base.measured("insert", "-p 2 -t 1 --order random --rate 100");
    let now = grown(&base, &timed, &now, None);
    assert!(now[0] > 6000 && now[2] == 3000);
    base.run_ok("check", "");
    assert!(base.run_ok("history", "").contains("Insert"));
    base.run_ok("create-globals", "-g 3 -s 100");
    assert_eq!(nodes(&base), [100, 100, 100], "made anew: nothing of the old keys is left");
    base.run_ok("purge", "");
    assert!(!base.at.exists());
}

#[test]
fn inserts_grow_a_database_of_sqlite() {
    let _beside = beside();
    walk("sqlite");
}

#[test]
fn inserts_grow_a_database_of_gtm() {
    let _beside = beside();
    walk("gtm");
}

#[test]
fn inserts_grow_a_database_of_postgres() {
    let _beside = beside();
    walk("postgres");
}

#[test]
fn inserts_grow_a_database_of_the_model() {
    let _beside = beside();
    let base = match Base::set_up("model --profile sqlite-wal", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 1000 --value 200");
    let ordered = base.measured("insert", "-p 2 -n 3000 --value 200");
    let now = grown(&base, &ordered, &[1000, 1000], Some(6000));
    let spread = base.measured("insert", "-p 1 -n 5000 --order random --value 200");
    let now = grown(&base, &spread, &now, Some(5000));
    assert_eq!(now, [9000, 4000]);
    // Data written back when the sizes are recorded is also reported: at least every node once.
    let used = spread.record.database().expect("a database");
    let bytes: u64 = [&used.below, &used.after]
        .into_iter()
        .filter_map(|below| below.as_ref()?.ours())
        .map(|ours| ours.bytes())
        .sum();
    assert!(bytes == 0 || bytes >= 5000 * 200, "{bytes}");
    assert_eq!(ops(&base.measured("ranread", "-p 2 -n 4000 --through engine"), Op::Read), 8000);
    // Alternate the orders.
    let ordered = base.measured("insert", "-p 2 -n 1500 --order sequential --value 200");
    let now = grown(&base, &ordered, &now, Some(3000));
    assert_eq!(now, [10_500, 5500]);
    let spread = base.measured("insert", "-p 2 -n 700 --order random --value 200");
    assert_eq!(grown(&base, &spread, &now, Some(1400)), [11_200, 6200]);
    let read = base.measured("ranread", "-p 2 -n 4000 --through engine");
    assert_eq!(
        (ops(&read, Op::Read), ops(&base.measured("ranwrite", "-p 2 -n 500 --pause 0"), Op::Write)),
        (8000, 1000)
    );
    base.run_ok("check", "");
}

/// If a run is killed during inserts, the next command counts the nodes and reports it. A database with gaps is
/// refused, with a remedy.
fn killed(engine: &str, may_have_gaps: bool) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 500");
    let marker = base.at.join("secchi-database.json");
    for order in ["sequential", "random"] {
        let running = base.command("insert", &format!("-p 2 -t 60 --order {order}")).start();
        let inserting = || std::fs::read_to_string(&marker).is_ok_and(|text| text.contains("\"inserting\""));
        wait_for_load(&base.sandbox, &base.at, &running);
        assert!(inserting(), "{}", running.stderr());
        if engine == "gtm" {
            // Engines that allow several runs: the contents are unknown during the inserts.
            let refused = base.db("ranwrite", "-n 1");
            assert!(refused.code == 3 && refused.stderr.contains("is using this database"), "{}", refused.stderr);
        }
        running.signal(Signal::KILL);
        drop(running);
        assert!(eventually(PATIENCE, || processes_about(&base.at).is_empty()));
        let next = base.db("ranwrite", "-p 2 -n 50 --pause 0");
        if may_have_gaps && next.code == 3 {
            assert!(next.stderr.contains("left gaps") && next.stderr.contains("create-globals"), "{}", next.stderr);
            base.run_ok("create-globals", "-g 2 -s 500");
            continue;
        }
        assert!(next.code == 0 || next.starved(), "{}", next.stderr);
        assert!(next.stderr.contains("insert run was killed"), "{}", next.stderr);
        assert!(!inserting(), "the note is gone");
        // The engine's processes may end after the command.
        assert!(eventually(PATIENCE, || processes_about(&base.at).is_empty()));
        let now = nodes(&base);
        assert_eq!(ops(&base.measured("ranread", "-p 2 -n 1000 --through engine"), Op::Read), 2000);
        // Inserts continue from there.
        let more = base.measured("insert", &format!("-p 2 -n 300 --order {order}"));
        grown(&base, &more, &now, Some(600));
    }
    base.run_ok("check", "");
}

#[test]
fn a_killed_run_of_inserts_is_put_right_on_sqlite() {
    let _beside = beside();
    killed("sqlite", false);
}

#[test]
fn a_killed_run_of_inserts_is_put_right_on_gtm() {
    let _beside = beside();
    killed("gtm", false);
}

#[test]
fn a_killed_run_of_inserts_is_put_right_on_postgres() {
    let _beside = beside();
    killed("postgres", false);
}

#[test]
fn a_killed_run_of_inserts_is_put_right_or_refused_on_the_model() {
    let _beside = beside();
    killed("model --profile postgres", true);
}

#[test]
fn inserts_end_where_they_are_to_end_and_what_is_too_much_is_refused() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 1 -s 1000 --value 1000");
    let refused = |words: &str, code: i32, needle: &str| {
        let ended = base.db("insert", words);
        assert!(ended.code == code && ended.stderr.contains(needle), "{words}: {} {}", ended.code, ended.stderr);
        assert_eq!(nodes(&base), [1000]);
    };
    refused("--grow-to 900t", 3, "are free");
    refused("--grow-to 1k", 64, "already");
    refused("-n 900000000000 --value 3000", 3, "are free");
    refused("-p 2 -n 1", 3, "add-globals");
    refused("-n 1 --order rnd", 64, "sequential");
    refused("-n 1 --skew zipf:1", 64, "--skew");
    assert_eq!(base.db("create-globals", "-g 1 -s 10 --indexes 9").code, 64);
    // 20 MiB: the load ends by itself, with success.
    let run = base.measured("insert", "--grow-to 20m --value 1000 --write-back 1s");
    let growth = run.record.database().and_then(|d| d.growth.clone()).expect("told");
    let note = run.record.notes.iter().any(|(_, text)| text.to_string().contains("--grow-to 20 MiB"));
    assert!(note, "{:?}", run.record.notes);
    assert!(growth.nodes() > 1000 && growth.allocated_before.as_u64() < 20 << 20, "{growth:?}");
    let now = grown(&base, &run, &[1000], None);
    // A run ended by `db stop` leaves correct sizes.
    let running = base.command("insert", "-t 600").start();
    wait_for_load(&base.sandbox, &base.at, &running);
    assert_eq!(base.db("stop", "").code, 0);
    let ended = running.wait(PATIENCE);
    assert!(ended.code == 0 || ended.starved(), "{}", ended.stderr);
    let marker = std::fs::read_to_string(base.at.join("secchi-database.json")).expect("its marker");
    assert!(!marker.contains("\"inserting\"") && nodes(&base)[0] >= now[0], "{marker}");
}

#[test]
fn named_nodes_are_inserted_under_names_that_lie_anywhere() {
    let _beside = beside();
    for engine in ["sqlite", "gtm", "postgres"] {
        let base = match Base::set_up(engine, "") {
            Ok(base) => base,
            Err(why) => skip!("{why}"),
        };
        base.run_ok("create-globals", "-g 1 -s 500 --node-depth 1 --subnode-length 12");
        let run = base.measured("insert", "-n 1500");
        assert_eq!(grown(&base, &run, &[500], Some(1500)), [2000], "{engine}");
        assert!(run.record.database().and_then(|d| d.growth.clone()).expect("told").scattered);
        assert_eq!(ops(&base.measured("ranread", "-n 3000 --through engine"), Op::Read), 3000);
        let refused = base.db("insert", "-n 1 --order sequential");
        assert!(refused.code == 3 && refused.stderr.contains("have no order"), "{}", refused.stderr);
        base.measured("ranwrite", "-n 200 --new-nodes --pause 0");
        let refused = base.db("insert", "-n 1");
        assert!(refused.code == 3 && refused.stderr.contains("--new-nodes"), "{}", refused.stderr);
    }
}

/// Compares the same updates and inserts with and without secondary indexes.
fn indexed(engine: &str) {
    let made = |words: &str| -> Result<Base, String> {
        let base = Base::set_up(engine, "")?;
        base.run_ok("create-globals", &format!("-g 2 -s 3000 --value 100 {words}"));
        Ok(base)
    };
    let both = made("").and_then(|plain| Ok([plain, made("--indexes 3")?]));
    let bases = match both {
        Ok(bases) => bases,
        Err(why) => skip!("{why}"),
    };
    let journaled = |run: &Run| -> u64 {
        let roles = &run.record.database().expect("a database").roles;
        roles.iter().find(|r| r.role == FileRole::Journal).and_then(|r| r.write_bytes).expect("counted")
    };
    for (verb, words) in [
        ("ranwrite", "-p 2 -n 2000 --txn 20 --pause 0 --value 100"),
        ("insert", "-p 2 -n 2000 --txn 20 --value 100"),
        ("insert", "-p 2 -n 2000 --txn 20 --value 100 --order random"),
    ] {
        let [plain, with] = bases.each_ref().map(|base| base.measured(verb, words));
        let indexes = [&plain, &with].map(|run| run.record.database().expect("a database").indexes);
        assert_eq!(indexes, [0, 3]);
        assert!(with.judgement.verdict.contains("with 3 secondary indexes"), "{}", with.judgement.verdict);
        assert!(!plain.judgement.verdict.contains("secondary"), "{}", plain.judgement.verdict);
        // Each update removes one entry and adds one in each index, journaled like the node.
        let (few, more) = (journaled(&plain), journaled(&with));
        assert!(more as f64 > 1.3 * few as f64, "{engine} {verb}: {few} and {more} bytes of journal");
        assert_eq!((ops(&plain, Op::Write), ops(&with, Op::Write)), (4000, 4000));
    }
    for base in &bases {
        assert_eq!(nodes(base), [7000, 7000]);
        assert_eq!(ops(&base.measured("ranread", "-p 2 -n 2000 --through engine"), Op::Read), 4000);
    }
    let [_, base] = &bases;
    // Every node is in each index, according to the engine's own checker or a count of entries.
    let sound = base.run_ok("check", "");
    assert!(engine != "gtm" || sound.contains("secondary indexes: 42000 entries"), "{sound}");
    base.run_ok("add-globals", "-g 3 -s 500 --value 100");
    base.measured("ranwrite", "-p 3 -n 100 --pause 0 --value 100");
    let sound = base.run_ok("check", "");
    assert!(engine != "gtm" || sound.contains("secondary indexes: 43500 entries"), "{sound}");
    let refused = base.db("create-globals", "-g 2 -s 100");
    assert!(refused.code == 3 && refused.stderr.contains("3 secondary indexes"), "{}", refused.stderr);
    let refused = base.db("create-globals", "-g 3 -s 100 --indexes 1 --node-depth 1");
    assert!(refused.code == 64 && refused.stderr.contains("--indexes 1"), "{}", refused.stderr);
    // Created again without indexes, nothing of them remains.
    base.run_ok("create-globals", "-g 3 -s 100");
    assert_eq!(nodes(base), [100, 100, 100]);
    base.run_ok("check", "");
    base.run_ok("purge", "");
}

#[test]
fn secondary_indexes_are_written_with_every_update_on_sqlite() {
    let _beside = beside();
    indexed("sqlite");
}

#[test]
fn secondary_indexes_are_written_with_every_update_on_gtm() {
    let _beside = beside();
    indexed("gtm");
}

#[test]
fn secondary_indexes_are_written_with_every_update_on_postgres() {
    let _beside = beside();
    indexed("postgres");
}

#[test]
fn secondary_indexes_are_written_with_every_update_of_the_model() {
    let _beside = beside();
    indexed("model --profile postgres");
}
