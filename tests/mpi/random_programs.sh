#!/bin/sh
# Random programs, by every shipped map, by two that serve all operations, and as subranks: they get what plain MPI gives.
#
# WAYMARK_TEST_PROGRAMS: how many for each number of ranks (100); WAYMARK_TEST_SEED: the first one (drawn).
. "${srcdir:-.}/tests/mpi/job.sh"
shown=40
count=${WAYMARK_TEST_PROGRAMS:-100}
seed=${WAYMARK_TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
limit=$((40 + count / 10)) # beyond a program's patience
echo "$count programs from $seed on"

waymark cc -O1 -I"$srcdir" -o "$work/programs" "$srcdir/tests/mpi/random_programs.c" \
    "$srcdir/tests/mpi/random_programs_inter.c" || fail "waymark cc"

# The first failure is the last one: each job that hangs takes as long as it may.
wrong() { # SENTENCE
    fail "$@"
    echo "again, in the build directory: WAYMARK_TEST_PROGRAMS=$count WAYMARK_TEST_SEED=$seed ./pre-inst-env $srcdir/tests/mpi/random_programs.sh"
    verdict
    exit
}

plain() { # RANKS
    job "$1" "$work/programs" "$seed" "$count"
    plain=$(grep ', 0 wrong, sum ' "$output") || wrong "plain programs on $1 ranks"
}

# Each job begins with another program: in the first ones most is asked for the first time.
alike() { # PROCESSES OPTION ...
    processes=$1
    shift
    from=$((seed + jobs * 29 % count))
    job "$processes" waymark run "$@" -- "$work/programs" "$seed" "$count" "$from"
    [ $status -eq 0 ] && grep -q "^$plain$" "$output" ||
        wrong "$processes processes by '$*' from program $from on, status $status; by plain MPI '$plain'"
}

# The other maps take turns at 2, 3 and 4 ranks.
maps=$(shipped_maps | grep -vx fast; ls "$srcdir"/tests/mpi/maps/all-levels.scm "$srcdir"/tests/mpi/maps/all-rounds.scm)
maps_of() { # RANKS
    echo "$maps" | awk -v turn=$((($1 + seed) % 3)) 'NR % 3 == turn'
}
for ranks in 2 3 4; do
    plain $ranks
    for map in fast $(maps_of $ranks); do
        alike $ranks -m "$map"
    done
    [ $ranks -ne 3 ] || alike 1 --subranks 3
done
alike 2 --subranks 2 --workers 2
plain 8
alike 1 --subranks 8 --workers 3 --steal
verdict
