//! `device.NAME.temperature` (°C) of drives with a sensor, read every ten seconds, because each reading sends a command
//! to the drive.

use super::{Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::facts::sensor;
use crate::roots::number;
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};
use std::path::PathBuf;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "drive", open };

/// Interval between two readings of a sensor.
const EVERY: Nanos = Nanos::from_secs(10);

struct Drives {
    /// Names of the devices, each with the file of its temperature sensor.
    sensors: Vec<(String, PathBuf)>,
    /// Time since the last reading.
    since: Nanos,
}

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let sensor_file =
        |name: &String| Some((name.clone(), sensor(&roots.sys.join("block").join(name))?.join("temp1_input")));
    let sensors: Vec<(String, PathBuf)> = subjects.devices.iter().filter_map(|d| sensor_file(&d.name)).collect();
    if sensors.is_empty() {
        return Err(sentence!("sampler-no-temperature"));
    }
    Ok(Box::new(Drives { sensors, since: EVERY }))
}

impl Sampler for Drives {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        self.since = self.since.saturating_add(elapsed);
        if self.since < EVERY {
            return;
        }
        self.since = Nanos(0);
        let mut out = Out::new(Layer::Device, elapsed, out);
        for (name, file) in &self.sensors {
            if let Some(milli) = number(file) {
                out.gauge(format!("device.{name}.temperature"), "°C", milli as f64 / 1000.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::DeviceFacts;

    #[test]
    fn a_sensor_is_read_every_ten_seconds_and_without_one_it_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let hwmon = dir.path().join("sys/block/nvme0n1/device/hwmon1");
        std::fs::create_dir_all(&hwmon).unwrap();
        let roots = Roots::under(dir.path());
        let device = DeviceFacts { name: "nvme0n1".into(), ..DeviceFacts::default() };
        let subjects = Subjects::from_devices(&[device]);
        assert!(open(&roots, &subjects).is_err_and(|reason| reason.contains("no drive reports")));
        std::fs::write(hwmon.join("temp1_input"), "41850\n").unwrap();
        let mut drives = open(&roots, &subjects).expect("a sensor");
        let mut readings = Vec::new();
        for _ in 0..12 {
            let mut samples = Vec::new();
            drives.sample(Nanos::from_secs(1), &mut samples);
            readings.push(samples.iter().map(|s| (s.name.clone(), s.value)).collect::<Vec<_>>());
        }
        let reading = |i: usize| readings[i].first().map(|(name, value)| (name.as_str(), *value));
        assert_eq!(
            (reading(0), reading(1), reading(10)),
            (Some(("device.nvme0n1.temperature", 41.85)), None, Some(("device.nvme0n1.temperature", 41.85)))
        );
    }
}
