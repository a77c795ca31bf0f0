/* waymark-gauge: the program with MPI that times probes. `waymark profile` starts it, with one word of JSON, and reads
 * the samples that rank 0 writes. */
#include <jansson.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "tools/bench/terminal.h"
#include "tools/gauge/places.h"
#include "tools/gauge/session.h"
#include "tracer/clock.h"

enum { ROUNDS_LEAST = 3, YIELDS = 200, COPY_MAX = 4 << 20, COPY_SIZES = 10 /* 8 B, 32 B, … 2 MiB */ };

/* A batch takes at least so long; where ranks share cores, longer than what a core is given to one of them. */
static const double batch_ns = 200e3, shared_batch_ns = 4e6;

struct job {
    const char *output;
    double budget_s, begin_s;
    uint64_t seed, bytes_max;
    bool check; /* nothing but tests */
    int tests, rank, ranks, nodes, local_ranks, cores;
    struct wm_place *places; /* by rank: hosts, numbered by first ranks, are nodes */
    int group_count;
    struct wm_gauge_group groups[WM_GAUGE_GROUPS_MAX];
    struct wm_bench_pool pool;
    char *memory;                                   /* that rank 0 copies within */
    double copies[COPY_SIZES][WM_GAUGE_ROUNDS_MAX]; /* ns */
    double yields[WM_GAUGE_ROUNDS_MAX];             /* ns, from one rank to the next; 0: each has a core */
    bool shown;
};

static double now_s(void)
{
    return (double)wm_clock_monotonic_ns() * 1e-9;
}

/* Processors that the ranks of a host may use, all together. */
static int count_cores(MPI_Comm near)
{
    cpu_set_t mine, all;

    CPU_ZERO(&mine); /* more than it has room for: none */
    sched_getaffinity(0, sizeof mine, &mine);
    PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, near);
    return CPU_COUNT(&all) > 0 ? CPU_COUNT(&all) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Of ranks in an order that a machine's text can say. */
static void find_clusters(struct job *j)
{
    char machine[WM_GAUGE_MACHINE_CHARS];
    struct wm_place *places = wm_gauge_places(j->ranks, machine, sizeof machine);

    for (int r = 0; places != NULL && r < j->ranks; r++)
        j->places[r].cluster = places[r].cluster;
    free(places);
}

static bool find_machine(struct job *j)
{
    MPI_Comm near;
    int first, *firsts;

    PMPI_Comm_rank(MPI_COMM_WORLD, &j->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &j->ranks);
    j->places = calloc((size_t)j->ranks, sizeof *j->places);
    firsts = calloc((size_t)j->ranks, sizeof *firsts);
    if (j->places == NULL || firsts == NULL) {
        free(firsts);
        return false;
    }
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    first = j->rank;
    PMPI_Bcast(&first, 1, MPI_INT, 0, near);
    j->cores = count_cores(near);
    PMPI_Comm_free(&near);
    PMPI_Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < j->ranks; r++) { /* first ranks stand before the others of their host */
        j->places[r].node = firsts[r] == r ? j->nodes++ : j->places[firsts[r]].node;
        j->local_ranks += j->places[r].node == 0;
    }
    free(firsts);
    find_clusters(j);
    PMPI_Bcast(&j->cores, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return true;
}

static struct wm_gauge_group *add_group(struct job *j, bool member, const char *level, const char *machine)
{
    struct wm_gauge_group *g = &j->groups[j->group_count];
    bool crowded = j->local_ranks > j->cores;

    if (!wm_gauge_group_init(g, MPI_COMM_WORLD, member, level, crowded ? shared_batch_ns : batch_ns))
        return NULL;
    j->group_count++;
    snprintf(g->machine, sizeof g->machine, "%s", machine);
    return g;
}

/* What divides a pair of ranks. */
enum level { CORE, NODE, CLUSTER, LEVELS };

static const struct {
    const char *name, *machine;
} levels[] = {
    [CORE] = {"core", "core=2"},
    [NODE] = {"node", "node=2,core=1"},
    [CLUSTER] = {"cluster", "cluster=2,node=2,core=1"},
};

/* The least rank but 0 that is so far from rank 0; 0: there is none. */
static int partner(const struct job *j, enum level level)
{
    for (int r = 1; r < j->ranks; r++) {
        enum level own = j->places[r].cluster != j->places[0].cluster ? CLUSTER
                         : j->places[r].node != j->places[0].node     ? NODE
                                                                      : CORE;

        if (own == level)
            return r;
    }
    return 0;
}

/* Between clusters, which may be far away, larger messages take too long. */
static bool add_pair(struct job *j, enum level level)
{
    int other = partner(j, level);
    struct wm_gauge_group *g;

    if (other == 0)
        return true;
    g = add_group(j, j->rank == 0 || j->rank == other, levels[level].name, levels[level].machine);
    if (g == NULL)
        return false;
    g->apart = level == CLUSTER;
    wm_gauge_list_pair(&g->list, level == CORE, g->apart ? j->bytes_max / 4 : j->bytes_max);
    wm_gauge_conveyors_pair(&g->conveyors, level == CORE);
    return true;
}

static bool add_pairs(struct job *j)
{
    bool good = true;

    for (int level = CORE; level < LEVELS; level++)
        good = good && add_pair(j, (enum level)level);
    return good;
}

static bool add_host(struct job *j)
{
    struct wm_gauge_group *g;
    char machine[WM_GAUGE_MACHINE_CHARS];

    if (j->local_ranks <= 2)
        return true;
    snprintf(machine, sizeof machine, "core=%d", j->local_ranks);
    g = add_group(j, j->places[j->rank].node == 0, "", machine);
    if (g == NULL)
        return false;
    wm_gauge_list_host(&g->list, j->bytes_max / 4);
    return true;
}

/* The self-test is of all ranks, or, where the machine cannot be told, of the first pair. */
static bool add_test(struct job *j)
{
    char machine[WM_GAUGE_MACHINE_CHARS];
    bool whole = wm_grid_write_machine(j->places, j->ranks, machine, sizeof machine);
    struct wm_gauge_group *g;

    if (!whole && j->check) {
        if (!add_pair(j, partner(j, CORE) != 0 ? CORE : partner(j, NODE) != 0 ? NODE : CLUSTER))
            return false;
        j->groups[0].list.count = j->groups[0].conveyors.count = 0;
    }
    g = add_group(j, whole || j->groups[0].own != MPI_COMM_NULL, "", whole ? machine : j->groups[0].machine);
    if (g == NULL)
        return false;
    g->apart = whole ? partner(j, CLUSTER) != 0 : j->groups[0].apart;
    wm_gauge_list_test(&g->list, whole ? j->nodes == 1 : partner(j, CORE) != 0,
                       g->apart ? j->bytes_max / 8 : j->bytes_max / 4, j->seed, j->tests);
    wm_gauge_conveyors_test(&g->conveyors, j->seed, j->tests / WM_GAUGE_CONVEYORS_EVERY);
    return true;
}

static void tell(struct job *j, int round)
{
    if (j->rank != 0 || !wm_bench_on_terminal(STDERR_FILENO))
        return;
    fprintf(stderr, "\rprofile: round %d, %.0f s of %.0f\033[K", round + 1, now_s() - j->begin_s, j->budget_s);
    fflush(stderr);
    j->shown = true;
}

/* Is there time for one more? Rank 0 says it. */
static bool goes_on(const struct job *j, int round)
{
    double passed = now_s() - j->begin_s;
    int more =
        round < ROUNDS_LEAST || (round < WM_GAUGE_ROUNDS_MAX && passed * (round + 2) / (round + 1) < j->budget_s);

    PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more != 0;
}

static void copy(char *memory, size_t bytes, int times)
{
    for (int i = 0; i < times; i++) {
        memcpy(memory, memory + COPY_MAX, bytes);
        __asm__ volatile("" ::: "memory");
    }
}

/* A plain copy of so many bytes at this rank, by warm caches: nanoseconds. */
static double copy_ns(char *memory, size_t bytes)
{
    int calls = 1 + (int)(200e3 / (50 + (double)bytes / 10));
    uint64_t begin;

    copy(memory, bytes, 3 + calls / 8);
    begin = wm_clock_monotonic_ns();
    copy(memory, bytes, calls);
    return (double)(wm_clock_monotonic_ns() - begin) / calls;
}

/* At rank 0, in each round, for a machine is not as fast all the time; the other ranks sleep. False: no memory. */
static bool time_copies(struct job *j, int round)
{
    if (j->rank == 0 && j->memory == NULL && (j->memory = malloc(2 * COPY_MAX)) != NULL)
        memset(j->memory, 1, 2 * COPY_MAX);
    for (int i = 0; j->memory != NULL && i < COPY_SIZES; i++)
        j->copies[i][round] = copy_ns(j->memory, (size_t)8 << 2 * i);
    wm_gauge_meet(MPI_COMM_WORLD);
    return j->rank != 0 || j->memory != NULL;
}

/* How long a core takes to go from one rank to the next, while all ranks of a host wait. */
static void time_yields(struct job *j, int round)
{
    uint64_t begin;

    if (j->local_ranks <= j->cores)
        return;
    PMPI_Barrier(MPI_COMM_WORLD);
    begin = wm_clock_monotonic_ns();
    for (int i = 0; i < YIELDS; i++)
        sched_yield();
    j->yields[round] = (double)(wm_clock_monotonic_ns() - begin) / YIELDS * j->cores / j->local_ranks;
    PMPI_Barrier(MPI_COMM_WORLD);
}

static bool each_group(struct job *j, int round)
{
    bool good = true;

    for (int i = 0; i < j->group_count; i++) {
        struct wm_gauge_group *g = &j->groups[i];

        if (g->own != MPI_COMM_NULL && round < 0) {
            g->eager_bytes = g->level[0] != '\0' ? wm_gauge_eager_bytes(g->own) : 0;
            good = good && wm_gauge_group_prepare(g, &j->pool);
        } else if (g->own != MPI_COMM_NULL) {
            good = good && wm_gauge_group_fly(g, &j->pool, j->seed + (uint64_t)round);
        }
        wm_gauge_meet(MPI_COMM_WORLD);
    }
    if (round >= 0) {
        good = time_copies(j, round) && good;
        time_yields(j, round);
    }
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    return good;
}

static json_t *pack_copies(const struct job *j, int rounds)
{
    json_t *list = json_array();

    for (int i = 0; i < COPY_SIZES; i++) {
        json_t *samples = json_array();

        for (int round = 0; round < rounds; round++)
            json_array_append_new(samples, json_real(j->copies[i][round]));
        json_array_append_new(list, json_pack("{sI, so}", "bytes", (json_int_t)8 << 2 * i, "ns", samples));
    }
    return list;
}

static json_t *pack_yields(const struct job *j, int rounds)
{
    json_t *samples = json_array();

    for (int round = 0; round < rounds && j->yields[round] > 0; round++)
        json_array_append_new(samples, json_real(j->yields[round]));
    return samples;
}

static void find_cpu(char *text, size_t bytes)
{
    char line[256], *colon;
    FILE *in = fopen("/proc/cpuinfo", "r");

    snprintf(text, bytes, "unknown");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, "model name", 10) == 0 && (colon = strchr(line, ':')) != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, bytes, "%.100s", colon + 2);
            break;
        }
    if (in != NULL)
        fclose(in);
}

/* Rank 0. False when it cannot be written. */
static bool write_samples(const struct job *j, int rounds)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", cpu[128], host[64] = "";
    struct utsname kernel;
    json_t *groups = json_array(), *all;
    int length;
    bool good;

    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    find_cpu(cpu, sizeof cpu);
    uname(&kernel);
    gethostname(host, sizeof host - 1);
    for (int i = 0; i < j->group_count; i++)
        json_array_append_new(groups, wm_gauge_group_pack(&j->groups[i]));
    all = json_pack("{ss, ss, ss, ss, si, si, si, si, sf, so, so, so}", "host", host, "cpu", cpu, "kernel",
                    kernel.release, "mpi", library, "ranks", j->ranks, "nodes", j->nodes, "local_ranks", j->local_ranks,
                    "cores", j->cores, "seconds", now_s() - j->begin_s, "copies", pack_copies(j, rounds), "yields",
                    pack_yields(j, rounds), "groups", groups);
    good = all != NULL && json_dump_file(all, j->output, JSON_COMPACT) == 0;
    json_decref(all);
    return good;
}

/* Returns a sentence, or NULL. */
static const char *run(struct job *j)
{
    int round = -1;

    if (!find_machine(j))
        return "there is no memory for the ranks' places";
    if (j->ranks < 2)
        return "one rank sends nothing to anybody; start at least two, for example: mpirun -n 2 waymark profile -o "
               "machine.json";
    if (!j->check && (!add_pairs(j) || !add_host(j)))
        return "there is no memory for the samples";
    if (!add_test(j))
        return "there is no memory for the samples";
    do {
        tell(j, round);
        if (!each_group(j, round))
            return "there is no memory for the buffers";
    } while (goes_on(j, ++round));
    return j->rank == 0 && !write_samples(j, round) ? "the samples cannot be written" : NULL;
}

int main(int argc, char **argv)
{
    struct job j = {.bytes_max = 4 << 20, .begin_s = now_s()};
    json_t *words = argc == 2 ? json_loads(argv[1], 0, NULL) : NULL;
    json_int_t seed;
    const char *fault;
    int check = 0;

    if (words == NULL || json_unpack(words, "{ss, sf, sI, si, sb}", "output", &j.output, "budget", &j.budget_s, "seed",
                                     &seed, "tests", &j.tests, "check", &check) < 0) {
        fprintf(stderr, "waymark-gauge: this program is started by 'waymark profile'; see 'waymark help profile'\n");
        return 2;
    }
    j.seed = (uint64_t)seed;
    j.check = check != 0;
    MPI_Init(&argc, &argv);
    fault = run(&j);
    if (j.shown)
        fputs("\r\033[K", stderr);
    if (fault != NULL && j.rank == 0)
        fprintf(stderr, "waymark profile: %s\n", fault);
    for (int i = 0; i < j.group_count; i++)
        wm_gauge_group_release(&j.groups[i]);
    wm_bench_pool_release(&j.pool);
    free(j.memory);
    free(j.places);
    json_decref(words);
    MPI_Finalize();
    return fault != NULL;
}
