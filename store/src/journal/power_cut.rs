//! Tests with the power-cut model (docs/design/goals.md, "Reliability", G8). Every write and fdatasync by a real writer
//! is recorded. Then the tests construct each state in which a power cut may leave the disk. Each state consists of the
//! synced data and any subset of the later writes. The last write may be incomplete.

use crate::fixture;
use crate::journal::frame::Damage;
use crate::journal::recover::{Harm, recover_from};
use crate::journal::writer::{JournalWriter, Medium};
use model::{Nanos, RunEvent, RunRecord};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Maximum number of unsynced writes. Every subset of them is tested.
const UNSYNCED: usize = 11;
/// Number of lengths at which the last write is cut off, in addition to its full length.
const TEARS: usize = 24;

#[derive(Clone)]
enum Act {
    Write { offset: usize, bytes: Vec<u8> },
    Sync,
}

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Act>>>);

impl Recorder {
    fn add(&self, act: Act) {
        self.0.lock().expect("no test panics inside").push(act);
    }
}

impl Medium for Recorder {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.add(Act::Write { offset: usize::try_from(offset).expect("small"), bytes: bytes.to_vec() });
        Ok(())
    }

    fn reserve(&mut self, _from: u64, _bytes: u64) -> io::Result<bool> {
        Ok(true)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.add(Act::Sync);
        Ok(())
    }

    fn trim(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the writes and syncs of a run of many small events, with an fdatasync after every `UNSYNCED`, and the
/// run's record after each event.
fn written() -> (Vec<Act>, Vec<RunRecord>) {
    let mut events = fixture::open_run(1, 1);
    events.extend((0..20).map(|n| RunEvent::Note { at: Nanos(n), text: format!("note {n}").into() }));
    let recorder = Recorder::default();
    let mut writer =
        JournalWriter::start(Box::new(recorder.clone()), Path::new("mem.journal"), &events[0], 0).expect("starts");
    for (i, event) in events.iter().enumerate().skip(1) {
        writer.append(event).expect("appends");
        if i % UNSYNCED == 0 {
            writer.sync().expect("syncs");
        }
    }
    let folds = (1..=events.len()).map(|n| RunRecord::from_events(events[..n].to_vec()).expect("one run")).collect();
    let acts = recorder.0.lock().expect("no test panics inside").clone();
    (acts, folds)
}

fn apply(disk: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    // A write that extends the file leaves zeros where an earlier write was lost.
    disk.resize(disk.len().max(offset + bytes.len()), 0);
    disk[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Reads the disk. Checks that all synced frames are present, that every frame found was written, and that nothing
/// panics.
fn check(disk: &[u8], folds: &[RunRecord], synced: usize, appended: usize) {
    match recover_from(disk, disk.len() as u64) {
        Err(e) => assert_eq!(synced, 0, "{e}"),
        Ok(run) => {
            let frames = usize::try_from(run.frames).expect("few");
            assert!((synced..=appended).contains(&frames), "{frames} frames of {synced} synced, {appended} appended");
            // Writes that reached the disk before earlier ones leave a hole, which the reader reports.
            if !matches!(run.harm, Harm::Lost { .. }) {
                assert_eq!(run.record, folds[frames - 1]);
            }
            assert!(!matches!(run.damage, Some(Damage::Event { .. } | Damage::Order { .. })), "{:?}", run.damage);
        }
    }
}

#[test]
fn no_power_cut_at_any_moment_loses_synced_frames_or_invents_any() {
    let (acts, folds) = written();
    let (mut synced_disk, mut synced) = (Vec::new(), 0);
    let mut unsynced: Vec<(usize, &[u8])> = Vec::new();
    let states: u32 = std::thread::scope(|scope| {
        let mut cuts = Vec::new();
        for act in &acts {
            match act {
                Act::Sync => {
                    synced += unsynced.len();
                    for (offset, bytes) in unsynced.drain(..) {
                        apply(&mut synced_disk, offset, bytes);
                    }
                    check(&synced_disk, &folds, synced, synced);
                }
                Act::Write { offset, bytes } => {
                    unsynced.push((*offset, bytes));
                    let (disk, writes, folds) = (synced_disk.clone(), unsynced.clone(), &folds);
                    cuts.push(scope.spawn(move || every_cut(&disk, &writes, folds, synced)));
                }
            }
        }
        cuts.into_iter().map(|cut| cut.join().expect("every state is read back")).sum()
    });
    assert!(states >= 100_000, "{states} states");
}

/// Checks every subset of the unsynced writes with the last of them, which is tested whole and cut off at many places.
/// The subsets without it were checked before it was written.
fn every_cut(synced_disk: &[u8], unsynced: &[(usize, &[u8])], folds: &[RunRecord], synced: usize) -> u32 {
    let mut states = 0;
    let last = unsynced.len() - 1;
    for subset in 1u32 << last..2 << last {
        let mut disk = synced_disk.to_vec();
        for (_, (offset, bytes)) in unsynced.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1) {
            apply(&mut disk, *offset, bytes);
        }
        check(&disk, folds, synced, synced + unsynced.len());
        states += 1;
        let (offset, length) = (unsynced[last].0, unsynced[last].1.len());
        for tear in 0..TEARS {
            // Cut off near both ends, where the head and the length are, and at evenly spaced places in between.
            let at = if tear < 9 { tear.min(length) } else { length * (tear - 8) / (TEARS - 8) };
            check(&disk[..offset + at], folds, synced, synced + unsynced.len());
            states += 1;
        }
    }
    states
}
