/* biconvey.h as programs for bale include it. */
#include <waymark/biconvey.h>
