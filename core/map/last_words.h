/* Last words: the frame that tells the client why the server is about to die. */
#ifndef WM_MAP_LAST_WORDS_H
#define WM_MAP_LAST_WORDS_H

/* From now on, when the alarm rings or the process is about to die of a signal of its own making (out of memory,
 * a crash), send the client of socket `fd` a LAST frame with the place of the rule that was entered last, and end. */
void wm_last_words_prepare(int fd);

/* Let the alarm ring in `limit_ms` of real time; 0 calls it off. */
void wm_last_words_alarm(unsigned limit_ms);

#endif
