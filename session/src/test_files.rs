//! Test files and devices of a run: inspected, opened, and removed after the run.

use crate::Session;
use anyhow::Result;
use load::target::{self, Action, Inspection, TargetRequest, TestTarget};
use model::{Bytes, Target};
use run::Ending;

impl Session {
    /// Inspects a target without opening it. If all hosts share one file, every host inspects it before any creates it.
    ///
    /// # Errors
    /// If the target cannot be tested.
    pub fn inspect(&mut self, request: TargetRequest) -> Result<Inspection> {
        match self.shared.clone() {
            Some(shared) => shared.inspect(request, self),
            None => Ok(target::inspect(&request)?),
        }
    }

    /// Opens all targets or none. If one cannot be opened, the files created for earlier targets are removed again.
    ///
    /// # Errors
    /// If a target cannot be opened.
    pub fn open(&mut self, inspections: Vec<Inspection>) -> Result<Vec<TestTarget>> {
        inspections.iter().filter(|i| is_made(i)).for_each(|i| self.lifeline.makes(&i.path));
        let mut opened: Vec<TestTarget> = Vec::with_capacity(inspections.len());
        for inspection in inspections {
            let target = match self.shared.clone() {
                Some(shared) => shared.open(inspection, self),
                None => target::open(inspection).map_err(Into::into),
            };
            match target {
                Ok(target) => opened.push(target),
                Err(error) => {
                    for target in opened.into_iter().filter(|t| t.inspection().action == Action::Create) {
                        // Return the first error. If a file remains, it is recognised by its mark later.
                        let _ = target.remove();
                    }
                    return Err(error);
                }
            }
        }
        Ok(opened)
    }

    /// Removes the test files unless they are to be kept. Returns sentences about the files that remain.
    pub fn remove(&self, targets: Vec<TestTarget>, ending: &Ending) -> Vec<String> {
        let shared = targets.first().filter(|_| self.shared.is_some()).map(|t| t.inspection().path.clone());
        let remains = targets.into_iter().filter_map(|target| remove_made(target, ending)).collect();
        if let Some(path) = shared {
            self.remove_shared_file(&path);
        }
        remains
    }
}

/// Returns the inspected test file or device as the target of a plan.
pub fn target_of(inspection: &Inspection) -> Target {
    Target {
        kind: inspection.kind,
        path: inspection.path.clone(),
        size: inspection.size,
        offset: Bytes(0),
        direct: inspection.request.direct,
        align: inspection.request.align,
        uuid: inspection.uuid,
    }
}

/// Returns `true` if secchi creates the test file or reuses one left by an earlier run of secchi.
fn is_made(inspection: &Inspection) -> bool {
    matches!(inspection.action, Action::Create | Action::Reuse)
}

fn remove_made(target: TestTarget, ending: &Ending) -> Option<String> {
    if !is_made(target.inspection()) {
        return None;
    }
    let path = target.inspection().path.display().to_string();
    if target.keeps() {
        return Some(format!("the test file is kept for the next run: {path}"));
    }
    if ending.stuck {
        return Some(format!("the test file could not be removed while I/O hangs: {path}"));
    }
    match target.remove() {
        Ok(()) => None,
        Err(error) => Some(format!("the test file could not be removed: {error}")),
    }
}
