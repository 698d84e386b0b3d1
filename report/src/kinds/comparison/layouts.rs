//! A comparison of two layouts of a database: whether the change is worthwhile, the role whose volume limits each
//! layout, then the figures.

use super::{Sides, charts, figures, legend, metric, middle, remarks, side_fields, verdict};
use crate::document::{Block, Column, Document, Field, Margin, Table, Value, View, Word};
use crate::widgets::figures::percent;
use crate::widgets::ink::clauses;
use crate::{Style, render};
use messages::{Sentence, sentence};
use model::judged::{LayoutAnswer, LayoutComparison, LayoutSide, RolePlace};
use std::io::{self, Write};

/// Writes the comparison for a terminal: the verdict, what limits each layout, and the figures. With `full`, it also
/// writes the chart, commits by phase, remarks and the runs.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_layouts(layouts: &LayoutComparison, full: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let d = document(layouts, [&[], &[]], if full { View::Full } else { View::Answer });
    render::terminal::write(&d, View::Full, style, out)
}

/// Returns the document of the comparison.
pub(crate) fn document(layouts: &LayoutComparison, sides: Sides<'_>, view: View) -> Document {
    let (c, is_whole) = (&layouts.comparison, view != View::Answer);
    let mut d = super::begin("layouts", answer(layouts), c);
    let mut fields = Vec::new();
    for (label, side) in ["A", "B"].into_iter().zip(&layouts.sides) {
        fields.push(Field::new(Word::Term(label), binds(side)).strong());
        fields.extend(side.roles.iter().filter(|_| is_whole).map(|place| Field::remark(location(place))));
    }
    d.part("binds", "", [Block::Fields(Margin::Page, fields)]);
    d.part("figures", "", [Block::Table(figures(c))]);
    if is_whole {
        d.part("changes", "", charts::charts(c, sides, view));
        d.part("commits", "", [Block::Table(commits(layouts))]);
        remarks(&mut d, c);
        d.part("sides", "", [Block::Fields(Margin::Page, side_fields(c)), Block::remark(legend(c))]);
    } else {
        d.part("more", "", [Block::remark(sentence!("layout-more"))]);
    }
    d.parts.retain(|part| !part.blocks.iter().all(|b| matches!(b, Block::Table(table) if table.rows.is_empty())));
    d
}

fn answer(layouts: &LayoutComparison) -> Sentence {
    let (moved, figures) = (&layouts.moved, verdict(&layouts.comparison));
    match layouts.answer {
        LayoutAnswer::Worth => sentence!("layout-worth", moved, figures),
        LayoutAnswer::Worse => sentence!("layout-worse", moved, figures),
        LayoutAnswer::NoDifference => {
            sentence!("layout-no-difference", moved, share = percent(layouts.comparison.within), figures)
        }
        LayoutAnswer::Mixed => sentence!("layout-mixed", moved, figures),
        LayoutAnswer::CannotTell => sentence!("layout-cannot-tell", moved, figures),
    }
}

/// Describes the role whose volume limits a layout, and how long sessions wait for it.
fn binds(side: &LayoutSide) -> Sentence {
    let waited =
        |role: model::measured::FileRole| side.waits.iter().find(|w| w.role == role).map_or(0.0, |w| w.sessions);
    let most = side.waits.iter().max_by(|a, b| a.sessions.total_cmp(&b.sessions));
    let first = match (side.binds, most) {
        (Some(role), _) => sentence!("layout-binds", role = role.name(), share = percent(waited(role))),
        (None, Some(most)) => {
            sentence!("layout-binds-none", role = most.role.name(), share = percent(most.sessions))
        }
        (None, None) => sentence!("layout-binds-unknown"),
    };
    let grows = (side.grows > 0).then(|| sentence!("layout-grows", n = side.grows));
    clauses([first].into_iter().chain(grows))
}

fn location(place: &RolePlace) -> Sentence {
    let (role, at) = (place.role.name(), place.directories.join(", "));
    match place.devices.is_empty() {
        true => sentence!("layout-lies", role, at),
        false => sentence!("layout-lies-on", role, at, devices = place.devices.join(", ")),
    }
}

fn commits(layouts: &LayoutComparison) -> Table {
    let phase = |inside: bool| Value::word(if inside { "dbview-commits-during" } else { "dbview-commits-between" });
    let mut table = Table::builder("commits", &layouts.commits)
        .column(Column::text("phase", "compare-head-figure").bare(), |f| phase(f.inside))
        .column(Column::text("figure", "").bare(), |f| metric(f.metric))
        .column(Column::term("a", "A"), |f| middle(f.metric, &f.a))
        .column(Column::term("b", "B"), |f| middle(f.metric, &f.b))
        .build();
    table.remark(sentence!("layout-untested"));
    table
}
