/* Contacts: nonces, keys, and bytes in and out. */
#include "tools/doctor/contact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* So much may wait to be sent; who takes so little is given up. */
enum { UNSENT_MOST = 256 << 20 };

void wm_contact_close(struct wm_contact *c)
{
    if (c->fd >= 0)
        close(c->fd);
    free(c->got);
    free(c->unsent);
    *c = (struct wm_contact){.fd = -1};
}

static uint8_t *make_room(struct wm_contact *c, size_t more)
{
    size_t room = c->unsent_room > 0 ? c->unsent_room : 4096;
    uint8_t *bytes;

    while (room < c->unsent_bytes + more)
        room *= 2;
    if (room > UNSENT_MOST)
        return NULL;
    if (room != c->unsent_room) {
        if ((bytes = realloc(c->unsent, room)) == NULL)
            return NULL;
        c->unsent = bytes;
        c->unsent_room = room;
    }
    return c->unsent + c->unsent_bytes;
}

bool wm_contact_open(struct wm_contact *c, int fd, bool upwards, const uint8_t *job_key, int64_t now_ns)
{
    *c = (struct wm_contact){.fd = fd, .upwards = upwards, .job_key = job_key, .heard_ns = now_ns};
    if ((c->got = malloc(WM_NEWS_MOST_BYTES)) == NULL || make_room(c, sizeof c->nonce) == NULL ||
        getrandom(c->nonce, sizeof c->nonce, 0) != sizeof c->nonce) {
        wm_contact_close(c);
        return false;
    }
    memcpy(c->unsent, c->nonce, sizeof c->nonce);
    c->unsent_bytes = sizeof c->nonce;
    return true;
}

static void derive(const struct wm_contact *c, const uint8_t *other, bool upwards, uint8_t *key)
{
    uint8_t nonces[2][sizeof c->nonce];

    memcpy(nonces[0], c->upwards ? c->nonce : other, sizeof c->nonce);
    memcpy(nonces[1], c->upwards ? other : c->nonce, sizeof c->nonce);
    wm_mac(c->job_key, upwards, nonces, sizeof nonces, key);
}

/* The lower end shows first that it has the key: who connects is told nothing before. */
static void greet(struct wm_contact *c)
{
    wm_contact_send(c, WM_NEWS_HELLO, WM_PAGE_MAGIC, sizeof WM_PAGE_MAGIC);
}

static void drop(struct wm_contact *c, size_t bytes)
{
    c->got_bytes -= bytes;
    memmove(c->got, c->got + bytes, c->got_bytes);
}

static void take_nonce(struct wm_contact *c)
{
    if (c->keyed || c->got_bytes < sizeof c->nonce)
        return;
    derive(c, c->got, c->upwards, c->out.key);
    derive(c, c->got, !c->upwards, c->in.key);
    c->keyed = true;
    drop(c, sizeof c->nonce);
    if (c->upwards)
        greet(c);
}

static bool flush(struct wm_contact *c)
{
    ssize_t sent = 0;

    while (c->unsent_bytes > 0 && (sent = send(c->fd, c->unsent, c->unsent_bytes, MSG_NOSIGNAL | MSG_DONTWAIT)) > 0) {
        c->unsent_bytes -= (size_t)sent;
        memmove(c->unsent, c->unsent + sent, c->unsent_bytes);
    }
    return sent >= 0 || errno == EAGAIN || errno == EINTR || errno == EINPROGRESS;
}

static bool take(struct wm_contact *c)
{
    ssize_t got;

    if (c->got_bytes == WM_NEWS_MOST_BYTES)
        return true;
    got = recv(c->fd, c->got + c->got_bytes, WM_NEWS_MOST_BYTES - c->got_bytes, MSG_DONTWAIT);
    if (got == 0)
        return false;
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    c->got_bytes += (size_t)got;
    take_nonce(c);
    return true;
}

bool wm_contact_progress(struct wm_contact *c)
{
    if (c->fd >= 0 && (c->broken || !take(c) || !flush(c)))
        wm_contact_close(c);
    return c->fd >= 0;
}

/* The first frame says that both ends read pages alike. */
static bool is_greeting(const struct wm_news *news)
{
    return news->kind == WM_NEWS_HELLO && news->bytes == sizeof WM_PAGE_MAGIC &&
           memcmp(news->payload, WM_PAGE_MAGIC, news->bytes) == 0;
}

bool wm_contact_next(struct wm_contact *c, struct wm_news *news, int64_t now_ns)
{
    int bytes = c->keyed ? wm_news_read(&c->in, c->got, c->got_bytes, news) : 0;

    if (bytes < 0 || (bytes > 0 && !c->proven && !is_greeting(news))) {
        wm_contact_close(c);
        return false;
    }
    if (bytes == 0)
        return false;
    c->heard_ns = now_ns;
    if (!c->proven && !c->upwards)
        greet(c);
    c->proven = true;
    return true;
}

void wm_contact_drop(struct wm_contact *c, const struct wm_news *news)
{
    if (c->fd >= 0)
        drop(c, WM_NEWS_HEAD_BYTES + news->bytes + WM_MAC_BYTES);
}

void wm_contact_send(struct wm_contact *c, enum wm_news_kind kind, const void *payload, size_t bytes)
{
    uint8_t *at;

    if (c->fd < 0 || !c->keyed || c->broken)
        return;
    if ((at = make_room(c, WM_NEWS_HEAD_BYTES + bytes + WM_MAC_BYTES)) == NULL) {
        c->broken = true;
        return;
    }
    c->unsent_bytes += wm_news_write(&c->out, kind, payload, bytes, at);
    c->broken = !flush(c);
}
