//! The kernel's tracing file system, and a private instance in it. If the file system is not mounted, it is attached
//! privately.
//!
//! An instance has separate buffers, events and filters, so other tracing is not affected. An instance outlives the
//! process that created it. Its name therefore identifies that process, and the next trace removes instances whose
//! process is gone.

use super::TraceError;
use super::format::{PageFormat, page_format};
use crate::Roots;
use crate::mounts::kernel_mounts;
use crate::roots::{names, text, value};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use sys::files::{Guards, OpenGuarded};

/// Total size of the buffers of all CPUs, in bytes.
const BUFFERS: u64 = 64 << 20;
/// Minimum and maximum size of one CPU's buffer, in bytes. The maximum holds a quarter of a second of events, at
/// 100,000 requests per second with five events of 64 bytes each.
const BUFFER: std::ops::RangeInclusive<u64> = 1 << 20..=8 << 20;

/// Location of the tracing file system.
#[derive(Debug)]
pub(crate) struct TraceFs {
    pub root: PathBuf,
    /// Descriptor of a private mount, which exists only while this descriptor is open.
    _own: Option<File>,
}

impl TraceFs {
    /// Opens the mounted file system. If none is mounted, attaches a private one that other processes do not see.
    pub fn open(roots: &Roots) -> Result<TraceFs, TraceError> {
        let usual = ["kernel/tracing", "kernel/debug/tracing"].map(|p| roots.sys.join(p));
        let mounted = kernel_mounts(roots).into_iter().filter(|m| m.fs == "tracefs").map(|m| roots.place(&m.point));
        for root in usual.into_iter().chain(mounted) {
            match fs::symlink_metadata(root.join("instances")) {
                Ok(_) => return Ok(TraceFs { root, _own: None }),
                Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(TraceError::denied("trace-no-look", &root, &e));
                }
                Err(_) => {}
            }
        }
        if *roots != Roots::host() {
            return Err(TraceError::NotMounted(io::Error::from(io::ErrorKind::NotFound)));
        }
        let (mount, root) =
            sys::file_systems::attach_tracefs().map_err(|e| match crate::facts::container_note(roots) {
                Some(_) => TraceError::InContainer,
                None => TraceError::NotMounted(e),
            })?;
        Ok(TraceFs { root, _own: Some(mount) })
    }
}

/// Our tracing instance, which is removed when dropped.
#[derive(Debug)]
pub(crate) struct Instance {
    dir: PathBuf,
    cpus: Vec<Cpu>,
    /// Layout of the pages in its buffers.
    pub page: PageFormat,
    _fs: TraceFs,
}

#[derive(Debug)]
struct Cpu {
    pipe: File,
    stats: PathBuf,
}

impl Instance {
    /// Creates an instance that immediately starts to record the events that `enable` enables in its directory, with
    /// timestamps of CLOCK_MONOTONIC. Returns the instance and the result of `enable`, such as the decoder of the
    /// events. `buffer` is the size of each CPU's buffer in bytes, or `None` for the default of the machine.
    pub fn make<T>(
        roots: &Roots,
        buffer: Option<u64>,
        enable: impl FnOnce(&Path) -> Result<T, TraceError>,
    ) -> Result<(Instance, T), TraceError> {
        let fs = TraceFs::open(roots)?;
        let instances = fs.root.join("instances");
        remove_leftovers(roots, &instances);
        let dir = instances.join(own_name(roots));
        fs::create_dir(&dir).map_err(|e| TraceError::denied("trace-no-instance", &instances, &e))?;
        let made = Self::set_up(dir.clone(), fs, buffer, enable);
        if made.is_err() {
            let _ = fs::remove_dir(&dir);
        }
        made
    }

    fn set_up<T>(
        dir: PathBuf,
        fs: TraceFs,
        buffer: Option<u64>,
        enable: impl FnOnce(&Path) -> Result<T, TraceError>,
    ) -> Result<(Instance, T), TraceError> {
        put(&dir, "tracing_on", "0")?;
        put(&dir, "trace_clock", "mono")?;
        // When the buffers are full, they keep the oldest events and count those that did not fit.
        put(&dir, "options/overwrite", "0")?;
        // Task names are not used, and recording them costs time at every context switch.
        let _ = put(&dir, "options/record-cmd", "0");
        let per_cpu = dir.join("per_cpu");
        let cpus = names(&per_cpu);
        let suits = || (BUFFERS / cpus.len().max(1) as u64).clamp(*BUFFER.start(), *BUFFER.end());
        let buffer = buffer.unwrap_or_else(suits);
        put(&dir, "buffer_size_kb", &(buffer >> 10).to_string())?;
        let enabled = enable(&dir)?;
        let head = whole(&dir.join("events/header_page")).or_else(|| whole(&fs.root.join("events/header_page")));
        let head = head.unwrap_or_default();
        let page = page_format(&head).ok_or_else(|| TraceError::Format("events/header_page".to_owned()))?;
        let open = |name: &String| {
            let path = per_cpu.join(name).join("trace_pipe_raw");
            let pipe = OpenOptions::new().read(true).open_guarded(&path, Guards::NO_WAIT);
            let pipe = pipe.map_err(|e| TraceError::denied("trace-no-read", &path, &e))?;
            Ok(Cpu { pipe, stats: per_cpu.join(name).join("stats") })
        };
        let cpus = cpus.iter().map(open).collect::<Result<_, TraceError>>()?;
        put(&dir, "tracing_on", "1")?;
        Ok((Instance { dir, cpus, page, _fs: fs }, enabled))
    }

    /// Stops recording; events in the buffers are kept.
    pub fn stop(&self) {
        let _ = put(&self.dir, "tracing_on", "0");
    }

    /// Waits until there is an event, but at most for `time`.
    pub fn wait(&self, time: Duration) {
        if sys::streams::wait_readable(self.cpus.iter().map(|cpu| &cpu.pipe), time).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Calls `give` for each available page, at most `pages` from each CPU; `buffer` must be one page long.
    pub fn read(&mut self, pages: usize, buffer: &mut [u8], mut give: impl FnMut(&[u8])) {
        for cpu in &mut self.cpus {
            for _ in 0..pages {
                match cpu.pipe.read(buffer) {
                    Ok(n) if n > 0 => give(&buffer[..n]),
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    // The buffer is empty, or the CPU went offline.
                    _ => break,
                }
            }
        }
    }

    /// Returns the number of events since creation that did not fit into the buffers.
    pub fn lost(&self) -> u64 {
        let lost = |cpu: &Cpu| lost_of(&text(&cpu.stats).unwrap_or_default());
        self.cpus.iter().map(lost).fold(0, u64::saturating_add)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.stop();
        // An instance cannot be removed while it is being read.
        self.cpus.clear();
        let _ = fs::remove_dir(&self.dir);
    }
}

/// Reads a file that returns content only for the first read, regardless of the read's length, such as `header_page`
/// (show_header_file in trace_events.c).
fn whole(path: &Path) -> Option<String> {
    let mut bytes = vec![0; 1 << 14];
    let n = File::open(path).and_then(|mut file| file.read(&mut bytes)).ok()?;
    Some(String::from_utf8_lossy(&bytes[..n]).into_owned())
}

/// Writes a value to one of the kernel's files, replacing the previous value.
pub(crate) fn put(dir: &Path, name: &str, value: &str) -> Result<(), TraceError> {
    let path = dir.join(name);
    fs::write(&path, value).map_err(|e| TraceError::denied("trace-no-write", &path, &e))
}

/// Returns the number of lost events from `per_cpu/cpuN/stats`: events that were overwritten, dropped, or begun while
/// another event was being written.
fn lost_of(stats: &str) -> u64 {
    let counts = ["overrun:", "commit overrun:", "dropped events:"].map(|key| value(stats, key).unwrap_or(0));
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Returns `secchi-PID-START-NAMESPACE-N`, where START is the start time of the process (in clock ticks since boot) and
/// NAMESPACE the PID namespace in which its ID is valid.
fn own_name(roots: &Roots) -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let pid = std::process::id();
    let start = start_of(roots, &pid.to_string()).unwrap_or(0);
    format!("secchi-{pid}-{start}-{}-{}", name_space(roots), MADE.fetch_add(1, Relaxed))
}

/// Removes our instances whose processes are gone.
fn remove_leftovers(roots: &Roots, instances: &Path) {
    for name in names(instances) {
        if let Some(maker) = maker_of(&name)
            && maker.2 == name_space(roots)
            && start_of(roots, maker.0) != Some(maker.1)
        {
            let _ = fs::remove_dir(instances.join(name));
        }
    }
}

/// Parses process ID, start time and namespace from the name of an instance; `None` if the name has another format.
fn maker_of(name: &str) -> Option<(&str, u64, u64)> {
    let mut parts = name.strip_prefix("secchi-")?.split('-');
    let pid = parts.next().filter(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))?;
    let (start, space) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next()?.parse::<u32>().ok()?;
    parts.next().is_none().then_some((pid, start, space))
}

/// Returns field 22 of `/proc/PID/stat`, the start time. The program name before it may contain any characters. Returns
/// `None` for processes that have ended, including zombies.
fn start_of(roots: &Roots, pid: &str) -> Option<u64> {
    let stat = text(&roots.proc.join(pid).join("stat"))?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let living = !matches!(fields.next()?, "Z" | "X");
    fields.nth(18)?.parse().ok().filter(|_| living)
}

/// Returns the number in `pid:[4026531836]`.
fn name_space(roots: &Roots) -> u64 {
    let link = fs::read_link(roots.proc.join("self/ns/pid")).unwrap_or_default();
    let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_their_makers_and_others_are_left_alone() {
        of_linux!();
        assert_eq!(maker_of("secchi-17-99-4026531836-0"), Some(("17", 99, 4_026_531_836)));
        for foreign in
            ["secchi-17", "secchi-x-1-2-3", "secchi-1-2-3-4-5", "secchi--1-2-3", "bpftrace_17", "secchi-1-2-3-"]
        {
            assert_eq!(maker_of(foreign), None, "{foreign}");
        }
        let name = own_name(&Roots::host());
        let (pid, start, space) = maker_of(&name).expect("our own name");
        assert_eq!(pid, std::process::id().to_string());
        assert_eq!((Some(start), space), (start_of(&Roots::host(), "self"), name_space(&Roots::host())));
        assert_ne!(own_name(&Roots::host()), name, "several of one process");
    }

    #[test]
    fn all_ways_of_losing_events_are_counted() {
        let stats = "entries: 5\noverrun: 2\ncommit overrun: 1\nbytes: 340\noldest event ts: 1.5\n\
                     now ts: 2.5\ndropped events: 40\nread events: 99\n";
        assert_eq!(lost_of(stats), 43);
        assert_eq!(lost_of("nonsense"), 0);
    }

    #[test]
    fn instances_of_the_dead_are_removed_and_those_of_the_living_kept() {
        of_linux!();
        let dir = tempfile::tempdir().expect("a directory");
        let roots = Roots::host();
        let (pid, space) = (std::process::id(), name_space(&roots));
        let start = start_of(&roots, "self").expect("our own start");
        let names = [
            (format!("secchi-{pid}-{start}-{space}-7"), true),
            (format!("secchi-{pid}-{}-{space}-7", start + 1), false),
            (format!("secchi-4194305-1-{space}-0"), false),
            (format!("secchi-4194305-1-{}-0", space + 1), true),
            ("other".to_owned(), true),
        ];
        for (name, _) in &names {
            fs::create_dir(dir.path().join(name)).expect("made");
        }
        remove_leftovers(&roots, dir.path());
        for (name, kept) in &names {
            assert_eq!(dir.path().join(name).exists(), *kept, "{name}");
        }
    }

    #[test]
    fn who_was_killed_and_not_waited_for_is_dead() {
        let dir = tempfile::tempdir().expect("a directory");
        let roots = Roots::under(dir.path());
        let fields = "1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 4711 0";
        for (pid, state, start) in [("7", "S", Some(4711)), ("8", "Z", None)] {
            fs::create_dir_all(roots.proc.join(pid)).expect("made");
            fs::write(roots.proc.join(pid).join("stat"), format!("{pid} (a) b) {state} {fields}")).expect("written");
            assert_eq!(start_of(&roots, pid), start);
        }
    }

    #[test]
    fn without_a_tracing_file_system_the_reason_says_what_is_missing() {
        let dir = tempfile::tempdir().expect("a directory");
        let error = TraceFs::open(&Roots::under(dir.path())).expect_err("nothing there");
        assert!(error.to_string().contains("tracefs"), "{error}");
    }
}
