/* Groups that span processes: their start and end, and what a drain does. */
#include "core/message/delay.h"
#include "core/message/far.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/error.h"
#include "core/message/span.h"

enum { PARCELS = 32 };
/* Lines of a peer that are handled before the others are looked at; turns of waiting after which the time is. */
enum { LINES_A_TURN = 16, TURNS_A_LOOK = 64 };

struct wm_endpoints *wm_endpoints_span(MPI_Comm comm, const struct wm_place *places, int each,
                                       const struct wm_message_limits *limits)
{
    struct wm_far *far = wm_allocate_zeroed(sizeof *far, "messages");
    struct wm_endpoints *group;

    if (wm_wire_open(&far->wire, comm, places, limits->mpi_near, limits->parcels != 0 ? limits->parcels : PARCELS) <
        0) {
        free(far);
        return NULL;
    }
    if ((group = wm_endpoints_new(each * far->wire.processes, limits)) == NULL)
        wm_out_of_memory("messages");
    far->each = each;
    far->busy = wm_allocate(sizeof(struct wm_wire_peer *) * (size_t)far->wire.peer_count, "messages");
    far->single_copy_bytes = limits->single_copy_bytes != 0 || far->wire.near_count == 0 ? limits->single_copy_bytes
                                                                                         : wm_node_single_copy_bytes();
    group->far = far;
    wm_far_begin_watch(far);
    wm_far_begin_progress(group);
    return group;
}

/* The peer's number of a protocol, and its name. */
static void learn_name(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    uint32_t number = line->head.context;

    if (number >= peer->context_count) {
        struct wm_context **more = realloc(peer->contexts, sizeof(struct wm_context *) * (number + 1));

        if (more == NULL)
            wm_out_of_memory("messages");
        peer->contexts = more;
        peer->context_count = number + 1;
    }
    if ((peer->contexts[number] = wm_context_find(group, line->body, line->head.header_bytes)) == NULL)
        wm_out_of_memory("messages");
}

static void take_part(struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    if (peer->parts == NULL) {
        peer->parts = wm_allocate(line->head.bytes, "a message");
        peer->whole_bytes = line->head.bytes;
    }
    if (line->head.bytes != peer->whole_bytes || line->body_bytes > peer->whole_bytes - peer->part_bytes)
        WM_BUG("parts are not one message's");
    memcpy(peer->parts + peer->part_bytes, line->body, line->body_bytes);
    peer->part_bytes += line->body_bytes;
}

static bool take_whole(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    return __builtin_expect(peer->is_delayed, 0) ? wm_held_come(group, peer, line) : wm_far_message(group, peer, line);
}

/* What is not taken now comes again. */
static bool take_rest(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    struct wm_wire_line whole = *line;

    if (line->head.kind != WM_LINE_EAGER || line->head.bytes != peer->whole_bytes ||
        line->head.header_bytes + peer->whole_bytes != peer->part_bytes + line->body_bytes)
        WM_BUG("the line behind parts does not bring the rest");
    memcpy(peer->parts + peer->part_bytes, line->data, line->head.bytes - peer->part_bytes);
    whole.data = peer->parts;
    whole.body_bytes += peer->part_bytes;
    if (!take_whole(group, peer, &whole))
        return false;
    free(peer->parts);
    peer->parts = NULL;
    peer->part_bytes = 0;
    return true;
}

static bool handle(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    switch ((enum wm_line_kind)line->head.kind) {
    case WM_LINE_NAME:
        learn_name(group, peer, line);
        break;
    case WM_LINE_DUE:
        wm_held_expect(peer, line);
        break;
    case WM_LINE_PART:
        take_part(peer, line);
        break;
    case WM_LINE_EAGER:
    case WM_LINE_ANNOUNCE:
        return __builtin_expect(peer->parts != NULL, 0) ? take_rest(group, peer, line) : take_whole(group, peer, line);
    case WM_LINE_GRANT:
        wm_far_granted(group->far, line);
        break;
    case WM_LINE_DATA:
        wm_far_data(group->far, line);
        break;
    case WM_LINE_DONE:
        wm_far_done(group->far, line);
        break;
    case WM_LINE_REFUSE:
        wm_far_refused(group->far, line);
        break;
    case WM_LINE_CANCEL:
        wm_far_cancelled(group->far, peer, line);
        break;
    }
    return true;
}

static bool read_lines(struct wm_endpoints *group, struct wm_wire_peer *peer)
{
    struct wm_wire *wire = &group->far->wire;
    struct wm_wire_line line;
    bool moved = false;

    for (int i = 0; i < LINES_A_TURN && wm_wire_look(peer, &line) && handle(group, peer, &line); i++) {
        wm_wire_take(wire, peer);
        moved = true;
    }
    return moved;
}

/* Those of whom parcels have arrived, and still wait, stay ready. */
static bool read_parcels(struct wm_endpoints *group)
{
    struct wm_wire *wire = &group->far->wire;
    bool moved = wm_wire_progress(wire);
    struct wm_wire_peer *peer = wire->ready, *next;

    wire->ready = NULL;
    for (; peer != NULL; peer = next) {
        next = peer->ready;
        while (read_lines(group, peer))
            moved = true;
        peer->is_ready = peer->waiting != NULL;
        if (peer->is_ready) {
            peer->ready = wire->ready;
            wire->ready = peer;
        }
    }
    return moved;
}

bool wm_endpoints_drain(struct wm_endpoints *group)
{
    struct wm_far *far = group->far;
    bool moved;

    if (far == NULL)
        return false;
    moved = far->busy_count > 0 && wm_far_write_waiting(far);
    if (__builtin_expect(far->held != NULL, 0))
        moved |= wm_held_drain(group);
    for (int i = 0; i < far->wire.near_count; i++)
        moved |= read_lines(group, far->wire.near[i]);
    if (far->wire.parcels != NULL)
        moved |= read_parcels(group);
    if (moved && group->drained != NULL)
        group->drained(group->owner);
    return moved;
}

/* True: it is time to see whether the others are there. */
static bool is_time_to_watch(const struct wm_endpoints *group, unsigned turn)
{
    return group->far != NULL && turn % TURNS_A_LOOK == 0;
}

static bool pause_a_turn(struct wm_endpoints *group, unsigned *turn)
{
    wm_node_wait(group->far == NULL || group->far->wire.node->crowded, (*turn)++);
    return is_time_to_watch(group, *turn);
}

bool wm_endpoints_look(struct wm_endpoints *group, unsigned *turn)
{
    if (wm_endpoints_drain(group)) {
        *turn = 0;
        return true;
    }
    if (is_time_to_watch(group, ++*turn))
        wm_far_watch(group->far);
    return false;
}

void wm_endpoints_rest(struct wm_endpoints *group, unsigned *turn)
{
    if (wm_endpoints_drain(group)) {
        *turn = 0;
        return;
    }
    if (pause_a_turn(group, turn))
        wm_far_watch(group->far);
}

void wm_endpoints_pause(struct wm_endpoints *group, unsigned *turn)
{
    if (!pause_a_turn(group, turn))
        return;
    wm_endpoints_lock(group);
    wm_far_watch(group->far);
    wm_endpoints_unlock(group);
}

void wm_envelope_wait(const struct wm_protocol *p, const struct wm_envelope *e)
{
    unsigned turn = 0;

    while (!e->complete)
        wm_endpoints_rest(p->group, &turn);
}

bool wm_endpoints_idle(const struct wm_endpoints *group)
{
    const struct wm_far *far = group->far;

    return far == NULL || (far->busy_count == 0 && far->held == NULL && wm_wire_idle(&far->wire));
}

/* What a process writes behind the barrier is an answer for which another waits before it. */
static void leave_together(struct wm_endpoints *group)
{
    struct wm_far *far = group->far;
    MPI_Request barrier;
    unsigned turn = 0;
    int over = 0;

    while (far->busy_count > 0 || !wm_wire_idle(&far->wire))
        wm_endpoints_rest(group, &turn);
    PMPI_Ibarrier(far->wire.comm, &barrier);
    while (!over || far->busy_count > 0 || !wm_wire_idle(&far->wire)) {
        wm_endpoints_rest(group, &turn);
        if (!over)
            PMPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
    }
}

void wm_far_free(struct wm_endpoints *group)
{
    struct wm_far *far = group->far;

    leave_together(group);
    wm_far_end_progress(group);
    wm_wire_close(&far->wire);
    for (struct wm_passage *f = far->idle, *next; f != NULL; f = next) {
        next = f->next;
        free(f);
    }
    wm_held_free(far);
    free(far->busy);
    free(far);
}
