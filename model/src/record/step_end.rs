//! End of a step: final counts of the workers, and the counts of the kernel.

use crate::{LatencyHistogram, Limit, Nanos, measured::CpuWait};
use serde::{Deserialize, Serialize};

/// Reason why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepStop {
    /// The series was steady.
    Steady,
    /// The time was over.
    #[default]
    Time,
    /// The number of operations was reached.
    Count,
    /// The maximum number of bytes for the run was written.
    Written,
    /// I/O errors, according to the policy.
    Errors,
    /// A signal.
    Signal,
    /// Operations did not return.
    Hung,
}

/// Final counts of a step, from the workers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepEnd {
    /// Time of the end on the run's clock.
    pub at: Nanos,
    /// Reason why the step ended.
    pub stop: StepStop,
    /// Operations submitted to the engine, including ramp and drain.
    pub submitted: u64,
    /// Operations that completed in full, including ramp and drain.
    pub completed: u64,
    /// Operations that failed, including ramp and drain.
    pub failed: u64,
    /// Operations that never returned.
    pub pending: u64,
    /// Bytes of completed operations, including ramp and drain.
    pub bytes: u64,
    /// Ages of the pending operations in nanoseconds, at most 64 of them (censored latencies).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_ages: Vec<Nanos>,
    /// Share of wall time during which the busiest submitting thread ran on a CPU, 0..=1.
    pub busiest_thread: f64,
    /// Maximum delay of a submission after its due time, for open loops.
    pub late_max: Nanos,
    /// Number of times the control group was throttled during the step.
    pub cpu_throttled: u64,
    /// Share of machine CPU time that was idle during the step, 0..=1.
    pub host_idle: Option<f64>,
    /// Share of machine CPU time stolen by the hypervisor during the step, 0..=1.
    pub host_steal: Option<f64>,
    /// Share of machine CPU time used by other processes and kernel threads during the step, 0..=1: time that was not
    /// used by this process, idle or stolen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_others: Option<f64>,
    /// Part of `host_others` used by interrupts and kernel threads, 0..=1. Interrupts and kernel threads serve I/O;
    /// threads that only manage memory are excluded. `None` if the kernel does not list its threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_kernel: Option<f64>,
    /// Share of time that other processes used the CPUs of the submitting threads, 0..=1: a mean weighted by how often
    /// a thread was seen on each CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_near: Option<f64>,
    /// Time that the submitting threads were ready but waited for a CPU, including ramp and drain; `None` if the kernel
    /// does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_wait: Option<CpuWait>,
    /// Resource usage of the submitting threads.
    pub usage: ThreadUsage,
    /// Number of blocks read back and checked, and of corrupt blocks; zero without verification.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub verified: Verified,
    /// Depth at which the search for a latency target settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_depth: Option<u32>,
    /// Time at which that search settled, on the run's clock. Earlier work was part of the search and is not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Nanos>,
    /// Number of zones reset on zoned devices.
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub zone_resets: u64,
    /// Number of reads of missing objects that an engine answered with zeros (objects on a server).
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
    pub absent_reads: u64,
    /// Result of the steady-state rule in `Ends::steady`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyResult>,
    /// First error, as one of the system's numbers ([`crate::measured::ErrorNumbers`]); 0 = none.
    pub first_error: i32,
    /// Limits of the process's control group that differed from the preflight or changed during the step, each with the
    /// time from which it applied. Empty if nothing changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<CapsSeen>,
    /// Actual start on the run's clock, if a command ran first and delayed the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Nanos>,
    /// Work that the step did instead of I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_work: Option<Box<OtherWorkEnd>>,
}

/// Limits of the process's control group from a point in time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapsSeen {
    /// Time at which these limits were first seen, on the run's clock; 0 if they were seen before the step.
    pub from: Nanos,
    /// The limits; empty if they were removed.
    pub limits: Vec<Limit>,
}

/// Resource usage of threads over a step, including ramp and drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadUsage {
    /// User CPU time.
    pub user: Nanos,
    /// System CPU time.
    pub system: Nanos,
    /// Voluntary and involuntary context switches.
    pub switches: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
    /// Page faults that did not need I/O.
    pub minor_faults: u64,
}

impl ThreadUsage {
    /// Adds the usage of another thread.
    pub fn merge(&mut self, other: &ThreadUsage) {
        self.user += other.user;
        self.system += other.system;
        self.switches += other.switches;
        self.major_faults += other.major_faults;
        self.minor_faults += other.minor_faults;
    }
}

/// Result of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verified {
    /// Number of blocks checked.
    pub blocks: u64,
    /// Number of blocks that did not contain the written data.
    pub wrong: u64,
    /// Descriptions of the first few mismatches, one sentence each.
    pub findings: Vec<String>,
}

impl Verified {
    /// Adds the result of another worker.
    pub fn merge(&mut self, other: Verified) {
        let Verified { blocks, wrong, findings } = other;
        self.blocks += blocks;
        self.wrong += wrong;
        self.findings.extend(findings);
    }
}

/// Result of fio's steadystate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyResult {
    /// True if the steady state was reached.
    pub attained: bool,
    /// Maximum deviation or slope at the last check, in the unit of the limit.
    pub criterion: f64,
    /// Slope of the last window, per check.
    pub slope: f64,
    /// Maximum deviation from the mean, in the same unit.
    pub max_deviation: f64,
    /// Operations in each second of the last window.
    pub iops: Vec<f64>,
    /// Bytes in each second of the last window.
    pub bandwidth: Vec<f64>,
    /// Mean completion latency in each second of the last window, in nanoseconds.
    pub latency: Vec<f64>,
}

/// Kernel counts for a step compared with the requested amounts, separately for reads and writes; `None` means that
/// there is no such counter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accounting {
    /// Bytes read by the workers, including ramp and drain.
    pub asked_read: u64,
    /// Bytes written by the workers, including ramp and drain.
    pub asked_write: u64,
    /// Read operations of the workers.
    pub asked_read_ops: u64,
    /// Write operations of the workers.
    pub asked_write_ops: u64,
    /// `/proc/self/io` read_bytes: bytes this process sent to the block layer.
    pub process_read: Option<u64>,
    /// `/proc/self/io` write_bytes.
    pub process_write: Option<u64>,
    /// Read operations charged to the process's control group on the device (before merging and splitting).
    pub cgroup_read_ops: Option<u64>,
    /// Write operations charged to the process's control group on the device.
    pub cgroup_write_ops: Option<u64>,
    /// Bytes read that were charged to the process's control group on the device.
    pub cgroup_read: Option<u64>,
    /// Bytes written that were charged to the process's control group on the device.
    pub cgroup_write: Option<u64>,
    /// Bytes read from the whole device by all processes.
    pub device_read: Option<u64>,
    /// Bytes written to the whole device by all processes.
    pub device_write: Option<u64>,
    /// Operations on the whole device by all processes.
    pub device_ops: Option<u64>,
}

/// Result of a job without I/O.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OtherWorkEnd {
    /// Durations of the periods of work, or of starting, checking and stopping the program; fio reports them as
    /// operations.
    pub turns: LatencyHistogram,
    /// End of the job's program, if it ran one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramEnd>,
}

/// Reason why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// Exited by itself with this code.
    Code(i32),
    /// Killed by a signal that secchi did not send.
    Signal(i32),
    /// Terminated because the job's time was over.
    Stopped,
}
