# Prints the rows of a flat OpenDocument spreadsheet as JSON: each cell as its kind of value, its formula, and its text.
import json
import sys
import xml.etree.ElementTree as xml

NAMES = {"office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
         "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
         "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0"}


def name(prefix, local):
    return "{%s}%s" % (NAMES[prefix], local)


def text(element):
    if element.tag == name("text", "s"):
        own = " " * int(element.get(name("text", "c"), 1))
    else:
        own = {name("text", "tab"): "\t", name("text", "line-break"): "\n"}.get(element.tag, element.text or "")
    return own + "".join(text(inner) + (inner.tail or "") for inner in element)


def cell(element):
    lines = [text(line) for line in element.findall("text:p", NAMES)]
    kind, formula = element.get(name("office", "value-type")), element.get(name("table", "formula"))
    return {"kind": kind, "formula": formula, "text": "\n".join(lines)}


rows = []
for row in xml.parse(sys.argv[1]).getroot().iterfind(".//table:table/table:table-row", NAMES):
    cells = []
    for element in row.findall("table:table-cell", NAMES):
        cells += [cell(element)] * int(element.get(name("table", "number-columns-repeated"), 1))
    rows.append(cells)
json.dump(rows, sys.stdout)
