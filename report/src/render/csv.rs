//! Comma-separated values (RFC 4180, except that lines end with a newline only): the main figures of runs in the columns
//! that all kinds share, or one table with its own columns. Values are in base units; a value that was not measured is
//! empty.

use crate::document::{Document, FigureRow, Only, Table, Value};
use crate::widgets::escape::{csv_field, quote_csv};
use crate::widgets::ink::Ink;
use model::Nanos;
use std::io::{self, Write};

/// Header of the main figures.
pub(crate) const HEAD: &str = "run,started,workload,stage,role,in_flight,held,operations,iops,iops_low,iops_high,\
                               bytes_per_s,mean_ns,p50_ns,p99_ns,p999_ns,max_ns,errors,caveats,struck";

/// Writes the main figures of a run, without the header.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn figures(d: &Document, out: &mut dyn Write) -> io::Result<()> {
    let run = [csv_field(&d.head.run), csv_field(&d.head.started)].join(",");
    d.figures.iter().try_for_each(|row| writeln!(out, "{run},{}", fields(row).join(",")))
}

fn fields(row: &FigureRow) -> Vec<String> {
    let number = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    let mut fields = vec![
        csv_field(&row.workload),
        csv_field(&row.stage),
        csv_field(&row.role),
        row.in_flight.to_string(),
        u8::from(row.held).to_string(),
        row.operations.to_string(),
        number(row.rate),
        number(row.interval.map(|i| i.0)),
        number(row.interval.map(|i| i.1)),
        number(row.bytes),
    ];
    fields.extend(row.times.map(|t| t.map_or_else(String::new, |n: Nanos| n.as_nanos().to_string())));
    fields.push(row.errors.map_or_else(String::new, |n| n.to_string()));
    fields.extend([csv_field(&row.caveats), csv_field(&row.struck)]);
    fields
}

/// Writes one table under a header with the keys of its columns; words are in English.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub(crate) fn table(t: &Table, out: &mut dyn Write) -> io::Result<()> {
    let ink = Ink::new(&crate::Style::default());
    let shown: Vec<usize> =
        (0..t.columns.len()).filter(|i| !t.columns[*i].key.is_empty() && t.columns[*i].only != Only::Screen).collect();
    let keys: Vec<&str> = shown.iter().map(|i| t.columns[*i].key).collect();
    writeln!(out, "{}", keys.join(","))?;
    for cells in t.cells() {
        let field = |i: &usize| match &cells[*i].value {
            // Our own figures, which may begin with a sign.
            Value::Fixed(..) | Value::Change(_) | Value::Growth(_) => {
                quote_csv(&cells[*i].value.raw().map_or_else(String::new, |v| v.to_string()))
            }
            value => value.raw().map_or_else(|| csv_field(&value.shown(ink)), |v| v.to_string()),
        };
        writeln!(out, "{}", shown.iter().map(field).collect::<Vec<_>>().join(","))?;
    }
    Ok(())
}
