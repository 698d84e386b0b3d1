//! A real PostgreSQL for tests: one for all tests of a process, a database for each. Also used by the end-to-end tests.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Password of the user `ann`, who owns the databases.
pub const PASSWORD: &str = "pw-of-ann-7f3a";
/// Password of `bob`, who may do nothing.
pub const OTHER_PASSWORD: &str = "pw-of-bob-91cc";

/// Makes a cluster in $2 with the programs of $1, says so, and ends it when standard input ends: with the test process,
/// however that ends.
const SCRIPT: &str = r#"
set -e
bin=$1; dir=$2
trap 'rm -rf "$dir"' EXIT
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
[ "$(id -u)" != 0 ] || chown postgres "$dir"
as "$bin/initdb" -A scram-sha-256 -U owner --pwfile="$dir/pw" --no-sync -E UTF8 --no-locale -D "$dir/c" >"$dir/log" 2>&1
as "$bin/pg_ctl" -D "$dir/c" -l "$dir/server.log" -w -o "-k $dir -c listen_addresses= -c fsync=off -c max_connections=60" start >/dev/null </dev/null
echo ready
cat >/dev/null
as "$bin/pg_ctl" -D "$dir/c" -m immediate -w stop >/dev/null
"#;

/// The server, and its directory.
struct Server {
    bin: PathBuf,
    dir: PathBuf,
    /// Its standard input keeps the server; it ends with this process.
    _keeper: Mutex<Child>,
}

/// A database of a test's own.
pub struct Database {
    dir: PathBuf,
    pub name: String,
}

fn programs() -> Option<PathBuf> {
    let all = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> =
        all.flatten().map(|e| e.path().join("bin")).filter(|b| b.join("initdb").is_file()).collect();
    found.sort();
    found.pop()
}

fn start() -> Option<Server> {
    let bin = programs()?;
    let dir = tempfile::Builder::new().prefix("secchi-pg-").tempdir_in("/var/tmp").ok()?.keep();
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).ok()?;
    std::fs::write(dir.join("pw"), "owner\n").ok()?;
    let mut keeper = Command::new("sh")
        .args(["-c", SCRIPT, "sh"])
        .args([&bin, &dir])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut line = String::new();
    BufReader::new(keeper.stdout.take()?).read_line(&mut line).ok()?;
    assert_eq!(line, "ready\n", "the server starts: {}", std::fs::read_to_string(dir.join("log")).unwrap_or_default());
    let server = Server { bin, dir, _keeper: Mutex::new(keeper) };
    server.sql(
        "postgres",
        &format!("CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'; CREATE ROLE bob LOGIN PASSWORD '{OTHER_PASSWORD}'"),
    );
    Some(server)
}

impl Server {
    /// Runs SQL as the owner of the cluster.
    fn sql(&self, database: &str, text: &str) -> String {
        let mut psql = Command::new(self.bin.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "owner", "-d", database, "-h"])
            .arg(&self.dir)
            .env("PGPASSWORD", "owner")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("psql is with the server");
        psql.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it listens");
        let out = psql.wait_with_output().expect("it ends");
        assert!(out.status.success(), "{text}");
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    }
}

fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    // One thread at a time: the others wait for what it makes.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    SERVER.get_or_init(start).as_ref()
}

impl Database {
    /// A new database of ann's; `None`, said aloud, where there is no PostgreSQL.
    pub fn new() -> Option<Database> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(server) = server() else {
            eprintln!("SKIPPED: a team's store: no PostgreSQL under /usr/lib/postgresql");
            return None;
        };
        let name = format!("runs{}", COUNT.fetch_add(1, Relaxed));
        server.sql("postgres", &format!("CREATE DATABASE {name} OWNER ann"));
        Some(Database { dir: server.dir.clone(), name })
    }

    /// Its address, for a user with a password.
    pub fn url(&self, user: &str, password: &str) -> String {
        let host = self.dir.display().to_string().replace('/', "%2F");
        format!("postgres://{user}:{password}@{host}/{}", self.name)
    }

    /// Its address, for ann.
    pub fn ann(&self) -> String {
        self.url("ann", PASSWORD)
    }

    /// Runs SQL in it as the owner of the cluster.
    pub fn sql(&self, text: &str) -> String {
        server().expect("it made this").sql(&self.name, text)
    }

    /// Rows of one of its tables of ours.
    pub fn count(&self, table: &str) -> String {
        self.sql(&format!("SELECT count(*) FROM secchi.{table}"))
    }

    /// All journals, as far as they are text.
    pub fn journals(&self) -> String {
        self.sql("SELECT string_agg(encode(bytes, 'escape'), '') FROM secchi.chunk")
    }
}
