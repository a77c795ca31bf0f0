#!/bin/sh
# Superblocks: markers with subranks, without, and wrong ones; the order of regions; results, bit by bit.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

program() { # NAME SOURCE FLAG...
    name=$1 source=$2
    shift 2
    waymark cc -O1 -I"$srcdir/include" "$@" -o "$work/$name" "$srcdir/tests/mpi/$source" || fail "waymark cc $*"
}

well() { # PROCESSES COMMAND...
    job "$@"
    [ $status -eq 0 ] || fail "status $status of $*"
}

ends() { # FAULT SENTENCE
    job 1 waymark run --subranks 2 -- "$work/markers" "$1"
    [ $status -ne 0 ] && grep -q "waymark: subrank 1, $2" "$output" || fail "fault $1 is not said"
}

program markers superblock_faults.c
program unmarked superblock_faults.c -DWM_OFF
nm -D "$work/unmarked" | grep wm_superblock && fail "-DWM_OFF leaves a marker"
well 2 "$work/markers"
well 1 waymark run --subranks 1 -- "$work/markers"
well 1 waymark run --subranks 3 -- "$work/markers"
well 2 waymark run --subranks 2 -- "$work/markers"
well 2 waymark run --subranks 2 -- "$work/unmarked" end
ends end 'WM_SUPERBLOCK_END: no superblock has begun; put WM_SUPERBLOCK_BEGIN before its loop'
ends region 'WM_REGION: it stands in no superblock; put WM_SUPERBLOCK_BEGIN before its loop'
ends finalize "MPI_Finalize: superblock 'open' has not ended; put WM_SUPERBLOCK_END behind its loop"

# What begins when, in one process: a rank, what it begins or (.) ends, and the iteration. A rank that has computed sends for the
# next iteration before another one computes; who is ready first computes first; nothing comes between a region's two ends.
program order superblock_order.c
order() { # KIND SUBRANKS EXPECTED
    well 1 waymark run --subranks "$2" -- "$work/order" "$1"
    [ "$(cat "$output")" = "$3 " ] || fail "order of $1"
}
order ring 3 '0s0 1s0 2s0 1c0 1.0 1s1 0c0 0.0 0s1 2c0 2.0 2s1 1c1 1.1 1s2 0c1 0.1 0s2 2c1 2.1 2s2 1c2 1.2 0c2 0.2 2c2 2.2'
order pairs 2 '0p0 1p0 0u0 0c0 0.0 0p1 1u0 1c0 1.0 1p1 0u1 0c1 0.1 0p0 1u1 1c1 1.1 1p0 0u0 0c0 0.0 0p1 1u0 1c0 1.0 1p1 0u1 0c1 0.1 0p0 1u1 1c1 1.1 1p0 0u0 0c0 0.0 0p1 1u0 1c0 1.0 1p1 0u1 0c1 0.1 1u1 1c1 1.1'
order stack 2 '0S0 1S0 0C0 0.0 0s0 1C0 1.0 1s0 0c0 0.0 0s1 1c0 1.0 1s1 0c1 0.1 0s2 1c1 1.1 1s2 0c2 0.2 0S1 1c2 1.2 1S1 0C1 0.1 0s0 1C1 1.1 1s0 0c0 0.0 0s1 1c0 1.0 1s1 0c1 0.1 0s2 1c1 1.1 1s2 0c2 0.2 0S2 1c2 1.2 1S2 0C2 0.2 0s0 1C2 1.2 1s0 0c0 0.0 0s1 1c0 1.0 1s1 0c1 0.1 0s2 1c1 1.1 1s2 0c2 0.2 1c2 1.2'
# A call in a compute region that really waits lets the others run.
order waits 3 '1c0 1.0 0c0 0.0 0e0 2c0 2.0 2e0 1e0 0c1 0.1 0e1 2c1 2.1 2e1 1c1 1.1 1e1 0c2 0.2 0e2 2c2 2.2 2e2 1c2 1.2 1e2'
# Rank 1 has received, but its send is complete only when rank 2 receives.
order sends 3 '0s0 1s0 2s0 0c0 0.0 0s1 1c0 1.0 1s1 2c0 2.0 2s1 0c1 0.1 0s2 1c1 1.1 1s2 2c1 2.1 2s2 0c2 0.2 1c2 1.2 2c2 2.2'
order late 2 '0s0 1c0 0c0 0s1 1c1 0c1 0s2 1c2 0c2'
job_environment=WAYMARK_DEFER_SENDS=1
order late 2 '0s0 0c0 1c0 0s1 1c1 0c1 0s2 1c2 0c2'
order sends 3 '0s0 1s0 2s0 1c0 1.0 1s1 0c0 0.0 0s1 2c0 2.0 2s1 1c1 1.1 1s2 0c1 0.1 0s2 2c1 2.1 2s2 1c2 1.2 0c2 0.2 2c2 2.2'
job_environment=
# Who sends to another process goes first from then on.
well 2 waymark run --subranks 3 -- "$work/order" away
grep -q ' 2c2 1c2 0c2 $' "$output" || fail "who sends to another process does not go first: $(cat "$output")"
# What is sent to another process may be changed at once.
well 2 waymark run --subranks 2 -- "$work/order" copies
# A sum is complete when the region begins that waits for it: nothing comes between the region's ends.
well 1 waymark run --subranks 3 -- "$work/order" sums
grep -Eq '^([0-9]s[0-9] |([0-9])c([0-9]) \2\.\3 ){18}$' "$output" || fail "order of sums"

# Jacobi's iteration, bit by bit.
program jacobi superblock_jacobi.c
well 6 "$work/jacobi"
plain=$(cat "$output")
for shape in '1 6 1' '2 3 2' '3 2 1'; do
    # shellcheck disable=SC2086
    set -- $shape
    well "$1" waymark run --subranks "$2" --workers "$3" -- "$work/jacobi"
    [ "$(cat "$output")" = "$plain" ] || fail "Jacobi on $shape"
done

# What was hidden is said to who asks.
well 2 waymark run --subranks 2 --workers 2 -v -- "$work/jacobi"
[ "$(grep -c "^waymark: superblock 'plate': a process computes [0-9.]* us and is idle for [0-9.]* us an iteration: [a-z]" "$output")" = 1 ] ||
    fail "nothing is said of a superblock"

# A traced job's report says the same, of the same times.
well 2 waymark run --subranks 2 -v -t "$work/trace" -- "$work/jacobi"
said=$(sed -n "s/^waymark: superblock 'plate': .* an iteration: //p" "$output")
waymark report "$work/trace" --format json >"$output" 2>&1 || fail "no report"
tr -d ' \n' <"$output" >"$work/json"
grep -qE '"processes":2,"siblings":2,' "$work/json" || fail "the report does not say how many subranks there are"
grep -qE '"superblocks":\[\{"name":"plate","ranks":4,"processes":2,"siblings":2,"pairs":[1-9][0-9]*,"compute_ns":[1-9]' "$work/json" ||
    fail "the report says nothing of a superblock"
grep -qF "\"why\": \"$said\"" "$output" || fail "the report does not say: $said"
grep -q '"unknown": 0,' "$output" || fail "the report does not know all records"
waymark top --once "$work/trace" >"$output" 2>&1 && grep -q '4 of 4 ranks; .* all have ended' "$output" || fail "top"
verdict
