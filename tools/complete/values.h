/* Words that may stand in one place of a command line, printed for a shell: one a line, behind a tab what it means.
 * A line ":files" or ":directories" bids the shell add these itself. */
#ifndef WM_TOOLS_VALUES_H
#define WM_TOOLS_VALUES_H

/* Print a word if it goes on as typed. `meaning` is cut at the end of its first clause, and may be NULL. */
void wm_values_offer(const char *typed, const char *word, const char *meaning);

/* Print what may stand for an argument: `what` is that of an option ("MAP", "text|json") or of operands ("map").
 * `before` is put before each: what of the same word is typed already. */
void wm_values_of(const char *what, const char *typed, const char *before);

#endif
