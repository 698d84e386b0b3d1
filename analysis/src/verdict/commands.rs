//! Commands that would decide a need which a run leaves open.

use model::{Need, RunRecord, TargetKind};

/// The command that would decide a need.
pub(crate) fn qualify_command(need: &Need, record: &RunRecord) -> String {
    if need.is_database() {
        return database_command(need, None);
    }
    if need.is_metadata() {
        return format!("secchi qualify {} --metadata --need '{}'", directory(record), need.line());
    }
    let path = record.plan.target.path.display().to_string();
    let own = path.rsplit_once('/').filter(|(_, name)| name.starts_with("secchi-") && name.ends_with(".dat"));
    let target = match (own, record.plan.target.kind) {
        (Some((dir, _)), _) => {
            if dir.is_empty() {
                "/".to_owned()
            } else {
                dir.to_owned()
            }
        }
        (None, TargetKind::Device) => format!("--device {path}"),
        // A file that is not ours: its directory has room for one that is.
        (None, _) => path.rsplit_once('/').map_or(".", |(dir, _)| if dir.is_empty() { "/" } else { dir }).to_owned(),
    };
    let pattern = match need.rw.as_str() {
        "fdatasync" => "write",
        "rw" => "randrw",
        rw => rw,
    };
    format!("secchi qualify {target} --patterns {pattern} --need '{}'", need.line())
}

/// Where the run's files lie: the directory of a test file, or the one whose names were measured.
fn directory(record: &RunRecord) -> String {
    let path = &record.plan.target.path;
    let within = if record.plan.is_about_names() { Some(path.as_path()) } else { path.parent() };
    within.filter(|dir| !dir.as_os_str().is_empty()).map_or_else(|| ".".to_owned(), |dir| dir.display().to_string())
}

/// The command that would decide a need; without a database run, of a database that is to be named.
pub(crate) fn database_command(need: &Need, record: Option<&RunRecord>) -> String {
    let used = record.and_then(|r| r.database.as_deref());
    let directory = used.map_or("DIR", |d| d.directory.as_str());
    let verb = if need.rw == "reads" { "ranread" } else { "ranwrite" };
    let time = need.lasting.map(|t| format!(" -t {}", t.to_string().replace(' ', ""))).unwrap_or_default();
    format!("secchi db {verb} {directory}{time} --need '{}'", need.line())
}
