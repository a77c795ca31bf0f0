/* Last words: the frame that tells the client why the server is about to die. */
#ifndef WM_MAP_LAST_WORDS_H
#define WM_MAP_LAST_WORDS_H

/* From now on, when the time is over or the process is about to die of a signal of its own making (out of memory,
 * a crash), send the client of socket `fd` a LAST frame with the place of the rule that was entered last, and end. */
void wm_last_words_prepare(int fd);

/* Let the time be over when the process has had `limit_ms` more of processor time: a server that others keep from
 * running loses none. 0 calls it off. */
void wm_last_words_limit(unsigned limit_ms);

/* The server has started: what ends it from now on is the map's fault. */
void wm_last_words_ready(void);

#endif
