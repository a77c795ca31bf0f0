/* What people write on a command line or in a setting, read: sizes, whole numbers, times, lists of ranges and of names.
 *
 * A reader takes a whole word, gives false when it is not what is wanted, and then leaves its output as it was; the
 * caller knows what to say. Signs, blanks and hexadecimal digits are not read. */
#ifndef WM_PARSE_H
#define WM_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "8", "64KiB", "1GiB": bytes, at most 2^50. */
bool wm_parse_bytes(const char *word, uint64_t *bytes);

/* "17": a whole number from `least` to `most`. */
bool wm_parse_number(const char *word, uint64_t least, uint64_t most, uint64_t *number);

/* "1.5", "1.5s", "200ms", "500us", "80ns", "2min": a time below 10^8 seconds; seconds where no unit stands. */
bool wm_parse_time(const char *word, int64_t *ns);

/* Take the first member of a list such as "0-3,8", and move `*list` to the next one, or to NULL behind the last. Each
 * end is read by `read`, wm_parse_bytes for example, and may be the larger one; a member without '-' is a range of one.
 * False, and `*list` stays, where the member is no range. */
bool wm_parse_range(const char **list, bool (*read)(const char *word, uint64_t *number), uint64_t *first,
                    uint64_t *last);

/* wm_parse_number for wm_parse_range: ranks and other counts below 2^30. */
bool wm_parse_count(const char *word, uint64_t *count);

/* The bits of the names (at most 64) in a list such as "bcast,reduce_scatter", in which '_' is as good as '-'; "all"
 * stands for every name. False where a member is no name: `wrong` then holds it, cut to `wrong_bytes`. */
bool wm_parse_names(const char *list, const char *const *names, size_t count, uint64_t *bits, char *wrong,
                    size_t wrong_bytes);

#endif
