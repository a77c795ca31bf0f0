#!/bin/sh
# `waymark translate`: what it rewrites, what it refuses and why, and what it leaves alone.
. "${srcdir:-.}/tests/tools/expect.sh"
cases=$(cd "$top_srcdir/tests/tools/translate" && pwd) include=$(cd "$top_srcdir/include" && pwd)
compiler=${CC:-gcc}
cd "$work" || exit 99

: >empty.c
if [ -z "$LIBCLANG_CFLAGS" ]; then
    says "a build without libclang" 1 "built without libclang: install libclang-dev" waymark translate empty.c
    finish
fi

cat >prologue.h <<'C'
#include <setjmp.h>
#define FOREVER for (;;)
#define LEAVE return 1
#define NINE 9
#define NONE 0
#define PRAGMA(words) _Pragma(#words)
#define RUN(body) body
#define SWEEP(i) x[i]++
#define TWO f(); f()
extern int x[9];
extern jmp_buf env;
void f(void);
int g(int n);
C
touch loop.inc

# Cut the cases: NUMBER.c, NUMBER.expected, NUMBER.name.
cut_cases() {
    rm -f [0-9]*
    awk '
        /^=== / { if (expected) close_case(); n++; print substr($0, 5) >(n ".name"); expected = ""
            source = n ".c"; print "int g(int n) {" >source; next }
        n == 0 { next }
        /^---$/ { print "return n; }" >source; expected = n ".expected"; next }
        { print >(expected ? expected : source) }
        function close_case() { close(source); close(expected) }' "$1"
    cases_count=$(ls [0-9]*.name | wc -l)
    [ "$cases_count" -gt 3 ] || fail "there are no cases in $1"
}

cut_cases "$cases/rewritten"
for number in $(seq "$cases_count"); do
    name=$(cat "$number.name")
    { printf '#include <waymark/superblock.h>\n#line 1 "%s.c"\nint g(int n) {\n' "$number"
      cat "$number.expected"
      echo 'return n; }'; } >whole
    waymark translate "$number.c" -o out.c -- -include prologue.h || fail "$name: refused"
    same "$name" "$(cat whole)" "$(cat out.c)"
    $compiler -fsyntax-only -Wall -Wextra -Werror -I"$include" -include ./prologue.h out.c ||
        fail "$name: does not compile"
    $compiler -fsyntax-only -Wall -Wextra -Wno-unknown-pragmas -Werror -include ./prologue.h "$number.c" ||
        fail "$name: does not compile without the translation"
done

cut_cases "$cases/refused"
for number in $(seq "$cases_count"); do
    name=$(cat "$number.name")
    rm -f out.c
    waymark translate -o out.c "$number.c" -- -include prologue.h >out 2>err
    same "$name: the status" 1 $?
    same "$name" "waymark: $number.c:$(cat "$number.expected")" "$(head -n 1 err)"
    [ ! -e out.c ] && [ ! -s out ] || fail "$name: something is written"
done

# What has no pragmas, or is a translation, stays as it is to the byte.
stays() {
    waymark translate "$@" -I"$include" >out || fail "$1: refused"
    cmp "$1" out || fail "$1 is changed"
}
stays empty.c --
printf 'int a;\r\n/* \303\251\200 */\tint b;\f\n\n#define C "toucan receive"\nint c /* no end of line */;' >odd.c
stays odd.c --
stays "$top_srcdir/tests/mpi/subrank_program.c" --
printf '\357\273\277int n;\r\nvoid g(void)\r\n{\r\n#pragma toucan superblock\r\n    while (n--) ;\r\n}\r\n' >marked.c
waymark translate marked.c -o marked.wm.c || fail "a byte order mark: refused"
same "a byte order mark, and ends of lines of two bytes" \
    "$(printf '\357\273\277#include <waymark/superblock.h>\n#line 1 "marked.c"\nint n;\r\nvoid g(void)\r\n{\r\n{ WM_SUPERBLOCK_BEGIN("g:4");\r\n    while (n--) ; WM_SUPERBLOCK_END; }\r\n}\r')" \
    "$(cat marked.wm.c)"
$compiler -fsyntax-only -Wall -Wextra -Werror -I"$include" marked.wm.c || fail "a byte order mark does not compile"
stays marked.wm.c --

cat >openmp.c <<'C'
#include <omp.h>
void g(int *x, int n)
{
#ifdef _OPENMP
#pragma toucan superblock
#endif
    while (n--)
#pragma toucan compute
#pragma omp parallel for
        for (int i = 0; i < omp_get_max_threads(); i++)
            x[i]++;
}
C
waymark translate openmp.c -o openmp.wm.c -- -fopenmp || fail "OpenMP: refused"
same "OpenMP" "            x[i]++; } WM_SUPERBLOCK_END; }" "$(grep x.i openmp.wm.c)"
$compiler -fopenmp -fsyntax-only -Wall -Wextra -Werror -I"$include" openmp.wm.c || fail "OpenMP: does not compile"

printf '#define N 1\n  #pragma toucan superblock\n' >header.h
printf '#include "header.h"\nint n = N;\n' >includer.c
says "a pragma in a header" 1 "header.h:2:3: the pragma stands in a file that is included; move it to" \
    waymark translate includer.c
says "flags" 1 "libclang says: unknown argument: '-fnonsense'" waymark translate empty.c -- -fnonsense
says "no file" 1 "'none.c' cannot be read: No such file or directory" waymark translate none.c
mkdir folder.c
says "a folder" 1 "'folder.c' cannot be read: Is a directory" waymark translate folder.c
says "the source itself" 1 "'./empty.c' is the source itself; name another file with -o" waymark translate empty.c -o ./empty.c
says "a folder that is not there" 1 "'none/out.c' cannot be made" waymark translate empty.c -o none/out.c
says "C++" 2 "'a.cc' is no source in C; its name has to end in '.c'" waymark translate a.cc
says "two sources" 2 "one source file at a time, but there are 'a.c' and 'b.c'" waymark translate a.c b.c
says "no program" 1 "cannot run '/nowhere/waymark-translate': No such file or directory" \
    env WAYMARK_LIBEXEC=/nowhere waymark translate empty.c
mkdir fake && printf '#!/bin/sh\nkill -SEGV $$\n' >fake/waymark-translate && chmod +x fake/waymark-translate
says "a crash" 1 "libclang ends by 'Segmentation fault' in 'empty.c'" env WAYMARK_LIBEXEC="$work/fake" waymark translate empty.c
ldd "$top_builddir/waymark" | grep clang && fail "waymark itself loads libclang"
finish
