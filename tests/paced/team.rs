//! `--store postgres://...`: a team's store on a real server.

use crate::support::{Ended, Sandbox, Secchi};
use std::path::{Path, PathBuf};
use testkit::postgres::{Database, OTHER_PASSWORD, PASSWORD};

/// Runs `secchi WORDS --store URL` and asserts that the output contains no password.
pub fn secchi(sandbox: &Sandbox, words: &str, url: &str) -> Ended {
    let ended = Secchi::new(&sandbox.path("home")).words(words).arg("--store").arg(url).run();
    for text in [&ended.stdout, &ended.stderr] {
        assert!(!text.contains(PASSWORD) && !text.contains(OTHER_PASSWORD), "a password is told: {text}");
    }
    ended
}

fn fio(sandbox: &Sandbox, url: &str) -> Ended {
    let words = "fio --name=r --size=4m --ioengine=psync --rw=randread --bs=4k --number_ios=200 --output=/dev/null";
    secchi(sandbox, &format!("{words} --filename={}", sandbox.data().join("f").display()), url)
}

/// Returns the files below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => paths.extend(files(&path)),
            path => paths.push(path),
        }
    }
    paths
}

#[test]
fn runs_of_two_machines_are_one_list_and_every_command_reads_them() {
    for database in Database::on_each_server() {
        let (here, there) = (Sandbox::new(), Sandbox::new());
        let url = database.url_of_owner();
        assert_eq!(secchi(&here, "runs init", &url).code, 0);
        for sandbox in [&here, &there] {
            let ended = fio(sandbox, &url);
            assert!(ended.code == 0 && !ended.stderr.contains("runs push"), "{}", ended.stderr);
            let left: Vec<PathBuf> = files(&sandbox.path("home"))
                .into_iter()
                .filter(|f| f.extension().is_some_and(|e| e == "journal"))
                .collect();
            assert!(left.is_empty(), "it went from this machine: {left:?}");
        }
        let ids: Vec<String> = secchi(&there, "runs --ids", &url).stdout.lines().map(str::to_owned).collect();
        assert_eq!(ids.len(), 2);
        let shown = secchi(&here, &format!("show --json {}", &ids[0][..8]), &url);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        assert!(
            shown.json().record.plan.args.iter().any(|a| a.contains("ann:***@")),
            "the words are kept, the password not"
        );
        assert!(secchi(&here, &format!("compare {} {} --allow all", ids[0], ids[1]), &url).code <= 2);
        let page = here.path("page.html");
        assert_eq!(secchi(&here, &format!("report last -o {}", page.display()), &url).code, 0);
        assert!(!std::fs::read_to_string(&page).expect("written").contains(PASSWORD));
        assert_eq!(secchi(&here, "runs tag last +nightly", &url).code, 0);
        assert_eq!(secchi(&there, "runs --ids --where tag=nightly", &url).stdout.trim(), ids[0]);
        let trend = secchi(&here, &format!("runs trend {}", ids[0]), &url);
        assert!(trend.code == 0 && trend.stdout.contains("1 run"), "{}{}", trend.stdout, trend.stderr);
        let carried = here.path("x.secchi");
        assert_eq!(secchi(&here, &format!("runs export {} -o {}", ids[0], carried.display()), &url).code, 0);
        assert_eq!(secchi(&there, &format!("runs delete --yes {}", ids[0]), &url).code, 0);
        assert_eq!(secchi(&there, &format!("runs import {}", carried.display()), &url).code, 0);
        assert_eq!(secchi(&here, "runs --ids --where tag=nightly", &url).stdout.trim(), ids[0]);
        assert!(!database.journals().contains(PASSWORD));
    }
}

#[test]
fn a_run_is_made_and_kept_while_the_server_is_away_and_goes_there_later() {
    let sandbox = Sandbox::new();
    for database in Database::on_each_server() {
        let url = database.url_of_owner();
        assert_eq!(secchi(&sandbox, "runs init", &url).code, 0);
        // The server is unreachable: nothing listens on this port.
        let away = fio(&sandbox, &format!("postgres://ann:{PASSWORD}@127.0.0.1:1/runs"));
        assert_eq!(away.code, 0, "{}", away.stderr);
        assert!(away.stderr.contains("cannot reach") && away.stderr.contains("secchi runs push"), "{}", away.stderr);
        secchi(&sandbox, "runs", &format!("postgres://ann:{PASSWORD}@127.0.0.1:1/runs")).refuses(4, "cannot reach");
        // The server rejects only the upload at the end of a run.
        database.sql("REVOKE INSERT ON secchi.run FROM ann");
        let waits = fio(&sandbox, &url);
        assert!(waits.code == 0 && waits.stderr.contains("does not permit it"), "{}", waits.stderr);
        let listed = secchi(&sandbox, "runs --ids", &url);
        assert_eq!(listed.stdout.lines().count(), 1);
        assert!(listed.stderr.contains("1 of these is only on this machine"), "{}", listed.stderr);
        assert_eq!(secchi(&sandbox, "runs push", &url).code, 4);
        database.sql("GRANT INSERT ON secchi.run TO ann");
        let pushed = secchi(&sandbox, "runs push", &url);
        assert!(pushed.code == 0 && pushed.stderr.contains("1 run pushed to"), "{}", pushed.stderr);
        assert_eq!(database.count_rows("run"), "1");
    }
}

#[test]
fn what_is_wrong_with_a_team_store_is_one_sentence() {
    let sandbox = Sandbox::new();
    secchi(&sandbox, "runs", "postgres://ann@localhost:x/runs").refuses(64, "--store");
    secchi(&sandbox, "runs", "postgres://ann@localhost/runs?sslmode=allow").refuses(64, "sslmode=allow");
    secchi(&sandbox, "runs", "postgres://ann@localhost/runs?sslmode=verify-ca")
        .refuses(64, "verification needs a root certificate");
    sandbox.secchi("runs push").run().refuses(64, "this command needs a team's store");
    for database in Database::on_each_server() {
        secchi(&sandbox, "runs", &database.url_of_owner()).refuses(4, "secchi runs init");
        fio(&sandbox, &database.url_of_owner()).refuses(4, "secchi runs init");
        secchi(&sandbox, "runs init", &database.url("bob", OTHER_PASSWORD)).refuses(4, "does not permit it");
        secchi(&sandbox, "runs", &database.url("ann", "wrong")).refuses(4, "password authentication failed");
        secchi(&sandbox, "runs", &database.url_of_owner().replace(&database.name, "none")).refuses(4, "does not exist");
        assert_eq!(secchi(&sandbox, "runs init", &database.url_of_owner()).code, 0);
        secchi(&sandbox, "show ffff", &database.url_of_owner()).refuses(64, "no run begins with");
        database.sql("UPDATE secchi.about SET version = 99");
        secchi(&sandbox, "runs", &database.url_of_owner()).refuses(4, "has version 99");
    }
}
