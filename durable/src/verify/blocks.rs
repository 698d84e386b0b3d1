//! Verification of a block writer: compares each block with the last promised group that wrote it.

use super::{LostWrite, Promised, WriterResult};
use crate::directory::blocks_name;
use crate::sector::Found;

/// Compares the contents of the blocks with the promised groups. `len` is the size of the file. Blocks past the end of
/// the file are lost.
#[must_use]
pub fn compare(promised: &Promised<'_>, found: &[Found], len: u64) -> WriterResult {
    let marker = promised.marker;
    let schedule = marker.schedule(promised.writer);
    let block = u64::from(marker.geometry.block);
    let newest = found.iter().map(Found::newest).max().unwrap_or(0);
    let mut result = promised.result(newest);
    let proven = result.proven;
    let file = || blocks_name(promised.writer).to_string_lossy().into_owned();
    let lost = |place: usize, expected: u64| LostWrite {
        file: file(),
        offset: place as u64 * block,
        expected,
        found: found[place].sequences.map(|(low, _)| low),
        acknowledged_ns: None,
    };
    if len < marker.geometry.blocks * block {
        let missing = LostWrite { file: file(), offset: len, expected: 0, found: None, acknowledged_ns: None };
        promised.lose(&mut result.size, missing);
    }
    let readable = (len / block).min(found.len() as u64) as usize;
    let mut in_flight: Vec<u64> =
        (1..=promised.in_flight()).flat_map(|ahead| schedule.group(proven + ahead).blocks().to_vec()).collect();
    in_flight.sort_unstable();
    // True for each block that is not decided yet: either no promised group that contains the block has been processed,
    // or the block's contents are older than all processed groups.
    let mut open = vec![true; readable];
    let mut left = readable;
    result.compared = readable as u64;
    for (place, found) in found[..readable].iter().enumerate() {
        let (low, high) = found.sequences.unwrap_or((0, 0));
        let flying = in_flight.binary_search(&(place as u64)).is_ok();
        let torn = found.bad > 0 && flying || found.bad == 0 && low < high && high > proven;
        if torn {
            result.torn += 1;
            if result.first_torn.is_none() {
                result.first_torn = Some(LostWrite { found: Some(low), ..lost(place, high) });
            }
        } else if found.bad == 0 && low > proven {
            result.whole += 1;
        }
        // A block proves nothing about promised groups if it contains only a newer group, or if a write in flight may
        // have damaged it.
        if found.bad == 0 && low > proven || found.bad > 0 && flying {
            open[place] = false;
            left -= 1;
        }
    }
    // Process the promised groups from newest to oldest: a block must have the contents of the first group that
    // contains it, or of a newer one.
    let mut sequence = proven;
    while left > 0 && sequence > 0 {
        for place in schedule.group(sequence).blocks() {
            let place = *place as usize;
            if place >= readable || !open[place] {
                continue;
            }
            let damaged = found[place].bad > 0;
            let low = found[place].sequences.map_or(0, |(low, _)| low);
            if damaged || low < sequence {
                promised.lose(&mut result.data, lost(place, sequence));
                result.reordered += u64::from(sequence < newest);
            }
            if damaged || low >= sequence {
                open[place] = false;
                left -= 1;
            }
        }
        sequence -= 1;
    }
    // Blocks that are in no promised group must have their initial contents.
    for place in (0..readable).filter(|place| open[*place] && found[*place].bad > 0) {
        promised.lose(&mut result.data, lost(place, 0));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Marker;
    use crate::experiment::tests::example;
    use crate::schedule::Schedule;
    use crate::verify::IN_FLIGHT;
    use crate::witness::{Batch, Knowledge};
    use proptest::prelude::*;

    fn whole(sequence: u64) -> Found {
        Found { sequences: Some((sequence, sequence)), bad: 0 }
    }

    /// Returns the contents of honest storage after `synced` groups. `kept` selects the blocks in the next group that
    /// were also written.
    fn image(marker: &Marker, synced: u64, kept: impl Fn(u64) -> bool) -> Vec<Found> {
        let schedule = marker.schedule(0);
        let mut blocks = vec![whole(0); marker.geometry.blocks as usize];
        for sequence in 1..=synced + 1 {
            for place in schedule.group(sequence).blocks() {
                if sequence <= synced || kept(*place) {
                    blocks[*place as usize] = whole(sequence);
                }
            }
        }
        blocks
    }

    /// Returns `true` if group number `sequence` contains this block.
    fn group_has(schedule: &Schedule, sequence: u64, block: u64) -> bool {
        sequence > 0 && schedule.group(sequence).blocks().contains(&block)
    }

    fn knowledge(marker: &Marker, reached: u64) -> Knowledge {
        let batches = (1..=reached).map(|s| Batch { at_ns: s * 10, reached: vec![(0, s)] }).collect();
        Knowledge { marker: marker.clone(), batches }
    }

    fn compared(marker: &Marker, told: Option<&Knowledge>, found: &[Found]) -> WriterResult {
        let len = marker.geometry.blocks * u64::from(marker.geometry.block);
        let promised = Promised::new(marker, told, 0);
        let mut result = compare(&promised, found, len);
        promised.date(&mut result);
        result
    }

    proptest! {
        #[test]
        fn honest_storage_raises_no_alarm_whatever_was_in_flight(
            seed: u64, synced in 0_u64..300, behind in 0_u64..300, kept: u32, witnessed: bool, shorn: bool,
        ) {
            let marker = Marker { seed, ..example() };
            let mut blocks = image(&marker, synced, |place| kept >> (place % 32) & 1 == 1);
            if shorn {
                // Simulate a device that leaves garbage in the block that it was writing.
                for place in marker.schedule(0).group(synced + 1).blocks() {
                    blocks[*place as usize] = Found { bad: 8, sequences: None };
                }
            }
            // The witness and the newest intact group determine which writes were in flight. If the witness lags
            // and garbage hides the newest groups completely, the writes in flight cannot be determined.
            let newest = blocks.iter().map(Found::newest).max().unwrap_or(0);
            let reached = if witnessed { synced.saturating_sub(behind) } else { 0 };
            prop_assume!(reached.max(newest.saturating_sub(1)) + IN_FLIGHT > synced);
            let known = knowledge(&marker, synced.saturating_sub(behind));
            let result = compared(&marker, witnessed.then_some(&known), &blocks);
            prop_assert_eq!(result.data.count + result.size.count + result.names.count + result.reordered, 0);
            prop_assert!(shorn || result.torn == 0);
        }

        #[test]
        fn every_acknowledged_loss_is_found_and_dated(seed: u64, synced in 1_u64..200, pick: prop::sample::Index, how in 0..4) {
            let marker = Marker { seed, ..example() };
            let mut blocks = image(&marker, synced, |_| false);
            let schedule = marker.schedule(0);
            // The last promised contents of a block are damaged, torn, or replaced by the block's previous contents.
            let victim = pick.index(blocks.len());
            let expected = blocks[victim].newest();
            prop_assume!(expected > 0);
            let before = (1..expected).rev().find(|s| group_has(&schedule, *s, victim as u64)).unwrap_or(0);
            blocks[victim] = match how {
                0 => whole(before),
                1 => Found { sequences: Some((before, expected)), bad: 0 },
                2 => Found { sequences: None, bad: 8 },
                _ => Found { sequences: Some((expected, expected)), bad: 1 },
            };
            let known = knowledge(&marker, synced);
            let result = compared(&marker, Some(&known), &blocks);
            let flying = (1..=3).any(|ahead| group_has(&schedule, synced + ahead, victim as u64));
            if how >= 2 && flying {
                prop_assert_eq!((result.data.count, result.torn), (0, 1), "a write was on its way there");
            } else {
                prop_assert_eq!((result.data.count, result.data.acknowledged), (1, 1));
                let first = result.data.first.expect("one is shown");
                prop_assert_eq!((first.expected, first.acknowledged_ns), (expected, Some(expected * 10)));
                prop_assert_eq!(first.offset, victim as u64 * 4096);
                prop_assert_eq!(result.reordered, u64::from(expected < result.newest));
                prop_assert_eq!(result.torn, 0);
            }
        }

        #[test]
        fn without_a_witness_order_finds_what_is_older_than_what_is_there(seed: u64, synced in 20_u64..200, back in 2_u64..15) {
            let marker = Marker { seed, ..example() };
            let mut blocks = image(&marker, synced, |_| false);
            let lost = synced - back;
            let places: Vec<u64> = marker.schedule(0).group(lost).blocks().to_vec();
            let mut gone = 0;
            for place in places.iter().filter(|p| blocks[**p as usize] == whole(lost)).copied().collect::<Vec<_>>() {
                let before = (1..lost).rev().find(|s| group_has(&marker.schedule(0), *s, place)).unwrap_or(0);
                blocks[place as usize] = whole(before);
                gone += 1;
            }
            let result = compared(&marker, None, &blocks);
            prop_assert_eq!((result.data.count, result.data.acknowledged, result.reordered), (gone, 0, gone));
            prop_assert_eq!(result.data.first.and_then(|f| f.acknowledged_ns), None);
        }

        #[test]
        fn everything_that_was_rolled_back_is_counted_write_by_write(seed: u64, synced in 2_u64..120, to in 0_u64..100) {
            let to = to.min(synced - 1);
            let marker = Marker { seed, ..example() };
            let blocks = image(&marker, to, |_| false);
            let result = compared(&marker, Some(&knowledge(&marker, synced)), &blocks);
            let writes: usize = (to + 1..=synced).map(|s| marker.schedule(0).group(s).blocks().len()).sum();
            prop_assert_eq!((result.data.count, result.data.acknowledged), (writes as u64, writes as u64));
            prop_assert_eq!(result.data.first.map(|f| (f.expected, f.acknowledged_ns)), Some((to + 1, Some((to + 1) * 10))));
            prop_assert_eq!(result.reordered, 0, "nothing later is there");
        }
    }

    #[test]
    fn a_torn_block_in_flight_is_told_and_is_no_loss() {
        let marker = example();
        let mut blocks = image(&marker, 40, |_| false);
        let place = marker.schedule(0).group(41).blocks()[0] as usize;
        blocks[place] = Found { sequences: Some((blocks[place].newest(), 41)), bad: 0 };
        let result = compared(&marker, Some(&knowledge(&marker, 40)), &blocks);
        assert_eq!((result.torn, result.whole, result.data.count), (1, 0, 0));
        assert_eq!(result.first_torn.map(|t| t.expected), Some(41));
    }

    #[test]
    fn after_an_orderly_end_nothing_is_let_pass() {
        let mut marker = example();
        let place = marker.schedule(0).group(41).blocks()[0] as usize;
        let mut blocks = image(&marker, 40, |_| false);
        blocks[place] = Found { sequences: None, bad: 8 };
        let result = compared(&marker, Some(&knowledge(&marker, 40)), &blocks);
        assert_eq!((result.torn, result.data.count), (1, 0), "it may have been written just then");
        (marker.stage, marker.reached) = (crate::experiment::Stage::Ended, vec![40, 0, 0]);
        let result = compared(&marker, None, &blocks);
        assert_eq!(
            (result.torn, result.data.count, result.data.acknowledged),
            (0, 1, u64::from(found_last(&marker, place) > 0))
        );
    }

    /// Returns the number of the last group, out of 40, that wrote a block; 0 = none.
    fn found_last(marker: &Marker, place: usize) -> u64 {
        (1..=40).rev().find(|s| group_has(&marker.schedule(0), *s, place as u64)).unwrap_or(0)
    }

    #[test]
    fn a_file_that_lost_its_end_is_told_by_its_size() {
        let marker = example();
        let blocks = image(&marker, 40, |_| true);
        let promised = Promised::new(&marker, None, 0);
        let result = compare(&promised, &blocks[..16], 16 * 4096);
        assert_eq!((result.size.count, result.data.count), (1, 0));
        assert_eq!(result.size.first.map(|f| f.offset), Some(16 * 4096));
    }
}
