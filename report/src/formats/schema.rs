//! JSON Schema of the documents that secchi prints, derived from the types that are serialised.

use super::json::{Document, Foreign, Reason};
use super::mark::json::Document as MarkDocument;
use model::judged::{Comparison, LayoutComparison, Purchases, Trend};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// Several runs.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Runs {
    /// The documents of the runs, in the requested order.
    #[schemars(schema_with = "run")]
    runs: Vec<()>,
}

fn run(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "$ref": "run.schema.json" } })
}

/// Comparison of two sides: `secchi compare --json` and `secchi ab --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct ComparisonDocument {
    comparison: Comparison,
}

/// Comparison of two layouts of a database: `secchi db --compare-layout --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct LayoutsDocument {
    layouts: LayoutComparison,
}

/// Results of one plan over time: `secchi runs trend --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct TrendDocument {
    trend: Trend,
}

/// Possible purchases for a demand: `secchi limits solve --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct PurchasesDocument {
    /// Name of the demand: the needs, or the files.
    name: String,
    #[serde(flatten)]
    purchases: Purchases,
}

/// Document of a command that has no result.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct ErrorDocument {
    error: Reason<'static>,
}

/// Returns the schema of each kind of document, with the name of the kind. All describe what is written, and allow
/// further fields.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("run", schema::<Document<'static>>()),
        ("runs", schema::<Runs>()),
        ("mark", schema::<MarkDocument<'static>>()),
        ("comparison", schema::<ComparisonDocument>()),
        ("layouts", schema::<LayoutsDocument>()),
        ("trend", schema::<TrendDocument>()),
        ("purchases", schema::<PurchasesDocument>()),
        ("foreign", schema::<Foreign<'static>>()),
        ("error", schema::<ErrorDocument>()),
    ]
}

fn schema<T: JsonSchema>() -> Value {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    RecursiveTransform(tidy).transform(&mut schema);
    schema.to_value()
}

/// Allows `null` for numbers with a fraction, because serde_json writes it for numbers that are not finite; describes
/// absent values as they are written; and turns descriptions into paragraphs of plain Markdown. Defaults are removed:
/// they are those of readers.
fn tidy(schema: &mut Schema) {
    schema.remove("default");
    let required: Vec<String> = match schema.get("required") {
        Some(Value::Array(names)) => names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            let absent = if !required.contains(name) {
                "Absent"
            } else if property.get("anyOf").is_some() || property["type"].is_array() {
                "`null`"
            } else {
                "0"
            };
            if let Some(Value::String(text)) = property.get_mut("description") {
                *text = text.replace("`None`", absent).replace("; Absent", "; absent");
            }
        }
    }
    if schema.get("type").and_then(Value::as_str) == Some("number") {
        schema.insert("type".to_owned(), ["number", "null"].as_slice().into());
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
        *text = without_links(&paragraphs.collect::<Vec<_>>().join("\n\n"));
    }
}

/// Replaces rustdoc's links (``[`crate::Name`]``) by the last part of their paths.
fn without_links(text: &str) -> String {
    let mut parts = text.split("[`");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("`]") {
            Some((path, rest)) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                plain.extend(["`", name, "`", rest]);
            }
            None => plain.extend(["[`", part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_rustdoc_become_names() {
        assert_eq!(without_links("of a [`crate::Job`], see [1]"), "of a `Job`, see [1]");
        assert_eq!(without_links("[`Step::total`]"), "`total`");
    }
}
