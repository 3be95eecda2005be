"""Checks a JUnit report with two readers that are not ours: its schema, and that its counts add up."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import xmlschema


def plural(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def main(path):
    xmlschema.validate(path, Path(__file__).with_name("junit.xsd"))
    root = ElementTree.parse(path).getroot()
    suites = root.findall("testsuite")
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    for suite in suites:
        tests = suite.findall("testcase")
        assert int(suite.get("tests")) == len(tests), suite.attrib
        for key, element in kinds.items():
            assert int(suite.get(key)) == len(suite.findall(f"testcase/{element}")), (key, suite.attrib)
    for key in ["tests", "failures", "errors"]:
        assert int(root.get(key)) == sum(int(suite.get(key)) for suite in suites), (key, root.attrib)
    count = {element: len(root.findall(f"testsuite/testcase/{element}")) for element in kinds.values()}
    print(
        f"{plural(len(suites), 'suite')}, {plural(int(root.get('tests')), 'test')}: "
        f"{plural(count['failure'], 'failure')}, {plural(count['error'], 'error')}, {count['skipped']} skipped"
    )


main(sys.argv[1])
