/* The fuzzer's mutations: of records, headers, lines of definitions, by what they mean; then of bytes. */
#include <stdlib.h>
#include <string.h>
#include "tests/tracer/fuzz_input.h"
#include "tests/tracer/fuzz_mutate.h"
#include "tracer/file.h"
#include "tracer/tracer.h"

enum { RECORD_BYTES = sizeof(struct wm_trace_record), LINES_MAX = 256 };

static uint64_t next(uint64_t *random)
{
    uint64_t x = *random += 0x9e3779b97f4a7c15u; /* splitmix64 (Steele, Lea, Flood 2014) */

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t below(uint64_t *random, uint64_t limit)
{
    return limit > 0 ? next(random) % limit : 0;
}

/* Numbers at which something may break. */
static uint64_t strange(uint64_t *random)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       127,
                                       128,
                                       255,
                                       32768,
                                       65535,
                                       INT32_MAX,
                                       UINT32_MAX,
                                       UINT32_MAX - 1,
                                       INT64_MAX,
                                       UINT64_MAX,
                                       (uint64_t)1 << 63,
                                       (uint64_t)1 << 40,
                                       (uint64_t)1 << 53,
                                       1000000000};

    switch (below(random, 4)) {
    case 0:
        return numbers[below(random, sizeof numbers / sizeof numbers[0])];
    case 1:
        return below(random, 8);
    case 2:
        return (uint64_t)1 << below(random, 64);
    default:
        return next(random);
    }
}

static struct wm_trace_record *record_at(struct fuzz_rank *rank, uint64_t number)
{
    return (struct wm_trace_record *)(void *)(rank->trace + FUZZ_HEADER_BYTES + number * RECORD_BYTES);
}

static uint64_t record_count(const struct fuzz_rank *rank)
{
    return (rank->flags & FUZZ_RAW) || rank->trace_bytes < FUZZ_HEADER_BYTES
               ? 0
               : (rank->trace_bytes - FUZZ_HEADER_BYTES) / RECORD_BYTES;
}

static void change_field(struct wm_trace_record *in_place, const struct wm_trace_record *other, uint64_t *random)
{
    struct wm_trace_record record;

    memcpy(&record, in_place, sizeof record);
    switch (below(random, 12)) {
    case 0:
        record.time_ticks = strange(random);
        break;
    case 1:
        record.time_ticks += below(random, 2000) - 1000;
        break;
    case 2:
        record.argument = strange(random);
        break;
    case 3:
        record.argument ^= (uint64_t)1 << below(random, 64);
        break;
    case 4:
        record.sequence = (uint32_t)strange(random);
        break;
    case 5:
        record.sequence += (uint32_t)below(random, 3) - 1;
        break;
    case 6:
        record.communicator = (uint32_t)strange(random);
        break;
    case 7:
        record.peer = (int32_t)strange(random);
        break;
    case 8:
        record.node = (uint16_t)strange(random);
        break;
    case 9:
        record.kind = (uint8_t)below(random, WM_TRACE_KIND_COUNT + 1);
        break;
    case 10:
        record.flags = (uint8_t)strange(random);
        break;
    default:
        record = *other;
        break;
    }
    memcpy(in_place, &record, sizeof record);
}

static void change_record(struct fuzz_rank *rank, uint64_t *random)
{
    uint64_t count = record_count(rank);
    uint64_t at = below(random, count), other = below(random, count);
    struct wm_trace_record copy;

    if (count == 0)
        return;
    memcpy(&copy, record_at(rank, other), sizeof copy);
    if (below(random, 8) == 0) {
        memcpy(record_at(rank, other), record_at(rank, at), sizeof copy);
        memcpy(record_at(rank, at), &copy, sizeof copy);
    } else {
        change_field(record_at(rank, at), &copy, random);
    }
}

/* Take some records out, or put some in twice. */
static void move_records(struct fuzz_rank *rank, uint64_t *random)
{
    uint64_t count = record_count(rank), at = below(random, count), some = 1 + below(random, count - at);
    size_t begin = FUZZ_HEADER_BYTES + at * RECORD_BYTES, bytes = some * RECORD_BYTES;
    uint8_t *grown;

    if (count == 0)
        return;
    if (below(random, 2) == 0) {
        memmove(rank->trace + begin, rank->trace + begin + bytes, rank->trace_bytes - begin - bytes);
        rank->trace_bytes -= bytes;
        return;
    }
    grown = rank->trace_bytes + bytes < FUZZ_INPUT_MAX / 4 ? realloc(rank->trace, rank->trace_bytes + bytes) : NULL;
    if (grown == NULL)
        return;
    rank->trace = grown;
    memmove(grown + begin + bytes, grown + begin, rank->trace_bytes - begin);
    rank->trace_bytes += bytes;
}

static void change_header(struct fuzz_rank *rank, uint64_t *random)
{
    static const struct {
        size_t at, bytes;
    } fields[] = {{20, 4}, {24, 4}, {28, 4}, {32, 8}, {40, 8}, {48, 8}, {56, 8},
                  {64, 8}, {72, 8}, {80, 8}, {88, 8}, {96, 4}, {104, 8}};
    size_t which = below(random, sizeof fields / sizeof fields[0]);
    uint64_t value = strange(random);

    if (rank->trace_bytes >= FUZZ_HEADER_BYTES)
        memcpy(rank->trace + fields[which].at, &value, fields[which].bytes);
}

/* Where lines begin; the end too. Returns how many lines. */
static size_t find_lines(const struct fuzz_rank *rank, size_t *begins)
{
    size_t count = 0;

    begins[0] = 0;
    for (size_t i = 0; i < rank->json_bytes && count + 2 < LINES_MAX; i++)
        if (rank->json[i] == '\n')
            begins[++count] = i + 1;
    if (begins[count] < rank->json_bytes)
        begins[++count] = rank->json_bytes;
    return count;
}

/* A line taken out, or put in again elsewhere. */
static void move_line(struct fuzz_rank *rank, const size_t *begins, size_t lines, uint64_t *random)
{
    size_t line = below(random, lines), to = begins[below(random, lines + 1)];
    size_t begin = begins[line], bytes = begins[line + 1] - begin;
    uint8_t *copy, *grown;

    if (below(random, 3) == 0) {
        memmove(rank->json + begin, rank->json + begin + bytes, rank->json_bytes - begin - bytes);
        rank->json_bytes -= bytes;
        return;
    }
    copy = malloc(bytes + 1);
    grown = rank->json_bytes + bytes < FUZZ_INPUT_MAX / 4 ? realloc(rank->json, rank->json_bytes + bytes + 1) : NULL;
    if (copy == NULL || grown == NULL) {
        free(copy);
        return;
    }
    rank->json = grown;
    memcpy(copy, grown + begin, bytes);
    memmove(grown + to + bytes, grown + to, rank->json_bytes - to);
    memcpy(grown + to, copy, bytes);
    rank->json_bytes += bytes;
    free(copy);
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* Another number in the place of one, of any length. */
static void change_number(struct fuzz_rank *rank, size_t from, size_t to, uint64_t *random)
{
    size_t begin = from + below(random, to - from), end, length, bytes;
    uint8_t *grown;
    char digits[32];

    while (begin < to && !is_digit(rank->json[begin]))
        begin++;
    for (end = begin; end < to && is_digit(rank->json[end]);)
        end++;
    if (begin == end)
        return;
    length = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)strange(random));
    bytes = rank->json_bytes - end;
    grown = realloc(rank->json, rank->json_bytes + length + 1);
    if (grown == NULL)
        return;
    rank->json = grown;
    memmove(grown + begin + length, grown + end, bytes);
    memcpy(grown + begin, digits, length);
    rank->json_bytes = begin + length + bytes;
}

static void change_json(struct fuzz_rank *rank, uint64_t *random)
{
    size_t begins[LINES_MAX], lines = find_lines(rank, begins), line;

    if (lines == 0)
        return;
    if (below(random, 3) == 0) {
        move_line(rank, begins, lines, random);
        return;
    }
    line = below(random, lines);
    change_number(rank, begins[line], begins[line + 1], random);
}

static void cut(struct fuzz_rank *rank, uint64_t *random)
{
    if (below(random, 2) == 0)
        rank->trace_bytes = below(random, rank->trace_bytes + 1);
    else
        rank->json_bytes = below(random, rank->json_bytes + 1);
}

static void swap_parts(struct fuzz_input *input, struct fuzz_rank *rank, uint64_t *random)
{
    struct fuzz_rank *other = &input->ranks[below(random, (uint64_t)input->rank_count)], copy = *rank;
    bool json = below(random, 2);

    if (below(random, 4) == 0) {
        rank->flags ^= (uint8_t)(1u << below(random, 3));
    } else if (json) {
        rank->json = other->json, rank->json_bytes = other->json_bytes;
        other->json = copy.json, other->json_bytes = copy.json_bytes;
    } else {
        rank->trace = other->trace, rank->trace_bytes = other->trace_bytes;
        other->trace = copy.trace, other->trace_bytes = copy.trace_bytes;
    }
}

void fuzz_mutate(struct fuzz_input *input, uint64_t seed)
{
    uint64_t random = seed;

    for (uint64_t times = 1 + below(&random, 4); times > 0; times--) {
        struct fuzz_rank *rank = &input->ranks[below(&random, (uint64_t)input->rank_count)];
        uint64_t choice = below(&random, 64);

        if (choice < 32)
            change_record(rank, &random);
        else if (choice < 38)
            move_records(rank, &random);
        else if (choice < 46)
            change_header(rank, &random);
        else if (choice < 60)
            change_json(rank, &random);
        else if (choice < 62)
            cut(rank, &random);
        else
            swap_parts(input, rank, &random);
    }
}
