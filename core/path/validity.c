/* Validity: for which calls an answer holds. */
#include "core/path/validity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"

const struct wm_varying_fact wm_varying_fact_rows[WM_VARYING_FACT_ROWS] = {
#define X(field, one, other) {&wm_fact_rows[WM_FACT_ROW_##field], offsetof(struct wm_validity, field), one, other},
    WM_VARYING_FACTS(X)
#undef X
};

static struct wm_fact_range range_of(const struct wm_validity *validity, const struct wm_varying_fact *row)
{
    return *(const struct wm_fact_range *)((const char *)validity + row->offset);
}

static bool is_any(struct wm_fact_range range)
{
    return range.low == 0 && range.high == UINT64_MAX;
}

/* [LOW, HIGH], null for no upper end. */
static bool read_range(struct wm_fact_range *range, const json_t *value)
{
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);

    *range = (struct wm_fact_range){0, UINT64_MAX};
    if (value == NULL)
        return true;
    range->low = (uint64_t)json_integer_value(low);
    if (json_is_integer(high))
        range->high = (uint64_t)json_integer_value(high);
    return json_array_size(value) == 2 && json_is_integer(low) && json_integer_value(low) >= 0 &&
           (json_is_null(high) || (json_is_integer(high) && json_integer_value(high) >= json_integer_value(low)));
}

bool wm_validity_read(struct wm_validity *validity, const json_t *answer)
{
    bool whole = true;

    for (int i = 0; i < WM_VARYING_FACT_ROWS; i++) {
        const struct wm_varying_fact *row = &wm_varying_fact_rows[i];

        whole &= read_range((struct wm_fact_range *)((char *)validity + row->offset),
                            json_object_get(answer, row->fact->word));
    }
    return whole;
}

static bool is_in(struct wm_fact_range range, uint64_t number)
{
    return range.low <= number && number <= range.high;
}

/* Below 0, as the root of an operation without one, is above all numbers. The + refuses a fact that is no number. */
bool wm_validity_holds(const struct wm_validity *validity, const struct wm_facts *facts)
{
#define X(field, one, other) is_in(validity->field, (uint64_t) + facts->field) &&
    return WM_VARYING_FACTS(X) true;
#undef X
}

bool wm_validity_is_any(const struct wm_validity *validity)
{
    bool any = true;

    for (int i = 0; i < WM_VARYING_FACT_ROWS; i++)
        any = any && is_any(range_of(validity, &wm_varying_fact_rows[i]));
    return any;
}

static void append_range(const struct wm_varying_fact *row, struct wm_fact_range range, char *out, size_t out_bytes)
{
    const char *unit = row->fact->type == WM_FACT_SIZE ? " bytes" : "";

    if (row->fact->type == WM_FACT_TRUTH)
        wm_text_append(out, out_bytes, "%s", range.low > 0 ? row->one : row->other);
    else if (range.low == range.high)
        wm_text_append(out, out_bytes, "%s", row->one);
    else if (range.high == UINT64_MAX)
        wm_text_append(out, out_bytes, "%s%" PRIu64 "%s and more", row->other, range.low, unit);
    else
        wm_text_append(out, out_bytes, "%s%" PRIu64 " to %" PRIu64 "%s", row->other, range.low, range.high, unit);
}

void wm_validity_describe(const struct wm_validity *validity, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s", is_any(validity->bytes) ? "any size" : "");
    for (int i = 0; i < WM_VARYING_FACT_ROWS; i++) {
        struct wm_fact_range range = range_of(validity, &wm_varying_fact_rows[i]);

        if (is_any(range))
            continue;
        wm_text_append(out, out_bytes, "%s", out[0] != '\0' ? ", " : "");
        append_range(&wm_varying_fact_rows[i], range, out, out_bytes);
    }
}
