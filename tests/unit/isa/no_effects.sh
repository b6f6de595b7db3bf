#!/bin/sh
# Does an operation that is added to the table without its effects, or with some of them, fail to compile?
. "$(dirname "$0")/../../support/scratch.sh"
cc=$1
source=$2
mkdir "$work/isa"

# compiles ROW: the table with that row more.
compiles() {
    { cat "$source/isa/ops.def"; printf '%s\n' "$1"; } >"$work/isa/ops.def"
    "$cc" -std=gnu17 -fsyntax-only -Wextra -Werror -I"$work" -iquote "$work" -I"$source" "$source/isa/effects.c" 2>"$work/err"
}
row() {
    printf 'WW_OP(EXTRA, "extra", ARITH, SP, INT, PLAIN, INT_ADD, NONE, MACHINE, ONE, %s"meaning")' "$1"
}
all='READS(REGISTERS), WRITES(SHARED), MEETS(NOBODY), WAITS(NOTHING), ENDS_BY(ITSELF), GOES(ON), MAY(NONE)'
compiles "$(row 'COMPUTES, ')" || { cat "$work/err"; exit 1; }
compiles "$(row "DOES($all), ")" || { cat "$work/err"; exit 1; }
refused() {
    if compiles "$(row "$1")"; then
        echo "compiles: $1"
        exit 1
    fi
}
refused ''
refused 'NOTHING_AT_ALL, '
refused 'DOES(READS(REGISTERS), WRITES(SHARED)), '
refused "DOES(READS(REGISTERS), READS(SHARED), ${all#*, *, }), "
refused "DOES(READS(ELSEWHERE), ${all#*, }), "
