//! The block fio does not have: doubts about what was measured, and the notes of the run, after the normal output.

use super::account::{Account, Accounts};
use super::said;
use model::{Caveat, LatencyHistogram, RunRecord, RunState, Severity};
use std::io::{self, Write};

/// Widest line.
const WIDTH: usize = 100;

pub(super) fn write(record: &RunRecord, accounts: &Accounts, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nTRUST")?;
    let mut groups: Vec<Vec<&Caveat>> = Vec::new();
    for caveat in &record.caveats {
        let same = |g: &&mut Vec<&Caveat>| {
            (g[0].severity, &g[0].id, &g[0].statement) == (caveat.severity, &caveat.id, &caveat.statement)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(caveat),
            None => groups.push(vec![caveat]),
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g[0].severity));
    let thin = thin(accounts);
    let ended = ended(record);
    if groups.is_empty() && thin.is_empty() && ended.is_none() {
        writeln!(out, "  no doubt was found")?;
    }
    if let Some(ended) = ended {
        item("incomplete", &ended, out)?;
    }
    groups.iter().try_for_each(|group| caveat(record, group, out))?;
    thin.iter().try_for_each(|text| item("note", text, out))?;
    if let Some(verified) = verified(record) {
        item("note", &verified, out)?;
    }
    record.notes.iter().try_for_each(|(_, text)| item("note", text, out))
}

/// How much was verified, where nothing was wrong: what was wrong is a caveat.
fn verified(record: &RunRecord) -> Option<String> {
    let all = || record.steps.iter().filter_map(|s| s.end.as_ref()).map(|end| &end.verified);
    let blocks: u64 = all().map(|v| v.blocks).sum();
    (blocks > 0 && all().all(|v| v.wrong == 0))
        .then(|| format!("{blocks} blocks were read back and compared, none is wrong"))
}

/// What is to be said about the end of the run, unless it is complete.
fn ended(record: &RunRecord) -> Option<String> {
    let how = match record.state {
        RunState::Complete => return None,
        RunState::Interrupted => "no end of the run was recorded: it was killed, or is still running",
        RunState::Stopped => "the run was stopped before its end",
        RunState::Hung => "operations did not come back; the figures hold those that did",
        RunState::Failed => "the run ended by errors",
        RunState::Damaged => "the journal of the run is damaged: the figures are of what could be read",
    };
    Some(if record.reason.is_empty() { how.to_owned() } else { format!("{how}: {}", record.reason) })
}

fn caveat(record: &RunRecord, group: &[&Caveat], out: &mut dyn Write) -> io::Result<()> {
    let first = group[0];
    let kind = match first.severity {
        Severity::Invalid => "INVALID",
        Severity::Doubt => "DOUBT",
        Severity::Note => "note",
    };
    item(kind, &first.statement, out)?;
    let evidence = |c: &&Caveat| match c.step.and_then(|s| record.steps.get(s)) {
        Some(step) if group.len() > 1 => format!("{}: {}", record.stage_of(step).name, c.evidence),
        _ => c.evidence.to_string(),
    };
    let told: Vec<String> = group.iter().filter(|c| !c.evidence.is_empty()).take(3).map(evidence).collect();
    if !told.is_empty() {
        let more = if group.len() > 3 { format!("; and {} more", group.len() - 3) } else { String::new() };
        wrapped("    ", "    ", &format!("{}{more}", told.join("; ")), out)?;
    }
    if first.remedy.is_empty() { Ok(()) } else { wrapped("    try: ", "         ", &first.remedy, out) }
}

fn item(kind: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    wrapped(&format!("  {kind}: "), "    ", text, out)
}

fn wrapped(lead: &str, hang: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let text = said(text);
    let options = textwrap::Options::new(WIDTH).initial_indent(lead).subsequent_indent(hang);
    textwrap::wrap(&text, options).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Percentiles that rest on fewer than ten operations beyond them (`measurement.md` 2.2): fio's layout has a place for
/// each, so they are printed, and said to be thin here.
fn thin(accounts: &Accounts) -> Vec<String> {
    accounts.accounts.iter().filter_map(thin_of).collect()
}

fn thin_of(account: &Account) -> Option<String> {
    let telling = &account.telling;
    let shown: Vec<&LatencyHistogram> = account
        .ways
        .iter()
        .filter(|_| telling.slat_percentiles || telling.clat_percentiles || telling.lat_percentiles)
        .map(|way| if telling.lat_percentiles { &way.lat } else { &way.clat })
        .filter(|h| h.count() > 0)
        .collect();
    let few = |p: &&f64| **p < 100.0 && shown.iter().any(|h| h.percentile(**p).value().is_none());
    let first = telling.percentiles.iter().find(few)?;
    Some(format!(
        "{}: percentiles from {first} on rest on fewer than 10 operations beyond them ({} operations in all)",
        account.name,
        account.ops()
    ))
}
