//! Tests with two hundred power cuts at random moments for each of four kinds of storage. The result of `verify` must
//! match the actual behavior of the storage. For the honest kind, no loss may be reported. A test uses one process and
//! one mount. It does not wait for time to pass, because the power fails after a number of requests.

#![cfg(target_os = "linux")]

mod liar;

use durable::directory::{Home, Parent, Standing};
use durable::experiment::{Marker, Stage, SyncMethod, VERSION};
use durable::geometry::Geometry;
use durable::verify::{Evidence, Promise, Verdict, Verification, verify};
use durable::witness::teller::report_progress;
use durable::witness::{Acknowledge, Acknowledgement, ClientError, Knowledge, Witness, log::read_log};
use durable::writers::Writers;
use liar::{Kind, Liar, Random, Truth};
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testkit::{Loop, Mounted, tool};
use uuid::Uuid;

const CUTS: u64 = 200;

/// Connection to a witness in this process. After some batches, it drops everything, as if the network had failed.
struct Wire<'a> {
    witness: &'a Witness,
    batches: u64,
    /// Storage that loses power together with the writer. Without power, the writer reports nothing.
    power: Option<&'a Liar>,
}

impl Acknowledge for Wire<'_> {
    fn acknowledge(&mut self, told: &Acknowledgement) -> Result<(), ClientError> {
        // If the power is still on, it was on during all syncs that have returned so far.
        if self.batches > 0 && self.power.is_none_or(Liar::has_power) {
            self.batches -= 1;
            self.witness.acknowledge(told).expect("it keeps what it is told");
        }
        Ok(())
    }
}

fn knowledge(witness: &Witness, run: Uuid) -> Knowledge {
    let (status, _, bytes) = witness.get(&format!("/runs/{run}"));
    assert_eq!(status, 200);
    read_log(&bytes).expect("its file can be read").0
}

/// Result of a verification, and the actual losses at the cut.
struct Told {
    verification: Verification,
    marker: Marker,
    /// Last write of each writer that the witness has recorded. `synced` contains the last synced writes.
    acknowledged: Vec<u64>,
    synced: Vec<u64>,
    /// True if the witness's records were used.
    witnessed: bool,
    truth: Truth,
}

fn marker(generation: u32, random: &mut Random) -> Marker {
    Marker {
        version: VERSION,
        run: Uuid::from_u128(77),
        generation,
        stage: Stage::Preparing,
        seed: random.below(u64::MAX),
        sync: if random.below(2) == 0 { SyncMethod::Fdatasync } else { SyncMethod::Fsync },
        geometry: Geometry { block: 4096, blocks: 48, jobs: 1, records: 16, slots: 8 },
        boot: "before".into(),
        host: "test".into(),
        begun_ns: 1,
        reached: Vec::new(),
    }
}

/// Prepares the directory for this generation and returns it.
fn prepare(parent: &Parent, marker: &mut Marker) -> Home {
    let home = match parent.inspect().expect("it can be looked at") {
        Standing::Nothing => parent.make(marker).expect("it is made"),
        Standing::Ours(home, _) => {
            home.begin(marker).expect("the next generation begins on what survived");
            home
        }
        Standing::Unmarked(_, why) => panic!("the marker was synced: {why}"),
    };
    marker.stage = Stage::Writing;
    home.put_marker(marker).expect("it says that writing begins");
    home
}

/// Writes and reports until the power fails. Returns the number of the last write of each writer whose sync has
/// returned.
fn write_until_it_ends(home: &Home, marker: &Marker, mut wire: Wire<'_>) -> Vec<u64> {
    let mut writers = Writers::start(home, marker).expect("they begin");
    let (progress, ended) = (writers.progress(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let teller = scope
            .spawn(|| report_progress(&progress, &mut wire, marker.owner(), Duration::from_secs(1), &ended, |_| ()));
        writers.join();
        ended.store(true, Ordering::Release);
        progress.stop();
        teller.join().expect("it tells to the end");
    });
    assert!(progress.failure().is_some(), "the power went while they wrote");
    progress.synced()
}

fn cut(liar: &Liar, point: &Path, witness: &Witness, kind: Kind, generation: u32, random: &mut Random) -> Told {
    let parent = Parent::open(point).expect("the mount");
    let mut marker = marker(generation, random);
    let home = prepare(&parent, &mut marker);
    witness.begin(marker.clone()).expect("it begins");
    // In a third of the cuts, the network fails before the power.
    let batches = if random.below(3) == 0 { 1 + random.below(3) } else { u64::MAX };
    liar.arm(kind, 20 + random.below(180));
    let synced = write_until_it_ends(&home, &marker, Wire { witness, batches, power: None });
    drop(home);
    let truth = liar.revive();
    let known = knowledge(witness, marker.run);
    let Standing::Ours(home, found_marker) = parent.inspect().expect("it can be looked at") else {
        panic!("the marker was synced")
    };
    assert_eq!(*found_marker, marker);
    let alone = kind == Kind::Honest && random.below(4) == 0;
    let evidence = Evidence {
        home: Some(&home),
        path: point.display().to_string(),
        marker: Some(&found_marker),
        unmarked: None,
        knowledge: (!alone).then_some(&known),
        witness_away: None,
        boot: "after",
    };
    let verification = verify(&evidence).expect("it can be read").expect("there is an experiment");
    let acknowledged = (0..3).map(|w| known.reached(w)).collect();
    Told { verification, marker, acknowledged, synced, witnessed: !alone, truth }
}

/// Returns the errors in a verification, if any. A verification must not report losses for a writer that lost nothing.
/// If the witness has recorded all synced writes, it must report every broken promise.
fn wrong(kind: Kind, told: &Told) -> Option<String> {
    use Verdict::Broken;
    let truth = &told.truth;
    let broken = |promise| told.verification.verdict(promise) == Broken;
    let [data, _, size, names, whole] = Promise::ALL.map(broken);
    let mut faults: Vec<&str> = Vec::new();
    let mut must = |right: bool, why| faults.extend((!right).then_some(why));
    for (writer, taken) in told.verification.writers.iter().zip(truth.taken) {
        let said = writer.data.count + writer.size.count + writer.names.count + writer.reordered;
        must(said == 0 || taken, "something is said to be lost where all is there");
    }
    must(!whole || truth.torn > 0, "blocks are said to be torn");
    if told.witnessed && told.acknowledged == told.synced {
        must(data || !truth.data, "lost contents are not told");
        must(size || !truth.size, "lost sizes are not told");
        // The slot of an operation that may have been in flight is undefined, and so is the change to the append
        // writer's next file.
        let schedule = told.marker.schedule(2);
        let open = |slot: &u64| (1..=3).any(|ahead| schedule.name_step(told.synced[2] + ahead).slot() == *slot);
        let files = truth.files && !told.synced[1].is_multiple_of(told.marker.geometry.records);
        must(names || !files && truth.slots.iter().all(open), "lost names are not told");
        must(whole || truth.torn == 0, "torn blocks are not told");
    }
    // Each kind of storage must behave as defined.
    match kind {
        Kind::Honest => must(*truth == Truth::default(), "the honest kind lied"),
        Kind::IgnoresSync => {}
        Kind::DataWithoutMetadata => must(!data && !truth.data && truth.torn == 0, "contents were to be kept"),
        Kind::Torn => must(
            Truth { torn: 0, ..truth.clone() } == Truth::default() && truth.torn > 0,
            "only blocks were to be torn",
        ),
    }
    let dated = told.verification.promises.iter().all(|p| p.acknowledged == 0 || p.earliest_ns.is_some());
    must(dated, "a broken promise has no instant");
    must(!told.verification.doubts.iter().any(|d| d.id == "durable-no-cut"), "the cut is doubted");
    (!faults.is_empty()).then(|| {
        let lines: Vec<String> = told.verification.lines().iter().map(|l| l.as_str().to_owned()).collect();
        format!(
            "{faults:?}\n{truth:?}, acknowledged {:?}, synced {:?}\n{}",
            told.acknowledged,
            told.synced,
            lines.join("\n")
        )
    })
}

#[expect(clippy::print_stderr, reason = "figures for the journal")]
fn cuts(kind: Kind) {
    if !Path::new("/dev/fuse").exists() || !testkit::is_root() {
        testkit::skip!("storage that lies takes root and /dev/fuse");
    }
    let temp = tempfile::tempdir().expect("a directory");
    let (point, state) = (temp.path().join("mount"), temp.path().join("state"));
    std::fs::create_dir(&point).expect("made");
    let seed = std::env::var("SECCHI_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(sys::clock::monotonic_ns);
    let liar = match Liar::mount(&point, seed) {
        Ok(liar) => liar,
        Err(e) => testkit::skip!("no file system of our own can be mounted here: {e}"),
    };
    let witness = Witness::open(&state).expect("a witness");
    let (mut random, since) = (Random(seed ^ 0xabcd), Instant::now());
    let (mut counts, mut lied, mut whole_story) = ([0_u64; 5], 0, 0);
    for generation in 1..=CUTS as u32 {
        let outcome = cut(&liar, &point, &witness, kind, generation, &mut random);
        if let Some(mistake) = wrong(kind, &outcome) {
            panic!("{kind:?}, cut {generation}, SECCHI_SEED={seed}: {mistake}");
        }
        lied += u64::from(outcome.truth != Truth::default());
        whole_story += u64::from(outcome.witnessed && outcome.acknowledged == outcome.synced);
        for (count, promise) in counts.iter_mut().zip(Promise::ALL) {
            *count += u64::from(outcome.verification.verdict(promise) == Verdict::Broken);
        }
    }
    // Nearly all cuts must have a visible effect.
    assert!(
        if kind == Kind::Honest { lied == 0 } else { lied * 10 >= CUTS * 9 },
        "{lied} of {CUTS} cuts took something"
    );
    assert!(whole_story * 3 >= CUTS, "the witness knew all in {whole_story}");
    let [data, order, size, names, whole] = counts;
    eprintln!(
        "{kind:?}: {CUTS} cuts told right in {:.1} s, {lied} took something, of {whole_story} the witness knew all; told broken: data {data}, order {order}, size {size}, names {names}, whole {whole}",
        since.elapsed().as_secs_f64()
    );
}

#[test]
fn honest_storage_raises_no_alarm() {
    cuts(Kind::Honest);
}

#[test]
fn storage_that_ignores_syncs_is_told() {
    cuts(Kind::IgnoresSync);
}

#[test]
fn storage_that_keeps_data_and_no_metadata_is_told() {
    cuts(Kind::DataWithoutMetadata);
}

#[test]
fn storage_that_tears_blocks_is_told() {
    cuts(Kind::Torn);
}

#[test]
fn what_cannot_be_read_any_more_is_lost_and_no_failure_to_look() {
    if !Path::new("/dev/fuse").exists() || !testkit::is_root() {
        testkit::skip!("storage that lies takes root and /dev/fuse");
    }
    let temp = tempfile::tempdir().expect("a directory");
    let point = temp.path().join("mount");
    std::fs::create_dir(&point).expect("made");
    let liar = match Liar::mount(&point, 1) {
        Ok(liar) => liar,
        Err(e) => testkit::skip!("no file system of our own can be mounted here: {e}"),
    };
    let witness = Witness::open(&temp.path().join("state")).expect("a witness");
    // The damaged range covers two blocks and one sector of a third. Reads in pieces of 4 KiB must lose nothing else.
    for (generation, spoilt) in [(1, None), (2, Some(8192..16_896))] {
        if let Some(range) = spoilt.clone() {
            liar.spoil("blocks.", range);
        }
        let outcome = cut(&liar, &point, &witness, Kind::Honest, generation, &mut Random(u64::from(generation)));
        let blocks = &outcome.verification.writers[0];
        // Damage in blocks that were being written is reported as torn.
        assert_eq!(blocks.data.count + blocks.torn, if spoilt.is_some() { 3 } else { 0 }, "{blocks:?}");
        assert_eq!(blocks.unreadable, if spoilt.is_some() { 12_288 } else { 0 });
    }
}

const EXT4_CUTS: u64 = 25;
/// Size of a disk with a Linux file system, in bytes.
const DISK: u64 = 24 << 20;

/// Cuts the power of a disk with an ext4 file system once, and verifies the result. Returns `None` if the file system
/// could not be mounted afterwards.
fn cut_ext4(
    liar: &Liar,
    root: &Path,
    witness: &Witness,
    kind: Kind,
    options: &str,
    random: &mut Random,
) -> Result<Option<Verification>, String> {
    let (disk, mount) = (root.join("mount/disk"), root.join("ext4"));
    let device = if disk.exists() { Loop::over(&disk)? } else { Loop::new(&disk, DISK)? };
    let words = ["-q", "-F", "-b", "4096", "-m", "0", "-J", "size=4", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
    let mut words: Vec<&OsStr> = words.iter().map(AsRef::as_ref).collect();
    words.push(device.path.as_os_str());
    tool("mkfs.ext4", &words)?;
    let mounted = Mounted::new(&["-o".as_ref(), options.as_ref(), device.path.as_os_str()], &mount)?;
    let parent = Parent::open(&mount).expect("the mount");
    let mut marker = Marker {
        run: Uuid::from_u128(u128::from(random.below(u64::MAX))),
        geometry: Geometry { block: 4096, blocks: 128, jobs: 1, records: 64, slots: 8 },
        ..marker(1, random)
    };
    let home = prepare(&parent, &mut marker);
    // Sync everything, as if it had been written long before the cut.
    sys::file_systems::sync_file_system(home.directory()).expect("it syncs");
    for held in [&disk, &root.join("mount")] {
        File::open(held).and_then(|held| held.sync_all()).expect("the storage is honest still");
    }
    witness.begin(marker.clone()).expect("it begins");
    liar.arm_device(kind, 40 + random.below(400));
    // The kernel keeps running while its disk is dead, and may report success: if the commit of a name has failed and
    // the journal was aborted, a directory sync has nothing left to commit and returns 0 (`jbd2_journal_force_commit`).
    write_until_it_ends(&home, &marker, Wire { witness, batches: u64::MAX, power: Some(liar) });
    // All files must be closed before the file system is unmounted.
    drop((home, parent));
    drop((mounted, device));
    liar.revive();
    let device = Loop::over(&disk)?;
    let Ok(mounted) = Mounted::new(&[device.path.as_os_str()], &mount) else { return Ok(None) };
    let parent = Parent::open(&mount).expect("the mount");
    let known = knowledge(witness, marker.run);
    let (home, found_marker, unmarked) = match parent.inspect().expect("it can be looked at") {
        Standing::Nothing => (None, None, None),
        Standing::Ours(home, found) => (Some(home), Some(found), None),
        Standing::Unmarked(home, why) => (Some(home), None, Some(why)),
    };
    let evidence = Evidence {
        home: home.as_ref(),
        path: mount.display().to_string(),
        marker: found_marker.as_deref(),
        unmarked,
        knowledge: Some(&known),
        witness_away: None,
        boot: "after",
    };
    let verification = verify(&evidence).unwrap_or_else(|e| panic!("{e}"));
    drop((home, parent));
    drop(mounted);
    Ok(verification)
}

/// Does the same test with ext4 on a disk with a volatile cache. ext4 keeps its promises on an honest disk, and loses
/// acknowledged data if barriers are off or the disk lies.
#[test]
#[expect(clippy::print_stderr, reason = "figures for the journal")]
fn ext4_on_an_honest_disk_raises_no_alarm_and_without_barriers_or_on_a_lying_disk_it_does() {
    if !Path::new("/dev/fuse").exists() || !testkit::is_root() {
        testkit::skip!("storage that lies takes root and /dev/fuse");
    }
    let temp = tempfile::tempdir().expect("a directory");
    let root = temp.path().canonicalize().expect("it is there");
    for name in ["mount", "ext4"] {
        std::fs::create_dir(root.join(name)).expect("made");
    }
    let seed = std::env::var("SECCHI_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(sys::clock::monotonic_ns);
    let liar = match Liar::mount(&root.join("mount"), seed) {
        Ok(liar) => liar,
        Err(e) => testkit::skip!("no file system of our own can be mounted here: {e}"),
    };
    let witness = Witness::open(&root.join("state")).expect("a witness");
    let mut random = Random(seed ^ 0x1234);
    let cases = [
        (Kind::Honest, "barrier=1"),
        (Kind::Torn, "barrier=1"),
        (Kind::Honest, "barrier=0"),
        (Kind::IgnoresSync, "barrier=1"),
    ];
    for (kind, options) in cases {
        let (mut broken, mut lost, mut torn) = (0, 0, 0);
        for number in 1..=EXT4_CUTS {
            let outcome = match cut_ext4(&liar, &root, &witness, kind, options, &mut random) {
                Ok(told) => told,
                Err(why) => testkit::skip!("no disk of our own for ext4: {why}"),
            };
            let Some(outcome) = outcome else {
                lost += 1;
                continue;
            };
            let bad = outcome.is_broken(true);
            broken += u64::from(bad);
            torn += u64::from(outcome.verdict(Promise::Whole) == Verdict::Broken);
            if bad && kind != Kind::IgnoresSync && options == "barrier=1" {
                let lines: Vec<String> = outcome.lines().iter().map(|l| l.as_str().to_owned()).collect();
                panic!("{kind:?}, cut {number}, SECCHI_SEED={seed}: {}", lines.join("\n"));
            }
        }
        eprintln!(
            "ext4 ({options}) on a disk that is {kind:?}: of {EXT4_CUTS} cuts {broken} broke promises, {torn} tore blocks, {lost} left no file system"
        );
        let lies = kind == Kind::IgnoresSync || options == "barrier=0";
        assert!(
            if lies { broken + lost >= 4 } else { lost == 0 },
            "{kind:?} {options}: {broken} broken, {lost} not mounted"
        );
    }
}
