//! Runs of other record versions: all commands reject them with what to do.

use crate::support::Sandbox;
use serde_json::Value;

const ID: &str = "f86a6882-7b87-413b-9150-c8c312d9a8d7";
const JOURNAL: &[u8] = include_bytes!("../../store/tests/store/fixtures/record-version-7.journal");

#[test]
fn runs_of_another_record_version_are_listed_and_rejected_with_what_to_do() {
    let sandbox = Sandbox::new();
    let journal = sandbox.store().join("runs").join(format!("{ID}.journal"));
    std::fs::create_dir_all(sandbox.store().join("runs")).expect("a store");
    std::fs::write(&journal, JOURNAL).expect("writes");
    let sentence = "the run has record version 7, but this secchi reads version 1: to keep the run, export it with the \
                    secchi version that wrote it (secchi runs export)";
    let listed = sandbox.secchi("runs --json").run();
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
    let rows: Value = serde_json::from_str(&listed.stdout).expect("a list");
    let row = &rows["runs"][0];
    assert_eq!((&row["id"], &row["state"]), (&ID.into(), &"unreadable".into()), "{row}");
    assert_eq!(row["verdict"], sentence);
    let document = sandbox.path("run.json");
    std::fs::write(&document, r#"{"record": {"version": 7, "intent": {}}}"#).expect("writes");
    for source in [ID.to_owned(), document.display().to_string()] {
        for command in ["report", "judge --need etcd"] {
            sandbox.secchi(command).arg(&source).run().refuses(64, sentence);
        }
    }
    sandbox.secchi(&format!("show --json {ID}")).run().refuses(64, sentence);
    let bundle = sandbox.path("carried.secchi");
    sandbox.secchi(&format!("runs export {ID}")).arg("-o").arg(&bundle).run().refuses(64, sentence);
    assert!(!bundle.exists());
    assert_eq!(std::fs::read(&journal).expect("reads"), JOURNAL);
    // Unreadable runs can be deleted.
    assert_eq!(sandbox.secchi(&format!("rm {ID}")).run().code, 0);
    assert_eq!(sandbox.secchi("runs --ids").run().stdout, "");
}
