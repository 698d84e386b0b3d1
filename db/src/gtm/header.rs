//! The header of a database file (`mupip dumpfhead`).

use super::install::{ENGINE, Install, run};
use crate::{DbError, Marker};
use model::Bytes;
use std::collections::HashMap;
use std::path::Path;

/// Header of a database file, as stored on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Size of a block.
    pub block: Bytes,
    /// Offset of block 0.
    pub start: Bytes,
    /// Number of blocks in the cache.
    pub buffers: u64,
    /// Interval between epochs, in seconds.
    pub epoch: u64,
    /// True if updates are journaled.
    pub journaled: bool,
    /// True if the file is opened with O_DIRECT and written with libaio.
    pub direct: bool,
    /// True if blocks are written as a whole, false if only their used part is written.
    pub whole: bool,
    /// Number of blocks in the file, including bitmaps.
    pub total: u64,
    /// Number of free blocks.
    pub free: u64,
    /// ID of the file's shared memory; `None` if the file was closed.
    pub shared_memory: Option<i64>,
    /// Absolute path of the journal; `None` if the file never had one.
    pub journal: Option<String>,
}

impl Header {
    /// Reads the header of a file. The database may be open or damaged.
    ///
    /// # Errors
    /// Returns an error if the file is not a database file.
    pub fn read(install: &Install, marker: &Marker, file: &Path) -> Result<Header, DbError> {
        let mut command = install.command("mupip", marker);
        let output = run(command.arg("dumpfhead").arg("-file").arg(file), "read the header of its file", None)?;
        Header::parse(&output).map_err(|missing| {
            let reason = format!("the {} lines of mupip dumpfhead do not contain {missing}", output.lines().count());
            DbError::engine(ENGINE, format!("read the header of {}", file.display()), reason)
        })
    }

    /// Parses the output of `mupip dumpfhead`. The error is the name of a field that is missing or out of range.
    fn parse(text: &str) -> Result<Header, &'static str> {
        let fields: HashMap<&str, &str> = text
            .lines()
            .filter_map(|line| {
                line.trim().strip_prefix("record(\"sgmnt_data.").or(line.strip_prefix("Record(\"sgmnt_data."))
            })
            .filter_map(|rest| rest.split_once("\")="))
            .collect();
        let number = |name: &str| fields.get(name).and_then(|value| number(value));
        let needed = |name: &'static str| number(name).ok_or(name);
        let count = |name: &'static str| u64::try_from(needed(name)?).map_err(|_| name);
        Ok(Header {
            block: Bytes(count("blk_size")?),
            // Counted in units of 512 bytes, from 1.
            start: Bytes(count("start_vbn")?.checked_sub(1).ok_or("start_vbn")? * 512),
            buffers: count("n_bts")?,
            epoch: count("epoch_interval")?,
            journaled: needed("jnl_state")? == 2,
            direct: needed("asyncio")? == 1,
            // Older versions do not have this field.
            whole: number("write_fullblk") == Some(2),
            total: count("trans_hist.total_blks")?,
            free: count("trans_hist.free_blocks")?,
            shared_memory: number("shmid").filter(|id| *id >= 0),
            // The name is quoted and padded with NULs. When a journal is removed, only the length is reset, not the
            // name.
            journal: fields
                .get("jnl_file_name")
                .and_then(|text| text.strip_prefix('"')?.split('"').next())
                .filter(|name| !name.is_empty() && number("jnl_file_len") != Some(0))
                .map(str::to_owned),
        })
    }
}

/// Parses a decimal number, or a hexadecimal number in quotes, such as `"0x000000000000000C"`.
fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_matches('"');
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_understood() {
        let text = "\nFileheader dump of region DEFAULT\nrecord(\"sgmnt_data.asyncio\")=1\nrecord(\"sgmnt_data.blk_size\")=8192
record(\"sgmnt_data.epoch_interval\")=2\nrecord(\"sgmnt_data.jnl_state\")=2\nrecord(\"sgmnt_data.n_bts\")=2048
record(\"sgmnt_data.shmid\")=1605648\nrecord(\"sgmnt_data.start_vbn\")=8193
record(\"sgmnt_data.trans_hist.free_blocks\")=4094\nrecord(\"sgmnt_data.trans_hist.total_blks\")=\"0x0000000000001009\"\n";
        let header = Header::parse(text).unwrap();
        assert_eq!((header.block, header.start, header.total), (Bytes(8192), Bytes::from_mib(4), 4105));
        assert_eq!((header.shared_memory, header.journaled, header.direct), (Some(1_605_648), true, true));
        assert_eq!(header.journal, None);
        let name =
            "record(\"sgmnt_data.jnl_file_name\")=\"/d/data1.mjl\"_$C(0,0,0)\nrecord(\"sgmnt_data.jnl_file_len\")=12\n";
        assert_eq!(Header::parse(&format!("{text}{name}")).unwrap().journal.unwrap(), "/d/data1.mjl");
        let closed = Header::parse(&text.replace("1605648", "-1")).unwrap();
        assert_eq!(closed.shared_memory, None);
        assert_eq!(Header::parse(&text.replace("n_bts", "other")), Err("n_bts"));
    }
}
