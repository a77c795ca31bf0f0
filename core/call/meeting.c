/* Meetings: a letter, and another map. */
#include "core/call/meeting.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "core/call/kin.h"
#include "core/call/letter.h"
#include "core/call/trial.h"
#include "core/data/allocate.h"
#include "core/process/epochs.h"

void wm_meeting_prepare(struct wm_comm *c)
{
    if (!wm_epochs_on() || c->map != &wm_process.map)
        return;
    c->tuning = wm_allocate_zeroed(sizeof *c->tuning, "a communicator");
    c->tuning->next = c->tuning->settled_until = 1;
}

void wm_meeting_forget(struct wm_comm *c)
{
    free(c->tuning);
    c->tuning = NULL;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Rank 0: after how many calls to meet again: for the interval by the rate so far, but at most twice as many as the
 * last time. */
static uint64_t choose_gap(struct wm_tuning *t, uint64_t turn)
{
    uint64_t now = now_ns(), most = t->gap > 0 ? 2 * t->gap : 1;
    double rate, gap;

    rate = (double)(turn - t->met_calls) / ((double)(now - t->met_ns) * 1e-9 + 1e-9);
    gap = rate * wm_process.settings.retune_s;
    t->met_calls = turn;
    t->met_ns = now;
    return gap >= (double)most ? most : gap < 1 ? 1 : (uint64_t)gap;
}

/* Rank 0: what is to hold from this call on. */
static char *write_letter(struct wm_comm *c, uint64_t turn)
{
    struct wm_tuning *t = c->tuning;
    struct wm_epoch epoch;
    json_t *letter;
    char *text;

    wm_epochs_look();
    epoch = wm_epochs_newest();
    letter = json_pack("{sI}", "gap", (json_int_t)choose_gap(t, turn));
    if (epoch.number != t->epoch)
        json_object_set_new(letter, "epoch", wm_epochs_tell(&epoch));
    if ((text = json_dumps(letter, JSON_COMPACT)) == NULL)
        wm_out_of_memory("a communicator");
    json_decref(letter);
    return text;
}

static void begin(struct wm_comm *c, uint64_t turn)
{
    struct wm_letter *letter = wm_allocate_zeroed(sizeof *letter, "a communicator");

    c->tuning->letter = letter;
    wm_letter_begin(letter, c, c->flights);
    c->flights += 2;
    if (c->rank == 0)
        wm_letter_post(letter, write_letter(c, turn));
}

/* A trial ends, maps change, and another trial begins. */
static void change(struct wm_comm *c, const struct wm_epoch *epoch)
{
    if (c->trial != NULL)
        wm_trial_end(c, epoch->map == c->trial->other.map);
    if (c->map != epoch->map)
        wm_comm_change_map(c, epoch->map);
    if (epoch->tried != NULL)
        wm_trial_begin(c, epoch->tried, &epoch->scope);
    c->tuning->epoch = epoch->number;
}

static void say_change(const struct wm_comm *c, uint64_t turn)
{
    char name[MPI_MAX_OBJECT_NAME];

    if (wm_process.settings.verbose == 0 || c->rank > 0)
        return;
    wm_comm_name(c, name);
    fprintf(stderr, "waymark: epoch %u: the map '%s' holds from call %llu on '%s' on", c->tuning->epoch, c->map->file,
            (unsigned long long)turn, name);
    if (c->trial != NULL)
        fprintf(stderr, ", and '%s' is tried", c->trial->other.map->file);
    fputc('\n', stderr);
}

static void read_letter(struct wm_comm *c, uint64_t turn, uint32_t sequence, const char *text)
{
    struct wm_tuning *t = c->tuning;
    json_t *letter = json_loads(text, 0, NULL);
    const json_t *told = json_object_get(letter, "epoch");
    struct wm_epoch epoch;

    t->gap = (uint64_t)json_integer_value(json_object_get(letter, "gap"));
    t->next = turn + t->gap;
    if (told != NULL) {
        epoch = wm_epochs_hear(told);
        change(c, &epoch);
        wm_epochs_record(&epoch, c->id, sequence, c->rank == 0);
        say_change(c, turn);
    }
    json_decref(letter);
}

bool wm_meeting_over(struct wm_comm *c, uint64_t turn, uint32_t sequence)
{
    struct wm_tuning *t = c->tuning;

    if (t == NULL || turn < t->next)
        return true;
    if (t->letter == NULL)
        begin(c, turn);
    if (!wm_letter_look(t->letter))
        return false;
    read_letter(c, turn, sequence, t->letter->text);
    wm_letter_release(t->letter);
    free(t->letter);
    t->letter = NULL;
    return true;
}
