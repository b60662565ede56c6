#!/usr/bin/env bash
# Asks the conformance program every shared vector line, and compares.
# Needs the shared folder beside this checkout; exit 77 where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f ../shared/judge/judge.py ] || { echo "no shared vectors beside this checkout"; exit 77; }

cargo build --locked --release -q -p enclave-dev --bin conformance
CONFORMANCE=target/release/conformance python3 ../shared/judge/judge.py ../shared/vectors/*.jsonl
