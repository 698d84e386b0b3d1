"""Validates JSON documents by a JSON Schema, with further fields forbidden: validate.py FOLDER KIND < DOCUMENTS

FOLDER contains KIND.schema.json. Standard input has one document per line, which must name the schema of its kind in
`$schema`. Prints each violation on a line and exits with 1 if there are any."""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from referencing import Registry, Resource


def strict(schema):
    """Forbids further fields in every definition that lists fields."""
    for part in [schema, *schema.get("$defs", {}).values()]:
        alternatives = [p for key in ("oneOf", "anyOf") for p in part.get(key, [])]
        if "properties" in part or any("properties" in p for p in alternatives):
            part["unevaluatedProperties"] = False
    return schema


def shortened(value):
    """Leaves the first and the last four elements of long lists, whose elements have one schema: validation is slow."""
    if isinstance(value, dict):
        return {key: shortened(of) for key, of in value.items()}
    if isinstance(value, list):
        return [shortened(of) for of in (value if len(value) <= 8 else value[:4] + value[-4:])]
    return value


folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
schemas = {file.name: strict(json.loads(file.read_text())) for file in folder.glob("*.schema.json")}
registry = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()
)
schema = schemas[f"{kind}.schema.json"]
validator = Draft202012Validator(schema, registry=registry)
wrong = 0
for number, line in enumerate(sys.stdin):
    document = json.loads(line)
    if document.get("$schema") != schema["$id"]:
        print(f"document {number}: $schema: {document.get('$schema')} is not {schema['$id']}")
        wrong = 1
    for error in list(validator.iter_errors(shortened(document)))[:20]:
        print(f"document {number}: {error.json_path}: {error.message[:300]}")
        wrong = 1
sys.exit(wrong)
