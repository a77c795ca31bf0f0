/* The tree of guards: who is asked, who is let in, what is handed on. */
#include "tools/doctor/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* An end that says nothing is given up after so long; one that has proven nothing sooner. */
#define SILENCE_NS (5 * SECOND)
#define PROOF_NS SECOND

/* At the end: what is said last is to leave. */
enum { LINGER_MS = 100 };

/* Who has not shown yet that it has the key: the oldest one makes room, when others have had some turns. */
enum { STRANGERS = 8, LET_IN_A_TURN = 2 };

bool wm_tree_init(struct wm_tree *t, wm_tree_heard *heard, void *context, int64_t now_ns)
{
    *t = (struct wm_tree){.door = WM_GUARD_DOOR, .up.fd = -1, .lost_ns = now_ns, .told = true};
    t->heard = heard;
    t->context = context;
    if (read(WM_GUARD_START, &t->start, sizeof t->start) != (ssize_t)sizeof t->start || t->start.ancestor_count < 0 ||
        t->start.ancestor_count > WM_GUARD_ANCESTORS)
        return false;
    t->is_root = t->start.ancestor_count == 0;
    return true;
}

struct pollfd *wm_tree_list(const struct wm_tree *t, struct pollfd *list, int *count)
{
    struct pollfd *all = realloc(list, sizeof *all * ((size_t)*count + (size_t)t->below_count + 2));

    if (all == NULL)
        return NULL;
    all[(*count)++] = (struct pollfd){.fd = t->door, .events = POLLIN};
    for (int i = -1; i < t->below_count; i++) {
        const struct wm_contact *c = i < 0 ? &t->up : t->below[i];

        all[(*count)++] = (struct pollfd){.fd = c->fd, .events = (short)(POLLIN | (c->unsent_bytes > 0 ? POLLOUT : 0))};
    }
    return all;
}

/* --- Those above --- */

bool wm_tree_is_joined(const struct wm_tree *t)
{
    return t->up.fd >= 0 && t->up.proven;
}

bool wm_tree_is_alone(const struct wm_tree *t, int64_t now_ns)
{
    return t->door >= 0 && !t->is_root && !wm_tree_is_joined(t) && now_ns - t->lost_ns > SILENCE_NS;
}

/* The addresses of those above in turn, the nearest one's first. */
static bool next_address(struct wm_tree *t, struct sockaddr_in *at)
{
    for (int tries = t->start.ancestor_count * WM_GUARD_ADDRESSES; tries > 0; tries--) {
        const struct wm_guard_door *door = &t->start.ancestors[t->attempt / WM_GUARD_ADDRESSES];
        uint32_t address = door->addresses[t->attempt % WM_GUARD_ADDRESSES];

        t->attempt = (t->attempt + 1) % (t->start.ancestor_count * WM_GUARD_ADDRESSES);
        *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = door->port, .sin_addr.s_addr = address};
        if (address != 0 && door->port != 0)
            return true;
    }
    return false;
}

static void try_up(struct wm_tree *t, int64_t now_ns)
{
    struct sockaddr_in at;
    int fd;

    if (t->is_root || t->up.fd >= 0 || now_ns < t->attempt_ns || !next_address(t, &at))
        return;
    t->attempt_ns = now_ns + SECOND / 4;
    if ((fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0 && errno != EINPROGRESS)
        close(fd);
    else
        wm_contact_open(&t->up, fd, true, t->start.key, now_ns);
}

/* --- Those below --- */

static void forget(struct wm_tree *t, int i)
{
    wm_contact_close(t->below[i]);
    free(t->below[i]);
    t->below[i] = t->below[--t->below_count];
}

static void make_room_for_stranger(struct wm_tree *t)
{
    int strangers = 0, oldest = -1;

    for (int i = 0; i < t->below_count; i++) {
        if (t->below[i]->proven)
            continue;
        strangers++;
        if (oldest < 0 || t->below[i]->heard_ns < t->below[oldest]->heard_ns)
            oldest = i;
    }
    if (strangers >= STRANGERS)
        forget(t, oldest);
}

static void let_in(struct wm_tree *t, int fd, int64_t now_ns)
{
    struct wm_contact **below = realloc(t->below, sizeof *below * ((size_t)t->below_count + 1));
    struct wm_contact *c = malloc(sizeof *c);

    if (below != NULL)
        t->below = below;
    if (below != NULL && c != NULL && wm_contact_open(c, fd, false, t->start.key, now_ns)) {
        t->below[t->below_count++] = c;
        return;
    }
    free(c);
    if (below == NULL || c == NULL)
        close(fd);
}

static void open_door(struct wm_tree *t, int64_t now_ns)
{
    for (int i = 0, fd; i < LET_IN_A_TURN && (fd = accept4(t->door, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;
         i++) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        make_room_for_stranger(t);
        let_in(t, fd, now_ns);
    }
}

static bool is_silent(const struct wm_contact *c, int64_t now_ns)
{
    return now_ns - c->heard_ns > (c->proven ? SILENCE_NS : PROOF_NS);
}

/* --- Rounds --- */

bool wm_tree_is_round_done(const struct wm_tree *t)
{
    for (int i = 0; i < t->below_count; i++)
        if (t->below[i]->proven && t->below[i]->done != t->round)
            return false;
    return true;
}

static void call_round(struct wm_tree *t, int64_t now_ns)
{
    t->begun_ns = now_ns;
    wm_tree_tell_down(t, WM_NEWS_ROUND, &t->round, sizeof t->round);
}

void wm_tree_begin_round(struct wm_tree *t, int64_t now_ns)
{
    t->round++;
    call_round(t, now_ns);
}

/* One that does not answer is not to make the others believe that nobody is there. */
static void repeat_round(struct wm_tree *t, int64_t now_ns)
{
    if (t->is_root && !wm_tree_is_round_done(t) && now_ns - t->begun_ns > SECOND)
        call_round(t, now_ns);
}

static void tell_done(struct wm_tree *t)
{
    if (t->told || !wm_tree_is_round_done(t))
        return;
    t->told = true;
    wm_tree_tell_up(t, WM_NEWS_DONE, &t->round, sizeof t->round);
}

/* --- Frames --- */

void wm_tree_tell_up(struct wm_tree *t, enum wm_news_kind kind, const void *payload, size_t bytes)
{
    if (wm_tree_is_joined(t))
        wm_contact_send(&t->up, kind, payload, bytes);
}

static void keep_death(struct wm_tree *t, const void *payload)
{
    struct wm_news_death *deaths = realloc(t->deaths, sizeof *deaths * ((size_t)t->death_count + 1));

    if (deaths == NULL)
        return;
    t->deaths = deaths;
    memcpy(&deaths[t->death_count++], payload, sizeof *deaths);
}

void wm_tree_tell_down(struct wm_tree *t, enum wm_news_kind kind, const void *payload, size_t bytes)
{
    if (kind == WM_NEWS_DEATH && bytes == sizeof *t->deaths)
        keep_death(t, payload);
    for (int i = 0; i < t->below_count; i++)
        if (t->below[i]->proven)
            wm_contact_send(t->below[i], kind, payload, bytes);
}

void wm_tree_tell_one(struct wm_tree *t, enum wm_news_kind kind, const void *payload, size_t bytes)
{
    int i = 0;

    while (i < t->below_count && !t->below[i]->proven)
        i++;
    if (i < t->below_count)
        wm_contact_send(t->below[i], kind, payload, bytes);
}

void wm_tree_tell_all(struct wm_tree *t, enum wm_news_kind kind, const void *payload, size_t bytes)
{
    if (wm_tree_is_joined(t))
        wm_tree_tell_up(t, kind, payload, bytes);
    else
        wm_tree_tell_down(t, kind, payload, bytes);
}

/* From above it is for all, and from one who knows all. */
static bool hear_from_above(struct wm_tree *t, const struct wm_news *news)
{
    if (news->kind == WM_NEWS_HELLO)
        return true;
    if (news->kind == WM_NEWS_PAGES || news->kind == WM_NEWS_DONE)
        return false;
    if (news->kind == WM_NEWS_ROUND && !wm_news_take(news, &t->round, sizeof t->round))
        return false;
    t->told = t->told && news->kind != WM_NEWS_ROUND;
    if (news->kind != WM_NEWS_SAY)
        wm_tree_tell_down(t, news->kind, news->payload, news->bytes);
    if (!t->heard(t->context, news))
        return false;
    tell_done(t);
    return true;
}

static bool hear_from_below(struct wm_tree *t, struct wm_contact *from, const struct wm_news *news)
{
    switch (news->kind) {
    case WM_NEWS_HELLO:
        from->done = t->round;
        for (int i = 0; i < t->death_count; i++)
            wm_contact_send(from, WM_NEWS_DEATH, &t->deaths[i], sizeof t->deaths[i]);
        return true;
    case WM_NEWS_DONE:
        return wm_news_take(news, &from->done, sizeof from->done);
    case WM_NEWS_PAGES:
        wm_tree_tell_up(t, news->kind, news->payload, news->bytes);
        return !t->is_root || t->heard(t->context, news);
    case WM_NEWS_DEATH:
        wm_tree_tell_all(t, news->kind, news->payload, news->bytes);
        return wm_tree_is_joined(t) || t->heard(t->context, news);
    default:
        return false;
    }
}

/* False: the contact is no more. */
static bool hear(struct wm_tree *t, struct wm_contact *c, int64_t now_ns)
{
    struct wm_news news;

    if (!wm_contact_progress(c))
        return false;
    while (wm_contact_next(c, &news, now_ns)) {
        if (!(c->upwards ? hear_from_above(t, &news) : hear_from_below(t, c, &news))) {
            wm_contact_close(c);
            return false;
        }
        wm_contact_drop(c, &news);
    }
    if (c->fd >= 0 && is_silent(c, now_ns))
        wm_contact_close(c);
    return c->fd >= 0;
}

/* They are to look for one who hears the root. */
static void dismiss(struct wm_tree *t)
{
    while (t->below_count > 0)
        forget(t, t->below_count - 1);
}

void wm_tree_progress(struct wm_tree *t, int64_t now_ns)
{
    bool joined = wm_tree_is_joined(t);

    if (wm_tree_is_alone(t, now_ns))
        dismiss(t);
    else
        open_door(t, now_ns);
    try_up(t, now_ns);
    if (t->up.fd >= 0)
        hear(t, &t->up, now_ns);
    for (int i = t->below_count - 1; i >= 0; i--)
        if (!hear(t, t->below[i], now_ns))
            forget(t, i);
    tell_done(t);
    repeat_round(t, now_ns);
    if (joined && !wm_tree_is_joined(t)) {
        t->lost_ns = now_ns;
        t->attempt = 0;
    }
}

void wm_tree_forgive(struct wm_tree *t, int64_t now_ns)
{
    t->up.heard_ns = t->lost_ns = now_ns;
    for (int i = 0; i < t->below_count; i++)
        t->below[i]->heard_ns = now_ns;
}

/* The other end takes what is there, and closes. */
static void linger(struct wm_contact *c)
{
    struct pollfd wait = {.fd = c->fd, .events = POLLIN};

    wm_contact_progress(c);
    if (c->fd < 0)
        return;
    shutdown(c->fd, SHUT_WR);
    for (char rest[4096]; poll(&wait, 1, LINGER_MS) == 1 && recv(c->fd, rest, sizeof rest, MSG_DONTWAIT) > 0;)
        ;
}

void wm_tree_release(struct wm_tree *t)
{
    if (t->door < 0)
        return;
    close(t->door);
    if (t->up.fd >= 0)
        linger(&t->up);
    while (t->below_count > 0) {
        linger(t->below[t->below_count - 1]);
        forget(t, t->below_count - 1);
    }
    wm_contact_close(&t->up);
    free(t->below);
    free(t->deaths);
    *t = (struct wm_tree){.door = -1, .up.fd = -1};
}
