/* Maps by chance, through `waymark check` and jobs: tests/fuzz/README.md. */
#include <ftw.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/fuzz/judge.h"
#include "tests/fuzz/map_text.h"

enum { CORPUS_MAX = 1024, CHECK_SECONDS = 90, JOB_SECONDS = 200, WORDS_MAX = 16, TRIES_MAX = 60, FAILURES_MAX = 40 };

static const char case_name[] = "case.scm";

static struct {
    uint64_t seed;
    long cases, seconds;
    const char *keep, *job; /* where failing cases go; the script that runs a job, NULL: no jobs */
    bool show;
} options = {.seed = 1, .cases = -1, .seconds = -1, .keep = "fuzz_kept"};

static struct {
    int count;
    struct fuzz_text maps[CORPUS_MAX];
    char *names[CORPUS_MAX];
} corpus;

static struct {
    long cases, accepted, refused, jobs, failures;
} sums;

/* The corpus: all maps below the folders named, in the order of their names. */

static int take_file(const char *path, const struct stat *status, int type, struct FTW *place)
{
    size_t length = strlen(path);

    (void)status;
    (void)place;
    if (type == FTW_F && length > 4 && strcmp(path + length - 4, ".scm") == 0 && strstr(path, "/waymark/") == NULL &&
        corpus.count < CORPUS_MAX)
        corpus.names[corpus.count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_corpus(char *const *folders)
{
    for (; *folders != NULL; folders++)
        nftw(*folders, take_file, 16, FTW_PHYS);
    qsort(corpus.names, (size_t)corpus.count, sizeof *corpus.names, by_name);
    for (int i = 0; i < corpus.count; i++)
        if (fuzz_text_read(&corpus.maps[i], corpus.names[i]) < 0)
            perror(corpus.names[i]);
    if (corpus.count == 0) {
        fprintf(stderr, "fuzz_maps: there are no maps to begin with; name their folders\n");
        exit(2);
    }
}

/* A case: a map, and the words of a check. */
struct
try {
    uint64_t seed;
    struct fuzz_text map;
    const char *words[WORDS_MAX];
    bool accepted;
};

static void make_map(struct try *try, struct fuzz_random *random)
{
    const struct fuzz_text *first = &corpus.maps[fuzz_below(random, (size_t)corpus.count)],
                           *other = &corpus.maps[fuzz_below(random, (size_t)corpus.count)];

    if (fuzz_chance(random, 40))
        fuzz_map_generate(&try->map, random);
    else
        fuzz_text_add(&try->map, first->bytes != NULL ? first->bytes : "", first->count);
    if (fuzz_chance(random, 70))
        fuzz_map_mutate(&try->map, other, random);
}

static void make_words(struct try *try, struct fuzz_random *random)
{
    static const char *const machines[] = {"core=1",
                                           "core=2",
                                           "core=4",
                                           "node=2,core=2",
                                           "node=2,core=3+1",
                                           "node=3,core=2,order=cyclic",
                                           "core=7",
                                           "node=2,socket=2,core=4",
                                           "node=4,core=1",
                                           "node=5,core=3",
                                           "node=2,core=2,order=cyclic"};
    static const char *const operations[] = {"allreduce", "bcast,conveyor", "alltoallv,scan"};
    int count = 0;

    try->words[count++] = "waymark";
    try->words[count++] = "check";
    try->words[count++] = case_name;
    for (size_t machine = fuzz_below(random, 3) + fuzz_chance(random, 80); machine > 0; machine--) {
        try->words[count++] = "--grid";
        try->words[count++] = FUZZ_PICK(random, machines);
    }
    if (fuzz_chance(random, 10)) {
        try->words[count++] = "--op";
        try->words[count++] = FUZZ_PICK(random, operations);
    }
    if (fuzz_chance(random, 10)) {
        try->words[count++] = "--bytes";
        try->words[count++] = "0,1,7,4KiB-16KiB";
    }
    try->words[count] = NULL;
}

/* NULL where all is well. */
static const char *run_check(struct try *try, struct fuzz_child *child)
{
    const char *wrong;

    fuzz_text_write(&try->map, case_name);
    fuzz_child_run(child, (char *const *)try->words, CHECK_SECONDS);
    wrong = fuzz_judge_check(child, &try->map, case_name);
    try->accepted = wrong == NULL && WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0;
    return wrong;
}

static const char *run_job(struct try *try, struct fuzz_child *child)
{
    char ranks[8], seed[24];
    char *words[] = {"sh", (char *)options.job, (char *)case_name, ranks, seed, NULL};

    snprintf(ranks, sizeof ranks, "%d", 2 + (int)(try->seed % 3));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)try->seed);
    fuzz_text_write(&try->map, case_name);
    fuzz_child_run(child, words, JOB_SECONDS);
    return fuzz_judge_job(child, &try->map, case_name, " 0 wrong");
}

/* Delete runs of lines, as long as the same is wrong. */
static void minimise(struct try *try, const char *wrong)
{
    struct fuzz_text whole = {0};
    struct fuzz_child child;
    int tries = 0;

    for (size_t lines = 64; lines > 0; lines /= 4)
        for (size_t at = 0; at < try->map.count && tries < TRIES_MAX; tries++) {
            size_t end = at;
            const char *again;

            for (size_t i = 0; i < lines && end < try->map.count; i++) {
                const char *line = memchr(try->map.bytes + end, '\n', try->map.count - end);
                end = line != NULL ? (size_t)(line - try->map.bytes) + 1 : try->map.count;
            }
            fuzz_text_clear(&whole);
            fuzz_text_add(&whole, try->map.bytes, try->map.count);
            fuzz_text_splice(&try->map, at, end - at, "", 0);
            again = run_check(try, &child);
            fuzz_text_release(&child.said);
            if (again != NULL && strcmp(again, wrong) == 0)
                continue;
            fuzz_text_splice(&try->map, 0, try->map.count, whole.bytes, whole.count);
            at = end;
        }
    fuzz_text_release(&whole);
}

/* Keep the case: its map, and what was done with it. */
static void keep(struct try *try, const char *wrong, const struct fuzz_child *child, bool job)
{
    struct fuzz_text note = {0};
    char file[4096];

    sums.failures++;
    fprintf(stderr, "fuzz_maps: seed %llu: %s%s\n", (unsigned long long)try->seed, wrong, job ? " (job)" : "");
    snprintf(file, sizeof file, "%s/%llu.whole.scm", options.keep, (unsigned long long)try->seed);
    fuzz_text_write(&try->map, file);
    fuzz_text_print(&note, "seed %llu: %s\n", (unsigned long long)try->seed, wrong);
    for (int i = 0; try->words[i] != NULL; i++)
        fuzz_text_print(&note, "%s%c", try->words[i], try->words[i + 1] != NULL ? ' ' : '\n');
    fuzz_text_print(&note, "%sstatus %d\n", job ? "in a job\n" : "", child->status);
    fuzz_text_add(&note, child->said.bytes, child->said.count);
    snprintf(file, sizeof file, "%s/%llu.txt", options.keep, (unsigned long long)try->seed);
    fuzz_text_write(&note, file);
    fuzz_text_release(&note);
    if (job || child->late)
        return;
    minimise(try, wrong);
    snprintf(file, sizeof file, "%s/%llu.scm", options.keep, (unsigned long long)try->seed);
    fuzz_text_write(&try->map, file);
}

static void run_case(uint64_t seed)
{
    struct fuzz_random random = {seed};
    struct try try = {.seed = seed};
    struct fuzz_child child;
    const char *wrong;

    fuzz_next(&random);
    make_map(&try, &random);
    make_words(&try, &random);
    if (options.show) {
        fwrite(try.map.bytes, 1, try.map.count, stdout);
        for (int i = 0; try.words[i] != NULL; i++)
            fprintf(stderr, "%s ", try.words[i]);
        fputc('\n', stderr);
        return;
    }
    wrong = run_check(&try, &child);
    sums.cases++;
    sums.accepted += try.accepted;
    sums.refused += wrong == NULL && !try.accepted;
    if (wrong != NULL)
        keep(&try, wrong, &child, false);
    fuzz_text_release(&child.said);
    if (try.accepted && options.job != NULL && fuzz_chance(&random, 10)) {
        wrong = run_job(&try, &child);
        sums.jobs++;
        if (wrong != NULL)
            keep(&try, wrong, &child, true);
        fuzz_text_release(&child.said);
    }
    fuzz_text_release(&try.map);
}

static int read_options(int argc, char **argv)
{
    static const struct option names[] = {{"seed", 1, NULL, 's'}, {"cases", 1, NULL, 'n'}, {"seconds", 1, NULL, 't'},
                                          {"keep", 1, NULL, 'k'}, {"job", 1, NULL, 'j'},   {"show", 0, NULL, 'w'},
                                          {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        switch (option) {
        case 's':
            options.seed = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            options.cases = atol(optarg);
            break;
        case 't':
            options.seconds = atol(optarg);
            break;
        case 'k':
            options.keep = realpath(optarg, NULL);
            break;
        case 'j':
            options.job = realpath(optarg, NULL);
            break;
        case 'w':
            options.show = true;
            options.cases = 1;
            break;
        default:
            return 2;
        }
    if (options.keep == NULL || (options.cases < 0 && options.seconds < 0)) {
        fprintf(stderr, "usage: fuzz_maps [--seed N] [--cases N] [--seconds N] [--keep DIRECTORY] [--job SCRIPT] "
                        "[--show] FOLDER ...\n");
        return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char place[] = "/tmp/waymark-fuzz-XXXXXX";
    time_t begin = time(NULL);
    int status = read_options(argc, argv);

    if (status != 0)
        return status;
    read_corpus(argv + optind);
    if (mkdtemp(place) == NULL || chdir(place) < 0)
        return 99;
    setenv("WAYMARK_MAP_DEADLINE", "1", 0);
    for (uint64_t i = 0; sums.failures < FAILURES_MAX && (options.cases < 0 || i < (uint64_t)options.cases) &&
                         (options.seconds < 0 || time(NULL) - begin < options.seconds);
         i++)
        run_case(options.seed + i);
    unlink(case_name);
    rmdir(place);
    if (!options.show)
        printf("fuzz_maps: seeds from %llu: %ld maps, %ld accepted, %ld refused, %ld jobs, %ld failures, %ld s\n",
               (unsigned long long)options.seed, sums.cases, sums.accepted, sums.refused, sums.jobs, sums.failures,
               (long)(time(NULL) - begin));
    return sums.failures > 0;
}
