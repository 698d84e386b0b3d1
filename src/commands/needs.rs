//! `secchi needs`: what a recording asks of storage, on the screen and as a contract.

use crate::args::RecordingNeeds;
use crate::exit::{self, Code, coded};
use crate::outputs::{Outputs, Replaces};
use crate::terminal;
use analysis::{DemandBuilder, demand_contract};
use anyhow::Result;
use model::Demand;
use recording::{RecordingError, RecordingReader};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

pub fn run(options: &RecordingNeeds) -> Result<Code> {
    let (demand, damage) = read(&options.recording)?;
    let name = options.recording.file_name().unwrap_or(options.recording.as_os_str()).to_string_lossy().into_owned();
    if let Some(path) = &options.contract {
        let mut outputs = Outputs::new(options.force);
        outputs.spare(&options.recording);
        let mut output = outputs.claim(path, Replaces::Begun("# Derived by `secchi needs`"))?;
        let Some(text) = demand_contract(&demand, &name, options.headroom.0) else {
            let why = format!(
                "{name} asks too little for a contract: fewer than 1,000 requests of any role, or it is shorter than a second"
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
    let recording = crate::inputs::recordings::read_foreign(&mut file).map_err(wrong)?;
    let mut builder = DemandBuilder::default();
    recording.requests.iter().for_each(|request| builder.add(request, &recording.targets));
    Ok((builder.finish(recording.header.layer, Some(&recording.end), &recording.lost), None))
}

fn demand_of(from: impl Read) -> Result<(Demand, Option<RecordingError>), RecordingError> {
    let mut reader = RecordingReader::begin(from)?;
    let mut builder = DemandBuilder::default();
    while let Some(request) = reader.next() {
        builder.add(&request, reader.targets());
    }
    let demand = builder.finish(reader.header().layer, reader.end(), reader.lost());
    Ok((demand, reader.into_damage()))
}
