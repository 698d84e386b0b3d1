//! Charts as the JSON that the script of a page draws: words in the page's language, numbers in base units.

use crate::document::Word;
use crate::document::chart::{Axis, Band, Bars, Cap, Chart, Heat, Interval, Lines, Plot, Series};
use messages::{Language, Sentence};
use serde_json::{Value as Json, json};

/// Returns charts in their order.
pub(crate) fn charts<'c>(charts: impl Iterator<Item = &'c Chart>, language: Language) -> Vec<Json> {
    charts.map(|chart| Words(language).chart(chart)).collect()
}

struct Words(Language);

impl Words {
    fn word(&self, word: &Word) -> String {
        crate::harmless(&word.text(self.0))
    }

    fn said(&self, sentence: &Sentence) -> String {
        crate::harmless(&messages::translate(self.0, sentence))
    }

    fn chart(&self, chart: &Chart) -> Json {
        // The ranges of time are usually the same in all plots of a chart.
        let shared = chart.choices.iter().find_map(|c| match &c.plot {
            Plot::Lines(lines) => Some(&lines.bands),
            _ => None,
        });
        let shared: &[Band] = shared.map_or(&[], Vec::as_slice);
        let plot = |plot: &Plot| match plot {
            Plot::Lines(lines) => self.lines(lines, shared),
            Plot::Bars(bars) => self.bars(bars),
            Plot::Heat(heat) => self.heat(heat),
            Plot::Intervals(intervals) => {
                json!({ "kind": "intervals", "figures": intervals.iter().map(|i| self.interval(i)).collect::<Vec<_>>() })
            }
            Plot::Nothing(reason) => json!({ "kind": "nothing", "reason": self.said(reason) }),
        };
        let choice = |c: &crate::document::chart::Choice| json!({ "name": self.said(&c.name), "plot": plot(&c.plot) });
        json!({
            "id": chart.id,
            "title": self.word(&chart.title),
            "hint": self.word(&chart.hint),
            "full": chart.is_full,
            "time": chart.is_time,
            "bands": self.bands(shared),
            "choices": chart.choices.iter().map(choice).collect::<Vec<_>>(),
        })
    }

    fn axis(&self, axis: &Axis) -> Json {
        json!({ "name": self.word(&axis.name), "unit": axis.unit, "scale": axis.scale, "range": axis.range })
    }

    fn bands(&self, bands: &[Band]) -> Vec<Json> {
        let band = |b: &Band| json!({ "from": b.from, "until": b.until, "name": self.said(&b.name) });
        bands.iter().map(band).collect()
    }

    /// Returns a plot of lines. Bands that the chart has are omitted, as are positions that an earlier series has.
    fn lines(&self, lines: &Lines, shared: &[Band]) -> Json {
        let at = |s: &Series| s.points.iter().map(|p| p[0]).collect::<Vec<_>>();
        let series = |(i, s): (usize, &Series)| {
            let earlier = lines.series[..i].iter().position(|other| at(other) == at(s));
            let x = earlier.map_or_else(|| json!(at(s)), |i| json!(i));
            let ends = if s.ends.iter().any(Option::is_some) { json!(s.ends) } else { Json::Null };
            json!({
                "name": self.said(&s.name), "legend": self.said(&s.legend), "pane": s.axis.0, "axis": s.axis.1, "x": x,
                "y": s.points.iter().map(|p| p[1]).collect::<Vec<_>>(), "ends": ends,
                "family": s.family, "shade": s.shade, "dashed": s.is_dashed, "struck": s.is_struck, "steps": s.has_steps,
            })
        };
        let cap = |c: &Cap| {
            let names: Vec<String> = c.names.iter().map(|n| crate::harmless(n)).collect();
            json!({ "pane": c.axis.0, "axis": c.axis.1, "at": c.at, "name": names.join(", "), "upright": c.is_upright })
        };
        let panes: Vec<Vec<Json>> = lines.panes.iter().map(|p| p.iter().map(|a| self.axis(a)).collect()).collect();
        let bands = if lines.bands == shared { Json::Null } else { json!(self.bands(&lines.bands)) };
        json!({
            "kind": "lines",
            "x": self.axis(&lines.x),
            "panes": panes,
            "series": lines.series.iter().enumerate().map(series).collect::<Vec<_>>(),
            "caps": lines.caps.iter().map(cap).collect::<Vec<_>>(),
            "bands": bands,
        })
    }

    fn bars(&self, bars: &Bars) -> Json {
        let names: Vec<String> = bars.names.iter().map(|n| self.said(n)).collect();
        let series =
            |(name, values): &(Sentence, Vec<Option<f64>>)| json!({ "name": self.said(name), "values": values });
        json!({
            "kind": "bars",
            "name": self.word(&bars.name),
            "names": names,
            "value": self.axis(&bars.value),
            "series": bars.series.iter().map(series).collect::<Vec<_>>(),
            "stacked": bars.is_stacked,
        })
    }

    fn heat(&self, heat: &Heat) -> Json {
        let (x, y) = (self.axis(&heat.x), self.axis(&heat.y));
        json!({ "kind": "heat", "x": x, "y": y, "columns": heat.columns, "rows": heat.rows, "cells": heat.cells })
    }

    fn interval(&self, i: &Interval) -> Json {
        json!({
            "name": self.said(&i.name), "sides": i.sides, "ratio": i.ratio, "ends": i.ends, "within": i.within,
            "tone": i.tone.class(),
        })
    }
}
