# completion.bash FILE: does the completion offer what the program has?
set -u
source "$1"
offers() { # WORDS… EXPECTED: completing the last of WORDS offers EXPECTED
    local expected=${*: -1}
    COMP_WORDS=(warpwatt "${@:1:$#-1}")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _warpwatt
    for word in "${COMPREPLY[@]}"; do
        [ "$word" = "$expected" ] && return 0
    done
    echo "no $expected for '${COMP_WORDS[*]}', but: ${COMPREPLY[*]}" >&2
    exit 1
}
offers "" run
offers va validate
offers run --gp --gpu
offers run --gpu gtx gtx580
offers run --isa p ptx
offers run --workload back backprop
offers run --mech n nlp
offers list co counters
offers analyze st stalls
cd "$(dirname "$1")"
offers report wa warpwatt
