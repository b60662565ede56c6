#!/usr/bin/env bash
# Asks the conformance program every shared vector line of the venues that are supported, and compares.
# Needs the shared folder beside this checkout; exit 77 where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f ../shared/judge/judge.py ] || { echo "no shared vectors beside this checkout"; exit 77; }

venues=(evm_eip1559 hyperliquid solana_drift)
files=(../shared/vectors/hyperliquid_bench200.jsonl)
for venue in "${venues[@]}"; do
    files+=("../shared/vectors/$venue.jsonl" "../shared/vectors/negative_$venue.jsonl")
done
cargo build --locked --release -q -p enclave-dev --bin conformance
CONFORMANCE=target/release/conformance python3 ../shared/judge/judge.py "${files[@]}"
