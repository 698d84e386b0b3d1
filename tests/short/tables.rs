//! Runs as Parquet files: `report --format parquet` and `runs export --format parquet`.

use crate::support::{Sandbox, beside};
use std::path::Path;

const TABLES: [&str; 4] = ["histograms.parquet", "intervals.parquet", "levels.parquet", "series.parquet"];

/// Returns the files of a directory by name. Each must begin and end as a Parquet file.
fn read_tables(directory: &Path) -> Vec<Vec<u8>> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .expect("the directory exists")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, TABLES);
    let read = |name: &&str| std::fs::read(directory.join(name)).expect("the file is readable");
    let files: Vec<Vec<u8>> = TABLES.iter().map(read).collect();
    assert!(files.iter().all(|file| file.starts_with(b"PAR1") && file.ends_with(b"PAR1")));
    files
}

#[test]
fn tables_are_written_to_a_directory_and_replace_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let job = sandbox.data().join("file").display().to_string();
    sandbox.secchi("fio --name=a --size=1m --rw=randrw").arg(format!("--filename={job}")).run();
    let (report, export) = (sandbox.data().join("report"), sandbox.data().join("export"));
    let report_to =
        |words: &str| sandbox.secchi("report last --format parquet").words(words).arg("-o").arg(&report).run();
    let written = report_to("");
    assert_eq!(written.code, 0, "{}", written.stderr);
    let files = read_tables(&report);
    report_to("").refuses(3, "it already exists");
    assert_eq!(report_to("--force").code, 0);
    let export_to = |to: &Path| sandbox.secchi("runs export last -f parquet").arg("-o").arg(to).run();
    assert_eq!(export_to(&export).code, 0);
    assert!(read_tables(&export) == files, "both commands write the same tables");
    for words in
        ["report last --format parquet", "report last --format parquet -o -", "runs export last -f parquet -o -"]
    {
        sandbox.secchi(words).run().refuses(64, "--format parquet writes four files: name a directory with -o");
    }
    let nowhere = sandbox.data().join("none/tables");
    export_to(&nowhere).refuses(4, "cannot write tables to");
    let unknown = sandbox.data().join("unknown");
    let missing = sandbox.secchi("report none --format parquet").arg("-o").arg(&unknown).run();
    assert!(missing.code != 0 && !unknown.exists(), "{}", missing.stderr);
}
