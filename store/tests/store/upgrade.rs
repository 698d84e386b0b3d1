//! Tests with stores as the first program of each record version left them on disk: the current program reads the runs,
//! or rejects them and names their version. The expected values of a run are those that the original program reported
//! (`fixtures/upgrade/README.md`).

use crate::child::{judge, open};
use RunState::{Complete, Interrupted};
use model::{RECORD_VERSION, RECORD_VERSION_READ, RunRecord, RunState};
use rusqlite::Connection;
use serde::Deserialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use store::{Indexed, RunStatus, Store};

/// Values of a run that the original program reported.
struct Told {
    id: &'static str,
    command: &'static str,
    state: RunState,
    steps: usize,
    /// Completed operations, as counted at the ends of steps.
    completed: u64,
    /// Median latency of the last step that has one, in nanoseconds.
    p50: Option<u64>,
}

/// Store written with one record version.
struct Kept {
    record: u32,
    /// Version of its `index.sqlite`.
    index: u32,
    runs: &'static [Told],
}

const KEPT: &[Kept] = &[
    Kept {
        record: 1,
        index: 1,
        runs: &[
            Told {
                id: "4cca6a57-63ba-4c62-b286-694f86428e86",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 2_468,
                p50: Some(3_858_431),
            },
            Told {
                id: "fb747c1a-9575-43f8-a23d-fe2d7ec1731f",
                command: "qualify",
                state: Interrupted,
                steps: 3,
                completed: 4_289,
                p50: Some(156_159),
            },
        ],
    },
    Kept {
        record: 2,
        index: 1,
        runs: &[
            Told {
                id: "b1d316be-10a5-4cc5-bacf-ecba2f2f89e1",
                command: "qualify",
                state: Interrupted,
                steps: 2,
                completed: 126,
                p50: Some(169_471),
            },
            Told {
                id: "3f4c14aa-9d80-4fea-bfcf-4463d3b401a8",
                command: "qualify",
                state: Interrupted,
                steps: 0,
                completed: 0,
                p50: None,
            },
            Told {
                id: "b7ffdcd5-9c1d-42a2-8b66-de40d94a144d",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 156_552,
                p50: Some(56_959),
            },
            Told {
                id: "8af7f7de-3a82-43bd-8475-a2fb02450052",
                command: "qualify",
                state: Interrupted,
                steps: 4,
                completed: 63_110,
                p50: Some(47_231),
            },
        ],
    },
    Kept {
        record: 3,
        index: 1,
        runs: &[
            Told {
                id: "773bcaf2-da3a-4038-9ebb-578ea18f564d",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 234_221,
                p50: Some(57_215),
            },
            Told {
                id: "9d075ffe-418c-468a-8c3b-af05656129fd",
                command: "qualify",
                state: Interrupted,
                steps: 4,
                completed: 51_669,
                p50: Some(78_591),
            },
        ],
    },
    Kept {
        record: 4,
        index: 2,
        runs: &[
            Told {
                id: "cbfb617d-14ea-4a0c-af96-b07594176f2a",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 212_709,
                p50: Some(74_495),
            },
            Told {
                id: "7afad1ce-39ce-4ac0-9a06-2b9d9215c68a",
                command: "qualify",
                state: Interrupted,
                steps: 4,
                completed: 56_675,
                p50: Some(65_407),
            },
        ],
    },
    Kept {
        record: 5,
        index: 2,
        runs: &[
            Told {
                id: "6671aa6e-bb38-4371-811e-8a3ca1a1fce2",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 129_341,
                p50: Some(113_919),
            },
            Told {
                id: "4b1b3153-c487-441e-84a4-d87799837378",
                command: "qualify",
                state: Interrupted,
                steps: 4,
                completed: 38_674,
                p50: Some(111_871),
            },
        ],
    },
    Kept {
        record: 6,
        index: 3,
        runs: &[
            Told {
                id: "42f186d0-020c-4e45-8b38-eb7fdd4d9e1e",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 106_787,
                p50: Some(90_879),
            },
            Told {
                id: "8e0c8e47-6755-4415-b798-be7c1b802894",
                command: "qualify",
                state: Interrupted,
                steps: 4,
                completed: 39_193,
                p50: Some(90_367),
            },
        ],
    },
    Kept {
        record: 7,
        index: 3,
        runs: &[
            Told {
                id: "f86a6882-7b87-413b-9150-c8c312d9a8d7",
                command: "qualify",
                state: Complete,
                steps: 4,
                completed: 166_581,
                p50: Some(51_071),
            },
            Told {
                id: "f550564d-6b53-450c-8fe2-4c7105f3a2cf",
                command: "qualify",
                state: Interrupted,
                steps: 4,
                completed: 60_440,
                p50: Some(51_583),
            },
        ],
    },
];

/// Run as written by `secchi show --json`.
#[derive(Deserialize)]
struct Shown {
    record: RunRecord,
}

fn fixture(version: u32) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/fixtures/upgrade");
    fixtures.join(format!("record-{version}"))
}

impl Kept {
    /// Returns a copy of the program's files: `store`, and `shown` next to it.
    fn laid_out(&self) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a temporary directory");
        testkit::unpack(&fixture(self.record), dir.path());
        dir
    }

    fn is_read(&self) -> bool {
        self.record >= RECORD_VERSION_READ
    }
}

fn open_copy(dir: &Path) -> Store {
    Store::existing(&dir.join("store")).expect("opens").expect("it is there").with_digest(judge)
}

fn shown(dir: &Path, id: &str) -> RunRecord {
    let file = File::open(dir.join(format!("shown/{id}.json"))).expect("opens");
    serde_json::from_reader::<_, Shown>(file).expect("a document of a run").record
}

fn status(state: RunState) -> RunStatus {
    if state == Complete { RunStatus::Complete } else { RunStatus::Interrupted }
}

fn index_version(store: &Path) -> u32 {
    let index = Connection::open(store.join("index.sqlite")).expect("opens");
    index.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

#[test]
fn a_store_of_every_record_version_lies_here_as_its_first_program_left_it() {
    let missing: Vec<u32> = (1..=RECORD_VERSION).filter(|n| KEPT.iter().all(|kept| kept.record != *n)).collect();
    assert!(missing.is_empty(), "{missing:?}: RELEASING.md, \"A new record version\"");
    for kept in KEPT {
        let dir = kept.laid_out();
        assert_eq!(index_version(&dir.path().join("store")), kept.index, "record version {}", kept.record);
        let mut ids = open(&dir.path().join("store")).ids().expect("ids");
        ids.sort_unstable();
        let mut expected: Vec<&str> = kept.runs.iter().map(|run| run.id).collect();
        expected.sort_unstable();
        assert_eq!(ids, expected);
    }
}

#[test]
fn runs_of_every_version_that_is_read_are_what_the_program_that_kept_them_told() {
    for kept in KEPT.iter().filter(|kept| kept.is_read()) {
        let dir = kept.laid_out();
        let store = open_copy(dir.path());
        for run in kept.runs {
            let what = format!("{} of record version {}", run.id, kept.record);
            let read = store.recover(run.id).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(!read.is_damaged() && !read.live, "{what}: {:?}", read.damage);
            let record = read.record;
            assert_eq!((record.version, record.plan.command.as_str()), (kept.record, run.command), "{what}");
            assert_eq!((record.state, record.steps.len()), (run.state, run.steps), "{what}");
            let completed = record.steps.iter().filter_map(|step| Some(step.end.as_ref()?.completed)).sum::<u64>();
            assert_eq!(completed, run.completed, "{what}");
            let p50 = record.steps.iter().rev().find_map(|step| step.latency().quantile(0.5)).map(|t| t.0);
            assert_eq!(p50, run.p50, "{what}");
            assert_eq!(record, shown(dir.path(), run.id), "{what}: as its document says");
        }
    }
}

#[test]
fn an_index_of_an_older_version_is_made_anew_and_lists_every_run() {
    for kept in KEPT {
        let dir = kept.laid_out();
        let store = open_copy(dir.path());
        for turn in ["the index as it was left", "the index as it was made"] {
            let what = format!("record version {}, {turn}", kept.record);
            let listed = store.list().expect("lists");
            assert_eq!((listed.indexed, listed.remarks), (Indexed::Yes, Vec::new()), "{what}");
            assert_eq!(listed.runs.len(), kept.runs.len(), "{what}");
            for run in kept.runs {
                let row = listed.runs.iter().find(|row| row.id == run.id).expect("listed");
                if kept.is_read() {
                    assert_eq!((row.state, row.command.as_str()), (status(run.state), run.command), "{what}");
                    assert!(!row.started.is_empty(), "{what}");
                } else {
                    assert_eq!(row.state, RunStatus::Unreadable, "{what}");
                    let reason = format!("record version {}, this secchi reads versions", kept.record);
                    assert!(
                        row.verdict.contains(&reason) && row.verdict.contains("the secchi that wrote it"),
                        "{what}"
                    );
                }
            }
        }
    }
}

#[test]
fn runs_of_a_version_that_is_no_longer_read_are_refused_with_it_named_and_left_as_they_are() {
    for kept in KEPT.iter().filter(|kept| !kept.is_read()) {
        let dir = kept.laid_out();
        let store = open_copy(dir.path());
        for run in kept.runs {
            let path = store.journal_path(run.id).expect("an id");
            let before = std::fs::read(&path).expect("reads");
            let refused = store.read(run.id).expect_err("refused").to_string();
            let reason = format!("the run has record version {}, this secchi reads versions", kept.record);
            assert!(
                refused.contains(&reason) && refused.contains("read it with the secchi that wrote it"),
                "{refused}"
            );
            store.list().expect("lists");
            assert_eq!(std::fs::read(&path).expect("reads"), before);
        }
    }
}

/// Rewrites the journal at `path` with the text of its first frame changed, and with correct length and checksum.
fn begun_otherwise(path: &Path, change: impl Fn(&str) -> String) {
    let journal = std::fs::read(path).expect("reads");
    let (head, frames) = journal.split_at(16);
    let length = u32::from_le_bytes(frames[..4].try_into().expect("four bytes")) as usize;
    let (first, rest) = frames[8..].split_at(length);
    let text = change(std::str::from_utf8(first).expect("JSON"));
    let length = u32::try_from(text.len()).expect("short").to_le_bytes();
    let sum = crc32c::crc32c_append(crc32c::crc32c(&length), text.as_bytes()).to_le_bytes();
    std::fs::write(path, [head, &length, &sum, text.as_bytes(), rest].concat()).expect("writes");
}

#[test]
fn a_run_of_a_newer_version_is_refused_by_it_though_its_plan_has_what_is_not_known_here() {
    let kept = KEPT.iter().find(|kept| kept.is_read()).expect("one that is read");
    let dir = kept.laid_out();
    let (store, id) = (open_copy(dir.path()), kept.runs[0].id);
    let path = store.journal_path(id).expect("an id");
    begun_otherwise(&path, |text| text.replacen("\"plan\":", "\"intent\":", 1));
    assert!(store::recover(&path).expect_err("no plan").cause.is_damage(), "of a version that is read");
    begun_otherwise(&path, |text| text.replacen(&format!("\"version\":{}", kept.record), "\"version\":99", 1));
    let refused = store::recover(&path).expect_err("another version");
    assert!(refused.to_string().contains("the run has record version 99, this secchi reads versions"), "{refused}");
    assert!(!refused.cause.is_damage());
    let listed = store.list().expect("lists").runs;
    assert_eq!(listed.iter().find(|run| run.id == id).expect("listed").state, RunStatus::Unreadable);
}
