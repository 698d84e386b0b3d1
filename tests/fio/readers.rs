//! Tools that read fio's files also read secchi's, unmodified, and produce charts and tables.
//!
//! fio-plot is taken from `SECCHI_FIO_PLOT` (a program) or from the path; the tools of fio's package from Debian's
//! directories. Tests of missing tools are skipped with a message.

use super::programs::{fio_is_installed, ours_speaks_fio, secchi_fio};
use super::support::{beside, place, run, skip};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Runs secchi in a directory and returns its document.
fn ours(dir: &Path, words: &[&str]) -> String {
    let mut command = secchi_fio(&dir.join("../store"));
    let ended = run(command.args(words), dir, PATIENCE).expect("it ends");
    assert!(ended.good, "{words:?}: {:?} {}", ended.code, ended.stderr);
    ended.stdout
}

fn fio(dir: &Path, words: &[&str]) {
    let ended = run(Command::new("fio").args(["--output=told"]).args(words), dir, PATIENCE).expect("it ends");
    assert!(ended.good, "fio {words:?}: {}", ended.stderr);
}

fn directory(place: &Path, name: &str) -> PathBuf {
    let dir = place.join(name);
    std::fs::create_dir_all(&dir).expect("a directory of ours");
    dir
}

fn fio_plot() -> Option<PathBuf> {
    let given = std::env::var_os("SECCHI_FIO_PLOT").map_or_else(|| "fio-plot".into(), PathBuf::from);
    Command::new(&given).arg("--help").output().is_ok_and(|o| o.status.success()).then_some(given)
}

/// Runs fio-plot and returns the chart that it writes.
fn chart(plot: &Path, dir: &Path, name: &str, words: &[&str]) -> Vec<u8> {
    let file = dir.join(name);
    let mut command = Command::new(plot);
    // Without a display, and with its caches next to the data.
    command.env("MPLBACKEND", "Agg").env("MPLCONFIGDIR", dir);
    command.args(["-T", "secchi", "-s", "tests"]).arg("-o").arg(&file).args(words);
    let ended = run(&mut command, dir, PATIENCE).expect("it ends");
    assert!(ended.good, "{words:?}: {}{}", ended.stdout, ended.stderr);
    let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{words:?}: {e}: {}{}", ended.stdout, ended.stderr));
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{name}: {} bytes", bytes.len());
    keep(&file);
    bytes
}

/// Copies a chart to the directory named by `SECCHI_FIO_CHARTS`, for inspection.
fn keep(file: &Path) {
    if let (Some(dir), Some(name)) = (std::env::var_os("SECCHI_FIO_CHARTS"), file.file_name()) {
        let _ = std::fs::copy(file, Path::new(&dir).join(name));
    }
}

/// Depths and jobs of the matrix; files have the names and places that bench-fio uses.
const DEPTHS: [u32; 2] = [1, 4];
const JOBS: [u32; 2] = [1, 2];

fn matrix(dir: &Path) {
    for depth in DEPTHS {
        for jobs in JOBS {
            let stem = format!("randread-iodepth-{depth}-numjobs-{jobs}");
            let document = ours(
                dir,
                &[
                    "--output-format=json",
                    &format!("--name={stem}"),
                    "--filename=data",
                    "--size=16m",
                    "--ioengine=libaio",
                    "--direct=1",
                    "--rw=randread",
                    "--bs=4k",
                    &format!("--iodepth={depth}"),
                    &format!("--numjobs={jobs}"),
                    "--norandommap",
                    "--time_based",
                    "--runtime=3",
                    "--rate_iops=300",
                    "--group_reporting",
                    "--log_avg_msec=500",
                    &format!("--write_bw_log={stem}"),
                    &format!("--write_lat_log={stem}"),
                    &format!("--write_iops_log={stem}"),
                ],
            );
            std::fs::write(dir.join(format!("randread-{depth}-{jobs}.json")), document).expect("a file of ours");
        }
    }
}

#[test]
fn fio_plot_draws_its_charts_from_our_files() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let Some(plot) = fio_plot() else {
        skip!("fio-plot is not installed: `pip install fio-plot`, or name it in SECCHI_FIO_PLOT");
    };
    let place = place();
    let dir = directory(place.path(), "randread/4k");
    matrix(&dir);
    let input = dir.display().to_string();
    let charts: [(&str, &[&str]); 6] = [
        ("bars-3d.png", &["-L", "-t", "iops", "-r", "randread", "-i", &input]),
        ("bars-3d-latency.png", &["-L", "-t", "lat", "-r", "randread", "-i", &input]),
        ("bars-depth.png", &["-l", "-r", "randread", "-n", "1", "-d", "1", "4", "--show-cpu", "-i", &input]),
        ("bars-jobs.png", &["-N", "-r", "randread", "-d", "4", "-n", "1", "2", "-i", &input]),
        ("histogram.png", &["-H", "-r", "randread", "-d", "4", "-n", "1", "-i", &input]),
        ("series.png", &["-g", "-r", "randread", "-t", "iops", "lat", "-d", "1", "4", "-n", "2", "-i", &input]),
    ];
    for (name, words) in charts {
        let bytes = chart(&plot, &dir, name, words);
        eprintln!("fio-plot {}: {name}, {} bytes", words[0], bytes.len());
    }
}

#[test]
fn fio_jsonplus_clat2csv_makes_tables_of_our_json_plus_and_finds_them_right() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let tool = "fio_jsonplus_clat2csv";
    if !Command::new(tool).arg("--help").output().is_ok_and(|o| o.status.success()) {
        skip!("{tool} does not run here: it comes with fio and wants python3-six");
    }
    let place = place();
    let dir = directory(place.path(), "data");
    let document = ours(
        &dir,
        &[
            "--output-format=json+",
            "--ioengine=null",
            "--time_based",
            "--runtime=1",
            "--size=1g",
            "--rate_iops=5000",
            "--slat_percentiles=1",
            "--clat_percentiles=1",
            "--lat_percentiles=1",
            "--name=mixed",
            "--rw=randrw",
            "--name=reads",
            "--rw=read",
            "--name=writes",
            "--rw=write",
        ],
    );
    std::fs::write(dir.join("told.json"), document).expect("a file of ours");
    for extra in [None, Some("--validate")] {
        let made =
            run(Command::new(tool).args(["told.json", "told.csv"]).args(extra), &dir, PATIENCE).expect("it ends");
        assert!(made.good, "{}{}", made.stdout, made.stderr);
        if extra.is_some() {
            assert_eq!(made.stdout.matches("validated").count(), 3, "{}{}", made.stdout, made.stderr);
        }
    }
    for (job, name) in ["mixed", "reads", "writes"].iter().enumerate() {
        let table = std::fs::read_to_string(dir.join(format!("told_job{job}.csv"))).expect("a table was made");
        let rows = table.lines().count();
        eprintln!("{tool}: {name}, {rows} rows");
        assert!(rows > 5, "{table}");
    }
}

/// Unpacks a script of fio's package: Debian stores it compressed with the documentation.
fn script(name: &str, place: &Path) -> Result<PathBuf, String> {
    let packed = format!("/usr/share/doc/fio/{name}.gz");
    if !Path::new(&packed).exists() {
        return Err(format!("{packed} is not there"));
    }
    let unpacked = Command::new("gzip").args(["-dc", &packed]).output().map_err(|e| format!("gzip: {e}"))?;
    let path = place.join(name);
    std::fs::write(&path, unpacked.stdout).map_err(|e| e.to_string())?;
    Ok(path)
}

fn python(script: &Path, dir: &Path, words: &[&str]) -> Result<String, String> {
    let ended = run(Command::new("python3").arg(script).args(words), dir, PATIENCE)?;
    if ended.good { Ok(ended.stdout) } else { Err(ended.output()) }
}

/// Options of a paced load with logs: both programs do the same work in the same time.
const LOGGED: [&str; 12] = [
    "--name=logged",
    "--rw=randread",
    "--bs=4k",
    "--size=16m",
    "--norandommap",
    "--time_based",
    "--runtime=3",
    "--rate_iops=400",
    "--numjobs=2",
    "--log_avg_msec=500",
    "--write_bw_log=run",
    "--write_iops_log=run",
];

/// Writes a copy of a log with its first columns; fio 3.33 writes one more than its own fiologparser reads.
fn columns(dir: &Path, name: &str, columns: usize) -> String {
    let text = std::fs::read_to_string(dir.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let cut = |line: &str| line.split(", ").take(columns).collect::<Vec<_>>().join(", ");
    let short = format!("short-{name}");
    std::fs::write(dir.join(&short), text.lines().map(|l| cut(l) + "\n").collect::<String>()).expect("a file of ours");
    short
}

#[test]
fn fiologparser_sums_our_logs_as_it_sums_those_of_fio() {
    let _beside = beside();
    if !(ours_speaks_fio() && fio_is_installed()) {
        skip!("fio is not installed, or this build of secchi has no command `fio`");
    }
    let place = place();
    let script = match script("fiologparser.py", place.path()) {
        Ok(script) => script,
        Err(why) => skip!("{why}"),
    };
    // On a machine that is briefly busy, neither fio nor secchi holds the rate.
    let mut sums = (Vec::new(), Vec::new());
    for attempt in 1..=3 {
        sums = sums_of_both(&script, &directory(place.path(), &attempt.to_string()));
        let (a, b) = &sums;
        eprintln!("fiologparser: fio {a:?}, secchi {b:?}");
        // Two clones with 400 operations per second, one row per second and two values in each: equal sums except in
        // the last row.
        let near = a.iter().zip(b).take(2).all(|(x, y)| (y / x - 1.0).abs() < 0.1);
        if near && a.len() >= 2 && a.len().abs_diff(b.len()) <= 1 {
            return;
        }
    }
    let held = |rows: &[f64]| rows.len() >= 2 && rows[..2].iter().all(|sum| (sum / 800.0 - 1.0).abs() < 0.1);
    if held(&sums.1) && !held(&sums.0) {
        skip!("fio did not hold its rate of 800 per second: {:?}", sums.0);
    }
    panic!("fio {:?}, secchi {:?}", sums.0, sums.1);
}

/// Returns the sums that fiologparser computes from the logs of the same job, run by fio and by secchi in `place`.
fn sums_of_both(script: &Path, place: &Path) -> (Vec<f64>, Vec<f64>) {
    let (theirs, own) = (directory(place, "fio"), directory(place, "ours"));
    fio(&theirs, &LOGGED);
    ours(&own, &LOGGED);
    let whole = ["run_iops.1.log".to_owned(), "run_iops.2.log".to_owned()];
    let summed = |dir: &Path, logs: &[String]| python(script, dir, &["-s", &logs[0], &logs[1]]);
    // Unmodified logs if it reads fio's own; otherwise only the columns that it supports, of both.
    let (a, b) = match summed(&theirs, &whole) {
        Ok(a) => (a, summed(&own, &whole).expect("it reads fio's, so it reads ours")),
        Err(why) => {
            eprintln!(
                "fiologparser cannot read this fio's own logs ({why}): its are cut to four columns, ours are written so"
            );
            let narrow = directory(place, "narrow");
            ours(&narrow, &[&LOGGED[..], &["--log_narrow=1"]].concat());
            let cut = whole.each_ref().map(|name| columns(&theirs, name, 4));
            let read = |dir: &Path, logs: &[String]| summed(dir, logs).expect("four columns are read");
            (read(&theirs, &cut), read(&narrow, &whole))
        }
    };
    let rows =
        |text: &str| -> Vec<f64> { text.lines().filter_map(|l| l.split(", ").nth(1)?.trim().parse().ok()).collect() };
    (rows(&a), rows(&b))
}

#[test]
fn fio_histo_log_pctiles_reads_our_histogram_logs() {
    let _beside = beside();
    if !(ours_speaks_fio() && fio_is_installed()) {
        skip!("fio is not installed, or this build of secchi has no command `fio`");
    }
    let place = place();
    let script = match script("fio-histo-log-pctiles.py", place.path()) {
        Ok(script) => script,
        Err(why) => skip!("{why}"),
    };
    let words = ["--write_hist_log=run", "--log_hist_msec=500"];
    let words: Vec<&str> = LOGGED.iter().take(9).copied().chain(words).collect();
    let (mut samples, mut issued) = (Vec::new(), 0.0);
    for (name, dir) in [("fio", directory(place.path(), "fio")), ("secchi", directory(place.path(), "ours"))] {
        if name == "fio" {
            fio(&dir, &words);
        } else {
            let output = ours(&dir, &words);
            let totals = output.split("issued rwts: total=").skip(1).filter_map(|rest| rest.split(',').next());
            issued = totals.filter_map(|n| n.parse::<f64>().ok()).sum();
        }
        let table = python(&script, &dir, &["run_clat_hist.1.log", "run_clat_hist.2.log"]);
        let table = table.unwrap_or_else(|e| panic!("{name}: {e}"));
        let rows = table.lines().skip_while(|l| !l.starts_with("msec-since-start")).skip(1);
        let counts: Vec<f64> = rows.filter_map(|l| l.split(',').nth(1)?.trim().parse().ok()).collect();
        eprintln!("fio-histo-log-pctiles, {name}: {counts:?}");
        samples.push(counts);
    }
    // fio omits the last interval if it ends with the run; secchi writes it.
    assert!(samples[0].len() >= 2 && samples[1].len() >= samples[0].len(), "{samples:?}");
    // The script weights the samples of intervals that a stall shifted, so single intervals are not compared.
    let counted: f64 = samples[1].iter().sum();
    assert!(issued > 0.0 && (counted / issued - 1.0).abs() < 0.01, "{issued} issued, {samples:?}");
}

#[test]
fn fio2gnuplot_finds_the_patterns_in_our_logs() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    if !Command::new("fio2gnuplot").arg("-h").output().is_ok_and(|o| !o.stderr.starts_with(b"Traceback")) {
        skip!("fio2gnuplot does not run here: it comes with fio and wants python3-six");
    }
    let place = place();
    let dir = directory(place.path(), "data");
    ours(&dir, &LOGGED);
    let output = run(Command::new("fio2gnuplot").args(["-b", "-v"]), &dir, PATIENCE).expect("it ends");
    assert!(output.good && output.stdout.contains("run_bw"), "{}{}", output.stdout, output.stderr);
    let left: Vec<String> = super::support::files_beneath(&dir).into_keys().collect();
    eprintln!("fio2gnuplot: {left:?}");
    assert!(left.iter().any(|n| n.ends_with(".average") || n.ends_with(".global")), "{left:?}");
}
