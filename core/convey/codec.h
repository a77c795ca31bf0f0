/* Our own codecs of a conveyor's buffers. Both keep the contract of convey_codec_t (waymark/convey.h), and leave what
 * they compress as it is. */
#ifndef WM_CONVEY_CODEC_H
#define WM_CONVEY_CODEC_H

#include <stdbool.h>
#include "waymark/convey.h"
#include "core/path/design.h"

/* LZ4 by liblz4: what repeats itself is left out. Plans nothing if Waymark was built without the library. */
extern const convey_codec_t wm_codec_lz4;

/* The codec of a design; NULL: none, or the user's. */
const convey_codec_t *wm_codec_find(enum wm_codec_choice choice);
bool wm_codec_is_ours(const convey_codec_t *codec);

/* Why a map may not ask for this one here, as a sentence; NULL: it may. */
static inline const char *wm_codec_lacking(enum wm_codec_choice choice)
{
#ifdef HAVE_LZ4
    (void)choice;
    return NULL;
#else
    return choice == WM_CODEC_LZ4 ? "'lz4 is not there: Waymark was built without liblz4; write 'squeeze, or install "
                                    "liblz4-dev (Debian) and build again"
                                  : NULL;
#endif
}

#endif
