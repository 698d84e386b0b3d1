//! `secchi mark`: runs CrystalDiskMark's tests and adds doubts about the results.

mod live;
mod outputs;

use super::qualify::{announce_bound, check_engine, check_kind};
use anyhow::Result;
use cli::{Data, Mark as Options, Only, Show};
use live::MarkTable;
use load::target::{Action, Inspection, TargetRequest};
use model::plan::{MarkDirection, MarkTest};
use model::record::{Labels, StorageFacts};
use model::{Bytes, Judgement, Plan, RunRecord};
use outputs::Pictures;
use report::formats::mark::Mark;
use run::write_bound::{default_bound, device_bound};
use run::{OpenTarget, RunInputs, Targets, mark, preflight};
use session::console::{self, Live};
use session::environment;
use session::exit::{self, Code, coded};
use session::launch::Reach;
use session::measure::{align_of, check_hang, check_system, provenance};
use session::test_files::target_of;
use session::{Session, bail, reject};
use std::path::Path;

/// Default size, the same as in CrystalDiskMark. A fill up to this size needs no `--yes`.
const USUAL: Bytes = Bytes::from_gib(1);

pub fn run(options: &Options) -> Result<Code> {
    check_system("mark")?;
    check(options)?;
    Session::supervised(Reach::ManyHosts, options.hang, |session| measure(options, session))
}

/// Checks the options that can be checked without access to files.
fn check(options: &Options) -> Result<()> {
    if options.destroy.is_some() && options.device.is_none() {
        reject!("--destroy allows overwriting a device: name it with --device");
    }
    if options.engine != "auto" {
        let entry = load::engines::find(&options.engine).map_err(|e| coded(exit::BAD_INPUT, e))?;
        if entry.spec.name == "null" {
            reject!("engine `null` does no I/O, so there is nothing to measure");
        }
    }
    check_hang(options.hang)?;
    if options.mix.is_some() && !options.only.is_empty() && !options.only.contains(&Only::Mix) {
        reject!("--mix requests the mixed tests, but --only leaves them out");
    }
    if options.data == Data::Zero && options.keep {
        reject!("--data zero writes no data to recognize the file by in a later run: leave --keep out");
    }
    Ok(())
}

fn measure(options: &Options, session: &mut Session) -> Result<Code> {
    session.catch_signals()?;
    session.share_file(options.shared_file)?;
    let path = &session.place(options.device.as_ref().unwrap_or(&options.path))?;
    check_kind(path, options.device.is_some(), false)?;
    let storage = monitor::facts::storage(&monitor::Roots::host(), path).ok();
    let inspection = session.inspect(request(options, path, storage.as_ref(), session.file_parts()))?;
    if options.data == Data::Zero && inspection.action == Action::Reuse {
        let reason = "is kept from an earlier run and contains random data: remove it, or name another directory";
        bail!(exit::REFUSED, "--data zero: {} {reason}", inspection.path.display());
    }
    let facts = preflight::brief(session.clock, &[path]);
    session.lifeline.report_alive();
    check_engine(&options.engine, &facts)?;
    let bound = || (!options.yes).then(|| default_bound(inspection.size, &storage).times(session.writers()));
    let plan = plan(options, &inspection, session, options.max_written.or_else(bound))?;
    // Claim the output files now, so that files that cannot be written are reported before anything is measured.
    let outputs = Pictures::claim(session.outputs(&options.outputs), options.force, &[path, &inspection.path])?;
    session.agree(&plan, &facts)?;
    session.live = Live::new(options.json);
    session.open_store(options.store.store.as_ref())?;
    let mut notes = inspection.notes.clone();
    notes.extend(only_reads(options));
    let inspected = notes.len();
    notes.extend(session.sharing_note(&inspection));
    notes.extend(session.journal_note(path));
    let mut targets = session.open(vec![inspection])?;
    announce_bound(&plan, &session.live);
    notes[..inspected].iter().for_each(|note| session.live.line(note));
    if options.keep {
        targets.iter_mut().for_each(|target| target.set_keep(true));
    }
    let mut open: Vec<&mut dyn OpenTarget> = targets.iter_mut().map(|t| t as &mut dyn OpenTarget).collect();
    let identity = session.identity(notes);
    let inputs = RunInputs { plan: &plan, preflight: &facts, identity: &identity, caveats: &[] };
    let ended = session.conduct(&inputs, Targets::TestAreas(&mut open), &mut MarkTable::default());
    let remains = session.remove(targets, &ended.ending);
    ended.report(|run| {
        let mark = Mark::from_record(&run.record, &run.judgement.caveats);
        run.finish(&mark.verdict(), &remains, |run| {
            let outcome = print_mark(options, &run.record, &run.judgement, &mark);
            // If standard output fails, the files are still written.
            outputs.write(&run.record, &run.judgement, &mark).and(outcome)
        })
    })
}

fn may_write(options: &Options) -> bool {
    options.device.is_none() || options.destroy.is_some()
}

/// Returns the directions in CrystalDiskMark's order.
fn directions(options: &Options) -> Vec<MarkDirection> {
    let pairs = [
        (Only::Read, MarkDirection::Read),
        (Only::Write, MarkDirection::Write),
        (Only::Mix, MarkDirection::Mix(options.mix.unwrap_or(70))),
    ];
    let wanted = |only: Only| match (options.only.is_empty(), only) {
        (false, only) => options.only.contains(&only),
        (true, Only::Read) => true,
        // A device without `--destroy` is only read. If a write test is requested explicitly, the run is refused.
        (true, Only::Write) => may_write(options),
        (true, Only::Mix) => options.mix.is_some(),
    };
    pairs.into_iter().filter(|(only, _)| wanted(*only)).map(|(_, direction)| direction).collect()
}

/// Returns a note if the write tests are omitted.
fn only_reads(options: &Options) -> Option<String> {
    let device = options.device.as_ref().filter(|_| !may_write(options) && options.only.is_empty())?;
    Some(format!("{} is only read; --destroy SERIAL allows the write tests", device.display()))
}

/// Returns the default size of the test file, which is at most half of what the run may write.
fn usual(options: &Options, storage: Option<&StorageFacts>) -> Bytes {
    let device = storage.filter(|_| may_write(options) && !options.yes).map(device_bound);
    let bound = options.max_written.or(device);
    bound.map_or(USUAL, |most| USUAL.min(Bytes::from_mib((most.as_u64() / 2) >> 20)).max(Bytes::from_mib(64)))
}

/// Returns the request for a target. If several ranks share a file, the request covers the whole file, which has
/// `parts` parts of the requested size.
fn request(options: &Options, path: &Path, storage: Option<&StorageFacts>, parts: u64) -> TargetRequest {
    let direct = !options.buffered && storage.is_none_or(|s| s.direct_refused.is_none());
    let whole = storage.and_then(|s| s.devices.first()).map_or(USUAL, |d| d.size);
    let size = match options.size {
        Some(size) => Some(size.times(parts)),
        None if path.is_dir() => Some(usual(options, storage).times(parts)),
        None => options.device.as_ref().map(|_| usual(options, storage).min(whole)),
    };
    TargetRequest {
        size,
        will_write: may_write(options),
        direct,
        align: if direct { align_of(storage) } else { Bytes(1) },
        consent: options.destroy.clone(),
        share: options.share,
        yes: options.yes || size.is_some_and(|s| s <= USUAL),
        keep: options.keep,
        ..TargetRequest::new(path, provenance())
    }
}

fn plan(options: &Options, inspection: &Inspection, session: &Session, max_written: Option<Bytes>) -> Result<Plan> {
    let has_tests = !options.tests.is_empty();
    let tests: Vec<MarkTest> = if has_tests { options.tests.clone() } else { options.profile.tests.to_vec() };
    let asked = mark::Request {
        args: environment::arguments(),
        profile: (!has_tests).then(|| options.profile.name.to_owned()),
        tests,
        directions: directions(options),
        loops: options.loops,
        time: options.time,
        interval: options.interval,
        zero: options.data == Data::Zero,
        engine: options.engine.clone(),
        hang: options.hang,
        keep: options.keep,
        max_written,
        may_write: may_write(options),
        seed: options.seed,
    };
    let part = session.own_part(target_of(inspection));
    let mut plan = mark::plan(&asked, &part, inspection.to_fill).map_err(|e| coded(exit::BAD_INPUT, e))?;
    session.divide(&mut plan)?;
    Ok(plan)
}

fn print_mark(options: &Options, record: &RunRecord, judgement: &Judgement, mark: &Mark) -> Result<()> {
    if options.json {
        return console::print_run(record, judgement, console::Shown::Json);
    }
    console::print(|style, out| options.format.write(mark, style, out))
}

/// Prints a stored mark and writes it to files.
pub fn show(record: &RunRecord, labels: &Labels, options: &Show) -> Result<()> {
    let outputs = Pictures::claim(&options.outputs, options.force, &[])?;
    let judgement = analysis::judge(record);
    let mark = Mark::from_record(record, &judgement.caveats);
    let outcome = if options.json {
        console::print(|_, out| report::write_json(record, &judgement, Some(labels), out))
    } else {
        let table = report::formats::mark::mark_format("table").expect("the table is registered");
        let format = options.format.unwrap_or(table);
        console::print(|style, out| format.write(&mark, style, out))
    };
    outputs.write(record, &judgement, &mark).and(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use cli::{Arguments, Command};

    fn options(words: &[&str]) -> Options {
        match Arguments::try_parse_from(["secchi", "mark"].iter().chain(words)).expect("a command line").command {
            Command::Mark(options) => *options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn directions_are_those_asked_for_in_crystaldiskmarks_order() {
        use MarkDirection::{Mix, Read, Write};
        assert_eq!(directions(&options(&[])), [Read, Write]);
        assert_eq!(directions(&options(&["--mix"])), [Read, Write, Mix(70)]);
        assert_eq!(directions(&options(&["--only", "mix,read", "--mix=40"])), [Read, Mix(40)]);
        assert_eq!(directions(&options(&["--only", "mix"])), [Mix(70)]);
        assert_eq!(directions(&options(&["--device", "/dev/x"])), [Read], "a device is not written unasked");
        assert_eq!(directions(&options(&["--device", "/dev/x", "--destroy", "S"])), [Read, Write]);
        assert_eq!(directions(&options(&["--device", "/dev/x", "--only", "write"])), [Write], "to be refused by name");
    }

    #[test]
    fn contradictions_are_bad_input() {
        for words in
            [&["--mix", "--only", "read"][..], &["-d", "zero", "--keep"], &["--engine", "null"], &["--hang", "1ms"]]
        {
            let failure = check(&options(words)).expect_err("refused");
            assert_eq!(exit::code_of(&failure), exit::BAD_INPUT, "{failure}");
        }
    }
}
