/* First inputs for the fuzzer: fuzz_seeds OUT [DIR…] packs generated traces, and those in the directories named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/tracer/fuzz_input.h"
#include "tests/tracer/generated.h"

static uint8_t packed[FUZZ_INPUT_MAX];

static void keep(const char *out, const char *name, const char *directory)
{
    struct fuzz_input input;
    char path[512];
    size_t bytes;
    FILE *file;

    if (fuzz_input_read(&input, directory) < 0) {
        fprintf(stderr, "fuzz_seeds: no trace in '%s'\n", directory);
        exit(1);
    }
    bytes = fuzz_input_pack(&input, packed, sizeof packed);
    fuzz_input_release(&input);
    snprintf(path, sizeof path, "%s/%s", out, name);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(packed, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void generate(const char *out, const char *name, struct generated_options options)
{
    char directory[] = "fuzz-seed.XXXXXX", path[64];

    if (mkdtemp(directory) == NULL || generated_make(directory, &options) < 0)
        exit(1);
    keep(out, name, directory);
    for (int i = 0; i < options.ranks; i++)
        for (int trace = 0; trace < 2; trace++) {
            snprintf(path, sizeof path, "%s/rank-%05d.%s", directory, i, trace ? "trace" : "json");
            unlink(path);
        }
    rmdir(directory);
}

static void generate_all(const char *out)
{
    struct generated_options plain = generated_defaults(), o;

    plain.ranks = 3;
    plain.calls = 4;
    for (int shape = 0; shape < GENERATED_SHAPES; shape++) {
        o = plain;
        o.shape = (enum generated_shape)shape;
        o.operation = GENERATED_MIXED;
        o.seed = (uint64_t)shape + 2;
        generate(out, generated_shape_names[shape], o);
    }
    o = plain, o.hosts = 2, o.communicators = 3, o.calls = 8;
    generate(out, "communicators", o);
    o = plain, o.hosts = 3, o.skew_ns = 1000000, o.drift_ppm = 20, o.sync_calls = 2;
    generate(out, "skew", o);
    o = plain, o.nonblocking = true, o.marks = true;
    generate(out, "nonblocking", o);
    o = plain, o.superblocks = true;
    generate(out, "superblocks", o);
    o = plain, o.native = true, o.operation = GENERATED_MIXED;
    generate(out, "native", o);
    o = plain, o.ring = 128, o.calls = 40;
    generate(out, "wrapped", o);
    o = plain, o.crash_rank = 1, o.crash_call = 2;
    generate(out, "crashed", o);
}

int main(int argc, char **argv)
{
    char name[32];

    if (argc < 2) {
        fputs("usage: fuzz_seeds OUT [DIR…]\n", stderr);
        return 2;
    }
    mkdir(argv[1], 0777);
    generate_all(argv[1]);
    for (int i = 2; i < argc; i++) {
        snprintf(name, sizeof name, "given-%d", i - 1);
        keep(argv[1], name, argv[i]);
    }
    return 0;
}
