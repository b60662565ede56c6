#!/usr/bin/env bash
# kill -9 of host and vault under load: KILL_ROUNDS times each (10), in a durable and in a bounded book.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo test --locked -q -p enclave-dev --test kill
