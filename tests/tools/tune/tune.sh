#!/bin/sh
# `waymark tune`: its command line, and a map that it writes, which is proven and run. Nothing is said of times.
. "${srcdir:-.}/tests/mpi/job.sh"

holds() { # WHAT TEXT
    grep -qF -- "$2" "$output" || fail "$1: '$2' is not said"
}

says() { # STATUS TEXT WORD ...
    expected=$1 text=$2
    shift 2
    "$@" >"$output" 2>&1
    found=$?
    [ $found -eq "$expected" ] || fail "$*: status $found, not $expected"
    holds "$*" "$text"
}

says 2 "no operation is named" waymark tune -o "$work/a.scm"
says 2 "no file is named" waymark tune --op bcast
says 2 "no operation 'bcasts' is tuned; did you mean 'bcast'?" waymark tune --op bcasts
says 2 "its ranks do not share how much it is" waymark tune --op gatherv
says 2 "moves nothing at 0 bytes" waymark tune --op bcast --bytes 0-8
says 2 "reaches 32 MiB" waymark tune --op bcast --bytes 64MiB
says 2 "there is no MPI job" waymark tune --op bcast -o "$work/a.scm"
says 2 "name nothing beside --resume" waymark tune --resume "$work/a.tune.json" --op bcast
says 2 "leave --op and --bytes out" waymark tune --op bcast --from "$work" -o "$work/a.scm"
says 1 "cannot read the state" waymark tune --resume "$work/a.tune.json"
says 1 "is no state of this version" sh -c "echo '{}' >'$work/b.tune.json'; waymark tune --resume '$work/b.tune.json'"
says 127 "cannot start 'no-such-launcher'" waymark tune --op bcast -o "$work/a.scm" -- no-such-launcher -n 2

# Launches of its own: one that races, and others that confirm. A blank in a word is refused.
says 2 "of the launcher has blanks" waymark tune --op bcast -o "$work/a.scm" -- "mpirun -n 2"
env $LD_PRELOAD_FIRST timeout -k 5 $limit waymark tune --op barrier,bcast,allreduce --bytes 8-512 --budget 1s -o "$work/mine.scm" \
    -- $mpirun -n 2 >"$output" 2>&1
status=$?
[ $status -eq 0 ] || fail "two ranks: status $status"
holds "two ranks" "of 3 operations, as of launch 4; what is not named stays native"
for operation in barrier bcast allreduce; do
    [ "$(grep -cE "^  (\(on|;;) $operation" "$work/mine.scm")" -eq 1 ] || fail "$operation is not in the map once"
done
head -1 "$work/mine.scm" | grep -q "^;; mine.scm: tuned by waymark" || fail "no header"
head -3 "$work/mine.scm" | grep -q "Again: waymark tune --resume $work/mine.tune.json" || fail "not how to go on"
waymark check "$work/mine.scm" >"$output" 2>&1 || fail "the map is not proven"
job 2 waymark tune --check "$work/mine.scm" --op bcast,allreduce,reduce --bytes 8-64 --points 6
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "the map is not checked: status $status"
holds "a check" "of 6 points more than 3 % slower than the library"
job 2 waymark bench -m "$work/mine.scm" --op bcast,allreduce --bytes 8,24,1KiB --rounds 1 --rotate 0
[ $status -eq 0 ] || fail "the map is not run: status $status"

# A launch that is interrupted, or killed since it does not end soon, leaves map and state, and the next one goes on. Ranks that are as many as cores and more.
env $LD_PRELOAD_FIRST $mpirun -n 3 waymark tune --op bcast --bytes 8-64 --budget 10min -o "$work/three.scm" >"$output" 2>&1 &
launcher=$!
for i in $(seq 100); do
    sleep 0.2
    [ -e "$work/three.scm" ] && break
done
sleep 0.5
kill -INT "$launcher"
wait "$launcher"
[ -s "$work/three.scm" ] || fail "interrupted: there is no map"
grep -q "The last one did not come to its end" "$work/three.scm" || fail "the map does not say that it was interrupted"
waymark check "$work/three.scm" >"$output" 2>&1 || fail "the map for three ranks is not proven"
sed -i 's/"budget_s": [0-9.]*/"budget_s": 0.5/' "$work/three.tune.json"
job 3 waymark tune --resume "$work/three.tune.json"
[ $status -eq 0 ] || fail "resumed: status $status"
holds "resumed" "as of launch 2"
job 2 waymark tune --resume "$work/three.tune.json"
[ $status -eq 1 ] || fail "resumed on another machine: status $status"
holds "resumed on another machine" "start as many ranks as then"

# A trace says what is tuned: what was called, for its sizes, each for its share. (false is a launcher that starts nothing.)
"$build/tests/tracer/generate" "$work/trace" --ranks 2 --operation mixed --calls 40 >"$output" 2>&1 || fail "no trace"
waymark tune --from "$work/trace" -o "$work/traced.scm" -- false
for field in '"operation": "allreduce"' '"weight": 0.'; do
    grep -q "$field" "$work/traced.tune.json" || fail "a trace's calls are not in the state: $field"
done
grep -q '"operation": "scatter"' "$work/traced.tune.json" && fail "what was not called is tuned"
says 1 "cannot read the trace directory" waymark tune --from "$work/none" -o "$work/a.scm" -- false

# Conveyors: where a constructor's buffers hold two items, larger ones have a rule; a map with such buffers is slower.
says 2 "items of conveyors are tuned up to 1 KiB" waymark tune --op conveyor --bytes 8-4KiB -o "$work/a.scm"
says 2 "--load is of conveyors that --op names" waymark tune --op bcast --load 1MiB -o "$work/a.scm"
says 2 "the job says what is called" waymark tune --job $$ --load 1MiB
says 2 "a run of a conveyor pushes 1GiB at most" waymark tune --op conveyor --load 2GiB -o "$work/a.scm"
says 2 "a run of 1074 M items takes 10.7 s or more" waymark tune --op conveyor --bytes 1 --load 1GiB -o "$work/a.scm" -- false
waymark tune --op conveyor --bytes 1 --load 1GiB --budget 60min -o "$work/a.scm" -- false
[ -e "$work/a.tune.json" ] || fail "long runs are not begun where there is time"
rm -f "$work/a.tune.json"
job 1 waymark tune --check fast --op conveyor --bytes 1 --load 1GiB
[ $status -eq 2 ] || fail "a check of long runs: status $status"
holds "a check of long runs" "a run of 1074 M items takes 10.7 s or more, and a check of such runs some 250 min 32 s; give a smaller --load, or fewer --points"
job_environment=CONVEY_BUFFER_SIZE=16
job 2 waymark tune --op conveyor --bytes 8 --load 8KiB --budget 1s -o "$work/convey.scm"
[ $status -eq 0 ] || fail "a conveyor: status $status"
# Where a launch was disturbed, the map says that a path was faster.
grep -qE "\(<= bytes 8\) \(path \(aggregate [0-9]+KiB.*\) \(route all\)\)\)" "$work/convey.scm" ||
    grep -q ";; conveyor stays native: a path is [0-9.]* times as fast at some size" "$work/convey.scm" || fail "small buffers are as good"
waymark check "$work/convey.scm" >"$output" 2>&1 || fail "the routes are not proven"
job 2 waymark tune --resume "$work/convey.tune.json"
[ $status -eq 0 ] || fail "conveyors resumed: status $status"
holds "conveyors resumed" "as of launch 2"
for broken in '"load_bytes": [0-9]*/"load_bytes": 0' '"bytes": 8/"bytes": 8192'; do
    sed "s/$broken/" "$work/convey.tune.json" >"$work/b.tune.json"
    says 1 "is no state of this version" waymark tune --resume "$work/b.tune.json"
done
job_environment=
job 1 waymark tune --op conveyor --bytes 8 --load 8KiB --budget 1s -o "$work/one.scm"
[ $status -eq 0 ] || fail "a conveyor of one rank: status $status"
grep -q ";; conveyor stays native" "$work/one.scm" || fail "one rank has routes"
echo '(path-map (on conveyor (path (trace))))' >"$work/traced-convey.scm"
echo '(path-map (on conveyor (path (aggregate 16 #:buffers 2))))' >"$work/small.scm"
job 2 waymark tune --check "$work/small.scm" --op conveyor --bytes 8 --load 8KiB --points 1
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "a check of small buffers: status $status"
holds "a check of small buffers" "of 1 point more than 3 % slower than the library"
job 2 waymark run -m "$work/traced-convey.scm" -t "$work/conveyors" -- "$build/examples/convey/permutation"
[ $status -eq 0 ] || fail "a traced conveyor: status $status"
waymark tune --from "$work/conveyors" -o "$work/traced.scm" -- false
for field in '"operation": "conveyor"' '"name": ""' '"sizes": \[8, 16\]'; do
    tr -s '\n ' ' ' <"$work/traced.tune.json" | sed 's/\[ /[/g; s/ \]/]/g' | grep -q "$field" || fail "a trace's conveyors are not in the state: $field"
done

# Subranks: how many, if superblocks tell.
"$build/tests/tracer/generate" "$work/subranks" --ranks 4 --operation mixed --calls 40 --superblocks >"$output" 2>&1 || fail "no trace"
says 0 "4 subranks in each process, not 2: 8 ranks by mpirun -n 2" waymark tune --from "$work/subranks" -o "$work/sub.scm"
grep -qxF '  (subranks 4 #:program "generated"))' "$work/sub.scm" || fail "no clause of subranks"
waymark check "$work/sub.scm" >"$output" 2>&1 || fail "the clause is not read"
job 2 waymark tune --from "$work/subranks" -o "$work/no.scm"
[ $status -eq 2 ] && [ ! -e "$work/no.scm" ] || fail "subranks in a job: status $status"
holds "subranks in a job" "start the command outside of a job"
job 2 waymark tune --op bcast -o "$work/none/a.scm"
[ $status -ne 0 ] || fail "a file that cannot be written: status $status"
holds "a file that cannot be written" "none/a.scm"
verdict
