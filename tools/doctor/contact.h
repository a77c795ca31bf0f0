/* A contact: a TCP connection between two guards of a job, of which each shows the other that it has the job's key.
 *
 * Each end sends 32 random bytes, and nothing else to who has not answered rightly: the keys of the two directions
 * follow from both ends' bytes and the job's key, so a first frame that reads right (WM_NEWS_HELLO) proves its sender.
 * Nothing here blocks.
 *
 * States of a contact: closed (fd -1); open; keyed, when the other's bytes have come; proven, when its first frame has.
 */
#ifndef WM_DOCTOR_CONTACT_H
#define WM_DOCTOR_CONTACT_H

#include "tools/doctor/news.h"

struct wm_contact {
    int fd;
    bool upwards; /* the other end is nearer to the root */
    bool keyed, proven;
    bool broken; /* it is closed when it is looked at next: what has come from it may be in use */
    uint8_t nonce[32];
    const uint8_t *job_key;
    struct wm_news_seal in, out;
    uint8_t *got, *unsent;
    size_t got_bytes, unsent_bytes, unsent_room;
    int64_t heard_ns; /* when the last frame came; or it was opened */
    uint64_t done;    /* the newest round that it has told of */
};

/* Begin with a socket, which may still be connecting; it is the contact's from here on. False: closed. */
bool wm_contact_open(struct wm_contact *contact, int fd, bool upwards, const uint8_t *job_key, int64_t now_ns);
void wm_contact_close(struct wm_contact *contact);

/* Send what is to be sent, take what has come. False: it has been closed, by either end. */
bool wm_contact_progress(struct wm_contact *contact);

/* The next frame, which lasts until wm_contact_drop, and no longer. False: none is there. */
bool wm_contact_next(struct wm_contact *contact, struct wm_news *news, int64_t now_ns);
void wm_contact_drop(struct wm_contact *contact, const struct wm_news *news);

/* Send a frame to an end that is proven, or to be proven to; else nothing. */
void wm_contact_send(struct wm_contact *contact, enum wm_news_kind kind, const void *payload, size_t bytes);

#endif
