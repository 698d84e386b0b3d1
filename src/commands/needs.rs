//! `secchi needs`: shows what a recording or a file of samples demands of the storage, on the screen and as a contract.

use analysis::{DemandBuilder, demand_contract, sampled_demand};
use anyhow::Result;
use cli::RecordingNeeds;
use import::{FORMATS, RecordingImportError, Source};
use model::foreign::ForeignFile;
use report::{Style, Subject};
use session::exit::{self, Code, coded};
use session::inputs::cannot_read;
use session::inputs::recordings::{self, Found};
use session::language::chosen;
use session::outputs::{Outputs, Replaces};
use session::{bail, console};
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(options: &RecordingNeeds) -> Result<Code> {
    let mut builder = DemandBuilder::default();
    let source = recordings::find(&options.recording, |request, targets| builder.add(request, targets))?;
    let wrong = |reason: String| coded(exit::BAD_INPUT, cannot_read(&options.recording, &reason));
    let (demand, damage) = match source {
        Found::Recording(read) => (builder.finish(read.header.layer, read.end.as_ref(), &read.lost), read.damage),
        Found::Other(bytes) => {
            let files = foreign_files(&options.recording, &bytes).map_err(wrong)?;
            (sampled_demand(&files).map_err(|reason| wrong(reason.to_owned()))?, None)
        }
    };
    let name = options.recording.file_name().unwrap_or(options.recording.as_os_str()).to_string_lossy().into_owned();
    let mut outputs = Outputs::new(options.force);
    outputs.spare(&options.recording);
    let mut claim = |path: &Option<PathBuf>, replaces| path.as_deref().map(|p| outputs.claim(p, replaces)).transpose();
    let mut page = claim(&options.html, Replaces::Ours)?;
    let mut contract = claim(&options.contract, Replaces::Begun("# Derived by `secchi needs`"))?;
    let written = |format: &str, style: &Style, out: &mut dyn Write| {
        let format = report::format(format).expect("the format is registered");
        format.write(Subject::Demand(&name, &demand), style, out)
    };
    if let Some(output) = &mut page {
        output.fill_or_report(|out| written("html", &Style { language: chosen(), ..Style::default() }, out))?;
    }
    if let Some(output) = &mut contract {
        let Some(text) = demand_contract(&demand, &name, options.headroom.0) else {
            bail!(
                exit::INVALID,
                "{name} is too short for a contract: no role has 1,000 requests of a known size, or it lasts less \
                 than a second"
            );
        };
        output.fill_or_report(|out| out.write_all(text.as_bytes()))?;
    }
    console::print(|style, out| written(if options.json { "json" } else { "terminal" }, style, out))?;
    let Some(damage) = damage else { return Ok(exit::OK) };
    console::remark(&format!("{name}: {}", console::translate(&damage.sentence())));
    Ok(exit::INVALID)
}

/// Returns the content of a file of samples; an error if no known tool wrote it.
pub(super) fn foreign_files(path: &Path, bytes: &[u8]) -> Result<Vec<ForeignFile>, String> {
    let name = path.display().to_string();
    let source = Source::new(&name, bytes, &|| false).map_err(|error| error.to_string())?;
    if !FORMATS.iter().any(|format| (format.recognise)(&source)) {
        return Err(format!("{}, and has no samples of a known tool", RecordingImportError::Unknown));
    }
    import::read(&name, bytes).map_err(|error| error.to_string())
}
