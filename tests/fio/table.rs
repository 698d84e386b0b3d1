//! Aligned table of the comparisons.

/// A row of the table.
#[derive(Debug, Clone)]
pub struct Row {
    pub case: String,
    pub what: String,
    pub fio: String,
    pub ours: String,
    /// Our figure divided by fio's, if both are figures.
    pub ratio: Option<f64>,
    /// True if the figures differ by more than a factor of two. Figures of several runs do only if every run of one
    /// program differs so much from every run of the other.
    pub gross: bool,
    /// Description of the difference; `None` if they agree.
    pub wrong: Option<String>,
}

impl Row {
    pub fn agreed(what: impl Into<String>, fio: impl Into<String>, ours: impl Into<String>) -> Row {
        let (what, fio, ours) = (what.into(), fio.into(), ours.into());
        Row { case: String::new(), what, fio, ours, ratio: None, gross: false, wrong: None }
    }

    pub fn ratio(mut self, fio: f64, ours: f64) -> Row {
        self.ratio = (fio != 0.0).then(|| ours / fio);
        self.gross = self.ratio.is_some_and(|ratio| !(0.5..=2.0).contains(&ratio));
        self
    }

    pub fn wrong_unless(mut self, good: bool, why: impl Into<String>) -> Row {
        if !good {
            self.wrong = Some(why.into());
        }
        self
    }
}

/// Returns the rows as text with aligned columns.
pub fn table(rows: &[Row]) -> String {
    let head = ["case", "compared", "fio", "secchi", "ratio", "verdict"].map(str::to_owned);
    let mut lines = vec![head];
    for row in rows {
        let ratio = row.ratio.map_or(String::new(), |r| format!("{r:.3}"));
        let verdict = row.wrong.clone().map_or("agrees".to_owned(), |why| format!("DIFFERS: {why}"));
        lines.push([row.case.clone(), row.what.clone(), row.fio.clone(), row.ours.clone(), ratio, verdict]);
    }
    let mut widths = [0; 5];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(&format!("{}  {}\n", cells.join("  "), line[5]));
    }
    text
}

/// Formats a figure with about four digits and a suffix for a power of a thousand.
pub fn short(figure: f64) -> String {
    match figure.abs() {
        f if f >= 1e9 => format!("{:.3}G", figure / 1e9),
        f if f >= 1e6 => format!("{:.3}M", figure / 1e6),
        f if f >= 1e4 => format!("{:.2}k", figure / 1e3),
        f if f >= 100.0 || f == 0.0 => format!("{figure:.0}"),
        _ => format!("{figure:.2}"),
    }
}
