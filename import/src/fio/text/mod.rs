//! fio's normal output, versions 1 to 3, from any system: jobs and groups, device statistics, and messages.
//!
//! Units differ between versions. Versions before 2.17 print `KB` for 1024 bytes, later versions print `KiB`. Version
//! 3 prints small latencies in nanoseconds. Counts with more than 5 digits are rounded and have a suffix
//! (`lib/num2str.c`). IOPS are first truncated to whole numbers.
//!
//! In client mode (`client.c`), each line from a server begins with the server's name, `<host> `. The line
//! `hostname=...` contains the server's version. Rates have no `B/s`, and the sum of several servers is reported as a
//! job named `All clients`.

mod job;
mod tail;

pub(crate) use tail::device_statistics;

use crate::fio::options;
use crate::format::Format;
use crate::text::figure;
use crate::text::source::{ImportError, Source, clip, is_typographic_dash, pass_over, remark};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignAsked, ForeignFile, ForeignTest, Way};

pub(crate) const FORMAT: Format = Format { name: "fio-text", shares_a_log: true, recognise, read };

/// Maximum number of remarks on skipped lines. A file with more skipped lines is mostly not fio output.
const MOST_REMARKS: usize = 50;

fn recognise(source: &Source<'_>) -> bool {
    let is_line = |line: &str| {
        line.contains(": (groupid=") && line.contains("err=")
            || line.trim_start().starts_with("Run status group ")
            // The run was started, but ended before it printed any result.
            || line.contains(": (g=") && line.contains("): rw=") && line.contains("ioengine=")
    };
    // Searching the whole text first saves time in long files of other formats.
    let text = source.text();
    [": (g", "Run status group "].iter().any(|part| text.contains(part)) && text.lines().any(is_line)
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut reader = Reader::default();
    // First part of a line that a mail program wrapped after a comma: `iops : min=322, avg=1843.17,` followed by
    // `samples=57259`.
    let mut open: Option<(u32, String)> = None;
    source.each_line(|number, line| {
        if let Some((_, start)) = open.as_mut().filter(|_| is_rest_of_line(line)) {
            start.push(' ');
            start.push_str(line);
        } else {
            if let Some((start, text)) = open.take() {
                reader.line(start, &text);
            }
            match line.ends_with(',') && !line.starts_with('|') {
                true => open = Some((number, line.to_owned())),
                false => reader.line(number, line),
            }
        }
    })?;
    if let Some((start, text)) = open {
        reader.line(start, &text);
    }
    reader.document_ends();
    if reader.files.is_empty() {
        let said = reader.errors.first().map_or_else(String::new, |(_, text)| format!(": {text}"));
        return Err(ImportError(format!("it is fio's output, but ends before the first result{said}")));
    }
    Ok(reader.files)
}

/// Returns `true` if a line continues a line that ended with a comma. It then contains only key-value pairs and no
/// heading.
fn is_rest_of_line(line: &str) -> bool {
    let key = line.split('=').next().unwrap_or_default();
    line.contains('=') && !key.contains(':') && !line.contains(": (g") && !line.starts_with('|')
        || line.starts_with(">=")
}

/// Removes the server name from a line printed in client mode: `<nodo2> Starting 2 processes`.
fn without_server(line: &str) -> &str {
    match line.strip_prefix('<').and_then(|rest| rest.split_once("> ")) {
        Some((host, rest)) if !host.is_empty() && !host.contains(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// Section of the output that the current lines belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// Job headers and messages.
    #[default]
    Head,
    /// Report of a job.
    Job,
    /// Group totals (`Run status group`).
    Group,
    /// Device statistics (`Disk stats`).
    Disks,
}

/// Options of a job, as printed in its header `name: (g=0): rw=...`.
struct Echo {
    name: String,
    group: String,
    asked: ForeignAsked,
}

#[derive(Default)]
struct Reader {
    files: Vec<ForeignFile>,
    file: ForeignFile,
    part: Part,
    echoes: Vec<Echo>,
    /// Options from a fio command line that was pasted above the output.
    command: Vec<(String, String)>,
    /// Number of processes or threads, such as `8 threads`.
    started: Option<String>,
    /// Names of jobs whose files were laid out for this run, with the layout, such as `1 file / 1024MiB`.
    laid_out: Vec<(String, String)>,
    /// Direction of the lines that follow.
    way: Option<Way>,
    /// Kind of latency to which the following percentiles apply, and their unit in seconds.
    percentiles: Option<(model::foreign::ForeignLatency, f64)>,
    passed_over: usize,
    /// Lines in which fio reports an error.
    errors: Vec<(u32, String)>,
}

impl Reader {
    fn line(&mut self, number: u32, line: &str) {
        let line = without_server(line);
        if options::says_error(line) {
            self.errors.push((number, clip(line)));
        } else if let Some(version) = line.strip_prefix("hostname=").and_then(server_version) {
            self.file.tool = version;
        } else if let Some((name, rest)) = line.split_once(": (g=") {
            self.echo(name, rest);
        } else if let Some(version) = version(line) {
            self.file.tool = version;
        } else if let Some((name, rest)) = line.split_once(": (groupid=") {
            self.job_begins(number, name, rest);
        } else if line.starts_with("Run status group ") {
            self.part = Part::Group;
            let name = line.trim_end_matches(':').trim_start_matches("Run status ").to_owned();
            self.file.groups.push(ForeignTest { name, line: number, ..ForeignTest::default() });
        } else if line.starts_with("Disk stats") && self.has_results() {
            self.part = Part::Disks;
        } else if self.is_of_part(number, line) || self.is_of_start(number, line) {
        } else {
            self.pass_over(number, line);
        }
    }

    /// Reads a line of the current section. Returns `false` for other lines.
    fn is_of_part(&mut self, number: u32, line: &str) -> bool {
        match self.part {
            Part::Head => false,
            Part::Job => self.job_line(number, line),
            Part::Group => self.group_line(number, line),
            Part::Disks => self.disk_line(number, line),
        }
    }

    /// Reads a line of the kind that appears before results and sometimes between them. Returns `false` for other
    /// lines.
    fn is_of_start(&mut self, number: u32, line: &str) -> bool {
        // This is a progress line. In client mode, its first word is missing.
        if line == "..." || line.starts_with("Jobs: ") || line.starts_with("(f=") {
        } else if let Some(what) = line.strip_prefix("Starting ") {
            self.started = Some(what.to_owned());
        } else if let Some((name, what)) = line.split_once(": Laying out IO file") {
            let how = what.trim_start_matches("(s)").trim().trim_matches(['(', ')']).replace("(s)", "s");
            self.laid_out.push((name.to_owned(), how));
        } else if let Some(options) = command(line) {
            if line.chars().any(is_typographic_dash) {
                self.file.remarks.push(remark(number, sentence!("import-fio-dashes")));
            }
            if self.has_results() {
                self.document_ends();
            }
            self.command = options;
        } else {
            return false;
        }
        true
    }

    fn has_results(&self) -> bool {
        !self.file.tests.is_empty() || !self.file.groups.is_empty()
    }

    fn pass_over(&mut self, number: u32, line: &str) {
        self.passed_over += 1;
        if self.passed_over <= MOST_REMARKS {
            pass_over(&mut self.file.remarks, number, line);
        }
    }

    fn echo(&mut self, name: &str, rest: &str) {
        // If there are results, the line belongs to another run.
        if self.has_results() {
            self.document_ends();
        }
        let (group, rest) = rest.split_once("):").unwrap_or((rest, ""));
        let mut asked = ForeignAsked::default();
        for (key, value, _) in pairs(rest) {
            match key {
                "rw" => asked.rw = Some(value.to_owned()),
                "ioengine" => asked.engine = Some(value.to_owned()),
                // The depth may be followed by the dots that denote identical jobs: `iodepth=64 ...`.
                "iodepth" => asked.depth = value.split(' ').next().and_then(|n| n.parse().ok()),
                "bs" => asked.block = blocks(value),
                other => asked.others.push((other.to_owned(), value.to_owned())),
            }
        }
        self.echoes.push(Echo { name: name.to_owned(), group: group.to_owned(), asked });
    }

    /// Applies facts that the whole document shares to its tests, and starts the next document.
    fn document_ends(&mut self) {
        if self.passed_over > MOST_REMARKS {
            let n = self.passed_over - MOST_REMARKS;
            self.file.remarks.push(remark(0, sentence!("import-more-lines", n)));
        }
        let mut file = std::mem::take(&mut self.file);
        self.put_together(&mut file);
        for test in &mut file.tests {
            self.settle(&mut test.asked, &test.name);
        }
        if !file.tests.is_empty() || !file.groups.is_empty() {
            options::part_clients(&mut file);
            options::record_errors(&mut file, std::mem::take(&mut self.errors));
            self.files.push(file);
            *self = Reader { files: std::mem::take(&mut self.files), ..Reader::default() };
        } else {
            self.file = file;
        }
    }

    /// Returns the options that all jobs in a group share.
    fn common(&self, group: &str) -> ForeignAsked {
        let mut requested = self.echoes.iter().filter(|e| e.group == group).map(|e| e.asked.clone());
        let first = requested.next().unwrap_or_default();
        requested.fold(first, |common, next| ForeignAsked {
            rw: common.rw.filter(|rw| next.rw.as_ref() == Some(rw)),
            engine: common.engine.filter(|engine| next.engine.as_ref() == Some(engine)),
            depth: common.depth.filter(|depth| next.depth == Some(*depth)),
            block: if common.block == next.block { common.block } else { [None; 2] },
            others: common.others.into_iter().filter(|other| next.others.contains(other)).collect(),
            ..ForeignAsked::default()
        })
    }

    /// Keeps only the shared options of jobs that are reported together under the name of the first job
    /// (`group_reporting`).
    fn put_together(&self, file: &mut ForeignFile) {
        let group = |t: &ForeignTest| t.asked.others.iter().find(|(k, _)| k == "group").map(|(_, v)| v.clone());
        let groups: Vec<Option<String>> = file.tests.iter().map(group).collect();
        for (test, group) in file.tests.iter_mut().zip(&groups) {
            let Some(name) = group else { continue };
            let is_alone = groups.iter().filter(|g| *g == group).count() == 1;
            let several = self.echoes.iter().filter(|e| e.group == *name).any(|e| e.name != test.name);
            if is_alone && several {
                let common = self.common(name);
                test.asked.rw = common.rw;
                (test.asked.engine, test.asked.depth, test.asked.block) = (common.engine, common.depth, common.block);
            }
        }
    }

    fn settle(&self, asked: &mut ForeignAsked, name: &str) {
        for (key, value) in &self.command {
            // fio's own output takes precedence over a command typed above it.
            let printed = (asked.rw.clone(), asked.block, asked.depth, asked.jobs, asked.engine.clone());
            options::option(asked, key, value);
            (asked.rw, asked.block, asked.depth, asked.jobs, asked.engine) = printed;
        }
        if let Some(started) = &self.started {
            asked.others.push(("started".to_owned(), started.clone()));
        }
        let made: Vec<&String> = self.laid_out.iter().filter(|(job, _)| job == name).map(|(_, how)| how).collect();
        if let Some(how) = made.first() {
            asked.others.push(("laid out".to_owned(), format!("{} times {how}", made.len())));
            if asked.size.is_none() {
                asked.size = how.rsplit('/').next().and_then(figure::size);
            }
        }
    }
}

/// Parses a version: `fio-3.30`, or `fio 1.59` as printed by version 1.
fn version(line: &str) -> Option<String> {
    let rest = line.strip_prefix("fio-").or_else(|| line.strip_prefix("fio "))?;
    let is = rest.starts_with(|c: char| c.is_ascii_digit())
        && !rest.contains([' ', ':', '='])
        && rest.contains('.')
        && rest.len() < 60;
    is.then(|| format!("fio-{rest}"))
}

/// Parses a server's version from `nodo2, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.25, flags=1`.
fn server_version(line: &str) -> Option<String> {
    pairs(line).into_iter().find(|(key, ..)| *key == "fio").and_then(|(_, value, _)| version(value))
}

/// Parses the options in a command line that runs fio. Returns `None` for other lines.
fn command(line: &str) -> Option<Vec<(String, String)>> {
    let mut words = line.split_ascii_whitespace();
    words.find(|word| {
        let name = word.rsplit(['/', '\\', '>']).next().unwrap_or(word);
        name.eq_ignore_ascii_case("fio") || name.eq_ignore_ascii_case("fio.exe")
    })?;
    let words: Vec<&str> = words.collect();
    let mut options = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let bare = word.trim_start_matches(|c| c == '-' || is_typographic_dash(c));
        if bare.len() == word.len() || bare.is_empty() {
            continue;
        }
        let next = words.get(i + 1).filter(|next| !next.starts_with(|c| c == '-' || is_typographic_dash(c)));
        match (bare.split_once('='), next) {
            (Some((key, value)), _) => options.push((key.to_owned(), value.to_owned())),
            (None, Some(value)) => options.push((bare.to_owned(), (*value).to_owned())),
            (None, None) => options.push((bare.to_owned(), "1".to_owned())),
        }
    }
    (!options.is_empty()).then_some(options)
}

/// Parses the smallest and largest block sizes of reads and writes, such as `4K-4K/4K-4K/4K-4K` or
/// `(R) 4096B-4096B, (W) ...`.
fn blocks(text: &str) -> [Option<(Bytes, Bytes)>; 2] {
    let mut list = text.split([',', '/']).map(|part| {
        let part = part.trim().trim_start_matches(|c: char| c == '(' || c == ')' || c == ' ' || c.is_ascii_uppercase());
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        Some((figure::size(low)?, figure::size(high)?))
    });
    let read = list.next().flatten();
    [read, list.next().unwrap_or(read)]
}

/// Splits a list of `key=value` pairs, and keeps the words as written. A comma is a separator only if a word with `=`
/// follows.
fn pairs(text: &str) -> Vec<(&str, &str, &str)> {
    let mut list: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for part in text.split(',') {
        let end = at + part.len();
        match list.last_mut() {
            Some(last) if !part.contains('=') => last.1 = end,
            _ => list.push((at, end)),
        }
        at = end + 1;
    }
    let cut = |(from, to): (usize, usize)| {
        let words = text[from..to].trim();
        let (key, value) = words.split_once('=')?;
        Some((key.trim(), value.trim(), words))
    };
    list.into_iter().filter_map(cut).collect()
}

#[cfg(test)]
mod tests;
