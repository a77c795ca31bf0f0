#!/bin/sh
# Markers of superblocks: with subranks, without, and without markers; and what is said of wrong ones.
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
verdict
