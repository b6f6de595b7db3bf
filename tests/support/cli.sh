# cli.sh - sourced by scripts that try commands (SCRIPT WARPWATT SOURCE): a scratch folder of their own, in which they stand, and
# what counts failures. Their last line is `finish`.
warpwatt=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# expect CODE PATTERN ARGUMENTS...: what the command says lies in `out` afterwards.
expect() {
    want=$1 pattern=$2
    shift 2
    code=0
    "$warpwatt" "$@" >out 2>&1 || code=$?
    { [ $code -eq "$want" ] && grep -q -- "$pattern" out; } || { fail "warpwatt $*: exit $code, looked for '$pattern' in:"; head -5 out; }
}
finish() { [ $failures -eq 0 ]; }
