//! Volumes and instances of a person's own account, as the command lines of the clouds print them (as JSON), as
//! specifications for `--volume` and `--instance`.

use serde_json::Value;

/// A volume or an instance of an account, or a type of instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnItem {
    /// Name or identifier in the account.
    pub name: String,
    /// Specification: `aws/gp3:size=100GiB,iops=3000,mbps=125`, `aws/m7i.large`.
    pub option: String,
    /// Instance that a volume is attached to, if any.
    pub attached: Option<String>,
}

/// Kind of the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnKind {
    /// Volumes.
    Volumes,
    /// Instances, or types of instances.
    Instances,
}

/// Error of reading a list of volumes or instances.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// The text is not JSON.
    #[error("line {0}: not JSON")]
    NoJson(usize),
    /// The document is of another command.
    #[error(
        "no list of volumes or instances: expected the JSON of aws ec2 describe-volumes or describe-instances, \
         az disk list, vm list or vm list-skus, gcloud compute disks list, instances list or machine-types list, \
         oci bv volume list, compute instance list or compute shape list, or ibmcloud is volumes or instances"
    )]
    Unknown,
    /// The list is empty.
    #[error("the list is empty")]
    Empty,
}

/// A command whose output is a list of volumes or instances.
struct Source {
    /// Key of the list; empty if the document is the list.
    list: &'static str,
    /// Key that only items of this command have.
    key: &'static str,
    kind: OwnKind,
    item: fn(&Value) -> OwnItem,
}

const SOURCES: [Source; 13] = [
    Source { list: "Volumes", key: "VolumeType", kind: OwnKind::Volumes, item: aws },
    Source { list: "data", key: "vpus-per-gb", kind: OwnKind::Volumes, item: oci },
    Source { list: "", key: "sku", kind: OwnKind::Volumes, item: azure },
    Source { list: "", key: "sizeGb", kind: OwnKind::Volumes, item: google },
    Source { list: "", key: "capacity", kind: OwnKind::Volumes, item: ibm },
    Source { list: "Instances", key: "InstanceType", kind: OwnKind::Instances, item: aws_instance },
    Source { list: "InstanceTypes", key: "InstanceType", kind: OwnKind::Instances, item: aws_instance },
    Source { list: "data", key: "shape", kind: OwnKind::Instances, item: oci_instance },
    Source { list: "", key: "hardwareProfile", kind: OwnKind::Instances, item: azure_instance },
    Source { list: "", key: "capabilities", kind: OwnKind::Instances, item: azure_instance },
    Source { list: "", key: "machineType", kind: OwnKind::Instances, item: google_instance },
    Source { list: "", key: "guestCpus", kind: OwnKind::Instances, item: google_instance },
    Source { list: "", key: "vcpu", kind: OwnKind::Instances, item: ibm_instance },
];

/// Returns the volumes or instances in the output of a cloud's command line. Types of instances are returned once.
///
/// # Errors
/// Returns an error if the text is no such output, or lists nothing.
pub fn own_items(json: &str) -> Result<(OwnKind, Vec<OwnItem>), AccountError> {
    let mut document: Value = serde_json::from_str(json).map_err(|e| AccountError::NoJson(e.line()))?;
    // AWS groups instances by the request that started them.
    if let Some(reservations) = document["Reservations"].as_array() {
        let instances = reservations.iter().filter_map(|r| r["Instances"].as_array()).flatten().cloned().collect();
        document = serde_json::json!({ "Instances": Value::Array(instances) });
    }
    let list = |source: &Source| match source.list {
        "" => document.as_array(),
        key => document.get(key)?.as_array(),
    };
    let lists = SOURCES.iter().filter_map(|source| Some((source, list(source)?)));
    let mut empty = false;
    for (source, list) in lists {
        match list.first() {
            None => empty = true,
            Some(first) if first.get(source.key).is_some() => {
                let mut items: Vec<OwnItem> = list.iter().map(source.item).collect();
                // A type is listed for each zone.
                items.dedup();
                return Ok((source.kind, items));
            }
            Some(_) => {}
        }
    }
    Err(if empty { AccountError::Empty } else { AccountError::Unknown })
}

/// Returns a text, or a number as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the last part of a path, as in `projects/p/zones/z/diskTypes/pd-ssd`.
fn tail(value: &Value) -> Option<String> {
    text(value).and_then(|path| path.rsplit('/').next().map(str::to_owned))
}

/// Writes a specification: a kind with those settings that have a value.
fn spec(kind: &str, settings: &[(&str, &Value)], unit: &str) -> String {
    let one = |(key, value): &(&str, &Value)| {
        let unit = if *key == "size" { unit } else { "" };
        Some(format!("{key}={}{unit}", text(value)?))
    };
    let settings: Vec<String> = settings.iter().filter_map(one).collect();
    if settings.is_empty() { kind.to_owned() } else { format!("{kind}:{}", settings.join(",")) }
}

fn aws(v: &Value) -> OwnItem {
    let kind = text(&v["VolumeType"]).unwrap_or_default();
    let size = ("size", &v["Size"]);
    // IOPS and throughput of other kinds follow from the size.
    let settings: Vec<(&str, &Value)> = match kind.as_str() {
        "gp3" => vec![size, ("iops", &v["Iops"]), ("mbps", &v["Throughput"])],
        "io1" | "io2" => vec![size, ("iops", &v["Iops"])],
        _ => vec![size],
    };
    OwnItem {
        name: text(&v["VolumeId"]).unwrap_or_default(),
        option: spec(&format!("aws/{kind}"), &settings, "GiB"),
        attached: text(&v["Attachments"][0]["InstanceId"]),
    }
}

fn azure(v: &Value) -> OwnItem {
    let sku = text(&v["sku"]["name"]).unwrap_or_default();
    let size = if v["diskSizeGb"].is_null() { &v["diskSizeGB"] } else { &v["diskSizeGb"] };
    let bought = [("size", size), ("iops", &v["diskIopsReadWrite"]), ("mbps", &v["diskMBpsReadWrite"])];
    let volume = match (sku.split('_').next().unwrap_or_default(), text(&v["tier"])) {
        ("PremiumV2", _) => spec("azure/premium-v2", &bought, "GiB"),
        ("UltraSSD", _) => spec("azure/ultra", &bought, "GiB"),
        (_, Some(tier)) => format!("azure/{tier}"),
        (kind, None) => azure_tier(kind, size.as_f64().unwrap_or(0.0)),
    };
    let name = text(&v["name"]).unwrap_or_default();
    OwnItem { name, option: volume, attached: tail(&v["managedBy"]) }
}

/// Returns the size of a ladder that a disk without a named tier is billed as.
fn azure_tier(kind: &str, size: f64) -> String {
    const STEPS: [(f64, u32); 14] = [
        (4.0, 1),
        (8.0, 2),
        (16.0, 3),
        (32.0, 4),
        (64.0, 6),
        (128.0, 10),
        (256.0, 15),
        (512.0, 20),
        (1024.0, 30),
        (2048.0, 40),
        (4096.0, 50),
        (8192.0, 60),
        (16_384.0, 70),
        (32_767.0, 80),
    ];
    let letter = match kind {
        "Premium" => 'P',
        "StandardSSD" => 'E',
        _ => 'S',
    };
    // The smallest standard disk is S4.
    let fits = |(most, number): &&(f64, u32)| size <= *most && (letter != 'S' || *number >= 4);
    let (_, number) = STEPS.iter().find(fits).unwrap_or(&STEPS[STEPS.len() - 1]);
    format!("azure/{letter}{number}")
}

fn google(v: &Value) -> OwnItem {
    let kind = tail(&v["type"]).unwrap_or_default();
    let settings = [("size", &v["sizeGb"]), ("iops", &v["provisionedIops"]), ("mbps", &v["provisionedThroughput"])];
    OwnItem {
        name: text(&v["name"]).unwrap_or_default(),
        option: spec(&format!("gcp/{kind}"), &settings, "GiB"),
        attached: tail(&v["users"][0]),
    }
}

fn oci(v: &Value) -> OwnItem {
    let settings = [("size", &v["size-in-gbs"]), ("vpu", &v["vpus-per-gb"])];
    let name = text(&v["display-name"]).or_else(|| text(&v["id"])).unwrap_or_default();
    OwnItem { name, option: spec("oci/block", &settings, "GB"), attached: None }
}

fn ibm(v: &Value) -> OwnItem {
    let kind = text(&v["profile"]["name"]).unwrap_or_default();
    let size = ("size", &v["capacity"]);
    let settings: Vec<(&str, &Value)> = match kind.as_str() {
        "custom" | "sdp" => vec![size, ("iops", &v["iops"])],
        _ => vec![size],
    };
    OwnItem {
        name: text(&v["name"]).unwrap_or_default(),
        option: spec(&format!("ibm/{kind}"), &settings, "GB"),
        attached: text(&v["volume_attachments"][0]["instance"]["name"]),
    }
}

/// Returns an instance, or a type of instance, whose name is then that of the type.
fn instance(provider: &str, kind: &str, name: Option<String>) -> OwnItem {
    let name = name.unwrap_or_else(|| kind.to_owned());
    OwnItem { name, option: format!("{provider}/{kind}"), attached: None }
}

fn aws_instance(v: &Value) -> OwnItem {
    instance("aws", &text(&v["InstanceType"]).unwrap_or_default(), text(&v["InstanceId"]))
}

fn azure_instance(v: &Value) -> OwnItem {
    let size = text(&v["hardwareProfile"]["vmSize"]);
    let named = size.as_ref().and_then(|_| text(&v["name"]));
    let size = size.or_else(|| text(&v["name"])).unwrap_or_default();
    instance("azure", size.strip_prefix("Standard_").unwrap_or(&size), named)
}

fn google_instance(v: &Value) -> OwnItem {
    let machine = tail(&v["machineType"]);
    let named = machine.as_ref().and_then(|_| text(&v["name"]));
    instance("gcp", &machine.or_else(|| text(&v["name"])).unwrap_or_default(), named)
}

fn oci_instance(v: &Value) -> OwnItem {
    let shape = text(&v["shape"]).unwrap_or_default();
    // Flexible shapes are named by their number of OCPUs.
    let ocpus = v["shape-config"]["ocpus"].as_f64().or_else(|| v["ocpus"].as_f64());
    let shape = match ocpus.filter(|_| shape.ends_with(".Flex")) {
        Some(ocpus) => format!("{shape}.{ocpus}"),
        None => shape,
    };
    instance("oci", &shape, text(&v["display-name"]))
}

fn ibm_instance(v: &Value) -> OwnItem {
    instance("ibm", &text(&v["profile"]["name"]).unwrap_or_default(), text(&v["name"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    /// Each list has volumes in the form of the cloud's documentation.
    #[test]
    fn the_volumes_of_five_clouds_are_specifications() {
        let aws = r#"{"Volumes": [
            {"VolumeId": "vol-1", "VolumeType": "gp3", "Size": 500, "Iops": 6000, "Throughput": 250,
             "Attachments": [{"InstanceId": "i-1", "Device": "/dev/sdf"}]},
            {"VolumeId": "vol-2", "VolumeType": "gp2", "Size": 100, "Iops": 300, "Attachments": []}]}"#;
        let azure = r#"[
            {"name": "d1", "sku": {"name": "Premium_LRS"}, "diskSizeGb": 1000, "tier": "P30", "managedBy": "/a/b/vm1"},
            {"name": "d2", "sku": {"name": "PremiumV2_LRS"}, "diskSizeGb": 100, "diskIopsReadWrite": 4000,
             "diskMBpsReadWrite": 200},
            {"name": "d3", "sku": {"name": "StandardSSD_ZRS"}, "diskSizeGB": 100}]"#;
        let google = r#"[{"name": "d", "type": "https://x/zones/z/diskTypes/hyperdisk-balanced", "sizeGb": "200",
            "provisionedIops": "4000", "provisionedThroughput": "300", "users": ["https://x/instances/vm1"]}]"#;
        let oci = r#"{"data": [{"display-name": "b", "size-in-gbs": 400, "vpus-per-gb": 20}]}"#;
        let ibm = r#"[{"name": "v", "capacity": 300, "iops": 1500, "profile": {"name": "custom"}}]"#;
        for (json, expected) in [
            (aws, vec!["aws/gp3:size=500GiB,iops=6000,mbps=250", "aws/gp2:size=100GiB"]),
            (azure, vec!["azure/P30", "azure/premium-v2:size=100GiB,iops=4000,mbps=200", "azure/E10"]),
            (google, vec!["gcp/hyperdisk-balanced:size=200GiB,iops=4000,mbps=300"]),
            (oci, vec!["oci/block:size=400GB,vpu=20"]),
            (ibm, vec!["ibm/custom:size=300GB,iops=1500"]),
        ] {
            let volumes = own_items(json).unwrap().1;
            assert_eq!(volumes.iter().map(|v| v.option.as_str()).collect::<Vec<_>>(), expected);
            for volume in volumes {
                Catalog::shipped().resolve_volume(&volume.option).unwrap_or_else(|e| panic!("{e}"));
            }
        }
        let attached = |json: &str| own_items(json).unwrap().1[0].attached.clone();
        assert_eq!(attached(aws).as_deref(), Some("i-1"));
        assert_eq!((attached(azure).as_deref(), attached(google).as_deref()), (Some("vm1"), Some("vm1")));
    }

    /// Each list has instances, or types, in the form of the cloud's documentation.
    #[test]
    fn the_instances_and_types_of_five_clouds_are_specifications() {
        for (json, name, option) in [
            (
                r#"{"Reservations": [{"Instances": [{"InstanceId": "i-1", "InstanceType": "m6i.4xlarge"}]}]}"#,
                "i-1",
                "aws/m6i.4xlarge",
            ),
            (r#"{"InstanceTypes": [{"InstanceType": "m6i.4xlarge"}]}"#, "m6i.4xlarge", "aws/m6i.4xlarge"),
            (r#"[{"name": "vm1", "hardwareProfile": {"vmSize": "Standard_D8s_v5"}}]"#, "vm1", "azure/D8s_v5"),
            (r#"[{"name": "Standard_D8s_v5", "capabilities": []}]"#, "D8s_v5", "azure/D8s_v5"),
            (r#"[{"name": "vm2", "machineType": "https://x/machineTypes/n2-standard-8"}]"#, "vm2", "gcp/n2-standard-8"),
            (r#"[{"name": "n2-standard-8", "guestCpus": 8}]"#, "n2-standard-8", "gcp/n2-standard-8"),
            (
                r#"{"data": [{"display-name": "db", "shape": "VM.Standard3.Flex", "shape-config": {"ocpus": 4.0}}]}"#,
                "db",
                "oci/VM.Standard3.Flex.4",
            ),
            (
                r#"{"data": [{"shape": "VM.Standard3.Flex", "ocpus": 1.0}]}"#,
                "VM.Standard3.Flex.1",
                "oci/VM.Standard3.Flex.1",
            ),
            (r#"[{"name": "v", "vcpu": {"count": 8}, "profile": {"name": "bx2-8x32"}}]"#, "v", "ibm/bx2-8x32"),
        ] {
            let (kind, items) = own_items(json).unwrap();
            assert_eq!((kind, items.len()), (OwnKind::Instances, 1));
            assert_eq!((items[0].name.as_str(), items[0].option.as_str()), (name, option));
            // A machine of Google has caps for each kind of disk.
            if !option.starts_with("gcp") {
                Catalog::shipped().resolve_instance(option).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }

    #[test]
    fn what_is_no_list_is_named() {
        assert_eq!(own_items("{"), Err(AccountError::NoJson(1)));
        assert_eq!(own_items("{\"Volumes\": []}"), Err(AccountError::Empty));
        assert_eq!(own_items("{\"Reservations\": []}"), Err(AccountError::Empty));
        assert_eq!(own_items("{\"Buckets\": []}"), Err(AccountError::Unknown));
        assert_eq!(own_items("[{\"a\": 1}]"), Err(AccountError::Unknown));
    }
}
