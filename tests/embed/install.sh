#!/bin/sh
# install.sh SOURCE BUILD: does an installation work for those who build on it, wherever it is moved?
. "$(dirname "$0")/../support/scratch.sh"
source=$1 build=$2
here=$source/tests/embed
fail() { echo "$*" >&2; exit 1; }
unset WARPWATT_CONFIGS WARPWATT_LIBRARY 2>/dev/null || true

cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved"
prefix=$work/moved
lib=$(dirname "$(find "$prefix" -name libwarpwatt.so)")
export PKG_CONFIG_PATH="$lib/pkgconfig"

# ---- only what is public is installed, and only that is visible ----
[ "$(cd "$prefix/include" && find . -type f)" = ./warpwatt.h ] || fail "more headers than warpwatt.h are installed"
[ -z "$(find "$prefix" -name '*.a')" ] || fail "archives are installed"
[ -h "$lib/libwarpwatt.so" ] && [ -f "$lib/libwarpwatt.so.0" ] || fail "no versioned library"
nm -D --defined-only "$lib/libwarpwatt.so" | awk '$3 !~ /^warpwatt_/ && $2 != "A" { print; bad = 1 } END { exit bad }' ||
    fail "names other than warpwatt_* are visible"
grep -o 'warpwatt_[a-z_]*(' "$prefix/include/warpwatt.h" | tr -d '(' | sort -u | while read -r name; do
    nm -D --defined-only "$lib/libwarpwatt.so" | grep -q " $name\$" || { echo "$name is declared, not defined" >&2; exit 1; }
done
printf '#include <warpwatt.h>\nint main() { return warpwatt_version() == nullptr; }\n' >"$work/cpp.cc"
if command -v c++ >/dev/null; then
    c++ -Wall -Wextra -Werror -pedantic "$work/cpp.cc" -o "$work/cpp" $(pkg-config --cflags --libs warpwatt) || fail "C++ cannot use it"
fi

# ---- a C program by pkg-config, and by CMake ----
[ "$(pkg-config --modversion warpwatt)" = "$("$prefix/bin/warpwatt" --version | cut -d' ' -f2)" ] || fail "versions differ"
cc -Wall -Wextra -Werror -std=c11 "$here/program.c" -o "$work/by-pkg-config" $(pkg-config --cflags --libs warpwatt)
LD_LIBRARY_PATH=$lib "$work/by-pkg-config" "$source/docs/examples/saxpy.ptx" >"$work/one"
mkdir "$work/project"
told=$(sed -n 's/^find_package(warpwatt \([0-9.]*\) REQUIRED)$/\1/p' "$source/docs/embedding.md") # the page's version is that of the tree
cat >"$work/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(warpwatt $told REQUIRED)
add_executable(by-cmake \${PROGRAM})
target_link_libraries(by-cmake PRIVATE warpwatt::warpwatt)
EOF
cmake -S "$work/project" -B "$work/project/build" -DPROGRAM="$here/program.c" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/project/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/project/build/by-cmake" "$source/docs/examples/saxpy.ptx" >"$work/two"
cmp "$work/one" "$work/two" || fail "two programs, two results"
grep -q 'y\[999\] = 1999' "$work/one"

# ---- the program, from elsewhere ----
(cd "$work" && "$prefix/bin/warpwatt" run --gpu gtx580 --workload vectoradd:small --quiet --out result)
grep -q '^vectoradd,' "$work/result/kernels.csv"

# ---- Python, with numpy where it is ----
if command -v python3 >/dev/null; then
    PYTHONPATH=$prefix/lib/python3/dist-packages WARPWATT_CLI_RESULT=$work/result WARPWATT=$prefix/bin/warpwatt PTX=$source/docs/examples/saxpy.ptx \
        python3 "$here/module.py" || fail "the Python module"
    PYTHONPATH=$prefix/lib/python3/dist-packages python3 "$(find "$prefix" -name energy.py)" >"$work/example" || fail "the Python example"
    grep -q 'qv100 area' "$work/example"
fi

# ---- completions and manual pages: every command of the table has its own ----
PATH=$prefix/bin:$PATH
export PATH
if command -v bash >/dev/null; then
    bash "$here/completion.bash" "$prefix/share/bash-completion/completions/warpwatt" || fail "completion"
fi
for shell in zsh fish; do
    file=$(find "$prefix/share" -name _warpwatt -o -name warpwatt.fish | grep "$shell")
    grep -q -e "--interval" -e "-l interval" "$file" || fail "$shell: no completion of --interval"
    if command -v $shell >/dev/null; then
        $shell -n "$file" || fail "$shell does not read $file"
    fi
done
warpwatt --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *[a-z].*/\1/p' | while read -r command; do
    page=$prefix/share/man/man1/warpwatt-$command.1
    [ -s "$page" ] || { echo "no page of $command" >&2; exit 1; }
    if command -v groff >/dev/null; then
        [ -z "$(groff -k -man -ww -Tutf8 "$page" 2>&1 >/dev/null)" ] || { echo "$page has roff errors" >&2; exit 1; }
    fi
done
