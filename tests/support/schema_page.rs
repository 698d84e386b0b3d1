//! The page of the reference that lists the fields of every JSON document, generated from the schemas.

use report::DocumentKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const INTRODUCTION: &str = "# Fields of the JSON documents\n\n\
    This page is generated from the types that secchi writes (`SECCHI_BLESS=1 cargo test --features schema --test docs`). \
    [The JSON record](record.md) explains the conventions, and the record in the order of its parts. \
    The schemas are JSON Schema, draft 2020-12. They describe what secchi writes and allow further fields, because \
    documents may gain fields in any release.\n\n\
    Every document names its schema in the field `$schema`, except documents inside another one. The schema has the \
    same address as its `$id`; the number in it (`v1`) increases if a field is removed or changes its meaning. \
    The addresses are identifiers: the files are next to this page.\n\n\
    A field that is not *optional* is always present. A figure that is not reported is `null`, and the field after it, \
    whose name ends in `_reason`, has the reason. Numbers that are not finite are written as `null`.\n\n";

/// Returns the page of these kinds of documents.
pub fn page(schemas: &[(DocumentKind, Value)]) -> String {
    let mut text = INTRODUCTION.to_owned();
    let mut types: BTreeMap<&str, &Value> = BTreeMap::new();
    text.push_str("## Documents\n\n");
    for (kind, value) in schemas {
        let (kind, commands, description) = (kind.name(), kind.commands(), sentence(value));
        text.push_str(&format!("### Document `{kind}`\n\n{description} Printed by:\n\n"));
        text.extend(commands.iter().map(|command| item(&format!("`{command}`"), "")));
        text.push_str(&format!("\nFields ([{kind}.schema.json](schema/{kind}.schema.json)):\n\n"));
        text.push_str(&body(value));
        for (name, definition) in value["$defs"].as_object().into_iter().flatten() {
            let earlier = types.insert(name, definition);
            assert!(earlier.is_none_or(|earlier| earlier == definition), "two types are called {name}");
        }
    }
    text.push_str("## Types\n\n");
    for (name, definition) in types {
        text.push_str(&format!("### {name}\n\n{}\n\n{}", sentence(definition), body(definition)));
    }
    text.trim_end().to_owned() + "\n"
}

fn sentence(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// Returns the fields and alternatives of a type as lists.
fn body(schema: &Value) -> String {
    let mut text = String::new();
    let fields = fields(schema);
    for (name, field, is_required) in &fields {
        let optional = if *is_required { "" } else { ", optional" };
        text.push_str(&item(&format!("`{name}` ({}{optional})", kind(field)), sentence(field)));
    }
    for alternative in alternatives(schema) {
        text.push_str(&item(&shape(alternative), sentence(alternative)));
    }
    match &schema["enum"] {
        Value::Array(values) => values.iter().for_each(|value| text.push_str(&item(&format!("`{value}`"), ""))),
        _ if text.is_empty() => text = format!("JSON type: {}.\n", kind(schema)),
        _ => {}
    }
    text + "\n"
}

fn item(head: &str, description: &str) -> String {
    let separator = if description.is_empty() { "" } else { ": " };
    format!("- {head}{separator}{}\n", description.replace("\n\n", " "))
}

/// Returns the fields of an object: name, schema, and `true` if the field is always present.
fn fields(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let properties = schema["properties"].as_object();
    properties.into_iter().flatten().map(|(name, field)| (name.as_str(), field, required(name))).collect()
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
}

/// Returns an alternative as it is written.
fn shape(schema: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    let fields = fields(schema);
    if fields.is_empty() {
        return kind(schema);
    }
    let written = fields.iter().map(|(name, field, _)| format!("`\"{name}\"`: {}", kind(field)));
    format!("an object with {}", written.collect::<Vec<_>>().join(", "))
}

/// Returns the type of a value in words.
fn kind(schema: &Value) -> String {
    let Some(schema) = schema.as_object() else { return "any value".to_owned() };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return match reference.strip_prefix("#/$defs/") {
            Some(name) => format!("[{name}](#{})", name.to_lowercase()),
            None => format!("[document]({})", ["schema/", reference].concat()),
        };
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    let either: Vec<String> =
        ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten().map(kind).collect();
    if !either.is_empty() {
        return either.join(" or ");
    }
    match &schema.get("type") {
        Some(Value::Array(names)) => {
            let words = names.iter().filter_map(Value::as_str).map(|name| of_type(name, schema));
            words.collect::<Vec<_>>().join(" or ")
        }
        Some(Value::String(name)) => of_type(name, schema),
        _ => "any value".to_owned(),
    }
}

fn of_type(name: &str, schema: &Map<String, Value>) -> String {
    match name {
        "null" => "`null`".to_owned(),
        "array" => match (schema.get("prefixItems").and_then(Value::as_array), schema.get("items")) {
            (Some(items), _) => format!("array of {}", items.iter().map(kind).collect::<Vec<_>>().join(" and ")),
            (None, Some(items)) => format!("array of {}", kind(items)),
            (None, None) => "array".to_owned(),
        },
        "object" => match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => format!("object with values {}", kind(values)),
            _ => "object".to_owned(),
        },
        name => name.to_owned(),
    }
}
