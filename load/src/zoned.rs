//! Placement of operations on zoned block devices (fio's `zonemode=zbd`). Decides where a write may go, what can be
//! read, and when a zone is reset.
//!
//! A pattern yields operations as for any device; [`Share::place`] moves each operation to a position that the zones
//! allow. Writes go to the write pointer of their zone, one at a time per zone, because the block layer does not
//! preserve the order of writes in flight. Reads are restricted to completed writes. A full zone is reset when it is
//! written again, and the number of open zones is limited. A device without zones is divided into zones that are empty
//! at first. Resetting such a zone sends nothing to the device.
//!
//! All workers that use a device share the state of its zones under a lock. They would have to wait for each other at
//! the device in any case.

use crate::pattern::NextIo;
use model::{Bytes, Job, Op, Target, plan::ZonedRule};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use sys::devices::{ZoneCondition, ZoneLimits};

/// Zone commands and reports of a device; simulated in tests.
trait Device: Send + Sync {
    fn reset(&self, start: u64, len: u64) -> std::io::Result<()>;
    fn finish(&self, start: u64, len: u64) -> std::io::Result<()>;
    /// Returns the state of a zone, including its write pointer. Used after an error.
    fn pointer(&self, start: u64) -> std::io::Result<sys::devices::Zone>;
}

impl Device for Arc<File> {
    fn reset(&self, start: u64, len: u64) -> std::io::Result<()> {
        sys::devices::reset_zones(self, start, len)
    }

    fn finish(&self, start: u64, len: u64) -> std::io::Result<()> {
        sys::devices::finish_zones(self, start, len)
    }

    fn pointer(&self, start: u64) -> std::io::Result<sys::devices::Zone> {
        let gone = || std::io::Error::other("the zone is no longer reported");
        sys::devices::zones(self, start, 1)?.first().copied().ok_or_else(gone)
    }
}

/// State that a zone will have after all submitted operations have completed.
#[derive(Debug, Clone, Copy)]
struct Zone {
    start: u64,
    end: u64,
    /// End of the usable part of the zone.
    full: u64,
    /// Offset of the next write in the zone.
    next: u64,
    /// End of the completed writes in the zone.
    done: u64,
    /// True if the zone has a write pointer.
    sequential: bool,
    readable: bool,
    writable: bool,
    readers: u32,
    /// True if a write is in flight.
    writing: bool,
    /// Number of the share that opened the zone, if it is open.
    open: Option<u32>,
    reset_due: bool,
}

impl Zone {
    fn from_kernel(reported: sys::devices::Zone) -> Zone {
        let full = reported.start + reported.capacity;
        let next = match reported.condition {
            ZoneCondition::Full | ZoneCondition::ReadOnly => full,
            _ => reported.write_pointer.clamp(reported.start, full),
        };
        let sequential = reported.sequential && reported.condition != ZoneCondition::Conventional;
        Zone {
            start: reported.start,
            end: reported.start + reported.len,
            full,
            next: if sequential { next } else { full },
            done: if sequential { next } else { full },
            sequential,
            readable: reported.condition != ZoneCondition::Offline,
            writable: !matches!(reported.condition, ZoneCondition::Offline | ZoneCondition::ReadOnly),
            readers: 0,
            writing: false,
            open: None,
            reset_due: false,
        }
    }

    fn room(&self) -> u64 {
        self.full - self.next
    }
}

struct State {
    zones: Vec<Zone>,
    /// Open zones, in the order in which they were opened.
    open: Vec<usize>,
    /// Bytes stored in sequential zones.
    held: u64,
    /// Number of writes before the next write that resets its zone.
    until_reset: u64,
    shares: u32,
}

/// Zones of a device, shared by all workers that use it.
pub struct Zones {
    len: u64,
    /// Maximum number of open zones; `None` = no limit.
    most_open: Option<usize>,
    /// True if the device itself has zones.
    real: bool,
    state: Mutex<State>,
}

impl Zones {
    /// Reads the zones of an open device. If the device has no zones, divides it according to the rule.
    ///
    /// # Errors
    /// Returns a sentence with the reason if the device has no zones and the rule defines none, or if the rule does not
    /// fit the device.
    pub fn open(file: &Arc<File>, size: Bytes, rule: &ZonedRule) -> Result<Arc<Zones>, String> {
        let limits = sys::devices::zone_limits(file).map_err(|e| format!("its zones cannot be queried: {e}"))?;
        if !limits.zoned {
            return divided(size, rule).map(|zones| Arc::new(Zones::new(zones, rule.max_open, false)));
        }
        let reported =
            sys::devices::zones(file, 0, usize::MAX).map_err(|e| format!("its zones cannot be queried: {e}"))?;
        let len = reported.first().map_or(0, |z| z.len);
        if rule.size.is_some_and(|size| size.as_u64() != len) {
            return Err(format!(
                "its zones have {}, not {}: leave out zonesize",
                Bytes(len),
                rule.size.unwrap_or_default()
            ));
        }
        let most = most_open(limits, rule)?;
        Ok(Arc::new(Zones::new(reported, most, true)))
    }

    fn new(reported: Vec<sys::devices::Zone>, most_open: Option<u32>, real: bool) -> Zones {
        let len = reported.first().map_or(1, |z| z.len.max(1));
        let zones: Vec<Zone> = reported.into_iter().map(Zone::from_kernel).collect();
        let held = zones.iter().filter(|z| z.sequential).map(|z| z.next - z.start).sum();
        let state = State { zones, open: Vec::new(), held, until_reset: 0, shares: 0 };
        Zones { len, most_open: most_open.map(|most| most as usize), real, state: Mutex::new(state) }
    }
}

fn most_open(limits: ZoneLimits, rule: &ZonedRule) -> Result<Option<u32>, String> {
    // The limit is binding only on host-managed devices.
    let device = Some(limits.open).filter(|open| limits.managed && !rule.ignore_limits && *open > 0);
    match (device, rule.max_open) {
        (Some(device), Some(asked)) if asked > device => {
            Err(format!("max_open_zones={asked} exceeds the maximum of the device, {device}"))
        }
        (device, asked) => Ok(asked.or(device)),
    }
}

/// Divides a conventional device into zones of equal size. If the last part of the device is shorter than a zone, it is
/// not used.
fn divided(size: Bytes, rule: &ZonedRule) -> Result<Vec<sys::devices::Zone>, String> {
    let Some(Bytes(len)) = rule.size else {
        return Err("it has no zones: set zonesize to divide it into zones".into());
    };
    let capacity = rule.capacity.map_or(len, |c| c.as_u64());
    if capacity > len {
        return Err(format!("zonecapacity {} exceeds zonesize {}", Bytes(capacity), Bytes(len)));
    }
    if size.as_u64() < len || len < 512 {
        return Err(format!("zones of {} do not fit into {size}", Bytes(len)));
    }
    let zone = |start| sys::devices::Zone {
        start,
        len,
        capacity,
        write_pointer: start,
        sequential: true,
        condition: ZoneCondition::Empty,
    };
    Ok((0..size.as_u64() / len).map(|i| zone(i * len)).collect())
}

/// Returns a job's share in the zones of each of its files, in the order of [`Job::targets`]; empty if the job does not
/// use zones.
///
/// # Errors
/// Returns the same errors as [`Share::new`], preceded by the name of the file.
pub fn shares(job: &Job, zones: &[Arc<Zones>], files: &[Arc<File>]) -> Result<Vec<Share>, ShareError> {
    let Some(rule) = job.workload.detail.zoned.as_deref().copied() else { return Ok(Vec::new()) };
    let share = |((target, zones), file): ((&Target, &Arc<Zones>), &Arc<File>)| {
        let work = Work {
            at: target.offset,
            size: target.size,
            random: job.workload.access.is_random(),
            least: [Op::Read, Op::Write, Op::Trim].map(|op| job.workload.sizes_of(op).min().as_u64()),
            writes: job.workload.mix.writes(),
        };
        Share::new(zones, file, rule, work).map_err(|error| ShareError { path: target.path.clone(), error })
    };
    job.targets().zip(zones).zip(files).map(share).collect()
}

/// Properties of a job that a share depends on.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Start of the job's range, in bytes.
    pub at: Bytes,
    /// Length of the job's range, in bytes.
    pub size: Bytes,
    /// True if offsets are random.
    pub random: bool,
    /// Size of the smallest operation in each direction, in bytes.
    pub least: [u64; 3],
    /// True if the job writes.
    pub writes: bool,
}

/// Share of a job in the zones of a device.
pub struct Share {
    zones: Arc<Zones>,
    /// Device that receives zone commands, or `None` if the device itself has no zones.
    device: Option<Box<dyn Device>>,
    rule: ZonedRule,
    work: Work,
    /// First zone that the job uses. `last` is the end of the range, exclusive.
    first: usize,
    last: usize,
    id: u32,
    /// Next sequential offset for reads and for writes.
    cursor: [u64; 2],
    /// True if sequential work has wrapped around since an operation was last possible.
    wrapped: bool,
    wrote: bool,
    /// Zone of an operation that was placed but has no slot yet, and `true` if it is a write.
    placed: Option<(usize, bool)>,
    flying: Vec<(u32, usize, bool)>,
    failed: u64,
    resets: u64,
}

/// Result of placing an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placed {
    /// Perform the operation at this position.
    At(NextIo),
    /// Wait, because the zone is busy.
    Wait,
    /// Skip this number of bytes of a sequential range, then try again.
    Skip(u64),
    /// No more operations are possible.
    End,
    /// A zone operation that was required first, such as a reset, failed on the device.
    Failed(String),
}

/// Reason why a job cannot use the zones of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// `zoneskip` is not a multiple of this zone length.
    #[error("zoneskip must be a multiple of the zone size, {0}")]
    UnevenSkip(Bytes),
    /// The range is shorter than this zone length, or contains no whole zone.
    #[error("its range does not contain a whole zone of {0}")]
    NoWholeZone(Bytes),
    /// A block of this length does not fit into a zone.
    #[error("a block of {0} does not fit into a zone")]
    BlockTooLarge(Bytes),
    /// The rule limits the job's open zones, but there is no limit for the whole device.
    #[error("job_max_open_zones needs a limit of the device, or max_open_zones")]
    NoLimit,
    /// More zones in the range are already open than the limit allows.
    #[error("more of its zones are already open than allowed: raise max_open_zones or reset some")]
    TooManyOpen,
    /// The device failed to finish an open zone.
    #[error("the zone at {at} cannot be finished: {error}")]
    Unfinished {
        /// Start of the zone.
        at: Bytes,
        /// Error message of the kernel.
        error: String,
    },
}

/// Reason why a job cannot use the zones of one of its files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct ShareError {
    /// Path of the file.
    pub path: PathBuf,
    /// Reason for this file.
    pub error: ZoneError,
}

impl Share {
    /// Creates a share in the zones of the device behind this file. The range is reduced to whole zones.
    ///
    /// # Errors
    /// Returns a [`ZoneError`] if the range contains no whole zone, blocks do not fit, or too many zones are open.
    pub fn new(zones: &Arc<Zones>, file: &Arc<File>, rule: ZonedRule, work: Work) -> Result<Share, ZoneError> {
        let device: Option<Box<dyn Device>> = if zones.real { Some(Box::new(Arc::clone(file))) } else { None };
        Share::on(zones, device, rule, work)
    }

    fn on(
        zones: &Arc<Zones>,
        device: Option<Box<dyn Device>>,
        rule: ZonedRule,
        work: Work,
    ) -> Result<Share, ZoneError> {
        let (len, mut state) = (zones.len, zones.state.lock().unwrap_or_else(PoisonError::into_inner));
        if !rule.skip.as_u64().is_multiple_of(len) {
            return Err(ZoneError::UnevenSkip(Bytes(len)));
        }
        let end = work.at.as_u64().saturating_add(work.size.as_u64());
        let first = work.at.as_u64().div_ceil(len) as usize;
        let last = ((end / len) as usize).min(state.zones.len());
        if first >= last {
            return Err(ZoneError::NoWholeZone(Bytes(len)));
        }
        let least = work.least[Op::Write.index()];
        if work.writes && state.zones[first..last].iter().any(|z| z.sequential && z.full - z.start < least) {
            return Err(ZoneError::BlockTooLarge(Bytes(least)));
        }
        if rule.job_max_open.is_some() && zones.most_open.is_none() {
            return Err(ZoneError::NoLimit);
        }
        state.shares += 1;
        let id = state.shares;
        let start = first as u64 * len;
        let share = Share {
            zones: Arc::clone(zones),
            device,
            rule,
            work,
            first,
            last,
            id,
            cursor: [start; 2],
            wrapped: false,
            wrote: false,
            placed: None,
            flying: Vec::new(),
            failed: 0,
            resets: 0,
        };
        state.until_reset = share.between_resets();
        if work.writes {
            // Zones that were already open when this share was created count as well.
            for which in first..last {
                let zone = state.zones[which];
                let begun = zone.sequential && zone.next > zone.start && zone.room() > 0;
                if begun && zone.writable && zone.open.is_none() && !share.begin(&mut state, which) {
                    return Err(ZoneError::TooManyOpen);
                }
            }
        }
        drop(state);
        Ok(share)
    }

    /// Returns the number of zones reset so far.
    #[must_use]
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// Assigns the last placed operation to this slot.
    pub fn takes(&mut self, slot: u32) {
        if let Some((zone, write)) = self.placed.take() {
            self.flying.push((slot, zone, write));
        }
    }

    /// Releases the zones of completed operations, whose slots are no longer busy according to `is_busy`. `failed` is
    /// the total number of failed operations. After a new failure, the state of the zones is read from the device.
    pub fn sweep(&mut self, is_busy: impl Fn(u32) -> bool, failed: u64) {
        if self.flying.is_empty() {
            self.failed = failed;
            return;
        }
        let zones = Arc::clone(&self.zones);
        let mut state = zones.state.lock().unwrap_or_else(PoisonError::into_inner);
        let doubtful = failed != self.failed;
        let mut i = 0;
        while i < self.flying.len() {
            let (slot, which, write) = self.flying[i];
            if is_busy(slot) {
                i += 1;
                continue;
            }
            self.flying.swap_remove(i);
            state.release(which, write, doubtful.then_some(self.device.as_deref()).flatten());
        }
        self.failed = failed;
    }

    /// Returns the position at which to perform an operation of the pattern, or another decision if the operation
    /// cannot be performed now.
    pub fn place(&mut self, place: NextIo) -> Placed {
        let zones = Arc::clone(&self.zones);
        let mut state = zones.state.lock().unwrap_or_else(PoisonError::into_inner);
        match place.op {
            Op::Read => self.read(&mut state, place),
            Op::Write => self.write(&mut state, place),
            Op::Flush | Op::Trim => Placed::At(place),
        }
    }

    /// Returns the number of writes between two writes that reset their zones; 0 = no resets.
    fn between_resets(&self) -> u64 {
        match self.rule.reset_frequency {
            f if f > 0.0 => (1.0 / f) as u64,
            _ => 0,
        }
    }

    fn zone_of(&self, at: u64) -> usize {
        ((at / self.zones.len) as usize).clamp(self.first, self.last - 1)
    }

    /// Opens a zone, if the limits allow another one.
    fn begin(&self, state: &mut State, which: usize) -> bool {
        let (most, job_most) = (self.zones.most_open, self.rule.job_max_open.map(|most| most as usize));
        if state.zones[which].open.is_some() || most.is_none() && job_most.is_none() {
            return true;
        }
        let mine = || state.open.iter().filter(|z| state.zones[**z].open == Some(self.id)).count();
        if most.is_some_and(|most| state.open.len() >= most) || job_most.is_some_and(|job_most| mine() >= job_most) {
            return false;
        }
        state.zones[which].open = Some(self.id);
        state.open.push(which);
        true
    }

    /// Moves sequential work past this zone.
    fn leave(&mut self, way: usize, zone: &Zone) -> Placed {
        let from = self.cursor[way];
        self.cursor[way] = zone.end.saturating_add(self.rule.skip.as_u64());
        Placed::Skip(self.cursor[way] - from)
    }

    /// Returns the zone that sequential operations have reached, and wraps around at the end of the range. Returns
    /// `None` if no operation has been possible since the last wrap-around.
    fn here(&mut self, way: usize) -> Option<usize> {
        let len = self.zones.len;
        if self.cursor[way] >= self.last as u64 * len {
            if self.wrapped {
                return None;
            }
            self.wrapped = true;
            self.cursor[way] = self.first as u64 * len;
        }
        Some((self.cursor[way] / len) as usize)
    }

    fn read(&mut self, state: &mut State, place: NextIo) -> Placed {
        const WAY: usize = 0;
        let least = self.work.least[Op::Read.index()].max(1);
        let beyond = self.rule.read_beyond;
        if !self.work.random {
            let Some(which) = self.here(WAY) else { return Placed::End };
            let zone = state.zones[which];
            let end = if beyond { zone.full } else { zone.done };
            let at = self.cursor[WAY];
            if !zone.readable || at + least > end {
                return self.leave(WAY, &zone);
            }
            let len = whole(u64::from(place.len).min(end - at), least);
            self.cursor[WAY] = at + len;
            self.wrapped = false;
            return self.reads(state, which, NextIo { at, len: len as u32, ..place });
        }
        let aimed = self.zone_of(place.at);
        let holds = |which: usize| {
            let zone = &state.zones[which];
            let end = if beyond { zone.full } else { zone.done };
            if zone.readable { end - zone.start } else { 0 }
        };
        // The nearest zone with enough data, as in fio.
        let nearest = (0..self.last - self.first)
            .flat_map(|d| [aimed.checked_add(d), aimed.checked_sub(d)])
            .flatten()
            .find(|which| (self.first..self.last).contains(which) && holds(*which) >= least);
        let Some(which) = nearest else {
            // If there is nothing to read yet, a mixed job writes first.
            return match self.work.writes && !self.wrote {
                true => self.write(state, NextIo { op: Op::Write, ..place }),
                false if self.work.writes && !self.flying.is_empty() => Placed::Wait,
                false => Placed::End,
            };
        };
        let (held, start) = (holds(which), state.zones[which].start);
        let len = whole(u64::from(place.len).min(held), least);
        let into = place.at.saturating_sub(aimed as u64 * self.zones.len) % (held - len + 1);
        self.reads(state, which, NextIo { at: start + whole(into, least), len: len as u32, ..place })
    }

    fn reads(&mut self, state: &mut State, which: usize, place: NextIo) -> Placed {
        let zone = &mut state.zones[which];
        // A pending reset waits for reads in flight in the zone, so no new reads are admitted.
        if zone.reset_due && zone.readers > 0 {
            return Placed::Wait;
        }
        if zone.sequential {
            zone.readers += 1;
            self.placed = Some((which, false));
        }
        Placed::At(place)
    }

    fn write(&mut self, state: &mut State, place: NextIo) -> Placed {
        const WAY: usize = 1;
        let least = self.work.least[Op::Write.index()].max(1);
        let aimed = match self.work.random {
            true => self.zone_of(place.at),
            false => match self.here(WAY) {
                Some(which) => which,
                None => return Placed::End,
            },
        };
        let zone = state.zones[aimed];
        if !zone.sequential && zone.writable {
            return self.conventional(&zone, place);
        }
        if !self.work.random && (!zone.writable || self.cursor[WAY] + least > zone.full) {
            return self.leave(WAY, &zone);
        }
        let which = match self.target(state, aimed, least) {
            Ok(which) => which,
            Err(instead) => return instead,
        };
        if state.zones[which].writing {
            return Placed::Wait;
        }
        if let Some(instead) = self.reset_if_due(state, which, least) {
            return instead;
        }
        let zone = &mut state.zones[which];
        let (at, len) = (zone.next, whole(u64::from(place.len).min(zone.room()), least));
        zone.next += len;
        zone.writing = true;
        state.held += len;
        self.cursor[WAY] = at + len;
        (self.wrapped, self.wrote) = (false, true);
        self.placed = Some((which, true));
        Placed::At(NextIo { at, len: len as u32, ..place })
    }

    /// Places a write in a conventional zone: at any offset, but not beyond the end of the zone.
    fn conventional(&mut self, zone: &Zone, place: NextIo) -> Placed {
        const WAY: usize = 1;
        let len = u64::from(place.len).min(zone.end - zone.start);
        let at = if self.work.random { place.at.clamp(zone.start, zone.end - len) } else { self.cursor[WAY] };
        let len = len.min(zone.end - at);
        self.cursor[WAY] = at + len;
        (self.wrapped, self.wrote) = (false, true);
        Placed::At(NextIo { at, len: len as u32, ..place })
    }

    /// Returns the zone for a write aimed at zone `aimed`. This is `aimed` if it can be opened, otherwise one of the
    /// open zones.
    fn target(&self, state: &mut State, aimed: usize, least: u64) -> Result<usize, Placed> {
        let mut which = aimed;
        for _ in 0..=self.last - self.first {
            let zone = state.zones[which];
            let usable = zone.sequential && zone.writable;
            if usable && zone.room() > 0 && zone.room() < least {
                // The remainder of the zone is too small for a write. Finish the zone, so that it does not count as
                // open.
                if zone.writing {
                    return Err(Placed::Wait);
                }
                state.finish(which, self.device.as_deref()).map_err(|e| Placed::Failed(e.to_string()))?;
            } else if usable && self.begin(state, which) {
                return Ok(which);
            } else if usable {
                break;
            }
            which = if which + 1 >= self.last { self.first } else { which + 1 };
        }
        // The maximum number of zones is open: select one of them, in proportion to the position of the aimed zone.
        let count = state.open.len();
        let from = (aimed - self.first) * count / (self.last - self.first);
        let begun = (0..count).map(|i| state.open[(from + i) % count]);
        let mut waits = !self.flying.is_empty();
        let mut rest = None;
        for candidate in begun.filter(|z| (self.first..self.last).contains(z)) {
            let zone = &state.zones[candidate];
            let is_own = self.rule.job_max_open.is_none() || zone.open == Some(self.id);
            if zone.writing {
                waits = true;
            } else if is_own && zone.room() >= least {
                return Ok(candidate);
            } else if is_own && rest.is_none() {
                rest = Some(candidate);
            }
        }
        if let Some(rest) = rest {
            state.finish(rest, self.device.as_deref()).map_err(|e| Placed::Failed(e.to_string()))?;
            return self.target(state, aimed, least);
        }
        Err(if waits || state.open.iter().any(|z| state.zones[*z].writing) { Placed::Wait } else { Placed::End })
    }

    /// Resets a zone that is full, or that is due for a reset. Returns the result of the placement if the write is not
    /// possible now.
    fn reset_if_due(&mut self, state: &mut State, which: usize, least: u64) -> Option<Placed> {
        let every = self.between_resets();
        let range = (self.last - self.first) as u64 * self.zones.len;
        if every > 0 && !state.zones[which].reset_due && state.held as f64 >= range as f64 * self.rule.reset_threshold {
            state.until_reset = state.until_reset.saturating_sub(1);
            if state.until_reset == 0 {
                state.until_reset = every;
                state.zones[which].reset_due = state.zones[which].next > state.zones[which].start;
            }
        }
        let zone = &mut state.zones[which];
        zone.reset_due |= zone.room() < least;
        if !zone.reset_due {
            return None;
        }
        if zone.readers > 0 {
            return Some(Placed::Wait);
        }
        let (start, len) = (zone.start, zone.end - zone.start);
        if let Some(Err(error)) = self.device.as_ref().map(|d| d.reset(start, len)) {
            return Some(Placed::Failed(format!("the zone at {} cannot be reset: {error}", Bytes(start))));
        }
        state.held -= zone.next - zone.start;
        (zone.next, zone.done, zone.reset_due) = (zone.start, zone.start, false);
        self.resets += 1;
        None
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.sweep(|_| false, self.failed);
    }
}

/// Returns the largest multiple of `least` that is at most `len`.
fn whole(len: u64, least: u64) -> u64 {
    len / least * least
}

impl State {
    /// Releases the zone of a completed operation. If an operation may have failed, `ask` is the device, from which the
    /// state of the zone is read.
    fn release(&mut self, which: usize, write: bool, ask: Option<&dyn Device>) {
        let zone = &mut self.zones[which];
        if !write {
            zone.readers -= 1;
            return;
        }
        zone.writing = false;
        if let Some(reported) = ask.and_then(|device| device.pointer(zone.start).ok()) {
            let now = Zone::from_kernel(reported);
            self.held = self.held + now.next - zone.next;
            (zone.next, zone.writable, zone.readable) = (now.next, now.writable, now.readable);
        }
        zone.done = zone.next;
        if zone.room() == 0 {
            self.close(which);
        }
    }

    /// Marks a zone as closed.
    fn close(&mut self, which: usize) {
        self.zones[which].open = None;
        self.open.retain(|z| *z != which);
    }

    fn finish(&mut self, which: usize, device: Option<&dyn Device>) -> Result<(), ZoneError> {
        let zone = &mut self.zones[which];
        if let Some(Err(error)) = device.map(|d| d.finish(zone.start, zone.end - zone.start)) {
            return Err(ZoneError::Unfinished { at: Bytes(zone.start), error: error.to_string() });
        }
        self.held += zone.full - zone.next;
        (zone.next, zone.done) = (zone.full, zone.full);
        self.close(which);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::plan::FlushKind;
    use proptest::prelude::*;

    const LEN: u64 = 64 << 10;
    const ROOM: u64 = 48 << 10;

    /// Simulated device that checks writes as a real one would.
    #[derive(Default)]
    struct Fake {
        pointers: Mutex<Vec<u64>>,
        resets: Mutex<u64>,
    }

    impl Device for Arc<Fake> {
        fn reset(&self, start: u64, _: u64) -> std::io::Result<()> {
            self.pointers.lock().unwrap()[(start / LEN) as usize] = start;
            *self.resets.lock().unwrap() += 1;
            Ok(())
        }
        fn finish(&self, start: u64, _: u64) -> std::io::Result<()> {
            self.pointers.lock().unwrap()[(start / LEN) as usize] = start + ROOM;
            Ok(())
        }
        fn pointer(&self, _: u64) -> std::io::Result<sys::devices::Zone> {
            Err(std::io::Error::other("never asked"))
        }
    }

    impl Fake {
        fn write(&self, at: u64, len: u64) {
            let pointer = &mut self.pointers.lock().unwrap()[(at / LEN) as usize];
            assert_eq!(*pointer, at, "a write that is not at the write pointer");
            *pointer += len;
            assert!(*pointer <= at / LEN * LEN + ROOM, "a write beyond the capacity");
        }
        fn begun(&self) -> usize {
            let begun = |(i, p): (usize, &u64)| *p > i as u64 * LEN && *p < i as u64 * LEN + ROOM;
            self.pointers.lock().unwrap().iter().enumerate().filter(|x| begun(*x)).count()
        }
    }

    fn rig(count: u64, most: u32) -> (Arc<Fake>, Arc<Zones>) {
        let rule = ZonedRule { size: Some(Bytes(LEN)), capacity: Some(Bytes(ROOM)), ..ZonedRule::default() };
        let fake = Arc::new(Fake { pointers: Mutex::new((0..count).map(|i| i * LEN).collect()), ..Fake::default() });
        let reported = divided(Bytes(count * LEN), &rule).unwrap();
        (fake, Arc::new(Zones::new(reported, model::plan::none_if_zero(most), true)))
    }

    fn work(count: u64, random: bool) -> Work {
        Work { at: Bytes(0), size: Bytes(count * LEN), random, least: [4096; 3], writes: true }
    }

    fn share(rig: &(Arc<Fake>, Arc<Zones>), rule: ZonedRule, work: Work) -> Result<Share, ZoneError> {
        Share::on(&rig.1, Some(Box::new(Arc::clone(&rig.0))), rule, work)
    }

    fn ask(op: Op, at: u64, len: u32) -> NextIo {
        NextIo { at, len, op, flush: FlushKind::Data, file: 0 }
    }

    proptest! {
        #[test]
        fn writes_are_at_the_pointers_reads_of_what_was_answered_and_limits_are_kept(
            ops in prop::collection::vec((any::<u16>(), 0u32..10, 0u8..4, any::<bool>()), 1..400),
            most in 0u32..4, random: bool, depth in 1usize..6, frequency in prop::option::of(0.05f64..1.0),
        ) {
            let rig = rig(8, most);
            let fake = &rig.0;
            let rule = ZonedRule { reset_frequency: frequency.unwrap_or(0.0), reset_threshold: 0.3, ..ZonedRule::default() };
            let mut share = share(&rig, rule, work(8, random)).unwrap();
            let mut flying: Vec<(u32, NextIo)> = Vec::new();
            let mut answered: Vec<u64> = (0..8).map(|i| i * LEN).collect();
            let mut slot = 0;
            for (at, blocks, kind, finish) in ops {
                if flying.len() >= depth || finish && !flying.is_empty() {
                    let (_, done) = flying.remove(usize::from(at) % flying.len());
                    if done.op == Op::Write {
                        answered[(done.at / LEN) as usize] = done.at + u64::from(done.len);
                    }
                }
                share.sweep(|s| flying.iter().any(|(f, _)| *f == s), 0);
                let op = if kind == 0 { Op::Read } else { Op::Write };
                let asked = ask(op, u64::from(at) * 8 / 4096 * 4096 % (8 * LEN), (blocks + 1) * 4096);
                let resets = share.resets();
                match share.place(asked) {
                    Placed::At(place) => {
                        prop_assert!(place.len > 0 && place.len % 4096 == 0 && place.len <= asked.len);
                        let which = (place.at / LEN) as usize;
                        if share.resets() > resets {
                            answered[which] = which as u64 * LEN;
                            prop_assert!(flying.iter().all(|(_, f)| f.at / LEN != place.at / LEN), "reset at work");
                        }
                        match place.op {
                            Op::Write => {
                                let alone = flying.iter().all(|(_, f)| f.op == Op::Read || f.at / LEN != place.at / LEN);
                                prop_assert!(alone, "two writes in a zone");
                                fake.write(place.at, u64::from(place.len));
                                prop_assert!(most == 0 || fake.begun() <= most as usize, "too many begun");
                            }
                            _ => prop_assert!(place.at + u64::from(place.len) <= answered[which], "unwritten"),
                        }
                        slot += 1;
                        share.takes(slot);
                        flying.push((slot, place));
                    }
                    Placed::Wait => prop_assert!(!flying.is_empty(), "waits for nothing"),
                    Placed::Skip(bytes) => prop_assert!(!random && bytes > 0),
                    Placed::End => prop_assert!(op == Op::Read && !random, "ended early"),
                    Placed::Failed(error) => prop_assert!(false, "{}", error),
                }
            }
            prop_assert_eq!(*fake.resets.lock().unwrap(), share.resets());
        }
    }

    #[test]
    fn a_pass_in_sequence_fills_the_capacity_of_each_zone_and_ends() {
        let rig = rig(4, 1);
        let mut first = share(&rig, ZonedRule::default(), work(4, false)).unwrap();
        let (mut wrote, mut skipped) = (0, 0);
        while wrote + skipped < 4 * LEN {
            first.sweep(|_| false, 0);
            match first.place(ask(Op::Write, 0, 8192)) {
                Placed::At(place) => {
                    rig.0.write(place.at, 8192);
                    first.takes(0);
                    wrote += 8192;
                }
                Placed::Skip(bytes) => skipped += bytes,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((wrote, skipped, first.resets()), (4 * ROOM, 4 * (LEN - ROOM), 0));
        // Write everything again: every zone is full and is reset once.
        drop(first);
        let mut share = share(&rig, ZonedRule { skip: Bytes(LEN), ..ZonedRule::default() }, work(4, false)).unwrap();
        let mut zones_written = Vec::new();
        for _ in 0..13 {
            share.sweep(|_| false, 0);
            if let Placed::At(place) = share.place(ask(Op::Write, 0, 8192)) {
                share.takes(0);
                zones_written.push(place.at / LEN);
            }
        }
        zones_written.dedup();
        assert_eq!((zones_written, share.resets()), (vec![0, 2], 2), "every second one is left out");
    }

    #[test]
    fn a_mix_writes_before_it_reads_and_reading_alone_of_nothing_ends() {
        let written = rig(4, 0);
        let mut mixed = share(&written, ZonedRule::default(), work(4, true)).unwrap();
        let Placed::At(first) = mixed.place(ask(Op::Read, LEN + 4096, 4096)) else { panic!() };
        assert_eq!((first.op, first.at), (Op::Write, LEN));
        mixed.takes(7);
        // The write is in flight: there is nothing to read yet.
        assert_eq!(mixed.place(ask(Op::Read, 0, 4096)), Placed::Wait);
        mixed.sweep(|_| false, 0);
        let Placed::At(read) = mixed.place(ask(Op::Read, 0, 4096)) else { panic!() };
        assert_eq!((read.op, read.at, read.len), (Op::Read, LEN, 4096));
        let empty = rig(4, 0);
        let reads = Work { writes: false, ..work(4, true) };
        assert_eq!(share(&empty, ZonedRule::default(), reads).unwrap().place(ask(Op::Read, 0, 4096)), Placed::End);
        let beyond = ZonedRule { read_beyond: true, ..ZonedRule::default() };
        let Placed::At(read) = share(&empty, beyond, reads).unwrap().place(ask(Op::Read, LEN - 4096, 8192)) else {
            panic!()
        };
        assert!(read.at + 8192 <= ROOM, "within the capacity");
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let file = Arc::new(crate::test_file());
        let open = |rule: ZonedRule| Zones::open(&file, Bytes::from_mib(1), &rule).err().unwrap_or_default();
        assert!(open(ZonedRule::default()).contains("zonesize"));
        let size = Some(Bytes(LEN));
        assert!(
            open(ZonedRule { size, capacity: Some(Bytes(2 * LEN)), ..ZonedRule::default() }).contains("zonecapacity")
        );
        assert_eq!(open(ZonedRule { size, ..ZonedRule::default() }), "");
        let rig = rig(4, 0);
        let refused = |rule, work| share(&rig, rule, work).err().map_or_else(String::new, |e| e.to_string());
        assert!(refused(ZonedRule { skip: Bytes(4096), ..ZonedRule::default() }, work(4, false)).contains("zoneskip"));
        assert!(
            refused(ZonedRule { job_max_open: Some(1), ..ZonedRule::default() }, work(4, true))
                .contains("max_open_zones")
        );
        let inside = Work { at: Bytes(4096), size: Bytes(LEN), ..work(4, true) };
        assert!(refused(ZonedRule::default(), inside).contains("not contain a whole zone"));
        let limits = ZoneLimits { zoned: true, managed: true, open: 4, active: 6 };
        let most =
            |max_open, ignore_limits| most_open(limits, &ZonedRule { max_open, ignore_limits, ..ZonedRule::default() });
        assert_eq!(most(None, false), Ok(Some(4)));
        assert_eq!((most(Some(2), false), most(Some(9), true)), (Ok(Some(2)), Ok(Some(9))));
        assert!(most(Some(9), false).is_err());
    }
}
