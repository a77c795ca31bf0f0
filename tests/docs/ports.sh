#!/bin/sh
# docs/ports.md: its C compiles without a warning, and does what the page says.
. "${srcdir:-.}/tests/mpi/job.sh"
: >"$output"
awk -f "$srcdir/tests/docs/conveyors.awk" -v folder="$work" "$srcdir/docs/ports.md" || exit 99
{ echo '#include <waymark/port.h>' && sed -n '/^\/\* .*ports.md/,$p' "$work/functions.c" && cat "$work/program1.c" &&
    echo 'int (*chosen)(struct wm_port *, struct wm_port *, MPI_Request *, int *) = choose;'; } >"$work/results.c"
${MPICC:-mpicc} -O2 -Wall -Wextra -Werror -isystem "$srcdir/include" -o "$work/results" "$work/results.c" \
    -L"$build/.libs" -Wl,-rpath,"$build/.libs" -lwaymark >"$output" 2>&1 || fail "the page's C does not compile"
job 4 "$work/results"
[ $status -eq 0 ] && grep -q "^3000 results, 1500 in all: rank 0 reads from the port 'results'" "$output" || fail "status $status"
verdict
