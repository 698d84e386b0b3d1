//! Tests that every supported option has an effect: it changes the plan or the report of at least one job.

use super::World;
use job::{Lowered, OptionSpec, Setter, Support, lower, parse_text};

/// Jobs that contain the options on which other options depend.
const JOBS: &[&str] = &[
    "rw=randrw\nsize=1m\nbs=8k\nioengine=libaio\niodepth=16\nnumjobs=2\n",
    "rw=randrw\nfilename=old\nnumjobs=2\nrw=randread:4\n",
    "rw=rw\nsize=1m\nthinktime=5\nthinktime_blocks=9\nrate_iops=100\nrate_iops_min=10\n",
    "rw=rw\nsize=1m\nrate=1m\nrate_min=64k\nbsrange=4k-64k\ncpus_allowed=0-3\nnumjobs=2\n",
    "rw=randwrite\nsize=1m\nverify=crc32c\nbs=4k\nverify_backlog=4\nverify_pattern=0xab\nexitall=1\n",
    "rw=write\nsize=1m\nwrite_bw_log=x\nwrite_lat_log=x\nwrite_hist_log=x\nlog_hist_msec=1000\nruntime=10\n",
    "rw=read\nsize=1m\ntime_based=1\nruntime=60\nlatency_target=10ms\nlatency_window=1s\nsteadystate_duration=5\n",
    "rw=write\nsize=1m\nbuffer_compress_percentage=50\ndedupe_percentage=40\nprio=3\n",
    "rw=write\nsize=1m\ndedupe_percentage=40\ndedupe_mode=working_set\nnrfiles=4\n",
    "rw=write\nsize=1m\nzonemode=strided\nzonesize=16k\nzonerange=32k\ntime_based=1\nruntime=5\n",
    "rw=read\nioengine=io_uring\ndirect=1\nsize=1m\niodepth=4\nwrite_hint=long\n",
    "rw=randtrim\nsize=1m\nioengine=mmap\n",
    "rw=randrw\nsize=1m\nioengine=libaio\niodepth=4\ncmdprio_percentage=20\n",
    "rw=randrw\nsize=1m\nflow=3\n",
    "rw=write\nsize=1m\nioengine=e4defrag\ndonorname=donor\n",
    "rw=read\nfilename=old\noffset=33%\nrandrepeat=0\n",
    "rw=randwrite\nfilename=old\nsize=1m\n",
    "rw=randwrite\nsize=1m\nioengine=http\n",
    "rw=randwrite\nsize=1m\nioengine=nfs\nnfs_url=nfs://s/e\n",
    "rw=randwrite\nioengine=rbd\npool=p\nrbdname=volume\n",
    "read_iolog=one.log\n",
    "read_iolog=one.log:two.log\nmerge_blktrace_file=both\n",
];

/// Values to try for options that do not take a word from a list.
const VALUES: &[&str] = &[
    "1",
    "0",
    "2",
    "3",
    "7",
    "40",
    "600",
    "4k",
    "8k",
    "64k",
    "100k",
    "512k",
    "50%",
    "10s",
    "300ms",
    "2-5",
    "0.5",
    "90:99.5",
    "4k-16k",
    "4k/50:8k/50",
    "EIO",
    "zipf:1.2",
    "0xdeadface",
    "before",
    "-p",
    "a$jobnum",
    "pattern:3",
    "iops:5",
    "1,2,3",
    "random:3",
    "local",
    "read",
    "50:300",
];

/// Returns the plan and report settings of a job, or the reason why it is refused, and the number of notes.
fn outcome(job: &str) -> Result<(Result<Lowered, String>, usize), String> {
    let text = format!("[before]\nsize=1m\nrw=read\n[j]\n{job}");
    let file = parse_text("t.fio", text.as_bytes(), &World).map_err(|e| e.to_string())?;
    let lowered = lower(&file, &World).map_err(|e| e.to_string()).map(|mut lowered| {
        for section in &mut lowered.sections {
            // The report repeats typed options, whether or not they have an effect.
            section.options.clear();
            section.globals.clear();
        }
        lowered
    });
    Ok((lowered, file.notes.len()))
}

fn reaches(spec: &OptionSpec) -> bool {
    let words = match spec.kind {
        job::Kind::Engine => super::support::engines().words(),
        kind => kind.accepted_words(),
    };
    let values: Vec<String> = match words.is_empty() {
        true => VALUES.iter().map(|v| (*v).to_owned()).collect(),
        false => words.iter().flat_map(|w| [w.name.to_owned(), format!("{}:2", w.name)]).collect(),
    };
    JOBS.iter().any(|job| {
        let plain = outcome(job).expect("the job stands without the option");
        let with = |value: &String| outcome(&format!("{job}{}={value}\n", spec.name));
        values.iter().any(|value| match with(value) {
            // The job is invalid with this value. The error suggests an alternative.
            Err(why) => ["needs a zonesize", "use rw=trim"].iter().any(|why_not| why.contains(why_not)),
            Ok((Err(why), _)) => why.contains(spec.name),
            Ok(with) => with != plain,
        })
    })
}

#[test]
fn every_option_that_is_done_reaches_what_is_run_or_is_told_about() {
    let done = job::all(super::support::engines(), &[]);
    let done = done.filter(|s| s.support == Support::Done && matches!(s.setter, Setter::Job(_) | Setter::Engine(_)));
    let lost: Vec<&str> = done.filter(|s| !reaches(s)).map(|s| s.name).collect();
    assert!(lost.is_empty(), "parsed and forgotten: {lost:?}");
}
