/* convey_alc8r.h as programs for bale include it. */
#include <waymark/convey_alc8r.h>
