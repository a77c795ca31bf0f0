#!/bin/sh
# The preloaded library exports the doors of the table that the MPI library has, in every spelling, sched_yield (which has to
# come before the C library's: core/node/rest.h), and nothing else.
srcdir=${srcdir:-.}
library=${1:-.libs/libwaymark-mpi.so}
LC_ALL=C && export LC_ALL

expected=$("${GUILE:-guile}" --no-auto-compile "$srcdir/core/pmpi/generate.scm" symbols "$srcdir/core/pmpi/functions.scm") || exit 1
[ -n "$(sh "$srcdir/tests/mpi/doors_persistent.sh")" ] || expected=$(echo "$expected" | grep -vi '^mpix_')
[ -n "$expected" ] || exit 1
expected=$(printf '%s\nsched_yield\n' "$expected" | sort)
# Names of the compiler's own, such as a sanitizer's, begin with an underscore.
exported=$(nm -D --defined-only "$library" | awk '$3 !~ /^_/ { print $3 }' | sort)

[ "$expected" = "$exported" ] && exit 0
echo "exported by $library, but not in core/pmpi/functions.scm (+), or the other way round (-):"
echo "$expected" >door_symbols.$$
echo "$exported" | diff -U0 door_symbols.$$ - | grep '^[+-][^+-]'
rm -f door_symbols.$$
exit 1
