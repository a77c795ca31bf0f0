/* Questions: asked at rank 0, answered by a letter. */
#include "core/call/question.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "core/call/answers.h"
#include "core/call/ask.h"
#include "core/call/letter.h"
#include "core/data/allocate.h"

struct wm_question {
    struct wm_comm *comm;
    struct wm_facts facts;
    pthread_t thread; /* rank 0 */
    bool threaded;
    _Atomic bool answered;
    uint64_t cost_ns;
    struct wm_error error;
    char *text; /* rank 0: the answer, until it is posted; NULL: there is none */
    struct wm_letter letter;
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
static void post(struct wm_question *q)
{
    if (q->threaded)
        pthread_join(q->thread, NULL);
    record_question(q->comm, &q->facts, q->cost_ns);
    if (q->text == NULL)
        wm_process_unanswered(&q->error);
    wm_letter_post(&q->letter, q->text);
}

struct wm_question *wm_question_begin(struct wm_comm *c, const struct wm_facts *facts, uint32_t number, bool aside,
                                      uint64_t print)
{
    struct wm_question *q = wm_allocate_zeroed(sizeof *q, "a question to the map");

    q->comm = c;
    q->facts = *facts;
    q->letter.print = print;
    record_waiting(q, true);
    wm_letter_begin(&q->letter, c, number);
    if (c->rank > 0)
        return q;
    if ((q->text = wm_answers_find(c, facts)) != NULL)
        atomic_store_explicit(&q->answered, true, memory_order_relaxed);
    else if (!aside || !ask_aside(q))
        answer_question(q);
    return q;
}

struct wm_path *wm_question_look(struct wm_question *q)
{
    struct wm_path *path;

    if (!wm_letter_is_posted(&q->letter)) { /* rank 0: the server thinks */
        if (!atomic_load_explicit(&q->answered, memory_order_acquire))
            return NULL;
        post(q);
    }
    if (!wm_letter_look(&q->letter))
        return NULL;
    path = wm_ask_parse(q->comm, q->letter.text, &q->facts);
    record_waiting(q, false);
    wm_letter_release(&q->letter);
    free(q);
    return path;
}

void wm_question_drop(struct wm_question *q)
{
    if (!wm_letter_is_posted(&q->letter)) {
        if (q->threaded)
            pthread_join(q->thread, NULL);
        free(q->text);
    }
    wm_letter_drop(&q->letter);
    free(q);
}
