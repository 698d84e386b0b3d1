//! Health data of a drive: wear, temperature, errors and link.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// Health data of a drive, from the SMART log for NVMe and from sysfs for others. Unavailable values are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DriveHealth {
    /// Firmware revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Temperature in degrees Celsius at the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<i32>,
    /// Temperature in degrees Celsius at which the drive issues a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warns_at: Option<i32>,
    /// Minutes spent above that temperature in the drive's lifetime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_hot: Option<u64>,
    /// Minutes in the drive's lifetime spent above the critical temperature, at which the drive throttles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_critical: Option<u64>,
    /// Used share of the endurance in percent, as estimated by the vendor; may exceed 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u8>,
    /// Percentage of spare blocks left, and the percentage below which the drive issues a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spare: Option<(u8, u8)>,
    /// Bytes written by hosts in the drive's lifetime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Bytes>,
    /// Hours of operation in the drive's lifetime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<u64>,
    /// Number of times that data could not be read back or its checksum did not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// Active warnings of the drive: `spare`, `temperature`, `reliability`, `read-only`, `backup`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Link to the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<DriveLink>,
}

/// A PCI Express link.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriveLink {
    /// Current speed of a lane, in millions of transfers per second: 8,000 for PCIe 3.0.
    pub speed: u32,
    /// Current number of lanes.
    pub lanes: u32,
    /// Maximum speed of the drive.
    pub best_speed: u32,
    /// Maximum number of lanes of the drive.
    pub most_lanes: u32,
}

impl DriveLink {
    /// Formats a link as `8.0 GT/s x4`.
    #[must_use]
    pub fn format_link(speed: u32, lanes: u32) -> String {
        format!("{:.1} GT/s x{lanes}", f64::from(speed) / 1000.0)
    }

    /// Returns `true` if the link runs below the drive's maximum.
    #[must_use]
    pub const fn is_reduced(&self) -> bool {
        self.speed < self.best_speed || self.lanes < self.most_lanes
    }
}

impl DriveHealth {
    /// Returns `true` if nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == DriveHealth::default()
    }

    /// Returns the bytes that may be written in the drive's lifetime, based on the share of the endurance that the
    /// drive estimates as used. `None` if that share is unknown, or below 1 %, where the estimate is too rough.
    #[must_use]
    pub fn endurance(&self) -> Option<Bytes> {
        let (used, written) = (self.used.filter(|u| *u > 0)?, self.written?);
        Some(Bytes((written.as_u64() as f64 * 100.0 / f64::from(used)) as u64))
    }

    /// Returns a summary:
    /// `41 °C (warns at 80), 3 % of its endurance used, spare 100 %, no media error, PCIe 8.0 GT/s x4`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.temperature.map(|now| match self.warns_at {
            Some(at) => format!("{now} °C (warns at {at})"),
            None => format!("{now} °C"),
        }));
        words.extend(self.used.map(|used| format!("{used} % of its endurance used")));
        words.extend(self.spare.map(|(left, _)| format!("spare {left} %")));
        words.extend(self.media_errors.map(|n| match n {
            0 => "no media error".to_owned(),
            1 => "1 media error".to_owned(),
            n => format!("{} media errors", crate::units::thousands(n as f64)),
        }));
        words.extend(self.written.map(|w| format!("{w} written in its life")));
        words.extend(self.link.as_ref().map(|l| {
            let reduced = match l.is_reduced() {
                true => format!(" of {}", DriveLink::format_link(l.best_speed, l.most_lanes)),
                false => String::new(),
            };
            format!("PCIe {}{reduced}", DriveLink::format_link(l.speed, l.lanes))
        }));
        words.extend(self.firmware.as_ref().map(|f| format!("firmware {f}")));
        words.extend((!self.warnings.is_empty()).then(|| format!("warns of {}", self.warnings.join(", "))));
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_in_a_line_and_its_endurance_is_what_is_used_of_what_was_written() {
        let health = DriveHealth {
            temperature: Some(41),
            warns_at: Some(80),
            used: Some(4),
            spare: Some((100, 10)),
            media_errors: Some(0),
            written: Some(Bytes(40 << 40)),
            link: Some(DriveLink { speed: 8000, lanes: 2, best_speed: 16_000, most_lanes: 4 }),
            ..DriveHealth::default()
        };
        assert_eq!(health.endurance(), Some(Bytes(1000 << 40)));
        assert_eq!(
            health.summary(),
            "41 °C (warns at 80), 4 % of its endurance used, spare 100 %, no media error, 40 TiB written in its life, PCIe \
             8.0 GT/s x2 of 16.0 GT/s x4"
        );
        assert_eq!(DriveHealth { used: Some(0), ..health }.endurance(), None);
    }
}
