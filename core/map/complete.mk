# Shape procedures asked for the trees of a grid: used by the runtime's rank 0 and by `waymark show`.
libwm_map_la_SOURCES += core/map/complete.c core/map/complete.h
