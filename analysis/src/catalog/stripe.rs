//! Several equal volumes used as one (LVM, RAID 0): `4*gp3:size=250GiB,iops=4000,stripe=64KiB`. Requests are spread
//! evenly, so the caps, buckets and prices of the volumes add up. A stripe unit splits larger requests, so that they
//! count as several operations.

use super::error::SettingsError;
use model::bounds::{Burst, BurstLasts, Charging, LimitSource};
use model::judged::MonthlyPrice;
use model::{Bytes, BytesPerSecond, Iops, Limit};

/// Maximum number of volumes in a stripe set.
pub const MOST_VOLUMES: u32 = 128;

/// Number of volumes in a specification, and their stripe unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stripes {
    count: u32,
    unit: Option<Bytes>,
}

impl Stripes {
    /// Splits `4*gp3:size=250GiB` into 4 and the rest; the number is 1 if there is none.
    pub fn split(text: &str) -> Result<(Self, &str), SettingsError> {
        let Some((count, rest)) = text.split_once('*').filter(|(count, _)| !count.contains([':', '/', '-', '@']))
        else {
            return Ok((Stripes::unnamed(1), text));
        };
        let number = count.trim().parse().ok().filter(|n| (1..=MOST_VOLUMES).contains(n));
        let count = number.ok_or_else(|| SettingsError::Volumes(count.to_owned()))?;
        Ok((Stripes::unnamed(count), rest))
    }

    /// Returns this number of volumes, with an unknown stripe unit.
    pub const fn unnamed(count: u32) -> Self {
        Stripes { count, unit: None }
    }

    /// Sets the stripe unit, as in the settings of a volume.
    pub fn with_unit(self, text: Option<&str>) -> Result<Self, SettingsError> {
        let Some(text) = text else { return Ok(self) };
        if self.count == 1 {
            return Err(SettingsError::StripeOfOne);
        }
        let unit: Bytes = text.parse().map_err(SettingsError::Stripe)?;
        if unit.as_u64() < 512 || !unit.as_u64().is_power_of_two() {
            return Err(SettingsError::StripeUnit(unit));
        }
        Ok(Stripes { unit: Some(unit), ..self })
    }

    /// Returns `true` if there are several volumes.
    pub const fn is_set(self) -> bool {
        self.count > 1
    }

    /// Returns the name of the set, given that of one volume with its settings.
    pub fn row(self, one: &str) -> String {
        let stripe = self.unit.map(|unit| format!(",stripe={unit}").replace(' ', "")).unwrap_or_default();
        format!("{}*{one}{stripe}", self.count)
    }

    /// Returns a note if the stripe unit is unknown.
    pub fn note(self) -> Option<String> {
        let note = "requests larger than the stripe unit count as several: name it with stripe=64KiB";
        self.unit.is_none().then(|| note.to_owned())
    }

    /// Returns the price of the set.
    pub fn price(self, one: MonthlyPrice) -> MonthlyPrice {
        MonthlyPrice { amount: one.amount * f64::from(self.count), ..one }
    }

    /// Returns a limit of the set; `row` is its name.
    pub fn limit(self, limit: Limit, row: &str) -> Limit {
        let n = f64::from(self.count);
        let burst = |burst: Burst| Burst {
            rate: burst.rate * n,
            lasts: match burst.lasts {
                BurstLasts::Bucket { capacity } => BurstLasts::Bucket { capacity: capacity * n },
                time @ BurstLasts::Time { .. } => time,
            },
        };
        let charging = match (limit.charging, self.unit) {
            (Some(c), Some(unit)) if !c.whole => Some(Charging { unit: c.unit.min(unit), ..c }),
            (None, Some(unit)) => Some(Charging { unit, merges: false, whole: false }),
            (charging, _) => charging,
        };
        Limit {
            name: format!("{}*{}", self.count, limit.name),
            source: match limit.source {
                LimitSource::Catalog { source, date, .. } => LimitSource::Catalog { source, date, row: row.to_owned() },
                other => other,
            },
            iops: limit.iops.map(|v| Iops(v.per_second() * n)),
            bandwidth: limit.bandwidth.map(|v| BytesPerSecond(v.per_second() * n)),
            burst_iops: limit.burst_iops.map(burst),
            burst_bandwidth: limit.burst_bandwidth.map(burst),
            charging,
            ..limit
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::{Catalog, Resolved};
    use model::Bytes;
    use model::bounds::BurstLasts;

    fn resolve(text: &str) -> Result<Resolved, String> {
        Catalog::shipped().resolve_volume(text).map_err(|e| e.to_string())
    }

    #[test]
    fn caps_buckets_and_prices_add_up() {
        let (one, four) =
            (resolve("gp3:size=250GiB,iops=4000").unwrap(), resolve("4*gp3:size=250GiB,iops=4000").unwrap());
        assert_eq!(four.row, format!("4*{}", one.row));
        let caps = |r: &Resolved| (r.limits[0].iops.unwrap().per_second(), r.limits[0].bandwidth.unwrap().per_second());
        assert_eq!(caps(&four), (caps(&one).0 * 4.0, caps(&one).1 * 4.0));
        assert_eq!(four.price.unwrap().amount, one.price.unwrap().amount * 4.0);
        let burst = |text: &str| resolve(text).unwrap().limits[0].burst_iops.unwrap();
        let (one, two) = (burst("gp2:size=100GiB"), burst("2*aws/gp2:size=100GiB"));
        let capacity = |lasts| if let BurstLasts::Bucket { capacity } = lasts { capacity } else { f64::NAN };
        assert_eq!((two.rate, capacity(two.lasts)), (one.rate * 2.0, capacity(one.lasts) * 2.0));
        assert_eq!(resolve(&four.row).unwrap().row, four.row, "the row can be given again");
    }

    #[test]
    fn a_stripe_unit_splits_larger_requests() {
        let charged = |text: &str| {
            let limit = resolve(text).unwrap().limits.remove(0);
            limit.charged(model::bounds::LimitAxis::Iops, 262_144.0, false)
        };
        assert_eq!(charged("4*gp3:size=250GiB"), 1.0);
        assert_eq!(charged("4*gp3:size=250GiB,stripe=64KiB"), 4.0);
        assert_eq!(charged("4*gp3:size=250GiB,stripe=1MiB"), 1.0, "the unit of the volume is smaller");
        assert_eq!(Bytes::from_kib(64).to_string().replace(' ', ""), "64KiB");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("0*gp3:size=1GiB", "1 to 128"),
            ("x*gp3:size=1GiB", "1 to 128"),
            ("gp3:size=1GiB,stripe=64KiB", "several volumes"),
            ("2*gp3:size=1GiB,stripe=3KiB", "power of two"),
            ("2*gp33:size=1GiB", "did you mean `gp3`?"),
            ("2*pd-ssd:size=100GiB", "total size"),
        ] {
            let wrong = resolve(text).unwrap_err();
            assert!(wrong.contains(part), "{text}: {wrong}");
        }
    }
}
