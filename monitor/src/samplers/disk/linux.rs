//! Reads `/sys/dev/block/MAJ:MIN/stat` (Documentation/block/stat.rst): times in milliseconds, sectors of 512 bytes.

use super::{Device, Disk, Reading};
use crate::Roots;
use crate::roots::text;
use crate::samplers::Sampler;
use model::DeviceFacts;

pub(super) fn open(roots: &Roots, devices: &[DeviceFacts]) -> Result<Box<dyn Sampler>, String> {
    let mut open = Vec::new();
    for device in devices {
        let path = roots.sys.join(format!("dev/block/{}:{}/stat", device.dev.0, device.dev.1));
        let source = move || text(&path).and_then(|t| parse(&t));
        if let Some(last) = source() {
            open.push(Device { name: device.name.clone(), source, last });
        }
    }
    if open.is_empty() {
        return Err("no block device with counters is known under the target".to_owned());
    }
    Ok(Box::new(Disk { devices: open }))
}

fn parse(stat: &str) -> Option<Reading> {
    let words: Vec<u64> = stat.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |i: usize| words.get(i).copied();
    Some(Reading {
        reads: at(0)?,
        read_bytes: at(2)?.saturating_mul(512),
        read_ms: at(3)?,
        writes: at(4)?,
        write_bytes: at(6)?.saturating_mul(512),
        write_ms: at(7)?,
        in_flight: at(8)?,
        busy_ms: at(9)?,
        queue_ms: at(10)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_real_disk_is_read_and_a_short_one_is_not() {
        let line = "   29628     7156  3832146    12885     8608    12958  1452768     6900        2     5736    20129\
                     3827       37   233816      313      796       30\n";
        let reading = parse(line).unwrap();
        assert_eq!((reading.reads, reading.read_bytes, reading.read_ms), (29_628, 3_832_146 * 512, 12_885));
        assert_eq!((reading.in_flight, reading.busy_ms), (2, 5736));
        assert_eq!(parse("1 2 3"), None);
        assert_eq!(parse(""), None);
        assert_eq!(parse(&"-1 ".repeat(11)), None);
    }
}
