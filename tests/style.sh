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

for file in $({ files -name '*.c'; find tests -name '*.c'; } | xargs awk 'FNR == 1 && !/^\/\* / {print FILENAME}'); do
    fault "$file does not open with a line that says what it is"
done

# Every header is in the distribution: a list of sources names it. A clone has those that are not.
sources=$(cat Makefile.am $(find $rooms tests -name '*.mk'))
for file in $({ files -name '*.h'; find tests -name '*.h'; }); do
    case $sources in *"$file"*) ;; *) fault "$file is in no list of sources, and so in no distribution" ;; esac
done

# Every header compiles by itself: the build shows it of those that a source includes first, and this of the others.
first=$(files -name '*.c' | xargs awk 'FNR == 1 {found = 0} /^#include/ && !found {found = 1; gsub(/"/, "", $2); print $2}')
if command -v "${CC:-gcc}" >/dev/null; then
    flags="$(${PKG_CONFIG:-pkg-config} --cflags jansson guile-3.0 2>/dev/null) $(${MPICC:-mpicc} --showme:compile 2>/dev/null)"
    flags="$flags $LIBCLANG_CFLAGS"
    command -v otf2-config >/dev/null && skipped="^$" || skipped=/otf2_
    [ -n "$LIBCLANG_CFLAGS" ] || skipped="$skipped|tools/translate/"
    # shellcheck disable=SC2016
    files -name '*.h' | sed 's,^include/,,' | grep -vxF "$first" | grep -vE "$skipped" | xargs -P 2 -n 1 sh -c \
        'echo "#include \"$1\"" | $0 -fsyntax-only -x c - || { echo "style: $1 does not compile alone"; exit 1; }' \
        "${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. -Iinclude $flags" || failures=$((failures + 1))
fi

if command -v clang-format >/dev/null; then
    { files -name '*.[ch]'; find tests -name '*.[ch]'; } | xargs -P 2 -n 100 clang-format --dry-run --Werror ||
        fault "files are not formatted: clang-format -i FILE"
else
    echo "style: clang-format is not installed; the format is not checked"
fi
[ $failures -eq 0 ]
