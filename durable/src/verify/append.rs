//! Verification of an append writer: checks that its files exist, have the right sizes, and contain all promised
//! records.

use super::{LostWrite, Promised, WriterResult};
use crate::directory::append_name;
use crate::sector::Found;
use std::collections::BTreeMap;

/// State of a growing file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppendFile {
    /// Size in bytes.
    pub len: u64,
    /// Contents of the records up to the end of the file, in order.
    pub records: Vec<Found>,
}

/// Compares the existing files with the promised records. The key in `files` is the index of the file.
#[must_use]
pub fn compare(promised: &Promised<'_>, files: &BTreeMap<u64, AppendFile>) -> WriterResult {
    let marker = promised.marker;
    let schedule = marker.schedule(promised.writer);
    let newest = files.values().flat_map(|f| &f.records).map(Found::newest).max().unwrap_or(0);
    let mut result = promised.result(newest);
    let proven = result.proven;
    let last = schedule.file_of(proven);
    let each = marker.geometry.records;
    let name = |file: u64| append_name(promised.writer, file).to_string_lossy().into_owned();
    // The file before the last one is removed when the file after the last one is begun. Until then, the file before
    // the last one must be complete.
    let full = proven.max(newest) >= (last + 1) * each;
    let before = last.checked_sub(1).filter(|before| !full || files.contains_key(before));
    for file in before.into_iter().chain([last]) {
        let Some(file_found) = files.get(&file) else {
            let expected = if proven == 0 { 0 } else { (file * each + 1).min(proven) };
            let missing = LostWrite { file: name(file), offset: 0, expected, found: None, acknowledged_ns: None };
            promised.lose(&mut result.names, missing);
            result.reordered += u64::from(expected < newest);
            continue;
        };
        for (index, (sequence, record)) in schedule.records(file).take_while(|(s, _)| *s <= proven).enumerate() {
            let here = file_found.records.get(index).copied().unwrap_or_default();
            let lost = LostWrite {
                file: name(file),
                offset: record.at,
                expected: sequence,
                found: here.sequences.map(|(_, high)| high),
                acknowledged_ns: None,
            };
            result.compared += 1;
            let loss = if file_found.len < record.at + record.len {
                &mut result.size
            } else if here.whole() != Some(sequence) {
                &mut result.data
            } else {
                continue;
            };
            promised.lose(loss, lost);
            result.reordered += u64::from(sequence < newest);
        }
    }
    // These files were removed and their directory was synced before the first record of the last file was written.
    for file in files.keys().filter(|file| **file + 2 <= last) {
        let first = (file + 2) * each + 1;
        let back = LostWrite {
            file: name(*file),
            offset: 0,
            expected: first,
            found: Some(file * each + 1),
            acknowledged_ns: None,
        };
        promised.lose(&mut result.names, back);
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

    /// Number of the append writer.
    const WRITER: u16 = 1;

    /// Returns the contents of honest storage after `synced` records, including the next record if `more` is set.
    fn image(marker: &Marker, synced: u64, more: bool) -> BTreeMap<u64, AppendFile> {
        let schedule = marker.schedule(WRITER);
        let last = schedule.file_of(synced);
        let mut files = BTreeMap::new();
        for file in last.saturating_sub(1)..=last {
            let present: Vec<_> = schedule.records(file).take_while(|(s, _)| *s <= synced + u64::from(more)).collect();
            let len = present.last().map_or(0, |(_, r)| r.at + r.len);
            let records = present.iter().map(|(s, _)| Found { sequences: Some((*s, *s)), bad: 0 }).collect();
            files.insert(file, AppendFile { len, records });
        }
        files
    }

    fn compared(marker: &Marker, acknowledged: u64, files: &BTreeMap<u64, AppendFile>) -> WriterResult {
        let batches = vec![Batch { at_ns: 5, reached: vec![(WRITER, acknowledged)] }];
        let knowledge = Knowledge { marker: marker.clone(), batches };
        compare(&Promised::new(marker, Some(&knowledge), WRITER), files)
    }

    fn alarms(result: &WriterResult) -> (u64, u64, u64) {
        (result.data.count, result.size.count, result.names.count)
    }

    proptest! {
        #[test]
        fn honest_storage_raises_no_alarm(seed: u64, synced in 0_u64..100, behind in 0_u64..100, more: bool, begun: bool, old: bool) {
            let marker = Marker { seed, ..example() };
            let mut files = image(&marker, synced, more);
            let last = *files.keys().next_back().expect("one");
            // At the end of a file, the next file may already exist, and the previous file may already be removed.
            if synced > 0 && synced.is_multiple_of(16) {
                if begun {
                    files.entry(last + 1).or_default();
                }
                if !old && last > 0 {
                    files.remove(&(last - 1));
                }
            }
            let result = compared(&marker, synced.saturating_sub(behind), &files);
            prop_assert_eq!((alarms(&result), result.reordered), ((0, 0, 0), 0));
        }

        #[test]
        fn a_lost_end_hole_file_or_removal_is_found(seed: u64, synced in 40_u64..90, back in 0_u64..5) {
            let marker = Marker { seed, ..example() };
            let files = image(&marker, synced, false);
            let (last, schedule) = (marker.schedule(WRITER).file_of(synced), marker.schedule(WRITER));
            let records = files[&last].records.len() as u64;
            let cut = back.min(records - 1);
            // In this case, the file is too short.
            let mut short = files.clone();
            let file = short.get_mut(&last).expect("it is there");
            let (_, record) = schedule.records(last).nth((records - 1 - cut) as usize).expect("a record");
            file.len = record.at;
            file.records.truncate((records - 1 - cut) as usize);
            prop_assert_eq!(alarms(&compared(&marker, synced, &short)), (0, cut + 1, 0));
            // In this case, the file has a hole.
            let mut hole = files.clone();
            hole.get_mut(&last).expect("it is there").records[(records - 1 - cut) as usize] = Found { sequences: None, bad: 3 };
            let result = compared(&marker, synced, &hole);
            prop_assert_eq!((alarms(&result), result.reordered), ((1, 0, 0), u64::from(cut > 0)));
            // In this case, the whole file is missing.
            let mut gone = files.clone();
            gone.remove(&last);
            let result = compared(&marker, synced, &gone);
            prop_assert_eq!(result.names.count, 1);
            // In this case, a removed file has reappeared.
            let mut risen = files.clone();
            risen.insert(last - 2, AppendFile::default());
            prop_assert_eq!(alarms(&compared(&marker, synced, &risen)), (0, 0, 1));
        }
    }
}
