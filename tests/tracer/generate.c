/* Generates traces for tests and measurements: generate DIR --ranks 64 --events-per-rank 100000 --shape ring … */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/tracer/generated_files.h"

static const char usage[] =
    "usage: generate DIR [OPTION…]\n"
    "Write a synthetic trace into DIR: collectives simulated message by message, the same for the same options.\n"
    "  --ranks N               (4)\n"
    "  --calls M               (100) on all communicators together\n"
    "  --events-per-rank E     as many calls as that takes on average\n"
    "  --operation O           allreduce, bcast, reduce, barrier or mixed (allreduce)\n"
    "  --shape S               binomial, ring, butterfly or flat (binomial); chain for trees under ring\n"
    "  --communicators K       (1) the world, halves, every other rank, …: calls go round them\n"
    "  --hosts H               (1) with several, the path has a stage within them and one between them\n"
    "  --bytes B               of a call (a mixture from 8 B to 1 MiB)\n"
    "  --compute NS            mean time between calls (100000)\n"
    "  --late-rank R:FACTOR    computes longer\n"
    "  --crash RANK:CALL       stops inside a call, from 0; the others go on until they wait for it; nothing is "
    "closed\n"
    "  --open                  nothing is closed\n"
    "  --ring N                flight mode, the last N records of each rank\n"
    "  --marks                 marks of the program, every ten calls\n"
    "  --superblocks           regions of a superblock before each call; two subranks a process\n"
    "  --nonblocking           calls two by two, with waits\n"
    "  --native                calls without a rule: no edges\n"
    "  --skew NS               each host has its own clock, and wall clocks are so far apart; with SYNC records\n"
    "  --drift PPM             with --skew: the rates differ, too (0)\n"
    "  --sync-calls N          with --skew: clocks are compared every N calls (1000)\n"
    "  --seed S                (1)\n";

enum letter {
    RANKS = 1,
    CALLS,
    EVENTS,
    OPERATION,
    SHAPE,
    COMMUNICATORS,
    HOSTS,
    BYTES,
    COMPUTE,
    LATE,
    CRASH,
    OPEN,
    RING,
    MARKS,
    SUPERBLOCKS,
    NONBLOCKING,
    NATIVE,
    SKEW,
    DRIFT,
    SYNC,
    SEED,
    HELP
};

static const struct option words[] = {{"ranks", 1, NULL, RANKS},
                                      {"calls", 1, NULL, CALLS},
                                      {"events-per-rank", 1, NULL, EVENTS},
                                      {"operation", 1, NULL, OPERATION},
                                      {"shape", 1, NULL, SHAPE},
                                      {"communicators", 1, NULL, COMMUNICATORS},
                                      {"hosts", 1, NULL, HOSTS},
                                      {"bytes", 1, NULL, BYTES},
                                      {"compute", 1, NULL, COMPUTE},
                                      {"late-rank", 1, NULL, LATE},
                                      {"crash", 1, NULL, CRASH},
                                      {"open", 0, NULL, OPEN},
                                      {"ring", 1, NULL, RING},
                                      {"marks", 0, NULL, MARKS},
                                      {"superblocks", 0, NULL, SUPERBLOCKS},
                                      {"nonblocking", 0, NULL, NONBLOCKING},
                                      {"native", 0, NULL, NATIVE},
                                      {"skew", 1, NULL, SKEW},
                                      {"drift", 1, NULL, DRIFT},
                                      {"sync-calls", 1, NULL, SYNC},
                                      {"seed", 1, NULL, SEED},
                                      {"help", 0, NULL, HELP},
                                      {0}};

static int refuse(const char *fault, const char *subject)
{
    fprintf(stderr, "generate: %s '%s': see --help\n", fault, subject);
    exit(2);
}

/* A number of at least `least`, up to `delimiter`; the text behind it. */
static const char *number_of(const char *text, char delimiter, double least, double *number)
{
    char *end;

    *number = strtod(text, &end);
    if (end == text || *end != delimiter || *number < least || !isfinite(*number) || *number > 1e15)
        refuse("not a number that will do:", text);
    return delimiter ? end + 1 : end;
}

static int choice_of(const char *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return refuse("unknown", text);
}

static void take_flag(struct generated_options *options, int letter)
{
    bool *const flags[] = {[OPEN] = &options->open,
                           [MARKS] = &options->marks,
                           [SUPERBLOCKS] = &options->superblocks,
                           [NONBLOCKING] = &options->nonblocking,
                           [NATIVE] = &options->native};

    *flags[letter] = true;
}

static void take_pair(struct generated_options *options, int letter, const char *text)
{
    double rank, second;

    number_of(number_of(text, ':', 0, &rank), '\0', 0, &second);
    if (letter == LATE) {
        options->late_rank = (int)rank;
        options->late_factor = second;
    } else {
        options->crash_rank = (int)rank;
        options->crash_call = (uint64_t)second;
    }
}

static void take_number(struct generated_options *options, int letter, const char *text)
{
    double number;

    number_of(text, '\0', letter == SEED || letter == BYTES || letter == DRIFT ? 0 : 1, &number);
    switch (letter) {
    case RANKS:
        options->ranks = (int)fmin(number, 1e9);
        break;
    case CALLS:
        options->calls = (uint64_t)number;
        break;
    case EVENTS:
        options->events_per_rank = (uint64_t)number;
        break;
    case COMMUNICATORS:
        options->communicators = (int)fmin(number, 10000);
        break;
    case HOSTS:
        options->hosts = (int)fmin(number, 1e9);
        break;
    case BYTES:
        options->bytes = (uint64_t)number;
        break;
    case COMPUTE:
        options->compute_ns = (int64_t)number;
        break;
    case RING:
        options->ring = (uint64_t)number;
        break;
    case SKEW:
        options->skew_ns = (int64_t)number;
        break;
    case DRIFT:
        options->drift_ppm = number;
        break;
    case SYNC:
        options->sync_calls = (uint64_t)number;
        break;
    default:
        options->seed = (uint64_t)number;
        break;
    }
}

static void take(struct generated_options *options, int letter, const char *text)
{
    if (letter == OPERATION)
        options->operation = (enum generated_operation)choice_of(text, generated_operation_names, GENERATED_OPERATIONS);
    else if (letter == SHAPE)
        options->shape = (enum generated_shape)choice_of(text, generated_shape_names, GENERATED_SHAPES);
    else if (letter == LATE || letter == CRASH)
        take_pair(options, letter, text);
    else if (text == NULL)
        take_flag(options, letter);
    else
        take_number(options, letter, text);
}

int main(int argc, char **argv)
{
    struct generated_options options = generated_defaults();
    int letter;
    int64_t records;

    while ((letter = getopt_long(argc, argv, "", words, NULL)) != -1) {
        if (letter == HELP || letter == '?') {
            fputs(usage, letter == HELP ? stdout : stderr);
            return letter == HELP ? 0 : 2;
        }
        take(&options, letter, optarg);
    }
    if (optind + 1 != argc)
        refuse("needs one directory, not", optind < argc ? argv[optind + 1] : "");
    if (options.ranks > GENERATED_RANKS_MAX || options.hosts > options.ranks)
        refuse("too many ranks, or more hosts than ranks in", argv[optind]);
    records = generated_make(argv[optind], &options);
    if (records < 0)
        return 1;
    printf("%lld events\n", (long long)records);
    return 0;
}
