//! Options for threads, CPUs, the order of jobs, and error handling.

use crate::options::{OptionSpec, Setter::Nowhere, noted, option, parse, put, refuse};
use crate::units;
use crate::value::{Kind, Word, words};
use crate::value_error::ValueError;
use model::{Nanos, clip, plan::MemoryPolicy};

/// Options for threads, CPUs, the order of jobs, and error handling.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProcessOptions {
    /// True if threads were requested; secchi always uses threads.
    pub thread: bool,
    /// True if the job waits for all earlier jobs to end.
    pub stonewall: bool,
    /// Name of the job that this job waits for.
    pub wait_for: Option<String>,
    /// True if the end of this job also ends the jobs that `exit_what` selects.
    pub exitall: bool,
    /// Jobs that `exitall` ends.
    pub exit_what: ExitWhat,
    /// True if a failure of this job also ends the jobs that `exit_what` selects.
    pub exitall_on_error: bool,
    /// CPUs that the clones may run on, in ascending order; empty = all CPUs.
    pub cpus: Vec<u32>,
    /// Distribution of the CPUs in `cpus`: shared by all clones, or one CPU per clone.
    pub cpus_policy: CpusPolicy,
    /// Nice value of the threads, -20 to 19.
    pub nice: i32,
    /// I/O priority level within its class, 0 to 7.
    pub prio: Option<u8>,
    /// I/O priority class, 0 to 3.
    pub prio_class: Option<u8>,
    /// Errors that do not end the job.
    pub continue_on_error: ContinueOn,
    /// Error numbers to ignore, for reads, writes and verification.
    pub ignore_error: [Vec<i32>; 3],
    /// NUMA nodes that the clones may run on; empty = all nodes.
    pub numa_nodes: Vec<u32>,
    /// NUMA policy for the clones' memory.
    pub numa_memory: Option<MemoryPolicy>,
    /// Weight in the flow; 0 = the job is not in a flow. A negative value is the amount by which an operation decreases
    /// the counter, as in older fio versions.
    pub flow: i64,
    /// Number of the flow that the job belongs to.
    pub flow_id: u32,
    /// Time that a job waits when it is ahead of its flow.
    pub flow_sleep: Nanos,
    /// Shell command that runs before the job.
    pub before: Option<String>,
    /// Shell command that runs after the job.
    pub after: Option<String>,
}

words! {
    /// Jobs that `exitall` ends.
    ExitWhat, default Group {
        Group = "group": "jobs of the same group",
        Stonewall = "stonewall": "all running jobs; jobs waiting at a stonewall then start",
        All = "all": "all jobs, including waiting ones",
    }
}

words! {
    /// Distribution of the CPUs among the clones.
    CpusPolicy, default Shared {
        Shared = "shared": "all clones share all CPUs",
        Split = "split": "each clone gets one CPU, assigned round-robin",
    }
}

words! {
    /// Errors that do not end the job.
    ContinueOn, default None {
        None = "none" | "0": "every error ends the job",
        Read = "read": "read errors are counted",
        Write = "write": "write errors are counted",
        Io = "io": "read and write errors are counted",
        Verify = "verify": "verification errors are counted",
        All = "all" | "1": "all errors are counted",
    }
}

/// Exclusive upper limit for CPU numbers.
const MOST_CPUS: u32 = 4096;

/// Parses a list of CPUs, such as `0-3,8,10:11`, into CPU numbers in ascending order.
///
/// # Errors
/// Returns an error if the text is not a list of CPUs.
pub fn cpu_list(text: &str) -> Result<Vec<u32>, ValueError> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let one = |t: &str| match t.trim().parse::<u32>() {
            Ok(cpu) if cpu < MOST_CPUS => Ok(cpu),
            _ => Err(ValueError::form(text, "not a list of CPUs, such as 0-3,8")),
        };
        let (low, high) = match part.split_once(['-', ':']) {
            Some((low, high)) => (one(low)?, one(high)?),
            None => (one(part)?, one(part)?),
        };
        if low > high {
            return Err(format!("`{}` descends: put the smaller CPU first", clip(part)).into());
        }
        cpus.extend(low..=high);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

fn node_list(text: &str) -> Result<Vec<u32>, ValueError> {
    if text == "all" { Ok(Vec::new()) } else { cpu_list(text) }
}

fn memory_policy(text: &str) -> Result<Option<MemoryPolicy>, ValueError> {
    let (mode, nodes) = text.split_once(':').unwrap_or((text, ""));
    let nodes = || match nodes {
        "" => Err(format!("`{mode}` needs nodes: {mode}:0").into()),
        nodes => cpu_list(nodes),
    };
    Ok(match mode {
        "default" => None,
        "local" => Some(MemoryPolicy::Local),
        "prefer" => match nodes()?.as_slice() {
            [node] => Some(MemoryPolicy::Prefer(*node)),
            _ => return Err("`prefer` takes one node".into()),
        },
        "bind" => Some(MemoryPolicy::Bind(nodes()?)),
        "interleave" => Some(MemoryPolicy::Interleave(nodes()?)),
        _ => {
            let words = "default local prefer bind interleave".to_owned();
            return Err(ValueError::UnknownWord { given: clip(mode), words, nearest: None });
        }
    })
}

fn cpu_mask(text: &str) -> Result<Vec<u32>, ValueError> {
    let mask = units::count(text)?;
    if mask == 0 {
        return Err("a mask of 0 leaves no CPU".into());
    }
    Ok((0..64).filter(|cpu| mask >> cpu & 1 == 1).collect())
}

fn ignored_errors(text: &str) -> Result<[Vec<i32>; 3], ValueError> {
    let mut lists = [const { Vec::new() }; 3];
    let parts: Vec<&str> = text.splitn(4, ',').collect();
    if parts.len() > 3 {
        return Err("more than three lists: read,write,verify".into());
    }
    for (list, part) in lists.iter_mut().zip(&parts) {
        for error in part.split(':').map(str::trim).filter(|e| !e.is_empty()) {
            list.push(errno(error)?);
        }
    }
    Ok(lists)
}

/// Error codes that can be given by name.
const ERRORS: &str = "EPERM ENOENT EINTR EIO ENXIO EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY ENODEV EINVAL \
    EFBIG ENOSPC EROFS ENODATA EOVERFLOW EILSEQ EOPNOTSUPP ETIMEDOUT ESTALE EREMOTEIO EDQUOT";

fn errno(text: &str) -> Result<i32, ValueError> {
    if let Some(number) = model::measured::errno_number(text).filter(|_| ERRORS.split(' ').any(|name| name == text)) {
        return Ok(number);
    }
    match text.parse::<i32>() {
        Ok(number @ 1..=4095) => Ok(number),
        _ => {
            let hint = model::units::suggestion(text, ERRORS.split(' '));
            Err(format!("`{}` is not an error: use a name such as EIO, or a number 1..4095{hint}", clip(text)).into())
        }
    }
}

const NO_USERS: &str = "the user is not changed; start secchi as that user";
const NO_CGROUP: &str = "control groups are not created or changed; start secchi inside one";

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("thread", Kind::Flag, "0", put!(process.thread))
        .noted("job-noted-threads")
        .help("In fio: run clones as threads instead of processes."),
    noted("threads", Kind::from(1), "", "job-noted-threads-numjobs")
        .help("In fio: option for the tiobench profile, without effect elsewhere."),
    option("stonewall", Kind::Flag, "0", put!(process.stonewall))
        .alias(&["wait_for_previous"])
        .help("Wait until all earlier jobs have ended; also starts a new reporting group."),
    option("wait_for", Kind::Text, "", put!(process.wait_for))
        .help("Wait until the earlier job with this name has ended."),
    option("exitall", Kind::Flag, "0", put!(process.exitall)).help("End all other jobs when this job ends."),
    option("exit_what", Kind::words(ExitWhat::WORDS), "group", put!(process.exit_what))
        .help("Jobs that `exitall` ends."),
    option("exitall_on_error", Kind::Flag, "0", put!(process.exitall_on_error))
        .help("End all jobs when this job fails."),
    option("cpus_allowed", Kind::Form("list of CPUs (0-3,8)"), "", parse!(process.cpus, cpu_list))
        .help("CPUs on which the clones may run."),
    option("cpus_allowed_policy", Kind::words(CpusPolicy::WORDS), "shared", put!(process.cpus_policy))
        .help("Distribution of `cpus_allowed` among the clones."),
    option("cpumask", Kind::Form("whole number with one bit for each of 64 CPUs"), "", parse!(process.cpus, cpu_mask))
        .help("CPUs on which the clones may run, as a bit mask; `cpus_allowed` is easier to read."),
    option("nice", Kind::Int { min: -20, max: 19 }, "0", put!(process.nice)).help("Nice value for the clones."),
    option("prio", Kind::Int { min: 0, max: 7 }, "", put!(process.prio))
        .help("I/O priority within the class, 0 = highest. Only some schedulers use priorities."),
    option("prioclass", Kind::Int { min: 0, max: 3 }, "", put!(process.prio_class))
        .help("I/O priority class: 1 real time, 2 best effort, 3 idle."),
    option("priohint", Kind::words(&[Word::new("0", "none")]), "", Nowhere)
        .help("I/O priority hint (fio 3.36); only 0 is supported."),
    option("continue_on_error", Kind::words(ContinueOn::WORDS), "none", put!(process.continue_on_error))
        .help("Errors that are only counted, without ending the job."),
    option(
        "ignore_error",
        Kind::Form("errors separated by `:` (EIO:ENOSPC, 5:28); up to three lists: read,write,verify"),
        "",
        parse!(process.ignore_error, ignored_errors),
    )
    .help("Errors to ignore."),
    noted("comm", Kind::Text, "", "job-noted-process-name").help("In fio: process name for the job."),
    noted("error_dump", Kind::Bool, "0", "job-noted-errors")
        .help("In fio: print every error that does not end the job."),
    option("exec_prerun", Kind::Text, "", put!(process.before)).help(
        "Shell command (/bin/sh) to run before the job. If the command fails, the job does not start. Its output \
         replaces the file NAME.prerun.txt. Processes that the command leaves running are ended with the run.",
    ),
    option("exec_postrun", Kind::Text, "", put!(process.after))
        .help("Shell command to run after the job. The command's output replaces the file NAME.postrun.txt."),
    noted("ioscheduler", Kind::Text, "", "job-noted-scheduler").help("In fio: set the I/O scheduler of the device."),
    refuse("cgroup", NO_CGROUP).help("Run the job in a control group."),
    refuse("cgroup_weight", NO_CGROUP).help("Weight of the control group."),
    refuse("cgroup_nodelete", NO_CGROUP).help("Keep the control group after the job."),
    refuse("uid", NO_USERS).help("Run the job as another user."),
    refuse("gid", NO_USERS).help("Run the job as another group."),
    option("flow", Kind::Int { min: -(1 << 31), max: u32::MAX as i64 }, "0", put!(process.flow)).help(
        "Weight of the job in its flow. The operation counts of a flow's jobs stay in proportion to their weights, \
         and a job that is ahead waits. 0 = no flow. If any weight in a flow is negative, the flow works as before \
         fio 3.28: each operation adds its weight to a counter that is kept near zero. With weights of 8 and -1, for \
         example, the first job does one operation for every eight operations of the second.",
    ),
    option("flow_id", Kind::from(0), "0", put!(process.flow_id)).help("Number of the flow that the job belongs to."),
    option("flow_sleep", Kind::MICROS, "0", put!(process.flow_sleep))
        .help("Time that a job ahead of its flow waits before checking again."),
    noted("flow_watermark", Kind::Text, "", "job-noted-given-up")
        .help("In older versions of fio: maximum lead of a job in a flow."),
    option("numa_cpu_nodes", Kind::Form("list of nodes (0-1,3) or `all`"), "", parse!(process.numa_nodes, node_list))
        .help("NUMA nodes on whose CPUs the clones may run."),
    option(
        "numa_mem_policy",
        Kind::Form("`default`, `local`, `prefer:NODE`, `bind:NODES` or `interleave:NODES`"),
        "",
        parse!(process.numa_memory, memory_policy),
    )
    .help("NUMA policy for the clones' memory, such as `bind:0-1`."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists_have_ranges() {
        assert_eq!(cpu_list("0-3,8,2"), Ok(vec![0, 1, 2, 3, 8]));
        assert_eq!(cpu_list("1:2"), Ok(vec![1, 2]));
        assert!(cpu_list("3-1").is_err());
        assert!(cpu_list("0-99999999").is_err());
    }

    #[test]
    fn errors_have_names_or_numbers() {
        assert_eq!(errno("EIO"), Ok(5));
        assert_eq!(errno("28"), Ok(28));
        assert!(errno("EOI").unwrap_err().to_string().contains("EIO"));
    }
}
