//! Other tools' files, read into the nouns of the house: one file per format, each a line of [`FORMATS`].
//!
//! What a file does not tell is missing, with the reason; nothing is guessed in its place, and percentiles that another
//! tool computed are never averaged. Every value keeps its line, its words and the interval its rounding leaves. Stands on `model`
//! and `messages`; opens nothing and reads no clock: bytes come in.

mod civil;
mod cloudwatch;
mod crystaldiskmark;
mod diskspd;
mod elbencho;
mod figure;
mod fio;
mod fio_hist_log;
pub mod fio_json;
mod fio_log;
mod fio_terse;
mod fio_text;
mod ioping_json;
mod ioping_raw;
mod ioping_text;
mod iostat;
mod irisstat;
mod json;
pub mod m_result;
mod mgstat;
mod perftools;
mod source;
mod system_performance;
mod table;
mod typeperf;

use model::ForeignFile;
pub use source::{LONGEST_LINE, MOST_LINES, Source};

/// Larger files are not read (`measurement.md` 3.7).
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
    cloudwatch::FORMAT,
    iostat::JSON,
    diskspd::FORMAT,
    mgstat::FORMAT,
    irisstat::FORMAT,
    typeperf::FORMAT,
    perftools::FORMAT,
    iostat::TEXT,
    crystaldiskmark::FORMAT,
    elbencho::FORMAT,
    fio_hist_log::FORMAT,
    fio_log::FORMAT,
    ioping_raw::FORMAT,
];

/// Reads a file of any format. What it is its content tells, not its name; a file may hold several documents.
///
/// # Errors
/// When no format is recognised, or the file is beyond the bounds of `measurement.md` 3.7.
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
        first.remarks.splice(0..0, source.remarks.iter().cloned());
    }
    Ok(files)
}
