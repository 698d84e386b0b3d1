//! Health of a drive: the SMART log of NVMe drives, and the temperature sensor and the link from sysfs.

use crate::Roots;
use crate::roots::{names, number, word};
use model::Bytes;
use model::record::{DriveHealth, DriveLink};
use std::fs::File;
use std::path::{Path, PathBuf};

/// 0 °C in kelvins, the unit of the SMART log, rounded as in all common tools.
const KELVIN: i32 = 273;
/// Size of a data unit of the SMART log in bytes: a thousand blocks of 512 bytes.
const DATA_UNIT: u128 = 512_000;
/// Names of the critical warning bits, from bit 0.
const WARNINGS: [&str; 5] = ["spare", "temperature", "reliability", "read-only", "backup"];

/// Returns the health of the drive with this block directory in sysfs; `None` if nothing is available.
pub(super) fn health(roots: &Roots, disk: &Path) -> Option<DriveHealth> {
    let name = disk.file_name()?.to_str()?;
    let mut health = name.starts_with("nvme").then(|| smart(roots, name)).flatten().unwrap_or_default();
    let controller = disk.join("device");
    health.firmware = ["firmware_rev", "rev"].iter().find_map(|file| word(&controller.join(file)));
    if let Some(sensor) = sensor(disk) {
        // The drive reports whole kelvins. The kernel subtracts 273.15, other tools subtract 273.
        let degrees =
            |file: &str| number(&sensor.join(file)).and_then(|m| i32::try_from(m.saturating_add(500) / 1000).ok());
        health.temperature = degrees("temp1_input").or(health.temperature);
        health.warns_at = degrees("temp1_max").filter(|d| *d > 0);
    }
    health.link = link(&controller.join("device"));
    // A firmware revision alone is not health information.
    let without_firmware = DriveHealth { firmware: None, ..health.clone() };
    (!without_firmware.is_empty()).then_some(health)
}

/// Returns the sysfs directory of the drive's temperature sensor: the controller's sensor for NVMe, the `drivetemp`
/// sensor for SATA.
pub(crate) fn sensor(disk: &Path) -> Option<PathBuf> {
    let controller = disk.join("device");
    let below =
        |dir: &Path| names(dir).into_iter().filter(|n| n.starts_with("hwmon")).map(|n| dir.join(n)).collect::<Vec<_>>();
    let mut sensors = below(&controller.join("hwmon"));
    sensors.extend(below(&controller));
    sensors.into_iter().find(|dir| dir.join("temp1_input").exists())
}

fn link(pci: &Path) -> Option<DriveLink> {
    // The file contains `8.0 GT/s PCIe`, or `8 GT/s` on older kernels.
    let speed = |file: &str| {
        let text = word(&pci.join(file))?;
        let gigatransfers: f64 = text.split_whitespace().next()?.parse().ok()?;
        Some((gigatransfers * 1000.0).round() as u32)
    };
    let lanes =
        |file: &str| number(&pci.join(file)).and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=32).contains(n));
    Some(DriveLink {
        speed: speed("current_link_speed")?,
        lanes: lanes("current_link_width")?,
        best_speed: speed("max_link_speed")?,
        most_lanes: lanes("max_link_width")?,
    })
}

fn smart(roots: &Roots, name: &str) -> Option<DriveHealth> {
    // The log requires permission to query the drive; any user can read the temperature in sysfs.
    let device = File::open(roots.place(&Path::new("/dev").join(name))).ok()?;
    Some(read_smart(&sys::devices::nvme_smart_log(&device).ok()?))
}

/// Parses the log (NVM Express base specification, "SMART / Health Information").
fn read_smart(log: &[u8; sys::devices::SMART_LOG]) -> DriveHealth {
    let wide = |at: usize| u128::from_le_bytes(std::array::from_fn(|i| log[at + i]));
    let small = |at: usize| u64::from(u32::from_le_bytes(std::array::from_fn(|i| log[at + i])));
    let count = |at: usize| u64::try_from(wide(at)).unwrap_or(u64::MAX);
    let kelvin = i32::from(u16::from_le_bytes([log[1], log[2]]));
    DriveHealth {
        temperature: (kelvin > 0).then_some(kelvin - KELVIN),
        minutes_hot: Some(small(192)),
        minutes_critical: Some(small(196)),
        used: Some(log[5]),
        // Virtual drives report zero for both, which does not mean that no spare blocks are left.
        spare: Some((log[3], log[4])).filter(|spare| *spare != (0, 0)),
        written: Some(Bytes(u64::try_from(wide(48).saturating_mul(DATA_UNIT)).unwrap_or(u64::MAX))),
        hours: Some(count(128)),
        media_errors: Some(count(160)),
        warnings: (0..WARNINGS.len()).filter(|i| log[0] & (1 << i) != 0).map(|i| WARNINGS[i].to_owned()).collect(),
        ..DriveHealth::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn sensors_and_the_link_come_from_sysfs() {
        let dir = tempfile::tempdir().unwrap();
        let disk = dir.path().join("sys/block/nvme0n1");
        write(
            &disk,
            &[
                ("device/firmware_rev", "2B2QEXM7\n"),
                ("device/hwmon1/temp1_input", "40850\n"),
                ("device/hwmon1/temp1_max", "84850\n"),
                ("device/device/current_link_speed", "8.0 GT/s PCIe\n"),
                ("device/device/max_link_speed", "16.0 GT/s PCIe\n"),
                ("device/device/current_link_width", "4\n"),
                ("device/device/max_link_width", "4\n"),
            ],
        );
        let health = health(&Roots::under(dir.path()), &disk).expect("told");
        assert_eq!((health.temperature, health.warns_at), (Some(41), Some(85)));
        assert!(health.link.as_ref().is_some_and(DriveLink::is_reduced));
        assert_eq!(health.summary(), "41 °C (warns at 85), PCIe 8.0 GT/s x4 of 16.0 GT/s x4, firmware 2B2QEXM7");
    }

    #[test]
    fn a_disk_that_tells_nothing_has_no_health_and_drivetemp_tells_of_a_sata_disk() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, roots) = (dir.path().join("sys/block/sda"), Roots::under(dir.path()));
        write(&disk, &[("device/rev", "A1\n")]);
        assert_eq!(health(&roots, &disk), None);
        write(&disk, &[("device/hwmon/hwmon3/temp1_input", "33000\n")]);
        assert_eq!(health(&roots, &disk).and_then(|h| h.temperature), Some(33));
    }

    #[test]
    fn the_log_is_read_by_its_places() {
        let mut log = [0u8; sys::devices::SMART_LOG];
        log[0] = 0b0_0101;
        log[1..3].copy_from_slice(&(KELVIN as u16 + 71).to_le_bytes());
        log[3..6].copy_from_slice(&[97, 10, 12]);
        log[48..64].copy_from_slice(&2_000_000u128.to_le_bytes());
        log[128..144].copy_from_slice(&8760u128.to_le_bytes());
        log[160..176].copy_from_slice(&3u128.to_le_bytes());
        log[192..196].copy_from_slice(&5u32.to_le_bytes());
        let health = read_smart(&log);
        log[3..5].copy_from_slice(&[0, 0]);
        assert_eq!(read_smart(&log).spare, None, "as QEMU and cloud volumes have it");
        assert_eq!(health.warnings, ["spare", "reliability"]);
        assert_eq!((health.temperature, health.used, health.spare), (Some(71), Some(12), Some((97, 10))));
        assert_eq!(health.written, Some(Bytes(1_024_000_000_000)));
        assert_eq!((health.hours, health.media_errors, health.minutes_hot), (Some(8760), Some(3), Some(5)));
    }
}
