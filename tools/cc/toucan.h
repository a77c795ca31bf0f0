/* waymark cc --toucan: sources with Toucan's pragmas are translated in front of the compiler. */
#ifndef WM_CC_TOUCAN_H
#define WM_CC_TOUCAN_H

struct wm_toucan {
    char folder[64]; /* of the translations, a folder each, as two sources may have one name; "": there is none */
    char **sources;  /* [count] the translations, and NULL for words that are none */
    char **folders;  /* [count] where their sources stand, as far as that has been asked for */
    int count;
};

/* Translate each source in C among `words`, and let its word name the translation, which has the name of the source.
 * Returns a command's status: 0, or 1, and then the error has been said. Release in any case. */
int wm_toucan_translate(struct wm_toucan *toucan, char **words, int count);
/* Put behind `words`, for which there is room for two words for each source, what lets the compiler find the headers
 * that stand beside the sources `given`. Returns how many were put. */
int wm_toucan_add_folders(struct wm_toucan *toucan, char *const *given, char **words);
/* Remove the translations. */
void wm_toucan_release(struct wm_toucan *toucan);

#endif
