//! The end of the screen: findings, environment, and the command that shows the run again.

use crate::widgets::doubts::{remedy, severity_paint, severity_sign};
use crate::widgets::figures::{count, duration, percent};
use crate::widgets::ink::{clauses, listed};
use crate::widgets::page::Page;
use crate::widgets::stack::{self, Detail};
use crate::widgets::text::{Line, Paint};
use messages::{Message, Sentence, message, sentence};
use model::{
    BytesPerSecond, Finding, HostFacts, Iops, Judgement, RunKind, RunRecord, RunState, SamplingCost, Target, TargetKind,
};
use std::io;

pub(super) fn write(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    findings(page, judgement)?;
    measured_on(page, record, judgement)
}

/// Writes the findings that are not part of the verdict, if any.
pub(crate) fn findings(page: &mut Page, judgement: &Judgement) -> io::Result<()> {
    if judgement.findings.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading(page.ink.word("show-findings"), "")?;
    judgement.findings.iter().try_for_each(|f| finding(page, f))
}

/// Writes the environment and the command that shows the run again.
pub(crate) fn measured_on(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    page.blank()?;
    page.heading(page.ink.word("show-measured-on"), &record.started)?;
    environment(page, record)?;
    if let Some(cost) = &judgement.sampling {
        let text = page.ink.format(&sampled(record, cost));
        page.labelled(page.ink.word("label-sampled"), Paint::DIM, &text, Paint::PLAIN)?;
    }
    page.blank()?;
    run(page, record, judgement)
}

fn finding(page: &mut Page, f: &Finding) -> io::Result<()> {
    let mut lead = Line::plain(" ");
    lead.push(severity_sign(page, f.severity), severity_paint(f.severity).bold());
    page.hanging(lead, 3, &page.ink.translate(&f.statement), severity_paint(f.severity))?;
    for line in &f.evidence {
        page.hanging(Line::new(), 3, &page.ink.translate(line), Paint::DIM)?;
    }
    if !f.remedy.is_empty() {
        remedy(page, 3, &f.remedy)?;
    }
    Ok(())
}

/// Returns the number of sampled series and the cost of sampling.
pub(crate) fn sampled(record: &RunRecord, cost: &SamplingCost) -> Message {
    let series = record.series.iter().filter(|s| !s.name.starts_with("sampler.")).count();
    let share = format!("{:.2}", cost.share * 100.0);
    message!("host-sampled", series, looks = count(cost.looks), share, each = cost.per_look)
}

/// Formats the maximum rate of the tool itself. Millions are shortened to three digits, because more are not
/// significant.
fn rate(value: Iops) -> String {
    if value.per_second() < 1e6 { value.to_string() } else { count(value.per_second().round() as u64) }
}

/// Returns a description of the machine on one line.
pub(crate) fn host(h: &HostFacts) -> Sentence {
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

fn environment(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    let (facts, target) = (&record.preflight, &record.plan.target);
    let ink = page.ink;
    page.labelled(ink.word("label-host"), Paint::DIM, &ink.translate(host(&facts.host)), Paint::PLAIN)?;
    match record.plan.watch() {
        Some(_) => stack::write_devices(page, &facts.storage.devices)?,
        None => stack::write(page, &stack::named(facts, &record.plan.targets), Detail::Brief)?,
    }
    // The directory of a database is already shown, and the location of its files is up to the engine.
    if record.plan.targets.is_empty() && record.database().is_none() && record.plan.watch().is_none() {
        let removal = match matches!(record.plan.kind, RunKind::Metadata | RunKind::Durability) {
            // The files no longer exist.
            true => target.path.display().to_string(),
            false => ink.format(&place(target)),
        };
        page.labelled(ink.word("label-target"), Paint::DIM, &removal, Paint::PLAIN)?;
    }
    let of_blocks = record.database().is_none() && record.plan.watch().is_none();
    for (i, named) in record.plan.targets.iter().filter(|_| of_blocks).enumerate() {
        let text = ink.format(&message!("told-of", what = &named.name, told = place(&named.target)));
        page.labelled(if i == 0 { ink.word("label-targets") } else { "" }, Paint::DIM, &text, Paint::PLAIN)?;
    }
    if let Some(fill) = record.fill {
        let rate = BytesPerSecond(fill.bytes.as_u64() as f64 / fill.time.secs().max(1e-9));
        let text = ink.format(&message!("host-filled", bytes = fill.bytes, time = duration(fill.time), rate));
        page.labelled(ink.word("label-fill"), Paint::DIM, &text, Paint::PLAIN)?;
    }
    let mut engine = vec![Sentence::from(&facts.engine_choice)];
    engine.extend(facts.ceiling.map(|(one, deep)| sentence!("host-ceiling", one = rate(one), deep = rate(deep))));
    let engine = ink.translate(clauses(engine));
    if !engine.is_empty() {
        page.labelled(ink.word("label-engine"), Paint::DIM, &engine, Paint::PLAIN)?;
    }
    Ok(())
}

/// Returns a description such as `file /mnt/a/secchi-1.dat, 2 GiB, direct`.
fn place(target: &Target) -> Message {
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

/// Returns the state of a run as a word.
pub(crate) fn state(state: RunState) -> Message {
    match state {
        RunState::Complete => message!("board-complete"),
        RunState::Interrupted => message!("board-interrupted"),
        RunState::Running => message!("board-running"),
        RunState::Stopped => message!("board-stopped"),
        RunState::Hung => message!("board-hung"),
        RunState::Failed => message!("board-failed"),
        RunState::Damaged => message!("board-damaged-run"),
    }
}

/// Writes the ID of the run, the command as typed, and the command that shows it again.
fn run(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    let (id, how, time) = (&record.id, state(record.state), duration(record.ended));
    let (tool, code, planned) = (tool(&record.tool), judgement.exit_code, record.plan.expected_time().secs());
    let text = if record.state != RunState::Complete && planned > 0.0 {
        let share = percent((record.ended.secs() / planned).min(1.0));
        message!("host-run-part", id, how, time, share, tool, code)
    } else {
        message!("host-run", id, how, time, tool, code)
    };
    let ink = page.ink;
    page.labelled(ink.word("label-run"), Paint::DIM, &ink.format(&text), Paint::PLAIN)?;
    page.labelled(ink.word("label-typed"), Paint::DIM, &typed(record), Paint::PLAIN)?;
    page.labelled(ink.word("label-again"), Paint::DIM, &again(record), Paint::BOLD)
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
