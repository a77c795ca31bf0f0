#!/bin/sh
# The HTML report in a real browser: a traced run of 4 ranks, synthetic traces of 4 and 128, and traces that lack something.
#
# CHROMIUM: the browser (one of chromium, chromium-browser, google-chrome).
for program in "$CHROMIUM" chromium chromium-browser google-chrome; do
    [ -n "$program" ] && browser=$(command -v "$program") && break
done
if [ -z "$browser" ] || ! command -v node >/dev/null; then
    echo "neither the page's looks nor its behaviour are tested: that takes a Chromium and node"
    exit 77
fi
. "${srcdir:-.}/tests/mpi/job.sh"
generate=$build/tests/tracer/generate
check=$srcdir/tests/tools/report/page/check.mjs
seconds=300
pages=

# page KIND NAME OPTION ...: the report of the trace $work/NAME, to be looked at as one of KIND.
page() {
    kind=$1 name=$2
    shift 2
    waymark report "$work/$name" "$@" --format html -o "$work/$name.html" >"$output" 2>&1 || { fail "$name: no page"; return; }
    pages="$pages $kind $work/$name.html"
}

# All pages, in one browser.
look() {
    jobs=$((jobs + 1))
    # shellcheck disable=SC2086 # words
    timeout -k 5 $seconds node "$check" "$browser" $pages >"$output" 2>&1 || fail "pages: status $?"
}

# The trace has no map, or none of its records.
without_map() {
    for file in "$work/$1"/*.json; do
        sed 's/"map_file":"[^"]*"/"map_file":null/; s/"map_text":"[^"]*",//' "$file" >"$file.new" && mv "$file.new" "$file"
    done
}

without_records() { # the header's count of them, at byte 2048
    for file in "$work/$1"/*.trace; do
        dd if=/dev/zero of="$file" bs=8 seek=256 count=1 conv=notrunc 2>/dev/null
    done
}

make_trace() { # NAME OPTION ...
    name=$1
    shift
    "$generate" "$work/$name" "$@" >"$output" 2>&1 || fail "$name: no trace"
}

run_options="-t $work/real"
COLLECTIVES_PLANNED=reductions
export COLLECTIVES_PLANNED
mapped hierarchy 4 "$build/tests/mpi/collectives" 1 20 && page native real

if [ ! -x "$generate" ]; then
    echo "no synthetic traces: tests/tracer/generate is not built, for want of CUnit"
    look
    verdict
    exit
fi
make_trace four --ranks 4 --calls 100 --operation mixed --marks --superblocks --late-rank 2:1.5
page regions four
make_trace many --ranks 128 --calls 50 --operation mixed --communicators 3 --hosts 8 --late-rank 17:1.4
page under many --under native --under ring
make_trace crash --ranks 6 --calls 50 --crash 3:30
page crashed crash
make_trace native --ranks 4 --calls 50 --native
page native native
make_trace mapless --ranks 4 --calls 50 --native
without_map mapless
page mapless mapless
make_trace empty --ranks 2 --calls 1
without_records empty
page empty empty
look
verdict
