//! Subjects of a watch: devices given by name, devices under paths given by role, and processes. They are looked up
//! before the watch begins.

use anyhow::Result;
use cli::Watch;
use messages::{Sentence, sentence};
use model::plan::{WatchedDevice, WatchedGroup, WatchedProcess};
use model::{Caveat, Severity, clip, record::DeviceFacts, recording::RecordedLayer, units::nearest};
use monitor::samplers::{
    GroupOf, KnownDevice, MoreDisks, Process, Room, Subjects, known_devices, process_group, process_identity,
    top_access,
};
use monitor::{Roots, facts, mount_points};
use session::exit::{self, coded};
use session::reject;
use std::path::Path;

/// All subjects of a watch.
#[derive(Default)]
pub struct Found {
    /// Named devices, with their roles.
    pub devices: Vec<WatchedDevice>,
    /// Named processes.
    pub processes: Vec<WatchedProcess>,
    /// Control groups that contain the processes.
    pub groups: Vec<WatchedGroup>,
    /// Subjects for the samplers.
    pub subjects: Subjects,
    /// Devices and the devices below them, for the record.
    pub facts: Vec<DeviceFacts>,
    /// Notes for the record.
    pub notes: Vec<Sentence>,
    /// Doubts for the record.
    pub doubts: Vec<Caveat>,
}

impl Found {
    /// Looks up all subjects. Returns an error for the first subject that does not exist.
    pub fn find(options: &Watch) -> Result<Found> {
        let roots = Roots::host();
        let known = known_devices(&roots);
        let mut watched = Found::default();
        for role in &options.roles {
            if options.roles.iter().filter(|r| r.name == role.name).count() > 1 {
                reject!("two roles are named `{}`", role.name);
            }
            watched.role(&roots, &role.name, &role.path, options.layer)?;
        }
        for path in &options.devices {
            let device = device(&roots, &known, path)?;
            watched.add(&roots, &device, None);
        }
        if options.roles.is_empty() && options.devices.is_empty() {
            let more = if options.all { MoreDisks::All } else { MoreDisks::Own };
            watched.everything(&roots, &known, more);
        }
        for pid in &options.pids {
            watched.process(&roots, *pid)?;
            watched.group(&roots, *pid);
        }
        if options.top > 0 {
            watched.top(&roots, options.top);
        }
        for device in watched.devices.iter().filter(|d| d.roles.len() > 1) {
            watched.doubts.push(run::shared_device(&device.roles, &device.name));
        }
        Ok(watched)
    }

    /// Returns the names of roles and devices that a limit may refer to.
    pub fn names(&self) -> Vec<&str> {
        let roles = self.devices.iter().flat_map(|d| d.roles.iter().map(String::as_str));
        roles.chain(self.devices.iter().map(|d| d.name.as_str())).collect()
    }

    fn role(&mut self, roots: &Roots, name: &str, path: &Path, layer: RecordedLayer) -> Result<()> {
        let storage = facts::storage(roots, path).map_err(|e| bad(format!("role `{name}`: {e}")))?;
        let tops: Vec<&DeviceFacts> = storage.devices.iter().filter(|d| d.depth == 0).collect();
        // System calls can be observed on any storage, including network file systems.
        if tops.is_empty() && layer != RecordedLayer::Syscalls {
            let (shown, fs) = (path.display(), &storage.filesystem);
            reject!("role `{name}`: no block device is known under {shown} ({fs}), so there is nothing to watch");
        }
        for top in tops {
            let device = KnownDevice { name: top.name.clone(), dev: top.dev, whole: true, idle: false };
            self.add(roots, &device, Some(name));
        }
        if !storage.mount_point.is_empty() {
            self.subjects.rooms.push(Room { name: name.to_owned(), path: path.to_owned() });
        }
        Ok(())
    }

    fn add(&mut self, roots: &Roots, device: &KnownDevice, role: Option<&str>) {
        if let Some(known) = self.devices.iter_mut().find(|d| d.name == device.name) {
            known.roles.extend(role.map(str::to_owned));
            return;
        }
        let stack = facts::stack(roots, &[device.dev]);
        let below = stack.iter().skip(1).map(|d| d.name.clone()).collect();
        let roles = role.map(str::to_owned).into_iter().collect();
        self.devices.push(WatchedDevice { name: device.name.clone(), roles, below });
        let top = stack.first().cloned();
        self.subjects.devices.extend(top);
        let new = |d: &DeviceFacts| self.facts.iter().all(|k| k.name != d.name);
        let added: Vec<DeviceFacts> = stack.into_iter().filter(new).collect();
        self.facts.extend(added);
        if role.is_none() {
            self.rooms_of(roots, device);
        }
    }

    /// Adds the file system on a device under the name of its mount point.
    fn rooms_of(&mut self, roots: &Roots, device: &KnownDevice) {
        // One mount point is enough: all mounts of a file system share its space.
        if let Some(path) = mount_points(roots, device.dev).into_iter().next() {
            self.subjects.rooms.push(Room { name: path.display().to_string(), path });
        }
    }

    /// Adds the disks that have done I/O. Other disks are added later, when they do I/O.
    fn everything(&mut self, roots: &Roots, known: &[KnownDevice], more: MoreDisks) {
        self.subjects.more = more;
        let mut left_out = Vec::new();
        for device in known.iter().filter(|d| d.whole && !d.idle) {
            // A loop device without a file, or a drive without a medium, cannot be watched yet.
            if facts::stack(roots, &[device.dev]).first().is_none_or(|d| d.size.is_zero()) {
                continue;
            }
            if more.takes(&device.name) {
                self.add(roots, device, None);
            } else {
                left_out.push(device.name.as_str());
            }
        }
        if !left_out.is_empty() {
            self.notes.push(sentence!("note-not-watched", devices = left_out.join(", ")));
        }
        for part in known.iter().filter(|d| !d.whole) {
            self.rooms_of(roots, part);
        }
    }

    /// Adds the processes with the most I/O.
    fn top(&mut self, roots: &Roots, first: usize) {
        self.subjects.top = first;
        let access = top_access(roots);
        if access.hidden == 0 {
            return;
        }
        let evidence = sentence!("watch-hidden-processes-seen", hidden = access.hidden, processes = access.processes);
        let statement = sentence!("watch-hidden-processes");
        let doubt = Caveat::new("hidden-processes", Severity::Note, statement, evidence);
        self.doubts.push(match sys::files::effective_user() {
            0 => doubt,
            _ => doubt.remedy(sentence!("watch-hidden-processes-remedy")),
        });
    }

    fn process(&mut self, roots: &Roots, pid: u32) -> Result<()> {
        let Some(identity) = process_identity(roots, pid) else {
            reject!("--pid {pid}: no such process");
        };
        let name = pid.to_string();
        if self.processes.iter().any(|p| p.pid == pid) {
            reject!("--pid {pid}: given twice");
        }
        self.notes.push(sentence!("note-process", pid, program = &identity.name));
        self.processes.push(WatchedProcess { name: name.clone(), pid, program: identity.name });
        self.subjects.processes.push(Process { name, pid, start: identity.start, from_birth: false });
        Ok(())
    }

    /// Adds the control group of a process. Each group is added only once.
    fn group(&mut self, roots: &Roots, pid: u32) {
        let process = pid.to_string();
        match process_group(roots, pid, &self.subjects.devices) {
            Err(why) => self.notes.push(sentence!("note-no-group", why = why.sentence())),
            Ok(group) => match self.groups.iter_mut().find(|g| g.name == group.name) {
                Some(known) => known.processes.push(process),
                None => {
                    self.subjects.groups.push(GroupOf { name: group.name.clone(), pid });
                    self.groups.push(WatchedGroup { processes: vec![process], ..group });
                }
            },
        }
    }
}

fn bad(text: String) -> anyhow::Error {
    coded(exit::BAD_INPUT, text)
}

/// Returns a device by its kernel name, or by any path to its node.
fn device(roots: &Roots, known: &[KnownDevice], typed: &Path) -> Result<KnownDevice> {
    let text = typed.to_string_lossy();
    let kernel = text.strip_prefix("/dev/").unwrap_or(&text).replace('/', "!");
    if let Some(device) = known.iter().find(|d| d.name == kernel) {
        return Ok(device.clone());
    }
    let by_node = facts::device_by_name(roots, typed);
    if let Some(device) = by_node.and_then(|dev| known.iter().find(|d| d.dev == dev)) {
        return Ok(device.clone());
    }
    let near = nearest(&kernel, known.iter().map(|d| d.name.as_str()));
    let hint = match near {
        Some(name) => format!("; did you mean `{name}`?"),
        None if typed.exists() => "; to watch the device under a path, use --role NAME=PATH".to_owned(),
        None => {
            let whole: Vec<&str> =
                known.iter().filter(|d| d.whole && !d.idle).map(|d| d.name.as_str()).take(8).collect();
            format!("; there are {}", whole.join(", "))
        }
    };
    Err(bad(format!("--device {}: the kernel has no such block device{hint}", clip(&text))))
}
