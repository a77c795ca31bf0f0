#!/bin/sh
# The house rules that a machine can check: layers, headers that stand alone, first lines, and the format.
src=${top_srcdir:-.}
failures=0
cd "$src" || exit 1

fault() {
    failures=$((failures + 1))
    echo "style: $*"
}

must_not_include() { # ROOM PATTERN WHY
    hits=$(grep -lE "#include [<\"]($2)" $1 2>/dev/null) && fault "$3: $hits"
}

guile=$(grep -lE '#include <libguile\.h>' core/*.c core/*/*.c core/*.h core/*/*.h wrappers/* tracer/* tools/* tools/proof/* 2>/dev/null)
[ "$guile" = core/map/guile.c ] || fault "libguile.h is included by: $guile"
must_not_include 'wrappers/*' 'mpi\.h|core/(engine|net|call|comm|runtime|process)\.h' 'a wrapper sees more than the planner'
must_not_include 'tracer/*' 'mpi\.h|core/(engine|plan|comm|call)' 'the tracer knows MPI or the runtime'
must_not_include 'core/*.[ch] core/map/*.[ch] core/pmpi/*.[ch]' 'wrappers/' 'core knows a wrapper'
must_not_include 'tools/proof/*' 'mpi\.h|wrappers/|tracer/|core/(map|pmpi)/|core/(engine|net|call|comm|runtime|process|describe|side|request)\.h' \
    'the proof sees more than the planner'
must_not_include 'tools/proof/*' 'tools/[^p]|tools/p[^r]' 'the proof knows a command'
must_not_include 'tools/convey/*' 'mpi\.h|wrappers/|tracer/|core/(map|pmpi)/|core/convey/(carrier|state)|tools/[^c]|tools/c[^o]' \
    'the proof of conveyors sees more than what is pure'
must_not_include 'core/error.c core/grid.c core/layout.c core/plan*.c core/hazard.c core/value.c core/path.c core/shape.c' \
    'mpi\.h' 'planning knows MPI'

for file in core/*.c core/*/*.c wrappers/*.c tracer/*.c tools/*.c tools/*/*.c bench/*.c bench/*/*.c examples/*/*.c tests/*/*.c; do
    head -1 "$file" | grep -qE '^/\* .*' || fault "$file does not open with a line that says what it is"
done

# Every header compiles by itself.
if command -v "${CC:-gcc}" >/dev/null; then
    flags="$(${PKG_CONFIG:-pkg-config} --cflags jansson guile-3.0 2>/dev/null) $(${MPICC:-mpicc} --showme:compile 2>/dev/null)"
    for header in core/*.h core/*/*.h wrappers/*.h tracer/*.h tools/*.h tools/*/*.h bench/*/*.h examples/*/*.h; do
        case $header in *.inc.h) continue;; */otf2_*) command -v otf2-config >/dev/null || continue;; esac
        echo "#include \"$header\"" | ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. $flags -fsyntax-only -x c - ||
            fault "$header does not compile alone"
    done
fi

if command -v clang-format >/dev/null; then
    for file in core/*.[ch] core/*/*.[ch] wrappers/*.[ch] tracer/*.[ch] tools/*.[ch] tools/*/*.[ch] tests/*.h tests/*/*.[ch] bench/*.c bench/*/*.[ch] examples/*/*.[ch]; do
        clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || fault "$file is not formatted: clang-format -i $file"
    done
else
    echo "style: clang-format is not installed; the format is not checked"
fi
[ $failures -eq 0 ]
