//! The series of a run as one CSV table: a row for each sampling time, and a column for each series, with its unit in
//! the header.

use crate::widgets::escape::csv_field;
use model::{RunRecord, measured::Series};
use std::io::{self, Write};

/// Writes the table: `time` in seconds on the run's clock, `wall clock` (RFC 3339) if the wall-clock time of the run's
/// zero is known, then every series. A missing value is an empty field, not zero.
///
/// `wall` converts a time on the run's clock to the text of the column `wall clock`.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_csv(record: &RunRecord, wall: &dyn Fn(model::Nanos) -> String, out: &mut dyn Write) -> io::Result<()> {
    let head = |s: &Series| format!("{} [{}]", s.name, s.unit);
    write!(out, "time [s],wall clock")?;
    for series in &record.series {
        write!(out, ",{}", csv_field(&head(series)))?;
    }
    writeln!(out)?;
    let mut times: Vec<model::Nanos> = record.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
    times.sort_unstable();
    times.dedup();
    let mut next = vec![0usize; record.series.len()];
    for at in times {
        write!(out, "{:.6},{}", at.secs(), csv_field(&wall(at)))?;
        for (series, next) in record.series.iter().zip(&mut next) {
            match series.points.get(*next).filter(|p| p.0 == at) {
                Some((_, value)) => {
                    *next += 1;
                    write!(out, ",{value}")?;
                }
                None => out.write_all(b",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::watch::testkit::watched;
    use model::Nanos;

    #[test]
    fn every_look_is_a_row_and_what_is_missing_is_empty() {
        let (mut record, _) = watched();
        record.series.iter_mut().find(|s| s.name == "cpu.user").expect("sampled").points.remove(1);
        let mut out = Vec::new();
        write_csv(&record, &|at: Nanos| format!("T+{:.0}", at.secs()), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|r| r.len() == record.series.len() + 2));
        let column = rows[0].iter().position(|h| *h == "cpu.user [percent]").unwrap();
        assert_eq!((rows[1][column], rows[2][column], rows[2][1]), ("12", "", "T+2"));
    }
}
