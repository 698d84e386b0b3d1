//! `secchi report RUN...`: judges stored runs again and writes them as a page, Markdown, CSV, JUnit, JSON or Parquet.

use anyhow::Result;
use cli::{Report, ReportFormat};
use messages::sentence;
use report::Style;
use session::console::{print, remark_of};
use session::exit::{self, Code, coded};
use session::language::chosen;
use session::outputs::{Outputs, Replaces};
use session::reject;
use session::result_files::{KeptRun, borrowed, format_for, write_tables};
use session::sources::Sources;
use std::path::Path;

pub fn run(options: &Report) -> Result<Code> {
    let file = options.output.as_deref().filter(|o| *o != Path::new("-"));
    let format = match (options.format, file) {
        (Some(ReportFormat::Parquet), Some(directory)) => return write_parquet(options, directory),
        (Some(ReportFormat::Parquet), None) => reject!("--format parquet writes four files: name a directory with -o"),
        (Some(ReportFormat::Document(format)), _) => format,
        (None, Some(file)) => format_for(file, ", or name one with --format")?,
        (None, None) => report::format("terminal").expect("the terminal format is registered"),
    };
    let mut sources = Sources::new(options.store.store.as_ref());
    let mut runs = read(options, &mut sources)?;
    // Only pages draw the course of earlier runs, for which the store is listed.
    if let (true, [run]) = (format.name == "html", runs.as_mut_slice()) {
        run.earlier = sources.earlier(&run.record);
    }
    let claim = |file| Outputs::new(options.force).claim(file, Replaces::Ours);
    let mut output = file.map(claim).transpose()?;
    let mut text = Vec::new();
    let style = Style { language: chosen(), ..Style::default() };
    let written = match file {
        None if format.is_screen() => {
            print(|style, out| format.write(&borrowed(&runs), style, out))?;
            return Ok(code(&runs));
        }
        Some(_) => format.write_file(&borrowed(&runs), chosen(), &mut text),
        None => format.write(&borrowed(&runs), &style, &mut text),
    };
    written.map_err(|e| coded(exit::CANNOT, format!("cannot create the report: {e}")))?;
    match &mut output {
        None => print(|_, out| out.write_all(&text))?,
        Some(output) => {
            output.fill_or_report(|out| out.write_all(&text))?;
            let (file, size) = (output.display().to_string(), model::Bytes(text.len() as u64));
            remark_of(&sentence!("remark-report-written", file, size));
        }
    }
    Ok(code(&runs))
}

fn write_parquet(options: &Report, directory: &Path) -> Result<Code> {
    let runs = read(options, &mut Sources::new(options.store.store.as_ref()))?;
    let code = code(&runs);
    write_tables(directory, options.force, runs.into_iter().map(Ok)).map(|()| code)
}

fn code(runs: &[KeptRun]) -> Code {
    runs.iter().map(|r| exit::of_kept_run(&r.record)).find(|code| *code != exit::OK).unwrap_or(exit::OK)
}

fn read(options: &Report, sources: &mut Sources<'_>) -> Result<Vec<KeptRun>> {
    let mut runs: Vec<KeptRun> = Vec::new();
    for typed in &options.runs {
        // A source that is not a path may have a label in front: `before=4f795812`.
        let (label, source) = match typed.split_once('=') {
            Some((label, source)) if !label.contains(['/', '.']) && !label.is_empty() => (label, source),
            _ => ("", typed.as_str()),
        };
        let run = sources.find(source)?.judged(label.to_owned())?;
        if runs.iter().any(|r| r.record.id == run.record.id) {
            reject!("run {} is given twice", model::clip(typed));
        }
        runs.push(run);
    }
    Ok(runs)
}
