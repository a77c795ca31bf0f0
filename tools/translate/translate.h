/* Toucan's pragmas become the markers of <waymark/superblock.h>. */
#ifndef WM_TRANSLATE_H
#define WM_TRANSLATE_H

/* Translate a source in C into the file `output`; "": to standard output. `flags`: those of its compilation. Returns
 * the status of a command: 0, or 1, and then the error has been said and nothing is written. */
int wm_translate(const char *file, const char *output, char *const *flags, int flag_count);

#endif
