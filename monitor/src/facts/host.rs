//! Facts about the machine: name, kernel, CPUs, memory, and our control group's CPU and memory limits.

use super::virtualization::virtualization;
use crate::Roots;
use crate::cgroup::{Member, Version, groups};
use crate::mounts::kernel_mounts;
use crate::roots::{number, text, value, word};
use model::{Bytes, record::HostFacts};
use std::path::Path;
use sys::file_systems::Mount;

/// Returns facts about the machine. Unavailable facts are left empty or zero. The function never fails, because runs do
/// not depend on these facts.
#[must_use]
pub fn host(roots: &Roots) -> HostFacts {
    if let Some(facts) = (*roots == Roots::host()).then(sys::process::system_facts).flatten() {
        return HostFacts {
            hostname: sys::process::host_name(),
            kernel: facts.system,
            cpu_model: facts.cpu_model,
            cpus: facts.cpus,
            memory: Bytes(facts.memory),
            memory_available: Bytes(facts.memory_available),
            ..HostFacts::default()
        };
    }
    let mounts = kernel_mounts(roots);
    let cpuinfo = text(&roots.proc.join("cpuinfo")).unwrap_or_default();
    let meminfo = text(&roots.proc.join("meminfo")).unwrap_or_default();
    let kernel = |file: &str| word(&roots.proc.join("sys/kernel").join(file)).unwrap_or_default();
    let status = text(&roots.proc.join("self/status")).unwrap_or_default();
    let memory = meminfo_bytes(&meminfo, "MemTotal").unwrap_or_default();
    let processors = count_processors(&cpuinfo);
    let cpus = field(&status, "Cpus_allowed_list").and_then(count_cpus).unwrap_or(processors);
    HostFacts {
        hostname: kernel("hostname"),
        kernel: format!("{} {}", kernel("ostype"), kernel("osrelease")).trim().to_owned(),
        cpu_model: cpu_model(&cpuinfo),
        cpus,
        processors: if processors > cpus { processors } else { 0 },
        cpu_quota: cpu_quota(roots, &mounts, Member::Own).filter(|quota| *quota < f64::from(cpus)),
        memory,
        memory_limit: memory_limit(roots, &mounts, Member::Own).filter(|limit| *limit < memory),
        memory_available: meminfo_bytes(&meminfo, "MemAvailable").unwrap_or_default(),
        virtualization: virtualization(roots, &cpuinfo),
        clocksource: word(&roots.sys.join("devices/system/clocksource/clocksource0/current_clocksource"))
            .unwrap_or_default(),
    }
}

/// Returns the value after `KEY:` on a separate line.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|l| l.split_once(':').filter(|(k, _)| k.trim() == key)).map(|(_, value)| value.trim())
}

/// Parses a line such as `MemTotal: 49368192 kB`, in which kB means 1024 bytes (proc(5)).
pub(crate) fn meminfo_bytes(meminfo: &str, key: &str) -> Option<Bytes> {
    let mut words = field(meminfo, key)?.split_whitespace();
    let value: u64 = words.next()?.parse().ok()?;
    let unit = if words.next() == Some("kB") { 1024 } else { 1 };
    value.checked_mul(unit).map(Bytes)
}

/// Returns the number of CPUs in a list such as `0-3,8,10-11`.
fn count_cpus(list: &str) -> Option<u32> {
    let mut count = 0u32;
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

fn count_processors(cpuinfo: &str) -> u32 {
    let lines = cpuinfo.lines().filter(|l| l.split_once(':').is_some_and(|(k, _)| k.trim() == "processor"));
    u32::try_from(lines.count()).unwrap_or(u32::MAX)
}

/// Returns the CPU model. The kernel lists its name for x86 and most other architectures, but only vendor and part
/// numbers for arm64.
fn cpu_model(cpuinfo: &str) -> String {
    for key in ["model name", "Processor", "cpu", "Model Name"] {
        if let Some(name) = field(cpuinfo, key).filter(|n| !n.is_empty()) {
            return name.to_owned();
        }
    }
    match (field(cpuinfo, "CPU implementer"), field(cpuinfo, "CPU part")) {
        (Some(maker), Some(part)) => format!("implementer {maker} part {part}"),
        _ => String::new(),
    }
}

/// Returns the CPU quota in CPUs (quota divided by period): the lowest quota of the group and its ancestors, because
/// quotas are hierarchical in both versions.
pub(crate) fn cpu_quota(roots: &Roots, mounts: &[Mount], who: Member) -> Option<f64> {
    let mut least: Option<f64> = None;
    for group in groups(roots, mounts, "cpu", who) {
        for dir in &group.chain {
            let quota = match group.version {
                Version::V1 => quota_v1(dir),
                Version::V2 => word(&dir.join("cpu.max")).and_then(|line| quota_v2(&line)),
            };
            least = [least, quota].into_iter().flatten().reduce(f64::min);
        }
    }
    least
}

fn quota_v1(dir: &Path) -> Option<f64> {
    // -1 means no quota and does not parse as an unsigned number.
    let quota = number(&dir.join("cpu.cfs_quota_us"))?;
    let period = number(&dir.join("cpu.cfs_period_us")).filter(|p| *p > 0)?;
    Some(quota as f64 / period as f64)
}

/// Parses `20000 100000`, or `max 100000` for no quota.
fn quota_v2(line: &str) -> Option<f64> {
    let (quota, period) = line.split_once(' ')?;
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.trim().parse().ok()?);
    (period > 0).then(|| quota as f64 / period as f64)
}

/// Returns the lowest memory limit of the group and its ancestors.
pub(crate) fn memory_limit(roots: &Roots, mounts: &[Mount], who: Member) -> Option<Bytes> {
    let mut limits = Vec::new();
    for group in groups(roots, mounts, "memory", who) {
        let file = match group.version {
            Version::V1 => "memory.limit_in_bytes",
            Version::V2 => "memory.max",
        };
        limits.extend(group.chain.iter().filter_map(|dir| number(&dir.join(file))));
        // Ancestors hidden by a namespace still count; version 1 reports the lowest limit of all of them here.
        let stat = text(&group.dir().join("memory.stat")).unwrap_or_default();
        limits.extend(value(&stat, "hierarchical_memory_limit "));
    }
    limits.into_iter().min().map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cpu_lists_are_counted_and_nonsense_is_not() {
        assert_eq!(count_cpus("0-1"), Some(2));
        assert_eq!(count_cpus("0-3,8,10-11"), Some(7));
        assert_eq!(count_cpus("5"), Some(1));
        for bad in ["", "3-1", "a", "1-", "0-4294967295,0-4294967295"] {
            assert_eq!(count_cpus(bad), None, "{bad}");
        }
    }

    #[test]
    fn quotas_are_in_cpus_and_max_is_none() {
        assert_eq!(quota_v2("20000 100000"), Some(0.2));
        assert_eq!(quota_v2("max 100000"), None);
        assert_eq!(quota_v2("20000 0"), None);
        assert_eq!(quota_v2("20000"), None);
    }

    #[test]
    fn the_cpu_model_is_named_on_x86_and_numbered_on_arm() {
        assert_eq!(cpu_model("processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n"), "AMD EPYC");
        assert_eq!(
            cpu_model("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "implementer 0x41 part 0xd0c"
        );
        assert_eq!(cpu_model(""), "");
        assert_eq!(count_processors("processor\t: 0\n\nprocessor\t: 1\nprocessors: 9"), 2);
    }

    #[test]
    fn memory_is_read_in_kibibytes() {
        let text = "MemTotal:       49368192 kB\nHugePages_Total:       3\nMemBad: x kB\n";
        assert_eq!(meminfo_bytes(text, "MemTotal"), Some(Bytes(49_368_192 * 1024)));
        assert_eq!(meminfo_bytes(text, "HugePages_Total"), Some(Bytes(3)));
        assert_eq!(meminfo_bytes(text, "MemBad"), None);
        assert_eq!(meminfo_bytes(text, "MemFree"), None);
    }

    #[test]
    fn this_machine_knows_itself() {
        let host = host(&Roots::host());
        assert!(["Linux ", "Windows "].iter().any(|system| host.kernel.starts_with(system)), "{}", host.kernel);
        assert!(host.cpus > 0 && !host.memory.is_zero() && host.memory_available <= host.memory);
        assert!(!host.hostname.is_empty());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in "\\PC*", list in "[0-9,-]*") {
            let _ = (count_cpus(&list), quota_v2(&text), cpu_model(&text), meminfo_bytes(&text, "a"));
        }
    }
}
