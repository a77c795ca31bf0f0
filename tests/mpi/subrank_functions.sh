#!/bin/sh
# The table of functions of subranks has every function that mpi.h declares, each once; and doors are exported, for C and for
# Fortran, for those that are not left to the library, and for nothing else of MPI's.
srcdir=${srcdir:-.}
program=${1:-tests/mpi/subrank}
[ -x "$(dirname "$program")/.libs/subrank" ] && program=$(dirname "$program")/.libs/subrank
LC_ALL=C && export LC_ALL

# listed LIST ...: the names of these lists of the table.
listed() {
    for list in "$@"; do
        printf '#include "core/subrank/functions.h"\n#define NAME(name) @MPI_##name@\nWM_RANK_%s(NAME)\n' "$list" |
            ${CC:-gcc} -E -P -I"$srcdir" -x c - | grep -o '@MPI_[A-Za-z0-9_]*@' | tr -d @
    done | sort
}

status=0
same() { # WHAT FILE FILE
    comm -3 "$2" "$3" | grep -q . || return 0
    echo "$1:"
    comm -3 "$2" "$3"
    status=1
}

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
listed OURS COLLECTIVES REFUSED LIBRARY >"$work/table"
listed OURS COLLECTIVES REFUSED >"$work/doors"
[ "$(wc -l <"$work/table")" -gt 400 ] || { echo "the table is not read"; exit 1; }
uniq -d "$work/table" | grep . && { echo "these stand in the table twice"; exit 1; }

# What MPI 3.0 has removed is declared for some compilers alone.
echo '#include <mpi.h>' | ${MPICC:-mpicc} -E -x c - | grep -o '\bMPI_[A-Z][A-Za-z0-9_]*[a-z][A-Za-z0-9_]* *(' |
    tr -d ' (' | sort -u >"$work/declared"
{ cat "$work/declared"; printf 'MPI_%s\n' Aint_add Aint_diff Address Errhandler_create Errhandler_get Errhandler_set \
    Type_extent Type_hindexed Type_hvector Type_lb Type_struct Type_ub; } | sort -u >"$work/known"
same 'in mpi.h alone (left), in the table alone (right)' "$work/known" "$work/table"

# Names in capitals alone are Fortran's.
nm -D --defined-only "$program" | awk '$3 ~ /^MPI_.*[a-z]/ { print $3 }' | sort >"$work/exported"
same 'exported alone (left), doors of the table alone (right)' "$work/exported" "$work/doors"

# Fortran's doors, but of what converts handles of C.
listed OURS COLLECTIVES | grep -v '_[cf]2[cf]$' | tr 'A-Z' 'a-z' | sed -e 'p;s/$/_f08/' | sed 's/$/_/' | sort >"$work/doors"
nm -D --defined-only "$program" | awk '$3 ~ /^mpi_.*_$/ && $3 !~ /__$/ { print $3 }' | sort >"$work/exported"
same "Fortran's exported alone (left), doors of the table alone (right)" "$work/exported" "$work/doors"
exit $status
