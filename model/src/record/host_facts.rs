//! Facts about the host, collected before the run.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// Facts about the machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name.
    pub hostname: String,
    /// Kernel name and release: `Linux 6.18.44`.
    pub kernel: String,
    /// CPU model as reported by the kernel.
    pub cpu_model: String,
    /// Number of CPUs this process may run on.
    pub cpus: u32,
    /// Number of CPUs of the machine if it exceeds `cpus`; otherwise 0.
    #[serde(default, skip_serializing_if = "is_none_more")]
    pub processors: u32,
    /// CPU quota of the control group in CPUs, if it is below `cpus`.
    pub cpu_quota: Option<f64>,
    /// Physical memory.
    pub memory: Bytes,
    /// Memory limit of the process's control group, if below physical memory.
    pub memory_limit: Option<Bytes>,
    /// Available memory at the time of the preflight.
    pub memory_available: Bytes,
    /// Hypervisor, if detected from DMI or CPUID flags (`KVM`, `amazon`).
    pub virtualization: Option<String>,
    /// Clock source of the kernel.
    pub clocksource: String,
}

/// Returns `true` if `processors` is 0: the machine has no more CPUs than the process may use.
fn is_none_more(processors: &u32) -> bool {
    *processors == 0
}
