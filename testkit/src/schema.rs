//! Validation of JSON documents by the schemas in the book.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Validates documents, one per line, by the schema of a kind; fields that the schema does not list are violations,
/// too. Returns the violations, one per line, or `None` if the validator is missing. The validator is Python's
/// `jsonschema`, which is independent of the library that generates the schemas.
///
/// # Panics
/// Panics if Python cannot be started or does not read the documents.
#[must_use]
pub fn schema_violations(kind: &str, documents: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let imports = Command::new("python3").args(["-c", "import jsonschema, referencing"]).output();
    if !imports.is_ok_and(|ended| ended.status.success()) {
        crate::skipped("no python3-jsonschema here");
        return None;
    }
    let mut validator = Command::new("python3")
        .arg(root.join("tests/support/validate.py"))
        .args([root.join("book/src/reference/schema").as_os_str(), kind.as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    validator.stdin.take().expect("a pipe").write_all(documents.as_bytes()).expect("it reads its input");
    let ended = validator.wait_with_output().expect("it ends");
    let violations = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success() == violations.is_empty(), "the validator failed");
    Some(violations)
}
