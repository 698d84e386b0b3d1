//! Commands that would decide a need that a run leaves open.

use model::bounds::{DbOperation, Need, NeedMode, NeedSubject};
use model::{RunKind, RunRecord, plan::TargetKind};

/// Returns the command that would decide a need.
pub(crate) fn qualify_command(need: &Need, record: &RunRecord) -> String {
    let mode = match need.subject {
        NeedSubject::Blocks(of) => of.mode,
        NeedSubject::Database(operation) => return database_command(need, operation, None),
        NeedSubject::Metadata(..) => {
            return format!("secchi qualify {} --metadata --need '{}'", directory(record), need.line());
        }
    };
    let path = record.plan.target.path.display().to_string();
    let test_file = path.rsplit_once('/').filter(|(_, name)| name.starts_with("secchi-") && name.ends_with(".dat"));
    let target = match (test_file, record.plan.target.kind) {
        (Some((dir, _)), _) => {
            if dir.is_empty() {
                "/".to_owned()
            } else {
                dir.to_owned()
            }
        }
        (None, TargetKind::Device) => format!("--device {path}"),
        // The file does not belong to secchi, but its directory can hold a test file.
        (None, _) => path.rsplit_once('/').map_or(".", |(dir, _)| if dir.is_empty() { "/" } else { dir }).to_owned(),
    };
    let pattern = match mode {
        NeedMode::Fdatasync => "write",
        NeedMode::Rw(_) => "randrw",
        mode => mode.name(),
    };
    format!("secchi qualify {target} --patterns {pattern} --need '{}'", need.line())
}

/// Returns the directory of the run's files: that of a test file, or the directory of a metadata run.
fn directory(record: &RunRecord) -> String {
    let path = &record.plan.target.path;
    let within = if record.plan.kind == RunKind::Metadata { Some(path.as_path()) } else { path.parent() };
    within.filter(|dir| !dir.as_os_str().is_empty()).map_or_else(|| ".".to_owned(), |dir| dir.display().to_string())
}

/// Returns the command that would decide a need; without a database run, the database is a placeholder.
pub(crate) fn database_command(need: &Need, operation: DbOperation, record: Option<&RunRecord>) -> String {
    let used = record.and_then(model::RunRecord::database);
    let directory = used.map_or("DIR", |d| d.directory.as_str());
    let verb = if operation == DbOperation::Reads { "ranread" } else { "ranwrite" };
    let time = need.lasting.map(|t| format!(" -t {}", t.to_string().replace(' ', ""))).unwrap_or_default();
    format!("secchi db {verb} {directory}{time} --need '{}'", need.line())
}
