#!/bin/sh
# docs/conveyors.md: its C compiles without a warning and does what the page says, under each of its maps.
. "${srcdir:-.}/tests/mpi/job.sh"
page=$srcdir/docs/conveyors.md
: >"$output"
awk -f "$srcdir/tests/docs/conveyors.awk" -v folder="$work" "$page" || exit 99

compile() { # PROGRAM FILE OPTION ...
    program=$1
    shift
    ${MPICC:-mpicc} -O2 -Wall -Wextra -Werror -isystem "$srcdir/include" -isystem "$srcdir/include/waymark/bale" -o "$work/$program" "$@" \
        -L"$build/.libs" -Wl,-rpath,"$build/.libs" -lwaymark >"$output" 2>&1 || fail "$* does not compile"
}

runs() { # WORDS COMMAND ...: the job goes well and says so
    words=$1
    shift
    "$@"
    [ "$status" -eq 0 ] && grep -q "$words" "$output" || fail "$*: status $status"
}

[ -f "$work/program1.c" ] && [ -f "$work/map2.scm" ] || fail "the page lacks its program or its maps"
compile histogram "$work/program1.c"
compile functions -include "$work/functions.c" "$srcdir/tests/docs/conveyors.c"
runs "200000 keys counted" job 4 "$work/histogram"
runs "all as the page says" job 4 "$work/functions"
for map in "$work"/map*.scm; do
    run_options="-t $map.trace"
    runs "200000 keys counted" mapped "$map" 4 "$work/histogram"
    run_options=
    runs "all as the page says" mapped "$map" 3 "$work/functions"
done
waymark report "$work/map1.scm.trace" >"$output" || fail "no report"
grep -q "units closed are units taken on" "$output" || fail "the report says nothing of the conveyor"
verdict
