//! Parser of fio's JSON, for documents of both programs.

use serde_json::Value;
use std::collections::BTreeSet;

/// The parsed document.
#[derive(Debug, Clone)]
pub struct FioJson {
    pub jobs: Vec<Job>,
    /// Every path of keys with the type of its value; keys of job options and of buckets are left out.
    pub shape: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub name: String,
    pub group: i64,
    pub error: i64,
    pub runtime_ms: f64,
    /// Reads, or all directions together if they are reported so.
    pub reads: Direction,
    pub writes: Direction,
    pub trims: Direction,
    pub syncs: f64,
    /// Percentage at each depth.
    pub depths: Vec<(String, f64)>,
    pub steady: Option<(bool, String)>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    pub ios: f64,
    pub bytes: f64,
    pub runtime_ms: f64,
    pub iops: f64,
    pub bytes_a_second: f64,
    pub mean_ns: f64,
    /// Percentiles with fio's keys.
    pub percentiles: Vec<(String, f64)>,
}

impl FioJson {
    pub fn read(text: &str) -> Result<FioJson, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("no JSON document ({e})"))?;
        let jobs = value["jobs"].as_array().ok_or("there is no array `jobs`")?;
        let jobs = jobs.iter().map(job).collect::<Result<Vec<_>, _>>()?;
        let mut shape = BTreeSet::new();
        walk("", &value, &mut shape);
        Ok(FioJson { jobs, shape })
    }
}

impl Job {
    pub fn directions(&self) -> [(&'static str, &Direction); 3] {
        [("read", &self.reads), ("write", &self.writes), ("trim", &self.trims)]
    }
}

fn job(value: &Value) -> Result<Job, String> {
    let steady = value
        .get("steadystate")
        .map(|s| (s["attained"].as_i64() == Some(1), s["criterion"].as_str().unwrap_or_default().to_owned()));
    Ok(Job {
        name: value["jobname"].as_str().ok_or("a job has no name")?.to_owned(),
        group: value["groupid"].as_i64().ok_or("a job has no group")?,
        error: value["error"].as_i64().ok_or("a job has no `error`")?,
        runtime_ms: figure(value, "job_runtime")?,
        reads: direction(value.get("mixed").unwrap_or(&value["read"]))?,
        writes: value.get("write").map(direction).transpose()?.unwrap_or_default(),
        trims: value.get("trim").map(direction).transpose()?.unwrap_or_default(),
        // fio does not count fdatasync in `total_ios`, but always counts the latencies.
        syncs: value["sync"]["lat_ns"]["N"].as_f64().unwrap_or(0.0),
        depths: pairs(&value["iodepth_level"]),
        steady,
    })
}

fn direction(value: &Value) -> Result<Direction, String> {
    Ok(Direction {
        ios: figure(value, "total_ios")?,
        bytes: figure(value, "io_bytes")?,
        runtime_ms: figure(value, "runtime")?,
        iops: figure(value, "iops")?,
        bytes_a_second: figure(value, "bw_bytes")?,
        mean_ns: figure(&value["clat_ns"], "mean")?,
        percentiles: pairs(&value["clat_ns"]["percentile"]),
    })
}

fn figure(value: &Value, key: &str) -> Result<f64, String> {
    value[key].as_f64().ok_or_else(|| format!("there is no figure `{key}`"))
}

fn pairs(value: &Value) -> Vec<(String, f64)> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.filter_map(|(k, v)| Some((k.clone(), v.as_f64()?))).collect()
}

fn walk(path: &str, value: &Value, shape: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "truth",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => {
            for item in items {
                walk(&format!("{path}[]"), item, shape);
            }
            "list"
        }
        Value::Object(fields) => {
            for (key, inner) in fields {
                // The keys of job options are not part of fio's format, and buckets are figures.
                if path.ends_with("options") || path.ends_with(".bins") {
                    continue;
                }
                walk(&format!("{path}.{key}"), inner, shape);
            }
            "object"
        }
    };
    shape.insert(format!("{path}: {kind}"));
}
