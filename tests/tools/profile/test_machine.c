/* Tests of machines' profiles: written and read again, wrong ones refused, the row that serves a size. */
#include <stdlib.h>
#include <string.h>
#include "core/path/transport.h"
#include "tests/check.h"
#include "tools/profile/machine.h"

static void check_same(const struct wm_profile *a, const struct wm_profile *b)
{
    CU_ASSERT_EQUAL_FATAL(a->row_count, b->row_count);
    for (size_t i = 0; i < a->row_count; i++) {
        const struct wm_profile_row *x = &a->rows[i], *y = &b->rows[i];

        CU_ASSERT_EQUAL(x->section, y->section);
        CU_ASSERT_EQUAL(x->net, y->net);
        CU_ASSERT_STRING_EQUAL(x->name, y->name);
        CU_ASSERT_EQUAL(x->members, y->members);
        CU_ASSERT_EQUAL(x->up_to, y->up_to);
        for (int p = 0; p < WM_PROFILE_VALUES_MAX; p++) {
            CU_ASSERT_EQUAL(x->values[p].value, y->values[p].value);
            CU_ASSERT_EQUAL(x->values[p].origin, y->values[p].origin);
            CU_ASSERT_STRING_EQUAL(x->values[p].probe, y->values[p].probe);
        }
    }
}

static void profile__is_the_same_when_it_was_written_and_read(void)
{
    struct wm_profile written, read;
    struct wm_error error = {0};
    struct wm_profile_row *row;
    json_t *json;

    CU_ASSERT_EQUAL_FATAL(wm_profile_assume(&written), 0);
    row = wm_profile_add(&written, WM_PROFILE_MESSAGE, "site", WM_NET_MPI, 0, 4096);
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    row->values[WM_MESSAGE_LATENCY] =
        (struct wm_profile_value){2000000000, 1990000000, 2010000000, 17, WM_MEASURED, "ping-pong"};
    json = wm_profile_write(&written);
    CU_ASSERT_EQUAL(wm_profile_read(&read, json, "here", &error), 0);
    json_decref(json);
    json = wm_profile_write(&read);
    wm_profile_release(&written);
    CU_ASSERT_EQUAL(wm_profile_read(&written, json, "here", &error), 0);
    check_same(&written, &read);
    json_decref(json);
    wm_profile_release(&written);
    wm_profile_release(&read);
}

static int64_t latency_of(const struct wm_profile *profile, const char *level, uint64_t bytes)
{
    const struct wm_profile_row *row = wm_profile_find(profile, WM_PROFILE_MESSAGE, level, WM_NET_MPI, 0, bytes);

    return row != NULL ? row->values[WM_MESSAGE_LATENCY].value : -1;
}

static void row__is_the_smallest_that_holds_the_bytes_of_the_level_else_of_any(void)
{
    static const struct {
        const char *level;
        uint64_t up_to;
    } rows[] = {{"site", 0}, {"site", 64}, {"*", 100}, {"site", 4096}};
    struct wm_profile profile = {0};

    for (int i = 0; i < 4; i++)
        wm_profile_add(&profile, WM_PROFILE_MESSAGE, rows[i].level, WM_NET_MPI, 0, rows[i].up_to)
            ->values[WM_MESSAGE_LATENCY]
            .value = i;
    CU_ASSERT_EQUAL(latency_of(&profile, "site", 64), 1);
    CU_ASSERT_EQUAL(latency_of(&profile, "site", 65), 3);
    CU_ASSERT_EQUAL(latency_of(&profile, "site", 4097), 0);
    CU_ASSERT_EQUAL(latency_of(&profile, "core", 200), 2);
    CU_ASSERT_PTR_NULL(wm_profile_find(&profile, WM_PROFILE_MESSAGE, "core", WM_NET_SHM, 0, 1));
    wm_profile_release(&profile);
}

static void wrong_profiles__are_refused_with_a_sentence(void)
{
    static const struct {
        const char *text, *fault;
    } wrong[] = {
        {"{}", "is no machine's profile"},
        {"{'format':'waymark-profile-1','links':3}", "'links' in 'here' is no list"},
        {"{'format':'waymark-profile-1','links':[{'level':'node','net':'ib'}]}", "'net' in row 1 of 'links'"},
        {"{'format':'waymark-profile-1','links':[{'eager':-1}]}", "'eager' in row 1 of 'links'"},
        {"{'format':'waymark-profile-1','links':[{},{'speed':1}]}", "'speed' in row 2 of 'links'"},
        {"{'format':'waymark-profile-1','links':[{'gap':{'value':1,'unit':'s'}}]}", "'gap' in row 1"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct wm_profile profile;
        struct wm_error error = {0};
        char text[256];
        json_t *json;

        strcpy(text, wrong[i].text);
        for (char *at = text; *at != '\0'; at++)
            *at = *at == '\'' ? '"' : *at;
        json = json_loads(text, 0, NULL);
        CU_ASSERT_EQUAL(wm_profile_read(&profile, json, "here", &error), -WM_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, wrong[i].fault));
        json_decref(json);
        wm_profile_release(&profile);
    }
}

static const struct check_case cases[] = {
    CASE(profile__is_the_same_when_it_was_written_and_read),
    CASE(row__is_the_smallest_that_holds_the_bytes_of_the_level_else_of_any),
    CASE(wrong_profiles__are_refused_with_a_sentence),
};

CHECK_MAIN("machines' profiles", cases)
