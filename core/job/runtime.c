/* The runtime: waking up after MPI_Init, going to sleep before MPI_Finalize. */
#include "waymark/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/job/agreement.h"
#include "core/job/guard.h"
#include "core/record/clock_sync.h"
#include "core/communicate/talk.h"
#include "core/call/ask.h"
#include "core/call/join.h"
#include "core/call/leak.h"
#include "core/call/publish.h"
#include "core/call/records.h"
#include "core/call/dead.h"
#include "core/call/verify.h"
#include "core/call/watch.h"
#include "core/record/control.h"
#include "core/record/recordings.h"
#include "waymark/expect.h"
#include "core/data/geometry.h"
#include "core/process/epochs.h"
#include "core/process/host_clusters.h"
#include "core/process/machine.h"
#include "core/call/native.h"
#include "core/net/net.h"
#include "core/node/node.h"
#include "core/process/process.h"
#include "core/call/progress.h"

/* A part of the program has conveyors, messages or ports. Set before main begins. */
static bool expected;

/* A spawned job may have its parent's environment, and both have files of the same names: its trace goes into a
 * directory beneath. Open MPI numbers the jobs of an mpirun by the last 16 bits of their namespaces. */
static int move_trace(struct wm_settings *settings, struct wm_error *error)
{
    const char *namespace = getenv("PMIX_NAMESPACE");
    unsigned long job = namespace != NULL ? strtoul(namespace, NULL, 10) & 0xffff : 0;
    size_t length = strlen(settings->trace), room = sizeof settings->trace - length;
    MPI_Comm parent;

    PMPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL || length == 0)
        return 0;
    if ((size_t)snprintf(settings->trace + length, room, "/spawned-%lu", job) >= room)
        return wm_error_set(error, -WM_ETRACE, "the name of the trace directory is too long for a spawned job");
    if (settings->verbose > 0)
        fprintf(stderr, "waymark: the trace of this spawned job is in %s\n", settings->trace);
    return 0;
}

/* Rank 0 alone decides by its environment, so that all ranks agree. */
static int share_settings(struct wm_error *error)
{
    struct wm_process *p = &wm_process;
    int status = 0;

    if (p->world_rank == 0 && (status = wm_settings_read(&p->settings, error)) == 0)
        status = move_trace(&p->settings, error);
    if (p->settings.verify != WM_VERIFY_OFF)
        p->settings.guard = WM_GUARD_WATCH;
    p->expected = expected;
    PMPI_Bcast(&p->expected, sizeof p->expected, MPI_BYTE, 0, MPI_COMM_WORLD);
    PMPI_Bcast(&p->settings, sizeof p->settings, MPI_BYTE, 0, MPI_COMM_WORLD);
    PMPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

/* A map whose paths verify asks for what that needs, as the setting does. */
static int verify_by_map(struct wm_error *error)
{
    struct wm_process *p = &wm_process;

    p->verifies = wm_map_source_verifies(&p->map);
    if (!p->verifies)
        return 0;
    if (p->each > 0)
        return wm_error_set(error, -WM_EMAP,
                            "the map '%s' has paths that verify, which calls of subranks are not; leave '(verify ...)' "
                            "out",
                            p->map.file);
    p->settings.guard = WM_GUARD_WATCH;
    if (p->settings.verify < WM_VERIFY_EACH)
        p->settings.verify = WM_VERIFY_EACH;
    return 0;
}

static int find_places(struct wm_error *error)
{
    struct wm_process *p = &wm_process;

    p->sockets = wm_map_source_names_sockets(&p->map) || p->settings.retune_s > 0; /* a later map may name them */
    p->places = calloc((size_t)p->world_ranks, sizeof *p->places);
    if (p->places == NULL || wm_machine_places_each(MPI_COMM_WORLD, p->sockets, p->each, p->places) < 0)
        return wm_error_set(error, -WM_EMPI, "the ranks' places could not be found out");
    return wm_host_clusters_find(error);
}

/* There is something to do: a map, a trace, a guard, a program that has use for it without. */
static bool is_wanted(void)
{
    const struct wm_process *p = &wm_process;

    return p->settings.map[0] != '\0' || p->settings.trace[0] != '\0' || p->settings.guard != WM_GUARD_OFF ||
           p->expected || p->each > 0 || p->settings.retune_s > 0;
}

/* What subranks have of their own (core/subrank/world.h), or do without. */
static int start_library(struct wm_error *error)
{
    const struct wm_process *p = &wm_process;

    if (wm_geometry_start() != MPI_SUCCESS || wm_net_start() < 0)
        return wm_error_set(error, -WM_EMPI, "the MPI library gives no communicator");
    if (p->map.file != NULL || p->expected)
        wm_node_start(p->places, 1);
    return 0;
}

/* Everything that can fail, in the order in which users would want to hear of it. *speaker: this rank prints the error.
 */
static int prepare(struct wm_error *error, bool *speaker)
{
    struct wm_process *p = &wm_process;
    int rc = share_settings(error);

    if (rc < 0 || !is_wanted())
        return rc;
    if (p->settings.map[0] != '\0' && (rc = wm_map_source_share(&p->map, MPI_COMM_WORLD, p->settings.map, error)) < 0)
        return rc;
    if ((rc = verify_by_map(error)) < 0 || (rc = find_places(error)) < 0)
        return rc;
    if (p->each == 0 && p->settings.trace[0] != '\0' &&
        (rc = wm_recordings_open(&p->world_rank, program_invocation_short_name, error, speaker)) < 0)
        return rc;
    if (p->each == 0 && (rc = start_library(error)) < 0)
        return rc;
    if ((rc = wm_epochs_start(error)) < 0)
        return rc;
    if ((rc = wm_guard_start(error)) < 0)
        return rc;
    wm_verify_start();
    wm_dead_start();
    wm_leaks_start();
    wm_watch_open();
    rc = wm_comm_start();
    return rc < 0 ? wm_error_set(error, rc, "the MPI library gives no attribute key") : 0;
}

static void release(void)
{
    struct wm_process *p = &wm_process;

    wm_node_stop();
    wm_epochs_stop();
    wm_map_source_release(&p->map);
    for (struct wm_map_source *s = p->maps, *next; s != NULL; s = next) {
        next = s->next;
        wm_map_source_release(s);
        free(s);
    }
    wm_control_stop();
    wm_recordings_close();
    free(p->places);
    p->maps = NULL;
    p->places = NULL;
}

/* The map is asked about MPI_COMM_WORLD. */
static int check_map(void)
{
    struct wm_process *p = &wm_process;
    struct wm_comm *world = wm_comm_record(MPI_COMM_WORLD);
    struct wm_error error = {0};
    int rc = 0;

    wm_comm_lock(world);
    if (!world->native_only)
        wm_join(world);
    wm_comm_unlock(world);
    if (!world->native_only)
        rc = wm_ask_check_map(world, &error);
    if (rc < 0) {
        wm_process_fail(MPI_COMM_WORLD, &error, p->world_rank == 0);
        wm_runtime_stop();
    }
    return rc;
}

/* Nothing is shared yet: each rank goes by its own environment. */
static int agree(struct wm_error *error, bool *speaker)
{
    struct wm_process *p = &wm_process;
    struct wm_error ignored; /* rank 0 will say it, to all */
    bool read = wm_settings_read(&p->settings, &ignored) == 0;

    return wm_agreement_reach(read ? p->settings.start_deadline_s : WM_AGREEMENT_DEADLINE_S, error, speaker);
}

void wm_runtime_expect(void)
{
    expected = true;
}

static void find_world(void)
{
    struct wm_process *p = &wm_process;

    PMPI_Comm_rank(MPI_COMM_WORLD, &p->world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p->world_ranks);
    if (p->each > 0) {
        p->world_rank *= p->each;
        p->world_ranks *= p->each;
    }
}

int wm_runtime_start(void)
{
    struct wm_process *p = &wm_process;
    struct wm_error error = {0};
    bool speaker;
    int rc, threads;

    find_world();
    PMPI_Query_thread(&threads);
    p->threads = threads == MPI_THREAD_MULTIPLE && p->each == 0;
    p->workers = threads == MPI_THREAD_MULTIPLE && p->each > 0;
    rc = agree(&error, &speaker);
    if (rc == 0) {
        speaker = p->world_rank == 0;
        rc = prepare(&error, &speaker);
    }
    if (rc < 0) {
        wm_process_fail(MPI_COMM_WORLD, &error, speaker);
        release();
        return rc;
    }
    if (!is_wanted())
        return 0;
    atomic_store_explicit(&p->awake, true, memory_order_release);
    if (p->each > 0) /* their world is not there yet */
        return 0;
    rc = check_map();
    if (rc == 0)
        wm_comm_made(MPI_COMM_SELF);
    return rc;
}

static void print_counts(const uint64_t *planned, const uint64_t *native, const struct wm_native_tally *tally)
{
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        if (planned[op] + native[op] == 0)
            continue;
        fprintf(stderr, "waymark:   %-20s %10llu planned %10llu native\n", wm_operation_name((enum wm_operation)op),
                (unsigned long long)planned[op], (unsigned long long)native[op]);
        wm_native_print(stderr, "waymark:                       ", tally, (enum wm_operation)op);
    }
}

/* Sum up what all ranks left to the library: rank 0 has it. */
static void share_tally(struct wm_native_tally *all)
{
    struct wm_native_tally mine;

    wm_native_read(&mine);
    PMPI_Reduce(mine.calls, all->calls, WM_NATIVE_CALL_COUNTS, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Reduce(mine.lines, all->lines, WM_NATIVE_LINE_COUNTS, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
}

/* What the map wished for and did not get is said even to those who did not ask. */
static void print_denied(const struct wm_native_tally *tally)
{
    char text[1024], files[512];

    wm_process_map_files(" or ", files, sizeof files);
    if (wm_process.world_rank == 0 && wm_native_denied(tally, wm_process_planned(), files, text, sizeof text))
        fprintf(stderr, "waymark: %s\n", text);
}

static void add_cost(const struct wm_map_source *source, unsigned *questions, uint64_t *cost_ns)
{
    unsigned more = 0;
    uint64_t more_ns = 0;

    if (source->map != NULL)
        wm_map_cost(source->map, &more, &more_ns);
    *questions += more;
    *cost_ns += more_ns;
}

/* Rank 0 sums up what all ranks did. */
static void print_summary(const struct wm_native_tally *tally)
{
    struct wm_process *p = &wm_process;
    uint64_t mine[2 * WM_OPERATION_COUNT + 3], all[2 * WM_OPERATION_COUNT + 3];
    unsigned questions = 0;
    uint64_t cost_ns = 0;
    char files[512];

    add_cost(&p->map, &questions, &cost_ns);
    for (const struct wm_map_source *s = p->maps; s != NULL; s = s->next)
        add_cost(s, &questions, &cost_ns);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        mine[op] = p->planned_calls[op];
        mine[WM_OPERATION_COUNT + op] = p->native_calls[op];
    }
    mine[2 * WM_OPERATION_COUNT] = questions;
    mine[2 * WM_OPERATION_COUNT + 1] = cost_ns;
    mine[2 * WM_OPERATION_COUNT + 2] = atomic_load(&p->plans);
    PMPI_Reduce(mine, all, 2 * WM_OPERATION_COUNT + 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (p->world_rank > 0)
        return;
    wm_process_map_files(", ", files, sizeof files);
    fprintf(stderr,
            "waymark: map %s: %llu questions to map servers took %.1f ms, %llu plans made; calls of all %d ranks:\n",
            files, (unsigned long long)all[2 * WM_OPERATION_COUNT], (double)all[2 * WM_OPERATION_COUNT + 1] * 1e-6,
            (unsigned long long)all[2 * WM_OPERATION_COUNT + 2], p->world_ranks);
    print_counts(all, all + WM_OPERATION_COUNT, tally);
}

bool wm_runtime_machine(char *text, size_t text_bytes)
{
    const struct wm_process *p = &wm_process;

    return atomic_load(&p->awake) && wm_grid_write_machine(p->places, p->world_ranks, text, text_bytes);
}

void wm_runtime_stop(void)
{
    struct wm_native_tally tally;
    uint32_t planned = wm_process_planned();

    if (!atomic_load(&wm_process.awake))
        return;
    wm_talks_stop();
    atomic_store(&wm_process.awake, false);
    wm_watch_close();
    wm_verify_stop();
    wm_dead_stop();
    wm_publish_stop();
    wm_comm_stop();
    wm_progress_stop();
    wm_clock_sync_stop();
    if (wm_process.settings.verbose > 0 || planned != 0)
        share_tally(&tally);
    if (wm_process.settings.verbose > 0)
        print_summary(&tally);
    else if (planned != 0)
        print_denied(&tally);
    wm_recordings_check();
    wm_net_stop();
    wm_geometry_stop();
    release();
}
