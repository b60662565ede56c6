#!/usr/bin/env python3
"""Holds every refusal code to a test that produces it: runs the tests with REFUSALS set and reads what they noted.

The tests note the codes that came back for the inputs they gave (tests/witness.rs); a name in a test's source counts for
nothing. Fails when a code of wire/src/refusal.rs or wire/src/session/denial.rs was produced by no test, and when
tests/refusals.tsv (code, name, and the first test by name that produces it) is not what the tests noted. `--update` writes that table.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [ROOT / "wire" / "src" / "refusal.rs", ROOT / "wire" / "src" / "session" / "denial.rs"]
TABLE = ROOT / "tests" / "refusals.tsv"
PACKAGES = ["venues", "policies", "signing", "session", "enclave"]


def codes():
    """Number to name, of both lists."""
    declared = re.compile(r"^    (\w+) = (\d{4}),$", re.MULTILINE)
    found = [match for source in SOURCES for match in declared.findall(source.read_text())]
    return {int(number): name for name, number in found}


def noted(folder):
    """Code to the tests that produced it."""
    tests = {}
    for path in Path(folder).iterdir():
        for line in path.read_text().splitlines():
            number, test = line.split(" ", 1)
            tests.setdefault(int(number), set()).add(test)
    return tests


def main():
    command = ["cargo", "test", "--locked", "-q", "--lib", "--tests"]
    for package in PACKAGES:
        command += ["-p", package]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"REFUSALS": folder}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout.decode(errors="replace"))
        tests = noted(folder)
    names = codes()
    faults = [f"{number} {name}: no test produces it" for number, name in names.items() if number not in tests]
    faults += [f"{number} is no code" for number in tests if number not in names]
    rows = [f"{number}\t{name}\t{min(tests[number])}\n" for number, name in sorted(names.items()) if number in tests]
    if "--update" in sys.argv[1:]:
        TABLE.write_text("".join(rows))
    elif not TABLE.exists() or TABLE.read_text() != "".join(rows):
        faults.append("tests/refusals.tsv is not what the tests noted: run tests/refusals.py --update, read the difference")
    print("\n".join(faults + [f"{len(names)} codes, {len(tests)} produced by tests, {len(faults)} faults"]))
    sys.exit(bool(faults))


main()
