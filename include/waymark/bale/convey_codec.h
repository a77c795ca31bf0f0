/* convey_codec.h as programs for bale include it. */
#include <waymark/convey_codec.h>
