//! Zones: strided access; zoned block devices are known, not done.

use super::{OptionSpec, option, put, refuse};
use crate::value::{Kind, words};
use model::Bytes;

/// Work in zones with gaps between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ZoneOptions {
    /// Whether there are zones.
    pub mode: ZoneMode,
    /// Bytes moved in a zone before the next one.
    pub size: Bytes,
    /// Bytes a zone spans; 0 = `size`.
    pub range: Bytes,
    /// Bytes left out between zones.
    pub skip: Bytes,
}

impl ZoneOptions {
    /// Whether there are zones: asked for, or, as older versions of fio have it, by their size alone.
    #[must_use]
    pub fn is_strided(&self) -> bool {
        self.mode == ZoneMode::Strided || self.size > Bytes(0)
    }
}

words! {
    /// Whether the range is divided into zones.
    ZoneMode, default None {
        None = "none": "the whole range is one",
        Strided = "strided": "`zonesize` bytes in each `zonerange`, then `zoneskip` bytes are left out",
    }
}

const ZBD: &str = "zoned block devices are not done";
const BYTES: Kind = Kind::Size { min: 0, max: 1 << 62 };

pub(super) const OPTIONS: &[OptionSpec] = &[
    option(
        "zonemode",
        Kind::Words { words: ZoneMode::WORDS, refused: &[("zbd", ZBD)], argument: false },
        "none",
        "Whether the range is divided into zones. Behind the last zone work begins again at the first; in sequence, a last zone that the end of the file cuts short ends the pass, as in fio.",
    )
    .set(put!(zones.mode)),
    option("zonesize", Kind::Size { min: 1, max: 1 << 62 }, "", "Bytes moved in a zone before the next one is entered; more than `zonerange` goes over the zone again.").set(put!(zones.size)),
    option("zonerange", Kind::Size { min: 1, max: 1 << 62 }, "", "Bytes a zone spans; `zonesize` if not given.").set(put!(zones.range)),
    option("zoneskip", BYTES, "0", "Bytes left out between zones.").set(put!(zones.skip)),
    refuse("zonecapacity", "Usable part of a zone.", ZBD),
    refuse("read_beyond_wp", "Reads beyond the write pointer.", ZBD),
    refuse("max_open_zones", "Most zones open at once.", ZBD),
    refuse("job_max_open_zones", "Most zones one job has open.", ZBD),
    refuse("ignore_zone_limits", "Ignores what the device says of that.", ZBD),
    refuse("zone_reset_threshold", "Share of full zones before one is reset.", ZBD),
    refuse("zone_reset_frequency", "How often one is reset then.", ZBD),
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
