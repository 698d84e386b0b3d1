//! `ioping -J`: a list of requests, and statistics at its end.

use crate::format::Format;
use crate::ioping::raw;
use crate::text::figure::Cut;
use crate::text::json::{self, Value};
use crate::text::series::{Clock, named, point};
use crate::text::source::{ImportError, Source, pass_over, remark};
use messages::sentence;
use model::Bytes;
use model::foreign::{ForeignFile, ForeignTest, Quantity, Statistic, Way};

pub(crate) const FORMAT: Format = Format { name: "ioping-json", shares_a_log: false, recognise, read };

fn recognise(source: &Source<'_>) -> bool {
    let head = source.head();
    head.trim_start().starts_with(['[', '{'])
        && ["\"timestamp\"", "\"target\"", "\"fstype\""].iter().all(|word| head.contains(word))
        && ["\"io\"", "\"stat\""].iter().any(|word| head.contains(word))
}

fn read(source: &Source<'_>) -> Result<Vec<ForeignFile>, ImportError> {
    let parsed = json::documents(source.text(), &|| source.in_time())?;
    let mut files: Vec<ForeignFile> = parsed.list.iter().map(file).filter(|f| !f.tests.is_empty()).collect();
    if let Some((line, reason)) = &parsed.broken {
        let text = sentence!("import-json-not-whole-at", why = reason, line = *line);
        match files.last_mut() {
            Some(last) => last.remarks.push(remark(*line, text)),
            None => return Err(ImportError(text.into())),
        }
    }
    for (line, text) in parsed.between.iter().take(20) {
        if let Some(first) = files.first_mut() {
            pass_over(&mut first.remarks, *line, text);
        }
    }
    if files.is_empty() { Err(ImportError("it contains no requests of ioping".to_owned())) } else { Ok(files) }
}

fn file(document: &Value<'_>) -> ForeignFile {
    let mut file = ForeignFile { tool: "ioping".to_owned(), ..ForeignFile::default() };
    let mut clock = Clock::default();
    let one = std::slice::from_ref(document);
    let entries = if document.elements().is_empty() { one } else { document.elements() };
    for entry in entries {
        let Some(target) = entry.get("target") else { continue };
        if file.tests.is_empty() {
            file.tests.push(begun(entry, target));
            file.when = entry.text_of("localtime").unwrap_or_default().to_owned();
        }
        if let (Some(io), Some(time)) = (entry.get("io"), entry.number_of("timestamp")) {
            let at = clock.at(time, entry.line, &mut file.remarks);
            request(&mut file, io, at);
        }
        if let (Some(stat), Some(test)) = (entry.get("stat"), file.tests.last_mut()) {
            statistics(test, stat, entry.get("load"));
        }
    }
    file.began = clock.began();
    // The times are seconds since 1970 in UTC.
    file.zone = file.began.map(|_| 0);
    file
}

fn begun(entry: &Value<'_>, target: &Value<'_>) -> ForeignTest {
    let text_of = |key: &str| target.text_of(key).unwrap_or_default();
    let name = format!("{} ({} {})", text_of("path"), text_of("fstype"), text_of("device"));
    let mut test = ForeignTest { name, line: entry.line, ..ForeignTest::default() };
    test.asked.depth = Some(1);
    test.asked.jobs = Some(1);
    if let Some(size) = target.number_of("device_size") {
        test.asked.others.push(("device_size".to_owned(), size.to_string()));
    }
    test
}

fn request(file: &mut ForeignFile, io: &Value<'_>, at: f64) {
    let way = if io.text_of("operation") == Some("write") { Way::Write } else { Way::Read };
    let test = file.tests.last_mut().expect("a test is begun before its first request");
    test.asked.rw.get_or_insert_with(|| if way == Way::Write { "randwrite" } else { "randread" }.to_owned());
    if let Some(size) = io.number_of("size") {
        test.asked.block[usize::from(way == Way::Write)] = Some((Bytes(size as u64), Bytes(size as u64)));
    }
    let Some(time) = io.get("time").and_then(Value::figure) else { return };
    let quantity = Some((way, raw::total(Statistic::Overall)));
    let ignored = io.get("ignored").and_then(Value::bool) == Some(true);
    for name in ["request"].into_iter().chain(ignored.then_some("warmup")) {
        point(named(&mut file.series, name, "s", quantity), at, time.times(1e-9).value, io.line);
    }
}

fn statistics(test: &mut ForeignTest, stat: &Value<'_>, load: Option<&Value<'_>>) {
    let way = if test.asked.rw.as_deref() == Some("randwrite") { Way::Write } else { Way::Read };
    let total = raw::total;
    for (key, quantity, unit) in [
        ("count", Quantity::Operations, 1.0),
        ("size", Quantity::Moved, 1.0),
        ("time", Quantity::DeviceTime, 1e-9),
        ("iops", Quantity::Iops(Statistic::Overall), 1.0),
        ("bps", Quantity::Bandwidth(Statistic::Overall), 1.0),
        ("min", total(Statistic::Min), 1e-9),
        ("avg", total(Statistic::Mean), 1e-9),
        ("max", total(Statistic::Max), 1e-9),
        ("mdev", total(Statistic::Deviation), 1e-9),
    ] {
        let Some((value, figure)) = stat.get(key).and_then(|v| Some((v, v.figure()?))) else { continue };
        let words = format!("stat.{key} {}", value.written());
        let is_count = matches!(quantity, Quantity::Operations | Quantity::Moved);
        let cut = if is_count { Cut::Exact } else { Cut::Either };
        let mut converted = figure.times(unit).to_value(way, quantity, cut, value.line, words);
        converted.doubt = raw::doubt(quantity);
        test.values.push(converted);
    }
    if let Some((value, figure)) = load.and_then(|l| l.get("time")).and_then(|v| Some((v, v.figure()?))) {
        let words = format!("load.time {}", value.written());
        test.values.push(figure.times(1e-9).to_value(way, Quantity::Runtime, Cut::Either, value.line, words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READS: &str = include_str!("../../tests/data/ioping.json");
    const WRITES: &str = include_str!("../../tests/data/iopingw.json");

    #[test]
    fn requests_have_their_times_and_statistics_follow() {
        let file = crate::read::read("x", READS.as_bytes()).unwrap().remove(0);
        assert_eq!((file.format.as_str(), file.began), ("ioping-json", Some(1_795_302_170)));
        let requests = file.series("request").unwrap();
        assert_eq!((requests.points.len(), requests.points[0].value), (5, 1_848_717e-9));
        assert_eq!(file.series("warmup").unwrap().points.len(), 1);
        let mean = requests.points[1..].iter().map(|p| p.value).sum::<f64>() / 4.0;
        let test = &file.tests[0];
        let printed = test.get(Way::Read, raw::total(Statistic::Mean)).unwrap();
        assert!((printed.value.unwrap() - mean).abs() < 2e-9, "{printed:?} {mean}");
        assert_eq!(test.name, ". (ext4 /dev/vda)");
    }

    #[test]
    fn writes_are_writes_and_a_cut_list_is_told() {
        let file = crate::read::read("x", WRITES.as_bytes()).unwrap().remove(0);
        assert_eq!(file.tests[0].asked.rw.as_deref(), Some("randwrite"));
        assert!(file.tests[0].value(Way::Write, Quantity::Operations).is_some());
        let cut = crate::read::read("x", &READS.as_bytes()[..READS.len() / 2]).unwrap_err().to_string();
        assert!(cut.contains("malformed"), "{cut}");
    }

    proptest! {
        #[test]
        fn no_change_of_it_makes_it_panic(at in 0..READS.len(), put in "[0-9a-z\",{}:\\[\\] \\n.-]{0,8}") {
            let text = format!("{}{put}{}", &READS[..at], &READS[at..]);
            let _ = crate::read::read("x", text.as_bytes());
        }
    }
}
