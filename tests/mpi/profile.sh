#!/bin/sh
# `waymark profile` under mpirun: the shape of what it writes, that predictions take it, and how it fails. Nothing is said of
# times.
. "${srcdir:-.}/tests/mpi/job.sh"

holds() { # WHAT TEXT
    grep -qF -- "$2" "$output" || fail "$1: '$2' is not said"
}

job 2 env OMPI_MCA_btl_vader_eager_limit=2048 OMPI_MCA_btl_sm_eager_limit=2048 waymark profile -o "$work/machine.json" \
    --budget 100ms --seed 3 --held-out 20
[ $status -eq 0 ] || fail "two ranks: status $status"
grep -qE "of (120|1[01][0-9]|[0-9]{2}) calls on which nothing was fitted, half are predicted within" "$output" || fail "two ranks: no self-test" # some are shorter than a barrier
grep -qE '^[1-9][0-9]? calls and conveyors on which nothing was fitted; [0-9]+ of [0-9]+ rounds' "$output" || fail "no calls held out"
python3 - "$work/machine.json" <<'END' || fail "the profile's shape"
import json, sys
p = json.load(open(sys.argv[1]))
assert p["format"] == "waymark-profile-1" and p["fingerprint"]["grid"] == "node=1,core=2", p["fingerprint"]
assert p["fingerprint"]["mpi"] and p["fingerprint"]["made"] and p["fingerprint"]["waymark"]
assert {(l["level"], l["net"]) for l in p["links"]} == {("core", "mpi"), ("core", "shm")}
assert all(2048 - 64 <= l["eager"]["value"] <= 2048 - 32 for l in p["links"] if l["net"] == "mpi"), p["links"] # less its header
assert {s["kind"] for s in p["shared"]} >= {"bcast", "allreduce", "gather", "scan"}
assert {k["kind"] for k in p["kernels"]} == {"copy", "combine"}
assert p["hosts"][0]["cores"]["value"] > 0 and any(e["kind"] == "*" for e in p["errors"])
assert {(i["kind"], i["net"]) for i in p["items"]} == {(k, n) for k in ("inlined", "copied") for n in ("mpi", "shm")}
assert {(b["level"], b["net"]) for b in p["buffers"]} == {(c["level"], c["net"]) for c in p["conveyors"]} == {("core", "mpi"), ("core", "shm")}
for kind in "conveyors", "*": # by brackets of sizes, of which the last one has no end; a busy machine leaves few calls
    rows = [e for e in p["errors"] if e["kind"] == kind]
    calls = sum(e["ninety"]["n"] for e in rows)
    assert 1 <= calls <= 120 and (len(rows) > 1 or calls < 60) and rows[-1].get("up_to", 0) == 0, rows
    assert len(rows) == 1 or all(e["ninety"]["n"] >= 19 for e in rows), rows
for section in ("links", "messages", "shared", "kernels", "engine", "items", "buffers", "conveyors"):
    for row in p[section]:
        for name, value in row.items():
            if isinstance(value, dict):
                assert value["low"] <= value["value"] <= value["high"], (section, name, value)
                assert value["unit"] in ("ps", "fs/B", "B") and (value["origin"] == "assumed") == (value["n"] == 0), value
END
waymark predict fast -o bcast -b 8 -g core=2 -p "$work/machine.json" >"$output" 2>&1 || fail "no prediction by it"
grep -q "assumed" "$output" && fail "a prediction by it is said to be assumed"
waymark predict fast -o conveyor -b 8 -g core=2 -p "$work/machine.json" >"$output" 2>&1 || fail "no conveyor by it"
holds "a conveyor by it" "calibrated, as-made, rule at line"

job 2 waymark profile --check "$work/machine.json" --calls 24 --budget 100ms --seed 4
[ $status -eq 0 ] || fail "a check: status $status"
holds "a check" "calls and conveyors on which nothing was fitted"
[ "$(grep -cE '^  all +[0-9]+( +[0-9.]+ %){6}' "$output")" -eq 1 ] || fail "a check: no line of all calls"
holds "the worst" "worst"
job 2 waymark profile --check "$work/none.json"
[ $status -ne 0 ] || fail "a check of no profile: status $status"
holds "a check of no profile" "cannot read the profile"

job 1 waymark profile -o "$work/alone.json"
[ $status -ne 0 ] || fail "one rank: status $status"
holds "one rank" "start at least two"
[ -e "$work/alone.json" ] && fail "one rank: there is a file"
job 2 waymark profile
holds "no file" "-o machine.json"
[ "$(grep -c 'name one file' "$output")" -eq 1 ] || fail "no file: not said once"
job 2 waymark profile -o "$work/many.json" --held-out 590
holds "more calls than there is room for" "710 calls are drawn, more than 600"
job 2 waymark profile -o "$work/no/such/machine.json" --budget 100ms
[ $status -ne 0 ] || fail "a folder that is not there: status $status"
holds "a folder that is not there" "no/such/machine.json"
waymark profile -o "$work/machine.json" >"$output" 2>&1
[ $? -eq 2 ] || fail "no launcher: status"
holds "no launcher" "there is no MPI job"

verdict
