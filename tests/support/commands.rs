//! Commands that tests of both tiers run, and what they print.

use super::{Ended, Sandbox, Secchi, names_in, skip, tool};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Returns the command `secchi ping --store STORE WORDS TARGET`.
pub fn ping(sandbox: &Sandbox, words: &str, target: &Path) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("ping --store").arg(sandbox.store()).words(words).arg(target);
    secchi
}

/// Returns the times of the requests that count, and the final object, from the output of `-J`.
pub fn json(ended: &Ended) -> (Vec<u64>, serde_json::Value) {
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let entries: Vec<serde_json::Value> = serde_json::from_str(&ended.stdout).expect("one JSON array");
    let counts = |v: &&serde_json::Value| v["io"]["ignored"] == false;
    let times = entries.iter().filter(counts).map(|v| v["io"]["time"].as_u64().expect("ns")).collect();
    (times, entries.last().expect("statistics at the end").clone())
}

/// Parses the text with Prometheus's own client, if it is installed (`.ci/run` installs it).
pub fn parsed(text: &str, sandbox: &Sandbox) {
    let Ok(python) = std::env::var("SECCHI_PROMETHEUS_PYTHON") else {
        skip!("SECCHI_PROMETHEUS_PYTHON names no Python with prometheus_client: the text is not parsed");
    };
    let script = sandbox.path("parse.py");
    let program = "import sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n\
                   n = 0\nfor family in parse(open(sys.argv[1]).read()):\n    n += len(family.samples)\n\
                   from prometheus_client.parser import text_string_to_metric_families as plain\n\
                   m = sum(len(f.samples) for f in plain(open(sys.argv[1]).read()))\nprint(n, m)\n";
    std::fs::write(&script, program).expect("a file of ours");
    let file = sandbox.path("metrics.txt");
    std::fs::write(&file, text).expect("a file of ours");
    let samples = text.lines().filter(|l| !l.starts_with('#')).count();
    let counts = tool(&python, &[script.as_os_str(), file.as_os_str()]).expect("it parses");
    assert_eq!(counts, format!("{samples} {samples}"), "every sample, also for the plain parser of a textfile");
}

/// Returns the command `secchi limits WORDS`, with its own home directory.
pub fn limits(sandbox: &Sandbox, words: &str) -> Secchi {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("limits").words(words);
    secchi
}

pub fn document(ended: &Ended) -> Value {
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    serde_json::from_str(&ended.stdout).expect("one JSON document")
}

pub fn metadata(sandbox: &Sandbox, words: &str) -> Ended {
    sandbox.qualify(sandbox.data(), &format!("--metadata {words}")).run()
}

pub fn nothing_left(place: &Path) {
    let left: Vec<_> = names_in(place).into_iter().filter(|name| name != "lost+found").collect();
    assert!(left.is_empty(), "{left:?}");
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("import/tests/data").join(name)
}

pub fn needs(sandbox: &Sandbox, file: &Path, words: &str) -> Ended {
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words("needs").words(words).arg(file).run()
}

pub fn written(sandbox: &Sandbox, name: &str, text: &str) -> PathBuf {
    let path = sandbox.path(name);
    std::fs::write(&path, text).expect("written");
    path
}

pub fn judge(sandbox: &Sandbox, file: &Path) -> Value {
    let ended = needs(sandbox, file, "--json");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("a document")
}
