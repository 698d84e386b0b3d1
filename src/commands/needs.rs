//! `secchi needs`: what a recording asks of storage, on the screen and as a contract.

use crate::args::RecordingNeeds;
use crate::exit::{self, Code, coded};
use crate::inputs::recordings;
use crate::outputs::{Outputs, Replaces};
use crate::terminal;
use analysis::{DemandBuilder, demand_contract};
use anyhow::Result;

pub fn run(options: &RecordingNeeds) -> Result<Code> {
    let mut builder = DemandBuilder::default();
    let read = recordings::read(&options.recording, |request, targets| builder.add(request, targets))?;
    let demand = builder.finish(read.layer, read.end.as_ref(), &read.lost);
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
    let Some(damage) = read.damage else { return Ok(exit::OK) };
    terminal::remark(&format!("{name}: {}", terminal::translate(&damage.sentence())));
    Ok(exit::INVALID)
}
