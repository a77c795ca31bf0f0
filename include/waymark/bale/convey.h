/* convey.h as programs for bale include it. */
#include <waymark/convey.h>
