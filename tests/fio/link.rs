//! A link to the binary, or a copy of it, named `fio` acts as `secchi fio`.

use super::fio_json::FioJson;
use super::programs::{ours_speaks_fio, secchi, secchi_fio};
use super::support::{beside, place, run, skip};
use std::process::Command;
use std::time::Duration;

const WORDS: [&str; 6] =
    ["--name=linked", "--rw=randwrite", "--bs=4k", "--size=1m", "--output-format=json", "--eta=never"];

#[test]
fn a_link_and_a_copy_named_fio_do_what_the_command_does() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let place = place();
    let (link, copy) = (place.path().join("bin-link/fio"), place.path().join("bin-copy/fio"));
    for path in [&link, &copy] {
        std::fs::create_dir(path.parent().expect("we named it so")).expect("a directory of ours");
    }
    std::os::unix::fs::symlink(secchi(), &link).expect("a link in a directory of ours");
    std::fs::copy(secchi(), &copy).expect("a copy in a directory of ours");
    let store = place.path().join("store");
    let mut results = Vec::new();
    for (name, program) in [("plain", None), ("linked", Some(&link)), ("copied", Some(&copy))] {
        let dir = place.path().join(name);
        std::fs::create_dir(&dir).expect("a directory of ours");
        let mut command = match program {
            None => secchi_fio(&store),
            Some(path) => {
                let mut command = Command::new(path);
                command.env("HOME", &store).arg("--store").arg(&store);
                command
            }
        };
        let ended = run(command.args(WORDS), &dir, Duration::from_secs(60)).expect("it runs");
        assert!(ended.good, "{name}: {}", ended.stderr);
        let document = FioJson::read(&ended.stdout).unwrap_or_else(|e| panic!("{name}: {e}: {}", ended.stdout));
        let job = &document.jobs[0];
        results.push((job.name.clone(), job.writes.ios, job.writes.bytes, super::support::files_beneath(&dir)));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    assert_eq!(results[0].1, 256.0);
}

#[test]
fn a_link_named_fio_refuses_with_the_same_words_and_code() {
    let _beside = beside();
    if !ours_speaks_fio() {
        skip!("this build of secchi has no command `fio`");
    }
    let place = place();
    let link = place.path().join("fio");
    std::os::unix::fs::symlink(secchi(), &link).expect("a link in a directory of ours");
    for words in [vec!["--name=x", "--blocksizee=4k"], vec!["--bs=8k", "--direct=1", "--size=1g"], vec!["nowhere.fio"]]
    {
        let patience = Duration::from_secs(30);
        let plain = run(Command::new(secchi()).arg("fio").args(&words), place.path(), patience).expect("it runs");
        let linked = run(Command::new(&link).args(&words), place.path(), patience).expect("it runs");
        assert_eq!((plain.code, &plain.stdout, &plain.stderr), (linked.code, &linked.stdout, &linked.stderr));
        assert_eq!((plain.code, plain.stderr.lines().count()), (Some(64), 1), "{}", plain.stderr);
    }
}
