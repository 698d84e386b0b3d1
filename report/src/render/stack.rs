//! The storage below a target as a small tree: the file system, then the devices down to the disks.

use crate::document::Branch;
use crate::grouping::grouped;
use crate::widgets::ink::{Ink, listed};
use crate::widgets::text::{Line, Paint};
use messages::{Sentence, sentence};
use model::plan::NamedTarget;
use model::record::{DeviceFacts, Preflight, StorageFacts};

/// Maximum level that is still indented; greater indents would leave no room for text.
const DEEPEST: usize = 8;

/// Amount of detail shown for each device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Kind, size, model, scheduler, cache.
    Brief,
    /// Additionally queue length, block sizes, largest request, numbers, serial.
    Full,
}

/// Returns each storage with the names of its targets. A single target has no name; several targets on the same file
/// system are combined.
pub(crate) fn named<'a>(preflight: &'a Preflight, targets: &[NamedTarget]) -> Vec<(String, &'a StorageFacts)> {
    // Free space may differ between the two queries.
    let key = |storage: &'a StorageFacts| (&storage.mount_point, &storage.devices);
    let each = targets.iter().zip(&preflight.under_each);
    let stacks = grouped(each.map(|(target, storage)| (key(storage), (target.name.as_str(), storage))));
    if stacks.is_empty() {
        return vec![(String::new(), &preflight.storage)];
    }
    let named = |same: Vec<(&str, &'a StorageFacts)>| {
        let (names, storages): (Vec<&str>, Vec<&StorageFacts>) = same.into_iter().unzip();
        (names.join(", "), storages[0])
    };
    stacks.into_iter().map(|(_, same)| named(same)).collect()
}

/// Prefixes a line with the names to which it applies, if any.
pub(crate) fn with_names(names: &str, told: Sentence) -> Sentence {
    if names.is_empty() { told } else { sentence!("told-of", what = names, told) }
}

/// Describes the file system on one line.
pub(crate) fn filesystem(s: &StorageFacts) -> Sentence {
    let (fs, place, options) = (&s.filesystem, &s.mount_point, &s.mount_options);
    let (free, size) = (s.fs_free, s.fs_size);
    match options.as_str() {
        _ if fs.is_empty() || fs == "none" => sentence!("stack-raw"),
        "" => sentence!("stack-filesystem", fs, place, free, size),
        options => sentence!("stack-filesystem-options", fs, place, options, free, size),
    }
}

/// Describes a device in a few words, with the most informative ones first.
fn device(d: &DeviceFacts, detail: Detail) -> Sentence {
    let mut words: Vec<Sentence> = vec![Sentence::from(&d.kind), d.size.to_string().into()];
    words.extend(d.model.as_ref().map(Sentence::from));
    words.extend(d.backing.as_ref().map(|file| sentence!("stack-backed", file)));
    words.extend((!d.write_cache.is_empty()).then(|| sentence!("stack-cache", mode = &d.write_cache)));
    words.extend(d.health.as_ref().map(|h| Sentence::from(h.summary())));
    words.extend((!d.scheduler.is_empty()).then(|| sentence!("stack-scheduler", name = &d.scheduler)));
    if detail == Detail::Full {
        let (logical, physical) = (d.logical_block.as_u64(), d.physical_block.as_u64());
        words.extend((d.nr_requests > 0).then(|| sentence!("stack-queue", n = d.nr_requests)));
        words.extend((!d.max_request.is_zero()).then(|| sentence!("stack-largest", size = d.max_request)));
        words.extend((logical > 0).then(|| sentence!("stack-blocks", logical, physical)));
        words.extend(d.rotational.then(|| sentence!("stack-rotates")));
        words.extend(d.discard.then(|| sentence!("stack-discards")));
        words.push(format!("{}:{}", d.dev.0, d.dev.1).into());
        words.extend(d.serial.as_ref().map(|serial| sentence!("stack-serial", serial)));
    }
    listed(words)
}

/// Returns devices, top first, with their descriptions.
pub(crate) fn branches(devices: &[DeviceFacts], detail: Detail) -> Vec<Branch> {
    let branch = |d: &DeviceFacts| Branch { depth: d.depth, name: d.name.clone(), text: device(d, detail) };
    devices.iter().map(branch).collect()
}

/// Returns a tree of devices as lines of at most `columns`.
pub(crate) fn lines(devices: &[Branch], ink: Ink, columns: usize) -> Vec<Line> {
    let [tee, end, past, none] = ink.glyphs().tree;
    let level = |d: &Branch| (d.depth as usize).min(DEEPEST);
    let mut lines = Vec::new();
    for (i, d) in devices.iter().enumerate() {
        let later = &devices[i + 1..];
        // The vertical line continues if another device at level `at` follows before the tree returns to a higher
        // level.
        let goes_on = |at: usize| later.iter().take_while(|l| level(l) >= at).any(|l| level(l) == at);
        let stem: String = (0..level(d)).map(|at| if goes_on(at) { past } else { none }).collect();
        let branch = if goes_on(level(d)) { tee } else { end };
        let below = if goes_on(level(d)) { past } else { none };
        let has_child = later.first().is_some_and(|l| level(l) > level(d));
        let under = format!("{stem}{below}{}", if has_child { past } else { none });
        let mut lead = Line::new().with(format!("{stem}{branch}"), Paint::DIM);
        lead.push(format!("{}  ", ink.clipped(&d.name, 24)), Paint::BOLD);
        let room = columns.saturating_sub(lead.width()).max(12);
        for part in ink.wrap(&ink.translate(&d.text), room) {
            let mut line = std::mem::replace(&mut lead, Line::new().with(under.clone(), Paint::DIM));
            line.pad_to(columns - room);
            line.push(part, Paint::PLAIN);
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::widgets::page::render;
    use model::Bytes;

    fn dev(name: &str, kind: &str, depth: u32) -> DeviceFacts {
        DeviceFacts { name: name.into(), kind: kind.into(), depth, size: Bytes::from_gib(100), ..Default::default() }
    }

    #[test]
    fn a_mirror_over_two_disks_is_drawn_as_one() {
        let devices = [
            dev("dm-0", "dm", 0),
            dev("md0", "md", 1),
            dev("nvme0n1p1", "partition", 2),
            dev("nvme0n1", "nvme", 3),
            dev("nvme1n1", "nvme", 2),
        ];
        let text = render(&Style::default(), |p| p.lines(lines(&branches(&devices, Detail::Brief), p.ink, 100)));
        insta::assert_snapshot!(text, @r"
        └─ dm-0  dm, 100 GiB
           └─ md0  md, 100 GiB
              ├─ nvme0n1p1  partition, 100 GiB
              │  └─ nvme0n1  nvme, 100 GiB
              └─ nvme1n1  nvme, 100 GiB
        ");
    }

    #[test]
    fn a_stack_of_absurd_depth_stays_on_the_page() {
        let devices: Vec<_> = (0..40).map(|i| dev("loop0", "loop", u32::MAX - i)).collect();
        let ink = Ink::new(&Style::default());
        assert!(lines(&branches(&devices, Detail::Full), ink, 60).iter().all(|l| l.width() <= 60));
    }
}
