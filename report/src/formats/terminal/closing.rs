//! The end of the screen: findings, where it was measured, and how to see it again.

use super::head::{severity_paint, severity_sign};
use crate::figures::{count, duration, percent};
use crate::page::Page;
use crate::stack::{self, Detail};
use crate::text::{Line, Paint};
use model::{
    BytesPerSecond, Finding, HostFacts, Iops, Judgement, RunRecord, RunState, SamplingCost, Target, TargetKind,
};
use std::io;

pub(super) fn write(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    findings(page, judgement)?;
    measured_on(page, record, judgement)
}

/// What was found beyond the verdict, if anything.
pub(crate) fn findings(page: &mut Page, judgement: &Judgement) -> io::Result<()> {
    if judgement.findings.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.heading("findings", "")?;
    judgement.findings.iter().try_for_each(|f| finding(page, f))
}

/// Where it was measured, and how to see it again.
pub(crate) fn measured_on(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    page.blank()?;
    page.heading("measured on", &record.started)?;
    environment(page, record)?;
    if let Some(cost) = &judgement.sampling {
        page.labelled("sampled", Paint::DIM, &sampled(record, cost), Paint::PLAIN)?;
    }
    page.blank()?;
    run(page, record, judgement)
}

fn finding(page: &mut Page, f: &Finding) -> io::Result<()> {
    let mut lead = Line::plain(" ");
    lead.push(severity_sign(page, f.severity), severity_paint(f.severity).bold());
    page.hanging(lead, 3, &f.statement, severity_paint(f.severity))?;
    for line in &f.evidence {
        page.hanging(Line::new(), 3, line, Paint::DIM)?;
    }
    if !f.remedy.is_empty() {
        page.hanging(Line::plain("   ").with("try: ", Paint::BOLD), 8, &f.remedy, Paint::PLAIN)?;
    }
    Ok(())
}

/// What was looked at beside the run, and what looking cost.
pub(crate) fn sampled(record: &RunRecord, cost: &SamplingCost) -> String {
    let series = record.series.iter().filter(|s| !s.name.starts_with("sampler.")).count();
    let share = cost.share * 100.0;
    format!(
        "{series} counters, {} times, at a cost of {share:.2} % of one core ({} of CPU time each)",
        count(cost.looks),
        cost.per_look
    )
}

/// A rate of the tool itself: more than three digits of millions say nothing.
fn rate(value: Iops) -> String {
    if value.0 < 1e6 { value.to_string() } else { count(value.0.round() as u64) }
}

/// The machine in one line.
pub(crate) fn host(h: &HostFacts) -> String {
    let mut words = vec![h.hostname.clone(), h.kernel.clone()];
    words.extend(h.virtualization.as_ref().map(|v| format!("on {v}")));
    let mut cpus = format!("{} CPU{}", h.cpus, if h.cpus == 1 { "" } else { "s" });
    if let Some(quota) = h.cpu_quota {
        cpus.push_str(&format!(" (the control group allows {quota:.2})"));
    }
    words.push(cpus);
    if !h.cpu_model.is_empty() {
        words.push(h.cpu_model.clone());
    }
    let mut memory = format!("{} memory", h.memory);
    if let Some(limit) = h.memory_limit {
        memory.push_str(&format!(" (the control group allows {limit})"));
    }
    words.push(memory);
    words.join(", ")
}

fn environment(page: &mut Page, record: &RunRecord) -> io::Result<()> {
    let (facts, target) = (&record.preflight, &record.plan.target);
    page.labelled("host", Paint::DIM, &host(&facts.host), Paint::PLAIN)?;
    match &record.plan.watch {
        Some(_) => stack::write_devices(page, &facts.storage.devices)?,
        None => stack::write(page, &stack::named(facts, &record.plan.targets), Detail::Brief)?,
    }
    // Of a database its directory was told; where its files lie is the engine's business.
    if record.plan.targets.is_empty() && record.database.is_none() && record.plan.watch.is_none() {
        page.labelled("target", Paint::DIM, &place(target), Paint::PLAIN)?;
    }
    for (i, named) in record.plan.targets.iter().enumerate() {
        let text = format!("{}: {}", named.name, place(&named.target));
        page.labelled(if i == 0 { "targets" } else { "" }, Paint::DIM, &text, Paint::PLAIN)?;
    }
    if let Some(fill) = record.fill {
        let rate = BytesPerSecond(fill.bytes.0 as f64 / fill.time.secs().max(1e-9));
        let text = format!("{} written in {}, flush included: {rate}", fill.bytes, duration(fill.time));
        page.labelled("fill", Paint::DIM, &text, Paint::PLAIN)?;
    }
    let mut engine = facts.engine_choice.clone();
    if let Some((one, deep)) = facts.ceiling {
        let text =
            format!("secchi itself can do {} IOPS a thread with one in flight, {} with 32", rate(one), rate(deep));
        engine = if engine.is_empty() { text } else { format!("{engine}; {text}") };
    }
    if !engine.is_empty() {
        page.labelled("engine", Paint::DIM, &engine, Paint::PLAIN)?;
    }
    Ok(())
}

/// `file /mnt/a/secchi-1.dat, 2 GiB, direct`.
fn place(target: &Target) -> String {
    let kind = match target.kind {
        TargetKind::File => "file",
        TargetKind::Device => "device",
        TargetKind::Null => "nothing (null target)",
    };
    let cache = if target.direct { "direct" } else { "through the page cache" };
    format!("{kind} {}, {}, {cache}", target.path.display(), target.size)
}

/// Identity of the run, what was typed, and how to show it again.
fn run(page: &mut Page, record: &RunRecord, judgement: &Judgement) -> io::Result<()> {
    let how = match record.state {
        RunState::Complete => "complete",
        RunState::Interrupted => "interrupted",
        RunState::Stopped => "stopped",
        RunState::Hung => "hung",
        RunState::Failed => "failed",
        RunState::Damaged => "damaged",
    };
    let planned = record.plan.expected_time().secs();
    let mut text = format!("{}, {how} after {}", record.id, duration(record.ended));
    if record.state != RunState::Complete && planned > 0.0 {
        text.push_str(&format!(" ({} of the planned time)", percent((record.ended.secs() / planned).min(1.0))));
    }
    text.push_str(&format!(", {}, exit code {}", tool(&record.tool), judgement.exit_code));
    page.labelled("run", Paint::DIM, &text, Paint::PLAIN)?;
    page.labelled("typed", Paint::DIM, &typed(record), Paint::PLAIN)?;
    page.labelled("again", Paint::DIM, &again(record), Paint::BOLD)
}

/// What shows it again.
pub(crate) fn again(record: &RunRecord) -> String {
    let short: String = record.id.chars().take(8).collect();
    let store = store(&record.plan.args).map_or_else(String::new, |s| format!(" --store {}", quoted(s)));
    format!("secchi show {short}{store}")
}

/// The command as it was typed, as a shell takes it again.
pub(crate) fn typed(record: &RunRecord) -> String {
    let args = record.plan.args.iter();
    let typed = args.skip_while(|a| **a == record.plan.command).map(|a| quoted(a)).collect::<Vec<_>>().join(" ");
    format!("secchi {} {typed}", record.plan.command).trim_end().to_owned()
}

/// `secchi 0.1.0`, whether the record has the name or only the version.
pub(crate) fn tool(recorded: &str) -> String {
    format!("secchi {}", recorded.trim_start_matches("secchi").trim_start())
}

/// The store a run was told to use: without it, it is not found again.
fn store(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|a| a == "--store" || a.starts_with("--store="))?;
    args[at].strip_prefix("--store=").or_else(|| args.get(at + 1).map(String::as_str))
}

/// An argument as a shell would take it again.
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
