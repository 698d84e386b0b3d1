//! What the user bought, `gp3:size=2000GiB,iops=6000,mbps=125` or `m4.xlarge`, looked up and turned into limits.

use super::row::{BaseMax, BurstRow, DirectionLimits, Figure, Instance, Lasts, Origin, Unit, Volume};
use super::{Catalog, formula::Formula};
use model::{
    Burst, BurstLasts, Bytes, BytesPerSecond, Iops, Limit, LimitScope, LimitSource, Op, clip, nearest, thousands,
};

/// Something bought, with its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The row with everything set: `aws/gp3:size=2000GiB,iops=6000,mbps=125`.
    pub row: String,
    /// Its limits: on everything, on reads, on writes.
    pub limits: Vec<Limit>,
    /// What else to know.
    pub notes: Vec<String>,
    /// Where the figures are from.
    pub origin: Origin,
    /// Inside the host: an instance's caps do not touch it.
    pub local: bool,
}

/// A name and what is set behind it.
struct Asked<'a> {
    name: &'a str,
    settings: Vec<(&'a str, &'a str)>,
}

impl<'a> Asked<'a> {
    fn parse(text: &'a str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut settings: Vec<(&str, &str)> = Vec::new();
        for part in rest.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{}`: KEY=VALUE is expected behind the colon", clip(part)))?;
            if settings.iter().any(|(k, _)| *k == key.trim()) {
                return Err(format!("`{}` is given twice", clip(key.trim())));
            }
            settings.push((key.trim(), value.trim()));
        }
        Ok(Asked { name: name.trim(), settings })
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.settings.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)
    }

    fn only(&self, known: &[&str]) -> Result<(), String> {
        match self.settings.iter().find(|(k, _)| !known.contains(k)) {
            None => Ok(()),
            Some((key, _)) if known.is_empty() => Err(format!("`{}=`: nothing is set here", clip(key))),
            Some((key, _)) => {
                let hint =
                    nearest(key, known.iter().copied()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                Err(format!("`{}=` is not known here: {} are{hint}", clip(key), known.join(", ")))
            }
        }
    }
}

impl Catalog {
    /// The row of a kind of volume: `gp3`, or `aws/gp3`.
    ///
    /// # Errors
    /// One clause with the nearest name, or the ones it may mean.
    pub fn volume(&self, name: &str) -> Result<&Volume, String> {
        let all = self.volumes.iter().map(|v| (v.name(), v.kind.as_str(), v));
        find("volume", name, all.collect())
    }

    /// The row of a type of instance: `m4.xlarge`, or `aws/m4.xlarge`.
    ///
    /// # Errors
    /// As [`Catalog::volume`].
    pub fn instance(&self, name: &str) -> Result<&Instance, String> {
        let all = self.instances.iter().map(|i| (i.name(), i.kind.as_str(), i));
        find("instance", name, all.collect())
    }

    /// A volume as bought: `gp3:size=2000GiB,iops=6000,mbps=125`. Bare numbers are of the row's own units.
    ///
    /// # Errors
    /// One sentence: what is wrong, what is allowed, the nearest name.
    pub fn resolve_volume(&self, text: &str) -> Result<Resolved, String> {
        let said = |e: String| format!("volume `{}`: {e}", clip(text));
        let asked = Asked::parse(text).map_err(said)?;
        let volume = self.volume(asked.name)?;
        volume_of(volume, &asked).map_err(said)
    }

    /// An instance as bought: `m4.xlarge`.
    ///
    /// # Errors
    /// As [`Catalog::resolve_volume`].
    pub fn resolve_instance(&self, text: &str) -> Result<Resolved, String> {
        let said = |e: String| format!("instance `{}`: {e}", clip(text));
        let asked = Asked::parse(text).map_err(said)?;
        let instance = self.instance(asked.name)?;
        instance_of(instance, &asked).map_err(said)
    }
}

/// The one row of this name. With a provider it is one; without, it may be several.
fn find<'a, T>(what: &str, name: &str, all: Vec<(String, &'a str, &'a T)>) -> Result<&'a T, String> {
    let same = |a: &str| a.eq_ignore_ascii_case(name);
    let found: Vec<_> = all.iter().filter(|(full, kind, _)| same(full) || same(kind)).collect();
    match found.as_slice() {
        [(_, _, row)] => Ok(row),
        [] => {
            let variants: Vec<&str> = all
                .iter()
                .filter(|(_, kind, _)| kind.split_once('@').is_some_and(|(k, _)| same(k)))
                .map(|(_, kind, _)| *kind)
                .collect();
            let hint = if variants.is_empty() {
                nearest(name, all.iter().flat_map(|(full, kind, _)| [full.as_str(), *kind]))
                    .map_or_else(String::new, |n| format!("; did you mean `{n}`?"))
            } else {
                format!("; which of {}?", variants.join(", "))
            };
            Err(format!(
                "{what} `{}` is not in the catalogue{hint} (`secchi limits list` shows all; --catalog FILE adds more)",
                clip(name)
            ))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(full, _, _)| full.as_str()).collect();
            Err(format!("{what} `{}`: which of {}?", clip(name), names.join(", ")))
        }
    }
}

/// Values of the names a formula may speak of.
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

fn volume_of(v: &Volume, asked: &Asked) -> Result<Resolved, String> {
    let set = |figure: &Option<Figure>| matches!(figure, Some(Figure::Chosen { .. }));
    let mut keys: Vec<&str> = vec!["size"];
    if set(&v.iops) {
        keys.push("iops");
    }
    if set(&v.bandwidth) {
        keys.push("mbps");
    }
    keys.extend(v.parameters.iter().map(|p| p.name.as_str()));
    for (key, is_set, what) in [("iops", set(&v.iops), "IOPS"), ("mbps", set(&v.bandwidth), "bandwidth")] {
        if asked.get(key).is_some() && !is_set {
            return Err(format!("its {what} cannot be set: {}", follows(v, key)));
        }
    }
    asked.only(&keys)?;
    let size = size(v, asked.get("size"))?;
    let others = parameters(v, asked)?;
    let mut known = Known { size, iops: f64::NAN, others: &others };
    if let Some(figure) = &v.iops {
        let given = asked
            .get("iops")
            .map(|t| t.parse::<Iops>().map(|i| i.per_second()).map_err(|e| e.to_string()))
            .transpose()?;
        known.iops = chosen(v, "iops", figure, given, &known)?;
    }
    let unit = v.bandwidth_unit;
    let bandwidth = match &v.bandwidth {
        None => None,
        Some(figure) => {
            let given = asked.get("mbps").map(|t| bandwidth_in(t, unit)).transpose()?;
            Some(chosen(v, "mbps", figure, given, &known)?)
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
        let caps = [limit.cap(model::LimitAxis::Iops), limit.cap(model::LimitAxis::Bandwidth)];
        if let Some(odd) = caps.into_iter().flatten().find(|c| !(c.is_finite() && *c > 0.0)) {
            return Err(format!("a cap comes out as {odd}: see {}:{}", v.origin.file, v.origin.line));
        }
        limit.burst_iops = limit.burst(model::LimitAxis::Iops);
        limit.burst_bandwidth = limit.burst(model::LimitAxis::Bandwidth);
    }
    Ok(Resolved { row, limits, notes: v.notes.clone(), origin: v.origin.clone(), local: v.local })
}

/// Why a figure cannot be set.
fn follows(v: &Volume, key: &str) -> String {
    let (figure, sides) = match key {
        "iops" => (&v.iops, [&v.read.iops, &v.write.iops]),
        _ => (&v.bandwidth, [&v.read.bandwidth, &v.write.bandwidth]),
    };
    match figure {
        Some(Figure::Fixed(Formula::Number(n))) => format!("it is {}", thousands(*n)),
        Some(Figure::Fixed(f)) => format!("it is {f}"),
        _ if sides.iter().any(|s| s.is_some()) => "it is published for reads and writes apart".to_owned(),
        _ => "none is published (declare one with --limit)".to_owned(),
    }
}

pub(super) fn catalog_source(origin: &Origin, row: &str) -> LimitSource {
    LimitSource::Catalog { source: origin.source.clone(), date: origin.date.clone(), row: row.to_owned() }
}

/// The size in the row's unit.
fn size(v: &Volume, given: Option<&str>) -> Result<f64, String> {
    let unit = v.size_unit;
    let Some(text) = given else {
        return match v.fixed_size() {
            Some(size) => Ok(size),
            None if !v.sized => Ok(v.size.0.unwrap_or(1.0)),
            None => Err(format!("its size decides: size=N (in {})", unit.name)),
        };
    };
    let bare = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let size = match text.parse::<f64>() {
        Ok(number) if bare => number,
        _ => text.parse::<Bytes>().map_err(|e| format!("size: {e}"))?.as_u64() as f64 / unit.bytes,
    };
    let print = |v: f64| unit.print(v * unit.bytes);
    match v.size {
        (Some(least), Some(most)) if least == most && size != least => {
            Err(format!("size {}: it has {} only", print(size), print(least)))
        }
        (Some(least), _) if size < least => Err(format!("size {}: at least {}", print(size), print(least))),
        (_, Some(most)) if size > most => {
            Err(format!("size {}: at most {}{}", print(size), print(most), known_date(v)))
        }
        _ if size <= 0.0 => Err("size 0: nothing".to_owned()),
        _ => Ok(size),
    }
}

/// ` by what was published on 2023-05-11 (--catalog FILE adds newer)`.
fn known_date(v: &Volume) -> String {
    let date = if v.origin.date.is_empty() { String::new() } else { format!(" on {}", v.origin.date) };
    format!(" by what was published{date} (--catalog FILE adds newer)")
}

fn parameters(v: &Volume, asked: &Asked) -> Result<Vec<(String, f64)>, String> {
    let one = |p: &super::row::Parameter| {
        let list = p.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let text = asked.get(&p.name).ok_or_else(|| format!("its {} decides: {}= one of {list}", p.name, p.name))?;
        let value = text.parse::<f64>().ok().filter(|n| p.values.contains(n));
        let value = value.ok_or_else(|| format!("{} `{}`: {list} are offered", p.name, clip(text)))?;
        Ok((p.name.clone(), value))
    };
    v.parameters.iter().map(one).collect()
}

/// A bandwidth in the row's unit: bare numbers are of that unit, others say theirs.
fn bandwidth_in(text: &str, unit: Unit) -> Result<f64, String> {
    if let Some(number) = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0) {
        return Ok(number);
    }
    let value: BytesPerSecond = text.parse().map_err(|e: model::UnitError| format!("mbps: {e}"))?;
    Ok(value.per_second() / unit.bytes)
}

fn chosen(v: &Volume, key: &str, figure: &Figure, given: Option<f64>, known: &Known) -> Result<f64, String> {
    match figure {
        Figure::Fixed(f) => Ok(known.evaluate(f)),
        Figure::Chosen { default, min, max } => {
            let (least, most) = (known.evaluate(min), known.evaluate(max));
            let range = format!("{} to {} are offered", thousands(least), thousands(most));
            let value = given.or_else(|| default.as_ref().map(|f| known.evaluate(f)));
            let value = value.ok_or_else(|| format!("{key}= is to be set: {range}"))?;
            // What is included may be more than what can be had at this size.
            let most = most.max(default.as_ref().map_or(0.0, |f| known.evaluate(f)));
            if value < least * 0.999_999 || value > most * 1.000_001 {
                let why = match (known.size.is_finite() && v.sized, key) {
                    (_, "mbps") if max.names("iops") => format!(" at {} IOPS", thousands(known.iops)),
                    (true, _) if max.names("size") => {
                        format!(" at {}", v.size_unit.print(known.size * v.size_unit.bytes))
                    }
                    _ => String::new(),
                };
                return Err(format!("{key}={}: {range}{why}{}", thousands(value), known_date(v)));
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

fn instance_of(i: &Instance, asked: &Asked) -> Result<Resolved, String> {
    let keys: &[&str] = if i.volume_share.is_some() { &["share"] } else { &[] };
    asked.only(keys)?;
    let mut row = i.name();
    let mut bandwidth = i.bandwidth;
    if let Some(usual) = i.volume_share {
        let share = match asked.get("share") {
            None => usual,
            Some(text) => text
                .parse::<f64>()
                .ok()
                .filter(|s| *s > 0.0 && *s <= 1.0)
                .ok_or_else(|| format!("share `{}`: above 0 and at most 1", clip(text)))?,
        };
        row.push_str(&format!(":share={share}"));
        let reserved = i.reserved.map_or(0.0, |r| r.per_second());
        let left = |total: f64| (total * share - reserved).max(0.0);
        bandwidth = bandwidth.map(|b| BaseMax { base: left(b.base), max: left(b.max) });
    }
    let burst = |level: BaseMax| {
        let (time, every) = i.burst.filter(|_| level.bursts())?;
        Some(Burst { rate: level.max, lasts: BurstLasts::Time { time, every } })
    };
    let limit = Limit {
        iops: i.iops.map(|l| Iops(l.base)),
        bandwidth: bandwidth.map(|l| BytesPerSecond(l.base)),
        scope: LimitScope::Instance,
        charging: i.charging,
        promised: i.promised,
        burst_iops: i.iops.and_then(burst),
        burst_bandwidth: bandwidth.and_then(burst),
        ..Limit::new(format!("{} instance", i.kind), catalog_source(&i.origin, &row))
    };
    Ok(Resolved { row, limits: vec![limit], notes: i.notes.clone(), origin: i.origin.clone(), local: false })
}
