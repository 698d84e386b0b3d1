//! The command line as ioping parses it: `getopt_long_only(3)`. Long names have one or two dashes and may be
//! abbreviated to a unique prefix. Letters may be joined after one dash (`-RL`, `-WWW`, `-c10`). Options may precede or
//! follow the target.
//!
//! Options that ioping does not have need two dashes and their full name, so that abbreviations of ioping's options
//! keep their meaning.

use clap::{Arg, ArgAction, ValueHint};

/// Kind of value that an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakesValue {
    Nothing,
    Value,
    /// Optional value, given only after `=` or directly after the letter.
    Perhaps,
}

/// Specification of one option.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// Letter in ioping; `None` for options that only secchi has.
    pub letter: Option<char>,
    pub name: &'static str,
    pub takes: TakesValue,
    /// Name of the value in the help.
    pub value: &'static str,
    pub help: &'static str,
    /// Section of the help.
    pub part: HelpPart,
}

/// Sections of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpPart {
    Options,
    Parameters,
    Output,
    Own,
}

const fn flag(letter: char, name: &'static str, part: HelpPart, help: &'static str) -> Spec {
    Spec { letter: Some(letter), name, takes: TakesValue::Nothing, value: "", help, part }
}

const fn with(letter: char, name: &'static str, part: HelpPart, value: &'static str, help: &'static str) -> Spec {
    Spec { letter: Some(letter), name, takes: TakesValue::Value, value, help, part }
}

const fn own(name: &'static str, value: &'static str, help: &'static str) -> Spec {
    let takes = if value.is_empty() { TakesValue::Nothing } else { TakesValue::Value };
    Spec { letter: None, name, takes, value, help, part: HelpPart::Own }
}

/// All options, in the order of the help.
pub const SPECS: &[Spec] = &[
    flag('A', "async", HelpPart::Options, "use asynchronous I/O (kernel AIO)"),
    flag('U', "uring", HelpPart::Options, "use io_uring"),
    flag('C', "cached", HelpPart::Options, "use cached I/O (no cache flush/drop)"),
    flag('D', "direct", HelpPart::Options, "use direct I/O (O_DIRECT)"),
    flag('G', "read-write", HelpPart::Options, "read-write ping-pong mode"),
    flag('L', "linear", HelpPart::Options, "use sequential operations (request size 256k)"),
    flag('N', "nowait", HelpPart::Options, "use nowait I/O (RWF_NOWAIT)"),
    flag('H', "hipri", HelpPart::Options, "use high priority I/O (RWF_HIPRI)"),
    flag('W', "write", HelpPart::Options, "use write I/O; -WWW for a file or device"),
    flag('Y', "sync", HelpPart::Options, "use sync I/O (O_SYNC)"),
    flag('y', "dsync", HelpPart::Options, "use data sync I/O (O_DSYNC)"),
    flag('R', "rapid", HelpPart::Options, "test with rapid I/O during 3s (-q -i 0 -w 3 -S 64m)"),
    flag('k', "keep", HelpPart::Options, "keep and reuse temporary file (ioping.tmp)"),
    with('a', "warmup", HelpPart::Parameters, "count", "ignore <count> first requests (1)"),
    with('b', "burst", HelpPart::Parameters, "count", "make <count> requests without delay (0)"),
    with('c', "count", HelpPart::Parameters, "count", "stop after <count> requests"),
    with('e', "entropy", HelpPart::Parameters, "seed", "seed for random number generator (0 = random)"),
    with('i', "interval", HelpPart::Parameters, "time", "interval between requests (1s)"),
    with('s', "size", HelpPart::Parameters, "size", "request size (4k)"),
    with('S', "work-size", HelpPart::Parameters, "size", "working set size (1m, or the whole file or device)"),
    with('o', "work-offset", HelpPart::Parameters, "size", "working set offset (0)"),
    with('w', "work-time", HelpPart::Parameters, "time", "stop after <time> passed"),
    with('l', "speed-limit", HelpPart::Parameters, "size", "limit speed with <size> per second"),
    with('r', "rate-limit", HelpPart::Parameters, "count", "limit rate with <count> per second"),
    with('t', "min-time", HelpPart::Parameters, "time", "minimal valid request time (0us)"),
    with('T', "max-time", HelpPart::Parameters, "time", "maximum valid request time"),
    flag('B', "batch", HelpPart::Output, "print final statistics in raw format"),
    Spec {
        letter: Some('I'),
        name: "time",
        takes: TakesValue::Perhaps,
        value: "format",
        help: "print current time for every request (-I%T)",
        part: HelpPart::Output,
    },
    flag('J', "json", HelpPart::Output, "print output in JSON format"),
    with('p', "print-count", HelpPart::Output, "count", "print raw statistics for every <count> requests"),
    with('P', "print-interval", HelpPart::Output, "time", "print raw statistics for every <time>"),
    flag('q', "quiet", HelpPart::Output, "suppress human-readable output"),
    flag('h', "help", HelpPart::Output, "display this message and exit"),
    flag('v', "version", HelpPart::Output, "display version and exit"),
    own("live", "", "draw a live chart in the terminal"),
    own("from-due", "", "measure latency from the scheduled start, to include delays after a stall"),
    own("max-avg", "time", "exit with code 1 if the mean latency exceeds <time>"),
    own("max-p99", "time", "exit with code 1 if the 99th percentile exceeds <time>"),
    own("nagios", "", "print one line and use the exit codes of a monitoring plugin (-c 10)"),
    own("warn-avg", "time", "with --nagios: WARNING if the mean latency exceeds <time>"),
    own("warn-p99", "time", "with --nagios: WARNING if the 99th percentile exceeds <time>"),
    own("marks", "version", "mark requests (fast) or (slow) as this ioping version does, such as 1.0"),
    own("ioping", "", "print only ioping's output and use its exit codes"),
    own("allow-overwrite", "", "with -WWW: overwrite a file that secchi did not create"),
    own("destroy", "serial", "with -WWW: overwrite the device with this serial number"),
    own("hang", "time", "abort when a request has been in flight for <time> (60s)"),
    own("lang", "code", "language of output that ioping does not have: en, ja, zh, ru"),
    own("store", "dir", "directory or database in which the run is stored"),
    own("output", "file", "also write the result to this file: .html, .md, .csv, .json, .txt; repeatable"),
    own("force", "", "with --output: overwrite a file that secchi did not write"),
];

/// An option from the command line with its value.
pub type Given = (&'static Spec, Option<String>);

/// Splits words into options and the rest.
///
/// # Errors
/// If an option is invalid. The error is one sentence.
pub fn split(words: &[String]) -> Result<(Vec<Given>, Vec<String>), String> {
    let (mut options, mut rest) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let next = &mut || words.next().cloned();
        if word == "--" {
            rest.extend(words.cloned());
            break;
        } else if let Some(long) = word.strip_prefix("--") {
            let spec = long_option(long, true)?.ok_or_else(|| unknown(word))?;
            options.push(complete(spec, word, next)?);
        } else if let Some(body) = word.strip_prefix('-').filter(|b| !b.is_empty()) {
            // A single letter is always a short option; a longer word may be a name or several letters.
            let single = body.chars().count() == 1 && by_letter(body.chars().next().unwrap_or(' ')).is_some();
            match if single { None } else { long_option(body, false)? } {
                Some(spec) => options.push(complete(spec, word, next)?),
                None => cluster(word, body, &mut options, next)?,
            }
        } else {
            rest.push(word.clone());
        }
    }
    Ok((options, rest))
}

fn by_letter(letter: char) -> Option<&'static Spec> {
    SPECS.iter().find(|s| s.letter == Some(letter))
}

/// Returns the option with this long name, and the text after its `=`.
fn long_option(text: &str, two_dashes: bool) -> Result<Option<Given>, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if let Some(spec) = SPECS.iter().find(|s| s.name == name && (two_dashes || s.letter.is_some())) {
        return Ok(Some((spec, value)));
    }
    let begins: Vec<&Spec> = SPECS.iter().filter(|s| s.letter.is_some() && s.name.starts_with(name)).collect();
    match begins[..] {
        [] => Ok(None),
        [spec] => Ok(Some((spec, value))),
        _ => {
            let names: Vec<String> = begins.iter().map(|s| format!("-{}", s.name)).collect();
            Err(format!("option `{}` may be {}", model::clip(name), names.join(" or ")))
        }
    }
}

/// Returns a long option with its value, which may be the next word.
fn complete((spec, value): Given, word: &str, next: &mut impl FnMut() -> Option<String>) -> Result<Given, String> {
    match (spec.takes, value) {
        (TakesValue::Nothing, Some(_)) => Err(format!("option `{}` takes no value", model::clip(word))),
        (TakesValue::Value, None) => {
            let value = next().ok_or_else(|| format!("option `{}` needs a {}", model::clip(word), spec.value))?;
            Ok((spec, Some(value)))
        }
        (_, value) => Ok((spec, value)),
    }
}

/// Parses letters after one dash.
fn cluster(
    word: &str,
    body: &str,
    options: &mut Vec<Given>,
    next: &mut impl FnMut() -> Option<String>,
) -> Result<(), String> {
    for (at, letter) in body.char_indices() {
        let spec = by_letter(letter).ok_or_else(|| unknown(word))?;
        let rest = &body[at + letter.len_utf8()..];
        let attached = (!rest.is_empty()).then(|| rest.to_owned());
        match spec.takes {
            TakesValue::Nothing => options.push((spec, None)),
            TakesValue::Perhaps => options.push((spec, attached)),
            TakesValue::Value => {
                let value = attached.or_else(&mut *next);
                let value = value.ok_or_else(|| format!("option `-{letter}` needs a {}", spec.value))?;
                options.push((spec, Some(value)));
            }
        }
        if spec.takes != TakesValue::Nothing {
            break;
        }
    }
    Ok(())
}

fn unknown(word: &str) -> String {
    let name = word.trim_start_matches('-');
    let hint = model::units::nearest(name.split('=').next().unwrap_or(name), SPECS.iter().map(|s| s.name));
    let hint = hint.map(|n| format!("; did you mean `--{n}`?")).unwrap_or_default();
    format!("unknown option `{}`{hint} (secchi ping -h)", model::clip(word))
}

/// Sections of the help in order, with their titles.
const PARTS: [(HelpPart, &str); 4] = [
    (HelpPart::Options, "options"),
    (HelpPart::Parameters, "parameters"),
    (HelpPart::Output, "output"),
    (HelpPart::Own, "not in ioping"),
];

/// Returns the options as clap arguments, for completions and the manual page. `split` parses them.
pub fn arguments() -> impl Iterator<Item = Arg> {
    SPECS.iter().map(|spec| {
        // The ID of the global option `-v` keeps that option out of these pages: here, `-v` prints the version.
        let id = if spec.letter == Some('v') { "verbose" } else { spec.name };
        let mut arg = Arg::new(id).long(spec.name).help(spec.help);
        if let Some(letter) = spec.letter {
            arg = arg.short(letter);
        }
        // The first section uses the common title.
        if let Some((_, title)) = PARTS[1..].iter().find(|(part, _)| *part == spec.part) {
            arg = arg.help_heading(*title);
        }
        match spec.takes {
            TakesValue::Nothing => return arg.action(ArgAction::SetTrue),
            TakesValue::Value => arg = arg.value_name(spec.value),
            TakesValue::Perhaps => arg = arg.value_name(spec.value).num_args(0..=1),
        }
        match spec.value {
            "file" => arg.value_hint(ValueHint::FilePath),
            "dir" => arg.value_hint(ValueHint::DirPath),
            _ => arg.value_hint(ValueHint::Other),
        }
    })
}

/// Returns the help text.
pub fn usage(name: &str) -> String {
    let mut text = format!(" Usage: {name} [options...] directory|file|device\n        {name} -h | -v\n");
    for (part, title) in PARTS {
        text.push_str(&format!("\n {title}:\n"));
        for spec in SPECS.iter().filter(|s| s.part == part) {
            let value = match spec.takes {
                TakesValue::Nothing => String::new(),
                TakesValue::Value => format!(" <{}>", spec.value),
                TakesValue::Perhaps => format!(" [{}]", spec.value),
            };
            let names = match spec.letter {
                Some(letter) => format!("-{letter}, -{}{value}", spec.name),
                None => format!("--{}{value}", spec.name),
            };
            text.push_str(&format!("      {names:<26} {}\n", spec.help));
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = (Vec<(String, Option<String>)>, Vec<String>);

    fn read(line: &str) -> Result<Read, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (options, rest) = split(&words)?;
        Ok((options.into_iter().map(|(s, v)| (s.name.to_owned(), v)).collect(), rest))
    }

    fn names(line: &str) -> Vec<String> {
        let (options, _) = read(line).unwrap();
        options.into_iter().map(|(name, value)| value.map_or(name.clone(), |v| format!("{name}={v}"))).collect()
    }

    #[test]
    fn letters_go_together_and_carry_values() {
        assert_eq!(names("-RLB ."), ["rapid", "linear", "batch"]);
        assert_eq!(names("-WWW x"), ["write", "write", "write"]);
        assert_eq!(names("-c10 -qi0 -s 4k ."), ["count=10", "quiet", "interval=0", "size=4k"]);
        assert_eq!(names("-I -I%T ."), ["time", "time=%T"]);
    }

    #[test]
    fn long_names_take_one_dash_or_two_and_may_be_cut_short() {
        assert_eq!(
            names("-size 4k --count=10 -inter 1s -read-write ."),
            ["size=4k", "count=10", "interval=1s", "read-write"]
        );
        assert_eq!(names("-time=%T --time ."), ["time=%T", "time"]);
        assert!(read("-ra .").unwrap_err().contains("-rapid or -rate-limit"));
        // As in ioping, `max` abbreviates only `max-time`: options of secchi need two dashes and the full name.
        assert_eq!(names("-max 5ms --max-avg 2ms ."), ["max-time=5ms", "max-avg=2ms"]);
        assert!(read("-max-avg 2ms .").is_err());
    }

    #[test]
    fn options_may_be_anywhere_and_two_dashes_end_them() {
        let (options, rest) = read("-c 3 dir -q -- -x").unwrap();
        assert_eq!((options.len(), rest), (2, vec!["dir".to_owned(), "-x".to_owned()]));
        assert_eq!(read("-").unwrap().1, ["-"]);
    }

    #[test]
    fn mistakes_are_reported_in_one_sentence() {
        assert!(read("-Z .").unwrap_err().contains("unknown option `-Z`"));
        assert!(read("--cuont 3 .").unwrap_err().contains("did you mean `--count`?"));
        assert!(read(". -c").unwrap_err().contains("needs a count"));
        assert!(read("--quiet=1 .").unwrap_err().contains("takes no value"));
    }

    #[test]
    fn names_and_letters_are_unique() {
        for (i, spec) in SPECS.iter().enumerate() {
            assert!(SPECS[..i].iter().all(|s| s.name != spec.name && (s.letter.is_none() || s.letter != spec.letter)));
        }
        assert!(usage("ioping").lines().all(|l| l.len() <= 110));
    }
}
