//! Prometheus and Grafana: metrics of `serve`, and the dashboards and alert rules in `deploy/grafana`.

use crate::support::commands::{check_metrics, parsed};
use crate::support::{PATIENCE, Sandbox, beside, eventually, skip, tool};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

fn grafana() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/grafana")
}

fn dashboards() -> Vec<(String, Value)> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(grafana().join("dashboards").join(name)).expect("a dashboard");
        (name.to_owned(), serde_json::from_str(&text).expect("JSON"))
    };
    let names = crate::support::names_in(&grafana().join("dashboards"));
    names.iter().map(|name| read(name)).collect()
}

/// Returns the names of metrics of secchi in a text.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("secchi_")).map(str::to_owned).collect()
}

fn exported() -> BTreeSet<String> {
    report::formats::watch::metric_names().into_iter().chain(report::formats::runs_metrics::metric_names()).collect()
}

#[test]
fn serve_exports_the_last_run_of_each_plan_to_those_who_have_the_token() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    sandbox.watch("--for 200ms --interval 100ms --json").run();
    let token = sandbox.path("token");
    std::fs::write(&token, "0123456789abcdef0123\n").expect("a file of ours");
    let mut serve = sandbox.secchi("serve --listen 127.0.0.1:0");
    let running = serve.arg("--token").arg(&token).start();
    assert!(eventually(PATIENCE, || running.stdout().contains('\n')), "{}", running.stderr());
    let line = running.stdout();
    let address = line.split("://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address").to_owned();
    let get = |headers: &str| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        stream
            .write_all(format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").as_bytes())
            .expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    };
    assert!(get("").starts_with("HTTP/1.1 401 "));
    let answer = get("Authorization: Bearer 0123456789abcdef0123\r\n");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    assert!(
        body.contains("secchi_runs{state=\"complete\"} 1\n") && body.contains("secchi_run_exit_code{plan="),
        "{body}"
    );
    check_metrics(body);
    parsed(body, &sandbox);
    running.signal(Signal::INT);
    assert_eq!(running.wait(PATIENCE).code, 0);
    std::fs::write(&token, "short\n").expect("a file of ours");
    let mut refused = sandbox.secchi("serve --listen 127.0.0.1:0");
    refused.arg("--token").arg(&token).run().refuses(64, "16 to 128 letters and digits");
}

#[test]
fn dashboards_and_alert_rules_use_only_metrics_that_are_exported() {
    let exported = exported();
    let rules = std::fs::read_to_string(grafana().join("alerts.yaml")).expect("alert rules");
    let texts = dashboards().into_iter().map(|(name, dashboard)| (name, dashboard.to_string()));
    let mut used = BTreeSet::new();
    for (name, text) in texts.chain([("alerts.yaml".to_owned(), rules)]) {
        let metrics = metrics_in(&text);
        let unknown: Vec<&String> = metrics.difference(&exported).collect();
        assert!(!metrics.is_empty() && unknown.is_empty(), "{name}: {unknown:?}");
        used.extend(metrics);
    }
    for metric in ["secchi_limit_utilization_ratio", "secchi_limit_burst_credits_ratio", "secchi_run_exit_code"] {
        assert!(used.contains(metric), "{metric}");
    }
}

#[test]
fn dashboards_can_be_provisioned() {
    let mut uids = BTreeSet::new();
    for (name, dashboard) in dashboards() {
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        assert!(uids.insert(text(&dashboard, "uid")), "{name}: two dashboards have the same uid");
        assert!(dashboard["schemaVersion"].is_u64() && !text(&dashboard, "title").is_empty(), "{name}");
        assert!(dashboard["id"].is_null(), "{name}: Grafana assigns the id");
        let variables = dashboard["templating"]["list"].as_array().expect("variables");
        let variables: BTreeSet<String> = variables.iter().map(|variable| text(variable, "name")).collect();
        let panels = dashboard["panels"].as_array().expect("panels");
        let mut ids = BTreeSet::new();
        let mut cells = BTreeSet::new();
        for panel in panels {
            let title = text(panel, "title");
            assert!(ids.insert(panel["id"].as_u64()) && !title.is_empty(), "{name}: {title}");
            let [x, y, w, h] = ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().expect("a place"));
            assert!(x + w <= 24 && (y..y + h).all(|y| (x..x + w).all(|x| cells.insert((x, y)))), "{name}: {title}");
            if text(panel, "type") == "row" {
                continue;
            }
            assert_eq!(text(&panel["datasource"], "uid"), "${datasource}", "{name}: {title}");
            assert!(!text(panel, "description").is_empty(), "{name}: {title} has no description");
            let targets = panel["targets"].as_array().expect("targets");
            assert!(!targets.is_empty(), "{name}: {title}");
            for target in targets {
                let expr = text(target, "expr");
                let named =
                    expr.split('$').skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
                for variable in named.filter_map(|mut words| words.next()).filter(|word| !word.starts_with("__")) {
                    assert!(variables.contains(variable), "{name}: {title}: ${variable}");
                }
            }
        }
    }
}

#[test]
fn promtool_accepts_the_queries_the_alert_rules_and_the_configuration() {
    let promtool = |args: &[&OsStr]| tool("promtool", args);
    if promtool(&["--version".as_ref()]).is_err() {
        skip!("promtool is not installed: alert rules and queries are not checked");
    }
    let path = |name: &str| grafana().join(name);
    let check = |words: &[&str], file: &Path| {
        let args: Vec<&OsStr> = words.iter().map(OsStr::new).chain([file.as_os_str()]).collect();
        promtool(&args).unwrap_or_else(|error| panic!("{error}"));
    };
    check(&["check", "rules"], &path("alerts.yaml"));
    check(&["test", "rules"], &path("alerts-test.yaml"));
    check(&["check", "config", "--syntax-only"], &path("prometheus.yaml"));
    // The queries of the dashboards, as recording rules.
    let sandbox = Sandbox::new();
    let mut rules = "groups:\n  - name: queries\n    rules:\n".to_owned();
    let mut n = 0;
    for (_, dashboard) in dashboards() {
        for panel in dashboard["panels"].as_array().expect("panels") {
            // Rows have no queries.
            for target in panel["targets"].as_array().into_iter().flatten() {
                let expr = target["expr"].as_str().expect("a query");
                let expr = expr.replace("$__rate_interval", "5m").replace("$__range", "1h");
                n += 1;
                rules.push_str(&format!("      - record: query:n{n}\n        expr: {}\n", Value::from(expr)));
            }
        }
    }
    let file = sandbox.path("queries.yaml");
    std::fs::write(&file, rules).expect("a file of ours");
    check(&["check", "rules"], &file);
}
