# waymark cc.
waymark_SOURCES += tools/cc/cc.c tools/cc/toucan.c tools/cc/toucan.h
EXTRA_DIST += tools/cc/README.md
