//! Processes that submit I/O to a traced device.
//!
//! Entries are sorted by process ID and name. If there are more than the maximum, the entry with the highest ID is added
//! to that of its program, and the last program by name to the entry without a name. The entries that remain depend only
//! on the IDs and names of all entries, so periods of a trace can be merged in any grouping.

use serde::{Deserialize, Serialize};

/// Maximum number of processes of a device.
const PROCESSES: usize = 256;
/// Maximum number of programs of a device whose processes have no separate entries.
const PROGRAMS: usize = 64;

/// Reads and writes that a process submitted to a device, before merging and splitting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceProcess {
    /// Process ID, or the ID of the thread if it ended before secchi could look up its process. Missing for kernel
    /// workers, which are summed, and for the sum of the program's processes without separate entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Name of the program, as truncated by the kernel; empty for the sum of all programs without separate entries.
    pub program: String,
    /// Control group or container, shortened; `/` is the root group. Empty if it is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Number of reads and writes.
    pub ops: [u64; 2],
    /// Bytes of the reads and writes.
    pub bytes: [u64; 2],
}

impl DeviceProcess {
    /// Adds the I/O of `other`.
    pub fn add(&mut self, other: &DeviceProcess) {
        let sums = self.ops.iter_mut().chain(&mut self.bytes);
        sums.zip(other.ops.iter().chain(&other.bytes)).for_each(|(sum, part)| *sum = sum.saturating_add(*part));
    }

    /// Returns the bytes of reads and writes.
    #[must_use]
    pub fn all_bytes(&self) -> u64 {
        self.bytes[0].saturating_add(self.bytes[1])
    }

    /// Returns the control group; `None` for the root group or an unknown one.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        Some(self.group.as_str()).filter(|group| !["", "/"].contains(group))
    }

    /// Returns `true` for the sum of all programs without separate entries.
    #[must_use]
    pub fn is_sum(&self) -> bool {
        self.pid.is_none() && self.program.is_empty()
    }
}

/// Adds the I/O of a process, and sums entries beyond the maximum number.
pub(super) fn add_process(processes: &mut Vec<DeviceProcess>, process: DeviceProcess) {
    insert(processes, process);
    let programs = processes.partition_point(|p| p.pid.is_none());
    if processes.len() - programs > PROCESSES
        && let Some(last) = processes.pop()
    {
        insert(processes, DeviceProcess { pid: None, group: String::new(), ..last });
    }
    let programs = processes.partition_point(|p| p.pid.is_none());
    if programs - processes.partition_point(DeviceProcess::is_sum) > PROGRAMS {
        let last = processes.remove(programs - 1);
        insert(processes, DeviceProcess { program: String::new(), ..last });
    }
}

fn insert(processes: &mut Vec<DeviceProcess>, process: DeviceProcess) {
    match processes.binary_search_by(|p| (p.pid, &p.program).cmp(&(process.pid, &process.program))) {
        Ok(at) => {
            processes[at].add(&process);
            if processes[at].group.is_empty() {
                processes[at].group = process.group;
            }
        }
        Err(at) => processes.insert(at, process),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn process(pid: u32, program: &str, bytes: u64) -> DeviceProcess {
        DeviceProcess { pid: Some(pid), program: program.into(), bytes: [0, bytes], ops: [0, 1], ..Default::default() }
    }

    fn merged(parts: &[&[DeviceProcess]]) -> Vec<DeviceProcess> {
        let mut sum = Vec::new();
        parts.iter().copied().flatten().for_each(|process| add_process(&mut sum, process.clone()));
        sum
    }

    #[test]
    fn a_process_is_one_entry_with_the_first_group_that_is_known() {
        let group = |group: &str| DeviceProcess { group: group.into(), ..process(7, "db", 10) };
        let sum = merged(&[&[group(""), process(7, "sh", 5), group("db.service"), group("later")]]);
        let expected = DeviceProcess { ops: [0, 3], bytes: [0, 30], ..group("db.service") };
        assert_eq!(sum, [expected, process(7, "sh", 5)]);
        assert_eq!([group("/").group(), group("").group(), group("db").group()], [None, None, Some("db")]);
    }

    #[test]
    fn processes_and_programs_beyond_the_limits_are_summed() {
        let last = (PROCESSES + PROGRAMS) as u32 + 9;
        let many: Vec<DeviceProcess> = (0..=last).map(|pid| process(pid, &format!("job{pid:03}"), 4096)).collect();
        let sum = merged(&[&many]);
        assert_eq!(sum.len(), PROCESSES + PROGRAMS + 1);
        assert_eq!(sum[0], DeviceProcess { pid: None, ops: [0, 10], bytes: [0, 40_960], ..process(0, "", 0) });
        assert_eq!((sum[1].pid, &*sum[1].program), (None, "job256"));
        assert!(sum[0].is_sum() && !sum[1].is_sum());
    }

    fn period() -> impl Strategy<Value = Vec<DeviceProcess>> {
        let each = (0u32..600, 0u32..90, 0u64..1000).prop_map(|(pid, program, bytes)| DeviceProcess {
            pid: Some(pid).filter(|n| *n > 0),
            ..process(pid, &format!("job{program}"), bytes)
        });
        prop::collection::vec(each, 0..400).prop_map(|period| merged(&[&period]))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn periods_merge_alike_in_any_grouping_beyond_the_limits(a in period(), b in period(), c in period()) {
            let sum = merged(&[&a, &b, &c]);
            prop_assert_eq!(&sum, &merged(&[&a, &merged(&[&b, &c])]));
            let bytes = |part: &[DeviceProcess]| part.iter().map(DeviceProcess::all_bytes).sum::<u64>();
            prop_assert_eq!(bytes(&sum), bytes(&a) + bytes(&b) + bytes(&c));
            prop_assert!(sum.len() <= PROCESSES + PROGRAMS + 1);
        }
    }
}
