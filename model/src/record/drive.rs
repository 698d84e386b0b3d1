//! What a drive tells of itself: wear, heat, errors, and how it is linked.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// A drive's own account: of NVMe the SMART log, of others what sysfs has. What is not told is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveHealth {
    /// Revision of its firmware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Degrees Celsius as the run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<i32>,
    /// Degrees Celsius from which on the drive warns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warns_at: Option<i32>,
    /// Minutes of its life above that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_hot: Option<u64>,
    /// Minutes of its life above the critical temperature, where it throttles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_critical: Option<u64>,
    /// Percent of its endurance that is used, by the vendor's estimate; may exceed 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u8>,
    /// Percent of spare blocks left, and the percentage below which the drive warns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spare: Option<(u8, u8)>,
    /// Bytes that hosts wrote in its life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Bytes>,
    /// Hours of its life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<u64>,
    /// Times that data or its checksum could not be read back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_errors: Option<u64>,
    /// What the drive itself warns of: `spare`, `temperature`, `reliability`, `read-only`, `backup`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How it is linked to the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<DriveLink>,
}

/// A link of PCI Express.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DriveLink {
    /// Speed of a lane now, in million transfers a second: 8,000 for PCIe 3.0.
    pub speed: u32,
    /// Lanes now.
    pub lanes: u32,
    /// The most the drive can do.
    pub best_speed: u32,
    /// The most it has.
    pub most_lanes: u32,
}

impl DriveLink {
    /// `8.0 GT/s x4`.
    #[must_use]
    pub fn format_link(speed: u32, lanes: u32) -> String {
        format!("{:.1} GT/s x{lanes}", f64::from(speed) / 1000.0)
    }

    /// Whether it runs below what the drive can do.
    #[must_use]
    pub const fn is_reduced(&self) -> bool {
        self.speed < self.best_speed || self.lanes < self.most_lanes
    }
}

impl DriveHealth {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == DriveHealth::default()
    }

    /// Bytes that may be written in its life, by its own estimate of what is used; too rough below 1 %.
    #[must_use]
    pub fn endurance(&self) -> Option<Bytes> {
        let (used, written) = (self.used.filter(|u| *u > 0)?, self.written?);
        Some(Bytes((written.as_u64() as f64 * 100.0 / f64::from(used)) as u64))
    }

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
            n => format!("{} media errors", crate::thousands(n as f64)),
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
