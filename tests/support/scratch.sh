# scratch.sh - sourced by scripts that end at their first failure: $work, a scratch folder of their own that goes when they end, and
# fail, which says what was wrong with what the last command said ($work/out, $work/err, where it was kept). Scripts that go on
# and count their failures take cli.sh.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec 3>&1
fail() {
    {
        echo "FAILED: $*"
        for said in "$work/out" "$work/err"; do
            [ ! -f "$said" ] || head -n 40 "$said"
        done
    } >&3
    exit 1
}
# refused WHY COMMAND...: a command that must fail, WHY if it does not. What it says goes where the line says.
refused() {
    why=$1
    shift
    if "$@"; then fail "$why"; fi
}
