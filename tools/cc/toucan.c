/* Sources with Toucan's pragmas. */
#include "tools/cc/toucan.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/cli/commands.h"
#include "tools/translate/translate.h"

static bool is_source(const char *word)
{
    const char *dot = strrchr(word, '.');

    return word[0] != '-' && dot != NULL && strcmp(dot, ".c") == 0;
}

/* Flags whose argument is a word of its own. */
static bool takes_word(const char *flag)
{
    static const char *const flags[] = {"-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter"};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flag, flags[i]) == 0)
            return true;
    return false;
}

/* Those that libclang is to know: of the compiler, not of the linker's files. */
static int take_flags(char *const *words, int count, char **flags)
{
    int taken = 0;

    for (int i = 0; i < count; i++)
        if ((words[i][0] == '-' && strcmp(words[i], "-o") != 0) || (i > 0 && takes_word(words[i - 1])))
            flags[taken++] = words[i];
    return taken;
}

static int fail(const char *what)
{
    struct wm_error error;

    wm_error_set(&error, -WM_ESYSTEM, "cannot make %s: %s; name another folder by TMPDIR", what, strerror(errno));
    return wm_command_failed(&error);
}

/* Where the translation of a source goes; NULL: it cannot be. */
static char *make_place(const struct wm_toucan *t, int number, const char *source)
{
    const char *slash = strrchr(source, '/');
    char *place;
    size_t folder_length;

    if (asprintf(&place, "%s/%d/%s", t->folder, number, slash != NULL ? slash + 1 : source) < 0)
        return NULL;
    folder_length = (size_t)(strrchr(place, '/') - place);
    place[folder_length] = '\0';
    if (mkdir(place, 0700) < 0) {
        free(place);
        return NULL;
    }
    place[folder_length] = '/';
    return place;
}

static int make_folder(struct wm_toucan *t)
{
    const char *where = getenv("TMPDIR");

    if (snprintf(t->folder, sizeof t->folder, "%s/waymark-cc.XXXXXX", where != NULL ? where : "/tmp") >=
        (int)sizeof t->folder)
        snprintf(t->folder, sizeof t->folder, "/tmp/waymark-cc.XXXXXX");
    if (mkdtemp(t->folder) != NULL)
        return 0;
    t->folder[0] = '\0';
    return fail("a folder for translations");
}

int wm_toucan_translate(struct wm_toucan *t, char **words, int count)
{
    char **flags = calloc((size_t)count + 1, sizeof *flags);
    int flag_count = 0, status;

    *t = (struct wm_toucan){.sources = calloc((size_t)count + 1, sizeof *t->sources),
                            .folders = calloc((size_t)count + 1, sizeof *t->folders),
                            .count = count};
    status = flags != NULL && t->sources != NULL && t->folders != NULL ? make_folder(t) : fail("room for translations");
    if (status == 0)
        flag_count = take_flags(words, count, flags);
    for (int i = 0; i < count && status == 0; i++) {
        if (!is_source(words[i]) || (i > 0 && (takes_word(words[i - 1]) || strcmp(words[i - 1], "-o") == 0)))
            continue;
        t->sources[i] = make_place(t, i, words[i]);
        status = t->sources[i] != NULL ? wm_translate(words[i], t->sources[i], flags, flag_count)
                                       : fail("a folder for a translation");
        if (status == 0)
            words[i] = t->sources[i];
    }
    free(flags);
    return status;
}

int wm_toucan_add_folders(struct wm_toucan *t, char *const *given, char **words)
{
    int put = 0;

    for (int i = 0; i < t->count; i++) {
        const char *slash = strrchr(given[i], '/');

        if (t->sources[i] == NULL)
            continue;
        words[put++] = (char *)"-iquote";
        t->folders[i] = slash != NULL ? strndup(given[i], (size_t)(slash - given[i]) + 1) : strdup(".");
        words[put++] = t->folders[i];
    }
    return put;
}

void wm_toucan_release(struct wm_toucan *t)
{
    for (int i = 0; t->sources != NULL && i < t->count; i++) {
        if (t->sources[i] == NULL)
            continue;
        unlink(t->sources[i]);
        *strrchr(t->sources[i], '/') = '\0';
        rmdir(t->sources[i]);
        free(t->sources[i]);
    }
    for (int i = 0; t->folders != NULL && i < t->count; i++)
        free(t->folders[i]);
    if (t->folder[0] != '\0')
        rmdir(t->folder);
    free(t->folders);
    free(t->sources);
}
