//! Guard for objects on servers that jobs write to. The rules are the same as for local files and devices: objects that
//! secchi did not create are written only with consent.
//!
//! An image counts as a device, so its name must be typed again. If the user typed the name of a file on an export, or
//! of an object that represents a whole file, the file may belong to another user. Names derived from a job's name are
//! fio's defaults, as are object names that end with an offset and a length; these names need no consent.

use crate::engine::{OpenError, ServedThing, WriteConsent};
use crate::engines;
use crate::target::error::{TargetError, cannot, printable, refused};
use model::{Stage, plan::TargetKind};
use std::path::{Path, PathBuf};

/// Consents of the user.
#[derive(Debug, Clone, Default)]
pub struct ServedConsent {
    /// Name of an image that may be overwritten, as typed by the user (--destroy).
    pub destroy: Option<String>,
    /// Images that any job may write (SECCHI_DESTROY).
    pub may_destroy: Vec<String>,
    /// True if existing data may be overwritten (--allow-overwrite).
    pub allow_overwrite: bool,
    /// Names of objects that may be overwritten (overwrite=1).
    pub overwrite: Vec<PathBuf>,
}

/// Checks that the jobs may write to their objects on servers. Changes nothing. `typed` returns `true` if the user
/// typed the names of a stage. Returns `true` if `destroy` allowed one of the objects.
///
/// # Errors
/// Returns a [`TargetError`] for the first object that must not be written.
pub fn inspect_served(
    stages: &[Stage],
    consent: &ServedConsent,
    typed: impl Fn(&Stage) -> bool,
) -> Result<bool, TargetError> {
    let mut used = false;
    for stage in stages.iter().filter(|s| s.job.changes_target()) {
        let Ok(entry) = engines::find(&stage.job.engine) else { continue };
        for target in stage.job.targets().filter(|t| t.kind == TargetKind::Served) {
            let path = &target.path;
            let allowed = consent.allow_overwrite || consent.overwrite.contains(path);
            match entry.consent {
                WriteConsent::TypedName => used |= image(path, consent)?,
                WriteConsent::Overwrite(occupied) if !allowed => {
                    let options = &stage.job.tuning.engine_options;
                    let thing = ServedThing { path, options, typed: typed(stage) };
                    if let Some(reason) = occupied(&thing).map_err(|e| inaccessible(path, &e))? {
                        return Err(overwriting(path, &reason));
                    }
                }
                WriteConsent::Overwrite(_) | WriteConsent::None => {}
            }
        }
    }
    Ok(used)
}

/// Checks the consent for writing an image. Returns `true` if `--destroy` allowed the write.
fn image(path: &Path, consent: &ServedConsent) -> Result<bool, TargetError> {
    let name = printable(path);
    let what = format!("overwriting the image {name}");
    match &consent.destroy {
        Some(typed) if *typed == name => Ok(true),
        Some(typed) => Err(refused(
            what,
            format!("--destroy names `{}`, but this image is `{name}`", model::clip(typed)),
            "check that this is the right image",
        )),
        None if consent.may_destroy.contains(&name) => Ok(false),
        None => Err(refused(
            what,
            "all data on it would be lost",
            format!("to do this anyway, add its name: --destroy '{name}'"),
        )),
    }
}

fn inaccessible(path: &Path, error: &OpenError) -> TargetError {
    let (reason, advice) = match error {
        OpenError::Unavailable { why, advice, .. } => (why.clone(), advice.clone()),
        other => (other.to_string(), "check the options of the engine".to_owned()),
    };
    cannot(format!("look at {} before it is written", printable(path)), reason, advice)
}

fn overwriting(path: &Path, reason: &str) -> TargetError {
    let what = format!("writing to {}", printable(path));
    refused(what, reason, "set overwrite=1 or --allow-overwrite to allow it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::{Access, ErrorPolicy, JobTuning, Mix, StagePlacement, StopRule, Workload};
    use model::{Bytes, Job, Nanos, Target};

    fn stage(engine: &str, options: &[(&str, &str)], mix: Mix) -> Stage {
        let options = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let job = Job {
            name: "job".into(),
            workload: Workload::new(mix, Bytes(4096), Access::RANDOM),
            target: Target::served("rbd/volume", Bytes(0), Bytes::from_mib(1)),
            more: Vec::new(),
            engine: engine.to_owned(),
            queue_depth: 1,
            threads: 1,
            stop: StopRule { ramp: Nanos(0), time: Nanos(1), steady_after: None, max_ops: None },
            on_error: ErrorPolicy::Stop,
            seed: 1,
            faults: None,
            tuning: JobTuning { engine_options: options, ..JobTuning::default() },
        };
        let place = StagePlacement::default();
        Stage { place, ..Stage::fixed("job", job) }
    }

    #[test]
    fn an_image_is_written_only_by_its_name() {
        let writes = [stage("rbd", &[], Mix::WRITE)];
        let inspect = |consent: &ServedConsent| inspect_served(&writes, consent, |_| true).map_err(|e| e.to_string());
        let none = ServedConsent { allow_overwrite: true, ..ServedConsent::default() };
        assert!(inspect(&none).unwrap_err().ends_with("add its name: --destroy 'rbd/volume'"));
        let typed = |word: &str| ServedConsent { destroy: Some(word.to_owned()), ..none.clone() };
        assert_eq!(inspect(&typed("rbd/volume")), Ok(true));
        assert!(inspect(&typed("rbd/volum")).unwrap_err().contains("this image is `rbd/volume`"));
        let standing = ServedConsent { may_destroy: vec!["rbd/volume".to_owned()], ..none.clone() };
        assert_eq!(inspect(&standing), Ok(false));
        assert_eq!(inspect_served(&[stage("rbd", &[], Mix::READ)], &none, |_| true), Ok(false));
    }

    #[test]
    fn whole_objects_are_replaced_only_with_consent() {
        let whole = [stage("http", &[("http_object_mode", "range")], Mix::WRITE)];
        let none = ServedConsent::default();
        assert!(inspect_served(&whole, &none, |_| false).unwrap_err().to_string().contains("--allow-overwrite"));
        let named = ServedConsent { overwrite: vec!["rbd/volume".into()], ..ServedConsent::default() };
        assert_eq!(inspect_served(&whole, &named, |_| false), Ok(false));
        let blocks = [stage("http", &[("http_object_mode", "block")], Mix::WRITE)];
        assert_eq!(inspect_served(&blocks, &none, |_| true), Ok(false));
    }
}
