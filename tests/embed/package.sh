#!/bin/sh
# package.sh SOURCE: is the Debian package whole? It is built, its dependencies and lintian's errors are looked at, and it is
# installed where there is nothing else: in a Debian 12 made by debootstrap as root, else unpacked into a folder.
. "$(dirname "$0")/../support/scratch.sh"
source=$1
command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-dev is missing"; exit 77; }
fail() { echo "$*" >&2; exit 1; }
cmake -S "$source" --preset package -B "$work/build" >/dev/null
cmake --build "$work/build" >"$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }
(cd "$work/build" && cpack >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }
deb=$(ls "$work"/build/warpwatt_*.deb)
depends=$(dpkg-deb -f "$deb" Depends)
echo "Depends: $depends"
for package in libc6 libxml2 libgsl27 liblz4-1 libzstd1; do
    case $depends in *$package*) ;; *) fail "no dependency on $package" ;; esac
done
if command -v lintian >/dev/null; then
    lintian --fail-on error --suppress-tags-from-file "$source/tests/embed/lintian.txt" "$deb" || fail lintian
fi
root=$work/root
if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null && debootstrap --variant=minbase bookworm "$root" >"$work/log" 2>&1; then
    cp "$deb" "$root/tmp/warpwatt.deb"
    cp "$source/tests/embed/program.c" "$source/docs/examples/saxpy.ptx" "$root/tmp/"
    cat >"$root/tmp/try.sh" <<'EOF'
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends /tmp/warpwatt.deb >/dev/null
cd /tmp
warpwatt run --gpu gtx580 --workload vectoradd:small --out result
apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config python3 >/dev/null
cc program.c -o program $(pkg-config --cflags --libs warpwatt)
./program saxpy.ptx
python3 -c "import warpwatt; print(warpwatt.Device('gtx580').run('vectoradd:small')[0].energy_j, 'J')"
EOF
    chroot "$root" sh /tmp/try.sh
else
    echo "no debootstrap: unpacked into a folder"
    dpkg-deb -x "$deb" "$root"
    unset WARPWATT_CONFIGS 2>/dev/null || true
    (cd "$work" && "$root/usr/bin/warpwatt" run --gpu gtx580 --workload vectoradd:small --out result)
    grep -q "^vectoradd," "$work/result/kernels.csv"
fi
grep -rlF "$source" "$root/usr/bin/warpwatt" "$root"/usr/lib && fail "the package names the source tree" || true
