/* What has become of a text, as a patch. */
#ifndef WM_TUNE_PATCH_H
#define WM_TUNE_PATCH_H

/* Print on stderr what `patch` takes to make the new text of the old one, by diff(1); where there is none, the new
 * text. */
void wm_patch_print(const char *file, const char *old, const char *new);

#endif
