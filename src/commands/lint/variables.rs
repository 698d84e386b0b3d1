//! Variables of shell scripts and batch files, as far as the script itself tells what they stand for: `NAME=value`,
//! `for NAME in a b`, `${NAME:-default}`, `set NAME=value`, `for %%N in (a b) do`. The environment is not asked: the script
//! is for another day, and perhaps for another machine.

use std::collections::BTreeMap;

/// Most commands that one line is read as: what several loops around it make of it.
const MOST_READINGS: usize = 64;

/// What the names of a script stand for; those of loops for several values.
#[derive(Debug, Default)]
pub struct Variables(BTreeMap<String, Vec<String>>);

/// A reference to a variable.
#[derive(Debug, PartialEq, Eq)]
struct Reference<'a> {
    /// As it stands: `${D:-/dev/sdb}`.
    text: &'a str,
    name: &'a str,
    /// What it stands for where the name is not set.
    default: Option<&'a str>,
}

impl Variables {
    /// Takes in a statement that sets variables, and whatever else it is. `None` = it sets none.
    pub fn learn(&mut self, statement: &str) -> Option<()> {
        let words = super::words::split(&shielded(statement))?;
        let first = words.first()?;
        if first.eq_ignore_ascii_case("for") {
            return self.learn_loop(&words);
        }
        let assigned: &[String] = match first.as_str() {
            "export" | "readonly" | "local" | "declare" | "typeset" => &words[1..],
            _ if first.eq_ignore_ascii_case("set") => return self.learn_set(statement),
            _ => &words,
        };
        let pairs: Option<Vec<_>> = assigned
            .iter()
            .filter(|w| !w.starts_with('-'))
            .map(|w| w.split_once('=').filter(|(name, _)| is_name(name)))
            .collect();
        let pairs = pairs.filter(|p| !p.is_empty())?;
        for (name, value) in pairs {
            self.set(name, &[value.to_owned()]);
        }
        Some(())
    }

    /// `for NAME in a b c`, `for %%N in (a b c) do`.
    fn learn_loop(&mut self, words: &[String]) -> Option<()> {
        let name = words.get(1)?.trim_start_matches('%');
        if !is_name(name) || !words.get(2)?.eq_ignore_ascii_case("in") {
            return None;
        }
        let values: Vec<String> = words[3..]
            .iter()
            .take_while(|w| !w.eq_ignore_ascii_case("do"))
            .flat_map(|w| w.trim_matches(['(', ')']).split([',', ' ']).map(str::to_owned).collect::<Vec<_>>())
            .filter(|w| !w.is_empty())
            .collect();
        // A list in a variable is a list here.
        let lists = values.iter().flat_map(|v| self.readings(v));
        let values: Vec<String> =
            lists.flat_map(|v| v.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
        self.set(name, &values);
        Some(())
    }

    /// A batch's `set NAME=value` and `set "NAME=value"`.
    fn learn_set(&mut self, statement: &str) -> Option<()> {
        let rest = statement.trim_start().get(3..)?.trim().trim_matches('"');
        let (name, value) = rest.split_once('=').filter(|(name, _)| is_name(name))?;
        self.set(name, &[value.to_owned()]);
        Some(())
    }

    fn set(&mut self, name: &str, values: &[String]) {
        // What only running it would tell is not known.
        let known: Option<Vec<String>> =
            values.iter().map(|v| self.readings(v)).map(|r| (r.len() == 1).then(|| r[0].clone())).collect();
        match known.filter(|k| !k.is_empty() && !k.iter().any(|v| !unset(v).is_empty())) {
            Some(values) => self.0.insert(name.to_owned(), values),
            None => self.0.remove(name),
        };
    }

    /// A statement with its variables replaced: one reading for each combination of the values of loops; variables that
    /// nothing is known of are left as they stand.
    pub fn readings(&self, text: &str) -> Vec<String> {
        let mut readings = vec![String::new()];
        let mut chosen: Vec<BTreeMap<&str, &str>> = vec![BTreeMap::new()];
        let mut done = 0;
        for (at, reference) in references(text) {
            readings.iter_mut().for_each(|r| r.push_str(&text[done..at]));
            done = at + reference.text.len();
            let values = self.0.get(reference.name);
            let is_new = chosen.iter().all(|c| !c.contains_key(reference.name));
            match (values, reference.default) {
                (Some(values), _) if is_new && values.len() > 1 && readings.len() * values.len() <= MOST_READINGS => {
                    let each = readings.iter().zip(&chosen).flat_map(|(reading, choice)| {
                        values.iter().map(move |value| {
                            let choice = choice.iter().map(|(n, v)| (*n, *v)).chain([(reference.name, value.as_str())]);
                            (format!("{reading}{value}"), choice.collect())
                        })
                    });
                    (readings, chosen) = each.unzip();
                }
                (Some(values), _) => {
                    for (reading, choice) in readings.iter_mut().zip(&chosen) {
                        reading.push_str(choice.get(reference.name).copied().unwrap_or(&values[0]));
                    }
                }
                (None, Some(default)) => readings.iter_mut().for_each(|r| r.push_str(default)),
                (None, None) => readings.iter_mut().for_each(|r| r.push_str(reference.text)),
            }
        }
        readings.iter_mut().for_each(|r| r.push_str(&text[done..]));
        readings
    }
}

/// The variables and commands in a word whose values only running the script would tell, as they stand.
pub fn unset(word: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, reference) in references(word) {
        if !found.iter().any(|f| f == reference.text) {
            found.push(reference.text.to_owned());
        }
    }
    if let Some(at) = word.find("$(").or_else(|| word.find('`')) {
        found.push(word[at..].to_owned());
    }
    found
}

/// Signs that would be a variable's, and what they are while words are split where they stand for themselves.
const SHIELDED: [(char, char); 3] = [('$', '\u{e000}'), ('%', '\u{e001}'), ('`', '\u{e002}')];

/// A statement in which signs that stand for themselves, in single quotes or behind a backslash, are told from variables.
pub fn shielded(text: &str) -> String {
    let mut quotes = Quotes::default();
    let shield = |c: char| {
        let literal = quotes.is_literal(c);
        SHIELDED.iter().find(|s| s.0 == c && literal).map_or(c, |s| s.1)
    };
    text.chars().map(shield).collect()
}

/// What was shielded, as it stands.
pub fn unshielded(word: &str) -> String {
    word.chars().map(|c| SHIELDED.iter().find(|s| s.1 == c).map_or(c, |s| s.0)).collect()
}

/// Whether a script may call a variable so.
fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The references of a text, in their order, each with its place. What stands in single quotes is none, and neither is what a
/// backslash stands before.
fn references(text: &str) -> Vec<(usize, Reference<'_>)> {
    let mut quotes = Quotes::default();
    let mut found: Vec<(usize, Reference)> = Vec::new();
    for (at, c) in text.char_indices() {
        let is_within = found.last().is_some_and(|(start, last)| at < start + last.text.len());
        if is_within || quotes.is_literal(c) {
            continue;
        }
        let reference = match c {
            '$' => of_shell(&text[at..]),
            '%' => of_batch(&text[at..]),
            _ => None,
        };
        found.extend(reference.map(|r| (at, r)));
    }
    found
}

/// Where a shell's quotes stand while a text is gone through.
#[derive(Default)]
struct Quotes {
    single: bool,
    double: bool,
    escaped: bool,
}

impl Quotes {
    /// Goes on by a sign: whether it stands for itself, in single quotes or behind a backslash.
    fn is_literal(&mut self, c: char) -> bool {
        if std::mem::take(&mut self.escaped) {
            return true;
        }
        match c {
            '\'' if !self.double => self.single = !self.single,
            '"' if !self.single => self.double = !self.double,
            '\\' => self.escaped = !self.single,
            _ => {}
        }
        self.single
    }
}

/// `$NAME`, `$1`, `${NAME}`, `${NAME:-default}`.
fn of_shell(text: &str) -> Option<Reference<'_>> {
    let body = text.strip_prefix('$')?;
    if let Some(inner) = body.strip_prefix('{') {
        let inner = &inner[..inner.find('}')?];
        let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let (name, more) = inner.split_at(end);
        let default = more.strip_prefix(":-").or_else(|| more.strip_prefix('-')).or_else(|| more.strip_prefix(":="));
        // Cuts and replacements are for a shell to do.
        let name = if more.is_empty() || default.is_some() { name } else { "" };
        return Some(Reference { text: &text[..inner.len() + 3], name, default });
    }
    let end = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
    let end = if body.starts_with(|c: char| c.is_ascii_digit()) { 1 } else { end };
    (end > 0).then(|| Reference { text: &text[..=end], name: &body[..end], default: None })
}

/// `%NAME%`, `%%N`, `%1`.
fn of_batch(text: &str) -> Option<Reference<'_>> {
    let body = text.strip_prefix('%')?;
    if let Some(letter) = body.strip_prefix('%').filter(|b| b.starts_with(|c: char| c.is_ascii_alphabetic())) {
        return Some(Reference { text: &text[..3], name: &letter[..1], default: None });
    }
    let end = body.find('%').filter(|end| is_name(&body[..*end]))?;
    Some(Reference { text: &text[..end + 2], name: &body[..end], default: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> Variables {
        let mut variables = Variables::default();
        for line in lines {
            variables.learn(line);
        }
        variables
    }

    #[test]
    fn what_the_script_sets_is_read_and_what_it_does_not_is_left() {
        let known = after(&["D=/dev/vda", "export B=8k OPTS=\"--direct=1 --rw=randwrite\"", "set \"T=60\""]);
        assert_eq!(
            known.readings("--filename=$D --bs=${B} $OPTS --runtime=%T%"),
            ["--filename=/dev/vda --bs=8k --direct=1 --rw=randwrite --runtime=60"]
        );
        assert_eq!(
            known.readings("'$D' \\$D $1 ${E:-/dev/vdb} $F 50% 10%,20%"),
            ["'$D' \\$D $1 /dev/vdb $F 50% 10%,20%"]
        );
        assert_eq!(known.readings("\"it's $D\" '$B' \"$B\""), ["\"it's /dev/vda\" '$B' \"8k\""]);
        assert_eq!(unset("--bs=$F:$1"), ["$F", "$1"]);
        assert_eq!(unset("--name=$(hostname)"), ["$(hostname)"]);
        assert_eq!(unset("--size=50%"), [""; 0]);
    }

    #[test]
    fn a_loop_is_read_once_for_each_value_and_each_pair_of_values() {
        let mut known = after(&["for b in 4k 8k", "for %%d in (1,2) do"]);
        assert_eq!(
            known.readings("--bs=$b -q=%%d --name=r$b"),
            [
                "--bs=4k -q=1 --name=r4k",
                "--bs=4k -q=2 --name=r4k",
                "--bs=8k -q=1 --name=r8k",
                "--bs=8k -q=2 --name=r8k"
            ]
        );
        known.learn("ALL='8k 64k'");
        known.learn("for s in $ALL 1m");
        assert_eq!(known.readings("$s"), ["8k", "64k", "1m"]);
        // Many loops in each other are read by their first values.
        for name in ["c", "d", "e", "f", "g"] {
            known.learn(&format!("for {name} in 1 2 3 4"));
        }
        assert_eq!(known.readings("$b $c $d $e $f $g").len(), 32);
    }

    #[test]
    fn a_value_that_only_a_run_would_tell_is_not_known() {
        let known = after(&["D=/dev/vda", "D=$(losetup -f)", "E=$1", "F=`pwd`"]);
        assert_eq!(known.readings("$D $E $F"), ["$D $E $F"]);
    }
}
