# SPDX-License-Identifier: BSD-2-Clause
# Does JSON follow a schema of doc/schemas? Only what these schemas use is known here. A member
# that the schema does not name is wrong, too: the schema would be incomplete.
#
#   schemas.py SCHEMAS KIND FILE...    an object in each file
#   schemas.py SCHEMAS progress FILE   an object in each line
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float), "null": type(None)}
KNOWN = {"$schema", "title", "type", "required", "properties", "items", "enum",
         "additionalProperties", "$ref"}
schemas, kind, files = sys.argv[1], sys.argv[2], sys.argv[3:]


def load(name):
    with open(schemas + "/" + name) as file:
        return json.load(file)


def is_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def errors(value, schema, root, at):
    """What is wrong with a value, as lines."""
    if "$ref" in schema:
        name, _, path = schema["$ref"].partition("#")
        schema = root = load(name) if name else root
        for key in path.split("/")[1:]:
            schema = schema[key]
    if set(schema) - KNOWN:
        yield "%s: the schema has %s" % (at, set(schema) - KNOWN)
    if "enum" in schema and value not in schema["enum"]:
        yield "%s is %r" % (at, value)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield "%s is %r, and no %s" % (at, value, types)
    if isinstance(value, list) and "items" in schema:
        for n, item in enumerate(value):
            yield from errors(item, schema["items"], root, "%s[%d]" % (at, n))
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield "%s has no %s" % (at, name)
        for name, member in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if rule is None:
                yield "%s has %s" % (at, name)
            else:
                yield from errors(member, rule, root, at + "." + name)


schema = load(kind + ".schema.json")
objects = []
for name in files:
    with open(name) as file:
        objects += [json.loads(text) for text in (file if kind == "progress" else [file.read()])]
wrong = [line for value in objects for line in errors(value, schema, schema, kind)]
print("\n".join(wrong))
sys.exit(1 if wrong or not objects else 0)
