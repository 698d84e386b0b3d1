//! Options of a job as in fio's JSON. Tools read `rw`, `bs`, `iodepth` and `numjobs` from there, so these are always
//! written, even if the job does not set them.

use model::plan::{BlockSizes, Section};
use model::{Job, Op};

/// Returns the section's options as given, plus those that tools need, with their effective values.
pub(super) fn of_job(section: &Section, job: &Job, clones: usize) -> Vec<(String, String)> {
    let mut options = section.options.clone();
    let typed = |names: &[&str]| {
        let named = |(name, _): &&(String, String)| names.contains(&name.as_str());
        let typed = section.options.iter().rfind(named).or_else(|| section.globals.iter().rfind(named));
        typed.map(|(_, value)| value.clone())
    };
    let needed = [
        ("rw", typed(&["rw", "readwrite"]), job.workload.rw().to_owned()),
        ("bs", typed(&["bs", "blocksize"]), block(job)),
        ("iodepth", typed(&["iodepth"]), job.queue_depth.to_string()),
        ("numjobs", typed(&["numjobs"]), clones.to_string()),
    ];
    for (name, typed, used) in needed {
        if !options.iter().any(|(known, _)| known == name) {
            options.push((name.to_owned(), typed.unwrap_or(used)));
        }
    }
    options
}

/// Returns block sizes as they would be typed; for a list or a range, the smallest.
fn block(job: &Job) -> String {
    let one = |sizes: &BlockSizes| sizes.min().short();
    let [read, write, trim] = [Op::Read, Op::Write, Op::Trim].map(|op| one(job.workload.sizes_of(op)));
    if read == write && write == trim { read } else { format!("{read},{write},{trim}") }
}
