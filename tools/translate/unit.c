/* A source file, parsed by libclang with the flags that it is compiled with. */
#include "tools/translate/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/translate/bind.h"

enum { BYTES_MAX = 1 << 28 };

/* Headers of MPI, of the compiler's own and Waymark's where the user's flags do not find them; no warnings. */
static const char *const before[] = {"-xc"};
static const char *const behind[] = {TRANSLATE_FLAGS "-I" WM_INCLUDEDIR, "-Wno-everything", "-ferror-limit=1"};
enum { BEFORE = sizeof before / sizeof before[0], BEHIND = sizeof behind / sizeof behind[0] };

static int read_text(struct wm_c_unit *u, const char *name, struct wm_error *error)
{
    FILE *file = fopen(name, "re");
    size_t room = 1 << 16;
    char *more;

    if (file == NULL)
        return wm_error_set(error, -WM_ESYSTEM, "'%s' cannot be read: %s", name, strerror(errno));
    while ((more = realloc(u->text, room)) != NULL) {
        u->text = more;
        u->bytes += fread(u->text + u->bytes, 1, room - u->bytes, file);
        if (u->bytes < room || room > BYTES_MAX)
            break;
        room *= 2;
    }
    if (ferror(file))
        wm_error_set(error, -WM_ESYSTEM, "'%s' cannot be read: %s", name, strerror(errno));
    else if (more == NULL || u->bytes > BYTES_MAX)
        wm_error_set(error, -WM_ENOMEM, "'%s' is too large", name);
    else
        error->code = 0;
    fclose(file);
    return error->code;
}

/* The first error that libclang has found: 0: none. */
static int check_diagnostics(const struct wm_c_unit *u, struct wm_error *error)
{
    int rc = 0;

    for (unsigned i = 0; i < clang_getNumDiagnostics(u->unit) && rc == 0; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(u->unit, i);
        CXString text = clang_getDiagnosticSpelling(diagnostic);

        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            rc = wm_c_file_refuse_location(u->unit, clang_getDiagnosticLocation(diagnostic), error, "libclang says: %s",
                                           clang_getCString(text));
        clang_disposeString(text);
        clang_disposeDiagnostic(diagnostic);
    }
    return rc;
}

static int parse(struct wm_c_unit *u, const char *name, const char *const *flags, int flag_count,
                 struct wm_error *error)
{
    struct CXUnsavedFile text = {name, u->text, u->bytes};
    const char **words = calloc((size_t)flag_count + BEFORE + BEHIND, sizeof *words);
    enum CXErrorCode code;

    if (words == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the flags");
    memcpy(words, before, sizeof before);
    for (int i = 0; i < flag_count; i++) /* libclang's tree does not show what OpenMP's pragmas are followed by */
        words[BEFORE + i] = strcmp(flags[i], "-fopenmp") == 0 ? "-D_OPENMP=201511" : flags[i];
    memcpy(words + BEFORE + flag_count, behind, sizeof behind);
    u->index = clang_createIndex(0, 0);
    code = clang_parseTranslationUnit2(u->index, name, words, flag_count + BEFORE + BEHIND, &text, 1,
                                       CXTranslationUnit_DetailedPreprocessingRecord, &u->unit);
    free(words);
    if (code != CXError_Success)
        return wm_error_set(error, -WM_EINVAL, "libclang cannot parse '%s' with these flags", name);
    return check_diagnostics(u, error);
}

struct inclusions {
    struct wm_c_unit *unit;
    struct wm_error *error;
    int rc;
};

/* A header may have pragmas that this translation cannot rewrite. */
static void check_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct inclusions *inclusions = data;
    CXTranslationUnit unit = inclusions->unit->unit;
    struct wm_toucan_pragmas pragmas = {0};
    struct wm_c_file c;

    (void)stack;
    if (depth == 0 || inclusions->rc < 0 || clang_Location_isInSystemHeader(clang_getLocationForOffset(unit, file, 0)))
        return;
    inclusions->rc = wm_c_file_init(&c, unit, file, inclusions->error);
    if (inclusions->rc == 0)
        inclusions->rc = wm_toucan_find(&c, &pragmas, inclusions->error);
    if (inclusions->rc == 0 && pragmas.count > 0)
        inclusions->rc = wm_c_file_refuse(&c, pragmas.list[0].begin, inclusions->error,
                                          "the pragma stands in a file that is included; move it to the one that is "
                                          "translated");
    wm_toucan_release(&pragmas);
    wm_c_file_release(&c);
}

int wm_c_unit_init(struct wm_c_unit *u, const char *name, const char *const *flags, int flag_count,
                   struct wm_error *error)
{
    struct inclusions inclusions = {u, error, 0};
    int rc;

    *u = (struct wm_c_unit){0};
    if ((rc = read_text(u, name, error)) < 0 || (rc = parse(u, name, flags, flag_count, error)) < 0)
        return rc;
    clang_getInclusions(u->unit, check_inclusion, &inclusions);
    if ((rc = inclusions.rc) < 0 || (rc = wm_c_file_init(&u->file, u->unit, clang_getFile(u->unit, name), error)) < 0 ||
        (rc = wm_toucan_find(&u->file, &u->pragmas, error)) < 0)
        return rc;
    return wm_toucan_bind(&u->file, &u->pragmas, error);
}

void wm_c_unit_release(struct wm_c_unit *u)
{
    wm_toucan_release(&u->pragmas);
    wm_c_file_release(&u->file);
    if (u->unit != NULL)
        clang_disposeTranslationUnit(u->unit);
    if (u->index != NULL)
        clang_disposeIndex(u->index);
    free(u->text);
}
