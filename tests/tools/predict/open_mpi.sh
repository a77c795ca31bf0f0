#!/bin/sh
# The model of Open MPI: each path is proven, and what is chosen is what the library's tables say, row by row. The rows
# below were read from coll_tuned_decision_fixed.c of 4.1 by hand, at both sides of a limit each.
. "${srcdir:-.}/tests/tools/expect.sh"

waymark check models/open-mpi --ranks 1-6,9,16 >"$work/check.txt" 2>&1 || fail "not proven: $(tail -3 "$work/check.txt")"

# RANKS OPERATIONS BYTES, then OPERATION BYTES LABEL for each that is looked at.
chooses() {
    ranks=$1
    operations=$2
    sizes=$3
    shift 3
    waymark predict native --op "$operations" --bytes "$sizes" --grid "core=$ranks" --format json >"$work/$ranks.json" ||
        fail "$ranks ranks: exit status $?"
    python3 - "$work/$ranks.json" "$@" <<'END' || fail "the tables for $ranks ranks"
import json, sys
result = json.load(open(sys.argv[1]))
chosen = {}
for operation in result["operations"]:
    for size in operation["sizes"]:
        modelled = [r for r in size["results"] if r["modelled"]]
        assert len(modelled) == 1 and modelled[0]["contender"].endswith("models/open-mpi.scm")
        chosen[operation["name"], size["bytes"]] = modelled[0]["label"]
wanted = sys.argv[2:]
assert len(wanted) == 3 * len(chosen), (len(wanted), chosen)
wrong = [(o, b, l, chosen[o, int(b)]) for o, b, l in zip(*[iter(wanted)] * 3) if chosen[o, int(b)] != l]
assert not wrong, wrong
END
}

chooses 2 allreduce,bcast 8,4088,4096,16384,262144 \
    allreduce 8 doubling allreduce 4088 doubling allreduce 4096 ring allreduce 16384 ring allreduce 262144 rabenseifner \
    bcast 8 chain bcast 4088 linear bcast 4096 linear bcast 16384 linear bcast 262144 linear
chooses 3 allreduce,reduce,allgather,reduce-scatter 8,16384,65536 \
    allreduce 8 doubling allreduce 16384 ring allreduce 65536 ring \
    reduce 8 binary reduce 16384 linear reduce 65536 linear \
    allgather 8 bruck allgather 16384 bruck allgather 65536 bruck \
    reduce-scatter 8 ring reduce-scatter 16384 ring reduce-scatter 65536 ring
chooses 6 barrier,allreduce,alltoall,scatter 8,8192,524288 \
    barrier 0 linear allreduce 8 doubling allreduce 8192 rabenseifner allreduce 524288 rabenseifner \
    alltoall 8 linear alltoall 8192 linear alltoall 524288 pairwise \
    scatter 8 binomial scatter 8192 linear scatter 524288 linear
chooses 24 bcast,allreduce,alltoall,reduce-scatter-block 8,4096,2MiB \
    bcast 8 k-nomial bcast 4096 binomial bcast 2097152 scatter-allgather \
    allreduce 8 doubling allreduce 4096 rabenseifner allreduce 2097152 rabenseifner \
    alltoall 8 bruck alltoall 4096 linear alltoall 2097152 linear \
    reduce-scatter-block 8 in-turn reduce-scatter-block 4096 halving reduce-scatter-block 2097152 halving
chooses 48 allreduce,allgather,gather 8,128,65536 \
    allreduce 8 doubling allreduce 128 linear allreduce 65536 rabenseifner \
    allgather 8 bruck allgather 128 bruck allgather 65536 ring \
    gather 8 binomial gather 128 binomial gather 65536 binomial
chooses 64 barrier,allreduce,allgather 8,512,262144 \
    barrier 0 bruck allreduce 8 doubling allreduce 512 doubling allreduce 262144 rabenseifner \
    allgather 8 doubling allgather 512 neighbours allgather 262144 ring
chooses 300 barrier,bcast,reduce,allreduce 8,16384 \
    barrier 0 binomial bcast 8 k-nomial bcast 16384 split-binary reduce 8 binomial reduce 16384 binomial \
    allreduce 8 in-turn allreduce 16384 rabenseifner
chooses 5000 barrier,bcast,reduce,allreduce 8,1024,8192 \
    barrier 0 bruck bcast 8 k-nomial bcast 1024 k-nomial bcast 8192 binary \
    reduce 8 binomial reduce 1024 in-order reduce 8192 in-order \
    allreduce 8 in-turn allreduce 1024 in-turn allreduce 8192 doubling

# It is beside what is asked, and no map to run.
waymark run -m models true >"$work/run.txt" 2>&1 && fail "models is run"
holds "the maps that there are" 'fast, flat' "$work/run.txt"
grep -q models/ "$work/run.txt" && fail "a model is offered as a map to run"
waymark predict fast -o bcast -b 8 --no-library >"$work/alone.txt"
grep -q 'Open MPI' "$work/alone.txt" && fail "--no-library is not heeded"
finish
