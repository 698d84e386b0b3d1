//! Regions and their files. One region for each data room; globals are spread over them by name.

use super::install::{ENGINE, Install, global_directory, run};
use crate::{DbError, Marker};
use std::fmt::Write;
use std::path::PathBuf;

/// Most globals where there are several data rooms: their names are mapped one by one.
pub const MAPPED: u32 = 4096;

/// A region: a part of the database with a file and a journal of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its database file.
    pub file: PathBuf,
    /// Its journal.
    pub journal: PathBuf,
}

/// The regions of a database. The first one holds every global that is not mapped to another.
#[must_use]
pub fn regions(marker: &Marker) -> Vec<Region> {
    let rooms = &marker.rooms;
    let of = |(i, room): (usize, &PathBuf)| Region {
        name: if i == 0 { "DEFAULT".into() } else { format!("DATA{}", i + 1) },
        file: room.join(format!("data{}.dat", i + 1)),
        journal: rooms.journal.join(format!("data{}.mjl", i + 1)),
    };
    rooms.data.iter().enumerate().map(of).collect()
}

/// What GDE, the editor of global directories, is told.
fn commands(marker: &Marker, regions: &[Region]) -> String {
    let mut text = String::new();
    let block = marker.page.0;
    // 32 MiB at first and each time it is full, allocated at once: a full disk is then told, not met by a frozen engine.
    let blocks = (32 << 20) / block.max(512);
    for (i, region) in regions.iter().enumerate() {
        let verb = if i == 0 { "change" } else { "add" };
        let name = &region.name;
        let dynamic = if i == 0 { String::new() } else { format!(" -dynamic_segment={name}") };
        // Quoted: without quotes the rest of the line is taken for the name.
        let _ = writeln!(
            text,
            "{verb} -segment {name} -block_size={block} -allocation={blocks} -extension_count={blocks} -nodefer_allocate -file=\"{}\"",
            region.file.display()
        );
        let _ = writeln!(
            text,
            "{verb} -region {name}{dynamic} -key_size=255 -record_size=1048576 -journal=(before,allocation=2048,autoswitchlimit=524288,buffer_size=4000,file=\"{}\")",
            region.journal.display()
        );
    }
    if regions.len() > 1 {
        for number in 1..=MAPPED {
            let at = (number as usize - 1) % regions.len();
            if at > 0 {
                let _ = writeln!(text, "add -name RanWriteGlobal{number} -region={}", regions[at].name);
            }
        }
    }
    text + "exit\n"
}

/// Makes the global directory and the database files.
///
/// # Errors
/// What GDE or mupip said.
pub fn make(install: &Install, marker: &Marker) -> Result<(), DbError> {
    let regions = regions(marker);
    let odd = |path: &PathBuf| path.to_str().is_none_or(|s| s.contains(['"', '(', ')', '$', ' ', '\n', ',']));
    if let Some(path) = regions.iter().flat_map(|r| [&r.file, &r.journal]).chain([&marker.rooms.work]).find(|p| odd(p))
    {
        return Err(DbError::refused(
            format!("a database of {ENGINE} in {}", path.display()),
            "GT.M takes no blanks, quotes, commas, brackets or dollar signs in names of files",
            "name another directory",
        ));
    }
    let mut gde = install.command("mumps", marker);
    let said = run(gde.args(["-run", "GDE"]), "make its global directory", Some(&commands(marker, &regions)))?;
    // GDE ends well whatever happened.
    let verified = said.contains("GDE-I-VERIFY") && global_directory(marker).is_file();
    if let Some(error) = said.lines().find(|line| line.contains("-E-")).or((!verified).then_some("nothing was made")) {
        let why = error.trim().to_owned();
        return Err(DbError::Engine { engine: ENGINE, what: "make its global directory".into(), why });
    }
    run(install.command("mupip", marker).arg("create"), "make its files", None)?;
    // Otherwise only the used part of a block is written; the rest stays unwritten and is read without asking the device.
    // An engine that does not know it goes on without: its header tells, and so do the facts.
    let _ = run(
        install.command("mupip", marker).args(["set", "-fullblkwrt=2", "-region", "*"]),
        "write whole blocks",
        None,
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;

    fn marker(rooms: usize) -> Marker {
        let dir = tempfile::tempdir().unwrap();
        let data: Vec<PathBuf> = (0..rooms).map(|i| dir.path().join(format!("d{i}"))).collect();
        data.iter().for_each(|d| std::fs::create_dir(d).unwrap());
        Marker::make(&dir.path().join("ran"), "gtm", "RAN", "now".into(), Bytes(8192), &data, None, true).unwrap()
    }

    #[test]
    fn globals_are_spread_over_rooms_the_way_the_marker_says() {
        let marker = marker(3);
        let regions = regions(&marker);
        let text = commands(&marker, &regions);
        for (number, room) in [(1, 0), (2, 1), (3, 2), (4, 0), (11, 1)] {
            assert_eq!(marker.rooms.of_global(number), regions[room].file.parent().unwrap());
            let mapped = text.contains(&format!("RanWriteGlobal{number} -region={}\n", regions[room].name));
            assert_eq!(mapped, room > 0, "{number}");
        }
    }

    #[test]
    fn one_room_needs_no_mapping() {
        let marker = marker(1);
        let text = commands(&marker, &regions(&marker));
        assert!(!text.contains("-name") && text.contains("-allocation=4096 "), "{text}");
    }
}
