#!/bin/sh
# wheel.sh SOURCE: does `pip install .` make a wheel that works in a virtual environment, without network? Needs scikit-build-core and venv of the system.
. "$(dirname "$0")/../support/scratch.sh"
source=$1
unset WARPWATT_CONFIGS WARPWATT_LIBRARY PYTHONPATH 2>/dev/null || true
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import scikit_build_core, venv, ensurepip' 2>/dev/null || { echo "skipped: no scikit-build-core or no venv"; exit 77; }

"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index --no-deps --no-build-isolation "$source" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
[ -z "$(git -C "$source" status --porcelain 2>/dev/null)" ] || [ -n "${DIRTY:-}" ] || fail "the build left files: $(git -C "$source" status --porcelain)"

cd "$work"
"$work/venv/bin/warpwatt" run --gpu gtx580 --workload vectoradd:small --quiet --out result || fail "the program"
[ "$("$work/venv/bin/warpwatt" --version | cut -d' ' -f2)" = "$("$work/venv/bin/python" -c 'import warpwatt; print(warpwatt.__version__)')" ] || fail "versions differ"
"$work/venv/bin/pip" show warpwatt | grep -q "^Version: $("$work/venv/bin/warpwatt" --version | cut -d' ' -f2)\$" || fail "the wheel's version"
WARPWATT_CLI_RESULT=$work/result WARPWATT=$work/venv/bin/warpwatt PTX=$source/docs/examples/saxpy.ptx "$work/venv/bin/python" "$source/tests/embed/module.py" || fail "the module"
"$work/venv/bin/python" -c '
import warpwatt, pathlib
library = pathlib.Path(warpwatt.__file__).parent
assert str(library).startswith("'"$work"'"), library
assert (library / "py.typed").exists()
'
"$work/venv/bin/pip" uninstall --quiet --yes warpwatt
[ -z "$(find "$work/venv" -path '*warpwatt*' -type f | head -n 1)" ] || fail "files stay after pip uninstall"
