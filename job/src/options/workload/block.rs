//! Options for block sizes.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, option, put, put_dirs};
use crate::units::{self, Units};
use crate::value::{Kind, Take, Value, split_directions};
use crate::value_error::ValueError;
use messages::sentence;
use model::plan::{BlockSizes, SizeShare};
use model::{Bytes, clip};

/// Largest allowed block size, in bytes.
pub const MAX_BLOCK: u64 = 1 << 30;
/// Maximum number of sizes in one `bssplit` (HOWTO).
const MOST_SPLITS: usize = 64;

/// Options for block sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockOptions {
    /// Block sizes for reads, writes and trims.
    pub bs: [BlockSizes; 3],
    /// Alignment of random offsets; `None` = the smallest block size.
    pub align: [Option<Bytes>; 3],
    /// True if sizes from a range need not be multiples of the smallest size.
    pub unaligned: bool,
    /// True if the read size applies to sequential operations and the write size to random ones.
    pub is_seq_rand: bool,
}

impl Default for BlockOptions {
    fn default() -> Self {
        let bs = [const { BlockSizes::Fixed(Bytes(4096)) }; 3];
        BlockOptions { bs, align: [None; 3], unaligned: false, is_seq_rand: false }
    }
}

fn block_size(text: &str, units: Units) -> Result<Bytes, ValueError> {
    Bytes::take(crate::value::read(&SIZES, Some(text), units)?)
}

fn set_bs(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    for (slot, part) in job.block.bs.iter_mut().zip(split_directions(&text)?) {
        let Some(part) = part else { continue };
        // Like fio, secchi ignores the text after the number.
        let size = match part.split_once('-').filter(|(low, _)| !low.trim().is_empty()) {
            Some((low, _)) => {
                ctx.notes.push(sentence!("job-block-range", given = clip(part), low));
                block_size(low, ctx.units)?
            }
            None => block_size(part, ctx.units)?,
        };
        // As in fio, `bsrange` and `bssplit` take precedence over `bs`, in any order.
        if let BlockSizes::Fixed(slot) = slot {
            *slot = size;
        }
    }
    Ok(())
}

fn set_range(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    // `/` also separates directions (HOWTO, `irange`).
    let text = text.replace('/', ",");
    for (slot, part) in job.block.bs.iter_mut().zip(split_directions(&text)?) {
        let Some(part) = part else { continue };
        let (low, high) =
            part.split_once(['-', ':']).ok_or_else(|| ValueError::form(part, "not a range, such as 4k-64k"))?;
        let (low, high) = (block_size(low, ctx.units)?, block_size(high, ctx.units)?);
        if !matches!(slot, BlockSizes::Split(_)) {
            *slot = BlockSizes::Range(low.min(high), low.max(high));
        }
    }
    Ok(())
}

fn set_split(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(text) = value else { return Ok(()) };
    for (slot, part) in job.block.bs.iter_mut().zip(split_directions(&text)?) {
        if let Some(part) = part {
            *slot = BlockSizes::Split(split(part, ctx)?);
        }
    }
    Ok(())
}

/// Parses a list such as `8k/20:16k/10:32k/`: sizes with their percentage of the number of operations. Sizes without a
/// percentage share the rest equally.
fn split(text: &str, ctx: &mut Context<'_>) -> Result<Vec<SizeShare>, ValueError> {
    let mut list: Vec<(Bytes, Option<u32>)> = Vec::new();
    for part in text.split(':') {
        if list.len() == MOST_SPLITS {
            return Err(format!("more than {MOST_SPLITS} sizes").into());
        }
        let (size, share) = match part.split_once('/') {
            Some((size, share)) => (size, share.trim()),
            None => (part, ""),
        };
        let share = if share.is_empty() { None } else { Some(percent(share)?) };
        list.push((block_size(size, ctx.units)?, share));
    }
    let given: u32 = list.iter().filter_map(|(_, share)| *share).sum();
    let blanks = list.iter().filter(|(_, share)| share.is_none()).count() as u32;
    if given > 100 {
        return Err(ValueError::within(text, format!("the shares sum to {given}, more than 100")));
    }
    let left = 100 - given;
    if blanks > 0 && left < blanks {
        return Err(ValueError::within(text, format!("{left} % are left for {blanks} sizes without a share")));
    }
    if blanks == 0 && left > 0 {
        // As in fio, the last size gets the missing percentage. secchi adds a note.
        ctx.notes.push(sentence!("job-shares-missing", given, left));
    }
    let mut extra = if blanks > 0 { left % blanks } else { 0 };
    let last = list.len() - 1;
    let mut shares = Vec::with_capacity(list.len());
    for (i, (size, share)) in list.into_iter().enumerate() {
        let weight = match share {
            Some(share) if i == last && blanks == 0 => share + left,
            Some(share) => share,
            None => {
                let odd = u32::from(extra > 0);
                extra -= odd;
                left / blanks + odd
            }
        };
        if weight > 0 {
            shares.push(SizeShare { size, weight });
        }
    }
    Ok(shares)
}

fn percent(text: &str) -> Result<u32, ValueError> {
    match units::count(text.strip_suffix('%').unwrap_or(text))? {
        v if v <= 100 => Ok(v as u32),
        _ => Err(ValueError::out_of_range(text, "0..100")),
    }
}

const SIZES: Kind = Kind::Size { min: 1, max: MAX_BLOCK };

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("bs", Kind::Form("size up to 1 GiB; up to three values: read,write,trim"), "4096", Job(set_bs))
        .alias(&["blocksize"])
        .help(
            "Block size of operations. `8k,32k` sets 8k for reads and 32k for writes and trims. `,8k` leaves \
             reads at the default size, and `8k,` leaves writes and trims at the default size.",
        ),
    option("bsrange", Kind::Form("range of sizes (4k-64k); up to three values: read,write,trim"), "", Job(set_range))
        .alias(&["blocksize_range"])
        .help(
            "Range from which block sizes are drawn evenly, in multiples of the smallest size. Overrides `bs`, \
             regardless of the order of the two options.",
        ),
    option(
        "bssplit",
        Kind::Form("size/percent:size/percent:...; up to three values: read,write,trim"),
        "",
        Job(set_split),
    )
    .help(
        "Up to 64 block sizes, each with its percentage of the operations, not of the bytes. Sizes without a \
         percentage share the rest of 100 evenly. Overrides `bs` and `bsrange`, regardless of the order of \
         the options.",
    ),
    option("bs_unaligned", Kind::Flag, "0", put!(block.unaligned)).alias(&["blocksize_unaligned"]).help(
        "Allow sizes from `bsrange` that are not multiples of the smallest size. This is not possible with \
             direct I/O.",
    ),
    option("bs_is_seq_rand", Kind::Bool, "0", put!(block.is_seq_rand)).help(
        "Use the first size of `bs` for sequential operations and the second size for random operations, instead \
         of for reads and writes.",
    ),
    option("ba", Kind::PerDirection(&SIZES), "", put_dirs!(block.align, |v| Some(Bytes(v))))
        .alias(&["blockalign"])
        .help("Alignment of random offsets; by default, the smallest block size. Implies `norandommap`."),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(text: &str) -> Result<Vec<(u64, u32)>, ValueError> {
        let mut notes = Vec::new();
        let mut ctx = Context { units: Units::default(), engines: crate::engines::for_tests(), notes: &mut notes };
        split(text, &mut ctx).map(|l| l.iter().map(|s| (s.size.as_u64() >> 10, s.weight)).collect())
    }

    #[test]
    fn blank_shares_divide_what_is_left() {
        assert_eq!(shares("8k/20:16k/10:32k/10:512k/60"), Ok(vec![(8, 20), (16, 10), (32, 10), (512, 60)]));
        assert_eq!(shares("4k/50:1k/:32k/"), Ok(vec![(4, 50), (1, 25), (32, 25)]));
        assert_eq!(shares("4k:8k:16k"), Ok(vec![(4, 34), (8, 33), (16, 33)]));
        assert_eq!(shares("4k/33:8k/33"), Ok(vec![(4, 33), (8, 67)]));
        assert!(shares("4k/60:8k/60").unwrap_err().to_string().contains("sum to 120"));
        assert!(shares("4k/100:8k/").unwrap_err().to_string().contains("0 % are left"));
        assert!(shares("4k/0:8k/100").is_ok());
    }
}
