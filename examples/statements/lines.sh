#!/bin/sh
# lines.sh PROGRAM.c ...: how many lines are written for the communication alone, by MPI and by statements: those that are
# not blank between `/* communication by MPI */`, or `by statement`, and `/* end */`.
for file in "$@"; do
    awk -v name="$(basename "$file" .c)" '
        /\/\* communication by / { way = $4; next }
        /\/\* end \*\// { way = "" }
        way != "" && NF > 0 { lines[way]++ }
        END { print name, lines["MPI"], lines["statement"] }' "$file"
done
