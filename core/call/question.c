/* Questions: asked at rank 0, broadcast by two flights, the first of a fixed size. */
#include "core/call/question.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/answers.h"
#include "core/call/ask.h"
#include "core/call/broadcast.h"
#include "core/call/kin.h"
#include "core/data/allocate.h"

enum { HEAD_BYTES = 4096 };

struct wm_question {
    struct wm_comm *comm;
    struct wm_facts facts;
    uint32_t number;
    pthread_t thread; /* rank 0 */
    bool threaded;
    _Atomic bool answered;
    uint64_t cost_ns;
    struct wm_error error;
    char *text; /* of `length` characters, and a NUL */
    struct {
        int length; /* -1: no answer */
        char text[HEAD_BYTES - sizeof(int)];
    } head;
    struct wm_flight *flight;
    struct wm_plan *rest_plan; /* NULL: the head is under way */
};

static void *answer_question(void *argument)
{
    struct wm_question *q = argument;

    q->text = wm_ask_server(q->comm, &q->facts, &q->cost_ns, &q->error);
    atomic_store_explicit(&q->answered, true, memory_order_release);
    return NULL;
}

/* The thread takes no signals: they are the program's. */
static bool ask_aside(struct wm_question *q)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    q->threaded = pthread_create(&q->thread, NULL, answer_question, q) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return q->threaded;
}

static void start(struct wm_question *q, const struct wm_plan *plan, void *data, uint32_t number)
{
    static const struct wm_call call = {.operation = WM_BCAST};
    struct wm_binding binding = {.receive = data,
                                 .geometry = wm_geometry_bytes(),
                                 .unit_bytes = 1,
                                 .call = &call,
                                 .sequence = q->comm->sequence,
                                 .number = number % WM_ORDINARY_FLIGHTS};

    q->flight = wm_engine_start(q->comm->end->engine, plan, &binding);
}

static void start_head(struct wm_question *q)
{
    struct wm_comm *c = q->comm;

    wm_process_lock(&c->kin->lock);
    if (c->kin->head_plan == NULL)
        c->kin->head_plan = wm_broadcast_plan(c, 0, sizeof q->head);
    wm_process_unlock(&c->kin->lock);
    start(q, c->kin->head_plan, &q->head, q->number);
}

static void record_question(const struct wm_comm *c, const struct wm_facts *facts, uint64_t cost_ns)
{
    if (wm_process.recordings != NULL && wm_recorder_wants(wm_process_ring(), WM_TRACE_QUESTION))
        wm_record(wm_process_ring(), WM_TRACE_QUESTION, (uint8_t)facts->operation, 0, c->id, -1, c->sequence, cost_ns);
}

/* Every rank waits for the answer, and would seem to compute meanwhile. */
static void record_waiting(const struct wm_question *q, bool waits)
{
    const struct wm_comm *c = q->comm;

    if (q->facts.operation < WM_OPERATION_COUNT && wm_process.recordings != NULL &&
        wm_recorder_wants(wm_process_ring(), WM_TRACE_ASK))
        wm_record(wm_process_ring(), WM_TRACE_ASK, (uint8_t)q->facts.operation, 0, c->id, -1, c->sequence, waits);
}

/* An error that is to end the job ends it here, before anybody hears of an answer. */
static void fill_head(struct wm_question *q)
{
    if (q->threaded)
        pthread_join(q->thread, NULL);
    record_question(q->comm, &q->facts, q->cost_ns);
    if (q->text == NULL)
        wm_process_unanswered(&q->error);
    q->head.length = q->text != NULL ? (int)strlen(q->text) : -1;
    snprintf(q->head.text, sizeof q->head.text, "%s", q->text != NULL ? q->text : "");
}

/* The head is there: the rest, if there is one, is under way. */
static void start_rest(struct wm_question *q)
{
    size_t known = sizeof q->head.text - 1, length = q->head.length > 0 ? (size_t)q->head.length : 0;

    if (q->head.length >= 0 && q->comm->rank > 0)
        q->text = wm_allocate_zeroed(length + 1, "a path");
    if (q->comm->rank > 0 && length > 0)
        memcpy(q->text, q->head.text, length < known ? length : known);
    if (length <= known)
        return;
    q->rest_plan = wm_broadcast_plan(q->comm, 0, length - known);
    start(q, q->rest_plan, q->text + known, q->number + 1);
}

struct wm_question *wm_question_begin(struct wm_comm *c, const struct wm_facts *facts, uint32_t number, bool aside)
{
    struct wm_question *q = wm_allocate_zeroed(sizeof *q, "a question to the map");

    q->comm = c;
    q->facts = *facts;
    q->number = number;
    record_waiting(q, true);
    if (c->rank > 0)
        start_head(q);
    else if ((q->text = wm_answers_find(c, facts)) != NULL)
        atomic_store_explicit(&q->answered, true, memory_order_relaxed);
    else if (!aside || !ask_aside(q))
        answer_question(q);
    return q;
}

static void end_flight(struct wm_question *q)
{
    int rc = wm_engine_give(q->comm->end->engine, q->flight);

    q->flight = NULL;
    if (rc != MPI_SUCCESS)
        WM_BUG("the answer of the map's server did not come");
}

static struct wm_path *finish_question(struct wm_question *q)
{
    struct wm_path *path = wm_ask_parse(q->comm, q->text, &q->facts);

    record_waiting(q, false);
    wm_plan_free(q->rest_plan);
    free(q->text);
    free(q);
    return path;
}

struct wm_path *wm_question_look(struct wm_question *q)
{
    if (q->flight == NULL) { /* rank 0: the server thinks */
        if (!atomic_load_explicit(&q->answered, memory_order_acquire))
            return NULL;
        fill_head(q);
        start_head(q);
    }
    if (!wm_flight_over(q->flight))
        return NULL;
    end_flight(q);
    if (q->rest_plan == NULL)
        start_rest(q);
    if (q->flight != NULL) {
        if (!wm_flight_over(q->flight))
            return NULL;
        end_flight(q);
    }
    return finish_question(q);
}
