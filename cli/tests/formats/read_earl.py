"""Prints the assertions of a file, as PyLD expands them: nothing that the file's own context does not explain is left."""

import json
import sys

from pyld import jsonld

EARL = "http://www.w3.org/ns/earl#"
DCT = "http://purl.org/dc/terms/"
PTR = "http://www.w3.org/2009/pointers#"


def refuse(url, _options):
    raise RuntimeError(f"the file sends its readers to {url}")


with open(sys.argv[1], encoding="utf-8") as file:
    nodes = jsonld.expand(json.load(file), {"documentLoader": refuse})
by_id = {node["@id"]: node for node in nodes if "@id" in node}


def value(node, name):
    first = node[name][0]
    return first.get("@value", first.get("@id"))


assertions = []
for node in nodes:
    if EARL + "Assertion" not in node.get("@type", []):
        continue
    result = node[EARL + "result"][0]
    pointers = [value(pointer, PTR + "expression") for pointer in result.get(EARL + "pointer", [])]
    assertions.append(
        {
            "by": by_id[value(node, EARL + "assertedBy")]["@id"],
            "mode": value(node, EARL + "mode").removeprefix(EARL),
            "outcome": value(result, EARL + "outcome").removeprefix(EARL),
            "page": value(by_id[value(node, EARL + "subject")], DCT + "source"),
            "test": value(by_id[value(node, EARL + "test")], DCT + "title"),
            "pointers": pointers,
        }
    )
json.dump(assertions, sys.stdout)
