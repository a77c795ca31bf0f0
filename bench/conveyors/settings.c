/* What bench/convey was told to measure: its options. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/conveyors/settings.h"
#include "bench/conveyors/lives.h"

const struct bench_section *const bench_sections[] = {&bench_push_pull, &bench_elastic, &bench_queries,
                                                      &bench_histogram, NULL};

static const char help_text[] =
    "mpirun -n RANKS bench/convey [OPTION ...]\n"
    "Conveyors beside MPI_Alltoallv, one-sided MPI and a bare ring: ns an item a rank, medians of rounds in which the\n"
    "contenders take turns, without the harness's own time.\n\n"
    "  -s, --sections NAME,...  lives, push-pull, elastic, queries, histogram (all)\n"
    "  -b, --bytes N,...        sizes of items, multiples of 8 (8,16,32,128)\n"
    "  -l, --loads LOAD,...     a number: items a pair of ranks; with B, KiB, MiB, GiB: bytes a rank "
    "(0.1,100,1MiB,32MiB)\n"
    "  -f, --full               loads 0.1,1,10,100,64KiB,1MiB,16MiB,256MiB\n"
    "  -o, --only NAME,...      these contenders (and the harness)\n"
    "  -r, --rounds N           beside one to warm up (7)\n"
    "      --best               show the best of the rounds, not their median (for machines that are busy)\n"
    "  -e, --elastic N          bytes of an elastic item, on average (32)\n"
    "      --capacity N         bytes of a conveyor's buffer (16384)\n"
    "      --buffers N          a link (4)\n"
    "      --local N            ranks of a group, for two and three hops (near the root of the ranks)\n"
    "      --batch N            bytes of a rank that the library's contenders exchange at a time (1048576)\n"
    "  -j, --json FILE          write all figures there\n"
    "\nA path map with a rule for conveyors has the last word on hops and buffers; what differs is said. Examples:\n"
    "  mpirun -n 2 bench/convey --sections push-pull --bytes 8 --loads 1MiB,256MiB --rounds 15\n"
    "  mpirun --oversubscribe -n 8 bench/convey --only one-hop,two-hops,three-hops,packed --json eight.json\n"
    "  mpirun -n 2 waymark run -m ./mine.scm -- bench/convey --only default\n\nContenders:\n";

static void help(void)
{
    fputs(help_text, stdout);
    for (const struct bench_section *const *s = bench_sections; *s != NULL; s++) {
        printf("  %s: %s\n", (*s)->name, (*s)->title);
        for (const struct bench_contender *const *c = (*s)->contenders; *c != NULL; c++)
            printf("    %-12s %s\n", (*c)->name, (*c)->meaning);
    }
}

bool bench_named(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = names; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return names == NULL;
}

/* "1.5MiB": the value in bytes; "0.1": as it is. */
static bool read_load(const char *text, struct bench_load *load)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    char *end;

    load->value = strtod(text, &end);
    load->bytes = *end != '\0';
    if (end == text || strlen(text) >= sizeof load->text || load->value <= 0)
        return false;
    strcpy(load->text, text);
    for (int unit = 0; unit < 4; unit++)
        if (strcmp(end, units[unit]) == 0) {
            load->value *= (double)(INT64_C(1) << 10 * unit);
            return true;
        }
    return *end == '\0';
}

static bool read_loads(struct bench_choice *choice, char *text)
{
    choice->loads_count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ","))
        if (choice->loads_count == BENCH_LIST_MAX || !read_load(word, &choice->loads[choice->loads_count++]))
            return false;
    return choice->loads_count > 0;
}

static bool read_sizes(struct bench_choice *choice, char *text)
{
    choice->bytes_count = 0;
    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        char *end;
        unsigned long bytes = strtoul(word, &end, 10);

        if (*end != '\0' || bytes == 0 || bytes % 8 != 0 || bytes > BENCH_ITEM_BYTES_MAX ||
            choice->bytes_count == BENCH_LIST_MAX)
            return false;
        choice->bytes[choice->bytes_count++] = bytes;
    }
    return choice->bytes_count > 0;
}

static bool read_count(const char *text, int64_t *value)
{
    char *end;

    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *value > 0 && *value <= INT64_C(1) << 30;
}

static void set_loads(struct bench_choice *choice, const char *text)
{
    char copy[128];

    snprintf(copy, sizeof copy, "%s", text);
    read_loads(choice, copy);
}

enum { CAPACITY = 256, BUFFERS, LOCAL, BATCH, BEST };

static const struct option options[] = {
    {"sections", 1, NULL, 's'}, {"bytes", 1, NULL, 'b'},         {"loads", 1, NULL, 'l'},
    {"full", 0, NULL, 'f'},     {"only", 1, NULL, 'o'},          {"rounds", 1, NULL, 'r'},
    {"elastic", 1, NULL, 'e'},  {"capacity", 1, NULL, CAPACITY}, {"buffers", 1, NULL, BUFFERS},
    {"local", 1, NULL, LOCAL},  {"batch", 1, NULL, BATCH},       {"json", 1, NULL, 'j'},
    {"best", 0, NULL, BEST},    {"help", 0, NULL, 'h'},          {NULL, 0, NULL, 0}};

static bool take(struct bench_choice *choice, int option, char *value)
{
    switch (option) {
    case 's':
        choice->sections = value;
        return true;
    case 'o':
        choice->only = value;
        return true;
    case 'j':
        choice->json = value;
        return true;
    case 'b':
        return read_sizes(choice, value);
    case 'l':
        return read_loads(choice, value);
    case 'f':
        set_loads(choice, "0.1,1,10,100,64KiB,1MiB,16MiB,256MiB");
        return true;
    case BEST:
        return choice->best = true;
    case 'r':
        return read_count(value, &choice->rounds);
    case 'e':
        return read_count(value, &choice->elastic_bytes) && choice->elastic_bytes <= 1 << 20;
    case CAPACITY:
        return read_count(value, &choice->settings.capacity);
    case BUFFERS:
        return read_count(value, &choice->settings.buffers);
    case LOCAL:
        return read_count(value, &choice->settings.n_local);
    case BATCH:
        return read_count(value, &choice->settings.batch_bytes);
    }
    return false;
}

static bool names_known(const char *names)
{
    char copy[256];

    snprintf(copy, sizeof copy, "%s", names == NULL ? "" : names);
    for (char *name = strtok(copy, ","); name != NULL; name = strtok(NULL, ",")) {
        bool known = strcmp(name, BENCH_LIVES) == 0;

        for (const struct bench_section *const *s = bench_sections; *s != NULL; s++) {
            known |= strcmp(name, (*s)->name) == 0;
            for (const struct bench_contender *const *c = (*s)->contenders; *c != NULL; c++)
                known |= strcmp(name, (*c)->name) == 0;
        }
        if (!known)
            return false;
    }
    return true;
}

static bool refuse(int rank, int *status, const char *what)
{
    if (rank == 0)
        fprintf(stderr, "convey: '%s' is no option, or has no value that will do: see --help\n", what);
    *status = 2;
    return false;
}

bool bench_choose(struct bench_choice *choice, int argc, char **argv, int rank, int *status)
{
    int option;

    *choice = (struct bench_choice){.settings = {16 << 10, 4, 0, 1 << 20},
                                    .rounds = 7,
                                    .elastic_bytes = 32,
                                    .bytes = {8, 16, 32, 128},
                                    .bytes_count = 4};
    set_loads(choice, "0.1,100,1MiB,32MiB");
    opterr = 0;
    while ((option = getopt_long(argc, argv, "s:b:l:fo:r:e:j:h", options, NULL)) != -1) {
        if (option == 'h') {
            if (rank == 0)
                help();
            *status = 0;
            return false;
        }
        if (!take(choice, option, optarg))
            return refuse(rank, status, argv[optind - 1]);
    }
    if (optind < argc)
        return refuse(rank, status, argv[optind]);
    if (!names_known(choice->sections) || !names_known(choice->only))
        return refuse(rank, status, choice->sections != NULL ? choice->sections : choice->only);
    return true;
}
