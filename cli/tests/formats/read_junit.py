"""Prints the suites and cases that junitparser reads in a file."""

import json
import sys

from junitparser import JUnitXml

suites = []
for suite in JUnitXml.fromfile(sys.argv[1]):
    cases = [
        {
            "classname": case.classname,
            "name": case.name,
            "result": type(case.result[0]).__name__ if case.result else None,
        }
        for case in suite
    ]
    counts = {name: getattr(suite, name) for name in ("tests", "failures", "errors", "skipped")}
    suites.append({"name": suite.name, "cases": cases, **counts})
json.dump(suites, sys.stdout)
