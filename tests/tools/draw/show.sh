#!/bin/sh
# What `waymark show` says of a small map: compared with files kept beside it, and changed.
. "${srcdir:-.}/tests/tools/expect.sh"
cases=$top_srcdir/tests/tools/draw/show
cd "$cases" || exit 99

# golden FILE ARGUMENT ...
golden() {
    expected=$1
    shift
    waymark show "$@" >"$work/found" 2>&1 || fail "show $*: exit status $?"
    diff -u "$expected" "$work/found" || fail "show $* differs from $expected"
}

golden allreduce.txt map.scm --op allreduce --bytes 8 --grid node=2,core=4
golden rank.txt map.scm --op allreduce --bytes 8 --grid node=2,core=4 --rank 2
golden reduce.txt map.scm --op reduce --bytes 64 --grid node=2,core=5+3 --root 6
golden gather.txt map.scm --op gather --bytes 16 --grid node=2,core=3+2 --root 4
golden scatterv-rank.txt map.scm --op scatterv --grid node=2,core=3 --root 1 --rank 1
golden alltoallv.txt map.scm --op alltoallv --bytes 1KiB --grid core=5
golden reduce-scatter.txt map.scm --op reduce-scatter --grid node=2,core=2
golden neighbor.txt map.scm --op neighbor-alltoall --grid node=2,core=4,order=cyclic

golden shared.txt map.scm --op allgather --bytes 16 --grid node=2,core=3
golden shared-rank.txt map.scm --op allgather --bytes 16 --grid node=2,core=3 --rank 3

# Tables of a conveyor are structures of the library, which change as it does: that they are in the sum is asked below.
conveyor() {
    expected=$1
    shift
    waymark show map.scm --op conveyor "$@" >"$work/whole" 2>&1 || fail "show $*: exit status $?"
    sed -e '/^  \(tables\|total\|the most\)/d' -e 's/ holds: .*/ holds/' "$work/whole" >"$work/found"
    diff -u "$expected" "$work/found" || fail "show --op conveyor $* differs from $expected"
}
conveyor conveyor.txt --grid node=2,core=3
conveyor conveyor-bulk.txt --load 1MiB --bytes 16 --grid node=2,core=2 --elastic
conveyor conveyor-rank.txt --bytes 24 --grid node=3,core=3+2 --rank 3 --to 1
same "the sum of a rank's memory" "$(sed -n 's/^memory that rank 3 holds: \([0-9]*\) bytes$/\1/p' "$work/whole")" \
    "$(sed -n '/^memory that rank 3/,$s/^  [a-z]* *\([0-9]*\).*/\1/p' "$work/whole" | awk '{ sum += $1 } END { print sum }')"
holds "tables" '^  tables  *[1-9][0-9]*$' "$work/whole"

# Another shape, another picture.
sed "s/'butterfly/'ring/" map.scm >"$work/ring.scm"
waymark show "$work/ring.scm" --op allreduce --bytes 8 --grid node=4,core=4 >"$work/ring" || fail "show ring"
waymark show map.scm --op allreduce --bytes 8 --grid node=4,core=4 >"$work/butterfly" || fail "show butterfly"
holds "a butterfly" "allreduce node .* 0↔8 4↔12" "$work/butterfly"
if grep -q "0↔8 4↔12" "$work/ring"; then
    fail "a ring is shown as a butterfly"
fi

waymark show map.scm --op allreduce --bytes 1MiB --grid node=2,core=2 >"$work/large" || fail "show large"
holds "the range of bytes" "holds for 3073 to 1048576 bytes" "$work/large"
holds "a size as one writes it" "(segment 64KiB #:window 2)" "$work/large"
holds "rounds left out" "rounds 19 to .* are left out" "$work/large"
waymark show map.scm --op allreduce --bytes 1MiB --grid node=2,core=2 --all >"$work/all" || fail "show --all"
if grep -q "left out" "$work/all"; then
    fail "--all leaves rounds out"
fi

waymark show map.scm --op allreduce --bytes 2MiB >"$work/native" || fail "show native"
holds "a native path" "native: the MPI library's own collective" "$work/native"
waymark show map.scm --op alltoall >"$work/none" || fail "show without a rule"
holds "no rule" "no rule of map.scm fits" "$work/none"

# Sizes that ranks need not know: nothing of them in the head, what is drawn beneath it.
waymark show map.scm --op gatherv --grid core=3 >"$work/gatherv" || fail "show gatherv"
same "the head of a gatherv" "gatherv to rank 0: 3 ranks on 1 node (core=3)" "$(head -1 "$work/gatherv")"
holds "blocks of a gatherv" '^drawn with blocks of 8 B$' "$work/gatherv"
holds "messages of a gatherv" '^  messages       2, 16 B$' "$work/gatherv"
waymark show map.scm --op allgatherv --bytes 1KiB --grid node=2,core=2 >"$work/allgatherv" || fail "show allgatherv"
same "the head of an allgatherv" "allgatherv of 1 KiB a block: 4 ranks on 2 nodes (node=2,core=2)" "$(head -1 "$work/allgatherv")"
holds "messages of an allgatherv" '^  messages       6, 14 KiB$' "$work/allgatherv"
waymark show map.scm --op neighbor-allgatherv --grid core=3 >"$work/row" || fail "show neighbor-allgatherv"
holds "a topology of one row" '^drawn on a periodic cartesian topology of 1 × 3, with blocks of 8 B$' "$work/row"
waymark show map.scm --op neighbor-alltoall --grid core=1 >"$work/self" || fail "show a neighbor of itself"
holds "a rank that is its own neighbor" '^  messages       0, 0 B$' "$work/self"
waymark show native --op alltoallv >"$work/native" || fail "show native alltoallv"
if grep -q drawn "$work/native"; then
    fail "blocks of a native alltoallv"
fi

# Every operation that a shipped map has a path for is drawn with messages. (`waymark check` proves all of them: check.sh.)
for shipped in $(shipped_maps); do
    for operation in $(collectives | grep -vx 'barrier\|bcast\|reduce\|allreduce'); do
        has_turn || continue
        waymark show "$shipped" --op $operation --grid node=2,core=3+2 >"$work/out" 2>&1 ||
            fail "the map $shipped does not serve $operation: $(cat "$work/out")"
        grep -q '^native: ' "$work/out" || holds "$shipped, $operation" '^  messages       [1-9]' "$work/out"
        [ "$(grep -v -F "/$shipped.scm:" "$work/out" | LC_ALL=C.UTF-8 wc -L)" -le 110 ] || fail "$shipped, $operation: wider than 110 columns"
    done
done

for shipped in $(shipped_maps); do
    for operation in barrier bcast reduce allreduce; do
        has_turn || continue
        waymark show "$shipped" --op $operation --bytes 64KiB --grid node=3,core=3+2 >"$work/out" 2>&1 ||
            fail "the map $shipped does not serve $operation: $(cat "$work/out")"
        # A long path to the map may stand out.
        [ "$(grep -v -F "/$shipped.scm:" "$work/out" | LC_ALL=C.UTF-8 wc -L)" -le 110 ] || fail "$shipped, $operation: wider than 110 columns"
    done
done

waymark show map.scm --op bcast --grid node=3,core=2 --format dot >"$work/graph" || fail "show --format dot"
holds "an arrow of the graph" '^  0 -> 2 \[color="#[0-9A-F]*", label="1: 8 B"\];' "$work/graph"
holds "a cluster of the graph" 'subgraph cluster_2' "$work/graph"
waymark show map.scm --op neighbor-alltoall --grid node=2,core=4,order=cyclic -f dot >"$work/edges" || fail "show edges"
holds "the title of a graph" 'label="neighbor-alltoall, drawn on a periodic cartesian topology of 2 × 4, with blocks' "$work/edges"
holds "two messages of one round" '^  0 -> 4 \[color="#[0-9A-F]*", label="1: 16 B"\];' "$work/edges"
holds "a message of a later round" '^  0 -> 3 \[color="#[0-9A-F]*", label="3: 8 B"\];' "$work/edges"
waymark show map.scm --op gather --bytes 16 --root 1 --grid core=3 -f dot >"$work/blocks" || fail "show --format dot of a gather"
holds "the title of a gather's graph" 'label="gather of 16 B a block to rank 1, core=3, ' "$work/blocks"
waymark show map.scm --op barrier --grid node=2,core=2 -f dot >"$work/memory" || fail "show --format dot of shared steps"
holds "a shared step of the graph" '^  shared1 \[shape=box, color="#[0-9A-F]*", label="1: shared reduce of 0 B"\];' "$work/memory"
holds "who gives" '^  1 -> shared1 \[dir=forward, style=dashed, color="#[0-9A-F]*"\];' "$work/memory"
holds "who gets" '^  0 -> shared1 \[dir=back, ' "$work/memory"
same "lines of shared steps" 8 "$(grep -c ' -> shared' "$work/memory")"
if command -v dot >/dev/null; then
    dot -Tsvg "$work/graph" >"$work/svg" 2>"$work/err" || fail "dot does not read the graph"
    same "dot's complaints" "" "$(cat "$work/err")"
    same "arrows drawn" 5 "$(grep -c 'class="edge"' "$work/svg")"
fi

# The memory of a large machine: what the issue asks for, exactly, and what stands beside it.
waymark show map.scm --op conveyor --bytes 8 --grid node=4096,core=32 --to 77777 >"$work/huge" || fail "show 131,072 ranks"
holds "hops of 131,072 ranks" 'route: 3 hops, tags of 12 bits in 2 bytes; links of rank 0' "$work/huge"
holds "links between nodes" '^    2  node     128          0       127          1$' "$work/huge"
holds "the last hop of 131,072 ranks" '^    3  core  77760→77777  in memory ' "$work/huge"
holds "a sample" 'bytes, at rank [0-9]*; the least: [0-9]*, at rank [0-9]*; of [0-9,]* ranks that were looked at$' "$work/huge"
waymark show map.scm --op conveyor --grid node=2,core=2 --to 3 -f dot >"$work/hops" || fail "show --format dot of a conveyor"
holds "the title of a conveyor's graph" 'label="conveyor of 8 B an item, node=2,core=2, map.scm:[0-9]*"' "$work/hops"
holds "a link both ways" '^  1 -> 2 \[color="#009E73", dir=both\];' "$work/hops"
holds "an item's first hop" '^  0 -> 1 \[color="#D55E00", penwidth=3, label="1: tag 1"\];' "$work/hops"
same "links of three hops" 5 "$(grep -c 'dir=both' "$work/hops")"
waymark show map.scm --op conveyor --grid node=40,core=2 -f dot >"$work/way" || fail "show --format dot of many ranks"
same "ranks on the way" 4 "$(grep -c '^    [0-9]*;$' "$work/way")"
waymark show map.scm --op conveyor --grid node=40,core=2 -f dot --all >"$work/way" || fail "show --all of a conveyor"
same "all ranks" 80 "$(grep -c '^    [0-9]*;$' "$work/way")"
waymark show map.scm --op conveyor --load 2MiB --bytes 512 >"$work/none" || fail "show a conveyor without a rule"
holds "a conveyor without a rule" '^no path: its constructor chooses hops and buffers$' "$work/none"
says "no hops to draw" 1 "no rule of the map fits, so that there are no hops to draw" \
    waymark show map.scm --op conveyor --load 2MiB --bytes 512 -f dot
says "a route that leaves ranks out" 1 "map.scm:[0-9]*:44: the route does not name axis 'core'" \
    waymark show map.scm --op conveyor --load 2MiB --bytes 100
says "shared memory between nodes" 1 "map.scm:[0-9]*:39: shared memory does not reach the ranks of other nodes" \
    waymark show map.scm --op conveyor --load 2MiB --bytes 200
says "a destination that is not there" 1 "there is no rank 16: the machine 'node=4,core=4' has 16, from 0" \
    waymark show map.scm --op conveyor --to 16
says "a load" 2 "'much' is no size" waymark show map.scm --op conveyor --load much

# Messages: how one goes.
waymark show map.scm --op messages --protocol mail --near yes --bytes 8KiB >"$work/mail" || fail "show messages"
holds "the call" "^messages of 8 KiB each by mail, to a peer of the node: 16 ranks on 4 nodes" "$work/mail"
holds "the send" "^  send   over when a receive has it: 8 KiB is above the eager limit, 2 KiB$" "$work/mail"
holds "the data" "^  data   read from the sender's memory, where that is allowed, else in chunks$" "$work/mail"
holds "the trace" "^  trace  post, arrival, match and end of each$" "$work/mail"
waymark show map.scm --op messages --bytes 8 >"$work/mail" || fail "show messages between nodes"
holds "small data" "^  data   goes with the header$" "$work/mail"
holds "the net between nodes" "^  net    messages of the MPI library$" "$work/mail"
holds "small messages that are gathered" "^  gather small ones wait for others, 4 KiB in all" "$work/mail"
waymark show map.scm --op messages --bytes 8KiB >"$work/mail" || fail "show messages without a rule"
holds "messages without a rule" "^no path: they go as the limits of their group say$" "$work/mail"
echo "(path-map (on messages (path (remote 'auto))))" >"$work/plain.scm"
waymark show "$work/plain.scm" --op messages --bytes 100KiB --grid node=100,core=4 >"$work/mail" || fail "show many ranks"
holds "a share of memory" "^  send   over when a receive has it: 100 KiB is above the eager limit, 82.1 KiB unless" "$work/mail"
says "no graph of messages" 1 "nobody knows who sends messages to whom, so that there is no graph" \
    waymark show map.scm --op messages -f dot

says "a procedure that makes no tree" 1 "map.scm:14:[0-9]*: the procedure given to 'reduce' makes no tree of 4 members" \
    waymark show map.scm --op allreduce --bytes 2000
says "a tree for another number of members" 1 "map.scm:15:.*the tree of 'reduce' names 3 members, but .* has 4" \
    waymark show map.scm --op allreduce --bytes 3000
says "a stage that needs a uniform grid" 1 "map.scm:16:.*'reduce-scatter' over axis 'core' needs as many ranks" \
    waymark show map.scm --op allreduce --bytes 4000 --grid node=2,core=2+1
says "a machine" 1 "'node=x' is no machine" waymark show map.scm --op bcast --grid node=x
says "a root that is not there" 1 "there is no rank 9" waymark show map.scm --op bcast --root 9 --grid node=2,core=2
says "a rank that is not there" 1 "there is no rank 9" waymark show map.scm --op bcast --rank 9 --grid node=2,core=2
says "a map that is not there" 1 "no map 'hierarhcy'.*(.*hierarchy" waymark show hierarhcy --op bcast
says "a call too large" 1 "too large to be carried out here: 8192 ranks have blocks for 67 million pairs" \
    waymark show fast --op alltoall --bytes 1KiB --grid node=128,core=64
says "a path too large" 1 "too large to be carried out here: 8192 ranks have more than the 16 million steps" \
    waymark show ring --op allgather --bytes 1KiB --grid node=128,core=64
says "no map" 2 "no map is named" waymark show --op bcast
says "two maps" 2 "one map at a time" waymark show a b --op bcast
says "no operation" 2 "no operation is named" waymark show map.scm
says "an unknown operation" 2 "unknown operation 'alreduce'; did you mean 'allreduce'?" waymark show map.scm --op alreduce
says "a size" 2 "'8kb' is no size" waymark show map.scm --op bcast --bytes 8kb
says "a negative size" 2 "'-8' is no size" waymark show map.scm --op bcast --bytes -8
says "a format" 2 "--format is 'text' or 'dot', not 'svg'" waymark show map.scm --op bcast --format svg
says "an unknown option" 2 "unknown option '--grd'; did you mean '--grid'?" waymark show map.scm --grd x
says "an option without its argument" 2 "'--grid' needs its argument MACHINE" waymark show map.scm --grid
finish
