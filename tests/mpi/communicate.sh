#!/bin/sh
# Statements: right at 1 to 8 ranks, under no map and one; wrong ones end with a sentence.
. "${srcdir:-.}/tests/mpi/job.sh"

for ranks in 1 2 3 5 8; do
    job $ranks "$build/tests/mpi/communicate"
    [ $status -eq 0 ] || fail "status $status at $ranks ranks"
done
mapped fast 4 "$build/tests/mpi/communicate"
for ranks in 1 2 5; do
    job $ranks "$build/tests/mpi/communicate_rules"
    [ $status -eq 0 ] || fail "rules: status $status at $ranks ranks"
done

# The compiler of C checks what WM_COMBINE binds.
combines() { # TYPE: of what the operator of the two doubles `best` takes
    cat >"$work/combine.c" <<end
#include <waymark/communicate.h>
struct two { double value[2]; };
struct three { double value[3]; };
void both($1 *inout, const $1 *in);
void make(struct two *best);
void make(struct two *best)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "b@0 << both << b@1", WM_TYPED(*best, MPI_BYTE), WM_COMBINE(both, *best, MPI_BYTE));
}
end
    "${MPICC:-mpicc}" -fsyntax-only -Wall -Wextra -Werror -I"$srcdir/include" "$work/combine.c" 2>>"$output"
}
combines void && combines "struct two" || fail "an operator of structs does not compile"
combines "struct three" && fail "an operator of another struct compiles"

# Other languages.
LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} && export LD_LIBRARY_PATH
if command -v "${MPICXX:-mpicxx}" >/dev/null && "${MPICXX:-mpicxx}" -Wall -I"$srcdir/include" -o "$work/plain" \
    "$srcdir/tests/mpi/communicate_plain.cc" -L"$build/.libs" -lwaymark; then
    for ranks in 1 3; do
        job $ranks "$work/plain"
        [ $status -eq 0 ] || fail "C++: status $status at $ranks ranks"
    done
fi
if [ -x "$build/tests/mpi/communicate_f" ]; then
    job 3 "$build/tests/mpi/communicate_f"
    [ $status -eq 0 ] || fail "Fortran: status $status"
fi

wrong() { # NAME SENTENCE [NUMBER]
    job 3 "$build/tests/mpi/communicate_wrong" "$1" $3
    [ $status -ne 124 ] || fail "HANG: $1"
    [ $status -ne 0 ] || fail "$1: status 0"
    grep -qF -- "$2" "$output" || fail "$1: the sentence is not there: $2"
}
limit=20
wrong text "statement:1:9: nothing is bound to 'y'"
wrong pointer "'pointer' is a pointer: say how far it reaches by WM_SPAN"
wrong hint "the hint 'corresponding' is wrong: rank "
wrong global "the hint 'global' is wrong: who sends what to whom depends on 'me'"
wrong global-values "the hint 'global' is wrong: who sends what to whom depends on a value that differs between ranks"
wrong receiver "there is no rank 3 to receive: ranks are 0 to 2, where i = 2"
wrong index "the index 9 is outside of 'data', which has 4 elements" 9
wrong index-of-sender "the index 10 is outside of 'data', which has 4 elements" 9
wrong size "rank 1 sends 2 elements, and 'small' has 1 here, at rank 0"
wrong later-size "rank 1 sends rank 0 8 bytes, and that one expects 4"
wrong stable-size "'data' is promised to be stable, and has 2 elements now, not 1, without wm_touch"
wrong size-by-sender "rank 1 sends 2 elements, and 'small' has 1 here, at rank 0"
wrong zero "this divides by zero"
wrong other "data of another statement"
job_environment=WAYMARK_PATIENCE=0.1
job 3 "$build/tests/mpi/communicate_wrong" late "$output"
job_environment=
[ $status -eq 0 ] && grep -q "communicate_wrong.c:[0-9]*: statement:1:1: rank 0 has waited for rank 1 for 0.1 s: do all" "$output" ||
    fail "late: status $status"
job 3 "$build/tests/mpi/communicate_wrong" twice
[ $status -eq 0 ] || fail "stored twice: status $status"
WAYMARK_CHECK=1 && export WAYMARK_CHECK
wrong twice "element 0 of 'data' is stored into twice at rank 0: rank 0 sends it 1 element by reduction 1, where i = 0; and rank 1"
wrong twice-by-sender "element 0 of 'data' is stored into twice at rank 0: rank 0 sends it 2 elements by reduction 1, where i = 0, k = 0; and rank 2"
job 4 "$build/tests/mpi/communicate"
[ $status -eq 0 ] || fail "WAYMARK_CHECK=1: status $status"
verdict
