//! HammerDB's result line: `TEST RESULT : System achieved 42332 NOPM from 97427 PostgreSQL TPM`. Before version 4,
//! HammerDB printed the two figures in the opposite order.
//!
//! NOPM are new orders per minute, which are comparable between databases. TPM are transactions per minute, which each
//! database counts differently (HammerDB's documentation, "What is the difference between NOPM and TPM"). Both figures
//! measure work done by a database, not device operations.

use crate::format::Format;
use crate::text::figure::{Cut, Figure, number};
use crate::text::source::{self, ImportError, Source, clip, tool_error};
use model::foreign::{ForeignFile, ForeignTest, ForeignWork, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "hammerdb", shares_a_log: true, recognise, read };

/// Text that precedes the figures.
const RESULT: &str = "TEST RESULT : System achieved ";

fn recognise(source: &Source<'_>) -> bool {
    source.text().contains(RESULT)
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "HammerDB".to_owned(), ..ForeignFile::default() };
    let mut users = None;
    source.each_line(|line, text| {
        if let Some((who, result)) = text.split_once(RESULT) {
            match figures(result) {
                Some(figures) => file.tests.push(test(line, text, who, users, figures)),
                None => tool_error(&mut file, line, text),
            }
        } else if let Some((before, _)) = text.split_once(" Active Virtual Users configured") {
            users = before.rsplit([' ', ':', '"']).next().and_then(|n| n.parse().ok());
        } else if text.contains("FINISHED FAILED") || text.contains("Error in Virtual User") {
            tool_error(&mut file, line, text);
        }
    })?;
    source::with_tests(vec![file], "HammerDB")
}

/// Parses the new orders per minute, the transactions per minute, and the name of the database.
fn figures(result: &str) -> Option<(Figure, Figure, &str)> {
    let (first, rest) = number(result)?;
    let rest = rest.strip_prefix(' ')?;
    if let Some(rest) = rest.strip_prefix("NOPM from ") {
        let (transactions, rest) = number(rest)?;
        let (database, _) = rest.trim_start().split_once("TPM")?;
        return Some((first, transactions, database.trim()));
    }
    let (database, rest) = rest.split_once("TPM at ")?;
    let (orders, _) = number(rest)?;
    Some((orders, first, database.trim()))
}

fn test(
    line: u32,
    words: &str,
    who: &str,
    users: Option<u32>,
    (orders, transactions, database): (Figure, Figure, &str),
) -> ForeignTest {
    let name = format!("{database} {} NOPM, {} TPM", orders.value, transactions.value).trim().to_owned();
    let mut test = ForeignTest { name, line, ..ForeignTest::default() };
    test.asked.jobs = users;
    let who = who.trim().trim_end_matches(':');
    if !who.is_empty() {
        test.asked.others.push(("reported by".to_owned(), clip(who)));
    }
    for (work, figure) in [(ForeignWork::NewOrders, orders), (ForeignWork::Transactions, transactions)] {
        let quantity = Quantity::Work(work, Statistic::Overall);
        test.values.push(figure.times(1.0 / 60.0).to_value(Way::All, quantity, Cut::Down, line, clip(words)));
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/hammerdb.txt");

    #[test]
    fn results_of_both_forms_are_read() {
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        let names: Vec<&str> = file.tests.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "PostgreSQL 2779 NOPM, 6611 TPM",
                "PostgreSQL 2891 NOPM, 6888 TPM",
                "SQL Server 13207 NOPM, 60501 TPM",
                "Oracle 27975 NOPM, 0 TPM"
            ]
        );
        let rate = |place: usize, work| file.tests[place].value(Way::All, Quantity::Work(work, Statistic::Overall));
        assert!(rate(0, ForeignWork::NewOrders).is_some_and(|r| (r - 2779.0 / 60.0).abs() < 1e-9));
        assert!(rate(2, ForeignWork::Transactions).is_some_and(|r| (r - 60_501.0 / 60.0).abs() < 1e-9));
        assert_eq!((file.tests[2].asked.jobs, file.tests[3].asked.jobs), (Some(10), Some(5)));
        assert!(file.faults.is_empty(), "{:?}", file.faults);
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z=/:. \\n-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
