//! Specifications of purchases (`gp3:size=2000GiB,iops=6000,mbps=125` or `m4.xlarge`), resolved to limits.

use super::age::{above_published, may_have_risen};
use super::error::{LookupError, Offered, Published, ResolveError, RowKind, SettingsError};
use super::row::{
    BaseMax, BurstRow, DirectionCaps, DirectionLimits, Figure, Instance, Lasts, Origin, Raises, Unit, Volume,
};
use super::stripe::Stripes;
use super::{Catalog, formula::Formula, near};
use messages::sentence;
use model::bounds::{Burst, BurstLasts, LimitAxis, LimitScope, LimitSource};
use model::judged::{LatencyClass, MonthlyPrice};
use model::units::{nearest, thousands};
use model::{Bytes, BytesPerSecond, Iops, Limit, Op, Sentence};

/// A purchase with its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// Row with all settings: `aws/gp3:size=2000GiB,iops=6000,mbps=125`.
    pub row: String,
    /// Limits on all operations, on reads, and on writes.
    pub limits: Vec<Limit>,
    /// Further notes.
    pub notes: Vec<String>,
    /// Doubts about given values above the maximum of an old row.
    pub doubts: Vec<Sentence>,
    /// Source of the figures.
    pub origin: Origin,
    /// True if the device is inside the host, so that the instance's caps do not apply to it.
    pub local: bool,
    /// Axis whose figures measurements contradict, although a document has them.
    pub unconfirmed: Option<LimitAxis>,
    /// Latency as the vendor describes it.
    pub latency: Option<LatencyClass>,
    /// Price, if known.
    pub price: Option<MonthlyPrice>,
}

impl Resolved {
    /// Returns the limits that results are compared with: without the figures that measurements contradict, because
    /// these would only produce ties and excesses.
    #[must_use]
    pub fn confirmed(&self) -> Vec<Limit> {
        let without = |limit: &Limit| match self.unconfirmed {
            None => limit.clone(),
            Some(LimitAxis::Iops) => Limit { iops: None, burst_iops: None, ..limit.clone() },
            Some(LimitAxis::Bandwidth) => Limit { bandwidth: None, burst_bandwidth: None, ..limit.clone() },
        };
        let limits = self.limits.iter().map(without);
        limits.filter(|limit| limit.iops.is_some() || limit.bandwidth.is_some()).collect()
    }

    /// Returns a remark about figures that results are not compared with.
    #[must_use]
    pub fn unconfirmed_remark(&self) -> Option<Sentence> {
        let axis = self.unconfirmed?;
        let limit = self.limits.iter().find(|limit| limit.cap(axis).is_some())?;
        Some(sentence!("limit-unconfirmed", limit = limit.axis_name(axis)))
    }
}

/// A name with the settings that follow it.
struct Asked<'a> {
    name: &'a str,
    settings: Vec<(&'a str, &'a str)>,
}

impl<'a> Asked<'a> {
    fn parse(text: &'a str) -> Result<Self, SettingsError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        Self::settings(name.trim(), rest)
    }

    fn settings(name: &'a str, rest: &'a str) -> Result<Self, SettingsError> {
        let mut settings: Vec<(&str, &str)> = Vec::new();
        for part in rest.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| SettingsError::NoPair(part.to_owned()))?;
            if settings.iter().any(|(k, _)| *k == key.trim()) {
                return Err(SettingsError::Twice(key.trim().to_owned()));
            }
            settings.push((key.trim(), value.trim()));
        }
        Ok(Asked { name, settings })
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.settings.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)
    }

    /// Removes a setting and returns its value.
    fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.settings.iter().position(|(k, _)| *k == key)?;
        Some(self.settings.remove(at).1)
    }

    fn only(&self, known: &[&str]) -> Result<(), SettingsError> {
        match self.settings.iter().find(|(k, _)| !known.contains(k)) {
            None => Ok(()),
            Some((key, _)) if known.is_empty() => Err(SettingsError::NothingToSet((*key).to_owned())),
            Some((key, _)) => Err(SettingsError::UnknownKey {
                key: (*key).to_owned(),
                known: known.iter().map(|k| (*k).to_owned()).collect(),
                nearest: nearest(key, known.iter().copied()).map(str::to_owned),
            }),
        }
    }
}

impl Catalog {
    /// Returns the row of a kind of volume: `gp3`, or `aws/gp3`.
    ///
    /// # Errors
    /// Returns an error if the name does not identify one row, with the nearest name or the candidates.
    pub fn volume(&self, name: &str) -> Result<&Volume, LookupError> {
        let rows = self.volumes.iter().map(|v| (v.provider.as_str(), v.kind.as_str(), v));
        find(RowKind::Volume, name, rows)
    }

    /// Returns the row of a type of instance: `m4.xlarge`, or `aws/m4.xlarge`.
    ///
    /// # Errors
    /// As [`Catalog::volume`].
    pub fn instance(&self, name: &str) -> Result<&Instance, LookupError> {
        let rows = self.instances.iter().map(|i| (i.provider.as_str(), i.kind.as_str(), i));
        find(RowKind::Instance, name, rows)
    }

    /// Returns the name of the row that an unknown name most likely means.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let volumes = self.volumes.iter().map(|v| v.kind.as_str());
        let kinds: Vec<&str> = volumes.chain(self.instances.iter().map(|i| i.kind.as_str())).collect();
        near::nearest_name(name, &kinds)
    }

    /// Resolves a volume: `gp3:size=2000GiB,iops=6000,mbps=125`. Bare numbers are in the row's own units. `4*gp3:...` is
    /// a stripe set of four such volumes.
    ///
    /// # Errors
    /// Returns the mistake, with the allowed values or the nearest name.
    pub fn resolve_volume(&self, text: &str) -> Result<Resolved, ResolveError> {
        let said = |why| ResolveError::Settings { kind: RowKind::Volume, text: text.to_owned(), why };
        let (stripes, one) = Stripes::split(text).map_err(said)?;
        let mut asked = Asked::parse(one).map_err(said)?;
        let volume = self.volume(asked.name)?;
        let stripes = stripes.with_unit(asked.take("stripe")).map_err(said)?;
        if stripes.is_set() && volume.shared {
            return Err(said(SettingsError::Shared));
        }
        Ok(striped(stripes, volume_of(volume, &asked, self.today.as_deref()).map_err(said)?))
    }

    /// Returns `count` volumes of a row with these settings, such as `size=100,iops=4000`; `None` if they are not sold.
    pub(crate) fn configure(&self, volume: &Volume, count: u32, settings: &str) -> Option<Resolved> {
        let asked = Asked::settings("", settings).ok()?;
        Some(striped(Stripes::unnamed(count), volume_of(volume, &asked, self.today.as_deref()).ok()?))
    }

    /// Resolves an instance: `m4.xlarge`.
    ///
    /// # Errors
    /// As [`Catalog::resolve_volume`].
    pub fn resolve_instance(&self, text: &str) -> Result<Resolved, ResolveError> {
        let said = |why| ResolveError::Settings { kind: RowKind::Instance, text: text.to_owned(), why };
        let asked = Asked::parse(text).map_err(said)?;
        let instance = self.instance(asked.name)?;
        instance_of(instance, &asked).map_err(said)
    }
}

impl Instance {
    /// Returns the instance with its limits; `None` if it is not sold without settings.
    pub(crate) fn resolved(&self) -> Option<Resolved> {
        instance_of(self, &Asked { name: "", settings: Vec::new() }).ok()
    }
}

/// Returns the only row with this name. With a provider the name is unique; without one it may be ambiguous.
fn find<'a, T>(
    kind: RowKind,
    name: &str,
    rows: impl Iterator<Item = (&'a str, &'a str, &'a T)> + Clone,
) -> Result<&'a T, LookupError> {
    let (start, rest) = name.split_once('/').unwrap_or_default();
    let named = |provider: &str, row: &str| {
        stands_for(row, name) || start.eq_ignore_ascii_case(provider) && stands_for(row, rest)
    };
    let matches: Vec<_> = rows.clone().filter(|(provider, row, _)| named(provider, row)).collect();
    let full = |(provider, row, _): (&str, &str, &T)| format!("{provider}/{row}");
    match matches.as_slice() {
        [(_, _, row)] => Ok(row),
        [] => {
            let name = name.to_owned();
            let is_variant = |row: &&str| row.split_once('@').is_some_and(|(row, _)| stands_for(row, &name));
            let shorts = rows.clone().map(|(_, row, _)| row);
            let variants: Vec<String> = shorts.clone().filter(is_variant).map(str::to_owned).collect();
            if !variants.is_empty() {
                return Err(LookupError::Variants { kind, name, variants });
            }
            let fulls: Vec<String> = rows.map(full).collect();
            let names: Vec<&str> = fulls.iter().map(String::as_str).zip(shorts).flat_map(|(a, b)| [a, b]).collect();
            let nearest = near::nearest_name(&name, &names).map(str::to_owned);
            Err(LookupError::Unknown { kind, nearest, name })
        }
        several => {
            let names = several.iter().copied().map(full).collect();
            Err(LookupError::Ambiguous { kind, name: name.to_owned(), names })
        }
    }
}

/// Returns `true` if a row matches this name: case is ignored, and a `*` in the row's name matches any text.
fn stands_for(row: &str, name: &str) -> bool {
    let Some((before, after)) = row.split_once('*') else { return row.eq_ignore_ascii_case(name) };
    let (row, name) = ((before.to_ascii_lowercase(), after.to_ascii_lowercase()), name.to_ascii_lowercase());
    let between = name.strip_prefix(&row.0).and_then(|rest| rest.strip_suffix(&row.1));
    between.is_some_and(|word| !word.is_empty() && !word.contains(['/', '@']))
}

/// Values of the names that a formula may use.
pub(super) struct Known<'a> {
    pub size: f64,
    pub iops: f64,
    pub others: &'a [(String, f64)],
}

impl Known<'_> {
    pub fn evaluate(&self, formula: &Formula) -> f64 {
        formula.value(&|name| match name {
            "size" => self.size,
            "iops" => self.iops,
            other => self.others.iter().find(|(n, _)| n == other).map_or(f64::NAN, |(_, v)| *v),
        })
    }
}

/// Returns several volumes as one.
fn striped(stripes: Stripes, one: Resolved) -> Resolved {
    if !stripes.is_set() {
        return one;
    }
    let row = stripes.row(&one.row);
    let limits = one.limits.into_iter().map(|limit| stripes.limit(limit, &row)).collect();
    let notes = one.notes.into_iter().chain(stripes.note()).collect();
    Resolved { price: one.price.map(|price| stripes.price(price)), row, limits, notes, ..one }
}

fn volume_of(v: &Volume, asked: &Asked, today: Option<&str>) -> Result<Resolved, SettingsError> {
    let mut above = Above { holds: !today.is_some_and(|day| may_have_risen(&v.origin, day)), doubts: Vec::new() };
    let set = |figure: &Option<Figure>| matches!(figure, Some(Figure::Chosen { .. }));
    let mut keys: Vec<&str> = vec!["size"];
    if set(&v.iops) {
        keys.push("iops");
    }
    if set(&v.bandwidth) {
        keys.push("mbps");
    }
    keys.extend(v.parameters.iter().map(|p| p.name.as_str()));
    for (key, is_set, figure) in [("iops", set(&v.iops), "IOPS"), ("mbps", set(&v.bandwidth), "bandwidth")] {
        if asked.get(key).is_some() && !is_set {
            return Err(SettingsError::NotChosen { figure, why: follows(v, key) });
        }
    }
    asked.only(&keys)?;
    let size = size(v, asked.get("size"), &mut above)?;
    let others = parameters(v, asked)?;
    let mut known = Known { size, iops: f64::NAN, others: &others };
    if let Some(figure) = &v.iops {
        let given = asked
            .get("iops")
            .map(|t| t.parse::<Iops>().map(|i| i.per_second()).map_err(SettingsError::Iops))
            .transpose()?;
        known.iops = chosen(v, "iops", figure, given, &known, &mut above)?;
    }
    let unit = v.bandwidth_unit;
    let bandwidth = match &v.bandwidth {
        None => None,
        Some(figure) => {
            let given = asked.get("mbps").map(|t| bandwidth_in(t, unit)).transpose()?;
            Some(chosen(v, "mbps", figure, given, &known, &mut above)?)
        }
    };
    let row = printed(v, &known, bandwidth);
    let mut limits = Vec::new();
    let blank = || Limit {
        scope: LimitScope::Volume,
        charging: v.charging,
        promised: v.promised,
        ..Limit::new(format!("{} volume", v.kind), catalog_source(&v.origin, &row))
    };
    if v.iops.is_some() || bandwidth.is_some() {
        let iops = v.iops.as_ref().map(|_| known.iops);
        limits.push(Limit {
            iops: iops.map(Iops),
            bandwidth: bandwidth.map(|b| BytesPerSecond(b * unit.bytes)),
            burst_iops: v.burst_iops.as_ref().map(|b| burst(b, &known, 1.0)),
            burst_bandwidth: v.burst_bandwidth.as_ref().map(|b| burst(b, &known, unit.bytes)),
            ..blank()
        });
    }
    for (op, DirectionLimits { iops, bandwidth }) in [(Op::Read, &v.read), (Op::Write, &v.write)] {
        if iops.is_some() || bandwidth.is_some() {
            limits.push(Limit {
                op: Some(op),
                iops: iops.as_ref().map(|f| Iops(known.evaluate(f))),
                bandwidth: bandwidth.as_ref().map(|f| BytesPerSecond(known.evaluate(f) * unit.bytes)),
                ..blank()
            });
        }
    }
    for limit in &mut limits {
        let caps = [limit.cap(LimitAxis::Iops), limit.cap(LimitAxis::Bandwidth)];
        if let Some(cap) = caps.into_iter().flatten().find(|c| !(c.is_finite() && *c > 0.0)) {
            return Err(SettingsError::Cap { cap, file: v.origin.file.clone(), line: v.origin.line });
        }
        limit.burst_iops = limit.burst(LimitAxis::Iops);
        limit.burst_bandwidth = limit.burst(LimitAxis::Bandwidth);
    }
    let doubts = above.doubts;
    let price = v.price.as_ref().map(|price| MonthlyPrice {
        amount: {
            let iops = if v.iops.is_some() { known.iops } else { 0.0 };
            price.for_volume(known.evaluate(&price.size), size, iops, bandwidth.unwrap_or(0.0))
        },
        currency: price.currency.clone(),
        region: price.region.clone(),
        source: price.origin.source.clone(),
        date: price.origin.date.clone(),
    });
    Ok(Resolved {
        row,
        limits,
        notes: v.notes.clone(),
        doubts,
        origin: v.origin.clone(),
        local: v.local,
        unconfirmed: v.unconfirmed,
        latency: v.latency,
        price,
    })
}

/// Handling of values above the published maximum.
struct Above {
    /// True if the maximum applies, because the row is recent enough.
    holds: bool,
    /// Doubts about values above the maximum that were used anyway.
    doubts: Vec<Sentence>,
}

/// Returns the reason why a figure cannot be set.
fn follows(v: &Volume, key: &str) -> String {
    let (figure, sides) = match key {
        "iops" => (&v.iops, [&v.read.iops, &v.write.iops]),
        _ => (&v.bandwidth, [&v.read.bandwidth, &v.write.bandwidth]),
    };
    match figure {
        Some(Figure::Fixed(Formula::Number(n))) => format!("it is {}", thousands(*n)),
        Some(Figure::Fixed(f)) => format!("it is {f}"),
        _ if sides.iter().any(|s| s.is_some()) => "it is published separately for reads and writes".to_owned(),
        _ => "none is published (declare one with --limit)".to_owned(),
    }
}

pub(super) fn catalog_source(origin: &Origin, row: &str) -> LimitSource {
    LimitSource::Catalog { source: origin.source.clone(), date: origin.date.clone(), row: row.to_owned() }
}

/// Returns the size in the row's unit.
fn size(v: &Volume, given: Option<&str>, above: &mut Above) -> Result<f64, SettingsError> {
    let unit = v.size_unit;
    let Some(text) = given else {
        return match v.fixed_size() {
            Some(size) => Ok(size),
            None if !v.sized => Ok(v.size.0.unwrap_or(1.0)),
            None => Err(SettingsError::NoSize { unit: unit.name }),
        };
    };
    let bare = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let size = match text.parse::<f64>() {
        Ok(number) if bare => number,
        _ => text.parse::<Bytes>().map_err(SettingsError::Size)?.as_u64() as f64 / unit.bytes,
    };
    let print = |v: f64| unit.print(v * unit.bytes);
    match v.size {
        (Some(least), Some(most)) if least == most && size != least => {
            Err(SettingsError::OtherSize { given: print(size), only: print(least) })
        }
        (Some(least), _) if size < least => Err(SettingsError::TooSmall { given: print(size), least: print(least) }),
        (_, Some(most)) if size > most && above.holds => {
            Err(SettingsError::TooLarge { given: print(size), most: print(most), published: published(v) })
        }
        (_, Some(most)) if size > most => {
            above.doubts.push(above_published(&v.origin, format!("{} size {}", v.name(), print(size)), print(most)));
            Ok(size)
        }
        _ if size <= 0.0 => Err(SettingsError::SizeZero),
        _ => Ok(size),
    }
}

fn published(v: &Volume) -> Published {
    Published(v.origin.date.clone())
}

fn parameters(v: &Volume, asked: &Asked) -> Result<Vec<(String, f64)>, SettingsError> {
    let one = |p: &super::row::Parameter| {
        let (name, offered) = (|| p.name.clone(), || p.values.clone());
        let missing = || SettingsError::NoParameter { name: name(), offered: offered() };
        let text = asked.get(&p.name).ok_or_else(missing)?;
        let value = text.parse::<f64>().ok().filter(|n| p.values.contains(n));
        let other = || SettingsError::Parameter { name: name(), given: text.to_owned(), offered: offered() };
        let value = value.ok_or_else(other)?;
        Ok((p.name.clone(), value))
    };
    v.parameters.iter().map(one).collect()
}

/// Returns a bandwidth in the row's unit. The text is either a bare number in that unit or a number with a unit.
fn bandwidth_in(text: &str, unit: Unit) -> Result<f64, SettingsError> {
    if let Some(number) = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0) {
        return Ok(number);
    }
    let value: BytesPerSecond = text.parse().map_err(SettingsError::Bandwidth)?;
    Ok(value.per_second() / unit.bytes)
}

fn chosen(
    v: &Volume,
    key: &'static str,
    figure: &Figure,
    given: Option<f64>,
    known: &Known,
    above: &mut Above,
) -> Result<f64, SettingsError> {
    match figure {
        Figure::Fixed(f) => Ok(known.evaluate(f)),
        Figure::Chosen { default, min, max } => {
            let (least, most) = (known.evaluate(min), known.evaluate(max));
            let offered = Offered { least, most };
            let value = given.or_else(|| default.as_ref().map(|f| known.evaluate(f)));
            let value = value.ok_or(SettingsError::NoFigure { key, offered })?;
            // The default may be more than the maximum at this size.
            let most = most.max(default.as_ref().map_or(0.0, |f| known.evaluate(f)));
            let too_much = value > most * 1.000_001;
            if too_much && !above.holds && value.is_finite() {
                let unit = if key == "iops" { "IOPS" } else { v.bandwidth_unit.name };
                let said = |value: f64| format!("{} {unit}", thousands(value));
                above.doubts.push(above_published(&v.origin, format!("{} {}", v.name(), said(value)), said(most)));
            } else if value < least * 0.999_999 || too_much {
                let at = match (known.size.is_finite() && v.sized, key) {
                    (_, "mbps") if max.names("iops") => format!(" at {} IOPS", thousands(known.iops)),
                    (true, _) if max.names("size") => {
                        format!(" at {}", v.size_unit.print(known.size * v.size_unit.bytes))
                    }
                    _ => String::new(),
                };
                return Err(SettingsError::Figure { key, value, offered, at, published: published(v) });
            }
            Ok(value)
        }
    }
}

fn printed(v: &Volume, known: &Known, bandwidth: Option<f64>) -> String {
    let mut parts = Vec::new();
    if v.sized || v.fixed_size().is_some() {
        parts.push(format!("size={}{}", known.size, v.size_unit.name));
    }
    parts.extend(known.others.iter().map(|(name, value)| format!("{name}={value}")));
    if matches!(v.iops, Some(Figure::Chosen { .. })) {
        parts.push(format!("iops={}", known.iops));
    }
    if let (Some(Figure::Chosen { .. }), Some(bandwidth)) = (&v.bandwidth, bandwidth) {
        parts.push(format!("mbps={bandwidth}"));
    }
    let settings = if parts.is_empty() { String::new() } else { format!(":{}", parts.join(",")) };
    format!("{}{settings}", v.name())
}

fn burst(row: &BurstRow, known: &Known, unit: f64) -> Burst {
    Burst {
        rate: known.evaluate(&row.rate) * unit,
        lasts: match &row.lasts {
            Lasts::Bucket(f) => BurstLasts::Bucket { capacity: known.evaluate(f) * unit },
            Lasts::Time { time, every } => BurstLasts::Time { time: *time, every: *every },
        },
    }
}

fn instance_of(i: &Instance, asked: &Asked) -> Result<Resolved, SettingsError> {
    let mut keys: Vec<&str> = Vec::new();
    if i.volume_share.is_some() {
        keys.push("share");
    }
    if !i.weightings.is_empty() {
        keys.push("weighting");
    }
    asked.only(&keys)?;
    let mut settings: Vec<String> = Vec::new();
    let mut bandwidth = i.bandwidth;
    if let Some(name) = asked.get("weighting")
        && name != UNWEIGHTED
    {
        bandwidth = Some(weighted(i, name)?);
        settings.push(format!("weighting={name}"));
    }
    if let Some(usual) = i.volume_share {
        let share = match asked.get("share") {
            None => usual,
            Some(text) => text
                .parse::<f64>()
                .ok()
                .filter(|s| *s > 0.0 && *s <= 1.0)
                .ok_or_else(|| SettingsError::Share(text.to_owned()))?,
        };
        settings.push(format!("share={share}"));
        let reserved = i.reserved.map_or(0.0, |r| r.per_second());
        let left = |total: f64| (total * share - reserved).max(0.0);
        bandwidth = bandwidth.map(|b| BaseMax { base: left(b.base), max: left(b.max) });
    }
    let behind = if settings.is_empty() { String::new() } else { format!(":{}", settings.join(",")) };
    let row = format!("{}{behind}", i.name());
    let burst = |level: BaseMax| {
        let (time, every) = i.burst.filter(|_| level.bursts())?;
        Some(Burst { rate: level.max, lasts: BurstLasts::Time { time, every } })
    };
    let both = DirectionCaps { iops: i.iops, bandwidth };
    let directions = [(None, both), (Some(Op::Read), i.read), (Some(Op::Write), i.write)];
    let capped = directions.into_iter().filter(|(_, caps)| caps.iops.is_some() || caps.bandwidth.is_some());
    let limits = capped.map(|(op, caps)| Limit {
        op,
        iops: caps.iops.map(|l| Iops(l.base)),
        bandwidth: caps.bandwidth.map(|l| BytesPerSecond(l.base)),
        scope: LimitScope::Instance,
        charging: i.charging,
        promised: i.promised,
        burst_iops: caps.iops.and_then(burst),
        burst_bandwidth: caps.bandwidth.and_then(burst),
        ..Limit::new(format!("{} instance", i.kind), catalog_source(&i.origin, &row))
    });
    let limits = limits.collect();
    let (notes, origin) = (i.notes.clone(), i.origin.clone());
    Ok(Resolved {
        row,
        limits,
        notes,
        doubts: Vec::new(),
        origin,
        local: false,
        unconfirmed: None,
        latency: None,
        price: None,
    })
}

/// Name of an instance's default weighting.
const UNWEIGHTED: &str = "default";

/// Returns the bandwidth available to volumes with this weighting. A weighting always moves the baseline, but moves the
/// maximum only if the row specifies it. The maximum is never below the baseline.
fn weighted(i: &Instance, name: &str) -> Result<BaseMax, SettingsError> {
    let names = || std::iter::once(UNWEIGHTED).chain(i.weightings.iter().map(|w| w.name.as_str()));
    let other = || SettingsError::Weighting {
        given: name.to_owned(),
        offered: names().map(str::to_owned).collect(),
        nearest: nearest(name, names()).map(str::to_owned),
    };
    let (Some(weighting), Some(usual)) = (i.weightings.iter().find(|w| w.name == name), i.bandwidth) else {
        return Err(other());
    };
    let moved = match weighting.raises {
        Raises::Volumes(share) => share * usual.base,
        Raises::Network(share) => -share * i.network.unwrap_or(0.0),
    };
    let base = usual.base + moved;
    if base <= 0.0 {
        return Err(SettingsError::Cap { cap: base, file: i.origin.file.clone(), line: i.origin.line });
    }
    let max = if weighting.moves_maximum { usual.max + moved } else { usual.max };
    Ok(BaseMax { base, max: max.max(base) })
}
