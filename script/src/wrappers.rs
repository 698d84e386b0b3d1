//! Programs whose arguments contain a command that they run.

/// Form in which a program takes the command that it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapper {
    /// Options, then `operands` words, then the command.
    Prefix { valued: Valued, operands: usize },
    /// Like `Prefix`, but the remaining words are joined and passed to a shell.
    Shell { valued: Valued, operands: usize },
}

/// Options whose value is the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Valued {
    /// Only these options.
    Only(&'static str),
    /// Every option without `=`, except these options.
    AllBut(&'static str),
}

use Valued::{AllBut, Only};
use Wrapper::{Prefix, Shell};

/// Wrappers with their options, as listed in the manual pages of 2024.
const WRAPPERS: &[(&str, Wrapper)] = &[
    (
        "sudo",
        Prefix {
            valued: Only("-u -g -h -p -C -r -t -T -D -R -U --user --group --host --prompt --chdir --role --type"),
            operands: 0,
        },
    ),
    ("doas", Prefix { valued: Only("-u -C"), operands: 0 }),
    ("timeout", Prefix { valued: Only("-k -s --kill-after --signal"), operands: 1 }),
    ("gtimeout", Prefix { valued: Only("-k -s --kill-after --signal"), operands: 1 }),
    ("nice", Prefix { valued: Only("-n --adjustment"), operands: 0 }),
    ("ionice", Prefix { valued: Only("-c -n -p -P -u --class --classdata --pid --pgid --uid"), operands: 0 }),
    ("taskset", Prefix { valued: Only(""), operands: 1 }),
    (
        "numactl",
        Prefix {
            valued: Only("-i -N -C -m -p -w -P -S --interleave --cpunodebind --physcpubind --membind --preferred"),
            operands: 0,
        },
    ),
    ("chrt", Prefix { valued: Only("-T -P -D --sched-runtime --sched-period --sched-deadline"), operands: 1 }),
    ("env", Prefix { valued: Only("-u -C --unset --chdir"), operands: 0 }),
    ("time", Prefix { valued: Only("-f -o --format --output"), operands: 0 }),
    ("nohup", Prefix { valued: Only(""), operands: 0 }),
    ("setsid", Prefix { valued: Only(""), operands: 0 }),
    ("stdbuf", Prefix { valued: Only("-i -o -e --input --output --error"), operands: 0 }),
    ("unbuffer", Prefix { valued: Only(""), operands: 0 }),
    ("flock", Prefix { valued: Only("-w -E --timeout --wait --conflict-exit-code"), operands: 1 }),
    ("chroot", Prefix { valued: Only("--userspec --groups"), operands: 1 }),
    ("unshare", Prefix { valued: Only("-R -w -S -G --root --wd --setuid --setgid"), operands: 0 }),
    ("nsenter", Prefix { valued: Only("-t -S -G --target --setuid --setgid"), operands: 0 }),
    ("setarch", Prefix { valued: Only(""), operands: 1 }),
    ("prlimit", Prefix { valued: Only("-p -o --pid --output"), operands: 0 }),
    (
        "systemd-run",
        Prefix {
            valued: Only(
                "-p -u -M -H -E -d --property --unit --machine --host --setenv --slice --uid --gid --description",
            ),
            operands: 0,
        },
    ),
    ("systemd-inhibit", Prefix { valued: Only(""), operands: 0 }),
    ("cgexec", Prefix { valued: Only("-g"), operands: 0 }),
    ("strace", Prefix { valued: Only("-a -b -e -E -I -o -O -p -P -s -S -u -U -X"), operands: 0 }),
    ("ltrace", Prefix { valued: Only("-a -A -e -l -n -o -p -s -u -w -x"), operands: 0 }),
    ("perf", Prefix { valued: AllBut("-a -g -d -v -q -A -B --all-cpus --per-core --per-socket"), operands: 1 }),
    ("valgrind", Prefix { valued: Only(""), operands: 0 }),
    (
        "xargs",
        Prefix {
            valued: Only("-I -d -E -n -P -s -L -a --replace --delimiter --max-args --max-procs --arg-file"),
            operands: 0,
        },
    ),
    ("exec", Prefix { valued: Only("-a"), operands: 0 }),
    ("command", Prefix { valued: Only(""), operands: 0 }),
    ("builtin", Prefix { valued: Only(""), operands: 0 }),
    ("busybox", Prefix { valued: Only(""), operands: 0 }),
    ("coproc", Prefix { valued: Only(""), operands: 0 }),
    ("run0", Prefix { valued: Only("-u -g -D -p --user --group --chdir --property --unit"), operands: 0 }),
    ("pkexec", Prefix { valued: Only("--user"), operands: 0 }),
    ("sshpass", Prefix { valued: Only("-p -f -d -P"), operands: 0 }),
    ("call", Prefix { valued: Only(""), operands: 0 }),
    ("docker run", Prefix { valued: AllBut(CONTAINER_FLAGS), operands: 1 }),
    ("docker exec", Prefix { valued: AllBut(CONTAINER_FLAGS), operands: 1 }),
    ("lxc exec", Prefix { valued: AllBut("-t -T -n --force-interactive --disable-stdin"), operands: 1 }),
    ("kubectl exec", Prefix { valued: AllBut(CONTAINER_FLAGS), operands: 1 }),
    ("kubectl run", Prefix { valued: AllBut(CONTAINER_FLAGS), operands: 1 }),
    ("ip netns exec", Prefix { valued: Only(""), operands: 1 }),
    ("ssh", Shell { valued: Only("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"), operands: 1 }),
    ("rsh", Shell { valued: Only("-l"), operands: 1 }),
    ("pdsh", Shell { valued: Only("-w -x -g -l -f -t -u"), operands: 0 }),
    ("clush", Shell { valued: Only("-w -x -g -l -f -t -u"), operands: 0 }),
    ("watch", Shell { valued: Only("-n --interval"), operands: 0 }),
];

/// Options of container clients that take no value.
const CONTAINER_FLAGS: &str = "-d -i -t -it -ti -dit -itd -q -P --rm --privileged --init --detach --interactive --tty --quiet --stdin \
    --read-only --publish-all --no-healthcheck --attach --command";

/// Clients that have the same commands as another client.
const SAME: [(&str, &str); 7] = [
    ("podman", "docker"),
    ("nerdctl", "docker"),
    ("crictl", "docker"),
    ("oc", "kubectl"),
    ("k3s", "kubectl"),
    ("k", "kubectl"),
    ("incus", "lxc"),
];

/// Shells that run a script from `-c`, a file or standard input.
pub const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "su"];

/// Commands whose arguments may be text, package names or file names, but never a command.
pub const HARMLESS: &[&str] = &[
    "apt",
    "apt-get",
    "aptitude",
    "dnf",
    "yum",
    "zypper",
    "apk",
    "pacman",
    "brew",
    "port",
    "pip",
    "pip3",
    "choco",
    "winget",
    "snap",
    "dpkg",
    "rpm",
    "which",
    "type",
    "whereis",
    "hash",
    "man",
    "info",
    "help",
    "tldr",
    "apropos",
    "whatis",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "awk",
    "sed",
    "echo",
    "printf",
    "logger",
    "wall",
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "ls",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "touch",
    "ln",
    "test",
    "[",
    "[[",
    "git",
    "make",
    "pkill",
    "killall",
    "pgrep",
    "pidof",
    "kill",
    "cd",
    "tar",
    "scp",
    "rsync",
    "systemctl",
    "alias",
    "unalias",
    "where",
    "title",
    "find",
    "sort",
    "wc",
    "jq",
    "python",
    "python3",
    "perl",
    "curl",
    "wget",
    "vi",
    "vim",
    "nano",
    "diff",
    "file",
    "stat",
    "du",
    "df",
    "sleep",
    "del",
    "copy",
    "move",
    "dir",
    "md",
    "modprobe",
    "service",
    "notify-send",
    "mail",
    "tee",
    "dd",
];

/// Returns the wrapper at the beginning of `words`, with the number of words that form its name.
pub fn wrapper(words: &[&str]) -> Option<(Wrapper, usize)> {
    let first = program_name(words.first()?);
    let first = SAME.iter().find(|(name, _)| *name == first).map_or(first.as_str(), |(_, same)| same);
    WRAPPERS.iter().find_map(|(name, wrapper)| {
        let mut parts = name.split(' ');
        if parts.next() != Some(first) {
            return None;
        }
        // The verb may follow options: `kubectl -n bench exec`.
        let mut at = 1;
        for part in parts {
            let mut rest = words.iter().skip(at);
            let verb = rest.position(|w| *w == part).filter(|n| *n <= 6 && skips_to(&words[at..], *n))?;
            at += verb + 1;
        }
        Some((*wrapper, at))
    })
}

/// Returns `true` if the words before index `n` are options and their values.
fn skips_to(words: &[&str], n: usize) -> bool {
    (0..n).all(|i| words[i].starts_with('-') || i > 0 && words[i - 1].starts_with('-'))
}

impl Valued {
    /// Returns `true` if `option` takes the next word as its value.
    pub fn takes(self, option: &str) -> bool {
        match self {
            Only(list) => list.split(' ').any(|o| o == option),
            AllBut(list) => !option.contains('=') && !list.split(' ').any(|o| o == option),
        }
    }
}

/// Returns the name of a program without its path and `.exe`, in lower case.
pub fn program_name(word: &str) -> String {
    let name = model::text::file_name(word.trim_matches('"')).to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}
