/* The tree of a job's guards, as one of them sees it: a contact upwards, and contacts of those below.
 *
 * The root begins rounds; each guard tells of its pages and hands on what those below tell, and then that the round is
 * done. What has been looked at for a round has been looked at after all of the round before. A guard whose contact
 * upwards is lost asks the next one above; those that have nobody above, and are not the root, see their own node
 * alone. Who does not show that it has the key is kept for a second, and few of them at a time. */
#ifndef WM_DOCTOR_TREE_H
#define WM_DOCTOR_TREE_H

#include <poll.h>
#include "tools/doctor/contact.h"

/* A frame has come: from above, or from below. False: it cannot be. */
typedef bool wm_tree_heard(void *context, const struct wm_news *news);

struct wm_tree {
    struct wm_guard_start start;
    int door; /* -1: there is no tree */
    bool is_root;
    struct wm_contact up;
    int attempt;                 /* which address of whom is asked next */
    int64_t attempt_ns, lost_ns; /* the next attempt; since when nobody above listens */
    int64_t begun_ns;            /* the newest round, at the root */
    struct wm_contact **below;
    int below_count;
    struct wm_news_death *deaths; /* that those below were told of: who comes later is told, too */
    int death_count;
    uint64_t round; /* the newest one */
    bool told;      /* of that round, what this guard itself has to tell */
    wm_tree_heard *heard;
    void *context;
};

/* Read what the guard is started with, from WM_GUARD_START. False: it is not there. */
bool wm_tree_init(struct wm_tree *tree, wm_tree_heard *heard, void *context, int64_t now_ns);

/* Say what has not been said yet, for a moment, and close all. */
void wm_tree_release(struct wm_tree *tree);

/* Files to be polled beside `count` others, for which there is room in the list; the new list, NULL: no memory. */
struct pollfd *wm_tree_list(const struct wm_tree *tree, struct pollfd *list, int *count);

/* Take and send what there is. */
void wm_tree_progress(struct wm_tree *tree, int64_t now_ns);

/* Somebody above listens. */
bool wm_tree_is_joined(const struct wm_tree *tree);

/* It has been so long that nobody above listened: this guard is alone. Never the root. */
bool wm_tree_is_alone(const struct wm_tree *tree, int64_t now_ns);

/* All that are below have told of the newest round. The root: begin the next one. */
bool wm_tree_is_round_done(const struct wm_tree *tree);
void wm_tree_begin_round(struct wm_tree *tree, int64_t now_ns);

/* Tell those above; those below; or, of what all are to know, those above, who will tell all, or else those below. */
void wm_tree_tell_up(struct wm_tree *tree, enum wm_news_kind kind, const void *payload, size_t bytes);
void wm_tree_tell_down(struct wm_tree *tree, enum wm_news_kind kind, const void *payload, size_t bytes);
void wm_tree_tell_all(struct wm_tree *tree, enum wm_news_kind kind, const void *payload, size_t bytes);

/* Tell one of those below. */
void wm_tree_tell_one(struct wm_tree *tree, enum wm_news_kind kind, const void *payload, size_t bytes);

/* Time has passed in which nobody ran: nobody is late. */
void wm_tree_forgive(struct wm_tree *tree, int64_t now_ns);

#endif
