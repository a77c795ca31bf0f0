/* What the trace is told of subranks: who they are, their communicators, their collectives. */
#include "core/subrank/record.h"
#include <string.h>
#include "core/data/allocate.h"
#include "core/process/utf8.h"
#include "core/record/control.h"
#include "core/record/recordings.h"
#include "core/subrank/schedule.h"
#include "waymark/runtime.h"

/* ---- recordings ---- */

/* Between subranks the first one speaks. */
static struct wm_recording *running(void)
{
    int self = wm_subrank_self();

    return &wm_process.recordings[self >= 0 ? self : 0];
}

static int *list_ranks(void)
{
    int *ranks = wm_allocate((size_t)wm_world.each * sizeof *ranks, "the trace");

    for (int i = 0; i < wm_world.each; i++)
        ranks[i] = wm_world_rank_of(wm_process.world_rank + i);
    return ranks;
}

void wm_rank_record_start(const char *program)
{
    const char *slash = strrchr(program, '/');
    struct wm_error error = {0};
    bool speaker;
    int *ranks;

    if (!wm_process.awake || wm_process.settings.trace[0] == '\0')
        return;
    ranks = list_ranks();
    if (wm_recordings_open(ranks, slash != NULL ? slash + 1 : program, &error, &speaker) < 0)
        wm_process_fail(MPI_COMM_WORLD, &error, speaker);
    else
        wm_process.running = running;
    free(ranks);
}

struct wm_recording *wm_rank_recording(const struct wm_rank *rank)
{
    return wm_process.recordings != NULL ? &wm_process.recordings[rank - wm_world.ranks] : NULL;
}

WM_RANK_DOOR int MPI_Pcontrol(const int level, ...)
{
    wm_subrank_hold();
    wm_control_set(level);
    wm_subrank_let_go();
    return PMPI_Pcontrol(level);
}

/* ---- communicators ---- */

void wm_rank_record_comm(struct wm_rank_comm *c)
{
    struct wm_recording *recording = wm_rank_recording(c->rank);
    int *world;

    c->id = wm_process.next_communicator++;
    if (recording == NULL)
        return;
    world = wm_allocate((size_t)c->size * sizeof *world, "the trace");
    for (int i = 0; i < c->size; i++)
        world[i] = wm_world_rank_of(c->group->ranks[i]);
    wm_process_define_communicator(recording, c->id, c->name, world, c->size);
    free(world);
}

void wm_rank_record_name(const struct wm_rank_comm *c)
{
    char text[MPI_MAX_OBJECT_NAME];

    if (wm_process.recordings == NULL)
        return;
    wm_utf8_copy(text, sizeof text, c->name);
    wm_recording_define(wm_rank_recording(c->rank),
                        json_pack("{ss, sI, ss}", "define", "name", "communicator", (json_int_t)c->id, "name", text));
}

/* ---- superblocks ---- */

void wm_rank_record_superblock(const struct wm_rank *rank, const struct wm_superblock_record *r)
{
    char text[MPI_MAX_OBJECT_NAME];

    if (wm_process.recordings == NULL)
        return;
    wm_utf8_copy(text, sizeof text, r->name);
    wm_recording_define(wm_rank_recording(rank), json_pack("{ss, sI, ss}", "define", "superblock", "superblock",
                                                           (json_int_t)r->number, "name", text));
}

void wm_rank_record_region(const struct wm_rank *rank, struct wm_superblock *s, enum wm_trace_region place,
                           const struct wm_superblock_times *idle)
{
    const struct wm_superblock_record *r = s->record;
    uint64_t computed_ns = s->computed_ns;
    struct wm_recorder_ring *ring;

    if (__builtin_expect(wm_process.recordings == NULL, 1))
        return;
    s->computed_ns = idle != NULL ? computed_ns : 0; /* what is not recorded now is not told later */
    if (!wm_control_wants(WM_TRACE_REGION))
        return;
    ring = wm_rank_recording(rank)->ring;
    if (idle != NULL)
        wm_record(ring, WM_TRACE_REGION, (uint8_t)place, 0, r->number, idle->late_peer, (uint32_t)idle->late_tag,
                  idle->idle_ns);
    else
        wm_record(ring, WM_TRACE_REGION, (uint8_t)place, 0, r->number, -1, (uint32_t)r->times.pairs, computed_ns);
}

/* ---- collectives ---- */

void wm_rank_record_begin(struct wm_rank_call *k)
{
    k->sequence = k->comm->sequence++;
    k->region.kinds = wm_control_begin(k->sequence);
}

void wm_rank_record_path(struct wm_rank_call *k, const struct wm_path *said)
{
    k->native = said == NULL || said->native;
    if (k->region.kinds == 0 || !k->native)
        return;
    wm_record_region_make(&k->region, k->comm->id, &k->call, said, k->sequence, k->region.kinds);
    wm_record_region_enter(&k->region, 0);
    if (k->waited != NULL)
        k->waited->region = k->region;
}

void wm_rank_record_plan(struct wm_rank_call *k, const struct wm_plan *plan)
{
    if (k->waited != NULL && !k->native)
        wm_record_region_make_planned(&k->waited->region, k->comm->id, &k->call, plan, k->sequence, k->region.kinds);
}

void wm_rank_record_end(const struct wm_rank_call *k)
{
    if (k->region.kinds != 0 && k->native)
        wm_record_region_leave(&k->region);
}
