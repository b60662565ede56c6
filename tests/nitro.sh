#!/usr/bin/env bash
# Attestation documents, the tests' own and real ones where they are beside this checkout, judged by a second implementation.
# Exit 77 where there is no python3 with `cryptography`.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -c 'import cryptography' 2>/dev/null || { echo "no python3 with cryptography"; exit 77; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
NITRO_CORPUS="$folder" cargo test --locked -q -p session-nitro --test documents >/dev/null
NITRO_CORPUS="$folder" cargo test --locked -q -p session-nitro --test real >/dev/null
python3 tests/nitro_oracle.py "$folder/index.tsv"
