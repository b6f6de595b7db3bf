# setup.sh - sourced by ./demo and ./test: makes sure the Debian packages that WarpWatt builds with are there.
# Needs root only when a package is missing.

ww_packages="gcc cmake ninja-build pkg-config libc6-dev libgsl-dev libxml2-dev libcmocka-dev libxml2-utils liblz4-dev libzstd-dev"

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

# ww_build PRESET: configures when needed, builds.
ww_build() {
    [ -f "build/$1/build.ninja" ] || cmake --preset "$1" >build-"$1".log 2>&1 || { cat build-"$1".log >&2; return 1; }
    rm -f build-"$1".log
    cmake --build --preset "$1"
}
