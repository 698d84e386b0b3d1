//! Detection of the hypervisor from DMI strings and CPU flags, with a table based on systemd's detect-virt.

use crate::Roots;
use crate::roots::word;

/// Prefix of a DMI string, and the hypervisor that it indicates.
type Mark = (&'static str, &'static str);

/// Marks of clouds, which also occur on hardware without a hypervisor.
const CLOUDS: [Mark; 4] = [
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Alibaba Cloud", "Alibaba Cloud"),
    ("OpenStack", "OpenStack KVM"),
];

const MARKS: [Mark; 18] = [
    ("DigitalOcean", "DigitalOcean KVM"),
    ("Virtual Machine", "Hyper-V"),
    ("Hyper-V", "Hyper-V"),
    ("KubeVirt", "KubeVirt KVM"),
    ("VMware", "VMware"),
    ("VMW", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek GmbH", "VirtualBox"),
    ("HVM domU", "Xen"),
    ("Xen", "Xen"),
    ("Parallels", "Parallels"),
    ("BHYVE", "bhyve"),
    ("Apple Virtualization", "Apple Virtualization"),
    ("RHEV Hypervisor", "KVM"),
    ("KVM", "KVM"),
    ("QEMU", "QEMU"),
    ("Standard PC", "QEMU"),
    ("Bochs", "Bochs"),
];

/// DMI files to read, the most specific first.
const FILES: [&str; 5] = ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"];

/// Returns the hypervisor, followed by the product name if it adds information (in clouds, the product name is the
/// instance type); `None` on bare metal. If only the CPU flags indicate a hypervisor, returns its name according to the
/// clock source, or `a hypervisor`.
pub(super) fn virtualization(roots: &Roots, cpuinfo: &str) -> Option<String> {
    let dmi = |file: &str| word(&roots.sys.join("class/dmi/id").join(file));
    let flag = hypervisor_flag(cpuinfo);
    let find = |text: String| CLOUDS.iter().chain(&MARKS).find(|(prefix, _)| text.starts_with(prefix));
    let marked = FILES.iter().filter_map(|f| dmi(f)).find_map(find);
    if let Some((prefix, name)) = marked.filter(|mark| flag != Some(false) || !CLOUDS.contains(mark)) {
        let product = dmi("product_name").filter(|p| !p.starts_with(prefix) && !p.starts_with("Standard PC"));
        return Some(product.map_or_else(|| (*name).to_owned(), |product| format!("{name} {product}")));
    }
    let xen = word(&roots.sys.join("hypervisor/type"));
    let tree = word(&roots.proc.join("device-tree/hypervisor/compatible"));
    if xen.is_some() || tree.is_some() {
        return xen.or(tree);
    }
    let clocks = word(&roots.sys.join("devices/system/clocksource/clocksource0/available_clocksource"));
    let clocks = clocks.unwrap_or_default();
    let by_clock = [("kvm-clock", "KVM"), ("hyperv_clocksource", "Hyper-V"), ("xen", "Xen")];
    let named = by_clock.iter().find(|(clock, _)| clocks.split_whitespace().any(|c| c.starts_with(clock)));
    match (flag, named) {
        (Some(true), Some((_, name))) => Some((*name).to_owned()),
        (Some(true), None) => Some("a hypervisor".to_owned()),
        _ => None,
    }
}

/// Returns `true` if the hypervisor flag of x86 is set; `None` if the machine lists no x86 flags.
fn hypervisor_flag(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find_map(|l| l.split_once(':').filter(|(k, _)| k.trim() == "flags"));
    flags.map(|(_, flags)| flags.split_whitespace().any(|f| f == "hypervisor"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn detect(files: &[(&str, &str)], flags: Option<&str>) -> Option<String> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = dir.path().join("sys").join(path);
            fs::create_dir_all(path.parent().expect("it has a parent")).unwrap();
            fs::write(path, text).unwrap();
        }
        let cpuinfo = flags.map(|f| format!("flags\t\t: fpu {f}\n")).unwrap_or_default();
        virtualization(&Roots::under(dir.path()), &cpuinfo)
    }

    const VENDOR: &str = "class/dmi/id/sys_vendor";
    const PRODUCT: &str = "class/dmi/id/product_name";
    const CLOCKS: &str = "devices/system/clocksource/clocksource0/available_clocksource";

    #[test]
    fn a_cloud_is_named_with_its_instance_type() {
        let nitro = [(VENDOR, "Amazon EC2\n"), (PRODUCT, "m5.large\n")];
        assert_eq!(detect(&nitro, Some("hypervisor")).as_deref(), Some("Amazon EC2 m5.large"));
        assert_eq!(detect(&nitro, None).as_deref(), Some("Amazon EC2 m5.large"), "arm64 shows no flag");
        assert_eq!(detect(&[(VENDOR, "Amazon EC2"), (PRODUCT, "m5.metal")], Some("")), None);
    }

    #[test]
    fn hypervisors_are_told_by_dmi_else_by_clock_else_only_seen() {
        let qemu = [(VENDOR, "QEMU"), (PRODUCT, "Standard PC (Q35 + ICH9, 2009)")];
        assert_eq!(detect(&qemu, Some("hypervisor")).as_deref(), Some("QEMU"));
        assert_eq!(detect(&[(CLOCKS, "tsc kvm-clock")], Some("hypervisor")).as_deref(), Some("KVM"));
        assert_eq!(detect(&[], Some("hypervisor")).as_deref(), Some("a hypervisor"));
        let azure = [(VENDOR, "Microsoft Corporation"), (PRODUCT, "Virtual Machine")];
        assert_eq!(detect(&azure, Some("hypervisor")).as_deref(), Some("Hyper-V"));
    }

    #[test]
    fn bare_metal_has_none() {
        let server = [(VENDOR, "Dell Inc."), (PRODUCT, "PowerEdge R640"), (CLOCKS, "tsc hpet acpi_pm")];
        assert_eq!(detect(&server, Some("ht")), None);
        assert_eq!(detect(&[], None), None);
    }
}
