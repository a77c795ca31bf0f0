#!/bin/sh
# The programs of examples/convey: each at 1, 2 and 4 ranks, without a map, and at 4 with retuned ones, each checked against its
# own serial answer; and what they say of wrong arguments. Those of examples/ports, at 2 and 4 ranks, also under a map.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60
programs='histogram index_gather index_gather_bi permutation transpose triangles bfs toposort'

# Small, and yet more than the buffers hold.
sizes() { # PROGRAM
    case $1 in
    histogram) echo --updates 20K --counters 100 ;;
    index_gather*) echo --queries 20K --entries 1K ;;
    permutation) echo --darts 5K ;;
    transpose) echo --rows 5000 --degree 8 ;;
    triangles) echo --scale 9 --degree 8 ;;
    bfs) echo --scale 10 --roots 2 ;;
    toposort) echo --scale 10 --degree 4 ;;
    esac
}

map() { # NAME GRID WRAPPER ...: a grid is one of 4 ranks
    name=$1 grid=$2
    shift 2
    printf '(path-map %s\n  (on conveyor (path %s)))\n' "$grid" "$*" >"$work/$name.scm"
}

right() { # WHAT PROGRAM
    grep -q "^$2: [0-9]* ranks, .*; right$" "$output" || fail "$1: $2 does not say that its answer is right"
}

unmapped() { # RANKS PROGRAM
    job "$1" "$build/examples/convey/$2" $(sizes "$2") --seed "$1" --check
    [ $status -eq 124 ] && fail "HANG: $2 on $1 ranks" && return
    [ $status -eq 0 ] || fail "$2 on $1 ranks: status $status"
    right "$1 ranks" "$2"
}

retuned() { # MAP RANKS PROGRAM
    mapped "$work/$1.scm" "$2" "$build/examples/convey/$3" $(sizes "$3") --check || return
    right "map $1, $2 ranks" "$3"
}

map one-hop '' '(aggregate 2KiB #:buffers 2) (route all)'
map three-hops "#:grid '((node 2) (core 2))" '(aggregate 8KiB) (route core node core) (compress)'
map synchronous '' '(aggregate 8KiB) (synchronous) (route all)'

for program in $programs; do
    for ranks in 1 2 4; do
        unmapped $ranks "$program"
    done
    retuned one-hop 4 "$program"
    case $program in
    permutation | toposort) ;; # steady, and a synchronous conveyor is none
    *) retuned synchronous 4 "$program" ;;
    esac
    retuned three-hops 4 "$program"
done

# Where an item is lost on the way, the check must see it.
job_environment="LD_PRELOAD=${LD_PRELOAD_FIRST#LD_PRELOAD=}:$build/tests/mpi/.libs/liblosing.so"
for program in histogram index_gather transpose; do
    job 2 "$build/examples/convey/$program" $(sizes $program) --check
    [ $status -eq 1 ] || fail "$program loses an item: status $status, not 1"
    grep -q "results differ from the serial answer" "$output" || fail "$program loses an item, and does not say so"
done
job_environment=

for program in farm mandelbrot ring; do
    for ranks in 2 4; do
        job $ranks "$build/examples/ports/$program"
        [ $status -eq 124 ] && fail "HANG: $program on $ranks ranks" && continue
        [ $status -eq 0 ] || fail "$program on $ranks ranks: status $status"
        right "$ranks ranks" $program
    done
    mapped fast 3 "$build/examples/ports/$program" && right "map fast" $program
done

refused() { # STATUS SENTENCE PROGRAM ARGUMENT ...
    expected=$1 sentence=$2
    shift 2
    job 2 "$build/examples/convey/$@"
    [ $status -eq "$expected" ] || fail "$*: status $status, not $expected"
    grep -qF -- "$sentence" "$output" || fail "$*: '$sentence' is not said"
}
refused 2 "histogram: '--updates': a number is missing" histogram --updates
refused 2 "histogram: '--updates': a number is missing" histogram --updates 12X
refused 2 "bfs: '--scale': the number is too small or too large" bfs --scale 99
refused 2 "toposort: '--colour': there is no such option" toposort --colour 3
refused 0 "where the random numbers begin" transpose --help
refused 0 "not checked" transpose --no-check
verdict
