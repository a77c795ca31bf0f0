/* Flaws: put together by what they say, with the ranks and sites in it. */
#include "tools/doctor/flaws.h"

#include "tools/doctor/site.h"
#include "tools/doctor/where.h"
#include "tools/doctor/words.h"
#include "tools/text/units.h"

enum { TEXT_CHARS = 512 };

uint32_t wm_flaws_count(const struct wm_page *page)
{
    uint32_t count = __atomic_load_n(&page->flaw_count, __ATOMIC_ACQUIRE);

    return count < WM_PAGE_FLAWS ? count : WM_PAGE_FLAWS;
}

static json_t *site_of(const struct wm_page *page, uint64_t address)
{
    const char *text = wm_call_site_find(page, address)->text;

    return json_string(text[0] != '\0' ? text : "a place that is not known");
}

/* The flaw of a rank alone, before ranks are put into its text. */
static json_t *flaw_object(const struct wm_page *page, const struct wm_page_flaw *flaw)
{
    return json_pack("{so, s[], s[oo]}", "text", wm_where_text(flaw->text, sizeof flaw->text), "ranks", "sites",
                     site_of(page, flaw->sites[0]), site_of(page, flaw->sites[1]));
}

/* That of other ranks which says the same, or `flaw`, which joins the list. */
static json_t *join(json_t *list, json_t *flaw)
{
    size_t index;
    json_t *other;

    json_array_foreach (list, index, other) {
        if (json_equal(json_object_get(other, "text"), json_object_get(flaw, "text")) &&
            json_equal(json_object_get(other, "sites"), json_object_get(flaw, "sites"))) {
            json_decref(flaw);
            return other;
        }
    }
    json_array_append_new(list, flaw);
    return flaw;
}

/* "leak on ranks 0-2: …, the first from halo.c:64". */
static void fill_in(json_t *flaw)
{
    const char *text = json_string_value(json_object_get(flaw, "text"));
    char out[TEXT_CHARS] = "", ranks[WM_WORDS_RANK_CHARS];

    wm_words_ranks(json_object_get(flaw, "ranks"), ranks);
    for (const char *at = text; at != NULL && *at != '\0'; at++)
        if (at[0] == '@' && at[1] >= '0' && at[1] <= '2') {
            const json_t *site = json_array_get(json_object_get(flaw, "sites"), (size_t)(at[1] - '1'));

            wm_text_append(out, sizeof out, "%s", at[1] == '0' ? ranks : json_string_value(site));
            at++;
        } else {
            wm_text_append(out, sizeof out, "%c", *at);
        }
    json_object_set_new(flaw, "text", json_string(out));
}

json_t *wm_flaws_list(const struct wm_pages *pages, const uint32_t *from, const uint32_t *to)
{
    json_t *list = json_array(), *flaw;
    size_t index;

    for (int i = 0; i < pages->count; i++) {
        const struct wm_page *page = wm_pages_at(pages, i);

        for (uint32_t k = from != NULL ? from[i] : 0; k < (to != NULL ? to[i] : wm_flaws_count(page)); k++)
            json_array_append_new(json_object_get(join(list, flaw_object(page, &page->flaws[k])), "ranks"),
                                  json_integer(page->rank));
    }
    json_array_foreach (list, index, flaw) {
        fill_in(flaw);
    }
    return list;
}
