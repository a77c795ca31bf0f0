#!/bin/sh
# What `waymark explain` says of a small map: compared with files kept beside it, and changed.
. "${srcdir:-.}/tests/tools/expect.sh"
cases=$top_srcdir/tests/tools/draw/explain
cd "$cases" || exit 99

# golden FILE ARGUMENT ...
golden() {
    expected=$1
    shift
    waymark explain "$@" >"$work/found" 2>&1 || fail "explain $*: exit status $?"
    diff -u "$expected" "$work/found" || fail "explain $* differs from $expected"
}

golden first.txt map.scm --op allreduce --bytes 8 --grid node=2,core=2
golden second.txt map.scm --op allreduce --bytes 4096 --grid node=2,core=2
golden dealt.txt map.scm --op allreduce --bytes 4096 --grid node=2,core=2,order=cyclic --commutative no
golden native.txt map.scm --op allreduce --bytes 1MiB
golden none.txt map.scm --op bcast --root 1 --grid node=2,core=2
golden alone.txt map.scm --op barrier --grid node=1,core=3
golden unknown.txt map.scm --op scan

# told WHAT PATTERN ARGUMENT ...: a line of what is said matches.
told() {
    what=$1 pattern=$2
    shift 2
    COLUMNS=110 waymark explain map.scm "$@" >"$work/out" 2>&1 || fail "$what: exit status $?"
    holds "$what" "$pattern" "$work/out"
}
told "a predicate that stops at its first part" 'line 6: .* did not hold: bytes is 65537$' -o allreduce -b 65537
told "an operator" 'line 6: .* did not hold: bytes is 2048, commutative? is #f$' -o allreduce -b 2048 --commutative no
told "for whom it holds" 'holds for 0 to 2048 bytes, operators that do not commute' -o allreduce -b 8 --commutative no
told "a fact behind a procedure" 'line 9: .* did not hold: bytes is 8192, uniform? is #f$' -o allreduce -b 8KiB -g node=2,core=2+1
told "the name of the communicator" '\* line 14: .* holds: root is 0, communicator is "rows"$' -o bcast --communicator rows
told "another name" 'line 14: .* did not hold: root is 0, communicator is' -o bcast
told "a crowd" '\* line 20: crowded? holds: crowded? is #t$' -o exscan --crowded yes
told "no crowd" 'line 20: crowded? did not hold: crowded? is #f$' -o exscan
told "a range around a size" 'the answer holds for this size alone' -o allreduce -b 1MiB
told "a range below it" 'the answer holds for 65537 to 1048575 bytes' -o allreduce -b 100KiB

# A conveyor's rules look at its load, too; its hops stand for its walks.
waymark explain ../show/map.scm -o conveyor -b 16 --load 2MiB -g node=2,core=2 >"$work/out" || fail "explain a conveyor"
holds "a load" 'line 28: (< load 1MiB) did not hold: load is 2097152$' "$work/out"
holds "an item" '\* line 29: (< bytes 64) holds: bytes is 16$' "$work/out"
holds "for which loads it holds" 'the answer holds for 0 to 63 bytes, loads of 1048576 bytes and more$' "$work/out"
holds "hops" '^route: 2 hops in bulk, tags of 1 bit in 1 byte; links of rank 0$' "$work/out"
says "a route that leaves ranks out" 1 "map.scm:30:[0-9]*: the route does not name axis 'core'" \
    waymark explain ../show/map.scm -o conveyor -b 100 --load 2MiB

# Rules of messages look at their protocol, and at whether the peer is near.
waymark explain ../show/map.scm -o messages --protocol mail -b 1KiB >"$work/out" || fail "explain messages"
holds "a peer that is not near" 'line 33: .* did not hold: near? is #f$' "$work/out"
holds "a protocol" '\* line 34: (string=? protocol "mail") holds: protocol is "mail"$' "$work/out"
holds "a rendezvous" '^  send   over when a receive has it, as every one$' "$work/out"
waymark explain ../show/map.scm -o messages --near yes >"$work/out" || fail "explain messages of no protocol"
holds "no protocol" 'line 33: .* did not hold: near? is #t, protocol is ""$' "$work/out"
holds "the limit of the program" 'within the eager limit, 4 KiB unless the program has another$' "$work/out"
holds "the node's memory" '^  net    memory of the node$' "$work/out"
waymark explain ../show/map.scm -o messages -b 2KiB >"$work/out" || fail "explain messages without a rule"
holds "messages without a rule" '^no rule holds, so they go as the limits of their group say; an (else' "$work/out"

# `show` gives the same answer in its own way, and takes the same words.
waymark show map.scm -o bcast --communicator rows >"$work/out" || fail "show with a communicator's name"
holds "show with a communicator's name" "the rule at map.scm:14 answers" "$work/out"

# A path that does not serve the call: which rule gave it is said first, and what is wrong behind it.
sed 's/ uniform? consecutive?/ (> ranks 1)/' map.scm >"$work/ragged.scm"
says "a rule whose path does not serve" 1 "ragged.scm:10:12: 'reduce-scatter' over axis 'core' needs as many ranks" \
    waymark explain "$work/ragged.scm" -o allreduce -b 4096 -g node=2,core=2+1
holds "a rule whose path does not serve" '\* line 9: (and (short?) (> ranks 1)) holds: bytes is 4096, ranks is 3' "$work/out"

says "bytes that are not shared" 1 "map.scm:17:10: 'bytes' is not known for 'alltoallv': its ranks need not know" \
    waymark explain map.scm -o alltoallv
same "nothing is explained of it" "" "$(cat "$work/out")"
if waymark explain map.scm -o allreduce | grep -q "$(printf '\033')"; then
    fail "colour in a pipe"
fi
says "no map" 2 "no map is named" waymark explain --op bcast
says "two maps" 2 "one map at a time" waymark explain a b --op bcast
says "no operation" 2 "no operation is named" waymark explain map.scm
says "an unknown operation" 2 "unknown operation 'alreduce'; did you mean 'allreduce'?" waymark explain map.scm --op alreduce
says "a size" 2 "'8kb' is no size" waymark explain map.scm --op bcast --bytes 8kb
says "an operator" 2 "--commutative is 'yes' or 'no', not 'maybe'" waymark explain map.scm --op reduce --commutative maybe
says "an option of show" 2 "unknown option '--rank'" waymark explain map.scm --op reduce --rank 3
says "a root that is not there" 1 "there is no rank 9" waymark explain map.scm --op bcast --root 9 --grid node=2,core=2
says "a map that is not there" 1 "no map 'hierarhcy'.*(.*hierarchy" waymark explain hierarhcy --op bcast

# Every answer of the maps that come with Waymark fits the page.
for shipped in $(shipped_maps); do
    for operation in barrier bcast reduce allreduce; do
        has_turn || continue
        waymark explain "$shipped" --op $operation --bytes 64KiB --grid node=3,core=3+2 >"$work/out" 2>&1 ||
            fail "the map $shipped does not serve $operation: $(cat "$work/out")"
        [ "$(grep -v -F "/$shipped.scm" "$work/out" | LC_ALL=C.UTF-8 wc -L)" -le 110 ] || fail "$shipped, $operation: wider than 110 columns"
    done
done
finish
