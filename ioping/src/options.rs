//! Options parsed from words, with the defaults of ioping.

use super::value;
use super::words::{TakesValue, split};
use cli::ResultArgs;
use messages::Language;
use model::record::{PingRule, PingWay};
use model::{Bytes, Nanos, plan::RequestInterval};
use report::formats::ioping::Marks;
use session::language;
use std::path::PathBuf;

/// Maximum request size of ioping, in bytes: the kernel's limit for one call (2 GiB less a page).
const MOST: u64 = 0x7fff_f000;
/// Default size of a file created in a directory, in bytes: without -R, and with -R.
const WORK_SIZES: (u64, u64) = (1 << 20, 64 << 20);

/// Number of requests in a check for a monitoring system, if neither a count nor a time is given.
const CHECKED: u64 = 10;

/// All options of a run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub path: PathBuf,
    /// True to print only what ioping prints and to use its exit codes.
    pub ioping: bool,
    pub way: PingWay,
    /// Number of options on the command line that request writing.
    pub shred: u32,
    /// Size of a request, in bytes.
    pub block: u64,
    /// Size of the working set, in bytes; 0 = the whole target.
    pub work: u64,
    /// Size of the working set in a file that is created, in bytes.
    pub temporary: u64,
    pub offset: u64,
    pub linear: bool,
    pub direct: bool,
    pub cached: bool,
    pub sync: bool,
    pub dsync: bool,
    pub nowait: bool,
    pub hipri: bool,
    pub engine: &'static str,
    pub keep: bool,
    pub interval: Nanos,
    /// Number of requests without a delay between them.
    pub burst: u64,
    /// True if latencies count from the due time.
    pub from_due: bool,
    /// Number of requests after which the run stops; 0 = unlimited.
    pub count: u64,
    /// Time after which the run stops; 0 = unlimited.
    pub time: Nanos,
    pub rule: PingRule,
    pub seed: u64,
    pub quiet: bool,
    pub batch: bool,
    pub json: bool,
    /// Format of the time before each request.
    pub clock: Option<String>,
    /// Number of counted requests between raw statistics; 0 = none.
    pub every: u64,
    /// Time between raw statistics; 0 = none.
    pub every_time: Nanos,
    pub marks: Marks,
    pub live: bool,
    pub max_avg: Option<Nanos>,
    pub max_p99: Option<Nanos>,
    /// True to print one line for a monitoring system and to use its exit codes.
    pub nagios: bool,
    /// Files for the result.
    pub results: ResultArgs,
    pub warn_avg: Option<Nanos>,
    pub warn_p99: Option<Nanos>,
    pub allow_overwrite: bool,
    pub destroy: Option<String>,
    pub hang: Nanos,
    /// Language requested with `--lang`.
    pub language: Option<Language>,
    pub store: Option<PathBuf>,
    /// Notes about the options.
    pub notes: Vec<String>,
}

/// Result of parsing the command line.
#[derive(Debug)]
pub enum Parsed {
    Help,
    Version,
    Run(Box<Options>),
}

impl Options {
    fn new(ioping: bool) -> Self {
        Options {
            ioping,
            temporary: WORK_SIZES.0,
            engine: "psync",
            interval: Nanos::from_secs(1),
            hang: Nanos::from_secs(60),
            ..Options::default()
        }
    }

    /// Returns the schedule of the requests.
    pub fn request_interval(&self) -> RequestInterval {
        RequestInterval {
            interval: self.interval,
            burst: self.burst,
            from_due: self.from_due,
            uncached: !self.cached,
            durable: self.way != PingWay::Read && !self.cached,
            by_turns: self.way == PingWay::ByTurns,
        }
    }

    /// Parses the words.
    ///
    /// # Errors
    /// If an option is invalid. The error is one sentence.
    pub fn parse(words: &[String], ioping: bool, entropy: impl FnOnce() -> u64) -> Result<Parsed, String> {
        let (given, rest) = split(words)?;
        let mut o = Options::new(ioping);
        let mut limits = Limits::default();
        for (spec, value) in given {
            let value = value.unwrap_or_default();
            match spec.name {
                "help" => return Ok(Parsed::Help),
                "version" => return Ok(Parsed::Version),
                name => o.set(name, &value, &mut limits).map_err(|reason| {
                    let dashes = if spec.letter.is_some() { "-" } else { "--" };
                    if spec.takes == TakesValue::Nothing { reason } else { format!("{dashes}{name}: {reason}") }
                })?,
            }
        }
        match &rest[..] {
            [] => return Err("no destination: name a directory, a file or a device (secchi ping -h)".to_owned()),
            [path] => o.path = path.into(),
            [first, second, ..] => {
                let (first, second) = (model::clip(first), model::clip(second));
                return Err(format!("more than one destination: `{first}` and `{second}`"));
            }
        }
        o.finish(&limits, entropy)?;
        Ok(Parsed::Run(Box::new(o)))
    }

    fn set(&mut self, name: &str, text: &str, limits: &mut Limits) -> Result<(), String> {
        match name {
            "async" => self.engine = "libaio",
            "uring" => self.engine = "io_uring",
            "cached" => self.cached = true,
            "direct" => self.direct = true,
            "read-write" => (self.way, self.shred) = (PingWay::ByTurns, self.shred + 1),
            "write" => {
                self.shred += 1;
                self.way = if self.way == PingWay::ByTurns { self.way } else { PingWay::Write };
            }
            "linear" => self.linear = true,
            "nowait" => self.nowait = true,
            "hipri" => self.hipri = true,
            "sync" => self.sync = true,
            "dsync" => self.dsync = true,
            "keep" => self.keep = true,
            "rapid" => {
                limits.rapid = true;
                self.temporary = WORK_SIZES.1;
                self.quiet = true;
            }
            "warmup" => self.rule.warmup = value::count(text)?,
            "burst" => self.burst = value::count(text)?,
            "count" => self.count = value::count(text)?,
            "entropy" => self.seed = seed(text)?,
            "interval" => limits.interval = Some(value::time(text)?),
            "size" => self.block = value::size(text)?,
            "work-size" => self.work = value::size(text)?,
            "work-offset" => self.offset = value::size(text)?,
            "work-time" => limits.time = Some(value::time(text)?),
            "speed-limit" => limits.speed = Some(value::size(text)?),
            "rate-limit" => limits.rate = Some(value::rate(text)?),
            "min-time" => self.rule.shortest = Nanos(value::time(text)?),
            "max-time" => self.rule.longest = Nanos(value::time(text)?),
            "batch" => (self.quiet, self.batch) = (true, true),
            "time" => {
                self.clock = Some(if text.is_empty() { "%b %d %T".to_owned() } else { text.to_owned() });
                let now = jiff::Zoned::now();
                jiff::fmt::strtime::format(text, &now).map_err(|e| format!("`{}`: {e}", model::clip(text)))?;
            }
            "json" => (self.json, self.clock) = (true, None),
            "print-count" => self.every = value::count(text)?,
            "print-interval" => self.every_time = Nanos(value::time(text)?),
            "quiet" => self.quiet = true,
            "live" => self.live = true,
            "from-due" => self.from_due = true,
            "max-avg" => self.max_avg = Some(limit(text)?),
            "max-p99" => self.max_p99 = Some(limit(text)?),
            "nagios" => (self.nagios, self.quiet) = (true, true),
            "warn-avg" => self.warn_avg = Some(limit(text)?),
            "warn-p99" => self.warn_p99 = Some(limit(text)?),
            "marks" => {
                let marks = Marks::from_version(text);
                let unknown = || format!("`{}` is not a version of ioping, such as 1.0 or 1.3", model::clip(text));
                self.marks = marks.ok_or_else(unknown)?;
            }
            "ioping" => self.ioping = true,
            "allow-overwrite" => self.allow_overwrite = true,
            "destroy" => self.destroy = Some(text.to_owned()),
            "hang" => self.hang = Nanos(value::time(text)?),
            "lang" => self.language = Some(language::of_code(text)?),
            "store" => self.store = Some(text.into()),
            "output" => self.results.outputs.push(text.into()),
            "force" => self.results.force = true,
            other => return Err(format!("`{other}` is not supported")),
        }
        Ok(())
    }

    /// Sets and checks options that depend on each other.
    fn finish(&mut self, limits: &Limits, entropy: impl FnOnce() -> u64) -> Result<(), String> {
        if self.block == 0 {
            self.block = if self.linear { 256 << 10 } else { 4 << 10 };
        }
        if self.block > MOST {
            return Err(format!("-size: {} is too large for one request: at most {MOST}", Bytes(self.block)));
        }
        if self.work > 0 {
            self.temporary = self.work;
        }
        self.temporary = self.temporary.max(self.block);
        self.pace(limits)?;
        if self.seed == 0 {
            self.seed = entropy();
        }
        if self.engine == "psync" && (self.nowait || self.hipri) {
            self.engine = "pvsync2";
        }
        if self.engine == "libaio" && self.hipri {
            return Err("-A with -H: kernel AIO does not poll for completions; leave one of them out".to_owned());
        }
        if self.nowait && !self.cached && !self.direct {
            self.notes.push("nowait without cached or direct I/O usually fails".to_owned());
        }
        if self.hang < Nanos::from_secs(1) {
            return Err(format!("--hang {}: must be at least 1 s", self.hang));
        }
        if self.live && (self.json || self.batch) {
            return Err("--live draws for people, while -J and -B print for programs: leave one of them out".to_owned());
        }
        Ok(())
    }

    fn pace(&mut self, limits: &Limits) -> Result<(), String> {
        let hurried = limits.rapid || limits.speed.is_some() || limits.rate.is_some();
        let mut interval = limits.interval.unwrap_or(if hurried { 0 } else { self.interval.as_nanos() });
        let burst = self.burst.max(1) as f64;
        if let Some(speed) = limits.speed.filter(|s| *s > 0) {
            interval = interval.max((self.block as f64 * 1e9 / speed as f64 * burst) as u64);
        }
        if let Some(rate) = limits.rate.filter(|r| *r > 0.0) {
            interval = interval.max((1e9 / rate * burst) as u64);
        }
        self.interval = Nanos(interval);
        self.time = Nanos(limits.time.unwrap_or(if limits.rapid { 3_000_000_000 } else { 0 }));
        if !self.nagios && (self.warn_avg.is_some() || self.warn_p99.is_some()) {
            return Err(
                "--warn-avg and --warn-p99 are for --nagios; --max-avg and --max-p99 decide the exit code".to_owned()
            );
        }
        if self.nagios
            && (self.json || self.batch || self.live || self.ioping || self.every > 0 || !self.every_time.is_zero())
        {
            return Err(
                "--nagios prints a single status line: leave -B, -J, -p, -P, --live and --ioping out".to_owned()
            );
        }
        if self.nagios && self.count == 0 && self.time.is_zero() {
            // A check must end.
            self.count = CHECKED;
        }
        if self.from_due && interval == 0 {
            return Err("--from-due needs scheduled requests: add -i, -r or -l".to_owned());
        }
        Ok(())
    }
}

/// Parses a limit with a unit. ioping reads bare numbers as seconds, which is rarely meant here.
fn limit(text: &str) -> Result<Nanos, String> {
    if text.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("`{}` has no unit: write {}ms, or us or s", model::clip(text), model::clip(text)));
    }
    Ok(Nanos(value::time(text)?))
}

/// Options that determine the pacing, collected until all options have been read.
#[derive(Debug, Default)]
struct Limits {
    rapid: bool,
    interval: Option<u64>,
    time: Option<u64>,
    speed: Option<u64>,
    rate: Option<f64>,
}

/// Parses a seed as `strtoull` with base 0 does.
fn seed(text: &str) -> Result<u64, String> {
    let read = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8),
        None => text.parse(),
    };
    read.map_err(|_| format!("`{}` is not a whole number", model::clip(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match Options::parse(&words, false, || 7)? {
            Parsed::Run(options) => Ok(*options),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn defaults_are_iopings() {
        let o = parse(".").unwrap();
        assert_eq!((o.block, o.temporary, o.interval, o.rule.warmup), (4096, 1 << 20, Nanos::from_secs(1), 1));
        assert!(o.request_interval().uncached && !o.request_interval().durable && o.time.is_zero() && o.count == 0);
        let o = parse("-RL .").unwrap();
        assert_eq!(
            (o.block, o.temporary, o.interval.as_nanos(), o.time.as_nanos()),
            (256 << 10, 64 << 20, 0, 3_000_000_000)
        );
        assert!(o.quiet && o.linear);
        let o = parse("-i 0.2 -R -w 1 .").unwrap();
        assert_eq!(
            (o.interval.as_nanos(), o.time.as_nanos()),
            (200_000_000, 1_000_000_000),
            "what was typed holds in any order"
        );
    }

    #[test]
    fn limits_of_speed_and_rate_become_an_interval() {
        assert_eq!(parse("-l 1m -s 64k .").unwrap().interval, Nanos::from_micros(62_500));
        assert_eq!(parse("-r 10 .").unwrap().interval, Nanos::from_millis(100));
        assert_eq!(parse("-r 10 -b 5 .").unwrap().interval, Nanos::from_millis(500));
        assert_eq!(parse("-r 10 -i 1 .").unwrap().interval, Nanos::from_secs(1));
        assert_eq!(parse("-r 1/2 .").unwrap().interval, Nanos::from_secs(2));
    }

    #[test]
    fn writes_are_durable_unless_cached_and_shredding_is_counted() {
        let o = parse("-WWW f").unwrap();
        assert_eq!((o.way, o.shred, o.request_interval().durable), (PingWay::Write, 3, true));
        let o = parse("-GWW f").unwrap();
        assert_eq!((o.way, o.shred, o.request_interval().by_turns), (PingWay::ByTurns, 3, true));
        assert!(!parse("-WC .").unwrap().request_interval().durable);
    }

    #[test]
    fn what_contradicts_itself_is_told() {
        for (line, needle) in [
            ("--from-due -i 0 .", "--from-due"),
            ("-A -H .", "-H"),
            ("-s 4g .", "at most"),
            ("a b", "more than one"),
            ("-q", "no destination"),
            ("--marks new .", "version"),
            ("--live -J .", "--live"),
            ("-i 4kb .", "-interval: `4kb` has an unknown unit"),
            ("-e x .", "-entropy"),
            ("--hang 1ms .", "--hang"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(needle), "{line}: {error}");
        }
    }

    #[test]
    fn seeds_are_read_in_any_base() {
        assert_eq!(parse("-e 0x10 .").unwrap().seed, 16);
        assert_eq!(parse("-e 010 .").unwrap().seed, 8);
        assert_eq!(parse("-e 0 .").unwrap().seed, 7, "0 is random");
    }
}
