//! A block after the normal output that fio does not have: doubts about the measurement, and the notes of the run.

use super::account::{Account, Accounts};
use crate::grouping::grouped_doubts;
use crate::harmless;
use crate::widgets::text::width;
use messages::{Language, Sentence, sentence};
use model::{Caveat, LatencyHistogram, RunRecord, RunState, Severity};
use std::io::{self, Write};

/// Maximum line width.
const WIDTH: usize = 100;

pub(super) fn write(
    record: &RunRecord,
    accounts: &Accounts,
    language: Language,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "\nTRUST")?;
    let groups = grouped_doubts(&record.caveats);
    let thin: Vec<Sentence> = accounts.accounts.iter().filter_map(thin).collect();
    let ended = ended(record);
    let mut block = Block { language, out };
    if groups.is_empty() && thin.is_empty() && ended.is_none() {
        block.wrapped("  ", "  ", &sentence!("fio-trust-nothing"))?;
    }
    if let Some(ended) = ended {
        block.item("fio-trust-incomplete", &ended)?;
    }
    groups.iter().try_for_each(|group| block.caveat(record, group))?;
    let verified = verified(record);
    let notes = thin.iter().chain(&verified).chain(record.notes.iter().map(|(_, text)| text));
    notes.into_iter().try_for_each(|text| block.item("fio-trust-note", text))
}

/// Returns the number of verified blocks if all were correct; errors are reported as caveats.
fn verified(record: &RunRecord) -> Option<Sentence> {
    let verified = || record.steps.iter().filter_map(|s| s.end.as_ref()).map(|end| &end.verified);
    let blocks: u64 = verified().map(|v| v.blocks).sum();
    (blocks > 0 && verified().all(|v| v.wrong == 0))
        .then(|| sentence!("fio-trust-verified", blocks = blocks.to_string()))
}

/// Returns a sentence about the end of the run, unless the run is complete.
fn ended(record: &RunRecord) -> Option<Sentence> {
    let how = match record.state {
        RunState::Complete => return None,
        RunState::Interrupted => sentence!("fio-trust-interrupted"),
        RunState::Running => sentence!("fio-trust-running"),
        RunState::Stopped => sentence!("fio-trust-stopped"),
        RunState::Hung if record.lost_a_host() => sentence!("fio-trust-host-gone"),
        RunState::Hung => sentence!("fio-trust-hung"),
        RunState::Failed => sentence!("fio-trust-failed"),
        RunState::Damaged => sentence!("fio-trust-damaged"),
    };
    let reason = Some(&record.reason).filter(|why| !why.is_empty());
    Some(reason.map_or(how.clone(), |reason| sentence!("told-of", what = how, told = reason)))
}

/// Writer of the block in one language.
struct Block<'a> {
    language: Language,
    out: &'a mut dyn Write,
}

impl Block<'_> {
    fn caveat(&mut self, record: &RunRecord, group: &[&Caveat]) -> io::Result<()> {
        let first = group[0];
        let kind = match first.severity {
            Severity::Invalid => "fio-trust-invalid",
            Severity::Doubt => "fio-trust-doubt",
            Severity::Note => "fio-trust-note",
        };
        self.item(kind, &first.statement)?;
        let evidence = |c: &&Caveat| match c.step.and_then(|s| record.steps.get(s)) {
            Some(step) if group.len() > 1 => {
                let stage = record.stage_of(step);
                let section = record.plan.section_of(stage);
                sentence!("told-of", what = section.map_or(&stage.name, |s| &s.name), told = &c.evidence)
            }
            _ => c.evidence.clone(),
        };
        let examples: Vec<Sentence> = group.iter().filter(|c| !c.evidence.is_empty()).take(3).map(evidence).collect();
        if !examples.is_empty() {
            let evidence_text = Sentence::join(examples, "; ");
            let evidence_text = match group.len().checked_sub(3).filter(|more| *more > 0) {
                Some(n) => sentence!("list-told-and-more", told = evidence_text, n = n.to_string()),
                None => evidence_text,
            };
            self.wrapped("    ", "    ", &evidence_text)?;
        }
        if first.remedy.is_empty() {
            return Ok(());
        }
        let lead = format!("    {} ", messages::fixed(self.language, "label-try"));
        self.wrapped(&lead, &" ".repeat(width(&lead)), &first.remedy)
    }

    fn item(&mut self, kind: &str, text: &Sentence) -> io::Result<()> {
        self.wrapped(&format!("  {}: ", messages::fixed(self.language, kind)), "    ", text)
    }

    fn wrapped(&mut self, lead: &str, hang: &str, text: &Sentence) -> io::Result<()> {
        let text = harmless(&messages::translate(self.language, text));
        let options = textwrap::Options::new(WIDTH).initial_indent(lead).subsequent_indent(hang);
        textwrap::wrap(&text, options).iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }
}

/// Returns a note on percentiles with fewer than ten slower operations (docs/design/statistics.md, "Percentiles"): fio's
/// layout always includes all percentiles, so they are printed, and this note marks them as unreliable.
fn thin(account: &Account) -> Option<Sentence> {
    let report = &account.report;
    let shown: Vec<&LatencyHistogram> = account
        .ways
        .iter()
        .filter(|way| way.millis > 0)
        .filter(|_| report.slat_percentiles || report.clat_percentiles || report.lat_percentiles)
        .map(|way| if report.lat_percentiles { &way.lat } else { &way.clat })
        .filter(|h| h.count() > 0)
        .collect();
    let few = |p: &&f64| **p < 100.0 && shown.iter().any(|h| h.percentile(**p).value().is_none());
    let first = report.percentiles.iter().find(few)?;
    let (name, ops) = (&account.name, account.ops().to_string());
    Some(sentence!("fio-trust-thin", name, first = first.to_string(), ops))
}
