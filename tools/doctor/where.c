/* Where: calls and messages as JSON. */
#include "tools/doctor/where.h"

#include <ctype.h>
#include <stdio.h>
#include "core/guard/held.h"
#include "tools/doctor/site.h"
#include "waymark/operation.h"

json_t *wm_where_text(const char *chars, size_t room)
{
    char copy[256];

    snprintf(copy, sizeof copy, "%.*s", (int)(room < sizeof copy ? room : sizeof copy - 1), chars);
    wm_plain_text(copy, false);
    return json_string(copy);
}

/* MPI_Bcast, MPI_Ibcast, MPIX_Bcast_init. */
static json_t *function_of(const struct wm_page_call *call)
{
    const char *name =
        call->operation < WM_COLLECTIVE_COUNT ? wm_operation_function((enum wm_operation)call->operation) : "MPI_?";

    if (call->form == WM_FORM_NONBLOCKING)
        return json_sprintf("MPI_I%c%s", tolower((unsigned char)name[4]), name + 5);
    return call->form == WM_FORM_PERSISTENT ? json_sprintf("MPIX_%s_init", name + 4) : json_string(name);
}

static void add_site(json_t *object, const struct wm_page *page, uint64_t address)
{
    const struct wm_call_site *site = wm_call_site_find(page, address);

    if (site->text[0] != '\0')
        json_object_set_new(object, "site", wm_where_text(site->text, sizeof site->text));
    if (site->line > 0) {
        json_object_set_new(object, "file", wm_where_text(site->file, sizeof site->file));
        json_object_set_new(object, "line", json_integer(site->line));
    }
    if (site->function[0] != '\0')
        json_object_set_new(object, "in", wm_where_text(site->function, sizeof site->function));
}

json_t *wm_where_call(const struct wm_page *page, const struct wm_page_call *call)
{
    json_t *object = json_object();
    bool known = call->operation < WM_COLLECTIVE_COUNT;

    json_object_set_new(object, "function", function_of(call));
    if (known && wm_operation_rooted((enum wm_operation)call->operation))
        json_object_set_new(object, "root", json_integer(call->root));
    if (call->reduction_name[0] != '\0')
        json_object_set_new(object, "operator", wm_where_text(call->reduction_name, sizeof call->reduction_name));
    if (call->type[0] != '\0' || call->bytes > 0) {
        json_object_set_new(object, "count", json_integer((json_int_t)call->count));
        json_object_set_new(object, "type", wm_where_text(call->type, sizeof call->type));
        json_object_set_new(object, "bytes", json_integer((json_int_t)call->bytes));
    }
    add_site(object, page, call->site);
    return object;
}

json_t *wm_where_numbered_call(const struct wm_page *page, const struct wm_page_call *call, uint32_t comm,
                               uint64_t sequence)
{
    json_t *object = wm_where_call(page, call);

    json_object_set_new(object, "call", json_integer((json_int_t)sequence));
    if (comm < WM_PAGE_COMMS)
        json_object_set_new(object, "communicator",
                            wm_where_text(page->comms[comm].name, sizeof page->comms[comm].name));
    return object;
}

/* --- Messages --- */

/* How far behind one's own the peer's rank is, by the shorter way around. */
static int offset_of(const struct wm_page_comm *comm, int peer)
{
    int offset = (peer - comm->rank + comm->ranks) % comm->ranks;

    return offset <= comm->ranks / 2 ? offset : offset - comm->ranks;
}

static void add_peer(json_t *object, const struct wm_judgement *j, const struct wm_page_comm *comm, int peer)
{
    int page = wm_held_find_rank(j, comm->id, peer);

    if (page >= 0)
        json_object_set_new(object, "peer", json_integer(j->stands[page].rank));
    if (comm->ranks > 0)
        json_object_set_new(object, "offset", json_integer(offset_of(comm, peer)));
}

static json_t *message_object(const struct wm_judgement *j, int i, const struct wm_page_message *m)
{
    const struct wm_page *page = wm_pages_at(j->pages, i);
    const struct wm_page_comm *comm = &page->comms[m->comm % WM_PAGE_COMMS];
    bool sent = m->kind == WM_POST_SENT;
    uint32_t underway;
    json_t *object;

    if (m->kind == WM_POST_COLLECTIVE) {
        object = wm_where_numbered_call(page, &page->calls[m->bytes % WM_PAGE_CALLS], m->comm, m->sequence);
        json_object_set_new(object, "direction", json_string("collective"));
        return object;
    }
    object = json_pack("{ss, so}", "direction", sent ? "to" : "from", "communicator",
                       wm_where_text(comm->name, sizeof comm->name));
    if (m->peer >= 0)
        add_peer(object, j, comm, m->peer);
    if (m->tag != WM_PAGE_ANY)
        json_object_set_new(object, "tag", json_integer(m->tag));
    if (sent) {
        json_object_set_new(object, "bytes", json_integer(m->bytes));
        json_object_set_new(object, "waits", json_boolean((m->flags & WM_POST_SYNCHRONOUS) != 0));
    } else if ((underway = wm_held_underway(j, i, m)) > 0)
        json_object_set_new(object, "underway", json_integer(underway));
    return object;
}

static json_t *wait_for_messages(const struct wm_judgement *j, int i)
{
    const struct wm_page_now *now = &j->stands[i].now;
    json_t *messages = json_array(),
           *object = json_pack("{ss, so}", "function", wm_post_function_name(now->function), "messages", messages);
    uint32_t count = wm_held_messages(now);

    for (uint32_t k = 0; k < count; k++) {
        const struct wm_page_message *m = wm_held_message(wm_pages_at(j->pages, i), now, k);

        if (m != NULL && m->comm < WM_PAGE_COMMS)
            json_array_append_new(messages, message_object(j, i, m));
    }
    if (now->function >= WM_POST_WAIT)
        json_object_set_new(object, "requests", json_integer(now->count));
    if (wm_held_needs_one(now))
        json_object_set_new(object, "any", json_true());
    add_site(object, wm_pages_at(j->pages, i), now->site);
    return object;
}

/* --- Ranks --- */

/* The newest call of all communicators, or NULL. */
static json_t *last_call(const struct wm_page *page)
{
    const struct wm_page_entry *entry = &page->ring[(page->ring_next + WM_PAGE_RING - 1) % WM_PAGE_RING];

    if (entry->sequence == 0 || entry->call >= WM_PAGE_CALLS)
        return NULL;
    return wm_where_numbered_call(page, &page->calls[entry->call], entry->comm, entry->sequence);
}

json_t *wm_where_now(const struct wm_judgement *j, int i)
{
    const struct wm_stand *stand = &j->stands[i];

    if (stand->known)
        return wm_where_numbered_call(wm_pages_at(j->pages, i), &stand->call, stand->entry.comm, stand->entry.sequence);
    return (stand->doing & 1) != 0 && stand->now.function != WM_POST_NONE ? wait_for_messages(j, i) : NULL;
}

void wm_where_add(json_t *object, const struct wm_judgement *j, int i)
{
    json_t *now = wm_where_now(j, i), *last;

    if (now != NULL)
        json_object_set_new(object, "in", now);
    else if ((last = last_call(wm_pages_at(j->pages, i))) != NULL)
        json_object_set_new(object, "after", last);
}
