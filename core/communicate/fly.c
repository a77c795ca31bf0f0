/* The messages of a turn, where both ends know of them. */
#include "core/communicate/fly.h"

#include <stdio.h>
#include "core/communicate/load.h"

static void post(struct wm_turn *turn)
{
    struct wm_loads *loads = &turn->deal->receives;

    for (int i = 0; i < loads->count; i++) {
        struct wm_load *load = &loads->loads[i];

        if (i == loads->self)
            continue;
        load->e.header = (struct wm_talk_header){.number = turn->number, .source = load->peer};
        load->e.message = (struct wm_envelope){.buffer = load->place != NULL ? load->place : wm_load_staging(load),
                                               .bytes = load->bytes};
        wm_talk_mail_receive(&turn->talk->mail, &load->e);
    }
}

void wm_fly_begin(struct wm_turn *turn)
{
    struct wm_loads *loads = &turn->deal->sends;

    post(turn);
    for (int i = 0; i < loads->count; i++) {
        struct wm_load *load = &loads->loads[i];

        if (load->place == NULL)
            wm_load_pack(turn, load);
        if (i != loads->self)
            wm_load_send(turn, load, load->place != NULL ? load->place : load->staging, false);
    }
}

bool wm_fly_is_complete(const struct wm_turn *turn)
{
    return wm_loads_are_complete(&turn->deal->receives) && wm_loads_are_complete(&turn->deal->sends);
}

static void check_bytes(const struct wm_turn *turn, const struct wm_load *load, size_t bytes)
{
    char what[128];

    if (bytes == load->bytes)
        return;
    snprintf(what, sizeof what, "%zu bytes, and that one expects %zu: they do not agree on how much is sent", bytes,
             load->bytes);
    wm_load_refuse(turn, load->peer, what);
}

static void check(const struct wm_turn *turn)
{
    const struct wm_loads *sends = &turn->deal->sends, *receives = &turn->deal->receives;

    for (int i = 0; i < sends->count; i++)
        if (i != sends->self)
            wm_load_check(turn, &sends->loads[i].e);
    for (int i = 0; i < receives->count; i++) {
        const struct wm_load *load = &receives->loads[i];

        if (i == receives->self) {
            check_bytes(turn, load, sends->loads[sends->self].bytes);
            continue;
        }
        wm_load_check(turn, &load->e);
        wm_load_check_statement(turn, &load->e.header);
        check_bytes(turn, load, load->e.message.whole);
    }
}

static void store(const struct wm_turn *turn, const struct wm_load *load, const char *from)
{
    const struct wm_traffic *x = &turn->deal->traffic;

    for (size_t i = load->first; i < load->first + load->count; i++) {
        wm_part_store(x, &x->receives.parts[i], turn->bindings, from);
        from += wm_part_bytes(x, &x->receives.parts[i]);
    }
}

void wm_fly_end(struct wm_turn *turn)
{
    const struct wm_loads *sends = &turn->deal->sends, *receives = &turn->deal->receives;

    check(turn);
    for (int i = 0; i < receives->count; i++) {
        const struct wm_load *load = &receives->loads[i];

        if (load->place == NULL)
            store(turn, load, i == receives->self ? sends->loads[sends->self].staging : load->staging);
    }
}
