/* The directory: names, each kept by one rank, the ports that have them, and the ends that look for them. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/port/state.h"

enum { LEAST_BUCKETS = 16 };

/* An end that looks for a name. */
struct search {
    struct search *next;
    struct wm_port_notice notice; /* but for the name */
};

struct wm_port_entry {
    struct wm_port_entry *next;
    uint64_t hash, host;
    int holder; /* -1: nobody has opened it */
    struct search *searches, **searches_end;
    char name[];
};

static uint64_t hash_of(const char *name)
{
    return wm_hash_scatter(wm_hash_add_text(WM_HASH_BEGIN, name));
}

int wm_directory_keeper(const struct wm_ports *ports, const char *name)
{
    return (int)(hash_of(name) % (uint64_t)ports->ranks);
}

/* The low bits say which rank. */
static struct wm_port_entry **bucket_of(const struct wm_ports *ports, uint64_t hash)
{
    return &ports->entries[(hash >> 32) & (ports->bucket_count - 1)];
}

static void grow(struct wm_ports *ports)
{
    size_t before = ports->bucket_count;
    struct wm_port_entry **entries = ports->entries;

    ports->bucket_count = before > 0 ? 2 * before : LEAST_BUCKETS;
    ports->entries = wm_allocate_zeroed(ports->bucket_count * sizeof(struct wm_port_entry *), "ports");
    for (size_t i = 0; i < before; i++)
        for (struct wm_port_entry *e = entries[i], *next; e != NULL; e = next) {
            struct wm_port_entry **bucket = bucket_of(ports, e->hash);

            next = e->next;
            e->next = *bucket;
            *bucket = e;
        }
    free(entries);
}

/* The entry of a name, made if it is new. */
static struct wm_port_entry *find(struct wm_ports *ports, const char *name)
{
    uint64_t hash = hash_of(name);
    size_t name_bytes = strlen(name) + 1;
    struct wm_port_entry *e;

    if (ports->entry_count == ports->bucket_count)
        grow(ports);
    for (e = *bucket_of(ports, hash); e != NULL; e = e->next)
        if (e->hash == hash && strcmp(e->name, name) == 0)
            return e;
    e = wm_allocate(sizeof *e + name_bytes, "a port");
    *e = (struct wm_port_entry){.next = *bucket_of(ports, hash), .hash = hash, .holder = -1};
    e->searches_end = &e->searches;
    memcpy(e->name, name, name_bytes);
    *bucket_of(ports, hash) = e;
    ports->entry_count++;
    return e;
}

static void free_if_unused(struct wm_ports *ports, struct wm_port_entry *e)
{
    struct wm_port_entry **link = bucket_of(ports, e->hash);

    if (e->holder >= 0 || e->searches != NULL)
        return;
    while (*link != e)
        link = &(*link)->next;
    *link = e->next;
    ports->entry_count--;
    free(e);
}

static void join(struct wm_ports *ports, const struct wm_port_entry *e, const struct wm_port_notice *notice)
{
    wm_ports_notify(ports, e->holder, (struct wm_port_line){.kind = WM_PORT_JOIN, .to = e->host}, notice);
}

static void enter(struct wm_ports *ports, struct wm_port_entry *e, const struct wm_port_notice *notice)
{
    bool taken = e->holder >= 0;
    struct wm_port_line line = {.kind = WM_PORT_REGISTERED, .code = taken, .to = notice->host};

    if (!taken) {
        e->holder = notice->rank;
        e->host = notice->host;
    }
    line.number = e->holder;
    wm_ports_say(ports, notice->rank, line, NULL);
    for (struct search *s = e->searches, *next; !taken && s != NULL; s = next) {
        next = s->next;
        join(ports, e, &s->notice);
        free(s);
    }
    if (!taken) {
        e->searches = NULL;
        e->searches_end = &e->searches;
    }
}

static void leave(struct wm_ports *ports, struct wm_port_entry *e, const struct wm_port_notice *notice)
{
    e->holder = -1;
    wm_ports_say(ports, notice->rank, (struct wm_port_line){.kind = WM_PORT_GONE, .to = notice->host}, NULL);
    free_if_unused(ports, e);
}

static void look_for(struct wm_ports *ports, struct wm_port_entry *e, const struct wm_port_notice *notice)
{
    struct search *s;

    if (e->holder >= 0) {
        join(ports, e, notice);
        return;
    }
    s = wm_allocate_zeroed(sizeof *s, "a port");
    memcpy(&s->notice, notice, offsetof(struct wm_port_notice, name));
    *e->searches_end = s;
    e->searches_end = &s->next;
}

static void forget(struct wm_ports *ports, struct wm_port_entry *e, const struct wm_port_notice *notice)
{
    struct search **link = &e->searches, *s;

    while ((s = *link) != NULL && (s->notice.end != notice->end || s->notice.rank != notice->rank))
        link = &s->next;
    if (s != NULL) {
        if ((*link = s->next) == NULL)
            e->searches_end = link;
        free(s);
        wm_ports_say(ports, notice->rank, (struct wm_port_line){.kind = WM_PORT_FORGOTTEN, .to = notice->end}, NULL);
    }
    free_if_unused(ports, e);
}

void wm_directory_line(struct wm_ports *ports, enum wm_port_line_kind kind, const struct wm_port_notice *notice)
{
    struct wm_port_entry *e = find(ports, notice->name);

    if (kind == WM_PORT_REGISTER)
        enter(ports, e, notice);
    else if (kind == WM_PORT_UNREGISTER)
        leave(ports, e, notice);
    else if (kind == WM_PORT_FIND)
        look_for(ports, e, notice);
    else
        forget(ports, e, notice);
}

void wm_directory_free(struct wm_ports *ports)
{
    for (size_t i = 0; i < ports->bucket_count; i++)
        for (struct wm_port_entry *e = ports->entries[i], *next; e != NULL; e = next) {
            next = e->next;
            free(e);
        }
    free(ports->entries);
}
