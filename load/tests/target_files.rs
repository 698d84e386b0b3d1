//! Tests of directories and regular files as targets: files are created, reused, read or rejected, and nothing else
//! changes.

mod support;

use load::content::Content;
use load::target::{Action, Class, TargetRequest, inspect, inspect_joined, open};
use model::Bytes;
use std::fs::File;
use std::path::{Path, PathBuf};
use support::granules::verify;
use support::*;
use sys::files::FileExt;
use testkit::symlink;

/// Flag for opening a file without using the page cache, as shown in plans.
const PAST_THE_CACHE: &str = if cfg!(target_os = "linux") { "O_DIRECT" } else { "FILE_FLAG_NO_BUFFERING" };

/// Creates a test file of 4 MiB in which `filled` bytes are filled, as a killed run leaves it, and returns its path.
fn leftover(dir: &Dir, filled: u64) -> PathBuf {
    let (_, mut target) = inspect_open(&request(dir.path(), 4)).unwrap();
    fill(&mut target, filled);
    target.path().to_owned()
}

#[test]
fn a_new_test_file_is_made_filled_reused_and_removed_without_a_trace() {
    let dir = dir();
    let (inspection, mut target) = inspect_open(&request(dir.path(), 4)).unwrap();
    assert_eq!(inspection.action, Action::Create);
    assert_eq!((inspection.size, inspection.to_fill), (Bytes(4 * MIB), Bytes(4 * MIB)));
    assert_eq!(target.path(), inspection.path);
    assert!(inspection.opens.iter().any(|o| o.flags.contains(PAST_THE_CACHE)), "{:?}", inspection.opens);
    assert_eq!(dir.names().len(), 2, "{:?}", dir.names());
    assert_eq!(std::fs::metadata(target.path()).unwrap().len(), 4 * MIB);
    assert_eq!(unfilled(&target), 4 * MIB);
    fill(&mut target, u64::MAX);
    assert_eq!(unfilled(&target), 0);
    target.free_space_ok().unwrap();
    target.still_there().unwrap();
    let uuid = target.inspection().uuid;
    drop(target);

    let (inspection, target) = inspect_open(&request(dir.path(), 2)).unwrap();
    assert_eq!((inspection.action, inspection.uuid, inspection.to_fill), (Action::Reuse, uuid, Bytes(0)));
    assert_eq!(target.size(), Bytes(2 * MIB));
    let mut data = vec![0; 2 << 20];
    target.file(false, false).unwrap().read_exact_at(&mut data, 0).unwrap();
    verify(&data, 0, uuid.unwrap()).unwrap();
    target.remove().unwrap();
    assert!(dir.names().is_empty(), "{:?}", dir.names());
}

#[test]
fn inspecting_changes_nothing() {
    let dir = dir();
    std::fs::write(dir.join("mine"), b"precious").unwrap();
    let file = leftover(&dir, MIB);
    let before = (snapshot(&dir.join("mine")), snapshot(&file), dir.names());
    for request in [request(dir.path(), 4), request(dir.path(), 64), request(&file, 4), reading(dir.path())] {
        inspect(&request).unwrap();
    }
    inspect(&request(dir.join("mine"), 1)).unwrap_err();
    assert_eq!((snapshot(&dir.join("mine")), snapshot(&file), dir.names()), before);
}

#[test]
fn a_killed_fill_goes_on_where_the_sidecar_says() {
    let dir = dir();
    let file = leftover(&dir, MIB);
    // This part was written but not recorded in the sidecar, so it is filled again.
    let mut more = vec![0; 1 << 20];
    let uuid = inspect(&request(&file, 4)).unwrap().uuid.unwrap();
    let content = Content::new(uuid, 1);
    content.fill_pool(&mut more);
    content.stamp(&mut more, 2 * MIB, 1);
    File::options().write(true).open(&file).unwrap().write_all_at(&more, 2 * MIB).unwrap();
    let (inspection, mut target) = inspect_open(&request(dir.path(), 4)).unwrap();
    assert_eq!((inspection.action, inspection.to_fill), (Action::Reuse, Bytes(3 * MIB)));
    assert_eq!(unfilled(&target), 3 * MIB);
    fill(&mut target, u64::MAX);
    assert_eq!(unfilled(&target), 0);
    target.remove().unwrap();
    assert!(dir.names().is_empty());
}

#[test]
fn whatever_a_killed_creation_leaves_is_used_by_the_next() {
    let name = "secchi-00000000-0000-4000-8000-00000000abcd";
    let first = |uuid| {
        let mut block = vec![0; 4096];
        let content = Content::new(uuid, 0);
        content.fill_pool(&mut block);
        content.stamp(&mut block, 0, 0);
        block
    };
    let uuid = 0x0000_0000_0000_4000_8000_0000_0000_abcd;
    for content in [Vec::new(), first(uuid)] {
        let dir = dir();
        std::fs::write(dir.join(&format!("{name}.dat")), &content).unwrap();
        std::fs::write(dir.join(&format!("{name}.json.tmp")), b"{\"half\":").unwrap();
        let (inspection, target) = inspect_open(&request(dir.path(), 1)).unwrap();
        assert_eq!((inspection.action, inspection.uuid), (Action::Reuse, Some(uuid)));
        assert_eq!(unfilled(&target), MIB);
        target.remove().unwrap();
        assert!(dir.names().is_empty(), "{:?}", dir.names());
    }
    // Part of the space is reserved and nothing is filled: the run was killed during fallocate.
    let dir = dir();
    let file = leftover(&dir, 0);
    File::options().write(true).open(&file).unwrap().set_len(MIB).unwrap();
    let (inspection, target) = inspect_open(&request(dir.path(), 4)).unwrap();
    assert_eq!(inspection.action, Action::Reuse, "{:?}", inspection.notes);
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 4 * MIB);
    target.remove().unwrap();
    // The run was killed during removal: the data file is gone, but the sidecar still exists.
    let file = leftover(&dir, MIB);
    std::fs::remove_file(&file).unwrap();
    let (inspection, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    assert_eq!(inspection.action, Action::Create);
    target.remove().unwrap();
    assert!(dir.names().is_empty(), "{:?}", dir.names());
}

#[test]
fn a_users_file_is_refused_by_name_and_untouched() {
    let dir = dir();
    let file = dir.join("data.db");
    std::fs::write(&file, vec![7; 1 << 20]).unwrap();
    let before = snapshot(&file);
    let error = inspect(&request(&file, 1)).unwrap_err();
    assert_eq!(error.class(), Class::Refused);
    assert!(error.to_string().contains(file.to_str().unwrap()) && error.to_string().contains("--adopt"), "{error}");
    assert_eq!(inspect(&reading(&file)).unwrap_err().class(), Class::Refused);
    assert_eq!(inspect(&TargetRequest { adopt: true, ..request(&file, 1) }).unwrap_err().class(), Class::BadInput);
    // In a directory with such a file, secchi creates its own file next to it.
    let (_, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    target.remove().unwrap();
    assert_eq!(dir.names(), ["data.db"]);
    assert_eq!(snapshot(&file), before);
}

#[test]
fn an_adopted_file_is_read_and_never_extended_written_or_removed() {
    let dir = dir();
    let file = dir.join("data.db");
    std::fs::write(&file, vec![7; 1 << 20]).unwrap();
    File::options().write(true).open(&file).unwrap().sync_all().unwrap();
    let before = snapshot(&file);
    let adopt = TargetRequest { adopt: true, ..reading(&file) };
    let beyond = inspect(&TargetRequest { size: Some(Bytes(2 * MIB)), ..adopt.clone() }).unwrap_err();
    assert_eq!(beyond.class(), Class::BadInput);
    assert!(beyond.to_string().contains("secchi never extends it"), "{beyond}");
    let (inspection, mut target) = inspect_open(&adopt).unwrap();
    assert_eq!((inspection.action, inspection.uuid, inspection.to_fill), (Action::Adopt, None, Bytes(0)));
    let reads = |flags: &str| flags.starts_with("O_RDONLY") || flags.starts_with("GENERIC_READ ");
    assert!(inspection.opens.iter().all(|o| reads(&o.flags)), "{:?}", inspection.opens);
    assert_eq!(target.file(false, true).unwrap_err().class(), Class::Refused);
    assert_eq!(target.file(true, false).unwrap().metadata().unwrap().len(), MIB);
    assert!(target.unfilled().is_empty());
    assert_eq!(inspect(&adopt).unwrap_err().class(), Class::Refused, "a second run");
    target.mark_filled(0..MIB);
    target.save_sidecar().unwrap();
    target.remove().unwrap();
    assert_eq!((snapshot(&file), dir.names()), (before, vec!["data.db".to_owned()]));
}

#[test]
fn reading_what_was_never_written_is_refused() {
    if !maps() {
        return;
    }
    let dir = dir();
    for (name, reserve) in [("sparse", false), ("reserved", true)] {
        let path = dir.join(name);
        let file = File::create(&path).unwrap();
        file.set_len(4 * MIB).unwrap();
        if reserve && !sys::storage::allocate(&file, 4 * MIB).unwrap() {
            skip("no fallocate here");
            continue;
        }
        file.write_all_at(&vec![1; 1 << 20], 0).unwrap();
        let adopt = TargetRequest { adopt: true, ..reading(&path) };
        let error = inspect(&adopt).unwrap_err();
        assert_eq!(error.class(), Class::Refused);
        assert!(error.to_string().contains("3 MiB of 4 MiB were never written"), "{name}: {error}");
        assert!(error.to_string().contains("creates and fills a test file"), "{name}: {error}");
        inspect(&TargetRequest { size: Some(Bytes(MIB)), ..adopt }).unwrap();
    }
}

#[test]
fn what_the_file_system_does_not_call_written_is_filled_again() {
    let dir = dir();
    let file = leftover(&dir, u64::MAX);
    assert_eq!(inspect(&request(&file, 4)).unwrap().to_fill, Bytes(0));
    // Create the state that a trim by the load, or a crash, would leave.
    let punched = std::process::Command::new("fallocate")
        .args(["-p", "-o", "1048576", "-l", "65536"])
        .arg(&file)
        .status()
        .is_ok_and(|s| s.success());
    if !punched {
        skip("cannot punch holes here");
        return;
    }
    assert_eq!(inspect(&request(&file, 4)).unwrap().to_fill, Bytes(65536));
    // Write zeros over data that the sidecar lists. After that, no range in the sidecar is trusted.
    File::options().write(true).open(&file).unwrap().write_all_at(&[0; 4096], 0).unwrap();
    let inspection = inspect(&request(&file, 4)).unwrap();
    assert_eq!(inspection.to_fill, Bytes(4 * MIB));
    assert!(inspection.notes.iter().any(|n| n.contains("filled again")), "{:?}", inspection.notes);
}

/// Checks files that almost look like secchi's. Each is rejected if it is named, left unchanged, and skipped in a
/// directory.
#[test]
fn what_is_not_proven_ours_is_a_users_file() {
    type Spoil = fn(&Path, &Path);
    let cases: [(&str, &str, Spoil); 12] = [
        ("no sidecar", "has no sidecar", |_, side| std::fs::remove_file(side).unwrap()),
        ("scrawl", "cannot be read", |_, side| std::fs::write(side, b"{\"a\":1}").unwrap()),
        ("huge sidecar", "1 MiB", |_, side| std::fs::write(side, vec![b' '; 2 << 20]).unwrap()),
        ("another version", "version 9", |_, side| {
            let text = std::fs::read_to_string(side).unwrap().replace("\"version\":1", "\"version\":9");
            std::fs::write(side, text).unwrap();
        }),
        ("another uuid", "another UUID", |_, side| {
            let text = std::fs::read_to_string(side).unwrap();
            let at = text.find("\"uuid\":\"").unwrap() + 8;
            std::fs::write(side, format!("{}00000000{}", &text[..at], &text[at + 8..])).unwrap();
        }),
        ("another size", "according to its sidecar", |data, _| {
            File::options().write(true).open(data).unwrap().set_len(5 * MIB).unwrap();
        }),
        ("foreign data", "contains other data", |data, _| {
            File::options().write(true).open(data).unwrap().write_all_at(&[9; 4096], 0).unwrap();
        }),
        ("foreign data beside what is filled", "contains other data", |data, _| {
            File::options().write(true).open(data).unwrap().write_all_at(&[9; 4096], 3 * MIB).unwrap();
        }),
        ("header of another file", "belongs to another test file", |data, _| {
            let mut block = [0; 4096];
            let other = Content::new(1, 1);
            other.fill_pool(&mut block);
            other.stamp(&mut block, 0, 1);
            File::options().write(true).open(data).unwrap().write_all_at(&block, 0).unwrap();
        }),
        ("hard link", "2 names", |data, _| std::fs::hard_link(data, data.with_extension("other")).unwrap()),
        ("sidecar is a link", "symbolic link", |_, side| {
            let kept = side.with_extension("kept");
            std::fs::rename(side, &kept).unwrap();
            symlink(kept, side).unwrap();
        }),
        ("sidecar has two names", "not a regular file", |_, side| {
            std::fs::hard_link(side, side.with_extension("other")).unwrap();
        }),
    ];
    let (links, maps) = (links(), maps());
    let is_possible = |what: &str| match what {
        "sidecar is a link" => links,
        "foreign data beside what is filled" => maps,
        _ => true,
    };
    for (what, expected, spoil) in cases.into_iter().filter(|(what, ..)| is_possible(what)) {
        let dir = dir();
        let data = leftover(&dir, MIB);
        let side = data.with_extension("json");
        spoil(&data, &side);
        let before = (snapshot(&data), dir.names());
        let error = inspect(&request(&data, 4)).unwrap_err();
        assert_eq!(error.class(), Class::Refused, "{what}: {error}");
        assert!(error.to_string().contains(expected), "{what}: {error}");
        let (inspection, target) = inspect_open(&request(dir.path(), 4)).unwrap();
        assert_eq!(inspection.action, Action::Create, "{what}");
        assert!(inspection.notes.iter().any(|n| n.contains("it is not used")), "{what}: {:?}", inspection.notes);
        target.remove().unwrap();
        assert_eq!((snapshot(&data), dir.names()), before, "{what}");
    }
}

#[test]
fn names_like_ours_that_are_links_or_directories_are_not_followed() {
    if !links() {
        return;
    }
    let dir = dir();
    let victim = dir.join("victim");
    std::fs::write(&victim, vec![7; 1 << 20]).unwrap();
    let before = snapshot(&victim);
    let name = |n: u32| dir.join(&format!("secchi-00000000-0000-4000-8000-{n:012}.dat"));
    symlink(&victim, name(1)).unwrap();
    symlink("nowhere", name(2)).unwrap();
    std::fs::create_dir(name(3)).unwrap();
    let (inspection, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    assert_eq!(inspection.action, Action::Create);
    target.remove().unwrap();
    assert_eq!(inspect(&request(name(1), 1)).unwrap_err().class(), Class::Refused);
    assert_eq!((snapshot(&victim), dir.names().len()), (before, 4));
}

/// Opens a file and returns a path that refers to the file by its descriptor number, on systems with such paths.
#[cfg(target_os = "linux")]
fn numbered(path: &Path) -> Option<(File, PathBuf)> {
    use std::os::fd::AsRawFd;
    let file = File::open(path).unwrap();
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Some((file, path))
}

#[cfg(windows)]
fn numbered(_path: &Path) -> Option<(File, PathBuf)> {
    None
}

#[test]
fn no_link_of_any_kind_leads_a_write_anywhere() {
    if !links() {
        return;
    }
    let dir = dir();
    std::fs::create_dir(dir.join("real")).unwrap();
    let victim = dir.join("real/victim");
    std::fs::write(&victim, vec![7; 1 << 20]).unwrap();
    let ours = {
        let (_, mut target) = inspect_open(&request(dir.join("real"), 1)).unwrap();
        fill(&mut target, u64::MAX);
        target.path().to_owned()
    };
    symlink(&victim, dir.join("filelink")).unwrap();
    symlink("real", dir.join("dirlink")).unwrap();
    symlink(&ours, dir.join("ourlink")).unwrap();
    let [held, folder] = [victim.clone(), dir.join("real")].map(|path| numbered(&path));
    let before = (snapshot(&victim), snapshot(&ours), names(&dir.join("real")));
    let named = [
        dir.join("filelink"),
        dir.join("dirlink"),
        dir.join("dirlink/victim"),
        dir.join("dirlink/../dirlink"),
        dir.join("ourlink"),
        dir.join("dirlink").join(ours.file_name().unwrap()),
    ];
    let numbered = [
        held.as_ref().map(|(_, path)| path.clone()),
        folder.as_ref().map(|(_, path)| path.clone()),
        folder.as_ref().map(|(_, path)| path.join("victim")),
        folder.as_ref().map(|_| PathBuf::from("/proc/self/cwd")),
    ];
    for path in named.iter().chain(numbered.iter().flatten()) {
        let error = inspect(&request(path, 1)).unwrap_err();
        assert_eq!(error.class(), Class::Refused, "{}: {error}", path.display());
        assert!(error.to_string().contains("resolves to"), "{}: {error}", path.display());
    }
    // A path for reading may contain a link, which is noted. The path of a directory in which a file is created may not
    // contain one, even if the load only reads.
    let through = inspect(&TargetRequest { adopt: true, ..reading(dir.join("filelink")) }).unwrap();
    assert_eq!(through.path, victim);
    assert!(through.notes.iter().any(|n| n.contains("symbolic link")), "{:?}", through.notes);
    let made = inspect(&TargetRequest { size: Some(Bytes(MIB)), ..reading(dir.join("dirlink")) });
    assert_eq!(made.unwrap_err().class(), Class::Refused);
    assert_eq!((snapshot(&victim), snapshot(&ours), names(&dir.join("real"))), before);
}

#[test]
fn a_bind_mount_makes_no_users_file_ours() {
    let dir = dir();
    let victim = dir.join("victim");
    std::fs::write(&victim, vec![7; 1 << 20]).unwrap();
    let before = snapshot(&victim);
    let ours = leftover(&dir, MIB);
    let Some(_bind) = Mount::new(&["--bind", victim.to_str().unwrap()], &ours) else { return };
    let error = inspect(&request(&ours, 1)).unwrap_err();
    assert_eq!(error.class(), Class::Refused, "{error}");
    let (inspection, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    assert_eq!(inspection.action, Action::Create, "{:?}", inspection.notes);
    target.remove().unwrap();
    assert_eq!(snapshot(&victim), before);
}

#[test]
fn two_runs_on_one_file_are_refused_unless_they_share() {
    let dir = dir();
    let file = leftover(&dir, u64::MAX);
    let seen_before = inspect(&request(&file, 4)).unwrap();
    let (_, first) = inspect_open(&request(&file, 4)).unwrap();
    for error in [inspect(&request(&file, 4)).unwrap_err(), open(seen_before).unwrap_err()] {
        assert_eq!(error.class(), Class::Refused);
        // Windows does not report which process holds a lock.
        let who = if cfg!(target_os = "linux") {
            format!("process {}", std::process::id())
        } else {
            "another run".to_owned()
        };
        assert!(error.to_string().contains(&who), "{error}");
    }
    let (beside, other) = inspect_open(&request(dir.path(), 4)).unwrap();
    assert_eq!(beside.action, Action::Create, "in a directory, another file is made");
    assert!(beside.notes.iter().any(|n| n.contains("disturb")), "{:?}", beside.notes);
    other.remove().unwrap();
    drop(first);

    let share = TargetRequest { share: true, ..request(&file, 4) };
    let (_, a) = inspect_open(&share).unwrap();
    let (_, b) = inspect_open(&share).unwrap();
    assert_eq!(inspect(&request(&file, 4)).unwrap_err().class(), Class::Refused, "who does not share is kept out");
    drop((a, b));
    inspect_open(&request(&file, 4)).unwrap().1.remove().unwrap();
    assert!(dir.names().is_empty(), "{:?}", dir.names());
}

#[test]
fn what_changes_between_looking_and_opening_is_noticed() {
    let dir = dir();
    std::fs::create_dir(dir.join("a")).unwrap();
    let inspection = inspect(&request(dir.join("a"), 1)).unwrap();
    std::fs::rename(dir.join("a"), dir.join("b")).unwrap();
    std::fs::create_dir(dir.join("a")).unwrap();
    let error = open(inspection).unwrap_err();
    assert_eq!(error.class(), Class::Refused, "{error}");
    let inspection = inspect(&request(dir.join("a"), 1)).unwrap();
    std::fs::remove_dir(dir.join("a")).unwrap();
    if links() {
        symlink("b", dir.join("a")).unwrap();
        assert_eq!(open(inspection).unwrap_err().class(), Class::Refused);
    }
    assert!(names(&dir.join("b")).is_empty());
}

#[test]
fn a_file_exchanged_during_the_run_is_neither_opened_nor_removed() {
    let dir = dir();
    let (_, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    let path = target.path().to_owned();
    std::fs::rename(&path, dir.join("moved")).unwrap();
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    let before = snapshot(&path);
    assert_eq!(target.file(true, true).unwrap_err().class(), Class::Refused);
    assert_eq!(target.remove().unwrap_err().class(), Class::Refused);
    assert_eq!(snapshot(&path), before);
}

#[test]
fn a_file_that_was_overwritten_by_somebody_is_not_removed() {
    let dir = dir();
    let (_, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    let path = target.path().to_owned();
    File::options().write(true).open(&path).unwrap().write_all_at(&[9; 8192], 0).unwrap();
    let error = target.remove().unwrap_err();
    assert!(error.to_string().contains("no longer contains secchi's data"), "{error}");
    assert!(path.exists());
}

#[test]
fn a_file_removed_or_cut_during_the_run_is_no_trouble() {
    let dir = dir();
    let (_, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    File::options().write(true).open(target.path()).unwrap().set_len(4096).unwrap();
    let error = target.still_there().unwrap_err();
    assert_eq!(error.class(), Class::Lost, "{error}");
    std::fs::remove_file(target.path()).unwrap();
    target.remove().unwrap();
    assert!(dir.names().is_empty());
}

#[test]
fn the_file_of_an_attached_loop_device_is_not_used_even_if_ours() {
    let dir = dir();
    let file = leftover(&dir, u64::MAX);
    let Some(device) = Loop::on(&file, &["-r"]) else { return };
    let error = inspect(&request(&file, 4)).unwrap_err();
    assert_eq!(error.class(), Class::Refused);
    assert!(error.to_string().contains(&format!("backing file of {}", device.name())), "{error}");
    drop(device);
    inspect_open(&request(&file, 4)).unwrap().1.remove().unwrap();
}

#[test]
fn sizes_are_cut_to_whole_blocks_and_large_fills_need_a_yes() {
    let dir = dir();
    let odd = TargetRequest { size: Some(Bytes(MIB + 1000)), ..request(dir.path(), 1) };
    let inspection = inspect(&odd).unwrap();
    assert_eq!(inspection.size, Bytes(MIB));
    assert!(inspection.notes.iter().any(|n| n.contains("whole blocks")), "{:?}", inspection.notes);
    let none = inspect(&TargetRequest { size: None, ..odd }).unwrap_err();
    assert_eq!(none.class(), Class::BadInput, "{none}");
    let error = inspect(&request(dir.path(), 1 << 40)).unwrap_err();
    assert_eq!(error.class(), Class::Refused);
    assert!(dir.names().is_empty());
}

#[test]
fn a_nearly_full_file_system_is_refused_with_the_figures_before_anything_is_made() {
    let dir = dir();
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=64M", "tmpfs"], &dir.path()) else { return };
    let error = inspect(&request(dir.path(), 62)).unwrap_err();
    assert_eq!(error.class(), Class::Refused);
    assert!(error.to_string().contains("62 MiB of test data"), "{error}");
    assert!(error.to_string().contains("64 MiB are free on tmpfs, and 3.20 MiB of them must stay free"), "{error}");
    assert!(dir.names().is_empty());
}

#[test]
fn a_small_disk_and_a_read_only_one_are_refused() {
    let dir = dir();
    image(&dir.join("image"), 32);
    std::fs::create_dir(dir.join("mnt")).unwrap();
    if !mkfs(&dir.join("image")) {
        return;
    }
    let Some(device) = Loop::on(&dir.join("image"), &[]) else { return };
    {
        let Some(_mount) = Mount::device(&device.dev, &dir.join("mnt"), "rw") else { return };
        let error = inspect(&request(dir.join("mnt"), 22)).unwrap_err();
        assert_eq!(error.class(), Class::Refused);
        assert!(error.to_string().contains("1.26 MiB of them must stay free"), "{error}");
        assert_eq!(names(&dir.join("mnt")), ["lost+found"]);
    }
    let Some(_mount) = Mount::device(&device.dev, &dir.join("mnt"), "ro") else { return };
    let error = inspect(&request(dir.join("mnt"), 1)).unwrap_err();
    assert_eq!(error.class(), Class::Cannot);
    assert!(error.to_string().contains("mounted read-only"), "{error}");
}

#[test]
fn space_that_vanishes_while_filling_is_noticed() {
    let dir = dir();
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=12M", "tmpfs"], &dir.path()) else { return };
    let request = TargetRequest { direct: false, ..request(dir.path(), 4) };
    let (_, target) = match inspect_open(&request) {
        Ok(opened) => opened,
        Err(error) => return skip(&format!("too little memory: {error}")),
    };
    target.free_space_ok().unwrap();
    // Another process uses up the remaining space.
    let mut others = File::create(dir.join("others")).unwrap();
    while std::io::Write::write_all(&mut others, &[1; 4096]).is_ok() {}
    let error = target.free_space_ok().unwrap_err();
    assert_eq!(error.class(), Class::Cannot, "{error}");
    assert!(error.to_string().contains("No space left on device: 0 B are free on tmpfs"), "{error}");
    target.remove().unwrap();
    assert_eq!(dir.names(), ["others"]);
}

#[test]
fn memory_file_systems_work_and_say_so() {
    let dir = dir();
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "-o", "size=2G", "tmpfs"], &dir.path()) else { return };
    let request = TargetRequest { direct: false, ..request(dir.path(), 4) };
    let (inspection, mut target) = match inspect_open(&request) {
        Ok(opened) => opened,
        Err(error) => return skip(&format!("too little memory: {error}")),
    };
    assert_eq!(inspection.filesystem, "tmpfs");
    assert!(inspection.notes.iter().any(|n| n.contains("memory")), "{:?}", inspection.notes);
    fill(&mut target, 3 * MIB);
    drop(target);
    // FIEMAP is not available here: the sidecar is trusted for ranges in which the samples have secchi's headers.
    let (inspection, target) = inspect_open(&request).unwrap();
    assert_eq!((inspection.action, inspection.to_fill), (Action::Reuse, Bytes(MIB)));
    target.remove().unwrap();
    let sparse = dir.join("sparse");
    File::create(&sparse).unwrap().set_len(MIB).unwrap();
    let error = inspect(&TargetRequest { adopt: true, ..reading(&sparse) }).unwrap_err();
    assert!(error.to_string().contains("never written"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_path_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let dir = dir();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"\xFFodd\n"));
    std::fs::create_dir(&odd).unwrap();
    let (_, mut target) = inspect_open(&request(&odd, 1)).unwrap();
    fill(&mut target, u64::MAX);
    target.file(true, true).unwrap();
    target.remove().unwrap();
    assert!(names(&odd).is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn relative_paths_mean_the_same() {
    let dir = dir();
    let cwd = std::env::current_dir().unwrap().canonicalize().unwrap();
    let ups = cwd.components().count() - 1;
    let relative: PathBuf =
        std::iter::repeat_n("..", ups).collect::<PathBuf>().join(dir.path().strip_prefix("/").unwrap());
    let (inspection, target) = inspect_open(&request(relative, 1)).unwrap();
    assert_eq!(inspection.path.parent().unwrap(), dir.path());
    target.remove().unwrap();
}

/// Body of the process that the next test kills. Does nothing when it is run as an ordinary test.
#[test]
fn child_that_makes_fills_and_removes_until_it_is_killed() {
    let Some(path) = std::env::var_os("SECCHI_TEST_KILL_DIR") else { return };
    loop {
        let (_, mut target) = inspect_open(&request(&path, 2)).unwrap();
        fill(&mut target, MIB);
        fill(&mut target, u64::MAX);
        target.remove().unwrap();
    }
}

#[test]
fn killed_at_any_moment_it_leaves_nothing_the_next_run_does_not_use_or_remove() {
    let dir = dir();
    std::fs::write(dir.join("mine"), b"precious").unwrap();
    let before = snapshot(&dir.join("mine"));
    for round in 0..40u64 {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_makes_fills_and_removes_until_it_is_killed"])
            .env("SECCHI_TEST_KILL_DIR", dir.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut child = Child(child);
        // The process is killed at a random moment; any moment is valid.
        std::thread::sleep(std::time::Duration::from_micros(8_000 + round * 1_777 % 40_000));
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        drop(child);
        let (inspection, target) = inspect_open(&request(dir.path(), 2)).unwrap();
        assert!(inspection.notes.iter().all(|n| !n.contains("it is not used")), "{round}: {:?}", inspection.notes);
        target.remove().unwrap();
        assert_eq!(dir.names(), ["mine"], "{round}");
    }
    assert_eq!(snapshot(&dir.join("mine")), before);
}

#[test]
fn a_creation_that_fails_half_way_leaves_nothing() {
    let dir = dir();
    let inspection = inspect(&request(dir.path(), 1)).unwrap();
    let in_the_way = inspection.path.with_extension("json");
    std::fs::create_dir(&in_the_way).unwrap();
    let error = open(inspection).unwrap_err();
    assert_eq!(error.class(), Class::Cannot, "{error}");
    assert!(error.to_string().contains("create the sidecar"), "{error}");
    std::fs::remove_dir(&in_the_way).unwrap();
    assert!(dir.names().is_empty(), "{:?}", dir.names());
}

#[test]
fn a_file_asked_to_be_kept_stays_so_until_the_user_says_otherwise() {
    let dir = dir();
    let keep = TargetRequest { keep: true, ..request(dir.path(), 1) };
    let (_, target) = inspect_open(&keep).unwrap();
    assert!(target.keeps());
    drop(target);
    let (inspection, mut target) = inspect_open(&request(dir.path(), 1)).unwrap();
    assert_eq!(inspection.action, Action::Reuse);
    assert!(target.keeps());
    target.set_keep(false);
    target.save_sidecar().unwrap();
    drop(target);
    let (_, target) = inspect_open(&request(dir.path(), 1)).unwrap();
    assert!(!target.keeps());
    target.remove().unwrap();
}

/// One rank creates a file and another joins. Both may write it, but a rank of another run may not. Only the first rank
/// removes it.
#[test]
fn another_rank_joins_in_a_test_file_and_leaves_making_and_removing_to_the_first() {
    let dir = dir();
    let asked = request(dir.path(), 4);
    let inspection = inspect(&asked).unwrap();
    let name = inspection.path.file_name().unwrap().to_owned();
    let joined = inspect_joined(&asked, &name).unwrap();
    assert_eq!((joined.action, joined.to_fill, joined.uuid), (Action::Join, Bytes(0), inspection.uuid));
    assert!(dir.names().is_empty(), "nothing was made: {:?}", dir.names());
    let unseen = open(joined.clone()).unwrap_err();
    assert_eq!(unseen.class(), Class::Refused);
    assert!(unseen.to_string().contains("this host does not see it"), "{unseen}");

    let first = open(inspection).unwrap();
    assert_eq!(open(joined.clone()).unwrap_err().class(), Class::Refused, "it is held until others are let in");
    first.admit().unwrap();
    let second = open(joined).unwrap();
    assert!(second.unfilled().is_empty() && !second.keeps());
    second.file(true, true).unwrap();
    let third = inspect(&asked).unwrap();
    assert_eq!(third.action, Action::Create, "another run leaves it alone: {:?}", third.notes);
    second.remove().unwrap();
    assert_eq!(dir.names().len(), 2, "{:?}", dir.names());
    first.still_there().unwrap();
    first.remove().unwrap();
    assert!(dir.names().is_empty(), "{:?}", dir.names());

    // A user's file is not a test file, even with such a name.
    std::fs::write(dir.join(name.to_str().unwrap()), b"precious").unwrap();
    let joined = inspect_joined(&asked, &name).unwrap();
    assert_eq!(open(joined).unwrap_err().class(), Class::Refused);
    assert_eq!(inspect_joined(&asked, "mine.dat".as_ref()).unwrap_err().class(), Class::BadInput);
    assert_eq!(std::fs::read(dir.join(name.to_str().unwrap())).unwrap(), b"precious");
}
