#!/bin/sh
# Does two_builds.sh pass a build beside itself, and tell of each file in which another differs? Usage: test_two_builds.sh WARPWATT
. "$(dirname "$0")/../support/scratch.sh"
warpwatt=$1
script=$(dirname "$0")/two_builds.sh
"$script" -g gtx480 -w vectoradd:small -m nlp "$warpwatt" "$warpwatt" "$work/same"
for file in activity.xml counters.csv kernels.csv trace.csv; do
    cat >"$work/other" <<END
#!/bin/sh
"$warpwatt" "\$@" || exit
while [ "\$1" != --out ]; do shift; done
echo >>"\$2/$file"
END
    chmod +x "$work/other"
    if "$script" -g gtx480 -w vectoradd:small "$warpwatt" "$work/other" "$work/differs" >"$work/said" 2>&1; then
        echo "a difference in $file goes unnoticed"
        exit 1
    fi
    grep -q "gtx480 differs" "$work/said"
done
if "$script" -g no-such-gpu "$warpwatt" false "$work/refused" 2>/dev/null; then
    echo "a build that refuses in other words goes unnoticed"
    exit 1
fi
"$script" -g no-such-gpu "$warpwatt" "$warpwatt" "$work/refused"
