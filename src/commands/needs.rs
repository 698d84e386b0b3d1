//! `secchi needs`: what a recording, or samples, ask of storage, on the screen and as a contract.

use crate::args::RecordingNeeds;
use crate::exit::{self, Code, coded};
use crate::language::chosen;
use crate::outputs::{Outputs, Replaces};
use crate::terminal;
use analysis::{DemandBuilder, demand_contract, sampled_demand};
use anyhow::Result;
use import::{FORMATS, RecordingImportError, Source};
use model::Demand;
use recording::{RecordingError, RecordingReader};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

pub fn run(options: &RecordingNeeds) -> Result<Code> {
    let (demand, damage) = read(&options.recording)?;
    let name = options.recording.file_name().unwrap_or(options.recording.as_os_str()).to_string_lossy().into_owned();
    let mut outputs = Outputs::new(options.force);
    outputs.spare(&options.recording);
    let mut claim = |path: &Option<PathBuf>, replaces| path.as_deref().map(|p| outputs.claim(p, replaces)).transpose();
    let mut page = claim(&options.html, Replaces::Ours)?;
    let mut contract = claim(&options.contract, Replaces::Begun("# Derived by `secchi needs`"))?;
    if let Some(output) = &mut page {
        output.fill_or_report(|out| report::write_demand_page(&name, &demand, chosen(), out))?;
    }
    if let Some(output) = &mut contract {
        let Some(text) = demand_contract(&demand, &name, options.headroom.0) else {
            let why = format!(
                "{name} asks too little for a contract: of no role 1,000 requests of a known size, or it is shorter than a second"
            );
            return Err(coded(exit::INVALID, why));
        };
        output.fill_or_report(|out| out.write_all(text.as_bytes()))?;
    }
    if options.json {
        terminal::print(|_, out| report::write_demand_json(&name, &demand, out))?;
    } else {
        terminal::print(|style, out| report::write_demand(&name, &demand, style, out))?;
    }
    let Some(damage) = damage else { return Ok(exit::OK) };
    terminal::remark(&format!("{name}: {}", terminal::translate(&damage.sentence())));
    Ok(exit::INVALID)
}

/// Reads a recording as a stream: none need fit into memory.
fn read(path: &Path) -> Result<(Demand, Option<RecordingError>)> {
    let wrong = |why: String| coded(exit::BAD_INPUT, format!("{}: {why}", path.display()));
    let unreadable = |error: std::io::Error| wrong(format!("it cannot be read: {error}"));
    let mut file = File::open(path).map_err(unreadable)?;
    match demand_of(BufReader::with_capacity(1 << 20, &file)) {
        Err(RecordingError::NoRecording) => {}
        told => return told.map_err(|error| wrong(error.sentence().to_string())),
    }
    // Another tool's, then: those are read as a whole.
    if file.metadata().is_ok_and(|meta| meta.len() > LARGEST) {
        return Err(wrong(format!("it is no recording of secchi's, and larger than {LARGEST} bytes")));
    }
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(unreadable)?;
    let recording = match import::read_recording(&bytes) {
        Err(RecordingImportError::Unknown) => return Ok((sampled(path, &bytes).map_err(wrong)?, None)),
        told => told.map_err(|error| wrong(error.to_string()))?,
    };
    let mut builder = DemandBuilder::default();
    recording.requests.iter().for_each(|request| builder.add(request, &recording.targets));
    Ok((builder.finish(recording.header.layer, Some(&recording.end), &recording.lost), None))
}

/// What a file of samples asks, where it is one.
fn sampled(path: &Path, bytes: &[u8]) -> Result<Demand, String> {
    let name = path.display().to_string();
    let source = Source::new(&name, bytes, &|| false).map_err(|error| error.to_string())?;
    if !FORMATS.iter().any(|format| (format.recognise)(&source)) {
        return Err(format!("{}, and holds no samples of a tool that is known", RecordingImportError::Unknown));
    }
    let files = import::read(&name, bytes).map_err(|error| error.to_string())?;
    sampled_demand(&files).map_err(str::to_owned)
}

/// Bytes of another tool's recording, at the most.
const LARGEST: u64 = 4 << 30;

fn demand_of(from: impl Read) -> Result<(Demand, Option<RecordingError>), RecordingError> {
    let mut reader = RecordingReader::begin(from)?;
    let mut builder = DemandBuilder::default();
    while let Some(request) = reader.next() {
        builder.add(&request, reader.targets());
    }
    let demand = builder.finish(reader.header().layer, reader.end(), reader.lost());
    Ok((demand, reader.into_damage()))
}
