//! All engines. To add an engine, add a file here and a line to [`ENGINES`]. The line belongs below if the engine works
//! on all systems, otherwise in `list/linux.rs`, `list/macos.rs` or `list/windows.rs`.

/// Builds the list of engines for one system: first the system's own engines, then the engines common to all systems.
macro_rules! engines {
    (own: [$($own:expr),*], behind_blocking: [$($behind:expr),*],) => {
        &[
            $($own,)*
            $crate::engines::files::psync::PSYNC,
            $crate::engines::files::psync::SYNC,
            $crate::engines::files::psync::PVSYNC,
            $crate::engines::files::psync::PVSYNC2,
            $crate::engines::files::vsync::ENTRY,
            $crate::engines::files::posixaio::ENTRY,
            $crate::engines::files::mmap::ENTRY,
            $crate::engines::files::null::ENTRY,
            $($behind,)*
            $crate::engines::space::lengths::FALLOC,
            $crate::engines::space::lengths::FTRUNCATE,
            $crate::engines::space::e4defrag::ENTRY,
            $crate::engines::files::io_uring_cmd::ENTRY,
            $crate::engines::files::sg::ENTRY,
            $crate::engines::names::FILE_CREATE,
            $crate::engines::names::FILE_STAT,
            $crate::engines::names::FILE_DELETE,
            $crate::engines::names::DIR_CREATE,
            $crate::engines::names::DIR_STAT,
            $crate::engines::names::DIR_DELETE,
            $crate::engines::metadata::ENTRY,
            $crate::engines::commit::ENTRY,
            $crate::engines::servers::http::ENTRY,
            $crate::engines::servers::nfs::ENTRY,
            $crate::engines::servers::rbd::ENTRY,
        ]
    };
}

mod commit;
mod files;
#[cfg_attr(target_os = "linux", path = "list/linux.rs")]
#[cfg_attr(target_os = "macos", path = "list/macos.rs")]
#[cfg_attr(windows, path = "list/windows.rs")]
mod list;
mod metadata;
mod names;
mod options;
mod servers;
mod space;
mod wrappers;

use crate::engine::{EngineEntry, OpenError, Opening, Request};
pub(crate) use commit::is_commit_file;
pub use list::{CANDIDATES, DEEP, ENGINES};
pub(crate) use metadata::FileNames;
use model::Bytes;
use model::plan::{EngineSpec, EngineTarget, NameWork};
use std::fs::File;
use std::io;
use std::sync::Arc;
use sys::queues::{IoKind, Submission};
pub use wrappers::faulty::Faulty;
pub use wrappers::locked::{Locked, SharedLock};

/// Returns the engine with this name.
///
/// # Errors
/// Returns [`OpenError::Unknown`] with the known names and the most similar name.
pub fn find(name: &str) -> Result<&'static EngineEntry, OpenError> {
    ENGINES.iter().find(|e| e.spec.name == name).ok_or_else(|| OpenError::Unknown {
        name: model::clip(name),
        known: ENGINES.iter().map(|e| e.spec.name).collect::<Vec<_>>().join(" "),
        hint: model::units::suggestion(name, ENGINES.iter().map(|e| e.spec.name)),
    })
}

/// Returns the size of the server object that the options name, for engines that can query the size (rbd).
///
/// # Errors
/// Returns an [`OpenError`] if the engine does not query sizes or cannot reach the object.
pub fn served_size(engine: &str, options: &[(String, String)]) -> Result<Bytes, OpenError> {
    let entry = find(engine)?;
    let opening = Opening { options: options.to_vec(), ..Opening::default() };
    let query = entry.size.ok_or_else(|| OpenError::unsupported(entry.spec.name, "cannot report sizes"))?;
    query(&opening).map(Bytes)
}

/// Returns the engines' descriptions for the job language and help, in the order of [`ENGINES`]. Engines whose target a
/// job cannot name are left out.
pub fn specs() -> impl Iterator<Item = &'static EngineSpec> {
    ENGINES.iter().map(|entry| &entry.spec).filter(|spec| spec.works_on != EngineTarget::OwnDirectory)
}

/// Returns the operation that an engine performs on names. Returns `None` for engines that work on the contents of
/// files, and for unknown engines.
#[must_use]
pub fn name_work(engine: &str) -> Option<NameWork> {
    find(engine).ok()?.spec.name_work()
}

impl Opening {
    /// Checks that no more than one operation in flight was requested.
    fn one_at_a_time(&self, engine: &'static str) -> Result<(), OpenError> {
        if self.depth > 1 {
            let (depth, deep) = (self.depth, DEEP);
            let reason =
                format!("has one operation in flight per thread, but {depth} were requested; use threads, or {deep}");
            return Err(OpenError::unsupported(engine, reason));
        }
        Ok(())
    }

    /// Returns the directory of the run, in which the engine works. `command` is the command that creates it.
    fn own_directory(&self, engine: &'static str, command: &str) -> Result<Arc<File>, OpenError> {
        let directory = self.files.first().filter(|f| f.metadata().is_ok_and(|m| m.is_dir()));
        let reason = || format!("needs a directory that the run created ({command})");
        directory.cloned().ok_or_else(|| OpenError::unsupported(engine, reason()))
    }
}

/// Submits requests in batches of at most `batch`, until a batch is only partly accepted. Returns the number of
/// accepted requests.
#[inline(always)]
fn in_batches(
    batch: usize,
    requests: &[Request],
    mut give: impl FnMut(&[Request]) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut taken = 0;
    for part in requests.chunks(batch) {
        let given = give(part)?;
        taken += given;
        if given < part.len() {
            break;
        }
    }
    Ok(taken)
}

/// Returns the negative errno of a failed call.
#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
fn errno(error: io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(sys::errno::EINVAL)
}

#[inline(always)]
fn submission(request: &Request) -> Submission {
    let kind = match request.op {
        model::Op::Read => IoKind::Read,
        model::Op::Write => IoKind::Write,
        model::Op::Flush if request.flush == model::plan::FlushKind::Full => IoKind::Sync,
        model::Op::Flush => IoKind::DataSync,
        model::Op::Trim => IoKind::Discard,
    };
    Submission { slot: request.slot, kind, file: request.file, at: request.at, len: request.len, skip: request.skip }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Completion, Engine, Opened, Opening, Wait};
    use model::Op;
    use model::plan::{FlushKind, OptionValue};
    use std::sync::Arc;
    use sys::files::FileExt;

    fn opening(file: &std::fs::File, depth: u32) -> Opening {
        Opening {
            files: vec![Arc::new(file.try_clone().unwrap())],
            size: 65536,
            writes: true,
            depth,
            buffer_size: 4096,
            ..Opening::default()
        }
    }

    /// Opens an engine, or reports that it is not available here.
    fn open(entry: &EngineEntry, opening: &Opening) -> Option<Box<dyn Engine>> {
        match (entry.open)(opening) {
            Ok(Opened { engine, .. }) => Some(engine),
            Err(e) => {
                testkit::skipped(&e.to_string());
                None
            }
        }
    }

    fn perform(engine: &mut Box<dyn Engine>, request: Request) -> i32 {
        let mut done = Vec::with_capacity(4);
        assert_eq!(engine.submit(&[request]).unwrap(), 1);
        // A signal may end a wait early.
        while done.is_empty() {
            engine.reap(1, Wait::Forever, &mut done).unwrap();
        }
        let [Completion { slot, result }] = done[..] else { panic!("{} answers", done.len()) };
        assert_eq!(slot, request.slot);
        result
    }

    fn ask(op: Op, file: u16, at: u64) -> Request {
        let len = if op == Op::Flush { 0 } else { 4096 };
        Request { op, file, at, len, ..Request::default() }
    }

    /// Returns `true` if the engine transfers the contents of files.
    fn transfers(entry: &&EngineEntry) -> bool {
        matches!(entry.spec.works_on, EngineTarget::Contents | EngineTarget::Mapping)
    }

    #[test]
    fn every_engine_reads_what_it_wrote_in_any_of_its_files() {
        for entry in ENGINES.iter().filter(transfers) {
            let files: Vec<_> = (1..=3u8)
                .map(|byte| {
                    let file = crate::test_file();
                    file.write_all_at(&[byte; 65536], 0).unwrap();
                    Arc::new(file)
                })
                .collect();
            let depth = if entry.spec.is_blocking() { 1 } else { 4 };
            let opening = Opening { files: files.clone(), trims: true, ..opening(&files[0], depth) };
            let Some(mut engine) = open(entry, &opening) else { continue };
            let name = entry.spec.name;
            engine.buffer(0).fill(0xA5);
            assert_eq!(perform(&mut engine, ask(Op::Write, 2, 8192)), 4096, "{name}");
            for flush in [FlushKind::Data, FlushKind::Full] {
                assert_eq!(perform(&mut engine, Request { flush, ..ask(Op::Flush, 2, 0) }), 0, "{name}");
            }
            for (file, byte) in [(0, 1), (1, 2), (2, 0xA5)] {
                engine.buffer(0).fill(0);
                assert_eq!(perform(&mut engine, ask(Op::Read, file, 8192)), 4096, "{name}");
                assert!(engine.buffer(0).iter().all(|b| *b == byte), "{name}, file {file}");
            }
            assert_eq!(perform(&mut engine, ask(Op::Read, 1, 65536)), 0, "{name} beyond the end");
            let given_back = perform(&mut engine, ask(Op::Trim, 1, 4096));
            if [-sys::errno::ENOTSUP, -sys::errno::EOPNOTSUPP].contains(&given_back) {
                testkit::skipped(&format!("{name}: no holes can be punched here"));
                continue;
            }
            assert_eq!(given_back, 4096, "{name}");
            let mut back = [9; 12288];
            files[1].read_exact_at(&mut back, 0).unwrap();
            assert!(back[..4096].iter().chain(&back[8192..]).all(|b| *b == 2), "{name}");
            assert!(back[4096..8192].iter().all(|b| *b == 0), "{name}");
        }
    }

    #[test]
    fn a_full_queue_comes_back_whole_and_each_buffer_holds_its_own() {
        let file = crate::test_file();
        (0..16u8).for_each(|block| file.write_all_at(&[block; 4096], u64::from(block) * 4096).unwrap());
        for (name, options) in [
            ("io_uring", &[][..]),
            ("io_uring", &[("fixedbufs", "0"), ("registerfiles", "0"), ("force_async", "2")]),
            ("io_uring", &[("sqthread_poll", "1")]),
            ("libaio", &[]),
            ("libaio", &[("userspace_reap", "1")]),
            ("vsync", &[]),
            ("posixaio", &[]),
        ] {
            let options = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
            let Some(mut engine) = open(find(name).unwrap(), &Opening { options, ..opening(&file, 4) }) else {
                continue;
            };
            for round in 0..50u64 {
                let block = |slot: u32| (round * 3 + u64::from(slot) * if round % 2 == 0 { 1 } else { 5 }) % 16;
                let asked: Vec<_> =
                    (0..4).map(|slot| Request { slot, ..ask(Op::Read, 0, block(slot) * 4096) }).collect();
                assert_eq!(engine.submit(&asked).unwrap(), 4);
                let mut done = Vec::with_capacity(4);
                while done.len() < 4 {
                    engine.reap(1, Wait::Forever, &mut done).unwrap();
                }
                assert!(done.iter().all(|c| c.result == 4096), "{name}: {done:?}");
                for slot in 0..4 {
                    assert!(engine.buffer(slot).iter().all(|b| u64::from(*b) == block(slot)), "{name}, slot {slot}");
                }
            }
        }
    }

    #[test]
    fn a_wait_with_a_time_ends_without_answers() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let pipe = sys::streams::stream_file(&reader).unwrap();
        // A read of an empty pipe never completes, at any offset.
        let Some(mut engine) = open(find("posixaio").unwrap(), &opening(&pipe, 1)) else { return };
        let mut done = Vec::new();
        engine.reap(1, Wait::Forever, &mut done).unwrap();
        assert!(done.is_empty(), "nothing was asked");
        // pread of a pipe fails immediately: a result, not a hang.
        assert_eq!(perform(&mut engine, ask(Op::Read, 0, 0)), -29);
        engine.reap(1, Wait::AtMost(1_000_000), &mut done).unwrap();
        assert!(done.is_empty());
    }

    #[test]
    fn an_option_of_another_engine_is_refused_by_name() {
        let file = crate::test_file();
        for entry in ENGINES {
            let options = vec![("no_such_thing".to_owned(), "1".to_owned())];
            let Err(error) = (entry.open)(&Opening { options, ..opening(&file, 1) }) else {
                panic!("{}", entry.spec.name)
            };
            assert!(error.to_string().contains("no_such_thing"), "{error}");
        }
        let options = vec![("hipri".to_owned(), String::new())];
        let Err(error) = (find("io_uring").unwrap().open)(&Opening { options, ..opening(&file, 1) }) else { panic!() };
        assert!(error.to_string().contains("direct=1"), "{error}");
    }

    #[test]
    fn every_option_of_an_engine_is_taken_by_it() {
        let file = crate::test_file();
        for (entry, option) in ENGINES.iter().flat_map(|e| e.spec.options.iter().map(move |o| (e, o))) {
            let value = match option.value {
                OptionValue::Words(words, _) => words.last().expect("it has words").name,
                _ => "1",
            };
            let options = vec![(option.name.to_owned(), value.to_owned())];
            if let Err(error) = (entry.open)(&Opening { options, ..opening(&file, 1) }) {
                assert!(!error.to_string().contains(" does not support `"), "{}: {error}", entry.spec.name);
            }
        }
    }

    /// An engine is unavailable only if a kernel feature or a library is missing, never because of the target.
    #[test]
    fn every_engine_is_probed_without_a_target() {
        for entry in ENGINES {
            if let Err(error) = entry.probe() {
                assert!(matches!(error, OpenError::Unavailable { .. }), "{}: {error}", entry.spec.name);
            }
        }
    }

    #[test]
    fn options_of_one_name_are_one_option_and_secrets_are_known_to_records() {
        let options: Vec<_> = ENGINES.iter().flat_map(|e| e.spec.options).collect();
        for option in &options {
            assert!(options.iter().all(|other| other.name != option.name || other == option), "{}", option.name);
            assert_eq!(
                option.help.contains("Never stored in records"),
                model::plan::SECRETS.contains(&option.name),
                "{}",
                option.name
            );
        }
    }

    #[test]
    fn what_a_server_is_asked_for_is_in_the_entry() {
        for entry in ENGINES {
            let sized = matches!(entry.spec.works_on, EngineTarget::Server(server) if server.sized);
            assert_eq!(entry.size.is_some(), sized, "{}", entry.spec.name);
        }
    }

    #[test]
    fn a_blocking_engine_refuses_depth() {
        let file = crate::test_file();
        let Err(error) = (find("psync").unwrap().open)(&opening(&file, 8)) else { panic!("opened") };
        assert!(error.to_string().contains("8 were requested"), "{error}");
    }

    #[test]
    fn an_unknown_engine_gets_the_nearest_name() {
        let Err(error) = find("iouring") else { panic!("found") };
        assert!(error.to_string().contains("did you mean `io"), "{error}");
    }
}
