//! The documents of `--json` are valid by the schemas in the book.

use crate::support::commands::fixture;
use crate::support::{Sandbox, beside};
use testkit::schema_violations;

#[test]
fn the_documents_of_commands_are_valid_by_their_schemas() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let run = |words: &str| sandbox.secchi(words).arg(&data).run();
    for words in ["ping -c 3 -i 0", "ping -c 3 -i 0 -W", "qualify --metadata --metadata-files 200"] {
        run(words);
    }
    let job = data.join("file").display().to_string();
    let mixed = "--rw=randrw --bssplit=4k/50:8k/50 --thinktime=10";
    for words in [mixed, mixed, "--rw=write --verify=crc32c --fsync=8 --numjobs=2"] {
        sandbox.secchi("fio --name=a --size=1m --overwrite=1").words(words).arg(format!("--filename={job}")).run();
    }
    sandbox.secchi("watch --for 200ms --interval 100ms").run();
    let log = data.join("requests.log");
    std::fs::write(&log, format!("fio version 2 iolog\n{job} add\n{job} open\n{job} read 0 4096\n{job} close\n"))
        .expect("the log is written");
    sandbox.secchi("replay").arg(&log).arg(&data).run();
    let base = data.join("db");
    sandbox.secchi("db setup").arg(&base).run();
    sandbox.secchi("db create-globals -g 1 -s 100 --node-depth 2").arg(&base).run();
    sandbox.secchi("db ranio -p 1 -n 10 --through engine").arg(&base).run();
    let ids = sandbox.secchi("runs --ids").run().stdout;
    let ids: Vec<&str> = ids.lines().collect();
    assert_eq!(ids.len(), 10, "each command keeps its run");
    let shown: Vec<String> = ids.iter().map(|id| sandbox.secchi(&format!("show --json {id}")).run().stdout).collect();
    let foreign = |name: &str| sandbox.secchi("judge --json").arg(fixture(name)).run().stdout;
    for (kind, documents) in [
        ("run", shown.concat()),
        ("foreign", foreign("fio-3.33-mix.json") + &foreign("fio-3.33-mix.txt")),
        ("comparison", sandbox.secchi(&format!("compare --json {} {}", ids[5], ids[6])).run().stdout),
        ("trend", sandbox.secchi(&format!("runs trend --json {}", ids[5])).run().stdout),
        ("error", sandbox.secchi("qualify --json").arg(data.join("none")).run().stdout),
    ] {
        assert!(!documents.is_empty(), "{kind}");
        let Some(violations) = schema_violations(kind, &documents) else { return };
        assert_eq!(violations, "", "{kind}");
    }
}
