#!/bin/sh
# The house rules that a machine can check: Guile's fence, headers that stand alone, first lines, and the format.
src=${top_srcdir:-.}
failures=0
cd "$src" || exit 1

fault() {
    failures=$((failures + 1))
    echo "style: $*"
}

guile=$(grep -rlE '#include <libguile\.h>' core wrappers tracer tools)
[ "$guile" = core/map/guile.c ] || fault "libguile.h is included by: $guile"

rooms='include core wrappers tracer tools bench examples'
files() { find $rooms "$@" ! -name '*.inc.h'; }

for file in $(files -name '*.c') $(find tests -name '*.c'); do
    head -1 "$file" | grep -qE '^/\* .*' || fault "$file does not open with a line that says what it is"
done

# Every header compiles by itself.
if command -v "${CC:-gcc}" >/dev/null; then
    flags="$(${PKG_CONFIG:-pkg-config} --cflags jansson guile-3.0 2>/dev/null) $(${MPICC:-mpicc} --showme:compile 2>/dev/null)"
    for header in $(files -name '*.h'); do
        case $header in */otf2_*) command -v otf2-config >/dev/null || continue;; esac
        echo "#include \"$header\"" | ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. -Iinclude $flags -fsyntax-only -x c - ||
            fault "$header does not compile alone"
    done
fi

if command -v clang-format >/dev/null; then
    for file in $(files -name '*.[ch]') $(find tests -name '*.[ch]'); do
        clang-format --dry-run --Werror "$file" >/dev/null 2>&1 || fault "$file is not formatted: clang-format -i $file"
    done
else
    echo "style: clang-format is not installed; the format is not checked"
fi
[ $failures -eq 0 ]
