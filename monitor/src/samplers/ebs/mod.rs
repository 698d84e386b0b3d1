//! `ebs.NAME.*` for every sampled EBS volume: the volume's counters, from its log page D0h.
//!
//! - `volume_iops_exceeded`, `volume_throughput_exceeded`, `instance_iops_exceeded`, `instance_throughput_exceeded`
//!   (percent): share of the time in which the demand exceeded the limit of the volume, or the instance's limit for all
//!   its volumes. If EBS updates its counts late, the value is too low in one interval and too high in the next; the
//!   mean of the two values is correct.
//! - `queue_length` (ops): reads and writes waiting at the moment of sampling.
//! - `read_latency`, `write_latency` (ms): mean latency as measured by EBS, not by the instance.
//! - `read_p99`, `write_p99` (ms): upper bound of the 99th percentile in the interval. It is the upper edge of the bin
//!   that contains the percentile in EBS's histogram.
//!
//! EBS requires a second between two readings ("Amazon EBS detailed performance statistics"); samples taken earlier
//! have no values. The page is read only from devices that identify as EBS volumes. Reading it requires permission to
//! send commands (`CAP_SYS_ADMIN`).

mod page;

use self::page::{LIMITS, PAGE, Page};
use super::{MoreDisks, Out, Sampler, SamplerEntry, Subjects};
use crate::Roots;
use crate::roots::{names, word};
use messages::sentence;
use model::measured::{Layer, Sample};
use model::{Nanos, Sentence};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(super) const ENTRY: SamplerEntry = SamplerEntry { name: "ebs", open };

/// Model name of EBS volumes (`AMZN_NVME_EBS_MN` of amazon-ec2-utils, `ebsnvme`).
const MODEL: &str = "Amazon Elastic Block Store";
/// Number of the vendor-specific log page (amazon-ec2-utils, `ebsnvme`).
const LOG: u8 = 0xD0;
/// Namespace from which the log page is read (amazon-ec2-utils, `ebsnvme`).
const NAMESPACE: u32 = 1;
/// Minimum interval between two readings, slightly below a second because samples may come early.
const AT_LEAST: Nanos = Nanos::from_millis(900);
/// Interval between two searches for newly attached volumes.
const NEW_VOLUMES: Nanos = Nanos::from_secs(60);

struct Volume {
    name: String,
    /// Last reading; `None` if it failed.
    last: Option<Page>,
}

/// Sampler of EBS volumes. `source` returns the bytes of a volume's page, from the device or as recorded by a test.
struct Ebs<R> {
    source: R,
    volumes: Vec<Volume>,
    /// Directory to search for volumes attached later; `None` if only named devices are sampled.
    blocks: Option<PathBuf>,
    since: Nanos,
    searched: Nanos,
}

fn open(roots: &Roots, subjects: &Subjects) -> Result<Box<dyn Sampler>, Sentence> {
    let devices = roots.clone();
    open_with(roots, subjects, move |name| {
        let device = File::open(devices.place(&Path::new("/dev").join(name)))?;
        sys::devices::nvme_log_page::<PAGE>(&device, LOG, NAMESPACE).map(Vec::from)
    })
}

/// Opens the sampler. If there is no volume, the sampler reads and reports nothing. Returns an error if there are
/// volumes but none of them can be read.
fn open_with<R>(roots: &Roots, subjects: &Subjects, mut source: R) -> Result<Box<dyn Sampler>, Sentence>
where
    R: FnMut(&str) -> io::Result<Vec<u8>> + Send + 'static,
{
    let blocks = roots.sys.join("block");
    let mut devices: Vec<String> = subjects.devices.iter().map(|d| d.name.clone()).collect();
    let has_more_disks = subjects.more != MoreDisks::None;
    if has_more_disks {
        devices.extend(names(&blocks));
    }
    let mut volumes: Vec<Volume> = Vec::new();
    let mut failed = None;
    for name in devices.into_iter().filter(|name| is_volume(&blocks, name)) {
        if volumes.iter().any(|v| v.name == name) {
            continue;
        }
        match source(&name) {
            Ok(bytes) => volumes.push(Volume { last: Page::read(&bytes), name }),
            Err(error) => failed = Some(sentence!("sampler-ebs-not-told", device = name, error = error.to_string())),
        }
    }
    match failed {
        Some(reason) if volumes.is_empty() => Err(reason),
        _ => {
            let blocks = has_more_disks.then_some(blocks);
            Ok(Box::new(Ebs { source, volumes, blocks, since: Nanos(0), searched: Nanos(0) }))
        }
    }
}

/// Returns `true` if a disk in this sysfs directory is an EBS volume.
fn is_volume(blocks: &Path, name: &str) -> bool {
    name.starts_with("nvme") && word(&blocks.join(name).join("device/model")).as_deref() == Some(MODEL)
}

impl<R: FnMut(&str) -> io::Result<Vec<u8>> + Send> Ebs<R> {
    /// Adds volumes that were attached since the last search.
    fn search(&mut self, elapsed: Nanos) {
        self.searched = self.searched.saturating_add(elapsed);
        let Some(blocks) = self.blocks.as_ref().filter(|_| self.searched >= NEW_VOLUMES) else { return };
        self.searched = Nanos(0);
        for name in names(blocks).into_iter().filter(|name| is_volume(blocks, name)) {
            if !self.volumes.iter().any(|v| v.name == name) {
                self.volumes.push(Volume { name, last: None });
            }
        }
    }
}

impl<R: FnMut(&str) -> io::Result<Vec<u8>> + Send> Sampler for Ebs<R> {
    fn sample(&mut self, elapsed: Nanos, out: &mut Vec<Sample>) {
        self.since = self.since.saturating_add(elapsed);
        if self.since < AT_LEAST {
            return;
        }
        let stretch = std::mem::take(&mut self.since);
        self.search(stretch);
        let mut out = Out::new(Layer::Device, stretch, out);
        for volume in &mut self.volumes {
            let now = (self.source)(&volume.name).ok().and_then(|bytes| Page::read(&bytes));
            let then = std::mem::replace(&mut volume.last, now);
            let Some((now, then)) = volume.last.as_ref().zip(then) else { continue };
            if let Some(grown) = now.since(&then) {
                put(&mut out, &volume.name, &grown);
            }
        }
    }

    fn forget(&mut self) {
        self.since = AT_LEAST;
        self.sample(Nanos(0), &mut Vec::new());
    }
}

fn put(out: &mut Out, name: &str, grown: &Page) {
    for (limit, exceeded) in LIMITS.iter().zip(grown.exceeded) {
        let share = 100.0 * exceeded as f64 / (out.seconds * 1e6);
        out.gauge(format!("ebs.{name}.{limit}_exceeded"), "percent", share);
    }
    out.gauge(format!("ebs.{name}.queue_length"), "ops", grown.queue as f64);
    for (way, did) in ["read", "write"].iter().zip(&grown.ways) {
        out.mean(format!("ebs.{name}.{way}_latency"), "ms", did.time as f64 / 1000.0, did.ops);
        if let Some(most) = did.p99_at_most() {
            out.gauge(format!("ebs.{name}.{way}_p99"), "ms", most as f64 / 1000.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::page::{Way, testkit};
    use super::*;
    use model::record::DeviceFacts;
    use std::fs;

    /// Returns a machine with a volume, a local disk of the same maker and a disk of another maker. The volume's device
    /// file contains its page.
    fn machine() -> (tempfile::TempDir, Roots) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for (name, model) in [
            ("nvme0n1", "Amazon Elastic Block Store              \n"),
            ("nvme1n1", "Amazon EC2 NVMe Instance Storage        \n"),
            ("sda", "Amazon Elastic Block Store\n"),
        ] {
            let device = dir.path().join("sys/block").join(name).join("device");
            fs::create_dir_all(&device).unwrap();
            fs::write(device.join("model"), model).unwrap();
        }
        fs::create_dir_all(dir.path().join("dev")).unwrap();
        let roots = Roots::under(dir.path());
        (dir, roots)
    }

    fn record(roots: &Roots, page: &Page) {
        fs::write(roots.root.join("dev/nvme0n1"), testkit::bytes(page)).unwrap();
    }

    /// Returns a source that reads the recorded bytes instead of the device.
    fn recorded(roots: &Roots) -> impl FnMut(&str) -> io::Result<Vec<u8>> + Send + 'static {
        let dev = roots.root.join("dev");
        move |name| fs::read(dev.join(name))
    }

    fn named(names: &[&str]) -> Subjects {
        let device = |name: &&str| DeviceFacts { name: (*name).into(), ..DeviceFacts::default() };
        Subjects::from_devices(&names.iter().map(device).collect::<Vec<_>>())
    }

    fn sample(sampler: &mut dyn Sampler, elapsed: Nanos) -> Vec<(String, f64)> {
        let mut samples = Vec::new();
        sampler.sample(elapsed, &mut samples);
        samples.into_iter().map(|s| (s.name, s.value)).collect()
    }

    const SECOND: Nanos = Nanos::from_secs(1);

    #[test]
    fn the_shares_of_the_time_come_from_two_readings_of_the_recorded_page() {
        let (_dir, roots) = machine();
        let mut page = Page { exceeded: [5_000_000, 0, 7, 0], ..Page::default() };
        record(&roots, &page);
        let mut ebs = open_with(&roots, &named(&["nvme0n1p1", "nvme0n1", "nvme1n1", "sda"]), recorded(&roots)).unwrap();
        page.exceeded = [5_980_000, 250_000, 7, 0];
        page.queue = 31;
        page.ways[0] = Way { ops: 3000, bytes: 0, time: 30_000_000, bins: vec![(0, 16_384, 3000)] };
        record(&roots, &page);
        let first = sample(ebs.as_mut(), SECOND);
        // The histogram had no bins in the earlier reading, so its growth is unknown.
        let expected = [
            ("ebs.nvme0n1.volume_iops_exceeded", 98.0),
            ("ebs.nvme0n1.volume_throughput_exceeded", 25.0),
            ("ebs.nvme0n1.instance_iops_exceeded", 0.0),
            ("ebs.nvme0n1.instance_throughput_exceeded", 0.0),
            ("ebs.nvme0n1.queue_length", 31.0),
            ("ebs.nvme0n1.read_latency", 10.0),
        ];
        assert_eq!(first, expected.map(|(name, value)| (name.to_owned(), value)));
        page.ways[0].ops = 6000;
        page.ways[0].bins[0].2 = 6000;
        record(&roots, &page);
        let second = sample(ebs.as_mut(), SECOND);
        assert!(second.contains(&("ebs.nvme0n1.read_p99".to_owned(), 16.384)), "{second:?}");
    }

    #[test]
    fn it_is_asked_once_a_second_at_most_and_the_stretch_is_the_true_one() {
        let (_dir, roots) = machine();
        let mut page = Page::default();
        record(&roots, &page);
        let mut ebs = open_with(&roots, &named(&["nvme0n1"]), recorded(&roots)).unwrap();
        page.exceeded[0] = 750_000;
        record(&roots, &page);
        assert!(sample(ebs.as_mut(), Nanos::from_millis(500)).is_empty());
        let later = sample(ebs.as_mut(), Nanos::from_secs(1));
        assert_eq!(later[0], ("ebs.nvme0n1.volume_iops_exceeded".to_owned(), 50.0));
        // The machine was suspended: counts during that time do not belong to any interval.
        page.exceeded[0] = 9_000_000;
        record(&roots, &page);
        ebs.forget();
        assert_eq!(sample(ebs.as_mut(), SECOND)[0].1, 0.0);
    }

    #[test]
    fn a_page_that_fails_leaves_a_gap_and_a_volume_attached_anew_begins_again() {
        let (_dir, roots) = machine();
        let page = |exceeded: u64| Page { exceeded: [exceeded, 0, 0, 0], ..Page::default() };
        record(&roots, &page(900_000));
        let mut ebs = open_with(&roots, &named(&["nvme0n1"]), recorded(&roots)).unwrap();
        fs::write(roots.root.join("dev/nvme0n1"), b"short").unwrap();
        assert!(sample(ebs.as_mut(), SECOND).is_empty());
        record(&roots, &page(1_000_000));
        assert!(sample(ebs.as_mut(), SECOND).is_empty(), "by how much it grew in this second is unknown");
        record(&roots, &page(4));
        assert!(sample(ebs.as_mut(), SECOND).is_empty());
        record(&roots, &page(500_004));
        assert_eq!(sample(ebs.as_mut(), SECOND)[0].1, 50.0);
    }

    #[test]
    fn without_a_volume_nothing_is_asked_and_one_that_may_not_be_asked_says_why() {
        of_linux!();
        let (_dir, roots) = machine();
        let never = |name: &str| -> io::Result<Vec<u8>> { panic!("{name} was asked") };
        let mut none = open_with(&roots, &named(&["nvme1n1", "sda", "vda"]), never).unwrap();
        assert!(sample(none.as_mut(), SECOND).is_empty());
        let denied = |_: &str| Err(io::Error::from_raw_os_error(13));
        let reason = open_with(&roots, &named(&["nvme0n1"]), denied).err().expect("it was denied");
        assert!(reason.contains("nvme0n1") && reason.contains("Permission denied"), "{reason:?}");
        // A regular file does not accept the command.
        record(&roots, &Page::default());
        assert!(open(&roots, &named(&["nvme0n1"])).is_err());
    }

    #[test]
    fn a_watch_of_all_disks_takes_in_volumes_that_come_later() {
        let (dir, roots) = machine();
        record(&roots, &Page::default());
        fs::remove_file(dir.path().join("sys/block/nvme0n1/device/model")).unwrap();
        let subjects = Subjects { more: MoreDisks::Own, ..Subjects::default() };
        let mut ebs = open_with(&roots, &subjects, recorded(&roots)).unwrap();
        fs::write(dir.path().join("sys/block/nvme0n1/device/model"), "Amazon Elastic Block Store\n").unwrap();
        assert!(sample(ebs.as_mut(), SECOND).is_empty());
        assert!(sample(ebs.as_mut(), NEW_VOLUMES).is_empty(), "the first reading");
        assert_eq!(sample(ebs.as_mut(), SECOND).len(), 5);
    }
}
