//! Real PostgreSQL servers for tests. All tests in a process share one server for the installed PostgreSQL and one for
//! each directory in `SECCHI_PG_BIN`. Each test has its own database. A test can also start a separate server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Password of the user `ann`, the owner of the databases.
pub const PASSWORD: &str = "pw-of-ann-7f3a";
/// Password of the user `bob`, who has no privileges.
pub const OTHER_PASSWORD: &str = "pw-of-bob-91cc";

/// Shell script that creates a cluster in $2 with the programs in $1 on port $3, and stops and starts it on request. It
/// shuts the cluster down when standard input ends. This happens when the test process ends for any reason.
const SCRIPT: &str = r#"
set -e
bin=$1; dir=$2; port=$3
trap 'rm -rf "$dir"' EXIT
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
[ "$(id -u)" != 0 ] || chown -R postgres "$dir"
as "$bin/initdb" -A scram-sha-256 -U owner --pwfile="$dir/pw" --no-sync -E UTF8 --no-locale -D "$dir/c" >"$dir/log" 2>&1
[ ! -f "$dir/conf" ] || cat "$dir/conf" >>"$dir/c/postgresql.conf"
[ ! -f "$dir/hba" ] || cat "$dir/hba" >"$dir/c/pg_hba.conf"
up() {
    as "$bin/pg_ctl" -D "$dir/c" -l "$dir/server.log" -w -o "-k $dir -p $port -c fsync=off -c max_connections=60" start >"$dir/log" 2>&1 </dev/null \
        && echo ready || echo "failed: $(tail -n 3 "$dir/server.log" | tr '\n' ' ')"
}
up
while read -r word; do
    case $word in
    stop) as "$bin/pg_ctl" -D "$dir/c" -m fast -w stop >"$dir/log"; echo stopped ;;
    start) up ;;
    esac
done
as "$bin/pg_ctl" -D "$dir/c" -m immediate -w stop >"$dir/log" 2>&1 || :
"#;

/// Server that runs until this value is dropped or the process ends.
pub struct Server {
    bin: PathBuf,
    pub dir: PathBuf,
    pub port: u16,
    shell: Mutex<Shell>,
}

struct Shell {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Shell {
    /// Reads the next line of output.
    fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("its end is read, too");
        line.trim().to_owned()
    }

    /// Sends a word and returns the answer.
    fn request(&mut self, word: &str) -> String {
        writeln!(self.input.as_mut().expect("it is open until the server ends"), "{word}").expect("it listens");
        self.read_line()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        drop(shell.input.take());
        let _ = shell.child.wait();
    }
}

/// Returns the program directories of the newest installed PostgreSQL and those listed in `SECCHI_PG_BIN`.
pub fn find_programs() -> Vec<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut directories: Vec<PathBuf> =
        installed.map(|e| e.path().join("bin")).filter(|b| b.join("initdb").is_file()).collect();
    directories.sort();
    let mut directories: Vec<PathBuf> = directories.pop().into_iter().collect();
    if directories.is_empty() {
        crate::skipped("a team's store on the installed PostgreSQL: there is none under /usr/lib/postgresql");
    }
    let named = std::env::var_os("SECCHI_PG_BIN").unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&named).filter(|p| p.join("initdb").is_file()).collect();
    if named.is_empty() {
        crate::skipped("a team's store on another PostgreSQL: SECCHI_PG_BIN is not set");
    }
    directories.extend(named);
    directories
}

impl Server {
    /// Starts a separate server. `conf` is added to the server's configuration, and `files` are copied to its
    /// directory. If `hba` is not empty, it becomes the server's `pg_hba.conf`. The error is the output of the failed
    /// start.
    pub fn start_own(bin: &Path, conf: &str, hba: &str, files: &[&Path]) -> Result<Server, String> {
        let dir = tempfile::Builder::new().prefix("secchi-pg-").tempdir_in("/var/tmp").expect("a directory").keep();
        std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755)).expect("ours");
        let put = |name: &str, text: &str| {
            if !text.is_empty() {
                std::fs::write(dir.join(name), text.replace("DIR", &dir.display().to_string())).expect("ours");
            }
        };
        put("pw", "owner\n");
        put("conf", conf);
        put("hba", hba);
        for file in files {
            let copy = dir.join(file.file_name().expect("a file"));
            std::fs::copy(file, &copy).expect("ours");
            std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).expect("ours");
        }
        // The port was free a moment ago. Only servers that are reached over the network listen on this port. For the
        // other servers, the port is only part of the socket's name.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .args([bin, &dir])
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        let mut shell = Shell { child, input, output: BufReader::new(output) };
        let answer = shell.read_line();
        let server = Server { bin: bin.to_owned(), dir, port, shell: Mutex::new(shell) };
        if answer != "ready" {
            return Err(answer);
        }
        server.sql(
            "postgres",
            &format!("CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'; CREATE ROLE bob LOGIN PASSWORD '{OTHER_PASSWORD}'"),
        );
        Ok(server)
    }

    /// Starts a server that is reachable only through its socket.
    fn start_shared(bin: &Path) -> Arc<Server> {
        Arc::new(
            Server::start_own(bin, "listen_addresses = ''\n", "", &[]).unwrap_or_else(|e| panic!("it starts: {e}")),
        )
    }

    /// Stops the server. Returns once it has ended.
    pub fn stop(&self) {
        assert_eq!(self.shell.lock().unwrap_or_else(PoisonError::into_inner).request("stop"), "stopped");
    }

    /// Starts the server again. Returns once it accepts connections.
    pub fn start(&self) {
        assert_eq!(self.shell.lock().unwrap_or_else(PoisonError::into_inner).request("start"), "ready");
    }

    /// Runs SQL as the owner of the cluster and returns the output.
    fn sql(&self, database: &str, text: &str) -> String {
        let mut psql = Command::new(self.bin.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "owner", "-d", database, "-h"])
            .arg(&self.dir)
            .args(["-p", &self.port.to_string()])
            .env("PGPASSWORD", "owner")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("psql is installed with the server");
        psql.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it listens");
        let out = psql.wait_with_output().expect("it ends");
        assert!(out.status.success(), "{text}");
        String::from_utf8_lossy(&out.stdout).trim().to_owned()
    }
}

/// Database of a single test.
pub struct Database {
    pub server: Arc<Server>,
    pub name: String,
}

impl Database {
    /// Creates a database owned by `ann` on each of the shared servers. If there is no PostgreSQL, returns an empty
    /// list and reports a skip.
    pub fn on_each_server() -> Vec<Database> {
        static SERVERS: OnceLock<Vec<Arc<Server>>> = OnceLock::new();
        // One thread starts the servers; the others wait.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let servers = SERVERS.get_or_init(|| find_programs().iter().map(|bin| Server::start_shared(bin)).collect());
        servers.iter().map(Database::new_on).collect()
    }

    /// Creates a database owned by `ann`.
    pub fn new_on(server: &Arc<Server>) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("runs{}", COUNT.fetch_add(1, Relaxed));
        server.sql("postgres", &format!("CREATE DATABASE {name} OWNER ann"));
        Database { server: Arc::clone(server), name }
    }

    /// Returns the URL of the database for this user, with the password.
    pub fn url(&self, user: &str, password: &str) -> String {
        let host = self.server.dir.display().to_string().replace('/', "%2F");
        format!("postgres://{user}:{password}@{host}:{}/{}", self.server.port, self.name)
    }

    /// Returns the URL of the database for `ann`.
    pub fn url_of_owner(&self) -> String {
        self.url("ann", PASSWORD)
    }

    /// Grants `bob` read access and nothing else. Returns the URL of the database for `bob`.
    pub fn grant_read_to_bob(&self) -> String {
        self.sql("GRANT USAGE ON SCHEMA secchi TO bob; GRANT SELECT ON ALL TABLES IN SCHEMA secchi TO bob");
        self.url("bob", OTHER_PASSWORD)
    }

    /// Runs SQL in the database as the owner of the cluster and returns the output.
    pub fn sql(&self, text: &str) -> String {
        self.server.sql(&self.name, text)
    }

    /// Calls `work` while a connection has the name of another run that uses the schema of secchi, of which the database
    /// has one.
    pub fn with_other_run(&self, work: impl FnOnce()) {
        let schema = self.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'secchi\\_%'");
        let name = format!("secchi {} 1 sessions", &schema["secchi_".len()..][..12]);
        self.sql("CREATE TABLE gate()");
        let wait = "DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_class WHERE relname = 'gate') LOOP PERFORM pg_sleep(0.05); \
                    END LOOP; END $$";
        std::thread::scope(|scope| {
            let other = scope.spawn(|| self.sql(&format!("SET application_name = '{name}'; {wait}")));
            while self.number(&format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'")) == 0
            {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            work();
            self.sql("DROP TABLE gate");
            other.join().expect("it ends");
        });
    }

    fn number(&self, text: &str) -> u64 {
        self.sql(text).trim().parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// Returns the number of rows in the table with this name, in any schema.
    pub fn rows_of(&self, table: &str) -> u64 {
        let name = self.sql(&format!("SELECT oid::regclass FROM pg_class WHERE relname = '{table}'"));
        self.number(&format!("SELECT count(*) FROM {}", name.trim()))
    }

    /// Returns one of the server's counters for a table, such as `n_tup_ins` or `n_tup_upd`. Backends report their
    /// counters at the latest when they end.
    pub fn counted_of(&self, column: &str, table: &str) -> u64 {
        self.number(&format!("SELECT coalesce(sum({column}), 0) FROM pg_stat_user_tables WHERE relname = '{table}'"))
    }

    /// Returns the number of transactions committed in this database.
    pub fn commits(&self) -> u64 {
        self.number(&format!("SELECT xact_commit FROM pg_stat_database WHERE datname = '{}'", self.name))
    }

    /// Returns the number of rows in one of secchi's tables.
    pub fn count_rows(&self, table: &str) -> String {
        self.sql(&format!("SELECT count(*) FROM secchi.{table}"))
    }

    /// Returns a value that changes whenever a row of a run is written.
    pub fn row_versions(&self) -> String {
        self.sql("SELECT sum(xmin::text::bigint) FROM secchi.run")
    }

    /// Returns all journals; bytes that are not text are escaped.
    pub fn journals(&self) -> String {
        self.sql("SELECT string_agg(encode(bytes, 'escape'), '') FROM secchi.chunk")
    }
}
