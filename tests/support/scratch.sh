# scratch.sh - sourced by scripts that end at their first failure: $work, a scratch folder of their own that goes when they end, fail,
# which says what was wrong with what the last command said (where it was kept, as out and err or as stdout and stderr), and what asks
# of a command that it fails. Scripts that go on and count their failures take cli.sh.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec 3>&1
fail() {
    {
        echo "FAILED: $*"
        for said in "$work/out" "$work/err" "$work/stdout" "$work/stderr"; do
            [ ! -f "$said" ] || head -n 40 "$said"
        done
    } >&3
    exit 1
}
# failing COMMAND...: a command that must fail by itself, with exit code 1 or 2. What it says lies in $work/out and $work/err.
failing() {
    ended=0
    "$@" >"$work/out" 2>"$work/err" || ended=$?
    [ $ended -eq 1 ] || [ $ended -eq 2 ] || fail "exit code $ended, not 1 or 2: $*"
}
# refuses TEXT COMMAND...: one that must fail and say TEXT (as grep reads it) as an error.
refuses() {
    looked_for=$1
    shift
    failing "$@"
    grep -q -e "$looked_for" "$work/err" || fail "'$looked_for' is no error of: $*"
}
# misses TEXT COMMAND...: one that judges: it must print TEXT and fail.
misses() {
    looked_for=$1
    shift
    failing "$@"
    grep -q -e "$looked_for" "$work/out" || fail "'$looked_for' is not printed by: $*"
}
