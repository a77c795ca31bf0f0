#!/bin/sh
# `waymark cc`: which compiler it calls with which flags, and that what it builds can have subranks.
. "${srcdir:-.}/tests/tools/expect.sh"
cd "$work" || exit 99
mkdir fake
for wrapper in mpicc mpicxx mpifort; do
    printf '#!/bin/sh\necho %s "$@"\nexit 7\n' $wrapper >fake/$wrapper
done
chmod +x fake/*

# calls EXPECTED ARGUMENT ...: what the compiler gets.
calls() {
    expected=$1
    shift
    found=$(PATH=$work/fake:$PATH waymark cc "$@")
    same "the status of waymark cc $*" 7 $?
    same "waymark cc $*" "$expected" "$found"
}
link='-fPIC -pie -rdynamic'
calls "mpicc -O2 -o a a.c -lm $link" -O2 -o a a.c -lm
calls "mpicc -c a.c -fPIC" -c a.c
calls "mpicc -shared -o a a.c -fPIC -Wl,-Bsymbolic" -shared -o a a.c
calls "mpicc -c -shared a.c -fPIC" -c -shared a.c
calls "mpicxx a.c b.cpp $link" a.c b.cpp
calls "mpicxx b.C -S -fPIC" b.C -S
calls "mpifort b.cc a.c c.F90 $link" b.cc a.c c.F90
calls "mpicc a.o -o a.cpp.x $link" a.o -o a.cpp.x
calls "mpifort a.o $link" --lang fortran a.o
calls "mpicxx a.c $link" --lang=c++ -- a.c
calls "mpicc a.f90 --help --lang $link" --lang c a.f90 --help --lang
calls "mpicc -O2 --help $link" -O2 --help
says "nothing to do" 2 "nothing is to be compiled or linked" waymark cc
says "no language" 2 "lang" waymark cc --lang
says "an unknown language" 2 "cobol" waymark cc --lang cobol a.c
for flag in -static -no-pie; do
    says "$flag" 2 "with '$flag' only one copy of the program has room; leave it out" waymark cc a.c $flag
done
says "no compiler" 127 "cannot run 'mpicc': No such file or directory; install the MPI library's compilers" \
    env PATH=/nowhere "$(command -v waymark)" cc a.c

cat >program.c <<'C'
#include <stdio.h>

int calls;
extern char **environ;

int main(void)
{
    return calls++ || environ == NULL || stdout == NULL;
}
C
waymark cc -O1 -o program program.c || fail "a program cannot be built"
"$WAYMARK_LIBEXEC/waymark-subranks" 3 64KiB ./program || fail "what it links has no subranks"
./program || fail "what it links does not run alone"
echo 'static __thread int calls; int main(void) { return calls++; }' >local.c
waymark cc -c local.c && waymark cc -shared -o local local.o || fail "a shared object cannot be built"
"$WAYMARK_LIBEXEC/waymark-subranks" 3 64KiB ./local || fail "a shared object has no subranks"

# Toucan's pragmas, beside a header that stands with the source; nothing is left behind.
mkdir folder translations
TMPDIR=$work/translations
export TMPDIR
echo '#define TIMES 3' >folder/times.h
cat >folder/loop.c <<'C'
#include "times.h"
void g(int i);
void f(void)
{
#pragma toucan superblock name(loop)
    for (int i = 0; i < TIMES; i++) {
#pragma toucan compute
        g(i);
    }
}
C
if [ -z "$LIBCLANG_CFLAGS" ]; then
    says "a build without libclang" 1 "built without libclang" waymark cc --toucan -c folder/loop.c
else
    waymark cc --toucan -c folder/loop.c -I "$top_srcdir/include" || fail "a source with pragmas cannot be compiled"
    nm loop.o | grep -q wm_superblock_begin || fail "pragmas are not translated"
    echo 'void f(void) { _Pragma("toucan compute") f(); }' >folder/loop.c
    says "a pragma that cannot be translated" 1 "folder/loop.c:1" waymark cc --toucan -c folder/loop.c -o no.o
    [ ! -e no.o ] || fail "what is refused is compiled"
    echo 'int wrong' >folder/loop.c
    waymark cc --toucan -c folder/loop.c 2>/dev/null && fail "a source that is wrong is compiled"
fi
same "what is left of translations" "" "$(ls translations)"
finish
