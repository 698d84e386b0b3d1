//! Levels that ran on burst credits: the measured rate will not last (docs/design/limits.md, "Bursts").
//!
//! A volume type with bursts holds its maximum for half an hour. A run of ten minutes reports that maximum, but a week
//! later the database gets the baseline. So no rate above a baseline counts as sustained until the burst must have
//! ended.

use crate::levels::figures::Level;
use crate::limits::caps::{self, Cap};
use model::{Nanos, RunRecord};

/// Minimum ratio of a run's length to the duration of its burst for the burst to be over.
const OUTLIVED: f64 = 1.1;

/// A level above the baseline of a limit with bursts.
pub(crate) struct OnBurst<'a> {
    /// The baseline.
    pub cap: Cap<'a>,
    /// Duration for which full credits carry this rate.
    pub lasts: Nanos,
    /// Time for which the storage had been loaded at the end of the level.
    pub loaded: Nanos,
}

/// Returns the tightest baseline that a level exceeded, if it stayed within the published burst and ran no longer than
/// that lasts.
pub(crate) fn on_burst<'a>(record: &'a RunRecord, level: &Level) -> Option<OnBurst<'a>> {
    let loaded = loaded(record, level);
    caps::caps(record, level).into_iter().find_map(|cap| {
        let above = cap.burst.is_none() && caps::above(caps::span(level), cap.allows);
        let seconds = cap.burst_seconds(level.rate()).filter(|_| above && !caps::refutes(&cap, level))?;
        let lasting = loaded.secs() < seconds * OUTLIVED;
        lasting.then(|| OnBurst { cap, lasts: Nanos::from_secs_f64(seconds), loaded })
    })
}

/// Returns the time from the first step of the run to the end of this level.
fn loaded(record: &RunRecord, level: &Level) -> Nanos {
    let start = record.steps.first().map_or(Nanos(0), |s| s.start);
    let ends = level.steps.iter().filter_map(|i| record.steps[*i].end.as_ref()).map(|e| e.at);
    ends.max().unwrap_or_default().since(start)
}

/// Formats a time for reading, in minutes from ten minutes on, and in hours from two hours on.
pub(crate) fn round(time: Nanos) -> String {
    match time.secs() {
        seconds if seconds < 600.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::judge;
    use crate::testkit::{Rig, Storage, randread};
    use model::judged::{AnswerSubject, BindingKind, Outcome};
    use model::{Limit, Severity};

    fn bought(rig: &mut Rig, volume: &str, instance: &str) {
        let catalog = crate::catalog::Catalog::shipped();
        let rows = [catalog.resolve_volume(volume), catalog.resolve_instance(instance)];
        let limits: Vec<Limit> = rows.into_iter().flat_map(|r| r.expect("it is in the catalogue").limits).collect();
        rig.limits(limits);
    }

    #[test]
    fn a_result_on_burst_credits_is_named_so_and_sustains_nothing() {
        let mut rig = Rig::new();
        bought(&mut rig, "gp3:size=2000GiB,iops=16000,mbps=1000", "m5.large");
        rig.need("8k randread: iops>=10000");
        rig.need("8k randread: iops>=3000");
        rig.need("8k randread for 5s: iops>=10000");
        rig.need("8k randread: iops>=3000, avg<=20ms");
        rig.ramp(randread(8192), &Storage::capped(0.0004, 16_000.0, 1e12));
        let judgement = judge(&rig.record());
        let pattern = &judgement.patterns[0];
        assert_eq!(pattern.sustained, None);
        assert_eq!(pattern.binding.kind, BindingKind::LimitIops);
        let finding = judgement.findings.iter().find(|f| f.id == "burst-credits").expect("it is said");
        assert_eq!(finding.severity, Severity::Doubt);
        assert!(finding.statement.contains("m5.large instance's published 3,600 IOPS"), "{}", finding.statement);
        assert!(finding.evidence.iter().any(|e| e.contains("min")), "{finding:?}");
        assert!(!judgement.findings.iter().any(|f| f.id == "above-limit"), "{:?}", judgement.findings);
        assert_eq!(judgement.needs[0].outcome, Outcome::Fail, "the baseline decides");
        assert!(judgement.needs[0].why.contains("the sustained rate is 3,600 IOPS"), "{}", judgement.needs[0].why);
        assert_eq!(judgement.needs[1].outcome, Outcome::Pass);
        assert_eq!(judgement.needs[2].outcome, Outcome::Pass, "for as long as it was demanded");
        assert!(judgement.needs[2].why.contains("credits"), "{}", judgement.needs[2].why);
        assert_eq!(judgement.needs[3].outcome, Outcome::Undecided, "the latency at the baseline is unknown");
        assert_eq!(judgement.exit_code, 1);
        let advice = judgement.answer.line(AnswerSubject::Do).expect("it advises").text.to_string();
        assert!(advice.contains("10,000 IOPS are needed, but it sustains only 3,600 IOPS after its burst"), "{advice}");
    }

    #[test]
    fn a_need_met_without_a_row_says_how_long_and_which_bucket_is_not_excluded() {
        // Formerly 12,000 per second from a bucket of 240,000 over a baseline of 3,000 met a need without any remark.
        let reason_of = |row: Option<&str>, need: &str| {
            let mut rig = Rig::new();
            rig.need(need);
            row.iter().for_each(|row| rig.declare(row));
            rig.ramp(randread(8192), &Storage::capped(0.0004, 12_000.0, 1e12));
            let judgement = judge(&rig.record());
            assert_eq!(judgement.needs[0].outcome, Outcome::Pass);
            judgement.needs[0].why.to_string()
        };
        let held = reason_of(None, "8k randread: iops>=10000");
        assert!(held.contains("held for 8.00 s") && held.contains("burst bucket of 9"), "{held}");
        assert_eq!(reason_of(Some("volume iops=12000"), "8k randread: iops>=10000"), "", "the row says what lasts");
        assert_eq!(reason_of(None, "8k randread for 5s: iops>=10000"), "", "the need says how long");
        assert_eq!(reason_of(None, "8k randread: avg<=20ms"), "", "no rate");
    }

    #[test]
    fn at_its_burst_the_burst_is_what_binds() {
        let mut rig = Rig::new();
        bought(&mut rig, "gp2:size=100", "m5.4xlarge");
        rig.ramp(randread(8192), &Storage::capped(0.0004, 3000.0, 1e12));
        let judgement = judge(&rig.record());
        assert!(judgement.verdict.contains("the gp2 volume's published burst of 3,000 IOPS"), "{}", judgement.verdict);
        assert_eq!(judgement.patterns[0].sustained, None);
    }

    #[test]
    fn beyond_the_burst_or_after_it_the_row_is_doubted() {
        let mut rig = Rig::new();
        bought(&mut rig, "gp2:size=100", "m5.4xlarge");
        rig.ramp(randread(8192), &Storage::capped(0.0004, 5000.0, 1e12));
        let judgement = judge(&rig.record());
        assert!(judgement.findings.iter().any(|f| f.id == "above-limit"), "{:?}", judgement.findings);
        assert!(judgement.patterns[0].sustained.is_some());
    }

    #[test]
    fn beside_a_row_that_is_wrong_nothing_is_told_of_credits() {
        let mut rig = Rig::new();
        bought(&mut rig, "gp2:size=100", "m5.large");
        rig.ramp(randread(8192), &Storage::capped(0.0004, 5000.0, 1e12));
        let judgement = judge(&rig.record());
        let ids: Vec<&str> = judgement.findings.iter().map(|f| f.id.as_str()).collect();
        assert!(ids.contains(&"above-limit") && !ids.contains(&"burst-credits"), "{ids:?}");
        assert_eq!(judgement.patterns[0].sustained, None, "above the instance's baseline nothing is sustained");
    }

    #[test]
    fn published_rows_are_named_with_their_date() {
        let mut rig = Rig::new();
        bought(&mut rig, "gp3:size=2000GiB,iops=6000", "m4.xlarge");
        rig.ramp(randread(8192), &Storage::capped(0.0004, 6000.0, 1e12));
        let judgement = judge(&rig.record());
        let rows = judgement.findings.iter().find(|f| f.id == "published-limits").expect("it is said");
        assert!(rows.evidence.iter().any(|e| e.contains("aws/m4.xlarge") && e.contains("may have risen")), "{rows:?}");
        assert_eq!(judgement.patterns[0].binding.kind, BindingKind::Undecidable, "both are 6000");
    }
}
