//! Configurations of one kind of volume: the smallest that is enough, and the largest that is sold.

use crate::catalog::row::{BaseMax, Figure, Instance, Volume};
use crate::catalog::{Catalog, Resolved};
use model::Bytes;

/// A kind of volume with its other parameters, and the number of volumes that are used as one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind<'a> {
    pub catalog: &'a Catalog,
    pub volume: &'a Volume,
    /// Parameters as in a specification: `,tier=4`.
    pub parameters: &'a str,
    pub count: u32,
}

/// Maximum size to try if none is published, in the row's unit.
const LARGEST: f64 = 65_536.0;

/// Returns every combination of the other parameters, as text for a specification.
pub(super) fn choices(volume: &Volume) -> Vec<String> {
    let mut combinations = vec![String::new()];
    for p in &volume.parameters {
        combinations =
            combinations.iter().flat_map(|a| p.values.iter().map(move |v| format!("{a},{}={v}", p.name))).collect();
    }
    combinations
}

impl Kind<'_> {
    /// Returns the largest capacity that is sold.
    pub fn largest(&self) -> Bytes {
        let size = self.volume.size.1.unwrap_or(LARGEST);
        Bytes((size * self.volume.size_unit.bytes * f64::from(self.count)) as u64)
    }

    /// Returns the smallest size with the capacity; `None` if there is none.
    fn first_size(&self, capacity: Bytes) -> Option<f64> {
        let least = self.volume.size.0.unwrap_or(1.0);
        let wanted = (capacity.as_u64() as f64 / f64::from(self.count) / self.volume.size_unit.bytes).ceil();
        (wanted <= self.volume.size.1.unwrap_or(LARGEST)).then_some(least.max(wanted))
    }

    fn with(&self, size: f64, iops: Option<f64>, mbps: Option<f64>) -> Option<Resolved> {
        let set = |key: &str, value: Option<f64>| value.map_or_else(String::new, |v| format!(",{key}={v}"));
        let settings = format!("size={size}{}{}{}", self.parameters, set("iops", iops), set("mbps", mbps));
        self.catalog.configure(self.volume, self.count, &settings)
    }

    /// Returns the smallest volume with the capacity, with default figures; `None` if there is none.
    pub fn plainest(&self, capacity: Bytes) -> Option<Resolved> {
        self.with(self.first_size(capacity)?, None, None)
    }

    /// Returns the configuration with all maxima at a size.
    fn widest_at(&self, size: f64) -> Option<Resolved> {
        let iops = self.range(&self.volume.iops, size, f64::NAN).map(|r| r.1);
        let mbps = self.range(&self.volume.bandwidth, size, iops.unwrap_or(f64::NAN)).map(|r| r.1);
        self.with(size, iops, mbps)
    }

    /// Returns the configuration with the highest caps that is sold.
    pub fn widest(&self) -> Option<Resolved> {
        self.widest_at(self.volume.size.1.unwrap_or(LARGEST))
    }

    /// Returns the smallest configuration for which `meets` is true, minimizing size, then IOPS, then bandwidth.
    pub fn smallest(&self, capacity: Bytes, meets: &dyn Fn(&Resolved) -> bool) -> Option<Resolved> {
        let volume = self.volume;
        let first = self.first_size(capacity)?;
        let most = volume.size.1.unwrap_or(LARGEST);
        let fits = |r: Option<Resolved>| r.filter(meets);
        let size = search(first, most, |size| fits(self.widest_at(size)).is_some())?;
        // Then IOPS: the fewest that allow sufficient bandwidth.
        let iops = match self.range(&volume.iops, size, f64::NAN) {
            None => None,
            Some((low, high)) => Some(search(low, high, |iops| {
                let mbps = self.range(&volume.bandwidth, size, iops).map(|r| r.1);
                fits(self.with(size, Some(iops), mbps)).is_some()
            })?),
        };
        let mbps = match self.range(&volume.bandwidth, size, iops.unwrap_or(f64::NAN)) {
            None => None,
            Some((low, high)) => Some(search(low, high, |mbps| fits(self.with(size, iops, Some(mbps))).is_some())?),
        };
        fits(self.with(size, iops, mbps))
    }

    /// Returns the range of a figure that the customer sets. A figure that depends on a parameter cannot be set as
    /// well.
    fn range(&self, figure: &Option<Figure>, size: f64, iops: f64) -> Option<(f64, f64)> {
        let Some(Figure::Chosen { min, max, default }) = figure else { return None };
        let value_of = |name: &str| match name {
            "size" => size,
            "iops" => iops,
            _ => f64::NAN,
        };
        let included = default.as_ref().map_or(0.0, |d| d.value(&value_of));
        Some((min.value(&value_of), max.value(&value_of).floor().max(included)))
    }
}

/// Returns the smallest value from which `fits` is true: `low` itself or an integer.
fn search(low: f64, high: f64, fits: impl Fn(f64) -> bool) -> Option<f64> {
    if fits(low) {
        return Some(low);
    }
    if high <= low || !fits(high) {
        return None;
    }
    let (mut no, mut yes) = (low.floor(), high.ceil());
    while yes - no > 1.0 {
        let middle = ((no + yes) / 2.0).floor();
        if fits(middle) { yes = middle } else { no = middle }
    }
    Some(yes.min(high))
}

/// Returns the order of instances: by bandwidth, then operations.
pub(super) fn weight(instance: &Instance) -> (f64, f64) {
    let base_of = |l: Option<BaseMax>| l.map_or(f64::INFINITY, |l| l.base);
    (base_of(instance.most_bandwidth()), base_of(instance.most_iops()))
}
