//! Paths and settings from the environment.

use std::path::PathBuf;
use store::TeamAccess;

/// Returns the directory of the run store. It is the first of these that is known: the requested directory,
/// `$XDG_DATA_HOME/secchi`, `%LOCALAPPDATA%\secchi` (Windows only), `~/.local/share/secchi`.
///
/// Returns `None` if none of them is known; the caller then suggests `--store`.
pub fn store_dir(asked: Option<&PathBuf>) -> Option<PathBuf> {
    // Only Windows sets the second variable.
    let shared = || absolute("XDG_DATA_HOME").or_else(|| absolute("LOCALAPPDATA"));
    let shared = || shared().or_else(|| Some(absolute("HOME")?.join(".local/share")));
    asked.cloned().or_else(|| Some(shared()?.join("secchi")))
}

/// Returns the absolute path in a variable. The specification of the XDG directories declares relative paths invalid.
fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the directory of runs that have not been pushed to a team's store yet.
pub fn waiting_dir() -> Option<PathBuf> {
    Some(store_dir(None)?.join("teams"))
}

/// Returns the settings for access to a team's store, from the variables and files that PostgreSQL's programs use.
pub fn team_access() -> TeamAccess {
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    TeamAccess {
        password: var("PGPASSWORD"),
        sslmode: var("PGSSLMODE"),
        sslrootcert: var("PGSSLROOTCERT"),
        root_file: match absolute("APPDATA") {
            Some(dir) => Some(dir.join("postgresql/root.crt")),
            None => absolute("HOME").map(|home| home.join(".postgresql/root.crt")),
        },
    }
}

/// Returns the directory of the user's settings. It is the first of these that is known: `$XDG_CONFIG_HOME/secchi`,
/// `%APPDATA%\secchi` (Windows only), `~/.config/secchi`. Returns `None` if none of them is known.
pub fn config_dir() -> Option<PathBuf> {
    let dir = absolute("XDG_CONFIG_HOME").or_else(|| absolute("APPDATA"));
    let dir = dir.or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(dir.join("secchi"))
}

/// Name of the variable in which a command such as `ab` passes its process ID and the new run's ID to a run that it
/// starts.
pub const ROUND: &str = "SECCHI_ROUND";

/// Returns the ID of the process that started this run as one of several, and the ID for the run.
pub fn round() -> Option<(u32, String)> {
    let value = std::env::var(ROUND).ok()?;
    let (pid, id) = value.split_once(':')?;
    Some((pid.parse().ok()?, id.to_owned()))
}

/// Name of the variable that passes the descriptor of the supervisor's pipe to a child process.
pub const SUPERVISED: &str = "SECCHI_SUPERVISED";

/// Returns the process ID of the supervisor and the descriptor of its pipe, if this process has one.
pub fn supervisor_fd() -> Option<(u32, u64)> {
    let value = std::env::var(SUPERVISED).ok()?;
    let (pid, fd) = value.split_once(':')?;
    Some((pid.parse().ok()?, fd.parse().ok()?))
}

/// Name of the variable that passes descriptors to a child process, for inputs that cannot be read a second time.
pub const HANDED: &str = "SECCHI_HANDED";

/// Returns the inputs that the parent process passed on.
pub fn handed() -> Option<String> {
    std::env::var(HANDED).ok()
}

/// Returns the filter of diagnostics, in the form `TARGET=LEVEL,...`; `None` if it is not set or empty.
pub fn log_filter() -> Option<String> {
    std::env::var_os("SECCHI_LOG").filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the identities of devices that jobs may overwrite without confirmation, for machines with disks that may be
/// overwritten.
pub fn may_destroy() -> Vec<String> {
    let list = std::env::var("SECCHI_DESTROY").unwrap_or_default();
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the words of the command line after the program and the command.
pub fn arguments() -> Vec<String> {
    std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the directories that are searched for programs.
pub fn path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns the path in the first of these variables that is set and not empty.
pub fn path_in(variables: &[&str]) -> Option<PathBuf> {
    variables.iter().find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

/// MPI launch that this process belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MpiLaunch {
    /// Common name of the launcher.
    pub launcher: &'static str,
    /// Number of this process within the launch, from 0.
    pub rank: u32,
    /// Number of processes; `None` if only the launcher's server knows the number.
    pub size: Option<u32>,
}

/// Returns the MPI launch that this process belongs to. Returns `None` for a single process, even if an MPI launcher
/// started it.
pub fn mpi_launch() -> Option<MpiLaunch> {
    recognise_launch(|name| std::env::var(name).ok()).filter(|launch| launch.size != Some(1))
}

/// Returns `true` if an MPI launcher started this process and no other.
pub fn is_sole_rank() -> bool {
    recognise_launch(|name| std::env::var(name).ok()).is_some_and(|launch| launch.size == Some(1))
}

/// Recognises a launch by the variables that launchers set. The innermost launcher is checked first: `mpirun` inside a
/// Slurm job starts its daemons with `srun`, and the processes inherit the variables of `srun`.
fn recognise_launch(var: impl Fn(&str) -> Option<String>) -> Option<MpiLaunch> {
    let number = |name: &str| var(name)?.trim().parse::<u32>().ok();
    let launch = |launcher, rank, size| MpiLaunch { launcher, rank, size };
    // `srun` starts the tasks of a step. An sbatch script also has SLURM_PROCID and SLURM_NTASKS, but it is one process
    // and not a step.
    let step = || Some(launch("srun", number("SLURM_PROCID")?, Some(number("SLURM_STEP_NUM_TASKS")?)));
    let recognised = if let Some(rank) = number("OMPI_COMM_WORLD_RANK") {
        launch("Open MPI's mpirun", rank, number("OMPI_COMM_WORLD_SIZE"))
    } else if let Some(rank) = number("PMI_RANK") {
        // Variables of Hydra (MPICH, Intel MPI) and of compatible launchers.
        launch("mpiexec", rank, number("PMI_SIZE"))
    } else if let Some(rank) = number("PMIX_RANK") {
        let by_slurm = var("PMIX_NAMESPACE").is_some_and(|name| name.starts_with("slurm."));
        step().filter(|_| by_slurm).unwrap_or_else(|| launch("a launcher of PMIx", rank, None))
    } else {
        step()?
    };
    Some(recognised)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and values of variables.
    type Variables<'a> = &'a [(&'a str, &'a str)];

    fn recognised(variables: Variables<'_>) -> Option<MpiLaunch> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        recognise_launch(variable)
    }

    #[test]
    fn every_launcher_is_recognised() {
        let cases: &[(Variables<'_>, &str, u32, Option<u32>)] = &[
            (&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4")], "Open MPI's mpirun", 1, Some(4)),
            // Processes of Open MPI are also PMIx processes.
            (
                &[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("PMIX_RANK", "0")],
                "Open MPI's mpirun",
                0,
                Some(2),
            ),
            (&[("PMI_RANK", "7"), ("PMI_SIZE", "8"), ("PMI_FD", "9")], "mpiexec", 7, Some(8)),
            (&[("PMIX_RANK", "3"), ("PMIX_NAMESPACE", "prterun-host-17@1")], "a launcher of PMIx", 3, None),
            // `srun --mpi=pmix`, and plain `srun`.
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
            // `mpirun` inside a job: its daemons are tasks of a Slurm step, one per node.
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
            // One process of `mpirun` in a step of many processes: the innermost launcher counts.
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
            // An sbatch script of a job with many tasks, none of which has been started.
            &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8"), ("SLURM_NPROCS", "8"), ("SLURM_JOB_NUM_NODES", "4")],
            // Values that are not numbers were set by unknown programs.
            &[("PMI_RANK", ""), ("PMI_SIZE", "many")],
            &[("SLURM_PROCID", "-1"), ("SLURM_STEP_NUM_TASKS", "8")],
        ];
        for variables in cases {
            assert_eq!(recognised(variables), None, "{variables:?}");
        }
    }
}
