/* Answers that were had. */
#include "core/call/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/kin.h"
#include "core/hash.h"

enum { ANSWERS = 256 };

/* All bytes are set: keys are compared by them. */
struct key {
    const struct wm_map_source *map;
    uint64_t grid;
    struct wm_facts facts;
};

static struct {
    struct key key;
    char *text; /* NULL: the place is free */
} answers[ANSWERS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define COPY_OPERATION(field) key->facts.field = facts->field;
#define COPY_SIZE COPY_OPERATION
#define COPY_COUNT COPY_OPERATION
#define COPY_RANK COPY_OPERATION
#define COPY_TRUTH COPY_OPERATION
#define COPY_TEXT(field) snprintf(key->facts.field, sizeof key->facts.field, "%s", facts->field);

static void make_key(struct key *key, const struct wm_comm *c, const struct wm_facts *facts)
{
    memset(key, 0, sizeof *key);
    key->map = c->map;
    key->grid = wm_grid_hash(&c->kin->ground->grid);
#define X(field, type, ...) COPY_##type(field)
    WM_FACTS(X)
#undef X
}

static unsigned place_of(const struct key *key)
{
    const struct wm_facts *f = &key->facts;
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, key->grid);

    hash = wm_hash_add(hash, (uint64_t)f->operation);
    hash = wm_hash_add(hash, f->bytes);
    hash = wm_hash_add(hash, (uint64_t)f->root);
    return (unsigned)(wm_hash_add_text(hash, f->communicator) % ANSWERS);
}

char *wm_answers_find(const struct wm_comm *c, const struct wm_facts *facts)
{
    char *text = NULL;
    struct key key;
    unsigned place;

    make_key(&key, c, facts);
    place = place_of(&key);
    pthread_mutex_lock(&lock);
    if (answers[place].text != NULL && memcmp(&answers[place].key, &key, sizeof key) == 0)
        text = strdup(answers[place].text);
    pthread_mutex_unlock(&lock);
    return text;
}

void wm_answers_keep(const struct wm_comm *c, const struct wm_facts *facts, const char *text)
{
    struct key key;
    unsigned place;

    make_key(&key, c, facts);
    place = place_of(&key);
    pthread_mutex_lock(&lock);
    free(answers[place].text);
    answers[place].key = key;
    answers[place].text = strdup(text);
    pthread_mutex_unlock(&lock);
}

void wm_answers_clear(void)
{
    for (int i = 0; i < ANSWERS; i++) {
        free(answers[i].text);
        answers[i].text = NULL;
    }
}
