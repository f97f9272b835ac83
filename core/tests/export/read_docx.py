# Prints what stands in a DOCX as JSON: every part is parsed as XML, so that one that is no XML fails here.
import json
import sys
import xml.etree.ElementTree as xml
import zipfile

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
CORE = {"dc": "http://purl.org/dc/elements/1.1/"}

archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
parts = {name: xml.fromstring(archive.read(name)) for name in archive.namelist()}
body = parts["word/document.xml"].find(W + "body")
core, styles = parts["docProps/core.xml"], parts["word/styles.xml"]
names = {style.get(W + "styleId"): style.find(W + "name").get(W + "val") for style in styles.findall(W + "style")}


def text(element):
    return "".join(run.text or "" for run in element.iter(W + "t"))


def style(paragraph):
    named = paragraph.find(W + "pPr/" + W + "pStyle")
    return names["Normal" if named is None else named.get(W + "val")]


def row(element):
    return {"is_head": element.find(W + "trPr/" + W + "tblHeader") is not None,
            "cells": [text(cell) for cell in element.findall(W + "tc")]}


def table(element):
    return {"caption": element.find(W + "tblPr/" + W + "tblCaption").get(W + "val"),
            "rows": [row(each) for each in element.findall(W + "tr")]}


json.dump({
    "title": core.findtext("dc:title", namespaces=CORE),
    "creator": core.findtext("dc:creator", namespaces=CORE),
    "language": core.findtext("dc:language", namespaces=CORE),
    "language_of_text": styles.find(".//" + W + "docDefaults//" + W + "lang").get(W + "val"),
    "paragraphs": [[style(each), text(each)] for each in body.findall(W + "p")],
    "tables": [table(each) for each in body.findall(W + "tbl")],
    "fields": [each.get(W + "val") for each in body.iter(W + "alias")],
    "choices": [[item.get(W + "value") for item in each] for each in body.iter(W + "dropDownList")],
    "links": [each.get("Target") for each in parts["word/_rels/document.xml.rels"] if each.get("TargetMode") == "External"],
}, sys.stdout)
