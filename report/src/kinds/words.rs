//! Sentences about a run and its host.

use crate::widgets::figures::{count, duration};
use crate::widgets::ink::listed;
use messages::{Message, Sentence, message, sentence};
use model::plan::{StageRole, TargetKind};
use model::{Iops, RunRecord, RunState, Target, bounds::DbOperation, judged::SamplingCost, record::HostFacts};

/// Returns the number of sampled series and the cost of sampling.
pub(crate) fn sampled(record: &RunRecord, cost: &SamplingCost) -> Message {
    let series = record.series.iter().filter(|s| !s.name.starts_with("sampler.")).count();
    let share = format!("{:.2}", cost.share * 100.0);
    message!("host-sampled", series, looks = count(cost.looks), share, each = cost.per_look)
}

/// Formats the maximum rate of the tool itself. Millions are shortened to three digits, because more are not
/// significant.
pub(crate) fn tool_rate(value: Iops) -> String {
    if value.per_second() < 1e6 { value.to_string() } else { count(value.per_second().round() as u64) }
}

/// Returns a description of the machine on one line.
pub(crate) fn host_line(h: &HostFacts) -> Sentence {
    let allowed = |what: Sentence, most: Option<String>| match most {
        Some(most) => sentence!("host-allowed", what, most),
        None => what,
    };
    let mut words: Vec<Sentence> = vec![Sentence::from(&h.hostname), Sentence::from(&h.kernel)];
    words.extend(h.virtualization.as_ref().map(|hypervisor| sentence!("host-on", hypervisor)));
    words.push(allowed(sentence!("host-cpus", n = h.cpus), h.cpu_quota.map(|quota| format!("{quota:.2}"))));
    words.extend((!h.cpu_model.is_empty()).then(|| Sentence::from(&h.cpu_model)));
    words.push(allowed(sentence!("host-memory", memory = h.memory), h.memory_limit.map(|limit| limit.to_string())));
    listed(words)
}

/// Returns a description such as `file /mnt/a/secchi-1.dat, 2 GiB, direct`.
pub(crate) fn place(target: &Target) -> Message {
    let kind = match target.kind {
        TargetKind::File => message!("kind-file"),
        TargetKind::Device => message!("kind-device"),
        TargetKind::Null => message!("kind-null"),
        TargetKind::Served => message!("kind-served"),
    };
    let path = target.path.display().to_string();
    message!("host-place", kind, path, size = target.size, cache = cache(target.direct))
}

/// Returns the message for direct or cached I/O.
pub(crate) fn cache(direct: bool) -> Message {
    if direct { message!("cache-direct") } else { message!("cache-page") }
}

/// Returns the lower-case name of a run's state.
pub(crate) const fn state_name(state: RunState) -> &'static str {
    match state {
        RunState::Complete => "complete",
        RunState::Interrupted => "interrupted",
        RunState::Running => "running",
        RunState::Stopped => "stopped",
        RunState::Hung => "hung",
        RunState::Failed => "failed",
        RunState::Damaged => "damaged",
    }
}

/// Returns the command that shows the run again.
pub(crate) fn again(record: &RunRecord) -> String {
    let short: String = record.id.chars().take(8).collect();
    let store = store(&record.plan.args).map_or_else(String::new, |s| format!(" --store {}", quoted(s)));
    format!("secchi show {short}{store}")
}

/// Returns the command as typed, quoted for a shell.
pub(crate) fn typed(record: &RunRecord) -> String {
    let args = record.plan.args.iter();
    let typed = args.skip_while(|a| **a == record.plan.command).map(|a| quoted(a)).collect::<Vec<_>>().join(" ");
    format!("secchi {} {typed}", record.plan.command).trim_end().to_owned()
}

/// Returns text such as `secchi 0.1.0`, whether the record contains the name or only the version.
pub(crate) fn tool(recorded: &str) -> String {
    format!("secchi {}", recorded.trim_start_matches("secchi").trim_start())
}

/// Returns the store given on the command line; without it, the command would not find the run.
fn store(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|a| a == "--store" || a.starts_with("--store="))?;
    args[at].strip_prefix("--store=").or_else(|| args.get(at + 1).map(String::as_str))
}

/// Quotes an argument for a shell.
fn quoted(arg: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !arg.is_empty() && arg.chars().all(safe) { arg.to_owned() } else { format!("'{}'", arg.replace('\'', r"'\''")) }
}

/// Returns a sentence about the end of an incomplete run.
pub(crate) fn partial(record: &RunRecord) -> Sentence {
    let time = duration(record.ended);
    let partial = match record.state {
        RunState::Complete => sentence!("partial-complete", time),
        RunState::Interrupted => sentence!("partial-interrupted", time),
        RunState::Running => sentence!("partial-running", time),
        RunState::Stopped => sentence!("partial-stopped", time),
        RunState::Hung if record.lost_a_host() => sentence!("partial-host-gone", time),
        RunState::Hung => sentence!("partial-hung", time),
        RunState::Failed => sentence!("partial-failed", time),
        RunState::Damaged => sentence!("partial-damaged", time),
    };
    match record.reason.is_empty() {
        true => partial,
        false => sentence!("told-of", what = partial, told = &record.reason),
    }
}

/// Returns the message ID for the role of a stage.
pub(crate) fn role(role: StageRole) -> &'static str {
    match role {
        StageRole::Probe => "role-probe",
        StageRole::Ramp => "role-ramp",
        StageRole::Sweep => "role-sweep",
        StageRole::Fixed => "role-fixed",
    }
}

/// Returns the message ID for a kind of database operation.
pub(crate) fn kind(operation: DbOperation) -> &'static str {
    match operation {
        DbOperation::Reads => "dbview-reads",
        DbOperation::Updates => "dbview-updates",
        DbOperation::Commits => "dbview-commits",
        DbOperation::Transactions => "dbview-transactions",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_only_where_a_shell_would_split_them() {
        assert_eq!(quoted("--size=8g"), "--size=8g");
        assert_eq!(quoted("8k randread: iops>=6000"), "'8k randread: iops>=6000'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn the_name_of_the_tool_is_said_once() {
        assert_eq!(tool("0.1.0"), "secchi 0.1.0");
        assert_eq!(tool("secchi 0.1.0"), "secchi 0.1.0");
    }

    #[test]
    fn a_run_in_a_store_of_its_own_is_shown_from_there() {
        let args = |list: &[&str]| list.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>();
        assert_eq!(store(&args(&["/data", "--store", "/runs"])), Some("/runs"));
        assert_eq!(store(&args(&["--store=/my runs", "/data"])), Some("/my runs"));
        assert_eq!(store(&args(&["/data"])), None);
        assert_eq!(store(&args(&["/data", "--store"])), None);
    }
}
