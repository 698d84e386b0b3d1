//! Options for zones: strided access, and zoned block devices.

use crate::options::{OptionSpec, option, put, refuse};
use crate::value::{Kind, words};
use model::Bytes;

/// Options for strided access and for zoned block devices.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ZoneOptions {
    /// Division of the range into zones.
    pub mode: ZoneMode,
    /// Number of bytes transferred in a zone before the job moves to the next zone.
    pub size: Bytes,
    /// Length of a zone in bytes; 0 = `size`.
    pub range: Bytes,
    /// Gap between zones in bytes.
    pub skip: Bytes,
    /// Usable bytes of each zone if the device itself has no zones; 0 = the whole zone.
    pub capacity: Bytes,
    /// True if reads may extend beyond the written data.
    pub read_beyond: bool,
    /// Maximum number of open zones for all jobs; 0 = the device's limit.
    pub max_open: u32,
    /// Maximum number of open zones per job; 0 = no limit.
    pub job_max_open: u32,
    /// True if the device's limit is ignored.
    pub ignore_limits: bool,
    /// Share of the range that must contain data before zones are reset early.
    pub reset_threshold: f64,
    /// Share of writes that reset their zone after the threshold has been reached.
    pub reset_frequency: f64,
}

impl ZoneOptions {
    /// Returns `true` if access is strided. As in older versions of fio, a zone size is sufficient, without a mode.
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
            without zones is divided into zones of `zonesize` bytes",
        Strided = "strided": "`zonesize` bytes in each `zonerange`, with gaps of `zoneskip` bytes",
    }
}

const ZBD: &str = "this is not supported on zoned block devices";
const OPEN: Kind = Kind::Int { min: 0, max: 4096 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 1.0 };
const BYTES: Kind = Kind::Size { min: 0, max: 1 << 62 };

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("zonemode", Kind::words(ZoneMode::WORDS), "none", put!(zones.mode)).help(
        "Division of the range into zones. After the last zone, the job continues with the first one. In sequential \
         mode, a last zone that is cut short by the end of the file ends the pass, as in fio.",
    ),
    option("zonesize", Kind::Size { min: 1, max: 1 << 62 }, "", put!(zones.size)).help(
        "Bytes to transfer in a zone before continuing with the next zone. If this is more than `zonerange`, the zone \
         is repeated. With `zbd`, this is the zone length, which must match the device if it has zones.",
    ),
    option("zonerange", Kind::Size { min: 1, max: 1 << 62 }, "", put!(zones.range))
        .help("Length of a zone in bytes; by default, `zonesize`."),
    option("zoneskip", BYTES, "0", put!(zones.skip))
        .help("Bytes to skip between zones; with `zbd`, only in sequential mode and in whole zones."),
    option("zonecapacity", Kind::Size { min: 0, max: 1 << 62 }, "", put!(zones.capacity))
        .help("With `zbd`, usable part of a zone on a device without zones; by default, the whole zone."),
    option("read_beyond_wp", Kind::Bool, "0", put!(zones.read_beyond))
        .help("With `zbd`, allow reads anywhere in a zone, including parts that have not been written."),
    option("max_open_zones", OPEN, "0", put!(zones.max_open)).help(
        "With `zbd`, maximum number of open zones for all jobs on the device together; 0 = as many as the device \
         allows. When the limit is reached, a write to another zone goes to one of the open zones.",
    ),
    option("job_max_open_zones", OPEN, "0", put!(zones.job_max_open)).help(
        "With `zbd`, maximum number of open zones per job; 0 = no limit. Requires `max_open_zones` or a device with a \
         limit.",
    ),
    option("ignore_zone_limits", Kind::Bool, "0", put!(zones.ignore_limits))
        .help("With `zbd`, ignore the device's limit on open zones."),
    option("zone_reset_threshold", SHARE, "0", put!(zones.reset_threshold)).help(
        "With `zbd` and `zone_reset_frequency`, share of the range that must contain data before zones are reset \
         early, that is, before they are full.",
    ),
    option("zone_reset_frequency", SHARE, "0", put!(zones.reset_frequency)).help(
        "With `zbd`, share of writes that reset their zone once `zone_reset_threshold` is reached; 0 = reset only full \
         zones.",
    ),
    refuse("write_zone_remainder", ZBD).help("Fill the remainder of a zone with one write (fio 3.42)."),
    refuse("recover_zbd_write_error", ZBD).help("Continue after a failed write (fio 3.39)."),
    refuse("sprandom", "use two jobs instead: write the whole file, then write at random")
        .help("Precondition with overlapping writes (fio 3.41)."),
    refuse("spr_op", "use two jobs instead: write the whole file, then write at random")
        .help("Over-provisioning for sprandom (fio 3.41)."),
    refuse("spr_num_regions", "use two jobs instead: write the whole file, then write at random")
        .help("Number of regions for sprandom (fio 3.41)."),
    refuse("spr_cache_size", "use two jobs instead: write the whole file, then write at random")
        .alias(&["spr_cs"])
        .help("Cache size for sprandom (fio 3.41)."),
];
