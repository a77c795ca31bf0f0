/* Copies: changes written as ranks write pages. */
#include "tools/doctor/copies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* It is what it is, whatever was said. */
static void settle(const struct wm_copies *c, int rank, const struct wm_page_change *change)
{
    struct wm_page *page = c->pages[rank];

    page->rank = rank;
    page->ranks = c->ranks;
    page->job = c->job;
    page->bytes = sizeof *page;
    page->tick = change->tick;
    page->process = change->process;
    if (change->more == 0) {
        __atomic_store_n(&page->now.doing, change->doing, __ATOMIC_RELEASE);
        wm_page_begin(page, c->job);
    }
}

bool wm_copies_init(struct wm_copies *c, int ranks, const struct wm_pages *own)
{
    struct wm_error ignored;
    int next = 0;

    *c = (struct wm_copies){.ranks = ranks, .job = own->list[0]->job};
    c->memory = wm_page_file_new(NULL, 0, ranks - own->count, &ignored);
    c->pages = calloc((size_t)ranks, sizeof(struct wm_page *));
    c->heard_ns = calloc((size_t)ranks, sizeof *c->heard_ns);
    if (c->memory < 0 || c->pages == NULL || c->heard_ns == NULL)
        return false;
    c->file = wm_page_map(c->memory, true);
    for (int rank = 0, at = 0; rank < ranks; rank++) {
        if (at < own->count && own->list[at]->rank == rank)
            at++;
        else if (next < c->file.count) {
            c->pages[rank] = &c->file.pages[next++];
            settle(c, rank, &(struct wm_page_change){0});
        }
    }
    return c->file.count == ranks - own->count && next == c->file.count;
}

void wm_copies_release(struct wm_copies *c)
{
    if (c->memory >= 0)
        close(c->memory);
    free(c->pages);
    free(c->heard_ns);
    *c = (struct wm_copies){.memory = -1};
}

/* Words in the order in which a rank writes them: of the ring an entry's number last, of all else ascending. Who reads
 * meanwhile sees by their counts what is being written. */
static void write_piece(struct wm_page *page, const struct wm_page_piece *piece)
{
    uint64_t words[WM_PIECE_BYTES / 8],
        *at = (uint64_t *)(void *)((uint8_t *)page + (size_t)piece->index * WM_PIECE_BYTES);
    size_t from = (size_t)piece->index * WM_PIECE_BYTES, count = WM_PIECE_BYTES / 8;
    bool ring = from >= offsetof(struct wm_page, ring) && from < offsetof(struct wm_page, comms);

    memcpy(words, piece->bytes, sizeof words);
    for (size_t i = 0; i < count; i++) {
        size_t word = ring ? count - 1 - i : i;

        if (&at[word] != &page->now.doing)
            __atomic_store_n(&at[word], words[word], __ATOMIC_RELEASE);
    }
}

/* Returns the bytes of a change and its pieces; 0: it cannot be. */
static size_t take_change(struct wm_copies *c, const uint8_t *at, size_t bytes, int64_t now_ns)
{
    struct wm_page_change change;
    struct wm_page_piece piece;
    size_t all;

    if (bytes < sizeof change)
        return 0;
    memcpy(&change, at, sizeof change);
    all = sizeof change + change.pieces * sizeof piece;
    if (all > bytes || change.rank < 0 || change.rank >= c->ranks || c->pages[change.rank] == NULL)
        return 0;
    for (size_t from = sizeof change; from < all; from += sizeof piece) {
        memcpy(&piece, at + from, sizeof piece);
        if (piece.index >= WM_PIECES)
            return 0;
        write_piece(c->pages[change.rank], &piece);
    }
    settle(c, change.rank, &change);
    c->heard_ns[change.rank] = now_ns;
    return all;
}

bool wm_copies_take(struct wm_copies *c, const struct wm_news *news, int64_t now_ns)
{
    for (size_t from = 0, taken; from < news->bytes; from += taken)
        if ((taken = take_change(c, news->payload + from, news->bytes - from, now_ns)) == 0)
            return false;
    return true;
}

const struct wm_page *wm_copies_hide(struct wm_copies *c, int64_t before_ns)
{
    const struct wm_page *first = NULL;

    for (int rank = 0; rank < c->ranks; rank++) {
        struct wm_page *page = c->pages[rank];

        if (page == NULL || page->gone != 0 || c->heard_ns[rank] >= before_ns || !wm_page_is_begun(page) ||
            (first != NULL && memcmp(page->host, first->host, sizeof page->host) != 0))
            continue;
        memset(page->magic, 0, sizeof page->magic);
        first = first != NULL ? first : page;
    }
    return first;
}
