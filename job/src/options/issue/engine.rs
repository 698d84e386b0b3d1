//! Engine, engine options, and durability of writes.

use super::other_work::{self, CpuMode};
use crate::engines::IoEngine;
use crate::options::{Context, JobOptions, OFF, OptionSpec, Setter::Job, noted, only, option, put, put_dirs, refuse};
use crate::units;
use crate::value::{Kind, RefusedWord, Value, Word, word, words};
use crate::value_error::ValueError;
use messages::sentence;
use model::Bytes;
use model::plan::{EngineOption, OptionValue};

/// Engine of a job and the options that apply to it.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineOptions {
    /// Requested engine.
    pub engine: IoEngine,
    /// True if the page cache is bypassed.
    pub direct: bool,
    /// Durability that each write must reach before it returns.
    pub sync: SyncMode,
    /// Number of writes between flushes of data and metadata; 0 = no flushes.
    pub fsync: u32,
    /// Number of writes between flushes of data only; 0 = no flushes.
    pub fdatasync: u32,
    /// Expected lifetime of the data.
    pub write_hint: WriteHint,
    /// Names and values of engine options that differ from their defaults.
    pub given: Vec<(&'static str, String)>,
    /// Percentage of reads, writes and trims that use the priority in the three fields below.
    pub prio_percent: [u8; 3],
    /// Priority class of the operations that `prio_percent` selects.
    pub prio_class: [u8; 3],
    /// Priority level of the operations that `prio_percent` selects.
    pub prio_level: [u8; 3],
    /// Priority hint of the operations that `prio_percent` selects.
    pub prio_hint: [u16; 3],
    /// Priorities for individual block sizes, for reads and for writes.
    pub prio_split: [Vec<PrioShare>; 2],
}

/// Share of the operations of one size that use a priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrioShare {
    /// Block size.
    pub size: Bytes,
    /// Percentage of the operations of this size.
    pub percent: u8,
    /// Priority class, level and hint. `None` = the priority in `cmdprio_class`, `cmdprio` and `cmdprio_hint`.
    pub priority: Option<(u8, u8, u16)>,
}

impl EngineOptions {
    /// Returns the value of an engine option, or `None` if it has the default value.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(n, _)| *n == name).map(|(_, text)| text.as_str())
    }

    /// Stores the value of an engine option. A later value replaces an earlier one.
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

    /// Returns the shares of operations that use a priority, or `None` if no operations do. The format is the one that
    /// engines expect: entries of the form `direction/size/percent/value`, separated by commas.
    #[must_use]
    pub fn priorities(&self) -> Option<String> {
        let ways = [0, 1].into_iter().flat_map(|way| self.shares_of(way).map(move |share| (way, share)));
        let entries: Vec<String> =
            ways.map(|(way, (size, percent, value))| format!("{way}/{size}/{percent}/{value}")).collect();
        (!entries.is_empty()).then(|| entries.join(","))
    }

    /// Returns the distinct priorities for reads (0) or writes (1), in the order in which they were given.
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

    /// Iterates over the shares of one direction: block size (0 = all sizes), percentage, and priority as encoded for
    /// `ioprio_set(2)`.
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
    /// Returns the default options for an engine.
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

const NETWORK: &str = "network transfers are not a storage test";
const DAEMON: &str =
    "it needs a client library that secchi does not use; mount or map the volume and test it with another engine";
const FILES_ONLY: &str = "extended attributes are not supported; use filecreate, filestat or filedelete";
const PMEM: &str = "use the block device or the file system of the persistent memory";
const NO_ENCRYPTION: &str = "encrypted images are not supported; test an image without encryption";
const SPDK: &str = "SPDK's driver takes the device away from the kernel; use io_uring on the block device";

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
    // Name of SPDK's plugin before version 20.01.
    ("fio_plugin", SPDK),
    ("unvme_fio", "its driver takes the device away from the kernel; use io_uring on the block device"),
    ("daos_fio", DAEMON),
    ("external", "secchi does not load engines from shared objects"),
    ("filexattr", FILES_ONLY),
    ("mtd", "raw flash is not supported; use the block device above it"),
    ("pmemblk", PMEM),
    ("dev-dax", PMEM),
    ("libcufile", "transfers into GPU memory are not supported"),
    ("libhipfile", "transfers into GPU memory are not supported"),
    ("guasi", "fio itself has removed it; use libaio or io_uring"),
    ("binject", "fio itself has removed it; use psync"),
    ("syslet-rw", "fio itself has removed it; use libaio or io_uring"),
];

words! {
    /// Durability that each write must reach before it returns.
    SyncMode, default None {
        None = "none" | "0": "writes can return before data is durable",
        Sync = "sync" | "1": "data and metadata are durable (O_SYNC)",
        Dsync = "dsync": "data is durable (O_DSYNC)",
    }
}

words! {
    /// Expected lifetime of written data.
    WriteHint, default None {
        None = "none": "no hint",
        Short = "short": "short lifetime",
        Medium = "medium": "medium lifetime",
        Long = "long": "long lifetime",
        Extreme = "extreme": "very long lifetime",
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
        // A single list applies to both directions.
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
        // In fio, a size without a percentage applies to all operations of this size, and `1024k/0` to none.
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

/// Sets `direct`, which `atomic` implies.
fn set_atomic(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    if matches!(value, Value::Bool(true)) {
        job.engine.direct = true;
        ctx.notes.push(sentence!("job-atomic-is-direct"));
    }
    Ok(())
}

const AIO: &[&str] = &["libaio", "io_uring"];
const RING: &[&str] = &["io_uring", "io_uring_cmd"];
const RAW: &str = "only raw reads, writes, flushes and trims without metadata are supported";

const WRITES: &[Word] = &[Word::new("write", "writes")];
const NVME: &[Word] = &[Word::new("nvme", "NVMe")];

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("ioengine", Kind::Engine, "psync", Job(set_engine)).help(
        "I/O engine. In secchi, all synchronous engines (sync, psync, vsync, pvsync, pvsync2) make one system call per \
         operation, at an offset. On Windows, the default is windowsaio, as in fio.",
    ),
    option("direct", Kind::Bool, "0", put!(engine.direct)).help(
        "Use direct I/O, bypassing the page cache. Offsets and sizes must be multiples of the device's block size.",
    ),
    option("buffered", Kind::Bool, "1", Job(set_buffered))
        .help("Use buffered I/O through the page cache, the opposite of `direct`."),
    option("atomic", Kind::Bool, "0", Job(set_atomic)).help(
        "Set `direct`, as in fio 3.33. This option does not make writes atomic, because Linux does not support fio's \
         flag O_ATOMIC.",
    ),
    option("sync", Kind::words(SyncMode::WORDS), "none", put!(engine.sync))
        .help("Make each write durable before it returns."),
    option("fsync", Kind::from(0), "0", put!(engine.fsync)).help(
        "Number of writes between a clone's flushes of data and metadata; 0 = no flushes. The report lists the latency \
         of flushes separately.",
    ),
    option("fdatasync", Kind::from(0), "0", put!(engine.fdatasync))
        .help("Number of writes between a clone's flushes of data; 0 = no flushes."),
    refuse("sync_file_range", "use fdatasync, which also waits for the device")
        .help("Number of writes between calls to sync_file_range for the written range."),
    refuse("write_barrier", "Linux has had no barrier writes since 2.6.37; use fdatasync")
        .help("Number of writes between barriers."),
    option("write_hint", Kind::words(WriteHint::WORDS), "none", put!(engine.write_hint))
        .help("Hint to the kernel about the expected lifetime of the data."),
    refuse("hipri_percentage", "either all operations are polled for completion, or none are; use hipri")
        .engines(&["pvsync2"])
        .help("Percentage of operations to poll for completion."),
    noted("http_verbose", Kind::from(0), "0", "job-noted-not-printed")
        .engines(&["http"])
        .help("In fio: print the HTTP requests."),
    refuse("rbd_encryption_format", NO_ENCRYPTION).engines(&["rbd"]).help("Encryption format of the image (fio 3.42)."),
    refuse("rbd_encryption_passphrase", NO_ENCRYPTION).engines(&["rbd"]).help("Passphrase of the image (fio 3.42)."),
    noted("userspace_reap", Kind::Flag, "0", "job-noted-ring")
        .engines(&["libaio"])
        .help("In fio: reap completions from the ring without a system call."),
    noted("nonvectored", Kind::Int { min: -1, max: 1 }, "-1", "job-noted-no-vector")
        .engines(RING)
        .help("In fio: use commands that take one buffer instead of a vector of buffers."),
    only("uncached", OFF, &[("1", "uncached buffered I/O is not supported; use direct=1")])
        .engines(&["io_uring", "pvsync2"])
        .help("Use buffered I/O that leaves nothing in the page cache; only 0 is supported."),
    only("nowait", OFF, &[("1", "operations always wait, and the wait is measured")])
        .engines(&["libaio", "io_uring", "pvsync2"])
        .help("Let operations fail (EAGAIN) if they would wait in the kernel; only 0 is supported."),
    only("force_async", OFF, &[("1", "the kernel chooses how to issue operations; leave this option out")])
        .engines(RING)
        .help("Pass one in N operations directly to the kernel's workers; only 0 is supported."),
    option("cmdprio_percentage", Kind::PerDirection(&Kind::PERCENT), "0", put_dirs!(engine.prio_percent, |v| v as u8))
        .engines(AIO)
        .help(
            "Percentage of reads and of writes with the priority set by `cmdprio_class` and `cmdprio`; the others \
             use the job's priority.",
        ),
    option(
        "cmdprio_class",
        Kind::PerDirection(&Kind::Int { min: 1, max: 3 }),
        "1",
        put_dirs!(engine.prio_class, |v| v as u8),
    )
    .engines(AIO)
    .help("I/O priority class for prioritised operations: 1 real time, 2 best effort, 3 idle."),
    option(
        "cmdprio",
        Kind::PerDirection(&Kind::Int { min: 0, max: 7 }),
        "0",
        put_dirs!(engine.prio_level, |v| v as u8),
    )
    .engines(AIO)
    .help("I/O priority level within the class for prioritised operations, 0 = highest."),
    option(
        "cmdprio_hint",
        Kind::PerDirection(&Kind::Int { min: 0, max: 1023 }),
        "0",
        put_dirs!(engine.prio_hint, |v| v as u16),
    )
    .engines(AIO)
    .help("I/O priority hint for prioritised operations (fio 3.36)."),
    option(
        "cmdprio_bssplit",
        Kind::Form("size/percent or size/percent/class/level[/hint], separated by `:`; up to two lists: read,write"),
        "",
        Job(set_prio_split),
    )
    .engines(AIO)
    .help("Percentage of prioritised operations for each block size, optionally with their priority."),
    noted("thp", Kind::Bool, "0", "job-noted-mapping").engines(&["mmap"]).help("Use huge pages for the mapping."),
    only("cmd_type", NVME, &[]).engines(&["io_uring_cmd"]).help("Type of raw commands."),
    refuse("md_per_io_size", RAW)
        .engines(&["io_uring_cmd", "xnvme"])
        .help("Metadata size for each raw command (fio 3.36)."),
    refuse("pi_act", RAW)
        .engines(&["io_uring_cmd", "xnvme"])
        .help("Action for the protection information in raw commands (fio 3.36)."),
    refuse("pi_chk", RAW)
        .engines(&["io_uring_cmd", "xnvme"])
        .help("Checks of the protection information in raw commands (fio 3.36)."),
    refuse("apptag", RAW).engines(&["io_uring_cmd", "xnvme"]).help("Application tag for raw commands (fio 3.36)."),
    refuse("apptag_mask", RAW).engines(&["io_uring_cmd", "xnvme"]).help("Mask for the application tag (fio 3.36)."),
    refuse("deac", RAW).engines(&["io_uring_cmd"]).help("Deallocate blocks with write-zeroes commands (fio 3.38)."),
    only("write_mode", WRITES, &[("uncor", RAW), ("zeroes", RAW), ("verify", RAW)])
        .engines(&["io_uring_cmd"])
        .help("Type of raw write commands (fio 3.38)."),
    refuse("verify_mode", RAW).engines(&["io_uring_cmd"]).help("Type of raw verify commands (fio 3.38)."),
    refuse("stream_id", RAW).engines(&["sg"]).help("Stream identifier for SCSI writes."),
    refuse("fdp", RAW).help("Use NVMe flexible data placement (fio 3.34)."),
    refuse("fdp_pli", RAW).help("Placement identifiers (fio 3.34)."),
    refuse("fdp_pli_select", RAW).help("Method of choosing placement identifiers (fio 3.34)."),
    refuse("dataplacement", RAW).help("Type of data placement (fio 3.38)."),
    refuse("plids", RAW).help("Placement identifiers (fio 3.38)."),
    refuse("plid_select", RAW).help("Method of choosing placement identifiers (fio 3.38)."),
    refuse("dp_scheme", RAW).help("File with placement identifiers (fio 3.38)."),
    noted("libaio_vectored", Kind::Bool, "0", "job-noted-one-piece")
        .engines(&["libaio"])
        .help("In fio 3.42: use vectored I/O with libaio."),
    refuse("verify_bytchk", RAW).engines(&["sg"]).help("Type of SCSI verify commands (fio 3.42)."),
    refuse("read_mode", RAW).engines(&["io_uring_cmd"]).help("Type of raw read commands (fio 3.42)."),
    refuse("cdb_len", RAW).engines(&["sg"]).help("Length of SCSI commands (fio 3.42)."),
    refuse("num_range", "each trim has one range; leave this option out")
        .help("Number of ranges per trim command (fio 3.36)."),
    option("cpuload", Kind::from(0), "", Job(other_work::set_load))
        .engines(&["cpuio"])
        .help("Percentage of a CPU that each clone uses, from 1 to 100. Required."),
    option("cpuchunks", Kind::MICROS, "50000", Job(other_work::set_chunk))
        .engines(&["cpuio"])
        .help("Duration of each burst of work; a pause after each burst sets the average load."),
    option("cpumode", Kind::words(CpuMode::WORDS), "noop", put!(other_work.mode))
        .engines(&["cpuio"])
        .help("Computation in a burst of work. With `qsort`, a burst lasts as long as one sort."),
    option("exit_on_io_done", Kind::Bool, "0", put!(other_work.until_io_ends))
        .engines(&["cpuio"])
        .help("End when all jobs with I/O have ended, including jobs that start later."),
    refuse("hostname", NETWORK).engines(&["net", "netsplice", "rdma"]).help("Peer of a network transfer."),
    refuse("port", NETWORK).engines(&["net", "netsplice", "rdma"]).help("Port of a network transfer."),
    refuse("protocol", NETWORK)
        .alias(&["proto"])
        .engines(&["net", "netsplice"])
        .help("Protocol of a network transfer."),
    refuse("listen", NETWORK).engines(&["net", "netsplice"]).help("Listen for connections instead of connecting."),
    refuse("pingpong", NETWORK).engines(&["net", "netsplice"]).help("Reply to each message."),
    refuse("nodelay", NETWORK).engines(&["net", "netsplice"]).help("Set TCP_NODELAY."),
    refuse("interface", NETWORK).engines(&["net", "netsplice"]).help("Network interface for multicast."),
    refuse("ttl", NETWORK).engines(&["net", "netsplice"]).help("Time to live of multicast packets."),
    refuse("window_size", NETWORK).engines(&["net", "netsplice"]).help("TCP window size."),
    refuse("mss", NETWORK).engines(&["net", "netsplice"]).help("TCP maximum segment size."),
    refuse("verb", NETWORK).engines(&["rdma"]).help("RDMA verb."),
    refuse("bindname", NETWORK).engines(&["rdma"]).help("Local RDMA address."),
    refuse("serverip", NETWORK).engines(&["librpma_apm_client"]).help("Address of the librpma server."),
    refuse("direct_write_to_pmem", NETWORK)
        .engines(&["librpma_apm_client"])
        .help("Write directly to persistent memory (librpma)."),
    refuse("busy_wait_polling", NETWORK)
        .engines(&["librpma_gpspm_server"])
        .help("Poll for completions without waiting (librpma)."),
    refuse("conf", DAEMON).engines(&["rados"]).help("Ceph configuration file."),
    refuse("touch_objects", DAEMON).engines(&["rados"]).help("Create the objects before the start."),
    refuse("cont", DAEMON).engines(&["dfs"]).help("DAOS container."),
    refuse("chunk_size", DAEMON).engines(&["libhdfs", "dfs"]).help("HDFS or DAOS chunk size."),
    refuse("object_class", DAEMON).engines(&["dfs"]).help("DAOS object class."),
    refuse("svcl", DAEMON).engines(&["dfs"]).help("DAOS service list."),
    refuse("volume", DAEMON).engines(&["gfapi", "gfapi_async"]).help("Gluster volume."),
    refuse("brick", DAEMON).engines(&["gfapi", "gfapi_async"]).help("Gluster server."),
    refuse("single-instance", DAEMON).engines(&["libhdfs"]).help("Share one instance among all threads."),
    refuse("hdfs_use_direct", DAEMON).engines(&["libhdfs"]).help("Use direct reads (libhdfs)."),
    refuse("hdfsdirectory", DAEMON).engines(&["libhdfs"]).help("HDFS directory."),
    refuse("namenode", DAEMON).engines(&["libhdfs"]).help("HDFS name node."),
    refuse("uri", DAEMON).engines(&["nbd"]).help("Address of an NBD server."),
    refuse("initiator", DAEMON).engines(&["libiscsi"]).help("Name of the iSCSI initiator."),
    refuse("skip_bad", "it belongs to mtd, which is not supported").engines(&["mtd"]).help("Skip bad blocks."),
    refuse("no_completion_thread", "the job's own thread always reaps completions")
        .engines(&["windowsaio"])
        .help("Do not use a separate thread for completions (windowsaio)."),
    refuse("chunck_size", DAEMON).engines(&["libhdfs"]).help("HDFS chunk size, in fio's old spelling."),
    refuse("single_instance", DAEMON).engines(&["libhdfs"]).help("Share one instance among all threads."),
    refuse("xnvme_be", RAW).engines(&["xnvme"]).help("xNVMe backend."),
    refuse("vsock", NETWORK).engines(&["net"]).help("Use vsock for transfers between virtual machines."),
    refuse("gpu_dev_id", NETWORK).engines(&["rdma"]).help("GPU device."),
    refuse("gpu_dev_ids", "it belongs to libcufile, which is not supported")
        .engines(&["libcufile"])
        .help("GPU devices."),
    refuse("cuda_io", "it belongs to libcufile, which is not supported")
        .engines(&["libcufile"])
        .help("Method for transferring data to GPU memory."),
    option("program", Kind::Text, "", put!(other_work.program)).engines(&["exec"]).help(
        "Program to run, looked up in PATH. Required. The program runs in the working directory, in a \
             separate process group and with empty standard input.",
    ),
    option("arguments", Kind::Text, "", put!(other_work.arguments)).engines(&["exec"]).help(
        "Arguments for `program`, separated by spaces; quotes have no effect. `%r` is replaced by the runtime \
             in seconds, and `%n` by the job's name.",
    ),
    option("grace_time", Kind::SECONDS, "1", put!(other_work.grace))
        .engines(&["exec"])
        .help("Time between SIGTERM and SIGKILL if `program` does not end."),
    option("std_redirect", Kind::Bool, "1", put!(other_work.redirect)).engines(&["exec"]).help(
        "Redirect the output of `program` to NAME.stdout and NAME.stderr, replacing these files; with 0, the \
             output goes to standard error.",
    ),
    refuse("xnvme_async", RAW).engines(&["xnvme"]).help("xNVMe asynchronous command interface."),
    refuse("xnvme_sync", RAW).engines(&["xnvme"]).help("xNVMe synchronous command interface."),
    refuse("xnvme_admin", RAW).engines(&["xnvme"]).help("xNVMe admin command interface."),
    refuse("xnvme_dev_nsid", RAW).engines(&["xnvme"]).help("Namespace identifier (xNVMe)."),
    refuse("xnvme_dev_subnqn", RAW).engines(&["xnvme"]).help("Subsystem NQN (xNVMe)."),
    refuse("xnvme_mem", RAW).engines(&["xnvme"]).help("xNVMe memory backend."),
    refuse("xnvme_iovec", RAW).engines(&["xnvme"]).help("Use vectored commands (xNVMe)."),
    refuse("libblkio_driver", DAEMON).engines(&["libblkio"]).help("libblkio driver."),
    refuse("libblkio_path", DAEMON).engines(&["libblkio"]).help("Path of the device (libblkio)."),
    refuse("libblkio_pre_connect_props", DAEMON)
        .engines(&["libblkio"])
        .help("Properties to set before connecting (libblkio)."),
    refuse("libblkio_num_entries", DAEMON).engines(&["libblkio"]).help("Number of entries in a queue (libblkio)."),
    refuse("libblkio_queue_size", DAEMON).engines(&["libblkio"]).help("Queue size (libblkio)."),
    refuse("libblkio_pre_start_props", DAEMON)
        .engines(&["libblkio"])
        .help("Properties to set before starting (libblkio)."),
    refuse("libblkio_vectored", DAEMON).engines(&["libblkio"]).help("Use vectored requests (libblkio)."),
    refuse("libblkio_write_zeroes_on_trim", DAEMON)
        .engines(&["libblkio"])
        .help("Write zeroes instead of trimming (libblkio)."),
    refuse("libblkio_wait_mode", DAEMON).engines(&["libblkio"]).help("Method of waiting for completions (libblkio)."),
    refuse("libblkio_force_enable_completion_eventfd", DAEMON)
        .engines(&["libblkio"])
        .help("Always enable the completion eventfd (libblkio)."),
];
