//! Conversion of entries into typed sections: inherits defaults and parses values. If an option is repeated, the last
//! value wins and a note is added.

use crate::engines::Engines;
use crate::entry::{Entry, Head, Raw, RawSection};
use crate::error::{JobError, NOT_DONE, Note, SourceLocation};
use crate::file::{JobFile, Section, TypedOption};
use crate::names::check_name;
use crate::options::{Context, JobOptions, KbBase, RunOptions, Setter, Support};
use crate::units::Units;
use crate::{check, text, value};
use messages::{Message, Sentence, sentence};
use model::{clip, units::nearest};
use std::collections::{BTreeMap, HashMap};

/// Options collected so far, both as parsed and as written.
#[derive(Clone)]
struct Scope {
    options: JobOptions,
    inherited: Vec<TypedOption>,
    own: Vec<TypedOption>,
    places: BTreeMap<&'static str, SourceLocation>,
}

impl Scope {
    /// Returns a scope in which every option has its default.
    fn new(engines: &Engines) -> Scope {
        let options = JobOptions::new(engines);
        Scope { options, inherited: Vec::new(), own: Vec::new(), places: BTreeMap::new() }
    }

    /// Returns a scope that inherits from this one.
    fn child(&self) -> Scope {
        let mut inherited = self.inherited.clone();
        for typed in &self.own {
            put_typed(&mut inherited, typed.clone());
        }
        Scope { options: self.options.clone(), inherited, own: Vec::new(), places: self.places.clone() }
    }
}

fn put_typed(list: &mut Vec<TypedOption>, typed: TypedOption) {
    match list.iter_mut().find(|t| t.name == typed.name) {
        Some(old) => *old = typed,
        None => list.push(typed),
    }
}

/// Parses all values and checks the result.
pub(crate) fn resolve(raw: Raw, engines: &Engines) -> Result<JobFile, JobError> {
    let mut notes = raw.notes;
    let (run, extra) = resolve_run(&raw.run, engines, &mut notes)?;
    if let Some(error) = raw.unset_in_path.filter(|_| !run.parse_only) {
        return Err(error);
    }
    let mut sections = Vec::new();
    let mut command_line = Scope::new(engines);
    let mut defaults = command_line.clone();
    let mut file = None;
    let mut seen: HashMap<(Option<usize>, String), SourceLocation> = HashMap::new();
    let mut names = Vec::new();
    let mut first_of_file = false;
    for raw_section in raw.sections {
        if raw_section.file != file {
            // Every file begins with the defaults from the command line. fio forgets them after the first file.
            first_of_file = raw_section.file.is_some_and(|n| n > 0);
            file = raw_section.file;
            defaults = command_line.clone();
        }
        let RawSection { at, head, entries, file } = raw_section;
        match head {
            Head::Global => {
                if let Some(entry) = entries.iter().find(|e| e.spec.name == "name") {
                    notes.push(Note::new(&entry.at, sentence!("job-name-of-defaults")));
                }
                apply(&mut defaults, &entries, (&run, engines), &mut notes)?;
                if file.is_none() {
                    command_line = defaults.clone();
                }
            }
            Head::Job(name) => {
                if let Some(before) = seen.insert((file, name.clone()), at.clone()) {
                    let name = clip(&name);
                    notes.push(Note::new(&at, sentence!("job-name-again", name, before = before.to_string())));
                }
                names.push(name.clone());
                if !run.sections.is_empty() && !run.sections.contains(&name) {
                    continue;
                }
                let mut scope = defaults.child();
                apply(&mut scope, &entries, (&run, engines), &mut notes)?;
                let barrier = scope.options.process.stonewall || std::mem::take(&mut first_of_file);
                let Scope { options, inherited, own, places } = scope;
                let name = renamed(&entries)?.unwrap_or(name);
                sections.push(Section { name, at, file, options, own, inherited, places, group: 0, barrier });
            }
        }
    }
    for wanted in &run.sections {
        if !names.contains(wanted) {
            let near = nearest(wanted, names.iter().map(String::as_str));
            let hint = near.map(|n| format!("; did you mean `{}`?", clip(n))).unwrap_or_default();
            return Err(JobError::new(&SourceLocation::Whole, format!("there is no section `{}`{hint}", clip(wanted))));
        }
    }
    number_groups(&mut sections);
    let globals = defaults.child().inherited;
    let mut file = JobFile { run, extra, sections, globals, notes };
    check::check(&mut file, engines)?;
    Ok(file)
}

/// Returns the name that `name=` gives to a section of a job file.
fn renamed(entries: &[Entry]) -> Result<Option<String>, JobError> {
    let Some(entry) = entries.iter().rev().find(|e| e.spec.name == "name") else { return Ok(None) };
    let given = entry.value.as_deref().unwrap_or("");
    check_name(given).map_err(|why| wrong(entry, why))?;
    Ok(Some(given.to_owned()))
}

/// Numbers the groups. A new group begins at a barrier or `new_group`, except at the first job (fio's `setup_groups`).
fn number_groups(sections: &mut [Section]) {
    let mut group = 0;
    for (i, section) in sections.iter_mut().enumerate() {
        if i > 0 && (section.barrier || section.options.report.new_group) {
            group += 1;
        }
        section.group = group;
    }
}

fn resolve_run(
    entries: &[Entry],
    engines: &Engines,
    notes: &mut Vec<Note>,
) -> Result<(RunOptions, Vec<TypedOption>), JobError> {
    let mut run = RunOptions::new(engines);
    let mut extra = Vec::new();
    for entry in entries {
        refuse(entry)?;
        let units = run.units();
        let value = value::read(&entry.spec.kind, entry.value.as_deref(), units)
            .map_err(|why| wrong(entry, &why.to_string()))?;
        let mut remarks = Vec::new();
        let mut context = Context { units, engines, notes: &mut remarks };
        match entry.spec.setter {
            Setter::Run(set) => set(&mut run, value, &mut context).map_err(|why| wrong(entry, &why.to_string()))?,
            _ => put_typed(&mut extra, typed(entry)),
        }
        remark(entry, remarks, notes);
    }
    Ok((run, extra))
}

fn typed(entry: &Entry) -> TypedOption {
    TypedOption { name: entry.spec.name, value: entry.value.as_deref().map(text::printable).unwrap_or_default() }
}

/// Returns an error such as `rw=raed: reason`, with the value shortened.
fn wrong(entry: &Entry, why: &str) -> JobError {
    let shown = match &entry.value {
        Some(value) if !value.is_empty() && !why.contains(&clip(value)) => {
            format!("{}={}", entry.spec.name, clip(&text::printable(value)))
        }
        _ => entry.spec.name.to_owned(),
    };
    JobError::new(&entry.at, format!("{shown}: {}", text::printable(why)))
}

fn refuse(entry: &Entry) -> Result<(), JobError> {
    match entry.spec.support {
        Support::Refused(why) => Err(JobError::new(&entry.at, format!("`{}` is {NOT_DONE}: {why}", entry.spec.name))),
        _ => Ok(()),
    }
}

fn remark(entry: &Entry, remarks: Vec<Sentence>, notes: &mut Vec<Note>) {
    let bare_off = matches!(entry.value.as_deref(), Some("0" | "none"));
    if let Support::Noted(instead) = entry.spec.support
        && !bare_off
    {
        let text = sentence!("job-of-option", option = entry.spec.name, what = Message::new(instead));
        notes.push(Note::new(&entry.at, text));
    }
    for what in remarks {
        notes.push(Note::new(&entry.at, sentence!("job-of-option", option = entry.spec.name, what)));
    }
}

/// Parses the entries of one section into its scope.
fn apply(
    scope: &mut Scope,
    entries: &[Entry],
    (run, engines): (&RunOptions, &Engines),
    notes: &mut Vec<Note>,
) -> Result<(), JobError> {
    let mut here: HashMap<&'static str, usize> = HashMap::new();
    // `kb_base` applies to the whole section, so it is parsed first.
    let (first, rest): (Vec<&Entry>, Vec<&Entry>) = entries.iter().partition(|e| e.spec.name == "kb_base");
    for (i, entry) in first.into_iter().chain(rest).enumerate() {
        refuse(entry)?;
        let kb_base = if scope.options.job.kb_base == KbBase::K1000 { 1000 } else { 1024 };
        let units = Units { kb_base, fio_compat: run.fio_compat };
        let value = value::read(&entry.spec.kind, entry.value.as_deref(), units)
            .map_err(|why| wrong(entry, &why.to_string()))?;
        let mut remarks = Vec::new();
        let mut context = Context { units, engines, notes: &mut remarks };
        match entry.spec.setter {
            Setter::Job(set) => {
                set(&mut scope.options, value, &mut context).map_err(|why| wrong(entry, &why.to_string()))?
            }
            Setter::Engine(option) => scope.options.engine.keep(option, value),
            Setter::Nowhere | Setter::Run(_) => {}
        }
        if let Some(size) = entry.value.as_deref().filter(|v| check::reads_otherwise(&entry.spec.kind, v, units)) {
            remarks.push(sentence!("job-size-binary", size = clip(size)));
        }
        if here.insert(entry.spec.name, i).is_some() {
            remarks.push(sentence!("job-given-again"));
        }
        remark(entry, remarks, notes);
        // The name is already stored in the section. In the list of options it would begin another job.
        if entry.spec.name != "name" {
            put_typed(&mut scope.own, typed(entry));
        }
        scope.places.insert(entry.spec.name, entry.at.clone());
    }
    check::check_scope(entries)
}
