//! What the names of files and jobs say of parameters, in the words people use: `write-2`, `randread-4k-qd32`, `read-1-4`.

/// What a name says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// Numbers behind a word of what is done: `write-2`, `read-1-4`; jobs, depth, or both.
    pub numbers: Vec<u32>,
    /// Operations in flight: `qd32`, `iodepth-32`.
    pub depth: Option<u32>,
    /// Jobs: `j8`, `numjobs-8`.
    pub jobs: Option<u32>,
    /// Bytes of a block: `16K`, `bs8k`.
    pub block: Option<u64>,
    /// fio's word for what is done.
    pub rw: Option<&'static str>,
}

/// Words for what is done, and fio's word. `read` is said of random reads, too.
const DOES: &[(&str, &str)] = &[
    ("randread", "randread"),
    ("rndread", "randread"),
    ("randwrite", "randwrite"),
    ("rndwrite", "randwrite"),
    ("randrw", "randrw"),
    ("read", "read"),
    ("write", "write"),
    ("rw", "rw"),
];
const DEPTH: &[&str] = &["iodepth", "depth", "qd", "q"];
const JOBS: &[&str] = &["numjobs", "jobs", "threads", "procs", "processes", "j", "t"];
const BLOCK: &[&str] = &["bs", "block", "blocksize"];

/// Larger bare numbers are dates and counters.
const MOST: u32 = 4096;

/// Reads a name. Words are parted by whatever is neither letter nor digit.
#[must_use]
pub fn named(name: &str) -> Named {
    let mut named = Named::default();
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let mut counting = false;
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        at += 1;
        if let Some((_, rw)) = DOES.iter().find(|(w, _)| *w == word) {
            named.rw = Some(rw);
            counting = true;
            continue;
        }
        let cut = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (letters, mut digits) = word.split_at(cut);
        let known = |list: &[&str]| list.contains(&letters);
        if digits.is_empty() && (known(DEPTH) || known(JOBS) || known(BLOCK)) && letters.len() > 1 {
            // `iodepth-32`
            digits = words.get(at).copied().filter(|w| w.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("");
            at += usize::from(!digits.is_empty());
        }
        if let Some(block) = block_size(digits).filter(|_| letters.is_empty() || known(BLOCK)) {
            named.block = Some(block);
        } else if let Ok(number) = digits.parse::<u32>() {
            match letters {
                "" if counting && number <= MOST && named.numbers.len() < 2 => named.numbers.push(number),
                _ if known(DEPTH) => named.depth = Some(number),
                _ if known(JOBS) => named.jobs = Some(number),
                _ => counting = false,
            }
        } else {
            counting = false;
        }
    }
    named
}

/// `8k`, `1m`, `128kib`: a size needs its unit to be one.
fn block_size(digits: &str) -> Option<u64> {
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = digits.split_at(end);
    let factor = match unit {
        "k" | "kb" | "kib" => 1024,
        "m" | "mb" | "mib" => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|b| *b <= 64 << 20)
}

/// Its name with the numbers left out that stand behind what is done: files of one naming, of one volume (`gp2-read-`).
#[must_use]
pub fn naming(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let does = DOES.iter().filter_map(|(word, _)| lower.find(word)).min().unwrap_or(0);
    let kept = |(i, c): &(usize, char)| *i < does || !c.is_ascii_digit();
    name.char_indices().filter(kept).map(|(_, c)| c).collect()
}

/// A path's last part, of Windows, too.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().filter(|b| !b.is_empty()).unwrap_or(path)
}

/// A file's name without its ending: `fio-2.2.8-randrw` of `fio-2.2.8-randrw.txt`.
#[must_use]
pub fn file_stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && end.len() <= 5 && !end.contains(|c: char| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_parameters_in_the_words_people_use() {
        let numbers = |name| named(name).numbers;
        assert_eq!(numbers("gp2-write-2"), [2]);
        assert_eq!(numbers("read-1-4"), [1, 4]);
        assert_eq!(numbers("fio-2.2.8-randread"), [0u32; 0]);
        assert_eq!(numbers("results 2024"), [0u32; 0]);
        assert_eq!(named("ibm-randrw-16K").block, Some(16384));
        let long = named("randread-4k-qd32-j8");
        assert_eq!((long.depth, long.jobs, long.block), (Some(32), Some(8), Some(4096)));
        let plot = named("randread-iodepth-16-numjobs-2");
        assert_eq!((plot.depth, plot.jobs), (Some(16), Some(2)));
        assert_eq!(named("gp2-rndwrite-8").rw, Some("randwrite"));
    }

    #[test]
    fn endings_and_numbers_are_told_from_names() {
        assert_eq!(file_stem("fio-2.2.8-randrw.txt"), "fio-2.2.8-randrw");
        assert_eq!(file_stem("fio-2.2.8"), "fio-2.2.8");
        assert_eq!(file_name("D:\\fio\\read-1.txt"), "read-1.txt");
        assert_eq!((naming("gp2-read-1"), naming("run-2")), ("gp2-read-".into(), "run-".into()));
    }
}
