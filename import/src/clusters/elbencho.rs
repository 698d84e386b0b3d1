//! elbencho's CSV file (`--csvfile`), which has one row per phase. Columns are identified by name.
//!
//! Columns with `[first]` cover the time until the first thread ended. Columns with `[last]` cover the whole time. The
//! reader uses the columns with `[last]`.

use crate::format::Format;
use crate::text::dates;
use crate::text::delimited::fields;
use crate::text::figure::{Cut, whole};
use crate::text::source::{ImportError, Source, add_remark, pass_over};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignLatency, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "elbencho", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    source.head().lines().any(is_header)
}

fn is_header(line: &str) -> bool {
    ["operation,", "IOPS [last]", "MiB/s [last]"].iter().all(|word| line.contains(word))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let mut file = ForeignFile { tool: "elbencho".to_owned(), ..ForeignFile::default() };
    let mut columns: Vec<String> = Vec::new();
    for (number, line) in source.lines()? {
        source.in_time_at(number)?;
        if is_header(line) {
            columns = fields(line, ',');
            continue;
        }
        let row = fields(line, ',');
        // Newer versions may append rows with more columns than the file's old header has.
        if columns.is_empty() || row.len() < columns.len() {
            pass_over(&mut file.remarks, number, line);
            continue;
        }
        let get =
            |name: &str| columns.iter().position(|c| c == name).map(|at| row[at].as_str()).filter(|v| !v.is_empty());
        if file.when.is_empty()
            && let Some(date) = get("ISO date")
        {
            file.when = date.to_owned();
            (file.began, file.zone) = dates::began(date);
        }
        let operation = get("operation").unwrap_or("?");
        // This phase does no I/O: it creates directories, syncs or drops caches.
        if get("IOPS [last]").is_none() && get("MiB/s [last]").is_none() {
            add_remark(&mut file.remarks, number, || sentence!("import-phase-without-io", phase = operation));
            continue;
        }
        file.tests.push(test(number, operation, &get));
    }
    if file.tests.is_empty() {
        return Err(ImportError("it has elbencho's header but no phase with I/O".to_owned()));
    }
    Ok(vec![file])
}

fn test<'a>(line: u32, operation: &str, get: &dyn Fn(&str) -> Option<&'a str>) -> ForeignTest {
    let label = get("label").map(|l| format!("{l} ")).unwrap_or_default();
    let mut test = ForeignTest { name: format!("{label}{operation}"), line, ..ForeignTest::default() };
    let way = match operation {
        "READ" | "HDREAD" => Way::Read,
        o if o.starts_with("RWMIX") => Way::Write,
        o if o.starts_with("WRITE") => Way::Write,
        _ => Way::All,
    };
    let is_random = get("random") == Some("1");
    let mixed = operation.starts_with("RWMIX");
    test.asked.rw = match (way, mixed) {
        (_, true) => Some(if is_random { "randrw" } else { "rw" }),
        (Way::Read, _) => Some(if is_random { "randread" } else { "read" }),
        (Way::Write, _) => Some(if is_random { "randwrite" } else { "write" }),
        _ => None,
    }
    .map(str::to_owned);
    let count = |name: &str| get(name).and_then(whole).map(|f| f.value);
    let block = count("block size").map(|b| Bytes(b as u64));
    test.asked.block = [block.map(|b| (b, b)); 2];
    test.asked.depth = count("IO depth").map(|d| d as u32);
    test.asked.jobs = count("threads").map(|t| t as u32);
    test.asked.direct = get("direct IO").map(|d| d == "1");
    test.asked.size = count("file size").map(|s| Bytes(s as u64));
    for name in ["path type", "paths", "hosts", "dirs", "files", "shared paths", "CPU% [last]", "entries/s [last]"] {
        if let Some(value) = get(name) {
            test.asked.others.push((name.to_owned(), value.to_owned()));
        }
    }
    let latency = |statistic| Quantity::Latency(ForeignLatency::Total, statistic);
    for (name, quantity, scale) in [
        ("time ms [last]", Quantity::Runtime, 1e-3),
        ("time ms [first]", Quantity::ShortestRuntime, 1e-3),
        ("IOPS [last]", Quantity::Iops(Statistic::Overall), 1.0),
        ("MiB/s [last]", Quantity::Bandwidth(Statistic::Overall), 1_048_576.0),
        ("MiB [last]", Quantity::Moved, 1_048_576.0),
        ("IO lat us [min]", latency(Statistic::Min), 1e-6),
        ("IO lat us [avg]", latency(Statistic::Mean), 1e-6),
        ("IO lat us [max]", latency(Statistic::Max), 1e-6),
    ] {
        for (prefix, way) in [("", way), ("rwmix read ", Way::Read)] {
            let name = format!("{prefix}{name}");
            if let Some((text, figure)) = get(&name).and_then(|t| Some((t, whole(t)?))) {
                // elbencho truncates these figures to whole numbers.
                test.values.push(figure.times(scale).to_value(
                    way,
                    quantity,
                    Cut::Either,
                    line,
                    format!("{name}: {text}"),
                ));
            }
        }
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "ISO date,label,path type,paths,hosts,threads,dirs,files,file size,block size,direct IO,random,random aligned,IO depth,\
shared paths,truncate,operation,time ms [first],time ms [last],entries/s [first],entries/s [last],IOPS [first],IOPS [last],MiB/s [first],\
MiB/s [last],CPU% [first],CPU% [last],entries [first],entries [last],MiB [first],MiB [last],Ent lat us [min],Ent lat us [avg],\
Ent lat us [max],IO lat us [min],IO lat us [avg],IO lat us [max]\n\
2026-05-22T16:09:38,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,MKDIRS,2,5,3277,1466,,,,,8,7,8,8,,,812,1068,1378,,,\n\
2026-05-22T16:09:38,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,WRITE,2134,2784,11,11,3494,2941,3494,2941,10,9,25,32,7460,8192,290635,609112,867164,1661,9383,120903\n";

    #[test]
    fn phases_with_io_are_tests_at_their_last_figures() {
        let file = crate::read::read("x", TEXT.as_bytes()).unwrap().remove(0);
        assert_eq!((file.format.as_str(), file.tests.len()), ("elbencho", 1));
        assert!(file.remarks[0].text.contains("MKDIRS did no I/O"));
        let test = &file.tests[0];
        assert_eq!((test.asked.rw.as_deref(), test.asked.jobs, test.asked.depth), (Some("write"), Some(8), Some(4)));
        let get = |quantity| test.value(Way::Write, quantity).unwrap();
        assert_eq!((get(Quantity::Iops(Statistic::Overall)), get(Quantity::Runtime)), (2941.0, 2.784));
        assert_eq!(get(Quantity::ShortestRuntime), 2.134);
        assert_eq!(get(Quantity::Latency(ForeignLatency::Total, Statistic::Mean)), 9383e-6);
        // The phase wrote 8 GiB in 2.784 s.
        let exact = 8192.0 * 1_048_576.0 / 2.784;
        let between = test.get(Way::Write, Quantity::Bandwidth(Statistic::Overall)).unwrap().between;
        assert!(between.0 * 0.999 <= exact && exact <= between.1 * 1.001, "{between:?} {exact}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..TEXT.len(), gone in 0usize..30, put in "[0-9A-Za-z,\" \\n.-]{0,12}") {
            let text = format!("{}{put}{}", &TEXT[..at], &TEXT[(at + gone).min(TEXT.len())..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
