# Prints a flat OpenDocument text as JSON: its headings with their levels, and its tables, each with the number of rows that are its head
# and the text of all rows.
import json
import sys
import xml.etree.ElementTree as xml

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def text(element):
    own = " " if element.tag == TEXT + "s" else element.text or ""
    return own + "".join(text(inner) + (inner.tail or "") for inner in element)


def rows(elements):
    return [["\n".join(text(line) for line in cell.iter(TEXT + "p")) for cell in row.findall(TABLE + "table-cell")]
            for row in elements]


root = xml.parse(sys.argv[1]).getroot()
headings = [[int(each.get(TEXT + "outline-level")), text(each)] for each in root.iter(TEXT + "h")]
tables = []
for table in root.iter(TABLE + "table"):
    head = table.findall(TABLE + "table-header-rows/" + TABLE + "table-row")
    tables.append({"head_rows": len(head), "rows": rows(head + table.findall(TABLE + "table-row"))})
json.dump({"headings": headings, "tables": tables}, sys.stdout)
