//! Regions and their files: one region for each data directory. Globals are distributed over the regions by name.

use super::header::Header;
use super::install::{ENGINE, Install, global_directory, run};
use crate::{DbError, DirectoryEntry, EntryKind, Marker, remove_if_exists};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use sys::files::FileExt;

/// Maximum number of globals with several data directories, because each name is mapped separately.
pub const MAPPED: u32 = 4096;
/// Maximum number of globals with secondary indexes. The indexes of each of these globals are mapped to the global's
/// region.
const INDEXED: u32 = 1000;
/// Maximum length of a key, in bytes as the engine stores it.
pub const KEY_SIZE: usize = 255;

/// A region: a part of the database with its own file and journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Name of the region.
    pub name: String,
    /// Path of the database file.
    pub file: PathBuf,
    /// Path of the journal.
    pub journal: PathBuf,
}

/// Returns the regions of a database. The first one holds every global that is not mapped to another.
#[must_use]
pub fn regions(marker: &Marker) -> Vec<Region> {
    let dirs = &marker.directories;
    let to_region = |(i, dir): (usize, &PathBuf)| Region {
        name: if i == 0 { "DEFAULT".into() } else { format!("DATA{}", i + 1) },
        file: dir.join(format!("data{}.dat", i + 1)),
        journal: dirs.journal.join(format!("data{}.mjl", i + 1)),
    };
    dirs.data.iter().enumerate().map(to_region).collect()
}

/// Returns `true` if GT.M, or secchi on its behalf, creates this directory entry.
#[must_use]
pub fn owns(marker: &Marker, item: &DirectoryEntry<'_>) -> bool {
    let (parts, dirs) = (item.parts(), &marker.directories);
    let ([name], EntryKind::File | EntryKind::Other) = (parts.as_slice(), item.kind) else { return false };
    let of_region = regions(marker).iter().any(|region| {
        let journal = region.journal.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        // Older generations, and files from a recovery, such as `data1.mjl_2026325193350`, `rolled_bak_data1.mjl_...`
        // and `data1.lost`.
        let stem = journal.strip_suffix(".mjl").unwrap_or(journal);
        let of_journal = |name: &str| {
            name.strip_prefix(journal).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
                || name.strip_prefix(stem).is_some_and(|rest| {
                    [".lost", ".broken"]
                        .iter()
                        .any(|w| rest.strip_prefix(w).is_some_and(|r| r.is_empty() || r.starts_with('_')))
                })
        };
        (region.file.parent() == Some(item.directory) && region.file.ends_with(name))
            || (item.directory == dirs.journal
                && (of_journal(name) || name.strip_prefix("rolled_bak_").is_some_and(of_journal)))
    });
    let working = ["secchi.gld", "secchises.m", "secchises.o", "sessions.log", "shared-memory"];
    let of_work = item.directory == dirs.work
        && (working.contains(name)
            || name.starts_with("GTM_FATAL_ERROR")
            || name.starts_with("YDB_FATAL_ERROR")
            || name.starts_with("gtm_mutex")
            || name.ends_with(".gld.bak")
            || *name == "core"
            || name.starts_with("core."));
    of_region || of_work
}

/// Returns the commands for GDE, the editor of global directories.
fn commands(marker: &Marker, regions: &[Region]) -> String {
    let mut text = String::new();
    let block = marker.page.as_u64();
    // The file starts at 32 MiB and grows by the same amount each time. The space is allocated immediately, so that a
    // full disk causes an error instead of freezing the engine.
    let blocks = (32 << 20) / block.max(512);
    for (i, region) in regions.iter().enumerate() {
        let verb = if i == 0 { "change" } else { "add" };
        let name = &region.name;
        let dynamic = if i == 0 { String::new() } else { format!(" -dynamic_segment={name}") };
        // Without quotes, GDE would treat the rest of the line as part of the name.
        let _ = writeln!(
            text,
            "{verb} -segment {name} -block_size={block} -allocation={blocks} -extension_count={blocks} -nodefer_allocate -file=\"{}\"",
            region.file.display()
        );
        let _ = writeln!(
            text,
            "{verb} -region {name}{dynamic} -key_size={KEY_SIZE} -record_size=1048576 -journal=(before,allocation=2048,autoswitchlimit=524288,buffer_size=4000,file=\"{}\")",
            region.journal.display()
        );
    }
    if regions.len() > 1 {
        for number in 1..=MAPPED {
            let at = (number as usize - 1) % regions.len();
            if at > 0 {
                let _ = writeln!(text, "add -name RanWriteGlobal{number} -region={}", regions[at].name);
                if number <= INDEXED {
                    let _ = writeln!(text, "add -name RanWriteIndex{number} -region={}", regions[at].name);
                }
            }
        }
    }
    text + "exit\n"
}

/// Creates the global directory and the database files.
///
/// # Errors
/// Returns the error that GDE or mupip reported.
pub fn make(install: &Install, marker: &Marker) -> Result<(), DbError> {
    map(install, marker)?;
    run(install.command("mupip", marker).arg("create"), "create its files", None)?;
    // By default, only the used part of a block is written. The rest then has no data on disk, and reads of the rest do
    // not access the device. Older engines do not know this setting and work without it. In that case, the header and
    // the facts show that the setting is missing.
    let mut mupip = install.command("mupip", marker);
    let _ = run(mupip.args(["set", "-fullblkwrt=2", "-region", "*"]), "write whole blocks", None);
    for region in regions(marker) {
        let header = Header::read(install, marker, &region.file)?;
        complete_blocks(&region.file, header.start.as_u64(), header.block.as_u64())
            .map_err(DbError::io("write", &region.file))?;
    }
    Ok(())
}

/// Writes zeros into the rest of each block that `mupip create` wrote only in part (bitmaps and the blocks of the first
/// tree). The file must be new and closed. In a small database, these are several percent of the blocks, and half of
/// each block would be read without accessing the device.
fn complete_blocks(file: &Path, start: u64, block: u64) -> std::io::Result<()> {
    let opened = File::options().read(true).write(true).open(file)?;
    let length = opened.metadata()?.len();
    for extent in sys::storage::extents(&opened, start..length)?.unwrap_or_default().iter().filter(|e| !e.unwritten()) {
        let end = extent.range.end.saturating_sub(start);
        let rest = end.next_multiple_of(block) - end;
        if rest > 0 && start + end + rest <= length {
            opened.write_all_at(&vec![0; rest as usize], start + end)?;
        }
    }
    opened.sync_all()
}

/// Corrects the absolute paths of a database that was moved or copied: the paths in its global directory, and the
/// journal names in the headers of its files. The old paths lead to the original's files, which must not be opened.
///
/// # Errors
/// Returns an error if the database was not closed, because then only its journal has the complete contents.
pub fn relocate(install: &Install, marker: &Marker, from: &Path) -> Result<(), DbError> {
    let regions = regions(marker);
    let headers: Vec<Header> =
        regions.iter().map(|region| Header::read(install, marker, &region.file)).collect::<Result<_, _>>()?;
    if headers.iter().any(|header| header.shared_memory.is_some()) {
        return Err(DbError::refused(
            marker.directories.work.parent().unwrap_or(&marker.directories.work).display().to_string(),
            "it was moved or copied while it was open, or after a run on it was killed",
            format!(
                "run `secchi db check {}` at its old location to close it, then move or copy it again",
                from.display()
            ),
        ));
    }
    map(install, marker)?;
    for (region, header) in regions.iter().zip(&headers) {
        let Some(was) = &header.journal else { continue };
        if Path::new(was) != region.journal {
            rename_journal(install, marker, region, was)?;
        }
        let mut mupip = install.command("mupip", marker);
        run(mupip.args(["set", "-journal=disable", "-file"]).arg(&region.file), "detach its old journal", None)?;
        remove_if_exists(&region.journal)?;
    }
    Ok(())
}

/// Number of bytes at the start of a file that may contain the names in its header.
const HEADER: usize = 8192;
/// Size of the header's field for the journal name, in bytes.
const NAME: usize = 256;

/// Writes the new name of the journal into the header of a closed file. GT.M's own tools would first open the old
/// journal, which belongs to the original. The position of the name's length depends on the version, so each possible
/// position is tried, and the header is read again to check the result.
fn rename_journal(install: &Install, marker: &Marker, region: &Region, was: &str) -> Result<(), DbError> {
    let io = |e| DbError::io("write the header of", &region.file)(e);
    let file = File::options().read(true).write(true).open(&region.file).map_err(io)?;
    let mut bytes = vec![0; HEADER];
    file.read_exact_at(&mut bytes, 0).map_err(io)?;
    let name = region.journal.to_str().filter(|name| name.len() < NAME);
    let at = bytes.windows(was.len()).position(|w| w == was.as_bytes());
    if let (Some(name), Some(at)) = (name, at) {
        let mut field = name.as_bytes().to_vec();
        field.resize(NAME, 0);
        let (old, new) = ((was.len() as u16).to_ne_bytes(), (name.len() as u16).to_ne_bytes());
        let places = (0..at.saturating_sub(1)).step_by(2).filter(|p| bytes[*p..*p + 2] == old);
        for place in places {
            file.write_all_at(&field, at as u64).and_then(|()| file.write_all_at(&new, place as u64)).map_err(io)?;
            if Header::read(install, marker, &region.file)?.journal.as_deref() == Some(name) {
                return file.sync_all().map_err(io);
            }
            file.write_all_at(&bytes[at..(at + NAME).min(HEADER)], at as u64)
                .and_then(|()| file.write_all_at(&old, place as u64))
                .map_err(io)?;
        }
    }
    let what = format!("rename the journal of {}, which was moved", region.file.display());
    Err(DbError::engine(ENGINE, what, "the name of its journal was not found in its header"))
}

/// Creates the global directory, which maps globals to regions and regions to files.
fn map(install: &Install, marker: &Marker) -> Result<(), DbError> {
    let regions = regions(marker);
    let odd = |path: &PathBuf| path.to_str().is_none_or(|s| s.contains(['"', '(', ')', '$', ' ', '\n', ',']));
    if let Some(path) =
        regions.iter().flat_map(|r| [&r.file, &r.journal]).chain([&marker.directories.work]).find(|p| odd(p))
    {
        return Err(DbError::refused(
            format!("a database of {ENGINE} in {}", path.display()),
            "GT.M does not support blanks, quotes, commas, parentheses or dollar signs in file names",
            "use another directory",
        ));
    }
    // GDE would change an existing global directory instead of creating a new one.
    remove_if_exists(&global_directory(marker))?;
    let mut gde = install.command("mumps", marker);
    let output = run(gde.args(["-run", "GDE"]), "create its global directory", Some(&commands(marker, &regions)))?;
    // The exit status of GDE does not report errors.
    let verified = output.contains("GDE-I-VERIFY") && global_directory(marker).is_file();
    if let Some(error) =
        output.lines().find(|line| line.contains("-E-")).or((!verified).then_some("nothing was created"))
    {
        return Err(DbError::engine(ENGINE, "create its global directory", error.trim()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;

    fn marker(dirs: usize) -> Marker {
        let dir = tempfile::tempdir().unwrap();
        let data: Vec<PathBuf> = (0..dirs).map(|i| dir.path().join(format!("d{i}"))).collect();
        data.iter().for_each(|d| std::fs::create_dir(d).unwrap());
        Marker::create(&dir.path().join("ran"), "gtm", "RAN", "now".into(), Bytes(8192), &data, None, None, true)
            .unwrap()
    }

    #[test]
    fn globals_are_spread_over_rooms_the_way_the_marker_says() {
        let marker = marker(3);
        let regions = regions(&marker);
        let text = commands(&marker, &regions);
        for (number, dir) in [(1, 0), (2, 1), (3, 2), (4, 0), (11, 1)] {
            assert_eq!(marker.directories.data_of_global(number), regions[dir].file.parent().unwrap());
            let mapped = text.contains(&format!("RanWriteGlobal{number} -region={}\n", regions[dir].name));
            assert_eq!(mapped, dir > 0, "{number}");
        }
    }

    #[test]
    fn one_room_needs_no_mapping() {
        let marker = marker(1);
        let text = commands(&marker, &regions(&marker));
        assert!(!text.contains("-name") && text.contains("-allocation=4096 "), "{text}");
    }
}
