//! The only way to write a file. Every output of every command is claimed here before anything is measured. It is then
//! written to a temporary file in the same directory and renamed, so that an existing file stays intact until its
//! replacement is complete.
//!
//! | existing file | action |
//! |---|---|
//! | none | created |
//! | an empty file, or an earlier output of secchi | replaced; other names of it (hard links) keep the old text |
//! | a file named after a job, for the output of its program | rewritten, regardless of its content |
//! | another regular file, a symbolic link | refused; `--force` replaces the name but not the target of a link |
//! | an input of this command, a journal, a file of a store or database, a swap file or mounted image | refused |
//! | `/dev/stdout`, `/dev/stderr`, `/dev/null`, a pipe with a reader | written to |
//! | any other device, a socket, any other name in `/dev`, `/proc`, `/sys` | refused |

use crate::exit::{self, Code, coded};
use crate::inputs::{self, FileKey, key_of};
use crate::{bail, reject};
use anyhow::Result;
use model::clip;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use sys::files::{FileTypeExt, Guards, Metadata, MetadataExt, OpenGuarded};

/// Existing files that may be replaced without `--force`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// Earlier outputs of secchi.
    Ours,
    /// Earlier outputs of secchi, and outputs and logs in fio's formats.
    Fios,
    /// fio's logs that were stored compressed.
    Packed,
    /// Files that begin with the given text.
    Begun(&'static str),
    /// Any regular file. Used for files that are named after a job and receive the output of its program, because fio
    /// overwrites them too.
    Anything,
    /// No file, because the existing one may be the only copy.
    Nothing,
}

/// The outputs of one command.
pub struct Outputs {
    force: bool,
    /// Files that the command works on, and paths at which it creates some.
    worked_on: Vec<(Option<FileKey>, PathBuf)>,
    taken: Vec<PathBuf>,
}

/// A file that will be written.
#[derive(Debug)]
pub struct Output {
    /// Path as named by the user.
    named: PathBuf,
    route: Route,
}

#[derive(Debug)]
enum Route {
    /// An output that is written to directly and not replaced: standard output, a pipe.
    Through(File),
    /// A name in a directory.
    Name { path: PathBuf, there: Option<FileKey>, mode: Option<u32> },
}

impl Outputs {
    /// Creates an empty set of outputs. `force` replaces existing files of any kind.
    pub fn new(force: bool) -> Self {
        Outputs { force, worked_on: Vec::new(), taken: Vec::new() }
    }

    /// Protects a file that the command works on from being overwritten by any output; the file need not exist yet.
    pub fn spare(&mut self, path: &Path) {
        let key = sys::files::metadata(path).ok().map(|m| key_of(&m));
        self.worked_on.push((key, resolved(path).unwrap_or_else(|_| path.to_owned())));
    }

    /// Claims an output by its name. Changes nothing yet.
    ///
    /// # Errors
    /// One sentence. It is a refusal (exit code 3) if something would be lost, otherwise the reason why the output
    /// cannot be written.
    pub fn claim(&mut self, path: &Path, replaces: Replaces) -> Result<Output> {
        let route = self
            .find_route(path, replaces)
            .map_err(|(code, reason)| coded(code, format!("cannot write {}: {reason}", display_path(path))))?;
        if let Route::Name { path: place, .. } = &route {
            if self.taken.contains(place) {
                reject!("cannot write {}: it is given for two outputs", display_path(path));
            }
            self.taken.push(place.clone());
        }
        Ok(Output { named: path.to_owned(), route })
    }

    fn find_route(&self, path: &Path, replaces: Replaces) -> Result<Route, (Code, String)> {
        let refused = |reason: &str| Err((exit::REFUSED, reason.to_owned()));
        let cannot = |e: io::Error| (exit::CANNOT, e.to_string());
        if let Some(stream) = standard(path) {
            let stream = stream.map_err(cannot)?;
            return match sys::files::file_metadata(&stream).map_err(cannot)?.file_type().is_block_device() {
                true => refused(DEVICE),
                false => Ok(Route::Through(stream)),
            };
        }
        let inherited = ["/dev/fd", "/proc/self/fd"].iter().any(|d| path.starts_with(d));
        let meta = if inherited { sys::files::metadata(path) } else { sys::files::symlink_metadata(path) };
        let meta = match meta {
            Ok(meta) => Some(meta),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(cannot(e)),
        };
        // Checked first: not even `--force` allows writing here.
        if let Some(whose) = resolved(path).ok().and_then(|place| owned(&place)) {
            return Err((exit::REFUSED, format!("it is in {whose}: name another directory")));
        }
        let Some(meta) = meta else { return self.place(path, None) };
        let kind = meta.file_type();
        match () {
            () if sys::streams::is_null_device(&meta) || kind.is_fifo() => {
                // Without a reader, opening a pipe would block.
                let pipe = OpenOptions::new().write(true).open_guarded(path, Guards::NO_WAIT);
                let pipe = pipe.map_err(|e| match sys::streams::is_no_reader(&e) {
                    true => (exit::CANNOT, "no process reads from this pipe: start the reader first".to_owned()),
                    false => cannot(e),
                })?;
                sys::streams::wait_again(&pipe).map_err(cannot)?;
                Ok(Route::Through(pipe))
            }
            () if kind.is_block_device() || kind.is_char_device() => refused(DEVICE),
            () if kind.is_dir() => Err((exit::BAD_INPUT, "it is a directory: name a file in it".to_owned())),
            () if kind.is_symlink() => self.link(path),
            () if kind.is_file() && !inherited => {
                self.may_replace(path, &meta, replaces)?;
                self.place(path, Some(&meta))
            }
            () if kind.is_file() => refused("it is a file that is already open: name the file itself"),
            () => refused("it is not a regular file"),
        }
    }

    /// Returns the route for an output whose name is a symbolic link. Links are never followed; with `--force` the link
    /// itself is replaced.
    fn link(&self, path: &Path) -> Result<Route, (Code, String)> {
        let to = std::fs::read_link(path).map(|to| clip(&to.display().to_string())).unwrap_or_default();
        if let Ok(behind) = sys::files::metadata(path) {
            self.is_free(&behind, path)?;
        }
        if !self.force {
            let reason = format!(
                "it is a symbolic link to {to}, and secchi does not write through links: name the file itself, or \
                 replace the link with --force"
            );
            return Err((exit::REFUSED, reason));
        }
        let meta = sys::files::symlink_metadata(path).map_err(|e| (exit::CANNOT, e.to_string()))?;
        self.place(path, Some(&meta))
    }

    /// Rejects files that may not be replaced even with `--force`: inputs of this command, and files that are in use as
    /// devices.
    fn is_free(&self, meta: &Metadata, path: &Path) -> Result<(), (Code, String)> {
        let refused = |reason: String| Err((exit::REFUSED, reason));
        let key = key_of(meta);
        if let Some(read) = inputs::read_as(key) {
            return refused(format!("this command reads it ({})", display_path(&read)));
        }
        if let Some((_, other)) = self.worked_on.iter().find(|(k, _)| *k == Some(key)) {
            return refused(format!("this command uses it ({})", display_path(other)));
        }
        match sys::devices::file_uses(sys::files::FileId::from(meta)).into_iter().next() {
            Some(used) => refused(format!("{} {used}", display_path(path))),
            None => Ok(()),
        }
    }

    /// Checks that a regular file may be replaced.
    fn may_replace(&self, path: &Path, meta: &Metadata, replaces: Replaces) -> Result<(), (Code, String)> {
        let refused = |reason: &str| Err((exit::REFUSED, reason.to_owned()));
        self.is_free(meta, path)?;
        let head = match head(path) {
            Ok(head) => head,
            Err(_) if self.force => return Ok(()),
            Err(e) => return Err((exit::CANNOT, format!("it exists and cannot be read ({e})"))),
        };
        if store::is_journal(&head) {
            return refused("it is the journal of a run");
        }
        let earlier = match replaces {
            _ if head.is_empty() => true,
            Replaces::Ours => report::is_earlier(&head),
            Replaces::Fios => report::is_fios(&head) || report::is_earlier(&head),
            Replaces::Packed => is_zlib(&head),
            Replaces::Begun(text) => head.starts_with(text.as_bytes()),
            Replaces::Anything => true,
            Replaces::Nothing => false,
        };
        let reason = match replaces {
            _ if earlier || self.force => return Ok(()),
            Replaces::Nothing => "it already exists: name another file, or replace it with --force",
            Replaces::Fios | Replaces::Packed => {
                "it exists, and does not look like an output or log of fio: name another file, or replace it with \
                 --force"
            }
            _ => "it exists, and is not an earlier output of this kind: name another file, or replace it with --force",
        };
        refused(reason)
    }

    /// Returns the route for a name in a directory, which must accept a new file.
    fn place(&self, path: &Path, meta: Option<&Metadata>) -> Result<Route, (Code, String)> {
        let cannot = |e: io::Error| (exit::CANNOT, e.to_string());
        let place = resolved(path).map_err(cannot)?;
        if sys::files::is_kernel_path(&place) {
            return Err((
                exit::REFUSED,
                "its directory belongs to the kernel (such as /dev, /proc or /sys)".to_owned(),
            ));
        }
        if let Some((_, other)) = self.worked_on.iter().find(|(_, other)| *other == place) {
            return Err((exit::REFUSED, format!("this command uses it ({})", display_path(other))));
        }
        let mode = meta.filter(|m| m.is_file()).map(|m| m.mode() & 0o777);
        // A file without write permission is not replaced, even if the permissions of its directory would allow that.
        if mode.is_some() {
            sys::files::check_writable(&place).map_err(cannot)?;
        }
        probe(&place).map_err(cannot)?;
        Ok(Route::Name { path: place, there: meta.map(key_of), mode })
    }
}

const DEVICE: &str = "it is a device: outputs can only be regular files, pipes, /dev/stdout, /dev/stderr and /dev/null";

fn display_path(path: &Path) -> String {
    clip(&path.display().to_string())
}

/// Returns standard output or standard error if the path names one of them. They are used as they are, not reopened.
fn standard(path: &Path) -> Option<io::Result<File>> {
    match path.to_str()? {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(sys::streams::stream_file(&io::stdout())),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(sys::streams::stream_file(&io::stderr())),
        _ => None,
    }
}

/// Returns the path with all links resolved except in its last component.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(sys::files::canonical(parent)?.join(name))
}

/// Reads the beginning of a regular file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).open_guarded(path, Guards::NEITHER)?;
    let mut head = Vec::new();
    file.take(report::EARLIER_HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Returns `true` if this begins like zlib data: with the method, the window size, and a checksum that is divisible by
/// 31.
fn is_zlib(head: &[u8]) -> bool {
    head.first().zip(head.get(1)).is_some_and(|(a, b)| *a == 0x78 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0)
}

/// Returns what the path's directory belongs to, if secchi must not write into it.
fn owned(place: &Path) -> Option<String> {
    if let Some(dir) = store::find_store(place) {
        return Some(format!("the run store {}", display_path(&dir)));
    }
    let database = |dir: &&Path| dir.join(db::MARKER).is_file() || dir.join(db::STAMP).is_file();
    place.ancestors().skip(1).find(database).map(|dir| format!("a database of secchi db, {}", display_path(dir)))
}

/// Returns an error if a directory (of a database, runs, or scripts) may not be created at this path, because it is
/// among devices or inside a store or another database.
///
/// # Errors
/// One sentence, exit code 3.
pub fn may_make_directory(path: &Path) -> Result<()> {
    if sys::files::is_kernel_path(path) {
        bail!(
            exit::REFUSED,
            "refused: {} is among devices or the kernel's files: name a directory on a disk",
            display_path(path)
        );
    }
    match resolved(path).ok().filter(|place| !place.exists()).and_then(|place| owned(&place)) {
        Some(whose) => {
            Err(coded(exit::REFUSED, format!("refused: {} is in {whose}: name another directory", display_path(path))))
        }
        None => Ok(()),
    }
}

/// Removes temporary files left by killed writers of this output. Such a file has a hidden name of this output and
/// belongs to this user, its process has ended, and no process holds its lock. A file is kept if any of this cannot be
/// determined.
fn sweep(place: &Path) {
    let Some(dir) = place.parent() else { return };
    let begins = hidden(place);
    let us = sys::files::effective_user();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let writer = name.to_str().and_then(|n| writer_of(n, &begins));
        let is_gone = writer.is_some_and(|pid| pid != std::process::id() && sys::locks::is_ending(pid));
        if !is_gone
            || !sys::files::symlink_metadata(entry.path()).is_ok_and(|m| m.is_file() && m.uid() == us && m.nlink() == 1)
        {
            continue;
        }
        let Ok(file) = OpenOptions::new().read(true).open_guarded(&entry.path(), Guards::NEITHER) else { continue };
        // Process IDs of another machine or container mean nothing here, but a writer on that machine holds the lock on
        // its file.
        if sys::locks::try_lock(&file, true).is_ok_and(|free| free) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Returns the process ID of the writer of a hidden file, from its name: `.NAME.secchi-PID-N.tmp`.
fn writer_of(name: &str, begins: &str) -> Option<u32> {
    let (pid, number) = name.strip_prefix(begins)?.strip_suffix(".tmp")?.split_once('-')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(pid) && digits(number)).then(|| pid.parse().ok())?
}

/// Returns the prefix of the hidden names for an output. The output's name is shortened in it, because a long name
/// would leave no space for the suffix.
fn hidden(place: &Path) -> String {
    let name = place.file_name().unwrap_or(OsStr::new("output")).to_string_lossy();
    format!(".{}.secchi-", name.chars().take(60).collect::<String>())
}

/// Checks that the directory accepts a new file.
fn probe(place: &Path) -> io::Result<()> {
    sweep(place);
    let (name, file) = beside(place)?;
    drop(file);
    std::fs::remove_file(name)
}

/// Creates a new file in the directory of `place`, with a name that does not match patterns such as `*.prom`.
fn beside(place: &Path) -> io::Result<(PathBuf, File)> {
    for n in 0.. {
        let path = place.with_file_name(format!("{}{}-{n}.tmp", hidden(place), std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && n < 100 => {}
            Err(e) => return Err(e),
            Ok(file) => {
                // The lock is held while the file is written, so that no other process removes the file as a leftover.
                // Not every file system supports locks.
                let _ = sys::locks::try_lock(&file, true);
                return Ok((path, file));
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

impl Output {
    /// Returns the path as named by the user.
    pub fn display(&self) -> String {
        display_path(&self.named)
    }

    /// Returns `true` if the output is replaced as a whole. Standard output and pipes are not.
    #[cfg(test)]
    fn is_place(&self) -> bool {
        matches!(self.route, Route::Name { .. })
    }

    /// Writes the whole output.
    ///
    /// # Errors
    /// If it cannot be written; an existing file is then left intact.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.fill(|out| out.write_all(bytes))
    }

    /// Same as [`Output::put`], but returns a failure as a sentence.
    pub fn fill_or_report(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        self.fill(write).map_err(|e| coded(exit::CANNOT, format!("cannot write {}: {e}", self.display())))
    }

    /// Writes the whole output piece by piece. May be called again; each call replaces the previous content.
    ///
    /// # Errors
    /// Same as for [`Output::put`].
    pub fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.replace(write, false)
    }

    /// Same as [`Output::fill`], but with mode 0600, so that only the user can read the file, and synced before it is
    /// renamed.
    ///
    /// # Errors
    /// Same as for [`Output::put`].
    pub fn durable(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.replace(write, true)
    }

    fn replace(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>, durable: bool) -> io::Result<()> {
        match &mut self.route {
            Route::Through(file) => {
                let mut out = BufWriter::new(file);
                write(&mut out).and_then(|()| out.flush())
            }
            Route::Name { path, there, mode } => {
                let mut draft = Draft::new(path, mode.or(durable.then_some(0o600)))?;
                let mut out = BufWriter::new(&mut draft.file);
                write(&mut out).and_then(|()| out.flush())?;
                drop(out);
                if durable {
                    sys::files::sync_file(&draft.file)?;
                }
                *there = Some(draft.replace_file(path, *there)?);
                Ok(())
            }
        }
    }

    /// Begins to write an output that stays open during a run. If no file exists yet, it is created immediately, so
    /// that it can be read during the run.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn stream(self) -> io::Result<Stream> {
        let route = match self.route {
            Route::Through(file) => Streamed::Plain(file),
            Route::Name { path, there: None, .. } => {
                let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
                Streamed::New { file, path, written: false }
            }
            Route::Name { path, there, mode } => {
                Streamed::Draft { draft: Draft::new(&path, mode)?, place: path, there }
            }
        };
        Ok(Stream { route })
    }
}

/// A file that is being written. If it replaces an existing file, [`Stream::finish`] must be called; otherwise
/// everything written is lost.
#[derive(Debug)]
pub struct Stream {
    route: Streamed,
}

#[derive(Debug)]
enum Streamed {
    Plain(File),
    /// File created under its final name; removed again if nothing is written.
    New {
        file: File,
        path: PathBuf,
        written: bool,
    },
    Draft {
        draft: Draft,
        place: PathBuf,
        there: Option<FileKey>,
    },
}

impl Stream {
    /// Renames the file to its final name.
    ///
    /// # Errors
    /// If renaming fails.
    pub fn finish(mut self) -> io::Result<()> {
        match &mut self.route {
            Streamed::Plain(_) => Ok(()),
            Streamed::New { written, .. } => {
                *written = true;
                Ok(())
            }
            Streamed::Draft { draft, place, there } => draft.replace_file(place, *there).map(drop),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.route {
            Streamed::Plain(file) => file.write(bytes),
            Streamed::New { file, written, .. } => {
                *written = true;
                file.write(bytes)
            }
            Streamed::Draft { draft, .. } => draft.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Streamed::New { path, written: false, .. } = &self.route {
            // The file was created by this process and is empty.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A temporary file in the directory of its final name; removed unless it is renamed.
#[derive(Debug)]
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    fn new(place: &Path, mode: Option<u32>) -> io::Result<Draft> {
        let (path, file) = beside(place)?;
        let draft = Draft { path, file };
        if let Some(mode) = mode {
            // The draft gets the mode of the file that it replaces.
            sys::files::set_mode(&draft.file, mode)?;
        }
        Ok(draft)
    }

    /// Renames the draft if the final name has not changed: it still refers to the same file, or still to no file.
    fn replace_file(&self, place: &Path, there: Option<FileKey>) -> io::Result<FileKey> {
        let key = key_of(&sys::files::file_metadata(&self.file)?);
        match sys::files::symlink_metadata(place) {
            Ok(now) if Some(key_of(&now)) == there => std::fs::rename(&self.path, place)?,
            Ok(_) => return Err(io::Error::other("another file is there now, and is not touched")),
            Err(_) => sys::files::rename_new(&self.path, place)?,
        }
        Ok(key)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // If the draft was renamed, this path no longer exists.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const EARLIER: &str = "run,started,workload,stage,\n";

    fn claim_error(outputs: &mut Outputs, path: &Path, replaces: Replaces) -> (i32, String) {
        let failure = outputs.claim(path, replaces).expect_err("refused");
        (exit::code_of(&failure).0, failure.to_string())
    }

    fn names(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn names_among_devices_and_the_kernels_files_are_refused_whatever_is_forced() {
        for name in ["/dev/nul", "/dev/stdin", "/dev/pts/x", "/proc/self/comm", "/sys/kernel/x"] {
            let message = Outputs::new(true).claim(Path::new(name), Replaces::Ours).unwrap_err().to_string();
            assert!(message.contains("the kernel"), "{message}");
        }
        assert!(
            !sys::files::is_kernel_path(Path::new("/dev/shm/page.html"))
                && !sys::files::is_kernel_path(Path::new("/devices/page.html"))
        );
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        // This number is greater than any process ID (PID_MAX_LIMIT is 2^22).
        let gone = 4_194_305;
        let make = |name: String| fs::write(dir.path().join(name), "half").unwrap();
        make(format!(".o.json.secchi-{gone}-0.tmp"));
        make(format!(".o.json.secchi-{gone}-17.tmp"));
        let stays = [
            format!(".o.json.secchi-{}-0.tmp", testkit::other_process()),
            format!(".other.json.secchi-{gone}-0.tmp"),
            format!(".o.json.secchi-{gone}-0.tmp.bak"),
            format!(".o.json.secchi-{gone}x-0.tmp"),
            format!(".o.json.secchi-{gone}.tmp"),
            format!(".o.json.secchi-{gone}-2.tmp"),
        ];
        stays.iter().cloned().for_each(make);
        let held = File::open(dir.path().join(&stays[5])).unwrap();
        assert!(sys::locks::try_lock(&held, true).unwrap());
        testkit::symlink("x", dir.path().join(format!(".o.json.secchi-{gone}-3.tmp"))).unwrap();
        let mut output = Outputs::new(false).claim(&dir.path().join("o.json"), Replaces::Ours).unwrap();
        output.put(b"whole").unwrap();
        assert!(stays.iter().all(|name| dir.path().join(name).exists()));
        // The directory contains these files, the link, and the output.
        assert_eq!(names(dir.path()), stays.len() + 2);
    }

    #[test]
    fn a_new_name_and_an_earlier_output_are_written_and_nothing_is_left_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        for text in [EARLIER, "run,started,workload,stage,2"] {
            let mut output = Outputs::new(false).claim(&path, Replaces::Ours).unwrap();
            assert!(output.is_place());
            output.put(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            // Write repeatedly, as is done for metrics.
            output.put(text.as_bytes()).unwrap();
        }
        assert_eq!(names(dir.path()), 1);
    }

    #[test]
    fn somebodys_file_needs_consent_and_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("thesis");
        fs::write(&path, "mine").unwrap();
        sys::files::set_mode(&File::open(&path).unwrap(), 0o640).unwrap();
        for replaces in [Replaces::Ours, Replaces::Fios, Replaces::Begun("# by"), Replaces::Nothing] {
            let (code, text) = claim_error(&mut Outputs::new(false), &path, replaces);
            assert!(code == 3 && text.contains("--force"), "{code} {text}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        Outputs::new(true).claim(&path, Replaces::Nothing).unwrap().put(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(sys::files::metadata(&path).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn links_are_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (original, soft, hard) = (dir.path().join("own"), dir.path().join("soft"), dir.path().join("hard"));
        fs::write(&original, EARLIER).unwrap();
        testkit::symlink(&original, &soft).unwrap();
        fs::hard_link(&original, &hard).unwrap();
        let (code, text) = claim_error(&mut Outputs::new(false), &soft, Replaces::Ours);
        assert!(code == 3 && text.contains("symbolic link"), "{code} {text}");
        Outputs::new(true).claim(&soft, Replaces::Ours).unwrap().put(b"new").unwrap();
        Outputs::new(false).claim(&hard, Replaces::Ours).unwrap().put(b"newer").unwrap();
        assert_eq!(fs::read_to_string(&original).unwrap(), EARLIER);
        assert!(sys::files::symlink_metadata(&soft).unwrap().is_file());
    }

    #[test]
    fn what_the_command_reads_or_works_on_is_spared_by_every_name_and_with_every_consent() {
        let dir = tempfile::tempdir().unwrap();
        let (input, link, target) = (dir.path().join("in"), dir.path().join("ln"), dir.path().join("to-be-made"));
        fs::write(&input, EARLIER).unwrap();
        fs::hard_link(&input, &link).unwrap();
        inputs::bytes(&input, 99).unwrap();
        let mut outputs = Outputs::new(true);
        outputs.spare(&target);
        for path in [&input, &link] {
            assert!(claim_error(&mut outputs, path, Replaces::Ours).1.contains("reads it"));
        }
        assert!(claim_error(&mut outputs, &target, Replaces::Ours).1.contains("this command uses it"));
        outputs.claim(&dir.path().join("x"), Replaces::Ours).unwrap();
        let (code, text) = claim_error(&mut outputs, &dir.path().join("x"), Replaces::Ours);
        assert!(code == 64 && text.contains("two outputs"), "{code} {text}");
    }

    #[test]
    fn devices_directories_and_pipes_nobody_reads_are_refused_and_null_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let mut outputs = Outputs::new(true);
        for device in ["/dev/zero", "/dev/full"] {
            assert!(claim_error(&mut outputs, Path::new(device), Replaces::Ours).1.contains("device"));
        }
        assert_eq!(claim_error(&mut outputs, dir.path(), Replaces::Ours).0, 64);
        assert_eq!(claim_error(&mut outputs, &dir.path().join("no/such"), Replaces::Ours).0, 4);
        let pipe = dir.path().join("p");
        sys::streams::create_pipe(&pipe).unwrap();
        assert!(claim_error(&mut outputs, &pipe, Replaces::Ours).1.contains("no process reads"));
        let reader = OpenOptions::new().read(true).open_guarded(&pipe, Guards::NO_WAIT);
        outputs.claim(&pipe, Replaces::Ours).unwrap().put(b"through").unwrap();
        let mut text = String::new();
        reader.unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
        outputs.claim(Path::new("/dev/null"), Replaces::Ours).unwrap().put(b"gone").unwrap();
    }

    #[test]
    fn nothing_goes_into_a_store_or_a_database() {
        let dir = tempfile::tempdir().unwrap();
        let (store, data) = (dir.path().join("store"), dir.path().join("db"));
        fs::create_dir_all(store.join("runs")).unwrap();
        fs::create_dir_all(data.join("work")).unwrap();
        fs::write(store.join("index.sqlite"), "").unwrap();
        fs::write(data.join(db::MARKER), "{}").unwrap();
        let mut outputs = Outputs::new(true);
        for path in [store.join("index.sqlite"), store.join("runs/x.journal"), store.join("index.sqlite-wal")] {
            assert!(claim_error(&mut outputs, &path, Replaces::Ours).1.contains("run store"));
        }
        assert!(claim_error(&mut outputs, &data.join("work/x.csv"), Replaces::Ours).1.contains("database"));
        outputs.claim(&store.join("page.html"), Replaces::Ours).unwrap();
    }

    #[test]
    fn a_failed_write_and_a_file_that_appears_meanwhile_leave_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, EARLIER).unwrap();
        let mut output = Outputs::new(false).claim(&path, Replaces::Ours).unwrap();
        output.fill(|_| Err(io::Error::other("no"))).unwrap_err();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(dir.path())), (EARLIER, 1));
        let mut stream = output.stream().unwrap();
        stream.write_all(b"half").unwrap();
        drop(stream);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(dir.path())), (EARLIER, 1));
        let new = dir.path().join("new");
        let mut late = Outputs::new(false).claim(&new, Replaces::Ours).unwrap();
        fs::write(&new, "theirs").unwrap();
        assert!(late.put(b"ours").is_err());
        assert_eq!((fs::read_to_string(&new).unwrap().as_str(), names(dir.path())), ("theirs", 2));
    }
}
