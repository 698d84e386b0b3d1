//! Tests with one fio run in three formats: the intervals of the rounded text and of the truncated terse line contain
//! the exact figures of the JSON.

use model::foreign::{ForeignFile, Quantity, Statistic, Way};

fn read_file(name: &str, text: &str, format: &str) -> ForeignFile {
    let mut files = import::read(name, text.as_bytes()).unwrap();
    assert_eq!((files.len(), files[0].format.as_str()), (1, format));
    files.remove(0)
}

#[test]
fn text_and_terse_contain_the_figures_of_json() {
    let exact = read_file("mix.json", include_str!("data/fio-3.33-mix.json"), "fio-json");
    let text = read_file("mix.txt", include_str!("data/fio-3.33-mix.txt"), "fio-text");
    let terse = read_file("mix.terse", include_str!("data/fio-3.33-mix.terse3"), "fio-terse");
    for (other, least) in [(&text, 80), (&terse, 70)] {
        let mut compared = 0;
        let pairs = other.tests[0].values.iter().map(|v| (v, &exact.tests[0]));
        let disks = other.disks[0].values.iter().map(|v| (v, &exact.disks[0]));
        for (value, exact) in pairs.chain(disks) {
            // In both the terse line and the JSON, the smallest sample is a whole number of KiB/s.
            let Some(wanted) = exact.value(value.way, value.of) else { continue };
            let (low, high) = value.between;
            let slack = wanted.abs() * 1e-9;
            // Percentages are rounded at the last digit. Distributions are rounded twice.
            let more = match value.of {
                Quantity::LatencyShare(..) | Quantity::DepthShare(_) => 1e-4,
                _ => 0.0,
            };
            assert!(
                low - slack - more <= wanted && wanted <= high + slack + more,
                "{}: {value:?} but {wanted}",
                other.format
            );
            compared += 1;
        }
        assert!(compared >= least, "{}: only {compared} figures are in both", other.format);
    }
}

#[test]
fn one_file_with_all_three_is_read_as_the_exact_one() {
    let combined = read_file("mix-all.txt", include_str!("data/fio-3.33-mix-all.txt"), "fio-json");
    let exact = read_file("mix.json", include_str!("data/fio-3.33-mix.json"), "fio-json");
    let iops = Quantity::Iops(Statistic::Overall);
    assert_eq!(combined.tests[0].value(Way::Read, iops), exact.tests[0].value(Way::Read, iops));
    assert!(combined.remarks.iter().any(|r| r.text.contains("other output of fio")), "{:?}", combined.remarks);
}
