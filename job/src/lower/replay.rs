//! Jobs that replay recorded operations (fio's `read_iolog`). Converts recordings into operations, files and sizes.

use super::lowered::{Lowering, Replayed};
use crate::error::JobError;
use crate::file::{Section, not_done};
use crate::options::Rw;
use model::plan::{BlockSizes, Mix, Replay, ReplayPace, ReplayRequest};
use model::recording::{RecordedLayer, RecordedRequest, Recording, most_in_flight};
use model::{Bytes, Nanos, Op};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Maximum depth taken from a recording, as in fio.
const DEEPEST: u32 = 1024;

impl Lowering<'_> {
    /// Returns the recording that a clone replays, if any.
    pub(super) fn replayed(
        &mut self,
        index: usize,
        section: &Section,
        clone: u32,
    ) -> Result<Option<Rc<Replayed>>, JobError> {
        let asked = &section.options.replay;
        if asked.read.is_empty() {
            return Ok(None);
        }
        let which = if asked.merge.is_some() { 0 } else { clone as usize % asked.read.len() };
        if let Some((_, known)) = self.replays.iter().find(|(of, _)| *of == (index, which)) {
            return Ok(Some(Rc::clone(known)));
        }
        refuse_beside(section)?;
        let recording = match &asked.merge {
            Some(kept) => {
                let merged = Rc::new(self.merged(section)?);
                // As in fio, if several jobs name the same file, the last one wins.
                self.out.merged.retain(|(path, _)| path != kept);
                self.out.merged.push((kept.clone(), Rc::clone(&merged)));
                merged
            }
            None => Rc::new(self.recording(section, &asked.read[which])?),
        };
        let replayed = Rc::new(replayed(section, &recording)?);
        self.replays.push(((index, which), Rc::clone(&replayed)));
        Ok(Some(replayed))
    }

    fn recording(&self, section: &Section, path: &Path) -> Result<Recording, JobError> {
        self.facts.recording(path).map_err(|why| not_done(section, "read_iolog", why.to_string()))
    }

    /// Merges all recordings chronologically. Each recording has its own time scale and number of repetitions.
    fn merged(&self, section: &Section) -> Result<Recording, JobError> {
        let asked = &section.options.replay;
        let wrong = |option: &str, n: usize| {
            Err(not_done(section, option, format!("it has {n} numbers, but read_iolog has {} names", asked.read.len())))
        };
        for (option, list) in
            [("merge_blktrace_scalars", &asked.merge_scalars), ("merge_blktrace_iters", &asked.merge_iterations)]
        {
            if !list.is_empty() && list.len() != asked.read.len() {
                return wrong(option, list.len());
            }
        }
        let mut merged = Recording::default();
        for (i, path) in asked.read.iter().enumerate() {
            let one = self.recording(section, path)?;
            let scale = asked.merge_scalars.get(i).copied().unwrap_or(100.0) / 100.0;
            let times = asked.merge_iterations.get(i).copied().unwrap_or(1.0) as u64;
            let places: Vec<u16> = one
                .targets
                .iter()
                .map(|target| {
                    let known = merged.targets.iter().position(|t| t.name == target.name);
                    known.unwrap_or_else(|| {
                        merged.targets.push(target.clone());
                        merged.targets.len() - 1
                    }) as u16
                })
                .collect();
            let length = one.requests.last().map_or(Nanos(0), |r| r.at);
            for round in 0..times {
                let before = length.as_nanos().saturating_mul(round).saturating_add(one.header.trace_start.as_nanos());
                let at = |at: Nanos| Nanos(((at + Nanos(before)).as_nanos() as f64 * scale) as u64);
                let again =
                    |r: &RecordedRequest| RecordedRequest { at: at(r.at), target: places[usize::from(r.target)], ..*r };
                merged.requests.extend(one.requests.iter().map(again));
            }
            merged.header = one.header;
        }
        merged.requests.sort_by_key(|r| r.at);
        Ok(merged)
    }
}

/// Converts a recording into a section.
fn replayed(section: &Section, recording: &Recording) -> Result<Replayed, JobError> {
    let asked = &section.options.replay;
    let (names, files) = names(section, recording)?;
    let list = requests(section, recording, &files)?;
    let named = asked.read.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":");
    let pace = if asked.no_stall { ReplayPace::Unpaced } else { ReplayPace::Recorded };
    let mut again = section.clone();
    let o = &mut again.options;
    o.files.filenames = names;
    // The recording determines the amount of work.
    (o.files.size, o.files.io_size, o.files.filesize) = (None, None, None);
    (o.files.offset, o.files.offset_increment) = Default::default();
    let ends = ends(&list, o.files.filenames.len());
    let replay = Replay::new(named, pace, list);
    o.pattern.rw = direction(replay.mix());
    o.block.bs = [Op::Read, Op::Write, Op::Trim].map(|op| block(&replay, op));
    let timed = recording.requests.iter().any(|r| r.latency.is_some());
    let depth = (timed && !section.is_set("iodepth")).then(|| most_in_flight(&recording.requests).min(DEEPEST));
    Ok(Replayed { section: again, ends, replay, depth })
}

/// Returns an error for options that contradict the times or offsets of the recording.
fn refuse_beside(section: &Section) -> Result<(), JobError> {
    let o = &section.options;
    let beside = [
        ("rate", o.rate.is_limited()),
        ("thinktime", !o.rate.thinktime.is_zero()),
        ("verify", o.verify.method != crate::options::VerifyMethod::None),
        ("zonemode", o.zones.mode != crate::options::ZoneMode::None),
        ("latency_target", !o.goals.latency_target.is_zero()),
        ("flow", o.process.flow != 0),
        ("fill_device", o.files.fill_device),
    ];
    match beside.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            Err(not_done(section, option, "not possible in a replay: the recording determines offsets and times"))
        }
        None => Ok(()),
    }
}

/// Returns the list of distinct files, and the index of the file for each target in the recording. With
/// `replay_redirect`, all operations go to one file.
fn names(section: &Section, recording: &Recording) -> Result<(Vec<PathBuf>, Vec<u16>), JobError> {
    if let Some(redirect) = &section.options.replay.redirect {
        return Ok((vec![redirect.clone()], vec![0; recording.targets.len()]));
    }
    let mut names: Vec<PathBuf> = Vec::new();
    let mut places = Vec::with_capacity(recording.targets.len());
    for target in &recording.targets {
        if target.name.is_empty() {
            let reason = "the recording names no files or devices: set replay_redirect to one";
            return Err(not_done(section, "read_iolog", reason));
        }
        let device = recording.header.layer == RecordedLayer::Block && !target.name.starts_with('/');
        let name = if device { Path::new("/dev").join(&target.name) } else { PathBuf::from(&target.name) };
        let known = names.iter().position(|n| *n == name);
        places.push(known.unwrap_or(names.len()) as u16);
        if known.is_none() {
            names.push(name);
        }
    }
    Ok((names, places))
}

/// Returns the operations to replay, in order.
fn requests(section: &Section, recording: &Recording, files: &[u16]) -> Result<Vec<ReplayRequest>, JobError> {
    let asked = &section.options.replay;
    let block = recording.header.layer == RecordedLayer::Block;
    let align = asked.align.as_u64().max(1);
    let begun = recording.requests.first().map_or(Nanos(0), |r| r.at);
    let mut list = Vec::with_capacity(recording.requests.len());
    for request in &recording.requests {
        let Some((op, flush)) = request.operation(recording.header.layer) else { continue };
        let skipped = asked.skip[match op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Trim => 2,
            Op::Flush => 3,
        }];
        if skipped || (op != Op::Flush && request.bytes == 0) {
            continue;
        }
        let len = match op {
            Op::Flush => 0,
            _ if block => request.bytes.next_multiple_of(align),
            _ => request.bytes,
        };
        if len > ReplayRequest::LARGEST && op != Op::Trim {
            let most = Bytes(ReplayRequest::LARGEST);
            let reason = format!("an operation of {} exceeds the maximum of {most}", Bytes(len));
            return Err(not_done(section, "read_iolog", reason));
        }
        let elapsed = request.at.since(begun).as_nanos();
        let request = ReplayRequest {
            due: Nanos((u128::from(elapsed) * 100 / u128::from(asked.time_scale.max(1))) as u64),
            at: if op == Op::Flush { 0 } else { request.offset / u64::from(asked.scale.max(1)) / align * align },
            len: 0,
            file: files[usize::from(request.target)],
            op,
            flush,
            follows: ReplayRequest::FREE,
        };
        // Trims may be as large as a device, so they are split into pieces.
        list.extend(request.in_pieces(len));
    }
    if !list.iter().any(|r| r.op != Op::Flush) {
        return Err(not_done(section, "read_iolog", "it contains no read, write or trim that is not skipped"));
    }
    if u32::try_from(list.len()).is_err() {
        return Err(not_done(section, "read_iolog", "it contains more than 2^32 operations"));
    }
    Ok(list)
}

fn ends(list: &[ReplayRequest], files: usize) -> Vec<Bytes> {
    let mut ends = vec![Bytes(0); files];
    for request in list {
        let end = &mut ends[usize::from(request.file)];
        *end = (*end).max(Bytes(request.at.saturating_add(u64::from(request.len))));
    }
    ends
}

const fn direction(mix: Mix) -> Rw {
    match (mix.read_percent() > 0, mix.write_percent > 0, mix.trim_percent > 0) {
        (true, false, false) => Rw::RandRead,
        (false, true, false) => Rw::RandWrite,
        (false, false, true) => Rw::RandTrim,
        (false, true, true) => Rw::RandTrimWrite,
        _ => Rw::RandRw,
    }
}

/// Returns the block sizes of one kind of operation, in the form of a `bs` option.
fn block(replay: &Replay, op: Op) -> BlockSizes {
    match replay.sizes(op) {
        Some((low, high)) if low < high => BlockSizes::Range(low, high),
        Some((low, _)) => BlockSizes::Fixed(low),
        None => BlockSizes::Fixed(Bytes(4096)),
    }
}

/// Checks that the offset and length of every operation are aligned for direct I/O, before any file is opened.
pub(super) fn check_alignment(section: &Section, replay: &Replay, aligns: &[Bytes]) -> Result<(), JobError> {
    let crooked = |r: &&ReplayRequest| {
        let align = aligns[usize::from(r.file)].as_u64().max(1);
        r.op != Op::Flush && (!r.at.is_multiple_of(align) || !u64::from(r.len).is_multiple_of(align))
    };
    match replay.list.0.iter().find(crooked) {
        None => Ok(()),
        Some(r) => {
            let align = aligns[usize::from(r.file)];
            let reason = format!(
                "an operation of {} at {} is recorded, but direct I/O needs multiples of {align} here: use direct=0 or \
                 replay_align",
                Bytes(u64::from(r.len)),
                Bytes(r.at)
            );
            Err(not_done(section, "direct", reason))
        }
    }
}
