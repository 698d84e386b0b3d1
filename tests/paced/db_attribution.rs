//! Device figures of a database run cover only its engine and its measured time: compared with the counts of a control
//! group, with a neighbour on the same disk.

use crate::db::Base;
use crate::support::{Blkio, OwnDisk, Run, alone, beside, skip, undisturbed};
use model::Op;
use model::measured::{Below, CountedBy, Phase};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn measured_ops(run: &Run, op: Op) -> (f64, f64) {
    let totals: Vec<_> = run.record.steps.iter().map(model::record::Step::total).collect();
    let ops: u64 = totals.iter().map(|t| t.op(op).tally.ops).sum();
    (ops as f64, totals.iter().map(|t| t.length.secs()).fold(0.0, f64::max))
}

fn below(run: &Run) -> &Below {
    run.record.database().and_then(|d| d.below.as_ref()).expect("counted below")
}

/// Writes to another file on the same file system until `stop` is set, and counts the bytes.
fn neighbour(path: &Path, stop: &AtomicBool, written: &AtomicU64) {
    let block = vec![7u8; 1 << 20];
    while !stop.load(Relaxed) {
        let mut file = std::fs::File::create(path).expect("a file of our own");
        for _ in 0..32 {
            if stop.load(Relaxed) {
                break;
            }
            file.write_all(&block).and_then(|()| file.sync_data()).expect("written");
            written.fetch_add(block.len() as u64, Relaxed);
        }
    }
}

/// Bytes charged to the control group over time. The time is read after each count, so at least that many bytes were
/// charged by then.
struct Curve(Vec<(u128, u64)>);

impl Curve {
    /// Samples the group until `stop` is set.
    fn sample(group: &Blkio, stop: &AtomicBool) -> Curve {
        let mut seen = Vec::new();
        while !stop.load(Relaxed) {
            let written = group.written();
            let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
            seen.push((now, written));
            std::thread::sleep(Duration::from_millis(5));
        }
        Curve(seen)
    }

    /// Returns a lower bound of the bytes charged by a moment.
    fn by(&self, moment: u128) -> u64 {
        self.0.iter().take_while(|(at, _)| *at <= moment).last().map_or(0, |(_, written)| *written)
    }
}

/// Bytes charged to the group on the engine's device are reported for the measured time or for the end. The rest was
/// written before the measured time: at the start of the engine, when it wrote back what earlier runs had left, and
/// during the warm-up.
fn to_the_byte(engine: &str) {
    let _alone = alone();
    let base = Base::within("disk");
    // The record of the run is stored on another disk.
    let disk = match OwnDisk::at(&base.sandbox.path("disk")) {
        Ok(disk) => disk,
        Err(why) => skip!("{why}"),
    };
    if let Err(why) = base.make(engine, "") {
        skip!("{why}");
    }
    base.run_ok("create-globals", "-g 2 -s 2000");
    // secchi does not leave a group that has a limit: the group counts the same writes.
    disk.group.cap_reads(1_000_000, 0);
    undisturbed(|| {
        let before = disk.group.written();
        let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
        let path = disk.point().join("neighbour");
        let (run, curve) = std::thread::scope(|scope| {
            scope.spawn(|| neighbour(&path, &stop, &written));
            let curve = scope.spawn(|| Curve::sample(&disk.group, &stop));
            let words = "-p 2 -t 2 --warm-up 1s --json";
            let ended = base.command("ranwrite", words).inside(disk.group.path()).run();
            stop.store(true, Relaxed);
            ended.measured();
            (ended.json(), curve.join().expect("no panic"))
        });
        let charged = disk.group.written() - before;
        let counted = below(&run).group().expect("counted for the group").write_bytes;
        let used = run.record.database().expect("a database");
        let after = used.after.as_ref().and_then(Below::group).expect("counted after the end").write_bytes;
        assert!(counted + after <= charged, "{counted} + {after} told, {charged} charged");
        let device = below(&run).device().expect("the device");
        assert!(device.write_bytes > counted, "{device:?}");
        let judged = run.judgement.database().expect("judged");
        assert_eq!((judged.device.by, judged.device.write_bytes), (CountedBy::Group, Some(counted)));
        assert!(judged.device.others.is_some_and(|share| share > 0.0), "{:?}", judged.device);

        let zero: jiff::Timestamp = run.record.started.parse().expect("a time");
        let measured = run.record.steps.iter().flat_map(|s| &s.intervals).filter(|i| i.phase == Phase::Measure);
        let begun = u128::from(measured.map(|i| i.start.as_nanos()).min().expect("measured"));
        let begun = u128::try_from(zero.as_nanosecond()).expect("after 1970") + begun;
        // The start and the end are read some milliseconds late, on a busy machine more.
        let (least, most) = (curve.by(begun) - before, curve.by(begun + 700_000_000) - before);
        let rest = charged - counted - after;
        match (least..=most).contains(&rest) {
            true => Vec::new(),
            false => vec![format!(
                "{engine}: {charged} charged, {counted} told of the measured time and {after} of the end: {rest} \
                 before, where the group had {least} to {most} when it began"
            )],
        }
    });
}

#[test]
fn what_sqlite_writes_is_told_to_the_byte_beside_a_neighbour() {
    to_the_byte("sqlite");
}

#[test]
fn what_gtm_writes_is_told_to_the_byte_beside_a_neighbour() {
    to_the_byte("gtm");
}

#[test]
fn what_postgres_writes_is_told_to_the_byte_beside_a_neighbour() {
    to_the_byte("postgres");
}

/// Compares the engine's counts per second with the measured operations per second.
fn agree(engine: &str) {
    let base = match Base::set_up(engine, "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 2000");
    undisturbed(|| {
        let run = base.measured("ranwrite", "-p 2 -t 2 --warm-up 2");
        let (ops, seconds) = measured_ops(&run, Op::Write);
        let used = run.record.database().expect("a database");
        let counted = used.mgstat.iter().find(|(n, _)| n == "Gloupds").map_or(0.0, |(_, v)| *v);
        let length = below(&run).length.secs();
        let mut wrong = Vec::new();
        let ratio = counted / length / (ops / seconds).max(1e-9);
        // When the warm-up was included, this ratio was near 2. The sessions of a server report their counts up to a
        // second late.
        if !(0.7..=1.55).contains(&ratio) {
            wrong.push(format!("{engine}: {counted} updates in {length:.2} s, {ops} in {seconds:.2} s"));
        }
        if (length / seconds - 1.0).abs() > 0.2 {
            wrong.push(format!("{length:.2} s counted below, {seconds:.2} s measured"));
        }
        if used.after.is_none() {
            wrong.push("nothing is told of what came after the end".to_owned());
        }
        wrong
    });
}

#[test]
fn a_warm_up_is_in_no_count_of_sqlite() {
    let _alone = alone();
    agree("sqlite");
}

#[test]
fn a_warm_up_is_in_no_count_of_gtm() {
    let _alone = alone();
    agree("gtm");
}

#[test]
fn checkpoints_are_told_once_each_and_only_those_of_the_measured_time() {
    let _beside = beside();
    let base = match Base::set_up("postgres", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 2 -s 2000");
    let run = base.measured("ranwrite", "-p 2 -t 3 --write-back 500ms");
    let used = run.record.database().expect("a database");
    let starts: Vec<u64> = used.phases.iter().map(|p| p.start.as_nanos()).collect();
    let mut each = starts.clone();
    each.dedup();
    assert!(!starts.is_empty() && starts == each, "{:?}", used.phases);
    let intervals = run.record.steps.iter().flat_map(|s| &s.intervals);
    let (from, until) = intervals.fold((u64::MAX, 0), |(from, until), i| {
        (from.min(i.start.as_nanos()), until.max(i.start.as_nanos() + i.length.as_nanos()))
    });
    // The start and the end are read some milliseconds late.
    let touches = |p: &model::measured::EnginePhase| {
        p.start.as_nanos() < until + 1_000_000_000 && p.end.as_nanos() + 1_000_000_000 > from
    };
    assert!(used.phases.iter().all(touches), "{from} to {until}: {:?}", used.phases);
}

#[test]
fn directories_with_commas_are_worked_in_or_refused_by_name() {
    let _beside = beside();
    let sandbox = crate::support::Sandbox::new();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(sandbox.root(), std::fs::Permissions::from_mode(0o755)).expect("our own directory");
    let at = sandbox.data().join("a,b");
    std::fs::create_dir(&at).expect("a directory");
    for engine in ["sqlite", "gtm", "postgres"] {
        let db = |verb: &str, words: &str| {
            let mut secchi = crate::support::Secchi::new(&sandbox.path("home"));
            secchi.arg("db").arg(verb).arg(at.join(engine)).words(words).run()
        };
        let made = db("setup", &format!("--engine {engine}"));
        match made.code {
            0 => {}
            4 => continue,
            _ => {
                assert!(made.stderr.contains("comma") && !at.join(engine).exists(), "{engine}: {}", made.stderr);
                continue;
            }
        }
        let store = sandbox.store();
        let made = db("create-globals", &format!("-g 1 -s 100 --store {}", store.display()));
        assert_eq!(made.code, 0, "{engine}: {}", made.stderr);
        assert_eq!(db("purge", "").code, 0);
    }
}

#[test]
fn blocks_are_labelled_by_their_own_size() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "--size 8m") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    let said = base.run_ok("ranread", "-p 1 -n 20 --block 64k --full");
    assert!(said.contains("blocks of 64 KiB"), "{said}");
}
