#!/bin/sh
# MPI among subranks: every function of the table, alone, between processes, and its refusals.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

well() { # PROCESSES EACH
    job "$1" "$build/tests/mpi/subrank" "$2"
    [ $status -eq 0 ] || fail "status $status of $*"
}

well 1 1
well 1 5
well 1 5/2
well 2 1
well 2 4
well 2 4/3

ends() { # FAULT SENTENCE
    job 1 "$build/tests/mpi/subrank" 2 "$1"
    [ $status -ne 0 ] || fail "fault $1 goes unseen"
    grep -q "waymark: subrank 1, $2" "$output" || fail "fault $1 is not said"
}

ends window 'MPI_Win_create: subranks do not have it; run the program with --subranks 1'
ends rank 'MPI_Send: MPI_ERR_RANK'
ends handle 'MPI_Send: MPI_ERR_COMM'
ends twice 'MPI_Init: MPI_Init has been called before'

# A program with globals, as a user would run it.
waymark cc -O1 -o "$work/rod" "$srcdir/tests/mpi/subrank_program.c" -lm || fail "waymark cc"
rod() { # PROCESSES EACH [OPTION ...]
    processes=$1 each=$2
    shift 2
    job $processes waymark run --subranks $each "$@" -- "$work/rod"
    [ $status -eq 0 ] && grep -q "^$((processes * each)) ranks, 0 wrong, heat right$" "$output" ||
        fail "the rod on $processes by $each $*"
}
rod 1 1
rod 1 8
rod 2 4
rod 2 4 --workers 2 -v
grep -q '^waymark: the 2 workers of a process ' "$output" || fail "workers are not told"
job 1 waymark run --subranks 2 -m fast --retune 0.5 -- "$work/rod"
[ $status -ne 0 ] && grep -q "subranks keep the map that they begin with; leave '--retune' out" "$output" ||
    fail "maps that change are not refused"
echo "(path-map (on allreduce (path (verify 'each) (native))))" >"$work/verify.scm"
job 1 waymark run --subranks 2 -m "$work/verify.scm" -- "$work/rod"
[ $status -ne 0 ] && grep -q 'paths that verify, which calls of subranks are not' "$output" ||
    fail "maps that verify are not refused"
for workers in 1 2; do
    job 2 waymark run --subranks 2 --workers $workers -- "$work/rod" exit
    [ $status -ne 0 ] && grep -q 'waymark: subrank 1 ends with status 3 inside MPI; call MPI_Finalize before, or MPI_Abort' "$output" ||
        fail "an early exit is not told"
    job 1 waymark run --subranks 3 --workers $workers -- "$work/rod" abort
    [ $status -eq 5 ] && grep -q 'waymark: subrank 1 calls MPI_Abort with 5' "$output" && ! grep -q 'inside MPI' "$output" ||
        fail "MPI_Abort ends badly"
    job 1 waymark run --subranks 3 --workers $workers -- "$work/rod" waits
    [ $status -ne 0 ] && grep -q 'waymark: subranks 0, 1, 2 wait for ever: nothing is under way that could wake them' "$output" ||
        fail "waiting for ever is not told"
    job 2 waymark run --subranks 2 --workers $workers -- "$work/rod" waits
    [ $status -ne 0 ] && grep -q 'waymark: all subranks wait for ever: nothing is under way that could wake them' "$output" &&
        grep -q '^waymark:   MPI_Waitall: subranks 0, 2, 3$' "$output" && grep -q '^waymark:   MPI_Probe: subrank 1$' "$output" ||
        fail "waiting for ever in several processes is not told"
done

# Fortran's interfaces: what plain ranks find, and what ends a program too early.
fortran() { # INTERFACE
    waymark cc -w -O1 -cpp -ffree-line-length-none -fallow-argument-mismatch -DSUBRANK_"$1" -J "$work" -o "$work/$1" \
        "$srcdir/tests/mpi/subrank_f.F90" || fail "waymark cc of Fortran"
    job 4 "$work/$1"
    plain=$(sort "$output")
    [ $status -eq 0 ] && [ "$(echo "$plain" | grep -c ' found ')" -eq 4 ] || fail "$1: 4 ranks"
    job 2 waymark run --subranks 2 -- "$work/$1"
    [ $status -eq 0 ] && [ "$(sort "$output")" = "$plain" ] || fail "$1: 2 by 2 ranks"
}
if command -v "${MPIFORT:-mpifort}" >/dev/null; then
    fortran MPIF
    fortran USEMPI
    fortran F08
    job 1 waymark run --subranks 2 -- "$work/F08" stop
    [ $status -ne 0 ] && grep -q 'waymark: subrank 1 ends with status 3 inside MPI' "$output" || fail "an early STOP is not told"
    job 1 waymark run --subranks 2 -- "$work/MPIF" exit
    [ $status -ne 0 ] && grep -q 'waymark: subrank 1 ends with status 4 inside MPI' "$output" || fail "an early exit is not told"
fi

# Calls in a library.
cat >"$work/ranks.c" <<'C'
#include <mpi.h>

int ranks(void)
{
    int size;

    PMPI_Init(0, 0);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}
C
# It counts its calls itself, and calls by the names of profiling, also by address.
cat >"$work/main.c" <<'C'
#include <mpi.h>
int ranks(void);
static int (*const rank_of)(MPI_Comm, int *) = PMPI_Comm_rank;
static int calls;

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    calls++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

int main(void)
{
    int size = ranks(), rank, sum;

    rank_of(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Finalize();
    return size != 4 || sum != 6 || calls != 1;
}
C
waymark cc -shared -o "$work/libranks.so" "$work/ranks.c" &&
    waymark cc -o "$work/main" "$work/main.c" -L"$work" -lranks -Wl,-rpath,"$work" || fail "the library"
job 1 waymark run --subranks 4 -- "$work/main"
[ $status -eq 0 ] || fail "calls of a library, and by the names of profiling"
verdict
