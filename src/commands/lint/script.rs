//! Scripts with fio's command lines in them: shells' and Windows' batch files.

use std::path::Path;

/// A command of a script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Line, counted from 1.
    pub line: u32,
    /// The line.
    pub text: String,
    /// fio's arguments.
    pub words: Vec<String>,
    /// Where its output goes.
    pub output: Option<String>,
    /// Left running.
    pub background: bool,
}

/// Words that stand before a command and do not change it.
const BEFORE: &[&str] =
    &["sudo", "time", "call", "nice", "exec", "nohup", "secchi", "&", "@", "start", "/b", "/wait", "$", "#", ">"];

/// Whether a word is fio by name: with its path, with `.exe`.
pub fn is_fio(word: &str) -> bool {
    let name = model::file_name(word.trim_matches('"'));
    let name = name.rsplit('>').next().unwrap_or(name);
    name.eq_ignore_ascii_case("fio") || name.eq_ignore_ascii_case("fio.exe")
}

/// Words of a command line: a shell's quotes, blanks of other scripts, backslashes of Windows kept.
pub fn split(text: &str) -> Option<Vec<String>> {
    let text = text.replace(['\u{3000}', '\u{a0}'], " ");
    let text = text.replace(['\u{201c}', '\u{201d}'], "\"").replace(['\u{2018}', '\u{2019}'], "'");
    // A backslash before a letter is a path of Windows; before anything else it is a shell's.
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        kept.push(c);
        if c == '\\' && chars.peek().is_some_and(|n| n.is_ascii_alphanumeric()) {
            kept.push('\\');
        }
    }
    shlex::split(&kept)
}

/// fio's commands of a script, continued lines joined.
pub fn commands(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut begun: Option<(u32, String)> = None;
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.trim_end();
        let (at, whole) = match begun.take() {
            Some((at, before)) => (at, format!("{before} {}", line.trim_start())),
            None => (number, line.to_owned()),
        };
        // A shell continues with a backslash, a batch with a caret.
        if let Some(more) = whole.strip_suffix('\\').or_else(|| whole.strip_suffix('^')) {
            begun = Some((at, more.to_owned()));
            continue;
        }
        found.extend(command(at, &whole));
    }
    found.extend(begun.and_then(|(at, whole)| command(at, &whole)));
    found
}

fn command(line: u32, text: &str) -> Option<Found> {
    let trimmed = text.trim();
    let comment =
        trimmed.starts_with('#') || trimmed.to_ascii_lowercase().starts_with("rem ") || trimmed.starts_with("::");
    if comment || trimmed.starts_with('[') {
        return None;
    }
    let words = split(trimmed)?;
    let at = words.iter().position(|w| is_fio(w))?;
    let is_prefix = |w: &String| {
        BEFORE.contains(&w.trim_start_matches('@'))
            || w.contains('=')
            || w.ends_with('>')
            || w.ends_with('$')
            || w.ends_with('#')
    };
    let plain = words[..at].iter().all(is_prefix);
    let started = words[..at].iter().any(|w| w.eq_ignore_ascii_case("start"));
    let waits = words[..at].iter().any(|w| w.eq_ignore_ascii_case("/wait"));
    let found = arguments(&words[at + 1..]);
    // `which fio`, `fio` without a word: no plan.
    (plain && !found.words.is_empty()).then(|| Found {
        line,
        text: trimmed.to_owned(),
        background: found.background || started && !waits,
        ..found
    })
}

/// fio's own arguments: without redirections, and what follows a command.
pub fn arguments(words: &[String]) -> Found {
    let mut found = Found::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "&" => {
                found.background = true;
                break;
            }
            "&&" | "||" | "|" | ";" => break,
            ">" | ">>" | "1>" | "&>" => found.output = words.next().cloned(),
            "2>" | "2>>" | "<" => {
                words.next();
            }
            "2>&1" => {}
            w if w.starts_with(">>") || w.starts_with('>') => found.output = Some(w.trim_start_matches('>').to_owned()),
            w => {
                let bare = w.strip_suffix(';').unwrap_or(w);
                if let Some(output) = bare.strip_prefix("--output=") {
                    found.output = Some(output.to_owned());
                }
                found.words.push(bare.to_owned());
                if bare.len() < w.len() {
                    break;
                }
            }
        }
    }
    // `/dev/null` is no name of a result.
    found.output = found.output.filter(|o| !Path::new(o).starts_with("/dev") && !o.eq_ignore_ascii_case("nul"));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_windows_is_read_with_its_outputs() {
        let text = "@echo off\r\nrem fio --name=no\r\nfio --name=write --iodepth=1 --numjobs=1 > write-2.txt\r\n\
            C:\\fio\\fio.exe --name=x ^\r\n  --filename=D\\:\\f.dat >read.txt\r\n";
        let found = commands(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].line, found[0].output.as_deref()), (3, Some("write-2.txt")));
        assert_eq!(found[0].words, ["--name=write", "--iodepth=1", "--numjobs=1"]);
        assert_eq!((found[1].line, found[1].words.len(), found[1].output.as_deref()), (4, 2, Some("read.txt")));
    }

    #[test]
    fn a_shell_script_is_read_with_what_is_left_running() {
        let text =
            "#!/bin/sh\nsudo fio --name=a --rw=read 2>&1 | tee a.log\nfio --name=b --output=b.json &\nwhich fio\n";
        let found = commands(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].words, ["--name=a", "--rw=read"]);
        assert!(found[1].background && found[1].output.as_deref() == Some("b.json"));
    }

    #[test]
    fn a_job_file_is_no_script() {
        assert_eq!(commands("[global]\nname=fio\nrw=read\n[fio]\nbs=4k\n"), []);
    }

    #[test]
    fn quotes_and_blanks_of_web_pages_are_mended() {
        assert_eq!(split("fio\u{3000}--name=\u{201c}a b\u{201d}").unwrap(), ["fio", "--name=a b"]);
    }
}
