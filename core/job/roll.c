/* The roll: who is there, with which version of Waymark, and the sentence that is made of it. */
#include "core/job/roll.h"

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

void wm_roll_entry_fill(struct wm_roll_entry *entry, const char *host, int subranks)
{
    memset(entry, 0, sizeof *entry);
    memcpy(entry->magic, magic, sizeof magic);
    entry->build = digest_tables();
    if (subranks > 0)
        snprintf(entry->version, sizeof entry->version, "waymark %s for %d subranks", PACKAGE_VERSION, subranks);
    else
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

static int taker_count(int ranks)
{
    return ranks < WM_ROLL_TAKERS ? ranks : WM_ROLL_TAKERS;
}

/* The takers are the ranks i * ranks / count, rounded down. */
bool wm_roll_takes(int rank, int ranks)
{
    int64_t count = taker_count(ranks), i = (rank * count + ranks - 1) / ranks;

    return i < count && i * ranks / count == rank;
}

bool wm_roll_asks(int from, int to, int ranks)
{
    return from != to && (wm_roll_takes(from, ranks) || wm_roll_takes(to, ranks));
}

/* Groups of ranks that have not answered. */
enum { MISSING = -1, UNREACHED = -2 };

/* The ranks of a job, in groups. */
struct grouping {
    const struct wm_roll *roll;
    int *groups;            /* of each rank: the first rank that agrees with it, or MISSING or UNREACHED */
    int *counts;            /* of a group: its ranks */
    int *firsts, different; /* the groups, and how many */
    int missing, unreached;
};

static void sort_rank(struct grouping *g, int rank)
{
    const struct wm_roll_entry *entries = g->roll->entries;
    int i = 0;

    if (rank == g->roll->accused || !wm_roll_entry_valid(&entries[rank])) {
        bool missing = rank == g->roll->accused || g->roll->reached == NULL || g->roll->reached[rank];

        g->groups[rank] = missing ? MISSING : UNREACHED;
        g->missing += missing;
        g->unreached += !missing;
        return;
    }
    while (i < g->different && !wm_roll_entry_agrees(&entries[g->firsts[i]], &entries[rank]))
        i++;
    if (i == g->different)
        g->firsts[g->different++] = rank;
    g->groups[rank] = g->firsts[i];
    g->counts[g->firsts[i]]++;
}

static int sort_ranks(struct grouping *g, const struct wm_roll *roll)
{
    size_t ranks = (size_t)roll->ranks;
    int *room = calloc(3 * ranks, sizeof *room);

    *g = (struct grouping){.roll = roll, .groups = room};
    if (room == NULL)
        return -WM_ENOMEM;
    g->counts = room + ranks;
    g->firsts = room + 2 * ranks;
    for (int r = 0; r < roll->ranks; r++)
        sort_rank(g, r);
    return 0;
}

static int count_of(const struct grouping *g, int group)
{
    return group == MISSING ? g->missing : group == UNREACHED ? g->unreached : g->counts[group];
}

static const char *host_of(const struct wm_roll *roll, int rank)
{
    if (wm_roll_entry_valid(&roll->entries[rank]))
        return roll->entries[rank].host;
    return roll->host_of != NULL ? roll->host_of(rank) : NULL;
}

/* "rank 3" or "ranks 0-2, 5", then " on a, b" as far as hosts are known. */
static void group_text(const struct grouping *g, int group, char *out, size_t out_bytes)
{
    const char *hosts[HOSTS_SHOWN], *host;
    int host_count = 0, last = -2, runs = 0;
    bool more = false;

    snprintf(out, out_bytes, "rank%s", count_of(g, group) == 1 ? "" : "s");
    for (int r = 0; r < g->roll->ranks; r++) {
        bool next = r + 1 < g->roll->ranks && g->groups[r + 1] == group;
        bool seen = false;

        if (g->groups[r] != group)
            continue;
        if (last != r - 1 && ++runs <= 8)
            wm_text_append(out, out_bytes, "%s %d", runs > 1 ? "," : "", r);
        else if (last == r - 1 && !next && runs <= 8)
            wm_text_append(out, out_bytes, "-%d", r);
        last = r;
        host = host_of(g->roll, r);
        for (int h = 0; host != NULL && h < host_count; h++)
            seen = seen || strcmp(hosts[h], host) == 0;
        if (host != NULL && !seen && host_count < HOSTS_SHOWN)
            hosts[host_count++] = host;
        else if (host != NULL && !seen)
            more = true;
    }
    wm_text_append(out, out_bytes, "%s", runs > 8 ? ", …" : "");
    for (int h = 0; h < host_count; h++)
        wm_text_append(out, out_bytes, h == 0 ? " on %s" : ", %s", hosts[h]);
    wm_text_append(out, out_bytes, "%s", more ? ", …" : "");
}

static int judge_missing(const struct grouping *g, struct wm_error *error)
{
    char missing[LIST_BYTES], unreached[LIST_BYTES], more[LIST_BYTES + 64] = "";

    group_text(g, MISSING, missing, sizeof missing);
    group_text(g, UNREACHED, unreached, sizeof unreached);
    if (g->unreached > 0)
        snprintf(more, sizeof more, "; of %s nothing is known yet", unreached);
    return wm_error_set(
        error, -WM_EMPI,
        "Waymark is known to be loaded in %d of the job's %d ranks, but nothing was heard in %.3g s from %s, which "
        "messages reach: start every rank by 'waymark run', or hand LD_PRELOAD on with 'mpirun -x LD_PRELOAD'; if they "
        "are only late, raise WAYMARK_START_DEADLINE%s",
        g->roll->ranks - g->missing - g->unreached, g->roll->ranks, g->roll->seconds, missing, more);
}

static const char of_subranks[] = " for ";

/* They differ in their subranks alone. */
static bool is_one_version(const struct grouping *g)
{
    const struct wm_roll_entry *entries = g->roll->entries, *first = &entries[g->firsts[0]];
    const char *end = strstr(first->version, of_subranks);
    size_t length = end != NULL ? (size_t)(end - first->version) : strlen(first->version);

    for (int i = 1; i < g->different; i++) {
        const struct wm_roll_entry *other = &entries[g->firsts[i]];

        if (other->build != first->build || strncmp(other->version, first->version, length) != 0 ||
            (other->version[length] != '\0' && strncmp(other->version + length, of_subranks, strlen(of_subranks)) != 0))
            return false;
    }
    return true;
}

/* The version that most ranks have is named last: the others are to be mended. */
static int judge_versions(const struct grouping *g, int most, struct wm_error *error)
{
    char list[LIST_BYTES], text[WM_ERROR_TEXT_CHARS / 2] = "";
    const struct wm_roll_entry *entries = g->roll->entries;
    const char *right = entries[most].version;

    for (int i = 0, shown = 0; i < g->different && shown < GROUPS_SHOWN; i++) {
        const char *version = entries[g->firsts[i]].version;

        if (g->firsts[i] == most)
            continue;
        group_text(g, g->firsts[i], list, sizeof list);
        wm_text_append(text, sizeof text, "%s%s%s in %s", shown++ > 0 ? ", " : "",
                       strcmp(version, right) == 0 ? "another build of " : "", version, list);
    }
    group_text(g, most, list, sizeof list);
    if (is_one_version(g))
        return wm_error_set(
            error, -WM_EMPI,
            "the ranks do not agree on subranks: %s%s, but %s in %s; let every host read the map, or give "
            "--subranks",
            text, g->different > GROUPS_SHOWN + 1 ? ", …" : "", right, list);
    return wm_error_set(error, -WM_EMPI,
                        "the ranks have loaded different versions of Waymark: %s%s, but %s in %s; install the same one "
                        "on every host, and see that LD_PRELOAD and LD_LIBRARY_PATH name it there",
                        text, g->different > GROUPS_SHOWN + 1 ? ", …" : "", right, list);
}

static int judge(const struct grouping *g, struct wm_error *error)
{
    int most = g->firsts[0];

    if (g->missing > 0)
        return judge_missing(g, error);
    for (int i = 1; i < g->different; i++)
        if (g->counts[g->firsts[i]] > g->counts[most])
            most = g->firsts[i];
    return g->different == 1 ? 0 : judge_versions(g, most, error);
}

int wm_roll_judge(const struct wm_roll *roll, struct wm_error *error)
{
    struct grouping g;
    int rc = sort_ranks(&g, roll);

    rc = rc < 0 ? wm_error_set(error, rc, "%s", wm_error_sentence(rc)) : judge(&g, error);
    free(g.groups);
    return rc;
}

void wm_roll_unreached(const struct wm_roll *roll, char *out, size_t out_bytes)
{
    struct grouping g;

    snprintf(out, out_bytes, "ranks");
    if (sort_ranks(&g, roll) == 0)
        group_text(&g, UNREACHED, out, out_bytes);
    free(g.groups);
}
