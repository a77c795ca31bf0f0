#!/bin/sh
# docs/communicate.md: its C compiles without a warning, and does what the page says.
. "${srcdir:-.}/tests/mpi/job.sh"
: >"$output"
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$srcdir/docs/communicate.md" >"$work/halo.c"
${MPICC:-mpicc} -O2 -Wall -Wextra -Werror -isystem "$srcdir/include" -o "$work/halo" "$work/halo.c" \
    -L"$build/.libs" -Wl,-rpath,"$build/.libs" -lwaymark >"$output" 2>&1 || fail "the page's C does not compile"
job 3 "$work/halo"
[ $status -eq 0 ] && grep -q "^rank 1: 0.7 and 2.0, the largest is 2.7" "$output" && grep -q "^rank 1: now 0.4" "$output" || fail "status $status"
verdict
