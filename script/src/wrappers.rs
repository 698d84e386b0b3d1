//! Programs whose arguments contain a command that they run.

/// Program that runs a command: options, then `operands` words, then the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrapper {
    pub form: Form,
    pub valued: Valued,
    pub operands: usize,
}

/// Form in which a program takes the command that it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The words of the command.
    Prefix,
    /// The words are joined and passed to a shell.
    Shell,
}

/// Options whose value is the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Valued {
    /// Only these options.
    Only(&'static str),
    /// Every option without `=`, except these options.
    AllBut(&'static str),
}

use Form::{Prefix, Shell};
use Valued::{AllBut, Only};

/// Wrappers with their forms, options and numbers of operands, as listed in the manual pages of 2024.
const WRAPPERS: &[(&str, Form, Valued, usize)] = &[
    ("sudo", Prefix, Only("-u -g -h -p -C -r -t -T -D -R -U --user --group --host --prompt --chdir --role --type"), 0),
    ("doas", Prefix, Only("-u -C"), 0),
    ("timeout", Prefix, Only("-k -s --kill-after --signal"), 1),
    ("gtimeout", Prefix, Only("-k -s --kill-after --signal"), 1),
    ("nice", Prefix, Only("-n --adjustment"), 0),
    ("ionice", Prefix, Only("-c -n -p -P -u --class --classdata --pid --pgid --uid"), 0),
    ("taskset", Prefix, Only(""), 1),
    (
        "numactl",
        Prefix,
        Only("-i -N -C -m -p -w -P -S --interleave --cpunodebind --physcpubind --membind --preferred"),
        0,
    ),
    ("chrt", Prefix, Only("-T -P -D --sched-runtime --sched-period --sched-deadline"), 1),
    ("env", Prefix, Only("-u -C --unset --chdir"), 0),
    ("time", Prefix, Only("-f -o --format --output"), 0),
    ("nohup", Prefix, Only(""), 0),
    ("setsid", Prefix, Only(""), 0),
    ("stdbuf", Prefix, Only("-i -o -e --input --output --error"), 0),
    ("unbuffer", Prefix, Only(""), 0),
    ("flock", Prefix, Only("-w -E --timeout --wait --conflict-exit-code"), 1),
    ("chroot", Prefix, Only("--userspec --groups"), 1),
    ("unshare", Prefix, Only("-R -w -S -G --root --wd --setuid --setgid"), 0),
    ("nsenter", Prefix, Only("-t -S -G --target --setuid --setgid"), 0),
    ("setarch", Prefix, Only(""), 1),
    ("prlimit", Prefix, Only("-p -o --pid --output"), 0),
    (
        "systemd-run",
        Prefix,
        Only("-p -u -M -H -E -d --property --unit --machine --host --setenv --slice --uid --gid --description"),
        0,
    ),
    ("systemd-inhibit", Prefix, Only(""), 0),
    ("cgexec", Prefix, Only("-g"), 0),
    ("strace", Prefix, Only("-a -b -e -E -I -o -O -p -P -s -S -u -U -X"), 0),
    ("ltrace", Prefix, Only("-a -A -e -l -n -o -p -s -u -w -x"), 0),
    ("perf", Prefix, AllBut("-a -g -d -v -q -A -B --all-cpus --per-core --per-socket"), 1),
    ("valgrind", Prefix, Only(""), 0),
    ("xargs", Prefix, Only("-I -d -E -n -P -s -L -a --replace --delimiter --max-args --max-procs --arg-file"), 0),
    ("exec", Prefix, Only("-a"), 0),
    ("command", Prefix, Only(""), 0),
    ("builtin", Prefix, Only(""), 0),
    ("busybox", Prefix, Only(""), 0),
    ("coproc", Prefix, Only(""), 0),
    ("run0", Prefix, Only("-u -g -D -p --user --group --chdir --property --unit"), 0),
    ("pkexec", Prefix, Only("--user"), 0),
    ("sshpass", Prefix, Only("-p -f -d -P"), 0),
    ("call", Prefix, Only(""), 0),
    ("docker run", Prefix, AllBut(CONTAINER_FLAGS), 1),
    ("docker exec", Prefix, AllBut(CONTAINER_FLAGS), 1),
    ("lxc exec", Prefix, AllBut("-t -T -n --force-interactive --disable-stdin"), 1),
    ("kubectl exec", Prefix, AllBut(CONTAINER_FLAGS), 1),
    ("kubectl run", Prefix, AllBut(CONTAINER_FLAGS), 1),
    ("ip netns exec", Prefix, Only(""), 1),
    ("ssh", Shell, Only("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"), 1),
    ("rsh", Shell, Only("-l"), 1),
    ("pdsh", Shell, Only("-w -x -g -l -f -t -u"), 0),
    ("clush", Shell, Only("-w -x -g -l -f -t -u"), 0),
    ("watch", Shell, Only("-n --interval"), 0),
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
const HARMLESS: &str = "apt apt-get aptitude dnf yum zypper apk pacman brew port pip pip3 choco winget snap dpkg rpm which type \
    whereis hash man info help tldr apropos whatis grep egrep fgrep rg ag awk sed echo printf logger wall cat less \
    more head tail ls cp mv rm mkdir touch ln test [ [[ git make pkill killall pgrep pidof kill cd tar scp rsync \
    systemctl alias unalias where title find sort wc jq python python3 perl curl wget vi vim nano diff file stat \
    du df sleep del copy move dir md modprobe service notify-send mail tee dd";

/// Returns `true` for a command whose arguments are never a command.
pub fn is_harmless(name: &str) -> bool {
    HARMLESS.split(' ').any(|harmless| harmless == name)
}

/// Returns the wrapper at the beginning of `words`, with the number of words that form its name.
pub fn wrapper(words: &[&str]) -> Option<(Wrapper, usize)> {
    let first = program_name(words.first()?);
    let first = SAME.iter().find(|(name, _)| *name == first).map_or(first.as_str(), |(_, same)| same);
    WRAPPERS.iter().find_map(|&(name, form, valued, operands)| {
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
        Some((Wrapper { form, valued, operands }, at))
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
