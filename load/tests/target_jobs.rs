//! Tests of the files that fio-style jobs use: files are created or rejected, and other users' files are never changed
//! (docs/design/safety.md, "Files of jobs"; docs/design/bad-input.md, "The forty rows", rows 21, 22, 38).

mod support;

use load::target::{Class, FileAction, FileRequest, JobFiles, JobsInspection, JobsRequest, TargetError, present_size};
use model::plan::{
    Access, Closing, ErrorPolicy, JobTuning, Mix, OpeningRule, Reserve, StopRule, SyncMode, TargetKind, Workload,
};
use model::{Bytes, Job, Nanos, Stage};
use std::fs::File;
use std::path::{Path, PathBuf};
use support::granules::verify;
use support::{Dir, Loop, MIB, Mount, dir, image, made, mkfs, names, skip, snapshot};
use sys::files::{FileExt, MetadataExt};
use testkit::symlink;

/// Returns a request for a file that is neither read nor written yet.
fn file(path: impl Into<PathBuf>, mib: u64) -> FileRequest {
    FileRequest { size: Some(Bytes(mib * MIB)), stages: vec![0], ..FileRequest::new(path) }
}

fn reader(path: impl Into<PathBuf>, mib: u64) -> FileRequest {
    FileRequest { reads: true, ..file(path, mib) }
}

fn writer(path: impl Into<PathBuf>, mib: u64) -> FileRequest {
    FileRequest { writes: true, ..file(path, mib) }
}

fn asked(files: Vec<FileRequest>) -> JobsRequest {
    JobsRequest::new(files, made())
}

fn inspect(files: Vec<FileRequest>) -> Result<JobsInspection, TargetError> {
    JobFiles::inspect(&asked(files))
}

fn refused(files: Vec<FileRequest>, expected: &str) -> TargetError {
    let error = inspect(files).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    error
}

/// Inspects, takes and lays out these files.
fn ready(files: Vec<FileRequest>) -> (JobFiles, u64) {
    let mut files = JobFiles::take(inspect(files).unwrap()).unwrap();
    let written = files.lay_out(&mut |_, _| true).unwrap();
    (files, written)
}

fn job(inspected: &JobsInspection, path: &Path, mix: Mix, direct: bool, tuning: JobTuning) -> Job {
    let job_file = inspected.find(path).unwrap();
    Job {
        name: "j".into(),
        workload: Workload::new(mix, Bytes(4096), Access::Sequential),
        target: job_file.target(Bytes(0), job_file.size, direct),
        more: Vec::new(),
        engine: "psync".into(),
        queue_depth: 1,
        threads: 1,
        stop: StopRule { ramp: Nanos(0), time: Nanos(1), steady_after: None, max_ops: None },
        on_error: ErrorPolicy::Stop,
        seed: 1,
        faults: None,
        tuning,
    }
}

fn action(files: Vec<FileRequest>) -> FileAction {
    inspect(files).unwrap().files[0].action
}

/// Returns the directories in which runs are tested: one on disk, and one in memory if that file system supports marks.
fn places() -> Vec<Dir> {
    vec![dir(), support::memory_dir()]
}

/// Returns `true` if files in a directory can be marked.
fn marks(dir: &Dir) -> bool {
    let file = File::create(dir.join("probe")).unwrap();
    let can = sys::files::write_attribute(&file, "user.probe", b"x").unwrap();
    std::fs::remove_file(dir.join("probe")).unwrap();
    if !can {
        skip("no extended attributes here");
    }
    can
}

#[test]
fn row_21_a_missing_directory_is_an_error_and_is_not_made() {
    let dir = dir();
    for request in [reader(dir.join("none/file"), 1), writer(dir.join("none/deeper/file"), 1)] {
        let error = refused(vec![request], "does not exist");
        assert!(
            error.to_string().contains(&format!("{}none", std::path::MAIN_SEPARATOR))
                && error.to_string().contains("directory"),
            "{error}"
        );
        assert_eq!(error.class(), Class::BadInput);
    }
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn row_22_a_directory_is_no_file_and_neither_is_a_pipe_or_a_character_device() {
    let dir = dir();
    std::fs::create_dir(dir.join("d")).unwrap();
    for make in [reader, writer] {
        let error = refused(vec![make(dir.join("d"), 1)], "is a directory");
        assert_eq!(error.class(), Class::BadInput);
        refused(vec![make(dir.join("new/"), 1)], "not a file");
        #[cfg(target_os = "linux")]
        for device in ["/dev/random", "/dev/tty"] {
            refused(vec![make(device.into(), 1)], "character device");
        }
        // Names that would have another meaning, or that are not file names.
        #[cfg(windows)]
        for (name, reason) in [
            ("nul", "reserved device name"),
            ("com1.txt", "reserved device name"),
            ("mine:stream", "alternate data stream"),
            ("mine::$DATA", "alternate data stream"),
            ("mine.", "dot or a space"),
            ("mine ", "dot or a space"),
        ] {
            let within = PathBuf::from(format!(r"{}\{name}", dir.path().display()));
            assert_eq!(refused(vec![make(within, 1)], reason).class(), Class::BadInput, "{name}");
        }
    }
    assert_eq!(dir.names(), ["d"]);
    #[cfg(target_os = "linux")]
    {
        let made = std::process::Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap();
        assert!(made.success());
        refused(vec![reader(dir.join("pipe"), 1)], "is a pipe");
        assert_eq!(dir.names(), ["d", "pipe"]);
    }
}

#[test]
fn row_38_a_job_name_never_leads_out_of_its_directory() {
    let dir = dir();
    std::fs::create_dir(dir.join("d")).unwrap();
    let within = Some(dir.join("d"));
    for name in ["../../x.0.0", "../x.0.0", "/x.0.0", "a/../../x.0.0", ""] {
        let request = FileRequest { within: within.clone(), ..writer(dir.join("d").join(name), 1) };
        assert_eq!(refused(vec![request], "a path outside of").class(), Class::Refused, "{name}");
    }
    let inside = FileRequest { within, ..writer(dir.join("d/x.0.0"), 1) };
    assert_eq!(action(vec![inside]), FileAction::Make);
    assert_eq!((dir.names(), names(&dir.join("d"))), (vec!["d".to_owned()], vec![]));
}

#[test]
fn an_existing_file_is_written_only_with_consent_and_never_beyond_its_end() {
    for dir in places() {
        let path = dir.join("mine");
        image(&path, 2);
        let before = snapshot(&path);
        let error = refused(vec![writer(&path, 1)], "secchi did not create it");
        assert_eq!(error.class(), Class::Refused);
        assert!(
            error.to_string().contains("overwrite=1") && error.to_string().contains("--allow-overwrite"),
            "{error}"
        );
        let allowed = FileRequest { overwrite: true, ..writer(&path, 1) };
        // The consent of one job does not apply to another.
        refused(vec![allowed.clone(), writer(&path, 1)], "secchi did not create it");
        let longer = FileRequest { size: Some(Bytes(3 * MIB)), ..allowed.clone() };
        let error = refused(vec![longer], "never extends such a file").to_string();
        assert!(error.contains("2 MiB") && error.contains("3 MiB"), "{error}");
        refused(vec![FileRequest { grows: true, ..allowed.clone() }], "never extends such a file");
        let request = JobsRequest { allow_overwrite: true, ..asked(vec![writer(&path, 2)]) };
        for request in [request, asked(vec![allowed.clone()])] {
            let inspection = JobFiles::inspect(&request).unwrap();
            assert_eq!((inspection.files[0].action, inspection.files[0].uuid), (FileAction::Overwrite, None));
            assert!(inspection.notes.iter().any(|n| n.contains("overwritten, as allowed")));
            assert!(inspection.layout[0].exists && !inspection.layout[0].write);
            let mut files = JobFiles::take(inspection).unwrap();
            assert_eq!(files.lay_out(&mut |_, _| true), Ok(0));
        }
        assert_eq!(snapshot(&path), before);
        // A file overwritten with consent does not become secchi's, and unlink does not remove it.
        let inspection = inspect(vec![allowed]).unwrap();
        let unlink = JobTuning { closing: Closing { unlink: true, ..Closing::default() }, ..JobTuning::default() };
        let job = job(&inspection, &path, Mix::WRITE, false, unlink);
        let mut files = JobFiles::take(inspection).unwrap();
        files.lay_out(&mut |_, _| true).unwrap();
        let opened = files.open(&job).unwrap();
        opened[0].write_all_at(b"load", 0).unwrap();
        files.close(&job, &opened).unwrap();
        assert!(files.take_notes().iter().any(|n| n.contains("is not removed")));
        drop(files);
        assert!(path.exists());
        refused(vec![writer(&path, 1)], "secchi did not create it");
    }
}

#[test]
fn reading_never_makes_a_file_longer_and_never_changes_it() {
    for dir in places() {
        let path = dir.join("mine");
        image(&path, 1);
        let before = snapshot(&path);
        let error = refused(vec![reader(&path, 4)], "never extends a file").to_string();
        assert!(error.contains("1 MiB") && error.contains("4 MiB") && error.contains("does not exist"), "{error}");
        let whole = FileRequest { size: None, ..reader(&path, 1) };
        let inspection = inspect(vec![whole]).unwrap();
        assert_eq!((inspection.files[0].action, inspection.files[0].size), (FileAction::Read, Bytes(MIB)));
        let tuning = JobTuning {
            sync: SyncMode::Full,
            opening: OpeningRule {
                invalidate: true,
                advise: true,
                pre_read: false,
                no_atime: true,
                life: Some(model::plan::WriteLife::Short),
                commands: false,
            },
            closing: Closing { flush: true, flush_on_close: true, unlink: true, ..Closing::default() },
            ..JobTuning::default()
        };
        let job = job(&inspection, &path, Mix::READ, false, tuning);
        let mut files = JobFiles::take(inspection).unwrap();
        assert_eq!(files.lay_out(&mut |_, _| true), Ok(0));
        let opened = files.open(&job).unwrap();
        assert!(opened[0].write_at(b"x", 0).is_err(), "it is open for reading only");
        files.close(&job, &opened).unwrap();
        files.present().unwrap();
        drop(files);
        assert_eq!(snapshot(&path), before);
        assert_eq!(dir.names(), ["mine"]);
    }
}

#[test]
fn a_missing_file_that_is_read_is_made_whole_with_data_that_does_not_compress() {
    for dir in places() {
        for (name, size, direct) in [("a", 5 * MIB, true), ("b", 3 * MIB + 1000, false), ("c", 300, false)] {
            let path = dir.join(name);
            let request = FileRequest { size: Some(Bytes(size)), direct, durable: true, ..reader(&path, 1) };
            let inspection = inspect(vec![request.clone()]).unwrap();
            let layout = &inspection.layout[0];
            assert_eq!((inspection.to_write, layout.size), (Bytes(size), Bytes(size)));
            assert!(layout.write && layout.durable && !layout.exists);
            assert!(!path.exists(), "inspecting makes nothing");
            let uuid = inspection.files[0].uuid;
            let mut files = JobFiles::take(inspection).unwrap();
            let mut steps = Vec::new();
            let written = files.lay_out(&mut |done, total| {
                steps.push((done, total));
                true
            });
            assert_eq!(written, Ok(size));
            assert!(steps.windows(2).all(|w| w[0].0 <= w[1].0) && steps.iter().all(|t| t.1 == size && t.0 <= size));
            let data = std::fs::read(&path).unwrap();
            assert_eq!(data.len() as u64, size);
            let whole = data.len() / 4096 * 4096;
            verify(&data[..whole], 0, uuid.unwrap()).unwrap();
            #[cfg(target_os = "linux")]
            assert_eq!(sys::files::metadata(&path).unwrap().mode() & 0o777, 0o600);
            drop(files);
            if marks(&dir) {
                assert_eq!(action(vec![request]), FileAction::Reuse);
                assert_eq!(ready(vec![writer(&path, 1)]).1, 0);
            }
        }
    }
}

#[test]
fn room_is_reserved_as_asked() {
    let dir = dir();
    for (name, reserve, length, allocated) in [
        ("none", Reserve::None, 0, false),
        ("whole", Reserve::Allocate, 4 * MIB, true),
        ("keep", Reserve::AllocateKeepSize, 0, true),
        ("truncate", Reserve::Truncate, 4 * MIB, false),
    ] {
        let path = dir.join(name);
        let (files, written) = ready(vec![FileRequest { reserve, ..writer(&path, 4) }]);
        let meta = sys::files::metadata(&path).unwrap();
        if !cfg!(target_os = "linux") && allocated && meta.blocks() * 512 < 4 * MIB {
            skip("room that was reserved is not told here (wine)");
            continue;
        }
        assert_eq!((written, meta.len(), meta.blocks() * 512 >= 4 * MIB), (0, length, allocated), "{name}");
        files.present().unwrap();
        // A file that is read needs written data, even if secchi has already reserved its space.
        drop(files);
        if marks(&dir) {
            let inspection = inspect(vec![reader(&path, 4)]).unwrap();
            assert_eq!((inspection.files[0].action, inspection.to_write), (FileAction::Complete, Bytes(4 * MIB)));
            assert_eq!(ready(vec![reader(&path, 4)]).1, 4 * MIB);
            let data = std::fs::read(&path).unwrap();
            verify(&data, 0, inspect(vec![reader(&path, 4)]).unwrap().files[0].uuid.unwrap()).unwrap();
        }
    }
    let overwritten = dir.join("overwrite");
    assert_eq!(ready(vec![FileRequest { overwrite: true, ..writer(overwritten, 2) }]).1, 2 * MIB);
}

#[test]
fn a_file_of_ours_is_known_again_until_anybody_else_touches_it() {
    for dir in places() {
        if !marks(&dir) {
            continue;
        }
        let path = dir.join("j.0.0");
        drop(ready(vec![writer(&path, 2)]));
        assert_eq!(action(vec![writer(&path, 2)]), FileAction::Reuse);
        // The requested size is larger than before: the file is extended, because secchi created it.
        let inspection = inspect(vec![writer(&path, 3)]).unwrap();
        assert_eq!(inspection.files[0].action, FileAction::Complete);
        drop(ready(vec![writer(&path, 3)]));
        assert_eq!(sys::files::metadata(&path).unwrap().len(), 3 * MIB);
        // A load writes the file. Afterwards, the file still counts as created by secchi.
        let inspection = inspect(vec![writer(&path, 3)]).unwrap();
        let job = job(&inspection, &path, Mix::WRITE, false, JobTuning::default());
        let mut files = JobFiles::take(inspection).unwrap();
        files.lay_out(&mut |_, _| true).unwrap();
        let opened = files.open(&job).unwrap();
        opened[0].write_all_at(b"load", 4096).unwrap();
        // If a crash happened here, the last writer would be unknown, so the mark records that the file is in use.
        let marked = sys::files::read_attribute(&File::open(&path).unwrap(), "user.secchi").unwrap().unwrap();
        assert!(String::from_utf8(marked).unwrap().contains("in use"));
        files.close(&job, &opened).unwrap();
        drop(files);
        assert_eq!(action(vec![writer(&path, 3)]), FileAction::Reuse);
        // The file is overwritten by a copy: same inode and mark, but other data.
        std::fs::write(&path, vec![1; 3 * MIB as usize]).unwrap();
        let before = snapshot(&path);
        refused(vec![writer(&path, 3)], "it was changed since");
        assert_eq!(snapshot(&path), before);
        // The file is replaced by another file of the same name.
        std::fs::remove_file(&path).unwrap();
        image(&path, 3);
        refused(vec![writer(&path, 3)], "secchi did not create it");
    }
}

#[test]
fn a_layout_that_is_stopped_or_fails_removes_what_it_made_and_nothing_else() {
    if !support::names_go() {
        return;
    }
    let dir = dir();
    image(&dir.join("mine"), 1);
    let before = snapshot(&dir.join("mine"));
    let request = || vec![reader(dir.join("mine"), 1), reader(dir.join("a"), 2), reader(dir.join("b"), 64)];
    let mut files = JobFiles::take(inspect(request()).unwrap()).unwrap();
    let error = files.lay_out(&mut |done, _| done < 4 * MIB).unwrap_err().to_string();
    assert!(error.contains("stopped"), "{error}");
    assert_eq!(dir.names(), ["mine"]);
    drop(files);
    // Another process creates the file meanwhile, so it counts as a user's file.
    let mut files = JobFiles::take(inspect(request()).unwrap()).unwrap();
    std::fs::write(dir.join("b"), b"theirs").unwrap();
    let error = files.lay_out(&mut |_, _| true).unwrap_err().to_string();
    assert!(error.contains("has changed since it was inspected"), "{error}");
    assert_eq!(dir.names(), ["b", "mine"]);
    assert_eq!(std::fs::read(dir.join("b")).unwrap(), b"theirs");
    assert_eq!(snapshot(&dir.join("mine")), before);
}

#[test]
fn what_is_exchanged_between_looking_and_using_is_noticed() {
    let dir = dir();
    let path = dir.join("mine");
    let consent = || vec![FileRequest { overwrite: true, ..writer(&path, 1) }];
    image(&path, 1);
    let inspection = inspect(consent()).unwrap();
    image(&dir.join("other"), 1);
    let before = snapshot(&dir.join("other"));
    std::fs::rename(dir.join("other"), &path).unwrap();
    assert_eq!(JobFiles::take(inspection).unwrap_err().class(), Class::Refused);
    let inspection = inspect(consent()).unwrap();
    let job = job(&inspection, &path, Mix::WRITE, false, JobTuning::default());
    let files = JobFiles::take(inspection).unwrap();
    std::fs::rename(&path, dir.join("away")).unwrap();
    image(&path, 1);
    assert!(files.open(&job).unwrap_err().to_string().contains("another file has this name"));
    std::fs::remove_file(&path).unwrap();
    if support::links() {
        symlink("away", &path).unwrap();
        assert!(files.open(&job).is_err(), "a link is not followed");
    }
    drop(files);
    assert_eq!(snapshot(&dir.join("away")), before);
}

#[test]
fn nothing_is_written_through_a_link_and_reading_through_one_is_said() {
    if !support::links() {
        return;
    }
    let dir = dir();
    image(&dir.join("mine"), 1);
    symlink("mine", dir.join("link")).unwrap();
    symlink("nowhere", dir.join("dangling")).unwrap();
    std::fs::create_dir(dir.join("d")).unwrap();
    symlink("d", dir.join("e")).unwrap();
    let before = snapshot(&dir.join("mine"));
    for path in [dir.join("link"), dir.join("e/new")] {
        let request = JobsRequest { allow_overwrite: true, ..asked(vec![writer(path, 1)]) };
        let error = JobFiles::inspect(&request).unwrap_err();
        assert!(error.to_string().contains("symbolic link"), "{error}");
    }
    assert!(inspect(vec![reader(dir.join("e/new"), 1)]).is_err(), "it would have to be made");
    assert!(inspect(vec![writer(dir.join("dangling"), 1)]).is_err());
    assert!(inspect(vec![reader(dir.join("dangling"), 1)]).is_err());
    let inspection = inspect(vec![reader(dir.join("link"), 1), reader(dir.join("mine"), 1)]).unwrap();
    assert_eq!(inspection.files.len(), 1, "two names of one file");
    assert_eq!(inspection.find(&dir.join("link")).unwrap().path, dir.join("mine"));
    assert!(inspection.notes.iter().any(|n| n.contains("is a symbolic link to")));
    assert_eq!(snapshot(&dir.join("mine")), before);
    assert_eq!(dir.names(), ["d", "dangling", "e", "link", "mine"]);
}

#[test]
fn two_runs_do_not_share_a_file_and_clones_of_one_do() {
    if !support::names_go() {
        return;
    }
    let dir = dir();
    let path = dir.join("shared");
    let clones: Vec<FileRequest> =
        (0..4).map(|clone| FileRequest { stages: vec![clone], ..reader(&path, 1 + clone as u64) }).collect();
    let inspection = inspect(clones).unwrap();
    assert_eq!((inspection.files.len(), inspection.files[0].size), (1, Bytes(4 * MIB)));
    assert_eq!(inspection.layout[0].stages, [0, 1, 2, 3]);
    let unlink = JobTuning { closing: Closing { unlink: true, ..Closing::default() }, ..JobTuning::default() };
    let job = job(&inspection, &path, Mix::READ, true, unlink);
    let mut files = JobFiles::take(inspection).unwrap();
    files.lay_out(&mut |_, _| true).unwrap();
    let opened: Vec<_> = (0..4).map(|_| files.open(&job).unwrap()).collect();
    assert_eq!(refused(vec![reader(&path, 1)], "another run uses it").class(), Class::Refused);
    let other = JobsRequest { share: true, ..asked(vec![reader(&path, 1)]) };
    assert!(JobFiles::inspect(&other).is_err(), "sharing takes two");
    for (closed, opened) in opened.iter().enumerate() {
        assert!(path.exists(), "the others still use it after {closed}");
        files.close(&job, opened).unwrap();
    }
    assert!(!path.exists());
    files.present().unwrap();
    assert!(files.open(&job).is_err());
}

#[test]
fn all_jobs_together_leave_the_floor_free() {
    let dir = dir();
    let free = sys::file_systems::space_at(&dir.path()).unwrap();
    // There is space for each file alone, but not for both files.
    let half = Bytes((free.available - free.available / 4) & !4095);
    let half_of = |name: &str| FileRequest { size: Some(half), ..writer(dir.join(name), 1) };
    let error = refused(vec![half_of("a"), half_of("b")], "must stay free");
    assert_eq!(error.class(), Class::Refused);
    refused(vec![FileRequest { size: Some(Bytes(4 << 40)), ..writer(dir.join("typo"), 1) }], "must stay free");
    for (size, expected) in [(0, "zero"), (u64::MAX, "exceeds the maximum size of a file")] {
        refused(vec![FileRequest { size: Some(Bytes(size)), ..writer(dir.join("a"), 1) }], expected);
    }
    refused(vec![FileRequest { size: None, ..writer(dir.join("a"), 1) }], "no size was given");
    let endless = FileRequest { size: None, grows: true, ..writer(dir.join("a"), 1) };
    assert_eq!(inspect(vec![endless]).unwrap().files[0].size, Bytes(0), "written until the disk is full");
    refused(vec![FileRequest { create: false, ..writer(dir.join("a"), 1) }], "allow_file_create=0");
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn holes_in_a_file_that_is_read_are_a_doubt_not_a_refusal() {
    if !support::maps() {
        return;
    }
    let dir = dir();
    let path = dir.join("sparse");
    let file = File::create(&path).unwrap();
    file.set_len(4 * MIB).unwrap();
    file.write_all_at(&vec![1; MIB as usize], 0).unwrap();
    drop(file);
    let before = snapshot(&path);
    let inspection = inspect(vec![reader(&path, 4)]).unwrap();
    let caveat = &inspection.caveats[0];
    assert_eq!(caveat.id, "unwritten-extents");
    assert!(caveat.evidence.contains("3 MiB of 4 MiB (75.0 %)"), "{caveat:?}");
    assert!(inspect(vec![reader(&path, 1)]).unwrap().caveats.is_empty(), "only the part that is read counts");
    drop(ready(vec![reader(&path, 4)]));
    assert_eq!(snapshot(&path), before);
}

#[test]
#[cfg(target_os = "linux")]
fn the_load_gets_the_flags_and_the_page_cache_it_asked_for() {
    let dir = dir();
    let path = dir.join("j.0.0");
    let inspection = inspect(vec![FileRequest { writes: true, ..reader(&path, 4) }]).unwrap();
    let with = |mix, direct, sync, opening| {
        job(&inspection, &path, mix, direct, JobTuning { sync, opening, ..JobTuning::default() })
    };
    let invalidate = OpeningRule { invalidate: true, advise: true, ..OpeningRule::default() };
    let pre_read = OpeningRule { pre_read: true, ..OpeningRule::default() };
    let mut files = JobFiles::take(inspection.clone()).unwrap();
    files.lay_out(&mut |_, _| true).unwrap();
    let flags = |file: &File| {
        use std::os::fd::AsRawFd;
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).unwrap();
        let line = info.lines().find_map(|l| l.strip_prefix("flags:").map(str::trim)).unwrap().to_owned();
        u32::from_str_radix(&line, 8).unwrap()
    };
    let (dsync, sync, direct) = (0o10000, 0o4010000, 0o40000);
    for (mode, bits) in [(SyncMode::None, 0), (SyncMode::Data, dsync), (SyncMode::Full, sync)] {
        let opened = files.open(&with(Mix::WRITE, true, mode, OpeningRule::default())).unwrap();
        assert_eq!(flags(&opened[0]) & (sync | direct | 3), bits | direct | 2, "{mode:?}");
    }
    let opened = files.open(&with(Mix::READ, false, SyncMode::None, pre_read)).unwrap();
    assert_eq!(flags(&opened[0]) & (direct | 3), 0);
    let Some(pages) = sys::storage::cached_pages(&opened[0], 0..4 * MIB).unwrap() else {
        return skip("no cachestat(2) here");
    };
    assert!(pages >= 1024, "{pages}");
    let opened = files.open(&with(Mix::READ, false, SyncMode::None, invalidate)).unwrap();
    let pages = sys::storage::cached_pages(&opened[0], 0..4 * MIB).unwrap().unwrap();
    assert!(pages < 64, "{pages}");
    let null = Job {
        target: model::Target { kind: TargetKind::Null, ..with(Mix::READ, false, SyncMode::None, pre_read).target },
        ..with(Mix::READ, false, SyncMode::None, pre_read)
    };
    assert!(files.open(&null).unwrap().is_empty());
}

#[test]
fn a_file_cut_or_misaligned_is_named() {
    let dir = dir();
    let path = dir.join("j.0.0");
    let (files, _) = ready(vec![reader(&path, 1)]);
    files.present().unwrap();
    File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    assert!(files.present().unwrap_err().to_string().contains("truncated to 4 KiB"));
    drop(files);
    image(&dir.join("mine"), 1);
    let crooked = FileRequest { direct: true, align: Bytes(1000), ..reader(dir.join("mine"), 1) };
    if sys::storage::direct_align(&File::open(dir.join("mine")).unwrap()).unwrap().is_some() {
        refused(vec![crooked], "must be aligned to");
    }
    assert_eq!(present_size(&dir.join("mine")).unwrap(), Some(Bytes(MIB)));
    assert_eq!(present_size(&dir.join("none")).unwrap(), None);
    assert!(present_size(&dir.path()).unwrap_err().to_string().contains("is a directory"));
}

#[test]
fn stages_and_their_layout_are_a_request_and_take_what_was_found() {
    if !support::links() {
        return;
    }
    let dir = dir();
    image(&dir.join("mine"), 2);
    symlink("mine", dir.join("link")).unwrap();
    let stage = |path: PathBuf, mix, mib| {
        Stage::fixed(
            "s",
            Job {
                name: "j".into(),
                workload: Workload::new(mix, Bytes(4096), Access::Sequential),
                target: model::Target {
                    kind: TargetKind::File,
                    path,
                    size: Bytes(mib * MIB),
                    offset: Bytes(MIB),
                    direct: true,
                    align: Bytes(512),
                    uuid: None,
                },
                more: Vec::new(),
                engine: "psync".into(),
                queue_depth: 1,
                threads: 1,
                stop: StopRule { ramp: Nanos(0), time: Nanos(1), steady_after: None, max_ops: None },
                on_error: ErrorPolicy::Stop,
                seed: 1,
                faults: None,
                tuning: JobTuning::default(),
            },
        )
    };
    let mut stages = [stage(dir.join("link"), Mix::READ, 1), stage(dir.join("new"), Mix::WRITE, 3)];
    let layout = [model::plan::Layout {
        path: dir.join("new"),
        size: Bytes(4 * MIB),
        reserve: Reserve::Truncate,
        write: false,
        unwritten: Vec::new(),
        durable: false,
        exists: false,
        stages: vec![1],
    }];
    let inspection = JobFiles::inspect(&JobsRequest::from_stages(&stages, &layout, &[], made())).unwrap();
    assert_eq!(inspection.layout[1], layout[0]);
    assert!(inspection.layout[0].exists);
    inspection.settle(&mut stages);
    assert_eq!(stages[0].job.target.path, dir.join("mine"));
    assert_eq!((stages[0].job.target.uuid, stages[0].job.target.offset), (None, Bytes(MIB)));
    assert_eq!(stages[1].job.target.uuid, inspection.files[1].uuid);
    let mut files = JobFiles::take(inspection).unwrap();
    assert_eq!(files.lay_out(&mut |_, _| true), Ok(0));
    assert!(stages.iter().all(|s| files.open(&s.job).is_ok_and(|opened| opened.len() == 1)));
    drop(files);
    // A writer without overwrite=1 is rejected; one whose path is listed is not.
    let stages = [stage(dir.join("mine"), Mix::WRITE, 1)];
    assert!(JobFiles::inspect(&JobsRequest::from_stages(&stages, &[], &[], made())).is_err());
    assert!(JobFiles::inspect(&JobsRequest::from_stages(&stages, &[], &[dir.join("mine")], made())).is_ok());
}

/// Creates a loop device of `mib` MiB with a file system, and returns it with its backing file. If that is not
/// possible, reports the test as skipped and returns `None`.
fn formatted(dir: &Dir, mib: u64) -> Option<(PathBuf, Loop)> {
    let backing = dir.join("image");
    image(&backing, mib);
    if !mkfs(&backing) {
        return None;
    }
    let device = Loop::on(&backing, &[])?;
    Some((backing, device))
}

#[test]
fn the_backing_file_of_a_mounted_file_system_is_never_written() {
    let _alone = support::alone();
    let dir = dir();
    let Some((backing, device)) = formatted(&dir, 16) else { return };
    std::fs::create_dir(dir.join("mnt")).unwrap();
    let Some(_mount) = Mount::device(&device.dev, &dir.join("mnt"), "ro") else { return };
    let before = snapshot(&backing);
    let consent = FileRequest { overwrite: true, ..writer(&backing, 1) };
    assert_eq!(refused(vec![consent], "is the backing file of").class(), Class::Refused);
    let request = JobsRequest { devices: vec![device.dev.clone()], ..asked(vec![reader(&device.dev, 1)]) };
    assert!(JobFiles::inspect(&request).unwrap_err().to_string().contains("in use"));
    assert_eq!(snapshot(&backing), before);
}

#[test]
fn a_device_is_read_by_its_name_and_its_identity_typed_to_be_written() {
    let _alone = support::alone();
    let dir = dir();
    let Some((backing, device)) = formatted(&dir, 8) else { return };
    let before = snapshot(&backing);
    let dev = device.dev.clone();
    assert_eq!(present_size(&dev).unwrap(), Some(Bytes(8 * MIB)));
    let named = JobFiles::inspect(&asked(vec![reader(&dev, 1)])).unwrap();
    assert!(
        named.notes.iter().any(|n| n.ends_with("is a block device of 8 MiB, which is only read")),
        "{:?}",
        named.notes
    );
    let reading = |mib| JobsRequest { devices: vec![dev.clone()], ..asked(vec![reader(&dev, mib)]) };
    assert!(JobFiles::inspect(&reading(9)).unwrap_err().to_string().contains("8 MiB"));
    let unused = JobsRequest { devices: vec![dev.clone()], ..asked(vec![reader(dir.join("new"), 1)]) };
    assert!(JobFiles::inspect(&unused).unwrap_err().to_string().contains("no job uses"));
    let inspection = JobFiles::inspect(&reading(4)).unwrap();
    assert_eq!(inspection.files[0].action, FileAction::ReadDevice);
    assert!(inspection.layout.is_empty());
    let consented = inspection.files[0].device.as_ref().unwrap().consent_word();
    let read = job(&inspection, &dev, Mix::READ, true, JobTuning::default());
    let mut files = JobFiles::take(inspection).unwrap();
    assert_eq!(files.lay_out(&mut |_, _| true), Ok(0));
    let opened = (files.open(&read).unwrap(), files.open(&read).unwrap());
    assert!(opened.0[0].write_at(&[0; 512], 0).is_err());
    // The device is claimed, so another run is rejected.
    assert!(JobFiles::inspect(&reading(4)).is_err());
    files.present().unwrap();
    files.close(&read, &opened.0).unwrap();
    drop((files, opened));
    assert_eq!(snapshot(&backing), before);
    // Consent to overwrite files does not apply to devices.
    let writing = |destroy: Option<&str>| JobsRequest {
        allow_overwrite: true,
        destroy: destroy.map(str::to_owned),
        ..asked(vec![FileRequest { overwrite: true, ..writer(&dev, 4) }])
    };
    for (destroy, expected) in [(None, "--destroy"), (Some("yes"), "--destroy names `yes`")] {
        let error = JobFiles::inspect(&writing(destroy)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let stray = JobsRequest { destroy: Some("S".into()), ..asked(vec![writer(dir.join("new"), 1)]) };
    assert!(JobFiles::inspect(&stray).unwrap_err().to_string().contains("no job writes to a device"));
    assert_eq!(snapshot(&backing), before);
    let lab = |words: [&str; 2]| JobsRequest { may_destroy: words.map(str::to_owned).into(), ..writing(None) };
    assert_eq!(JobFiles::inspect(&lab(["S", &consented])).unwrap().files[0].action, FileAction::DestroyDevice);
    assert!(JobFiles::inspect(&lab(["S", "T"])).unwrap_err().to_string().contains("--destroy"));
    let inspection = JobFiles::inspect(&writing(Some(&consented))).unwrap();
    assert_eq!(inspection.files[0].action, FileAction::DestroyDevice);
    let unlink = JobTuning { closing: Closing { unlink: true, ..Closing::default() }, ..JobTuning::default() };
    let write = job(&inspection, &dev, Mix::WRITE, false, unlink);
    let mut files = JobFiles::take(inspection).unwrap();
    files.lay_out(&mut |_, _| true).unwrap();
    let opened = files.open(&write).unwrap();
    opened[0].write_all_at(&[7; 4096], 0).unwrap();
    opened[0].sync_all().unwrap();
    files.close(&write, &opened).unwrap();
    assert!(dev.exists(), "unlink=1 never removes a node");
}

#[test]
fn on_a_full_file_system_the_layout_ends_and_cleans_up() {
    let _alone = support::alone();
    let dir = dir();
    let Some((_, device)) = formatted(&dir, 32) else { return };
    let point = dir.join("mnt");
    std::fs::create_dir(&point).unwrap();
    let Some(_mount) = Mount::device(&device.dev, &point, "rw") else { return };
    assert_eq!(refused(vec![writer(point.join("a"), 23)], "must stay free").class(), Class::Refused);
    // An existing file that is already fully written may still be overwritten.
    image(&point.join("mine"), 2);
    File::open(point.join("mine")).unwrap().sync_all().unwrap();
    let consent = FileRequest { overwrite: true, ..writer(point.join("mine"), 2) };
    let (files, _) = ready(vec![consent]);
    files.present().unwrap();
}
