//! Tests of tags, notes and filters.

use crate::child::{judge, open, write_run};
use model::record::{LabelError, WorkloadFigures};
use model::{Bytes, Iops, Nanos, RunEvent, RunRecord};
use std::fs;
use std::path::Path;
use store::fixture::{self, id};
use store::{Digest, Filter, Indexed, LabelChange, Now, Store, StoreError};

const NOW: Now = Now { instant: 1_796_000_000_000_000_000, offset: 0 };

fn figures(name: &str, bs: u64, iops: f64) -> WorkloadFigures {
    WorkloadFigures {
        name: name.into(),
        pattern: name.split(' ').nth(1).expect("a pattern").into(),
        bs: Some(Bytes(bs)),
        engine: "io_uring".into(),
        depth: 32,
        jobs: Some(4),
        iops: Some(Iops(iops)),
        p99: Some(Nanos::from_millis(2)),
        ..WorkloadFigures::default()
    }
}

/// Returns a digest with figures: two workloads for run 1, one workload for the other runs.
pub(crate) fn digest(record: &RunRecord) -> Digest {
    let mut workloads = vec![figures("8k randread", 8192, 6000.0)];
    if record.id == id(1) {
        workloads.push(figures("64k randwrite", 65536, 500.0));
    }
    Digest { verdict: judge(record).into(), exit: Some(u8::from(record.id == id(2))), workloads }
}

/// Checks `law` for a directory, and for a team's store on every available server.
fn both(law: impl Fn(&Store)) {
    let dir = tempfile::tempdir().expect("a directory");
    law(&fill(open(dir.path())));
    #[cfg(feature = "postgres")]
    for (_database, store) in crate::team::made(&dir.path().join("team")) {
        law(&fill(store));
    }
}

#[test]
fn a_run_is_named_by_its_place_among_the_newest_and_by_a_tag_that_it_alone_has() {
    both(|store| {
        let newest: Vec<String> = store.list().expect("lists").runs.into_iter().map(|r| r.id).collect();
        assert_eq!(store.find("last").expect("there are runs"), newest[0]);
        assert_eq!(store.find("last-2").expect("there are three"), newest[2]);
        let text = store.find("last-3").expect_err("there are three").to_string();
        assert!(text.contains("there are 3 runs, the oldest is `last-2`"), "{text}");
        let tag = |id: &str, tag: &str| {
            let change = LabelChange { add: vec![tag.to_owned()], ..LabelChange::default() };
            store.relabel(id, &change).expect("labels");
        };
        tag(&newest[1], "before");
        assert_eq!(store.find("before").expect("one has it"), newest[1]);
        tag(&newest[2], "before");
        let text = store.find("before").expect_err("two have it").to_string();
        assert!(text.starts_with("2 runs have the tag `before`") && text.contains(&newest[1]), "{text}");
        assert!(matches!(store.find("nobody"), Err(StoreError::BadId { .. })));
    });
}

fn filled(dir: &Path) -> Store {
    fill(open(dir))
}

fn fill(store: Store) -> Store {
    let store = store.with_digest(digest);
    for seed in 1..4 {
        let events = fixture::run(seed, 1);
        let mut writer = store.create_run(&events[0]).expect("begins");
        events[1..].iter().for_each(|e| writer.append(e).expect("appends"));
        let record = RunRecord::from_events(events).expect("one run");
        writer.finish(digest(&record)).expect("finishes");
    }
    store
}

pub(crate) fn found(store: &Store, text: &str) -> Vec<u64> {
    let filter = Filter::parse(text, NOW).unwrap_or_else(|e| panic!("{text}: {e}"));
    let runs = store.list_where(&filter).expect("lists").runs;
    let mut seeds: Vec<u64> = runs.iter().map(|r| (1..120).find(|n| id(*n) == r.id).expect("one of ours")).collect();
    seeds.sort_unstable();
    seeds
}

pub(crate) fn tag(store: &Store, seed: u64, add: &[&str], remove: &[&str], note: Option<&str>) {
    let words = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect();
    let change = LabelChange { add: words(add), remove: words(remove), note: note.map(str::to_owned) };
    assert_eq!(store.relabel(&id(seed), &change).expect("labels").1, Indexed::Yes);
}

#[test]
fn labels_leave_the_journal_alone_and_survive_a_lost_index() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = filled(dir.path());
    let journal = fs::read(store.journal_path(&id(2)).expect("an id")).expect("reads");
    tag(&store, 2, &["nightly", "old"], &[], Some("a disk\nwas changed"));
    tag(&store, 2, &["gp3"], &["old"], None);
    assert_eq!(fs::read(store.journal_path(&id(2)).expect("an id")).expect("reads"), journal);
    let listed = store.list().expect("lists").runs;
    let labels = listed.iter().find(|r| r.id == id(2)).expect("listed").labels.clone();
    assert_eq!(
        (labels.tags.iter().map(String::as_str).collect::<Vec<_>>(), labels.note.as_str()),
        (vec!["gp3", "nightly"], "a disk\nwas changed")
    );
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(dir.path().join(format!("index.sqlite{suffix}")));
    }
    assert_eq!(store.list().expect("lists").runs, listed);
    store.remove(&id(2)).expect("removes");
    assert!(!dir.path().join("runs").join(format!("{}.labels", id(2))).exists(), "they go with the run");
    write_run(&store, 2, 1);
    assert!(store.labels(&id(2)).expect("reads").is_empty());
}

#[test]
fn a_filter_asks_of_runs_and_of_one_workload_at_a_time() {
    both(answers);
    let dir = tempfile::tempdir().expect("a directory");
    let store = filled(dir.path());
    // Without an index file, an index in memory gives the same results.
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(dir.path().join(format!("index.sqlite{suffix}")));
    }
    fs::create_dir(dir.path().join("index.sqlite")).expect("creates");
    let change = LabelChange { add: vec!["Nightly".into()], note: Some(EVIL.into()), ..LabelChange::default() };
    assert!(matches!(store.relabel(&id(3), &change).expect("labels").1, Indexed::No(_)));
    asked(&store);
}

const EVIL: &str = "it's \"quoted\"; DROP TABLE run";

fn answers(store: &Store) {
    tag(store, 3, &["Nightly"], &[], Some(EVIL));
    asked(store);
}

fn asked(store: &Store) {
    for (text, seeds) in [
        ("bs=8k", &[1, 2, 3][..]),
        ("bs=8k and iops>=6k", &[1, 2, 3]),
        ("bs=64k", &[1]),
        ("bs=64k and iops>=6k", &[]),
        ("not bs=8k", &[1]),
        ("exit=1 or tag=Nightly", &[2, 3]),
        ("tag~night", &[3]),
        ("tag!=Nightly", &[1, 2]),
        ("note~'it''s'", &[3]),
        ("note~'; drop table'", &[3]),
        ("target~/mnt and p99<=2ms and size=4g", &[1, 2, 3]),
        ("target='/mnt'", &[]),
        ("avg<1s", &[]),
        ("not avg<1s", &[1, 2, 3]),
        ("state=complete and started=2026-11-21", &[1, 2, 3]),
        ("before 2026-11-21", &[]),
        ("mbps>0 or took<0.1s", &[]),
        ("pattern=randwrite and engine=io_uring and depth=32", &[1]),
    ] {
        assert_eq!(found(store, text), seeds, "{text}");
    }
    assert_eq!(found(store, &format!("id={}", &id(2)[..8])), [2]);
    assert_eq!(
        found(store, "id!=0 and (verdict~judged or host=x)").len(),
        3 - usize::from((1..4).any(|n| id(n).starts_with('0')))
    );
}

#[test]
fn labels_of_no_run_and_out_of_bounds_are_refused() {
    both(|store| {
        let change = LabelChange { add: vec!["-x".into()], ..LabelChange::default() };
        assert!(
            matches!(store.relabel(&id(1), &change), Err(StoreError::Label(LabelError::NoTag(tag))) if tag == "-x")
        );
        let change = LabelChange::default();
        assert!(matches!(store.relabel(&id(7), &change), Err(StoreError::Unknown { .. })));
        assert!(matches!(store.relabel("../x", &change), Err(StoreError::BadId { .. })));
    });
}

#[test]
fn two_who_tag_at_once_lose_no_tag() {
    both(|store| {
        std::thread::scope(|scope| {
            for n in 0..4 {
                scope.spawn(move || (0..8).for_each(|i| tag(store, 1, &[&format!("t{n}-{i}")], &[], None)));
            }
        });
        assert_eq!(store.labels(&id(1)).expect("reads").tags.len(), 32);
    });
}

#[test]
fn labels_that_cannot_be_read_are_told_and_hide_no_run() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = filled(dir.path());
    fs::write(dir.path().join("runs").join(format!("{}.labels", id(1))), "not ours").expect("writes");
    let listing = store.list().expect("lists");
    assert_eq!(listing.runs.len(), 3);
    assert!(listing.remarks.len() == 1 && listing.remarks[0].contains(&id(1)), "{:?}", listing.remarks);
}

#[test]
fn runs_of_one_second_are_listed_in_the_order_in_which_they_began() {
    both(|store| {
        for (seed, millis) in [(51, 250), (52, 7), (53, 999), (54, 250)] {
            let mut events = fixture::run(seed, 1);
            if let RunEvent::Begin { started, .. } = &mut events[0] {
                *started = format!("2026-11-21T12:00:00.{millis:03}+01:00");
            }
            let mut writer = store.create_run(&events[0]).expect("begins");
            events[1..].iter().for_each(|e| writer.append(e).expect("appends"));
            writer.finish("good").expect("finishes");
        }
        // Runs with the same start are always in the same order.
        let same = if id(51) > id(54) { [51, 54] } else { [54, 51] };
        let expected = [53, same[0], same[1], 52, 3, 2, 1].map(id);
        for _ in 0..2 {
            let listed: Vec<String> = store.list().expect("lists").runs.into_iter().map(|r| r.id).collect();
            assert_eq!(listed, expected);
        }
        assert_eq!(found(store, "started='2026-11-21T12:00:00+01:00'"), [51, 52, 53, 54]);
        assert_eq!(found(store, "started<'2026-11-21T12:00:00.250+01:00' and since 2026-11-21T11:59+01:00"), [52]);
    });
}
