//! Tests that every sample file is recognised by its content, regardless of its name.

/// Sample files: name in `tests/`, format, and whether the file has tests, series and disks.
const FILES: [(&str, &str, [bool; 3]); 77] = [
    ("data/fio-3.33-mix.txt", "fio-text", [true, false, true]),
    ("data/fio-3.33-steady.txt", "fio-text", [true, false, true]),
    ("data/fio-3.33-mix.json", "fio-json", [true, false, true]),
    ("data/fio-3.33-mix-all.txt", "fio-json", [true, false, true]),
    ("data/fio-3.33-mix.terse3", "fio-terse", [true, false, true]),
    ("data/fio-3.33.terse2", "fio-terse", [true, false, false]),
    ("data/fio-3.33.terse3", "fio-terse", [true, false, true]),
    ("data/fio-3.33.terse4", "fio-terse", [true, false, true]),
    ("data/fio-3.33.terse5", "fio-terse", [true, false, true]),
    ("data/fio_bw.1.log", "fio-log", [false, true, false]),
    ("data/fio_clat.1.log", "fio-log", [false, true, false]),
    ("data/fio_iops.1.log", "fio-log", [false, true, false]),
    ("data/fio_lat.1.log", "fio-log", [false, true, false]),
    ("data/fio_slat.1.log", "fio-log", [false, true, false]),
    ("data/fio_clat_hist.1.log", "fio-hist-log", [true, true, false]),
    ("fio/single.json", "fio-json", [true, false, true]),
    ("fio/mixed-clones.json", "fio-json", [true, false, true]),
    ("fio/clones-bins.json", "fio-json", [true, false, true]),
    ("data/ioping.txt", "ioping-text", [true, true, false]),
    ("data/ioping-G.txt", "ioping-text", [true, true, false]),
    ("data/ioping-p.txt", "ioping-text", [true, true, false]),
    ("data/ioping-B.txt", "ioping-raw", [true, false, false]),
    ("data/ioping.json", "ioping-json", [true, true, false]),
    ("data/iopingw.json", "ioping-json", [true, true, false]),
    ("data/iostat.txt", "iostat", [false, true, true]),
    ("data/iostat-iso.txt", "iostat", [false, true, true]),
    ("data/iostat.json", "iostat-json", [false, true, true]),
    ("data/public/diskspd-2.0.txt", "diskspd-text", [true, false, false]),
    ("data/public/diskspd-2.2.txt", "diskspd-text", [true, false, false]),
    ("data/public/elbencho-hosts.txt", "elbencho-text", [true, false, false]),
    ("data/public/elbencho-console.txt", "elbencho-text", [true, false, false]),
    ("data/public/elbencho-phases.txt", "elbencho-text", [true, false, false]),
    ("data/public/vdbench-stdout.txt", "vdbench", [true, true, false]),
    ("data/public/vdbench-flatfile.html", "vdbench-flatfile", [true, true, false]),
    ("data/public/ior-3.0.txt", "ior", [true, false, false]),
    ("data/public/ior-3.3.txt", "ior", [true, false, false]),
    ("data/public/mdtest-3.3.txt", "mdtest", [true, false, false]),
    ("data/public/io500-sc20.txt", "io500", [true, false, false]),
    ("data/public/io500-isc22.txt", "io500", [true, false, false]),
    ("data/public/io500-invalid.txt", "io500", [true, false, false]),
    ("data/public/hdparm.txt", "hdparm", [true, false, false]),
    ("data/public/dd.txt", "dd", [true, false, false]),
    ("data/public/bonnie.txt", "bonnie", [true, false, false]),
    ("data/public/hammerdb.txt", "hammerdb", [true, false, false]),
    ("data/public/kbench.txt", "kbench", [true, false, false]),
    ("data/public/kbench-two.txt", "kbench", [true, false, false]),
    ("data/public/kubestr.txt", "kubestr", [true, false, true]),
    ("data/public/yabs.txt", "yabs", [true, false, false]),
    ("data/public/yabs-dd.txt", "yabs", [true, false, false]),
    ("data/public/yabs.json", "yabs", [true, false, false]),
    ("data/public/winsat.txt", "winsat", [true, false, false]),
    ("data/public/winsat-zh.txt", "winsat", [true, false, false]),
    ("data/public/winsat-de.txt", "winsat", [true, false, false]),
    ("data/made/azure-monitor-lun.json", "azure-monitor", [false, true, false]),
    ("data/made/pveperf.txt", "pveperf", [true, false, false]),
    ("data/public/zpool-iostat.txt", "zpool-iostat", [false, false, true]),
    ("data/public/pg_test_fsync.txt", "pg-test-fsync", [true, false, false]),
    ("data/pg_stat_io.csv", "pg-stat-io", [false, true, false]),
    ("data/public/pgbench-18.txt", "pgbench", [true, true, false]),
    ("data/public/pgbench-13.txt", "pgbench", [true, true, false]),
    ("data/public/sysbench-0.4.txt", "sysbench-fileio", [true, false, false]),
    ("data/public/sysbench-1.0.txt", "sysbench-fileio", [true, false, false]),
    ("data/public/kdiskmark-1.6.txt", "crystaldiskmark", [true, false, false]),
    ("data/vmstat.txt", "vmstat", [false, true, true]),
    ("data/public/iostat-h.txt", "iostat", [false, false, true]),
    ("data/public/iostat-compact.txt", "iostat", [false, true, true]),
    ("data/public/sar-d.txt", "sar", [false, true, true]),
    ("data/public/vmstat-at.txt", "vmstat", [false, true, true]),
    ("data/public/vmstat-one.txt", "vmstat", [false, false, true]),
    ("data/public/pidstat-h.txt", "pidstat", [false, true, false]),
    ("data/public/pidstat-d.txt", "pidstat", [false, true, false]),
    ("data/public/nfsiostat.txt", "nfsiostat", [false, false, true]),
    ("data/public/btt.txt", "btt", [false, false, true]),
    ("data/public/pbuttons-2013.html", "system-performance/iostat", [false, true, true]),
    ("data/public/fio-client.txt", "fio-text", [true, false, false]),
    ("data/public/fio-all-clients.txt", "fio-text", [true, false, false]),
    ("data/public/fio-2.6-client.json", "fio-json", [true, false, false]),
];

#[test]
fn recorded_files_are_known_by_their_content() {
    for (name, format, has) in FILES {
        let path = format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).unwrap();
        let files = import::read("nameless", &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let any = |pick: fn(&model::foreign::ForeignFile) -> bool| files.iter().any(pick);
        let present = [any(|f| !f.tests.is_empty()), any(|f| !f.series.is_empty()), any(|f| !f.disks.is_empty())];
        assert_eq!((files[0].format.as_str(), present), (format, has), "{name}");
        // Every figure must be on the line that it names.
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for value in files.iter().flat_map(|f| f.tests.iter().chain(&f.disks).chain(&f.groups)).flat_map(|t| &t.values)
        {
            assert!(value.line >= 1 && value.line as usize <= lines.len(), "{name}: {value:?}");
            assert!(value.value.is_none_or(|v| value.between.0 <= v && v <= value.between.1), "{name}: {value:?}");
            if format == "fio-text" {
                let line = lines[value.line as usize - 1];
                let words = value.words.replace(' ', "");
                assert!(line.replace(' ', "").contains(&words), "{name}: {value:?} on {line}");
            }
        }
        for series in files.iter().flat_map(|f| &f.series) {
            assert!(series.points.is_sorted_by(|a, b| a.at <= b.at), "{name}: {}", series.name);
        }
    }
}

#[test]
fn what_is_no_format_is_refused_with_those_that_are() {
    for text in ["hello\n", "1 2 3\n", "{}", "<html></html>", "a,b,c\n1,2,3\n"] {
        let error = import::read("x", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("fio-json") && error.contains("iostat") && !error.contains('\n'), "{text}: {error}");
    }
    assert_eq!(import::read("x", b"").unwrap_err().to_string(), "it is empty");
}

#[test]
fn reading_ends_when_the_time_is_over() {
    let row = "04/07/2022, 18:35:03, 1, 0, 1, 1, 0, 0, 1, 5, 0, 72, 0, 0\n";
    let text = row.repeat(10_000);
    let late = import::read_until("x", text.as_bytes(), &|| true).unwrap_err().to_string();
    assert!(late.contains("too long"), "{late}");
    assert!(import::read("x", text.as_bytes()).is_ok());
}

#[test]
fn every_format_is_in_the_users_table() {
    let table = include_str!("../../book/src/reference/formats-read.md");
    for format in import::FORMATS {
        assert!(
            table.contains(&format!("\n| `{}` |", format.name)),
            "{} is not in book/src/reference/formats-read.md",
            format.name
        );
    }
    assert_eq!(table.matches("\n| `").count(), import::FORMATS.len(), "one row a format");
}

#[test]
fn a_byte_selects_every_format_for_fuzzing_and_leaves_one_for_recognition() {
    assert!(import::FORMATS.len() < usize::from(u8::MAX), "see fuzz/fuzz_targets/formats.rs");
}

#[test]
fn a_file_beyond_the_bound_is_refused_and_one_below_it_ends_in_time() {
    let beyond = vec![b' '; usize::try_from(import::LARGEST + 1).unwrap()];
    let error = import::read("x", &beyond).unwrap_err().to_string();
    assert!(error.contains("larger than 256 MiB"), "{error}");
    // The time limit is checked during reading, not only at the end.
    let asked = std::cell::Cell::new(0u32);
    let late = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let row = "04/07/2022, 18:35:03, 1, 0, 1, 1, 0, 0, 1, 5, 0, 72, 0, 0\n".repeat(100_000);
    let text = format!(
        "Date,       Time    ,  Glorefs, GRratio,  PhyRds, Gloupds, Rourefs,  PhyWrs,   WDQsz, WDphase, Jrnwrts,  WDpass,  IJUcnt, IJULock\n{row}"
    );
    let error = import::read_until("x", text.as_bytes(), &late).unwrap_err().to_string();
    assert!(error.contains("too long") && asked.get() == 4, "{error} after {} looks", asked.get());
}

/// Sample files that cause remarks.
const REMARKED: [&str; 6] = [
    "fio: hello\n{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"a\",\"error\":5,\"error\":5,\n\"steadystate\":{\"ss\":\"iops:10%\"}}]}\n{\"b\":\n[1",
    "a: (groupid=0, jobs=1): err= 5 (error=EIO): pid=7: Fri Apr 8 13:31:26 2022\n  read: IOPS=10, BW=1MiB/s (1MB/s)(1MiB/1000msec)\n\
     issued rwts: total=10,0,0,0 short=3,0,0,0 dropped=1,0,0,0\n",
    "1000, 7, 0, 4096\n500, 7, 0, 4096\n",
    "04/07/2022, 10:00:01, 1, 2\n04/07/2022, 10:00:00, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n04/07/2022, 09:00:00, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n\
     04/07/2022, 09:00:01, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n13/13/2022, 09:00:02, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n",
    "Device r/s w/s rkB/s wkB/s %util\nsda 1 2 3 4 5\n\nDevice r/s w/s rkB/s wkB/s %util\nsda 1 2 3 4 5\n",
    "{\"MetricDataResults\":[{\"Label\":\"VolumeReadOps\",\"StatusCode\":\"PartialData\",\"Timestamps\":[\"2022-04-08T13:13:00Z\",\"2022-04-08T13:14:00Z\"],\n\
     \"Values\":[1.5]}]}",
];

#[test]
fn remarks_are_read_in_the_language_of_the_reader() {
    use messages::Language;
    for (i, text) in REMARKED.iter().enumerate() {
        let files = import::read("a_clat.1.log", text.as_bytes()).unwrap_or_else(|e| panic!("{i}: {e}"));
        let remarks: Vec<_> = files.iter().flat_map(|f| &f.remarks).collect();
        assert!(!remarks.is_empty(), "{i}");
        for remark in remarks {
            assert_eq!(messages::translate(Language::English, &remark.text), remark.text.as_str());
            for language in Language::ALL.into_iter().filter(|l| *l != Language::English) {
                let translated = messages::translate(language, &remark.text);
                // Names, options and quotations are not translated. In these files, none of them contains two English
                // words in a row.
                let words: Vec<bool> =
                    translated.split(' ').map(|w| w.len() > 2 && w.bytes().all(|b| b.is_ascii_lowercase())).collect();
                assert!(!words.windows(2).any(|w| w[0] && w[1]), "{i}: {}: {translated}", language.code());
                assert_ne!(translated, remark.text.as_str(), "{i}");
            }
        }
    }
}

#[test]
fn a_file_of_lines_that_nobody_understands_is_told_by_its_first() {
    let text = format!("Date, Time, Glorefs, PhyWrs\n04/15/2022, 10:00:00, 1, 2\n{}", "?\n".repeat(5000));
    let file = import::read("x", text.as_bytes()).unwrap().remove(0);
    assert_eq!(file.remarks.len(), 1000);
}
