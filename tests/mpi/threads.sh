#!/bin/sh
# Threads with communicators of their own, and threads that share a path.
. "${srcdir:-.}/tests/mpi/job.sh"
maps=$srcdir/tests/mpi/maps
limit=60

# A build with SANITIZER_FLAGS=-fsanitize=thread (and no LTO) is watched; ThreadSanitizer must be the first library.
if nm -D "${WAYMARK_PRELOAD%-mpi.so}.so" | grep -q __tsan_init; then
    TSAN_OPTIONS="suppressions=$srcdir/tests/mpi/threads.supp ignore_noninstrumented_modules=1 exitcode=66"
    LD_PRELOAD_FIRST="LD_PRELOAD=$(${CC:-gcc} -print-file-name=libtsan.so)"
    export TSAN_OPTIONS
fi
for ranks in 1 2 4; do
    [ $ranks -lt 4 ] || run_options="--verify each"
    mapped "$maps/choices.scm" $ranks "$build/tests/mpi/threads" $ranks "${WAYMARK_TEST_CALLS:-12}" hierarchy binomial native \
        "$maps/many.scm" || continue
    grep -q '^threads: provided multiple, 0 wrong$' "$output" || fail "$ranks ranks: no result"
    [ "$(grep -c '^under .* as well$' "$output")" -eq 4 ] || fail "$ranks ranks: not every map had its turn"
    ! grep -q '^waymark: ' "$output" || fail "$ranks ranks: something is said"
done
run_options="-t $work/trace --mode full"
mapped "$maps/segments.scm" 3 "$build/tests/mpi/threads" 1 6
waymark report "$work/trace" >"$output" 2>&1 || fail "report of a trace of threads"
run_options=
job 2 "$build/tests/mpi/threads" 1 6
[ $status -eq 0 ] || fail "threads without the runtime: status $status"
verdict
