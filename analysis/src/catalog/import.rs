//! Conversion of `aws ec2 describe-instance-types` and `az vm list-skus` (JSON) to catalogue files, so that types newer
//! than the shipped files are known.
//!
//! # AWS
//!
//! `EbsInfo.EbsOptimizedInfo` of each type gives baseline and maximum of bandwidth (Mbps), throughput (MB/s, decimal)
//! and operations. Types without it have no published cap and are omitted. `NetworkInfo.BandwidthWeightings` lists the
//! types that let the customer shift bandwidth between volumes and network; how much a weighting shifts is published
//! only in the vendor's guide.
//!
//! # Azure
//!
//! The capabilities `UncachedDiskIOPS` and `UncachedDiskBytesPerSecond` are the caps of all remote disks together. They
//! have no bursts and no caps by kind of disk, so sizes that the shipped files describe are omitted.

use super::near;
use model::CompactSort;
use serde::Deserialize;
use std::fmt::Write;

/// Result of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Text of the catalogue file.
    pub text: String,
    /// Number of types in it.
    pub types: usize,
    /// Types without published limits.
    pub without: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    instance_types: Vec<InstanceType>,
}

/// The whole output of the command, or only its list of types (`--query InstanceTypes`).
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Whole(Answer),
    List(Vec<InstanceType>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct InstanceType {
    instance_type: String,
    ebs_info: Option<EbsInfo>,
    network_info: Option<NetworkInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NetworkInfo {
    #[serde(default)]
    bandwidth_weightings: Vec<String>,
    #[serde(default)]
    network_cards: Vec<NetworkCard>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NetworkCard {
    #[serde(default)]
    baseline_bandwidth_in_gbps: f64,
}

impl InstanceType {
    /// Returns the type's baseline network bandwidth in Mbps, if its bandwidth can be weighted.
    fn weighted_network(&self) -> Option<f64> {
        let info = self.network_info.as_ref().filter(|i| i.bandwidth_weightings.iter().any(|w| w != "default"))?;
        let gbps: f64 = info.network_cards.iter().map(|c| c.baseline_bandwidth_in_gbps).sum();
        (gbps > 0.0).then_some(gbps * 1000.0)
    }

    /// Returns the table to which the type belongs, as an index of [`TABLES`].
    fn table(&self) -> usize {
        let (family, size) = self.instance_type.split_once('.').unwrap_or_default();
        match self.weighted_network() {
            None => 0,
            Some(_) if !family.ends_with("-flex") => 1,
            Some(_) if near::steps(size).is_some_and(|steps| steps <= 2.0) => 2,
            Some(_) => 3,
        }
    }
}

/// Titles of the created tables, and the bandwidth that a weighting moves in each: docs.amazonaws.cn, EC2 UserGuide,
/// configure-bandwidth-weighting.
const TABLES: [(&str, &str); 4] = [
    ("EC2 to EBS", ""),
    ("EC2 to EBS, with weighting", "{ ebs-1 = { to_volumes = 0.25 }, vpc-1 = { to_network = 0.25, maximum = true } }"),
    ("EC2 to EBS, Flex to 4xlarge, with weighting", "{ ebs-1 = { to_volumes = 0.25 }, vpc-1 = { to_network = 0.25 } }"),
    (
        "EC2 to EBS, Flex from 8xlarge, with weighting",
        "{ ebs-1 = { to_volumes = 0.25, maximum = true }, vpc-1 = { to_network = 0.25, maximum = true } }",
    ),
];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EbsInfo {
    ebs_optimized_info: Option<EbsOptimizedInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EbsOptimizedInfo {
    baseline_bandwidth_in_mbps: f64,
    #[serde(rename = "BaselineThroughputInMBps")]
    baseline_throughput: f64,
    baseline_iops: f64,
    maximum_bandwidth_in_mbps: f64,
    #[serde(rename = "MaximumThroughputInMBps")]
    maximum_throughput: f64,
    maximum_iops: f64,
}

/// Error of converting a document to a catalogue file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The document is not JSON.
    #[error("not JSON: {0}")]
    NoJson(serde_json::Error),
    /// The document is JSON, but not the output of the vendor's tool.
    #[error("not the output of `{tool}`: expected {expected}")]
    OtherDocument {
        /// The tool with its arguments.
        tool: &'static str,
        /// Expected output of the tool.
        expected: &'static str,
    },
    /// No type in it has published limits.
    #[error("no type in it has an `{with}`")]
    NoType {
        /// The field that would contain them.
        with: &'static str,
    },
}

/// A kind of document that can be converted to a catalogue file.
#[derive(Debug, Clone, Copy)]
pub struct CatalogSource {
    /// Name for the command line, and of the file.
    pub name: &'static str,
    /// Help text: the command that prints the document.
    pub help: &'static str,
    /// Converts the document, given its text and its date. Fails if the document is invalid.
    pub import: fn(&str, &str) -> Result<Imported, ImportError>,
}

/// All kinds of documents that can be converted to a catalogue file.
pub const CATALOG_SOURCES: &[CatalogSource] = &[
    CatalogSource { name: "ec2", help: "aws ec2 describe-instance-types", import: import_ec2 },
    CatalogSource { name: "azure", help: "az vm list-skus", import: import_azure },
];

/// Converts the output of the AWS command; `today` becomes the date of the rows.
///
/// # Errors
/// Returns an error if the document is invalid.
fn import_ec2(json: &str, today: &str) -> Result<Imported, ImportError> {
    let document: serde_json::Value = serde_json::from_str(json).map_err(ImportError::NoJson)?;
    let document: Document = serde_json::from_value(document).map_err(|_| ImportError::OtherDocument {
        tool: "aws ec2 describe-instance-types",
        expected: "a list `InstanceTypes` of objects with `InstanceType` and `EbsInfo`",
    })?;
    let mut types = match document {
        Document::Whole(answer) => answer.instance_types,
        Document::List(list) => list,
    };
    types.compact_sort_by(|a, b| a.instance_type.cmp(&b.instance_type));
    types.dedup_by(|a, b| a.instance_type == b.instance_type);
    let mut rows: [String; TABLES.len()] = Default::default();
    let mut without = Vec::new();
    let mut count = 0;
    for one in types {
        let (table, network) = (one.table(), one.weighted_network());
        let Some(info) = one.ebs_info.and_then(|i| i.ebs_optimized_info) else {
            without.push(one.instance_type);
            continue;
        };
        let pair = |base: f64, max: f64| if base == max { format!("{base}") } else { format!("{base}/{max}") };
        let network = network.map_or_else(String::new, |n| format!(",{n}"));
        let _ = writeln!(
            rows[table],
            "{},{},{},{}{network}",
            one.instance_type,
            pair(info.baseline_bandwidth_in_mbps, info.maximum_bandwidth_in_mbps),
            pair(info.baseline_throughput, info.maximum_throughput),
            pair(info.baseline_iops, info.maximum_iops)
        );
        count += 1;
    }
    if count == 0 {
        return Err(ImportError::NoType { with: "EbsOptimizedInfo" });
    }
    let mut text = format!(
        "{HEADER}\n\nprovider = \"aws\"\nsource = \"aws ec2 describe-instance-types\"\nsource_date = \"{today}\"\nmark = \"C\"\n"
    );
    for ((title, weightings), rows) in TABLES.iter().zip(&rows).filter(|(_, rows)| !rows.is_empty()) {
        let (weightings, network) = match *weightings {
            "" => (String::new(), ""),
            some => (format!("weightings = {some}\n"), ", network_Mbps"),
        };
        let _ = write!(
            text,
            "\n[[instance_table]]\ntitle = \"{title}\"\nburst_time = \"30m\"\nburst_every = \"24h\"\nio_unit = \"256KiB\"\nmerges = true\n\
             notes = [\"types that burst hold their maximum for 30 minutes at least once every 24 hours, then fall to the baseline\"]\n\
             {weightings}columns = \"type, Mbps, MBps, iops{network}\"\nrows = \"\"\"\n{rows}\"\"\"\n"
        );
    }
    Ok(Imported { text, types: count, without })
}

/// A row of `az vm list-skus`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sku {
    name: String,
    #[serde(default)]
    resource_type: String,
    capabilities: Option<Vec<Capability>>,
}

#[derive(Deserialize)]
struct Capability {
    name: String,
    value: String,
}

impl Sku {
    fn number(&self, name: &str) -> Option<f64> {
        let capability = self.capabilities.iter().flatten().find(|capability| capability.name == name)?;
        capability.value.parse().ok().filter(|number| *number > 0.0)
    }
}

/// Converts the output of the Azure command; `today` becomes the date of the rows.
///
/// # Errors
/// Returns an error if the document is invalid.
fn import_azure(json: &str, today: &str) -> Result<Imported, ImportError> {
    let document: serde_json::Value = serde_json::from_str(json).map_err(ImportError::NoJson)?;
    let list: Vec<Sku> = serde_json::from_value(document).map_err(|_| ImportError::OtherDocument {
        tool: "az vm list-skus",
        expected: "a list of objects with `name`, `resourceType` and `capabilities`",
    })?;
    let mut sizes: Vec<Sku> = list.into_iter().filter(|sku| sku.resource_type == "virtualMachines").collect();
    sizes.compact_sort_by(|a, b| a.name.cmp(&b.name));
    // Each size is listed once for each region.
    sizes.dedup_by(|a, b| a.name == b.name);
    let known = |kind: &str| {
        let prefix = format!("{kind}@");
        let of_azure = super::Catalog::shipped().instances.iter().filter(|i| i.provider == "azure");
        of_azure.into_iter().any(|i| i.kind == kind || i.kind.starts_with(&prefix))
    };
    let (mut rows, mut without, mut types) = (String::new(), Vec::new(), 0);
    for size in &sizes {
        let kind = size.name.strip_prefix("Standard_").unwrap_or(&size.name);
        let caps = size.number("UncachedDiskIOPS").zip(size.number("UncachedDiskBytesPerSecond"));
        match caps {
            None => without.push(size.name.clone()),
            Some(_) if known(kind) => {}
            Some((iops, bytes)) => {
                let _ = writeln!(rows, "{kind},{},{iops}", bytes / 1e6);
                types += 1;
            }
        }
    }
    if rows.is_empty() {
        return Err(ImportError::NoType { with: "UncachedDiskIOPS that is not known yet" });
    }
    let text = format!(
        "{HEADER}\n\nprovider = \"azure\"\nsource = \"az vm list-skus\"\nsource_date = \"{today}\"\nmark = \"C\"\n\n\
         [[instance_table]]\ntitle = \"sizes of the subscription\"\nio_unit = \"256KiB\"\n\
         notes = [\"caps of remote disks without the host cache; bursts are not listed\"]\n\
         columns = \"type, MBps, iops\"\nrows = \"\"\"\n{rows}\"\"\"\n"
    );
    Ok(Imported { text, types, without })
}

/// First line of an imported file; the next import may replace a file that begins with it.
pub const HEADER: &str = "# Made by `secchi limits import`; the next import replaces it.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    const ANSWER: &str = r#"{"InstanceTypes": [
        {"InstanceType": "m99i.large", "EbsInfo": {"EbsOptimizedSupport": "default", "EbsOptimizedInfo": {
            "BaselineBandwidthInMbps": 650, "BaselineThroughputInMBps": 81.25, "BaselineIops": 3600,
            "MaximumBandwidthInMbps": 10000, "MaximumThroughputInMBps": 1250.0, "MaximumIops": 40000}}},
        {"InstanceType": "m4.xlarge", "EbsInfo": {"EbsOptimizedInfo": {
            "BaselineBandwidthInMbps": 750, "BaselineThroughputInMBps": 93.75, "BaselineIops": 6000,
            "MaximumBandwidthInMbps": 750, "MaximumThroughputInMBps": 93.75, "MaximumIops": 6000}}},
        {"InstanceType": "m1.small", "EbsInfo": {"EbsOptimizedSupport": "unsupported"}}]}"#;

    #[test]
    fn an_answer_becomes_a_file_that_is_read_back() {
        let imported = import_ec2(ANSWER, "2026-11-21").unwrap();
        assert_eq!((imported.types, imported.without.as_slice()), (2, ["m1.small".to_owned()].as_slice()));
        assert!(imported.text.starts_with(HEADER));
        let mut catalog = Catalog::shipped().clone();
        let before = catalog.instances.len();
        catalog.extend("ec2.toml", &imported.text).unwrap();
        assert_eq!(catalog.instances.len(), before + 1, "m4.xlarge is replaced, m99i.large is new");
        let m4 = catalog.instance("m4.xlarge").unwrap();
        assert_eq!((m4.origin.date.as_str(), m4.origin.file.as_str()), ("2026-11-21", "ec2.toml"));
        let m99i = catalog.resolve_instance("m99i.large").unwrap();
        assert_eq!(m99i.limits[0].iops, Some(model::Iops(3600.0)));
        assert_eq!(m99i.limits[0].burst_iops.unwrap().rate, 40_000.0);
    }

    #[test]
    fn weightings_are_taken_from_the_answer() {
        let info = r#""EbsInfo": {"EbsOptimizedInfo": {
            "BaselineBandwidthInMbps": 1000, "BaselineThroughputInMBps": 125.0, "BaselineIops": 3600,
            "MaximumBandwidthInMbps": 10000, "MaximumThroughputInMBps": 1250.0, "MaximumIops": 40000}},
            "NetworkInfo": {"BandwidthWeightings": ["default", "ebs-1", "vpc-1"],
            "NetworkCards": [{"BaselineBandwidthInGbps": 2.0}]}"#;
        let one = |name: &str| format!(r#"{{"InstanceType": "{name}", {info}}}"#);
        let answer = format!("[{}, {}, {}]", one("m99.large"), one("m99-flex.large"), one("m99-flex.8xlarge"));
        let mut catalog = Catalog::default();
        catalog.extend("ec2.toml", &import_ec2(&answer, "2026-11-21").unwrap().text).unwrap();
        let mbps = |text: &str| {
            let limit = catalog.resolve_instance(text).unwrap().limits[0].clone();
            (limit.bandwidth.unwrap().per_second() * 8e-6, limit.burst_bandwidth.unwrap().rate * 8e-6)
        };
        assert_eq!(mbps("m99.large:weighting=ebs-1"), (1250.0, 10_000.0));
        assert_eq!(mbps("m99.large:weighting=vpc-1"), (500.0, 9500.0));
        assert_eq!(mbps("m99-flex.large:weighting=vpc-1"), (500.0, 10_000.0));
        assert_eq!(mbps("m99-flex.8xlarge:weighting=ebs-1"), (1250.0, 10_250.0));
    }

    #[test]
    fn sizes_of_azure_that_are_not_known_are_added() {
        let size = |name: &str, caps: &str| {
            format!(
                r#"{{"name": "{name}", "resourceType": "virtualMachines", "capabilities": [{{"name": "vCPUs", "value": "2"}}{caps}]}}"#
            )
        };
        let caps = r#", {"name": "UncachedDiskIOPS", "value": "3750"}, {"name": "UncachedDiskBytesPerSecond", "value": "85000000"}"#;
        let disk = r#"{"name": "Premium_LRS", "resourceType": "disks", "capabilities": null}"#;
        let answer = format!(
            "[{}, {}, {}, {disk}]",
            size("Standard_B2zz_v9", caps),
            size("Standard_D8s_v5", caps),
            size("Standard_A1", "")
        );
        let imported = import_azure(&answer, "2026-11-29").unwrap();
        assert_eq!((imported.types, imported.without.as_slice()), (1, ["Standard_A1".to_owned()].as_slice()));
        let mut catalog = Catalog::shipped().clone();
        catalog.extend("azure.toml", &imported.text).unwrap();
        let limit = catalog.resolve_instance("azure/B2zz_v9").unwrap().limits[0].clone();
        assert_eq!((limit.iops, limit.bandwidth), (Some(model::Iops(3750.0)), Some(model::BytesPerSecond(85e6))));
        let d8s = catalog.resolve_instance("azure/D8s_v5").unwrap().limits[0].clone();
        assert_eq!(d8s.iops, Some(model::Iops(12_800.0)), "the shipped row has bursts");
        assert!(import_azure("{}", "2026-11-29").unwrap_err().to_string().contains("az vm list-skus"));
        assert!(import_azure(&format!("[{disk}]"), "2026-11-29").unwrap_err().to_string().contains("no type"));
    }

    #[test]
    fn a_list_alone_will_do_and_other_documents_are_named() {
        let list = ANSWER.trim_start_matches(r#"{"InstanceTypes": "#).trim_end_matches('}');
        assert_eq!(import_ec2(list, "2026-11-21").unwrap().types, 2);
        let wrong = |text: &str| import_ec2(text, "2026-11-21").unwrap_err().to_string();
        assert!(wrong("{}").contains("`InstanceTypes`"));
        assert!(wrong("[]").contains("no type"));
        assert!(wrong("nonsense").starts_with("not JSON"));
    }
}
