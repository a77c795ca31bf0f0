/* Toucan's pragmas, found among the tokens of a file: libclang's tree does not have them. */
#include "tools/translate/pragma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"superblock", "receive", "send", "compute", "pack", "unpack"};
enum { WORD_COUNT = sizeof words / sizeof words[0], WORD_BYTES = 64 };

const char *wm_toucan_word(const struct wm_toucan_pragma *pragma)
{
    return pragma->region != NULL ? pragma->region : words[0];
}

/* The word of the table that the token is, or NULL. */
static const char *known_word(const struct wm_c_file *c, const struct wm_c_token *token)
{
    for (int i = 0; i < WORD_COUNT; i++)
        if (wm_c_token_is(c, token, words[i]))
            return words[i];
    return NULL;
}

static const struct wm_c_token *end_of(const struct wm_c_file *c)
{
    return c->tokens + c->token_count;
}

/* The next token that is no comment. */
static const struct wm_c_token *next(const struct wm_c_file *c, const struct wm_c_token *token)
{
    do
        token++;
    while (token < end_of(c) && token->kind == CXToken_Comment);
    return token;
}

/* The same of one line of the preprocessor's. */
static const struct wm_c_token *next_in_line(const struct wm_c_file *c, const struct wm_c_token *token)
{
    const struct wm_c_token *after = next(c, token);

    return after < end_of(c) && after->directive == token->directive ? after : end_of(c);
}

static void copy_token(const struct wm_c_file *c, const struct wm_c_token *token, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%.*s", (int)(token->end - token->begin), c->text + token->begin);
}

static int refuse_word(const struct wm_c_file *c, const struct wm_c_token *hash, const struct wm_c_token *word,
                       struct wm_error *error)
{
    char text[WORD_BYTES];

    if (word == end_of(c))
        return wm_c_file_refuse(c, hash->begin, error,
                                "'#pragma toucan' says nothing; name what follows, 'superblock' "
                                "for example");
    copy_token(c, word, text, sizeof text);
    return wm_c_file_refuse(c, word->begin, error, "'%s' is no word of '#pragma toucan'%s", text,
                            wm_error_suggest(text, words, WORD_COUNT, "",
                                             "superblock, receive, send, compute, pack "
                                             "and unpack are")
                                .text);
}

/* Read "(WORD)" behind `name`. Returns the last token, or NULL. */
static const struct wm_c_token *read_name(const struct wm_c_file *c, const struct wm_c_token *token, char *name)
{
    const struct wm_c_token *open = next_in_line(c, token), *word, *close;

    if (!wm_c_token_is(c, open, "("))
        return NULL;
    word = next_in_line(c, open);
    if (word == end_of(c) || (word->kind != CXToken_Identifier && word->kind != CXToken_Keyword) ||
        word->end - word->begin >= WM_TOUCAN_NAME_BYTES)
        return NULL;
    close = next_in_line(c, word);
    copy_token(c, word, name, WM_TOUCAN_NAME_BYTES);
    return wm_c_token_is(c, close, ")") ? close : NULL;
}

static bool begins_directive(const struct wm_c_file *c, const struct wm_c_token *token)
{
    return token->directive != 0 && (token == c->tokens || token[-1].directive != token->directive);
}

/* Where the statement behind a pragma begins. Other lines of the preprocessor's may stand between, but for what
 * includes a part of the statement. */
static unsigned find_statement(const struct wm_c_file *c, const struct wm_c_token *last)
{
    const struct wm_c_token *token = next(c, last);

    for (; token < end_of(c) && (token->directive != 0 || token->skipped); token = next(c, token))
        if (!token->skipped && begins_directive(c, token) && wm_c_token_is(c, next_in_line(c, token), "include"))
            return (unsigned)c->bytes;
    return token < end_of(c) ? token->begin : (unsigned)c->bytes;
}

/* `toucan` is the second word behind the '#'. */
static int read_pragma(const struct wm_c_file *c, const struct wm_c_token *hash, const struct wm_c_token *toucan,
                       struct wm_toucan_pragma *pragma, struct wm_error *error)
{
    const struct wm_c_token *word = next_in_line(c, toucan), *last = word, *more;
    const char *known = known_word(c, word);

    if (known == NULL)
        return refuse_word(c, hash, word, error);
    *pragma = (struct wm_toucan_pragma){.begin = hash->begin, .outer = -1};
    if (known != words[0])
        pragma->region = known;
    more = next_in_line(c, last);
    if (pragma->region == NULL && wm_c_token_is(c, more, "name")) {
        last = read_name(c, more, pragma->name);
        if (last == NULL)
            return wm_c_file_refuse(c, more->begin, error,
                                    "a superblock's name is a word in parentheses: name(jacobi)");
        more = next_in_line(c, last);
    }
    if (more != end_of(c))
        return wm_c_file_refuse(c, more->begin, error, "nothing may follow '%s' in this pragma%s",
                                wm_toucan_word(pragma), pragma->region == NULL ? " but name(WORD)" : "");
    pragma->end = last->end;
    pragma->statement = find_statement(c, last);
    if (wm_c_file_in_macro(c, hash->begin))
        return wm_c_file_refuse(c, hash->begin, error, "the pragma stands among the arguments of a macro");
    return 0;
}

/* _Pragma("toucan send"), and PRAGMA(toucan send) for a macro of the user's. */
static int check_disguise(const struct wm_c_file *c, const struct wm_c_token *token, struct wm_error *error)
{
    const struct wm_c_token *after = next(c, token);

    if (wm_c_token_is(c, token, "_Pragma") && wm_c_token_is(c, after, "(")) {
        const struct wm_c_token *text = next(c, after);

        if (text < end_of(c) && text->kind == CXToken_Literal &&
            memmem(c->text + text->begin, text->end - text->begin, "toucan", strlen("toucan")) != NULL)
            return wm_c_file_refuse(c, token->begin, error,
                                    "'_Pragma' is not rewritten; write '#pragma toucan' on a "
                                    "line of its own");
    }
    if (wm_c_token_is(c, token, "toucan") && known_word(c, after) != NULL)
        return wm_c_file_refuse(c, token->begin, error,
                                "'toucan %s' is made a pragma by a macro; write '#pragma toucan' "
                                "on a line of its own",
                                known_word(c, after));
    return 0;
}

static int add(struct wm_toucan_pragmas *pragmas, const struct wm_toucan_pragma *pragma, struct wm_error *error)
{
    struct wm_toucan_pragma *more = realloc(pragmas->list, (size_t)(pragmas->count + 1) * sizeof *more);

    if (more == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the pragmas");
    pragmas->list = more;
    more[pragmas->count++] = *pragma;
    return 0;
}

int wm_toucan_find(const struct wm_c_file *c, struct wm_toucan_pragmas *pragmas, struct wm_error *error)
{
    int rc = 0, done = 0; /* the directive that was a pragma of Toucan's */

    *pragmas = (struct wm_toucan_pragmas){0};
    for (const struct wm_c_token *token = c->tokens; token < end_of(c) && rc == 0; token++) {
        struct wm_toucan_pragma pragma;
        const struct wm_c_token *word = next_in_line(c, token);

        if (token->skipped || (token->directive != 0 && token->directive == done))
            continue;
        if (begins_directive(c, token) && wm_c_token_is(c, word, "pragma") &&
            wm_c_token_is(c, next_in_line(c, word), "toucan")) {
            done = token->directive;
            rc = read_pragma(c, token, next_in_line(c, word), &pragma, error);
            rc = rc == 0 ? add(pragmas, &pragma, error) : rc;
        } else {
            rc = check_disguise(c, token, error);
        }
    }
    return rc;
}

void wm_toucan_release(struct wm_toucan_pragmas *pragmas)
{
    free(pragmas->list);
}
