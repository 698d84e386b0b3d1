//! Catalogue files: converts TOML to typed rows and reports every mistake with its file and line.

use super::formula::Formula;
use super::row::{
    BaseMax, BurstRow, DirectionCaps, DirectionLimits, Figure, Instance, Lasts, Mark, Origin, Parameter, Price, Raises,
    Unit, Volume, Weighting,
};
use super::table::{self, Record};
use super::{Catalog, CatalogError, Families};
use model::bounds::{Charging, LimitAxis};
use model::judged::LatencyClass;
use model::{Bytes, BytesPerSecond, Nanos};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::str::FromStr;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    provider: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    source_date: Option<Spanned<String>>,
    mark: Option<Spanned<String>>,
    size_unit: Option<Spanned<String>>,
    bandwidth_unit: Option<Spanned<String>>,
    #[serde(default)]
    volume: Vec<Spanned<RawVolume>>,
    #[serde(default)]
    volume_table: Vec<Spanned<RawTable>>,
    #[serde(default)]
    instance_table: Vec<Spanned<RawTable>>,
    families: Option<RawFamilies>,
    #[serde(default)]
    volume_price: Vec<Spanned<RawVolumePrice>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVolumePrice {
    kind: String,
    price: Spanned<RawPrice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFamilies {
    #[serde(default)]
    previous: Vec<String>,
    #[serde(default)]
    special: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawFormula {
    Whole(i64),
    Number(f64),
    Text(String),
}

impl RawFormula {
    fn text(&self) -> String {
        match self {
            RawFormula::Whole(n) => n.to_string(),
            RawFormula::Number(n) => n.to_string(),
            RawFormula::Text(t) => t.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawFigure {
    Chosen(RawChosen),
    Fixed(RawFormula),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawChosen {
    default: Option<RawFormula>,
    min: RawFormula,
    max: RawFormula,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBurst {
    rate: RawFormula,
    bucket: Option<RawFormula>,
    time: Option<String>,
    every: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawSide {
    iops: Option<RawFormula>,
    bandwidth: Option<RawFormula>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSize {
    min: Option<f64>,
    max: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParameter {
    values: Vec<f64>,
    #[serde(default)]
    unit: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPrice {
    region: String,
    currency: String,
    #[serde(default)]
    volume: f64,
    size: Option<RawFormula>,
    #[serde(default)]
    iops: Vec<(f64, f64)>,
    #[serde(default)]
    bandwidth: Vec<(f64, f64)>,
    source: Option<String>,
    source_date: Option<Spanned<String>>,
    mark: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVolume {
    kind: String,
    #[serde(default)]
    title: String,
    source: Option<String>,
    source_date: Option<Spanned<String>>,
    mark: Option<Spanned<String>>,
    size: Option<RawSize>,
    #[serde(default)]
    parameters: BTreeMap<String, RawParameter>,
    iops: Option<Spanned<RawFigure>>,
    bandwidth: Option<Spanned<RawFigure>>,
    read: Option<Spanned<RawSide>>,
    write: Option<Spanned<RawSide>>,
    burst_iops: Option<Spanned<RawBurst>>,
    burst_bandwidth: Option<Spanned<RawBurst>>,
    io_unit: Option<Spanned<String>>,
    #[serde(default)]
    merges: bool,
    #[serde(default)]
    whole_units: bool,
    promised: Option<Spanned<f64>>,
    #[serde(default)]
    local: bool,
    latency: Option<LatencyClass>,
    unconfirmed: Option<LimitAxis>,
    #[serde(default)]
    shared: bool,
    price: Option<Spanned<RawPrice>>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    #[serde(default)]
    title: String,
    #[serde(default)]
    prefix: String,
    source: Option<String>,
    source_date: Option<Spanned<String>>,
    mark: Option<Spanned<String>>,
    burst_time: Option<Spanned<String>>,
    burst_every: Option<Spanned<String>>,
    io_unit: Option<Spanned<String>>,
    #[serde(default)]
    merges: bool,
    promised: Option<Spanned<f64>>,
    volume_share: Option<Spanned<f64>>,
    reserved: Option<Spanned<String>>,
    #[serde(default)]
    weightings: BTreeMap<String, Spanned<RawWeighting>>,
    #[serde(default)]
    local: bool,
    latency: Option<LatencyClass>,
    price: Option<Spanned<RawPrice>>,
    #[serde(default = "yes")]
    offered: bool,
    #[serde(default)]
    notes: Vec<String>,
    columns: Spanned<String>,
    rows: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWeighting {
    to_volumes: Option<f64>,
    to_network: Option<f64>,
    #[serde(default)]
    maximum: bool,
}

fn yes() -> bool {
    true
}

/// Name and text of the file being read; used to report the line of a mistake.
struct Reading<'a> {
    name: &'a str,
    text: &'a str,
    mark: Mark,
    file: &'a RawFile,
    /// Positions of the ends of lines.
    ends: Vec<usize>,
}

/// Reads a file. Rows without a mark get `mark`.
pub(super) fn read(name: &str, text: &str, mark: Mark) -> Result<Catalog, CatalogError> {
    let file: RawFile = toml::from_str(text).map_err(|e| CatalogError {
        file: name.to_owned(),
        line: line_at(text, e.span().map_or(0, |s| s.start)),
        what: one_line(e.message()),
    })?;
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let mut reading = Reading { name, text, mark, file: &file, ends };
    if let Some(mark) = &file.mark {
        reading.mark = reading.mark_of(mark)?;
    }
    let mut rows = Catalog::default();
    for raw in &file.volume {
        rows.volumes.push(reading.volume(raw)?);
    }
    for raw in &file.volume_table {
        reading.volumes(raw, &mut rows.volumes)?;
    }
    for raw in &file.instance_table {
        reading.instances(raw, &mut rows.instances)?;
    }
    for raw in &file.volume_price {
        let RawVolumePrice { kind, price } = raw.get_ref();
        rows.prices.push((file.provider.clone(), kind.clone(), reading.price(price, &["size"])?));
    }
    if let Some(RawFamilies { previous, special }) = &file.families {
        let (previous, special) = (previous.clone(), special.clone());
        rows.families.push(Families { provider: file.provider.clone(), previous, special });
    }
    twice(name, rows.volumes.iter().map(|v| (v.kind.as_str(), &v.origin)))?;
    twice(name, rows.instances.iter().map(|i| (i.kind.as_str(), &i.origin)))?;
    Ok(rows)
}

/// Rejects names that appear twice in a file.
fn twice<'a>(file: &str, rows: impl Iterator<Item = (&'a str, &'a Origin)>) -> Result<(), CatalogError> {
    let mut seen = BTreeMap::new();
    for (kind, origin) in rows {
        if let Some(first) = seen.insert(kind.to_lowercase(), origin.line) {
            let what = format!("`{kind}` appears twice: first on line {first}");
            return Err(CatalogError { file: file.to_owned(), line: origin.line, what });
        }
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

type Wrong<T> = Result<T, CatalogError>;

impl Reading<'_> {
    fn line(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end < at) + 1
    }

    fn wrong(&self, at: usize, what: impl Into<String>) -> CatalogError {
        CatalogError { file: self.name.to_owned(), line: self.line(at), what: what.into() }
    }

    fn parsed<T: FromStr<Err = model::units::UnitError>>(&self, key: &str, text: &Spanned<String>) -> Wrong<T> {
        text.get_ref()
            .parse()
            .map_err(|e: model::units::UnitError| self.wrong(text.span().start, format!("{key}: {e}")))
    }

    fn mark_of(&self, text: &Spanned<String>) -> Wrong<Mark> {
        match text.get_ref().as_str() {
            "C" => Ok(Mark::Confirmed),
            "S" => Ok(Mark::Secondary),
            "own" => Ok(Mark::Own),
            other => Err(self.wrong(
                text.span().start,
                format!(
                    "mark `{}`: must be C (the vendor's document), S (a secondary source) or own",
                    model::clip(other)
                ),
            )),
        }
    }

    fn origin(
        &self,
        at: usize,
        source: Option<&String>,
        date: Option<&Spanned<String>>,
        mark: Option<&Spanned<String>>,
    ) -> Wrong<Origin> {
        let date = date.or(self.file.source_date.as_ref());
        if let Some(date) = date
            && !date.get_ref().is_empty()
            && super::age::months(date.get_ref()).is_none()
        {
            let what = format!("source_date `{}`: expected YYYY-MM-DD", model::clip(date.get_ref()));
            return Err(self.wrong(date.span().start, what));
        }
        Ok(Origin {
            source: source.unwrap_or(&self.file.source).clone(),
            date: date.map(|d| d.get_ref().clone()).unwrap_or_default(),
            mark: mark.map_or(Ok(self.mark), |m| self.mark_of(m))?,
            file: self.name.to_owned(),
            line: self.line(at),
        })
    }

    fn unit(&self, asked: Option<&Spanned<String>>, allowed: [Unit; 2]) -> Wrong<Unit> {
        let Some(asked) = asked else { return Ok(allowed[0]) };
        allowed.into_iter().find(|u| u.name == asked.get_ref()).ok_or_else(|| {
            let what =
                format!("unit `{}`: expected {} or {}", model::clip(asked.get_ref()), allowed[0].name, allowed[1].name);
            self.wrong(asked.span().start, what)
        })
    }

    fn charging(&self, unit: Option<&Spanned<String>>, merges: bool, whole: bool) -> Wrong<Option<Charging>> {
        let Some(unit) = unit else { return Ok(None) };
        let bytes: Bytes = self.parsed("io_unit", unit)?;
        if bytes.is_zero() {
            return Err(self.wrong(unit.span().start, "io_unit must be above 0 bytes"));
        }
        Ok(Some(Charging { unit: bytes, merges, whole }))
    }

    fn share(&self, key: &str, share: Option<&Spanned<f64>>) -> Wrong<Option<f64>> {
        match share {
            Some(s) if !(*s.get_ref() > 0.0 && *s.get_ref() <= 1.0) => {
                Err(self.wrong(s.span().start, format!("{key} {}: must be above 0 and at most 1", s.get_ref())))
            }
            other => Ok(other.map(|s| *s.get_ref())),
        }
    }

    // --- volumes ------------------------------------------------------------------------------------------------

    fn volume(&self, raw: &Spanned<RawVolume>) -> Wrong<Volume> {
        let at = raw.span().start;
        let raw = raw.get_ref();
        let origin = self.origin(at, raw.source.as_ref(), raw.source_date.as_ref(), raw.mark.as_ref())?;
        let size = raw.size.as_ref().map_or((None, None), |s| (s.min, s.max));
        if let (Some(least), Some(most)) = size
            && !(least > 0.0 && least <= most)
        {
            return Err(self.wrong(at, format!("size from {least} to {most}: not a range")));
        }
        if let Some(taken) = raw.parameters.keys().find(|p| ["size", "iops", "mbps"].contains(&p.as_str())) {
            return Err(self.wrong(at, format!("parameter `{taken}`: the name is reserved")));
        }
        let mut names: Vec<&str> = vec!["size"];
        names.extend(raw.parameters.keys().map(String::as_str));
        let iops = self.figure("iops", raw.iops.as_ref(), &names)?;
        let mut with_iops = names.clone();
        with_iops.push("iops");
        let bandwidth = self.figure("bandwidth", raw.bandwidth.as_ref(), &with_iops)?;
        let read = self.side("read", raw.read.as_ref(), &with_iops)?;
        let write = self.side("write", raw.write.as_ref(), &with_iops)?;
        let burst_iops = self.burst("burst_iops", raw.burst_iops.as_ref(), &with_iops)?;
        let burst_bandwidth = self.burst("burst_bandwidth", raw.burst_bandwidth.as_ref(), &with_iops)?;
        let sides = [&read.iops, &read.bandwidth, &write.iops, &write.bandwidth];
        if iops.is_none() && bandwidth.is_none() && sides.iter().all(|s| s.is_none()) {
            return Err(
                self.wrong(at, format!("volume `{}` has no caps: expected iops, bandwidth, read or write", raw.kind))
            );
        }
        let sized = [&iops, &bandwidth].into_iter().flatten().any(|f| match f {
            Figure::Fixed(f) => f.names("size"),
            Figure::Chosen { .. } => true,
        }) || sides.into_iter().flatten().any(|f| f.names("size"));
        let parameters = raw.parameters.iter();
        Ok(Volume {
            provider: self.file.provider.clone(),
            kind: self.name_of(at, &raw.kind)?,
            title: raw.title.clone(),
            origin,
            size_unit: self.unit(self.file.size_unit.as_ref(), [Unit::GIB, Unit::GB])?,
            bandwidth_unit: self.unit(self.file.bandwidth_unit.as_ref(), [Unit::MIB_S, Unit::MB_S])?,
            size,
            sized,
            parameters: parameters
                .map(|(name, p)| Parameter { name: name.clone(), values: p.values.clone(), unit: p.unit.clone() })
                .collect(),
            iops,
            bandwidth,
            read,
            write,
            burst_iops,
            burst_bandwidth,
            charging: self.charging(raw.io_unit.as_ref(), raw.merges, raw.whole_units)?,
            promised: self.share("promised", raw.promised.as_ref())?,
            local: raw.local,
            disks: None,
            latency: raw.latency,
            unconfirmed: raw.unconfirmed,
            shared: raw.shared,
            rung: false,
            price: raw.price.as_ref().map(|p| self.price(p, &names)).transpose()?,
            notes: raw.notes.clone(),
        })
    }

    fn price(&self, raw: &Spanned<RawPrice>, names: &[&str]) -> Wrong<Price> {
        let at = raw.span().start;
        let raw = raw.get_ref();
        let rising = |tiers: &[(f64, f64)]| tiers.windows(2).all(|w| w[0].0 < w[1].0);
        let figures = [&raw.iops, &raw.bandwidth].into_iter().flatten().flat_map(|(from, each)| [*from, *each]);
        let each = raw.size.as_ref().map(|f| self.formula(at, "price", f, names)).transpose()?;
        if each.is_none() && raw.volume == 0.0 && !names.is_empty() {
            return Err(self.wrong(at, "price: `size` is missing"));
        }
        let number = match &each {
            Some(Formula::Number(n)) => *n,
            _ => 0.0,
        };
        if !figures.chain([number, raw.volume]).all(|v| v.is_finite() && v >= 0.0) {
            return Err(self.wrong(at, "price: every figure must be a number, 0 or above"));
        }
        if !(rising(&raw.iops) && rising(&raw.bandwidth)) {
            return Err(self.wrong(at, "price: tiers must be [above, for each], in increasing order"));
        }
        Ok(Price {
            region: raw.region.clone(),
            currency: raw.currency.clone(),
            flat: raw.volume,
            size: each.unwrap_or(Formula::Number(0.0)),
            iops: raw.iops.clone(),
            bandwidth: raw.bandwidth.clone(),
            origin: self.origin(at, raw.source.as_ref(), raw.source_date.as_ref(), raw.mark.as_ref())?,
        })
    }

    /// Returns the name if it can precede `:` in `--volume`.
    fn name_of(&self, at: usize, name: &str) -> Wrong<String> {
        let fits = !name.is_empty() && !name.contains([':', ',', '=']) && !name.contains(char::is_whitespace);
        if fits {
            Ok(name.to_owned())
        } else {
            Err(self.wrong(at, format!("`{}` is not a valid name", model::clip(name))))
        }
    }

    fn formula(&self, at: usize, key: &str, raw: &RawFormula, names: &[&str]) -> Wrong<Formula> {
        Formula::parse(&raw.text(), names).map_err(|e| self.wrong(at, format!("{key}: {e}")))
    }

    fn figure(&self, key: &str, raw: Option<&Spanned<RawFigure>>, names: &[&str]) -> Wrong<Option<Figure>> {
        let Some(raw) = raw else { return Ok(None) };
        let at = raw.span().start;
        let formula = |raw: &RawFormula| self.formula(at, key, raw, names);
        Ok(Some(match raw.get_ref() {
            RawFigure::Fixed(f) => Figure::Fixed(formula(f)?),
            RawFigure::Chosen(c) => Figure::Chosen {
                default: c.default.as_ref().map(formula).transpose()?,
                min: formula(&c.min)?,
                max: formula(&c.max)?,
            },
        }))
    }

    fn side(&self, key: &str, raw: Option<&Spanned<RawSide>>, names: &[&str]) -> Wrong<DirectionLimits> {
        let Some(raw) = raw else { return Ok(DirectionLimits::default()) };
        let formula = |f: &RawFormula| self.formula(raw.span().start, key, f, names);
        Ok(DirectionLimits {
            iops: raw.get_ref().iops.as_ref().map(formula).transpose()?,
            bandwidth: raw.get_ref().bandwidth.as_ref().map(formula).transpose()?,
        })
    }

    fn burst(&self, key: &str, raw: Option<&Spanned<RawBurst>>, names: &[&str]) -> Wrong<Option<BurstRow>> {
        let Some(raw) = raw else { return Ok(None) };
        let at = raw.span().start;
        let raw = raw.get_ref();
        let time = |text: &String| {
            text.parse::<Nanos>().map_err(|e: model::units::UnitError| self.wrong(at, format!("{key}: {e}")))
        };
        let lasts = match (&raw.bucket, &raw.time) {
            (Some(bucket), None) => Lasts::Bucket(self.formula(at, key, bucket, names)?),
            (None, Some(t)) => Lasts::Time { time: time(t)?, every: raw.every.as_ref().map(time).transpose()? },
            _ => return Err(self.wrong(at, format!("{key}: expected either bucket or time"))),
        };
        Ok(Some(BurstRow { rate: self.formula(at, key, &raw.rate, names)?, lasts }))
    }

    // --- tables -------------------------------------------------------------------------------------------------

    /// Returns the records of a table, each with its position in the file.
    fn records(&self, raw: &RawTable, known: &[&str]) -> Wrong<Vec<(usize, Record)>> {
        let columns = table::columns(raw.columns.get_ref(), known)
            .map_err(|e| self.wrong(raw.columns.span().start, format!("columns: {e}")))?;
        let start = raw.rows.span().start;
        // Uses the text of the file instead of the parsed value, because positions must refer to the file.
        let body = &self.text[raw.rows.span()];
        let mut at = start;
        let mut records = Vec::new();
        for line in body.split_inclusive('\n') {
            let words = line.trim().trim_matches('"').trim();
            if !words.is_empty() && !words.starts_with('#') {
                let record = table::record(words, &columns).map_err(|e| self.wrong(at, e.to_string()))?;
                records.push((at, record));
            }
            at += line.len();
        }
        Ok(records)
    }

    fn bursting(&self, raw: &RawTable) -> Wrong<Option<(Nanos, Option<Nanos>)>> {
        let Some(time) = &raw.burst_time else { return Ok(None) };
        let every = raw.burst_every.as_ref().map(|e| self.parsed("burst_every", e)).transpose()?;
        Ok(Some((self.parsed("burst_time", time)?, every)))
    }

    fn bursts_explained(&self, at: usize, record: &Record, bursting: bool) -> Wrong<()> {
        if record.bursts() && !bursting {
            return Err(self.wrong(at, "a maximum above the base needs burst_time in the table"));
        }
        Ok(())
    }

    fn volumes(&self, raw: &Spanned<RawTable>, out: &mut Vec<Volume>) -> Wrong<()> {
        let raw = raw.get_ref();
        let bursting = self.bursting(raw)?;
        let price = raw.price.as_ref().map(|p| self.price(p, &[])).transpose()?;
        for (at, record) in self.records(raw, &table::VOLUME)? {
            self.bursts_explained(at, &record, bursting.is_some())?;
            let number = |v: f64| Formula::Number(v);
            let level = |key: &str| record.level(key);
            let bandwidth = level("MBps").or_else(|| level("MiBps").map(|v| v.times(1.048_576)));
            let burst = |v: Option<BaseMax>| {
                let (v, (time, every)) = v.filter(|v| v.bursts()).zip(bursting)?;
                Some(BurstRow { rate: number(v.max), lasts: Lasts::Time { time, every } })
            };
            let figure = |key: &str| level(key).map(|v| v.base);
            let size = figure("size");
            let side = |iops: &str, decimal: &str, binary: &str| DirectionLimits {
                iops: figure(iops).map(number),
                bandwidth: figure(decimal).or_else(|| figure(binary).map(|v| v * 1.048_576)).map(number),
            };
            let row_price = figure("price");
            if row_price.is_some() && price.is_none() {
                return Err(self.wrong(at, "a price needs `price = { region, currency }` in the table"));
            }
            for kind in &record.names {
                out.push(Volume {
                    provider: self.file.provider.clone(),
                    kind: self.name_of(at, &format!("{}{kind}", raw.prefix))?,
                    title: raw.title.clone(),
                    origin: self.origin(at, raw.source.as_ref(), raw.source_date.as_ref(), raw.mark.as_ref())?,
                    size_unit: self.unit(self.file.size_unit.as_ref(), [Unit::GIB, Unit::GB])?,
                    bandwidth_unit: Unit::MB_S,
                    size: (size, size),
                    sized: false,
                    parameters: Vec::new(),
                    iops: level("iops").map(|v| Figure::Fixed(number(v.base))),
                    bandwidth: bandwidth.map(|v| Figure::Fixed(number(v.base))),
                    read: side("read_iops", "read_MBps", "read_MiBps"),
                    write: side("write_iops", "write_MBps", "write_MiBps"),
                    burst_iops: burst(level("iops")),
                    burst_bandwidth: burst(bandwidth),
                    charging: self.charging(raw.io_unit.as_ref(), raw.merges, false)?,
                    promised: self.share("promised", raw.promised.as_ref())?,
                    local: raw.local,
                    disks: figure("disks").map(|n| n as u32),
                    latency: raw.latency,
                    unconfirmed: None,
                    shared: false,
                    rung: true,
                    price: row_price.and_then(|flat| Some(Price { flat, ..price.clone()? })),
                    notes: raw.notes.clone(),
                });
            }
        }
        Ok(())
    }

    fn weighting(&self, name: &str, raw: &Spanned<RawWeighting>) -> Wrong<Weighting> {
        let wrong = |what: String| self.wrong(raw.span().start, format!("weighting `{}`: {what}", model::clip(name)));
        let raw = raw.get_ref();
        let (share, raises) = match (raw.to_volumes, raw.to_network) {
            (Some(share), None) => (share, Raises::Volumes(share)),
            (None, Some(share)) => (share, Raises::Network(share)),
            _ => return Err(wrong("expected either to_volumes or to_network".to_owned())),
        };
        if !(share > 0.0 && share < 1.0) {
            return Err(wrong(format!("{share}: must be above 0 and below 1")));
        }
        Ok(Weighting { name: name.to_owned(), raises, moves_maximum: raw.maximum })
    }

    fn instances(&self, raw: &Spanned<RawTable>, out: &mut Vec<Instance>) -> Wrong<()> {
        let raw = raw.get_ref();
        let burst = self.bursting(raw)?;
        let reserved = raw.reserved.as_ref().map(|r| self.parsed::<BytesPerSecond>("reserved", r)).transpose()?;
        let weightings = raw.weightings.iter().map(|(name, w)| self.weighting(name, w)).collect::<Wrong<Vec<_>>>()?;
        for (at, record) in self.records(raw, &table::INSTANCE)? {
            self.bursts_explained(at, &record, burst.is_some())?;
            let bandwidth = record.bandwidth().map_err(|e| self.wrong(at, e.to_string()))?;
            let network = record.level("network_Mbps").map(|l| l.base * 1e6 / 8.0);
            if let Some(needs) = weightings.iter().find(|w| matches!(w.raises, Raises::Network(_)))
                && network.is_none()
            {
                let what =
                    format!("weighting `{}` refers to network bandwidth, so network_Mbps is required", needs.name);
                return Err(self.wrong(at, what));
            }
            if !weightings.is_empty() && bandwidth.is_none() {
                return Err(self.wrong(at, "weightings move bandwidth, so Mbps, MBps or MiBps is required"));
            }
            let side = |iops: &str, bandwidth: &str| DirectionCaps {
                iops: record.level(iops),
                bandwidth: record.level(bandwidth).map(|v| v.times(1_048_576.0)),
            };
            for kind in &record.names {
                out.push(Instance {
                    provider: self.file.provider.clone(),
                    kind: self.name_of(at, kind)?,
                    title: raw.title.clone(),
                    origin: self.origin(at, raw.source.as_ref(), raw.source_date.as_ref(), raw.mark.as_ref())?,
                    iops: record.level("iops"),
                    bandwidth,
                    read: side("read_iops", "read_MiBps"),
                    write: side("write_iops", "write_MiBps"),
                    network,
                    weightings: weightings.clone(),
                    burst: burst.filter(|_| record.bursts()),
                    charging: self.charging(raw.io_unit.as_ref(), raw.merges, false)?,
                    promised: self.share("promised", raw.promised.as_ref())?,
                    offered: raw.offered,
                    volume_share: self.share("volume_share", raw.volume_share.as_ref())?,
                    reserved,
                    notes: raw.notes.clone(),
                });
            }
        }
        Ok(())
    }
}
