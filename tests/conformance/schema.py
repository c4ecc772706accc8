# SPDX-License-Identifier: BSD-2-Clause
"""Checks a value against a JSON Schema: as much of draft 7 as tests/vectors/schema.json uses."""
import re

KINDS = {"object": dict, "array": list, "string": str, "null": type(None)}
KNOWN = {"$schema", "title", "definitions", "$ref", "type", "const", "enum", "anyOf", "required", "properties", "additionalProperties", "items",
         "minItems", "maxItems", "minimum", "maximum", "pattern"}


def is_kind(value, kind):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def fault(value, schema, root, where="$"):
    """What is wrong, or None."""
    if unknown := set(schema) - KNOWN:
        raise ValueError(f"the schema uses {sorted(unknown)}, which this check does not know")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return fault(value, target, root, where)
    if "type" in schema and not is_kind(value, schema["type"]):
        return f"{where}: {value!r} is no {schema['type']}"
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return f"{where}: {value!r} is not one of {schema.get('enum', [schema.get('const')])}"
    if "anyOf" in schema:
        faults = [fault(value, s, root, where) for s in schema["anyOf"]]
        if all(faults):
            return faults[0]
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"{where}: {value!r} is not like {schema['pattern']}"
    if is_kind(value, "integer") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{where}: {value} is too small or too large"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{where}: {len(value)} items"
        return next((f for i, x in enumerate(value) if (f := fault(x, schema.get("items", {}), root, f"{where}[{i}]"))), None)
    if isinstance(value, dict):
        if missing := [k for k in schema.get("required", []) if k not in value]:
            return f"{where}: no {missing[0]}"
        named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, item in value.items():
            if key not in named and others is False:
                return f"{where}: {key} is not known"
            if f := fault(item, named.get(key, others if isinstance(others, dict) else {}), root, f"{where}.{key}"):
                return f
    return None
