//! Report on one job, or on all jobs in a group together.

use super::{Part, Reader, pairs};
use crate::fio::options;
use crate::text::dates;
use crate::text::figure::{self, Cut, Figure, counted, unmeasured};
use crate::text::source::{clip, fault, remark};
use messages::sentence;
use model::foreign::{ForeignLatency, ForeignTest, ForeignValue, Quantity, Statistic, Way};

impl Reader {
    /// Starts a report: `read: (groupid=0, jobs=8): err= 0: pid=7876: Fri Apr 8 13:31:26 2022`.
    pub(super) fn job_begins(&mut self, number: u32, name: &str, rest: &str) {
        self.part = Part::Job;
        self.way = None;
        self.percentiles = None;
        let (inside, rest) = rest.split_once("):").unwrap_or((rest, ""));
        let (group, jobs) = inside.split_once(',').unwrap_or((inside, ""));
        let echo = self.echoes.iter().find(|e| e.group == group && e.name == name);
        // For an unknown name, only the options that all jobs in the group share are known.
        let mut asked = echo.map_or_else(|| self.common(group), |echo| echo.asked.clone());
        asked.jobs = jobs.trim().strip_prefix("jobs=").and_then(|n| n.parse().ok());
        asked.others.push(("group".to_owned(), group.to_owned()));
        let mut test = ForeignTest { name: name.to_owned(), line: number, asked, ..ForeignTest::default() };
        let mut words = rest.splitn(3, ": ");
        let error = words.next().unwrap_or_default().trim();
        let code = error.strip_prefix("err=").unwrap_or_default().trim();
        if let Some((value, _)) = figure::number(code).filter(|(f, _)| f.value != 0.0) {
            test.values.push(value.to_value(Way::All, Quantity::Errors, Cut::Exact, number, error));
            fault(&mut self.file, number, || sentence!("import-fio-job-error", name, error = clip(code)));
        }
        // The rest is `pid=7876: DATE`.
        let pid = words.next().unwrap_or_default();
        let when = words.next().unwrap_or_default().trim();
        if !when.is_empty() {
            self.file.when = when.to_owned();
            self.file.began = dates::ctime(when);
        }
        // With --status-interval, a job is reported repeatedly: the last report is used.
        let pid = pid.trim().to_owned();
        let same = |t: &ForeignTest| {
            t.name == test.name && !pid.is_empty() && t.asked.others.iter().any(|(k, v)| k == "pid" && *v == pid)
        };
        if let Some(at) = self.file.tests.iter().position(same) {
            let before = self.file.tests.remove(at);
            let text = sentence!("import-fio-reported-before", name, line = before.line);
            self.file.remarks.push(remark(number, text));
            self.file.faults.retain(|fault| fault.line != before.line);
            self.file.groups.clear();
            self.file.disks.clear();
        }
        if !when.is_empty() {
            test.asked.others.push(("reported".to_owned(), when.to_owned()));
        }
        if !pid.is_empty() {
            test.asked.others.push(("pid".to_owned(), pid));
        }
        self.file.tests.push(test);
    }

    /// Reads a line of a job's report. Returns `false` for other lines.
    pub(super) fn job_line(&mut self, number: u32, line: &str) -> bool {
        if line.starts_with('|') {
            return self.percentile_line(number, line);
        }
        let Some((head, rest)) = line.split_once(':') else { return false };
        let (head, rest) = (head.trim(), rest.trim());
        let (word, unit) = match head.split_once('(') {
            Some((word, unit)) => (word.trim(), unit.trim_end_matches(')').trim()),
            None => (head, ""),
        };
        let values = match word {
            "read" | "write" | "trim" | "mixed" if rest.contains('=') => {
                self.way = Some(way(word));
                self.rates(number, rest)
            }
            "fsync/fdatasync/sync_file_range" => {
                self.way = Some(Way::Sync);
                return true;
            }
            "slat" | "clat" | "lat" | "sync" if rest.starts_with("min") => self.latency(number, word, unit, rest),
            "lat" => shares(number, unit, rest),
            "clat percentiles" | "lat percentiles" | "slat percentiles" | "sync percentiles" => {
                self.percentiles = of_latency(word).zip(figure::unit_of_time(unit));
                return self.percentiles.is_some();
            }
            "bw" if rest.contains('=') => self.samples(number, unit, rest, Quantity::Bandwidth),
            "iops" if rest.contains('=') => self.samples(number, "", rest, Quantity::Iops),
            "cpu" => cpu(number, rest),
            "IO depths" => depths(number, rest),
            "submit" | "complete" => return true,
            "Description" => {
                let description = rest.trim_matches(['[', ']']).to_owned();
                if let Some(test) = self.file.tests.last_mut() {
                    test.asked.others.push(("description".to_owned(), description));
                }
                return true;
            }
            "issued rwts" | "issued rwt" | "issued" | "issued r/w" | "issued r/w/d" => self.issued(number, rest),
            "errors" => errors(number, rest),
            "latency" | "steadystate" => {
                // Without a latency target (`target=0`, `target=0.00ns`), the line has no information.
                let target = pairs(rest).into_iter().find(|(key, ..)| *key == "target");
                let is_none = target.and_then(|(_, text, _)| figure::number(text)).is_some_and(|(f, _)| f.value == 0.0);
                // Without a latency target, this is the requested depth.
                if let Some((_, depth, _)) = pairs(rest).into_iter().find(|(key, ..)| is_none && *key == "depth")
                    && self.echoes.is_empty()
                    && let Some(test) = self.file.tests.last_mut()
                {
                    test.asked.depth = depth.parse().ok();
                }
                if word == "steadystate" || !is_none {
                    self.file.remarks.push(remark(number, format!("{word}: {rest}")));
                }
                return true;
            }
            _ => return false,
        };
        self.percentiles = None;
        if values.is_empty() {
            return false;
        }
        if let Some(test) = self.file.tests.last_mut() {
            test.values.extend(values);
        }
        true
    }

    /// Returns `true` if 1 `KB` is 1024 bytes (before 2.17), or `None` if the version is unknown.
    pub(super) fn has_old_units(&self) -> Option<bool> {
        let mut numbers = self.file.tool.strip_prefix("fio-")?.split(['.', '-']).map_while(|n| n.parse::<u32>().ok());
        let (major, minor) = (numbers.next()?, numbers.next().unwrap_or(0));
        Some((major, minor) < (2, 17))
    }

    /// Parses a number of bytes with its unit. Also returns a doubt if the unit is ambiguous.
    pub(super) fn bytes(&self, text: &str) -> Option<(Figure, Option<String>)> {
        let old = self.has_old_units();
        let (figure, rest) = figure::bytes(text, old.unwrap_or(false))?;
        let written = &text[..text.len() - rest.len()];
        // The unit is `MiB`, or in client mode `Mi`.
        let sure = written.contains('i') || old.is_some() || written.ends_with(|c: char| c.is_ascii_digit());
        Some((figure, (!sure).then(|| "unit guessed: the file does not say if K is 1000 or 1024".to_owned())))
    }

    /// Parses a rate or amount that is written in units of 1024 and of 1000: `24.9MiB/s (26.1MB/s)`. Together, the two
    /// numbers narrow the interval of possible values.
    pub(super) fn twice(
        &self,
        way: Way,
        quantity: Quantity,
        line: u32,
        text: &str,
        words: &str,
    ) -> Option<ForeignValue> {
        let (first, doubt) = self.bytes(text)?;
        let mut value = first.to_value(way, quantity, Cut::Either, line, words);
        value.doubt = doubt;
        if let Some((other, _)) = text.split_once('(').and_then(|(_, other)| self.bytes(other)) {
            let (a, b) = (value.between, other.between(Cut::Either));
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                value.between = (low, high);
                value.value = value.value.map(|v| v.clamp(low, high));
            }
        }
        Some(value)
    }

    /// Parses `IOPS=3188, BW=24.9MiB/s (26.1MB/s)(2048MiB/82215msec)` or
    /// `io=4096.0MB, bw=223054KB/s, iops=55763, runt= 18804msec`.
    fn rates(&self, line: u32, rest: &str) -> Vec<ForeignValue> {
        let way = self.way.unwrap_or(Way::All);
        let mut values = Vec::new();
        for (key, text, words) in pairs(rest) {
            match key {
                "IOPS" | "iops" => {
                    let to_rate = |(f, _): (Figure, _)| {
                        // Rates are truncated to whole numbers. Rates with a suffix are then also rounded to the
                        // nearest printed digit.
                        let cut = if f.ulp <= 1.0 { Cut::Down } else { Cut::Nearest };
                        f.to_value(way, Quantity::Iops(Statistic::Overall), cut, line, words)
                    };
                    values.extend(counted(text).map(to_rate));
                }
                "BW" | "bw" => {
                    let rate = text.split(")(").next().unwrap_or(text);
                    values.extend(self.twice(way, Quantity::Bandwidth(Statistic::Overall), line, rate, words));
                    let amount = text.rfind('(').map(|at| &text[at + 1..]).and_then(|t| t.split_once('/'));
                    if let Some((moved, time)) = amount.filter(|(_, time)| time.contains("sec")) {
                        values.extend(self.twice(way, Quantity::Moved, line, moved, words));
                        values.extend(runtime(way, line, time, words));
                    }
                }
                "io" => values.extend(self.twice(way, Quantity::Moved, line, text, words)),
                "runt" => values.extend(runtime(way, line, text, words)),
                _ => {}
            }
        }
        values
    }

    /// Parses `clat (usec): min=201, max=8368, avg=504.25, stdev=337.74`.
    fn latency(&self, line: u32, word: &str, unit: &str, rest: &str) -> Vec<ForeignValue> {
        let (Some(kind), Some(unit)) = (of_latency(word), figure::unit_of_time(unit)) else { return Vec::new() };
        let way = if word == "sync" { Way::Sync } else { self.way.unwrap_or(Way::All) };
        let to_value = |(key, text, words): (&str, &str, &str)| {
            let (statistic, cut) = statistic(key)?;
            let (figure, _) = counted(text)?;
            Some(figure.times(unit).to_value(way, Quantity::Latency(kind, statistic), cut, line, words))
        };
        pairs(rest).into_iter().filter_map(to_value).collect()
    }

    /// Parses `bw (  KiB/s): min=13658, max=41632, per=100.00%, avg=32085.50, stdev=2717.61, samples=271`.
    fn samples(&self, line: u32, unit: &str, rest: &str, quantity: fn(Statistic) -> Quantity) -> Vec<ForeignValue> {
        let way = self.way.unwrap_or(Way::All);
        let unit: String = unit.chars().filter(|c| !c.is_whitespace()).collect();
        let (scale, doubt) = match unit.trim_end_matches("/s") {
            "" => (1.0, None),
            word => match self.bytes(&format!("1{word}")) {
                Some((figure, doubt)) => (figure.value, doubt),
                None => return Vec::new(),
            },
        };
        let to_value = |(key, text, words): (&str, &str, &str)| {
            let (statistic, cut) = statistic(key)?;
            let (figure, _) = counted(text)?;
            let scale = if statistic == Statistic::Samples { 1.0 } else { scale };
            let value = figure.times(scale).to_value(way, quantity(statistic), cut, line, words);
            Some(ForeignValue { doubt: doubt.clone(), ..value })
        };
        pairs(rest).into_iter().filter_map(to_value).collect()
    }

    /// Parses `|  1.00th=[  233],  5.00th=[  253]`.
    fn percentile_line(&mut self, line: u32, text: &str) -> bool {
        let (Some((kind, unit)), Some(test)) = (self.percentiles, self.file.tests.last_mut()) else { return false };
        let way = self.way.unwrap_or(Way::All);
        for word in text.trim_start_matches('|').split(']') {
            let word = word.trim().trim_start_matches(',').trim();
            let Some((percent, value)) = word.split_once("th=[") else { continue };
            let (Some(percent), Some((value, _))) =
                (figure::whole(percent), counted(value.trim_start_matches([' ', '>', '='])))
            else {
                continue;
            };
            // fio converts nanoseconds to the unit of the line and rounds up.
            let quantity = Quantity::Latency(kind, Statistic::Percentile(percent.value));
            test.values.push(value.times(unit).to_value(way, quantity, Cut::Up, line, format!("{word}]")));
        }
        true
    }

    /// Parses `total=262144,0,0,0 short=0,0,0,0 dropped=0,0,0,0` or `total=r=786347/w=262229/d=0, short=...`.
    fn issued(&mut self, line: u32, rest: &str) -> Vec<ForeignValue> {
        let mut values = Vec::new();
        for (name, quantity) in [("total=", Some(Quantity::Operations)), ("short=", None), ("drop", None)] {
            let Some(at) = rest.find(name) else { continue };
            let list = rest[at + name.len()..].trim_start_matches("ped").trim_start_matches('=');
            let list = list.split([' ']).next().unwrap_or_default();
            let ways = [Way::Read, Way::Write, Way::Trim, Way::Sync];
            let mut lost = 0.0;
            for (part, way) in list.split([',', '/']).zip(ways) {
                let digits = part.trim_start_matches(|c: char| !c.is_ascii_digit());
                let Some((figure, _)) = figure::number(digits) else { continue };
                match quantity {
                    Some(quantity) if figure.value > 0.0 => {
                        values.push(figure.to_value(way, quantity, Cut::Exact, line, format!("{name}{list}")))
                    }
                    Some(_) => {}
                    None => lost += figure.value,
                }
            }
            if lost > 0.0 {
                let n = lost.to_string();
                let text = match name {
                    "short=" => sentence!("import-fio-short", n),
                    _ => sentence!("import-fio-dropped", n),
                };
                self.file.remarks.push(remark(line, text));
            }
        }
        values
    }
}

pub(super) fn way(word: &str) -> Way {
    match word.to_ascii_lowercase().as_str() {
        "read" => Way::Read,
        "write" => Way::Write,
        "trim" => Way::Trim,
        _ => Way::All,
    }
}

fn of_latency(word: &str) -> Option<ForeignLatency> {
    match word.split_ascii_whitespace().next()? {
        "slat" => Some(ForeignLatency::Submission),
        "clat" => Some(ForeignLatency::Completion),
        // Flushes have no separate submission latency.
        "lat" | "sync" => Some(ForeignLatency::Total),
        _ => None,
    }
}

/// Returns the statistic that a key denotes, and the rounding of its digits.
fn statistic(key: &str) -> Option<(Statistic, Cut)> {
    Some(match key {
        "min" => (Statistic::Min, Cut::Either),
        "max" => (Statistic::Max, Cut::Either),
        "avg" => (Statistic::Mean, Cut::Nearest),
        "stdev" => (Statistic::Deviation, Cut::Nearest),
        "samples" => (Statistic::Samples, Cut::Exact),
        _ => return None,
    })
}

/// Parses a run time such as `82215msec`.
pub(super) fn runtime(way: Way, line: u32, text: &str, words: &str) -> Option<ForeignValue> {
    let (figure, rest) = figure::number(text)?;
    let unit = rest.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next()?;
    Some(figure.times(figure::unit_of_time(unit)?).to_value(way, Quantity::Runtime, Cut::Nearest, line, words))
}

/// Parses the latency distribution, such as `250=4.47%, 500=50.49%, >=2000=0.01%`. Each number is the upper bound of
/// the latencies that its percentage covers. The previous number is the lower bound.
fn shares(line: u32, unit: &str, rest: &str) -> Vec<ForeignValue> {
    let Some(unit) = figure::unit_of_time(unit) else { return Vec::new() };
    let to_value = |(key, text, words): (&str, &str, &str)| {
        // `>2000` is the result of the replacement below.
        let end = if key.starts_with('>') { f64::INFINITY } else { figure::whole(key)?.value };
        let percent = figure::number(text)?.0;
        let (low, high) = options::share(end, unit)?;
        let quantity = Quantity::LatencyShare(low, high);
        Some(share(percent, Way::All, quantity, line, &words.replacen('>', ">=", 1)))
    };
    // The key of `>=2000=0.01%` contains an equals sign.
    pairs(&rest.replace(">=2000=", ">2000=")).into_iter().filter_map(to_value).collect()
}

/// Converts a percentage. fio prints any smaller nonzero share as the smallest percentage that the format allows.
fn share(percent: Figure, way: Way, quantity: Quantity, line: u32, words: &str) -> ForeignValue {
    let mut value = percent.times(0.01).to_value(way, quantity, Cut::Nearest, line, words);
    if percent.value <= percent.ulp * 1.01 {
        value.between.0 = 0.0;
    }
    value
}

/// Parses `1=0.1%, 2=0.1%, ... 32=81.4%, >=64=12.6%`.
fn depths(line: u32, rest: &str) -> Vec<ForeignValue> {
    let to_value = |(key, text, words): (&str, &str, &str)| {
        let depth = key.trim_start_matches('>').parse().ok()?;
        Some(share(figure::number(text)?.0, Way::All, Quantity::DepthShare(depth), line, &words.replacen('>', ">=", 1)))
    };
    pairs(&rest.replace(">=64=", ">64=")).into_iter().filter_map(to_value).collect()
}

/// Parses `usr=7.50%, sys=62.50%, ctx=0, majf=0, minf=0`. If the CPU times and context switches are all zero, they were
/// not measured (Windows).
fn cpu(line: u32, rest: &str) -> Vec<ForeignValue> {
    let list = pairs(rest);
    let figure_of = |name: &str| {
        list.iter().find(|(key, ..)| *key == name).and_then(|(_, text, _)| figure::number(text)).map(|(f, _)| f)
    };
    let idle = [figure_of("usr"), figure_of("sys"), figure_of("ctx")].iter().flatten().all(|f| f.value == 0.0);
    let to_value = |(key, _, words): &(&str, &str, &str)| {
        let (quantity, scale, cut) = match *key {
            "usr" => (Quantity::CpuUser, 0.01, Cut::Nearest),
            "sys" => (Quantity::CpuSystem, 0.01, Cut::Nearest),
            "ctx" => (Quantity::ContextSwitches, 1.0, Cut::Exact),
            _ => return None,
        };
        let figure = figure_of(key)?;
        // I/O always causes context switches on a system that counts them.
        let absent = idle || *key == "ctx" && figure.value == 0.0;
        let doubt = "not measured on that system: fio writes 0 (as on Windows)";
        Some(if absent {
            unmeasured(Way::All, quantity, line, *words, doubt)
        } else {
            figure.times(scale).to_value(Way::All, quantity, cut, line, *words)
        })
    };
    list.iter().filter_map(to_value).collect()
}

/// Parses `total=12, first_error=5/<Input/output error>`.
fn errors(line: u32, rest: &str) -> Vec<ForeignValue> {
    let to_value = |(key, text, _): (&str, &str, &str)| {
        let figure = figure::number(text).filter(|_| key.trim() == "total")?.0;
        Some(figure.to_value(Way::All, Quantity::Errors, Cut::Exact, line, rest))
    };
    pairs(rest).into_iter().filter_map(to_value).collect()
}
