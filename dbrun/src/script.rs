//! `secchi db script`: writes the tests as M scripts, for engines that secchi does not start itself.

use anyhow::Result;
use cli::DbScript;
use db::scripts::{ENGINES, scripts};
use messages::sentence;
use session::console::remark_of;
use session::exit::{self, Code, coded};
use session::outputs::{Outputs, Replaces, may_make_directory};
use session::reject;
use std::fs;

pub fn run(options: &DbScript) -> Result<Code> {
    let Some(files) = scripts(&options.engine) else {
        let near = model::units::suggestion(&options.engine, ENGINES);
        let (engine, known) = (model::clip(&options.engine), ENGINES.join(" and "));
        reject!("--engine {engine}: scripts exist only for {known}{near}");
    };
    let cannot = |what: &str, e: std::io::Error| {
        let at = options.output.display();
        let code = if e.kind() == std::io::ErrorKind::AlreadyExists { exit::REFUSED } else { exit::CANNOT };
        coded(code, format!("cannot write {what} in {at}: {e}; name another directory with -o"))
    };
    may_make_directory(&options.output)?;
    fs::create_dir_all(&options.output).map_err(|e| cannot("scripts", e))?;
    // Write all files or none: an existing file with one of these names may belong to the user.
    if let Some((name, _)) = files.iter().find(|(name, _)| options.output.join(name).symlink_metadata().is_ok()) {
        return Err(cannot(name, std::io::ErrorKind::AlreadyExists.into()));
    }
    let mut outputs = Outputs::new(false);
    let claim = |(name, text)| Ok((outputs.claim(&options.output.join(name), Replaces::Nothing)?, text));
    for (mut file, text) in files.into_iter().map(claim).collect::<Result<Vec<_>>>()? {
        file.fill_or_report(|out| out.write_all(text.as_bytes()))?;
    }
    let directory = options.output.display().to_string();
    remark_of(&sentence!("remark-scripts-written", engine = options.engine.to_string(), directory));
    Ok(exit::OK)
}
