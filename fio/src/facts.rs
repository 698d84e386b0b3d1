//! Facts that job files need from the machine: files to read, variables, sizes and alignments of targets.

use job::{Facts, Lookup, LookupError, PathKind};
use model::{Bytes, recording::Recording};
use session::inputs;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Maximum size of a job file, in bytes.
const LARGEST_JOB_FILE: u64 = 16 << 20;

/// Facts about the machine that job files may use.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    facts: job::Machine,
}

impl Machine {
    /// Reads the number of CPUs, the page size and the memory size.
    pub fn inspect() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let counted = || {
            let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
            let total = memory.lines().find_map(|l| l.strip_prefix("MemTotal:")?.trim().strip_suffix("kB"));
            total.and_then(|kb| kb.trim().parse::<u64>().ok())
        };
        let reported = sys::process::system_facts().map(|facts| facts.memory >> 10);
        let memory_mb = reported.or_else(counted).unwrap_or(0) / 1024;
        let page_size = sys::memory::page_size() as u64;
        Machine { facts: job::Machine { cpus, page_size, memory_mb } }
    }
}

/// Engines that jobs may name.
pub static ENGINES: LazyLock<job::Engines> = LazyLock::new(|| job::Engines::new(load::engines::specs()));

impl Lookup for Machine {
    fn read(&self, path: &Path, from: Option<&str>) -> Result<Vec<u8>, LookupError> {
        if path == Path::new("-") {
            return inputs::job_file(path, LARGEST_JOB_FILE).map_err(LookupError);
        }
        // An included file is looked up by its path first, then relative to the file that includes it.
        let beside = from.and_then(|f| Path::new(f).parent()).map(|dir| dir.join(path));
        let path = [Some(path.to_owned()), beside].into_iter().flatten().find(|p| p.exists());
        let path: PathBuf = path.ok_or("no such file")?;
        inputs::job_file(&path, LARGEST_JOB_FILE).map_err(LookupError)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn engines(&self) -> &job::Engines {
        &ENGINES
    }

    fn machine(&self) -> job::Machine {
        self.facts
    }
}

/// Facts about the targets of jobs.
pub struct TargetFacts<'a> {
    machine: &'a Machine,
    native: &'static str,
}

impl<'a> TargetFacts<'a> {
    /// Returns the facts for jobs on this machine.
    pub fn new(machine: &'a Machine) -> Self {
        let facts = run::calibrate::engine_facts();
        let works = |name: &&str| facts.iter().any(|f| f.name == *name && f.unavailable.is_none());
        let native = load::engines::CANDIDATES.iter().copied().find(works).unwrap_or("psync");
        TargetFacts { machine, native }
    }
}

impl Facts for TargetFacts<'_> {
    fn kind(&self, path: &Path) -> PathKind {
        let Ok(meta) = sys::files::metadata(path) else { return PathKind::Missing };
        if load::target::is_endless(&meta) {
            return PathKind::Endless;
        }
        match load::target::present_size(path) {
            _ if meta.is_dir() => PathKind::Directory,
            Ok(Some(size)) if meta.is_file() => PathKind::File(size),
            Ok(Some(size)) => PathKind::Device(size),
            _ => PathKind::Other,
        }
    }

    fn align(&self, path: &Path) -> Bytes {
        let path = if path.exists() { path } else { path.parent().unwrap_or(path) };
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let path = &load::target::device_behind(path);
        let storage = monitor::facts::storage(&monitor::Roots::host(), path).ok();
        match storage.as_ref().is_some_and(|s| s.direct_refused.is_some()) {
            true => Bytes(1),
            false => session::measure::align_of(storage.as_ref()),
        }
    }

    fn zone_size(&self, path: &Path) -> Option<Bytes> {
        load::target::zone_size(path)
    }

    fn native_engine(&self) -> &'static str {
        self.native
    }

    fn cpus_of_node(&self, node: u32) -> Option<Vec<u32>> {
        let list = std::fs::read_to_string(format!("/sys/devices/system/node/node{node}/cpulist")).ok()?;
        job::cpu_list(list.trim()).ok()
    }

    fn random(&self) -> u64 {
        // The standard library seeds its hash maps from the system.
        RandomState::new().build_hasher().finish()
    }

    fn contents(&self, path: &Path) -> Result<Vec<u8>, LookupError> {
        self.machine.read(path, None)
    }

    fn recording(&self, path: &Path) -> Result<Recording, LookupError> {
        let recording = inputs::recordings::whole(path).map_err(|error| LookupError(format!("{error:#}")))?;
        Ok(with_device_names(recording))
    }

    fn served_size(&self, engine: &str, options: &[(String, String)]) -> Result<Bytes, LookupError> {
        load::engines::served_size(engine, options).map_err(|e| LookupError(e.to_string()))
    }
}

/// Replaces device numbers in a recording (`8,16`) by the kernel's names of the devices.
fn with_device_names(mut recording: Recording) -> Recording {
    for target in &mut recording.targets {
        let numbered = Path::new("/sys/dev/block").join(target.name.replace(',', ":"));
        let is_number = target.name.split_once(',').is_some_and(|(major, minor)| {
            [major, minor].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        });
        if is_number
            && let Ok(link) = std::fs::read_link(numbered)
            && let Some(name) = link.file_name()
        {
            target.name = name.to_string_lossy().into_owned();
        }
    }
    recording
}
