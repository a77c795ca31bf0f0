/* Changes: pages looked at, compared with what was told, and told. */
#include "tools/doctor/changes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tools/doctor/process.h"

/* Of ranks that move, or compute, so many contents are told in a round, or fewer: until so many pieces have been. */
enum { IN_TURN = 8, PIECES_IN_TURN = 256 };

/* Of a rank that stays where it is the system is asked what its process does in one round of so many: it takes its
 * time.
 */
enum { ASKED_EVERY = 8 };

static uint64_t doing_of(const struct wm_page *page)
{
    return __atomic_load_n(&page->now.doing, __ATOMIC_ACQUIRE);
}

bool wm_changes_init(struct wm_changes *c, struct wm_page **pages, int count)
{
    size_t all = (size_t)count * sizeof *c->told;

    *c = (struct wm_changes){.pages = pages, .count = count};
    c->told = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->doing = calloc((size_t)count, sizeof *c->doing);
    c->rounds = calloc((size_t)count, sizeof *c->rounds);
    c->processes = calloc((size_t)count, sizeof *c->processes);
    c->look = aligned_alloc(WM_PAGE_ALIGNMENT, sizeof *c->look);
    c->frame = malloc(WM_NEWS_PAYLOAD_BYTES);
    return c->told != MAP_FAILED && c->doing != NULL && c->rounds != NULL && c->processes != NULL && c->look != NULL &&
           c->frame != NULL;
}

/* What was told is zeros again. */
void wm_changes_forget(struct wm_changes *c)
{
    for (int i = 0; i < c->count; i++) {
        c->doing[i] = doing_of(c->pages[i]);
        c->rounds[i] = 0;
    }
    madvise(c->told, (size_t)c->count * sizeof *c->told, MADV_DONTNEED);
}

void wm_changes_release(struct wm_changes *c)
{
    if (c->told != NULL && c->told != MAP_FAILED)
        munmap(c->told, (size_t)c->count * sizeof *c->told);
    free(c->doing);
    free(c->rounds);
    free(c->processes);
    free(c->look);
    free(c->frame);
    *c = (struct wm_changes){0};
}

/* --- Frames --- */

static void send_frame(struct wm_changes *c, struct wm_tree *tree)
{
    if (c->bytes > 0)
        wm_tree_tell_up(tree, WM_NEWS_PAGES, c->frame, c->bytes);
    c->bytes = 0;
}

static bool has_room(const struct wm_changes *c, size_t bytes)
{
    return c->bytes + bytes <= WM_NEWS_PAYLOAD_BYTES;
}

static void *add(struct wm_changes *c, const void *data, size_t bytes)
{
    void *at = c->frame + c->bytes;

    memcpy(at, data, bytes);
    c->bytes += bytes;
    return at;
}

/* A change is begun where it can be told; what does not fit goes into another one. */
static uint8_t *begin(struct wm_changes *c, struct wm_tree *tree, const struct wm_page_change *change)
{
    if (!has_room(c, sizeof *change + sizeof(struct wm_page_piece)))
        send_frame(c, tree);
    return add(c, change, sizeof *change);
}

static void tell_pieces(struct wm_changes *c, struct wm_tree *tree, int i, struct wm_page_change change)
{
    const uint8_t *now = (const uint8_t *)c->look;
    uint8_t *told = (uint8_t *)&c->told[i], *at = begin(c, tree, &change);
    struct wm_page_piece piece;
    bool again = c->told[i].magic[0] != '\0';

    for (size_t p = 0, from = 0; p < WM_PIECES; p++, from += WM_PIECE_BYTES) {
        if (!c->differs[from / WM_PART_BYTES] || memcmp(now + from, told + from, WM_PIECE_BYTES) == 0)
            continue;
        if (!has_room(c, sizeof piece)) {
            change.more = 1;
            memcpy(at, &change, sizeof change);
            change.more = change.pieces = 0;
            at = begin(c, tree, &change);
        }
        piece.index = (uint32_t)p;
        memcpy(piece.bytes, now + from, WM_PIECE_BYTES);
        memcpy(told + from, now + from, WM_PIECE_BYTES);
        add(c, &piece, sizeof piece);
        change.pieces++;
        c->pieces += again;
    }
    memcpy(at, &change, sizeof change);
}

/* --- Looks --- */

/* False: its rank has moved meanwhile. */
static bool look_at(struct wm_changes *c, int i, uint64_t doing)
{
    const struct wm_page *page = c->pages[i];
    const uint8_t *now = (const uint8_t *)page, *told = (const uint8_t *)&c->told[i];
    uint64_t next = __atomic_load_n(&page->ring_next, __ATOMIC_ACQUIRE);

    for (size_t part = 0, from = 0; part < WM_PARTS; part++, from += WM_PART_BYTES) {
        c->differs[part] = memcmp(now + from, told + from, WM_PART_BYTES) != 0;
        if (c->differs[part])
            memcpy((uint8_t *)c->look + from, now + from, WM_PART_BYTES);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return doing_of(page) == doing && __atomic_load_n(&page->ring_next, __ATOMIC_RELAXED) == next;
}

static bool is_due(const struct wm_changes *c, int i, uint64_t doing)
{
    const struct wm_page *page = c->pages[i], *told = &c->told[i];

    return ((doing & 1) != 0 && doing == c->doing[i]) || page->flaw_count != told->flaw_count ||
           page->state != told->state || page->gone != told->gone;
}

/* 0: it moves. */
static uint64_t ask_process(struct wm_changes *c, int i, uint64_t doing)
{
    if (doing != c->doing[i])
        c->rounds[i] = 0;
    else if (c->rounds[i]++ % ASKED_EVERY == 0)
        c->processes[i] = wm_process_state(c->pages[i]->pid);
    return c->rounds[i] > 0 ? (uint64_t)c->processes[i] : 0;
}

/* Contents that are not what they were: nobody is to take the rank for one that stands still. */
static void tell_page(struct wm_changes *c, struct wm_tree *tree, int i, bool in_turn)
{
    const struct wm_page *page = c->pages[i];
    uint64_t doing = doing_of(page);
    struct wm_page_change change = {.rank = page->rank, .doing = doing, .tick = page->tick};
    bool due = in_turn || is_due(c, i, doing), steady = due && look_at(c, i, doing);

    change.process = ask_process(c, i, doing);
    c->doing[i] = doing;
    if (due && !steady)
        change.doing = 0;
    if (steady)
        tell_pieces(c, tree, i, change);
    else
        begin(c, tree, &change);
}

void wm_changes_tell(struct wm_changes *c, struct wm_tree *tree)
{
    int turn = 0;

    c->pieces = 0;
    for (int i = 0; i < c->count; i++) {
        bool in_turn = turn == i && i < IN_TURN && c->pieces < PIECES_IN_TURN;

        turn += in_turn;
        tell_page(c, tree, (c->turn + i) % c->count, in_turn);
    }
    c->turn = (c->turn + turn) % c->count;
    send_frame(c, tree);
}
