//! The server's log, which shows when checkpoints begin and end, and whether the server had to recover. The log is read
//! as it grows. Each read costs a system call and no query.

use super::watch::Watch;
use std::fs::File;
use std::io::Read;

/// Prefix of a log line: the time in seconds since 1970, with milliseconds (`%n`).
pub const PREFIX: &str = "%n ";

/// Reader of the end of a growing log.
pub struct Tail {
    file: File,
    rest: Vec<u8>,
}

/// Event that a line of the log reports.
#[derive(Debug, Clone, PartialEq)]
enum LogEvent {
    Begun { why: String },
    Ended { pages: Option<u64> },
    Recovering,
    Recovered { how: String },
}

impl Tail {
    /// Creates a reader that begins at the start of the file.
    pub fn new(file: File) -> Tail {
        Tail { file, rest: Vec::new() }
    }

    /// Passes the events since the last call to `watch`.
    pub fn read_new(&mut self, watch: &Watch) {
        let from = self.rest.len();
        // After a read error, the next call tries again.
        if self.file.read_to_end(&mut self.rest).is_err() || self.rest.len() == from {
            return;
        }
        let whole = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.rest.drain(..whole).collect();
        for line in String::from_utf8_lossy(&lines).lines() {
            if let Some(reason) = parse_breakdown(line) {
                watch.break_down(reason);
            }
            if let Some((at, event)) = parse_line(line) {
                match event {
                    LogEvent::Begun { why: reason } => watch.checkpoint_began(at, format!("checkpoint ({reason})")),
                    LogEvent::Ended { pages } => watch.checkpoint_ended(at, pages),
                    LogEvent::Recovering => watch.recovering(),
                    LogEvent::Recovered { how } => watch.recovered(how),
                }
            }
        }
    }
}

/// Parses a line's time, in nanoseconds since 1970, and its event. Returns `None` for lines without an event.
fn parse_line(line: &str) -> Option<(u64, LogEvent)> {
    let (time, text) = line.split_once(" LOG:  ")?;
    let (seconds, millis) = time.split_once('.')?;
    let at =
        seconds.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(millis.parse().ok()?)?.checked_mul(1_000_000)?;
    let event = if let Some(reason) = text.strip_prefix("checkpoint starting: ") {
        LogEvent::Begun { why: reason.trim().to_owned() }
    } else if let Some(rest) = text.strip_prefix("checkpoint complete: wrote ") {
        LogEvent::Ended { pages: rest.split(' ').next().and_then(|n| n.parse().ok()) }
    } else if text.starts_with("database system was not properly shut down") {
        LogEvent::Recovering
    } else if text.starts_with("redo done at") || text.starts_with("redo is not required") {
        LogEvent::Recovered { how: text.trim().to_owned() }
    } else {
        return None;
    };
    Some((at, event))
}

/// The server's message for a full file system.
pub const FULL: &str = "No space left on device";

/// Returns the text of a line after which the server cannot work: a PANIC, or a message about a full disk at any log
/// level. A server whose disk is full retries checkpoints and recoveries endlessly.
fn parse_breakdown(line: &str) -> Option<&str> {
    let (prefix, text) = line.split_once(":  ")?;
    let level = prefix.rsplit(' ').next()?;
    let is_full = ["ERROR", "FATAL", "LOG", "WARNING"].contains(&level) && text.contains(FULL);
    (level == "PANIC" || is_full).then(|| text.trim())
}

/// Joins the last error lines of a log into one clause for an error message.
pub fn summarize_errors(log: &str) -> String {
    let hard = |l: &&str| ["FATAL:", "PANIC:", "ERROR:", "HINT:", "could not"].iter().any(|w| l.contains(w));
    let mut lines: Vec<&str> = log.lines().filter(hard).collect();
    if lines.is_empty() {
        lines = log.lines().filter(|l| !l.trim().is_empty()).collect();
    }
    let from = lines.len().saturating_sub(3);
    let errors = lines[from..].iter().map(|l| l.split_once(":  ").map_or(*l, |(_, text)| text).trim());
    let errors = errors.collect::<Vec<_>>().join("; ");
    if errors.is_empty() { "it printed no error".into() } else { errors }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_and_recovery_are_read_from_the_log() {
        let lines = "\
1763753000.250 LOG:  checkpoint starting: immediate force wait
1763753001.500 LOG:  checkpoint complete: wrote 8129 buffers (49.6%), wrote 3 SLRU buffers; 0 WAL file(s) added
1763753001.600 ERROR:  checkpoint starting: not a log line
LOG:  no time
1763753002.000 LOG:  redo done at 0/1A2B3C8 system usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.01 s
";
        let event: Vec<_> = lines.lines().filter_map(parse_line).collect();
        assert_eq!(event.len(), 3);
        assert_eq!(event[0], (1_763_753_000_250_000_000, LogEvent::Begun { why: "immediate force wait".into() }));
        assert_eq!(event[1], (1_763_753_001_500_000_000, LogEvent::Ended { pages: Some(8129) }));
        assert!(matches!(&event[2].1, LogEvent::Recovered { how } if how.contains("elapsed")));
    }

    #[test]
    fn a_panic_and_a_full_disk_end_the_work_of_a_server() {
        let full = "could not write to file \"pg_wal/xlogtemp.7\": No space left on device";
        assert_eq!(parse_breakdown(&format!("1763753000.250 ERROR:  {full}")), Some(full));
        assert_eq!(parse_breakdown(&format!("1763753000.250 PANIC:  {full}")), Some(full));
        assert_eq!(parse_breakdown("1.0 PANIC:  could not fdatasync"), Some("could not fdatasync"));
        assert_eq!(parse_breakdown("1.0 ERROR:  deadlock detected"), None);
        assert_eq!(parse_breakdown("1.0 STATEMENT:  SELECT 'PANIC:  No space left on device'"), None);
        let path = std::env::temp_dir().join(format!("secchi-log-{}", std::process::id()));
        std::fs::write(&path, format!("1.0 LOG:  starting\n1.5 PANIC:  {full}\n1.6 PANIC:  later\n")).unwrap();
        let watch = Watch::default();
        Tail::new(File::open(&path).unwrap()).read_new(&watch);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(watch.breakdown().as_deref(), Some(full), "the first line is the cause");
    }

    #[test]
    fn a_log_is_summed_up_by_its_fatal_lines() {
        let log = "1.0 LOG:  starting\n1.1 FATAL:  could not map memory\n1.1 HINT:  less\n1.2 LOG:  shut down\n";
        assert_eq!(summarize_errors(log), "could not map memory; less");
        assert_eq!(summarize_errors(""), "it printed no error");
    }
}
