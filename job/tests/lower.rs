//! Tests of the conversion of sections into stages: clones, files, sizes, offsets and waves as in fio's `setup_files`
//! and `setup_groups`.

#[path = "lower/reach.rs"]
mod reach;
mod support;

use job::{Facts, Lookup, Machine, PathKind, lower, parse_text};
use model::plan::{Access, BlockSizes, FlushKind, Mix, Pacing, Rate, Reserve, SyncMode, TargetKind};
use model::{Bytes, Iops, Nanos, Stage};
use std::path::Path;

/// Simulated system with a file of 10 MiB, a device of 1 GiB, a directory and a pipe.
struct World;

impl Facts for World {
    fn kind(&self, path: &Path) -> PathKind {
        match path.to_str() {
            Some("old" | "/data/old") => PathKind::File(Bytes::from_mib(10)),
            Some("/dev/disk") => PathKind::Device(Bytes::from_gib(1)),
            Some("dir") => PathKind::Directory,
            Some("pipe") => PathKind::Other,
            _ => PathKind::Missing,
        }
    }
    fn align(&self, _path: &Path) -> Bytes {
        Bytes(4096)
    }
    fn served_size(&self, engine: &str, options: &[(String, String)]) -> Result<Bytes, job::LookupError> {
        match options.iter().find(|(name, _)| name == "rbdname") {
            Some((_, name)) if engine == "rbd" && name != "none" => Ok(Bytes::from_gib(1)),
            _ => Err("no such image".into()),
        }
    }
    fn native_engine(&self) -> &'static str {
        "io_uring"
    }
    fn cpus_of_node(&self, node: u32) -> Option<Vec<u32>> {
        (node < 2).then(|| vec![2 * node, 2 * node + 1])
    }
    fn random(&self) -> u64 {
        7
    }
    /// Returns the recording `one.log` or `two.log`. It has two files and one request per millisecond, which cycle
    /// through all kinds.
    fn recording(&self, path: &Path) -> Result<model::recording::Recording, job::LookupError> {
        use model::measured::RequestKind;
        use model::recording::{RecordedRequest, RecordedTarget, RequestFlags};
        if !["one.log", "two.log"].contains(&path.to_str().unwrap_or_default()) {
            return Err("no such file".into());
        }
        let target = |name: &str| RecordedTarget { name: name.to_owned(), ..RecordedTarget::default() };
        let kinds = [RequestKind::Read, RequestKind::Write, RequestKind::Flush, RequestKind::Discard];
        let request = |(i, kind): (u64, RequestKind)| RecordedRequest {
            at: model::Nanos::from_millis(i + 3),
            latency: Some(model::Nanos::from_millis(2)),
            target: (i % 2) as u16,
            kind,
            flags: RequestFlags::default(),
            offset: (i + 1) * 10_000,
            bytes: if kind == RequestKind::Flush { 0 } else { 4096 * (1 + i % 3) },
        };
        let requests: Vec<_> = (0..8).zip(kinds.into_iter().cycle()).map(request).collect();
        let header = model::recording::RecordingHeader {
            layer: model::recording::RecordedLayer::Operations,
            ..Default::default()
        };
        Ok(model::recording::Recording {
            header,
            targets: vec![target("a"), target("b")],
            requests,
            ..Default::default()
        })
    }
    fn contents(&self, path: &Path) -> Result<Vec<u8>, job::LookupError> {
        if path == Path::new("pattern") { Ok(b"xyz".to_vec()) } else { Err("no such file".into()) }
    }
}

impl Lookup for World {
    fn read(&self, _path: &Path, _from: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
        Err("no such file".into())
    }
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
    fn engines(&self) -> &job::Engines {
        support::engines()
    }

    fn machine(&self) -> Machine {
        Machine { cpus: 4, page_size: 4096, memory_mb: 1024 }
    }
}

fn lowered(text: &str) -> job::Lowered {
    let file = parse_text("t.fio", text.as_bytes(), &World).expect("the text is a job file");
    lower(&file, &World).expect("it can be run")
}

fn refused(text: &str) -> String {
    let file = parse_text("t.fio", text.as_bytes(), &World).expect("the text is a job file");
    lower(&file, &World).expect_err("it cannot be run").to_string()
}

fn names(stage: &Stage) -> Vec<String> {
    stage.job.targets().map(|t| t.path.display().to_string()).collect()
}

#[test]
fn clones_have_files_of_their_own_unless_one_is_named() {
    let lowered_job = lowered("[job]\nsize=1m\nnumjobs=2\nnrfiles=2\n");
    assert_eq!(names(&lowered_job.stages[0]), ["job.0.0", "job.0.1"]);
    assert_eq!(names(&lowered_job.stages[1]), ["job.1.0", "job.1.1"]);
    assert_eq!(lowered_job.stages[1].name, "job.1");
    assert!(lowered_job.stages.iter().all(|s| s.job.target.size == Bytes::from_kib(512)));
    let shared = lowered("[job]\nsize=1m\nnumjobs=2\nfilename=x:y\\:z\n");
    assert!(shared.stages.iter().all(|s| names(s) == ["x", "y:z"]));
    assert_eq!(shared.layout.len(), 2, "a file is made once");
    assert_eq!(shared.layout[0].stages, [0, 1]);
}

#[test]
fn directories_are_taken_in_turn_and_a_format_is_filled_in() {
    let l = lowered("[j]\nsize=1m\nnumjobs=3\ndirectory=/a:/b\nfilename_format=f-$jobname-$jobnum-$filenum\n");
    let files: Vec<_> = l.stages.iter().flat_map(names).collect();
    assert_eq!(files, ["/a/f-j-0-0", "/b/f-j-1-0", "/a/f-j-2-0"]);
}

#[test]
fn a_size_that_files_do_not_divide_gives_every_file_the_same() {
    let l = lowered("[j]\nsize=20k\nbs=4k\nnrfiles=3\n");
    let sizes: Vec<u64> = l.stages[0].job.targets().map(|t| t.size.as_u64()).collect();
    // Sizes from fio 3.33.
    assert_eq!(sizes, [6826; 3]);
}

#[test]
fn what_stands_there_gives_its_size_and_offsets_grow_by_clone() {
    let l = lowered("[j]\nfilename=old\noffset=1m\noffset_increment=2m\nnumjobs=2\n");
    let range_of =
        |i: usize| (l.stages[i].job.target.offset.as_u64() >> 20, l.stages[i].job.target.size.as_u64() >> 20);
    assert_eq!((range_of(0), range_of(1)), ((1, 9), (3, 7)));
    let half = lowered("[j]\nfilename=old\nsize=50%\n");
    assert_eq!(half.stages[0].job.target.size, Bytes::from_mib(5));
    let device = lowered("[j]\nfilename=/dev/disk\ndirect=1\nbs=4k\n");
    assert_eq!(device.stages[0].job.target.kind, TargetKind::Device);
    assert!(device.layout.is_empty(), "a device is not made");
}

#[test]
fn zones_are_counted_in_bytes_of_the_device_or_as_zonesize_says() {
    let job = |text: &str| {
        lowered(&format!("[j]\nfilename=/dev/disk\nrw=read\nzonemode=zbd\n{text}\n")).stages[0].job.clone()
    };
    let two = job("zonesize=16m\nsize=4z\noffset=2z\nio_size=1z");
    assert_eq!((two.target.offset, two.target.size), (Bytes::from_mib(32), Bytes::from_mib(64)));
    assert_eq!(two.tuning.ends.max_bytes, Some(Bytes::from_mib(16)));
    assert!(refused("[j]\nfilename=/dev/disk\nzonemode=zbd\nsize=4z\n").contains("set zonesize"));
    assert!(refused("[j]\nfilename=/dev/disk\nsize=4z\n").contains("needs zonemode=zbd"));
}

#[test]
fn a_job_named_as_a_device_works_on_it() {
    let l = lowered("[/dev/disk]\nrw=read\nbs=4k\n");
    assert_eq!(names(&l.stages[0]), ["/dev/disk"]);
    assert_eq!(l.stages[0].job.target.kind, TargetKind::Device);
    // A job named after a regular file has its own files.
    assert_eq!(names(&lowered("[old]\nsize=1m\n").stages[0]), ["old.0.0"]);
}

#[test]
fn jobs_take_turns_where_they_are_asked_to() {
    let lock = |text: &str| lowered(&format!("[j]\nsize=1m\n{text}\n")).stages[0].job.tuning.lock;
    assert_eq!(lock(""), None);
    assert_eq!(lock("lockfile=exclusive"), Some(model::plan::FileLock::Exclusive));
    assert_eq!(lock("lockfile=readwrite"), Some(model::plan::FileLock::ReadWrite));
}

#[test]
fn what_cannot_be_run_is_said_with_its_place() {
    for (text, words) in [
        ("[j]\nfilename=new\n", "t.fio:1:1: size: new does not exist, so it needs a size"),
        ("[j]\nfilename=dir\nsize=1m\n", "t.fio:2:1: filename: dir is a directory"),
        ("[j]\nfilename=pipe\nsize=1m\n", "neither a file nor a block device"),
        ("[j]\nfilename=old\noffset=10m\n", "is at or beyond the end of old"),
        ("[j]\nfilename=/dev/disk\nsize=2g\n", "1 GiB"),
        ("[j]\nsize=1m\ndirect=1\nbs=512\n", "multiples of 4096 B"),
        ("[j]\nsize=64k\nnrfiles=32\nbs=4k\n", "does not fit"),
        ("[/new]\nsize=1m\n", "it may name subdirectories"),
        ("[j]\nioengine=null\n", "the null engine needs a size"),
        ("[j]\nsize=1m\nallow_file_create=0\n", "does not exist"),
        ("[j]\nfilename=/dev/disk\nzonemode=zbd\nrw=write\n", "direct=1"),
        ("[j]\nfilename=/dev/disk\nzonemode=zbd\nrw=trim\ndirect=1\n", "does not support trims"),
        ("[j]\nfilename=/dev/disk\nzonemode=zbd\nrw=write\ndirect=1\nverify=md5\n", "does not support verification"),
        ("[j]\nfilename=/dev/disk\nzonemode=zbd\nioengine=sg\n", "ioengine=sg does not support zones"),
    ] {
        let said = refused(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn zones_of_a_device_and_its_own_commands_reach_the_plan() {
    let zones = "zonemode=zbd\nzonesize=16m\nmax_open_zones=4\nzone_reset_threshold=0.5\nzone_reset_frequency=0.1\n";
    let plan = lowered(&format!("[j]\nfilename=/dev/disk\nrw=randwrite\ndirect=1\nread_beyond_wp=1\n{zones}"));
    let detail = &plan.stages[0].job.workload.detail;
    let rule = detail.zoned.as_deref().expect("zones");
    assert_eq!((rule.size, rule.capacity, rule.max_open), (Some(Bytes::from_mib(16)), None, Some(4)));
    assert_eq!((rule.reset_threshold, rule.reset_frequency, rule.read_beyond), (0.5, 0.1, true));
    assert!(detail.zone.is_none(), "not strided");
    let plan = lowered("[j]\nfilename=/dev/disk\nioengine=io_uring_cmd\nwritefua=1\nrw=write\ncmd_type=nvme\n");
    let job = &plan.stages[0].job;
    assert_eq!((job.engine.as_str(), job.tuning.opening.commands, job.target.direct), ("io_uring_cmd", true, true));
    assert_eq!(job.tuning.engine_options, [("writefua".to_owned(), "1".to_owned())]);
    let plan = lowered("[j]\nfilename=/dev/disk\nioengine=sg\niodepth=8\nsg_write_mode=write_and_verify\nrw=write\n");
    let job = &plan.stages[0].job;
    assert_eq!((job.queue_depth, job.tuning.engine_options.len()), (1, 1));
}

#[test]
fn waves_begin_at_stonewalls_and_clones_run_together() {
    let l = lowered(
        "[a]\nsize=1m\nnumjobs=2\n[b]\nsize=1m\n[c]\nsize=1m\nstonewall\nnumjobs=2\n[d]\nsize=1m\nwait_for=a\n",
    );
    let with: Vec<bool> = l.stages.iter().map(|s| s.place.with_previous).collect();
    assert_eq!(with, [false, true, true, false, true, true]);
    assert_eq!(l.stages[5].place.after, Some(0));
    assert_eq!(l.stages[4].place.clone, 1);
}

#[test]
fn ends_are_bytes_unless_time_alone_counts() {
    let ends = |text: &str| lowered(text).stages[0].job.clone();
    let plain = ends("[j]\nsize=4m\nloops=3\n");
    assert_eq!(plain.tuning.ends.max_bytes, Some(Bytes::from_mib(12)));
    assert_eq!(plain.tuning.ends.pass_bytes, Some(Bytes::from_mib(4)));
    let timed = ends("[j]\nsize=4m\nruntime=30\nramp_time=5\ntime_based\n");
    assert_eq!(timed.tuning.ends.max_bytes, None);
    assert_eq!((timed.stop.time, timed.stop.ramp), (Nanos::from_secs(30), Nanos::from_secs(5)));
    let part = ends("[j]\nsize=4m\nio_size=1m\nnumber_ios=9\n");
    assert_eq!((part.tuning.ends.max_bytes, part.stop.max_ops), (Some(Bytes::from_mib(1)), Some(9)));
}

#[test]
fn passes_end_where_those_of_fio_end() {
    // Expected numbers of 4 KiB operations, from fio 3.33.
    let done = |text: &str| {
        let ends = lowered(&format!("[j]\nfilename=f\nbs=4k\n{text}")).stages[0].job.tuning.ends;
        ends.max_bytes.expect("it ends").as_u64().div_ceil(4096)
    };
    for (rw, without_end) in [
        ("read", false),
        ("write", false),
        ("randread", false),
        ("randwrite", false),
        ("randrw", false),
        ("rw", true),
        ("randread\nnorandommap", true),
        ("randwrite\nnorandommap", true),
    ] {
        // After the whole blocks, one more operation is possible if it need not be at the end of the file.
        assert_eq!(done(&format!("rw={rw}\nsize=250k\n")), if without_end { 63 } else { 62 }, "{rw}");
        assert_eq!(done(&format!("rw={rw}\nsize=256k\nio_size=512k\n")), 128, "{rw}");
        // Without `do_verify`, fio does not start complete files over, unless they are written sequentially.
        let once = done(&format!("rw={rw}\nsize=256k\nio_size=512k\ndo_verify=0\n"));
        assert_eq!(once, if without_end || rw == "write" { 128 } else { 64 }, "{rw}");
        assert_eq!(done(&format!("rw={rw}\nsize=256k\nloops=2\ndo_verify=0\n")), 128, "{rw}");
    }
}

#[test]
fn a_workload_says_what_the_options_say() {
    let job_of = |text: &str| lowered(text).stages[0].job.clone();
    let mixed = job_of("[j]\nsize=4m\nrw=randrw:4\nrwmixread=70\nbs=4k,8k\nfdatasync=8\nfsync=32\nnorandommap\n");
    assert_eq!(mixed.workload.mix, Mix { write_percent: 30, trim_percent: 0 });
    assert_eq!(mixed.workload.block, BlockSizes::Fixed(Bytes(4096)));
    assert_eq!(mixed.workload.detail.write_block, Some(BlockSizes::Fixed(Bytes(8192))));
    assert_eq!((mixed.workload.flush_every, mixed.workload.detail.full_flush_every), (Some(8), Some(32)));
    assert_eq!((mixed.workload.detail.flush, mixed.workload.detail.run), (FlushKind::Data, 4));
    assert!(matches!(mixed.workload.access, Access::Random { repeat: true, .. }));
    let paced = job_of("[j]\nsize=4m\nrate_iops=100,50\n");
    let Pacing::Rates(rates) = paced.workload.pacing else { panic!("{:?}", paced.workload.pacing) };
    assert_eq!(rates.of, [Some(Rate::Iops(Iops(100.0))), Some(Rate::Iops(Iops(50.0))), Some(Rate::Iops(Iops(50.0)))]);
    let deep = job_of("[j]\nsize=4m\nioengine=libaio\niodepth=16\niodepth_batch_complete_min=4\nexitall\n");
    assert_eq!((deep.queue_depth, deep.tuning.split_latency, deep.tuning.queueing.complete_min), (16, true, Some(4)));
    assert!(deep.tuning.ends.exit_all.is_some());
    let windows = job_of("[j]\nsize=4m\nioengine=windowsaio\n");
    assert_eq!(windows.engine, "io_uring");
}

#[test]
fn the_same_file_gives_the_same_seeds_and_every_clone_its_own() {
    let seeds = |text: &str| lowered(text).stages.iter().map(|s| s.job.seed).collect::<Vec<_>>();
    let once = seeds("[j]\nsize=4m\nnumjobs=3\n");
    assert_eq!(once, seeds("[j]\nsize=4m\nnumjobs=3\n"));
    assert!(once[0] != once[1] && once[1] != once[2]);
    assert_ne!(once, seeds("[j]\nsize=4m\nnumjobs=3\nrandseed=99\n"));
}

#[test]
fn a_file_that_is_read_or_overwritten_is_written_through_first() {
    let layout = |text: &str| lowered(text).layout[0].clone();
    assert!(layout("[j]\nsize=1m\nrw=randread\n").write);
    assert!(!layout("[j]\nsize=1m\nrw=randwrite\n").write);
    assert!(layout("[j]\nsize=1m\nrw=randwrite\noverwrite=1\n").write);
    assert_eq!(layout("[j]\nsize=1m\nrw=write\nfallocate=truncate\n").reserve, Reserve::Truncate);
    assert_eq!(layout("[j]\nrw=write\nfill_device=1\nsize=1m\n").size, Bytes(0));
}

#[test]
fn what_readers_of_the_output_need_is_always_told() {
    let l = lowered("[global]\nbs=8k\n[j]\nsize=1m\nrw=randread\n");
    let options: Vec<(&str, &str)> = l.sections[0].options.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    for pair in [("rw", "randread"), ("bs", "8k"), ("iodepth", "1"), ("numjobs", "1")] {
        assert!(options.contains(&pair), "{pair:?} in {options:?}");
    }
    assert_eq!(l.sections[0].globals, [("bs".to_owned(), "8k".to_owned())]);
}

#[test]
fn pattern_files_are_read_through_the_lookup() {
    let l = lowered("[j]\nsize=1m\nrw=write\nbuffer_pattern='pattern'\n");
    assert_eq!(l.stages[0].job.workload.detail.contents.kind, model::plan::Filling::Pattern(b"xyz".to_vec()));
    assert!(refused("[j]\nsize=1m\nrw=write\nbuffer_pattern='none'\n").contains("no such file"));
}

#[test]
fn flows_of_older_versions_are_proportions_of_one_over_the_weights() {
    let weights = |text: &str| -> Vec<u32> {
        lowered(text).stages.iter().map(|s| s.job.tuning.flow.map_or(0, |flow| flow.weight)).collect()
    };
    assert_eq!(weights("[a]\nsize=1m\nflow=3\n[b]\nsize=1m\nflow=1\n"), [3, 1]);
    let older = weights("[a]\nsize=1m\nflow=8\n[b]\nsize=1m\nflow=-1\n[c]\nsize=1m\n[d]\nsize=1m\nflow=5\nflow_id=2\n");
    assert_eq!(older, [125_000, 1_000_000, 0, 5], "one operation of a to eight of b; other flows as they are");
}

#[test]
fn jobs_of_one_set_of_copies_know_how_large_it_is_together() {
    let job = |name: &str, global: u8| {
        format!("[{name}]\nrw=write\nsize=4m\ndedupe_percentage=50\ndedupe_mode=working_set\ndedupe_global={global}\n")
    };
    let lowered = lowered(&[job("a", 1), job("b", 0), job("c", 1)].concat());
    let shared: Vec<_> = lowered.stages.iter().map(|s| s.job.workload.detail.contents.dedupe_shared).collect();
    assert_eq!(shared, [Some(Bytes::from_mib(8)), None, Some(Bytes::from_mib(8))]);
}

#[test]
fn what_servers_keep_has_names_and_no_files() {
    let objects = lowered(
        "[j]\nioengine=http\nhttp_mode=s3\nhttp_s3_key=hidden\nfilename=/k/e.y\nsize=64k\niodepth=8\nrw=write\n",
    );
    let job = &objects.stages[0].job;
    assert_eq!((job.engine.as_str(), job.queue_depth, job.target.kind), ("http", 1, TargetKind::Served));
    assert_eq!((names(&objects.stages[0]), job.target.size), (vec!["/k/e.y".to_owned()], Bytes::from_kib(64)));
    assert!(objects.layout.is_empty());
    let option = |job: &model::Job, name: &str| {
        job.tuning.engine_options.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone())
    };
    assert_eq!(option(job, "http_s3_key").as_deref(), Some("hidden"), "the engine must know it");
    assert_eq!(option(job, "http_mode").as_deref(), Some("s3"));
    let options = &objects.sections[0].options;
    assert!(options.contains(&("http_s3_key".to_owned(), "***".to_owned())), "the record must not: {options:?}");

    let files = lowered("[j]\nioengine=nfs\nnfs_url=nfs://s/e\nhttp_host=x\nsize=1m\nnrfiles=2\nsync=1\niodepth=8\n");
    let job = &files.stages[0].job;
    assert_eq!((job.queue_depth, job.targets().count()), (8, 2));
    assert_eq!(job.tuning.sync, SyncMode::Full, "the engine opens its files with it");
    let expected = [("nfs_url".to_owned(), "nfs://s/e".to_owned())];
    assert_eq!(job.tuning.engine_options, expected, "what belongs to another engine is left out");

    let image = lowered("[j]\nioengine=rbd\npool=p\nrbdname=volume\nrw=randwrite\ndirect=1\noffset=50%\nnrfiles=3\n");
    let job = &image.stages[0].job;
    assert_eq!(names(&image.stages[0]), ["p/volume"], "one image, however many files");
    assert_eq!(
        (job.target.offset, job.target.size),
        (Bytes::from_mib(512), Bytes::from_mib(512)),
        "the image's own size"
    );
    assert_eq!(option(job, "direct").as_deref(), Some("1"));
}

#[test]
fn what_servers_cannot_do_is_refused() {
    for (text, why) in [
        ("[j]\nioengine=nfs\nsize=1m\n", "nfs needs nfs_url"),
        ("[j]\nioengine=nfs\nnfs_url=nfs://s/e\n", "nfs does not report a size, so the job needs one"),
        ("[j]\nioengine=nfs\nnfs_url=nfs://s/e\nsize=1m\nrw=trim\n", "nfs has no trims"),
        ("[j]\nioengine=http\nsize=1m\nunlink=1\n", "does not remove what it wrote from the server"),
        ("[j]\nioengine=rbd\nrbdname=volume\n", "rbd needs pool"),
        ("[j]\nioengine=rbd\npool=p\nrbdname=none\n", "no such image"),
        ("[j]\nioengine=rbd\npool=p\nrbdname=volume\nsize=2g\n", "p/volume has 1 GiB"),
    ] {
        let said = refused(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn jobs_without_io_have_no_files_and_their_own_time() {
    let out = lowered(
        "[c]\nioengine=cpuio\ncpuload=250\ncpuchunks=2000\ncpumode=qsort\nexit_on_io_done=1\nnumjobs=2\niodepth=8\n\
         [e]\nioengine=exec\nprogram=/bin/echo -n\narguments=%n %r %n\nruntime=90\ngrace_time=0\n\
         [f]\nioengine=exec\nprogram=x\nstd_redirect=0\nsize=1g\n",
    );
    assert!(out.layout.is_empty() && out.overwrite.is_empty());
    let jobs: Vec<&model::Job> = out.stages.iter().map(|s| &s.job).collect();
    assert!(jobs.iter().all(|j| j.target.kind == TargetKind::Null && j.queue_depth == 1));
    assert_eq!((jobs[0].engine.as_str(), jobs[1].name.as_str()), ("cpuio", "c.1"));
    let burn = jobs[1].tuning.burn().expect("it burns CPU time");
    assert_eq!((burn.load, burn.chunk, burn.sorts, burn.until_io_ends), (100, Nanos::from_millis(2), true, true));
    let program = |job: &model::Job| match job.tuning.work.other() {
        Some(model::plan::OtherWork::Program(program)) => program.clone(),
        other => panic!("{other:?}"),
    };
    let echo = program(jobs[2]);
    assert_eq!(echo.words(), ["/bin/echo", "-n", "e", "90", "e"]);
    assert_eq!((echo.grace, echo.ends_job, echo.files().is_some()), (Nanos(0), false, true));
    assert_eq!(jobs[2].stop.time, Nanos::from_secs(90));
    let other = program(jobs[3]);
    assert_eq!((other.words(), other.ends_job, other.files()), (vec!["x"], true, None));
}

#[test]
fn commands_beside_a_job_have_the_name_of_its_section() {
    let out = lowered("[a]\nsize=1m\nnumjobs=2\nexec_prerun=echo x && ls ; a comment\n[b]\nsize=1m\n");
    let commands = &out.stages[1].job.tuning.commands;
    assert_eq!((commands.before.as_deref(), commands.after.as_deref()), (Some("echo x && ls"), None));
    assert_eq!(commands.files().collect::<Vec<_>>(), ["a.prerun.txt"], "clones share it, as in fio");
    assert!(out.stages[2].job.tuning.commands.is_empty() && !out.stages[2].job.tuning.runs_programs());
}

#[test]
fn a_recording_says_what_goes_where_and_when() {
    let again = lowered("[j]\nread_iolog=one.log\n");
    let job = &again.stages[0].job;
    assert_eq!(names(&again.stages[0]), ["a", "b"]);
    let replay = job.tuning.work.replay().expect("it is made again");
    assert_eq!((replay.operations, replay.flushes, replay.following), (8, 2, 0));
    assert_eq!((job.stop.max_ops, job.tuning.ends.max_bytes), (Some(8), None));
    let dues: Vec<u64> = replay.list.0.iter().map(|r| r.due.as_nanos() / 1_000_000).collect();
    assert_eq!(dues, (0..8).collect::<Vec<_>>(), "from the first one on");
    // The sizes cover all operations of the recording.
    let ends: Vec<u64> = job.targets().map(|t| t.size.as_u64()).collect();
    assert_eq!(ends, [50_000 + 2 * 4096, 80_000 + 2 * 4096]);
    assert_eq!(again.layout.iter().map(|l| l.size.as_u64()).collect::<Vec<_>>(), ends);
    // The queue depth comes from the recording if the engine supports it and the job does not set a depth.
    assert_eq!(lowered("[j]\nread_iolog=one.log\nioengine=libaio\n").stages[0].job.queue_depth, 2);
    assert_eq!(lowered("[j]\nread_iolog=one.log\nioengine=libaio\niodepth=9\n").stages[0].job.queue_depth, 9);

    let list = |options: &str| {
        let again = lowered(&format!("[j]\nread_iolog=one.log\n{options}"));
        let replay = again.stages[0].job.tuning.work.replay().cloned().expect("it is made again");
        (again, replay)
    };
    let (elsewhere, replay) = list("replay_redirect=c\nreplay_scale=10\nreplay_align=512\nreplay_time_scale=50\n");
    assert_eq!(names(&elsewhere.stages[0]), ["c"]);
    assert!(replay.list.0.iter().all(|r| r.file == 0 && r.at % 512 == 0));
    assert_eq!(replay.list.0[7].due.as_nanos(), 14_000_000);
    let (reads, replay) = list("replay_skip=write,trim,sync\n");
    assert_eq!((replay.operations, reads.stages[0].job.workload.mix), (2, model::plan::Mix::READ));
    assert_eq!(list("replay_no_stall=1\n").1.pace, model::plan::ReplayPace::Unpaced);
    let both = "merge_blktrace_file=x\nmerge_blktrace_scalars=100:200\nmerge_blktrace_iters=2:1\n";
    let both = lowered(&format!("[j]\nread_iolog=one.log:two.log\n{both}"));
    let merged = both.stages[0].job.tuning.work.replay().expect("it is made again");
    assert_eq!((both.stages.len(), merged.operations), (1, 24));
    assert!(merged.list.0.windows(2).all(|w| w[0].due <= w[1].due));
    let dealt = lowered("[j]\nread_iolog=one.log:two.log\nnumjobs=2\n");
    assert_eq!(dealt.stages.len(), 2);
}

#[test]
fn what_a_recording_does_not_go_with_is_refused_by_name() {
    for (options, why) in [
        ("read_iolog=none.log", "no such file"),
        ("read_iolog=one.log\nrate_iops=5", "the recording determines offsets and times"),
        ("read_iolog=one.log\nverify=crc32c", "verify"),
        ("read_iolog=one.log\nreplay_skip=read,write,trim", "contains no read, write or trim"),
        ("read_iolog=one.log\nmerge_blktrace_file=x\nmerge_blktrace_iters=1:2", "2 numbers, but read_iolog has 1"),
        ("read_iolog=one.log\ndirect=1", "replay_align"),
        ("read_iolog=one.log\nreplay_redirect=/dev/disk\nreplay_scale=0\ndirect=1", "multiples of 4 KiB"),
    ] {
        let refusal = refused(&format!("[j]\n{options}\n"));
        assert!(refusal.contains(why), "{options}: {refusal}");
    }
}
