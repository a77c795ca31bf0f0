#!/bin/sh
# `waymark tune`: its command line, and a map that it writes, which is proven and run. Nothing is said of times.
. "${srcdir:-.}/tests/mpi/job.sh"

holds() { # WHAT TEXT
    grep -qF -- "$2" "$output" || fail "$1: '$2' is not said"
}

says() { # STATUS TEXT WORD ...
    expected=$1 text=$2
    shift 2
    "$@" >"$output" 2>&1
    found=$?
    [ $found -eq "$expected" ] || fail "$*: status $found, not $expected"
    holds "$*" "$text"
}

says 2 "no operation is named" waymark tune -o "$work/a.scm"
says 2 "no file is named" waymark tune --op bcast
says 2 "no operation 'bcasts' is tuned; did you mean 'bcast'?" waymark tune --op bcasts
says 2 "its ranks do not share how much it is" waymark tune --op gatherv
says 2 "moves nothing at 0 bytes" waymark tune --op bcast --bytes 0-8
says 2 "goes beyond 32 MiB" waymark tune --op bcast --bytes 64MiB
says 2 "there is no MPI job" waymark tune --op bcast -o "$work/a.scm"

job 2 waymark tune --op barrier,bcast,allreduce --bytes 8-64KiB --budget 3s -o "$work/mine.scm"
[ $status -eq 0 ] || fail "two ranks: status $status"
holds "two ranks" "of 3 operations; what is not named stays native"
for operation in barrier bcast allreduce; do
    [ "$(grep -cE "^  (\(on|;;) $operation" "$work/mine.scm")" -eq 1 ] || fail "$operation is not in the map once"
done
head -2 "$work/mine.scm" | grep -q "^;; mine.scm: tuned by waymark" || fail "no header"
waymark check "$work/mine.scm" >"$output" 2>&1 || fail "the map is not proven"
job 2 waymark bench -m "$work/mine.scm" --op bcast,allreduce --bytes 8,24,1KiB --rounds 1 --rotate 0
[ $status -eq 0 ] || fail "the map is not run: status $status"

# More ranks than cores, and a file that cannot be written.
job 3 waymark tune --op bcast --bytes 8,1KiB --budget 1s -o "$work/three.scm"
[ $status -eq 0 ] || fail "three ranks: status $status"
waymark check "$work/three.scm" >"$output" 2>&1 || fail "the map for three ranks is not proven"
job 2 waymark tune --op bcast -o "$work/none/a.scm"
[ $status -ne 0 ] || fail "a file that cannot be written: status $status"
holds "a file that cannot be written" "none/a.scm"
verdict
