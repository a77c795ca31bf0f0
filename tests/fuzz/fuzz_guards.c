/* News of guards, made up and damaged, to the tree and to the root's copies of pages, which are then judged:
 * tests/fuzz/README.md. Who sends has the key: who has none gets no further than the first frame. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "core/guard/judge.h"
#include "tests/fuzz/cases.h"
#include "tests/fuzz/random.h"
#include "tools/doctor/copies.h"
#include "tools/doctor/wards.h"

enum { RANKS = 4, FRAMES = 24 };

static const uint8_t key[WM_KEY_BYTES] = {7};

struct guard {
    struct wm_tree tree;
    struct wm_copies copies;
    struct wm_wards wards;
};

/* As the guard's process does (tools/doctor/guard.c). */
static bool hear(void *context, const struct wm_news *news)
{
    struct guard *g = context;
    struct wm_news_death death;
    struct wm_news_told told;
    uint64_t id;

    if (news->kind == WM_NEWS_PAGES)
        return wm_copies_take(&g->copies, news, 1);
    if (news->kind == WM_NEWS_DEATH && wm_news_take(news, &death, sizeof death))
        wm_wards_hear_death(&g->wards, &death);
    if (news->kind == WM_NEWS_TOLD && wm_news_take(news, &told, sizeof told))
        wm_wards_hear_told(&g->wards, &told);
    if (news->kind == WM_NEWS_NAMED && wm_news_take(news, &id, sizeof id))
        wm_wards_hear_verdict(&g->wards, id);
    return true;
}

/* Numbers that are likely to be somewhere, and others. */
static uint64_t draw(struct fuzz_random *random)
{
    static const uint64_t likely[] = {0, 1, 2, 3, 9, 31, 127, 128, 255, 256, 1023, 1024, UINT32_MAX, UINT64_MAX};

    return fuzz_chance(random, 80) ? FUZZ_PICK(random, likely) : fuzz_next(random);
}

/* Changes of pages, mostly such as could be. */
static void draw_pages(struct fuzz_text *text, struct fuzz_random *random)
{
    for (size_t changes = fuzz_below(random, 4) + 1; changes > 0; changes--) {
        struct wm_page_change change = {.rank = 1 + (int32_t)fuzz_below(random, RANKS - 1)};

        if (fuzz_chance(random, 1))
            change.rank = (int32_t)draw(random);
        change.pieces = (uint16_t)fuzz_below(random, 60);
        change.more = fuzz_chance(random, 10);
        change.doing = draw(random);
        change.tick = draw(random);
        fuzz_text_add(text, (const char *)&change, sizeof change);
        for (int i = 0; i < change.pieces - (int)fuzz_chance(random, 1); i++) {
            struct wm_page_piece piece = {.index = (uint32_t)fuzz_below(random, WM_PIECES)};

            if (fuzz_chance(random, 1) && fuzz_chance(random, 10))
                piece.index = (uint32_t)draw(random);
            for (size_t at = 0; at < WM_PIECE_BYTES; at += fuzz_chance(random, 50) ? 4 : 8) {
                uint64_t word = draw(random);

                memcpy(piece.bytes + at, &word, at + 8 <= WM_PIECE_BYTES ? 8 : 4);
            }
            fuzz_text_add(text, (const char *)&piece, sizeof piece);
        }
    }
}

static void draw_words(struct fuzz_text *text, struct fuzz_random *random)
{
    static const size_t sizes[] = {0, 1, 8, 7, 9, sizeof(struct wm_news_death), 64};

    for (size_t bytes = FUZZ_PICK(random, sizes); text->count < bytes;) {
        uint64_t word = draw(random);

        fuzz_text_add(text, (const char *)&word, bytes - text->count < 8 ? bytes - text->count : 8);
    }
}

/* To the root mostly what comes from below. */
static void send_frame(struct wm_contact *from, struct fuzz_random *random, struct fuzz_text *tried)
{
    enum wm_news_kind kind = (enum wm_news_kind)fuzz_below(random, WM_NEWS_COUNT);

    if (kind != WM_NEWS_PAGES && kind != WM_NEWS_DEATH && from->upwards && fuzz_chance(random, 98))
        kind = WM_NEWS_PAGES;
    fuzz_text_clear(tried);
    if (kind == WM_NEWS_PAGES)
        draw_pages(tried, random);
    else
        draw_words(tried, random);
    if (from->keyed && tried->count <= WM_NEWS_PAYLOAD_BYTES)
        wm_contact_send(from, kind, tried->bytes, tried->count);
    if (from->unsent_bytes > 0 && fuzz_chance(random, 2))
        from->unsent[fuzz_below(random, from->unsent_bytes)] ^= (uint8_t)(1u << fuzz_below(random, 8));
}

static const char *judge(const struct guard *g, const struct wm_page *own)
{
    const struct wm_page *list[RANKS] = {own, g->copies.pages[1], g->copies.pages[2], g->copies.pages[3]};
    bool gone[RANKS] = {false};
    struct wm_judgement judgement;

    if (wm_judge(&judgement, &(struct wm_pages){list, RANKS, NULL}, gone, NULL) < 0)
        return "no judgement";
    wm_judgement_release(&judgement);
    return NULL;
}

static void talk(struct guard *g, struct wm_contact *from, struct fuzz_random *random, struct fuzz_text *tried)
{
    for (size_t frames = fuzz_below(random, FRAMES); frames > 0 && from->fd >= 0; frames--) {
        struct wm_news news;

        wm_contact_progress(from);
        while (wm_contact_next(from, &news, 1))
            wm_contact_drop(from, &news);
        send_frame(from, random, tried);
        wm_tree_progress(&g->tree, 1);
    }
}

static const char *run(uint64_t seed, struct fuzz_text *tried)
{
    static struct wm_page own, *pages[] = {&own};
    static const struct wm_page *list[] = {&own};
    struct fuzz_random random = {seed};
    struct guard g = {.tree = {.door = 0, .up = {.fd = -1}, .told = true}, .wards = {.pages = pages, .count = 1}};
    struct wm_contact from, *below = malloc(sizeof *below);
    const char *wrong;
    int ends[2];

    own = (struct wm_page){.bytes = sizeof own, .ranks = RANKS, .comm_count = 1, .comms = {{.id = 9, .ranks = RANKS}}};
    wm_page_begin(&own, 1);
    g.tree.heard = hear;
    g.tree.context = &g;
    g.tree.is_root = fuzz_chance(&random, 80);
    if (below == NULL || !wm_copies_init(&g.copies, RANKS, &(struct wm_pages){list, 1, NULL}) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return "no room";
    wm_contact_open(&from, ends[0], g.tree.is_root, key, 1);
    wm_contact_open(g.tree.is_root ? below : &g.tree.up, ends[1], !g.tree.is_root, key, 1);
    g.tree.below = malloc(sizeof(struct wm_contact *));
    if (g.tree.below != NULL && g.tree.is_root)
        g.tree.below[g.tree.below_count++] = below;
    else
        free(below);
    talk(&g, &from, &random, tried);
    wrong = judge(&g, &own);
    wm_contact_close(&from);
    g.tree.door = dup(0);
    wm_tree_release(&g.tree);
    wm_page_unmap(&g.copies.file);
    wm_copies_release(&g.copies);
    return wrong;
}

int main(int argc, char **argv)
{
    return fuzz_cases_main("fuzz_guards", argc, argv, run);
}
