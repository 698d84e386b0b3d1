use super::*;
use crate::RunRow;
use crate::fixture;
use crate::render::html::shell::hash;

fn text(page: &Page) -> String {
    String::from_utf8(page.html.clone()).expect("UTF-8")
}

/// Returns the page without its style and its scripts.
fn bare(page: &Page) -> String {
    let text = text(page);
    let (head, rest) = text.split_once("<style>").expect("a style");
    let body = rest.split_once("</style>").expect("its end").1;
    format!("{head}{}", body.split_once("<script").expect("scripts").0)
}

fn row(verdict: &str, state: &'static str) -> ListedRun {
    ListedRun {
        row: RunRow {
            id: "3f2a9c1b-77d1-4d21-9e01-8844aa105c7f".into(),
            started: "2026-11-21T09:41:07+00:00".into(),
            kind: Some(model::plan::KindName::Blocks),
            command: "qualify".into(),
            target: "/mnt/data".into(),
            state,
            duration: model::Nanos::from_secs(291),
            verdict: verdict.into(),
            exit: None,
            host: "a".into(),
            size: model::Bytes::from_gib(1),
            plan: "1f2e3d4c5b6a".into(),
            labels: model::record::Labels { tags: ["nightly".to_owned()].into(), note: "after the move".into() },
            workloads: Vec::new(),
        },
        figures: None,
    }
}

fn view<'a>(runs: &'a [ListedRun], query: &'a str) -> RunsView<'a> {
    let store = "/home/a/.local/share/secchi";
    RunsView {
        runs,
        query,
        wrong: None,
        filter: false,
        page: 2,
        pages: 3,
        matched: 120,
        total: 500,
        store,
        team: false,
    }
}

#[test]
fn a_list_tells_runs_and_leads_to_them_and_to_its_other_pages() {
    let (_, judgement) = fixture::capped();
    let known = ListedRun {
        figures: Some(Headline::new(&judgement, Language::English)),
        ..row("limited by the volume", "complete")
    };
    let page = bare(&runs_page(&view(&[known, row("", "running")], "mnt & 8k"), Language::English));
    for part in [
        "href=\"/run/3f2a9c1b-77d1-4d21-9e01-8844aa105c7f\"",
        "limited by the volume",
        "120 of 500 runs",
        "8k randread × 16, 5 more",
        "value=\"mnt &amp; 8k\"",
        "href=\"/?page=3&amp;q=mnt%20%26%208k\"",
        "nightly",
        "after the move",
        "In progress: watch it second by second",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn nothing_to_show_is_said_with_what_would_make_it() {
    let empty = RunsView { total: 0, matched: 0, page: 1, pages: 1, ..view(&[], "") };
    assert!(bare(&runs_page(&empty, Language::English)).contains("secchi qualify PATH"));
    assert!(bare(&runs_page(&view(&[], "x"), Language::English)).contains("No run matches all of these words."));
    assert!(bare(&notice_page("The store is gone.", "Why.", Language::Japanese)).contains("lang=\"ja\""));
}

#[test]
fn a_search_that_cannot_be_done_and_a_store_that_is_away_are_said() {
    let wrong = RunsView { wrong: Some("unknown field `bz`"), matched: 0, ..view(&[], "bz=8k") };
    let page = bare(&runs_page(&wrong, Language::English));
    assert!(page.contains("unknown field `bz`") && page.contains("Invalid search."), "{page}");
    let none = RunsView { filter: true, ..view(&[], "bs=8k") };
    assert!(bare(&runs_page(&none, Language::English)).contains("No run matches the filter."));
    let team = RunsView { team: true, store: "postgres://ann:***@db/runs", total: 0, ..view(&[], "") };
    let page = bare(&runs_page(&team, Language::English));
    assert!(
        page.contains("runs in progress are not listed here") && page.contains("--store 'postgres://ann:***@db/runs'"),
        "{page}"
    );
    let page = bare(&away_page("cannot reach it", Language::English));
    assert!(page.contains("cannot reach it") && page.contains("page reloads when the database responds"), "{page}");
}

#[test]
fn only_the_scripts_that_are_in_a_page_may_run() {
    let (record, _) = fixture::capped();
    let pages = [
        runs_page(&view(&[row("v", "complete")], ""), Language::English),
        live_page(&record, Language::English),
        notice_page("a", "b", Language::English),
        away_page("a", Language::English),
    ];
    for page in pages {
        let text = text(&page);
        let mut rest = text.as_str();
        let mut scripts = 0;
        while let Some((_, after)) = rest.split_once("<script>") {
            let (script, after) = after.split_once("</script>").expect("its end");
            assert!(page.policy.contains(&hash(script)), "a script that its policy does not name");
            (rest, scripts) = (after, scripts + 1);
        }
        assert!(scripts >= 1);
        let style = text.split_once("<style>").and_then(|(_, s)| s.split_once("</style>")).expect("a style").0;
        assert!(page.policy.contains(&hash(style)) && page.policy.contains("frame-ancestors 'none'"));
        let bare = bare(&page);
        for word in [" src=", "http://", "https://", " style=", " onclick", "javascript:"] {
            assert!(!bare.contains(word), "{word}");
        }
    }
}

#[test]
fn hostile_names_are_text_and_nothing_else() {
    let hostile = "\"><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u{202e}\u{1b}[2J</script>";
    let (mut record, judgement) = fixture::capped();
    record.plan.target.path = hostile.into();
    record.plan.targets.clear();
    record.plan.limits[0].name = hostile.into();
    record.preflight.host.hostname = hostile.into();
    record.started = hostile.into();
    record.plan.args.push(hostile.into());
    let mut figures = Headline::new(&judgement, Language::English);
    figures.label = hostile.into();
    let mut listed = ListedRun { figures: Some(figures), ..row(hostile, "complete") };
    for field in [&mut listed.row.id, &mut listed.row.started, &mut listed.row.command, &mut listed.row.target] {
        *field = hostile.into();
    }
    listed.row.labels = model::record::Labels { tags: [hostile.to_owned()].into(), note: hostile.into() };
    let shown = RunsView { store: hostile, ..view(std::slice::from_ref(&listed), hostile) };
    let plain = row("v", "complete");
    let plain = ListedRun { figures: listed.figures.clone().map(|f| Headline { label: "x".into(), ..f }), ..plain };
    let harmless = runs_page(&view(std::slice::from_ref(&plain), "x"), Language::English);
    let elements = |page: &Page| text(page).matches('<').count();
    let wrong = RunsView { wrong: Some(hostile), team: true, ..shown.clone() };
    let pages = [
        runs_page(&shown, Language::English),
        notice_page(hostile, hostile, Language::English),
        runs_page(&wrong, Language::English),
        away_page(hostile, Language::English),
    ];
    assert_eq!(elements(&pages[0]), elements(&harmless), "as many elements as without");
    assert_eq!(elements(&pages[1]), elements(&notice_page("a", "b", Language::English)));
    let tame = RunsView { wrong: Some("a"), team: true, ..view(&[], "x") };
    assert_eq!(elements(&pages[2]), elements(&runs_page(&tame, Language::English)));
    assert_eq!(elements(&pages[3]), elements(&away_page("a", Language::English)));
    let (plain, _) = fixture::capped();
    let live = live_page(&record, Language::English);
    assert_eq!(elements(&live), elements(&live_page(&plain, Language::English)));
    for page in pages.iter().chain([&live]) {
        let bare = bare(page);
        assert!(!bare.contains("<img") && !bare.contains('\u{202e}') && !bare.contains('\u{1b}'), "{bare}");
    }
}
