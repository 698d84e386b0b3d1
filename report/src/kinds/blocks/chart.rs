//! The charts of a ramp on the screen: rate, and mean and p99.

use crate::document::chart::{Axis, Cap, Chart, Lines, Plot, Scale, Series};
use crate::document::{Block, Unit};
use messages::{Sentence, sentence};
use model::judged::{Binding, BindingKind, LevelFigures, PatternJudgement};

/// Returns the charts of rate and latency over operations in flight.
pub(super) fn pair(pattern: &PatternJudgement) -> Vec<Block> {
    let ramp = || pattern.levels.iter().filter(|l| !l.hold);
    let series = |name: Sentence, is_struck: bool, value: &dyn Fn(&LevelFigures) -> Option<f64>| {
        let shown = |l: &&LevelFigures| match is_struck {
            true => l.struck.is_some(),
            false => l.struck.is_none() && !super::changed(l),
        };
        let points = ramp().filter(shown).filter_map(|l| Some([f64::from(l.concurrency()), value(l)?])).collect();
        Series { name, is_struck, points, ..Series::default() }
    };
    let rate = |l: &LevelFigures| Some(l.iops.value);
    let mean = |l: &LevelFigures| l.mean.map(|v| v.as_nanos() as f64);
    let p99 = |l: &LevelFigures| l.p99.value().map(|v| v.as_nanos() as f64);
    let rates = vec![series(sentence!("show-chart-iops"), false, &rate), series(Sentence::default(), true, &rate)];
    let latencies = vec![
        series(sentence!("page-mean"), false, &mean),
        series(sentence!("show-chart-p99"), false, &p99),
        series(Sentence::default(), true, &mean),
    ];
    let n_star = pattern.n_star.map(|at| Cap { axis: (0, 0), at, names: vec!["N*".to_owned()], is_upright: true });
    let caps = cap(&pattern.binding).into_iter().chain(n_star).collect();
    vec![
        chart("ramp_rate", rates, caps, Unit::PerSecond, Scale::Zero),
        chart("ramp_latency", latencies, Vec::new(), Unit::Nanos, Scale::Log10),
    ]
}

fn chart(id: &'static str, series: Vec<Series>, caps: Vec<Cap>, unit: Unit, scale: Scale) -> Block {
    let (x, y) = (Axis::new("", Unit::Count, Scale::Log2), Axis::new("", unit, scale));
    Block::Chart(Chart::on_screen(id, Plot::Lines(Lines { caps, ..Lines::new(x, [vec![y]], series) })))
}

/// Returns the rate that the binding limit allows. A limit by concurrency has no line, because it would be a slope.
fn cap(binding: &Binding) -> Option<Cap> {
    if matches!(binding.kind, BindingKind::Latency | BindingKind::Unknown) {
        return None;
    }
    let named = binding.constraints.iter().filter(|c| binding.names.contains(&c.name));
    let at = named.map(|c| c.allows.per_second()).min_by(f64::total_cmp)?;
    Some(Cap { axis: (0, 0), at, names: binding.names.clone(), is_upright: false })
}
