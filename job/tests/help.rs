//! Tests of the output that is generated from the option table.

mod support;

use support::engines;

#[test]
fn help_of_one_option_lists_values_default_and_support() {
    let text = job::cmdhelp("readwrite", engines(), &[]).expect("an alias finds its option");
    for part in ["rw:", "alias: readwrite", "default: read", "randtrimwrite", "sequential mix of reads and writes"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        job::cmdhelp("cgroup", engines(), &[])
            .expect("known")
            .contains("refused: control groups are not created or changed")
    );
    assert!(job::cmdhelp("exec_prerun", engines(), &[]).expect("known").contains("/bin/sh"));
    assert!(job::cmdhelp("gtod_reduce", engines(), &[]).expect("known").contains("latency is measured anyway"));
    assert!(job::cmdhelp("blcksize", engines(), &[]).expect_err("unknown").to_string().contains("did you mean"));
}

#[test]
fn help_of_all_has_a_line_for_each() {
    let text = job::cmdhelp("all", engines(), &[]).expect("all");
    let options: usize = job::all(engines(), &[]).count();
    assert_eq!(text.lines().count(), options);
    assert!(
        text.contains("iodepth                     : Number of operations that each clone keeps in flight.\n"),
        "{text}"
    );
}

#[test]
fn help_fits_a_terminal_of_80_columns() {
    let short = job::command_help(engines(), job::CONSENT);
    assert!(
        short.contains("--allow-overwrite") && short.contains("--destroy") && !short.contains("--client"),
        "{short}"
    );
    let one = job::all(engines(), &[]).map(|s| job::cmdhelp(s.name, engines(), &[]).expect("known"));
    for line in one.chain([short]).flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
        // A word that is longer than a line is not split.
        assert!(line.chars().count() <= 80 || line.trim().split(' ').count() < 3, "{line}");
    }
}

#[test]
fn engine_help_lists_the_options_of_an_engine() {
    assert!(job::enghelp("", engines()).expect("all").contains("\tio_uring\n"));
    let ring = job::enghelp("io_uring", engines()).expect("known");
    assert!(ring.contains("sqthread_poll") && ring.contains("cmdprio_percentage          : Percent"), "{ring}");
    assert!(job::enghelp("io_uring,hipri", engines()).expect("known").contains("Poll for completions"));
    assert!(job::enghelp("cpuio", engines()).expect("known").contains("cpuload"));
    assert!(job::enghelp("exec,grace_time", engines()).expect("known").contains("SIGTERM"));
    assert_eq!(job::enghelp("psync", engines()).expect("known"), "IO engine psync has no options\n");
    assert!(job::enghelp("libiao", engines()).expect_err("unknown").to_string().contains("did you mean `libaio`"));
}

#[test]
fn reference_and_man_page_have_every_option_and_no_accidental_roff_requests() {
    let (reference, man) = (job::reference(engines(), &[]), job::man_page(engines(), &[]));
    for spec in job::all(engines(), &[]) {
        assert!(reference.contains(&format!("### `{}`", spec.name)), "{}", spec.name);
        assert!(man.contains(&format!("\\fB{}\\fR", spec.name.replace('-', "\\-"))), "{}", spec.name);
    }
    for line in man.lines() {
        let known = [".TH ", ".SH ", ".SS ", ".PP", ".TP", ".br"].iter().any(|r| line.starts_with(r));
        assert!(known || !line.starts_with(['.', '\'']), "{line}");
    }
}
