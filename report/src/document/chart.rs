//! Charts as data. The page's script and the terminal only draw; what is drawn, and why something is not, is decided by
//! the functions that build the chart.

use super::value::{Unit, Word};
use messages::Sentence;
use std::collections::BTreeSet;

/// A chart, with one or several plots between which the reader of a page can choose; the screen shows the first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Chart {
    /// Stable name: the anchor and the file name of the chart.
    pub id: &'static str,
    /// Title.
    pub title: Word,
    /// Explanation below the title, on pages.
    pub hint: Word,
    /// True if the screen shows the chart.
    pub is_on_screen: bool,
    /// True if the chart has the full width of a page.
    pub is_full: bool,
    /// True if the horizontal axis is the time of the run: such charts share their zoom.
    pub is_time: bool,
    /// Plots with their names.
    pub choices: Vec<Choice>,
}

impl Chart {
    /// Creates a chart of half the width of a page, from message identifiers of title and hint; `None` without plots.
    pub fn new(id: &'static str, title: impl Into<Word>, hint: &'static str, choices: Vec<Choice>) -> Option<Chart> {
        let chart = Chart { id, title: title.into(), hint: hint.into(), choices, ..Chart::default() };
        (!chart.choices.is_empty()).then_some(chart)
    }

    /// Creates a chart with one plot that the screen shows, without a title.
    pub fn on_screen(id: &'static str, plot: Plot) -> Chart {
        Chart { id, is_on_screen: true, choices: vec![Choice::new("", plot)], ..Chart::default() }
    }

    /// Gives the chart the full width of a page.
    pub fn full(self) -> Chart {
        Chart { is_full: true, ..self }
    }

    /// Marks the horizontal axis as the time of the run.
    pub fn over_time(self) -> Chart {
        Chart { is_time: true, ..self }
    }
}

/// A plot with the name by which it is chosen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    /// Name; empty if there is only one plot.
    pub name: Sentence,
    /// The plot.
    pub plot: Plot,
}

impl Choice {
    /// Creates a choice.
    pub fn new(name: impl Into<Sentence>, plot: Plot) -> Choice {
        Choice { name: name.into(), plot }
    }
}

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Plot {
    /// Lines over a common horizontal axis.
    Lines(Lines),
    /// Bars by name.
    Bars(Bars),
    /// Counts over time and latency.
    Heat(Heat),
    /// Values of two sides with the interval of their ratio.
    Intervals(Vec<Interval>),
    /// Nothing can be drawn: the reason is shown in place of the plot.
    Nothing(Sentence),
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    /// Name of the axis.
    pub name: Word,
    /// Unit of its values.
    pub unit: Unit,
    /// Scale.
    pub scale: Scale,
    /// Bounds; `None` for those of the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// Creates an axis with the bounds of the data.
    pub fn new(name: impl Into<Word>, unit: Unit, scale: Scale) -> Axis {
        Axis { name: name.into(), unit, scale, range: None }
    }
}

/// Scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scale {
    /// Linear from zero.
    Zero,
    /// Linear between the bounds.
    Linear,
    /// Logarithmic with base 2.
    Log2,
    /// Logarithmic with base 10.
    Log10,
}

/// Lines in one or several panes, one above the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lines {
    /// Common horizontal axis.
    pub x: Axis,
    /// Vertical axes of each pane: one or two.
    pub panes: Vec<Vec<Axis>>,
    /// Series; their names are unique.
    pub series: Vec<Series>,
    /// Limits.
    pub caps: Vec<Cap>,
    /// Ranges of the horizontal axis: phases, levels.
    pub bands: Vec<Band>,
}

impl Lines {
    /// Creates a plot without limits and ranges.
    pub fn new(x: Axis, panes: impl Into<Vec<Vec<Axis>>>, series: Vec<Series>) -> Lines {
        Lines { x, panes: panes.into(), series, caps: Vec::new(), bands: Vec::new() }
    }

    /// Returns the plot without empty series, or `reason` if no series has two valid points. Series with the same name
    /// are numbered, because the legend identifies them by name.
    pub fn checked(mut self, reason: impl Into<Sentence>) -> Plot {
        self.series.retain(|s| s.points.iter().any(|p| p[1].is_finite()));
        number_repeated(self.series.iter_mut().map(|s| &mut s.name));
        let is_drawn = |s: &Series| !s.is_struck && s.points.iter().filter(|p| p[1].is_finite()).count() > 1;
        if self.series.iter().any(is_drawn) { Plot::Lines(self) } else { Plot::Nothing(reason.into()) }
    }
}

/// Appends a number to each name that an earlier one has.
fn number_repeated<'a>(names: impl Iterator<Item = &'a mut Sentence>) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for name in names {
        let first = name.clone();
        for n in 2.. {
            if used.insert(name.to_string()) {
                break;
            }
            *name = Sentence::concat([first.clone(), format!(" ({n})").into()]);
        }
    }
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Series {
    /// Name.
    pub name: Sentence,
    /// Entry in the legend, which several series may share; empty for the name.
    pub legend: Sentence,
    /// Pane, and axis within it.
    pub axis: (usize, usize),
    /// Points; a value that is not finite interrupts the line.
    pub points: Vec<[f64; 2]>,
    /// Ends of the interval of each point; empty if there are none.
    pub ends: Vec<Option<[f64; 2]>>,
    /// Colour: series of one family have the same hue.
    pub family: usize,
    /// Shade within the family, from the lightest.
    pub shade: usize,
    /// True for a dashed line: p99, writes, the recording.
    pub is_dashed: bool,
    /// True if the figures are invalid: drawn as marks or as a thin line.
    pub is_struck: bool,
    /// True if a value applies until the next point.
    pub has_steps: bool,
}

/// A limit in a chart. Equal limits are one cap with several names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cap {
    /// Pane, and axis within it.
    pub axis: (usize, usize),
    /// Value.
    pub at: f64,
    /// Names.
    pub names: Vec<String>,
    /// True for a vertical line.
    pub is_upright: bool,
}

/// A range of the horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Band {
    /// Begin and end.
    pub from: f64,
    /// End of the range.
    pub until: f64,
    /// Name; bands with the same name have the same shade and one entry in the legend.
    pub name: Sentence,
}

/// Bars: one group for each name, one bar for each series.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bars {
    /// Axis of the names.
    pub name: Word,
    /// Names of the groups.
    pub names: Vec<Sentence>,
    /// Axis of the values.
    pub value: Axis,
    /// Series: name, and one value for each group.
    pub series: Vec<(Sentence, Vec<Option<f64>>)>,
    /// True if the bars of a group are stacked, because they are shares of a total.
    pub is_stacked: bool,
}

impl Bars {
    /// Creates bars that are not stacked, from the axis and the names of the groups, the axis of the values, and series.
    pub fn new(
        name: &'static str,
        names: impl IntoIterator<Item = Sentence>,
        value: Axis,
        series: impl IntoIterator<Item = (Sentence, Vec<Option<f64>>)>,
    ) -> Bars {
        let (names, series) = (names.into_iter().collect(), series.into_iter().collect());
        Bars { name: name.into(), names, value, series, is_stacked: false }
    }

    /// Returns the plot, or `reason` if it has no value. Series with the same name are numbered.
    pub fn checked(mut self, reason: impl Into<Sentence>) -> Plot {
        number_repeated(self.series.iter_mut().map(|(name, _)| name));
        if self.series.iter().any(|(_, v)| v.iter().any(Option::is_some)) {
            Plot::Bars(self)
        } else {
            Plot::Nothing(reason.into())
        }
    }
}

/// A heat map: counts in columns of time and rows of latency.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heat {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Start and length of each column.
    pub columns: Vec<(f64, f64)>,
    /// Lower bound of each row.
    pub rows: Vec<f64>,
    /// Cells: column, row, count.
    pub cells: Vec<(usize, usize, u64)>,
}

impl Heat {
    /// Returns the plot, or `reason` if it has no cell.
    pub fn checked(self, reason: impl Into<Sentence>) -> Plot {
        if self.cells.is_empty() { Plot::Nothing(reason.into()) } else { Plot::Heat(self) }
    }
}

/// Values of two sides relative to the median of the first, and the interval of their ratio.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Interval {
    /// Name of the figure.
    pub name: Sentence,
    /// Values of the runs of both sides.
    pub sides: [Vec<f64>; 2],
    /// Ratio of the sides.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio.
    pub ends: Option<(f64, f64)>,
    /// Change that does not matter.
    pub within: f64,
    /// Meaning of the colour.
    pub tone: super::Tone,
}
