//! `--compare-layout`: alternates the same run between a database and a copy whose roles are moved to other volumes.
//!
//! The copy is a separate database with the same pages, in a subdirectory of the original database's directory. Roles
//! that are not moved keep their files on the original volume. The copy is removed after the runs, even if they fail,
//! unless it is to be kept.

use super::cli_error;
use super::maintenance::purge_one;
use super::open::{OpenDatabase, environment};
use super::plan::Verb;
use super::run::running::Running;
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use cli::{Arguments, DbRun, Layout};
use db::{Creation, Marker};
use messages::sentence;
use model::judged::{LayoutAnswer, RolePlace};
use model::{Bytes, Nanos, RunRecord, measured::FileRole};
use monitor::Roots;
use report::Subject;
use session::console::{self, Live, print, remark, remark_of};
use session::exit::{self, Code, coded};
use session::launch::{self, Reach};
use session::outputs::{Outputs, may_make_directory};
use session::reject;
use session::result_files::print_subject;
use session::result_files::{KeptRun, ResultFiles, borrowed};
use session::rounds::{Forwarder, LEAST_ROUNDS, NAMES, run_once, turns};
use session::run_store::open_store;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// IDs of the arguments that are not passed on to the runs of the two sides.
const NOT_PASSED_ON: [&str; 9] =
    ["compare_layout", "rounds", "within", "keep_layout", "full", "json", "outputs", "force", "store"];

/// Runs the comparison of two layouts.
pub fn run(verb: Verb, options: &DbRun, layout: &Layout) -> Result<Code> {
    let rounds = options.layout.rounds;
    if !(LEAST_ROUNDS..=1000).contains(&rounds) {
        reject!("--rounds {rounds}: must be {LEAST_ROUNDS} to 1000; fewer rounds cannot show a difference");
    }
    if verb.is_raw(options.run.through) {
        reject!(
            "--compare-layout compares engine operations, but ranread reads blocks directly from the files: add \
             --through engine"
        );
    }
    if let Some(code) = launch::refusal(Reach::OneHost("db --compare-layout"))? {
        return Ok(code);
    }
    super::run::check(&options.run)?;
    let place = OpenDatabase::open(&options.dir.dir)?;
    check(&place.marker, layout)?;
    let words = words(verb)?;
    let results = &options.run.common.results;
    let mut files = ResultFiles::claim(&results.outputs, &mut Outputs::new(results.force))?;
    let mut live = Live::new(options.run.common.json);
    let store = open_store(options.run.common.store.store.as_ref(), &mut live)?.context("no store")?;
    let signals = Forwarder::start()?;
    let line = format!("{layout}: {} alternating runs{}", 2 * rounds, length(options, 2 * rounds));
    live.line(&line);
    live.status(&format!("copying {}", place.marker.name));
    let other = Copy::make(&place, layout, options.layout.keep_layout, &|| signals.asked() == 0)?;
    let homes = [place.directory.clone(), other.home.clone()];
    let places = [places(&place.marker, layout), places(&other.marker, layout)];
    // Each run opens the database itself.
    drop(place);
    let seed = options.run.common.seed.unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().0);
    let mut sides: [Vec<RunRecord>; 2] = [Vec::new(), Vec::new()];
    let order = turns(rounds, seed);
    for (done, side) in order.iter().enumerate() {
        let at = format!("run {} of {}, {}", done + 1, order.len(), NAMES[*side]);
        live.status(&at);
        let mut words = words.with_directory(&homes[*side]);
        if options.run.common.seed.is_none() {
            // Both runs of a round use the same seed.
            words.push(format!("--seed={}", seed.wrapping_add(done as u64 / 2) >> 1).into());
        }
        let record = run_once(&words, &store, &signals);
        if signals.asked() != 0 {
            break;
        }
        let record = record.map_err(|e| coded(exit::code_of(&e), format!("{at}: {e:#}")))?;
        live.line(&format!("{at}: {}", console::translate(&analysis::judge(&record).verdict)));
        sides[*side].push(record);
    }
    live.clear();
    if store.team_name().is_some()
        && let Err(error) = session::run_store::push_all(&store)
    {
        remark(&format!("{error:#}"));
    }
    let [a, b] = &sides;
    if signals.asked() != 0 {
        remark_of(&sentence!("remark-runs-stopped-after", done = a.len() + b.len(), all = order.len()));
    }
    if a.is_empty() || b.is_empty() {
        return Ok(Code(128 + signals.asked()));
    }
    let comparison = analysis::compare_layouts([a, b], places, layout.to_string(), options.layout.within.0)
        .map_err(|e| coded(exit::BAD_INPUT, e))?;
    if options.run.common.json {
        print_subject(Subject::Layouts(&comparison, [&[], &[]]), true)?;
    } else {
        print(|style, out| report::write_layouts(&comparison, options.run.common.full, style, out))?;
    }
    if !files.is_empty() {
        let run = |side: usize, i: usize, record: &RunRecord| {
            KeptRun::judged(format!("{}{}", NAMES[side], i + 1), record.clone(), model::record::Labels::default())
        };
        let kept =
            |side: usize| sides[side].iter().enumerate().map(|(i, record)| run(side, i, record)).collect::<Vec<_>>();
        let kept = [kept(0), kept(1)];
        let [a, b] = [borrowed(&kept[0]), borrowed(&kept[1])];
        files.write_subject(Subject::Layouts(&comparison, [&a, &b]))?;
    }
    if signals.asked() != 0 {
        return Ok(Code(128 + signals.asked()));
    }
    Ok(match comparison.answer {
        LayoutAnswer::Worth | LayoutAnswer::NoDifference => exit::OK,
        LayoutAnswer::Worse | LayoutAnswer::Mixed => Code(1),
        LayoutAnswer::CannotTell => exit::INVALID,
    })
}

/// Returns the length of the runs, such as ` of 5 min each, at least 50 min in total`, or an empty string if the length
/// is unknown.
fn length(options: &DbRun, runs: u32) -> String {
    let args = &options.run;
    match (args.time, args.count) {
        (Some(time), _) => {
            let each = Nanos(time.as_nanos().saturating_add(args.common.warm_up.as_nanos()));
            format!(" of {each} each, at least {} in total", Nanos(each.as_nanos().saturating_mul(u64::from(runs))))
        }
        (None, Some(count)) => format!(" of {count} operations of each process"),
        (None, None) => String::new(),
    }
}

/// Rejects a layout that cannot be compared, before anything is created.
fn check(marker: &Marker, layout: &Layout) -> Result<()> {
    let refused = |reason: String| Err(coded(exit::BAD_INPUT, format!("--compare-layout: {reason}")));
    let Some(profile) = &marker.profile else {
        return refused(format!(
            "only databases of --engine model can be laid out again, and the engine of this one is {}: set up a \
             second database with other --data and --journal, and compare runs on both with `secchi ab`",
            marker.engine
        ));
    };
    let has_image = db::profile_has_image(profile);
    if layout.image.is_some() && !has_image {
        return refused("image: the profile of this database has no image journal".into());
    }
    if layout.data.len() > marker.globals.max(1) as usize {
        let (n, globals) = (layout.data.len(), marker.globals);
        return refused(format!(
            "data: {n} directories for {globals} globals; every directory needs at least one global"
        ));
    }
    let rooms = &marker.directories;
    let now = [
        (FileRole::Data, rooms.data.clone()),
        (FileRole::Journal, vec![rooms.journal.clone()]),
        (FileRole::Image, vec![rooms.image.clone().unwrap_or_else(|| rooms.journal.clone())]),
    ];
    for (role, directory) in layout.moved() {
        if !directory.is_dir() {
            return refused(format!("{}={}: no such directory", role.name(), directory.display()));
        }
        may_make_directory(&directory.join("secchi-layout"))?;
        let lies: Vec<u64> =
            now.iter().filter(|(r, _)| *r == role).flat_map(|(_, at)| at).filter_map(|at| device(at)).collect();
        if device(directory).is_some_and(|to| lies.iter().all(|from| *from == to)) {
            return refused(format!(
                "{}={}: it is on the same file system as now; name a directory on another volume",
                role.name(),
                directory.display()
            ));
        }
    }
    Ok(())
}

fn device(path: &Path) -> Option<u64> {
    use sys::files::MetadataExt as _;
    sys::files::metadata(path).ok().map(|m| m.dev())
}

/// Returns the directories and devices of each role of a database.
fn places(marker: &Marker, layout: &Layout) -> Vec<RolePlace> {
    let rooms = &marker.directories;
    let place = |role: FileRole, at: &[PathBuf]| {
        let mut devices: Vec<String> = Vec::new();
        for path in at {
            let stack = monitor::facts::stack_of_path(&Roots::host(), path);
            devices.extend(stack.into_iter().filter(|d| d.depth == 0).map(|d| d.name));
        }
        devices.sort_unstable();
        devices.dedup();
        let directories = at.iter().map(|d| d.display().to_string()).collect();
        RolePlace { role, directories, devices, moved: layout.moved().any(|(r, _)| r == role) }
    };
    let mut role_places =
        vec![place(FileRole::Data, &rooms.data), place(FileRole::Journal, std::slice::from_ref(&rooms.journal))];
    if marker.profile.as_deref().is_some_and(db::profile_has_image) {
        role_places.push(place(FileRole::Image, std::slice::from_ref(rooms.image.as_ref().unwrap_or(&rooms.journal))));
    }
    role_places
}

/// Copy of a database with roles on other volumes. Dropping this value removes the copy unless it is to be kept.
struct Copy {
    home: PathBuf,
    marker: Marker,
    keep: bool,
}

impl Copy {
    fn make(place: &OpenDatabase, layout: &Layout, keep: bool, goes_on: &dyn Fn() -> bool) -> Result<Copy> {
        let from = &place.marker;
        // No other command may change the database while it is copied.
        let _claim = Running::maintenance(&from.directories.work, |_| false)?;
        let home = place.directory.join(format!("layout-{}", &uuid::Uuid::new_v4().simple().to_string()[..8]));
        let (data, journal, image) = directories(from, &place.directory, &home, layout);
        let bytes = db::size_of_globals(from).map_err(cli_error)?;
        for at in if data.is_empty() { vec![place.directory.clone()] } else { data.clone() } {
            room_for(bytes, if at == home { &place.directory } else { &at })?;
        }
        let created = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        let (data, journal, image) = (&data, journal.as_deref(), image.as_deref());
        let (engine, name) = (&from.engine, &from.name);
        let mut marker = Marker::create(&home, engine, name, created, from.page, data, journal, image, from.journal)
            .map_err(cli_error)?;
        marker.profile.clone_from(&from.profile);
        marker.parameters.clone_from(&from.parameters);
        let mut copy = Copy { home: home.clone(), marker, keep: false };
        copy.marker.save(&home).map_err(cli_error)?;
        let entry = db::find_engine(engine).map_err(cli_error)?;
        let creation = Creation { marker: copy.marker.clone(), directory: home.clone(), environment: environment()? };
        (entry.create)(&creation).map_err(cli_error)?;
        match db::copy_globals(from, &mut copy.marker, &home, goes_on) {
            Err(error) if goes_on() => return Err(cli_error(error)),
            _ => {}
        }
        copy.keep = keep;
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if self.keep {
            remark_of(&sentence!("remark-layout-kept", directory = self.home.display().to_string()));
            return;
        }
        match purge_one(&self.home) {
            Ok((_, code)) if code == exit::OK => {}
            Ok((lines, _)) => lines.iter().for_each(|line| remark(line)),
            Err(error) => {
                let (why, directory) = (format!("{error:#}"), self.home.display().to_string());
                remark_of(&sentence!("remark-layout-not-removed", why, directory));
            }
        }
    }
}

/// Returns the directories of the copy in the form that `Marker::create` expects. The files of a role that is not moved
/// are placed next to the original files.
fn directories(
    from: &Marker,
    at: &Path,
    home: &Path,
    layout: &Layout,
) -> (Vec<PathBuf>, Option<PathBuf>, Option<PathBuf>) {
    let rooms = &from.directories;
    // The files are either in the directory of the database, or next to it in a directory that was named at setup.
    let stays = |room: &Path| match room.parent() {
        Some(parent) if !room.starts_with(at) => parent.to_owned(),
        _ => home.to_owned(),
    };
    let data = match layout.data.as_slice() {
        [] if rooms.data.iter().all(|room| room.starts_with(at)) => Vec::new(),
        [] => rooms.data.iter().map(|room| stays(room)).collect(),
        moved => moved.to_vec(),
    };
    let beside_data = rooms.journal == rooms.data[0];
    let journal = match &layout.journal {
        Some(moved) => Some(moved.clone()),
        None if beside_data && layout.data.is_empty() => None,
        None => Some(stays(&rooms.journal)),
    };
    let image = match (&layout.image, &rooms.image) {
        (Some(moved), _) => Some(moved.clone()),
        (None, Some(room)) => Some(stays(room)),
        // Without a separate directory, the image journal follows the journal, unless only the journal is moved.
        (None, None) if from.profile.as_deref().is_some_and(db::profile_has_image) && journal.is_some() => {
            Some(stays(&rooms.journal))
        }
        (None, None) => None,
    };
    (data, journal, image)
}

/// Rejects a copy that would leave less than a twentieth of the file system free.
fn room_for(bytes: u64, at: &Path) -> Result<()> {
    let Ok(space) = std::fs::File::open(at).and_then(|f| sys::file_systems::space(&f)) else { return Ok(()) };
    let kept = space.total / 20;
    if bytes.saturating_add(kept) <= space.available {
        return Ok(());
    }
    super::refused(format!(
        "the copy in {} takes {}, but {} are free and {} of them are reserved",
        at.display(),
        Bytes(bytes),
        Bytes(space.available),
        Bytes(kept)
    ))
}

/// Words of a command line, split at the position of the directory.
#[derive(Debug, PartialEq)]
struct Words {
    before: Vec<OsString>,
    after: Vec<OsString>,
}

impl Words {
    fn with_directory(&self, directory: &Path) -> Vec<OsString> {
        let operand = [directory.as_os_str().to_owned()];
        self.before.iter().chain(&operand).chain(&self.after).cloned().collect()
    }
}

/// Returns the words of this command line that are passed on to the runs of the two sides.
fn words(verb: Verb) -> Result<Words> {
    let mut args = std::env::args_os().skip(1);
    let named = |word: &OsString| word == OsStr::new(verb.name());
    let first: Vec<OsString> = args.by_ref().take_while(|word| !named(word)).collect();
    let command = Arguments::command();
    let subcommand = command.find_subcommand("db").and_then(|db| db.find_subcommand(verb.name()));
    let subcommand = subcommand.context("unknown command")?;
    let mut words =
        passed_on(subcommand, &command, args.collect()).context("the arguments of this command cannot be parsed")?;
    words.before.splice(0..0, first.into_iter().chain([verb.name().into()]));
    Ok(words)
}

/// Splits the words after a verb into options with their values, and the directory, as clap does. Returns `None` if
/// some words do not belong to the command.
fn passed_on(command: &Command, root: &Command, words: Vec<OsString>) -> Option<Words> {
    let mut passed = Words { before: Vec::new(), after: Vec::new() };
    let mut directory = false;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let args = || command.get_arguments().chain(root.get_arguments().filter(|a| a.is_global_set()));
        let arg = if text == "--" {
            passed.after.push(words.next().filter(|_| directory).unwrap_or_default());
            directory = true;
            passed.after.retain(|word| !word.is_empty());
            continue;
        } else if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next()?;
            args().find(|a| {
                a.get_long() == Some(name) || a.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
            })
        } else if let Some(short) = text.strip_prefix('-').and_then(|rest| rest.chars().next()) {
            args().find(|a| a.get_short() == Some(short))
        } else if directory {
            return None;
        } else {
            directory = true;
            continue;
        };
        let arg = arg?;
        let takes = arg.get_action().takes_values();
        let attached = if text.starts_with("--") { text.contains('=') } else { text.chars().count() > 2 };
        let value = if takes && !attached { Some(words.next()?) } else { None };
        if NOT_PASSED_ON.contains(&arg.get_id().as_str()) {
            continue;
        }
        let into = if directory { &mut passed.after } else { &mut passed.before };
        into.push(word);
        into.extend(value);
    }
    Some(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_a_side_is_given_what_is_of_the_run_and_its_own_directory() {
        let command = Arguments::command();
        let subcommand = command.find_subcommand("db").and_then(|db| db.find_subcommand("ranwrite")).unwrap();
        let passed = |words: &str| {
            let words = words.split(' ').map(OsString::from).collect();
            let result = passed_on(subcommand, &command, words).unwrap().with_directory(Path::new("/b"));
            result.iter().map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            passed("-p 5 /a --compare-layout journal=/j -t3 --rounds=5 --json -o x.md --store /s --pause 0"),
            "-p 5 /b -t3 --pause 0"
        );
        // The first `5` is a value, not the directory.
        assert_eq!(
            passed("--group 5 5 -p5 --keep-layout --need commit:p99<=1ms --lang ja"),
            "--group 5 /b -p5 --need commit:p99<=1ms --lang ja"
        );
        assert_eq!(passed("--within 10% --force -p 1 -- /a"), "-p 1 /b");
    }
}
