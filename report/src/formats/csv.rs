//! A run as comma-separated values (RFC 4180, except that lines end with a newline only): one line for each level of
//! each workload, or what is a line of its kind. Values are in base units; a value that was not measured is empty.

use super::run::Subject;
use crate::document::{Block, View};
use crate::render::csv::HEAD;
use crate::{Style, kinds, render};
use std::io::{self, Write};

/// Writes one table: all runs under a single header, or the figures of a comparison.
pub(super) fn write(subject: Subject<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let runs = match subject {
        Subject::Runs(runs) => runs,
        Subject::Comparison(c, _) => return render::csv::table(&kinds::comparison::csv(c), out),
        Subject::Foreign(judgement) => return render::csv::table(&kinds::foreign::csv(judgement), out),
        Subject::Purchases { purchases, .. } => return render::csv::table(&kinds::purchase::csv(purchases), out),
        Subject::Trend(trend) => return render::csv::table(&kinds::trend::table(trend), out),
        Subject::Sheet { name, parts, .. } => {
            let d = kinds::sheet::document(name, parts);
            return d.parts.iter().flat_map(|part| &part.blocks).try_for_each(|block| match block {
                Block::Table(table) => render::csv::table(table, out),
                _ => Ok(()),
            });
        }
        Subject::Layouts(layouts, _) => return render::csv::table(&kinds::comparison::csv(&layouts.comparison), out),
        Subject::Demand(_, demand) => return render::csv::table(&kinds::demand::requests(demand), out),
    };
    writeln!(out, "{HEAD}")?;
    runs.iter().try_for_each(|run| render::csv::figures(&kinds::document(run, View::Full), out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_line_has_the_fields_of_the_head() {
        let (record, judgement) = fixture::capped();
        let mut out = Vec::new();
        let labels = model::record::Labels::default();
        let run =
            crate::ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] };
        write(Subject::Runs(&[run, run]), &Style::default(), &mut out).expect("memory takes it");
        let text = String::from_utf8(out).expect("UTF-8");
        let levels: usize = judgement.patterns.iter().map(|p| p.levels.len()).sum();
        assert_eq!(text.lines().count(), 2 * levels + 1);
        // No text in this run contains a comma.
        assert!(text.lines().all(|l| l.split(',').count() == HEAD.split(',').count()), "{text}");
    }
}
