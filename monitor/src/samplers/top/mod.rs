//! `top.NAME.*` for the processes with the most I/O, without naming any in advance. NAME contains the process ID, the
//! program and the control group or container ([`TopName`]).
//!
//! - `read`, `write` (B/s) and `read_calls`, `write_calls` (ops/s): see the process sampler.
//! - `wait` (percent): time for which the threads waited for block I/O, including swapping in (`/proc/PID/stat`,
//!   field 42), if the kernel accounts for delays. Threads that have ended are not included.
//!
//! In each interval, a process is ranked by bytes, by system calls and by wait; processes without block I/O are not
//! ranked by calls. A process that was once among the first has figures from then on, in each interval in which it does
//! I/O. After [`NAMED`] processes, further ones are named by their program, and after as many programs they are counted
//! as `others`, as are all processes that were never among the first. Half of the names are reserved for busy processes,
//! those with [`BUSY_BYTES`] per second or a wait of [`BUSY_WAIT`]: on an idle machine, any process that writes a log
//! file is among the first.
//!
//! When a parent waits for a child, Linux adds the child's counters to the parent's. Counters that were already
//! attributed to the child are therefore subtracted from the parent. A child that began and ended between two samples
//! counts for its parent, and is lost if the parent does not wait for it.
//!
//! The control groups of the named processes are sampled as well: unlike processes, they have counters of requests and
//! devices.

use super::group::MoreGroups;
use super::process::One;
use super::process::platform::{Stat, io_of};
use super::{Out, Sampler, SamplerEntry, Subjects, TopAccess};
use crate::Roots;
use crate::processes::group_of;
use crate::roots::{names, text, word};
use messages::sentence;
use model::measured::{Layer, Sample, TopName, group_label};
use model::{CompactSort, Nanos, Sentence};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "top", open };

/// Maximum number of processes, and of programs, that are named.
const NAMED: usize = 64;
/// Bytes per second from which a process is busy.
const BUSY_BYTES: f64 = 65_536.0;
/// Wait, as a share of the interval, from which a process is busy.
const BUSY_WAIT: f64 = 0.01;
/// Maximum number of threads of a process whose waits are read.
const THREADS: u64 = 256;
/// Maximum number of ancestors that are searched for the counters of an ended process.
const ANCESTORS: usize = 64;

/// Last reading of a process.
#[derive(Debug, Clone)]
struct Known {
    start: u64,
    parent: u32,
    program: String,
    counts: One,
    /// Wait of each thread in clock ticks; `None` if it was not read.
    waits: Option<HashMap<u32, u64>>,
}

/// Process that has ended, with its last counters.
struct Ended {
    parent: u32,
    counts: One,
    /// True if the counters were not found in an ancestor in the interval in which the process ended.
    late: bool,
}

/// I/O of a process in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Growth {
    read: u64,
    write: u64,
    read_calls: u64,
    write_calls: u64,
    /// Wait in clock ticks.
    wait: Option<u64>,
}

impl Growth {
    fn since(now: &One, then: &One) -> Growth {
        Growth {
            read: now.read.saturating_sub(then.read),
            write: now.write.saturating_sub(then.write),
            read_calls: now.read_calls.saturating_sub(then.read_calls),
            write_calls: now.write_calls.saturating_sub(then.write_calls),
            wait: None,
        }
    }

    fn add(&mut self, other: &Growth) {
        self.read = self.read.saturating_add(other.read);
        self.write = self.write.saturating_add(other.write);
        self.read_calls = self.read_calls.saturating_add(other.read_calls);
        self.write_calls = self.write_calls.saturating_add(other.write_calls);
        self.wait = match (self.wait, other.wait) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
    }

    /// Subtracts the counters of an ended child; returns `false` if they are not part of this growth.
    fn subtract(&mut self, child: &One) -> bool {
        let parts = [
            (&mut self.read, child.read),
            (&mut self.write, child.write),
            (&mut self.read_calls, child.read_calls),
            (&mut self.write_calls, child.write_calls),
        ];
        if parts.iter().any(|(sum, part)| **sum < *part) {
            return false;
        }
        parts.into_iter().for_each(|(sum, part)| *sum -= part);
        true
    }

    fn bytes(&self) -> u64 {
        self.read.saturating_add(self.write)
    }

    fn waited(&self) -> u64 {
        self.wait.unwrap_or(0)
    }

    fn calls(&self) -> u64 {
        match self.bytes() + self.waited() {
            0 => 0,
            _ => self.read_calls.saturating_add(self.write_calls),
        }
    }

    fn is_zero(&self) -> bool {
        self.bytes() + self.read_calls + self.write_calls + self.waited() == 0
    }
}

struct Top {
    proc: PathBuf,
    /// Number of processes that are ranked by each measure.
    first: usize,
    /// True if the kernel accounts for waits.
    waits: bool,
    /// Clock ticks per second.
    tick: u64,
    /// Time of the last sweep, in clock ticks since boot.
    swept: u64,
    processes: HashMap<u32, Known>,
    /// Ended processes whose counters may still be added to an ancestor.
    unpaid: Vec<Ended>,
    /// Names of processes, by ID and start time.
    named: HashMap<(u32, u64), String>,
    /// Programs that are named without their process IDs.
    programs: HashMap<String, String>,
    groups: MoreGroups,
}

impl Sampler for Top {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        let grown = self.sweep();
        self.name_first(&grown, elapsed.secs());
        let mut sums: Vec<(&str, Growth)> = Vec::new();
        for (pid, growth) in grown.iter().filter(|(_, growth)| !growth.is_zero()) {
            let Some(process) = self.processes.get(pid) else { continue };
            let known = self.named.get(&(*pid, process.start));
            let name = known.or_else(|| self.programs.get(&process.program)).map_or(TopName::OTHERS, String::as_str);
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => sum.add(growth),
                None => sums.push((name, *growth)),
            }
        }
        let ticks = self.tick as f64;
        let mut to = Out::new(Layer::Process, elapsed, out);
        for (name, sum) in sums {
            let series = |what: &str| format!("top.{name}.{what}");
            to.rate(series("read"), "B/s", sum.read);
            to.rate(series("write"), "B/s", sum.write);
            to.rate(series("read_calls"), "ops/s", sum.read_calls);
            to.rate(series("write_calls"), "ops/s", sum.write_calls);
            if let Some(wait) = sum.wait {
                to.gauge(series("wait"), "percent", 100.0 * wait as f64 / ticks / to.seconds);
            }
        }
        self.groups.sample(elapsed, out);
    }
}

impl Top {
    /// Reads all processes. Returns the I/O of each since the last sweep, in the order of their IDs.
    fn sweep(&mut self) -> Vec<(u32, Growth)> {
        let now = ticks(sys::clock::boottime_ns(), self.tick);
        let mut before = std::mem::take(&mut self.processes);
        let since = std::mem::replace(&mut self.swept, now);
        // The clock of waits stops while the machine is suspended.
        let uptime = ticks(sys::clock::monotonic_ns(), self.tick).saturating_sub(now.saturating_sub(since));
        let mut grown: Vec<(u32, Growth)> = Vec::with_capacity(before.len());
        let mut ended: Vec<(u32, Known)> = Vec::new();
        for pid in pids(&self.proc) {
            let dir = self.proc.join(pid.to_string());
            let then = before.remove(&pid);
            let Some(process) = self.read(pid, &dir, then.as_ref()) else {
                // Only a process whose directory is gone has ended.
                ended.extend(then.filter(|_| !dir.exists()).map(|then| (pid, then)));
                continue;
            };
            let growth = match then {
                Some(then) if then.start == process.start => {
                    let wait =
                        process.waits.as_ref().zip(then.waits.as_ref()).map(|(now, then)| waited(now, then, uptime));
                    Growth { wait, ..Growth::since(&process.counts, &then.counts) }
                }
                then => {
                    ended.extend(then.map(|then| (pid, then)));
                    // The activity of an older process that was hidden until now is unknown.
                    let new = process.start >= since;
                    let wait = process.waits.as_ref().filter(|_| new).map(|now| waited(now, &HashMap::new(), uptime));
                    let from = if new { One::default() } else { process.counts };
                    Growth { wait, ..Growth::since(&process.counts, &from) }
                }
            };
            grown.push((pid, growth));
            self.processes.insert(pid, process);
        }
        ended.extend(before);
        self.settle(ended, &mut grown);
        grown
    }

    /// Reads a process. Returns `None` if it has ended or may not be read.
    fn read(&self, pid: u32, dir: &Path, then: Option<&Known>) -> Option<Known> {
        let counts = io_of(&text(&dir.join("io"))?);
        // Without delays, nothing else can have changed. This halves the cost of a sweep, as most processes are idle.
        if let Some(then) = then.filter(|then| !self.waits && then.counts == counts) {
            return Some(then.clone());
        }
        let stat = Stat::parse(&text(&dir.join("stat"))?)?;
        let earlier = then.and_then(|then| then.waits.as_ref());
        let active = then.is_some_and(|then| then.counts != counts);
        let waits = match stat.threads {
            _ if !self.waits => None,
            0 | 1 => Some(HashMap::from([(pid, stat.waited)])),
            // The threads are read only while the process does I/O.
            2..=THREADS if active || earlier.is_some() => {
                Some(thread_waits(dir)).filter(|waits| active || earlier != Some(waits))
            }
            _ => None,
        };
        let program = stat.name.replace(char::is_control, "?");
        Some(Known { start: stat.start, parent: stat.parent, program, counts, waits })
    }

    /// Subtracts the counters of ended processes from the ancestors that waited for them.
    fn settle(&mut self, ended: Vec<(u32, Known)>, grown: &mut [(u32, Growth)]) {
        let parents: HashMap<u32, u32> = ended.iter().map(|(pid, known)| (*pid, known.parent)).collect();
        let mut unpaid = std::mem::take(&mut self.unpaid);
        unpaid.extend(ended.into_iter().map(|(_, k)| Ended { parent: k.parent, counts: k.counts, late: false }));
        for process in unpaid {
            if Growth::since(&process.counts, &One::default()).is_zero() {
                continue;
            }
            let next = |pid: &u32| parents.get(pid).or_else(|| Some(&self.processes.get(pid)?.parent)).copied();
            let ancestors = std::iter::successors(Some(process.parent), next).take(ANCESTORS);
            let mut paid = false;
            for pid in ancestors {
                if let Ok(at) = grown.binary_search_by_key(&pid, |(pid, _)| *pid) {
                    paid = grown[at].1.subtract(&process.counts);
                }
                if paid {
                    break;
                }
            }
            // The parent may have been read before it waited for the child.
            if !paid && !process.late {
                self.unpaid.push(Ended { late: true, ..process });
            }
        }
    }

    /// Names the processes that are among the first by any measure.
    fn name_first(&mut self, grown: &[(u32, Growth)], seconds: f64) {
        let ticks = self.tick as f64;
        let is_busy = |growth: &Growth| {
            growth.bytes() as f64 >= BUSY_BYTES * seconds || growth.waited() as f64 >= BUSY_WAIT * ticks * seconds
        };
        let measures: [fn(&Growth) -> u64; 3] = [Growth::bytes, Growth::waited, Growth::calls];
        for measure in measures {
            let mut ranked: Vec<&(u32, Growth)> = grown.iter().filter(|(_, growth)| measure(growth) > 0).collect();
            ranked.compact_sort_by_key(|(pid, growth)| (std::cmp::Reverse(measure(growth)), *pid));
            for (pid, growth) in ranked.into_iter().take(self.first) {
                self.name(*pid, if is_busy(growth) { NAMED } else { NAMED / 2 });
            }
        }
    }

    /// Names a process, or its program if there are already `room` processes with names.
    fn name(&mut self, pid: u32, room: usize) {
        let Some(Known { start, program, .. }) = self.processes.get(&pid) else { return };
        if self.named.contains_key(&(pid, *start)) {
            return;
        }
        let name = |pid, group| TopName { host: None, pid, program: program.clone(), group }.to_string();
        if self.named.len() < room {
            let group = group_of(&self.proc.join(pid.to_string()));
            self.named.insert((pid, *start), name(Some(pid), group_label(&group)));
        } else if self.programs.len() < room && !self.programs.contains_key(program) {
            self.programs.insert(program.clone(), name(None, "/".to_owned()));
        } else {
            return;
        }
        self.groups.follow(pid);
    }
}

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    if subjects.top == 0 {
        return Err(sentence!("sampler-no-process"));
    }
    Ok(Box::new(begin(roots, subjects)))
}

fn begin(roots: &Roots, subjects: &Subjects) -> Top {
    let tick = sys::clock::clock_ticks();
    let mut top = Top {
        proc: roots.proc.clone(),
        first: subjects.top,
        waits: waits(roots),
        tick,
        swept: 0,
        processes: HashMap::new(),
        unpaid: Vec::new(),
        named: HashMap::new(),
        programs: HashMap::new(),
        groups: MoreGroups::new(roots, subjects),
    };
    top.sweep();
    top
}

/// Returns the number of processes, and how much of their I/O this user may read.
#[must_use]
pub fn top_access(roots: &Roots) -> TopAccess {
    let processes = pids(&roots.proc);
    let denied = |pid: &&u32| {
        let io = std::fs::read(roots.proc.join(pid.to_string()).join("io"));
        io.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    TopAccess { processes: processes.len(), hidden: processes.iter().filter(denied).count() }
}

/// Returns `true` if the kernel accounts for delays. Before Linux 5.14, which added the setting, it did by default.
fn waits(roots: &Roots) -> bool {
    word(&roots.proc.join("sys/kernel/task_delayacct")).is_none_or(|setting| setting != "0")
}

/// Returns all process IDs in ascending order.
fn pids(proc: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(proc).into_iter().flatten().flatten();
    let mut pids: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    pids
}

/// Returns the wait of each thread, in clock ticks.
fn thread_waits(dir: &Path) -> HashMap<u32, u64> {
    let tasks = dir.join("task");
    let wait = |name: &String| Some((name.parse().ok()?, Stat::parse(&text(&tasks.join(name).join("stat"))?)?.waited));
    names(&tasks).iter().filter_map(wait).collect()
}

/// Returns the waits of all threads between two readings. Compared per thread, because the wait of a thread that has
/// ended is lost. A thread that waits while the accounting is switched on seems to have waited since boot; waits of
/// `uptime` or more are therefore omitted.
fn waited(now: &HashMap<u32, u64>, then: &HashMap<u32, u64>, uptime: u64) -> u64 {
    let growth = |(tid, wait): (&u32, &u64)| wait.saturating_sub(then.get(tid).copied().unwrap_or(0));
    now.iter().map(growth).filter(|wait| *wait < uptime).sum()
}

/// Converts nanoseconds to clock ticks, of which `tick` are a second.
fn ticks(ns: u64, tick: u64) -> u64 {
    (u128::from(ns) * u128::from(tick) / 1_000_000_000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Machine {
        _dir: tempfile::TempDir,
        roots: Roots,
    }

    impl Machine {
        fn new() -> Machine {
            let dir = tempfile::tempdir().expect("a temporary directory");
            Machine { roots: Roots::under(dir.path()), _dir: dir }
        }

        fn put(&self, path: &str, text: &str) {
            let path = self.roots.proc.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, text).expect("written");
        }

        /// Adds or replaces a process that started at boot.
        fn process(&self, pid: u32, parent: u32, program: &str, written: u64, wait: u64) {
            self.process_since(pid, parent, program, written, wait, 0);
        }

        fn process_since(&self, pid: u32, parent: u32, program: &str, written: u64, wait: u64, start: u64) {
            let zeros = "0 ".repeat(19);
            let stat =
                format!("{pid} ({program}) S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start} {zeros}{wait} 0");
            self.put(&format!("{pid}/stat"), &stat);
            let io = format!("rchar: 0\nsyscr: 0\nsyscw: {}\nread_bytes: 0\nwrite_bytes: {written}\n", written / 1000);
            self.put(&format!("{pid}/io"), &io);
            self.put(&format!("{pid}/cgroup"), "0::/system.slice/db.service\n");
        }

        fn end(&self, pid: u32) {
            fs::remove_dir_all(self.roots.proc.join(pid.to_string())).expect("removed");
        }

        fn top(&self, first: usize) -> Top {
            begin(&self.roots, &Subjects { top: first, ..Subjects::default() })
        }
    }

    /// Samples an interval of one second; returns the figures of this kind by name.
    fn figures(top: &mut Top, what: &str) -> Vec<(String, f64)> {
        let mut samples = Vec::new();
        top.sample(Nanos::from_secs(1), &mut samples);
        let figure = |s: &Sample| Some((s.name.strip_prefix("top.")?.strip_suffix(what)?.to_owned(), s.value));
        samples.iter().filter_map(figure).collect()
    }

    fn named(figures: &[(&str, f64)]) -> Vec<(String, f64)> {
        figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn the_first_are_named_and_stay_and_the_others_are_summed() {
        let machine = Machine::new();
        for pid in 1..=4 {
            machine.process(pid, 0, "db", 1_000_000, 0);
        }
        let mut top = machine.top(1);
        machine.process(2, 0, "db", 1_007_000, 0);
        machine.process(3, 0, "db", 1_005_000, 0);
        machine.process(4, 0, "db", 1_002_000, 0);
        let first = figures(&mut top, ".write");
        assert_eq!(first, named(&[("2 db (db.service)", 7000.0), ("others", 7000.0)]));
        machine.process(2, 0, "db", 1_008_000, 0);
        machine.process(3, 0, "db", 1_009_000, 0);
        let second = figures(&mut top, ".write_calls");
        assert_eq!(second, named(&[("2 db (db.service)", 1.0), ("3 db (db.service)", 4.0)]));
        assert!(figures(&mut top, ".write").is_empty(), "nothing is known of idle processes");
    }

    #[test]
    fn counters_of_a_child_that_ended_are_not_counted_again_for_its_parent() {
        let machine = Machine::new();
        machine.process(1, 0, "init", 0, 0);
        machine.process(10, 1, "make", 100, 0);
        machine.process(11, 10, "sh", 0, 0);
        machine.process(12, 11, "cc", 5000, 0);
        let mut top = machine.top(5);
        // `cc` wrote 3000 more and ended; `sh` waited for it, ended, and `make` waited for both.
        machine.end(12);
        machine.end(11);
        machine.process(10, 1, "make", 100 + 8000 + 50, 0);
        assert_eq!(figures(&mut top, ".write"), named(&[("10 make (db.service)", 3050.0)]));
        // The parent was read just before it waited for the child.
        machine.process(13, 10, "cc", 6000, 0);
        let mut top = machine.top(5);
        machine.end(13);
        assert!(figures(&mut top, ".write").is_empty());
        machine.process(10, 1, "make", 8150 + 6000, 0);
        assert!(figures(&mut top, ".write").is_empty());
    }

    #[test]
    fn a_new_process_counts_from_its_start_and_a_reused_id_is_a_new_process() {
        let machine = Machine::new();
        machine.process(10, 0, "old", 9000, 0);
        let mut top = machine.top(5);
        machine.process_since(10, 0, "new", 400, 0, u64::MAX);
        machine.process_since(11, 0, "born", 300, 0, u64::MAX);
        machine.process(12, 0, "shown", 7000, 0);
        let seen = figures(&mut top, ".write");
        assert_eq!(seen, named(&[("10 new (db.service)", 400.0), ("11 born (db.service)", 300.0)]));
    }

    #[test]
    fn waits_are_known_if_the_kernel_accounts_for_them() {
        let machine = Machine::new();
        let tick = sys::clock::clock_ticks();
        machine.process(10, 0, "db", 0, 0);
        machine.process(11, 0, "log", 0, 0);
        let mut top = machine.top(1);
        machine.process(10, 0, "db", 0, tick / 2);
        machine.process(11, 0, "log", 500, 0);
        let seen = figures(&mut top, ".wait");
        assert_eq!(seen, named(&[("10 db (db.service)", 50.0), ("11 log (db.service)", 0.0)]));
        machine.process(10, 0, "db", 0, tick / 2 + ticks(sys::clock::monotonic_ns(), tick));
        machine.process(11, 0, "log", 500, tick / 4);
        let seen = figures(&mut top, ".wait");
        assert_eq!(seen, named(&[("11 log (db.service)", 25.0)]), "nothing has waited since boot");
        machine.put("sys/kernel/task_delayacct", "0\n");
        assert!(!waits(&machine.roots));
        let mut top = machine.top(1);
        machine.process(10, 0, "db", 100, tick);
        assert!(figures(&mut top, ".wait").is_empty());
    }

    #[test]
    fn after_many_processes_programs_are_named_and_then_none() {
        let machine = Machine::new();
        let mut top = machine.top(1);
        for i in 0..=2 * NAMED as u32 {
            let program = format!("job{i}");
            machine.process_since(i + 1, 0, &program, 70_000, 0, u64::MAX);
            let seen = figures(&mut top, ".write");
            let name = match i as usize {
                0..NAMED => format!("{} {program} (db.service)", i + 1),
                i if i < 2 * NAMED => format!("* {program} (/)"),
                _ => "others".to_owned(),
            };
            assert_eq!(seen, [(name, 70_000.0)]);
        }
    }

    #[test]
    fn processes_with_little_io_leave_half_of_the_names_to_busy_ones() {
        let machine = Machine::new();
        let tick = sys::clock::clock_ticks();
        let mut top = machine.top(1);
        for pid in 1..=NAMED as u32 {
            machine.process_since(pid, 0, "log", 4096, 0, u64::MAX);
            figures(&mut top, ".write");
        }
        assert_eq!((top.named.len(), top.programs.len()), (NAMED / 2, 1));
        machine.process_since(900, 0, "db", 65_536, 0, u64::MAX);
        assert_eq!(figures(&mut top, ".write"), named(&[("900 db (db.service)", 65_536.0)]));
        machine.process_since(901, 0, "sync", 1, tick / 50, u64::MAX);
        assert_eq!(figures(&mut top, ".wait"), named(&[("901 sync (db.service)", 2.0)]));
    }

    #[test]
    fn a_hidden_process_is_no_ended_process() {
        let machine = Machine::new();
        machine.process(1, 0, "init", 0, 0);
        machine.process(10, 1, "db", 500, 0);
        let mut top = machine.top(5);
        fs::remove_file(machine.roots.proc.join("10/io")).expect("removed");
        machine.process(1, 0, "init", 600, 0);
        assert_eq!(figures(&mut top, ".write"), named(&[("1 init (db.service)", 600.0)]));
    }

    #[test]
    fn no_contents_of_the_kernels_files_make_a_sweep_panic() {
        let machine = Machine::new();
        for (pid, text) in
            [(1, ""), (2, "x"), (3, "3 (a) S"), (4, "read_bytes: -1\nwrite_bytes: 99999999999999999999999")]
        {
            machine.put(&format!("{pid}/stat"), text);
            machine.put(&format!("{pid}/io"), text);
        }
        assert!(figures(&mut machine.top(5), ".write").is_empty());
    }
}
