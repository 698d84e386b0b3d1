//! The storage under the target as a small tree: file system, then devices down to the disks.

use crate::ink::Ink;
use crate::page::{LABEL, Page};
use crate::text::{Line, Paint};
use model::{DeviceFacts, NamedTarget, Preflight, StorageFacts};
use std::io;

/// Deepest level that is still indented; beyond it the tree would walk off the page.
const DEEPEST: usize = 8;

/// How much of each device is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Kind, size, model, scheduler, cache.
    Brief,
    /// Also queue length, block sizes, largest request, numbers, serial.
    Full,
}

/// The storage with the names of the targets on it: of one target alone no name, of several those on one file system
/// together.
pub(crate) fn named<'a>(preflight: &'a Preflight, targets: &[NamedTarget]) -> Vec<(String, &'a StorageFacts)> {
    // Free space may have changed between two looks.
    let same = |a: &StorageFacts, b: &StorageFacts| (&a.mount_point, &a.devices) == (&b.mount_point, &b.devices);
    let mut all: Vec<(String, &StorageFacts)> = Vec::new();
    for (target, storage) in targets.iter().zip(&preflight.under_each) {
        match all.iter_mut().find(|(_, known)| same(known, storage)) {
            Some((names, _)) => names.push_str(&format!(", {}", target.name)),
            None => all.push((target.name.clone(), storage)),
        }
    }
    if all.is_empty() {
        all.push((String::new(), &preflight.storage));
    }
    all
}

/// What a line is of, before it: `A, B: `, or nothing.
pub(crate) fn of(names: &str) -> String {
    if names.is_empty() { String::new() } else { format!("{names}: ") }
}

/// File system and devices under every target.
pub(crate) fn write(page: &mut Page, under: &[(String, &StorageFacts)], detail: Detail) -> io::Result<()> {
    for (i, (names, storage)) in under.iter().enumerate() {
        let label = if i == 0 { "storage" } else { "" };
        page.labelled(label, Paint::DIM, &format!("{}{}", of(names), filesystem(storage)), Paint::PLAIN)?;
        for line in tree(&storage.devices, detail, page.ink, page.ink.width - LABEL) {
            page.labelled_line("", Paint::DIM, line)?;
        }
    }
    Ok(())
}

/// Devices alone, each with what it stands on.
pub(crate) fn write_devices(page: &mut Page, devices: &[DeviceFacts]) -> io::Result<()> {
    for (i, line) in tree(devices, Detail::Brief, page.ink, page.ink.width - LABEL).into_iter().enumerate() {
        page.labelled_line(if i == 0 { "devices" } else { "" }, Paint::DIM, line)?;
    }
    Ok(())
}

/// The file system in one line.
fn filesystem(s: &StorageFacts) -> String {
    if s.filesystem.is_empty() || s.filesystem == "none" {
        return "raw device, no file system".to_owned();
    }
    let mut text = format!("{} on {}", s.filesystem, s.mount_point);
    if !s.mount_options.is_empty() {
        text.push_str(&format!(" ({})", s.mount_options));
    }
    text.push_str(&format!(", {} free of {}", s.fs_free, s.fs_size));
    text
}

/// A device in a few words, the most telling first.
fn device(d: &DeviceFacts, detail: Detail, ink: Ink) -> String {
    let mut words = vec![d.kind.clone(), d.size.to_string()];
    let mut add = |present: bool, text: String| {
        if present {
            words.push(text);
        }
    };
    add(d.model.is_some(), d.model.clone().unwrap_or_default());
    add(d.backing.is_some(), format!("backed by {}", d.backing.as_deref().unwrap_or_default()));
    add(!d.write_cache.is_empty(), format!("cache {}", d.write_cache));
    add(d.health.is_some(), d.health.as_ref().map_or_else(String::new, model::DriveHealth::told));
    add(!d.scheduler.is_empty(), format!("scheduler {}", d.scheduler));
    if detail == Detail::Full {
        add(d.nr_requests > 0, format!("queue {}", d.nr_requests));
        add(d.max_request.0 > 0, format!("largest request {}", d.max_request));
        add(d.logical_block.0 > 0, format!("logical/physical block {}/{} B", d.logical_block.0, d.physical_block.0));
        add(d.rotational, "says it rotates".to_owned());
        add(d.discard, "can discard".to_owned());
        add(true, format!("{}:{}", d.dev.0, d.dev.1));
        add(d.serial.is_some(), format!("serial {}", d.serial.as_deref().unwrap_or_default()));
    }
    ink.text(&words.join(", "))
}

/// The device stack, top first, as lines of at most `columns`.
pub(crate) fn tree(devices: &[DeviceFacts], detail: Detail, ink: Ink, columns: usize) -> Vec<Line> {
    let [tee, end, past, none] = ink.glyphs().tree;
    let level = |d: &DeviceFacts| (d.depth as usize).min(DEEPEST);
    let mut lines = Vec::new();
    for (i, d) in devices.iter().enumerate() {
        let later = &devices[i + 1..];
        // Another device at `at` before the tree climbs above it: the line goes on.
        let goes_on = |at: usize| later.iter().take_while(|l| level(l) >= at).any(|l| level(l) == at);
        let stem: String = (0..level(d)).map(|at| if goes_on(at) { past } else { none }).collect();
        let branch = if goes_on(level(d)) { tee } else { end };
        let below = if goes_on(level(d)) { past } else { none };
        let has_child = later.first().is_some_and(|l| level(l) > level(d));
        let under = format!("{stem}{below}{}", if has_child { past } else { none });
        let mut lead = Line::new().with(format!("{stem}{branch}"), Paint::DIM);
        lead.push(format!("{}  ", ink.clipped(&d.name, 24)), Paint::BOLD);
        let room = columns.saturating_sub(lead.width()).max(12);
        for part in ink.wrap(&device(d, detail, ink), room) {
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
    use crate::page::render;
    use model::Bytes;

    fn dev(name: &str, kind: &str, depth: u32) -> DeviceFacts {
        DeviceFacts { name: name.into(), kind: kind.into(), depth, size: Bytes(100 << 30), ..Default::default() }
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
        let text = render(&Style::default(), |p| p.lines(tree(&devices, Detail::Brief, p.ink, 100)));
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
        assert!(tree(&devices, Detail::Full, ink, 60).iter().all(|l| l.width() <= 60));
    }
}
