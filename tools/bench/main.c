/* waymark-bench: the program that measures. `waymark bench` becomes it, with one word of JSON, the settings.
 *
 * An ordinary MPI program: what it calls by MPI_X goes through the doors of the preloaded runtime, if there is one, and
 * what it calls by PMPI_X is the library's own. Each map gets a communicator by the info key "waymark_map". */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tools/bench/measure.h"
#include "tools/bench/module.h"
#include "tools/bench/progress.h"
#include "tools/bench/result.h"
#include "tools/bench/settings.h"
#include "tools/bench/show.h"
#include "tools/bench/terminal.h"
#include "tools/text/units.h"

enum { FAILED = 1, INTERRUPTED = 130 };

/* A batch takes at least so long, in s; where ranks share cores, longer than what a core is given to one of them. */
static const double batch_s = 400e-6, shared_batch_s = 4e-3;

/* Of the memory of a host, buffers may take so much. */
static const double memory_share = 0.25;

struct session {
    struct wm_bench_settings settings;
    struct wm_bench_job job;
    struct wm_bench_progress progress;
    json_t *result; /* rank 0 */
    int local_ranks, nodes;
};

static void on_signal(int number)
{
    (void)number;
    wm_bench_interrupt();
}

/* The library's MPI_X and PMPI_X are one function under two names, unless somebody stands before it. */
static bool has_doors(void)
{
    return dlsym(RTLD_DEFAULT, "MPI_Allreduce") != dlsym(RTLD_DEFAULT, "PMPI_Allreduce");
}

static MPI_Comm map_communicator(const char *file, int rank)
{
    MPI_Info info;
    MPI_Comm comm;

    PMPI_Info_create(&info);
    if (rank == 0)
        PMPI_Info_set(info, "waymark_map", file);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    PMPI_Info_free(&info);
    return comm;
}

static void add_contender(struct wm_bench_job *job, const char *name, MPI_Comm comm, bool native)
{
    job->contenders[job->contender_count++] = (struct wm_bench_contender){name, comm, native};
}

/* How the contender of a map is called: the map's name, or its file's. */
static const char *name_of(const char *map)
{
    const char *slash = strrchr(map, '/');

    return slash != NULL && slash[1] != '\0' && access(map, F_OK) == 0 ? slash + 1 : map;
}

/* Returns 0, or a negative code at all ranks with a sentence. */
static int find_contenders(struct session *s, struct wm_error *error)
{
    struct wm_bench_job *job = &s->job;

    for (int i = 0; i < s->settings.module_count; i++) {
        MPI_Comm comm;
        int rc = wm_bench_module_dup(MPI_COMM_WORLD, s->settings.modules[i], &comm, error);

        if (rc < 0)
            return rc;
        add_contender(job, s->settings.modules[i], comm, true);
    }
    for (int i = 0; i < s->settings.map_count; i++)
        add_contender(job, name_of(s->settings.maps[i]), map_communicator(s->settings.files[i], job->rank), false);
    return 0;
}

/* How many ranks are on this host, and how many hosts there are. */
static void find_machine(struct session *s)
{
    MPI_Comm node;
    int local_rank, first;

    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, s->job.rank, MPI_INFO_NULL, &node);
    PMPI_Comm_rank(node, &local_rank);
    PMPI_Comm_size(node, &s->local_ranks);
    PMPI_Comm_free(&node);
    PMPI_Allreduce(MPI_IN_PLACE, &s->local_ranks, 1, MPI_INT, MPI_MAX, s->job.comm);
    first = local_rank == 0;
    PMPI_Allreduce(&first, &s->nodes, 1, MPI_INT, MPI_SUM, s->job.comm);
}

static int begin(struct session *s, struct wm_error *error)
{
    struct wm_bench_job *job = &s->job;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART};

    PMPI_Comm_dup(MPI_COMM_WORLD, &job->comm);
    PMPI_Comm_rank(job->comm, &job->rank);
    PMPI_Comm_size(job->comm, &job->ranks);
    job->rounds = s->settings.rounds;
    find_machine(s);
    job->batch_s = s->local_ranks > sysconf(_SC_NPROCESSORS_ONLN) ? shared_batch_s : batch_s;
    PMPI_Bcast(&job->batch_s, 1, MPI_DOUBLE, 0, job->comm);
    wm_bench_flags_init(&job->flags, job->comm);
    sigaction(SIGINT, &action, NULL); /* mpirun sends SIGTERM for the user's ^C; a second one ends at once */
    sigaction(SIGTERM, &action, NULL);
    return find_contenders(s, error);
}

static json_t *pack_contenders(const struct session *s)
{
    json_t *array = json_array();
    int first_map = s->settings.module_count;

    for (int i = 0; i < s->job.contender_count; i++)
        json_array_append_new(array, json_pack("{ss, sb, ss*}", "name", s->job.contenders[i].name, "native",
                                               s->job.contenders[i].native, "file",
                                               i >= first_map ? s->settings.files[i - first_map] : NULL));
    return array;
}

static json_t *new_result(const struct session *s)
{
    char host[64] = "", date[32] = "", library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    time_t now = time(NULL);
    struct tm utc;
    int length;

    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    return json_pack("{ss, ss, ss, si, si, si, ss, so, so, s[], s[], sb}", "waymark", PACKAGE_VERSION, "date", date,
                     "host", host, "ranks", s->job.ranks, "nodes", s->nodes, "cores",
                     (int)sysconf(_SC_NPROCESSORS_ONLN), "library", library, "settings",
                     wm_bench_settings_pack(&s->settings), "contenders", pack_contenders(s), "operations", "left_out",
                     "interrupted", false);
}

/* Why an operation cannot be measured at a size, the same on all ranks; NULL when it can. */
static const char *obstacle(const struct session *s, int operation, uint64_t bytes)
{
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double slot = (double)wm_bench_slot_bytes(operation, bytes, s->job.ranks);
    const char *why = NULL;

    if (bytes % (uint64_t)wm_bench_element_bytes(operation, bytes) != 0)
        why = "the sums are of elements of 4 or 8 bytes";
    else if (bytes * (uint64_t)s->job.ranks > INT32_MAX)
        why = "the places of the blocks would not fit into MPI's ints";
    else if (slot * s->local_ranks > memory * memory_share)
        why = "the buffers would take more than a quarter of the memory";
    return why;
}

static void leave_out(struct session *s, int operation, uint64_t bytes, const char *why)
{
    if (s->job.rank == 0)
        json_array_append_new(
            json_object_get(s->result, "left_out"),
            json_sprintf("%s of %s: %s", wm_bench_operation_name(operation), wm_bytes_text(bytes).text, why));
}

/* Hosts may differ: rank 0's answer holds for all, and memory that is short elsewhere is found out. */
static bool may_measure(struct session *s, int operation, uint64_t bytes)
{
    const char *why = obstacle(s, operation, bytes);
    int good = why == NULL;

    PMPI_Bcast(&good, 1, MPI_INT, 0, s->job.comm);
    if (!good)
        leave_out(s, operation, bytes, why);
    return good != 0;
}

static void measure(struct session *s, int operation, uint64_t bytes, json_t *sizes)
{
    const struct wm_size_list *rotations = &s->settings.rotations;
    int count = operation == WM_BARRIER ? 1 : rotations->count;
    bool short_of_memory = false;

    if (!may_measure(s, operation, bytes))
        return;
    wm_bench_progress_show(&s->progress, wm_bench_operation_name(operation), bytes);
    for (int i = 0; i < count && !s->job.interrupted && !short_of_memory; i++) {
        uint64_t rotate_bytes = operation == WM_BARRIER ? 0 : rotations->bytes[i];
        json_t *size = wm_bench_measure(&s->job, operation, bytes, rotate_bytes, &short_of_memory);

        if (size != NULL)
            json_array_append_new(sizes, size);
    }
    if (short_of_memory)
        leave_out(s, operation, bytes, "there is no memory for the buffers");
}

/* A guess, for the progress line: a call has its latency, and what its bytes take. */
static double work_of(const struct session *s, int operation, uint64_t bytes)
{
    return 1 + (double)wm_bench_slot_bytes(operation, bytes, s->job.ranks) / (256 << 10);
}

static bool is_chosen(const struct session *s, int operation)
{
    return (s->settings.operations & (UINT32_C(1) << operation)) != 0;
}

/* Hand each operation and size that is to be measured to `take`; a barrier has one size, 0. */
static void walk(struct session *s, void (*take)(struct session *s, int operation, uint64_t bytes, json_t *sizes))
{
    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++) {
        json_t *sizes = json_array();

        for (int i = 0; is_chosen(s, op) && i < (op == WM_BARRIER ? 1 : s->settings.sizes.count); i++)
            if (!s->job.interrupted)
                take(s, op, op == WM_BARRIER ? 0 : s->settings.sizes.bytes[i], sizes);
        if (json_array_size(sizes) > 0)
            json_array_append_new(json_object_get(s->result, "operations"),
                                  json_pack("{ss, sO}", "name", wm_bench_operation_name(op), "sizes", sizes));
        json_decref(sizes);
    }
}

static void plan_one(struct session *s, int operation, uint64_t bytes, json_t *sizes)
{
    (void)sizes;
    s->progress.total += work_of(s, operation, bytes);
}

static void measure_one(struct session *s, int operation, uint64_t bytes, json_t *sizes)
{
    measure(s, operation, bytes, sizes);
    wm_bench_progress_add(&s->progress, work_of(s, operation, bytes));
}

static void measure_all(struct session *s)
{
    wm_bench_progress_init(&s->progress, s->job.rank == 0 && wm_bench_on_terminal(STDERR_FILENO), 0);
    walk(s, plan_one);
    walk(s, measure_one);
    wm_bench_progress_clear(&s->progress);
}

/* Rank 0. Returns the exit status. */
static int write_result(struct session *s)
{
    struct wm_error error;

    json_object_set_new(s->result, "interrupted", json_boolean(s->job.interrupted));
    if (wm_bench_write(s->result, s->settings.format, s->settings.output, s->settings.plot,
                       wm_bench_on_terminal(STDOUT_FILENO), &error) < 0) {
        fprintf(stderr, "waymark bench: %s\n", error.text);
        return FAILED;
    }
    return s->job.interrupted ? INTERRUPTED : s->job.wrong ? FAILED : 0;
}

static int run(struct session *s)
{
    struct wm_error error;
    int status = 0;

    if (begin(s, &error) < 0) {
        if (s->job.rank == 0)
            fprintf(stderr, "waymark bench: %s\n", error.text);
        return FAILED;
    }
    if (s->job.rank == 0)
        s->result = new_result(s);
    measure_all(s);
    if (s->job.rank == 0)
        status = write_result(s);
    PMPI_Bcast(&status, 1, MPI_INT, 0, s->job.comm);
    for (int i = 0; i < s->job.contender_count; i++)
        MPI_Comm_free(&s->job.contenders[i].comm);
    wm_bench_flags_release(&s->job.flags);
    wm_bench_pool_release(&s->job.pool);
    json_decref(s->result);
    return status;
}

int main(int argc, char **argv)
{
    struct session s = {0};
    json_t *words = argc == 2 ? json_loads(argv[1], 0, NULL) : NULL;
    int status = FAILED;

    if (words == NULL || !wm_bench_settings_unpack(&s.settings, words)) {
        fprintf(stderr, "waymark-bench: this program is started by 'waymark bench'; see 'waymark help bench'\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    if (s.settings.map_count > 0 && !has_doors())
        fprintf(stderr, "waymark bench: the library of Waymark is not loaded, so no map would be followed; is "
                        "LD_PRELOAD taken away on the way to the ranks?\n");
    else
        status = run(&s);
    MPI_Finalize();
    json_decref(words);
    return status;
}
