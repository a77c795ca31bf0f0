/* Jumps by which a superblock's end, or the beginning of a region, would be missed. */
#include "tools/translate/jump.h"

#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };

static int refuse(const struct wm_c_file *c, CXCursor cursor, struct wm_error *error, const char *sentence)
{
    return wm_c_file_refuse_location(c->unit, clang_getCursorLocation(cursor), error, "%s", sentence);
}

static int add(struct wm_jump_ends *ends, CXSourceLocation label, CXCursor cursor, int pragma, struct wm_error *error)
{
    struct wm_jump_end *more = realloc(ends->list, (size_t)(ends->count + 1) * sizeof *more);

    if (more == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the jumps");
    ends->list = more;
    more[ends->count++] = (struct wm_jump_end){label, clang_getCursorLocation(cursor), pragma};
    return 0;
}

static enum CXChildVisitResult find_label(CXCursor cursor, CXCursor parent, CXClientData label)
{
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_LabelRef)
        *(CXSourceLocation *)label = clang_getCursorLocation(clang_getCursorReferenced(cursor));
    return CXChildVisit_Continue;
}

static CXSourceLocation label_of(CXCursor jump)
{
    CXSourceLocation label = clang_getNullLocation();

    clang_visitChildren(jump, find_label, &label);
    return label;
}

static bool is_long_jump(CXCursor call)
{
    static const char *const names[] = {"setjmp",  "_setjmp",    "sigsetjmp",        "__sigsetjmp",
                                        "longjmp", "siglongjmp", "__builtin_setjmp", "__builtin_longjmp"};
    CXString string = clang_getCursorSpelling(call);
    const char *name = clang_getCString(string);
    bool is = false;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && name != NULL; i++)
        is |= strcmp(name, names[i]) == 0;
    clang_disposeString(string);
    return is;
}

/* libclang does not list the labels of "asm goto (...)". */
static bool is_asm_goto(const struct wm_c_file *c, CXCursor statement)
{
    const struct wm_c_token *token;
    unsigned place;

    if (!wm_c_file_place(c, clang_getCursorLocation(statement), &place))
        return false;
    token = wm_c_file_token_at(c, place);
    for (; token < c->tokens + c->token_count && !wm_c_token_is(c, token, "("); token++)
        if (wm_c_token_is(c, token, "goto"))
            return true;
    return false;
}

int wm_jumps_see(struct wm_jumps *jumps, const struct wm_c_file *c, CXCursor cursor, int pragma, int switch_pragma,
                 struct wm_error *error)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_GotoStmt:
        return add(&jumps->gotos, label_of(cursor), cursor, pragma, error);
    case CXCursor_AddrLabelExpr:
        return add(&jumps->gotos, label_of(cursor), cursor, NOWHERE, error);
    case CXCursor_LabelStmt:
        return pragma != NOWHERE ? add(&jumps->labels, clang_getCursorLocation(cursor), cursor, pragma, error) : 0;
    case CXCursor_IndirectGotoStmt:
        return refuse(c, cursor, error, "a goto to a computed label may cross a superblock's border");
    case CXCursor_GCCAsmStmt:
        return is_asm_goto(c, cursor) ? refuse(c, cursor, error, "'asm goto' may cross a superblock's border") : 0;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return pragma == switch_pragma
                   ? 0
                   : refuse(c, cursor, error,
                            "this label's switch stands outside of its superblock or region; take all "
                            "of the switch in, or nothing");
    case CXCursor_ReturnStmt:
        return pragma == NOWHERE ? 0
                                 : refuse(c, cursor, error,
                                          "'return' would miss the superblock's end; leave the loop by "
                                          "'break', and return behind it");
    case CXCursor_CallExpr:
        return pragma == NOWHERE || !is_long_jump(cursor)
                   ? 0
                   : refuse(c, cursor, error, "a superblock may not jump by setjmp and longjmp");
    default:
        return 0;
    }
}

static int pragma_of(const struct wm_jump_ends *labels, CXSourceLocation label)
{
    for (int i = 0; i < labels->count; i++)
        if (clang_equalLocations(labels->list[i].label, label))
            return labels->list[i].pragma;
    return NOWHERE;
}

/* Is a pragma's statement in that of another, or the same? */
static bool within(const struct wm_toucan_pragmas *pragmas, int inner, int outer)
{
    while (inner != outer && inner != NOWHERE)
        inner = pragmas->list[inner].outer;
    return inner == outer;
}

int wm_jumps_check(const struct wm_jumps *jumps, const struct wm_c_file *c, const struct wm_toucan_pragmas *pragmas,
                   struct wm_error *error)
{
    for (int i = 0; i < jumps->gotos.count; i++) {
        const struct wm_jump_end *jump = &jumps->gotos.list[i];
        int to = pragma_of(&jumps->labels, jump->label), crossed;

        if (to == jump->pragma)
            continue;
        crossed = within(pragmas, jump->pragma, to) ? jump->pragma : to;
        return wm_c_file_refuse_location(c->unit, jump->location, error, "the jump %s a statement that is marked '%s'",
                                         crossed == to ? "enters" : "leaves", wm_toucan_word(&pragmas->list[crossed]));
    }
    return 0;
}

void wm_jumps_release(struct wm_jumps *jumps)
{
    free(jumps->gotos.list);
    free(jumps->labels.list);
}
