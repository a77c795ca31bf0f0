/* The answers of a biconveyor: queries that arrived become replies, written where they are sent from. */
#include "core/convey/biconvey_state.h"

/* The tags of `count` items that were written to an outlet in place. */
static void tag_items(struct wm_convey_outlet *out, uint32_t way, size_t tag_bytes, size_t count)
{
    for (size_t i = 0; i < count && tag_bytes > 0; i++) {
        uint16_t wide = (uint16_t)way;
        char narrow = (char)way;

        memcpy(out->tag, tag_bytes == 1 ? (void *)&narrow : (void *)&wide, tag_bytes);
        out->tag += tag_bytes;
    }
}

/* Answer into the open buffer of the outlet towards the asking rank, as an inlined push would write there. */
static void answer_in_place(struct wm_biconveyor *b)
{
    struct conveyor *replies = b->replies;
    struct wm_biconvey_work *work = &b->work;
    size_t before = work->left, query_stride = b->head.queries->stride, stride = replies->stride;
    struct wm_convey_outlet *out;
    char *at, *limit;

    if ((uint64_t)work->from >= replies->reach)
        return;
    out = &replies->outlets[replies->ways[work->from] >> 16];
    for (at = out->at, limit = out->limit; work->left > 0 && at != limit; work->left--, at += stride) {
        b->answer(work->query, at, b->context);
        work->query += query_stride;
    }
    out->at = at;
    tag_items(out, replies->ways[work->from], replies->tag_bytes, before - work->left);
}

/* Answer aside, and let the conveyor make room. Returns as convey_push. */
static int answer_aside(struct wm_biconveyor *b)
{
    struct wm_biconvey_work *work = &b->work;
    int rc;

    if (!work->held) {
        b->answer(work->query, work->reply, b->context);
        work->query += b->head.queries->stride;
        work->left--;
        work->held = true;
    }
    if ((rc = convey_push(b->replies, work->reply, work->from)) == convey_OK)
        work->held = false;
    return rc;
}

/* More queries of one rank. Returns how many, or a negative code. */
static int64_t take_queries(struct wm_biconveyor *b)
{
    const void *items = NULL;
    int64_t count;

    if (b->head.queries->tag_bytes == 0)
        count = convey_pull_span(b->head.queries, &items, &b->work.from);
    else
        count = (items = convey_apull(b->head.queries, &b->work.from)) != NULL;
    b->work.query = items;
    b->work.left = count > 0 ? (size_t)count : 0;
    return count;
}

int wm_biconvey_answer_all(struct wm_biconveyor *b)
{
    int rc = convey_OK;

    while (rc == convey_OK) {
        int64_t count = wm_biconvey_owes(b) ? 1 : b->queries_over ? 0 : take_queries(b);

        if (count <= 0)
            return (int)count;
        if (!b->work.held)
            answer_in_place(b);
        if (wm_biconvey_owes(b))
            rc = answer_aside(b);
    }
    return rc;
}
