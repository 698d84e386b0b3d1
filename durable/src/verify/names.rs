//! Verification of a name writer: compares each slot with the last promised operation on it.

use super::{LostWrite, Promised, WriterResult};
use crate::directory::{names_name, slot_name};
use crate::schedule::NameStep;
use crate::sector::{Found, SECTOR};

/// State of the file in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlotFile {
    /// Size in bytes.
    pub len: u64,
    /// Contents of the file's sectors.
    pub found: Found,
}

/// Compares the state of each slot with the promised operations. `new` is the state of the file that has not been
/// renamed yet.
#[must_use]
pub fn compare(promised: &Promised<'_>, slots: &[Option<SlotFile>], new: Option<SlotFile>) -> WriterResult {
    let schedule = promised.marker.schedule(promised.writer);
    let files = slots.iter().flatten().chain(new.iter());
    let newest = files.map(|file| file.found.newest()).max().unwrap_or(0);
    let mut result = promised.result(newest);
    let proven = result.proven;
    result.compared = slots.len() as u64;
    // Contents that a slot may have after the last promised operation, or after one of the operations that follow it.
    // `None` = no file.
    type Content = Option<(u64, u64)>;
    let content = |sequence: u64| match schedule.name_step(sequence) {
        NameStep::Replace { sectors, .. } => Some((sequence, sectors)),
        NameStep::Remove { .. } => None,
    };
    let ahead = |slot: u64| -> Vec<Content> {
        (proven + 1..=proven + promised.in_flight())
            .filter(|s| schedule.name_step(*s).slot() == slot)
            .map(content)
            .collect()
    };
    /// Slot with unexpected contents. It is kept until its missing operations have been counted.
    struct Open {
        slot: u64,
        /// Newest operation whose effect is visible in the slot.
        low: u64,
        found: Option<u64>,
    }
    let lost = |open: &Open, expected: u64| LostWrite {
        file: format!("{}/{}", names_name(promised.writer).to_string_lossy(), slot_name(open.slot).to_string_lossy()),
        offset: 0,
        expected,
        found: open.found,
        acknowledged_ns: None,
    };
    let mut open: Vec<Open> = Vec::new();
    let mut unseen: Vec<(u64, Option<SlotFile>)> = (0..).zip(slots.iter().copied()).collect();
    let mut judge = |result: &mut WriterResult, slot: u64, file: Option<SlotFile>, last: u64, base: Content| {
        let allowed = |held: &Content| base == *held || ahead(slot).contains(held);
        let Some(file) = file else {
            if !allowed(&None) {
                let gone = Open { slot, low: last, found: None };
                promised.lose(&mut result.names, lost(&gone, last));
                result.reordered += u64::from(last < newest);
            }
            return;
        };
        let whole = file.found.whole().filter(|_| file.len > 0);
        match whole {
            Some(sequence) => {
                let (sectors, complete) = (file.len / SECTOR as u64, file.len.is_multiple_of(SECTOR as u64));
                let wanted = if sequence == 0 { 1 } else { schedule.sectors(sequence) };
                let place = |slot: u64| sequence == 0 || schedule.name_step(sequence).slot() == slot;
                if sectors != wanted || !complete || !place(slot) {
                    // The contents were synced before the file was given this name, so missing contents are lost.
                    let short = Open { slot, low: sequence, found: Some(sequence) };
                    let loss = if sectors < wanted { &mut result.size } else { &mut result.data };
                    promised.lose(loss, lost(&short, sequence.max(last)));
                } else if !allowed(&Some((sequence, sectors))) {
                    open.push(Open { slot, low: sequence, found: Some(sequence) });
                }
            }
            None => {
                let damaged = Open { slot, low: last, found: file.found.sequences.map(|(_, high)| high) };
                let loss = if file.len == 0 { &mut result.size } else { &mut result.data };
                promised.lose(loss, lost(&damaged, last));
                result.reordered += u64::from(last < newest);
            }
        }
    };
    // Process the promised operations from newest to oldest: each slot must show the effect of the first operation on
    // it.
    let mut sequence = proven;
    let mut older: Vec<(u64, u64)> = Vec::new();
    while sequence > 0 && !unseen.is_empty() {
        let slot = schedule.name_step(sequence).slot();
        if let Some(at) = unseen.iter().position(|(s, _)| *s == slot) {
            let (slot, file) = unseen.swap_remove(at);
            judge(&mut result, slot, file, sequence, content(sequence));
            older.push((slot, sequence));
        }
        sequence -= 1;
    }
    for (slot, file) in unseen {
        judge(&mut result, slot, file, 0, Some((0, 1)));
    }
    // A slot that shows the effect of an older operation has lost all later operations.
    for open in &open {
        let last = older.iter().find(|(slot, _)| *slot == open.slot).map_or(0, |(_, last)| *last);
        for sequence in open.low + 1..=last {
            if schedule.name_step(sequence).slot() == open.slot {
                promised.lose(&mut result.names, lost(open, sequence));
                result.reordered += u64::from(sequence < newest);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Marker;
    use crate::experiment::tests::example;
    use crate::witness::{Batch, Knowledge};
    use proptest::prelude::*;

    const WRITER: u16 = 2;

    fn file(sequence: u64, sectors: u64) -> Option<SlotFile> {
        let contents = Found { sequences: Some((sequence, sequence)), bad: 0 };
        Some(SlotFile { len: sectors * 512, found: contents })
    }

    fn image(marker: &Marker, done: u64) -> Vec<Option<SlotFile>> {
        let schedule = marker.schedule(WRITER);
        let mut slots = vec![file(0, 1); marker.geometry.slots as usize];
        for sequence in 1..=done {
            match schedule.name_step(sequence) {
                NameStep::Replace { slot, sectors } => slots[slot as usize] = file(sequence, sectors),
                NameStep::Remove { slot } => slots[slot as usize] = None,
            }
        }
        slots
    }

    fn compared(marker: &Marker, acknowledged: u64, slots: &[Option<SlotFile>], new: Option<SlotFile>) -> WriterResult {
        let batches = (1..=acknowledged).map(|s| Batch { at_ns: s, reached: vec![(WRITER, s)] }).collect();
        let knowledge = Knowledge { marker: marker.clone(), batches };
        compare(&Promised::new(marker, Some(&knowledge), WRITER), slots, new)
    }

    fn alarms(result: &WriterResult) -> (u64, u64, u64, u64) {
        (result.data.count, result.size.count, result.names.count, result.reordered)
    }

    proptest! {
        #[test]
        fn honest_storage_raises_no_alarm_however_far_behind_the_witness_is(
            seed: u64, synced in 0_u64..200, behind in 0_u64..200, took_effect: bool, left: bool,
        ) {
            let marker = Marker { seed, ..example() };
            let slots = image(&marker, synced + u64::from(took_effect));
            let new = left.then(|| SlotFile { len: 700, found: Found { sequences: Some((synced + 1, synced + 1)), bad: 1 } });
            let result = compared(&marker, synced.saturating_sub(behind), &slots, new);
            prop_assert_eq!(alarms(&result), (0, 0, 0, 0));
        }

        #[test]
        fn operations_that_went_back_are_counted_and_the_earliest_is_shown(seed: u64, synced in 5_u64..150, back in 1_u64..100) {
            let marker = Marker { seed, ..example() };
            let to = synced - back.min(synced - 1);
            let slots = image(&marker, to);
            let result = compared(&marker, synced, &slots, None);
            let (now, then) = (image(&marker, synced), slots);
            // The loss is visible in a slot whose state differs, unless one of the next operations would produce the
            // same state.
            let ahead: Vec<u64> = (1..=3).map(|a| marker.schedule(WRITER).name_step(synced + a).slot()).collect();
            let differs = (0..6).any(|s| now[s] != then[s] && !ahead.contains(&(s as u64)));
            if differs {
                prop_assert!(result.names.count > 0 && result.names.acknowledged == result.names.count);
                prop_assert!(result.names.first.as_ref().is_some_and(|f| f.expected > to || f.found.is_none()));
            }
            prop_assert_eq!((result.data.count, result.size.count), (0, 0));
        }

        #[test]
        fn contents_that_are_not_what_was_synced_are_found(seed: u64, synced in 5_u64..150, slot in 0_usize..6, how in 0..3) {
            let marker = Marker { seed, ..example() };
            let mut slots = image(&marker, synced);
            let Some(held) = &mut slots[slot] else { return Ok(()) };
            let expected = match how {
                0 => {
                    held.found = Found { sequences: None, bad: (held.len / 512) as u16 };
                    (1, 0)
                }
                1 => {
                    *held = SlotFile { len: 0, found: Found::default() };
                    (0, 1)
                }
                _ => {
                    held.len += 512;
                    (1, 0)
                }
            };
            let result = compared(&marker, synced, &slots, None);
            prop_assert_eq!((result.data.count, result.size.count), expected);
        }
    }

    #[test]
    fn a_removal_that_came_back_and_a_file_that_went_are_names() {
        let marker = example();
        let schedule = marker.schedule(WRITER);
        let removal = (2..).find(|s| matches!(schedule.name_step(*s), NameStep::Remove { slot } if {
            image(&marker, s - 1)[slot as usize].is_some() && (1..=3).all(|a| schedule.name_step(s + a).slot() != slot)
        }));
        let removal = removal.expect("there is one");
        let slot = schedule.name_step(removal).slot() as usize;
        let mut slots = image(&marker, removal);
        slots[slot] = image(&marker, removal - 1)[slot];
        let result = compared(&marker, removal, &slots, None);
        assert_eq!((result.names.count, result.names.first.map(|f| f.expected)), (1, Some(removal)));
        let mut slots = image(&marker, removal);
        let kept = (0..6)
            .find(|s| slots[*s].is_some() && (1..=3).all(|a| schedule.name_step(removal + a).slot() != *s as u64));
        slots[kept.expect("some slot stays")] = None;
        let result = compared(&marker, removal, &slots, None);
        assert_eq!((result.names.count, result.names.first.and_then(|f| f.found)), (1, None));
    }
}
