//! Output of mgstat from InterSystems IRIS and Caché: its file (`.mgst`) or terminal output.
//!
//! After a header of column names, there is one row of rates per second for each interval. Headers may be repeated or
//! missing, and may have other columns (40 columns in Caché). There may be prompts and other lines between rows.
//! `PhyRds`, `PhyWrs`, `Jrnwrts` and `WIJwri` count blocks, not transfers.

use crate::format::Format;
use crate::text::dates::{DateOrder, date_order, date_parts, date_time, time_of_day};
use crate::text::delimited::fields;
use crate::text::figure;
use crate::text::series::{Clock, point, series, usual_periods};
use crate::text::source::{ImportError, Nothing, Source, add_remark, clip, pass_over, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignSeries};
use model::measured::MGSTAT_COLUMNS;

pub(crate) const FORMAT: Format = Format { name: "mgstat", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    let head = source.head();
    head.lines().any(is_header) || head.lines().filter(|l| row(l).is_some_and(|(_, _, f)| f.len() >= 10)).count() >= 3
}

pub(crate) fn is_header(line: &str) -> bool {
    line.contains("Glorefs") && line.contains("PhyWrs") && line.contains(',')
}

/// Splits a sample's line into date, time and values.
fn row(line: &str) -> Option<(&str, &str, Vec<Option<f64>>)> {
    let mut list = line.split(',').map(str::trim);
    let (date, time) = (list.next()?, list.next()?);
    date_parts(date)?;
    time_of_day(time)?;
    let mut values = Vec::with_capacity(16);
    for field in list {
        values.push(if field.is_empty() { None } else { Some(figure::whole(field)?.value) });
    }
    Some((date, time, values))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "mgstat".to_owned(), ..ForeignFile::default() };
    let lines = source.lines()?.filter(|(_, l)| l.contains(','));
    let (order, sure) = date_order(lines.filter_map(|(_, l)| l.split(',').next()));
    rows(source.lines()?, order, &mut file, source)?;
    if !sure {
        file.remarks.push(remark(0, sentence!("import-month-or-day")));
    }
    Ok(vec![file])
}

/// Adds rows printed by mgstat to the series of a file.
pub(crate) fn rows<'a>(
    lines: impl Iterator<Item = (u32, &'a str)>,
    order: DateOrder,
    file: &mut ForeignFile,
    source: &Source<'_>,
) -> Result<(), Nothing> {
    let mut clock = Clock::default();
    let mut columns: Vec<String> = Vec::new();
    let mut list: Vec<ForeignSeries> = Vec::new();
    // Index of each column's series in the list of series.
    let mut places: Vec<usize> = Vec::new();
    for (number, line) in lines {
        source.in_time_at(number)?;
        if is_header(line) {
            columns = fields(line, ',').into_iter().skip(2).filter(|f| !f.is_empty()).collect();
            places.clear();
            continue;
        }
        let Some((date, time, values)) = row(line) else {
            let text = line.trim();
            if !text.is_empty() && !text.starts_with("%SYS>") {
                pass_over(&mut file.remarks, number, text);
            }
            continue;
        };
        if columns.is_empty() {
            let text = match values.len() {
                12 => {
                    columns = MGSTAT_COLUMNS.map(str::to_owned).to_vec();
                    sentence!("import-header-of-iris")
                }
                other => {
                    columns = (3..other + 3).map(|i| format!("column {i}")).collect();
                    sentence!("import-header-missing", n = other)
                }
            };
            file.remarks.push(remark(number, text));
        }
        let Some(second) = date_time(date, time, order) else {
            add_remark(&mut file.remarks, number, || sentence!("import-no-date", text = clip(line)));
            continue;
        };
        if file.when.is_empty() {
            file.when = format!("{date} {time}");
        }
        if values.len() < columns.len() {
            add_remark(&mut file.remarks, number, || sentence!("import-row-cut"));
        }
        let at = clock.at(second, number, &mut file.remarks);
        if places.is_empty() {
            places = columns.iter().map(|name| place(&mut list, name)).collect();
        }
        for (value, place) in values.iter().zip(&places) {
            if let Some(value) = value {
                point(&mut list[*place], at, *value, number);
            }
        }
    }
    list.retain(|s| !s.points.is_empty());
    if list.is_empty() {
        return Err(Nothing(sentence!("import-mgstat-empty")));
    }
    file.began = clock.began();
    file.series.extend(list);
    usual_periods(file);
    Ok(())
}

fn place(list: &mut Vec<ForeignSeries>, name: &str) -> usize {
    list.iter().position(|s| s.name == name).unwrap_or_else(|| {
        list.push(series(name, unit(name), None));
        list.len() - 1
    })
}

fn unit(name: &str) -> &'static str {
    match name {
        "PhyRds" | "PhyWrs" | "WIJwri" | "Jrnwrts" | "Addblk" => "blocks/s",
        "WDQsz" | "WDtmpq" => "blocks",
        "WDphase" => "phase",
        "WDpass" => "pass",
        "BytSnt" | "BytRcd" => "B/s",
        "GRratio" | "Rdratio" => "ratio",
        "IJUcnt" | "IJULock" => "count",
        _ => "1/s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "%SYS>d dsp^mgstat(1,10000)\n\
        Date,       Time    ,  Glorefs, GRratio,  PhyRds, Gloupds, Rourefs,  PhyWrs,   WDQsz, WDphase, Jrnwrts,  WDpass,  IJUcnt, IJULock\n\
        04/15/2022, 23:59:58,     6696,       0,    1614,    6696,       0,       0,  148531,       5,       0,      72,       0,       0\n\
        Date,       Time    ,  Glorefs, GRratio,  PhyRds, Gloupds, Rourefs,  PhyWrs,   WDQsz, WDphase, Jrnwrts,  WDpass,  IJUcnt, IJULock\n\
        04/15/2022, 23:59:59,     5710,       0,    1418,    5710,       0,    7490,  159409,       8,       0,      73,       0,       0\n\
        04/15/2022, 00:00:00,     4899,       0,    1201,    4898,       0,   11456,  163677,       8,       0,      73,       0,       0\n\
        %SYS>\n";

    fn file(text: &str) -> ForeignFile {
        crate::read::read("x", text.as_bytes()).unwrap().remove(0)
    }

    #[test]
    fn rows_between_prompts_and_headers_are_one_series_over_midnight() {
        let read = file(TEXT);
        assert_eq!((read.format.as_str(), read.series.len()), ("mgstat", 12));
        let writes = read.series("PhyWrs").unwrap();
        assert_eq!(writes.unit, "blocks/s");
        let points: Vec<(f64, f64, u32)> = writes.points.iter().map(|p| (p.at, p.value, p.line)).collect();
        assert_eq!(points, [(0.0, 0.0, 3), (1.0, 7490.0, 5), (2.0, 11_456.0, 6)]);
        assert_eq!(writes.period, Some(1.0));
        assert_eq!(read.remarks, [], "{:?}", read.remarks);
    }

    #[test]
    fn both_forms_of_dates_are_read_and_a_doubtful_one_is_told() {
        let other = file(&TEXT.replace("04/15/2022", "2022-04-15"));
        assert_eq!(other.began, file(TEXT).began);
        assert_eq!(file(&TEXT.replace("04/15/2022", "15/04/2022")).began, other.began);
        let doubtful = file(&TEXT.replace("04/15/2022", "04/07/2022"));
        assert!(doubtful.remarks.iter().any(|r| r.text.contains("month/day")), "{:?}", doubtful.remarks);
    }

    #[test]
    fn without_its_header_the_columns_are_a_guess_that_is_told() {
        let bare: String = TEXT.lines().filter(|l| l.starts_with("04")).map(|l| format!("{l}\n")).collect();
        let read = file(&bare);
        assert_eq!(read.series("PhyWrs").unwrap().points.len(), 3);
        assert!(read.remarks.iter().any(|r| r.text.contains("header is missing")), "{:?}", read.remarks);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), put in "[0-9,/: \\n-]{0,12}") {
            let mut text = TEXT.to_owned();
            text.insert_str(at, &put);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
