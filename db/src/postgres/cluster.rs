//! A cluster inside the directories of the database. secchi starts and stops the cluster's server, which never outlives
//! secchi.
//!
//! The server is a child of a dedicated thread that lives as long as the server, because the kernel signals a child
//! when the *thread* that started it ends. The same thread reads the server's log. If this program is killed, the
//! kernel sends SIGQUIT to the server, which ends its processes immediately. The next start then recovers the cluster.

use super::failed;
use super::log::{self, Tail};
use super::programs::{Programs, User, server_user};
use super::watch::Watch;
use crate::{Creation, DbError, Directories, locked, remove_if_exists};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::files::MetadataExt;

/// Superuser of the cluster.
pub const ROLE: &str = "secchi";
/// File name of the socket.
const SOCKET: &str = ".s.PGSQL.5432";
/// Maximum length of a UNIX socket's path, in bytes.
const SOCKET_MAX: usize = 107;
/// Signal that requests a fast shutdown of the server (SIGINT).
const FAST: i32 = 2;
/// Signal that requests an immediate shutdown of the server (SIGQUIT).
const IMMEDIATE: i32 = 3;
/// Interval between reads of the log.
const LOOK: Duration = Duration::from_millis(50);
/// Maximum duration of a shutdown, which writes back everything that is dirty.
const SHUTDOWN: Duration = Duration::from_secs(15 * 60);
/// Maximum time for a server to end after its parent was killed.
const LEFTOVER: Duration = Duration::from_secs(8);

/// Cluster in the directories of a database.
pub struct Cluster {
    pub programs: Programs,
    user: Option<User>,
    dirs: Directories,
    /// Directory of the socket.
    pub sockets: PathBuf,
    /// True if the socket's directory had to be created outside the directories of the database.
    sockets_outside: bool,
    server: Option<Server>,
}

impl Cluster {
    /// Creates a cluster by running `initdb`. The cluster has checksums and is in the first data directory. Its WAL is
    /// in the directory of the journal.
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
                    "use a directory whose name is UTF-8",
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
            let reason = log::summarize_errors(&String::from_utf8_lossy(&out.stderr).replace("initdb: ", ""));
            return Err(failed(format!("create a cluster in {}", data.display()), reason));
        }
        Ok(cluster)
    }

    /// Opens an existing cluster without starting anything.
    pub fn open(creation: &Creation) -> Result<Cluster, DbError> {
        let path = creation.marker.directories.data[0].join("cluster/PG_VERSION");
        let major = fs::read_to_string(&path).map_err(DbError::io("read", &path))?;
        let major = major.trim().parse().map_err(|_| {
            DbError::refused(
                path.display().to_string(),
                "it does not contain a PostgreSQL version",
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

    /// Returns the directory of the cluster.
    pub fn data(&self) -> PathBuf {
        self.dirs.data[0].join("cluster")
    }

    /// Returns the directory of the WAL if it is outside the directory of the cluster.
    fn wal_room(&self) -> Option<PathBuf> {
        (self.dirs.journal != self.dirs.data[0]).then(|| self.dirs.journal.join("wal"))
    }

    /// Returns the directory of the WAL.
    pub fn wal(&self) -> PathBuf {
        self.wal_room().unwrap_or_else(|| self.data().join("pg_wal"))
    }

    /// Returns the tablespace directories, one for each data directory after the first.
    pub fn tablespaces(&self) -> Vec<PathBuf> {
        self.dirs.data.iter().skip(1).map(|dir| tablespace(dir)).collect()
    }

    fn log(&self) -> PathBuf {
        self.dirs.work.join("server.log")
    }

    /// Creates a directory that only the server's user can enter.
    fn make_directory(&self, path: &Path) -> Result<(), DbError> {
        sys::files::create_private_directory(path, false).map_err(DbError::io("make", path))?;
        match self.user {
            Some(user) => sys::files::hand_over(path, user.uid, user.gid).map_err(DbError::io("hand over", path)),
            None => Ok(()),
        }
    }

    /// Checks that the server can open its files with direct I/O. The error is a clause with the reason.
    pub fn direct(&self) -> Result<(), String> {
        let major = self.programs.major;
        if major < 16 {
            return Err(format!("PostgreSQL {major} does not support direct I/O (16 and newer do)"));
        }
        for path in [self.data().join("PG_VERSION"), self.wal()] {
            // The result for a directory does not apply to its files, so a file is inspected.
            let inside = || fs::read_dir(&path).ok()?.flatten().map(|e| e.path()).find(|p| p.is_file());
            let file = if path.is_dir() { inside() } else { Some(path.clone()) };
            let Some(file) = file else { continue };
            match File::open(&file).and_then(|f| sys::storage::direct_align(&f)) {
                Ok(Some(align)) if (1..=4096).contains(&align.offset) => {}
                Ok(_) => return Err(format!("the file system of {} does not support direct I/O", file.display())),
                Err(e) => return Err(format!("cannot examine {}: {e}", file.display())),
            }
        }
        Ok(())
    }

    /// Returns the maximum size of the WAL before a checkpoint is forced, in bytes: half of the free space, at most 64
    /// GiB.
    pub fn wal_room_bytes(&self) -> u64 {
        let space = File::open(self.wal()).and_then(|f| sys::file_systems::space(&f));
        space.map_or(1 << 30, |s| (s.available / 2).clamp(1 << 30, 64 << 30))
    }

    /// Starts the server with these settings. The server may not accept connections yet when this function returns.
    pub fn start(&mut self, settings: &[(&str, String)], watch: &Arc<Watch>) -> Result<(), DbError> {
        self.programs.check_reachable(self.user, &self.dirs.work)?;
        self.clear_leftover()?;
        self.make_sockets()?;
        let path = self.log();
        // The log of the previous run is kept, because it may contain the reason why that run ended.
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
        // Ctrl-C on the terminal is handled by secchi, not by the server.
        sys::process::own_group(&mut command);
        sys::process::signal_with_parent(&mut command, IMMEDIATE);
        let started = Server::start(command, tail, Arc::clone(watch));
        self.server = Some(started.map_err(DbError::io("run", self.programs.bin.join("postgres")))?);
        Ok(())
    }

    /// Runs the `postgres` program to completion and returns its output. No server is started.
    pub fn postgres(&self, arguments: &[&str]) -> Result<std::process::Output, DbError> {
        self.programs.run("postgres", self.user, arguments)
    }

    /// Checks that the server is running. The error contains the reason why it is not.
    pub fn running(&self) -> Result<(), DbError> {
        let Some(server) = &self.server else { return Err(failed("answer", "it is not running")) };
        match server.ended() {
            None => Ok(()),
            Some(status) => {
                let log = fs::read_to_string(self.log()).unwrap_or_default();
                Err(failed("run", format!("the server ended ({status}): {}", log::summarize_errors(&log))))
            }
        }
    }

    /// Reads the new part of the log. Once the server accepts connections, the log shows if the server had to recover.
    pub fn read_log(&self, watch: &Watch) {
        if let Some(server) = &self.server {
            server.shared.read_log(watch);
        }
    }

    /// Returns the process ID of the running server.
    pub fn pid(&self) -> Option<u32> {
        self.server.as_ref().filter(|s| s.ended().is_none()).map(|s| s.pid)
    }

    /// Stops the server and removes its socket. The server first writes everything back. A server that broke down is
    /// killed immediately, because it could not write back.
    pub fn stop(&mut self, watch: &Watch) -> Result<(), DbError> {
        let stopped = match self.server.take() {
            Some(server) => server.stop(watch),
            None => Ok(()),
        };
        self.remove_sockets();
        stopped
    }

    /// Runs `pg_checksums --check` on a stopped cluster.
    pub fn check_stopped(&self) -> Result<String, DbError> {
        let data = self.data();
        let data = data.to_str().unwrap_or_default();
        if !self.programs.bin.join("pg_checksums").is_file() {
            return Ok(format!("not checked: there is no pg_checksums in {}", self.programs.bin.display()));
        }
        let out = self.programs.run("pg_checksums", self.user, &["--check", "-D", data])?;
        let text = String::from_utf8_lossy(&out.stdout);
        if !out.status.success() {
            let reason = log::summarize_errors(&String::from_utf8_lossy(&out.stderr));
            return Err(failed("verify its pages", format!("pg_checksums: {reason}")));
        }
        let blocks = text.lines().find_map(|l| l.strip_prefix("Blocks scanned:")).map(str::trim).unwrap_or_default();
        Ok(format!("pg_checksums: {blocks} pages, all checksums correct"))
    }

    /// Returns the process ID and the parent of another run's server in the cluster, if there is one.
    pub fn other_server(&self) -> Option<(u32, u32)> {
        let lock = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let pid: u32 = lock.lines().next()?.trim().parse().ok()?;
        let here = fs::read_link(format!("/proc/{pid}/cwd")).ok()? == self.data();
        let parent = parent_of(pid)?;
        (here && self.pid() != Some(pid)).then_some((pid, parent))
    }

    /// Waits until a killed run's server, which ends by itself, has ended. A server that remains belongs to an active
    /// run.
    fn clear_leftover(&self) -> Result<(), DbError> {
        let deadline = Instant::now() + LEFTOVER;
        while let Some((pid, parent)) = self.other_server() {
            if Instant::now() > deadline {
                return Err(DbError::refused(
                    format!("start PostgreSQL in {}", self.data().display()),
                    format!("process {parent} is already using it (server process {pid})"),
                    "wait for that run to end, or end it with `secchi db stop`",
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // The process ID in a remaining lock file may have been reused. In that case, the server would not start.
        remove_if_exists(&self.data().join("postmaster.pid"))
    }

    fn make_sockets(&self) -> Result<(), DbError> {
        let ours = self.user.map_or(sys::files::effective_user(), |u| u.uid);
        match sys::files::symlink_metadata(&self.sockets) {
            Ok(m) if m.is_dir() && m.uid() == ours && m.mode() & 0o077 == 0 => Ok(()),
            Ok(_) => Err(DbError::refused(
                format!("create a socket in {}", self.sockets.display()),
                "it already exists with another type, owner or mode",
                "remove it",
            )),
            Err(_) => self.make_directory(&self.sockets),
        }
    }

    /// Removes the socket's directory if it is outside the database's directories and no other run's server uses it.
    fn remove_sockets(&self) {
        if self.sockets_outside && self.other_server().is_none() {
            // A killed server leaves these files. A directory with other entries stays.
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

/// Formats a path as the only element of a list, in double quotes, so that the server accepts names with commas or
/// spaces.
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

/// Returns the parent of a process.
fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in parentheses, may contain any character.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// A running server.
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
    /// Reads the new part of the log.
    fn read_log(&self, watch: &Watch) {
        locked(&self.tail).read_new(watch);
    }

    /// Sends a signal to the server. Does nothing if the server has already been waited for, because its process ID may
    /// have been reused.
    fn signal(&self, signal: i32) {
        if let Some(child) = &*locked(&self.child) {
            // The call does no harm if the server has ended but has not been waited for.
            let _ = sys::process::send_signal(child.id(), signal);
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
        let thread_shared = Arc::clone(&shared);
        let keeper = std::thread::Builder::new()
            .name("postgres-keeper".into())
            .spawn(move || supervise(command, &watch, &thread_shared, &sender))?;
        match receiver.recv() {
            Ok(Ok(pid)) => Ok(Server { pid, shared, supervisor: keeper }),
            Ok(Err(e)) => Err(e),
            Err(_) => Err(io::Error::other("its thread ended")),
        }
    }

    fn ended(&self) -> Option<ExitStatus> {
        *locked(&self.shared.ended)
    }

    /// Waits until the server has ended, but at most for `most`, and only while `goes_on` returns `true`.
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
        if let Some(reason) = watch.breakdown() {
            return Err(failed("shut down", format!("{reason}; its server was killed, and the next start recovers")));
        }
        let reason = format!("process {pid} was still writing back after {} s and was killed", SHUTDOWN.as_secs());
        Err(failed("shut down", reason + "; the next start recovers"))
    }

    /// Ends the server immediately. The next start then recovers the cluster.
    fn kill(self) {
        self.shared.leave.store(true, Relaxed);
        self.shared.signal(IMMEDIATE);
        self.supervisor.thread().unpark();
        // The server itself kills processes that do not end within 5 s.
        self.wait(LEFTOVER, || true);
    }
}

/// Starts the server, reads its log and waits for its end. The server ends when this thread ends.
fn supervise(mut command: Command, watch: &Watch, shared: &Shared, sender: &mpsc::Sender<io::Result<u32>>) {
    match command.spawn() {
        Ok(child) => {
            let pid = child.id();
            *locked(&shared.child) = Some(child);
            let _ = sender.send(Ok(pid));
        }
        Err(e) => {
            let _ = sender.send(Err(e));
            return;
        }
    }
    let mut broken = false;
    loop {
        let status = {
            let mut child = locked(&shared.child);
            let status = child.as_mut().and_then(|c| c.try_wait().ok().flatten());
            if status.is_some() {
                *child = None;
            }
            status
        };
        shared.read_log(watch);
        if status.is_some() {
            *locked(&shared.ended) = status;
            return;
        }
        // If a server cannot answer, its sessions wait until their connections are closed.
        if !broken && watch.breakdown().is_some() {
            broken = true;
            shared.signal(IMMEDIATE);
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
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        assert_eq!(parent_of(std::process::id()), parent);
        assert_eq!(parent_of(u32::MAX), None);
    }
}
