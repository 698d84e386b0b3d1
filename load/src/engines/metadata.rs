//! Metadata operations in the style of mdtest: files are created, inspected, read and removed by name, one call at a
//! time ([`model::metadata::MetadataRule`]).
//!
//! The guard that creates the directory passes an open descriptor for it ([`crate::target::OwnDirectory`]), and every
//! call is relative to that descriptor. Every accessed file is therefore in that directory, even if the directory is
//! moved. mdtest instead passes whole paths to the kernel, which then resolves a few more components. Otherwise, the
//! calls are the same. Files are created as in mdtest (`open(O_CREAT)`, `write`, `close`), but with `O_EXCL`.

use super::errno;
use super::options::Options;
use crate::contents::randomize;
use crate::engine::{Blocking, EngineEntry, Inline, OpenError, Opened, Opening, Probe, Request, WriteConsent};
use crate::random::Random;
use model::plan::{EngineOption, EngineQueue, EngineSpec, EngineTarget, OptionValue, OptionWord};
use model::{Op, metadata::MetadataPhase};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

const NAME: &str = "metadata";

const PHASE: EngineOption = EngineOption::new(
    "phase",
    OptionValue::Words(
        &[
            OptionWord::new(MetadataPhase::Create.name(), "create files"),
            OptionWord::new(MetadataPhase::Stat.name(), "stat files"),
            OptionWord::new(MetadataPhase::Read.name(), "read files"),
            OptionWord::new(MetadataPhase::Remove.name(), "remove files"),
        ],
        &[],
    ),
    MetadataPhase::Create.name(),
    "Operation on each file.",
);
const OWNER: EngineOption =
    EngineOption::new("owner", OptionValue::UpTo(u32::MAX), "0", "Number of the thread that creates the files.");
const FILE_SIZE: EngineOption =
    EngineOption::new("file_size", OptionValue::UpTo(1 << 20), "0", "Size of a file in bytes.");

pub(super) const ENTRY: EngineEntry = EngineEntry {
    spec: EngineSpec::new(
        NAME,
        "every operation creates, stats, reads or removes a file in the run's directory",
        EngineQueue::Single,
        EngineTarget::OwnDirectory,
    )
    .with_options(&[PHASE, OWNER, FILE_SIZE]),
    size: None,
    consent: WriteConsent::None,
    probe: Probe::Own(|| Ok(())),
    open,
};

fn open(opening: &Opening) -> Result<Opened, OpenError> {
    let mut options = Options::new(NAME, opening);
    let word = options.word(&PHASE)?;
    let phase = MetadataPhase::ALL.into_iter().find(|phase| phase.name() == word).unwrap_or(MetadataPhase::Create);
    let owner = options.number(OWNER.name)?.unwrap_or(0);
    let file_size = options.number(FILE_SIZE.name)?.unwrap_or(0);
    options.finish()?;
    opening.one_at_a_time(NAME)?;
    let directory = opening.own_directory(NAME, "secchi qualify --metadata")?;
    let mut contents = vec![0; opening.buffer_size.max(file_size as usize)];
    randomize(&mut contents, &mut Random::new(u64::from(owner)));
    Ok(Opened::new(Inline::new(Metadata {
        phase,
        directory,
        names: FileNames::new(owner),
        file_size: file_size as usize,
        contents,
    })))
}

struct Metadata {
    phase: MetadataPhase,
    directory: Arc<File>,
    names: FileNames,
    file_size: usize,
    /// Data to write, and buffer for reads.
    contents: Vec<u8>,
}

impl Metadata {
    /// Performs the phase's operation on file `number`. Returns `false` if the file does not have the expected size.
    fn call(&mut self, number: u64) -> io::Result<bool> {
        let (name, contents) = (self.names.name(number), &mut self.contents[..self.file_size]);
        match self.phase {
            MetadataPhase::Create => {
                let mut file = sys::files::create_new(&self.directory, name)?;
                if let Some((first, _)) = contents.split_first_chunk_mut::<8>() {
                    // No two files are alike, so that deduplication does not help.
                    *first = number.to_le_bytes();
                    file.write_all(contents)?;
                }
                Ok(true)
            }
            MetadataPhase::Stat => Ok(sys::files::stat_at(&self.directory, name)? == self.file_size as u64),
            MetadataPhase::Read => {
                let mut file = sys::files::open_at(&self.directory, name)?;
                Ok(self.file_size == 0 || file.read(contents)? == self.file_size)
            }
            MetadataPhase::Remove => sys::files::remove_at(&self.directory, name).map(|()| true),
        }
    }
}

impl Blocking for Metadata {
    fn perform(&mut self, request: &Request) -> i32 {
        if request.op == Op::Flush {
            return 0;
        }
        match self.call(request.at / u64::from(request.len.max(1))) {
            Ok(true) => request.len as i32,
            // The size differs from the size at creation.
            Ok(false) => -sys::errno::EIO,
            Err(error) => errno(error),
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        &mut self.contents
    }
}

/// Names of files in mdtest's style: `file.mdtest.3.17` is number 17 of thread 3. A name is written in place, so no
/// allocation is needed.
pub(crate) struct FileNames {
    text: Vec<u8>,
    /// Index at which the number begins.
    fixed: usize,
}

impl FileNames {
    /// Number of digits in the largest number.
    const DIGITS: usize = 20;

    pub(crate) fn new(owner: u32) -> FileNames {
        let text = format!("file.mdtest.{owner}.").into_bytes();
        let fixed = text.len();
        FileNames { text: [text.as_slice(), &[0; Self::DIGITS]].concat(), fixed }
    }

    /// Returns the name of file `number`.
    pub(crate) fn name(&mut self, number: u64) -> &OsStr {
        let digits = number.checked_ilog10().map_or(1, |n| n as usize + 1);
        let end = self.fixed + digits;
        let mut rest = number;
        for digit in self.text[self.fixed..end].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        sys::files::ascii_name(&self.text[..end])
    }

    /// Returns `true` if `name` is a name that this type generates.
    pub(crate) fn is_one(name: &OsStr) -> bool {
        let parts: Option<(u32, u64)> = name.to_str().and_then(|name| {
            let (owner, number) = name.strip_prefix("file.mdtest.")?.split_once('.')?;
            Some((owner.parse().ok()?, number.parse().ok()?))
        });
        parts.is_some_and(|(owner, number)| FileNames::new(owner).name(number) == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    fn engine(directory: &File, phase: MetadataPhase, owner: u32, file_size: u32) -> Box<dyn Engine> {
        let options =
            [("phase", phase.name().to_owned()), ("owner", owner.to_string()), ("file_size", file_size.to_string())];
        let opening = Opening {
            files: vec![Arc::new(directory.try_clone().expect("it is open"))],
            options: options.map(|(n, v)| (n.to_owned(), v)).to_vec(),
            depth: 1,
            buffer_size: file_size.max(1) as usize,
            ..Opening::default()
        };
        (ENTRY.open)(&opening).unwrap_or_else(|e| panic!("{e}")).engine
    }

    fn run(directory: &File, phase: MetadataPhase, owner: u32, file_size: u32) -> Vec<i32> {
        let mut engine = engine(directory, phase, owner, file_size);
        let len = file_size.max(1);
        let ask = |i: u64| Request { at: i * u64::from(len), len, ..Request::default() };
        (0..3).map(|i| engine.single(&ask(i), &mut Vec::new()).expect("it answers")).collect()
    }

    /// Translates the results of [`run`] into error kinds, on any system.
    fn failed(directory: &File, phase: MetadataPhase, owner: u32, file_size: u32) -> Vec<io::ErrorKind> {
        run(directory, phase, owner, file_size).iter().map(|r| io::Error::from_raw_os_error(-r).kind()).collect()
    }

    #[test]
    fn files_are_made_looked_at_read_and_removed_and_what_fails_says_why() {
        let temp = tempfile::tempdir().expect("a directory");
        let directory = crate::test_directory(temp.path());
        let count = || std::fs::read_dir(temp.path()).expect("it is there").count();
        for size in [0, 3901] {
            let len = size.max(1) as i32;
            assert_eq!(failed(&directory, MetadataPhase::Stat, 0, size), [io::ErrorKind::NotFound; 3]);
            assert_eq!(run(&directory, MetadataPhase::Create, 0, size), [len; 3]);
            assert_eq!(run(&directory, MetadataPhase::Create, 11, size), [len; 3], "another owner's");
            assert_eq!(failed(&directory, MetadataPhase::Create, 0, size), [io::ErrorKind::AlreadyExists; 3]);
            assert_eq!(count(), 6);
            for phase in [MetadataPhase::Stat, MetadataPhase::Read] {
                assert_eq!(run(&directory, phase, 0, size), [len; 3]);
                assert_eq!(run(&directory, phase, 0, 5000), [-sys::errno::EIO; 3], "they were to be larger");
            }
            for owner in [0, 11] {
                assert_eq!(run(&directory, MetadataPhase::Remove, owner, size), [len; 3]);
            }
            assert_eq!(count(), 0);
        }
    }

    #[test]
    fn no_file_is_like_another_and_all_have_their_size() {
        let temp = tempfile::tempdir().expect("a directory");
        let directory = crate::test_directory(temp.path());
        for owner in [0, 1] {
            run(&directory, MetadataPhase::Create, owner, 3901);
        }
        let files = std::fs::read_dir(temp.path()).expect("it is there").map(|e| e.expect("an entry").path());
        let contents: std::collections::HashSet<Vec<u8>> = files.map(|f| std::fs::read(f).expect("it reads")).collect();
        assert_eq!(contents.len(), 6);
        assert!(contents.iter().all(|c| c.len() == 3901));
    }

    #[test]
    fn a_link_is_never_followed() {
        let temp = tempfile::tempdir().expect("a directory");
        let directory = crate::test_directory(temp.path());
        let elsewhere = temp.path().join("elsewhere");
        let Ok(()) = testkit::symlink(&elsewhere, temp.path().join("file.mdtest.0.0")) else {
            testkit::skip!("no symbolic link can be made here")
        };
        assert_eq!(failed(&directory, MetadataPhase::Create, 0, 3901)[0], io::ErrorKind::AlreadyExists);
        let read = run(&directory, MetadataPhase::Read, 0, 3901)[0];
        assert!(sys::files::is_link_error(&io::Error::from_raw_os_error(-read)), "{read}");
        assert!(!elsewhere.exists());
    }

    #[test]
    fn it_works_in_a_directory_only() {
        let file = crate::test_file();
        let opening = Opening { files: vec![Arc::new(file)], depth: 1, ..Opening::default() };
        let Err(error) = (ENTRY.open)(&opening) else { panic!("opened") };
        assert!(error.to_string().contains("qualify --metadata"), "{error}");
    }

    #[test]
    fn names_are_mdtests_and_are_known_again() {
        let mut names = FileNames::new(7);
        for (number, name) in [(0, "file.mdtest.7.0"), (9, "file.mdtest.7.9"), (1_000_010, "file.mdtest.7.1000010")] {
            assert_eq!(names.name(number), name);
            assert!(FileNames::is_one(OsStr::new(name)));
        }
        assert_eq!(names.name(u64::MAX), "file.mdtest.7.18446744073709551615");
        for other in
            ["file.mdtest.7.", "file.mdtest.7.01", "file.mdtest.+7.1", "file.mdtest.7.1.2", "file", "x.mdtest.0.0"]
        {
            assert!(!FileNames::is_one(OsStr::new(other)), "{other}");
        }
    }
}
