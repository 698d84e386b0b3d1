//! Programs that call fio, each with its own options and its own parser of the output; sizes and times are reduced.
//! They find secchi through a link named `fio`, as in an installation that replaces fio.

use crate::support::{Sandbox, beside};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Environment of a caller: a directory with the `fio` link, and a working directory.
struct Stand {
    sandbox: Sandbox,
}

impl Stand {
    fn new() -> Stand {
        let sandbox = Sandbox::new();
        let bin = sandbox.path("bin");
        std::fs::create_dir(&bin).expect("a directory of ours");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_secchi"), bin.join("fio")).expect("a link of ours");
        Stand { sandbox }
    }

    fn command(&self, program: &str) -> Command {
        let path = format!("{}:{}", self.sandbox.path("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command.env("PATH", path).env("HOME", self.sandbox.path("home")).env("LC_ALL", "C.UTF-8");
        command.env_remove("XDG_DATA_HOME").env_remove("SECCHI_SUPERVISED").stdin(Stdio::null());
        command.current_dir(self.sandbox.data());
        command
    }

    /// Runs `fio WORDS`.
    fn fio(&self, words: &[&str]) -> Output {
        self.command("fio").args(words).output().expect("the link leads to secchi")
    }

    /// Runs a script of the caller, with its directories in `$DATA` and `$OUT`.
    fn sh(&self, script: &str) -> Output {
        let mut command = self.command("bash");
        command.args(["-c", script]).env("DATA", self.sandbox.data()).env("OUT", self.sandbox.root());
        command.output().expect("bash is everywhere")
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.sandbox.path(name);
        std::fs::write(&path, text).expect("a file of ours");
        path.display().to_string()
    }

    fn data(&self, name: &str) -> String {
        self.sandbox.data().join(name).display().to_string()
    }
}

fn good(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), &*err), (Some(0), ""), "{out}");
    out.into_owned()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path.as_ref()).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

/// Asserts that fields are integers, as the caller's decoder rejects a decimal point.
fn whole(of: &Value, names: &[&str]) {
    for name in names {
        assert!(of[name].is_u64() || of[name].is_i64(), "{name}: {}", of[name]);
    }
}

#[test]
fn bench_fio_s_job_file_with_its_logs() {
    let _beside = beside();
    let stand = Stand::new();
    let version = good(&stand.fio(&["--version"]));
    assert!(version.trim().starts_with("fio-3.") && version.lines().count() == 1, "{version}");
    // The format that Python's ConfigParser writes.
    let log = stand.sandbox.path("randread-iodepth-1-numjobs-2").display().to_string();
    let job = format!(
        "[FIOJOB]\ndirectory={}\nioengine=libaio\nrw=randread\nsize=4M\nbs=4k\niodepth=1\nnumjobs=2\nruntime=2\n\
         loops=1\ntime_based=1\ndirect=1\nlog_avg_msec=500\ninvalidate=1\nwrite_bw_log={log}\nwrite_lat_log={log}\n\
         write_iops_log={log}\n\n",
        stand.sandbox.data().display()
    );
    let (job, output) = (stand.write("test-tmpjobfile.fio", &job), stand.sandbox.path("randread-1-2.json"));
    let said = stand.fio(&["--output-format=json", &format!("--output={}", output.display()), &job]);
    assert_eq!(good(&said), "", "its check takes any word on standard error for a failure");
    let document = json(&read(&output));
    let jobs = document["jobs"].as_array().expect("jobs");
    assert_eq!(jobs.len(), 2);
    for job in jobs {
        let options = &job["job options"];
        let given = ["rw", "iodepth", "numjobs", "bs"].map(|name| options[name].as_str().unwrap_or("-").to_owned());
        assert_eq!(given, ["randread", "1", "2", "4k"].map(str::to_owned));
        assert!(job["read"]["iops"].as_f64().expect("IOPS") > 0.0);
    }
    for number in 1..=2 {
        for kind in ["bw", "iops", "lat", "clat", "slat"] {
            let lines = read(format!("{log}_{kind}.{number}.log"));
            // time, value, direction, block size[, ...]
            assert!(lines.lines().all(|l| l.split(',').count() >= 4), "{kind}: {lines}");
            assert!(lines.lines().count() >= 2, "{kind}: {lines}");
        }
    }
    // Its preconditioning job doubles the percent sign and uses the size of the whole file.
    std::fs::write(stand.data("whole"), vec![7; 2 << 20]).expect("a file of ours");
    let job = format!(
        "[precondition]\nname=precondition\nioengine=libaio\ndirect=1\nbs=1m\nrw=write\niodepth=64\nnumjobs=1\n\
         buffered=0\nsize=100%%\nloops=2\nrandrepeat=0\nnorandommap=1\noverwrite=1\nfilename={}\n",
        stand.data("whole")
    );
    let job = stand.write("precondition.fio", &job);
    let document = json(&good(&stand.fio(&["--output-format=json", &job])));
    assert_eq!(document["jobs"][0]["write"]["io_bytes"], 4 << 20, "twice the file");
}

#[test]
fn kdiskmark_s_two_calls() {
    let _beside = beside();
    let stand = Stand::new();
    let file = format!("--filename={}", stand.data("kdiskmark-AbCdEf.tmp"));
    let prepare =
        ["--output-format=json", "--create_only=1", &file, "--size=16m", "--zero_buffers=0", "--name=prepare"];
    json(&good(&stand.fio(&prepare)));
    for (rw, mix) in [("read", "70"), ("write", "70"), ("rw", "70")] {
        let mix = format!("--rwmixread={mix}");
        let (name, direction) = (format!("--name={rw}"), format!("--rw={rw}"));
        let run = [
            "--output-format=json",
            "--ioengine=libaio",
            "--randrepeat=0",
            "--refill_buffers=1",
            "--end_fsync=1",
            "--direct=1",
            &mix,
            &file,
            &name,
            "--size=16m",
            "--zero_buffers=0",
            "--bs=1024k",
            "--runtime=1",
            &direction,
            "--iodepth=8",
            "--numjobs=1",
            "--group_reporting",
        ];
        let document = json(&good(&stand.fio(&run)));
        let job = &document["jobs"][0];
        let way = if rw == "write" { "write" } else { "read" };
        whole(&job[way], &["bw", "bw_bytes"]);
        assert!(job[way]["bw"].as_u64().expect("whole") > 0, "{rw}: {job}");
        assert!(job[way]["iops"].is_number() && job[way]["lat_ns"]["mean"].is_number());
    }
}

#[test]
fn kubestr_s_job_file_and_its_whole_numbers() {
    let _beside = beside();
    let stand = Stand::new();
    let job = "[global]\nrandrepeat=0\nverify=0\nioengine=libaio\ndirect=1\ngtod_reduce=1\n[job1]\nname=read_iops\nbs=4K\n\
               iodepth=64\nsize=16M\nreadwrite=randread\ntime_based\nramp_time=1s\nruntime=1s\n[job2]\nname=write_iops\n\
               bs=4K\niodepth=64\nsize=16M\nreadwrite=randwrite\ntime_based\nramp_time=1s\nruntime=1s\n";
    let job = stand.write("default-fio", job);
    let data = stand.sandbox.data().display().to_string();
    let document = json(&good(&stand.fio(&["--directory", &data, &job, "--output-format=json"])));
    whole(&document, &["timestamp", "timestamp_ms"]);
    assert!(document["time"].is_string() && document["fio version"].is_string());
    let names: Vec<&str> =
        document["jobs"].as_array().expect("jobs").iter().filter_map(|j| j["jobname"].as_str()).collect();
    assert_eq!(names, ["read_iops", "write_iops"]);
    for (job, rw) in document["jobs"].as_array().expect("jobs").iter().zip(["randread", "randwrite"]) {
        assert_eq!(job["job options"]["rw"], rw, "canonical names, whatever alias was written");
        assert!(job["job options"].as_object().expect("options").values().all(Value::is_string));
        whole(job, &["groupid", "error", "eta", "elapsed", "job_runtime", "ctx", "majf", "minf"]);
        whole(job, &["latency_depth", "latency_target", "latency_window"]);
        for way in ["read", "write", "trim"] {
            let way = &job[way];
            whole(way, &["io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios"]);
            whole(way, &["bw_min", "bw_max", "bw_samples", "iops_min", "iops_max", "iops_samples"]);
            ["slat_ns", "clat_ns", "lat_ns"].iter().for_each(|of| whole(&way[of], &["min", "max", "N"]));
        }
    }
    for disk in document["disk_util"].as_array().into_iter().flatten() {
        whole(disk, &["read_ios", "write_ios", "read_merges", "write_merges", "read_ticks", "write_ticks", "in_queue"]);
    }
}

#[test]
fn fio_cdm_s_job_file_with_a_size_that_has_a_point() {
    let _beside = beside();
    let stand = Stand::new();
    let mut job = format!(
        "[global]\nioengine=libaio\nfilename=.fio_testmark\ndirectory={}\nsize=8388608.0\ndirect=1\nruntime=1\n\
         refill_buffers\nnorandommap\nrandrepeat=0\nallrandrepeat=0\ngroup_reporting\n\n",
        stand.sandbox.data().display()
    );
    for (kind, bs, q, t) in [("seq", "1m", 8, 1), ("rnd", "4k", 32, 4)] {
        for rw in ["read", "write"] {
            let how = if kind == "seq" { rw.to_owned() } else { format!("rand{rw}") };
            job += &format!(
                "[{kind}-{rw}-{bs}-q{q}-t{t}]\nrw={how}\nbs={bs}\nrwmixread=0\niodepth={q}\nnumjobs={t}\nloops=2\nstonewall\n\n"
            );
        }
    }
    let job = stand.write("tmp1234.jobfile", &job);
    let document = json(&good(&stand.fio(&["--output-format", "json", &job])));
    let jobs = document["jobs"].as_array().expect("jobs");
    let names: Vec<&str> = jobs.iter().filter_map(|j| j["jobname"].as_str()).collect();
    assert_eq!(names, ["seq-read-1m-q8-t1", "seq-write-1m-q8-t1", "rnd-read-4k-q32-t4", "rnd-write-4k-q32-t4"]);
    for (job, way) in jobs.iter().zip(["read", "write", "read", "write"]) {
        let way = &job[way];
        assert!(way["bw_bytes"].as_u64().expect("whole") > 0 && way["iops"].is_number());
        assert!(way["lat_ns"]["mean"].as_f64().expect("a mean") > 0.0);
    }
}

#[test]
fn yabs_s_disk_test_reads_its_fields_of_one_line() {
    let _beside = beside();
    let stand = Stand::new();
    let script = r#"
        FIO_CMD=fio DISK_PATH=$DATA FIO_SIZE=16M
        $FIO_CMD --name=setup --ioengine=libaio --rw=read --bs=64k --iodepth=64 --numjobs=2 --size=$FIO_SIZE --runtime=1 --gtod_reduce=1 --filename="$DISK_PATH/test.fio" --direct=1 --minimal &> /dev/null || exit 9
        for BS in 4k 64k; do
            DISK_TEST=$(timeout 35 "$FIO_CMD" --name=rand_rw_"$BS" --ioengine=libaio --rw=randrw --rwmixread=50 --bs="$BS" --iodepth=64 --numjobs=2 --size="$FIO_SIZE" --runtime=1 --gtod_reduce=1 --direct=1 --filename="$DISK_PATH/test.fio" --group_reporting --minimal 2> /dev/null | grep rand_rw_"$BS")
            for field in 7 8 48 49; do
                RAW=$(echo "$DISK_TEST" | awk -F';' "{print \$$field}")
                [ "$RAW" -ge 1 ] || exit $field
                echo "$BS $field $RAW"
            done
        done
    "#;
    let said = good(&stand.sh(script));
    assert_eq!(said.lines().count(), 8, "{said}");
}

#[test]
fn lkp_tests_pipe_their_task_in() {
    let _beside = beside();
    let stand = Stand::new();
    let task = "\n\n[global]\nbs=4k\nioengine=libaio\niodepth=32\nsize=8388608\ndirect=1\nruntime=1\n\
                file_service_type=roundrobin\nrandom_distribution=random\ngroup_reporting\npre_read=0\n\nnr_files=1\n\
                filesize=8388608\ninvalidate=1\nfallocate=posix\nio_size=8388608\n\ntime_based\n\nbuffered=0\n\n\
                allrandrepeat=0\n\n[task_0]\nrw=randread\ndirectory=DATA\nnumjobs=2\n\n";
    stand.write("task", &task.replace("DATA", &stand.sandbox.data().display().to_string()));
    let script = r#"
        sed 's/^\[task_0\]/create_only=1\n\n&/' "$OUT/task" | fio --output-format=json - >/dev/null || exit 9
        task=$(cat "$OUT/task")
        echo "$task" | fio --output-format=json - >"$OUT/fio.output"
    "#;
    assert_eq!(good(&stand.sh(script)), "");
    let document = json(&read(stand.sandbox.path("fio.output")));
    let job = &document["jobs"][0];
    assert_eq!(job["jobname"], "task_0");
    for percentile in ["90.000000", "95.000000", "99.000000"] {
        assert!(job["read"]["clat_ns"]["percentile"][percentile].is_u64(), "{}", job["read"]["clat_ns"]);
    }
    assert!(job["read"]["slat_ns"]["stddev"].is_number() && job["read"]["total_ios"].as_u64().expect("whole") > 0);
    assert!(job["latency_us"].is_object() && job["latency_ms"].is_object());
}

#[test]
fn blktests_probes_and_runs() {
    let _beside = beside();
    let stand = Stand::new();
    let script = r#"
        fio --parse-only --terse-version=4 >/dev/null 2>&1 || exit 11
        # Its tests of zoned devices ask so whether they can run.
        fio --cmdhelp=zonemode 2>&1 | grep -q zbd || exit 12
        fio --parse-only --name=test --ioengine=pvsync2 --hipri=1 1>/dev/null 2>&1 || exit 13
        [ "$(fio --version | cut -c 5- | sed 's/-.*//' | cut -d. -f1)" = 3 ] || exit 14
        for opt in exitall_on_error gtod_reduce; do
            fio --cmdhelp=all |& grep -q "^${opt}[[:blank:]]" || exit 15
        done
        TMPDIR=$OUT
        _run_fio() {
            local args=("--output=$TMPDIR/fio_perf" "--output-format=terse" "--terse-version=4" "--group_reporting=1" "--runtime=1")
            fio "${args[@]}" "$@"
            local rc=$?
            [ $rc = 0 ] || { echo "fio exited with status $rc"; cat "$TMPDIR"/fio_perf; }
            return $rc
        }
        T="--filename=$DATA/file --size=4m"
        _run_fio --bs=4k --rw=randread --norandommap --numjobs="$(nproc)" --name=reads --direct=1 $T || exit 21
        _run_fio --name=verify --rw=randwrite --direct=1 --ioengine=libaio --bs=4k --iodepth=16 --verify=crc32c --verify_state_save=0 $T || exit 22
        _run_fio --bs=4k --rw=randwrite --norandommap --fsync=1 --number_ios=16 --numjobs=4 --name=flushes $T || exit 23
        _run_fio --bs=4k --ioengine=sync --rw=randread --norandommap --name=sync --direct=1 $T || exit 24
        _run_fio --bs=4k --rw=randread --norandommap --numjobs=2 --name=reads --direct=1 $T --clocksource=clock_gettime || exit 25
        _run_fio --bs=4k --rw=randread --norandommap --numjobs=2 --name=reads --direct=1 $T --ignore_error=EIO,ENXIO,ENODEV || exit 26
        _run_fio --bs=4k --rw=randread --norandommap --numjobs=2 --name=reads --direct=1 $T --time_based --runtime=1 --continue_on_error=io || exit 27
        [ "$(wc -l < "$TMPDIR/fio_perf")" = 1 ] || exit 28
        IFS=';' read -ra value_array < "$TMPDIR/fio_perf"
        [ "${value_array[0]}" = 4 ] && [ "${value_array[7]}" -gt 0 ] || exit 29
        run_fio() {
            fio "$@" --exitall_on_error=1 --gtod_reduce=1 --aux-path="$OUT/aux" 2>&1 || exit 31
            grep -q ', io=[0-9].*, run=[0-9]' "$OUT/fio-output.txt" || exit 32
        }
        mkdir -p "$OUT/aux"
        run_fio --verify=md5 --rw=randwrite --bs=4K --loops=$((10**6)) --iodepth=64 --group_reporting --sync=1 --direct=1 --ioengine=libaio --directory="$DATA" --runtime=1 --name=data-integrity-test-mq --thread --numjobs=4 --output="$OUT/fio-output.txt" --size=1m
    "#;
    assert_eq!(good(&stand.sh(script)), "", "its tests compare what is printed with what they expect");
}
