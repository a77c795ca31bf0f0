#!/bin/sh
# Subranks of a program in one process: what each has of its own, how they end, and which programs are refused.
. "${srcdir:-.}/tests/tools/expect.sh"
cc=${CC:-gcc}
host=$WAYMARK_LIBEXEC/waymark-subranks
cd "$work" || exit 99
ulimit -c 0

# program NAME FLAG ...: compile what stands on stdin, as `waymark cc` does where no flags are given.
program() {
    name=$1
    shift
    cat >"$name.c"
    [ $# -gt 0 ] || set -- -fPIC -rdynamic
    $cc -O1 -o "$name" "$name.c" "$@"
}

program own <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int global = 5;
static int constructed, zero;

static void say_goodbye(void)
{
    printf("bye %d\n", global);
}

__attribute__((constructor)) static void construct(void)
{
    constructed = ++zero;
    atexit(say_goodbye);
}

int main(int argc, char **argv)
{
    static int calls;
    int letter, number = 0;

    while ((letter = getopt(argc, argv, "a:b")) >= 0)
        if (letter == 'a')
            number = atoi(optarg);
    argv[1][0] = '?';
    global += number;
    calls++;
    printf("%d %d %d %s %d\n", global, constructed, calls, argv[optind], rand());
    return 0;
}
C
"$host" 2 64KiB ./own -a 7 file -b >out
first=$(./own -a 7 file -b)
same "each subrank is as the program alone" "$first
$first" "$(cat out)"

out=$("$host" 3/3 64KiB ./own -a 7 file -b | sort -u)
same "each reads its own options beside other workers" "$(echo "$first" | sort)" "$out"
says "too many workers" 2 "COUNT is a number from 1, WORKERS one from 1 to COUNT" "$host" 2/3 64KiB ./own

out=$("$host" 3/2/steal 64KiB ./own -a 7 file -b | sort -u)
same "each reads its own options where they are stolen" "$(echo "$first" | sort)" "$out"

# Each writes its own number over what the one before has left; 256 of them.
program numbers <<'C'
int table[5000];

int main(void)
{
    if (table[4999] != 0)
        return 1;
    for (int i = 0; i < 5000; i++)
        table[i] = i;
    return 0;
}
C
"$host" 256 64KiB ./numbers
same "256 copies are private, whatever files a user may open" 0 $?
(ulimit -Sn 100 && "$host" 256 64KiB ./numbers)
same "256 copies where users may open 100 files" 0 $?
says "more copies than files may be opened" 1 "cannot open, for each subrank (see ulimit -n), a copy of 'numbers'" \
    sh -c "ulimit -n 100 && $host 256 64KiB ./numbers"
PATH=$work:$PATH "$host" 1 64KiB numbers
same "a program is found in PATH" 0 $?

program ends <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int number;

static void again(void)
{
    puts("again");
}

static void handler(void)
{
    puts("handler");
    atexit(again);
}

static int deep(int depth)
{
    volatile char frame[512];

    frame[0] = (char)depth;
    return depth == 0 ? 0 : deep(depth + 1) + frame[0];
}

int main(int argc, char **argv)
{
    const char *how = argv[argc - 1];

    atexit(handler);
    if (strcmp(how, "exit") == 0)
        exit(7);
    if (strcmp(how, "_exit") == 0)
        _exit(8);
    if (strcmp(how, "fork") == 0) {
        int status;
        pid_t child = fork();

        if (child == 0)
            _exit(9);
        return waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 9;
    }
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "overflow") == 0)
        number = deep(1);
    return number;
}
C
end_status() {
    "$host" 2 64KiB ./ends "$1" >out 2>err
    echo $?
}
same "exit, in another worker" 7 "$("$host" 2/2 64KiB ./ends exit >/dev/null; echo $?)"
same "exit" 7 "$(end_status exit)"
same "exit calls what was registered" "handler
again
handler
again" "$(cat out)"
same "_exit" 8 "$(end_status _exit)"
same "_exit calls nothing" "" "$(cat out)"
same "a child of a subrank ends as a process" 0 "$(end_status fork)"
case $(end_status abort) in 0) fail "abort" ;; esac
holds "abort is told with the subrank" '^waymark: subrank 0 crashes: abort (SIGABRT)$' err
case $(end_status overflow) in 0) fail "overflow" ;; esac
holds "a full stack is told with the subrank" '^waymark: the stack of subrank 0 is full (64KiB): give a larger one by --stack$' err

# refused WHAT SENTENCE NAME: the program is not begun.
refused() {
    says "$1" 1 "^waymark: '$3' $2\$" "$host" 2 64KiB "./$3"
}
advice='build it with `waymark cc`'
program plain -fPIE -pie <<'C'
int main(void)
{
    return 0;
}
C
refused "a main that is not exported" "does not export its main: $advice" plain
$cc -o fixed -no-pie plain.c && refused "no PIE" "is linked for one fixed address, where only one copy has room: $advice" fixed
$cc -o static -static-pie plain.c 2>/dev/null && refused "static" "is linked statically: $advice" static
$cc -c plain.c && refused "an object" "is not linked: name an executable" plain.o
program copies -fPIE -pie -rdynamic <<'C'
extern char **environ;
int main(void)
{
    return environ == 0;
}
C
if readelf -r copies | grep -q _COPY; then
    refused "copied variables" "keeps copies of variables of other libraries, which these would not see: $advice" copies
fi
program local <<'C'
__thread int local;
int main(void)
{
    return local++;
}
C
refused "thread-local variables" "has thread-local variables, which an executable finds only if it is alone: link it with \`waymark cc -shared\`" local
$cc -fPIC -shared -o local local.c
"$host" 3 64KiB ./local
same "thread-local variables of a shared object" 0 $?
echo "(path-map (subranks 3 #:workers 2 #:steal #t))" >steal.scm
says "thread-local variables of what is stolen" 1 "'local' has thread-local variables, which a subrank that is stolen would leave behind: make them" \
    waymark run -m ./steal.scm -- ./local
says "stealing by one worker" 2 "steal is for several workers; add --workers NUMBER" waymark run --subranks 2 --steal -- ./local
printf '#!/bin/sh\n' >script
refused "a script" "is a script: name the program that it runs, or let the script call .waymark run." script
: >empty
refused "an empty file" "is no program: name an executable" empty
says "a folder" 1 "'folder' is no file: name an executable" "$host" 2 64KiB "$(mkdir folder && echo ./folder)"
says "no file" 1 "cannot read 'nothing': No such file" "$host" 2 64KiB ./nothing
says "no program in PATH" 1 "no program 'nothing' in PATH; did you mean './nothing'?" "$host" 2 64KiB nothing
says "too small a stack" 1 "a stack of 1024 bytes is too small for a subrank: give at least 16KiB" "$host" 2 1KiB ./numbers
says "no count" 2 "COUNT is a number from 1" "$host" 0 64KiB ./numbers
says "no stealing" 2 "COUNT is a number from 1" "$host" 3/2/stray 64KiB ./numbers
says "no size" 2 "STACK is a size" "$host" 2 much ./numbers
says "no program" 2 "no program is named" "$host" 2 64KiB

if command -v "${CXX:-g++}" >/dev/null; then
    cat >objects.cc <<'C'
#include <cstdio>
struct loud {
    int number = 0;
    ~loud() { std::printf("end %d\n", number); }
};
static loud global;
int main()
{
    static loud local;
    local.number = ++global.number + 1;
}
C
    ${CXX:-g++} -fPIC -rdynamic -o objects objects.cc
    "$host" 2 64KiB ./objects >out
    same "objects of C++ end with their subrank" "end 2
end 1
end 2
end 1" "$(cat out)"
    cat >unique.cc <<'C'
template <class type> struct counted { static int count; };
template <class type> int counted<type>::count;
static inline int &local()
{
    static int count;
    return count;
}
inline int &shared()
{
    static int count;
    return count;
}
int main()
{
    return counted<int>::count++ + local()++ + shared()++;
}
C
    for flags in "-pie -rdynamic" "-shared -Wl,-Bsymbolic"; do
        # shellcheck disable=SC2086
        ${CXX:-g++} -fPIC $flags -o unique unique.cc
        "$host" 3 64KiB ./unique
        same "what C++ has once a process is a subrank's own, with $flags" 0 $?
    done
fi
finish
