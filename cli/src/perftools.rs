//! Calls of InterSystems PerfTools as users type or paste them, translated to `secchi db`:
//! `do ##class(PerfTools.RanRead).Run("/ISC/tests/TMP",5,60)`, `RanRead.Run /ISC/tests/TMP 5 60`, `ranread DIR 5 60`.
//!
//! Parameters differ between the versions of PerfTools: V0 (2016), V1 (2022), V2 (2023) and V3 (2024). A remark reports
//! the chosen meaning.

use std::ffi::OsString;

/// A call of one of the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    tool: Tool,
    method: String,
    arguments: Vec<String>,
    /// True if the call was made with `job`, which does not wait for its end.
    in_background: bool,
    /// Words after the call, such as `--need`.
    more: Vec<OsString>,
}

/// Class of PerfTools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Reads,
    Writes,
    Both,
}

impl Tool {
    fn named(name: &str) -> Option<Tool> {
        [Tool::Reads, Tool::Writes, Tool::Both].into_iter().find(|tool| tool.name().eq_ignore_ascii_case(name))
    }

    fn name(self) -> &'static str {
        match self {
            Tool::Reads => "RanRead",
            Tool::Writes => "RanWrite",
            Tool::Both => "RanIO",
        }
    }

    /// Returns the verb of `secchi db`.
    fn verb(self) -> String {
        self.name().to_ascii_lowercase()
    }
}

/// Command line of secchi for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Translated {
    /// The words after the program.
    pub(crate) words: Vec<OsString>,
    /// Remarks: the choice between meanings of a parameter, and what is ignored.
    pub(crate) remarks: Vec<String>,
}

/// Translates a command line; returns `None` if it is not a call of PerfTools.
///
/// # Errors
/// Returns a sentence if it is such a call and has a mistake.
pub(crate) fn translate(args: &[OsString]) -> Option<Result<Translated, String>> {
    Some(call_of(args)?.and_then(|call| call.translate()))
}

/// Returns the call in a command line.
fn call_of(args: &[OsString]) -> Option<Result<Call, String>> {
    let first = args.get(1)?.to_str()?;
    if let Some(tool) = Tool::named(first) {
        return Some(Ok(Call::of_words(tool, "Run", &args[2..])));
    }
    let at = if first == "db" { 2 } else { 1 };
    let text = args.get(at)?.to_str()?;
    let rest = &args[at + 1..];
    if let Some((tool, method)) = class_and_method(text) {
        return Some(Ok(Call::of_words(tool, method, rest)));
    }
    pasted(text, rest)
}

/// Splits `RanRead.Run` and `PerfTools.RanRead.Run`.
fn class_and_method(word: &str) -> Option<(Tool, &str)> {
    let (class, method) = word.rsplit_once('.')?;
    let tool = Tool::named(class.strip_prefix("PerfTools.").unwrap_or(class))?;
    method.bytes().all(|b| b.is_ascii_alphabetic()).then_some((tool, method))
}

/// Reads a line of ObjectScript, with or without its prompt and its command.
fn pasted(line: &str, rest: &[OsString]) -> Option<Result<Call, String>> {
    let (before, behind) = line.split_once("##class(")?;
    let command = before.rsplit('>').next().unwrap_or(before).trim();
    let in_background = match command.to_ascii_lowercase().as_str() {
        "do" | "d" | "" => false,
        "job" | "j" => true,
        _ => return None,
    };
    let (class, behind) = behind.split_once(')')?;
    let (method, inside) = behind.split_once('(')?;
    let name = format!("{class}{method}");
    let (tool, method) = class_and_method(&name)?;
    let more = rest.to_vec();
    Some(arguments(inside).map(|arguments| Call { tool, method: method.to_owned(), arguments, in_background, more }))
}

/// Reads the arguments of a call up to its closing bracket. Text has quotes, which are doubled inside of it.
fn arguments(inside: &str) -> Result<Vec<String>, String> {
    let (mut list, mut argument, mut in_quotes) = (Vec::new(), String::new(), false);
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if in_quotes && chars.peek() == Some(&'"') => {
                chars.next();
                argument.push('"');
            }
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => list.push(std::mem::take(&mut argument).trim().to_owned()),
            ')' if !in_quotes => {
                list.push(argument.trim().to_owned());
                while list.last().is_some_and(String::is_empty) {
                    list.pop();
                }
                return Ok(list);
            }
            c => argument.push(c),
        }
    }
    Err(format!("`{}` has no closing bracket", model::clip(inside)))
}

impl Call {
    /// Returns the call in words: the arguments are the words up to the first option.
    fn of_words(tool: Tool, method: &str, words: &[OsString]) -> Call {
        let is_option = |word: &OsString| word.to_str().is_some_and(|text| text.starts_with('-'));
        let end = words.iter().position(is_option).unwrap_or(words.len());
        let arguments = words[..end].iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Call { tool, method: method.to_owned(), arguments, in_background: false, more: words[end..].to_vec() }
    }

    fn number(&self, at: usize) -> Option<f64> {
        self.arguments.get(at)?.parse().ok()
    }

    /// Returns `true` for arguments of RanWrite.Run in V1: its fourth one is a pause in seconds, which is a fraction.
    fn is_first_version(&self) -> bool {
        self.arguments.len() > 5 || self.number(3).is_some_and(|pause| pause < 1.0)
    }

    /// Returns the names of the method's parameters; `None` if there is no such method.
    fn parameters(&self) -> Option<&'static [&'static str]> {
        Some(match (self.method.to_ascii_lowercase().as_str(), self.tool) {
            ("setup", Tool::Writes) | ("purge", _) => &["Directory", "Name"],
            ("setup", _) => &["Directory", "Name", "SizeGB", "LogLevel"],
            ("createglobals" | "addglobals", _) => &["Directory", "NumGlobals", "NumSubscripts"],
            ("run", Tool::Reads) => &["Directory", "Processes", "Count", "Mode"],
            ("run", Tool::Writes) if self.is_first_version() => &[
                "Directory",
                "Procs",
                "Seconds",
                "Hang",
                "HangVariationPct",
                "GlobalNameLen",
                "NodeDepth",
                "SubnodeLen",
            ],
            ("run", Tool::Writes) => &["Directory", "NumProcs", "RunTime", "TransactionLength", "HangTime"],
            ("run", Tool::Both) => &["Directory", "Processes", "RunTime", "TransactionLength", "HangTime", "ReadPct"],
            ("countsubscripts" | "getsizes" | "stop" | "reset" | "export", _) => &["Directory"],
            ("help", _) => &[],
            _ => return None,
        })
    }

    fn translate(&self) -> Result<Translated, String> {
        let Some(names) = self.parameters() else {
            let (tool, method) = (self.tool.name(), model::clip(&self.method.to_ascii_lowercase()));
            return Err(format!(
                "{tool} has no method `{method}`: it has Setup, CreateGlobals, AddGlobals, CountSubscripts, GetSizes, \
                 Run, Stop, Reset, Purge, Export and Help"
            ));
        };
        let (has, most) = (self.arguments.len(), names.len());
        if has > most {
            return Err(self.mistake(&format!("has {has} arguments, and takes at most {most}: {}", names.join(", "))));
        }
        let mut line = Line { call: self, names, words: vec!["db".into()], remarks: Vec::new() };
        let directory = line.text(0);
        match self.method.to_ascii_lowercase().as_str() {
            "run" => {
                line.put(&self.tool.verb()).directory()?;
                match self.tool {
                    Tool::Reads => line.random_reads()?,
                    Tool::Writes if self.is_first_version() => line.random_writes_of_v1()?,
                    Tool::Writes => line.put_options(&["--processes", "--time", "--txn", "--pause"])?,
                    Tool::Both => line.put_options(&["--processes", "--time", "--txn", "--pause", "--read-pct"])?,
                }
            }
            "setup" => {
                line.put("setup").directory()?;
                line.put_option("--name", line.text(1));
                if self.tool != Tool::Writes {
                    let size = line.number(2)?.unwrap_or("1");
                    line.put_option("--size", Some(&format!("{size}GiB")));
                }
                if line.text(3).is_some() {
                    line.remarks.push("LogLevel has no effect, as in PerfTools".to_owned());
                }
            }
            method @ ("createglobals" | "addglobals") => {
                let verb = if method == "addglobals" { "add-globals" } else { "create-globals" };
                line.put(verb).directory()?.put_options(&["--globals"])?;
                // 0 means the default.
                line.put_option("--subscripts", line.number(2)?.filter(|n| *n != "0"));
            }
            "countsubscripts" => drop(line.put("count-subscripts").directory()?),
            "getsizes" => drop(line.put("get-sizes").directory()?),
            "purge" => {
                line.put("purge").directory()?;
                if line.text(1).is_some() {
                    line.remarks.push("the name is ignored: the database is found by its directory".to_owned());
                }
            }
            "stop" => line.put("stop").on_a_database("ends the runs on all databases", directory)?,
            "reset" => line.put("reset").on_a_database("deletes the runs on all databases", directory)?,
            "export" => {
                line.put("export").put("--format").put("perftools-v3").put("--test").put(&self.tool.verb());
                line.put_option("--output", line.text(0));
                // The first argument is the directory of the files.
                line.on_a_database("exports the runs on all databases", None)?;
            }
            _ => drop(line.put("--help")),
        }
        Ok(line.finish())
    }

    fn mistake(&self, text: &str) -> String {
        format!("{}.{} {text}", self.tool.name(), self.method)
    }
}

/// Command line in the making.
struct Line<'a> {
    call: &'a Call,
    /// Names of the parameters.
    names: &'static [&'static str],
    words: Vec<OsString>,
    remarks: Vec<String>,
}

impl<'a> Line<'a> {
    fn put(&mut self, word: &str) -> &mut Self {
        self.words.push(word.into());
        self
    }

    fn put_option(&mut self, option: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.put(option).put(value);
        }
    }

    /// Adds the numbers after the directory, each as the value of an option.
    fn put_options(&mut self, options: &[&str]) -> Result<(), String> {
        for (at, option) in (1..).zip(options) {
            self.put_option(option, self.number(at)?);
        }
        Ok(())
    }

    /// Returns an argument; `None` if it is omitted.
    fn text(&self, at: usize) -> Option<&'a str> {
        self.call.arguments.get(at).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Returns an argument that must be a number. M prints and accepts `.5`.
    fn number(&self, at: usize) -> Result<Option<&'a str>, String> {
        let Some(text) = self.text(at) else { return Ok(None) };
        if self.call.number(at).is_some_and(|n| n.is_finite() && n >= 0.0) {
            return Ok(Some(text));
        }
        let name = self.names[at];
        Err(self.call.mistake(&format!("has `{}` as {name}: a number is expected", model::clip(text))))
    }

    /// Adds the directory, the first argument. Help needs none.
    fn directory(&mut self) -> Result<&mut Self, String> {
        match self.text(0) {
            Some(text) => Ok(self.put(text)),
            None if self.call.more.iter().any(|word| word == "--help" || word == "-h") => Ok(self),
            None => Err(self.call.mistake("has no directory: it is the first argument")),
        }
    }

    /// Adds the database of a method that has none in PerfTools, unless it is a word after the call.
    fn on_a_database(&mut self, meaning: &str, directory: Option<&str>) -> Result<(), String> {
        match directory {
            Some(text) => drop(self.put(text)),
            None if !self.call.more.is_empty() => {}
            None => return Err(self.call.mistake(&format!("{meaning}; add the directory of one after the call"))),
        }
        Ok(())
    }

    fn random_reads(&mut self) -> Result<(), String> {
        self.put_options(&["--processes"])?;
        let count = self.number(2)?;
        let are_iterations = match (self.number(3)?, count) {
            (None, None) | (Some("1"), _) => false,
            (Some("2"), _) => true,
            (None, Some(count)) => {
                // V0 recommends 10,000 iterations or more; as seconds, these would be hours.
                let many = self.call.number(2).is_some_and(|n| n >= 10_000.0);
                self.remarks.push(if many {
                    format!(
                        "{count} are the iterations of each process, as in PerfTools V0 (since V1: seconds; use --time)"
                    )
                } else {
                    format!("{count} is the time in seconds, as in PerfTools V1 to V3 (V0: iterations; use --count)")
                });
                many
            }
            (Some(other), _) => {
                return Err(self.call.mistake(&format!("has the mode {other}: 1 (seconds) and 2 (iterations) exist")));
            }
        };
        self.put_option(if are_iterations { "--count" } else { "--time" }, count);
        Ok(())
    }

    fn random_writes_of_v1(&mut self) -> Result<(), String> {
        self.put_options(&["--processes", "--time"])?;
        let pause = self.number(3)?.unwrap_or(".01");
        self.remarks.push(format!(
            "{pause} is the pause between writes in seconds, as in PerfTools V1 (since V2: sets per transaction; use \
             --txn)"
        ));
        self.put("--txn").put("1").put("--pause").put(&format!("{pause}s"));
        self.put_option("--pause-var", Some(self.number(4)?.unwrap_or("20")));
        // V1 creates its nodes itself. V2 documents this call for globals with integer subscripts.
        self.remarks.push(
            "existing records are updated; to create nodes with random names, as PerfTools V1 does, use \
             `create-globals --node-depth` and add --new-nodes"
                .to_owned(),
        );
        if self.call.arguments.len() > 5 {
            self.remarks.push("lengths and depth of names are ignored: they are those of the database".to_owned());
        }
        Ok(())
    }

    fn finish(mut self) -> Translated {
        if self.call.in_background {
            self.remarks
                .push("`job` waits here for its end, like `do`: start other calls in other terminals".to_owned());
        }
        self.words.extend(self.call.more.iter().cloned());
        let shown: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        self.remarks.insert(0, format!("this is `secchi {}`", shown.join(" ")));
        Translated { words: self.words, remarks: self.remarks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(words: &[&str]) -> (String, Vec<String>) {
        let args: Vec<OsString> = ["secchi"].iter().chain(words).map(OsString::from).collect();
        let line = translate(&args).expect("a call").expect("no mistake");
        let words: Vec<_> = line.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        (words.join(" "), line.remarks[1..].to_vec())
    }

    fn mistake(words: &[&str]) -> String {
        let args: Vec<OsString> = ["secchi"].iter().chain(words).map(OsString::from).collect();
        translate(&args).expect("a call").expect_err("a mistake")
    }

    #[test]
    fn documented_calls_of_all_versions_run_as_pasted() {
        for (pasted, expected) in [
            // V0
            (
                r#"do ##class(PerfTools.RanRead).Setup("I:\ZRANREAD","ZRANREAD",48,1)"#,
                r"db setup I:\ZRANREAD --name ZRANREAD --size 48GiB",
            ),
            (
                r#"USER>do ##class(PerfTools.RanRead).Run("I:\ZRANREAD",4,30000)"#,
                r"db ranread I:\ZRANREAD --processes 4 --count 30000",
            ),
            // V1
            (
                r#"do ##class(PerfTools.RanRead).Run("/ISC/tests/TMP",5,60,1)"#,
                "db ranread /ISC/tests/TMP --processes 5 --time 60",
            ),
            (
                r#"do ##class(PerfTools.RanRead).Run("/ISC/tests/TMP",5,1000,2)"#,
                "db ranread /ISC/tests/TMP --processes 5 --count 1000",
            ),
            (
                r#"USER> job ##class(PerfTools.RanWrite).Run("/ISC/tests/TMP",1,60,.001)"#,
                "db ranwrite /ISC/tests/TMP --processes 1 --time 60 --txn 1 --pause .001s --pause-var 20",
            ),
            // V2 and V3, with a bracket too many, as published
            (
                r#"USER>do ##class(PerfTools.RanRead).Run("/ISC/tests/TMP",5,60)"#,
                "db ranread /ISC/tests/TMP --processes 5 --time 60",
            ),
            (
                r#"USER>do ##class(PerfTools.RanWrite).Run("/ISC/tests/TMP",10,60,50,2))"#,
                "db ranwrite /ISC/tests/TMP --processes 10 --time 60 --txn 50 --pause 2",
            ),
            (
                r#"do ##class(PerfTools.RanIO).Run("/ISC/tests/TMP",10,60,50,2,70)"#,
                "db ranio /ISC/tests/TMP --processes 10 --time 60 --txn 50 --pause 2 --read-pct 70",
            ),
            (
                r#"do ##class(PerfTools.RanWrite).CreateGlobals("/ISC/tests/TMP",10,1000000)"#,
                "db create-globals /ISC/tests/TMP --globals 10 --subscripts 1000000",
            ),
            (
                r#"do ##class(PerfTools.RanWrite).AddGlobals("/ISC/tests/TMP",12)"#,
                "db add-globals /ISC/tests/TMP --globals 12",
            ),
            (
                r#"do ##class(PerfTools.RanWrite).CountSubscripts("/ISC/tests/TMP")"#,
                "db count-subscripts /ISC/tests/TMP",
            ),
            (r#"do ##class(PerfTools.RanWrite).GetSizes("/ISC/tests/TMP")"#, "db get-sizes /ISC/tests/TMP"),
            (r#"do ##class(PerfTools.RanRead).Purge("/ISC/tests/TMP")"#, "db purge /ISC/tests/TMP"),
            ("do ##class(PerfTools.RanRead).Help()", "db --help"),
        ] {
            assert_eq!(translated(&[pasted]).0, expected);
            assert_eq!(translated(&["db", pasted]).0, expected);
        }
    }

    #[test]
    fn calls_can_be_typed_as_words() {
        for words in [
            ["ranread", "/data", "5", "60", "--quiet"].as_slice(),
            &["db", "RanRead.Run", "/data", "5", "60", "--quiet"],
            &["db", "PerfTools.RanRead.Run", "/data", "5", "60", "--quiet"],
        ] {
            assert_eq!(translated(words).0, "db ranread /data --processes 5 --time 60 --quiet");
        }
        let stop = "do ##class(PerfTools.RanRead).Stop()";
        assert_eq!(translated(&[stop, "/data"]).0, "db stop /data");
        let export = r#"do ##class(PerfTools.RanIO).Export("/tmp/ ")"#;
        let expected = "db export --format perftools-v3 --test ranio --output /tmp/ /data";
        assert_eq!(translated(&["db", export, "/data"]).0, expected);
    }

    #[test]
    fn the_choice_between_versions_is_a_remark() {
        let remark = |third: &str| translated(&["ranread", "/d", "4", third]).1.remove(0);
        assert!(remark("60").starts_with("60 is the time in seconds"));
        assert!(remark("30000").starts_with("30000 are the iterations"));
        assert_eq!(translated(&["ranread", "/d", "4", "60", "1"]).1, [""; 0]);
        let job = translated(&[r#"job ##class(PerfTools.RanWrite).Run("/d",1,60,.001)"#]).1;
        assert!(job[0].starts_with(".001 is the pause") && job[2].starts_with("`job` waits"), "{job:?}");
    }

    #[test]
    fn mistakes_are_named() {
        for (words, expected) in [
            (["ranread", "/d", "many"].as_slice(), "RanRead.Run has `many` as Processes: a number is expected"),
            (&["ranread", "/d", "1", "60", "3"], "RanRead.Run has the mode 3: 1 (seconds) and 2 (iterations) exist"),
            (&["db", "RanRead.Run"], "RanRead.Run has no directory: it is the first argument"),
            (
                &["db", "RanRead.Stop"],
                "RanRead.Stop ends the runs on all databases; add the directory of one after the call",
            ),
            (
                &["db", "RanIO.Run", "/d", "1", "2", "3", "4", "5", "6"],
                "RanIO.Run has 7 arguments, and takes at most 6: Directory, Processes, RunTime, TransactionLength, \
                 HangTime, ReadPct",
            ),
            (&[r#"do ##class(PerfTools.RanRead).Run("/d",1"#], "`\"/d\",1` has no closing bracket"),
        ] {
            assert_eq!(mistake(words), expected);
        }
        assert!(mistake(&["db", "RanRead.Ran", "/d"]).starts_with("RanRead has no method `ran`: it has Setup, "));
    }

    #[test]
    fn other_command_lines_are_left_alone() {
        for words in
            [["db", "ranread", "/d"].as_slice(), &["qualify", "/d"], &["db", "sql", "/d", "select 1"], &["db"], &[]]
        {
            let args: Vec<OsString> = ["secchi"].iter().chain(words).map(OsString::from).collect();
            assert_eq!(translate(&args), None, "{words:?}");
        }
    }
}
