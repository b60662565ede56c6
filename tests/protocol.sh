#!/usr/bin/env bash
# A client written from docs/PROTOCOL.md alone talks to a development vault. Exit 77 where there is no python3.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -c '' 2>/dev/null || { echo "no python3"; exit 77; }

cargo build --locked -q -p enclave-dev --bin enclave-dev
folder=$(mktemp -d)
"${CARGO_TARGET_DIR:-target}/debug/enclave-dev" serve --book policies/book/demo.toml --keys "$folder/keys" \
    --listen "unix:$folder/vault" --control "unix:$folder/control" 2>"$folder/log" &
vault=$!
trap 'kill "$vault" 2>/dev/null || true; wait "$vault" 2>/dev/null || true; rm -r "$folder"' EXIT
python3 tests/protocol_client.py "$folder/vault" "$folder/control" || { cat "$folder/log"; exit 1; }
