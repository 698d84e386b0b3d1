//! `secchi durable verify`: compares the content of the storage with the acknowledged writes.

use super::{boot, client, failed, print_lines};
use ::durable::directory::{Home, Parent, Standing};
use ::durable::experiment::Marker;
use ::durable::verify::{Document, Evidence, Verification, verify};
use ::durable::witness::Knowledge;
use ::durable::witness::client::Client;
use anyhow::Result;
use cli::DurableVerify;
use messages::sentence;
use model::Caveat;
use report::{DocumentKind, harmless};
use session::exit::{self, Code, coded};
use session::{console, reject};
use uuid::Uuid;

pub fn run(options: &DurableVerify) -> Result<Code> {
    let witness = options.witness.as_deref().map(|w| client(w, options.token.as_deref())).transpose()?;
    let parent = Parent::open(&options.path).map_err(failed)?;
    let stands = stands(options, parent.inspect().map_err(failed)?, &parent)?;
    let (knowledge, witness_away) = ask(witness.as_ref(), stands.run, stands.marker.is_some())?;
    let boot = boot();
    let evidence = Evidence {
        home: stands.home.as_ref(),
        path: parent.own_path().display().to_string(),
        marker: stands.marker.as_deref(),
        unmarked: stands.unmarked,
        knowledge: knowledge.as_ref(),
        witness_away,
        boot: &boot,
    };
    let verdict = verify(&evidence).map_err(failed)?;
    let verdict = verdict.ok_or_else(|| {
        coded(exit::BAD_INPUT, "neither the directory nor the witness has a record of this experiment")
    })?;
    if options.json {
        let document = Document { durable: &verdict };
        console::print(|_, out| report::write_document(DocumentKind::Durability, &document, out))?;
    } else {
        print_lines(&verdict.lines())?;
        print_doubts(&verdict.doubts)?;
    }
    drop(stands.home);
    if options.remove {
        remove(options, &parent, witness.as_ref(), verdict.run)?;
    }
    Ok(code(options, &verdict))
}

fn code(options: &DurableVerify, verdict: &Verification) -> Code {
    match () {
        () if verdict.is_broken(options.may_tear) => Code(1),
        () if verdict.is_tested() => exit::OK,
        () => exit::INVALID,
    }
}

/// State of the named directory.
struct Stands {
    home: Option<Home>,
    marker: Option<Box<Marker>>,
    unmarked: Option<String>,
    run: Uuid,
}

fn stands(options: &DurableVerify, standing: Standing, parent: &Parent) -> Result<Stands> {
    let shown = parent.own_path();
    let shown = shown.display();
    let advice = "if an experiment was written there, name its run and witness: --run UUID --witness HOST:PORT";
    let stands = match (standing, options.run) {
        (Standing::Ours(_, marker), Some(run)) if marker.run != run => {
            reject!("--run {run}: {shown} belongs to run {}", marker.run);
        }
        (Standing::Ours(home, marker), _) => {
            Stands { home: Some(home), run: marker.run, marker: Some(marker), unmarked: None }
        }
        (Standing::Unmarked(home, reason), Some(run)) => {
            Stands { home: Some(home), marker: None, unmarked: Some(reason), run }
        }
        (Standing::Nothing, Some(run)) => Stands { home: None, marker: None, unmarked: None, run },
        (Standing::Nothing, None) => reject!("{shown} does not exist; {advice}"),
        (Standing::Unmarked(_, reason), None) => reject!("{shown}: {reason}; {advice}"),
    };
    if let Some(home) = &stands.home {
        home.lock().map_err(failed)?;
    }
    Ok(stands)
}

/// Returns what the witness knows about the run, or the reason why this is unavailable.
fn ask(witness: Option<&Client>, run: Uuid, is_marked: bool) -> Result<(Option<Knowledge>, Option<String>)> {
    let Some(witness) = witness else { return Ok((None, None)) };
    match witness.knowledge(run) {
        Ok(knowledge) => Ok((Some(knowledge), None)),
        // Without a marker, only the witness knows about the run.
        Err(error) if !is_marked => {
            let code = if error.is_unknown() { exit::BAD_INPUT } else { exit::CANNOT };
            Err(coded(code, format!("--run {run}: {error}")))
        }
        Err(error) => Ok((None, Some(error.to_string()))),
    }
}

fn print_doubts(doubts: &[Caveat]) -> Result<()> {
    console::print(|_, out| {
        doubts.iter().try_for_each(|doubt| {
            let parts = [&doubt.statement, &doubt.evidence, &doubt.remedy];
            let parts: Vec<_> = parts.into_iter().filter(|p| !p.is_empty()).map(console::translate).collect();
            writeln!(out, "? {}", harmless(&parts.join("; ")))
        })
    })
}

fn remove(options: &DurableVerify, parent: &Parent, witness: Option<&Client>, run: Uuid) -> Result<()> {
    let gone = parent.remove().map_err(failed)?;
    if let Some(witness) = witness.filter(|_| options.token.is_some()) {
        match witness.forget(run) {
            Err(error) if !error.is_unknown() => return Err(coded(exit::CANNOT, error)),
            _ => {}
        }
    }
    let path = parent.own_path().display().to_string();
    let line = if gone { sentence!("durable-removed", path) } else { sentence!("durable-removed-in-part", path) };
    console::remark_of(&line);
    Ok(())
}
