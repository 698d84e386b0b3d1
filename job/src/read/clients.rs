//! Refuses fio's `--client`, which sends jobs to servers on other hosts. The error contains the equivalent mpirun
//! command.

use super::lookup::Lookup;
use crate::error::{JobError, NOT_DONE, SourceLocation};
use crate::options::{OptionSpec, Support};
use crate::render::quoted;
use crate::text;
use model::clip;

/// Maximum number of hosts that are listed in the suggested command.
const MOST_NAMED: usize = 16;

/// Clients and other arguments of a command line.
#[derive(Default)]
pub(super) struct Clients {
    clients: Vec<Client>,
    /// Arguments that apply to every host.
    words: Vec<String>,
}

struct Client {
    at: SourceLocation,
    /// Reason for the refusal, from the option table.
    why: &'static str,
    /// Host in fio's notation, or a file that lists hosts.
    value: String,
    /// Job files for this client, which follow the client on the command line.
    files: Vec<String>,
}

impl Clients {
    /// Adds a job file.
    pub(super) fn job_file(&mut self, path: &str) {
        let client_files = self.clients.last_mut().map(|client| &mut client.files);
        client_files.unwrap_or(&mut self.words).push(quoted(path));
    }

    /// Adds an option.
    pub(super) fn option(&mut self, at: &SourceLocation, spec: &OptionSpec, value: Option<&str>) {
        match (spec.name, spec.support, value) {
            ("client", Support::Refused(why), Some(value)) => {
                self.clients.push(Client { at: at.clone(), why, value: value.to_owned(), files: Vec::new() });
            }
            // This job file is on the remote host.
            ("remote-config", _, Some(path)) => self.job_file(path),
            (name, _, Some(value)) => self.words.push(format!("--{name}={}", quoted(value))),
            (name, _, None) => self.words.push(format!("--{name}")),
        }
    }

    /// Returns the error if clients are given.
    pub(super) fn refusal(&self, lookup: &dyn Lookup) -> Option<JobError> {
        let first = self.clients.first()?;
        let command = match self.job_files() {
            Some(files) => {
                let words: Vec<&str> = self.words.iter().chain(files).map(String::as_str).collect();
                let words = if words.is_empty() { "job.fio".to_owned() } else { words.join(" ") };
                let (hosts, remark) = self.hosts(lookup);
                format!("use: mpirun {hosts} secchi fio {words}{remark}")
            }
            None => "with the same jobs on every host, but these have different job files: start a run for each, \
                     use: mpirun --host HOST secchi fio FILE"
                .to_owned(),
        };
        Some(JobError::new(&first.at, format!("`client` is {NOT_DONE}: {}, {command}", first.why)))
    }

    /// Returns the job files for all clients, or `None` if they differ between clients.
    fn job_files(&self) -> Option<&[String]> {
        let mut file_lists =
            self.clients.iter().map(|client| client.files.as_slice()).filter(|files| !files.is_empty());
        let first = file_lists.next().unwrap_or_default();
        file_lists.all(|files| files == first).then_some(first)
    }

    /// Returns mpirun's option that selects the hosts, and a remark.
    fn hosts(&self, lookup: &dyn Lookup) -> (String, &'static str) {
        let mut hosts = Vec::new();
        for Client { value, .. } in &self.clients {
            let Some(lines) = lines_of(value, lookup) else {
                hosts.push(host(value).to_owned());
                continue;
            };
            if self.clients.len() == 1 {
                let plain = lines.iter().all(|line| host(line) == line);
                let remark = if plain { "" } else { " (one name per line in that file, without ports)" };
                return (format!("--hostfile {}", quoted(value)), remark);
            }
            hosts.extend(lines.iter().map(|line| host(line).to_owned()));
        }
        if hosts.len() > MOST_NAMED {
            return ("--hostfile HOSTS".to_owned(), " (one name per line in HOSTS)");
        }
        // In mpirun's list, a colon separates a host from its number of processes.
        let remark = if hosts.iter().any(|host| host.contains(':')) { " (IPv6 addresses by their names)" } else { "" };
        let hosts: Vec<String> = hosts.iter().map(|host| clip(&text::printable(host))).collect();
        (format!("--host {}", quoted(&hosts.join(","))), remark)
    }
}

/// Returns the hosts listed in a file, if the value is the name of a file. Like fio, secchi looks for a file before it
/// interprets the value as a host.
fn lines_of(value: &str, lookup: &dyn Lookup) -> Option<Vec<String>> {
    let bytes = (!matches!(value, "" | "-")).then(|| lookup.read(&text::to_path(value), None).ok())??;
    Some(String::from_utf8_lossy(&bytes).split_whitespace().map(str::to_owned).collect())
}

/// Returns the host from fio's notation for a server: `ip6:host,port`, a host, only a port, or a socket on this
/// machine.
fn host(value: &str) -> &str {
    if value.starts_with("sock:") {
        return "localhost";
    }
    let bare = ["ip:", "ip4:", "ip6:"].iter().find_map(|kind| value.strip_prefix(kind)).unwrap_or(value);
    // A comma always begins the port, because even IPv6 addresses contain no commas.
    let name = bare.split_once(',').map_or(bare, |(name, _)| name);
    if name.is_empty() { "localhost" } else { name }
}
