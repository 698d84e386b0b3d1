use super::*;
use crate::fixture;

fn page(runs: &[(RunRecord, Judgement)], language: Language) -> String {
    let runs: Vec<PageRun<'_>> =
        runs.iter().map(|(record, judgement)| PageRun { label: "", record, judgement }).collect();
    let mut out = Vec::new();
    write_page(&runs, language, &mut out).expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

/// The page without style and scripts, and the JSON of it.
fn parts(page: &str) -> (String, serde_json::Value) {
    let (before, rest) = page.split_once("<script id=\"data\" type=\"application/json\">").expect("data");
    let (json, _) = rest.split_once("</script>").expect("its end");
    let (head, body) = before.split_once("<style>").expect("a style");
    let body = body.split_once("</style>").expect("its end").1;
    (format!("{head}{body}"), serde_json::from_str(json).expect("JSON"))
}

#[test]
fn the_verdict_leads_and_every_doubt_stands_there_without_scripts() {
    for run in [fixture::capped(), fixture::troubled()] {
        let text = page(std::slice::from_ref(&run), Language::English);
        let (html, data) = parts(&text);
        let unescaped = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
        assert!(unescaped.contains(&run.1.verdict), "{unescaped}");
        for caveat in &run.1.caveats {
            assert!(unescaped.contains(&caveat.statement), "{}", caveat.statement);
        }
        assert_eq!(data["runs"][0]["patterns"].as_array().map(Vec::len), Some(run.1.patterns.len()));
        assert!(text.len() < 3 << 20);
    }
}

#[test]
fn nothing_is_fetched_and_nothing_else_can_run() {
    let text = page(&[fixture::capped()], Language::Japanese);
    let (html, _) = parts(&text);
    assert!(html.contains("lang=\"ja\"") && html.contains("default-src 'none'"));
    for hash in [hash(CHARTS), hash(SCRIPT), hash(STYLE)] {
        assert!(text.contains(&hash.replace('\'', "&#39;")) || text.contains(&hash), "{hash}");
    }
    for word in [" src=", "http://", "https://", " style=", " onclick", "javascript:"] {
        assert!(!html.contains(word), "{word}");
    }
}

/// Texts that others chose, wherever a record has one.
#[test]
fn hostile_text_makes_no_element_and_no_attribute() {
    let clean = parts(&page(&[fixture::capped()], Language::English)).0;
    let hostile = [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "<!--",
        "]]>",
        "' onmouseover='a",
        "&lt;b&gt;",
    ];
    for text in hostile {
        let (mut record, mut judgement) = fixture::capped();
        judgement.verdict = text.into();
        record.preflight.host.hostname = text.into();
        record.preflight.host.cpu_model = text.into();
        record.started = text.into();
        record.id = text.into();
        record.plan.args = vec![text.into()];
        record.plan.stages.iter_mut().for_each(|s| s.name = text.into());
        record.series.iter_mut().for_each(|s| s.name = text.into());
        judgement.patterns.iter_mut().for_each(|p| {
            p.label = text.into();
            p.binding.statement = text.into();
        });
        judgement.caveats.iter_mut().for_each(|c| c.evidence = text.into());
        let page = page(&[(record, judgement)], Language::English);
        let (html, data) = parts(&page);
        assert_eq!(html.matches('<').count(), clean.matches('<').count(), "{text}");
        assert_eq!(data["runs"][0]["patterns"][0]["label"], text);
        assert_eq!(page.matches("<script").count(), 3, "{text}");
    }
}
