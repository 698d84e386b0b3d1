//! Volumes of a person's own account, as the command lines of the clouds print them, as specifications for `--volume`:
//! `aws ec2 describe-volumes`, `az disk list`, `gcloud compute disks list`, `oci bv volume list`, `ibmcloud is volumes`
//! (all as JSON).

use serde_json::Value;

/// A volume of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnVolume {
    /// Name or identifier in the account.
    pub name: String,
    /// Specification for `--volume`: `aws/gp3:size=100GiB,iops=3000,mbps=125`.
    pub volume: String,
    /// Instance that it is attached to, if any.
    pub attached: Option<String>,
}

/// Error of reading a list of volumes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// The text is not JSON.
    #[error("line {0}: not JSON")]
    NoJson(usize),
    /// The document is of another command.
    #[error(
        "no list of volumes: expected the JSON of aws ec2 describe-volumes, az disk list, gcloud compute disks list, \
         oci bv volume list or ibmcloud is volumes"
    )]
    Unknown,
    /// The list is empty.
    #[error("the account has no volumes")]
    Empty,
}

/// A command whose output is a list of volumes.
struct Source {
    /// Key of the list; empty if the document is the list.
    list: &'static str,
    /// Key that only volumes of this cloud have.
    key: &'static str,
    volume: fn(&Value) -> OwnVolume,
}

const SOURCES: [Source; 5] = [
    Source { list: "Volumes", key: "VolumeType", volume: aws },
    Source { list: "data", key: "vpus-per-gb", volume: oci },
    Source { list: "", key: "sku", volume: azure },
    Source { list: "", key: "sizeGb", volume: google },
    Source { list: "", key: "profile", volume: ibm },
];

/// Returns the volumes in the output of a cloud's command line.
///
/// # Errors
/// Returns an error if the text is no such output, or has no volumes.
pub fn own_volumes(json: &str) -> Result<Vec<OwnVolume>, AccountError> {
    let document: Value = serde_json::from_str(json).map_err(|e| AccountError::NoJson(e.line()))?;
    let list = |source: &Source| match source.list {
        "" => document.as_array(),
        key => document.get(key)?.as_array(),
    };
    let lists = SOURCES.iter().filter_map(|source| Some((source, list(source)?)));
    let mut empty = false;
    for (source, list) in lists {
        match list.first() {
            None => empty = true,
            Some(first) if first.get(source.key).is_some() => return Ok(list.iter().map(source.volume).collect()),
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

fn aws(v: &Value) -> OwnVolume {
    let kind = text(&v["VolumeType"]).unwrap_or_default();
    let size = ("size", &v["Size"]);
    // IOPS and throughput of other kinds follow from the size.
    let settings: Vec<(&str, &Value)> = match kind.as_str() {
        "gp3" => vec![size, ("iops", &v["Iops"]), ("mbps", &v["Throughput"])],
        "io1" | "io2" => vec![size, ("iops", &v["Iops"])],
        _ => vec![size],
    };
    OwnVolume {
        name: text(&v["VolumeId"]).unwrap_or_default(),
        volume: spec(&format!("aws/{kind}"), &settings, "GiB"),
        attached: text(&v["Attachments"][0]["InstanceId"]),
    }
}

fn azure(v: &Value) -> OwnVolume {
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
    OwnVolume { name, volume, attached: tail(&v["managedBy"]) }
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

fn google(v: &Value) -> OwnVolume {
    let kind = tail(&v["type"]).unwrap_or_default();
    let settings = [("size", &v["sizeGb"]), ("iops", &v["provisionedIops"]), ("mbps", &v["provisionedThroughput"])];
    OwnVolume {
        name: text(&v["name"]).unwrap_or_default(),
        volume: spec(&format!("gcp/{kind}"), &settings, "GiB"),
        attached: tail(&v["users"][0]),
    }
}

fn oci(v: &Value) -> OwnVolume {
    let settings = [("size", &v["size-in-gbs"]), ("vpu", &v["vpus-per-gb"])];
    let name = text(&v["display-name"]).or_else(|| text(&v["id"])).unwrap_or_default();
    OwnVolume { name, volume: spec("oci/block", &settings, "GB"), attached: None }
}

fn ibm(v: &Value) -> OwnVolume {
    let kind = text(&v["profile"]["name"]).unwrap_or_default();
    let size = ("size", &v["capacity"]);
    let settings: Vec<(&str, &Value)> = match kind.as_str() {
        "custom" | "sdp" => vec![size, ("iops", &v["iops"])],
        _ => vec![size],
    };
    OwnVolume {
        name: text(&v["name"]).unwrap_or_default(),
        volume: spec(&format!("ibm/{kind}"), &settings, "GB"),
        attached: text(&v["volume_attachments"][0]["instance"]["name"]),
    }
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
            let volumes = own_volumes(json).unwrap();
            assert_eq!(volumes.iter().map(|v| v.volume.as_str()).collect::<Vec<_>>(), expected);
            for volume in volumes {
                Catalog::shipped().resolve_volume(&volume.volume).unwrap_or_else(|e| panic!("{e}"));
            }
        }
        let attached = |json: &str| own_volumes(json).unwrap()[0].attached.clone();
        assert_eq!(attached(aws).as_deref(), Some("i-1"));
        assert_eq!((attached(azure).as_deref(), attached(google).as_deref()), (Some("vm1"), Some("vm1")));
    }

    #[test]
    fn what_is_no_list_of_volumes_is_named() {
        assert_eq!(own_volumes("{"), Err(AccountError::NoJson(1)));
        assert_eq!(own_volumes("{\"Volumes\": []}"), Err(AccountError::Empty));
        assert_eq!(own_volumes("{\"Reservations\": []}"), Err(AccountError::Unknown));
        assert_eq!(own_volumes("[{\"a\": 1}]"), Err(AccountError::Unknown));
    }
}
