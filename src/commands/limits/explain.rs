//! `secchi limits explain`: shows the throughput that limits allow for a workload, for each block size and depth.

use super::{all_caps, format_origin, print_sheet, row_document};
use analysis::catalog::expect::{Expectation, Point, crossover, expect};
use anyhow::Result;
use cli::LimitsExplain;
use messages::{message, sentence};
use model::{Bytes, Limit, Sentence, clip, units::suggestion};
use report::documents::{AllowedRate, BurstStretch, ExplainedPoint, LimitsExplain as Document, NextLimit};
use report::{DocumentKind, SheetColumn, SheetPart, SheetRow, clauses, duration, listed};
use session::exit::Code;
use session::inputs::catalogue::{Bought, catalogue, today};
use session::reject;

const PATTERNS: [&str; 6] = ["randread", "randwrite", "randrw", "read", "write", "rw"];

pub fn run(options: &LimitsExplain) -> Result<Code> {
    check(options)?;
    let catalog = catalogue(&options.catalog.catalogs)?;
    let bought = Bought::from_catalog(&catalog, options.volume.as_ref(), options.instance.as_ref())?;
    let mut limits = bought.limits();
    limits.extend(options.limits.iter().cloned());
    if limits.is_empty() {
        reject!("nothing to explain: name a --volume, an --instance or a --limit");
    }
    let points = points(options);
    let expectations: Vec<Expectation> = points.iter().map(|p| expect(&limits, p)).collect();
    if expectations.iter().any(|e| e.binds.is_empty()) {
        reject!("none of these limits applies to {}", options.pattern);
    }
    let cross = crossover(&limits, points[0].write_percent);
    print_sheet(
        options.json,
        DocumentKind::LimitsExplain,
        &document(options, &bought, &expectations, cross),
        &sheet(options, &bought, &limits, &expectations, cross),
    )
}

fn check(options: &LimitsExplain) -> Result<()> {
    if !PATTERNS.contains(&options.pattern.as_str()) {
        let hint = suggestion(&options.pattern, PATTERNS);
        reject!("--pattern `{}`: expected one of {}{hint}", clip(&options.pattern), PATTERNS.join(" "));
    }
    if options.bs.iter().any(|b| b.is_zero()) {
        reject!("--bs 0: must be at least 1 byte");
    }
    if let Some(depth) = options.depth.iter().find(|d| !(1..=65_536).contains(*d)) {
        reject!("--depth {depth}: must be 1 to 65536");
    }
    if options.latency.is_some_and(|l| l.is_zero()) {
        reject!("--latency 0: must be above 0");
    }
    if options.bs.len() * options.depth.len() > 10_000 {
        reject!("--bs and --depth give {} points: the maximum is 10,000", options.bs.len() * options.depth.len());
    }
    Ok(())
}

fn points(options: &LimitsExplain) -> Vec<Point> {
    let (write_percent, sequential) = match options.pattern.as_str() {
        "randread" => (0, false),
        "randwrite" => (100, false),
        "randrw" => (100 - options.read_percent, false),
        "read" => (0, true),
        "write" => (100, true),
        _ => (100 - options.read_percent, true),
    };
    let expand = |block: Bytes| {
        options.depth.iter().map(move |&depth| Point {
            block,
            depth,
            latency: options.latency,
            write_percent,
            sequential,
        })
    };
    options.bs.iter().copied().flat_map(expand).collect()
}

fn document<'a>(
    options: &'a LimitsExplain,
    bought: &'a Bought,
    expectations: &'a [Expectation],
    crossover: Option<Bytes>,
) -> Document<'a> {
    Document {
        rows: bought.rows.iter().map(row_document).collect(),
        declared: &options.limits,
        pattern: &options.pattern,
        crossover,
        points: expectations.iter().map(point).collect(),
    }
}

fn point(expected: &Expectation) -> ExplainedPoint<'_> {
    let burst = expected.burst.iter();
    ExplainedPoint {
        bs: expected.point.block,
        depth: expected.point.depth,
        latency_alone: expected.point.latency,
        iops: expected.iops,
        bandwidth: expected.bandwidth,
        latency: expected.latency,
        binds: &expected.binds,
        undecidable: expected.binds.len() > 1,
        next: expected.next.as_ref().map(|(a, headroom)| NextLimit {
            name: &a.name,
            iops: a.iops,
            headroom: *headroom,
        }),
        allowed: expected.allowed.iter().map(|a| AllowedRate { name: &a.name, iops: a.iops }).collect(),
        depth_to_cap: expected.depth_to_cap,
        merged_iops: expected.merged,
        burst: burst
            .map(|s| BurstStretch { iops: s.iops, bandwidth: s.bandwidth, binds: &s.binds, lasts: s.lasts })
            .collect(),
        recovers: expected.recovers,
    }
}

fn sheet(
    options: &LimitsExplain,
    bought: &Bought,
    limits: &[Limit],
    expectations: &[Expectation],
    cross: Option<Bytes>,
) -> Vec<SheetPart> {
    let title = match expectations[0].point.write_percent {
        w @ 1..=99 => format!("{} {}/{w}", options.pattern, 100 - w),
        _ => options.pattern.clone(),
    };
    let mut parts = vec![SheetPart::Heading(sentence!("limits-may-do", workload = title), Sentence::default())];
    for row in &bought.rows {
        let name = format!("{}: ", row.row).into();
        let caps = Sentence::concat([name, all_caps(&row.limits)]);
        parts.push(SheetPart::Labelled("limits-label-bought", caps));
        parts.push(SheetPart::Labelled("", format_origin(&row.origin, &today())));
    }
    parts.extend(options.limits.iter().map(|l| SheetPart::Labelled("limits-label-declared", l.to_string().into())));
    if let Some(cross) = cross {
        let size = format!("{:.1}", cross.as_u64() as f64 / 1024.0);
        parts.push(SheetPart::Labelled("limits-label-crosses", sentence!("limits-crosses-below", size)));
    }
    parts.push(SheetPart::Blank);
    parts.push(table(expectations));
    parts.extend(depths(expectations));
    parts.extend(merging(expectations));
    parts.extend(bursts(expectations));
    if let Some(ties) = ties(expectations) {
        parts.push(SheetPart::Doubt("limits-label-tie", ties));
    }
    parts.extend(bought.doubts().map(|d| SheetPart::Doubt("limits-label-above", d.clone())));
    if bought.rows.iter().any(|r| r.local) {
        let notes = bought.rows.iter().flat_map(|r| &r.notes);
        parts.extend(notes.map(|n| SheetPart::Labelled("limits-label-note", n.into())));
    }
    let promised = limits.iter().filter_map(|l| Some((l, l.promised?))).next();
    if let Some((limit, share)) = promised {
        let (limit, share) = (limit.name.as_str(), format!("{:.0}", share * 100.0));
        parts.push(SheetPart::Labelled("limits-label-note", sentence!("limits-no-promise", limit, share)));
    }
    parts
}

fn table(expectations: &[Expectation]) -> SheetPart {
    let columns = vec![
        SheetColumn::figures("bs"),
        SheetColumn::figures("limits-head-depth"),
        SheetColumn::figures("IOPS"),
        SheetColumn::figures("MB/s"),
        SheetColumn::figures("limits-head-mean").droppable(3),
        SheetColumn::words("head-binds"),
        SheetColumn::words("limits-head-next").droppable(1),
        SheetColumn::figures("limits-head-headroom").droppable(2),
    ];
    let rows = expectations.iter().map(|e| {
        let bandwidth = e.bandwidth.to_string();
        let (next, headroom) = match &e.next {
            Some((a, factor)) => (brief(&a.name), times(*factor)),
            None => (String::new(), String::new()),
        };
        let cells = vec![
            e.point.block.short(),
            e.point.depth.to_string(),
            e.iops.to_string(),
            bandwidth.strip_suffix(" MB/s").unwrap_or(&bandwidth).to_owned(),
            e.latency.to_string(),
            brief(&e.binds.join(" = ")),
            next,
            headroom,
        ];
        SheetRow::Cells(cells.into_iter().map(Sentence::from).collect())
    });
    SheetPart::Table(columns, rows.collect())
}

/// Shortens `gp3 volume IOPS` to `gp3 IOPS`, because the table has little room and the purchase is listed above it.
fn brief(name: &str) -> String {
    name.replace(" volume ", " ").replace(" instance ", " ")
}

/// Formats a factor as `1.25 x`.
fn times(factor: f64) -> String {
    if factor < 9.995 { format!("{factor:.2} x") } else { format!("{} x", model::units::thousands(factor)) }
}

/// Returns the distinct values for each block size, so that a value is not repeated for every depth.
fn by_size<T: PartialEq>(expectations: &[Expectation], get: impl Fn(&Expectation) -> Option<T>) -> Vec<(Bytes, T)> {
    let mut out: Vec<(Bytes, T)> = Vec::new();
    for e in expectations {
        if let Some(what) = get(e)
            && !out.iter().any(|(b, w)| *b == e.point.block && *w == what)
        {
            out.push((e.point.block, what));
        }
    }
    out
}

/// Groups the block sizes that have the same text: `4k, 8k: ...`.
fn by_text(texts: Vec<(Bytes, Sentence)>) -> Vec<Sentence> {
    let mut groups: Vec<(Vec<Bytes>, Sentence)> = Vec::new();
    for (block, text) in texts {
        match groups.iter_mut().find(|(_, t)| *t == text) {
            Some((blocks, _)) => blocks.push(block),
            None => groups.push((vec![block], text)),
        }
    }
    let list = |blocks: &[Bytes]| blocks.iter().map(|b| b.short()).collect::<Vec<_>>().join(", ");
    groups.into_iter().map(|(blocks, told)| sentence!("limits-by-size", sizes = list(&blocks), told)).collect()
}

fn labelled(label: &'static str, lines: Vec<Sentence>) -> Vec<SheetPart> {
    let label_of = |i: usize| if i == 0 { label } else { "" };
    lines.into_iter().enumerate().map(|(i, line)| SheetPart::Labelled(label_of(i), line)).collect()
}

/// Returns the queue depths needed to reach the cap.
fn depths(expectations: &[Expectation]) -> Vec<SheetPart> {
    let texts = by_size(expectations, |e| {
        let depth = e.depth_to_cap?;
        let (from, to) = ((depth * 2.0).ceil().to_string(), (depth * 4.0).ceil().to_string());
        Some(sentence!("limits-depth-needed", n = model::units::thousands(depth), from, to))
    });
    labelled("limits-label-depth", by_text(texts))
}

fn merging(expectations: &[Expectation]) -> Vec<SheetPart> {
    let texts = by_size(expectations, |e| e.merged.map(|rate| sentence!("limits-merged", rate)));
    labelled("limits-label-merging", by_text(texts))
}

/// Describes the bursts and what follows them: `3,000 IOPS for 33 min 20 s with full credits, then 300; the credits
/// are full again after 5 h 00 min without load`.
fn bursts(expectations: &[Expectation]) -> Vec<SheetPart> {
    let texts = by_size(expectations, |e| {
        let (first, rest) = e.burst.split_first()?;
        let mut parts = vec![match first.lasts.map(duration) {
            Some(lasts) => message!("limits-burst-first-for", rate = first.iops, lasts),
            None => message!("limits-burst-first", rate = first.iops),
        }];
        parts.extend(rest.iter().map(|s| match s.lasts.map(duration) {
            Some(lasts) => message!("limits-burst-then-for", rate = s.iops, lasts),
            None => message!("limits-burst-then", rate = s.iops),
        }));
        let course = listed(parts.into_iter().map(messages::sentence));
        let recovers = e.recovers.map(|r| sentence!("limits-burst-recovers", time = duration(r)));
        let course = clauses([Some(course), recovers].into_iter().flatten());
        Some(sentence!("limits-burst-at", told = course, depth = e.point.depth))
    });
    labelled("limits-label-burst", by_text(texts))
}

fn ties(expectations: &[Expectation]) -> Option<Sentence> {
    let mut ties: Vec<&Vec<String>> = Vec::new();
    for e in expectations.iter().filter(|e| e.binds.len() > 1) {
        if !ties.contains(&&e.binds) {
            ties.push(&e.binds);
        }
    }
    let names: Vec<String> = ties.iter().map(|t| t.join(" = ")).collect();
    (!names.is_empty()).then(|| sentence!("limits-tie", names = names.join("; ")))
}
