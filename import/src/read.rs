//! Table of formats. A file is read by the first format that recognises its content.

use crate::format::Format;
use crate::text::source::{ImportError, Source, remark};
use crate::{clouds, clusters, databases, fio, ioping, iris, linux, vdbench, windows};
use messages::sentence;
use model::CompactSort;
use model::foreign::{ForeignFile, ForeignRemark};
use std::collections::BTreeMap;

/// All formats. A more specific format comes before formats that would also accept its files.
pub const FORMATS: &[Format] = &[
    iris::system_performance::FORMAT,
    fio::json::FORMAT,
    fio::text::FORMAT,
    fio::terse::FORMAT,
    databases::m_scripts::FORMAT,
    ioping::json::FORMAT,
    ioping::text::FORMAT,
    windows::diskspd_text::FORMAT,
    clusters::elbencho_text::FORMAT,
    vdbench::flatfile::FORMAT,
    vdbench::report::FORMAT,
    clusters::io500::FORMAT,
    clusters::ior::FORMAT,
    clusters::mdtest::FORMAT,
    clusters::kubestr::FORMAT,
    clusters::kbench::FORMAT,
    databases::pg_test_fsync::FORMAT,
    databases::pg_stat_io::FORMAT,
    databases::pgbench::FORMAT,
    databases::hammerdb::FORMAT,
    databases::sysbench_fileio::FORMAT,
    clouds::cloudwatch::FORMAT,
    clouds::azure_monitor::FORMAT,
    linux::iostat::JSON,
    windows::diskspd::FORMAT,
    iris::mgstat::FORMAT,
    iris::irisstat::FORMAT,
    windows::typeperf::FORMAT,
    iris::perftools::FORMAT,
    linux::iostat::TEXT,
    linux::sar::FORMAT,
    linux::pidstat::FORMAT,
    linux::nfsiostat::FORMAT,
    linux::vmstat::FORMAT,
    linux::btt::FORMAT,
    windows::crystaldiskmark::FORMAT,
    clusters::elbencho::FORMAT,
    linux::zpool_iostat::FORMAT,
    linux::bonnie::FORMAT,
    linux::pveperf::FORMAT,
    linux::yabs::FORMAT,
    windows::winsat::FORMAT,
    linux::hdparm::FORMAT,
    linux::dd::FORMAT,
    fio::histogram_log::FORMAT,
    fio::log::FORMAT,
    ioping::raw::FORMAT,
];

/// Reads a file of any format. The format is determined by the content, not by the file name. A file may contain
/// several documents.
///
/// # Errors
/// Returns an error if no format recognises the file, or if the file exceeds the limits (docs/design/bad-input.md,
/// "Files that are read").
pub fn read(source: &str, bytes: &[u8]) -> Result<Vec<ForeignFile>, ImportError> {
    read_until(source, bytes, &|| false)
}

/// Reads a file like [`read`], and gives up when `late` returns `true`.
///
/// # Errors
/// Returns an error in the same cases as [`read`], or if `late` returns `true` before the file has been read.
pub fn read_until(source: &str, bytes: &[u8], late: &dyn Fn() -> bool) -> Result<Vec<ForeignFile>, ImportError> {
    let source = Source::new(source, bytes, late)?;
    let Some(first) = FORMATS.iter().find(|format| (format.recognise)(&source)) else {
        let known: Vec<&str> = FORMATS.iter().map(|f| f.name).collect();
        return Err(ImportError(format!("its format is not supported (supported: {})", known.join(", "))));
    };
    let others = FORMATS.iter().filter(|f| first.shares_a_log && f.shares_a_log && f.name != first.name);
    let formats: Vec<&Format> = std::iter::once(first).chain(others.filter(|f| (f.recognise)(&source))).collect();
    let mut files = match formats.as_slice() {
        [format] => {
            let mut files = (format.read)(&source)?;
            complete(&mut files, &source, format);
            files
        }
        several => read_each(several, &source)?,
    };
    files.first_mut().into_iter().for_each(|f| {
        f.remarks.splice(0..0, source.remarks.iter().cloned());
    });
    Ok(files)
}

/// Reads output from several tools in one document. Each format reads its own lines.
fn read_each(formats: &[&Format], source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut owners = Owners::new(formats, source)?;
    let mut parts: Vec<(&str, Vec<ForeignFile>)> = Vec::new();
    let mut failed: Vec<(&str, ImportError)> = Vec::new();
    for format in formats {
        let part = source.only(|line| owners.around(line).any(|owner| owner == format.name));
        if !(format.recognise)(&part) {
            continue;
        }
        match (format.read)(&part) {
            Ok(mut files) => {
                complete(&mut files, source, format);
                owners.add(format, files.iter().flat_map(lines_of));
                parts.push((format.name, files));
            }
            Err(error) => failed.push((format.name, error)),
        }
    }
    if parts.is_empty() && !failed.is_empty() {
        return Err(failed.remove(0).1);
    }
    for (format, files) in &mut parts {
        // Between the outputs of two tools, each format skips the lines of the other tool.
        let keeps = |said: &ForeignRemark| match said.line {
            0 => true,
            line if said.not_understood => owners.around(line).all(|owner| owner == *format),
            line => owners.around(line).any(|owner| owner == *format),
        };
        for file in files {
            file.remarks.retain(keeps);
            file.faults.retain(keeps);
        }
    }
    let mut files: Vec<ForeignFile> = parts.into_iter().flat_map(|(_, files)| files).collect();
    let unread = failed.iter().map(|(format, _)| remark(0, sentence!("import-also-of", format = *format)));
    if let Some(first) = files.first_mut() {
        first.remarks.extend(unread);
    }
    Ok(files)
}

/// Lines of a document that are known to belong to a format, with the name of that format.
struct Owners(BTreeMap<u32, &'static str>);

impl Owners {
    /// Finds the lines that identify a format. For a format that cannot be recognised by a single line, these are the
    /// lines that contain its figures.
    fn new(formats: &[&Format], source: &Source<'_>) -> Result<Owners, ImportError> {
        let mut owners = Owners(BTreeMap::new());
        for (number, line) in source.lines()? {
            source.in_time_at(number)?;
            let line = source.with_text(line);
            if let Some(format) = formats.iter().find(|f| (f.recognise)(&line)) {
                owners.0.insert(number, format.name);
            }
        }
        for format in formats {
            if !owners.0.values().any(|owner| *owner == format.name)
                && let Ok(files) = (format.read)(source)
            {
                owners.add(format, files.iter().flat_map(lines_of));
            }
        }
        Ok(owners)
    }

    fn add(&mut self, format: &Format, lines: impl Iterator<Item = u32>) {
        lines.for_each(|line| {
            self.0.entry(line).or_insert(format.name);
        });
    }

    /// Returns the formats of the nearest known lines before and after a line, or of the line itself if it is known. A
    /// line between the outputs of two tools may belong to either.
    fn around(&self, line: u32) -> impl Iterator<Item = &'static str> {
        let (before, after) = (self.0.range(..=line).next_back(), self.0.range(line..).next());
        before.into_iter().chain(after).map(|(_, format)| *format)
    }
}

/// Sets the fields that all formats share, the source and the name of the format, and sorts samples by time.
fn complete(files: &mut [ForeignFile], source: &Source<'_>, format: &Format) {
    for file in files {
        source.name.clone_into(&mut file.source);
        if file.format.is_empty() {
            format.name.clone_into(&mut file.format);
        }
        // The samples of a file may be in any order.
        for series in &mut file.series {
            series.points.compact_sort_by(|a, b| a.at.total_cmp(&b.at));
        }
    }
}

/// Returns the numbers of the lines that contain the figures of a file.
fn lines_of(file: &ForeignFile) -> impl Iterator<Item = u32> {
    let tests = file.tests.iter().chain(&file.groups).chain(&file.disks);
    let values = tests.flat_map(|t| t.values.iter().map(|v| v.line).chain([t.line]));
    values.chain(file.series.iter().flat_map(|s| s.points.iter().map(|p| p.line)))
}

#[cfg(test)]
mod tests {
    use model::foreign::ForeignFile;

    /// Sample output of each format that can share a document with others.
    const SHARING: &[(&str, &str)] = &[
        ("fio-text", include_str!("../tests/data/fio-3.33-mix.txt")),
        ("ioping-text", include_str!("../tests/data/ioping.txt")),
        ("diskspd-text", include_str!("../tests/data/public/diskspd-2.2.txt")),
        ("elbencho-text", include_str!("../tests/data/public/elbencho-console.txt")),
        ("vdbench", include_str!("../tests/data/public/vdbench-stdout.txt")),
        ("io500", include_str!("../tests/data/public/io500-isc22.txt")),
        ("ior", include_str!("../tests/data/public/ior-3.3.txt")),
        ("mdtest", include_str!("../tests/data/public/mdtest-3.3.txt")),
        ("kubestr", include_str!("../tests/data/public/kubestr.txt")),
        ("kbench", include_str!("../tests/data/public/kbench.txt")),
        ("pg-test-fsync", include_str!("../tests/data/public/pg_test_fsync.txt")),
        ("pgbench", include_str!("../tests/data/public/pgbench-18.txt")),
        ("hammerdb", include_str!("../tests/data/public/hammerdb.txt")),
        ("sysbench-fileio", include_str!("../tests/data/public/sysbench-1.0.txt")),
        ("iostat", include_str!("../tests/data/iostat.txt")),
        ("sar", include_str!("../tests/data/public/sar-d.txt")),
        ("pidstat", include_str!("../tests/data/public/pidstat-d.txt")),
        ("nfsiostat", include_str!("../tests/data/public/nfsiostat.txt")),
        ("vmstat", include_str!("../tests/data/vmstat.txt")),
        ("crystaldiskmark", include_str!("../tests/data/public/kdiskmark-1.6.txt")),
        ("zpool-iostat", include_str!("../tests/data/public/zpool-iostat.txt")),
        ("bonnie", include_str!("../tests/data/public/bonnie.txt")),
        ("pveperf", include_str!("../tests/data/made/pveperf.txt")),
        ("yabs", include_str!("../tests/data/public/yabs.txt")),
        ("winsat", include_str!("../tests/data/public/winsat.txt")),
        ("hdparm", include_str!("../tests/data/public/hdparm.txt")),
        ("dd", include_str!("../tests/data/public/dd.txt")),
    ];

    fn read(text: &str) -> Vec<ForeignFile> {
        super::read("x", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the figures, faults and unknown lines of a format, without line numbers.
    fn figures(files: &[ForeignFile], format: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for file in files.iter().filter(|f| f.format == format) {
            for test in file.tests.iter().chain(&file.groups).chain(&file.disks) {
                let values = test.values.iter().map(|v| format!("{:?} {:?} {:?}", v.way, v.of, v.value));
                let asked = model::foreign::ForeignAsked { others: Vec::new(), ..test.asked.clone() };
                lines.push(format!("{} {asked:?} {}", test.name, values.collect::<Vec<_>>().join(", ")));
            }
            for series in &file.series {
                let points: Vec<(f64, f64)> = series.points.iter().map(|p| (p.at, p.value)).collect();
                lines.push(format!("{} {points:?}", series.name));
            }
            lines.extend(
                file.faults
                    .iter()
                    .chain(file.remarks.iter().filter(|r| r.not_understood))
                    .map(|r| r.text.as_str().to_owned()),
            );
        }
        lines
    }

    #[test]
    fn each_format_reads_its_own_lines_beside_any_other() {
        for format in super::FORMATS.iter().filter(|f| f.shares_a_log && f.name != "vdbench-flatfile") {
            assert!(SHARING.iter().any(|(name, _)| *name == format.name), "{}", format.name);
        }
        let mut wrong = Vec::new();
        for (one, first) in SHARING {
            for (other, second) in SHARING.iter().filter(|(name, _)| name != one) {
                let files = read(&format!("{first}\n{second}"));
                for (name, text) in [(one, first), (other, second)] {
                    let (alone, together) = (figures(&read(text), name), figures(&files, name));
                    if alone != together {
                        let differ: Vec<&String> = together.iter().filter(|t| !alone.contains(t)).collect();
                        wrong.push(format!("{name} of {one} + {other}: {} {} {differ:?}", alone.len(), together.len()));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn outputs_of_several_tools_in_one_document_are_all_read() {
        let hdparm = include_str!("../tests/data/public/hdparm.txt");
        let dd = include_str!("../tests/data/public/dd.txt");
        let iostat = "Device r/s w/s %util\nsda 13.00 4.00 46.70\n";
        let files = super::read("x", format!("{hdparm}{dd}{iostat}").as_bytes()).unwrap();
        let mut formats: Vec<&str> = files.iter().map(|f| f.format.as_str()).collect();
        formats.dedup();
        assert_eq!(formats, ["iostat", "hdparm", "dd"]);
        let alone = super::read("x", dd.as_bytes()).unwrap();
        let tests =
            |files: &[ForeignFile]| files.iter().filter(|f| f.format == "dd").map(|f| f.tests.len()).sum::<usize>();
        assert_eq!(tests(&files), tests(&alone));
        assert!(files.iter().all(|f| f.source == "x"));
    }
}
