/* Agreement: who knows of a statement's messages, as all ranks find it out. */
#include "core/statement/agreement.h"

#include <limits.h>
#include "core/hash.h"

/* Of the values and extents of `which` bindings: alike at all ranks, if the hashes are. */
static uint64_t values_hash(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which)
{
    uint64_t hash = WM_HASH_BEGIN;

    for (int i = 0; i < s->binding_count; i++) {
        struct wm_section all = wm_binding_section(&bindings[i], i);
        struct wm_run_walk runs = wm_section_runs(&all);
        size_t bytes = wm_binding_element_bytes(&bindings[i]), begin;
        const unsigned char *at = bindings[i].at;

        if ((which >> i & 1) == 0 || bindings[i].kind != WM_BOUND_PLACE)
            continue;
        hash = wm_hash_add(hash, all.count * bytes);
        while (wm_run_walk_next(&runs, &begin))
            for (size_t k = begin * bytes; k < (begin + runs.length) * bytes; k++)
                hash = wm_hash_add(hash, at[k]);
    }
    return hash;
}

/* Of those on which who sends what, and how much, depends, those that are promised to be uniform. */
static uint64_t promised(const struct wm_statement *s, const struct wm_bound bindings[])
{
    uint64_t which = 0;

    for (int i = 0; i < s->binding_count; i++)
        if ((bindings[i].promises & WM_IS_UNIFORM) != 0)
            which |= UINT64_C(1) << i;
    return which & (s->choosing | s->sizing);
}

static bool is_local(const struct wm_statement *s, int term)
{
    return term >= 0 && s->terms[term].local;
}

bool wm_statement_chooses_by_me(const struct wm_statement *s)
{
    for (int i = 0; i < s->clause_count; i++)
        if (is_local(s, s->clauses[i].from) || is_local(s, s->clauses[i].to))
            return true;
    for (int i = 0; i < s->reduction_count; i++)
        if (is_local(s, s->reductions[i].sender) || is_local(s, s->reductions[i].receiver))
            return true;
    return false;
}

void wm_agreement_tell(uint64_t words[WM_WORDS], const struct wm_traffic *x, const struct wm_bound bindings[])
{
    uint64_t choice = values_hash(x->s, bindings, x->s->choosing);
    uint64_t kept = values_hash(x->s, bindings, promised(x->s, bindings));
    struct wm_roles role = wm_traffic_role(x);
    size_t least, most;

    wm_traffic_blocks(x, &least, &most);
    words[WM_WORD_BALANCE] = x->balance;
    words[WM_WORD_SETS] = role.sets;
    words[WM_WORD_UNSURE] = !x->believes;
    words[WM_WORD_RULED_OUT] = role.ruled_out;
    words[WM_WORD_CHOICE] = choice;
    words[WM_WORD_NOT_CHOICE] = ~choice;
    words[WM_WORD_PROMISED] = kept;
    words[WM_WORD_NOT_PROMISED] = ~kept;
    words[WM_WORD_BLOCK] = least;
    words[WM_WORD_NOT_BLOCK] = ~most;
    words[WM_WORD_LEADER] = role.leader < 0 ? UINT64_MAX : (uint64_t)role.leader;
    words[WM_WORD_NOT_LEADER] = role.leader < 0 ? UINT64_MAX : ~(uint64_t)role.leader;
}

void wm_agreement_join(uint64_t all[WM_WORDS], const uint64_t words[WM_WORDS])
{
    all[WM_WORD_BALANCE] += words[WM_WORD_BALANCE];
    all[WM_WORD_SETS] += words[WM_WORD_SETS];
    all[WM_WORD_UNSURE] |= words[WM_WORD_UNSURE];
    all[WM_WORD_RULED_OUT] |= words[WM_WORD_RULED_OUT];
    for (int word = WM_WORD_CHOICE; word < WM_WORDS; word++)
        all[word] = words[word] < all[word] ? words[word] : all[word];
}

/* All ranks have the same word, of which there is the complement, too. */
static bool is_alike(const uint64_t *word)
{
    return word[0] == ~word[1];
}

struct wm_agreement wm_agreement_of(const uint64_t all[WM_WORDS], const struct wm_traffic *x,
                                    const struct wm_bound bindings[])
{
    bool known = all[WM_WORD_BALANCE] == 0 && all[WM_WORD_UNSURE] == 0;
    bool global = known && is_alike(&all[WM_WORD_CHOICE]) && !wm_statement_chooses_by_me(x->s);
    struct wm_roles roles = {.ruled_out = all[WM_WORD_RULED_OUT],
                             .sets = all[WM_WORD_SETS],
                             .leader = is_alike(&all[WM_WORD_LEADER]) ? (int)all[WM_WORD_LEADER] : -1};
    struct wm_agreement a = {.promises_hold = is_alike(&all[WM_WORD_PROMISED]),
                             .knowledge = !known   ? WM_KNOWLEDGE_SENDER
                                          : global ? WM_KNOWLEDGE_GLOBAL
                                                   : WM_KNOWLEDGE_CORRESPONDING,
                             .collective = wm_roles_collective(&roles, x->s, bindings)};

    a.collective.block = all[WM_WORD_BLOCK];
    if (!known || !is_alike(&all[WM_WORD_BLOCK]) || a.collective.block == 0 ||
        a.collective.block > INT_MAX / (x->s->reductions[0].element_bytes + 1))
        a.collective.operation = WM_OPERATION_COUNT;
    return a;
}
