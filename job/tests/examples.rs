//! Tests with fio's own example job files: each is accepted, or refused with the name of the unsupported feature.
//!
//! The examples are in Debian's package `fio-examples` and in fio's source. `SECCHI_FIO_EXAMPLES` sets their directory.

mod support;

use std::path::{Path, PathBuf};

/// Lookup that reads included files from the directory of the examples.
struct Beside(PathBuf);

impl job::Lookup for Beside {
    fn read(&self, path: &Path, _: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
        std::fs::read(self.0.join(path)).map_err(|e| e.to_string().into())
    }

    fn variable(&self, name: &str) -> Option<String> {
        // The examples take users, keys, devices, modes and depths from environment variables.
        Some(
            if name.ends_with("RW") {
                "read"
            } else if name.ends_with("BS") {
                "4k"
            } else {
                "1"
            }
            .into(),
        )
    }

    fn engines(&self) -> &job::Engines {
        support::engines()
    }

    fn machine(&self) -> job::Machine {
        job::Machine { cpus: 2, page_size: 4096, memory_mb: 16_384 }
    }
}

fn directory() -> Option<PathBuf> {
    let given = std::env::var_os("SECCHI_FIO_EXAMPLES").map(PathBuf::from);
    let usual = ["/usr/share/doc/fio/examples", "/usr/share/doc/fio-examples/examples"].map(PathBuf::from);
    given.into_iter().chain(usual).find(|d| d.is_dir())
}

/// Examples whose engines secchi supports, but which are refused because of another feature. The second text is the
/// name of the feature. No other examples with supported engines may be refused.
const REFUSED_WITH_OUR_ENGINES: &[(&str, &str)] = &[("sprandom.fio", "sprandom")];

#[test]
fn every_example_of_fio_is_understood_or_refused_by_name() {
    let Some(dir) = directory() else {
        testkit::skipped("no fio examples here; apt install fio-examples, or set SECCHI_FIO_EXAMPLES");
        return;
    };
    let mut understood = 0;
    for entry in std::fs::read_dir(&dir).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "fio") {
            continue;
        }
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("an example can be read");
        let ours = REFUSED_WITH_OUR_ENGINES.iter().find(|(n, _)| *n == name);
        match (job::parse_text(&name, &bytes, &Beside(dir.clone())), ours) {
            (Ok(_), None) => understood += 1,
            (Ok(_), Some((_, what))) => panic!("{name} is understood, although {what} is refused"),
            (Err(error), ours) => {
                let reason = error.to_string();
                assert!(reason.contains("known, but not supported"), "{reason}");
                match ours {
                    Some((_, what)) => {
                        assert!(reason.contains(&format!("`{what}`")) || reason.contains(what), "{reason}")
                    }
                    // Every other refusal must name an unsupported engine or one of its options.
                    None => assert!(engine_is_foreign(&bytes), "{reason}"),
                }
            }
        }
    }
    assert!(understood >= 30, "only {understood} examples are understood");
}

fn engine_is_foreign(job: &[u8]) -> bool {
    const OURS: [&str; 10] =
        ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap", "null"];
    String::from_utf8_lossy(job).lines().any(|line| {
        let engine = line.trim().strip_prefix("ioengine").map(|l| l.trim_start_matches([' ', '=']));
        engine.is_some_and(|e| !OURS.contains(&e.split([' ', ';', '#']).next().unwrap_or(e).trim()))
    })
}
