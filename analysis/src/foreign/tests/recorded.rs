//! Files that fio 3.33 and ioping 1.3 wrote on a virtual disk of Linux: what is clean raises no alarm, what is not is found.

use super::*;

#[test]
fn a_clean_run_of_fio_raises_no_alarm() {
    let j = judged(&[read("fio-randread-8k.txt", include_str!("recorded/fio-randread-8k.txt"))], &[]);
    assert_eq!(ids(&j), [""; 0], "{:#?}", j.findings);
    assert_eq!(j.rows[0].iops.map(f64::round), Some(2000.0));
    assert_eq!(j.exit_code, 0);
}

#[test]
fn a_run_without_latency_is_doubted_and_gets_a_mean_by_little() {
    let j = judged(&[read("fio-gtod-reduce.txt", include_str!("recorded/fio-gtod-reduce.txt"))], &[]);
    assert!(ids(&j).contains(&"B50-no-latency"), "{:?}", ids(&j));
    assert!(j.rows[0].mean_by_little && j.rows[0].mean.is_some());
}

#[test]
fn ioping_since_1_3_marks_by_the_mean_and_is_not_said_to_be_older() {
    let j = judged(&[read("ioping.txt", include_str!("recorded/ioping.txt"))], &[]);
    assert!(!ids(&j).contains(&"I05-marks"), "{:?}", ids(&j));
    assert!(ids(&j).contains(&"I08-rate"), "{:?}", ids(&j));
}
