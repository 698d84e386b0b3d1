//! Tests of complete outputs: snapshots of a made-up record, reading back, and comparison with the installed fio.

mod against;
mod fixture;
mod readers;

use super::logs::{LogClock, LogKind, OpEntry, StepLogs, file_name, kinds_of, op_line};
use super::*;
use model::plan::{LogValue, Logs};
use model::{Op, RunState, Severity};

const ALL: Outputs = Outputs { terse: true, json: true, bins: true, ..Outputs::NORMAL };

fn head(record: &RunRecord) -> String {
    let mut out = Vec::new();
    write_head(record, Outputs::NORMAL, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn result(record: &RunRecord, outputs: Outputs) -> String {
    let mut out = Vec::new();
    write_result(record, outputs, 4711, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn only(format: &str) -> Outputs {
    let json = format.starts_with("json");
    Outputs { normal: false, terse: format == "terse", json, bins: format == "json+", ..Outputs::NORMAL }
}

#[test]
fn the_normal_output_of_many_jobs() {
    let record = fixture::record();
    insta::assert_snapshot!(format!("{}{}", head(&record), result(&record, Outputs::NORMAL)));
}

#[test]
fn the_json_document_of_many_jobs() {
    insta::assert_snapshot!(result(&fixture::record(), only("json")));
}

#[test]
fn the_terse_lines_of_many_jobs() {
    insta::assert_snapshot!(result(&fixture::record(), only("terse")));
}

#[test]
fn several_formats_come_in_fios_order() {
    let text = result(&fixture::record(), ALL);
    let places: Vec<usize> = ["3;fio-3.33", "{\n  \"fio version\"", "\nmixed: (groupid=0", "\nTRUST"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is missing in {text}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn the_json_reads_back_with_the_records_own_figures() {
    let record = fixture::record();
    let json: serde_json::Value = serde_json::from_str(&result(&record, only("json+"))).unwrap();
    let job = &json["jobs"][0];
    assert_eq!(job["jobname"], "mixed");
    let total = |op: Op| record.steps[..3].iter().map(|s| s.total().op(op).tally.ops).sum::<u64>();
    assert_eq!(job["read"]["total_ios"], total(Op::Read));
    assert_eq!(job["write"]["total_ios"], total(Op::Write));
    assert_eq!(job["sync"]["total_ios"], total(Op::Flush));
    let bins = job["read"]["clat_ns"]["bins"].as_object().unwrap();
    assert_eq!(bins.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), job["read"]["clat_ns"]["N"].as_u64().unwrap());
    for name in ["rw", "bs", "iodepth", "numjobs"] {
        assert!(job["job options"][name].is_string(), "{name}");
    }
    assert_eq!(job["job options"]["numjobs"], "3");
    assert_eq!(json["global options"]["ioengine"], "libaio");
    assert_eq!(json["jobs"][1]["error"], 5);
    assert_eq!(json["jobs"][1]["total_err"], 7);
    assert_eq!(json["disk_util"][0]["aggr_write_merge"], 4);
}

#[test]
fn terse_lines_have_the_fields_each_version_has() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[1].description.clear();
    record.disks[0].slaves.clear();
    // As counted in lines of fio 3.33 for one disk; version 2 has no disks.
    for (version, fields) in [(2, 161), (3, 130), (4, 171), (5, 189)] {
        let text = result(&record, Outputs { terse_version: version, ..only("terse") });
        let line = text.lines().next().unwrap();
        assert_eq!(line.split(';').count(), fields, "version {version}: {line}");
    }
    let text = result(&record, only("terse"));
    let json: serde_json::Value = serde_json::from_str(&result(&record, only("json"))).unwrap();
    let fields: Vec<&str> = text.lines().next().unwrap().split(';').collect();
    // The fields that scripts extract: bandwidth and IOPS of reads and writes.
    for (field, way, name) in [(7, "read", "bw"), (8, "read", "iops"), (48, "write", "bw"), (49, "write", "iops")] {
        let expected = json["jobs"][0][way][name].as_f64().unwrap().floor();
        assert_eq!(fields[field - 1].parse::<f64>().unwrap(), expected, "field {field}");
    }
}

#[test]
fn without_group_reporting_each_clone_has_its_block_and_the_group_its_extremes() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[0].one_report = false;
    let text = result(&record, Outputs::NORMAL);
    assert_eq!(text.matches("mixed: (groupid=0, jobs=1)").count(), 3);
    let accounts = Accounts::new(&record);
    let read = accounts.groups[0].ways[0];
    assert!(read.min_rate < read.max_rate);
    assert_eq!(read.bytes, accounts.accounts[..3].iter().map(|a| a.ways[0].bytes).sum::<u64>());
}

#[test]
fn directions_told_as_one_are_one() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[0].report.unified = model::plan::Unified::Mixed;
    let json: serde_json::Value = serde_json::from_str(&result(&record, only("json"))).unwrap();
    let job = &json["jobs"][0];
    assert!(job["mixed"]["total_ios"].as_u64() > Some(0) && job["read"].is_null() && job["sync"].is_null());
    let text = result(&record, Outputs::NORMAL);
    assert!(text.contains("  mixed: IOPS=") && text.contains("\n  MIXED: bw="), "{text}");
    fixture::sections_mut(&mut record)[0].report.unified = model::plan::Unified::Both;
    let text = result(&record, Outputs::NORMAL);
    for part in ["  read: IOPS=", "  write: IOPS=", "  mixed: IOPS=", "   READ: bw=", "  MIXED: bw="] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_run_that_goes_on_can_be_looked_at() {
    let mut record = fixture::record();
    record.state = RunState::Running;
    record.steps.truncate(2);
    record.steps.iter_mut().for_each(|s| s.end = None);
    record.disks.clear();
    let text = result(&record, ALL);
    assert!(text.contains("mixed: (groupid=0, jobs=3)") && !text.contains("checked: (groupid"), "{text}");
    assert!(text.contains("incomplete: still running"), "{text}");
    record.steps.clear();
    let empty = result(&record, ALL);
    assert!(empty.contains("Run status group 0 (all jobs):"), "{empty}");
}

#[test]
fn latencies_that_are_left_out_have_no_lines() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[0].report.without = [true, true, false];
    let text = result(&record, Outputs::NORMAL);
    let block = text.split("checked: (").next().unwrap();
    assert!(!block.contains("slat (") && !block.contains("clat ") && block.contains("     lat (usec)"), "{block}");
}

#[test]
fn doubts_and_thin_percentiles_stand_in_the_trust_block() {
    let mut record = fixture::record();
    let caveat = |step| {
        model::Caveat::new("x", Severity::Doubt, "the disk was not idle", format!("{step} others' requests"))
            .at_step(step)
            .remedy("stop the other load")
    };
    record.caveats = (0..4).map(caveat).collect();
    record.notes.push((Nanos(0), "a\x1b[2Jb".into()));
    let text = result(&record, Outputs::NORMAL);
    let trust = text.split("\nTRUST\n").nth(1).unwrap();
    for part in
        ["DOUBT: the disk was not idle", "and 1 more", "try: stop the other load", "percentiles from", "a\u{fffd}[2Jb"]
    {
        assert!(trust.contains(part), "{part}: {trust}");
    }
    record.caveats.clear();
    record.notes.clear();
    fixture::sections_mut(&mut record).iter_mut().for_each(|s| s.report.percentiles = vec![50.0]);
    assert!(result(&record, Outputs::NORMAL).ends_with("\nTRUST\n  no doubts found\n"));
}

#[test]
fn hostile_names_steer_no_terminal_and_shift_no_field() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[0].name = "a;b\x1b[2J\u{202e}\n".into();
    fixture::sections_mut(&mut record)[0].description = "c;d\x07".into();
    let before = result(&fixture::record(), only("terse"));
    let after = result(&record, only("terse"));
    let fields = |text: &str| text.lines().next().unwrap().split(';').count();
    assert_eq!(fields(&after), fields(&before) + 1, "only the description is new");
    for text in [after, head(&record), result(&record, Outputs::NORMAL), result(&record, only("json"))] {
        assert!(!text.replace('\n', "").contains(crate::widgets::sanitise::is_harmful));
    }
}

/// A log file: its name relative to the directory that fio would use, and its contents.
struct LogFile {
    name: String,
    text: String,
}

/// Returns every log that can be generated from a record: averaged ones if `log_avg_msec` is set, and histograms. Jobs
/// that share a file are appended in order.
fn averaged_logs(record: &RunRecord) -> Vec<LogFile> {
    let mut files: Vec<LogFile> = Vec::new();
    for step in &record.steps {
        for mut log in StepLogs::for_step(record, step) {
            let mut text = String::new();
            step.intervals.iter().for_each(|i| log.take(i, &mut text));
            log.finish(&mut text);
            match files.iter_mut().find(|f| f.name == log.name) {
                Some(file) => file.text.push_str(&text),
                None => files.push(LogFile { name: log.name, text }),
            }
        }
    }
    files
}

#[test]
fn averaged_logs_have_fios_names_and_columns() {
    let mut record = fixture::record();
    let logs = &mut fixture::sections_mut(&mut record)[0].report.logs;
    *logs = Logs {
        bandwidth: Some("out/x".into()),
        iops: Some(String::new()),
        latency: Some("x".into()),
        histogram: Some("x".into()),
        average: Some(Nanos::from_millis(500)),
        histogram_every: Nanos::from_secs(1),
        coarseness: 0,
        per_job: true,
        ..Logs::default()
    };
    let files = averaged_logs(&record);
    let names: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(
        &names[..6],
        ["out/x_bw.1.log", "mixed_iops.1.log", "x_slat.1.log", "x_clat.1.log", "x_lat.1.log", "x_clat_hist.1.log"]
    );
    assert_eq!(names.len(), 18);
    insta::assert_snapshot!(format!("{}\n{}\n{}", files[0].text, files[1].text, files[4].text));
    let hist: Vec<Vec<u64>> =
        files[5].text.lines().map(|l| l.split(", ").map(|n| n.parse().unwrap()).collect()).collect();
    assert!(hist.iter().all(|row| row.len() == 3 + 1856), "columns");
    let completion = |op: Op| record.steps[0].intervals.iter().map(|i| i.op(op).completion.count()).sum::<u64>();
    let counted = |way: u64| hist.iter().filter(|r| r[1] == way).map(|r| r[3..].iter().sum::<u64>()).sum::<u64>();
    assert_eq!((counted(0), counted(1)), (completion(Op::Read), completion(Op::Write)));
}

#[test]
fn jobs_may_share_a_log_and_times_may_be_wall_clock() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record)[0].report.logs = Logs {
        bandwidth: Some("x".into()),
        average: Some(Nanos::from_secs(1)),
        value: LogValue::Both,
        offsets: true,
        priority: true,
        unix_time: true,
        ..Logs::default()
    };
    let files = averaged_logs(&record);
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].name, "x_bw.log");
    let first = files[0].text.lines().next().unwrap();
    let fields: Vec<&str> = first.split(", ").collect();
    assert_eq!(fields.len(), 7, "{first}");
    assert!(fields[0].parse::<u64>().unwrap() > 1_700_000_000_000 && fields[6] == "0x0000", "{first}");
}

#[test]
fn every_operation_can_be_logged() {
    let logs = Logs {
        latency: Some("l".into()),
        bandwidth: Some("b".into()),
        per_job: true,
        offsets: true,
        ..Logs::default()
    };
    let kinds: Vec<LogKind> = kinds_of(&logs).collect();
    assert_eq!(kinds, [LogKind::Bandwidth, LogKind::Submission, LogKind::Completion, LogKind::Total]);
    assert_eq!(file_name(&logs, LogKind::Total, "job", 3).unwrap(), "l_lat.3.log");
    let clock = LogClock { zero: Nanos::from_secs(1), epoch: None };
    let entry = OpEntry {
        at: Nanos::from_millis(1_500),
        op: Op::Write,
        bytes: 4096,
        offset: 8192,
        submission: Some(Nanos::from_micros(2)),
        latency: Nanos::from_micros(102),
        priority: 1 << 13,
    };
    let mut out = String::new();
    kinds.iter().for_each(|kind| op_line(*kind, &logs, &clock, &entry, &mut out));
    assert_eq!(
        out,
        "500, 40000, 1, 4096, 8192, 1\n500, 2000, 1, 4096, 8192, 1\n500, 100000, 1, 4096, 8192, 1\n500, 102000, 1, 4096, 8192, 1\n"
    );
    out.clear();
    op_line(LogKind::Submission, &logs, &clock, &OpEntry { submission: None, ..entry }, &mut out);
    op_line(LogKind::Total, &logs, &clock, &OpEntry { op: Op::Flush, ..entry }, &mut out);
    assert_eq!(out, "");
    let issued = Logs { issue_times: true, ..logs.clone() };
    op_line(LogKind::Total, &issued, &clock, &entry, &mut out);
    assert_eq!(out, "500, 102000, 1, 4096, 8192, 1, 0\n", "as fio 3.39, the whole has none");
    out.clear();
    op_line(LogKind::Completion, &issued, &clock, &entry, &mut out);
    assert_eq!(out, "500, 100000, 1, 4096, 8192, 1, 499900000\n");
    let averaged = Logs { average: Some(Nanos(1)), ..logs };
    assert_eq!(kinds_of(&averaged).count(), 0);
}

/// Returns the paths of all fields with their types, in the order of the text. Lists are represented by their first
/// element, options as a whole.
fn fields(text: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for line in text.lines().map(|l| l.trim().trim_end_matches(',')) {
        let (key, value) = match line.split_once("\" : ") {
            Some((key, value)) => (key.trim_start_matches('"').to_owned(), value),
            None => (String::new(), line),
        };
        let parent = open.last().cloned().unwrap_or_default();
        let path = if parent.is_empty() || key.is_empty() { parent + &key } else { format!("{parent}.{key}") };
        let options = key == "job options" || key == "global options";
        let kind = match value.chars().next() {
            Some('}' | ']') => {
                open.pop();
                continue;
            }
            Some('{') if !options => {
                open.push(path);
                continue;
            }
            Some('[') => {
                open.push(path + "[]");
                continue;
            }
            Some('{') => {
                open.push("options".into());
                "object"
            }
            Some('"') => "text",
            _ if value.contains('.') => "real",
            _ => "whole",
        };
        let field = format!("{path} {kind}");
        if !field.starts_with("options") && !seen.contains(&field) {
            seen.push(field);
        }
    }
    seen
}

#[test]
fn the_fields_of_the_json_are_those_of_a_document_fio_wrote() {
    let mut record = fixture::record();
    fixture::sections_mut(&mut record).remove(1);
    record.plan.stages.truncate(3);
    record.steps.truncate(3);
    fixture::sections_mut(&mut record)[0].globals.clear();
    fixture::sections_mut(&mut record)[0].description = "x".into();
    record.disks[0].slaves.clear();
    let rule = model::plan::SteadyRule {
        of: model::plan::SteadyOf::Iops,
        slope: false,
        limit: 90.0,
        percent: true,
        duration: Nanos::from_secs(2),
        ramp: Nanos(0),
        check: Nanos::from_secs(1),
    };
    for step in &mut record.steps {
        step.job.on_error = model::plan::ErrorPolicy::Continue;
        step.job.tuning.ends.steady = Some(rule);
        let end = step.end.as_mut().unwrap();
        end.steady = Some(model::record::SteadyResult { iops: vec![9.0], bandwidth: vec![8.0], ..Default::default() });
    }
    let expected: Vec<&str> = include_str!("data/fio-3.33-json-fields.txt").lines().collect();
    assert_eq!(fields(&result(&record, only("json"))), expected);
}
