//! Creation of a database and of the globals in it.

use super::open::{OpenDatabase, environment, free_and_kept};
use super::run::inserting;
use super::run::running::Running;
use super::run::{MAKING_HANG, Making};
use super::{cli_error, refused};
use anyhow::Result;
use cli::{DbAdd, DbCreate, DbSetup, EngineArgs, OnOff, StoreArg, ValueArg};
use db::{Creation, Marker};
use messages::sentence;
use model::Bytes;
use model::plan::{GlobalSize, NodeNames, ValueRule};
use session::Session;
use session::console::{remark, remark_of};
use session::exit::{self, Code, coded};
use session::launch::Reach;
use session::outputs::may_make_directory;
use session::reject;
use std::path::{Path, PathBuf};

/// Size of a filler record, in bytes. Two of them fit in a page of 8 KiB, including the overhead of the engine.
const FILLER: u32 = 3900;

pub fn setup(options: &DbSetup) -> Result<Code> {
    if options.size.is_some() {
        return Session::supervised(Reach::ManyHosts, MAKING_HANG, |session| {
            let options = &own_setup(options, session)?;
            let mut place = make(options)?;
            let filled = fill(options, &mut place, session);
            if filled.is_err() {
                let directory = options.dir.display().to_string();
                remark_of(&sentence!("remark-database-not-filled", directory));
            }
            filled
        });
    }
    Session::unsupervised(Reach::ManyHosts, |session| {
        let made = make(&own_setup(options, session)?).map(|place| (made_lines(&place), exit::OK));
        session.print_results(made, |line| {
            remark(line);
            Ok(())
        })
    })
}

/// Returns the setup of this process, with a separate folder for its database. Other directories are shared, because
/// each database has a separate directory inside them.
fn own_setup(options: &DbSetup, session: &mut Session) -> Result<DbSetup> {
    let in_folder = |folder: &Path| DbSetup { dir: folder.to_owned(), ..options.clone() };
    let folder = session.new_database(&options.dir, |folder| {
        if options.url.is_some() {
            reject!(
                "--url names a single server, whose counters would be recorded once per rank: leave it out, or set up \
                 on one host"
            );
        }
        check(&in_folder(folder)).map(drop)
    })?;
    Ok(in_folder(&folder))
}

fn made_lines(place: &OpenDatabase) -> Vec<String> {
    let rooms = &place.marker.directories;
    let data = rooms.data.iter().map(|d| d.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut lines = vec![format!("database {} ({}): data in {data}", place.marker.name, place.marker.engine)];
    if rooms.journal != rooms.data[0] {
        lines.push(format!("journal in {}", rooms.journal.display()));
    }
    lines.extend(rooms.image.iter().map(|image| format!("image journal in {}", image.display())));
    lines
}

/// Results of the checks before a setup.
struct Checked {
    entry: &'static db::EngineEntry,
    page: Bytes,
    profile: Option<db::ChosenProfile>,
    surroundings: db::Environment,
}

/// Returns the profile for an engine that takes one.
fn check_profile(options: &DbSetup, entry: &db::EngineEntry) -> Result<Option<db::ChosenProfile>> {
    if !entry.takes_profile {
        return match (&options.profile, &options.image) {
            (None, None) => Ok(None),
            (Some(_), _) => reject!("--profile requires --engine model, and the engine is {}", entry.name),
            (_, Some(_)) => reject!("--image requires --engine model, and the engine is {}", entry.name),
        };
    }
    let Some(name) = &options.profile else {
        reject!(
            "--engine {} needs --profile: sqlite-wal, postgres, postgres-18, gtm, iris, innodb, or a file",
            entry.name
        );
    };
    let profile = db::choose_profile(name)
        .map_err(|e| coded(exit::BAD_INPUT, format!("--profile {}: {e}", model::clip(name))))?;
    if options.image.is_some() && !profile.has_image {
        reject!("--image: the profile {} has no image journal", model::clip(name));
    }
    Ok(Some(profile))
}

/// Rejects invalid options before anything is created.
fn check(options: &DbSetup) -> Result<Checked> {
    let entry = db::find_engine(&options.engine).map_err(|e| coded(exit::BAD_INPUT, e))?;
    if options.journal.is_some() && !entry.separate_directories {
        let message = format!(
            "--journal: {} stores its log next to its data; engines with a separate directory are {}",
            entry.name,
            db::ENGINES.iter().filter(|e| e.separate_directories).map(|e| e.name).collect::<Vec<_>>().join(" and ")
        );
        reject!("{message}");
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if options.name.is_empty() || options.name.len() > 31 || !options.name.chars().all(fits) {
        reject!("--name {}: must be 1 to 31 letters, digits, - or _", model::clip(&options.name));
    }
    let profile = check_profile(options, entry)?;
    let page = options.block.or(profile.as_ref().map(|p| Bytes(p.page))).unwrap_or(Bytes(entry.pages[0]));
    if !entry.pages.contains(&page.as_u64()) {
        let mut known = entry.pages.to_vec();
        known.sort_unstable();
        let known = known.iter().map(|p| Bytes(*p).short()).collect::<Vec<_>>().join(" ");
        reject!("--block {page}: {} has pages of {known}", entry.name);
    }
    if options.url.is_some() && !entry.takes_url {
        reject!("--url names a PostgreSQL server, and the engine is {}", entry.name);
    }
    if let (Some((name, _)), Some(_)) = (options.set.first(), &options.url) {
        let name = model::clip(name);
        reject!("--set {name}: secchi does not change the parameters of an external server (--url); set it there");
    }
    let places = std::iter::once(&options.dir).chain(&options.data).chain(&options.journal).chain(&options.image);
    places.clone().try_for_each(|place| may_make_directory(place))?;
    let surroundings = environment()?;
    (entry.probe)(&surroundings).map_err(cli_error)?;
    if let Some(size) = options.size {
        room_for(options, size)?;
    }
    Ok(Checked { entry, page, profile, surroundings })
}

fn make(options: &DbSetup) -> Result<OpenDatabase> {
    let Checked { entry, page, profile, surroundings } = check(options)?;
    let mut marker = Marker::create(
        &options.dir,
        entry.name,
        &options.name,
        jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        page,
        &joined(&options.data),
        options.journal.as_deref(),
        options.image.as_deref(),
        options.journal_mode == OnOff::On,
    )
    .map_err(cli_error)?;
    if options.url.is_some() {
        marker.url.clone_from(&options.url);
        marker.save(&options.dir).map_err(cli_error)?;
    }
    if let Some(profile) = profile {
        marker.profile = Some(profile.text);
        marker.save(&options.dir).map_err(cli_error)?;
    }
    let creation = Creation { marker: marker.clone(), directory: options.dir.clone(), environment: surroundings };
    let made = (entry.create)(&creation).and_then(|mut database| database.set_parameters(&options.set));
    if let Err(error) = made {
        // Leave no partial database.
        for text in marker.purge(&options.dir).unwrap_or_else(|e| vec![e.to_string()]) {
            remark(&text);
        }
        return Err(cli_error(error));
    }
    if !options.set.is_empty() {
        marker.parameters.clone_from(&options.set);
        marker.save(&options.dir).map_err(cli_error)?;
    }
    OpenDatabase::open(&options.dir)
}

/// Joins the parts of a comma-separated list of directories whose names may contain commas. Of all splits in which
/// every directory exists, it takes the one with the most directories. If there is none, the list is split at every
/// comma, so that the missing directory is reported.
fn joined(parts: &[PathBuf]) -> Vec<PathBuf> {
    // For each number of leading parts: the maximum number of directories that they form, and the number of parts in
    // the last directory.
    let mut best: Vec<Option<(usize, usize)>> = vec![Some((0, 0))];
    for end in 1..=parts.len() {
        let ways = (0..end).filter_map(|from| {
            let (before, _) = best[from]?;
            together(&parts[from..end]).is_dir().then_some((before + 1, end - from))
        });
        best.push(ways.max());
    }
    let mut directories = Vec::new();
    let mut end = parts.len();
    while let Some((_, taken)) = best[end].filter(|(_, taken)| *taken > 0) {
        directories.push(together(&parts[end - taken..end]));
        end -= taken;
    }
    if end > 0 {
        return parts.to_vec();
    }
    directories.reverse();
    directories
}

/// Joins the parts of a name that contains commas.
fn together(parts: &[PathBuf]) -> PathBuf {
    let parts: Vec<&std::ffi::OsStr> = parts.iter().map(|p| p.as_os_str()).collect();
    parts.join(std::ffi::OsStr::new(",")).into()
}

/// Rejects a size that would use reserved space.
fn room_for(options: &DbSetup, size: Bytes) -> Result<()> {
    let first = options.data.first().cloned();
    let parent = || options.dir.ancestors().find(|p| p.is_dir()).map(Path::to_path_buf);
    let Some(dir) = first.or_else(parent).or_else(|| Some(PathBuf::from("."))) else { return Ok(()) };
    let dir = if dir.as_os_str().is_empty() { PathBuf::from(".") } else { dir };
    let Ok((available, kept)) = free_and_kept(&dir) else { return Ok(()) };
    if size.as_u64().saturating_add(kept) > available {
        return refused(format!(
            "--size {size} in {}: {} are free, and {} of them are reserved",
            dir.display(),
            Bytes(available),
            Bytes(kept)
        ));
    }
    Ok(())
}

fn fill(options: &DbSetup, place: &mut OpenDatabase, session: &mut Session) -> Result<Code> {
    let size = options.size.unwrap_or(Bytes(0));
    let each = u64::from(FILLER) + 64;
    let per_page = (place.marker.page.as_u64() / each).max(1);
    let pages = size.as_u64().div_ceil(place.marker.page.as_u64().max(each));
    let filler = GlobalSize::new(0, (pages * per_page).max(1));
    let how = place.how(&usual())?;
    let value = ValueRule::Length { from: FILLER, to: FILLER };
    let store = options.store.store.as_ref();
    made_lines(place).iter().for_each(|line| remark(line));
    Making { place, how, globals: &[filler], names: None, indexes: 0, value, store }.run(session)
}

fn usual() -> EngineArgs {
    EngineArgs {
        journal_mode: None,
        commit: cli::CommitWord::Durable,
        cache: Bytes::from_mib(64),
        write_back: None,
        set: Vec::new(),
    }
}

pub fn create(options: &DbCreate) -> Result<Code> {
    Session::supervised(Reach::ManyHosts, MAKING_HANG, |session| {
        let mut place = OpenDatabase::open(&session.database(&options.dir.dir)?)?;
        let globals: Vec<GlobalSize> =
            (1..=options.globals).map(|number| GlobalSize::new(number, options.subscripts)).collect();
        let (form, engine) = ((options.names.names(), options.indexes), &options.engine);
        make_globals(&mut place, form, &globals, &options.values, engine, &options.store, session)
    })
}

/// Adds globals until there are `--globals` in total.
pub fn add(options: &DbAdd) -> Result<Code> {
    Session::supervised(Reach::ManyHosts, MAKING_HANG, |session| {
        let mut place = OpenDatabase::open(&session.database(&options.dir.dir)?)?;
        if place.marker.globals >= options.globals {
            if session.member().is_some() {
                return refused(format!(
                    "there are already {} globals; give a number larger than every rank has",
                    place.marker.globals
                ));
            }
            remark_of(&sentence!("remark-database-has-globals", globals = place.marker.globals));
            session.lifeline.exit(exit::OK);
            return Ok(exit::OK);
        }
        let count = match options.subscripts {
            Some(count) => count,
            None => first_size(&mut place)?,
        };
        let globals: Vec<GlobalSize> =
            (place.marker.globals + 1..=options.globals).map(|number| GlobalSize::new(number, count)).collect();
        let (form, engine) = ((place.marker.names, place.marker.indexes), &options.engine);
        make_globals(&mut place, form, &globals, &options.values, engine, &options.store, session)
    })
}

fn first_size(place: &mut OpenDatabase) -> Result<u64> {
    let _claim = Running::maintenance(&place.marker.directories.work, |other| !other.drives())?;
    inserting::start_to_look(place)?;
    let size = place.database.size(1);
    place.database.stop().map_err(cli_error)?;
    size.map_err(cli_error)?
        .ok_or_else(|| coded(exit::REFUSED, "refused: global 1 has no recorded size; give one with -s"))
}

/// Creates globals with these names and secondary indexes.
fn make_globals(
    place: &mut OpenDatabase,
    (names, indexes): (Option<NodeNames>, u32),
    globals: &[GlobalSize],
    values: &ValueArg,
    engine: &EngineArgs,
    store: &StoreArg,
    session: &mut Session,
) -> Result<Code> {
    place.can_name(names, indexes, globals)?;
    let how = place.how(engine)?;
    let (value, store) = (values.rule(), store.store.as_ref());
    Making { place, how, globals, names, indexes, value, store }.run(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_directories_are_taken_apart_so_that_all_are_there() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["d1", "a,b", "x", "x,y", "x,y,z", "p,q", "p", "q"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let base = dir.path().display();
        let apart = |list: &str| -> Vec<String> {
            let list = list.replace('@', &format!("{base}/"));
            let parts: Vec<PathBuf> = list.split(',').map(PathBuf::from).collect();
            let short = |p: &PathBuf| p.display().to_string().replace(&format!("{base}/"), "@");
            joined(&parts).iter().map(short).collect()
        };
        assert_eq!(apart("@d1"), ["@d1"]);
        assert_eq!(apart("@a,b"), ["@a,b"]);
        assert_eq!(apart("@d1,@a,b"), ["@d1", "@a,b"]);
        assert_eq!(apart("@a,b,@d1,@a,b"), ["@a,b", "@d1", "@a,b"]);
        // The directory `@x` exists as well, but then `y` would have to be a directory, and it is not.
        assert_eq!(apart("@x,y,@d1"), ["@x,y", "@d1"]);
        assert_eq!(apart("@x,y,z,@x"), ["@x,y,z", "@x"]);
        assert_eq!(apart("@p,@q"), ["@p", "@q"]);
        assert_eq!(apart("@d1,@gone"), ["@d1", "@gone"]);
        assert!(joined(&[]).is_empty());
    }
}
