# A folder $work that goes with the script, and fail TEXT, which shows what the last program printed there.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$1"
    cat "$work/stdout" "$work/stderr" 2>/dev/null || true
    exit 1
}
