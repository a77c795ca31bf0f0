#!/bin/sh
# waymark init: the map that it writes does what `fast` does, says what is taken where, and replaces no file unasked.
. "${srcdir:-.}/tests/tools/expect.sh"
generate=$(cd "${top_builddir:-.}" && pwd)/tests/tracer/generate
cd "$work" || exit 99

# proofs MAP OPTION ...: what `check` says of it, without lines of the map.
proofs() {
    waymark check "$@" | awk '
        NF == 0 {line = 0}
        line {print substr($0, 1, line - 1) substr($0, line + 4)}
        / operation +bytes/ {line = index($0, "line")}' | sort
}

# does_as_fast WHAT MAP
does_as_fast() {
    for machine in core=3 node=2,core=2 node=2,core=1+2; do
        proofs fast --grid $machine >expected
        proofs "$2" --grid $machine >found
        [ -s expected ] && cmp -s expected found || fail "$1: not as fast on $machine: $(diff expected found)"
    done
}

waymark init >out || fail "init: $(cat out)"
holds "what is written" "^map.scm is for core=[0-9]*, and says how to go on$" out
does_as_fast "a map for this host" ./map.scm
says "a file that is there" 1 "'map.scm' is there already: name another file with -o, or replace it with --force" waymark init
cp map.scm before
waymark init --grid node=4,core=4 --force >out || fail "init --force"
cmp -s before map.scm && fail "--force replaced nothing"
says "a trace and a machine" 2 "take --grid or 'x' out" waymark init --grid core=2 x
says "no machine" 1 "'four' is no machine" waymark init --grid four -o none.scm
says "no trace" 1 "cannot read the trace directory 'none'" waymark init none -o none.scm
[ -e none.scm ] && fail "a map is left of a failure"

# What is taken where, and what a stage may have instead.
waymark init --grid node=4,core=4 -o - >map
awk '/\(on allreduce/ {on = 1} on; /shards/ {on = 0}' map | grep -A1 ';; Here' | tr -s ' ' >here
printf ' ;; Here up to 16KiB:\n ((and (= clusters 1) (or (<= bytes 16KiB) (not uniform?)))\n--\n ;; Here above 16KiB:\n ((= clusters 1)\n' >expected
same "the rules of allreduce that are taken" "$(cat expected)" "$(cat here)"
sed -n 's/^ *;; //p' map | paste -sd ' ' >words # a list may go on in a further line
holds "shapes" "Shapes of (reduce core): 'flat [^.]*'shared\." words
holds "shapes between nodes" "Shapes of (barrier node): [^.]*'dissemination\." words
[ "$(awk 'length > 122' map | wc -l)" -eq 0 ] || fail "lines are too long"

# The calls of a trace: the dearest operation first, and what was not called last.
"$generate" trace --ranks 6 --hosts 2 --operation mixed --calls 40 >out 2>&1 || fail "no trace: $(cat out)"
waymark init trace -o first.scm >out || fail "init of a trace"
holds "its machine" "^first.scm is for node=2,core=3,*" out
does_as_fast "a map of a trace" ./first.scm
grep -o ';; [a-z]*: .* took .* of all' first.scm | sed 's/.*, \([<0-9]*\) % of all/\1/' >shares
[ "$(wc -l <shares)" -ge 3 ] && sort -rn shares | cmp -s - shares || fail "not the dearest first: $(cat shares)"
holds "sizes" ";; allreduce: [0-9]* calls of .* took .* of rank time" first.scm
sed -n '/What follows is not called/,$p' first.scm >rest
holds "what is not called" "(on alltoall$" rest
grep -q '(on allreduce' rest && fail "allreduce is called"

# Ranks in no order, on the hosts 0 1 1 0: the machine is one like the run's, which is told.
"$generate" apart --ranks 4 --hosts 2 --operation allreduce --calls 4 >out 2>&1 || fail "no trace: $(cat out)"
sed -i 's/"host":"host0"/"host":"host1"/' apart/rank-00001.json
sed -i 's/"host":"host1"/"host":"host0"/' apart/rank-00003.json
waymark init apart -o apart.scm >out 2>&1 || fail "init of ranks in no order"
holds "the machine of ranks in no order" "^apart.scm is for node=2,core=2, and" out
holds "that it is not the run's" "no text says how the ranks of 'apart' stand; node=2,core=2 has as many on each host" out
holds "that it is not the run's, in the map" "^;; which has as many ranks on each host as the run had, but in order" apart.scm
grep -q 'as many on' first.scm && fail "ranks in order are told"
finish
