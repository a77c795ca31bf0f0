#!/bin/sh
# The memory that conveyors hold, as `waymark show` says beforehand, convey_live at run time, and what was allocated.
. "${srcdir:-.}/tests/mpi/job.sh"
memory=$build/tests/mpi/convey_memory
OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_topo=^treematch
export OMPI_MCA_mpi_yield_when_idle OMPI_MCA_topo
sanitized=$(nm -D "$WAYMARK_PRELOAD" | grep -c __asan_init)
blocks_bytes=1024 # beside their contents: where the allocator's blocks are, and how they are aligned
slack_bytes=16384 # of the heap: MPI's requests, and the conveyor's few structures of fixed size

# The figures of `waymark show MAP … --rank R`: the total, and the parcels of it; and the rings.
shown() { # MAP RANKS RANK ITEM_BYTES [--elastic]
    waymark show "$1" --op conveyor --grid "core=$2" --rank "$3" --bytes "$4" $5 >"$work/shown" 2>&1
    total=$(sed -n 's/^memory that rank [0-9]* holds: \([0-9]*\) bytes$/\1/p' "$work/shown")
    parcels=$(sed -n 's/^  parcels  *\([0-9][0-9]*\)  .*/\1/p' "$work/shown")
    rings=$(sed -n 's/^  rings  *\([0-9][0-9]*\)  .*/\1/p' "$work/shown")
}

# Each rank's line: "items 8 rank 0 holds 1000 grabbed 100 heap 200". `measured` is the heap where it tells anything.
compare() { # MAP RANKS [--elastic]
    lines=0
    while read -r _ item _ rank _ held _ grabbed _ heap; do
        lines=$((lines + 1))
        shown "$1" "$2" "$rank" "$item" $3
        [ "$held" = "$total" ] || fail "$1, rank $rank of $2, items of $item: holds $held bytes, but show says $total"
        [ "$grabbed" -ge "$parcels" ] && [ "$grabbed" -le $((parcels + blocks_bytes)) ] ||
            fail "$1, rank $rank of $2, items of $item: took $grabbed bytes for buffers, but show says $parcels"
        [ "$sanitized" -gt 0 ] || [ -n "$synchronous" ] || [ "$heap" -le $((total - rings + slack_bytes)) ] ||
            fail "$1, rank $rank of $2, items of $item: took $heap bytes, but holds $total, of which $rings in rings"
    done <"$work/told"
    [ "$lines" -eq $(($2 * sizes)) ] || fail "$1, $2 ranks: told of $lines"
}

equal() { # MAP RANKS: items of two sizes, and elastic ones
    synchronous=$(grep synchronous "$1")
    mapped "$1" "$2" "$memory" 8 100 elastic 64 || return
    cp "$output" "$work/all"
    grep -E '^items (8|100) ' "$work/all" >"$work/told"
    sizes=2
    compare "$1" "$2"
    grep '^items 64 ' "$work/all" >"$work/told"
    sizes=1
    compare "$1" "$2" --elastic
}

path() { # NAME GRID WRAPPERS: a map
    printf '(path-map %s\n  (on conveyor (path %s)))\n' "$2" "$3" >"$work/$1.scm"
}
pairs="#:grid '(node (core 2))"
path one "" "(aggregate 4KiB) (route all)"
path two "$pairs" "(aggregate 2KiB #:buffers 3) (route core node)"
path three "$pairs" "(trace) (aggregate 8KiB #:buffers 2) (route core node core) (remote 'shm 'mpi)"
path messages "$pairs" "(aggregate 1KiB #:buffers 1) (route node core) (remote 'mpi)"
path ragged "#:grid '((half (0 1 2) (3 4)) core)" "(aggregate 1KiB #:buffers 2) (route core half core) (remote 'mpi)"
path bulk "$pairs" "(synchronous) (aggregate 2KiB) (route core node)"

for ranks in 1 3 8; do
    equal "$work/one.scm" $ranks
done
for ranks in 2 8; do
    equal "$work/two.scm" $ranks
    equal "$work/messages.scm" $ranks
done
for ranks in 2 6 8; do
    equal "$work/three.scm" $ranks
done
equal "$work/bulk.scm" 4
equal "$work/ragged.scm" 5
verdict
