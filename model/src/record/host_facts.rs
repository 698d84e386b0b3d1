//! Facts about the host, collected before the run.

use crate::{Bytes, measured::ErrorNumbers};
use serde::{Deserialize, Serialize};

/// Facts about the machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[serde(default, skip_serializing_if = "crate::units::is_default")]
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

impl HostFacts {
    /// Returns the numbering of the errors on this host.
    #[must_use]
    pub fn error_numbers(&self) -> ErrorNumbers {
        if self.kernel.starts_with("Windows ") { ErrorNumbers::Windows } else { ErrorNumbers::Errno }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_they_are_stands_in_the_record() {
        let numbers = |kernel: &str| HostFacts { kernel: kernel.into(), ..HostFacts::default() }.error_numbers();
        assert_eq!(
            (numbers("Linux 6.18.44"), numbers("Windows 10.0.19045")),
            (ErrorNumbers::Errno, ErrorNumbers::Windows)
        );
        assert_eq!(numbers(""), ErrorNumbers::Errno);
    }
}
