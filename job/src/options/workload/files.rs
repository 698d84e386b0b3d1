//! Options for the files of a job: names, sizes, creation and removal.

use crate::options::{Context, JobOptions, OptionSpec, Setter::Job, noted, option, parse, put, refuse};
use crate::text;
use crate::units::{self, Extent};
use crate::value::{Kind, Value, float, words};
use crate::value_error::ValueError;
use messages::sentence;
use model::{Bytes, clip, plan::FileOrder};
use std::path::PathBuf;

/// Options for files and their creation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileOptions {
    /// Directories for generated names; clones use them round-robin.
    pub directories: Vec<PathBuf>,
    /// Files or devices that all clones share; empty = generated names.
    pub filenames: Vec<PathBuf>,
    /// Format of generated names. It may contain `$jobname`, `$jobnum` and `$filenum`.
    pub filename_format: String,
    /// Number of files per clone.
    pub nrfiles: u32,
    /// Rule for the choice of the next file.
    pub service: FileOrder,
    /// Number of bytes to test across all files of a clone, or percentage of the device.
    pub size: Option<Extent>,
    /// Number of bytes after which the job ends; `None` = `size`.
    pub io_size: Option<Extent>,
    /// Range from which the size of each file is drawn.
    pub filesize: Option<(Bytes, Bytes)>,
    /// Offset at which the used part of each file begins.
    pub offset: Extent,
    /// Difference between the offsets of consecutive clones.
    pub offset_increment: Extent,
    /// Multiple to which an offset in percent is rounded up; 0 = the smallest block size.
    pub offset_align: Bytes,
    /// True if the job writes until the file system or device is full.
    pub fill_device: bool,
    /// True if the job begins at the end of the file.
    pub file_append: bool,
    /// True if the job overwrites existing data. Missing data is written before the start.
    pub overwrite: bool,
    /// Method by which space is allocated before writing.
    pub fallocate: Fallocate,
    /// Hint to the kernel about the access pattern.
    pub fadvise: FadviseHint,
    /// True if every file is read before the start.
    pub pre_read: bool,
    /// True if the files are dropped from the page cache before the start.
    pub invalidate: bool,
    /// True if files are flushed after creation.
    pub create_fsync: bool,
    /// True if each file is created when it is first opened for I/O, not earlier.
    pub create_on_open: bool,
    /// True if the job ends after creating the files.
    pub create_only: bool,
    /// True if files may be created.
    pub allow_file_create: bool,
    /// True if the files are removed after the job.
    pub unlink: bool,
    /// True if `unlink_each_loop` was given. The files are nevertheless removed only once, after the job.
    pub unlink_each_loop: bool,
    /// Locking between the operations of different jobs on the same file.
    pub lock: LockMode,
    /// True if a job that writes flushes its files at the end of the job.
    pub end_fsync: bool,
    /// True if a job that writes flushes the whole file system at the end of the job.
    pub end_syncfs: bool,
    /// True if files are flushed before every close.
    pub fsync_on_close: bool,
}

words! {
    /// Method by which space is allocated before writing.
    Fallocate, default Native {
        None = "none" | "0": "no preallocation",
        Native = "native": "fallocate, if the file system supports it",
        Posix = "posix" | "1": "posix_fallocate",
        Keep = "keep": "fallocate without changing the size",
        Truncate = "truncate": "set only the size",
    }
}

words! {
    /// Hint to the kernel about the access pattern.
    FadviseHint, default Workload {
        None = "0" | "none": "no hint",
        Workload = "1": "random or sequential access, as in the job",
        Random = "random": "random access",
        Sequential = "sequential": "sequential access",
        Noreuse = "noreuse": "data is used only once",
    }
}

words! {
    /// Words that `file_service_type` accepts.
    ServiceWord, default RoundRobin {
        RoundRobin = "roundrobin": "files in round-robin order",
        Random = "random": "files in random order",
        Sequential = "sequential": "one file at a time, until it is done",
        Zipf = "zipf": "hot files, Zipf distribution",
        Pareto = "pareto": "hot files, Pareto distribution",
        Normal = "normal" | "gauss": "hot files in the middle of the list, normal distribution",
    }
}

words! {
    /// Locking between the operations of different jobs on the same file.
    LockMode, default None {
        None = "none": "no locking",
        Exclusive = "exclusive": "one operation at a time",
        ReadWrite = "readwrite": "concurrent reads, exclusive writes",
    }
}

fn set_service(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Word(index, argument) = value else { return Ok(()) };
    let skew = |default: f64, min: f64, max: f64| argument.as_deref().map_or(Ok(default), |text| float(text, min, max));
    let every = || match argument.as_deref().map_or(Ok(1), units::count)? {
        0 => Err(ValueError::from("the number of operations per file must be 1 or more")),
        n => Ok(u32::try_from(n).unwrap_or(u32::MAX)),
    };
    // Defaults as in fio's options.c: zipf 1.1, pareto 0.2, normal 0.
    job.files.service = match ServiceWord::ALL_WORDS[index] {
        ServiceWord::RoundRobin => FileOrder::RoundRobin(every()?),
        ServiceWord::Random => FileOrder::Random(every()?),
        ServiceWord::Sequential => {
            every()?;
            ctx.notes.extend(argument.is_some().then(|| sentence!("job-number-of-sequential")));
            FileOrder::Sequential
        }
        ServiceWord::Zipf => FileOrder::Zipf(skew(1.1, 0.0, 100.0)?),
        ServiceWord::Pareto => FileOrder::Pareto(skew(0.2, 0.0, 1.0)?),
        ServiceWord::Normal => FileOrder::Normal(skew(0.0, 0.0, 100.0)?),
    };
    Ok(())
}

/// Sets the list of files. `a:b` names two files, `a\:b` names one.
fn set_filename(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(given) = value else { return Ok(()) };
    let list = split_list(&given)?;
    if list.len() > 1 {
        ctx.notes.push(sentence!("job-list-of-files", given = clip(&given), n = list.len()));
    }
    job.files.filenames = list;
    Ok(())
}

pub(super) fn split_list(given: &str) -> Result<Vec<PathBuf>, ValueError> {
    let mut parts = vec![String::new()];
    let mut chars = given.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&':') => {
                chars.next();
                parts.last_mut().expect("never empty").push(':');
            }
            ':' => parts.push(String::new()),
            '\0' => return Err("a path cannot contain a NUL byte".into()),
            c => parts.last_mut().expect("never empty").push(c),
        }
    }
    if parts.iter().any(|p| p.trim().is_empty()) {
        return Err(
            format!("`{}` has an empty name in its list; `:` separates names, `\\:` is a colon", clip(given)).into()
        );
    }
    if let Some([drive, rest]) = parts.windows(2).find(|pair| is_drive(&pair[0], &pair[1])) {
        return Err(format!(
            "`{}` names `{drive}` and `{}`: `:` separates names; write a drive with `\\:`, here `{drive}\\:{}`",
            clip(given),
            clip(rest),
            clip(rest)
        )
        .into());
    }
    Ok(parts.iter().map(|p| text::to_path(p)).collect())
}

/// Returns `true` if two consecutive names are a Windows path that was split after its drive letter. On other systems,
/// a name may begin with a backslash, but not after a name that is a single letter.
fn is_drive(name: &str, next: &str) -> bool {
    let letter = name.len() == 1 && name.chars().all(|c| c.is_ascii_alphabetic());
    letter && (next.starts_with('\\') || next.starts_with('/') && std::path::MAIN_SEPARATOR == '\\')
}

fn name_format(given: &str) -> Result<String, ValueError> {
    if given.split('/').any(|part| part == "..") {
        return Err(format!("`{}` leaves the directory; files are created in it", clip(given)).into());
    }
    Ok(given.to_owned())
}

fn set_filesize(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    let Value::Text(given) = value else { return Ok(()) };
    let one = |part: &str| match units::size(part, ctx.units)? {
        Bytes(0) => Err(ValueError::from("`filesize` must be at least 1")),
        size => Ok(size),
    };
    let (low, high) = match given.split_once(['-', ':']) {
        Some((low, high)) if !low.is_empty() => (one(low)?, one(high)?),
        _ => (one(&given)?, one(&given)?),
    };
    job.files.filesize = Some(if low <= high { (low, high) } else { (high, low) });
    Ok(())
}

fn set_size(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    match value {
        // As in fio, 0 means the whole file or device.
        Value::Extent(Extent::Bytes(Bytes(0)) | Extent::Percent(0)) => {
            job.files.size = None;
            ctx.notes.push(sentence!("job-size-of-all"));
        }
        Value::Extent(extent) => job.files.size = Some(extent),
        _ => {}
    }
    Ok(())
}

fn set_unlink_each(job: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    job.files.unlink_each_loop = matches!(value, Value::Bool(true));
    if job.files.unlink_each_loop {
        ctx.notes.push(sentence!("job-unlinked-once"));
    }
    Ok(())
}

fn set_pre_read(job: &mut JobOptions, value: Value, _: &mut Context<'_>) -> Result<(), ValueError> {
    job.files.pre_read = matches!(value, Value::Bool(true));
    if job.files.pre_read {
        // Files that are read before the start must stay in the cache (HOWTO, `pre_read`).
        job.files.invalidate = false;
    }
    Ok(())
}

fn set_serialize(_: &mut JobOptions, value: Value, ctx: &mut Context<'_>) -> Result<(), ValueError> {
    if matches!(value, Value::Bool(false)) {
        ctx.notes.push(sentence!("job-files-in-turn"));
    }
    Ok(())
}

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("filename", Kind::Path, "", Job(set_filename)).help(
        "File or device, or several separated by `:` (`\\:` is a literal colon), shared by all clones. Without this \
         option, each clone gets its own files, named by `filename_format`.",
    ),
    option("directory", Kind::Path, "", parse!(files.directories, split_list)).help(
        "Existing directory for the files, or several directories separated by `:`, which the clones use round-robin.",
    ),
    option("filename_format", Kind::Text, "$jobname.$jobnum.$filenum", parse!(files.filename_format, name_format))
        .help(
            "Format of generated file names, with `$jobname`, `$jobnum` (clone number) and `$filenum` (file number).",
        ),
    noted("unique_filename", Kind::Bool, "1", "job-noted-unique")
        .help("In fio: keep the files of network clients apart."),
    option("nrfiles", Kind::Int { min: 1, max: 1_048_576 }, "1", put!(files.nrfiles)).alias(&["nr_files"]).help(
        "Number of files per clone; `size` is divided among them unless `filesize` is given. No effect with \
         `filename`.",
    ),
    noted("openfiles", Kind::Int { min: 1, max: 1_048_576 }, "", "job-noted-open-files")
        .help("In fio: number of files open at the same time; by default, all files."),
    option("file_service_type", Kind::words_with_argument(ServiceWord::WORDS), "roundrobin", Job(set_service)).help(
        "Method for choosing the file for the next operation. `random:8` and `roundrobin:8` switch files every 8 \
         operations; `zipf:1.2`, `pareto:0.3` and `normal:10` make some files hot.",
    ),
    option("size", Kind::Extent, "", Job(set_size)).help(
        "Bytes under test per clone, across all its files. The job ends after transferring this number of bytes, \
         unless `time_based` or `io_size` is given. A percentage refers to the current size of the file or device.",
    ),
    option("io_size", Kind::Extent, "", put!(files.io_size)).alias(&["io_limit"]).help(
        "Bytes that each clone transfers before it ends, if different from `size`. With a larger value, the clone \
         starts over; with a smaller value, it stops early. If random writes visit each block exactly once, reads for \
         verification also count.",
    ),
    option("filesize", Kind::Form("size or range of sizes (1m, 4k-1m)"), "", Job(set_filesize))
        .help("Size of each file. If a range is given, the size of each file is drawn from it."),
    option("offset", Kind::Extent, "0", put!(files.offset))
        .alias(&["fileoffset"])
        .help("Start of the tested part. Data before this offset is not accessed."),
    option("offset_increment", Kind::Extent, "0", put!(files.offset_increment))
        .help("Increment of `offset` from clone to clone, so that clones work on separate parts."),
    option("offset_align", Kind::Size { min: 0, max: 1 << 40 }, "0", put!(files.offset_align))
        .help("Multiple to which a percentage offset is rounded up; 0 = the smallest block size."),
    option("fill_device", Kind::Bool, "0", put!(files.fill_device)).alias(&["fill_fs"]).help(
        "Write until the space is used up; the job ends earlier if it reaches `size` or `filesize`. On a file system, \
         5 % of the space, but at most 1 GiB, stays free.",
    ),
    option("file_append", Kind::Bool, "0", put!(files.file_append))
        .help("Start at the end of the existing file and extend it."),
    option("overwrite", Kind::Bool, "0", put!(files.overwrite)).help(
        "Write over existing data. A file that is missing or too short is first created and written, so that no \
         first-touch cost is measured. This option also allows writing to an existing file that secchi did not create.",
    ),
    option("fallocate", Kind::words(Fallocate::WORDS), "native", put!(files.fallocate))
        .help("Method for allocating space before writing a new file."),
    option("fadvise_hint", Kind::words(FadviseHint::WORDS), "1", put!(files.fadvise))
        .help("Hint to the kernel about the access pattern of buffered I/O."),
    option("pre_read", Kind::Bool, "0", Job(set_pre_read))
        .help("Read all files before the start, so that the cache is warm. This turns `invalidate` off."),
    option("invalidate", Kind::Bool, "1", put!(files.invalidate))
        .help("Drop the files from the page cache before the start."),
    option("create_serialize", Kind::Bool, "1", Job(set_serialize))
        .help("Create files job by job, so that files of different jobs are not interleaved on the disk."),
    option("create_fsync", Kind::Bool, "1", put!(files.create_fsync)).help("Flush each file after creating it."),
    option("create_on_open", Kind::Bool, "0", put!(files.create_on_open))
        .help("Create each file when it is first opened for I/O, not before the start."),
    option("create_only", Kind::Bool, "0", put!(files.create_only))
        .help("Create the files and exit without measuring."),
    option("allow_file_create", Kind::Bool, "1", put!(files.allow_file_create))
        .help("Create missing files; with 0, a missing file is an error."),
    noted("allow_mounted_write", Kind::Bool, "0", "job-noted-mounted")
        .help("In fio: allow writing to a mounted device."),
    option("unlink", Kind::Bool, "0", put!(files.unlink))
        .help("Remove the job's files when the job ends. Only files that secchi created are removed."),
    option("unlink_each_loop", Kind::Bool, "0", Job(set_unlink_each)).help(
        "In fio: remove the job's files after every loop. In secchi, all loops use the same files, which are removed \
         when the job ends.",
    ),
    option("end_fsync", Kind::Bool, "0", put!(files.end_fsync))
        .help("Flush at the end of a job that writes; the flush is part of the measured time."),
    option("end_syncfs", Kind::Bool, "0", put!(files.end_syncfs)).help(
        "Like `end_fsync`, but with one flush of the whole file system instead of one flush per file (fio 3.41).",
    ),
    noted("filetype", Kind::Text, "none", "job-noted-looked-at")
        .help("In fio 3.42: type of all files, so that fio does not need to check it."),
    option("fsync_on_close", Kind::Bool, "0", put!(files.fsync_on_close))
        .help("Flush a written file before every close."),
    refuse("opendir", "files are not collected from a directory; name them with filename=a:b")
        .help("Add every file below a directory."),
    option("lockfile", Kind::words(LockMode::WORDS), "none", put!(files.lock)).help(
        "Locking of files between jobs. Latencies include the wait for the lock. Engines with a queue hold the lock \
         only during submission.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_makes_a_colon_part_of_a_name() {
        let paths = |t: &str| split_list(t).map(|l| l.iter().map(|p| p.display().to_string()).collect::<Vec<_>>());
        assert_eq!(paths("/dev/a:/dev/b"), Ok(vec!["/dev/a".into(), "/dev/b".into()]));
        assert_eq!(paths(r"F\:\file"), Ok(vec![r"F:\file".into()]));
        // fio applies the same rule for drive letters to lists of directories and of files.
        assert_eq!(paths(r"C\:\dir\a b.dat:D\:\x"), Ok(vec![r"C:\dir\a b.dat".into(), r"D:\x".into()]));
        assert_eq!(paths(r"\\.\PhysicalDrive1"), Ok(vec![r"\\.\PhysicalDrive1".into()]));
        assert_eq!(paths(r"\\server\share\x"), Ok(vec![r"\\server\share\x".into()]));
        assert_eq!(paths(r"%TEMP%\x"), Ok(vec![r"%TEMP%\x".into()]), "what no shell put in place stays as it is");
        for cut in [r"C:\dir\x", r"a.dat:D:\x"] {
            let error = paths(cut).unwrap_err();
            assert!(error.to_string().contains(r"\:\"), "{error}");
        }
        assert_eq!(paths("a:b"), Ok(vec!["a".into(), "b".into()]), "names of one letter");
        assert!(paths("a::b").is_err());
        assert!(paths(":").is_err());
    }
}
