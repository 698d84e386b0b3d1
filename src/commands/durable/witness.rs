//! `secchi durable witness`: records the writes that writers report as durable, on a machine that stays powered. The
//! crate `durable` stores them and answers requests; `serve` decides who may report.

use anyhow::Result;
use cli::DurableWitness;
use session::exit::Code;

#[cfg(not(feature = "serve"))]
pub fn run(_: &DurableWitness) -> Result<Code> {
    use session::exit::{CANNOT, coded};
    Err(coded(CANNOT, "this build cannot serve (it was compiled without the feature `serve`)"))
}

#[cfg(feature = "serve")]
pub fn run(options: &DurableWitness) -> Result<Code> {
    serving::run(options)
}

#[cfg(feature = "serve")]
mod serving {
    use crate::commands::durable::{failed, print_lines};
    use crate::commands::serve::end_on_signal;
    use crate::commands::token::read_token;
    use ::durable::witness::Witness;
    use ::serve::{Answer, Guard, Handler, Request, Server, Token};
    use anyhow::Result;
    use cli::DurableWitness;
    use messages::sentence;
    use session::exit::{self, Code, coded};
    use session::reject;
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{ErrorKind, Write};
    use std::path::Path;

    /// Maximum size of a report in bytes. A report from an experiment with the maximum number of writers takes a few
    /// thousand bytes.
    const MOST_TOLD: u64 = 64 << 10;
    /// Name of the token file in the directory of a witness that created its own token.
    const TOKEN: &str = "token";

    struct Answers(Witness);

    impl Handler for Answers {
        fn answer(&self, request: &Request) -> Answer {
            let (status, kind, body) = match &request.told {
                Some(body) => self.0.post(&request.path, body),
                None => self.0.get(&request.path),
            };
            Answer { status, kind, body, policy: None }
        }
    }

    pub fn run(options: &DurableWitness) -> Result<Code> {
        let address = options.listen;
        if address.ip().is_multicast() {
            reject!("--listen {address}: this is a multicast address, not an address of this machine");
        }
        let given = options.token.as_deref().map(read_token).transpose()?;
        let witness = Witness::open(&options.state).map_err(failed)?;
        let mut lines = Vec::new();
        let text = match given {
            Some(text) => text,
            None => {
                own_token(&options.state, |token, path| lines.push(sentence!("durable-witness-token", token, path)))?
            }
        };
        let token = Token::from_text(&text)
            .ok_or_else(|| coded(exit::BAD_INPUT, "the token may contain only letters and digits"))?;
        let mut guard = Guard::open().told_by(token, MOST_TOLD);
        if !address.ip().is_loopback() {
            guard = guard.remote();
        }
        let server = Server::bind(address, guard).map_err(|e| coded(exit::BAD_INPUT, format!("--listen: {e}")))?;
        let address = server.address().map_err(|e| coded(exit::CANNOT, e))?;
        end_on_signal(server.stopper())?;
        let (path, runs, shown) = (options.state.display().to_string(), witness.count(), address.to_string());
        lines.push(sentence!("durable-witness-listening", address = shown.clone(), runs, path));
        if !address.ip().is_loopback() {
            lines.push(sentence!("durable-witness-clear", address = shown));
        }
        print_lines(&lines)?;
        server.run(Answers(witness)).map_err(|e| coded(exit::CANNOT, format!("cannot serve: {e}")))?;
        Ok(exit::OK)
    }

    /// Returns the token stored in this directory. If there is none, creates one and passes it to `new`.
    fn own_token(state: &Path, new: impl FnOnce(&str, String)) -> Result<String> {
        let path = state.join(TOKEN);
        let failed =
            |e: std::io::Error| coded(exit::CANNOT, format!("cannot write the token to {}: {e}", path.display()));
        if path.exists() {
            return read_token(&path);
        }
        let token = Token::new().map_err(|e| coded(exit::CANNOT, format!("cannot generate a random token: {e}")))?;
        let directory = File::open(state).map_err(failed)?;
        let line = format!("{}\n", token.as_str());
        match sys::files::create_whole(&directory, OsStr::new(TOKEN), |file| file.write_all(line.as_bytes())) {
            // Another witness created it at the same time. That witness has locked the directory, so this code is
            // normally not reached.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return read_token(&path),
            other => other.map_err(failed)?,
        };
        new(token.as_str(), path.display().to_string());
        Ok(token.as_str().to_owned())
    }
}
