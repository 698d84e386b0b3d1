//! Reads the output with fio's own tools, if they are installed.

use super::fixture;
use super::{LogFile, averaged_logs, only, result};
use model::{Nanos, plan::Logs};
use std::path::{Path, PathBuf};
use std::process::Command;

fn skipped(what: &str) {
    testkit::skipped(&format!("{what} is not installed here"));
}

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("secchi-fio-readers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory can be made");
        Place(path)
    }

    fn put(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path.to_str().expect("temporary paths are text").to_owned()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Unpacks a script of fio's documentation into `place`.
fn script(place: &Place, name: &str) -> Option<String> {
    let packed = format!("/usr/share/doc/fio/{name}.gz");
    if !Path::new(&packed).exists() {
        return None;
    }
    let text = Command::new("gzip").args(["-dc", &packed]).output().ok()?;
    Some(place.put(name, &String::from_utf8(text.stdout).ok()?))
}

fn logged() -> Vec<LogFile> {
    logged_so(false)
}

fn logged_so(narrow: bool) -> Vec<LogFile> {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[0].report.logs = Logs {
        bandwidth: Some("x".into()),
        latency: Some("x".into()),
        histogram: Some("x".into()),
        average: Some(Nanos::from_secs(1)),
        histogram_every: Nanos::from_secs(1),
        per_job: true,
        narrow,
        ..Logs::default()
    };
    averaged_logs(&record)
}

fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().expect("it can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_histograms_of_the_json_become_a_table() {
    let tool = "/usr/bin/fio_jsonplus_clat2csv";
    if !Path::new(tool).exists() {
        return skipped(tool);
    }
    let place = Place::new("csv");
    let source = place.put("run.json", &result(&fixture::record(), only("json+")));
    let dest = place.0.join("out.csv").to_str().expect("temporary paths are text").to_owned();
    run(tool, &[&source, &dest]);
    let output = run(tool, &[&source, &dest, "--validate"]);
    assert_eq!(output.matches("validated").count(), 2, "{output}");
}

#[test]
fn fiologparser_sums_the_bandwidth_logs_written_for_it() {
    let place = Place::new("logs");
    let Some(tool) = script(&place, "fiologparser.py") else { return skipped("fiologparser.py") };
    // The tool of fio 3.33 cannot read the logs of fio 3.33: it expects four columns, and there are five.
    let files: Vec<_> = logged_so(true).into_iter().filter(|f| f.name.contains("_bw.")).collect();
    let paths: Vec<String> = files.iter().map(|f| place.put(&f.name, &f.text)).collect();
    let mut args = vec![tool.as_str(), "-s"];
    args.extend(paths.iter().map(String::as_str));
    let output = run("python3", &args);
    let first: f64 = output.lines().next().and_then(|l| l.split(", ").nth(1)?.parse().ok()).expect("a sum");
    // 400 + 450 + 500 reads and 390 + 440 + 490 writes of 8 KiB per second. The tool averages over the directions.
    assert!(first > 1320.0 * 8.0 / 2.0, "{output}");
}

#[test]
fn fio_histo_log_pctiles_reads_the_histogram_logs() {
    let place = Place::new("hist");
    let Some(tool) = script(&place, "fio-histo-log-pctiles.py") else { return skipped("fio-histo-log-pctiles.py") };
    let files: Vec<_> = logged().into_iter().filter(|f| f.name.contains("_clat_hist.")).collect();
    let paths: Vec<String> = files.iter().map(|f| place.put(&f.name, &f.text)).collect();
    let mut args = vec![tool.as_str(), "--fio-version", "3", "--bucket-groups", "29", "--time-quantum", "1"];
    args.extend(paths.iter().map(String::as_str));
    let output = run("python3", &args);
    // The tool's table: time, samples, and percentiles in microseconds, for latencies of 80 us to 230 us with a tail.
    let row = output.lines().find(|l| l.trim_start().starts_with("1000,"));
    let figures: Vec<f64> =
        row.unwrap_or_else(|| panic!("{output}")).split(',').filter_map(|n| n.trim().parse().ok()).collect();
    assert!(figures.iter().any(|us| (120.0..200.0).contains(us)), "{output}");
}
