//! JSON document of YABS (`-j`, `-w` and `-s`; since v2022-08-17), which has the figures of its fio tests before YABS
//! formats them: whole KiB/s, although `speed_units` is `KBps`, and whole operations per second.
//!
//! With `-j`, YABS prints the document after the tables. It then replaces the table with the same figures.

use super::yabs_test::{BANDWIDTH, FILE, FILE_ON_ARM, IOPS, PARTITION, fio_test};
use crate::text::figure::Cut;
use crate::text::json::{self, Value};
use crate::text::source::{ImportError, Source, clip, remark};
use messages::sentence;
use model::foreign::{ForeignFile, ForeignTest, Way};

/// Returns `true` if a text contains keys of the document.
pub(super) fn is_json(text: &str) -> bool {
    text.contains("\"speed_rw\"") && text.contains("\"iops_rw\"")
}

/// Adds the documents in a text to the files that its tables have given.
pub(super) fn read_into(files: &mut Vec<ForeignFile>, source: &Source<'_>) -> Result<(), ImportError> {
    let parsed = json::documents(source.text(), &|| source.in_time())?;
    for mut exact in parsed.list.iter().filter_map(document) {
        if let Some(place) = files.iter().position(|table| repeats(&exact, table)) {
            let table = files.remove(place);
            exact.remarks.extend(table.remarks);
            // Rows that a table lacks are in the document.
            exact.faults.extend(table.faults.into_iter().filter(|f| f.text.id() == Some("import-called-invalid")));
        }
        files.push(exact);
    }
    if let Some((line, reason)) = parsed.broken {
        let said = sentence!("import-json-not-whole-at", why = reason, line);
        match files.iter_mut().find(|file| !file.tests.is_empty()) {
            Some(file) => file.remarks.push(remark(line, said)),
            None => return Err(ImportError(said.into())),
        }
    }
    Ok(())
}

fn document(document: &Value<'_>) -> Option<ForeignFile> {
    let text = |group: &str, key: &str| document.get(group).and_then(|g| g.text_of(key)).map(clip);
    let file_size = text("os", "arch").map(|arch| match arch.as_str() {
        "aarch64" | "arm" => FILE_ON_ARM,
        _ => FILE,
    });
    // The start is in seconds since 1970 in UTC.
    let start = document.get("runtime").and_then(|runtime| runtime.number_of("start"));
    let began = start.filter(|s| (0.0..1e11).contains(s)).map(|s| s as i64);
    let mut file = ForeignFile {
        tool: format!("YABS {}", document.text_of("version").unwrap_or_default()).trim_end().to_owned(),
        when: clip(document.text_of("time").unwrap_or_default()),
        began,
        zone: began.map(|_| 0),
        ..ForeignFile::default()
    };
    let others = [
        (PARTITION, document.text_of("partition").map(clip)),
        ("Processor", text("cpu", "model")),
        ("Distro", text("os", "distro")),
        ("Kernel", text("os", "kernel")),
        ("VM Type", text("os", "vm")),
    ];
    for item in document.elements_of("fio") {
        let Some(block) = item.text_of("bs") else { continue };
        let mut test = fio_test(block, item.line, file_size);
        add_figures(&mut test, item);
        test.asked.others.extend(others.iter().filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?))));
        file.tests.push(test);
    }
    (!file.tests.is_empty()).then_some(file)
}

fn add_figures(test: &mut ForeignTest, item: &Value<'_>) {
    for (key, way, quantity, unit) in [
        ("speed_r", Way::Read, BANDWIDTH, 1024.0),
        ("iops_r", Way::Read, IOPS, 1.0),
        ("speed_w", Way::Write, BANDWIDTH, 1024.0),
        ("iops_w", Way::Write, IOPS, 1.0),
    ] {
        let Some((value, figure)) = item.get(key).and_then(|value| Some((value, value.figure()?))) else { continue };
        let words = format!("{key} {}", value.written());
        test.values.push(figure.times(unit).to_value(way, quantity, Cut::Down, value.line, words));
    }
}

/// Returns `true` if a document has the figures of a table, which has fewer digits.
fn repeats(exact: &ForeignFile, table: &ForeignFile) -> bool {
    let is_in = |test: &ForeignTest| {
        let same = exact.tests.iter().find(|e| e.name == test.name);
        let mut rates = test.values.iter().filter(|v| v.of == IOPS && v.value.is_some());
        rates.all(|v| {
            same.and_then(|s| s.value(v.way, IOPS)).is_some_and(|rate| v.between.0 <= rate && rate <= v.between.1)
        })
    };
    !table.tests.is_empty() && table.tests.iter().all(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = include_str!("../../tests/data/public/yabs.json");
    /// Table that YABS printed in the run of [`TEXT`].
    const TABLE: &str = "fio Disk Speed Tests (Mixed R/W 50/50):\n---------------------------------\n\
        Block Size | 4k            (IOPS) | 64k           (IOPS)\n  ------   | ---            ----  | ----           ----\n\
        Read       | 405.41 MB/s (101.3k) | 407.96 MB/s   (6.3k)\nWrite      | 406.48 MB/s (101.6k) | 410.11 MB/s   (6.4k)\n\
        Total      | 811.90 MB/s (202.9k) | 818.08 MB/s  (12.7k)\n           |                      |\n\
        Block Size | 512k          (IOPS) | 1m            (IOPS)\n  ------   | ---            ----  | ----           ----\n\
        Read       | 380.21 MB/s    (742) | 394.55 MB/s    (385)\nWrite      | 400.41 MB/s    (782) | 420.82 MB/s    (410)\n\
        Total      | 780.62 MB/s   (1.5k) | 815.37 MB/s    (795)\n\nYABS completed in 12 min 49 sec\n\n";

    fn read_files(text: &str) -> Vec<ForeignFile> {
        crate::read::read("x", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn figures_are_whole_kibibytes_and_agree_with_the_table_of_the_run() {
        let file = read_files(TEXT).remove(0);
        assert_eq!((file.format.as_str(), file.tool.as_str()), ("yabs", "YABS v2023-04-23"));
        assert_eq!((file.began, file.zone), (Some(1_682_271_674), Some(0)));
        let first = &file.tests[0];
        assert_eq!(first.value(Way::Read, BANDWIDTH), Some(405_417.0 * 1024.0));
        assert_eq!(first.value(Way::Write, IOPS), Some(101_621.0));
        assert_eq!((first.asked.size, first.asked.depth), (Some(FILE), Some(64)));
        let table = read_files(TABLE).remove(0);
        for (exact, printed) in file.tests.iter().zip(&table.tests) {
            for value in &printed.values {
                let exact = exact.value(value.way, value.of).unwrap();
                assert!(value.between.0 <= exact && exact <= value.between.1, "{value:?}: {exact}");
            }
        }
    }

    #[test]
    fn a_document_replaces_the_table_of_the_same_run() {
        let files = read_files(&format!("{TABLE}{TEXT}"));
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(files[0].tests[0].value(Way::Read, IOPS), Some(101_354.0));
        let other = TABLE.replace("101.3k", "99.1k");
        assert_eq!(read_files(&format!("{other}{TEXT}")).len(), 2);
    }

    #[test]
    fn a_malformed_document_is_refused_with_its_line() {
        // YABS writes no value if fio failed, and does not escape line feeds.
        for text in [TEXT.replace("405417", ""), TEXT.replace("E-2276G", "\nE-2276G")] {
            let error = crate::read::read("x", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("malformed") && error.contains("line "), "{error}");
            let file = read_files(&format!("{TABLE}{text}")).remove(0);
            assert!(file.tests.len() == 4 && file.remarks.iter().any(|r| r.text.as_str().contains("malformed")));
        }
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), put in "[0-9a-z\",{}:\\[\\] \\n.-]{0,8}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[at..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
