/* Wards: the ranks of a guard's node. Their processes, one of them to speak by, and what the guard writes into their
 * pages. It alone writes there the tick, who is gone and dead, its verdict, and how many flaws it has told. */
#ifndef WM_DOCTOR_WARDS_H
#define WM_DOCTOR_WARDS_H

#include <poll.h>
#include "tools/doctor/news.h"

struct wm_wards {
    struct wm_page **pages;
    int count;
    struct pollfd *processes; /* of each; fd -1: it has gone. Others' files may stand behind them */
    int alive;
    int voice, speaker; /* the standard error of one of the ranks; -1: of none */
    int64_t ticked_ns;
};

/* From one tick to the next. */
enum { WM_WARDS_TICK_MS = 100 };

/* Open the processes of these pages. False: no memory. */
bool wm_wards_init(struct wm_wards *wards, const struct wm_page **pages, int count);
void wm_wards_release(struct wm_wards *wards);

/* Of those polled the next one that has gone, which its page says from here on; NULL: none. Until then the voice stays
 * what it is: the speaker may have gone with the others, and what it is to say is heard all the same. */
const struct wm_page *wm_wards_next_gone(struct wm_wards *wards);

/* Where a rank was that has not ended MPI; and it is dead: its communicators' other ranks on this node are told. */
void wm_wards_describe_death(const struct wm_page *page, struct wm_news_death *death);
void wm_wards_hear_death(struct wm_wards *wards, const struct wm_news_death *death);

/* The verdict on a communicator has been said; so many flaws of a rank have been. */
void wm_wards_hear_verdict(struct wm_wards *wards, uint64_t id);
void wm_wards_hear_told(struct wm_wards *wards, const struct wm_news_told *told);

/* Count the time up in the pages. False: more has passed than could have. */
bool wm_wards_tick(struct wm_wards *wards, int64_t now_ns);

/* Say the text on the standard error of one of them. False: it could not be said. */
bool wm_wards_say(struct wm_wards *wards, const char *text);

/* One that has neither ended MPI nor gone. */
bool wm_wards_run(const struct wm_wards *wards);

#endif
