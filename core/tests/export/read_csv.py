# Prints the rows of a CSV file as JSON, as Python's `csv` reads them.
import csv
import json
import sys

with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
    json.dump(list(csv.reader(file, strict=True)), sys.stdout)
