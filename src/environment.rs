//! Where things lie on this machine, as the environment tells.

use std::ffi::OsString;
use std::path::PathBuf;
use store::TeamAccess;

/// Directory of the run store: as asked, else `$XDG_DATA_HOME/secchi`, else on Windows `%LOCALAPPDATA%\secchi`, else
/// `~/.local/share/secchi`.
///
/// `None` when neither is known; the caller then names `--store`.
pub fn store_dir(asked: Option<&PathBuf>) -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|v: &OsString| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = asked {
        return Some(dir.clone());
    }
    // The specification calls relative paths invalid.
    if let Some(dir) = var("XDG_DATA_HOME").filter(|d| d.is_absolute()) {
        return Some(dir.join("secchi"));
    }
    // Windows sets it, and nobody else.
    if let Some(dir) = var("LOCALAPPDATA").filter(|d| d.is_absolute()) {
        return Some(dir.join("secchi"));
    }
    var("HOME").filter(|d| d.is_absolute()).map(|home| home.join(".local/share/secchi"))
}

/// Where runs wait that have not been put into a team's store yet.
pub fn waiting_dir() -> Option<PathBuf> {
    Some(store_dir(None)?.join("teams"))
}

/// What the variables and files of PostgreSQL's own programs tell of a team's store.
pub fn team_access() -> TeamAccess {
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    TeamAccess {
        password: var("PGPASSWORD"),
        sslmode: var("PGSSLMODE"),
        sslrootcert: var("PGSSLROOTCERT"),
        root_file: match std::env::var_os("APPDATA").map(PathBuf::from).filter(|dir| dir.is_absolute()) {
            Some(dir) => Some(dir.join("postgresql/root.crt")),
            None => home.map(|home| home.join(".postgresql/root.crt")),
        },
    }
}

/// Directory of the user's settings: `$XDG_CONFIG_HOME/secchi`, else on Windows `%APPDATA%\secchi`, else `~/.config/secchi`; `None` when
/// none is known.
pub fn config_dir() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|d| d.is_absolute());
    let dir = var("XDG_CONFIG_HOME").or_else(|| var("APPDATA"));
    let dir = dir.or_else(|| var("HOME").map(|home| home.join(".config")))?;
    Some(dir.join("secchi"))
}

/// Name of the variable by which `ab` tells a run its own process and the id the run is to have.
pub const ROUND: &str = "SECCHI_ROUND";

/// Who conducts this run as one of several, and the id it is to have.
pub fn round() -> Option<(u32, String)> {
    let value = std::env::var(ROUND).ok()?;
    let (pid, id) = value.split_once(':')?;
    Some((pid.parse().ok()?, id.to_owned()))
}

/// Name of the variable that tells a child process which descriptor leads to its supervisor.
pub const SUPERVISED: &str = "SECCHI_SUPERVISED";

/// The descriptor leading to the supervisor, when this process has one.
pub fn supervisor_fd() -> Option<(u32, u64)> {
    let value = std::env::var(SUPERVISED).ok()?;
    let (pid, fd) = value.split_once(':')?;
    Some((pid.parse().ok()?, fd.parse().ok()?))
}

/// Name of the variable that tells a child process which descriptors hold what its parent read and nobody can read again.
pub const HANDED: &str = "SECCHI_HANDED";

/// What the parent handed on.
pub fn handed() -> Option<String> {
    std::env::var(HANDED).ok()
}

/// Identities of devices that jobs may overwrite without being asked again, for machines whose disks are there for that.
pub fn may_destroy() -> Vec<String> {
    let list = std::env::var("SECCHI_DESTROY").unwrap_or_default();
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Directories that programs are looked for in.
pub fn path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// The path in the first of these variables that is set and not empty.
pub fn path_in(variables: &[&str]) -> Option<PathBuf> {
    variables.iter().find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

/// This process as one of several that a launcher of MPI programs started together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MpiLaunch {
    /// The launcher, as people call it.
    pub launcher: &'static str,
    /// The number of this process among them, from 0.
    pub rank: u32,
    /// How many there are; `None` where only the launcher's server knows.
    pub size: Option<u32>,
}

/// Whether this process is one of several that belong together; one that was started alone is none of many, whatever started it.
pub fn mpi_launch() -> Option<MpiLaunch> {
    recognise_launch(|name| std::env::var(name).ok()).filter(|launch| launch.size != Some(1))
}

/// What this machine calls itself.
pub fn host_name() -> String {
    sys::host_name()
}

/// Whether a launcher of MPI programs started this process, and no other with it.
pub fn is_sole_rank() -> bool {
    recognise_launch(|name| std::env::var(name).ok()).is_some_and(|launch| launch.size == Some(1))
}

/// By the variables of launchers, the innermost first: `mpirun` within a job of Slurm starts its daemons by `srun`, whose variables
/// the processes inherit.
fn recognise_launch(var: impl Fn(&str) -> Option<String>) -> Option<MpiLaunch> {
    let number = |name: &str| var(name)?.trim().parse::<u32>().ok();
    let launch = |launcher, rank, size| MpiLaunch { launcher, rank, size };
    // A step's tasks. A script of sbatch has SLURM_PROCID as well, and SLURM_NTASKS, but it is one process and no step.
    let step = || Some(launch("srun", number("SLURM_PROCID")?, Some(number("SLURM_STEP_NUM_TASKS")?)));
    let found = if let Some(rank) = number("OMPI_COMM_WORLD_RANK") {
        launch("Open MPI's mpirun", rank, number("OMPI_COMM_WORLD_SIZE"))
    } else if let Some(rank) = number("PMI_RANK") {
        // Hydra's (MPICH, Intel MPI), and those that speak as it does.
        launch("mpiexec", rank, number("PMI_SIZE"))
    } else if let Some(rank) = number("PMIX_RANK") {
        let by_slurm = var("PMIX_NAMESPACE").is_some_and(|name| name.starts_with("slurm."));
        step().filter(|_| by_slurm).unwrap_or_else(|| launch("a launcher of PMIx", rank, None))
    } else {
        step()?
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and values.
    type Variables<'a> = &'a [(&'a str, &'a str)];

    fn recognised(variables: Variables<'_>) -> Option<MpiLaunch> {
        let of = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        recognise_launch(of)
    }

    #[test]
    fn every_launcher_is_recognised() {
        let cases: &[(Variables<'_>, &str, u32, Option<u32>)] = &[
            (&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4")], "Open MPI's mpirun", 1, Some(4)),
            // Open MPI's processes are PMIx's, too.
            (
                &[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("PMIX_RANK", "0")],
                "Open MPI's mpirun",
                0,
                Some(2),
            ),
            (&[("PMI_RANK", "7"), ("PMI_SIZE", "8"), ("PMI_FD", "9")], "mpiexec", 7, Some(8)),
            (&[("PMIX_RANK", "3"), ("PMIX_NAMESPACE", "prterun-host-17@1")], "a launcher of PMIx", 3, None),
            // srun --mpi=pmix, and srun alone.
            (
                &[
                    ("PMIX_RANK", "5"),
                    ("PMIX_NAMESPACE", "slurm.pmix.81.0"),
                    ("SLURM_PROCID", "5"),
                    ("SLURM_STEP_NUM_TASKS", "8"),
                ],
                "srun",
                5,
                Some(8),
            ),
            (&[("SLURM_PROCID", "1"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "2")], "srun", 1, Some(2)),
            // mpirun within a job: its daemons are tasks of a step of Slurm's, one a node.
            (
                &[
                    ("OMPI_COMM_WORLD_RANK", "9"),
                    ("OMPI_COMM_WORLD_SIZE", "16"),
                    ("SLURM_PROCID", "1"),
                    ("SLURM_STEP_NUM_TASKS", "2"),
                ],
                "Open MPI's mpirun",
                9,
                Some(16),
            ),
        ];
        for (variables, launcher, rank, size) in cases {
            let wanted = MpiLaunch { launcher, rank: *rank, size: *size };
            assert_eq!(recognised(variables), Some(wanted), "{variables:?}");
        }
    }

    #[test]
    fn one_process_is_none_of_many() {
        let sole: &[Variables<'_>] = &[
            &[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")],
            &[("PMI_RANK", "0"), ("PMI_SIZE", "1")],
            &[("SLURM_PROCID", "0"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "1")],
            // One process of mpirun in a step of many: what stands nearest says it.
            &[
                ("OMPI_COMM_WORLD_RANK", "0"),
                ("OMPI_COMM_WORLD_SIZE", "1"),
                ("SLURM_PROCID", "3"),
                ("SLURM_STEP_NUM_TASKS", "8"),
            ],
        ];
        for variables in sole {
            assert_eq!(recognised(variables).and_then(|launch| launch.size), Some(1), "{variables:?}");
        }
        let cases: &[Variables<'_>] = &[
            &[],
            // A script of sbatch, whose job has many tasks and which has begun none of them.
            &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8"), ("SLURM_NPROCS", "8"), ("SLURM_JOB_NUM_NODES", "4")],
            // What is no number was put there by nobody we know.
            &[("PMI_RANK", ""), ("PMI_SIZE", "many")],
            &[("SLURM_PROCID", "-1"), ("SLURM_STEP_NUM_TASKS", "8")],
        ];
        for variables in cases {
            assert_eq!(recognised(variables), None, "{variables:?}");
        }
    }
}
