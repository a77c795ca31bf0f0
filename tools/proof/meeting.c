/* A shared step on symbols: what its members bring, and what each of them takes away. */
#include "tools/proof/machine.h"
#include "tools/proof/parts.h"

/* What a member is to get into one of its ranges. Contents count their units from 0. */
struct gift {
    struct wm_at at;
    struct wm_ref to;
    size_t count;
    struct wm_proof_memory content;
};

static bool is_same(struct wm_ref a, struct wm_ref b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

/* A reduction may get where it gives from; all else that is to be got is spoiled. */
static void spoil(struct wm_machine *m, struct wm_at at)
{
    const struct wm_shared *s = wm_machine_shared(m, at);

    for (int i = 0; i < s->size; i++) {
        struct wm_ref to;
        size_t count;
        int from;

        if (wm_shared_gets(s, i, &to, &count) && (wm_part_giver(s, i, &from) >= 0 || !is_same(s->from[from], to)))
            wm_machine_write(m, at.rank, to, count, 0, &(struct wm_proof_memory){0});
    }
}

void wm_gathering_post(struct wm_machine *m, struct wm_at at)
{
    int index = m->message_of[m->first[at.rank] + (size_t)at.step];
    struct wm_gathering *gathering = &m->gatherings[index];

    spoil(m, at);
    if (++gathering->posted == gathering->size)
        wm_machine_add_event(m, WM_EVENT_GATHERING, index);
}

static bool read_from(struct wm_machine *m, struct wm_at giver, int from, size_t count, struct wm_proof_memory *out)
{
    struct wm_ref ref = wm_machine_shared(m, giver)->from[from];

    if (!wm_machine_read(m, giver, ref, count, out))
        return false;
    wm_memory_shift(out, ref.offset, 0);
    return true;
}

/* Contributions up to that of member `end` - 1, in the order of members, to the right of the first `begin` ones', which
 * the gift has. */
static bool combine(struct wm_machine *m, const struct wm_gathering *gathering, int from, int begin, int end,
                    struct gift *gift)
{
    for (int i = begin; i < end; i++) {
        struct wm_proof_memory next, both;

        if (!read_from(m, gathering->members[i], from, gift->count, &next) ||
            (i > 0 && !wm_machine_combine(m, gift->at, &gift->content, &next, &both)))
            return false;
        gift->content = i > 0 ? both : next;
    }
    return true;
}

static void copy_content(struct wm_machine *m, const struct wm_proof_memory *content, struct wm_proof_memory *out)
{
    *out = (struct wm_proof_memory){0};
    for (int i = 0; i < content->count; i++)
        wm_memory_append(&m->run_arena, out, content->spans[i]);
}

/* Where all is one block a member gets what the one before it got, and perhaps more. */
static bool make_gift(struct wm_machine *m, const struct wm_gathering *gathering, int range, struct gift *gift,
                      const struct gift *first)
{
    const struct wm_shared *s = wm_machine_shared(m, gift->at);
    int from, giver = wm_part_giver(s, range, &from), begin = 0;

    if (giver >= 0)
        return read_from(m, gathering->members[giver], from, gift->count, &gift->content);
    if (wm_part_whole(s) && gift > first) {
        copy_content(m, &gift[-1].content, &gift->content);
        begin = wm_part_combined(wm_machine_shared(m, gift[-1].at));
    }
    return combine(m, gathering, from, begin, wm_part_combined(s), gift);
}

static size_t count_gifts(const struct wm_machine *m, const struct wm_gathering *gathering)
{
    size_t count = 0;

    for (int member = 0; member < gathering->size; member++) {
        struct wm_ref first;
        int ranges;

        wm_part_gotten(wm_machine_shared(m, gathering->members[member]), &ranges, &first);
        count += (size_t)ranges;
    }
    return count;
}

/* All gifts, in `gifts`, whose storage is the run's. Returns how many, -1 when something cannot be read or combined. */
static int make_gifts(struct wm_machine *m, const struct wm_gathering *gathering, struct gift **gifts)
{
    int count = 0;

    *gifts = wm_arena_take(&m->run_arena, sizeof **gifts * (count_gifts(m, gathering) + 1));
    for (int member = 0; member < gathering->size; member++)
        for (int range = 0; range < gathering->size; range++) {
            struct gift *gift = &(*gifts)[count];

            *gift = (struct gift){.at = gathering->members[member]};
            if (!wm_shared_gets(wm_machine_shared(m, gift->at), range, &gift->to, &gift->count))
                continue;
            if (!make_gift(m, gathering, range, gift, &(*gifts)[0]))
                return -1;
            count++;
        }
    return count;
}

static void end_at(struct wm_machine *m, const struct wm_gathering *gathering, int member, int round)
{
    struct wm_at at = gathering->members[member];

    m->rounds[m->first[at.rank] + (size_t)at.step] = round;
    wm_machine_finish(m, at);
    if (gathering->held[member] > 0)
        wm_machine_release_step(m, (struct wm_at){at.rank, gathering->held[member]});
}

bool wm_gathering_pass(struct wm_machine *m, const struct wm_gathering *gathering)
{
    struct gift *gifts;
    int count = make_gifts(m, gathering, &gifts), round = 0;

    for (int i = 0; i < count; i++)
        wm_machine_write(m, gifts[i].at.rank, gifts[i].to, gifts[i].count, 0, &gifts[i].content);
    for (int i = 0; count >= 0 && i < gathering->size; i++) {
        struct wm_at at = gathering->members[i];
        int before = m->rounds[m->first[at.rank] + (size_t)at.step];

        round = before > round ? before : round;
    }
    if (count >= 0 && round + 1 > m->proof->rounds)
        m->proof->rounds = round + 1;
    for (int i = 0; count >= 0 && i < gathering->size; i++)
        end_at(m, gathering, i, round + 1);
    return count >= 0;
}
