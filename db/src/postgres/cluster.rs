//! A cluster of our own: made in the directories of the database, its server started and stopped by us, never to outlive us.
//!
//! The server is a child of a thread that lives as long as it does (the kernel ends a child when the *thread* that started
//! it ends); the same thread reads its log. When this program is killed, the kernel sends the server SIGQUIT: it ends its
//! processes at once, and the next start recovers.

use super::failed;
use super::log::{self, Tail};
use super::programs::{Programs, User, server_user};
use super::watch::Watch;
use crate::{Creation, DbError, Directories};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::MetadataExt;

/// Why a server of ours does not take its files past the page cache.
#[derive(Debug, thiserror::Error)]
pub enum NoDirectIo {
    /// PostgreSQL of this major version cannot.
    #[error("PostgreSQL {0} has no direct I/O (16 has)")]
    Version(u32),
    /// The file system of this file cannot.
    #[error("the file system of {} has no direct I/O", .0.display())]
    FileSystem(PathBuf),
    /// A file does not tell.
    #[error("{} cannot be looked at: {source}", file.display())]
    Unknown {
        /// The file.
        file: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

/// Superuser of the cluster.
pub const ROLE: &str = "secchi";
/// The socket's name in its directory.
const SOCKET: &str = ".s.PGSQL.5432";
/// Longest name of a UNIX socket.
const SOCKET_MAX: usize = 107;
/// SIGINT asks the server for a fast shutdown, SIGQUIT for an immediate one.
const FAST: i32 = 2;
const IMMEDIATE: i32 = 3;
/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// A shutdown writes back everything that is dirty; after so long something is wrong.
const SHUTDOWN: Duration = Duration::from_secs(15 * 60);
/// A server whose parent was killed is gone after so long.
const LEFTOVER: Duration = Duration::from_secs(8);

/// A cluster in the directories of a database.
pub struct Cluster {
    pub programs: Programs,
    user: Option<User>,
    dirs: Directories,
    /// Its socket lies here.
    pub sockets: PathBuf,
    /// The directory of the socket had to be made outside the directories.
    sockets_outside: bool,
    server: Option<Server>,
}

impl Cluster {
    /// Makes one: `initdb` with checksums in the first data directory, its WAL in the journal's.
    pub fn create(creation: &Creation) -> Result<Cluster, DbError> {
        let programs = Programs::find(&creation.environment, None)?;
        let cluster = Cluster::new(creation, programs);
        let dirs = &cluster.dirs;
        for dir in dirs.data.iter().chain([&dirs.journal, &dirs.work]) {
            cluster.programs.check_reachable(cluster.user, dir)?;
        }
        let data = cluster.data();
        cluster.make_directory(&data)?;
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| {
                DbError::refused(
                    path.display().to_string(),
                    "the name is not UTF-8",
                    "take a directory with one that is",
                )
            })
        };
        let mut arguments: Vec<String> =
            ["-k", "-A", "trust", "-U", ROLE, "-E", "UTF8", "--no-locale", "--no-sync", "-D"].map(String::from).into();
        arguments.push(text(&data)?);
        if let Some(wal) = cluster.wal_room() {
            cluster.make_directory(&wal)?;
            arguments.extend(["--waldir".into(), text(&wal)?]);
        }
        for dir in dirs.data.iter().skip(1) {
            cluster.make_directory(&tablespace(dir))?;
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let out = cluster.programs.run("initdb", cluster.user, &arguments)?;
        if !out.status.success() {
            let why = log::summarize_errors(&String::from_utf8_lossy(&out.stderr).replace("initdb: ", ""));
            return Err(failed(format!("make a cluster in {}", data.display()), why));
        }
        Ok(cluster)
    }

    /// Opens one that was made; starts nothing.
    pub fn open(creation: &Creation) -> Result<Cluster, DbError> {
        let path = creation.marker.directories.data[0].join("cluster/PG_VERSION");
        let major = fs::read_to_string(&path).map_err(DbError::io("read", &path))?;
        let major = major.trim().parse().map_err(|_| {
            DbError::refused(
                path.display().to_string(),
                "no version of PostgreSQL",
                "purge the database and set it up again",
            )
        })?;
        Ok(Cluster::new(creation, Programs::find(&creation.environment, Some(major))?))
    }

    fn new(creation: &Creation, programs: Programs) -> Cluster {
        let dirs = creation.marker.directories.clone();
        let mut sockets = dirs.work.join("socket");
        let sockets_outside = sockets.as_os_str().len() + 1 + SOCKET.len() > SOCKET_MAX;
        if sockets_outside {
            let temporary = &creation.environment.temporary;
            let temporary = if temporary.as_os_str().is_empty() { Path::new("/tmp") } else { temporary };
            sockets = temporary.join(format!("secchi-{}", &creation.marker.uuid.simple().to_string()[..12]));
        }
        Cluster { programs, user: server_user(), dirs, sockets, sockets_outside, server: None }
    }

    /// The cluster's directory.
    pub fn data(&self) -> PathBuf {
        self.dirs.data[0].join("cluster")
    }

    /// Where the WAL lies, if not in the cluster's directory.
    fn wal_room(&self) -> Option<PathBuf> {
        (self.dirs.journal != self.dirs.data[0]).then(|| self.dirs.journal.join("wal"))
    }

    /// Where the WAL lies.
    pub fn wal(&self) -> PathBuf {
        self.wal_room().unwrap_or_else(|| self.data().join("pg_wal"))
    }

    /// Directories of the second data directory and further ones.
    pub fn tablespaces(&self) -> Vec<PathBuf> {
        self.dirs.data.iter().skip(1).map(|dir| tablespace(dir)).collect()
    }

    fn log(&self) -> PathBuf {
        self.dirs.work.join("server.log")
    }

    /// A new directory that only the server's user enters.
    fn make_directory(&self, path: &Path) -> Result<(), DbError> {
        sys::create_private_directory(path, false).map_err(DbError::io("make", path))?;
        match self.user {
            Some(user) => sys::hand_over(path, user.uid, user.gid).map_err(DbError::io("hand over", path)),
            None => Ok(()),
        }
    }

    /// Whether the server takes its files past the page cache where it is asked to; otherwise why not.
    pub fn direct(&self) -> Result<(), NoDirectIo> {
        if self.programs.major < 16 {
            return Err(NoDirectIo::Version(self.programs.major));
        }
        for path in [self.data().join("PG_VERSION"), self.wal()] {
            // A directory tells nothing of files in it: one is looked at.
            let file = match path.is_dir() {
                true => {
                    fs::read_dir(&path).ok().into_iter().flatten().flatten().map(|e| e.path()).find(|p| p.is_file())
                }
                false => Some(path),
            };
            let Some(file) = file else { continue };
            match File::open(&file).and_then(|f| sys::direct_align(&f)) {
                Ok(Some(align)) if (1..=4096).contains(&align.offset) => {}
                Ok(_) => return Err(NoDirectIo::FileSystem(file)),
                Err(source) => return Err(NoDirectIo::Unknown { file, source }),
            }
        }
        Ok(())
    }

    /// Bytes the WAL may take before a checkpoint is forced: half of what is free, at most 64 GiB.
    pub fn wal_room_bytes(&self) -> u64 {
        let space = File::open(self.wal()).and_then(|f| sys::space(&f));
        space.map_or(1 << 30, |s| (s.available / 2).clamp(1 << 30, 64 << 30))
    }

    /// Starts the server with these settings; it answers when this returns.
    pub fn start(&mut self, settings: &[(&str, String)], watch: &Arc<Watch>) -> Result<(), DbError> {
        self.programs.check_reachable(self.user, &self.dirs.work)?;
        self.clear_leftover()?;
        self.make_sockets()?;
        let path = self.log();
        // The log of the run before is kept: it may tell why that one ended.
        let _ = fs::rename(&path, self.dirs.work.join("server.log.1"));
        let log = File::create_new(&path).map_err(DbError::io("make", &path))?;
        let tail = Tail::new(File::open(&path).map_err(DbError::io("open", &path))?);
        let mut command = self.programs.command("postgres", self.user);
        command.arg("-D").arg(self.data()).arg("-k").arg(listed(&self.sockets));
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let second = log.try_clone().map_err(DbError::io("open", &path))?;
        command.stdin(Stdio::null()).stdout(log).stderr(second);
        // Ctrl-C on the terminal is for us to act on.
        sys::own_group(&mut command);
        sys::signal_with_parent(&mut command, IMMEDIATE);
        let started = Server::start(command, tail, Arc::clone(watch));
        self.server = Some(started.map_err(DbError::io("run", self.programs.bin.join("postgres")))?);
        Ok(())
    }

    /// Runs the server's program for an answer, without a server.
    pub fn postgres(&self, arguments: &[&str]) -> Result<std::process::Output, DbError> {
        self.programs.run("postgres", self.user, arguments)
    }

    /// Whether the server runs; the error says why it does not.
    pub fn running(&self) -> Result<(), DbError> {
        let Some(server) = &self.server else { return Err(failed("answer".into(), "it is not started")) };
        match server.ended() {
            None => Ok(()),
            Some(status) => {
                let log = fs::read_to_string(self.log()).unwrap_or_default();
                Err(failed("run".into(), format!("the server ended ({status}): {}", log::summarize_errors(&log))))
            }
        }
    }

    /// Reads the log up to now: a server that answers has written there whether it had to recover.
    pub fn read_log(&self, watch: &Watch) {
        if let Some(server) = &self.server {
            server.shared.read_log(watch);
        }
    }

    /// Process of the server.
    pub fn pid(&self) -> Option<u32> {
        self.server.as_ref().filter(|s| s.ended().is_none()).map(|s| s.pid)
    }

    /// Stops the server, which writes back everything first, and removes its socket. A server that broke down is ended at once: it
    /// could not write back.
    pub fn stop(&mut self, watch: &Watch) -> Result<(), DbError> {
        let stopped = match self.server.take() {
            Some(server) => server.stop(watch),
            None => Ok(()),
        };
        self.remove_sockets();
        stopped
    }

    /// Runs `pg_checksums --check` over a cluster that is stopped.
    pub fn check_stopped(&self) -> Result<Vec<String>, DbError> {
        let data = self.data();
        let data = data.to_str().unwrap_or_default();
        if !self.programs.bin.join("pg_checksums").is_file() {
            return Ok(vec![format!("not checked: there is no pg_checksums in {}", self.programs.bin.display())]);
        }
        let out = self.programs.run("pg_checksums", self.user, &["--check", "-D", data])?;
        let text = String::from_utf8_lossy(&out.stdout);
        let count = |what: &str| text.lines().find_map(|l| l.strip_prefix(what)).map(|n| n.trim().to_owned());
        if !out.status.success() {
            let why = log::summarize_errors(&String::from_utf8_lossy(&out.stderr));
            return Err(failed("vouch for its pages".into(), format!("pg_checksums: {why}")));
        }
        let blocks = count("Blocks scanned:").unwrap_or_default();
        Ok(vec![format!("pg_checksums: {blocks} pages, every checksum right")])
    }

    /// Whose server works in the cluster now: its process and its parent.
    pub fn other_server(&self) -> Option<(u32, u32)> {
        let lock = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let pid: u32 = lock.lines().next()?.trim().parse().ok()?;
        let here = fs::read_link(format!("/proc/{pid}/cwd")).ok()? == self.data();
        let parent = parent_of(pid)?;
        (here && self.pid() != Some(pid)).then_some((pid, parent))
    }

    /// Sees to a server of a run that was killed: it ends by itself. One that stays is somebody's run.
    fn clear_leftover(&self) -> Result<(), DbError> {
        let deadline = Instant::now() + LEFTOVER;
        while let Some((pid, parent)) = self.other_server() {
            if Instant::now() > deadline {
                return Err(DbError::refused(
                    format!("start PostgreSQL in {}", self.data().display()),
                    format!("process {parent} drives it already (server process {pid})"),
                    "wait for that run to end, or end it with `secchi db stop`",
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // The number in a lock file that was left may be another process's by now, and then the server would not start.
        match fs::remove_file(self.data().join("postmaster.pid")) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(DbError::io("remove", self.data().join("postmaster.pid"))(e))
            }
            _ => Ok(()),
        }
    }

    fn make_sockets(&self) -> Result<(), DbError> {
        let ours = self.user.map_or(sys::effective_user(), |u| u.uid);
        match sys::symlink_metadata(&self.sockets) {
            Ok(m) if m.is_dir() && m.uid() == ours && m.mode() & 0o077 == 0 => Ok(()),
            Ok(_) => Err(DbError::refused(
                format!("put a socket into {}", self.sockets.display()),
                "it is there and not as secchi makes it",
                "remove it",
            )),
            Err(_) => self.make_directory(&self.sockets),
        }
    }

    /// Removes the directory of the socket where it lies outside the directories and no other run's server listens there.
    fn remove_sockets(&self) {
        if self.sockets_outside && self.other_server().is_none() {
            // Left by a server that was killed; a directory with anything else in it stays.
            for name in [SOCKET, &format!("{SOCKET}.lock")] {
                let _ = fs::remove_file(self.sockets.join(name));
            }
            let _ = fs::remove_dir(&self.sockets);
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.kill();
        }
        self.remove_sockets();
    }
}

/// A directory as the only one of a list: in double quotes, as the server reads names with commas or blanks in them.
fn listed(path: &Path) -> OsString {
    let mut quoted = b"\"".to_vec();
    for byte in path.as_os_str().as_encoded_bytes() {
        if *byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    model::path_of_bytes(quoted).expect("quotes make no other name").into_os_string()
}

fn tablespace(dir: &Path) -> PathBuf {
    dir.join("tablespace")
}

/// Parent of a process.
fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in brackets, may hold anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// A server at work.
struct Server {
    pid: u32,
    shared: Arc<Shared>,
    supervisor: JoinHandle<()>,
}

struct Shared {
    child: Mutex<Option<Child>>,
    tail: Mutex<Tail>,
    ended: Mutex<Option<ExitStatus>>,
    leave: AtomicBool,
}

impl Shared {
    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what the log has grown by.
    fn read_log(&self, watch: &Watch) {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).read_new(watch);
    }

    /// Signals the server unless it has ended and was waited for: its number may be another's then.
    fn signal(&self, signal: i32) {
        if let Some(child) = &*self.child() {
            // It may have ended and not been waited for: no harm.
            let _ = sys::send_signal(child.id(), signal);
        }
    }
}

impl Server {
    fn start(command: Command, tail: Tail, watch: Arc<Watch>) -> io::Result<Server> {
        let shared = Arc::new(Shared {
            child: Mutex::new(None),
            tail: Mutex::new(tail),
            ended: Mutex::new(None),
            leave: AtomicBool::new(false),
        });
        let (sender, receiver) = mpsc::channel();
        let theirs = Arc::clone(&shared);
        let keeper = std::thread::Builder::new()
            .name("postgres-keeper".into())
            .spawn(move || supervise(command, &watch, &theirs, &sender))?;
        match receiver.recv() {
            Ok(Ok(pid)) => Ok(Server { pid, shared, supervisor: keeper }),
            Ok(Err(e)) => Err(e),
            Err(_) => Err(io::Error::other("its thread ended")),
        }
    }

    fn ended(&self) -> Option<ExitStatus> {
        *self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the server has ended, at most for `most` and only while `goes_on`.
    fn wait(&self, most: Duration, goes_on: impl Fn() -> bool) -> bool {
        let deadline = Instant::now() + most;
        while self.ended().is_none() {
            if Instant::now() > deadline || !goes_on() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    fn stop(self, watch: &Watch) -> Result<(), DbError> {
        self.shared.leave.store(true, Relaxed);
        self.shared.signal(FAST);
        self.supervisor.thread().unpark();
        if self.wait(SHUTDOWN, || watch.breakdown().is_none()) {
            let _ = self.supervisor.join();
            return Ok(());
        }
        let pid = self.pid;
        self.kill();
        if let Some(why) = watch.breakdown() {
            return Err(failed(
                "shut down".into(),
                format!("{why}; its server was ended, and the next start recovers"),
            ));
        }
        let why = format!("process {pid} wrote back for {} s and was then ended at once", SHUTDOWN.as_secs());
        Err(failed("shut down".into(), why + "; the next start recovers"))
    }

    /// Ends it at once; the next start recovers.
    fn kill(self) {
        self.shared.leave.store(true, Relaxed);
        self.shared.signal(IMMEDIATE);
        self.supervisor.thread().unpark();
        // The server itself kills what does not end within 5 s.
        self.wait(LEFTOVER, || true);
    }
}

/// Starts the server, reads its log and waits for its end. When this thread ends, so does the server.
fn supervise(mut command: Command, watch: &Watch, shared: &Shared, sender: &mpsc::Sender<io::Result<u32>>) {
    match command.spawn() {
        Ok(child) => {
            let pid = child.id();
            *shared.child() = Some(child);
            let _ = sender.send(Ok(pid));
        }
        Err(e) => {
            let _ = sender.send(Err(e));
            return;
        }
    }
    loop {
        let status = {
            let mut child = shared.child();
            let status = child.as_mut().and_then(|c| c.try_wait().ok().flatten());
            if status.is_some() {
                *child = None;
            }
            status
        };
        shared.read_log(watch);
        if status.is_some() {
            *shared.ended.lock().unwrap_or_else(PoisonError::into_inner) = status;
            return;
        }
        std::thread::park_timeout(if shared.leave.load(Relaxed) { LOOK / 10 } else { LOOK });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_with_a_comma_is_one_of_the_servers_list() {
        assert_eq!(listed(Path::new("/a,b/c")), "\"/a,b/c\"");
        assert_eq!(listed(Path::new("/a\"b")), "\"/a\"\"b\"");
    }

    #[test]
    fn the_parent_of_a_process_is_read_whatever_its_name() {
        assert_eq!(parent_of(std::process::id()), sys::parent_process());
        assert_eq!(parent_of(u32::MAX), None);
    }
}
