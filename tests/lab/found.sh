#!/bin/sh
# Clusters that no map declares: the hosts of two clusters are told apart at the start, those of one network are not, `fast`
# serves every operation over them, alike and ragged, a map that does not speak of clusters, or a setting, keeps hosts
# from being asked, `waymark tune` times what crosses, and `waymark profile` measures it.
. "${srcdir:-.}/tests/lab/lab.inc.sh"
sh "$lab" up --dir "$hosts" --clusters 2 --hosts 2 --delay-ms 2 --life 600 || exit
COLLECTIVES_PLANNED=reductions
export COLLECTIVES_PLANNED
forwarded="$forwarded -x COLLECTIVES_PLANNED -x WAYMARK_CLUSTERS"
run_options=-v
WAYMARK_CLUSTERS=
export WAYMARK_CLUSTERS
parts="world every-root nothing burst barrier communicators blocks"

# found PPN PLACE WORD ...: fast, and what it says of clusters. On a busy machine hosts may look late, and are then in one;
# clusters that are none are never found.
found() {
    placed "$1" "$2"
    shift 2
    for start in $([ -z "$*" ] || echo 2 3) 1; do
        mapped fast "$ranks_placed" "$build/tests/mpi/collectives" 1 5 $parts || { echo "  with $placement"; return; }
        grep -q '^collectives: .* 0 wrong$' "$output" || fail "$placement: no result"
        said=$(sed -n 's/^waymark: \([0-9]* clusters of hosts\), .* within:/\1:/p' "$output")
        [ "$said" != "$*" ] || return
    done
    fail "$placement: '$said' instead of '$*'"
}

found 2,2,2,2 cyclic 2 clusters of hosts: h1 h2 '|' h3 h4
parts="world blocks"
found 3,1,2,2 block 2 clusters of hosts: h1 h2 '|' h3 h4
found 1,1,1,1 crossing 2 clusters of hosts: h1 h2 '|' h3 h4
found 2,2,1,0 cyclic 2 clusters of hosts: h1 h2 '|' h3
found 1,0,1,0 block
WAYMARK_CLUSTERS=0
found 1,1,1,1 block
WAYMARK_CLUSTERS=
placed 1,1,1,1 block
mapped hierarchy 4 "$build/tests/mpi/collectives" 1 5 world
grep -q 'clusters of hosts' "$output" && fail "hosts are asked for a map that does not name clusters"

# What tune times from a common start takes no less than the line. Neighbours are in different clusters.
placed 2,2,2,2 crossing
job 8 waymark tune --op bcast --bytes 8 --budget 2s -o "$work/far.scm"
[ $status -eq 0 ] || fail "tune between clusters: status $status"
grep -q "(bcast cluster)" "$work/far.tune.json" || fail "tune between clusters: paths of clusters are no candidates"
grep -o '"native_ns": [0-9.]*' "$work/far.tune.json" | awk '$2 < 2e6 { short++ } END { exit NR == 0 || short > 0 }' ||
    fail "tune between clusters: a bcast that crosses takes less than the line"

# What a message of up to 64 KiB takes, by the middle row of a level: from cluster to cluster as long as the line, 2 ms;
# within one it is far less.
message_us() { # LEVEL
    python3 -c 'import json, sys
rows = [m for m in json.load(open(sys.argv[1]))["messages"] if m["level"] == sys.argv[2] and 0 < m["up_to"] <= 65536]
us = sorted((m["latency"]["value"] + m["receive"]["value"]) / 1e6 +
            (m["byte"]["value"] + m["receive_byte"]["value"]) * m["up_to"] / 1e9 for m in rows)
print(int(us[len(us) // 2]) if us else -1)' "$work/far.json" "$1"
}
placed 1,1,1,1 crossing
job 4 waymark profile -o "$work/far.json" --budget 1s --calls 9
[ $status -eq 0 ] || fail "profile between clusters: status $status"
node_us=$(message_us node) cluster_us=$(message_us cluster)
[ "$cluster_us" -ge 1000 ] || fail "profile: $cluster_us us from cluster to cluster"
[ "$node_us" -ge 0 ] && [ "$((2 * node_us))" -le "$cluster_us" ] || fail "profile: $node_us us within a cluster, $cluster_us beyond"

sh "$lab" down --dir "$hosts"
sh "$lab" up --dir "$hosts" --clusters 1 --hosts 4 --life 600 || exit
parts=world
found 2,2,2,2 cyclic
verdict
