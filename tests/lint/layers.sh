#!/bin/sh
# layers.sh SOURCE: does every folder include only what floors.txt lets it, and is that a house of floors? Each line of the table
# points down: no room is in a circle with another, however the table is written.
# layers.sh SOURCE proof: does it refuse each line of the files in bad_tree that says so, and nothing else, and tables with a circle?
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# floors TREE TABLE: what is wrong, a line each; where it is an include: file:line: header.
floors() {
    (cd "$1" && grep -rnE --include='*.c' --include='*.h' '^#include "[^"]*/' $(sed -n 's|^\([a-z]*\).*:.*|\1|p' "$2" | sort -u | while read -r top; do [ ! -d "$top" ] || echo "$top"; done)) |
        awk -F'[:"]' -v table="$2" '
        # perf and its folders apart, all else by its top folder; a table of rows is a room of its own.
        function room(folder,   part, n) {
            if (folder ~ / rows$/ || folder ~ / types$/) return folder
            n = split(folder, part, /[\/ ]/)
            return part[1] == "perf" && n > 1 ? part[1] "/" part[2] : part[1]
        }
        function dir(path) { return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : "" }
        # The nearest folder above, or the path itself, that has a line.
        function known_above(folder) {
            while (!(folder in known) && folder != "") folder = dir(folder)
            return folder
        }
        function layer_of(header) {
            if (header == "perf/types.h") return "perf types"
            if (header == "mech/rows.h") return "mech rows"
            return header ~ /^mech\/.*\// ? dir(header) : known_above(dir(header))
        }
        # A room of a mechanism: its overhead belongs to power and sees nothing of perf, the rest sits on the SM and sees nothing of
        # power; its tests see both.
        function room_may(file, layer) {
            if (file ~ /\/test_/ || layer == dir(file) || layer == "mech/lib") return 1
            return allowed[file ~ /\/overhead[^\/]*$/ ? "mech overhead" : "mech", layer]
        }
        # How far below the top of its longest way down a room stands; a way that comes back to itself is told once.
        function depth(name,   other, most, d) {
            if (name in floor) return floor[name]
            if (name in walking) { circle[name] = 1; return 0 }
            walking[name] = 1
            most = 0
            for (other in rooms) if ((name, other) in below) {
                d = depth(other) + 1
                if (d > most) most = d
            }
            delete walking[name]
            return floor[name] = most
        }
        BEGIN {
            while ((getline line <table) > 0) {
                if (line ~ /^#/ || line !~ /:/) continue
                folder = line; sub(/:.*/, "", folder)
                sub(/^[^:]*: */, "", line)
                known[folder] = 1
                allowed[folder, folder] = 1
                rooms[room(folder)] = 1
                n = split(line, part, /, */)
                for (i = 1; i <= n; i++) if (part[i] != "") {
                    allowed[folder, part[i]] = 1
                    if (room(part[i]) != room(folder)) below[room(folder), room(part[i])] = 1
                }
            }
            for (name in rooms) depth(name)
            for (name in circle) print "floors: " name " is in a circle with another room"
        }
        {
            file = $1
            layer = layer_of($4)
            folder = known_above(dir(file))
            if (folder == "mech" ? room_may(file, layer) : ((folder, layer) in allowed)) next
            print file ":" $2 ": may not include " $4
        }' | sort -u
}

if [ "${2:-}" != proof ]; then
    found=$(floors "$1" "$here/floors.txt")
    [ -z "$found" ] || { echo "$found"; exit 1; }
    exit 0
fi
. "$here/../support/scratch.sh"
floors "$here/bad_tree" "$here/floors.txt" | cut -d: -f1,2 >"$work/is"
(cd "$here/bad_tree" && grep -rn 'refused:.* floors' .) | sed 's|^\./||' | cut -d: -f1,2 | sort -u >"$work/should"
[ -s "$work/should" ] || fail "no bad file"
diff "$work/should" "$work/is" || fail "<: was to be refused, >: was refused"
# A circle of two rooms, one over three, and one through a folder within a room.
for line in 's/^base:/base: arch/' 's/^tech:/tech: api,/' 's|^perf/ptx/form:|perf/ptx/form: perf/sm,|' 's/^counters:/counters: mech,/' 's/^power:/power: perf types, mech,/'; do
    sed "$line" "$here/floors.txt" >"$work/floors.txt"
    floors "$1" "$work/floors.txt" | grep -q 'in a circle' || fail "$line makes no circle"
done
echo "$(wc -l <"$work/should") lines of bad files are refused, and five circles"
