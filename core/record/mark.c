/* Marks: names that the program gives to places in itself, and their records. */
#include <stdlib.h>
#include <string.h>
#include "core/process/utf8.h"
#include "core/record/control.h"
#include "waymark/runtime.h"

enum { NAME_BYTES = 128, NAMES_MAX = 4096, BUCKETS = 1024, RECENT = 64 };

/* It lasts as long as the process. */
struct mark {
    struct mark *next;
    int id;
    char name[NAME_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mark *table[BUCKETS];
static int count;

struct recent {
    const char *name; /* the program's */
    const struct mark *mark;
};

static _Thread_local struct recent recent[RECENT] __attribute__((tls_model("initial-exec")));

static unsigned hash_of(const char *name)
{
    unsigned hash = 0;

    while (*name != '\0')
        hash = hash * 31 + (unsigned char)*name++;
    return hash % BUCKETS;
}

/* It is defined before anybody can find it. Hold the lock. NULL: no memory. */
static struct mark *add(const char *name)
{
    struct mark *mark = malloc(sizeof *mark), **place = &table[hash_of(name)];

    if (mark == NULL)
        return NULL;
    mark->id = ++count;
    strcpy(mark->name, name);
    for (int i = 0; i < wm_process_recording_count(); i++)
        wm_recording_define(&wm_process.recordings[i],
                            json_pack("{ss, si, ss}", "define", "mark", "id", mark->id, "name", name));
    mark->next = *place;
    *place = mark;
    return mark;
}

static struct mark *look_up(const char *name)
{
    struct mark *mark = table[hash_of(name)];

    while (mark != NULL && strcmp(mark->name, name) != 0)
        mark = mark->next;
    return mark;
}

static const struct mark *find(const char *name)
{
    static const char others[] = "(other marks)";
    char copy[NAME_BYTES];
    struct mark *mark;

    wm_utf8_copy(copy, NAME_BYTES, name);
    pthread_mutex_lock(&lock);
    if ((mark = look_up(copy)) == NULL && count >= NAMES_MAX - 1)
        mark = look_up(strcpy(copy, others));
    if (mark == NULL)
        mark = add(copy);
    pthread_mutex_unlock(&lock);
    return mark;
}

static bool is_wanted(void)
{
    return atomic_load_explicit(&wm_process.awake, memory_order_acquire) && wm_process.recordings != NULL &&
           wm_control_wants(WM_TRACE_MARK);
}

/* A buffer may hold another name than the last time. */
int wm_mark(const char *name)
{
    struct recent *place = &recent[((uintptr_t)name >> 2) % RECENT];

    if (name == NULL || name[0] == '\0' || !is_wanted())
        return 0;
    if (place->name != name || strcmp(place->mark->name, name) != 0) {
        const struct mark *mark = find(name);

        if (mark == NULL)
            return 0;
        *place = (struct recent){name, mark};
    }
    wm_record(wm_process_ring(), WM_TRACE_MARK, 0, 0, 0, -1, 0, (uint64_t)place->mark->id);
    return place->mark->id;
}
