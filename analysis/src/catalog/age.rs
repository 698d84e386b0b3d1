//! How old a published figure is.

use super::row::{Mark, Origin};
use messages::sentence;
use model::Sentence;

/// Figures older than this are shown with a remark.
const OLD_MONTHS: i64 = 12;

/// Months since year 0 with the day as a fraction of 31, of `YYYY-MM-DD` and what follows it. `None` if it is no date.
pub(super) fn months(date: &str) -> Option<f64> {
    let mut parts = date.get(..10)?.split('-');
    let mut number = |digits: usize| parts.next().filter(|p| p.len() == digits)?.parse::<u32>().ok();
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    ((1..=12).contains(&month) && (1..=31).contains(&day))
        .then(|| f64::from(year * 12 + month - 1) + f64::from(day - 1) / 31.0)
}

/// What is to be said of a figure of this date on that day: nothing while it is younger than a year.
#[must_use]
pub fn age_remark(date: &str, today: &str) -> Option<Sentence> {
    if date.is_empty() {
        return Some(sentence!("published-undated"));
    }
    let age = months(today)? - months(date)?;
    (age > OLD_MONTHS as f64).then(|| sentence!("published-long-ago", date))
}

/// Whether the maxima of a row may have risen since they were published: not known of a figure of the last twelve months,
/// nor of what is the user's own and bears no date.
pub(super) fn may_have_risen(origin: &Origin, today: &str) -> bool {
    !(origin.date.is_empty() && origin.mark == Mark::Own) && age_remark(&origin.date, today).is_some()
}

/// What is to be said of a figure above the most that such a row knows.
pub(super) fn above_published(origin: &Origin, what: String, most: String) -> Sentence {
    match origin.date.as_str() {
        "" => sentence!("above-published-undated", what, most),
        date => sentence!("above-published", what, most, date),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_older_than_a_year_says_so() {
        assert_eq!(age_remark("2023-05-11", "2026-11-21").unwrap(), "published 2023-05-11, may have risen");
        assert_eq!(age_remark("2025-11-21", "2026-11-21T10:00:00Z"), None);
        assert!(age_remark("2025-11-20", "2026-11-21").is_some());
        assert!(age_remark("", "2026-11-21").unwrap().contains("without a date"));
        assert_eq!(age_remark("2026-08-21", "2026-11-21"), None);
    }

    #[test]
    fn what_is_no_date_is_none() {
        assert_eq!(months("yesterday"), None);
        assert_eq!(months("2023-13-01"), None);
        assert_eq!(months("2023-5-1"), None);
    }
}
