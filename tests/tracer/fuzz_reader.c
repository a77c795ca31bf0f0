/* The fuzzer of all that reads traces (libFuzzer): make fuzz, then ./fuzz_reader CORPUS -dict=…/fuzz_reader.dict */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/tracer/fuzz_check.h"
#include "tests/tracer/fuzz_input.h"
#include "tests/tracer/fuzz_mutate.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t capacity, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t capacity);

static char directory[64];

static void remove_files(void)
{
    char name[128];

    for (int i = 0; i < FUZZ_RANKS_MAX; i++)
        for (int trace = 0; trace < 2; trace++) {
            snprintf(name, sizeof name, "%s/rank-%05d.%s", directory, i, trace ? "trace" : "json");
            unlink(name);
        }
}

static void leave(void)
{
    remove_files();
    rmdir(directory);
}

/* A private directory in memory, where there is one. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    strcpy(directory, "/dev/shm/reader-fuzz.XXXXXX");
    if (mkdtemp(directory) == NULL) {
        strcpy(directory, "reader-fuzz.XXXXXX");
        if (mkdtemp(directory) == NULL)
            abort();
    }
    atexit(leave);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz_input input;
    const char *fault;

    fuzz_input_unpack(&input, data, bytes);
    remove_files();
    if (fuzz_input_write(&input, directory) < 0) {
        perror(directory);
        abort();
    }
    fuzz_input_release(&input);
    fault = fuzz_check_directory(directory);
    if (fault != NULL) {
        fprintf(stderr, "fuzz_reader: %s\n", fault);
        abort();
    }
    return 0;
}

/* Bytes of one part, by libFuzzer's own ways and the dictionary. */
static void change_bytes(struct fuzz_rank *rank, unsigned seed)
{
    uint8_t **part = seed & 1 ? &rank->json : &rank->trace;
    size_t *part_bytes = seed & 1 ? &rank->json_bytes : &rank->trace_bytes;
    size_t capacity = *part_bytes + 256;
    uint8_t *grown = realloc(*part, capacity);

    if (grown == NULL)
        return;
    *part = grown;
    *part_bytes = LLVMFuzzerMutate(grown, *part_bytes, capacity);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t capacity, unsigned seed)
{
    struct fuzz_input input;
    size_t packed;

    fuzz_input_unpack(&input, data, bytes);
    if (seed % 4 == 0)
        change_bytes(&input.ranks[seed / 16 % (unsigned)input.rank_count], seed / 4);
    else
        fuzz_mutate(&input, seed);
    packed = fuzz_input_pack(&input, data, capacity);
    fuzz_input_release(&input);
    return packed > 0 ? packed : LLVMFuzzerMutate(data, bytes < capacity ? bytes : capacity, capacity);
}
