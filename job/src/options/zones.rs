//! Zones: strided access and zoned block devices; known, not done.

use super::{OptionSpec, option, refuse};
use crate::value::Kind;

const STRIDED: &str = "use rw=read:GAP for a gap after each block, or offset and size for a part";
const ZBD: &str = "zoned block devices are not done";
const NONE: &[crate::Word] = &[crate::Word { name: "none", aliases: &[], help: "the whole range is one" }];

pub(super) const OPTIONS: &[OptionSpec] = &[
    option(
        "zonemode",
        Kind::Words { words: NONE, refused: &[("strided", STRIDED), ("zbd", ZBD)], argument: false },
        "none",
        "Whether the range is divided into zones.",
    ),
    refuse("zonesize", "Bytes moved in a zone.", STRIDED),
    refuse("zonerange", "Size of a zone.", STRIDED),
    refuse("zoneskip", "Bytes left out between zones.", STRIDED),
    refuse("zonecapacity", "Usable part of a zone.", ZBD),
    refuse("read_beyond_wp", "Reads beyond the write pointer.", ZBD),
    refuse("max_open_zones", "Most zones open at once.", ZBD),
    refuse("job_max_open_zones", "Most zones one job has open.", ZBD),
    refuse("ignore_zone_limits", "Ignores what the device says of that.", ZBD),
    refuse("zone_reset_threshold", "Share of full zones before one is reset.", ZBD),
    refuse("zone_reset_frequency", "How often one is reset then.", ZBD),
    refuse("recover_zbd_write_error", "Goes on after a failed write (fio 3.39).", ZBD),
    refuse(
        "sprandom",
        "Preconditions with overlapping writes (fio 3.41).",
        "write the file whole, then at random, as two jobs",
    ),
    refuse("spr_op", "Over-provisioning of sprandom (fio 3.41).", "write the file whole, then at random, as two jobs"),
    refuse("spr_num_regions", "Regions of sprandom (fio 3.41).", "write the file whole, then at random, as two jobs"),
    refuse("spr_cache_size", "Cache of sprandom (fio 3.41).", "write the file whole, then at random, as two jobs"),
];
