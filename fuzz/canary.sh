#!/usr/bin/env bash
# The harness must find a planted panic; if it does not, its silence about the other targets means nothing.
set -uo pipefail
cd "$(dirname "$0")"
mkdir -p corpus/canary target/logs
if cargo +nightly fuzz run --fuzz-dir . canary corpus/canary -- -max_total_time=60 >target/logs/canary.log 2>&1; then
    echo "the canary was NOT found"; exit 1
fi
grep -q 'planted panic' target/logs/canary.log || { echo "the canary failed for another reason"; tail -5 target/logs/canary.log; exit 1; }
rm -rf artifacts/canary
echo "the canary was found"
