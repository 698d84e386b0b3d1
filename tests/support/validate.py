"""Validates JSON documents by a JSON Schema, with further fields forbidden: validate.py FOLDER KIND < DOCUMENTS

FOLDER contains KIND.schema.json. Standard input has one document per line. Prints each violation on a line and exits
with 1 if there are any."""

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
registry = Registry()
for file in folder.glob("*.schema.json"):
    registry = registry.with_resource(file.name, Resource.from_contents(strict(json.loads(file.read_text()))))
validator = Draft202012Validator({"$ref": f"{kind}.schema.json"}, registry=registry)
wrong = 0
for number, line in enumerate(sys.stdin):
    for error in list(validator.iter_errors(shortened(json.loads(line))))[:20]:
        print(f"document {number}: {error.json_path}: {error.message[:300]}")
        wrong = 1
sys.exit(wrong)
