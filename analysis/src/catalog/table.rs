//! Compact tables in catalogue files: one line for one type, `base/maximum` if it bursts, `a.16xlarge+metal` for sizes
//! of one family with the same figures.

use super::error::suggestion;
use super::row::BaseMax;
use model::clip;

/// Columns of a table of instances.
pub(super) const INSTANCE: [&str; 10] =
    ["type", "Mbps", "MBps", "MiBps", "iops", "read_iops", "write_iops", "read_MiBps", "write_MiBps", "network_Mbps"];
/// Columns of a table of volumes.
pub(super) const VOLUME: [&str; 13] = [
    "kind",
    "size",
    "disks",
    "price",
    "iops",
    "MBps",
    "MiBps",
    "read_iops",
    "write_iops",
    "read_MBps",
    "write_MBps",
    "read_MiBps",
    "write_MiBps",
];

/// Allowed difference between a published MB/s and its Mbps / 8, because both are rounded.
const ROUNDING: f64 = 0.6;

/// Mistake in a table or in one of its lines.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum TableError {
    #[error("{names}: {bits} Mbps are {} MB/s, not {bytes}: one of the two is a misprint", bits / 8.0)]
    Misprint { names: String, bits: f64, bytes: f64 },
    #[error("unknown column `{}`; known: {}{}", clip(column), known.join(", "), suggestion(nearest.as_deref()))]
    UnknownColumn { column: String, known: Vec<String>, nearest: Option<String> },
    #[error("`{0}` appears twice")]
    Twice(String),
    #[error("the first must be `{wanted}`, not `{found}`")]
    First { wanted: String, found: String },
    #[error("{values} values for {columns} columns in `{}`", clip(line))]
    Count { values: usize, columns: usize, line: String },
    #[error("{column}: `{}` is not a number", clip(cell))]
    NoFigure { column: String, cell: String },
    #[error("a line without a name")]
    NoName,
    #[error("`{}`: expected sizes joined by + after a family and a dot", clip(.0))]
    NoFamily(String),
}

/// One line of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// Types that the line describes.
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

    /// Returns bytes per second. If bits and bytes are both published they must agree, which reveals misprints.
    pub fn bandwidth(&self) -> Result<Option<BaseMax>, TableError> {
        if let Some((bits, bytes)) = self.level("Mbps").zip(self.level("MBps")) {
            for (bits, bytes) in [(bits.base, bytes.base), (bits.max, bytes.max)] {
                if (bits / 8.0 - bytes).abs() > ROUNDING {
                    return Err(TableError::Misprint { names: self.names.join("+"), bits, bytes });
                }
            }
        }
        // Of the two figures, the one in bits is exact.
        let exact = self.level("Mbps").map(|v| v.times(1e6 / 8.0));
        let decimal = self.level("MBps").map(|v| v.times(1e6));
        Ok(exact.or(decimal).or_else(|| self.level("MiBps").map(|v| v.times(1_048_576.0))))
    }
}

/// Parses the columns of a table; the first is the name.
pub(super) fn columns(text: &str, known: &[&str]) -> Result<Vec<String>, TableError> {
    let columns: Vec<String> = text.split(',').map(|c| c.trim().to_owned()).collect();
    for (i, column) in columns.iter().enumerate() {
        if !known.contains(&column.as_str()) {
            return Err(TableError::UnknownColumn {
                column: column.clone(),
                known: known.iter().map(|k| (*k).to_owned()).collect(),
                nearest: model::units::nearest(column, known.iter().copied()).map(str::to_owned),
            });
        }
        if columns[..i].contains(column) {
            return Err(TableError::Twice(column.clone()));
        }
    }
    if columns[0] != known[0] {
        return Err(TableError::First { wanted: known[0].to_owned(), found: columns[0].clone() });
    }
    Ok(columns)
}

/// Parses a line by its columns.
pub(super) fn record(line: &str, columns: &[String]) -> Result<Record, TableError> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        return Err(TableError::Count { values: cells.len(), columns: columns.len(), line: line.to_owned() });
    }
    let mut levels = Vec::with_capacity(cells.len() - 1);
    for (column, cell) in columns.iter().zip(&cells).skip(1) {
        if *cell != "-" {
            let wrong = || TableError::NoFigure { column: column.clone(), cell: (*cell).to_owned() };
            levels.push((column.clone(), level(cell).ok_or_else(wrong)?));
        }
    }
    Ok(Record { names: names(cells[0])?, levels })
}

/// Parses `650/4750`, or one value for both.
fn level(cell: &str) -> Option<BaseMax> {
    let (base, max) = cell.split_once('/').unwrap_or((cell, cell));
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
    let level = BaseMax { base: number(base)?, max: number(max)? };
    (level.max >= level.base).then_some(level)
}

/// Expands `t3.large+xlarge` to `t3.large` and `t3.xlarge`.
fn names(cell: &str) -> Result<Vec<String>, TableError> {
    let mut parts = cell.split('+');
    let first = parts.next().unwrap_or_default();
    if first.is_empty() {
        return Err(TableError::NoName);
    }
    let mut names = vec![first.to_owned()];
    for size in parts {
        let (family, _) = first.rsplit_once('.').ok_or_else(|| TableError::NoFamily(cell.to_owned()))?;
        names.push(format!("{family}.{size}"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Record, TableError> {
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
        let wrong = read("m4.10xlarge,8000,500,32000").unwrap().bandwidth().unwrap_err().to_string();
        assert!(wrong.contains("8000 Mbps are 1000 MB/s, not 500"), "{wrong}");
        assert!(read("m4.10xlarge,4000,500,32000").unwrap().bandwidth().is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |line: &str| read(line).unwrap_err().to_string();
        let wrong_columns = |text: &str| columns(text, &INSTANCE).unwrap_err().to_string();
        assert!(wrong("m4.large,450").contains("2 values for 4 columns"));
        assert!(wrong("m4.large,450,56.25,many").contains("`many` is not a number"));
        assert!(wrong("m4.large,450/300,56.25,3600").contains("is not a number"));
        assert!(wrong("P10+P15,1,1,1").contains("joined by +"));
        assert!(wrong_columns("type, MBsp").contains("did you mean `MBps`?"));
        assert!(wrong_columns("iops, type").contains("the first must be `type`"));
    }
}
