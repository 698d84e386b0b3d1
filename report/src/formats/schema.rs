//! JSON Schema of the documents that secchi prints, derived from the types that are serialised.

use super::perftools::History;
use super::{DocumentKind, demand, documents, json, mark};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

pub(super) fn runs(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "$ref": "run.schema.json" } })
}

/// Returns the schemas of the documents whose types are in this crate. All describe what is written, and allow further
/// fields.
#[must_use]
pub fn schemas() -> Vec<(DocumentKind, Value)> {
    vec![
        schema::<json::Document<'_>>(DocumentKind::Run),
        schema::<json::Runs<'_>>(DocumentKind::Runs),
        schema::<mark::json::Document<'_>>(DocumentKind::Mark),
        schema::<json::ComparisonDocument<'_>>(DocumentKind::Comparison),
        schema::<json::LayoutsDocument<'_>>(DocumentKind::Layouts),
        schema::<json::TrendDocument<'_>>(DocumentKind::Trend),
        schema::<History<'_>>(DocumentKind::History),
        schema::<json::Foreign<'_>>(DocumentKind::Foreign),
        schema::<documents::Lint<'_>>(DocumentKind::Lint),
        schema::<demand::Document<'_>>(DocumentKind::Demand),
        schema::<json::PurchasesDocument<'_>>(DocumentKind::Purchases),
        schema::<documents::LimitsList<'_>>(DocumentKind::LimitsList),
        schema::<documents::LimitsRow<'_>>(DocumentKind::LimitsRow),
        schema::<documents::LimitsVolume<'_>>(DocumentKind::LimitsVolume),
        schema::<documents::LimitsExplain<'_>>(DocumentKind::LimitsExplain),
        schema::<documents::LimitsAccount<'_>>(DocumentKind::LimitsAccount),
        schema::<documents::LimitsContracts<'_>>(DocumentKind::LimitsContracts),
        schema::<documents::Version<'_>>(DocumentKind::Version),
        schema::<json::ErrorDocument<'_>>(DocumentKind::Error),
    ]
}

/// Returns the schema of a document, with its kind.
#[must_use]
pub fn schema<T: JsonSchema>(kind: DocumentKind) -> (DocumentKind, Value) {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    RecursiveTransform(tidy).transform(&mut schema);
    let mut schema = schema.to_value();
    let url = kind.schema_url();
    schema["properties"]["$schema"] = json!({ "description": "Address of this schema.", "const": url });
    // The documents of several runs have one address together.
    if kind != DocumentKind::Run {
        match &mut schema["required"] {
            Value::Array(names) => names.insert(0, "$schema".into()),
            absent => *absent = json!(["$schema"]),
        }
    }
    schema["$id"] = url.into();
    (kind, schema)
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
