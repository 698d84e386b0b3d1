//! Drive health that may make the figures unrepresentative: heat, wear, errors, a reduced link.

use messages::sentence;
use model::record::{DeviceFacts, DriveHealth, DriveLink};
use model::{Caveat, RunRecord, Sentence, Severity};

/// Percentage of a drive's endurance from which it counts as worn, by its vendor's own estimate.
const WORN: u8 = 100;
/// Percentage of a drive's endurance from which its wear is reported.
const NEARLY_WORN: u8 = 90;

/// Returns doubts about the drives under the target.
pub(crate) fn doubts(record: &RunRecord) -> Vec<Caveat> {
    let drives = record.preflight.storage.devices.iter().filter_map(|d| Some((d, d.health.as_ref()?)));
    drives
        .flat_map(|(device, health)| {
            let (hot, worn) = (hot(record, device, health), worn(device, health));
            let failing =
                failing(device, health, hot.is_some(), worn.as_ref().is_some_and(|w| w.severity == Severity::Doubt));
            [hot, worn, failing, link(device, health)]
        })
        .flatten()
        .collect()
}

/// Combines the observations of a drive into one sentence.
fn device_statement(device: &DeviceFacts, seen: Vec<Sentence>) -> Sentence {
    Sentence::concat([(&device.name).into(), ": ".into(), Sentence::join(seen, ", ")])
}

fn hot(record: &RunRecord, device: &DeviceFacts, health: &DriveHealth) -> Option<Caveat> {
    let series = record.series(&format!("device.{}.temperature", device.name));
    let seen = series.iter().flat_map(|s| &s.points).map(|(_, degrees)| *degrees).fold(f64::NEG_INFINITY, f64::max);
    // The kernel's sensor is 0.15 degrees below the drive's own figure, which its warning is based on.
    let highest = seen.round().max(health.temperature.map_or(f64::NEG_INFINITY, f64::from));
    let warns = f64::from(health.warns_at?);
    (highest >= warns).then(|| {
        Caveat::new(
            "drive-hot",
            Severity::Doubt,
            sentence!("doubt-drive-hot"),
            device_statement(
                device,
                vec![sentence!("seen-hot", highest = format!("{highest:.0}"), warns = format!("{warns:.0}"))],
            ),
        )
        .weighing(highest - warns)
        .remedy(sentence!("remedy-drive-hot"))
    })
}

fn worn(device: &DeviceFacts, health: &DriveHealth) -> Option<Caveat> {
    let used = health.used.filter(|used| *used >= NEARLY_WORN);
    let spare = health.spare.filter(|(left, least)| left < least);
    let mut seen = Vec::new();
    seen.extend(used.map(|used| sentence!("seen-endurance", used)));
    seen.extend(spare.map(|(left, least)| sentence!("seen-spare", left, least)));
    if seen.is_empty() {
        return None;
    }
    let worn = spare.is_some() || used.is_some_and(|used| used >= WORN);
    let severity = if worn { Severity::Doubt } else { Severity::Note };
    Some(
        Caveat::new("drive-worn", severity, sentence!("doubt-drive-worn"), device_statement(device, seen))
            .remedy(sentence!("remedy-drive-worn")),
    )
}

/// Returns the caveat about errors. `hot` and `worn` are true if heat or spare blocks already have their own doubt.
fn failing(device: &DeviceFacts, health: &DriveHealth, hot: bool, worn: bool) -> Option<Caveat> {
    let errors = health.media_errors.filter(|n| *n > 0);
    let warns = health.warnings.iter().filter(|w| !(hot && *w == "temperature" || worn && *w == "spare"));
    let warns: Vec<Sentence> = warns.map(|w| warning(w)).collect();
    if errors.is_none() && warns.is_empty() {
        return None;
    }
    let severity = if warns.is_empty() { Severity::Note } else { Severity::Doubt };
    let mut seen = Vec::new();
    seen.extend(errors.map(|n| sentence!("seen-media-errors", n)));
    seen.extend((!warns.is_empty()).then(|| sentence!("seen-drive-warns", what = Sentence::join(warns, ", "))));
    Some(
        Caveat::new("drive-errors", severity, sentence!("doubt-drive-errors"), device_statement(device, seen))
            .remedy(sentence!("remedy-drive-errors")),
    )
}

/// Returns the sentence for an NVMe drive's warning, which the record stores as a word.
fn warning(word: &str) -> Sentence {
    match word {
        "reliability" => sentence!("drive-warns-reliability"),
        "read-only" => sentence!("drive-warns-read-only"),
        "backup" => sentence!("drive-warns-backup"),
        "temperature" => sentence!("drive-warns-temperature"),
        "spare" => sentence!("drive-warns-spare"),
        other => other.into(),
    }
}

fn link(device: &DeviceFacts, health: &DriveHealth) -> Option<Caveat> {
    let link = health.link.as_ref().filter(|l| l.is_reduced())?;
    let (is, best) =
        (DriveLink::format_link(link.speed, link.lanes), DriveLink::format_link(link.best_speed, link.most_lanes));
    let evidence = device_statement(device, vec![sentence!("seen-link", is, best)]);
    Some(
        Caveat::new("slow-link", Severity::Doubt, sentence!("doubt-slow-link"), evidence)
            .remedy(sentence!("remedy-slow-link")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Rig, Run, randread};
    use model::measured::{Layer, Series};
    use model::{Nanos, plan::StageRole};

    fn drive_caveats(health: DriveHealth, degrees: &[f64]) -> Vec<(String, Severity)> {
        let mut rig = Rig::new();
        let stage = rig.stage("r", StageRole::Fixed, randread(8192));
        rig.step(stage, Run::at(1, 6000.0));
        let mut record = rig.record();
        let device = &mut record.preflight.storage.devices[0];
        device.health = Some(health);
        let name = format!("device.{}.temperature", device.name);
        let points = degrees.iter().enumerate().map(|(i, d)| (Nanos(i as u64 * 1_000_000_000), *d)).collect();
        record.series.push(Series { name, unit: "°C".into(), layer: Layer::Device, points });
        crate::judge::judge(&record)
            .caveats
            .into_iter()
            .filter(|c| c.id.contains("drive") || c.id == "slow-link")
            .map(|c| (c.id, c.severity))
            .collect()
    }

    #[test]
    fn a_drive_in_health_is_no_doubt() {
        let link = DriveLink { speed: 8000, lanes: 4, best_speed: 8000, most_lanes: 4 };
        let well = DriveHealth {
            temperature: Some(40),
            warns_at: Some(80),
            used: Some(3),
            spare: Some((100, 10)),
            media_errors: Some(0),
            link: Some(link),
            ..DriveHealth::default()
        };
        assert!(drive_caveats(well.clone(), &[40.0, 79.4]).is_empty());
        // Missing health data is not a doubt, either.
        assert!(drive_caveats(DriveHealth::default(), &[99.0]).is_empty());
        let doubt = |id: &str| vec![(id.to_owned(), Severity::Doubt)];
        let note = |id: &str| vec![(id.to_owned(), Severity::Note)];
        assert_eq!(
            drive_caveats(well.clone(), &[40.0, 79.85]),
            doubt("drive-hot"),
            "the kernel's sensor at the drive's 80 degrees"
        );
        let warning = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let hot = DriveHealth { warnings: warning(&["temperature"]), ..well.clone() };
        assert_eq!(drive_caveats(hot.clone(), &[80.0]), doubt("drive-hot"), "said once");
        assert_eq!(drive_caveats(hot, &[]), doubt("drive-errors"), "it warns, whatever the sensor says");
        let spare = DriveHealth { warnings: warning(&["spare"]), spare: Some((9, 10)), ..well.clone() };
        assert_eq!(drive_caveats(spare.clone(), &[]), doubt("drive-worn"));
        assert_eq!(drive_caveats(DriveHealth { spare: None, ..spare }, &[]), doubt("drive-errors"));
        assert!(drive_caveats(DriveHealth { spare: Some((10, 10)), ..well.clone() }, &[]).is_empty(), "not below");
        assert_eq!(drive_caveats(DriveHealth { used: Some(92), ..well.clone() }, &[]), note("drive-worn"));
        assert_eq!(drive_caveats(DriveHealth { used: Some(104), ..well.clone() }, &[]), doubt("drive-worn"));
        assert_eq!(drive_caveats(DriveHealth { spare: Some((9, 10)), ..well.clone() }, &[]), doubt("drive-worn"));
        assert_eq!(drive_caveats(DriveHealth { media_errors: Some(2), ..well.clone() }, &[]), note("drive-errors"));
        assert_eq!(
            drive_caveats(DriveHealth { warnings: vec!["read-only".into()], ..well.clone() }, &[]),
            doubt("drive-errors")
        );
        let reduced = DriveLink { speed: 8000, lanes: 2, best_speed: 8000, most_lanes: 4 };
        assert_eq!(drive_caveats(DriveHealth { link: Some(reduced), ..well }, &[]), doubt("slow-link"));
    }
}
