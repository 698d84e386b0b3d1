//! The pages of `secchi serve` in a real browser: search, selection, and a run in progress.

use crate::serve::{Dashboard, fio, in_progress, kept};
use crate::support::{Browser, PATIENCE, Sandbox, Viewport, beside, eventually, skip};
use crate::team::secchi;
use serde_json::json;
use std::sync::Arc;
use testkit::postgres::{Database, Server, find_programs};

/// Waits until the page has requested this address a number of times. Does not query the page, which may be navigating.
fn wait_for_request(browser: &mut Browser, url: &str, times: usize) {
    let went = eventually(PATIENCE, || {
        browser.call("Network.enable", json!({}));
        browser.fetched.iter().filter(|fetched| *fetched == url).count() >= times
    });
    assert!(went, "{url}: {:?}", browser.fetched);
}

#[test]
fn a_list_is_searched_and_ticked_and_a_run_in_progress_grows_until_it_is_a_report() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    let runs = ["alpha", "beta", "<img src=x onerror=alert(1)>"].map(|name| kept(&sandbox, name).record.id);
    let up = Dashboard::start(&sandbox, "");
    let home = format!("http://{}/", up.address);
    browser.open(&format!("{home}?token={}", up.token), Viewport::DESK);
    assert_eq!(browser.eval("location.href"), home.as_str(), "the token is not kept in the address");
    assert_eq!(browser.eval("document.cookie"), "", "no script sees it");
    let shown = "[...document.querySelectorAll('tr[data-id]')].filter((r) => !r.hidden)";
    assert_eq!(browser.eval(&format!("{shown}.length")), 3);
    assert_eq!(browser.eval("document.querySelectorAll('img').length"), 0);
    // Figures are loaded after the list.
    browser.until(&format!("{shown}.every((r) => r.querySelector('.iops').textContent !== '')"));
    browser.picture("serve-list");

    // Search with the keyboard; the address reflects the search and can be bookmarked.
    browser.eval("document.getElementById('q').focus()");
    browser.call("Input.insertText", json!({"text": "alpha"}));
    browser.until(&format!("{shown}.length === 1 && location.search === '?q=alpha'"));
    assert_eq!(browser.eval(&format!("{shown}[0].dataset.id")), runs[0].as_str());
    browser.call("Input.insertText", json!({"text": " nothing"}));
    browser.until("document.querySelector('.empty') !== null");
    browser.eval(
        "(() => { const q = document.getElementById('q'); q.value = ''; q.dispatchEvent(new Event('input')); })()",
    );
    browser.until(&format!("{shown}.length === 3"));

    // The server evaluates filters; an invalid one shows an error, and a valid one restores the list.
    let type_in = |browser: &mut Browser, text: &str| {
        let put = json!(text);
        browser.eval(&format!(
            "(() => {{ const q = document.getElementById('q'); q.value = {put}; q.dispatchEvent(new Event('input')); }})()"
        ));
    };
    type_in(&mut browser, "workload=alpha and bs=4k");
    browser.until(&format!("{shown}.length === 1 && 'filter' in document.getElementById('list').dataset"));
    assert_eq!(browser.eval(&format!("{shown}[0].dataset.id")), runs[0].as_str());
    type_in(&mut browser, "workload=alpha and bs=4q");
    browser.until("document.querySelector('.empty') !== null && document.body.textContent.includes('Invalid search.')");
    browser.picture("serve-wrong-filter");
    type_in(&mut browser, "since 1d");
    browser.until(&format!("{shown}.length === 3"));
    type_in(&mut browser, "");
    browser.until(&format!("{shown}.length === 3 && !('filter' in document.getElementById('list').dataset)"));

    // A long headline stays within the window.
    let long = "document.querySelector('.runs th a').textContent = 'volume IOPS '.repeat(500)";
    assert_eq!(browser.eval(&format!("({long}, document.documentElement.scrollWidth <= innerWidth)")), true);

    // Selection.
    assert_eq!(browser.eval("document.getElementById('go').disabled"), true);
    for id in &runs[..2] {
        browser.click(&format!("#r-{id} input"));
    }
    assert_eq!(browser.eval("document.getElementById('go').disabled"), false);
    browser.set_viewport(Viewport::PHONE);
    browser.picture("serve-list-phone");
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true, "nothing sticks out");
    browser.set_viewport(Viewport::NIGHT);
    browser.picture("serve-list-night");
    browser.click("#go");
    let both = format!("{home}compare?run={}&run={}", runs[0], runs[1]);
    wait_for_request(&mut browser, &both, 1);
    browser.open(&both, Viewport::DESK);
    // A run that is too short for a curve has the reason in its place.
    browser.until(
        "document.querySelectorAll('#charts figure').length > 1 && document.querySelector('figure svg') !== null",
    );

    // In progress.
    let running = fio(&sandbox, "live", "--runtime=8").start();
    let id = in_progress(&up);
    browser.open(&format!("{home}run/{id}"), Viewport::DESK);
    let points =
        "echarts.getInstanceByDom(document.querySelector('#chart-rate .chart')).getOption().series[0].data.length";
    browser.until(&format!("{points} >= 1"));
    let before = browser.eval(points).as_u64().expect("a number");
    browser.until(&format!("{points} > {before}"));
    assert_eq!(browser.eval("document.querySelectorAll('#charts svg').length >= 2"), true);
    assert_ne!(browser.eval("document.getElementById('now-iops').textContent"), "–");
    browser.picture("serve-live");
    browser.set_viewport(Viewport::PHONE);
    // Charts are resized to the window a moment later; then nothing overflows.
    browser.until(
        "[...document.querySelectorAll('#charts svg')].every((s) => s.clientWidth <= s.closest('.chart').clientWidth)",
    );
    browser.until("document.documentElement.scrollWidth <= 390");
    browser.picture("serve-live-phone");
    browser.set_viewport(Viewport::NIGHT);
    browser.picture("serve-live-night");
    wait_for_request(&mut browser, &format!("{home}run/{id}"), 2);
    browser.open(&format!("{home}run/{id}"), Viewport::DESK);
    browser.until("document.title.startsWith('Storage report')");
    assert_eq!(running.wait(PATIENCE).code, 0);
    assert_eq!(browser.said, Vec::<String>::new());
    let foreign: Vec<&String> = browser.fetched.iter().filter(|url| !url.starts_with(&home)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    up.end();
}

#[test]
fn a_list_of_a_team_and_the_page_of_its_absence_come_back_by_themselves() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let Some(bin) = find_programs().into_iter().next() else { skip!("no PostgreSQL") };
    let mut browser = match Browser::start(&sandbox.path("home")) {
        Ok(browser) => browser,
        Err(why) => skip!("{why}"),
    };
    let server = Arc::new(Server::start_own(&bin, "listen_addresses = ''\n", "", &[]).expect("it starts"));
    let database = Database::new_on(&server);
    assert_eq!(secchi(&sandbox, "runs init", &database.url_of_owner()).code, 0);
    let up = Dashboard::of_team(&sandbox, &database.url_of_owner());
    let home = format!("http://{}/", up.address);
    browser.open(&format!("{home}?token={}", up.token), Viewport::DESK);
    browser.until("document.body.textContent.includes('runs in progress are not listed here')");
    browser.picture("serve-team");
    server.stop();
    // The open list shows the error in place; a page opened now shows only that error.
    browser.until("!document.getElementById('lost').hidden && document.getElementById('lost').textContent.includes('cannot reach the run store')");
    browser.picture("serve-team-lost");
    browser.open(&home, Viewport::PHONE);
    browser.until("document.querySelector('h1').textContent === 'The run database does not respond.'");
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true, "nothing sticks out");
    browser.picture("serve-team-away");
    browser.wait_for_navigation(|| server.start());
    browser.until("document.body.textContent.includes('No runs are stored yet.')");
    up.end();
}
