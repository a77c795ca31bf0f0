/* One walk through each function that has pragmas: binds them to their statements, and looks for jumps. */
#include "tools/translate/bind.h"

#include <stdio.h>
#include "tools/translate/jump.h"

struct walk {
    const struct wm_c_file *c;
    struct wm_toucan_pragmas *pragmas;
    struct wm_jumps *jumps;
    struct wm_error *error;
    int rc;
    CXCursor function;
};

/* What surrounds a cursor. */
struct frame {
    struct walk *walk;
    int pragma;        /* the innermost, by index; -1: none */
    int switch_pragma; /* the same of the innermost switch */
};

static enum CXCursorKind kind_of(CXCursor cursor)
{
    return clang_getCursorKind(cursor);
}

static bool is_loop(enum CXCursorKind kind)
{
    return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt;
}

/* The token that precedes a place, but for comments and lines of the preprocessor's; NULL: none. */
static const struct wm_c_token *token_before(const struct wm_c_file *c, unsigned place)
{
    const struct wm_c_token *token = wm_c_file_token_at(c, place);

    while (token > c->tokens) {
        token--;
        if (token->kind != CXToken_Comment && token->directive == 0 && !token->skipped)
            return token;
    }
    return NULL;
}

/* May a block stand in the place of a child of `parent`, behind the pragma? */
static bool is_statement(const struct wm_c_file *c, CXCursor parent, const struct wm_toucan_pragma *pragma)
{
    static const enum CXCursorKind parents[] = {CXCursor_IfStmt,     CXCursor_ForStmt,    CXCursor_WhileStmt,
                                                CXCursor_SwitchStmt, CXCursor_DoStmt,     CXCursor_LabelStmt,
                                                CXCursor_CaseStmt,   CXCursor_DefaultStmt};
    const struct wm_c_token *before = token_before(c, pragma->begin);
    enum CXCursorKind kind = kind_of(parent);

    if (kind == CXCursor_CompoundStmt || kind == CXCursor_UnexposedStmt)
        return true; /* unexposed: with attributes */
    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++)
        if (parents[i] == kind)
            return wm_c_token_is(c, before, ")") || wm_c_token_is(c, before, "else") ||
                   wm_c_token_is(c, before, "do") || wm_c_token_is(c, before, ":");
    return false;
}

static enum CXChildVisitResult keep_last(CXCursor cursor, CXCursor parent, CXClientData last)
{
    (void)parent;
    *(CXCursor *)last = cursor;
    return CXChildVisit_Continue;
}

static bool ends_with_part(enum CXCursorKind kind)
{
    static const enum CXCursorKind kinds[] = {CXCursor_IfStmt,     CXCursor_ForStmt,      CXCursor_WhileStmt,
                                              CXCursor_LabelStmt,  CXCursor_CaseStmt,     CXCursor_DefaultStmt,
                                              CXCursor_SwitchStmt, CXCursor_UnexposedStmt};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i] == kind)
            return true;
    return false;
}

/* The innermost statement with which a statement ends. */
static CXCursor find_last(CXCursor statement)
{
    CXCursor last = clang_getNullCursor();

    if (ends_with_part(kind_of(statement)))
        clang_visitChildren(statement, keep_last, &last);
    return clang_Cursor_isNull(last) ? statement : find_last(last);
}

static int find_after(const struct wm_c_file *c, CXCursor statement, struct wm_toucan_pragma *pragma,
                      struct wm_error *error)
{
    const char *word = wm_toucan_word(pragma);
    const struct wm_c_token *token;

    statement = find_last(statement);
    if (!wm_c_file_place(c, clang_getRangeEnd(clang_getCursorExtent(statement)), &pragma->after))
        return wm_c_file_refuse(c, pragma->begin, error, "'%s': the statement ends in another file", word);
    if (pragma->after <= pragma->statement || wm_c_file_in_macro(c, pragma->after - 1))
        return wm_c_file_refuse(c, pragma->after, error, "'%s': the statement ends in a macro; put that part in braces",
                                word);
    if (kind_of(statement) == CXCursor_CompoundStmt || kind_of(statement) == CXCursor_NullStmt)
        return 0; /* its extent has all of it; others' lack the ';' */
    token = wm_c_file_token_at(c, pragma->after);
    while (token < c->tokens + c->token_count && (token->kind == CXToken_Comment || token->directive || token->skipped))
        token++;
    if (!wm_c_token_is(c, token, ";"))
        return wm_c_file_refuse(c, pragma->after, error, "'%s': the statement's end is not found; put it in braces",
                                word);
    pragma->after = token->end;
    return 0;
}

static void find_name(const struct walk *walk, struct wm_toucan_pragma *pragma)
{
    CXString function = clang_getCursorSpelling(walk->function);
    unsigned line;

    clang_getFileLocation(clang_getLocationForOffset(walk->c->unit, walk->c->file, pragma->begin), NULL, &line, NULL,
                          NULL);
    if (pragma->name[0] == '\0' && pragma->region == NULL)
        snprintf(pragma->name, sizeof pragma->name, "%.100s:%u", clang_getCString(function), line);
    clang_disposeString(function);
}

/* What keeps the statement from being marked so; NULL: nothing. `outer`: the pragma around it, or NULL. */
static const char *find_fault(const struct wm_c_file *c, const struct wm_toucan_pragma *pragma, CXCursor statement,
                              CXCursor parent, const struct wm_toucan_pragma *outer)
{
    enum CXCursorKind kind = kind_of(statement);

    if (outer != NULL && outer->statement == pragma->statement)
        return "the statement behind it has a pragma already; a region stands in its superblock's loop";
    if (kind == CXCursor_DeclStmt)
        return "a declaration follows, which no block may hide; put the pragma behind it, or both in braces";
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt)
        return "a label of a switch follows; put the pragma behind it";
    if (!is_statement(c, parent, pragma))
        return "no statement follows";
    if (pragma->region == NULL)
        return is_loop(kind) ? NULL : "no loop follows; a superblock is a for, while or do";
    if (outer == NULL)
        return "the region stands outside of a superblock; put '#pragma toucan superblock' before the loop around it";
    return outer->region != NULL ? "the region stands in another one" : NULL;
}

static int bind(struct frame *frame, CXCursor cursor, CXCursor parent, struct wm_toucan_pragma *pragma)
{
    struct walk *walk = frame->walk;
    const struct wm_toucan_pragma *outer = frame->pragma >= 0 ? &walk->pragmas->list[frame->pragma] : NULL;
    const char *fault = find_fault(walk->c, pragma, cursor, parent, outer);
    int rc;

    if (fault != NULL)
        return wm_c_file_refuse(walk->c, pragma->begin, walk->error, "'%s': %s", wm_toucan_word(pragma), fault);
    if ((rc = find_after(walk->c, cursor, pragma, walk->error)) < 0)
        return rc;
    find_name(walk, pragma);
    pragma->bound = true;
    pragma->outer = frame->pragma;
    frame->pragma = (int)(pragma - walk->pragmas->list);
    return 0;
}

/* Bind the pragmas before the statement at this place, outermost first. */
static int bind_at(struct frame *frame, CXCursor cursor, CXCursor parent, unsigned place)
{
    const struct wm_toucan_pragmas *pragmas = frame->walk->pragmas;
    int low = 0, high = pragmas->count, rc = 0;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (pragmas->list[middle].statement < place)
            low = middle + 1;
        else
            high = middle;
    }
    for (; rc == 0 && low < pragmas->count && pragmas->list[low].statement == place; low++)
        if (!pragmas->list[low].bound)
            rc = bind(frame, cursor, parent, &pragmas->list[low]);
        else
            frame->pragma = low; /* a part of the statement, or libclang shows it twice */
    return rc;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct frame frame = *(struct frame *)data;
    struct walk *walk = frame.walk;
    unsigned place;

    if (wm_c_file_place(walk->c, clang_getRangeStart(clang_getCursorExtent(cursor)), &place))
        walk->rc = bind_at(&frame, cursor, parent, place);
    if (walk->rc == 0)
        walk->rc = wm_jumps_see(walk->jumps, walk->c, cursor, frame.pragma, frame.switch_pragma, walk->error);
    if (kind_of(cursor) == CXCursor_SwitchStmt)
        frame.switch_pragma = frame.pragma;
    if (walk->rc == 0)
        clang_visitChildren(cursor, visit, &frame);
    return walk->rc == 0 ? CXChildVisit_Continue : CXChildVisit_Break;
}

static bool has_pragma(const struct walk *walk, CXCursor function)
{
    CXSourceRange extent = clang_getCursorExtent(function);
    unsigned begin, end;

    if (!wm_c_file_place(walk->c, clang_getRangeStart(extent), &begin) ||
        !wm_c_file_place(walk->c, clang_getRangeEnd(extent), &end))
        return false;
    for (int i = 0; i < walk->pragmas->count; i++)
        if (walk->pragmas->list[i].begin >= begin && walk->pragmas->list[i].begin < end)
            return true;
    return false;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct walk *walk = data;
    struct wm_jumps jumps = {0};
    struct frame frame = {walk, -1, -1};

    (void)parent;
    if (kind_of(cursor) != CXCursor_FunctionDecl || !has_pragma(walk, cursor))
        return CXChildVisit_Continue;
    walk->jumps = &jumps;
    walk->function = cursor;
    clang_visitChildren(cursor, visit, &frame);
    if (walk->rc == 0)
        walk->rc = wm_jumps_check(&jumps, walk->c, walk->pragmas, walk->error);
    wm_jumps_release(&jumps);
    return walk->rc == 0 ? CXChildVisit_Continue : CXChildVisit_Break;
}

int wm_toucan_bind(const struct wm_c_file *c, struct wm_toucan_pragmas *pragmas, struct wm_error *error)
{
    struct walk walk = {.c = c, .pragmas = pragmas, .error = error};

    for (int i = 0; i < pragmas->count; i++)
        if (wm_c_file_in_macro(c, pragmas->list[i].statement))
            return wm_c_file_refuse(c, pragmas->list[i].statement, error, "'%s': the statement begins in a macro; %s",
                                    wm_toucan_word(&pragmas->list[i]),
                                    pragmas->list[i].region == NULL ? "write the loop out" : "put it in braces");
    clang_visitChildren(clang_getTranslationUnitCursor(c->unit), visit_function, &walk);
    for (int i = 0; i < pragmas->count && walk.rc == 0; i++)
        if (!pragmas->list[i].bound)
            walk.rc = wm_c_file_refuse(c, pragmas->list[i].begin, error, "'%s': no statement follows",
                                       wm_toucan_word(&pragmas->list[i]));
    return walk.rc;
}
