/* Cases by the seed, in a process that may die of them. */
#include "tests/fuzz/cases.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CASE_SECONDS = 60, WRONG_CHARS = 128, TRIED_MAX = 1 << 20, FAILURES_MAX = 40 };

/* What the child tells: the case under way, and what was wrong with it. */
struct shared {
    uint64_t seed;
    char wrong[WRONG_CHARS];
    size_t tried_bytes;
    char tried[TRIED_MAX];
};

struct fuzzing {
    const char *name, *keep;
    fuzz_case *run;
    uint64_t seed;
    long cases, seconds, failures;
    time_t begin;
    struct shared *shared;
};

static bool is_over(const struct fuzzing *f, uint64_t seed)
{
    return (f->cases >= 0 && seed >= f->seed + (uint64_t)f->cases) ||
           (f->seconds >= 0 && time(NULL) - f->begin >= f->seconds);
}

/* Cases from a seed on, until one fails. */
static void run_cases(struct fuzzing *f, uint64_t seed)
{
    struct fuzz_text tried = {0};

    for (; !is_over(f, seed); seed++) {
        const char *wrong;

        f->shared->seed = seed;
        f->shared->tried_bytes = 0;
        fuzz_text_clear(&tried);
        alarm(CASE_SECONDS);
        wrong = f->run(seed, &tried);
        if (wrong == NULL)
            continue;
        snprintf(f->shared->wrong, WRONG_CHARS, "%s", wrong);
        f->shared->tried_bytes = tried.count < TRIED_MAX ? tried.count : TRIED_MAX;
        memcpy(f->shared->tried, tried.bytes, f->shared->tried_bytes);
        _exit(1);
    }
    f->shared->seed = seed;
    _exit(0);
}

static void keep(struct fuzzing *f, int status)
{
    struct fuzz_text text = {0};
    char file[4096];

    if (f->shared->wrong[0] == '\0')
        snprintf(f->shared->wrong, WRONG_CHARS, WIFSIGNALED(status) ? "signal %d" : "status %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fprintf(stderr, "%s: seed %llu: %s\n", f->name, (unsigned long long)f->shared->seed, f->shared->wrong);
    fuzz_text_print(&text, "%s: seed %llu: %s\n", f->name, (unsigned long long)f->shared->seed, f->shared->wrong);
    fuzz_text_add(&text, f->shared->tried, f->shared->tried_bytes);
    snprintf(file, sizeof file, "%s/%s-%llu", f->keep, f->name, (unsigned long long)f->shared->seed);
    fuzz_text_write(&text, file);
    fuzz_text_release(&text);
    f->failures++;
}

/* The next seed behind what a child did. */
static uint64_t run_child(struct fuzzing *f, uint64_t seed)
{
    int status = 0;
    pid_t pid;

    memset(f->shared->wrong, 0, WRONG_CHARS);
    pid = fork();
    if (pid == 0)
        run_cases(f, seed);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        abort();
    if (status == 0)
        return f->shared->seed;
    keep(f, status);
    return f->shared->seed + 1;
}

static int read_options(struct fuzzing *f, int argc, char **argv)
{
    static const struct option names[] = {{"seed", 1, NULL, 's'},
                                          {"cases", 1, NULL, 'n'},
                                          {"seconds", 1, NULL, 't'},
                                          {"keep", 1, NULL, 'k'},
                                          {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (option == 's')
            f->seed = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            f->cases = atol(optarg);
        else if (option == 't')
            f->seconds = atol(optarg);
        else if (option == 'k')
            f->keep = optarg;
    if (f->cases >= 0 || f->seconds >= 0)
        return 0;
    fprintf(stderr, "usage: %s [--seed N] [--cases N] [--seconds N] [--keep DIRECTORY]\n", f->name);
    return 2;
}

int fuzz_cases_main(const char *name, int argc, char **argv, fuzz_case *run)
{
    struct fuzzing f = {
        .name = name, .keep = ".", .run = run, .seed = 1, .cases = -1, .seconds = -1, .begin = time(NULL)};
    uint64_t seed;

    if (read_options(&f, argc, argv) != 0)
        return 2;
    f.shared = mmap(NULL, sizeof *f.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f.shared == MAP_FAILED)
        return 99;
    for (seed = f.seed; !is_over(&f, seed) && f.failures < FAILURES_MAX;)
        seed = run_child(&f, seed);
    printf("%s: seeds from %llu: %llu cases, %ld failures, %ld s\n", name, (unsigned long long)f.seed,
           (unsigned long long)(seed - f.seed), f.failures, (long)(time(NULL) - f.begin));
    return f.failures > 0;
}
