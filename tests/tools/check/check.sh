#!/bin/sh
# `waymark check`: what is proven, what is refused, and its exit status.
. "${srcdir:-.}/tests/tools/expect.sh"

cat >"$work/map.scm" <<'EOF'
(path-map
  (on allreduce
    ((< bytes 1024) (path (reduce core) (reduce node)))
    (else           (path (reduce-scatter core) (allreduce node))))
  (on gather (path (gather all))))
EOF

waymark check "$work/map.scm" --grid node=2,core=3 >"$work/found" 2>&1 || fail "check: $(cat "$work/found")"
holds "the small rule" "allreduce *0 B to 1023 B *3 .* proven" "$work/found"
holds "the large rule" "allreduce *from 1 KiB *4 .* proven" "$work/found"
holds "an operation without a choice" "gather .* proven" "$work/found"
holds "the sum" "of .* calls proven on 1 machine" "$work/found"

waymark check "$work/map.scm" --ranks 1-5 --op gather --bytes 8,1KiB >"$work/found" 2>&1 || fail "check --ranks"
holds "a size" "gather *1 KiB .* proven" "$work/found"
holds "the machines" "on 5 machines" "$work/found"
if grep -q allreduce "$work/found"; then
    fail "--op gather checks an allreduce"
fi

# Ends of ranges are told to the byte.
echo "(path-map (on bcast ((<= bytes 4KiB) (path (bcast all))) (else (path (bcast all #:shape 'chain)))))" >"$work/ends.scm"
waymark check "$work/ends.scm" --grid core=2 >"$work/found" 2>&1 || fail "check ends of ranges: $(cat "$work/found")"
holds "the first range" "bcast *0 B to 4 KiB *1 " "$work/found"
holds "the second range" "bcast *from 4097 B *1 " "$work/found"

# A range that ends at no size that there is: all its blocks together would have more bytes than a number holds.
for op in reduce-scatter allgather scan; do
    echo "(path-map (on $op ((or (= bytes 9223372036854775807) (>= bytes 64KiB)) (path ($op all))) (else (path ($op all)))))" \
        >"$work/endless.scm"
    waymark check "$work/endless.scm" --grid core=5 >"$work/found" 2>&1 || fail "check an endless range: $(cat "$work/found")"
done

# A stage that needs a uniform grid is refused where the grid is ragged, with its place in the map.
waymark check "$work/map.scm" --grid node=2,core=2+1 >"$work/found" 2>&1
same "a refused path's exit status" 1 $?
holds "a refused path" "allreduce, rule at line 4: REFUSED on node=2,core=2+1" "$work/found"
holds "its place" "map.scm:4:.*'reduce-scatter' over axis 'core' needs as many ranks" "$work/found"

# A map by names of hosts is proven on a machine that has them.
echo "(path-map #:grid '((rack (\"a*\") (\"b1\")) node core)
  (on barrier (path (reduce core) (reduce node) (barrier rack))))" >"$work/hosts.scm"
waymark check "$work/hosts.scm" --grid host=a1+a2+b1,core=2 >"$work/found" 2>&1 || fail "check hosts: $(cat "$work/found")"
holds "named hosts" "of .* calls proven on 1 machine" "$work/found"

# What neither a machine nor a call says is tried both ways.
cat >"$work/crowd.scm" <<'MAP'
(path-map
  (on allreduce
    (crowded? (path (reduce-scatter core) (allreduce node)))
    (else     (path (allreduce all)))))
MAP
waymark check "$work/crowd.scm" --grid node=2,core=2+1 >"$work/found" 2>&1
same "the exit status of a path for crowds" 1 $?
holds "a path for crowds" "allreduce, rule at line 3: REFUSED on node=2,core=2+1" "$work/found"
holds "the other path" "allreduce .* 4 .* proven" "$work/found"

# Sizes that are answered one by one end, so that many pieces of them do not take minutes.
echo "(path-map (on bcast ((even? bytes) (path (segment 4KiB) (bcast all)))))" >"$work/even.scm"
waymark check "$work/even.scm" --grid core=2 >"$work/found" 2>&1 || fail "check sizes one by one: $(cat "$work/found")"
holds "the last size" "bcast *1 MiB *1 .* proven" "$work/found"
if grep -q "2 MiB" "$work/found"; then
    fail "sizes that are answered one by one go beyond 1 MiB"
fi

# What cannot be carried out is said beforehand.
echo "(path-map (on bcast (path (scatter all #:out 'ring))))" >"$work/large.scm"
waymark check "$work/large.scm" --grid node=100,core=100 --bytes 1MiB --root 0 >"$work/found" 2>&1
same "too large a call's exit status" 1 $?
holds "too large a call" "too large to be carried out here" "$work/found"

# What is too large, but symmetric, is proven so, and that is said.
waymark check ring --op allgatherv --bytes 8 --grid node=50,core=20 >"$work/found" 2>&1 || fail "check by symmetry: $(cat "$work/found")"
holds "a verdict by symmetry" "allgatherv 8 B .* by symmetry " "$work/found"
holds "what stands for all" "so 20 of them, carried out" "$work/found"
holds "what repeats" "in 2 of 4 calls, on node=50,core=20" "$work/found"
holds "what is not proven" "after 20 ranks; other sizes are not proven" "$work/found"
holds "how many by symmetry" "4 of 4 calls proven, 4 by symmetry, on 1 machine" "$work/found"

# Conveyors: their routes are proven, of all pairs or of some.
cat >"$work/conveyor.scm" <<'MAP'
(path-map
  (on conveyor
    ((< load 1MiB)  (path (trace) (aggregate 4KiB) (route core node core)))
    ((>= bytes 64)  (path (route all) (remote 'mpi)))
    (else           (path (trace) (route core node) (remote 'shm)))))
MAP
waymark check "$work/conveyor.scm" --grid node=3,core=3+2 --bytes 64 >"$work/found" 2>&1 ||
    fail "check a conveyor: $(cat "$work/found")"
holds "a conveyor's first runs" "conveyor *64 B *3 *3 .* proven" "$work/found"
holds "a conveyor's later runs" "conveyor *64 B *4 *1 .* proven" "$work/found"
holds "all pairs" "conveyor, rule at line 3: 64 pairs of 8 ranks are connected, each by one way, of 1 to 3 hops" \
    "$work/found"
holds "the other rule" "conveyor, rule at line 4: 64 pairs of 8 ranks are connected, each by one way, of 1 hop;" "$work/found"
waymark check "$work/conveyor.scm" --grid node=512,core=8 --bytes 64 >"$work/found" 2>&1 ||
    fail "check a conveyor: $(cat "$work/found")"
holds "a sample" "conveyor, rule at line 3: [0-9,]* pairs, a sample, of 4,096 ranks are connected" "$work/found"
waymark check "$work/conveyor.scm" --grid node=2,core=2 >"$work/found" 2>&1
same "a refused route's exit status" 1 $?
holds "a refused route" "conveyor, rule at line 5: REFUSED on node=2,core=2 with items of 0 B" "$work/found"
holds "its place" "conveyor.scm:5:53: shared memory does not reach the ranks of other nodes" "$work/found"

# Messages: their nets reach the peers, and one protocol has one net.
cat >"$work/messages.scm" <<'MAP'
(path-map
  (on messages
    ((string=? protocol "bulk") (path (remote 'shm 'mpi #:eager 1KiB)))
    ((<= bytes 1KiB) (path (trace 'small)))
    (near? (path (remote 'mpi)))
    (else (path (trace 'large)))))
MAP
waymark check "$work/messages.scm" --protocol bulk >"$work/found" 2>&1 || fail "check messages: $(cat "$work/found")"
holds "messages of one protocol" "messages *any *3 .* proven" "$work/found"
holds "machines of one node, and of more" "29 of 29 calls proven on 20 machines" "$work/found"
waymark check "$work/messages.scm" --grid node=2,core=2 >"$work/found" 2>&1
same "two nets of one protocol: exit status" 1 $?
holds "two nets of one protocol" "messages.scm:5:18: messages of one protocol to one peer take one net" "$work/found"
holds "one call is wrong" "3 of 4 calls proven" "$work/found"

says "progress off a terminal" 0 "^waymark check: 0 calls done; now bcast on node=32,core=32" \
    waymark check fast --op bcast --bytes 8 --grid node=32,core=32

for shipped in $(shipped_maps); do
    waymark check "$shipped" >"$work/found" 2>&1 || fail "the shipped map $shipped: $(cat "$work/found")"
done

cat >"$work/idle.scm" <<'MAP'
(path-map
  (on bcast
    ((string=? communicator "solver") (path (bcast all #:shape 'chain)))
    ((>= bytes 0) (path (bcast all)))
    (else (path (bcast all #:shape 'flat)))))
MAP
waymark check "$work/idle.scm" --grid node=2,core=2 >"$work/found" 2>&1 || fail "a map with idle rules"
grep -q "no call that was checked falls under the rule of bcast at line 3" "$work/found" || fail "an idle rule is not told"
grep -q "no call comes to the last rule of bcast: those before take all" "$work/found" || fail "a dead rule is not told"
waymark check "$work/idle.scm" --grid node=2,core=2 --communicator solver >"$work/found" 2>&1 || fail "a communicator's name"
grep -q "bcast  *any  *3 .* proven " "$work/found" || fail "a rule for a name is not proven"

# The map of everyday leaves no operation out, nor do those under which tests/mpi/collectives.sh asks for all of them.
for map in fast native flat hierarchy "$top_srcdir/tests/mpi/maps/all-rounds.scm" "$top_srcdir/tests/mpi/maps/all-levels.scm"; do
    waymark check "$map" --ranks 2 --bytes 8 >"$work/found" 2>&1 || fail "the map $map on two ranks: $(cat "$work/found")"
    for operation in $(collectives); do
        grep -qE "^ *$operation .* (proven|native)" "$work/found" || fail "the map $map has no rule for $operation"
    done
done
says "no map" 2 "no map is named" waymark check
says "an unknown operation" 2 "unknown operation 'alreduce'; did you mean 'allreduce'?" \
    waymark check "$work/map.scm" --op alreduce
says "an unknown operation in a list" 2 "unknown operation 'gahter'; did you mean 'gather'?" \
    waymark check "$work/map.scm" --op bcast,gahter
waymark check "$work/map.scm" --op allreduce,gather --ranks 3 --bytes 8-16 >"$work/found" 2>&1
same "operations of a list" "allreduce gather" "$(echo $(awk '/proven  /{print $1}' "$work/found" | sort -u))"
says "a list of ranks" 2 "'4-1' is no list of numbers of ranks" waymark check "$work/map.scm" --ranks 4-1
says "a list of sizes" 2 "'8kb' is no size" waymark check "$work/map.scm" --bytes 8kb
says "a root that is not there" 1 "there is no rank 9" waymark check "$work/map.scm" --op gather --root 9 --ranks 4
says "a machine" 1 "'node=x' is no machine" waymark check "$work/map.scm" --grid node=x
says "a map that is not there" 1 "no map 'hierarhcy'" waymark check hierarhcy
finish
