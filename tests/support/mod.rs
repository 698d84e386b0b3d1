//! Common parts of the tests: sandboxes, the binary as a child process, its JSON parsed into our types, and devices and
//! control groups behind guards.

mod browser;
pub mod commands;

pub use browser::{Browser, Viewport};
pub use testkit::{
    Blkio, CpuQuota, Loop, Mounted, OwnDisk, PATIENCE, Tmpfs, Zram, alone, beside, eventually, is_root, loop_and_ext4,
    names_in, paced, skip, tool,
};

use model::{Judgement, RunRecord};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Temporary directory of a test on the disk of the build directory, with subdirectories for data and runs.
pub struct Sandbox {
    root: tempfile::TempDir,
}

/// Returns a record of blktrace: an action (queued 1, issued 7, completed 8) with its categories (reads 1, writes 2)
/// shifted left by 16 bits.
pub fn blktrace_record(time: u64, sector: u64, bytes: u32, action: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend([0x6561_7407u32, 1].iter().flat_map(|word| word.to_le_bytes()));
    out.extend([time, sector].iter().flat_map(|word| word.to_le_bytes()));
    out.extend([bytes, action, 99, 254 << 20 | 1, 0, 0].iter().flat_map(|word| word.to_le_bytes()));
    out
}

impl Sandbox {
    pub fn new() -> Self {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory under target/tmp");
        let sandbox = Sandbox { root };
        std::fs::create_dir(sandbox.data()).expect("a directory for data");
        sandbox
    }

    /// Creates a sandbox with a separate disk for its data, which must be dropped first.
    pub fn with_own_disk() -> Result<(Self, OwnDisk), String> {
        let sandbox = Sandbox::new();
        let disk = OwnDisk::at(&sandbox.data())?;
        Ok((sandbox, disk))
    }

    /// Returns the directory under test.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Returns the run store, which the first run creates.
    pub fn store(&self) -> PathBuf {
        self.path("store")
    }

    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().expect("our directory stands")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Returns the command `secchi qualify TARGET --store STORE WORDS`.
    pub fn qualify(&self, target: impl AsRef<OsStr>, words: &str) -> Secchi {
        let mut secchi = Secchi::new(&self.path("home"));
        secchi.arg("qualify").arg(target).arg("--store").arg(self.store()).words(words);
        secchi
    }

    /// Returns the command `secchi WORDS --store STORE`.
    pub fn secchi(&self, words: &str) -> Secchi {
        let mut secchi = Secchi::new(&self.path("home"));
        secchi.words(words).arg("--store").arg(self.store());
        secchi
    }

    /// Returns the command `secchi watch --store STORE WORDS`, to which the caller may add a command.
    pub fn watch(&self, words: &str) -> Secchi {
        let mut secchi = Secchi::new(&self.path("home"));
        secchi.arg("watch").arg("--store").arg(self.store()).words(words);
        secchi
    }

    /// Returns the command `secchi record` for the data files and the journal of a database, in directories that it
    /// creates on a disk. The caller may add a command.
    pub fn record_roles(&self, disk: &Path, recording: &Path) -> Secchi {
        let mut secchi = self.secchi("record --quiet");
        secchi.arg("-o").arg(recording);
        for (role, directory) in [("data", "db"), ("journal", "wal")] {
            std::fs::create_dir(disk.join(directory)).expect("made");
            secchi.arg(format!("--role={role}={}", disk.join(directory).display()));
        }
        secchi
    }

    /// Returns the newest stored run, if any.
    pub fn newest(&self) -> Option<Run> {
        let ids = self.secchi("runs --ids").run();
        let id = ids.stdout.lines().next()?.to_owned();
        let shown = self.secchi(&format!("show --json {id}")).run();
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        Some(shown.json())
    }

    /// Waits until the journal of the newest run contains an interval.
    pub fn wait_until_measured(&self, running: &Running) {
        let measured = || {
            let steps = self.newest().map(|run| run.record.steps).unwrap_or_default();
            steps.last().is_some_and(|step| !step.intervals.is_empty())
        };
        assert!(eventually(PATIENCE, measured), "nothing was measured: {}", running.stderr());
    }
}

/// Options of a small and short measurement, which most tests use.
pub const SHORT: &str = "--patterns randread --bs 8k --max-depth 4 --size 64m";

/// Record and judgement of a run, as printed by `--json`.
#[derive(Debug, PartialEq, serde::Deserialize)]
pub struct Run {
    pub record: RunRecord,
    pub judgement: Judgement,
}

/// Result of a finished secchi process.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Ended {
    /// Parses standard output as one JSON document without further output.
    pub fn json(&self) -> Run {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("standard output is no result: {e}\n{}\n{}", self.stdout, self.stderr))
    }

    /// Asserts that the run completed with this code. Accepts 2, with a message, if the machine was so busy that the
    /// storage was not measured.
    pub fn measured_as(&self, code: i32) {
        if self.starved() {
            eprintln!("with a neighbour: others had the CPU or the disk, so that the run decides nothing");
        } else {
            assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        }
    }

    /// Calls [`Ended::measured_as`] with 0.
    pub fn measured(&self) {
        self.measured_as(0);
    }

    /// Returns `true` if it ended with 2 because other processes used the CPU or most of the disk.
    pub fn starved(&self) -> bool {
        let others = ["other processes used the CPU", "host-busy", "other processes used too much of the device"];
        self.code == 2 && others.iter().any(|w| self.stdout.contains(w))
    }

    /// Asserts one line on standard error that contains `needle`, and the exit code. Standard output must be empty or
    /// the error document of `--json`.
    pub fn refuses(&self, code: i32, needle: &str) {
        assert_eq!(self.code, code, "{}", self.stderr);
        if !self.stdout.is_empty() {
            let document: serde_json::Value = serde_json::from_str(&self.stdout).expect("one JSON document");
            assert_eq!(document["error"]["exit_code"], code, "{}", self.stdout);
        }
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(self.stderr.starts_with("secchi: "), "{}", self.stderr);
        assert!(self.stderr.contains(needle), "`{needle}` is not in: {}", self.stderr);
    }
}

/// A command line of the binary.
pub struct Secchi {
    program: PathBuf,
    args: Vec<std::ffi::OsString>,
    groups: Vec<PathBuf>,
    home: PathBuf,
    /// Value of `COLUMNS`, if set.
    columns: Option<u16>,
    /// Additional environment variables.
    variables: Vec<(String, String)>,
}

impl Secchi {
    pub fn new(home: &Path) -> Self {
        let program = env!("CARGO_BIN_EXE_secchi").into();
        Secchi {
            program,
            args: Vec::new(),
            groups: Vec::new(),
            home: home.to_owned(),
            columns: None,
            variables: Vec::new(),
        }
    }

    /// Runs a copy of the binary instead.
    pub fn program(&mut self, copy: &Path) -> &mut Self {
        self.program = copy.to_owned();
        self
    }

    pub fn arg(&mut self, arg: impl AsRef<OsStr>) -> &mut Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Appends the same arguments to another command.
    pub fn copied(&self, to: &mut Secchi) {
        to.args.extend(self.args.iter().cloned());
    }

    /// Appends arguments without spaces.
    pub fn words(&mut self, words: &str) -> &mut Self {
        self.args.extend(words.split_whitespace().map(Into::into));
        self
    }

    /// Sets the width of the screen.
    pub fn columns(&mut self, columns: u16) -> &mut Self {
        self.columns = Some(columns);
        self
    }

    /// Sets an environment variable.
    pub fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Makes it enter a control group before it starts.
    pub fn inside(&mut self, group: &Path) -> &mut Self {
        self.groups.push(group.to_owned());
        self
    }

    /// Starts it. Standard output and error go to files, so that nothing blocks on a full pipe.
    pub fn start(&self) -> Running {
        let out = tempfile::NamedTempFile::new().expect("a file for standard output");
        let err = tempfile::NamedTempFile::new().expect("a file for standard error");
        let mut command = command_in(&self.groups, &self.program);
        let child = command
            .args(&self.args)
            .env("HOME", &self.home)
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("SECCHI_SUPERVISED")
            .env("LC_ALL", "C.UTF-8")
            .envs(self.columns.map(|c| ("COLUMNS", c.to_string())))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(out.reopen().expect("the file is ours"))
            .stderr(err.reopen().expect("the file is ours"))
            .spawn()
            .expect("secchi starts");
        Running { child: Some(child), out, err, since: Instant::now() }
    }

    /// Runs it to its end.
    pub fn run(&self) -> Ended {
        self.start().wait(Duration::from_secs(600))
    }
}

/// Returns a function that builds commands run as another user than root, who may write to the sandbox. Returns `None`,
/// with a message, if that is not possible or the user cannot run the program.
pub fn as_nobody(sandbox: &Sandbox) -> Option<impl Fn(&str) -> Secchi + '_> {
    if !is_root() {
        testkit::skipped("not root: nobody to become somebody else");
        return None;
    }
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    for dir in [sandbox.root(), sandbox.data()] {
        std::fs::set_permissions(dir, Clone::clone(&open)).expect("the directory is ours");
    }
    let program = env!("CARGO_BIN_EXE_secchi");
    let nobody = move |words: &str| {
        let mut secchi = Secchi::new(&sandbox.path("home"));
        secchi.program(Path::new("setpriv")).words("--reuid=65534 --regid=65534 --clear-groups").arg(program);
        secchi.words(words);
        secchi
    };
    if nobody("--version").run().code != 0 {
        testkit::skipped(&format!("another user cannot run {program}"));
        return None;
    }
    Some(nobody)
}

/// Creates a file system on a new loop device of `$bytes` bytes; skips the test if that is not possible.
macro_rules! own_disk {
    ($sandbox:expr, $bytes:expr) => {
        match $crate::support::loop_and_ext4(&$sandbox.path("image"), $bytes, &$sandbox.path("disk")) {
            Ok(disk) => disk,
            Err(why) => $crate::support::skip!("{why}"),
        }
    };
}
pub(crate) use own_disk;

/// Returns a command that enters control groups and then executes `program`.
pub fn command_in(groups: &[PathBuf], program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("sh");
    let script = "for g in $E2E_GROUPS; do echo $$ > $g/cgroup.procs || exit 99; done; unset E2E_GROUPS; exec \"$@\"";
    let groups: Vec<String> = groups.iter().map(|g| g.display().to_string()).collect();
    command.args(["-c", script, "sh"]).arg(program).env("E2E_GROUPS", groups.join(" "));
    command
}

/// A running secchi process.
pub struct Running {
    child: Option<Child>,
    out: tempfile::NamedTempFile,
    err: tempfile::NamedTempFile,
    since: Instant,
}

impl Running {
    /// Returns the id of the supervising process.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("not waited for yet").id()
    }

    pub fn stderr(&self) -> String {
        text(self.err.path())
    }

    pub fn stdout(&self) -> String {
        text(self.out.path())
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid() as i32).expect("a pid is not zero");
        rustix::process::kill_process(pid, signal).expect("our own child can be signalled");
    }

    /// Waits until standard error contains `needle`.
    pub fn wait_for_message(&mut self, needle: &str) {
        let said = eventually(PATIENCE, || {
            let over = matches!(self.child.as_mut().map(Child::try_wait), Some(Ok(Some(_))));
            text(self.err.path()).contains(needle) || over
        });
        let stderr = self.stderr();
        assert!(said && stderr.contains(needle), "`{needle}` was never said: {stderr}");
    }

    pub fn wait(mut self, patience: Duration) -> Ended {
        let mut child = self.child.take().expect("waited for once");
        let ended = eventually(patience, || matches!(child.try_wait(), Ok(Some(_))));
        if !ended {
            let _ = child.kill();
            let _ = child.wait();
            panic!("secchi did not end within {patience:?}: {}", text(self.err.path()));
        }
        let took = self.since.elapsed();
        let status = child.wait().expect("it has ended");
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        let code = status.code().unwrap_or_else(|| 1000 + signal.unwrap_or_default());
        Ended { code, stdout: text(self.out.path()), stderr: text(self.err.path()), took }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Returns the processes with `needle` in their command line, except zombies.
pub fn processes_about(needle: &Path) -> Vec<u32> {
    let needle = needle.display().to_string();
    // A zombie has no command line any more.
    other_processes(|process| text(&process.join("cmdline")).contains(&needle))
}

/// Returns the processes with an open file or their working directory in a directory: servers may change their command
/// line.
pub fn processes_in(dir: &Path) -> Vec<u32> {
    let inside = |link: PathBuf| std::fs::read_link(link).is_ok_and(|to| to.starts_with(dir));
    other_processes(|process| {
        let open = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten().map(|f| f.path());
        open.chain([process.join("cwd")]).any(inside)
    })
}

/// Returns the processes other than this one whose directory in /proc satisfies `chosen`.
fn other_processes(chosen: impl Fn(&Path) -> bool) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbered = entries.filter_map(|e| Some((e.file_name().to_str()?.parse().ok()?, e.path())));
    numbered.filter(|(pid, path)| *pid != std::process::id() && chosen(path)).map(|(pid, _)| pid).collect()
}

/// Repeats a check if its figures may have been disturbed by a neighbour: it fails only if it fails three times.
pub fn undisturbed(mut check: impl FnMut() -> Vec<String>) {
    for _ in 0..2 {
        let wrong = check();
        if wrong.is_empty() {
            return;
        }
        eprintln!("with a neighbour? {wrong:#?}");
    }
    let wrong = check();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Waits until a count is the same twice, a tenth of a second apart.
pub fn wait_until_still(count: impl Fn() -> u64) {
    let mut before = count();
    let still = || {
        std::thread::sleep(Duration::from_millis(100));
        let now = count();
        std::mem::replace(&mut before, now) == now
    };
    assert!(eventually(PATIENCE, still), "it never stands still");
}

/// Properties of a file that must not change: contents, size, times, blocks, mode.
#[derive(Debug, PartialEq)]
pub struct Print {
    contents: u64,
    size: u64,
    blocks: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    mode: u32,
}

/// Returns the properties of a file or device, for a later comparison.
pub fn print_of(path: &Path) -> Print {
    use std::hash::Hasher;
    use std::io::Read;
    use std::os::unix::fs::MetadataExt;
    let meta = path.metadata().expect("the file stands");
    let mut file = std::fs::File::open(path).expect("the file can be read");
    let mut hash = std::collections::hash_map::DefaultHasher::new();
    let mut block = vec![0; 1 << 20];
    loop {
        let n = file.read(&mut block).expect("the file can be read");
        if n == 0 {
            break;
        }
        hash.write(&block[..n]);
    }
    Print {
        contents: hash.finish(),
        size: meta.len(),
        blocks: meta.blocks(),
        modified: (meta.mtime(), meta.mtime_nsec()),
        changed: (meta.ctime(), meta.ctime_nsec()),
        mode: meta.mode(),
    }
}
