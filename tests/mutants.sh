#!/usr/bin/env bash
# Mutation testing of what decides: the rules of every venue, the policies, and the decoders of EVM and Hyperliquid.
# A mutant that no test of its own crate notices is a survivor; each is printed.
#
#     tests/mutants.sh [SECONDS] [SHARD]      a shard is k/n, as cargo-mutants takes it
#
# Tries them in random order, stops after SECONDS (1800) and judges what was tried until then. Exit 1 when a mutant
# survived, 2 when nothing was tried or the tests fail without a mutation, 77 without cargo-mutants.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo mutants --version >/dev/null 2>&1 || { echo "no cargo-mutants (cargo install --locked cargo-mutants)"; exit 77; }

seconds=${1:-1800} shard=${2:-0/1}
folder=target/mutants
rm -rf "$folder"
mkdir -p "$folder"

status=0
CARGO_INCREMENTAL=0 timeout --signal INT --kill-after 30 "$seconds" \
    cargo mutants --output "$folder" --jobs 1 --timeout 120 --build-timeout 300 --shuffle --shard "$shard" \
    --colors never \
    --package venues --package policies --package book --cargo-arg=--locked \
    --file 'venues/src/*/judge*.rs' --file 'venues/src/*/judge*/*.rs' --file 'venues/src/*/rules.rs' \
    --file 'policies/src/*.rs' --file 'venues/src/exposure.rs' \
    $(for name in decode rlp abi call batch swap swap_v2; do echo --file "venues/src/evm/$name.rs"; done) \
    $(for name in decode decimal envelope hexadecimal l1 list msgpack order transcode user_signed; do
        echo --file "venues/src/hyperliquid/$name.rs"
    done) \
    >"$folder/log" 2>&1 || status=$?

results=$folder/mutants.out
count() { [ -f "$results/$1.txt" ] && grep -c . "$results/$1.txt" || true; }
caught=$(count caught) missed=$(count missed) late=$(count timeout) unviable=$(count unviable)
caught=${caught:-0} missed=${missed:-0} late=${late:-0} unviable=${unviable:-0}
# 4: the tests fail as they stand; 1: wrong usage. Interrupted by the clock is meant.
case $status in 0 | 2 | 3 | 124 | 130) ;; *) tail -20 "$folder/log"; exit 2 ;; esac
[ -f "$results/missed.txt" ] && cat "$results/missed.txt"
echo "$caught caught, $missed survived, $late ran into the time limit, $unviable do not compile"
[ $((caught + missed)) -gt 0 ] || { tail -20 "$folder/log"; echo "nothing was tried in $seconds s"; exit 2; }
[ "$missed" -eq 0 ]
