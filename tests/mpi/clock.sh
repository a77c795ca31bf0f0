#!/bin/sh
# The common clock: ranks on "machines" whose clocks stand seconds apart and drift are brought together within the error
# that the reader states; comparisons in between make it smaller; jobs of one clock compare nothing.
. "${srcdir:-.}/tests/mpi/job.sh"
skewing=$build/.libs/libwm-skewed-clock-test.so
clock=$build/tests/mpi/clock
check=$build/tests/mpi/clock_check
limit=90
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}:verify_asan_link_order=0
WAYMARK_TEST_CLOCK_BEGIN=$(cut -d. -f1 /proc/uptime)
OMPI_MCA_mpi_yield_when_idle=1
export ASAN_OPTIONS WAYMARK_TEST_CLOCK_BEGIN OMPI_MCA_mpi_yield_when_idle
first=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#LD_PRELOAD=}:}

# traced RANKS SKEWS SECONDS WAY ...: a traced job, and what its notes say of its common clock, in $found.
traced() {
    about="$*, clock ${WAYMARK_TRACE_CLOCK:-tsc}"
    ranks=$1 WAYMARK_TEST_CLOCK=$2 seconds=$3
    shift 3
    export WAYMARK_TEST_CLOCK
    rm -rf "$work/trace" "$work/truth"
    mkdir "$work/truth"
    job "$ranks" env LD_PRELOAD="$first$skewing" waymark run -t "$work/trace" -- "$clock" "$seconds" "$work/truth" "$@"
    [ $status -eq 0 ] || [ $# -gt 1 ] || fail "$about: status $status"
    found=$("$check" "$work/trace" "$work/truth")
    beyond=$?
    echo "$about: $found"
}

within() { # the last job's times are right within the bound
    [ $beyond -eq 0 ] || fail "$about: beyond the bound: $found"
}

value() { # NAME: of a figure found
    echo "$found" | sed -n "1s/.*$1 \([0-9]*\).*/\1/p"
}

expect() { # NAME OPERATOR NUMBER
    [ "$(value "$1")" "$2" "$3" ] || fail "$about: $1 is not $2 $3: $found"
}

joined() { # CLOCKS: several, compared at the start, at the end and in between
    within
    expect several -eq 1
    expect synchronised -eq 1
    expect compared -ge $((3 * ($1 - 1)))
    expect shared -eq $((ranks - $1))
    waymark report "$work/trace" >"$output" || fail "$about: no report"
    ! grep -q "wall clocks alone" "$output" || fail "$about: the report speaks of wall clocks"
    ! grep -q "without meaning" "$output" || fail "$about: the report does not know all records"
}

# compared COUNT RANKS SKEWS WAY ...: a traced job with so many comparisons, which are a second apart. The busier the machine, the longer until then.
compared() {
    count=$1 job_ranks=$2 skews=$3
    shift 3
    for length in 2 4 8 16; do
        traced "$job_ranks" "$skews" $length "$@"
        [ "$(value compared)" -lt "$count" ] || break
    done
}

brought_together() { # CLOCKS RANKS SKEWS
    compared $((3 * ($1 - 1))) "$2" "$3" together
    joined "$1"
}

for clock_kind in monotonic tsc; do
    WAYMARK_TRACE_CLOCK=$clock_kind
    export WAYMARK_TRACE_CLOCK
    brought_together 2 2 "1:2500000000:40"
done
WAYMARK_TRACE_CLOCK=monotonic
brought_together 3 4 "1:-3000000000:-50,2:1000000:50,3:1000000:50"
brought_together 7 7 "1:700000:20,2:-900000000:-50,3:0:10,4:5000000000:50,5:1:-30,6:-4000:0.5"

# A rate that swings, compared in between and not, is within the bound, which then is a wider one (tests/tracer/test_clocks).
brought_together 2 2 "1:1000000:200:100"
traced 2 "1:1000000:200:100" 1 apart
within
expect several -eq 1
expect compared -eq 2

# A job that dies goes on with the last rate.
compared 4 3 "1:-200000000:50,2:300000000:-50" together killed
within
expect synchronised -eq 1
expect compared -ge 4

# One clock: shared, and nothing compared.
traced 3 "" 1.2 together
within
expect compared -eq 0
expect shared -eq 2
expect several -eq 0
verdict
