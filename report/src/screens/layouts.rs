//! Comparison of two layouts of a database: whether the change is worthwhile, the role whose volume limits each layout,
//! then the figures.

use super::comparison::{self, chart, legend, median_of, sentence as of_figures, side, table};
use crate::Style;
use crate::formats::write_document;
use crate::widgets::figures::percent;
use crate::widgets::ink::clauses;
use crate::widgets::page::Page;
use crate::widgets::table::{Column, Table};
use crate::widgets::text::{Line, Paint};
use messages::{Sentence, sentence};
use model::{LayoutAnswer, LayoutComparison, LayoutSide, RolePlace};
use serde::Serialize;
use std::io::{self, Write};

/// Writes the comparison for a terminal: the verdict, what limits each layout, and the figures. With `full`, it also
/// writes the chart, commits by phase, remarks and the runs.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_layouts(told: &LayoutComparison, full: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    let ink = page.ink;
    page.labelled(ink.word("label-verdict"), Paint::BOLD, &ink.translate(verdict(told)), Paint::BOLD)?;
    for (name, of) in ["A", "B"].into_iter().zip(&told.sides) {
        page.labelled(name, Paint::BOLD, &ink.translate(binds(of)), Paint::BOLD)?;
        for place in of.roles.iter().filter(|_| full) {
            page.labelled("", Paint::DIM, &ink.translate(lies(place)), Paint::DIM)?;
        }
    }
    page.blank()?;
    let c = &told.comparison;
    table(&mut page, c)?;
    page.blank()?;
    if !full {
        return page.hanging(Line::new(), 0, &ink.translate(sentence!("layout-more")), Paint::DIM);
    }
    chart(&mut page, c)?;
    commits(&mut page, told)?;
    let open = c.figures.iter().filter(|f| !f.why.is_empty());
    let mut remarks: Vec<Sentence> =
        open.map(|f| sentence!("told-of", what = comparison::name(f, c), told = &f.why)).collect();
    remarks.extend(c.remarks.iter().map(Sentence::from));
    if !remarks.is_empty() {
        page.blank()?;
    }
    for text in remarks {
        let lead = Line::plain(" ").with(ink.glyphs().maybe, Paint::DIM);
        page.hanging(lead, 3, &ink.translate(text), Paint::PLAIN)?;
    }
    page.blank()?;
    side(&mut page, "A", &c.a)?;
    side(&mut page, "B", &c.b)?;
    page.hanging(Line::new(), 0, &ink.translate(legend(c)), Paint::DIM)
}

/// Writes the comparison as one JSON document, `{"layouts": ...}`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_layouts_json(layouts: &LayoutComparison, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a> {
        layouts: &'a LayoutComparison,
    }
    write_document(&Document { layouts }, out)
}

fn verdict(told: &LayoutComparison) -> Sentence {
    let (moved, figures) = (&told.moved, of_figures(&told.comparison));
    match told.answer {
        LayoutAnswer::Worth => sentence!("layout-worth", moved, figures),
        LayoutAnswer::Worse => sentence!("layout-worse", moved, figures),
        LayoutAnswer::NoDifference => {
            sentence!("layout-no-difference", moved, share = percent(told.comparison.within), figures)
        }
        LayoutAnswer::Mixed => sentence!("layout-mixed", moved, figures),
        LayoutAnswer::CannotTell => sentence!("layout-cannot-tell", moved, figures),
    }
}

/// Describes the role whose volume limits a layout, and how long sessions wait for it.
fn binds(of: &LayoutSide) -> Sentence {
    let waited = |role: model::FileRole| of.waits.iter().find(|w| w.role == role).map_or(0.0, |w| w.sessions);
    let most = of.waits.iter().max_by(|a, b| a.sessions.total_cmp(&b.sessions));
    let first = match (of.binds, most) {
        (Some(role), _) => sentence!("layout-binds", role = role.name(), share = percent(waited(role))),
        (None, Some(most)) => {
            sentence!("layout-binds-none", role = most.role.name(), share = percent(most.sessions))
        }
        (None, None) => sentence!("layout-binds-unknown"),
    };
    let grows = (of.grows > 0).then(|| sentence!("layout-grows", n = of.grows));
    clauses([first].into_iter().chain(grows))
}

fn lies(place: &RolePlace) -> Sentence {
    let (role, at) = (place.role.name(), place.directories.join(", "));
    match place.devices.is_empty() {
        true => sentence!("layout-lies", role, at),
        false => sentence!("layout-lies-on", role, at, devices = place.devices.join(", ")),
    }
}

fn commits(page: &mut Page, told: &LayoutComparison) -> io::Result<()> {
    if told.commits.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let ink = page.ink;
    let heads = vec![Column::left(""), Column::left(""), Column::right("A"), Column::right("B")];
    let mut table = Table::new(heads, 1);
    for f in &told.commits {
        let what = if f.inside { "dbview-commits-during" } else { "dbview-commits-between" };
        let cell = |side: &[f64]| Line::plain(median_of(f.metric, side).unwrap_or_else(|| "-".to_owned()));
        table.row(vec![
            Line::plain(ink.word(what)),
            Line::plain(ink.translate(comparison::metric(f.metric))),
            cell(&f.a),
            cell(&f.b),
        ]);
    }
    let laid = table.lay(ink);
    page.lines(laid.lines)?;
    page.hanging(Line::plain(" "), 1, &ink.translate(sentence!("layout-untested")), Paint::DIM)
}
