#!/bin/sh
# campaign.sh [--seconds N] [--runs N] [--build DIR] [TARGET…]: coverage-guided fuzzing of the readers by clang's libFuzzer with the
# address sanitizer. Builds the targets of tests/fuzz (preset fuzz), runs each on its corpus until N executions (1,000,000) or N seconds
# (600) have passed, and prints a row for each: executions, how many a second, edges covered, findings. What it finds lies in
# DIR/found/TARGET; what it learned stays in DIR/learned/TARGET for the next time.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$source/build/fuzz seconds=600 runs=1000000
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --runs) runs=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    *) break ;;
    esac
done
all='activity config csv exec fatbin foreign json launch lowering ptx registers results sweep'
targets=${*:-$all}
(cd "$source" && cmake --preset fuzz -B "$build") >/dev/null
# shellcheck disable=SC2046
cmake --build "$build" --target make_fatbins $(for t in $targets; do echo "fuzz_$t"; done) >"$build/build.log" 2>&1 ||
    { tail -n 20 "$build/build.log"; exit 1; }
"$build/tests/fuzz/make_fatbins" "$build/tests/fuzz/corpus_fatbin" >/dev/null
export WARPWATT_CONFIGS="$source/configs" ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
status=0
printf '| target | executions | per second | edges | findings |\n|---|---:|---:|---:|---:|\n'
for t in $targets; do
    seeds=$source/tests/fuzz/corpus/$t
    case $t in
    exec | lowering) seeds=$source/tests/fuzz/corpus/ptx ;;
    fatbin) seeds=$build/tests/fuzz/corpus_fatbin ;;
    esac
    mkdir -p "$build/learned/$t" "$build/found/$t"
    "$build/tests/fuzz/fuzz_$t" "$build/learned/$t" "$seeds" -runs="$runs" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 \
        -max_len=65536 -artifact_prefix="$build/found/$t/" -print_final_stats=1 -verbosity=1 >"$build/found/$t.log" 2>&1 || status=1
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/found/$t.log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$build/found/$t.log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$build/found/$t.log" | tail -n 1)
    printf '| %s | %s | %s | %s | %s |\n' "$t" "${executions:-?}" "${rate:-?}" "${edges:-?}" "$(find "$build/found/$t" -type f | wc -l)"
done
exit $status
