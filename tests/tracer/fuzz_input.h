/* A trace directory in one string of bytes, as the fuzzer holds it.
 *
 * A byte with the number of ranks, then per rank a byte of flags, the length of the .json (u32) and its bytes, the
 * length of the .trace (u32) and its bytes. A header page is nearly all zeros: it is held as its first 104 bytes and
 * the head, and the records follow. Lengths beyond the end mean what is there: every string is a directory. */
#ifndef WM_TESTS_FUZZ_INPUT_H
#define WM_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

enum {
    FUZZ_RANKS_MAX = 3,
    FUZZ_HEADER_BYTES = 112,
    FUZZ_INPUT_MAX = 1 << 20,
    FUZZ_RAW = 1,     /* the .trace is as it is: no header page is made of it */
    FUZZ_NO_JSON = 2, /* the file does not exist */
    FUZZ_NO_TRACE = 4
};

struct fuzz_rank {
    uint8_t flags;
    uint8_t *json, *trace; /* owned */
    size_t json_bytes, trace_bytes;
};

struct fuzz_input {
    int rank_count;
    struct fuzz_rank ranks[FUZZ_RANKS_MAX];
};

void fuzz_input_unpack(struct fuzz_input *input, const uint8_t *data, size_t bytes);
/* Returns how many bytes of `data`; 0 if it does not fit. */
size_t fuzz_input_pack(const struct fuzz_input *input, uint8_t *data, size_t capacity);
void fuzz_input_release(struct fuzz_input *input);

/* Make the files in `directory`; take what is there of ranks 0 to 2. 0, or -1 with errno. */
int fuzz_input_write(const struct fuzz_input *input, const char *directory);
int fuzz_input_read(struct fuzz_input *input, const char *directory);

#endif
