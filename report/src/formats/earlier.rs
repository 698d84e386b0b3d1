//! Detects earlier output of this tool by the beginning of a file; such a file may be replaced without confirmation.
//!
//! Every format that is written to files begins with something that no other program writes. The tests write each
//! format and check its detection.

use super::document_kind::SCHEMA_ADDRESS;

/// Number of bytes read from the beginning of a file to identify it.
pub const HEAD: usize = 4096;

/// Returns `true` if the beginning of a file shows that this tool wrote it.
#[must_use]
pub fn is_earlier(head: &[u8]) -> bool {
    let begins = |text: &[u8]| head.starts_with(text);
    let holds = |text: &[u8]| head.windows(text.len()).any(|w| w == text);
    let begins_with_one = BEGINNINGS.iter().any(|b| begins(b.as_bytes()));
    let document =
        head.strip_prefix(b"{\"$schema\":\"").is_some_and(|rest| rest.starts_with(SCHEMA_ADDRESS.as_bytes()));
    let page = begins(b"<!DOCTYPE html>") && (holds(PAGE_MARK.as_bytes()) || holds(b"<title>secchi watch: "));
    let junit = begins(b"<?xml ") && holds(b"<testsuites name=\"secchi\"");
    let svg = begins(b"<svg ") && holds(b"<title>secchi mark of ");
    let png = begins(b"\x89PNG\r\n\x1a\n") && holds(PNG_MARK);
    let text = begins(b"------") && holds(b"\nsecchi ") && holds(b" mark\n");
    let metrics = begins(b"# HELP secchi_");
    begins_with_one || document || page || junit || svg || png || text || metrics
}

/// Beginnings that are sufficient to identify a file: tables, Markdown, screens.
const BEGINNINGS: &[&str] = &[
    "source,line,name,rw,block_bytes,depth,jobs,engine,",
    "layout,option,buy,role,",
    "number,run,started,exit,",
    "run,started,workload,stage,",
    "test,pattern,block_bytes,queues,threads,direction,",
    "time [s],wall clock",
    crate::render::markdown::MARK,
    "workload,figure,a,b,ratio,ratio_low,ratio_high,p,answer",
    "**secchi mark** ",
    TEXT_MARK,
];

/// First line of a report written to a file as text.
pub const TEXT_MARK: &str = "secchi report of ";

/// Element in the head of a page that identifies it as written by secchi.
pub(crate) const PAGE_MARK: &str = "<meta name=\"generator\" content=\"secchi\">";

/// PNG chunk that names the program: length, `tEXt`, the text, and the CRC-32 of both.
pub(crate) const PNG_MARK: &[u8] = b"\x00\x00\x00\x0ftEXtSoftware\0secchi";

/// Returns `true` if the beginning of a file looks like fio output, written by fio or by secchi: normal output, terse,
/// JSON, or a log. fio replaces its output files without confirmation, and its users expect that.
#[must_use]
pub fn is_fios(head: &[u8]) -> bool {
    let whole = head.len() < HEAD;
    let text = String::from_utf8_lossy(head);
    let mut lines: Vec<&str> = text.lines().collect();
    if !whole && lines.len() > 1 {
        // The last line may be truncated.
        lines.pop();
    }
    let first = lines.iter().find(|l| !l.trim().is_empty()).copied().unwrap_or_default();
    let terse = first.split(';').nth(1).is_some_and(|v| v.starts_with("fio-"));
    let json = text.trim_start().starts_with('{') && text.contains("\"fio version\"");
    // Notes from fio may precede its first job.
    let normal = lines.iter().take(50).any(|l| l.contains(": (g=") && l.contains("): rw="));
    let log = !lines.is_empty() && lines.iter().all(|l| is_log_line(l));
    terse || json || normal || log
}

/// Returns `true` for `time, value, direction, size[, offset][, priority]...`: four or more fields, numbers only.
fn is_log_line(line: &str) -> bool {
    let fields: Vec<&str> = line.split(", ").collect();
    let number = |f: &&str| {
        let digits = f.strip_prefix("0x").unwrap_or(f);
        !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|b| b.is_ascii_hexdigit())
    };
    // Histogram logs have a direction and a size before their buckets.
    fields.len() >= 4 && fields.iter().all(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORMATS, Subject, fixture};

    fn head(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(HEAD);
        bytes
    }

    #[test]
    fn every_format_of_a_report_is_known_again() {
        let (record, judgement) = fixture::capped();
        let labels = model::record::Labels::default();
        let runs =
            [crate::ReportedRun { label: "", record: &record, judgement: &judgement, labels: &labels, earlier: &[] }];
        let foreign = crate::kinds::foreign::tests::judged();
        let purchases = Subject::Purchases { name: "a", purchases: &Default::default(), is_whole: true };
        let (name, runs_of_plan) = (String::new, Vec::new());
        let trend = model::judged::Trend {
            plan: name(),
            command: name(),
            target: name(),
            runs: runs_of_plan,
            lines: Vec::new(),
            remarks: Vec::new(),
        };
        for subject in [Subject::from(&runs), Subject::Foreign(&foreign), Subject::Trend(&trend), purchases] {
            for format in FORMATS.iter().filter(|f| cfg!(feature = "html") || f.name != "html") {
                let mut out = Vec::new();
                format.write_file(subject, messages::Language::English, &mut out).expect("memory");
                assert!(is_earlier(&head(out)), "{subject:?} as {}", format.name);
            }
        }
    }

    #[test]
    fn what_others_wrote_is_not() {
        for text in [
            "",
            "a note of mine",
            "{\"records\": []}",
            "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}",
            "<!DOCTYPE html><html><title>home</title>",
            "run,started",
            "\u{89}PNG",
            "# my notes",
            "SECCHIJ1",
        ] {
            assert!(!is_earlier(text.as_bytes()) && !is_fios(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn fios_outputs_and_logs_are_known_and_lists_of_numbers_in_prose_are_not() {
        for text in [
            "r: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.33\n",
            "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1\nr: (g=0): rw=write, bs=x\n",
            "3;fio-3.33;r;0;0;4096;",
            "{\n  \"fio version\" : \"fio-3.33\",\n",
            "0, 1234, 0, 4096, 0, 0\n1, 1234, 1, 4096, 0, 0x2004\n",
            "500, 0, 4096, 0, 0, 12, 1\n",
        ] {
            assert!(is_fios(text.as_bytes()), "{text}");
        }
        for text in ["1, 2, 3\n", "1, 2, 3, and 4\n", "[global]\nrw=read\n[r]\nsize=1m\n", "12345\n"] {
            assert!(!is_fios(text.as_bytes()), "{text}");
        }
    }
}
