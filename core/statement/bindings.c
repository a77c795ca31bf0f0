/* What the names of a statement are bound to: refused, or alike. */
#include <string.h>
#include "core/hash.h"
#include "core/statement/compile.h"

static const char *refusal(const struct wm_bound *b)
{
    switch ((enum wm_bound_kind)b->kind) {
    case WM_BOUND_POINTER:
        return "is a pointer: say how far it reaches by WM_SPAN, its elements behind it";
    case WM_BOUND_UNKNOWN:
        return b->stride == 0 ? "is neither a number nor an array of numbers: bind a struct by WM_TYPED, an array of "
                                "three dimensions by WM_GRID3, a function by WM_FUNCTION"
                              : "is a member that is no number, or of a packed struct: bind the structs by "
                                "WM_TYPED_SPAN";
    case WM_BOUND_FUNCTION:
        return b->signature == WM_SIGNATURE_OTHER ? "is a function whose arguments or result are of a type that a "
                                                    "statement cannot call (docs/communicate.md lists them)"
                                                  : NULL;
    case WM_BOUND_PLACE:
        return b->number == WM_BYTES && b->element_bytes == 0 ? "is a struct of no bytes" : NULL;
    case WM_BOUND_COMBINE:
        return b->element_bytes == 0 ? "is an operator of structs of no bytes" : NULL;
    }
    return "is bound to nothing";
}

/* A text can write it. */
static bool is_name(const char *name)
{
    size_t bytes = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return bytes > 0 && name[bytes] == '\0' && (name[0] < '0' || name[0] > '9');
}

static void check_binding(struct wm_compiler *c, const struct wm_token *tokens, int i)
{
    const char *name = c->bindings[i].name, *wrong = refusal(&c->bindings[i]);
    size_t place = 0;

    for (const struct wm_token *at = tokens; at->kind != WM_TOKEN_END; at++)
        if (wm_token_is(c, at, name)) {
            place = at->place;
            if (wm_token_is_keyword(c->s->text, at))
                wrong = "has a meaning of its own: the program binds it under another name";
            break;
        }
    if (!is_name(name))
        wrong = "is no name that a text can use: give it one by WM_NAMED";
    for (int j = 0; j < i; j++)
        if (strcmp(name, c->bindings[j].name) == 0)
            wrong = "is bound twice by the program";
    if (wrong != NULL)
        wm_compile_fault(c, place, "'%s' %s", name, wrong);
}

void wm_compile_check_bindings(struct wm_compiler *c, const struct wm_token *tokens)
{
    if (c->s->binding_count > WM_BINDINGS_MAX)
        wm_compile_fault(c, 0, "a statement has at most %d bindings, and the program gives %d", WM_BINDINGS_MAX,
                         c->s->binding_count);
    for (int i = 0; i < c->s->binding_count && c->rc == 0; i++)
        check_binding(c, tokens, i);
}

/* The first binding of a type, which tells at all ranks alike what is of one type. */
static int first_of_type(const struct wm_bound bindings[], const void *type)
{
    int i = 0;

    while (bindings[i].type != type)
        i++;
    return i;
}

uint64_t wm_bindings_hash(const struct wm_bound bindings[], int count)
{
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)count);

    for (int i = 0; i < count; i++) {
        const struct wm_bound *b = &bindings[i];

        hash = wm_hash_add_text(hash, b->name);
        hash = wm_hash_add(hash, (uint64_t)b->kind << 32 | (uint64_t)b->number << 24 | (uint64_t)b->promises << 16 |
                                     (uint64_t)b->dimensions << 8 | b->signature);
        hash = wm_hash_add(hash, b->number == WM_BYTES ? b->element_bytes : 0);
        hash = wm_hash_add(hash, (uint64_t)first_of_type(bindings, b->type));
    }
    return hash;
}
