//! Results as documents: the formats a file's name says, one run or several, or two sides compared.

use crate::args::{ReportFormat, ResultArgs};
use crate::exit::{self, coded};
use crate::language::chosen;
use crate::outputs::{Output, Outputs, Replaces};
use anyhow::Result;
use messages::Language;
use model::{Comparison, Judgement, Labels, RunRecord};
use report::Style;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A run with the name it has on the page; empty = none was given.
pub struct Reported {
    #[cfg_attr(not(feature = "html"), expect(dead_code, reason = "only pages show it"))]
    pub label: String,
    pub record: RunRecord,
    pub judgement: Judgement,
    /// What is said of it where it is kept.
    pub labels: Labels,
}

impl Reported {
    /// A run with what is said of it by the rules of today.
    pub fn judged(label: String, record: RunRecord, labels: Labels) -> Self {
        Reported { label, judgement: analysis::judge(&record), record, labels }
    }
}

/// As `--json` prints it.
#[derive(Serialize)]
pub struct Document<'a> {
    pub comparison: &'a Comparison,
}

/// Files that a measuring command writes its result to, each in the format its name says.
pub struct ResultFiles(Vec<(ReportFormat, Output)>);

impl ResultFiles {
    /// Nothing is written.
    pub fn none() -> Self {
        ResultFiles(Vec::new())
    }

    /// Claims them where nothing else is written; `spared` is what is measured.
    ///
    /// # Errors
    /// As [`ResultFiles::claim`].
    pub fn claim_alone(args: &ResultArgs, spared: &Path) -> Result<Self> {
        let mut outputs = Outputs::new(args.force);
        outputs.spare(spared);
        ResultFiles::claim(&args.outputs, &mut outputs)
    }

    /// Claims them before anything is measured.
    ///
    /// # Errors
    /// One sentence: a name that says no format, or a file that may not be replaced.
    pub fn claim(files: &[PathBuf], outputs: &mut Outputs) -> Result<Self> {
        let one = |file: &PathBuf| Ok((format_of(file, "")?, outputs.claim(file, Replaces::Ours)?));
        Ok(ResultFiles(files.iter().map(one).collect::<Result<_>>()?))
    }

    /// Claims them for a comparison, which has no form for a list of tests.
    ///
    /// # Errors
    /// As [`ResultFiles::claim`].
    pub fn claim_comparison(args: &ResultArgs, outputs: &mut Outputs) -> Result<Self> {
        let files = ResultFiles::claim(&args.outputs, outputs)?;
        match files.0.iter().find(|(format, _)| *format == ReportFormat::Junit) {
            Some((_, file)) => {
                let why =
                    format!("output {}: a comparison is written as .html, .md, .csv, .json or .txt", file.display());
                Err(coded(exit::BAD_INPUT, why))
            }
            None => Ok(files),
        }
    }

    /// Writes a comparison into them; `runs` are those of ours, for a page.
    ///
    /// # Errors
    /// The first that could not be written, in one sentence.
    pub fn write_comparison(&mut self, comparison: &Comparison, runs: impl FnOnce() -> Vec<Reported>) -> Result<()> {
        let paged = self.0.iter().any(|(format, _)| *format == ReportFormat::Html);
        let runs = if paged { runs() } else { Vec::new() };
        let style = Style { language: chosen(), ..Style::default() };
        let mut told = Ok(());
        for (format, output) in &mut self.0 {
            told = told.and(output.fill_or_say(|out| match format {
                ReportFormat::Html => page(&runs, Some(comparison), chosen(), None, out),
                ReportFormat::Markdown => report::write_comparison_markdown(comparison, &style, out),
                ReportFormat::Csv => report::write_comparison_csv(comparison, out),
                ReportFormat::Json => report::write_document(&Document { comparison }, out),
                ReportFormat::Terminal | ReportFormat::Junit => {
                    writeln!(out, "{}a comparison\n", report::TEXT_MARK)?;
                    report::write_comparison(comparison, &style, out)
                }
            }));
        }
        told
    }

    /// Writes them. What is lost of one does not keep the others from being written.
    ///
    /// # Errors
    /// The first that could not be written, in one sentence.
    pub fn write(&mut self, record: &RunRecord, judgement: &Judgement) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let labels = Labels::default();
        let runs = [Reported { label: String::new(), record: record.clone(), judgement: judgement.clone(), labels }];
        let mut told = Ok(());
        for (format, output) in &mut self.0 {
            told = told.and(output.fill_or_say(|out| write_file(*format, &runs, chosen(), out)));
        }
        told
    }
}

/// `otherwise`: what else would say the format.
pub fn format_of(file: &Path, otherwise: &str) -> Result<ReportFormat> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    Ok(match ending.as_str() {
        "html" | "htm" => ReportFormat::Html,
        "md" | "markdown" => ReportFormat::Markdown,
        "csv" => ReportFormat::Csv,
        "xml" => ReportFormat::Junit,
        "json" => ReportFormat::Json,
        "txt" => ReportFormat::Terminal,
        _ => {
            let why = format!(
                "output {}: its name says no format: .html, .md, .csv, .xml, .json or .txt{otherwise}",
                file.display()
            );
            return Err(coded(exit::BAD_INPUT, why));
        }
    })
}

/// What a file holds: of a screen with a line before it by which the file is known again.
pub fn write_file(format: ReportFormat, runs: &[Reported], language: Language, out: &mut dyn Write) -> io::Result<()> {
    if format == ReportFormat::Terminal {
        let ids: Vec<&str> = runs.iter().map(|r| r.record.id.as_str()).collect();
        write!(out, "{}{}\n\n", report::TEXT_MARK, ids.join(" "))?;
    }
    write(format, runs, language, &Style { language, ..Style::default() }, out)
}

pub fn write(
    format: ReportFormat,
    runs: &[Reported],
    language: Language,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let one = |name: &str, out: &mut dyn Write| {
        let format = report::format(name).expect("every format is registered");
        runs.iter().try_for_each(|r| format.write(&r.record, &r.judgement, style, out))
    };
    match format {
        ReportFormat::Html => page(runs, None, language, None, out),
        ReportFormat::Terminal => {
            runs.iter().try_for_each(|r| report::write_labels(&r.labels, style, out))?;
            one("terminal", out)
        }
        ReportFormat::Markdown => {
            one("markdown", out)?;
            runs.iter().try_for_each(|r| report::write_markdown_labels(&r.labels, style, out))
        }
        ReportFormat::Json => runs.iter().try_for_each(|r| report::write_kept(&r.record, &r.judgement, &r.labels, out)),
        ReportFormat::Junit => runs.iter().try_for_each(|r| report::write_junit(&r.record, &r.judgement, out)),
        ReportFormat::Csv => {
            // One table of all runs has one head.
            let mut text = Vec::new();
            one("csv", &mut text)?;
            let text = String::from_utf8(text).map_err(io::Error::other)?;
            let head = text.lines().next().unwrap_or_default();
            let rows = text.lines().filter(|l| *l != head);
            std::iter::once(head).chain(rows).try_for_each(|l| writeln!(out, "{l}"))
        }
    }
}

/// The page of one or several runs, or of two sides compared; `home` leads back to where it is served from.
#[cfg(feature = "html")]
pub fn page(
    runs: &[Reported],
    comparison: Option<&Comparison>,
    language: Language,
    home: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    use report::formats::html::{Page, PageRun, write_page};
    let runs: Vec<PageRun<'_>> = runs
        .iter()
        .map(|r| PageRun { label: &r.label, record: &r.record, judgement: &r.judgement, labels: &r.labels })
        .collect();
    write_page(&Page { runs: &runs, comparison, language, home }, out)
}

#[cfg(not(feature = "html"))]
fn page(_: &[Reported], _: Option<&Comparison>, _: Language, _: Option<&str>, _: &mut dyn Write) -> io::Result<()> {
    Err(io::Error::other("this build has no pages (it was made without the feature `html`)"))
}
