/* Recordings: opened, defined, looked at, closed. */
#include "core/record/recordings.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/data/allocate.h"
#include "core/node/eager.h"
#include "core/path/transport.h"
#include "core/process/process.h"
#include "core/record/clock_sync.h"
#include "core/record/control.h"

/* Above these sizes messages wait for their receivers. */
static void define_eager(json_t *rank)
{
    struct wm_eager eager;

    wm_eager_read(&eager);
    if (eager.near_bytes > 0)
        json_object_set_new(rank, "mpi_eager_bytes", json_integer((json_int_t)eager.near_bytes));
    if (eager.far_bytes > 0)
        json_object_set_new(rank, "mpi_eager_far_bytes", json_integer((json_int_t)eager.far_bytes));
    json_object_set_new(rank, "shm_eager_bytes", json_integer(WM_SHM_EAGER_BYTES));
}

/* The processors that this rank may use; none where the system does not say. */
static json_t *list_processors(void)
{
    json_t *list = json_array();
    cpu_set_t own;

    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &own))
            json_array_append_new(list, json_integer(i));
    return list;
}

static void define_subrank(json_t *rank, int sibling)
{
    const struct wm_process *p = &wm_process;

    json_object_set_new(rank, "process", json_integer(p->world_rank / p->each));
    json_object_set_new(rank, "sibling", json_integer(sibling));
    json_object_set_new(rank, "siblings", json_integer(p->each));
}

static void define_rank(struct wm_recording *recording, const char *program)
{
    const struct wm_process *p = &wm_process;
    json_t *rank = json_pack(
        "{ss, si, si, ss, si, ss, ss, ss, ss?}", "define", "rank", "rank", recording->rank, "ranks", p->world_ranks,
        "host", p->places[p->world_rank].host, "pid", (int)getpid(), "version", PACKAGE_VERSION, "mode",
        p->settings.trace_mode == WM_TRACE_FULL ? "full" : "flight", "program", program, "map_file", p->map.file);

    if (p->each > 0)
        define_subrank(rank, (int)(recording - p->recordings));
    if (recording->rank == 0 && p->map.text != NULL)
        json_object_set_new(rank, "map_text", json_string(p->map.text));
    json_object_set_new(rank, "processors", list_processors());
    define_eager(rank);
    if (p->each == 0)
        json_object_set_new(rank, "p2p", json_true());
    wm_recording_define(recording, rank);
}

/* The first process with an error, by its first rank; as many as there are ranks where none has. Collective. */
static int first_at_fault(int status)
{
    int mine = status < 0 ? wm_process.world_rank : wm_process.world_ranks, first;

    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

static int open_recording(struct wm_recording *recording, int rank, struct wm_error *error)
{
    const struct wm_settings *s = &wm_process.settings;
    int rc =
        wm_recorder_open(&recording->recorder, s->trace, rank, s->trace_bytes, s->trace_mode, s->trace_clock, error);

    if (rc < 0)
        return rc;
    recording->rank = rank;
    if (wm_process.threads || wm_process.workers)
        wm_recorder_share(recording->recorder);
    recording->ring = wm_recorder_get_ring(recording->recorder);
    return 0;
}

int wm_recordings_open(const int ranks[], const char *program, struct wm_error *error, bool *speaker)
{
    struct wm_process *p = &wm_process;
    int count = wm_process_recording_count(), status = 0, first;

    p->recordings = wm_allocate_zeroed((size_t)count * sizeof *p->recordings, "the trace");
    for (int i = 0; i < count && status == 0; i++)
        status = open_recording(&p->recordings[i], ranks[i], error);
    first = first_at_fault(status);
    *speaker = first == p->world_rank;
    if (first < p->world_ranks) {
        wm_recordings_close();
        return status < 0 ? status : -WM_ETRACE;
    }
    for (int i = 0; i < count; i++)
        define_rank(&p->recordings[i], program);
    wm_control_start();
    wm_clock_sync_start();
    return 0;
}

void wm_recordings_check(void)
{
    const struct wm_process *p = &wm_process;
    struct wm_error error = {0};
    int status = 0;

    if (p->recordings == NULL)
        return;
    for (int i = 0; i < wm_process_recording_count() && status == 0; i++)
        status = wm_recorder_check(p->recordings[i].recorder, &error);
    if (first_at_fault(status) == p->world_rank)
        fprintf(stderr, "waymark: %s\n", error.text);
}

void wm_recordings_close(void)
{
    struct wm_process *p = &wm_process;

    for (int i = 0; p->recordings != NULL && i < wm_process_recording_count(); i++) {
        wm_recorder_close(p->recordings[i].recorder);
        free(p->recordings[i].defined_nodes);
    }
    free(p->recordings);
    p->recordings = NULL;
    p->running = NULL;
}
