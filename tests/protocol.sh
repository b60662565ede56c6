#!/usr/bin/env bash
# A client written from docs/PROTOCOL.md alone talks to a development vault. Exit 77 where there is no python3, or none
# with `cryptography`.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -c '' 2>/dev/null || { echo "no python3"; exit 77; }

cargo build --locked -q -p enclave-dev --bin enclave-dev
cargo build --locked -q -p portcullis
bin=${CARGO_TARGET_DIR:-target}/debug
hash=$("$bin/portcullis" policy hash policies/book/demo.toml | cut -d' ' -f1)
folder=$(mktemp -d)
"$bin/enclave-dev" serve --book policies/book/demo.toml --keys "$folder/keys" \
    --listen "unix:$folder/vault" --control "unix:$folder/control" 2>"$folder/log" &
vault=$!
trap 'kill "$vault" 2>/dev/null || true; wait "$vault" 2>/dev/null || true; rm -r "$folder"' EXIT
code=0
python3 tests/protocol_client.py "$folder/vault" "$folder/control" "$hash" || code=$?
[ $code = 0 ] || cat "$folder/log"
exit $code
