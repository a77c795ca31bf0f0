#!/bin/sh
# `waymark bench` without MPI: its command line, and results shown again. tests/mpi/bench.sh measures.
. "${srcdir:-.}/tests/tools/expect.sh"
for variable in $(env | sed -n 's/^\(\(OMPI\|PMIX\|PMI\|SLURM\|MPI\)_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$variable"
done
result=$(cd "${srcdir:-.}" && pwd)/tests/tools/bench/result.json
modules=${result%/*}/modules.json
cd "$work" || exit 99

# As the first of two ranks, without any library or program to go on with.
bench() {
    OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 WAYMARK_PRELOAD=$work/none.so WAYMARK_LIBEXEC=$work waymark bench "$@"
}

says "no launcher" 2 "there is no MPI job; start it in one, for example: mpirun -n 2 waymark bench" waymark bench
says "an operand" 2 "'fast' is no option; a map is named by -m" bench fast
says "a map that is not there" 1 "no map 'hierarchie'" bench -m hierarchie
says "a map twice" 2 "the map 'ring' is named twice" bench -m ring -m flat -m ring
says "no map beside a map" 2 "-m none stands beside another map" bench -m none -m ring
says "native as a map" 2 "'native' is the MPI library" bench -m native
says "nothing to measure" 2 "leave nothing to measure" bench -m none --against none
says "an unknown operation" 2 "no operation 'alreduce' is measured; did you mean 'allreduce'?" bench --op bcast,alreduce
says "no operation" 2 "no operation '' is measured" bench --op bcast,
says "no size" 2 "'8x' is no size" bench --bytes 8x
says "no size in a list" 2 "'4kB' is no size" bench --bytes 8,4kB
says "a range that is none" 2 "'64-8' ends before it begins" bench --bytes 64-8
says "a range without an end" 2 "'8-' is no size" bench --bytes 8-
says "no bytes" 2 "'0-8' moves nothing" bench --bytes 0-8
says "too many bytes" 2 "goes beyond 2 GiB" bench --bytes 4GiB
says "a module without a name" 2 "'' is no name of a module" bench --against default,
says "a module's name" 2 "'Sm' is no name of a module" bench --against default,Sm
says "a module twice" 2 "'sm' is named twice" bench --against sm,tuned,sm
says "none beside a module" 2 "'none' stands beside modules" bench --against none,sm
says "no rounds" 2 "rounds is a whole number from 1 to 1000000, not '0'" bench --rounds 0
says "a wrong rotation" 2 "'much' is no size" bench --rotate 0,much
says "a wrong format" 2 "--format is 'text', 'json' or 'csv', not 'xml'" bench --format xml
says "a file without a name" 2 "'--plot' needs its argument FILE.svg, and that is empty" bench --plot ""
says "no library" 1 "cannot read the library '.*/none.so'" bench -m ring
says "no program" 1 "cannot run '.*/waymark-bench'" bench -m none
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 waymark bench --bytes 8x >out 2>&1
same "another rank's complaint" "2 " "$? $(cat out)"

waymark bench --list >out
same "the operations" "$(echo $(collectives | grep -v neighbor) copy)" "$(echo $(sed 1d out | awk '{print $1}'))"

waymark bench --from "$result" --plot plot.svg >text || fail "a result shown as text"
holds "the ranks" "^2 ranks on 1 node; native: Open MPI v4.1.4$" text
holds "which way a ratio goes" "above 1 the map is faster" text
holds "small times" "^ *8 B *140 ns *160 ns *170 ns *48 ns *40 ns *61 ns *4.00$" text
holds "large times" "^ *1 MiB *250 µs *263 µs *300 µs *500 µs *526 µs *1.50 ms *0.50$" text
holds "a wrong result" "^ *2 MiB .*WRONG RESULT *-$" text
holds "the mean" "^a<b>&c.scm: 1.82 times as fast as native (geometric mean of 3); best 4.00 (allreduce, 8 B), worst 0.50" text
holds "where it is slower" "slower: allreduce (1 MiB)$" text
holds "an operation's ratios" "^ *allreduce *2.25 *0.50 *1 MiB *default$" text
holds "the machine's limit" "^ *barrier *40 ns *3.75 *1.25$" text
holds "what was left out" "^left out: scan of 1 B" text
grep -q "$(printf '\033')" text && fail "colour where there is no terminal"
waymark bench --from "$result" --format csv -o table.csv || fail "a result as csv"
same "csv" 'allreduce,1048576,33554432,a<b>&c.scm,500000.0,526000.0,1500000.0,0.5000,yes' "$(sed -n 7p table.csv)"
same "a wrong result's csv" 'allreduce,2097152,33554432,a<b>&c.scm,,,,,no' "$(sed -n 9p table.csv)"
waymark bench --from "$result" --format json >again.json && waymark bench --from again.json >text_again
cmp -s text text_again || fail "a result that was written and read again is another"

holds "a plot's tooltip" "<title>a&lt;b&gt;&amp;c.scm, 8 B: median 40 ns, min 48 ns, p95 61 ns; 4.00 times as fast as native" plot.svg
holds "both colour schemes" "prefers-color-scheme:dark" plot.svg
same "its panels" 2 "$(grep -c 'class="title"' plot.svg)"
same "its points" 7 "$(grep -c 'circle.*<title>' plot.svg)"
if command -v xmllint >/dev/null; then
    xmllint --noout plot.svg || fail "the plot is not well-formed"
fi

# Several modules and rotations.
waymark bench --from "$modules" --plot plot.svg >text || fail "modules shown as text"
holds "who contends" "^ *default *sm *fast$" text
holds "a hot buffer" "^ *4 KiB *0 B *2.00 µs *1.00 µs *1.80 µs *2.00 µs *2.20 µs *0.50  sm$" text
holds "rotated buffers" "^ *4 KiB *32 MiB *3.00 µs *4.00 µs *1.80 µs *2.00 µs *2.20 µs *1.50  default$" text
holds "a module that errs" "^ *8 KiB *0 B *2.00 µs *WRONG .* 1.00  default$" text
holds "where it is slower" "slower: bcast (4 KiB@0 B)$" text
holds "an operation's ratios" "^ *bcast *1.00 *0.50 *4 KiB@0 B *sm$" text
grep -q "in bare exchanges" text && fail "a limit that was not measured"
same "panels of rotations" 2 "$(grep -c 'class="title".*bcast in buffers of' plot.svg)"

says "a result that is not there" 1 "cannot read 'none.json'" waymark bench --from none.json
echo '{"a": 1}' >other.json
says "another file" 1 "'other.json' is no result of waymark bench" waymark bench --from other.json
says "a place that cannot be written" 1 "cannot write 'no/plot.svg'" waymark bench --from "$result" --plot no/plot.svg
"$WAYMARK_LIBEXEC"/waymark-bench 2>err
same "the program that measures, alone" 2 $?
holds "who starts it" "started by 'waymark bench'" err
finish
