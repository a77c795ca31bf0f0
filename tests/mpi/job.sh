# Sourced by the tests that run MPI jobs: where things are, how a job is started, how failures are counted.
srcdir=$(cd "${srcdir:-.}" && pwd)
build=${top_builddir:-$(pwd)}
# Started by hand rather than by make check: be in the freshly built tree as well.
if [ -z "$WAYMARK_PRELOAD" ] && [ -x "$build/pre-inst-env" ]; then
    top_builddir=$build srcdir=$srcdir exec "$build/pre-inst-env" sh "$0" "$@"
fi
work=$(mktemp -d) || exit 99
output=$work/output
trap 'rm -rf "$work"' EXIT
trap 'exit 99' INT TERM
# Ranks that are killed or aborted leave Open MPI's files behind: they are to lie where all is removed in the end.
TMPDIR=$work OMPI_MCA_btl_vader_backing_directory=$work OMPI_MCA_orte_tmpdir_base=$work
export TMPDIR OMPI_MCA_btl_vader_backing_directory OMPI_MCA_orte_tmpdir_base
limit=120
jobs=0
failures=0

mpirun="${MPIRUN:-mpirun} --oversubscribe"
[ "$(id -u)" = 0 ] && mpirun="$mpirun --allow-run-as-root"

# AddressSanitizer must be the first library of a process. Open MPI 4.1.4 asks for temporaries of negative size.
if nm -D "$WAYMARK_PRELOAD" | grep -q __asan_init; then
    ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1
    LD_PRELOAD_FIRST="LD_PRELOAD=$(${CC:-gcc} -print-file-name=libasan.so)"
    export ASAN_OPTIONS
fi

fail() { # SENTENCE: with the end of what the job said
    failures=$((failures + 1))
    echo "FAILED: $*"
    tail -n "${shown:-15}" "$output" | cut -c 1-300
}

launch() { # RANKS WORD ...
    ranks=$1 preloaded=${LD_PRELOAD_FIRST:+-x $LD_PRELOAD_FIRST} # of ranks alone: Open MPI's launcher has faults of its own
    case $job_environment in *LD_PRELOAD=*) preloaded= ;; esac
    shift
    set -- timeout -k 5 $limit $mpirun $preloaded -n "$ranks" "$@"
    if [ -n "$watched" ]; then
        env $job_environment "$@" </dev/null >"$output" 2>&1 &
        watch_over $!
        wait $!
    else
        env $job_environment "$@" </dev/null >"$output" 2>&1
    fi
    status=$?
}

# watch_over PID: of a job that is about to meet its limit, say where its processes are.
watch_over() {
    trap "kill $1; exit 99" INT TERM
    timeout $((limit - 5)) tail -f -s 0.1 --pid="$1" /dev/null || describe "$1" >>"$output" 2>&1
    trap 'exit 99' INT TERM
}

describe() { # PID: its process, those below it, and ours that left their parents
    for process in $(below "$1") $(grep -ls '^waymark' /proc/[0-9]*/comm | tr -dc '0-9\n'); do
        echo "late: $process $(cat "/proc/$process/comm" "/proc/$process/wchan")"
        grep -E '^(State|PPid|Threads|ShdPnd|SigBlk|SigIgn|SigCgt):' "/proc/$process/status"
        ls -l "/proc/$process/fd" | sed -n 's/.* \([0-9]* -> pipe.*\)/\1/p'
        cat "/proc/$process/stack"
    done
}

below() { # PID: it, too
    echo "$1"
    for child in $(cat "/proc/$1/task/"*/children); do
        below "$child"
    done
}

# job RANKS WORD ...: run the words on so many ranks; what they say is in $output, their status in $status. A launcher
# that ends by a signal from elsewhere has status 1 and says nothing, which it does of no rank's end.
job() {
    jobs=$((jobs + 1))
    launch "$@"
    [ $status -ne 1 ] || [ -s "$output" ] && return
    echo "NOTE: the launcher of $* ended without a word; once more"
    launch "$@"
}

# mapped MAP RANKS PROGRAM ARGUMENT ...: the same under a map. False, and counted, when it ends badly or never.
mapped() {
    map=$1 ranks=$2
    shift 2
    job "$ranks" waymark run -m "$map" $run_options -- "$@"
    [ $status -eq 124 ] && fail "HANG: map $map, $ranks ranks, $*" && return 1
    [ $status -eq 0 ] || { fail "map $map, $ranks ranks, $*: status $status"; return 1; }
}

# ended /proc/PID/environ ...: these processes end. Looking for them again and again would take the processor from them.
ended() {
    for file in "$@"; do
        process=${file#/proc/}
        timeout $limit tail -f -s 0.1 --pid="${process%/environ}" /dev/null || return
    done
}

shipped_maps() {
    for file in "$srcdir"/specs/*.scm; do
        name=$(basename "$file" .scm)
        [ "$name" = waymark ] || echo "$name"
    done
}

# The operations that have doors.
operations() {
    "${GUILE:-guile}" --no-auto-compile "$srcdir/core/pmpi/generate.scm" operations "$srcdir/core/pmpi/functions.scm"
}

verdict() {
    echo "$jobs jobs, $failures failures"
    [ "$jobs" -gt 0 ] || exit 77
    [ "$failures" -eq 0 ]
}
