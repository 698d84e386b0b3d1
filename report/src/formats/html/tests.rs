//! Tests of the page's text: its content is complete without scripts, and no text of a run becomes markup.

use super::*;
use crate::ReportedRun;
use crate::fixture;
use crate::formats::Subject;
use crate::formats::terminal::tests::{free_texts, shorten};
use crate::render::html::assets::{CHARTS, SCRIPT, STYLE};
use crate::render::html::shell::hash;
use model::{Judgement, RunRecord, record::Labels};
use serde_json::Value;

fn page(runs: &[(RunRecord, Judgement)], language: Language) -> String {
    labelled(runs, &Labels::default(), language)
}

fn labelled(runs: &[(RunRecord, Judgement)], labels: &Labels, language: Language) -> String {
    let runs: Vec<ReportedRun<'_>> = runs
        .iter()
        .map(|(record, judgement)| ReportedRun { label: "", record, judgement, labels, earlier: &[] })
        .collect();
    let mut out = Vec::new();
    write_page(&Page { subject: Subject::Runs(&runs), language, ..Page::default() }, &mut out)
        .expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

/// Splits a page into the markup without style and scripts, and its JSON.
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
        assert!(unescaped.contains(&*run.1.verdict), "{unescaped}");
        for caveat in &run.1.caveats {
            assert!(unescaped.contains(&*caveat.statement), "{}", caveat.statement);
        }
        assert!(data["charts"].as_array().is_some_and(|charts| charts.len() > 3), "{data}");
        assert!(text.len() < 3 << 20);
    }
}

#[test]
fn nothing_is_fetched_and_nothing_else_can_run() {
    let text = page(&[fixture::capped()], Language::Japanese);
    let (html, _) = parts(&text);
    assert!(html.contains("lang=\"ja\"") && html.contains("default-src 'none'"));
    for hash in [hash(&CHARTS), hash(&SCRIPT), hash(&STYLE)] {
        assert!(text.contains(&hash.replace('\'', "&#39;")) || text.contains(&hash), "{hash}");
    }
    for word in [" src=", "http://", "https://", " style=", " onclick", "javascript:"] {
        assert!(!html.contains(word), "{word}");
    }
}

/// Returns the document with `text` in all these places.
fn filled<T: serde::de::DeserializeOwned>(document: &Value, places: &[String], text: &str) -> T {
    let mut document = document.clone();
    places.iter().for_each(|at| *document.pointer_mut(at).expect("just found") = text.into());
    serde_json::from_value(document).expect("every text may be any")
}

/// Returns two hundred texts that try to become markup.
fn hostile() -> Vec<String> {
    let payloads = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "<b>",
        "</td></tr></table>",
        "</style><style>*{display:none}",
        "<!--",
        "-->",
        "]]>",
        "<![CDATA[",
        "&lt;b&gt;",
        "&#60;b&#62;",
        "javascript:alert(1)",
        "onmouseover=alert(1)",
        "<a href=javascript:alert(1)>x</a>",
        "<iframe srcdoc=x>",
        "<base href=//x>",
        "<meta http-equiv=refresh>",
        "{{7*7}}",
        "${7*7}",
        "\\u003cb>",
        "\u{2028}alert(1)",
        "\u{202e}<b>",
        "\0<b>",
        "<\u{200b}b>",
    ];
    let around = [
        ("", ""),
        ("\"", "\""),
        ("'", "'"),
        ("\">", ""),
        ("'>", ""),
        ("</script>", ""),
        ("</title>", ""),
        ("--><", ">"),
    ];
    payloads.iter().flat_map(|p| around.map(|(a, b)| format!("{a}{p}{b}"))).collect()
}

#[test]
fn hostile_text_in_every_field_makes_no_element_and_no_attribute() {
    let texts = hostile();
    assert_eq!(texts.len(), 200);
    let runs = [fixture::capped(), fixture::troubled(), crate::kinds::durability::tests::troubled()];
    for (i, mut run) in runs.into_iter().enumerate() {
        // A `Value` cannot store 128-bit numbers.
        shorten(&mut run.0);
        run.0.steps.iter_mut().flat_map(|s| &mut s.intervals).for_each(|i| i.in_flight_ns = 0);
        let record = serde_json::to_value(&run.0).expect("JSON");
        let judgement = serde_json::to_value(&run.1).expect("JSON");
        let of_record = free_texts(&record, &|v| serde_json::from_value::<RunRecord>(v.clone()).is_ok());
        let of_judgement = free_texts(&judgement, &|v| serde_json::from_value::<Judgement>(v.clone()).is_ok());
        assert!(of_record.len() > 20 && of_judgement.len() > 10, "{} and {}", of_record.len(), of_judgement.len());
        let written = |text: &str| {
            let run = (filled(&record, &of_record, text), filled(&judgement, &of_judgement, text));
            let labels = Labels { tags: [text.to_owned()].into(), note: text.to_owned() };
            labelled(&[run], &labels, Language::English)
        };
        let clean = parts(&written("x")).0;
        // Every run has every payload and every context (8 per payload), but only a third of their combinations.
        for (_, text) in texts.iter().enumerate().filter(|(n, _)| (n / 8 + n + i).is_multiple_of(3)) {
            let page = written(text);
            let html = parts(&page).0;
            for sign in ['<', '>', '"'] {
                assert_eq!(html.matches(sign).count(), clean.matches(sign).count(), "{sign} by {text}");
            }
            assert_eq!(page.matches("<script").count(), 3, "{text}");
        }
    }
}

#[test]
fn a_ping_of_several_hosts_has_a_row_of_each_and_one_of_all() {
    let (mut record, mut judgement) = fixture::capped();
    judgement.patterns.clear();
    record.plan.kind = model::RunKind::Ping;
    let host = |name: &str, times: &[u64]| {
        let mut pinged = model::record::Pinged {
            place: model::record::PingPlace { host: name.into(), ..Default::default() },
            ..Default::default()
        };
        times.iter().for_each(|us| pinged.total.times.record(model::Nanos(us * 1000)));
        pinged.total.count = times.len() as u64 + 1;
        pinged
    };
    let hosts = [host("node<1>", &[100, 200]), host("node2", &[400])];
    record.results = Some(model::record::Results::Ping(Box::new(model::record::Pinged::of_hosts(&hosts))));
    let (html, _) = parts(&page(&[(record.clone(), judgement.clone())], Language::English));
    let row = |name: &str| {
        let at = html.find(&format!(">{name}</th>")).unwrap_or_else(|| panic!("no row of {name}"));
        html[at..].split("</tr>").next().unwrap_or_default().to_owned()
    };
    assert!(row("node&lt;1&gt;").contains("data-v=\"2\"") && row("node2").contains("data-v=\"1\""), "{html}");
    assert!(row("all hosts").contains("data-v=\"3\""), "{}", row("all hosts"));
    // A single host is not listed as a host.
    record.results = Some(model::record::Results::Ping(Box::new(hosts[1].clone())));
    let (html, _) = parts(&page(&[(record, judgement)], Language::English));
    assert!(!html.contains("all hosts") && html.contains("data-v=\"1\""), "{html}");
}

#[test]
fn a_tile_has_the_course_of_earlier_runs() {
    let (record, judgement) = fixture::capped();
    let lead = crate::overview::entries(&judgement)[0].0.label.clone();
    let earlier = |iops| {
        vec![model::record::WorkloadFigures { name: lead.clone(), iops: Some(model::Iops(iops)), ..Default::default() }]
    };
    let page = |earlier: &[Vec<model::record::WorkloadFigures>]| {
        let run =
            ReportedRun { label: "", record: &record, judgement: &judgement, labels: &Labels::default(), earlier };
        let mut out = Vec::new();
        write_page(&Page { subject: Subject::Runs(&[run]), ..Page::default() }, &mut out).expect("memory takes it");
        String::from_utf8(out).expect("UTF-8").matches("<polyline").count()
    };
    assert_eq!(page(&[]), 0);
    // Two earlier runs have IOPS but no other figures.
    assert_eq!(page(&[earlier(5_000.0), earlier(6_000.0)]), 1);
}
