//! Needs from samples of other tools as a page.

use crate::page::{hovers, looks_right, table};
use crate::support::commands::{fixture, judge, written};
use crate::support::{Browser, Sandbox, Secchi, beside, skip};
use std::fmt::Write;

#[test]
fn the_page_is_drawn_in_both_colours_and_on_a_phone() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    let mut requests = "TIME(s)     COMM           PID    DISK      T SECTOR     BYTES  LAT(ms)\n".to_owned();
    for i in 0..4000u32 {
        let kind = if i % 4 == 0 { "W" } else { "R" };
        let (at, sector) = (f64::from(i) / 100.0, i.wrapping_mul(2_654_435_761) % 500 * 16);
        let _ = writeln!(
            requests,
            "{at:.6}    postgres      1950   vda       {kind} {sector} 8192      0.{:02}",
            i % 90 + 10
        );
    }
    let cases = [
        (written(&sandbox, "requests.txt", &requests), &["asked", "requests", "percentiles", "caches"][..]),
        (fixture("pg_stat_io.csv"), &["asked"][..]),
    ];
    for (i, (file, charts)) in cases.into_iter().enumerate() {
        let page = sandbox.path(&format!("needs-{i}.html"));
        let ended = Secchi::new(&sandbox.path("home")).words("needs").arg(&file).arg("--html").arg(&page).run();
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        looks_right(&mut browser, &page, &format!("needs-{i}"), charts);
        hovers(&mut browser, "asked");
        let rows = table(&mut browser, "asked");
        let judged = judge(&sandbox, &file);
        // The busiest second or sample has a column if it differs from the mean.
        let busiest = rows[0].iter().rposition(|head| head.starts_with("IOPS")).expect("a rate");
        let most = rows[1..].iter().filter_map(|row| row[busiest].parse::<f64>().ok()).fold(0.0, f64::max);
        let busiest = judged["all"]["iops"]["busiest_sample"]["rate"].as_f64().expect("told");
        assert!((most / busiest - 1.0).abs() < 1e-3, "{most} of the page is {busiest} of the document");
    }
}
