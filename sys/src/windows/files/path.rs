//! Paths for the native interface: a start, followed by plain names. Names that Windows would reinterpret (streams, DOS
//! devices, trailing dots and spaces that it removes) are rejected here.

use crate::common::has_nul;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf, Prefix};
use windows_sys::Win32::Foundation::ERROR_FILENAME_EXCED_RANGE;

/// Path split into its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Start of the path.
    pub(crate) start: Start,
    /// Names and `..` after the start.
    pub(crate) steps: Vec<Step>,
    /// True if the path ends in a separator, so it must be a directory.
    pub(crate) directory: bool,
}

/// Start of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Start {
    /// Root of a volume or share: `\??\C:\`.
    Root(OsString),
    /// Device, with nothing below it: `\??\PhysicalDrive0`.
    Device(OsString),
    /// Directory that a relative path is resolved from.
    Here,
}

/// Step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into the entry with this name.
    Into(OsString),
    /// To the parent directory (`..`).
    Back,
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

impl Parts {
    /// Splits a path.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a path that Windows would reinterpret: one relative to the current directory
    /// of a drive, a stream of a file, a name that ends in a dot or space, a DOS device name.
    pub(crate) fn parse(path: &Path) -> io::Result<Parts> {
        if path.as_os_str().is_empty() {
            return Err(io::Error::from_raw_os_error(crate::errno::ENOENT));
        }
        if has_nul(path) {
            return Err(refused("a path with a NUL character"));
        }
        let mut components = path.components().peekable();
        let mut start = Start::Here;
        if let Some(Component::Prefix(prefix)) = components.peek().copied() {
            components.next();
            // The name of a device has no separator after it; `components` adds one.
            let rooted = path.as_os_str().len() > prefix.as_os_str().len()
                && matches!(components.peek(), Some(Component::RootDir));
            start = start_of(prefix.kind(), rooted)?;
        } else if matches!(components.peek(), Some(Component::RootDir)) {
            // `\dir` is on the drive of the current directory.
            return Parts::parse(&std::path::absolute(path)?);
        }
        let mut steps = Vec::new();
        for component in components {
            match component {
                Component::Normal(name) => steps.push(Step::Into(plain(name)?.to_owned())),
                Component::ParentDir => steps.push(Step::Back),
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            }
        }
        let last = path.as_os_str().encode_wide().last();
        let directory = last.is_some_and(|unit| unit == u16::from(b'\\') || unit == u16::from(b'/'));
        Ok(Parts { start, steps, directory })
    }
}

fn start_of(prefix: Prefix<'_>, rooted: bool) -> io::Result<Start> {
    let join = |parts: &[&OsStr]| {
        let mut text = OsString::from(r"\??\");
        parts.iter().for_each(|part| text.push(part));
        text
    };
    let separator = OsStr::new(r"\");
    Ok(match prefix {
        Prefix::Disk(_) if !rooted => {
            return Err(refused(r"a path relative to the current directory of a drive: write `C:\name`, not `C:name`"));
        }
        Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
            Start::Root(format!(r"\??\{}:\", char::from(letter)).into())
        }
        Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
            Start::Root(join(&[OsStr::new(r"UNC\"), server, separator, share, separator]))
        }
        Prefix::DeviceNS(name) | Prefix::Verbatim(name) => {
            let text = name.to_string_lossy();
            // GLOBALROOT gives access to any object of the kernel.
            if text.eq_ignore_ascii_case("GLOBALROOT") {
                return Err(refused("a path through GLOBALROOT: use the drive or the volume"));
            }
            if rooted { Start::Root(join(&[name, separator])) } else { Start::Device(join(&[name])) }
        }
    })
}

/// Device names of DOS that are still reserved, with any extension.
const OLD_DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Returns `true` if Windows would interpret a name as a DOS device: `nul`, `com1.txt`.
pub(crate) fn is_old_device(name: &OsStr) -> bool {
    let text = name.to_string_lossy();
    let stem = text.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |of: &str| {
        let rest = stem.strip_prefix(of).map(|rest| rest.chars().collect::<Vec<_>>());
        rest.is_some_and(|rest| matches!(rest[..], ['0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}']))
    };
    OLD_DEVICES.contains(&stem.as_str()) || numbered("COM") || numbered("LPT")
}

/// Maximum length of a name on any file system of Windows, in characters.
const LONGEST_NAME: usize = 255;

/// Checks that a name refers to an entry of its directory and nothing else, and returns it.
///
/// # Errors
/// Errors of [`Parts::parse`].
pub(crate) fn plain(name: &OsStr) -> io::Result<&OsStr> {
    let text = name.to_string_lossy();
    if text.is_empty() || text == "." || text == ".." || text.contains(['\\', '/', '\0']) {
        return Err(refused("not a plain file name"));
    }
    if name.encode_wide().count() > LONGEST_NAME {
        return Err(io::Error::from_raw_os_error(ERROR_FILENAME_EXCED_RANGE as i32));
    }
    if text.contains(':') {
        return Err(refused("an alternate data stream (`name:stream`), which secchi does not open"));
    }
    if text.contains(['<', '>', '"', '|', '?', '*']) || text.chars().any(|c| u32::from(c) < 32) {
        return Err(refused("a name with a character that Windows does not allow"));
    }
    if text.ends_with(['.', ' ']) {
        return Err(refused("a name that ends in a dot or a space, which Windows removes"));
    }
    if is_old_device(name) {
        return Err(refused("a reserved device name (`nul`, `com1`), with any extension"));
    }
    Ok(name)
}

/// Returns `true` if a name refers to an entry of its directory and nothing else: no stream, no device, nothing that
/// Windows removes.
#[must_use]
pub fn is_plain_name(name: &OsStr) -> bool {
    plain(name).is_ok()
}

/// Returns the device that a path names, without its prefix: `PhysicalDrive0`, `Volume{...}`, `D:`; `None` for files
/// and directories.
#[must_use]
pub fn device_path(path: &Path) -> Option<OsString> {
    let parts = Parts::parse(path).ok()?;
    let Start::Device(name) = parts.start else { return None };
    let text = name.to_string_lossy().into_owned();
    Some(text.strip_prefix(r"\??\").unwrap_or(&text).into())
}

/// Maximum length of a path that every Windows program accepts, in characters (`MAX_PATH` without the terminating
/// zero).
const LONGEST: usize = 259;

/// Returns the path without the prefix `\\?\` if that does not change its meaning.
pub(crate) fn shown(path: PathBuf) -> PathBuf {
    let mut components = path.components();
    let Some(Component::Prefix(prefix)) = components.next() else { return path };
    let root = match prefix.kind() {
        Prefix::VerbatimDisk(letter) => format!(r"{}:\", char::from(letter)).into(),
        Prefix::VerbatimUNC(server, share) => {
            [OsStr::new(r"\\"), server, OsStr::new(r"\"), share, OsStr::new(r"\")].into_iter().collect::<OsString>()
        }
        _ => return path,
    };
    let mut out = PathBuf::from(root);
    for component in components {
        match component {
            Component::RootDir => {}
            Component::Normal(name) if is_plain_name(name) => out.push(name),
            _ => return path,
        }
    }
    if out.as_os_str().encode_wide().count() > LONGEST { path } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_as_people_write_it_where_it_means_the_same() {
        let shown = |path: &str| shown(PathBuf::from(path)).to_string_lossy().into_owned();
        assert_eq!(shown(r"\\?\C:\a\b.txt"), r"C:\a\b.txt");
        assert_eq!(shown(r"\\?\C:\"), r"C:\");
        assert_eq!(shown(r"\\?\UNC\server\share\a"), r"\\server\share\a");
        let long = format!(r"\\?\C:\{}", [r"0123456789\"; 30].concat());
        for same in [r"\\?\C:\nul", r"\\?\C:\a.\b", r"\\?\Volume{12}\a", r"C:\a", "a", &long] {
            assert_eq!(shown(same), same);
        }
    }

    fn start(path: &str) -> Start {
        Parts::parse(Path::new(path)).unwrap_or_else(|e| panic!("{path}: {e}")).start
    }

    #[test]
    fn a_path_begins_where_it_says() {
        let root = |text: &str| Start::Root(text.into());
        assert_eq!(start(r"C:\a"), root(r"\??\C:\"));
        assert_eq!(start(r"\\?\C:\a"), root(r"\??\C:\"));
        assert_eq!(start(r"\\server\share\a"), root(r"\??\UNC\server\share\"));
        assert_eq!(start(r"\\?\UNC\server\share\a"), root(r"\??\UNC\server\share\"));
        assert_eq!(start(r"\\?\Volume{12}\a"), root(r"\??\Volume{12}\"));
        assert_eq!(start(r"\\?\Volume{12}\"), root(r"\??\Volume{12}\"));
        assert_eq!(start(r"\\?\Volume{12}"), Start::Device(r"\??\Volume{12}".into()));
        assert_eq!(start(r"\\.\PhysicalDrive0"), Start::Device(r"\??\PhysicalDrive0".into()));
        assert_eq!(start(r"\\.\D:"), Start::Device(r"\??\D:".into()));
        assert_eq!(start("a/b"), Start::Here);
        assert_eq!(device_path(Path::new(r"\\.\PhysicalDrive3")), Some("PhysicalDrive3".into()));
        assert_eq!(device_path(Path::new(r"D:\file")), None);
    }

    #[test]
    fn what_would_mean_something_else_is_refused() {
        for path in [
            "C:a",
            r"C:\a:stream",
            r"C:\a::$DATA",
            "a:b:$DATA",
            r"C:\nul",
            "nul",
            "aux.txt",
            r"dir\com1",
            r"dir\LPT9.log",
            r"C:\a.",
            r"C:\a \b",
            r"C:\a?b",
            &format!(r"C:\{}", "x".repeat(256)),
            r"\\?\GLOBALROOT\Device\Harddisk0\Partition0",
            "",
        ] {
            assert!(Parts::parse(Path::new(path)).is_err(), "{path}");
        }
        for path in [r"C:\com", r"C:\com10", r"C:\nullable", r"C:\a.b", r"C:\..\a", r".\x"] {
            assert!(Parts::parse(Path::new(path)).is_ok(), "{path}");
        }
    }

    #[test]
    fn steps_are_names_and_ways_back() {
        let parts = Parts::parse(Path::new(r"C:\a\..\b\")).unwrap();
        assert_eq!(parts.steps, [Step::Into("a".into()), Step::Back, Step::Into("b".into())]);
        assert!(parts.directory && !Parts::parse(Path::new(r"C:\a")).unwrap().directory);
    }
}
