//! Engine, options of engines, and durability of writes.

use super::other_work::{self, CpuMode};
use crate::engines::IoEngine;
use crate::options::{Context, JobOptions, OFF, OptionSpec, option, put, put_dirs, refuse};
use crate::units;
use crate::value::{Kind, RefusedWord, Value, word, words};
use crate::value_error::ValueError;
use messages::sentence;
use model::{Bytes, EngineOption, OptionValue};

/// Engine and its options.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineOptions {
    /// Requested engine.
    pub engine: IoEngine,
    /// True if the page cache is bypassed.
    pub direct: bool,
    /// Durability of each write before it returns.
    pub sync: SyncMode,
    /// Number of writes between flushes of data and metadata; 0 = never.
    pub fsync: u32,
    /// Number of writes between flushes of data; 0 = never.
    pub fdatasync: u32,
    /// Expected lifetime of the data.
    pub write_hint: WriteHint,
    /// Names and values of engine options that differ from their defaults.
    pub given: Vec<(&'static str, String)>,
    /// Percent of reads, writes and trims that use the priority in the three fields below.
    pub prio_percent: [u8; 3],
    /// Class of that priority.
    pub prio_class: [u8; 3],
    /// Level of that priority.
    pub prio_level: [u8; 3],
    /// Hint of that priority.
    pub prio_hint: [u16; 3],
    /// Priorities by block size, for reads and for writes.
    pub prio_split: [Vec<PrioShare>; 2],
}

/// Share of the operations of one size, with a priority; `None` = that of `cmdprio_class`, `cmdprio`, `cmdprio_hint`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrioShare {
    /// Block size.
    pub size: Bytes,
    /// Percent of the operations of this size.
    pub percent: u8,
    /// Class, level, hint.
    pub priority: Option<(u8, u8, u16)>,
}

impl EngineOptions {
    /// Returns the value of an engine option, or `None` if it is the default.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(n, _)| *n == name).map(|(_, text)| text.as_str())
    }

    /// Stores an engine option; the last value wins.
    pub(crate) fn keep(&mut self, option: &'static EngineOption, value: Value) {
        let text = match (value, option.value) {
            (Value::Bool(on), _) => u8::from(on).to_string(),
            (Value::Int(number), _) => number.to_string(),
            (Value::Word(index, _), OptionValue::Words(words, _)) => words[index].name.to_owned(),
            (Value::Text(text), _) => text,
            (other, _) => unreachable!("{} is no {other:?}", option.name),
        };
        self.given.retain(|(name, _)| *name != option.name);
        if text != option.default {
            self.given.push((option.name, text));
        }
    }

    /// Returns the shares of operations with a priority in the form that engines take: `direction/size/percent/value`,
    /// separated by commas. `None` if there are none.
    #[must_use]
    pub fn priorities(&self) -> Option<String> {
        let ways = [0, 1].into_iter().flat_map(|way| self.shares_of(way).map(move |share| (way, share)));
        let entries: Vec<String> =
            ways.map(|(way, (size, percent, value))| format!("{way}/{size}/{percent}/{value}")).collect();
        (!entries.is_empty()).then(|| entries.join(","))
    }

    /// Returns the distinct priorities given for reads (0) or writes (1), in the order in which they were given.
    #[must_use]
    pub fn priorities_of(&self, way: usize) -> Vec<u16> {
        let mut values: Vec<u16> = Vec::new();
        for (_, _, value) in self.shares_of(way) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// Returns size (0 = all), percent, and the priority as encoded for `ioprio_set(2)`.
    fn shares_of(&self, way: usize) -> impl Iterator<Item = (u64, u8, u16)> + '_ {
        let value = |(class, level, hint): (u8, u8, u16)| u16::from(class) << 13 | hint << 3 | u16::from(level);
        let usual = (self.prio_class[way], self.prio_level[way], self.prio_hint[way]);
        let whole = (0, self.prio_percent[way], value(usual));
        let split = self.prio_split[way].iter();
        let split = split.map(move |s| (s.size.as_u64(), s.percent, value(s.priority.unwrap_or(usual))));
        std::iter::once(whole).chain(split).filter(|(_, percent, _)| *percent > 0)
    }
}

impl EngineOptions {
    /// Returns the defaults of an engine.
    #[must_use]
    pub fn new(engine: IoEngine) -> Self {
        EngineOptions {
            engine,
            direct: false,
            sync: SyncMode::None,
            fsync: 0,
            fdatasync: 0,
            write_hint: WriteHint::None,
            given: Vec::new(),
            prio_percent: [0; 3],
            prio_class: [1; 3],
            prio_level: [0; 3],
            prio_hint: [0; 3],
            prio_split: [const { Vec::new() }; 2],
        }
    }
}

const NETWORK: &str = "network transfers are no storage test";
const DAEMON: &str = "it needs the client library of a cluster; mount or map the volume and test that";
const FILES_ONLY: &str = "it marks files; secchi makes, looks at and removes them (filecreate, filestat, filedelete)";
const PMEM: &str = "persistent memory is reached through its block device or file system";
const NO_ENCRYPTION: &str = "images are not decrypted; test an image without encryption";
const SPDK: &str = "SPDK's own driver takes the device from the kernel; use io_uring on the block device";

const NO_ENGINE: &[RefusedWord] = &[
    ("rados", DAEMON),
    ("gfapi", DAEMON),
    ("gfapi_async", DAEMON),
    ("libhdfs", DAEMON),
    ("ime_psync", DAEMON),
    ("ime_psyncv", DAEMON),
    ("ime_aio", DAEMON),
    ("libiscsi", DAEMON),
    ("nbd", DAEMON),
    ("dfs", DAEMON),
    ("libblkio", "it needs the libblkio library; use io_uring on the device"),
    ("net", NETWORK),
    ("netsplice", NETWORK),
    ("rdma", NETWORK),
    ("librpma_apm_client", NETWORK),
    ("librpma_apm_server", NETWORK),
    ("librpma_gpspm_client", NETWORK),
    ("librpma_gpspm_server", NETWORK),
    ("xnvme", "it needs the xNVMe library; use io_uring_cmd"),
    ("spdk", SPDK),
    ("spdk_nvme", SPDK),
    ("spdk_bdev", SPDK),
    // SPDK's plugin before version 20.01.
    ("fio_plugin", SPDK),
    ("unvme_fio", "a driver of its own takes the device from the kernel; use io_uring on the block device"),
    ("daos_fio", DAEMON),
    ("external", "no shared objects are loaded into the measurement"),
    ("filexattr", FILES_ONLY),
    ("mtd", "raw flash is not reached; use the block device above it"),
    ("pmemblk", PMEM),
    ("dev-dax", PMEM),
    ("libcufile", "transfers into GPU memory are not done"),
    ("libhipfile", "transfers into GPU memory are not done"),
    ("guasi", "fio itself has given it up; use libaio or io_uring"),
    ("binject", "fio itself has given it up; use psync"),
    ("syslet-rw", "fio itself has given it up; use libaio or io_uring"),
];

words! {
    /// Durability of each write before it returns.
    SyncMode, default None {
        None = "none" | "0": "no",
        Sync = "sync" | "1": "data and metadata (O_SYNC)",
        Dsync = "dsync": "data (O_DSYNC)",
    }
}

words! {
    /// Expected lifetime of written data.
    WriteHint, default None {
        None = "none": "nothing is said",
        Short = "short": "short",
        Medium = "medium": "medium",
        Long = "long": "long",
        Extreme = "extreme": "very long",
    }
}

fn set_engine(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    let Value::Word(index, _) = word(&text, ctx.engines.words(), NO_ENGINE, false)? else { return Ok(()) };
    let Some(engine) = ctx.engines.at(index) else { return Ok(()) };
    job.engine.engine = engine;
    if engine.is_of_another_system() {
        ctx.notes.push(sentence!("job-other-system", engine = engine.word()));
    }
    let instead = engine.runs_as();
    ctx.notes.extend(instead.map(|instead| sentence!("job-engine-instead", engine = engine.word(), instead)));
    Ok(())
}

fn set_prio_split(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 2 {
        return Err("more than two lists: read,write".into());
    }
    for way in 0..2 {
        // One list applies to both directions.
        let Some(list) = parts.get(way).or(parts.first()).filter(|list| !list.is_empty()) else { continue };
        let share = |entry: &str| prio_share(entry, ctx.units);
        job.engine.prio_split[way] = list.split(':').map(share).collect::<Result<_, _>>()?;
    }
    Ok(())
}

fn prio_share(entry: &str, units: units::Units) -> Result<PrioShare, ValueError> {
    let wrong = || ValueError::form(entry, "not size/percent or size/percent/class/level[/hint]");
    let fields: Vec<&str> = entry.split('/').collect();
    let size = units::size(fields[0], units)?;
    let mut numbers = Vec::new();
    for (field, most) in fields[1..].iter().zip([100, 3, 7, 1023]) {
        numbers.push(field.parse::<u16>().ok().filter(|n| *n <= most).ok_or_else(wrong)?);
    }
    let (percent, priority) = match (numbers.as_slice(), fields.len()) {
        ([percent], 2) => (*percent, None),
        ([percent, class, level], 4) => (*percent, Some((*class as u8, *level as u8, 0))),
        ([percent, class, level, hint], 5) => (*percent, Some((*class as u8, *level as u8, *hint))),
        // In fio, a size alone applies to all of its operations, and `1024k/0` to none.
        ([], 1) => (100, None),
        _ => return Err(wrong()),
    };
    Ok(PrioShare { size, percent: percent as u8, priority })
}

fn set_buffered(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    if let Value::Bool(buffered) = value {
        job.engine.direct = !buffered;
    }
    Ok(())
}

/// Handles `atomic`, which implies `direct`.
fn set_atomic(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    if matches!(value, Value::Bool(true)) {
        job.engine.direct = true;
        ctx.notes.push(sentence!("job-atomic-is-direct"));
    }
    Ok(())
}

const AIO: &[&str] = &["libaio", "io_uring"];
const RING: &[&str] = &["io_uring", "io_uring_cmd"];
const RAW: &str = "of raw commands, only reads, writes, flushes and trims without metadata are done";

const WRITES: &[crate::Word] = &[crate::Word { name: "write", aliases: &[], help: "writes" }];
const NVME: &[crate::Word] = &[crate::Word { name: "nvme", aliases: &[], help: "NVMe" }];

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("ioengine", Kind::Engine, "psync", "How operations are sent. The engines that wait for each operation (sync, psync, vsync, pvsync, pvsync2) go one way here: one system call at an offset. On Windows a job that names none has windowsaio, as in fio.").set(set_engine),
    option("direct", Kind::Bool, "0", "Bypass the page cache. Places and sizes must be multiples of the device's block.").set(put!(engine.direct)),
    option("buffered", Kind::Bool, "1", "Go through the page cache: the opposite of `direct`.").set(set_buffered),
    option("atomic", Kind::Bool, "0", "Sets `direct`, as in fio 3.33, whose flag O_ATOMIC Linux does not know: no write is atomic by it.").set(set_atomic),
    option("sync", Kind::words(SyncMode::WORDS), "none", "Writes return only when they are durable.").set(put!(engine.sync)),
    option("fsync", Kind::from(0), "0", "Flush data and metadata after this many writes of a clone; the flush has its own latency in the report.").set(put!(engine.fsync)),
    option("fdatasync", Kind::from(0), "0", "Flush data after this many writes of a clone.").set(put!(engine.fdatasync)),
    refuse("sync_file_range", "Writes back what was written after so many writes.", "use fdatasync, which also waits for the device"),
    refuse("write_barrier", "Every so many writes is a barrier.", "Linux has had no barrier writes since 2.6.37; use fdatasync"),
    option("write_hint", Kind::words(WriteHint::WORDS), "none", "Tells the kernel how long the data is expected to live.").set(put!(engine.write_hint)),
    refuse("hipri_percentage", "Percent of the operations that are polled for.", "all or none are polled for; use hipri").engines(&["pvsync2"]),
    option("http_verbose", Kind::from(0), "0", "In fio, requests are printed.").engines(&["http"]).noted("job-noted-not-printed"),
    refuse("rbd_encryption_format", "Encryption of an image by the client (fio 3.42).", NO_ENCRYPTION).engines(&["rbd"]),
    refuse("rbd_encryption_passphrase", "Its passphrase (fio 3.42).", NO_ENCRYPTION).engines(&["rbd"]),
    option("userspace_reap", Kind::Flag, "0", "In fio, completions are read from the ring without a system call.").engines(&["libaio"]).noted("job-noted-ring"),
    option("nonvectored", Kind::Int { min: -1, max: 1 }, "-1", "In fio, whether operations have a vector of one buffer.").engines(RING).noted("job-noted-no-vector"),
    option("uncached", Kind::Int { min: 0, max: 1 }, "0", "Buffered I/O that leaves nothing in the page cache.").engines(&["io_uring", "pvsync2"]).kind(Kind::Words { words: OFF, refused: &[("1", "uncached buffered I/O is not done; use direct=1")], argument: false }),
    option("nowait", Kind::Bool, "0", "Operations that would wait in the kernel fail with EAGAIN instead.").engines(&["libaio", "io_uring", "pvsync2"]).kind(Kind::Words { words: OFF, refused: &[("1", "failing instead of waiting is not done; the wait is measured")], argument: false }),
    option("force_async", Kind::from(0), "0", "Every so many operations go to the kernel's own workers at once.").engines(RING).kind(Kind::Words { words: OFF, refused: &[("1", "operations go the kernel's way; leave it out")], argument: false }),
    option("cmdprio_percentage", Kind::PerDirection(&Kind::PERCENT), "0", "Percent of the reads, and of the writes, that have the priority of `cmdprio_class` and `cmdprio`; the others have the job's.").engines(AIO).set(put_dirs!(engine.prio_percent, |v| v as u8)),
    option("cmdprio_class", Kind::PerDirection(&Kind::Int { min: 1, max: 3 }), "1", "Their class of priority: 1 real time, 2 best effort, 3 idle.").engines(AIO).set(put_dirs!(engine.prio_class, |v| v as u8)),
    option("cmdprio", Kind::PerDirection(&Kind::Int { min: 0, max: 7 }), "0", "Their level within the class, 0 highest.").engines(AIO).set(put_dirs!(engine.prio_level, |v| v as u8)),
    option("cmdprio_hint", Kind::PerDirection(&Kind::Int { min: 0, max: 1023 }), "0", "Their hint of priority (fio 3.36).").engines(AIO).set(put_dirs!(engine.prio_hint, |v| v as u16)),
    option("cmdprio_bssplit", Kind::Form("size/percent or size/percent/class/level[/hint], separated by `:`; up to two: read,write"), "", "The same by block size.").engines(AIO).set(set_prio_split),
    option("thp", Kind::Int { min: 0, max: 1 }, "0", "Huge pages for the mapping.").engines(&["mmap"]).kind(Kind::Bool).noted("job-noted-mapping"),
    option("cmd_type", Kind::Words { words: NVME, refused: &[], argument: false }, "nvme", "Kind of raw command.").engines(&["io_uring_cmd"]),
    refuse("md_per_io_size", "Metadata of each raw command (fio 3.36).", RAW).engines(&["io_uring_cmd", "xnvme"]),
    refuse("pi_act", "Protection information of raw commands (fio 3.36).", RAW).engines(&["io_uring_cmd", "xnvme"]),
    refuse("pi_chk", "Checks of protection information (fio 3.36).", RAW).engines(&["io_uring_cmd", "xnvme"]),
    refuse("apptag", "Application tag of raw commands (fio 3.36).", RAW).engines(&["io_uring_cmd", "xnvme"]),
    refuse("apptag_mask", "Mask of the application tag (fio 3.36).", RAW).engines(&["io_uring_cmd", "xnvme"]),
    refuse("deac", "Deallocate with write zeroes (fio 3.38).", RAW).engines(&["io_uring_cmd"]),
    option("write_mode", Kind::Words { words: WRITES, refused: &[("uncor", RAW), ("zeroes", RAW), ("verify", RAW)], argument: false }, "write", "Kind of raw write command (fio 3.38).").engines(&["io_uring_cmd"]),
    refuse("verify_mode", "Kind of raw verify command (fio 3.38).", RAW).engines(&["io_uring_cmd"]),
    refuse("stream_id", "Stream of SCSI writes.", RAW).engines(&["sg"]),
    refuse("fdp", "Flexible data placement of NVMe (fio 3.34).", RAW),
    refuse("fdp_pli", "Placement identifiers (fio 3.34).", RAW),
    refuse("fdp_pli_select", "How placement identifiers are chosen (fio 3.34).", RAW),
    refuse("dataplacement", "Kind of data placement (fio 3.38).", RAW),
    refuse("plids", "Placement identifiers (fio 3.38).", RAW),
    refuse("plid_select", "How placement identifiers are chosen (fio 3.38).", RAW),
    refuse("dp_scheme", "File of placement identifiers (fio 3.38).", RAW),
    option("libaio_vectored", Kind::Bool, "0", "In fio 3.42, libaio sends lists of pieces.").engines(&["libaio"]).noted("job-noted-one-piece"),
    refuse("verify_bytchk", "Kind of SCSI verify command (fio 3.42).", RAW).engines(&["sg"]),
    refuse("read_mode", "Kind of raw read command (fio 3.42).", RAW).engines(&["io_uring_cmd"]),
    refuse("cdb_len", "Length of SCSI commands (fio 3.42).", RAW).engines(&["sg"]),
    refuse("num_range", "Ranges of one discard command (fio 3.36).", "each discard has one range; leave it out"),
    option("cpuload", Kind::from(0), "", "Percent of a CPU that each clone burns, 1 to 100. Needed.").engines(&["cpuio"]).set(other_work::set_load),
    option("cpuchunks", Kind::MICROS, "50000", "Length of a stretch of work; the rest after it makes the load.").engines(&["cpuio"]).set(other_work::set_chunk),
    option("cpumode", Kind::words(CpuMode::WORDS), "noop", "What is computed. With `qsort` a stretch is as long as the sorting takes.").engines(&["cpuio"]).set(put!(other_work.mode)),
    option("exit_on_io_done", Kind::Bool, "0", "End when all jobs with I/O have ended, those that run later included.").engines(&["cpuio"]).set(put!(other_work.until_io_ends)),
    refuse("hostname", "Peer of a network transfer.", NETWORK).engines(&["net", "netsplice", "rdma"]),
    refuse("port", "Port of a network transfer.", NETWORK).engines(&["net", "netsplice", "rdma"]),
    refuse("protocol", "Protocol of a network transfer.", NETWORK).alias(&["proto"]).engines(&["net", "netsplice"]),
    refuse("listen", "Whether it waits for connections.", NETWORK).engines(&["net", "netsplice"]),
    refuse("pingpong", "Whether each message is answered.", NETWORK).engines(&["net", "netsplice"]),
    refuse("nodelay", "TCP_NODELAY.", NETWORK).engines(&["net", "netsplice"]),
    refuse("interface", "Interface of multicast.", NETWORK).engines(&["net", "netsplice"]),
    refuse("ttl", "Time to live of multicast.", NETWORK).engines(&["net", "netsplice"]),
    refuse("window_size", "Window of TCP.", NETWORK).engines(&["net", "netsplice"]),
    refuse("mss", "Segment size of TCP.", NETWORK).engines(&["net", "netsplice"]),
    refuse("verb", "Kind of RDMA transfer.", NETWORK).engines(&["rdma"]),
    refuse("bindname", "Local address of RDMA.", NETWORK).engines(&["rdma"]),
    refuse("serverip", "Peer of librpma.", NETWORK).engines(&["librpma_apm_client"]),
    refuse("direct_write_to_pmem", "Of librpma.", NETWORK).engines(&["librpma_apm_client"]),
    refuse("busy_wait_polling", "Of librpma.", NETWORK).engines(&["librpma_gpspm_server"]),
    refuse("conf", "Configuration of ceph.", DAEMON).engines(&["rados"]),
    refuse("touch_objects", "Makes objects before.", DAEMON).engines(&["rados"]),
    refuse("cont", "Container of DAOS.", DAEMON).engines(&["dfs"]),
    refuse("chunk_size", "Chunk of HDFS or DAOS.", DAEMON).engines(&["libhdfs", "dfs"]),
    refuse("object_class", "Class of DAOS objects.", DAEMON).engines(&["dfs"]),
    refuse("svcl", "Service list of DAOS.", DAEMON).engines(&["dfs"]),
    refuse("volume", "Volume of Gluster.", DAEMON).engines(&["gfapi", "gfapi_async"]),
    refuse("brick", "Server of Gluster.", DAEMON).engines(&["gfapi", "gfapi_async"]),
    refuse("single-instance", "One instance for all threads.", DAEMON).engines(&["libhdfs"]),
    refuse("hdfs_use_direct", "Of libhdfs.", DAEMON).engines(&["libhdfs"]),
    refuse("hdfsdirectory", "Directory of HDFS.", DAEMON).engines(&["libhdfs"]),
    refuse("namenode", "Server of HDFS.", DAEMON).engines(&["libhdfs"]),
    refuse("uri", "Address of an NBD server.", DAEMON).engines(&["nbd"]),
    refuse("initiator", "Name of an iSCSI initiator.", DAEMON).engines(&["libiscsi"]),
    refuse("skip_bad", "Leaves bad blocks out.", "it belongs to mtd, which is not done").engines(&["mtd"]),
    refuse("no_completion_thread", "Of Windows.", "completions are taken by the job's own thread always").engines(&["windowsaio"]),
    refuse("chunck_size", "Chunk of HDFS, as fio once spelt it.", DAEMON).engines(&["libhdfs"]),
    refuse("single_instance", "One instance for all threads.", DAEMON).engines(&["libhdfs"]),
    refuse("xnvme_be", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("vsock", "Transfers between virtual machines.", NETWORK).engines(&["net"]),
    refuse("gpu_dev_id", "A GPU.", NETWORK).engines(&["rdma"]),
    refuse("gpu_dev_ids", "GPUs.", "it belongs to libcufile, which is not done").engines(&["libcufile"]),
    refuse("cuda_io", "Path into GPU memory.", "it belongs to libcufile, which is not done").engines(&["libcufile"]),
    option("program", Kind::Text, "", "The program that the job runs, looked for in PATH. Needed. It runs in the working directory, in a process group of its own and with nothing on its standard input.").engines(&["exec"]).set(put!(other_work.program)),
    option("arguments", Kind::Text, "", "Its arguments, split at spaces; there are no quotes. `%r` stands for the runtime in seconds, `%n` for the name of the job.").engines(&["exec"]).set(put!(other_work.arguments)),
    option("grace_time", Kind::SECONDS, "1", "Time it has to end by itself after SIGTERM, before it is killed.").engines(&["exec"]).set(put!(other_work.grace)),
    option("std_redirect", Kind::Bool, "1", "Whether its output goes to the files NAME.stdout and NAME.stderr, which are written anew; otherwise it goes to standard error.").engines(&["exec"]).set(put!(other_work.redirect)),
    refuse("xnvme_async", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("xnvme_sync", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("xnvme_admin", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("xnvme_dev_nsid", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("xnvme_dev_subnqn", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("xnvme_mem", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("xnvme_iovec", "Of xnvme.", RAW).engines(&["xnvme"]),
    refuse("libblkio_driver", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_path", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_pre_connect_props", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_num_entries", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_queue_size", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_pre_start_props", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_vectored", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_write_zeroes_on_trim", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_wait_mode", "Of libblkio.", DAEMON).engines(&["libblkio"]),
    refuse("libblkio_force_enable_completion_eventfd", "Of libblkio.", DAEMON).engines(&["libblkio"]),
];
