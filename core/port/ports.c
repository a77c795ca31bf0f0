/* Ports: their beginning and end, and the lines between ranks. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/message/far.h"
#include "core/port/state.h"
#include "waymark/message_comm.h"

struct wm_port_item *wm_port_item_new(const void *data, size_t bytes)
{
    struct wm_port_item *item = wm_allocate(sizeof *item + bytes, "a port");

    *item = (struct wm_port_item){.envelope = {.bytes = bytes}, .here = true, .bytes = bytes};
    item->envelope.buffer = item->data;
    if (data != NULL && bytes > 0)
        memcpy(item->data, data, bytes);
    return item;
}

void wm_port_item_drop(struct wm_port_item *item)
{
    if (item->here) {
        free(item);
        return;
    }
    item->host = NULL;
    item->port = NULL;
}

void wm_ports_rest(struct wm_ports *ports, unsigned *turn)
{
    wm_endpoints_rest(ports->group, turn);
}

/* ---- lines ---- */

static void handle(struct wm_ports *ports, const struct wm_port_line *line, struct wm_port_item *item)
{
    const struct wm_port_notice *notice = item != NULL ? (const struct wm_port_notice *)(const void *)item->data : NULL;
    void *to = (void *)(uintptr_t)line->to;

    if (line->kind >= WM_PORT_JOINED) {
        wm_end_line(to, line, item);
    } else if (line->kind >= WM_PORT_WRITTEN) {
        wm_member_line(to, line, item);
    } else {
        if (line->kind >= WM_PORT_REGISTERED)
            wm_host_line(to, line, notice);
        else
            wm_directory_line(ports, line->kind, notice);
        free(item);
    }
}

void wm_ports_say(struct wm_ports *ports, int rank, struct wm_port_line line, struct wm_port_item *item)
{
    if (rank == ports->rank) {
        handle(ports, &line, item);
        return;
    }
    if (item == NULL)
        item = wm_port_item_new(NULL, 0);
    item->line = line;
    item->envelope = (struct wm_envelope){.buffer = item->data, .bytes = item->bytes, .peer = rank};
    wm_protocol_send_away(&ports->protocol, &item->envelope, &item->line);
    if (item->envelope.complete) {
        free(item);
        return;
    }
    item->next = ports->leaving;
    ports->leaving = item;
}

void wm_ports_notify(struct wm_ports *ports, int rank, struct wm_port_line line, const struct wm_port_notice *notice)
{
    wm_ports_say(ports, rank, line,
                 wm_port_item_new(notice, offsetof(struct wm_port_notice, name) + strlen(notice->name) + 1));
}

/* A line has come. One without data has no item, but for an empty message. */
static bool come(struct wm_protocol *p, const struct wm_arrival *a)
{
    struct wm_ports *ports = (struct wm_ports *)p;
    struct wm_port_line line;
    struct wm_port_item *item = wm_port_item_new(NULL, a->message.bytes);

    memcpy(&line, a->header, sizeof line);
    wm_protocol_take_arrival(p, &item->envelope, a);
    item->here = item->envelope.complete;
    if (!item->here) {
        item->next_arriving = ports->arriving;
        ports->arriving = item;
    }
    handle(ports, &line, item);
    return true;
}

static void arrived(struct wm_port_item *item)
{
    item->here = true;
    if (item->host != NULL)
        wm_host_serve(item->host);
    else if (item->port != NULL)
        wm_end_arrived(item->port);
    else
        free(item);
}

/* Messages have moved: look at those that are under way. */
static void moved(void *owner)
{
    struct wm_ports *ports = owner;

    for (struct wm_port_item **link = &ports->leaving, *item; (item = *link) != NULL;) {
        if (!item->envelope.complete) {
            link = &item->next;
            continue;
        }
        *link = item->next;
        free(item);
    }
    for (struct wm_port_item **link = &ports->arriving, *item; (item = *link) != NULL;) {
        if (!item->envelope.complete) {
            link = &item->next_arriving;
            continue;
        }
        *link = item->next_arriving;
        arrived(item);
    }
}

/* ---- beginning and end ---- */

static void meet(struct wm_ports *ports)
{
    MPI_Request barrier;
    unsigned turn = 0;
    int over = 0;

    PMPI_Ibarrier(ports->group->far->wire.comm, &barrier);
    while (!over) {
        wm_ports_rest(ports, &turn);
        PMPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
    }
}

/* Lines about names are read where they arrive: they go along with their heads, whatever the map says of small ones. */
static struct wm_message_way *with_eager_lines(const struct wm_message_way *ways)
{
    size_t count = 1;
    struct wm_message_way *own;

    while (ways[count - 1].most_bytes != SIZE_MAX)
        count++;
    own = wm_allocate((count + 1) * sizeof *own, "ports");
    memcpy(own + 1, ways, count * sizeof *own);
    own[0] = ways[0];
    own[0].most_bytes = sizeof(struct wm_port_notice);
    own[0].eager_below = own[0].most_bytes + 1;
    return own;
}

struct wm_ports *wm_ports_over(struct wm_endpoints *group)
{
    struct wm_ports *ports = wm_allocate_zeroed(sizeof *ports, "ports");

    ports->group = group;
    ports->rank = group->far->wire.self;
    ports->ranks = group->count;
    wm_protocol_open(&ports->protocol, group, ports->rank, "ports", sizeof(struct wm_port_line),
                     sizeof(struct wm_match) + sizeof(struct wm_port_line), come);
    for (int near = 0; near < 2; near++)
        ports->protocol.ways[near] = ports->ways[near] = with_eager_lines(ports->protocol.ways[near]);
    group->drained = moved;
    group->owner = ports;
    meet(ports);
    return ports;
}

struct wm_ports *wm_ports_begin(MPI_Comm comm)
{
    struct wm_endpoints *group = wm_endpoints_over(comm, &(struct wm_message_limits){0});

    return group != NULL ? wm_ports_over(group) : NULL;
}

static void free_all(struct wm_ports *ports)
{
    while (ports->hosts != NULL)
        wm_host_free(ports->hosts);
    wm_directory_free(ports);
    for (struct wm_port_item *item = ports->leaving, *next; item != NULL; item = next) {
        next = item->next;
        free(item);
    }
    free(ports->ways[0]);
    free(ports->ways[1]);
    free(ports);
}

void wm_ports_end(struct wm_ports *ports)
{
    unsigned turn = 0;

    for (struct wm_port *port = ports->ends, *next; port != NULL; port = next) {
        next = port->next;
        if (!port->closing)
            wm_port_close(port);
    }
    while (ports->ends != NULL)
        wm_ports_rest(ports, &turn);
    meet(ports);
    wm_protocol_close(&ports->protocol);
    ports->group->drained = NULL;
    wm_endpoints_free(ports->group);
    free_all(ports);
}
