/* Roll call: a rank that has waited too long asks others who they are, and sees whom its questions reach. */
#include "core/job/roll_call.h"

#include <stdlib.h>

enum { ENTRY_BYTES = sizeof(struct wm_roll_entry) };

static struct wm_roll_entry entry_of_kind(const struct wm_roll_entry *own, enum wm_roll_kind kind)
{
    struct wm_roll_entry entry = *own;

    entry.kind = (uint8_t)kind;
    return entry;
}

void wm_roll_call_init(struct wm_roll_call *c, int rank, int ranks, int tag, const struct wm_roll_entry *own)
{
    *c = (struct wm_roll_call){.rank = rank, .ranks = ranks, .tag = tag, .accused = -1};
    c->answer = entry_of_kind(own, WM_ROLL_ANSWER);
    c->question = entry_of_kind(own, WM_ROLL_QUESTION);
    c->verdict = entry_of_kind(own, WM_ROLL_VERDICT);
}

static void release(struct wm_roll_call *c)
{
    free(c->entries);
    free(c->reached);
    free(c->questions);
    free(c->arrived);
    c->entries = NULL;
    c->reached = NULL;
    c->questions = NULL;
    c->arrived = NULL;
}

int wm_roll_call_begin(struct wm_roll_call *c)
{
    size_t ranks = (size_t)c->ranks;

    c->entries = calloc(ranks, sizeof *c->entries);
    c->reached = calloc(ranks, sizeof *c->reached);
    c->questions = malloc(ranks * sizeof *c->questions);
    c->arrived = malloc(ranks * sizeof *c->arrived);
    if (c->entries == NULL || c->reached == NULL || c->questions == NULL || c->arrived == NULL) {
        release(c);
        return -WM_ENOMEM;
    }
    c->entries[c->rank] = c->answer;
    for (int r = 0; r < c->ranks; r++) {
        c->questions[r] = MPI_REQUEST_NULL;
        if (wm_roll_asks(c->rank, r, c->ranks)) {
            PMPI_Isend(&c->question, ENTRY_BYTES, MPI_BYTE, r, c->tag, MPI_COMM_WORLD, &c->questions[r]);
            c->asked++;
        }
    }
    return 0;
}

/* Nobody waits for its end: who asks goes on only when it has all answers. */
static void send_to(const struct wm_roll_call *c, int rank, const struct wm_roll_entry *entry)
{
    MPI_Request request;

    PMPI_Isend(entry, ENTRY_BYTES, MPI_BYTE, rank, c->tag, MPI_COMM_WORLD, &request);
    PMPI_Request_free(&request);
}

/* Returns whether one has arrived. */
static bool progress_questions(struct wm_roll_call *c)
{
    int count;

    PMPI_Testsome(c->ranks, c->questions, &count, c->arrived, MPI_STATUSES_IGNORE);
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        c->reached[c->arrived[i]] = true;
    return count != MPI_UNDEFINED && count > 0;
}

static void take(struct wm_roll_call *c, int source, const struct wm_roll_entry *entry)
{
    if (entry->kind == WM_ROLL_VERDICT) {
        if (entry->accused >= 0 && entry->accused < c->ranks)
            c->accused = entry->accused;
        return;
    }
    if (c->entries != NULL)
        c->entries[source] = *entry;
    if (entry->kind == WM_ROLL_ANSWER) {
        c->answered++;
    } else {
        c->was_asked = true;
        send_to(c, source, &c->answer);
    }
}

bool wm_roll_call_progress(struct wm_roll_call *c)
{
    bool alive = c->entries != NULL && progress_questions(c);
    struct wm_roll_entry entry;
    MPI_Status status;
    int here;

    for (;;) {
        PMPI_Iprobe(MPI_ANY_SOURCE, c->tag, MPI_COMM_WORLD, &here, &status);
        if (!here)
            return alive;
        PMPI_Recv(&entry, ENTRY_BYTES, MPI_BYTE, status.MPI_SOURCE, c->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        take(c, status.MPI_SOURCE, &entry);
        alive = alive || entry.kind != WM_ROLL_VERDICT;
    }
}

bool wm_roll_call_complete(const struct wm_roll_call *c)
{
    return c->answered == c->asked;
}

int wm_roll_call_missing(const struct wm_roll_call *c)
{
    for (int r = 0; c->entries != NULL && r < c->ranks; r++)
        if (c->reached[r] && !wm_roll_entry_valid(&c->entries[r]))
            return r;
    return -1;
}

int wm_roll_call_first(const struct wm_roll_call *c)
{
    for (int r = 0; r < c->ranks; r++)
        if (wm_roll_takes(r, c->ranks) && r != c->accused &&
            (c->entries == NULL || wm_roll_entry_valid(&c->entries[r])))
            return r;
    return -1;
}

void wm_roll_call_give_up(struct wm_roll_call *c, int accused)
{
    c->accused = accused;
    c->verdict.accused = accused;
    for (int r = 0; r < c->ranks; r++)
        if (wm_roll_asks(c->rank, r, c->ranks))
            send_to(c, r, &c->verdict);
}

bool wm_roll_call_leave(struct wm_roll_call *c)
{
    bool left = c->accused < 0;

    for (int r = 0; c->questions != NULL && r < c->ranks; r++) {
        int over = 1;

        if (c->questions[r] != MPI_REQUEST_NULL)
            PMPI_Test(&c->questions[r], &over, MPI_STATUS_IGNORE);
        if (!over)
            PMPI_Request_free(&c->questions[r]);
        left = left && over;
    }
    release(c);
    return left;
}
