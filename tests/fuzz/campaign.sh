#!/bin/sh
# campaign.sh [--seconds N] [--runs N] [--build DIR] [--built] [TARGET…]: coverage-guided fuzzing of the readers by clang's libFuzzer with the
# address sanitizer. Builds the targets of tests/fuzz (preset fuzz) and runs each from its corpus for N seconds (600) or until it has made
# N executions (1,000,000) in this and all earlier campaigns in DIR: what it learned stays in DIR/learned/TARGET, the sum of executions in
# DIR/learned/TARGET.executions. Prints a row for each: executions in all, edges covered, findings, which
# lie in DIR/found/TARGET. `--built` builds nothing; `--seconds 0` prints the rows alone.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$source/build/fuzz seconds=600 runs=1000000 built=
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --runs) runs=$2 && shift 2 ;;
    --build) build=$2 && shift 2 ;;
    --built) built=1 && shift ;;
    *) break ;;
    esac
done
all='activity config csv exec fatbin foreign json launch lowering ptx registers results sweep'
targets=${*:-$all}
# Small blocks of freed memory are held back, and stacks not kept apart after return: readers hold little and return no addresses of
# their stack, and an execution costs half.
export WARPWATT_CONFIGS="$source/configs"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=0:quarantine_size_mb=8:malloc_context_size=8
status=0

compile() {
    (cd "$source" && cmake --preset fuzz -B "$build") >/dev/null
    # shellcheck disable=SC2046
    cmake --build "$build" --target make_fatbins $(for t in $targets; do echo "fuzz_$t"; done) >"$build/build.log" 2>&1 ||
        { tail -n 20 "$build/build.log"; exit 1; }
}

seeds_of() {
    case $1 in
    exec | lowering) echo "$source/tests/fuzz/corpus/ptx" ;;
    fatbin) echo "$build/tests/fuzz/corpus_fatbin" ;;
    *) echo "$source/tests/fuzz/corpus/$1" ;;
    esac
}

# A number that a file holds, 0 where there is none.
number_in() {
    if [ -s "$1" ]; then cat "$1"; else echo 0; fi
}

# Runs the target for what is left of its executions and adds what it did to its sums.
campaign() {
    name=$build/learned/$1 log=$build/found/$1.log
    left=$((runs - $(number_in "$name.executions")))
    [ "$left" -gt 0 ] || return 0
    "$build/tests/fuzz/fuzz_$1" "$name" "$(seeds_of "$1")" -runs="$left" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 \
        -max_len=8192 -artifact_prefix="$build/found/$1/" -print_final_stats=1 -verbosity=1 >"$log" 2>&1 || status=1
    did=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    [ -n "$did" ] || did=$(sed -n 's/^#\([0-9]*\).* cov: .*/\1/p' "$log" | tail -n 1)
    echo $(($(number_in "$name.executions") + ${did:-0})) >"$name.executions"
    sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1 >"$name.edges"
}

if [ "$seconds" -gt 0 ] && [ -z "$built" ]; then
    mkdir -p "$build"
    compile
fi
[ "$seconds" -eq 0 ] || "$build/tests/fuzz/make_fatbins" "$build/tests/fuzz/corpus_fatbin" >/dev/null
printf '| target | executions | edges | findings |\n|---|---:|---:|---:|\n'
for t in $targets; do
    mkdir -p "$build/learned/$t" "$build/found/$t"
    [ "$seconds" -eq 0 ] || campaign "$t"
    printf '| %s | %s | %s | %s |\n' "$t" "$(number_in "$build/learned/$t.executions")" "$(number_in "$build/learned/$t.edges")" \
        "$(find "$build/found/$t" -type f | wc -l)"
done
exit $status
