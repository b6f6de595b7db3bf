#!/bin/sh
# Does the report page look right in a real browser? Layout is measured in the page (nothing wider than a phone, every
# plot has a size, no text outside its plot), pictures are compared with those kept beside this script. Needs Debian's chromium,
# imagemagick and fonts-dejavu-core. `report.sh WARPWATT SOURCE --update` writes the pictures anew; look at them before keeping them.
set -eu
warpwatt=$1
source=$2
here=$source/tests/browser
for program in chromium convert compare; do
    command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# The published characterization (fixed numbers), and runs of ours compared (their layout only: their numbers may change).
tables=$source/tests/validation/lpgpu
"$warpwatt" report --metrics "$tables/table1_metrics_gtx580.csv" --power "$tables/table7_component_power_gtx580_W.csv" \
    --gpu gtx580-d553 --out "$work/published.html" --quiet
"$warpwatt" run --gpu gtx580 --workload matrixmul:small,bfs:small --interval 500 --out "$work/base" --quiet
"$warpwatt" run --gpu gtx580 --workload matrixmul:small,bfs:small --set sm.max_ctas=2 --out "$work/two" --quiet
"$warpwatt" report "$work/base" "$work/two" --out "$work/runs.html" --quiet

"$warpwatt" sweep "$source/tests/validation/paper/sweep.xml" --out "$work/tiny" --quiet 2>/dev/null
"$warpwatt" report "$work/tiny" --study "$source/tests/validation/paper" --out "$work/study.html" --quiet

browser() {
    chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
        --user-data-dir="$work/profile" --virtual-time-budget=5000 "$@" 2>"$work/browser.log"
}

# ---- layout, measured inside the page at a given width ----

# A copy of the page that tells its parent what it measures; file pages may not look into each other.
measured_copy() {
    sed 's|</body>|<script>addEventListener("load", function () {\
  var r = {width: innerWidth, page: document.documentElement.scrollWidth, plots: 0, flat: 0, outside: 0};\
  document.querySelectorAll("svg").forEach(function (s) {\
    if (s.getClientRects().length === 0) { return; }\
    var b = s.getBoundingClientRect(); r.plots++; if (b.width < 100 \|\| b.height < 20) { r.flat++; }\
    s.querySelectorAll("text").forEach(function (t) {\
      var c = t.getBoundingClientRect();\
      if (c.width > 0 \&\& (c.left < b.left - 1 \|\| c.right > b.right + 1 \|\| c.top < b.top - 1 \|\| c.bottom > b.bottom + 1)) { r.outside++; }\
    });\
  });\
  parent.postMessage(JSON.stringify(r), "*");\
});</script></body>|' "$1" >"$work/measured.html"
    grep -q postMessage "$work/measured.html" || { echo "the page has no </body>"; exit 1; }
}

check_layout() {
    page=$1 width=$2 least=${3:-5}
    measured_copy "$page"
    cat >"$work/frame.html" <<HTML
<!doctype html><body><p id="r">none</p><iframe src="measured.html" style="border:0;width:${width}px;height:900px"></iframe>
<script>addEventListener("message", function (e) { document.getElementById("r").textContent = e.data; });</script></body>
HTML
    browser --window-size=1400,1000 --dump-dom "file://$work/frame.html" >"$work/dom.html"
    result=$(sed -n 's|.*<p id="r">\(.*\)</p>.*|\1|p' "$work/dom.html")
    number() { echo "$result" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
    echo "$(basename "$page") at $width px: $result"
    [ -n "$(number plots)" ] || { fail "no measurement; $(tail -n 3 "$work/browser.log")"; return; }
    [ "$(number plots)" -ge "$least" ] || fail "plots are missing"
    [ "$(number page)" -le "$width" ] || fail "the page is wider than the window"
    [ "$(number flat)" -eq 0 ] || fail "plots without a size"
    [ "$(number outside)" -eq 0 ] || fail "text outside its plot"
}
for width in 360 768 1280; do
    check_layout "$work/published.html" "$width"
    check_layout "$work/runs.html" "$width"
    check_layout "$work/study.html" "$width" 3
done

# ---- pictures ----

# Reduced, so that another version of the browser or of a font does not matter and a missing or misplaced part does.
check_picture() {
    name=$1 size=$2
    shift 2
    browser --window-size="$size" "$@" --screenshot="$work/$name-full.png" "file://$work/published.html" >/dev/null
    convert "$work/$name-full.png" -strip -filter Box -resize 25% -colors 64 "$work/$name.png"
    if [ "${update:-}" = --update ]; then
        cp "$work/$name.png" "$here/$name.png"
        return
    fi
    difference=$(compare -metric RMSE "$here/$name.png" "$work/$name.png" null: 2>&1 | sed -n 's/.*(\(.*\)).*/\1/p')
    echo "$name: differs by ${difference:-another size} from the picture kept (0.04 allowed)"
    awk -v d="${difference:-1}" 'BEGIN { exit !(d <= 0.04) }' || fail "$name does not look as before"
}
update=${3:-}
check_picture light 1200,3000
check_picture dark 1200,3000 --blink-settings=preferredColorScheme=0
check_picture phone 500,3000

# Light and dark are what they say.
brightness() { convert "$work/$1-full.png" -colorspace Gray -format '%[fx:mean]' info:; }
awk -v l="$(brightness light)" -v d="$(brightness dark)" 'BEGIN { exit !(l > 0.8 && d < 0.25) }' ||
    fail "brightness: light $(brightness light), dark $(brightness dark)"

# Print: pages, and none of them dark.
browser --print-to-pdf="$work/print.pdf" --no-pdf-header-footer "file://$work/published.html" >/dev/null
pages=$(grep -a '^/Count ' "$work/print.pdf" | head -n 1 | tr -cd 0-9)
echo "print: $pages pages"
[ "${pages:-0}" -ge 2 ] && [ "$pages" -le 12 ] || fail "the printed report has $pages pages"

[ "$failures" -eq 0 ] || exit 1
