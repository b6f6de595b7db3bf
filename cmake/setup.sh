# setup.sh - sourced by ./demo and ./test: makes sure the Debian packages that WarpWatt builds with are there.
# Needs root only when a package is missing.

ww_packages="gcc cmake ninja-build pkg-config libc6-dev libgsl-dev libxml2-dev libcmocka-dev libxml2-utils liblz4-dev libzstd-dev libsmartcols-dev libjansson-dev"

ww_setup() {
    missing=""
    for package in $ww_packages "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    # pkgconf provides pkg-config under another package name.
    case "$missing" in *pkg-config*) command -v pkg-config >/dev/null && missing=$(echo "$missing" | sed 's/ pkg-config//') ;; esac
    [ -z "$missing" ] && return 0
    root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "error: these packages are missing; install them as root:$missing" >&2; return 1; }
        root="sudo"
    fi
    echo "installing:$missing"
    $root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
        $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# ww_build PRESET [TARGET]: configures when needed, builds the target or everything. On a terminal ninja shows how far it is; else
# a line says what happens, and what was printed appears when it fails.
ww_build() {
    ww_log=$(mktemp)
    [ -f "build/$1/build.ninja" ] || echo "configuring"
    [ -f "build/$1/build.ninja" ] || cmake --preset "$1" >"$ww_log" 2>&1 || { cat "$ww_log" >&2; rm -f "$ww_log"; return 1; }
    set -- --build --preset "$1" ${2:+--target "$2"}
    if [ -t 1 ]; then
        rm -f "$ww_log"
        NINJA_STATUS='building %p ' cmake "$@"
        return
    fi
    echo "building (minutes the first time)"
    cmake "$@" >"$ww_log" 2>&1 || { tail -n 60 "$ww_log" >&2; rm -f "$ww_log"; return 1; }
    rm -f "$ww_log"
}
