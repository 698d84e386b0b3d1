//! Zones: strided access, and zoned block devices.

use crate::options::{OptionSpec, option, put, refuse};
use crate::value::{Kind, words};
use model::Bytes;

/// Zones with gaps between them, and limits of zoned devices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ZoneOptions {
    /// Division of the range into zones.
    pub mode: ZoneMode,
    /// Number of bytes transferred in a zone before the next one.
    pub size: Bytes,
    /// Length of a zone in bytes; 0 = `size`.
    pub range: Bytes,
    /// Gap between zones in bytes.
    pub skip: Bytes,
    /// Usable part of a zone on a device without zones; 0 = all of it.
    pub capacity: Bytes,
    /// True if reads may go beyond written data.
    pub read_beyond: bool,
    /// Maximum number of zones written at once; 0 = the device's limit.
    pub max_open: u32,
    /// Maximum number of zones that one job has open; 0 = no limit.
    pub job_max_open: u32,
    /// True if the device's limit is ignored.
    pub ignore_limits: bool,
    /// Share of the range that holds data before zones are reset.
    pub reset_threshold: f64,
    /// Share of the writes that then reset their zone.
    pub reset_frequency: f64,
}

impl ZoneOptions {
    /// Returns `true` if there are strided zones: by their mode or, as in older versions of fio, by their size alone.
    #[must_use]
    pub fn is_strided(&self) -> bool {
        self.mode == ZoneMode::Strided || self.mode == ZoneMode::None && self.size > Bytes(0)
    }
}

words! {
    /// Division of the range into zones.
    ZoneMode, default None {
        None = "none": "the whole range is one",
        Zoned = "zbd": "of a zoned block device: writes go to the write pointer of their zone, one at a time in each, reads to what was written, and full zones are reset before they are written again; a device or file without zones is divided by `zonesize`",
        Strided = "strided": "`zonesize` bytes in each `zonerange`, then `zoneskip` bytes are left out",
    }
}

const ZBD: &str = "of zoned block devices this is not done";
const OPEN: Kind = Kind::Int { min: 0, max: 4096 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 1.0 };
const BYTES: Kind = Kind::Size { min: 0, max: 1 << 62 };

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option(
        "zonemode",
        Kind::words(ZoneMode::WORDS),
        "none",
        "Whether the range is divided into zones. Behind the last zone work begins again at the first; in sequence, a last zone that the end of the file cuts short ends the pass, as in fio.",
    )
    .set(put!(zones.mode)),
    option("zonesize", Kind::Size { min: 1, max: 1 << 62 }, "", "Bytes moved in a zone before the next one is entered; more than `zonerange` goes over the zone again. With `zbd`, the length of a zone: as the device has them, if it has any.").set(put!(zones.size)),
    option("zonerange", Kind::Size { min: 1, max: 1 << 62 }, "", "Bytes a zone spans; `zonesize` if not given.").set(put!(zones.range)),
    option("zoneskip", BYTES, "0", "Bytes left out between zones; with `zbd` in sequence only, and whole zones.").set(put!(zones.skip)),
    option("zonecapacity", Kind::Size { min: 0, max: 1 << 62 }, "", "With `zbd`, the usable part of a zone where the device has none; all of it if not given.").set(put!(zones.capacity)),
    option("read_beyond_wp", Kind::Bool, "0", "With `zbd`, reads go anywhere in a zone, written or not.").set(put!(zones.read_beyond)),
    option("max_open_zones", OPEN, "0", "With `zbd`, most zones that are written at once by all jobs on the device; 0: as many as the device allows. A write aimed at another goes to one of those begun.").set(put!(zones.max_open)),
    option("job_max_open_zones", OPEN, "0", "With `zbd`, most zones that one job has begun at once; 0: no limit. Needs a limit of the device or `max_open_zones`.").set(put!(zones.job_max_open)),
    option("ignore_zone_limits", Kind::Bool, "0", "With `zbd`, leaves the device's own limit of open zones out of account.").set(put!(zones.ignore_limits)),
    option("zone_reset_threshold", SHARE, "0", "With `zbd` and `zone_reset_frequency`, the share of the range that holds data from which on zones are reset before they are full.").set(put!(zones.reset_threshold)),
    option("zone_reset_frequency", SHARE, "0", "With `zbd`, the share of the writes that reset their zone once `zone_reset_threshold` is reached; 0: only full zones are reset.").set(put!(zones.reset_frequency)),
    refuse("write_zone_remainder", "Fills what is left of a zone by a write (fio 3.42).", ZBD),
    refuse("recover_zbd_write_error", "Goes on after a failed write (fio 3.39).", ZBD),
    refuse(
        "sprandom",
        "Preconditions with overlapping writes (fio 3.41).",
        "write the file whole, then at random, as two jobs",
    ),
    refuse("spr_op", "Over-provisioning of sprandom (fio 3.41).", "write the file whole, then at random, as two jobs"),
    refuse("spr_num_regions", "Regions of sprandom (fio 3.41).", "write the file whole, then at random, as two jobs"),
    refuse("spr_cache_size", "Cache of sprandom (fio 3.41).", "write the file whole, then at random, as two jobs")
        .alias(&["spr_cs"]),
];
