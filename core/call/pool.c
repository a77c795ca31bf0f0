/* The pool of records whose communicators are gone. */
#include "core/call/pool.h"

#include <stdlib.h>
#include <string.h>
#include "core/node/memory.h"

enum { RECORDS = 8 };

/* The latest first; under the communicators' lock. */
static struct wm_comm *pool;

/* What joining makes, paths and plans. */
/* clang-format off */
#define MADE(X)                                                                                   \
    X(world) X(places) X(number) X(numbers) X(token) X(grid) X(nodes) X(uniform) X(consecutive)   \
    X(node) X(engine) X(clock) X(paths) X(path_count) X(plans) X(flights) X(head_plan)
/* clang-format on */

static bool has_failed_path(const struct wm_comm *c)
{
    for (int i = 0; i < c->path_count; i++)
        if (c->paths[i]->failed)
            return true;
    return false;
}

/* Plans of neighborhoods are for one topology. Where memory is short, communicators that live need it more. */
static bool is_fit(const struct wm_comm *c)
{
    return c->joined == WM_JOINED && !c->native_only && c->name != 0 && c->neighbours == NULL && !c->serverless &&
           c->dropped_count == 0 && !has_failed_path(c) && wm_engine_is_sound(c->engine) && wm_memory_is_roomy() &&
           !wm_process_watches();
}

/* Take the record out that the link leads to. */
static struct wm_comm *take(struct wm_comm **link)
{
    struct wm_comm *c = *link;

    *link = c->next;
    c->next = NULL;
    return c;
}

struct wm_comm *wm_pool_keep(struct wm_comm *gone)
{
    struct wm_comm **link = &pool, *oldest = NULL;
    int count = 1;

    if (!is_fit(gone))
        return gone;
    pthread_mutex_lock(&wm_process.comms_lock);
    gone->next = pool;
    pool = gone;
    while ((*link)->next != NULL) {
        link = &(*link)->next;
        count++;
    }
    if (count > RECORDS)
        oldest = take(link);
    pthread_mutex_unlock(&wm_process.comms_lock);
    return oldest;
}

static bool suits(const struct wm_comm *gone, const struct wm_comm *c)
{
    return gone->map == c->map && gone->name == c->name && gone->ranks == c->ranks && gone->rank == c->rank &&
           memcmp(gone->world, c->world, sizeof *c->world * (size_t)c->ranks) == 0;
}

struct wm_comm *wm_pool_take(const struct wm_comm *c)
{
    struct wm_comm **link = &pool, *found = NULL;

    pthread_mutex_lock(&wm_process.comms_lock);
    while (*link != NULL && !suits(*link, c))
        link = &(*link)->next;
    if (*link != NULL)
        found = take(link);
    pthread_mutex_unlock(&wm_process.comms_lock);
    return found;
}

/* As the oldest: it is not what the others have. */
void wm_pool_put_back(struct wm_comm *gone)
{
    struct wm_comm **link = &pool;

    pthread_mutex_lock(&wm_process.comms_lock);
    while (*link != NULL)
        link = &(*link)->next;
    *link = gone;
    pthread_mutex_unlock(&wm_process.comms_lock);
}

/* Afterwards `gone` has what `c` had. */
static void exchange(struct wm_comm *c, struct wm_comm *gone)
{
#define X(field)                                                                                                       \
    {                                                                                                                  \
        char old[sizeof c->field];                                                                                     \
                                                                                                                       \
        memcpy(old, &c->field, sizeof old);                                                                            \
        memcpy(&c->field, &gone->field, sizeof old);                                                                   \
        memcpy(&gone->field, old, sizeof old);                                                                         \
    }
    MADE(X)
#undef X
}

void wm_pool_adopt(struct wm_comm *c, struct wm_comm *gone)
{
    exchange(c, gone);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        c->planned_calls[op] += gone->planned_calls[op];
        c->native_calls[op] += gone->native_calls[op];
    }
    wm_comm_free(gone);
}

struct wm_comm *wm_pool_empty(void)
{
    struct wm_comm *any = NULL;

    pthread_mutex_lock(&wm_process.comms_lock);
    if (pool != NULL)
        any = take(&pool);
    pthread_mutex_unlock(&wm_process.comms_lock);
    return any;
}
