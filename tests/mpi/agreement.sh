#!/bin/sh
# Ranks without Waymark, with another version of it, and late ones: the job ends in a sentence that names them, or goes on.
. "${srcdir:-.}/tests/mpi/job.sh"
faulty=$build/tests/mpi/faulty
first=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}
with="env LD_PRELOAD=$first$WAYMARK_PRELOAD $faulty plain"
without="$faulty plain"
here=$(hostname)
limit=60
WAYMARK_MAP=hierarchy WAYMARK_START_DEADLINE=1
export WAYMARK_MAP WAYMARK_START_DEADLINE

says() { # COUNT TEXT: the output holds the text so many times, but for how long a busy machine takes
    found=$(grep -v 'this machine is busy' "$output" | grep -cF -- "$2")
    [ "$found" -eq "$1" ] || fail "'$2' stands $found times in the output, not $1 times"
}

ends_badly() { # SENTENCE: once, and no other of ours
    [ $status -ne 0 ] || fail "the job succeeds, but should say: $1"
    [ $status -ne 124 ] || fail "HANG, instead of: $1"
    says 1 "$1"
    says 1 "waymark: "
}

goes_well() { # WHAT
    [ $status -eq 0 ] || { fail "$1: status $status"; return 1; }
    says 1 "results right"
}

job 4 $with
goes_well "all ranks alike"
says 0 "waymark: "
job 1 $with
goes_well "one rank"

# Rank 0 is there, or is not, or every other rank is not. The launcher's library knows the hosts, where there is one.
on="from ranks 2-3"
$mpirun -n 1 printenv PMIX_NAMESPACE >/dev/null 2>&1 && on="$on on $here, "
job 2 $with : -n 2 $without
ends_badly "Waymark is known to be loaded in 2 of the job's 4 ranks"
says 1 "$on"
job 2 $without : -n 2 $with
ends_badly "Waymark is known to be loaded in 2 of the job's 4 ranks"
says 1 "from ranks 0-1"
job 1 $with : -n 1 $without : -n 1 $with : -n 1 $without : -n 1 $with
ends_badly "Waymark is known to be loaded in 3 of the job's 5 ranks"
says 1 "from ranks 1, 3"
job 3 $without : -n 1 $with
ends_badly "Waymark is known to be loaded in 1 of the job's 4 ranks"
says 1 "from ranks 0-2"
WAYMARK_ON_ERROR=native && export WAYMARK_ON_ERROR
job 1 $without : -n 2 $with
goes_well "a rank without Waymark, native on error"
says 1 "Waymark is known to be loaded in 2 of the job's 3 ranks"
says 1 "WAYMARK_ON_ERROR=native: "
# Among more ranks than take the roll.
job 12 $with : -n 1 $without : -n 7 $with
goes_well "a rank of many without Waymark, native on error"
says 1 "Waymark is known to be loaded in 19 of the job's 20 ranks"
says 1 "WAYMARK_ON_ERROR=native: "
unset WAYMARK_ON_ERROR

# The same libraries under another version: seen at once, with no deadline at all.
mkdir "$work/other" || exit 99
version=$(waymark --version | sed 's/.* //')
other=9${version#?}
for library in libwaymark-mpi.so libwaymark.so.0; do
    LC_ALL=C sed "s/\x00$(echo "$version" | sed 's/\./\\./g')\x00/\x00$other\x00/g" \
        "$(dirname "$WAYMARK_PRELOAD")/$library" >"$work/other/$library" || exit 99
done
changed="env LD_LIBRARY_PATH=$work/other${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LD_PRELOAD=$first$work/other/libwaymark-mpi.so $faulty plain"
WAYMARK_START_DEADLINE=0
job 2 $changed
goes_well "the other version, in all ranks"
job 3 $with : -n 1 $changed
ends_badly "the ranks have loaded different versions of Waymark: waymark $other in rank 3 on $here, but waymark $version in ranks 0-2 on $here; "
job 1 $with : -n 2 $changed
ends_badly "the ranks have loaded different versions of Waymark: waymark $version in rank 0 on $here, but waymark $other in ranks 1-2 on $here; "
WAYMARK_ON_ERROR=native && export WAYMARK_ON_ERROR
job 3 $with : -n 1 $changed
goes_well "another version, native on error"
says 1 "waymark $other in rank 3"
says 1 "WAYMARK_ON_ERROR=native: "
unset WAYMARK_ON_ERROR

# A rank that is held up beyond the deadline, but comes.
WAYMARK_START_DEADLINE=2
late="env LD_PRELOAD=$first$build/.libs/libwm-late-test.so:$WAYMARK_PRELOAD $faulty plain"
job 2 $with : -n 1 $late : -n 1 $with
goes_well "a late rank"
says 1 "the late rank comes"
says 0 "waymark: "

# One that comes when the others have given it up and gone on without Waymark.
WAYMARK_START_DEADLINE=1
job_environment="WAYMARK_ON_ERROR=native LATE_FILE=$output LATE_FOR=natively"
job 2 $with : -n 1 $late
goes_well "a rank that comes too late, native on error"
says 1 "from rank 2"
says 1 "rank 2 on $here came when the others had given it up"

# One that is not reached before it comes, since a connection needs two: it is waited for without an end. The others
# begin only when it is outside the library, where no connection can be made any more.
job_environment="OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self LATE_FILE=$output"
job 2 ${late%% *} LATE_FOR=rank-2-outside ${late#* } : -n 1 ${late%% *} LATE_FOR=reached ${late#* }
goes_well "a rank that no message reaches for long"
says 1 "waymark: "
says 1 "no message of rank 0 on $here has reached rank 2 on $here in "
job_environment=

# Messages of one rank to rank 0 come late, which asks; all are there, and answer while they wait for it.
held="env LD_PRELOAD=$first$build/.libs/libwm-held-test.so:$WAYMARK_PRELOAD $faulty plain"
job 2 $with : -n 1 $held : -n 1 $with
goes_well "messages that come late"
says 1 "the held messages go"
says 0 "waymark: "

WAYMARK_START_DEADLINE=soon
job 2 $with
ends_badly "WAYMARK_START_DEADLINE is 'soon'"
verdict
