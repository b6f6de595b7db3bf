#!/bin/sh
# Does every command say the true reason of a failure, and nothing else where it was asked to be quiet?
# reasons.sh WARPWATT SOURCE
set -u
. "$(dirname "$0")/../support/cli.sh"
# never PATTERN: in what the last command said.
never() { grep -q -- "$1" out && { fail "'$1' was said:"; head -5 out; }; }

# ---- nothing but errors ----
"$warpwatt" run --gpu gtx480 --workload vectoradd:small --quiet --out base >out 2>&1 || fail 'run'
[ -s out ] && fail "run --quiet prints"
sed '/<launch /,/<\/launch>/d' base/activity.xml >empty.xml
"$warpwatt" power --activity base/activity.xml --json >power.json
expect 1 'no kernel was launched' power --activity empty.xml
expect 1 'no kernel was launched' power --activity empty.xml --quiet
{
    head -1 "$source/configs/calibration/qv100.csv"
    grep '^prior' "$source/configs/calibration/qv100.csv" | head -4
    grep '^rates' "$source/configs/calibration/qv100.csv" | head -4
} >measured.csv
expect 0 'chi2' calibrate measured.csv --gpu qv100
"$warpwatt" calibrate measured.csv --gpu qv100 --quiet >out 2>&1 || fail 'calibrate --quiet'
[ -s out ] && fail "calibrate --quiet prints"

# ---- a page that nobody could read is an error, whatever it holds ----
if [ -c /dev/full ]; then
    for page in --help --version --man 'run --help' 'help run' '--completion bash' 'list gpus' 'config show gtx480'; do
        # shellcheck disable=SC2086
        "$warpwatt" $page >/dev/full 2>out && fail "warpwatt $page: success on a full device"
        grep -q 'standard output could not be written' out || fail "warpwatt $page: no word of a full device"
    done
fi

# ---- the reason itself, not that of what was looked at afterwards ----
if [ -d /sys/kernel ]; then # a file system where nobody makes folders
    for command in 'run --gpu gtx480 --workload vectoradd:small --quiet' 'power --activity base/activity.xml --quiet'; do
        # shellcheck disable=SC2086
        expect 1 '/sys/' $command --out /sys/warpwatt-test/result
        never 'No such file'
        # shellcheck disable=SC2086
        expect 1 '/sys/' $command --out /sys/warpwatt-test
        never 'No such file'
    done
    expect 1 '/sys/' report base --out /sys/warpwatt-test/page.html
    never 'No such file'
fi
printf 'text\n' >plain
expect 1 'may not be executed' run --gpu gtx480 -- ./plain
expect 1 'may not be executed' run --gpu gtx480 -- "$work"/plain
PATH=$work:$PATH expect 1 'may not be executed' run --gpu gtx480 -- plain
expect 1 "there is no program './nowhere'" run --gpu gtx480 -- ./nowhere
expect 1 'cannot be opened: Not a directory' power --activity plain/activity.xml
expect 1 'warpwatt list gpus' run --gpu RTX3090 --workload vectoradd:small
printf '__global__ void k() {}\n' >kernel.cu
expect 1 'nvcc -ptx' check kernel.cu
expect 1 'nvcc -ptx' run --gpu gtx480 --ptx kernel.cu --launch "$source/docs/examples/saxpy.xml"
expect 1 'machine code (ELF), not PTX.*cuobjdump -ptx.*run' check "$warpwatt"
# A program's end by a signal is said, and its code kept.
expect 139 'ended by signal 11' run --gpu gtx480 -- /bin/sh -c 'kill -SEGV $$'

# ---- a full disk: files of 20 KiB fit, the page does not ----
mkdir pages
(ulimit -f 20 && "$warpwatt" report base --out pages/page.html >out 2>&1) && fail 'a report on a full disk'
grep -q 'page.html' out || fail 'a report on a full disk: no word of the page'
[ -z "$(ls -A pages)" ] || fail "a report on a full disk leaves $(ls -A pages | head -3)"

# ---- what is given twice ----
expect 0 'results match' run --gpu gtx480 --workload vectoradd:small --workload scan:small
[ "$(grep -c 'results match' out)" -eq 2 ] || fail 'of two --workload, one ran'
expect 2 'one machine' run --gpu gtx480 --gpu gtx580 --workload vectoradd:small

# ---- bars in the locale's characters ----
LC_ALL=C "$warpwatt" power --activity base/activity.xml >out
LC_ALL=C grep -q '[^ -~]' out && fail 'LC_ALL=C: bytes that are not ASCII'
grep -q '####' out || fail 'LC_ALL=C: no bars'
LC_ALL=C.UTF-8 "$warpwatt" power --activity base/activity.xml >out
grep -q '█' out || fail 'LC_ALL=C.UTF-8: no bars'
finish
