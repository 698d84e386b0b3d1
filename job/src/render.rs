//! Text output: the help that `--cmdhelp` and `--enghelp` print, the man page, the reference chapter, and jobs as
//! command lines.

use crate::engines::Engines;
use crate::file::{JobFile, TypedOption};
use crate::name_error::NameError;
use crate::options::{GROUPS, OptionSpec, Support, all};
use crate::value::{Kind, Word};
use messages::Language;
use model::clip;
use std::fmt::Write as _;

/// Returns the mark that precedes an option in lists: `(noted)`, `(refused)`, or no mark.
fn mark(support: Support) -> &'static str {
    match support {
        Support::Done => "",
        Support::Noted(_) => "(noted) ",
        Support::Refused(_) => "(refused) ",
    }
}

/// Returns the English message for an option that is accepted with a note.
fn in_english(noted: &str) -> &'static str {
    messages::fixed(Language::English, noted)
}

/// Returns the words that an option accepts.
fn accepted_words<'a>(spec: &OptionSpec, engines: &'a Engines) -> &'a [Word] {
    match spec.kind {
        Kind::Engine => engines.words(),
        kind => kind.accepted_words(),
    }
}

/// Width of printed text in columns.
const COLUMNS: usize = 80;

/// Writes a paragraph whose first line follows `lead`. The other lines are indented by `indent` columns. Words longer
/// than a line are not split.
fn wrapped(out: &mut String, lead: &str, indent: usize, text: &str) {
    let mut line = lead.to_owned();
    let mut width = line.chars().count();
    let mut begins = true;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end().chars().count();
        if !begins && width + bare > COLUMNS {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(indent);
            width = indent;
        }
        line.push_str(word);
        width += word.chars().count();
        begins = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// Returns a short paragraph for each option of the command line. Options that have no effect in secchi are left out.
#[must_use]
pub fn command_help(engines: &Engines, extra: &[OptionSpec]) -> String {
    let mut out = String::new();
    for spec in all(engines, extra).filter(|s| s.command && s.support == Support::Done) {
        wrapped(&mut out, &format!("  --{:<16} ", spec.name), 21, spec.summary());
    }
    out
}

/// Returns the text that `--cmdhelp=NAME` prints: the help for one option, or with `all` one line per option.
///
/// # Errors
/// Returns an error if the option is unknown. The error contains the most similar name.
pub fn cmdhelp(name: &str, engines: &Engines, extra: &[OptionSpec]) -> Result<String, NameError> {
    let mut out = String::new();
    if name.is_empty() || name == "all" {
        for spec in all(engines, extra) {
            let _ = writeln!(out, "{:<28}: {}{}", spec.name, mark(spec.support), spec.summary());
        }
        return Ok(out);
    }
    let Some(spec) = all(engines, extra).find(|spec| spec.is_called(name)) else {
        let names = all(engines, extra).flat_map(|spec| spec.names());
        return Err(NameError::no_option(name, names));
    };
    describe(&mut out, &spec, engines);
    Ok(out)
}

fn describe(out: &mut String, spec: &OptionSpec, engines: &Engines) {
    let mut line = |label: &str, text: &str| wrapped(out, &format!("{label:>20}: "), 22, text);
    line(spec.name, spec.help);
    for alias in spec.aliases {
        line("alias", alias);
    }
    line("type", &spec.kind.describe());
    line("default", if spec.default.is_empty() { "no default" } else { spec.default });
    for (i, word) in accepted_words(spec, engines).iter().enumerate() {
        let names = std::iter::once(word.name).chain(word.aliases.iter().copied()).collect::<Vec<_>>().join(", ");
        let label = if i == 0 { "valid values" } else { "" };
        wrapped(out, &format!("{label:>20}: {names:<14} "), 37, word.help);
    }
    let mut line = |label: &str, text: &str| wrapped(out, &format!("{label:>20}: "), 22, text);
    let having = spec.engines_having(engines);
    if !having.is_empty() {
        line("engines", &having.join(", "));
    }
    match spec.support {
        Support::Done => {}
        Support::Noted(instead) => line("in secchi", in_english(instead)),
        Support::Refused(why) => line("refused", why),
    }
}

/// Returns the text that `--enghelp` prints: all engines, the options of one engine (`io_uring`), or one option of an
/// engine (`io_uring,hipri`).
///
/// # Errors
/// Returns an error if the engine or the option is unknown.
pub fn enghelp(query: &str, engines: &Engines) -> Result<String, NameError> {
    let mut out = String::new();
    if query.is_empty() {
        out.push_str("Available IO engines:\n");
        for word in engines.words() {
            let _ = writeln!(out, "\t{}", word.name);
        }
        return Ok(out);
    }
    let (engine, option) = query.split_once(',').map_or((query, None), |(e, o)| (e, Some(o)));
    engines.check_name(engine)?;
    let of_engine = || all(engines, &[]).filter(|spec| spec.engines_having(engines).contains(&engine));
    if let Some(option) = option {
        let spec = of_engine().find(|spec| spec.is_called(option));
        let spec = spec.ok_or_else(|| NameError::NotOfEngine { engine: engine.to_owned(), name: clip(option) })?;
        describe(&mut out, &spec, engines);
        return Ok(out);
    }
    for spec in of_engine() {
        let _ = writeln!(out, "{:<28}: {}{}", spec.name, mark(spec.support), spec.summary());
    }
    if out.is_empty() {
        let _ = writeln!(out, "IO engine {engine} has no options");
    }
    Ok(out)
}

/// Returns jobs as command lines for a shell (`--showcmd`), one line per job file.
#[must_use]
pub fn command_line(file: &JobFile) -> String {
    let mut out = String::new();
    let mut source = None;
    let mut defaults: Vec<TypedOption> = Vec::new();
    for section in &file.sections {
        if source != Some(section.file) {
            if source.is_some() {
                out.push('\n');
            }
            source = Some(section.file);
            out.push_str("fio");
            defaults.clear();
        }
        let new: Vec<&TypedOption> = section.inherited.iter().filter(|t| !defaults.contains(t)).collect();
        if !new.is_empty() {
            // Defaults that follow a job need `--name=global`. The first defaults do not.
            if out.ends_with("fio") {
                push_options(&mut out, new);
            } else {
                out.push_str(" --name=global");
                push_options(&mut out, new);
            }
            defaults.clone_from(&section.inherited);
        }
        let _ = write!(out, " --name={}", quoted(&section.name));
        push_options(&mut out, section.own.iter().collect());
    }
    out.push('\n');
    out
}

fn push_options(out: &mut String, options: Vec<&TypedOption>) {
    for option in options {
        let _ = write!(out, " --{}", option.name);
        if !option.value.is_empty() {
            let _ = write!(out, "={}", quoted(&option.value));
        }
    }
}

/// Quotes text for a POSIX shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+=:,/%@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the reference chapter in Markdown.
#[must_use]
pub fn reference(engines: &Engines, extra: &[OptionSpec]) -> String {
    let mut out = String::from(REFERENCE_HEAD);
    for (title, options) in groups(engines, extra) {
        let _ = writeln!(out, "\n## {title}\n");
        for spec in options {
            reference_entry(&mut out, &spec, engines);
        }
    }
    out
}

/// Returns all options, grouped by heading: first the table, then the options of individual engines, then the options
/// that the caller adds.
fn groups(engines: &Engines, extra: &[OptionSpec]) -> Vec<(&'static str, Vec<OptionSpec>)> {
    let mut groups: Vec<(&str, Vec<OptionSpec>)> =
        GROUPS.iter().map(|group| (group.title, group.options.to_vec())).collect();
    groups.push(("Engine options", engines.options().map(OptionSpec::of_engine).collect()));
    if !extra.is_empty() {
        groups.push(("Only in secchi", extra.to_vec()));
    }
    groups
}

const REFERENCE_HEAD: &str = "# fio options\n\n\
Write options as `name=value` in job files, and as `--name=value` or `--name value` on the command line, with one or \
two dashes. The command line also accepts unambiguous prefixes of names.\n\n\
- Size suffixes: k, m, g, t and p, with or without b, are powers of 1024 (of 1000 with `kb_base=1000`); ki, mi and gi \
are always powers of 1024.\n\
- Time suffixes: d, h, m, s, ms, us and ns.\n\
- A number can be hexadecimal (0x) or an expression in parentheses.\n";

fn reference_entry(out: &mut String, spec: &OptionSpec, engines: &Engines) {
    let names = spec.names();
    let heading = names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "### {heading}\n");
    let _ = writeln!(out, "{}\n", spec.help);
    for word in accepted_words(spec, engines) {
        let names = std::iter::once(word.name).chain(word.aliases.iter().copied());
        let names = names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "- {names}: {}", word.help);
    }
    if !accepted_words(spec, engines).is_empty() {
        out.push('\n');
    }
    let mut facts = Vec::new();
    if !matches!(spec.support, Support::Refused(_)) {
        facts.push(format!("Value: {}.", spec.kind.describe()));
        if !spec.default.is_empty() {
            facts.push(format!("Default: `{}`.", spec.default));
        }
    }
    let having = spec.engines_having(engines);
    if !having.is_empty() {
        facts.push(format!("Engines: {}.", having.join(", ")));
    }
    match spec.support {
        Support::Done => {}
        Support::Noted(instead) => facts.push(format!("**Accepted with a note**: {}.", in_english(instead))),
        Support::Refused(why) => facts.push(format!("**Refused**: {why}.")),
    }
    let _ = writeln!(out, "{}\n", facts.join(" "));
}

/// Returns the man page secchi-fio(1) in roff.
#[must_use]
pub fn man_page(engines: &Engines, extra: &[OptionSpec]) -> String {
    let mut out = String::from(MAN_HEAD);
    for (title, options) in groups(engines, extra) {
        let _ = writeln!(out, ".SS {}", roff(title));
        for spec in options {
            man_entry(&mut out, &spec, engines);
        }
    }
    out.push_str(MAN_TAIL);
    out
}

const MAN_HEAD: &str = concat!(
    r#".TH SECCHI\-FIO 1 "" "secchi "#,
    env!("CARGO_PKG_VERSION"),
    r#"" "User Commands"
.SH NAME
secchi\-fio \- run fio's command lines and job files
.SH SYNOPSIS
\fBsecchi fio\fR [\fIoptions\fR] [\fIjob options\fR] [\fIjob files\fR]
.SH DESCRIPTION
Runs fio jobs with the same semantics as fio, and prints the same output formats. A link to the program or a copy of
it behaves the same way if it is named \fBfio\fR. Every run is stored; see \fBsecchi runs\fR and \fBsecchi show\fR.
.PP
If secchi does not support an option of fio, it rejects the option and prints the reason. For an unknown option, it
suggests the most similar name. If an option behaves differently than in fio, secchi prints a note on standard error.
.PP
Writing to an existing file that secchi did not create requires \fBoverwrite=1\fR in the job or
\fB\-\-allow\-overwrite\fR; reading never extends a file. Block devices are written only if their identity is given
with \fB\-\-destroy\fR.
.PP
On \fBSIGUSR1\fR, secchi prints a report of the run so far.
The first \fBSIGINT\fR or \fBSIGTERM\fR ends the run and prints its report; a second one ends secchi immediately.
.SH OPTIONS
Write options as \fIname\fR=\fIvalue\fR in job files, and as \fB\-\-\fR\fIname\fR=\fIvalue\fR or
\fB\-\-\fR\fIname value\fR on the command line, with one or two dashes. The command line also accepts unambiguous
prefixes of names. Options before the first \fB\-\-name\fR are defaults for every job.
"#
);

const MAN_TAIL: &str = r#".SH EXIT STATUS
.TP
0
Every job finished without an error.
.TP
2
A job failed, a verified block was wrong, or no job did any I/O.
.TP
3
Refused for safety; nothing was changed.
.TP
4
A resource, permission or engine is missing.
.TP
5
The device hung or disappeared; the partial result is kept.
.TP
64
Bad input; nothing was opened.
.TP
130, 143
Interrupted by SIGINT or SIGTERM; the partial result is kept.
"#;

fn man_entry(out: &mut String, spec: &OptionSpec, engines: &Engines) {
    let names = spec.names();
    let names = names.map(|n| format!("\\fB{}\\fR", roff(n))).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, ".TP\n{names} ({})", roff(&spec.kind.describe()));
    let _ = writeln!(out, "{}", roff(spec.help));
    for word in accepted_words(spec, engines) {
        let _ = writeln!(out, ".br\n\\fI{}\\fR: {}", roff(word.name), roff(word.help));
    }
    if !spec.default.is_empty() {
        // The default may be a list that is longer than a line. `\:` allows a line break after each colon.
        let _ = writeln!(out, ".br\nDefault: {}.", roff(spec.default).replace(':', ":\\:"));
    }
    match spec.support {
        Support::Done => {}
        Support::Noted(instead) => {
            let _ = writeln!(out, ".br\nAccepted with a note: {}.", roff(in_english(instead)));
        }
        Support::Refused(why) => {
            let _ = writeln!(out, ".br\nRefused: {}.", roff(why));
        }
    }
}

/// Escapes characters that are special in roff: backslashes, minus signs, and dots and quotes at the beginning of a
/// line.
fn roff(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-").replace('`', "");
    if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}") } else { escaped }
}
