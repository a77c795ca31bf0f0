/* The roll: who is there, with which version of Waymark, and the sentence that is made of it. */
#include "core/job/roll.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waymark/operation.h"
#include "core/settings.h"
#include "core/path/wrapper.h"

enum { LIST_BYTES = 160, HOSTS_SHOWN = 4, GROUPS_SHOWN = 3 };

_Static_assert(sizeof(struct wm_roll_entry) == 256, "versions differ in the form by which they know each other");

static const char magic[8] = "WMROLL1";

static uint64_t digest(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (hash ^ 0xff) * 0x100000001b3u;
}

static uint64_t digest_tables(void)
{
    uint64_t hash = 0xcbf29ce484222325u ^ sizeof(struct wm_settings);

#define X(name, field, type, fallback, help) hash = digest(hash, #name);
    WM_SETTINGS(X)
#undef X
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        hash = digest(hash, wm_operation_name((enum wm_operation)op));
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++) {
        hash = digest(hash, (*class)->name);
        for (int i = 0; i < (*class)->param_count; i++)
            hash = digest(hash, (*class)->params[i].name);
    }
    return hash;
}

void wm_roll_entry_fill(struct wm_roll_entry *entry, const char *host)
{
    memset(entry, 0, sizeof *entry);
    memcpy(entry->magic, magic, sizeof magic);
    entry->build = digest_tables();
    snprintf(entry->version, sizeof entry->version, "waymark %s", PACKAGE_VERSION);
    snprintf(entry->host, sizeof entry->host, "%s", host);
}

bool wm_roll_entry_valid(const struct wm_roll_entry *entry)
{
    return memcmp(entry->magic, magic, sizeof magic) == 0 &&
           memchr(entry->version, '\0', sizeof entry->version) != NULL &&
           memchr(entry->host, '\0', sizeof entry->host) != NULL;
}

bool wm_roll_entry_agrees(const struct wm_roll_entry *a, const struct wm_roll_entry *b)
{
    return a->build == b->build && strcmp(a->version, b->version) == 0;
}

__attribute__((format(printf, 3, 4))) static void append(char *out, size_t out_bytes, const char *format, ...)
{
    size_t length = strlen(out);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(out + length, out_bytes - length, format, arguments);
    va_end(arguments);
}

/* A job under judgement. */
struct roll {
    const struct wm_roll_entry *entries;
    int ranks;
    const char *(*host_of)(int rank);
    int *groups;            /* of each rank: the first rank that agrees with it; -1: it has not answered */
    int *counts;            /* of a group: its ranks */
    int *firsts, different; /* the groups, and how many */
    int missing;
};

static void sort_rank(struct roll *roll, int rank)
{
    int i = 0;

    if (!wm_roll_entry_valid(&roll->entries[rank])) {
        roll->groups[rank] = -1;
        roll->missing++;
        return;
    }
    while (i < roll->different && !wm_roll_entry_agrees(&roll->entries[roll->firsts[i]], &roll->entries[rank]))
        i++;
    if (i == roll->different)
        roll->firsts[roll->different++] = rank;
    roll->groups[rank] = roll->firsts[i];
    roll->counts[roll->firsts[i]]++;
}

static const char *host_of(const struct roll *roll, int rank)
{
    if (wm_roll_entry_valid(&roll->entries[rank]))
        return roll->entries[rank].host;
    return roll->host_of != NULL ? roll->host_of(rank) : NULL;
}

/* "rank 3" or "ranks 0-2, 5", then " (host a, b)" as far as hosts are known. */
static void group_text(const struct roll *roll, int group, char *out, size_t out_bytes)
{
    const char *hosts[HOSTS_SHOWN], *host;
    int host_count = 0, last = -2, runs = 0;
    bool more = false;

    snprintf(out, out_bytes, "rank%s", (group < 0 ? roll->missing : roll->counts[group]) == 1 ? "" : "s");
    for (int r = 0; r < roll->ranks; r++) {
        bool next = r + 1 < roll->ranks && roll->groups[r + 1] == group;
        bool seen = false;

        if (roll->groups[r] != group)
            continue;
        if (last != r - 1 && ++runs <= 8)
            append(out, out_bytes, "%s %d", runs > 1 ? "," : "", r);
        else if (last == r - 1 && !next && runs <= 8)
            append(out, out_bytes, "-%d", r);
        last = r;
        host = host_of(roll, r);
        for (int h = 0; host != NULL && h < host_count; h++)
            seen = seen || strcmp(hosts[h], host) == 0;
        if (host != NULL && !seen && host_count < HOSTS_SHOWN)
            hosts[host_count++] = host;
        else if (host != NULL && !seen)
            more = true;
    }
    append(out, out_bytes, "%s", runs > 8 ? ", …" : "");
    for (int h = 0; h < host_count; h++)
        append(out, out_bytes, h == 0 ? " on %s" : ", %s", hosts[h]);
    append(out, out_bytes, "%s", more ? ", …" : "");
}

static int judge_missing(const struct roll *roll, double seconds, struct wm_error *error)
{
    char list[LIST_BYTES];

    group_text(roll, -1, list, sizeof list);
    return wm_error_set(
        error, -WM_EMPI,
        "Waymark is loaded in %d of the job's %d ranks, but nothing was heard within %g s from %s: start "
        "every rank by 'waymark run', or hand LD_PRELOAD on with 'mpirun -x LD_PRELOAD'; if they are "
        "only late, raise WAYMARK_START_DEADLINE",
        roll->ranks - roll->missing, roll->ranks, seconds, list);
}

/* The version that most ranks have is named last: the others are to be mended. */
static int judge_versions(const struct roll *roll, int most, struct wm_error *error)
{
    char list[LIST_BYTES], text[WM_ERROR_TEXT_CHARS / 2] = "";
    const char *right = roll->entries[most].version;

    for (int i = 0, shown = 0; i < roll->different && shown < GROUPS_SHOWN; i++) {
        const char *version = roll->entries[roll->firsts[i]].version;

        if (roll->firsts[i] == most)
            continue;
        group_text(roll, roll->firsts[i], list, sizeof list);
        append(text, sizeof text, "%s%s%s in %s", shown++ > 0 ? ", " : "",
               strcmp(version, right) == 0 ? "another build of " : "", version, list);
    }
    group_text(roll, most, list, sizeof list);
    return wm_error_set(error, -WM_EMPI,
                        "the ranks have loaded different versions of Waymark: %s%s, but %s in %s; install the same one "
                        "on every host, and see that LD_PRELOAD and LD_LIBRARY_PATH name it there",
                        text, roll->different > GROUPS_SHOWN + 1 ? ", …" : "", right, list);
}

static int judge(const struct roll *roll, double seconds, struct wm_error *error)
{
    int most = roll->firsts[0];

    if (roll->missing > 0)
        return judge_missing(roll, seconds, error);
    for (int i = 1; i < roll->different; i++)
        if (roll->counts[roll->firsts[i]] > roll->counts[most])
            most = roll->firsts[i];
    return roll->different == 1 ? 0 : judge_versions(roll, most, error);
}

int wm_roll_judge(const struct wm_roll_entry *entries, int ranks, const char *(*host)(int rank), double seconds,
                  struct wm_error *error)
{
    int *room = calloc(3 * (size_t)ranks, sizeof *room), rc;
    struct roll roll = {entries, ranks, host, room, room + ranks, room + 2 * (size_t)ranks, 0, 0};

    if (room == NULL)
        return wm_error_set(error, -WM_ENOMEM, "%s", wm_error_sentence(-WM_ENOMEM));
    for (int r = 0; r < ranks; r++)
        sort_rank(&roll, r);
    rc = judge(&roll, seconds, error);
    free(room);
    return rc;
}
