/* Conveyors, tested by random and adversarial cases.
 *
 *   convey SEED WORD ...   each WORD: PART (all its cases, CONVEY_ROUNDS times), PART:COUNT, or PART/CASE for one case
 *
 * CONVEY_VERBOSE=1 tells every case as it begins; CONVEY_LIMIT: seconds that a case may take (60). Exit code 0: nothing
 * was wrong. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/mpi/convey_cases.h"

static const struct part *const parts[] = {&part_flow,    &part_large, &part_chain, &part_many,
                                           &part_handler, &part_alone, &part_state, &part_refusal,
                                           &part_memory,  &part_codec, &part_bi,    &part_bistate};
enum { PARTS = sizeof parts / sizeof parts[0], FAULTS_TOLD = 4 };

int world_rank, world_ranks;
static uint64_t seed, serial, key;
static int wrong_count, wrong_told, limit_s = 60, rounds = 1;
static const char *told[FAULTS_TOLD]; /* of this case: each kind of fault is told once */
static bool verbose;
static char case_name[64] = "start", words[1024];

void case_is(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (verbose)
        fprintf(stderr, "%d: %s: %s\n", world_rank, case_name, words);
}

uint64_t case_serial(void)
{
    return serial;
}

uint64_t case_key(void)
{
    return key;
}

struct rng case_rng_of_rank(void)
{
    return (struct rng){hash_mix(key, (uint64_t)world_rank + 1)};
}

void wrong(const char *format, ...)
{
    char sentence[2048];
    va_list arguments;

    wrong_count++;
    for (int f = 0; f < wrong_told; f++)
        if (told[f] == format)
            return;
    if (wrong_told == FAULTS_TOLD)
        return;
    told[wrong_told++] = format;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    printf("WRONG at rank %d of %d, convey %llu %s: %s [%s]\n", world_rank, world_ranks, (unsigned long long)seed,
           case_name, sentence, words);
    fflush(stdout);
}

/* The case does not end: say which, and end the job. */
static void give_up(int signal_number)
{
    char sentence[1400];
    int length = snprintf(sentence, sizeof sentence, "HANG at rank %d of %d, convey %llu %s [%s]\n", world_rank,
                          world_ranks, (unsigned long long)seed, case_name, words);

    (void)signal_number;
    if (write(STDOUT_FILENO, sentence, (size_t)length) < 0)
        _exit(4);
    if (getenv("CONVEY_STAY") != NULL)
        pause(); /* for a debugger */
    _exit(3);
}

static uint64_t hash_of(const char *word)
{
    uint64_t hash = 0;

    for (; *word != '\0'; word++)
        hash = hash_mix(hash, (uint64_t)*word);
    return hash;
}

static void run_case(const struct part *part, int number)
{
    struct rng rng;

    serial++;
    key = hash_mix(hash_mix(seed, hash_of(part->name)), (uint64_t)number);
    rng.state = key;
    wrong_told = 0;
    snprintf(case_name, sizeof case_name, "%s/%d", part->name, number);
    words[0] = '\0';
    alarm((unsigned)limit_s);
    part->run(number, &rng);
    alarm(0);
}

static const struct part *part_named(const char *word, size_t length)
{
    for (int p = 0; p < PARTS; p++)
        if (strlen(parts[p]->name) == length && memcmp(parts[p]->name, word, length) == 0)
            return parts[p];
    return NULL;
}

/* False: no part is called so. */
static bool run_word(const char *word)
{
    size_t length = strcspn(word, ":/");
    const struct part *part = part_named(word, length);
    int first = word[length] == '/' ? atoi(word + length + 1) : 0, count;

    if (part == NULL)
        return false;
    count = word[length] == '\0' ? part->cases * rounds : word[length] == ':' ? atoi(word + length + 1) : 1;
    for (int number = first; number < first + count; number++)
        run_case(part, number);
    return true;
}

static int setting(const char *name, int fallback)
{
    return getenv(name) != NULL ? atoi(getenv(name)) : fallback;
}

static int result(void)
{
    int all;

    MPI_Allreduce(&wrong_count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("convey: seed %llu, %llu cases, %d wrong\n", (unsigned long long)seed, (unsigned long long)serial, all);
    return all > 0;
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    limit_s = setting("CONVEY_LIMIT", limit_s);
    rounds = setting("CONVEY_ROUNDS", rounds);
    verbose = setting("CONVEY_VERBOSE", 0) > 0;
    signal(SIGALRM, give_up);
    places_make();
    for (int a = 2; a < argc; a++)
        if (!run_word(argv[a]) && world_rank == 0) {
            fprintf(stderr, "convey: '%s' is no part and no case\n", argv[a]);
            wrong_count++;
        }
    status = result();
    places_free();
    MPI_Finalize();
    return status;
}
