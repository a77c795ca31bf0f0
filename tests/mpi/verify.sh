#!/bin/sh
# Calls that do not match are named with both sites, by class and line, under a guard; verified, they fail before their
# data is used; calls that differ as they may run as ever.
. "${srcdir:-.}/tests/mpi/job.sh"
guarded=$build/tests/mpi/guarded
mismatched=$build/tests/mpi/mismatched
limit=30
command -v addr2line >/dev/null && sites=yes

line_of() { # FILE SITE
    grep -nE "$2( |\$)" "$srcdir/tests/mpi/$1" | head -n 1 | cut -d : -f 1
}

# verified MAP RANKS PROGRAM ARGUMENT ...: a job that ends by itself, whatever it meets.
verified() {
    map=$1 ranks=$2
    shift 2
    job "$ranks" waymark run -m "$map" --verify each -- "$@"
    [ $status -ne 124 ] || fail "HANG: map $map, $*"
}

# refused WHAT SITE SITE ...: the job has ended with the names of these lines of guarded.c.
refused() {
    what=$1
    shift
    [ $status -ne 0 ] || fail "$what: the job ends well"
    for site in "$@"; do
        grep -qF "${sites:+guarded.c:$(line_of guarded.c "site: $site")}" "$output" || fail "$what: no site '$site'"
    done
}

# What may differ.
for map in native fast; do
    for program in $guarded $build/tests/mpi/guarded_nonblocking; do
        verified $map 3 "$program" legal
        [ $status -eq 0 ] || fail "legal under $map: status $status"
        ! grep -q '^waymark' "$output" || fail "something is said of what is legal under $map"
    done
done

# What does not match, and would hang or return wrong data.
for map in native fast; do
    verified $map 3 "$guarded" silent
    refused "root under $map" roots
    verified $map 2 "$guarded" hang
    refused "bcast and reduce under $map" bcast reduce
done
for map in native fast; do
    verified $map 2 "$guarded" hang 1
    refused "barrier and allreduce under $map" barrier
    verified $map 2 "$guarded" hang 2
    refused "bcast and ibcast under $map" ibcast
    verified $map 2 "$guarded" hang 4
    refused "an absent rank under $map" absent
done
verified fast 2 "$guarded" order
refused 'order' order
verified fast 3 "$guarded" operators
refused 'operators' operators
! grep -q used "$output" || fail "the sum of a call that does not match was used"

# Ranks that wait for each other's messages for ever, in a receive and for a request.
for what in receives request; do
    verified native 2 "$build/tests/mpi/guarded_messages" $what
    [ $status -ne 0 ] && grep -q '^waymark: deadlock: .*: proven' "$output" && grep -q 'ends the job for this' "$output" ||
        fail "$what: status $status"
done

# Without verifying, the guard names what ends the job.
job 2 waymark run -m fast --guard watch -- "$guarded" hang
refused 'watched' bcast reduce

# Classes and lines: $right of $all cases.
right=0 all=0
judge() { # FIRST END: the cases of a job, of which the doctor has spoken
    for name in $(sed -n 's/^    {"\([a-z-]*\)", .*},*$/\1/p' "$srcdir/tests/mpi/mismatched.c" | sed -n "$1,$2p"); do
        all=$((all + 1))
        one=$(line_of mismatched.c "a: $name") other=$(line_of mismatched.c "b: $name")
        : "${other:=$one}"
        if sed -n "/^mismatch:.* '$name'/,/^[^ ]/p" "$output.doctor" >"$output.case" && [ -s "$output.case" ] &&
            grep -qF "${sites:+mismatched.c:$one}" "$output.case" && grep -qF "${sites:+mismatched.c:$other}" "$output.case"; then
            right=$((right + 1))
        else
            echo "not named: $name"
        fi
    done
}

trace=$work/trace
for first in 0 10 20; do
    rm -rf "$trace"
    jobs=$((jobs + 1))
    env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun -n 20 waymark run -m native --guard on -t "$trace" --trace-level off -- \
        "$mismatched" $first </dev/null >"$output" 2>&1 &
    job_pid=$!
    until waymark doctor --format json "$trace" 2>&1 | grep -q '"seen": 20\>' || ! kill -0 $job_pid 2>/dev/null; do
        sleep 0.1
    done
    named=-1 now=0
    while [ $named -lt $now ] && kill -0 $job_pid 2>/dev/null; do # until a look has nothing new
        named=$now
        sleep 1
        waymark doctor "$trace" >"$output.doctor" 2>&1
        now=$(grep -c '^mismatch' "$output.doctor")
    done
    kill $job_pid 2>/dev/null
    wait $job_pid
    judge $((first + 1)) $((first + 10))
done
echo "$right of $all cases have the right class and line"
[ $((right * 10)) -ge $((all * 8)) ] || fail "too few"

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
