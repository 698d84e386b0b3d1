//! Several processes of secchi started by an MPI launcher, in a build without MPI.
#![cfg(not(feature = "mpi"))]

use crate::support::{Sandbox, Secchi, beside, names_in, skip};
use std::path::Path;

const SENTENCE: &str = "this build cannot run on many hosts: build secchi with `cargo build --release --features mpi`";

/// Returns a command that would measure in the sandbox.
fn measuring(sandbox: &Sandbox, command: &str) -> Secchi {
    let data = sandbox.data().display().to_string();
    let mut secchi = Secchi::new(&sandbox.path("home"));
    secchi.words(&command.replace("DATA", &data));
    secchi
}

#[test]
fn whatever_measures_says_it_once_and_makes_nothing() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let one_host = |name: &str| format!("`secchi {name}` runs on one host");
    let commands = [
        ("qualify DATA", SENTENCE.to_owned()),
        ("fio --name=r --directory=DATA --size=1m --rw=write", SENTENCE.to_owned()),
        ("ping -c 1 DATA", SENTENCE.to_owned()),
        ("mark DATA", SENTENCE.to_owned()),
        ("db ranread DATA", SENTENCE.to_owned()),
        ("db ramp DATA", SENTENCE.to_owned()),
        ("db setup DATA/db", SENTENCE.to_owned()),
        ("db purge DATA/db", SENTENCE.to_owned()),
        ("db stop DATA", one_host("db stop")),
        ("watch --for 1s", SENTENCE.to_owned()),
        ("record -o DATA/r.sqio --for 1s", one_host("record")),
        ("ab --a fio --b fio", one_host("ab")),
        ("replay DATA/recording DATA", one_host("replay")),
    ];
    for (command, sentence) in commands {
        let mut secchi = measuring(&sandbox, command);
        let ended = secchi.env("PMI_RANK", "0").env("PMI_SIZE", "8").run();
        ended.refuses(4, &sentence);
        assert!(ended.stderr.contains("mpiexec started 8 processes"), "{}", ended.stderr);
        assert_eq!(names_in(&sandbox.data()), Vec::<String>::new(), "{command}");
    }
    let mut other = measuring(&sandbox, "qualify DATA");
    let ended = other.env("SLURM_PROCID", "3").env("SLURM_STEP_NUM_TASKS", "4").run();
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (4, "", ""));
    assert!(!sandbox.path("home").exists(), "no store is made");
}

#[test]
fn what_does_not_measure_runs_as_ever() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    for command in ["--version", "qualify --help", "qualify DATA --plan", "fio --version", "runs", "limits list"] {
        let ended =
            measuring(&sandbox, command).env("OMPI_COMM_WORLD_RANK", "1").env("OMPI_COMM_WORLD_SIZE", "2").run();
        assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
        assert!(!ended.stdout.is_empty(), "{command}");
    }
}

#[test]
fn a_script_of_sbatch_is_one_process() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut secchi = measuring(&sandbox, "ping -c 1 -i 1ms DATA");
    let ended = secchi.env("SLURM_PROCID", "0").env("SLURM_NTASKS", "8").env("SLURM_JOB_NUM_NODES", "4").run();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn mpirun_tells_the_sentence_once() {
    let _beside = beside();
    let sandbox = Sandbox::new();
    let mut mpirun = Secchi::new(&sandbox.path("home"));
    mpirun.program(Path::new("mpirun")).words("--allow-run-as-root --oversubscribe");
    // Two that start at the same time sometimes fail to create the default directory for their files.
    mpirun.env("OMPI_MCA_orte_tmpdir_base", &sandbox.root().display().to_string());
    let mut probe = Secchi::new(&sandbox.path("home"));
    mpirun.copied(&mut probe);
    probe.env("OMPI_MCA_orte_tmpdir_base", &sandbox.root().display().to_string());
    let works = probe.program(Path::new("mpirun")).words("-n 1 true").run();
    if works.code != 0 {
        skip!("no mpirun that works here: {}", works.stderr.trim());
    }
    mpirun.words("-n 2").arg(env!("CARGO_BIN_EXE_secchi"));
    mpirun.arg("qualify").arg(sandbox.data());
    let ended = mpirun.run();
    assert_eq!(ended.code, 4, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches(SENTENCE).count(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("Open MPI's mpirun started 2 processes"), "{}", ended.stderr);
    assert_eq!(names_in(&sandbox.data()), Vec::<String>::new());
}
