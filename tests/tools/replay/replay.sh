#!/bin/sh
# What `waymark replay` says of generated traces: the run that is, exactly, where all is kept; another map; a run that the
# model cannot tell; and of what is wrong.
. "${srcdir:-.}/tests/tools/expect.sh"
generate=tests/tracer/generate

# TRACE MAP EXPRESSION: replayed, its object `r` is so.
replayed() {
    waymark replay "$work/$1" -m "$2" --format json >"$work/result.json" 2>"$work/err"
    status=$?
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); status = int(sys.argv[3]); assert eval(sys.argv[2]), r' \
        "$work/result.json" "$3" "$status" || fail "$1 under $2: not so: $3 $(cat "$work/err")"
}

# TRACE: without a map, as of a run without one.
unmapped() {
    for file in "$work/$1"/*.json; do
        sed 's/"map_file":"[^"]*"/"map_file":null/; s/"map_text":"[^"]*",//' "$file" >"$file.new" && mv "$file.new" "$file"
    done
}

# Calls of the library: kept, the run is the run, and stays so under a map that has no rules.
$generate "$work/native" --ranks 4 --calls 200 --operation mixed --communicators 3 --bytes 1024 --native >"$work/out" || fail "no trace"
# A rule fits them, and the library did them all the same: so it will.
replayed native fast 'status == 0 and r["unserved_calls"] == 200 and r["now_ns"] == r["run_ns"]'
unmapped native
replayed native native 'status == 0 and r["answered"] and r["calls"] == 200 and r["ranks"] == 4'
replayed native native 'r["run_ns"] == r["replayed_ns"] == r["now_ns"] and r["run_ns"] > 0'
replayed native native 'all(l["line_then"] == 0 and l["service_then_ns"] == l["service_now_ns"] for l in r["lines"])'
# Plans take another time, and what is saved or lost passes on to the run.
replayed native fast 'status == 0 and r["now_ns"] != r["run_ns"] and r["replayed_ns"] == r["run_ns"]'
replayed native fast 'all(l["line_now"] > 0 and l["service_now_ns"] > 0 for l in r["lines"] if l["operation"] != "barrier")'
replayed native fast 'r["stamp"] == "assumed" and sum(l["calls"] for l in r["lines"]) == 200'

# A rank that is late is waited for, whatever the map: no map can gain what it takes.
$generate "$work/late" --ranks 4 --calls 100 --compute 3000000 --late-rank 2:5 --native --bytes 8 >"$work/out" || fail "no trace"
unmapped late
replayed late fast 'r["now_ns"] > 0.95 * r["run_ns"] and sum(l["wait_now_ns"] for l in r["lines"]) > r["run_ns"]'

# Calls by plans: the machine that never was is not the assumed one, but with factors the run is told again.
$generate "$work/planned" --ranks 8 --calls 200 --hosts 2 --operation mixed --communicators 3 >"$work/out" || fail "no trace"
replayed planned fast 'status == 0 and abs(r["identity"]) <= 0.05 and abs(r["profile_ns"] - r["run_ns"]) > 0.05 * r["run_ns"]'
replayed planned fast 'all(l["line_then"] > 0 and l["factor"] > 0 for l in r["lines"])'
replayed planned native 'r["modelled_calls"] == 200'
# Reduces behind reduces, without a pause, wait for what the model does not know: no answer, but which calls.
$generate "$work/behind" --ranks 8 --calls 300 --compute 100 --bytes 65536 --operation reduce >"$work/out" || fail "no trace"
replayed behind fast 'status == 3 and not r["answered"] and "now_ns" not in r and abs(r["identity"]) > 0.05'
replayed behind fast 'r["worst"][0]["operation"] == "reduce" and r["worst"][0]["bytes"] == 65536 and r["worst"][0]["ranks"] == 8'
waymark replay "$work/behind" -m fast >"$work/text" 2>&1
same "an identity that fails: exit status" 3 $?
holds "the worst calls" "^  reduce of 64 KiB on 8 ranks" "$work/text"

# Of most calls the message was there before its receiver, who took it in a time that the profile does not know: that is
# no factor of those that it waited for.
cat >"$work/latency.json" <<'END'
{"format": "waymark-profile-1",
 "links": [{"level": "*", "net": "shm", "eager": 1024}],
 "messages": [{"level": "*", "net": "shm", "latency": {"value": 1000000, "unit": "ps", "origin": "measured", "n": 9}}],
 "engine": [{"step": {"value": 1000, "unit": "ps", "origin": "measured", "n": 9}}]}
END
$generate "$work/hidden" --ranks 2 --calls 400 --operation bcast --bytes 8 --compute 5000 --late-rank 1:2 >"$work/out" || fail "no trace"
waymark replay "$work/hidden" -m binomial -p "$work/latency.json" --format json >"$work/result.json" || fail "hidden calls: exit status $?"
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert abs(r["identity"]) < 0.03, r' "$work/result.json" || fail "hidden calls"

# Nonblocking calls, two by two: the post, the work behind it and the wait are replayed, and what waits are short of goes on.
$generate "$work/posted" --ranks 4 --calls 100 --nonblocking >"$work/out" || fail "no trace"
replayed posted fast 'status == 0 and r["calls"] == 200 and r["frozen_ns"] == 0'
replayed posted fast 'all(l["line_then"] > 0 and l["service_now_ns"] > 0 and l["factor"] > 0 for l in r["lines"])'
replayed posted recursive-doubling 'r["now_ns"] != r["run_ns"]'
unmapped posted
replayed posted native 'r["calls"] == 200 and r["run_ns"] == r["replayed_ns"] == r["now_ns"]'
# A rank dies in a call: the others' part of it is not whole.
$generate "$work/crash" --ranks 4 --calls 60 --native --crash 1:40 >"$work/out" || fail "no trace"
replayed crash native 'status == 0 and r["calls"] == 40 and r["run_ns"] == r["replayed_ns"]'

waymark replay "$work/native" -m fast >"$work/text" 2>&1 || fail "text: exit status $?"
holds "the run" "^  the run " "$work/text"
holds "the identity" "replayed under the map that ran" "$work/text"
tells "the answer" "Under fast.scm: .* -> .* times as fast (assumed)" "$work/text"
holds "messages" "0 messages whose other end is not in the trace" "$work/text"
# The report has that of several maps, as a section, too.
waymark report "$work/planned" --under native --under fast --format json >"$work/report.json" || fail "report: exit status $?"
for map in native fast; do
    waymark replay "$work/planned" -m $map --format json >"$work/$map.json"
done
python3 -c 'import json, sys
under, *alone = [json.load(open(file)) for file in sys.argv[1:]]
says = lambda r: [r[key] for key in ("map_now", "now_ns", "error_ns", "refusal")]
assert [says(r) for r in under["under"]] == [says(r) for r in alone], under["under"]' "$work/report.json" "$work/native.json" "$work/fast.json" || fail "the report says another thing"
waymark report "$work/planned" --under native >"$work/text" || fail "report in text: exit status $?"
tells "the section" "native.scm: .* -> .* times as fast (assumed)" "$work/text"
waymark report "$work/behind" --under fast >"$work/text" || fail "report without an answer: exit status $?"
tells "no answer" "fast.scm: no answer, for the run's own map" "$work/text"
says "no such map under" 1 "no-such-map" waymark report "$work/native" --under no-such-map

says "no map" 2 "add -m MAP" waymark replay "$work/native"
says "no trace" 1 "$work/none" waymark replay "$work/none" -m fast
says "no such map" 1 "no-such-map" waymark replay "$work/native" -m no-such-map
says "no profile" 1 "none.json" waymark replay "$work/native" -m fast -p "$work/none.json"
finish
