//! Parser tests from case files: each contains a job text, followed by the expected result as comments.
//! `SECCHI_BLESS=1` writes the results.
//!
//! If the first line is `# args: ...`, it contains a command line, split at spaces outside of quotes. The text below it
//! is then the job file `job.fio`, and lines `# file NAME: text|text` define other files, with `|` for a newline.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const MARK: &str = "# ---- understood as ----";

struct Files(BTreeMap<String, String>);

impl job::Lookup for Files {
    fn read(&self, path: &Path, _: Option<&str>) -> Result<Vec<u8>, job::LookupError> {
        let name = path.to_string_lossy();
        self.0.get(name.as_ref()).map(|t| t.clone().into_bytes()).ok_or_else(|| "no such file".into())
    }

    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "SIZE" => Some("64m".into()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    fn engines(&self) -> &job::Engines {
        support::engines()
    }

    fn machine(&self) -> job::Machine {
        job::Machine { cpus: 4, page_size: 4096, memory_mb: 16_384 }
    }
}

/// Splits a command line at spaces outside of quotes.
fn part(line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, ' ') => parts.extend(current.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                current.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (_, c) => current.get_or_insert_default().push(c),
        }
    }
    parts.extend(current);
    parts
}

/// Writes the fields of a struct's debug output that differ from the debug output of its default, one per line.
fn differences(out: &mut String, group: &str, value: &str, default: &str) {
    let fields = |text: &str| {
        let mut fields: Vec<(String, String)> = Vec::new();
        let last = text.lines().count() - 1;
        for line in text.lines().take(last).skip(1) {
            match line.strip_prefix("    ").filter(|l| !l.starts_with([' ', ']', '}', ')'])) {
                Some(field) if field.contains(": ") => {
                    let (name, rest) = field.split_once(": ").expect("just seen");
                    fields.push((name.to_owned(), rest.trim_end_matches(',').to_owned()));
                }
                _ => {
                    if let Some((_, text)) = fields.last_mut() {
                        text.push(' ');
                        text.push_str(line.trim());
                    }
                }
            }
        }
        fields
    };
    for ((name, text), (_, usual)) in fields(value).into_iter().zip(fields(default)) {
        if text != usual {
            let text = text
                .trim_end_matches(',')
                .replace(", }", " }")
                .replace(", ]", " ]")
                .replace(", )", ")")
                .replace("( ", "(");
            let _ = writeln!(out, "  {group}.{name}: {text}");
        }
    }
}

/// Returns the options of a job for which no options are given.
fn default_options() -> job::JobOptions {
    let file = job::parse_text("defaults", b"[job]\n", &Files(BTreeMap::new())).expect("a job needs no options");
    file.sections.into_iter().next().expect("one section").options
}

macro_rules! all_differences {
    ($out:expr, $section:expr, $($group:ident)*) => {{
        let default = default_options();
        $(differences(
            $out,
            stringify!($group),
            &format!("{:#?}", $section.options.$group),
            &format!("{:#?}", default.$group),
        );)*
    }};
}

fn describe(outcome: Result<job::JobFile, job::JobError>) -> String {
    let file = match outcome {
        Ok(file) => file,
        Err(error) => return format!("error: {error}\n"),
    };
    let mut out = String::new();
    differences(
        &mut out,
        "run",
        &format!("{:#?}", file.run),
        &format!("{:#?}", job::RunOptions::new(support::engines())),
    );
    for section in &file.sections {
        let barrier = if section.barrier { ", after all before" } else { "" };
        let _ = writeln!(out, "job `{}`, group {}{barrier}", section.name, section.group);
        all_differences!(&mut out, section, job time files pattern block buffers engine depth rate goals verify process logs report);
    }
    for note in &file.notes {
        let _ = writeln!(out, "note: {note}");
    }
    if !file.sections.is_empty() {
        out.push_str(&job::command_line(&file));
    }
    out
}

fn run(text: &str) -> Result<job::JobFile, job::JobError> {
    let Some(first) = text.lines().next().and_then(|l| l.strip_prefix("# args: ")) else {
        return job::parse_text("job.fio", text.as_bytes(), &files(text));
    };
    job::parse_arguments(&part(first), &[], &files(text))
}

fn files(text: &str) -> Files {
    let mut files = BTreeMap::from([("job.fio".to_owned(), text.to_owned())]);
    for line in text.lines() {
        if let Some((name, body)) = line.strip_prefix("# file ").and_then(|l| l.split_once(": ")) {
            files.insert(name.to_owned(), body.replace('|', "\n"));
        }
    }
    Files(files)
}

#[test]
fn every_case_is_understood_as_its_comment_says() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let bless = std::env::var_os("SECCHI_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(&dir).expect("the cases").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= 40, "{} cases", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a case is text");
        let job = text.split(MARK).next().unwrap_or(&text).trim_end();
        let mut expected = format!("{job}\n\n{MARK}\n");
        for line in describe(run(job)).lines() {
            let _ = writeln!(expected, "# {line}");
        }
        if expected != text {
            if bless {
                std::fs::write(&path, &expected).expect("the case can be written");
            } else {
                wrong.push(format!("{}:\n{expected}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not as their comments say (SECCHI_BLESS=1 writes them):\n{}", wrong.join("\n"));
}

#[test]
fn a_command_line_made_of_jobs_is_understood_as_the_same_jobs() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for entry in std::fs::read_dir(dir).expect("the cases") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a case is text");
        let Ok(file) = run(text.split(MARK).next().unwrap_or(&text)) else { continue };
        // Several job files become several command lines, which cannot be parsed together.
        let line = job::command_line(&file);
        if line.lines().count() != 1 {
            continue;
        }
        let mut args = shell(line.trim().strip_prefix("fio ").unwrap_or_default());
        args.extend(file.run.fio_compat.then(|| "--fio-compat".to_owned()));
        args.extend(file.run.allow_cap.then(|| "--allow-cap".to_owned()));
        let again = job::parse_arguments(&args, &[], &files("")).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let bare =
            |f: &job::JobFile| f.sections.iter().map(|s| (s.name.clone(), s.options.clone())).collect::<Vec<_>>();
        assert_eq!(bare(&again), bare(&file), "{}: {line}", path.display());
    }
}

/// Splits a line like a POSIX shell, as far as this is needed for the quoting of `command_line`.
fn shell(line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut current: Option<String> = None;
    let mut chars = line.chars();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                quoted = !quoted;
                current.get_or_insert_default();
            }
            '\\' if !quoted => current.get_or_insert_default().extend(chars.next()),
            ' ' if !quoted => parts.extend(current.take()),
            c => current.get_or_insert_default().push(c),
        }
    }
    parts.extend(current);
    parts
}
