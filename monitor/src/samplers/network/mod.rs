//! `net.NAME.*` for every interface with EC2's network driver: packets delayed or dropped because the instance exceeded
//! its allowance (packets/s).
//!
//! - `bw_in_allowance_exceeded`, `bw_out_allowance_exceeded`: bandwidth in and out.
//! - `pps_allowance_exceeded`: packets per second.
//! - `conntrack_allowance_exceeded`: tracked connections.
//!
//! The names come from the driver (Linux, `drivers/net/ethernet/amazon/ena/ena_ethtool.c`; "Monitor network performance
//! for ENA settings" of the EC2 user guide). The counters are read at most once a second, because the driver queries
//! the device for each reading.

use super::grown::grown;
use super::{Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::roots::names;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};
use std::path::Path;

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "network", open };

/// Name of the driver whose interfaces have these counters.
const DRIVER: &str = "ena";
/// Names of the counters.
const COUNTERS: [&str; 4] =
    ["bw_in_allowance_exceeded", "bw_out_allowance_exceeded", "pps_allowance_exceeded", "conntrack_allowance_exceeded"];
/// Minimum interval between two readings, slightly below a second because samples may come early.
const AT_LEAST: Nanos = Nanos::from_millis(900);

type Counts = [u64; COUNTERS.len()];

struct Interface<R> {
    name: String,
    source: R,
    /// Last reading; `None` if it failed.
    last: Option<Counts>,
}

struct Network<R> {
    interfaces: Vec<Interface<R>>,
    since: Nanos,
}

/// Opens the sampler. If no interface uses the driver, the sampler reads nothing and reports nothing.
fn open(roots: &Roots, _subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    Ok(Box::new(begin(roots, counters)))
}

fn begin<R: FnMut() -> Option<Counts>>(roots: &Roots, open: impl Fn(&str) -> Option<R>) -> Network<R> {
    let classes = roots.sys.join("class/net");
    let interface = |name: String| {
        let mut source = open(&name)?;
        let last = Some(source()?);
        Some(Interface { name, source, last })
    };
    let ours = names(&classes).into_iter().filter(|name| is_ours(&classes.join(name)));
    Network { interfaces: ours.filter_map(interface).collect(), since: Nanos(0) }
}

/// Returns `true` if the interface with this sysfs directory uses the driver.
fn is_ours(interface: &Path) -> bool {
    let driver = std::fs::read_link(interface.join("device/driver"));
    driver.is_ok_and(|link| link.file_name().is_some_and(|name| name == DRIVER))
}

/// Returns a source for an interface; `None` if the interface's driver lacks some of the counters, as drivers before
/// Linux 5.10 do.
fn counters(interface: &str) -> Option<impl FnMut() -> Option<Counts> + use<>> {
    let counters = sys::devices::InterfaceCounters::open(interface).ok()?;
    let place = |name: &str| counters.names().iter().position(|n| n == name);
    let mut places = [0; COUNTERS.len()];
    for (to, name) in places.iter_mut().zip(COUNTERS) {
        *to = place(name)?;
    }
    Some(move || {
        let values = counters.read().ok()?;
        Some(places.map(|at| values[at]))
    })
}

impl<R: FnMut() -> Option<Counts> + Send> Sampler for Network<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        self.since = self.since.saturating_add(elapsed);
        if self.since < AT_LEAST {
            return;
        }
        let mut out = Out::new(Layer::Host, std::mem::take(&mut self.since), out);
        for interface in &mut self.interfaces {
            let now = (interface.source)();
            let then = std::mem::replace(&mut interface.last, now);
            let Some((now, then)) = now.zip(then) else { continue };
            for ((counter, now), then) in COUNTERS.iter().zip(now).zip(then) {
                if let Some(packets) = grown(then, now) {
                    out.rate(format!("net.{}.{counter}", interface.name), "packets/s", packets);
                }
            }
        }
    }

    fn forget(&mut self) {
        self.since = AT_LEAST;
        self.sample(Nanos(0), &mut Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::VecDeque;
    use std::fs;

    fn machine(interfaces: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for (name, driver) in interfaces {
            let device = dir.path().join("sys/class/net").join(name).join("device");
            fs::create_dir_all(&device).unwrap();
            testkit::symlink(Path::new("../../../bus/pci/drivers").join(driver), device.join("driver")).unwrap();
        }
        let roots = Roots::under(dir.path());
        (dir, roots)
    }

    #[test]
    fn packets_a_second_come_from_two_readings_and_only_of_its_own_driver() {
        of_linux!();
        let (_dir, roots) = machine(&[("eth0", "virtio_net"), ("ens5", "ena"), ("ens6", "ena")]);
        let asked = RefCell::new(Vec::new());
        let mut network = begin(&roots, |name| {
            asked.borrow_mut().push(name.to_owned());
            let mut readings: VecDeque<Option<Counts>> =
                [Some([5, 0, 7, 0]), Some([105, 0, 7, 3]), None, Some([0; 4])].into();
            // The second interface has a driver that is too old.
            (name == "ens5").then_some(move || readings.pop_front().flatten())
        });
        assert_eq!(*asked.borrow(), ["ens5", "ens6"]);
        let mut sample = |elapsed: Nanos| {
            let mut samples = Vec::new();
            network.sample(elapsed, &mut samples);
            samples.into_iter().map(|s| (s.name, s.value)).collect::<Vec<_>>()
        };
        assert!(sample(Nanos::from_millis(500)).is_empty());
        let first = sample(Nanos::from_millis(1500));
        let rates: Vec<(&str, f64)> = first.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(
            rates,
            [
                ("net.ens5.bw_in_allowance_exceeded", 50.0),
                ("net.ens5.bw_out_allowance_exceeded", 0.0),
                ("net.ens5.pps_allowance_exceeded", 0.0),
                ("net.ens5.conntrack_allowance_exceeded", 1.5),
            ]
        );
        assert!(sample(Nanos::from_secs(1)).is_empty(), "it failed");
        assert!(sample(Nanos::from_secs(1)).is_empty(), "by how much it grew is unknown");
    }

    #[test]
    fn without_such_an_interface_nothing_is_asked() {
        of_linux!();
        let (_dir, roots) = machine(&[("eth0", "virtio_net")]);
        let mut none = open(&roots, &Subjects::default()).expect("it opens");
        let mut samples = Vec::new();
        none.sample(Nanos::from_secs(1), &mut samples);
        assert!(samples.is_empty());
        // An interface that exists only on a recorded machine cannot be read.
        let (_dir, roots) = machine(&[("no-such-one", "ena")]);
        assert!(open(&roots, &Subjects::default()).is_ok());
    }
}
