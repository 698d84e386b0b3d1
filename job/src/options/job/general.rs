//! Options for the description, the number of clones and the number of loops.

use crate::options::{OptionSpec, Setter::Nowhere, option, put, refuse};
use crate::value::{Kind, words};

/// Options for the description, clones, loops and units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GeneralOptions {
    /// Text printed in the job's report.
    pub description: String,
    /// Number of clones of the job, 1 to 4096.
    pub numjobs: u32,
    /// Number of passes over the workload.
    pub loops: u32,
    /// Meaning of the suffixes `k`, `m`, `g` in sizes: powers of 1024 or of 1000.
    pub kb_base: KbBase,
    /// Unit of printed rates: bytes or bits.
    pub unit_base: UnitBase,
}

words! {
    /// Meaning of the suffixes `k`, `m`, `g` in sizes.
    KbBase, default K1024 {
        K1024 = "1024": "k = 1024",
        K1000 = "1000": "k = 1000",
    }
}

words! {
    /// Unit of printed rates.
    UnitBase, default Auto {
        Auto = "0": "bytes per second, the unit of all engines",
        Bytes = "8": "bytes per second",
        Bits = "1": "bits per second",
    }
}

pub(in crate::options) const OPTIONS: &[OptionSpec] = &[
    option("name", Kind::Text, "", Nowhere).help(
        "Name of the job. On the command line, each name starts a job: options before the first name are defaults for \
         all jobs, and options after a name apply to its job. `--name=global` continues with defaults. A name has up \
         to 200 bytes of letters, digits, spaces and punctuation, but no path separators.",
    ),
    option("description", Kind::Text, "", put!(job.description)).help("Free text, printed in the job's report."),
    option("numjobs", Kind::Int { min: 1, max: 4096 }, "1", put!(job.numjobs)).help(
        "Number of clones of the job. Each clone is a thread with its own file, unless `filename` names shared files.",
    ),
    option("loops", Kind::from(1), "1", put!(job.loops)).help(
        "Number of iterations of the workload. fio 3.33 skips iterations if the tested range starts after the \
         beginning of the file and is covered more than once per iteration.",
    ),
    option("kb_base", Kind::words(KbBase::WORDS), "1024", put!(job.kb_base)).help(
        "Meaning of k, m and g in sizes: powers of 1024 or of 1000. Ki, Mi and Gi are always powers of 1024 in secchi; \
         with `kb_base=1024`, fio reads them as powers of 1000, as secchi does with `--fio-compat`.",
    ),
    option("unit_base", Kind::words(UnitBase::WORDS), "0", put!(job.unit_base))
        .help("Unit of the rates in the normal output: bytes or bits per second."),
    refuse("profile", "built-in profiles (tiobench, act) are not supported; write a job file instead")
        .help("Run one of fio's built-in workloads."),
];
