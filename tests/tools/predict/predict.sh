#!/bin/sh
# What `waymark predict` says: of one call to the letter, on assumed figures; of many; and of what is wrong.
. "${srcdir:-.}/tests/tools/expect.sh"
cd "$top_srcdir/tests/tools/predict" || exit 99

waymark predict hierarchy native --op allreduce --bytes 8 --grid node=4,core=4 >"$work/call.txt" 2>&1 ||
    fail "a call: exit status $?"
diff -u call.txt "$work/call.txt" || fail "a call differs from call.txt"

# Shares add up, and the same question has the same answer.
ask() { waymark predict fast --op allgather,bcast,barrier --bytes 8,64KiB --grid node=3,core=3+2+4 --format json; }
ask >"$work/one.json" || fail "json: exit status $?"
ask >"$work/two.json"
cmp "$work/one.json" "$work/two.json" || fail "two answers to one question"
python3 - "$work/one.json" <<'END' || fail "the object"
import json, sys
result = json.load(open(sys.argv[1]))
sizes = [(o["name"], s["bytes"], s["results"][0]) for o in result["operations"] for s in o["sizes"]]
assert len(sizes) == 5 and result["ranks"] == 9, sizes
for name, size, r in sizes:
    assert sum(part["ps"] for part in r["parts"]) == r["ps"], (name, size)
    assert not r["modelled"], (name, size)
    assert r["stamp"] == "assumed" and r["min_ns"] < r["median_ns"] < r["p95_ns"]
END

# A profile of a distant machine: nearly all is latency.
cat >"$work/far.json" <<'END'
{"format": "waymark-profile-1",
 "links": [{"level": "node", "net": "mpi", "eager": 1024}],
 "messages": [{"level": "node", "net": "mpi", "latency": {"value": 2000000000, "unit": "ps", "origin": "measured", "n": 9}}]}
END
waymark predict binomial -o bcast -b 8 -g node=8 -p "$work/far.json" >"$work/far.txt" || fail "far: exit status $?"
holds "three crossings" '100 %  6.00 ms      3 .*latency of node by mpi' "$work/far.txt"
holds "half of it" 'With half of latency of node by mpi it would take 3.00 ms: 2.00 times as fast' "$work/far.txt"
holds "no such machine was measured" 'transferred' "$work/far.txt"
sed 's/^ "links"/ "errors": [{"kind": "messages", "up_to": 0, "ninety": 1000, "median": 1000, "factor": 500000}],\n&/' \
    "$work/far.json" >"$work/factor.json"
waymark predict binomial -o bcast -b 8 -g node=8 -p "$work/factor.json" >"$work/far.txt" || fail "a factor: exit status $?"
holds "half by the factor" 'it would take 1.50 ms: 2.00 times as fast' "$work/far.txt"
for cores in 1 2; do # of each host, for two ranks
    sed "s/^ \"links\"/ \"hosts\": [{\"cores\": $cores}],\n&/" "$work/far.json" >"$work/cores.json"
    waymark predict binomial -o bcast -b 8 -g node=4,core=2 -p "$work/cores.json" >"$work/cores.txt" || fail "$cores cores: exit status $?"
    crowded=no
    ! grep -q 'transferred, crowded, ' "$work/cores.txt" || crowded=yes
    [ "$cores $crowded" = "1 yes" ] || [ "$cores $crowded" = "2 no" ] || fail "$cores cores for two ranks are crowded: $crowded"
done
# Eight ranks of a host with two cores take turns; of many more, some stand for all, which have a core each.
sed 's/^ "links"/ "hosts": [{"cores": 2, "yield": {"value": 8000000, "unit": "ps", "origin": "measured", "n": 9}}],\n&/' \
    "$work/far.json" >"$work/turns.json"
waymark predict binomial -o bcast -b 8 -g core=8 -p "$work/turns.json" >"$work/turns.txt" || fail "turns: exit status $?"
holds "turns" 'transferred, crowded, rule' "$work/turns.txt"
holds "turns" '100 % .* yield of hosts' "$work/turns.txt"
waymark predict ring -o allreduce -b 4MiB -g node=512,core=4 -p "$work/turns.json" >"$work/turns.txt" || fail "many turns: exit status $?"
holds "many turns" 'crowded, cores not shared, ' "$work/turns.txt"

# A statement that is a collective operation is predicted as that, to the picosecond; else as its messages: a shift of two
# ranks as the exchange that an allgather of them is, by one crossing; data that is asked for crosses twice; where senders
# alone know, the rounds of a barrier follow. By promises that is learned. What is packed and stored is copied.
cat >"$work/copies.json" <<'END'
{"format": "waymark-profile-1",
 "messages": [{"level": "node", "net": "mpi", "latency": {"value": 2000000000, "unit": "ps", "origin": "measured", "n": 9}}],
 "kernels": [{"kind": "copy", "call": 1000, "byte": 1000}, {"kind": "combine", "call": 5000}]}
END
cat >"$work/via.scm" <<'END'
(path-map #:grid '(node core)
  (on (statement "apart") (path (via 'messages) (remote 'mpi)))
  (on (statement "drops") (path (via 'conveyor)))
  (on (statement "whole") (path (via 'collective)))
  (on (statement "asks") (path (via 'messages) (remote 'mpi #:rendezvous 'all)))
  (on (statement "packs") (path (aggregate 1KiB)))
  (on messages (path (delay 1ms #:axis node)))
  (on bcast (path (bcast all))))
END
# ps FILE WORD ...: what is predicted, in picoseconds
ps() {
    file=$1
    shift
    waymark predict "$@" --no-library --format json >"$work/$file" || fail "$file: exit status $?"
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["operations"][0]["sizes"][0]["results"][0]["ps"])' "$work/$file"
}
shift='A@(i+1)%ranks <<= B@i where i in world'
far="-p $work/far.json"
same "a bcast" "$(ps op hierarchy -o bcast --root 2 -b 8 -g node=4,core=16)" \
    "$(ps text hierarchy -t 'x@i <<= x@2 where i in world' -g node=4,core=16)"
holds "a bcast is told" '"way": "bcast from rank 2, in blocks of 8 B' "$work/text"
same "an exchange" "$(ps op recursive-doubling -o allgather -b 8 -g node=2 $far)" "$(ps text flat -t "$shift" -g node=2 $far)"
same "of one crossing" 2000000000 "$(ps text flat -t "$shift" -g node=5 $far)"
same "of two" 4000000000 "$(ps text flat -t "$shift" -l 'A[65537]' -l 'B[65537]' -g node=5 $far)"
same "of two by the receiver's promise" 4000000000 "$(ps text flat -t "$shift" -l 'A[65530]' -l 'B[65530]' -g node=66 $far)"
same "of two by rendezvous" 4000000000 "$(ps text "$work/via.scm" -t "asks: $shift" -g node=5 $far)"
same "by its own rule alone" 2000000000 "$(ps text "$work/via.scm" -t "packs: $shift" -g node=5 $far)"
same "senders alone, four ranks" 6000000000 "$(ps text flat -t 'x@right <<= y@me' -l 'right=(me+1)%ranks' -g node=4 $far)"
same "eight ranks" 8000000000 "$(ps text flat -t 'x@right <<= y@me' -l 'right=(me+1)%ranks' -g node=8 $far)"
same "learned" 2000000000 "$(ps text flat -t 'x@right <<= y@me' -l 'right=(me+1)%ranks' -s right -g node=8 $far)"
same "packed and stored" $((2000000000 + 2 * (1000 + 80))) "$(ps text flat -t 'A[0 ... n][1]@(i+1)%ranks <<= B[0 ... n][1]@i where i in world' \
    -l n=10 -l 'A[n][2]' -l 'B[n][2]' -g node=3 -p "$work/copies.json")"
same "combined" $((2000000000 + 5000)) "$(ps text flat -t 'x@(i+1)%ranks << + << y@i where i in world' -g node=3 -p "$work/copies.json")"
same "packed for a bcast, and stored by its root" $((2000000000 + 2 * (1000 + 80))) "$(ps text flat -t 'A[0 ... n]@i <<= B[0 ... n][1]@0 where i in world' \
    -l n=10 -l 'A[n]' -l 'B[n][2]' -g node=2 -p "$work/copies.json" | tail -1)"
waymark predict "$work/via.scm" -t 'apart: x@i <<= x@2 where i in {1 ... 4}' -g node=4 $far >"$work/apart.txt" || fail "via messages: exit status $?"
holds "by messages" '^via: 2.00 ms ± ?, transferred, rule at line 2' "$work/apart.txt"
tells "which both know" 'both ends know: receives are posted. Not in the time: what ranks agree on' "$work/apart.txt"
waymark predict "$work/via.scm" native -t 'x@i <<= x@2 where i in world' -g node=4 >"$work/held.txt" ||
    fail "messages are held, a bcast is not: exit status $?"
tells "how it goes natively" 'native: left to the MPI library bcast from rank 2' "$work/held.txt"
says "messages held" 1 "'delay' holds" waymark predict "$work/via.scm" -t "$shift"
says "a conveyor" 1 "line 3 the statement goes by a conveyor" waymark predict "$work/via.scm" -t 'drops: x@right <<= y@me' -l 'right=0'
says "no collective" 1 "line 4 wants a collective operation" waymark predict "$work/via.scm" -t "whole: $shift"
says "a let alone" 2 "add --text" waymark predict flat -l n=1
says "sizes of a statement" 2 "say sizes by --let" waymark predict flat -t "$shift" -b 8

# What half of it takes: with a byte, hosts carry twice as much; nothing is said where copies come first.
waymark predict flat -o bcast -b 80000 -g node=2 >"$work/half.txt" || fail "half: exit status $?"
holds "half of a byte" 'With half of byte of node by mpi it would take 8.12 µs: 1.39 times as fast' "$work/half.txt"
waymark predict flat -t 'A[0 ... n]@i <<= B[0 ... n][1]@0 where i in world' -l n=1000000 -l 'A[n]' -l 'B[n][2]' -g core=2 \
    >"$work/half.txt" || fail "half of copies: exit status $?"
holds "copies come first" '57 % .* byte of copy' "$work/half.txt"
grep 'With half' "$work/half.txt" && fail "half of another"

# Several machines: one object each, and a picture over bytes and over ranks.
waymark predict flat ring -o allreduce,barrier -b 8,64KiB -g core=2 -g node=2,core=2 -g node=3,core=4 --plot "$work/plot.svg" \
    --format json >"$work/machines.json" || fail "machines: exit status $?"
python3 - "$work/machines.json" "$work/plot.svg" <<'END' || fail "machines and their picture"
import json, sys
import xml.etree.ElementTree as tree
machines = json.load(open(sys.argv[1]))["machines"]
assert [m["ranks"] for m in machines] == [2, 4, 12], machines
svg = tree.parse(sys.argv[2]).getroot()
texts = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}text")]
titles = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title")]
panels = ["barrier", "allreduce of 8 B", "allreduce of 64 KiB"]
panels += [f"{o}, {m['machine']}" for m in machines for o in ("barrier", "allreduce")]
assert all(p in texts for p in panels), (panels, texts)
assert {"flat", "ring", "Open MPI (modelled)", "ranks", "predicted time a call"} <= set(texts), texts
points = [t for t in titles if t.startswith("ring, 12 ranks: ")]
assert len(points) == 3, titles # of each panel over ranks
END

# Of 131,072 ranks one stands for all, or a core each of a node; data that is cut unevenly has a bound.
large='-g node=4096,core=32 --no-library'
waymark predict recursive-doubling -o allreduce -b 8 $large >"$work/large.txt" || fail "large: exit status $?"
holds "one rank" 'Of 131,072 ranks, alike by symmetry, 1 was carried out' "$work/large.txt"
waymark predict hierarchy -o allreduce -b 8 $large >"$work/large.txt" || fail "large: exit status $?"
holds "a node" 'Of 131,072 ranks, alike by symmetry, 32 were carried out' "$work/large.txt"
waymark predict ring -o allreduce -b 101KiB -g core=100 --no-library >"$work/large.txt" || fail "a bound: exit status $?"
holds "a bound" '^ring: at most ' "$work/large.txt"
holds "of even shares" 'that of 102 KiB, which it cuts evenly' "$work/large.txt"
# Each rank copies its blocks home in an order of its own.
waymark predict hierarchy -o allgather -b 1MiB -g node=32,core=4 --no-library >"$work/large.txt" || fail "rings: exit status $?"
holds "of rings" 'Of 128 ranks, alike by symmetry, 4 were carried out' "$work/large.txt"
# Each packs what it passes on from its own place in the send buffer on.
waymark predict recursive-doubling -o alltoallv -b 8 -g node=32,core=4 --no-library >"$work/large.txt" || fail "bruck: exit status $?"
holds "of Bruck's rounds" 'Of 128 ranks, alike by symmetry, 4 were carried out' "$work/large.txt"
says "too large" 1 "too large to be carried out here" waymark predict ring -o bcast -b 1GiB $large

says "a picture nowhere" 1 "cannot write 'no/plot.svg'" waymark predict flat -o barrier -g core=2 --plot no/plot.svg
says "no machine" 2 "'--grid' needs its argument" waymark predict flat -g ''
says "no profile" 1 "cannot read the profile 'none.json'" waymark predict fast -p none.json
says "no operation" 2 "unknown operation 'allreduc'" waymark predict fast -o allreduc
says "messages" 1 "'messages' is not predicted" waymark predict fast -o messages
says "a statement" 1 "name a collective operation, or say the statement by --text" waymark predict fast -o statement
says "no map" 2 "map" waymark predict
says "a root too far" 1 "there is no rank 99" waymark predict fast -o bcast --root 99

# Conveyors, by figures of two ranks, in ns: a push 2, a pull 1, another's item 1, a relay 5, a piece of a ring 256.
cat >"$work/map.scm" <<'END'
(path-map
  (on conveyor
    ((string=? communicator "far") (path (aggregate 1KiB) (route core node)))
    ((> load 100KiB) (path (trace 'large)
                          (aggregate 1KiB)
                          (route all)))))
END
cat >"$work/items.json" <<'END'
{"format": "waymark-profile-1", "fingerprint": {"grid": "node=1,core=2"},
 "items": [{"kind": "inlined", "net": "shm", "up_to": 8, "pull": 1000, "cross": 1000, "relay": 5000,
            "push": {"value": 2000, "unit": "ps", "origin": "measured", "n": 9}},
           {"kind": "inlined", "net": "mpi", "up_to": 8, "push": 2000, "pull": 1000, "relay": 5000}],
 "buffers": [{"level": "core", "net": "shm", "up_to": 0, "hand": 128000, "wait": 512000}],
 "conveyors": [{"level": "core", "net": "shm", "begin": 2000000, "end": 700000, "drain": 300000}],
 "errors": [{"kind": "conveyors", "up_to": 0, "ninety": 200000, "median": 100000, "factor": 1000000}]}
END
conveyor() { waymark predict "$work/map.scm" -o conveyor -g core=2 -p "$work/items.json" "$@"; }
# 2 + 1 + 1 / 2 + 256 / 128 an item of 8 B, and 700 at the end.
conveyor --items 20000 >"$work/conveyor.txt" || fail "a conveyor: exit status $?"
holds "its rate" 'map *core=2 *8 B *181 M *5.54 *111 µs *± 20 % *348 ns *9.5 KiB' "$work/conveyor.txt"
holds "its rule" 'calibrated, large, rule at line 4' "$work/conveyor.txt"
holds "its buffers" '36 %  *2.00  *5  buffers' "$work/conveyor.txt"
conveyor --items 20000 --format json >"$work/large.json" || fail "a conveyor as json: exit status $?"
conveyor --items 10000 --format json >"$work/small.json" || fail "a small one: exit status $?"
waymark show "$work/map.scm" -o conveyor -g core=2 --load 160000 >"$work/show.txt" || fail "show: exit status $?"
python3 - "$work/large.json" "$work/small.json" "$work/show.txt" <<'END' || fail "a conveyor as json"
import json, re, sys
large, small = (json.load(open(f))["conveyors"][0] for f in sys.argv[1:3])
told = re.search(r"(?:the most|holds)\D*: (\d+) bytes", open(sys.argv[3]).read()).group(1)
for c in large, small:
    assert sum(p["ps"] for p in c["parts"]) == c["ps"] and 0 < c["drain_ps"] < c["ps"], c
    assert c["error_ppm"] == 200000 and c["stamp"] == "calibrated", c
assert large["label"] == "large" and large["memory_most"]["total"] == int(told), (large, told)
assert small["rule_line"] == 0 and small["buffer_bytes"] == 16384, small # it pushes 80 kB
END
says "no such net" 1 "conveyors' messages between hosts cost; measure again, with two ranks on each of two hosts: mpirun" \
    conveyor -g node=2,core=2 --communicator far
says "an old profile" 1 "what conveyors cost; measure again" waymark predict fast -o conveyor -p "$work/far.json"
says "no profile" 2 "what a conveyor takes is not assumed; measure the machine" waymark predict fast -o conveyor
says "a conveyor and a call" 2 "conveyors are predicted apart" conveyor -o bcast
says "a root of a conveyor" 2 "a conveyor has no root" conveyor --root 0
says "items of a call" 2 "'--items' is of conveyors" waymark predict fast -o bcast --items 5
finish
