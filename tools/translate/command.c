/* waymark translate: Toucan's pragmas become the markers of <waymark/superblock.h>. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/cli/options.h"
#include "tools/run/environment.h"
#include "tools/translate/translate.h"

#define PROGRAM "waymark-translate"

struct choice {
    const char *output;
};

static const struct wm_option options[] = {
    {"output", 'o', "FILE", "Write the translation to this file; otherwise it goes to standard output.",
     .read = wm_option_name, .place = offsetof(struct choice, output)},
    {0},
};

static const char *const synopsis[] = {"translate FILE.c [-o FILE.c] [-- FLAG ...]", NULL};

static const char *const description[] = {
    "Rewrite the pragmas of Toucan in a C source to the markers of <waymark/superblock.h>, by which subranks hide "
    "communication. '#pragma toucan superblock' stands before a for, while or do; '#pragma toucan receive', 'send', "
    "'compute', 'pack' and 'unpack' stand before statements or blocks in its body. A superblock is named by its "
    "function and line, or by the user: '#pragma toucan superblock name(jacobi)'. Other compilers ignore all that.",
    "The source is parsed by libclang with the flags behind '--', which are to be those of its compilation: where "
    "headers are, what is defined, the standard. Lines keep their numbers, in messages and for debuggers, and a source "
    "without such pragmas is copied.",
    "A pragma that cannot be rewritten is refused with its place and the reason, and nothing is written: before "
    "statements that macros make or declarations; by '_Pragma'; in an included file; regions outside of a superblock "
    "or "
    "in one another; jumps by which a marker is missed (return, goto across a border, setjmp, labels of a switch "
    "outside). 'break' and 'continue' are right.",
    NULL,
};

static const struct wm_command_item statuses[] = {
    {"1", "The source does not compile, a pragma was refused, or Waymark was built without libclang."},
    {0},
};

static const struct wm_command_item examples[] = {
    {"waymark translate jacobi.c -o jacobi.wm.c -- -Iinclude -DN=100", "Translate a source that needs flags."},
    {"waymark cc -O2 -o jacobi jacobi.wm.c -Iinclude -DN=100", "Compile what came of it."},
    {0},
};

static const struct wm_error absent = {
    .text = "this waymark was built without libclang: install libclang-dev (Debian) or clang-devel (Fedora), then "
            "configure and build it again",
};

/* Wait for the program. libclang overflows its stack where statements are nested by the ten thousands. */
static int wait_for(pid_t pid, const char *file)
{
    struct wm_error error;
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    wm_error_set(&error, -WM_ESYSTEM, "libclang ends by '%s' in '%s'; split what is nested deeply there",
                 strsignal(WTERMSIG(status)), file);
    return wm_command_failed(&error);
}

int wm_translate(const char *file, const char *output, char *const *flags, int flag_count)
{
    char **words = calloc((size_t)flag_count + 4, sizeof *words), *program = NULL;
    struct wm_error error;
    pid_t pid;
    int rc = ENOMEM;

    if (!HAVE_LIBCLANG) {
        free(words);
        return wm_command_failed(&absent);
    }
    if (words != NULL && asprintf(&program, "%s/" PROGRAM, wm_environment_or("WAYMARK_LIBEXEC", WM_LIBEXECDIR)) >= 0) {
        memcpy(words, (char *[]){PROGRAM, (char *)file, (char *)output}, 3 * sizeof *words);
        memcpy(words + 3, flags, (size_t)flag_count * sizeof *words);
        rc = posix_spawn(&pid, program, NULL, NULL, words, environ);
        if (rc != 0)
            wm_error_set(&error, -WM_ESYSTEM, "cannot run '%s': %s; install Waymark there, or set WAYMARK_LIBEXEC",
                         program, strerror(rc));
    } else {
        wm_error_set(&error, -WM_ENOMEM, "out of memory");
    }
    free(program);
    free(words);
    return rc == 0 ? wait_for(pid, file) : wm_command_failed(&error);
}

static int run(struct wm_arguments *arguments)
{
    struct choice choice = {.output = ""};
    int count = arguments->argc, own = 1, status;
    const char *file, *dot;

    while (own < count && strcmp(arguments->argv[own], "--") != 0)
        own++;
    arguments->argc = own;
    own += own < count;
    if (!wm_arguments_read(arguments, &choice, &status))
        return status;
    file = arguments->operands[0];
    dot = strrchr(file, '.');
    if (dot == NULL || strcmp(dot, ".c") != 0)
        return wm_arguments_misuse(arguments, "'%s' is no source in C; its name has to end in '.c'", file);
    return wm_translate(file, choice.output, arguments->argv + own, count - own);
}

const struct wm_command wm_command_translate = {
    .name = "translate",
    .summary = "rewrite Toucan's pragmas to markers of superblocks",
    .synopsis = synopsis,
    .description = description,
    .options = options,
    .operands = {.what = "source file", .least = 1, .most = 1},
    .statuses = statuses,
    .examples = examples,
    .run = run,
};
