/* Trace directories to strings of bytes and back, for the fuzzer. */
#include "tests/tracer/fuzz_input.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracer/file.h"

enum { FRONT_BYTES = 104, HEAD_AT = 2048, HEADER_BYTES = WM_TRACE_HEADER_BYTES };

/* A length, and that many bytes or what is left. */
static uint8_t *take_part(const uint8_t **at, size_t *left, size_t *bytes)
{
    uint32_t length = 0;
    size_t count = *left < sizeof length ? *left : sizeof length;
    uint8_t *part;

    memcpy(&length, *at, count);
    *at += count;
    *left -= count;
    *bytes = length < *left ? length : *left;
    part = malloc(*bytes + 1);
    if (part == NULL)
        abort();
    memcpy(part, *at, *bytes);
    *at += *bytes;
    *left -= *bytes;
    return part;
}

void fuzz_input_unpack(struct fuzz_input *input, const uint8_t *data, size_t bytes)
{
    *input = (struct fuzz_input){.rank_count = 1 + (bytes > 0 ? data[0] % FUZZ_RANKS_MAX : 0)};
    if (bytes > 0)
        data++, bytes--;
    for (int i = 0; i < input->rank_count; i++) {
        struct fuzz_rank *rank = &input->ranks[i];

        if (bytes > 0) {
            rank->flags = *data++;
            bytes--;
        }
        rank->json = take_part(&data, &bytes, &rank->json_bytes);
        rank->trace = take_part(&data, &bytes, &rank->trace_bytes);
    }
}

static size_t put_part(const uint8_t *part, size_t bytes, uint8_t *data, size_t at, size_t capacity)
{
    uint32_t length = (uint32_t)bytes;

    if (at + sizeof length + bytes > capacity)
        return capacity + 1;
    memcpy(data + at, &length, sizeof length);
    if (bytes > 0)
        memcpy(data + at + sizeof length, part, bytes);
    return at + sizeof length + bytes;
}

size_t fuzz_input_pack(const struct fuzz_input *input, uint8_t *data, size_t capacity)
{
    size_t at = 1;

    if (capacity < 2)
        return 0;
    data[0] = (uint8_t)(input->rank_count - 1);
    for (int i = 0; i < input->rank_count; i++) {
        if (at >= capacity)
            return 0;
        data[at++] = input->ranks[i].flags;
        at = put_part(input->ranks[i].json, input->ranks[i].json_bytes, data, at, capacity);
        if (at > capacity)
            return 0;
        at = put_part(input->ranks[i].trace, input->ranks[i].trace_bytes, data, at, capacity);
        if (at > capacity)
            return 0;
    }
    return at;
}

void fuzz_input_release(struct fuzz_input *input)
{
    for (int i = 0; i < input->rank_count; i++) {
        free(input->ranks[i].json);
        free(input->ranks[i].trace);
    }
}

static int write_file(const char *directory, int rank, const char *ending, const void *data, size_t bytes, off_t at,
                      int flags)
{
    char name[PATH_MAX];
    int file;
    ssize_t written;

    snprintf(name, sizeof name, "%s/rank-%05d.%s", directory, rank, ending);
    file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    if (file < 0)
        return -1;
    written = pwrite(file, data, bytes, at);
    close(file);
    return written == (ssize_t)bytes ? 0 : -1;
}

static int write_trace(const struct fuzz_rank *rank, int number, const char *directory)
{
    uint8_t page[HEADER_BYTES] = {0};

    if ((rank->flags & FUZZ_RAW) || rank->trace_bytes < FUZZ_HEADER_BYTES)
        return write_file(directory, number, "trace", rank->trace, rank->trace_bytes, 0, O_TRUNC);
    memcpy(page, rank->trace, FRONT_BYTES);
    memcpy(page + HEAD_AT, rank->trace + FRONT_BYTES, 8);
    if (write_file(directory, number, "trace", page, sizeof page, 0, O_TRUNC) < 0)
        return -1;
    return write_file(directory, number, "trace", rank->trace + FUZZ_HEADER_BYTES,
                      rank->trace_bytes - FUZZ_HEADER_BYTES, HEADER_BYTES, 0);
}

int fuzz_input_write(const struct fuzz_input *input, const char *directory)
{
    int rc = 0;

    for (int i = 0; i < input->rank_count && rc == 0; i++) {
        const struct fuzz_rank *rank = &input->ranks[i];

        if (!(rank->flags & FUZZ_NO_JSON))
            rc = write_file(directory, i, "json", rank->json, rank->json_bytes, 0, O_TRUNC);
        if (rc == 0 && !(rank->flags & FUZZ_NO_TRACE))
            rc = write_trace(rank, i, directory);
    }
    return rc;
}

/* The file's bytes; NULL when it is not there. */
static uint8_t *read_file(const char *directory, int rank, const char *ending, size_t *bytes)
{
    char name[PATH_MAX];
    struct stat status;
    uint8_t *data = NULL;
    int file;

    *bytes = 0;
    snprintf(name, sizeof name, "%s/rank-%05d.%s", directory, rank, ending);
    file = open(name, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && (data = malloc((size_t)status.st_size + 1)) != NULL &&
        read(file, data, (size_t)status.st_size) == status.st_size)
        *bytes = (size_t)status.st_size;
    if (file >= 0)
        close(file);
    return data;
}

/* The page becomes its front and the head. */
static void shrink(struct fuzz_rank *rank)
{
    if (rank->trace_bytes < HEADER_BYTES) {
        rank->flags |= FUZZ_RAW;
        return;
    }
    memmove(rank->trace + FRONT_BYTES, rank->trace + HEAD_AT, 8);
    memmove(rank->trace + FUZZ_HEADER_BYTES, rank->trace + HEADER_BYTES, rank->trace_bytes - HEADER_BYTES);
    rank->trace_bytes -= HEADER_BYTES - FUZZ_HEADER_BYTES;
}

int fuzz_input_read(struct fuzz_input *input, const char *directory)
{
    *input = (struct fuzz_input){0};
    for (int i = 0; i < FUZZ_RANKS_MAX; i++) {
        struct fuzz_rank *rank = &input->ranks[i];

        rank->json = read_file(directory, i, "json", &rank->json_bytes);
        rank->trace = read_file(directory, i, "trace", &rank->trace_bytes);
        if (rank->json == NULL && rank->trace == NULL)
            break;
        rank->flags = (uint8_t)((rank->json == NULL ? FUZZ_NO_JSON : 0) | (rank->trace == NULL ? FUZZ_NO_TRACE : 0));
        shrink(rank);
        input->rank_count++;
    }
    return input->rank_count > 0 ? 0 : -1;
}
