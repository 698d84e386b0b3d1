//! Age of published figures.

use super::row::{Mark, Origin};
use messages::sentence;
use model::Sentence;

/// Months after which figures are shown with a remark.
const OLD_MONTHS: i64 = 12;

/// Converts a date that begins with `YYYY-MM-DD` to months since year 0; a day counts as 1/31 month. Returns `None` for
/// any other text.
pub(super) fn months(date: &str) -> Option<f64> {
    let mut parts = date.get(..10)?.split('-');
    let mut number = |digits: usize| parts.next().filter(|p| p.len() == digits)?.parse::<u32>().ok();
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    ((1..=12).contains(&month) && (1..=31).contains(&day))
        .then(|| f64::from(year * 12 + month - 1) + f64::from(day - 1) / 31.0)
}

/// Returns a remark about the age of a figure published on `date`; `None` if it is less than a year old.
#[must_use]
pub fn age_remark(date: &str, today: &str) -> Option<Sentence> {
    if date.is_empty() {
        return Some(sentence!("published-undated"));
    }
    let age = months(today)? - months(date)?;
    (age > OLD_MONTHS as f64).then(|| sentence!("published-long-ago", date))
}

/// Returns `true` if the maxima of a row may have risen since they were published. This is not assumed for figures of
/// the last twelve months, nor for the user's own rows without a date.
pub(super) fn may_have_risen(origin: &Origin, today: &str) -> bool {
    !(origin.date.is_empty() && origin.mark == Mark::Own) && age_remark(&origin.date, today).is_some()
}

/// Returns a remark about a figure above the published maximum of a row whose maxima may have risen.
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
        assert_eq!(age_remark("2023-05-11", "2026-11-21").unwrap(), "published 2023-05-11, may have risen since");
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
