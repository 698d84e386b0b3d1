//! Diagnostics on standard error: `-v`, `-vv` and `SECCHI_LOG`.
//!
//! Crates emit events with `tracing`; without a subscriber, an event costs one comparison. Worker loops emit none.

use session::{console, environment};
use std::io;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Prints events from now on, if `SECCHI_LOG` or `-v` (`verbosity` times) requests them. `SECCHI_LOG` takes precedence.
///
/// # Errors
/// One sentence if `SECCHI_LOG` is no filter.
pub fn start(verbosity: u8) -> Result<(), String> {
    let filter = match (environment::log_filter(), verbosity) {
        (Some(text), _) => parse(&text)?,
        (None, 0) => return Ok(()),
        (None, 1) => Targets::new().with_default(Level::INFO),
        (None, 2) => Targets::new().with_default(Level::DEBUG),
        (None, _) => Targets::new().with_default(Level::TRACE),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| Lines)
        .with_ansi(false)
        .with_timer(tracing_subscriber::fmt::time::uptime())
        .log_internal_errors(false);
    // A subscriber is installed once per process.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
    Ok(())
}

/// Parses `LEVEL` and `TARGET=LEVEL`, separated by commas.
fn parse(text: &str) -> Result<Targets, String> {
    let refused = |part: &str| {
        format!(
            "SECCHI_LOG={}: `{}` is not a level (off, error, warn, info, debug, trace) or CRATE=LEVEL",
            model::clip(text),
            model::clip(part)
        )
    };
    let mut filter = Targets::new();
    for part in text.split(',').map(str::trim) {
        let (target, level) = part.split_once('=').unwrap_or(("", part));
        // `tracing` parses empty text as a level.
        let level = Some(level).filter(|level| !level.is_empty()).and_then(|level| level.parse::<LevelFilter>().ok());
        filter = match (target, level) {
            ("", Some(level)) if !part.starts_with('=') => filter.with_default(level),
            (target, Some(level)) if !target.is_empty() => filter.with_target(target, level),
            _ => return Err(refused(part)),
        };
    }
    Ok(filter)
}

/// Writer of lines: `tracing` writes each event in a single call.
struct Lines;

impl io::Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        console::diagnostic(&String::from_utf8_lossy(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_all_and_of_single_crates_are_accepted() {
        for (text, shown) in [
            ("debug", "debug"),
            ("load=trace, run=debug", "load=trace,run=debug"),
            ("warn,store=off", "store=off,warn"),
        ] {
            assert_eq!(parse(text).map(|filter| filter.to_string()).as_deref(), Ok(shown), "{text}");
        }
        for text in ["nonsense=", "nonsense", "=", "=debug", "load=loud", "debug,,", "load=debug=trace", ","] {
            let reason = parse(text).expect_err(text);
            assert!(reason.starts_with("SECCHI_LOG=") && reason.contains("is not a level"), "{reason}");
        }
    }
}
