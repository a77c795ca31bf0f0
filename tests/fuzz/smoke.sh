#!/bin/sh
# A few cases of each fuzzer, always the same; tests/fuzz/README.md says how to run many.
build=${top_builddir:-$(pwd)}
src=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
"$build/tests/fuzz/fuzz_maps" --seed 1 --cases 12 --keep "$work" "$src/specs" "$src/tests/mpi/maps" "$src/tests/specs" || status=1
"$build/tests/fuzz/fuzz_answers" --seed 1 --cases 300 --keep "$work" || status=1
"$build/tests/fuzz/fuzz_questions" --seed 1 --cases 300 --keep "$work" || status=1
"$build/tests/fuzz/fuzz_guards" --seed 1 --cases 100 --keep "$work" || status=1
cat "$work"/*.txt 2>/dev/null
exit $status
