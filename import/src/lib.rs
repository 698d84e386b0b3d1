//! Other tools' files, read into the nouns of the house: one file per format, each a line of [`FORMATS`].
//!
//! What a file does not tell is missing, with the reason; nothing is guessed in its place, and percentiles that another
//! tool computed are never averaged. Every value keeps its line, its words and the interval its rounding leaves. Stands on `model`
//! and `messages`; opens nothing and reads no clock: bytes come in.

mod btt;
mod civil;
mod cloudwatch;
mod crystaldiskmark;
mod dd;
mod diskspd;
mod diskspd_text;
mod elbencho;
mod elbencho_text;
mod figure;
mod fio;
mod fio_hist_log;
pub mod fio_json;
mod fio_log;
mod fio_terse;
mod fio_text;
mod hdparm;
mod io500;
mod ioping_json;
mod ioping_raw;
mod ioping_text;
mod ior;
mod iostat;
mod irisstat;
mod json;
pub mod m_result;
mod mdtest;
mod mgstat;
mod nfsiostat;
mod perftools;
mod pg_test_fsync;
mod pgbench;
mod pidstat;
mod sar;
mod source;
mod sysbench_fileio;
mod sysstat;
mod system_performance;
mod table;
mod typeperf;
mod vdbench;
mod vdbench_flatfile;
mod vmstat;

use messages::sentence;
use model::ForeignFile;
pub use source::{LONGEST_LINE, MOST_LINES, Source};

/// Larger files are not read (docs/design/bad-input.md, "Files that are read").
pub const LARGEST: u64 = 256 << 20;

/// Why a file cannot be read as what it was taken for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(pub String);

/// A format that is read.
pub struct Format {
    /// As it stands in [`ForeignFile::format`].
    pub name: &'static str,
    /// What writes it.
    pub about: &'static str,
    /// Whether a file's content is of it.
    pub recognise: fn(&Source<'_>) -> bool,
    /// Reads it.
    pub read: fn(&Source<'_>) -> Result<Vec<ForeignFile>, ImportError>,
}

/// All formats, the more particular before those that could be taken for them.
pub const FORMATS: &[Format] = &[
    system_performance::FORMAT,
    fio_json::FORMAT,
    fio_text::FORMAT,
    fio_terse::FORMAT,
    m_result::FORMAT,
    ioping_json::FORMAT,
    ioping_text::FORMAT,
    diskspd_text::FORMAT,
    elbencho_text::FORMAT,
    vdbench_flatfile::FORMAT,
    vdbench::FORMAT,
    io500::FORMAT,
    ior::FORMAT,
    mdtest::FORMAT,
    pg_test_fsync::FORMAT,
    pgbench::FORMAT,
    sysbench_fileio::FORMAT,
    cloudwatch::FORMAT,
    iostat::JSON,
    diskspd::FORMAT,
    mgstat::FORMAT,
    irisstat::FORMAT,
    typeperf::FORMAT,
    perftools::FORMAT,
    iostat::TEXT,
    sar::FORMAT,
    pidstat::FORMAT,
    nfsiostat::FORMAT,
    vmstat::FORMAT,
    btt::FORMAT,
    crystaldiskmark::FORMAT,
    elbencho::FORMAT,
    hdparm::FORMAT,
    dd::FORMAT,
    fio_hist_log::FORMAT,
    fio_log::FORMAT,
    ioping_raw::FORMAT,
];

/// Outputs that a terminal's record may hold one after the other, of which one format is read.
const SIDE_BY_SIDE: [&str; 12] = [
    diskspd_text::FORMAT.name,
    elbencho_text::FORMAT.name,
    vdbench_flatfile::FORMAT.name,
    vdbench::FORMAT.name,
    io500::FORMAT.name,
    ior::FORMAT.name,
    mdtest::FORMAT.name,
    pg_test_fsync::FORMAT.name,
    pgbench::FORMAT.name,
    sysbench_fileio::FORMAT.name,
    hdparm::FORMAT.name,
    dd::FORMAT.name,
];

/// Reads a file of any format. What it is its content tells, not its name; a file may hold several documents.
///
/// # Errors
/// When no format is recognised, or the file is beyond the bounds (docs/design/bad-input.md, "Files that are read").
pub fn read(source: &str, bytes: &[u8]) -> Result<Vec<ForeignFile>, ImportError> {
    read_until(source, bytes, &|| false)
}

/// As [`read`], given up when `late` says so.
///
/// # Errors
/// As [`read`], and when the time is over.
pub fn read_until(source: &str, bytes: &[u8], late: &dyn Fn() -> bool) -> Result<Vec<ForeignFile>, ImportError> {
    let source = Source::new(source, bytes, late)?;
    let Some(format) = FORMATS.iter().find(|format| (format.recognise)(&source)) else {
        let known: Vec<&str> = FORMATS.iter().map(|f| f.name).collect();
        return Err(ImportError(format!("its content is of no format that is read here ({})", known.join(", "))));
    };
    let mut files = (format.read)(&source)?;
    for file in &mut files {
        source.name.clone_into(&mut file.source);
        if file.format.is_empty() {
            format.name.clone_into(&mut file.format);
        }
        // A file may have been put together in any order.
        for series in &mut file.series {
            series.points.sort_by(|a, b| a.at.total_cmp(&b.at));
        }
    }
    if let Some(first) = files.first_mut() {
        let is_one = |name: &str| SIDE_BY_SIDE.contains(&name);
        let others = FORMATS.iter().filter(|f| is_one(format.name) && is_one(f.name) && f.name != format.name);
        for other in others.filter(|f| (f.recognise)(&source)) {
            first.remarks.push(source::remark(0, sentence!("import-also-of", format = other.name)));
        }
        first.remarks.splice(0..0, source.remarks.iter().cloned());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_another_tool_printed_beside_is_told() {
        let hdparm = include_str!("../tests/data/public/hdparm.txt");
        let dd = include_str!("../tests/data/public/dd.txt");
        let file = super::read("x", format!("{hdparm}{dd}").as_bytes()).unwrap().remove(0);
        assert_eq!((file.format.as_str(), file.remarks.len()), ("hdparm", 1));
        assert!(file.remarks[0].text.contains("also of the format dd"), "{:?}", file.remarks);
    }
}
