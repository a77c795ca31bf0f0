# waymark cc.
waymark_SOURCES += tools/cc/cc.c
EXTRA_DIST += tools/cc/README.md
