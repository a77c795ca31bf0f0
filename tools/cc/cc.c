/* waymark cc: the MPI library's compiler wrapper, with what lets a program be loaded once for each subrank. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/cc/toucan.h"
#include "tools/cli/commands.h"
#include "tools/cli/options.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, MORE_WORDS = 4 };

enum wm_language { WM_LANGUAGE_UNKNOWN = -1, WM_LANGUAGE_C, WM_LANGUAGE_CXX, WM_LANGUAGE_FORTRAN };

static const struct {
    const char *wrapper, *suffixes;
} languages[] = {
    [WM_LANGUAGE_C] = {"mpicc", " c i s S "},
    [WM_LANGUAGE_CXX] = {"mpicxx", " C cc cp cpp cxx c++ CPP ii "},
    [WM_LANGUAGE_FORTRAN] = {"mpifort", " f for ftn f90 f95 f03 f08 F FOR FTN F90 F95 F03 F08 fpp FPP "},
};

struct choice {
    int language;
    bool toucan;
};

static const struct wm_option options[] = {
    {"lang", 0, "c|c++|fortran",
     "The language, and so the compiler: of a program that is linked from objects alone, or for files whose names do "
     "not say it. Otherwise the files' names tell: Fortran before C++ before C.",
     .read = wm_option_choice, .place = offsetof(struct choice, language)},
    {"toucan", 0, NULL,
     "Translate sources in C with Toucan's pragmas, as waymark translate does, and compile what comes of it.",
     .read = wm_option_flag, .place = offsetof(struct choice, toucan)},
    {0},
};

static const char *const synopsis[] = {"cc [--lang c|c++|fortran] [--toucan] [--] ARGUMENT ...", NULL};

static const char *const description[] = {
    "Compile or link an MPI program so that several subranks of it can live in one process, each with globals and "
    "statics of its own. The program is an ordinary one besides.",
    "The arguments are handed on to the MPI library's mpicc, mpicxx or mpifort, and behind them -fPIC; where a "
    "program is linked, -pie and -rdynamic, too, and with -shared -Wl,-Bsymbolic. All objects of a program are to be "
    "compiled so; libraries are loaded once a process, and may be as they are.",
    "Programs with thread-local variables are linked with -shared: what comes about can be run as subranks alone.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"0", "The compiler's own, as any status that does not stand here."},
    {"126, 127", "The compiler cannot be executed, or was not found."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark cc -O2 -o jacobi jacobi.c -lm", "Compile and link a program."},
    {"waymark cc -O2 -c solver.f90", "Compile a part of one, in Fortran."},
    {"waymark cc --lang fortran -o solver main.o solver.o", "Link objects, with what Fortran needs."},
    {"waymark cc --toucan -O2 -o jacobi jacobi.c", "Compile a program with Toucan's pragmas."},
    {"./configure CC='waymark cc'", "Let a program's own build call it."},
    {0},
};

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Of a file, by its name. */
static int language_of(const char *word)
{
    const char *dot = strrchr(word, '.');
    char suffix[8];

    if (word[0] == '-' || dot == NULL || snprintf(suffix, sizeof suffix, " %s ", dot + 1) >= (int)sizeof suffix)
        return WM_LANGUAGE_UNKNOWN;
    for (int i = WM_LANGUAGE_C; i <= WM_LANGUAGE_FORTRAN; i++)
        if (strstr(languages[i].suffixes, suffix) != NULL)
            return i;
    return WM_LANGUAGE_UNKNOWN;
}

/* The last in the order of languages that a file is in. */
static enum wm_language find_language(char *const *words)
{
    enum wm_language found = WM_LANGUAGE_C;

    for (; *words != NULL; words++) {
        int language = language_of(*words);

        if (language > (int)found)
            found = (enum wm_language)language;
    }
    return found;
}

/* Behind the user's own words: of flags that contradict each other, the last one counts. */
static void add_flags(char **words, int count)
{
    static const char *const no_linking[] = {"-c", "-S", "-E", "-M", "-MM", "-r", "-fsyntax-only", NULL};
    bool links = true, shared = false;

    for (int i = 0; i < count; i++) {
        links &= !is_one_of(words[i], no_linking);
        shared |= strcmp(words[i], "-shared") == 0;
    }
    words[count++] = "-fPIC";
    if (links && shared)
        words[count++] = "-Wl,-Bsymbolic";
    if (links && !shared) {
        words[count++] = "-pie";
        words[count++] = "-rdynamic";
    }
    words[count] = NULL;
}

/* A program that is linked so has room for one copy. */
static const char *find_contradiction(char *const *words)
{
    static const char *const contradictions[] = {"-static", "-static-pie", "-no-pie", "-nopie", NULL};

    for (; *words != NULL; words++)
        if (is_one_of(*words, contradictions))
            return *words;
    return NULL;
}

static int become(const char *wrapper, char **words)
{
    struct wm_error error;

    words[0] = (char *)wrapper;
    execvp(wrapper, words);
    wm_error_set(&error, -WM_ESYSTEM,
                 "cannot run '%s': %s; install the MPI library's compilers, or add their folder to PATH", wrapper,
                 strerror(errno));
    wm_command_failed(&error);
    return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The same in a process of its own. Returns its status. */
static int run_wrapper(const char *wrapper, char **words)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(become(wrapper, words));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_NOT_EXECUTABLE;
}

/* Translate, compile, and remove the translations. */
static int compile_translated(const char *wrapper, char **words, char *const *given, int count)
{
    struct wm_toucan toucan;
    int status = wm_toucan_translate(&toucan, words + 1, count);

    if (status == 0) {
        count += wm_toucan_add_folders(&toucan, given, words + 1 + count);
        add_flags(words + 1, count);
        status = run_wrapper(wrapper, words);
    }
    wm_toucan_release(&toucan);
    return status;
}

/* How many words are ours: --lang, --toucan, --help and the like in front of what is the compiler's. */
static int count_own(int argc, char **argv)
{
    int count = 1;

    while (count < argc && (strncmp(argv[count], "--lang", 6) == 0 || strcmp(argv[count], "--toucan") == 0))
        count += strcmp(argv[count], "--lang") == 0 ? 2 : 1;
    if (count < argc && (strcmp(argv[count], "--help") == 0 || strcmp(argv[count], "--") == 0))
        count++;
    return count < argc ? count : argc;
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.language = WM_LANGUAGE_UNKNOWN};
    int own = count_own(arguments->argc, arguments->argv), count = arguments->argc - own, status;
    char **words, **theirs = arguments->argv + own;
    const char *contradiction, *wrapper;

    arguments->argc = own;
    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    if (count == 0)
        return wm_arguments_misuse(arguments, "nothing is to be compiled or linked");
    if ((contradiction = find_contradiction(theirs)) != NULL)
        return wm_arguments_misuse(arguments, "with '%s' only one copy of the program has room; leave it out",
                                   contradiction);
    if ((words = calloc((size_t)count * 3 + 1 + MORE_WORDS, sizeof *words)) == NULL)
        return wm_command_failed(&(struct wm_error){.code = -WM_ENOMEM, .text = "out of memory"});
    memcpy(words + 1, theirs, (size_t)count * sizeof *words);
    wrapper = languages[choice.language >= 0 ? (enum wm_language)choice.language : find_language(theirs)].wrapper;
    if (choice.toucan) {
        status = compile_translated(wrapper, words, theirs, count);
    } else {
        add_flags(words + 1, count);
        status = become(wrapper, words);
    }
    free(words);
    return status;
}

const struct wm_command wm_command_cc = {
    .name = "cc",
    .summary = "compile and link an MPI program that can have subranks",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .statuses = statuses,
    .examples = examples,
    .options_first = true,
    .run = run,
};
