#!/bin/sh
# A program with Toucan's pragmas: translated, as subranks, it gets what it gets as it is.
. "${srcdir:-.}/tests/mpi/job.sh"
[ -n "$LIBCLANG_CFLAGS" ] || exit 77
limit=60

cp "$srcdir/tests/tools/translate/jacobi.c" "$work" && cd "$work" || exit 99
${MPICC:-mpicc} -O1 -o plain jacobi.c || fail "the program does not compile"
waymark translate jacobi.c -o jacobi.wm.c &&
    waymark cc -O1 -Wall -Wextra -Werror -I"$srcdir/include" -o marked jacobi.wm.c || fail "the translation does not compile"
nm -D marked | grep -q wm_superblock_region || fail "the translation has no markers"

job 4 ./plain
[ $status -eq 0 ] || fail "the program fails"
expected=$(cat "$output")
for processes in 1 2 4; do
    job $processes waymark run --subranks $((4 / processes)) -- ./marked
    [ $status -eq 0 ] && [ "$(cat "$output")" = "$expected" ] || fail "$processes processes"
done
verdict
