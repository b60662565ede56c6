#!/usr/bin/env bash
# run.sh SECONDS [TARGET...]: every target on its committed seeds, two at a time; 0 seconds runs the seeds only.
set -uo pipefail
cd "$(dirname "$0")"
seconds=$1; shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cd fuzz_targets && ls ./*.rs | sed 's|./||; s|\.rs$||' | grep -v '^canary$')

cargo +nightly fuzz build --fuzz-dir . || exit 1

one() {
    local target=$1 log
    mkdir -p "corpus/$target" target/logs
    log=target/logs/$target.log
    if [ "$seconds" -eq 0 ]; then
        cargo +nightly fuzz run --fuzz-dir . "$target" "corpus/$target" "seeds/$target" -- -runs=0 >"$log" 2>&1
    else
        cargo +nightly fuzz run --fuzz-dir . "$target" "corpus/$target" "seeds/$target" -- \
            -max_total_time="$seconds" -max_len=16384 -print_final_stats=1 >"$log" 2>&1
    fi
    local status=$? executions edges
    executions=$(grep -oE 'stat::number_of_executed_units: +[0-9]+' "$log" | grep -oE '[0-9]+$')
    edges=$(grep -oE 'cov: [0-9]+' "$log" | tail -1 | grep -oE '[0-9]+')
    [ $status -eq 0 ] && echo "ok      $target: ${executions:-seeds only} executions, ${edges:-?} edges" ||
        { echo "FINDING $target (see fuzz/$log)"; tail -5 "$log"; }
    return $status
}

failed=0
for ((i = 0; i < ${#targets[@]}; i += 2)); do
    pids=()
    for target in "${targets[@]:i:2}"; do one "$target" & pids+=($!); done
    for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
done
exit $failed
