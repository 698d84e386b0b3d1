//! Files of one rank in a run on many hosts: either separate files, or the rank's part of one shared file.

use anyhow::Result;
use job::{Extent, JobFile, RwArgument, Section};
use model::{Bytes, plan::BlockSizes};
use run::sharing::FileSharing;
use session::Session;
use session::directories::MadeDirectories;
use session::exit::{self, coded};
use session::hosts::{Member, folder_name};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

/// Returns the job file of this process.
///
/// # Errors
/// A sentence, if the file of a job cannot be shared.
pub fn own_file<'a>(file: &'a JobFile, session: &Session, sharing: Option<FileSharing>) -> Result<Cow<'a, JobFile>> {
    match session.member() {
        Some(own) => of_rank(file, own, sharing).map(Cow::Owned),
        None if session.is_launched_alone() => Ok(Cow::Owned(of_one(file))),
        None => Ok(Cow::Borrowed(file)),
    }
}

/// Returns the job file of one rank. `$rank` and `$host` in names of files and directories are replaced. Names without
/// them are placed in a folder for the rank. Absolute file names do not change; if ranks on one host would then use the
/// same file, they are refused. With `sharing` no folder is added, and the rank uses its part of each job's file.
/// `size=` is then the size of this part.
///
/// # Errors
/// A sentence, if the file of a job cannot be shared.
fn of_rank(file: &JobFile, own: Member<'_>, sharing: Option<FileSharing>) -> Result<JobFile> {
    let mut file = file.clone();
    for section in &mut file.sections {
        let named = name_files(section, own);
        match sharing {
            Some(sharing) => share_file(section, own, sharing).map_err(|reason| coded(exit::BAD_INPUT, reason))?,
            None if !named => place_in_folder(section, own.rank),
            None => {}
        }
    }
    Ok(file)
}

/// Returns the job file if a launcher started only one process. Names are replaced as for rank 0, and the files are in
/// the same places as without a launcher.
fn of_one(file: &JobFile) -> JobFile {
    let host = sys::process::host_name();
    let mut file = file.clone();
    file.sections.iter_mut().for_each(|section| _ = name_files(section, Member { rank: 0, ranks: 1, name: &host }));
    file
}

/// Inserts rank and host into names. Returns `true` if any name contained `$rank` or `$host`.
fn name_files(section: &mut Section, own: Member<'_>) -> bool {
    let files = &mut section.options.files;
    let mut named = false;
    let mut put = |path: &mut PathBuf| {
        let typed = path.to_string_lossy();
        if typed.contains("$rank") || typed.contains("$host") {
            named = true;
            *path = typed.replace("$rank", &own.rank.to_string()).replace("$host", own.name).into();
        }
    };
    files.directories.iter_mut().for_each(&mut put);
    files.filenames.iter_mut().for_each(&mut put);
    let mut format = PathBuf::from(&files.filename_format);
    put(&mut format);
    files.filename_format = format.to_string_lossy().into_owned();
    named
}

fn place_in_folder(section: &mut Section, rank: usize) {
    let files = &mut section.options.files;
    if files.filenames.iter().any(|name| name.is_absolute()) {
        return;
    }
    let folder = folder_name(rank);
    match files.directories.is_empty() {
        true => files.directories.push(folder.into()),
        false => files.directories.iter_mut().for_each(|directory| directory.push(&folder)),
    }
}

fn share_file(section: &mut Section, own: Member<'_>, sharing: FileSharing) -> Result<(), String> {
    let name = model::clip(&section.name);
    let refuse = |reason: &str| Err(format!("--shared-file: job `{name}` {reason}"));
    let options = &mut section.options;
    let (Some(Extent::Bytes(size)), Extent::Bytes(offset)) = (options.files.size, options.files.offset) else {
        return refuse("needs size= in bytes (the part of each rank) and, if given, offset= in bytes");
    };
    if options.files.filenames.len() != 1 {
        return refuse("needs one filename=, the file that all ranks share");
    }
    let (rank, ranks) = (own.rank as u64, own.ranks as u64);
    // The largest of these offsets is the end of the last rank's part.
    let total = size.as_u64().checked_mul(ranks).filter(|total| total.checked_add(offset.as_u64()).is_some());
    let Some(total) = total else { return refuse("exceeds the largest possible offset") };
    // The file must exist. If several ranks created it at the same time, only the first of them would own it.
    let end = offset.as_u64() + total;
    let path = options.files.directories.first().map(|d| d.join(&options.files.filenames[0]));
    let path = path.unwrap_or_else(|| options.files.filenames[0].clone());
    let present = std::fs::metadata(&path).map_or(0, |m| if m.is_file() { m.len() } else { u64::MAX });
    if present < end {
        let (total, path) = (Bytes(end), path.display());
        return refuse(&format!(
            "needs an existing file of {total}: create {path} with a run of one rank first (--rw=write --size={end})"
        ));
    }
    match sharing {
        FileSharing::Segmented => {
            options.files.offset = Extent::Bytes(Bytes(offset.as_u64() + rank * size.as_u64()));
        }
        FileSharing::Interleaved => {
            let [read, write, trim] = &options.block.bs;
            let BlockSizes::Fixed(block) = read.clone() else {
                return refuse("needs a single block size to interleave blocks");
            };
            if read != write || write != trim || size.as_u64() % block.as_u64().max(1) != 0 {
                return refuse("needs a single block size to interleave blocks, and a size= of whole blocks");
            }
            if options.pattern.rw.is_random() || options.pattern.rw_argument.is_some() {
                return refuse("needs a sequential rw= without a number to interleave blocks");
            }
            let step = (ranks - 1).saturating_mul(block.as_u64());
            let Ok(step) = i64::try_from(step) else {
                return refuse("has a block size that is too large for this number of ranks");
            };
            let begin = rank * block.as_u64();
            options.pattern.rw_argument = (step > 0).then_some(RwArgument::Skip(step));
            options.files.offset = Extent::Bytes(Bytes(offset.as_u64() + begin));
            options.files.size = Some(Extent::Bytes(Bytes(total - begin)));
            options.files.io_size.get_or_insert(Extent::Bytes(size));
        }
    }
    Ok(())
}

/// Creates the folders of a rank in existing directories ([`of_rank`]).
///
/// # Errors
/// When a folder cannot be created.
pub fn make_rank_folders(made: &mut MadeDirectories, file: &JobFile, rank: usize) -> io::Result<()> {
    let own_folder = folder_name(rank);
    // Directories that the user named are never created.
    let folders = file.sections.iter().flat_map(|s| &s.options.files.directories).filter(|d| d.ends_with(&own_folder));
    let within = |d: &&PathBuf| d.parent().is_none_or(|p| p.as_os_str().is_empty() || p.is_dir());
    folders.filter(within).try_for_each(|folder| made.make(Some(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Machine;
    use std::ffi::OsString;

    fn parsed(words: &str) -> JobFile {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        job::parse_arguments(&words, job::CONSENT, &Machine::inspect()).expect("it is read")
    }

    fn own(rank: usize) -> Member<'static> {
        Member { rank, ranks: 3, name: "hostB" }
    }

    #[test]
    fn what_names_no_rank_lies_in_a_folder_by_it_and_what_does_stays_where_it_is() {
        let files = |words: &str| {
            let file = of_rank(&parsed(words), own(2), None).expect("it can be");
            let files = &file.sections[0].options.files;
            (files.directories.clone(), files.filenames.clone())
        };
        assert_eq!(files("--name=j --rw=read --size=1m"), (vec!["rank-2".into()], vec![]));
        assert_eq!(files("--name=j --rw=read --size=1m --directory=/x"), (vec!["/x/rank-2".into()], vec![]));
        assert_eq!(files("--name=j --rw=read --size=1m --directory=/x/$host"), (vec!["/x/hostB".into()], vec![]));
        assert_eq!(files("--name=j --rw=read --filename=f.$rank --size=1m"), (vec![], vec!["f.2".into()]));
        assert_eq!(files("--name=j --rw=read --filename=/x/f --size=1m"), (vec![], vec!["/x/f".into()]));
    }

    #[test]
    fn the_only_process_of_a_launcher_has_names_of_rank_0_and_its_files_where_they_were_named() {
        let files = |words: &str| {
            let files = of_one(&parsed(words)).sections[0].options.files.clone();
            (files.directories, files.filenames)
        };
        assert_eq!(files("--name=j --rw=read --filename=f.$rank --size=1m"), (vec![], vec!["f.0".into()]));
        assert_eq!(files("--name=j --rw=read --size=1m --directory=/x"), (vec!["/x".into()], vec![]));
    }

    #[test]
    fn each_rank_has_its_part_of_a_file_that_all_share() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("one");
        std::fs::write(&path, vec![0; 1 << 20]).expect("ours");
        let words = format!("--name=j --rw=write --bs=4k --size=64k --offset=8k --filename={}", path.display());
        let part = |rank: usize, sharing: FileSharing| {
            let file = of_rank(&parsed(&words), own(rank), Some(sharing)).expect("it can be shared");
            let options = file.sections[0].options.clone();
            (options.files.offset, options.files.size, options.files.io_size, options.pattern.rw_argument)
        };
        let kib = |n: u64| Extent::Bytes(Bytes(n << 10));
        for rank in 0..3 {
            let begin = kib(8 + 64 * rank as u64);
            assert_eq!(part(rank, FileSharing::Segmented), (begin, Some(kib(64)), None, None));
            let (begin, rest) = (kib(8 + 4 * rank as u64), kib(192 - 4 * rank as u64));
            let skip = Some(RwArgument::Skip(8192));
            assert_eq!(part(rank, FileSharing::Interleaved), (begin, Some(rest), Some(kib(64)), skip));
        }
    }

    #[test]
    fn what_cannot_be_shared_says_what_it_wants() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("one");
        std::fs::write(&path, vec![0; 4096]).expect("ours");
        let refusal = |words: &str, sharing| {
            let words = words.replace("FILE", &path.display().to_string());
            of_rank(&parsed(&words), own(0), Some(sharing)).expect_err("refused").to_string()
        };
        let (segmented, interleaved) = (FileSharing::Segmented, FileSharing::Interleaved);
        assert!(refusal("--name=j --rw=read --size=4k", segmented).contains("needs one filename="));
        assert!(refusal("--name=j --rw=read --filename=FILE", segmented).contains("needs size= in bytes"));
        assert!(
            refusal("--name=j --rw=read --filename=FILE --size=4k", segmented)
                .contains("needs an existing file of 12 KiB")
        );
        assert!(
            refusal("--name=j --rw=randread --bs=512 --filename=FILE --size=1k", interleaved).contains("sequential")
        );
        assert!(
            refusal("--name=j --rw=read --bs=512,1k --filename=FILE --size=1k", interleaved)
                .contains("single block size")
        );
    }
}
