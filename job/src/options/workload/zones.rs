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
        None = "none": "no zones",
        Zoned = "zbd": "zoned block device: each write goes to the write pointer of its zone, one at a time per zone; \
            reads stay within written data; full zones are reset before they are written again. A device or file \
            without zones is divided by `zonesize`",
        Strided = "strided": "`zonesize` bytes in each `zonerange`, with gaps of `zoneskip` bytes",
    }
}

const ZBD: &str = "this is not supported on zoned block devices";
const OPEN: Kind = Kind::Int { min: 0, max: 4096 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 1.0 };
const BYTES: Kind = Kind::Size { min: 0, max: 1 << 62 };

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option(
        "zonemode",
        Kind::words(ZoneMode::WORDS),
        "none",
        "Division of the range into zones. After the last zone, the job continues with the first; in sequential mode, \
         a last zone cut short by the end of the file ends the pass, as in fio.",
    )
    .set(put!(zones.mode)),
    option(
        "zonesize",
        Kind::Size { min: 1, max: 1 << 62 },
        "",
        "Bytes to transfer in a zone before the next one; more than `zonerange` repeats the zone. With `zbd`, the \
         length of a zone, which must match the device if it has zones.",
    )
    .set(put!(zones.size)),
    option("zonerange", Kind::Size { min: 1, max: 1 << 62 }, "", "Length of a zone in bytes; `zonesize` by default.")
        .set(put!(zones.range)),
    option(
        "zoneskip",
        BYTES,
        "0",
        "Bytes to skip between zones; with `zbd`, only in sequential mode and in whole zones.",
    )
    .set(put!(zones.skip)),
    option(
        "zonecapacity",
        Kind::Size { min: 0, max: 1 << 62 },
        "",
        "With `zbd`, usable part of a zone if the device has no zones; the whole zone by default.",
    )
    .set(put!(zones.capacity)),
    option("read_beyond_wp", Kind::Bool, "0", "With `zbd`, allow reads anywhere in a zone, written or not.")
        .set(put!(zones.read_beyond)),
    option(
        "max_open_zones",
        OPEN,
        "0",
        "With `zbd`, maximum number of zones that all jobs on the device write at once; 0 = as many as the device \
         allows. A write to another zone goes to one of the open ones.",
    )
    .set(put!(zones.max_open)),
    option(
        "job_max_open_zones",
        OPEN,
        "0",
        "With `zbd`, maximum number of zones that one job has open at once; 0 = no limit. Requires a limit of the \
         device or `max_open_zones`.",
    )
    .set(put!(zones.job_max_open)),
    option("ignore_zone_limits", Kind::Bool, "0", "With `zbd`, ignore the device's limit of open zones.")
        .set(put!(zones.ignore_limits)),
    option(
        "zone_reset_threshold",
        SHARE,
        "0",
        "With `zbd` and `zone_reset_frequency`, share of the range that must hold data before zones are reset early, \
         that is, before they are full.",
    )
    .set(put!(zones.reset_threshold)),
    option(
        "zone_reset_frequency",
        SHARE,
        "0",
        "With `zbd`, share of the writes that reset their zone once `zone_reset_threshold` is reached; 0 = reset only \
         full zones.",
    )
    .set(put!(zones.reset_frequency)),
    refuse("write_zone_remainder", "Fill the remainder of a zone with one write (fio 3.42).", ZBD),
    refuse("recover_zbd_write_error", "Continue after a failed write (fio 3.39).", ZBD),
    refuse(
        "sprandom",
        "Precondition with overlapping writes (fio 3.41).",
        "use two jobs instead: write the whole file, then write at random",
    ),
    refuse(
        "spr_op",
        "Over-provisioning of sprandom (fio 3.41).",
        "use two jobs instead: write the whole file, then write at random",
    ),
    refuse(
        "spr_num_regions",
        "Number of regions of sprandom (fio 3.41).",
        "use two jobs instead: write the whole file, then write at random",
    ),
    refuse(
        "spr_cache_size",
        "Cache size of sprandom (fio 3.41).",
        "use two jobs instead: write the whole file, then write at random",
    )
    .alias(&["spr_cs"]),
];
