//! The table of formats, and a file read by the first of them that knows its content.

use crate::format::Format;
use crate::text::source::{ImportError, Source, remark};
use crate::{cloudwatch, clusters, databases, fio, ioping, iris, linux, vdbench, windows};
use messages::sentence;
use model::CompactSort;
use model::ForeignFile;

/// All formats, the more particular before those that could be taken for them.
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
    cloudwatch::FORMAT,
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
    linux::hdparm::FORMAT,
    linux::dd::FORMAT,
    fio::histogram_log::FORMAT,
    fio::log::FORMAT,
    ioping::raw::FORMAT,
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
            series.points.compact_sort_by(|a, b| a.at.total_cmp(&b.at));
        }
    }
    if let Some(first) = files.first_mut() {
        let others = FORMATS.iter().filter(|f| format.shares_a_log && f.shares_a_log && f.name != format.name);
        for other in others.filter(|f| (f.recognise)(&source)) {
            first.remarks.push(remark(0, sentence!("import-also-of", format = other.name)));
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
