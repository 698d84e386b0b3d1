//! Allowed targets of outputs: never devices, inputs, or files of a store or database; a file that is not an earlier
//! output only with --force. Each case destroyed something before the fix: mounted file systems by `report -o`, `judge
//! --junit` and `fio --output`, inputs by the command that read them, other files through links.

use crate::db::Base;
use crate::support::{Loop, Mounted, Run, Sandbox, Secchi, beside, loop_and_ext4, names_in, print_of, skip, tool};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const RUN: &str = "fio --name=r --size=1m --ioengine=psync --rw=read --bs=64k --output=/dev/null";

/// Creates a stored run and returns its id.
fn kept(sandbox: &Sandbox) -> String {
    let mut run = sandbox.secchi(RUN);
    let ended = run.arg(format!("--directory={}", sandbox.data().display())).run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    sandbox.secchi("runs --ids").run().stdout.trim().to_owned()
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Writes a file of ioping output for `judge`.
fn foreign(sandbox: &Sandbox) -> PathBuf {
    let file = sandbox.path("i.txt");
    std::fs::write(
        &file,
        "4 KiB <<< . (ext4 /dev/vda 98.3 GiB): request=1 time=612.3 us\n\n--- . (ext4 /dev/vda 98.3 GiB) ioping statistics ---\n\
         9 requests completed in 5.6 ms, 36 KiB read, 1.6 k iops, 6.2 MiB/s\ngenerated 10 requests in 9.0 s, 40 KiB, 1 iops, 4.4 KiB/s\n\
         min/avg/max/mdev = 543.2 us / 622.2 us / 712.3 us / 50.1 us\n",
    )
    .expect("a file of ours");
    file
}

/// Returns every command that writes a file; the caller appends the path.
fn writers(sandbox: &Sandbox, id: &str, input: &Path) -> Vec<(&'static str, Secchi)> {
    let mut commands = Vec::new();
    let mut add = |name, words: String, option: &str| {
        let mut secchi = sandbox.secchi(&words);
        secchi.arg(option);
        commands.push((name, secchi));
    };
    add("report", format!("report {id} -f html"), "-o");
    add("judge a file", format!("judge {}", input.display()), "--junit");
    add("judge a run", format!("judge {id} --need iris-flash"), "--junit");
    add("watch --csv", "watch --for 1s --interval 1s --json".into(), "--csv");
    add("watch --prometheus", "watch --for 1s --interval 1s --json".into(), "--prometheus");
    add("runs export", format!("runs export {id}"), "-o");
    commands
}

/// For `qualify`, whole_run.rs tests that the files contain the answer.
#[test]
fn every_measuring_command_writes_its_result_to_the_files_that_are_named() {
    let _beside = beside();
    let base = match Base::set_up("sqlite", "") {
        Ok(base) => base,
        Err(why) => skip!("{why}"),
    };
    base.run_ok("create-globals", "-g 1 -s 500");
    let sandbox = &base.sandbox;
    let data = sandbox.data().display().to_string();
    let cases = [
        ("db", base.command("ranread", "-p 1 -n 50"), "RanRead"),
        ("watch", sandbox.secchi("watch --for 300ms --interval 100ms --plain"), "watch --for 300ms"),
        ("ping", sandbox.secchi(&format!("ping -c 3 -i 1ms {data}")), "4 KiB"),
    ];
    for (name, mut secchi, says) in cases {
        let file = |ending: &str| sandbox.path(&format!("{name}.{ending}"));
        for ending in ["html", "md", "json"] {
            secchi.arg("--output").arg(file(ending));
        }
        let ended = secchi.run();
        assert!(matches!(ended.code, 0 | 2), "{name}: {}", ended.stderr);
        assert!(text(&file("html")).starts_with("<!DOCTYPE html>") && text(&file("html")).contains(says), "{name}");
        assert!(text(&file("md")).contains(says), "{name}: {}", text(&file("md")));
        let run: Run = serde_json::from_str(&text(&file("json"))).expect("one document");
        assert_eq!(run.record.plan.command, name);
        // Rejected before the measurement; a database directory is not a place for other files.
        let runs = sandbox.secchi("runs --ids").run().stdout;
        secchi.arg("--output").arg(sandbox.path("r.doc"));
        let wrong = secchi.run();
        assert!(wrong.code != 0 && wrong.stderr.contains("unknown file extension"), "{name}: {}", wrong.stderr);
        assert_eq!(sandbox.secchi("runs --ids").run().stdout, runs, "{name}");
    }
    let inside = base.command("ranread", "-p 1 -n 50").arg("-o").arg(base.at.join("r.html")).run();
    inside.refuses(3, "it is in a database");
}

#[test]
fn a_device_is_never_written_onto_by_any_command() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let id = kept(&sandbox);
    let input = foreign(&sandbox);
    let (mounted, device): (Mounted, Loop) =
        match loop_and_ext4(&sandbox.path("image"), 64 << 20, &sandbox.path("disk")) {
            Ok(both) => both,
            Err(why) => skip!("{why}"),
        };
    let link = sandbox.path("link");
    symlink(&device.path, &link).expect("a link");
    let image = sandbox.path("image");
    // Mount read-only: ext4 writes its superblock and journal a few seconds after a mount without any request.
    mounted.remount("ro");
    let before = print_of(&device.path);
    for (name, mut secchi) in writers(&sandbox, &id, &input) {
        let ended = secchi.arg(&device.path).run();
        assert_eq!(ended.code, 3, "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains("it is a device"), "{name}: {}", ended.stderr);
    }
    for to in [&device.path, &link, &image] {
        let mut fio = sandbox.secchi("fio --name=r --size=1m --rw=read --ioengine=psync --force");
        fio.arg(format!("--directory={}", sandbox.data().display())).arg(format!("--output={}", to.display()));
        let ended = fio.run();
        // With consent a link is replaced, never its target.
        let expected = if to == &link { 0 } else { 3 };
        assert_eq!(ended.code, expected, "{}: {}", to.display(), ended.stderr);
    }
    let mut qualify = sandbox.qualify(sandbox.data(), "--size 16m --patterns randread --junit");
    qualify.arg(&device.path).run().refuses(3, "it is a device");
    let mut mark = sandbox.secchi("mark --size 16m");
    // The name determines the format: a link to a device with such a name.
    let picture = sandbox.path("m.txt");
    symlink(&device.path, &picture).expect("a link");
    mark.arg("-o").arg(&picture).arg(sandbox.data()).run().refuses(3, "symbolic link");
    assert_eq!(print_of(&device.path), before, "nothing was written");
    assert_eq!(names_in(&sandbox.data()), ["r.0.0"], "refused before anything was made");
    drop(mounted);
    tool("e2fsck", &["-n".as_ref(), "-f".as_ref(), device.path.as_os_str()]).expect("the file system is whole");
}

/// Previously a mistyped device name became a file in memory, as large as the job.
#[test]
fn nothing_is_made_among_devices() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let names = || names_in(Path::new("/dev")).into_iter().filter(|n| n.contains("secchi")).collect::<Vec<_>>();
    let before = names();
    for words in [
        "fio --name=w --rw=write --bs=4k --size=64k --filename=/dev/secchi-nul",
        "fio --name=r --rw=read --bs=4k --size=64k --filename=/dev/secchi-nul",
        "fio --name=w --rw=write --bs=4k --size=64k --directory=/dev",
        "mark /dev -n 1 -s 16m -t 1 -i 0",
        "qualify /dev --patterns randread --size 16m",
        "db setup /dev/secchi-nul",
        "db script --engine gtm -o /dev/secchi-nul",
        "fio --name=n --ioengine=null --size=1m --rw=read --store /dev/secchi-nul",
    ] {
        let has_its_own = words.starts_with("db script") || words.contains("--store");
        let ended = match has_its_own {
            true => Secchi::new(&sandbox.path("home")).words(words).run(),
            false => sandbox.secchi(words).run(),
        };
        assert_eq!((ended.code, ended.stderr.lines().count()), (3, 1), "{words}: {}", ended.stderr);
        let is_named =
            ["among devices", "in a file system of the kernel"].iter().any(|text| ended.stderr.contains(text));
        assert!(is_named, "{words}: {}", ended.stderr);
    }
    assert_eq!(names(), before);
}

#[test]
fn somebodys_file_is_replaced_only_with_force_and_an_earlier_output_without() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let id = kept(&sandbox);
    let input = foreign(&sandbox);
    for (name, secchi) in writers(&sandbox, &id, &input) {
        let thesis = sandbox.path("thesis");
        std::fs::write(&thesis, "years of work").expect("a file of ours");
        let run = |more: &[&str]| {
            let mut again = Secchi::new(&sandbox.path("home"));
            secchi.copied(&mut again);
            again.arg(&thesis);
            more.iter().for_each(|word| {
                again.arg(word);
            });
            again.run()
        };
        let ended = run(&[]);
        assert_eq!(ended.code, 3, "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains("--force"), "{name}: {}", ended.stderr);
        assert_eq!(text(&thesis), "years of work", "{name}");
        let ended = run(&["--force"]);
        assert!(ended.code <= 2, "{name}: {}", ended.stderr);
        assert_ne!(text(&thesis), "years of work", "{name}");
        let ended = run(&[]);
        let kept_apart = name == "runs export";
        assert_eq!(ended.code == 3, kept_apart, "{name}, over its own: {}", ended.stderr);
        std::fs::remove_file(&thesis).expect("ours");
    }
    assert!(names_in(&sandbox.root()).iter().all(|n| !n.contains(".tmp")), "{:?}", names_in(&sandbox.root()));
}

#[test]
fn links_are_not_written_through() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let id = kept(&sandbox);
    let input = foreign(&sandbox);
    let target = sandbox.path("theirs");
    for (name, secchi) in writers(&sandbox, &id, &input) {
        let _ = std::fs::remove_file(&target);
        // Even if the target of the link could be replaced.
        std::fs::write(&target, "# HELP secchi_runs x\n").expect("a file of ours");
        let (soft, hard) = (sandbox.path("soft"), sandbox.path("hard"));
        for link in [&soft, &hard] {
            let _ = std::fs::remove_file(link);
        }
        symlink(&target, &soft).expect("a link");
        std::fs::hard_link(&target, &hard).expect("a link");
        for (link, code) in [(&soft, 3), (&hard, 0)] {
            let mut again = Secchi::new(&sandbox.path("home"));
            secchi.copied(&mut again);
            let ended = again.arg(link).run();
            if code == 3 || name == "runs export" {
                assert_eq!(ended.code, 3, "{name}: {}", ended.stderr);
            }
            assert_eq!(text(&target), "# HELP secchi_runs x\n", "{name} wrote through {}", link.display());
        }
    }
}

#[test]
fn no_command_writes_onto_what_it_reads_or_loads() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let id = kept(&sandbox);
    let input = foreign(&sandbox);
    let before = text(&input);
    for name in ["i.txt", "hard.xml"] {
        let to = sandbox.path(name);
        if name != "i.txt" {
            std::fs::hard_link(&input, &to).expect("a link");
        }
        let mut judge = sandbox.secchi("judge --force");
        judge.arg("--junit").arg(&to).arg(&input).run().refuses(3, "this command reads it");
    }
    assert_eq!(text(&input), before);
    // A job file, including an included one.
    let (job, part) = (sandbox.path("a.fio"), sandbox.path("part.fio"));
    std::fs::write(&part, "size=1m\n").expect("ours");
    std::fs::write(&job, "[r]\ninclude part.fio\nrw=read\nioengine=psync\nfilename=v\n").expect("ours");
    for to in [&job, &part] {
        let mut fio = sandbox.secchi("fio --force");
        fio.arg(&job).arg(format!("--output={}", to.display())).run().refuses(3, "this command reads it");
    }
    // The file under load, existing or not, named through any directory.
    let target = sandbox.data().join("v");
    for to in [target.clone(), sandbox.data().join("../data/v")] {
        let mut fio = sandbox.secchi("fio --name=r --rw=write --size=1m --ioengine=psync --force");
        fio.arg(format!("--filename={}", target.display())).arg(format!("--output={}", to.display()));
        fio.run().refuses(3, "this command uses it");
    }
    let mut log = sandbox.secchi("fio --name=v --rw=write --size=1m --ioengine=psync --force --per_job_logs=0");
    let prefix = sandbox.data().join("v");
    log.arg(format!("--filename={}_bw.log", prefix.display())).arg(format!("--write_bw_log={}", prefix.display()));
    log.run().refuses(3, "this command uses it");
    // A journal inside and outside the store, and the store's index.
    let journal = sandbox.store().join(format!("runs/{id}.journal"));
    let copy = sandbox.path("x.journal");
    std::fs::copy(&journal, &copy).expect("ours");
    let whole = std::fs::read(&journal).expect("ours");
    let report = |run: &str, to: &Path| {
        let mut report = sandbox.secchi("report --force -f html");
        report.arg(run).arg("-o").arg(to).run()
    };
    report(copy.to_str().expect("UTF-8"), &copy).refuses(3, "this command reads it");
    report(&id, &copy).refuses(3, "journal of a run");
    report(&id, &journal).refuses(3, "");
    report(&id, &sandbox.store().join("index.sqlite")).refuses(3, "run store");
    report(&id, &sandbox.store().join("runs/new.html")).refuses(3, "run store");
    assert_eq!(std::fs::read(&journal).expect("ours"), whole);
    assert_eq!(std::fs::read(&copy).expect("ours"), whole);
}

#[test]
fn fios_outputs_and_logs_replace_what_looks_like_them_and_nothing_else() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let out = sandbox.path("out");
    let log = sandbox.path("l_bw.1.log");
    let fio = |more: &str| {
        let mut fio = sandbox.secchi("fio --name=r --rw=read --size=1m --ioengine=psync --bs=64k --log_avg_msec=10");
        fio.arg(format!("--directory={}", sandbox.data().display())).arg(format!("--output={}", out.display()));
        fio.arg(format!("--write_bw_log={}", sandbox.path("l").display())).words(more).run()
    };
    for format in ["normal", "terse", "json", "json+", "normal,terse"] {
        for _ in 0..2 {
            let ended = fio(&format!("--output-format={format}"));
            assert_eq!(ended.code, 0, "{format}: {}", ended.stderr);
        }
    }
    for theirs in [&out, &log] {
        std::fs::write(theirs, "shopping list\n").expect("ours");
        let ended = fio("");
        assert_eq!(ended.code, 3, "{}", ended.stderr);
        assert!(ended.stderr.contains("--force"), "{}", ended.stderr);
        assert_eq!(text(theirs), "shopping list\n");
        assert_eq!(fio("--force").code, 0);
        assert_ne!(text(theirs), "shopping list\n");
    }
}
