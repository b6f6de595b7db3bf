#!/bin/sh
# A study that ships: its sweep loads, and each of its numbers can be asked for before anything has run. Names of counters are
# looked up only in results.
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
room=$2
"$warpwatt" sweep "paper-$room" --out "$work/results" --status >/dev/null
misses '^0 bands met, 0 missed, [1-9][0-9]* without results' "$warpwatt" validate paper "$room" --results "$work/results"
