//! Detection of containers, inside which the binding limit may not be visible.

use crate::Roots;
use crate::mounts::kernel_mounts;
use messages::sentence;
use model::{Caveat, Severity};
use std::path::Path;

/// Files that container runtimes create in their containers. Podman, Buildah and CRI-O create the first, Docker the
/// second, and systemd-nspawn the third.
const MARKS: [&str; 3] = ["/run/.containerenv", "/.dockerenv", "/run/systemd/container"];
/// Files that container runtimes mount individually. Runtimes that leave no mark (containerd) do so, too.
const GIVEN: [&str; 2] = ["/etc/hosts", "/etc/hostname"];

/// Returns a note if this process runs in a container, because the binding limit may not be visible from inside.
#[must_use]
pub fn container_note(roots: &Roots) -> Option<Caveat> {
    let file = mark(roots)?;
    let note = Caveat::new("in-container", Severity::Note, sentence!("container"), sentence!("container-seen", file));
    Some(note.remedy(sentence!("container-remedy")))
}

fn mark(roots: &Roots) -> Option<&'static str> {
    let left = MARKS.iter().find(|file| roots.place(Path::new(file)).exists());
    let mounts = kernel_mounts(roots);
    let given = || GIVEN.iter().find(|file| mounts.iter().any(|m| m.point == Path::new(file)));
    left.or_else(given).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roots::testkit::machine;

    /// Mount table of a pod under containerd, which leaves no mark.
    const POD: &str = "500 400 0:70 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w\n\
        510 500 8:1 /var/lib/kubelet/pods/f/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n\
        511 500 8:16 / /data rw - ext4 /dev/sdb rw\n";
    const HOST: &str = "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n";

    #[test]
    fn a_container_is_known_by_its_runtimes_mark_or_by_what_it_was_given() {
        of_linux!();
        let (_dir, host) = machine(HOST, "0::/\n", &["run", "etc"]);
        assert_eq!(container_note(&host), None);
        let (_dir, pod) = machine(POD, "0::/\n", &[]);
        assert_eq!(mark(&pod), Some("/etc/hosts"));
        let (dir, podman) = machine(HOST, "0::/\n", &["run"]);
        std::fs::write(dir.path().join("run/.containerenv"), "").unwrap();
        assert_eq!(mark(&podman), Some("/run/.containerenv"));
        let note = container_note(&podman).expect("a container");
        assert_eq!((note.id.as_str(), note.severity), ("in-container", Severity::Note));
    }
}
