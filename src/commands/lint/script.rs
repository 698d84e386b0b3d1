//! Scripts with fio's command lines in them: shells' and Windows' batch files.

use super::variables::{self, Variables};
use super::words::split;
use messages::sentence;
use model::{Sentence, clip};
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
    /// Arguments that are left out of `words`: only running the script would tell what they are.
    pub unknown: Vec<Unknown>,
}

/// An argument that cannot be read without running the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// As it stands.
    pub word: String,
    /// The variables and commands in it.
    pub of: Vec<String>,
}

impl Unknown {
    /// The word, and why it cannot be read.
    pub fn describe(&self) -> Sentence {
        let word = clip(&self.word);
        match self.of.as_slice() {
            [name] if !name.starts_with("$(") && !name.starts_with('`') => {
                sentence!("lint-variable-not-set", word, name)
            }
            _ => sentence!("lint-known-when-run", word),
        }
    }
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

/// fio's commands of a script, continued lines joined, variables read as far as the script sets them.
pub fn commands(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut variables = Variables::default();
    // Behind a semicolon a job file has a comment.
    let has_sections = text.lines().map(str::trim).any(is_section);
    let read = |at, line: &str, variables: &mut Variables| {
        let statements = if has_sections { vec![line.trim()] } else { statements(line.trim()) };
        line_of(at, line, &statements, variables)
    };
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
        found.extend(read(at, &whole, &mut variables));
    }
    if let Some((at, whole)) = begun {
        found.extend(read(at, &whole, &mut variables));
    }
    found
}

/// `[name]` of a job file, and no condition of a shell.
fn is_section(line: &str) -> bool {
    line.starts_with('[') && !line.starts_with("[ ") && !line.starts_with("[[")
}

/// The commands of one line, of its statements.
fn line_of(line: u32, text: &str, statements: &[&str], variables: &mut Variables) -> Vec<Found> {
    let trimmed = text.trim();
    let comment =
        trimmed.starts_with('#') || trimmed.to_ascii_lowercase().starts_with("rem ") || trimmed.starts_with("::");
    if comment || is_section(trimmed) {
        return Vec::new();
    }
    let mut found: Vec<Found> = Vec::new();
    for statement in statements.iter().copied() {
        let _sets = variables.learn(statement);
        let statement = after_do(statement);
        for reading in variables.readings(statement) {
            found.extend(command(line, &reading).filter(|new| !found.contains(new)));
        }
    }
    found
}

/// The statements of a line, one after the other: without the words of a loop or a condition before them.
fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let width = match c {
            _ if quote == Some(c) => {
                quote = None;
                0
            }
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                0
            }
            // A list of files of Windows has no blank behind its semicolon.
            ';' if quote.is_none() && rest[1..].chars().next().is_none_or(|n| n.is_whitespace() || n == ';') => 1,
            _ if quote.is_none() && (rest.starts_with("&&") || rest.starts_with("||")) => 2,
            _ => 0,
        };
        if width > 0 && at >= start {
            found.push(&text[start..at]);
            start = at + width;
        }
    }
    found.push(&text[start..]);
    let keywords = ["do", "then", "else", "{", "("];
    let bare = |statement: &'_ str| -> usize {
        let mut at = statement.len() - statement.trim_start().len();
        while let Some(word) = keywords
            .iter()
            .find(|k| statement[at..].strip_prefix(**k).is_some_and(|more| more.starts_with(char::is_whitespace)))
        {
            at += word.len();
            at += statement[at..].len() - statement[at..].trim_start().len();
        }
        at
    };
    found.into_iter().map(|s| s[bare(s)..].trim_end()).filter(|s| !s.is_empty()).collect()
}

/// What a batch's `for ... do` does, on the same line.
fn after_do(statement: &str) -> &str {
    let is_loop = statement.get(..4).is_some_and(|s| s.eq_ignore_ascii_case("for "));
    let at = statement.to_ascii_lowercase().find(") do ").filter(|_| is_loop);
    at.map_or(statement, |at| statement[at + 5..].trim_start())
}

fn command(line: u32, text: &str) -> Option<Found> {
    let words = split(&variables::shielded(text))?;
    let at = words.iter().position(|w| is_fio(w))?;
    let is_prefix = |w: &String| {
        BEFORE.contains(&w.trim_start_matches('@'))
            || w.contains('=')
            || w.ends_with("()")
            || ["{", "function"].contains(&w.as_str())
            || w.ends_with('>')
            || w.ends_with('$')
            || w.ends_with('#')
    };
    let plain = words[..at].iter().all(is_prefix);
    let started = words[..at].iter().any(|w| w.eq_ignore_ascii_case("start"));
    let waits = words[..at].iter().any(|w| w.eq_ignore_ascii_case("/wait"));
    let mut found = arguments(&words[at + 1..]);
    // `which fio`, `fio` without a word: no plan.
    if !plain || found.words.is_empty() {
        return None;
    }
    for word in std::mem::take(&mut found.words) {
        match variables::unset(&word) {
            of if of.is_empty() => found.words.push(variables::unshielded(&word)),
            of => found.unknown.push(Unknown { word: variables::unshielded(&word), of }),
        }
    }
    found.output = found.output.filter(|o| variables::unset(o).is_empty());
    Some(Found { line, text: text.to_owned(), background: found.background || started && !waits, ..found })
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
        assert_eq!((found[1].line, found[1].output.as_deref()), (4, Some("read.txt")));
        assert_eq!(found[1].words, ["--name=x", "--filename=D\\:\\f.dat"], "as fio wants a drive written");
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
        assert_eq!(commands("; fio --name=a\n[a]\nrw=read ; fio reads\n"), []);
    }

    #[test]
    fn variables_and_loops_are_followed() {
        let text = "D=/dev/vda\nfor b in 4k 8k; do\n  echo $b && sudo fio --name=r$b --filename=$D --bs=$b \"$X\" --rw=randwrite\ndone\n\
            [ -b /dev/vdb ] && for q in 1 2; do fio --name=q --iodepth=$q --filename_format='$jobname' --size=$(size); done\n";
        let found = commands(text);
        let words: Vec<String> = found.iter().map(|f| f.words.join(" ")).collect();
        assert_eq!(
            words,
            [
                "--name=r4k --filename=/dev/vda --bs=4k --rw=randwrite",
                "--name=r8k --filename=/dev/vda --bs=8k --rw=randwrite",
                "--name=q --iodepth=1 --filename_format=$jobname",
                "--name=q --iodepth=2 --filename_format=$jobname"
            ]
        );
        let unknown: Vec<&str> = found.iter().flat_map(|f| &f.unknown).map(|u| u.word.as_str()).collect();
        assert_eq!(unknown, ["$X", "$X", "--size=$(size)", "--size=$(size)"]);
        let batch = "set D=data\\f.dat\r\nfor %%b in (4k 8k) do fio --name=a --filename=%D% --bs=%%b\r\n";
        let found = commands(batch);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[1].words, ["--name=a", "--filename=data\\f.dat", "--bs=8k"]);
    }

    #[test]
    fn quotes_and_blanks_of_web_pages_are_mended() {
        assert_eq!(split("fio\u{3000}--name=\u{201c}a b\u{201d}").unwrap(), ["fio", "--name=a b"]);
    }
}
