//! SCSI commands through `SG_IO`, bypassing the block layer, for `/dev/sg0` and for block devices that pass such
//! commands on. Each thread has one operation in flight.

use crate::engine::{EngineEntry, Inline, OpenError, Opened, Probe, WriteConsent};
use crate::engines::options::{Options, READ_FUA, WRITE_FUA};
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, OptionValue, OptionWord};
use sys::queues::{ScsiOptions, ScsiQueue};

const NAME: &str = "sg";

const REFUSED: &str = "only raw reads, writes, flushes and trims without metadata are supported";

const WRITE_MODE: EngineOption = EngineOption::new(
    "sg_write_mode",
    OptionValue::Words(
        &[
            OptionWord::new("write", "writes"),
            OptionWord { name: VERIFIED, aliases: &["verify"], help: "writes that the drive verifies by reading back" },
        ],
        &[
            ("write_same", REFUSED),
            ("same", REFUSED),
            ("write_same_ndob", REFUSED),
            ("verify_bytchk_00", REFUSED),
            ("verify_bytchk_01", REFUSED),
            ("verify_bytchk_11", REFUSED),
        ],
    ),
    "write",
    "Type of SCSI write commands.",
);

const VERIFIED: &str = "write_and_verify";

pub(in crate::engines) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        NAME,
        "SCSI commands, one at a time, to a disk (/dev/sg0, /dev/sda), bypassing the block layer; needs root",
        EngineQueue::Single,
        EngineTarget::Commands,
    )
    .with_options(&[READ_FUA, WRITE_FUA, WRITE_MODE]),
    size: None,
    consent: WriteConsent::None,
    // Whether a device accepts SCSI commands can be determined only when it is opened.
    probe: Probe::Own(|| Ok(())),
    open: |opening| {
        let mut asked = Options::new(NAME, opening);
        let options = ScsiOptions {
            read_fua: asked.flag("readfua")?.unwrap_or(false),
            write_fua: asked.flag("writefua")?.unwrap_or(false),
            verify: asked.word(&WRITE_MODE)? == VERIFIED,
        };
        asked.finish()?;
        opening.one_at_a_time(NAME)?;
        let queue = ScsiQueue::new(opening.file_set(NAME)?, opening.buffer_size, options).map_err(|e| {
            OpenError::unavailable(
                NAME,
                &e,
                "it needs root and a device that takes SCSI commands, /dev/sg0 or /dev/sda",
            )
        })?;
        Ok(Opened::new(Inline::new(queue)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Opening;
    use std::sync::Arc;

    #[test]
    fn what_takes_no_commands_is_refused_with_advice() {
        let files = vec![Arc::new(crate::test_file())];
        let opening = Opening { files, depth: 1, buffer_size: 4096, ..Opening::default() };
        let Err(error) = (ENTRY.open)(&opening) else { panic!("opened") };
        let OpenError::Unavailable { advice, .. } = error else { panic!("{error}") };
        assert!(advice.contains("/dev/sg0") || advice.contains("PhysicalDrive1"), "{advice}");
    }
}
