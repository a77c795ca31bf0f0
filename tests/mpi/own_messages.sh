#!/bin/sh
# A trace has the messages that the program sends itself, each with both ends; a replay carries all of them out.
. "${srcdir:-.}/tests/mpi/job.sh"

run_options="-t $work/trace --trace-level calls"
mapped native 3 "$build/tests/mpi/own_messages" || verdict

waymark convert "$work/trace" --to csv -o "$work/trace.csv" >"$output" 2>&1 || fail "no CSV"
python3 - "$work/trace.csv" >"$output" 2>&1 <<'LOOK' || fail "not the messages that were sent"
import collections, csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
posts = [r for r in rows if r["kind"] == "p2p-post"]
dones = [r for r in rows if r["kind"] == "p2p-done"]
# 47 sends, as many receives, and three that were cancelled; a probe has a done alone, a cancelled receive none.
assert len(posts) == 47 + 47 + 3, len(posts)
assert sum(r["peer"] == "" for r in posts) == 3, "receives of anybody's"
assert all(r["peer"] != "" for r in dones), "their ends know whose it was"
assert collections.Counter(r["bytes"] for r in posts) == {"4": 90, str(1 << 20): 6, "0": 1}, "MPI_Mprobe does not say how much"
LOOK

replayed() { # EXPRESSION: of the replay's object `r`
    waymark replay "$work/trace" -m native -f json >"$work/replay" 2>"$output"
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), r' "$work/replay" "$1" 2>>"$output" ||
        fail "the replay: not so: $1"
}
replayed 'r["messages"] == 47 and r["messages_apart"] == 3'
replayed 'sum(l["calls"] for l in r["lines"] if l["operation"] == "messages") == 47'

# A trace that does not have them gives no answer.
sed -i 's/"p2p": *true/"p2p": false/' "$work"/trace/*.json
replayed 'not r["answered"] and r["messages"] is None'
waymark replay "$work/trace" -m native >"$output" 2>&1
[ $? -eq 3 ] && grep -q "does not have the messages that the program may send itself" "$output" || fail "nobody says that messages are missing"
verdict
