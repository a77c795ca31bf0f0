/* News: what guards of a job tell each other, as frames of bytes.
 *
 * A frame is a head, a payload and a code under the key of its direction, which covers the frame's number, too: so none
 * can be made, changed, left out or said again by who has no key. What comes before the payload is checked before it is
 * waited for. Guards are of one build and of one kind of machine: structs are sent as they are. */
#ifndef WM_DOCTOR_NEWS_H
#define WM_DOCTOR_NEWS_H

#include "core/guard/page.h"
#include "core/guard/start.h"

enum wm_news_kind {
    WM_NEWS_HELLO, /* the first frame of each end: the magic of pages */
    WM_NEWS_ROUND, /* downwards: look at the ranks, and tell what has changed; its number */
    WM_NEWS_PAGES, /* upwards: changes of pages (changes.h) */
    WM_NEWS_DONE,  /* upwards: all pages of a round have been told; its number */
    WM_NEWS_DEATH, /* to all: struct wm_news_death, as far as its communicators go */
    WM_NEWS_NAMED, /* downwards: the communicator, by id, of a verdict */
    WM_NEWS_TOLD,  /* downwards: struct wm_news_told */
    WM_NEWS_SAY,   /* downwards: text that who sends it has no rank to say it by; its end included */
    WM_NEWS_COUNT
};

struct wm_news_death {
    int32_t rank;
    uint32_t count;
    uint64_t comms[WM_PAGE_COMMS]; /* ids */
};

/* So many flaws of the rank are told. */
struct wm_news_told {
    int32_t rank;
    uint32_t flaws;
};

struct wm_news {
    enum wm_news_kind kind;
    const uint8_t *payload; /* at no particular alignment */
    size_t bytes;
};

enum { WM_NEWS_HEAD_BYTES = 8, WM_NEWS_MOST_BYTES = 65536 };
enum { WM_NEWS_PAYLOAD_BYTES = WM_NEWS_MOST_BYTES - WM_NEWS_HEAD_BYTES - WM_MAC_BYTES };

/* One direction of a connection. */
struct wm_news_seal {
    uint8_t key[WM_KEY_BYTES];
    uint64_t number; /* of frames so far */
};

/* Write a frame, of at most WM_NEWS_PAYLOAD_BYTES; returns its bytes. */
size_t wm_news_write(struct wm_news_seal *seal, enum wm_news_kind kind, const void *payload, size_t bytes,
                     uint8_t *out);

/* Read the frame at the beginning of these bytes. Returns its bytes; 0: more are to come; -1: it is none. */
int wm_news_read(struct wm_news_seal *seal, const uint8_t *in, size_t bytes, struct wm_news *news);

/* Take a payload for what it is to be: `bytes` of it, or false. */
bool wm_news_take(const struct wm_news *news, void *out, size_t bytes);

#endif
