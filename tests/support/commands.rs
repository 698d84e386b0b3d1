//! Commands that tests of both tiers run, and what they print.

use super::{Ended, Sandbox, Secchi, names_in, skip, tool};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Parses metrics with Prometheus's own client for Python, if it is installed (`.ci/run` installs it).
pub fn parsed(text: &str, sandbox: &Sandbox) {
    let Ok(python) = std::env::var("SECCHI_PROMETHEUS_PYTHON") else {
        skip!("SECCHI_PROMETHEUS_PYTHON names no Python with prometheus_client: the text is not parsed");
    };
    let module =
        if text.ends_with("# EOF\n") { "prometheus_client.openmetrics.parser" } else { "prometheus_client.parser" };
    let script = sandbox.path("parse.py");
    let program = format!(
        "import sys\nfrom {module} import text_string_to_metric_families as parse\n\
         print(sum(len(family.samples) for family in parse(open(sys.argv[1]).read())))\n"
    );
    std::fs::write(&script, program).expect("a file of ours");
    let file = sandbox.path("metrics.txt");
    std::fs::write(&file, text).expect("a file of ours");
    let samples = text.lines().filter(|l| !l.starts_with('#')).count();
    let count = tool(&python, &[script.as_os_str(), file.as_os_str()]).expect("it parses");
    assert_eq!(count, samples.to_string(), "every sample");
}

/// Checks metrics in the text format with promtool: their syntax, and the conventions for names, units and help.
pub fn check_metrics(text: &str) {
    let promtool =
        Command::new("promtool").args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut promtool) = promtool else { skip!("promtool is not installed: the metrics are not checked") };
    promtool.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let ended = promtool.wait_with_output().expect("it ends");
    let problems = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && problems.is_empty(), "{problems}\n{text}");
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
