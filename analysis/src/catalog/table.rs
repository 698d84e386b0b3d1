//! Compact tables in catalogue files: one line for one type, `base/maximum` where it bursts, `a.16xlarge+metal` for sizes
//! of one family with the same figures.

use super::row::BaseMax;

/// Columns of a table of instances.
pub(super) const INSTANCE: [&str; 5] = ["type", "Mbps", "MBps", "MiBps", "iops"];
/// Columns of a table of volumes.
pub(super) const VOLUME: [&str; 7] = ["kind", "size", "iops", "MBps", "MiBps", "read_iops", "write_iops"];

/// A published MB/s may differ so much from its Mbps / 8: they are rounded.
const ROUNDING: f64 = 0.6;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// Types it speaks of.
    pub names: Vec<String>,
    levels: Vec<(String, BaseMax)>,
}

impl Record {
    pub fn level(&self, column: &str) -> Option<BaseMax> {
        self.levels.iter().find(|(c, _)| c == column).map(|(_, v)| *v)
    }

    pub fn bursts(&self) -> bool {
        self.levels.iter().any(|(_, v)| v.bursts())
    }

    /// Bytes per second. Where bits and bytes are both published they must be the same: it is how misprints are found.
    pub fn bandwidth(&self) -> Result<Option<BaseMax>, String> {
        let scaled = |v: BaseMax, factor: f64| BaseMax { base: v.base * factor, max: v.max * factor };
        if let Some((bits, bytes)) = self.level("Mbps").zip(self.level("MBps")) {
            for (bits, bytes) in [(bits.base, bytes.base), (bits.max, bytes.max)] {
                if (bits / 8.0 - bytes).abs() > ROUNDING {
                    return Err(format!(
                        "{}: {bits} Mbps are {} MB/s, not {bytes}: one of the two is misprinted",
                        self.names.join("+"),
                        bits / 8.0
                    ));
                }
            }
        }
        // Of the two the bits are exact.
        let exact = self.level("Mbps").map(|v| scaled(v, 1e6 / 8.0));
        let decimal = self.level("MBps").map(|v| scaled(v, 1e6));
        Ok(exact.or(decimal).or_else(|| self.level("MiBps").map(|v| scaled(v, 1_048_576.0))))
    }
}

/// The columns of a table; the first is the name.
pub(super) fn columns(text: &str, known: &[&str]) -> Result<Vec<String>, String> {
    let columns: Vec<String> = text.split(',').map(|c| c.trim().to_owned()).collect();
    for (i, column) in columns.iter().enumerate() {
        if !known.contains(&column.as_str()) {
            let hint = model::nearest(column, known.iter().copied())
                .map(|n| format!("; did you mean `{n}`?"))
                .unwrap_or_default();
            return Err(format!("`{}` is not known: {}{hint}", model::clip(column), known.join(", ")));
        }
        if columns[..i].contains(column) {
            return Err(format!("`{column}` is there twice"));
        }
    }
    if columns[0] != known[0] {
        return Err(format!("the first is `{}`, not `{}`", known[0], columns[0]));
    }
    Ok(columns)
}

/// A line read by its columns.
pub(super) fn record(line: &str, columns: &[String]) -> Result<Record, String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(format!("{} values for {} columns in `{}`", cells.len(), columns.len(), model::clip(line)));
    }
    let mut levels = Vec::with_capacity(cells.len() - 1);
    for (column, cell) in columns.iter().zip(&cells).skip(1) {
        if *cell != "-" {
            levels.push((
                column.clone(),
                level(cell).ok_or_else(|| format!("{column}: `{}` is no figure", model::clip(cell)))?,
            ));
        }
    }
    Ok(Record { names: names(cells[0])?, levels })
}

/// `650/4750`, or one value for both.
fn level(cell: &str) -> Option<BaseMax> {
    let (base, max) = cell.split_once('/').unwrap_or((cell, cell));
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
    let level = BaseMax { base: number(base)?, max: number(max)? };
    (level.max >= level.base).then_some(level)
}

/// `t3.large+xlarge` is `t3.large` and `t3.xlarge`.
fn names(cell: &str) -> Result<Vec<String>, String> {
    let mut parts = cell.split('+');
    let first = parts.next().unwrap_or_default();
    if first.is_empty() {
        return Err("a line without a name".to_owned());
    }
    let mut names = vec![first.to_owned()];
    for size in parts {
        let (family, _) = first
            .rsplit_once('.')
            .ok_or_else(|| format!("`{}`: sizes are joined by + behind a family and a dot", model::clip(cell)))?;
        names.push(format!("{family}.{size}"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Record, String> {
        record(line, &columns("type, Mbps, MBps, iops", &INSTANCE).unwrap())
    }

    #[test]
    fn a_line_speaks_of_several_sizes_with_base_and_maximum() {
        let r = read("t3.large+xlarge,695/2780,86.88/347.5,4000/15700").unwrap();
        assert_eq!(r.names, ["t3.large", "t3.xlarge"]);
        assert_eq!(r.level("iops"), Some(BaseMax { base: 4000.0, max: 15_700.0 }));
        assert_eq!(r.bandwidth().unwrap().unwrap().max, 347_500_000.0);
    }

    #[test]
    fn the_misprint_of_an_older_edition_is_found() {
        let wrong = read("m4.10xlarge,8000,500,32000").unwrap().bandwidth().unwrap_err();
        assert!(wrong.contains("8000 Mbps are 1000 MB/s, not 500"), "{wrong}");
        assert!(read("m4.10xlarge,4000,500,32000").unwrap().bandwidth().is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        assert!(read("m4.large,450").unwrap_err().contains("2 values for 4 columns"));
        assert!(read("m4.large,450,56.25,many").unwrap_err().contains("`many` is no figure"));
        assert!(read("m4.large,450/300,56.25,3600").unwrap_err().contains("is no figure"));
        assert!(read("P10+P15,1,1,1").unwrap_err().contains("joined by +"));
        assert!(columns("type, MBsp", &INSTANCE).unwrap_err().contains("did you mean `MBps`?"));
        assert!(columns("iops, type", &INSTANCE).unwrap_err().contains("the first is `type`"));
    }
}
