#!/usr/bin/env python3
"""Prints the security requirements of tests/requirements.toml, the tests that hold each, and their results.

Runs every named test, one build for each package. Fails when a requirement has no test and is not for later, and when a
named test does not exist, did not run or failed. `--list` prints without running.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "requirements.toml"
EXPECTED = [f"S{number}" for number in range(1, 28)]
KEYS = {"id", "text", "tests", "later"}

# "test some::path ... ok", also with the line of a doctest; what a test prints may stand in between.
RESULT = re.compile(r"^test (?P<name>\S.*?) \.\.\. (?P<result>ok|FAILED|ignored)\b", re.MULTILINE)


def faults_of(requirements):
    """What is wrong with the table itself."""
    faults = []
    ids = [requirement.get("id") for requirement in requirements]
    if ids != EXPECTED:
        faults.append(f"the table holds {ids}, not {EXPECTED[0]} to {EXPECTED[-1]} in order")
    for requirement in requirements:
        name = requirement.get("id")
        if unknown := set(requirement) - KEYS:
            faults.append(f"{name}: unknown {sorted(unknown)}")
        if not requirement.get("text"):
            faults.append(f"{name}: no text")
        if not requirement.get("tests") and not requirement.get("later"):
            faults.append(f"{name}: no test, and not for later")
        tests = requirement.get("tests", [])
        if len(set(tests)) != len(tests):
            faults.append(f"{name}: a test is named twice")
        for test in tests:
            words = test.split(" ")
            is_doctest = len(words) == 4 and words[1] == "doc"
            if not is_doctest and len(words) != 2:
                faults.append(f"{name}: {test!r} is none of the three forms")
    return faults


def run(command):
    """The exit code and all output of a command, which is shown when it is wrong."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def targets_of_packages():
    """Package to its targets: the words that select one, and its folder or file."""
    code, output = run(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"])
    if code != 0:
        sys.exit(output)
    packages = {}
    for package in json.loads(output[output.index("{"):])["packages"]:
        targets = packages.setdefault(package["name"], [])
        for target in package["targets"]:
            kind, source = target["kind"][0], Path(target["src_path"])
            if kind == "test":
                # tests/NAME.rs with what it may have in tests/NAME/, or tests/NAME/main.rs
                folder = source.parent if source.name == "main.rs" else source.with_suffix("")
                targets.append((["--test", target["name"]], source, folder))
            elif kind == "bin":
                targets.append((["--bin", target["name"]], source, source.with_suffix("")))
            elif kind in ("lib", "rlib"):
                targets.append((["--lib"], source, source.parent))
    return packages


def selection_of(targets, names):
    """The targets in whose sources the named tests stand, so that no other is built."""
    selection = []
    for words, source, folder in targets:
        files = {source, *folder.rglob("*.rs")}
        text = "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
        if any(f"fn {name}(" in text for name in names):
            selection += words
    return selection


def results_of(package, names, selection):
    """What became of the tests of a package: full path to result."""
    print(f"running {len(names)} entries of {package}: {' '.join(selection)}", file=sys.stderr, flush=True)
    filters = [] if selection == ["--doc"] else ["--", *names]
    code, output = run(["cargo", "test", "--locked", "--no-fail-fast", "-p", package, *selection, *filters])
    found = {}
    for match in RESULT.finditer(output):
        # The same path in two binaries of a package: the worse result counts.
        name, result = match["name"], match["result"]
        found[name] = result if found.get(name, "ok") == "ok" else found[name]
    if code != 0:
        print(output, file=sys.stderr)
        if "FAILED" not in found.values():
            return {}
    return found


def judge(requirements):
    """Runs everything that is named and returns the result of each entry."""
    tests = {test for requirement in requirements for test in requirement.get("tests", [])}
    results, by_package = {}, {}
    for test in sorted(tests):
        words = test.split(" ")
        if words[0] == "run":
            print(f"running {words[1]}", file=sys.stderr)
            code, output = run([f"./{words[1]}"]) if (ROOT / words[1]).is_file() else (None, "")
            results[test] = {0: "ok", 77: "did not run", None: "does not exist"}.get(code, "FAILED")
            if code:
                print(output, file=sys.stderr)
        else:
            by_package.setdefault((words[0], len(words) == 4), []).append(test)
    packages = targets_of_packages()
    for (package, is_doc), named in sorted(by_package.items()):
        names = [test.split(" ")[1] for test in named]
        selection = ["--doc"] if is_doc else selection_of(packages.get(package, []), names)
        found = results_of(package, names, selection) if selection else {}
        for test in named:
            results[test] = doctest_result(test, found) if is_doc else test_result(test, found)
    return results


def test_result(test, found):
    name = test.split(" ")[1]
    return worst([result for path, result in found.items() if path == name or path.endswith(f"::{name}")])


def doctest_result(test, found):
    _, _, file, code = test.split(" ")
    path = ROOT / file
    if not path.is_file() or f"```compile_fail,{code}\n" not in path.read_text(encoding="utf-8"):
        return "does not exist"
    # rustdoc names the file from the root or from the package.
    mine = [result for name, result in found.items() if f"/{name}".split(" - ")[0].endswith(f"/{file}")]
    return worst(mine)


def worst(results):
    if not results:
        return "does not exist or did not build"
    return next((result for result in ("FAILED", "ignored") if result in results), "ok")


def main():
    with TABLE.open("rb") as table:
        requirements = tomllib.load(table)["requirement"]
    faults = faults_of(requirements)
    if faults:
        print("\n".join(faults))
        return 1
    only_list = sys.argv[1:] == ["--list"]
    results = {} if only_list else judge(requirements)
    held = in_part = later = failed = 0
    for requirement in requirements:
        tests = requirement.get("tests", [])
        bad = [test for test in tests if not only_list and results[test] != "ok"]
        if bad:
            state, failed = "FAILED", failed + 1
        elif not tests:
            state, later = "later", later + 1
        elif requirement.get("later"):
            state, in_part = "in part", in_part + 1
        else:
            state, held = "held", held + 1
        print(f"{requirement['id']:4}{state:8} {requirement['text']}")
        for test in tests:
            print(f"            {results.get(test, 'not run')}: {test}")
        if requirement.get("later"):
            print(f"            later: {requirement['later']}")
    print(f"\n{held} held, {in_part} held in part, {later} later, {failed} failed; {len(results)} tests run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
